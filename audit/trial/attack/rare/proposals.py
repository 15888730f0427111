"""Where to draw outcomes so that rare ones are common, with weights known exactly.

A proposal is a law r_k with a known ratio r_k/p to the law p of one input.  The defensive mixture of p itself, the
law q of the other input and proposals further along the privacy loss has (p - e^epsilon q)+ / r at most 1/w_p
everywhere, and its mean under r is the hockey-stick divergence (Owen and Zhou 2000, safe importance sampling).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from .....symbolic.arrays import Floats
from .....symbolic.laws.law import Law
from .....symbolic.laws.vector import IndependentNoise, OutcomeLaw

_PLAIN = 0.1  # weight of each of the two laws themselves in the mixture
_PILOT = 400
_FARTHEST = 64.0  # times the difference of the two laws' centres
_STEEPEST = 1e6
_LEVELS = np.array([1e-4, 1e-3, 1e-2, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99, 0.999, 0.9999])


class Proposal(ABC):
    """A law with a known density relative to the law p of one input."""

    @abstractmethod
    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        """`size` outcomes (size, d)."""

    @abstractmethod
    def log_ratio(self, y: Floats, log_p: Floats) -> Floats:
        """log r_k/p at the rows of y (n, d), where log p is `log_p` (n,)."""


@dataclass(frozen=True)
class Shifted(Proposal):
    """Outcomes of `law` moved by `by` (d,): the difference of the two laws, continued."""

    law: OutcomeLaw
    by: Floats

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        return np.asarray(self.law.sample(size, rng) + self.by, dtype=float)

    def log_ratio(self, y: Floats, log_p: Floats) -> Floats:
        return _minus(self.law.log_density(y - self.by), log_p)


class EntryCells:
    """The line of one noise term cut into cells: their probabilities under the noise, and a typical loss in each."""

    def __init__(self, noise: Law, shift: float) -> None:
        between = np.linspace(min(-shift, 0.0), max(-shift, 0.0), 5)
        edges = np.unique(np.concatenate([noise.quantile(_LEVELS), between]))
        below = np.concatenate([[0.0], noise.cdf(edges), [1.0]])
        kept = np.concatenate([[True], np.diff(below[:-1]) > 0])
        self.edges, self.below = edges[kept[1:]], np.concatenate([below[:-1][kept], [1.0]])
        self.mass = np.diff(self.below)
        middle = noise.quantile(self.below[:-1] + self.mass / 2)
        with np.errstate(invalid="ignore"):
            loss = noise.log_pdf(middle) - noise.log_pdf(middle + shift)
        self.loss = np.clip(np.nan_to_num(loss, nan=0.0), -50.0, 50.0)

    def tilted(self, steepness: float) -> Floats:
        """log of the factor by which each cell's probability grows; the factors average to one."""
        exponent = steepness * self.loss
        return np.asarray(exponent - special.logsumexp(exponent, b=self.mass), dtype=float)

    def mean_loss(self, steepness: float) -> float:
        return float((self.mass * np.exp(self.tilted(steepness))) @ self.loss)


@dataclass(frozen=True)
class Tempered(Proposal):
    """Independent entries, each cell of the noise made likelier by e^(s * loss): p^(1+s) q^(-s) in steps.

    One of the `steepness` values s is chosen for each outcome.  The noise is drawn by its quantile function inside a
    cell, so that the ratio to p depends on the cells alone, and is exact.
    """

    law: IndependentNoise
    cells: tuple[EntryCells, ...]
    which: NDArray[np.int64]
    steepness: tuple[float, ...]

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        parts = rng.multinomial(size, np.full(len(self.steepness), 1 / len(self.steepness)))
        u = rng.random((size, self.law.dimension))
        for rows, s in zip(np.split(np.arange(size), np.cumsum(parts)[:-1]), self.steepness, strict=True):
            for k, cell in enumerate(self.cells):
                grown = np.concatenate([[0.0], np.cumsum(cell.mass * np.exp(cell.tilted(s)))])
                at = np.ix_(rows, self.which == k)
                # The distribution function of the proposal is linear in that of the noise inside each cell.
                u[at] = np.interp(u[at], grown / grown[-1], cell.below)
        return np.asarray(self.law.centre + self.law.noise.quantile(u), dtype=float)

    def log_ratio(self, y: Floats, log_p: Floats) -> Floats:
        w = y - np.asarray(self.law.centre)
        total = np.zeros((len(self.steepness), len(y)))
        for k, cell in enumerate(self.cells):
            place = np.searchsorted(cell.edges, w[:, self.which == k])
            many = len(cell.mass)
            key = (place + many * np.arange(len(y))[:, None]).ravel()
            entries = np.bincount(key, minlength=many * len(y)).reshape(len(y), many)
            total += [entries @ cell.tilted(s) for s in self.steepness]
        return np.asarray(special.logsumexp(total, axis=0) - np.log(len(self.steepness)), dtype=float)


@dataclass(frozen=True)
class Mixture:
    """r = w_p p + w_q q + sum_k w_k r_k: outcomes together with their loss and their weight p/r."""

    p: OutcomeLaw
    q: OutcomeLaw
    proposals: tuple[Proposal, ...]

    @property
    def weights(self) -> Floats:
        plain = _PLAIN if self.proposals else 0.5
        shares = np.full(len(self.proposals), (1 - 2 * plain) / max(len(self.proposals), 1))
        return np.concatenate([[plain, plain], shares])

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        """`size` independent outcomes of the mixture (size, d)."""
        sizes = rng.multinomial(size, self.weights)
        sources: tuple[OutcomeLaw | Proposal, ...] = (self.p, self.q, *self.proposals)
        return np.concatenate(
            [source.sample(int(n), rng) for source, n in zip(sources, sizes, strict=True) if n]
        )

    def loss_and_weight(self, y: Floats) -> tuple[Floats, Floats]:
        """The losses log p/q, lowered by what rounding may have added, and the weights p/r, at the rows of y (n, d)."""
        log_p, log_q = self.p.log_density(y), self.q.log_density(y)
        loss = _minus(log_p, log_q)
        with np.errstate(over="ignore", invalid="ignore"):
            terms = [np.zeros(len(y)), -loss, *(r.log_ratio(y, log_p) for r in self.proposals)]
            weight = np.exp(-special.logsumexp(terms, axis=0, b=self.weights[:, None]))
        gone = ~np.isfinite(log_p) | np.isnan(loss)
        sure = loss - 1e-10 * (1 + np.where(np.isfinite(log_p), np.abs(log_p), 0.0))
        return np.where(gone, -np.inf, sure), np.where(gone, 0.0, weight)


def defensive_mixture(
    p: OutcomeLaw, q: OutcomeLaw, epsilons: Sequence[float], rng: np.random.Generator
) -> Mixture:
    """A mixture under which losses around each of the epsilons are common."""
    if isinstance(p, IndependentNoise) and isinstance(q, IndependentNoise) and _has_quantiles(p, q):
        return Mixture(p, q, tuple(_tempered(p, q, epsilons)))
    return Mixture(p, q, tuple(_shifted(p, q, epsilons, rng)))


def _has_quantiles(p: IndependentNoise, q: IndependentNoise) -> bool:
    """Whether the two laws share a noise whose quantile function is a closed form, so that many can be drawn by it."""
    return p.noise == q.noise and p.noise.route is not None and not p.noise.parts


def _tempered(p: IndependentNoise, q: IndependentNoise, epsilons: Sequence[float]) -> list[Proposal]:
    shift = np.subtract(p.centre, q.centre)
    scale = float(np.abs(shift).max())
    # Shifts that agree to nine digits share their cells: the ratio to p stays exact, whatever the cells.
    values, which = np.unique(np.round(shift / scale, 9), return_inverse=True)
    cells = tuple(EntryCells(p.noise, float(v) * scale) for v in values)
    counts = np.bincount(which, minlength=len(values))

    def mean(steepness: float) -> float:
        return float(sum(n * c.mean_loss(steepness) for n, c in zip(counts, cells, strict=True)))

    steepness: list[float] = []
    for epsilon in epsilons:
        low, high = 0.0, 1.0
        while mean(high) < epsilon and high < _STEEPEST:
            low, high = high, 2 * high
        for _ in range(40):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if mean(middle) < epsilon else (low, middle)
        if 0 < high < _STEEPEST and mean(0.0) < epsilon:
            steepness.append(high)
    return [Tempered(p, cells, which, tuple(dict.fromkeys(steepness)))] if steepness else []


def _shifted(
    p: OutcomeLaw, q: OutcomeLaw, epsilons: Sequence[float], rng: np.random.Generator
) -> list[Proposal]:
    """The law p moved along the difference of the two medians, as far as a pilot sample needs to reach each epsilon."""
    pilot, other = p.sample(_PILOT, rng), q.sample(_PILOT, rng)
    along = _centre(p, pilot) - _centre(q, other)
    factors = np.geomspace(0.125, _FARTHEST, 19)
    with np.errstate(invalid="ignore"):
        losses = [
            float(np.median(_minus(p.log_density(pilot + t * along), q.log_density(pilot + t * along))))
            for t in factors
        ]
    found: dict[int, Proposal] = {}
    for epsilon in epsilons:
        enough = [i for i, loss in enumerate(losses) if loss >= epsilon]
        at = enough[0] if enough else int(np.argmax(np.nan_to_num(losses, nan=-np.inf)))
        found.setdefault(at, Shifted(p, factors[at] * along))
    return list(found.values())


def _centre(law: OutcomeLaw, sample: Floats) -> Floats:
    known = getattr(law, "centre", None)
    return np.asarray(np.median(sample, axis=0) if known is None else known, dtype=float)


def _minus(a: Floats, b: Floats) -> Floats:
    """a - b, where -inf - -inf is NaN without a warning."""
    with np.errstate(invalid="ignore"):
        return np.asarray(a - b, dtype=float)
