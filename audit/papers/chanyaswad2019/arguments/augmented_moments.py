"""The second moments of projected records with a bounded label as a further coordinate: sensitivity, loss, bias."""

from __future__ import annotations

from functools import cache
from typing import Literal

import sympy as sp

from .....symbolic.proof import as_written as written
from .....symbolic.proof.derivation import Step
from .....symbolic.proof.enclosure import sign
from .....symbolic.proof.trace import cauchy_schwarz
from .....symbolic.proof.truth import Truth
from .....symbolic.sensitivity.sign_matrices import N, P
from ....dossier.formula import Argument, Formula, argued
from ....record.evidence import Line, Series
from .centred_moments import centred_steps
from .released_moments import (
    BOUND,
    EPS_COVARIANCE,
    LAPLACE,
    NEEDED,
    NEEDED_LABELS,
    NEIGHBOURS,
    PRINTED_LABELS,
    ROOT2,
    UNIT,
    K,
    exact_even,
    loss,
    moment_steps,
)


@cache
def label_steps(bound: sp.Expr) -> tuple[Step, ...]:
    """The three blocks of the augmented second moments: sqrt(2) p, 4 a sqrt(p) and a^2, together within n times `bound`."""
    y, z, s = sp.symbols("y z s", nonnegative=True)
    inside = y / (1 + s)
    return (
        *moment_steps(NEEDED),
        cauchy_schwarz(
            P, "Cauchy-Schwarz over p entries: |x|_1 <= sqrt(p) |x|, so 2 |x y - x' y'|_1 <= 4 a sqrt(p)"
        ),
        Step(y**2 - inside**2, "<=", y**2, "two squares in [0, a^2] differ by at most a^2 (y = a here)"),
        Step(
            written.product(2, written.total(z * sp.sqrt(P), z * sp.sqrt(P))),
            "=",
            4 * z * sp.sqrt(P),
            "the block stands twice, |y| <= z",
        ),
        Step(
            written.total(ROOT2 * P, 4 * BOUND * sp.sqrt(P), BOUND**2),
            "<=",
            written.product(N, bound),
            "the three bounds, added, are within the claimed sensitivity",
        ),
    )


def _far_with_label(p: sp.Expr) -> sp.Expr:
    """n times the distance of the augmented moments of (u, a) and (v, 0), u and v the farthest pair: |u|_1 = sqrt(p) cos(pi/8)."""
    u = (
        sp.Matrix([sp.sqrt(2 + ROOT2), sp.sqrt(2 - ROOT2)]) / 2
    )  # weights of the two blocks: cos(pi/8), sin(pi/8)
    return exact_even(p) + 2 * BOUND * sp.sqrt(p / 2) * (u[0] + u[1]) + BOUND**2


def labelled_loss(scale: sp.Expr) -> Formula:
    """The same with labels in [-a, a]: the farthest pair of features with the labels a and 0 on the left."""
    served = sp.simplify(scale * EPS_COVARIANCE)

    return Formula(
        loss(_far_with_label(2 * K) / N, scale.subs(P, 2 * K)),
        "<=",
        EPS_COVARIANCE,
        argument=argued(*label_steps(served), lemmas=(NEIGHBOURS, LAPLACE)),
    )


def labelled_sensitivity(printed: sp.Expr) -> Formula:
    """n times the distance of the augmented moments of the farthest pair of features with the labels a and 0, against n times the bound."""

    return Formula(
        _far_with_label(2 * K),
        "<=",
        sp.expand(N * printed.subs(P, 2 * K)),
        argument=argued(*label_steps(printed), lemmas=(NEIGHBOURS,)),
        series=(sensitivity_figure(),),
    )


def scale_without_labels(labelled: sp.Expr, plain: sp.Expr) -> Formula:
    """n times the sensitivity with labels in [-0, 0] against that without labels, both as given."""
    without = written.value_at(labelled, {BOUND: 0})
    return Formula(written.product(N, without), "=", sp.expand(N * plain))


def unbiased_saving_with_labels(factor: sp.Expr) -> Formula:
    """The same with labels at p = 1: 4 (1 + a)^2/n against (1 + a)^2/n, both attained by (1, a) and the origin or its negative."""
    x, y = sp.symbols("x y", nonnegative=True)
    a = sp.Symbol("a", positive=True)
    one = (1 + a) ** 2
    u, v = 1 / (1 + x), a / (1 + y)
    steps = (
        *centred_steps(),
        Step(
            u**2 + 2 * u * v + v**2,
            "=",
            (u + v) ** 2,
            "the absolute entries of zz' add up to |z|_1^2, z = (x, y)",
        ),
        Step(u + v, "<=", 1 + a, "|z|_1 <= 1 + a"),
        # Signs (+, +; +, +): spread of (x + y)^2.  Signs (+, +; +, -): x^2 + 2xy - y^2 between its extremes.
        Step(1 + 2 * v - v**2, "<=", sp.Integer(2), "largest of x^2 + 2xy - y^2, attained at y = 1"),
        Step((1 + 2 * a - a**2) + 2 * a**2, "=", one, "a <= 1: largest at (1, a), smallest at (-a, a)"),
        Step(2 - (1 - 2 * a - a**2), "=", one, "a >= 1: largest at (1, 1), smallest at (-1, a)"),
    )
    moved = written.total(written.difference(1, -1), written.difference(a, -a))
    return Formula(
        written.quotient(written.power(moved, 2) / N, one / N),
        "=",
        factor,
        argument=argued(*steps, lemmas=(NEIGHBOURS,)),
    )


def cross_bias() -> Formula:
    """E x y minus the covariance, for the equally likely points (b + s, c + t) and (b - s, c - t), against b c."""
    b, c, s, t = sp.symbols("b c s t", positive=True)
    moment = ((b + s) * (c + t) + (b - s) * (c - t)) / 2
    return Formula(written.difference(moment, s * t), "=", b * c)


def jointly_bounded(factor: sp.Expr = UNIT) -> Formula:
    """n times the distance of the same pair against sqrt(2) (sqrt(p) + a)^2, which bounds the sensitivity for every p as well."""
    left, right = _by_root(_far_with_label(2 * K)), factor * sp.expand(ROOT2 * (_ROOT + BOUND) ** 2)
    return Formula(left, "<=", right, argument=_term_by_term(*joint_steps()))


def unbiased_saving_with_labels_everywhere() -> Formula:
    """Every p: with all others at -z, z = (1, ..., 1)/sqrt(p) with the label a, replaced by -z, moves the unbiased one by 4 |z|_1^2/n.

    That is 2 sqrt(2) times the joint bound on the plain one.
    """
    apart = 4 * (P / sp.sqrt(P) + BOUND) ** 2 / N
    joint = ROOT2 * (sp.sqrt(P) + BOUND) ** 2 / N
    steps = argued(*centred_steps(), *joint_steps(), lemmas=(NEIGHBOURS,))
    return Formula(written.quotient(apart, joint), "=", 2 * ROOT2, argument=steps)


@cache
def joint_steps() -> tuple[Step, ...]:
    """Weighted Cauchy-Schwarz: |D|_1 <= (sum q_i) |D^|_F with D^_ij = D_ij/sqrt(q_i q_j), q = 1/sqrt(p) for features and a for the label.

    D^ is a difference of products of vectors whose squared length is at most sqrt(p) + a.
    """
    s, t, y = sp.symbols("s t y", nonnegative=True)
    a = sp.Symbol("a", positive=True)
    weight, total, weights = 1 / sp.sqrt(P), sp.sqrt(P) + a, sp.Symbol("q", positive=True)
    long = 1 / (1 + s) / weight + (a / (1 + y)) ** 2 / a
    return (
        cauchy_schwarz(
            weights**2,
            "Cauchy-Schwarz: e the roots of q_i q_j, |e| = q = sum q_i, d the absolute entries of D^",
        ),
        Step(
            written.total(sp.Sum(weight, (sp.Symbol("i", integer=True), 1, P)), a),
            "=",
            total,
            "the sum of the weights",
        ),
        Step(
            long, "<=", total, "the squared length of a weighted record with its label, |x|^2 <= 1, |y| <= a"
        ),
        Step(
            1 / (1 + s) ** 2 + 1 / (1 + t) ** 2,
            "<=",
            sp.Integer(2),
            "|uu' - vv'|_F <= sqrt(2) for lengths of at most one",
        ),
    )


def printed_too_small(slope: sp.Expr, offset: sp.Expr) -> Formula:
    """n times the printed bound against that distance over sqrt(p), where a = slope r - offset - t, r = sqrt(p), t >= 0."""
    t = sp.Symbol("t", nonnegative=True)
    sides = (N * PRINTED_LABELS.subs(P, 2 * K), _far_with_label(2 * K))
    # The square of a stands on both sides.
    left, right = (
        sp.expand(sp.expand(_by_root(side) - BOUND**2).subs(BOUND, slope * _ROOT - offset - t) / _ROOT)
        for side in sides
    )
    return Formula(left, "<=", right, argument=_term_by_term())


_ROOT = sp.Symbol("r", positive=True)  # the root of p = 2k


def _by_root(expression: sp.Expr) -> sp.Expr:
    return sp.expand(expression.subs(K, _ROOT**2 / 2))


def _term_by_term(*steps: Step) -> Argument:
    """`left <= right` for polynomials in positive symbols, as no coefficient of the difference is negative."""
    return argued(
        *steps, reason="no coefficient of the difference is negative", how=coefficients, lemmas=(NEIGHBOURS,)
    )


def coefficients(left: sp.Expr, right: sp.Expr) -> Truth:
    """HOLDS if right - left is a polynomial in nonnegative symbols whose coefficients are certainly not negative."""
    difference = sp.expand(right - left)
    symbols = sorted(difference.free_symbols, key=lambda s: s.name)
    if not all(s.is_nonnegative for s in symbols) or not difference.is_polynomial(*symbols):
        return Truth.UNKNOWN
    signs = [sign(c) for c in sp.Poly(difference, *symbols).coeffs()] if symbols else [sign(difference)]
    return Truth.HOLDS if all(s in (0, 1) for s in signs) else Truth.UNKNOWN


def sensitivity_figure(p: int = 16) -> Series:
    """n times the sensitivity with labels against a: as printed, as derived, and of the pair with labels a and 0."""
    x = tuple(i / 10 for i in range(41))

    def line(name: str, role: Literal["claimed", "bound", "attack"], value: sp.Expr) -> Line:
        at = sp.lambdify(BOUND, value.subs({P: p, K: p // 2}), "math")
        return Line(name, role, x, tuple(float(at(a)) for a in x))

    return Series(
        "sensitivity with labels",
        f"L1 sensitivity of the augmented covariance, p = {p}",
        "bound a on the labels",
        "n times the sensitivity",
        (
            line("printed", "claimed", N * PRINTED_LABELS),
            line("sqrt(2) p + 4 a sqrt(p) + a^2", "bound", N * NEEDED_LABELS),
            line("sqrt(2) (sqrt(p) + a)^2", "bound", ROOT2 * (sp.sqrt(P) + BOUND) ** 2),
            line("farthest features, labels a and 0", "attack", _far_with_label(2 * K)),
        ),
    )
