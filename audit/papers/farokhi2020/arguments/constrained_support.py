"""Arguments about the optimal noise with constrained support, on intervals between zeros of Hermite functions.

Between consecutive zeros of exp(-k s^2/2) H(sqrt(k) s) this function is positive, zero at the ends, and solves
u'' + (mu - k^2 s^2) u = 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import sympy as sp

from .....symbolic.proof.as_written import difference, power, product, quotient, total, value_at
from .....symbolic.proof.derivation import Derivation, Step
from .....symbolic.proof.trace import Column, Symmetric, Trace, gram, identity
from ....dossier import Formula, Instances, Parts, argued, parts
from ....dossier.arguments.bounds_arguments import SQUARES, cancelled

LAMBDA, WEIGHT = sp.symbols("lam w", positive=True)  # lambda and Pi = w, where p = 1
N, S = sp.symbols("n s", real=True)
K = sp.Symbol("k", positive=True)
MU, SCALE = sp.symbols("mu c", positive=True)
SHIFT = sp.Symbol("t", real=True)
ONE, ZERO, HALF = sp.Integer(1), sp.Integer(0), sp.Rational(1, 2)
EXISTS = (
    "a positive minimiser exists on a bounded or unbounded set with connected interior whose boundary is regular, since "
    "lambda > 0 (compact resolvent)"
)
VANISHES = "v^2 grad(u)/u tends to zero at the boundary for v of finite cost that vanishes there"


def jacobi() -> Step:
    """One coordinate of |grad v|^2 = u^2 |grad(v/u)|^2 + div(v^2 grad(u)/u) - v^2 (Laplacian u)/u."""
    u, v = sp.Function("u")(S), sp.Function("v")(S)
    right = total(
        u**2 * sp.Derivative(v / u, S) ** 2,
        sp.Derivative(v**2 * sp.diff(u, S) / u, S),
        product(-1, v**2, sp.diff(u, S, 2) / u),
    )
    return Step(
        sp.diff(v, S) ** 2,
        "=",
        right,
        "Jacobi's identity in one coordinate, summed over all: what is positive and stationary is least",
        lambda left, other: cancelled(left, sp.expand(other.doit())),
        where=(u,),
    )


def scaled_cost() -> tuple[Step, ...]:
    """With s = Pi^(1/2) n: grad_n' Pi^-1 grad_n = |grad_s|^2 and n'n = s' Pi^-1 s, in every dimension."""
    pi, g, s = Symmetric("P"), Column("g"), Column("s")
    return (
        identity(
            Trace(product(g.T, pi**HALF, pi**-1, pi**HALF, g)),
            gram(g),
            "s = Pi^(1/2) n: the slope in n is Pi^(1/2) times the slope in s, and Pi^-1 cancels",
        ),
        identity(
            Trace(product(s.T, pi**-HALF, pi**-HALF, s)),
            Trace(s.T * pi**-1 * s),
            "n = Pi^(-1/2) s has the square s' Pi^-1 s",
        ),
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
        where=(u, v),
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
    bend = stretch**2 * (k**2 * (stretch * N) ** 2 - 5 * k)
    residual = difference(difference(LAMBDA * N**2, product(4 / WEIGHT, bend)), cost_level)
    v = hermite(2, k, stretch * N)
    solves = Step(sp.Derivative(v, (N, 2)), "=", bend * v, "v'' is a multiple of v")
    steps = (*scaled_cost(), solves, jacobi(), *((separation(),) if split else ()))
    optimal = argued(
        *steps,
        reason="what is stationary in n: 4 v''/w - (lambda n^2 - m) v = 0 for v = u(stretch n)",
        how=cancelled,
        conclusion="the minimiser solves (11)",
        lemmas=(SQUARES, EXISTS, VANISHES),
    )

    def total(formula: Formula) -> Derivation:
        general = Step(
            sp.Derivative(sp.sqrt(WEIGHT) * N, N),
            "=",
            sp.sqrt(WEIGHT),
            "ds = sqrt(det Pi) dn: the mass is the integral of u^2 over the scaled set",
        )
        unit, turn = (end * sp.sqrt(WEIGHT) if over_scaled else end) * sp.sqrt(k), stretch * sp.sqrt(k)
        above = quotient(product(2, value_at(_half_mass(N), {N: end * turn})), turn)
        below = quotient(product(2, value_at(_half_mass(N), {N: unit})), sp.sqrt(k))
        whole = product(constant, quotient(above, below))
        ties = (
            Step(formula.left, "=", whole, "the mass of this density, integrated"),
            Step(whole, "=", formula.right, "which is the mass that is claimed"),
        )
        slope = Step(
            sp.Derivative(_half_mass(N), N), "=", sp.hermite(2, N) ** 2 * sp.exp(-(N**2)), "the integral used"
        )
        return Derivation("the density has mass one", (general, slope, *ties))

    found = [Formula(mass, "=", ONE, argument=total), Formula(residual, "=", ZERO, argument=optimal)]
    if apart is not None:
        beyond = _level(apart, k, stretch, sp.Integer(2)) - cost_level
        found.append(Formula(sp.simplify(beyond), "=", ZERO))
    return parts(*found)


def _level(number: int, k: sp.Expr, stretch: sp.Expr, at: sp.Expr) -> sp.Expr:
    """lambda n^2 - (4/w) v''/v at n for v(n) = hermite(number, k, stretch n): a constant m, if v is stationary."""
    v = hermite(number, k, stretch * N)
    value = LAMBDA * N**2 - 4 / WEIGHT * sp.simplify(sp.diff(v, N, 2) / v)
    return sp.simplify(value).subs(N, at)


@cache
def levels(level: sp.Expr) -> Parts:
    """A positive u with u(+-L) = 0, L = 1/sqrt(2 k), exists for this level mu only if mu = 5 k."""
    u, v = sp.Function("u")(S), sp.Function("v")(S)
    m, n = sp.symbols("m_u m_v", real=True)
    bends = {sp.diff(u, S, 2): (K**2 * S**2 - m) * u, sp.diff(v, S, 2): (K**2 * S**2 - n) * v}
    slope = u * sp.diff(v, S, 2) - v * sp.diff(u, S, 2)
    crossed = Step(
        sp.Derivative(u * sp.diff(v, S) - v * sp.diff(u, S), S),
        "=",
        slope,
        "the slope of u v' - v u', which is zero at both ends",
    )
    wronskian = Step(
        value_at(slope, bends),
        "=",
        (m - n) * u * v,
        "two positive solutions that vanish at the ends: (m_u - m_v) int u v = 0, so the levels agree; in R^p by Green's formula",
        cancelled,
    )
    known = hermite(2, K, S)
    ground = Step(
        sp.Derivative(known, (S, 2)),
        "=",
        (K**2 * S**2 - 5 * K) * known,
        "the second Hermite function has the level 5 k",
    )
    ends = Step(
        value_at(known, {S: 1 / sp.sqrt(2 * K)}),
        "=",
        ZERO,
        "it vanishes at L and has no zero between -L and L",
    )

    def argue(formula: Formula) -> Derivation:
        level = product(total(product(2, 2), 1), K)
        at_zero = quotient(value_at(sp.diff(known, S, 2), {S: ZERO}), value_at(known, {S: ZERO}))
        ties = (
            Step(
                formula.left, "=", level, "the level of the formula is that of Hermite function 2", cancelled
            ),
            Step(
                formula.right,
                "=",
                product(-1, at_zero),
                "and so is the one that it is compared with: -u''/u at 0",
            ),
        )
        lemma = (
            "a positive eigenfunction belongs to a simple eigenvalue: u is unique up to its scale, which (11c) fixes",
            EXISTS,
        )
        return Derivation("one level only", (crossed, wronskian, ground, ends, jacobi(), *ties), lemma)

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


@cache
def canonical(scale: sp.Expr, form: sp.Expr) -> Parts:
    """u_zz + form(z) u = 0 with z = scale n + t: in n the coefficient is scale^2 form(scale n + t), bent like mu - lambda n^2/(4 w)."""
    ours = MU - LAMBDA / (4 * WEIGHT) * N**2
    u = sp.Function("u")
    chain = Step(
        sp.Derivative(u(SCALE * N + SHIFT), (N, 2)),
        "=",
        SCALE**2 * sp.Subs(sp.diff(u(S), S, 2), S, SCALE * N + SHIFT),
        "z = scale n + t: two derivatives in n give scale^2 times two in z",
    )
    argue = argued(
        chain,
        Step(
            product(scale**2, value_at(form, {S: scale * N})),
            "=",
            ours,
            "for t = 0 the coefficients agree",
            cancelled,
        ),
        reason="second derivatives of both coefficients in n",
        how=cancelled,
        conclusion="the equation in its standard variable",
    )
    bent = product(scale**2, power(scale, 2), value_at(sp.diff(form, S, 2), {S: scale * N + SHIFT}))
    return parts(Formula(bent, "=", sp.diff(ours, N, 2), argument=argue))
