"""Whether a program is convex: objective, inequalities, equations, each proved, refuted by two points and their middle, or open."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice, pairwise

import sympy as sp

from ..proof.apart import UnfinishedError, apart, tame
from ..proof.derivation import Derivation, Step, implied
from ..proof.enclosure import NotEnclosableError, compare, enclose
from ..proof.fact import Fact
from ..proof.truth import Truth
from .constraints import PSD, Constraint, Equation, NormCone
from .curvature import curvature
from .hessian import hessian_steps
from .lifting import KINKED, affine
from .natural_domain import natural_domain
from .real_form import real_form
from .region import Point, Region, region_of
from .stated_program import StatedProgram

RULES = "sums, monotone compositions and perspectives of convex formulas are convex (Boyd and Vandenberghe 2004, 3.2)"
SECOND = "a formula whose Hessian is positive semidefinite on a convex set is convex there (Boyd and Vandenberghe 2004, 3.1.4)"
_PAIRS, _WITNESSES = 240, 12


@dataclass(frozen=True)
class Convexity:
    """The convexity of the `objective`, the `constraints` in their order, and the `program` as written, each a Fact.

    HOLDS: on the convex set `where` (everywhere if empty) and for all parameters. FAILS carries two points in `found` and
    their middle with its parameters in `at`, where the formula lies above the chord. A program that is not convex as it is written may
    still be equivalent to one that is. Integer variables are looked at as real ones, and `reason` says so.

    >>> x, y = sp.symbols("x y", real=True)
    >>> convexity = npf.Program(minimise=sp.exp(x) + y**2, over=[x, y], subject_to=[x * y >= 1]).convexity()
    >>> convexity.objective.truth.name, convexity.constraints[0].truth.name
    ('HOLDS', 'FAILS')
    """

    program: Fact
    objective: Fact
    constraints: tuple[Fact, ...]
    where: str
    reason: str
    derivation: Derivation = field(repr=False)

    def __str__(self) -> str:
        rows = [f"program: {self.program}", f"objective: {self.objective}"]
        rows += [f"constraint {k}: {fact}" for k, fact in enumerate(self.constraints, 1)]
        return "\n".join(rows + ([self.reason] if self.reason else []))

    def _repr_latex_(self) -> str:
        rows = (row.replace("_", r"\_").replace("^", r"\^{}") for row in str(self).splitlines())
        return "$$\\begin{array}{l}" + r" \\ ".join(rf"\text{{{row}}}" for row in rows) + "\\end{array}$$"


def convexity(program: StatedProgram) -> Convexity:
    """Objective by objective and constraint by constraint."""
    program, back = real_form(program)
    region = region_of(program)
    try:
        found = apart(
            lambda: _parts(program, region), "convexity", here=all(map(tame, program.expressions()))
        )
    except UnfinishedError as stuck:
        found = [(Fact(Truth.UNKNOWN, f"unknown: {stuck}"), ())] * (1 + len(program.constraints))
    facts = [_with_symbols(fact, back) for fact, _ in found]
    steps = tuple(step for _, own in found for step in own)
    integers = natural_domain(program).integers
    whole = _together(facts, integers)
    reason = f"{', '.join(v.name for v in integers)} taken as real numbers" if integers else ""
    return Convexity(
        whole,
        facts[0],
        tuple(facts[1:]),
        region.said(),
        reason,
        Derivation(str(whole), steps, (RULES, SECOND)),
    )


def _parts(program: StatedProgram, region: Region) -> list[tuple[Fact, tuple[Step, ...]]]:
    constraints = (convexity_of(constraint, region) for constraint in program.constraints)
    return [_of_formula(program.objective, region), *constraints]


def _with_symbols(fact: Fact, back: dict[sp.Symbol, sp.Symbol]) -> Fact:
    return Fact(fact.truth, fact.reason, fact.found, {back.get(s, s): value for s, value in fact.at.items()})


def _together(facts: list[Fact], integers: tuple[sp.Symbol, ...]) -> Fact:
    names = ["the objective", *(f"constraint {k}" for k in range(1, len(facts)))]
    for truth, word in (
        (Truth.FAILS, "is not convex as it is written"),
        (Truth.UNKNOWN, "is not known to be convex"),
    ):
        for name, fact in zip(names, facts, strict=True):
            if fact.truth is truth:
                return Fact(truth, f"the program {word}: {name}: {fact.reason}", fact.found, fact.at)
    if integers:
        whole = ", ".join(v.name for v in integers)
        return Fact(
            Truth.FAILS,
            f"{whole} must be whole numbers, which are no convex set; the relaxation to real numbers is convex",
        )
    return Fact(Truth.HOLDS, "objective and inequalities are convex, equations affine")


Answer = tuple[Fact, tuple[Step, ...]]


def convexity_of(c: Constraint, region: Region) -> Answer:
    """Of one constraint, with the steps that show it."""
    if isinstance(c, NormCone | PSD):
        strange = [e for e in c.expressions() if not affine(e, region.variables)]
        if not strange:
            return Fact(Truth.HOLDS, "a convex cone of affine entries"), ()
        if isinstance(c, NormCone):
            return _of_formula(c.excess, region)
        return Fact(Truth.UNKNOWN, f"{strange[0]} is an entry that is not affine"), ()
    if not isinstance(c, Equation):
        return _of_formula(c.excess, region)
    if affine(c.excess, region.variables):
        return Fact(Truth.HOLDS, "an affine equation"), ()
    for sign in (1, -1):
        pair = refuting_pair(sign * c.excess, region)
        if pair is not None:
            return _refuted(sign * c.excess, pair, region, "an equation that is not affine: ")
    return Fact(Truth.UNKNOWN, "an equation that is not known to be affine"), ()


def _of_formula(e: sp.Expr, region: Region) -> Answer:
    """The rules first, which are quick, then points that refute, then the Hessian."""
    found = _by_rules(e, region)
    if found[0].truth is Truth.HOLDS:
        return found
    pair = refuting_pair(e, region)
    return _refuted(e, pair, region) if pair is not None else convex(e, region)


def convex(e: sp.Expr, region: Region) -> Answer:
    """HOLDS where the rules or the Hessian prove that the formula is convex on the region; UNKNOWN otherwise."""
    found = _by_rules(e, region)
    if found[0].truth is Truth.HOLDS or _not_a_convex_set(region):
        return found
    where = f" where {region.said()}" if region.said() else ""
    steps = hessian_steps(e, region)
    if steps is not None:
        return Fact(Truth.HOLDS, f"convex{where}: its Hessian is positive semidefinite"), steps
    if (mixed := _in_two_parts(e, region)) is not None:
        return Fact(Truth.HOLDS, f"convex{where}: {mixed[0]}"), mixed[1]
    return found


def _by_rules(e: sp.Expr, region: Region) -> Answer:
    if affine(e, region.variables):
        return Fact(Truth.HOLDS, "affine"), ()
    if trouble := _not_a_convex_set(region):
        return Fact(Truth.UNKNOWN, trouble), ()
    where = f" where {region.said()}" if region.said() else ""
    by_rule = curvature(e, region)
    if by_rule.convex:
        return Fact(Truth.HOLDS, f"convex{where}: {by_rule.rule}"), (_chord_step(e, region, by_rule.rule),)
    return Fact(
        Truth.UNKNOWN, f"neither proved nor refuted: the curvature of {sp.sstr(e)} is open{where}"
    ), ()


def _in_two_parts(e: sp.Expr, region: Region) -> tuple[str, tuple[Step, ...]] | None:
    """Terms that the rules know to be convex, and a rest whose Hessian is semidefinite."""
    terms = [(term, curvature(term, region)) for term in sp.Add.make_args(sp.expand(e))]
    for kinks_only in (True, False):
        by_rule = [t for t, c in terms if c.convex and not c.concave and (t.has(*KINKED) or not kinks_only)]
        rest = sp.Add(*(t for t, _ in terms if t not in by_rule))
        steps = hessian_steps(rest, region) if by_rule else None
        if steps is not None:
            rules = ", ".join(dict.fromkeys(c.rule for t, c in terms if t in by_rule))
            step = _chord_step(sp.Add(*by_rule), region, rules)
            return f"{rules}, and the Hessian of the rest is positive semidefinite", (step, *steps)
    return None


def _not_a_convex_set(region: Region) -> str:
    for e in region.nonzero:
        if not region.known(e, "nonzero"):
            return f"{e} may vanish, and the set where it does not is not known to be convex"
    free = Region(region.variables, region.domain, region.lower, region.upper, tuple(region.positive))
    for e in region.positive:
        if not curvature(e, free).concave:
            return f"the set where {e} > 0 is not known to be convex"
    if region.positive and next(region.points(1), None) is None:
        return f"no point was met where {region.said()}"
    return ""


def _chord_step(e: sp.Expr, region: Region, rule: str) -> Step:
    """The middle of a chord, between any two points; what the rules say is held against some in balls when it is checked."""
    ends = [{v: sp.Dummy(f"{v}_{k}", **v.assumptions0) for v in region.variables} for k in (1, 2)]
    middle = {v: (ends[0][v] + ends[1][v]) / 2 for v in region.variables}
    known = e.xreplace(middle), (e.xreplace(ends[0]) + e.xreplace(ends[1])) / 2

    def decided(left: sp.Expr, right: sp.Expr) -> Truth:
        if refuting_pair(e, region, pairs=24) is not None:
            return Truth.FAILS
        return implied(left, "<=", right, known) if curvature(e, region).convex else Truth.UNKNOWN

    shown = (sp.sstr(e), "each of its chords")
    return Step(known[0], "<=", known[1], f"no chord lies below it: {rule}", decided, shown)


def _refuted(e: sp.Expr, pair: tuple[Point, Point], region: Region, before: str = "") -> Answer:
    p, q = pair
    middle = {s: (p[s] + q[s]) / 2 for s in p}
    ends = tuple(tuple(point[v] for v in region.variables) for point in pair)
    reason = f"{before}{sp.sstr(e)} lies above its chord from {_written(ends[0])} to {_written(ends[1])} in the middle"
    fixed = {s: v for s, v in p.items() if s not in region.variables}
    if fixed:
        reason += f" at {', '.join(f'{s} = {v}' for s, v in fixed.items())}"

    def decided(left: sp.Expr, right: sp.Expr) -> Truth:
        return compare(left, ">", right) if violates(e, p, q) else Truth.FAILS

    shown = (f"({sp.sstr(e)}) in the middle", "the mean of the values at the ends")
    step = Step(
        e.subs(middle), ">", (e.subs(p) + e.subs(q)) / 2, "two points refute convexity", decided, shown
    )
    return Fact(Truth.FAILS, reason, tuple(sp.Tuple(*end) for end in ends), middle), (step,)


def _written(point: tuple[sp.Expr, ...]) -> str:
    return f"({', '.join(map(str, point))})"


def violates(e: sp.Expr, p: Point, q: Point) -> bool:
    """Whether the formula lies above the chord in the middle of two points, for certain: in balls."""
    middle = {s: (p[s] + q[s]) / 2 for s in p}
    try:
        gap = enclose(e, middle) - (enclose(e, p) + enclose(e, q)) / 2
    except (NotEnclosableError, ZeroDivisionError):
        return False
    return bool(gap.is_finite() and gap > 0)


def refuting_pair(e: sp.Expr, region: Region, pairs: int = _PAIRS) -> tuple[Point, Point] | None:
    """Two points of the region, with the same parameters, whose chord passes below the formula; None if none was met."""
    met = list(region.points(pairs // 8))
    if not met:
        return None
    shorter = [{v: (point[v] + other[v]) / 2 for v in point} for point, other in pairwise(met)]
    tried = 0
    for gap in range(1, len(met)):
        for p, q in zip(met, met[gap:], strict=False):
            parameters = {s: v for s, v in p.items() if s not in region.variables}
            other = {**q, **parameters}
            if other == p or not region.contains(other):
                continue
            tried += 1
            if violates(e, p, other):
                return p, other
            if tried >= pairs:
                return _along_curvature(e, region, [*met, *shorter])
    return _along_curvature(e, region, [*met, *shorter])


def _along_curvature(e: sp.Expr, region: Region, starts: list[Point]) -> tuple[Point, Point] | None:
    """Two points near one another along the direction in which the Hessian, computed in floats, bends down most."""
    import numpy as np

    own = [v for v in region.variables if e.has(v)]
    try:
        hessian = sp.hessian(e, own)
    except (ValueError, TypeError):
        return None
    for at in islice(starts, 3 * _WITNESSES):
        try:
            rows = [[float(enclose(entry, at, bits=80).mid()) for entry in row] for row in hessian.tolist()]
        except (NotEnclosableError, ValueError, TypeError):
            continue
        if not np.all(np.isfinite(rows)):
            continue
        values, vectors = np.linalg.eigh(np.array(rows))
        if values[0] >= 0:
            continue
        for size in (1.0, 0.1, 0.01, 0.001):
            move = {
                v: sp.Rational(round(size * x * 2**30), 2**30)
                for v, x in zip(own, vectors[:, 0], strict=True)
            }
            p, q = ({**at, **{v: at[v] + s * move[v] for v in own}} for s in (1, -1))
            if region.contains(p) and region.contains(q) and violates(e, p, q):
                return p, q
    return None
