"""The proofs of Corollaries 1, 2 and 3: equation (19), Appendices E and F."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import sympy as sp

from ....symbolic.proof.as_written import difference, power, product, quotient, root, total, value_at
from ....symbolic.proof.as_written import inner as inner_of
from ....symbolic.proof.derivation import Derivation, Step, evaluated
from ....symbolic.proof.enclosure import compare
from ....symbolic.proof.trace import Letter, Symmetric, Trace, identity
from ...dossier import ARGUED, Formula, Instances, Parts, argued, parts
from .cosine_density import (
    ENTRIES,
    HALF,
    LOWER,
    L,
    T,
    entry_information,
    expectation,
    expectation_written,
    quality,
    variance_written,
)
from .dossier import DOSSIER

ROOT = sp.sqrt(2) * sp.cos(sp.pi * T)
W, BETA, RATE = sp.Symbol("w", real=True), sp.Symbol("beta", real=True), sp.Symbol("k", positive=True)
MU, MUBAR = sp.symbols("mu mubar", positive=True)


@DOSSIER.disputed(
    "eq-19",
    "The equation of Corollary 1 and its uniqueness (equation 19)",
    checks=ARGUED,
    condition="u has unit square and no zero inside W, as (12) asks but (19) does not repeat. On [0, 1] every "
    "sqrt(2) sin(k pi w) solves (19).",
    printed="For f(x) = x, constant p and u = u(w) equation (12) becomes Laplacian u + mu u = 0 in W, u = 0 on "
    "the boundary, and the density u^2 of its solution is unique.",
    without="The solution of (19) as printed is unique.",
    at=(True, False),
)
def equation_19(positive: bool) -> Parts:
    """Among solutions that are positive inside there is one; (19) as it stands has one for each eigenvalue."""

    s = sp.symbols("s11 s12 s22", real=True)
    second = sp.diag(sp.Matrix([[s[0], s[1]], [s[1], s[2]]]), sp.zeros(2, 2))
    eye = sp.eye(2)
    matrix = sp.Matrix(sp.BlockMatrix([[eye, eye], [eye, eye]]))
    gap, inner = sp.symbols("gap inner", positive=True)
    steps = (
        Step(
            sp.Derivative(sp.sin(sp.pi * W), (W, 2)),
            "=",
            -(sp.pi**2) * sp.sin(sp.pi * W),
            "a positive solution on [0, 1]",
        ),
        Step(
            gap * inner,
            ">",
            sp.Integer(0),
            "of two positive solutions with multipliers mu < mu + gap, parts give gap int u v = 0, and int u v > 0: one multiplier",
        ),
    )
    lemmas = ("the first Dirichlet eigenvalue of a connected set is simple (Evans 2010, 6.5, Theorem 2)",)
    # e1' D^2u e1 + e2' D^2u e2: the matrix has ones where both entries are of the noise.
    written = total(
        *(inner_of(eye[:, k], [inner_of(second[i, :2], eye[:, k]) for i in range(2)]) for k in range(2))
    )
    formula = Formula(
        s[0] + s[2], "=", (matrix * second).trace(), argument=argued(*steps, lemmas=lemmas, written=written)
    )

    def draw(rng: np.random.Generator) -> Iterable[dict[str, Any]]:
        for k in (1, 2, int(rng.integers(3, 9))):
            for sign in ("", "-"):
                yield {"u": f"{sign}sqrt(2)*sin({k}*pi*w)", "mu": f"{k}**2*pi**2"}

    found = Instances(
        "solution of the eigenvalue problem", {"positive": positive}, draw, "(19) has one solution"
    )
    return parts(
        formula,
        instances=found,
        missing="" if positive else "(19) alone does not exclude higher eigenfunctions",
    )


@DOSSIER.disputed(
    "appendix-e-fisher",
    "Scaling of the information (Appendix E)",
    printed="For gamma = u^2, I = int u' u'^T dw = L^-2 int u01' u01'^T dw', with u01 the root of the optimum on "
    "[0, 1]^m; the last integral is kappa.",
    twin="I = 4 int u' u'^T dw = 4 L^-2 int u01' u01'^T dw', so that I = (4 pi^2/L^2) times the identity; "
    "kappa of Corollary 2 is the trace of the inverse of this matrix at L = 1.",
    at=(1, 4),
)
def fisher(i: int) -> Formula:
    """A diagonal entry of the information of m independent entries; the scaling is right, the factor 4 is not there."""
    factor = sp.Integer(i)
    inner = sp.integrate(sp.diff(ROOT, T) ** 2, (T, -HALF, HALF))
    printed = factor * L ** -(ENTRIES + 2) * L**ENTRIES * inner
    g = sp.Function("g", positive=True)(T)
    steps = (
        Step(
            quotient(power(sp.Derivative(g**2, T), 2), power(g, 2)),
            "=",
            4 * sp.diff(g, T) ** 2,
            "(gamma')^2/gamma for gamma = u^2, by the chain rule",
        ),
        Step(
            power(product(power(L, -ENTRIES / 2), quotient(1, L)), 2),
            "=",
            L ** -(ENTRIES + 2),
            "u(w) = L^(-m/2) u01((w - w_lo)/L), differentiated",
        ),
    )
    energy = sp.Integral(sp.diff(ROOT, T) ** 2, (T, -HALF, HALF))
    written = product(factor, power(L, -(ENTRIES + 2)), power(L, ENTRIES), energy)
    return Formula(sp.powsimp(printed), "=", entry_information(), argument=argued(*steps, written=written))


@DOSSIER.disputed(
    "appendix-e-Q",
    "Quality as variance and squared mean (Appendix E)",
    printed="For the noise of Corollary 1, whose entries are independent, Q = Tr E[w w'] = Tr Cov w + m (w_hi + "
    "w_lo)^2/4.",
    twin="The last term is divided by 3.96.",
    at=((1, 4), (100, 396)),
)
def second_moment(p: int, q: int) -> Formula:
    """The squared mean of an entry is the squared middle of the interval."""
    share = sp.Rational(p, q)
    variance = L**2 * (expectation(T**2) - expectation(T) ** 2)
    other = sp.Symbol("r", real=True)
    ends = ((T, -HALF, HALF), (other, -HALF, HALF))
    joint = sp.Integral(T * other * ROOT**2 * ROOT.subs(T, other) ** 2, *ends)
    steps = (
        Step(
            expectation_written(LOWER + L / 2 + L * T),
            "=",
            (2 * LOWER + L) / 2,
            "the mean of an entry is the middle",
        ),
        Step(
            joint,
            "=",
            power(expectation_written(T), 2),
            "two entries are uncorrelated; the density is a product, so they are independent",
        ),
    )
    printed = ENTRIES * variance + share * ENTRIES * (2 * LOWER + L) ** 2
    return Formula(printed, "=", quality(LOWER), argument=argued(*steps))


@DOSSIER.disputed(
    "appendix-e-variance",
    "Variance of an entry (Appendix E)",
    printed="An entry of the noise of Corollary 1 has the variance (pi^2 - 6) L^2/(12 pi^2).",
    twin="The 6 is 6.03.",
    at=(sp.Integer(6), sp.Rational(603, 100)),
)
def entry_variance(six: sp.Expr) -> Formula:
    """By integration over the interval, and through the characteristic function."""

    f = sp.Symbol("f", real=True)
    # Fourier transform of 2 cos^2(pi t) on [-1/2, 1/2] near 0: sinc(f/2)/(1 - (f/(2 pi))^2).
    transform = sp.series(2 * sp.sin(f / 2) / f / (1 - (f / (2 * sp.pi)) ** 2), f, 0, 4).removeO()
    steps = (
        Step(
            -sp.diff(transform, f, 2).subs(f, 0),
            "=",
            expectation_written(T**2),
            "minus the second derivative of the characteristic function at 0 is the second moment",
        ),
    )
    return Formula(
        (sp.pi**2 - six) * L**2 / (12 * sp.pi**2),
        "=",
        L**2 * (expectation(T**2) - expectation(T) ** 2),
        argument=argued(*steps, written=product(L**2, variance_written())),
    )


@DOSSIER.disputed(
    "appendix-f-ode",
    "The ordinary differential equation of Corollary 3 (Appendix F)",
    printed="For m = 1, C not 0 and u = u(w), equation (12) becomes u'' + mubar u = 0 with u = 0 at both ends "
    "and mubar = mu/Tr(C' C); a solution other than 0 needs mubar > 0 and is alpha cos(sqrt(mubar) (w - "
    "beta)).",
    twin="mubar = 1.01 mu/Tr(C' C).",
    at=(sp.Integer(1), sp.Rational(101, 100)),
)
def ordinary_equation(factor: sp.Expr) -> Formula:
    """mubar from the trace of the two-by-two case; C of any length by the trace identity."""

    c = sp.Matrix([sp.symbols("c1 c2", positive=True)])
    a, b = sp.symbols("a b", real=True)
    second, u = sp.Symbol("second", real=True), sp.Symbol("u", positive=True)
    matrix = sp.Matrix(sp.BlockMatrix([[c * c.T, c], [c.T, sp.eye(2)]]))
    hessian = sp.diag(second, sp.zeros(2, 2))
    solved = -sp.solve((matrix * hessian).trace() + MU * u, second)[0] / u
    C, s = Letter("C"), Symmetric("S")
    general = a * sp.cos(RATE * W) + b * sp.sin(RATE * W)
    hyperbolic = sp.Matrix([[1, 0], [sp.cosh(RATE * L), sp.sinh(RATE * L)]])
    steps = (
        identity(
            Trace(C * C.T * s),
            Trace(C.T * s * C),
            "Tr(M D^2u) = Tr(C C' D^2u) = Tr(C' D^2u C), which for m = 1 is u'' Tr(C' C)",
        ),
        Step(
            sp.Derivative(general, (W, 2)),
            "=",
            -(RATE**2) * general,
            "mubar = k^2 > 0: all solutions, two constants",
        ),
        Step(
            sp.expand_trig(a * sp.cos(RATE * W - RATE * BETA)),
            "=",
            a * sp.cos(RATE * BETA) * sp.cos(RATE * W) + a * sp.sin(RATE * BETA) * sp.sin(RATE * W),
            "the same as a cos(k (w - beta)): every pair of constants is a (cos(k beta), sin(k beta))",
        ),
        Step(
            hyperbolic.det(),
            ">",
            sp.Integer(0),
            "mubar < 0: a cosh + b sinh vanishes at both ends for a = b = 0 only",
        ),
        Step(
            sp.Matrix([[1, 0], [1, L]]).det(), ">", sp.Integer(0), "mubar = 0: a + b w likewise, so mubar > 0"
        ),
    )
    printed = factor * MU / (c.T * c).trace()
    # -u''/u from C C' u'' + mu u = 0
    written = quotient(quotient(MU * u, inner_of(c, c)), u)
    return Formula(printed, "=", solved, argument=argued(*steps, written=written))


@DOSSIER.disputed(
    "appendix-f-case-1",
    "The first case of Corollary 3 (Appendix F)",
    printed="If sqrt(mubar) is no odd multiple of pi/L, only alpha = 0 satisfies both boundary conditions. (With z = sqrt(mubar) "
    "L/pi: 1 + cos(pi z) > 0 says that z is not odd; sin(pi z)^2 > 0 that the conditions force alpha = 0.)",
    twin="If sqrt(mubar) is no multiple of pi/L at all. For even ones sin(2 q pi (w - w_lo)/L) vanishes at both ends; the case "
    "falls later, because u vanishes inside.",
    at=((1, 1), (-1, 2)),
)
def case_1(sign: int, multiple: int) -> Formula:
    """sqrt(mubar) L = pi z: the conditions at both ends force alpha = 0 where their determinant sin(pi z) is not 0."""
    z = sp.Symbol("z", positive=True)
    excluded = 1 + sign * sp.cos(multiple * sp.pi * z)
    a, b = sp.symbols("a b", real=True)
    u = a * sp.cos(sp.pi * z * T) + b * sp.sin(sp.pi * z * T)
    modes = (sp.cos(sp.pi * z * T), sp.sin(sp.pi * z * T))
    rows = [[value_at(mode, {T: end}) for mode in modes] for end in (0, 1)]
    found = sp.Matrix([[u.subs({T: end, a: 1, b: 0}), u.subs({T: end, a: 0, b: 1})] for end in (0, 1)]).det()
    number = sp.Symbol("number", positive=True)

    def build(f: Formula) -> Derivation:
        steps = (
            Step(
                difference(product(rows[0][0], rows[1][1]), product(rows[0][1], rows[1][0])),
                "=",
                sp.sin(sp.pi * z),
                "determinant of u = 0 at both ends, w = w_lo + L t",
                evaluated,
            ),
            Step(
                f.left,
                "=",
                excluded / 2,
                "its square is a positive multiple of the number that the case supposes positive",
                how=lambda left, right: compare(sp.expand(left - right, trig=True), "=", sp.Integer(0)),
            ),
            Step(quotient(number, 2), f.relation, f.right, "so it is positive, as half of that number is"),
        )
        return Derivation(f.sentence, steps)

    return Formula(found**2, ">", sp.Integer(0), where=(excluded,), argument=build)


@DOSSIER.disputed(
    "appendix-f-case-2",
    "The second case of Corollary 3 (Appendix F)",
    printed="If sqrt(mubar) = (2 q + 1) pi/L then, up to the sign of u, beta is the middle of the interval, q = "
    "0 because u has no zero inside, and unit mass gives alpha = sqrt(2/L).",
    twin="alpha = sqrt(2.02/L).",
    at=(sp.Integer(2), sp.Rational(202, 100)),
)
def case_2(square: sp.Expr) -> Formula:
    """beta is fixed up to half periods, which change the sign of u at most."""

    q, shift = sp.Symbol("q", nonnegative=True, integer=True), sp.Symbol("j", integer=True)
    wave = sp.cos((2 * q + 1) * sp.pi * T)
    beta = HALF * (1 + 2 * shift) / (2 * q + 1)
    norm = sp.integrate(sp.cos(sp.pi * T) ** 2, (T, -HALF, HALF)) * L
    p = q + 1
    steps = (
        Step(
            product(2 * q + 1, sp.pi, difference(HALF, difference(HALF, beta))),
            "=",
            sp.pi / 2 + shift * sp.pi,
            "u(w_hi) = 0 puts beta at w_hi - L (1 + 2 j)/(2 (2 q + 1)) for some j, half a period apart; one of them is the middle",
        ),
        Step(
            value_at(wave, {T: HALF}),
            "=",
            sp.Integer(0),
            "with beta in the middle u vanishes at both ends, for every q",
            evaluated,
        ),
        Step(
            value_at(sp.cos((2 * p + 1) * sp.pi * T), {T: quotient(HALF, 2 * p + 1)}),
            "=",
            sp.Integer(0),
            "for q >= 1 it vanishes inside as well, at w - beta = L/(2 (2 q + 1))",
            lambda left, right: compare(left.func(sp.cancel(left.args[0].doit())), "=", right),
        ),
        Step(HALF / (2 * p + 1), "<", HALF, "which lies inside the interval: q = 0"),
    )
    mass = product(L, sp.Integral(sp.cos(sp.pi * T) ** 2, (T, -HALF, HALF)))
    argument = argued(*steps, written=quotient(1, root(mass)))
    return Formula(sp.sqrt(square / L), "=", 1 / sp.sqrt(norm), argument=argument)
