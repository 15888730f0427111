"""A paper's statement gets its verdict from checks: this table is the only place that chooses the words.

===================================  ==============================  ============  ===================
check of the printed statement       and                             verdict       the twin must be
===================================  ==============================  ============  ===================
none: the id asserts nothing                                         definition    no twin
UNDECIDED                                                            undecided     no twin
PROVED                               no condition added              proved        REFUTED
SURVIVED                             no condition added              survived      REFUTED
PROVED (under an added condition)    the paper does not state it     proved-if     REFUTED
SURVIVED (under an added condition)  the paper does not state it     survived-if   REFUTED
REFUTED                              a reading fixes what is meant,  misprint      PROVED or SURVIVED
                                     and the twin says it and stands
REFUTED                              otherwise                       refuted       PROVED or SURVIVED
===================================  ==============================  ============  ===================

Twins: `proved`, `survived`: slightly falsified; `proved-if`, `survived-if`: without the condition; `refuted`,
`misprint`: corrected, or the weakest relaxation that the checks accept.
"""

from __future__ import annotations

from typing import Literal

from ..record.evidence import Verdict

PaperVerdict = Literal[
    "proved", "survived", "proved-if", "survived-if", "refuted", "misprint", "definition", "undecided"
]

# The endings of the names of checks that ran on another statement, and of a correction that the paper itself gives.
ON_TWIN, ON_BARE = " [twin]", " [without the condition]"
MEANT = " That this is meant is fixed by "

STANDS = frozenset({Verdict.PROVED, Verdict.SURVIVED})
FALLS = frozenset({Verdict.REFUTED})

_REQUIRED: dict[PaperVerdict, frozenset[Verdict]] = {
    "proved": FALLS,
    "survived": FALLS,
    "proved-if": FALLS,
    "survived-if": FALLS,
    "refuted": STANDS,
    "misprint": STANDS,
    "definition": frozenset(),
    "undecided": frozenset(),
}


def paper_verdict(
    printed: Verdict | None, twin: Verdict | None, *, reading: bool = False, condition: bool = False
) -> PaperVerdict:
    """The verdict on a paper's statement; `printed` is None for an id that asserts nothing.

    `reading` says that the paper's own text fixes which statement was meant and that the twin is that one;
    `condition` says that the printed statement was checked under a condition that the paper does not state.

    >>> paper_verdict(Verdict.REFUTED, Verdict.PROVED, reading=True)
    'misprint'
    """
    if printed is None:
        return "definition"
    match printed:
        case Verdict.UNDECIDED:
            return "undecided"
        case Verdict.PROVED:
            return "proved-if" if condition else "proved"
        case Verdict.SURVIVED:
            return "survived-if" if condition else "survived"
        case Verdict.REFUTED:
            return "misprint" if reading and twin in STANDS else "refuted"


def required_of_twin(verdict: PaperVerdict) -> frozenset[Verdict]:
    """The verdicts that the twin may have; empty where there is no twin."""
    return _REQUIRED[verdict]


def required_words(verdict: PaperVerdict) -> list[str]:
    """The same as a dossier holds it."""
    return sorted(allowed.name.lower() for allowed in required_of_twin(verdict))


def flipped(verdict: PaperVerdict, twin: Verdict | None) -> bool | None:
    """Whether the twin came out as expected; None where no twin is asked for, False where one is missing."""
    required = required_of_twin(verdict)
    return twin in required if required else None
