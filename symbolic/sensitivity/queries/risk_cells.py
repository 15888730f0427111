"""An upper end for minimisers of two parameters in closed form: cells of the shared records, directions, and one record at a time.

For fixed shared records r the minimisers of neighbours are theta(r, z) and theta(r, z'): in a direction u they are apart by at
most max u.theta(r, z) - min u.theta(r, z).  Over cells of r and of z both ends are bounded by centred forms.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import sympy as sp

from ...arrays import Floats
from ...domains.box import Box
from ...proof.box_arrays import BoxTape, Ends, outward, plus, times
from ...proof.work import spend, spent
from ..records import intervals
from .risk_problem import RiskProblem

_DIRECTIONS, _FINE, _ROUNDS, _COARSE, _BATCH, _MOST = 12, 3, 4, 4, 10_000, 6_000
Vector = tuple[sp.Rational, ...]
Symmetry = tuple[sp.Matrix, sp.Matrix]  # of the parameters, and of a record's numbers
CELLS = (
    "for fixed shared records the minimisers of neighbours lie, in a direction, no further apart than the range of the minimiser "
    "over one record; unit vectors at small angles bound the Euclidean length up to the cosine of half an angle"
)


@dataclass(frozen=True)
class Cells:
    """The closed form of the minimiser of a data set of n records, the last of which is the one that is exchanged."""

    theta: tuple[sp.Expr, ...]
    shared: tuple[tuple[sp.Symbol, ...], ...]
    own: tuple[sp.Symbol, ...]
    ends: tuple[tuple[sp.Rational, sp.Rational], ...]
    symmetries: tuple[Symmetry, ...]

    @classmethod
    def of(cls, problem: RiskProblem, domain: object, n: int) -> Cells | None:
        """None where the minimiser is no rational formula of few records in a box."""
        if problem.hessian is None or problem.ridge is None or not isinstance(domain, Box) or n > 2:
            return None
        rows = [tuple(sp.Symbol(f"{s.name}_{k}", real=True) for s in problem.records) for k in range(n)]
        zero = dict.fromkeys(problem.over, sp.Integer(0))
        matrix, right = n * problem.ridge, sp.zeros(len(problem.over), 1)
        for row in rows:
            named = dict(zip(problem.records, row, strict=True))
            matrix += problem.hessian.xreplace(named)
            right -= sp.Matrix([g.subs(zero).xreplace(named) for g in problem.gradient])
        right -= n * sp.Matrix([g.subs(zero) for g in problem.pull])
        solved = (matrix.adjugate() * right / matrix.det()).applyfunc(sp.cancel)
        ends = tuple(intervals(domain))
        same = tuple(symmetries(problem, ends))
        return cls(tuple(solved), tuple(rows[:-1]), rows[-1], ends, same)

    def excluded(self, gap: sp.Rational, norm: str, deadline: int) -> bool:
        """Whether no two minimisers of neighbours are further apart than the gap."""
        known = _directions(len(self.theta), norm)
        if known is None:
            return False
        directions, share = known
        top = float(gap * share) * (1 - 1e-12)
        return all(_Direction(self, u).below(top, deadline) for u in self._different(directions))

    def _different(self, directions: list[Vector]) -> list[Vector]:
        """One of each set of directions that a symmetry of the problem, or a change of sign, turns into one another."""
        kept: list[Vector] = []
        for u in directions:
            images = {tuple(turn * sp.Matrix(u)) for turn, _ in self.symmetries}
            images |= {tuple(-e for e in image) for image in images}
            if not images & set(kept):
                kept.append(u)
        return kept


def symmetries(problem: RiskProblem, ends: Sequence[tuple[sp.Rational, sp.Rational]]) -> list[Symmetry]:
    """Signed permutations of parameters and of a record's numbers that change neither the risk nor the box."""
    found = []
    if len(ends) > 4 or len(problem.over) > 3:
        return [(sp.eye(len(problem.over)), sp.eye(len(ends)))]
    for turn in _signed(len(problem.over)):
        moved = dict(zip(problem.over, turn * sp.Matrix(problem.over), strict=True))
        if sp.expand(problem.regulariser.xreplace(moved) - problem.regulariser) != 0:
            continue
        for change in _signed(len(ends)):
            if not _same_box(change, ends):
                continue
            named = {**moved, **dict(zip(problem.records, change * sp.Matrix(problem.records), strict=True))}
            if sp.expand(problem.loss.xreplace(named) - problem.loss) == 0:
                found.append((turn, change))
    return found


def _signed(size: int) -> Iterator[sp.Matrix]:
    for order in itertools.permutations(range(size)):
        for signs in itertools.product((1, -1), repeat=size):
            yield sp.Matrix(size, size, lambda i, j, o=order, s=signs: s[i] if o[i] == j else 0)


def _same_box(change: sp.Matrix, ends: Sequence[tuple[sp.Rational, sp.Rational]]) -> bool:
    moved = []
    for i in range(change.rows):
        (j,) = (k for k in range(change.cols) if change[i, k] != 0)
        low, high = ends[j]
        moved.append((low, high) if change[i, j] == 1 else (-high, -low))
    return moved == list(ends)


def _directions(size: int, norm: str) -> tuple[list[Vector], sp.Rational] | None:
    """Vectors u with |v| <= max |u.v| / share in the norm."""
    if norm == "max":
        return [tuple(sp.Integer(int(i == j)) for j in range(size)) for i in range(size)], sp.Integer(1)
    if norm == "l1" and size <= 6:
        signs = itertools.product((1, -1), repeat=size - 1)
        return [tuple(map(sp.Integer, (1, *rest))) for rest in signs], sp.Integer(1)
    if norm != "l2" or size != 2:
        return ([(sp.Integer(1),)], sp.Integer(1)) if size == 1 else None
    first = []
    for k in range(_DIRECTIONS // 4):
        t = sp.Rational(round(float(np.tan(np.pi * (k + 0.5) / _DIRECTIONS / 2)) * 10**4), 10**4)
        first.append(((1 - t**2) / (1 + t**2), 2 * t / (1 + t**2)))
    # Exact reflections of the first eighth of the circle: symmetries of the problem find them again.
    quarter = [*first, *((b, a) for a, b in reversed(first))]
    vectors = [*quarter, *((-a, b) for a, b in reversed(quarter))]
    closed = [*vectors, (-vectors[0][0], -vectors[0][1])]
    cosines = [a * c + b * d for (a, b), (c, d) in itertools.pairwise(closed)]
    # cos(angle/2)^2 = (1 + cos angle)/2, rounded down.
    return vectors, sp.Rational(int(float(sp.sqrt((1 + min(cosines)) / 2)) * 10**9), 10**9)


class _Direction:
    """u.theta, affine symbols at their ends, others over cells."""

    def __init__(self, cells: Cells, u: Sequence[sp.Rational]) -> None:
        whole = sp.Add(*(a * t for a, t in zip(u, cells.theta, strict=True)))
        # What does not depend on the own record is taken away: it would not cancel over cells.
        quiet = {s: low + (high - low) / 2 for s, (low, high) in zip(cells.own, cells.ends, strict=True)}
        self.form = sp.factor(sp.together(whole - whole.xreplace(quiet)))
        self.bottom = sp.fraction(self.form)[1]
        place = dict(zip(cells.own, cells.ends, strict=True))
        silent = [change for turn, change in cells.symmetries if turn == sp.eye(turn.rows)]
        rest = {s: e for row in cells.shared for s, e in zip(row, cells.ends, strict=True)}
        self.shared, self.shared_ends = self._split(rest, cells.shared, silent)
        self.own, self.own_ends = self._split(place, (cells.own,), silent)

    def _split(
        self,
        place: dict[sp.Symbol, tuple[sp.Rational, sp.Rational]],
        rows: Sequence[tuple[sp.Symbol, ...]],
        silent: list[sp.Matrix],
    ) -> tuple[dict[sp.Symbol, tuple[sp.Rational, sp.Rational]], list[dict[sp.Symbol, sp.Rational]]]:
        """Symbols for cells, and all choices of ends for those in which the form is affine."""
        affine = [s for s in place if not self.bottom.has(s) and sp.expand(sp.diff(self.form, s, 2)) == 0]
        kept = {s: e for s, e in place.items() if s not in affine and self.form.has(s)}
        choices = [
            dict(zip(affine, ends, strict=True)) for ends in itertools.product(*(place[s] for s in affine))
        ]
        different: list[dict[sp.Symbol, sp.Rational]] = []
        for choice in choices:
            if not any(_turned(choice, row, change) in different for row in rows for change in silent):
                different.append(choice)
        return kept, different

    def below(self, top: float, deadline: int) -> bool:
        """Whether the range over one record stays below the number for all shared records."""
        return all(self._below(choice, top, deadline) for choice in self.shared_ends)

    def _below(self, choice: dict[sp.Symbol, sp.Rational], top: float, deadline: int) -> bool:
        forms = [self.form.xreplace({**choice, **own}) for own in self.own_ends]
        symbols = [*self.shared, *self.own]
        tapes = [_Centred(form, symbols) for form in forms]
        waiting = _grid([self.shared[s] for s in self.shared], _COARSE)
        mine = _grid([self.own[s] for s in self.own], _FINE)
        done = 0
        while len(waiting[0]):
            size = max(1, _BATCH // max(len(mine[0]), 1))
            now = (waiting[0][:size], waiting[1][:size])
            waiting = (waiting[0][size:], waiting[1][size:])
            done += len(now[0])
            spend(len(now[0]) * len(mine[0]))
            if done > _MOST or spent() > deadline:
                return False
            wide = self._widths(tapes, now, mine)
            # What is no number is not below.
            left = ~(wide <= top)
            split = _halved((now[0][left], now[1][left]))
            waiting = (np.concatenate([waiting[0], split[0]]), np.concatenate([waiting[1], split[1]]))
        return True

    def _widths(self, tapes: list[_Centred], shared: Ends, own: Ends) -> Floats:
        """For each cell of the shared records an upper bound of the range over the own record."""
        high, low = (self._top(tapes, shared, own, sign) for sign in (1, -1))
        return np.asarray(np.nextafter(high + low, np.inf))

    def _top(self, tapes: list[_Centred], shared: Ends, own: Ends, sign: int) -> Floats:
        """An upper bound of sign times the form for each cell: own cells that cannot hold the largest value are not cut further."""
        many, few = len(shared[0]), len(own[0])
        which = np.repeat(np.arange(many), few)
        cells = (np.tile(own[0], (many, 1)), np.tile(own[1], (many, 1)))
        reached = np.full(many, -np.inf)
        for round_ in range(_ROUNDS):
            boxes = tuple(np.hstack([side[which], mine]) for side, mine in zip(shared, cells, strict=True))
            ranges = [tape.over((boxes[0], boxes[1])) for tape in tapes]
            lows = np.max([r[0] if sign == 1 else -r[1] for r in ranges], axis=0)
            highs = np.max([r[1] if sign == 1 else -r[0] for r in ranges], axis=0)
            np.maximum.at(reached, which, lows)
            if round_ == _ROUNDS - 1:
                break
            kept = highs > reached[which]
            which, halves = which[kept], _halved((cells[0][kept], cells[1][kept]))
            cells = halves
            which = np.tile(which, len(halves[0]) // max(len(which), 1))
        top = reached.copy()
        np.maximum.at(top, which, highs)
        return top


def _turned(
    choice: dict[sp.Symbol, sp.Rational], row: tuple[sp.Symbol, ...], change: sp.Matrix
) -> dict[sp.Symbol, sp.Rational]:
    """The ends that a symmetry of one record makes of a choice; the choice itself where it would mix chosen numbers with others."""
    moved = dict(choice)
    for i, s in enumerate(row):
        (j,) = (k for k in range(change.cols) if change[i, k] != 0)
        if (s in choice) != (row[j] in choice):
            return {}
        if s in choice:
            moved[s] = change[i, j] * choice[row[j]]
    return moved


class _Centred:
    """f(c) + f'(box)(box - c), met with the natural range."""

    def __init__(self, form: sp.Expr, symbols: list[sp.Symbol]) -> None:
        self.symbols = symbols
        self.value = BoxTape([form])
        self.whole = BoxTape([form, *(sp.together(sp.diff(form, s)) for s in symbols)])

    def over(self, boxes: Ends) -> Ends:
        centres = (boxes[0] + boxes[1]) / 2
        named = {s: (boxes[0][:, k], boxes[1][:, k]) for k, s in enumerate(self.symbols)}
        points = {s: (centres[:, k], centres[:, k]) for k, s in enumerate(self.symbols)}
        natural, *slopes = self.whole.over(named)
        (total,) = self.value.over(points)
        for k, slope in enumerate(slopes):
            moved = outward(boxes[0][:, k] - centres[:, k], boxes[1][:, k] - centres[:, k])
            total = plus(total, times(slope, moved))
        return np.maximum(total[0], natural[0]), np.minimum(total[1], natural[1])


def _grid(ends: Sequence[tuple[sp.Rational, sp.Rational]], parts: int) -> Ends:
    """All cells of a box, so many in each direction, as rows; one row without columns where there is no direction."""
    sides = []
    for low, high in ends:
        marks = np.linspace(float(low), float(high), parts + 1)
        marks[0], marks[-1] = np.nextafter(float(low), -np.inf), np.nextafter(float(high), np.inf)
        sides.append(list(itertools.pairwise(marks)))
    cells = list(itertools.product(*sides))
    shape = (len(cells), len(ends))
    return (
        np.array([[a for a, _ in cell] for cell in cells], dtype=float).reshape(shape),
        np.array([[b for _, b in cell] for cell in cells], dtype=float).reshape(shape),
    )


def _halved(cells: Ends) -> Ends:
    """Each cell cut in two in every direction."""
    low, high = cells
    middle = (low + high) / 2
    for k in range(low.shape[1]):
        first, second = high.copy(), low.copy()
        first[:, k], second[:, k] = middle[:, k], middle[:, k]
        low, high = np.concatenate([low, second]), np.concatenate([first, high])
        middle = np.concatenate([middle, middle])
    return low, high


# Upper ends to try, as shares of the lower one: a quick one first, lest nothing be known at the end.
SHARES = (sp.Rational(3, 2), sp.Rational(209, 200))


def cells_bound(cells: Cells, lower: sp.Expr, norm: str, deadline: int) -> sp.Rational | None:
    """The closest upper end that was proved in time, None if none was."""
    near, best = sp.Rational(round(float(lower) * 10**6) + 1, 10**6), None
    for share in SHARES:
        if not cells.excluded(near * share, norm, deadline):
            break
        best = near * share
    return best
