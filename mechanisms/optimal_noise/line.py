"""The optimal noise on one line: squared cosine, normal law, or the ground state of a parabolic cylinder problem."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import sympy as sp
from flint import ctx

from ...symbolic.laws.law import Law
from ...symbolic.proof.enclosure import enclose
from ...symbolic.proof.exact_numbers import ball, below
from .certificate import OptimalityCertificate
from .eigenscalar import EigenScalar
from .scalar import Scalar, cosine, normal
from .shooting import BITS, Problem, ground_state
from .supports import HalfLine, Interval, Support, WholeSpace, fraction

RESIDUAL = "the largest |-4 a u'' + rho w^2 u - cost u| over cost max u, u^2 the density that is returned"
EXACT_RESIDUAL = "-a (2 s' + s^2) + rho w^2 - cost for the score s of the exact law, simplified"
_FARTHEST = 1e6


@dataclass(frozen=True)
class Line:
    """A noise on the line, the integral of (density')^2/density, E w^2, and the certificate for a J + rho E w^2."""

    scalar: Scalar
    information: float
    second_moment: float
    certificate: OptimalityCertificate


def line(support: Support, a: Fraction, rho: Fraction) -> Line:
    """The density on an interval, half-line or line that minimises a J + rho E w^2; a > 0, rho >= 0."""
    if isinstance(support, WholeSpace):
        return _gaussian(a, rho)
    if isinstance(support, Interval) and rho == 0:
        return _cosine(support, a)
    if isinstance(support, Interval):
        problem = Problem(rho / (4 * a), fraction(support.lower), fraction(support.upper))
    else:
        assert isinstance(support, HalfLine)
        end = fraction(support.end)
        problem = Problem(rho / (4 * a), end if support.upwards else None, None if support.upwards else end)
    return _eigen(problem, a)


def _cosine(support: Interval, a: Fraction) -> Line:
    noise = cosine(support.lower, support.upper)
    low, high = noise.law.support
    width = high - low
    information = 4 * sp.pi**2 / width**2
    moment = (low + high) ** 2 / 4 + width**2 * (sp.pi**2 - 6) / (12 * sp.pi**2)
    method = "the root of the density is a positive eigenfunction: Barta's inequality with itself, exact"
    proof = _exact(noise.law, a, Fraction(0), information * _rational(a), method)
    return Line(noise, float(information), float(moment), proof)


def _gaussian(a: Fraction, rho: Fraction) -> Line:
    variance = sp.sqrt(_rational(a) / _rational(rho))
    noise = normal(sp.sqrt(variance))
    method = "completing the square: a J + rho E w^2 >= 2 sqrt(a rho) (Stein's identity), exact"
    proof = _exact(noise.law, a, rho, 2 * sp.sqrt(_rational(a) * _rational(rho)), method)
    return Line(noise, float(1 / variance), float(variance), proof)


def _exact(law: Law, a: Fraction, rho: Fraction, cost: sp.Expr, method: str) -> OptimalityCertificate:
    score, w = law.score(), law.variable
    left = -_rational(a) * (2 * sp.diff(score, w) + score**2) + _rational(rho) * w**2 - cost
    residual = sp.simplify(left)
    # A residual that does not simplify to zero is reported at a point where no symmetry hides it.
    size = 0.0 if residual == 0 else abs(float((residual / cost).subs(w, law.quantile(np.array([0.3]))[0])))
    value = enclose(cost, bits=BITS)
    return OptimalityCertificate(float(value.mid()), below(value), method, (), True, size, EXACT_RESIDUAL)


def _eigen(problem: Problem, a: Fraction) -> Line:
    state = ground_state(problem)
    noise = EigenScalar(state)
    if abs(noise.mean) > _FARTHEST * noise.deviation:
        raise ValueError(
            f"the optimal noise lies at {noise.mean:.6g} with deviation {noise.deviation:.3g}: floating point does "
            "not resolve it there. Its cost is enclosed by ground_state(Problem(...)); choose W closer to 0 for a noise"
        )
    with ctx.workprec(BITS):
        four = ball(4 * a)
        cost, least = float((four * state.lam).mid()), below(four * state.below)
    proof = OptimalityCertificate(
        cost,
        least,
        "Picone's inequality with a positive supersolution carried by Taylor sums in ball arithmetic",
        ("two zeros of a solution of u'' + q u = 0 are at least pi/sqrt(max q) apart (Sturm)",),
        True,
        noise.residual,
        RESIDUAL,
    )
    return Line(noise, noise.information, noise.second_moment, proof)


def _rational(x: Fraction) -> sp.Rational:
    return sp.Rational(x.numerator, x.denominator)
