"""Appendices J, K: the Gaussian root of the density, its multiplier, covariance and normalisation; noise along the orbit."""

from __future__ import annotations

import sympy as sp

from ....symbolic.proof.as_written import difference, power, product, quotient, root, total, weighted
from ....symbolic.proof.derivation import Derivation, Step
from ....symbolic.proof.expressions import parse
from ....symbolic.proof.trace import Column, Letter, Symmetric, Trace, identity
from ...dossier.arguments.stationarity import equal
from ...dossier.formula import Formula, argued, through
from .dossier import DOSSIER

A, RHO, W = sp.Symbol("a", positive=True), sp.Symbol("rho", positive=True), sp.Symbol("w", real=True)


def hessian_steps() -> list[Step]:
    """D^2 u/u for the Gaussian root in two dimensions, entry by entry, for every symmetric S^-1."""
    w = sp.Matrix(sp.symbols("w1 w2", real=True))
    P = sp.Matrix(2, 2, lambda i, j: sp.Symbol(f"P{min(i, j)}{max(i, j)}", real=True))
    exponent = -(w.T * P * w)[0, 0] / 4
    steps = []
    for i, j in ((0, 0), (0, 1)):
        # exp(E) has second derivatives (E_i E_j + E_ij) exp(E).
        left = sp.diff(sp.exp(exponent), w[i], w[j]) / sp.exp(exponent)
        right = (P * w * w.T * P)[i, j] / 4 - P[i, j] / 2
        steps.append(Step(left, "=", right, f"entry {i + 1}, {j + 1} of D^2 u/u", how=equal))
    return steps


ENTRIES = "each entry of D^2 u holds two coordinates of w' S^-1 w, so that two dimensions settle all"


def multiplier_steps(share: str, spread: str) -> list[Step]:
    """Tr(A D^2 u)/u + mu - rho w'w/4 = 0 with mu = share Tr(A S^-1), S = spread A^(1/2)/sqrt(rho), in all dimensions."""
    letter, w = Symmetric("A"), Column("w")
    c, s = parse(spread), parse(share)
    inverse = sp.sqrt(RHO) / c * letter ** sp.Rational(-1, 2)
    square = Trace(letter * inverse * w * w.T * inverse) / 4
    level = difference(product(s, Trace(letter * inverse)), quotient(Trace(letter * inverse), 2))
    return [
        identity(square, RHO / 4 * Trace(w.T * w), "the terms with w: Tr(A S^-1 w w' S^-1)/4 = rho w'w/4"),
        identity(level, sp.Integer(0), "the terms without w: mu = Tr(A S^-1)/2"),
    ]


@DOSSIER.disputed(
    "appendix-j-solution",
    "The Gaussian root of Corollary 6 (Appendix J)",
    reading="the sentence after Corollary 6, which has no factor 2, and equation (15) itself",
    printed="u = alpha exp(-w' S^-1 w/4) solves (15) for f(x) = C x, p constant, with mu = Tr(C' S^-1 C)/2 and S "
    "= 2 (C C')^(1/2)/sqrt(rho). Precise form: along each eigenvector of C C', with eigenvalue a.",
    twin="S = (C C')^(1/2)/sqrt(rho), without the factor 2.",
    at=("2", "1"),
)
def gaussian_root(said: str) -> Formula:
    """A = C C' of any size; on an eigenvector with eigenvalue a all terms over u are a number times w^2 and a number."""

    def solves(spread: str, share: str = "1/2") -> Formula:
        sigma = parse(spread) * sp.sqrt(A) / sp.sqrt(RHO)
        argument = argued(
            *hessian_steps(),
            *multiplier_steps(share, spread),
            reason="the same on an eigenvector of C C'",
            conclusion="u solves (15) for noise independent of x",
            lemmas=(ENTRIES,),
            written=product(A, _over_root(quotient(product(parse(spread), sp.sqrt(A)), sp.sqrt(RHO)), share)),
        )
        return Formula(
            sp.expand(A * (W**2 / (4 * sigma**2) - 1 / (2 * sigma) + parse(share) / sigma)),
            "=",
            RHO / 4 * W**2,
            argument=argument,
        )

    return solves(said)


def _over_root(sigma: sp.Expr, share: str) -> sp.Expr:
    """u''/u = w^2/(4 s^2) - 1/(2 s) for u = exp(-w^2/(4 s)), and the multiplier `share`/s."""
    bent = difference(quotient(W**2, product(4, power(sigma, 2))), quotient(1, product(2, sigma)))
    return total(bent, quotient(parse(share), sigma))


def mass_formula(exponent: str, printed_size: sp.Expr, size: sp.Expr) -> Formula:
    """alpha^2 sqrt((2 pi)^size d) = 1 for alpha = ((2 pi)^printed_size d)^exponent, d = det S."""
    d = sp.Symbol("d", positive=True)
    alpha = (2 * sp.pi) ** (printed_size * parse(exponent)) * d ** parse(exponent)
    w, s = sp.Symbol("w", real=True), sp.Symbol("s", positive=True)
    one = sp.Integral(sp.exp(-(w**2) / (2 * s)), (w, -sp.oo, sp.oo))
    factors = (power(product(power(2 * sp.pi, printed_size), d), parse(exponent)), 2)
    whole = product(power(*factors), root(product(power(2 * sp.pi, size), d)))
    argument = argued(
        Step(one, "=", sp.sqrt(2 * sp.pi * s), "int exp(-w^2/(2 s)) dw along one eigenvector of S"),
        reason="alpha^2 times the product over the eigenvectors",
        conclusion="int u^2 dw = 1",
        lemmas=("a rotation to the eigenvectors of S keeps volumes",),
        written=whole,
    )
    left = sp.powsimp(sp.expand(alpha**2 * (2 * sp.pi) ** (size / 2) * sp.sqrt(d)))
    return Formula(left, "=", sp.Integer(1), argument=argument)


@DOSSIER.disputed(
    "appendix-j-alpha",
    "The constant of the Gaussian root (Appendix J)",
    reading="the condition int u^2 = 1 in the same sentence, and Appendix K, which has the fourth root",
    printed="int u^2 = 1 for u = alpha exp(-w' S^-1 w/4) on R^m with alpha = ((2 pi)^m det S)^(-1/2).",
    twin="alpha = ((2 pi)^m det S)^(-1/4).",
    at=("-1/2", "-1/4"),
)
def normalisation(said: str) -> Formula:
    """m: number of entries of w; d: determinant of the covariance."""
    m = sp.Symbol("m", integer=True, positive=True)
    return mass_formula(said, m, m)


@DOSSIER.disputed(
    "appendix-k-pde",
    "The condition along w = Psi z (Appendix K)",
    printed="If Tr(Psi' D^2 u Psi) + (mu - (rho/4) w'w) u = 0, then ubar(z) = u(Psi z) has D^2 ubar = Psi' D^2 u "
    "Psi and solves Tr(D^2 ubar) + (mu - (rho/4) z' Psi' Psi z) ubar = 0.",
    twin="The same with 101/400 in place of 1/4 in the second equation.",
    at=("1/4", "101/400"),
)
def along_the_orbit(said: str) -> Formula:
    """Psi is 3 x 2 with free entries, u any function of three variables with free second derivatives."""

    def pulled_back(share: str) -> Formula:
        mu, value = sp.symbols("mu ubar", real=True)
        z = sp.Symbol("z", real=True)
        psi, curve = sp.symbols("psi u_ww", real=True)
        # One entry of each: what remains after w = psi z, minus the condition at w = psi z.
        reduced = psi**2 * curve + (mu - parse(share) * RHO * z**2 * psi**2) * value
        condition = psi**2 * curve + (mu - RHO / 4 * (psi * z) ** 2) * value
        return Formula(reduced, "=", sp.expand(condition), argument=chain_rule)

    def chain_rule(formula: Formula) -> Derivation:
        z = sp.Matrix(sp.symbols("z1 z2", real=True))
        psi = sp.Matrix(3, 2, lambda i, j: sp.Symbol(f"psi{i}{j}", real=True))
        H = sp.Matrix(3, 3, lambda i, j: sp.Symbol(f"h{min(i, j)}{max(i, j)}", real=True))
        w = psi * z
        steps = []
        seen = (w.T * H * w)[0, 0] / 2
        for i, j in ((0, 0), (0, 1)):
            left = sp.expand(sp.diff(seen, z[i], z[j]))
            steps.append(
                Step(
                    left,
                    "=",
                    (psi.T * H * psi)[i, j],
                    f"entry {i + 1}, {j + 1} of D^2 ubar = Psi' D^2 u Psi",
                    how=equal,
                )
            )
        letter, column = Letter("Psi"), Column("z")
        steps.append(
            identity(
                Trace(column.T * letter.T * letter * column),
                Trace(letter * column * column.T * letter.T),
                "w'w = z' Psi' Psi z",
            )
        )
        steps.append(
            Step(formula.left, "=", formula.right, "the condition at w = Psi z, one entry of each", how=equal)
        )
        return Derivation(
            "the condition along the range of Psi",
            tuple(steps),
            (
                "second derivatives of u at the point are those of its Taylor polynomial; entries hold two coordinates of z",
            ),
        )

    return pulled_back(said)


S, Z, UBAR = sp.Symbol("s", positive=True), sp.Symbol("z", real=True), sp.Symbol("ubar", positive=True)


@DOSSIER.disputed(
    "appendix-k-trace",
    "The trace of the second derivatives of the Gaussian root (Appendix K)",
    printed="For ubar = alpha exp(-z' S^-1 z/4): Tr(D^2 ubar) = ubar Tr(S^-1 z z' S^-1) - Tr(S^-1)/2.",
    twin="Tr(D^2 ubar) = ubar (Tr(S^-1 z z' S^-1)/4 - Tr(S^-1)/2). The missing 1/4 is where the factor 2 in "
    "the covariance comes from.",
    at=(("1", False), ("1/4", True)),
)
def trace_of_second_derivatives(square: str, with_value: bool) -> Formula:
    """One entry of z as the instance: s is the variance, ubar the value of the root."""

    shape = sp.exp(-(Z**2) / (4 * S))
    truth = sp.simplify(sp.diff(shape, Z, 2) / shape) * UBAR
    written = product(UBAR, quotient(sp.Derivative(shape, (Z, 2)), shape))
    level = UBAR if with_value else sp.Integer(1)
    left = UBAR * parse(square) * Z**2 / S**2 - level / (2 * S)

    def argument(formula: Formula) -> Derivation:
        P, column = Symmetric("P"), Column("z")
        value = parse(square) * Trace(P * column * column.T * P)
        steps = [
            *hessian_steps(),
            identity(value, Trace(column.T * P * P * column) / 4, "the trace of the first term"),
            *through(formula, written, "one entry of z, by differentiation"),
        ]
        return Derivation("the trace of D^2 ubar", tuple(steps), (ENTRIES,))

    return Formula(left, "=", sp.expand(truth), argument=argument)


@DOSSIER.disputed(
    "appendix-k-solution",
    "The solution along w = Psi z (Appendix K)",
    printed="ubar = alpha exp(-z' S^-1 z/4) on R^n solves the condition and has int ubar^2 = 1 with mu = "
    "Tr(S^-1)/2, S = 2 (Psi' Psi)^(-1/2)/sqrt(rho), alpha = ((2 pi)^m det S)^(-1/4).",
    twin="S = (Psi' Psi)^(-1/2)/sqrt(rho), without the factor 2, and alpha = ((2 pi)^n det S)^(-1/4): z has n "
    "entries.",
    at=(("2", "m"), ("1", "n")),
)
def solution_along_the_orbit(said: str, value: str) -> Formula:
    """B = Psi' Psi is n x n; b one of its eigenvalues."""

    def solves(spread: str, size: str, share: str = "1/2") -> Formula:
        b = sp.Symbol("b", positive=True)
        m, n = sp.symbols("m n", integer=True, positive=True)
        sigma = parse(spread) / sp.sqrt(b) / sp.sqrt(RHO)
        mass = mass_formula("-1/4", {"m": m, "n": n}[size], n)
        B, z = Symmetric("B"), Column("z")
        inverse = sp.sqrt(RHO) / parse(spread) * B ** sp.Rational(1, 2)
        argument = argued(
            *hessian_steps(),
            identity(
                Trace(inverse * z * z.T * inverse) / 4,
                RHO / 4 * Trace(z.T * B * z),
                "the terms with z: S^-2/4 = rho Psi' Psi/4",
            ),
            *(mass.argument(mass).steps if mass.argument is not None else ()),
            reason="the same on an eigenvector of Psi' Psi",
            conclusion="ubar solves the condition and has mass one",
            lemmas=(ENTRIES,),
            written=weighted(
                mass.left, _over_root(quotient(parse(spread), sp.sqrt(b) * sp.sqrt(RHO)), share)
            ),
        )
        # The terms along an eigenvector times the mass: both sides agree only if both are right.
        terms = W**2 / (4 * sigma**2) - 1 / (2 * sigma) + parse(share) / sigma
        return Formula(sp.expand(mass.left * sp.expand(terms)), "=", RHO * b / 4 * W**2, argument=argument)

    return solves(said, value)
