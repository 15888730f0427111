"""Random laws whose parameters enter through kinks, jumps and pieces; the information is known in closed form or from mpmath."""

from __future__ import annotations

from collections.abc import Callable

import mpmath
import numpy as np
import sympy as sp

from noiseproof.audit.trial.checks.derivation import DerivationCheck
from noiseproof.mechanisms.family import Family
from noiseproof.symbolic.claim import Claim
from noiseproof.symbolic.laws import catalogue as laws
from noiseproof.symbolic.laws.law import VARIABLE, Law
from noiseproof.symbolic.predicates import ErrorBound, FisherInformation, Predicate
from noiseproof.symbolic.privacy.guarantees import ApproxDP, PureDP
from noiseproof.symbolic.privacy.pair import DiscretePair
from noiseproof.symbolic.proof.truth import Truth

from .subject_case import SubjectCase

THETA = sp.Symbol("theta", real=True)
_WORDS = {Truth.HOLDS: "PROVED", Truth.FAILS: "REFUTED", Truth.UNKNOWN: "UNDECIDED"}
_LINE = (-sp.oo, sp.oo)


def _small(rng: np.random.Generator, low: int = -6, high: int = 7) -> sp.Rational:
    """A small number that floats have exactly."""
    return sp.Rational(int(rng.integers(low, high)), int(rng.choice([1, 2, 4])))


def _margin(rng: np.random.Generator) -> float:
    return float(10 ** rng.uniform(-11, -1))


class Curve:
    """A random function of theta near a point: its formula, value and slope (None where it has none), kept by hand."""

    def __init__(self, rng: np.random.Generator, at: sp.Rational) -> None:
        a, b = _small(rng, 1), _small(rng)
        self.formula: sp.Expr = a * THETA + b
        self.value: sp.Rational = a * at + b
        left = right = a
        jump = False
        for _ in range(int(rng.integers(0, 3))):
            c = _small(rng, 1, 4) * int(rng.choice([-1, 1]))
            k = at if rng.random() < 0.4 else at + _small(rng, 1) * int(rng.choice([-1, 1]))
            x, here = THETA - k, at - k
            side = int(sp.sign(here))
            kind = int(rng.integers(0, 9))
            below, above = (side, side) if side else (-1, 1)
            if kind == 0:
                term, value, low, high = sp.Abs(x), abs(here), below, above
            elif kind == 1:
                term, value, low, high = (
                    sp.Max(x, 2 * x),
                    max(here, 2 * here),
                    2 - (below < 0),
                    2 - (above < 0),
                )
                low, high = (1 if below < 0 else 2), (1 if above < 0 else 2)
            elif kind == 2:
                term, value, low, high = (
                    sp.Min(x, 0),
                    min(here, sp.Integer(0)),
                    int(below < 0),
                    int(above < 0),
                )
            elif kind == 3:
                term, value, low, high = sp.sign(x), sp.Integer(side), 0, 0
                jump |= side == 0
            elif kind == 4:
                term, value, low, high = sp.floor(x), sp.floor(here), 0, 0
                jump |= bool(here.is_integer)
            elif kind == 5:
                term, value, low, high = sp.Mod(x, 1), here - sp.floor(here), 1, 1
                jump |= bool(here.is_integer)
            elif kind == 6:
                term = sp.Piecewise((x, x < 0), (3 * x, True))
                value, low, high = (
                    (here if side < 0 else 3 * here),
                    (1 if below < 0 else 3),
                    (1 if above < 0 else 3),
                )
            elif kind == 7:
                term, value, low, high = sp.sign(x) * sp.Abs(x), here, 1, 1
            else:
                term, value, low, high = sp.Abs(x) * x, abs(here) * here, 2 * abs(here), 2 * abs(here)
            self.formula += c * term
            self.value += c * value
            left, right = left + c * low, right + c * high
        self.slope: sp.Rational | None = None if jump or left != right else sp.Rational(left)


def _asked(law: Law, at: sp.Rational, predicate: Predicate) -> Callable[[], str]:
    def word() -> str:
        family = Family.of_law(law, [THETA], float(at))
        check = DerivationCheck.bind(Claim(predicate, family, about="law"))
        assert check is not None
        return check.judge(None, None, 1e-6).verdict.name

    return word


def _claimed(
    rng: np.random.Generator, family: str, law: Law, at: sp.Rational, information: mpmath.mpf | None
) -> SubjectCase:
    """A claim beside the true information; without one every value is false."""
    margin, says = _margin(rng), f"{law.density} on {law.support} at {at}"
    if information is None:
        claimed = float(_small(rng, 1))
        word = _asked(law, at, FisherInformation(claimed))
        return SubjectCase(family, f"{says}: FisherInformation({claimed})", word, False, 1.0)
    with mpmath.workdps(40):
        side = int(rng.choice([-1, 1]))
        if information and rng.random() < 0.4:
            bound = float((1 + side * margin) / information)
            holds = bool(mpmath.mpf(bound) * information <= 1)
            return SubjectCase(
                family, f"{says}: ErrorBound({bound!r})", _asked(law, at, ErrorBound(bound)), holds, margin
            )
        holds = bool(rng.random() < 0.5)
        claimed = float(information if holds else information * (1 + side * margin) + (not information))
    return SubjectCase(
        family,
        f"{says}: FisherInformation({claimed!r})",
        _asked(law, at, FisherInformation(claimed)),
        holds,
        margin,
    )


def _mp(number: sp.Expr) -> mpmath.mpf:
    return mpmath.mpf(int(number.p)) / int(number.q)


# law of a location and a scale, information about the location, and about the logarithm of the scale
SHAPES: tuple[tuple[Callable[..., Law], Callable[[], mpmath.mpf], Callable[[], mpmath.mpf]], ...] = (
    (laws.normal, lambda: mpmath.mpf(1), lambda: mpmath.mpf(2)),
    (laws.laplace, lambda: mpmath.mpf(1), lambda: mpmath.mpf(1)),
    (laws.logistic, lambda: mpmath.mpf(1) / 3, lambda: (3 + mpmath.pi**2) / 9),
    (laws.gumbel, lambda: mpmath.mpf(1), lambda: mpmath.pi**2 / 6 + (1 - mpmath.euler) ** 2),
)


def location(rng: np.random.Generator) -> SubjectCase:
    """A location that is a curve of theta."""
    at, scale = _small(rng), _small(rng, 1)
    curve = Curve(rng, at)
    make, known, _ = SHAPES[rng.integers(len(SHAPES))]
    with mpmath.workdps(40):
        truth = None if curve.slope is None else known() * (_mp(curve.slope) / _mp(scale)) ** 2
    return _claimed(rng, "location", make(curve.formula, scale), at, truth)


def scale(rng: np.random.Generator) -> SubjectCase:
    """A scale that is the exponential of a curve of theta."""
    at, centre = _small(rng, -2, 3), _small(rng)
    curve = Curve(rng, at)
    make, _, known = SHAPES[rng.integers(len(SHAPES))]
    with mpmath.workdps(40):
        truth = None if curve.slope is None else known() * (_mp(curve.slope) / 8) ** 2
    return _claimed(rng, "scale", make(centre, sp.exp(curve.formula / 8)), at, truth)


def shape(rng: np.random.Generator) -> SubjectCase:
    """Exponential, power and gamma laws whose parameter is the exponential of a curve."""
    y, at = VARIABLE, _small(rng, -2, 3)
    curve = Curve(rng, at)
    t = sp.exp(curve.formula / 8)
    zero, one = sp.Integer(0), sp.Integer(1)
    kind = int(rng.integers(0, 3))
    with mpmath.workdps(40):
        value = mpmath.exp(_mp(curve.value) / 8)
        speed = None if curve.slope is None else (value * _mp(curve.slope) / 8) ** 2
        if kind == 0:
            law, known = Law("exponential", y, t * sp.exp(-t * y), (zero, sp.oo)), 1 / value**2
        elif kind == 1:
            law, known = Law("power", y, t * y ** (t - 1), (zero, one)), 1 / value**2
        else:
            law, known = (
                Law("gamma", y, y ** (t - 1) * sp.exp(-y) / sp.gamma(t), (zero, sp.oo)),
                mpmath.psi(1, value),
            )
        truth = None if speed is None else known * speed
    return _claimed(rng, "shape", law, at, truth)


def categories(rng: np.random.Generator) -> SubjectCase:
    """Bernoulli and binomial laws, at the ends of the probability and beside them."""
    n, at = int(rng.integers(1, 4)), sp.Rational(int(rng.integers(-1, 18)), 16)
    centre = sp.Rational(int(rng.integers(0, 17)), 16)
    kinked = rng.random() < 0.5
    p = at if not kinked else abs(at - centre)
    formula = THETA if not kinked else sp.Abs(THETA - centre)
    masses = [sp.binomial(n, k) * formula**k * (1 - formula) ** (n - k) for k in range(n + 1)]
    law = laws.discrete(list(range(n + 1)), masses)
    regular = 0 < p < 1
    with mpmath.workdps(40):
        truth = mpmath.mpf(n) / (_mp(p) * (1 - _mp(p))) if regular else None
    return _claimed(rng, "categories", law, at, truth)


def supports(rng: np.random.Generator) -> SubjectCase:
    """Uniform laws whose ends jump, stand still or move."""
    at, k, width = _small(rng), _small(rng), _small(rng, 1)
    kind = int(rng.integers(0, 4))
    if kind == 0:
        law, still = laws.uniform(sp.floor(THETA - k), sp.floor(THETA - k) + width), not (at - k).is_integer
    elif kind == 1:
        law, still = laws.uniform(k, k + width + sp.Heaviside(THETA)), at != 0
    elif kind == 2:
        law, still = laws.uniform(k, k + width + sp.Max(THETA, 0)), at < 0
    else:
        law, still = laws.uniform(k, k + width + (THETA - at) ** 4), True
    return _claimed(rng, "supports", law, at, mpmath.mpf(0) if still else None)


def mixtures(rng: np.random.Generator) -> SubjectCase:
    """Two normal laws with a weight that bends; the information by quadrature with mpmath."""
    at, gap = _small(rng, -2, 3), _small(rng, 1)
    curve = Curve(rng, at)
    weight = 1 / (1 + sp.exp(curve.formula / 8))
    law = laws.mixture(
        [weight, 1 - weight] if (1 - weight).is_positive else [weight, 1 / (1 + sp.exp(-curve.formula / 8))],
        [laws.normal(0, 1), laws.normal(gap, 1)],
    )
    truth = None
    if curve.slope is not None:
        with mpmath.workdps(20):
            w = 1 / (1 + mpmath.exp(_mp(curve.value) / 8))
            slope, d = w * (1 - w) * _mp(curve.slope) / 8, _mp(gap)

            def rate(y: mpmath.mpf) -> mpmath.mpf:
                p, q = mpmath.npdf(y), mpmath.npdf(y, d)
                return slope**2 * (p - q) ** 2 / (w * p + (1 - w) * q)

            truth = mpmath.quad(rate, [-12, -3, 0, d, d + 3, d + 12])
    return _claimed(rng, "mixtures", law, at, truth)


def no_law(rng: np.random.Generator) -> SubjectCase:
    """Formulas that are no law at the parameter: negative somewhere, of another mass, on an empty support."""
    y, at = VARIABLE, _small(rng, 1)
    unit = (sp.Integer(0), sp.Integer(1))
    law = (
        Law("slanted", y, 1 + (THETA + 2) * (y - sp.Rational(1, 2)), unit),
        Law("heavy", y, 1 + THETA * y, unit),
        laws.uniform(THETA, 0),
        Law("bent", y, 1 + 12 * (1 + THETA) * ((y - sp.Rational(1, 2)) ** 2 - sp.Rational(1, 12)), unit),
        laws.discrete([0, 1], [-THETA, 1 + THETA]),
    )[rng.integers(5)]
    return _claimed(rng, "no law", law, at, None)


def pairs(rng: np.random.Generator) -> SubjectCase:
    """Two laws on one finite set, and the loss or the profile between them."""
    size = int(rng.integers(2, 5))
    p, q = (
        [sp.Rational(int(v), int(sum(row))) for v in row]
        for row in rng.integers(1, 40, size=(2, size)).tolist()
    )
    margin, side = _margin(rng), int(rng.choice([-1, 1]))
    with mpmath.workdps(40):
        ratios = [abs(mpmath.log(_mp(a / b))) for a, b in zip(p, q, strict=True)]
        pure = rng.random() < 0.5
        epsilon = (
            float(max(ratios) * (1 + side * margin)) if pure else float(max(ratios) * rng.uniform(0.1, 0.9))
        )
        factor = mpmath.exp(mpmath.mpf(repr(epsilon)))
        sums = [
            sum(max(_mp(a) - factor * _mp(b), 0) for a, b in zip(*two, strict=True))
            for two in ((p, q), (q, p))
        ]
        delta = float(max(sums) * (1 + side * margin))
        holds = bool(max(ratios) <= epsilon) if pure else bool(max(sums) <= delta)
    if epsilon <= 0 or (not pure and not 0 < delta < 1):
        return pairs(rng)
    guarantee = PureDP(epsilon) if pure else ApproxDP(epsilon, delta)

    def word() -> str:
        return _WORDS[guarantee.holds(DiscretePair(tuple(p), tuple(q)))]

    return SubjectCase("pairs", f"{p} against {q}: {guarantee}", word, holds, margin)


def weighted(rng: np.random.Generator) -> SubjectCase:
    """Now and then a mixture, whose integral takes seconds; else categories."""
    return mixtures(rng) if rng.random() < 0.02 else categories(rng)


FAMILIES = (location, scale, shape, weighted, supports, no_law, pairs)
