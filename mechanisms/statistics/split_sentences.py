"""A split in words: what a little more for one measurement costs the others, and what each target costs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .budget_item import BudgetItem, BudgetLaw, shown
from .water_filling import Filling


def sentences(law: BudgetLaw, items: Sequence[BudgetItem], filling: Filling) -> Iterator[str]:
    """The multipliers as sentences; amounts are first-order, in weighted variance (steps^2) and as a part of the optimum."""
    value, rate = filling.value, filling.price

    def amount(x: float) -> str:
        return f"{x:.4g} ({100 * x / value:.3g} % of the whole)"

    if rate > 0:
        yield f"One per cent more {law.share} in total lowers the weighted variance by about {amount(rate * float(filling.total) / 100)}."
    else:
        yield (
            f"Nothing has a weight: each measurement has the least share of its target, and {shown(filling.rest)} of {law.share} "
            "is not spent."
        )
    several = filling.bound.count(False) > 1
    for i, item in enumerate(items):
        part = filling.near_share(i)
        if not filling.bound[i]:
            if several:
                yield (
                    f"One per cent more for {item.name} costs the others about {amount(rate * part / 100)} "
                    "and gains as much there: nothing is won by moving it."
                )
            if item.max_variance is not None:
                yield f"The target of {item.name} costs nothing: its weight alone gives it no less."
        elif rate > 0:
            cost = filling.target_multiplier(i) * part / (100 * law.power)
            yield (
                f"The target of {item.name} binds: allowing one per cent more variance there would lower "
                f"the weighted variance of the whole by about {amount(cost)}."
            )
