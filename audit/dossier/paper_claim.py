"""What a paper says under one id, as data, with its twin and the checks that run on both."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import singledispatch
from inspect import signature
from typing import Any, Final, Generic, SupportsFloat, TypeVar, cast

import numpy as np

from ..record.evidence import Evidence

T = TypeVar("T")


@dataclass(frozen=True)
class Statement(Generic[T]):
    """A sentence in own words, and the same as data that the checks read."""

    text: str
    data: T


Check = Callable[[T, np.random.Generator], Evidence]
# A claim as a function of what is disputed in it (a constant, a power, a word, a condition): a Statement, or its data alone.
Says = TypeVar("Says", bound=Callable[..., Any])


@dataclass(frozen=True)
class PaperClaim(Generic[T]):
    """One statement of a paper; an id that asserts nothing has no checks.

    `twin` is the corrected statement where the printed one is false, a slightly falsified one where it is
    true.  `reading` names the place in the text that fixes what was meant; the twin then says exactly that.
    `undecided` says why the statement cannot be settled here (data or a cited result out of reach).
    Where `condition` is given, printed statement and twin are checked under it; `without_condition` is the
    true one of the two without it: it must fall, otherwise the condition is idle.
    """

    title: str
    printed: Statement[T]
    twin: Statement[T] | None = None
    checks: tuple[Check[T], ...] = ()
    reading: str = ""
    condition: str = ""
    without_condition: Statement[T] | None = None
    undecided: str = ""

    def __post_init__(self) -> None:
        if self.undecided and (self.checks or self.twin is not None):
            raise ValueError(f"{self.title}: what cannot be settled has neither checks nor a twin")
        if bool(self.condition) != (self.without_condition is not None):
            raise ValueError(f"{self.title}: give condition and without_condition together, or neither")
        if self.checks and self.twin is None and self.without_condition is None:
            raise ValueError(
                f"{self.title}: a claim with checks needs a twin on which they must say something else"
            )
        if not self.checks and self.twin is not None:
            raise ValueError(
                f"{self.title}: a twin without checks shows nothing; give checks or drop the twin"
            )


_NONE: Final = object()
_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@dataclass(frozen=True)
class Later:
    """A value that is computed when the claim is built: what takes long to derive does not hold up the import of its paper."""

    value: Callable[[], Any]


@singledispatch
def checks_of(data: Any) -> tuple[Check[Any], ...]:
    """The checks that a statement of this kind of data brings along; each kind registers its own."""
    raise TypeError(f"{type(data).__name__} brings no checks along: give checks=")


def asserts_nothing(title: str, text: str) -> PaperClaim[None]:
    """A term, an assumption or a procedure that is introduced: there is nothing to check."""
    return PaperClaim(title=title, printed=Statement(text, None))


def times(factor: SupportsFloat, sign: str = " ") -> str:
    """A factor as it stands before a term of a text: nothing where it is one."""
    return "" if factor == 1 else f"{float(factor):g}{sign}"


@dataclass(frozen=True)
class Dossier:
    """The claims of one paper, in the order in which they were registered."""

    key: str
    title: str
    claims: dict[str, Callable[[], PaperClaim[Any]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        key = self.key if isinstance(self.key, str) else ""
        if not _KEY.fullmatch(key) or key.lower() == "index":
            raise ValueError(
                f"a dossier's key names a file beside index.html: use letters, digits, '.', '_', '-', got {self.key!r}"
            )
        if not isinstance(self.title, str):
            raise ValueError(f"a dossier's title must be text, got {self.title!r}")

    def claim(self, name: str) -> Callable[[Callable[[], PaperClaim[Any]]], Callable[[], PaperClaim[Any]]]:
        """Decorator: the function returns the claim with the id KEY/name."""
        identifier = f"{self.key}/{name}"

        def keep(build: Callable[[], PaperClaim[Any]]) -> Callable[[], PaperClaim[Any]]:
            if identifier in self.claims:
                raise ValueError(f"{identifier} is registered twice: one function per claim")
            self.claims[identifier] = build
            return build

        return keep

    def introduces(self, name: str, title: str, text: str) -> None:
        """The claim with the id KEY/name is a term, an assumption or a procedure: it asserts nothing."""
        self.claim(name)(lambda: asserts_nothing(title, text))

    def disputed(
        self,
        name: str,
        title: str,
        *,
        printed: Any,
        twin: Any = _NONE,
        without: Any = _NONE,
        at: Sequence[Any] = (),
        checks: Sequence[Check[Any]] | None = None,
        condition: str = "",
        reading: str = "",
    ) -> Callable[[Says], Says]:
        """Decorator: the function says the statement at a value of what is disputed; printed statement and twin are two values.

        A function of several parameters gets its values as a tuple.  `without` is the value at which the statement is
        said without its condition; `checks` are those that the statement brings along, unless given.  Where `at` has
        the values of `printed`, `twin` and `without`, in this order, those are texts, and the function returns their data.
        """
        given = {
            role: said
            for role, said in (("printed", printed), ("twin", twin), ("without", without))
            if said is not _NONE
        }
        if at and (len(at) != len(given) or not all(isinstance(said, str) for said in given.values())):
            raise ValueError(
                f"{self.key}/{name}: at gives a value for each text, of {', '.join(given)}; got {len(at)}"
            )
        values = dict(zip(given, at, strict=True)) if at else given

        def keep(says: Says) -> Says:
            several = len(signature(says).parameters) > 1

            def statement(role: str) -> Statement[Any] | None:
                if role not in given:
                    return None
                value = values[role].value() if isinstance(values[role], Later) else values[role]
                said = says(*value) if several else says(value)
                if isinstance(said, Statement) is bool(at):
                    raise TypeError(
                        f"expected {'the data alone' if at else 'a Statement'}, got {type(said).__name__}"
                    )
                return Statement(given[role], said) if at else cast("Statement[Any]", said)

            def build() -> PaperClaim[Any]:
                said = statement("printed")
                assert said is not None
                chosen = checks_of(said.data) if checks is None else checks
                return PaperClaim(
                    title,
                    said,
                    statement("twin"),
                    tuple(chosen),
                    reading,
                    condition,
                    without_condition=statement("without"),
                )

            self.claim(name)(build)
            return says

        return keep
