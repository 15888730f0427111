"""Noise with constrained support: problem (10), Theorem 2.6, Corollary 2.7 and the equations that they lead to.

The smallest instances are exact: between consecutive zeros of a Hermite function exp(-k s^2/2) H(sqrt(k) s) this function is
positive inside, zero at the ends, and solves u'' + (mu - k^2 s^2) u = 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import sympy as sp

from ....symbolic.proof.derivation import Derivation, Step
from ....symbolic.proof.trace import Column, Symmetric, Trace, gram, identity
from ...dossier.arguments.bounds_arguments import SQUARES, cancelled
from ...dossier.formula import Formula, argued
from ...dossier.instances import Instances
from ...dossier.paper_claim import Statement
from ...dossier.parts import Parts, parts
from .dossier import DOSSIER

LAMBDA, WEIGHT = sp.symbols("lam w", positive=True)  # lambda and Pi = w, where p = 1
N, S = sp.symbols("n s", real=True)
K = sp.Symbol("k", positive=True)
MU, SCALE, FACTOR = sp.symbols("mu c theta", positive=True)
SHIFT = sp.Symbol("t", real=True)
ONE, ZERO, HALF = sp.Integer(1), sp.Integer(0), sp.Rational(1, 2)
ONE_PER_CENT = sp.Rational(101, 100)
EXISTS = (
    "a positive minimiser exists on a bounded or unbounded set with connected interior whose boundary is regular, since "
    "lambda > 0 (compact resolvent)"
)
VANISHES = "v^2 grad(u)/u tends to zero at the boundary for v of finite cost that vanishes there"


def jacobi() -> Step:
    """One coordinate of |grad v|^2 = u^2 |grad(v/u)|^2 + div(v^2 grad(u)/u) - v^2 (Laplacian u)/u."""
    u, v = sp.Function("u")(S), sp.Function("v")(S)
    right = u**2 * sp.diff(v / u, S) ** 2 + sp.diff(v**2 * sp.diff(u, S) / u, S) - v**2 * sp.diff(u, S, 2) / u
    return Step(
        sp.diff(v, S) ** 2,
        "=",
        sp.expand(right),
        "Jacobi's identity in one coordinate, summed over all: what is positive and stationary is least",
        lambda left, other: cancelled(left, sp.expand(other)),
    )


def scaled_cost() -> tuple[Step, ...]:
    """With s = Pi^(1/2) n: grad_n' Pi^-1 grad_n = |grad_s|^2 and n'n = s' Pi^-1 s, in every dimension."""
    pi, g, s = Symmetric("P"), Column("g"), Column("s")
    moved = pi**HALF * g
    return (
        identity(
            Trace((g.T * pi**HALF) * pi**-1 * moved),
            gram(g),
            "s = Pi^(1/2) n: the slope in n is Pi^(1/2) times the slope in s, and Pi^-1 cancels",
        ),
        identity(gram(pi**-HALF * s), Trace(s.T * pi**-1 * s), "n = Pi^(-1/2) s has the square s' Pi^-1 s"),
    )


def separation() -> Step:
    """The Laplacian of a product of positive factors, divided by it, is a sum over the factors."""
    a, b = sp.symbols("s1 s2", real=True)
    u, v = sp.Function("u")(a), sp.Function("v")(b)
    whole = (sp.diff(u * v, a, 2) + sp.diff(u * v, b, 2)) / (u * v)
    apart = sp.diff(u, a, 2) / u + sp.diff(v, b, 2) / v
    return Step(
        whole,
        "=",
        apart,
        "the equation of a product splits into one for each entry, mu is the sum",
        cancelled,
    )


def hermite(level: int, k: sp.Expr, at: sp.Expr) -> sp.Expr:
    """H_level(sqrt(k) s) exp(-k s^2/2) at s; it solves u'' + ((2 level + 1) k - k^2 s^2) u = 0."""
    return sp.expand(sp.hermite(level, sp.sqrt(k) * at)) * sp.exp(-k * at**2 / 2)


@cache
def _mass(end: sp.Expr, stretch: sp.Expr, k: sp.Expr) -> sp.Expr:
    """The integral of hermite(2, k, stretch n)^2 over |n| <= end."""
    inner = 2 * _half_mass(end * stretch * sp.sqrt(k))
    return inner / (stretch * sp.sqrt(k))


def _half_mass(end: sp.Expr) -> sp.Expr:
    """The integral of (4 t^2 - 2)^2 exp(-t^2) over [0, end]."""
    return 4 * sp.sqrt(sp.pi) * sp.erf(end) - (8 * end**3 + 4 * end) * sp.exp(-(end**2))


@cache
def constrained(
    stretch: sp.Expr,
    over_scaled: bool,
    coefficient: sp.Expr,
    constant: sp.Expr,
    split: bool = False,
    apart: int | None = None,
) -> Parts:
    """p = 1, Pi = w: gamma(n) = constant u(stretch n)^2 on N = [-r, r], u'' + (mu - coefficient s^2) u = 0 on sqrt(w) N.

    u is the second Hermite function between its inner zeros, +-r sqrt(w), and its square integrates to one over N, or over
    sqrt(w) N if `over_scaled`.  `split` adds the separation of entries; `apart` adds a second interval, beyond the largest zero
    of the Hermite function of this number, on which the same mu is asked for.
    """
    k = sp.sqrt(coefficient)
    end = 1 / sp.sqrt(2 * k * WEIGHT)
    norm = _mass(end * sp.sqrt(WEIGHT) if over_scaled else end, ONE, k)
    mass = constant * _mass(end, stretch, k) / norm
    cost_level = _level(2, k, stretch, ZERO)
    residual = _level(2, k, stretch, N) - cost_level
    steps = (*scaled_cost(), jacobi(), *((separation(),) if split else ()))
    optimal = argued(
        *steps,
        reason="what is stationary in n: 4 v''/w - (lambda n^2 - m) v = 0 for v = u(stretch n)",
        how=cancelled,
        conclusion="the minimiser solves (11)",
        lemmas=(SQUARES, EXISTS, VANISHES),
    )

    def total(formula: Formula) -> Derivation:
        z = sp.Symbol("z", positive=True)
        general = Step(
            sp.sqrt(z) * (1 / sp.sqrt(z)),
            "=",
            ONE,
            "ds = sqrt(det Pi) dn: the mass is the integral of u^2 over the scaled set",
        )
        ties = (
            Step(formula.left, "=", ONE, "the mass of this density, integrated"),
            Step(formula.right, "=", ONE, "the mass that is claimed"),
        )
        slope = Step(
            sp.diff(_half_mass(N), N), "=", sp.hermite(2, N) ** 2 * sp.exp(-(N**2)), "the integral used"
        )
        return Derivation("the density has mass one", (general, slope, *ties))

    found = [
        Formula(mass, "=", ONE, argument=total),
        Formula(sp.simplify(residual), "=", ZERO, argument=optimal),
    ]
    if apart is not None:
        beyond = _level(apart, k, stretch, sp.Integer(2)) - cost_level
        found.append(Formula(sp.simplify(beyond), "=", ZERO))
    return parts(*found)


def _level(number: int, k: sp.Expr, stretch: sp.Expr, at: sp.Expr) -> sp.Expr:
    """lambda n^2 - (4/w) v''/v at n for v(n) = hermite(number, k, stretch n): a constant m, if v is stationary."""
    v = hermite(number, k, stretch * N)
    value = LAMBDA * N**2 - 4 / WEIGHT * sp.simplify(sp.diff(v, N, 2) / v)
    return sp.simplify(value).subs(N, at)


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
    first, mass = (sp.integrate(sp.expand(x**j * square), (x, 0, sp.oo)) for j in (1, 0))
    mean = sp.simplify(first / mass)
    u = x * sp.exp(-k * x**2 / 2)
    solves = Step(
        sp.simplify(sp.diff(u, x, 2) / u),
        "=",
        LAMBDA / 4 * x**2 - 3 * k,
        "u'' + (mu - lambda n^2/4) u = 0, mu = 3 k",
    )
    text = f"the optimal noise has the mean {claimed}sqrt(8/pi) lambda^(-1/4)"
    value = factor * sp.sqrt(8 / sp.pi) * LAMBDA ** sp.Rational(-1, 4)
    argue = argued(
        solves,
        jacobi(),
        reason="the mean of u^2, integrated",
        conclusion="the optimal noise on [0, oo)",
        lemmas=(SQUARES, VANISHES),
    )
    return Statement(
        said + text + ".", parts(Formula(mean, "=", value, argument=argue), Formula(mean, ">", ZERO))
    )


MEANT = sp.sqrt(WEIGHT)
CONNECTED = "The interior of N is connected and its boundary regular enough for a minimiser to exist."


@DOSSIER.disputed(
    "theorem-2.6",
    "The optimal noise with constrained support (Theorem 2.6)",
    condition=CONNECTED,
    reading="the change of variable gamma(n) = sqrt(det Pi) u(Pi^(1/2) n)^2 in its proof",
    printed=(
        "The minimiser of (10) is sqrt(det Pi) u(n)^2: u > 0 inside Nbar = Pi^(1/2) N and 0 on its boundary, "
        "Laplacian u + (mu - (lambda/4) n' Pi^-1 n) u = 0 for some mu > 0, and u^2 integrates to one over N. "
        "Formula: mass and Euler-Lagrange residual for p = 1, Pi = w, on an interval between zeros of a "
        "Hermite function.",
        ONE,
        False,
        None,
    ),
    twin=(
        "The minimiser is sqrt(det Pi) u(Pi^(1/2) n)^2: u > 0 inside Nbar = Pi^(1/2) N and 0 on its "
        "boundary, Laplacian u + (mu - (lambda/4) n' Pi^-1 n) u = 0 for some mu > 0, and u^2 integrates to "
        "one over Nbar.",
        MEANT,
        True,
        None,
    ),
    without=(
        "For every N it is sqrt(det Pi) u(Pi^(1/2) n)^2: u > 0 inside Nbar = Pi^(1/2) N and 0 on its "
        "boundary, Laplacian u + (mu - (lambda/4) n' Pi^-1 n) u = 0 for some mu > 0, and u^2 integrates to "
        "one over Nbar. On two intervals with different least levels no mu serves both.",
        MEANT,
        True,
        3,
    ),
)
def theorem_2_6(text: str, stretch: sp.Expr, over_scaled: bool, apart: Any) -> Statement[Parts]:
    return Statement(text, constrained(stretch, over_scaled, LAMBDA / (4 * WEIGHT), MEANT, apart=apart))


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


@cache
def levels(level: sp.Expr) -> Parts:
    """A positive u with u(+-L) = 0, L = 1/sqrt(2 k), exists for this level mu only if mu = 5 k."""
    u, v = sp.Function("u")(S), sp.Function("v")(S)
    m, n = sp.symbols("m_u m_v", real=True)
    bends = {sp.diff(u, S, 2): (K**2 * S**2 - m) * u, sp.diff(v, S, 2): (K**2 * S**2 - n) * v}
    wronskian = Step(
        sp.expand(sp.diff(u * sp.diff(v, S) - v * sp.diff(u, S), S).subs(bends)),
        "=",
        sp.expand((m - n) * u * v),
        "two positive solutions that vanish at the ends: (m_u - m_v) int u v = 0, so the levels agree; in R^p by Green's formula",
        cancelled,
    )
    known = hermite(2, K, S)
    ground = Step(
        sp.simplify(sp.diff(known, S, 2) / known),
        "=",
        K**2 * S**2 - 5 * K,
        "the second Hermite function has the level 5 k",
    )
    ends = Step(
        hermite(2, K, 1 / sp.sqrt(2 * K)), "=", ZERO, "it vanishes at L and has no zero between -L and L"
    )

    def argue(formula: Formula) -> Derivation:
        ties = (
            Step(formula.left, "=", 5 * K, "the level of the formula is that one", cancelled),
            Step(formula.right, "=", 5 * K, "and so is the one that it is compared with", cancelled),
        )
        lemma = (
            "a positive eigenfunction belongs to a simple eigenvalue: u is unique up to its scale, which (11c) fixes",
            EXISTS,
        )
        return Derivation("one level only", (wronskian, ground, ends, jacobi(), *ties), lemma)

    def draw(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
        for k in ("1", "2", "1/3"):
            yield {"k": k, "mu": k}
            yield {"k": k, "mu": str(sp.Rational(int(rng.integers(1, 400)), 7))}

    printed = {"level": sp.sstr(level), "end": "1/sqrt(2*k)"}
    what = "a nonzero solution vanishes at both ends of [-L, L], L = 1/sqrt(2 k)"
    return parts(
        Formula(level, "=", 5 * K, argument=argue),
        instances=Instances("a solution at this level", printed, draw, what),
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


@cache
def canonical(scale: sp.Expr, form: sp.Expr) -> Parts:
    """u_zz + form(z) u = 0 with z = scale n + t: in n the coefficient is scale^2 form(scale n + t), bent like mu - lambda n^2/(4 w)."""
    moved = scale**2 * form.subs(S, scale * N + SHIFT)
    ours = MU - LAMBDA / (4 * WEIGHT) * N**2
    u = sp.Function("u")
    chain = Step(
        sp.diff(u(SCALE * N + SHIFT), N, 2).doit(),
        "=",
        SCALE**2 * sp.Subs(sp.diff(u(S), S, 2), S, SCALE * N + SHIFT).doit(),
        "z = scale n + t: two derivatives in n give scale^2 times two in z",
    )
    argue = argued(
        chain,
        Step(sp.simplify(moved.subs(SHIFT, 0)), "=", ours, "for t = 0 the coefficients agree", cancelled),
        reason="second derivatives of both coefficients in n",
        how=cancelled,
        conclusion="the equation in its standard variable",
    )
    return parts(Formula(sp.diff(moved, N, 2), "=", sp.diff(ours, N, 2), argument=argue))


@DOSSIER.disputed(
    "claim-airy",
    "The equations of Corollary 2.7 and Airy functions",
    printed=(
        "The equations (12a) are Airy equations, u'' - z u = 0 in a variable z = c n + t. Formula: the second derivative of "
        "the coefficient of u in n, for every c and t.",
        True,
    ),
    twin=(
        "They are Weber equations, u'' + (a - z^2/4) u = 0 with z = (lambda/vt_i)^(1/4) n: solved by parabolic cylinder "
        "functions.",
        False,
    ),
)
def claim_airy(text: str, airy: bool) -> Statement[Parts]:
    weber = (LAMBDA / WEIGHT) ** sp.Rational(1, 4)
    scale, form = (SCALE, -S) if airy else (weber, MU / weber**2 - S**2 / 4)
    return Statement(text, canonical(scale, form))
