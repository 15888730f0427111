"""Rows, fences and parentheses of MathML."""

from __future__ import annotations

from .notation import Binding, Piece


def row(body: str) -> str:
    """One argument of a layout element, whatever it holds."""
    return f"<mrow>{body}</mrow>"


def fenced(left: str, body: str, right: str) -> str:
    """`body` between fences that grow with it."""
    return f"<mrow><mo>{left}</mo><mrow>{body}</mrow><mo>{right}</mo></mrow>"


def wrap(piece: Piece, place: Binding) -> str:
    """The piece, in parentheses if it is weaker than its place."""
    return piece.body if piece.binding >= place else fenced("(", piece.body, ")")
