"""Steps of the kernel's language as SMT-LIB 2 (QF_NRA): `unsat` says that no values of the variables break the step.

Only rational functions, roots and absolute values can be said there; other steps are none of its business.  Whole numbers are read
as real ones, which says more.  A division by zero has some value there: that it does not occur is the kernel's to say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

_SIGNS = {
    "positive": "(> {} 0)",
    "negative": "(< {} 0)",
    "nonnegative": "(>= {} 0)",
    "nonpositive": "(<= {} 0)",
}
_SAME = {"+": "+", "*": "*", "-": "-", "/": "/"}
_MOST_POWER = 12


class NotInLogicError(ValueError):
    """The step has more than polynomials, quotients, roots and absolute values."""


def script(step: Mapping[str, Any]) -> str:
    """The negation of an accepted step; NotInLogicError for a step that the logic cannot say, or that rests on something else.

    >>> print(script({"for": {"x": ["positive"]}, "left": ["*", "x", 2], "relation": ">", "right": "x", "by": "sign"}))
    (set-logic QF_NRA)
    (declare-const |x| Real)
    (assert (> |x| 0))
    (assert (not (> (* |x| 2) |x|)))
    (check-sat)
    """
    if step.get("letters") or "left" not in step:
        raise NotInLogicError("matrices, or no statement")
    writer = _Writer()
    lines = [f"(declare-const {_name(n)} Real)" for n in step.get("for", {})]
    for n, words in step.get("for", {}).items():
        if words[0] == "nonzero":
            lines.append(f"(assert (not (= {_name(n)} 0)))")
        elif words[0] in _SIGNS:
            lines.append(f"(assert {_SIGNS[words[0]].format(_name(n))})")
    body = [f"(assert {writer.compared(*given)})" for given in step.get("given", [])]
    body.append(f"(assert (not {writer.compared(step['left'], step['relation'], step['right'])}))")
    return "\n".join(["(set-logic QF_NRA)", *lines, *writer.roots, *body, "(check-sat)"])


class _Writer:
    """Terms as text; each root is a number of its own with its square."""

    def __init__(self) -> None:
        self.roots: list[str] = []
        self.known: dict[str, str] = {}

    def compared(self, left: Any, relation: str, right: Any) -> str:
        return f"({relation} {self.term(left)} {self.term(right)})"

    def term(self, data: Any) -> str:
        if isinstance(data, int):
            return str(data) if data >= 0 else f"(- {-data})"
        if isinstance(data, str):
            return _name(data)
        op, *rest = data
        if op in _SAME:
            parts = [self.term(a) for a in rest]
            return parts[0] if op in "+*" and len(parts) == 1 else f"({_SAME[op]} {' '.join(parts)})"
        if op == "sqrt":
            return self._root(self.term(rest[0]))
        if op == "abs":
            inner = self.term(rest[0])
            return f"(ite (>= {inner} 0) {inner} (- {inner}))"
        if op == "^":
            return self._power(rest[0], _exponent(rest[1]))
        raise NotInLogicError(f"{op} is not in QF_NRA")

    def _root(self, inner: str) -> str:
        if inner not in self.known:
            self.known[inner] = name = f"|root {len(self.known)}|"
            self.roots += [
                f"(declare-const {name} Real)",
                f"(assert (>= {name} 0))",
                f"(assert (= (* {name} {name}) {inner}))",
            ]
        return self.known[inner]

    def _power(self, base: Any, e: Fraction) -> str:
        inner = self.term(base)
        if e.denominator == 2:
            inner, e = self._root(inner), 2 * e
        if e.denominator != 1 or abs(e) > _MOST_POWER:
            raise NotInLogicError("a power that is not a small whole number or half of one")
        product = f"(* {' '.join([inner] * int(abs(e)))})" if abs(e) > 1 else inner if e else "1"
        return product if e >= 0 else f"(/ 1 {product})"


def _exponent(data: Any) -> Fraction:
    if isinstance(data, int):
        return Fraction(data)
    if isinstance(data, list) and data[0] == "/" and all(isinstance(v, int) for v in data[1:]):
        return Fraction(data[1], data[2])
    if isinstance(data, list) and data[0] == "-" and len(data) == 2:
        return -_exponent(data[1])
    raise NotInLogicError("an exponent that is no number")


def _name(name: str) -> str:
    if "|" in name or "\\" in name:
        raise NotInLogicError("a name that SMT-LIB cannot quote")
    return f"|{name}|"


def scripts(findings: list[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    """A name and a script for each accepted step of the findings of a certificate or a dossier that the logic can say."""
    for i, finding in enumerate(findings):
        for evidence in finding["evidence"]:
            for j, row in enumerate(evidence["derivation"]):
                proof = row.get("proof") or {}
                if not str(proof.get("by", "trusted")).startswith("trusted"):
                    try:
                        yield (
                            f"finding-{i + 1}-{evidence['check'].replace(' ', '-')}-step-{j + 1}.smt2",
                            script(proof),
                        )
                    except NotInLogicError:
                        continue
