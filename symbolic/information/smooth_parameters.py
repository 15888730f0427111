"""Whether parameters enter smoothly, for all values that they may have: what a lemma on a named family takes for granted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import sympy as sp

from ..laws.differentiability import NotDifferentiableError, Place, Support
from ..laws.domains import Domains, inside, positive_within
from ..laws.joint import JointLaw
from ..laws.law import Law
from ..laws.vector_forms import Multinomial


def doubt_of_smoothness(law: Law | JointLaw, parameters: Sequence[sp.Symbol]) -> str | None:
    """Why it is not proved that the formulas of a law are differentiable in its parameters; None where it is proved.

    Parameters lie where their symbols and the domains of the law say.  Of a vector, what a logarithm is taken of is a
    probability or a density, and counts as positive.
    """
    if isinstance(law, Law):
        return _doubt([law.density], parameters, law.domains, (law.variable, law.support))
    formulas = [e for matrix in (law.mean, law.covariance) if matrix is not None for e in matrix]
    if law.log_density is not None:
        formulas.append(law.log_density.replace(sp.log, lambda x: x))
    doubts = [_doubt(formulas, parameters, law.domains), doubt_of_vector(law)]
    doubts += [
        doubt_of_smoothness(part, [p for p in parameters if p in part.free_symbols]) for part in law.parts
    ]
    return next((d for d in doubts if d is not None), None)


def _doubt(
    formulas: Iterable[sp.Expr],
    parameters: Sequence[sp.Symbol],
    domains: Domains,
    line: tuple[sp.Symbol, Support] | None = None,
) -> str | None:
    if not parameters:
        return None
    known = set(parameters).union(*(e.free_symbols for _, *ends in domains for e in ends))
    changes = {s: inside(lower, upper, s.name) for s, lower, upper in domains}
    fresh = [next(iter(changes[p].free_symbols - known)) if p in changes else p for p in parameters]
    place = Place.of(fresh, {})
    if line is not None:
        variable, (lower, upper) = line
        place = replace(place, variable=variable, support=(lower.subs(changes), upper.subs(changes)))
    try:
        for formula in formulas:
            place.form(formula.subs(changes))
    except NotDifferentiableError as doubt:
        return f"differentiability in the parameters is not proved: {doubt}"
    return None


def doubt_of_vector(law: JointLaw) -> str | None:
    """Why a vector's probabilities or covariance are not proved to be those of a law, for all parameters; None where they are."""
    ask = 'say where the parameters lie, domains={"p": (0, 1)}'
    if isinstance(law.form, Multinomial):
        for p in law.form.probabilities:
            if not positive_within(p, law.domains):
                return f"that the probability {p} is positive is not proved: {ask}"
    if law.covariance is not None:
        covariance = sp.Matrix(law.covariance)
        for k in range(1, covariance.shape[0] + 1):
            if not positive_within(covariance[:k, :k].det(), law.domains):
                return f"that the covariance is positive definite is not proved: {ask}"
    return None
