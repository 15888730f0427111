"""A random program with its truth, the texts of its formulas, and linear and quadratic programs that are solved in fractions."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from program_trials import brute
from program_trials.brute import Matrix, Row
from program_trials.program import Program, Status

NAMES = ("x", "y", "z")


@dataclass(frozen=True)
class Truth:
    """`value` is the infimum, in fractions where `exact`; `points` are minimisers; `convex` is of the whole program, None if unknown.

    `anchor` is a feasible point in fractions, to step away from a minimiser on a line that stays feasible if the set is convex.
    """

    status: Status
    value: Any
    points: list[Any] = field(default_factory=list)
    exact: bool = True
    convex: bool | None = None
    anchor: Row | None = None
    slack: float = 0.0


@dataclass(frozen=True)
class Case:
    program: Program
    truth: Truth


def made(
    kind: str, minimise: str, n: int, subject_to: list[Any], truth: Truth, integer: bool = False
) -> Case:
    program = Program(
        kind,
        kind,
        minimise,
        " ".join(NAMES[:n]),
        tuple(subject_to),
        truth.status,
        str(truth.value),
        "",
        convex=bool(truth.convex),
        qualification="no point",
        integer=integer,
    )
    return Case(program, truth)


def linear_form(row: list[Any]) -> str:
    return " + ".join(f"({c})*{n}" for c, n in zip(row, NAMES, strict=False) if c != 0) or "0"


def quadratic_form(hessian: Matrix, slope: Row) -> str:
    n = len(slope)
    terms = [f"({hessian[i][i] / 2})*{NAMES[i]}**2" for i in range(n) if hessian[i][i] != 0]
    terms += [
        f"({hessian[i][j]})*{NAMES[i]}*{NAMES[j]}" for i in range(n) for j in range(i) if hessian[i][j] != 0
    ]
    return " + ".join([*terms, linear_form(slope)])


def whole(rng: random.Random, n: int, size: int = 4) -> Row:
    return [Fraction(rng.randint(-size, size)) for _ in range(n)]


def some(rng: random.Random, n: int, size: int = 4) -> Row:
    row = whole(rng, n, size)
    return row if any(row) else some(rng, n, size)


def box_rows(box: list[tuple[int, int]]) -> tuple[Matrix, Row]:
    n = len(box)
    unit = [[Fraction(int(i == k)) for i in range(n)] for k in range(n)]
    rows = [[s * e for e in unit[k]] for k in range(n) for s in (1, -1)]
    return rows, [Fraction(s * end) for lo, hi in box for s, end in ((1, hi), (-1, lo))]


def written(below: Matrix, ends: Row, equal: Matrix = [], right: Row = []) -> list[str]:  # noqa: B006
    return [f"{linear_form(a)} <= {b}" for a, b in zip(below, ends, strict=True)] + [
        f"Eq({linear_form(a)}, {b})" for a, b in zip(equal, right, strict=True)
    ]


def random_box(rng: random.Random, n: int) -> list[tuple[int, int]]:
    return [(-rng.randint(0, 3), rng.randint(1, 3)) for _ in range(n)]


def polyhedral(
    rng: random.Random,
    kind: str,
    hessian: Matrix,
    slope: Row,
    below: Matrix,
    ends: Row,
    equal: Matrix | None = None,
    right: Row | None = None,
    bounded: bool = True,
) -> Case:
    """A linear or quadratic program in fractions; a linear one may be unbounded, and is asked of HiGHS first."""
    equal, right = equal or [], right or []
    n = len(slope)
    convex = bool(np.linalg.eigvalsh(np.array(hessian, dtype=float)).min() > -1e-12)
    # On a set without an inside a form that is not convex everywhere may be convex: nothing is said then.
    known = convex or (None if equal else False)
    text, relations = quadratic_form(hessian, slope), written(below, ends, equal, right)
    status = "optimal" if bounded else brute.linear_status(slope, below, ends, equal, right)
    if status == "unbounded":
        return made(kind, text, n, relations, Truth("unbounded", "-oo", convex=known))
    found = brute.least_on_polytope(hessian, slope, below, ends, equal, right)
    if found is None:
        return made(kind, text, n, relations, Truth("infeasible", "oo"))
    zero = [[Fraction(0)] * n for _ in range(n)]
    vertex = brute.least_on_polytope(zero, some(rng, n), below, ends, equal, right) if bounded else None
    anchor = vertex[1][0] if vertex and vertex[1] else None
    return made(kind, text, n, relations, Truth("optimal", found[0], found[1], convex=known, anchor=anchor))


def hessian_of(rng: random.Random, n: int, ranks: int) -> Matrix:
    """A sum of squares of so many linear forms."""
    forms = [some(rng, n, 2) for _ in range(ranks)]
    return [[sum((f[i] * f[j] for f in forms), Fraction(0)) for j in range(n)] for i in range(n)]


def with_box(rng: random.Random, n: int, more: int) -> tuple[Matrix, Row]:
    rows, ends = box_rows(random_box(rng, n))
    extra = [some(rng, n, 3) for _ in range(more)]
    return rows + extra, ends + [Fraction(rng.randint(-2, 4)) for _ in extra]
