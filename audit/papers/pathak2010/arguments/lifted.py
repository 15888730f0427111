"""Gaussian classes as quadratic forms of extended records: the lifted matrices, the trace, and what the regulariser prefers."""

from __future__ import annotations

import sympy as sp

from .....symbolic.proof.as_written import applied, difference, product, total
from .....symbolic.proof.derivation import Derivation, Step
from .....symbolic.proof.trace import Column, Letter, Symmetric, Trace, identity
from ....dossier.formula import Formula, argued

ZERO, ONE = sp.Integer(0), sp.Integer(1)
_LAMBDA = sp.Symbol("lambda", positive=True)


def lifted(share: sp.Expr = ONE) -> tuple[Formula, Formula]:
    """The form of Phi at (x, 1) against (x - mu)'Psi(x - mu) + theta, and its sign at any (u, s); d = 2, Psi = G'G, `share` of theta."""
    x, mu, u = (sp.Matrix(sp.symbols(f"{n}1 {n}2", real=True)) for n in ("x", "mu", "u"))
    g1, g2, g3, s = sp.symbols("g1 g2 g3 s", real=True)
    theta = sp.Symbol("theta", nonnegative=True)
    g = sp.Matrix([[g1, g2], [0, g3]])
    psi = g.T * g
    corner = (mu.T * psi * mu)[0] + share * theta
    phi = sp.Matrix(sp.BlockMatrix([[psi, -psi * mu], [-mu.T * psi, sp.Matrix([[corner]])]]))

    def form(z: sp.Matrix) -> sp.Expr:
        return sp.expand((z.T * phi * z)[0])

    distance = ((x - mu).T * psi * (x - mu))[0]
    root = g * (u - s * mu)
    squares = root[0] ** 2 + root[1] ** 2 + share * theta * s**2
    point = form(sp.Matrix([*u, s]))
    p, a, m = Symmetric("P"), Column("x"), Column("m")
    general = identity(
        Trace((a.T - m.T) * p * (a - m)),
        Trace(a.T * p * a) - 2 * Trace(a.T * p * m) + Trace(m.T * p * m),
        "the distance in every dimension: the blocks Psi, -Psi mu and mu'Psi mu of Phi",
    )

    every = identity(
        Trace(a.T * p * a) - 2 * s * Trace(a.T * p * m) + s**2 * Trace(m.T * p * m),
        Trace((a.T - s * m.T) * p * (a - s * m)),
        "in every dimension the form at (u, s) is that of Psi at u - s mu, and theta s^2",
    )

    def positive(formula: Formula) -> Derivation:
        steps = (
            every,
            Step(formula.left, "=", squares, "the form is |G(u - s mu)|^2 + theta s^2, for Psi = G'G"),
            Step(squares, ">=", formula.right, "a sum of squares, theta not negative"),
        )
        return Derivation("Phi is positive semidefinite", steps)

    return (
        Formula(form(sp.Matrix([*x, 1])), "=", distance + theta, argument=argued(general)),
        Formula(point, ">=", ZERO, argument=positive),
    )


def traced(corner: sp.Expr = ZERO) -> Formula:
    """tr(I_Phi Phi I_Phi) with `corner` as the last diagonal entry of I_Phi, against tr Psi; all entries free, d = 2."""
    phi = sp.Matrix(3, 3, lambda i, j: sp.Symbol(f"f{min(i, j) + 1}{max(i, j) + 1}", real=True))
    cut = sp.diag(1, 1, corner)
    e, f = Letter("E"), Letter("F")
    general = identity(
        Trace(e * e.T * f * e * e.T),
        Trace(e.T * f * e),
        "every dimension: I_Phi = E E' with the first d unit columns as E, E'E = I, Psi = E'Phi E",
        {(e.T, e): ONE},
        instance={e: sp.Matrix([[1], [0]]), f: sp.Matrix([[2, 3], [5, 7]])},
    )
    trace = total(*(product(cut[i, i], phi[i, i], cut[i, i]) for i in range(3)))
    return Formula(trace, "=", phi[0, 0] + phi[1, 1], argument=argued(general))


def hinge_of_margins(kept: sp.Expr = ZERO) -> Formula:
    """The hinge loss of a record whose lead exceeds the margin 1 - `kept` by w >= 0: nothing where the margin is 1."""
    w = sp.Symbol("w", nonnegative=True)
    lead = total(1 - kept, w)
    return Formula(applied(sp.Max, 0, difference(1, lead)), "=", ZERO)


def preferred(margins_kept: bool) -> tuple[Formula, Formula]:
    """The objective at a classifier against one with larger traces, both right on all records: 0 of class 1, 1 and -1 of class 2.

    Phi_1 = diag(2 a, 0), Phi_2 = diag(0, a): every lead is a > 0; a = 1 + u keeps the margin.  Then any two zero losses.
    """
    u, gap = sp.Symbol("u", nonnegative=True), sp.Symbol("g", positive=True)
    free = 1 + u if margins_kept else sp.Symbol("a", positive=True)
    trace, more = sp.symbols("T G", nonnegative=True)

    def objective(a: sp.Expr) -> sp.Expr:
        one, two = sp.diag(2 * a, 0), sp.diag(0, a)
        loss = ZERO
        for x, label in ((0, 1), (1, 2), (-1, 2)):
            z = sp.Matrix([x, 1])
            lead = (z.T * ((two - one) if label == 1 else (one - two)) * z)[0]
            loss += sp.Max(0, 1 - lead)
        return loss + _LAMBDA * (one[0, 0] + two[0, 0])

    return (
        Formula(objective(free), "<=", objective(free + gap)),
        Formula(_LAMBDA * trace, "<=", _LAMBDA * (trace + more)),
    )
