"""Derivatives of normal forms, by the chain rule over their atoms; Rejected for atoms whose derivative is not in the language."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from .atoms import Atom
from .context import Context
from .dependence import depends_on
from .functions import function, polygamma
from .language import Rejected
from .polynomials import Polynomial, times
from .quotients import Quotient, number, plus, power, product, reciprocal


def derivative(q: Quotient, variable: int, context: Context) -> Quotient:
    """The slope of q in the variable of this number."""
    found = _of_polynomial(q.numerator, variable, context)
    for factor, times_ in q.denominator.items():
        found = product(found, Quotient({(): Fraction(1)}, {factor: times_}))
    # (n / d^k)' = n' / d^k - k (n / d^k) d' / d, one factor after the other.
    for factor, times_ in q.denominator.items():
        slope = _of_polynomial(dict(factor), variable, context)
        if slope.numerator:
            found = plus(found, product(product(q, slope), reciprocal(Quotient(dict(factor)))), -times_)
    return found


def _of_polynomial(a: Polynomial, variable: int, context: Context) -> Quotient:
    found = number(0)
    slopes: dict[int, Quotient] = {}
    for m, c in a.items():
        for atom, e in m:
            if not depends_on(atom, variable, context.atoms):
                continue
            if atom not in slopes:
                slopes[atom] = _of_atom(atom, variable, context)
            rest = {times(m, ((atom, -1),)): c * Fraction(e)}
            found = plus(found, product(Quotient(rest), slopes[atom]))
    return found


def _of_atom(atom: int, variable: int, context: Context) -> Quotient:
    """The slope of an atom."""
    if atom == variable:
        return number(1)
    known = context.atoms.known[atom]
    one = context.atoms.one
    if known.kind == "exp":
        return product(one(atom), derivative(known.data, variable, context))
    if known.kind == "root":
        # The atom stands for t itself, whose fractional powers are kept.
        return derivative(Quotient(known.data), variable, context)
    if known.kind == "log":
        return product(derivative(known.data, variable, context), reciprocal(known.data))
    if known.kind == "fn":
        return _of_unknown(atom, variable, context)
    if known.kind not in _SLOPES:
        raise Rejected(f"the derivative of {known.kind} is not in the language")
    of = known.data[1][0]
    return product(_SLOPES[known.kind](of, known.data[0], context), derivative(of, variable, context))


def _of_unknown(atom: int, variable: int, context: Context) -> Quotient:
    """The chain rule for a function of which nothing is known but that it is smooth; orders stand beside its name."""
    (name, arguments), found = context.atoms.known[atom].data, number(0)
    name, orders = name if isinstance(name, tuple) else (name, (0,) * len(arguments))
    for i, argument in enumerate(arguments):
        slope = derivative(argument, variable, context)
        if slope.numerator:
            raised = (name, tuple(o + (j == i) for j, o in enumerate(orders)))
            key = (raised, tuple(q.key for q in arguments), None)
            new = context.atoms.number("fn", key, Atom("fn", (raised, arguments)))
            found = plus(found, product(context.atoms.one(new), slope))
    return found


def _of_erf(q: Quotient, context: Context) -> Quotient:
    bell = function("exp", [product(power(q, 2), number(-1))], context)
    root_pi = Quotient({((context.constant("pi"), Fraction(-1, 2)),): Fraction(2)})
    return product(bell, root_pi)


# Of the argument, and the name or order of the function.
_SLOPES: dict[str, Callable[[Quotient, Any, Context], Quotient]] = {
    "sin": lambda q, _, c: function("cos", [q], c),
    "cos": lambda q, _, c: product(function("sin", [q], c), number(-1)),
    "erf": lambda q, _, c: _of_erf(q, c),
    "atan": lambda q, _, c: reciprocal(plus(number(1), power(q, 2))),
    "gamma": lambda q, _, c: product(function("gamma", [q], c), polygamma(0, q, c)),
    "loggamma": lambda q, _, c: polygamma(0, q, c),
    "polygamma": lambda q, order, c: polygamma(order + 1, q, c),
}
