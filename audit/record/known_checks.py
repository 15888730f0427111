"""What each check of an audit can say, and which numbers it must show: a certificate with other evidence was not written by one."""

from __future__ import annotations

from dataclasses import dataclass

from .evidence import Evidence, Kind, Measured, Sentence, Verdict

_SETTLES = frozenset({Verdict.PROVED, Verdict.REFUTED, Verdict.UNDECIDED})
_TRIES = frozenset({Verdict.SURVIVED, Verdict.REFUTED, Verdict.UNDECIDED})
_FINDS = frozenset({Verdict.REFUTED, Verdict.UNDECIDED})
_MEASURES = frozenset({Verdict.SURVIVED, Verdict.UNDECIDED})
_OPEN = frozenset({Verdict.UNDECIDED})


@dataclass(frozen=True)
class Known:
    """One check: its kind, its sentence, its verdicts, what it makes its statement of, and the witnesses that it finds.

    A survival has measured all numbers that one of `shows` names, and gives no reason why it settles nothing.  `statistical` says
    that its error is its share of alpha.
    """

    kind: Kind
    sentence: Sentence
    verdicts: frozenset[Verdict]
    statement: str = "{claim}"
    witnesses: str = ""
    shows: tuple[str, ...] = ()
    statistical: bool = False


_ON_LAWS = "inequality, formula at a point, irregular, shape, grid profile, product profile, whole profile"
_INTEGRALS, _RARE_ONES = (
    "profile, irregular, shape, information",
    "importance sample, privacy loss at a point",
)
_EVENTS = "the tested events tell the two inputs apart no better than {claim} allows"
_COUNTED, _PAIRS = ("samples learnt count of",), ("tried found claimed",)
_INTEGRATES = ("tried excess epsilon", "gap found", "found claimed")
_ALONG = ("samples parameters found claimed",)
_BETS = ("samples pairs epochs capital needed",)
_PROBLEM, _QUERY = "the stated problem: {claim}", "the stated query: {claim}"
_LAW, _INTEGRATED = "the declared law: {claim}", "the declared law, integrated numerically{where}: {claim}"
_RARE = "no event of the declared law, however rare, breaks: {claim}"
_COMPRESSED = "the law of the compression, for all tables in the scope: {claim}"
_FOLLOWS = "the outcomes of the code have the distribution that is declared"
_MOVES = (
    "assuming additive {of} noise of one scale on both inputs, the query moves by no more than {claim} allows"
)
_LETS = "the code lets no more information through than the claim allows"
_LETS_OF = "the code lets no more information about {of} through than the claim allows"
_LIKELY = "errors of estimators on samples of the code, measured beside the claim"
_ERRORS = "measured errors of adversaries against the claimed bound"
_REPEATS = "calls made {way} do not repeat each other more than {claim} allows"
_TIMES = "the time of a call tells the two inputs apart no better than {claim} allows"
# What nobody has audited settles nothing, under whichever sentence its claim is asked.
VACUOUS, COMPRESSION = "what is claimed", "compression guarantee"

CHECKS: dict[str, Known] = {
    VACUOUS: Known("proof", "law", _OPEN, "the claim says something: {claim}"),
    "derivation": Known("proof", "law", _SETTLES, _LAW, _ON_LAWS),
    "certificate of a point": Known("proof", "law", _SETTLES, _PROBLEM, "better point, better function"),
    "optimal value": Known("proof", "law", _SETTLES, _PROBLEM, "optimal value"),
    "sensitivity": Known("proof", "law", _SETTLES, _QUERY, "worse pair"),
    COMPRESSION: Known("proof", "law", _SETTLES, _COMPRESSED, "log-density ratio of compressions"),
    "worse pairs": Known("attack", "law", _TRIES, _QUERY, "worse pair", _PAIRS),
    "better points": Known("attack", "law", _TRIES, _PROBLEM, "better point", ("tried found",)),
    "quadrature": Known("computation", "law", _TRIES, _INTEGRATED, _INTEGRALS, _INTEGRATES),
    "rare events of the law": Known(
        "computation", "law", _TRIES, _RARE, _RARE_ONES, ("tried epsilon found claimed",), True
    ),
    "moved totals": Known("attack", "code", _TRIES, "the code that sums: {claim}", "worse pair", _PAIRS),
    "fit": Known("attack", "fit", _TRIES, _FOLLOWS, "binomial", ("tests p of trials",), True),
    "likelihood ratio": Known("attack", "code", _TRIES, _EVENTS, "event, rate boxes", _COUNTED, True),
    "bit patterns": Known("attack", "bytes", _TRIES, _EVENTS, "event, rate boxes", _COUNTED, True),
    "sequential likelihood ratio": Known("attack", "code", _TRIES, _EVENTS, "bets", _BETS, True),
    "components": Known("attack", "code", _TRIES, _MOVES, "additive noise", ("samples learnt found",), True),
    "information": Known(
        "attack", "code", _TRIES, _LETS, "histograms", ("samples cells found claimed",), True
    ),
    "information along a path": Known(
        "attack", "code", _TRIES, _LETS_OF, "information along a path", _ALONG, True
    ),
    "maximum likelihood": Known("attack", "code", _OPEN, _LIKELY, statistical=True),
    "estimators": Known("attack", "code", _MEASURES, _ERRORS, "", ("rows claimed",)),
    "repeated calls": Known("attack", "bytes", _FINDS, _REPEATS, "event", statistical=True),
    "timing": Known("attack", "bytes", _FINDS, _TIMES, "binomial", statistical=True),
}


def stated(check: str, claim: str, measured: Measured) -> str:
    """The sentence that evidence of this check is about, of a claim that is said in these words."""
    known = CHECKS.get(check)
    if known is None:
        return claim
    where = f" at {measured.of} alone" if measured.of else ""
    return known.statement.format(claim=claim, of=measured.of, way=measured.way, where=where)


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
