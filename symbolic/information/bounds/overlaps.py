"""Integrals of products of powers of one family's densities at several parameters: what bounds on points are made of.

In a family that is closed under such products the integral is one of its own normalisations; finite sums are added up; all else
is enclosed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import sympy as sp
from flint import arb, ctx

from ...laws.countable import CountableLaw
from ...laws.enclosed_expectation import enclosed_expectation
from ...laws.finite import DiscreteLaw
from ...laws.law import Law, simplified
from ...proof.as_written import power as raised
from ...proof.as_written import product as times
from ...proof.as_written import quotient, value_at
from ...proof.as_written import total as total_of
from ...proof.derivation import Step
from ...proof.enclosure import enclose, is_zero, sign
from ...proof.truth import Truth
from ..exponential_family import _expanded
from ..fisher import mass_step
from .form import Quantity

Place = Mapping[sp.Symbol, sp.Expr]
_MOST_TERMS, _DIGITS = 400, 640


@dataclass(frozen=True)
class Overlap:
    """The integral and the steps that show it; `finite` is False where it certainly diverges or does not exist."""

    quantity: Quantity
    steps: tuple[Step, ...] = ()


class NotAdmissibleError(ValueError):
    """A point that a bound may not use, with the reason."""


def admitted_place(law: Law, symbols: Sequence[sp.Symbol], place: Place) -> bool:
    """Whether what the symbols were declared to be is known of the values, not only not contradicted; their domains too."""
    for s, low, high in law.domains:
        if s in place and not (_inside(place[s], low, s, 1) and _inside(place[s], high, s, -1)):
            return False
    return all(
        getattr(place[s], f"is_{fact}") is want
        for s in symbols
        for fact, want in s.assumptions0.items()
        if fact in ("positive", "negative", "nonnegative", "nonpositive", "real", "integer", "nonzero")
        and want
    )


def _inside(value: sp.Expr, end: sp.Expr, symbol: sp.Symbol, side: int) -> bool:
    """Whether a value lies on this side of an end; also if it lies farther from it than the parameter itself."""
    if end.is_infinite:
        return True
    gap = sp.factor(side * (value - end))
    further = sp.factor(side * (value - symbol))
    if not gap.free_symbols:
        return sign(gap) == 1
    return bool(gap.is_positive or further.is_nonnegative)


def nested(inner: Law, outer: Law) -> bool:
    """Whether the support of one law certainly lies in that of the other."""
    if isinstance(inner, DiscreteLaw) and isinstance(outer, DiscreteLaw):
        return all(v in outer.values for v in inner.values)
    gaps = [
        (inner.support[0], outer.support[0], outer.support[0] == -sp.oo),
        (outer.support[1], inner.support[1], outer.support[1] is sp.oo),
    ]
    return all(done or _not_below(high, low) for high, low, done in gaps)


def _not_below(high: sp.Expr, low: sp.Expr) -> bool:
    gap = sp.factor(high - low) if high.is_finite and low.is_finite else high - low
    return bool(gap == 0 or gap.is_nonnegative or (not gap.free_symbols and sign(gap) in (0, 1)))


def overlap(
    law: Law, theta: Sequence[sp.Symbol], places: Sequence[Place], powers: Sequence[sp.Expr]
) -> Overlap:
    """The integral of the product of f(y; place)^power, whose powers add up to one.

    The supports with negative powers must contain one of the others.  Raises NotAdmissibleError where none is known.
    """
    merged: dict[tuple[sp.Expr, ...], sp.Expr] = {}
    for place, power in zip(places, powers, strict=True):
        key = tuple(sp.sympify(place[p]) for p in theta)
        merged[key] = merged.get(key, sp.Integer(0)) + power
    used = [(dict(zip(theta, key, strict=True)), w) for key, w in merged.items() if w != 0]
    if len(used) == 1:
        return Overlap(Quantity(sp.Integer(1)))
    laws = [(_moved(law, place), w) for place, w in used]
    if isinstance(law, DiscreteLaw):
        return _summed([(m, w) for m, w in laws if isinstance(m, DiscreteLaw)])
    ends = _common([m for m, w in laws if w.is_positive])
    if ends is None:
        return Overlap(Quantity(sp.Integer(0)))
    product = sp.Mul(*(m.density**w for m, w in laws))
    if isinstance(law, CountableLaw):
        short = _few(product, law.variable, ends)
        if short is not None:
            return short
    closed = _closed(law, theta, used, ends)
    if closed is not None:
        return closed
    if product.free_symbols - {law.variable} or any(e.free_symbols for e in ends):
        raise NotAdmissibleError(
            "the overlap of the densities has no closed form: say at which values with at="
        )
    return _in_a_ball(law, product, ends, laws[0][0])


def _moved(law: Law, place: Place) -> Law:
    return law.map(lambda e: e.subs(dict(place), simultaneous=True))


def _common(laws: Sequence[Law]) -> tuple[sp.Expr, sp.Expr] | None:
    """The intersection of the supports; NotAdmissibleError where their order is not known."""
    lower, upper = laws[0].support
    for law in laws[1:]:
        lower, upper = _larger(lower, law.support[0]), -_larger(-upper, -law.support[1])
    if lower.is_finite and upper.is_finite and not _not_below(upper, lower):
        if sign(upper - lower) == -1:
            return None
        raise NotAdmissibleError("whether the supports meet is not known")
    return None if lower == upper else (lower, upper)


def _larger(a: sp.Expr, b: sp.Expr) -> sp.Expr:
    if a == b or a is sp.oo or b == -sp.oo:
        return a
    if b is sp.oo or a == -sp.oo:
        return b
    if _not_below(a, b):
        return a
    if _not_below(b, a):
        return b
    raise NotAdmissibleError(
        f"which of the ends {a} and {b} is larger is not known: say at which values with at="
    )


def _summed(laws: Sequence[tuple[DiscreteLaw, sp.Expr]]) -> Overlap:
    values = [v for v in laws[0][0].values if all(v in m.values for m, w in laws if w.is_positive)]
    terms = []
    for v in values:
        masses = [(m.probabilities[m.values.index(v)], w) for m, w in laws if v in m.values]
        if any(p == 0 and w.is_positive for p, w in masses):
            continue
        terms.append(sp.Mul(*(p**w for p, w in masses)))
    total = sp.Add(*terms)
    if total.has(sp.zoo, sp.nan, sp.oo):
        raise NotAdmissibleError("an outcome has no mass at the parameter, but has at the point")
    return Overlap(
        Quantity(simplified(total)), (Step(total, "=", simplified(total), "the sum over all outcomes"),)
    )


def _few(product: sp.Expr, y: sp.Symbol, ends: tuple[sp.Expr, sp.Expr]) -> Overlap | None:
    if not all(e.is_Integer for e in ends) or ends[1] - ends[0] > _MOST_TERMS:
        return None
    total = sp.Add(*(product.subs(y, k) for k in range(int(ends[0]), int(ends[1]) + 1)))
    if total.has(sp.zoo, sp.nan, sp.oo):
        raise NotAdmissibleError("an outcome has no mass at the parameter, but has at the point")
    value = simplified(total)
    return Overlap(Quantity(value), (Step(total, "=", value, "the sum over all outcomes"),))


def _closed(
    law: Law, theta: Sequence[sp.Symbol], used: Sequence[tuple[Place, sp.Expr]], ends: tuple[sp.Expr, sp.Expr]
) -> Overlap | None:
    """The integral by the one parameter whose density the product is proportional to; None if there is none."""
    apart = natural(law, theta)
    star = None if apart is None else _star(law, theta, used, ends, apart[0])
    # Between two parameters lies, by continuity, one with each natural parameter between theirs.
    one = apart is not None and len(apart[0]) + sum(e.has(*theta) for e in law.support) == 1
    between = one and len(theta) == 1 and all(w.is_positive for _, w in used)
    if apart is None or star is None or not (between or admitted_place(law, theta, star)):
        return None
    parts, offsets = apart
    steps: list[Step] = []
    for statistic, e in parts.items():
        step = Step(
            total_of(*(times(w, value_at(e, dict(place))) for place, w in used)),
            "=",
            e.subs(dict(star), simultaneous=True),
            f"the factor of {statistic} in the product",
            how=_same_logs,
        )
        if step.check() is not Truth.HOLDS:
            return None
        steps.append(step)
    constant = sp.Mul(
        *(sp.exp(w * term.subs(dict(p), simultaneous=True)) for term in offsets for p, w in used),
        *(sp.exp(-term.subs(dict(star), simultaneous=True)) for term in offsets),
    )
    constant = sp.simplify(constant) if constant.free_symbols else constant
    # With a parameter between two others the law is one as it is at those.
    home, at = (law, "any parameter") if between else (_moved(law, star), said_place(star))
    mass = home.mass()
    if mass.has(sp.Integral, sp.Sum) or is_zero(mass - 1) is not Truth.HOLDS:
        return None
    y = _inner(ends, law.discrete)
    densities = (law.density.subs(dict(p), simultaneous=True).subs(law.variable, y) for p, _ in used)
    powers = [raised(density, w) for density, (_, w) in zip(densities, used, strict=True)]
    there = law.density.subs(dict(star), simultaneous=True).subs(law.variable, y)
    steps += [
        mass_step(home, f"the density at {at} integrates to one", found=mass),
        Step(
            quotient(times(*powers), there),
            "=",
            constant,
            f"the product of the densities is a constant times the density at {said_place(star)}; the constant, found at outcome {y}",
            how=_near,
        ),
    ]
    return Overlap(Quantity(constant), tuple(steps))


def _same_logs(left: sp.Expr, right: sp.Expr) -> Truth:
    """Equality of natural parameters; sums in their logarithms are positive, for the parameters are real."""
    gap = left.doit() - right
    sums = {b for log in gap.atoms(sp.log) for b in _factors(log.args[0]) if b.is_Add and b.free_symbols}
    truth = is_zero(gap) if not sums else Truth.UNKNOWN
    return (
        truth
        if truth is not Truth.UNKNOWN
        else is_zero(sp.expand_log(gap.xreplace({b: sp.Dummy(positive=True) for b in sums})))
    )


def _factors(e: sp.Expr) -> list[sp.Expr]:
    return [f.as_base_exp()[0] for f in sp.Mul.make_args(e)]


def _near(left: sp.Expr, right: sp.Expr) -> Truth:
    """Equality of formulas; of two numbers that balls cannot tell apart at many digits."""
    left = left.doit()
    if left.free_symbols | right.free_symbols:
        return is_zero(left - right)
    with ctx.workprec(_DIGITS):
        gap = enclose(left, bits=_DIGITS) - enclose(right, bits=_DIGITS)
        near = gap.contains(0) and float(gap.rad()) < 1e-100
    return Truth.HOLDS if near else Truth.UNKNOWN if gap.contains(0) else Truth.FAILS


def _mixed(e: sp.Expr, used: Sequence[tuple[Place, sp.Expr]]) -> sp.Expr:
    return sp.Add(*(w * e.subs(dict(p), simultaneous=True) for p, w in used))


def _inner(ends: tuple[sp.Expr, sp.Expr], whole: bool) -> sp.Expr:
    """A point of the support."""
    low, high = ends
    if whole:
        return low if low.is_finite else high if high.is_finite else sp.Integer(0)
    if low.is_finite:
        return (low + high) / 2 if high.is_finite else low + 1
    return high - 1 if high.is_finite else sp.Integer(1)


def said_place(place: Place) -> str:
    return ", ".join(f"{s} = {v}" for s, v in place.items())


def natural(law: Law, theta: Sequence[sp.Symbol]) -> tuple[dict[sp.Expr, sp.Expr], list[sp.Expr]] | None:
    """Statistic -> its natural parameter, and what is left of the log density without the outcome; None if it is no such sum."""
    found: dict[sp.Expr, sp.Expr] = {}
    offsets: list[sp.Expr] = []
    for term in sp.Add.make_args(_expanded(law.log_density())):
        factor, statistic = term.as_independent(law.variable, as_Add=False)
        if statistic.free_symbols & set(theta) or statistic.has(sp.Piecewise):
            return None
        if statistic == 1:
            offsets.append(factor)
        elif factor.has(*theta):
            found[statistic] = found.get(statistic, sp.Integer(0)) + factor
    return {t: e for t, e in found.items() if sp.simplify(e) != 0}, offsets


def _star(
    law: Law,
    theta: Sequence[sp.Symbol],
    used: Sequence[tuple[Place, sp.Expr]],
    ends: tuple[sp.Expr, sp.Expr],
    parts: Mapping[sp.Expr, sp.Expr],
) -> Place | None:
    # The unknown is a symbol of its own: the powers stand at numbers or at the parameters themselves.
    unknown = {p: sp.Dummy(p.name, real=True, **{"positive": True} if p.is_positive else {}) for p in theta}
    wanted = [e.xreplace(unknown) - _mixed(e, used) for e in parts.values()]
    wanted += [a.xreplace(unknown) - b for a, b in zip(law.support, ends, strict=True) if a.has(*theta)]
    try:
        solutions = sp.solve(wanted, list(unknown.values()), dict=True)
    except (NotImplementedError, ValueError, TypeError):
        return None
    if len(solutions) != 1 or set(solutions[0]) != set(unknown.values()):
        return None
    return {p: sp.simplify(solutions[0][unknown[p]]) for p in theta}


def _in_a_ball(law: Law, product: sp.Expr, ends: tuple[sp.Expr, sp.Expr], first: Law) -> Overlap:
    def enclosed(_at: Place, tolerance: float) -> arb:
        return integral_in_a_ball(first, product, ends, tolerance)

    return Overlap(Quantity(None, enclosed))


def integral_in_a_ball(law: Law, integrand: sp.Expr, ends: tuple[sp.Expr, sp.Expr], tolerance: float) -> arb:
    """A ball around the integral between ends inside of the support; on all of the line the law says where its middle is."""
    if ends == (-sp.oo, sp.oo) and not isinstance(law, CountableLaw):
        return enclosed_expectation(law, integrand / law.density, tolerance)
    kind = CountableLaw if isinstance(law, CountableLaw) else Law
    made = kind("an integrand", law.variable, sp.powsimp(integrand), ends, discrete=law.discrete)
    return enclosed_expectation(made, sp.Integer(1), tolerance)
