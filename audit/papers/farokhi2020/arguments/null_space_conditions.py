"""Optimality conditions of the regularised machine at exact points, and moves of the records that leave a classifier as it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import sympy as sp
from flint import acb, arb, arb_mat

from .....mechanisms.learning import program
from .....mechanisms.learning.program import Conditions, Point, derived, j, omega, rho, theta, varsigma, xi
from .....symbolic.proof.enclosure import enclose, rational
from .....symbolic.proof.expressions import parse
from .....symbolic.proof.truth import Truth
from ....dossier.instances import Comparison, rule

FIELDS = ("features", "labels", "rho", "theta", "alpha", "beta", "xi", "omega", "varsigma")


def asked(threshold: str, feasible: bool) -> Conditions:
    """(15) with xi_i = max((omega_i + varsigma_i - threshold)/rho, 0), and (2b) if `feasible`; the threshold is a formula in theta."""
    base = program.printed()
    slack = xi[j] - sp.Max((omega[j] + varsigma[j] - parse(threshold, {"theta": theta})) / rho, 0)
    margin = {"margin": derived().nonnegative["margin"]} if feasible else {}
    return Conditions({**base.zero, "xi": slack}, {**base.nonnegative, **margin})


def point_of(numbers: Mapping[str, Any]) -> Point:
    """The exact data and variables that the numbers of an instance write down."""
    return Point(*(numbers[name] for name in FIELDS))


@rule("conditions of the machine")
def _conditions(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterator[Comparison]:
    """The conditions hold where all multipliers are right, and only where (alpha, beta, xi) is optimal for some varsigma."""
    point = point_of(numbers)
    says = _indicator(asked(printed["threshold"], printed["feasible"] == "yes").hold(point))
    price, cost = rational(point.theta), rational(point.rho)
    best = [price + cost * rational(s) - rational(o) for s, o in zip(point.xi, point.omega, strict=True)]
    optimal = _indicator(derived().hold(replace(point, varsigma=best)))
    yield (
        "conditions hold (1) or not (0), against those derived",
        says,
        ">=",
        _indicator(derived().hold(point)),
    )
    yield "conditions hold (1) or not (0), against optimality", says, "<=", optimal


@rule("solutions of the conditions")
def _solutions(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterator[Comparison]:
    """How many of the given points solve the conditions: at least printed["least"], at most printed["most"]."""
    conditions = asked(printed["threshold"], printed["feasible"] == "yes")
    points = [{**numbers, **variables} for variables in numbers["points"]]
    holding = (_indicator(conditions.hold(point_of(full))) == 1 for full in points)
    solved = {str(own) for own, holds in zip(numbers["points"], holding, strict=True) if holds}
    yield "solutions among the points", arb(len(solved)), ">=", arb(int(printed["least"]))
    if printed["most"] != "any":
        yield "solutions among the points", arb(len(solved)), "<=", arb(int(printed["most"]))


@rule("the same conditions after a move")
def _after(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterator[Comparison]:
    """Whether point and multipliers solve the conditions of the moved records, against Omega w = 0."""
    before = point_of(numbers)
    if derived().hold(before) is not Truth.HOLDS:
        raise ValueError("the point must be optimal for the records before the move")
    move = [[rational(v) for v in row] for row in numbers["move"]]
    moved = [
        [rational(a) + b for a, b in zip(row, by, strict=True)]
        for row, by in zip(numbers["features"], move, strict=True)
    ]
    after = Point(moved, *(numbers[name] for name in FIELDS[1:]))
    same, vanishes = _indicator(derived().hold(after)), _indicator(_vanishes(numbers, move))
    relation = {"if and only if": "=", "if": ">="}[printed["direction"]]
    yield "conditions hold after the move (1) or not (0), against Omega w = 0", same, relation, vanishes  # type: ignore[misc]


@rule("probability that a classifier stays", "radius", "sigma")
def _stays(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterator[Comparison]:
    """Normal noise of deviation sigma on records on a line whose classifier has alpha = 0: a box of moves that all keep it.

    On the box the multipliers omega_1, omega_2 solve 2 equations and stay between 0 and theta; the others do not change.
    Omega is not zero, so that normal noise with a density on R^q meets Omega w = 0 with probability zero.
    """
    point = point_of(numbers)
    if derived().hold(point) is not Truth.HOLDS or any(rational(a) != 0 for a in point.alpha):
        raise ValueError("the point must be optimal and have alpha = 0")
    weights = [rational(w) for w in point.omega]
    if all(w == 0 for w in weights):
        raise ValueError("Omega must not be zero")
    y = [int(v) for v in point.labels]
    radius = enclose(rational(numbers["radius"]))
    records = [enclose(rational(row[0])) + arb(0, radius.upper()) for row in point.features]
    fixed = [enclose(w) for w in weights]
    rest = range(2, len(y))
    # sum omega_i y_i x_i = alpha = 0 and sum omega_i y_i = rho beta.
    system = arb_mat([[y[0] * records[0], y[1] * records[1]], [y[0], y[1]]])
    right = arb_mat(
        [
            [-sum((fixed[i] * y[i] * records[i] for i in rest), arb(0))],
            [
                enclose(rational(point.rho) * rational(point.beta))
                - sum((fixed[i] * y[i] for i in rest), arb(0))
            ],
        ]
    )
    found = system.solve(right)
    price = enclose(rational(point.theta))
    inside = all(found[i, 0] > 0 and found[i, 0] < price for i in range(2))
    sigma = enclose(rational(numbers["sigma"]))
    chance = (acb(radius / sigma / arb(2).sqrt()).erf().real) ** len(y) if inside else arb(0)
    relation = {"=": "<=", ">=": ">="}[printed["relation"]]
    yield "P{same classifier}, at least, against P{Omega w = 0}", chance, relation, arb(0)  # type: ignore[misc]


def _vanishes(numbers: Mapping[str, Any], move: Sequence[Sequence[sp.Expr]]) -> Truth:
    """Whether sum omega_i y_i w_i = 0 and alpha'w_i = 0 for every record."""
    weights = [
        rational(o) * sign for o, sign in zip(numbers["omega"], map(int, numbers["labels"]), strict=True)
    ]
    direction = [rational(a) for a in numbers["alpha"]]
    sums = [
        sp.Add(*(w * row[c] for w, row in zip(weights, move, strict=True))) for c in range(len(direction))
    ]
    along = [sp.Add(*(a * v for a, v in zip(direction, row, strict=True))) for row in move]
    return Truth.HOLDS if all(v == 0 for v in (*sums, *along)) else Truth.FAILS


def _indicator(truth: Truth) -> arb:
    if truth is Truth.UNKNOWN:
        raise ValueError("exact points decide their conditions: give rational numbers")
    return arb(1 if truth is Truth.HOLDS else 0)


__all__ = ["FIELDS", "asked", "point_of"]
