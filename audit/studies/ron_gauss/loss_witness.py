"""The privacy loss of a release of noisy mean and noisy covariance at explicit data sets and outputs, enclosed.

Algorithm 3 of Chanyaswad, Liu, Mittal (2019): records to unit length, noisy mean, centring, unit length again, projection,
noisy second moments.  Given the data, the density of (mean, covariance) is a product: Laplace around the mean, times
Laplace around the second moments of the records centred by the mean that was released.
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp
from flint import arb, ctx

from ....symbolic.proof.enclosure import enclose
from ....symbolic.proof.exact_numbers import ball
from ....symbolic.proof.expressions import parse
from ...record.witness import Witness, register

_BITS = 256
_ENTRIES = 120  # of a record
_COUNT = 10**12


@register("privacy loss of a pipeline")
def evaluate(witness: Witness) -> tuple[bool, str]:
    """Whether the loss at the outputs certainly exceeds epsilon: it does so in a neighbourhood of them too, by continuity."""
    mean, covariance = pipeline_loss(witness)
    with ctx.workprec(_BITS):
        total, epsilon = mean + covariance, enclose(sp.Rational(witness["epsilon"]), bits=_BITS)
        above = bool(total > epsilon)
        word = "certainly above" if above else "not certainly above"
        return above, (
            f"p = {len(witness['columns'][0])}, m = {len(witness['columns'])}, n = {witness['count']}: privacy loss "
            f"{mean.str(8, radius=False)} by the mean + {covariance.str(8, radius=False)} by the covariance = "
            f"{total.str(10)}, {word} {float(epsilon):.6g}"
        )


def pipeline_loss(witness: Witness) -> tuple[arb, arb]:
    """Balls around the two parts of the loss: by the mean, and by the covariance given the mean.

    The witness holds `records` (the one that differs, in either data set), `other` (repeated in the rest of `count`),
    `columns` (m rows of p rationals: W is their orthonormal factor by Gram-Schmidt), the outputs `mean` (m) and
    `covariance` (p x p; its upper triangle is read if `symmetric`), and the two noise scales as formulas.
    """
    columns, count = witness["columns"], int(witness["count"])
    m, p = len(columns), len(columns[0])
    if not (1 <= p <= m <= _ENTRIES and 2 <= count <= _COUNT):
        raise ValueError(
            f"expected 1 <= p <= m <= {_ENTRIES} and at least two records, got p = {p}, m = {m}, {count} records"
        )
    if any(len(row) != p for row in columns) or len(witness["covariance"]) != p:
        raise ValueError("expected p numbers in each row of the matrices")
    with ctx.workprec(_BITS):
        w = _orthonormal([[ball(row[j]) for row in columns] for j in range(p)])
        first, second, other = (_unit(_vector(r, m)) for r in (*witness["records"], witness["other"]))
        mean = _vector(witness["mean"], m)
        scales = [enclose(parse(witness[key]), bits=_BITS) for key in ("mean_scale", "covariance_scale")]
        if not all(scale > 0 for scale in scales):
            raise ValueError("the scales of the noise must be certainly positive")
        by_mean, moments = arb(0), []
        averages = [
            [(x + (count - 1) * r) / count for x, r in zip(one, other, strict=True)]
            for one in (first, second)
        ]
        for released, here, there in zip(mean, *averages, strict=True):
            by_mean += abs(released - there) - abs(released - here)
        common = _projected(other, mean, w)
        for one in (first, second):
            x = _projected(one, mean, w)
            moments.append(
                [
                    [(x[i] * x[j] + (count - 1) * common[i] * common[j]) / count for j in range(p)]
                    for i in range(p)
                ]
            )
        by_covariance = arb(0)
        for i in range(p):
            row = _vector(witness["covariance"][i], p)
            for j in range(i if witness["symmetric"] else 0, p):
                by_covariance += abs(row[j] - moments[1][i][j]) - abs(row[j] - moments[0][i][j])
        return by_mean / scales[0], by_covariance / scales[1]


def _projected(unit: list[arb], mean: list[arb], w: list[list[arb]]) -> list[arb]:
    centred = _unit([x - c for x, c in zip(unit, mean, strict=True)])
    return [_dot(column, centred) for column in w]


def _orthonormal(columns: list[list[arb]]) -> list[list[arb]]:
    """Gram-Schmidt: the orthonormal factor of a matrix given by its columns, with a positive diagonal of the other one."""
    out: list[list[arb]] = []
    for column in columns:
        rest = column
        for done in out:
            along = _dot(done, column)
            rest = [x - along * y for x, y in zip(rest, done, strict=True)]
        out.append(_unit(rest))
    return out


def _unit(vector: list[arb]) -> list[arb]:
    square = _dot(vector, vector)
    if not square > 0:
        raise ValueError(
            "a vector without a direction: a record is zero or equals the mean, or the columns are dependent"
        )
    length = square.sqrt()
    return [x / length for x in vector]


def _dot(a: list[arb], b: list[arb]) -> arb:
    return sum((x * y for x, y in zip(a, b, strict=True)), arb(0))


def _vector(numbers: Sequence[str], length: int) -> list[arb]:
    if len(numbers) != length:
        raise ValueError(f"expected {length} numbers, got {len(numbers)}")
    return [ball(x) for x in numbers]
