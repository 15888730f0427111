"""Privacy claims about laws whose exact loss, profile and Renyi divergence mpmath evaluates to 60 digits and more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import mpmath as mp
import numpy as np

from fuzzing.subject_case import SubjectCase
from noiseproof.audit.trial.checks.derivation import DerivationCheck
from noiseproof.audit.trial.examine import examine
from noiseproof.mechanisms.gaussian import GaussianMechanism
from noiseproof.mechanisms.laplace import LaplaceMechanism
from noiseproof.mechanisms.mechanism import Mechanism
from noiseproof.mechanisms.randomised_response import RandomisedResponse
from noiseproof.symbolic.claim import Claim
from noiseproof.symbolic.privacy.guarantees import (
    ApproxDP,
    GaussianDP,
    Guarantee,
    PureDP,
    RenyiDP,
    ZeroConcentratedDP,
)
from noiseproof.symbolic.privacy.pair import Pair, ProductLaplacePair
from noiseproof.symbolic.proof.enclosure import rational
from noiseproof.symbolic.proof.truth import Truth

Number = mp.mpf
_READING = 1e-12  # a claim's number is read to twelve digits
_WORDS = {Truth.HOLDS: "PROVED", Truth.FAILS: "REFUTED", Truth.UNKNOWN: "UNDECIDED"}


@dataclass(frozen=True)
class Known:
    """A subject and what is exactly true of it; `loss` is None where it is unbounded, `mu` where it is no normal pair."""

    subject: Mechanism | Pair
    text: str
    delta: Callable[[Number], Number]
    renyi: Callable[[Number], Number]
    loss: Number | None
    mu: Number | None


def _number(value: float) -> Number:
    return mp.mpf(repr(float(value)))


def _word(subject: Mechanism | Pair, guarantee: Guarantee) -> str:
    if isinstance(subject, Pair):
        return _WORDS[guarantee.holds(subject)]
    claim = Claim(guarantee, subject, about="law")
    # One in four by the whole audit, with the integrals; what proves is the derivation.
    if guarantee.vacuous() or hash(guarantee) % 4 == 0:
        return examine(None, claim, samples=100).verdict.name
    check = DerivationCheck.bind(claim)
    assert check is not None
    return check.judge(None, None, 0.05).verdict.name


def gaussian(rng: np.random.Generator, reach: float = 1.5) -> Known:
    """Normal noise; means mu deviations apart."""
    sigma, sensitivity = (float(f"{10 ** rng.uniform(-reach / 2, reach / 2):.6g}") for _ in range(2))
    mu = _number(sensitivity) / _number(sigma)

    def delta(epsilon: Number) -> Number:
        return mp.ncdf(mu / 2 - epsilon / mu) - mp.exp(epsilon) * mp.ncdf(-mu / 2 - epsilon / mu)

    text = f"GaussianMechanism({sigma!r}, {sensitivity!r})"
    return Known(GaussianMechanism(sigma, sensitivity), text, delta, lambda a: a * mu**2 / 2, None, mu)


def laplace(rng: np.random.Generator, reach: float = 1.5) -> Known:
    """Laplace noise; centres r scales apart, in one to three entries."""
    epsilon, sensitivity = (float(f"{10 ** rng.uniform(-reach / 2, reach / 2):.6g}") for _ in range(2))
    entries, r = int(rng.integers(1, 4)), _number(epsilon)

    def delta(e: Number) -> Number:
        return -mp.expm1((e - r) / 2) if e < r else mp.mpf(0)

    def renyi(a: Number) -> Number:
        return mp.log((a * mp.exp((a - 1) * r) + (a - 1) * mp.exp(-a * r)) / (2 * a - 1)) / (a - 1)

    text = f"LaplaceMechanism({epsilon!r}, {sensitivity!r}, {entries})"
    return Known(LaplaceMechanism(epsilon, sensitivity, entries), text, delta, renyi, r, None)


def randomised_response(rng: np.random.Generator, reach: float = 1.5) -> Known:
    """The truth with odds e^epsilon against each other category."""
    epsilon = float(f"{10 ** rng.uniform(-reach, reach / 2):.6g}")
    k, loss = int(rng.choice([2, 3, 5, 40, 2000])), _number(epsilon)
    other = 1 / (mp.exp(loss) + k - 1)
    truth = mp.exp(loss) * other

    def delta(e: Number) -> Number:
        return max(truth - mp.exp(e) * other, mp.mpf(0))

    def renyi(a: Number) -> Number:
        mass = truth**a * other ** (1 - a) + other**a * truth ** (1 - a) + (k - 2) * other
        return mp.log(mass) / (a - 1)

    subject = RandomisedResponse(epsilon, k)
    return Known(subject, f"RandomisedResponse({epsilon!r}, {k})", delta, renyi, loss, None)


def product(rng: np.random.Generator) -> Known:
    """Laplace noise on two entries, centres r and s scales apart: one loss is integrated over the other."""
    r, s = sorted(_number(f"{10 ** rng.uniform(-1.5, 1.2):.5g}") for _ in range(2))

    def one(e: Number) -> Number:
        return mp.mpf(0) if e >= s else -mp.expm1(e) if e <= -s else -mp.expm1((e - s) / 2)

    def delta(e: Number) -> Number:
        breaks = sorted({-r, r, *(x for x in (e - s, e + s) if -r < x < r)})
        inner = mp.quad(lambda x: mp.exp((x - r) / 2) / 4 * one(e - x), breaks)
        return one(e - r) / 2 + mp.exp(-r) / 2 * one(e + r) + inner

    def renyi(a: Number) -> Number:
        return sum(
            mp.log((a * mp.exp((a - 1) * x) + (a - 1) * mp.exp(-a * x)) / (2 * a - 1)) / (a - 1)
            for x in (r, s)
        )

    ratios = tuple(rational(mp.nstr(x, 12)) for x in (r, s))
    return Known(ProductLaplacePair(ratios), f"ProductLaplacePair{ratios}", delta, renyi, r + s, None)


def _off(rng: np.random.Generator, truth: Number) -> float:
    """A number off the true one by a random relative margin beyond the reading, on a random side."""
    margin = 10 ** mp.mpf(rng.uniform(-11.8, -1)) * int(rng.choice([-1, 1]))
    return float(truth * (1 + margin))


def _case(
    family: str, known: Known, guarantee: Guarantee, truth: Number, claimed: float, holds: bool | None = None
) -> SubjectCase:
    true = bool(_number(claimed) >= truth) if holds is None else holds
    margin = float(abs(_number(claimed) / truth - 1)) if truth else 1.0
    description = f"{known.text}, {guarantee!r}"
    return SubjectCase(family, description, lambda: _word(known.subject, guarantee), true, margin)


def _usable(value: float) -> bool:
    return 1e-307 < value < 1e307


def _pure(family: str, known: Known, rng: np.random.Generator) -> SubjectCase:
    if known.loss is None:
        claimed = float(10 ** rng.uniform(-3, 2))
        return _case(family, known, PureDP(claimed), mp.inf, claimed, False)
    claimed = _off(rng, known.loss)
    return _case(family, known, PureDP(claimed), known.loss, claimed)


def _approximate(family: str, known: Known, rng: np.random.Generator) -> SubjectCase:
    top = known.loss if known.loss is not None else known.mu * (known.mu / 2 + 12)
    epsilon = float(top * mp.mpf(rng.choice([rng.uniform(0, 1), 1 - 10 ** rng.uniform(-12, -1)])))
    truth = known.delta(_number(epsilon))
    claimed = _off(rng, truth)
    if not (_usable(claimed) and claimed < 0.999999):
        return _pure(family, known, rng)
    return _case(family, known, ApproxDP(epsilon, claimed), truth, claimed)


def _renyi(family: str, known: Known, rng: np.random.Generator) -> SubjectCase:
    order = float(1 + 10 ** rng.uniform(-3, 3))
    truth = known.renyi(_number(order))
    claimed = _off(rng, truth)
    return _case(family, known, RenyiDP(order, claimed), truth, claimed)


def _concentrated(family: str, known: Known, rng: np.random.Generator) -> SubjectCase:
    """Where the best rho is not known: below one order's it falls, from half the square of the loss on it holds."""
    if known.mu is not None:
        claimed = _off(rng, known.mu**2 / 2)
        return _case(family, known, ZeroConcentratedDP(claimed), known.mu**2 / 2, claimed)
    assert known.loss is not None
    least = max(known.renyi(mp.mpf(a)) / a for a in (1.01, 1.1, 1.5, 2, 4, 8, 32))
    margin = mp.mpf(10) ** rng.uniform(-11.8, -1)
    claimed = float(rng.choice([float(least * (1 - margin)), float(known.loss**2 / 2 * (1 + margin))]))
    holds = _number(claimed) > least
    return _case(
        family,
        known,
        ZeroConcentratedDP(claimed),
        known.loss**2 / 2 if holds else least,
        claimed,
        bool(holds),
    )


def _normal(family: str, known: Known, rng: np.random.Generator) -> SubjectCase:
    """The same for mu: below the total variation's it falls, from randomised response's on it holds."""
    if known.mu is not None:
        claimed = _off(rng, known.mu)
        return _case(family, known, GaussianDP(claimed), known.mu, claimed)
    assert known.loss is not None
    apart = known.delta(mp.mpf(0))
    least = 2 * mp.sqrt(2) * mp.erfinv(apart)
    most = 2 * mp.sqrt(2) * mp.erfinv(mp.tanh(known.loss / 2))
    margin = mp.mpf(10) ** rng.uniform(-11.8, -1)
    claimed = float(rng.choice([float(least * (1 - margin)), float(most * (1 + margin))]))
    holds = _number(claimed) > least
    return _case(family, known, GaussianDP(claimed), most if holds else least, claimed, bool(holds))


_CLAIMS = (_pure, _approximate, _renyi, _concentrated, _normal)


def _drawn(name: str, make: Callable[[np.random.Generator], Known]) -> Callable[..., SubjectCase]:
    def draw(rng: np.random.Generator) -> SubjectCase:
        with mp.workdps(80):
            known = make(rng)
            # Of many losses the whole profile is looked at, which takes a second.
            claims = _CLAIMS[:-1] if isinstance(known.subject, Pair) else _CLAIMS
            return claims[rng.integers(len(claims))](name, known, rng)

    return draw


def extreme(rng: np.random.Generator) -> SubjectCase:
    """Numbers from 1e-300 to 1e300, in the mechanism and in the claim."""
    size = float(f"{10 ** rng.uniform(-300, 300):.9g}")
    with mp.workdps(60):
        exact = _number(size)
        claimed = _off(rng, exact)
        kind = rng.integers(5)
        if kind == 0:
            mechanism: Mechanism = LaplaceMechanism(size, 1.0)
            guarantee: Guarantee = PureDP(claimed)
        elif kind == 1:
            mechanism, guarantee = LaplaceMechanism(1.0, size), PureDP(_off(rng, mp.mpf(1)))
            exact, claimed = mp.mpf(1), guarantee.epsilon
        elif kind == 2:
            mechanism, guarantee = RandomisedResponse(size, int(rng.choice([2, 7]))), PureDP(claimed)
        elif kind == 3:
            mechanism, guarantee = GaussianMechanism(1.0, size), GaussianDP(claimed)
        else:
            order = float(1 + 10 ** rng.uniform(-10, 250))
            exact = _number(order) * exact**2 / 2
            claimed = _off(rng, exact)
            if not _usable(claimed):
                return extreme(rng)
            mechanism, guarantee = GaussianMechanism(1.0, size), RenyiDP(order, claimed)
        known = Known(mechanism, f"{type(mechanism).__name__} of {size!r}", None, None, None, None)  # type: ignore[arg-type]
        return _case("guarantee: extreme", known, guarantee, exact, claimed)


def tiny_delta(rng: np.random.Generator) -> SubjectCase:
    """Epsilon within the reading of the largest loss, or far below it, and a delta next to nothing."""
    loss = float(f"{10 ** rng.uniform(-1, 2.5):.8g}")
    with mp.workdps(60):
        below = 10 ** mp.mpf(rng.uniform(-13.5, -2))
        epsilon = float(_number(loss) * (1 - below))
        gap = _number(loss) - _number(epsilon)
        truth = -mp.expm1(-gap / 2)
        claimed = float(10 ** rng.uniform(-300, -14)) if rng.random() < 0.7 else _off(rng, truth)
        known = Known(
            LaplaceMechanism(loss, 1.0),
            f"LaplaceMechanism({loss!r}, 1.0)",
            None,
            None,
            None,
            None,  # type: ignore[arg-type]
        )
        return _case("guarantee: tiny delta", known, ApproxDP(epsilon, claimed), truth, claimed)


FAMILIES = (
    _drawn("guarantee: gaussian", gaussian),
    _drawn("guarantee: laplace", laplace),
    _drawn("guarantee: randomised response", randomised_response),
    _drawn("guarantee: product", product),
    extreme,
    tiny_delta,
)
