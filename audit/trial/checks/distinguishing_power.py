"""How small a departure the distinguisher would find: its whole procedure on simulated counts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import special

from ....mechanisms.mechanism import Subject
from ....symbolic.arrays import Floats
from ....symbolic.privacy.guarantees import Guarantee
from ....symbolic.privacy.pair import DiscretePair, GaussianPair, Pair
from ...record.evidence import HALF, SCALED_NOISE, Resolution
from ..attack.chosen_event import Places, chosen_event_refutes, directed, steepest
from ..attack.claimed_curve import ClaimedCurve
from ..attack.scores import law_score
from ..outcomes import Kinds, Outcomes
from .enough_samples import MOST, smallest_size
from .resolution import LARGEST_FACTOR, smallest_factor

Rates = Callable[[float], tuple[Floats, Floats, ClaimedCurve]]

_LAW_DRAWS, _LAW_NUMBERS = 40_000, 4_000_000
_REPEATS, _MANY, _POWER, _BETWEEN = 60, 600, 0.95, 8
_CAUTION, _CHANCE, _CLEARLY = (
    1.0,
    1.645,
    2.3,
)  # standard deviations by which chance may have moved what was seen
_NINE_OF_TEN = 1.28  # the same for the factor, which nine of ten audits must not understate
_COUNTED = 100.0  # outcomes in an event and outside of it, of both inputs
_USUAL = (
    0.15  # of the outcomes in an event, and outside of it: in rarer ones chance alone looks like anything
)
_BARELY = 1.15  # a claim that may be broken by less than this factor of the noise, for all that was seen, is as good as met
_CLEAR = 4.0  # standard deviations by which rates that were drawn from a law must break a claim
_ROUNDING = 1e-9
_LEVELS = np.unique(
    np.concatenate(
        [np.linspace(0.02, 0.98, 40), np.geomspace(1e-4, 0.02, 9), 1 - np.geomspace(1e-4, 0.02, 9)]
    )
)


def power_here(
    subject: Subject | None,
    pair: tuple[Any, Any],
    guarantee: Guarantee,
    chosen: float,
    counted: float,
    alpha: float,
    seen: tuple[Floats, Floats] | None,
) -> Resolution | None:
    """Whether 95 % of audits find half the noise at this pair: `chosen` outcomes pick the event, `counted` test it at level alpha.

    The noise is scaled by 1/c where the law can be scaled.  Otherwise the privacy loss is multiplied by c, as far as the
    rates `seen` on inputs 0 and 1 show it; None if there are none.
    """
    claimed = ClaimedCurve.of(guarantee, points=12)
    scaled = scaled_law_rates(subject, pair, guarantee)
    if scaled is not None:
        rates = scaled

        def at(c: float, size: float, caution: float) -> tuple[Floats, Floats]:
            return rates(c)[:2]

        def breaks(c: float, size: float | None) -> bool:
            q, p = (r[None] for r in rates(c)[:2])
            return bool(steepest(*directed(q, p, 1), claimed, _ROUNDING) * np.sqrt(_LAW_DRAWS) > _CLEAR)

    elif seen is not None:
        odds = LogOdds.of(*seen, counted)

        def at(c: float, size: float, caution: float) -> tuple[Floats, Floats]:
            return odds.between(c, -caution, size)

        def breaks(c: float, size: float | None) -> bool:
            return odds.breaks(claimed, c, counted, size)

    else:
        return None

    def power(c: float, size: float, audits: int = _REPEATS, caution: float = _CAUTION) -> float:
        return simulated_power(*at(c, size, caution), size * chosen / counted, size, claimed, alpha, audits)

    half = _certainly(lambda audits: power(HALF, counted, audits))
    # What decides a verdict is simulated by more audits than how much less noise would have been found beside it.
    low, high = (0.0, HALF) if half else (HALF, np.inf)

    def finds(c: float) -> bool:
        # What the counts promise by luck, the clearest release at the claim does not keep.
        often = power(c, counted, caution=_NINE_OF_TEN) >= _POWER
        return often and clearest_power(guarantee, c, chosen, counted, alpha, _MANY) >= _POWER

    value = smallest_factor(lambda c: float(c >= high or (c > low and finds(c))))
    here = Resolution(SCALED_NOISE, value)
    if here.half:
        return here
    size = np.inf
    if breaks(HALF, counted):
        size = smallest_size(lambda m: not breaks(HALF, m) or power(HALF, m) >= _POWER, 1.5 * counted)
    # What no number of samples that can be drawn would find is nothing that more samples are asked for.
    samples = size * (1 + chosen / counted)
    if samples <= MOST and scaled is not None:
        return here  # the check that the code follows its law finds half the noise, or is open itself
    if samples <= MOST:
        return replace(here, samples=samples)
    return replace(here, limit=smallest_factor(lambda c: float(breaks(c, None))) or LARGEST_FACTOR)


@dataclass(frozen=True)
class LogOdds:
    """Events (J,) by the middle of their log odds on the two inputs and by half of how far these lie apart.

    Half the noise doubles the distance: exact for normal noise and for randomised response, close for Laplace noise.
    `spread` is the standard deviation of half the distance, of one outcome.
    """

    middle: Floats
    half: Floats
    spread: Floats

    @classmethod
    def of(cls, q: Floats, p: Floats, counted: float) -> LogOdds:
        """From rates q on input 0 and p on input 1 in so many outcomes."""
        # Events that a few outcomes make look certain say nothing about the next audit.
        inside = (q + p) * counted
        clear = np.minimum(inside, 2 * counted - inside) >= min(_COUNTED, _USUAL * counted)
        least = 0.5 / (counted + 1)
        q, p = (np.clip(r[clear] if clear.any() else r, least, 1 - least) for r in (q, p))
        a, b = special.logit(q), special.logit(p)
        order = np.argsort(-(a + b), kind="stable")
        spread = np.sqrt(1 / (q * (1 - q)) + 1 / (p * (1 - p))) / 2
        return cls(((a + b) / 2)[order], ((b - a) / 2)[order], spread[order])

    def halves(self, c: float, chance: float, size: float) -> Floats:
        """Half of how far events lie apart, moved by `chance` standard deviations of so many outcomes, c times as far."""
        moved = np.maximum(np.abs(self.half) + chance * self.spread / np.sqrt(size), 0.0)
        return np.asarray(c * np.where(self.half < 0, -moved, moved), dtype=float)

    def apart(self, c: float, chance: float, size: float) -> tuple[Floats, Floats]:
        """Rates on inputs 0 and 1 that lie so far apart."""
        half = self.halves(c, chance, size)
        return special.expit(self.middle - half), special.expit(self.middle + half)

    def between(self, c: float, chance: float, size: float) -> tuple[Floats, Floats]:
        """The same with events between each two: with less noise another one is best."""
        middle, half = self.middle, self.halves(c, chance, size)
        part = np.arange(_BETWEEN)[:, None] / _BETWEEN
        # Where rarer events lie further apart, as those of normal noise do, so do these; else no further than either.
        rarer = np.abs(middle[1:]) > np.abs(middle[:-1])
        grows = (np.abs(half[1:]) > np.abs(half[:-1])) == rarer
        fine = [(1 - part) * v[:-1] + part * v[1:] for v in (middle, half)]
        least = np.where(np.abs(half[1:]) < np.abs(half[:-1]), half[1:], half[:-1])
        between = np.where(grows & (middle[1:] * middle[:-1] > 0) | (part == 0), fine[1], least)
        middle, half = np.append(fine[0].T, middle[-1]), np.append(between.T, half[-1])
        return special.expit(middle - half), special.expit(middle + half)

    def breaks(self, claimed: ClaimedCurve, c: float, counted: float, size: float | None) -> bool:
        """Whether rates c times further apart break the claim by an event that is clear after `counted` outcomes, or by a
        usual one: as it was seen, or may do so for all that `size` outcomes show."""
        n = counted if size is None else size
        clear = self.apart(c, -_CLEARLY, n)
        might = self.apart(c, 0.0, n) if size is None else self.apart(c / _BARELY, _CHANCE, n)
        usual = np.abs(sum(might) / 2 - 0.5) <= 0.5 - _USUAL
        q, p = (np.concatenate([a, b[usual]])[None] for a, b in zip(clear, might, strict=True))
        return steepest(*directed(q, p, 1), claimed, _ROUNDING) > 0


def finds_half_noise(guarantee: Guarantee, chosen: float, counted: float, alpha: float) -> bool:
    """Whether 95 % of audits of this size refute the clearest release that has half of the noise which the claim needs."""
    return _certainly(lambda audits: clearest_power(guarantee, HALF, chosen, counted, alpha, audits))


def clearest_power(
    guarantee: Guarantee, c: float, chosen: float, counted: float, alpha: float, audits: int
) -> float:
    """The share of simulated audits that refute the clearest release whose noise is c times smaller than the claim needs; 1 if none is known."""
    try:
        events = _events(guarantee.with_noise_divided_by(c).attained_pair())
    except ValueError:  # a guarantee of a user's own may have none that is looser
        events = None
    claimed = ClaimedCurve.of(guarantee, points=12)
    return 1.0 if events is None else simulated_power(*events, chosen, counted, claimed, alpha, audits)


def _events(pair: Pair | None) -> tuple[Floats, Floats] | None:
    """Rates of nested events under both laws of a pair, those of the second last."""
    if isinstance(pair, GaussianPair):
        mu = float(pair.mu)
        t = np.linspace(-4.0, mu + 4.0, 80)
        return special.ndtr(-t), special.ndtr(mu - t)
    if isinstance(pair, DiscretePair):
        p, q = (np.array(law, dtype=float)[::-1].cumsum()[-2::-1] for law in (pair.p, pair.q))
        return q, p
    return None


def simulated_power(
    q: Floats,
    p: Floats,
    chosen: float,
    counted: float,
    claimed: ClaimedCurve,
    alpha: float,
    audits: int = _REPEATS,
) -> float:
    """The share of simulated audits that refute the claimed curve at level alpha.

    Events have rates q (J,) on input 0 and p on input 1; `chosen` outcomes choose one, `counted` test it.
    """
    rng, chosen, counted = np.random.default_rng(0), max(int(chosen), 2), max(int(counted), 2)
    k0, k1 = (_counts(r, chosen, audits, rng) for r in (q, p))

    def testing(places: Places) -> tuple[Floats, Floats]:
        # Only the events that were chosen are tested.
        at, rest = places % len(q), places >= len(q)
        k0, k1 = (_counts_within(r[at], counted, rng) for r in (q, p))
        return np.where(rest, counted - k0, k1), np.where(rest, counted - k1, k0)

    found, _ = chosen_event_refutes(directed(k0, k1, chosen), chosen, testing, counted, claimed, alpha)
    return float(found.mean())


def _certainly(power: Callable[[int], float]) -> bool:
    """Whether the power is 0.95 at least: all of a few audits refute, or 0.95 of many."""
    return power(_REPEATS) == 1 or power(_MANY) >= _POWER


def scaled_law_rates(subject: Subject | None, pair: tuple[Any, Any], guarantee: Guarantee) -> Rates | None:
    """Event rates when the declared law's noise is divided by c, events sorted by the declared law; None if it cannot be.

    Both rates come from one sample of the scaled law at input 1, weighted for input 0: their errors nearly cancel in
    p - e^epsilon q.
    """
    if subject is None:
        return None
    claimed = ClaimedCurve.of(guarantee, points=12)
    score = law_score(subject.log_density, pair, "")

    def rates(c: float) -> tuple[Floats, Floats, ClaimedCurve]:
        mechanism: Any = subject.with_noise_divided_by(c)
        scaled = mechanism.law(pair[1])
        size = min(_LAW_DRAWS, max(2_000, _LAW_NUMBERS // scaled.dimension))
        y = scaled.sample(size, np.random.default_rng(1))
        s = np.round(score.of(Outcomes(y, Kinds.same("", len(y)))), 9)
        with np.errstate(all="ignore"):
            weight = np.exp(mechanism.log_density(y, pair[0]) - mechanism.log_density(y, pair[1]))
        mean, spread = float(weight.mean()), float(weight.std()) / np.sqrt(len(weight))
        # Weights average to one unless the supports differ: dividing by their mean removes most of their error.
        weight = weight / mean if abs(mean - 1) < 6 * spread + 1e-12 else weight
        order = np.argsort(s)
        cuts = np.unique(s[order][(_LEVELS * (len(s) - 1)).astype(int)])
        place = np.searchsorted(s[order], cuts[cuts < s[order[-1]]], side="right")
        # One score only: what it has on input 1, it has not on input 0.
        place = place if len(place) else np.zeros(1, dtype=int)
        above = np.concatenate([np.cumsum(weight[order][::-1])[::-1], [0.0]])[place]
        return np.minimum(above / len(s), 1.0), 1 - place / len(s), claimed

    try:
        rates(2.0)
    except (TypeError, ValueError):
        return None
    return rates


def _counts(rates: Floats, size: int, audits: int, rng: np.random.Generator) -> Floats:
    """Counts (audits, J) of {score > t_j} with these rates: nested events if the rates fall with j, else independent ones."""
    if len(rates) > 1 and np.all(np.diff(rates) <= 0):
        cells = np.clip(-np.diff(np.concatenate([[1.0], rates, [0.0]])), 0.0, 1.0)
        below = np.cumsum(rng.multinomial(size, cells / cells.sum(), size=audits), axis=1)
        return np.asarray(size - below[:, :-1], dtype=float)
    return rng.binomial(size, np.clip(rates, 0.0, 1.0), size=(audits, len(rates))).astype(float)


def _counts_within(rates: Floats, size: int, rng: np.random.Generator) -> Floats:
    """Counts of events with rates (audits, tests), of which in each audit the rarer ones lie within the others."""
    order = np.argsort(-rates, axis=1)
    falling = np.take_along_axis(rates, order, axis=1)
    inside, before = np.full(len(rates), size), np.ones(len(rates))
    counts = np.empty(rates.shape)
    for i, rate in enumerate(np.clip(falling, 0.0, 1.0).T):
        inside = rng.binomial(inside, np.divide(rate, before, out=np.zeros(len(rates)), where=before > 0))
        counts[:, i], before = inside, rate
    out = np.empty(rates.shape)
    np.put_along_axis(out, order, counts, axis=1)
    return out
