"""Privacy profile and Renyi divergence of discrete noise moved by whole steps, in balls of the precision that is set.

P is the noise, Q the noise `span` steps higher.  Both laws are log-concave, so that the loss falls with the outcome and
the best event for epsilon is a half-line {y < t}.
"""

from __future__ import annotations

from flint import arb

from ...symbolic.proof.exact_numbers import ball
from .gaussian import DiscreteGaussian
from .gaussian_sums import shifted_share
from .noise import DiscreteNoise

Columns = tuple[tuple[DiscreteNoise, int, int], ...]
"""Noise, steps between the two centres, how many such columns."""

_ORDERS = tuple(1 + 2.0**i for i in range(-6, 24))


def thresholds(noise: DiscreteNoise, span: int, epsilon: arb) -> tuple[int, int]:
    """t from below and from above: the loss exceeds epsilon at the whole numbers y < t; they differ at a tie.

    Where it exceeds epsilon anywhere, the loss (span^2 - 2 y span) / (2 s^2) or (span - 2 y) / scale does there.
    """
    slope = (
        1 / (2 * ball(noise.rate) * span)
        if isinstance(noise, DiscreteGaussian)
        else 1 / (2 * ball(noise.rate))
    )
    edge = arb(span) / 2 - epsilon * slope
    return _ceiling(edge.lower()), _ceiling(edge.upper())


def _ceiling(point: arb) -> int:
    whole = point.ceil().unique_fmpz()
    if whole is None:
        raise ArithmeticError("a threshold of the privacy profile was not enclosed closely enough")
    return int(whole)


def below(noise: DiscreteNoise, n: int) -> arb:
    """P(noise < n)."""
    return noise._outside(-n) / 2 if n <= 0 else 1 - noise._outside(n - 1) / 2


def enclosed_delta(columns: Columns, epsilon: arb) -> arb:
    """Enclosure of delta at max(epsilon, 0): tight for one column; for several, from their largest delta to that of composition."""
    low, high = epsilon.lower().max(arb(0)), epsilon.upper().max(arb(0))
    if len(columns) == 1 and columns[0][2] == 1:
        # The profile falls with epsilon.
        return _of_one(*columns[0][:2], low).union(_of_one(*columns[0][:2], high))
    least = arb(0)
    for noise, span, _ in columns:
        least = least.max(_of_one(noise, span, high))
    return least.lower().union(_allowed(columns, low))


def _of_one(noise: DiscreteNoise, span: int, epsilon: arb) -> arb:
    if not isinstance(noise, DiscreteGaussian) and epsilon >= ball(noise.rate) * span:
        return arb(0)
    value, growth = arb(0), epsilon.exp()
    for t in dict.fromkeys(thresholds(noise, span, epsilon)):
        # Any threshold gives a lower bound; the right one is among these.
        value = value.max(below(noise, t) - growth * below(noise, t - span))
    return value.min(arb(1))


def _allowed(columns: Columns, epsilon: arb) -> arb:
    """A delta that rho of the Gaussian columns allows once the epsilons of the Laplace ones are taken off.

    For rho: Canonne, Kamath and Steinke 2020, proposition 12; for pure epsilon: the curve of randomised response.
    """
    rho, pure = arb(0), arb(0)
    for noise, span, n in columns:
        if isinstance(noise, DiscreteGaussian):
            rho += n * ball(noise.rho(span * span))
        else:
            pure += n * ball(noise.rate) * span
    if rho == 0:
        return arb(0) if epsilon >= pure else (1 - (epsilon - pure).exp()) / (1 + (-pure).exp())
    rest, least = epsilon - pure, arb(1)
    best = (1 + rest / rho) / 2
    for a in (*map(arb, _ORDERS), *([best] if best > 1 else [])):
        log = (a - 1) * (a * rho - rest) - a.log() + (a - 1) * (1 - 1 / a).log()
        least = least.min(log.exp())
    return least


def enclosed_renyi(columns: Columns, order: arb) -> arb:
    """The Renyi divergence of this order > 1, the same either way round by symmetry."""
    return sum((n * _renyi_of_one(noise, span, order) for noise, span, n in columns), arb(0))


def _renyi_of_one(noise: DiscreteNoise, span: int, order: arb) -> arb:
    if isinstance(noise, DiscreteGaussian):
        share = shifted_share(noise.proxy, order * span)
        return order * ball(noise.rho(span * span)) + share.log() / (order - 1)
    return _laplace_power_sum(ball(noise.rate), span, order).log() / (order - 1)


def _laplace_power_sum(rate: arb, span: int, order: arb) -> arb:
    """The sum of P^order Q^(1 - order): y <= 0, y >= span, and the steps between, two geometric sums and one of y."""
    q = (-rate).exp()
    ends = ((-rate * order * span).exp() + (rate * (order - 1) * span).exp()) / (1 - q)
    # Between the centres with u = span - y: q^(order u + (1 - order)(span - u)), a geometric sum of ratio q^(2 order - 1).
    ratio = (-rate * (2 * order - 1)).exp()
    start = (rate * (order - 1) * span).exp()
    between = start * (ratio - (-rate * (2 * order - 1) * span).exp()) / (1 - ratio)
    return (ends + between) * (rate / 2).tanh()
