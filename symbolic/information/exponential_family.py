"""The information of an exponential family without any integral: the scores have mean zero, and that gives the means they need.

Where each score is a sum of functions of the outcome times functions of the parameters, the equations E[score] = 0 are linear in
the means of these functions.  If they have one solution, minus the expected second derivative is known with it.
Lehmann and Casella 1998, theorem 1.5.8 (differentiation under the integral) and 2.5 (information in exponential families).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sympy as sp

from ..laws.joint import JointLaw
from ..laws.law import Law, smooth_derivative, without_poles
from ..proof.as_written import product, total, weighted
from ..proof.derivation import Derivation, Step

FAMILY = "an exponential family on a support that does not move"
LEMMA = (
    "exponential families may be differentiated under the integral in the interior of their parameter space"
    " (Lehmann and Casella 1998, theorem 1.5.8)"
)


@dataclass(frozen=True)
class Separated:
    """The scores, slopes of the log density `formula`, as slopes @ statistics + offsets: slopes (k, m) and offsets (k, 1) are free of the outcome."""

    formula: sp.Expr
    scores: tuple[sp.Expr, ...]
    statistics: tuple[sp.Expr, ...]
    slopes: sp.Matrix
    offsets: sp.Matrix

    def row(self, i: int, values: Sequence[sp.Expr]) -> sp.Expr:
        """Score i where the statistics have these values."""
        return sp.Add(*(a * t for a, t in zip(self.slopes.row(i), values, strict=True))) + self.offsets[i]

    def written(self, i: int) -> sp.Expr:
        """Score i as the sum of slopes times statistics and an offset."""
        parts = [weighted(a, t) for a, t in zip(self.slopes.row(i), self.statistics, strict=True) if a != 0]
        return total(*parts, self.offsets[i])


def separated(law: Law | JointLaw, parameters: Sequence[sp.Symbol]) -> Separated | None:
    """The scores of a law on a fixed support, taken apart; None if outcome and parameters do not separate."""
    if isinstance(law, JointLaw):
        formula, variables = law.log_density, law.variables
    else:
        kinks = law.density.atoms(sp.Abs, sp.Piecewise, sp.Max, sp.Min)
        moving = any(part.has(*parameters) for part in (*law.support, *kinks))
        formula, variables = None if moving else law.log_density(), (law.variable,)
    if formula is None:
        return None
    scores = [smooth_derivative(formula, p) for p in parameters]
    rows: list[dict[sp.Expr, sp.Expr]] = []
    for score in scores:
        row: dict[sp.Expr, sp.Expr] = {}
        for term in sp.Add.make_args(_expanded(score)):
            factor, statistic = term.as_independent(*variables, as_Add=False)
            if statistic.free_symbols & set(parameters):
                return None
            row[statistic] = row.get(statistic, sp.Integer(0)) + factor
        rows.append({t: f for t, f in row.items() if sp.simplify(f) != 0})
    found = tuple(sorted({t for row in rows for t in row} - {sp.Integer(1)}, key=sp.default_sort_key))
    zero = sp.Integer(0)
    return Separated(
        formula,
        tuple(scores),
        found,
        sp.Matrix([[row.get(t, zero) for t in found] for row in rows]),
        sp.Matrix([row.get(sp.Integer(1), zero) for row in rows]),
    )


def _expanded(score: sp.Expr) -> sp.Expr:
    """Logarithms of products, sines of sums and powers of sums taken apart."""
    return sp.expand(sp.expand_trig(sp.expand_log(sp.expand(score), force=True)), log=True, force=True)


def of_exponential_family(
    law: Law | JointLaw, parameters: Sequence[sp.Symbol]
) -> tuple[sp.ImmutableMatrix, Derivation] | None:
    """The information matrix (k, k) and how it comes about; None if the law is no such family or its means are not determined."""
    apart = separated(law, parameters)
    if apart is None or not apart.statistics or apart.slopes.rank() < len(apart.statistics):
        return None
    k = len(parameters)
    solved = apart.slopes.gauss_jordan_solve(-apart.offsets)[0] if k else None
    assert solved is not None
    means = solved.applyfunc(sp.simplify)
    value = sp.ImmutableMatrix(k, k, lambda i, j: _curvature(apart, means, parameters, i, j))
    if value.has(sp.Derivative, sp.Subs):
        return None
    steps = [
        Step(sp.Derivative(apart.formula, p), "=", apart.written(i), f"the score of {p}, term by term")
        for i, p in enumerate(parameters)
    ]
    steps += [
        Step(
            _unsummed(apart, i, means),
            "=",
            sp.Integer(0),
            f"the score of {p} has mean zero: {_said(apart.statistics, means)}",
        )
        for i, p in enumerate(parameters)
    ]
    steps += [_either_way(apart, means, parameters, i, j) for i in range(k) for j in range(i)]
    names = ", ".join(map(str, parameters))
    return value, Derivation(f"the Fisher information of {law.name} about {names}", tuple(steps), (LEMMA,))


def _curvature(
    apart: Separated, means: sp.Matrix, parameters: Sequence[sp.Symbol], i: int, j: int
) -> sp.Expr:
    """Minus the mean of the derivative of score i in parameter j."""
    moved = [sp.diff(apart.slopes[i, t], parameters[j]) * means[t] for t in range(len(means))]
    return without_poles(-sp.Add(*moved) - sp.diff(apart.offsets[i], parameters[j]), apart.formula)


def _either_way(apart: Separated, means: sp.Matrix, parameters: Sequence[sp.Symbol], i: int, j: int) -> Step:
    """Minus the mean derivative of score i in parameter j as it is written, and of score j in parameter i as it was found."""
    a, b = parameters[i], parameters[j]
    moved = [
        product(-1, sp.Derivative(apart.slopes[i, t], b), means[t])
        for t in range(len(means))
        if apart.slopes[i, t].has(b)
    ]
    moved += [product(-1, sp.Derivative(apart.offsets[i], b))] if apart.offsets[i].has(b) else []
    if not moved:
        return Step(
            sp.Derivative(apart.formula, a, b), "=", sp.Integer(0), f"{a} and {b} stand in separate terms"
        )
    reason = f"the mixed second derivatives in ({a}, {b}) and ({b}, {a}) have the same mean"
    return Step(total(*moved), "=", _curvature(apart, means, parameters, j, i), reason)


def _unsummed(apart: Separated, i: int, means: sp.Matrix) -> sp.Expr:
    """The mean of score i as the sum that it is, so that a step shows what adds up to zero."""
    terms = [apart.slopes[i, t] * m for t, m in enumerate(means)] + [apart.offsets[i]]
    return sp.Add(*(t for t in terms if t != 0), evaluate=False)


def _said(statistics: Sequence[sp.Expr], means: sp.Matrix) -> str:
    return ", ".join(f"E[{sp.sstr(t)}] = {sp.sstr(m)}" for t, m in zip(statistics, means, strict=True))
