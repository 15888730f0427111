"""The true risk of a sample's minimiser, all samples enumerated: the bound that Pathak and Raj (2010) quote for theorem 3."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import pairwise
from math import comb
from typing import Any

import numpy as np
from flint import arb

from .....symbolic.proof.exact_numbers import ball, enclosed
from ....dossier.instances import Comparison, Instances, rule
from .exact import huber, huber_slope

Curve = Callable[[Fraction], Fraction]
ZERO, ONE = Fraction(0), Fraction(1)


def least_root(slope: Curve, h: Fraction, ridge: Fraction, far: Fraction) -> Fraction:
    """The least t in [-far, far] where a rising slope, linear between its joints -h and h, is not negative any more."""
    joints = [-far, -h, h, far]
    for left, right in pairwise(joints):
        a, b = slope(left), slope(right)
        if a >= 0:
            return left
        if b >= 0:
            return left - a * (right - left) / (b - a)
    raise ValueError(f"no minimiser in [-{far}, {far}] with ridge {ridge}")


@rule("true risk of the sample's minimiser", "n", "lambda", "width", "p", "delta")
def true_risk(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterator[Comparison]:
    """P[Jtilde(Phi^*) - Jtilde(Phi^r) > bound] <= delta: n independent records 0, the label 1 with probability p, no noise at all.

    Only the lead t = Phi_2kk - Phi_1kk counts.  Where a sample has one label and there is no ridge, every t beyond h
    minimises; the one `reach` further out is taken.  `scale` is that of the loss: "1" for the sum over records, "1/n" for the mean.
    """
    n, lam, h = int(numbers["n"]), Fraction(numbers["lambda"]), Fraction(numbers["width"])
    p, delta, reach = (Fraction(numbers[key]) for key in ("p", "delta", "reach"))
    if max(p, delta) > 1:
        raise ValueError(f"p and delta are probabilities, got {p} and {delta}")
    ridge = {"0": ZERO, "lambda": lam}[printed["ridge"]]
    scale = {"1": ONE, "1/n": Fraction(1, n)}[printed["scale"]]
    bound = enclosed(printed["bound"], {"n": n, "lambda": numbers["lambda"], "delta": numbers["delta"]})
    far = h + (scale * n / ridge if ridge else reach)

    def risk(share: Fraction) -> Curve:
        total = scale * n
        return lambda t: total * (share * huber(-t, h) + (1 - share) * huber(t, h)) + ridge * t * t / 2

    def minimiser(share: Fraction) -> Fraction:
        if not ridge and share in (0, 1):
            return (h + reach) * (1 if share else -1)

        def slope(t: Fraction) -> Fraction:
            return scale * n * ((1 - share) * huber_slope(t, h) - share * huber_slope(-t, h)) + ridge * t

        return least_root(slope, h, ridge, far)

    true = risk(p)
    least = true(minimiser(p))
    exceeded = ZERO
    for k in range(n + 1):
        if _above(ball(true(minimiser(Fraction(k, n))) - least), bound):
            exceeded += comb(n, k) * p**k * (1 - p) ** (n - k)
    yield "probability of exceeding the bound", ball(exceeded), "<=", ball(delta)


def _above(gap: arb, bound: arb) -> bool:
    if not (gap <= bound or gap > bound):
        raise ValueError("the gap is too close to the bound to tell")
    return bool(gap > bound)


def quoted_bound(ridge: str, scale: str, bound: str) -> Instances:
    """`ridge` is "0" or "lambda", `scale` "1" or "1/n", `bound` a text in n, lambda and delta."""

    def draw(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
        yield {"n": "1", "lambda": "1", "width": "1/2", "p": "1/2", "delta": "1/2", "reach": "20000"}
        yield {"n": "4", "lambda": "1", "width": "1/2", "p": "1/2", "delta": "1/20", "reach": "20000"}
        for _ in range(6):
            n, lam, p, delta = (int(x) for x in rng.integers(1, 10, 4))
            yield {
                "n": str(n),
                "lambda": f"{lam}/1000",
                "width": "1/4",
                "p": f"{p}/10",
                "delta": f"{delta}/10",
                "reach": "10",
            }

    return Instances(
        "true risk of the sample's minimiser",
        {"ridge": ridge, "scale": scale, "bound": bound},
        draw,
        f"the true regularised risk exceeds its least value by at most {bound} with probability 1 - delta",
    )
