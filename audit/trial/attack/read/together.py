"""What no column shows alone: products of signs, which see parities of bits and noise that is shared."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .....symbolic.arrays import Floats
from ...outcomes import Outcomes, quantile, widen
from ..scores import Score

_PAIRS, _TRIPLES, FOURS = 128, 40, 24  # columns of which all pairs, triples and fours are looked at
_LEAST_Z = 4.5  # standard deviations: of ten thousand products about one in twenty samples passes by chance
_TAUGHT = 20_000
_LOOKED, _BEST = (
    2_500,
    24,
)  # outcomes per input that all products are looked at on, and how many of these then on all


def product_score(zero: Outcomes, one: Outcomes) -> Score | None:
    """The product of two, three or four signs whose mean differs most between the inputs; None if none clearly does.

    The sign of a number says on which side of the column's middle it lies.
    """
    width = max(zero.values.shape[1], one.values.shape[1])
    if not 2 <= width <= _PAIRS:
        return None
    samples = [widen(s[:_TAUGHT], width).values for s in (zero, one)]
    first = [values[:_LOOKED] for values in samples]
    both = np.concatenate(first) / 2  # halves, so that the largest doubles do not overflow
    usual = np.abs(both) < 1e300
    mean = np.sum(both, axis=0, where=usual) / np.maximum(usual.sum(axis=0), 1)
    middle = quantile(both, 0.5) + mean
    signs = [_signs(values, middle) for values in first]
    found: set[tuple[int, ...]] = set()
    for left, right in _products(width):
        # A matrix times itself is half the work, and says everything twice.
        groups = (left,) if left is right else (left, right)
        made = [[_column(s, group) for group in groups] for s in signs]
        means = [m[0].T @ m[-1] / len(m[0]) for m in made]
        z = np.abs(means[1] - means[0])
        z = np.triu(z) if left is right else z
        for at in np.argpartition(-z, min(_BEST, z.size - 1), axis=None)[:_BEST].tolist():
            places = (*left[at // len(right)], *right[at % len(right)])
            # A column that occurs twice in a product is no part of it.
            found.add(tuple(j for j in sorted(set(places)) if places.count(j) % 2))
    best, chosen = _LEAST_Z, tuple[int, ...]()
    columns = sorted({j for product in found for j in product})
    every = [
        dict(zip(columns, _signs(v[:, columns], middle[columns]).T.copy(), strict=True)) for v in samples
    ]
    for product in sorted(found, key=lambda product: (len(product), product)):
        means = [np.multiply.reduce([s[j] for j in product]).mean() for s in every]
        z = abs(means[1] - means[0]) / np.sqrt(sum(1 / len(s) for s in samples))
        if len(product) > 1 and z > best:
            best, chosen = z, product
    if not chosen:
        return None
    means = [np.multiply.reduce([s[j] for j in chosen]).mean() for s in every]
    side = 1.0 if means[1] > means[0] else -1.0

    def of(sample: Outcomes) -> Floats:
        values = widen(sample, width).values[:, :width][:, chosen]
        return np.asarray(side * np.where(values > middle[list(chosen)], 1.0, -1.0).prod(axis=1), dtype=float)

    return Score("product of signs", of, about=f" of columns {', '.join(map(str, chosen))}")


def _signs(values: Floats, middle: Floats) -> NDArray[np.float32]:
    return np.where(values > middle, np.float32(1), np.float32(-1))


Group = list[tuple[int, ...]]


def _products(width: int) -> list[tuple[Group, Group]]:
    """Groups of columns that are multiplied with each other: one by one, pairs by one, pairs by pairs."""
    single: Group = [(j,) for j in range(width)]
    pairs: Group = [(i, j) for i in range(width) for j in range(i)]
    found = [(single, single)]
    if width <= _TRIPLES:
        found.append((pairs, single))
    if width <= FOURS:
        found.append((pairs, pairs))
    return found


def _column(signs: NDArray[np.float32], groups: Group) -> NDArray[np.float32]:
    """The product of each group of columns, shape (n, groups)."""
    out = signs[:, [group[0] for group in groups]]
    for k in range(1, len(groups[0])):
        out = out * signs[:, [group[k] for group in groups]]
    return out
