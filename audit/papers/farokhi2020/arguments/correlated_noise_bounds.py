"""Bounds for one record under correlated normal noise on all records, for exact information matrices and weights."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb, fmpq, fmpq_mat

from .....symbolic.proof.exact_matrices import identity_of, matrix_of, rows_of, trace
from .....symbolic.proof.exact_numbers import quotient
from ....dossier.instances import Comparison, Instances, rule

WEIGHTS = ("Pi", "root of Pi", "none")
PARTS = ("one record", "trace", "blocks", "largest", "last")


def chain(
    parts: tuple[str, ...], weight: str = "root of Pi", inverted: bool = False, factor: str = "1"
) -> Instances:
    """The chosen steps of the chain from the error of one record to 1/Tr((I (x) Pi^-1) J), J the information.

    "one record": E|W (x_i - xbar_i)|^2 >= Tr(Pi B_i^-1), B_i the i-th block of J and W = `weight`; "trace": that is at least
    factor/Tr(Pi^-1 B_i); "blocks": the Kronecker forms of Tr(Pi^-1 B_i); "largest": max 1/E|W (x_i - xbar_i)|^2 is at most
    the largest of these traces, and that at most their sum; "last": min Tr(Pi B_i^-1) >= factor/Tr(K J) with K = I (x) Pi^-1,
    or its inverse if `inverted`.
    """
    printed = {
        "parts": list(parts),
        "weight": weight,
        "inverted": "yes" if inverted else "no",
        "factor": factor,
    }
    return Instances(
        "records under correlated noise", printed, _draws, "bounds of one record, correlated normal noise"
    )


@rule("records under correlated noise")
def _records(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterator[Comparison]:
    information, root = matrix_of(numbers["J"]), matrix_of(numbers["S"])
    p, order = root.nrows(), information.nrows()
    if order % p or printed["weight"] not in WEIGHTS or not set(printed["parts"]) <= set(PARTS):
        raise ValueError(f"weight is one of {WEIGHTS}, parts are of {PARTS}, and J has order q p")
    q, factor = order // p, quotient(printed["factor"])
    pi = root * root
    one = identity_of(p)
    scale = {"Pi": pi, "root of Pi": root, "none": one}[printed["weight"]]
    covariance = information.inv()
    weights = _kronecker(identity_of(q), pi.inv())
    blocks = [_block(information, i, p) for i in range(q)]
    errors = [trace(scale * _block(covariance, i, p) * scale.transpose()) for i in range(q)]
    shares = [trace(pi * b.inv()) for b in blocks]
    traces = [trace(pi.inv() * b) for b in blocks]
    for i, (error, share, bound) in enumerate(zip(errors, shares, traces, strict=True)):
        unit = fmpq_mat([[int(k == i)] for k in range(q)])
        pick = _kronecker(unit, one)
        if "one record" in printed["parts"]:
            yield f"error of the released record {i + 1}", arb(error), ">=", arb(share)
        if "trace" in printed["parts"]:
            yield f"Tr(Pi B^-1) of record {i + 1}", arb(share), ">=", arb(factor / bound)
        if "blocks" in printed["parts"]:
            inside = trace(pick.transpose() * weights * information * pick)
            outside = trace(_kronecker(unit * unit.transpose(), one) * weights * information)
            yield f"trace of record {i + 1}, block inside", arb(bound), "=", arb(factor * inside)
            yield f"trace of record {i + 1}, rotated", arb(inside), "=", arb(outside)
    total = trace(weights * information)
    if "largest" in printed["parts"]:
        yield "largest inverse error", arb(max(1 / e for e in errors)), "<=", arb(max(traces))
        yield "largest trace", arb(max(traces)), "<=", arb(total)
        yield "sum of the traces", arb(sum(traces, fmpq(0))), "=", arb(total)
    if "last" in printed["parts"]:
        used = trace(weights.inv() * information) if printed["inverted"] == "yes" else total
        yield "least Tr(Pi B_i^-1)", arb(min(shares)), ">=", arb(factor / used)


def _draws(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    yield {"J": [["1"]], "S": [["1/2"]]}
    yield {"J": [["1"]], "S": [["2"]]}
    for _ in range(25):
        p, q = int(rng.integers(1, 4)), int(rng.integers(1, 4))
        yield {"J": _positive(rng, p * q), "S": _positive(rng, p)}


def _positive(rng: np.random.Generator, n: int) -> list[list[str]]:
    b = fmpq_mat(rng.integers(-3, 4, (n, n)).tolist()) * quotient(Fraction(1, 2))
    return rows_of(b * b.transpose() + identity_of(n) * quotient(Fraction(int(rng.integers(1, 9)), 4)))


def _block(matrix: fmpq_mat, i: int, p: int) -> fmpq_mat:
    return fmpq_mat([[matrix[i * p + r, i * p + c] for c in range(p)] for r in range(p)])


def _kronecker(a: fmpq_mat, b: fmpq_mat) -> fmpq_mat:
    rows, columns = b.nrows(), b.ncols()
    return fmpq_mat(
        [
            [a[i // rows, j // columns] * b[i % rows, j % columns] for j in range(a.ncols() * columns)]
            for i in range(a.nrows() * rows)
        ]
    )
