"""Formulas about noise w = Psi v in the null space of Omega: where it lives, its information, and the best law of v."""

from __future__ import annotations

from functools import cache
from typing import Any

import sympy as sp

from .....symbolic.information.fisher import location_information
from .....symbolic.laws import catalogue as laws
from .....symbolic.proof.as_written import power, product, quotient, total, value_at
from .....symbolic.proof.derivation import Derivation, Step, evaluated
from .....symbolic.proof.trace import Column, Letter, Rules, Symmetric, Trace, gram, identity
from ....dossier import Formula, Parts, argued, parts
from ....dossier.arguments.bounds_arguments import SQUARES, by_steps, cancelled
from .null_space_support import support

ZERO, ONE, HALF = sp.Integer(0), sp.Integer(1), sp.Rational(1, 2)
M, LEAK, KAPPA, REACH = sp.symbols("m e kappa c", positive=True)
EXTRA = sp.Symbol("g", nonnegative=True)
STEIN = "E[s w'] = -I for the score s of a density with finite information: integration by parts"
PSI, OTHER, OMEGA = Letter("F"), Letter("G"), Letter("O")
_RULES: Rules = {
    (PSI.T, PSI): ONE,
    (OMEGA, PSI): ZERO,
    (PSI.T, OMEGA.T): ZERO,
    (PSI.T, OTHER): ZERO,
    (OTHER.T, PSI): ZERO,
}
_INSTANCE = {
    PSI: sp.Matrix([1, 0]),
    OTHER: sp.Matrix([0, 1]),
    OMEGA: sp.Matrix([[0, 3]]),
    Letter("X"): sp.Matrix([[5]]),
}


def leaking(leak: sp.Expr) -> Formula:
    """E|Omega w|^2 for w = sqrt(m) Psi g + sqrt(e) Theta h, Theta at right angles to Psi: e |Omega Theta|^2."""
    a, b = Column("a"), Column("b")
    step = identity(
        gram(OMEGA * PSI * a + OMEGA * OTHER * b),
        gram(OMEGA * OTHER * b),
        "Omega Psi = 0: only noise outside of im(Psi) is seen",
        _RULES,
        None,
        {**_INSTANCE, a: sp.Matrix([7]), b: sp.Matrix([11])},
    )
    left = product(leak, REACH**2)
    argue = argued(
        step, reason="Omega w is zero with probability one", how=cancelled, conclusion="P{Omega w = 0} = 1"
    )
    return Formula(left, "=", ZERO, argument=argue)


@cache
def problem_16(leak: sp.Expr) -> Parts:
    """`leak` is the variance outside of im(Psi), which a density on R^(qp) needs; kappa/m is the cost of N(0, m) on im(Psi)."""
    target = sp.Symbol("B", positive=True)
    return parts(
        leaking(leak),
        Formula(value_at(KAPPA / M, {M: KAPPA / target}), "<=", target, argument=argued(relation="<=")),
    )


def least_information() -> tuple[Step, ...]:
    """Tr(C J) >= Tr(C V^-1) >= Tr(C)/m in every dimension, for J the information of w, V <= m I its covariance."""
    c, v, u = Symmetric("C"), Symmetric("V"), Symmetric("U")
    s, w = Column("s"), Column("w")
    root = sp.Symbol("r", positive=True)
    bound = Trace(c * v**-1)
    return (
        identity(
            gram(c**HALF * s + c**HALF * v**-1 * w),
            Trace(s.T * c * s) - bound,
            "E|C^(1/2) (s + V^-1 w)|^2 >= 0 with E[s w'] = -I, E[w w'] = V",
            None,
            {Trace(s.T * c * v**-1 * w): -bound, Trace(w.T * v**-1 * c * v**-1 * w): bound},
        ),
        identity(
            Trace(c * v**-HALF * (root - v) * v**-HALF),
            root * bound - Trace(c),
            "m Tr(C V^-1) - Tr(C) is the trace of a product of positive semidefinite matrices, C and V^(-1/2) (m - V) V^(-1/2)",
        ),
        identity(Trace(c**HALF * u * c**HALF), Trace(c * u), "such a trace is not negative"),
    )


@cache
def optimal_inside(normaliser: sp.Expr, rate: sp.Expr, leak: sp.Expr = ZERO) -> Parts:
    """normaliser^d exp(-rate |v|^2) on R^d: mass, information of an entry, and kappa times it against kappa/v for v <= m."""
    d = sp.Symbol("d", positive=True, integer=True)
    x = sp.Symbol("x", real=True)
    q = sp.Symbol("q", positive=True)
    mass, second = (sp.integrate(x**n * sp.exp(-q * x**2), (x, -sp.oo, sp.oo)).subs(q, rate) for n in (0, 2))
    information = sp.simplify(normaliser * 4 * rate**2 * second)
    smaller = M / (1 + EXTRA)

    whole = power(product(normaliser, sp.Integral(sp.exp(-rate * x**2), (x, -sp.oo, sp.oo))), d)
    squared_score = sp.Integral(power(2 * rate * x, 2) * sp.exp(-rate * x**2), (x, -sp.oo, sp.oo))

    def argue(formula: Formula) -> Derivation:
        ties = (
            Step(
                product(normaliser, squared_score),
                "=",
                1 / M,
                "the information of an entry of v is the mean square of its score, -2 rate x",
            ),
            Step(
                formula.left,
                "=",
                product(KAPPA, normaliser, squared_score),
                "the cost of the noise: kappa = Tr(Psi^+ (I (x) Pi^-1) (Psi^+)')",
                evaluated,
            ),
            Step(
                formula.right,
                "=",
                quotient(KAPPA, quotient(M, 1 + EXTRA)),
                "what noise of the variance m/(1 + g) costs at least",
                cancelled,
            ),
        )
        return Derivation(
            "no noise with V <= m I has less information", (*least_information(), *ties), (SQUARES, STEIN)
        )

    return parts(
        leaking(leak),
        Formula(sp.simplify(normaliser * mass) ** d, "=", ONE, argument=argued(written=whole)),
        Formula(KAPPA * information, "<=", KAPPA / smaller, argument=argue),
    )


@cache
def image(zero: str) -> Parts:
    """Where the density of w = Psi v vanishes."""

    def argument() -> Derivation:
        x = Letter("X")
        steps = (
            identity(
                Trace(x * OMEGA * PSI),
                ZERO,
                "Omega Psi = 0, against every matrix",
                _RULES,
                None,
                {**_INSTANCE, x: sp.Matrix([[5]])},
            ),
            identity(
                Trace((1 - PSI * PSI.T) * PSI * x),
                ZERO,
                "w = Psi v is its own projection",
                _RULES,
                None,
                _INSTANCE,
            ),
        )
        v = sp.Symbol("v", real=True)
        normal = value_at(sp.exp(-(v**2) / (2 * M)) / sp.sqrt(2 * sp.pi * M), {v: ZERO})
        if zero == "orthogonal":
            at_origin = Step(
                normal, "=", ZERO, "w = 0 is at right angles to im(Psi), where the density is said to vanish"
            )
        else:
            at_origin = Step(normal, ">", ZERO, "w = 0 lies in im(Psi), where the density does not vanish")
        return Derivation("the density is zero outside of im(Psi)", (*steps, at_origin))

    return Parts(instances=support(zero), argument=argument)


TURN = sp.Symbol("t", real=True)
COLUMN = sp.Matrix([1 - TURN**2, 2 * TURN]) / (1 + TURN**2)
RIGHT_ANGLE = sp.Matrix([-COLUMN[1], COLUMN[0]])


@cache
def information_along(inside: bool) -> Parts:
    """q p = 2, one column: the information of normal noise about a shift along v, against v' (Psi^+)' Psi^+ v/m."""
    covariance = M * COLUMN * COLUMN.T + LEAK * RIGHT_ANGLE * RIGHT_ANGLE.T
    v = COLUMN if inside else sp.Matrix(sp.symbols("v1 v2", real=True))
    left = sp.cancel((v.T * covariance.inv() * v)[0, 0])
    right = sp.cancel(((v.T * COLUMN)[0, 0]) ** 2 / M)
    a, b = sp.symbols("a b", real=True)
    slope, value, at = sp.symbols("slope value x", real=True)
    first_order = value + slope * at
    u = sp.symbols("u1 u2", real=True)
    chain = tuple(
        Step(
            sp.Derivative(first_order.subs(at, a * u[0] + b * u[1]), u[k]),
            "=",
            (a, b)[k] * slope,
            f"chain rule, entry {k + 1}: the score in w is (Psi^+)' times the score in v, whatever the density",
        )
        for k in range(2)
    )

    def argue(formula: Formula) -> Derivation:
        along, across = (total(*map(product, v, axis)) for axis in (COLUMN, RIGHT_ANGLE))
        inside_only = quotient(power(along, 2), M)
        ties = (
            Step(
                formula.left,
                "=",
                total(inside_only, quotient(power(across, 2), LEAK)),
                "v'V^-1 v in the axes of V: the column of Psi, with variance m, and the direction across, with variance e",
                cancelled,
            ),
            Step(across, "=", ZERO, "a shift along Psi has no part across", cancelled),
            Step(formula.right, "=", inside_only, "so it is the square along the column, over m", cancelled),
        )
        return Derivation("the information along im(Psi)", (*chain, *ties))

    return parts(Formula(left, "=", right, argument=argue))


@cache
def pseudo_inverse(factor: sp.Expr) -> Parts:
    """One column: Psi^+ (Psi^+)' = 1/|Psi|^2 = (Psi' Psi)^+, and 1 for a column of length one."""
    a, b = sp.symbols("a b", positive=True)
    column = sp.Matrix([a, b])
    inverse = column.T / (a**2 + b**2)
    unit = COLUMN.T / (COLUMN.T * COLUMN)[0, 0]
    general = identity(
        Trace(PSI.T * PSI * Letter("X")),
        Trace(Letter("X")),
        "orthonormal columns: Psi^+ = (Psi'Psi)^-1 Psi' = Psi', so Psi^+ (Psi^+)' = Psi'Psi = I, against every matrix",
        {(PSI.T, PSI): ONE},
        None,
        _INSTANCE,
    )

    def argue(formula: Formula) -> Derivation:
        size = total(*(power(entry, 2) for entry in COLUMN))
        tie = Step(
            formula.left,
            "=",
            quotient(size, power(size, 2)),
            "Psi^+ is Psi' over the squared length of Psi",
            cancelled,
        )
        right = Step(formula.right, "=", size, "which is that of one column of length one", cancelled)
        return Derivation("Psi^+ (Psi^+)' = I", (general, tie, right))

    return parts(
        Formula((inverse * inverse.T)[0, 0], "=", 1 / (column.T * column)[0, 0]),
        Formula(sp.cancel((unit * unit.T)[0, 0]), "=", factor, argument=argue),
    )


@cache
def reduced(factor: sp.Expr) -> Parts:
    """One column, Pi = diag(a, b): the cost is kappa Jhat, kappa = Psi' Pi^-1 Psi; at a given variance normal noise is best."""
    a, b, j = sp.symbols("a b J", positive=True)
    deviation = sp.Symbol("s", positive=True)
    prices = sp.diag(1 / a, 1 / b)
    spread = COLUMN * j * COLUMN.T
    whole = total(*(product(prices[k, k], spread[k, k]) for k in (0, 1)))
    inside = product((COLUMN.T * prices * COLUMN)[0, 0], j)
    q, inner = Symmetric("Q"), Symmetric("J")
    rotated = identity(
        Trace(q * PSI * inner * PSI.T),
        Trace(PSI.T * q * PSI * inner),
        "Tr((I (x) Pi^-1) (Psi^+)' Jhat Psi^+) = Tr(Psi^+ (I (x) Pi^-1) (Psi^+)' Jhat), in every dimension",
    )
    same = argued(rotated, reason="the trace for one column", how=cancelled, conclusion="(16) in terms of v")

    u, x = sp.symbols("u x", real=True)
    normal = sp.exp(-(x**2) / (2 * deviation**2)) / sp.sqrt(2 * sp.pi * deviation**2)
    line, score = (x, -sp.oo, sp.oo), -x / deviation**2
    normal_forms = (sp.Integral(score**2 * normal, line), quotient(ONE, sp.Integral(x**2 * normal, line)))
    # The score of the logistic law is (1 - 2 u)/s, u its distribution function, which is uniform.
    logistic_forms = (
        sp.Integral(((1 - 2 * u) / deviation) ** 2, (u, 0, 1)),
        quotient(ONE, quotient(power(product(sp.pi, deviation), 2), 3)),
    )

    def best(law: Any, forms: tuple[sp.Expr, sp.Expr]) -> Formula:
        left, variance = location_information(law).scalar, law.variance()

        argument = by_steps(
            "information is at least the inverse covariance",
            lambda: least_information()[:1],
            forms[0],
            ">=",
            forms[1],
            (SQUARES, STEIN),
        )
        return Formula(left, ">=", factor / variance, argument=argument)

    return parts(
        Formula(whole, "=", inside, argument=same),
        best(laws.normal(0, deviation), normal_forms),
        best(laws.logistic(0, deviation), logistic_forms),
    )


@cache
def last_step(factor: sp.Expr) -> Parts:
    """Order 2: V^-1 = 1/m + r r', C = diag(c1, c2), Tr(C V^-1) against factor Tr(C)/m."""
    r = sp.symbols("r1 r2", real=True)
    c1, c2 = sp.symbols("c1 c2", positive=True)
    excess = sp.Matrix(r) * sp.Matrix(r).T
    c = sp.diag(c1, c2)
    left = sp.expand((c * (sp.eye(2) / M + excess)).trace())
    bound = (c1 + c2) / M

    def argue(formula: Formula) -> Derivation:
        ties = (
            Step(formula.left, "=", bound + c1 * r[0] ** 2 + c2 * r[1] ** 2, "the cost at this V", cancelled),
            Step(
                formula.right, "=", total(product(c1, 1 / M), product(c2, 1 / M)), "Tr(C (1/m) I)", cancelled
            ),
        )
        return Derivation("no covariance below m I costs less", (*least_information()[1:], *ties), (SQUARES,))

    return parts(
        Formula(left, ">=", factor * bound, argument=argue),
        Formula(left.subs(dict.fromkeys(r, ZERO)), "=", factor * bound),
    )
