"""Rules by which a formula is convex or concave: sums, monotone functions of convex ones, products of powers, perspectives.

Sources: Boyd and Vandenberghe (2004), 3.2; Grant, Boyd and Ye (2006) for the calculus of signs and curvatures.
"""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp

from .lifting import affine
from .quadratic import never_negative
from .region import Region

_DEEPEST = 40


@dataclass(frozen=True)
class Curvature:
    """Whether a formula is known to be convex, and whether it is known to be concave; both for an affine one."""

    convex: bool
    concave: bool
    rule: str = ""

    def times(self, sign: int) -> Curvature:
        """That of the formula times a number of this sign."""
        return self if sign >= 0 else Curvature(self.concave, self.convex, self.rule)


NEITHER, AFFINE = Curvature(False, False), Curvature(True, True, "affine")


def curvature(e: sp.Expr, region: Region, depth: int = 0) -> Curvature:
    """What the rules tell of the formula on the region; NEITHER says that they tell nothing."""
    if affine(e, region.variables):
        return AFFINE
    if depth > _DEEPEST:
        return NEITHER
    for rule in (
        _sum,
        _scaled,
        _extreme,
        _power,
        _odd,
        _exponential,
        _logarithm,
        _entropy,
        _monomial,
        _perspective,
    ):
        found = rule(e, region, depth + 1)
        if found.convex or found.concave:
            return found
    return NEITHER


def _sum(e: sp.Expr, region: Region, depth: int) -> Curvature:
    if isinstance(e, sp.Mul) and e.is_polynomial(*region.variables):
        e = sp.expand(e)
    if not isinstance(e, sp.Add):
        return NEITHER
    parts = [curvature(term, region, depth) for term in e.args]
    if not all(p.convex for p in parts) and not all(p.concave for p in parts):
        whole = sp.expand(e)
        if whole != e and isinstance(whole, sp.Add):
            parts = [curvature(term, region, depth) for term in whole.args]
    rules = dict.fromkeys(p.rule for p in parts if p.rule and p.rule != "affine")
    return Curvature(all(p.convex for p in parts), all(p.concave for p in parts), ", ".join(rules))


def _scaled(e: sp.Expr, region: Region, depth: int) -> Curvature:
    factor, rest = e.as_independent(*region.variables, as_Add=False)
    if factor == 1:
        return NEITHER
    if region.known(factor, "nonnegative"):
        return curvature(rest, region, depth)
    return curvature(rest, region, depth).times(-1) if region.known(-factor, "nonnegative") else NEITHER


def _extreme(e: sp.Expr, region: Region, depth: int) -> Curvature:
    if isinstance(e, sp.Abs):
        inner = curvature(e.args[0], region, depth)
        if inner.convex and inner.concave:
            return Curvature(True, False, "an absolute value of an affine formula")
        if region.known(e.args[0], "nonnegative"):
            return inner
        return inner.times(-1) if region.known(-e.args[0], "nonnegative") else NEITHER
    if not isinstance(e, sp.Max | sp.Min):
        return NEITHER
    parts = [curvature(a, region, depth) for a in e.args]
    if isinstance(e, sp.Max):
        return Curvature(all(p.convex for p in parts), False, "a maximum of convex formulas")
    return Curvature(False, all(p.concave for p in parts), "a minimum of concave formulas")


def _power(e: sp.Expr, region: Region, depth: int) -> Curvature:
    """u^p with a fixed p; a norm is the root of a sum of squares."""
    if not isinstance(e, sp.Pow) or e.exp.free_symbols & set(region.variables):
        return NEITHER
    u, p = e.base, e.exp
    if p == sp.Rational(1, 2) and _is_square_of_norm(u, region):
        return Curvature(True, False, "a Euclidean norm of an affine vector")
    inner = curvature(u, region, depth)
    even = bool(p.is_even and p.is_positive)
    if even and inner.convex and inner.concave:
        return Curvature(True, False, "an even power of an affine formula")
    positive = region.known(u, "positive")
    never_negative = positive or region.known(u, "nonnegative")
    if even and inner.concave and region.known(-u, "nonnegative"):
        return Curvature(True, False, "an even power of a concave formula below zero")
    if never_negative and inner.convex and region.known(p - 1, "nonnegative"):
        return Curvature(True, False, "a power above one of a convex formula above zero")
    if (
        never_negative
        and inner.concave
        and region.known(p, "nonnegative")
        and region.known(1 - p, "nonnegative")
    ):
        return Curvature(False, True, "a power between zero and one of a concave formula")
    if positive and inner.concave and region.known(-p, "nonnegative"):
        return Curvature(True, False, "a negative power of a concave formula above zero")
    return NEITHER


def _odd(e: sp.Expr, region: Region, depth: int) -> Curvature:
    """u^2 |u| and the like, as sympy writes |u|^3."""
    sizes = [f.args[0] for f in sp.Mul.make_args(e) if isinstance(f, sp.Abs)]
    if len(sizes) != 1 or not affine(sizes[0], region.variables):
        return NEITHER
    rest = sp.cancel(e / sp.Abs(sizes[0]))
    fits = isinstance(rest, sp.Pow) and rest.base == sizes[0] and rest.exp.is_even and rest.exp.is_positive
    return Curvature(bool(fits), False, "a power above one of an absolute value")


def _is_square_of_norm(u: sp.Expr, region: Region) -> bool:
    """A sum of squares of affine formulas and constants that are not negative, or a quadratic form that is."""
    terms = sp.Add.make_args(u)
    return all(_is_square(t, region) for t in terms) or never_negative(u, region.variables)


def _is_square(term: sp.Expr, region: Region) -> bool:
    factor, rest = term.as_independent(*region.variables, as_Add=False)
    if not region.known(factor, "nonnegative"):
        return False
    return rest == 1 or (isinstance(rest, sp.Pow) and rest.exp == 2 and affine(rest.base, region.variables))


def _exponential(e: sp.Expr, region: Region, depth: int) -> Curvature:
    """exp(u), or a^u with a fixed positive a."""
    variables = set(region.variables)
    if isinstance(e, sp.exp):
        rate = e.args[0]
    elif isinstance(e, sp.Pow) and not e.base.free_symbols & variables and region.known(e.base, "positive"):
        rate = e.exp * sp.log(e.base)
    else:
        return NEITHER
    return Curvature(curvature(rate, region, depth).convex, False, "an exponential of a convex formula")


def _logarithm(e: sp.Expr, region: Region, depth: int) -> Curvature:
    """A logarithm of a concave formula, or of a sum of exponentials."""
    if not isinstance(e, sp.log):
        return NEITHER
    u = e.args[0]
    if all(_is_exponential(t, region) for t in sp.Add.make_args(u)):
        return Curvature(True, False, "a logarithm of a sum of exponentials")
    return Curvature(False, curvature(u, region, depth).concave, "a logarithm of a concave formula")


def _is_exponential(term: sp.Expr, region: Region) -> bool:
    """c exp(affine) with a positive c, a plain positive number among them."""
    factor, rest = term.as_independent(*region.variables, as_Add=False)
    if not region.known(factor, "positive"):
        return False
    rates = []
    for part in sp.Mul.make_args(rest):
        if isinstance(part, sp.exp):
            rates.append(part.args[0])
        elif (
            isinstance(part, sp.Pow)
            and part.base.is_positive
            and not part.base.free_symbols & set(region.variables)
        ):
            rates.append(part.exp)
        elif part != 1:
            return False
    return all(affine(rate, region.variables) for rate in rates)


def _entropy(e: sp.Expr, region: Region, depth: int) -> Curvature:
    """u log(c u) with u affine and positive: c may be one over another such formula, and then both may move."""
    logs = [f for f in sp.Mul.make_args(e) if isinstance(f, sp.log)]
    if len(logs) != 1:
        return NEITHER
    (log,) = logs
    u = e / log
    if not affine(u, region.variables) or not region.known(u, "positive"):
        return NEITHER
    ratio = sp.cancel(log.args[0] / u)
    if not ratio.free_symbols & set(region.variables):
        return Curvature(True, False, "u log u")
    below = sp.cancel(1 / ratio)
    if affine(below, region.variables) and region.known(below, "positive"):
        return Curvature(True, False, "a relative entropy u log(u/v)")
    inverse = sp.cancel(log.args[0] * u)
    if affine(inverse, region.variables) and region.known(inverse, "positive"):
        return Curvature(False, True, "minus a relative entropy u log(u/v)")
    return NEITHER


def _monomial(e: sp.Expr, region: Region, depth: int) -> Curvature:
    """A product of powers of affine formulas: by the signs of the exponents and their sum, which decide the Hessian."""
    powers = _powers(e, region)
    if powers is None or len(powers) < 2:
        return NEITHER
    squared = [(u, p) for u, p in powers if not region.known(u, "positive")]
    others = [p for u, p in powers if region.known(u, "positive")]
    total = sp.Add(*(p for _, p in powers))
    if squared:
        # u^2 / v: the square may have either sign
        fits = len(squared) == 1 and squared[0][1].is_even and region.known(total - 1, "nonnegative")
        fits = bool(fits and all(region.known(-p, "nonnegative") for p in others))
        return Curvature(fits, False, "a quadratic over a linear formula")
    up = [p for p in others if not region.known(-p, "nonnegative")]
    if not up:
        return Curvature(True, False, "a product of negative powers")
    if len(up) == 1 and region.known(total - 1, "nonnegative"):
        return Curvature(True, False, "a quadratic over a linear formula")
    small = all(region.known(p, "nonnegative") for p in others) and region.known(1 - total, "nonnegative")
    return Curvature(False, small, "a geometric mean")


def _powers(e: sp.Expr, region: Region) -> list[tuple[sp.Expr, sp.Expr]] | None:
    """The bases, all affine, and the fixed exponents of a product; None for anything else."""
    found: dict[sp.Expr, sp.Expr] = {}
    variables = set(region.variables)

    def add(part: sp.Expr, times: sp.Expr) -> bool:
        if isinstance(part, sp.Mul) and (
            times.is_integer or all(region.known(a, "positive") for a in part.args)
        ):
            return all(add(a, times) for a in part.args)
        if isinstance(part, sp.Pow) and not part.exp.free_symbols & variables:
            if times.is_integer or region.known(part.base, "positive"):
                return add(part.base, times * part.exp)
            return False
        if not part.free_symbols & variables:
            return bool(region.known(part, "positive"))
        if not affine(part, region.variables):
            return False
        found[part] = found.get(part, sp.Integer(0)) + times
        return True

    return list(found.items()) if add(e, sp.Integer(1)) else None


def _perspective(e: sp.Expr, region: Region, depth: int) -> Curvature:
    """v g(x / v) has the curvature of g where v is positive."""
    if isinstance(e, sp.Add) or depth > 6 or e.count_ops() > 40:
        return NEITHER
    for v in region.variables:
        below = any(p.base == v and p.exp.could_extract_minus_sign() for p in e.atoms(sp.Pow))
        if v not in region.positive or not below:
            continue
        moved = {w: v * w for w in region.variables if w != v}
        inner = sp.simplify((e / v).subs(moved, simultaneous=True))
        if inner.has(v) or not inner.free_symbols & set(region.variables):
            continue
        # u = x / v may be anything that keeps the sign of x: other bounds do not scale
        positive = tuple(w for w in region.positive if w in region.variables)
        lower = {w: b for w, b in region.lower.items() if b == 0}
        upper = {w: b for w, b in region.upper.items() if b == 0}
        scaled = Region(region.variables, region.domain, lower, upper, positive)
        found = curvature(inner, scaled, depth + 4)
        if found.convex or found.concave:
            return Curvature(found.convex, found.concave, "a perspective")
    return NEITHER
