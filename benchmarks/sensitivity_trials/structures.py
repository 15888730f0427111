"""Queries that their structure writes: counts, histograms, order statistics, gradients and matrices."""

from __future__ import annotations

import numpy as np

from sensitivity_trials.query import Floats, Query, names, pairs
from sensitivity_trials.relations import AddRemove, Replace
from sensitivity_trials.spaces import BallOf, Categories, interval


def _histogram(data: Floats, count: int, width: float) -> Floats:
    bucket = np.minimum(np.floor(data[..., 0] / width), count - 1)
    return np.stack([(bucket == k).sum(axis=1) for k in range(count)], axis=-1).astype(float)


def _quantile(data: Floats) -> Floats:
    ordered = np.sort(data[..., 0], axis=1)
    return np.asarray(0.4 * ordered[:, 3] + 0.6 * ordered[:, 4])


def _counts(data: Floats, count: int) -> Floats:
    return np.stack([(data[..., 0] == k).sum(axis=1) for k in range(count)], axis=-1)


def _top_two(data: Floats) -> Floats:
    return -np.sort(-_counts(data, 3), axis=1)[:, :2].astype(float)


def _clipped_gradient(data: Floats) -> Floats:
    """Of log(1 + exp(-theta.x)) at theta = (1, 0), each cut to length 1/2."""
    rows = -data / (1 + np.exp(data[..., :1]))
    length = np.linalg.norm(rows, axis=-1, keepdims=True)
    return np.asarray((rows * np.minimum(1.0, 0.5 / np.maximum(length, 1e-300))).mean(axis=1))


def _gram(data: Floats) -> Floats:
    return np.einsum("mni,mnj->mij", data, data)


def _covariance(data: Floats) -> Floats:
    centred = data - data.mean(axis=1, keepdims=True)
    return _gram(centred) / data.shape[1]


def _projection(data: Floats) -> Floats:
    column = data[..., 0]
    return np.asarray(column[:, :, None] * column[:, None, :] / (column**2).sum(axis=1)[:, None, None])


COUNTS_AND_ORDERS = (
    Query(
        name="mean clipped to [0, 2], n = 10, on [-5, 5]",
        records=names("x", 10),
        space=interval(-5, 5),
        relation=Replace(10),
        norm="l1",
        value=lambda data: np.clip(data[..., 0], 0, 2).mean(axis=1),
        structure="clipped mean",
        options={"low": "0", "high": "2"},
        truth="Rational(1, 5)",
        number="0.2",
        why="(high - low)/n",
    ),
    Query(
        name="count above 1/2, of 3 or 4 records, on [0, 1]",
        records=names("x", 3),
        space=interval(0, 1),
        relation=AddRemove(3),
        norm="l1",
        value=lambda data: (data[..., 0] > 0.5).sum(axis=1).astype(float),
        structure="count",
        options={"condition": "x1 > Rational(1, 2)"},
        truth="1",
        number="1",
        why="one record counts 0 or 1",
    ),
    Query(
        name="histogram of 5 buckets, n = 3, on [0, 10], 1-norm",
        records=names("x", 3),
        space=interval(0, 10),
        relation=Replace(3),
        norm="l1",
        value=lambda data: _histogram(data, 5, 2.0),
        structure="histogram",
        options={"edges": ("0", "2", "4", "6", "8", "10")},
        truth="2",
        number="2",
        why="a record leaves one bucket and enters another",
    ),
    Query(
        name="histogram of 4 buckets, 3 of 4 records of one person, on [0, 1], 2-norm",
        records=names("x", 4),
        space=interval(0, 1),
        relation=Replace(4, count=3),
        norm="l2",
        value=lambda data: _histogram(data, 4, 0.25),
        structure="histogram",
        options={"edges": ("0", "1/4", "1/2", "3/4", "1")},
        truth="3*sqrt(2)",
        number="4.24264068711929",
        why="all three leave one bucket for one other: sqrt(9 + 9), the longest difference of two vectors >= 0 of sum 3",
    ),
    Query(
        name="second smallest of 4, on [-1, 3]",
        records=names("x", 4),
        space=interval(-1, 3),
        relation=Replace(4),
        norm="l1",
        value=lambda data: np.sort(data[..., 0], axis=1)[:, 1],
        structure="order statistic",
        options={"rank": 2},
        truth="4",
        number="4",
        why="it runs through [a1, a2] of the others a1 <= a2 <= a3: the whole width, as at (-1, 3, 3)",
    ),
    Query(
        name="median of 5, on [0, 1]",
        records=names("x", 5),
        space=interval(0, 1),
        relation=Replace(5),
        norm="l1",
        value=lambda data: np.sort(data[..., 0], axis=1)[:, 2],
        structure="median",
        truth="1",
        number="1",
        why="it runs through [a2, a3] of the others: the whole width, as at (0, 0, 1, 1)",
    ),
    Query(
        name="quantile 9/10 of 5 between neighbours, on [0, 1]",
        records=names("x", 5),
        space=interval(0, 1),
        relation=Replace(5),
        norm="l1",
        value=_quantile,
        structure="quantile",
        options={"q": "9/10", "method": "linear"},
        truth="Rational(3, 5)",
        number="0.6",
        why="at place 1 + 4 (9/10) it is 0.4 x(4) + 0.6 x(5); from 0 to 1 it moves by 0.6 - 0.4 a3 - 0.2 a4 of the others' largest",
    ),
    Query(
        name="mean of the middle 3 of 5, on [0, 1]",
        records=names("x", 5),
        space=interval(0, 1),
        relation=Replace(5),
        norm="l1",
        value=lambda data: np.sort(data[..., 0], axis=1)[:, 1:4].mean(axis=1),
        structure="trimmed mean",
        options={"trim": 1},
        truth="Rational(1, 3)",
        number="0.333333333333333",
        why="from (a1 + a2 + a3)/3 to (a2 + a3 + a4)/3 of the others: (a4 - a1)/3",
    ),
    Query(
        name="index of the most frequent of 4 categories, n = 3",
        records=names("x", 3),
        space=Categories(4),
        relation=Replace(3),
        norm="l1",
        value=lambda data: np.argmax(_counts(data, 4), axis=1).astype(float),
        structure="argmax",
        options={"categories": 4},
        truth="3",
        number="3",
        why="indices 0 to 3, the smallest of equals; counts (2, 0, 0, 1) and (1, 0, 0, 2) give 0 and 3",
    ),
    Query(
        name="the two largest of 3 counts, largest first, n = 5",
        records=names("x", 5),
        space=Categories(3),
        relation=Replace(5),
        norm="l1",
        value=_top_two,
        structure="top-k",
        options={"categories": 3, "k": 2},
        truth="2",
        number="2",
        why="to sort moves nothing further apart in the 1-norm, so at most 2; counts (3, 2, 0) and (4, 1, 0) reach it",
    ),
)

GRADIENTS_AND_MATRICES = (
    Query(
        name="mean of logistic gradients at (1, 0) cut to length 1/2, n = 4, |x| <= 2",
        records=pairs("x", "y", 4),
        space=BallOf("2", 2),
        relation=Replace(4),
        norm="l2",
        value=_clipped_gradient,
        structure="clipped gradient",
        options={"loss": "log(1 + exp(-a*x1 - b*y1))", "at": {"a": "1", "b": "0"}, "clip": "1/2"},
        truth="Rational(1, 4)",
        number="0.25",
        why="at most 2 C/n; the gradients at x = (0, 2) and (0, -2) have length 1 > C and opposite directions",
    ),
    Query(
        name="Gram matrix on [-1, 1]^2, n = 3, Frobenius",
        records=pairs("x", "y", 3),
        space=interval(-1, 1, 2),
        relation=Replace(3),
        norm="frobenius",
        value=_gram,
        structure="gram",
        truth="2*sqrt(2)",
        number="2.82842712474619",
        why="|a|^4 + |b|^4 - 2 (a.b)^2 <= 4 + 4, which (1, 1) and (1, -1) reach",
    ),
    Query(
        name="Gram matrix, |x| <= 2 in 3 dimensions, n = 2, spectral",
        records=tuple((f"x{k}", f"y{k}", f"z{k}") for k in (1, 2)),
        space=BallOf("2", 3),
        relation=Replace(2),
        norm="spectral",
        value=_gram,
        structure="gram",
        truth="4",
        number="4",
        why="the eigenvalues of a a' - b b' lie between -|b|^2 and |a|^2, and |a|^2 = 4 is reached at b = 0",
    ),
    Query(
        name="covariance matrix with 1/n, |x| <= 1 in 2 dimensions, n = 3, spectral",
        records=pairs("x", "y", 3),
        space=BallOf("1", 2),
        relation=Replace(3),
        norm="spectral",
        value=_covariance,
        structure="covariance",
        truth="Rational(8, 9)",
        number="0.888888888888889",
        why="(n - 1)/n^2 (a a' - b b') with a, b the distances to the others' mean, |a| <= 2: others at (1, 0), (-1, 0) against (1, 0)",
    ),
    Query(
        name="projection on the column (x1, x2), on [1, 2], Frobenius",
        records=names("x", 2),
        space=interval(1, 2),
        relation=Replace(2),
        norm="frobenius",
        value=_projection,
        expression=(
            "x1**2/(x1**2 + x2**2)",
            "x1*x2/(x1**2 + x2**2)",
            "x1*x2/(x1**2 + x2**2)",
            "x2**2/(x1**2 + x2**2)",
        ),
        truth="sqrt(2)/3",
        number="0.471404520791032",
        why="sqrt(2) times the sine of the angle between (1, b) and (2, b), whose tangent b/(b^2 + 2) is largest at b = sqrt(2): sine 1/3",
    ),
)
