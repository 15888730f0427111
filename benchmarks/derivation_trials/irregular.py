"""Numerical evidence that a family has no information: a score with a mean, and a distance that is not quadratic."""

from __future__ import annotations

import mpmath as mp
from mpmath import mpf

from derivation_trials.family import Family
from derivation_trials.quadrature import integral
from derivation_trials.scores import density, ends, law

STEPS = (mpf(1) / 100, mpf(1) / 10000)


def demonstrated(family: Family) -> tuple[bool, str]:
    """Whether a score has a mean that is not zero and the Hellinger distance is of first order, at all points."""
    means = [law(family, point).means[0] for point in family.points]
    growths = [_growth(family, point) for point in family.points]
    # With information I the quotient below tends to I; here it grows like 1/step, a hundredfold.
    agrees = min(abs(mean) for mean in means) > 0.1 and min(growths) > 50
    shown = ", ".join(mp.nstr(mean, 4) for mean in means)
    grown = ", ".join(mp.nstr(growth, 4) for growth in growths)
    return (
        agrees,
        f"{family.reason}; means of the score: {shown}; information of a step of 0.01 to 0.0001 grows {grown}-fold",
    )


def _growth(family: Family, point: dict[str, str]) -> mpf:
    coarse, fine = (_information_of_step(family, point, step) for step in STEPS)
    return fine / coarse


def _information_of_step(family: Family, point: dict[str, str], step: mpf) -> mpf:
    """8 (1 - the integral of the root of both densities)/step^2, which tends to the information of a regular family."""
    (name,) = family.parameters
    here = {name: mpf(point[name])}
    there = {name: here[name] + step}
    one, two = density(family, here), density(family, there)
    lows, highs = zip(ends(family, here), ends(family, there), strict=True)
    (affinity,) = integral(lambda y: [mp.sqrt(one(y) * two(y))], max(lows), min(highs), [])
    return 8 * (1 - affinity) / step**2
