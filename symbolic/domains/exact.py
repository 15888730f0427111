"""Domains of one record: balls, spheres, boxes, simplices, and products of them (a tuple of blocks)."""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ..arrays import Floats
from .polynomials import Coefficients, Point

DIGITS = 10**12
LARGEST = 10**30  # sizes of domains: their powers stay in the range of doubles


def exact(value: float | int | str | Fraction, name: str) -> Fraction:
    """The rational number that was written; ValueError for anything that is not a finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float | str | Fraction):
        raise ValueError(f"{name} must be a rational number, got {value!r}")
    try:
        return Fraction(repr(value)) if isinstance(value, float) else Fraction(value)
    except (ValueError, ZeroDivisionError) as error:
        raise ValueError(f"{name} must be a finite rational number, got {value!r}") from error


def sized(value: float | int | str | Fraction, name: str) -> Fraction:
    """A positive rational number that floating point can work with; ValueError says what is admitted."""
    number = exact(value, name)
    if not Fraction(1, LARGEST) <= number <= LARGEST:
        raise ValueError(
            f"{name} must be positive, between 1e-30 and 1e30 (rescale the variables), got {value}"
        )
    return number


class Block(ABC):
    """One factor of a domain."""

    dimension: int

    @abstractmethod
    def contains(self, point: Point) -> bool:
        """Whether a rational point lies in the block, exactly."""

    @abstractmethod
    def project(self, vector: Floats) -> Floats:
        """The nearest point, up to rounding; rows are points."""

    @abstractmethod
    def rounded(self, vector: Floats) -> Point:
        """A rational point of the block near a vector."""

    @abstractmethod
    def bounds(self) -> tuple[tuple[Fraction, Fraction], ...]:
        """An interval for each coordinate."""

    @abstractmethod
    def nonnegative(self) -> list[Coefficients]:
        """Polynomials in the block's coordinates that are nonnegative on it."""

    def zero(self) -> list[Coefficients]:
        """Polynomials that vanish on the block."""
        return []

    def vertices(self) -> list[Point] | None:
        """The extreme points where they are finitely many."""
        return None

    def flips(self) -> tuple[bool, ...]:
        """For each coordinate whether changing its sign maps the block to itself."""
        return tuple(low == -high for low, high in self.bounds())

    def size(self) -> float:
        """A length scale."""
        return float(max(high - low for low, high in self.bounds()))


def _unit(dimension: int, index: int, power: int = 1) -> tuple[int, ...]:
    return tuple(power * (i == index) for i in range(dimension))


@dataclass(frozen=True)
class Ball(Block):
    """Vectors of Euclidean length at most `radius`."""

    dimension: int
    radius: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        if isinstance(self.dimension, bool) or not isinstance(self.dimension, int) or self.dimension < 1:
            raise ValueError(f"dimension must be a whole number of at least 1, got {self.dimension!r}")
        object.__setattr__(self, "radius", sized(self.radius, "radius"))

    def contains(self, point: Point) -> bool:
        return len(point) == self.dimension and sum(x * x for x in point) <= self.radius**2

    def project(self, vector: Floats) -> Floats:
        length = np.linalg.norm(vector, axis=-1, keepdims=True) / float(self.radius)
        return np.asarray(vector / np.maximum(length, 1.0))

    def rounded(self, vector: Floats) -> Point:
        radius = float(self.radius)
        point = tuple(self.radius * Fraction(round(float(x) / radius * DIGITS), DIGITS) for x in vector)
        while sum(x * x for x in point) > self.radius**2:
            point = tuple(x * (1 - Fraction(2, DIGITS)) for x in point)
        return point

    def bounds(self) -> tuple[tuple[Fraction, Fraction], ...]:
        return ((-self.radius, self.radius),) * self.dimension

    def nonnegative(self) -> list[Coefficients]:
        inside: Coefficients = {_unit(self.dimension, i, 2): Fraction(-1) for i in range(self.dimension)}
        return [inside | {(0,) * self.dimension: self.radius**2}]


@dataclass(frozen=True)
class Sphere(Ball):
    """Vectors of Euclidean length `radius`."""

    def contains(self, point: Point) -> bool:
        return len(point) == self.dimension and sum(x * x for x in point) == self.radius**2

    def project(self, vector: Floats) -> Floats:
        length = np.linalg.norm(vector, axis=-1, keepdims=True)
        safe = np.where(length > 0, vector, np.eye(self.dimension)[0])
        return np.asarray(safe / np.where(length > 0, length, 1.0) * float(self.radius))

    def rounded(self, vector: Floats) -> Point:
        unit = np.asarray(vector, dtype=float) / np.linalg.norm(vector)
        pole = int(np.argmax(np.abs(unit)))
        sign = -1 if unit[pole] > 0 else 1
        # Stereographic projection from the pole that is farther away sends rational points to rational points.
        plane = [Fraction(round(float(x / (1 - sign * unit[pole])) * DIGITS), DIGITS) for x in unit]
        plane[pole] = Fraction(0)
        square = sum((x * x for x in plane), Fraction(0))
        point = [2 * x / (1 + square) * self.radius for x in plane]
        point[pole] = sign * (square - 1) / (1 + square) * self.radius
        return tuple(point)

    def nonnegative(self) -> list[Coefficients]:
        return []

    def zero(self) -> list[Coefficients]:
        return super().nonnegative()


@dataclass(frozen=True)
class Box(Block):
    """Vectors between `lower` and `upper`, coordinate by coordinate."""

    lower: tuple[Fraction, ...]
    upper: tuple[Fraction, ...]

    def __post_init__(self) -> None:
        lower = tuple(exact(x, "lower") for x in self.lower)
        upper = tuple(exact(x, "upper") for x in self.upper)
        if not lower or len(lower) != len(upper) or any(a >= b for a, b in zip(lower, upper, strict=True)):
            raise ValueError(f"expected lower < upper in each coordinate, got {self.lower} and {self.upper}")
        for a, b in zip(lower, upper, strict=True):
            sized(max(abs(a), abs(b)), "the largest absolute value of each coordinate")
            sized(b - a, "the width of each coordinate")
        object.__setattr__(self, "lower", lower)
        object.__setattr__(self, "upper", upper)

    @property
    def dimension(self) -> int:  # type: ignore[override]
        return len(self.lower)

    def contains(self, point: Point) -> bool:
        return len(point) == self.dimension and all(
            a <= x <= b for a, x, b in zip(self.lower, point, self.upper, strict=True)
        )

    def project(self, vector: Floats) -> Floats:
        return np.clip(vector, [float(x) for x in self.lower], [float(x) for x in self.upper])

    def rounded(self, vector: Floats) -> Point:
        shares = (
            round((Fraction(float(x)) - a) / (b - a) * DIGITS)
            for x, (a, b) in zip(vector, self.bounds(), strict=True)
        )
        return tuple(
            a + (b - a) * Fraction(min(max(share, 0), DIGITS), DIGITS)
            for share, (a, b) in zip(shares, self.bounds(), strict=True)
        )

    def bounds(self) -> tuple[tuple[Fraction, Fraction], ...]:
        return tuple(zip(self.lower, self.upper, strict=True))

    def nonnegative(self) -> list[Coefficients]:
        n, found = self.dimension, []
        for i, (a, b) in enumerate(self.bounds()):
            found.append({_unit(n, i, 2): Fraction(-1), _unit(n, i): a + b, (0,) * n: -a * b})
        return found

    def vertices(self) -> list[Point] | None:
        points: list[Point] = [()]
        for pair in self.bounds():
            points = [(*point, end) for point in points for end in pair]
            if len(points) > 2**14:
                return None
        return points


@dataclass(frozen=True)
class Simplex(Block):
    """Nonnegative vectors whose entries add up to `total`."""

    dimension: int
    total: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        if isinstance(self.dimension, bool) or not isinstance(self.dimension, int) or self.dimension < 2:
            raise ValueError(f"dimension must be a whole number of at least 2, got {self.dimension!r}")
        object.__setattr__(self, "total", sized(self.total, "total"))

    def contains(self, point: Point) -> bool:
        return len(point) == self.dimension and min(point) >= 0 and sum(point) == self.total

    def project(self, vector: Floats) -> Floats:
        rows = np.atleast_2d(vector)
        ordered = -np.sort(-rows, axis=1)
        excess = (np.cumsum(ordered, axis=1) - float(self.total)) / np.arange(1, self.dimension + 1)
        last = (ordered > excess).sum(axis=1) - 1
        moved = np.maximum(rows - excess[np.arange(len(rows)), last][:, None], 0.0)
        return np.asarray(moved.reshape(np.shape(vector)))

    def rounded(self, vector: Floats) -> Point:
        total = float(self.total)
        parts = [Fraction(max(round(float(x) / total * DIGITS), 0), DIGITS) for x in vector]
        whole = sum(parts, Fraction(0))
        return tuple(x * self.total / whole for x in parts)

    def bounds(self) -> tuple[tuple[Fraction, Fraction], ...]:
        return ((Fraction(0), self.total),) * self.dimension

    def nonnegative(self) -> list[Coefficients]:
        n = self.dimension
        pairs = [(i, j) for i in range(n) for j in range(i + 1, n)]
        singles: list[Coefficients] = [{_unit(n, i): Fraction(1)} for i in range(n)]
        return singles + [{tuple(int(k in pair) for k in range(n)): Fraction(1)} for pair in pairs]

    def zero(self) -> list[Coefficients]:
        n = self.dimension
        return [{_unit(n, i): Fraction(1) for i in range(n)} | {(0,) * n: -self.total}]

    def vertices(self) -> list[Point] | None:
        return [tuple(self.total * (i == j) for j in range(self.dimension)) for i in range(self.dimension)]


@dataclass(frozen=True)
class Domain:
    """The product of its blocks, coordinates in their order."""

    blocks: tuple[Block, ...]

    @property
    def dimension(self) -> int:
        return sum(block.dimension for block in self.blocks)

    def parts(self) -> list[slice]:
        """The coordinates of each block."""
        ends = np.cumsum([0] + [block.dimension for block in self.blocks])
        return [slice(int(a), int(b)) for a, b in itertools.pairwise(ends)]

    def contains(self, point: Point) -> bool:
        """Whether a rational point lies in the domain, exactly."""
        return len(point) == self.dimension and all(
            block.contains(point[part]) for block, part in zip(self.blocks, self.parts(), strict=True)
        )

    def project(self, vectors: Floats) -> Floats:
        """The nearest points, row by row."""
        parts = zip(self.blocks, self.parts(), strict=True)
        return np.concatenate([block.project(vectors[..., part]) for block, part in parts], axis=-1)

    def rounded(self, vector: Floats) -> Point:
        """A rational point of the domain near a vector."""
        return tuple(
            x
            for block, part in zip(self.blocks, self.parts(), strict=True)
            for x in block.rounded(vector[part])
        )

    def bounds(self) -> list[tuple[Fraction, Fraction]]:
        """An interval for each coordinate."""
        return [pair for block in self.blocks for pair in block.bounds()]

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
        return self.project(wild)


def as_domain(domain: Block | Sequence[Block] | Domain) -> Domain:
    """A block or a sequence of blocks as a domain; ValueError for anything else."""
    if isinstance(domain, Domain):
        return domain
    blocks = (domain,) if isinstance(domain, Block) else tuple(domain)
    if not blocks or not all(isinstance(block, Block) for block in blocks):
        raise ValueError(f"expected Ball, Sphere, Box or Simplex, or a sequence of these, got {domain!r}")
    return Domain(blocks)
