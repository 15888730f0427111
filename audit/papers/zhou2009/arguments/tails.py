"""Tails of inner products of compressed columns: exact chi-square tails, and a Bernstein bound that holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import sympy as sp
from flint import arb, ctx

from .....symbolic.proof.as_written import difference, product, value_at
from .....symbolic.proof.derivation import Derivation, Step
from .....symbolic.proof.exact_numbers import ball, enclosed
from ....dossier import Comparison, Formula, Instances, rule
from ....dossier.arguments.bounds_arguments import cancelled

C_1, C_2 = "4*e/sqrt(6*pi)", "sqrt(8)*e"
PRINTED_C = f"sqrt(2*({C_1} + {C_2}))"
K, T = sp.Symbol("k", nonnegative=True), sp.Symbol("t", positive=True)
U, V, LAM = sp.symbols("u v lam", positive=True)
R = sp.Symbol("r", real=True)


def two_sided(m: int, tau: arb) -> arb:
    """P(|chi^2_m/m - 1| >= tau) for tau > 0."""
    half = arb(m) / 2
    # 1 - Q loses as many digits as the tail is small.
    with ctx.workprec(160 + int(float(m * tau**2))):
        above = (half * (1 + tau)).gamma_upper(half, regularized=1)
        below = 1 - (half * (1 - tau)).gamma_upper(half, regularized=1) if tau < 1 else arb(0)
        return above + below


@rule("compression: tail of a squared column", "m", "n", "p", "tau")
def tail_of_a_column(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterator[Comparison]:
    """x = y of length 1: the exact tail against 2 exp(-m tau^2/(C_1 + C_2 tau))."""
    m = int(numbers["m"])
    if "n" in numbers:
        # tau of the proof of lemma 4.4, with the constants of the paper.
        tau = (enclosed(PRINTED_C) ** 2 * (arb(2 * int(numbers["n"]) * int(numbers["p"]))).log() / m).sqrt()
    else:
        tau = ball(numbers["tau"])
    one, two = enclosed(printed["one"]), enclosed(printed["two"])
    yield (
        f"tail at {tau.str(5, radius=False)}",
        two_sided(m, tau),
        "<=",
        2 * (-m * tau**2 / (one + two * tau)).exp(),
    )


def tails(one: str, two: str, of_the_proof: bool = False) -> Instances:
    """The tail bound with these constants on exact tails."""

    def draw(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
        if of_the_proof:
            yield {"m": 29000, "n": 30000, "p": 2}
            for m in (300, 1000, 5000):
                yield {"m": m, "n": int(rng.integers(m, 3 * m)), "p": int(rng.integers(1, 4))}
            return
        yield {"m": 20000, "tau": "1/20"}
        for m in (1, 10, 100, 1000):
            for _ in range(3):
                yield {"m": m, "tau": f"{int(rng.integers(1, 100))}/100"}

    return Instances(
        "compression: tail of a squared column",
        {"one": one, "two": two},
        draw,
        "a squared column of length 1, compressed",
    )


@rule("compression: window", "m", "n", "p")
def window(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterator[Comparison]:
    """The probability that one diagonal entry leaves the window c sqrt(ln(2np)/m), against 1/n^2."""
    m, n, p = (int(numbers[k]) for k in "mnp")
    tau = enclosed(printed["c"]) * ((arb(2 * n * p)).log() / m).sqrt()
    if tau < 1:
        yield "P[E] from one entry", two_sided(m, tau), "<=", arb(1) / n**2


def windows(c: str) -> Instances:
    """Windows of this constant around tables of n records."""

    def draw(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
        for m in (500, 1000, 5000):
            yield {"m": m, "n": 1000 + m, "p": int(rng.integers(1, 5))}

    return Instances("compression: window", {"c": c}, draw, "outputs leave the window rarely")


@rule("compression: many tables", "n", "p", "M")
def many_tables(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterator[Comparison]:
    """P(all |Sigma_i - 1| <= M sqrt(ln p/n)) from one diagonal entry of each independent table: at least one half if O_P."""
    n, p, factor = int(numbers["n"]), int(numbers["p"]), ball(numbers["M"])
    tables = enclosed(printed["tables"], {"n": n, "p": p})
    tau = factor * (arb(p).log() / n).sqrt()
    yield "probability", (tables * (1 - two_sided(n, tau)).log()).exp(), ">=", arb(1) / 2


def sets_of_tables(tables: str) -> Instances:
    """So many independent tables of n records (text in n, p)."""

    def draw(_: np.random.Generator) -> Iterator[dict[str, Any]]:
        yield {"n": 100, "p": 2, "M": "6"}
        yield {"n": 400, "p": 3, "M": "8"}

    return Instances(
        "compression: many tables",
        {"tables": tables},
        draw,
        "second moments of all tables are near the true ones",
    )


def bernstein() -> tuple[Step, ...]:
    """P(|S_jk - r| >= tau) <= 2 exp(-m tau^2/(4 + 4 tau)) for columns of unit mean square and correlation r."""
    corner = sp.Matrix([[1, R], [R, 1]]) * sp.Matrix([[0, 1], [1, 0]])
    form = sp.eye(2) - LAM * corner
    written = difference(product(form[0, 0], form[1, 1]), product(form[0, 1], form[1, 0]))
    chosen = T / (2 + 2 * T)
    sides = (-U - sp.log(1 - U), U**2 / (2 * (1 - U)))
    slopes = (U / (1 - U), U * (2 - U) / (2 * (1 - U) ** 2))
    return (
        Step(
            written,
            "=",
            (1 - LAM * (1 + R)) * (1 + LAM * (1 - R)),
            "E exp(lam x y) = det^(-1/2): a product for the two eigenvalues of the form",
            cancelled,
        ),
        *(
            Step(sp.Derivative(side, U), "=", slope, f"slope of {sp.sstr(side)}")
            for side, slope in zip(sides, slopes, strict=True)
        ),
        Step(
            value_at(slopes[0], {U: 1 / (1 + V)}),
            "<=",
            value_at(slopes[1], {U: 1 / (1 + V)}),
            "slopes: -u - ln(1 - u) <= u^2/(2 (1 - u)), u = 1/(1 + v)",
        ),
        Step(
            sp.Derivative(U - sp.log(1 + U), U),
            "<=",
            sp.Derivative(U**2 / 2, U),
            "slopes: u - ln(1 + u) <= u^2/2",
        ),
        Step(
            (1 + R) ** 2 + (1 - R) ** 2,
            "=",
            4 - 2 * (1 - R**2),
            "at most 4 for correlations; so ln E exp(lam (x y - r)) <= lam^2/(1 - 2 lam)",
        ),
        Step(
            chosen * T - chosen**2 / (1 - 2 * chosen),
            "=",
            T**2 / (4 + 4 * T),
            "at lam = tau/(2 + 2 tau), for each row",
            cancelled,
        ),
    )


BELOW_ONE = (1 - U,)  # where the logarithm of 1 - u is taken
LEMMAS = (
    "Chernoff's bound; both signs of x y - r alike, since -x y is x (-y)",
    "E exp(quadratic form of a normal vector) = det(I - lam R J)^(-1/2)",
)


def tail_argument(one: str, two: str) -> Derivation:
    """The printed exponent is no larger than the one that holds."""
    first, second = (_number(x) for x in (one, two))
    steps = (
        Step(
            first,
            ">=",
            product(2, 2),
            "C_1 against 2 v: Bernstein's bound for v lam^2/(2 (1 - c lam)), v = c = 2",
        ),
        Step(second, ">=", product(2, 2), "C_2 against 2 c"),
    )
    said = f"the tail is at most 2 exp(-m tau^2/(C_1 + C_2 tau)), C_1 = {one}, C_2 = {two}"
    return Derivation(
        said,
        (*bernstein(), *steps),
        (
            *LEMMAS,
            "a product of lengths s <= 1 makes the exponent m tau^2/(4 s^2 + 4 s tau), which is larger",
        ),
        BELOW_ONE,
    )


def union_of_entries() -> Formula:
    """p (p + 1)/2 entries, each with 2 (2np)^-2, against 1/n^2; p = 1 + k."""
    n = sp.Symbol("n", integer=True, positive=True)
    return Formula(sp.factor((1 + K) * (2 + K) / (2 * n * (1 + K)) ** 2), "<", 1 / n**2)


def window_argument(c: str) -> Derivation:
    """P[E] <= 1/n^2 for the window with this constant, if m >= c^2 ln(2np)."""
    union = union_of_entries()
    steps = (
        Step(
            _number(c) ** 2 / 8,
            ">=",
            sp.Integer(2),
            "m tau^2 = c^2 ln(2np), tau <= 1 and 4 + 4 tau <= 8: the exponent is at least 2 ln(2np)",
        ),
        Step(union.left, union.relation, union.right, "p (p + 1)/2 entries, each 2 (2np)^-2, p = 1 + k"),
    )
    lemmas = (*LEMMAS, "|S - Sigma_1| <= |S - Sigma_i| + Dmax")
    return Derivation("P[E] <= 1/n^2", (*bernstein(), *steps), lemmas, BELOW_ONE)


def tables_argument(power: sp.Expr | None) -> Derivation:
    """p^power tables of p >= 2 columns: a deviation exceeds M sqrt(ln p/n) with probability at most p^-t, M^2 = 8 (power + 3 + t), any t > 0."""
    p = 2 + K
    tables = p**power if power is not None else sp.Symbol("N", positive=True)
    e = (power if power is not None else sp.Integer(0)) + 3 + T
    pairs = tables * p * (p + 1) / p**e
    steps = (
        Step(
            product(p**T, pairs),
            "<=",
            sp.Integer(1),
            "the union over tables and entries, tau = M sqrt(ln p/n) <= 1: as rare as t makes it",
        ),
    )
    return Derivation(
        "Dmax = O_P(sqrt(ln p/n))",
        (*bernstein(), *steps),
        (*LEMMAS, "a table of n normal records: the same law with n for m"),
        BELOW_ONE,
    )


def _number(text: str) -> sp.Expr:
    from .....symbolic.proof.expressions import parse

    return parse(text)
