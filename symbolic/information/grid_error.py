"""Error bounds for whole-number noise on a grid, where a pointwise Cramer-Rao bound does not hold.

The record is t steps, the release y = t + w.  An estimator that is unbiased at every t can have no error at all at one t
if the noise is bounded, so that no bound holds point by point.  What holds is the average over records (Weiss and
Weinstein 1985, with exponent 1/2): let t have the prior pi and p(y, t) = pi(t) P(y - t).  With

    psi = sqrt(p(y, t+h)/p(y, t)) - sqrt(p(y, t-h)/p(y, t)),   A(h) = sum sqrt(pi(t) pi(t+h)) * sum sqrt(P(k) P(k+h)),

E[psi g(y)] = 0 for every g, E[psi t] = -h A(h) and E[psi^2] <= 2 (1 - A(2h)), so that by Cauchy and Schwarz every
estimator, unbiased or not, has the mean squared error E[(g(y) - t)^2] >= h^2 A(h)^2 / (2 (1 - A(2h))) in squared steps.
The worst error over the records is at least the mean one.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import sympy as sp
from flint import acb, arb, ctx
from numpy.typing import NDArray

from ..proof.derivation import Derivation, Step
from ..proof.enclosure import enclose
from ..proof.truth import Truth
from .error_bounds import LowerBound
from .grid_overlap import BITS, GridLaw, affinity, whole_affinity

WEISS_WEINSTEIN = "Weiss and Weinstein 1985, IEEE Trans. Inf. Theory 31(5): the family of bounds of which this is one; derived here"

_DIGITS = sp.Integer(10) ** 15  # a bound is given as a rational number of about so many digits, rounded down


def prior_affinity(points: int, h: int) -> sp.Expr:
    """sum over t of sqrt(pi(t) pi(t + h)) of the prior pi(j) = (2/N) sin^2(pi j/N), j = 1..points, N = points + 1."""
    if not 0 <= h <= points:
        return sp.Integer(0)
    n = sp.Integer(points + 1)
    angle = sp.pi / n
    return ((n - 1 - h) * sp.cos(h * angle) + sp.sin((h + 1) * angle) / sp.sin(angle)) / n


def weiss_weinstein(
    noise: GridLaw, *, domain: tuple[int, int] | None = None, h: int | None = None, releases: int = 1
) -> LowerBound:
    """The least mean squared error of any adversary in squared units of the data, for whole-step records.

    `domain` (first, last) bounds the record in steps: the bound is about the prior sin^2 on it, hence about the worst
    record in it; None: about the average over ever longer windows of records, hence about the worst of all records.
    `h` >= 1 is the distance of records compared; None looks for the best.  `releases` is how many independent releases
    of the same record are seen.  Raises ValueError if these are unusable.
    """
    if releases < 1 or (h is not None and h < 1):
        raise ValueError(f"expected h >= 1 and releases >= 1, got {h!r} and {releases!r}")
    if domain is not None and domain[1] <= domain[0]:
        raise ValueError(f"a domain needs two steps at least, first < last, got {domain!r}")
    points = None if domain is None else domain[1] - domain[0] + 1
    best = _best_shift(noise, points, releases) if h is None else h
    single, double = affinity(noise, best), affinity(noise, 2 * best)
    with ctx.workprec(BITS):
        priors = [
            arb(1) if points is None else enclose(prior_affinity(points, n * best), bits=BITS) for n in (1, 2)
        ]
        a, b = (priors[0] * single**releases).lower(), (priors[1] * double**releases).lower()
    low, two = (rounded_down(v) for v in (a, b))
    step = sp.Rational(2) ** noise.exponent
    value = sp.Integer(best) ** 2 * low**2 / (2 * (1 - two)) * step**2
    rounded = sp.floor(value * _DIGITS / step**2) * step**2 / _DIGITS
    about = (
        "averaged over long windows of records, and for the worst record"
        if points is None
        else f"for the worst of {points:,} records of the domain, and averaged over the prior sin^2 on it"
    )
    conclusion = (
        f"every adversary, biased or not, has a mean squared error of at least {float(rounded):.6g} {about}"
    )
    steps = (
        *_argument(points is not None),
        Step(
            low,
            "<=",
            sp.Symbol("A(h)"),
            f"A(h) for h = {best} steps, from the exact masses, rounded down",
            how=lambda left, _: _recomputed(noise, points, best, releases, left),
        ),
        Step(
            two,
            "<=",
            sp.Symbol("A(2h)"),
            "A(2h), rounded down",
            how=lambda left, _: _recomputed(noise, points, 2 * best, releases, left),
        ),
        Step(
            rounded,
            "<=",
            value,
            "h^2 A(h)^2 / (2 (1 - A(2h))) steps, which grows with both A(h) and A(2h), in squared units of the data",
            shown=(f"{float(rounded):.15g}", f"{float(value):.15g}"),
        ),
    )
    return LowerBound(rounded, "bound", conclusion, Derivation(conclusion, steps, (WEISS_WEINSTEIN,)))


def _argument(bounded: bool) -> tuple[Step, ...]:
    """The steps from the definition of psi to the inequality, with a^2 = p(y,t), b^2 = p(y,t+h), c^2 = p(y,t-h)."""
    a, b, c = sp.symbols("a b c", positive=True)
    t, h, s, g = sp.symbols("t h s g", real=True)
    x, m, v = sp.symbols("lambda m v", positive=True)
    pi1, pi2, p1, p2 = sp.symbols("pi1 pi2 P1 P2", positive=True)
    steps = (
        Step(
            a**2 * (b / a - c / a) * g,
            "=",
            a * b * g - a * c * g,
            "p psi g: the sum over y and t of the first term is that of sqrt(p(y,t) p(y,t+h)) g(y)",
        ),
        Step(
            (a * b * g - (a * c * g).subs({a: b, c: a}, simultaneous=True)),
            "=",
            sp.Integer(0),
            "in the second sum t is replaced by t + h, over all whole t: both sums are equal, E[psi g(y)] = 0",
        ),
        Step(
            s * t - s * (t + h), "=", -h * s, "the same two sums with t in the place of g: E[psi t] = -h A(h)"
        ),
        Step(
            a**2 * (b / a - c / a) ** 2,
            "=",
            b**2 + c**2 - 2 * b * c,
            "p psi^2; summed over all y and t, also where p = 0, at most 1 + 1 - 2 A(2h)",
        ),
        Step(
            sp.sqrt(pi1 * p1) * sp.sqrt(pi2 * p2),
            "=",
            sp.sqrt(pi1 * pi2) * sp.sqrt(p1 * p2),
            "A(h) is the affinity of the prior times that of the noise (its power for independent releases)",
        ),
        Step(
            (2 * x * m - x**2 * v).subs(x, m / v),
            "=",
            m**2 / v,
            "Cauchy and Schwarz: 0 <= E[(g - t - lambda psi)^2] with the best lambda gives E[(g - t)^2] >= E[psi t]^2 / E[psi^2]",
        ),
    )
    return (*steps, *(_prior_steps() if bounded else _window_steps()))


def _window_steps() -> tuple[Step, ...]:
    n, h = sp.Symbol("N", positive=True), sp.Symbol("h", positive=True)
    return (
        Step(
            sp.limit((n - h) / n, n, sp.oo),
            "=",
            sp.Integer(1),
            "the uniform prior on N records has the affinity (N - h)/N, which tends to 1",
        ),
    )


def _prior_steps() -> tuple[Step, ...]:
    """The sum over j of sin(aj) sin(a(j+h)) telescopes."""
    alpha, j, h = sp.symbols("alpha j h", positive=True)
    n = sp.Symbol("N", integer=True, positive=True)
    partial = (j * sp.cos(alpha * h) - sp.sin(alpha * (2 * j + h + 1)) / (2 * sp.sin(alpha))) / 2
    angle = sp.pi / n
    total = (partial.subs(j, n - 1 - h) - partial.subs(j, 0)).subs(alpha, angle)
    closed = ((n - 1 - h) * sp.cos(h * angle) + sp.sin((h + 1) * angle) / sp.sin(angle)) / 2

    def telescopes(left: sp.Expr, right: sp.Expr) -> Truth:
        return _zero(sp.expand_trig(sp.expand(left - right)))

    def agrees(left: sp.Expr, right: sp.Expr) -> Truth:
        # sin(2 pi - (h + 1) pi/N) = -sin((h + 1) pi/N): written out by the addition theorem.
        turned = sp.expand_trig(sp.expand((left - right).subs(h, sp.Symbol("h", real=True)), trig=False))
        return _zero(turned)

    return (
        Step(
            partial - partial.subs(j, j - 1),
            "=",
            sp.sin(alpha * j) * sp.sin(alpha * (j + h)),
            "the affinity of the prior: sin(aj) sin(a(j+h)) is a difference of neighbours, so that its sum telescopes",
            telescopes,
        ),
        Step(
            total,
            "=",
            closed,
            "its sum over j = 1, ..., N - 1 - h for a = pi/N, which is N/2 times prior_affinity",
            agrees,
        ),
        Step(sp.simplify(closed.subs(h, 0)), "=", n / 2, "for h = 0: the masses of the prior sum to 1"),
    )


@lru_cache(maxsize=16)
def _zero(expression: sp.Expr) -> Truth:
    return Truth.HOLDS if sp.simplify(expression) == 0 else Truth.UNKNOWN


def _recomputed(noise: GridLaw, points: int | None, h: int, releases: int, claimed: sp.Expr) -> Truth:
    """Whether A(h) is at least `claimed`: here from whole square roots, where the value came from balls."""
    low, high = whole_affinity(noise, h)
    with ctx.workprec(BITS):
        prior = arb(1) if points is None else _summed_prior(points, h)
        low, high = prior * low**releases, prior * high**releases
        target = enclose(claimed, bits=BITS)
        # The claim was rounded down from the other route: within its last digits the two must agree.
        if target <= low:
            return Truth.HOLDS
        return Truth.FAILS if target > high else Truth.UNKNOWN


def _summed_prior(points: int, h: int) -> arb:
    """`prior_affinity` as a geometric sum of complex numbers."""
    if h > points:
        return arb(0)
    n = arb(points + 1)
    turn = (acb(0, 2) * arb.pi() / n).exp()
    waves = turn * (1 - turn ** (points - h)) / (1 - turn)
    angle = arb.pi() * h / n
    value: arb = ((points - h) * angle.cos() - ((acb(0, 1) * angle).exp() * waves).real) / n
    return value


def _best_shift(noise: GridLaw, points: int | None, releases: int) -> int:
    """The distance with the largest bound, in floating point: which one is taken costs nothing but tightness."""
    masses = np.array([float(w) for w in noise.weights]) * 2.0**-128
    if noise.tail:
        rate = -np.log1p(-(2**64 - noise.ratio) * 2.0**-64)
        side = noise.tail * 2.0**-128 * -np.expm1(-rate) * np.exp(-rate * np.arange(len(masses)))
        masses = np.concatenate([side[::-1], masses, side])
    size = 1 << (2 * len(masses) - 1).bit_length()
    overlap = np.fft.irfft(np.abs(np.fft.rfft(np.sqrt(masses), size)) ** 2, size)[: len(masses)]
    last = (len(masses) - 1) // 2 if points is None else min(len(masses) - 1, points) // 2
    h = np.arange(1, max(last, 1) + 1)
    a, b = (_power_of(overlap, n * h, releases) * _float_prior(points, n * h) for n in (1, 2))
    # Where floating point cannot tell A(2h) from 1 the bound is not trusted.
    gap = 1 - b
    score = np.where(gap > 1e-9, h**2.0 * a**2 / (2 * np.maximum(gap, 1e-9)), 0.0)
    return int(h[np.argmax(score)])


def _power_of(overlap: NDArray[np.float64], h: NDArray[np.int64], releases: int) -> NDArray[np.float64]:
    inside = h < len(overlap)
    return np.where(inside, np.clip(overlap[np.where(inside, h, 0)], 0.0, 1.0), 0.0) ** releases


def _float_prior(points: int | None, h: NDArray[np.int64]) -> NDArray[np.float64]:
    if points is None:
        return np.ones(len(h))
    n = points + 1
    value = ((n - 1 - h) * np.cos(np.pi * h / n) + np.sin(np.pi * (h + 1) / n) / np.sin(np.pi / n)) / n
    return np.where(h <= points, value, 0.0)


def rounded_down(value: arb) -> sp.Rational:
    """A rational number just below the lower end of a ball, of 30 digits."""
    with ctx.workprec(BITS):
        scaled = (value.lower() * arb(10) ** 30).lower().floor()
        whole = scaled.unique_fmpz()
        assert whole is not None
        return sp.Rational(int(whole) - 1, 10**30)
