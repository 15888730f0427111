"""Losses beyond linear regression: logistic, and any formula of parameters and a record."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp

from noiseproof.mechanisms.learning.losses import LinearModelLoss, Loss, T, Y, compiled, finite, refuse_kinks
from noiseproof.mechanisms.learning.minimiser import Minimiser
from noiseproof.symbolic.arrays import Floats
from noiseproof.symbolic.proof.expressions import parse

_BLOCK = 4096


def logistic(sigma: float, average: bool = True, offset: bool = False) -> LinearModelLoss:
    """sigma phi'phi + (1/q) sum log(1 + exp(-y_i phi'x_i)), labels -1 and +1; written with cosh, which does not overflow early."""
    half = Y * T / 2
    return LinearModelLoss(sp.log(2 * sp.cosh(half)) - half, sigma, average, offset)


@dataclass(frozen=True)
class RecordLoss(Loss):
    """regulariser(phi) + c sum_i ell(phi, x_i, y_i) for any formulas in phi1.., x1.. and y: nonlinear models, small networks.

    `size` = (k, p).  Built from texts by `written`.
    """

    formula: sp.Expr
    regulariser: sp.Expr
    size: tuple[int, int]
    average: bool = True
    _symbols: tuple[tuple[sp.Symbol, ...], tuple[sp.Symbol, ...]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        symbols = named("phi", self.size[0]), named("x", self.size[1])
        object.__setattr__(self, "_symbols", symbols)
        refuse_kinks(self.formula, {*symbols[0], *symbols[1], Y})
        refuse_kinks(self.regulariser, set(symbols[0]))

    @classmethod
    def written(
        cls, text: str, size: tuple[int, int], regulariser: str = "0", average: bool = True
    ) -> RecordLoss:
        """The loss with ell and regulariser read from texts; size = (number of parameters, number of features)."""
        phi, x = named("phi", size[0]), named("x", size[1])
        names: dict[str, Any] = {s.name: s for s in phi}
        every = {**names, **{s.name: s for s in x}, "y": Y}
        return cls(parse(text, every, characters=4000), parse(regulariser, names), size, average)

    def parameters(self, features: int) -> int:
        if features != self.size[1]:
            raise ValueError(f"the loss is written for {self.size[1]} features, the records have {features}")
        return self.size[0]

    @cached_property
    def _compiled(self) -> dict[str, tuple[Callable[..., Any], Callable[..., Any]]]:
        phi, x = self._symbols
        out = {}
        for name, expression, symbols in (
            ("ell", self.formula, (*phi, *x, Y)),
            ("price", self.regulariser, phi),
        ):
            first = [sp.diff(expression, s) for s in phi]
            second = [sp.diff(f, s) for f in first for s in phi]
            out[name, 0], out[name, 1] = compiled(symbols, expression), compiled(symbols, first)
            out[name, 2] = compiled(symbols, second)
            if name == "ell":
                out[name, 3] = compiled(symbols, [sp.diff(f, s) for f in first for s in x])
        return out  # type: ignore[return-value]

    def _sum(self, order: int, shape: tuple[int, ...], phi: Floats, x: Floats, y: Floats) -> Floats:
        share = 1 / len(y) if self.average else 1.0
        table: Any = self._compiled
        total = np.zeros(int(np.prod(shape)))
        for start in range(0, len(y), _BLOCK):
            rows = slice(start, start + _BLOCK)
            arguments = (*phi, *x[rows].T, y[rows])
            parts = table["ell", order](*arguments)
            parts = parts if order else [parts]
            total += [np.sum(np.broadcast_to(part, y[rows].shape)) for part in parts]
        price = table["price", order](*phi)
        total = share * total + np.asarray(price if order else [price], dtype=float)
        return finite(total.reshape(shape))

    def value(self, phi: Floats, x: Floats, y: Floats) -> float:
        return float(self._sum(0, (1,), phi, x, y)[0])

    def gradient(self, phi: Floats, x: Floats, y: Floats) -> Floats:
        return self._sum(1, (len(phi),), phi, x, y)

    def hessian(self, phi: Floats, x: Floats, y: Floats) -> Floats:
        return self._sum(2, (len(phi), len(phi)), phi, x, y)

    def mixed(self, phi: Floats, x: Floats, y: Floats, record: int) -> Floats:
        share = 1 / len(y) if self.average else 1.0
        table: Any = self._compiled
        parts = table["ell", 3](*phi, *x[record], y[record])
        return finite(share * np.asarray(parts, dtype=float).reshape(self.size))


def named(letter: str, count: int) -> tuple[sp.Symbol, ...]:
    """letter1, letter2, ..."""
    if isinstance(count, bool) or int(count) != count or count < 1:
        raise ValueError(f"the numbers of parameters and features must be whole and >= 1, got {count!r}")
    return tuple(sp.Symbol(f"{letter}{n}", real=True) for n in range(1, int(count) + 1))


def sensitivity_norms(found: Minimiser) -> Floats:
    """The spectral norm of d phi / d x_j for each record j, shape (q,)."""
    norms = [np.linalg.norm(found.sensitivity(j), 2) for j in range(len(found.features))]
    return np.asarray(norms, dtype=float)
