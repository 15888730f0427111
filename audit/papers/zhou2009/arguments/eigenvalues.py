"""Second moments with unit diagonal: norms of differences, least eigenvalues, projectors."""

from __future__ import annotations

import sympy as sp

from .....symbolic.proof.as_written import difference, product, quotient
from .....symbolic.proof.derivation import Derivation, Step
from .....symbolic.proof.trace import Letter, Symmetric, Trace, gram, identity
from ....dossier.formula import Formula

ONE = sp.Integer(1)
P = sp.Symbol("p", integer=True, positive=True)
C, D, E, L, X = (sp.Symbol(s, positive=True) for s in "cdelx")
J, K, U = (sp.Symbol(s, nonnegative=True) for s in "jku")
BOUND = sp.Symbol("B", positive=True)


def entries(factor: sp.Expr = ONE) -> tuple[Formula, Formula]:
    """|Delta|_F^2 with a zero diagonal and all other entries at Dmax = d, against factor^2 p^2 d^2: every p, and p = 101."""
    return (
        Formula(P * (P - 1) * D**2, "<=", factor**2 * P**2 * D**2),
        Formula(101 * 100 * D**2, "<=", factor**2 * 101**2 * D**2),
    )


def inverses(factor: sp.Expr = ONE) -> Formula:
    """|Gamma|_F^2 against (8) for p = 2: Sigma_1 = I, correlation r = 1/(1 + x)^2; both nearly agree for small r."""
    r = 1 / (1 + X) ** 2
    left, right = 2 * r**2 * (1 + r**2) / (1 - r**2) ** 2, factor**2 * 2 * r**2 / (1 - r) ** 2
    one, two, other = Symmetric("U"), Symmetric("V"), Letter("C")

    def argue(formula: Formula) -> Derivation:
        steps = (
            identity(
                Trace(other * two**-1 * (one - two) * one**-1),
                Trace(other * (two**-1 - one**-1)),
                "Gamma = Sigma_j^-1 Delta Sigma_1^-1: the traces of both with any matrix agree, for every p",
            ),
            Step(formula.left, "<=", formula.right, "the instance p = 2"),
        )
        return Derivation("(8)", steps, ("|U V W|_F <= |U|_2 |V|_F |W|_2, and |Sigma^-1|_2 = 1/lmin(Sigma)",))

    return Formula(left, "<=", right, argument=argue)


def stays_away(by_least: bool) -> Formula:
    """The least eigenvalue against c: of correlation r where only 1/lmax >= c; or lmin_1 >= c, |Delta|_2 <= c/2, against c/2."""
    if by_least:
        return Formula(C + J - C / (2 * (1 + K)), ">=", C / 2)
    r = 1 / (1 + X)
    return Formula(1 - r, ">=", C, where=(1 / (1 + r) - C,))


def weyl() -> Formula:
    """x'Sigma_j x = x'Sigma_1 x - x'Delta x at a unit vector, x'Sigma_1 x = lmin + q', x'Delta x = d/(1 + u), lmin = d + e."""
    return Formula(D + E + J - D / (1 + U), ">=", E)


def same_order(bounded: bool) -> Formula:
    """lmax/lmin of Sigma_j from those of Sigma_1 with ratio 1 + k and |Delta|_2 <= lmin/2; or of correlation r, against any B."""
    if bounded:
        d = L / (2 * (1 + J))
        return Formula(sp.factor((L * (1 + K) + d) / (L - d)), "<=", 2 * (1 + K) + 1)
    r = 1 / (1 + X)
    return Formula((1 + r) / (1 - r), "<=", BOUND)


def projectors(factor: sp.Expr = ONE) -> Formula:
    """|P(A) - P(A + B)|_F^2 for A = diag(1, -1), delta = 1, B = [[0, t], [t, 0]], t = 1/(3 + k), against (factor |B|_F)^2."""
    t = 1 / (3 + K)
    one, two = Letter("U"), Letter("V")
    matrix, noise = sp.diag(1, -1), sp.Matrix([[0, t], [t, 0]])
    root = sp.sqrt(1 + t**2)
    size = sp.Add(*(v**2 for v in noise))
    # P(M) = (1 + M/r)/2 where M^2 = r^2: here r = 1 for A and r^2 = 1 + t^2 for A + B.
    moved = sp.Add(*(v**2 for v in (matrix - (matrix + noise) / root) / 2))

    def argue(formula: Formula) -> Derivation:
        b = 1 / (2 * (1 + J))
        steps = (
            identity(
                gram(one * one.T - two * two.T),
                2 * gram(one - two * two.T * one),
                "|P - Q|_F^2 = 2 |(I - Q) P|_F^2 for P = U U', Q = V V' of equal rank, U'U = V'V = I",
                {(one.T, one): sp.Integer(1), (two.T, two): sp.Integer(1)},
            ),
            Step(
                2 / (2 - b) ** 2,
                "<=",
                quotient(formula.right, size),
                "sqrt(2) |B|_F/(2 delta - |B|_2) with |B| = b delta, b <= 1/2, against the printed bound",
            ),
            Step(
                difference(product(1, -1), product(t, t)),
                "=",
                -(root**2),
                "A + B has no trace and this determinant: its eigenvalues are r and -r",
            ),
            Step(
                formula.left,
                "=",
                moved,
                "the distance of both projectors on this instance, (1 + A)/2 and (1 + (A + B)/r)/2",
            ),
        )
        return Derivation(
            "the projectors are near",
            steps,
            (
                "Weyl: l_(D+1) of A + B is at most |B|_2 above that of A",
                "Davis, Kahan: |(I - Q) P|_F <= |B|_F/(distance of l_D(A) from l_(D+1)(A + B))",
            ),
        )

    return Formula(1 - 1 / sp.sqrt(1 + t**2), "<=", factor**2 * 2 * t**2, argument=argue)


def no_gap() -> Formula:
    """diag(1 + e, 1) and diag(1, 1 + e): |P - P'|_F^2 = 2, against B^2 |A - D|_F^2 for any B."""
    return Formula(sp.Integer(2), "<=", BOUND**2 * 2 * E**2)


def within_gap(fixed: bool) -> Formula:
    """p (c sqrt(L/m) + 2 Dmax) against half the gap delta = e; m = (1 + k) p^2 L (4 c/e)^2, Dmax = e/(8 p (1 + j)).

    Both are chosen for e; where it is not fixed, the gap is e/(1 + u).
    """
    deviation = C / ((1 + K) * P * (4 * C / E))
    left = sp.factor(P * (deviation + 2 * E / (8 * P * (1 + J))))
    return Formula(left, "<=", E / 2 if fixed else E / (1 + U) / 2)
