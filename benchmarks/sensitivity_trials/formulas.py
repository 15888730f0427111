"""Queries that formulas write: polynomials, ratios, elementary functions, statistics; four without a finite sensitivity."""

from __future__ import annotations

import numpy as np

from sensitivity_trials.query import Floats, Query, names, pairs
from sensitivity_trials.relations import AddRemove, Near, Replace
from sensitivity_trials.spaces import BoxOf, interval


def _moments(data: Floats) -> Floats:
    x = data[..., 0]
    return np.stack([x.mean(axis=1), (x**2).mean(axis=1)], axis=-1)


def _second_elementary(data: Floats) -> Floats:
    a, b, c = np.moveaxis(data[:, 0], -1, 0)
    return np.asarray(a * b + a * c + b * c)


def _softmax(data: Floats) -> Floats:
    weights = np.exp(data[..., 0])
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def _covariance_of_pairs(data: Floats) -> Floats:
    x, y = data[..., 0], data[..., 1]
    return np.asarray((x * y).mean(axis=1) - x.mean(axis=1) * y.mean(axis=1))


def _lines(one: float, two: float, rest: list[float]) -> tuple[Floats, Floats]:
    """Two data sets of single numbers whose first records are `one` and `two`."""
    return np.array([[[v] for v in [one, *rest]]]), np.array([[[v] for v in [two, *rest]]])


_VARIANCE = "((x1 - x2)**2 + (x1 - x3)**2 + (x1 - x4)**2 + (x2 - x3)**2 + (x2 - x4)**2 + (x3 - x4)**2)/16"
_SPREAD = "sqrt(((x1 - x2)**2 + (x1 - x3)**2 + (x2 - x3)**2)/9)"

POLYNOMIAL_AND_RATIONAL = (
    Query(
        name="mean of x and x^2, n = 3, on [-2, 2]",
        records=names("x", 3),
        space=interval(-2, 2),
        relation=Replace(3),
        norm="l2",
        value=_moments,
        expression=("x1", "x1**2"),
        per="mean",
        truth="sqrt(Rational(71, 4) + 2*sqrt(2))/3",
        number="1.51211504282894",
        why="|x - y| sqrt(1 + (x + y)^2) grows with x - y at a fixed x + y, so x = 2, and 2y^2 + 4y + 1 = 0 gives y = sqrt(2)/2 - 1",
    ),
    Query(
        name="x1 x2 + x1 x3 + x2 x3 of one vector, 1/2 apart in the 1-norm",
        records=(("x1", "x2", "x3"),),
        space=interval(0, 1, 3),
        relation=Near("1/2"),
        norm="l1",
        value=_second_elementary,
        expression=("x1*x2 + x1*x3 + x2*x3",),
        truth="1",
        number="1",
        why="no partial derivative exceeds 2, so at most 2/2; (1/2, 1, 1) and (1, 1, 1) reach it",
    ),
    Query(
        name="ratio of sums, x in [0, 1], y in [1, 2], n = 2",
        records=pairs("x", "y", 2),
        space=BoxOf(("0", "1"), ("1", "2")),
        relation=Replace(2),
        norm="l1",
        value=lambda data: data[..., 0].sum(axis=1) / data[..., 1].sum(axis=1),
        expression=("(x1 + x2)/(y1 + y2)",),
        truth="Rational(2, 3)",
        number="0.666666666666667",
        why="for a fixed (x2, y2) the ends are (1 + x2)/(1 + y2) and x2/(2 + y2); their difference grows with x2, falls with y2: 1 - 1/3",
    ),
    Query(
        name="harmonic mean, n = 3, on [1, 4]",
        records=names("x", 3),
        space=interval(1, 4),
        relation=Replace(3),
        norm="l1",
        value=lambda data: 3 / (1 / data[..., 0]).sum(axis=1),
        expression=("3/(1/x1 + 1/x2 + 1/x3)",),
        truth="2",
        number="2",
        why="3/(a + 1/4) - 3/(a + 1) falls in a = 1/x2 + 1/x3, which is least at 1/2: 4 - 2",
    ),
)

ELEMENTARY = (
    Query(
        name="sum of x exp(-|x|), n = 2, on the whole line",
        records=names("x", 2),
        space=interval("-oo", "oo"),
        relation=Replace(2),
        norm="l1",
        value=lambda data: (data[..., 0] * np.exp(-np.abs(data[..., 0]))).sum(axis=1),
        expression=("x1*exp(-Abs(x1))",),
        per="sum",
        truth="2*exp(-1)",
        number="0.735758882342885",
        why="x exp(-|x|) has its ends 1/e at 1 and -1/e at -1, though the domain has none",
    ),
    Query(
        name="log-sum-exp, n = 3, on [0, 1]",
        records=names("x", 3),
        space=interval(0, 1),
        relation=Replace(3),
        norm="l1",
        value=lambda data: np.log(np.exp(data[..., 0]).sum(axis=1)),
        expression=("log(exp(x1) + exp(x2) + exp(x3))",),
        truth="log((2 + E)/3)",
        number="0.452832425263941",
        why="log((a + e)/(a + 1)) falls in a = exp(x2) + exp(x3), which is least at 2",
    ),
    Query(
        name="softmax of 3 records, on [0, 1]",
        records=names("x", 3),
        space=interval(0, 1),
        relation=Replace(3),
        norm="l1",
        value=_softmax,
        expression=tuple(f"exp(x{k})/(exp(x1) + exp(x2) + exp(x3))" for k in (1, 2, 3)),
        truth="4*(E - 1)/(3*(E + 2))",
        number="0.485567102864992",
        why="twice the move of the own share, a (e - 1)/((e + a)(1 + a)), which falls beyond a = sqrt(e) < 2 <= exp(x2) + exp(x3)",
    ),
    Query(
        name="sum of x sin(x), n = 2, on [0, 5]",
        records=names("x", 2),
        space=interval(0, 5),
        relation=Replace(2),
        norm="l1",
        value=lambda data: (data[..., 0] * np.sin(data[..., 0])).sum(axis=1),
        expression=("x1*sin(x1)",),
        per="sum",
        truth="",
        number="6.63417563087192",
        why="its ends lie at the two roots of tan(x) + x in (0, 5], 2.02875783811043 and 4.91318043943488",
    ),
    Query(
        name="largest + twice the smallest of 3, on [0, 1]",
        records=names("x", 3),
        space=interval(0, 1),
        relation=Replace(3),
        norm="l1",
        value=lambda data: data[..., 0].max(axis=1) + 2 * data[..., 0].min(axis=1),
        expression=("Max(x1, x2, x3) + 2*Min(x1, x2, x3)",),
        truth="2",
        number="2",
        why="with others a <= b it grows in the record from b + 0 to 1 + 2a, by 1 - b + 2a <= 1 + a <= 2; (0, 1, 1) and (1, 1, 1) reach it",
    ),
    Query(
        name="sum of x below 1 and 0 from there on, n = 2, on [0, 2]",
        records=names("x", 2),
        space=interval(0, 2),
        relation=Replace(2),
        norm="l1",
        value=lambda data: np.where(data[..., 0] < 1, data[..., 0], 0.0).sum(axis=1),
        expression=("Piecewise((x1, x1 < 1), (0, True))",),
        per="sum",
        truth="1",
        number="1",
        why="one record gives all of [0, 1) and not 1: a supremum that no pair reaches",
        attained=False,
    ),
)

STATISTICS = (
    Query(
        name="variance with 1/n, n = 4, on [0, 1]",
        records=names("x", 4),
        space=interval(0, 1),
        relation=Replace(4),
        norm="l1",
        value=lambda data: data[..., 0].var(axis=1),
        expression=(_VARIANCE,),
        truth="Rational(3, 16)",
        number="0.1875",
        why="n^2 times the change is (v - u) sum_j (v + u - 2 xj), at most n - 1, which 1, 0 and xj = 0 reach: (n - 1)/n^2",
    ),
    Query(
        name="variance with 1/(n - 1), of 3 or 4 records, on [0, 1]",
        records=names("x", 3),
        space=interval(0, 1),
        relation=AddRemove(3),
        norm="l1",
        value=lambda data: data[..., 0].var(axis=1, ddof=1),
        structure="variance",
        options={"ddof": 1},
        truth="Rational(1, 4)",
        number="0.25",
        why="V4 - V3 = (x - m)^2/4 - V3/3, at most 1/4 (V3 = 0, |x - m| = 1) and at least -1/9 (V3 = 1/3, x = m)",
    ),
    Query(
        name="standard deviation with 1/n, n = 3, on [0, 1]",
        records=names("x", 3),
        space=interval(0, 1),
        relation=Replace(3),
        norm="l1",
        value=lambda data: data[..., 0].std(axis=1),
        expression=(_SPREAD,),
        truth="sqrt(2)/3",
        number="0.471404520791032",
        why="sqrt(A + c t^2), c = (n - 1)/n^2, t the distance to the others' mean, moves by at most sqrt(c), and does for A = 0",
    ),
    Query(
        name="geometric mean, n = 3, on [1, 8]",
        records=names("x", 3),
        space=interval(1, 8),
        relation=Replace(3),
        norm="l1",
        value=lambda data: data[..., 0].prod(axis=1) ** (1 / 3),
        expression=("(x1*x2*x3)**Rational(1, 3)",),
        truth="4",
        number="4",
        why="(8^(1/3) - 1) (x2 x3)^(1/3) is largest at x2 = x3 = 8",
    ),
    Query(
        name="covariance of pairs with 1/n, n = 3, on [0, 1]^2",
        records=pairs("x", "y", 3),
        space=interval(0, 1, 2),
        relation=Replace(3),
        norm="l1",
        value=_covariance_of_pairs,
        expression=("(x1*y1 + x2*y2 + x3*y3)/3 - (x1 + x2 + x3)*(y1 + y2 + y3)/9",),
        truth="Rational(2, 9)",
        number="0.222222222222222",
        why="affine in each coordinate: n^2 times the change is a sum over j of terms that lie in [-1, 1] at the vertices: (n - 1)/n^2",
    ),
)

INFINITE = (
    Query(
        name="mean, n = 3, on the whole line",
        records=names("x", 3),
        space=interval("-oo", "oo"),
        relation=Replace(3),
        norm="l1",
        value=lambda data: data[..., 0].mean(axis=1),
        expression=("(x1 + x2 + x3)/3",),
        truth="",
        number="inf",
        kind="infinite",
        why="(t, 0, 0) against (0, 0, 0) moves it by t/3",
        ray=lambda t: _lines(t, 0.0, [0.0, 0.0]),
    ),
    Query(
        name="1/(x1 + x2) on (0, 1]",
        records=names("x", 2),
        space=interval(0, 1),
        relation=Replace(2),
        norm="l1",
        value=lambda data: 1 / data[..., 0].sum(axis=1),
        expression=("1/(x1 + x2)",),
        truth="",
        number="inf",
        kind="infinite",
        why="the denominator reaches 0: (1/t, 1/t) against (1, 1/t) moves it by more than t/2 - 1",
        ray=lambda t: _lines(1 / t, 1.0, [1 / t]),
    ),
    Query(
        name="sum of log(x), n = 2, on (0, 1]",
        records=names("x", 2),
        space=interval(0, 1),
        relation=Replace(2),
        norm="l1",
        value=lambda data: np.log(data[..., 0]).sum(axis=1),
        expression=("log(x1)",),
        per="sum",
        truth="",
        number="inf",
        kind="infinite",
        why="(1/t, 1) against (1, 1) moves it by log(t)",
        ray=lambda t: _lines(1 / t, 1.0, [1.0]),
    ),
    Query(
        name="sum of squares, n = 2, on a half-line",
        records=names("x", 2),
        space=interval(0, "oo"),
        relation=Replace(2),
        norm="l1",
        value=lambda data: (data[..., 0] ** 2).sum(axis=1),
        expression=("x1**2",),
        per="sum",
        truth="",
        number="inf",
        kind="infinite",
        why="(t, 0) against (0, 0) moves it by t^2",
        ray=lambda t: _lines(t, 0.0, [0.0]),
    ),
)
