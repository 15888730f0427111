"""The even and the odd solution of u'' = (k^2 w^2 - lam) u by Kummer's function, in ball arithmetic.

A second route to the eigenvalues of an interval, in closed form (DLMF 12.4 and 12.7.12-13, with k w^2 = t^2/2): they
are the zeros of `characteristic`.  The two terms of it cancel when k w^2 is large; `shooting` has no such limit.
"""

from __future__ import annotations

from fractions import Fraction

from flint import arb, ctx

from noiseproof.symbolic.proof.exact_numbers import ball


def even(k: arb, lam: arb, w: arb) -> arb:
    """exp(-k w^2/2) M(1/4 - lam/(4k), 1/2, k w^2): value 1 and slope 0 at w = 0."""
    z = k * w**2
    return (-z / 2).exp() * z.hypgeom_1f1(arb(1) / 4 - lam / (4 * k), arb(1) / 2)


def odd(k: arb, lam: arb, w: arb) -> arb:
    """w exp(-k w^2/2) M(3/4 - lam/(4k), 3/2, k w^2): value 0 and slope 1 at w = 0."""
    z = k * w**2
    return w * (-z / 2).exp() * z.hypgeom_1f1(arb(3) / 4 - lam / (4 * k), arb(3) / 2)


def characteristic(k2: Fraction, lam: arb, lower: Fraction, upper: Fraction, bits: int = 256) -> arb:
    """Zero if lam is an eigenvalue of -u'' + k2 w^2 u on [lower, upper] with u = 0 at the ends; k2 > 0."""
    if not k2 > 0 or not lower < upper:
        raise ValueError(f"expected k2 > 0 and lower < upper, got {k2}, {lower} and {upper}")
    with ctx.workprec(bits):
        k, low, high = ball(k2).sqrt(), ball(lower), ball(upper)
        return even(k, lam, low) * odd(k, lam, high) - odd(k, lam, low) * even(k, lam, high)
