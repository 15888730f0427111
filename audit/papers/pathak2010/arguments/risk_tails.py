"""The exact tail of the norm of the printed noise, against the bound that Pathak and Raj (2010) print (lemma 4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb

from .....symbolic.proof.exact_numbers import ball, enclosed
from ....dossier.instances import Comparison, Instances, rule
from ....record.evidence import Line, Series


def tail(shape: int, x: arb) -> arb:
    """P[Gamma(shape, 1) >= x] = exp(-x) sum_{i < shape} x^i/i!, for a whole shape."""
    term = total = arb(1)
    for i in range(1, shape):
        term = term * x / i
        total += term
    return total * (-x).exp()


@rule("tail of the norm of the noise")
def tail_of_the_norm(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterator[Comparison]:
    """P[|b| >= threshold] <= delta for |b| ~ Gamma((d+1)^2, scale 2/eps); the threshold is a text in d, eps, delta, C and lambda."""
    d, eps, delta = int(numbers["d"]), Fraction(numbers["eps"]), Fraction(numbers["delta"])
    if d < 1 or eps <= 0 or not 0 < delta < 1:
        raise ValueError(f"expected d >= 1, eps > 0 and delta in (0, 1), got {numbers}")
    threshold = enclosed(printed["threshold"], dict(numbers))
    yield "P[|b| >= threshold] <= delta", tail((d + 1) ** 2, ball(eps) * threshold / 2), "<=", ball(delta)


def norm_of_noise(threshold: str) -> Instances:
    """One feature and delta = 1/2 first."""

    def draw(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
        rest = {"eps": "1", "C": "3", "lambda": "1/10"}
        for d, delta in (("1", "1/2"), ("1", "9/10"), ("1", "3/10"), ("2", "99/100"), ("4", "1/100")):
            yield {"d": d, "delta": delta, **rest}
        for _ in range(10):
            features, share, eps = (
                int(rng.integers(1, 13)),
                int(rng.integers(1, 100)),
                int(rng.integers(1, 40)),
            )
            yield {**rest, "d": str(features), "delta": f"{share}/100", "eps": f"{eps}/10"}

    return Instances(
        "tail of the norm of the noise",
        {"threshold": threshold},
        draw,
        f"P[|b| >= {threshold}] <= delta",
        (tail_figure(),),
    )


def tail_figure() -> Series:
    """One feature, eps = 2: the exact probability of exceeding 4 log(1/delta), as printed, and 4 log(4/delta), against delta."""
    deltas = tuple(i / 50 for i in range(1, 50))

    def exact(ratio: int) -> tuple[float, ...]:
        return tuple(float(tail(4, 4 * (arb(50 * ratio) / i).log())) for i in range(1, 50))

    return Series(
        "tail of the noise",
        "Probability that the norm of the noise exceeds its bound, d = 1",
        "delta",
        "probability",
        (
            Line("allowed", "claimed", deltas, deltas),
            Line("exact, log(d/delta)", "law", deltas, exact(1)),
            Line("exact, log((d+1)^2/delta)", "bound", deltas, exact(4)),
        ),
    )
