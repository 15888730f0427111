"""Witnesses evaluated again in forks of this process, under limits of time and memory: none can take it down."""

from __future__ import annotations

import time
from collections.abc import Sequence

from ...record.checked import Checked
from ...record.terms import Terms
from ...record.witness import Witness, kinds, reevaluate
from .forked import Message
from .limited import NoAnswerError, limited

SECONDS, ALTOGETHER = 120.0, 900.0
_LONGEST = 2_000  # characters of what is said


def rerun(
    witnesses: Sequence[tuple[str, Witness | Terms]], seconds: float = SECONDS, altogether: float = ALTOGETHER
) -> list[Checked]:
    """One answer per (name, witness alone or in its terms): holds if the refutation stands, fails if not.

    It is open if no answer came within `seconds`, or no time was left of what all of them have.
    """
    found, end = [], time.monotonic() + altogether
    for name, one in witnesses:
        stands, says = None, f"no time was left: all witnesses together have {altogether:g} s"
        if time.monotonic() < end:
            stands, says = evaluated(one, seconds)
        found.append(
            Checked(f"witness of {name}", "open" if stands is None else "holds" if stands else "fails", says)
        )
    return found


def evaluated(one: Witness | Terms, seconds: float = SECONDS) -> tuple[bool | None, str]:
    """Whether a witness stands, alone or in its terms, and what it says; None if no answer came within the limits."""
    kinds()  # the libraries are loaded before the clock runs
    try:
        reply = limited(
            answered, {"terms": one.record()} if isinstance(one, Terms) else {"witness": one}, seconds
        )
    except NoAnswerError as error:
        return None, str(error)
    return reply["stands"], reply["says"]


def answered(asked: Message) -> Message:
    """The same of {"witness": ...} or {"terms": ...}, without limits."""
    try:
        terms = Terms.from_record(asked["terms"]) if "terms" in asked else None
        stands, says = reevaluate(asked["witness"] if terms is None else terms.witness, terms)
    except MemoryError:
        raise
    except Exception as error:  # data from strangers: any of the libraries may refuse it
        stands, says = False, f"cannot be evaluated: {type(error).__name__}: {error}"
    return {"stands": bool(stands), "says": says[:_LONGEST]}
