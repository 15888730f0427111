"""What a law of a vector has to offer, whatever it is made of: columns, formulas, log densities in numbers, samples."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Protocol

import numpy as np
import sympy as sp

from ..arrays import Floats


class Form(Protocol):
    """A law of vectors with the columns `names`; points and samples have the shape (size, number of columns)."""

    @property
    def names(self) -> tuple[str, ...]: ...
    @property
    def variables(self) -> tuple[sp.Symbol, ...]: ...
    @property
    def free_symbols(self) -> set[sp.Symbol]: ...
    @property
    def log_density(self) -> sp.Expr | None: ...
    def map(self, change: Callable[[sp.Expr], sp.Expr]) -> Form: ...
    def log_pdf(self, y: Floats) -> Floats: ...
    def sample(self, size: int, rng: np.random.Generator) -> Floats: ...


def numbers(values: Iterable[Any], what: str) -> Floats:
    """Exact numbers as doubles; ValueError while a parameter is still a symbol."""
    listed = list(values)
    free = sorted({str(s) for v in listed for s in sp.sympify(v).free_symbols})
    if free:
        raise ValueError(f"{what} still has the free parameters {', '.join(free)}: use at(...) to fix them")
    return np.array([float(v) for v in listed])


def free(values: Iterable[sp.Expr]) -> set[sp.Symbol]:
    """The symbols in several expressions."""
    found: set[sp.Symbol] = set().union(*(v.free_symbols for v in values))
    return found


def meaning(names: Iterable[str], notes: Iterable[str]) -> str:
    """What the notes of a law say of names that could mean two things: a text to append, "" where they say nothing."""
    asked = tuple(f"{name} is " for name in names)
    return "".join(f"; {note}" for note in notes if note.startswith(asked))


def distinct(names: Iterable[str]) -> tuple[str, ...]:
    """The names of columns, numbered where two are the same."""
    listed = list(names)
    twice = {n for n in listed if listed.count(n) > 1}
    counted: dict[str, int] = {}
    found = []
    for name in listed:
        counted[name] = counted.get(name, 0) + 1
        found.append(f"{name}{counted[name]}" if name in twice else name)
    return tuple(found)
