"""Formulas as trees that are written for sympy, evaluated by numpy, and enclosed by intervals of floats rounded outwards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Between = tuple[Floats, Floats]
# Wider than the rounding of any function of numpy that is used here.
_RELATIVE, _ABSOLUTE = 1e-14, 1e-14

_WRITTEN = {
    "+": "({0} + {1})",
    "-": "({0} - {1})",
    "*": "{0}*{1}",
    "/": "{0}/({1})",
    "square": "({0})**2",
    "cube": "({0})**3",
    "exp": "exp({0})",
    "log": "log({0})",
    "sqrt": "sqrt({0})",
    "abs": "Abs({0})",
    "max": "Max({0}, {1})",
    "min": "Min({0}, {1})",
    "sin": "sin({0})",
    "cos": "cos({0})",
    "tanh": "tanh({0})",
    "floor": "floor({0})",
    "sign": "sign({0})",
    "piecewise": "Piecewise(({1}, {0} < 0), ({2}, True))",
}


@dataclass(frozen=True)
class Tree:
    """A function of `arguments`; a leaf has none: a symbol, or a number as "1/2"."""

    name: str
    arguments: tuple[Tree, ...] = ()

    def __str__(self) -> str:
        if self.arguments:
            return _WRITTEN[self.name].format(*self.arguments)
        if self.name[0].isalpha():
            return self.name
        number = Fraction(self.name)
        return (
            f"({number})"
            if number.denominator == 1
            else f"Rational({number.numerator}, {number.denominator})"
        )

    def at(self, places: Mapping[str, Floats]) -> Floats:
        """The values at arrays of places."""
        if not self.arguments:
            return places[self.name] if self.name in places else np.asarray(float(Fraction(self.name)))
        return _value(self.name, [a.at(places) for a in self.arguments])

    def between(self, places: Mapping[str, Between]) -> Between:
        """Ends that no value passes while every symbol stays between its own ends; infinite where it may be undefined."""
        if not self.arguments:
            if self.name in places:
                return places[self.name]
            number = np.asarray(float(Fraction(self.name)))
            return _wider(number, number)
        low, high = _wider(*_ends(self.name, [a.between(places) for a in self.arguments]))
        # What overflows or is undefined bounds nothing.
        return np.where(np.isnan(low), -np.inf, low), np.where(np.isnan(high), np.inf, high)


def _value(name: str, v: list[Floats]) -> Floats:
    match name:
        case "+":
            return v[0] + v[1]
        case "-":
            return v[0] - v[1]
        case "*":
            return v[0] * v[1]
        case "/":
            return v[0] / v[1]
        case "square":
            return v[0] * v[0]
        case "cube":
            return v[0] * v[0] * v[0]
        case "max":
            return np.maximum(v[0], v[1])
        case "min":
            return np.minimum(v[0], v[1])
        case "piecewise":
            return np.where(v[0] < 0, v[1], v[2])
    return np.asarray(getattr(np, name)(v[0]))


def _wider(low: Floats, high: Floats) -> Between:
    return low - _RELATIVE * np.abs(low) - _ABSOLUTE, high + _RELATIVE * np.abs(high) + _ABSOLUTE


def _ends(name: str, v: list[Between]) -> Between:
    low, high = v[0]
    match name:
        case "+":
            return low + v[1][0], high + v[1][1]
        case "-":
            return low - v[1][1], high - v[1][0]
        case "*":
            return _products(v[0], v[1])
        case "/":
            away = (v[1][0] > 0) | (v[1][1] < 0)
            below, above = np.where(away, v[1][0], 1.0), np.where(away, v[1][1], 1.0)
            one, two = _products(v[0], (1 / above, 1 / below))
            return np.where(away, one, -np.inf), np.where(away, two, np.inf)
        case "abs" | "square":
            least = np.where((low <= 0) & (high >= 0), 0.0, np.minimum(np.abs(low), np.abs(high)))
            most = np.maximum(np.abs(low), np.abs(high))
            return (least, most) if name == "abs" else (least**2, most**2)
        case "cube":
            return low**3, high**3
        case "max":
            return np.maximum(low, v[1][0]), np.maximum(high, v[1][1])
        case "min":
            return np.minimum(low, v[1][0]), np.minimum(high, v[1][1])
        case "log" | "sqrt":
            return _from_zero(name, low, high)
        case "sin":
            return _wave(low, high, np.pi / 2)
        case "cos":
            return _wave(low, high, 0.0)
        case "piecewise":
            return _pieces(v)
    function = getattr(np, name)
    return function(low), function(high)


def _products(one: Between, two: Between) -> Between:
    every = [a * b for a in one for b in two]
    return np.minimum.reduce(every), np.maximum.reduce(every)


def _from_zero(name: str, low: Floats, high: Floats) -> Between:
    """Functions that rise from 0 on; a little below it counts as 0, since the ends are rounded outwards."""
    floor = np.where(low > -1e-12, np.maximum(low, 0.0), np.nan)
    top = np.maximum(high, 0.0)
    if name == "sqrt":
        return np.sqrt(floor), np.sqrt(top)
    return (
        np.where(floor > 0, np.log(np.where(floor > 0, floor, 1.0)), -np.inf),
        np.where(top > 0, np.log(np.where(top > 0, top, 1.0)), np.inf),
    )


def _wave(low: Floats, high: Floats, crest: float) -> Between:
    """A sine or cosine whose crests lie at `crest` plus multiples of 2 pi, its troughs half a turn on."""
    shift = 1e-9
    ends = [np.cos(low - crest), np.cos(high - crest)]

    def meets(place: float) -> Floats:
        first = np.ceil((low - shift - place) / (2 * np.pi))
        return np.asarray(place + 2 * np.pi * first <= high + shift)

    return (
        np.where(meets(crest + np.pi), -1.0, np.minimum(*ends)),
        np.where(meets(crest), 1.0, np.maximum(*ends)),
    )


def _pieces(v: list[Between]) -> Between:
    (low, high), one, two = v
    first, second = high < 0, low >= 0
    least, most = np.minimum(one[0], two[0]), np.maximum(one[1], two[1])
    return (
        np.where(first, one[0], np.where(second, two[0], least)),
        np.where(first, one[1], np.where(second, two[1], most)),
    )
