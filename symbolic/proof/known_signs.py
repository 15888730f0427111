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
    """Whether a number is more than what the other terms can take from it; each of them takes less than its bound."""
    if not isinstance(e, sp.Add):
        return False
    if len(e.args) == 2 and all(isinstance(a.as_coeff_Mul()[1], sp.erf) for a in e.args):
        # c erf(a) - c erf(b) with a > b: erf grows.
        (c, one), (d, two) = sorted((a.as_coeff_Mul() for a in e.args), key=lambda t: -t[0])
        if c.is_positive and c + d == 0:
            return bool(
                one.args[0].is_real
                and two.args[0].is_real
                and sp.expand(one.args[0] - two.args[0]).is_positive
            )
    left, rest = e.as_coeff_Add()
    growing = [t.as_coeff_Mul() for t in sp.Add.make_args(rest)]
    if left.is_negative and all(c.is_nonnegative for c, _ in growing):
        # c exp(x) > c for x > 0, and what else is there is not negative.
        grown = sum((c for c, t in growing if isinstance(t, sp.exp) and t.args[0].is_positive), sp.Integer(0))
        rest_known = all(t.is_nonnegative for _, t in growing)
        return bool(rest_known and grown and (grown + left).is_nonnegative)
    bounded = False
    for term in sp.Add.make_args(rest):
        factor, tail = term.as_coeff_Mul()
        bound = _bound(tail)
        if bound is not None and factor.is_negative:
            left, bounded = left + factor * bound, True
        elif isinstance(tail, sp.erf) and tail.args[0].is_real:
            left, bounded = left - factor, True
        elif not term.is_nonnegative:
            return False
    return bool(bounded and left.is_nonnegative)


def _bound(tail: sp.Expr) -> sp.Expr | None:
    """A number that the function never reaches, and is above zero by."""
    if isinstance(tail, sp.exp) and tail.args[0].is_negative:
        return sp.Integer(1)
    if isinstance(tail, sp.erf | sp.erfc) and tail.args[0].is_real:
        return sp.Integer(1 if isinstance(tail, sp.erf) else 2)
    if isinstance(tail, sp.Pow) and tail.exp.is_positive:  # a positive power of what lies between 0 and 1
        return sp.Integer(1) if tail.base.is_positive and sp.factor(1 - tail.base).is_positive else None
    return None
