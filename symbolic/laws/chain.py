"""Dependent numbers: each has a law whose parameters contain the numbers before it, or a chain moves between finitely many states."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import sympy as sp

from ..arrays import Floats
from .form import free, numbers
from .law import Law

Change = Callable[[sp.Expr], sp.Expr]
_MOST = 5000  # different conditions for which a table is made


@dataclass(frozen=True)
class Chain:
    """Laws one after the other; a symbol with the name of a variable before stands for its value."""

    laws: tuple[Law, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(law.variable.name for law in self.laws)

    @property
    def variables(self) -> tuple[sp.Symbol, ...]:
        return tuple(law.variable for law in self.laws)

    @property
    def free_symbols(self) -> set[sp.Symbol]:
        return {s for s in free(self.laws) if s.name not in self.names}

    @property
    def log_density(self) -> sp.Expr:
        places = {v.name: v for v in self.variables}
        logs = (law.log_density() for law in self.laws)
        return sp.Add(
            *(e.xreplace({s: places[s.name] for s in e.free_symbols if s.name in places}) for e in logs)
        )

    def conditions(self, k: int) -> list[sp.Symbol]:
        """The symbols in law `k` that stand for values before it."""
        before = self.names[:k]
        return sorted(
            (s for s in self.laws[k].free_symbols if s.name in before), key=lambda s: before.index(s.name)
        )

    def map(self, change: Change) -> Chain:
        return Chain(tuple(law.map(change) for law in self.laws))

    def _fixed(self) -> None:
        numbers(sorted(self.free_symbols, key=str), "the chain")

    def log_pdf(self, y: Floats) -> Floats:
        self._fixed()
        total = np.zeros(len(y))
        for k, law in enumerate(self.laws):
            given = self.conditions(k)
            if not given:
                total += law.log_pdf(y[:, k])
                continue
            columns = y[:, [self.names.index(s.name) for s in given]]
            total += _conditional_log_pdf(law, given, columns, y[:, k])
        return total

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        self._fixed()
        out = np.empty((size, len(self.laws)))
        for k, law in enumerate(self.laws):
            given = self.conditions(k)
            columns = out[:, [self.names.index(s.name) for s in given]]
            out[:, k] = _conditional_sample(law, given, columns, rng) if given else law.sample(size, rng)
        return out


def _conditional_log_pdf(law: Law, given: list[sp.Symbol], columns: Floats, y: Floats) -> Floats:
    names = [law.variable, *given]
    ends = [sp.lambdify(given, e, modules="numpy") for e in law.support]
    function = sp.lambdify(names, law.log_density(), modules=["numpy", "scipy"])
    with np.errstate(all="ignore"):
        value = np.asarray(function(y, *columns.T), dtype=float)
        inside = (y >= ends[0](*columns.T)) & (y <= ends[1](*columns.T))
    if law.discrete:
        inside &= y == np.floor(y)
    return np.where(inside, value, -np.inf)


def _conditional_sample(
    law: Law, given: list[sp.Symbol], columns: Floats, rng: np.random.Generator
) -> Floats:
    moved = _moved(law, given)
    if moved is not None:
        base, shift, factor = moved
        place, size = (
            np.broadcast_to(
                np.asarray(sp.lambdify(given, e, modules="numpy")(*columns.T), dtype=float), len(columns)
            )
            for e in (shift, factor)
        )
        return np.asarray(base.sample(len(columns), rng) * size + place)
    rows, which = np.unique(columns, axis=0, return_inverse=True)
    if len(rows) > _MOST:
        raise ValueError(
            f"{law.name} is neither moved nor scaled by the values before it: at most {_MOST} different ones are tabulated,"
            f" got {len(rows)}"
        )
    drawn, out = which.reshape(-1), np.empty(len(columns))
    for i, row in enumerate(rows):
        at = law.at({s: sp.Rational(repr(float(v))) for s, v in zip(given, row, strict=True)})
        mask = drawn == i
        out[mask] = at.sample(int(mask.sum()), rng)
    return out


def _moved(law: Law, given: list[sp.Symbol]) -> tuple[Law, sp.Expr, sp.Expr] | None:
    """(base, shift, factor) if the law is that of base times factor plus shift, with the conditions in these two only."""
    if law.discrete:
        return None
    y, log, nothing = law.variable, law.log_density(), {s: sp.Integer(1) for s in given}
    steep = sp.diff(log, y)
    for power, scaled in ((0, False), (1, True)):
        slopes = [
            sp.simplify(-sp.diff(log, s) / (steep if not scaled else 1 + y**power * steep)) for s in given
        ]
        if any(s.has(y) or s.has(sp.nan, sp.zoo) for s in slopes):
            continue
        path = sp.Integer(0)
        for i, (s, slope) in enumerate(zip(given, slopes, strict=True)):
            # Along one condition after the other, those still to come at one.
            later = {t: sp.Integer(1) for t in given[i + 1 :]}
            path += sp.integrate(slope.subs(later), (s, 1, s)) if slope != 0 else 0
        if path.has(sp.Integral):
            continue
        base = law.at(nothing)
        moved = (
            (base.shift(path) if not scaled else base.scale(sp.simplify(sp.exp(path)))) if path != 0 else base
        )
        same = sp.simplify(moved.log_density() - log) == 0
        ends = all(a == b or sp.simplify(a - b) == 0 for a, b in zip(moved.support, law.support, strict=True))
        if same and ends:
            return (base, sp.Integer(0), sp.simplify(sp.exp(path))) if scaled else (base, path, sp.Integer(1))
    return None


@dataclass(frozen=True)
class MarkovChain:
    """States 0 ... k - 1: the law of the first, the matrix (k, k) of moves from row to column, and how many are observed."""

    initial: tuple[sp.Expr, ...]
    transition: sp.ImmutableMatrix
    length: int

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(f"y{i + 1}" for i in range(self.length))

    @property
    def variables(self) -> tuple[sp.Symbol, ...]:
        return ()

    @property
    def free_symbols(self) -> set[sp.Symbol]:
        return free((*self.initial, self.transition))

    @property
    def log_density(self) -> sp.Expr | None:
        return None

    def map(self, change: Change) -> MarkovChain:
        return MarkovChain(
            tuple(change(p) for p in self.initial), self.transition.applyfunc(change), self.length
        )

    def _numbers(self) -> tuple[Floats, Floats]:
        first = numbers(self.initial, "the Markov chain")
        moves = numbers(self.transition, "the Markov chain").reshape(self.transition.shape)
        if np.any(first < 0) or np.any(moves < 0):
            raise ValueError("the probabilities of a Markov chain must be >= 0 at these parameters")
        return first, moves

    def log_pdf(self, y: Floats) -> Floats:
        first, moves = self._numbers()
        states = np.all((y >= 0) & (y < len(first)) & (y == np.floor(y)), axis=1)
        at = np.where(states[:, None], y, 0).astype(int)
        with np.errstate(divide="ignore"):
            value = np.log(first)[at[:, 0]] + np.log(moves)[at[:, :-1], at[:, 1:]].sum(axis=1)
        return np.where(states, value, -np.inf)

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        first, moves = self._numbers()
        out = np.empty((size, self.length), dtype=int)
        out[:, 0] = rng.choice(len(first), size=size, p=first / first.sum())
        upto = np.cumsum(moves, axis=1)
        for t in range(1, self.length):
            level = rng.random(size) * upto[out[:, t - 1], -1]
            out[:, t] = (level[:, None] >= upto[out[:, t - 1]]).sum(axis=1)
        return out.astype(float)
