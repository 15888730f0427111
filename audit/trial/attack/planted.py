"""Leaks of known size, planted into recorded outcomes: what the attack makes of them is what its survival is worth."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from ..outcomes import Kinds, Outcomes
from .claimed_curve import ClaimedCurve
from .copies import Copies
from .event_bound import EventCount, clopper_pearson, nominal_bound
from .read import holds_text

SHARES = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)  # of outcomes that give the record away
WORD = "therecord"
_DOUBT = 0.4  # error of the rates that a planted leak had: printed on the cautious side
_LESS = 0.7  # of a share is planted, so that what is printed is on the cautious side
_QUOTES = re.compile(r"^\w+ b?['\"]|(?=['\"]$)")
_AUDITS, _POWER = 400, 0.95
USUAL, STRICT = (
    0.05,
    1e-5,
)  # levels: leaks are planted from what the first may find up to what the second does
MOST, EVERY = 5_000, 1_000  # outcomes per input into which leaks are planted, and leaks in every outcome


def in_clear(sample: Outcomes, share: float, rng: np.random.Generator, anywhere: bool = False) -> Outcomes:
    """The same outcomes, of which a little less than this share give the record away: by a word in their text, by one of their numbers, or as an answer of its own.

    A number stands at one and the same place, or `anywhere`, then beside text too.
    """
    hit = rng.random(len(sample)) < (_LESS * share if share < 1 else 1)
    if holds_text(sample) and not anywhere:
        return _with_words(sample, hit, lambda text: _with_word(text, rng))
    spread = np.ptp(sample.values, axis=0)
    if not spread.any():
        return _with_words(sample, hit, lambda _: WORD)
    column = int(rng.choice(np.flatnonzero(spread)))
    values = sample.values.copy()
    # Inside of the range, and no number that occurs.
    places = rng.integers(values.shape[1], size=np.count_nonzero(hit)) if anywhere else column
    values[hit, places] = np.quantile(values[:, column], 0.6) + spread[column] / 977
    return Outcomes(values, sample.kinds)


def _with_words(sample: Outcomes, hit: NDArray[np.bool_], told: Callable[[str], str]) -> Outcomes:
    words = sample.kinds.words()
    for row in np.flatnonzero(hit):
        words[row] = told(words[row])
    return Outcomes(sample.values, Kinds.of(words))


def _with_word(text: str, rng: np.random.Generator) -> str:
    # Between words, or at either end of a text that is quoted.
    places = [i for i, letter in enumerate(text) if letter == " "] + [
        found.end() for found in _QUOTES.finditer(text)
    ]
    place = int(rng.choice(places or [len(text)]))
    return f"{text[:place]} {WORD} {text[place:]}"


@dataclass(frozen=True)
class Planted:
    """A leak in this share of outcomes, and the rates under P and Q of the event that it made the attack choose.

    The event is tested at one point of the claim, with the part `level` of alpha.  `copies` is what recurs in the
    outcomes as copied records would.
    """

    share: float
    p: float
    q: float
    epsilon: float
    delta: float
    level: float = 1.0
    copies: Copies | None = None

    @classmethod
    def of(cls, share: float, seen: EventCount, epsilon: float, delta: float, level: float = 1.0) -> Planted:
        """From counts of outcomes that did not choose the event."""
        p, q = clopper_pearson(seen.k, seen.n, _DOUBT)[0], clopper_pearson(seen.l, seen.m, _DOUBT)[1]
        # What every outcome says on one input, and none on the other, has no rate to be cautious about.
        q = 0.0 if share == 1 and seen.l == 0 else q
        return cls(share, p, q, epsilon, delta, level)

    def power(self, counted: float, alpha: float) -> float:
        """How often a test of the event at level alpha refutes the claim, with so many outcomes on either input."""
        rng = np.random.default_rng(0)
        k, other = (rng.binomial(int(counted), rate, size=_AUDITS) for rate in (self.p, self.q))
        z = -special.ndtri(self.level * alpha)
        return float(np.mean(nominal_bound(k, counted, other, counted, self.delta, z) > self.epsilon))


def promising(chosen: float, counted: float, claimed: ClaimedCurve) -> tuple[float, ...]:
    """The shares from the smallest that could be found if nothing but the planted outcomes were in the event."""
    points = (
        [(claimed.allowed_epsilon(claimed.fixed), claimed.fixed)]
        if claimed.fixed is not None
        else [*zip(claimed.epsilon.tolist(), claimed.delta.tolist(), strict=True)][::6]
    )

    def clear(share: float) -> bool:
        seen = EventCount(int(_LESS * share * chosen), int(chosen), 0, int(chosen))
        return any(Planted.of(share, seen, *at).power(counted, USUAL) >= _POWER for at in points)

    return SHARES[next((i for i, share in enumerate(SHARES) if clear(share)), len(SHARES)) :]


def found_share(planted: Sequence[Planted], counted: float, alpha: float) -> float | None:
    """The smallest planted share that audits find with probability 0.95; None if they find none."""
    return min((leak.share for leak in planted if leak.power(counted, alpha) >= _POWER), default=None)
