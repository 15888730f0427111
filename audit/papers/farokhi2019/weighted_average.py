"""The weighted average and its least-squares adversary: Example 2; the variance query of Example 3."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import sympy as sp

from ....symbolic.information.query import variance
from ....symbolic.proof.as_written import inner, power, product, quotient, total
from ....symbolic.proof.derivation import Step
from ....symbolic.proof.trace import Column, Letter, Rules, Symmetric, Trace, gram, identity
from ...dossier import ARGUED, Formula, Instances, Parts, argued, parts
from ...dossier.arguments.bounds_arguments import cancelled
from .dossier import DOSSIER

WEIGHTS = sp.Matrix([sp.symbols("c1 c2", positive=True)])
RECORD = sp.Matrix(sp.symbols("x1 x2", real=True))
SQUARE = (WEIGHTS * WEIGHTS.T)[0, 0]
NOISE, MEAN, SPREAD = sp.Symbol("w", real=True), sp.Symbol("mean", real=True), sp.Symbol("v", positive=True)
# A row C of any length as the column c = C', with C C' = g.
C, E, X, G = Column("c"), Letter("E"), Column("x"), sp.Symbol("g", positive=True)
UNIT: Rules = {(C.T, C): G}
THREE = {C: sp.Matrix([1, 2, 2]), E: sp.Matrix(3, 3, range(1, 10)), X: sp.Matrix([1, 0, 3])}


@DOSSIER.disputed(
    "example-2a",
    "The least-squares adversary of a weighted average (Example 2)",
    printed="For a row C that is not 0 the pseudo-inverse is C+ = C' (C C')^-1, so that least squares gives xhat "
    "= C+ y.",
    twin="C+ = C' (C C')^-1.01.",
    at=(sp.Integer(1), sp.Rational(101, 100)),
)
def example_2a(power: sp.Expr) -> Formula:
    """The four conditions that determine a pseudo-inverse, for a row of every length."""

    inverse = C * G**-power
    numbers = WEIGHTS.T * SQUARE**-power
    steps = (
        identity(
            Trace(E * C.T * inverse * C.T),
            Trace(E * C.T),
            "C C+ C = C",
            UNIT,
            instance={**THREE, E: sp.Matrix([1, 0, 2])},
        ),
        identity(Trace(E.T * inverse * C.T * inverse), Trace(E.T * inverse), "C+ C C+ = C+", UNIT),
        identity(
            Trace(E * inverse * C.T), Trace(E.T * inverse * C.T), "C+ C is symmetric; C C+ is a number", UNIT
        ),
    )
    lemmas = (
        "Penrose: these conditions have one solution C+, and C+ y is the shortest of the least-squares solutions",
    )
    return Formula((WEIGHTS * numbers)[0, 0], "=", sp.Integer(1), argument=argued(*steps, lemmas=lemmas))


@DOSSIER.disputed(
    "example-2b",
    "Assumption 3 for the weighted average (Example 2)",
    checks=ARGUED,
    printed="For a row C of full row rank the Jacobian of the mean of xhat = C+ y has full row rank, as "
    "Assumption 3 asks.",
    twin="It has if C has full column rank, which for one answer means n = 1.",
    at=("row", "column"),
)
def example_2b(rank: str) -> Parts:
    """The mean of C+ y is C+ C x, and C+ C has the rank of C, which is 1."""

    def draw(rng: np.random.Generator) -> Iterable[dict[str, Any]]:
        if rank == "row":
            yield {"C": ["1/2", "1/2"]}
        for _ in range(4):
            size = 1 if rank == "column" else int(rng.integers(2, 5))
            yield {"C": [f"{int(rng.integers(1, 20))}/{int(rng.integers(1, 9))}" for _ in range(size)]}

    sentence = f"C of full {rank} rank: C+ C is invertible"
    found = Instances("rank of the gain of least squares", {"full rank": rank}, draw, sentence)
    single = WEIGHTS[:, :1]
    formula = Formula(
        (single.T * (single * single.T).inv() * single).det(),
        "=",
        sp.Integer(1),
        argument=argued(written=product(single[0], quotient(1, product(single[0], single[0])), single[0])),
    )
    missing = "C+ C has rank 1 for every number n of columns"
    return parts(formula, instances=found, missing="" if rank == "column" else missing)


@DOSSIER.disputed(
    "example-2c",
    "Least squares is biased (Example 2)",
    condition="The noise has mean 0. In general E xhat = C+ C x + C+ E w: cosine noise on [0, 1] has the mean 1/2.",
    printed="E xhat = C+ E y = C+ C x, which is not x for every x where n > 1.",
    without="The same for noise of any mean.",
    at=(sp.Integer(0), MEAN),
)
def example_2c(mean: sp.Expr) -> Formula:
    """The mean of y is C x only for noise of mean 0."""

    answer = (WEIGHTS * RECORD)[0, 0] + mean
    derived = sp.simplify((WEIGHTS.pinv() * answer)[0, 0])
    printed = WEIGHTS[0] * (WEIGHTS * RECORD)[0, 0] / SQUARE
    mean_answer = total(inner(WEIGHTS, RECORD), mean)
    written = quotient(product(WEIGHTS[0], mean_answer), inner(WEIGHTS, WEIGHTS))
    n = sp.Symbol("k", positive=True, integer=True) + 1
    steps = (
        identity(
            Trace(C.T * C) / G,
            sp.Integer(1),
            "the trace, so the rank, of the projection C+ C is 1, for every n",
            values={Trace(C.T * C): G},
        ),
        Step(
            n, ">", sp.Integer(1), "for n > 1 it is not the identity: there is x with C+ C x different from x"
        ),
    )
    return Formula(printed, "=", derived, argument=argued(*steps, written=written))


@DOSSIER.disputed(
    "example-2d",
    "Error of least squares (Example 2)",
    printed="E|x - C+ y|^2 = |(I - C+ C) x|^2 + E|C+ w|^2.",
    twin="The second term is 1.01 E|C+ w|^2.",
    at=(sp.Integer(1), sp.Rational(101, 100)),
)
def example_2d(factor: sp.Expr) -> Formula:
    """The mixed term vanishes because (I - C+ C) C+ = 0, whatever the mean of the noise."""

    inverse = WEIGHTS.T / SQUARE
    bias = (sp.eye(2) - inverse * WEIGHTS) * RECORD
    error = sp.Poly(sp.expand(((bias - inverse * NOISE).T * (bias - inverse * NOISE))[0, 0]), NOISE)
    moments = {(0,): sp.Integer(1), (1,): MEAN, (2,): SPREAD + MEAN**2}
    derived = sum(value * moments[power] for power, value in error.terms())
    printed = (bias.T * bias)[0, 0] + factor * (SPREAD + MEAN**2) / SQUARE
    printed, derived = (sp.factor(side.subs(WEIGHTS[1], 2)) for side in (printed, derived))
    at = {WEIGHTS[1]: 2}
    noisy = quotient(total(SPREAD, power(MEAN, 2)), SQUARE.subs(at))
    written = total(*(power(b.subs(at), 2) for b in bias), noisy)
    steps = (
        identity(
            gram(X - C * C.T * X / G - C * NOISE / G),
            gram(X - C * C.T * X / G) + factor * gram(C * NOISE / G),
            "|x - C+ (C x + w)|^2 for each w and every n",
            UNIT,
            instance=THREE,
        ),
    )
    argument = argued(*steps, how=cancelled, written=written)
    return Formula(printed, "=", derived, argument=argument)


@DOSSIER.disputed(
    "example-2e",
    "Bound on the error of least squares (Example 2)",
    printed="E|x - C+ y|^2 >= |(I - C+ C) x|^2 + Tr(I(x)^-1 (C C')^-1), with I(x) = K C' C. For n > 1 I(x) is "
    "singular; with its pseudo-inverse the second term is 1/(K q^2), q = C C', which is also what "
    "Section 5 uses.",
    twin="The second term is Tr(K^-1 (C C')^-1) = 1/(K q), with the information K about C x.",
    at=(2, 1),
)
def example_2e(i: int) -> Formula:
    """K is the information about C x in one answer; q = C C'; E w^2 = (1 + e)/K with e >= 0 by Cramer-Rao."""
    power = sp.Integer(i)
    k, q = sp.symbols("K q", positive=True)
    bias, excess = sp.symbols("b e", nonnegative=True)
    information, pseudo = k * C * C.T, C * C.T / (k * G**2)
    steps = (
        identity(
            Trace(E * information * pseudo * information),
            Trace(E * information),
            "C C'/(K q^2) is the pseudo-inverse of I = K C' C",
            UNIT,
        ),
        identity(
            gram(C * NOISE / G), NOISE**2 / G, "|C+ w|^2 = w^2/q, for every n", values={Trace(C.T * C): G}
        ),
        Step((1 + excess) / k, ">=", 1 / k, "E w^2 >= variance of w >= 1/K"),
    )
    lemmas = ("Cramer-Rao inequality for the location of the noise, which w estimates",)
    return Formula(
        bias + (1 + excess) / (k * q), ">=", bias + 1 / (k * q**power), argument=argued(*steps, lemmas=lemmas)
    )


@DOSSIER.disputed(
    "example-2f",
    "A scalar leaves the trace (Example 2)",
    checks=ARGUED,
    condition="I(x)^-1 is the pseudo-inverse, or n = 1: I(x) = K C' C has rank 1.",
    printed="Because m = 1, Tr(I(x)^-1 (C C')^-1) = Tr(I(x)^-1) (C C')^-1.",
    without="The same with the inverse of I(x) for every n.",
    at=("pseudo", "ordinary"),
)
def example_2f(inverse: str) -> Parts:
    """A number leaves the trace; that there is an inverse is another matter."""

    factor = sp.Integer(1)
    entries = sp.symbols("n11 n12 n22", real=True)
    matrix, s = sp.Matrix([[entries[0], entries[1]], [entries[1], entries[2]]]), 1 / SQUARE
    n, scalar = Symmetric("N"), sp.Symbol("s", positive=True)
    steps = (
        identity(Trace(n * scalar), factor * scalar * Trace(n), "a number leaves the trace, for every n"),
    )
    formula = Formula((matrix * s).trace(), "=", factor * s * matrix.trace(), argument=argued(*steps))

    def draw(rng: np.random.Generator) -> Iterable[dict[str, Any]]:
        yield {"C": ["1/2", "1/2"], "K": "3"}
        for _ in range(3):
            size = int(rng.integers(2, 4))
            yield {
                "C": [f"{int(rng.integers(1, 20))}/7" for _ in range(size)],
                "K": f"{int(rng.integers(1, 30))}/4",
            }

    printed = {"inverse": inverse, "factor": sp.sstr(factor)}
    sentence = "I(x) has the inverse, and the number (C C')^-1 leaves the trace"
    found = Instances("inverse of the information", printed, draw, sentence)
    return parts(
        formula,
        instances=found,
        missing="" if inverse == "pseudo" else "I(x) = K C' C of rank 1 has no inverse for n > 1",
    )


@DOSSIER.disputed(
    "example-3",
    "The variance query (Example 3)",
    printed="f(x) = (1/(n-1)) sum_i (x_i - mean)^2 computes the variance: on n >= 2 independent entries of "
    "variance s its mean is s.",
    twin="The factor is 1.01/(n-1).",
    at=(sp.Integer(1), sp.Rational(101, 100)),
)
def example_3(factor: sp.Expr) -> Formula:
    """What is asserted is that this query computes the variance: it is the unbiased one."""

    n = sp.Symbol("k", positive=True, integer=True) + 1
    spread = sp.Symbol("s", positive=True)
    # The variance of x_i - mean for independent entries: (1 - 1/n)^2 from x_i, (n - 1)/n^2 from the others.
    deviation = spread * ((1 - 1 / n) ** 2 + (n - 1) / n**2)
    steps = tuple(_second_moments(size) for size in (2, 3, 5))
    return Formula(factor * n * deviation / (n - 1), "=", spread, argument=argued(*steps))


def _second_moments(size: int) -> Step:
    """The mean of the query as the toolkit has it: the trace of its quadratic form times the variance."""
    query = variance(size)
    form = sp.hessian(query.expressions[0], query.variables) / 2
    diagonal = [form[i, i] for i in range(size)]
    return Step(total(*diagonal), "=", sp.Integer(1), f"n = {size}: the query of the toolkit has the mean s")
