"""The formula of a law is read once: real, with decimals as they are written, on an interval that is not empty."""

from __future__ import annotations

from typing import Any

import sympy as sp

from ..proof.enclosure import rational, sign


def read_formula(
    name: str, variable: Any, density: Any, support: tuple[Any, Any], discrete: bool = False
) -> tuple[sp.Expr, tuple[sp.Expr, sp.Expr]]:
    """The exact density and ends of a law; ValueError where they can be none for real parameters."""
    if not isinstance(variable, sp.Symbol) or variable.is_extended_real is not True:
        raise ValueError(
            f"the variable of a law is a real symbol, got {variable!r}: declare it with real=True"
        )
    formula, lower, upper = (_written(e, name) for e in (density, *support))
    if formula.has(sp.DiracDelta):
        raise ValueError(f"{name} has an atom (DiracDelta), which has no density: see `discrete`")
    if (lower, upper) == (-sp.oo, sp.oo) or discrete:
        return formula, (lower, upper)
    if sign(upper - lower) in (0, -1) or (upper - lower).is_nonpositive:
        raise ValueError(f"the support of {name} is empty: it begins at {lower} and ends at {upper}")
    borders = (variable.is_nonnegative, lower), (variable.is_nonpositive, -upper)
    if any(declared and end.is_negative is not False for declared, end in borders):
        raise ValueError(f"{variable} of {name} is declared to have a sign that not all of its support has")
    return formula, (lower, upper)


def _written(e: Any, name: str) -> sp.Expr:
    if not isinstance(e, sp.Expr):
        raise ValueError(f"density and ends of {name} are sympy expressions, got {e!r}")
    if e.has(sp.nan, sp.zoo):
        raise ValueError(f"the law {name} is not defined for these parameters: {e}")
    unreal = sorted(str(s) for s in e.free_symbols if s.is_extended_real is not True)
    if unreal:
        raise ValueError(f"{', '.join(unreal)} in {name} is not known to be real: declare it with real=True")
    floats = e.atoms(sp.Float)
    return e.xreplace({f: rational(float(f)) for f in floats}) if floats else e
