"""Formulas as text, read once for every way of writing them: a tree, relations, numbers, names, how parts hold together.

Nothing is evaluated and sympy is not asked.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable
from enum import IntEnum
from typing import NamedTuple

MAX_LENGTH = 4000
# Characters of a part that is taken apart, so that lines can break within it; digits between two breaks of a number.
LONG, DIGITS = 40, 22
# The sign of a relation, in its spelling between the two sides of an equation.
RELATION_CALLS = {"Eq": "=", "Ne": "!=", "Le": "<=", "Lt": "<", "Ge": ">=", "Gt": ">", "Contains": "in"}
_OPERATORS: dict[type[ast.cmpop], str] = {
    ast.Eq: "=",
    ast.NotEq: "!=",
    ast.LtE: "<=",
    ast.GtE: ">=",
    ast.Lt: "<",
    ast.Gt: ">",
    ast.In: "in",
}
# Greek letters by name as TeX spells them, and other spellings of three.
GREEK = (
    *("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu"),
    *("nu", "xi", "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega"),
)
CAPITALS = ("Gamma", "Delta", "Theta", "Lambda", "Xi", "Pi", "Sigma", "Upsilon", "Phi", "Psi", "Omega")
VARIANTS = {"varepsilon": "ε", "vartheta": "ϑ", "varrho": "ϱ", "varphi": "φ"}
SPELLED = {"lamda": "lambda", "lam": "lambda", "eps": "epsilon"}
_NAME = re.compile(r"_?[A-Za-z][A-Za-z0-9_]*")


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
    """A subtree as it is written, and its binding."""

    body: str
    binding: Binding


Walk = Callable[[ast.expr], Piece]


class UnknownNotationError(ValueError):
    """The text holds something that is not on the list."""


def written(text: str, walk: Walk) -> Piece:
    """The formula `text` as `walk` writes its tree; UnknownNotationError where it cannot be read or written."""
    if not text.strip() or len(text) > MAX_LENGTH:
        raise UnknownNotationError("empty or too long")
    # `lambda` is the usual name of a multiplier and a keyword of Python.
    source = re.sub(r"\blambda\b", "lambda_", " ".join(text.split()))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            tree = ast.parse(source, mode="eval")
        return walk(tree.body)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise UnknownNotationError(str(error)) from None


def relation_sign(operator: ast.cmpop) -> str:
    """The sign of a comparison."""
    if type(operator) not in _OPERATORS:
        raise UnknownNotationError(type(operator).__name__)
    return _OPERATORS[type(operator)]


def digits(value: float) -> tuple[str, int | None]:
    """A number as (mantissa, power of ten), the power None where there is none to write."""
    mantissa, _, exponent = repr(value).partition("e")
    if mantissa in ("inf", "nan"):
        raise UnknownNotationError("a number beyond the range of floats")
    return mantissa, int(exponent) if exponent else None


def is_long(*nodes: ast.expr) -> bool:
    """Whether lines have to break within the factors: in a fraction, a root or a base none does."""
    return sum(len(ast.unparse(node)) for node in nodes) > LONG


def name_parts(text: str) -> list[str]:
    """A name, then its accents and indices: `sigma_w` has index w, `x1` index 1, `theta_hat` a hat."""
    if not _NAME.fullmatch(text) or "__" in text:
        raise UnknownNotationError(text)
    return [part for part in re.sub(r"(?<=[A-Za-z])(\d+)$", r"_\1", text).split("_") if part]
