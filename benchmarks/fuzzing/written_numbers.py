"""Formulas of witnesses in mpmath, by a walk of its own over Python's syntax tree, and relations between their values."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath as mp

_NUMERAL = re.compile(r"-?\d+(\.\d*)?([eE][+-]?\d+)?(/\d+)?")
_NAMES = {"pi": mp.pi, "e": mp.e, "E": mp.e}
_CALLS = {
    "sqrt": mp.sqrt,
    "exp": mp.exp,
    "log": mp.log,
    "sin": mp.sin,
    "cos": mp.cos,
    "erf": mp.erf,
    "erfc": mp.erfc,
    "Abs": abs,
    "abs": abs,
}


def number(text: Any, at: dict[str, Any] | None = None) -> Any:
    """A formula in mpmath, by a walk of its own over Python's syntax tree."""
    names = {**_NAMES, **(at or {})}

    def walk(node: Any) -> Any:
        match node:
            case ast.Constant():
                return mp.mpf(ast.get_source_segment(text, node).replace("_", ""))
            case ast.Name(id=name):
                return mp.mpf(names[name])
            case ast.UnaryOp(op=ast.USub(), operand=x):
                return -walk(x)
            case ast.UnaryOp(op=ast.UAdd(), operand=x):
                return walk(x)
            case ast.BinOp(left=x, op=op, right=y):
                a, b = walk(x), walk(y)
                match op:
                    case ast.Add():
                        return a + b
                    case ast.Sub():
                        return a - b
                    case ast.Mult():
                        return a * b
                    case ast.Div():
                        return a / b
                return a**b
            case ast.Call(func=ast.Name(id=name), args=args):
                calls: dict[str, Callable[..., Any]] = {
                    **_CALLS,
                    "Max": max,
                    "Min": min,
                    "max": max,
                    "min": min,
                }
                return calls[name](*map(walk, args))
        raise ValueError(f"no formula: {text[:40]}")

    with mp.workdps(60):
        text = str(int(text) if isinstance(text, bool) else text).strip()
        if _NUMERAL.fullmatch(text):
            exact = Fraction(text)
            return mp.mpf(exact.numerator) / exact.denominator
        return walk(ast.parse(text, mode="eval").body)


def fails(left: Any, relation: str, right: Any) -> bool:
    gap = left - right
    near = abs(gap) < mp.mpf(10) ** -45 * (1 + abs(left))
    return {
        "=": not near,
        "<=": gap > 0 and not near,
        ">=": gap < 0 and not near,
        "<": gap >= 0 or near,
        ">": gap <= 0 or near,
    }[relation]
