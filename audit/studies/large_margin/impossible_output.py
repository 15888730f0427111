"""One output of the printed mechanism, in rational numbers, that a neighbour of its data set cannot have: epsilon is infinite.

Two classes, one feature.  Phi_1 = u u' and Phi_2 = v v' minimise the perturbed objective for noise b; all noises near b give
outputs near it.  Under the neighbour u'(G_1 - G_2)v = 0 fails, whatever the noise.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from ...record.witness import Witness, register

Vector = tuple[Fraction, Fraction]
Record = tuple[Fraction, int]


@register("output of one data set only")
def evaluate(witness: Witness) -> tuple[bool, str]:
    """Whether the output is certainly the only minimiser for one data set and some noise, and never one for the other.

    The checks, all in rational arithmetic: u, v independent; u'Gv = 0, u'Gu < 0 < v'Gv for G = G_1 = -G_2, so that
    M u = -G u, M v = G v define a positive definite M, and both slopes M + G_c are positive semidefinite of rank 1.  Any other
    minimiser has the same slopes, so it is (a u u', c v v'); leads on the parabola of the loss are the same, too, and give a = c = 1.
    The minimiser being unique, near noises have near minimisers: an open set of noises, of positive probability, leads to
    outputs with u'G'v != 0.
    """
    width, price = Fraction(witness["width"]), Fraction(witness["price"])
    one, two = (_records(witness[k]) for k in ("records", "neighbour"))
    u, v = (tuple(Fraction(x) for x in root) for root in witness["roots"])
    if not (width > 0 and price > 0 and len(u) == len(v) == 2 and len(one) == len(two)):
        raise ValueError(
            "expected a width > 0, a price > 0, two roots of two numbers and data sets of one size"
        )
    if sum(r != s for r, s in zip(one, two, strict=True)) != 1:
        return False, "the data sets do not differ in exactly one record"
    if any(abs(x) > 1 for x, _ in (*one, *two)):
        return False, "a record lies outside the unit ball"
    if u[0] * v[1] == u[1] * v[0]:
        return False, "the roots are dependent"
    g = _gradient(one, u, v, width)
    uu, uv, vv = (_form(g, *pair) for pair in ((u, u), (u, v), (v, v)))
    if not (uv == 0 and uu < 0 < vv):
        return False, "the output does not minimise any perturbed objective of the first data set"
    if not _unique(one, u, v, width):
        return False, "the minimiser is not shown to be unique"
    other = _form(_gradient(two, u, v, width), u, v)
    if other == 0:
        return False, "the neighbour may have this output, too"
    m = _noise_form(u, v, -uu, vv)
    return True, (
        f"output Phi_1 = uu', Phi_2 = vv' with u = {_shown(u)}, v = {_shown(v)}: the only minimiser for the first data set with "
        f"lambda I + b = {[[str(e) for e in row] for row in m]} (lambda = {price}), and u'(G_1 - G_2)v = {2 * other}, not 0, "
        "under its neighbour, for every noise"
    )


def _records(rows: Sequence[Sequence[Any]]) -> list[Record]:
    out = [(Fraction(x), int(y)) for x, y in rows]
    if any(y not in (0, 1) for _, y in out):
        raise ValueError("classes are 0 and 1")
    return out


def _lead(x: Fraction, label: int, u: Vector, v: Vector) -> Fraction:
    """x'(Phi_other - Phi_own) x of the extended record."""
    gap = (v[0] * x + v[1]) ** 2 - (u[0] * x + u[1]) ** 2
    return gap if label == 0 else -gap


def _weight(lead: Fraction, width: Fraction) -> Fraction:
    return min(Fraction(1), max(Fraction(0), (width - lead) / (2 * width)))


def _gradient(
    records: Sequence[Record], u: Vector, v: Vector, width: Fraction
) -> tuple[Fraction, Fraction, Fraction]:
    """G_1 = -G_2 as (first entry, entry beside, corner)."""
    terms = [((1 if y == 0 else -1) * _weight(_lead(x, y, u, v), width), x) for x, y in records]
    return (
        sum((w * x * x for w, x in terms), Fraction(0)),
        sum((w * x for w, x in terms), Fraction(0)),
        sum((w for w, _ in terms), Fraction(0)),
    )


def _form(g: tuple[Fraction, Fraction, Fraction], a: Vector, b: Vector) -> Fraction:
    return g[0] * a[0] * b[0] + g[1] * (a[0] * b[1] + a[1] * b[0]) + g[2] * a[1] * b[1]


def _unique(records: Sequence[Record], u: Vector, v: Vector, width: Fraction) -> bool:
    """Whether weights strictly inside (0, 1) determine a and c in (a u u', c v v').

    Two minimisers have one gradient, and each record's loss is affine between them: on the parabola the lead itself is the
    same.  So c (v'z)^2 - a (u'z)^2 is known for those records; two of them with a nonzero determinant are enough.
    """
    rows = [
        ((u[0] * x + u[1]) ** 2, (v[0] * x + v[1]) ** 2)
        for x, y in records
        if 0 < _weight(_lead(x, y, u, v), width) < 1
    ]
    return any(a[0] * b[1] != a[1] * b[0] for a in rows for b in rows)


def _noise_form(u: Vector, v: Vector, uu: Fraction, vv: Fraction) -> list[list[Fraction]]:
    """The matrix M with u'Mu = uu, v'Mv = vv and u'Mv = 0: a sum of squares of the dual basis."""
    det = u[0] * v[1] - u[1] * v[0]
    p, q = (v[1] / det, -v[0] / det), (-u[1] / det, u[0] / det)
    return [[uu * p[i] * p[j] + vv * q[i] * q[j] for j in range(2)] for i in range(2)]


def _shown(v: Vector) -> str:
    return f"({v[0]}, {v[1]})"
