"""The supremum of an expression in one symbol over an interval, in closed form: ends, limits, and zeros of the slope."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import sympy as sp

from ..proof.enclosure import compare, enclose
from ..proof.truth import Truth
from .regions import Ends

EXTREMES = "a differentiable function on an interval is largest at an end, in the limit there, or where its slope vanishes"
_MOST_PARTS = 24
NO_VALUE = (sp.oo, sp.zoo, sp.nan, sp.AccumBounds)


class NoClosedFormError(ValueError):
    """The slope has zeros that are not known in closed form."""


@dataclass(frozen=True)
class Candidate:
    """A value that the function has at `at`, or nears there where `reached` is False: from the side of `inside`."""

    value: sp.Expr
    at: sp.Expr
    reached: bool
    inside: sp.Expr = sp.S.Zero


def largest_on_line(
    h: sp.Expr, t: sp.Symbol, ends: Ends, closed: Sequence[bool] = (True, True)
) -> tuple[Candidate, tuple[Candidate, ...]]:
    """The largest of all candidates, and all of them; NoClosedFormError where the slope is beyond this.

    `closed` says which ends belong to the interval: what the function is at another is no value of it.
    """
    outside = {end for end, own in zip(ends, closed, strict=True) if not own}
    parts = list(parts_of(h, t, ends))
    candidates = [c for part, low, high in parts for c in _candidates(h, part, t, low, high)]
    # A piece may be meant at one point alone.
    candidates += [
        _at(h, t, at)
        for at in dict.fromkeys(e for _, *two in parts for e in two)
        if (bool(at.is_finite) and h.has(sp.Piecewise)) and at not in outside
    ]
    best = candidates[0]
    for other in candidates[1:]:
        if best.value == other.value:
            best = best if best.reached else other
        elif other.value is sp.oo or (best.value is not sp.oo and _above(other.value, best.value)):
            best = other
    return best, tuple(candidates)


def _at(h: sp.Expr, t: sp.Symbol, at: sp.Expr) -> Candidate:
    value = h.subs(t, at)
    if value.has(*NO_VALUE):
        raise NoClosedFormError("no value at a border")
    return Candidate(value, at, True)


def _above(one: sp.Expr, two: sp.Expr) -> bool:
    if one is -sp.oo or two is -sp.oo:
        return two is -sp.oo and one is not -sp.oo
    answer = compare(one, ">", two)
    if answer is Truth.UNKNOWN:
        raise NoClosedFormError(f"which of {one} and {two} is larger is not known")
    return answer is Truth.HOLDS


def parts_of(h: sp.Expr, t: sp.Symbol, ends: Ends) -> Iterator[tuple[sp.Expr, sp.Expr, sp.Expr]]:
    """Smooth parts of the function with their ends."""
    h = h.replace(lambda e: isinstance(e, sp.Max | sp.Min), _by_size)
    cuts = sorted({c for c in _cuts(h, t) if ends[0] < c < ends[1]})
    if len(cuts) > _MOST_PARTS:
        raise NoClosedFormError("too many parts")
    stops = [ends[0], *cuts, ends[1]]
    for low, high in itertools.pairwise(stops):
        yield _resolved(h, t, _between(low, high)), low, high


def _by_size(e: sp.Expr) -> sp.Expr:
    first, *rest = e.args
    sign = 1 if isinstance(e, sp.Max) else -1
    for other in rest:
        first = (first + other + sign * sp.Abs(first - other)) / 2
    return first


def _between(low: sp.Expr, high: sp.Expr) -> sp.Expr:
    if low.is_finite and high.is_finite:
        return (low + high) / 2
    return low + 1 if low.is_finite else high - 1 if high.is_finite else sp.Integer(0)


def _cuts(h: sp.Expr, t: sp.Symbol) -> Iterator[sp.Rational]:
    """Where a part may end: zeros of what stands in absolute values, and borders of pieces."""
    for e in h.atoms(sp.Abs, sp.Piecewise):
        sides = [e.args[0]] if isinstance(e, sp.Abs) else _borders(e)
        for side in sides:
            for signs in _signed(side):
                slope = sp.expand(sp.diff(signs, t))
                if slope.has(t) or not slope.is_Rational:
                    raise NoClosedFormError(f"a border of {e} is not linear")
                if slope != 0:
                    cut = sp.expand(t - signs / slope)
                    if not cut.is_Rational:
                        raise NoClosedFormError("a border is not rational")
                    yield cut


def _borders(e: sp.Piecewise) -> list[sp.Expr]:
    relations = {r for _, c in e.args for r in c.atoms(sp.core.relational.Relational)}
    return [r.lhs - r.rhs for r in relations]


def _signed(side: sp.Expr) -> list[sp.Expr]:
    found = [side]
    for size in side.atoms(sp.Abs):
        found = [f.xreplace({size: s * size.args[0]}) for f in found for s in (1, -1)]
    return found


def _resolved(h: sp.Expr, t: sp.Symbol, inside: sp.Expr) -> sp.Expr:
    """The function without absolute values and pieces, as it is around a point inside of a part."""
    for _ in range(8):
        rough = [e for e in h.atoms(sp.Abs, sp.Piecewise) if e.has(t)]
        if not rough:
            break
        e = min(rough, key=sp.count_ops)
        if isinstance(e, sp.Abs):
            value = e.args[0].subs(t, inside)
            h = h.xreplace({e: e.args[0] if value >= 0 else -e.args[0]})
        else:
            piece = next((v for v, c in e.args if c == sp.true or c.subs(t, inside) == sp.true), None)
            if piece is None:
                raise NoClosedFormError("a piece is missing")
            h = h.xreplace({e: piece})
    if h.has(sp.Abs, sp.Piecewise, sp.sign, sp.floor, sp.ceiling):
        raise NoClosedFormError("a part is not smooth")
    return h


def _candidates(h: sp.Expr, part: sp.Expr, t: sp.Symbol, low: sp.Expr, high: sp.Expr) -> Iterator[Candidate]:
    for root in zeros_of_slope(part, t, low, high):
        yield Candidate(sp.simplify(part.subs(t, root)), root, True)
    for end, side in ((low, "+"), (high, "-")):
        if end.is_finite:
            value = part.subs(t, end)
            if value.has(*NO_VALUE):
                value = sp.limit(part, t, end, side)
                yield Candidate(_number(value), end, False, _between(low, high))
            else:
                yield Candidate(value, end, h.subs(t, end) == value, _between(low, high))
        else:
            yield Candidate(_number(sp.limit(part, t, end)), end, False, _between(low, high))


def _number(value: sp.Expr) -> sp.Expr:
    if value in (sp.oo, -sp.oo):
        return value
    if value.free_symbols or not enclose(value).is_finite():
        raise NoClosedFormError("a limit is no number")
    return value


def zeros_of_slope(part: sp.Expr, t: sp.Symbol, low: sp.Expr, high: sp.Expr) -> list[sp.Expr]:
    """The places strictly between the ends at which the slope vanishes; NoClosedFormError where not all are known."""
    slope = sp.diff(part, t)
    slope = sp.factor(sp.together(slope.rewrite(sp.exp) if slope.has(sp.tanh, sp.sinh, sp.cosh) else slope))
    if slope == 0:
        return []
    top, bottom = sp.fraction(slope)
    poles = [r for f in sp.Mul.make_args(bottom) for r in _roots(f, t) if _strictly_between(r, low, high)]
    if poles:
        raise NoClosedFormError("the slope has a pole")
    roots = [r for f in sp.Mul.make_args(top) for r in _roots(f, t)]
    return [r for r in roots if _strictly_between(r, low, high)]


def _strictly_between(root: sp.Expr, low: sp.Expr, high: sp.Expr) -> bool:
    return bool((low is -sp.oo or root > low) and (high is sp.oo or root < high))


def _roots(factor: sp.Expr, t: sp.Symbol) -> list[sp.Expr]:
    base = factor.base if isinstance(factor, sp.Pow) and not factor.exp.has(t) else factor
    if not base.has(t) or base.is_positive or base.is_negative:
        return []
    if isinstance(base, sp.log):
        return [sp.Integer(1)] if base.args[0] == t else _no()
    if base.has(sp.exp):
        u = sp.Dummy("u", positive=True)
        rates = {f: sp.expand(f.exp) / t for f in sp.expand(base).atoms(sp.exp)}
        lowest = min([k for k in rates.values() if k.is_Integer], default=sp.Integer(0))
        inner = sp.expand(
            sp.expand(base).xreplace({f: u**k for f, k in rates.items()}) * u ** -min(lowest, 0)
        )
        return _no() if inner.has(t) else [sp.log(r) for r in _roots(inner, u) if r.is_positive]
    roots = {p for p in base.atoms(sp.Pow) if p.exp == sp.S.Half and p.has(t)}
    if len(roots) == 1:
        # a + b sqrt(c) vanishes only where a^2 - b^2 c does; a place more does no harm.
        (square_root,) = roots
        r = sp.Dummy("r")
        a, b = (sp.expand(base.xreplace({square_root: r})).coeff(r, k) for k in (0, 1))
        rest = sp.expand(base.xreplace({square_root: r}) - a - b * r)
        norm = sp.expand(a**2 - b**2 * square_root.base)
        return _no() if rest != 0 else [x for f in sp.Mul.make_args(sp.factor(norm)) for x in _roots(f, t)]
    if not base.is_polynomial(t):
        _no()
    poly = sp.Poly(base, t)
    if not all(c.is_Rational for c in poly.all_coeffs()):
        _no()
    found: list[sp.Expr] = []
    for one, _ in poly.factor_list()[1]:
        if one.count_roots() == 0:
            continue
        if one.degree() > 2:
            _no()
        found += [r for r in sp.roots(one, multiple=True) if r.is_real]
    return found


def _no() -> list[sp.Expr]:
    raise NoClosedFormError("a zero of the slope has no closed form")
