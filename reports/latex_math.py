"""Expression text becomes LaTeX mathematics by a walk over Python's syntax tree that knows a short list of nodes.

Nothing is evaluated.  Names hold letters, digits and underscores only, so that no text of a stranger becomes a command.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from .latex_text import verbatim
from .notation import (
    CAPITALS,
    DIGITS,
    GREEK,
    LONG,
    RELATION_CALLS,
    SPELLED,
    VARIANTS,
    Binding,
    Piece,
    UnknownNotationError,
    digits,
    is_long,
    name_parts,
    relation_sign,
    written,
)

RELATIONS = {
    "=": "=",
    "==": "=",
    "!=": r"\neq ",
    "<=": r"\leq ",
    ">=": r"\geq ",
    "<": "<",
    ">": ">",
    "in": r"\in ",
    "~": r"\sim ",
}
_GREEK = {*GREEK, *CAPITALS, *VARIANTS}
_CONSTANTS = {
    "oo": r"\infty ",
    "inf": r"\infty ",
    "pi": r"\pi ",
    "E": r"\mathrm{e}",
    "Reals": r"\mathbb{R}",
    "nan": r"\mathrm{undefined}",
    "zoo": r"\mathrm{undefined}",
}
_ACCENTS = {"hat": r"\hat", "tilde": r"\tilde", "bar": r"\bar", "dot": r"\dot"}
_FUNCTIONS = {
    "log": r"\log ",
    "ln": r"\log ",
    "sin": r"\sin ",
    "cos": r"\cos ",
    "tan": r"\tan ",
    "Max": r"\max ",
    "max": r"\max ",
    "Min": r"\min ",
    "min": r"\min ",
    "gamma": r"\Gamma ",
    "E": r"\mathbb{E}",
    "Expectation": r"\mathbb{E}",
    "exp": r"\exp ",
    "Determinant": r"\det ",
    "det": r"\det ",
    "trace": r"\mathrm{Tr}",
    "Trace": r"\mathrm{Tr}",
}
# TeX breaks a formula at its signs only, not between factors, digits or arguments.
_MAY_BREAK = r"\allowbreak "
_FENCES = {"Abs": "|", "abs": "|", "Norm": r"\|"}


def expression(text: str) -> str:
    """One expression between \\( and \\), or as typewriter text where it cannot be read."""
    try:
        return rf"\({written(text, _walk).body}\)"
    except UnknownNotationError:
        return verbatim(text)


def relation(left: str, sign: str, right: str) -> str:
    """`left sign right` in one formula; a side that cannot be read leaves both as typewriter text."""
    try:
        if sign not in RELATIONS:
            raise UnknownNotationError(sign)
        sides = [_wrap(written(text, _walk), Binding.SUM) for text in (left, right)]
    except UnknownNotationError:
        return verbatim(f"{left} {sign} {right}".strip())
    return rf"\({sides[0]} {RELATIONS[sign]} {sides[1]}\)"


def _walk(node: ast.expr) -> Piece:
    match node:
        case ast.Constant(value=bool() as truth):
            return Piece(rf"\mathrm{{{'true' if truth else 'false'}}}", Binding.ATOM)
        case ast.Constant(value=int() | float() as value):
            return _number(value)
        case ast.Name(id=identifier):
            return Piece(_name(identifier), Binding.ATOM)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return Piece("-" + _wrap(_walk(operand), Binding.PRODUCT), Binding.SUM)
        case ast.UnaryOp(op=ast.Not() | ast.Invert(), operand=operand):
            return Piece(r"\neg " + _wrap(_walk(operand), Binding.POWER), Binding.NOT)
        case ast.BinOp(op=ast.Add() | ast.Sub() as op, left=left, right=right):
            sign = "+" if isinstance(op, ast.Add) else "-"
            return Piece(
                f"{_wrap(_walk(left), Binding.SUM)} {sign} {_wrap(_walk(right), Binding.PRODUCT)}",
                Binding.SUM,
            )
        case ast.BinOp(op=ast.Mult() | ast.MatMult() | ast.Div() as op, left=left, right=right):
            minus, first = _without_minus(left)
            body = _product(first, right, _MAY_BREAK if is_long(left) else "")
            if isinstance(op, ast.Div):
                body = _slashed(first, right) if is_long(left) or is_long(right) else _fraction(first, right)
            return Piece("-" + body, Binding.SUM) if minus else Piece(body, Binding.PRODUCT)
        case ast.BinOp(op=ast.Pow(), left=base, right=exponent):
            return Piece(f"{_base(base)}^{{{_walk(exponent).body}}}", Binding.POWER)
        case ast.BinOp(op=ast.BitAnd() | ast.BitOr() as op, left=left, right=right):
            return _connective(isinstance(op, ast.BitAnd), [left, right])
        case ast.BoolOp(op=op, values=values):
            return _connective(isinstance(op, ast.And), values)
        case ast.Compare(left=left, ops=ops, comparators=rights):
            body = _wrap(_walk(left), Binding.SUM)
            for each, right in zip(ops, rights, strict=True):
                body += f" {RELATIONS[relation_sign(each)]} {_wrap(_walk(right), Binding.SUM)}"
            return Piece(body, Binding.RELATION)
        case ast.Call(func=ast.Name(id=identifier), args=arguments, keywords=[]):
            return _call(identifier, arguments)
        case ast.Attribute(value=value, attr="T"):
            return Piece(rf"{_wrap(_walk(value), Binding.ATOM)}^{{\top}}", Binding.POWER)
        case ast.Subscript(value=value, slice=index):
            items = index.elts if isinstance(index, ast.Tuple) else [index]
            return Piece(f"{{{_wrap(_walk(value), Binding.ATOM)}}}_{{{_listed(items)}}}", Binding.ATOM)
        case ast.Tuple(elts=items):
            return Piece(_fenced("(", _listed(items), ")"), Binding.ATOM)
        case ast.List(elts=items):
            return Piece(_fenced("[", _listed(items), "]"), Binding.ATOM)
    raise UnknownNotationError(type(node).__name__)


def _number(value: float) -> Piece:
    mantissa, power = digits(value)
    if power is None:
        parts = [mantissa[start : start + DIGITS] for start in range(0, len(mantissa), DIGITS)]
        return Piece(_MAY_BREAK.join(parts), Binding.ATOM)
    return Piece(rf"{mantissa} \cdot 10^{{{power}}}", Binding.PRODUCT)


def _without_minus(node: ast.expr) -> tuple[bool, Piece]:
    """Whether a factor starts with a minus, and the rest of it: the sign of -x/2 belongs before the fraction."""
    piece = _walk(node)
    product = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.MatMult | ast.Div)
    if (
        piece.binding is Binding.SUM
        and piece.body.startswith("-")
        and (product or isinstance(node, ast.UnaryOp))
    ):
        return True, Piece(piece.body[1:], Binding.PRODUCT)
    return False, piece


def _fraction(above: Piece, below: ast.expr) -> str:
    return rf"\frac{{{above.body}}}{{{_walk(below).body}}}"


def _slashed(above: Piece, below: ast.expr) -> str:
    """A fraction in which lines break; what divides stands in parentheses where it is no single factor."""
    may_break = _MAY_BREAK if is_long(below) else ""
    return f"{_wrap(above, Binding.PRODUCT)} / {may_break}{_wrap(_walk(below), Binding.POWER)}"


def _product(first: Piece, right: ast.expr, may_break: str) -> str:
    """Factors side by side; a dot where digits would run together."""
    second = _factor(_walk(right))
    dot = r"\cdot" if second[:1].isdigit() or second.startswith(r"\frac") else r"\,"
    return f"{_factor(first)} {dot} {may_break}{second}"


def _factor(piece: Piece) -> str:
    """One factor; a fraction in one line would take those that follow below its slash."""
    slashed = piece.binding is Binding.PRODUCT and " / " in piece.body
    return _wrap(piece, Binding.POWER if slashed else Binding.PRODUCT)


def _base(node: ast.expr) -> str:
    piece = _walk(node)
    if is_long(node):
        return _fenced("(", piece.body, ")")
    # A name with an accent or an index takes an exponent only in braces.
    return f"{{{piece.body}}}" if piece.binding is Binding.ATOM else _wrap(piece, Binding.ATOM)


def _connective(conjunction: bool, values: Sequence[ast.expr]) -> Piece:
    place = Binding.AND if conjunction else Binding.OR
    sign = r" \land " if conjunction else r" \lor "
    return Piece(sign.join(_wrap(_walk(value), place) for value in values), place)


def _call(identifier: str, arguments: list[ast.expr]) -> Piece:
    if identifier in RELATION_CALLS and len(arguments) == 2:
        left, right = (_wrap(_walk(argument), Binding.SUM) for argument in arguments)
        return Piece(f"{left} {RELATIONS[RELATION_CALLS[identifier]]} {right}", Binding.RELATION)
    if identifier == "sqrt" and len(arguments) == 1:
        if is_long(arguments[0]):
            return Piece(f"{_base(arguments[0])}^{{1/2}}", Binding.POWER)
        return Piece(rf"\sqrt{{{_walk(arguments[0]).body}}}", Binding.ATOM)
    if identifier in _FENCES and len(arguments) == 1:
        fence = _FENCES[identifier]
        return Piece(_fenced(fence, _walk(arguments[0]).body, fence), Binding.ATOM)
    if identifier in ("Integral", "Sum", "Product") and len(arguments) == 2:
        return _limits(identifier, arguments)
    head = _FUNCTIONS.get(identifier) or _name(identifier)
    return Piece(head + _fenced("(", _listed(arguments), ")"), Binding.ATOM)


def _limits(identifier: str, arguments: list[ast.expr]) -> Piece:
    """An integral, a sum or a product over (variable, lower, upper), or over the variable alone."""
    parts = arguments[1].elts if isinstance(arguments[1], ast.Tuple) and arguments[1].elts else [arguments[1]]
    variable, bounds = _walk(parts[0]).body, [_walk(part).body for part in parts[1:]]
    inside = _wrap(_walk(arguments[0]), Binding.PRODUCT)
    if identifier == "Integral":
        ends = f"_{{{bounds[0]}}}^{{{bounds[1]}}}" if len(bounds) == 2 else ""
        return Piece(rf"\int{ends} {inside} \, \mathrm{{d}} {variable}", Binding.PRODUCT)
    sign = {"Sum": r"\sum", "Product": r"\prod"}[identifier]
    ends = f"_{{{variable} = {bounds[0]}}}^{{{bounds[1]}}}" if len(bounds) == 2 else f"_{{{variable}}}"
    return Piece(f"{sign}{ends} {inside}", Binding.PRODUCT)


def _listed(items: Sequence[ast.expr]) -> str:
    return f", {_MAY_BREAK if is_long(*items) else ''}".join(_walk(item).body for item in items)


def _name(text: str) -> str:
    """A name with its accents and indices."""
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    head, *indices = name_parts(text)
    body = _letters(head)
    while indices and indices[0] in (*_ACCENTS, "transpose"):
        accent = indices.pop(0)
        body = rf"{{{body}}}^{{\top}}" if accent == "transpose" else f"{_ACCENTS[accent]}{{{body}}}"
    return f"{{{body}}}_{{{', '.join(_letters(i) for i in indices)}}}" if indices else body


def _letters(text: str) -> str:
    text = SPELLED.get(text, text)
    if text in _GREEK:
        return f"\\{text} "
    return text if len(text) == 1 or text.isdigit() else rf"\mathrm{{{text}}}"


def _fenced(left: str, body: str, right: str) -> str:
    """Fences that grow only where something tall and short stands between them: TeX breaks no line between growing ones."""
    tall = any(command in body for command in (r"\frac", r"\sqrt", r"\sum", r"\prod", r"\int"))
    if tall and len(re.sub(r"[{} ]", "", re.sub(r"\\[a-z]+", "x", body))) > LONG:
        return rf"\bigl{left} {body} \bigr{right}"
    return rf"\left{left} {body} \right{right}" if tall else f"{left}{body}{right}"


def _wrap(piece: Piece, place: Binding) -> str:
    return piece.body if piece.binding >= place else _fenced("(", piece.body, ")")
