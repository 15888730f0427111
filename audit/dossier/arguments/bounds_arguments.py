"""Arguments for every dimension and every density, each ending in a step that ties it to the formula at hand.

A formula states an inequality on its smallest telling instance; the argument derives the same inequality in general
and then compares the constant of the formula with the one that was derived.
"""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp

from ....symbolic.proof.as_written import value_at
from ....symbolic.proof.derivation import Derivation, Step, carried_out
from ....symbolic.proof.enclosure import compare
from ....symbolic.proof.trace import Column, Letter, Rules, Symmetric, Trace, gram, identity
from ....symbolic.proof.truth import Truth
from ..formula import Argument, Formula, direction, equality

REGULAR = (
    "differentiation under the integral sign: the score has mean zero and E[xhat score'] is the Jacobian of "
    "E xhat (noise independent of x with finite information: Hajek 1972; Ibragimov and Has'minskii 1981, I.7)"
)
SQUARES = "a trace of the form Tr(M' M) is not negative"
CAUCHY_SCHWARZ = "Cauchy-Schwarz inequality for integrals"
WIRTINGER = "Wirtinger's inequality: int u'^2 >= (pi/L)^2 int u^2 for u that vanishes at both ends of an interval of length L"
UNIT = sp.Integer(1)


def cancelled(left: sp.Expr, right: sp.Expr) -> Truth:
    """Equality of rational functions by bringing their difference to lowest terms; other expressions as usual."""
    left, right = (carried_out(sp.sympify(side, strict=True)) for side in (left, right))
    difference = left - right
    if difference == 0 or (difference.is_rational_function() and sp.cancel(difference) == 0):
        return Truth.HOLDS
    return compare(left, "=", right)


def by_steps(
    conclusion: str,
    steps: Callable[[], tuple[Step, ...]],
    left: sp.Expr,
    relation: str,
    right: sp.Expr,
    lemmas: tuple[str, ...] = (),
) -> Argument:
    """The argument whose general steps give `left relation right` on the instance of the formula."""

    def argue(formula: Formula) -> Derivation:
        return Derivation(conclusion, (*steps(), *ends(formula, left, relation, right)), lemmas)

    return argue


def ends(formula: Formula, left: sp.Expr, relation: str, right: sp.Expr) -> tuple[Step, ...]:
    """The formula is `left relation right`, the sides as the derivation writes them: both sides and the relation."""
    first = Step(
        formula.left, "=", left, "the left side of the formula is the one that was derived", cancelled
    )
    if relation == "=":
        return (first, equality(formula, left))
    last = Step(
        formula.right, "=", right, "the right side of the formula is the one that was derived", cancelled
    )
    return (first, direction(formula, relation), last)


def expanded(left: sp.Expr, right: sp.Expr) -> Truth:
    """Equality after derivatives and sums are carried out and both sides multiplied out; anything else stays open."""
    difference = sp.expand(left.doit()) - sp.expand(right.doit())
    return Truth.HOLDS if sp.expand(difference) == 0 else Truth.UNKNOWN


def cramer_rao(slope: bool) -> tuple[Step, ...]:
    """E|e|^2 - Tr(G K G') is a mean square, for e the centred estimator, K = I^{-1}; G = 1 unless `slope`."""
    e, s, k = Column("e"), Column("s"), Symmetric("K")
    g: sp.Expr = Letter("G") if slope else UNIT
    gt = g.T if slope else UNIT
    bound = Trace(g * k * gt)
    # Means: E[e s'] = G and E[s s'] = K^{-1}.
    values = {Trace(e.T * g * k * s): bound, Trace(s.T * k * gt * g * k * s): bound}
    return (
        identity(
            gram(e - g * k * s),
            Trace(e.T * e) - bound,
            "E|e - G K s|^2 with E[e s'] = G, E[s s'] = K^-1: it is E|e|^2 - Tr(G K G') and not negative",
            None,
            values,
        ),
    )


def bias_splits() -> tuple[Step, ...]:
    """E|x - xhat|^2 = E|e|^2 + |x - g|^2 for xhat = g + e with E e = 0."""
    e, b = Column("e"), Column("b")
    return (
        identity(
            gram(b - e),
            Trace(e.T * e) + Trace(b.T * b),
            "the error x - g - e: the mixed term has mean zero",
            None,
            {Trace(b.T * e): sp.Integer(0)},
        ),
    )


def inverse_of_trace() -> tuple[Step, ...]:
    """Tr(I^-1) >= 2 c n - c^2 Tr(I) for every c, and n^2/Tr(I) at the best c; for every dimension n."""
    i = Symmetric("I")
    c, n, total = sp.symbols("c n S", positive=True)
    value = 2 * c * n - c**2 * total
    return (
        identity(
            gram(i ** sp.Rational(-1, 2) - c * i ** sp.Rational(1, 2)),
            Trace(i**-1) - 2 * c * n + c**2 * Trace(i),
            "a sum of squares, for every c, and zero only if I is c^-1 times the identity",
            None,
            {Trace(UNIT): n},
        ),
        Step(value_at(value, {c: n / total}), "=", n**2 / total, "the best c is n/Tr(I)"),
    )


def weighted_average(weight: sp.Expr) -> tuple[Step, ...]:
    """int Tr(I^-1) p >= 2 c n P - c^2 J for every c, with P = int p = `weight`; it is n^2/J at c = n/J if P = 1."""
    n, c, total = sp.symbols("n c J", positive=True)
    bound = 2 * c * n * weight - c**2 * total
    return (
        *inverse_of_trace()[:1],
        Step(
            value_at(bound, {c: n / total}),
            "=",
            n**2 / total,
            "one c for all x, c = n/J, and p integrates to one",
        ),
    )


def least_eigenvalue() -> tuple[Step, ...]:
    """Tr(K G G') - lambda Tr(K) = |R' K^(1/2)|^2 if G G' = lambda 1 + R R', in every dimension."""
    k, r, lam = Symmetric("K"), Letter("R"), sp.Symbol("lambda_min", nonnegative=True)
    g = Letter("G")
    rules: Rules = {(g, g.T): lam + r * r.T}
    half = k ** sp.Rational(1, 2)
    instance = {g: sp.Matrix([[5]]), r: sp.Matrix([[3]]), k: sp.Matrix([[4]])}
    return (
        identity(
            Trace(k * g * g.T),
            gram(r.T * half) + lam * Trace(k),
            "G G' less its least eigenvalue is a square R R'",
            rules,
            None,
            instance,
        ),
        identity(Trace(g.T * k * g), Trace(k * g * g.T), "the trace does not change under rotation"),
    )


def processing() -> tuple[Step, ...]:
    """Tr K - Tr L >= 0 if L^-1 - K^-1 is a square: less information has an inverse of larger trace."""
    k, lo = Symmetric("K"), Symmetric("L")
    gap = lo**-1 - k**-1
    return (
        identity(
            Trace(k) - Trace(lo),
            Trace(lo * gap * lo) + Trace(lo * gap * k * gap * lo),
            "both terms are traces of squares once the information lost, L^-1 - K^-1, is one",
        ),
    )


def kernel() -> tuple[Step, ...]:
    """|1 - B C|^2 >= n - m for C with m < n rows: the kernel of C, spanned by orthonormal columns V, is lost."""
    b, c, v, m = Letter("B"), Letter("C"), Letter("V"), Letter("M")
    missing = sp.Symbol("missing", positive=True)
    lost: Rules = {(c, v): sp.Integer(0), (v.T, c.T): sp.Integer(0)}
    orthonormal: Rules = {(v.T, v): UNIT}
    instance = {
        b: sp.Matrix([2, 3]),
        c: sp.Matrix([[1, 0]]),
        v: sp.Matrix([0, 1]),
        m: sp.Matrix([[1, 2], [3, 4]]),
    }
    return (
        identity(
            gram(v - b * c * v),
            missing,
            "C V = 0, so (1 - B C) V = V, and |V|^2 = n - m",
            lost,
            {Trace(v.T * v): missing},
            instance,
        ),
        identity(
            gram(m) - gram(m * v),
            gram(m - m * v * v.T),
            "|M V|^2 <= |M|^2 for orthonormal columns V",
            orthonormal,
            None,
            instance,
        ),
    )
