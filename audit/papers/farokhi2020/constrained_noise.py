"""Noise with constrained support: problem (10), Theorem 2.6, Corollary 2.7 and the equations that they lead to.

The smallest instances are exact, on intervals between zeros of Hermite functions.
"""

from __future__ import annotations

import sympy as sp

from ....symbolic.proof.as_written import quotient
from ....symbolic.proof.derivation import Step
from ...dossier import Formula, Parts, Statement, argued, parts
from ...dossier.arguments.bounds_arguments import SQUARES
from .arguments.constrained_support import (
    LAMBDA,
    MU,
    ONE,
    SCALE,
    VANISHES,
    WEIGHT,
    ZERO,
    K,
    S,
    canonical,
    constrained,
    jacobi,
    levels,
)
from .dossier import DOSSIER

ONE_PER_CENT = sp.Rational(101, 100)


@DOSSIER.disputed(
    "eq-10",
    "Optimal noise with constrained support (10)",
    printed=(
        "Minimise Tr(Pi^-1 I) + lambda Tr(V) over the densities with support in a given set N. The mean of "
        "the minimiser need not be zero: for N = [0, oo) and Pi = 1 ",
        "",
        ONE,
    ),
    twin=("For N = [0, oo) and Pi = 1 ", "1.01 ", ONE_PER_CENT),
)
def eq_10(said: str, claimed: str, factor: sp.Expr) -> Statement[Parts]:
    """N = [0, oo), Pi = 1: u = n exp(-k n^2/2) with k = sqrt(lambda)/2 is positive inside and zero at 0."""
    k = sp.sqrt(LAMBDA) / 2
    x = sp.Symbol("x", positive=True)
    square = (x * sp.exp(-k * x**2 / 2)) ** 2
    first, mass = (sp.simplify(sp.integrate(sp.expand(x**j * square), (x, 0, sp.oo))) for j in (1, 0))
    moments = tuple(
        Step(sp.Integral(x**j * square, (x, 0, sp.oo)), "=", value, f"the integral of {what}")
        for j, value, what in ((0, mass, "u^2"), (1, first, "n u^2"))
    )
    u = x * sp.exp(-k * x**2 / 2)
    solves = Step(
        sp.Derivative(u, (x, 2)),
        "=",
        (LAMBDA / 4 * x**2 - 3 * k) * u,
        "u'' + (mu - lambda n^2/4) u = 0, mu = 3 k",
    )
    text = f"the optimal noise has the mean {claimed}sqrt(8/pi) lambda^(-1/4)"
    value = factor * sp.sqrt(8 / sp.pi) * LAMBDA ** sp.Rational(-1, 4)
    argue = argued(
        solves,
        jacobi(),
        *moments,
        reason="the mean of u^2, integrated",
        conclusion="the optimal noise on [0, oo)",
        lemmas=(SQUARES, VANISHES),
    )
    return Statement(
        said + text + ".",
        parts(Formula(quotient(first, mass), "=", value, argument=argue), Formula(first / mass, ">", ZERO)),
    )


MEANT = sp.sqrt(WEIGHT)
CONNECTED = "The interior of N is connected and its boundary regular enough for a minimiser to exist."


@DOSSIER.disputed(
    "theorem-2.6",
    "The optimal noise with constrained support (Theorem 2.6)",
    condition=CONNECTED,
    reading="the change of variable gamma(n) = sqrt(det Pi) u(Pi^(1/2) n)^2 in its proof",
    printed="The minimiser of (10) is sqrt(det Pi) u(n)^2: u > 0 inside Nbar = Pi^(1/2) N and 0 on its boundary, "
    "Laplacian u + (mu - (lambda/4) n' Pi^-1 n) u = 0 for some mu > 0, and u^2 integrates to one over N. "
    "Formula: mass and Euler-Lagrange residual for p = 1, Pi = w, on an interval between zeros of a "
    "Hermite function.",
    twin="The minimiser is sqrt(det Pi) u(Pi^(1/2) n)^2: u > 0 inside Nbar = Pi^(1/2) N and 0 on its "
    "boundary, Laplacian u + (mu - (lambda/4) n' Pi^-1 n) u = 0 for some mu > 0, and u^2 integrates to "
    "one over Nbar.",
    without="For every N it is sqrt(det Pi) u(Pi^(1/2) n)^2: u > 0 inside Nbar = Pi^(1/2) N and 0 on its "
    "boundary, Laplacian u + (mu - (lambda/4) n' Pi^-1 n) u = 0 for some mu > 0, and u^2 integrates to "
    "one over Nbar. On two intervals with different least levels no mu serves both.",
    at=((ONE, False, None), (MEANT, True, None), (MEANT, True, 3)),
)
def theorem_2_6(stretch: sp.Expr, over_scaled: bool, apart: int | None) -> Parts:
    return constrained(stretch, over_scaled, LAMBDA / (4 * WEIGHT), MEANT, apart=apart)


@DOSSIER.disputed(
    "corollary-2.7",
    "The optimal noise on a box (Corollary 2.7)",
    reading="the change of variable in the proof of Theorem 2.6, which separates in the entries of Pi^(1/2) n",
    printed=(
        "For Pi = diag(vt_1, ..., vt_p) and a box N the minimiser of (10) is sqrt(prod vt_i) (prod "
        "u_i(n_i))^2, where ",
        " [nlo_i, nhi_i], and u_i^2 integrates to one there. Formula: one entry, vt_i = w.",
        ONE,
    ),
    twin=(
        "It is sqrt(prod vt_i) (prod u_i(sqrt(vt_i) n_i))^2, where ",
        " sqrt(vt_i) [nlo_i, nhi_i], and u_i^2 integrates to one there. In the variable n itself the "
        "coefficient is lambda vt_i/4, and the root of vt in front falls away.",
        MEANT,
    ),
)
def corollary_2_7(words: str, value: str, stretch: sp.Expr) -> Statement[Parts]:
    equation = "u_i'' + (mu_i - lambda/(4 vt_i) n_i^2) u_i = 0 with u_i > 0 inside and 0 at the ends of"
    return Statement(
        f"{words}{equation}{value}", constrained(stretch, True, LAMBDA / (4 * WEIGHT), MEANT, True)
    )


@DOSSIER.disputed(
    "claim-schrodinger",
    "Solutions of (11) for each mu",
    printed=(
        "For each mu (11a) has a unique solution (with (11b), up to its scale), and the right mu is the "
        "multiplier of (11c). Formula: ",
        ", every level mu has one.",
        MU,
    ),
    twin=(
        "(11a) and (11b) have a solution for one mu only, the least level, and there it is unique up to its "
        "scale. ",
        ", it is mu = 5 k. Dual ascent can find mu, but below it the inner problem is solved by u = 0 alone.",
        5 * K,
    ),
)
def claim_schrodinger(words: str, value: str, level: sp.Expr) -> Statement[Parts]:
    setting = "On Nbar = [-L, L], L = 1/sqrt(2 k), k = sqrt(lambda/(4 Pi))"
    return Statement(f"{words}{setting}{value}", levels(level))


@DOSSIER.disputed(
    "claim-airy",
    "The equations of Corollary 2.7 and Airy functions",
    printed="The equations (12a) are Airy equations, u'' - z u = 0 in a variable z = c n + t. Formula: the second derivative of "
    "the coefficient of u in n, for every c and t.",
    twin="They are Weber equations, u'' + (a - z^2/4) u = 0 with z = (lambda/vt_i)^(1/4) n: solved by parabolic cylinder "
    "functions.",
    at=(True, False),
)
def claim_airy(airy: bool) -> Parts:
    weber = (LAMBDA / WEIGHT) ** sp.Rational(1, 4)
    scale, form = (SCALE, -S) if airy else (weber, MU / weber**2 - S**2 / 4)
    return canonical(scale, form)
