"""The exact joint test of P(E) <= e^epsilon Q(E) + delta for one event, and the lower bound on epsilon that it gives.

k of n outcomes under P and l of m under Q fall into E, independently.  Possible counts are ordered by a nominal lower
bound; the p-value of epsilon is the largest probability, over all P(E), Q(E) that epsilon allows, of counts ordered
at or above those seen, which makes the bound exact and monotone (Buehler 1957).  Q(E) need only be searched over an
exact confidence interval if the interval's error is added (Berger and Boos 1994).  Between the points of the search
the probability is bounded through its fourth derivative: nothing is asymptotic.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from ....symbolic.arrays import Floats

_NUISANCE_SHARE = 1e-3  # of alpha, for the confidence interval of Q(E)
_SPACING = 1.0  # of the search for the worst Q(E), in standard deviations, at alpha = 0.05
_FINER = 4  # times, where not one outcome under P need be expected outside of the event
_LOSS, _PRECISION = (
    0.01,
    0.02,
)  # in standard deviations of epsilon: what the spacing costs the bound, how exactly it is found
_ROWS, _BLOCKS = 16_000, 120  # up to so many counts under Q are summed one by one; more are summed in blocks
_NODES = 50_000  # of the search: below alpha = 1e-26 the bound between them is wider than it need be
_NUMBERS = 100_000  # held at once: as many as stay in the cache of a core
# Of alpha, and at least: for counts outside of the windows, and for rounding.
_GUARD, _LEAST_GUARD = 1e-4, 1e-12
LEAST_LEVEL = 2 * _LEAST_GUARD  # of a test: no counts have a p-value below what is kept for rounding


@dataclass(frozen=True)
class EventCount:
    """k of n outcomes in an event under P, l of m under Q."""

    k: int
    n: int
    l: int  # noqa: E741
    m: int


def nominal_bound(
    k: ArrayLike,
    n: ArrayLike,
    l: ArrayLike,  # noqa: E741
    m: ArrayLike,
    delta: ArrayLike,
    z: ArrayLike,
) -> Floats:
    """log of the ratio r at which k/n - delta - r l/m lies z standard deviations above zero, broadcast; -inf if none does."""
    k, n, l, m, delta, z = (np.asarray(v, dtype=float) for v in (k, n, l, m, delta, z))  # noqa: E741
    p, q = k / n, _shrunk(l, m, z)
    a, vp, vq = p - delta, p * (1 - p) / n, q * (1 - q) / m
    # the smaller root r of (a - r q)^2 = z^2 (vp + r^2 vq)
    c2, c1, c0 = q * q - z * z * vq, a * q, a * a - z * z * vp
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio = c0 / (c1 + np.sqrt(np.maximum(c1 * c1 - c2 * c0, 0.0)))
        return np.where((a > 0) & (c0 > 0), np.log(ratio), -np.inf)


def _shrunk(l: Floats, m: Floats, z: Floats) -> Floats:  # noqa: E741
    """Q(E) estimated with z^2/4 + 1/2 more of the outcomes inside: its variance never vanishes."""
    more = 0.5 + np.square(z) / 4
    return np.asarray((l + more) / (m + 2 * more), dtype=float)


def clopper_pearson(k: int, n: int, error: float) -> tuple[float, float]:
    """The exact confidence interval for a rate from k of n, `error` split over its two ends."""
    low = 0.0 if k == 0 else float(special.betaincinv(k, n - k + 1, error / 2))
    high = 1.0 if k == n else float(special.betaincinv(k + 1, n - k, 1 - error / 2))
    return low, high


class EventTest:
    """The p-value of every epsilon, from the counts of one event at a fixed delta; `alpha` is the level it is tuned to."""

    def __init__(self, count: EventCount, delta: float, alpha: float) -> None:
        self.count, self.delta, self.alpha = count, delta, alpha
        self.beta = _NUISANCE_SHARE * alpha
        # A probability near alpha is off by some roundings of the largest logarithm of a factorial.
        rounding = 64 * float(np.spacing(special.gammaln(count.n + count.m + 1)))
        self.guard = max((_GUARD + rounding) * alpha, _LEAST_GUARD)
        # Counts outside a window have at most the probability e^-tail on either side; there are two windows.
        self.tail = float(np.log(8 / self.guard))
        self.z = float(-special.ndtri(alpha))
        self.spacing = _SPACING * min(1.0, (alpha / 0.05) ** 0.125)
        c = count
        bound = float(nominal_bound(c.k, c.n, c.l, c.m, delta, self.z))
        self.nominal = bound if alpha >= LEAST_LEVEL else -np.inf
        self.p_low, self.p_high = clopper_pearson(c.k, c.n, self.beta / 2)
        self.q_low, self.q_high = clopper_pearson(c.l, c.m, self.beta / 2)

    def p_value(self, epsilon: float) -> float:
        """The largest probability, under any laws that (epsilon, delta) allows, of counts at least as extreme."""
        c, ratio = self.count, float(np.exp(min(epsilon, 300.0)))
        if not np.isfinite(self.nominal):
            return 1.0
        q = self._nodes(ratio)
        if not len(q):
            return self.beta
        p = np.minimum(ratio * q + self.delta, self.p_high)
        y = self._window(q, c.m)
        edge = self._edge(y)
        if len(y) > _ROWS:
            # Within a block every count is taken for its most extreme one, the first.
            y, edge = y[:: len(y) // _BLOCKS], edge[:: len(y) // _BLOCKS]
        at, slope = self._probability(p, q, ratio, y, edge)
        with np.errstate(divide="ignore"):
            information = ratio**2 * c.n / (p * (1 - p)) + c.m / (q * (1 - q))
        between = _highest_between(q, at, slope, information)
        steep = between > 1.25 * np.maximum(at[:-1], at[1:])
        if steep.any():
            # F increases in P(E) and decreases in Q(E).
            corner, _ = self._probability(p[1:][steep], q[:-1][steep], ratio, y, edge)
            between[steep] = np.minimum(between[steep], corner)
        return min(1.0, float(np.max(between, initial=at[0])) + self.beta + self.guard)

    def lower_bound(self) -> float:
        """The largest epsilon, to a few hundredths of its standard deviation, with p-value at most alpha; 0 if there is none."""
        if not np.isfinite(self.nominal):
            return 0.0
        unit = self.standard_deviation()
        if self.nominal + 0.1 * unit < 0:
            return 0.0
        low, high, epsilon = -np.inf, np.inf, max(self.nominal - (_LOSS + _PRECISION / 2) * unit, 0.0)
        before: tuple[float, float] | None = None
        for _ in range(12):
            p = self.p_value(epsilon)
            short = -self.z - float(special.ndtri(np.clip(p, 1e-300, 1 - 1e-12)))
            if p <= self.alpha:
                low = max(low, epsilon)
                if short < _PRECISION:
                    break
            elif epsilon <= 0:
                return 0.0
            else:
                high = min(high, epsilon)
            if high - low < 1e-4:
                break
            if before is not None and before[1] != short:
                unit = float(np.clip((epsilon - before[0]) / (before[1] - short), unit / 3, 3 * unit))
            before = epsilon, short
            epsilon = max(epsilon + (short - _PRECISION / 2) * unit, 0.0)
            if not low < epsilon < high:
                epsilon = max(0.5 * (low + high), 0.0)
        return max(low, 0.0)

    def standard_deviation(self) -> float:
        """About that of the estimate of epsilon."""
        c, z = self.count, max(self.z, 1.0)
        far, near = nominal_bound(c.k, c.n, c.l, c.m, self.delta, [z, z - 0.5])
        return max(2 * float(near - far), 2e-6) if np.isfinite(far) else 1.0

    def refutes(self, epsilon: float, bound: float) -> bool:
        """Whether (epsilon, delta) is refuted, given the lower bound: the p-value is asked only where the bound leaves a doubt."""
        if bound >= epsilon and bound > 0:  # a bound of zero may be none at all
            return True
        near = epsilon < max(bound, self.nominal) + 0.1 * self.standard_deviation()
        return bool(np.isfinite(self.nominal) and near and self.p_value(epsilon) <= self.alpha)

    def _nodes(self, ratio: float) -> Floats:
        """Values of Q(E) in its confidence interval, evenly spaced in standard deviations of the two counts together."""
        c = self.count
        # Once P(E) has reached its largest value, a larger Q(E) only makes the counts less extreme.
        start = max(self.q_low, (self.p_low - self.delta) / ratio)
        end = max(min(self.q_high, (self.p_high - self.delta) / ratio), self.q_low)
        if end <= start:
            return np.array([start] if start <= self.q_high else [])
        angle = np.linspace(np.arcsin(np.sqrt(start)), np.arcsin(np.sqrt(end)), 1001)
        q = np.sin(angle) ** 2
        p = np.clip(ratio * q + self.delta, 0.0, 1.0)
        place = 2 * (np.sqrt(c.m) * angle + np.sqrt(c.n) * np.arcsin(np.sqrt(p)))
        # Where P(E) comes near 1, the information has no limit, and only monotonicity bounds the probability.
        finer = _FINER if c.n * (1 - p[-1]) < 1 else 1
        steps = min(int((place[-1] - place[0]) / self.spacing * finer) + 2, _NODES)
        nodes = np.interp(np.linspace(place[0], place[-1], steps), place, q)
        nodes[0], nodes[-1] = start, end
        return np.asarray(nodes, dtype=float)

    def _edge(self, y: Floats) -> Floats:
        """For each count y under Q the smallest count under P that is ordered at or above the counts seen; n + 1 if none is."""
        c, ratio, z2 = self.count, np.exp(self.nominal), self.z**2
        q = _shrunk(y, np.asarray(float(c.m)), np.asarray(self.z))
        middle, spread = self.delta + ratio * q, z2 * ratio**2 * q * (1 - q) / c.m
        # the larger root p of (p - middle)^2 = z^2 p (1 - p)/n + spread
        half = middle + z2 / (2 * c.n)
        root = (half + np.sqrt(np.maximum(half**2 - (1 + z2 / c.n) * (middle**2 - spread), 0.0))) / (
            1 + z2 / c.n
        )
        edge = np.minimum(np.ceil(c.n * root - 1e-6), c.n + 1.0)
        edge[y == c.l] = np.minimum(edge[y == c.l], c.k)
        return np.asarray(np.maximum.accumulate(np.where(y <= c.l, np.minimum(edge, c.k), edge)), dtype=float)

    def _probability(
        self, p: Floats, q: Floats, ratio: float, y: Floats, edge: Floats
    ) -> tuple[Floats, Floats]:
        """P(X >= edge(Y)) for each (p, q), and its slope in q where p grows by `ratio` times as much.

        Counts between two of `y` have the edge of the first.
        """
        c = self.count
        if len(y) > 1 and y[1] - y[0] > 1:
            tail, tail_slope = _at_least(edge, c.n, p)
            mass, mass_slope = (-np.diff(v) for v in _at_least(np.append(y, y[-1] + (y[1] - y[0])), c.m, q))
            return _sums(tail, mass), ratio * _sums(tail_slope, mass) + _sums(tail, mass_slope)
        x = self._window(p, c.n)
        log_x, log_y = _log_masses(x, c.n), _log_masses(y, c.m)
        reached = np.searchsorted(edge, x, side="right")
        rows = min(len(p), max(1, _NUMBERS // (len(x) + len(y))))
        masses, taken = np.empty((rows, max(len(x), len(y)))), np.empty((2, rows, len(x)))
        # Column j: the probability of the j smallest counts under Q, and the term that the j-th leaves of its slope.
        below = np.zeros((2, rows, len(y) + 1))
        # Counts from the middle of their window, so that little is lost to rounding.
        middle = np.round(x.mean())
        moments, found = np.stack([np.ones(len(x)), x - middle], axis=1), np.empty((3, len(p)))
        for first in range(0, len(p), rows):
            part = slice(first, first + rows)
            size = len(p[part])
            mass = _masses(log_y, c.m, q[part], masses[:size, : len(y)])
            np.cumsum(mass, axis=1, out=below[0, :size, 1:])
            np.multiply(mass, y, out=below[1, :size, :-1])
            with np.errstate(divide="ignore", invalid="ignore"):
                below[1, :size, -1] = mass[:, -1] * (c.m - y[-1]) * q[part] / (1 - q[part])
            within, left = np.take(below[:, :size], reached, axis=2, out=taken[:, :size], mode="clip")
            mass = _masses(log_x, c.n, p[part], masses[:size, : len(x)])
            found[2, part] = below[1, :size, 0] * mass.sum(axis=1) - _sums(left, mass)
            found[:2, part] = moments.T @ np.multiply(within, mass, out=within).T
        at, with_x, with_y = found
        with np.errstate(divide="ignore", invalid="ignore"):
            return at, ratio * (with_x - (c.n * p - middle) * at) / (p * (1 - p)) + with_y / q

    def _window(self, rates: Floats, n: int) -> Floats:
        """The counts of n outcomes that matter for every one of these ascending rates, by Bernstein's inequality."""

        def reach(rate: float) -> float:
            third = self.tail / 3
            return float(third + np.sqrt(third**2 + 2 * self.tail * n * rate * (1 - rate)))

        low, high = float(rates[0]), float(rates[-1])
        first, last = np.floor(n * low - reach(low)), np.ceil(n * high + reach(high))
        return np.arange(max(first, 0.0), min(last, float(n)) + 1)


def _highest_between(q: Floats, at: Floats, slope: Floats, information: Floats) -> Floats:
    """Upper bounds of the probability F of a set of counts between neighbouring rates q (c,), from F, its slope and the Fisher information there.

    F differs from the cubic with its values and slopes by at most h^4/384 max |F^(4)|, and |F^(4)| <= sqrt(4! F) I^2: the
    fourth-order score of independent binomial counts has variance at most 4! I^4.  I is convex, so largest at an end.
    """
    step = np.diff(q)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        bend = np.sqrt(24) / 384 * (np.maximum(information[:-1], information[1:]) * step**2) ** 2
        top = _cubic_top(at[:-1], at[1:], step * slope[:-1], step * slope[1:])
        bound = ((bend + np.sqrt(bend**2 + 4 * top)) / 2) ** 2
    return np.where(np.isfinite(bound), bound, 1.0)


def _cubic_top(start: Floats, end: Floats, rise: Floats, fall: Floats) -> Floats:
    """The largest values on [0, 1] of cubics from `start`, with slope `rise`, to `end`, with slope `fall`."""
    c2, c3 = 3 * (end - start) - 2 * rise - fall, 2 * (start - end) + rise + fall
    root = -(c2 + np.copysign(np.sqrt(np.maximum(c2**2 - 3 * c3 * rise, 0.0)), c2))
    turns = (np.clip(np.nan_to_num(t), 0.0, 1.0) for t in (root / (3 * c3), rise / root))
    return np.asarray(
        np.max([start, end, *(start + t * (rise + t * (c2 + t * c3)) for t in turns)], axis=0), dtype=float
    )


def _sums(a: Floats, b: Floats) -> Floats:
    """The sum of the products in each row."""
    return np.asarray(np.einsum("ij,ij->i", a, b), dtype=float)


def _at_least(k: Floats, n: int, rate: Floats) -> tuple[Floats, Floats]:
    """Binomial probabilities of at least k and their derivatives in the rate, shapes (rates, counts)."""
    inside, rate = np.clip(k, 1, n), rate[:, None]
    tail = special.betainc(inside, n - inside + 1, rate)
    choose = special.gammaln(n + 1) - special.gammaln(inside) - special.gammaln(n - inside + 1)
    slope = np.exp(choose + special.xlogy(inside - 1, rate) + special.xlog1py(n - inside, -rate))
    tail = np.where(k <= 0, 1.0, np.where(k > n, 0.0, tail))
    return np.asarray(tail, dtype=float), np.where((k <= 0) | (k > n), 0.0, slope)


def _log_masses(k: Floats, n: int) -> Floats:
    """Of which terms the log probability of k of n is a sum, weighted by the rate, shape (3, counts); k rises by one."""
    # From one count to the next the number of choices changes by a simple ratio, whose logarithm costs least.
    choose = np.empty(len(k))
    choose[0] = special.gammaln(n + 1) - special.gammaln(k[0] + 1) - special.gammaln(n - k[0] + 1)
    np.cumsum(np.log((n - k[:-1]) / k[1:]), out=choose[1:])
    choose[1:] += choose[0]
    return np.stack([k, np.ones(len(k)), choose])


def _masses(log_masses: Floats, n: int, rate: Floats, out: Floats) -> Floats:
    """Binomial probabilities (rates, counts), written to `out`."""
    # Rates of 0 and 1 are taken a rounding error inside.
    r = np.clip(rate, 1e-300, 1 - 2.0**-53)
    weights = np.stack([np.log(r) - np.log1p(-r), n * np.log1p(-r), np.ones(len(r))], axis=1)
    np.matmul(weights, log_masses, out=out)
    return np.asarray(np.exp(out, out=out), dtype=float)
