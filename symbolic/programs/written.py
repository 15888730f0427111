"""Relations of a program that were written as text: read by the whitelist of formulas, never evaluated as code."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

import sympy as sp

from ..proof.expressions import FUNCTIONS, ExpressionError, Reader, nearest, opened
from .constraints import Constraint, NormCone, read_constraint

NORMS = ("l1", "l2", "max")
_WANTED = "expected a relation such as 'x + y <= 1', 'x == 1' or 'norm([x, y], l2) <= 1'"
_RELATIONS: dict[type[ast.cmpop], Callable[[sp.Expr, sp.Expr], Any]] = {
    ast.LtE: sp.Le,
    ast.GtE: sp.Ge,
    ast.Eq: sp.Eq,
}
_STRICT: dict[type[ast.cmpop], Callable[[sp.Expr, sp.Expr], Any]] = {
    ast.Lt: sp.Lt,
    ast.Gt: sp.Gt,
    ast.NotEq: sp.Ne,
}
_LONGEST = 2_000


def read_relations(
    text: str,
    names: Mapping[str, sp.Expr],
    functions: Mapping[str, tuple[int, int, Callable[..., sp.Expr]]] = FUNCTIONS,
) -> tuple[Constraint, ...]:
    """The constraints of one text: one for each pair of neighbours in a chain such as 0 <= x <= 1.

    ExpressionError (a ValueError) for what is no relation of formulas; SpecError for a relation that no program takes.
    """
    if isinstance(text, str) and _single(text):
        raise ExpressionError(f"in {text[:80]!r}: write == for an equation")
    tree, reader = opened(text, names, characters=_LONGEST, functions=functions)
    if not isinstance(tree, ast.Compare):
        one = "; give each relation a text of its own" if isinstance(tree, ast.BoolOp) else ""
        raise ExpressionError(f"{text[:80]!r} is no relation: {_WANTED}{one}")
    sides = [tree.left, *tree.comparators]
    return tuple(
        _relation(reader, left, operator, right)
        for (left, right), operator in zip(pairwise(sides), tree.ops, strict=True)
    )


def _single(text: str) -> bool:
    """Whether the text has an equals sign that stands alone."""
    return any(
        c == "=" and text[i - 1 : i] not in ("=", "<", ">", "!") and text[i + 1 : i + 2] != "="
        for i, c in enumerate(text)
    )


def _relation(reader: Reader, left: ast.expr, operator: ast.cmpop, right: ast.expr) -> Constraint:
    if isinstance(operator, ast.Lt | ast.Gt):
        raise reader.fail(
            right, "a strict relation: a minimum on its border would not be reached: write <= or >="
        )
    build = _RELATIONS.get(type(operator))
    if build is None:
        raise reader.fail(right, f"the relation {type(operator).__name__} is not allowed: use <=, >= or ==")
    if _is_norm(left) or _is_norm(right):
        return _cone(reader, left, operator, right)
    sides = reader.whole(left), reader.whole(right)
    return read_constraint(build(*sides))


def _is_norm(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "norm"


def _cone(reader: Reader, left: ast.expr, operator: ast.cmpop, right: ast.expr) -> NormCone:
    """norm([entries], name) on the smaller side, and a bound without another norm."""
    small, large = (right, left) if isinstance(operator, ast.GtE) else (left, right)
    if isinstance(operator, ast.Eq) or not _is_norm(small) or _is_norm(large):
        raise reader.fail(small, "a norm stands alone, and at most a bound: norm([x, y], l2) <= 1")
    assert isinstance(small, ast.Call)
    listed = small.args[0] if len(small.args) == 2 and not small.keywords else None
    if not isinstance(listed, ast.List) or not listed.elts:
        raise reader.fail(small, "expected a list and the name of a norm: norm([x, y], l2)")
    name = small.args[1]
    if not isinstance(name, ast.Name) or name.id not in NORMS:
        given = name.id if isinstance(name, ast.Name) else ast.unparse(name)
        raise reader.fail(name, f"unknown norm {given!r}; {nearest(given, list(NORMS))}")
    return NormCone([reader.whole(e) for e in listed.elts], reader.whole(large), name.id)  # type: ignore[arg-type]


def read_condition(
    text: str,
    names: Mapping[str, sp.Expr],
    functions: Mapping[str, tuple[int, int, Callable[..., sp.Expr]]] = FUNCTIONS,
) -> Any:
    """A property of numbers, such as x > 3 or 0 <= x < 1 and y != 2, as a sympy condition; ExpressionError for anything else."""
    tree, reader = opened(text, names, characters=_LONGEST, functions=functions)
    return _condition(reader, tree)


def _condition(reader: Reader, node: ast.expr) -> Any:
    match node:
        case ast.BoolOp(op=ast.And()):
            return sp.And(*(_condition(reader, v) for v in node.values))
        case ast.BoolOp(op=ast.Or()):
            return sp.Or(*(_condition(reader, v) for v in node.values))
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            return sp.Not(_condition(reader, inner))
        case ast.Compare():
            sides = [reader.whole(side) for side in (node.left, *node.comparators)]
            builds = [(_RELATIONS | _STRICT).get(type(operator)) for operator in node.ops]
            if all(builds):
                pairs = zip(builds, pairwise(sides), strict=True)
                return sp.And(*(build(left, right) for build, (left, right) in pairs if build))
    raise reader.fail(node, "expected a relation such as x > 3, or some of them with and, or, not")
