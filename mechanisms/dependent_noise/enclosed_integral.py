"""Integrals of expressions in one variable, enclosed by ball arithmetic (python-flint's Arb)."""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp
from flint import acb, arb, ctx

from ...symbolic.proof.enclosure import NotEnclosableError, enclose

Ball = Callable[[acb], acb]

_FUNCTIONS: dict[type, Callable[[acb], acb]] = {
    sp.exp: lambda z: z.exp(),
    sp.sin: lambda z: z.sin(),
    sp.cos: lambda z: z.cos(),
    sp.tan: lambda z: z.tan(),
    sp.sinh: lambda z: z.sinh(),
    sp.cosh: lambda z: z.cosh(),
    sp.tanh: lambda z: z.tanh(),
    sp.erf: lambda z: z.erf(),
}


def ball_function(expression: sp.Expr, symbol: sp.Symbol, bits: int = 128) -> Ball:
    """The expression as a function of complex balls; raises NotEnclosableError for functions not known here."""
    if not expression.has(symbol):
        constant = acb(enclose(expression, bits=bits))
        return lambda _: constant
    if expression == symbol:
        return lambda z: z
    parts = [ball_function(argument, symbol, bits) for argument in expression.args]
    if isinstance(expression, sp.Add):
        return lambda z: sum((part(z) for part in parts), acb(0))
    if isinstance(expression, sp.Mul):

        def product(z: acb) -> acb:
            value = acb(1)
            for part in parts:
                value *= part(z)
            return value

        return product
    if isinstance(expression, sp.Pow) and expression.exp.is_integer and expression.exp.is_number:
        power = int(expression.exp)
        return lambda z: parts[0](z) ** power
    if isinstance(expression, sp.Pow) and expression.base == sp.E:
        return lambda z: parts[1](z).exp()
    function = _FUNCTIONS.get(type(expression))
    if function is None:
        raise NotEnclosableError(f"no enclosure known for {type(expression).__name__} in {expression}")
    return lambda z: function(parts[0](z))


def enclosed_integral(
    expression: sp.Expr, symbol: sp.Symbol, lower: sp.Expr, upper: sp.Expr, bits: int = 128
) -> arb:
    """A ball around the integral over the bounded interval [lower, upper]; a non-finite ball if none was found."""
    with ctx.workprec(bits):
        function = ball_function(expression, symbol, bits)
        ends = (acb(enclose(lower, bits=bits)), acb(enclose(upper, bits=bits)))
        # All functions above are meromorphic: where one is not analytic its ball is not finite.
        value: arb = acb.integral(lambda z, _: function(z), *ends).real
        return value
