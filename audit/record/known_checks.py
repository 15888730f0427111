"""What each check of an audit can say, and what its words must show: a certificate with other evidence was not written by one."""

from __future__ import annotations

from dataclasses import dataclass

from .evidence import Evidence, Kind, Sentence, Verdict

_SETTLES = frozenset({Verdict.PROVED, Verdict.REFUTED, Verdict.UNDECIDED})
_TRIES = frozenset({Verdict.SURVIVED, Verdict.REFUTED, Verdict.UNDECIDED})
_FINDS = frozenset({Verdict.REFUTED, Verdict.UNDECIDED})
_MEASURES = frozenset({Verdict.SURVIVED, Verdict.UNDECIDED})


@dataclass(frozen=True)
class Known:
    """One check: its kind, its sentence, its verdicts, the witnesses that it finds.

    With one of `told` the detail of each of its survivals begins: what was done, and not why it settles nothing.  Groups are
    the number of outcomes, `samples`; what was found, `least`, which is at most what was claimed, `most`; by how much a
    delta exceeds the claimed one, `excess`; the relative `gap` of an information; how unlikely the worst of so many `tests`
    is, `p`.  `statistical` says that its error is its share of alpha.
    """

    kind: Kind
    sentence: Sentence
    verdicts: frozenset[Verdict]
    witnesses: frozenset[str] = frozenset()
    told: tuple[str, ...] = ()
    statistical: bool = True


_ON_LAWS = frozenset(
    {
        "inequality",
        "formula at a point",
        "irregular",
        "shape",
        "grid profile",
        "product profile",
        "whole profile",
    }
)
_COUNTED = r"(?P<samples>[1-9][\d,]*) outcomes on input 0 and [1-9][\d,]* on input 1, of which "
_AT_TWO = r"(?P<samples>[1-9][\d,]*) outcomes at each of (?:two|2|3) parameters, \d+ cells per entry(?:, by the .*, at a step of \S+)?; "
# What nobody has audited settles nothing, under whichever sentence its claim is asked.
VACUOUS = "what is claimed"

CHECKS: dict[str, Known] = {
    VACUOUS: Known("proof", "law", frozenset({Verdict.UNDECIDED}), statistical=False),
    "derivation": Known("proof", "law", _SETTLES, _ON_LAWS, statistical=False),
    "certificate of a point": Known(
        "proof", "law", _SETTLES, frozenset({"better point", "better function"}), statistical=False
    ),
    "optimal value": Known("proof", "law", _SETTLES, frozenset({"optimal value"}), statistical=False),
    "sensitivity": Known("proof", "law", _SETTLES, frozenset({"worse pair"}), statistical=False),
    "worse pairs": Known(
        "attack",
        "law",
        _TRIES,
        frozenset({"worse pair"}),
        (
            r"[1-9][\d,]* pairs of neighbours, .*; the furthest answers are (?P<least>\S+) apart, claimed (?P<most>\S+)$",
        ),
        False,
    ),
    "moved totals": Known(
        "attack",
        "code",
        _TRIES,
        frozenset({"worse pair"}),
        (
            r"[1-9][\d,]* pairs of neighbours; the furthest sums are (?P<least>\S+) apart, claimed (?P<most>\S+)$",
        ),
        False,
    ),
    "better points": Known(
        "attack",
        "law",
        _TRIES,
        frozenset({"better point"}),
        (r"[1-9][\d,]* local searches from points up to 10 away found no feasible value certainly below ",),
        False,
    ),
    "compression guarantee": Known(
        "proof", "law", _SETTLES, frozenset({"log-density ratio of compressions"}), statistical=False
    ),
    "quadrature": Known(
        "computation",
        "law",
        _TRIES,
        frozenset({"profile", "irregular", "shape", "information"}),
        (
            r"delta by integrating .*; largest excess over the claimed curve (?P<excess>[^\s;]+)",
            r"information by integrating .*, relative difference from the claim (?P<gap>\S+)$",
            r"Cramer-Rao bound by numerical integration (?P<most>\S+), claimed (?P<least>\S+)$",
        ),
        False,
    ),
    "rare events of the law": Known(
        "computation",
        "law",
        _TRIES,
        frozenset({"importance sample", "privacy loss at a point"}),
        (
            r"[1-9][\d,]* outcomes for each of [1-9].* (?:has the lower confidence bound|is certainly at least) (?P<least>\S+), claimed (?P<most>\S+);",
        ),
    ),
    "fit": Known(
        "attack",
        "fit",
        _TRIES,
        frozenset({"binomial"}),
        (r"(?P<tests>[1-9][\d,]*) exact binomial tests?; .*, p [=<] (?P<p>\S+) before sharing alpha$",),
    ),
    "likelihood ratio": Known("attack", "code", _TRIES, frozenset({"event", "rate boxes"}), (_COUNTED,)),
    "sequential likelihood ratio": Known(
        "attack",
        "code",
        _TRIES,
        frozenset({"bets"}),
        (
            r"[1-9][\d,]* outcomes on either input, [1-9][\d,]* pairs bet on in [1-9].*; "
            r"capital multiplied by 10\^(?P<least>\S+) at its highest, refuted from 10\^(?P<most>[^\s;]+)",
        ),
    ),
    "components": Known(
        "attack",
        "code",
        _TRIES,
        frozenset({"additive noise"}),
        (
            r"assuming additive (?!.*(?:would not have been found|keeps this claim only if|do not tell which|no verdict rests on it))"
            r".*\([1-9][\d,]* and [1-9][\d,]* outcomes after ",
        ),
    ),
    "information": Known(
        "attack",
        "code",
        _TRIES,
        frozenset({"histograms"}),
        (
            _AT_TWO + r"information of entry \d+ at least (?P<least>\S+), claimed (?P<most>[^\s;]+)$",
            _AT_TWO
            + r"(?:from the outcomes, the Cramer-Rao bound of the code is|the information found allows unbiased errors down to) "
            r"at most (?P<most>\S+); the claim is at least (?P<least>[^\s;]+)$",
        ),
    ),
    "information along a path": Known(
        "attack",
        "code",
        _TRIES,
        frozenset({"information along a path"}),
        (
            r"(?P<samples>[1-9][\d,]*) outcomes at each of \d+ parameters, \S+ from \S+ to \S+, \d+ cells by the .*; along this path "
            r"the code has at least (?P<least>\S+) of the information that is claimed, and the claim allows (?P<most>1)$",
        ),
    ),
    "maximum likelihood": Known("attack", "code", frozenset({Verdict.UNDECIDED})),
    "estimators": Known(
        "attack",
        "code",
        _MEASURES,
        told=(
            r"no adversary(?:'s error is significantly| of the claimed kind was measured) below the bound\. Mean squared errors .*± ",
        ),
        statistical=False,
    ),
    "bit patterns": Known("attack", "bytes", _TRIES, frozenset({"event", "rate boxes"}), (_COUNTED,)),
    "repeated calls": Known("attack", "bytes", _FINDS, frozenset({"event"})),
    "timing": Known("attack", "bytes", _FINDS, frozenset({"binomial"})),
}


def shares_alpha(evidence: Evidence) -> bool:
    """Whether its check was counted when alpha was divided: estimators draw outcomes too, though they refute nothing."""
    check = CHECKS.get(evidence.check)
    return check is not None and (check.statistical or evidence.check == "estimators")


# A refutation may come from one exact point.
MAY_BE_EXACT = frozenset({"rare events of the law"})


def known(evidence: Evidence) -> Known | None:
    """The check of this evidence as far as it is one: of its name, kind and sentence, with one of its verdicts."""
    check = CHECKS.get(evidence.check)
    if check is None or evidence.verdict not in check.verdicts:
        return None
    if evidence.sentence != check.sentence and (evidence.check, evidence.sentence) != (VACUOUS, "code"):
        return None
    # What proves says so only of a proof.
    kinds = {check.kind} if evidence.check != "compression guarantee" else {"proof", "computation"}
    return check if evidence.kind in kinds else None
