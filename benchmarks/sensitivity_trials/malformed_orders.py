"""Queries that do not look at the order of records, written in odd forms, and such that do: who is told which.

`cd benchmarks && python -m sensitivity_trials.malformed_orders 100` counts, of each kind, the queries that are refused.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import sympy as sp

import noiseproof as npf

REFUSED = re.compile(r"it is (?P<one>.*) at \((?P<a>.*)\) and (?P<two>.*) at \((?P<b>.*)\)\. Pass")
RATES = tuple(sp.Rational(1, k) for k in (2, 3, 5))


@dataclass(frozen=True)
class SymmetryCase:
    """A query of records in [0, 1]; `symmetric` by construction, or not."""

    query: sp.Expr
    records: tuple[sp.Symbol, ...]
    symmetric: bool


class Writer:
    """The same functions in forms that are drawn."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng

    def one(self, *forms: object) -> sp.Expr:
        return forms[int(self.rng.integers(len(forms)))]()  # type: ignore[operator]

    def larger(self, a: sp.Expr, b: sp.Expr) -> sp.Expr:
        return self.one(
            lambda: sp.Max(a, b),
            lambda: (a + b + self.size(a - b)) / 2,
            lambda: sp.Piecewise((a, a >= b), (b, True)),
            lambda: sp.Piecewise((a, a > b), (b, sp.Not(a > b))),
            lambda: -sp.Min(-a, -b),
            lambda: b + sp.Max(a - b, 0),
        )

    def smaller(self, a: sp.Expr, b: sp.Expr) -> sp.Expr:
        return self.one(lambda: sp.Min(a, b), lambda: a + b - self.larger(a, b), lambda: -self.larger(-a, -b))

    def size(self, a: sp.Expr) -> sp.Expr:
        return self.one(
            lambda: sp.Abs(a),
            lambda: sp.Max(a, -a),
            lambda: sp.Piecewise((a, a > 0), (-a, True)),
            lambda: sp.sqrt(sp.expand(a**2)),
        )

    def ordered(self, values: Sequence[sp.Expr], missing: int = 0) -> list[sp.Expr]:
        """Bubbles in an order of their own; the last `missing` comparisons are left out."""
        out = [values[i] for i in self.rng.permutation(len(values))]
        steps = [(i, i + 1) for end in range(len(out) - 1, 0, -1) for i in range(end)]
        for i, j in steps[: len(steps) - missing]:
            out[i], out[j] = self.smaller(out[i], out[j]), self.larger(out[i], out[j])
        return out

    def polynomial(self, xs: Sequence[sp.Expr]) -> sp.Expr:
        mean = sum(xs) / len(xs)
        return self.one(
            lambda: sp.expand(sum((x - mean) ** 2 for x in xs)),
            lambda: sum((x - mean) ** 2 for x in xs),
            lambda: sp.expand(sp.Mul(*(x + 1 for x in xs))),
            lambda: sp.Mul(*xs) + sp.expand(sum(xs) ** 3),
            lambda: (sum(xs) ** 2 - sum(x**2 for x in xs)) / 2,
        )

    def symmetric(self, xs: Sequence[sp.Expr]) -> sp.Expr:
        pairs = [(a, b) for i, a in enumerate(xs) for b in xs[i + 1 :]]
        n = len(xs)
        return self.one(
            lambda: self.ordered(xs)[int(self.rng.integers(n))],
            lambda: sum(k * v for k, v in enumerate(self.ordered(xs))),
            lambda: sum(self.size(a - b) for a, b in pairs),
            lambda: sum(self.larger(x, RATES[0]) for x in xs),
            lambda: self.polynomial(xs),
            lambda: sp.exp(self.ordered(xs)[0]) + sum(map(sp.exp, xs)),
            lambda: self.polynomial(xs) + self.ordered(xs)[-1],
            lambda: self.size(sum(xs) - 1) * self.ordered(xs)[n // 2],
        )


def drawn(seed: int, symmetric: bool) -> SymmetryCase:
    """A query of two or three records."""
    rng = np.random.default_rng((seed, int(symmetric)))
    write, n = Writer(rng), int(rng.integers(2, 4))
    xs = tuple(sp.Symbol(f"x{i}", real=True) for i in range(1, n + 1))
    found = write.symmetric(xs)
    if not symmetric:
        i, rate = int(rng.integers(n)), RATES[int(rng.integers(3))]
        found = write.one(
            lambda: found + rate * write.larger(xs[i], RATES[int(rng.integers(3))]),
            lambda: write.symmetric([x * rate if x == xs[i] else x for x in xs]) + 2 * xs[i],
            lambda: found + sp.Piecewise((rate, xs[i] > xs[i - 1]), (0, True)),
            lambda: found + write.ordered(xs, missing=1)[-1] * rate + xs[i] ** 2 / 7,
        )
    return SymmetryCase(found, xs, symmetric)


def refusal(asked: SymmetryCase, seconds: float = 1.0) -> str | None:
    """What the query is refused with; None where it is answered, or left open."""
    try:
        npf.sensitivity(asked.query, npf.Box(0, 1), records=list(asked.records), norm="l1")
    except npf.SpecError as error:
        return str(error)
    return None


def pair_is_right(asked: SymmetryCase, words: str) -> bool:
    """Whether the two data sets of a refusal differ in order alone, and have two answers."""
    found = REFUSED.search(words)
    if found is None:
        return False
    one, two = ([sp.Rational(v) for v in found[k].split(", ")] for k in ("a", "b"))
    answers = [asked.query.subs(dict(zip(asked.records, v, strict=True))).evalf(30) for v in (one, two)]
    return sorted(one) == sorted(two) and bool(abs(answers[0] - answers[1]) > 1e-9)


def run(count: int) -> Iterator[tuple[SymmetryCase, str | None]]:
    for seed in range(count):
        for symmetric in (True, False):
            asked = drawn(seed, symmetric)
            yield asked, refusal(asked)


if __name__ == "__main__":
    told = list(run(int(sys.argv[1]) if len(sys.argv) > 1 else 100))
    for symmetric, what in ((True, "symmetric"), (False, "not symmetric")):
        mine = [(a, w) for a, w in told if a.symmetric is symmetric]
        refused = [(a, w) for a, w in mine if w is not None]
        right = sum(pair_is_right(a, w) for a, w in refused)
        print(f"{what}: {len(mine)} queries, {len(refused)} refused, {right} with a right pair")
