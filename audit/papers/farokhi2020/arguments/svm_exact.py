"""The regularised support vector machine solved exactly on a few rational records, and what its release leaves alone.

Every record is beyond the margin, on it or inside it; each of the 3^q cases is one linear system over the rationals, and
the case that satisfies all optimality conditions gives the only optimum.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
from flint import arb, fmpq, fmpq_mat

from .....symbolic.proof.exact_matrices import identity_of, matrix_of, trace
from .....symbolic.proof.exact_numbers import quotient
from ....dossier.instances import Comparison, Instances, rule

BEYOND, EDGE, INSIDE = "beyond", "edge", "inside"
MOST_RECORDS = 5


@dataclass(frozen=True)
class ExactSvm:
    """The optimum (alpha, beta, xi) of program (2) with its multipliers omega, all exact."""

    alpha: tuple[fmpq, ...]
    beta: fmpq
    xi: tuple[fmpq, ...]
    omega: tuple[fmpq, ...]

    def distance(self, other: ExactSvm) -> fmpq:
        """The squared Euclidean distance of (alpha, beta, xi)."""
        ours, theirs = ((*z.alpha, z.beta, *z.xi) for z in (self, other))
        return sum(((a - b) ** 2 for a, b in zip(ours, theirs, strict=True)), fmpq(0))


def exact_svm(features: fmpq_mat, labels: Sequence[int], rho: fmpq, theta: fmpq) -> ExactSvm:
    """The optimum of (2) for features (q, p), q <= 5; ValueError for other sizes or labels."""
    q, p = features.nrows(), features.ncols()
    if q > MOST_RECORDS or len(labels) != q or any(y not in (-1, 1) for y in labels):
        raise ValueError(f"expected at most {MOST_RECORDS} records with labels -1 or 1, got {q} and {labels}")
    z = [[labels[i] * features[i, k] for k in range(p)] + [fmpq(labels[i])] for i in range(q)]
    for case in product((BEYOND, EDGE, INSIDE), repeat=q):
        found = _solve(z, case, rho, theta)
        if found is not None:
            return found
    raise ValueError("no case satisfies the optimality conditions: the records on the margin are dependent")


def _solve(z: list[list[fmpq]], case: Sequence[str], rho: fmpq, theta: fmpq) -> ExactSvm | None:
    """The point of one case if it satisfies every optimality condition."""
    n, edges = len(z[0]), [i for i, c in enumerate(case) if c == EDGE]
    inside = [i for i, c in enumerate(case) if c == INSIDE]
    size = n + len(edges)
    system = [[fmpq(0)] * size for _ in range(size)]
    right = [[fmpq(0)] for _ in range(size)]
    for k in range(n):
        system[k][k] = fmpq(1) if k < n - 1 else rho
        for i in inside:
            right[k][0] += (theta + rho) * z[i][k]
            for j in range(n):
                system[k][j] += rho * z[i][j] * z[i][k]
        for column, i in enumerate(edges, n):
            system[k][column] -= z[i][k]
            system[column][k] = z[i][k]
            right[column][0] = fmpq(1)
    try:
        solution = fmpq_mat(system).solve(fmpq_mat(right))
    except ZeroDivisionError:
        return None
    v = [solution[k, 0] for k in range(n)]
    on_edge = dict(zip(edges, (solution[k, 0] for k in range(n, size)), strict=True))
    xi, omega = [], []
    for i, c in enumerate(case):
        slack = 1 - sum((a * b for a, b in zip(z[i], v, strict=True)), fmpq(0))
        xi.append(slack if c == INSIDE else fmpq(0))
        omega.append(theta + rho * slack if c == INSIDE else on_edge.get(i, fmpq(0)))
        fits = {BEYOND: slack <= 0, INSIDE: slack >= 0, EDGE: 0 <= omega[-1] <= theta}[c]
        if not fits:
            return None
    return ExactSvm(tuple(v[:-1]), v[-1], tuple(xi), tuple(omega))


def _texts(rng: np.random.Generator, q: int, p: int) -> list[list[str]]:
    return [[str(Fraction(int(v), 4)) for v in row] for row in rng.integers(-12, 13, (q, p))]


def _labels(rng: np.random.Generator, q: int) -> list[int]:
    return [1, -1, *(int(y) for y in rng.choice([-1, 1], q - 2))]


# Movements this small show the exponent of the movement: 10^-1000 to the power 1/100 is 10^-10.
_TINY = "1/1" + "0" * 1000


def lipschitz(constant: str, exponent: str) -> Instances:
    """|dz| <= constant * |M|_F^exponent for tiny changes of the records, and the exact global inequality behind it."""
    return Instances(
        "movement of a classifier",
        {"constant": constant, "exponent": exponent, "factor": "1"},
        _movements,
        "the optimum of (2) moves by at most c times the change of the records",
    )


@rule("movement of a classifier", "rho", "theta")
def movement(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterator[Comparison]:
    """Both optima are exact; |M|_2 is at least |M|_F/sqrt(p), which goes into the constant."""
    x, n = matrix_of(numbers["features"]), matrix_of(numbers["change"])
    labels, rho, theta = numbers["labels"], quotient(numbers["rho"]), quotient(numbers["theta"])
    for scale in numbers["scales"]:
        w = n * quotient(scale)
        old, new = exact_svm(x, labels, rho, theta), exact_svm(x + w, labels, rho, theta)
        square = sum((w[i, k] ** 2 for i in range(w.nrows()) for k in range(w.ncols())), fmpq(0))
        if scale == _TINY:
            exponent = arb(quotient(printed["exponent"]))
            limit = arb(quotient(printed["constant"])) ** 2 * arb(square) ** exponent
            yield "squared movement", arb(old.distance(new)), "<=", limit
        work = fmpq(0)
        for i, y in enumerate(labels):
            for k in range(x.ncols()):
                work += y * w[i, k] * (old.omega[i] * new.alpha[k] - new.omega[i] * old.alpha[k])
        moved = sum(((a - b) ** 2 for a, b in zip(old.alpha, new.alpha, strict=True)), fmpq(0))
        moved += rho * (old.beta - new.beta) ** 2
        moved += rho * sum(((a - b) ** 2 for a, b in zip(old.xi, new.xi, strict=True)), fmpq(0))
        yield "movement in the norm of the cost", arb(moved), "<=", arb(quotient(printed["factor"]) * work)


def _movements(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    for _ in range(8):
        q, p = int(rng.integers(2, 5)), int(rng.integers(1, 3))
        yield {
            "features": _texts(rng, q, p),
            "labels": _labels(rng, q),
            "change": _texts(rng, q, p),
            "rho": str(Fraction(int(rng.integers(1, 9)), 4)),
            "theta": str(Fraction(int(rng.integers(1, 9)), 4)),
            "scales": ["1", "1/10", _TINY],
        }


def null_space_release(private: str, share: str = "1") -> Instances:
    """Noise with Omega w = 0 and variance m = 1: the classifier stays; `private` says whose noise is positive.

    "every direction": each record has noise in each direction.  "across": each record has the variance
    share * (1 - c_i^2) in each direction at a right angle to alpha, c along (omega_i y_i), checked by projection.
    """
    return Instances(
        "release on the null space",
        {"private": private, "share": share},
        _releases,
        "the classifier of the released records is the same, and the records have noise",
    )


@rule("release on the null space", "rho", "theta")
def null_space(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterator[Comparison]:
    """The projection on {Omega w = 0} is (I - c c') x (I - a a'), formed from the exact optimum."""
    x, draw = matrix_of(numbers["features"]), matrix_of(numbers["draw"])
    labels, rho, theta = numbers["labels"], quotient(numbers["rho"]), quotient(numbers["theta"])
    q, p = x.nrows(), x.ncols()
    found = exact_svm(x, labels, rho, theta)
    pulls = [w * y for w, y in zip(found.omega, labels, strict=True)]
    records, across = _without(pulls), _without(found.alpha)
    changed = exact_svm(x + records * draw * across, labels, rho, theta)
    yield "movement of the classifier", arb(found.distance(changed)), "=", arb(0)
    total = sum((c * c for c in pulls), fmpq(0))
    for i in range(q):
        if printed["private"] == "every direction":
            # The quadratic form of the covariance of w_i along alpha.
            along = sum(
                (found.alpha[k] * across[k, j] * found.alpha[j] for k in range(p) for j in range(p)), fmpq(0)
            )
            yield f"variance of record {i + 1} along alpha", arb(records[i, i] * along), ">", arb(0)
        else:
            seen = (records * draw * across * fmpq_mat([[a] for a in found.alpha]))[i, 0]
            yield f"change of alpha'x for record {i + 1}", arb(seen), "=", arb(0)
            kept = quotient(printed["share"]) * (1 - pulls[i] ** 2 / total)
            covered = (records * records.transpose())[i, i] * fmpq(p - 1)
            yield f"total variance of record {i + 1}", arb(covered), "=", arb(kept * trace(across))


def _without(direction: Sequence[fmpq]) -> fmpq_mat:
    """The projection at a right angle to a vector that is not zero."""
    total = sum((d * d for d in direction), fmpq(0))
    if total == 0:
        raise ValueError("expected alpha and some multiplier that are not zero")
    row = fmpq_mat([list(direction)])
    return identity_of(len(direction)) - row.transpose() * row * (1 / total)


def _releases(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    one_support = {"features": [["1", "0"], ["-4", "1"]], "labels": [1, -1]}
    yield {**one_support, "draw": [["3", "1"], ["-2", "5"]], "rho": "1", "theta": "1"}
    for _ in range(8):
        q, p = int(rng.integers(2, 5)), int(rng.integers(2, 4))
        yield {
            "features": _texts(rng, q, p),
            "labels": _labels(rng, q),
            "draw": _texts(rng, q, p),
            "rho": str(Fraction(int(rng.integers(1, 9)), 4)),
            "theta": str(Fraction(int(rng.integers(1, 9)), 4)),
        }
