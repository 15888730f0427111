"""Integrals of expressions in one variable over a bounded interval, enclosed by ball arithmetic (python-flint's Arb)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy as sp
from flint import acb, arb, ctx

from .enclosure import NotEnclosableError, enclose

Ball = Callable[..., acb]  # of a complex ball, and whether the function has to be analytic on it

_FUNCTIONS: dict[type, Callable[[acb], acb]] = {
    sp.exp: lambda z: z.exp(),
    sp.sin: lambda z: z.sin(),
    sp.cos: lambda z: z.cos(),
    sp.tan: lambda z: z.tan(),
    sp.cot: lambda z: z.cot(),
    sp.sinh: lambda z: z.sinh(),
    sp.cosh: lambda z: z.cosh(),
    sp.tanh: lambda z: z.tanh(),
    sp.sech: lambda z: z.sech(),
    sp.erf: lambda z: z.erf(),
    sp.erfc: lambda z: z.erfc(),
    sp.gamma: lambda z: z.gamma(),
}
_NOWHERE = acb(arb("nan"), arb("nan"))


def ball_function(expression: sp.Expr, symbol: sp.Symbol, bits: int = 128) -> Ball:
    """The expression as a function of complex balls; raises NotEnclosableError for functions not known here.

    Where it is asked to be analytic (second argument) and is not, on a branch cut or at a pole, its ball is not finite.
    """
    shared, (last,) = sp.cse([expression])
    names = {symbol: 0, **{name: k + 1 for k, (name, _) in enumerate(shared)}}
    parts = [_compiled(e, names, bits) for e in (*(e for _, e in shared), last)]

    def value(z: acb, analytic: bool = False) -> acb:
        known = [z]
        for part in parts:
            known.append(part(known, analytic))
        return known[-1]

    return value


def _compiled(e: sp.Expr, names: dict[sp.Symbol, int], bits: int) -> Callable[[list[acb], bool], acb]:
    if not e.free_symbols & set(names):
        constant = acb(enclose(e, bits=bits))
        return lambda known, analytic: constant
    if isinstance(e, sp.Symbol):
        place = names[e]
        return lambda known, analytic: known[place]
    parts = [_compiled(a, names, bits) for a in e.args]
    first = parts[0]
    if isinstance(e, sp.Add):
        return lambda known, analytic: sum((part(known, analytic) for part in parts), acb(0))
    if isinstance(e, sp.Mul):

        def product(known: list[acb], analytic: bool) -> acb:
            value = acb(1)
            for part in parts:
                value *= part(known, analytic)
            return value

        return product
    if isinstance(e, sp.Pow) and e.exp.is_Integer:
        power = int(e.exp)
        return lambda known, analytic: first(known, analytic) ** power
    if isinstance(e, sp.Pow) and e.base == sp.E:
        return lambda known, analytic: parts[1](known, analytic).exp()
    if isinstance(e, sp.Pow) and e.exp == sp.Rational(1, 2):
        return lambda known, analytic: first(known, analytic).sqrt(analytic=analytic)
    if isinstance(e, sp.Pow):
        return lambda known, analytic: first(known, analytic).pow(
            parts[1](known, analytic), analytic=analytic
        )
    if isinstance(e, sp.log):
        return lambda known, analytic: first(known, analytic).log(analytic=analytic)
    if isinstance(e, sp.loggamma | sp.atan | sp.polygamma):
        return _cut(e, parts)
    function = _FUNCTIONS.get(type(e))
    if function is None:
        raise NotEnclosableError(f"no enclosure known for {type(e).__name__} in {e}")
    return lambda known, analytic: function(first(known, analytic))


def _cut(e: sp.Expr, parts: list[Callable[[list[acb], bool], acb]]) -> Callable[[list[acb], bool], acb]:
    """Functions with cuts that Arb does not report: used where the argument keeps away from them."""
    last = parts[-1]

    def value(known: list[acb], analytic: bool) -> acb:
        z = last(known, analytic)
        if isinstance(e, sp.atan):
            return z.atan() if not analytic or abs(z.imag) < 1 else _NOWHERE
        if analytic and not z.real > 0:
            return _NOWHERE
        return z.lgamma() if isinstance(e, sp.loggamma) else z.polygamma(parts[0](known, analytic))

    return value


def enclosed_integral(
    expression: sp.Expr,
    symbol: sp.Symbol,
    lower: sp.Expr,
    upper: sp.Expr,
    bits: int = 128,
    tolerance: float | None = None,
) -> arb:
    """A ball around the integral over the bounded interval [lower, upper]; a non-finite ball if none was found."""
    with ctx.workprec(bits):
        function = ball_function(expression, symbol, bits)
        ends = (acb(enclose(lower, bits=bits)), acb(enclose(upper, bits=bits)))
        return integral_between(function, *ends, tolerance=tolerance)


def integral_between(function: Ball, lower: acb, upper: acb, tolerance: float | None = None) -> arb:
    """The same for a function that is compiled already, in the present precision."""
    trouble: list[BaseException] = []

    def guarded(z: acb, analytic: bool) -> acb:
        # What is raised in here Arb would not hear of: it is kept, and the rest is not worth a thought.
        if trouble:
            return _NOWHERE
        try:
            return function(z, analytic)
        except BaseException as error:
            trouble.append(error)
            return _NOWHERE

    limits: dict[str, Any] = {}
    if tolerance is not None:
        limits = {"abs_tol": arb(tolerance), "rel_tol": arb(2) ** -60, "eval_limit": 60_000}
    try:
        value: arb = acb.integral(guarded, lower, upper, **limits).real
    except SystemError as error:
        trouble.append(error)
    if trouble:
        cause = trouble[0]
        # A time limit that strikes between two calls of the function makes the next one fail: it is the cause.
        while isinstance(cause, SystemError) and cause.__cause__ is not None:
            cause = cause.__cause__
        raise cause
    return value
