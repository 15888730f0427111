"""Expression text becomes MathML by a walk over Python's syntax tree that knows a short list of nodes.

Nothing is evaluated and sympy is not asked.  Text with anything else in it comes out as escaped code.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from html import escape
from itertools import pairwise

from ..audit.record.shown_text import clean
from .mathml_functions import SHAPES, listed, power
from .mathml_names import RELATIONS, function_name, name
from .mathml_parts import BREAK, fenced, lines, loose, row, wrap
from .notation import (
    DIGITS,
    RELATION_CALLS,
    Binding,
    Piece,
    UnknownNotationError,
    digits,
    is_long,
    relation_sign,
    written,
)

_SIDE_BY_SIDE, _TIMES, _APPLY = "<mo>\u2062</mo>", "<mo>·</mo>", "<mo>\u2061</mo>"
_SLASH = "<mo>/</mo>"
_THIN = '<mspace width="0.17em"></mspace>'


def expression(text: str, *, block: bool = False) -> str:
    """One expression in sympy's text form as a <math> element, or as <code> where it cannot be read."""
    try:
        return _math(written(text, _walk).body, block)
    except UnknownNotationError:
        return _code(text)


def relation(left: str, sign: str, right: str, *, block: bool = True) -> str:
    """`left sign right` as one <math> element; a side that cannot be read leaves both as code."""
    if sign not in RELATIONS:
        return _code(f"{left} {sign} {right}".strip())
    try:
        sides = [loose(wrap(written(text, _walk), Binding.SUM)) for text in (left, right)]
    except UnknownNotationError:
        return _code(f"{left} {sign} {right}")
    return _math(f"{sides[0]}{BREAK}<mo>{RELATIONS[sign]}</mo>{sides[1]}", block)


def _math(body: str, block: bool) -> str:
    parts = list(lines(body))
    if len(parts) == 1:
        return f'<math display="{"block" if block else "inline"}"><mrow>{parts[0]}</mrow></math>'
    style = ' displaystyle="true"' if block else ""
    return f"<span>{''.join(f'<math{style}><mrow>{part}</mrow></math>' for part in parts)}</span>"


def _code(text: str) -> str:
    return f'<code class="expression">{escape(clean(text))}</code>'


def _walk(node: ast.expr) -> Piece:
    match node:
        case ast.Constant(value=bool() as truth):
            return Piece(f"<mi>{'true' if truth else 'false'}</mi>", Binding.ATOM)
        case ast.Constant(value=int() | float() as value):
            return _number(value)
        case ast.Name(id=identifier):
            return Piece(name(identifier), Binding.ATOM)
        case ast.UnaryOp(op=ast.Invert() | ast.Not(), operand=operand):
            return Piece(f"<mo>¬</mo>{wrap(_walk(operand), Binding.POWER)}", Binding.NOT)
        case ast.BinOp(op=ast.Add() | ast.Sub()) | ast.UnaryOp(op=ast.USub()):
            return _sum(node)
        case ast.BinOp(op=ast.Mult() | ast.Div() | ast.MatMult()):
            negative, piece = _product(node)
            return Piece(f"<mo>−</mo>{wrap(piece, Binding.PRODUCT)}", Binding.SUM) if negative else piece
        case ast.BinOp(op=ast.Pow(), left=base, right=exponent):
            return _power(base, exponent)
        case ast.BinOp(op=ast.BitAnd() | ast.BitOr() as op, left=left, right=right):
            return _connective(isinstance(op, ast.BitAnd), [left, right])
        case ast.BoolOp(op=op, values=values):
            return _connective(isinstance(op, ast.And), values)
        case ast.Compare(left=left, ops=ops, comparators=rights):
            return _chain(left, ops, rights)
        case ast.Call(func=ast.Name(id=identifier), args=arguments, keywords=[]):
            return _call(identifier, arguments)
        case ast.Attribute(value=value, attr="T"):
            return Piece(f"<msup>{row(wrap(_walk(value), Binding.ATOM))}<mo>⊤</mo></msup>", Binding.POWER)
        case ast.Subscript(value=value, slice=index):
            items = index.elts if isinstance(index, ast.Tuple) else [index]
            return Piece(
                f"<msub>{row(wrap(_walk(value), Binding.ATOM))}{row(listed(_walk, items))}</msub>",
                Binding.ATOM,
            )
        case ast.Tuple(elts=items):
            return Piece(fenced("(", listed(_walk, items), ")"), Binding.ATOM)
        case ast.List(elts=items):
            return Piece(fenced("[", listed(_walk, items), "]"), Binding.ATOM)
    raise UnknownNotationError(type(node).__name__)


def _number(value: float) -> Piece:
    mantissa, exponent = digits(value)
    if exponent is None:
        parts = [mantissa[start : start + DIGITS] for start in range(0, len(mantissa), DIGITS)]
        return Piece(BREAK.join(f"<mn>{part}</mn>" for part in parts), Binding.ATOM)
    power = str(exponent).replace("-", "−")
    return Piece(f"<mn>{mantissa}</mn>{_TIMES}<msup><mn>10</mn><mn>{power}</mn></msup>", Binding.PRODUCT)


def _sum(node: ast.expr) -> Piece:
    """A sum is walked along its spine, so that a long one needs no deep recursion."""
    terms: list[tuple[bool, ast.expr]] = []
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        terms.append((isinstance(node.op, ast.Sub), node.right))
        node = node.left
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        terms.append((True, node.operand))
    else:
        terms.append((False, node))
    body = ""
    for position, (subtracted, term) in enumerate(reversed(terms)):
        negative, piece = _product(term)
        minus = subtracted != negative
        body += BREAK if position else ""
        body += "<mo>−</mo>" if minus else "<mo>+</mo>" if position else ""
        body += wrap(piece, Binding.PRODUCT)
    return Piece(body, Binding.SUM)


def _product(node: ast.expr) -> tuple[bool, Piece]:
    """Whether the product starts with a minus, and the rest: the sign of -x/2 belongs before the fraction."""
    if not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Div | ast.MatMult)):
        return False, _walk(node)
    above: list[ast.expr] = []
    below: list[ast.expr] = []
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Div | ast.MatMult):
        (below if isinstance(node.op, ast.Div) else above).insert(0, node.right)
        node = node.left
    negative = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)
    above.insert(0, node.operand if isinstance(node, ast.UnaryOp) and negative else node)
    if not below:
        return negative, Piece(_factors(above), Binding.PRODUCT)
    if is_long(*above) or is_long(*below):
        top = _factors(above) if len(above) > 1 else _factor(above[0])
        bottom = fenced("(", _factors(below), ")") if len(below) > 1 else wrap(_walk(below[0]), Binding.POWER)
        return negative, Piece(f"{top}{BREAK}{_SLASH}{bottom}", Binding.PRODUCT)
    return negative, Piece(f"<mfrac>{row(_factors(above))}{row(_factors(below))}</mfrac>", Binding.PRODUCT)


def _factors(nodes: list[ast.expr]) -> str:
    """Factors side by side; a dot where the eye needs one."""
    if len(nodes) == 1:
        return _walk(nodes[0]).body
    body = _factor(nodes[0])
    for before, after in pairwise(nodes):
        dotted = isinstance(_leading(after), ast.Constant) or _is_call(before)
        body += BREAK + (_TIMES if dotted else _SIDE_BY_SIDE + (_THIN if _is_call(after) else ""))
        body += _factor(after)
    return body


def _factor(node: ast.expr) -> str:
    """One factor; a fraction in one line would take those that follow below its slash."""
    piece = _walk(node)
    slashed = isinstance(node, ast.BinOp) and piece.binding is Binding.PRODUCT and _SLASH in piece.body
    return wrap(piece, Binding.POWER if slashed else Binding.PRODUCT)


def _leading(node: ast.expr) -> ast.expr:
    """What stands first when the node is written."""
    while isinstance(node, ast.BinOp) and not isinstance(node.op, ast.Add | ast.Sub | ast.Div):
        node = node.left
    return node


def _is_call(node: ast.expr) -> bool:
    """Whether the node ends in an argument list; a root ends where its bar ends."""
    return isinstance(node, ast.Call) and not (isinstance(node.func, ast.Name) and node.func.id == "sqrt")


def _power(base: ast.expr, exponent: ast.expr) -> Piece:
    match exponent:
        case ast.BinOp(op=ast.Div(), left=ast.Constant() as top, right=ast.Constant() as bottom):
            above = f'{_walk(top).body}<mo lspace="0" rspace="0">/</mo>{_walk(bottom).body}'
        case _:
            above = _walk(exponent).body
    return power(_walk, base, above)


def _connective(conjunction: bool, values: Sequence[ast.expr]) -> Piece:
    place = Binding.AND if conjunction else Binding.OR
    sign = "<mo>∧</mo>" if conjunction else "<mo>∨</mo>"
    return Piece(f"{BREAK}{sign}".join(wrap(_walk(value), place) for value in values), place)


def _chain(left: ast.expr, ops: Sequence[ast.cmpop], rights: Sequence[ast.expr]) -> Piece:
    body = wrap(_walk(left), Binding.SUM)
    for op, right in zip(ops, rights, strict=True):
        body += f"{BREAK}<mo>{RELATIONS[relation_sign(op)]}</mo>{loose(wrap(_walk(right), Binding.SUM))}"
    return Piece(body, Binding.RELATION)


def _call(identifier: str, arguments: list[ast.expr]) -> Piece:
    if identifier in RELATION_CALLS and len(arguments) == 2:
        left, right = (loose(wrap(_walk(argument), Binding.SUM)) for argument in arguments)
        return Piece(
            f"{left}{BREAK}<mo>{RELATIONS[RELATION_CALLS[identifier]]}</mo>{right}", Binding.RELATION
        )
    shape = SHAPES.get(identifier)
    shaped = shape(_walk, arguments) if shape is not None else None
    if shaped is not None:
        return shaped
    return Piece(
        function_name(identifier) + _APPLY + fenced("(", listed(_walk, arguments), ")"), Binding.ATOM
    )
