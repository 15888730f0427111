"""A program in smooth form, for the check alone: sizes |e| become variables above e and -e, cones and 2 x 2 matrices inequalities."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import sympy as sp

from program_trials.program import Norm, Program, Psd, read, symbols_of


@dataclass(frozen=True)
class Piece:
    """excess <= 0, or = 0 for an equation; `share` times its multiplier adds to the multiplier of constraint `of`."""

    excess: sp.Expr
    equation: bool
    of: int
    share: sp.Expr


@dataclass(frozen=True)
class Smooth:
    """min objective subject to pieces; `lifted` has the size that each added variable stands for."""

    objective: sp.Expr
    variables: tuple[sp.Symbol, ...]
    pieces: tuple[Piece, ...]
    lifted: tuple[sp.Expr, ...]
    own: int

    def point(self, values: tuple[sp.Expr, ...]) -> list[sp.Expr]:
        """A point of the program with the sizes that belong to it."""
        at = dict(zip(self.variables[: self.own], values, strict=True))
        return [*values, *(size.subs(at) for size in self.lifted)]

    @property
    def below(self) -> tuple[Piece, ...]:
        return tuple(p for p in self.pieces if not p.equation)

    @property
    def equations(self) -> tuple[Piece, ...]:
        return tuple(p for p in self.pieces if p.equation)


def smooth(program: Program, at: dict[str, sp.Expr] | None = None) -> Smooth:
    """The smooth form with numbers `at` for the parameters."""
    names = symbols_of(program)
    numbers = {names[n]: v for n, v in (at or {}).items()}
    variables = [names[n] for n in program.over.split()]
    objective = read(program.minimise, names).subs(numbers)
    pieces = [
        Piece(p.excess.subs(numbers), p.equation, p.of, p.share.subs(numbers))
        for k, stated in enumerate(program.subject_to)
        for p in _pieces(stated, names, k)
    ]
    sizes = sorted(objective.atoms(sp.Abs), key=str)
    added = [sp.Symbol(f"size{k}", real=True) for k in range(len(sizes))]
    for size, symbol in zip(sizes, added, strict=True):
        objective = objective.subs(size, symbol)
        pieces += [Piece(sign * size.args[0] - symbol, False, -1, sp.S.Zero) for sign in (1, -1)]
    return Smooth(objective, (*variables, *added), tuple(pieces), tuple(sizes), len(variables))


def _pieces(stated: str | Norm | Psd, names: dict[str, sp.Symbol], k: int) -> list[Piece]:
    if isinstance(stated, Psd):
        (a, b), (_, c) = (read(f"[{row}]", names) for row in stated.rows)
        # Where the matrix has rank one its multiplier is m times the adjugate, of trace m (a + c).
        return [
            Piece(-a, False, k, sp.S.One),
            Piece(-c, False, k, sp.S.One),
            Piece(b**2 - a * c, False, k, a + c),
        ]
    if isinstance(stated, Norm):
        return _cone(read(f"[{stated.vector}]", names), sp.sympify(read(stated.bound, names)), stated.norm, k)
    relation = read(stated, names)
    left, right = relation.args
    if isinstance(relation, sp.Eq):
        return [Piece(left - right, True, k, sp.S.One)]
    excess = left - right if isinstance(relation, sp.Le) else right - left
    return [Piece(excess, False, k, sp.S.One)]


def _cone(vector: list[sp.Expr], bound: sp.Expr, norm: str, k: int) -> list[Piece]:
    if norm == "l2":
        return [Piece(sp.Add(*(v**2 for v in vector)) - bound**2, False, k, 2 * bound)]
    if norm == "max":
        return [Piece(s * v - bound, False, k, sp.S.One) for v in vector for s in (1, -1)]
    return [
        Piece(sp.Add(*(s * v for s, v in zip(signs, vector, strict=True))) - bound, False, k, sp.S.One)
        for signs in product((1, -1), repeat=len(vector))
    ]
