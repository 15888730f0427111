"""Signs that sympy does not know: of erfc, of Bessel functions and zeta, of one less what an exponential leaves of it."""

from __future__ import annotations

import sympy as sp


def with_known_signs(e: sp.Expr) -> sp.Expr:
    """The expression with a positive symbol for each part that is known to be positive (DLMF 7.2, 10.25, 25.2)."""
    met: dict[sp.Expr, sp.Symbol] = {}

    def stand_in(part: sp.Expr) -> sp.Symbol:
        return met.setdefault(part, sp.Dummy(positive=True))

    # Sums first: once a function in them is a symbol, what is left of one is no longer seen.
    return e.replace(_sum, stand_in).replace(_positive, stand_in)


def _positive(e: sp.Expr) -> bool:
    if isinstance(e, sp.erfc):
        return bool(e.args[0].is_real)
    if isinstance(e, sp.besseli | sp.besselk):
        return bool(e.args[0].is_nonnegative and e.args[1].is_positive)
    if isinstance(e, sp.zeta):
        return bool((e.args[0] - 1).is_positive)
    return False


def _sum(e: sp.Expr) -> bool:
    if isinstance(e, sp.Add):
        whole, rest = e.as_coeff_Add()
        # c - c exp(x) with x < 0, 2 - erfc(x), 1 + erf(x), and c - c b^p with 0 < b < 1.
        factor, tail = rest.as_coeff_Mul()
        if isinstance(tail, sp.exp):
            return bool(whole.is_positive and whole + factor == 0 and tail.args[0].is_negative)
        if isinstance(tail, sp.erfc):  # it lies between 0 and 2
            return bool(factor.is_negative and whole + 2 * factor == 0 and tail.args[0].is_real)
        if isinstance(tail, sp.Pow):  # a positive power of what lies between 0 and 1
            between = tail.base.is_positive and sp.factor(1 - tail.base).is_positive
            return bool(whole.is_positive and whole + factor == 0 and between and tail.exp.is_positive)
        return bool(isinstance(tail, sp.erf) and whole == abs(factor) and tail.args[0].is_real)
    return False
