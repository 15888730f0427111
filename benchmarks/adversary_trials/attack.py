"""The attack: errors of an estimator on simulated releases, held against a claimed lower bound.

Errors are unbounded, so a measured mean below the bound refutes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from noiseproof.audit.record.evidence import Evidence, Verdict
from noiseproof.mechanisms.adapted import subject_of
from noiseproof.mechanisms.mechanism import Subject
from noiseproof.symbolic.arrays import Floats
from noiseproof.symbolic.errors import SpecError
from noiseproof.symbolic.predicates import ErrorBound

Estimator = Callable[[Floats], Floats]
Release = Subject | Callable[[Any, int, np.random.Generator], Any]


@dataclass(frozen=True)
class Attacked:
    """Mean squared error of an estimator with its standard error, beside the bound that was claimed.

    `bias` and `bias_error` (k,) are the mean error of each entry and its standard error; `level` is the one-sided
    probability behind `below`.
    """

    estimator: str
    samples: int
    seed: int
    error: float
    standard_error: float
    bound: float
    bias: tuple[float, ...]
    bias_error: tuple[float, ...]
    level: float = 1e-6

    @property
    def below(self) -> bool:
        """Whether the measured error lies significantly below the claimed bound (normal approximation)."""
        # An error without spread may be the bound itself, up to rounding.
        return bool(self.error + stats.norm.isf(self.level) * self.standard_error < self.bound * (1 - 1e-12))

    @property
    def efficiency(self) -> float:
        """The bound over the measured error: near one for an efficient estimator, above one for a false bound."""
        return self.bound / self.error

    @property
    def looks_biased(self) -> bool:
        """Whether the mean error of an entry is significantly away from zero."""
        z = [abs(b) / s for b, s in zip(self.bias, self.bias_error, strict=True) if s > 0]
        return bool(max(z, default=0.0) > stats.norm.isf(self.level / 2 / max(len(z), 1)))

    def evidence(self) -> Evidence:
        """SURVIVED or UNDECIDED by the measurement."""
        measured = f"{self.estimator}: mean squared error {self.error:.6g} ± {self.standard_error:.2g} on {self.samples:,} releases, claimed bound {self.bound:.6g}"
        verdict = Verdict.UNDECIDED if self.below else Verdict.SURVIVED
        if self.below:
            measured += "; it lies below, which alone refutes nothing, because errors are unbounded"
        statement = "no estimator of the claimed kind has a mean squared error below the bound"
        return Evidence("estimator attack", "attack", "law", verdict, statement, measured)


def attack(
    guarantee: ErrorBound | float,
    release: Release,
    record: ArrayLike,
    estimator: Estimator,
    *,
    target: ArrayLike | None = None,
    samples: int = 200_000,
    seed: int = 0,
    level: float = 1e-6,
    block: int = 50_000,
) -> Attacked:
    """Simulates `samples` releases of `record` and measures the error of `estimator` about `target` (the record, if None).

    `release` is a mechanism, or release(record, size, rng) -> (size, d); the estimator maps (size, d) to (size, k).
    The error is weighted by the guarantee's weight (k, k).  Same seed, samples and block: the same numbers.
    """
    if isinstance(guarantee, ErrorBound) and guarantee.adversary not in ("unbiased", "informed"):
        raise SpecError(
            f'expected a bound for the "unbiased" or "informed" adversary, got {guarantee.adversary!r}'
        )
    bound = guarantee.value if isinstance(guarantee, ErrorBound) else float(guarantee)
    if not np.isfinite(bound) or samples < 2 or block < 1:
        raise SpecError(
            f"expected a finite bound, samples >= 2 and block >= 1, got {bound}, {samples}, {block}"
        )
    truth = np.atleast_1d(np.asarray(record if target is None else target, dtype=float))
    weight = guarantee.weight if isinstance(guarantee, ErrorBound) else None
    pi = np.eye(len(truth)) if weight is None else np.atleast_2d(np.asarray(weight, dtype=float))
    if pi.shape != (len(truth), len(truth)):
        raise SpecError(
            f"the weight is {pi.shape}, but {len(truth)} entries are estimated: give a matching target"
        )
    sums = np.zeros(2 * len(truth) + 2)
    for error in _errors(release, record, estimator, truth, samples, seed, block):
        square = np.einsum("ij,jk,ik->i", error, pi, error)
        sums += np.concatenate([error.sum(0), (error**2).sum(0), [square.sum(), (square**2).sum()]])
    means = sums / samples
    k = len(truth)
    spread = np.sqrt(np.maximum(means[k : 2 * k] - means[:k] ** 2, 0.0) / samples)
    deviation = float(np.sqrt(max(means[-1] - means[-2] ** 2, 0.0) / samples))
    return Attacked(
        getattr(estimator, "name", getattr(estimator, "__name__", "estimator")),
        samples,
        seed,
        float(means[-2]),
        deviation,
        bound,
        tuple(means[:k].tolist()),
        tuple(spread.tolist()),
        level,
    )


def _errors(
    release: Release,
    record: ArrayLike,
    estimator: Estimator,
    truth: Floats,
    samples: int,
    seed: int,
    block: int,
) -> Iterator[Floats]:
    """Errors (size, k) block by block, each with a stream of its own."""
    sizes = [min(block, samples - start) for start in range(0, samples, block)]
    subject = subject_of(release)
    draw: Any = release if subject is None else subject.sample
    for size, stream in zip(sizes, np.random.SeedSequence(seed).spawn(len(sizes)), strict=True):
        y = np.asarray(draw(record, size, np.random.default_rng(stream)), dtype=float).reshape(size, -1)
        guess = np.asarray(estimator(y), dtype=float)
        if guess.shape != (size, len(truth)):
            raise SpecError(
                f"the estimator gave shape {guess.shape}, expected {(size, len(truth))}: one row per release, one column per entry of the target"
            )
        if not np.all(np.isfinite(guess)):
            raise SpecError("the estimator gave values that are not finite: its error has no mean to measure")
        yield guess - truth
