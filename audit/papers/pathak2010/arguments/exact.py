"""Large-margin classification of a few rational records in exact arithmetic: leads, weights, gradients, minimisers.

The loss is the Huber loss as it must read (Pathak, Raj 2010, equation 6, signs corrected): its slope is minus a weight in [0, 1].
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

Matrix = list[list[Fraction]]
ZERO, ONE = Fraction(0), Fraction(1)


@dataclass(frozen=True)
class Sample:
    """Records of the unit ball, each with a 1 behind it, and the numbers of their classes."""

    rows: tuple[tuple[Fraction, ...], ...]
    labels: tuple[int, ...]
    classes: int

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Sample:
        """From texts; ValueError if a record is longer than 1 or a label is none of 0, ..., C - 1."""
        rows = [[Fraction(x) for x in row] for row in data["features"]]
        labels, classes = tuple(data["labels"]), int(data["classes"])
        if any(sum(x * x for x in row) > 1 for row in rows):
            raise ValueError(f"records must lie in the unit ball, got {data['features']}")
        if len(labels) != len(rows) or any(y not in range(classes) for y in labels):
            raise ValueError(f"expected one label of 0 to {classes - 1} per record, got {labels}")
        return cls(tuple((*row, ONE) for row in rows), labels, classes)

    @property
    def order(self) -> int:
        """d + 1, the order of the matrices."""
        return len(self.rows[0])


@dataclass(frozen=True)
class Problem:
    """sum of losses + price sum_c tr Psi_c + (ridge/2)|Phi|^2 + sum_c <noise_c, Phi_c>, Huber loss of half width `width` around `margin`."""

    sample: Sample
    noise: tuple[Matrix, ...]
    price: Fraction
    width: Fraction
    ridge: Fraction = ZERO
    margin: Fraction = ZERO

    def leads(self, phi: Sequence[Matrix]) -> list[list[Fraction]]:
        """x'(Phi_c - Phi_y) x for each record and class."""
        scores = [[form(p, z) for p in phi] for z in self.sample.rows]
        return [[s - row[y] for s in row] for row, y in zip(scores, self.sample.labels, strict=True)]

    def weights(self, phi: Sequence[Matrix]) -> list[list[Fraction]]:
        """Minus the slope of the loss for each record and wrong class, 0 for the own class."""
        return self._over_leads(phi, self.weight)

    def weight(self, lead: Fraction) -> Fraction:
        """Minus the slope of the loss at a lead, in [0, 1]."""
        return huber_slope(self.margin - lead, self.width)

    def pulls(self, phi: Sequence[Matrix]) -> list[list[Fraction]]:
        """a of each record: its part of the gradient is a_c x x'."""
        weights = self.weights(phi)
        return [
            [sum(row, ZERO) if c == y else -w for c, w in enumerate(row)]
            for row, y in zip(weights, self.sample.labels, strict=True)
        ]

    def gradient(self, phi: Sequence[Matrix]) -> list[Matrix]:
        """dL/dPhi_c for each class, without regulariser and noise."""
        parts: list[Matrix] = [zero(self.sample.order) for _ in phi]
        for z, pulls in zip(self.sample.rows, self.pulls(phi), strict=True):
            parts = [plus(g, outer(z), a) for g, a in zip(parts, pulls, strict=True)]
        return parts

    def slope(self, phi: Sequence[Matrix]) -> list[Matrix]:
        """The whole derivative, one symmetric matrix per class."""
        return [
            plus(plus(plus(g, symmetric(b)), flat_identity(len(p)), self.price), p, self.ridge)
            for g, b, p in zip(self.gradient(phi), self.noise, phi, strict=True)
        ]

    def value(self, phi: Sequence[Matrix]) -> Fraction:
        """The whole objective."""
        losses = sum(
            (sum(row) for row in self._over_leads(phi, lambda t: huber(self.margin - t, self.width))), ZERO
        )
        traces = sum((sum((p[i][i] for i in range(len(p) - 1)), ZERO) for p in phi), ZERO)
        tilts = sum((inner(b, p) for b, p in zip(self.noise, phi, strict=True)), ZERO)
        return losses + self.price * traces + tilts + self.ridge * squares(phi) / 2

    def certified(self, phi: Sequence[Matrix]) -> bool:
        """Whether phi minimises over positive semidefinite matrices, by a dual value that equals the objective.

        Each loss is at least (margin + h) w - h w^2 - w t for every weight w in [0, 1], and |Phi'|^2 at least 2 <Phi, Phi'> - |Phi|^2.
        """
        h, weights = self.width, self.weights(phi)
        dual = sum(((self.margin + h) * w - h * w**2 for row in weights for w in row), ZERO)
        fits = all(is_positive(p) for p in (*phi, *self.slope(phi)))
        return fits and self.value(phi) == dual - self.ridge * squares(phi) / 2

    def _over_leads(self, phi: Sequence[Matrix], say: Callable[[Fraction], Fraction]) -> list[list[Fraction]]:
        return [
            [ZERO if c == y else say(t) for c, t in enumerate(row)]
            for row, y in zip(self.leads(phi), self.sample.labels, strict=True)
        ]


def problem_of(numbers: Mapping[str, Any], data: str = "data", noise: str = "noise") -> Problem:
    """The problem of one instance; one noise matrix serves all classes, a list of them one each."""
    sample = Sample.of(numbers[data])
    given = numbers[noise]
    each = given if isinstance(given[0][0], list) else [given] * sample.classes
    noises = tuple(matrix(b) for b in each)
    if len(noises) != sample.classes or any(len(b) != sample.order for b in noises):
        raise ValueError(f"expected noise of order {sample.order} for {sample.classes} classes, got {given}")
    ridge, margin = (Fraction(numbers.get(k, "0")) for k in ("ridge", "margin"))
    return Problem(sample, noises, Fraction(numbers["price"]), Fraction(numbers["width"]), ridge, margin)


def matrix(rows: Sequence[Sequence[str]]) -> Matrix:
    """A matrix from texts."""
    return [[Fraction(x) for x in row] for row in rows]


def texts(rows: Sequence[Sequence[Fraction]]) -> list[list[str]]:
    """A matrix as texts."""
    return [[str(x) for x in row] for row in rows]


def huber(short: Fraction, h: Fraction) -> Fraction:
    """The loss of a record whose lead is `short` of the margin."""
    return ZERO if short < -h else short if short > h else (h + short) ** 2 / (4 * h)


def huber_slope(short: Fraction, h: Fraction) -> Fraction:
    """The slope of that loss, in [0, 1]."""
    return min(max((h + short) / (2 * h), ZERO), ONE)


def squares(phi: Sequence[Matrix]) -> Fraction:
    """sum_c |Phi_c|^2."""
    return sum((inner(p, p) for p in phi), ZERO)


def zero(order: int) -> Matrix:
    """The zero matrix."""
    return [[ZERO] * order for _ in range(order)]


def flat_identity(order: int) -> Matrix:
    """I_Phi: the identity with a last diagonal entry of 0."""
    return [[ONE if i == j < order - 1 else ZERO for j in range(order)] for i in range(order)]


def outer(z: Sequence[Fraction]) -> Matrix:
    """z z'."""
    return [[a * b for b in z] for a in z]


def plus(a: Matrix, b: Matrix, factor: Fraction = ONE) -> Matrix:
    """a + factor b."""
    return [[x + factor * y for x, y in zip(p, q, strict=True)] for p, q in zip(a, b, strict=True)]


def times(a: Matrix, b: Matrix) -> Matrix:
    """The product of two matrices."""
    return [
        [sum((x * y for x, y in zip(row, column, strict=True)), ZERO) for column in zip(*b, strict=True)]
        for row in a
    ]


def inner(a: Matrix, b: Matrix) -> Fraction:
    """<a, b>."""
    return sum((x * y for p, q in zip(a, b, strict=True) for x, y in zip(p, q, strict=True)), ZERO)


def form(a: Matrix, z: Sequence[Fraction]) -> Fraction:
    """z'a z."""
    return inner(a, outer(z))


def symmetric(a: Matrix) -> Matrix:
    """(a + a')/2."""
    return [[(a[i][j] + a[j][i]) / 2 for j in range(len(a))] for i in range(len(a))]


def is_positive(a: Matrix, strictly: bool = False) -> bool:
    """Whether a symmetric matrix is positive semidefinite (definite), by elimination."""
    rows = [row[:] for row in a]
    for i in range(len(rows)):
        pivot = rows[i][i]
        if pivot < 0 or (pivot == 0 and (strictly or any(rows[i][i + 1 :]))):
            return False
        for r in range(i + 1, len(rows)) if pivot else ():
            factor = rows[r][i] / pivot
            rows[r] = [x - factor * y for x, y in zip(rows[r], rows[i], strict=True)]
    return True


def definite(a: Matrix, margin: Fraction) -> bool:
    """Whether the symmetric matrix stays positive definite when anything of Frobenius norm `margin` is added."""
    less = [[x - (margin if i == j else 0) for j, x in enumerate(row)] for i, row in enumerate(a)]
    return is_positive(less, strictly=True)
