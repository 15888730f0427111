"""Random minimisers of empirical risks in one dimension: smooth and kinked losses, a ridge term, records of one or two numbers."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from sensitivity_trials.query import Floats, Query
from sensitivity_trials.random_queries import Drawn
from sensitivity_trials.relations import AddRemove, Relation, Replace
from sensitivity_trials.spaces import BoxOf

Slope = Callable[[Floats, Floats], Floats]
_ENDS = [Fraction(k, 2) for k in range(-4, 5)]


def _sigmoid(u: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-np.clip(u, -700, 700))))


# The loss as sympy reads it, and its slope in t at (t, records): the right one where there are two.
LOSSES: tuple[tuple[str, Slope], ...] = (
    ("(t*x1 - y1)**2/2", lambda t, r: (t * r[..., 0] - r[..., 1]) * r[..., 0]),
    ("(t - x1)**2/2", lambda t, r: t - r[..., 0]),
    ("log(1 + exp(-t*x1))", lambda t, r: -r[..., 0] * _sigmoid(-t * r[..., 0])),
    ("log(1 + exp(-t*x1*y1))", lambda t, r: -r[..., 0] * r[..., 1] * _sigmoid(-t * r[..., 0] * r[..., 1])),
    ("Max(0, 1 - t*x1)", lambda t, r: -r[..., 0] * (t * r[..., 0] < 1)),
    ("Max(0, 1 - t*x1)**2/2", lambda t, r: -r[..., 0] * np.maximum(0, 1 - t * r[..., 0])),
    ("Abs(t - x1)", lambda t, r: np.where(t >= r[..., 0], 1.0, -1.0)),
    ("Max((t - x1)/4, 3*(x1 - t)/4)", lambda t, r: np.where(t >= r[..., 0], 0.25, -0.75)),
    ("sqrt(1 + (t - x1)**2)", lambda t, r: (t - r[..., 0]) / np.sqrt(1 + (t - r[..., 0]) ** 2)),
    (
        "Piecewise(((t - x1)**2/2, Abs(t - x1) <= 1), (Abs(t - x1) - Rational(1, 2), True))",
        lambda t, r: np.clip(t - r[..., 0], -1, 1),
    ),
    ("Abs(t*x1 - y1)", lambda t, r: r[..., 0] * np.where(t * r[..., 0] >= r[..., 1], 1.0, -1.0)),
    ("exp(t*x1)", lambda t, r: r[..., 0] * np.exp(np.clip(t * r[..., 0], -700, 700))),
)


def drawn_risk(seed: int) -> Drawn:
    """The minimiser of this seed."""
    rng = np.random.default_rng([242, seed])
    loss, slope = LOSSES[seed % len(LOSSES)]
    ridge = Fraction(str(rng.choice(["1/4", "1/2", "1", "2"])))
    d = 2 if "y1" in loss else 1
    ends = [sorted(rng.choice(len(_ENDS), size=2, replace=False)) for _ in range(d)]
    low, high = (tuple(str(_ENDS[e[side]]) for e in ends) for side in (0, 1))
    n = int(rng.integers(1, 4))
    relation: Relation = AddRemove(n) if rng.random() < 0.35 else Replace(n)
    query = Query(
        name=f"random risk {seed}",
        records=tuple(tuple(f"{'xy'[j]}{k + 1}" for j in range(d)) for k in range(n)),
        space=BoxOf(low, high),
        relation=relation,
        norm="l2",
        value=lambda data: least(slope, data, float(ridge)),
        truth="",
        number="",
        why="",
        kind="search",
        expression=(loss,),
        per="risk",
        over=("t",),
        ridge=str(ridge),
    )
    return Drawn(query, (), False)


def least(slope: Slope, data: Floats, ridge: float) -> Floats:
    """Where the mean slope and ridge * t cross 0, by halving; the mean slope at 0 over the ridge bounds it."""
    start = slope(np.zeros((len(data), 1)), data).mean(axis=1)
    low, high = -np.abs(start) / ridge - 8, np.abs(start) / ridge + 8
    for _ in range(56):
        middle = (low + high) / 2
        below = slope(middle[:, None], data).mean(axis=1) + ridge * middle < 0
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return (low + high) / 2
