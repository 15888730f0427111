"""A piece of MathML and how strongly it holds together, so that parentheses stand where they are needed."""

from __future__ import annotations

import ast
from collections.abc import Callable
from enum import IntEnum
from typing import NamedTuple


class Binding(IntEnum):
    """Weakest first: a piece weaker than its place is put in parentheses."""

    OR = 0
    AND = 1
    NOT = 2
    RELATION = 3
    SUM = 4
    PRODUCT = 5
    POWER = 6
    ATOM = 7


class Piece(NamedTuple):
    """MathML of a subtree and its binding."""

    body: str
    binding: Binding


Walk = Callable[[ast.expr], Piece]


class UnknownNotationError(ValueError):
    """The tree holds something that is not on the list."""


def row(body: str) -> str:
    """One argument of a layout element, whatever it holds."""
    return f"<mrow>{body}</mrow>"


def fenced(left: str, body: str, right: str) -> str:
    """`body` between fences that grow with it."""
    return f"<mrow><mo>{left}</mo><mrow>{body}</mrow><mo>{right}</mo></mrow>"


def wrap(piece: Piece, place: Binding) -> str:
    """The piece, in parentheses if it is weaker than its place."""
    return piece.body if piece.binding >= place else fenced("(", piece.body, ")")
