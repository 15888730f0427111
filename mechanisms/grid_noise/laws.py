"""Three laws on a grid: Laplace and Gaussian for differential privacy, the squared cosine for least Fisher information.

Each is made from balls (python-flint) of 256 bits, rounded to whole weights that sum to 2^128; what the rounding, the
cut ends and the bent slope of the Laplace law move is bounded rigorously and kept as `total_variation`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

from flint import arb, ctx

from ...symbolic.proof.enclosure import rational
from ...symbolic.proof.exact_numbers import ball
from ..additive import positive
from .alias import TOTAL_BITS
from .sampler import GridNoise

_PRECISION = 256
_FINEST = -900  # steps whose multiples are doubles, with room
_STEPS_LOG2 = 10  # steps per scale of the default grid: 2^10 to 2^11
_MOST_STEPS = 1 << 11  # steps per scale that fit a table
_HALF = (1 << 15) - 2  # steps to either side of zero that fit a table
_LAPLACE_REACH = 16  # scales before the geometric tail: 1e-7 of the draws lie beyond
_BEND = 2.0**-40  # by which share the slope of the Laplace law grows from the centre to the tail
_GAUSSIAN_LEAST = 40  # bits of the least weight: enough to stay log-concave after rounding


def default_exponent(scale: float) -> int:
    """The exponent of a grid with 1024 to 2048 steps per `scale` (of Laplace, deviation, or half width)."""
    return math.frexp(positive("scale", scale, "in the unit of the data"))[1] - 1 - _STEPS_LOG2


def grid_laplace(scale: float, exponent: int | None = None) -> GridNoise:
    """P(k) proportional to e^(-|k| 2^exponent / scale): the loss of a step is at most 2^exponent / scale, exactly.

    To stay log-concave with whole weights the slope is bent: at the centre it is less than that by 2^-40 of it.
    """
    scale, exponent = _checked("scale", scale, exponent)
    return _laplace(scale, exponent)


def grid_gaussian(deviation: float, exponent: int | None = None) -> GridNoise:
    """P(k) proportional to e^(-(k 2^exponent)^2 / (2 deviation^2)), cut where the mass of a step falls below 2^-88.

    The discrete Gaussian law (Canonne, Kamath and Steinke 2020): before the cut, (range / deviation)^2 / 2 is its rho.
    """
    deviation, exponent = _checked("deviation", deviation, exponent)
    return _gaussian(deviation, exponent)


def grid_cosine(half_width: float, exponent: int | None = None) -> GridNoise:
    """P(k) proportional to cos^2(pi k 2^exponent / (2 half_width)) inside (-half_width, half_width).

    The squared cosine has the least Fisher information on an interval; its ends move with the record: no pure epsilon is finite.
    """
    half_width, exponent = _checked("half_width", half_width, exponent)
    return _cosine(half_width, exponent)


def grid_noise(kind: str, parameter: float, exponent: int | None = None) -> GridNoise:
    """The law of this name: "laplace", "gaussian" or "cosine"; ValueError for any other."""
    makers = {"laplace": grid_laplace, "gaussian": grid_gaussian, "cosine": grid_cosine}
    if kind not in makers:
        raise ValueError(f"grid noise is one of {', '.join(makers)}, got {kind!r}")
    return makers[kind](parameter, exponent)


def _checked(name: str, value: float, exponent: int | None) -> tuple[float, int]:
    number = positive(name, value, "in the unit of the data")
    e = default_exponent(number) if exponent is None else exponent
    if isinstance(e, bool) or int(e) != e:
        raise ValueError(f"exponent must be a whole number, the step is 2^exponent, got {exponent!r}")
    if not _FINEST <= e <= -_FINEST:
        raise ValueError(
            f"the step 2^{e} leaves the doubles, expected an exponent of {_FINEST} to {-_FINEST}: the {name} {number:g} is out of reach"
        )
    steps = number * 2.0**-e
    if not 1 / 16 <= steps <= _MOST_STEPS:
        raise ValueError(
            f"the grid 2^{e} cuts the {name} {number:g} into {steps:.4g} steps: expected 1/16 to {_MOST_STEPS}, "
            f"for example exponent {default_exponent(number)}"
        )
    return number, int(e)


def _steps(value: float, exponent: int) -> arb:
    """value / 2^exponent as a ball, the number read as it was written (0.1 is one tenth)."""
    return ball(rational(value)) * arb(2) ** (-exponent)


@lru_cache(maxsize=32)
def _gaussian(deviation: float, exponent: int) -> GridNoise:
    with ctx.workprec(_PRECISION):
        s = _steps(deviation, exponent)
        # sum over all k of exp(-k^2/(2 s^2)) exceeds s by a factor of at most 1 + 2/s.
        bits = (TOTAL_BITS - _GAUSSIAN_LEAST) * math.log(2) - math.log(max(float(s.mid()), 1.0))
        reach = int(min(_HALF, math.floor(float(s.mid()) * math.sqrt(2 * bits))))
        half = [(-((arb(k) / s) ** 2) / 2).exp() for k in range(reach + 1)]
        # Beyond the cut the ratio of neighbours is at most that of the first two.
        first = (-((arb(reach + 1) / s) ** 2) / 2).exp()
        beyond = 2 * first / (1 - (-(arb(2 * reach + 3)) / (2 * s**2)).exp())
        return _rounded("gaussian", deviation, exponent, half, beyond)


@lru_cache(maxsize=32)
def _cosine(half_width: float, exponent: int) -> GridNoise:
    with ctx.workprec(_PRECISION):
        a = _steps(half_width, exponent)
        reach = math.ceil(Fraction(str(rational(half_width))) / Fraction(2) ** exponent) - 1
        half = [(arb.pi() * k / (2 * a)).cos() ** 2 for k in range(reach + 1)]
        return _rounded("cosine", half_width, exponent, half, arb(0))


def _rounded(kind: str, parameter: float, exponent: int, half: Sequence[arb], beyond: arb) -> GridNoise:
    """Masses proportional to half[|k|] as whole weights, the rest of 2^128 at zero; `beyond` bounds what was cut."""
    total = 2 * sum(half, arb(0)) - half[0]
    exact = [h * arb(2) ** TOTAL_BITS / total for h in half]
    weights = [_whole(w) for w in exact]
    while len(weights) > 1 and weights[-1] < 1:
        weights.pop()
    weights[0] = (1 << TOTAL_BITS) - 2 * sum(weights[1:])
    kept = [*weights, *([0] * (len(exact) - len(weights)))]
    moved = sum((abs(e - w) for e, w in zip(exact[1:], kept[1:], strict=True)), arb(0)) * 2
    moved += abs(exact[0] - weights[0])
    variation = (moved / arb(2) ** TOTAL_BITS / 2 + beyond / total).upper()
    return GridNoise(
        kind,
        parameter,
        exponent,
        1 - len(weights),
        (*weights[:0:-1], *weights),
        total_variation=_up(variation),
    )


@lru_cache(maxsize=32)
def _laplace(scale: float, exponent: int) -> GridNoise:
    with ctx.workprec(_PRECISION):
        s = _steps(scale, exponent)
        reach = int(min(_HALF, max(1, math.ceil(_LAPLACE_REACH * float(s.mid())))))
        # The ratio of the tail from above: the loss of a step is then at most 1/s, exactly.
        ratio = _whole(((-1 / s).exp() * arb(2) ** 64).upper().ceil())
        r = arb(ratio) / arb(2) ** 64
        slope = -r.log()
        bend = slope * arb(_BEND) / (reach + 1)
        # Between k - 1 and k the slope is slope - bend (reach + 1 - k): each step has e^(-bend) of the one before.
        half, step, shrink = [arb(1)], (bend * (reach + 1) - slope).exp(), (-bend).exp()
        for _ in range(reach):
            step *= shrink
            half.append(half[-1] * step)
        tail = half[-1] * (-(slope - bend / 2)).exp() / (1 - r)
        total = 2 * sum(half, arb(0)) - half[0] + 2 * tail
        whole = arb(2) ** TOTAL_BITS / total
        weights = [_whole(h * whole) for h in half]
        rest = _whole(tail * whole)
        weights[0] = (1 << TOTAL_BITS) - 2 * sum(weights[1:]) - 2 * rest
        return GridNoise(
            "laplace",
            scale,
            exponent,
            -reach,
            (*weights[:0:-1], *weights),
            rest,
            ratio,
            _laplace_variation(s, weights, rest, r),
        )


def _laplace_variation(s: arb, weights: Sequence[int], tail: int, r: arb) -> float:
    """Half the sum over k of |P(k) - (1 - q)/(1 + q) q^|k||, q = e^(-1/s): term by term, then the two geometric tails."""
    q, unit = (-1 / s).exp(), arb(2) ** -TOTAL_BITS
    ideal, moved = (1 - q) / (1 + q) / unit, arb(0)
    centre = abs(weights[0] - ideal)
    for w in weights:
        moved += abs(w - ideal)
        ideal *= q
    moved, ideal = (2 * moved - centre) * unit, ideal * unit
    here = tail * unit * (1 - r)
    # |a r^j - b q^j| <= |a - b| q^j + a |r^j - q^j|, and r >= q makes the last sum one difference.
    moved += 2 * (abs(here - ideal) / (1 - q) + abs(here * (1 / (1 - r) - 1 / (1 - q))))
    return _up((moved / 2).upper())


def _whole(value: arb) -> int:
    """The middle of a ball rounded down."""
    whole = value.mid().floor().unique_fmpz()
    assert whole is not None
    return int(whole)


def _up(value: arb) -> float:
    return math.nextafter(float(value), math.inf)
