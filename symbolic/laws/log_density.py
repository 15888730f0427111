"""Log densities: expanded exactly, then compiled to numpy so that no tail underflows or overflows."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, reduce
from typing import Any

import numpy as np
import sympy as sp

from ..arrays import Floats


class LogSumExp(sp.Function):  # type: ignore[misc]
    """log(exp(a) + exp(b) + ...), kept as one function so that it can be compiled stably."""


@lru_cache(maxsize=512)
def log_density(density: sp.Expr) -> sp.Expr:
    """log(density) with products, powers and exponentials taken apart; valid where it is positive."""
    folded = sp.piecewise_fold(density) if density.has(sp.Piecewise) else density
    if isinstance(folded, sp.Piecewise):
        return sp.Piecewise(*((log_density(e) if e != 0 else -sp.oo, c) for e, c in folded.args))
    if isinstance(folded, sp.Mul):
        return sp.Add(*(log_density(factor) for factor in folded.args))
    if isinstance(folded, sp.exp):
        return folded.args[0]
    if isinstance(folded, sp.Pow):
        base, exponent = folded.args
        return exponent * (
            log_density(base) if exponent.is_integer is not True or base.is_positive else _log(base)
        )
    return _log(folded)


def _log(e: sp.Expr) -> sp.Expr:
    # Even powers of a factor of either sign must not leave log(negative) behind.
    if e.is_negative and not e.is_Mul:
        return sp.log(-e)
    if e.is_negative or (e.is_Mul and any(a.is_negative for a in e.args)):
        return log_density(-e)
    return sp.log(e)


class LogBesselI(sp.Function):  # type: ignore[misc]
    """log I_n(z), kept as one function: the Bessel function itself overflows."""


def _stable(e: sp.Expr) -> sp.Expr:
    """log(sum of positive terms) as LogSumExp of their logarithms, wherever an exponential is among them.

    Of a factor of either sign the modulus: the product of all is positive.
    """

    def fold(argument: sp.Expr) -> sp.Expr:
        if argument.is_Add and argument.has(sp.exp) and all(t.is_positive for t in argument.args):
            return LogSumExp(*(_stable(log_density(t)) for t in argument.args))
        if isinstance(argument, sp.besseli):
            return LogBesselI(*argument.args)
        return sp.log(argument if argument.is_positive else sp.Abs(argument))

    return e.replace(sp.log, fold)


def _logsumexp(*terms: Any) -> Any:
    return reduce(np.logaddexp, terms)


def _log_bessel_i(order: Any, z: Any) -> Any:
    from scipy.special import ive

    return np.log(ive(order, z)) + np.abs(z)


_OWN = {"LogSumExp": _logsumexp, "LogBesselI": _log_bessel_i}


@lru_cache(maxsize=512)
def compile_log_density(
    variable: sp.Symbol, density: sp.Expr, ends: tuple[float, float]
) -> Callable[[Floats], Floats]:
    """A vectorised log density, -inf outside the ends of the support."""
    expression = _stable(log_density(density)).doit()
    try:
        function = sp.lambdify(variable, sp.N(expression, 17), modules=[_OWN, "numpy", "scipy"])
    except (KeyError, NotImplementedError) as trouble:  # an infinity among its numbers
        raise ValueError(f"the density {density} cannot be evaluated in numbers: {trouble}") from None
    lower, upper = ends

    def log_pdf(y: Floats) -> Floats:
        inside = (y >= lower) & (y <= upper)
        with np.errstate(all="ignore"):
            try:
                values = np.asarray(function(y), dtype=float)
            except (AttributeError, NameError, NotImplementedError, TypeError) as trouble:
                raise ValueError(f"the density {density} cannot be evaluated in numbers: {trouble}") from None
            return np.where(inside, values, np.where(np.isnan(y), np.nan, -np.inf))

    return log_pdf
