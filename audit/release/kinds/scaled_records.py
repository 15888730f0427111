"""Records in units in which every declared interval is [-1, 1]: clamped and scaled by public numbers alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from ....symbolic.arrays import Floats
from ..policy import Policy

if TYPE_CHECKING:
    from ..tables import PolicyTable


def ends(policy: Policy) -> tuple[Floats, Floats]:
    """The declared ends (m,), (m,) of the private numbers."""
    return np.array([n.low for n in policy.numbers]), np.array([n.high for n in policy.numbers])


def scaled(policy: Policy, numbers: Floats) -> Floats:
    """Numbers (rows, m) as (rows, m) in [-1, 1]."""
    low, high = ends(policy)
    return np.asarray((2 * np.clip(numbers, low, high) - (low + high)) / (high - low))


def unscaled(policy: Policy, records: Floats) -> Floats:
    """The numbers that scaled records (rows, m) stand for."""
    low, high = ends(policy)
    return np.asarray((low + high) / 2 + records * (high - low) / 2)


def scaled_blocks(table: PolicyTable) -> Iterator[Floats]:
    """The scaled records of a table, batch by batch."""
    for batch in table.batches():
        yield scaled(table.policy, table.numbers(batch))
