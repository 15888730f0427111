"""The largest norm of a vector or matrix of expressions over a region: sign patterns, squares, entries, singular values."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import sympy as sp
from flint import arb

from ..proof.apart import UnfinishedError, apart, tame
from ..proof.as_written import power, total, weighted
from ..proof.derivation import Step
from ..proof.enclosure import enclose
from ..proof.proofs.kernel_checked import accepted_step
from ..proof.work import spent
from .enclosure import ends, with_precision
from .regions import Point, Region
from .shapes import ends_of
from .suprema import supremum
from .supremum import Supremum, largest

VECTOR, MATRIX = ("l1", "l2", "max"), ("frobenius", "spectral", "max")
PATTERNS, LIGHT, SAMPLES = 32, 400, 120
CORNERS = "the 1-norm of a vector is the largest of its sums with signs"
SINGULAR = "the squared singular values of a 2 by 2 matrix M have the sum |M|_F^2 and the product det(M)^2"
BELOW_FROBENIUS = "the spectral norm is at most the Frobenius norm"


@dataclass(frozen=True)
class Vector:
    """Entries, row by row where `shape` is that of a matrix."""

    entries: tuple[sp.Expr, ...]
    shape: tuple[int, int] | None = None

    def mapped(self, change: Callable[[sp.Expr], sp.Expr]) -> Vector:
        return replace(self, entries=tuple(change(e) for e in self.entries))

    def minus(self, other: Vector) -> Vector:
        return replace(self, entries=tuple(a - b for a, b in zip(self.entries, other.entries, strict=True)))


def norm_of(values: Sequence[arb], norm: str, shape: tuple[int, int] | None) -> arb:
    """The norm of numbers in balls; of a larger matrix in the spectral norm a number that is no more."""
    if norm == "l1":
        return sum((abs(v) for v in values), arb(0))
    if norm == "max":
        top = arb(0)
        for v in values:
            top = top.max(abs(v))
        return top
    if norm == "spectral" and shape is not None and min(shape) > 1:
        return _spectral_from_below(values, shape)
    return _root(sum((v * v for v in values), arb(0)))


def _root(square: arb) -> arb:
    return (
        square.max(arb(0)).sqrt() if square.lower() >= 0 else square.upper().max(arb(0)).sqrt().union(arb(0))
    )


def _spectral_from_below(values: Sequence[arb], shape: tuple[int, int]) -> arb:
    """a' M b / (|a| |b|) at the leading singular vectors, up to rounding."""
    middle = np.array([float(v.mid()) for v in values]).reshape(shape)
    left, _, right = np.linalg.svd(middle)
    a, b = [arb(float(x)) for x in left[:, 0]], [arb(float(x)) for x in right[0]]
    total = arb(0)
    for (i, j), v in zip(itertools.product(range(shape[0]), range(shape[1])), values, strict=True):
        total += a[i] * v * b[j]
    lengths = _root(sum((x * x for x in a), arb(0))) * _root(sum((x * x for x in b), arb(0)))
    return abs(total / lengths)


def farthest(
    vector: Vector, norm: str, region: Region, two_sided: bool, tolerance: float, deadline: int
) -> Supremum:
    """The largest norm over the region; `two_sided`: an exchange of symbols turns all entries round, as for two records."""
    given, vector = vector, vector.mapped(_light)
    found = _farthest(vector, norm, region, two_sided, tolerance, deadline)
    return replace(found, steps=(*_shorter_steps(given, vector, region), *found.steps))


def _shorter_steps(given: Vector, light: Vector, region: Region) -> Iterator[Step]:
    """That the entries whose norm is looked at are those that were given, in another form."""
    for one, two in zip(given.entries, light.entries, strict=True):
        if one != two and not region.expressed:
            step = accepted_step(one, "=", two, "the difference of the answers", ends_of(region.intervals))
            if step is not None:
                yield step


def _farthest(
    vector: Vector, norm: str, region: Region, two_sided: bool, tolerance: float, deadline: int
) -> Supremum:
    kept = [e for e in vector.entries if e != 0]
    if not kept:
        return Supremum(arb(0), {}, "no entry moves", sp.Integer(0))
    if len(kept) == 1:
        return _best(vector, norm, region, _either_sign(kept[0], two_sided), tolerance, deadline)
    if norm == "max":
        asked = dict.fromkeys(s for e in kept for s in _either_sign(e, two_sided))
        return _best(vector, norm, region, list(asked), tolerance, deadline)
    if norm == "l1":
        sums = list(_patterns(_counted(kept), two_sided))
        patterns = [_light(e) for e in sums]
        found = _best(vector, norm, region, patterns, tolerance, deadline)
        shorter = _shorter_steps(Vector(tuple(sums)), Vector(tuple(patterns)), region)
        return replace(found, steps=(*shorter, *found.steps), lemmas=(*found.lemmas, CORNERS))
    if norm == "spectral" and vector.shape is not None and min(vector.shape) > 1:
        return _spectral(vector, region, two_sided, tolerance, deadline)
    squares = total(*(power(e, 2) for e in kept))
    light = _light(_squares(kept))
    found = _rooted(supremum(light, region, tolerance, deadline))
    shorter = _shorter_steps(Vector((squares,)), Vector((light,)), region)
    return replace(found, steps=(*shorter, *found.steps))


def _either_sign(e: sp.Expr, two_sided: bool) -> list[sp.Expr]:
    return [e] if two_sided else [e, -e]


def _best(
    vector: Vector, norm: str, region: Region, asked: Sequence[sp.Expr], tolerance: float, deadline: int
) -> Supremum:
    """The largest of several suprema; what is no larger than a value that is known need not be known better."""
    point, reached = _sampled(vector, norm, region) if len(asked) > 1 or region.constrained else ({}, None)
    best_first = sorted(asked, key=lambda e: -_value(e, region, point)) if reached is not None else asked
    found = []
    for k, e in enumerate(best_first):
        left = max(deadline - spent(), 0)
        until = spent() + min(left, 2 * left // (len(asked) - k))
        one = supremum(e, region, tolerance, until, reached)
        found.append(one)
        if one.exact is sp.oo:
            return one
        value = value_at(vector, norm, region, one.point)
        if value is not None and (reached is None or value > reached):
            point, reached = one.point, value
    whole = largest(found)
    value = value_at(vector, norm, region, whole.point)
    return replace(whole, point=point) if reached is not None and (value or 0) < reached else whole


def _enclosed(e: sp.Expr, at: Point) -> arb:
    """The value at a point; pieces are chosen by sympy, which decides relations of numbers."""
    return enclose(e.xreplace(at)) if e.has(sp.Piecewise) else enclose(e, at)


def _value(e: sp.Expr, region: Region, point: Point) -> float:
    try:
        return float(_enclosed(e, region.completed(point)).mid())
    except (ValueError, TypeError):
        return float("-inf")


def _sampled(vector: Vector, norm: str, region: Region) -> tuple[Point, Fraction | None]:
    """The best of some points of the region, with its value."""
    rng = np.random.default_rng(0)
    best: tuple[Point, Fraction | None] = ({}, None)
    for k in range(SAMPLES):
        point = {s: _drawn(pair, rng, k % 3) for s, pair in region.intervals.items()}
        point |= {s: values[int(rng.integers(len(values)))] for s, values in region.choices.items()}
        if region.constrained and not region.holds(region.completed(point)):
            continue
        value = value_at(vector, norm, region, point)
        if value is not None and (best[1] is None or value > best[1]):
            best = (point, value)
    return best


def _drawn(pair: tuple[sp.Expr, sp.Expr], rng: np.random.Generator, kind: int) -> sp.Rational:
    """A number between two ends, or one of them."""
    low = pair[0] if pair[0].is_finite else sp.Integer(-8)
    high = pair[1] if pair[1].is_finite else sp.Integer(8)
    steps = 64 if kind else 1
    return low + (high - low) * sp.Rational(int(rng.integers(steps + 1)), steps)


def value_at(vector: Vector, norm: str, region: Region, point: Point) -> Fraction | None:
    """A lower end of the norm at a point of the region; None where it is not defined."""
    at = region.completed(point)
    try:
        numbers = [_enclosed(e, at) for e in vector.entries]
        value = with_precision(lambda: norm_of(numbers, norm, vector.shape))
        return ends(value)[0]
    except (ValueError, TypeError):
        return None


def _light(e: sp.Expr) -> sp.Expr:
    """The expression in its shortest form among a few."""
    if e.is_number or sp.count_ops(e) > LIGHT:
        return e
    try:
        factored = apart(lambda: sp.factor(sp.together(e)), "a shorter form", here=tame(e))
    except UnfinishedError:
        return e
    shorter = min((e, factored), key=sp.count_ops)
    if e.is_polynomial():
        shorter = min((shorter, sp.expand(e)), key=sp.count_ops)
    # Two short sums in different symbols are easier than one short product.
    return shorter if shorter.is_number or _groups(shorter) >= _groups(e) else e


def _groups(e: sp.Expr) -> int:
    """Into how many sums without a common symbol an expression falls apart."""
    groups: list[set[sp.Symbol]] = []
    for term in sp.Add.make_args(e):
        meeting = [g for g in groups if g & term.free_symbols]
        groups = [g for g in groups if not g & term.free_symbols]
        groups.append(term.free_symbols.union(*meeting))
    return len([g for g in groups if g])


def _counted(entries: Sequence[sp.Expr]) -> list[sp.Expr]:
    """Entries that are equal up to sign as one, times their number."""
    met: dict[sp.Expr, int] = {}
    for e in entries:
        key = -e if -e in met else e
        met[key] = met.get(key, 0) + 1
    return [count * e for e, count in met.items()]


def _patterns(entries: list[sp.Expr], two_sided: bool) -> Iterator[sp.Expr]:
    free = len(entries) - int(two_sided)
    if 2**free > PATTERNS:
        yield sp.Add(*(sp.Abs(e) for e in entries))
        return
    for signs in itertools.product((1, -1), repeat=free):
        whole = (1, *signs) if two_sided else signs
        yield total(*(weighted(s, e) for s, e in zip(whole, entries, strict=True)))


def _squares(entries: Sequence[sp.Expr]) -> sp.Expr:
    return sp.Add(*(e**2 for e in entries))


def _rooted(found: Supremum) -> Supremum:
    if found.upper is None:
        return found
    square = found.upper
    upper = with_precision(lambda: _root(square))
    return replace(found, upper=upper, exact=None if found.exact is None else _tidy_root(found.exact))


def _tidy_root(square: sp.Expr) -> sp.Expr:
    return sp.sqrtdenest(sp.sqrt(sp.nsimplify(square) if square.is_Rational else square))


def _spectral(vector: Vector, region: Region, two_sided: bool, tolerance: float, deadline: int) -> Supremum:
    if vector.shape == (2, 2):
        a, b, c, d = vector.entries
        squares, product = _squares(vector.entries), a * d - b * c
        if _light(b - c) == 0:
            # Symmetric: the larger absolute eigenvalue.
            trace, inner = _light(a + d), _light((a - d) ** 2 + 4 * b**2)
            if trace == 0:
                found = _rooted(supremum(_light(inner / 4), region, tolerance, deadline))
            else:
                found = supremum((sp.Abs(trace) + sp.sqrt(inner)) / 2, region, tolerance, deadline)
        else:
            e = (squares + sp.sqrt(_light(squares**2 - 4 * product**2))) / 2
            found = _rooted(supremum(e, region, tolerance, deadline))
        return replace(found, lemmas=(*found.lemmas, SINGULAR))
    kept = [e for e in vector.entries if e != 0]
    found = _rooted(supremum(_light(_squares(kept)), region, tolerance, deadline))
    return replace(found, exact=None, lemmas=(*found.lemmas, BELOW_FROBENIUS))
