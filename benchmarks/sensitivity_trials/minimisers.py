"""Minimisers of strongly convex empirical risks: where they close, their sensitivity; else a dense search."""

from __future__ import annotations

import numpy as np

from sensitivity_trials.query import Floats, Query, names, pairs
from sensitivity_trials.relations import Replace
from sensitivity_trials.spaces import interval


def _ridge(data: Floats, ridge: float) -> Floats:
    """The last column on the others, with n * ridge added to the diagonal."""
    features, answers = data[..., :-1], data[..., -1]
    size = data.shape[1] * ridge * np.eye(features.shape[-1])
    gram = np.einsum("mni,mnj->mij", features, features) + size
    return np.linalg.solve(gram, np.einsum("mni,mn->mi", features, answers)[..., None])[..., 0]


def _root(rising: object, width: float, count: int) -> Floats:
    """Where functions that rise cross 0, by halving [-width, width]."""
    low, high = np.full(count, -width), np.full(count, width)
    for _ in range(60):
        middle = (low + high) / 2
        below = rising(middle) < 0  # type: ignore[operator]
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return (low + high) / 2


def _logistic(data: Floats) -> Floats:
    z = data[..., 0]
    return _root(
        lambda t: 0.5 * t - (z / (1 + np.exp(np.clip(z * t[:, None], -700, 700)))).mean(axis=1), 4.0, len(z)
    )


def _huber(data: Floats) -> Floats:
    x = data[..., 0]
    return _root(lambda t: t - np.clip(x - t[:, None], -1, 1).mean(axis=1), 4.0, len(x))


def _hinge(data: Floats) -> Floats:
    z = data[..., 0]
    return _root(lambda t: 0.25 * t - (z * (z * t[:, None] < 1)).mean(axis=1), 8.0, len(z))


MINIMISERS = (
    Query(
        name="mean as a minimiser, n = 4, on [-1, 2]",
        records=names("x", 4),
        space=interval(-1, 2),
        relation=Replace(4),
        norm="l2",
        value=lambda data: data[..., 0].mean(axis=1),
        expression=("(t - x1)**2/2",),
        per="risk",
        over=("t",),
        truth="Rational(3, 4)",
        number="0.75",
        why="the least point is the mean: (high - low)/n",
    ),
    Query(
        name="ridge regression in 1 dimension, n = 3, lambda = 1/2, on [-1, 1]^2",
        records=pairs("x", "y", 3),
        space=interval(-1, 1, 2),
        relation=Replace(3),
        norm="l2",
        value=lambda data: _ridge(data, 0.5),
        expression=("(t*x1 - y1)**2/2",),
        per="risk",
        over=("t",),
        ridge="1/2",
        truth="Rational(4, 5)",
        number="0.8",
        kind="search",
        why="sum xy/(sum x^2 + 3/2); with other records of x = 0 the ends are +-1/(1 + 3/2); that no others do better is searched, not proved",
    ),
    Query(
        name="ridge regression in 2 dimensions, n = 2, lambda = 1/2, on [-1, 1]^3",
        records=tuple((f"x{k}", f"y{k}", f"z{k}") for k in (1, 2)),
        space=interval(-1, 1, 3),
        relation=Replace(2),
        norm="l2",
        value=lambda data: _ridge(data, 0.5),
        expression=("(s*x1 + t*y1 - z1)**2/2",),
        per="risk",
        over=("s", "t"),
        ridge="1/2",
        truth="(1 + sqrt(2))/2",
        number="1.20710678118655",
        kind="search",
        why="searched, not proved: the form is read off the number, which the search gives to 12 digits",
    ),
    Query(
        name="logistic regression in 1 dimension, n = 2, lambda = 1/2, z = yx in [-1, 1]",
        records=names("z", 2),
        space=interval(-1, 1),
        relation=Replace(2),
        norm="l2",
        value=_logistic,
        expression=("log(1 + exp(-t*z1))",),
        per="risk",
        over=("t",),
        ridge="1/2",
        truth="",
        number="0.802116275083094",
        kind="search",
        why="twice the root of t (1 + exp(t)) = 1, with the other record 0; that no other does better is searched, not proved",
    ),
    Query(
        name="Huber location, n = 3, lambda = 1, on [-3, 3]",
        records=names("x", 3),
        space=interval(-3, 3),
        relation=Replace(3),
        norm="l2",
        value=_huber,
        expression=("Piecewise(((t - x1)**2/2, Abs(t - x1) <= 1), (Abs(t - x1) - Rational(1, 2), True))",),
        per="risk",
        over=("t",),
        ridge="1",
        truth="Rational(2, 3)",
        number="0.666666666666667",
        why="at most 2 L/(n lambda) with L = 1; others 3 and -3 pull evenly, and a record 3 or -3 moves t to 1/3 or -1/3",
    ),
    Query(
        name="hinge loss in 1 dimension, n = 2, lambda = 1/4, z = yx in [-1, 1]",
        records=names("z", 2),
        space=interval(-1, 1),
        relation=Replace(2),
        norm="l2",
        value=_hinge,
        expression=("Max(0, 1 - t*z1)",),
        per="risk",
        over=("t",),
        ridge="1/4",
        truth="3",
        number="3",
        why="with the other b in [0, 1/2] the ends are 1/u at u^2 +- bu = 1/2, together 2 sqrt(b^2 + 2) <= 3; beyond, 1/b + 2 - 2b or less",
    ),
)
