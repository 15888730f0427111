"""Whether evidence is about the claim beside which it stands: its key, what its witness names, and the numbers in that."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import isclose
from typing import Any

import numpy as np
import sympy as sp

from ...symbolic.errors import nearest_name
from ...symbolic.predicates import TRUE_OF_ALL, ErrorBound, FisherInformation, Limit, Predicate, RecordedPrior
from ...symbolic.privacy.guarantees import GUARANTEES, Guarantee
from ...symbolic.proof.enclosure import enclose, is_zero
from ...symbolic.proof.expressions import parse
from ...symbolic.proof.truth import Truth
from ...symbolic.stated_formula import StatedFormula, read_entry
from ...symbolic.stated_optima import Minimiser, OptimalValue, SensitivityBound
from .derivation_match import compares, number_in, stated_formula
from .evidence import Evidence, Verdict
from .finding import Finding
from .plain import plain, same_data

_OTHER_PREDICATES: dict[str, Callable[..., Predicate]] = {
    kind.__name__: kind
    for kind in (FisherInformation, ErrorBound, Limit, SensitivityBound, Minimiser, OptimalValue)
}
_LONGEST = 1_000_000  # characters of the numbers of a claim
_CLOSE = 1e-9  # relative: a claim's numbers are read to twelve digits


def predicate_of(claim: Mapping[str, Any]) -> Predicate:
    """The predicate that a claim records; ValueError if none is known by its name, or it is not as it is recorded."""
    name, said = claim["predicate"], claim["parameters"]
    known: dict[str, Callable[..., Predicate]] = {**_OTHER_PREDICATES, **GUARANTEES}
    if name not in known:
        raise ValueError(
            f"no predicate {name[:80]!r} is known here: {nearest_name(name[:80], known)}; a guarantee of your own is read in "
            "Python, after the import of the module that registers it"
        )
    if len(str(said)) > _LONGEST:
        raise ValueError(f"the claim is none: {name} of more numbers than any claim has")
    prior = said.get("prior") if isinstance(said, Mapping) else None
    try:
        predicate = known[name](**(said if prior is None else {**said, "prior": RecordedPrior(prior)}))
    except (TypeError, ValueError, ArithmeticError, LookupError) as error:
        raise ValueError(f"the claim is none: {name} of {str(said)[:80]}: {str(error)[:200]}") from None
    if not same_data(plain(predicate.parameters()), said):
        raise ValueError(f"the claim is not as it is recorded: {name} of {str(said)[:80]}")
    return predicate


def other_claims(finding: Finding) -> Iterator[str]:
    """What stands in a finding and is about another claim."""
    claim = finding.claim
    predicate = predicate_of(claim)
    if claim["sentence"] != predicate.sentence():
        yield f"claim: its sentence does not say its numbers, {predicate.sentence()!r} would"
    if predicate.vacuous() and finding.verdict > Verdict.UNDECIDED:
        yield f"claim: nothing supports what is {TRUE_OF_ALL}{predicate.vacuous()}"
    for evidence in finding.evidence:
        faults = (*_of_key(evidence, claim), *witness_faults(evidence, claim, predicate))
        yield from (f"{evidence.check}: {fault}" for fault in faults)


def _of_key(evidence: Evidence, claim: Mapping[str, Any]) -> Iterator[str]:
    """The key of the claim."""
    for key, value in vars(evidence.claim).items() if evidence.claim else ():
        if value != claim[key]:
            yield f"it is about another claim ({key} {str(value)[:80]})"


def compares_with_claim(evidence: Evidence, predicate: Predicate) -> bool:
    """Whether the number beside what was found is the claim's; True where there is none, or a formula has to give it."""
    m, value = evidence.measured, None
    if evidence.check == "information along a path":
        return m.claimed == 1  # in units of what is claimed
    if m.claimed is None or stated_formula(predicate) is not None:
        return True
    if isinstance(predicate, SensitivityBound):
        value = float(enclose(predicate.number).mid())
    elif isinstance(predicate, ErrorBound):
        value = predicate.value
    elif isinstance(predicate, FisherInformation):
        entries = np.diag(predicate.matrix())
        value = float(entries[m.entry - 1]) if m.entry is not None and 0 < m.entry <= len(entries) else None
    elif m.epsilon is not None and isinstance(predicate, Guarantee):
        return evidence.check == "components" or predicate.allows_at(m.epsilon, m.claimed)
    return value is None or isclose(m.claimed, value, rel_tol=_CLOSE)


def witness_faults(evidence: Evidence, claim: Mapping[str, Any], predicate: Predicate) -> Iterator[str]:
    """Why the witness of this evidence does not break this claim, whatever its own numbers say."""
    witness = evidence.witness
    if not isinstance(witness, Mapping):
        return
    for key in ("predicate", "parameters"):
        if key in witness:
            if witness[key] != claim[key]:
                yield f"its witness is about another claim ({key} {str(witness[key])[:80]})"
        else:
            yield f"its witness does not say which claim it breaks ({key} is missing)"
    try:
        if not _numbers_match(witness, predicate):
            yield "its witness compares with a number that is not the claim's"
        if not _stands_in_derivation(witness, evidence, predicate):
            yield "its witness is no step of its derivation that fails"
    except (LookupError, TypeError, ValueError) as error:
        yield f"its witness was cut or edited: {type(error).__name__}: {error!s:.80}"


def _numbers_match(witness: Mapping[str, Any], predicate: Predicate) -> bool:
    """Whether what a witness compares with is what the claim says; True for the kinds that hold no such number."""
    kind = witness.get("kind")
    formula = stated_formula(predicate)
    if kind == "formula at a point":
        return formula is not None and _of_formula(witness, formula)
    if kind == "optimal value":
        return isinstance(predicate, OptimalValue) and witness["claimed"] == predicate.value
    if kind == "worse pair":
        if not isinstance(predicate, SensitivityBound):
            return False
        return bool(witness["norm"] == predicate.norm and witness["claimed"] == predicate.value)
    if kind == "better point":
        return isinstance(predicate, Minimiser) and _of_point(witness, predicate)
    if kind == "better function":
        return isinstance(predicate, Minimiser) and isinstance(predicate.point, str)
    if kind == "inequality":
        return compares(witness, predicate)
    if kind in ("profile", "grid profile", "product profile", "whole profile"):
        if not isinstance(predicate, Guarantee):
            return False
        return predicate.allows_at(number_in(witness["epsilon"]), number_in(witness["claimed"]))
    if kind in ("information", "shape"):
        if not isinstance(predicate, FisherInformation):
            return False
        if formula is not None and kind == "shape":
            return bool(witness["claimed"] == [len(formula.entries)] * 2)
        if formula is not None:
            return _of_numbers(witness, formula)
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
        return isclose(number_in(witness["alpha"]), point[0], rel_tol=_CLOSE)
    return True


def _of_point(witness: Mapping[str, Any], predicate: Minimiser) -> bool:
    """Whether the point of a witness is the claimed one at its values of the parameters."""
    at = {name: parse(str(value), characters=4_000) for name, value in witness["at"].items()}
    point, said = witness["point"], predicate.point
    if isinstance(said, str):
        said = [said]
    rows = (
        [(text, point[name]) for name, text in said.items()]
        if isinstance(said, Mapping)
        else [*zip(said, point.values(), strict=True)]
    )
    return len(rows) == len(point) and all(
        is_zero(read_entry(text, at) - read_entry(given, at)) is Truth.HOLDS for text, given in rows
    )


def _of_formula(witness: Mapping[str, Any], formula: StatedFormula) -> bool:
    """Whether a witness holds an entry of the formula against something at a point of its domain."""
    symbols = formula.own_symbols
    domain = formula.domain([symbols.get(n, sp.Symbol(n, real=True)) for n, _ in formula.domains])
    at = {name: parse(str(value)) for name, value in witness["at"].items()}
    return domain.contains(at) and any(witness["claimed"] == text for row in formula.entries for text in row)


def _of_numbers(witness: Mapping[str, Any], formula: StatedFormula) -> bool:
    """Whether the claimed numbers of a witness are the formula at the parameters that it names."""
    at = {name: parse(str(value)) for name, value in witness["at"].items()}
    names = formula.own_symbols
    domain = formula.domain([names.get(n, sp.Symbol(n, real=True)) for n, _ in formula.domains])
    if not all(domain.contains({s.name: at[s.name]}, only=True) for s, _ in domain.ends):
        return False
    values = [[float(enclose(e).mid()) for e in row] for row in formula.matrix(at).tolist()]
    found = np.asarray(witness["claimed"], dtype=float)
    return bool(np.allclose(found, values if found.ndim else np.trace(np.array(values)), rtol=_CLOSE, atol=0))


def _stands_in_derivation(witness: Mapping[str, Any], evidence: Evidence, predicate: Predicate) -> bool:
    """Whether a failing comparison is a step of the derivation beside it."""
    failing = [step for step in evidence.derivation if step["truth"] == "fails"]
    if witness.get("kind") == "formula at a point":
        broken = (witness["derived"], witness["relation"], witness["claimed"])
        return any((step["left"], step["relation"], step["right"]) == broken for step in failing)
    if witness.get("kind") in ("grid profile", "product profile", "whole profile"):
        return any(step["right"] == witness["claimed"] for step in failing)
    # Of the entries of an information only the first ones are shown.
    if witness.get("kind") != "inequality" or (isinstance(predicate, FisherInformation) and not failing):
        return True
    sides = ("left", "relation", "right")
    return any(all(step[side] == witness[side] for side in sides) for step in failing)
