"""Rational points of a program of the list and what they are worth, decided in fifty digits apart from any engine."""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import sympy as sp

from program_trials.program import Norm, Program, Psd, read, symbols_of
from program_trials.random_case import Case

STEPS = (Fraction(1, 10), Fraction(1, 100), Fraction(1, 10**4), Fraction(1, 10**5))
TINY = sp.Float("1e-40", 50)


class Judged:
    """Values and excess of a program at points."""

    def __init__(self, program: Program) -> None:
        names = symbols_of(program)
        self.variables = [names[n] for n in program.over.split()]
        self.objective = read(program.minimise, names)
        self.integer = program.integer
        self.excess = [e for given in program.subject_to for e in _excess(given, names)]

    def value(self, point: Any) -> sp.Expr:
        return sp.N(self.objective.subs(dict(zip(self.variables, point, strict=True))), 50)

    def worst(self, point: Any) -> sp.Expr:
        """The largest excess, sizes of the distance from equations included; at most 0 at a feasible point."""
        at = dict(zip(self.variables, point, strict=True))
        if self.integer and not all(sp.sympify(e).is_integer for e in point):
            return sp.Integer(1)
        parts = [sp.N(e.subs(at), 50) for e in self.excess]
        return max([p if p.is_comparable else sp.oo for p in parts], default=sp.Integer(-1))

    def feasible(self, point: Any) -> bool:
        return bool(self.worst(point) <= TINY and self.value(point).is_comparable)


def _excess(given: str | Norm | Psd, names: dict[str, sp.Symbol]) -> list[sp.Expr]:
    if isinstance(given, Psd):
        (a, b), (_, c) = (read(f"[{row}]", names) for row in given.rows)
        return [-a, -c, b**2 - a * c]
    if isinstance(given, Norm):
        vector, bound = read(f"[{given.vector}]", names), sp.sympify(read(given.bound, names))
        if given.norm == "l2":
            # In squares, which are rational at rational points.
            return [sp.Add(*(v**2 for v in vector)) - bound**2, -bound]
        signs = [s * v for v in vector for s in (1, -1)]
        return [sp.Add(*map(sp.Abs, vector)) - bound] if given.norm == "l1" else [s - bound for s in signs]
    relation = read(given, names)
    left, right = relation.lhs, relation.rhs
    if isinstance(relation, sp.Eq):
        return [sp.Abs(left - right)]
    return [left - right if isinstance(relation, sp.Le) else right - left]


def rationals(point: Any) -> list[sp.Rational]:
    """Fractions as they are, floats to nine digits."""
    return [
        sp.Rational(e.numerator, e.denominator)
        if isinstance(e, Fraction)
        else sp.Rational(str(round(float(e), 9)))
        for e in point
    ]


def wrong_points(case: Case, judged: Judged, rng: random.Random) -> Iterator[list[sp.Rational]]:
    """Feasible points that are worse than the minimum, a step away from a minimiser."""
    for step in rng.sample(STEPS, len(STEPS)):
        base = rationals(rng.choice(case.truth.points))
        anchor = (
            rationals(case.truth.anchor)
            if case.truth.anchor
            else [b + sp.Rational(rng.randint(-8, 8), 8) for b in base]
        )
        size = sp.Rational(step.numerator, step.denominator)
        point = [b + size * (a - b) for a, b in zip(anchor, base, strict=True)]
        if case.program.integer:
            point = anchor
        if judged.feasible(point) and judged.value(point) > float(case.truth.value) + max(
            2e-11, 2 * case.truth.slack
        ):
            yield point


def outside_points(case: Case, judged: Judged, rng: random.Random) -> Iterator[list[sp.Rational]]:
    """Points that are better than the minimum and not feasible."""
    for step in rng.sample(STEPS, len(STEPS)):
        base = rationals(rng.choice(case.truth.points))
        point = [b + sp.Rational(rng.choice((-1, 1)) * step.numerator, step.denominator) for b in base]
        if judged.worst(point) > 0 and judged.value(point).is_comparable:
            yield point


def any_feasible(judged: Judged, rng: random.Random, tries: int = 200) -> list[sp.Rational] | None:
    """A feasible point of small fractions, if luck has it."""
    for k in range(tries):
        point = [
            sp.Rational(rng.randint(-12, 12), rng.choice((1, 2, 4)) if k % 2 else 4) for _ in judged.variables
        ]
        if judged.feasible(point):
            return point
    return None
