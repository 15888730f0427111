"""Noise that is correlated over the records: Proposition 2.8 and its proof, appendix D."""

from __future__ import annotations

import sympy as sp

from ....symbolic.proof.as_written import product, quotient, total, value_at
from ....symbolic.proof.derivation import Derivation, Step
from ....symbolic.proof.trace import Column, Letter, Rules, Symmetric, Trace, gram, identity
from ...dossier import Argument, Formula, Parts, Statement, parts
from ...dossier.arguments.bounds_arguments import REGULAR, SQUARES, by_steps, cancelled
from ...dossier.arguments.release_statements import weighted_cramer_rao
from .arguments.correlated_noise_bounds import chain
from .dossier import DOSSIER

ONE = sp.Integer(1)
ONE_PER_CENT = sp.Rational(101, 100)
W = sp.Symbol("w", positive=True)  # Pi, where p = 1
J1 = sp.Symbol("J1", positive=True)  # information of one record, where p = 1
MORE, LESS = sp.symbols("h d", nonnegative=True)
MIXED = "mixed-product property: (e_i' (x) I)(I (x) R) = R (e_i' (x) I)"
# |W (x_i - xhat_i)|^2 has the weight W'W: Pi^2 as printed, Pi as the bounds need it, 1 without a weight.
SQUARED = {"Pi": W**2, "root of Pi": W, "none": ONE}


def inverse_trace() -> tuple[Step, ...]:
    """Tr(Pi B^-1) >= 2 c p - c^2 Tr(Pi^-1 B) for every c, hence p^2/Tr(Pi^-1 B), in every dimension p."""
    pi, block = Symmetric("P"), Symmetric("B")
    half = sp.Rational(1, 2)
    c, p, trace = sp.symbols("c p S", positive=True)
    value = 2 * c * p - c**2 * trace
    return (
        identity(
            gram(pi**half * block**-half - c * pi**-half * block**half),
            Trace(pi * block**-1) - 2 * c * p + c**2 * Trace(pi**-1 * block),
            "a sum of squares, for every c",
            None,
            {Trace(ONE): p},
        ),
        Step(value_at(value, {c: p / trace}), "=", p**2 / trace, "the best c is p/Tr(Pi^-1 B)"),
        Step((1 + LESS) ** 2, ">=", ONE, "p = 1 + d is at least one: p^2/Tr is at least 1/Tr"),
    )


def kronecker() -> tuple[Step, ...]:
    """Tr(Pi^-1 E'JE) = Tr(E'(I (x) Pi^-1) J E) = Tr(E E'(I (x) Pi^-1) J) for E = e_i (x) I."""
    pick, weights, inner, j = Letter("E"), Symmetric("Q"), Symmetric("R"), Symmetric("J")
    rules: Rules = {(pick.T, weights): inner * pick.T}
    instance = {
        pick: sp.Matrix([1, 0]),
        weights: sp.diag(3, 3),
        inner: sp.Matrix([[3]]),
        j: sp.Matrix([[5, 1], [1, 4]]),
    }
    inside = Trace(pick.T * weights * j * pick)
    return (
        identity(
            inside,
            Trace(inner * pick.T * j * pick),
            "the weight moves through the choice of record",
            rules,
            None,
            instance,
        ),
        identity(inside, Trace(pick * pick.T * weights * j), "the trace does not change under rotation"),
    )


def _general(left: sp.Expr, relation: str, right: sp.Expr, steps: tuple[Step, ...], *lemmas: str) -> Argument:
    return by_steps(
        "the general inequality on this instance", lambda: steps, left, relation, right, (SQUARES, *lemmas)
    )


def _inside(weight: sp.Expr, value: sp.Expr) -> sp.Expr:
    """Tr(M^(1/2) value M^(1/2)) for the weight M, where p = 1."""
    return product(sp.sqrt(weight), value, sp.sqrt(weight))


def one_record(weight: str) -> Formula:
    """p = 1: the released record has the variance 1/J1, and J1 is its information."""
    inverse = quotient(ONE, product(1 / W, J1))
    argument = _general(_inside(W, 1 / J1), ">=", inverse, weighted_cramer_rao(), REGULAR)
    return Formula(SQUARED[weight] / J1, ">=", W / J1, argument=argument)


def trace_bound(factor: sp.Expr = ONE) -> Formula:
    """p = 1: Tr(Pi B^-1) = w/J1 against factor/Tr(Pi^-1 B) = factor w/J1."""
    inverse = quotient(ONE, product(1 / W, J1))
    argument = _general(_inside(W, 1 / J1), ">=", inverse, (*inverse_trace(), *kronecker()), MIXED)
    return Formula(W / J1, ">=", factor * W / J1, argument=argument)


def last_bound(inverted: bool) -> Formula:
    """p = 1, q = 2: the informations J1 and J1 + h of the records, and what the trace in (13) adds up."""
    both = 2 * J1 + MORE
    least = W / (J1 + MORE)
    whole = Step(least, ">=", W / both, "one term is at most the sum of all")
    terms = total(product(1 / W, J1), product(1 / W, J1 + MORE))
    steps = (*inverse_trace(), *kronecker(), whole)
    argument = _general(_inside(W, 1 / (J1 + MORE)), ">=", quotient(ONE, terms), steps, MIXED)
    return Formula(least, ">=", 1 / (W * both if inverted else both / W), argument=argument)


DOSSIER.introduces(
    "assumption-2.2",
    "Smooth density on all records (Assumption 2.2)",
    "The density of the noise on R^(qp) is twice continuously differentiable.",
)


@DOSSIER.disputed(
    "proposition-2.8",
    "Errors under correlated noise (Proposition 2.8)",
    printed="For unbiased estimates of the records, min_i E|Pi (x_i - xhat_i)|^2 >= min_i Tr(Pi B_i^-1) >= "
    "1/Tr((I (x) Pi^-1)^-1 J): J the information of the noise on R^(qp), B_i its block of record i, Pi "
    "positive definite.",
    twin="min_i E|Pi^(1/2) (x_i - xhat_i)|^2 >= min_i Tr(Pi B_i^-1) >= 1/Tr((I (x) Pi^-1) J). The last term "
    "as in appendix D; the norm with Pi fails for the released record and Pi < 1. No place fixes the "
    "root of Pi as what was meant: the proof repeats the norm with Pi, whereas that of Proposition 2.2 "
    "has Pi^(1/2) in its trace.",
    at=(("Pi", True), ("root of Pi", False)),
)
def proposition_2_8(said: str, inverted: bool) -> Parts:
    chosen = ("one record", "trace", "last")
    return parts(
        one_record(said), last_bound(inverted), instances=chain(chosen, weight=said, inverted=inverted)
    )


@DOSSIER.disputed(
    "appD-1",
    "The Cramer-Rao bound of one record (appendix D)",
    printed="The release has the density gamma(xbar - x), and E|Pi (x_i - xhat_i)|^2 >= Tr(Pi B_i^-1) for "
    "unbiased estimates, B_i the information about x_i.",
    twin="E|Pi^(1/2) (x_i - xhat_i)|^2 >= Tr(Pi B_i^-1).",
    at=("Pi", "root of Pi"),
)
def app_d_1(said: str) -> Parts:
    return parts(one_record(said), instances=chain(("one record",), weight=said))


def score_of_record(sign: sp.Expr) -> Parts:
    """d log gamma(xbar - x)/dx_1 = sign d log gamma/dw_1 at w = xbar - x; normal noise on two records as the instance."""
    y = sp.symbols("y1 y2", real=True)
    x = sp.symbols("x1 x2", real=True)
    w = sp.symbols("w1 w2", real=True)
    a, c = sp.symbols("a c", positive=True)
    b = sp.Symbol("b", real=True)
    at = dict(zip(w, (y[0] - x[0], y[1] - x[1]), strict=True))
    log_density = -(a * w[0] ** 2 + 2 * b * w[0] * w[1] + c * w[1] ** 2) / 2
    left = sp.expand(sp.diff(log_density.subs(at), x[0]))
    right = sp.expand((sign * sp.diff(log_density, w[0])).subs(at))
    # A derivative sees the terms of first order only: g with any slope stands for every density.
    slopes = sp.symbols("s1 s2", real=True)
    first_order = slopes[0] * w[0] + slopes[1] * w[1]
    general = Step(
        sp.Derivative(first_order.subs(at), x[0]),
        "=",
        product(-1, sp.Derivative(first_order, w[0])),
        "chain rule, for a function with any slopes at w = xbar - x",
    )
    pick, s = Letter("E"), Column("s")
    square = identity(
        Trace(product(-1, pick.T, s, -1, s.T, pick)),
        Trace(pick.T * s * s.T * pick),
        "the sign leaves the outer product, hence the information of the record, as it is",
    )

    def argue(formula: Formula) -> Derivation:
        minus = product(-1, value_at(sp.diff(log_density, w[0]), at))
        slope = sp.Derivative(log_density.subs(at), x[0])
        ends = (
            Step(formula.left, "=", slope, "the derivative of this density"),
            Step(formula.right, "=", minus, "the right side, with the sign that was derived", cancelled),
        )
        return Derivation("the score of one record", (general, square, *ends))

    # E[(a w1 + b w2)^2] with the covariance [[c, -b], [-b, a]]/(a c - b^2), and the first entry of the information.
    spread = sp.Matrix([[c, -b], [-b, a]]) / (a * c - b**2)
    row = sp.Matrix([[a, b]])
    mean_square = (row * spread * row.T)[0, 0]
    same = Step(mean_square, "=", a, "E[(d log gamma/dx_1)^2] is the block of the information", cancelled)

    def block(formula: Formula) -> Derivation:
        moments = total(product(a**2, c), product(2, a, b, -b), product(b**2, a))
        square = quotient(moments, a * c - b**2)
        bend = product(-1, sp.Derivative(log_density, (w[0], 2)))
        ties = (
            Step(formula.left, "=", square, "the mean of the square of a w_1 + b w_2", cancelled),
            Step(formula.right, "=", bend, "the block that is claimed, from the second derivative"),
        )
        return Derivation("the information of one record is a block", (same, *ties))

    return parts(
        Formula(left, "=", right, argument=argue), Formula(mean_square, "=", a, (a * c - b**2,), block)
    )


DOSSIER.disputed(
    "appD-2",
    "The information of one record is a block (appendix D)",
    reading="the density gamma(xbar - x) in the step before, in which x_i has a minus sign",
    printed="The information about x_i is (e_i' (x) I) J (e_i (x) I), since d log gamma(xbar - x)/dx_i = (e_i' "
    "(x) I) d log gamma(w)/dw at w = xbar - x. Formula: normal noise on two records.",
    twin="The same with d log gamma(xbar - x)/dx_i = -(e_i' (x) I) d log gamma(w)/dw; the sign cancels in the "
    "information.",
    at=(ONE, -ONE),
)(score_of_record)


@DOSSIER.disputed(
    "appD-3",
    "From the trace of an inverse to the inverse of a trace (appendix D)",
    printed=("Tr(Pi B_i^-1) >= 1", ".", ONE, "1"),
    twin=(
        "Tr(Pi B_i^-1) >= 1.01",
        ", all but the first of these traces 1 % smaller.",
        ONE_PER_CENT,
        "101/100",
    ),
)
def app_d_3(words: str, value: str, factor: sp.Expr, said: str) -> Statement[Parts]:
    text = "/Tr(Pi^-1 B_i), and this trace is Tr((e_i' (x) I)(I (x) Pi^-1) J (e_i (x) I)) = Tr((e_i e_i' (x) I)(I (x) Pi^-1) J)"
    return Statement(
        f"{words}{text}{value}",
        parts(trace_bound(factor=factor), instances=chain(("trace", "blocks"), factor=said)),
    )


def largest(weight: str) -> Parts:
    """p = 1, q = 2: informations J1 and J1 + h; the error of the released record is SQUARED/information."""
    best = J1 + MORE
    both = (2 * J1 + MORE) / W
    rest = Step(best / W, "<=", both, "the other traces are not negative")
    block, error = _inside(1 / W, best), _inside(W, 1 / best)
    terms = total(product(1 / W, J1), product(1 / W, best))
    first = _general(quotient(ONE, error), "<=", block, (*weighted_cramer_rao(), *inverse_trace()), REGULAR)
    second = _general(block, "<=", terms, (*kronecker(), rest), MIXED)
    return parts(
        Formula(best / SQUARED[weight], "<=", best / W, argument=first),
        Formula(best / W, "<=", both, argument=second),
        instances=chain(("largest",), weight),
    )


@DOSSIER.disputed(
    "appD-4",
    "From one record to all records (appendix D)",
    printed=("max_i 1/E|x_i - xhat_i|^2 ", "none"),
    twin=("max_i 1/E|Pi^(1/2) (x_i - xhat_i)|^2 ", "root of Pi"),
)
def app_d_4(words: str, said: str) -> Statement[Parts]:
    rest = "<= max_i Tr((e_i e_i' (x) I)(I (x) Pi^-1) J) <= the sum over i = Tr((I (x) Pi^-1) J)"
    return Statement(f"{words}{rest}.", largest(said))
