"""The normal tail beyond t is at most half of exp(-t^2/2), in three steps."""

from __future__ import annotations

import sympy as sp

from ..proof.derivation import Step, evaluated


def tail_steps(
    t: sp.Symbol, u: sp.Symbol, conclusion: str, density: str = "the normal density beyond t"
) -> tuple[Step, ...]:
    """The steps, for nonnegative t and u; `conclusion` says of which probability, `density` of which density."""
    normal = sp.exp(-(u**2) / 2) / sp.sqrt(2 * sp.pi)
    return (
        Step(normal.subs(u, t + u), "=", sp.exp(-(t**2) / 2) * normal * sp.exp(-t * u), density),
        Step(-t * u, "<=", sp.Integer(0), "its last factor is at most 1"),
        Step(sp.Integral(normal, (u, 0, sp.oo)), "=", sp.Rational(1, 2), conclusion, evaluated),
    )
