"""Steps of a supremum: a bound by branch and bound, and how the largest values of parts in different symbols add up."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

import sympy as sp
from flint import arb

from ..proof.as_written import difference, total
from ..proof.branch_and_bound import maximum
from ..proof.derivation import Step
from ..proof.enclosure import enclose
from ..proof.truth import Truth
from ..proof.work import units_of
from .enclosure import ends
from .regions import Region
from .shapes import ends_of
from .sign_cells import piecewise_linear_maximum

MOST_SHOWN = 16


class _Bounded(Protocol):
    @property
    def upper(self) -> arb | None: ...


def bound_step(
    e: sp.Expr, region: Region, upper: arb, found_anew: Callable[[], _Bounded | None] | None = None
) -> Step:
    """That the expression is at most the upper end of the ball all over the region; `found_anew` finds another bound."""
    top = ends(upper)[1]
    number = sp.Rational(top.numerator, top.denominator)

    def again(left: sp.Expr, right: sp.Expr) -> Truth:
        if found_anew is not None:
            other = found_anew()
            known = other is not None and other.upper is not None and bool(other.upper <= enclose(right))
            return Truth.HOLDS if known else Truth.UNKNOWN
        found = maximum(
            left,
            region.intervals,
            at_most_zero=region.at_most_zero,
            zero=region.zero,
            beyond=right,
            units=units_of(2),
        )
        return Truth.HOLDS if found.upper <= enclose(right) else Truth.UNKNOWN

    reason = f"interval branch and bound in balls: at most {float(top):.12g}"
    return Step(e, "<=", number, reason, again, within=ends_of(region.intervals))


def cells_step(e: sp.Expr, region: Region, top: sp.Rational) -> Step:
    """That the expression is at most its largest value on the cells of the region on which it is linear."""

    def again(left: sp.Expr, right: sp.Expr) -> Truth:
        found = piecewise_linear_maximum(left, region.intervals)
        return Truth.HOLDS if found is not None and found[0] <= right else Truth.UNKNOWN

    reason = "linear on cells that cover the box: the largest of their largest values, by elimination"
    return Step(e, "<=", top, reason, again, within=ends_of(region.intervals))


def parts_steps(e: sp.Expr, parts: list[sp.Expr], known: list[sp.Expr | None]) -> Iterator[Step]:
    """That the expression is the sum of its parts, and how their largest values add up; pieces are no formula of the kernel."""
    if not e.has(sp.Piecewise):
        yield Step(difference(e, parts[0]), "=", sp.Add(*parts[1:]), "parts in different symbols")
    if all(k is not None and k.is_finite for k in known):
        largest_of_parts = [k for k in known if k is not None]
        yield Step(
            total(*largest_of_parts), "=", sp.Add(*largest_of_parts), "the largest values of the parts"
        )


def smaller_steps(values: Sequence[sp.Expr], largest: sp.Expr) -> tuple[Step, ...]:
    """That the values of other faces are no larger than the largest one."""
    others = [v for v in dict.fromkeys(values) if v != largest and v.is_finite]
    return tuple(Step(v, "<=", largest, "of several largest values the largest") for v in others[:MOST_SHOWN])
