"""The steps that bound the loss of the joint release: of the mean, the projection, and the matrix with and without labels."""

from __future__ import annotations

import sympy as sp

from ...symbolic.proof.derivation import Step
from ...symbolic.proof.enclosure import compare, rational
from ...symbolic.proof.trace import Column, Letter, Trace, gram, identity
from ...symbolic.proof.truth import Truth
from . import scales

ADAPTIVE = (
    "adaptive composition: the joint density is that of the mean times that of the matrix given the mean, so the losses add, "
    "and the second is bounded given every outcome of the first (Dwork, Roth 2014, theorem B.1)",
)


def mean_steps(m: int) -> tuple[Step, ...]:
    """|u - v|_1 <= 2 sqrt(m) for unit vectors of R^m."""
    u, v, d, w = Column("u"), Column("v"), Column("d"), Column("w")
    above, entries = sp.Symbol("gamma", nonnegative=True), sp.Symbol("m", positive=True)
    one = sp.Integer(1)
    return (
        identity(
            gram(u - v),
            4 - 2 * above,
            "unit records with u'v = -1 + gamma, gamma >= 0",
            values={Trace(u.T * u): one, Trace(v.T * v): one, Trace(u.T * v): above - 1},
        ),
        Step(4 - 2 * above, "<=", sp.Integer(4), "so |u - v|_2 <= 2"),
        identity(
            gram(d - w * w.T * d / entries),
            Trace(d.T * d) - Trace(w.T * d) ** 2 / entries,
            "Cauchy-Schwarz with the absolute entries d of u - v and constant weights w: |d|_1^2 <= m |d|_2^2",
            values={Trace(w.T * w): entries},
        ),
        Step(
            sp.sqrt(4 * sp.Integer(m)), "=", scales.needed_mean(m), "n times the L1 sensitivity of the mean"
        ),
    )


def projection_steps() -> tuple[Step, ...]:
    """Given the mean, neighbours differ in one record of the unit ball."""
    x, W = Column("x"), Letter("W")
    rules: dict[tuple[Letter, ...], sp.Expr] = {(W.T, W): sp.Integer(1)}
    instance = {W: sp.Matrix([[1], [0]]), x: sp.Matrix([sp.Rational(3, 5), sp.Rational(4, 5)])}
    return (
        identity(
            gram(x - W * W.T * x),
            Trace(x.T * x) - gram(W.T * x),
            "given the released mean, a record's centring, normalising and projecting depend on it alone; W'W = I keeps it in the "
            "unit ball: |W'x|^2 = |x|^2 - |x - WW'x|^2 <= 1",
            rules=rules,
            instance=instance,
        ),
    )


def certified_step(sensitivity: sp.Expr, p: int, a: sp.Rational | None, symmetric: bool) -> Step:
    """n times the sensitivity of the matrix by the engine, which encloses it anew when the step is checked."""
    largest = sp.Symbol("S", positive=True)

    def decide(left: sp.Expr, right: sp.Expr) -> Truth:
        answer = compare(left.subs(largest, scales.certified(p, a, symmetric)), "<=", right)
        return answer if answer is Truth.HOLDS else Truth.UNKNOWN  # a bound too large shows nothing

    return Step(
        largest,
        "<=",
        sensitivity,
        "n times the largest L1 distance of the released entries, enclosed by the engine",
        decide,
    )


def label_steps(p: int, a: float, symmetric: bool) -> tuple[Step, ...]:
    """The L1 distance for records with a label: Cauchy-Schwarz as above, on vectors whose label is scaled by sqrt(s)."""
    u, v, d, w = Column("u"), Column("v"), Column("d"), Column("w")
    bound = rational(a)
    s = scales.label_weight(p, bound, symmetric)
    entries = scales.weight_sum(p, s, symmetric)
    longest = 1 + s * bound**2
    first, second = sp.symbols("alpha beta", nonnegative=True)
    one, two = longest / (1 + first), longest / (1 + second)
    c, number, y = sp.Symbol("c", real=True), sp.Symbol("N", positive=True), sp.Symbol("y", real=True)
    missing, short = sp.symbols("r q", nonnegative=True)
    off = sp.Rational(1, 2) if symmetric else sp.Integer(1)
    return (
        identity(
            gram(u) + s * y**2,
            longest - missing - s * short,
            "(x, sqrt(s) y) with |x|^2 = 1 - r, y^2 = a^2 - q",
            values={Trace(u.T * u): 1 - missing, y**2: bound**2 - short},
        ),
        Step(longest - missing - s * short, "<=", longest, "so its squared length is at most 1 + s a^2"),
        identity(
            gram(u * u.T - v * v.T),
            one**2 + two**2 - 2 * c**2,
            "Frobenius norm of the scaled difference D, squared lengths (1 + s a^2)/(1 + alpha) and (1 + s a^2)/(1 + beta)",
            values={Trace(u.T * u): one, Trace(v.T * v): two, Trace(u.T * v): c},
        ),
        Step(one**2 + two**2 - 2 * c**2, "<=", 2 * longest**2, "so |D|_F <= sqrt 2 (1 + s a^2)"),
        Step(
            p + p * (p - 1) * off**2 + 2 * p * (off / sp.sqrt(s)) ** 2 + (1 / s) ** 2,
            "=",
            entries,
            "squared weights of the entries: 1 on the diagonal, "
            + ("1/2" if symmetric else "1")
            + " off it, over the scales 1 and sqrt(s)",
        ),
        identity(
            gram(d - w * w.T * d / number),
            Trace(d.T * d) - Trace(w.T * d) ** 2 / number,
            "Cauchy-Schwarz with the absolute entries d of D and these weights w, N = |w|^2: (w'd)^2 <= N |d|^2",
            values={Trace(w.T * w): number},
        ),
        Step(
            sp.sqrt(entries) * sp.sqrt(2) * longest,
            "=",
            scales.closed_augmented(p, bound, symmetric),
            "n times the L1 distance of the released entries is at most this",
        ),
    )
