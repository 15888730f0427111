"""Tables and what compression shows of them: laws of the release, singular second moments, ratios along neighbours."""

from __future__ import annotations

from dataclasses import replace

import sympy as sp

from .....symbolic.proof import as_written as written
from .....symbolic.proof.derivation import Derivation, Step
from .....symbolic.proof.trace import Column, Letter, Trace, gram, identity
from ....dossier.arguments.bounds_arguments import cancelled
from ....dossier.arguments.gaussian_model import mass
from ....dossier.formula import Formula, argued

ONE = sp.Integer(1)
M = sp.Symbol("m", integer=True, positive=True)
A, S, T = sp.symbols("a s t", real=True)
EPS, SIZE, ALPHA, V = sp.symbols("eps size alpha v", positive=True)
X = sp.Symbol("x", real=True)
FIRST, J, K = (sp.Symbol(x, nonnegative=True) for x in "ijk")


def normal_rows(factor: sp.Expr = ONE) -> Formula:
    """ln E exp(s x + t y) of one released row of three records with two attributes, against (s, t) Sigma (s, t)'/2."""
    xs, ys = sp.symbols("x1:4", real=True), sp.symbols("y1:4", real=True)
    left = written.total(*((S * x + T * y) ** 2 / (2 * 3) for x, y in zip(xs, ys, strict=True)))
    a, b, c = (sum(u * v for u, v in zip(*w, strict=True)) / 3 for w in ((xs, xs), (xs, ys), (ys, ys)))
    phi, u, n = sp.Symbol("phi", real=True), sp.Symbol("u", real=True), sp.Symbol("n", positive=True)
    integral = sp.Integral(sp.exp(u * phi - n * phi**2 / 2) * sp.sqrt(n / (2 * sp.pi)), (phi, -sp.oo, sp.oo))

    table, at = Letter("X"), Column("t")
    argue = argued(
        Step(integral, "=", sp.exp(u**2 / (2 * n)), "one entry of Phi, normal with variance 1/n, times u"),
        identity(
            gram(table * at) / (2 * n),
            Trace(at.T * (table.T * table / n) * at) / 2,
            "the sum over all records is t'(X'X/n)t/2, for every n and p",
        ),
        reason="the sum over three records, whose coefficients are s x_i + t y_i",
        how=cancelled,
        conclusion="a released row is N(0, X'X/n)",
        lemmas=("the moment generating function fixes the law; rows of Phi are independent",),
    )
    return Formula(left, "=", sp.expand(factor * (S**2 * a + 2 * S * T * b + T**2 * c) / 2), argument=argue)


def density(factor: sp.Expr = ONE) -> Formula:
    """The mass of the printed density, whose power of 2 pi is `factor` times what it should be, against one."""
    whole = mass(factor)
    before = whole.argument or argued()

    def argue(formula: Formula) -> Derivation:
        found = before(formula)
        curve = (2 * sp.pi) ** (-factor / 2) * sp.exp(-(X**2) / (2 * V)) / sp.sqrt(V)
        last = Step(
            sp.Integral(curve, (X, -sp.oo, sp.oo)), "=", ONE, "the mass in one direction, of variance v"
        )
        return replace(found, steps=(*found.steps, last))

    return replace(whole, argument=argue)


def spread(factor: sp.Expr = ONE) -> tuple[Formula, ...]:
    """|s_i - s_j| for entries within Dmax/2 of the true one, on the same and on both sides of it, against Dmax = 2 h."""
    h = EPS
    one, two = h / (1 + FIRST), h / (1 + J)
    return (
        Formula(one + two, "<=", factor * 2 * h),
        Formula(one - two, "<=", factor * 2 * h),
        Formula(two - one, "<=", factor * 2 * h),
    )


def determinant(extra: int) -> Formula:
    """The determinant of X'X for two records with 2 + extra attributes, against zero."""
    names = sp.symbols(f"x1:{2 * (2 + extra) + 1}", real=True)
    x = sp.Matrix(2, 2 + extra, names)
    argue = argued(
        reason="the determinant of X'X",
        conclusion="p > n: singular",
        lemmas=("rank X'X <= n < p, for every n and p",),
    )
    moments = x.T * x
    entries = sp.Matrix(*moments.shape, lambda i, j: sp.Symbol(f"m{i + 1}{j + 1}"))
    # Multiplied out it would print as 0 = 0.
    written_out = written.value_at(entries.det(), dict(zip(entries, moments, strict=True)))
    return Formula(written_out, "=", sp.Integer(0), argument=argue)


def two_lines() -> tuple[Formula, Formula]:
    """The mean square of x_2 - a x_1 in the release of one record (1, a), and of (1, a + d): zero, and not."""
    c = sp.Symbol("c", positive=True)
    return (
        Formula(written.power(written.difference(A, written.product(A, 1)), 2), "=", sp.Integer(0)),
        Formula(written.power(written.difference(A + c, written.product(A, 1)), 2), ">", sp.Integer(0)),
    )


def told_apart(bound: sp.Expr = ONE, private: bool = False) -> Formula:
    """e^alpha P_2(|x_1 - x_2| <= t) for sign tables with two equal columns (P_1 = 1) and one sign turned, t chosen for alpha.

    x_1 - x_2 has the variance 4/n in the second: P_2 = erf(z), z = t sqrt(n/8) = e^-alpha sqrt(pi)/(2 (1 + k)).
    """
    z = sp.exp(-ALPHA) * sp.sqrt(sp.pi) / 2 / (1 + K)
    left, x = sp.exp(ALPHA) * sp.erf(z), sp.Symbol("x", positive=True)
    slope = sp.diff(sp.erf(x), x)
    n, t = sp.symbols("n t", positive=True)
    curve = sp.sqrt(n / (8 * sp.pi)) * sp.exp(-n * X**2 / 8)

    def argue(formula: Formula) -> Derivation:
        steps = (
            Step(
                sp.Integral(curve, (X, -t, t)),
                "=",
                sp.erf(t * sp.sqrt(n / 8)),
                "P_2: the difference is normal with variance 4/n",
            ),
            Step(sp.Derivative(sp.erf(x), x), "=", slope, "the slope of erf"),
            Step(
                -(x**2),
                "<",
                sp.Integer(0),
                "the exponent of the slope of erf: the slope is below 2/sqrt(pi) for x > 0",
            ),
            Step(written.value_at(slope, {x: 0}), "=", 2 / sp.sqrt(sp.pi), "so erf(x) < 2 x/sqrt(pi)"),
            Step(
                formula.left,
                "=",
                sp.exp(ALPHA) * written.applied(sp.erf, written.product(z * sp.sqrt(8 / n), sp.sqrt(n / 8))),
                "the left side is e^alpha P_2, which is e^alpha erf(z)",
            ),
            Step(
                written.product(sp.exp(ALPHA), 2, z, 1 / sp.sqrt(sp.pi)),
                formula.relation,
                formula.right,
                "e^alpha 2 z/sqrt(pi) = 1/(1 + k)",
            ),
        )
        return Derivation(
            "e^alpha P_2 < 1 = P_1", _atmost(steps), ("exp increases; erf(0) = 0; erf(z) < 2 z/sqrt(pi)",)
        )

    return Formula(left, ">=" if private else "<", bound, argument=argue)


def _atmost(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """The last step with <= in place of <: erf(z) < 2 z/sqrt(pi) is strict already."""
    last = steps[-1]
    relation = {"<": "<="}.get(last.relation, last.relation)
    return (*steps[:-1], Step(last.left, relation, last.right, last.reason))


def redraws(inside: bool) -> Formula:
    """The expected number of draws against 4/3, n = 2 + k: at most 1/(1 - 1/n^2) inside; at least m (r - w)^2/(1 + r^2) outside."""
    if inside:
        return Formula(1 / (1 - 1 / (2 + K) ** 2), "<=", sp.Rational(4, 3))
    r = 1 / (1 + EPS)
    w = r / (1 + SIZE)
    return Formula(M * (r - w) ** 2 / (1 + r**2), "<=", sp.Rational(4, 3))


def neighbours_too() -> Formula:
    """f_1 = e^alpha f_2/(1 + i), i >= 0, at an outcome of two neighbours within delta, f_2 = q, against e^alpha f_2."""
    q = sp.Symbol("q", positive=True)
    one = sp.exp(ALPHA) * q / (1 + FIRST)

    def argue(formula: Formula) -> Derivation:
        steps = (
            Step(
                sp.log(written.quotient(formula.left, q)),
                "=",
                ALPHA - sp.log(1 + FIRST),
                "log ratio of the densities: neighbours of the set within delta are two tables of it within delta: Definition 2.4 speaks of them, at every outcome",
            ),
            Step(formula.left, formula.relation, formula.right, "f_1 <= e^alpha f_2, for all alpha, i and q"),
        )
        return Derivation(
            "the largest ratio of densities over neighbours is at most e^alpha",
            steps,
            ("a ratio that is at most e^alpha everywhere has an essential supremum of at most e^alpha",),
        )

    return Formula(one, "<=", sp.exp(ALPHA) * q, argument=argue)


def without_neighbours(relation: str) -> Formula:
    """The log ratio at S = Sigma_1 of sign tables of four records with correlations 1/2 and -1/2, m rows, against zero.

    They differ in two rows: as a set of two they have no neighbours, so that alpha = 0 does for these.
    """
    half = sp.Rational(1, 2)
    one, two = sp.Matrix([[1, half], [half, 1]]), sp.Matrix([[1, -half], [-half, 1]])
    return Formula(M / 2 * ((two.inv() * one).trace() - 2), relation, sp.Integer(0))


def one_row_more() -> Formula:
    """A log ratio across N rows, at most N alpha, and that of one more, at most alpha, against (N + 1) alpha; N >= 0."""
    rows, row = sp.Symbol("N", integer=True, nonnegative=True), sp.Symbol("row", integer=True)
    a, b, c = sp.symbols("f1:4", positive=True)
    left = rows * ALPHA / (1 + FIRST) + ALPHA / (1 + J)

    def argue(formula: Formula) -> Derivation:
        steps = (
            Step(
                sp.log(a) - sp.log(c),
                "=",
                written.total(
                    written.difference(sp.log(a), sp.log(b)), written.difference(sp.log(b), sp.log(c))
                ),
                "log ratios of densities add up along tables that change in one row at a time",
            ),
            Step(
                formula.left,
                "=",
                written.total(sp.Sum(ALPHA / (1 + FIRST), (row, 1, rows)), ALPHA / (1 + J)),
                "N rows cost at most N alpha, N = 0 none; the next one at most alpha",
            ),
            Step(
                formula.left,
                formula.relation,
                formula.right,
                "so N + 1 rows cost at most (N + 1) alpha, for all N by induction",
            ),
        )
        return Derivation("k rows cost at most k alpha", steps)

    return Formula(left, "<=", (rows + 1) * ALPHA, argument=argue)


def vanishing_rate(singular: bool) -> Formula:
    """(m/(2n)) ln(1/lmin) against eps, lmin = 1/(1 + k), once n/m is beyond ln(1/lmin)/(2 eps); or a rate R of columns in a plane.

    Three columns of which one is a combination of the others show its coefficients: e^(n p R) equally likely ones have the rate R.
    """
    if singular:
        return Formula(sp.Symbol("R", positive=True), "<=", EPS)
    log = sp.Symbol("y", nonnegative=True)
    return Formula(log / (2 * (1 + log / (2 * EPS))), "<=", EPS, argument=lambda f: _rate(f, log))


def _rate(formula: Formula, log: sp.Symbol) -> Derivation:
    v = sp.Symbol("v", positive=True)
    entropy = sp.log(2 * sp.pi * sp.E * v) / 2
    steps = (
        Step(
            written.difference(written.value_at(entropy, {v: 1}), entropy),
            "=",
            -sp.log(v) / 2,
            "per row h(calX) - h(calX | X) <= -ln|Sigma|/2, and |Sigma| >= lmin^p: I/(np) <= (m/(2n)) ln(1/lmin)",
        ),
        Step(formula.left, "<=", formula.right, "n/m = 1 + y/(2 eps), y = ln(1/lmin)"),
    )
    return Derivation(
        "the information rate tends to zero",
        steps,
        ("normal laws have the largest entropy for given second moments; subadditivity of entropy",),
    )
