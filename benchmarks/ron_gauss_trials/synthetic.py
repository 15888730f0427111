"""The attack on synthetic records: n' draws from N(0, C), C the repaired noisy covariance, mean and covariance withheld.

Their second moment T is sufficient for C.  It is post-processing of the joint release, so that it tells no more; as n' grows
T tends to C.  The adversary's score is the loss of the symmetrised covariance release, read at T.  The data sets of the attack hold one
record at W u or W v, as many records along +-W e_j as keep the repair from clipping, and pairs +-r that the projection
sends to zero: a mean near zero, and second moments not much larger than the noise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray
from scipy import special

from noiseproof.mechanisms.black_box import BlackBox
from noiseproof.mechanisms.ron_gauss.scales import printed_mean
from noiseproof.symbolic.arrays import Floats
from noiseproof.symbolic.errors import SpecError
from noiseproof.symbolic.proof.enclosure import rational
from ron_gauss_trials.covariance import MatrixAttack, checked, covariance_attack
from ron_gauss_trials.symmetrised import CellTilt, entry_losses, log_density, on_diagonal, steepness_for
from ron_gauss_trials.tilted import losses

_ROOM = 2.5  # bulk eigenvalue over sqrt(p) x scale x sqrt(p): the largest eigenvalue of the noise is about 2
_CHUNK = 2_000_000  # numbers held at once
_WEIGHTS = np.array([0.2, 0.4, 0.4])  # the law itself, and two tilted ones
_TRIED = 200


@dataclass(frozen=True)
class SyntheticRates:
    """Weighted estimates for the event {score > threshold}: its probability under either data set, with standard errors.

    `delta` is P - e^epsilon Q, with its own standard error; `joint` is delta of the released mean and the symmetrised
    covariance behind the records, from the same draws.  They are estimates, not bounds.
    """

    epsilon: float
    threshold: float
    p: float
    p_error: float
    q: float
    q_error: float
    delta: float
    delta_error: float
    joint: float
    joint_error: float

    @property
    def loss(self) -> float:
        """log P/Q of the event."""
        return float(np.log(self.p / self.q)) if self.p > 0 and self.q > 0 else float("inf")


@dataclass(frozen=True, eq=False)
class SyntheticAttack:
    """`size` synthetic records from either of two data sets of n records in R^m; size None: C itself, as size grows without end.

    Rows (k, m) with `counts` (k,) make up a data set; row 0 is the record that differs, x or `other`.
    """

    size: int | None
    epsilon_mean: float
    mean_scale: sp.Expr
    matrix: MatrixAttack
    x: Floats
    other: Floats
    rest: Floats
    counts: NDArray[np.int64]
    projection: Floats

    @property
    def n(self) -> int:
        return 1 + int(self.counts.sum())

    @property
    def epsilon(self) -> float:
        """The budget that theorem 3 adds up."""
        return float(rational(self.epsilon_mean) + rational(self.matrix.epsilon))

    @property
    def ceiling(self) -> float:
        """What the loss of no output can exceed: the two parts of the joint release (post-processing)."""
        by_mean = float(np.abs(self.x - self.other).sum()) / (self.n * float(self.mean_scale))
        return by_mean + float(self.matrix.bound)

    def data(self, first: bool = True) -> Floats:
        """The raw records (n, m) of one of the two data sets."""
        rows = np.repeat(self.rest, self.counts, axis=0)
        return np.concatenate([(self.x if first else self.other)[None, :], rows])

    def subject(self) -> BlackBox:
        """The whole of algorithm 3 and the adversary's score as code: the record that differs goes in, one score comes out."""
        return BlackBox(self._release, (self.other, self.x), name="score of synthetic records")

    def estimate(self, epsilon: float | None = None, draws: int = 20_000, seed: int = 0) -> SyntheticRates:
        """Rates of the best event of the score at `epsilon` (the added budget), from draws that reach it, weighted back.

        The event is chosen on one half of the draws and estimated on the other.
        """
        target = self.epsilon if epsilon is None else epsilon
        if not (np.isfinite(target) and target >= 0):
            raise SpecError(f"epsilon must be a finite number >= 0, got {target!r}")
        if isinstance(draws, bool) or not isinstance(draws, int | np.integer) or draws < 1_000:
            raise SpecError(f"draws must be a whole number >= 1000, got {draws!r}")
        rng = np.random.default_rng(seed)
        parts = [
            self._weighted_scores(min(chunk, draws - start), target, rng)
            for chunk in (self._chunk(),)
            for start in range(0, draws, chunk)
        ]
        score, p, q = (np.concatenate(column) for column in zip(*parts, strict=True))
        kept = len(score) // 2
        threshold = _best_threshold(score[:kept], p[:kept], q[:kept], target)
        score, p, q = score[kept:], p[kept:], q[kept:]
        inside, ratio = score > threshold, np.exp(target)
        gains = p - ratio * q
        numbers = (p * inside, q * inside, gains * inside, np.maximum(gains, 0.0))
        means = [value for v in numbers for value in (float(v.mean()), float(v.std() / np.sqrt(len(v))))]
        return SyntheticRates(target, threshold, *means)

    def _release(self, row: Any, size: int, rng: np.random.Generator) -> Floats:
        """Scores of `size` independent runs on the data set whose first record is `row` (m,)."""
        record, out, chunk = np.asarray(row, dtype=float), np.empty(size), self._chunk()
        p = self.projection.shape[1]
        for start in range(0, size, chunk):
            many = min(chunk, size - start)
            noise = rng.laplace(size=(many, p, p)) * float(self.matrix.scale)
            exact, _ = self._moments(record, self._released_mean(record, many, rng))
            out[start : start + many] = self._score(self._second_moment(exact + noise, rng))
        return out

    def _weighted_scores(
        self, many: int, target: float, rng: np.random.Generator
    ) -> tuple[Floats, Floats, Floats]:
        """Scores of runs, the density of the first data set and of the second over that of the draws: (many,) each."""
        p, scale = self.projection.shape[1], float(self.matrix.scale)
        mu = self._released_mean(self.x, many, rng)
        noise = (mu - self._mean(self.x)) / float(self.mean_scale)
        here, u = self._moments(self.x, mu)
        _, v = self._moments(self.other, mu)
        upper = np.triu_indices(p)
        moved = (v[:, :, None] * v[:, None, :] - u[:, :, None] * u[:, None, :])[:, *upper] / (self.n * scale)
        diagonal, typical = on_diagonal(p), np.median(moved, axis=0)
        aims = (target, (target + float(np.abs(typical).sum())) / 2)
        proposals = [
            CellTilt.of(typical, diagonal, s)
            for s in (0.0, *(steepness_for(typical, diagonal, aim) for aim in aims))
        ]
        parts = rng.choice(len(proposals), p=_WEIGHTS, size=many)
        z = np.empty_like(moved)
        for k, proposal in enumerate(proposals):
            z[parts == k] = proposal.draw(int(np.sum(parts == k)), rng)
        log_p = -special.logsumexp([r.log_ratio(z) for r in proposals], axis=0, b=_WEIGHTS[:, None])
        loss = entry_losses(z, moved, diagonal).sum(axis=1) + losses(
            noise, (self.other - self.x) / (self.n * float(self.mean_scale))
        )
        triangle = np.zeros((many, p, p))
        triangle[:, *upper] = z
        symmetric = triangle + np.swapaxes(np.triu(triangle, 1), 1, 2)
        score = self._score(self._second_moment(here + scale * symmetric, rng))
        return score, np.exp(log_p), np.exp(log_p - loss)

    def _mean(self, row: Floats) -> Floats:
        return np.asarray((row + self.counts @ self.rest) / self.n, dtype=float)

    def _released_mean(self, row: Floats, many: int, rng: np.random.Generator) -> Floats:
        return np.asarray(
            self._mean(row) + float(self.mean_scale) * rng.laplace(size=(many, len(row))), dtype=float
        )

    def _moments(self, row: Floats, mu: Floats) -> tuple[Floats, Floats]:
        """Second moments (k, p, p) given each released mean (k, m), and where the first record ends (k, p)."""
        rows = np.concatenate([row[None, :], self.rest])
        centred = rows - mu[:, None, :]
        ends = (centred / np.linalg.norm(centred, axis=2, keepdims=True)) @ self.projection
        weighted = ends * np.concatenate([[1], self.counts])[:, None] / self.n
        return np.swapaxes(weighted, 1, 2) @ ends, ends[:, 0]

    def _second_moment(self, released: Floats, rng: np.random.Generator) -> Floats:
        """T of the synthetic records drawn for each released matrix (k, p, p): repaired, factored, a Wishart matrix between."""
        values, vectors = np.linalg.eigh((released + np.swapaxes(released, 1, 2)) / 2)
        factor = vectors * np.sqrt(np.maximum(values, 0.0))[:, None, :]
        if self.size is not None:
            factor = (
                factor @ _root_wishart(len(released), factor.shape[1], self.size, rng) / np.sqrt(self.size)
            )
        return np.asarray(factor @ np.swapaxes(factor, 1, 2), dtype=float)

    def _score(self, second: Floats) -> Floats:
        """The loss of the symmetrised covariance release at T (k, p, p), the released mean taken to be the true one: (k,)."""
        here, there = (self._moments(row, self._mean(self.x)[None, :])[0] for row in (self.x, self.other))
        scale, p = float(self.matrix.scale), second.shape[1]
        upper = np.triu_indices(p)
        near, far = (
            log_density(((second - centre) / scale)[:, *upper], on_diagonal(p)) for centre in (here, there)
        )
        return np.asarray((near - far).sum(axis=1), dtype=float)

    def _chunk(self) -> int:
        p, (k, m) = self.projection.shape[1], self.rest.shape
        records = int(min(self.size or 1, 4 * p))
        return int(max(50, _CHUNK // ((k + 1) * m + 6 * p * p + records * p)))


def synthetic_attack(
    p: int,
    n: int,
    size: int | None,
    epsilon_mean: float,
    epsilon_covariance: float,
    sensitivity: str = "printed",
    m: int | None = None,
    seed: int = 0,
) -> SyntheticAttack:
    """The attack on `size` synthetic records of n records in R^m, m > p (p + 1 by default), noise on all entries.

    Raises ValueError where n is too small for a bulk that outweighs the noise.
    """
    checked(p, n, epsilon_mean, sensitivity)
    matrix = covariance_attack(p, n, epsilon_covariance, sensitivity)
    width = p + 1 if m is None else m
    for name, value, least in (("m", width, p + 1), ("size", 1 if size is None else size, 1)):
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
            raise SpecError(f"{name} must be a whole number >= {least}, got {value!r}")
    room = float(matrix.scale) * n * _ROOM * np.sqrt(p)
    along = int(np.ceil(room / 2))
    pairs = (n - 1 - 2 * p * along) // 2
    if pairs < 1:
        raise SpecError(
            f"n = {n} records are too few: the bulk alone takes {2 * p * along}; take n >= {2 * p * along + 3}"
        )
    w = np.linalg.qr(np.random.default_rng(seed).standard_normal((width, p + 1)))[0]
    w, r = w[:, :p], w[:, p]
    rest = np.concatenate([w.T, -w.T, r[None, :], -r[None, :]])
    counts = np.array([along] * (2 * p) + [pairs, n - 1 - 2 * p * along - pairs])
    other = r if p == 1 else w @ matrix.v
    mean_scale = printed_mean(width) / (n * rational(epsilon_mean))
    return SyntheticAttack(size, epsilon_mean, mean_scale, matrix, w @ matrix.u, other, rest, counts, w)


def _root_wishart(many: int, p: int, size: int, rng: np.random.Generator) -> Floats:
    """A (many, p, .) with A A' Wishart, `size` degrees of freedom: the records themselves, or Bartlett's triangle."""
    if size < 4 * p:
        return rng.standard_normal((many, p, size))
    root = np.tril(rng.standard_normal((many, p, p)), -1)
    root[:, np.arange(p), np.arange(p)] = np.sqrt(rng.chisquare(size - np.arange(p), (many, p)))
    return np.asarray(root, dtype=float)


def _best_threshold(score: Floats, p: Floats, q: Floats, epsilon: float) -> float:
    """The threshold with the largest estimate of P - e^epsilon Q, three standard errors taken off, among quantiles of the draws."""
    best, chosen = -np.inf, float(np.median(score))
    gains = p - np.exp(epsilon) * q
    for threshold in np.quantile(score, np.linspace(0.02, 0.98, _TRIED)):
        v = gains * (score > threshold)
        if (value := float(v.mean() - 3 * v.std() / np.sqrt(len(v)))) > best:
            best, chosen = value, float(threshold)
    return chosen
