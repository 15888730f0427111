"""Random small programs whose truth is known by brute force or by construction: sixteen kinds, seeded."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
import sympy as sp

from program_trials import brute
from program_trials.brute import Row
from program_trials.program import Norm, read, symbols_of
from program_trials.random_case import (
    NAMES,
    Case,
    Truth,
    box_rows,
    hessian_of,
    linear_form,
    made,
    polyhedral,
    quadratic_form,
    random_box,
    some,
    whole,
    with_box,
    written,
)


def linear(rng: random.Random) -> Case:
    n = rng.randint(1, 3)
    if rng.random() < 0.5:
        below, ends = with_box(rng, n, rng.randint(0, 3))
        return polyhedral(rng, "linear", [[Fraction(0)] * n] * n, whole(rng, n), below, ends)
    below = [[Fraction(-int(i == k)) for i in range(n)] for k in range(n)]
    extra = [some(rng, n, 3) for _ in range(rng.randint(1, 3))]
    ends = [Fraction(0)] * n + [Fraction(rng.randint(-2, 5)) for _ in extra]
    return polyhedral(
        rng, "linear", [[Fraction(0)] * n] * n, whole(rng, n), below + extra, ends, bounded=False
    )


def convex_quadratic(rng: random.Random) -> Case:
    n = rng.randint(1, 3)
    below, ends = with_box(rng, n, rng.randint(0, 2))
    return polyhedral(rng, "convex quadratic", hessian_of(rng, n, n + 1), whole(rng, n), below, ends)


def flat_quadratic(rng: random.Random) -> Case:
    n = rng.randint(2, 3)
    below, ends = with_box(rng, n, rng.randint(0, 2))
    slope = [Fraction(0)] * n if rng.random() < 0.3 else whole(rng, n)
    return polyhedral(rng, "flat quadratic", hessian_of(rng, n, 1), slope, below, ends)


def indefinite_quadratic(rng: random.Random) -> Case:
    n = rng.randint(1, 3)
    below, ends = with_box(rng, n, rng.randint(0, 2))
    entries = [[Fraction(rng.randint(-3, 3)) for _ in range(n)] for _ in range(n)]
    hessian = [[entries[i][j] + entries[j][i] for j in range(n)] for i in range(n)]
    return polyhedral(rng, "indefinite quadratic", hessian, whole(rng, n), below, ends)


def equations(rng: random.Random) -> Case:
    """One equation, at times written twice: then the gradients are dependent."""
    n = rng.randint(2, 3)
    below, ends = with_box(rng, n, rng.randint(0, 1))
    row, level = some(rng, n, 3), Fraction(rng.randint(-3, 3))
    equal, right = [row], [level]
    if rng.random() < 0.5:
        equal, right = [row, [2 * e for e in row]], [level, 2 * level]
    ranks = rng.randint(1, n)
    return polyhedral(rng, "equations", hessian_of(rng, n, ranks), whole(rng, n), below, ends, equal, right)


GAPS = (Fraction(1), Fraction(1, 100), Fraction(1, 10**6), Fraction(0), Fraction(0))


def by_a_hair(rng: random.Random) -> Case:
    """Inequalities whose weighted sum says 0 <= -gap: without a feasible point, or at gap 0 with a set that has no inside."""
    n, gap = rng.randint(1, 3), rng.choice(GAPS)
    rows = [some(rng, n, 3) for _ in range(rng.randint(1, 2))]
    ends = [Fraction(rng.randint(-2, 3)) for _ in rows]
    weights = [Fraction(rng.randint(1, 3)) for _ in rows]
    last = [-brute.dot(weights, [r[i] for r in rows]) for i in range(n)]
    end = -brute.dot(weights, ends) - gap
    if not any(last):
        return by_a_hair(rng)
    box, box_ends = box_rows([(-6, 6)] * n)
    hessian = hessian_of(rng, n, rng.randint(1, n))
    below, levels = [*box, *rows, last], [*box_ends, *ends, end]
    return polyhedral(rng, "by a hair", hessian, whole(rng, n), below, levels)


def two_discs(rng: random.Random) -> Case:
    """Discs that are apart by a gap, or touch in one point, where no qualification holds."""
    (a, b, c) = rng.choice([(3, 4, 5), (5, 12, 13), (4, 3, 5)])
    gap = rng.choice(GAPS)
    one = Fraction(rng.randint(1, c - 1))
    other = Fraction(c) - one - gap
    x, y = rng.randint(-1, 1), rng.randint(-1, 1)
    discs = [f"(x - {x})**2 + (y - {y})**2 <= {one**2}", f"(x - {x + a})**2 + (y - {y + b})**2 <= {other**2}"]
    slope = some(rng, 2)
    if gap > 0:
        return made("two discs", linear_form(slope), 2, discs, Truth("infeasible", "oo", convex=True))
    point = [x + one * a / c, y + one * b / c]
    truth = Truth("optimal", brute.dot(slope, point), [point], convex=True)
    return made("two discs", linear_form(slope), 2, discs, truth)


def unbounded(rng: random.Random) -> Case:
    n = rng.randint(1, 3)
    ray = some(rng, n, 2)
    slope = some(rng, n)
    if brute.dot(slope, ray) > 0:
        slope = [-e for e in slope]
    if brute.dot(slope, ray) == 0:
        return unbounded(rng)
    rows = [some(rng, n, 3) for _ in range(rng.randint(0, 3))]
    rows = [r if brute.dot(r, ray) <= 0 else [-e for e in r] for r in rows]
    ends = [Fraction(rng.randint(0, 4)) for _ in rows]
    relations, kind = written(rows, ends), rng.randint(0, 3)
    if kind == 0:
        return made("unbounded", linear_form(slope), n, relations, Truth("unbounded", "-oo", convex=True))
    along = brute.dot(ray, ray)
    flat = [[along * int(i == j) - ray[i] * ray[j] for j in range(n)] for i in range(n)]
    if kind == 1:
        # The form a|v|^2 - (ray v)^2 is convex and vanishes along the ray.
        return made(
            "unbounded", quadratic_form(flat, slope), n, relations, Truth("unbounded", "-oo", convex=True)
        )
    if kind == 2:
        down = [[f - ray[i] * ray[j] for j, f in enumerate(row)] for i, row in enumerate(flat)]
        return made("unbounded", quadratic_form(down, whole(rng, n)), n, relations, Truth("unbounded", "-oo"))
    text = rng.choice(
        ["x**3 - {a}*x", "x - exp({b}*x)", "-log(x + {b}) + x/(x**2 + {b}) - {a}*x", "-x**4 + {b}*x**2"]
    )
    text = text.format(a=rng.randint(0, 3), b=rng.randint(1, 3))
    if text.startswith("x**3"):
        return made("unbounded", text, 1, ["x <= 5"], Truth("unbounded", "-oo"))
    if "log" in text and "- 0*x" in text:
        text = text.replace(" - 0*x", "")
    return made("unbounded", text, 1, ["x >= 0"], Truth("unbounded", "-oo"))


ESCAPES = (
    ("{a}*exp(-{b}*x)", 1, [], "0"),
    ("{a}/x", 1, ["x >= {b}"], "0"),
    ("x**2 + {a}*exp({b}*y)", 2, [], "0"),
    ("(x*y - {a})**2 + {b}*x**2", 2, [], "0"),
    ("sqrt(x**2 + {a}) - x", 1, [], "0"),
    ("{a}/x + (y - {b})**2", 2, ["x >= 1"], "0"),
    ("-x/(x + {a})", 1, ["x >= 0"], "-1"),
    ("exp(-{a}*x) + exp(-{b}*y)", 2, ["x + y >= 0"], "0"),
    ("exp(x - y) + {a}*exp(y - z)", 3, [], "0"),
    ("log(1 + exp(-{a}*x))", 1, [], "0"),
    ("x", 2, ["x*y >= {a}", "x >= 0", "y >= 0"], "0"),
)


def not_attained(rng: random.Random) -> Case:
    text, n, relations, value = rng.choice(ESCAPES)
    numbers = {"a": rng.randint(1, 4), "b": rng.randint(1, 3)}
    truth = Truth("not attained", Fraction(value))
    return made("not attained", text.format(**numbers), n, [r.format(**numbers) for r in relations], truth)


def by_grid(
    kind: str, text: str, n: int, box: list[tuple[int, int]], more: list[Any], convex: bool | None
) -> Case:
    """A box and at most a few relations; the minimum by grid and refinement, good to about 1e-9 where nothing is missed."""
    relations = [
        r for name, (lo, hi) in zip(NAMES, box, strict=False) for r in (f"{name} >= {lo}", f"{name} <= {hi}")
    ]
    draft = made(kind, text, n, [*relations, *more], Truth("optimal", "", convex=convex))
    symbols = symbols_of(draft.program)
    variables = [symbols[v] for v in NAMES[:n]]
    excess = [_excess(r, symbols) for r in more]
    objective = sp.lambdify(variables, read(text, symbols), "numpy")
    below = sp.lambdify(variables, excess, "numpy")
    found = brute.least_on_grid(
        objective, below, [(float(a), float(b)) for a, b in box], {1: 4001, 2: 241}.get(n, 41)
    )
    if found is None:
        # A grid without a feasible point shows nothing.
        raise ValueError("no feasible point on the grid")
    truth = Truth("optimal", found[0], found[1], exact=False, convex=convex, slack=1e-6)
    return made(kind, text, n, [*relations, *more], truth)


def _excess(stated: Any, symbols: dict[str, sp.Symbol]) -> sp.Expr:
    if isinstance(stated, Norm):
        vector = read(f"[{stated.vector}]", symbols)
        sizes = [sp.Abs(v) for v in vector]
        size = {"l1": sp.Add(*sizes), "l2": sp.sqrt(sp.Add(*(v**2 for v in vector))), "max": sp.Max(*sizes)}[
            stated.norm
        ]
        return size - sp.sympify(stated.bound)
    relation = read(stated, symbols)
    return relation.lhs - relation.rhs if isinstance(relation, sp.Le) else relation.rhs - relation.lhs


def convex_exponentials(rng: random.Random) -> Case:
    n = rng.randint(1, 2)
    terms = [f"{rng.randint(1, 3)}*exp({linear_form(some(rng, n, 2))})" for _ in range(rng.randint(1, 2))]
    if rng.random() < 0.5:
        terms.append(f"-{rng.randint(1, 3)}*log({linear_form(whole(rng, n, 2))} + 9)")
    if rng.random() < 0.3:
        terms.append("(x + 3)*log(x + 3)")
    terms.append(linear_form(whole(rng, n, 3)))
    box = [(-rng.randint(0, 2), rng.randint(1, 2)) for _ in range(n)]
    more = [f"{linear_form(some(rng, n, 2))} <= {rng.randint(0, 2)}"] if rng.random() < 0.5 else []
    return by_grid("convex exponentials", " + ".join(terms), n, box, more, True)


ODD = (
    "x*exp({b}*y) - {a}*y",
    "exp({b}*x)*(x - {a})*(x + 1) + y**2*x",
    "log(x**2 + y**2 + {a}) - {b}*x/4",
    "x*y*exp(-x**2 - {a}*y**2)",
    "exp(-{a}*(x - 1)**2) - exp(-(y + 1)**2) + {b}*x*y/5",
    "x**4 - {a}*x**2*y + y**2 + {b}*x/3",
    "x*log(x + 4) - {b}*exp(x/{a})",
    "log(1 + exp({b}*x*y)) - {a}*x/3",
)


def any_smooth(rng: random.Random) -> Case:
    text = rng.choice(ODD).format(a=rng.randint(1, 4), b=rng.choice([-2, -1, 1, 2]))
    more = [f"{linear_form(some(rng, 2, 2))} <= {rng.randint(0, 2)}"] if rng.random() < 0.4 else []
    if rng.random() < 0.3:
        more.append("x**2 + y**2 <= 2")
    return by_grid("exponentials of any kind", text, 2, [(-2, 2), (-2, 2)], more, None)


def quartic(rng: random.Random) -> Case:
    """Polynomials on an interval; half of them are double wells of almost the same depth."""
    low, high = Fraction(-rng.randint(1, 3)), Fraction(rng.randint(1, 3))
    if rng.random() < 0.5:
        tilt = Fraction(rng.choice([-1, 1]), 10 ** rng.randint(1, 6))
        c = [Fraction(1), Fraction(0), Fraction(-2), tilt, Fraction(1)]
    else:
        c = [Fraction(rng.randint(-3, 3)) for _ in range(rng.randint(3, 6))]
    value, points = brute.least_of_polynomial(c, low, high)
    text = " + ".join(f"({a})*x**{len(c) - 1 - k}" for k, a in enumerate(c))
    truth = Truth("optimal", value, [[p] for p in points], exact=False, anchor=[Fraction(1, 3)], slack=1e-9)
    return made("polynomial", text, 1, [f"x >= {low}", f"x <= {high}"], truth)


def in_a_cone(rng: random.Random) -> Case:
    shift = whole(rng, 2, 1)
    vector = ", ".join(f"{n} - ({s})" for n, s in zip(NAMES, shift, strict=False))
    norm = rng.choice(["l1", "l2", "max"])
    hessian = hessian_of(rng, 2, 2)
    convex = rng.random() < 0.5
    if not convex:
        entries = [Fraction(rng.randint(-3, 3)) for _ in range(3)]
        hessian = [[2 * entries[0], entries[1]], [entries[1], 2 * entries[2]]]
        convex = bool(np.linalg.eigvalsh(np.array(hessian, dtype=float)).min() > -1e-12)
    text = quadratic_form(hessian, whole(rng, 2))
    return by_grid("norm cones", text, 2, [(-3, 3), (-3, 3)], [Norm(vector, "1", norm)], convex)


def sizes(rng: random.Random) -> Case:
    """Weighted |a x - b| and a linear term on a box: least in a point where n of the lines and ends meet."""
    n = rng.randint(1, 2)
    forms = [(some(rng, n, 2), Fraction(rng.randint(-2, 2))) for _ in range(rng.randint(1, 3))]
    weights = [Fraction(rng.choice([1, 1, 2, -1])) for _ in forms]
    slope, box = whole(rng, n, 2), random_box(rng, n)
    rows, ends = box_rows(box)
    lines = [(a, b) for a, b in zip(rows, ends, strict=True)] + forms
    meet = [brute.solved([a for a, _ in pick], [b for _, b in pick]) for pick in combinations(lines, n)]
    points = [p for p in meet if p and all(brute.dot(a, p) <= b for a, b in zip(rows, ends, strict=True))]

    def value(p: Row) -> Fraction:
        parts = (w * abs(brute.dot(a, p) - b) for w, (a, b) in zip(weights, forms, strict=True))
        return sum(parts, brute.dot(slope, p))

    best = min(map(value, points))
    found = [list(p) for p in {tuple(p) for p in points if value(p) == best}]
    text = " + ".join(
        f"({w})*Abs({linear_form(a)} - ({b}))" for w, (a, b) in zip(weights, forms, strict=True)
    )
    convex = True if min(weights) > 0 else None
    truth = Truth("optimal", best, found, convex=convex, anchor=[Fraction(lo + hi, 2) for lo, hi in box])
    return made("absolute values", f"{text} + {linear_form(slope)}", n, written(rows, ends), truth)


def whole_numbers(rng: random.Random) -> Case:
    n = rng.randint(1, 3)
    hessian, slope = hessian_of(rng, n, n), [Fraction(rng.randint(-9, 9), 2) for _ in range(n)]
    box = random_box(rng, n)
    rows, ends = box_rows(box)
    row, end = some(rng, n, 3), Fraction(rng.randint(-1, 4))
    points = [
        [Fraction(e) for e in p]
        for p in product(*[range(lo, hi + 1) for lo, hi in box])
        if brute.dot(row, [Fraction(e) for e in p]) <= end
    ]
    text, relations = quadratic_form(hessian, slope), written([*rows, row], [*ends, end])
    if not points:
        return made("whole numbers", text, n, relations, Truth("infeasible", "oo"), integer=True)
    values = [brute.quadratic_value(hessian, slope, p) for p in points]
    best = [p for p, v in zip(points, values, strict=True) if v == min(values)]
    truth = Truth("optimal", min(values), best, anchor=rng.choice(points))
    return made("whole numbers", text, n, relations, truth, integer=True)


def no_inside(rng: random.Random) -> Case:
    """A square that is at most 0, or a cusp, in the place of an equation: multipliers need not exist."""
    n = rng.randint(1, 2)
    row, level = some(rng, n, 2), Fraction(rng.randint(-1, 1))
    below, ends = box_rows([(-2, 2)] * n)
    hessian = hessian_of(rng, n, rng.randint(1, 2)) if rng.random() < 0.5 else [[Fraction(0)] * n] * n
    slope = whole(rng, n)
    found = brute.least_on_polytope(hessian, slope, below, ends, [row], [level])
    relations = [*written(below, ends), f"({linear_form(row)} - ({level}))**2 <= 0"]
    text = quadratic_form(hessian, slope)
    if found is None:
        return made("no inside", text, n, relations, Truth("infeasible", "oo", convex=True))
    return made("no inside", text, n, relations, Truth("optimal", found[0], found[1], convex=True))


KINDS: tuple[Callable[[random.Random], Case], ...] = (
    linear,
    convex_quadratic,
    flat_quadratic,
    indefinite_quadratic,
    equations,
    by_a_hair,
    two_discs,
    unbounded,
    not_attained,
    convex_exponentials,
    any_smooth,
    quartic,
    in_a_cone,
    sizes,
    whole_numbers,
    no_inside,
)


def case(k: int, seed: int = 24) -> Case:
    """The k-th program; a draw whose grid has no feasible point is drawn again."""
    rng = random.Random(1_000_003 * seed + k)
    while True:
        try:
            return KINDS[k % len(KINDS)](rng)
        except ValueError:
            continue
