"""A split in words: what a little more for one measurement costs the others, what each target costs, and the conditions on a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from .split_certificate import optimal_value, price, target_multiplier
from .water_filling import Filling
from .wish import BudgetLaw, Wish, shown

if TYPE_CHECKING:
    from .budget import Split


def sentences(law: BudgetLaw, wishes: Sequence[Wish], filling: Filling) -> Iterator[str]:
    """The multipliers as sentences; amounts are first-order, in weighted variance (steps^2) and as a part of the optimum."""
    value, rate = float(optimal_value(filling)), float(price(filling))

    def amount(x: float) -> str:
        return f"{x:.4g} ({100 * x / value:.3g} % of the whole)"

    if rate > 0:
        yield f"One per cent more {law.share} in total lowers the weighted variance by about {amount(rate * float(filling.total) / 100)}."
    else:
        yield (
            f"Nothing has a weight: each measurement has the least share of its target, and {shown(filling.rest)} of {law.share} "
            "is not spent."
        )
    for i, wish in enumerate(wishes):
        part = float(filling.share(i))
        if not filling.bound[i]:
            yield (
                f"One per cent more for {wish.name} costs the others about {amount(rate * part / 100)} "
                "and gains as much there: nothing is won by moving it."
            )
            if wish.most_variance is not None:
                yield f"The target of {wish.name} costs nothing: its weight alone gives it no less."
        elif rate > 0:
            cost = float(target_multiplier(filling, i)) * part / (100 * law.power)
            yield (
                f"The target of {wish.name} binds: allowing one per cent more variance there would lower "
                f"the weighted variance of the whole by about {amount(cost)}."
            )


def conditions_page(split: Split) -> list[str]:
    """The lines of the page on which the split is justified."""
    law, program = split.law, split.program
    names = [f"  {v}: {w.name}" for v, w in zip(program.variables, split.wishes, strict=True)]
    constraints = [f"  {c}" for c in program.kkt().primal]
    head = [
        f"Split of {law.share} = {shown(split.total)} ({split.noise} noise)",
        "minimise the sum of weight x variance",
        f"  {program.objective}",
        f"over the shares of {law.share}",
        *names,
        "subject to",
        *constraints,
        "conditions of Karush, Kuhn and Tucker",
        *(f"  {line}" for line in str(program.kkt()).splitlines()),
    ]
    verdict = split.certificate
    return [
        *head,
        "the minimiser",
        *_table(split),
        f"  price of the budget (mu_1): {split.price:.6g} weighted variance per unit of {law.share}",
        *split.sentences,
        f"{verdict.verdict}: {verdict.reason.split(' (mu_')[0]}",
        f"the shares that are spent are rounded: weighted variance at most {split.excess:.1e} of the optimum above it",
    ]


def _table(split: Split) -> Iterator[str]:
    law = split.law
    for i, (wish, share, variance) in enumerate(
        zip(split.wishes, split.shares, split.variances, strict=True)
    ):
        text = f"  {wish.name}: share {shown(share)} ({100 * float(share / split.total):.3g} %), "
        text += f"standard deviation {float(variance) ** 0.5:.4g} steps, weight {shown(wish.weight)}"
        if wish.most_variance is not None:
            least = law.least_share(wish)
            state = "binds" if split.filling.bound[i] else "does not bind"
            text += f", target variance {shown(wish.most_variance)} (least share {shown(least)}, {state}, "
            text += f"multiplier {split.multipliers[wish.name]:.4g})"
        yield text
