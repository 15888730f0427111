"""Explicit neighbouring data sets through the whole of algorithm 3, the noisy mean and the noisy covariance released.

Record x is replaced by -x, all other records equal r.  Given the released mean mu the covariances differ by
(u u' - v v')/n with u, v the projected directions of x - mu and -x - mu: orthogonal where |mu| = 1 (Thales), which the
r's see to.  The mean's part of the loss is at its largest for every mu that lies beyond both means; so both parts reach
their maximum together, at mu = mean + t x with |mu| = 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import sympy as sp
from numpy.typing import ArrayLike
from scipy import special

from noiseproof.audit.record.witness import Witness
from noiseproof.audit.studies.ron_gauss.loss_witness import pipeline_loss
from noiseproof.audit.trial.checks.rare_events import Sample
from noiseproof.mechanisms.ron_gauss.scales import needed_mean, printed_mean
from noiseproof.symbolic.arrays import Floats
from noiseproof.symbolic.errors import SpecError
from noiseproof.symbolic.proof.enclosure import rational
from ron_gauss_trials.covariance import MatrixAttack, checked, covariance_attack
from ron_gauss_trials.tilted import log_normaliser, losses, steepness_for, tilted_noise

_ALONG = 0.6  # x'r: how far the other records lean towards x
_TRIALS = 2_000
_ROUNDING = 1e-13
_WEIGHTS = np.array([0.1, 0.1, 0.4, 0.4])  # both laws themselves, and two tilted ones
_ROUNDING = 1e-9  # nats
_BEYOND = 1e-6  # how far the output lies beyond the first covariance, relative to the difference


@dataclass(frozen=True, eq=False)
class PipelineAttack:
    """Data sets (x, r, ..., r) and (-x, r, ..., r) of n records in R^m, W (m, p) fixed and known, outputs (mu, S).

    `matrix` is the attack on the covariance release alone; `mean_scale` the scale of the noise on the mean, exact.
    """

    n: int
    epsilon_mean: float
    mean_scale: sp.Expr
    matrix: MatrixAttack
    symmetric: bool
    x: Floats
    r: Floats
    projection: Floats

    @property
    def epsilon(self) -> float:
        """The budget that theorem 3 adds up: of the mean and of the covariance."""
        return float(rational(self.epsilon_mean) + rational(self.matrix.epsilon))

    @property
    def ceiling(self) -> sp.Expr:
        """What no neighbours, projection and outputs exceed: the mean's sensitivity in scales plus the covariance's bound."""
        return needed_mean(len(self.x)) / (self.n * self.mean_scale) + self.matrix.bound

    @cached_property
    def outputs(self) -> tuple[Floats, Floats]:
        """The released mean (m,) beyond both means with |mu| = 1, and the covariance (p, p) just beyond the first one."""
        centre = self._means()[0]
        along, inside = float(centre @ self.x), 1.0 - float(centre @ centre)
        mu = centre + (np.sqrt(along**2 + inside) - along) * self.x
        u, v, common = (self._directions(mu[None, :], row)[0] for row in (self.x, -self.x, self.r))
        first = (np.outer(u, u) + (self.n - 1) * np.outer(common, common)) / self.n
        return mu, first + _BEYOND * (np.outer(u, u) - np.outer(v, v)) / self.n

    def witness(self, epsilon: float | None = None) -> Witness:
        """Data sets, projection and outputs as plain data; it refutes `epsilon` (the added budget) if the loss exceeds it."""
        mu, s = self.outputs
        return {
            "kind": "privacy loss of a pipeline",
            "records": [_decimals(self.x), _decimals(-self.x)],
            "other": _decimals(self.r),
            "count": self.n,
            "columns": [_decimals(row) for row in self.projection],
            "mean": _decimals(mu),
            "covariance": [_decimals(row) for row in s],
            "symmetric": self.symmetric,
            "mean_scale": sp.sstr(self.mean_scale),
            "covariance_scale": sp.sstr(self.matrix.scale),
            "epsilon": str(rational(self.epsilon if epsilon is None else epsilon)),
        }

    @cached_property
    def loss(self) -> tuple[float, float]:
        """The loss at `outputs` by the mean and by the covariance, from enclosures rounded down."""
        low = [float(part.lower()) for part in pipeline_loss(self.witness())]
        return low[0], low[1]

    def weighted(self, size: int = 20_000, seed: int = 0, epsilon: float | None = None) -> Sample:
        """Losses of the joint release and exact weights, from a mixture that reaches `epsilon` (the added budget).

        `Sample.lower(epsilon, alpha)` is then a certified lower bound of delta(epsilon).
        """
        if isinstance(size, bool) or not isinstance(size, int | np.integer) or size < 100:
            raise SpecError(f"size must be a whole number >= 100, got {size!r}")
        target = self.epsilon if epsilon is None else epsilon
        rng = np.random.default_rng(seed)
        shift = self._mean_shift()
        typical = np.concatenate([shift, self._covariance_shift(self._means()[0][None, :])[0]])
        aims = np.minimum([1.02 * target, (target + np.abs(typical).sum()) / 2], 0.98 * np.abs(typical).sum())
        steepness = [0.0, -1.0, *(steepness_for(typical, float(aim)) for aim in aims)]
        sizes = rng.multinomial(size, _WEIGHTS)
        total, log_weight = np.empty(size), np.empty(size)
        for rows, s in zip(np.split(np.arange(size), np.cumsum(sizes)[:-1]), steepness, strict=True):
            if not len(rows):
                continue
            noise = tilted_noise(np.tile(shift, (len(rows), 1)), s, rng)
            moved = self._covariance_shift(self._means()[0] + float(self.mean_scale) * noise)
            second = tilted_noise(moved, s, rng)
            loss = losses(noise, shift) + losses(second, moved)
            terms = [t * loss - log_normaliser(shift, t) - log_normaliser(moved, t) for t in steepness]
            total[rows] = loss
            log_weight[rows] = -special.logsumexp(terms, axis=0, b=_WEIGHTS[:, None])
        order = rng.permutation(size)
        return Sample(
            np.array([target]), total[order] - _ROUNDING, np.exp(log_weight[order]), self.outputs[0]
        )

    def _means(self) -> tuple[Floats, Floats]:
        rest = (self.n - 1) * self.r
        return (rest + self.x) / self.n, (rest - self.x) / self.n

    def _mean_shift(self) -> Floats:
        """Where the second mean lies from the first, in scales (m,)."""
        first, second = self._means()
        return np.asarray((second - first) / float(self.mean_scale), dtype=float)

    def _covariance_shift(self, mu: Floats) -> Floats:
        """Where the second covariance lies from the first for each released mean (k, m), in scales (k, d)."""
        u, v = (self._directions(mu, row) for row in (self.x, -self.x))
        moved = (v[:, :, None] * v[:, None, :] - u[:, :, None] * u[:, None, :]) / (
            self.n * float(self.matrix.scale)
        )
        p = moved.shape[1]
        return moved[:, *np.triu_indices(p)] if self.symmetric else moved.reshape(len(mu), p * p)

    def _directions(self, mu: Floats, row: Floats) -> Floats:
        centred = row - mu
        return np.asarray(
            (centred / np.linalg.norm(centred, axis=1, keepdims=True)) @ self.projection, dtype=float
        )


def pipeline_attack(
    p: int,
    m: int,
    n: int,
    epsilon_mean: float,
    epsilon_covariance: float,
    sensitivity: str = "printed",
    symmetric: bool = False,
    projection: ArrayLike | None = None,
) -> PipelineAttack:
    """The attack on algorithm 3 at n >= 2 records in R^m, m >= 2, projected to R^p.

    Without `projection` W is the one for which both parts of the loss are largest: x = (1, ..., 1)/sqrt(m).  For a given
    W (m, p) with orthonormal columns x is chosen to suit it, and the mean's part is smaller.
    """
    checked(p, n, epsilon_covariance, sensitivity)
    checked(p, n, epsilon_mean, sensitivity)
    if isinstance(m, bool) or not isinstance(m, int | np.integer) or m < max(2, p):
        raise SpecError(f"m must be a whole number >= 2 and at least p = {p}, got {m!r}")
    matrix = covariance_attack(p, n, epsilon_covariance, sensitivity, symmetric)
    mean_scale = printed_mean(m) / (n * rational(epsilon_mean))
    if projection is None:
        x, r, w = _both_at_their_largest(matrix, m, n)
    else:
        w = np.asarray(projection, dtype=float)
        # The witness is about the orthonormal factor of W: W itself may differ from it by rounding only.
        if w.shape != (m, p) or not np.abs(w.T @ w - np.eye(p)).max() <= _ROUNDING:
            raise SpecError(
                f"projection must have shape ({m}, {p}) and orthonormal columns, got shape {w.shape}"
            )
        x, r = _suited_to(w, matrix)
    return PipelineAttack(n, epsilon_mean, mean_scale, matrix, symmetric, x, r, w)


def _both_at_their_largest(matrix: MatrixAttack, m: int, n: int) -> tuple[Floats, Floats, Floats]:
    half = m // 2
    x = np.full(m, 1 / np.sqrt(m))
    g = np.repeat([np.sqrt((m - half) / (half * m)), -np.sqrt(half / ((m - half) * m))], [half, m - half])
    r = _ALONG * x + np.sqrt(1 - _ALONG**2) * g
    trial = PipelineAttack(n, 1.0, sp.Integer(1), matrix, False, x, r, np.eye(m, len(matrix.u)))
    mu, _ = trial.outputs
    ends = [(row - mu) / np.linalg.norm(row - mu) for row in (x, -x)]
    return x, r, _isometry(np.column_stack(ends), _two_columns(matrix), len(matrix.u))


def _two_columns(matrix: MatrixAttack) -> Floats:
    """u and v as columns (p, 2), or u alone for p = 1, where the second record is projected to zero."""
    return matrix.u[:, None] if len(matrix.u) == 1 else np.column_stack([matrix.u, matrix.v])


def _isometry(to: Floats, source: Floats, p: int) -> Floats:
    """W (m, p), orthonormal columns, with W source = to (its first columns) and its range orthogonal to the rest of `to`."""
    k = source.shape[1]
    left = np.linalg.qr(np.column_stack([to, np.eye(len(to))]))[0]
    left[:, : to.shape[1]] *= np.sign(np.sum(left[:, : to.shape[1]] * to, axis=0))
    right = np.linalg.qr(np.column_stack([source, np.eye(p)]))[0][:, :p]
    right[:, :k] *= np.sign(np.sum(right[:, :k] * source, axis=0))
    kept = [*range(k), *range(to.shape[1], to.shape[1] + p - k)]
    return np.asarray(left[:, kept] @ right.T, dtype=float)


def _suited_to(w: Floats, matrix: MatrixAttack) -> tuple[Floats, Floats]:
    """x in the span of W u', W v' for u', v' equal to u, v up to signs and order, with |x|_1 large; r = mu at a right angle."""
    rng = np.random.default_rng(0)
    m, p = w.shape
    best: tuple[float, Floats, Floats] = (-1.0, w[:, 0], w[:, 0])
    across = np.linalg.qr(np.column_stack([w, np.ones(m) + np.eye(m)[0]]))[0][:, p] if m > p else None
    if p == 1 and across is None:
        raise SpecError("p = m = 1 leaves nothing to choose")
    for _ in range(_TRIALS):
        order, signs = rng.permutation(p), rng.choice([-1.0, 1.0], p)
        a = w @ (signs * matrix.u[order])
        b = across if p == 1 and across is not None else w @ (signs * matrix.v[order])
        angle = rng.uniform(np.pi / 4 + 0.15, np.pi / 2 - 0.15)
        x = np.cos(angle) * a - np.sin(angle) * b
        if (size := float(np.abs(x).sum())) > best[0]:
            best = (size, x, -(np.cos(angle) * a + np.sin(angle) * b))
    return best[1], best[2]


def _decimals(vector: Floats) -> list[str]:
    return [f"{float(x):.15g}" for x in vector]
