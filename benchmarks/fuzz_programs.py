"""Random programs whose formulas bring a domain along, and parametric ones under other names: no word may be wrong.

    cd benchmarks && python fuzz_programs.py domains --count 300
    cd benchmarks && python fuzz_programs.py names --count 200

`domains`: the minimiser lies at the border of a root or a fractional power and is known. Where a qualification HOLDS, the conditions that
are printed must have multipliers there (a linear program), and `certify` must agree. `names`: a convex quadratic program is
solved under two sets of names and orders; values, cases and words are held against active sets in fractions.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import random
import sys
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp
from scipy.optimize import linprog

import noiseproof as npf

x, y, z = sp.symbols("x y z", real=True)
Point = dict[sp.Symbol, sp.Expr]
POWERS = [
    sp.Rational(p, q) for p, q in ((1, 2), (1, 3), (3, 4), (3, 2), (3, 2), (5, 2), (4, 3), (7, 3), (7, 2))
]


def with_a_border(rng: random.Random) -> tuple[npf.Program, Point]:
    """A program of terms that are nowhere negative and vanish together at the point, which lies at the border of one of them."""
    k, r = sp.Rational(rng.randint(-4, 4), 2), sp.Integer(rng.randint(1, 3))
    inner, slope, relations, at = rng.choice(
        [
            (x - k, x - k, [], {x: k}),
            (k - x, k - x, [], {x: k}),
            (r**2 - x**2, x + r, [], {x: -r}),
            (x**2 - r**2, x - r, [x >= r / 2], {x: r}),
            (sp.log(x), x - 1, [], {x: sp.Integer(1)}),
            (x - y, x - y + (y - k), [y >= k], {x: k, y: k}),
            (x + y - k, x + 2 * y - k, [y >= 0], {x: k, y: sp.Integer(0)}),
            ((x - k) ** 3, x - k, [], {x: k}),
        ]
    )
    power = rng.choice([1, 2, sp.Rational(1, 3)]) * inner ** rng.choice(POWERS)
    power = power / (1 + inner**2) if rng.random() < 0.2 else power
    objective = rng.choice([1, 2, sp.Rational(1, 2)]) * slope
    if rng.random() < 0.4:
        at[z] = sp.Integer(rng.randint(-1, 1))
        objective += (z - at[z]) ** 2
        relations = relations + ([z <= at[z]] if rng.random() < 0.5 else [])
    if rng.random() < 0.3:
        relations = [*relations, power <= 1]
    else:
        objective += power
    if rng.random() < 0.2:
        relations = [*relations, inner >= 0] if inner.is_polynomial() else relations
    if rng.random() < 0.3:
        return npf.Program(maximise=-objective, over=list(at), subject_to=relations), at
    return npf.Program(objective, list(at), relations), at


def solvable(conditions: Any, at: Point) -> bool:
    """Whether the printed equations have multipliers of the right signs at the point."""
    full = conditions.lifting.point(at)
    john = [conditions.john] if conditions.john != 1 else []
    unknown = [*john, *conditions.symbols]
    inactive = {
        m.symbols[0]: 0 for m in conditions.multipliers if sp.simplify(m.constraint.excess.subs(full)) != 0
    }
    rows = [e.subs(inactive).subs(full) for e in (*conditions.stationarity, *conditions.complementarity)]
    if any(e.has(sp.nan, sp.zoo, sp.oo, -sp.oo) for e in rows):
        return False
    if john:
        rows.append(sp.Add(*unknown) - 1)
    if not unknown:
        return all(sp.simplify(e) == 0 for e in rows)
    slopes = [[float(sp.diff(e, m)) for m in unknown] for e in rows]
    rest = [-float(e.subs(dict.fromkeys(unknown, 0))) for e in rows]
    signed = {d.lhs for d in conditions.dual if isinstance(d, sp.Ge)}
    bounds = [(0, None) if m in signed else (None, None) for m in unknown]
    return bool(linprog([0.0] * len(unknown), A_eq=np.array(slopes), b_eq=rest, bounds=bounds).status == 0)


def domain_faults(seed: int, seconds: float = 3.0) -> Iterator[str]:
    program, at = with_a_border(random.Random(seed))
    conditions, john = program.kkt(), program.fritz_john()
    point = list(at.values())
    holding = [name for name in ("linear", "slater") if getattr(conditions, name).truth.name == "HOLDS"]
    for name in ("licq", "mfcq"):
        with contextlib.suppress(npf.SpecError):
            holding += [name] if getattr(conditions, name)(point).truth.name == "HOLDS" else []
    is_kkt = solvable(conditions, at)
    if holding and not is_kkt:
        yield f"{', '.join(holding)} hold, and the conditions have no multipliers at the minimiser"
    if not solvable(john, at) and "derivative" not in john.reason.split("Fritz John")[0]:
        yield "the conditions of Fritz John fail at the minimiser, and nothing is said of it"
    found = program.certify(point)
    if found.verdict == "REFUTED":
        yield "the minimiser is REFUTED"
    if found.verdict == "PROVED" and "unknown after" in found.reason:
        yield f"PROVED: {found.reason}"
    if found.kkt_point.name == ("FAILS" if is_kkt else "HOLDS"):
        yield f"kkt_point {found.kkt_point.name}, and the conditions say the opposite"


@dataclass(frozen=True)
class Quadratic:
    """min w'Hw/2 - (C p)'w under A w <= B p + b, in fractions; variables at least zero where `signed`."""

    h: list[list[int]]
    c: list[list[int]]
    a: list[list[int]]
    b: list[list[int]]
    signed: bool

    def stated(
        self, names: str, variables: str, order: random.Random | None
    ) -> tuple[npf.Program | None, list[sp.Symbol]]:
        p = list(sp.symbols(names.split(), positive=True))
        w = list(sp.symbols(variables.split(), **{"nonnegative" if self.signed else "real": True}))
        value = (sp.Matrix([w]) * sp.Matrix(self.h) * sp.Matrix(w))[0] / 2 - (
            sp.Matrix([w]) * sp.Matrix(self.c) * sp.Matrix(p)
        )[0]
        rows = [
            sp.Le(
                sp.Add(*(e * v for e, v in zip(row, w, strict=True))),
                sp.Add(*(e * s for e, s in zip(right, [*p, 1], strict=True))),
            )
            for row, right in zip(self.a, self.b, strict=True)
        ]
        if sp.false in rows:
            return None, p
        rows = [r for r in rows if r is not sp.true]
        over, parameters = list(w), list(p)
        for each in (over, parameters, rows):
            if order is not None:
                order.shuffle(each)
        return npf.Program(sp.expand(value), over, rows, parameters), p

    def least(self, p: list[Fraction]) -> Fraction | None:
        """The minimum by all active sets; None if no point is feasible."""
        n = len(self.h)
        rows = [[Fraction(e) for e in row] for row in self.a]
        ends = [
            sum((e * q for e, q in zip(row, [*p, Fraction(1)], strict=True)), Fraction(0)) for row in self.b
        ]
        if self.signed:
            rows += [[Fraction(-(i == j)) for j in range(n)] for i in range(n)]
            ends += [Fraction(0)] * n
        linear = [sum((e * q for e, q in zip(row, p, strict=True)), Fraction(0)) for row in self.c]
        for size in range(min(n, len(rows)) + 1):
            for active in itertools.combinations(range(len(rows)), size):
                found = self._at(rows, ends, linear, active)
                if found is not None:
                    return found
        return None

    def _at(self, rows: Any, ends: Any, linear: Any, active: tuple[int, ...]) -> Fraction | None:
        n, m = len(self.h), len(active)
        system = sp.zeros(n + m, n + m)
        for i, j in itertools.product(range(n), range(n)):
            system[i, j] = self.h[i][j]
        for k, r in enumerate(active):
            for j in range(n):
                system[n + k, j] = system[j, n + k] = sp.Rational(rows[r][j])
        if system.det() == 0:
            return None
        right = sp.Matrix([*map(sp.Rational, linear), *(sp.Rational(ends[r]) for r in active)])
        both = [Fraction(int(e.p), int(e.q)) for e in system.LUsolve(right)]
        w, multipliers = both[:n], both[n:]
        inside = all(
            sum(a * v for a, v in zip(row, w, strict=True)) <= e for row, e in zip(rows, ends, strict=True)
        )
        if not inside or any(q < 0 for q in multipliers):
            return None
        square = sum(self.h[i][j] * w[i] * w[j] for i in range(n) for j in range(n))
        return square / 2 - sum(e * v for e, v in zip(linear, w, strict=True))


def quadratic(rng: random.Random) -> tuple[Quadratic, int]:
    n, m = rng.choice([(1, 2), (2, 2), (2, 2), (2, 3), (3, 2)])
    root = [[rng.randint(-1, 2) for _ in range(n)] for _ in range(n)]
    h = [[2 * (i == j) + sum(r[i] * r[j] for r in root) for j in range(n)] for i in range(n)]
    c = [[rng.choice([0, 1, 1, 2, -1]) for _ in range(m)] for _ in range(n)]
    k = rng.randint(0, 2 if n < 3 else 1)
    a = [[rng.choice([-1, 0, 1, 1]) for _ in range(n)] for _ in range(k)]
    kept = [row for row in a if any(row)]
    b = [[*(rng.choice([0, 1, 2, -1]) for _ in range(m)), rng.randint(0, 2)] for _ in kept]
    return Quadratic(h, c, kept, b, rng.random() < 0.7), m


NAMES = [["p q", "q p", "t tp", "b a", "x_1 x_10"], ["t p q", "t tp tq", "z y x", "p1 p10 p2", "c a b"]]
VARIABLES = [["w", "a"], ["u v", "v u"], ["u v w", "w v u"]]


def name_faults(seed: int, seconds: float = 20.0) -> Iterator[str]:
    rng = random.Random(seed)
    program, m = quadratic(rng)
    numbers = [[Fraction(rng.randint(1, 40), rng.choice([1, 4, 10])) for _ in range(m)] for _ in range(8)]
    numbers += [[Fraction(8) if i == k else Fraction(1, 10) for i in range(m)] for k in range(m)]
    truths = [program.least(at) for at in numbers]
    words = set()
    for k in range(2):
        names, variables = rng.choice(NAMES[m - 2]), VARIABLES[len(program.h) - 1][k]
        stated, p = program.stated(names, variables, rng if k else None)
        if stated is None:
            return
        found = stated.solve()
        known = []
        for at, truth in zip(numbers, truths, strict=True):
            where = {s: sp.Rational(v.numerator, v.denominator) for s, v in zip(p, at, strict=True)}
            value = sp.nan if found.value is None else found.value.subs(where)
            told = [c.value.subs(where) for c in found.cases if c.holds(where)]
            known.append(value is not sp.nan)
            if (value is sp.nan and found.status == "optimal") or any(
                v != truth for v in [*told, *([] if value is sp.nan else [value])]
            ):
                yield f"{names}: {found.status} {value} at {', '.join(map(str, at))}, and it is {truth}"
        if "unknown after" not in found.reason:  # a busy machine
            words.add((found.status, tuple(known)))
    if len(words) > 1:
        yield f"the names change the answer: {sorted(words)}"


FAULTS = {"domains": domain_faults, "names": name_faults}


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("kind", choices=FAULTS)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    wrong, start = 0, time.perf_counter()
    for seed in range(asked.seed, asked.seed + asked.count):
        said = list(FAULTS[asked.kind](seed))
        wrong += bool(said)
        for text in said:
            print(f"{seed}: {text}", flush=True)
    print(
        f"{asked.count} programs ({asked.kind}) from seed {asked.seed}: {wrong} with a fault, {time.perf_counter() - start:.0f} s"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
