"""Formulas written by a user, read by a whitelist on Python's syntax tree: nothing is ever evaluated as code.

Numbers are read as the decimals that stand in the text (0.1 is one tenth), so a parsed formula is exact.
"""

from __future__ import annotations

import ast
import difflib
import keyword
import re
from collections.abc import Callable, Mapping
from decimal import Decimal, InvalidOperation
from functools import partial
from typing import TypeAlias

import sympy as sp

from .defined import hidden_need
from .enclosure import NotEnclosableError, enclose, rational, sign

MAX_CHARACTERS = 400
MAX_NODES = 200
MAX_DEPTH = 30
MAX_DIGITS = 301
MAX_EXPONENT = 64
MAX_BITS = 2500
LARGEST = sp.Integer(10) ** 300

Number: TypeAlias = int | float | str | sp.Expr

CONSTANTS: dict[str, sp.Expr] = {"pi": sp.pi, "e": sp.E, "E": sp.E}

# Name -> (smallest and largest number of arguments, construction).
FUNCTIONS: dict[str, tuple[int, int, Callable[..., sp.Expr]]] = {
    "sqrt": (1, 1, sp.sqrt),
    "exp": (1, 1, sp.exp),
    "log": (1, 1, sp.log),
    "sin": (1, 1, sp.sin),
    "cos": (1, 1, sp.cos),
    "tan": (1, 1, sp.tan),
    "abs": (1, 1, sp.Abs),
    "min": (1, 16, sp.Min),
    "max": (1, 16, sp.Max),
    "erf": (1, 1, sp.erf),
    "erfc": (1, 1, sp.erfc),
    # The spellings in which sympy prints its own expressions, so that a witness can be read again.
    "Abs": (1, 1, sp.Abs),
    "Min": (1, 16, sp.Min),
    "Max": (1, 16, sp.Max),
    "Phi": (1, 1, lambda x: (1 + sp.erf(x / sp.sqrt(2))) / 2),
}

# What a witness may contain beside: functions that sympy writes by these names, evaluated only where a ball knows them.
WITNESS_FUNCTIONS = FUNCTIONS | {
    kind.__name__: (1, 1, kind)
    for kind in (sp.asin, sp.acos, sp.atan, sp.sinh, sp.cosh, sp.tanh, sp.floor, sp.ceiling, sp.sign, sp.cot)
    + (sp.sec, sp.csc, sp.coth, sp.asinh, sp.acosh, sp.atanh)
}
# Sympy would write out the factorial of whatever number it is given: these are left to balls.
WITNESS_FUNCTIONS |= {
    kind.__name__: (count, count, partial(kind, evaluate=False))
    for count, kinds in (
        (1, (sp.gamma, sp.loggamma, sp.factorial)),
        (2, (sp.binomial, sp.beta, sp.polygamma, sp.besseli, sp.besselj, sp.besselk, sp.bessely)),
    )
    for kind in kinds
}

_OPERATORS: dict[type[ast.operator], Callable[[sp.Expr, sp.Expr], sp.Expr]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
    ast.Pow: lambda a, b: a**b,
}

_NUMERAL = re.compile(r"(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?")


class ExpressionError(ValueError):
    """A formula that cannot be read; the message names the place and what would be allowed there."""


def nearest(word: str, words: Mapping[str, object] | list[str]) -> str:
    """The words allowed, led by the one most like `word` if there is one: the tail of an error message."""
    allowed = sorted(words)
    close = difflib.get_close_matches(word, allowed, n=1, cutoff=0.6)
    hint = f"did you mean {close[0]!r}? " if close else ""
    return f"{hint}allowed: {', '.join(allowed) if allowed else 'none'}"


def parse(
    text: str,
    names: Mapping[str, Number] | None = None,
    *,
    characters: int = MAX_CHARACTERS,
    functions: Mapping[str, tuple[int, int, Callable[..., sp.Expr]]] = FUNCTIONS,
) -> sp.Expr:
    """The exact expression written in `text`; `names` gives the meaning of each free name.

    >>> parse("30/sqrt(lambda)", {"lambda": 100})
    3
    """
    tree, reader = opened(text, names, characters=characters, functions=functions)
    return reader.whole(tree)


def opened(
    text: str,
    names: Mapping[str, Number] | None = None,
    *,
    characters: int = MAX_CHARACTERS,
    functions: Mapping[str, tuple[int, int, Callable[..., sp.Expr]]] = FUNCTIONS,
) -> tuple[ast.expr, Reader]:
    """The syntax tree of `text`, of which nothing has been read yet, and what reads its parts."""
    if not isinstance(text, str):
        raise ExpressionError(f"expected a formula as text, got {type(text).__name__}")
    if len(text) > characters:
        raise ExpressionError(f"the formula has {len(text)} characters, at most {characters} are read")
    meanings = {name: _exact(name, value) for name, value in (names or {}).items()}
    source, stand_ins = _without_keywords(text.strip(), meanings)
    try:
        tree = ast.parse(source, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        place = f" at character {error.offset}" if isinstance(error, SyntaxError) and error.offset else ""
        word = next(filter(keyword.iskeyword, re.findall(r"\w+", source)), None)
        why = "a bracket is not closed; " if source.count("(") > source.count(")") else ""
        why += f"{word} is a reserved word, no name; " if word and word not in meanings else ""
        raise ExpressionError(
            f"cannot read {text!r}{place}: {why}expected a formula such as '30/sqrt(2)'"
        ) from None
    if sum(1 for _ in ast.walk(tree)) > 3 * MAX_NODES:
        raise ExpressionError(f"the formula {text[:40]!r}... has more than {MAX_NODES} terms")
    return tree.body, Reader(source, meanings, stand_ins, functions)


def _exact(name: str, value: Number) -> sp.Expr:
    if isinstance(value, sp.Expr):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ExpressionError(f"the name {name!r} does not stand for a number")
    return rational(value)


def _without_keywords(text: str, names: Mapping[str, object]) -> tuple[str, dict[str, str]]:
    """The text with Python keywords used as names (lambda) replaced by stand-ins of equal length."""
    stand_ins: dict[str, str] = {}
    for name in names:
        if keyword.iskeyword(name) and re.search(rf"\b{name}\b", text):
            for last in "_0123456789":
                stand_in = name[:-1] + last
                if stand_in not in names and stand_in not in text:
                    break
            text = re.sub(rf"\b{name}\b", stand_in, text)
            stand_ins[stand_in] = name
    return text, stand_ins


class Reader:
    """Reads parts of one syntax tree; every kind of node that is not named here is refused."""

    def __init__(
        self,
        source: str,
        names: Mapping[str, sp.Expr],
        stand_ins: Mapping[str, str],
        functions: Mapping[str, tuple[int, int, Callable[..., sp.Expr]]],
    ) -> None:
        self.functions = functions
        self.partial: list[sp.Expr] = []  # what may be undefined somewhere, as it was written
        self.source = source
        self.names = names
        self.stand_ins = stand_ins

    def whole(self, node: ast.expr) -> sp.Expr:
        """The expression of a part that stands for itself, such as a side of a relation."""
        self.partial = []
        value = self.read(node, 0)
        lost = hidden_need([part for part in self.partial if part.free_symbols], value)
        if lost is not None:
            shown = self.shown(ast.get_source_segment(self.source, node) or self.source)
            raise ExpressionError(
                f"the formula {shown[:80]!r} is not defined everywhere, {lost}: write what you mean"
            )
        return value

    def fail(self, node: ast.expr, message: str) -> ExpressionError:
        before = self.source.encode()[: node.col_offset].decode(errors="ignore")
        return ExpressionError(
            f"in the formula {self.shown(self.source)!r} at character {len(before) + 1}: {message}"
        )

    def shown(self, source: str) -> str:
        """A piece of the text as it was written."""
        for stand_in, name in self.stand_ins.items():
            source = source.replace(stand_in, name)
        return source

    def read(self, node: ast.expr, depth: int) -> sp.Expr:
        if depth > MAX_DEPTH:
            raise self.fail(node, f"nested more than {MAX_DEPTH} deep")
        match node:
            case ast.Constant():
                value = self.number(node)
            case ast.Name():
                value = self.name(node)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                value = -self.read(operand, depth + 1)
            case ast.UnaryOp(op=ast.UAdd(), operand=operand):
                value = self.read(operand, depth + 1)
            case ast.BinOp():
                value = self.binary(node, depth)
            case ast.Call():
                value = self.call(node, depth)
            case _:
                kind = type(node).__name__
                raise self.fail(node, f"{kind} is not allowed: use numbers, names, + - * / ** and functions")
        return self.bounded(node, value)

    def number(self, node: ast.Constant) -> sp.Expr:
        literal = ast.get_source_segment(self.source, node) or ""
        if isinstance(node.value, bool) or not _NUMERAL.fullmatch(literal):
            raise self.fail(node, f"expected a decimal number, got {literal[:40]!r}")
        try:
            decimal = Decimal(literal.replace("_", ""))
        except InvalidOperation:
            raise self.fail(node, f"expected a decimal number, got {literal[:40]!r}") from None
        _, digits, exponent = decimal.as_tuple()
        if len(digits) > MAX_DIGITS or not isinstance(exponent, int) or abs(exponent) > 320:
            raise self.fail(node, f"a number may have at most {MAX_DIGITS} digits and an exponent up to 300")
        return sp.Rational(str(decimal))

    def name(self, node: ast.Name) -> sp.Expr:
        name = self.stand_ins.get(node.id, node.id)
        if name in self.names:
            return self.names[name]
        if name in CONSTANTS:
            return CONSTANTS[name]
        if name in self.functions:
            raise self.fail(node, f"{name} is a function: write {name}(...)")
        raise self.fail(node, f"unknown name {name!r}; {nearest(name, {**self.names, **CONSTANTS})}")

    def binary(self, node: ast.BinOp, depth: int) -> sp.Expr:
        operation = _OPERATORS.get(type(node.op))
        if operation is None:
            hint = "write ** for a power" if isinstance(node.op, ast.BitXor) else "use + - * / **"
            raise self.fail(node, f"the operator {type(node.op).__name__} is not allowed: {hint}")
        left, right = self.read(node.left, depth + 1), self.read(node.right, depth + 1)
        if isinstance(node.op, ast.Div) and right.is_zero:
            raise self.fail(node.right, "division by zero")
        if isinstance(node.op, ast.Pow):
            if left.is_zero and not right.is_positive:
                raise self.fail(node, "zero to a power that is not positive")
            # Sympy evaluates an integer power at once: the exponent is limited before it gets the chance.
            if right.is_number and sign(sp.Abs(right) - MAX_EXPONENT) in (1, None) and right != MAX_EXPONENT:
                raise self.fail(node.right, f"an exponent may be at most {MAX_EXPONENT} in absolute value")
            self.partial.append(left**right)
        if isinstance(node.op, ast.Div):
            self.partial.append(1 / right)
        return operation(left, right)

    def call(self, node: ast.Call, depth: int) -> sp.Expr:
        if not isinstance(node.func, ast.Name):
            raise self.fail(node, "only named functions can be called")
        name = node.func.id
        if name not in self.functions:
            raise self.fail(node, f"unknown function {name!r}; {nearest(name, self.functions)}")
        if node.keywords or any(isinstance(a, ast.Starred) for a in node.args):
            raise self.fail(node, f"{name} takes plain arguments only")
        least, most, construct = self.functions[name]
        if not least <= len(node.args) <= most:
            wanted = f"{least}" if least == most else f"{least} to {most}"
            raise self.fail(
                node,
                f"{name} takes {wanted} {'argument' if wanted == '1' else 'arguments'}, got {len(node.args)}",
            )
        arguments = [self.read(a, depth + 1) for a in node.args]
        for argument, given in zip(arguments, node.args, strict=True):
            if name == "log" and argument.is_number and sign(argument) in (0, -1):
                raise self.fail(given, "the logarithm needs a positive number")
            if name == "sqrt" and argument.is_number and sign(argument) == -1:
                raise self.fail(given, "the square root needs a number that is not negative")
        value = construct(*arguments)
        self.partial.append(value)
        return value

    def bounded(self, node: ast.expr, value: sp.Expr) -> sp.Expr:
        """The value, if its numbers are of reasonable size and it is real or still contains symbols."""
        if any(max(r.p.bit_length(), r.q.bit_length()) > MAX_BITS for r in value.atoms(sp.Rational)):
            raise self.fail(node, f"the value needs more than {MAX_BITS} bits")
        if value.free_symbols:
            return value
        try:
            ball = enclose(value, bits=80)
        except NotEnclosableError:
            ball = None
        if ball is None or not ball.is_finite():
            raise self.fail(node, "the value is not a finite real number")
        if not abs(ball) < enclose(LARGEST):
            raise self.fail(node, "the value is beyond 1e300")
        return value
