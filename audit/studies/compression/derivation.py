"""The steps behind the alpha of a whole set of tables: tails of products of normal variables, and the log ratio without an o(1)."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ....symbolic.proof.derivation import Derivation, Step, evaluated
from ....symbolic.proof.truth import Truth

LEMMAS = (
    "Markov's inequality for exp(lambda (sum of x_j x_k)), and a union over the entries and both tails; (x_j, -x_k) gives the lower tail",
    "a quadratic that opens upwards changes its sign once between a point where it is positive and a later one where it is negative",
    "Weyl: the least eigenvalue moves by at most the spectral norm of the change, at most p times its largest entry",
    "|Gamma|_F <= |Sigma_1^-1|_2 |Delta|_F |Sigma_2^-1|_2, and p^2 absolute entries add up to at most p times their Frobenius norm",
)


@cache
def guarantee_derivation() -> Derivation:
    """ln f_1/f_2 <= m p^2 c (window + delta_max)/(2 l^2) on the window, and 2 exp(-(m/2)(u - ln(1 + u))) bounds a tail."""
    x, lam, rho = sp.symbols("x lambda rho", real=True)
    a, u, mu, s, t = sp.symbols("a u mu s t", positive=True)
    m, p, c, least, window, delta = sp.symbols("m p c l w delta", positive=True)
    h = x + sp.log((1 - x) ** 2 - a**2) / 2
    quadratic = x**2 - x - a**2
    ends = (-a + sp.log(1 + 2 * a) / 2, a + sp.log(1 - 2 * a) / 2)
    exponent, best = a * u + ends[1], u / (2 * (1 + u))
    steps = (
        Step(
            sp.det(sp.eye(2) - lam * sp.Matrix([[0, 1], [1, 0]]) * sp.Matrix([[s, rho], [rho, t]])),
            "=",
            (1 - lam * rho) ** 2 - lam**2 * s * t,
            "E exp(lambda x y) of normal x, y is this to the power -1/2",
        ),
        Step(
            sp.Derivative(h, x),
            "=",
            quadratic / ((1 - x) ** 2 - a**2),
            "h(x), x = lambda rho, |x| <= a = lambda sqrt(s t) < 1/2: the sign of its slope",
            evaluated,
        ),
        Step(quadratic.subs(x, -a), "=", a, "h rises at -a"),
        Step(quadratic.subs(x, a), "=", -a, "and falls at a: its least value is at an end"),
        Step(
            sp.Derivative(ends[0] - ends[1], a),
            "=",
            8 * a**2 / (1 - 4 * a**2),
            "h(-a) - h(a) rises with a",
            evaluated,
        ),
        Step(
            (ends[0] - ends[1]).subs(a, 0),
            "=",
            sp.Integer(0),
            "from zero: the least value is h(a), that of a square",
        ),
        Step(sp.Derivative(exponent, a).doit().subs(a, best), "=", sp.Integer(0), "the best lambda"),
        Step(
            sp.expand_log(exponent.subs(a, best).simplify(), force=True),
            "=",
            (u - sp.log(1 + u)) / 2,
            "and the exponent of the tail",
        ),
        Step(
            sp.Derivative(sp.log(mu) + 1 - mu, mu),
            "=",
            (1 - mu) / mu,
            "for each eigenvalue mu of Sigma_1^-1 Sigma_2: ln mu + 1 - mu is largest at mu = 1",
            evaluated,
        ),
        Step(
            (sp.log(mu) + 1 - mu).subs(mu, 1),
            "=",
            sp.Integer(0),
            "so ln|Sigma_2| - ln|Sigma_1| <= -tr(Gamma Sigma_2), and ln f_1/f_2 <= (m/2) tr(Gamma (S - Sigma_2))",
        ),
        Step(
            m / 2 * p * (p * c / least**2) * (window + delta),
            "=",
            m * p**2 * c * (window + delta) / (2 * least**2),
            "sum |Gamma| <= p (p c)/l^2, |S - Sigma_2| <= window + delta_max",
        ),
    )
    return Derivation("alpha <= m p^2 c (window + delta_max)/(2 l^2) - ln(1 - P(rejected))", steps, LEMMAS)


@cache
def derived() -> bool:
    """Whether every step holds, checked once in a process."""
    return guarantee_derivation().check() is Truth.HOLDS
