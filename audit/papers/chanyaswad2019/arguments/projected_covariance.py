"""Neighbouring data sets whose projected covariances lie far apart, made step by step as the release does.

The steps: records to unit length, a released vector mu subtracted, records to unit length again, projection
by a matrix W with orthonormal columns, the mean of the outer products.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import sympy as sp
from flint import arb, ctx, fmpq, fmpq_mat
from numpy.typing import NDArray

from .....symbolic.proof.enclosure import enclose
from .....symbolic.proof.exact_matrices import identity_of, matrix_of, rows_of
from .....symbolic.proof.expressions import parse
from .....symbolic.sensitivity.sign_matrices import N, P, Pair
from ....record.witness import Witness, register

EXTRA = 2
RECORDS = 3


def neighbours(
    kind: str, pair: Pair, bound: sp.Expr, rng: np.random.Generator, epsilon: Fraction = Fraction(1)
) -> Witness:
    """Data sets X, X' (columns are records) whose first records end at the two vectors of the pair.

    W and mu are drawn; mu is a possible noisy mean, since Laplace noise has a positive density everywhere.
    """
    p = len(pair[0])
    m = p + EXTRA
    w, rest = _orthonormal(m, p, rng)
    mu = np.round(rng.uniform(-0.3, 0.3, m) / np.sqrt(m), 3)
    columns = [rng.normal(size=m) for _ in range(RECORDS - 1)]
    basis = np.array([[float(Fraction(x)) for x in row] for row in rows_of(w)])
    first = []
    for vector in pair:
        target = np.array([float(x) for x in vector])
        unit = basis @ target + np.sqrt(max(0.0, 1 - target @ target)) * rest
        # The unit vector that centring and normalising send to `unit`: mu + t unit with t > 0 and length one.
        t = -(mu @ unit) + np.sqrt((mu @ unit) ** 2 + 1 - mu @ mu)
        first.append(mu + t * unit)
    return {
        "kind": kind,
        "bound": sp.sstr(bound),
        "epsilon": str(epsilon),
        "first_records": [_decimals(first[0]), _decimals(first[1])],
        "other_records": [_decimals(column) for column in columns],
        "released_mean": _decimals(mu),
        "projection": rows_of(w),
    }


@register("projected-covariance")
def evaluate_distance(witness: Witness) -> tuple[bool, str]:
    """Whether the covariances certainly differ by more than the bound, summed over absolute entries."""
    with ctx.workprec(256):
        here, there = _covariances(witness)
        distance = sum((abs(a - b) for a, b in zip(here, there, strict=True)), arb(0))
        bound = _bound(witness)
        relation = ">" if distance > bound else "not above"
        size = f"p = {len(witness['projection'][0])}, n = {_records(witness)}"
        return bool(distance > bound), f"{size}: L1 distance {distance.str(10)} {relation} {bound.str(10)}"


@register("laplace-orthant")
def evaluate_orthant(witness: Witness) -> tuple[bool, str]:
    """Whether under Laplace noise of scale bound/epsilon an orthant event certainly exceeds e^epsilon."""
    first, second = orthant_probabilities(witness)
    with ctx.workprec(256):
        loss, epsilon = (first / second).log(), enclose(sp.Rational(witness["epsilon"]), bits=256)
        relation = ">" if loss > epsilon else "not above"
        order = len(witness["projection"][0])
        says = f"p = {order}: privacy loss {loss.str(10)} of the event {relation} {epsilon.str(10)}"
        return bool(loss > epsilon), f"{says}, probabilities {first.str(6)} and {second.str(6)}"


def orthant_probabilities(witness: Witness) -> tuple[arb, arb]:
    """The probabilities of one event under X and X', Laplace noise of scale bound/epsilon on every entry.

    The event: every entry of the release lies on the side of the first covariance away from the second.
    """
    with ctx.workprec(256):
        here, there = _covariances(witness)
        scale = _bound(witness) / enclose(sp.Rational(witness["epsilon"]), bits=256)
        first, second = arb(1), arb(1)
        for a, b in zip(here, there, strict=True):
            if a > b or a < b:
                first *= arb(1) / 2
                second *= (-abs(a - b) / scale).exp() / 2
        return first, second


def _covariances(witness: Witness) -> tuple[list[arb], list[arb]]:
    """The entries of the covariance for X and for X', enclosed."""
    w = matrix_of(witness["projection"])
    p = w.ncols()
    if w.nrows() <= p or w.transpose() * w != identity_of(p):
        raise ValueError("expected a projection with p < m orthonormal columns")
    mu = [exact(x) for x in witness["released_mean"]]
    common = [projected(record, mu, w) for record in witness["other_records"]]
    result = []
    for record in witness["first_records"]:
        points = [projected(record, mu, w), *common]
        entries = [
            sum((x[i] * x[j] for x in points), arb(0)) / len(points) for i in range(p) for j in range(p)
        ]
        result.append(entries)
    return result[0], result[1]


def projected(record: list[str], mu: list[arb], w: fmpq_mat) -> list[arb]:
    unit = unit_length([exact(x) for x in record])
    centred = unit_length([x - m for x, m in zip(unit, mu, strict=True)])
    return [sum((arb(w[i, j]) * x for i, x in enumerate(centred)), arb(0)) for j in range(w.ncols())]


def unit_length(vector: list[arb]) -> list[arb]:
    length = sum((x * x for x in vector), arb(0)).sqrt()
    return [x / length for x in vector]


def _bound(witness: Witness) -> arb:
    names = {P.name: len(witness["projection"][0]), N.name: _records(witness)}
    return enclose(parse(witness["bound"], names), bits=256)


def _records(witness: Witness) -> int:
    return 1 + len(witness["other_records"])


def exact(text: str) -> arb:
    value = Fraction(text)
    return arb(fmpq(value.numerator, value.denominator))


def _decimals(vector: NDArray[np.float64]) -> list[str]:
    return [f"{float(x):.9f}" for x in vector]


def _orthonormal(m: int, p: int, rng: np.random.Generator) -> tuple[fmpq_mat, NDArray[np.float64]]:
    """The first p columns of a random rational reflection of order m, and its last column."""
    h = [int(x) for x in rng.integers(1, 4, size=m)]
    norm = sum(x * x for x in h)
    full = [[fmpq(int(i == j)) - fmpq(2 * h[i] * h[j], norm) for j in range(m)] for i in range(m)]
    last = np.array([float(Fraction(str(row[-1]))) for row in full])
    return fmpq_mat([row[:p] for row in full]), last
