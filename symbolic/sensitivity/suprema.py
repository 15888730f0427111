"""The supremum of one expression over a region: in closed form where its shape gives it, else enclosed by branch and bound."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import sympy as sp
from flint import arb

from ..domains.exact import Block, Product
from ..domains.polynomials import PolynomialQuery
from ..proof.apart import UnfinishedError, apart, tame
from ..proof.as_written import value_at
from ..proof.branch_and_bound import BoundedMaximum, maximum
from ..proof.derivation import Step
from ..proof.enclosure import NotEnclosableError, compare, enclose, rational
from ..proof.proofs.kernel_checked import accepted_step
from ..proof.truth import Truth
from ..proof.work import spent
from . import on_line, scalar
from .bound_steps import bound_step, cells_step, parts_steps
from .enclosure import ends
from .far_out import beside_common_zeros, middle, one_period, tail_bound
from .line_steps import line_steps
from .regions import Point, Region
from .shapes import Face, ends_of, faces
from .sign_cells import SMOOTH_IN_CELLS, piecewise_linear_maximum
from .supremum import WHERE_DEFINED, Supremum, largest

MOST_CHOICES = 20_000
MOST_VERTICES = 8  # symbols of a polynomial at whose ends a step looks
FOR_FACES = 0.25
LEAST = 5_000  # units for a search that starts when all are spent
TAILS = (4, 64, 1024, 2**20)


def supremum(
    e: sp.Expr, region: Region, tolerance: float, deadline: int, beyond: Fraction | None = None
) -> Supremum:
    """The supremum over the region; with `beyond`, a bound no larger than that number is good enough."""
    e = e.xreplace(dict(region.expressed))
    chosen = list(region.of(e.free_symbols).choices) if e.free_symbols else []
    if chosen:
        return _over_choices(e, region, chosen, tolerance, deadline, beyond)
    parts = _independent(e, region)
    if len(parts) == 1:
        return _connected(e, region.of(e.free_symbols), region, tolerance, deadline, beyond)
    found = [_connected(p, region.of(p.free_symbols), region, tolerance, deadline, None) for p in parts]
    return _sum(e, parts, found)


def _sum(e: sp.Expr, parts: list[sp.Expr], found: list[Supremum]) -> Supremum:
    known = [f.exact for f in found]
    uppers = [f.upper for f in found]
    upper = None if None in uppers else sum((u for u in uppers if u is not None), arb(0))
    exact = None if None in known else sp.Add(*(k for k in known if k is not None))
    if any(k is sp.oo for k in known):
        # The others take some value: one part without bound is enough.
        exact, upper = sp.oo, None
    return Supremum(
        upper,
        {s: v for f in found for s, v in f.point.items()},
        " and ".join(dict.fromkeys(f.method for f in found)),
        exact,
        (*parts_steps(e, parts, known), *(s for f in found for s in f.steps)),
        tuple(dict.fromkeys(line for f in found for line in f.lemmas)),
        "; ".join(f.stuck for f in found if f.stuck),
    )


def _independent(e: sp.Expr, region: Region) -> list[sp.Expr]:
    """Summands grouped by symbols that are bound to each other."""
    groups: list[tuple[set[sp.Symbol], list[sp.Expr]]] = []
    for term in sp.Add.make_args(e):
        linked = set(region.of(term.free_symbols).intervals) | term.free_symbols
        meeting = [g for g in groups if g[0] & linked]
        groups = [g for g in groups if not g[0] & linked]
        groups.append((linked.union(*(g[0] for g in meeting)), [t for g in meeting for t in g[1]] + [term]))
    return [sp.Add(*terms) for _, terms in groups]


def _over_choices(
    e: sp.Expr,
    region: Region,
    chosen: list[sp.Symbol],
    tolerance: float,
    deadline: int,
    beyond: Fraction | None,
) -> Supremum:
    count = 1
    for s in chosen:
        count *= len(region.choices[s])
    if count > MOST_CHOICES:
        return Supremum(
            None, {}, "", stuck=f"{count} combinations of values are too many to be tried one by one"
        )
    best: list[Supremum] = []
    for values in itertools.product(*(region.choices[s] for s in chosen)):
        point = dict(zip(chosen, values, strict=True))
        rest = region.fixed(point)
        if rest is not None:
            found = supremum(e.subs(point), rest, tolerance, deadline, beyond)
            best.append(replace(found, point={**point, **found.point}))
    return largest(best) if best else Supremum(None, {}, "", stuck="no point fulfils the constraints")


def _connected(
    e: sp.Expr, region: Region, whole: Region, tolerance: float, deadline: int, beyond: Fraction | None
) -> Supremum:
    if not e.free_symbols:
        return _constant(e, {}, ())
    polynomial = _by_polynomial(e, whole)
    if polynomial is not None:
        return polynomial
    parts = list(faces(e, region.intervals, region.constrained, _part_of(deadline, FOR_FACES)))
    if any(part.expression.has(*on_line.NO_VALUE) for part in parts):
        # An end without a value is only neared: the whole is looked at instead.
        parts = [Face(e, {})]
    return largest([_face(part, region, tolerance, deadline, beyond) for part in parts])


def _part_of(deadline: int, share: float) -> int:
    """The count of work at which a share of what is left is used up."""
    now = spent()
    return now + int(max(deadline - now, 0) * share)


def _constant(e: sp.Expr, point: Point, steps: tuple[Step, ...]) -> Supremum:
    if e.has(*on_line.NO_VALUE):
        return Supremum(None, point, "ends", stuck="no value at an end of the domain")
    return Supremum(enclose(e, bits=160), point, "slopes of one sign, ends of coordinates", e, steps)


def _face(face: Face, region: Region, tolerance: float, deadline: int, beyond: Fraction | None) -> Supremum:
    e = face.expression
    if not e.free_symbols:
        return _constant(sp.simplify(e) if sp.count_ops(e) < 60 else e, face.fixed, face.steps)
    if e.has(*on_line.NO_VALUE):
        return Supremum(None, face.fixed, "ends", stuck="no value at an end of the domain")
    inner = region.of(e.free_symbols)
    free = e.free_symbols
    if len(free) == 1 and not inner.constrained:
        (t,) = free
        line = _by_line(e, t, inner)
        if line is not None:
            return replace(line, point={**face.fixed, **line.point}, steps=(*face.steps, *line.steps))
    bounded = _by_cells(e, inner) or _bounded(e, inner, tolerance, deadline, beyond)
    return replace(bounded, point={**face.fixed, **bounded.point}, steps=(*face.steps, *bounded.steps))


def _written(e: sp.Expr, t: sp.Symbol, candidate: on_line.Candidate) -> sp.Expr:
    """The formula at the candidate as it is put in, where it has its value there."""
    if candidate.at.is_infinite:
        return candidate.value
    there = value_at(e, {t: candidate.at})
    return there if there.doit() == candidate.value else candidate.value


def _not_below(left: sp.Expr, right: sp.Expr) -> Truth:
    return compare(left, ">=", right.doit())


def _by_line(e: sp.Expr, t: sp.Symbol, region: Region) -> Supremum | None:
    try:
        closed = [end not in region.open_ends for end in ((t, 0), (t, 1))]
        best, candidates = apart(
            lambda: on_line.largest_on_line(e, t, region.intervals[t], closed),
            "limits and zeros of the slope",
            here=tame(e),
        )
    except (
        UnfinishedError,
        on_line.NoClosedFormError,
        NotEnclosableError,
        NotImplementedError,
        ValueError,
        TypeError,
    ):
        return None
    if best.value is -sp.oo:
        return None
    values = [(c.at, _written(e, t, c)) for c in candidates if c.value is not -sp.oo]
    steps = tuple(
        Step(best.value, ">=", value, f"{t} = {at}", _not_below)
        for at, value in values
        if best.value is not sp.oo and sp.sstr(value) != sp.sstr(best.value)
    )
    whole = None if best.value is sp.oo else line_steps(e, t, region.intervals[t], best.value)
    lemmas = (on_line.EXTREMES,) if whole is None else ()
    steps += whole or ()
    upper = None if best.value is sp.oo else enclose(best.value, bits=160)
    place = _near(best.at, region.intervals[t], lambda far: _as_good(e, {t: far}, best.value))
    if not best.reached and best.at.is_finite:
        # A little towards the part of which this is the limit.
        place = place + (best.inside - place) / 2**34
    point = {t: place}
    return Supremum(upper, point, "zeros of the slope", best.value, steps, lemmas)


def _as_good(e: sp.Expr, point: Point, value: sp.Expr) -> bool:
    try:
        return bool(abs(enclose(e, point) - enclose(value)) <= arb(2) ** -40)
    except (NotEnclosableError, ValueError, TypeError):
        return False


def _near(
    at: sp.Expr, interval: tuple[sp.Expr, sp.Expr], as_good: Callable[[sp.Rational], bool]
) -> sp.Rational:
    """A rational number of the interval at, or close to, a place that may be irrational or infinite."""
    if at.is_Rational:
        return at
    if not at.is_finite:
        start = interval[0] if at is sp.oo else interval[1]
        places = [
            (start if start.is_finite else 0) + sp.Integer(far) * (1 if at is sp.oo else -1)
            for far in (32, 1024, 10**6)
        ]
        # No farther than need be: exp(exp(10^6)) is beyond every kernel.
        return next((place for place in places[:-1] if as_good(place)), places[-1])
    exact = sp.Rational(Fraction(enclose(at).mid().str(25, radius=False)))
    return min(max(exact, interval[0]), interval[1])


def _by_polynomial(e: sp.Expr, region: Region) -> Supremum | None:
    """Support functions, extreme eigenvalues and vertices: what the polynomial engine knows exactly."""
    blocks = [(b, s) for b, s in region.blocks if set(s) & e.free_symbols]
    symbols = [s for _, group in blocks for s in group]
    if not blocks or not e.free_symbols <= set(symbols) or not e.is_polynomial(*symbols):
        return None
    try:
        query = PolynomialQuery(tuple(symbols), (sp.expand(e),))
        found = scalar.exact_maximum(query.polynomials[0], Product(tuple(b for b, _ in blocks)))
    except ValueError:
        return None
    value = None if found is None else found.closed()
    if found is None or value is None:
        return None
    lemma, step = f"the largest difference over one record, by {found.method}", None
    point = _taken(e, region, blocks)
    if not region.constrained and len(symbols) <= MOST_VERTICES:
        step = accepted_step(e, "<=", value, found.method, ends_of(region.of(set(symbols)).intervals))
    steps, lemmas = ((), (lemma,)) if step is None else ((step,), ())
    return Supremum(found.upper, point, found.method, value, steps, lemmas)


def _taken(e: sp.Expr, region: Region, blocks: list[tuple[Block, tuple[sp.Symbol, ...]]]) -> Point:
    """A point with the largest value: a vertex, or what a climb finds."""
    symbols = [s for _, group in blocks for s in group]
    vertices = Product(tuple(b for b, _ in blocks)).vertices()
    if vertices is not None:
        points = [{s: rational(x) for s, x in zip(symbols, v, strict=True)} for v in vertices]
        return max(points, key=lambda p: e.xreplace(p))
    inner = region.of(e.free_symbols)
    found = maximum(e, inner.intervals, at_most_zero=inner.at_most_zero, zero=inner.zero, boxes=200)
    return found.point or {}


def _by_cells(e: sp.Expr, region: Region) -> Supremum | None:
    jumps = e.has(sp.Piecewise, sp.sign)
    if (
        not e.has(*SMOOTH_IN_CELLS)
        or region.constrained
        or not region.bounded
        or (jumps and region.open_ends)
    ):
        return None

    found = piecewise_linear_maximum(e, region.intervals)
    if found is None:
        return None
    return Supremum(
        enclose(found[0], bits=160), found[1], "linear on cells", found[0], (cells_step(e, region, found[0]),)
    )


def _bounded(
    e: sp.Expr, region: Region, tolerance: float, deadline: int, beyond: Fraction | None
) -> Supremum:
    region = one_period(e, region)
    beside = beside_common_zeros(
        e, region, tolerance, lambda part: _bounded(e, part, tolerance, deadline, beyond)
    )
    if beside is not None:
        return beside
    left = max(deadline - spent(), LEAST)
    floor = None if beyond is None else sp.Rational(beyond.numerator, beyond.denominator)
    if region.bounded:
        found = _searched(e, region, tolerance, left, floor)
        return _as_supremum(e, region, found)
    return _with_tails(e, region, tolerance, deadline)


def _searched(
    e: sp.Expr, region: Region, tolerance: float, units: int, beyond: sp.Rational | None = None
) -> BoundedMaximum:
    return maximum(
        e,
        region.intervals,
        at_most_zero=region.at_most_zero,
        zero=region.zero,
        tolerance=tolerance / 2,
        units=units,
        floor=beyond,
    )


def _as_supremum(e: sp.Expr, region: Region, found: BoundedMaximum) -> Supremum:
    upper = found.upper if found.upper.is_finite() else None
    stuck = found.stuck or (
        "" if upper is not None else "values without a bound near a place where it is not defined"
    )
    steps = () if upper is None else (bound_step(e, region, upper),)
    lemmas = (WHERE_DEFINED,) if found.undefined else ()
    return Supremum(upper, found.point or {}, "branch and bound", None, steps, lemmas, stuck)


def _with_tails(e: sp.Expr, region: Region, tolerance: float, deadline: int) -> Supremum:
    """Branch and bound in the middle, values over everything farther out at once."""
    found = best = Supremum(
        None, {}, "branch and bound", stuck="no bound far out on the unbounded domain was proved"
    )
    for far in TAILS:
        inner = Region(
            {s: middle(pair, far) for s, pair in region.intervals.items()}, region.at_most_zero, region.zero
        )
        left = deadline - spent()
        if left <= 0:
            break
        inside = _searched(e, inner, tolerance, left)
        tail = tail_bound(e, region, far)
        found = _as_supremum(e, inner, inside)
        if tail is None or not inside.upper.is_finite():
            best = replace(best, point=found.point)
            continue
        whole = inside.upper.max(tail)
        if best.upper is None or whole < best.upper:
            steps = (_tail_step(e, region, far, tail),) if tail.is_finite() else ()
            best = replace(found, upper=whole, steps=(bound_step(e, inner, inside.upper), *steps))
        if inside.lower is not None and tail <= inside.lower.lower():
            return replace(best, method="branch and bound, with what lies farther out")
        # Beside values of another size it matters little how well nearly nought is known.
        size = abs(inside.upper).max(arb(_spread(e, inner)))
        if (tail - inside.upper) <= size * arb(tolerance) / 4:
            break
    return replace(best, point=found.point)


def _tail_step(e: sp.Expr, region: Region, far: int, tail: arb) -> Step:
    top = ends(tail)[1]
    reason = f"values over all that lies farther out than {far}"

    def again(left: sp.Expr, right: sp.Expr) -> Truth:
        found = tail_bound(left, region, far)
        return Truth.HOLDS if found is not None and found <= enclose(right) else Truth.UNKNOWN

    return Step(e, "<=", sp.Rational(top.numerator, top.denominator), reason, again)


def _spread(e: sp.Expr, region: Region) -> float:
    """How far apart some values are."""
    share = [sp.Rational(k, 6) for k in range(7)]
    points = [{s: a + (b - a) * k for s, (a, b) in region.intervals.items()} for k in share]
    try:
        values = [float(enclose(e, point).mid()) for point in points]
    except (NotEnclosableError, ValueError, TypeError):
        return 0.0
    return max(values) - min(values)
