"""The exact privacy loss of what the pipeline releases, from two raw neighbouring data sets to the densities.

Records are scaled to unit length, a released mean is subtracted, they are scaled again and projected; released are the noisy
mean and the noisy second moments, of the projected records alone or with their labels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp
from flint import arb, ctx

from .....symbolic.proof.enclosure import enclose
from .....symbolic.proof.exact_matrices import matrix_of
from .....symbolic.proof.expressions import parse
from .....symbolic.sensitivity.sign_matrices import N, P, block_signs, extreme_pair
from ....dossier.instances import Comparison, Instances, rule
from .projected_covariance import exact, neighbours, projected, unit_length
from .released_moments import BOUND, EPS_COVARIANCE, EPS_MEAN, MEAN, M

BITS = 192
DIMENSIONS = (2, 3, 4, 6, 9)


@rule("loss of the mean")
def mean_loss(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterator[Comparison]:
    """The log ratio of the densities of the noisy mean at one of the two means, against its budget."""
    with ctx.workprec(BITS):
        here, there = _means(numbers)
        scale = _value(printed["mean_scale"], numbers)
        loss = sum((abs(a - b) for a, b in zip(here, there, strict=True)), arb(0)) / scale
        yield "privacy loss of the mean", loss, "<=", _value("epsilon_mu", numbers)


@rule("loss of mean and second moments", "records", "reach", "epsilon_mu", "epsilon_S")
def joint_loss(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterator[Comparison]:
    """The log ratio of the joint densities of the released mean and of second moments that are those of X, against both budgets."""
    if "reach" in numbers:
        yield _secret_mean(printed, numbers)
        return
    with ctx.workprec(BITS):
        here, there = _means(numbers)
        mu = [exact(x) for x in numbers["released_mean"]]
        first = sum((abs(z - b) - abs(z - a) for z, a, b in zip(mu, here, there, strict=True)), arb(0))
        second = _distance(numbers)
        loss = first / _value(printed["mean_scale"], numbers)
        loss += second / _value(printed["covariance_scale"], numbers)
        yield "privacy loss of the joint release", loss, "<=", _value("epsilon_mu + epsilon_S", numbers)


def _secret_mean(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Comparison:
    """A lower bound on the loss of the noisy second moments where the mean stays secret: an orthant event, for p + 1 dimensions.

    W is made of the first p axes; records 2 to n are e and -e in equal numbers, e the last axis; the first record ends at u or v.
    With a probability of at least 1 - eta the noisy mean is shorter than `reach` = r.  Then records +-e project to vectors no longer than
    r/(1 - r), and the first to one within 2 r of u: entries of Sigma are within w = (r/(1-r))^2 + (4 r + 4 r^2)/n of those without mean.
    """
    with ctx.workprec(BITS):
        u, v = ([exact(x) for x in row] for row in numbers["pair"])
        p, n, r = len(u), int(numbers["records"]), exact(numbers["reach"])
        if n < 3 or n % 2 == 0 or any(sum((x * x for x in row), arb(0)) > 1 for row in (u, v)):
            raise ValueError("expected an odd number of records and vectors of length at most one")
        known = {"records": n, "dimensions": (p + 1, p)} | {
            k: numbers[k] for k in ("epsilon_mu", "epsilon_S")
        }
        mean_scale, scale = _value(printed["mean_scale"], known), _value(printed["covariance_scale"], known)
        # |mu| <= |noise|_2 + 1/n; beyond it some entry of the noise is larger than (r - 1/n)/sqrt(m).
        eta = (p + 1) * (-(r - arb(1) / n) / (arb(p + 1).sqrt() * mean_scale)).exp()
        wide = (r / (1 - r)) ** 2 + (4 * r + 4 * r**2) / n
        gaps = [abs(a * b - c * d) / n for a, c in zip(u, v, strict=True) for b, d in zip(u, v, strict=True)]
        here, there = 1 - eta, arb(1)
        for gap in gaps:
            here *= (-wide / scale).exp() / 2
            there *= (-(gap - wide) / scale).exp() / 2 if gap > wide else arb(1)
        loss = (here / (there + eta)).log()
        return (
            "privacy loss of the second moments alone, at least",
            loss,
            "<=",
            _value("epsilon_mu + epsilon_S", known),
        )


@rule("distance of second moments")
def moment_distance(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterator[Comparison]:
    """The L1 distance of the second moments of two neighbouring data sets, against the printed sensitivity."""
    with ctx.workprec(BITS):
        yield "L1 distance", _distance(numbers), "<=", _value(printed["sensitivity"], numbers)


def losses(
    name: str,
    draw: Callable[[np.random.Generator], Iterator[dict[str, Any]]],
    covariance_scale: sp.Expr | None = None,
    mean_scale: sp.Expr = MEAN / EPS_MEAN,
) -> Instances:
    """The instances of one of the rules on losses, with the scales as the paper has them."""
    printed = {"mean_scale": sp.sstr(mean_scale)}
    if covariance_scale is not None:
        printed["covariance_scale"] = sp.sstr(covariance_scale)
    return Instances(name, printed, draw)


def distances(
    sensitivity: sp.Expr, draw: Callable[[np.random.Generator], Iterator[dict[str, Any]]]
) -> Instances:
    """The instances of the rule on distances."""
    return Instances("distance of second moments", {"sensitivity": sp.sstr(sensitivity)}, draw)


def opposite_records(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    """Data sets that differ in one raw record: (1, ..., 1) against its negative, then records that are drawn."""
    for m in (1, 2, 5, 40):
        ones = ["1"] * m
        others = [[str(int(x)) for x in row] for row in rng.integers(1, 9, size=(2, m))]
        yield {"first_records": [ones, ["-3"] * m], "other_records": others, "epsilon_mu": "1/2"}
        drawn = [[str(int(x)) for x in row] for row in rng.integers(1, 9, size=(2, m))]
        yield {"first_records": drawn, "other_records": others, "epsilon_mu": "1/2"}


def whole_release(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    """The second moments alone, of very many records; then mean and second moments of few."""
    pair = [[str(x) for x in vector] for vector in extreme_pair(block_signs(8))]
    yield {
        "pair": pair,
        "records": str(10**10 + 1),
        "reach": "3/10000000",
        "epsilon_mu": "1/2",
        "epsilon_S": "1",
    }
    yield from far_records(rng)


def far_records(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    """Raw data sets whose projected records end at the farthest pair; both orders, so that the mean helps in one of them."""
    for p in DIMENSIONS:
        made = neighbours("", extreme_pair(block_signs(p)), sp.Integer(0), rng)
        kept = ("first_records", "other_records", "released_mean", "projection")
        numbers = {key: made[key] for key in kept} | {"epsilon_mu": "1/1000", "epsilon_S": "1"}
        yield numbers
        yield numbers | {"first_records": numbers["first_records"][::-1]}


def far_records_with_labels(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    """The same with labels: none that differ, both at the end of a narrow interval, one of them at the end of a wide one."""
    for numbers in far_records(rng):
        others = len(numbers["other_records"])
        for bound, labels in (("0", ("0", "0")), ("1/20", ("1/20", "1/20")), ("2", ("2", "0"))):
            yield numbers | {"a": bound, "labels": list(labels), "other_labels": ["0"] * others}


def _means(numbers: Mapping[str, Any]) -> tuple[list[arb], list[arb]]:
    """The means of the records of X and of X', after these have been scaled to unit length."""
    common = [unit_length([exact(x) for x in row]) for row in numbers["other_records"]]
    result = []
    for record in numbers["first_records"]:
        rows = [unit_length([exact(x) for x in record]), *common]
        result.append([sum(column, arb(0)) / len(rows) for column in zip(*rows, strict=True)])
    return result[0], result[1]


def _distance(numbers: Mapping[str, Any]) -> arb:
    """The L1 distance of the second moments of X and X', with the labels where there are any."""
    w = matrix_of(numbers["projection"])
    gram, p = w.transpose() * w, w.ncols()
    if w.nrows() <= p or any(gram[i, j] != int(i == j) for i in range(p) for j in range(p)):
        raise ValueError("expected a projection with p < m orthonormal columns")
    mu = [exact(x) for x in numbers["released_mean"]]
    points = [projected(record, mu, w) for record in numbers["first_records"]]
    if "labels" in numbers:
        bound = Fraction(numbers["a"])
        if any(abs(Fraction(y)) > bound for y in numbers["labels"]):
            raise ValueError("expected labels in [-a, a]")
        points = [[*x, exact(y)] for x, y in zip(points, numbers["labels"], strict=True)]
    # The other records add the same to both sides.
    u, v = points
    total = sum(
        (abs(a * b - c * d) for a, c in zip(u, v, strict=True) for b, d in zip(u, v, strict=True)), arb(0)
    )
    return total / _records(numbers)


def _records(numbers: Mapping[str, Any]) -> int:
    return 1 + len(numbers["other_records"])


def _value(text: str, numbers: Mapping[str, Any]) -> arb:
    if "dimensions" in numbers:
        n, (m, p) = numbers["records"], numbers["dimensions"]
    else:
        n, m = _records(numbers), _length(numbers["first_records"])
        p = _length(numbers["projection"]) if "projection" in numbers else None
    names: dict[str, int | float | str | sp.Expr] = {N.name: n, M.name: m}
    if p is not None:
        names[P.name] = p
    for symbol in (EPS_MEAN, EPS_COVARIANCE, BOUND):
        if symbol.name in numbers:
            names[symbol.name] = sp.Rational(numbers[symbol.name])
    return enclose(parse(text, names), bits=BITS)


def _length(rows: Sequence[Sequence[str]]) -> int:
    return len(rows[0])
