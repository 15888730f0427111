"""Whether a candidate has a derivative everywhere inside of its interval, so that the Euler-Lagrange equation says all of it."""

from __future__ import annotations

import sympy as sp

from ...laws.domains import inside
from ...proof.defined import open_need
from ...proof.fact import Fact
from ...proof.truth import Truth
from ..lifting import KINKED


def smooth_inside(candidate: sp.Expr, x: sp.Symbol, low: sp.Expr, high: sp.Expr) -> Fact:
    """HOLDS where the candidate and its first two derivatives are formulas without kinks, defined at every point inside; UNKNOWN otherwise."""
    kinks = [k for k in candidate.atoms(*KINKED) if k.has(x)]
    if kinks:
        return Fact(Truth.UNKNOWN, f"{kinks[0]} may have a kink or a jump, which the equation does not see")
    derivatives = [candidate, sp.diff(candidate, x), sp.diff(candidate, x, 2)]
    need = open_need([e.subs(x, inside(low, high)) for e in derivatives])
    if need is not None:
        return Fact(Truth.UNKNOWN, f"it is not known to be smooth inside: {need}")
    return Fact(Truth.HOLDS, "it is smooth inside of the interval")
