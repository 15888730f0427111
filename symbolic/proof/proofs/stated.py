"""Whether a proof states what is printed beside it: the same expressions, or such as the kernel proves to be equal.

Two expressions are the same up to the order of sums and commuting products, and up to how signs, quotients and roots are written.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import prod
from typing import Any
from unicodedata import normalize

from ..kernel.proof import ACCEPTED, answer
from .printed import Term, UnreadableError, printed

Tree = tuple[Any, ...]
_ZERO, _ONE, _MINUS = ("#", Fraction(0)), ("#", Fraction(1)), ("#", Fraction(-1))
_MOST_EXPONENT, _MOST_BITS = 64, 10_000
_HYPOTHESES = ("for", "given", "at", "letters", "rules", "traces", "matrices")
_VALUES = ("lemmas", "integrals", "sums")


def strays(row: Mapping[str, Any]) -> bool:
    """Whether the proof of a printed step (`left`, `relation`, `right`, `proof`) is not known to be of what is printed."""
    proof = row["proof"]
    if "left" not in proof:
        return False
    return proof.get("relation") != row["relation"] or not all(
        _states(row[side], side, proof) for side in ("left", "right")
    )


def _states(text: str, side: str, proof: Mapping[str, Any]) -> bool:
    """Whether a printed side is what that side of the proof states, for all that the proof speaks of."""
    letters = proof.get("letters", {})
    try:
        term = printed(text, letters if isinstance(letters, dict) else {})
        if canonical(term) == canonical(proof[side]):
            return True
    except (UnreadableError, RecursionError, KeyError):
        return False
    hints = proof.get("with", {})
    values = {k: hints[k] for k in _VALUES if k in hints} if isinstance(hints, dict) else {}
    equal = {"left": term, "relation": "=", "right": proof[side], "by": "ring", "with": values}
    return answer({k: proof[k] for k in _HYPOTHESES if k in proof} | equal).word == ACCEPTED


# --- the same, however signs and quotients are written ----------------------------------------------------------------


def canonical(data: Term) -> Tree:
    """An expression of the language as a tree in which only its way of writing is settled; UnreadableError for anything else."""
    match data:
        case bool() | float():
            raise UnreadableError("no expression")
        case int():
            return ("#", Fraction(data))
        case str():
            return ("$", normalize("NFKC", data))
        case ["const", _] | ["mat", _] | ["mat'", _]:
            return tuple(data)
        case ["+" | "-" | "*" | "/" | "^" | "sqrt" as op, *rest]:
            return _arithmetic(op, [canonical(a) for a in rest])
        case ["int" | "sum" as op, body, str(name), *ends]:
            return (op, canonical(body), normalize("NFKC", name), *map(canonical, ends))
        case ["diff", body, str(name), int(order)]:
            return ("diff", canonical(body), normalize("NFKC", name), order)
        case ["fn", str(name), *rest]:
            return ("fn", normalize("NFKC", name), *map(canonical, rest))
        case ["max" | "min" as op, *rest]:
            return (op, *sorted(map(canonical, rest), key=repr))
        case [str(op), *rest]:
            return (op, *map(canonical, rest))
    raise UnreadableError("no expression")


def _arithmetic(op: str, parts: list[Tree]) -> Tree:
    match op, parts:
        case "+", _:
            return _sum(parts)
        case "*", _:
            return _product(parts)
        case "-", [*first, last]:
            return _sum([*first, _product([_MINUS, last])])
        case "/", [above, below]:
            return _product([above, _inverse(below)])
        case "^", [base, exponent]:
            return _power(base, exponent)
        case "sqrt", [base]:
            return _power(base, ("#", Fraction(1, 2)))
    raise UnreadableError(f"{op} of {len(parts)}")


def _spread(op: str, parts: Iterable[Tree]) -> list[Tree]:
    return [a for p in parts for a in (p[1:] if p[0] == op else (p,))]


def _sum(parts: list[Tree]) -> Tree:
    several = _spread("+", parts)
    number = sum((p[1] for p in several if p[0] == "#"), Fraction(0))
    rest = sorted((p for p in several if p[0] != "#"), key=repr)
    return _short("+", ("#", number), rest, _ZERO)


def _product(parts: list[Tree]) -> Tree:
    several = _spread("*", parts)
    number = prod((p[1] for p in several if p[0] == "#"), start=Fraction(1))
    rest = [p for p in several if p[0] != "#"]
    # Matrices stay in their order.
    turning = [p for p in rest if _has_letters(p)]
    return _short("*", ("#", number), sorted((p for p in rest if p not in turning), key=repr) + turning, _ONE)


def _short(op: str, number: Tree, rest: list[Tree], neutral: Tree) -> Tree:
    if number[1].numerator.bit_length() + number[1].denominator.bit_length() > _MOST_BITS:
        raise UnreadableError("a number that is too long")
    found = rest if number == neutral else [number, *rest]
    return (op, *found) if len(found) > 1 else found[0] if found else neutral


def _inverse(tree: Tree) -> Tree:
    if tree[0] == "#" and tree[1]:
        return ("#", 1 / tree[1])
    if tree[0] == "*" and not _has_letters(tree):
        return _product([_inverse(p) for p in tree[1:]])
    if tree[0] == "^":
        return _power(tree[1], _less(tree[2]))
    return ("^", tree, _MINUS)


def _less(tree: Tree) -> Tree:
    """The negative, of a sum term by term: so exponents are written in which a quotient is a negative power."""
    if tree[0] == "+":
        return _sum([_less(p) for p in tree[1:]])
    if tree[0] == "*" and tree[1] == _MINUS and len(tree) == 3 and tree[2][0] == "+":
        opposite: Tree = tree[2]
        return opposite
    return _product([_MINUS, tree])


def _power(base: Tree, exponent: Tree) -> Tree:
    if exponent[0] == "*":
        exponent = _less(_less(exponent))
    if exponent == _ONE:
        return base
    if exponent == _MINUS:
        return _inverse(base)
    if (
        base[0] == exponent[0] == "#"
        and base[1]
        and exponent[1].denominator == 1
        and abs(exponent[1]) <= _MOST_EXPONENT
    ):
        return _short("*", ("#", base[1] ** int(exponent[1])), [], _ONE)
    return ("^", base, exponent)


def _has_letters(tree: Tree) -> bool:
    return tree[0] in ("mat", "mat'") or (
        tree[0] != "tr" and any(isinstance(p, tuple) and _has_letters(p) for p in tree[1:])
    )
