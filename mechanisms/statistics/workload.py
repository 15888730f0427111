"""All statistics of one release: parts that several of them need are drawn once, the budget is split between the parts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from ...symbolic.errors import SpecError
from ..grid_noise import Bits
from .amounts import One, Steps
from .budget import BudgetItem, Split, split_budget
from .chosen_ends import ChosenEnds, ClippedSums
from .chosen_quantiles import ChosenQuantiles
from .figures import Figure
from .measurement import MOST_CELLS, Measurement, Unit
from .parts import GAUSSIAN, Drawer, Noisy, NoisySums, Part
from .rows import Rows
from .statistic import Drawn, Statistic
from .summing import AllTotals, sums


@dataclass(frozen=True)
class Workload:
    """`budget` is the rho ("gaussian") or the epsilon ("laplace") of one unit of privacy for all statistics together."""

    statistics: tuple[Statistic, ...]
    unit: Unit
    noise: str
    budget: Fraction

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """What is drawn, each part once: first the ends that others are clipped to."""
        found = dict.fromkeys(part for s in self.statistics for part in s.parts)
        return tuple(sorted(found, key=lambda part: not isinstance(part, ChosenEnds)))

    @property
    def first(self) -> tuple[ChosenEnds, ...]:
        """The parts that are drawn before the others, for stated shares of the budget."""
        return tuple(part for part in self.parts if isinstance(part, ChosenEnds))

    @property
    def rest(self) -> Fraction:
        """What the first draws leave of the budget: costs of draws add up, whatever later ones do with earlier ones."""
        return self.budget * (1 - sum((part.share for part in self.first), Fraction(0)))

    @cached_property
    def measurements(self) -> tuple[Measurement, ...]:
        """What is summed over the records, each once; SpecError for more cells than fit."""
        found = tuple(dict.fromkeys(part.measurement for part in self.parts))
        cells = sum(m.cells * len(m.amounts) for m in found)
        if cells > MOST_CELLS:
            raise SpecError(
                f"the statistics have {cells:,} cells, expected at most {MOST_CELLS:,}: group by fewer columns, or take wider groups"
            )
        return found

    @cached_property
    def items(self) -> tuple[BudgetItem, ...]:
        """What each part is worth: the errors of the statistics that need it, each measured by the least it could have alone."""
        return tuple(self._item(part) for part in self.parts[len(self.first) :])

    def _item(self, part: Part) -> BudgetItem:
        demand, weight, most = part.demand(self.unit, self.noise), Fraction(0), None
        for statistic in self.statistics:
            factor = dict(statistic.terms).get(part)
            if factor is None:
                continue
            weight += statistic.weight * factor / self._alone(statistic)
            allowed = statistic.max_variance(part, self.noise)
            if allowed is not None:
                most = allowed if most is None else min(most, allowed)
        # Nine digits: weights are read on a page, and only their ratios matter.
        weight, name = Fraction(f"{float(weight):.9e}"), self.name_of(part)
        if self.noise == GAUSSIAN:
            return BudgetItem(name, sensitivity_squared=demand, weight=weight, max_variance=most)
        return BudgetItem(name, sensitivity=demand, weight=weight, max_variance=most)

    def _alone(self, statistic: Statistic) -> Fraction:
        """About the squared error of a statistic that had a budget of 1 for itself: only ratios of it matter."""
        terms = [(float(f), float(p.demand(self.unit, self.noise))) for p, f in statistic.terms]
        if self.noise == GAUSSIAN:
            best = sum((f * d) ** 0.5 for f, d in terms) ** 2
        else:
            best = sum((f * d * d) ** (1 / 3) for f, d in terms) ** 3
        return Fraction(f"{best:.12e}")

    def name_of(self, part: Part) -> str:
        """The statistics that need it, and what it is of them; no two parts have one name."""
        return self._names[part]

    @cached_property
    def _names(self) -> Mapping[Part, str]:
        found: dict[str, Part] = {}
        for part in self.parts:
            users = [s for s in self.statistics if part in s.parts]
            what = "" if len(users[0].parts) == 1 else f", {users[0].called(part) or _what(part)}"
            name = f"{' and '.join(s.name for s in users)}{what}"
            while name in found:
                name += " (another)"
            found[name] = part
        return {part: name for name, part in found.items()}

    @cached_property
    def split(self) -> Split:
        """The shares of what first draws leave, optimal and certified; InfeasibleBudgetError where targets ask for more."""
        return split_budget(self.items, self.rest, self.noise)

    @cached_property
    def drawers(self) -> Mapping[Part, Drawer]:
        """The law of every part."""
        stated = [self.budget * part.share for part in self.first]
        shares = zip(self.parts, (*stated, *self.split.shares), strict=True)
        return {part: part.drawer(share, self.unit, self.noise) for part, share in shares}

    @property
    def cost(self) -> Fraction:
        """What all draws cost one unit, exact: costs of the parts add up."""
        return sum((d.cost for d in self.drawers.values()), Fraction(0))

    def totals(self, batches: Iterable[Rows], progress: Callable[[int], None] | None = None) -> AllTotals:
        """The exact sums over all records; SpecError for more records than 64-bit sums hold."""
        return sums(self.measurements, batches, progress)

    def draw(self, totals: AllTotals, bits: Bits) -> Drawn:
        """Every part with noise of its own: all that is known of the table from here on."""
        drawn: dict[Part, tuple[Drawer, Noisy]] = {}
        for part, drawer in self.drawers.items():
            drawn[part] = drawer, drawer.at(drawn).draw(totals[part.measurement], bits)
        return drawn

    def figures(self, drawn: Drawn) -> Iterator[tuple[Statistic, Figure]]:
        """The published numbers, from the noisy parts alone."""
        for statistic in self.statistics:
            yield from ((statistic, figure) for figure in statistic.figures(drawn))

    @property
    def rows(self) -> int:
        """How many numbers are published."""
        return sum(s.rows for s in self.statistics)

    @property
    def sums(self) -> tuple[NoisySums, ...]:
        """The parts whose totals get noise."""
        return tuple(p for p in self.parts if isinstance(p, NoisySums))


def _what(part: Part) -> str:
    """What a part is of a statistic that has several."""
    if isinstance(part, ChosenQuantiles):
        return f"quantiles {', '.join(f'{a / part.levels.denominator:g}' for a in part.levels.places)}"
    amounts = part.measurement.amounts
    if isinstance(part, ClippedSums):
        return "clipped sum"
    if len(amounts) > 1:
        return "sums and products"
    return "count" if isinstance(amounts[0], One) else "sum" if isinstance(amounts[0], Steps) else "squares"
