"""What each check of an audit can say, and which numbers it must show: a certificate with other evidence was not written by one."""

from __future__ import annotations

from dataclasses import dataclass, replace

from .evidence import Evidence, Kind, Measured, Sentence, Verdict

_SETTLES = frozenset({Verdict.PROVED, Verdict.REFUTED, Verdict.UNDECIDED})
_TRIES = frozenset({Verdict.SURVIVED, Verdict.REFUTED, Verdict.UNDECIDED})
_FINDS = frozenset({Verdict.REFUTED, Verdict.UNDECIDED})
_MEASURES = frozenset({Verdict.SURVIVED, Verdict.UNDECIDED})


@dataclass(frozen=True)
class Known:
    """One check: its kind, its sentence, its verdicts, the witnesses that it finds, and what it makes its statement of.

    A survival has measured all numbers of one of `shows`, and gives no reason why it settles nothing.  `statistical` says
    that its error is its share of alpha.
    """

    kind: Kind
    sentence: Sentence
    verdicts: frozenset[Verdict]
    witnesses: frozenset[str] = frozenset()
    shows: tuple[tuple[str, ...], ...] = ()
    statistical: bool = True
    statement: str = "{claim}"


_ON_LAWS = "inequality, formula at a point, irregular, shape, grid profile, product profile, whole profile"
_COUNTED = ("samples", "learnt", "count", "of")
_EVENTS = "the tested events tell the two inputs apart no better than {claim} allows"
_PROBLEM, _QUERY = "the stated problem: {claim}", "the stated query: {claim}"
# What nobody has audited settles nothing, under whichever sentence its claim is asked.
VACUOUS, COMPRESSION = "what is claimed", "compression guarantee"
_UNDECIDED = frozenset({Verdict.UNDECIDED})


def _proof(statement: str, witnesses: str = "", verdicts: frozenset[Verdict] = _SETTLES) -> Known:
    return Known("proof", "law", verdicts, _kinds(witnesses), (), False, statement)


def _of_law(statement: str, witnesses: str, *shows: tuple[str, ...], kind: Kind = "attack") -> Known:
    return Known(kind, "law", _TRIES, _kinds(witnesses), shows, False, statement)


def _of_code(
    statement: str,
    witnesses: str,
    *shows: tuple[str, ...],
    sentence: Sentence = "code",
    verdicts: frozenset[Verdict] = _TRIES,
) -> Known:
    return Known("attack", sentence, verdicts, _kinds(witnesses), shows, True, statement)


def _kinds(witnesses: str) -> frozenset[str]:
    return frozenset(witnesses.split(", ")) if witnesses else frozenset()


CHECKS: dict[str, Known] = {
    VACUOUS: _proof("the claim says something: {claim}", verdicts=_UNDECIDED),
    "derivation": _proof("the declared law: {claim}", _ON_LAWS),
    "certificate of a point": _proof(_PROBLEM, "better point, better function"),
    "optimal value": _proof(_PROBLEM, "optimal value"),
    "sensitivity": _proof(_QUERY, "worse pair"),
    COMPRESSION: _proof(
        "the law of the compression, for all tables in the scope: {claim}",
        "log-density ratio of compressions",
    ),
    "worse pairs": _of_law(_QUERY, "worse pair", ("tried", "found", "claimed")),
    "better points": _of_law(_PROBLEM, "better point", ("tried", "found")),
    "quadrature": _of_law(
        "the declared law, integrated numerically: {claim}",
        "profile, irregular, shape, information",
        *(("tried", "excess", "epsilon"), ("gap", "found"), ("found", "claimed")),
        kind="computation",
    ),
    "rare events of the law": Known(
        "computation",
        "law",
        _TRIES,
        _kinds("importance sample, privacy loss at a point"),
        (("tried", "epsilon", "found", "claimed"),),
        True,
        "no event of the declared law, however rare, breaks: {claim}",
    ),
    "moved totals": replace(
        _of_law("the code that sums: {claim}", "worse pair", ("tried", "found", "claimed")), sentence="code"
    ),
    "fit": _of_code(
        "the outcomes of the code have the distribution that is declared",
        "binomial",
        ("tests", "p", "of", "trials"),
        sentence="fit",
    ),
    "likelihood ratio": _of_code(_EVENTS, "event, rate boxes", _COUNTED),
    "bit patterns": _of_code(_EVENTS, "event, rate boxes", _COUNTED, sentence="bytes"),
    "sequential likelihood ratio": _of_code(
        _EVENTS, "bets", ("samples", "pairs", "epochs", "capital", "needed")
    ),
    "components": _of_code(
        "assuming additive {of} noise of one scale on both inputs, the query moves by no more than {claim} allows",
        "additive noise",
        ("samples", "learnt", "found"),
    ),
    "information": _of_code(
        "the code lets no more information through than the claim allows",
        "histograms",
        ("samples", "cells", "found", "claimed"),
    ),
    "information along a path": _of_code(
        "the code lets no more information about {of} through than the claim allows",
        "information along a path",
        ("samples", "parameters", "found", "claimed"),
    ),
    "maximum likelihood": _of_code(
        "errors of estimators on samples of the code, measured beside the claim", "", verdicts=_UNDECIDED
    ),
    "estimators": Known(
        "attack",
        "code",
        _MEASURES,
        shows=(("rows", "claimed"),),
        statistical=False,
        statement="measured errors of adversaries against the claimed bound",
    ),
    "repeated calls": _of_code(
        "calls made {way} do not repeat each other more than {claim} allows",
        "event",
        sentence="bytes",
        verdicts=_FINDS,
    ),
    "timing": _of_code(
        "the time of a call tells the two inputs apart no better than {claim} allows",
        "binomial",
        sentence="bytes",
        verdicts=_FINDS,
    ),
}


def stated(check: str, claim: str, measured: Measured) -> str:
    """The sentence that evidence of this check is about, of a claim that is said in these words."""
    known = CHECKS.get(check)
    return claim if known is None else known.statement.format(claim=claim, of=measured.of, way=measured.way)


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
    kinds = {check.kind} if evidence.check != COMPRESSION else {"proof", "computation"}
    return check if evidence.kind in kinds else None
