"""Whether a formula is the density of a law at a place: its support is not empty, and it is positive almost everywhere there.

That its integral is one is a step of each derivation; this is the other half.  A density with zeros that are no points
would have a square root with a kink in the parameter, whatever its information comes to.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

import sympy as sp
from flint import arb, arb_mat

from ..proof.enclosure import is_zero, settled_sign, sign
from ..proof.truth import Truth
from .chain import MarkovChain
from .differentiability import NotDifferentiableError, Place
from .finite import DiscreteLaw
from .joint import JointLaw
from .law import Law
from .lawful import negative_point
from .pieces import KINKED

_PROBES = tuple(sp.Rational(k, 24) for k in range(1, 24))


def require_lawful(law: Law | JointLaw, values: Mapping[sp.Symbol, Any]) -> None:
    """ValueError if a law, or a part of a vector, is certainly none at these values."""
    if not isinstance(law, JointLaw):
        lawful(law, values)
        return
    require_vector(law, values)
    for part in law.parts:
        require_lawful(part, values)


def lawful(law: Law, values: Mapping[sp.Symbol, Any]) -> Law:
    """The law at these values; ValueError if it is certainly none: an empty support, a negative density, a mass that is not one."""
    values = {s: v for s, v in law.named(values).items() if s in law.free_symbols}
    fixed = law.at(values)
    with suppress(NotDifferentiableError):
        require_law(fixed, Place(frozenset(), {}))
    mass = fixed.mass()
    if not mass.has(sp.Integral) and is_zero(mass - 1) is Truth.FAILS:
        raise ValueError(f"the density of {law.name} integrates to {mass} at {values}, expected 1")
    return fixed


def require_vector(law: JointLaw, values: Mapping[sp.Symbol, Any]) -> None:
    """ValueError where at these values a covariance is not positive definite, or a probability certainly negative."""
    at = dict(values)
    if law.covariance is not None and (fixed := law.covariance.subs(at)).is_positive_definite is False:
        raise ValueError(f"the covariance {fixed.tolist()} is not positive definite")
    form = law.form
    masses = (
        [*form.initial, *form.transition]
        if isinstance(form, MarkovChain)
        else getattr(form, "probabilities", ())
    )
    for p in masses:
        if settled_sign(p, {s: v for s, v in at.items() if p.has(s)}) == -1:
            raise ValueError(f"the probability {p} is {p.subs(at)}")


def require_law_at(law: Law | JointLaw, values: Mapping[sp.Symbol, sp.Expr]) -> None:
    """ValueError where there is certainly no law at these values: a formula may have a value there all the same."""
    said = ", ".join(f"{s} = {v}" for s, v in values.items())
    trouble = ""
    if isinstance(law, JointLaw):
        try:
            require_vector(law, values)
        except ValueError as error:
            trouble = str(error)
    elif not isinstance(law, DiscreteLaw) and law.free_symbols <= set(values):
        point = negative_point(law, {s: values[s] for s in law.free_symbols})
        trouble = (
            "" if point is None else f"its density is negative at {law.variable} = {point[law.variable]}"
        )
    if trouble:
        raise ValueError(f"there is no law at {said}: {trouble}; choose {_others(values)}")


def _others(values: Mapping[sp.Symbol, Any]) -> str:
    return f"{'another value' if len(values) == 1 else 'other values'} of {', '.join(map(str, values))}"


def require_semidefinite(balls: list[list[arb]], fixed: Mapping[sp.Symbol, sp.Expr]) -> None:
    """ValueError for a matrix that certainly is no information: one of its minors around the diagonal is negative."""
    k = range(len(balls))
    pairs = [(i, j) for i in k for j in range(i)]
    for chosen in [*((i,) for i in k), *pairs, *(tuple(range(i + 1)) for i in k[2:])]:
        if arb_mat([[balls[i][j] for j in chosen] for i in chosen]).det() < 0:
            found = [[float(b.mid()) for b in row] for row in balls]
            said = ", ".join(f"{s} = {v}" for s, v in fixed.items())
            raise ValueError(
                f"the formula gives {found} at {said}, which is not positive semidefinite: there is no law there; choose {_others(fixed)}"
            )


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
