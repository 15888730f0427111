"""Integrals that are Bessel functions: waves in an exponent over a whole turn, and a number with its reciprocal; waves of normal numbers.

DLMF 10.32.3 (I_n as the integral of exp(z cos t) cos(n t)) and 10.32.10 (K_v as that of t^(-v - 1) exp(-t - z^2 / (4 t))).
"""

from __future__ import annotations

import sympy as sp
from sympy.simplify.fu import TR8


def bessel_integral(e: sp.Expr, y: sp.Symbol, ends: tuple[sp.Expr, sp.Expr]) -> sp.Expr | None:
    """The integral of `e` between two ends; None where it is neither of the two kinds."""
    if not e.has(sp.exp):
        return None
    lower, upper = ends
    if ends == (-sp.oo, sp.oo):
        return _normal_waves(e, y) if e.has(sp.sin, sp.cos) else None
    if lower.is_finite and upper is sp.oo:
        return _with_reciprocal(e.subs(y, y + lower), y)
    if not (lower.is_finite and upper.is_finite and e.has(sp.sin, sp.cos)):
        return None
    turn = (upper - lower) / (2 * sp.pi)
    value = _of_a_turn(e.subs(y, turn * y).replace(lambda w: isinstance(w, sp.cos | sp.sin), _plain), y)
    return None if value is None else turn * value


def _normal_waves(e: sp.Expr, y: sp.Symbol) -> sp.Expr | None:
    """Of c y^n cos(k y + d) exp(-a y^2 + b y + h) and its like: for n = 0 sqrt(pi/a) exp((b^2 - k^2)/(4 a) + h) cos(k b/(2 a) + d)."""
    s, total = sp.Dummy("s"), sp.Integer(0)
    for term in sp.Add.make_args(sp.expand(TR8(sp.expand(e, power_exp=False)), power_exp=False)):
        wave = next((f for f in sp.Mul.make_args(term) if isinstance(f, sp.sin | sp.cos)), None)
        constant, rest = sp.powsimp(term if wave is None else term / wave).as_independent(y, as_Add=False)
        whole = sp.Add(*(f.args[0] for f in rest.atoms(sp.exp)))
        left, phase = sp.powsimp(rest * sp.exp(-whole)), sp.Integer(0) if wave is None else wave.args[0]
        q = sp.expand(whole)
        a, b, k = -q.coeff(y, 2), q.coeff(y, 1) + s, phase.expand().coeff(y, 1)
        known = all(f.is_polynomial(y) for f in (left, q, phase)) and not sp.diff(phase, y).has(y)
        if not known or sp.degree(q, y) != 2 or not a.is_positive:
            return None
        turned = sp.Integer(1) if wave is None else wave.func(k * b / (2 * a) + phase.subs(y, 0))
        value = sp.sqrt(sp.pi / a) * sp.exp((b**2 - k**2) / (4 * a) + q.subs(y, 0)) * turned
        total += constant * sp.diff(value, s, sp.degree(left, y)).subs(s, 0)
    return sp.simplify(total)


def _plain(wave: sp.Expr) -> sp.Expr:
    return wave.func(sp.expand(wave.args[0]))


def _fraction(e: sp.Expr) -> bool:
    return bool(e.is_Add and not e.has(sp.exp))


def _with_reciprocal(e: sp.Expr, y: sp.Symbol) -> sp.Expr | None:
    """Of sums of c y^k exp(-a y - b / y): 2 (b / a)^((k + 1) / 2) K_(k + 1)(2 sqrt(a b))."""
    u, total = sp.Dummy("u", positive=True), sp.Integer(0)
    # A fraction of the variable is one power of it.
    spread = sp.powsimp(sp.expand_power_base(sp.powdenest(e.subs(y, u).replace(_fraction, sp.factor))))
    for term in sp.Add.make_args(sp.expand(spread, power_exp=False, log=False, mul=True)):
        constant, rest = sp.powsimp(term).as_independent(u, as_Add=False)
        exponent, power = sp.Integer(0), sp.Integer(0)
        for factor in sp.Mul.make_args(sp.powsimp(rest)):
            base, k = factor.as_base_exp()
            if isinstance(factor, sp.exp):
                exponent += factor.args[0]
            elif base == u and not k.has(u):
                power += k
            else:
                return None
        parts = sp.collect(sp.expand(exponent), u, evaluate=False)
        if not set(parts) <= {u, 1 / u, sp.Integer(1)}:
            return None
        a, b = -parts.get(u, sp.Integer(0)), -parts.get(1 / u, sp.Integer(0))
        if not (a.is_positive and b.is_positive):
            return None
        order = power + 1
        bessel = sp.besselk(sp.Abs(order) if order.is_number else order, 2 * sp.sqrt(a * b))
        closed = sp.expand_func(bessel) if (2 * order).is_Integer else bessel
        total += constant * sp.exp(parts.get(sp.Integer(1), 0)) * 2 * (b / a) ** (order / 2) * closed
    return total


def _of_a_turn(e: sp.Expr, y: sp.Symbol) -> sp.Expr | None:
    """Of exp(k cos(y - m)) times a polynomial in the sine and cosine of y: 2 pi times sums of I_n(k)."""
    exponents = [f for f in sp.Mul.make_args(e) if isinstance(f, sp.exp) and f.has(y)]
    if not exponents:
        return None
    wave = sp.Add(*(f.args[0] for f in exponents))
    waves = [w for w in wave.atoms(sp.cos) if w.has(y)]
    if len(waves) != 1 or sp.diff(waves[0].args[0], y) not in (1, -1):
        return None
    w = waves[0]
    concentration = sp.expand(wave).coeff(w)
    rest = sp.expand(wave - concentration * w)
    if concentration.has(y) or rest.has(y) or concentration == 0:
        return None
    angle, t, z = w.args[0], sp.Dummy("t", real=True), sp.Dummy("z")
    sign = sp.diff(angle, y)
    factor = sp.Mul(*(f for f in sp.Mul.make_args(e) if f not in exponents))
    turned = sp.expand(sp.expand_trig(factor.subs(y, (t - (angle - sign * y)) / sign)))
    laurent = sp.expand(turned.subs({sp.cos(t): (z + 1 / z) / 2, sp.sin(t): (z - 1 / z) / (2 * sp.I)}))
    if laurent.has(t):
        return None
    total = sp.Integer(0)
    for term in sp.Add.make_args(laurent):
        constant, power = term.as_independent(z, as_Add=False)
        base, n = power.as_base_exp()
        if not (power == 1 or (base == z and n.is_Integer)):
            return None
        total += constant * sp.besseli(sp.Abs(n) if power != 1 else 0, concentration)
    return 2 * sp.pi * sp.exp(rest) * sp.expand(total)
