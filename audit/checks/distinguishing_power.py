"""How small a departure the distinguisher would find: its whole procedure on simulated counts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from ...symbolic.guarantees import Guarantee
from ..attack.claimed_curve import ClaimedCurve
from ..attack.event_bound import nominal_bound
from ..attack.events import CAUTION
from ..attack.scores import law_score
from ..evidence import Resolution
from ..outcomes import Kinds, Outcomes
from .resolution import smallest_factor

Floats = NDArray[np.float64]
Rates = Callable[[float], tuple[Floats, Floats, ClaimedCurve]]

SCALED_NOISE, STRICTER_CLAIM = "the noise scaled by 1/c", "the claim made c times stricter"
_LAW_DRAWS, _LAW_NUMBERS = 40_000, 4_000_000
_REPEATS = 60
_LEVELS = np.unique(
    np.concatenate(
        [np.linspace(0.02, 0.98, 40), np.geomspace(1e-4, 0.02, 9), 1 - np.geomspace(1e-4, 0.02, 9)]
    )
)


def found_factor(subject: Any, pair: tuple[Any, Any], guarantee: Guarantee, chosen: float, counted: float, alpha: float,
                 seen: tuple[Floats, Floats] | None) -> Resolution | None:  # fmt: skip
    """The smallest c at which 95 % of audits refute: `chosen` outcomes pick the event, `counted` test it at level alpha.

    The noise is scaled by 1/c where the law can be scaled.  Otherwise the claim is made c times stricter, with the
    rates `seen` on inputs 0 and 1; None if there are none.
    """
    rates, ray = scaled_law_rates(subject, pair, guarantee), SCALED_NOISE
    if rates is None:
        if seen is None:
            return None
        rates, ray = stricter_claim_rates(guarantee, seen), STRICTER_CLAIM
    drawn: dict[tuple[int, int], Simulated] = {}

    def found(c: float) -> float:
        q, p, claimed = rates(c)
        # A claim made stricter leaves the rates, and so the counts, as they are.
        key = id(q), id(p)
        if key not in drawn:
            drawn.clear()
            drawn[key] = Simulated.of(q, p, chosen, counted)
        return drawn[key].power(claimed, alpha)

    value = smallest_factor(found)
    return None if value is None else Resolution(ray, value)


@dataclass(frozen=True)
class Simulated:
    """Counts (r, J) of events with P on input 1, then of their complements with P on input 0.

    `a`, `b` of `chosen` outcomes under P and Q choose, `k`, `l` of `counted` test.
    """

    a: Floats
    b: Floats
    chosen: int
    k: Floats
    l: Floats  # noqa: E741
    counted: int
    rates: tuple[Floats, Floats]

    @classmethod
    def of(cls, q: Floats, p: Floats, chosen: float, counted: float) -> Simulated:
        """Simulated audits of events that have rates q on input 0 and p on input 1."""
        rng = np.random.default_rng(0)
        chosen, counted = max(int(chosen), 2), max(int(counted), 2)
        select0, select1 = (_counts(r, chosen, rng) for r in (q, p))
        k0, k1 = (_counts(r, counted, rng) for r in (q, p))
        a, b = (np.concatenate(s, axis=1) for s in ((select1, chosen - select0), (select0, chosen - select1)))
        k, l = (np.concatenate(s, axis=1) for s in ((k1, counted - k0), (k0, counted - k1)))  # noqa: E741
        return cls(a, b, chosen, k, l, counted, (q, p))

    def power(self, claimed: ClaimedCurve, alpha: float) -> float:
        """The fraction of the audits that refute the claimed curve at level alpha."""
        a, b, chosen, counted, rows = self.a, self.b, self.chosen, self.counted, np.arange(_REPEATS)
        z = float(-special.ndtri(alpha))
        if claimed.fixed is not None:
            allowed = claimed.allowed_epsilon(claimed.fixed)
            promise = nominal_bound(
                a, chosen, b, chosen, claimed.fixed, z * np.sqrt(chosen / counted) + CAUTION
            )
            best = np.argmax(promise, axis=1)
            found = nominal_bound(self.k[rows, best], counted, self.l[rows, best], counted, claimed.fixed, z)
            return float(np.mean(found > allowed))
        # Where on the curve a gap is widest, over all points (g,), repeats (r,) and events (J,) at once.
        u, v = (a + 0.5) / (chosen + 1), (b + 1.0) / (chosen + 2)
        ratio, delta = np.exp(claimed.epsilon)[:, None, None], claimed.delta[:, None, None]
        gap = (u - ratio * v - delta) / np.sqrt(u * (1 - u) + ratio**2 * (v * (1 - v)))
        point, place = np.divmod(gap.transpose(1, 0, 2).reshape(_REPEATS, -1).argmax(axis=1), u.shape[1])
        found = nominal_bound(
            self.k[rows, place], counted, self.l[rows, place], counted, claimed.delta[point], z
        )
        return float(np.mean(found > claimed.epsilon[point]))


def scaled_law_rates(subject: Any, pair: tuple[Any, Any], guarantee: Guarantee) -> Rates | None:
    """Event rates when the declared law's noise is divided by c, events sorted by the declared law; None if it cannot be.

    Both rates come from one sample of the scaled law at input 1, weighted for input 0: their errors nearly cancel in
    p - e^epsilon q.
    """
    law, scale = getattr(subject, "law", None), getattr(subject, "with_noise_divided_by", None)
    if law is None or scale is None:
        return None
    claimed = ClaimedCurve.of(guarantee, points=12)
    score = law_score(subject.log_density, pair, "")

    def rates(c: float) -> tuple[Floats, Floats, ClaimedCurve]:
        mechanism = scale(c)
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
        above = np.concatenate([np.cumsum(weight[order][::-1])[::-1], [0.0]])[place]
        return np.minimum(above / len(s), 1.0), 1 - place / len(s), claimed

    try:
        rates(2.0)
    except (TypeError, ValueError):
        return None
    return rates


def stricter_claim_rates(guarantee: Guarantee, seen: tuple[Floats, Floats]) -> Rates:
    """The rates that were seen, against the claim made c times stricter."""
    q, p = (np.clip(r, 1e-9, 1 - 1e-9) for r in seen)
    return lambda c: (q, p, ClaimedCurve.of(guarantee.tightened(c), points=12))


def _counts(rates: Floats, size: int, rng: np.random.Generator) -> Floats:
    """Counts (repeats, J) of {score > t_j} with these rates: nested events if the rates fall with j, else independent ones."""
    if len(rates) > 1 and np.all(np.diff(rates) <= 0):
        cells = np.clip(-np.diff(np.concatenate([[1.0], rates, [0.0]])), 0.0, 1.0)
        below = np.cumsum(rng.multinomial(size, cells / cells.sum(), size=_REPEATS), axis=1)
        return np.asarray(size - below[:, :-1], dtype=float)
    return rng.binomial(size, np.clip(rates, 0.0, 1.0), size=(_REPEATS, len(rates))).astype(float)
