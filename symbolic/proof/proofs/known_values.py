"""Integrals and sums whose values are laws that the kernel has: which law, and with which letters."""

from __future__ import annotations

import sympy as sp

Letters = dict[str, sp.Expr]


def law_of(e: sp.Integral | sp.Sum) -> tuple[str, Letters] | None:
    """The name and the letters of the law whose multiple the integral or sum is; None where it is none of them.

    >>> y, a = sp.symbols("y a", positive=True)
    >>> law_of(sp.Integral(3 * y ** (a - 1) * sp.exp(-2 * y), (y, 0, sp.oo)))
    ('gamma', {'a': a, 'b': 2, 'r': 1, 'times': 3})
    """
    body, (x, low, high) = e.function.doit(), e.limits[0]
    if low != 0 or not isinstance(body, sp.Expr):
        return None
    times, rest = sp.powsimp(sp.expand_power_exp(body)).as_independent(x, as_Add=False)
    factors = sp.Mul.make_args(sp.expand_power_base(rest))
    if isinstance(e, sp.Sum):
        return _series(factors, times, x) if high == sp.oo else None
    return _gamma(factors, times, x) if high == sp.oo else _beta(factors, times, x) if high == 1 else None


def _gamma(factors: tuple[sp.Expr, ...], times: sp.Expr, x: sp.Symbol) -> tuple[str, Letters] | None:
    """x^(a - 1) exp(-b x^r)."""
    power, rate = sp.Integer(0), None
    for f in factors:
        base, e = f.as_base_exp()
        if base == x and not e.has(x):
            power += e
        elif isinstance(f, sp.exp) and rate is None:
            b, moving = f.args[0].as_independent(x, as_Add=False)
            base, r = moving.as_base_exp()
            if base != x or r.has(x):
                return None
            rate = (-b, r)
        else:
            return None
    return None if rate is None else ("gamma", {"a": power + 1, "b": rate[0], "r": rate[1], "times": times})


def _beta(factors: tuple[sp.Expr, ...], times: sp.Expr, x: sp.Symbol) -> tuple[str, Letters] | None:
    """x^(a - 1) (1 - x)^(b - 1)."""
    powers = {x: sp.Integer(0), 1 - x: sp.Integer(0)}
    for f in factors:
        base, e = f.as_base_exp()
        if base not in powers or e.has(x):
            return None
        powers[base] += e
    return "beta", {"a": powers[x] + 1, "b": powers[1 - x] + 1, "times": times}


def _series(factors: tuple[sp.Expr, ...], times: sp.Expr, k: sp.Symbol) -> tuple[str, Letters] | None:
    """x^k / gamma(k + 1), or gamma(k + r) x^k / gamma(k + 1)."""
    of, above, below = sp.Integer(1), sp.Integer(1), False
    for f in factors:
        base, e = f.as_base_exp()
        if e.has(k) and not base.has(k) and sp.expand(e).coeff(k, 1) == 1:
            of, times = of * base, times * base ** (e - k)
        elif f == sp.gamma(k + 1) ** -1:
            below = True
        elif isinstance(f, sp.gamma) and above == 1 and not (f.args[0] - k).has(k):
            above = f.args[0] - k
        else:
            return None
    if above == 1 and below:
        return "exponential", {"x": of, "times": times}
    if below or above == 1:
        return "binomial", {"x": of, "r": above, "times": times * sp.gamma(above)}
    return None
