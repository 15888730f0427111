"""Encloses sup ||f(u) - f(v)|| of a polynomial query over a domain, by methods chosen from the query's structure.

In the L1 norm the supremum is the largest over sign patterns s of max q - min q with q = sum s_k w_k f_k: the two
records come apart, and each pattern is a question about one polynomial.  Patterns that a detected symmetry maps to each
other are asked once.  Entries are asked one by one in the max norm; the L2 norm is the root of a polynomial in (u, v).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
import sympy as sp
from flint import arb

from ..domains.adjacency import ONE_RECORD, one_record
from ..domains.ball import Ball, Round
from ..domains.exact import Block, Product, as_domain
from ..domains.polynomials import Coefficients, PolynomialQuery, add, multiply
from ..errors import counted
from ..proof.enclosure import is_zero
from ..proof.truth import Truth
from . import second_moments
from .ascent import climb, exact_distance
from .enclosure import SensitivityEnclosure, ends, with_precision
from .relaxation import LARGEST_BASIS, basis_size, least_order
from .scalar import Maximum, ball, maximum
from .symmetry import actions, orbits, representatives

NORMS = ("l1", "l2", "max")
PATTERNS = 1024
REFINEMENTS = 16
MINUS = Fraction(-1)


def polynomial_sensitivity(
    query: PolynomialQuery,
    domain: Block | Sequence[Block] | Product,
    norm: str = "l1",
    *,
    adjacency: str = "replace-one",
    tolerance: float = 1e-6,
    rng: np.random.Generator | None = None,
) -> SensitivityEnclosure:
    """lower <= sup ||f(u) - f(v)|| <= upper over u, v in the domain; of ||f(u)|| for adjacency "add-or-remove".

    More work is spent while the relative gap is above `tolerance`, which need not be reached: see the result's `gap`.
    Raises ValueError for a norm or adjacency that is unknown, and for a query and domain of different dimensions.
    """
    space = as_domain(domain)
    if norm not in NORMS:
        raise ValueError(f"norm must be one of {', '.join(NORMS)}, got {norm!r}")
    if adjacency not in ONE_RECORD:
        raise ValueError(f"adjacency must be one of {', '.join(ONE_RECORD)}, got {adjacency!r}")
    if not 0 < tolerance < 1:
        raise ValueError(f"tolerance must lie in (0, 1), got {tolerance!r}")
    if len(query.variables) != space.dimension:
        raise ValueError(
            f"the query has {counted(len(query.variables), 'variable')} and the domain {counted(space.dimension, 'coordinate')}: give one per variable"
        )
    rng = rng or np.random.default_rng(0)
    if len(query.entries) == 1 and norm == "l2":
        # One entry: all norms agree up to its multiplicity.
        single = PolynomialQuery(query.variables, query.entries)
        found = polynomial_sensitivity(single, space, "l1", adjacency=adjacency, tolerance=tolerance, rng=rng)
        return _stretched(found, query.multiplicities[0])
    one_sided = one_record(adjacency).resizes
    shape = second_moments.recognise(query, space)
    if shape is not None and norm == "l1":
        bound = second_moments.one_sided(shape) if one_sided else second_moments.bound(shape, tolerance)
        return _enclosed(query, space, norm, one_sided, bound)
    if norm == "l1":
        return _sum_of_entries(query, space, one_sided, tolerance, rng)
    if norm == "max":
        return _largest_entry(query, space, one_sided, tolerance, rng)
    return _euclidean(query, space, one_sided, tolerance, rng)


def _enclosed(
    query: PolynomialQuery, space: Product, norm: str, one_sided: bool, found: second_moments.FarthestPair
) -> SensitivityEnclosure:
    witness = (space.rounded(found.pair[0]), None if one_sided else space.rounded(found.pair[1]))
    lower = exact_distance(query, space, witness, norm)
    return SensitivityEnclosure(lower, arb(found.upper), witness, found.method)


def _stretched(found: SensitivityEnclosure, factor: Fraction) -> SensitivityEnclosure:
    root = with_precision(lambda: ball(factor).sqrt())
    exact = (
        None
        if found.exact is None
        else found.exact * sp.sqrt(sp.Rational(factor.numerator, factor.denominator))
    )
    lower, upper = with_precision(lambda: found.lower * root), with_precision(lambda: found.upper * root)
    return SensitivityEnclosure(lower, upper, found.witness, found.method, exact)


class _Spread:
    """max q - min q of one polynomial, or max |q|: two questions that may be asked again more sharply."""

    def __init__(self, polynomial: Coefficients, space: Product, one_sided: bool) -> None:
        self.space, self.one_sided = space, one_sided
        if not one_sided:
            # A constant cancels in differences; kept, a large one would drown the rest.
            polynomial = {m: c for m, c in polynomial.items() if any(m)}
        self.polynomials = (polynomial, add((MINUS, polynomial)))
        self.sides: list[Maximum] = [maximum(q, space) for q in self.polynomials]

    @property
    def upper(self) -> arb:
        first, second = (side.upper for side in self.sides)
        return with_precision(lambda: first.max(second) if self.one_sided else first + second)

    @property
    def method(self) -> str:
        return " and ".join(dict.fromkeys(side.method for side in self.sides))

    def closed(self) -> sp.Expr | None:
        first, second = (side.closed() for side in self.sides)
        if first is None or second is None:
            return None
        return sp.Max(first, second) if self.one_sided else sp.simplify(first + second)

    def refine(self) -> bool:
        """Whether a certificate of higher order was tried."""
        tried = False
        for k, side in enumerate(self.sides):
            if side.order is None or basis_size(self.space.dimension, side.order + 1) > LARGEST_BASIS:
                continue
            tried = True
            sharper = maximum(self.polynomials[k], self.space, side.order + 1)
            kept = sharper.upper if ends(sharper.upper)[1] < ends(side.upper)[1] else side.upper
            self.sides[k] = Maximum(kept, side.method, side.closed, side.order + 1)
        return tried


def _largest(spreads: list[_Spread], reached: Fraction, tolerance: float) -> _Spread:
    """The spread with the largest upper bound, after refining those that keep the gap open."""
    done: set[int] = set()
    for _ in range(REFINEMENTS):
        worst = max(range(len(spreads)), key=lambda k: ends(spreads[k].upper)[1])
        if worst in done or ends(spreads[worst].upper)[1] <= reached * (1 + Fraction(tolerance)):
            break
        if not spreads[worst].refine():
            done.add(worst)
    return max(spreads, key=lambda s: ends(s.upper)[1])


def _result(
    query: PolynomialQuery,
    space: Product,
    norm: str,
    one_sided: bool,
    tolerance: float,
    rng: np.random.Generator,
    questions: Callable[[], tuple[list[_Spread], str]],
) -> SensitivityEnclosure:
    spreads, prefix = questions()
    witness = climb(query, space, norm, one_sided, rng)
    lower = exact_distance(query, space, witness, norm)
    best = _largest(spreads, ends(lower)[0], tolerance)
    return SensitivityEnclosure(lower, best.upper, witness, prefix + best.method, _closed(best, spreads))


def _closed(best: _Spread, spreads: list[_Spread]) -> sp.Expr | None:
    """The closed form of the largest spread, if every other one that could be larger has the same."""
    value = best.closed()
    rivals = [s for s in spreads if s is not best and ends(s.upper)[1] > ends(best.upper)[0]]
    if value is None or len(rivals) > 8:
        return None
    others = [rival.closed() for rival in rivals]
    return (
        value
        if all(other is not None and is_zero(other - value) is Truth.HOLDS for other in others)
        else None
    )


def _sum_of_entries(
    query: PolynomialQuery, space: Product, one_sided: bool, tolerance: float, rng: np.random.Generator
) -> SensitivityEnclosure:
    group = actions(query, space, one_sided)
    try:
        patterns = list(representatives(len(query.entries), group, PATTERNS))
    except ValueError:
        return _in_chunks(query, space, one_sided, tolerance, rng)

    def questions() -> tuple[list[_Spread], str]:
        spreads = []
        for pattern in patterns:
            weighted = zip(pattern, query.multiplicities, query.polynomials, strict=True)
            spreads.append(_Spread(add(*((s * w, f) for s, w, f in weighted)), space, one_sided))
        return spreads, f"{len(patterns)} sign patterns up to symmetry, " if len(query.entries) > 1 else ""

    return _result(query, space, "l1", one_sided, tolerance, rng, questions)


def _in_chunks(
    query: PolynomialQuery, space: Product, one_sided: bool, tolerance: float, rng: np.random.Generator
) -> SensitivityEnclosure:
    """Too many sign patterns: the triangle inequality over groups of at most seven entries."""
    total = arb(0)
    for start in range(0, len(query.entries), 7):
        chosen = slice(start, start + 7)
        part = PolynomialQuery(query.variables, query.entries[chosen], query.multiplicities[chosen])
        found = _sum_of_entries(part, space, one_sided, max(tolerance, 1e-3), rng).upper
        total = with_precision(lambda found=found, total=total: total + found)  # type: ignore[misc]
    witness = climb(query, space, "l1", one_sided, rng)
    lower = exact_distance(query, space, witness, "l1")
    return SensitivityEnclosure(lower, total, witness, "triangle inequality over groups of entries")


def _largest_entry(
    query: PolynomialQuery, space: Product, one_sided: bool, tolerance: float, rng: np.random.Generator
) -> SensitivityEnclosure:
    plain = PolynomialQuery(query.variables, query.entries)
    chosen = [
        query.polynomials[k]
        for k in sorted(set(orbits(len(query.entries), actions(plain, space, one_sided))))
    ]

    def questions() -> tuple[list[_Spread], str]:
        return [_Spread(f, space, one_sided) for f in chosen], "entry by entry up to symmetry, "

    return _result(query, space, "max", one_sided, tolerance, rng, questions)


def _euclidean(
    query: PolynomialQuery, space: Product, one_sided: bool, tolerance: float, rng: np.random.Generator
) -> SensitivityEnclosure:
    """The least of: the root of one polynomial maximum in (u, v), the Frobenius length, the root of the entries' squares."""
    # Unit vectors along two axes are a good start for second moments, and do no harm elsewhere.
    hints = [(space.nearest(1e3 * e), space.nearest(1e3 * f)) for e, f in [np.eye(space.dimension)[[0, -1]]]]
    witness = climb(query, space, "l2", one_sided, rng, hints)
    lower = exact_distance(query, space, witness, "l2")
    found = _euclidean_bounds(query, space, one_sided)
    squared, method, exact = min(found, key=lambda item: ends(item[0])[1])
    top = max(ends(squared)[1], Fraction(0))
    return SensitivityEnclosure(lower, with_precision(lambda: ball(top).sqrt()), witness, method, exact)


def _euclidean_bounds(
    query: PolynomialQuery, space: Product, one_sided: bool
) -> list[tuple[arb, str, sp.Expr | None]]:
    n = space.dimension
    found: list[tuple[arb, str, sp.Expr | None]] = []
    if all(sum(m) <= 1 for f in query.polynomials for m in f) and _one_ball(space) and not one_sided:
        return [_operator_norm(query, space)]
    frobenius = _frobenius_squared(query, space)
    if frobenius is not None:
        factor = 1 if one_sided else 2
        squared = frobenius**2 * factor
        exact = sp.sqrt(sp.Rational(squared.numerator, squared.denominator))
        attained = len(space.blocks) == 1 and (one_sided or n > 1)
        found.append((ball(squared), "Frobenius length of u u' - v v'", exact if attained else None))
    if not found or len(query.entries) <= 24:
        plain = PolynomialQuery(query.variables, query.entries)
        home = orbits(len(query.entries), actions(plain, space, one_sided))
        spreads = {k: _Spread(query.polynomials[k], space, one_sided) for k in set(home)}
        pairs = [(w, spreads[k]) for w, k in zip(query.multiplicities, home, strict=True)]
        total = with_precision(lambda: sum((ball(w) * s.upper * s.upper for w, s in pairs), arb(0)))
        found.append((total, "root of the sum of the entries' squares", None))
    double = space if one_sided else Product(space.blocks * 2)
    joint: list[tuple[Fraction, Coefficients]] = []
    top = max(sum(m) for f in query.polynomials for m in f) if any(query.polynomials) else 0
    if basis_size(double.dimension, max(top, 1)) <= LARGEST_BASIS:
        for w, f in zip(query.multiplicities, query.polynomials, strict=True):
            moved = (
                f
                if one_sided
                else add(
                    (Fraction(1), {(*m, *(0,) * n): c for m, c in f.items()}),
                    (MINUS, {(*(0,) * n, *m): c for m, c in f.items()}),
                )
            )
            joint.append((w, multiply(moved, moved)))
        polynomial = add(*joint)
        best = maximum(polynomial, double)
        closed = best.closed()
        found.append((best.upper, best.method, None if closed is None else sp.sqrt(closed)))
        if best.order is not None and basis_size(double.dimension, least_order(polynomial)) <= 20:
            sharper = maximum(polynomial, double, best.order + 1)
            found.append((sharper.upper, sharper.method, None))
    return found


def _one_ball(space: Product) -> bool:
    return len(space.blocks) == 1 and isinstance(space.blocks[0], Round)


def _operator_norm(query: PolynomialQuery, space: Product) -> tuple[arb, str, sp.Expr | None]:
    """Linear entries on a ball or sphere: u - v runs through the ball of twice the radius, and |A (u - v)|^2 is a quadratic form."""
    block = space.blocks[0]
    assert isinstance(block, Round)
    linear = [{m: c for m, c in f.items() if any(m)} for f in query.polynomials]
    form = add(*((w, multiply(f, f)) for w, f in zip(query.multiplicities, linear, strict=True)))
    best = maximum(form, Product((Ball(2 * block.exact_radius, block.dimension),)))
    closed = best.closed()
    return best.upper, "operator norm", None if closed is None else sp.sqrt(closed)


def _frobenius_squared(query: PolynomialQuery, space: Product) -> Fraction | None:
    """The largest squared length of z if the query is a second moment in which the entries of z z' count once, or once off the diagonal."""
    shape = second_moments.recognise(query, space)
    if shape is None:
        return None
    weights = [
        sum(
            (w for w, g in zip(query.multiplicities, query.polynomials, strict=True) if g.keys() == f.keys()),
            Fraction(0),
        )
        for f in query.polynomials
    ]
    for f, w in zip(query.polynomials, weights, strict=True):
        ((exponents, c),) = f.items()
        if abs(c) != 1 or w > (1 if max(exponents) == 2 else 2) or (max(exponents) == 2 and w < 1):
            return None
    return sum((block.bounds[0][1] ** 2 for block in space.blocks), Fraction(0))
