"""Whether evidence is about the claim beside which it stands: its key, what its witness names, and the numbers in that."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from math import isclose
from typing import Any

import numpy as np

from ...symbolic.predicates import ErrorBound, FisherInformation, Limit, Predicate
from ...symbolic.privacy.guarantees import GUARANTEES, Guarantee
from ...symbolic.proof.enclosure import enclose
from ...symbolic.proof.expressions import parse
from .certificate import Finding
from .evidence import Evidence
from .unstamped import must_name, quotes_another

_OTHER_PREDICATES: dict[str, Callable[..., Predicate]] = {
    kind.__name__: kind for kind in (FisherInformation, ErrorBound, Limit)
}
_CLOSE = 1e-9  # relative: a claim's numbers are read to twelve digits


def other_claims(finding: Finding, stamped: bool, naming: bool) -> Iterator[str]:
    """What stands in a finding and is about another claim.

    `stamped` says that all evidence must carry the key of its claim, `naming` that every witness must name it.
    """
    claim = finding.claim
    predicate = claimed_predicate(claim)
    if predicate is not None and claim["sentence"] != predicate.sentence():
        yield f"claim: its sentence does not say its numbers, {predicate.sentence()!r} would"
    for evidence in finding.evidence:
        faults = (*_of_key(evidence, claim, stamped), *witness_faults(evidence, claim, predicate, naming))
        yield from (f"{evidence.check}: {fault}" for fault in faults)


def claimed_predicate(claim: Mapping[str, Any]) -> Predicate | None:
    """The predicate of a claim that is read; None for one of a user's own, whose numbers are not known here."""
    kind = GUARANTEES.get(claim["predicate"]) or _OTHER_PREDICATES.get(claim["predicate"])
    return None if kind is None else kind(**claim["parameters"])


def _of_key(evidence: Evidence, claim: Mapping[str, Any], stamped: bool) -> Iterator[str]:
    """The key, and the words beside it: a statement that people read must not quote another claim."""
    quoted = quotes_another(evidence.statement, claim["sentence"])
    if quoted is not None:
        yield f"it is about another claim ({quoted[:80]})"
    if evidence.claim is not None:
        for key, value in vars(evidence.claim).items():
            if value != claim[key]:
                yield f"it is about another claim ({key} {str(value)[:80]})"
    elif stamped:
        yield "it does not say which claim it is about"


def witness_faults(
    evidence: Evidence, claim: Mapping[str, Any], predicate: Predicate | None, naming: bool
) -> Iterator[str]:
    """Why the witness of this evidence does not break this claim, whatever its own numbers say."""
    witness = evidence.witness
    if not isinstance(witness, Mapping):
        return
    for key in ("predicate", "parameters"):
        if key in witness:
            if witness[key] != claim[key]:
                yield f"its witness is about another claim ({key} {str(witness[key])[:80]})"
        elif naming or must_name(witness):
            yield f"its witness does not say which claim it breaks ({key} is missing)"
    if predicate is not None and not _numbers_match(witness, predicate):
        yield "its witness compares with a number that is not the claim's"
    if not _stands_in_derivation(witness, evidence, predicate):
        yield "its witness is no step of its derivation that fails"


def _numbers_match(witness: Mapping[str, Any], predicate: Predicate) -> bool:
    """Whether what a witness compares with is what the claim says; True for the kinds that hold no such number."""
    kind = witness.get("kind")
    if kind == "inequality":
        return _right_side(witness, predicate)
    if kind in ("profile", "grid profile", "product profile"):
        if not isinstance(predicate, Guarantee):
            return False
        return predicate.allows_at(_number(witness["epsilon"]), _number(witness["claimed"]))
    if kind in ("information", "shape"):
        if not isinstance(predicate, FisherInformation):
            return False
        matrix = predicate.matrix()
        if kind == "shape":
            return bool(witness["claimed"] == list(matrix.shape))
        # Large matrices are compared by their traces.
        found = np.asarray(witness["claimed"], dtype=float)
        return np.array_equal(found, matrix if found.ndim else np.trace(matrix))
    if kind == "log-density ratio of compressions":
        point = predicate.point() if isinstance(predicate, Guarantee) else None
        if point is None or point[1] > 0:
            return False
        return isclose(_number(witness["alpha"]), point[0], rel_tol=_CLOSE)
    return True


def _right_side(witness: Mapping[str, Any], predicate: Predicate) -> bool:
    """Whether a comparison of two constants is the one of the claim: its relation, and the number on its right."""
    right, said = _number(witness["right"]), predicate.parameters()
    relation = ">=" if isinstance(predicate, ErrorBound) else said.get("relation", "<=")
    if isinstance(predicate, Guarantee):
        return bool(witness["relation"] == relation) and predicate.compares_with(right)
    numbers = [said["value"]]
    if isinstance(predicate, FisherInformation):
        # |value - claimed| <= 1e-12 of the larger of the two: each claimed entry gives two values.
        gap, entries = _number(witness["left"]), predicate.matrix().ravel().tolist()
        numbers = [1e-12 * max(abs(x), abs(x + move)) for x in entries for move in (gap, -gap)]
    return witness["relation"] == relation and any(isclose(right, x, rel_tol=_CLOSE) for x in numbers)


def _stands_in_derivation(
    witness: Mapping[str, Any], evidence: Evidence, predicate: Predicate | None
) -> bool:
    """Whether a failing comparison is a step of the derivation beside it."""
    failing = [step for step in evidence.derivation if step["truth"] == "fails"]
    if witness.get("kind") in ("grid profile", "product profile"):
        return any(step["right"] == witness["claimed"] for step in failing)
    # Of the entries of an information only the first ones are shown.
    if witness.get("kind") != "inequality" or (isinstance(predicate, FisherInformation) and not failing):
        return True
    sides = ("left", "relation", "right")
    return any(all(step[side] == witness[side] for side in sides) for step in failing)


def _number(value: Any) -> float:
    """A number as JSON has it, or an exact one in text; a claim's own is rational and may have many digits."""
    if not isinstance(value, str) or value == "oo":
        return float("inf" if value == "oo" else value)
    exact = re.fullmatch(r"-?\d+(?:/\d+)?", value, re.ASCII)
    return float(Fraction(value) if exact else enclose(parse(value, characters=20_000)))
