"""A total as (epsilon, delta): by dp-accounting, and held between formulas that are worked out here."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from ....symbolic.errors import SpecError
from ...record.extra import from_extra
from .cost import Cost
from .currency import Amounts

COVERS_BUDGET = (
    "However the releases and their costs were chosen, each perhaps after seeing all earlier ones, what is published under "
    "this ledger stays within this: it stops at fixed totals (a privacy filter)."
)
COVERS_SPENT = (
    "What is spent so far comes to this if the number and the costs of the releases were fixed without looking at any of "
    "them. If they were chosen after looking, only the statement about the budget holds."
)
# Below this order the accountant does not use its formula.
_LEAST_ORDER = 1.0101
_SAME = 2e-3


@dataclass(frozen=True)
class Statement:
    """(epsilon, delta)-differential privacy of a total; `epsilon` is infinite where this delta cannot be reached.

    `least` and `largest` come from formulas worked out here: nothing below `least` is true of every law with this rho
    (0 for Renyi points: not known), and `largest` is the textbook bound.  `route` says what computed `epsilon`.
    """

    epsilon: float
    delta: float
    route: str
    least: float
    largest: float
    covers: str


def statement(budget: Cost, amounts: Amounts, delta: float | None, covers: str) -> Statement | None:
    """What `amounts` of the budget's currency come to; None for a budget of Fisher information only.

    Pure and approximate totals are sums.  rho and Renyi points are converted at `delta`, of which each unit of
    delta_slack takes (1 + e^epsilon): the slack is a distance in total variation, paid by both neighbours.
    Raises SpecError if dp-accounting is not installed, or if it and the formulas disagree.
    """
    if not budget.currencies:
        return None
    numbers = {name: _up(float(value)) for name, value in amounts.items()}
    if "epsilon" in numbers:
        epsilon = numbers["epsilon"]
        return Statement(epsilon, numbers.get("delta", 0.0), "sum", epsilon, epsilon, covers)
    assert delta is not None
    if budget.rho is not None:
        convert: Callable[[float], tuple[float, float, float]] = lambda d: _concentrated(numbers["rho"], d)  # noqa: E731
    else:
        points = [(order, numbers[f"renyi:{order!r}"]) for order, _ in budget.renyi]
        convert = lambda d: _renyi(points, d)  # noqa: E731
    epsilon, least, largest = _with_slack(convert, delta, numbers["delta_slack"])
    # Nothing is converted where nothing is spent yet, nor where no epsilon is reached.
    route = f"dp-accounting {_version()}, Renyi orders" if 0 < epsilon < math.inf else "sum"
    return Statement(epsilon, delta, route, least, largest, covers)


def _up(value: float) -> float:
    """The next double, so that rounding never makes a total smaller."""
    return math.nextafter(value, math.inf) if value > 0 else value


def _with_slack(
    convert: Callable[[float], tuple[float, float, float]], delta: float, slack: float
) -> tuple[float, float, float]:
    """An epsilon with delta(epsilon) + (1 + e^epsilon) slack <= delta, the least one approached from below."""
    epsilon, least, largest = convert(delta)
    for _ in range(200):
        left = delta - (1 + math.exp(min(epsilon, 700.0))) * slack
        if left <= 0 or math.isinf(epsilon):
            break
        higher, _, largest = convert(left)
        if higher <= epsilon:
            return _up(epsilon), least, largest
        # Slightly too far each time: the last step then ends beyond the fixed point, on the safe side.
        epsilon = higher * (1 + 1e-10)
    return math.inf, least, math.inf


def _concentrated(rho: float, delta: float) -> tuple[float, float, float]:
    """(the accountant's epsilon, the least that is possible, the textbook bound) of rho at delta."""
    from ....symbolic.privacy.pair import gaussian_epsilon

    if rho == 0:
        return 0.0, 0.0, 0.0
    best = 1 + math.sqrt(math.log(1 / delta) / rho)
    orders = sorted({max(_LEAST_ORDER, 1 + (best - 1) * 10 ** (k / 200)) for k in range(-400, 401)})
    by_accountant = _accountant([(order, rho * order) for order in orders], delta)
    # N(0, 1) against N(sqrt(2 rho), 1) is rho-zero-concentrated: nothing below its curve is true of all of them.
    least = gaussian_epsilon(math.sqrt(2 * rho), delta)
    largest = rho + 2 * math.sqrt(rho * math.log(1 / delta))  # Bun, Steinke 2016, proposition 1.3
    by_hand = _least_over_orders(rho, delta)
    if by_hand > 0 and by_accountant > 0 and abs(by_accountant - by_hand) > _SAME * by_hand:
        raise _disagree(by_accountant, f"{by_hand:.9g} by minimising over all orders")
    if by_accountant < least * (1 - 1e-9):
        raise _disagree(by_accountant, f"at least {least:.9g}")
    # Both are true; the textbook bound is the smaller one only where the best order is too near to 1 for the accountant.
    return min(by_accountant, largest), least, largest


def _renyi(points: list[tuple[float, float]], delta: float) -> tuple[float, float, float]:
    by_accountant = _accountant(points, delta)
    largest = min(
        value + math.log(1 / delta) / (order - 1) for order, value in points
    )  # Mironov 2017, proposition 3
    usable = [_converted(order, value, delta) for order, value in points if order >= _LEAST_ORDER]
    by_hand = max(0.0, min(usable, default=math.inf))
    by_distance = any(delta**2 > -math.expm1(-value) for _, value in points)
    if not by_distance and not math.isclose(by_accountant, by_hand, rel_tol=1e-9, abs_tol=1e-12):
        raise _disagree(by_accountant, f"{by_hand:.9g} by hand")
    return by_accountant, 0.0, largest


def _converted(order: float, value: float, delta: float) -> float:
    """epsilon of one Renyi bound at delta (Canonne, Kamath, Steinke 2020, proposition 12)."""
    return value + math.log1p(-1 / order) - math.log(delta * order) / (order - 1)


def _least_over_orders(rho: float, delta: float) -> float:
    """The least over all orders of what they convert to: a search by golden section on a logarithmic scale."""
    low, high = math.log(_LEAST_ORDER - 1), math.log(1e3 * (1 + math.sqrt(math.log(1 / delta) / rho)))
    ratio = (math.sqrt(5) - 1) / 2

    def value(x: float) -> float:
        order = 1 + math.exp(x)
        return _converted(order, rho * order, delta)

    while high - low > 1e-6:
        left, right = high - ratio * (high - low), low + ratio * (high - low)
        low, high = (low, right) if value(left) <= value(right) else (left, high)
    return max(0.0, value(low))


def _accountant(points: list[tuple[float, float]], delta: float) -> float:
    rdp = _library()
    epsilon, _ = rdp.compute_epsilon([order for order, _ in points], [value for _, value in points], delta)
    return float(epsilon)


def _library() -> Any:
    needed = "totals and refusals go without, but an epsilon from rho or from Renyi points is computed by dp-accounting, which"
    return from_extra("ledger", "dp_accounting.rdp.rdp_privacy_accountant", needed)


def _version() -> str:
    return version("dp-accounting")


def _disagree(found: float, expected: str) -> SpecError:
    return SpecError(
        f"dp-accounting says epsilon = {found:.9g}, the formulas say {expected}: one of them is wrong, do not rely on either; "
        "please report it with the versions of both"
    )


def said(found: Statement | None) -> Mapping[str, Any] | None:
    """The statement as JSON data; an epsilon that is infinite is null."""
    if found is None:
        return None
    finite = [x if math.isfinite(x) else None for x in (found.epsilon, found.least, found.largest)]
    keys = ("epsilon", "least", "largest")
    return {
        **dict(zip(keys, finite, strict=True)),
        "delta": found.delta,
        "route": found.route,
        "covers": found.covers,
    }
