"""The exact exponential mechanism under audit: the utilities of two neighbouring inputs, law and code side by side."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import ArrayLike

from ...symbolic.arrays import Floats, Ints
from ...symbolic.errors import SpecError
from ...symbolic.laws.vector import Categories, OutcomeLaw
from ...symbolic.privacy.pair import DiscretePair
from ...symbolic.proof.enclosure import rational
from ..additive import positive
from ..grid_noise.secure_bits import seeded_bits
from ..mechanism import Mechanism, WorstCase
from .choice import ExponentialSelection
from .noise import exactly


class ExponentialMechanism(Mechanism):
    """The exponential mechanism: a candidate with probability proportional to multiplicity times exp(epsilon u / (2 sensitivity)).

    `first` and `second` are the utilities (n,) on two neighbouring inputs, integers no more than `sensitivity`
    apart, `multiplicities` integers (n,) >= 0; SpecError for anything else. An outcome is the index of a candidate. Source:
    McSherry and Talwar 2007; Dwork and Roth 2014, section 3.4.

    >>> choice = npf.ExponentialMechanism(first=[5, 3, 0], second=[4, 3, 1], epsilon=1)
    >>> npf.examine(choice, npf.Claim(npf.PureDP(1.0), about="law")).verdict
    Verdict.PROVED
    """

    name = "exponential-mechanism"
    summary = "chooses a candidate by the exponential mechanism, exactly"

    def __init__(
        self,
        first: Sequence[int],
        second: Sequence[int],
        epsilon: Fraction | float,
        sensitivity: Fraction | float = 1,
        multiplicities: Sequence[int] | None = None,
    ) -> None:
        self.epsilon, self.sensitivity = exactly("epsilon", epsilon), exactly("sensitivity", sensitivity)
        self._counts = multiplicities
        self.choices = tuple(self._choice(u) for u in (first, second))
        one, two = (c.utilities for c in self.choices)
        if len(one) != len(two):
            raise SpecError(
                f"first and second need the same number of utilities, got {len(one)} and {len(two)}"
            )
        moved = max(abs(a - b) for a, b in zip(one.tolist(), two.tolist(), strict=True))
        if not 0 < moved <= self.sensitivity:
            raise SpecError(
                f"the utilities of neighbours differ by at most the sensitivity, and somewhere: got {moved} where {self.sensitivity} is declared"
            )

    def _choice(self, utilities: ArrayLike) -> ExponentialSelection:
        counts = None if self._counts is None else np.asarray(self._counts)
        return ExponentialSelection(np.asarray(utilities), self.epsilon, self.sensitivity, counts)

    def parameters(self) -> dict[str, Any]:
        one, two = (c.utilities.tolist() for c in self.choices)
        counts = self.choices[0].multiplicities
        assert counts is not None
        return {
            "first": one,
            "second": two,
            "multiplicities": counts.tolist(),
            "epsilon": str(self.epsilon),
            "sensitivity": str(self.sensitivity),
        }

    def law(self, data: Any) -> OutcomeLaw:
        return Categories(tuple(self._choice(data).probabilities().tolist()))

    def release(self, data: Any, size: int, rng: np.random.Generator) -> Floats:
        return self._choice(data).draw(size, seeded_bits(rng)).astype(float)

    def neighbours(self) -> tuple[tuple[Any, Any], ...]:
        return ((self.choices[0].utilities, self.choices[1].utilities),)

    def worst_case(self) -> WorstCase:
        """Candidates whose utility moves alike have one loss: each such group is one outcome of the pair."""
        one, two = self.choices
        rows = zip(one.utilities.tolist(), two.utilities.tolist(), _counts(one), strict=True)
        pooled: dict[int, dict[int, int]] = defaultdict(lambda: defaultdict(int))
        for u, other, count in rows:
            if count:
                pooled[u - other][u] += count
        rate = rational(one.rate)
        best = max(u for group in pooled.values() for u in group)
        p, q = [], []
        for moved, group in pooled.items():
            p.append(sp.Add(*(n * sp.exp(rate * (u - best)) for u, n in group.items())))
            q.append(sp.Add(*(n * sp.exp(rate * (u - moved - best)) for u, n in group.items())))
        pair = DiscretePair(tuple(v / sp.Add(*p) for v in p), tuple(v / sp.Add(*q) for v in q))
        lemma = "candidates of one privacy loss may be merged to one outcome: no divergence changes"
        return WorstCase(pair, lemmas=(lemma,))

    def with_noise_divided_by(self, factor: float) -> ExponentialMechanism:
        by = exactly("factor", positive("factor", factor, "by which the noise is divided"))
        one, two = (c.utilities.tolist() for c in self.choices)
        return ExponentialMechanism(one, two, self.epsilon * by, self.sensitivity, self._counts)


def _counts(choice: ExponentialSelection) -> list[int]:
    counts: Ints | None = choice.multiplicities
    assert counts is not None
    return [int(n) for n in counts]
