"""The adversary who maximises the likelihood of samples of the code: his bias and his error, measured beside the claim.

Neither supports a claim nor refutes one: an estimator in samples of finite size is biased, and whoever errs more than a
bound proves nothing about those who err less.  What it shows is whether the claimed error is within reach.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
import sympy as sp

from ....mechanisms.family import Family
from ....symbolic.arrays import Floats
from ....symbolic.claim import Claim
from ....symbolic.information.unbiased_estimators import unbiased_estimators
from ....symbolic.predicates import ErrorBound, FisherInformation
from ....symbolic.proof.enclosure import rational
from ...record.evidence import Evidence, Verdict
from ..attack.block_estimates import maximum_likelihood
from ..attack.rare.bounded_mean import lower_bound
from ..check import Counted, Counts
from ..outcomes import Outcomes
from ..stated import at_theta

_SIZE, _PER_CALL, _FEWEST = (
    100,
    3,
    20,
)  # outcomes of a sample, samples of a call, and fewer than that are no sample
_WIDTH, _BINS = 5.0, 1_000  # deviations of the best estimate that is claimed possible, and cells of an error


class LikelihoodEstimates(Counted):
    """Exact intervals of clipped errors: of maximum likelihood, and of an unbiased statistic where a law tells one."""

    name: ClassVar[str] = "maximum likelihood"

    def __init__(self, claim: Claim, bound: float) -> None:
        super().__init__(claim)
        self.bound = bound  # the claimed error of one outcome
        self.theta = float(claim.subject.theta[0])
        self.names = ["maximum likelihood"]
        self._unbiased: Any = None
        self._compiled: Any = None
        if claim.subject.exact is not None:
            self._read_law(claim.subject)

    @classmethod
    def bind(cls, claim: Claim) -> Self | None:
        subject, predicate = claim.subject, claim.predicate
        if (
            claim.about != "code"
            or not isinstance(subject, Family)
            or not isinstance(predicate, FisherInformation | ErrorBound)
            or predicate.formula is None
            or subject.dimension != 1
            or not (subject.can_sample and subject.has_density)
        ):
            return None
        number, _ = at_theta(subject, predicate)
        if number is None or (isinstance(number, ErrorBound) and number.weight is not None):
            return None
        value = float(number.value if isinstance(number, ErrorBound) else number.matrix()[0, 0])
        bound = value if isinstance(number, ErrorBound) else 1 / value if value > 0 else 0.0
        return cls(claim, bound) if 0 < bound < np.inf else None

    def _read_law(self, family: Family) -> None:
        assert family.exact is not None
        law, (symbol,) = family.exact
        # The law at one parameter after the other would be compiled anew each time.
        self._compiled = sp.lambdify((law.variable, symbol), law.log_density(), ["scipy", "numpy"])
        found = unbiased_estimators(law, symbol, [symbol])
        if found:
            formula = found[0].estimator.subs({symbol: rational(self.theta)})
            self._unbiased = sp.lambdify(law.variable, formula, "numpy")
            self.names.append(f"mean of {found[0].estimator}, unbiased by derivation")

    def inputs(self) -> tuple[Any, ...]:
        return (self.claim.subject.index(np.array([self.theta])),)

    def learn(self, sample: Sequence[Outcomes]) -> int:
        return min(map(len, sample))

    def count(self, plan: int, unit: Sequence[Outcomes], rng: np.random.Generator) -> Counts:
        """Per estimator a histogram of its errors, in units of the claimed deviation; outcomes, and the size of samples."""
        out = np.zeros((len(self.names), _BINS + 3))
        (sample,) = unit
        out[:, -1] = len(sample)
        values = sample.values[sample.plain(), 0] if sample.values.shape[1] == 1 else np.zeros(0)
        size = min(_SIZE, len(values))
        if size < _FEWEST:
            return out
        scale = np.sqrt(size / self.bound)
        for k in range(min(_PER_CALL, len(values) // size)):
            block = values[k * size : (k + 1) * size]
            errors = [maximum_likelihood(self._log_density, self.theta, block)]
            if self._unbiased is not None:
                errors.append(float(np.mean(np.broadcast_to(self._unbiased(block), block.shape))))
            for row, estimate in zip(out, errors, strict=True):
                error = (estimate - self.theta) * scale
                place = (
                    np.clip(np.floor((error / _WIDTH + 1) / 2 * _BINS), 0, _BINS - 1) if error == error else 0
                )
                row[int(place)] += 1
                row[_BINS] += size
        return out

    def _log_density(self, y: Floats, theta: float) -> Floats:
        if self._compiled is not None:
            return np.broadcast_to(np.asarray(self._compiled(y, theta), dtype=float), y.shape)
        found = self.claim.subject.log_density(y, self.claim.subject.index(np.array([theta])))
        return np.asarray(found, dtype=float)

    def judge(self, plan: int | None, counts: Counts | None, alpha: float) -> Evidence:
        assert counts is not None
        blocks = counts[:, :_BINS].sum(axis=1)
        if blocks[0] < 2:
            return self.evidence(
                Verdict.UNDECIDED, f"no call had {_FEWEST} outcomes that are single numbers", error=alpha
            )
        size = counts[0, _BINS] / blocks[0]
        told = [
            self._said(name, row[:_BINS], size, alpha / (4 * len(counts)))
            for name, row in zip(self.names, counts, strict=True)
        ]
        detail = (
            f"{int(blocks[0]):,} samples of {size:.0f} outcomes; at {self.theta:g} the claimed mean squared error for one outcome is "
            f"{self.bound:.6g}. {'; '.join(told)}. The optimiser starts at the true value, which favours the adversary; the figures do "
            "not enter the verdict"
        )
        return self.evidence(Verdict.UNDECIDED, detail, error=alpha)

    def _said(self, name: str, histogram: Floats, size: float, alpha: float) -> str:
        """Bias and error of one estimator with their exact intervals, errors clipped to five claimed deviations."""
        edges = np.linspace(-_WIDTH, _WIDTH, _BINS + 1)
        low, high = edges[:-1], edges[1:]
        unit = np.sqrt(self.bound / size)
        ends = [
            lower_bound(low + _WIDTH, alpha, histogram) - _WIDTH,
            _WIDTH - lower_bound(_WIDTH - high, alpha, histogram),
        ]
        square_low, square_high = np.minimum(low**2, high**2), np.maximum(low**2, high**2)
        square = [
            lower_bound(square_low, alpha, histogram),
            _WIDTH**2 - lower_bound(_WIDTH**2 - square_high, alpha, histogram),
        ]
        middle = float(histogram @ ((low + high) / 2) / histogram.sum())
        mean_square = float(histogram @ ((square_low + square_high) / 2) / histogram.sum())
        return (
            f"{name}: bias {middle * unit:.3g}, confidence interval from {ends[0] * unit:.3g} to {ends[1] * unit:.3g}; mean squared error "
            f"{mean_square:.3f} times what is claimed for the sample, confidence interval from {square[0]:.3f} to {square[1]:.3f}"
        )
