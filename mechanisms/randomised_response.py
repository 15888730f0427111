"""Randomised response on a finite set of categories."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import sympy as sp

from ..symbolic.arrays import Floats
from ..symbolic.laws.vector import Categories, OutcomeLaw
from ..symbolic.privacy.pair import DiscretePair
from ..symbolic.proof.enclosure import rational
from .additive import positive, whole
from .mechanism import Mechanism, WorstCase


class RandomisedResponse(Mechanism):
    """Randomised response: the true category with probability e^epsilon/(e^epsilon + k - 1), any other with equal chance.

    `categories` is k >= 2; inputs and outcomes are 0, ..., k - 1. epsilon-DP for any two inputs (local DP). ValueError for
    anything else. Source: Warner 1965 for k = 2; Dwork and Roth 2014, section 3.2.

    >>> answers = npf.RandomisedResponse(epsilon=1.0, categories=3).release(2, 100_000, np.random.default_rng(0))
    >>> round(float(np.mean(answers == 2)), 2), round(np.e / (np.e + 2), 2)
    (0.58, 0.58)
    """

    name = "randomised-response"
    summary = "answers the true category with probability e^eps/(e^eps + k - 1), another one otherwise"

    def __init__(self, epsilon: float, categories: int = 2) -> None:
        self.epsilon = positive("epsilon", epsilon, "the privacy parameter")
        self.categories = whole("categories", categories, least=2)

    def _exact(self) -> tuple[sp.Expr, sp.Expr]:
        e, k = sp.exp(rational(self.epsilon)), self.categories
        return e / (e + k - 1), 1 / (e + k - 1)

    def _category(self, data: Any) -> int:
        if data not in range(self.categories):
            raise ValueError(f"{self.name} expects a category 0, ..., {self.categories - 1}, got {data!r}")
        return int(data)

    def law(self, data: Any) -> OutcomeLaw:
        truth, other = (float(v) for v in self._exact())
        return Categories(
            tuple(truth if c == self._category(data) else other for c in range(self.categories))
        )

    def release(self, data: Any, size: int, rng: np.random.Generator) -> Floats:
        lie = rng.random(size) > 1 / (1 + (self.categories - 1) * np.exp(-self.epsilon))
        shift, true = rng.integers(1, self.categories, size=size), self._category(data)
        return np.where(lie, (true + shift) % self.categories, true).astype(float)

    def neighbours(self) -> tuple[tuple[Any, Any], ...]:
        return ((0, 1),)

    def worst_case(self) -> WorstCase:
        truth, other = self._exact()
        rest = (other,) * (self.categories - 2)
        return WorstCase(
            DiscretePair((truth, other, *rest), (other, truth, *rest)),
            lemmas=("all pairs of categories are alike by symmetry",),
        )

    def with_noise_divided_by(self, factor: float) -> Self:
        return type(self)(self.epsilon * factor, self.categories)
