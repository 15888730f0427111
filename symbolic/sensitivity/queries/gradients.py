"""Sums and means of gradients that are clipped to a Euclidean length, one a record."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sympy as sp

from ...domains.domain import Domain
from ...errors import SpecError
from ...proof.as_written import product
from ...proof.derivation import Step
from ...proof.enclosure import NotEnclosableError, compare, rational
from ...proof.truth import Truth
from ..answer import Dataset, Sensitivity
from ..changes import Change
from ..pairs import Found, answered, entries, length
from ..records import intervals, record_of
from .counts import candidates, named_numbers
from .sums import COPIES, Farthest, SumQuery, larger

CLIPPED = (
    "a clipped gradient has a Euclidean length of at most C: two are at most 2 C apart in the l2 and the max norm, and at most "
    "2 C sqrt(p) in the l1 norm, p the number of parameters"
)
_TRIED = 40


@dataclass(frozen=True)
class ClippedGradient(SumQuery):
    """sum (or mean) over the records of g min(1, C/|g|), g the gradient of the loss at fixed parameters."""

    gradient: tuple[sp.Expr, ...]
    records: tuple[sp.Symbol, ...]
    clip: sp.Rational
    mean: bool

    def describe(self) -> str:
        return f"{'mean' if self.mean else 'sum'} of gradients clipped to {self.clip}"

    def score(self, record: Any) -> sp.Matrix:
        at = named_numbers(record, self.records)
        values = sp.Matrix([g.subs(at).doit() for g in self.gradient])
        if values.has(sp.nan, sp.zoo, sp.oo) or values.free_symbols:
            raise SpecError(f"clipped_gradient: the loss has no gradient at the record {record}")
        size = length(values, "l2")
        return values if compare(size, "<=", self.clip) is Truth.HOLDS else values * self.clip / size

    def __call__(self, dataset: Dataset) -> sp.Expr | sp.Matrix | tuple[sp.Expr, ...]:
        total = entries(super().__call__(dataset))
        return total / len(dataset) if self.mean else total

    def farthest(self, domain: Domain, norm: str, effort: float) -> Farthest:
        if len(intervals(domain)) != len(self.records):
            raise SpecError(
                f"clipped_gradient: records have {len(intervals(domain))} numbers, records= names {len(self.records)}"
            )
        scored = self._scored(domain)
        if not scored:
            raise SpecError(
                "clipped_gradient: no record of the domain was found at which the loss has a gradient"
            )
        factor = sp.sqrt(len(self.gradient)) if norm == "l1" else sp.Integer(1)
        alone, apart = factor * self.clip, 2 * factor * self.clip
        numeric = [(r, s, [float(x) for x in s.evalf(20)]) for r, s in scored]
        far = max(((a, b) for a in numeric for b in numeric), key=lambda p: _apart(p[0][2], p[1][2], norm))
        single = max(numeric, key=lambda s: _apart(s[2], [0.0] * len(s[2]), norm))
        step = Step(apart, "=", product(2, alone), "two lengths")
        return Farthest(apart, alone, ((far[0][0], far[1][0]),), (single[0],), (step,), (CLIPPED,))

    def _scored(self, domain: Domain) -> list[tuple[Any, sp.Matrix]]:
        """Clipped gradients at corners, axes, and other records."""
        bounds = intervals(domain)
        axes = [
            record_of(domain, tuple(end if i == j else _middle(pair) for j, pair in enumerate(bounds)))
            for i in range(len(bounds))
            for end in bounds[i]
        ]
        found: list[tuple[Any, sp.Matrix]] = []
        for record in [
            *axes,
            *(r for (r, _), _k in zip(candidates(domain, None), range(_TRIED), strict=False)),
        ]:
            try:
                found.append((record, self.score(record)))
            except (SpecError, NotEnclosableError):
                continue
        return found

    def moved(self, domain: Domain, norm: str, change: Change, n: int | None, effort: float) -> Sensitivity:
        """The mean needs `n`, the number of records, which neighbours share (replace-one)."""
        if not self.mean:
            return super().moved(domain, norm, change, n, effort)
        if n is None or n < change.most:
            raise SpecError(f"{self.describe()}: give n=, the number of records")
        found = self.farthest(domain, norm, effort)
        if change.kind == "both":
            raise SpecError(
                f"{self.describe()}: the records of a person are only added or removed here, change='remove'"
            )
        if change.kind == "replace":
            upper = change.most * found.apart / n
        else:
            # The mean moves towards the new records: k/(n+k) of the distance of two means, each as long as one record.
            upper = change.most * larger(found.apart, found.alone) / (n + change.most)
        pairs = tuple(
            ((u,) * n, (*(u,) * (n - change.most), *(v,) * change.most))
            if change.kind == "replace"
            else ((u,) * n, (*(u,) * n, *(v,) * change.most))
            for u, v in found.pairs
        )
        return answered(
            self,
            domain,
            norm,
            change,
            Found(
                upper, "scores of single records", found.steps, (COPIES, *found.lemmas), pairs, found.reason
            ),
        )


def _middle(pair: tuple[sp.Rational, sp.Rational]) -> sp.Rational:
    return sp.Integer(0) if pair[0] <= 0 <= pair[1] else (pair[0] + pair[1]) / 2


def _apart(one: list[float], two: list[float], norm: str) -> float:
    gaps = [abs(a - b) for a, b in zip(one, two, strict=True)]
    if norm == "l2":
        return math.hypot(*gaps)
    return sum(gaps) if norm == "l1" else max(gaps)


def clipped_gradient(
    loss: sp.Expr, at: Mapping[sp.Symbol, Any], records: Sequence[sp.Symbol], clip: Any, *, mean: bool = False
) -> ClippedGradient:
    """The query: the sum (the mean, if `mean`) over records of the gradient of `loss`, each clipped to the Euclidean length `clip`.

    `at` gives the parameters by symbol and value, `records` names the numbers of a record in their order; answers are (p,). SpecError
    for anything else. Source: Abadi et al. 2016.

    >>> x, y, w = sp.symbols("x y w", real=True)
    >>> gradient = npf.queries.clipped_gradient((w * x - y) ** 2, {w: 1}, [x, y], clip=2)
    >>> npf.sensitivity(gradient, npf.Box(-1, 1, dimension=2), norm="l2", adjacency="add-or-remove", n=9).exact
    2
    """
    if not isinstance(loss, sp.Expr) or not at or not loss.free_symbols <= {*at, *records}:
        raise SpecError(f"clipped_gradient: expected a loss in the symbols of at= and records=, got {loss!r}")
    if not rational(clip) > 0:
        raise SpecError(f"clipped_gradient: expected a length > 0 to clip to, got {clip!r}")
    values = {symbol: rational(value) for symbol, value in at.items()}
    gradient = tuple(sp.diff(loss, symbol).subs(values) for symbol in at)
    return ClippedGradient(gradient, tuple(records), rational(clip), mean)
