"""Random and adversarial pairs of second moments, each with the table size and the reference that theorem 4.6 compares with."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from compression_trials.binary_game import BinaryGame
from noiseproof.mechanisms.compression import (
    Compression,
    ReferenceCovariance,
    normalised_columns,
    second_moments,
)
from noiseproof.mechanisms.compression.reference import C
from noiseproof.symbolic.arrays import Floats


@dataclass(frozen=True, eq=False)
class MomentPair:
    """Second moments of two tables of n records with columns of squared length n; the first one is the reference."""

    kind: str
    n: int
    compression: Compression
    first: Floats
    second: Floats


def moment_pairs(each: int = 20, seed: int = 0) -> Iterator[MomentPair]:
    """`each` pairs of every kind: neighbours of the binary game, neighbouring and independent Gaussian tables, nearly singular ones,
    and ones moved in the direction of the least eigenvalue.

    p = 2..6, n = 400..4000, m from the least that lemma 4.4 allows to four times that; delta_max is the distance of the two.
    """
    for kind, make in KINDS.items():
        for number in range(each):
            rng = np.random.default_rng([seed, list(KINDS).index(kind), number])
            p, n = int(rng.integers(2, 7)), int(np.exp(rng.uniform(np.log(400), np.log(4000))))
            first, second = (_symmetric(s) for s in make(n, p, rng))
            least = int(np.ceil(C**2 * np.log(2 * n * p)))
            m = min(n, int(least * rng.uniform(1, 4)))
            reference = ReferenceCovariance(first, float(np.abs(first - second).max()) * (1 + 1e-12))
            yield MomentPair(kind, n, Compression(m, reference), first, second)


def _symmetric(s: Floats) -> Floats:
    s = (s + s.T) / 2
    return np.asarray(s)


def _binary(n: int, p: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    one, two = BinaryGame(n, p, int(rng.integers(1, p))).tables(rng)
    return second_moments(one), second_moments(two)


def _mixing(p: int, rng: np.random.Generator) -> Floats:
    return np.asarray(np.eye(p) + 0.5 * rng.standard_normal((p, p)) / np.sqrt(p))


def _neighbours(n: int, p: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    one = rng.standard_normal((n, p)) @ _mixing(p, rng)
    two = one.copy()
    two[0] = 4 * rng.standard_normal(p)
    return second_moments(normalised_columns(one)), second_moments(normalised_columns(two))


def _independent(n: int, p: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    mixing = _mixing(p, rng)
    one, two = (second_moments(normalised_columns(rng.standard_normal((n, p)) @ mixing)) for _ in range(2))
    return one, two


def _nearly_singular(n: int, p: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    one = rng.standard_normal((n, p))
    one[:, -1] = one[:, 0] + 10 ** rng.uniform(-2, -0.5) * one[:, -1]
    two = one.copy()
    two[0] = 3 * rng.standard_normal(p)
    return second_moments(normalised_columns(one)), second_moments(normalised_columns(two))


def _worst_direction(n: int, p: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    one = second_moments(normalised_columns(rng.standard_normal((n, p)) @ _mixing(p, rng)))
    values, vectors = np.linalg.eigh(one)
    sign = np.sign(vectors[:, 0])
    # The diagonal stays, as equation (4) wants it.
    moved = np.outer(sign, sign) - np.eye(p)
    return one, one - rng.uniform(0.2, 0.9) * values[0] / (p - 1) * moved


KINDS: dict[str, Callable[[int, int, np.random.Generator], tuple[Floats, Floats]]] = {
    "binary neighbours": _binary,
    "Gaussian neighbours": _neighbours,
    "Gaussian, independent": _independent,
    "nearly singular": _nearly_singular,
    "least eigenvalue": _worst_direction,
}
