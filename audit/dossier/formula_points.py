"""Points at which a formula is tried: simple ones first, then random ones, then those on either side of a condition."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial
from itertools import islice
from typing import Protocol

import numpy as np
import sympy as sp

from ...symbolic.proof.enclosure import admits, sample_points, sign

Point = dict[sp.Symbol, sp.Expr]

POINTS = 200


class Quantified(Protocol):
    """What points are asked for: symbols, and expressions that are positive."""

    @property
    def symbols(self) -> list[sp.Symbol]:
        """The symbols that are quantified over."""

    @property
    def where(self) -> tuple[sp.Expr, ...]:
        """What is positive at every point."""


def points(formula: Quantified, rng: np.random.Generator, number: int = POINTS) -> Iterator[Point]:
    """Up to `number` rational points that the assumptions and conditions admit, simple ones first."""
    symbols = formula.symbols
    simple: Iterator[Point] = islice(sample_points(set(symbols)), number // 2) if symbols else iter([{}])
    given = 0
    for point in simple:
        if _admitted(formula, point):
            given += 1
            yield point
    for _ in range(20 * number if symbols else 0):
        if given >= number or (not given and _ >= number):
            break
        point = {s: _random(s, rng) for s in symbols}
        if _admitted(formula, point):
            given += 1
            yield point
    if not given:
        yield from islice(filter(partial(_admitted, formula), _beside_borders(formula, rng)), 1)


def _beside_borders(formula: Quantified, rng: np.random.Generator) -> Iterator[Point]:
    """Points on either side of where a condition changes its sign, near and far: for domains that random points miss."""
    for w in formula.where:
        for symbol in sorted(w.free_symbols, key=lambda s: s.name):
            slope = sp.diff(w, symbol)
            if not slope.is_Rational or slope == 0:
                continue
            for k in range(-12, 10):
                point = {s: _random(s, rng) for s in formula.symbols}
                border = (symbol - w / slope).xreplace(point)
                if border.is_Rational:
                    step = sp.Integer(10) ** k * sp.sign(slope)
                    value = border + step if not symbol.is_integer else sp.floor(border) + sp.ceiling(step)
                    if admits(symbol, value):
                        yield {**point, symbol: value}


def _random(symbol: sp.Symbol, rng: np.random.Generator) -> sp.Expr:
    """A random rational (or integer) number that the assumptions on the symbol admit, over several orders of magnitude."""
    integer, side = _assumed(symbol)
    size = (
        (int(rng.integers(0, 13)), 2) if integer else (int(rng.integers(1, 1000)), int(rng.integers(-2, 2)))
    )
    up = rng.random() < 0.5
    if side:
        up = side > 0
    if abs(side) == 2 and not size[0]:
        size = (1, 2)
    return _hundredths(size[0] if up else -size[0], size[1])


@cache
def _assumed(symbol: sp.Symbol) -> tuple[bool, int]:
    """Whether it is an integer, and its sign: 2 or -2 where it is not zero, 1 where it may be, 0 if nothing is known."""
    if symbol.is_positive:
        return bool(symbol.is_integer), 2
    return bool(symbol.is_integer), 1 if symbol.is_nonnegative else -2 if symbol.is_negative else 0


@cache
def _hundredths(number: int, power: int) -> sp.Rational:
    return sp.Rational(number, 100) * sp.Integer(10) ** power


def _admitted(formula: Quantified, point: Point) -> bool:
    return all(sign(w, point, bits=320) == 1 for w in formula.where)
