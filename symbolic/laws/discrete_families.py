"""Masses of the discrete families of scipy.stats before they are moved, each as its documentation states it.

Johnson, Kemp and Kotz 2005, Univariate discrete distributions; tests hold each against scipy.
"""

from __future__ import annotations

import sympy as sp

from .continuous_families import Family, Standard, beta

_0, _1, _OO = sp.Integer(0), sp.Integer(1), sp.oo
_gamma, _exp = sp.gamma, sp.exp


def _choose(n: sp.Expr, k: sp.Expr) -> sp.Expr:
    return _gamma(n + 1) / (_gamma(k + 1) * _gamma(n - k + 1))


def _hypergeom(k: sp.Expr, total: sp.Expr, good: sp.Expr, drawn: sp.Expr) -> Standard:
    mass = _choose(good, k) * _choose(total - good, drawn - k) / _choose(total, drawn)
    return mass, sp.Max(0, drawn - (total - good)), sp.Min(good, drawn)


def _nhypergeom(k: sp.Expr, total: sp.Expr, good: sp.Expr, bad: sp.Expr) -> Standard:
    mass = _choose(k + bad - 1, k) * _choose(total - bad - k, good - k) / _choose(total, good)
    return mass, _0, good


def _skellam(k: sp.Expr, a: sp.Expr, b: sp.Expr) -> Standard:
    return _exp(-a - b) * (a / b) ** (k / 2) * sp.besseli(sp.Abs(k), 2 * sp.sqrt(a * b)), -_OO, _OO


DISCRETE: dict[str, Family] = {
    "bernoulli": lambda k, p: (p**k * (1 - p) ** (1 - k), _0, _1),
    "betabinom": lambda k, n, a, b: (_choose(n, k) * beta(k + a, n - k + b) / beta(a, b), _0, n),
    "betanbinom": lambda k, n, a, b: (_choose(n + k - 1, k) * beta(a + n, b + k) / beta(a, b), _0, _OO),
    "binom": lambda k, n, p: (_choose(n, k) * p**k * (1 - p) ** (n - k), _0, n),
    "boltzmann": lambda k, b, n: ((1 - _exp(-b)) * _exp(-b * k) / (1 - _exp(-b * n)), _0, n - 1),
    "dlaplace": lambda k, a: (sp.tanh(a / 2) * _exp(-a * sp.Abs(k)), -_OO, _OO),
    "geom": lambda k, p: (p * (1 - p) ** (k - 1), _1, _OO),
    "hypergeom": _hypergeom,
    "logser": lambda k, p: (-(p**k) / (k * sp.log(1 - p)), _1, _OO),
    "nbinom": lambda k, n, p: (_gamma(k + n) / (_gamma(k + 1) * _gamma(n)) * p**n * (1 - p) ** k, _0, _OO),
    "nhypergeom": _nhypergeom,
    "planck": lambda k, b: ((1 - _exp(-b)) * _exp(-b * k), _0, _OO),
    "poisson": lambda k, mu: (mu**k * _exp(-mu) / _gamma(k + 1), _0, _OO),
    "randint": lambda k, low, high: (1 / (high - low), low, high - 1),
    "skellam": _skellam,
    "yulesimon": lambda k, a: (a * beta(k, a + 1), _1, _OO),
    "zipf": lambda k, a: (k ** (-a) / sp.zeta(a), _1, _OO),
    "zipfian": lambda k, a, n: (k ** (-a) / sp.harmonic(n, a), _1, n),
}
