"""What one measurement is asked for, and what its noise costs: the variance as a falling function of the budget's share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import arb, ctx

from ...symbolic.domains.exact import exact
from ...symbolic.errors import SpecError, nearest_name
from ...symbolic.proof.exact_numbers import ball
from .roots import exact_root

DIGITS = 12


@dataclass(frozen=True)
class BudgetItem:
    """One measurement, called `name`, that is paid from the common budget; numbers are read exactly, 0.1 as one tenth.

    `sensitivity_squared` is the square of its l2 sensitivity in steps^2 (Gaussian noise), `sensitivity` its l1 sensitivity in steps
    (Laplace noise). `weight` says what a variance of one step^2 is worth, `max_variance` (steps^2) what it may be at most.
    SpecError for numbers that cannot be meant.

    >>> npf.BudgetItem("people", sensitivity_squared=1, max_variance="8/5").max_variance
    Fraction(8, 5)
    """

    name: str
    sensitivity_squared: Any = None
    sensitivity: Any = None
    weight: Any = 1
    max_variance: Any = None

    def __post_init__(self) -> None:
        for key in ("sensitivity_squared", "sensitivity", "weight", "max_variance"):
            value = getattr(self, key)
            if value is not None:
                object.__setattr__(self, key, exact(value, f"{self.name}: {key}"))
        for key in ("sensitivity_squared", "sensitivity", "max_variance"):
            value = getattr(self, key)
            if value is not None and value <= 0:
                raise SpecError(f"{self.name}: {key} must be above 0, got {value}")
        if self.weight is None or self.weight < 0:
            raise SpecError(f"{self.name}: weight must be at least 0, got {self.weight}")
        if self.weight == 0 and self.max_variance is None:
            raise SpecError(
                f"{self.name}: weight 0 and no max_variance: nothing is asked of it, so that no share is right; "
                "give it a weight or a target, or leave it out"
            )


@dataclass(frozen=True)
class BudgetLaw:
    """A noise whose variance is factor * sensitivity / share^power, with the l2 sensitivity squared or the l1 sensitivity squared."""

    noise: str
    share: str
    power: int
    factor: Fraction

    def squared(self, item: BudgetItem) -> Fraction:
        """The square of the sensitivity that this noise pays for; SpecError if the item does not give it."""
        value = item.sensitivity_squared if self.noise == "gaussian" else item.sensitivity
        if value is None:
            key = "sensitivity_squared" if self.noise == "gaussian" else "sensitivity"
            raise SpecError(f"{item.name}: {self.noise} noise needs {key}=, which is not given")
        return Fraction(value if self.noise == "gaussian" else value**2)

    def cost(self, item: BudgetItem) -> Fraction:
        """weight * variance at share 1."""
        return Fraction(item.weight) * self.factor * self.squared(item)

    def variance(self, item: BudgetItem, share: Fraction) -> Fraction:
        """The variance (steps^2) of the noise that this share pays for; on the grid the true one is not above it."""
        return self.factor * self.squared(item) / share**self.power

    def parameter(self, item: BudgetItem, share: Fraction) -> Fraction:
        """What the law is made from: the variance parameter of the Gaussian, the scale of the Laplace law, in steps."""
        return self.variance(item, share) if self.noise == "gaussian" else Fraction(item.sensitivity) / share

    def least_share(self, item: BudgetItem) -> Fraction:
        """The least share that keeps the target, 0 without one; where it is irrational, the next number of 12 digits above it."""
        if item.max_variance is None:
            return Fraction(0)
        value = self.factor * self.squared(item) / Fraction(item.max_variance)
        if self.power == 1:
            return value
        root = exact_root(value, 2)
        if root is not None:
            return root
        near = cut(lambda bits: _square_root(value, bits))
        return near + Fraction(10) ** (exponent_of(near) - DIGITS + 1)


GAUSSIAN = BudgetLaw("gaussian", "rho", 1, Fraction(1, 2))
LAPLACE = BudgetLaw("laplace", "epsilon", 2, Fraction(2))


def budget_law(noise: str) -> BudgetLaw:
    """The law of this name; SpecError for any other."""
    for law in (GAUSSIAN, LAPLACE):
        if noise == law.noise:
            return law
    raise SpecError(f"noise: {nearest_name(str(noise), ['gaussian', 'laplace'])}")


def exponent_of(value: Fraction) -> int:
    """The k with 10^k <= value < 10^(k + 1), for value > 0."""
    k = len(str(value.numerator)) - len(str(value.denominator))
    return k if value >= Fraction(10) ** k else k - 1


def cut_fraction(value: Fraction, digits: int = DIGITS) -> Fraction:
    """The greatest number of so many digits that is not above a positive rational one."""
    unit = Fraction(10) ** (exponent_of(value) - digits + 1)
    return value // unit * unit


def cut(ball_at: Callable[[int], arb], digits: int = DIGITS) -> Fraction:
    """The greatest number of so many digits under an irrational positive number, given by balls of any precision."""
    bits = 160
    while True:
        with ctx.workprec(bits):
            value = ball_at(bits)
            mantissa, power = value.lower().man_exp()
            near = Fraction(int(mantissa)) * Fraction(2) ** int(power)
            unit = Fraction(10) ** (exponent_of(near) - digits + 1) if near > 0 else Fraction(1)
            scaled = (value / ball(unit)).floor().unique_fmpz()
        if near > 0 and scaled is not None:
            return int(scaled) * unit
        bits *= 2


def _square_root(value: Fraction, bits: int) -> arb:
    with ctx.workprec(bits):
        return ball(value).sqrt()


class InfeasibleBudgetError(SpecError):
    """The targets ask for more than the total: says the smallest total that would do, and which targets are to blame.

    `smallest_total` does if `strict` is false; else any total above it.  `least_shares` is what each target asks for, `largest` the
    one that asks most, `blamed` those of which each alone, taken back, would let the others fit; empty if no single one would.
    """

    def __init__(
        self, share: str, total: Fraction, smallest: Fraction, least: dict[str, Fraction], *, strict: bool
    ) -> None:
        self.total, self.smallest_total, self.least_shares, self.strict = total, smallest, least, strict
        self.largest = max(least, key=lambda name: least[name])
        self.blamed = tuple(n for n, m in least.items() if smallest - m < total)
        super().__init__(self._message(share))

    def _message(self, share: str) -> str:
        asked = ", ".join(
            f"{n} {shown(m)}" for n, m in sorted(self.least_shares.items(), key=lambda p: -p[1])
        )
        need = "more than " if self.strict else "at least "
        without = (
            f"without the target of {' or of '.join(self.blamed)} the rest would fit"
            if self.blamed
            else "no single target is to blame: more than one must be loosened"
        )
        return (
            f"the targets need {need}{share} = {shown(self.smallest_total)} and the total is {shown(self.total)}; least shares: {asked}; "
            f"{self.largest} asks most; {without}: raise the total or allow more variance"
        )


def shown(value: Fraction) -> str:
    """A number for a page: exact where it is short, else ten digits of it."""
    text = str(value)
    return text if len(text) <= 12 else f"{float(value):.10g}"
