"""The proof of Theorem 1: variations of the Fisher information and of Tr I^-1 (Appendix B)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import sympy as sp

from ....symbolic.proof.as_written import difference, power, product, quotient, total, value_at, weighted
from ....symbolic.proof.derivation import Step, evaluated
from ....symbolic.proof.trace import Column, Letter, Symmetric, Trace, identity
from ...dossier import ARGUED, Formula, Instances, Parts, Statement, argued, parts
from ...dossier.arguments.bounds_arguments import expanded
from .dossier import DOSSIER

# Value, two slopes and mixed second derivative of a density (of its root: u, p, s) at one point.
V, U = sp.symbols("v u", positive=True)
GK, GL, H = sp.symbols("gk gl h", real=True)
PK, PL, S = sp.symbols("pk pl s", real=True)
LAM, MU = sp.Symbol("lam", positive=True), sp.Symbol("mu", real=True)


def euler_lagrange(along: int = 2) -> sp.Expr:
    """The variational derivative of int gamma_k gamma_l/gamma, by differentiation; `along` = 1 takes k = l.

    As a function of the density v, its slopes gk, gl and its second derivative h along both.
    """
    a, b = sp.symbols("a b", real=True)
    second = b if along == 2 else a
    density = sp.Function("f", positive=True)(a, b)
    value, slopes = sp.Symbol("value", positive=True), sp.symbols("slope_k slope_l", real=True)
    integrand = slopes[0] * slopes[1] / value
    here = {value: density, slopes[0]: density.diff(a), slopes[1]: density.diff(second)}
    found = sp.diff(integrand, value).subs(here)
    found -= sp.diff(integrand.diff(slopes[0]).subs(here), a) + sp.diff(
        integrand.diff(slopes[1]).subs(here), second
    )
    names = {
        density.diff(a, second): H,
        density.diff(a): GK,
        density.diff(second): GL if along == 2 else GK,
        density: V,
    }
    for derivative, name in names.items():
        found = found.subs(derivative, name)
    return sp.expand(found)


def kernel(outer: sp.Expr, inner: sp.Expr) -> sp.Expr:
    """The printed kernel outer gk gl/v^2 - inner h/v for one pair of coordinates."""
    return outer * GK * GL / V**2 - inner * H / V


def kernel_written(outer: sp.Expr, inner: sp.Expr, slope: sp.Expr) -> sp.Expr:
    """The same with `slope` for gl, its quotients kept apart."""
    return difference(
        weighted(outer, quotient(product(GK, slope), power(V, 2))), product(inner, quotient(H, V))
    )


def variation_written(slope: sp.Expr) -> sp.Expr:
    """F_v - D_k F_gk - D_l F_gl for F = gk gl/v: -gk gl/v^2, and twice D(g/v) = h/v - gk gl/v^2."""
    square = quotient(product(GK, slope), power(V, 2))
    along = difference(quotient(H, V), square)
    return total(product(-1, square), product(-1, along), product(-1, along))


def from_root(expression: sp.Expr) -> sp.Expr:
    """The same with the density v = u^2: slopes 2 u p, second derivative 2 pk pl + 2 u s."""
    return sp.expand(
        expression.subs(
            {V: U**2, GK: 2 * U * PK, GL: 2 * U * PL, H: 2 * PK * PL + 2 * U * S}, simultaneous=True
        )
    )


@DOSSIER.disputed(
    "appendix-b-delta-I",
    "Variation of the Fisher information (Appendix B)",
    printed="delta I = int [ C' g g' C/gamma^2 - 2 C' H C/gamma ] delta gamma, with the gradient g and the "
    "Hessian H of gamma.",
    twin="The Hessian has the factor 2.02.",
    at=(sp.Integer(2), sp.Rational(202, 100)),
)
def delta_information(inner: sp.Expr) -> Formula:
    """The sums over k, l are linear combinations of this one pair; the diagonal pairs have k = l."""
    outer = sp.Integer(1)
    a, b = sp.symbols("a b", real=True)
    f, d = sp.Function("f", positive=True)(a, b), sp.Function("d")(a, b)
    fk, fl, dk, dl = f.diff(a), f.diff(b), d.diff(a), d.diff(b)
    variation = -fk * fl / f**2 * d + (fk * dl + fl * dk) / f
    divergence = sp.diff(fl / f * d, a) + sp.diff(fk / f * d, b)
    printed = outer * fk * fl / f**2 - inner * f.diff(a, b) / f
    steps = (
        Step(
            variation - divergence,
            "=",
            printed * d,
            "the variation of gamma_k gamma_l/gamma is the kernel times delta gamma and a divergence",
            how=expanded,
        ),
        Step(
            kernel_written(outer, inner, GK),
            "=",
            euler_lagrange(1),
            "the same for k = l, by the Euler-Lagrange derivative",
        ),
    )
    lemmas = ("delta gamma vanishes near the boundary of W, so that the divergence integrates to zero",)
    return Formula(
        kernel(outer, inner),
        "=",
        euler_lagrange(),
        argument=argued(*steps, lemmas=lemmas, written=variation_written(GL)),
    )


@DOSSIER.disputed(
    "appendix-b-delta-trace",
    "Variation of the trace of the inverse (Appendix B)",
    printed=("I^-1 (delta I) I^-1) = -Tr(I^-2", sp.Integer(2)),
    twin=("I^-2.02", sp.Rational(202, 100)),
)
def delta_trace(words: str, exponent: sp.Expr) -> Statement[Formula]:
    """The inverse of I + h D to first order, for matrices of every size."""

    h, d = sp.symbols("h d", real=True)
    information, change, e = Symmetric("I"), Symmetric("D"), Letter("E")
    inverse = information**-1
    first = inverse - h * inverse * change * inverse
    steps = (
        identity(
            Trace(e * first * (information + h * change)),
            Trace(e) - h**2 * Trace(e * inverse * change * inverse * change),
            "I^-1 - h I^-1 D I^-1 inverts I + h D up to h^2 (E is arbitrary)",
        ),
        identity(
            -Trace(inverse * change * inverse),
            -Trace(information**-exponent * change),
            "the trace does not change under rotation",
        ),
    )
    derived = sp.diff(1 / (LAM + h * d), h).subs(h, 0)
    return Statement(
        f"delta Tr I^-1 = -Tr({words} delta I).",
        Formula(
            -(LAM**-exponent) * d,
            "=",
            derived,
            # The derivative of 1/(lam + h d) in h, at h = 0.
            argument=argued(*steps, written=product(-d, power(total(LAM, product(0, d)), -2))),
        ),
    )


@DOSSIER.disputed(
    "appendix-b-lagrangian",
    "Stationarity of the Lagrangian (Appendix B)",
    printed="Where Tr I^-1 + mu (int gamma - 1) is stationary, Tr(I^-2 [C' g g' C/gamma^2 - 2 C' H C/gamma]) - "
    "mu = 0 at every w: the left side is minus the variational derivative.",
    twin="The last term is 1.01 mu.",
    at=(sp.Integer(1), sp.Rational(101, 100)),
)
def lagrangian(factor: sp.Expr) -> Formula:
    """For two coordinates of the noise and one entry of x; the trace is linear in the kernel."""

    h = sp.Symbol("step", real=True)
    change = sp.diff(1 / (LAM + h * euler_lagrange()), h).subs(h, 0) + MU
    information, k = Symmetric("I"), Symmetric("K")
    steps = (
        identity(
            -Trace(information**-1 * k * information**-1) + MU,
            -(Trace(information**-2 * k) - factor * MU),
            "delta(Tr I^-1 + mu int gamma) per delta gamma is minus the printed side, for the kernel K of delta I",
        ),
        Step(
            kernel(sp.Integer(1), sp.Integer(2)),
            "=",
            variation_written(GL),
            "the kernel of delta I, by Euler's expression of gk gl/v",
        ),
    )
    lemmas = (
        "fundamental lemma of the calculus of variations: a variation that vanishes for all delta gamma vanishes pointwise",
    )
    printed = kernel(sp.Integer(1), sp.Integer(2)) / LAM**2 - factor * MU
    return Formula(printed, "=", sp.expand(-change), argument=argued(*steps, lemmas=lemmas))


@DOSSIER.disputed(
    "eq-17",
    "Stationarity in terms of the root of the density (equation 17)",
    printed="With gamma = u^2 stationarity reads mu + (4/u) Tr(I^-2 C' D^2u C) = 0, and where u is not 0 Tr(I^-2 "
    "C' D^2u C) + (mu/4) u = 0.",
    twin="The factor is 4.04/u.",
    at=(sp.Integer(4), sp.Rational(404, 100)),
)
def equation_17(factor: sp.Expr) -> Formula:
    """The terms with gradients cancel; what is left is linear in D^2 u."""

    stationary = kernel(sp.Integer(1), sp.Integer(2)) / LAM**2 - MU
    printed = MU + factor * S / (U * LAM**2)
    b, p, hessian = Symmetric("B"), Column("p"), Symmetric("S")
    steps = (
        identity(
            Trace(b * (4 * U**2 * p * p.T) / U**4 - b * (2 * p * p.T + 2 * U * hessian) * 2 / U**2),
            -factor / U * Trace(b * hessian),
            "with gradient 2 u p and Hessian 2 p p' + 2 u S of u^2, for B = C I^-2 C' of every size",
        ),
        Step(
            product(printed, quotient(U, 4)),
            "=",
            S / LAM**2 + (MU / 4) * U,
            "times u/4: the second form, with mu/4 for mu",
        ),
    )
    square, slopes = power(U, 2), product(2 * U * PK, 2 * U * PL)
    hessian_of_square = total(product(2, PK, PL), product(2, U, S))
    in_root = difference(quotient(slopes, power(square, 2)), product(2, quotient(hessian_of_square, square)))
    written = difference(MU, quotient(in_root, LAM**2))
    return Formula(printed, "=", from_root(-stationary), argument=argued(*steps, written=written))


@DOSSIER.disputed(
    "appendix-b-nodal",
    "A root with a zero inside does not solve (17) (Appendix B)",
    checks=ARGUED,
    condition="u >= 0 is twice differentiable, C is square and invertible and the interior of W is connected. u = "
    "sqrt(2) sin(2 pi w) on [0, 1], whose square is a density, vanishes at 1/2 and solves the equation.",
    printed="If u, not identically 0, vanishes at an interior point of W, (17) holds for no mu.",
    without="The same for u of any sign with gamma = u^2.",
    at=(True, False),
)
def nodal(nonnegative: bool) -> Parts:
    """A root of least u >= 0 that touches 0 would be flat there; sin(2 pi w) crosses 0 and solves the equation."""

    w, zero, a, b = sp.symbols("w w0 a b", real=True)
    rate = sp.Symbol("k", positive=True)
    solution = a * sp.cos(rate * (w - zero)) + b * sp.sin(rate * (w - zero))
    vanishing = solution.subs(a, 0)
    t = sp.Symbol("t", real=True)
    steps = (
        Step(
            sp.Derivative(solution, (w, 2)),
            "=",
            -(rate**2) * solution,
            "all solutions of u'' + k^2 u = 0 (two constants)",
        ),
        Step(value_at(solution, {w: zero}), "=", a, "u(w0) = 0 leaves a = 0", evaluated),
    )
    both = vanishing.subs(w, zero + t) * vanishing.subs(w, zero - t)
    lemmas = (
        "in one dimension: u changes sign at w0 unless b = 0, so that u >= 0 is zero throughout; in more dimensions the strong "
        "maximum principle (Gilbarg and Trudinger, Theorem 8.19) says the same",
    )
    sides = product(value_at(vanishing, {w: zero + t}), value_at(vanishing, {w: zero - t}))
    formula = Formula(
        -((b * sp.sin(rate * t)) ** 2),
        "=",
        both,
        argument=argued(*steps, lemmas=lemmas, how=evaluated, written=sides),
    )

    def draw(rng: np.random.Generator) -> Iterable[dict[str, Any]]:
        for k in (1, 2, int(rng.integers(3, 9))):
            probes = [f"{j}/{8 * k}" for j in range(1, 8 * k, 2)]
            wave = {"zero": f"1/{2 * k}", "probes": probes, "mu": f"4*{k}**2*pi**2"}
            yield {"u": f"sin({2 * k}*pi*w)**2", **wave}
            yield {"u": f"sqrt(2)*sin({2 * k}*pi*w)", **wave}

    found = Instances(
        "zero of a solution",
        {"nonnegative": nonnegative},
        draw,
        "a function that vanishes inside W solves (17) for no mu",
    )
    return parts(formula, instances=found, missing="" if nonnegative else "a solution may cross zero")
