"""One budget split among measurements: the certified minimiser of the weighted sum of their variances, with targets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from ...symbolic.domains.exact import exact
from ...symbolic.errors import SpecError
from ...symbolic.proof.enclosure import enclose
from ...symbolic.proof.exact_numbers import above, ball
from .budget_item import BudgetItem, BudgetLaw, InfeasibleBudgetError, budget_law
from .split_certificate import certify_split, optimal_value, split_program
from .split_page import Split
from .split_sentences import sentences
from .water_filling import Filling, fill

__all__ = ["BudgetItem", "InfeasibleBudgetError", "Split", "split_budget"]


def split_budget(items: Iterable[BudgetItem], total: Any, noise: str) -> Split:
    """The shares of one total that minimise the sum of weight * variance with variance <= max_variance, with their certificate.

    `total` > 0 is rho or epsilon, by `noise`: "gaussian" (shares of rho: variance D/(2 rho) for the squared l2 sensitivity D) or "laplace"
    (shares of epsilon: variance 2 (D/epsilon)^2 for the l1 sensitivity D). InfeasibleBudgetError says the smallest total that would
    do and which targets are to blame; SpecError for items that cannot be meant.

    >>> items = [npf.BudgetItem("people", sensitivity_squared=1), npf.BudgetItem("by city", sensitivity_squared=4)]
    >>> split = npf.split_budget(items, "1/2", "gaussian")
    >>> [str(share) for share in split.shares], split.certificate.verdict
    (['1/6', '1/3'], 'PROVED')
    """
    law, asked, whole = budget_law(noise), _read(items), _total(total)
    least = [law.least_share(w) for w in asked]
    _feasible(asked, least, whole, law)
    filling = fill(law.power, [law.cost(w) for w in asked], least, whole)
    program = split_program(filling, law.share)
    certificate = certify_split(program, filling)
    shares = tuple(filling.rounded(i) for i in range(len(asked)))
    multipliers = {w.name: filling.target_multiplier(i) for i, w in enumerate(asked)}
    return Split(
        asked,
        whole,
        noise,
        shares,
        filling.price,
        multipliers,
        _excess(filling, shares),
        program,
        certificate,
        filling,
        tuple(sentences(law, asked, filling)),
    )


def _read(items: Iterable[BudgetItem]) -> tuple[BudgetItem, ...]:
    found = (items,) if isinstance(items, BudgetItem) else tuple(items)
    if not found:
        raise SpecError("items is empty: a budget is split among at least one measurement")
    for item in found:
        if not isinstance(item, BudgetItem):
            raise SpecError(f"items must be a list of BudgetItem, got {type(item).__name__}")
    names = [w.name for w in found]
    twice = sorted({n for n in names if names.count(n) > 1})
    if twice:
        raise SpecError(f"two items are named {', '.join(map(repr, twice))}: each needs a name of its own")
    return found


def _total(total: Any) -> Fraction:
    whole = exact(total, "total")
    if whole <= 0:
        raise SpecError(f"total must be above 0, got {total}: without a budget nothing can be measured")
    return whole


def _feasible(
    items: Sequence[BudgetItem], least: Sequence[Fraction], total: Fraction, law: BudgetLaw
) -> None:
    asked = sum(least, Fraction(0))
    if asked < total or (asked == total and all(least)):
        return
    targets = {w.name: m for w, m in zip(items, least, strict=True) if m > 0}
    raise InfeasibleBudgetError(law.share, total, asked, targets, strict=not all(least))


def _excess(filling: Filling, shares: Sequence[Fraction]) -> float:
    """An upper bound of how much the rounded shares lie above the optimum, as a part of it."""
    spent = sum((a / s**filling.power for a, s in zip(filling.costs, shares, strict=True)), Fraction(0))
    if spent == 0 or all(filling.rational_share(i) == s for i, s in enumerate(shares)):
        return 0.0
    return max(0.0, above(ball(spent) / enclose(optimal_value(filling), bits=320) - 1))
