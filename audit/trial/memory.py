"""The memory that an audit would need, estimated before anything is drawn or made."""

from __future__ import annotations

import os

from ...symbolic.errors import SpecError

MOST_SAMPLES = 10**9
_INPUTS = 2**30  # bytes of two inputs
_NUMBER = 8


def require_samples(samples: int, key: str = "") -> None:
    """SpecError for more calls per input than an audit can plan, let alone make."""
    if samples > MOST_SAMPLES:
        raise SpecError(
            f"samples must be at most {MOST_SAMPLES:,}, got {samples:.3g}: give fewer, or a budget in seconds",
            key=key,
        )


def require_inputs(numbers: int, what: str, key: str = "") -> None:
    """SpecError if two inputs of so many numbers each take more than 1 GiB."""
    if 2 * _NUMBER * numbers > _INPUTS:
        raise SpecError(
            f"{what} do not fit into memory: two inputs take about {2 * _NUMBER * numbers / 2**30:.3g} GiB, and at most "
            f"{_INPUTS // 2**30} is taken; give fewer",
            key=key,
        )


def require_outcomes(numbers: int, name: str) -> None:
    """SpecError if outcomes of so many numbers together, which are learnt from at once, exceed this machine's memory."""
    here = _physical()
    if here is not None and _NUMBER * numbers > here:
        raise SpecError(
            f"{name}: outcomes of {numbers:.3g} numbers are learnt from at once and do not fit into memory (about "
            f"{_NUMBER * numbers / 2**30:.3g} GiB of {here / 2**30:.3g}): give fewer samples, or a query of fewer numbers"
        )


def _physical() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not a POSIX system
        return None
