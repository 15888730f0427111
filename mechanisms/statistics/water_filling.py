"""The optimal shares in closed form: each free item gets what its root asks for at a common price, the others their least share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import sympy as sp
from flint import arb, ctx

from ...symbolic.proof.enclosure import rational
from ...symbolic.proof.exact_numbers import ball
from .budget_item import cut, cut_fraction
from .roots import Roots, exact_root

_LONG = 10**18


@dataclass(frozen=True)
class Filling:
    """The minimiser of sum costs / shares^power with shares >= least that add up to the total.

    A free item has the share rest * root / sum of roots, where root^(power + 1) is its cost; `bound` ones have their least share.
    Without any cost all have their least share, and the rest is left.
    """

    power: int
    costs: tuple[Fraction, ...]
    least: tuple[Fraction, ...]
    total: Fraction
    bound: tuple[bool, ...]

    @cached_property
    def rest(self) -> Fraction:
        """What the bound ones leave."""
        return self.total - sum((m for m, b in zip(self.least, self.bound, strict=True) if b), Fraction(0))

    def root(self, i: int) -> Roots:
        """The root of the cost of a budget item."""
        return Roots.of(self.power + 1, [(Fraction(1), self.costs[i])] if self.costs[i] > 0 else [])

    @cached_property
    def roots(self) -> Roots:
        """The sum of the roots of the free ones."""
        pairs = [(Fraction(1), a) for a, b in zip(self.costs, self.bound, strict=True) if not b]
        return Roots.of(self.power + 1, pairs)

    def slack(self, i: int) -> Roots:
        """rest * root - least * sum of roots: at least zero where the share at the price is not below the least one."""
        return self.root(i).times(self.rest).plus(self.roots, -self.least[i])

    def share(self, i: int) -> sp.Expr:
        """The share, exactly."""
        if self.bound[i]:
            return rational(self.least[i])
        near = self.rational_share(i)
        if near is not None:
            return rational(near)
        return rational(self.rest) * self.root(i).expression / self.roots.expression

    def near_share(self, i: int) -> float:
        """The share in floating point."""
        return float(self.least[i]) if self.bound[i] else float(self._near(i, 160))

    @property
    def price(self) -> float:
        """What a little more of the total gains, per unit, in floating point; 0 where nothing has a cost."""
        if all(self.bound):
            return 0.0
        with ctx.workprec(160):
            return self.power * float((self.roots.ball() / ball(self.rest)) ** (self.power + 1))

    def target_multiplier(self, i: int) -> float:
        """What a little less than the least share would gain elsewhere, per unit, in floating point; 0 where it does not bind."""
        if not self.bound[i]:
            return 0.0
        gain = self.power * self.costs[i] / self.least[i] ** (self.power + 1)
        return max(0.0, self.price - float(gain))

    @property
    def value(self) -> float:
        """The least objective in floating point."""
        return sum(float(a) / self.near_share(i) ** self.power for i, a in enumerate(self.costs) if a > 0)

    def rational_share(self, i: int) -> Fraction | None:
        """The share if it is rational: bound, or all roots have rational ratios."""
        if self.bound[i]:
            return self.least[i]
        everything = self.roots.terms
        if len(everything) > 1:
            return None
        coefficient, radicand = everything[0]
        ratio = exact_root(self.costs[i] / radicand, self.power + 1)
        return None if ratio is None else self.rest * ratio / coefficient

    def rounded(self, i: int) -> Fraction:
        """The share as it is spent: exact where that takes at most 18 digits, else cut to 12 digits, never under the least one."""
        exact = self.rational_share(i)
        if exact is None:
            return max(self.least[i], cut(lambda bits: self._near(i, bits)))
        long = max(exact.numerator, exact.denominator) >= _LONG
        return max(self.least[i], cut_fraction(exact)) if long and not self.bound[i] else exact

    def _near(self, i: int, bits: int) -> arb:
        with ctx.workprec(bits):
            return self.root(i).times(self.rest).ball(bits) / self.roots.ball(bits)


def fill(power: int, costs: Sequence[Fraction], least: Sequence[Fraction], total: Fraction) -> Filling:
    """The optimum by its active set: who asks less than the least share at the price is bound, and the price rises, until none does."""
    bound = tuple(a == 0 for a in costs)
    while True:
        found = Filling(power, tuple(costs), tuple(least), total, bound)
        low = [not b and found.slack(i).sign() < 0 for i, b in enumerate(bound)]
        if not any(low):
            return found
        bound = tuple(b or n for b, n in zip(bound, low, strict=True))
