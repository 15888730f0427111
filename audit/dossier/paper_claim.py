"""What a paper says under one id, as data, with its twin and the checks that run on both."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import numpy as np

from ..record.evidence import Evidence

T = TypeVar("T")


@dataclass(frozen=True)
class Statement(Generic[T]):
    """A sentence in own words, and the same as data that the checks read."""

    text: str
    data: T


Check = Callable[[T, np.random.Generator], Evidence]


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


def asserts_nothing(title: str, text: str) -> PaperClaim[None]:
    """A term, an assumption or a procedure that is introduced: there is nothing to check."""
    return PaperClaim(title=title, printed=Statement(text, None))


@dataclass(frozen=True)
class Dossier:
    """The claims of one paper, in the order in which they were registered."""

    key: str
    title: str
    claims: dict[str, Callable[[], PaperClaim[Any]]] = field(default_factory=dict)

    def claim(self, name: str) -> Callable[[Callable[[], PaperClaim[Any]]], Callable[[], PaperClaim[Any]]]:
        """Decorator: the function returns the claim with the id KEY/name."""
        identifier = f"{self.key}/{name}"

        def keep(build: Callable[[], PaperClaim[Any]]) -> Callable[[], PaperClaim[Any]]:
            if identifier in self.claims:
                raise ValueError(f"{identifier} is registered twice: one function per claim")
            self.claims[identifier] = build
            return build

        return keep
