"""Excess risk: the bounds that Pathak and Raj (2010) print, bounds of the private variant, and what is measured."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from margin_trials.existence import definite
from margin_trials.noise_tail import quantile
from margin_trials.perturbed import PrintedPerturbation, printed_noise
from noiseproof.audit.trial.attack.event_bound import clopper_pearson
from noiseproof.mechanisms.large_margin import Huber, Objective, PrivateLargeMarginGaussian
from noiseproof.mechanisms.large_margin.conic import conic_solution
from noiseproof.mechanisms.large_margin.newton import tilted_minimisers
from noiseproof.mechanisms.large_margin.symmetric import coordinates
from noiseproof.symbolic.arrays import Floats

Sample = tuple[Floats, NDArray[np.int64]]


def theorem_2(d: int, classes: int, epsilon: float, price: float, delta: float) -> float:
    """The printed excess of the regularised empirical risk, exceeded with probability at most delta."""
    return float(8 * (d + 1) ** 4 * classes / (epsilon**2 * price) * np.log(d / delta) ** 2)


def theorem_3(d: int, classes: int, epsilon: float, price: float, delta: float, size: int) -> float:
    """The printed excess of the expected loss."""
    first = 4 * np.sqrt(d) * (d + 1) ** 2 * classes / (epsilon * price) * np.log(d / delta)
    last = 16 / (price * size) * (32 + np.log(1 / delta))
    return float(first + theorem_2(d, classes, epsilon, price, delta) + last)


@dataclass(frozen=True, eq=False)
class Excess:
    """Measured excess per seed against one bound; `low`, `high` is the exact interval of P[excess > bound] (error `alpha`)."""

    bound: float
    excess: Floats
    low: float
    high: float

    @property
    def above(self) -> int:
        """How many seeds exceed the bound."""
        return int((self.excess > self.bound).sum())

    @classmethod
    def of(cls, bound: float, excess: Floats, alpha: float = 0.05) -> Excess:
        """The excess (seeds,) against a bound."""
        return cls(bound, excess, *clopper_pearson(int((excess > bound).sum()), len(excess), alpha))


def printed_excess(
    sample: Sample,
    classes: int,
    epsilon: float,
    price: float,
    delta: float,
    seeds: int = 100,
    seed: int = 0,
    margin: float = 0.0,
    test: Sample | None = None,
) -> Excess:
    """J(Phi^p) - inf J for noises that leave a minimiser, against theorem 2; with `test`, mean losses there against theorem 3.

    The infimum is found to a certified 1e-6 or so and its upper end is taken, which makes the excess smaller.
    """
    x, y = sample
    d = x.shape[1]
    objective = Objective.of(x, y, classes, Huber(0.5, margin), price)
    best = conic_solution(objective)
    rng = np.random.default_rng(seed)
    released: list[Floats] = []
    while len(released) < seeds:
        noise = printed_noise(d, epsilon, 4 * seeds, rng)
        released += [
            PrintedPerturbation(price, margin=margin).minimise(x, y, b, range(classes)).phi
            for b in noise[definite(noise, price)][: seeds - len(released)]
        ]
    phi = coordinates(np.array(released))
    if test is None:
        return Excess.of(theorem_2(d, classes, epsilon, price, delta), objective.value(phi) - best.objective)
    # Losses are summed over records in the paper: the expected loss of n fresh records.
    fresh = Objective.of(*test, classes, Huber(0.5, margin), 0.0, average=True)
    losses = len(x) * (fresh.value(phi) - fresh.value(coordinates(best.phi)))
    return Excess.of(theorem_3(d, classes, epsilon, price, delta, len(x)), losses)


def private_bound(model: PrivateLargeMarginGaussian, d: int, delta: Fraction) -> float:
    """What the regularised mean loss of a release exceeds its minimum by, at most, with probability 1 - delta.

    Objective: |b|^2/(2 n^2 ridge), since J is ridge-strongly convex.  Output: (ridge + 2 C/h)/2 |b|^2, since the gradient of
    the mean loss is Lipschitz with C (1 + 1)^2/(2 h).  |b|/scale is Gamma with as many degrees as the noise has entries.
    """
    terms = model.terms_
    shape = (terms.classes - 1) * (d + 1) * (d + 2) // 2
    length = model.noise_scale_ * float(quantile(shape, delta).upper())
    ridge = float(terms.ridge)
    if model.method == "objective":
        return length**2 / (2 * terms.size**2 * ridge)
    return (ridge + 2 * terms.classes / float(terms.width)) / 2 * length**2


def private_excess(
    model: PrivateLargeMarginGaussian, sample: Sample, delta: Fraction, seeds: int = 500, seed: int = 0
) -> Excess:
    """The excess of released classifiers against `private_bound`."""
    released = coordinates(model.released(*sample, seeds, np.random.default_rng(seed)))
    objective = model._objective(*sample)
    best = tilted_minimisers(objective, np.zeros((1, *released.shape[1:])))
    excess = objective.value(released) - objective.value(best)[0]
    return Excess.of(private_bound(model, sample[0].shape[1], delta), excess)
