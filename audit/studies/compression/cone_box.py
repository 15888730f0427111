"""The largest linear function over matrices in a box and in the cone: solved by clarabel, certified by exact arithmetic.

max tr(G S) over |S - R| <= w entrywise, S positive semidefinite.  For every positive semidefinite Z
tr(G S) <= tr((G + Z) S) <= tr((G + Z) R) + w sum |G + Z|: any Z = B B' with rational B is a proof of an upper bound.  An output
(m, p) of rational numbers whose S = output' output/m lies in the box is a proof of a lower one.
"""

from __future__ import annotations

import numpy as np
from flint import arb, fmpq_mat

from ....symbolic.arrays import Floats
from ....symbolic.programs import conic
from ....symbolic.programs.symmetric import Triangle
from ....symbolic.proof.exact_matrices import exact_matrix, largest_entry, sum_of_entries, trace_of_product

_STEPS = (
    0.0,
    1e-12,
    1e-10,
    1e-9,
    1e-8,
    1e-7,
    1e-6,
    1e-4,
    1e-2,
)  # steps towards the reference until the box holds
_STARTS = 6


def solve(gamma: Floats, reference: Floats, window: float) -> tuple[Floats, Floats]:
    """Approximate maximiser S and multiplier Z of the cone, both (p, p); no claim is made about either."""
    from scipy import sparse

    size = max(float(np.abs(gamma).max()), 1e-300)
    triangle = Triangle(len(gamma))
    root, centre = triangle.roots, triangle.of(reference)
    # S = R + w T: the box becomes [-1, 1].
    eye = sparse.eye(len(triangle), format="csc")
    rows = sparse.vstack([eye, -eye, -window * sparse.diags(root)], format="csc")
    found = conic.solve(
        -(root**2) * triangle.of(gamma) / size,
        rows,
        np.concatenate([np.ones(2 * len(triangle)), root * centre]),
        nonnegative=2 * len(triangle),
        semidefinite=(triangle.order,),
        tolerance=1e-11,
    )
    multiplier = np.asarray(found.z)[2 * len(triangle) :] / root * size * window
    return (
        np.nan_to_num(triangle.matrices(centre + window * np.asarray(found.x))),
        np.nan_to_num(triangle.matrices(multiplier)),
    )


def upper_bound(gamma: fmpq_mat, multiplier: Floats, reference: fmpq_mat, window: arb) -> arb:
    """tr((G + Z) R) + w sum |G + Z| with Z the multiplier made exactly positive semidefinite; Z = 0 if that is better."""
    values, vectors = np.linalg.eigh(multiplier)
    b = exact_matrix(vectors * np.sqrt(np.maximum(values, 0.0)))
    ends = []
    for moved in (gamma + b * b.transpose(), gamma):
        ends.append(arb(trace_of_product(moved, reference)) + window * arb(sum_of_entries(moved)))
    return ends[0].min(ends[1])


def moments(output: fmpq_mat, m: int) -> fmpq_mat:
    """S = output' output/m of an output of m rows, rows of zeros left out, exactly: positive semidefinite, of rank at most m."""
    return output.transpose() * output / m


def inside(output: fmpq_mat, m: int, reference: fmpq_mat, window: arb) -> bool:
    """Whether the output certainly lies in the window."""
    return bool(arb(largest_entry(moments(output, m) - reference)) <= window)


def output_near(s: Floats, gamma: Floats, reference: Floats, window: arb, m: int) -> Floats | None:
    """An output (m, p), certainly in the window, whose moments come near s; None if none was found (only for m < p).

    With fewer rows than columns S has rank at most m, and a local search maximises tr(G S) from several starts.
    """
    exact = exact_matrix(reference)
    if m >= len(s):
        for step in _STEPS:
            values, vectors = np.linalg.eigh((1 - step) * s + step * reference)
            output = np.zeros((m, len(s)))
            output[: len(s)] = np.sqrt(m * np.maximum(values, 0.0))[:, None] * vectors.T
            if inside(exact_matrix(output[: len(s)]), m, exact, window):
                return output
        return None
    found = [
        x
        for x in _searched(s, gamma, reference, float(window), m)
        if inside(exact_matrix(x), m, exact, window)
    ]
    return max(found, key=lambda x: float(np.sum(gamma * (x.T @ x))), default=None)


def _searched(s: Floats, gamma: Floats, reference: Floats, window: float, m: int) -> list[Floats]:
    from scipy.optimize import minimize

    rng, p = np.random.default_rng(0), len(s)
    size = max(float(np.abs(gamma).max()), 1e-300)
    tight = window * (1 - 1e-9)

    def cost(flat: Floats, weight: float, pull: float) -> tuple[float, Floats]:
        x = flat.reshape(m, p)
        away = x.T @ x / m - reference
        over = np.sign(away) * np.maximum(np.abs(away) - tight, 0.0)
        value = weight * np.sum(over**2) - pull * np.sum(gamma * (away + reference)) / size
        slope = (2 * weight * over - pull * gamma / size) @ x.T
        return float(value), 2 * slope.T.ravel() / m

    values, vectors = np.linalg.eigh(s)
    start = np.sqrt(m * np.maximum(values[-m:], 0.0))[:, None] * vectors[:, -m:].T
    out = []
    for trial in range(_STARTS):
        x = start + (
            0.3 * trial * np.sqrt(np.abs(reference).max()) * rng.standard_normal((m, p)) if trial else 0.0
        )
        for weight, pull in ((10.0, 1.0), (1e3, 1.0), (1e5, 1.0), (1.0, 0.0)):
            x = minimize(
                cost,
                x.ravel(),
                (weight, pull),
                jac=True,
                method="L-BFGS-B",
                options={"maxiter": 400, "ftol": 1e-16, "gtol": 1e-14},
            ).x.reshape(m, p)
        for room in (0.0, 1e-9, 1e-6, 1e-4):
            out.append(x * (1 - room))
    return out
