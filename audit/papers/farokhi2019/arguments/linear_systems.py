"""What is printed about a linear system over time, on one system: x[k+1] = A x[k], y[k] = C x[k] + w[k], k = 0..T.

Matrices are rows of texts of exact numbers; Psi stacks C A^k, G = Psi' Psi.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from flint import arb, fmpq, fmpq_mat

from .....symbolic.proof.exact_matrices import identity_of, matrix_of, trace
from .....symbolic.proof.exact_numbers import enclosed, quotient
from .....symbolic.proof.expressions import parse
from ....dossier.instances import Comparison, rule

_SCALES = ("1/2", "9/10", "99/100", "1", "101/100", "11/10", "2")


@rule("answers over time")
def answers(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterable[Comparison]:
    """The noise has as many entries as printed, and y[k] of the recursion is C A^power x[0] + w[k]."""
    a, c, state = matrix_of(numbers["A"]), matrix_of(numbers["C"]), matrix_of(numbers["x"])
    noise = [matrix_of(w) for w in numbers["w"]]
    horizon = len(noise) - 1
    named = {"n": a.nrows(), "m": c.nrows(), "T": horizon}
    entries = sum(w.nrows() for w in noise)
    yield "entries of the stacked noise", enclosed(printed["entries"], named), "=", arb(entries)
    start = state
    for k, w in enumerate(noise):
        stacked = c * _power(a, _whole(printed["power"], {"k": k})) * start + w
        yield from _entries(f"answer at time {k}", stacked, c * state + w)
        state = a * state


@rule("trace of the inverse")
def trace_of_inverse(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterable[Comparison]:
    """Tr(I^-1) is at least the printed bound in n, T and t = Tr(I), I positive definite (n, n)."""
    information = matrix_of(numbers["I"])
    named = {"n": information.nrows(), "T": numbers["T"], "t": str(trace(information))}
    yield "trace of the inverse", arb(trace(information.inv())), ">=", enclosed(printed["bound"], named)


@rule("least horizon")
def least_horizon(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterable[Comparison]:
    """If (A, C) is observable, G has rank n at the printed least horizon."""
    a, c = matrix_of(numbers["A"]), matrix_of(numbers["C"])
    n = a.nrows()
    if _stacked(a, c, n - 1).rank() < n:
        return
    horizon = max(0, _whole(printed["least"], {"n": n}))
    psi = _stacked(a, c, horizon)
    yield "rank of the Gramian", arb((psi.transpose() * psi).rank()), "=", arb(n)


@rule("noise over time")
def noise_over_time(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterable[Comparison]:
    """z run through the system is C A^power z at time k, and its law is not that of independent equal noise (n <= 2)."""
    a, c, state = matrix_of(numbers["A"]), matrix_of(numbers["C"]), matrix_of(numbers["z"])
    start, m, horizon = state, c.nrows(), int(numbers["T"])
    for k in range(horizon + 1):
        yield from _entries(
            f"noise at time {k}", c * _power(a, _whole(printed["power"], {"k": k})) * start, c * state
        )
        state = a * state
    psi = _stacked(a, c, horizon)
    covariance = _product(
        _product(_balls(psi), _root(psi.transpose() * psi, inverse=True)), _balls(psi.transpose())
    )
    away = arb(0)
    for i, row in enumerate(covariance):
        for j, entry in enumerate(row):
            same = covariance[i % m][j % m] if i // m == j // m else arb(0)
            away += (entry - same) ** 2
    yield "distance of the covariance from independent, equal noise", away, ">", arb(0)


@rule("noise with a density")
def with_density(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterable[Comparison]:
    """The stacked noise Psi z, z with a density, has a density on R^(m(T+1)): its covariance has full rank."""
    psi = _stacked(matrix_of(numbers["A"]), matrix_of(numbers["C"]), int(numbers["T"]))
    yield "rank of the covariance of Psi z", arb((psi * psi.transpose()).rank()), "=", arb(psi.nrows())


@rule("trajectory cost", "rho")
def trajectory_cost(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterable[Comparison]:
    """No normal z with covariance s G^(-1/2)/sqrt(rho) costs less in J + rho Q than with the printed factor s (n <= 2)."""
    psi = _stacked(matrix_of(numbers["A"]), matrix_of(numbers["C"]), int(numbers["T"]))
    gram = psi.transpose() * psi
    if "gramian" in printed:
        wanted = [[enclosed(e, {"T": numbers["T"]}) for e in row] for row in printed["gramian"]]
        for i, row in enumerate(wanted):
            for j, entry in enumerate(row):
                yield f"entry ({i + 1}, {j + 1}) of the Gramian", entry, "=", arb(gram[i, j])
    root = enclosed(numbers["rho"], {}).sqrt()
    inside = _product(_product(_balls(psi), _root(gram, inverse=True)), _balls(psi.transpose()))
    trace = sum((inside[i][i] for i in range(len(inside))), arb(0))
    information = sum((_root(gram)[i][i] for i in range(gram.nrows())), arb(0))

    def cost(scale: arb) -> arb:
        return root * information / scale + root * trace * scale

    ours = cost(enclosed(printed["factor"], {}))
    for scale in _SCALES:
        yield f"cost against factor {scale}", ours, "<=", cost(enclosed(scale, {}))


@rule("vehicle totals", "rho")
def vehicle_totals(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterable[Comparison]:
    """Q, the noise variances summed over time, or E = Tr Sigma, is as printed for Sigma = factor G^(-1/2)/sqrt(rho)."""
    psi = _stacked(matrix_of([["1", "1"], ["0", "1"]]), matrix_of([["1", "0"]]), int(numbers["T"]))
    root = _root(psi.transpose() * psi, inverse=True)
    scale = enclosed(printed["factor"], {}) / enclosed(numbers["rho"], {}).sqrt()
    named = {"T": numbers["T"], "rho": numbers["rho"]}
    if "Q" in printed:
        variances = _product(_product(_balls(psi), root), _balls(psi.transpose()))
        total = sum((variances[i][i] for i in range(len(variances))), arb(0)) * scale
        yield "sum of the noise variances", enclosed(printed["Q"], named), "=", total
    if "E" in printed:
        yield "trace of Sigma", enclosed(printed["E"], named), "=", (root[0][0] + root[1][1]) * scale


@rule("vehicle")
def vehicle(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterable[Comparison]:
    """Position and speed follow A and C as printed, and from the printed horizon on the Gramian is not singular."""
    a, c = matrix_of(printed["A"]), matrix_of(printed["C"])
    s, v = (quotient(t) for t in numbers["x"])
    state = fmpq_mat([[s], [v]])
    horizon = int(printed["least"]) + int(numbers["further"])
    for k in range(horizon + 1):
        yield f"position at time {k}", arb((c * state)[0, 0]), "=", arb(s + k * v)
        state = a * state
    psi = _stacked(a, c, horizon)
    yield "determinant of the Gramian", arb((psi.transpose() * psi).det()), ">", arb(0)


@rule("growth")
def growth(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterable[Comparison]:
    """Between two large horizons the function grows at most like T^power to 1 % (`exactly`: at least, too)."""
    near, far = numbers["near"], numbers["far"]
    ratio = enclosed(printed["function"], {"T": far}) / enclosed(printed["function"], {"T": near})
    power = (enclosed(far, {}) / enclosed(near, {})) ** enclosed(printed["power"], {})
    yield f"growth from T = {near} to {far}", ratio, "<=", power * arb(fmpq(101, 100))
    if printed.get("exactly"):
        yield f"growth from T = {near} to {far}", ratio, ">=", power * arb(fmpq(99, 100))
    if printed.get("falls"):
        yield "the function falls", ratio, "<", arb(1)


def _whole(text: str, names: Mapping[str, Any]) -> int:
    value = parse(text, names)
    if not value.is_Integer:
        raise ValueError(f"expected a whole number, got {text} = {value}: time is counted in steps")
    return int(value)


def _power(matrix: fmpq_mat, exponent: int) -> fmpq_mat:
    result = identity_of(matrix.nrows())
    for _ in range(exponent):
        result = result * matrix
    return result


def _stacked(a: fmpq_mat, c: fmpq_mat, horizon: int) -> fmpq_mat:
    rows, block = [], c
    for _ in range(horizon + 1):
        rows += block.tolist()
        block = block * a
    return fmpq_mat(rows)


def _entries(what: str, left: fmpq_mat, right: fmpq_mat) -> Iterable[Comparison]:
    for i in range(left.nrows()):
        yield f"{what}, entry {i + 1}", arb(left[i, 0]), "=", arb(right[i, 0])


def _balls(matrix: fmpq_mat) -> list[list[arb]]:
    return [[arb(e) for e in row] for row in matrix.tolist()]


def _product(left: list[list[arb]], right: list[list[arb]]) -> list[list[arb]]:
    return [
        [
            sum((a * b for a, b in zip(row, column, strict=True)), arb(0))
            for column in zip(*right, strict=True)
        ]
        for row in left
    ]


def _root(gram: fmpq_mat, inverse: bool = False) -> list[list[arb]]:
    """The square root of a positive definite matrix of order 1 or 2, (G + sqrt(det) I)/sqrt(tr + 2 sqrt(det)), or its inverse."""
    if gram.nrows() > 2:
        raise ValueError(f"square roots are taken in closed form up to order 2, got {gram.nrows()}")
    if gram.nrows() == 1:
        root = arb(gram[0, 0]).sqrt()
        return [[1 / root if inverse else root]]
    det = arb(gram.det()).sqrt()
    below = (arb(trace(gram)) + 2 * det).sqrt()
    rows = [
        [(e + (det if i == j else 0)) / below for j, e in enumerate(r)] for i, r in enumerate(_balls(gram))
    ]
    if not inverse:
        return rows
    # The determinant of the root is the root of the determinant.
    return [[rows[1][1] / det, -rows[0][1] / det], [-rows[1][0] / det, rows[0][0] / det]]
