"""Work in counted units: a search spends them, and stops when its share is used up, on every machine at the same place.

A unit is one operation on a ball.  A search asks for `spent()` when it starts and is over at that number plus its share, as
with a clock; what its parts spend counts for it too.
"""

from __future__ import annotations

import threading
from typing import Any

EFFORT = 3_000_000  # units of a question that is asked with effort 1
_meter = threading.local()


def spend(units: int) -> None:
    """Count so many units of work."""
    _meter.units = spent() + units


def spent() -> int:
    """The units that this thread has spent so far."""
    return getattr(_meter, "units", 0)


def units_of(effort: float) -> int:
    """The units that an effort buys."""
    return int(effort * EFFORT)


def effort_of(units: int) -> float:
    """The effort that buys so many units."""
    return units / EFFORT


def read_effort(effort: Any) -> float:
    """The effort that was asked for; ValueError for what is no number from 1/1000 to 1000."""
    number = isinstance(effort, int | float) and not isinstance(effort, bool)
    if not number or not 1e-3 <= effort <= 1e3:
        raise ValueError(
            f"effort must be a number from 0.001 to 1000 (1 is usual, 2 twice the work), got {effort!r}"
        )
    return float(effort)


def stopped(effort: float) -> str:
    """What is said of a search that spent all that the effort buys."""
    return f"the work of effort {effort:g} is spent, effort={2 * effort:g} doubles it"
