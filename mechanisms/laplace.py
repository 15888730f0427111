"""The Laplace mechanism."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Self

import numpy as np
import sympy as sp

from ..symbolic.arrays import Floats
from ..symbolic.information.fisher import Information
from ..symbolic.information.noise import independent_information
from ..symbolic.laws import catalogue as laws
from ..symbolic.laws.law import Law
from ..symbolic.laws.vector import IndependentNoise, OutcomeLaw
from ..symbolic.privacy.pair import DiscretePair, LaplacePair, ProductLaplacePair
from ..symbolic.proof.derivation import Step
from ..symbolic.proof.enclosure import compare, rational
from ..symbolic.proof.truth import Truth, all_hold
from .additive import Additive, positive, whole
from .asked import Asked, OfQuery
from .mechanism import WorstCase


@lru_cache(maxsize=256)
def _centred(scale: sp.Expr) -> Law:
    """The same law for every call: its formulas are compiled once."""
    return laws.laplace(0, scale)


class LaplaceMechanism(Additive):
    """The Laplace mechanism y = x + w: entries of w independent Laplace of scale sensitivity/epsilon, which is epsilon-DP.

    `sensitivity` > 0 bounds the L1 distance of neighbouring inputs in R^dimension, in their units; `epsilon` > 0 in nats. Inputs
    are arrays (dimension,), outcomes (size, dimension). ValueError for other parameters. Floats are released: with `bits=True` they
    are refuted; DiscreteLaplace is for releases. Source: Dwork et al. 2006; Dwork and Roth 2014, theorem 3.6.

    >>> mechanism = npf.LaplaceMechanism(epsilon=0.5, sensitivity=1.0, dimension=2)
    >>> mechanism.release([3.0, 4.0], 1000, np.random.default_rng(0)).shape
    (1000, 2)
    """

    name = "laplace"
    summary = "adds Laplace noise of scale sensitivity/epsilon to each entry"

    def __init__(self, epsilon: float, sensitivity: float, dimension: int = 1) -> None:
        self.epsilon = positive("epsilon", epsilon, "the privacy parameter")
        self.sensitivity = positive("sensitivity", sensitivity, "the L1 distance of neighbours")
        self.dimension = whole("dimension", dimension)

    @classmethod
    def for_query(
        cls,
        query: Any,
        domain: Any = None,
        adjacency: Any = "replace-one",
        *,
        epsilon: float,
        effort: float = 1.0,
        **given: Any,
    ) -> LaplaceOfQuery:
        """Laplace noise scaled to the proved L1 sensitivity of a user's own query.

        `query` is a DatasetQuery, or what `npf.sensitivity` takes with its `domain` and further arguments (records=, each=, n=).
        SpecError where the sensitivity is infinite or not bounded.

        >>> x = sp.Symbol("x")
        >>> from ..symbolic.domains import Box
        >>> LaplaceMechanism.for_query(x**2, Box(0, 3), epsilon=1, records=[x], each="sum", n=5).query([1, 2, 3, 0, 0])
        array([14.])
        """
        return LaplaceOfQuery(Asked.of(query, domain, "l1", adjacency, effort, given), epsilon)

    @property
    def scale(self) -> sp.Expr:
        """The exact scale of the noise."""
        return rational(self.sensitivity) / rational(self.epsilon)

    def noise_law(self, centre: Floats) -> OutcomeLaw:
        return IndependentNoise(_centred(self.scale), tuple(centre))

    def draw(self, size: int, rng: np.random.Generator) -> Floats:
        return rng.laplace(0.0, self.sensitivity / self.epsilon, size=(size, self.dimension))

    def neighbours(self) -> tuple[tuple[Any, Any], ...]:
        far = np.zeros(self.dimension)
        far[0] = self.sensitivity
        return ((np.zeros(self.dimension), far),)

    def worst_case(self) -> WorstCase:
        return laplace_worst_case(rational(self.sensitivity) / self.scale, self.dimension)

    def noise_information(self) -> Information:
        return independent_information(_centred(self.scale), self.dimension)

    def with_noise_divided_by(self, factor: float) -> Self:
        return type(self)(self.epsilon * factor, self.sensitivity, self.dimension)


class LaplaceOfQuery(OfQuery, LaplaceMechanism):
    """y = f(x) + w for a user's own query f: what `LaplaceMechanism.for_query` makes."""

    name = "laplace of a query"
    summary = "adds Laplace noise scaled to the proved sensitivity of a query"

    def __init__(self, asked: Asked, epsilon: float) -> None:
        super().__init__(epsilon, asked.bound, asked.entries)
        self.asked, self.scope = asked, asked.scope()

    def worst_case(self) -> WorstCase:
        """The pair that was found attains its own distance; no neighbours are further apart than the bound."""
        moved = [d / self.scale for d in self.asked.distances if d != 0]
        pair = LaplacePair(moved[0]) if len(moved) == 1 else ProductLaplacePair(tuple(moved))
        most = laplace_worst_case(rational(self.sensitivity) / self.scale, self.dimension)
        steps, lemmas = (*self.asked.steps, *most.steps), (*self.asked.found.derivation.lemmas, *most.lemmas)
        return WorstCase(pair, most.dominating or most.pair, steps, lemmas)

    def parameters(self) -> dict[str, Any]:
        return {"epsilon": self.epsilon, "sensitivity": self.sensitivity, **self.asked.parameters()}

    def with_noise_divided_by(self, factor: float) -> Self:
        return type(self)(self.asked, self.epsilon * factor)


def laplace_worst_case(ratio: sp.Expr, dimension: int) -> WorstCase:
    """Neighbours `ratio` noise scales apart in L1: all of it in one coordinate is attained, and the loss never exceeds it."""
    if dimension == 1:
        return WorstCase(LaplacePair(ratio))
    # (|a| + |b|)^2 - (a + b)^2 = 2(|ab| - ab): two squares compared, since the two sides are nonnegative.
    a, b = sp.Symbol("a", real=True), sp.Symbol("b", real=True)
    slack = sp.expand((sp.Abs(a) + sp.Abs(b)) ** 2 - (a + b) ** 2)
    steps = (
        Step(slack, "=", 2 * (sp.Abs(a * b) - a * b), "triangle inequality, both sides squared"),
        Step(
            sp.Abs(a * b) - a * b,
            ">=",
            sp.Integer(0),
            "so |y_i| - |y_i - d_i| <= |d_i|: the loss is at most |d|_1 / scale",
            how=_abs_dominates,
        ),
    )
    keep = sp.exp(ratio) / (1 + sp.exp(ratio))
    dominating = DiscretePair((keep, 1 - keep), (1 - keep, keep))
    lemma = "a pair whose loss is bounded by r is a post-processing of randomised response at r (Kairouz, Oh, Viswanath 2017)"
    return WorstCase(LaplacePair(ratio), dominating, steps, (lemma,))


def _abs_dominates(left: sp.Expr, right: sp.Expr) -> Truth:
    """|z| - z >= 0 for real z, decided on the two signs of z."""
    product = next(iter(left.atoms(sp.Abs))).args[0]
    z, t = sp.Dummy(real=True), sp.Symbol("t", nonnegative=True)
    general = (left - right).subs(sp.Abs(product), sp.Abs(z)).subs(product, z)
    return all_hold(compare(general.subs(z, sign * t), ">=", sp.Integer(0)) for sign in (1, -1))
