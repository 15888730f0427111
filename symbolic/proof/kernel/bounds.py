"""What is known of functions whatever their argument: e^a >= 1 + a, log t <= t - 1, |erf| < 1, |cos| <= 1, |t| >= t."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction

from .atoms import NEGATIVE, NONNEGATIVE, POSITIVE, Atoms, Sign
from .polynomials import Monomial, Polynomial, constant, multiply
from .quotients import Quotient, number, plus, product

_WITHIN_ONE = {"erf": POSITIVE, "sin": NONNEGATIVE, "cos": NONNEGATIVE}
_MOST_ATOMS = 12
SignOf = Callable[[Quotient], Sign]


def known_bounds(q: Quotient, atoms: Atoms, sign_of: SignOf) -> Iterator[tuple[Quotient, Sign]]:
    """Quotients with their signs, about the atoms of the numerator of q."""
    for n in sorted({n for m in q.numerator for n, _ in m})[:_MOST_ATOMS]:
        yield from _of_atom(n, atoms, sign_of)
    for m in list(q.numerator)[:_MOST_ATOMS]:
        yield from _of_sizes(m, atoms)


def _of_atom(n: int, atoms: Atoms, sign_of: SignOf) -> Iterator[tuple[Quotient, Sign]]:
    atom, one = atoms.known[n], atoms.one(n)
    if atom.kind == "exp":
        sign = sign_of(atom.data)
        yield (
            plus(plus(one, number(1), -1), atom.data, -1),
            POSITIVE if sign in (POSITIVE, NEGATIVE) else NONNEGATIVE,
        )
        if sign == NEGATIVE:
            yield plus(number(1), one, -1), POSITIVE
        if sign == POSITIVE:
            yield plus(one, number(1), -1), POSITIVE
    elif atom.kind == "log":
        above = sign_of(plus(atom.data, number(1), -1))
        strict = POSITIVE if above in (POSITIVE, NEGATIVE) else NONNEGATIVE
        yield plus(plus(atom.data, number(1), -1), one, -1), strict
        if above in (POSITIVE, NONNEGATIVE, NEGATIVE):
            yield one, above
    elif atom.kind in _WITHIN_ONE:
        for side in (1, -1):
            yield plus(number(1), one, side), _WITHIN_ONE[atom.kind]
    elif atom.kind in ("max", "min"):
        for part in atom.data[1]:
            yield product(plus(one, part, -1), number(1 if atom.kind == "max" else -1)), NONNEGATIVE


def _of_sizes(m: Monomial, atoms: Atoms) -> Iterator[tuple[Quotient, Sign]]:
    """|s| |t| is at least s t and -s t."""
    sizes = [(n, e) for n, e in m if atoms.known[n].kind == "abs" and e == 1]
    if not sizes:
        return
    inner: Polynomial = constant(1)
    for n, _ in sizes:
        inner = multiply(inner, atoms.known[n].data.numerator)
    for side in (1, -1):
        yield plus(Quotient({tuple(sizes): Fraction(1)}), Quotient(inner), side), NONNEGATIVE
