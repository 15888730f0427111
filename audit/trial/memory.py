"""The memory that an audit would need, estimated before anything is drawn or made."""

from __future__ import annotations

import os

from ...symbolic.errors import SpecError

MOST_SAMPLES = 10**9
_INPUTS = 2**30  # bytes of two inputs
_NUMBER, _WORDY = 8, 80  # bytes of a number; letters of a structure that holds text


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


def require_outcomes(outcomes: int, width: int, letters: int, name: str) -> None:
    """SpecError if so many outcomes of `width` numbers and `letters` of text, which are learnt from at once, exceed this machine's memory."""
    here, needed = _physical(), outcomes * (_NUMBER * width + letters)
    if here is not None and needed > here:
        held = f"{outcomes * width:.3g} numbers" + f" and {outcomes * letters:.3g} letters" * (
            letters > _WORDY
        )
        raise SpecError(
            f"{name}: outcomes of {held} are learnt from at once and do not fit into memory (about {needed / 2**30:.3g} GiB of "
            f"{here / 2**30:.3g}): give fewer samples, or a query of fewer numbers"
            + " and less text"
            * (letters > _WORDY)
        )


def _physical() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not a POSIX system
        return None
