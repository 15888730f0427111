"""Sums, products, quotients and values that stay as they were written, so that a reader sees what a step computes.

Sympy carries out arithmetic as soon as it is written; what is built here keeps its parts until `doit`, or a check, is asked for.
Everything is a plain sympy object: Add, Mul, Pow and functions that were not evaluated.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import TypeAlias

import sympy as sp
from sympy.combinatorics import Permutation
from sympy.concrete.expr_with_limits import ExprWithLimits
from sympy.utilities.iterables import multiset_permutations

Written: TypeAlias = sp.Expr | int | Fraction

_EVALUATED_LATER = (sp.Add, sp.Mul, sp.Pow, sp.Function, sp.Max, sp.Min)


def total(*terms: Written) -> sp.Expr:
    """The sum of the terms, none of them added up.

    >>> total(1, 2, 3)
    1 + 2 + 3
    """
    return _joined(sp.Add, terms)


def difference(first: Written, second: Written) -> sp.Expr:
    """The first less the second.

    >>> x = sp.Symbol("x")
    >>> difference(x, x - 1)
    x - (x - 1)
    """
    taken = _read(second)
    return total(first, -taken if taken.is_Number else product(-1, taken))


def product(*factors: Written) -> sp.Expr:
    """The product of the factors, not multiplied out.

    >>> product(2, power(3, 2))
    2*3**2
    """
    return _joined(sp.Mul, factors)


def weighted(weight: Written, value: Written) -> sp.Expr:
    """Weight times value; a weight of 1 is not written.

    >>> weighted(1, sp.Symbol("x")), weighted(-2, 3)
    (x, -2*3)
    """
    return _read(value) if weight == 1 else product(weight, value)


def quotient(numerator: Written, denominator: Written) -> sp.Expr:
    """The numerator over the denominator, not cancelled; ZeroDivisionError if that is the number 0.

    >>> quotient(total(1, 1), 4)
    (1 + 1)/4
    """
    below = _read(denominator)
    if below.is_zero:
        raise ZeroDivisionError("a quotient as it is written needs a denominator that is not 0")
    if isinstance(below, sp.Pow) and below.exp == sp.Rational(-1, 2):
        below = product(1, below)  # sympy prints the inverse of 1/sqrt(x) as 1/1/sqrt(x)
    return product(numerator, power(below, -1))


def power(base: Written, exponent: Written) -> sp.Expr:
    """The base to the exponent, not carried out.

    >>> power(sp.Rational(1, 2), 2)
    (1/2)**2
    """
    return sp.Pow(_read(base), _read(exponent), evaluate=False)


def root(radicand: Written) -> sp.Expr:
    """The square root, not simplified.

    >>> root(total(1, 3))
    sqrt(1 + 3)
    """
    return power(radicand, sp.Rational(1, 2))


def inner(first: Iterable[Written], second: Iterable[Written]) -> sp.Expr:
    """The sum of the products of entries at the same place; ValueError for different lengths.

    >>> inner([1, 2], [3, 4])
    1*3 + 2*4
    """
    return total(*(product(a, b) for a, b in zip(first, second, strict=True)))


def determinant(matrix: sp.Matrix) -> sp.Expr:
    """The determinant as the signed sum of products over all permutations; zero entries drop their products.

    >>> determinant(sp.Matrix([[2, 1], [1, 3]]))
    -1*1*1 + 2*3
    """
    terms = []
    for permutation in multiset_permutations(list(range(matrix.rows))):
        factors = [matrix[i, k] for i, k in enumerate(permutation)]
        if any(f == 0 for f in factors):
            continue
        odd = Permutation(permutation).is_odd
        terms.append(product(-1, *factors) if odd else product(*factors))
    return total(*terms) if terms else sp.Integer(0)


def applied(function: type[sp.Function], *arguments: Written) -> sp.Expr:
    """The function at the arguments, not evaluated.

    >>> applied(sp.exp, 0)
    exp(0)
    """
    return function(*map(_read, arguments), evaluate=False)


def value_at(expression: sp.Expr, at: Mapping[sp.Expr, Written]) -> sp.Expr:
    """The expression with the values put where the symbols (or functions) of `at` stand, nothing carried out.

    ValueError where a derivative is taken in a symbol that gets a value, or a value contains a variable of integration.

    >>> x = sp.Symbol("x")
    >>> value_at(2 * x**2 + x, {x: 3})
    3 + 2*3**2
    """
    return _put(expression, {key: _read(value) for key, value in at.items()})


def _put(e: sp.Basic, at: Mapping[sp.Expr, sp.Expr]) -> sp.Basic:
    if e in at:
        return at[e]
    if not e.args:
        return e
    if isinstance(e, sp.Derivative):
        if any(v in at for v in e.variables):
            raise ValueError(f"{e} is taken in a symbol that gets a value: carry it out, or write a Subs")
        return sp.Derivative(_put(e.expr, at), *e.variable_count)
    if isinstance(e, ExprWithLimits):
        return _under_the_sign(e, at)
    parts = [_put(part, at) for part in e.args]
    if all(new is old for new, old in zip(parts, e.args, strict=True)):
        return e
    if isinstance(e, _EVALUATED_LATER):
        return _consistent(e.func(*parts, evaluate=False))
    return e.func(*parts)


def _under_the_sign(e: ExprWithLimits, at: Mapping[sp.Expr, sp.Expr]) -> sp.Expr:
    """An integral or a sum: its own variables stay, its ends and what stands under the sign get their values."""
    own = set(e.variables)
    inside = {key: value for key, value in at.items() if key not in own}
    if any(value.free_symbols & own for value in inside.values()):
        raise ValueError(f"a value contains a variable of {e}: give that variable another name")
    ends = [(limit[0], *(_put(end, at) for end in limit[1:])) for limit in e.limits]
    return e.func(_put(e.function, inside), *ends)


def _joined(kind: type[sp.Add] | type[sp.Mul], parts: tuple[Written, ...]) -> sp.Expr:
    if not parts:
        raise TypeError(f"expected at least one part of a {kind.__name__}, got none")
    read = [_read(part) for part in parts]
    return read[0] if len(read) == 1 else _consistent(kind(*read, evaluate=False))


def _consistent(e: sp.Expr) -> sp.Expr:
    """The expression, asked first whether it is zero: sympy 1.14 takes a product with a factor 0 for one that is not even."""
    if e.has(sp.S.Zero):
        _ = e.is_zero
    return e


def _read(value: Written) -> sp.Expr:
    if isinstance(value, Fraction):
        return sp.Rational(value.numerator, value.denominator)
    return sp.sympify(value, strict=True)
