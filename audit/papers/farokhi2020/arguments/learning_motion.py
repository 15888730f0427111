"""How the minimiser of a smooth loss moves with its data: appendix G of Farokhi (2020)."""

from __future__ import annotations

import sympy as sp

from .....symbolic.proof import as_written as written
from .....symbolic.proof.derivation import Derivation, Step
from .....symbolic.proof.expressions import parse
from .....symbolic.proof.trace import Column, Letter, Symmetric, Trace, gram, identity
from ....dossier.arguments.bounds_arguments import cancelled
from ....dossier.formula import Formula, argued, direction
from ....dossier.parts import Parts

_IMPLICIT = "implicit function theorem: D^2_phi l is invertible, so the stationary points form a differentiable branch"


def _symmetric(name: str) -> sp.Matrix:
    x11, x12, x22 = sp.symbols(f"{name}11 {name}12 {name}22", real=True)
    return sp.Matrix([[x11, x12], [x12, x22]])


def variation(factor: sp.Expr) -> Formula:
    """H g + `factor` m, in any direction e, against d/dt of the gradient of l along phi = g t + b t^2, x = t."""
    h, e = _symmetric("h"), sp.Matrix(sp.symbols("e1 e2", real=True))
    g, m, b = (sp.Matrix(sp.symbols(f"{n}1 {n}2", real=True)) for n in "gmb")
    c1, c2, c3, d1, d2, t = sp.symbols("c1 c2 c3 d1 d2 t", real=True)
    f, x = sp.Matrix(sp.symbols("f1 f2", real=True)), sp.Symbol("x", real=True)
    # All derivatives of l at the model up to the second, and some of the third, are free.
    loss = (
        (f.T * h * f)[0] / 2
        + (m.T * f)[0] * x
        + c1 * f[0] ** 3
        + c2 * f[0] * f[1] ** 2
        + c3 * f[0] * f[1] * x
    )
    loss += d1 * f[0] * x**2 + d2 * f[1] * x**2
    along = dict(zip(f, g * t + b * t**2, strict=True)) | {x: t}
    total = [sp.diff(sp.diff(loss, f[i]).subs(along, simultaneous=True), t).subs(t, 0) for i in range(2)]
    printed = h * g + factor * m
    lemma = "the gradient is zero at every model of the branch, so its derivative along the branch is zero"
    argument = argued(
        reason="the derivative along the branch, by the chain rule",
        conclusion="variation of the optimality condition",
        lemmas=(lemma,),
    )
    return Formula((e.T * printed)[0], "=", sp.expand((e.T * sp.Matrix(total))[0]), argument=argument)


def branch_at_a_kink(curve: str) -> Formula:
    """D^2 l g + d/dx d/dphi l = 0 for l = `curve`(phi) - x phi at the data x whose model is 0, and any g."""
    phi, x, g = sp.symbols("phi x g", real=True)
    loss = parse(curve, {"phi": phi}) - x * phi
    return Formula(sp.diff(loss, phi, 2).subs(phi, 0) * g + sp.diff(loss, phi, x), "=", sp.Integer(0))


def solved(factor: sp.Expr) -> Formula:
    """-`factor` H^-1 m, in any direction e, against the solution of H g + m = 0."""
    h11, rest = sp.symbols("h11 r", nonzero=True)
    h12, e1, e2, g1, g2, m1, m2 = sp.symbols("h12 e1 e2 g1 g2 m1 m2", real=True)
    h, m = sp.Matrix([[h11, h12], [h12, rest + h12**2 / h11]]), sp.Matrix([m1, m2])
    found = sp.solve(list(h * sp.Matrix([g1, g2]) + m), [g1, g2])
    printed = -factor * h.inv() * m
    left = e1 * printed[0] + e2 * printed[1]
    return Formula(left, "=", sp.cancel(e1 * found[g1] + e2 * found[g2]), argument=_slope)


def _slope(formula: Formula) -> Derivation:
    h, m, e = Symmetric("H"), Letter("M"), Letter("E")
    steps = (
        identity(
            Trace(written.product(e, h, h**-1, m)),
            Trace(e * m),
            "H (H^-1 M) = M, for any number of parameters and records",
        ),
        Step(
            formula.left,
            "=",
            formula.right,
            "the formula against the solution of H g + m = 0, two parameters",
            cancelled,
        ),
    )
    return Derivation("slope of the model", steps, (_IMPLICIT,))


def mean_motion(data: str) -> Formula:
    """|phibar - phi|^2 <= (H^-1 D_{x phi} l at `data`)^2 n^2 for l = (phi - x^2)^2/2; `data` is a text in x and n."""
    x, n, phi = sp.symbols("x n phi", real=True)
    loss = (phi - x**2) ** 2 / 2
    model = sp.solve(sp.diff(loss, phi), phi)[0]
    slope = (sp.diff(loss, phi, x) / sp.diff(loss, phi, 2)).subs(x, parse(data, {"x": x, "n": n}))
    left = written.power(written.difference(written.value_at(model, {x: x + n}), model), 2)

    def argument(formula: Formula) -> Derivation:
        last = Step(formula.left, "<=", formula.right, "the loss at hand")
        steps = (*_slope(formula).steps[:1], direction(formula, "<="), last)
        lemmas = (
            _IMPLICIT,
            "strong convexity: the branch through the model is the minimiser for all data between x and xbar",
            "mean value inequality for the model along the segment from x to xbar",
        )
        return Derivation(
            "the model moves by its largest slope on the segment times the noise", steps, lemmas
        )

    return Formula(left, "<=", written.power(written.product(slope, n), 2), argument=argument)


def second_moment(factor: sp.Expr) -> Parts:
    """q V + q (q - 1) sqrt(V^2) = `factor` q^2 V, and E(sum |n_i|)^2 <= `factor` q^2 s^2 for q normal numbers."""
    q = sp.Symbol("q", integer=True, positive=True)
    v, s = sp.symbols("V s", positive=True)
    equal = Formula(q * v + q * (q - 1) * sp.sqrt(v**2), "=", factor * q**2 * v, argument=_jensen)
    n = sp.Symbol("n", positive=True)
    size = 2 * sp.integrate(n * sp.exp(-(n**2) / (2 * s**2)) / sp.sqrt(2 * sp.pi * s**2), (n, 0, sp.oo))
    return Parts((equal, Formula(sp.factor(q * s**2 + q * (q - 1) * size**2), "<=", factor * q**2 * s**2)))


def _jensen(formula: Formula) -> Derivation:
    a, one, q = Column("a"), Column("j"), sp.Symbol("q", positive=True)
    product, mean = sp.symbols("P M", real=True)
    steps = (
        identity(
            gram(a - one * one.T * a / q),
            Trace(a.T * a) - Trace(a.T * one * one.T * a) / q,
            "(sum |n_i|)^2 <= q sum |n_i|^2 for all q, whatever the law",
            {(one.T, one): q},
        ),
        Step(
            written.total((product - mean) ** 2, 2 * mean * product, -(mean**2)),
            "=",
            product**2,
            "Jensen: E P^2 is (E P)^2 and the mean of a square, M = E P",
        ),
        Step(formula.left, "=", formula.right, "the sum over all pairs of records"),
    )
    return Derivation("second moment of a sum", steps, ("independence: E n_i'n_i n_j'n_j = (Tr V)^2",))
