"""The answer to a question for a sensitivity: two ends, a pair of neighbours that reaches the lower one, and why."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from numbers import Real
from typing import Any, TypeAlias

import sympy as sp
from flint import arb

from ..proof.derivation import Derivation
from ..proof.enclosure import enclose, rational
from .enclosure import ends

# Records are rational numbers, tuples of them, or categories; a data set is a tuple of records.
Dataset: TypeAlias = tuple[Any, ...]


@dataclass(frozen=True)
class Sensitivity:
    """A sensitivity, enclosed: lower <= sup ||f(D) - f(D')|| <= upper over neighbouring data sets D, D'.

    `lower` is a ball around the distance of the pair `attained_at` (None where there is no pair); `upper` is a ball whose
    upper end is never below the supremum (None where no bound was proved). `exact` is the supremum where it was proved in
    closed form; with `exact` and no pair the supremum is approached and not known to be reached. `infinite` says that the
    supremum was proved to be infinite, along the `ray`: a pair of data sets with one symbol that grows. `reason` says in
    words what is open, and is empty where nothing is. `derivation.check()` checks each step again. Units: those of the answer.

    >>> x = sp.Symbol("x")
    >>> found = npf.sensitivity(x**2, npf.Box(0, 3), records=[x], norm="l1", each="sum", n=10)
    >>> found.exact, float(found.at_most())
    (9, 9.0)
    """

    lower: arb | None
    upper: arb | None
    norm: str
    adjacency: str
    domain: str
    method: str
    derivation: Derivation = field(repr=False, compare=False)
    exact: sp.Expr | None = None
    attained_at: tuple[Dataset, Dataset] | None = None
    reason: str = ""
    infinite: bool = False
    ray: tuple[Dataset, Dataset] | None = None
    of_dataset: Callable[[Dataset], sp.Expr] | None = field(default=None, repr=False, compare=False)
    smoothed: Callable[[Dataset, sp.Expr], sp.Expr] | None = field(default=None, repr=False, compare=False)

    @property
    def gap(self) -> float:
        """The relative width (upper - lower) / upper; 0 where both ends meet, inf where one is missing."""
        if self.exact is not None:
            return 0.0
        if self.lower is None or self.upper is None:
            return float("inf")
        top = self.at_most()
        return 0.0 if top == 0 else max(float((top - self.at_least()) / top), 0.0)

    def at_most(self) -> Fraction:
        """A rational number that is no less than the supremum; ValueError where none is known."""
        if self.upper is None:
            raise ValueError(f"no upper bound: {self.reason or 'the sensitivity is infinite'}")
        return ends(self.upper)[1]

    def at_least(self) -> Fraction:
        """A rational number that is no more than the supremum; 0 where no pair is known."""
        return Fraction(0) if self.lower is None else ends(self.lower)[0]

    def local(self, dataset: Dataset) -> sp.Expr:
        """The largest distance to a neighbour of this data set, exact; ValueError where the structure does not give it."""
        if self.of_dataset is None:
            raise ValueError(
                "local sensitivity is given for formulas of all records, and for median, quantile and order_statistic"
            )
        return self.of_dataset(dataset)

    def smooth(self, dataset: Dataset, beta: sp.Expr | float | str) -> sp.Expr:
        """The beta-smooth sensitivity at this data set (Nissim, Raskhodnikova and Smith 2007, definition 2.2), exact.

        ValueError where the structure does not give it, or beta is not above 0.
        """
        if self.smoothed is None:
            raise ValueError(
                "smooth sensitivity is given for formulas of all records, and for quantile, order_statistic and the median of an "
                "odd number of records, on an interval and with replace-one"
            )
        rate = rational(beta) if isinstance(beta, Real | Decimal | str) else sp.sympify(beta, strict=True)
        if not rate.is_positive:
            raise ValueError(f"beta must be a number above 0, got {beta!r}")
        return self.smoothed(dataset, rate)

    def sentence(self) -> str:
        """The answer in one sentence."""
        what = f"sensitivity in the {self.norm} norm, {self.adjacency}, over {self.domain}"
        doubt = f"; {self.reason}" if self.reason else ""
        if self.infinite:
            return f"{what}: infinite{doubt}"
        if self.exact is not None:
            return f"{what}: {sp.sstr(self.exact)}{doubt}"
        low = "nothing" if self.lower is None else f"{float(self.lower.mid()):.9g}"
        high = "nothing" if self.upper is None else f"{float(self.upper.mid()):.9g}"
        return f"{what}: at least {low}, at most {high}{doubt}"

    def __str__(self) -> str:
        return self.sentence()

    def _repr_latex_(self) -> str:
        if self.infinite:
            return r"$\infty$"
        return self.sentence() if self.exact is None else f"${sp.latex(self.exact)}$"


def exactly(value: sp.Expr) -> arb:
    """A ball around an exact number."""
    return enclose(value)
