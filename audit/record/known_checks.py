"""What each check of an audit can say, and what its words must show: a certificate with other evidence was not written by one."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .evidence import Evidence, Kind, Sentence, Verdict

_COUNTED = re.compile(r"(?P<samples>[1-9][\d,]*) outcomes on input 0 and [1-9][\d,]* on input 1, of which ")
_SETTLES = frozenset({Verdict.PROVED, Verdict.REFUTED, Verdict.UNDECIDED})
_TRIES = frozenset({Verdict.SURVIVED, Verdict.REFUTED, Verdict.UNDECIDED})
_FINDS = frozenset({Verdict.REFUTED, Verdict.UNDECIDED})
_MEASURES = frozenset({Verdict.SURVIVED, Verdict.UNDECIDED})


@dataclass(frozen=True)
class Known:
    """One check: its kind, its sentence, its verdicts, the witnesses that it finds.

    `told` is found in the detail of each of its survivals: what was done, with the number of outcomes if it is named.
    `statistical` says that its error is its share of alpha.
    """

    kind: Kind
    sentence: Sentence
    verdicts: frozenset[Verdict]
    witnesses: frozenset[str] = frozenset()
    told: re.Pattern[str] = re.compile("")
    statistical: bool = True


_ON_LAWS = frozenset({"inequality", "irregular", "shape", "grid profile", "product profile"})

CHECKS: dict[str, Known] = {
    "derivation": Known("proof", "law", _SETTLES, _ON_LAWS, statistical=False),
    "compression guarantee": Known(
        "proof",
        "law",
        _SETTLES,
        frozenset({"log-density ratio of compressions"}),
        re.compile(r"alpha is at most "),
        False,
    ),
    "quadrature": Known(
        "computation",
        "law",
        _TRIES,
        frozenset({"profile", "irregular", "shape", "information"}),
        re.compile(r"\binteg"),
        False,
    ),
    "rare events of the law": Known(
        "computation",
        "law",
        _TRIES,
        frozenset({"importance sample", "privacy loss at a point"}),
        re.compile(r"[1-9][\d,]* outcomes for each of [1-9]"),
    ),
    "fit": Known(
        "attack", "fit", _TRIES, frozenset({"binomial"}), re.compile(r"[1-9][\d,]* exact binomial test")
    ),
    "likelihood ratio": Known("attack", "code", _TRIES, frozenset({"event", "rate boxes"}), _COUNTED),
    "sequential likelihood ratio": Known(
        "attack",
        "code",
        _TRIES,
        frozenset({"bets"}),
        re.compile(r"[1-9][\d,]* outcomes on either input, [1-9][\d,]* pairs bet on in [1-9]"),
    ),
    "components": Known(
        "attack",
        "code",
        _TRIES,
        frozenset({"additive noise"}),
        re.compile(r"\([1-9][\d,]* and [1-9][\d,]* outcomes after "),
    ),
    "information": Known(
        "attack",
        "code",
        _TRIES,
        frozenset({"histograms"}),
        re.compile(r"(?P<samples>[1-9][\d,]*) outcomes at each of two parameters"),
    ),
    "estimators": Known(
        "attack", "code", _MEASURES, told=re.compile(r"Mean squared errors .*± "), statistical=False
    ),
    "bit patterns": Known("attack", "bytes", _TRIES, frozenset({"event", "rate boxes"}), _COUNTED),
    "repeated calls": Known("attack", "bytes", _FINDS, frozenset({"event"})),
    "timing": Known("attack", "bytes", _FINDS, frozenset({"binomial"})),
}


# A refutation may come from one exact point.
MAY_BE_EXACT = frozenset({"rare events of the law"})


def known(evidence: Evidence) -> Known | None:
    """The check of this evidence as far as it is one: of its name, kind and sentence, with one of its verdicts."""
    check = CHECKS.get(evidence.check)
    if check is None or evidence.sentence != check.sentence or evidence.verdict not in check.verdicts:
        return None
    # What proves says so only of a proof.
    kinds = {check.kind} if evidence.check != "compression guarantee" else {"proof", "computation"}
    return check if evidence.kind in kinds else None
