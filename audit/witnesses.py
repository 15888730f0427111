"""Witnesses of every kind evaluated again, in forks of this process too, under limits of time and memory: none can take it down."""

from __future__ import annotations

import time
from collections.abc import Sequence

from . import papers
from .dossier import formula, instances
from .dossier.arguments import cheaper_noise
from .papers.chanyaswad2019.arguments import projected_covariance
from .record import witness as registry
from .record.checked import Checked
from .record.terms import Terms
from .record.witness import Witness
from .record.witness import evaluator_of as evaluator_of
from .record.witness import kinds as kinds
from .studies.compression import ratio_witness
from .studies.ron_gauss import loss_witness
from .trial import replay
from .trial.isolation.forked import Message
from .trial.isolation.limited import NoAnswerError, limited

# Importing the module that defines an evaluator registers its kind; a paper that is imported registers its rules.
HOMES = (*(replay, formula, instances, cheaper_noise, projected_covariance), *(loss_witness, ratio_witness))
SECONDS, ALTOGETHER = 120.0, 900.0
_LONGEST = 2_000  # characters of what is said


def reevaluate(witness: Witness, terms: Terms | None = None) -> tuple[bool, str]:
    """Whether a refutation of any kind stands, and what the numbers say; see `audit.record.witness`."""
    match witness:
        case {"kind": "instance"}:
            papers.rules()
    return registry.reevaluate(witness, terms)


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
