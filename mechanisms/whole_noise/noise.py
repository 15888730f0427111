"""The interface of symmetric noise on the whole numbers, P(k) proportional to exp(-rate |k|^power), rate a fraction."""

from __future__ import annotations

import math
import numbers
from abc import ABC, abstractmethod
from fractions import Fraction
from typing import Any, ClassVar

from flint import arb, ctx
from numpy.typing import ArrayLike

from ...symbolic.arrays import Floats, Ints
from ...symbolic.errors import SpecError, came
from ...symbolic.proof.enclosure import rational
from ...symbolic.proof.exact_numbers import above, ball, below
from ..grid_noise.secure_bits import Bits
from .blocks import blocks

BITS = 256  # of the balls
_FINER = (BITS, 2 * BITS, 4 * BITS, 8 * BITS)
_CLOSE = 1e-12  # relative, of the moments in floating point


class DiscreteNoise(ABC):
    """A symmetric law on the whole numbers, in steps; what it says of itself and what is drawn come by two routes."""

    kind: ClassVar[str]
    power: ClassVar[int]
    exponent: ClassVar[int] = 0  # of a step, as for grid noise

    @property
    @abstractmethod
    def rate(self) -> Fraction:
        """P(k) is proportional to exp(-rate |k|^power)."""

    @abstractmethod
    def parameters(self) -> dict[str, str]:
        """Law and parameter as plain data, the number as the text of a fraction."""

    @abstractmethod
    def _mass(self, k: int) -> arb:
        """P(X = k), in the precision that is set."""

    @abstractmethod
    def _outside(self, m: int) -> arb:
        """P(|X| > m) for m >= 0, in the precision that is set, with an error that is small against it."""

    @abstractmethod
    def _moments(self) -> tuple[arb, arb]:
        """E[X^2] and E|X|, in the precision that is set."""

    def draw(self, size: int, bits: Bits) -> Ints:
        """`size` independent draws (size,) of exactly this law, made of words of `bits` by whole numbers alone.

        OverflowError should one leave the 64 bits, which the largest parameter makes less likely than exp(-2^22).
        How long a draw takes depends on how many proposals were refused, not on the data that it is added to.
        """
        if _whole("size", size) < 0:
            raise SpecError(f"size must be at least 0, got {size!r}")
        return blocks(self.rate, self.power).draw(int(size), bits)

    def mass(self, k: int) -> arb:
        """A ball around P(X = k)."""
        with ctx.workprec(BITS):
            return self._mass(abs(_whole("k", k)))

    def within(self, m: int) -> arb:
        """A ball around P(|X| <= m); for m < 0 it is 0."""
        if _whole("m", m) < 0:
            return arb(0)
        with ctx.workprec(BITS):
            return 1 - self._outside(int(m))

    def outside(self, m: int) -> arb:
        """A ball around P(|X| > m), with a small relative error however far out m lies; for m < 0 it is 1."""
        if _whole("m", m) < 0:
            return arb(1)
        with ctx.workprec(BITS):
            return self._outside(int(m))

    def coverage(self, m: int) -> float:
        """P(|X| <= m) rounded down."""
        return max(0.0, below(self.within(m)))

    def half_width(self, confidence: Fraction | float | str) -> int:
        """The least m with P(|X| <= m) certainly at least `confidence`, a number with 0 < confidence < 1."""
        level = exactly("confidence", confidence)
        if not 0 < level < 1:
            raise SpecError(f"confidence must lie strictly between 0 and 1, got {confidence!r}")
        allowed = 1 - level
        if self._exceeds_at_most(0, allowed):
            return 0
        low, high = 0, 1
        while not self._exceeds_at_most(high, allowed):
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self._exceeds_at_most(middle, allowed) else (middle, high)
        return high

    def _exceeds_at_most(self, m: int, allowed: Fraction) -> bool:
        """Whether P(|X| > m) <= allowed, certainly."""
        for bits in _FINER:
            with ctx.workprec(bits):
                beyond, most = self._outside(m), ball(allowed)
                if beyond <= most:
                    return True
                if beyond > most:
                    return False
        return False

    def variance(self) -> float:
        """E[X^2] in steps^2, to 1e-12 of it: the middle of a ball whose radius is checked."""
        with ctx.workprec(BITS):
            return _middle(self._moments()[0])

    def standard_deviation(self) -> float:
        """The root of E[X^2], in steps."""
        return math.sqrt(self.variance())

    def mean_absolute(self) -> float:
        """E|X| in steps, to 1e-12 of it."""
        with ctx.workprec(BITS):
            return _middle(self._moments()[1])

    @abstractmethod
    def log_mass(self, k: ArrayLike) -> Floats:
        """log P(X = k) in floating point for whole numbers k (any shape)."""


def _middle(value: arb) -> float:
    low, high = below(value), above(value)
    if not (low > 0 and high - low <= _CLOSE * low):
        raise ArithmeticError(f"a moment of the noise was enclosed only to [{low!r}, {high!r}]")
    return float(value.mid())


def exactly(name: str, value: Any) -> Fraction:
    """A number as a fraction: as it is written where it is a float (0.1 is one tenth); SpecError for anything else."""
    if isinstance(value, numbers.Rational) and not isinstance(value, bool):
        return Fraction(int(value.numerator), int(value.denominator))
    if isinstance(value, float | str):
        try:
            number = rational(value)
            return Fraction(int(number.p), int(number.q))
        except (ValueError, TypeError, AttributeError):
            pass
    shown = repr(value)[:40] if isinstance(value, float | str | bool) else came(value)
    raise SpecError(f"{name} must be a fraction such as Fraction(5, 2), or '5/2', got {shown}")


def inside(name: str, value: Fraction, least: Fraction, most: Fraction | None, unit: str) -> Fraction:
    """The value, if it lies in [least, most]; SpecError otherwise."""
    if value < least or (most is not None and value > most):
        wanted = f"at least {least}" if most is None else f"{least} to 2^{most.numerator.bit_length() - 1}"
        raise SpecError(f"{name} must be {wanted}, in {unit}, got {float_text(value)}")
    return value


def float_text(value: Fraction) -> str:
    """A fraction as a message shows it, however long it is."""
    try:
        return f"{float(value):.6g}"
    except OverflowError:
        return "a number that no double can hold"


def _whole(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise SpecError(f"{name} must be a whole number, got {value!r}")
    return int(value)
