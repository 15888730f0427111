"""Whether a derivation proves the claim beside it: steps that hold, none of them false, one that compares with its number."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from math import inf, isclose
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...symbolic.arrays import Floats
from ...symbolic.predicates import ErrorBound, FisherInformation, Predicate
from ...symbolic.privacy.guarantees import Guarantee
from ...symbolic.proof.kernel.documents import untied
from ...symbolic.proof.kernel.proof import REJECTED
from ...symbolic.proof.kernel.proof import answer as kernel_answer
from ...symbolic.proof.proofs.stated import strays
from ...symbolic.proof.reading import share
from ...symbolic.proof.written_constant import certainty, enclosed
from ...symbolic.stated_formula import StatedFormula
from ...symbolic.stated_optima import Minimiser, OptimalValue, SensitivityBound
from .evidence import Evidence, Verdict

_MOST_STEPS, _MOST_TEXT = 20_000, 1_000_000  # of a file, and the characters of their sides
_CLOSE = 1e-9  # relative: a claim's numbers are read to twelve digits
_SHOWN = 12  # entries of an information of which a derivation has steps

_certainty = lru_cache(maxsize=4096)(certainty)


def too_much(derivations: Iterable[Sequence[Mapping[str, Any]]]) -> bool:
    """Whether a file has more steps than any proof has, or longer ones: none of them is looked at then."""
    sides = [len(step["left"]) + len(step["right"]) for steps in derivations for step in steps]
    return len(sides) > _MOST_STEPS or sum(sides) > _MOST_TEXT


def loose_ends(finding: Mapping[str, Any]) -> Iterator[str]:
    """The derivations of a finding, as a file states it, that are not known to be of its claim."""
    for evidence in finding["evidence"]:
        if why := untied(finding, evidence):
            yield f"finding {finding['id']}, {evidence['check']}: {why}"


def derivation_faults(evidence: Evidence, predicate: Predicate) -> Iterator[str]:
    """What is wrong with the steps of one piece of evidence."""
    found = [*step_faults(evidence.derivation, evidence.verdict)]
    yield from found
    if evidence.verdict is not Verdict.PROVED or found:
        return
    holding = [step for step in evidence.derivation if step["truth"] == "holds"]
    if not evidence.derivation:
        yield "proved without a derivation"
    elif not _decided(evidence, holding, predicate):
        yield "proved, but no step of its derivation compares with what is claimed"


def step_faults(steps: Sequence[Mapping[str, Any]], verdict: Verdict) -> Iterator[str]:
    """Steps that are said to hold and do not, and proofs that do not rest on steps that were checked."""
    for step in steps:
        known = _certainty(step["left"], step["relation"], step["right"])
        if (step["truth"], known) in (("holds", False), ("fails", True)):
            said = (
                "a step is said to hold and is false"
                if known is False
                else "a step is said to fail and is true"
            )
            yield f"{said}: {step['left'][:60]} {step['relation']} {step['right'][:60]}"
        if step["truth"] == "holds" and not (step["left"] and step["relation"] and step["right"]):
            yield f"a step is said to hold and says nothing: {step['reason'][:80]}"
        proof = step.get("proof")
        if proof and step["truth"] == "holds" and (said_no := kernel_answer(proof)).word == REJECTED:
            yield f"the kernel rejects the proof of a step: {step['reason'][:80]}: {said_no.why[:120]}"
        if proof and strays(step):
            yield f"the proof of a step is of something else than is printed: {step['reason'][:80]}"
    if verdict is not Verdict.PROVED:
        return
    broken = [step for step in steps if step["truth"] not in ("holds", "cited")]
    if broken:
        yield f"proved, but a step does not hold: {broken[0]['reason']}"
    elif steps and not any(step["truth"] == "holds" for step in steps):
        yield "proved, but every step is cited and none was checked"


def _decided(evidence: Evidence, holding: list[dict[str, Any]], predicate: Predicate) -> bool:
    if evidence.check == "compression guarantee":
        # Its bound is a number beside the steps, which hold for all alphas.
        found, claimed = evidence.measured.found, predicate.parameters().get("epsilon", -inf)
        return found is not None and found <= claimed * (1 + _CLOSE)
    if isinstance(predicate, Minimiser):
        # Its last step: the value at the point is at most what bounds every feasible value from below.
        return bool(holding) and holding[-1]["relation"] == "<="
    if isinstance(predicate, SensitivityBound):
        return any(step["relation"] == "<=" and step["right"] == predicate.value for step in holding)
    if isinstance(predicate, OptimalValue):
        told = predicate.value if predicate.tolerance == "0" else predicate.tolerance
        return any(step["relation"] in ("=", "<=") and step["right"] == told for step in holding)
    formula = stated_formula(predicate)
    if formula is not None:
        # Only sympy compares formulas: here it is seen that each claimed entry is one side of a step that holds.
        relation = "=" if isinstance(predicate, FisherInformation) else ">="
        texts = {formula.entries[i][j] for i in range(len(formula.entries)) for j in range(i + 1)}
        return texts <= {step["right"] for step in holding if step["relation"] == relation}
    if isinstance(predicate, FisherInformation):
        matrix = predicate.matrix()
        shown = ((i, j) for i in range(len(matrix)) for j in range(i + 1))
        entries = np.array([matrix[place] for place in islice(shown, _SHOWN)])
        return bool(np.any([_reads(step, entries) for step in holding], axis=0).all())
    # A loss that is at most epsilon needs no delta; that one is larger refutes no claim that has one.
    losses = [predicate.parameters().get("epsilon")] if isinstance(predicate, Guarantee) else []
    return any(
        compares(step, predicate)
        or any(
            step["relation"] == "<=" and isclose(number_in(step["right"]), x, rel_tol=_CLOSE)
            for x in losses
            if x
        )
        for step in holding
    )


def compares(step: Mapping[str, Any], predicate: Predicate) -> bool:
    """Whether a comparison of two constants is the one of the claim: its relation, and the number on its right."""
    if stated_formula(predicate) is not None:
        return False
    if isinstance(predicate, FisherInformation):
        return bool(_reads(step, predicate.matrix().ravel()).any())
    right, said = number_in(step["right"]), predicate.parameters()
    relation = ">=" if isinstance(predicate, ErrorBound) else said.get("relation", "<=")
    if isinstance(predicate, Guarantee):
        return bool(step["relation"] == relation) and predicate.compares_with(right)
    return bool(step["relation"] == relation) and isclose(right, said["value"], rel_tol=_CLOSE)


def stated_formula(predicate: Predicate) -> StatedFormula | None:
    """The formula of a claim about all parameters of a law; None of a claim of numbers."""
    return predicate.formula if isinstance(predicate, FisherInformation | ErrorBound) else None


def _reads(step: Mapping[str, Any], entries: Floats) -> NDArray[np.bool_]:
    """Of which entries a step is |value - entry| <= a share of the larger of the two: each gives two values of that size.

    The share is the rounding of the entry's digits; certificates from before 0.2 have 1e-12.
    """
    right, gap = number_in(step["right"]), np.nan_to_num(number_in(step["left"]))
    found = np.zeros(len(entries), dtype=bool)
    for shares in (np.array([float(share(x)) for x in entries]), 1e-12):
        for move in (gap, -gap):
            sizes = shares * np.maximum(np.abs(entries), np.abs(entries + move))
            found |= np.isclose(sizes, right, rtol=_CLOSE, atol=0)
    return np.asarray(found & (step["relation"] == "<="), dtype=bool)


def number_in(value: Any) -> float:
    """A number as JSON has it, or an exact one in text; NaN for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return float("nan")
    if not isinstance(value, str):
        return float(value)
    if value == "oo":
        return inf
    ball = enclosed(value)
    return float("nan") if ball is None else float(ball)
