"""Losses that are sums over records, differentiated by sympy: l(phi) = regulariser(phi) + c sum_i ell(phi; x_i, y_i).

Formulas are read by the whitelist of `symbolic.expressions`; what is not twice continuously differentiable is refused.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp

from ...symbolic.arrays import Floats
from ...symbolic.proof.expressions import parse

_KINKS = (sp.Abs, sp.Max, sp.Min, sp.sign, sp.Heaviside, sp.Piecewise, sp.floor, sp.ceiling)


class Loss(ABC):
    """A twice continuously differentiable loss of the parameters phi (k,) on features (q, p) and targets (q,)."""

    @abstractmethod
    def parameters(self, features: int) -> int:
        """k, the number of parameters for records of so many features."""

    @abstractmethod
    def value(self, phi: Floats, x: Floats, y: Floats) -> float:
        """l(phi; data)."""

    @abstractmethod
    def gradient(self, phi: Floats, x: Floats, y: Floats) -> Floats:
        """The gradient in phi, shape (k,)."""

    @abstractmethod
    def hessian(self, phi: Floats, x: Floats, y: Floats) -> Floats:
        """The second derivative in phi, shape (k, k)."""

    @abstractmethod
    def mixed(self, phi: Floats, x: Floats, y: Floats, record: int) -> Floats:
        """The derivative of the gradient in the features of one record, shape (k, p)."""


@dataclass(frozen=True)
class LinearModelLoss(Loss):
    """sigma phi'phi + c sum_i ell(t_i, y_i) with t_i = phi'x_i (plus an offset, the last and unpriced parameter).

    `formula` is ell, an expression in the symbols `T` and `Y`; c is 1/q if `average`, else 1.
    """

    formula: sp.Expr
    sigma: float = 0.0
    average: bool = True
    offset: bool = False

    def __post_init__(self) -> None:
        refuse_kinks(self.formula, {T, Y})
        if not (np.isfinite(self.sigma) and self.sigma >= 0):
            raise ValueError(f"sigma (the price of phi'phi) must be a finite number >= 0, got {self.sigma!r}")

    @classmethod
    def written(
        cls, text: str, sigma: float = 0.0, average: bool = True, offset: bool = False
    ) -> LinearModelLoss:
        """The loss with ell read from a text in t and y, such as "log(1 + exp(-y*t))"."""
        return cls(parse(text, {"t": T, "y": Y}), sigma, average, offset)

    def parameters(self, features: int) -> int:
        return features + self.offset

    def _rows(self, x: Floats) -> Floats:
        return np.column_stack([x, np.ones(len(x))]) if self.offset else x

    def _price(self, k: int) -> Floats:
        price = np.full(k, float(self.sigma))
        if self.offset:
            price[-1] = 0.0
        return price

    @cached_property
    def _derivatives(self) -> tuple[Callable[..., Any], ...]:
        first = sp.diff(self.formula, T)
        return tuple(compiled((T, Y), e) for e in (self.formula, first, sp.diff(first, T)))

    def _each(self, order: int, phi: Floats, rows: Floats, y: Floats) -> Floats:
        share = 1 / len(y) if self.average else 1.0
        return np.asarray(
            share * evaluated(self._derivatives[order], (rows @ phi, y), (len(y),)), dtype=float
        )

    def value(self, phi: Floats, x: Floats, y: Floats) -> float:
        terms = self._each(0, phi, self._rows(x), y)
        return float(self._price(len(phi)) @ phi**2 + terms.sum())

    def gradient(self, phi: Floats, x: Floats, y: Floats) -> Floats:
        rows = self._rows(x)
        return np.asarray(2 * self._price(len(phi)) * phi + rows.T @ self._each(1, phi, rows, y), dtype=float)

    def hessian(self, phi: Floats, x: Floats, y: Floats) -> Floats:
        rows = self._rows(x)
        curved = (rows * self._each(2, phi, rows, y)[:, None]).T @ rows
        return np.asarray(curved + np.diag(2 * self._price(len(phi))), dtype=float)

    def mixed(self, phi: Floats, x: Floats, y: Floats, record: int) -> Floats:
        one, here, p = self._rows(x[[record]]), y[[record]], x.shape[1]
        share = 1 / len(y) if self.average else 1.0
        slope, bend = (share * evaluated(self._derivatives[n], (one @ phi, here), (1,))[0] for n in (1, 2))
        return np.asarray(bend * np.outer(one[0], phi[:p]) + slope * np.eye(len(phi), p), dtype=float)


def ridge(sigma: float, average: bool = True, offset: bool = False) -> LinearModelLoss:
    """sigma phi'phi + (1/q) sum (y_i - phi'x_i)^2: linear regression as in farokhi2020, section 3.2.3."""
    return LinearModelLoss((Y - T) ** 2, sigma, average, offset)


T, Y = sp.Symbol("t", real=True), sp.Symbol("y", real=True)


def refuse_kinks(expression: sp.Expr, allowed: set[sp.Symbol]) -> None:
    """ValueError for functions that are not twice continuously differentiable, and for symbols that mean nothing."""
    kinks = sorted({type(a).__name__ for a in sp.preorder_traversal(expression) if isinstance(a, _KINKS)})
    if kinks:
        raise ValueError(
            f"the loss contains {', '.join(kinks)}, which is not twice continuously differentiable: use a smooth stand-in "
            "such as log(1 + exp(z)) for max(z, 0), or solve_svm for the hinge"
        )
    strange = sorted(s.name for s in expression.free_symbols - allowed)
    if strange:
        raise ValueError(f"unknown symbols in the loss: {', '.join(strange)}")


def compiled(symbols: tuple[sp.Symbol, ...], expression: Any) -> Callable[..., Any]:
    """A numpy function of the symbols."""
    return sp.lambdify(symbols, expression, modules=["numpy", "scipy"], cse=True)  # type: ignore[no-any-return]


def evaluated(function: Callable[..., Any], arguments: tuple[Any, ...], shape: tuple[int, ...]) -> Floats:
    """The values of a compiled function, finite and of one shape (constants are spread)."""
    with np.errstate(all="ignore"):
        return finite(np.broadcast_to(np.asarray(function(*arguments), dtype=float), shape))


def finite(values: Floats) -> Floats:
    """`values`, or an ArithmeticError: the loss or a derivative is not finite there."""
    if not np.all(np.isfinite(values)):
        raise ArithmeticError("the loss or one of its derivatives is not finite at these parameters and data")
    return np.asarray(values, dtype=float)
