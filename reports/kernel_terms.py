"""Expressions of proofs in print: infix, with no more brackets than they need."""

from __future__ import annotations

from typing import Any

_LEVEL = {"+": 1, "-": 1, "*": 2, "/": 2, "^": 4}
_ALONE = 5


def said(term: Any) -> str:
    """The expression of a proof as a person writes it.

    >>> said(["-", 1, ["*", 2, ["^", "p", ["/", 1, 2]]]])
    '1 - 2*p^(1/2)'
    """
    return _said(term)[0]


def _said(term: Any) -> tuple[str, int]:
    if isinstance(term, int) and not isinstance(term, bool):
        return str(term), _ALONE if term >= 0 else 1
    if not isinstance(term, list) or not term:
        return str(term), _ALONE
    op, *rest = term
    if op == "-" and len(rest) == 1:
        return f"-{_at(rest[0], 2)}", 1
    if op in _LEVEL:
        level = _LEVEL[op]
        # What is taken away, or stands below, needs brackets where it is of the same kind.
        first, *others = (_at(a, level + (i > 0 and op in "-/") + (op == "^")) for i, a in enumerate(rest))
        return (f" {op} " if op in "+-" else op).join((first, *others)), level
    if op in ("const", "mat"):
        return str(rest[0]), _ALONE
    if op == "mat'":
        return f"{rest[0]}'", _ALONE
    if op == "fn":
        op, *rest = rest
    return f"{op}({', '.join(said(a) for a in rest)})", _ALONE


def _at(term: Any, least: int) -> str:
    text, level = _said(term)
    return text if level >= least else f"({text})"
