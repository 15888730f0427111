"""Random queries by structure: clips, conditions, buckets, ranks, categories, losses and matrices with parameters by chance."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import ceil
from typing import Any

import numpy as np

from sensitivity_trials.query import Floats, Norm, Query
from sensitivity_trials.random_queries import Drawn
from sensitivity_trials.relations import AddRemove, PersonOf, Relation, Replace
from sensitivity_trials.spaces import BallOf, BoxOf, Categories, Space

# Numbers without rounding in floats, since edges and conditions are compared with records.
_EXACT = [Fraction(k, 4) for k in range(-8, 13)]


@dataclass(frozen=True)
class Written:
    """A query by structure: its name, options, the function on arrays, where its records lie, norms, fewest records."""

    structure: str
    options: Mapping[str, Any]
    value: Callable[[Floats], Floats]
    space: Space
    norms: tuple[Norm, ...] = ("l1", "l2", "max")
    fewest: int = 1


def drawn_structure(seed: int) -> Drawn:
    """The query by structure of this seed."""
    rng = np.random.default_rng([241, seed])
    made = _MAKERS[seed % len(_MAKERS)](rng)
    n = int(rng.integers(made.fewest, made.fewest + 4))
    relations: list[Relation] = [Replace(n), Replace(n), AddRemove(n), AddRemove(n)]
    relations += [PersonOf(n, 2, "remove"), PersonOf(n, 2, "replace")]
    norm = made.norms[int(rng.integers(len(made.norms)))]
    query = Query(
        name=f"random structure {seed}",
        records=tuple(tuple(f"{'xyz'[j]}{k + 1}" for j in range(made.space.dimension)) for k in range(n)),
        space=made.space,
        relation=relations[int(rng.integers(len(relations)))],
        norm=norm,
        value=made.value,
        truth="",
        number="",
        why="",
        kind="search",
        structure=made.structure,
        options=made.options,
    )
    return Drawn(query, (), False)


def _sorted(rng: np.random.Generator, count: int) -> list[str]:
    return [str(_EXACT[k]) for k in sorted(rng.choice(len(_EXACT), size=count, replace=False))]


def _line(rng: np.random.Generator, d: int = 1) -> BoxOf:
    ends = [_sorted(rng, 2) for _ in range(d)]
    return BoxOf(tuple(e[0] for e in ends), tuple(e[1] for e in ends))


def _vectors(rng: np.random.Generator) -> Space:
    if rng.random() < 0.5:
        return BallOf(str(rng.choice(["1/2", "1", "3/2", "2"])), int(rng.integers(2, 4)))
    return _line(rng, 2)


def _clipped(rng: np.random.Generator) -> Written:
    low, high = _sorted(rng, 2)
    mean = bool(rng.random() < 0.5)
    ends = float(Fraction(low)), float(Fraction(high))

    def value(data: Floats) -> Floats:
        cut = np.clip(data[..., 0], *ends)
        return np.asarray(cut.mean(axis=1) if mean else cut.sum(axis=1))

    return Written(f"clipped {'mean' if mean else 'sum'}", {"low": low, "high": high}, value, _line(rng))


def _count(rng: np.random.Generator) -> Written:
    a, b = _sorted(rng, 2)
    one, two = float(Fraction(a)), float(Fraction(b))
    kinds: list[tuple[str, Callable[[Floats], Floats], int]] = [
        (f"x1 > Rational('{a}')", lambda r: r[..., 0] > one, 1),
        (
            f"(x1 >= Rational('{a}')) & (x1 < Rational('{b}'))",
            lambda r: (r[..., 0] >= one) & (r[..., 0] < two),
            1,
        ),
        (f"x1**2 < Rational('{b}')", lambda r: r[..., 0] ** 2 < two, 1),
        (f"x1 + y1 > Rational('{b}')", lambda r: r[..., 0] + r[..., 1] > two, 2),
        (
            f"(x1 > Rational('{a}')) | (y1 < Rational('{b}'))",
            lambda r: (r[..., 0] > one) | (r[..., 1] < two),
            2,
        ),
    ]
    text, holds, d = kinds[int(rng.integers(len(kinds)))]
    return Written("count", {"condition": text}, lambda r: holds(r).sum(axis=1).astype(float), _line(rng, d))


def _histogram(rng: np.random.Generator) -> Written:
    edges = _sorted(rng, int(rng.integers(2, 6)))
    places = [float(Fraction(e)) for e in edges]

    def value(data: Floats) -> Floats:
        x = data[..., 0]
        inside = [(x >= a) & (x < b) for a, b in pairwise(places)]
        inside[-1] |= x == places[-1]
        return np.stack([i.sum(axis=1) for i in inside], axis=-1).astype(float)

    return Written("histogram", {"edges": tuple(edges)}, value, _line(rng))


def _weighted(weights: Callable[[int], Floats]) -> Callable[[Floats], Floats]:
    return lambda data: np.sort(data[..., 0], axis=1) @ weights(data.shape[1])


def _unit(rank: int, n: int) -> Floats:
    return np.eye(n)[rank - 1]


def _order(rng: np.random.Generator) -> Written:
    rank = int(rng.integers(1, 4))
    return Written(
        "order statistic", {"rank": rank}, _weighted(lambda n: _unit(rank, n)), _line(rng), fewest=rank + 1
    )


def _median(rng: np.random.Generator) -> Written:
    return Written(
        "median",
        {},
        _weighted(lambda n: (_unit((n + 1) // 2, n) + _unit(n // 2 + 1, n)) / 2),
        _line(rng),
        fewest=2,
    )


def _quantile(rng: np.random.Generator) -> Written:
    share = Fraction(int(rng.integers(0, 9)), 8)

    def linear(n: int) -> Floats:
        place = 1 + (n - 1) * share
        low = int(place)
        part = float(place - low)
        return _unit(low, n) * (1 - part) + (_unit(low + 1, n) * part if part else 0.0)

    def inverted(n: int) -> Floats:
        return _unit(max(1, ceil(share * n)), n)

    method = str(rng.choice(["linear", "inverted"]))
    weights = linear if method == "linear" else inverted
    return Written("quantile", {"q": str(share), "method": method}, _weighted(weights), _line(rng), fewest=2)


def _trimmed(rng: np.random.Generator) -> Written:
    cut = int(rng.integers(0, 3))

    def weights(n: int) -> Floats:
        kept = np.zeros(n)
        kept[cut : n - cut] = 1 / (n - 2 * cut)
        return kept

    return Written("trimmed mean", {"trim": cut}, _weighted(weights), _line(rng), fewest=2 * cut + 2)


def _categories(rng: np.random.Generator) -> Written:
    count, leading = int(rng.integers(2, 5)), bool(rng.random() < 0.4)
    k = 1 if leading else int(rng.integers(1, count + 1))
    output = str(rng.choice(["index", "indicator"] if leading else ["counts", "indicator"]))

    def value(data: Floats) -> Floats:
        counts = np.stack([(data[..., 0] == c).sum(axis=1) for c in range(count)], axis=-1)
        order = np.argsort(-counts, axis=1, kind="stable")[:, :k]
        if output == "index":
            return order[:, 0].astype(float)
        if output == "counts":
            return np.take_along_axis(counts, order, axis=1).astype(float)
        return np.eye(count)[order].sum(axis=1)

    options = {"categories": count, "k": k, "output": output}
    return Written("argmax" if leading else "top-k", options, value, Categories(count))


def _gram(rng: np.random.Generator) -> Written:
    return Written(
        "gram",
        {},
        lambda data: np.einsum("mni,mnj->mij", data, data),
        _vectors(rng),
        ("frobenius", "spectral", "max"),
    )


def _covariance(rng: np.random.Generator) -> Written:
    less = int(rng.integers(2))

    def value(data: Floats) -> Floats:
        centred = data - data.mean(axis=1, keepdims=True)
        return np.asarray(np.einsum("mni,mnj->mij", centred, centred) / (data.shape[1] - less))

    return Written(
        "covariance", {"ddof": less}, value, _vectors(rng), ("frobenius", "spectral", "max"), fewest=2
    )


def _variance(rng: np.random.Generator) -> Written:
    less, root = int(rng.integers(2)), bool(rng.random() < 0.5)

    def value(data: Floats) -> Floats:
        found = data[..., 0].var(axis=1, ddof=less)
        return np.sqrt(found) if root else found

    return Written("standard deviation" if root else "variance", {"ddof": less}, value, _line(rng), fewest=2)


def _gradient(rng: np.random.Generator) -> Written:
    a, b = str(rng.choice(["0", "1/2", "1", "-2"])), str(rng.choice(["0", "1", "-1/2"]))
    clip, mean, squared = (
        str(rng.choice(["1/4", "1", "3"])),
        bool(rng.random() < 0.5),
        bool(rng.random() < 0.5),
    )
    p, q, most = (float(Fraction(v)) for v in (a, b, clip))

    def value(data: Floats) -> Floats:
        x, y = data[..., 0], data[..., 1]
        if squared:
            rows = ((p * x + q - y)[..., None]) * np.stack([x, np.ones_like(x)], axis=-1)
        else:
            rows = -data / (1 + np.exp(p * x + q * y))[..., None]
        length = np.linalg.norm(rows, axis=-1, keepdims=True)
        cut = rows * np.minimum(1.0, most / np.maximum(length, 1e-300))
        return np.asarray(cut.mean(axis=1) if mean else cut.sum(axis=1))

    loss = "(a*x1 + b - y1)**2/2" if squared else "log(1 + exp(-a*x1 - b*y1))"
    options = {"loss": loss, "at": {"a": a, "b": b}, "clip": clip, "mean": mean}
    return Written("clipped gradient", options, value, _line(rng, 2))


_MAKERS: tuple[Callable[[np.random.Generator], Written], ...] = (
    _clipped,
    _count,
    _histogram,
    _order,
    _median,
    _quantile,
    _trimmed,
    _categories,
    _categories,
    _gram,
    _covariance,
    _variance,
    _gradient,
)
