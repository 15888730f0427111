"""How small a departure the distinguisher would find: its whole procedure on simulated counts."""

from __future__ import annotations

from collections.abc import Callable
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
    value = smallest_factor(lambda c: power(*rates(c), chosen, counted, alpha))
    return None if value is None else Resolution(ray, value)


def power(q: Floats, p: Floats, claimed: ClaimedCurve, chosen: float, counted: float, alpha: float) -> float:
    """The fraction of simulated audits that refute, when events have rates q on input 0 and p on input 1."""
    rng = np.random.default_rng(0)
    chosen, counted = max(int(chosen), 2), max(int(counted), 2)
    z = float(-special.ndtri(alpha))
    select0, select1 = (_counts(r, chosen, rng) for r in (q, p))
    k0, k1 = (_counts(r, counted, rng) for r in (q, p))
    # P on input 1, then the complements with P on input 0.
    a, b = (np.concatenate(s, axis=1) for s in ((select1, chosen - select0), (select0, chosen - select1)))
    k, l = (np.concatenate(s, axis=1) for s in ((k1, counted - k0), (k0, counted - k1)))  # noqa: E741
    rows = np.arange(_REPEATS)
    if claimed.fixed is not None:
        allowed = claimed.allowed_epsilon(claimed.fixed)
        promise = nominal_bound(a, chosen, b, chosen, claimed.fixed, z * np.sqrt(chosen / counted) + CAUTION)
        best = np.argmax(promise, axis=1)
        found = nominal_bound(k[rows, best], counted, l[rows, best], counted, claimed.fixed, z)
        return float(np.mean(found > allowed))
    top, place, point = (
        np.full(_REPEATS, -np.inf),
        np.zeros(_REPEATS, dtype=int),
        np.zeros(_REPEATS, dtype=int),
    )
    for j, (e, d) in enumerate(zip(claimed.epsilon, claimed.delta, strict=True)):
        u, v = (a + 0.5) / (chosen + 1), (b + 1.0) / (chosen + 2)
        gap = (u - np.exp(e) * v - d) / np.sqrt(u * (1 - u) + np.exp(2 * e) * v * (1 - v))
        best = np.argmax(gap, axis=1)
        better = gap[rows, best] > top
        top, place, point = (
            np.where(better, new, old) for new, old in ((gap[rows, best], top), (best, place), (j, point))
        )
    found = nominal_bound(k[rows, place], counted, l[rows, place], counted, claimed.delta[point], z)
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
