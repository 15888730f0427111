"""The second column of a ledger: Fisher information, which adds up, and the error that is left to an adversary."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from .amounts import amount, decimal
from .book import Book


@dataclass(frozen=True)
class ColumnTotal:
    """The information that all counted releases together hold about one column of one unit of privacy.

    `total` and `limit` in `unit`^-2 (`limit` None: not limited).  `unstated`: entries that say nothing about this
    column; while there are some, `total` is not an upper bound and no error bound follows.
    """

    about: str
    unit: str
    total: Fraction
    limit: float | None
    unstated: tuple[int, ...]

    @property
    def error_bound(self) -> float | None:
        """1 / total, in `unit`^2: what every unbiased estimator is off by in mean square; None if nothing follows."""
        return None if self.unstated or not self.total else float(1 / self.total)

    def error_bound_on(self, width: float) -> float | None:
        """1 / (total + 4 pi^2 / width^2): for every estimator, unbiased or not, on an interval of this width (in `unit`).

        The mean square error averaged over the cosine-squared prior on the interval, hence the worst one on it (van
        Trees; the prior's own information is 4 pi^2 / width^2).
        """
        width = amount("the width of the interval", width)
        return None if self.unstated or not width else 1 / (float(self.total) + 4 * math.pi**2 / width**2)


def information_totals(book: Book) -> tuple[ColumnTotal, ...]:
    """The sum for each column that the budget or an entry speaks of; columns in two units come apart."""
    counted = [entry for entry in book.entries.values() if entry.state != "withdrawn"]
    limits = {(i.about, i.unit): i.value for i in book.budget.fisher_information}
    sums: dict[tuple[str, str], Fraction] = {key: Fraction(0) for key in limits}
    said: dict[tuple[str, str], set[int]] = {}
    for entry in counted:
        for i in entry.cost.fisher_information:
            key = (i.about, i.unit)
            sums[key] = sums.get(key, Fraction(0)) + decimal(i.value)
            said.setdefault(key, set()).add(entry.number)
    return tuple(
        ColumnTotal(
            *key,
            sums[key],
            limits.get(key),
            tuple(e.number for e in counted if e.number not in said.get(key, ())),
        )
        for key in sorted(sums)
    )
