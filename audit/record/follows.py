"""Whether what a certificate says follows from what it holds: its numbers and its verdicts against each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import isclose, nan
from typing import Any

from ...symbolic.predicates import ErrorBound, Predicate
from .bounds_match import BOUNDING, bound_faults
from .claim_match import compares_with_claim, other_claims, predicate_of
from .derivation_match import derivation_faults, too_much
from .evidence import Evidence, Measured, Resolution, Verdict
from .finding import Finding
from .known_checks import CHECKS, MAY_BE_EXACT, Known, known, shares_alpha

_CLOSE = 1e-9  # relative
_NUMERIC = 1e-5  # relative: of an information that was integrated
_FEWEST = 100  # samples that an audit takes at least
_HOW_MANY = ("tried", "tests", "trials", "pairs", "epochs", "cells", "parameters")
_OF_ERRORS = ("quadrature", "information", "estimators")
# They look at all outcomes that are drawn.
_DRAW_ALL = ("likelihood ratio", "bit patterns", "information", "information along a path")


class InconsistentError(ValueError):
    """A certificate of the right form that says what its evidence does not."""

    def __init__(self, found: Sequence[str]) -> None:
        more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        super().__init__(f"the certificate does not say what its evidence says: {found[0]}{more}")
        self.faults = tuple(found)


def faults(
    findings: Sequence[Finding], settings: Mapping[str, Any], subjects: Sequence[Mapping[str, Any]]
) -> Iterator[str]:
    """Everything that does not follow, one sentence each; nothing of an honest certificate."""
    found = [e for f in findings for e in f.evidence]
    numbers = [finding.id for finding in findings]
    if len(set(numbers)) < len(numbers):
        yield "two findings have the same number"
    if too_much(e.derivation for e in found):
        yield "its derivations are longer than any proof"
        return
    yield from _alpha_faults(found, settings)
    names = Counter(subject["name"] for subject in subjects)
    run = {f.subject for f in findings if "code" in f.asked and names[f.subject] == 1}
    for finding in findings:
        if names and finding.subject not in names:
            yield f"finding {finding.id}: its subject {finding.subject[:80]!r} is none of the certificate"
        if finding.claim["about"] == "law" and finding.asked != ("law",):
            yield f"finding {finding.id}: its claim asks about the law, and it speaks of {', '.join(finding.asked)}"
        # Of a law that cannot be sampled there is no code: then the law alone is asked.
        lawful = finding.asked == ("law",) and finding.subject not in run
        if finding.claim["about"] == "code" and "code" not in finding.asked and not lawful:
            yield f"finding {finding.id}: its claim asks about the code, and it does not speak of it"
        settled = {e.sentence for e in finding.evidence if e.verdict is not Verdict.UNDECIDED}
        if unasked := settled - set(finding.asked):
            yield f"finding {finding.id}: it does not speak of {', '.join(sorted(unasked))}, and its evidence does"
        if "bytes" in finding.asked and not settings["bits"]:
            yield f"finding {finding.id}: it speaks of bytes, and the audit did not look at bits"
        for fault in (*_finding_faults(finding, settings), *other_claims(finding)):
            yield f"finding {finding.id}, {fault}"


def _alpha_faults(found: Sequence[Evidence], settings: Mapping[str, Any]) -> Iterator[str]:
    """Alpha is divided among the statistical checks, and each has its share."""
    errors = [e.error for e in found if e.error > 0]
    alpha, share = settings["alpha"], settings.get("alpha_per_test")
    if sum(errors) > alpha * (1 + _CLOSE):
        yield f"error probabilities that add up to {sum(errors):g}, beyond the alpha of the audit, {alpha:g}"
    if share is None:
        return
    if any(not isclose(error, share, rel_tol=_CLOSE) for error in errors):
        yield f"an error probability that is not the share of one test, {share:g}"
    tests, made = alpha / share, sum(map(shares_alpha, found))
    whole = isclose(tests, round(min(tests, 1e9)), rel_tol=_CLOSE)
    # Bets that refute end an audit before its other tests are made.
    ended = whole and made < tests and settings.get("sequential")
    if errors and not (ended or isclose(tests, made, rel_tol=_CLOSE)):
        yield f"alpha, {alpha:g}, in shares of {share:g}, is not that of {made} tests"


def _finding_faults(finding: Finding, settings: Mapping[str, Any]) -> Iterator[str]:
    predicate = predicate_of(finding.claim)
    stands = finding.verdict is Verdict.SURVIVED
    survived = [e for e in finding.evidence if stands and e.verdict is Verdict.SURVIVED and e.resolution]
    # Half the noise of a law that is declared is found by whether the code follows it.
    if not any(e.sentence == "fit" and e.resolution and e.resolution.half for e in survived):
        for e in survived:
            missed = e.resolution and not e.resolution.half and e.resolution.limit is None
            if missed and e.kind == "attack" and e.sentence != "bytes":
                yield f"{e.check}: survived, and half the noise would have been missed"
    for evidence in finding.evidence:
        for fault in (
            *_check_faults(evidence, predicate, settings),
            *bound_faults(evidence, predicate),
            *derivation_faults(evidence, predicate),
        ):
            yield f"{evidence.check}: {fault}"


def _check_faults(evidence: Evidence, predicate: Predicate, settings: Mapping[str, Any]) -> Iterator[str]:
    """What a check with this name can say, and must show."""
    check = known(evidence)
    if evidence.verdict is Verdict.PROVED and evidence.kind != "proof":
        yield f"proved by a {evidence.kind}, which proves nothing"
        return
    if check is None:
        of = "is no check of an audit" if evidence.check not in CHECKS else "says no such thing"
        yield f"it {of}: {evidence.kind}, {evidence.sentence}, {evidence.verdict.name}"
        return
    if (evidence.verdict is Verdict.REFUTED) is not bool(evidence.witness):
        yield (
            "refuted without a witness"
            if not evidence.witness
            else "a witness that refutes, and no refutation"
        )
    try:
        str(evidence.detail)
    except (TypeError, ValueError, LookupError):
        yield "its numbers are not those of this check"
    if evidence.witness and evidence.witness.get("kind") not in check.witnesses.split(", "):
        yield f"its witness is of a kind that it does not find, {str(evidence.witness.get('kind'))[:80]!r}"
    if evidence.error and not check.statistical:
        yield "an error probability of what is exact"
    if check.statistical and not evidence.error and evidence.check not in MAY_BE_EXACT:
        yield "a statistical test without an error probability"
    if evidence.resolution:
        yield from _power(evidence, evidence.resolution)
    if evidence.verdict is Verdict.SURVIVED:
        yield from _survival(evidence, check, predicate, settings)


def _power(evidence: Evidence, found: Resolution) -> Iterator[str]:
    """A survival would have found half the noise, or half the noise still meets its claim; what needs samples is open."""
    powerless, loose = found.samples is not None, found.limit is not None
    if powerless + loose + found.half > 1:
        yield "its resolution contradicts itself"
    if evidence.verdict is not (Verdict.UNDECIDED if powerless else Verdict.SURVIVED):
        of = "one that would miss half the noise" if powerless else "that of a survival"
        yield f"{evidence.verdict.name.lower()}, and its resolution is {of}"


def _survival(
    evidence: Evidence, check: Known, predicate: Predicate, settings: Mapping[str, Any]
) -> Iterator[str]:
    """An attack that did nothing is survived by everything."""
    m = evidence.measured
    if evidence.reason or not any(all(_measured(m, name) for name in one.split()) for one in check.shows):
        yield "survived, and its numbers do not say what was tried"
        return
    if evidence.kind == "attack" and settings["samples"] < _FEWEST:
        yield f"survived at {settings['samples']} samples, fewer than any audit takes"
    drawn = m.samples[0] if evidence.check in _DRAW_ALL else settings["samples"]
    # Only a budget in seconds ends before all samples are drawn.
    few = settings.get("seconds") is None and drawn < settings["samples"] / 2
    if drawn > settings["samples"] or few:
        yield f"it speaks of {drawn:,} outcomes, the settings of {settings['samples']:,}"
    if not compares_with_claim(evidence, predicate):
        yield "its numbers compare with one that is not the claim's"
    least, most = _sides(evidence, predicate)
    stands = (
        m.p is None or (m.tests or 1) * m.p >= evidence.error * (1 - _CLOSE),
        least * (1 - _NUMERIC) <= most,
        (m.excess or 0) <= _CLOSE,
        (m.gap or 0) <= _NUMERIC,
        m.capital is None or m.capital <= (m.needed or 0) * (1 + _CLOSE),
    )
    if not all(stands):
        yield "survived, and what it measured breaks the claim"


def _measured(measured: Measured, name: str) -> bool:
    """Whether there is such a number: an attack on no outcome, or by no test, was none."""
    value = getattr(measured, name)
    if name == "samples":
        return bool(value) and 0 not in value
    return value not in ((None, "", [], 0) if name in _HOW_MANY else (None, "", []))


def _sides(evidence: Evidence, predicate: Predicate) -> tuple[float, float]:
    """What a survival says is at most something, and that."""
    m = evidence.measured
    if m.claimed is None or evidence.check in (*BOUNDING, "components"):
        return 0.0, 0.0
    # The first adversary is the unbiased one.
    found = m.rows[0].value + m.rows[0].half if m.rows else nan if m.found is None else m.found
    of_errors = isinstance(predicate, ErrorBound) and evidence.check in _OF_ERRORS
    return (m.claimed, found) if of_errors else (found, m.claimed)
