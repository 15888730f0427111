"""What ends of clipping that are chosen privately demand of their column, their levels and the budget."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from ....symbolic.domains.exact import exact
from ....symbolic.errors import SpecError
from .derived import derived_columns
from .models import PolicyModel
from .statistic_models import StatisticModel

_FINEST = 1000  # the largest denominator of a level
_LEAST_SHARE = 1e-6
_FINEST_PART = 2.0**15  # of the size of the ends: declared intervals are told apart between them


def check_clips(policy: PolicyModel) -> None:
    """Raises SpecError, with the key, for the first clip that cannot be meant."""
    columns = {c.name: c for c in (*policy.columns, *derived_columns(policy))}
    shares: dict[Any, Fraction] = {}
    for key, one in _clipped(policy):
        assert one.clip is not None
        assert one.column is not None
        low, high = levels_of(one)
        if low >= high or low == 0 or high == 1:
            raise SpecError(
                f"expected quantiles 0 < low < high < 1, {1 / _FINEST:g} apart at least, got low = {one.clip.low} and high = {one.clip.high}",
                key=f"{key}.clip.high",
            )
        if one.clip.share < _LEAST_SHARE:
            raise SpecError(
                f"expected {_LEAST_SHARE:g} to 1, got {one.clip.share:g}: of less nothing can be chosen",
                key=f"{key}.clip.share",
            )
        column = columns[one.column]
        first, last = float(column.low or 0), float(column.high or 0)
        if last - first < max(abs(first), abs(last)) / _FINEST_PART:
            raise SpecError(
                f"{first!r} and {last!r} are too near each other for their size to choose ends between them: measure from another origin, "
                "or leave clip out",
                key=f"{key}.clip",
            )
        shares[draw_of(one)] = exact(one.clip.share, "share")
        if sum(shares.values()) >= 1:
            raise SpecError(
                f"the ends of clipping take {float(sum(shares.values())):g} of the budget together: expected less than 1, since the rest pays for "
                "all numbers; one draw serves statistics with the same column, where and clip",
                key=f"{key}.clip.share",
            )


def draw_of(one: StatisticModel) -> Any:
    """What two statistics have in common that share one draw of ends."""
    assert one.clip is not None
    where = sorted((name, repr(wanted)) for name, wanted in one.where.items())
    return one.column, tuple(where), levels_of(one), one.clip.share


def levels_of(one: StatisticModel) -> tuple[Fraction, Fraction]:
    """The two quantiles, as fractions of small denominator."""
    assert one.clip is not None
    low, high = (exact(q, "clip").limit_denominator(_FINEST) for q in (one.clip.low, one.clip.high))
    return low, high


def _clipped(policy: PolicyModel) -> Iterator[tuple[str, StatisticModel]]:
    for i, one in enumerate(policy.statistics):
        if one.clip is not None:
            yield f"statistics[{i}]", one
