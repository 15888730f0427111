"""Compressed records x ~ N(0, Sigma): ratios of their densities, and the paper's bounds on them.

Theta_j is the inverse of Sigma_j, Gamma = Theta_2 - Theta_1, Delta = Sigma_1 - Sigma_2, S the mean of x x' over m rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import sympy as sp
from flint import arb

from .....symbolic.proof.as_written import applied, difference, product, quotient, root, total, value_at
from .....symbolic.proof.derivation import Derivation, Step
from .....symbolic.proof.exact_numbers import ball, enclosed
from .....symbolic.proof.trace import Letter, Symmetric, Trace, cauchy_schwarz, identity
from ....dossier import Comparison, Formula, Instances, argued, rule
from ....dossier.arguments.bounds_arguments import cancelled

ONE = sp.Integer(1)
M, P = sp.symbols("m p", integer=True, positive=True)
A, B, S, T, W, X, Y, G, D, V = (sp.Symbol(s, positive=True) for s in "abstwxygdv")
BOUND = sp.Symbol("B", positive=True)
L1, L2 = sp.symbols("l1 l2", positive=True)
J, K, FIRST, H = (sp.Symbol(s, nonnegative=True) for s in "jkih")


def log_ratio(factor: sp.Expr = ONE) -> tuple[Formula, Formula]:
    """ln f_1/f_2 for p = 1 (Sigma_1 = a, Sigma_2 = b), from the densities of m rows, against both printed forms."""
    left = -M / 2 * (sp.log(A) - sp.log(B)) - M * S / 2 * (1 / A - 1 / B)
    gamma = 1 / B - 1 / A
    logs = sp.log(B) - sp.log(A)
    rows, one, two = Letter("X"), Symmetric("U"), Symmetric("V")
    argue = argued(
        identity(
            Trace(rows * one * rows.T) - Trace(rows * two * rows.T),
            Trace((one - two) * rows.T * rows),
            "the sum of x'Theta x over the rows is m tr(Theta S), for every p and m",
        ),
        reason="exponents and determinants compared",
        conclusion="the log ratio of m normal rows",
    )
    first = Formula(left, "=", factor * M / 2 * (logs + gamma * S), argument=argue)
    around = factor * M / 2 * ((logs + gamma * A) + gamma * (S - A))
    return first, Formula(left, "=", around, argument=argue)


def information(relation: str) -> Formula:
    """Kullback-Leibler information between variances v and 1: in m normal numbers, and in their mean square."""
    shape, one, two = M / 2, 2 * V / M, 2 / M
    rows, x = M * (V - 1 - sp.log(V)) / 2, sp.Symbol("x", real=True)
    mean_square = total(
        product(shape, difference(sp.log(two), sp.log(one))),
        product(shape, one, difference(quotient(1, two), quotient(1, one))),
    )
    out, theta = Letter("X"), Symmetric("U")
    argue = argued(
        identity(
            Trace(out * theta * out.T),
            Trace(theta * out.T * out),
            "the density depends on the output through X'X alone, for every p and m",
        ),
        Step(
            sp.Integral(x**2 * sp.exp(-(x**2) / (2 * V)) / sp.sqrt(2 * sp.pi * V), (x, -sp.oo, sp.oo)),
            "=",
            V,
            "the mean square of a row, which both informations need",
        ),
        reason="the two informations",
        conclusion="S is sufficient",
        lemmas=("factorisation theorem; sums of squares have Gamma laws",),
    )
    return Formula(rows, relation, mean_square, argument=argue)


def accepted(inside: bool = True) -> Formula:
    """tr(Gamma (S - Sigma_1)) for p = 2, correlation r against none, entries of S within w of Sigma_1; or anywhere, against any bound B."""
    r = 1 / (2 + K)
    t = [1 / (1 + h) if inside else 1 + h for h in (FIRST, J, H)]
    left = W * (r**2 * (t[0] + t[1]) + 2 * r * t[2]) / (1 - r**2)
    # An entry of S - Sigma_1 is w/(1 + i) or its negative: tr(Gamma (S - Sigma_1)) is at most w times the sum of all |Gamma_jk|.
    entry = Step(
        G * W / (1 + FIRST), "<=", G * W, "each entry of Gamma adds at most w times its size, for every p"
    )
    if not inside:
        return Formula(left, "<=", BOUND)
    return Formula(left, "<=", W * (2 * r**2 + 2 * r) / (1 - r**2), argument=argued(entry))


def accepted_edge() -> Formula:
    """The same with all three entries at the distance w/(1 + i) in the directions that count most."""
    r, t = 1 / (2 + K), W / (1 + FIRST)
    return Formula(t * (2 * r**2 + 2 * r) / (1 - r**2), "<=", W * (2 * r**2 + 2 * r) / (1 - r**2))


def remark_normaliser(factor: sp.Expr = ONE) -> tuple[Formula, Formula]:
    """(1 - P_2)/(1 - P_1) for probabilities up to e = 1/n^2, n = 2 + k; and e/(1 - e), which bounds -ln(1 - e), against 4 e/3."""
    e = 1 / (2 + K) ** 2
    one, two = e / (1 + FIRST), e * J / (1 + J)
    return Formula((1 - two) / (1 - one), "<=", factor / (1 - e)), Formula(
        e / (1 - e), "<=", factor * 4 * e / 3
    )


def triangle(factor: sp.Expr = ONE) -> tuple[Formula, ...]:
    """|x + y| for log ratios x, y of the same and of opposite signs; and that log ratios add up, of any densities at any outcome."""
    a, b, c = sp.symbols("f1:4", positive=True)
    adds = Formula(sp.log(a / b), "=", sp.log(a / c) + sp.log(c / b))
    return (
        adds,
        Formula(applied(sp.Abs, FIRST + J), "<=", factor * (FIRST + J)),
        Formula(FIRST - J, "<=", factor * (FIRST + J)),
        Formula(J - FIRST, "<=", factor * (FIRST + J)),
    )


def taylor(factor: sp.Expr = ONE) -> Formula:
    """ln|Theta_1| - ln|Theta_2| in one eigenvalue t of Theta_1^-1/2 Theta_2 Theta_1^-1/2, against A - tr(Gamma Sigma_1)."""
    c = T - 1
    primitive = -(1 + c) / (1 + V * c) - sp.log(1 + V * c)
    a = sp.expand(primitive.subs(V, 1) - primitive.subs(V, 0))
    over = difference(value_at(primitive, {V: 1}), value_at(primitive, {V: 0}))
    argue = argued(
        Step(
            sp.Derivative(primitive, V),
            "=",
            (1 - V) * c**2 / (1 + V * c) ** 2,
            "a primitive of the integrand of A, for v from 0 to 1",
            where=(1 + V * c,),
        ),
        Step(over, "=", T - 1 - sp.log(T), "A, with c = t - 1 on the eigenvector"),
        reason="both sides in this eigenvalue",
        conclusion="the expansion of the log determinant",
        lemmas=(
            "both determinants are products over these eigenvalues, and A and the trace sums over them; B (x) B has the eigenvalues l_i l_j",
        ),
    )
    return Formula(-sp.log(T), "=", difference(product(factor, a), c), argument=argue)


def remainder_below(factor: sp.Expr = ONE) -> Formula:
    """A in one eigenvalue x = Sigma_1 Gamma > 0 against x^2/(2 (1 + x)^2)."""

    def argue(formula: Formula) -> Derivation:
        steps = (
            Step(sp.Derivative(formula.right, X), ">=", sp.Derivative(formula.left, X), "slopes"),
            Step(value_at(formula.left, {X: 0}), "=", value_at(formula.right, {X: 0}), "equal at zero"),
        )
        return Derivation("the lower bound", steps, ("Kronecker products have the eigenvalues l_i l_j",))

    return Formula(factor * X**2 / (2 * (1 + X) ** 2), "<=", X - sp.log(1 + X), argument=argue)


def remainder_above(factor: sp.Expr = ONE) -> Formula:
    """A in one eigenvalue -y, 0 < y < 1, against y^2/(2 (1 - y)^2)."""
    at = {Y: 1 / (1 + T)}

    def argue(formula: Formula) -> Derivation:
        share = sp.cancel(formula.right / (Y**2 / (1 - Y) ** 2))
        slopes = (Y / (1 - Y), 2 * share * Y / (1 - Y) ** 3)
        steps = (
            Step(sp.Derivative(formula.left, Y), "=", slopes[0], "slope of the left side"),
            Step(sp.Derivative(formula.right, Y), "=", slopes[1], "slope of the right side"),
            Step(value_at(slopes[0], at), "<=", value_at(slopes[1], at), "slopes, y = 1/(1 + t)"),
            Step(value_at(formula.left, {Y: 0}), "=", value_at(formula.right, {Y: 0}), "equal at zero"),
        )
        return Derivation("the upper bound", steps, ("Kronecker products have the eigenvalues l_i l_j",))

    return Formula(
        -Y - sp.log(1 - Y), "<=", factor * Y**2 / (2 * (1 - Y) ** 2), where=(1 - Y,), argument=argue
    )


def product_of_norms(bounded: bool) -> Formula:
    """|Delta| s/(lmin_1 lmin_2) against |Delta| s/b^2, where the least eigenvalues are at least b; or against B |Delta| for any B.

    Four columns: the first two have the correlation r = x/(1 + x) in both tables, the others d/(1 + d) < r in one and none in the other.
    """
    if bounded:
        return Formula(D * S / (B * (1 + K) * B * (1 + J)), "<=", D * S / B**2)
    r, delta = X / (1 + X), D / (1 + D)
    return Formula(delta * (1 + r) / (1 - r) ** 2, "<=", BOUND * delta, where=(X - D,))


def integrals(factor: sp.Expr = ONE) -> tuple[Formula, ...]:
    """The weight of the integral, and its extreme eigenvalues in terms of Sigma_1 and |Gamma|, which bound A/|Gamma|_F^2 for every p."""
    v = sp.Symbol("v", real=True)
    weight = sp.Rational(1, 2)
    weighed = Step(sp.Integral(1 - v, (v, 0, 1)), "=", weight, "the weight of the integral")
    # lmin(Theta_1) = 1/s, and |Gamma| = 1/(s (1 + k)) with k > 0 is below it.
    g = 1 / (S * (1 + X))
    least, largest = 1 / (1 / L1 + G) ** 2, 1 / (1 / S - g) ** 2
    lemmas = (
        "Kronecker products have the eigenvalues l_i l_j",
        "eigenvalues of Theta_1 + v Gamma are within v |Gamma| of those of Theta_1 (Weyl)",
    )
    within = Step(
        1 / (1 / L1 + G / (1 + J)) ** 2, ">=", least, "v = 1/(1 + j): the integrand is least at v = 1"
    )
    beyond = Step(
        1 / (1 / S - g / (1 + J)) ** 2, "<=", largest, "v = 1/(1 + j): the integrand is largest at v = 1"
    )
    return (
        Formula(
            weight * least,
            "=",
            factor * L1**2 / (2 * (1 + L1 * G) ** 2),
            argument=argued(weighed, within, lemmas=lemmas),
        ),
        Formula(
            product(weight, largest),
            "=",
            sp.factor(factor * S**2 / (2 * (1 - S * g) ** 2)),
            argument=argued(weighed, beyond, how=cancelled, lemmas=lemmas),
        ),
    )


def main_bound(factor: sp.Expr = ONE) -> Formula:
    """m A/2 + (m/2) p |Gamma|_F w from the bounds on A and |Gamma|_F, against (15), if s |Gamma|_2 <= 1/2."""
    g, u = D / (L1 * L2 * (1 + K)), 1 / (2 + J)
    left = M * g**2 * S**2 / (4 * (1 - u) ** 2) + M * P * g * W / 2
    return Formula(
        left, "<=", factor * M * P * D / (2 * L1 * L2) * (W + 2 * D * S**2 / (P * L1 * L2)), argument=_summed
    )


def last_step(factor: sp.Expr = ONE) -> tuple[Formula, Formula]:
    """The same in |Gamma|_F = g, against the printed sum at o(1) = 0, if s |Gamma|_2 <= 1/4; and |vec Gamma|_1 of equal entries."""
    left = M * G**2 * S**2 / (4 * (1 - 1 / (4 + J)) ** 2) + M * P * G * W / 2
    right = factor * (M * P * G * W / 2 + M * G**2 * S**2 / 2)
    return Formula(left, "<=", right, argument=_summed), Formula(
        P**2 * G, "<=", product(factor, P, root(product(P**2, G**2)))
    )


def _summed(formula: Formula) -> Derivation:
    entries = sp.Symbol("q", positive=True)
    steps = (
        cauchy_schwarz(entries, "|vec Gamma|_1^2 <= p^2 |Gamma|_F^2, a square, q = p^2 entries"),
        Step(formula.left, formula.relation, formula.right, "term by term"),
    )
    return Derivation(
        formula.sentence,
        steps,
        ("A <= |Gamma|_F^2 s^2/(2 (1 - s |Gamma|_2)^2); |tr(Gamma E)| <= |vec Gamma|_1 max|E|",),
    )


@rule("compression: one correlation", "p", "m", "r")
def one_correlation(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterator[Comparison]:
    """Sigma_1 = I, all correlations of Sigma_2 equal to r > 0: the log ratio at an accepted output that attains its supremum."""
    p, m, r, w = int(numbers["p"]), int(numbers["m"]), ball(numbers["r"]), ball(numbers["w"])
    if not w * (p - 2) <= 1:
        return  # that S would not be a covariance
    below, det = (1 - r) * (1 + (p - 1) * r), (p - 1) * (1 - r).log() + (1 + (p - 1) * r).log()
    off, diagonal = r / below, (p - 1) * r**2 / below
    sum_of_entries = p * (p - 1) * off + p * diagonal
    alpha = arb(m) / 2 * (det + p * diagonal + w * sum_of_entries)
    delta = r * arb(p * (p - 1)).sqrt()
    gamma = (p * diagonal**2 + p * (p - 1) * off**2).sqrt()
    if not gamma <= ball("1/4"):
        return
    if printed["bound"] == "theorem":
        bound = m * p * delta / (2 * (1 - r)) * (w + 2 * delta / (p * (1 - r)))
    else:
        bound = m * p * gamma / 2 * w + m * gamma**2 / 2
    yield "log ratio", alpha, "<=", enclosed(printed["factor"]) * bound


def correlated(bound: str, factor: sp.Expr = ONE) -> Instances:
    """The printed bound on instances with one correlation; large p and small r come nearest."""

    def draw(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
        yield {"p": 401, "m": 1000, "r": "1/100000000", "w": "1/1000"}
        for p in (2, 3, 10, 50):
            for _ in range(5):
                r, w = (int(x) for x in rng.integers(1, 1000, 2))
                yield {
                    "p": p,
                    "m": int(rng.integers(1, 1000)),
                    "r": f"{r}/{8000 * p}",
                    "w": f"{w}/{1000 * p}",
                }

    return Instances(
        "compression: one correlation",
        {"bound": bound, "factor": sp.sstr(factor)},
        draw,
        "at the accepted output that is worst, for Sigma_1 = I and equal correlations",
    )
