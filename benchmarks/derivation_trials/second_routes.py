"""The families without a closed form by a second route: another rule, or another series, written by hand."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

import mpmath as mp
from mpmath import mpf

from derivation_trials.family import Matrix
from derivation_trials.quadrature import NEGLIGIBLE, trapezoid

# Both mixtures are analytic in a strip of more than 1.5 around the line; the error is then below exp(-3 pi/STEP).
STEP = mpf(1) / 10


def _mixture_weight(w: mpf) -> Matrix:
    def term(y: mpf) -> list[mpf]:
        one, two = mp.npdf(y), mp.npdf(y, 2)
        return [(two - one) ** 2 / ((1 - w) * one + w * two)]

    return [trapezoid(term, STEP)]


def _mixture_location(m: mpf) -> Matrix:
    def term(y: mpf) -> list[mpf]:
        one, two = 3 * mp.npdf(y) / 10, 7 * mp.npdf(y, m) / 10
        return [((y - m) * two) ** 2 / (one + two)]

    return [trapezoid(term, STEP)]


def _negative_binomial(r: mpf, p: mpf) -> Matrix:
    """Fisher 1941: the information on r is the sum over j of (1 - p)^j (j - 1)!/(j r (r + 1) ... (r + j - 1))."""
    total, factor = mpf(0), 1 / r
    for j in count(1):
        term = (1 - p) ** j * factor / j
        total += term
        if term < NEGLIGIBLE:
            break
        factor *= j / (r + j)
    return [[total, -1 / p], [-1 / p, r / (p**2 * (1 - p))]]


def _rounded_normal(mu: mpf) -> Matrix:
    """The squared difference of the density at the ends of each cell, over the mass of the cell."""
    sigma = mpf(7) / 10

    def term(y: int) -> mpf:
        low, high = ((y + side - mu) / sigma for side in (-mpf(1) / 2, mpf(1) / 2))
        # Tails are on the side where no digits cancel.
        mass = mp.ncdf(high) - mp.ncdf(low) if y < mu else mp.ncdf(-low) - mp.ncdf(-high)
        return (mp.npdf(high) - mp.npdf(low)) ** 2 / (sigma**2 * mass)

    return [[mp.fsum(term(y) for y in range(-20, 21))]]


SECOND: dict[str, Callable[..., Matrix]] = {
    "normal mixture (weight)": _mixture_weight,
    "normal mixture (location)": _mixture_location,
    "negative binomial (r, p)": _negative_binomial,
    "normal rounded to whole numbers": _rounded_normal,
}
