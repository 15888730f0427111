"""Whether a formula is the density of a law at a place: its support is not empty, and it is positive almost everywhere there.

That its integral is one is a step of each derivation; this is the other half.  A density with zeros that are no points
would have a square root with a kink in the parameter, whatever its information comes to.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

import sympy as sp

from ..laws.finite import DiscreteLaw
from ..laws.law import Law
from ..laws.pieces import KINKED
from ..proof.enclosure import is_zero, sign
from ..proof.truth import Truth
from .differentiability import NotDifferentiableError, Place

_PROBES = tuple(sp.Rational(k, 24) for k in range(1, 24))


def lawful(law: Law, values: Mapping[sp.Symbol, Any]) -> Law:
    """The law at these values; ValueError if it is certainly none: an empty support, a negative density, a mass that is not one."""
    fixed = law.at(dict(values))
    with suppress(NotDifferentiableError):
        require_law(fixed, Place(frozenset(), {}))
    mass = fixed.mass()
    if not mass.has(sp.Integral) and is_zero(mass - 1) is Truth.FAILS:
        raise ValueError(f"the density of {law.name} integrates to {mass} at {values}, expected 1")
    return fixed


def require_law(law: Law, place: Place) -> None:
    """ValueError if `law` is none at the place, NotDifferentiableError if that it is one could not be proved."""
    if isinstance(law, DiscreteLaw):
        for p in law.probabilities:
            _require_positive(p, place, f"the probability {p} of {law.name}")
        return
    if law.parts:
        for weight, part in law.parts:
            _require_positive(weight, place, f"the weight {weight} of {law.name}")
            require_law(part, place)
        return
    lower, upper = (end.subs(place.at) for end in law.support)
    if upper.is_finite is not False and lower.is_finite is not False:
        length = place.side(upper - lower)
        if length in (0, -1):
            raise ValueError(f"the support of {law.name} is empty {place}: [{lower}, {upper}]")
        if length is None:
            raise NotDifferentiableError(
                f"that the support [{lower}, {upper}] of {law.name} is not empty is not known"
            )
    inside = Place(frozenset(), place.at, law.variable, (lower, upper))
    if not all(_positive(branch, inside) for branch in _branches(law.density)):
        density = law.density.subs(place.at)
        if any(s == -1 for s in _signs(density, inside)):
            raise ValueError(
                f"the density {density} of {law.name} is negative on a part of its support {place}"
            )
        raise NotDifferentiableError(f"that the density {density} of {law.name} is positive is not known")


def _require_positive(e: sp.Expr, place: Place, what: str) -> None:
    side = place.side(e)
    if side == -1:
        raise ValueError(f"{what} is negative {place}: {e.subs(place.at)}")
    if side != 1 and e != 0:
        raise NotDifferentiableError(
            f"{what} is not known to be positive {place}: nothing is differentiable at zero"
        )


def _branches(density: sp.Expr) -> Iterator[sp.Expr]:
    folded = sp.piecewise_fold(density) if density.has(sp.Piecewise) else density
    if isinstance(folded, sp.Piecewise):
        for value, _ in folded.args:
            yield from _branches(value)
    else:
        yield folded


def _positive(branch: sp.Expr, inside: Place) -> bool:
    """Whether the branch is zero for all parameters or positive; the zeros of an analytic one are isolated and carry no mass."""
    value = branch.subs(inside.at)
    if branch == 0 or inside.everywhere(value) == 1:
        return True
    return (
        not value.has(*KINKED) and _nonnegative(value, inside) and any(s == 1 for s in _signs(value, inside))
    )


def _nonnegative(value: sp.Expr, inside: Place) -> bool:
    forms = (value, inside.inside(value))
    return any(bool(way(f).is_nonnegative) for f in forms for way in (lambda x: x, sp.factor))


def _signs(value: sp.Expr, inside: Place) -> Iterator[int | None]:
    """The signs of the density at points of its support."""
    if value.free_symbols - {inside.variable}:
        yield None if value.is_zero else 1
        return
    lower, upper = inside.support
    for q in _PROBES:
        if lower.is_finite and upper.is_finite:
            point = lower + (upper - lower) * q
        elif lower.is_finite or upper.is_finite:
            point = lower + q / (1 - q) if lower.is_finite else upper - q / (1 - q)
        else:
            point = (2 * q - 1) / (q * (1 - q))
        yield sign(value.subs(inside.variable, point))
