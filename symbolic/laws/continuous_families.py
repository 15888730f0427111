"""Densities of the continuous families of scipy.stats in standard form, each as its documentation states it.

Johnson, Kotz and Balakrishnan 1994 and 1995, Continuous univariate distributions, volumes 1 and 2; tests hold each against scipy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy as sp

Standard = tuple[sp.Expr, sp.Expr, sp.Expr]  # density, lower and upper end
Family = Callable[..., Standard]

_0, _1, _OO, _HALF, _PI = sp.Integer(0), sp.Integer(1), sp.oo, sp.Rational(1, 2), sp.pi
_exp, _log, _sqrt, _gamma, _abs = sp.exp, sp.log, sp.sqrt, sp.gamma, sp.Abs


def _bell(x: sp.Expr) -> sp.Expr:
    return _exp(-(x**2) / 2) / _sqrt(2 * _PI)


def _below(x: sp.Expr) -> sp.Expr:
    """The standard normal distribution function."""
    return (1 + sp.erf(x / _sqrt(2))) / 2


def beta(a: sp.Expr, b: sp.Expr) -> sp.Expr:
    return _gamma(a) * _gamma(b) / _gamma(a + b)


def _sign(c: Any, what: str) -> int:
    if c.is_zero or c.is_positive or c.is_negative:
        return 0 if c.is_zero else 1 if c.is_positive else -1
    raise ValueError(
        f"the sign of {what} = {c} must be known: declare the symbol positive=True or negative=True"
    )


def _genextreme(x: sp.Expr, c: sp.Expr) -> Standard:
    side = _sign(c, "c")
    if side == 0:
        return _exp(-x - _exp(-x)), -_OO, _OO
    density = _exp(-((1 - c * x) ** (1 / c))) * (1 - c * x) ** (1 / c - 1)
    return (density, -_OO, 1 / c) if side > 0 else (density, 1 / c, _OO)


def _genpareto(x: sp.Expr, c: sp.Expr) -> Standard:
    side = _sign(c, "c")
    if side == 0:
        return _exp(-x), _0, _OO
    return (1 + c * x) ** (-1 - 1 / c), _0, _OO if side > 0 else -1 / c


def _triang(x: sp.Expr, c: sp.Expr) -> Standard:
    if c in (0, 1):
        return (2 * (1 - x) if c == 0 else 2 * x), _0, _1
    return sp.Piecewise((2 * x / c, x < c), (2 * (1 - x) / (1 - c), True)), _0, _1


def _trapezoid(x: sp.Expr, c: sp.Expr, d: sp.Expr) -> Standard:
    height = 2 / (1 + d - c)
    rising = [] if c == 0 else [(height * x / c, x < c)]
    falling = (height, True) if d == 1 else (height * (1 - x) / (1 - d), True)
    return sp.Piecewise(*rising, *([] if d == 1 else [(height, x <= d)]), falling), _0, _1


def _f(x: sp.Expr, m: sp.Expr, n: sp.Expr) -> Standard:
    top = m ** (m / 2) * n ** (n / 2) * x ** (m / 2 - 1)
    return top / ((n + m * x) ** ((m + n) / 2) * beta(m / 2, n / 2)), _0, _OO


def _student(x: sp.Expr, n: sp.Expr) -> Standard:
    constant = _gamma((n + 1) / 2) / (_sqrt(_PI * n) * _gamma(n / 2))
    return constant * (1 + x**2 / n) ** (-(n + 1) / 2), -_OO, _OO


def _asymmetric(x: sp.Expr, k: sp.Expr) -> Standard:
    return sp.Piecewise((_exp(-x * k), x >= 0), (_exp(x / k), True)) / (k + 1 / k), -_OO, _OO


def _loglaplace(x: sp.Expr, c: sp.Expr) -> Standard:
    return c / 2 * sp.Piecewise((x ** (c - 1), x < 1), (x ** (-c - 1), True)), _0, _OO


def _johnsonsu(x: sp.Expr, a: sp.Expr, b: sp.Expr) -> Standard:
    return b / _sqrt(x**2 + 1) * _bell(a + b * sp.asinh(x)), -_OO, _OO


def _invgauss(x: sp.Expr, m: sp.Expr) -> Standard:
    return _exp(-((x - m) ** 2) / (2 * x * m**2)) / _sqrt(2 * _PI * x**3), _0, _OO


def _fatiguelife(x: sp.Expr, c: sp.Expr) -> Standard:
    density = (x + 1) / (2 * c * _sqrt(2 * _PI * x**3)) * _exp(-((x - 1) ** 2) / (2 * x * c**2))
    return density, _0, _OO


def _genhalflogistic(x: sp.Expr, c: sp.Expr) -> Standard:
    left = 1 - c * x
    return 2 * left ** (1 / c - 1) / (1 + left ** (1 / c)) ** 2, _0, 1 / c


CONTINUOUS: dict[str, Family] = {
    "alpha": lambda x, a: (_exp(-((a - 1 / x) ** 2) / 2) / (x**2 * _below(a) * _sqrt(2 * _PI)), _0, _OO),
    "anglit": lambda x: (sp.cos(2 * x), -_PI / 4, _PI / 4),
    "arcsine": lambda x: (1 / (_PI * _sqrt(x * (1 - x))), _0, _1),
    "beta": lambda x, a, b: (x ** (a - 1) * (1 - x) ** (b - 1) / beta(a, b), _0, _1),
    "betaprime": lambda x, a, b: (x ** (a - 1) * (1 + x) ** (-a - b) / beta(a, b), _0, _OO),
    "bradford": lambda x, c: (c / (_log(1 + c) * (1 + c * x)), _0, _1),
    "burr": lambda x, c, d: (c * d * x ** (-c - 1) / (1 + x ** (-c)) ** (d + 1), _0, _OO),
    "burr12": lambda x, c, d: (c * d * x ** (c - 1) / (1 + x**c) ** (d + 1), _0, _OO),
    "cauchy": lambda x: (1 / (_PI * (1 + x**2)), -_OO, _OO),
    "chi": lambda x, k: (x ** (k - 1) * _exp(-(x**2) / 2) / (2 ** (k / 2 - 1) * _gamma(k / 2)), _0, _OO),
    "chi2": lambda x, k: (x ** (k / 2 - 1) * _exp(-x / 2) / (2 ** (k / 2) * _gamma(k / 2)), _0, _OO),
    "cosine": lambda x: ((1 + sp.cos(x)) / (2 * _PI), -_PI, _PI),
    "dgamma": lambda x, a: (_abs(x) ** (a - 1) * _exp(-_abs(x)) / (2 * _gamma(a)), -_OO, _OO),
    "dweibull": lambda x, c: (c / 2 * _abs(x) ** (c - 1) * _exp(-(_abs(x) ** c)), -_OO, _OO),
    "erlang": lambda x, a: (x ** (a - 1) * _exp(-x) / _gamma(a), _0, _OO),
    "expon": lambda x: (_exp(-x), _0, _OO),
    "exponnorm": lambda x, k: (
        _exp(1 / (2 * k**2) - x / k) * sp.erfc((1 / k - x) / _sqrt(2)) / (2 * k),
        -_OO,
        _OO,
    ),
    "exponpow": lambda x, b: (b * x ** (b - 1) * _exp(1 + x**b - _exp(x**b)), _0, _OO),
    "exponweib": lambda x, a, c: (
        a * c * (1 - _exp(-(x**c))) ** (a - 1) * _exp(-(x**c)) * x ** (c - 1),
        _0,
        _OO,
    ),
    "f": _f,
    "fatiguelife": _fatiguelife,
    "fisk": lambda x, c: (c * x ** (c - 1) / (1 + x**c) ** 2, _0, _OO),
    "foldcauchy": lambda x, c: (1 / (_PI * (1 + (x - c) ** 2)) + 1 / (_PI * (1 + (x + c) ** 2)), _0, _OO),
    "foldnorm": lambda x, c: (_bell(x - c) + _bell(x + c), _0, _OO),
    "gamma": lambda x, a: (x ** (a - 1) * _exp(-x) / _gamma(a), _0, _OO),
    "genextreme": _genextreme,
    "gengamma": lambda x, a, c: (_abs(c) * x ** (c * a - 1) * _exp(-(x**c)) / _gamma(a), _0, _OO),
    "genhalflogistic": _genhalflogistic,
    "genlogistic": lambda x, c: (c * _exp(-x) / (1 + _exp(-x)) ** (c + 1), -_OO, _OO),
    "gennorm": lambda x, b: (b / (2 * _gamma(1 / b)) * _exp(-(_abs(x) ** b)), -_OO, _OO),
    "genpareto": _genpareto,
    "gibrat": lambda x: (_exp(-(_log(x) ** 2) / 2) / (x * _sqrt(2 * _PI)), _0, _OO),
    "gompertz": lambda x, c: (c * _exp(x) * _exp(-c * (_exp(x) - 1)), _0, _OO),
    "gumbel_l": lambda x: (_exp(x - _exp(x)), -_OO, _OO),
    "gumbel_r": lambda x: (_exp(-x - _exp(-x)), -_OO, _OO),
    "halfcauchy": lambda x: (2 / (_PI * (1 + x**2)), _0, _OO),
    "halfgennorm": lambda x, b: (b / _gamma(1 / b) * _exp(-(x**b)), _0, _OO),
    "halflogistic": lambda x: (2 * _exp(-x) / (1 + _exp(-x)) ** 2, _0, _OO),
    "halfnorm": lambda x: (2 * _bell(x), _0, _OO),
    "hypsecant": lambda x: (2 / (_PI * (_exp(x) + _exp(-x))), -_OO, _OO),
    "invgamma": lambda x, a: (x ** (-a - 1) * _exp(-1 / x) / _gamma(a), _0, _OO),
    "invgauss": _invgauss,
    "invweibull": lambda x, c: (c * x ** (-c - 1) * _exp(-(x ** (-c))), _0, _OO),
    "johnsonsb": lambda x, a, b: (b / (x * (1 - x)) * _bell(a + b * _log(x / (1 - x))), _0, _1),
    "johnsonsu": _johnsonsu,
    "kappa3": lambda x, a: (a * (a + x**a) ** (-1 / a - 1), _0, _OO),
    "laplace": lambda x: (_exp(-_abs(x)) / 2, -_OO, _OO),
    "laplace_asymmetric": _asymmetric,
    "levy": lambda x: (_exp(-1 / (2 * x)) / _sqrt(2 * _PI * x**3), _0, _OO),
    "loggamma": lambda x, c: (_exp(c * x - _exp(x)) / _gamma(c), -_OO, _OO),
    "logistic": lambda x: (_exp(-x) / (1 + _exp(-x)) ** 2, -_OO, _OO),
    "loglaplace": _loglaplace,
    "lognorm": lambda x, s: (_exp(-(_log(x) ** 2) / (2 * s**2)) / (s * x * _sqrt(2 * _PI)), _0, _OO),
    "loguniform": lambda x, a, b: (1 / (x * _log(b / a)), a, b),
    "lomax": lambda x, c: (c * (1 + x) ** (-c - 1), _0, _OO),
    "maxwell": lambda x: (2 * x**2 * _bell(x), _0, _OO),
    "mielke": lambda x, k, s: (k * x ** (k - 1) / (1 + x**s) ** (1 + k / s), _0, _OO),
    "moyal": lambda x: (_exp(-(x + _exp(-x)) / 2) / _sqrt(2 * _PI), -_OO, _OO),
    "nakagami": lambda x, n: (2 * n**n / _gamma(n) * x ** (2 * n - 1) * _exp(-n * x**2), _0, _OO),
    "norm": lambda x: (_bell(x), -_OO, _OO),
    "pareto": lambda x, b: (b * x ** (-b - 1), _1, _OO),
    "powerlaw": lambda x, a: (a * x ** (a - 1), _0, _1),
    "powernorm": lambda x, c: (c * _bell(x) * _below(-x) ** (c - 1), -_OO, _OO),
    "rayleigh": lambda x: (x * _exp(-(x**2) / 2), _0, _OO),
    "rdist": lambda x, c: ((1 - x**2) ** (c / 2 - 1) / beta(_HALF, c / 2), -_1, _1),
    "recipinvgauss": lambda x, m: (_exp(-((1 - m * x) ** 2) / (2 * x * m**2)) / _sqrt(2 * _PI * x), _0, _OO),
    "rice": lambda x, b: (x * _exp(-(x**2 + b**2) / 2) * sp.besseli(0, x * b), _0, _OO),
    "semicircular": lambda x: (2 / _PI * _sqrt(1 - x**2), -_1, _1),
    "skewnorm": lambda x, a: (2 * _bell(x) * _below(a * x), -_OO, _OO),
    "t": _student,
    "trapezoid": _trapezoid,
    "triang": _triang,
    "truncexpon": lambda x, b: (_exp(-x) / (1 - _exp(-b)), _0, b),
    "truncnorm": lambda x, a, b: (_bell(x) / (_below(b) - _below(a)), a, b),
    "truncpareto": lambda x, b, c: (b * x ** (-b - 1) / (1 - c ** (-b)), _1, c),
    "uniform": lambda x: (_1, _0, _1),
    "vonmises": lambda x, k: (_exp(k * sp.cos(x)) / (2 * _PI * sp.besseli(0, k)), -_PI, _PI),
    "wald": lambda x: _invgauss(x, _1),
    "weibull_max": lambda x, c: (c * (-x) ** (c - 1) * _exp(-((-x) ** c)), -_OO, _0),
    "weibull_min": lambda x, c: (c * x ** (c - 1) * _exp(-(x**c)), _0, _OO),
}
CONTINUOUS["reciprocal"] = CONTINUOUS["loguniform"]
