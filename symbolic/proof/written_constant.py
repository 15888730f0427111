"""A constant as it is written in a file, enclosed in a ball: read by a whitelist, without sympy, in bounded time."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from decimal import Decimal
from functools import reduce

from flint import arb, ctx, fmpq

CHARACTERS = 20_000
_DIGITS, _EXPONENT, _DEPTH = 5_000, 400, 150
_LARGEST = 2.0**20  # of the logarithm of a number: an exponent beyond it would take memory, not say anything
_NUMERAL = re.compile(r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,6})?", re.ASCII)

_UNARY: dict[str, Callable[[arb], arb]] = {
    "exp": arb.exp,
    "log": arb.log,
    "sqrt": arb.sqrt,
    "sin": arb.sin,
    "cos": arb.cos,
    "tan": arb.tan,
    "atan": arb.atan,
    "erf": arb.erf,
    "erfc": arb.erfc,
    "Abs": abs,
    "abs": abs,
    "Phi": lambda x: (1 + (x / arb(2).sqrt()).erf()) / 2,
}
_LEAST: dict[str, Callable[[arb, arb], arb]] = {
    "Max": arb.max,
    "max": arb.max,
    "Min": arb.min,
    "min": arb.min,
}
_CONSTANTS: dict[str, Callable[[], arb]] = {"pi": arb.pi, "E": arb.const_e, "e": arb.const_e}


class _NoConstantError(ValueError):
    """The text has a part that is no number known here."""


def enclosed(text: str, bits: int = 320) -> arb | None:
    """A ball around the constant that `text` writes; None if it has symbols, other functions, or no finite value.

    >>> enclosed("2**-128 + sqrt(2)") < 2, enclosed("x + 1")
    (True, None)
    """
    if len(text) > CHARACTERS:
        return None
    try:
        tree = ast.parse(text.strip(), mode="eval")
        with ctx.workprec(bits):
            return _ball(tree.body, text.strip(), 0)
    except (SyntaxError, ValueError, ArithmeticError, RecursionError, MemoryError):
        return None


def certainty(left: str, relation: str, right: str) -> bool | None:
    """Whether a comparison of two written constants is certainly true or certainly false; None if neither is known."""
    one, two = enclosed(left), enclosed(right)
    if one is None or two is None:
        return None
    falls = {"=": not one.overlaps(two), "<=": one > two, ">=": one < two, "<": one >= two, ">": one <= two}
    stands = {"=": one == two, "<=": one <= two, ">=": one >= two, "<": one < two, ">": one > two}
    return False if falls.get(relation) else True if stands.get(relation) else None


def _ball(node: ast.expr, source: str, depth: int) -> arb:
    if depth > _DEPTH:
        raise _NoConstantError("nested too deeply")
    match node:
        case ast.Constant():
            value = _numeral(_written(source, node))
        case ast.Name(id=name) if name in _CONSTANTS:
            value = _CONSTANTS[name]()
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            value = -_ball(inner, source, depth + 1)
        case ast.UnaryOp(op=ast.UAdd(), operand=inner):
            value = _ball(inner, source, depth + 1)
        case ast.BinOp(left=left, op=operation, right=right):
            value = _combined(operation, _ball(left, source, depth + 1), _ball(right, source, depth + 1))
        case ast.Call(func=ast.Name(id=name), args=[inner], keywords=[]) if name in _UNARY:
            value = _UNARY[name](_ball(inner, source, depth + 1))
        case ast.Call(func=ast.Name(id=name), args=[*inner], keywords=[]) if name in _LEAST and inner:
            value = reduce(_LEAST[name], (_ball(one, source, depth + 1) for one in inner))
        case _:
            raise _NoConstantError(type(node).__name__)
    if not value.is_finite() or not abs(value) < arb(2) ** _LARGEST:
        raise _NoConstantError("no number of a size that is read")
    return value


def _written(source: str, node: ast.expr) -> str:
    """The text of a node; of one line without splitting that anew for each number of a long formula."""
    if source.isascii() and "\n" not in source and "\r" not in source:
        return source[node.col_offset : node.end_col_offset]
    return ast.get_source_segment(source, node) or ""


def _numeral(text: str) -> arb:
    if not _NUMERAL.fullmatch(text) or len(text) > _DIGITS:
        raise _NoConstantError(text[:40])
    _, digits, exponent = Decimal(text).as_tuple()
    if not isinstance(exponent, int) or abs(exponent + len(digits)) > _EXPONENT + len(digits):
        raise _NoConstantError(text[:40])
    return arb(fmpq(*Decimal(text).as_integer_ratio()))


def _combined(operation: ast.operator, left: arb, right: arb) -> arb:
    match operation:
        case ast.Add():
            return left + right
        case ast.Sub():
            return left - right
        case ast.Mult():
            return left * right
        case ast.Div():
            return left / right
        case ast.Pow():
            return _power(left, right)
    raise _NoConstantError(type(operation).__name__)


def _power(base: arb, exponent: arb) -> arb:
    if not abs(exponent) < _LARGEST:
        raise _NoConstantError("an exponent beyond what is read")
    if base.is_zero():
        if exponent > 0:
            return arb(0)
        return arb(1) if exponent.is_zero() else arb("nan")
    return base**exponent
