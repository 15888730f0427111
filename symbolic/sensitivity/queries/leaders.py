"""The categories that are counted most: which they are, the place of the first, and their counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any, Literal

import sympy as sp

from ...domains.discrete import Categorical
from ...domains.domain import Domain
from ...errors import SpecError
from ...proof.as_written import difference
from ...proof.derivation import Step, evaluated
from ..answer import Dataset, Sensitivity
from ..changes import Change
from ..pairs import Found, answered, written_length
from ..query import Query

Output = Literal["indicator", "index", "counts"]
SWAPS = (
    "a category that enters and one that leaves change order, so one of each such pair of the two gained or lost a record: if "
    "one that enters gained none, all that leave lost some; so no more than k enter when k records change"
)
SORTED = "to sort two vectors moves them no further apart in any of these norms; k records that move change k counts by one up and k by one down"
PLACES = "a place is a number from 0 to the number of categories less one"


@dataclass(frozen=True)
class TopCategories(Query):
    """The `most` categories with the largest counts, of equal ones those declared first: as indicators, index, or counts."""

    categories: tuple[Any, ...]
    most: int
    output: Output = "indicator"

    def describe(self) -> str:
        return f"top {self.most} of {len(self.categories)} categories ({self.output})"

    def __call__(self, dataset: Dataset) -> tuple[sp.Expr, ...]:
        keys = [(type(r).__name__, r) for r in dataset]
        counts = [keys.count((type(c).__name__, c)) for c in self.categories]
        chosen = sorted(range(len(counts)), key=lambda i: (-counts[i], i))[: self.most]
        if self.output == "index":
            return (sp.Integer(chosen[0]),)
        if self.output == "counts":
            return tuple(sp.Integer(counts[i]) for i in chosen)
        return tuple(sp.Integer(int(i in chosen)) for i in range(len(counts)))

    def moved(self, domain: Domain, norm: str, change: Change, n: int | None, effort: float) -> Sensitivity:
        """Over data sets of every size if `n` is None, else of `n` records (the smaller data set)."""
        if not isinstance(domain, Categorical) or {*map(str, domain.values)} != {*map(str, self.categories)}:
            raise SpecError(
                f"{self.describe()}: expected a Categorical of these categories, got {domain.describe()}"
            )
        upper, step, lemma = self._bound(change, norm)
        pairs = [pair for k in range(change.most, 0, -1) for pair in self._pairs(k, change, n)]
        return answered(
            self,
            domain,
            norm,
            change,
            Found(upper, "categories that change order", (step,), (lemma,), tuple(pairs)),
        )

    def _bound(self, change: Change, norm: str) -> tuple[sp.Expr, Step, str]:
        if self.output == "index":
            places = [sp.Integer(i) for i in range(len(self.categories))]
            last = sp.Integer(len(self.categories) - 1)
            moved = written_length(difference(places[-1], places[0]), norm)
            return last, Step(moved, "=", last, "first to last", evaluated), PLACES
        k = change.most
        if self.output == "counts":
            sides = 1 if change.kind == "resize" or self.most == 1 else 2
            upper = {"l1": sp.Integer(sides * k), "l2": k * sp.sqrt(sides), "max": sp.Integer(k)}[norm]
            moved = written_length((k, -k)[:sides], norm)
            return upper, Step(moved, "=", upper, f"{sides} count(s) that move by {k}", evaluated), SORTED
        swaps = min(k, self.most, len(self.categories) - self.most)
        upper = {"l1": sp.Integer(2 * swaps), "l2": sp.sqrt(2 * swaps), "max": sp.Integer(min(swaps, 1))}[
            norm
        ]
        moved = written_length((0, *(1,) * swaps, *(-1,) * swaps), norm)
        return upper, Step(moved, "=", upper, f"{swaps} enter, {swaps} leave", evaluated), SWAPS

    def _pairs(self, k: int, change: Change, n: int | None) -> list[tuple[Dataset, Dataset]]:
        """Pairs of any size if n is None, of n records (of the smaller side) else."""
        found = [self._swapped(k, change), self._gathered(k, change), self._first_to_last(change)]
        pairs = [pair for pair in found if pair is not None]
        if n is None:
            return pairs
        return [_padded(pair, fill) for pair in pairs for fill in self._fillings(n - len(pair[0]))]

    def _fillings(self, missing: int) -> list[Dataset]:
        """Records that may stand beside a pair without hiding it: spread over the categories, or all in one."""
        if missing < 0:
            return []
        around = tuple(self.categories[i % len(self.categories)] for i in range(missing))
        two = (self.categories[0], self.categories[-1])
        return [around, tuple(two[i % 2] for i in range(missing)), *((c,) * missing for c in self.categories)]

    def _swapped(self, k: int, change: Change) -> tuple[Dataset, Dataset] | None:
        """The first ones lead; k of them lose their record to others, or the others gain one."""
        swaps = min(k, self.most, len(self.categories) - self.most)
        top, entering = self.categories[: self.most], self.categories[self.most : self.most + swaps]
        if change.kind == "replace" or not swaps:
            return (top, (*entering, *top[swaps:])) if swaps else None
        return (*top, *entering), (*top, *entering, *entering)

    def _gathered(self, k: int, change: Change) -> tuple[Dataset, Dataset]:
        first, second = self.categories[:2]
        if change.kind == "resize":
            return (first,), (first,) * (k + 1)
        return (first,) * 2 * k + (second,) * 2 * k, (first,) * 3 * k + (second,) * k

    def _first_to_last(self, change: Change) -> tuple[Dataset, Dataset]:
        first, last = self.categories[0], self.categories[-1]
        return ((first,), (last,)) if change.kind == "replace" else ((first, last), (first, last, last))


def _padded(pair: tuple[Dataset, Dataset], fill: Dataset) -> tuple[Dataset, Dataset]:
    return (*fill, *pair[0]), (*fill, *pair[1])


def top_k(categories: Sequence[Any], most: int, *, output: Output = "indicator") -> TopCategories:
    """The query: the `most` most frequent categories, of equal counts those declared first.

    `categories` are texts, two at least; `output` is the vector of "indicator"s, one a category, or the `most` largest "counts"
    themselves, largest first. SpecError for anything else.

    >>> top = npf.queries.top_k(["a", "b", "c"], 2, output="counts")
    >>> npf.sensitivity(top, npf.Categorical(["a", "b", "c"]), norm="l1", adjacency="add-or-remove", n=5).exact
    1
    """
    if isinstance(categories, str) or len(set(map(str, categories))) < max(2, len(categories)):
        raise SpecError(f"top_k: expected different categories, two at least, got {categories!r}")
    if isinstance(most, bool) or not isinstance(most, Integral) or not 1 <= most <= len(categories):
        raise SpecError(f"top_k: expected a number from 1 to {len(categories)}, got {most!r}")
    if output not in ("indicator", "counts") and not (output == "index" and most == 1):
        raise SpecError(f'top_k: expected output = "indicator" or "counts", got {output!r}')
    return TopCategories(tuple(categories), most, output)


def argmax(categories: Sequence[Any], *, output: Output = "indicator") -> TopCategories:
    """The query: the most frequent category, of equal counts the one declared first.

    `categories` are texts, two at least; `output` is an "indicator" vector (k,), or the "index" from 0. SpecError for anything else.

    >>> npf.sensitivity(npf.queries.argmax(["a", "b", "c"]), npf.Categorical(["a", "b", "c"]), norm="l1", n=5).exact
    2
    """
    return top_k(categories, 1, output=output)
