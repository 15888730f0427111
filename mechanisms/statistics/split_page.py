"""A split budget: shares, multipliers, certificate, and the page on which it is justified."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from ...symbolic.programs.certificate import PointCertificate
from ...symbolic.programs.program import Program
from .budget_item import BudgetItem, BudgetLaw, budget_law, shown
from .water_filling import Filling


@dataclass(frozen=True)
class Split:
    """Who gets which share of the total, and why: shares are exact, add up to at most the total and keep each target.

    `multipliers` says for each item what a larger least share would cost (weighted variance per unit of share; 0 where no target
    binds), `price` what a little more of the total would gain.  `excess` bounds what rounding the shares cost, as a part of the optimum.
    """

    items: tuple[BudgetItem, ...]
    total: Fraction
    noise: str
    shares: tuple[Fraction, ...]
    price: float
    multipliers: dict[str, float]
    excess: float
    program: Program = field(repr=False)
    certificate: PointCertificate = field(repr=False)
    filling: Filling = field(repr=False)
    sentences: tuple[str, ...] = field(repr=False)

    @property
    def law(self) -> BudgetLaw:
        """How variance falls with the share."""
        return budget_law(self.noise)

    @property
    def variances(self) -> tuple[Fraction, ...]:
        """The variance of each measurement's noise (steps^2), exactly; on the grid the true one is not above it."""
        return tuple(self.law.variance(w, s) for w, s in zip(self.items, self.shares, strict=True))

    @property
    def parameters(self) -> tuple[Fraction, ...]:
        """What each law is made from: the variance of the Gaussian, or the scale of the Laplace law, in steps."""
        return tuple(self.law.parameter(w, s) for w, s in zip(self.items, self.shares, strict=True))

    @property
    def value(self) -> Fraction:
        """The weighted sum of the variances at the shares that are spent."""
        return sum((w.weight * v for w, v in zip(self.items, self.variances, strict=True)), Fraction(0))

    def lines(self) -> list[str]:
        """The page of the split: program, conditions of Karush, Kuhn and Tucker, the point with its multipliers, sentences, verdict."""
        return _page(self)


def _page(split: Split) -> list[str]:
    """The lines of the page on which the split is justified."""
    law, program = split.law, split.program
    names = [f"  {v}: {w.name}" for v, w in zip(program.variables, split.items, strict=True)]
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
        _rounding(split),
    ]


def _table(split: Split) -> Iterator[str]:
    law = split.law
    for i, (item, share, variance) in enumerate(zip(split.items, split.shares, split.variances, strict=True)):
        text = f"  {item.name}: share {shown(share)} ({100 * float(share / split.total):.3g} %), "
        text += f"standard deviation {float(variance) ** 0.5:.4g} steps, weight {shown(item.weight)}"
        if item.max_variance is not None:
            least = law.least_share(item)
            state = "binds" if split.filling.bound[i] else "does not bind"
            text += f", target variance {shown(item.max_variance)} (least share {shown(least)}, {state}, "
            text += f"multiplier {split.multipliers[item.name]:.4g})"
        yield text


def _rounding(split: Split) -> str:
    if split.excess == 0:
        return "the shares that are spent are those of the minimiser, exactly"
    return f"the shares that are spent are cut to 12 digits: the weighted variance is at most {split.excess:.1e} of the optimum above it"
