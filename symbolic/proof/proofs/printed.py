"""What stands in print beside a proof, read without sympy into the kernel's language: nothing is evaluated, nothing is simplified."""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Collection
from typing import Any

from ..kernel.language import DEEPEST, FUNCTIONS, MOST_NODES

Term = Any
_LONGEST = 100_000
_TRANSPOSED = "_transpose"
_FUNCTIONS = {n: n for n in (*FUNCTIONS, "polygamma")} | {"Abs": "abs", "Max": "max", "Min": "min"}
_CONSTANTS = {"pi": "pi", "E": "e", "EulerGamma": "euler"}
_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.Pow: "^",
}
_SIDES = {"+": "above", "-": "below"}
_BINDERS = {"Integral": "int", "Sum": "sum"}
# Words of Python that are names in print (lambda) end with a letter that nobody writes.
_KEYWORD = re.compile(rf"\b({'|'.join(keyword.kwlist)})\b")
_MARK, _PRIME = "\u01c3", "\u01c0"


class UnreadableError(ValueError):
    """A print that is no expression of the kernel's language."""


def printed(text: str, letters: Collection[str] = ()) -> Term:
    """The kernel's expression that a text of sympy stands for; UnreadableError for anything else. `letters` are names of matrices."""
    if len(text) > _LONGEST:
        raise UnreadableError(f"a text of more than {_LONGEST:,} characters")
    try:
        # So do names with primes (x'), each of which is one such letter.
        primed = re.sub(r"(?<=\w)'+", lambda found: _PRIME * len(found[0]), text.strip())
        tree = ast.parse(_KEYWORD.sub(rf"\1{_MARK}", primed), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise UnreadableError("no formula") from None
    return _Print(letters).term(tree.body)


def _plain(word: str) -> str:
    return word.removesuffix(_MARK).replace(_PRIME, "'")


class _Print:
    def __init__(self, letters: Collection[str]) -> None:
        self.letters = letters
        self.left = MOST_NODES

    def term(self, node: ast.AST, depth: int = 0) -> Term:
        self.left -= 1
        if self.left < 0 or depth > 2 * DEEPEST:
            raise UnreadableError("too long, or too deep")
        match node:
            case ast.Constant(value=int() as value):
                return value
            case ast.Name(id=word):
                return self._name(_plain(word))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return ["-", self.term(operand, depth + 1)]
            case ast.BinOp(op=op, left=left, right=right) if type(op) in _OPERATORS:
                return [_OPERATORS[type(op)], self.term(left, depth + 1), self.term(right, depth + 1)]
            case ast.Call(func=ast.Name(id=word), args=arguments, keywords=[]):
                return self._call(_plain(word), arguments, depth + 1)
            case ast.Call(
                func=ast.Name(id="Limit"),
                args=[body, variable, end],
                keywords=[ast.keyword(arg="dir", value=ast.Constant(value=("+" | "-") as side))],
            ):
                found = self.term(body, depth + 1)
                name = self._variable(variable, found, depth + 1)
                return ["lim", found, name, self._end(end, depth + 1), _SIDES[side]]
            case ast.Subscript(value=ast.Name(id=word), slice=place):
                indices = place.elts if isinstance(place, ast.Tuple) else [place]
                return ["fn", _plain(word), *(self.term(i, depth + 1) for i in indices)]
        raise UnreadableError(f"{type(node).__name__} is no expression")

    def _name(self, word: str) -> Term:
        bare = word.removesuffix(_TRANSPOSED)
        if bare in self.letters:
            return ["mat" if bare == word else "mat'", bare]
        return ["const", _CONSTANTS[word]] if word in _CONSTANTS else word

    def _call(self, word: str, arguments: list[ast.expr], depth: int) -> Term:
        if word in (*_BINDERS, "Derivative") and arguments:
            found = self.term(arguments[0], depth)
            for one in arguments[1:]:
                found = self._bound(word, found, one, depth)
            return found
        if word == "Limit":
            raise UnreadableError("a limit without its side")
        several = [self.term(a, depth) for a in arguments]
        if word == "Trace":
            return ["tr", *several]
        if word == "Phi" and len(several) == 1:
            return ["/", ["+", 1, ["erf", ["/", several[0], ["sqrt", 2]]]], 2]
        return [_FUNCTIONS[word], *several] if word in _FUNCTIONS else ["fn", word, *several]

    def _bound(self, word: str, body: Term, one: ast.expr, depth: int) -> Term:
        first, *rest = one.elts if isinstance(one, ast.Tuple) else [one]
        name, ends = self._variable(first, body, depth), [self._end(e, depth) for e in rest]
        if word == "Derivative" and len(ends) <= 1:
            return ["diff", body, name, *(ends or [1])]
        if word in _BINDERS and len(ends) == 2:
            return [_BINDERS[word], body, name, *ends]
        raise UnreadableError(f"{word} without what it runs over")

    def _variable(self, node: ast.expr, body: Term, depth: int) -> str:
        """A name; an indexed one is a name too, where nothing of its base is differentiated."""
        found = self.term(node, depth)
        if isinstance(node, ast.Subscript) and f"'fn', {found[1]!r}" not in repr(body):
            return _plain(ast.unparse(node))
        if not isinstance(found, str):
            raise UnreadableError("a variable is a name")
        return found

    def _end(self, node: ast.expr, depth: int) -> Term:
        match node:
            case ast.Name(id="oo"):
                return ["const", "oo"]
            case ast.UnaryOp(op=ast.USub(), operand=ast.Name(id="oo")):
                return ["const", "-oo"]
        return self.term(node, depth)
