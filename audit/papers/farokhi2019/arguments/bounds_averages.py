"""Traces, inverses and weighted means: n^2/J below the mean of Tr(I^-1), at two values of x and in general."""

from __future__ import annotations

import sympy as sp

from .....symbolic.proof.as_written import (
    determinant,
    difference,
    power,
    product,
    quotient,
    root,
    total,
    value_at,
)
from .....symbolic.proof.derivation import Derivation, Step
from .....symbolic.proof.enclosure import compare
from .....symbolic.proof.truth import Truth
from ....dossier.arguments.bounds_arguments import (
    SQUARES,
    by_steps,
    cancelled,
    inverse_of_trace,
    weighted_average,
)
from ....dossier.formula import Argument, Formula

FIRST, SECOND = sp.symbols("a1 b1", positive=True), sp.symbols("a2 b2", positive=True)
RATIO = sp.Symbol("r", positive=True)
INTEGRATED = "an inequality that holds at every x holds for the integrals against a weight p >= 0"


def mean(at_first: sp.Expr, at_second: sp.Expr) -> sp.Expr:
    """The mean with weights 1/(1 + r) and r/(1 + r)."""
    return (at_first + RATIO * at_second) / (1 + RATIO)


def trace(eigenvalues: tuple[sp.Symbol, ...]) -> sp.Expr:
    """Tr(I)."""
    return sp.Add(*eigenvalues)


def inverse_trace(eigenvalues: tuple[sp.Symbol, ...]) -> sp.Expr:
    """Tr(I^-1)."""
    return sp.Add(*(1 / e for e in eigenvalues))


def _mean_written(at_first: sp.Expr, at_second: sp.Expr) -> sp.Expr:
    """The same as a sum over the two values of x."""
    return total(product(quotient(1, 1 + RATIO), at_first), product(quotient(RATIO, 1 + RATIO), at_second))


def _inverse_trace_written(eigenvalues: tuple[sp.Symbol, ...]) -> sp.Expr:
    """Tr(I^-1) as the trace of the adjugate over the determinant."""
    minors = (sp.Mul(*(e for e in eigenvalues if e != left_out)) for left_out in reversed(eigenvalues))
    return quotient(total(*minors), product(*eigenvalues))


def _bound_written(eigenvalues: tuple[sp.Symbol, ...]) -> sp.Expr:
    """n^2/Tr(I)."""
    return quotient(power(len(eigenvalues), 2), total(*eigenvalues))


def lower_bound(factor: sp.Expr) -> Formula:
    """The mean of Tr(I^-1) against n^2/J, n = 2."""
    left, right = mean(inverse_trace(FIRST), inverse_trace(SECOND)), 4 / mean(trace(FIRST), trace(SECOND))
    argument = by_steps(
        "one constant c in Tr(I^-1) >= 2 c n - c^2 Tr(I) serves all x",
        lambda: weighted_average(sp.cancel(mean(sp.Integer(1), sp.Integer(1)))),
        _mean_written(total(*(quotient(1, e) for e in FIRST)), total(*(quotient(1, e) for e in SECOND))),
        ">=",
        quotient(power(2, 2), _mean_written(trace(FIRST), trace(SECOND))),
        (SQUARES, INTEGRATED),
    )
    return Formula(left, ">=", factor * right, argument=argument)


def jensen_chain(factor: sp.Expr) -> tuple[Formula, Formula]:
    """Tr(I^-1) against n^2/Tr(I) at one x, n = 2; the mean of n^2/Tr(I) against n^2/J, at two values of x."""
    left, middle = inverse_trace(FIRST), 4 / trace(FIRST)
    pointwise = by_steps(
        "at every x",
        inverse_of_trace,
        _inverse_trace_written(FIRST),
        ">=",
        _bound_written(FIRST),
        (SQUARES, INTEGRATED),
    )
    s, t = sp.symbols("S T", positive=True)
    averaged = mean(4 / s, 4 / t)
    return (
        Formula(left, ">=", middle, argument=pointwise),
        Formula(averaged, ">=", factor * 4 / mean(s, t), argument=_tangents(s, t)),
    )


def _tangents(s: sp.Symbol, t: sp.Symbol) -> Argument:
    z, c = sp.symbols("z c", positive=True)
    tangent = Step(
        1 / z - (2 * c - c**2 * z),
        "=",
        (1 - c * z) ** 2 / z,
        "1/z lies above its tangent at 1/c, for every z > 0",
        cancelled,
    )
    best = Step(
        value_at(2 * c - c**2 * z, {c: quotient(1, z)}), "=", 1 / z, "c is the inverse of the mean of z"
    )
    return by_steps(
        "1/z is convex",
        lambda: (tangent, best),
        _mean_written(quotient(power(2, 2), s), quotient(power(2, 2), t)),
        ">=",
        quotient(power(2, 2), _mean_written(s, t)),
        (SQUARES, INTEGRATED),
    )


def eigenvalues_only(factor: sp.Expr, third: bool) -> Formula:
    """The sum of 1/lambda against n^2 over the sum, n = 2 or 3."""
    values = sp.symbols("lambda1 lambda2 lambda3", positive=True)[: 3 if third else 2]
    left, right = inverse_trace(values), len(values) ** 2 / trace(values)
    argument = by_steps(
        "Jensen's inequality for 1/z",
        inverse_of_trace,
        _inverse_trace_written(values),
        ">=",
        _bound_written(values),
        (SQUARES,),
    )
    return Formula(left, ">=", factor * right, argument=argument)


def eigenvalues_of_inverse(factor: sp.Expr) -> Formula:
    """Tr(I^-1) against the sum of the inverse eigenvalues, for I of order 2 with trace p + q and determinant p q - s^2."""
    p, q = sp.symbols("p q", positive=True)
    s = sp.Symbol("s", real=True)
    matrix = sp.Matrix([[p, s], [s, q]])
    z = sp.Symbol("z")
    polynomial = sp.Poly(matrix.charpoly(z).as_expr(), z)
    minus_sum, last = polynomial.coeffs()[1:]
    left = sp.cancel(matrix.inv().trace())
    half_gap = root(total(power(quotient(p - q, 2), 2), power(s, 2)))
    roots = [total((p + q) / 2, half_gap), difference((p + q) / 2, half_gap)]

    def argue(formula: Formula) -> Derivation:
        steps = (
            Step(
                formula.left,
                "=",
                quotient(total(q, p), determinant(matrix)),
                "the trace of the inverse: of the adjugate, over the determinant",
                cancelled,
            ),
            *(
                Step(polynomial.as_expr().subs(z, r), "=", sp.Integer(0), f"z{k} is an eigenvalue", _expanded)
                for k, r in enumerate(roots, start=1)
            ),
            Step(
                formula.right,
                "=",
                total(*(quotient(1, r) for r in roots)),
                "the sum of the inverse eigenvalues 1/z1 + 1/z2",
                _simplified,
            ),
        )
        lemma = "the inverse has the inverse eigenvalues and a trace is the sum of the eigenvalues, in every dimension"
        return Derivation("Tr(I^-1) is the sum of 1/lambda_i", steps, (lemma,))

    return Formula(left, "=", factor * (-minus_sum) / last, (matrix.det(),), argue)


def _expanded(left: sp.Expr, right: sp.Expr) -> Truth:
    return compare(sp.expand(left.doit()), "=", right)


def _simplified(left: sp.Expr, right: sp.Expr) -> Truth:
    return compare(left, "=", sp.radsimp(sp.simplify(right.doit())))
