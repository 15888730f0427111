"""What can be said where the Cramer-Rao bound does not apply: Chapman-Robbins, and two-point bounds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import mpmath  # type: ignore[import-untyped]
import numpy as np
import sympy as sp

from ..laws.chart import expectation
from ..laws.law import Law, exact
from ..laws.quadrature import LEVELS
from ..proof.derivation import Derivation, Step
from ..proof.enclosure import admits, is_zero, sign
from ..proof.truth import Truth
from .error_bounds import LowerBound
from .lawfulness import lawful
from .regularity import breakpoints

CHAPMAN_ROBBINS = "Chapman-Robbins inequality (Chapman and Robbins 1951, Ann. Math. Statist. 22(4))"
TWO_POINT = "a maximum over two points is at least the Bayes risk of their uniform prior (Tsybakov 2009, 2.4)"
HELLINGER = (
    "1 - TV(P^n, Q^n) >= 1 - sqrt(1 - rho^(2n)), rho the Hellinger affinity (Tsybakov 2009, 2.4, lemma 2.3)"
)
SHIFTS = tuple(sp.Rational(k, 32) for k in range(1, 32))


def chapman_robbins(
    law: Law,
    parameter: sp.Symbol,
    at: Any,
    shifts: Sequence[Any] | None = None,
    records: int = 1,
) -> LowerBound:
    """sup_h h^2 / ((1 + chi2(P_{t+h}, P_t))^n - 1) over the given h, for unbiased estimators from n records.

    Needs P_{t+h} << P_t: the support must not grow from t to t + h; shifts where it does are left out.
    By default h runs through multiples of 1/32 of |t| (of 1, if t = 0) in both directions.
    """
    centre, n = exact(at, "at"), checked_records(records)
    reach = abs(centre) if centre != 0 else sp.Integer(1)
    tried = (
        [s * reach * q for q in SHIFTS for s in (1, -1)]
        if shifts is None
        else [exact(h, "shift") for h in shifts]
    )
    base = lawful(law, {parameter: centre})
    base.ends()
    best: tuple[sp.Expr, sp.Expr, Law] | None = None
    for h in tried:
        moved = admissible(law, parameter, centre + h)
        if h == 0 or moved is None or not _nested(moved, base):
            continue
        second, _ = overlap_of(moved, base, lambda p, q: p**2 / q)
        if second.is_finite is False or second <= 1:
            continue
        value = h**2 / (second**n - 1)
        if best is None or float(value) > float(best[0]):
            best = value, h, moved
    if best is None:
        reason = "Chapman-Robbins does not apply: no shift keeps the support inside that at the parameter, and a ratio of densities integrable"
        return LowerBound(None, "unknown", reason, Derivation(reason, ()))
    value, h, moved = best
    step = overlap_step(
        moved,
        base,
        lambda p, q: p**2 / q,
        (h**2 / value + 1) ** sp.Rational(1, n),
        f"1 + chi-square at h = {h}",
    )
    reason = f"Chapman-Robbins at h = {h}"
    return LowerBound(value, "bound", reason, Derivation(reason, (step,), (CHAPMAN_ROBBINS,)))


def hellinger(law: Law, parameter: sp.Symbol, at: tuple[Any, Any], records: int = 1) -> LowerBound:
    """(d^2 / 4)(1 - sqrt(1 - rho^(2n))), rho = int sqrt(p q), from n records at two points at distance d.

    A lower bound on the minimax mean squared error over every set that holds both points, for all estimators.
    """
    first, second = (exact(t, "at") for t in at)
    n = checked_records(records)
    p, q = lawful(law, {parameter: first}), lawful(law, {parameter: second})
    rho, _ = overlap_of(p, q, lambda f, g: sp.sqrt(f * g))
    value = (second - first) ** 2 / 4 * (1 - sp.sqrt(1 - rho ** (2 * n)))
    value = value if rho.is_Rational else sp.simplify(value)
    step = overlap_step(p, q, lambda f, g: sp.sqrt(f * g), rho, f"Hellinger affinity at {first} and {second}")
    reason = f"Hellinger bound between {first} and {second} from {n} records"
    return LowerBound(value, "bound", reason, Derivation(reason, (step,), (TWO_POINT, HELLINGER)))


def checked_records(records: int) -> int:
    if not isinstance(records, int) or records < 1:
        raise ValueError(f"records must be an integer >= 1, got {records!r}")
    return records


def admissible(law: Law, parameter: sp.Symbol, value: sp.Expr) -> Law | None:
    """The law at the value, None if the value breaks what the symbol was declared to be, or is that of no law."""
    if not admits(parameter, value):
        return None
    try:
        return lawful(law, {parameter: value})
    except ValueError:
        return None


def _nested(inner: Law, outer: Law) -> bool:
    gaps = [inner.support[0] - outer.support[0], outer.support[1] - inner.support[1]]
    return all(g is sp.nan or g.is_infinite or sign(g) in (0, 1) for g in gaps)


def _both_supports(p: Law, q: Law) -> tuple[sp.Expr, sp.Expr] | None:
    lower, upper = sp.Max(p.support[0], q.support[0]), sp.Min(p.support[1], q.support[1])
    return (lower, upper) if float(lower) < float(upper) else None


def overlap_of(p: Law, q: Law, kernel: Callable[[sp.Expr, sp.Expr], sp.Expr]) -> tuple[sp.Expr, bool]:
    """The integral of kernel(p, q) over the common support, and whether it is exact (else tanh-sinh)."""
    if p.discrete or q.discrete:
        raise ValueError("these bounds expect laws with densities")
    common = _both_supports(p, q)
    if common is None:
        return sp.Integer(0), True
    integrand = kernel(p.density, q.density)
    simple = sp.simplify(integrand) if not integrand.has(sp.Abs, sp.Piecewise, sp.Integral) else integrand
    value = expectation(simple, sp.Integer(1), p.variable, common, ())
    if value is not None:
        return value, True
    inner = [b for law in (p, q) for b in breakpoints(law) or ()]
    levels = np.array(LEVELS)
    near = [float(x) for law in (p, q) for x in law.quantile(levels)] + [float(b) for b in inner]
    low, high = float(common[0]), float(common[1])
    function = sp.lambdify(p.variable, integrand, modules="mpmath")
    with mpmath.workdps(25):
        points = [mpmath.mpf(low), *sorted({mpmath.mpf(x) for x in near if low < x < high}), mpmath.mpf(high)]
        try:
            pieces = [mpmath.quad(function, [a, b]) for a, b in pairwise(points) if b > a]
        except ZeroDivisionError:  # where a density in a denominator vanishes
            return sp.oo, False
        return sp.Float(str(mpmath.nstr(mpmath.fsum(pieces), 18)), 17), False


def overlap_step(
    p: Law, q: Law, kernel: Callable[[sp.Expr, sp.Expr], sp.Expr], value: sp.Expr, reason: str
) -> Step:
    """The integral as a step: proved anew where it is exact, unknown where it was a quadrature."""
    ends = _both_supports(p, q)
    integrand = kernel(p.density, q.density)
    left = sp.Integral(integrand, (p.variable, *ends)) if ends is not None else sp.Integer(0)

    def check(_: sp.Expr, right: sp.Expr) -> Truth:
        again, known = overlap_of(p, q, kernel)
        return is_zero(again - right) if known else Truth.UNKNOWN

    return Step(left, "=", sp.simplify(value), reason, check)
