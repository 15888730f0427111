"""Balls around the values of normal forms, by python-flint's Arb: signs of constants, and of functions over boxes."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from flint import arb, ctx, fmpq

from .atoms import NEGATIVE, POSITIVE, Atoms, Sign
from .dependence import parts
from .language import Rejected, spend
from .polynomials import Polynomial
from .quotients import Quotient

_PRECISIONS = (64, 256)
Box = Mapping[int, tuple[Fraction, Fraction]]
_FUNCTIONS = {
    name: getattr(arb, name)
    for name in ("sin", "cos", "asin", "acos", "atan", "erf", "gamma", "floor", "ceil")
} | {"loggamma": arb.lgamma, "ceiling": arb.ceil}


def ball(q: Quotient, atoms: Atoms, at: Mapping[int, arb]) -> arb:
    """A ball around all values of q while the variables stay in theirs; Rejected where an atom has no enclosure."""
    found = _of_polynomial(q.numerator, atoms, at)
    for factor, times in q.denominator.items():
        found = found / _of_polynomial(dict(factor), atoms, at) ** times
    return found


def _of_polynomial(a: Polynomial, atoms: Atoms, at: Mapping[int, arb]) -> arb:
    total = arb(0)
    spend(10 * len(a))
    for m, c in a.items():
        term = _rational(c)
        for number, e in m:
            value = _of_atom(number, atoms, at)
            if isinstance(e, int):
                # A ball around 0 has no power by Arb but by products.
                term = term * (value**e if e < 0 else _power(value, e))
            else:
                term = term * value ** _rational(e)
        total += term
    return total


def _power(value: arb, e: int) -> arb:
    if e % 2 == 0:
        # An even power is that of the absolute value.
        value = abs(value)
    found = arb(1)
    for _ in range(e if e <= 64 else 0):
        found = found * value
    return found if e <= 64 else value**e


def _rational(value: Fraction) -> arb:
    return arb(fmpq(value.numerator, value.denominator))


def _of_atom(number: int, atoms: Atoms, at: Mapping[int, arb]) -> arb:
    if number in at:
        return at[number]
    atom = atoms.known[number]
    if atom.kind == "prime":
        return arb(atom.data)
    if atom.kind == "const":
        return arb.pi() if atom.data == "pi" else arb.const_euler()
    if atom.kind == "root":
        return _of_polynomial(atom.data, atoms, at)
    if atom.kind in ("exp", "log", "abs"):
        inner = ball(atom.data, atoms, at)
        return _number(abs(inner) if atom.kind == "abs" else getattr(inner, atom.kind)())
    if atom.kind in ("max", "min"):
        several = [ball(q, atoms, at) for q in atom.data[1]]
        found = several[0]
        for other in several[1:]:
            found = getattr(found, atom.kind)(other)
        return found
    if atom.kind in _FUNCTIONS and len(atom.data[1]) == 1:
        return _number(_FUNCTIONS[atom.kind](ball(atom.data[1][0], atoms, at)))
    raise Rejected(f"no enclosure of {atom.kind}")


def _number(value: Any) -> arb:
    return arb(value)


def sign_over(
    q: Quotient, atoms: Atoms, at: Mapping[int, arb], precisions: tuple[int, ...] = _PRECISIONS
) -> Sign:
    """ "> 0" or "< 0" where the ball says so; None otherwise."""
    for bits in precisions:
        with ctx.workprec(bits):
            try:
                found = ball(q, atoms, at)
            except Rejected:
                return None
            if found.is_finite() and (found > 0 or found < 0):
                return POSITIVE if found > 0 else NEGATIVE
    return None


def is_constant(q: Quotient, atoms: Atoms) -> bool:
    """Whether it has no variables and nothing that depends on them."""
    return all(
        _atom_is_constant(n, atoms) for p in (q.numerator, *map(dict, q.denominator)) for m in p for n, _ in m
    )


def _atom_is_constant(number: int, atoms: Atoms) -> bool:
    atom = atoms.known[number]
    if atom.kind in ("var", "tr", "sum", "int", "fn", "from one"):
        return False
    return all(is_constant(q, atoms) for q in parts(atom))


def keeps_sign(
    q: Quotient, atoms: Atoms, box: Box, slopes: Mapping[int, Quotient] | None = None, most: int = 4_000
) -> Sign:
    """The one strict sign of q over the whole box, by halving its longest side into at most `most` boxes; Rejected where these do not do.

    `slopes` are those of q in all variables of the box: with them the mean value form is tried too.
    """
    stack, tried, signs = [dict(box)], 0, set()
    while stack:
        tried += 1
        if tried > most:
            raise Rejected(f"no strict sign after {most:,} boxes")
        one = stack.pop()
        sign = sign_over(q, atoms, {n: _interval(*ends) for n, ends in one.items()}, _PRECISIONS[:1])
        if sign is None and slopes is not None:
            sign = _by_mean_value(q, slopes, atoms, one)
        if sign is None:
            longest = max(one, key=lambda n: one[n][1] - one[n][0])
            low, high = one[longest]
            middle = (low + high) / 2
            stack += [{**one, longest: (low, middle)}, {**one, longest: (middle, high)}]
        else:
            signs.add(sign)
    return signs.pop() if len(signs) == 1 else None


def _by_mean_value(q: Quotient, slopes: Mapping[int, Quotient], atoms: Atoms, box: Box) -> Sign:
    """From the value at the centre and the slopes over the box: where these are finite q is differentiable there."""
    with ctx.workprec(_PRECISIONS[0]):
        try:
            over = {n: _interval(*ends) for n, ends in box.items()}
            found = ball(q, atoms, {n: _rational((a + b) / 2) for n, (a, b) in box.items()})
            for n, (a, b) in box.items():
                found += ball(slopes[n], atoms, over) * _interval((a - b) / 2, (b - a) / 2)
        except Rejected:
            return None
        if found.is_finite() and (found > 0 or found < 0):
            return POSITIVE if found > 0 else NEGATIVE
    return None


def _interval(low: Fraction, high: Fraction) -> arb:
    return _rational(low).union(_rational(high))
