"""The language of proofs: expressions as trees in JSON, read with limits on their size; a list [operation, argument, ...]."""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

# (operation, argument, ...): ("num", 1/2), ("var", "x"), ("const", "pi"), ("+", term, term), ("int", body, "x", low, high), ...
Term = tuple[Any, ...]

MOST_NODES, DEEPEST, MOST_DIGITS, LONGEST_NAME = 20_000, 120, 2_000, 200
MOST_ENTRIES = 200
MOST_WORK = 5_000_000

_ONE_ARGUMENT = "exp log sqrt abs sign floor ceiling sin cos tan sinh cosh tanh asin acos atan erf erfc gamma loggamma factorial"
FUNCTIONS = frozenset(_ONE_ARGUMENT.split())
CONSTANTS = frozenset({"pi", "e", "euler"})
INFINITE = {"oo": 1, "-oo": -1}
SIDES = ("above", "below")
RELATIONS = frozenset({"=", "<=", ">=", "<", ">"})
_ARGUMENTS = {
    "+": (1, 5000),
    "*": (1, 5000),
    "-": (1, 2),
    "/": (2, 2),
    "^": (2, 2),
    "max": (1, 50),
    "min": (1, 50),
}
_BINDERS = frozenset({"int", "sum"})


class Rejected(Exception):  # noqa: N818 - it is the kernel's answer no, with the reason
    """The kernel does not accept: what was asked, and why it is not decided."""


_left: ContextVar[int] = ContextVar("_left", default=10**15)


def allow(work: int = MOST_WORK) -> None:
    """A new step may take this much work."""
    _left.set(work)


def work_left() -> int:
    """The work that the step may still take."""
    return _left.get()


def spend(work: int) -> None:
    """Rejected where the step has taken more work than it may: products of terms, and parts that are read."""
    left = _left.get() - work
    _left.set(max(left, 0))
    if left < 0:
        raise Rejected(f"more than {MOST_WORK:,} products of terms, or than are left for the proof")


class Reader:
    """Reads the expressions of one proof and counts their nodes; Rejected where one is not of the language or there are too many."""

    def __init__(self) -> None:
        self.left = MOST_NODES

    def term(self, data: Any, depth: int = 0) -> Term:
        """The expression; variables are texts, whole numbers are numbers of JSON."""
        self._count(depth)
        if isinstance(data, bool) or data is None or isinstance(data, float | dict):
            raise Rejected(f"an expression is a whole number, a name or a list, got {type(data).__name__}")
        if isinstance(data, int):
            return ("num", Fraction(_short(data)))
        if isinstance(data, str):
            return ("var", name(data))
        if not isinstance(data, list) or not data or not isinstance(data[0], str):
            raise Rejected("an expression in a list begins with its operation")
        return self._operation(data[0], data[1:], depth)

    def _operation(self, op: str, rest: list[Any], depth: int) -> Term:
        if op == "const":
            if len(rest) != 1 or rest[0] not in CONSTANTS:
                raise Rejected(f"the constants are {sorted(CONSTANTS)}, got {str(rest)[:40]}")
            return ("const", rest[0])
        if op in _BINDERS:
            _needs(op, rest, 4)
            low, high = (self.end(end, depth + 1) for end in rest[2:])
            return (op, self.term(rest[0], depth + 1), name(rest[1]), low, high)
        if op == "lim":
            _needs(op, rest, 4)
            if rest[3] not in SIDES:
                raise Rejected("a limit is from above or below")
            return (op, self.term(rest[0], depth + 1), name(rest[1]), self.end(rest[2], depth + 1), rest[3])
        if op == "diff":
            _needs(op, rest, 3)
            if not isinstance(rest[2], int) or isinstance(rest[2], bool) or not 1 <= rest[2] <= 8:
                raise Rejected("the order of a derivative is 1 to 8")
            return (op, self.term(rest[0], depth + 1), name(rest[1]), rest[2])
        if op in ("mat", "mat'"):
            _needs(op, rest, 1)
            return (op, name(rest[0]))
        if op == "polygamma":
            _needs(op, rest, 2)
            if not isinstance(rest[0], int) or isinstance(rest[0], bool) or not 0 <= rest[0] <= 20:
                raise Rejected("the order of a polygamma function is 0 to 20")
            return (op, rest[0], self.term(rest[1], depth + 1))
        if op == "fn":
            if len(rest) < 2:
                raise Rejected("fn needs a name and arguments")
            return (op, name(rest[0]), *(self.term(a, depth + 1) for a in rest[1:]))
        least, most = (1, 1) if op in FUNCTIONS or op == "tr" else _ARGUMENTS.get(op, (0, -1))
        if not least <= len(rest) <= most:
            raise Rejected(f"{op!r} is no operation of the language with {len(rest)} arguments")
        return (op, *(self.term(a, depth + 1) for a in rest))

    def end(self, data: Any, depth: int = 0) -> Term:
        """An end of an integral or of a sum, which may be infinite."""
        if isinstance(data, list) and len(data) == 2 and data[0] == "const" and data[1] in INFINITE:
            return ("const", data[1])
        return self.term(data, depth)

    def _count(self, depth: int) -> None:
        self.left -= 1
        if self.left < 0 or depth > DEEPEST:
            raise Rejected(f"more than {MOST_NODES:,} nodes, or deeper than {DEEPEST}")


@dataclass(frozen=True)
class Statement:
    """left relation right."""

    left: Term
    relation: str
    right: Term

    @property
    def difference(self) -> Term:
        """left - right."""
        return ("-", self.left, self.right)

    def put(self, values: dict[str, Term]) -> Statement:
        """The same of terms for free variables."""
        return Statement(put(self.left, values), self.relation, put(self.right, values))


def statement(data: Any, reader: Reader) -> Statement:
    """From [left, relation, right]."""
    if not isinstance(data, list) or len(data) != 3 or data[1] not in RELATIONS:
        raise Rejected("a statement is [left, relation, right] with one of =, <=, >=, <, >")
    return Statement(reader.term(data[0]), data[1], reader.term(data[2]))


def mapping(data: Any, what: str, keys: set[str] | None = None) -> Mapping[str, Any]:
    """An object of JSON, with no keys but these; Rejected for anything else."""
    if not isinstance(data, dict) or (keys is not None and not set(data) <= keys):
        raise Rejected(f"{what} is an object of JSON" + (f" with keys of {sorted(keys)}" if keys else ""))
    return data


def listed(data: Any, what: str = "these") -> list[Any]:
    """A list of JSON that is not too long; Rejected for anything else."""
    if not isinstance(data, list) or len(data) > MOST_ENTRIES:
        raise Rejected(f"{what} are a list of at most {MOST_ENTRIES}")
    return data


def name(data: Any) -> str:
    """A name of a variable, a matrix or a function."""
    if not isinstance(data, str) or not 0 < len(data) <= LONGEST_NAME or data[0] == "#":
        raise Rejected(f"a name is a text of 1 to {LONGEST_NAME} characters that does not begin with #")
    return data


def _short(value: int) -> int:
    if value.bit_length() > 4 * MOST_DIGITS:
        raise Rejected(f"a number of more than {MOST_DIGITS} digits")
    return value


def _needs(op: str, rest: list[Any], count: int) -> None:
    if len(rest) != count:
        raise Rejected(f"{op} needs {count} entries, got {len(rest)}")


def free(term: Term) -> frozenset[str]:
    """The variables that occur free."""
    op = term[0]
    if op == "var":
        return frozenset({term[1]})
    if op in ("num", "const", "mat", "mat'"):
        return frozenset()
    if op in ("int", "sum"):
        return (free(term[1]) - {term[2]}) | free(term[3]) | free(term[4])
    if op == "lim":
        return (free(term[1]) - {term[2]}) | free(term[3])
    if op == "diff":
        return free(term[1]) | {term[2]}
    return frozenset().union(*map(free, arguments(term)))


def put(term: Term, values: dict[str, Term]) -> Term:
    """The term with terms for free variables; Rejected where a bound variable would catch one, or a derivative be lost."""
    op = term[0]
    if op == "var":
        return values.get(term[1], term)
    if op in ("num", "const", "mat", "mat'") or not values:
        return term
    if op in ("int", "sum", "lim"):
        inner = {k: v for k, v in values.items() if k != term[2]}
        if any(term[2] in free(v) for k, v in inner.items() if k in free(term[1])):
            raise Rejected(f"the bound variable {term[2]} would catch a variable of what is put in")
        # The side of a limit is a word.
        return (
            op,
            put(term[1], inner),
            term[2],
            *(put(e, values) if isinstance(e, tuple) else e for e in term[3:]),
        )
    if op == "diff":
        if free(term) & set(values):
            raise Rejected("nothing can be put into a derivative that is only written down")
        return term
    return (*term[: -len(arguments(term))], *(put(a, values) for a in arguments(term)))


def arguments(term: Term) -> Term:
    """What an operation or a function is applied to, without its name or order."""
    return term[2:] if term[0] in ("fn", "polygamma") else term[1:]
