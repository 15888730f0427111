"""The state of a run that is written as it goes, and read by one that goes on from it."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")


def read(path: Path | None, seed: int, tally: Callable[..., T]) -> tuple[int, float, T]:
    """The number that comes next, the seconds that were used, and what was counted."""
    if path is None or not path.exists():
        return 0, 0.0, tally()
    data = json.loads(path.read_text(encoding="utf-8"))
    if data["seed"] != seed:
        sys.exit(f"{path} is of the seed {data['seed']}: give that seed, or another file")
    counts: dict[str, Any] = {k: Counter(v) if isinstance(v, dict) else v for k, v in data["tally"].items()}
    return data["next"], data["seconds"], tally(**counts)


def write(path: Path | None, seed: int, number: int, seconds: float, tally: Any) -> None:
    """The same, where it is to be kept."""
    if path is not None:
        data = {"seed": seed, "next": number, "seconds": seconds, "tally": vars(tally)}
        path.write_text(json.dumps(data), encoding="utf-8")
