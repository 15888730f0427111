"""Sets of vectors in exact rational numbers, and products of them: what the sensitivity engine asks of a domain."""

from __future__ import annotations

import itertools
import math
import numbers
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from ..arrays import Floats
from ..proof.enclosure import rational
from .polynomials import Coefficients, Point, value

DIGITS = 10**12
LARGEST = 10**30  # sizes of domains: their powers stay in the range of doubles


def exact(value: Any, name: str) -> Fraction:
    """The rational number that was written, in Python, numpy or sympy; ValueError for anything that is not a finite number."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, numbers.Real | Decimal | str | sp.Expr):
        raise ValueError(f"{name} must be a rational number, got {value!r}")
    try:
        found = rational(value)
        return Fraction(int(found.p), int(found.q))
    except (ValueError, TypeError, ZeroDivisionError) as error:
        raise ValueError(f"{name} must be a finite rational number, got {value!r}") from error


def plain(value: Any) -> Any:
    """Rational numbers of sympy and decimals as Python's own, also in a list; anything else as it came."""
    if isinstance(value, list | tuple):
        return tuple(plain(v) for v in value)
    if isinstance(value, Decimal | sp.Rational | sp.Float) and math.isfinite(value):
        found = exact(value, "the number")
        return int(found) if found.denominator == 1 else found
    return value


def read_numbers(record: object, *names: str) -> None:
    """Put Python's numbers into the fields of a frozen dataclass that were given as numbers of sympy or decimals."""
    for name in names:
        object.__setattr__(record, name, plain(getattr(record, name)))


def sized(value: float | int | str | Fraction, name: str) -> Fraction:
    """A positive rational number that floating point can work with; ValueError says what is admitted."""
    number = exact(value, name)
    if not Fraction(1, LARGEST) <= number <= LARGEST:
        raise ValueError(
            f"{name} must be positive, between 1e-30 and 1e30 (rescale the variables), got {value}"
        )
    return number


class Block(ABC):
    """A set described by rational numbers; ValueError where it cannot be, or its size is beyond floating point."""

    @property
    @abstractmethod
    def bounds(self) -> tuple[tuple[Fraction, Fraction], ...]:
        """An interval for each coordinate."""

    @abstractmethod
    def nearest(self, vectors: Floats) -> Floats:
        """The nearest points, up to rounding; rows are points."""

    @abstractmethod
    def rounded(self, vector: Floats) -> Point:
        """A rational point of the set near a vector."""

    @abstractmethod
    def nonnegative(self) -> list[Coefficients]:
        """Polynomials in the coordinates that are nonnegative on the set: with `zero`, they describe it."""

    def zero(self) -> list[Coefficients]:
        """Polynomials that vanish on the set."""
        return []

    def vertices(self) -> list[Point] | None:
        """The extreme points where they are finitely many."""
        return None

    def holds(self, point: Point) -> bool:
        """Whether a rational point lies in the set, exactly."""
        return len(point) == len(self.bounds) and (
            all(value(g, point) >= 0 for g in self.nonnegative())
            and all(value(g, point) == 0 for g in self.zero())
        )

    def flips(self) -> tuple[bool, ...]:
        """For each coordinate whether changing its sign maps the set to itself."""
        return tuple(low == -high for low, high in self.bounds)

    def size(self) -> float:
        """A length scale."""
        return float(max(high - low for low, high in self.bounds))


def monomial(dimension: int, index: int, power: int = 1) -> tuple[int, ...]:
    """The exponents of a power of one coordinate."""
    return tuple(power * (i == index) for i in range(dimension))


@dataclass(frozen=True)
class Product:
    """The product of its blocks, coordinates in their order."""

    blocks: tuple[Block, ...]

    def __post_init__(self) -> None:
        _ = self.bounds()  # says what is wrong with a size

    @property
    def dimension(self) -> int:
        return sum(len(block.bounds) for block in self.blocks)

    def parts(self) -> list[slice]:
        """The coordinates of each block."""
        ends = np.cumsum([0] + [len(block.bounds) for block in self.blocks])
        return [slice(int(a), int(b)) for a, b in itertools.pairwise(ends)]

    def holds(self, point: Point) -> bool:
        """Whether a rational point lies in the domain, exactly."""
        return len(point) == self.dimension and all(
            block.holds(point[part]) for block, part in zip(self.blocks, self.parts(), strict=True)
        )

    def nearest(self, vectors: Floats) -> Floats:
        """The nearest points, row by row."""
        parts = zip(self.blocks, self.parts(), strict=True)
        return np.concatenate([block.nearest(vectors[..., part]) for block, part in parts], axis=-1)

    def rounded(self, vector: Floats) -> Point:
        """A rational point of the domain near a vector."""
        return tuple(
            x
            for block, part in zip(self.blocks, self.parts(), strict=True)
            for x in block.rounded(vector[part])
        )

    def bounds(self) -> list[tuple[Fraction, Fraction]]:
        """An interval for each coordinate."""
        return [pair for block in self.blocks for pair in block.bounds]

    def flips(self) -> list[bool]:
        """For each coordinate whether changing its sign maps the domain to itself."""
        return [flip for block in self.blocks for flip in block.flips()]

    def constraints(self) -> tuple[list[Coefficients], list[Coefficients]]:
        """Polynomials in all coordinates that are nonnegative on the domain, and such that vanish on it."""
        above, zero = [], []
        for block, part in zip(self.blocks, self.parts(), strict=True):
            before, after = (0,) * part.start, (0,) * (self.dimension - part.stop)
            above += [{(*before, *m, *after): c for m, c in g.items()} for g in block.nonnegative()]
            zero += [{(*before, *m, *after): c for m, c in g.items()} for g in block.zero()]
        return above, zero

    def vertices(self) -> list[Point] | None:
        """Products of the blocks' extreme points where they are finitely many (at most 2^14)."""
        points: list[Point] = [()]
        for block in self.blocks:
            own = block.vertices()
            if own is None or len(points) * len(own) > 2**14:
                return None
            points = [(*point, *vertex) for point in points for vertex in own]
        return points

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        """Points of the domain, shape (size, dimension): no particular law, boundary and inside."""
        centre = np.array([float(a + b) / 2 for a, b in self.bounds()])
        spread = np.array([float(b - a) for a, b in self.bounds()])
        wild = centre + spread * rng.normal(size=(size, self.dimension)) * rng.choice(
            (0.3, 1.0, 4.0), (size, 1)
        )
        return self.nearest(wild)


def as_domain(domain: Block | Sequence[Block] | Product) -> Product:
    """A block or a sequence of blocks as a domain; ValueError for anything else."""
    if isinstance(domain, Product):
        return domain
    blocks = (domain,) if isinstance(domain, Block) else tuple(domain)
    if not blocks or not all(isinstance(block, Block) for block in blocks):
        raise ValueError(f"expected Ball, Sphere, Box or Simplex, or a sequence of these, got {domain!r}")
    return Product(blocks)
