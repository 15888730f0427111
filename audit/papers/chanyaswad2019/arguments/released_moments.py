"""Sensitivities of the mean and of the second moments of unit records, the noise on them, and the loss that it allows.

Suprema are over replaced records.  With D = uu' - vv' for u, v in the unit ball of R^p, n times the sensitivity of the second
moments is sup |D|_1, which lies in [sqrt(2 p^2 - 1), sqrt(2) p] and equals sqrt(2) p for even p.
"""

from __future__ import annotations

from functools import cache

import sympy as sp

from .....symbolic.proof.as_written import applied, difference, power, product, quotient, total
from .....symbolic.proof.derivation import Step
from .....symbolic.proof.trace import Column, Trace, cauchy_schwarz, gram, identity
from .....symbolic.sensitivity.sign_matrices import N, P, norm_chain
from ....dossier.formula import Formula, argued

M = sp.Symbol("m", integer=True, positive=True)
K = sp.Symbol("k", integer=True, positive=True)
MORE = sp.Symbol("j", integer=True, nonnegative=True)
BOUND = sp.Symbol("a", nonnegative=True)
EPS_MEAN, EPS_COVARIANCE = sp.symbols("epsilon_mu epsilon_S", positive=True)
ROOT2 = sp.sqrt(2)
UNIT = sp.Integer(1)

MEAN = 2 * sp.sqrt(M) / N
PRINTED = 2 * sp.sqrt(P) / N
NEEDED = ROOT2 * P / N
PRINTED_LABELS = (2 * sp.sqrt(P) + 4 * BOUND * sp.sqrt(P) + BOUND**2) / N
NEEDED_LABELS = (ROOT2 * P + 4 * BOUND * sp.sqrt(P) + BOUND**2) / N

NEIGHBOURS = "a statistic that is a sum over records changes by the terms of the record that is replaced"
LAPLACE = "Laplace noise of scale b on every entry: the largest privacy loss is the L1 sensitivity over b (Dwork et al. 2006)"
ADAPTIVE = "the loss of two releases, the second computed from the data and the first, is the sum of the two (adaptive composition)"


def exact_even(p: sp.Expr) -> sp.Expr:
    """n times the sensitivity of the second moments for even p, the spread of [[J, J], [J, -J]]: blocks of order p/2."""
    least, largest = _extreme_even(p)
    return sp.simplify(largest - least)


def _extreme_even(p: sp.Expr) -> tuple[sp.Expr, sp.Expr]:
    """The least and the largest eigenvalue of that matrix."""
    half, x = p / 2, sp.Symbol("x")
    small = sp.Matrix([[half, half], [half, -half]])
    roots = sp.roots(small.charpoly(x).as_expr(), x)
    return sp.Min(*roots), sp.Max(*roots)


@cache
def moment_steps(bound: sp.Expr) -> tuple[Step, ...]:
    """|D|_1 <= p |D|_F <= sqrt(2) p within n times `bound`; a step fails where `bound` is too small."""
    return norm_chain(P, ROOT2, bound).steps


def loss(sensitivity: sp.Expr, scale: sp.Expr) -> sp.Expr:
    """The largest privacy loss under Laplace noise of this scale."""
    return quotient(sensitivity, scale)


@cache
def mean_steps() -> tuple[Step, ...]:
    """|x - x'|_1 <= sqrt(m) |x - x'| <= 2 sqrt(m) for unit vectors of every dimension."""
    x, y = Column("x"), Column("y")
    unit = {Trace(x.T * x): sp.Integer(1), Trace(y.T * y): sp.Integer(1)}
    return (
        cauchy_schwarz(
            M, "Cauchy-Schwarz over m entries: |d|_1^2 <= m |d|^2, d the absolute entries, e all ones"
        ),
        identity(gram(x - y) + gram(x + y), sp.Integer(4), "so |x - x'| <= 2 for unit vectors", values=unit),
    )


def mean_sensitivity(printed: sp.Expr) -> Formula:
    """The L1 distance of the means when (1, ..., 1)/sqrt(m) is replaced by its negative, the farthest pair."""
    entry = 1 / sp.sqrt(M)
    attained = quotient(product(M, applied(sp.Abs, difference(entry, -entry))), N)
    return Formula(attained, "=", printed, argument=argued(*mean_steps(), lemmas=(NEIGHBOURS,)))


def mean_loss(scale: sp.Expr) -> Formula:
    """The largest privacy loss of the noisy mean, attained by the same pair, within the budget."""
    return Formula(
        loss(MEAN, scale),
        "<=",
        EPS_MEAN,
        argument=argued(*mean_steps(), lemmas=(NEIGHBOURS, LAPLACE), relation="<="),
    )


def covariance_loss(scale: sp.Expr, budget: sp.Expr = EPS_COVARIANCE) -> Formula:
    """The largest loss of the noisy second moments for even p = 2k, within the budget; the steps are for every p."""
    even = {P: 2 * K}
    # Scale times epsilon is the sensitivity that the scale was made for.
    served = sp.simplify(scale * EPS_COVARIANCE)

    return Formula(
        loss(exact_even(2 * K) / N, scale.subs(even)),
        "<=",
        budget,
        argument=argued(*moment_steps(served), lemmas=(NEIGHBOURS, LAPLACE), relation="<="),
    )


def both_losses(scale: sp.Expr) -> tuple[Formula, ...]:
    """The joint release: an output at which the mean gives nothing away, and one at which it gives all of its budget."""
    budget = EPS_MEAN + EPS_COVARIANCE
    first = covariance_loss(scale, budget)
    steps = (*mean_steps(), *moment_steps(sp.simplify(scale * EPS_COVARIANCE)))
    # For even p both parts are attained at once: x = -x' = (1, ..., 1)/sqrt(m) and W with W(u - v) along it.
    both = total(EPS_MEAN, loss(exact_even(2 * K) / N, scale.subs(P, 2 * K)))
    lemmas = (NEIGHBOURS, LAPLACE, ADAPTIVE)
    return first, Formula(both, "<=", budget, argument=argued(*steps, lemmas=lemmas, relation="<="))


def falls_with_dimension(relation: str = ">") -> Formula:
    """The square of a lower bound in a higher dimension p + 1 + j against the square of the upper bound at p."""
    return Formula(
        2 * (P + MORE + 1) ** 2 - 1, relation, 2 * P**2, argument=argued(*_bracket(), *moment_steps(NEEDED))
    )


@cache
def _bracket() -> tuple[Step, ...]:
    """Blocks of order k + 1 and k: the spread of [[J, J], [J, -J]] is sqrt(2 p^2 - 1) for odd p = 2k + 1."""
    x = sp.Symbol("x")
    small = sp.Matrix([[K + 1, sp.sqrt(K * (K + 1))], [sp.sqrt(K * (K + 1)), -K]])
    discriminant = sp.discriminant(sp.expand(small.charpoly(x).as_expr()), x)
    odd = 2 * K + 1
    return (
        Step(discriminant, "=", 2 * odd**2 - 1, "odd p: the squared spread of the block sign matrix"),
        Step(
            power(exact_even(2 * K), 2),
            "=",
            product(2, power(2 * K, 2)),
            "even p: the squared spread of the block sign matrix",
        ),
    )


def ratio_of_dimensions(large: int, small: int, printed: sp.Expr, tolerance: sp.Expr) -> Formula:
    """The exact factor between the sensitivities in two even dimensions, and how far it is from the printed one."""
    factor = exact_even(sp.Integer(large)) / exact_even(sp.Integer(small))
    steps = (*_bracket(), *moment_steps(NEEDED))
    return Formula(sp.Abs(sp.simplify(factor) - printed), "<=", tolerance, argument=argued(*steps))


def noise_on_everything(factor: sp.Expr = UNIT) -> Formula:
    """Laplace scale for the records themselves over the scale for their mean, the same budget, against n."""
    whole = 2 * sp.sqrt(M) / EPS_MEAN
    return Formula(
        quotient(whole, MEAN / EPS_MEAN), "=", factor * N, argument=argued(*mean_steps(), lemmas=(LAPLACE,))
    )


def even_sensitivity(factor: sp.Expr = UNIT) -> Formula:
    """n times the sensitivity of the second moments in the even dimension m = 2k, against sqrt(2) m."""
    least, largest = _extreme_even(2 * K)
    steps = argued(*_bracket(), *moment_steps(NEEDED))
    return Formula(difference(largest, least), "=", factor * ROOT2 * 2 * K, argument=steps)


def noise_in_all(factor: sp.Expr = UNIT) -> tuple[Formula, Formula]:
    """The mean absolute noise on all entries in p + k dimensions over that in p, and that it is more than one."""
    z, b = sp.symbols("z b", positive=True)
    # Mean absolute value of Laplace noise of scale b, on p^2 entries, b the scale that the sensitivity needs.
    absolute = sp.integrate(z * sp.exp(-z / b) / b, (z, 0, sp.oo))
    noise = P**2 * absolute.subs(b, NEEDED / EPS_COVARIANCE)
    ratio = quotient(noise.subs(P, P + K), noise)
    steps = argued(*moment_steps(NEEDED), lemmas=(LAPLACE,))
    return (
        Formula(ratio, "=", factor * ((P + K) / P) ** 3, argument=steps),
        Formula(sp.expand((P + K) ** 3 - P**3), ">", sp.Integer(0)),
    )
