"""Holds every truth of the list against scipy and against forty digits; prints Markdown tables.

Run: cd benchmarks && python -m program_trials.check

Exactly or to forty digits: feasible, the value, the printed multipliers (stationarity, sign, complementarity), rays, Farkas' weights.
Numerically: the minimum by SLSQP from 25 random starts, by a grid or by enumeration; KKT points and the range of each multiplier by
least squares and linear programs; qualifications by ranks, a linear program and the deepest point; curvature at random points.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import numpy as np
import sympy as sp

from program_trials import numbers
from program_trials.moving_check import moving_rows
from program_trials.numbers import Numeric
from program_trials.program import Norm, Program, Psd, read, symbols_of
from program_trials.programs import PROGRAMS, named
from program_trials.smooth import Smooth, smooth
from program_trials.wrong_points import WRONG_POINTS, WrongPoint

TINY, NEAR, FAR = sp.Float(10) ** -35, 1e-6, 1e-3
Said = tuple[bool, str]


def small(expression: sp.Expr) -> bool:
    return bool(abs(sp.N(expression, 45, maxn=400)) < TINY)


def check(program: Program) -> Iterator[Said]:
    """Each thing that was compared, and whether it agrees."""
    if not program.parameters:
        yield from at_numbers(program, program.minimisers, program.value, {})
        return
    symbols = symbols_of(program)
    regions = [(r.when, r.minimiser, r.value) for r in program.regions]
    for when, minimiser, value in regions or [("", program.minimisers[0], program.value)]:
        for number in chosen(program, when):
            at = {n: sp.Rational(v) for n, v in number.items()}
            known = {symbols[n]: v for n, v in at.items()}
            point = tuple(str(read(m, symbols).subs(known)) for m in minimiser)
            where = ", ".join(f"{n} = {v}" for n, v in number.items())
            for agrees, what in at_numbers(program, (point,), str(read(value, symbols).subs(known)), at):
                yield agrees, f"{what} at {where}"


def chosen(program: Program, when: str) -> list[dict[str, Fraction]]:
    """A few numbers for the parameters within a region."""
    symbols = symbols_of(program)
    axes = [
        [Fraction(k, 3) for k in range(-7, 9) if k > 0 or low != "0"]
        for low, _ in program.parameters.values()
    ]
    every = [dict(zip(program.parameters, numbers, strict=True)) for numbers in product(*axes)]
    inside = [n for n in every if not when or _holds(when, symbols, n)]
    return inside[:: max(1, len(inside) // 4)]


def _holds(when: str, symbols: dict[str, sp.Symbol], number: dict[str, Fraction]) -> bool:
    return bool(read(when, symbols).subs({symbols[n]: sp.Rational(v) for n, v in number.items()}))


def covered(program: Program) -> Said:
    """Whether every one of the numbers lies in some region."""
    symbols = symbols_of(program)
    open_ones = [
        n for n in chosen(program, "") if not any(_holds(r.when, symbols, n) for r in program.regions)
    ]
    return not open_ones, "regions cover the parameters"


def at_numbers(
    program: Program, minimisers: tuple[tuple[str, ...], ...], value: str, at: dict[str, sp.Expr]
) -> Iterator[Said]:
    form = smooth(program, at)
    model = Numeric(form)
    rng = np.random.default_rng(24)
    if program.status == "optimal":
        yield from optimal(program, form, model, minimisers, sp.sympify(value), rng)
    elif program.status == "infeasible":
        yield from infeasible(program, form, model, rng)
    else:
        yield from along_ray(program, form, model)
    if not any(isinstance(s, Psd) for s in program.subject_to) and not program.integer:
        least = numbers.curvatures(model, rng)
        yield (least > -1e-9) == program.convex, f"convex: least curvature {least:.2g}"
    yield from qualified(program, form, model, rng)


def optimal(
    program: Program,
    form: Smooth,
    model: Numeric,
    minimisers: tuple[tuple[str, ...], ...],
    value: sp.Expr,
    rng: np.random.Generator,
) -> Iterator[Said]:
    points = [[sp.sympify(m) for m in minimiser] for minimiser in minimisers]
    for point in points:
        full = dict(zip(form.variables, form.point(tuple(point)), strict=True))
        outside = [p.excess.subs(full) for p in form.pieces]
        feasible = all(
            small(e) if p.equation else sp.N(e, 45) <= TINY for p, e in zip(form.pieces, outside, strict=True)
        )
        yield feasible, "feasible"
        yield small(form.objective.subs(full) - value), "value"
    best, found = search(program, model, rng)
    allowed = 1e-2 if program.kkt is False else NEAR
    yield abs(best - float(value)) < allowed * max(1.0, abs(float(value))), f"least value found {best:.10g}"
    if program.unique and program.kkt is not False:
        off = max(abs(float(p) - f) for p, f in zip(points[0], found, strict=False))
        yield off < FAR, f"minimiser found within {off:.1g}"
    if program.kkt is None:
        return
    for point in points:
        x = np.array([float(e) for e in form.point(tuple(point))])
        left = numbers.stationarity(model, x)
        yield (left < NEAR if program.kkt else left > FAR), f"gradient of the Lagrangian at best {left:.2g}"
        if program.kkt and program.multipliers:
            yield from multipliers(program, model, point, x)


def search(program: Program, model: Numeric, rng: np.random.Generator) -> tuple[float, np.ndarray]:
    if program.integer:
        value, points = numbers.by_enumeration(model)
        assert len(points) == 1
        return value, np.array(points[0], dtype=float)
    if program.kkt is False and len(model.bounds) <= 2:
        return numbers.on_grid(model), np.zeros(0)
    return numbers.least(model, rng)


def multipliers(program: Program, model: Numeric, point: list[sp.Expr], x: np.ndarray) -> Iterator[Said]:
    """The printed ones in the Lagrangian of the program itself, and against the range of all that go with the point."""
    names = symbols_of(program)
    at = dict(zip([names[n] for n in program.over.split()], point, strict=True))
    lagrangian = read(program.minimise, names)
    assert program.multipliers is not None
    for k, (stated, given) in enumerate(zip(program.subject_to, program.multipliers, strict=True)):
        weight = (
            sp.Matrix([[sp.sympify(e) for e in row] for row in given])
            if isinstance(given, tuple)
            else sp.sympify(given)
        )
        term, inequality = _term(stated, weight, names)
        lagrangian += term
        yield small(term.subs(at)), f"complementarity of constraint {k + 1}"
        size = weight.trace() if isinstance(weight, sp.MatrixBase) else weight
        yield not inequality or sp.N(size) >= 0, f"sign of multiplier {k + 1}"
        low, high = numbers.spread(model, x, len(program.subject_to))[k]
        near = max(abs(low - float(size)), abs(high - float(size))) < NEAR
        yield near, f"multiplier {k + 1} lies in [{low:.9g}, {high:.9g}]"
    for symbol in at:
        if not (lagrangian.has(sp.Max) and isinstance(program.subject_to[0], Norm)):
            yield small(lagrangian.diff(symbol).subs(at).doit()), f"stationarity in {symbol}"


def _term(stated: str | Norm | Psd, weight: sp.Expr, names: dict[str, sp.Symbol]) -> tuple[sp.Expr, bool]:
    if isinstance(stated, Psd):
        matrix = sp.Matrix([read(f"[{row}]", names) for row in stated.rows])
        return -(weight * matrix).trace(), True
    if isinstance(stated, Norm):
        vector = read(f"[{stated.vector}]", names)
        size = {
            "l1": sp.Add(*map(sp.Abs, vector)),
            "l2": sp.sqrt(sp.Add(*(v**2 for v in vector))),
            "max": sp.Max(*map(sp.Abs, vector)),
        }[stated.norm]
        return weight * (size - read(stated.bound, names)), True
    relation = read(stated, names)
    left, right = relation.args
    return weight * (right - left if isinstance(relation, sp.Ge) else left - right), not isinstance(
        relation, sp.Eq
    )


def infeasible(program: Program, form: Smooth, model: Numeric, rng: np.random.Generator) -> Iterator[Said]:
    depth = numbers.deepest(model, rng)
    yield depth > FAR, f"least possible excess {depth:.4g}"
    if program.witness:
        weights = [sp.Rational(w) for w in program.witness.split(",")]
        total = sp.expand(sp.Add(*(w * p.excess for w, p in zip(weights, form.pieces, strict=True))))
        yield all(w >= 0 for w in weights) and bool(total.is_positive), f"Farkas: {total} <= 0"


def along_ray(program: Program, form: Smooth, model: Numeric) -> Iterator[Said]:
    start, step = ([sp.Rational(e) for e in part.split(",")] for part in program.witness.split(";"))
    s = sp.Symbol("s", nonnegative=True)
    on = {v: a + s * b for v, a, b in zip(form.variables, start, step, strict=True)}
    excess = [sp.expand(p.excess.subs(on)) for p in form.pieces]
    yield all(bool(e.is_nonpositive) for e in excess), "the ray is feasible"
    limit = sp.limit(form.objective.subs(on), s, sp.oo)
    yield limit == sp.sympify(program.value), f"limit along the ray {limit}"
    if program.status == "not attained":
        values = [
            model.value(np.array([x]))
            for x in np.linspace(-30, 30, 1001)
            if model.violation(np.array([x])) == 0
        ]
        yield min(values) > float(program.value), "above the infimum at a thousand points"


def qualified(program: Program, form: Smooth, model: Numeric, rng: np.random.Generator) -> Iterator[Said]:
    kind = program.qualification
    affine = all(p.excess.diff(v).is_number for p in form.pieces for v in form.variables)
    if kind == "affine":
        yield affine, "constraints are affine"
    elif kind == "no constraints":
        yield not program.subject_to, "no constraints"
    elif kind == "Slater":
        yield numbers.deepest(model, rng) < -FAR, "a point strictly inside"
    elif kind in ("LICQ", "none"):
        for point in program.minimisers:
            x = np.array([float(sp.sympify(e)) for e in point])
            good, weak = numbers.independent(model, x), numbers.mangasarian_fromovitz(model, x)
            yield (good if kind == "LICQ" else not (good or weak)), f"LICQ {good}, MFCQ {weak}"
        if kind == "none" and program.convex:
            yield numbers.deepest(model, rng) > -1e-7, "no point strictly inside"


def wrong_point(wrong: WrongPoint) -> Iterator[Said]:
    """All in rational numbers, but for the constraints of a cone in its smooth form, rational too."""
    program = named(wrong.program)
    form = smooth(program)
    point = [sp.Rational(e) for e in wrong.point]
    here = dict(zip(form.variables, point, strict=True))
    excess = max([p.excess.subs(here) for p in form.below], default=sp.S.Zero)
    off = max(abs(a - sp.Rational(b)) for a, b in zip(point, program.minimisers[-1], strict=True))
    yield off == sp.Rational(wrong.off), f"off by {off}"
    if wrong.outside:
        yield excess > 0, f"outside by {float(excess):.1e}"
        return
    yield excess <= 0 and all(p.excess.subs(here) == 0 for p in form.equations), "feasible"
    better = dict(zip(form.variables, map(sp.Rational, wrong.better), strict=True))
    yield (
        all(p.excess.subs(better) == 0 if p.equation else p.excess.subs(better) <= 0 for p in form.pieces),
        "the better one is feasible",
    )
    gain = sp.N(form.objective.subs(here) - form.objective.subs(better), 30)
    yield gain > 0, f"better by {float(gain):.1e}"


def printed(name: str, said: list[Said], shown: int = 4) -> int:
    wrong = [what for agrees, what in said if not agrees]
    telling = [what for _, what in said if any(c.isdigit() for c in what)][:shown]
    print(f"| {name} | {len(said)} | {'; '.join(wrong) or 'none'} | {'; '.join(telling)} |", flush=True)
    return len(wrong)


def heading(title: str) -> None:
    print(f"\n## {title}\n\n| what | compared | disagree | such as |\n| --- | ---: | --- | --- |")


def main() -> int:
    wrong = count = 0
    heading("Programs")
    for program in PROGRAMS:
        said = list(check(program))
        if program.regions:
            said.append(covered(program))
        wrong += printed(program.name, said)
        count += len(said)
    heading("Wrong points")
    for point in WRONG_POINTS:
        said = list(wrong_point(point))
        wrong += printed(point.program, said)
        count += len(said)
    heading("Moving minimisers")
    for name, said in moving_rows():
        wrong += printed(name, said)
        count += len(said)
    print(
        f"\n{len(PROGRAMS)} programs, {len(WRONG_POINTS)} wrong points, moving minimisers: {count} comparisons, {wrong} disagree"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
