"""Tables of signs and tables scaled column by column: distances of neighbours, and what a known Phi gives away."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import sympy as sp
from flint import arb

from .....symbolic.proof import as_written as written
from .....symbolic.proof.exact_matrices import matrix_of
from .....symbolic.proof.exact_numbers import ball, enclosed
from .....symbolic.proof.trace import Column, Trace, gram, identity
from ....dossier import Comparison, Formula, Instances, argued, rule
from ....dossier.arguments.bounds_arguments import cancelled

ONE = sp.Integer(1)
FIRST = sp.Symbol("i", nonnegative=True)


def turned_signs(printed: sp.Expr, bound: sp.Expr, spectral: bool = False) -> tuple[Formula, ...]:
    """n^2 |Delta|_F^2 (or of the spectral norm) for t p signs turned, against `printed` t (1 - t) p^2, and that against bound p^2."""
    t = 1 / (1 + FIRST)
    p = sp.Symbol("p", positive=True)
    inner = written.power(written.product(p, 1 - 2 * t), 2)
    half = written.difference(p**2, inner)
    found = half if spectral else written.product(2, half)
    x, y = Column("x"), Column("y")
    argue = argued(
        identity(
            gram(x * x.T - y * y.T),
            Trace(x.T * x) ** 2 + Trace(y.T * y) ** 2 - 2 * Trace(x.T * y) ** 2,
            "|x x' - y y'|_F^2, for every p; its two eigenvalues are opposite, so half of it is the squared spectral norm",
        ),
        reason="|x|^2 = |y|^2 = p and x'y = p (1 - 2 t)",
        how=cancelled,
        conclusion="the norm of Delta",
    )
    value = printed * t * (1 - t) * p**2
    return (
        Formula(found, "=", sp.factor(value), argument=argue),
        Formula(sp.factor(value), "<=", bound * p**2),
    )


def sign_products(factor: sp.Expr = ONE) -> tuple[Formula, ...]:
    """n |Delta_jk| for all signs of two entries before and after, against 2."""
    n = sp.Symbol("n", positive=True)
    before_and_after = {abs(a * b - c * d): (a, b, c, d) for a, b, c, d in product((-1, 1), repeat=4)}
    entries = (
        written.applied(sp.Abs, written.difference(written.product(a, b), written.product(c, d)))
        for _, (a, b, c, d) in sorted(before_and_after.items())
    )
    return tuple(Formula(written.quotient(entry, n), "<=", factor * 2 / n) for entry in entries)


@rule("compression: signs turned")
def signs_turned(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterator[Comparison]:
    """The Frobenius norm of (x x' - y y')/n for a row x of signs, y with its first `turned` ones turned, against what is printed."""
    x, turned, n = [int(v) for v in numbers["row"]], int(numbers["turned"]), int(numbers["n"])
    y = [-v if i < turned else v for i, v in enumerate(x)]
    square = sum((a * b - c * d) ** 2 for a, c in zip(x, y, strict=True) for b, d in zip(x, y, strict=True))
    names = {"p": len(x), "t": sp.Rational(turned, len(x)), "n": n}
    yield "|Delta|_F", arb(square).sqrt() / n, "<=", enclosed(printed["norm"], names)
    yield "its bound", arb(square).sqrt() / n, "<=", enclosed(printed["bound"], names)


def turned_rows(norm: str, bound: str) -> Instances:
    """Rows of 4 to 12 random signs with up to all of them turned."""

    def draw(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
        for p in (4, 7, 12):
            for turned in (p // 2, 1, p - 1, p):
                yield {
                    "row": rng.choice([-1, 1], p).tolist(),
                    "turned": turned,
                    "n": int(rng.integers(1, 50)),
                }

    return Instances(
        "compression: signs turned", {"norm": norm, "bound": bound}, draw, "the distance of tables of signs"
    )


@rule("compression: Phi revealed")
def revealed(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterator[Comparison]:
    """Other columns of signs with the same release; or free directions of real columns with it."""
    phi, x = matrix_of(numbers["phi"]), matrix_of([[v] for v in numbers["x"]])
    n = phi.ncols()
    if printed["entries"] == "real":
        yield "free directions", arb(n - phi.rank()), ">=", arb(1)
        return
    out = phi * x
    columns = phi * matrix_of(list(zip(*product((-1, 1), repeat=n), strict=True)))
    others = sum(all(columns[i, j] == out[i, 0] for i in range(phi.nrows())) for j in range(columns.ncols()))
    yield "other columns of signs with this release", arb(others - 1), ">=", arb(1)


def known_phi(entries: str) -> Instances:
    """Phi of one or two rows and eight records, revealed."""

    def draw(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
        for m in (1, 2):
            phi = [[f"{round(1e6 * v)}/1000000" for v in row] for row in rng.standard_normal((m, 8))]
            yield {"phi": phi, "x": [int(v) for v in rng.choice([-1, 1], 8)]}

    return Instances(
        "compression: Phi revealed",
        {"entries": entries},
        draw,
        "the release leaves columns open even if Phi is known",
    )


@rule("compression: columns scaled first")
def scaled_first(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterator[Comparison]:
    """Rows in which two tables that differed in one row do so after every column is scaled to squared length n."""
    one = [list(row) for row in numbers["table"]]
    two = [list(numbers["row"]), *one[1:]]
    scaled = [_scaled(table) for table in (one, two)]
    for column in zip(*scaled[0], strict=True):
        total = sum((abs(v) for v in column), Fraction(0))
        yield "squared length of a column", ball(total), "=", arb(len(one))
    differing = sum(a != b for a, b in zip(*scaled, strict=True))
    yield "differing rows", arb(differing), "<=", arb(int(printed["rows"]))


def _scaled(table: list[list[int]]) -> list[list[Fraction]]:
    """Signed squares of the scaled entries, which are rational."""
    n, lengths = len(table), [sum(v * v for v in column) for column in zip(*table, strict=True)]
    return [
        [Fraction((1 if v > 0 else -1) * v * v * n, s) for v, s in zip(row, lengths, strict=True)]
        for row in table
    ]


def normalised_neighbours(signs: bool) -> Instances:
    """Tables of signs, or of whole numbers, with another first row."""

    def draw(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
        for n in (3, 5, 8):
            values = [-1, 1] if signs else [-4, -3, -2, -1, 1, 2, 3, 4]
            table = rng.choice(values, (n, 2)).tolist()
            yield {"table": table, "row": [-table[0][0], table[0][1]] if signs else [5 + abs(table[0][0]), 6]}

    return Instances(
        "compression: columns scaled first",
        {"rows": "1"},
        draw,
        "columns have squared length n after scaling, and tables that differed in one row still do",
    )
