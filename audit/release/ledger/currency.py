"""The currency of a budget: amounts that add up over releases, how a cost is turned into them, and what is refused."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from ....symbolic.errors import SpecError
from ....symbolic.privacy.guarantees import by_key
from .amounts import decimal
from .cost import Cost

Amounts = dict[str, Fraction]

_WORDS = {key: kind.currency for key, kind in by_key().items() if kind.currency}
_INFORMATION = "fisher_information:"
_HALF = Fraction(1, 2)


def caps(budget: Cost) -> Amounts:
    """The largest total of each amount; SpecError unless the budget has one currency, or Fisher information only."""
    if budget.reason or len(budget.currencies) > 1:
        raise SpecError(
            "a budget is in one currency: give epsilon, or epsilon with delta, or rho, or Renyi points; "
            "and a Fisher information for each column that is to be limited",
            key="budget",
        )
    return {**_privacy(budget, budget), **_information(budget)}


def charge(cost: Cost, budget: Cost) -> Amounts:
    """`cost` in the amounts of `budget`; SpecError if it is of another unit or has no finite cost in that currency."""
    _same_kind(cost, budget)
    privacy = _privacy(cost, budget)
    wanted = {i.about: i.unit for i in budget.fisher_information}
    stated = {i.about: i.unit for i in cost.fisher_information}
    for about, unit in wanted.items():
        if about not in stated:
            raise SpecError(
                f"the ledger limits the Fisher information of {about!r}, and this cost does not state one "
                f"(a release that does not show the column states 0): {_has(cost)}",
                key="cost.fisher_information",
            )
        if stated[about] != unit:
            raise SpecError(
                f"the ledger counts {about!r} in {unit!r}, the cost in {stated[about]!r}: "
                "amounts are not converted between units, state it in the ledger's",
                key="cost.fisher_information",
            )
    information = {name: value for name, value in _information(cost).items() if name in _information(budget)}
    return {**privacy, **information}


def excess(spent: Amounts, wanted: Amounts, limits: Amounts) -> list[str]:
    """One sentence for each amount that would go above its limit."""
    return [
        f"{words(name)}: {_shown(wanted[name])} asked, {_shown(limits[name] - spent[name])} left of {_shown(limits[name])}"
        for name in limits
        if spent[name] + wanted[name] > limits[name]
    ]


def _shown(value: Fraction) -> str:
    try:
        return f"{float(value):.6g}"
    except OverflowError:
        return "more than any double"


def words(name: str) -> str:
    """The name of an amount as it is said."""
    if name.startswith(_INFORMATION):
        return f"Fisher information of {name.removeprefix(_INFORMATION)!r}"
    return name.replace("_", " ").replace(":", " ")


def shown(charged: Amounts, cost: Cost) -> str:
    """A charge, and what else the cost states of privacy."""
    amounts = [f"{words(name)} {_shown(value)}" for name, value in charged.items() if value]
    others = {"epsilon": cost.epsilon, "rho": cost.rho, "delta": cost.approximate}
    also = [
        f"also (epsilon, delta) = ({value[0]:.6g}, {value[1]:.6g})"
        if isinstance(value, tuple)
        else f"also {name} {value:.6g}"
        for name, value in others.items()
        if value is not None and name not in charged
    ]
    return ", ".join((*(amounts or ["0"]), *also))


def _privacy(cost: Cost, budget: Cost) -> Amounts:
    slack = decimal(cost.delta_slack)
    epsilon = None if cost.epsilon is None else decimal(cost.epsilon)
    if budget.epsilon is not None and epsilon is not None:
        return {"epsilon": epsilon}
    if budget.approximate is not None:
        if cost.approximate is not None:
            return dict(zip(("epsilon", "delta"), map(decimal, cost.approximate), strict=True))
        if epsilon is not None:
            return {"epsilon": epsilon, "delta": Fraction(0)}
    if budget.rho is not None:
        if cost.rho is not None:
            return {"rho": decimal(cost.rho), "delta_slack": slack}
        if epsilon is not None:
            # Bun, Steinke 2016, proposition 1.4; and no Renyi divergence exceeds epsilon.
            return {"rho": min(epsilon**2 * _HALF, epsilon), "delta_slack": Fraction(0)}
    if budget.renyi:
        found = {order: _renyi(cost, order) for order, _ in budget.renyi}
        points = {f"renyi:{order!r}": value for order, value in found.items() if value is not None}
        if len(points) == len(found):
            return {**points, "delta_slack": slack}
    if not budget.currencies:
        return {}
    raise SpecError(
        f"this release has no finite cost in the ledger's currency, {_WORDS[budget.currencies[0]]}: {_has(cost)}",
        key="cost",
    )


def _renyi(cost: Cost, order: float) -> Fraction | None:
    """A bound on the Renyi divergence of this order: it does not decrease with the order."""
    above = [decimal(value) for at, value in cost.renyi if at >= order]
    if above:
        return min(above)
    if cost.rho is not None:
        return decimal(cost.rho) * decimal(order)
    if cost.epsilon is not None:
        epsilon = decimal(cost.epsilon)
        return min(epsilon, epsilon**2 * _HALF * decimal(order))
    return None


def _information(cost: Cost) -> Amounts:
    return {f"{_INFORMATION}{i.about}": decimal(i.value) for i in cost.fisher_information}


def _same_kind(cost: Cost, budget: Cost) -> None:
    if cost.unit != budget.unit:
        raise SpecError(
            f"the ledger counts per {budget.unit}, the cost is per {cost.unit}: costs are not converted between units of privacy; "
            f"state what the release costs per {budget.unit} (for a person with at most k records: epsilon times k, rho times k^2)",
            key="cost.unit",
        )
    if cost.adjacency != budget.adjacency:
        raise SpecError(
            f"the ledger counts for {budget.adjacency} neighbours, the cost is for {cost.adjacency}: "
            "costs are not converted between adjacencies; state the cost for the ledger's (of statistics: mechanism.adjacency), or make another "
            f"ledger with --adjacency {cost.adjacency}",
            key="cost.adjacency",
        )


def _has(cost: Cost) -> str:
    if cost.reason:
        return f"it has none at all ({cost.reason})"
    given = [_WORDS[name] for name in cost.currencies]
    given += [f"Fisher information of {i.about!r}" for i in cost.fisher_information]
    return f"it is stated in {', '.join(given)}"


def as_numbers(amounts: Mapping[str, Fraction]) -> dict[str, float]:
    """The amounts as the nearest JSON numbers."""
    return {name: float(value) for name, value in amounts.items()}
