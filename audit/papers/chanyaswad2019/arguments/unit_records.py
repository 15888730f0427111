"""Records scaled to unit length, centred by a released mean and scaled again, and what such records give away."""

from __future__ import annotations

import sympy as sp

from .....symbolic.proof.as_written import difference, power, product, quotient, total
from .....symbolic.proof.derivation import Step
from .....symbolic.proof.trace import Column, Trace, gram, identity
from .....symbolic.sensitivity.sign_matrices import N
from ....dossier.arguments.bounds_arguments import cancelled
from ....dossier.formula import Formula, argued

UNIT = sp.Integer(1)
ZERO = sp.Integer(0)
NULL_SET = "a non-zero rational function vanishes on a null set only, and the released mean has a density"


def scaled(nonzero: bool, factor: sp.Expr = UNIT) -> tuple[Formula, Formula]:
    """A record has a length to divide by, and has the printed length afterwards; two entries, the step for every dimension.

    With `nonzero` its first entry is not zero; otherwise it is (r, 0) with r >= 0.
    """
    if nonzero:
        return _length(sp.Symbol("x1", real=True, nonzero=True), sp.Symbol("x2", real=True), factor)
    return _length(sp.Symbol("r", nonnegative=True), ZERO, factor)


def rescaled(apart: bool) -> tuple[Formula, Formula]:
    """The same for a record minus a released mean; with `apart` they differ in the first entry, otherwise by (r, 0), r >= 0."""
    if apart:
        x2, mu2 = sp.symbols("x2 mu2", real=True)
        return _length(sp.Symbol("d1", real=True, nonzero=True), x2 - mu2, UNIT)
    return _length(sp.Symbol("r", nonnegative=True), ZERO, UNIT)


def _length(first: sp.Expr, second: sp.Expr, factor: sp.Expr) -> tuple[Formula, Formula]:
    square = first**2 + second**2
    x, r = Column("x"), sp.Symbol("r", positive=True)
    general = identity(
        gram(x / r), UNIT, "|x/r|^2 = 1 where r = |x| > 0, in every dimension", values={Trace(x.T * x): r**2}
    )
    c, s = sp.symbols("c s", positive=True)
    length = (c / sp.sqrt(c**2 + s**2)) ** 2 + (s / sp.sqrt(c**2 + s**2)) ** 2
    return Formula(square, ">", ZERO), Formula(length, "=", factor, argument=argued(general, how=cancelled))


def certain_difference(relation: str) -> tuple[Formula, Formula]:
    """Centred records 1 and 2 agree under X, which has them equal; their squared distance under X', where record 1 is another.

    Whatever the noise was: the released mean drops out.  Two entries.
    """
    x, mu, gap = (sp.Matrix(sp.symbols(f"{n}1 {n}2", real=True)) for n in ("x", "mu", "g"))
    step = sp.Symbol("d1", real=True, nonzero=True)
    other = x + sp.Matrix([step, gap[1]])

    def apart(first: sp.Matrix) -> sp.Expr:
        pairs = zip(first - mu, x - mu, strict=True)
        return total(*(power(difference(one, two), 2) for one, two in pairs))

    return Formula(apart(x), "=", ZERO), Formula(apart(other), relation, ZERO)


def projected_difference(relation: str) -> tuple[Formula, Formula]:
    """The same after scaling and projection: the mean over uniform W of the squared distance, m/(m + k) |u - v|^2 for unit vectors u, v and m of m + k dimensions.

    u and v have slopes t and t + d, d not zero: centred records point elsewhere, but for a null set of released means.
    """
    m, k = sp.symbols("m k", integer=True, positive=True)
    t = sp.Symbol("t", real=True)
    d = sp.Symbol("d", real=True, nonzero=True)

    def unit(slope: sp.Expr) -> sp.Matrix:
        return sp.Matrix([1 - slope**2, 2 * slope]) / (1 + slope**2)

    def apart(other: sp.Expr) -> sp.Expr:
        pairs = zip(unit(t), unit(other), strict=True)
        return total(*(power(difference(one, two), 2) for one, two in pairs))

    squared = 4 * d**2 / ((1 + t**2) * (1 + (t + d) ** 2))
    distance = Step(
        apart(t + d), "=", squared, "the squared distance of two unit vectors of these slopes", cancelled
    )
    return (
        Formula(apart(t), "=", ZERO),
        Formula(squared * m / (m + k), relation, ZERO, argument=argued(distance, lemmas=(NULL_SET,))),
    )


def centred_alike(share: sp.Expr) -> tuple[Formula, Formula]:
    """How far apart centring puts a record that both data sets have, and the two means before noise; the first records differ by d.

    `share` is 0 where both are centred by one released value, 1 where each is centred by its own mean (and the same noise).
    """
    y, z, rest, x = sp.symbols("y z r x", real=True)
    d = sp.Symbol("d", real=True, nonzero=True)
    here, there = (
        difference(y, (rest + x + changed) / N + z) for changed in (product(0, d), product(share, d))
    )
    p, q, p1, q1 = sp.symbols("p q p1 q1", positive=True)
    adaptive = Step(
        quotient(product(p, q), product(p1, q1)),
        "=",
        product(quotient(p, p1), quotient(q, q1)),
        "joint density of the mean and of what is computed from it: the second ratio is taken at one released value",
    )
    moved = Formula(power(difference(here, there), 2), "=", ZERO, argument=argued(adaptive))
    return moved, Formula(difference(there, here), "=", ZERO)
