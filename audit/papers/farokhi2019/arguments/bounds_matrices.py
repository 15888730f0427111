"""Bounds on errors and traces for exact matrices of any order: linear estimators, eigenvalues, processing, means."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb, fmpq

from .....symbolic.proof.exact_matrices import diagonal, identity_of, matrix_of, rows_of, trace
from .....symbolic.proof.exact_numbers import quotient
from ....dossier.arguments.optimality_checks import random_rotation
from ....dossier.instances import Comparison, Instances, rule

Matrix = list[list[str]]
INSTANCES = 40


def linear_estimator(form: str, factor: str = "1") -> Instances:
    """The error of xhat = G y, y = x + w with noise of covariance V and inverse information V, against the bound `form`.

    `form` is "transposed first", Tr(G' V G), or "transposed last", Tr(G V G'); |x - G x|^2 is added to it.
    """
    return Instances(
        "error of a linear estimator",
        {"form": form, "factor": factor},
        _estimators,
        "E|x - G y|^2 against the bound, normal noise of covariance V",
    )


@rule("error of a linear estimator")
def _error(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterator[Comparison]:
    g, v, x = (matrix_of(numbers[k]) for k in ("G", "V", "x"))
    if printed["form"] not in ("transposed first", "transposed last"):
        raise ValueError(f'form must be "transposed first" or "transposed last", got {printed["form"]!r}')
    bias = x - g * x
    offset = trace(bias * bias.transpose())
    # Row by row: the variance of (G w)_i is sum_kl G_ik G_il V_kl.
    order = range(g.nrows())
    spread = sum((g[i, k] * g[i, j] * v[k, j] for i in order for k in order for j in order), fmpq(0))
    first = printed["form"] == "transposed first"
    bound = trace(g.transpose() * v * g) if first else trace(g * v * g.transpose())
    factor = quotient(printed["factor"])
    yield "mean squared error of G y", arb(spread + offset), ">=", arb(factor * (bound + offset))


def _estimators(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    yield {"G": [["0", "1"], ["0", "0"]], "V": [["2", "0"], ["0", "1"]], "x": [["0"], ["0"]]}
    for _ in range(INSTANCES):
        n = int(rng.integers(1, 5))
        x = [[str(int(k))] for k in rng.integers(-3, 4, n)]
        yield {"G": _random(rng, n), "V": _positive(rng, n), "x": x}


def least_eigenvalue(factor: str) -> Instances:
    """Tr(G' V G) against factor Tr(V) lambda_min(G G'), G = R diag(s) Q' with rational rotations R, Q."""
    return Instances(
        "least eigenvalue", {"factor": factor}, _singular_values, "Tr(G' V G) >= Tr(V) lambda_min(G G')"
    )


@rule("least eigenvalue")
def _least(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterator[Comparison]:
    values = [Fraction(s) for s in numbers["s"]]
    left, right, v = (matrix_of(numbers[k]) for k in ("R", "Q", "V"))
    if any(m * m.transpose() != identity_of(len(values)) for m in (left, right)):
        raise ValueError("R and Q must be orthogonal: rows of length one at right angles")
    g = left * diagonal(values) * right.transpose()
    least = quotient(Fraction(printed["factor"]) * min(s * s for s in values))
    yield "Tr(G' V G)", arb(trace(g.transpose() * v * g)), "=", arb(trace(v * g * g.transpose()))
    yield "Tr(G' V G)", arb(trace(g.transpose() * v * g)), ">=", arb(least * trace(v))


def _singular_values(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    for k in range(INSTANCES):
        n = int(rng.integers(1, 5))
        values = [str(Fraction(int(j), 3)) for j in (np.ones(n) if k < 5 else rng.integers(0, 9, n))]
        turns = (rows_of(random_rotation(rng, n)) for _ in range(2))
        yield dict(zip(("R", "Q"), turns, strict=True)) | {"s": values, "V": _positive(rng, n)}


def processed(factor: str) -> Instances:
    """Tr(I_z^-1) against factor Tr(I_y^-1) for I_y = I_z + B B'."""
    return Instances("information lost", {"factor": factor}, _losses, "Tr(I_z^-1) >= Tr(I_y^-1)")


@rule("information lost")
def _lost(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterator[Comparison]:
    after, b = matrix_of(numbers["I_z"]), matrix_of(numbers["B"])
    before = after + b * b.transpose()
    factor = quotient(printed["factor"])
    yield (
        "trace of the inverse after processing",
        arb(trace(after.inv())),
        ">=",
        arb(factor * trace(before.inv())),
    )


def _losses(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    for k in range(INSTANCES):
        n = int(rng.integers(1, 5))
        yield {"I_z": _positive(rng, n), "B": [["0"]] * n if k == 0 else _random(rng, n)}


def weighted_mean(factor: str) -> Instances:
    """The mean of Tr(I(x)^-1) against factor n^2/J, at several x with weights that add up to one."""
    return Instances("mean of inverse traces", {"factor": factor}, _policies, "mean of Tr(I^-1) >= n^2/J")


@rule("mean of inverse traces")
def _mean(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterator[Comparison]:
    weights = [quotient(p) for p in numbers["p"]]
    if sum(weights, fmpq(0)) != 1 or any(p < 0 for p in weights):
        raise ValueError("the weights p must be nonnegative and add up to one")
    matrices = [matrix_of(m) for m in numbers["I"]]
    cost = sum((p * trace(m) for p, m in zip(weights, matrices, strict=True)), fmpq(0))
    measure = sum((p * trace(m.inv()) for p, m in zip(weights, matrices, strict=True)), fmpq(0))
    n = matrices[0].nrows()
    yield "mean of Tr(I^-1)", arb(measure), ">=", arb(quotient(printed["factor"]) * n * n / cost)


def _policies(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    for k in range(INSTANCES):
        n, points = int(rng.integers(1, 5)), int(rng.integers(1, 5))
        raw = [Fraction(int(j)) for j in rng.integers(1, 9, points)]
        identity = rows_of(identity_of(n))
        yield {
            "p": [str(r / sum(raw)) for r in raw],
            "I": [identity if k == 0 else _positive(rng, n) for _ in range(points)],
        }


def _random(rng: np.random.Generator, n: int) -> Matrix:
    return [[str(Fraction(int(v), 2)) for v in row] for row in rng.integers(-4, 5, (n, n))]


def _positive(rng: np.random.Generator, n: int) -> Matrix:
    """A positive definite matrix B B' + c."""
    b = matrix_of(_random(rng, n))
    return rows_of(b * b.transpose() + identity_of(n) * quotient(Fraction(int(rng.integers(1, 9)), 4)))
