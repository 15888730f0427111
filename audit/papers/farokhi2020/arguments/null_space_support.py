"""Where noise w = Psi v lives: the image of Psi, its complement, and what is printed about the density there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from flint import arb, fmpq_mat

from .....symbolic.proof.exact_matrices import identity_of, matrix_of, rows_of
from ....dossier.arguments.optimality_checks import random_rotation
from ....dossier.instances import Comparison, Instances, rule


def support(zero: str) -> Instances:
    """The density of w = Psi v is zero on a set and positive on im(Psi); `zero`: "orthogonal" to im(Psi), or "outside" of it."""
    return Instances(
        "support of null-space noise",
        {"zero": zero},
        _draws,
        "Omega Psi = 0; the density of Psi v at points of R^(qp)",
    )


@rule("support of null-space noise")
def _support(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterator[Comparison]:
    """The density is positive on im(Psi), the set of w for which (Psi, w) has the rank of Psi; w = Psi Psi' w says the same."""
    psi, complement, w = (matrix_of(numbers[k]) for k in ("Psi", "complement", "w"))
    if psi.transpose() * psi != identity_of(psi.ncols()):
        raise ValueError("Psi must have orthonormal columns")
    omega = complement.transpose()
    leak = omega * psi
    yield "largest entry of Omega Psi", _largest(leak), "=", arb(0)
    beyond = _largest(w - psi * (psi.transpose() * w)) != 0
    orthogonal = _largest(psi.transpose() * w) == 0
    if printed["zero"] not in ("orthogonal", "outside"):
        raise ValueError(f'zero is "orthogonal" or "outside", got {printed["zero"]!r}')
    said_zero = orthogonal if printed["zero"] == "orthogonal" else beyond
    columns = [row + last for row, last in zip(psi.tolist(), w.tolist(), strict=True)]
    vanishes = fmpq_mat(columns).rank() > psi.ncols()
    yield (
        "the density is said to be zero (1) or not (0), against its support",
        arb(int(said_zero)),
        "=",
        arb(int(vanishes)),
    )


def _largest(m: fmpq_mat) -> arb:
    return arb(max(abs(m[i, k]) for i in range(m.nrows()) for k in range(m.ncols())))


def _draws(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    for k in range(12):
        n = int(rng.integers(2, 6))
        turn = random_rotation(rng, n)
        width = int(rng.integers(1, n))
        rows = rows_of(turn)
        psi = [row[:width] for row in rows]
        complement = [row[width:] for row in rows]
        w = fmpq_mat(rng.integers(-3, 4, (n, 1)).tolist())
        basis = matrix_of(psi)
        if k == 0:
            w = w * 0
        elif k % 3 == 1:
            w = basis * (basis.transpose() * w)
        elif k % 3 == 2:
            w = w - basis * (basis.transpose() * w)
        yield {"Psi": psi, "complement": complement, "w": rows_of(w)}
