"""One column of grid noise at two centres: its exact privacy profile from half-lines of steps.

P is the noise, Q the noise `span` steps higher.  The noise is log-concave, so that the loss log p(k)/q(k) falls with k
and the best event for epsilon is {k < t}.  Before the first step both tails have one and the same ratio: they are one cell.
"""

from __future__ import annotations

from fractions import Fraction

from flint import arb

from .sampler import GridNoise


def log_mass(noise: GridNoise, k: int) -> arb:
    """log P(noise = k); k must lie in the support."""
    beyond = abs(k) - noise.last
    if beyond <= 0:
        return arb(noise.weights[k - noise.first]).log() - 128 * arb(2).log()
    r = arb(noise.ratio) / arb(2) ** 64
    value: arb = (arb(noise.tail) * (1 - r)).log() - 128 * arb(2).log() + (beyond - 1) * r.log()
    return value


def below(noise: GridNoise, k: int) -> arb:
    """P(noise < k) as a ball."""
    if k > noise.last + 1:
        value: arb = 1 - below(noise, 1 - k)
        return value
    if k < noise.first:
        return arb(noise.tail) * arb(2) ** -128 * (arb(noise.ratio) / arb(2) ** 64) ** (noise.first - k)
    return arb(noise.cumulative[k - noise.first]) * arb(2) ** -128


def loss(noise: GridNoise, span: int, k: int) -> arb | None:
    """log p(k)/q(k); None where q vanishes and p does not.  k is at most last if the noise has no tail."""
    if not noise.tail and k - span < noise.first:
        return None
    return log_mass(noise, k) - log_mass(noise, k - span)


def thresholds(noise: GridNoise, span: int, epsilon: arb) -> tuple[int, int]:
    """(s, t): the loss certainly exceeds epsilon before s, certainly does not from t on.

    first - 1 stands for all steps before the first.
    """

    def first_without(certain: bool) -> int:
        low, high = noise.first - 1, noise.last + 1 + (span if noise.tail else 0)
        while low < high:
            middle = (low + high) // 2
            here = loss(noise, span, middle) if noise.tail or middle >= noise.first else None
            above = here is None or (here > epsilon if certain else not here <= epsilon)
            low, high = (middle + 1, high) if above else (low, middle)
        return low

    return first_without(True), first_without(False)


def enclosed_profile(noise: GridNoise, span: int, epsilon: arb) -> arb:
    """delta(epsilon) >= 0 as a ball at the current precision."""
    certain, possible = thresholds(noise, span, epsilon)
    growth = epsilon.exp()
    start = certain if certain >= noise.first else None
    value = arb(0) if start is None else below(noise, start) - growth * below(noise, start - span)
    if possible > certain:
        # Where the loss is within a ball of epsilon, p - e^epsilon q is at most this share of e^epsilon q.
        ends = [loss(noise, span, k) for k in (certain, possible - 1)]
        spread = max((abs(e - epsilon).upper() for e in ends if e is not None), default=arb(0))
        mass = below(noise, possible - span) - (arb(0) if start is None else below(noise, start - span))
        extra = (growth * mass * spread.expm1()).upper()
        value = value.union(value + extra)
    return value.max(arb(0)).min(arb(1))


def exact_profile(noise: GridNoise, span: int, epsilon: arb) -> tuple[Fraction, Fraction] | None:
    """(P(A), Q(A)) of the best event A as exact fractions; None where the event is not certain or ends in a tail."""
    certain, possible = thresholds(noise, span, epsilon)
    inside = all(noise.first <= k <= noise.last + 1 for k in (certain, certain - span))
    if certain < noise.first:
        return (Fraction(0), Fraction(0)) if possible == certain else None
    if possible != certain or (noise.tail and not inside):
        return None
    return fraction_below(noise, certain), fraction_below(noise, certain - span)


def fraction_below(noise: GridNoise, k: int) -> Fraction:
    """P(noise < k) exactly, for k before the right tail; 0 below the support of a law without tails."""
    if k < noise.first:
        return Fraction(noise.tail, 1 << 128) * Fraction(noise.ratio, 1 << 64) ** (noise.first - k)
    return Fraction(noise.cumulative[min(k, noise.last + 1) - noise.first], 1 << 128)


def enclosed_renyi(noise: GridNoise, span: int, order: arb) -> arb:
    """The Renyi divergence of this order > 1 of a law with tails, the same either way round by symmetry."""
    first, last = noise.first, noise.last + span
    logs = [log_mass(noise, k) for k in range(first - span, last + 1)]
    whole = sum(
        ((order * p + (1 - order) * q).exp() for p, q in zip(logs[span:], logs, strict=False)), arb(0)
    )
    top = -span * (arb(noise.ratio) / arb(2) ** 64).log()
    tails = below(noise, first) * ((order - 1) * top).exp() + below(noise, -last) * ((1 - order) * top).exp()
    value: arb = (whole + tails).log() / (order - 1)
    return value
