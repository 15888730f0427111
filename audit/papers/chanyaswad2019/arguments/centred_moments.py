"""Second moments about the mean against second moments about zero: sensitivities and bias."""

from __future__ import annotations

from functools import cache

import sympy as sp

from .....symbolic.proof.as_written import difference, power, quotient
from .....symbolic.proof.derivation import Step
from .....symbolic.sensitivity.sign_matrices import N, P
from ....dossier.formula import Formula, argued
from .released_moments import NEEDED, NEIGHBOURS, ROOT2, K, mean_steps, moment_steps


@cache
def centred_steps() -> tuple[Step, ...]:
    """What one record adds to the scatter about the mean, with c the mean of the other records: every n, entry by entry."""
    x, y, c, d, s = sp.symbols("x y c d s", real=True)

    def scatter(u: sp.Expr, v: sp.Expr) -> sp.Expr:
        # Entry of the sum of (x_i - mean)(y_i - mean)' over n records: s from the n - 1 others about their own mean.
        mean_u, mean_v = ((N - 1) * c + u) / N, ((N - 1) * d + v) / N
        return s + (N - 1) * c * d + u * v - N * mean_u * mean_v

    w = sp.Symbol("w", real=True)
    return (
        Step(
            difference(scatter(x, y), s),
            "=",
            (N - 1) * (x - c) * (y - d) / N,
            "one record adds (n-1)/n (x - c)(x - c)'",
        ),
        Step(power(2 * (1 - w**2) / (1 + w**2), 2), "<=", sp.Integer(4), "|x - c| <= 2 for x, c in [-1, 1]"),
    )


def centred_sensitivity(divisor: sp.Expr) -> sp.Expr:
    """For p = 1: x = 1 replaced by c = -1, where all other records are: (n-1)/n (x - c)^2 over the divisor."""
    return (N - 1) * (1 - (-1)) ** 2 / (N * divisor)


PLAIN_ONE = 1 / N  # p = 1: x^2 between 0 and 1, one record of n.


def saving(relation: str) -> tuple[Formula, Formula]:
    """Saving of the plain second moments over the centred ones against c n, for c = 4/n at p = 1 and c = 8/n at every p.

    Every c > 0 is at least 4/n (8/n) for large n = k + 1.  For every p: |uu' - vv'|_1 <= |u|_1^2 + |v|_1^2 <= 8 p for the centred
    ones, where |u|, |v| <= 2, and p for the plain ones with u = (1, ..., 1)/sqrt(p), v = 0.
    """
    many = K + 1
    one = sp.simplify(centred_sensitivity(N) / PLAIN_ONE).subs(N, many)
    centred, plain = (N - 1) * 2 * (2 * sp.sqrt(P)) ** 2 / N**2, (P / sp.sqrt(P)) ** 2 / N
    every = sp.simplify(centred / plain).subs(N, many)
    steps = argued(*centred_steps(), *mean_steps(), lemmas=(NEIGHBOURS,))
    return (
        Formula(one, relation, 4 / many * many, argument=argued(*centred_steps(), lemmas=(NEIGHBOURS,))),
        Formula(every, relation, 8 / many * many, argument=steps),
    )


def unbiased_saving(factor: sp.Expr) -> Formula:
    """Sensitivity of the unbiased estimate over that of the plain one at p = 1, n = k + 1 records: both are attained."""
    ratio = quotient(*(bound.subs(N, K + 1) for bound in (centred_sensitivity(N - 1), PLAIN_ONE)))
    return Formula(ratio, "=", factor, argument=argued(*centred_steps(), lemmas=(NEIGHBOURS,)))


def bias() -> Formula:
    """E x^2 minus the variance, for x that is b + s or b - s with equal chances, against the square of its mean b."""
    b, s = sp.symbols("b s", positive=True)
    moment = ((b + s) ** 2 + (b - s) ** 2) / 2
    variance = (s**2 + (-s) ** 2) / 2
    return Formula(difference(moment, variance), "=", b**2)


def unbiased_saving_everywhere() -> Formula:
    """Every p: with all others at -u, u = (1, ..., 1)/sqrt(p) replaced by -u moves the unbiased one by 4 |uu'|_1/n: 2 sqrt(2) times the bound on the plain one."""
    apart = 4 * (P / sp.sqrt(P)) ** 2 / N
    steps = argued(*centred_steps(), *moment_steps(NEEDED), lemmas=(NEIGHBOURS,))
    return Formula(quotient(apart, NEEDED), "=", 2 * ROOT2, argument=steps)
