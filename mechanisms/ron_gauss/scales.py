"""L1 sensitivities of the mean and of second-moment matrices of records in the unit ball, as printed and as needed.

Each is n times that of the average where n is public ("replace-one": one record u becomes v), and that of the sum for
"add-or-remove" (one record u comes or goes).  Chanyaswad, Liu, Mittal (2019) print lemmas 2, 4 and 5 for "replace-one"
and for noise on all entries of the matrix.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import ceil
from typing import Any

import numpy as np
import sympy as sp
from scipy import optimize

from ...symbolic.domains.adjacency import one_record
from ...symbolic.proof.enclosure import compare, rational
from ...symbolic.proof.truth import Truth
from ...symbolic.sensitivity.moments import augmented_second_moment_sensitivity, second_moment_sensitivity
from ..additive import positive, whole
from ..covariance import l1_sensitivity

ENGINE_LIMIT = 20  # beyond, enclosing takes long and Cauchy-Schwarz is close


def printed_mean(m: int) -> sp.Expr:
    """n times the L1 sensitivity of the mean of unit records in R^m as lemma 2 prints it, 2 sqrt(m): right."""
    return 2 * sp.sqrt(whole("m", m))


def printed_covariance(p: int) -> sp.Expr:
    """n times the L1 sensitivity of the second moments (p, p) as lemma 4 prints it, 2 sqrt(p): too small for p > 2."""
    return 2 * sp.sqrt(whole("p", p))


def printed_augmented(p: int, a: float) -> sp.Expr:
    """n times the L1 sensitivity of the second moments of (x, y), |y| <= a, as lemma 5 prints it."""
    bound = rational(positive("label_bound", a, "the largest absolute label"))
    root = sp.sqrt(whole("p", p))
    return 2 * root + 4 * bound * root + bound**2


def needed_mean(m: int, adjacency: str = "replace-one") -> sp.Expr:
    """The largest |u - v|_1, or |u|_1, of unit records in R^m: attained by constant ones."""
    one = sp.sqrt(whole("m", m))
    return one if one_record(adjacency).resizes else 2 * one


def needed_covariance(p: int, adjacency: str = "replace-one", symmetric: bool = False) -> sp.Expr:
    """A bound of |uu' - vv'|_1, or of |uu'|_1, over the unit ball of R^p; `symmetric` counts the upper triangle only."""
    size = whole("p", p)
    if one_record(adjacency).resizes:
        return sp.Rational(size + 1, 2) if symmetric else sp.Integer(size)
    return _lesser(closed_covariance(size, symmetric), size, None, bool(symmetric))


def needed_augmented(p: int, a: float, adjacency: str = "replace-one", symmetric: bool = False) -> sp.Expr:
    """The same for ww' with w = (u, y), u in the unit ball of R^p and |y| <= a."""
    size, bound = whole("p", p), rational(positive("label_bound", a, "the largest absolute label"))
    if one_record(adjacency).resizes:
        total = (sp.sqrt(size) + bound) ** 2
        # The triangle holds half of the entries and half of the diagonal, whose trace is at most 1 + a^2.
        return (total + 1 + bound**2) / 2 if symmetric else total
    return _lesser(closed_augmented(size, bound, symmetric), size, bound, bool(symmetric))


def closed_covariance(p: int, symmetric: bool) -> sp.Expr:
    """The bound by Cauchy-Schwarz for "replace-one", attained for even p on all entries."""
    return sp.Integer(1) if p == 1 else l1_sensitivity(p, 1, symmetric)


def closed_augmented(p: int, a: sp.Rational, symmetric: bool) -> sp.Expr:
    """The bound by Cauchy-Schwarz with a label, `label_weight` chosen."""
    s = label_weight(p, a, symmetric)
    return sp.sqrt(2 * weight_sum(p, s, symmetric)) * (1 + s * a**2)


def certified(p: int, a: sp.Rational | None, symmetric: bool) -> sp.Rational:
    """The sensitivity engine's upper end for "replace-one", rounded up to twelve decimals; `a` None: without label."""
    if a is None:
        found = second_moment_sensitivity(p, symmetric=symmetric)
    else:
        found = augmented_second_moment_sensitivity(p, Fraction(int(a.p), int(a.q)), symmetric=symmetric)
    return sp.Rational(ceil(found.at_most() * 10**12), 10**12)


@cache
def _lesser(closed: sp.Expr, p: int, a: sp.Rational | None, symmetric: bool) -> sp.Expr:
    """The closed bound, or the engine's where that is certainly smaller."""
    # A record of one number without a label has its bound attained.
    if p > ENGINE_LIMIT or (p == 1 and a is None):
        return closed
    engine = certified(p, a, symmetric)
    return engine if compare(engine, "<", closed) is Truth.HOLDS else closed


def label_weight(p: int, a: sp.Rational, symmetric: bool) -> sp.Rational:
    """s > 0 such that w scaled to (u, sqrt(s) y) gives the smallest bound, about: every s > 0 gives one.

    With d the entries of the scaled difference, the distance is at most sum c d / (scales) <= sqrt(weight_sum) |d|_2, and
    |d|_2 <= sqrt 2 (1 + s a^2), the largest squared length.
    """
    # About: all entries have their optimum at 1/(a sqrt(p)), where the bound is sqrt 2 (sqrt(p) + a)^2.
    centre = 1 / (float(a) * p**0.5)

    def bound(log_s: float) -> float:
        s = centre * float(np.exp(log_s))
        return float(np.log(float(weight_sum(p, s, symmetric))) / 2 + np.log1p(s * float(a) ** 2))

    best = optimize.minimize_scalar(bound, bounds=(-6.0, 6.0), method="bounded", options={"xatol": 1e-9})
    digits = f"{centre * float(np.exp(best.x)):.9g}"
    return sp.Rational(digits)


def weight_sum(p: int, s: Any, symmetric: bool) -> Any:
    """Sum of squared weights of all (p + 1)^2 entries: 1 each, or 1/2 off the diagonal, over the scales 1 and sqrt(s)."""
    off = sp.Rational(1, 4) if symmetric else sp.Integer(1)
    return p + p * (p - 1) * off + 2 * p * off / s + 1 / s**2
