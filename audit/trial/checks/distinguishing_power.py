"""How small a departure the distinguisher would find: its whole procedure on simulated counts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from ....mechanisms.mechanism import Subject
from ....symbolic.arrays import Floats
from ....symbolic.privacy.guarantees import Guarantee
from ....symbolic.privacy.pair import DiscretePair, GaussianPair, Pair
from ...record.evidence import Resolution
from ..attack.chosen_event import chosen_event_refutes, directed
from ..attack.claimed_curve import ClaimedCurve
from ..attack.scores import law_score
from ..outcomes import Kinds, Outcomes
from .resolution import smallest_factor

Rates = Callable[[float], tuple[Floats, Floats, ClaimedCurve]]

SCALED_NOISE, STRICTER_CLAIM = "the noise scaled by 1/c", "the claim made c times stricter"
_LAW_DRAWS, _LAW_NUMBERS = 40_000, 4_000_000
_REPEATS = 60
_CHANCE = 2.0  # standard deviations: other outcomes also teach another score
_LEVELS = np.unique(
    np.concatenate(
        [np.linspace(0.02, 0.98, 40), np.geomspace(1e-4, 0.02, 9), 1 - np.geomspace(1e-4, 0.02, 9)]
    )
)


def found_factor(
    subject: Subject | None,
    pair: tuple[Any, Any],
    guarantee: Guarantee,
    chosen: float,
    counted: float,
    alpha: float,
    seen: tuple[Floats, Floats] | None,
) -> Resolution | None:
    """The smallest c at which 95 % of audits refute: `chosen` outcomes pick the event, `counted` test it at level alpha.

    The noise is scaled by 1/c where the law can be scaled.  Otherwise the claim is made c times stricter, with the
    rates `seen` on inputs 0 and 1; None if there are none.
    """
    rates, ray = scaled_law_rates(subject, pair, guarantee), SCALED_NOISE
    if rates is not None:

        def found(c: float) -> float:
            q, p, claimed = rates(c)
            return Simulated.of(q, p, chosen, counted).power(claimed, alpha)

    elif seen is not None:
        # A claim made stricter leaves the rates, and so the counts, as they are.
        ray, (q, p) = STRICTER_CLAIM, _cautious(*seen, counted)
        drawn = Simulated.of(q, p, chosen, counted)

        def found(c: float) -> float:
            return drawn.power(ClaimedCurve.of(guarantee.tightened(c), points=12), alpha)

    else:
        return None
    value = smallest_factor(found)
    return None if value is None else Resolution(ray, value)


def _cautious(q: Floats, p: Floats, counted: float) -> tuple[Floats, Floats]:
    """Rates on inputs 0 and 1 nearer to each other than those that were seen, by about what chance may have added."""
    q, p = (np.clip(r, 1e-9, 1 - 1e-9) for r in (q, p))
    side = np.sign(p - q)
    spread = [_CHANCE * np.sqrt(r * (1 - r) / max(counted, 1.0)) for r in (q, p)]
    middle = (p + q) / 2
    nearest_q = np.where(side > 0, np.minimum(q + spread[0], middle), np.maximum(q - spread[0], middle))
    nearest_p = np.where(side > 0, np.maximum(p - spread[1], middle), np.minimum(p + spread[1], middle))
    return nearest_q, nearest_p


def finds_half_noise(guarantee: Guarantee, chosen: float, counted: float, alpha: float) -> bool:
    """Whether 95 % of audits of this size refute the clearest release that has half of the noise which the claim needs.

    True where no such release is known.
    """
    try:
        events = _events(guarantee.at_half_noise().attained_pair())
    except ValueError:  # a guarantee of a user's own may have no double of itself
        events = None
    if events is None:
        return True
    return Simulated.of(*events, chosen, counted).power(ClaimedCurve.of(guarantee, points=12), alpha) >= 0.95


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


@dataclass(frozen=True)
class Simulated:
    """Counts (r, J) under P and Q of events with P on input 1, then of their complements with P on input 0."""

    choosing: tuple[Floats, Floats]
    chosen: int
    testing: tuple[Floats, Floats]
    counted: int

    @classmethod
    def of(cls, q: Floats, p: Floats, chosen: float, counted: float) -> Simulated:
        """Simulated audits of events that have rates q on input 0 and p on input 1."""
        rng = np.random.default_rng(0)
        chosen, counted = max(int(chosen), 2), max(int(counted), 2)
        drawn = [tuple(_counts(r, size, rng) for r in (q, p)) for size in (chosen, counted)]
        choosing, testing = (
            directed(k0, k1, n) for (k0, k1), n in zip(drawn, (chosen, counted), strict=True)
        )
        return cls(choosing, chosen, testing, counted)

    def power(self, claimed: ClaimedCurve, alpha: float) -> float:
        """The fraction of the audits that refute the claimed curve at level alpha."""
        found, _ = chosen_event_refutes(
            self.choosing, self.chosen, self.testing, self.counted, claimed, alpha
        )
        return float(found.mean())


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


def _counts(rates: Floats, size: int, rng: np.random.Generator) -> Floats:
    """Counts (repeats, J) of {score > t_j} with these rates: nested events if the rates fall with j, else independent ones."""
    if len(rates) > 1 and np.all(np.diff(rates) <= 0):
        cells = np.clip(-np.diff(np.concatenate([[1.0], rates, [0.0]])), 0.0, 1.0)
        below = np.cumsum(rng.multinomial(size, cells / cells.sum(), size=_REPEATS), axis=1)
        return np.asarray(size - below[:, :-1], dtype=float)
    return rng.binomial(size, np.clip(rates, 0.0, 1.0), size=(_REPEATS, len(rates))).astype(float)
