"""Departures along a ray, and how many samples find one: the noise scaled by 1/c, or the claim made c times stricter."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from scipy import special

from ....mechanisms.mechanism import Mechanism
from ....symbolic.arrays import Floats
from ....symbolic.privacy.guarantees import Guarantee
from ...record.evidence import SCALED_NOISE, STRICTER_CLAIM
from ..attack.claimed_curve import ClaimedCurve
from ..checks.likelihood_ratio import CHOOSING
from ..sampling import Schedule, has_density
from .at_the_claim import WORST, noise_at
from .cells import Cells
from .simulated_audits import fewest_samples, refuted_share

LEAST, MOST = 100, 10**9  # samples per input
LARGEST = 1e3  # departure
_EXCESSES = tuple(float(e) for e in np.geomspace(1e-4, LARGEST, 117))  # of c over one
_ROUGH, _FINE = 100, 350  # simulated audits per number of samples
_STEP, _GRID = 1.35, np.geomspace(0.7, 1.4, 7)  # multiples of the fewest samples that are tried
_MARGIN = 0.2  # of the failures: what a simulation does not see


@dataclass(frozen=True)
class Departure:
    """One pair of neighbours: the cells and the claimed curve at each factor c >= 1 along the ray.

    `level` is the error probability of the one check, `width` the number of entries of an outcome; `known` says that the
    subject tells its density.
    """

    ray: str
    at: Callable[[float], tuple[Cells, ClaimedCurve]]
    width: int
    known: bool

    @classmethod
    def all_of(cls, subject: Any, guarantee: Guarantee, release: str = WORST) -> list[Departure]:
        """One for each pair of neighbours; where there is no law to look at, one for a release exactly at the guarantee, none if there is no such."""
        if isinstance(subject, Mechanism):
            return [cls._of_law(subject, pair, guarantee) for pair in subject.neighbours()]
        known = subject is not None and has_density(subject, subject.neighbours()[0], 1)
        if release != WORST:
            noise = noise_at(release, guarantee)
            found = [] if noise is None else cls.all_of(noise, guarantee)
            return found if known else [departure._without_law() for departure in found]
        cells = Cells.at(guarantee)
        assert cells is not None
        return [cls(STRICTER_CLAIM, partial(_stricter, cells, guarantee), 1, known)]

    @classmethod
    def _of_law(cls, subject: Mechanism, pair: tuple[Any, Any], guarantee: Guarantee) -> Departure:
        width = subject.law(pair[0]).dimension
        try:
            subject.with_noise_divided_by(2.0)
        except TypeError:
            cells = Cells.of(subject, subject, pair)
            return cls(STRICTER_CLAIM, partial(_stricter, cells, guarantee), width, True)
        return cls(SCALED_NOISE, partial(_scaled, subject, pair, ClaimedCurve.of(guarantee)), width, True)

    def _without_law(self) -> Departure:
        def at(factor: float) -> tuple[Cells, ClaimedCurve]:
            cells, claimed = self.at(factor)
            return cells.without_law(), claimed

        return replace(self, at=at, known=False)

    def fewest(self, factor: float, level: float, power: float) -> float:
        """The samples that the best event alone needs, infinite if none breaks the claim."""
        return fewest_samples(*self.at(factor), level, power)

    def found(self, samples: float, factor: float, level: float, audits: int) -> float:
        """The share of simulated audits that refute."""
        schedule = Schedule.of(min(MOST, max(LEAST, round(samples))), self.width, self.known)
        learning = sum(schedule.learning)
        chosen = min(learning, CHOOSING) if self.known else learning
        return refuted_share(*self.at(factor), chosen, sum(schedule.units), level, audits)

    def samples(self, factor: float, level: float, power: float) -> float | None:
        """The samples that find this factor, None if they are too many."""
        fewest = max(self.fewest(factor, level, power), LEAST / 2)
        if fewest > MOST:
            return None
        multiple = _multiple(
            lambda m, audits: self.found(m * fewest, factor, level, audits), power, MOST / fewest
        )
        return None if multiple is None or multiple * fewest > MOST else max(multiple * fewest, LEAST)

    def factor(self, samples: float, level: float, power: float) -> float | None:
        """The smallest factor that so many samples find, None if none is."""
        target = power + _MARGIN * (1 - power)

        def found(excess: float, audits: int) -> bool:
            return self.found(samples, 1 + excess, level, audits) >= target

        above = bisect_left(_EXCESSES, True, key=lambda excess: found(excess, _ROUGH))
        if above == len(_EXCESSES):
            return None
        # A rough answer is one or two steps off at most.
        low, high = _EXCESSES[max(above - 2, 0)], _EXCESSES[min(above + 1, len(_EXCESSES) - 1)]
        for _ in range(4):
            middle = math.sqrt(low * high)
            low, high = (low, middle) if found(middle, _FINE) else (middle, high)
        return 1 + high


def _stricter(cells: Cells, guarantee: Guarantee, factor: float) -> tuple[Cells, ClaimedCurve]:
    return cells, ClaimedCurve.of(guarantee.tightened(factor))


def _scaled(
    subject: Mechanism, pair: tuple[Any, Any], claimed: ClaimedCurve, factor: float
) -> tuple[Cells, ClaimedCurve]:
    return Cells.of(subject, subject.with_noise_divided_by(factor), pair), claimed


def _multiple(found: Callable[[float, int], float], power: float, most: float) -> float | None:
    """The smallest x with found(x, simulated audits) >= power, to about 5 %: a probit line through several x; None if there is none up to `most`.

    `found` grows with x, but for the noise of the simulations.
    """
    target = power + _MARGIN * (1 - power)
    x = 1.0
    while found(x, _ROUGH) < target - 0.02:
        x *= _STEP
        if x > most:
            return None
    for _ in range(4):
        grid = x * _GRID
        crossing = _crossing(np.log(grid), np.array([found(float(m), _FINE) for m in grid]), target)
        if math.log(grid[0]) <= crossing <= math.log(grid[-1]):
            return math.exp(crossing)
        x = float(grid[0] if crossing < math.log(grid[0]) else grid[-1])
    return x


def _crossing(x: Floats, shares: Floats, target: float) -> float:
    """Where a weighted probit line through (x, shares) reaches the target; beyond the ends if it does not rise."""
    share = (shares * _FINE + 0.5) / (_FINE + 1)
    z = special.ndtri(share)
    weight = np.exp(-(z**2)) / (share * (1 - share))
    centre = np.average(x, weights=weight), np.average(z, weights=weight)
    slope = float(np.sum(weight * (x - centre[0]) * (z - centre[1])) / np.sum(weight * (x - centre[0]) ** 2))
    gap = float(special.ndtri(target) - centre[1])
    return float(centre[0] + gap / slope) if slope > 0 else math.copysign(math.inf, gap)
