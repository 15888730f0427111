"""What a pass does not mean, computed from the claim."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from ...mechanisms.black_box import BlackBox
from ...mechanisms.family import Family
from ...symbolic.claim import Claim
from ...symbolic.predicates import ErrorBound, FisherInformation
from ...symbolic.privacy.guarantees import Guarantee
from .evidence import Evidence, Verdict, disagreements


def caveats(claim: Claim, evidence: tuple[Evidence, ...]) -> tuple[str, ...]:
    """Sentences that a reader of this finding must not miss."""
    out = alarms(claim.expect, evidence)
    if isinstance(claim.predicate, ErrorBound) and claim.predicate.adversary in ("unbiased", "informed"):
        out += _empty_against(claim.predicate, claim.subject)
        what = "parameter" if isinstance(claim.subject, Family) else "record"
        out.append(
            f"the bound speaks of adversaries who are unbiased to first order at the true {what}; an adversary with prior knowledge is not"
        )
    if isinstance(claim.predicate, Guarantee):
        out += _far_apart(claim)
    survived = any(e.verdict is Verdict.SURVIVED and e.sentence == "code" for e in evidence)
    if isinstance(claim.predicate, Guarantee) and survived:
        out.append(
            "a survival covers the tested neighbours and events only, down to the stated resolution; it proves nothing about the code"
        )
    if isinstance(claim.predicate, FisherInformation) and survived:
        out.append(
            "outcomes bound the information of code from below only: the code may have less than is claimed"
        )
    if any(e.check == "components" and e.verdict in (Verdict.SURVIVED, Verdict.REFUTED) for e in evidence):
        out.append("the components check assumes the declared shape of the noise, tails included")
    return tuple(out)


def alarms(expect: str, evidence: tuple[Evidence, ...]) -> list[str]:
    """Those that follow from the evidence alone, and belong beside the verdict."""
    return [*disagreements(evidence), *(_strays(evidence) if expect == "holds" else ())]


def _empty_against(predicate: ErrorBound, subject: Any) -> list[str]:
    """Whether someone who ignores the release does better than the bound says anybody can."""
    if subject is None or predicate.formula is not None:
        return []
    pi = 1.0 if predicate.weight is None else np.diag(np.asarray(predicate.weight, dtype=float))
    out: list[str] = []
    domain = subject.domain
    if domain is not None:
        half = (np.asarray(domain[1], dtype=float) - np.asarray(domain[0], dtype=float)) / 2
        midpoint = float(np.sum(pi * half**2))
        comparison = f"someone who knows the ranges and always answers the midpoint has a squared error of at most {midpoint:.4g}"
        if predicate.value >= midpoint:
            out.append(
                f"EMPTY against those who know the ranges: the bound is {predicate.value:.4g}, but {comparison} without looking at the release"
            )
        else:
            out.append(
                f"not empty against those who know the ranges only: the bound is {predicate.value:.4g}, and {comparison}"
            )
    records = subject.records
    if records is not None:
        spread = float(np.sum(pi * np.asarray(records, dtype=float).var(axis=0)))
        word = "EMPTY on average" if predicate.value >= spread else "not empty on average"
        out.append(
            f"{word}: someone who always answers the average record has a mean squared error of {spread:.4g} over this table"
        )
    return out


def _far_apart(claim: Claim) -> Iterator[str]:
    """Where the inputs of a black box differ in more entries than the stated adjacency lets records differ."""
    stated = next((word for word in ("replace-one", "add-or-remove") if word in claim.scope.adjacency), "")
    if not stated or claim.scope.unit not in ("", "record") or not isinstance(claim.subject, BlackBox):
        return
    for pair in claim.subject.neighbours():
        if all(isinstance(x, list | tuple | np.ndarray) for x in pair):
            one, two = (Counter(map(repr, x)) for x in pair)
            most = max((one - two).total(), (two - one).total())
            if most > 1:
                yield f"the inputs differ in {most} entries: if these are records, they are no neighbours under {stated}, and no verdict here is about it"
                return


def _strays(evidence: tuple[Evidence, ...]) -> list[str]:
    """Where a proved law stands beside code that is refuted, the law needs no other noise: the code is to be mended."""
    law = {e.verdict for e in evidence if e.sentence == "law"}
    fallen = {e.sentence: e.check for e in evidence if e.verdict is Verdict.REFUTED}
    if Verdict.PROVED not in law or "law" in fallen or not fallen:
        return []
    if "fit" in fallen:
        where = "see fit for what differs; draw what is declared, or declare what is drawn"
    elif "code" in fallen:
        where = f"fit saw no difference, see the event of {fallen['code']} for the outcomes on which it does, and fix the code"
    else:
        where = f"in the bytes only, see {fallen['bytes']}; release whole multiples of a grid, on which the noise is drawn"
    return [f"the declared law has the property, the code deviates from that law: {where}"]
