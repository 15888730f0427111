"""What makes a formula a density: it is never negative, and its mass is one.  Proved, refuted with a point, or open."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import sympy as sp
from flint import arb

from ..proof.apart import UnfinishedError, apart
from ..proof.enclosure import is_zero, settled_sign
from ..proof.exact_numbers import above
from ..proof.fact import Fact
from ..proof.known_signs import with_known_signs
from ..proof.truth import Truth
from .countable import CountableLaw
from .domains import domain_points, inside, spread, within_domains
from .enclosed_expectation import enclosed_expectation
from .law import Law

_POINTS, _PROBES, _LONGEST = 8, 40, 200
_KINKED = (sp.Piecewise, sp.Abs, sp.Max, sp.Min, sp.sign, sp.floor)


def nonnegative(law: Law) -> Fact:
    """Whether the density is nowhere negative on its support, for all values of the parameters in their domains."""
    for at in domain_points(law.free_symbols, law.domains, _POINTS):
        point = negative_point(law, at)
        if point is not None:
            said = ", ".join(f"{s} = {v}" for s, v in point.items())
            hint = "; say where the parameters lie with domains=" if at else ""
            return Fact(Truth.FAILS, f"the density is negative at {said}{hint}", at=point)
    try:
        if apart(lambda: all(map(_proved_nonnegative, law.pieces or (law,))), "the sign of the density"):
            return Fact(Truth.HOLDS, "every factor of the density has a sign on the support")
    except UnfinishedError:
        pass
    return Fact(Truth.UNKNOWN, "no negative value was found, and no proof that there is none")


def negative_point(law: Law, at: dict[sp.Symbol, sp.Expr]) -> dict[sp.Symbol, sp.Expr] | None:
    """A point of the support at which the density is certainly negative, or no real number, at these parameters."""
    for piece in law.pieces or (law,):
        for y in probes(piece, at):
            point = {**at, law.variable: y}
            side = settled_sign(piece.density, point)
            if side == -1:
                return point
            if side is None:
                value = sp.N(piece.density.subs(at).subs(law.variable, y), 20)
                if value.is_number and (value.is_real is False or value.is_negative):
                    return point
    return None


def probes(law: Law, at: dict[sp.Symbol, sp.Expr]) -> Iterator[sp.Expr]:
    """Points inside of the support at these parameters; of a law on whole numbers these, ends included."""
    lower, upper = (e.subs(at) for e in law.support)
    if not law.discrete:
        yield from spread(lower, upper, _PROBES)
        return
    first = lower if lower.is_finite else upper - _PROBES if upper.is_finite else sp.Integer(-_PROBES // 2)
    for k in range(_PROBES):
        if (upper - first - k).is_extended_nonnegative:
            yield first + k


def _proved_nonnegative(law: Law) -> bool:
    lower, upper = law.support
    y = law.variable
    if law.discrete:
        if lower.is_infinite and upper.is_infinite:
            whole = law.density.subs(y, sp.Dummy("n", integer=True))
            return _sign_known(within_domains(whole, law.domains))
        if not lower.is_integer:
            return False
        n = sp.Dummy("n", integer=True, nonnegative=True)
        if upper.is_Symbol:
            left = sp.Dummy("m", integer=True, nonnegative=True)
            forms = [law.density.subs({y: lower + n, upper: lower + n + left}, simultaneous=True)]
        elif upper.is_infinite:
            forms = [law.density.subs(y, lower + n)]
        elif (upper - lower).is_Integer and upper - lower <= _LONGEST:
            forms = [law.density.subs(y, lower + k) for k in range(int(upper - lower) + 1)]
        else:
            return False
    else:
        forms = [law.density.subs(y, inside(lower, upper, "y"))]
        if not law.free_symbols and _roots_tell(law):
            return True
    return all(_sign_known(within_domains(form, law.domains)) for form in forms)


def _sign_known(e: sp.Expr) -> bool:
    e = with_known_signs(e)
    if e.is_nonnegative or _amplitude(e):
        return True
    if not e.has(*_KINKED):
        for way in (sp.factor, lambda x: sp.factor(sp.together(x)), sp.simplify):
            form = way(e)
            factors = sp.Mul.make_args(form)
            if form.is_nonnegative or all(f.is_nonnegative or _amplitude(f) for f in factors):
                return True
    return False


def _amplitude(e: sp.Expr) -> bool:
    """Whether a constant is at least as large as all the waves that are added to it."""
    if e.is_Pow and e.exp.is_real and not e.exp.free_symbols and _amplitude(e.base):
        return True
    if not e.is_Add:
        return False
    rest, left = [], sp.Integer(0)
    for term in e.args:
        waves = [f for f in sp.Mul.make_args(term) if isinstance(f, sp.sin | sp.cos | sp.tanh | sp.erf)]
        left -= sp.Abs(sp.Mul(term, *(1 / w for w in waves))) if waves else 0
        rest += [] if waves else [term]
    return bool(sp.simplify(sp.Add(*rest) + left).is_nonnegative)


def _roots_tell(law: Law) -> bool:
    """Of a polynomial with rational coefficients: no root of odd order lies inside of the support."""
    y, (lower, upper) = law.variable, law.support
    constant, rest = law.density.as_independent(y, as_Add=False)
    top, bottom = sp.fraction(sp.together(rest))
    product = sp.expand(top * bottom)
    if not (product.is_polynomial(y) and constant.is_positive):
        return False
    polynomial = sp.Poly(product, y)
    if not all(c.is_Rational for c in polynomial.coeffs()) or not all(
        e.is_Rational or e.is_infinite for e in law.support
    ):
        return False
    odd = sp.Poly(1, y)
    for factor, power in polynomial.sqf_list()[1]:
        odd *= factor if power % 2 else 1
    ends = tuple(None if e.is_infinite else e for e in (lower, upper))
    count = odd.count_roots(*ends) - sum(1 for e in ends if e is not None and odd.eval(e) == 0)
    middle = next(iter(spread(lower, upper, 1)))
    return bool(count == 0 and polynomial.eval(middle) > 0) or bool(
        count == 0
        and polynomial.eval(middle) == 0
        and polynomial.eval(next(iter(spread(lower, upper, 5)))) > 0
    )


def mass_is_one(law: Law, enclosed: bool = True) -> Fact:
    """Whether the mass is one for all values of the parameters in their domains; the mass that was found is in `found`.

    Where no closed form proves it, balls at a few parameters may refute it, and say how close to one it is there: UNKNOWN.
    """
    try:
        closed = apart(lambda: _closed_mass(law), "the mass")
    except UnfinishedError:
        closed = None
    if closed is not None:
        return closed
    if not enclosed:
        return Fact(Truth.UNKNOWN, "no closed form of the mass was found")
    return _mass_in_balls(law)


def _closed_mass(law: Law) -> Fact | None:
    mass = law.mass()
    if mass.has(sp.Integral, sp.Sum, sp.nan):
        return None
    truth = is_zero(mass - 1) if mass.is_finite is not False else Truth.FAILS
    if truth is Truth.FAILS and law.domains:
        truth = is_zero(within_domains(mass, law.domains) - 1)
    if truth is Truth.HOLDS:
        way = "the sum of its series" if isinstance(law, CountableLaw) else "its integral in closed form"
        return Fact(truth, f"the mass is one for all values of the parameters: {way}", (mass,))
    return Fact(truth, f"the mass is {mass}, expected 1", (mass,)) if truth is Truth.FAILS else None


def _ball_of_mass(law: Law, at: dict[sp.Symbol, sp.Expr]) -> arb:
    return enclosed_expectation(law.at(at) if at else law, sp.Integer(1), 1e-10)


def _mass_in_balls(law: Law) -> Fact:
    seen: list[str] = []
    for at in domain_points(law.free_symbols, law.domains, 2):
        try:
            ball = apart(partial(_ball_of_mass, law, dict(at)), "the mass in balls")
        except (UnfinishedError, ArithmeticError, TypeError, ValueError, NotImplementedError):
            continue
        said = f" at {', '.join(f'{s} = {v}' for s, v in at.items())}" if at else ""
        if not ball.contains(1):
            mass = sp.Float(ball.mid().str(30, radius=False), 30)
            return Fact(Truth.FAILS, f"the mass is {ball.str(15)}{said}, expected 1", (mass,), at)
        seen.append(f"enclosed{said} to {above(ball.rad()):.1g} around one")
    if not seen:
        return Fact(Truth.UNKNOWN, "no closed form of the mass was found, and no ball around it")
    return Fact(Truth.UNKNOWN, f"{'; '.join(seen)}; not proved to be one")


def positive_masses(law: CountableLaw) -> bool:
    """Whether every mass of the support is proved to be positive, for all values of the parameters in their domains."""
    lower, upper = law.support
    if lower.is_finite:
        n = sp.Dummy("n", integer=True, nonnegative=True)
        forms = [law.density.subs(law.variable, lower + n)]
        if upper.is_finite:
            if not ((upper - lower).is_Integer and upper - lower <= _LONGEST):
                return False
            forms = [law.density.subs(law.variable, lower + k) for k in range(int(upper - lower) + 1)]
    else:
        forms = [law.density.subs(law.variable, sp.Dummy("n", integer=True))]
    branches = [b for form in forms for b in _branches(form)]
    return all(_positive_known(within_domains(b, law.domains)) for b in branches)


def _branches(form: sp.Expr) -> list[sp.Expr]:
    if not form.has(sp.Piecewise):
        return [form]
    folded = sp.piecewise_fold(form)
    if not isinstance(folded, sp.Piecewise):
        return [folded]
    return [b for value, _ in folded.args for b in _branches(value)]


def _positive_known(e: sp.Expr) -> bool:
    ways = (lambda x: x, sp.factor, lambda x: sp.factor(sp.together(x)), sp.simplify)
    return any(bool(with_known_signs(way(e)).is_positive) for way in ways)
