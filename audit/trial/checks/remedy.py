"""What would make a refuted guarantee true: more noise, less sensitivity, or a weaker claim, each proved before it is said."""

from __future__ import annotations

from collections.abc import Callable
from math import floor, log10

from ....mechanisms.mechanism import Subject, WorstCase
from ....symbolic.privacy.guarantees import Guarantee
from ....symbolic.privacy.pair import BoundedByEach, Pair
from ....symbolic.proof.truth import Truth

_MOST = 2.0**20


def bounds(worst: WorstCase) -> tuple[Pair, ...]:
    """The pairs each of which bounds those of all neighbours."""
    dominating = worst.dominating or worst.pair
    return dominating.pairs if isinstance(dominating, BoundedByEach) else (dominating,)


def remedy(subject: Subject, guarantee: Guarantee) -> str:
    """The ways in which the guarantee would be proved, in words; "" if none is known."""

    def proved(on: Subject, said: Guarantee) -> bool:
        worst = on.worst_case()
        return worst is not None and any(said.holds(pair) is Truth.HOLDS for pair in bounds(worst))

    ways = []
    weaker = _least(lambda c: proved(subject, guarantee.tightened(1 / c)))
    if weaker is not None:
        ways.append(f"as it is, {guarantee.tightened(1 / weaker).sentence()}")
    more = _least(lambda c: proved(subject.with_noise_divided_by(1 / c), guarantee))
    if more is not None:
        now, then = subject.parameters(), subject.with_noise_divided_by(1 / more).parameters()
        changed = [f"{k} = {v:.6g}" for k, v in then.items() if isinstance(v, float) and v != now[k]]
        ways.append(f"with {more:g} times the noise, {', '.join(changed)}".rstrip(", "))
        if isinstance(sensitivity := now.get("sensitivity"), float):
            ways.append(
                f"with this noise, for a sensitivity of {_rounded_down(sensitivity / more):g} at most"
            )
    return f"; true would be: {'; or '.join(ways)}" if ways else ""


def _rounded_down(value: float) -> float:
    step = 10.0 ** (floor(log10(value)) - 3)
    return floor(value / step * (1 + 1e-12)) * step


def _least(enough: Callable[[float], bool]) -> float | None:
    """The least factor above 1 that is enough, to four digits and on the safe side; None if none is."""
    low, high = 1.0, 2.0
    try:
        while not enough(high):
            low, high = high, high * high
            if high > _MOST:
                return None
        while high > 1.00002 * low:
            middle = (low * high) ** 0.5
            low, high = (low, middle) if enough(middle) else (middle, high)
        step = 10.0 ** (floor(log10(high)) - 3)
        near = round(high / step) * step
        return next(c for c in (float(f"{near:.6g}"), float(f"{near + step:.6g}")) if enough(c))
    except (TypeError, ValueError, ArithmeticError):  # a guarantee or a mechanism that cannot be scaled
        return None
