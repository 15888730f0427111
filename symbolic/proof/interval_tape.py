"""Expressions as a list of operations on intervals: their values over a box, and the slopes that they may have in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import sympy as sp
from flint import arb, fmpq

from . import intervals as iv
from .enclosure import NotEnclosableError, enclose, function_of_balls
from .intervals import Interval
from .known_slopes import KNOWN, any_power, from_zero, root_slope, scaled
from .piecewise_borders import continuous, holds_over
from .work import spend

Values = list[Interval]
Partials = Callable[[Values, Interval], list[tuple[int, Interval]]]


@dataclass(frozen=True)
class _Operation:
    """`value` of the values before; `partials` by each place it depends on; `inside`: whether it is defined over all of them."""

    value: Callable[[Values], Interval]
    partials: Partials | None = None
    inside: Callable[[Values], bool] | None = None


@dataclass(frozen=True)
class Over:
    """The values of all operations over one box; `partial` if some of them is defined in a part of the box only."""

    values: Values
    partial: bool


class Tape:
    """Several expressions in the same symbols; NotEnclosableError names a function that has no enclosure here.

    `x**a*log(x)` counts as 0 at x = 0, its limit for a > 0.  Slopes are generalised gradients: a mean value
    theorem holds for them wherever `Over.partial` is not set.
    """

    def __init__(self, expressions: Sequence[sp.Expr], symbols: Sequence[sp.Symbol]) -> None:
        self.symbols = tuple(symbols)
        self._operations: list[_Operation] = [_input(i) for i in range(len(symbols))]
        self._places: dict[sp.Basic, int] = {s: i for i, s in enumerate(symbols)}
        self._varies = [True] * len(symbols)
        self.expressions = tuple(sp.sympify(e, strict=True) for e in expressions)
        self.outputs = tuple(self._place(e) for e in self.expressions)

    def over(self, box: Sequence[Interval]) -> Over:
        """All values over the box; OutsideError where an operation is defined nowhere in it."""
        spend(len(self._operations))
        values: Values = list(box)
        partial = False
        for operation in self._operations[len(box) :]:
            if operation.inside is not None and not operation.inside(values):
                partial = True
            values.append(operation.value(values))
        return Over(values, partial)

    def slopes(self, over: Over, output: int) -> list[Interval]:
        """An interval around the slope of one expression in each symbol."""
        place = self.outputs[output]
        spend(place + 1)
        adjoint: list[Interval | None] = [None] * (place + 1)
        adjoint[place] = iv.SINGLE
        for i in range(place, len(self.symbols) - 1, -1):
            mine, partials = adjoint[i], self._operations[i].partials
            if mine is None or partials is None:
                continue
            for child, slope in partials(over.values, over.values[i]):
                if self._varies[child]:
                    share, before = iv.times(mine, slope), adjoint[child]
                    adjoint[child] = share if before is None else iv.plus(before, share)
        found = adjoint[: len(self.symbols)] + [None] * len(self.symbols)
        return [found[i] or iv.NOUGHT for i in range(len(self.symbols))]

    def _add(self, operation: _Operation, *children: int) -> int:
        self._operations.append(operation)
        self._varies.append(any(self._varies[c] for c in children))
        return len(self._operations) - 1

    def _place(self, e: sp.Basic) -> int:
        if e not in self._places:
            self._places[e] = self._compiled(e)
        return self._places[e]

    def _compiled(self, e: sp.Basic) -> int:
        if not e.free_symbols & set(self.symbols):
            return self._constant(e)
        if isinstance(e, sp.Add):
            return self._chain([self._place(a) for a in e.args], self._plus)
        if isinstance(e, sp.Mul):
            return self._chain([self._place(a) for a in _factors(e)], self._times)
        if isinstance(e, _Entropic):
            return self._entropic(e)
        if isinstance(e, sp.exp) or (isinstance(e, sp.Pow) and e.base == sp.E):
            return self._unary(self._place(e.exp), iv.exponential, lambda a, v: v)
        if isinstance(e, sp.Pow):
            return self._power(e)
        if isinstance(e, sp.Max | sp.Min):
            places = [self._place(a) for a in e.args]
            return self._chain(places, self._larger if isinstance(e, sp.Max) else self._smaller)
        if isinstance(e, sp.Piecewise):
            return self._pieces(e)
        return self._function(e)

    def _constant(self, e: sp.Basic) -> int:
        if e.free_symbols:
            raise ValueError(
                f"{', '.join(sorted(map(str, e.free_symbols)))} has no interval: give one for every symbol"
            )
        if isinstance(e, sp.Rational):
            exact = arb(fmpq(int(e.p), int(e.q)))
        else:
            exact = enclose(sp.sympify(e), bits=160)
        if not exact.is_finite():
            raise NotEnclosableError(f"{e} is not a finite real number")
        return self._add(_Operation(lambda values: (exact, exact)))

    def _chain(self, places: list[int], binary: Callable[[int, int], int]) -> int:
        place = places[0]
        for other in places[1:]:
            place = binary(place, other)
        return place

    def _plus(self, a: int, b: int) -> int:
        return self._add(
            _Operation(
                lambda values: iv.plus(values[a], values[b]),
                lambda values, mine: [(a, iv.SINGLE), (b, iv.SINGLE)],
            ),
            a,
            b,
        )

    def _times(self, a: int, b: int) -> int:
        return self._add(
            _Operation(
                lambda values: iv.times(values[a], values[b]),
                lambda values, mine: [(a, values[b]), (b, values[a])],
            ),
            a,
            b,
        )

    def _larger(self, a: int, b: int) -> int:
        def partials(values: Values, mine: Interval) -> list[tuple[int, Interval]]:
            (a0, a1), (b0, b1) = values[a], values[b]
            if a0 >= b1:
                return [(a, iv.SINGLE)]
            return [(b, iv.SINGLE)] if b0 >= a1 else [(a, iv.UNIT), (b, iv.UNIT)]

        def value(values: Values) -> Interval:
            return values[a][0].max(values[b][0]), values[a][1].max(values[b][1])

        return self._add(_Operation(value, partials), a, b)

    def _smaller(self, a: int, b: int) -> int:
        def partials(values: Values, mine: Interval) -> list[tuple[int, Interval]]:
            (a0, a1), (b0, b1) = values[a], values[b]
            if a1 <= b0:
                return [(a, iv.SINGLE)]
            return [(b, iv.SINGLE)] if b1 <= a0 else [(a, iv.UNIT), (b, iv.UNIT)]

        def value(values: Values) -> Interval:
            return values[a][0].min(values[b][0]), values[a][1].min(values[b][1])

        return self._add(_Operation(value, partials), a, b)

    def _unary(
        self,
        a: int,
        value: Callable[[Interval], Interval],
        slope: Callable[[Interval, Interval], Interval],
        inside: Callable[[Interval], bool] | None = None,
    ) -> int:
        return self._add(
            _Operation(
                lambda values: value(values[a]),
                lambda values, mine: [(a, slope(values[a], mine))],
                None if inside is None else lambda values: inside(values[a]),
            ),
            a,
        )

    def _power(self, e: sp.Pow) -> int:
        exponent = e.exp
        if not isinstance(exponent, sp.Rational):
            return self._place(sp.exp(exponent * sp.log(e.base), evaluate=False))
        if exponent < 0:
            return self._inverse(self._place(sp.Pow(e.base, -exponent)))
        base = self._place(e.base)
        if exponent.is_Integer:
            n = int(exponent)
            return self._unary(
                base, lambda a: iv.whole_power(a, n), lambda a, v: scaled(n, iv.whole_power(a, n - 1))
            )
        power = Fraction(int(exponent.p), int(exponent.q))
        return self._unary(base, lambda a: iv.root_power(a, power), root_slope(power), from_zero)

    def _inverse(self, base: int) -> int:
        return self._unary(
            base, iv.inverse, lambda a, v: iv.minus(iv.whole_power(v, 2)), lambda a: a[0] > 0 or a[1] < 0
        )

    def _entropic(self, e: _Entropic) -> int:
        power = Fraction(int(e.args[1].p), int(e.args[1].q))

        def slope(a: Interval, mine: Interval) -> Interval:
            low, high = iv.from_zero(a)
            if not low > 0:
                # For power 1 the slope log(x) + 1 rises from -oo at zero, so that only its upper end is known.
                return iv.WHOLE if power != 1 else (-iv.INFINITY, high.upper().log() + 1)
            inner = iv.plus(scaled(power, iv.logarithm((low, high))), iv.SINGLE)
            rest = power - 1
            if rest == 0:
                return inner
            return iv.times(any_power((low, high), rest), inner)

        return self._unary(self._place(e.args[0]), lambda a: iv.entropic(a, power), slope, from_zero)

    def _pieces(self, e: sp.Piecewise) -> int:
        pieces = Pieces(e, self.symbols)
        inputs = range(len(self.symbols))
        return self._add(
            _Operation(
                lambda values: pieces.over(values[: len(self.symbols)]).value,
                lambda values, mine: list(
                    zip(inputs, pieces.slopes(values[: len(self.symbols)]), strict=True)
                ),
                lambda values: not pieces.over(values[: len(self.symbols)]).partial,
            ),
            *inputs,
        )

    def _function(self, e: sp.Basic) -> int:
        kind = type(e)
        if kind in KNOWN:
            value, slope, inside = KNOWN[kind]
            return self._unary(self._place(e.args[0]), value, slope, inside)
        function = function_of_balls(kind)
        if function is None or len(e.args) != 1:
            raise NotEnclosableError(f"no enclosure known for {kind.__name__} in {e}")
        value = iv.by_ball(function)
        # Nothing finite means a pole or no real value somewhere.
        place = self._place(e.args[0])
        return self._unary(place, value, lambda a, v: iv.WHOLE, lambda a: bool(value(a)[1].is_finite()))


class Pieces:
    """A Piecewise over boxes: a piece is looked at only where its condition may hold."""

    def __init__(self, e: sp.Piecewise, symbols: Sequence[sp.Symbol]) -> None:
        self._pieces = [Tape([value], symbols) for value, _ in e.args]
        self._tests = [holds_over(condition, lambda part: _alone(part, symbols)) for _, condition in e.args]
        self._continuous = continuous(e)
        self._last: tuple[Values, _PiecesOver] | None = None

    def over(self, box: Values) -> _PiecesOver:
        if self._last is None or any(x is not y for x, y in zip(self._last[0], box, strict=True)):
            self._last = (box, self._over(box))
        return self._last[1]

    def _over(self, box: Values) -> _PiecesOver:
        met: list[tuple[Tape, Over]] = []
        settled = partial = False
        for tape, test in zip(self._pieces, self._tests, strict=True):
            answer = test(box)
            if answer is False:
                continue
            try:
                found = tape.over(box)
            except iv.OutsideError:
                partial = True
            else:
                met.append((tape, found))
                partial |= found.partial
            if answer is True:
                settled = True
                break
        if not met:
            raise iv.OutsideError("no piece is defined")
        value = met[0][1].values[met[0][0].outputs[0]]
        for tape, found in met[1:]:
            value = iv.hull(value, found.values[tape.outputs[0]])
        return _PiecesOver(value, tuple(met), partial or not settled)

    def slopes(self, box: Values) -> list[Interval]:
        """Where several pieces meet, a hull of their slopes if they are continuous together; else anything."""
        met = self.over(box).met
        if len(met) > 1 and not self._continuous:
            return [iv.WHOLE] * len(box)
        found = [tape.slopes(over, 0) for tape, over in met]
        slopes = found[0]
        for other in found[1:]:
            slopes = [iv.hull(a, b) for a, b in zip(slopes, other, strict=True)]
        return slopes


@dataclass(frozen=True)
class _PiecesOver:
    value: Interval
    met: tuple[tuple[Tape, Over], ...]
    partial: bool


def _alone(part: sp.Expr, symbols: Sequence[sp.Symbol]) -> Callable[[Values], Interval]:
    tape = Tape([part], symbols)

    def value(box: Values) -> Interval:
        try:
            return tape.over(box).values[tape.outputs[0]]
        except iv.OutsideError:
            return iv.WHOLE

    return value


def _input(i: int) -> _Operation:
    return _Operation(lambda values: values[i])


class _Entropic(sp.Function):  # type: ignore[misc]
    """x**a*log(x) with its limit at zero; arguments x and a."""

    nargs = 2


def _factors(e: sp.Mul) -> list[sp.Expr]:
    """The factors, where a logarithm and a positive power of the same thing are one."""
    factors = list(e.args)
    for log in [f for f in factors if isinstance(f, sp.log)]:
        for f in factors:
            base, exponent = f.as_base_exp()
            if base == log.args[0] and isinstance(exponent, sp.Rational) and exponent > 0:
                factors.remove(log)
                factors.remove(f)
                factors.append(_Entropic(base, exponent))
                break
    return factors
