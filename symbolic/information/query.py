"""Queries f: R^n -> R^m given by formulas: identity, linear, weighted average, variance, or any expression."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import sympy as sp
from numpy.typing import ArrayLike

from ..arrays import Floats
from ..proof.enclosure import is_zero, rational
from ..proof.exact_matrices import exact_rank, symbolic_matrix
from ..proof.expressions import parse
from ..proof.truth import Truth
from .fisher import Information, information_of_query

Domain: TypeAlias = tuple[ArrayLike, ArrayLike]

_SMOOTH = (sp.Add, sp.Mul, sp.exp, sp.sin, sp.cos, sp.erf, sp.erfc)


@dataclass(frozen=True)
class Query:
    """The answers `expressions` (m) to a record x = `variables` (n), all real."""

    expressions: tuple[sp.Expr, ...]
    variables: tuple[sp.Symbol, ...]
    name: str = field(default="query", compare=False)

    def __post_init__(self) -> None:
        if not self.expressions or not self.variables:
            raise ValueError("a query needs at least one expression and one variable")
        if len(set(self.variables)) != len(self.variables):
            raise ValueError(f"the variables of a query must be distinct, got {self.variables}")
        if any(v.is_real is not True for v in self.variables):
            raise ValueError("the variables of a query must be real: declare them with real=True")
        unknown = set().union(*(e.free_symbols for e in self.expressions)) - set(self.variables)
        if unknown:
            names = ", ".join(sorted(map(str, unknown)))
            raise ValueError(
                f"the query contains {names}, which are not among its variables: give them numbers first"
            )

    @classmethod
    def of(cls, formulas: Sequence[str | sp.Expr], variables: Sequence[str | sp.Symbol]) -> Query:
        """A query from formulas in the named variables, texts read by the whitelist of `symbolic.expressions`.

        >>> Query.of(["a*b", "a**2"], ["a", "b"]).jacobian
        Matrix([
        [  b, a],
        [2*a, 0]])
        """
        if isinstance(formulas, str) or isinstance(variables, str):
            raise ValueError('formulas and variables are lists: write ["a*b"] and ["a", "b"]')
        symbols = tuple(sp.Symbol(v, real=True) if isinstance(v, str) else v for v in variables)
        names: Mapping[str, sp.Expr] = {s.name: s for s in symbols}
        if any(not n.isidentifier() for n in names):
            raise ValueError(f"variables must be names such as x1, got {sorted(names)}")
        return cls(tuple(parse(f, names) if isinstance(f, str) else f for f in formulas), symbols)

    @property
    def inputs(self) -> int:
        """n, the number of entries of the record."""
        return len(self.variables)

    @property
    def outputs(self) -> int:
        """m, the number of answers."""
        return len(self.expressions)

    @cached_property
    def jacobian(self) -> sp.ImmutableMatrix:
        """F(x), m x n: row i has the derivatives of answer i."""
        return sp.ImmutableMatrix(sp.Matrix(list(self.expressions)).jacobian(list(self.variables)))

    @cached_property
    def matrix(self) -> sp.ImmutableMatrix | None:
        """C if f(x) = C x + c, else None."""
        return None if self.jacobian.free_symbols else self.jacobian

    def __call__(self, x: ArrayLike) -> Floats:
        """f(x) for records x (..., n), shape (..., m)."""
        return self._numbers(x, self._compiled[0], (self.outputs,))

    def slope(self, x: ArrayLike) -> Floats:
        """F(x) for records x (..., n), shape (..., m, n)."""
        return self._numbers(x, self._compiled[1], (self.outputs, self.inputs))

    @cached_property
    def _compiled(self) -> tuple[Any, Any]:
        plain = [sp.Dummy() for _ in self.variables]
        renamed = dict(zip(self.variables, plain, strict=True))
        values = [e.xreplace(renamed) for e in self.expressions]
        slopes = [e.xreplace(renamed) for e in self.jacobian]
        return tuple(sp.lambdify(plain, e, modules=["numpy", "scipy"], cse=True) for e in (values, slopes))

    def _numbers(self, x: ArrayLike, function: Any, shape: tuple[int, ...]) -> Floats:
        points = np.asarray(x, dtype=float)
        if points.ndim == 0 or points.shape[-1] != self.inputs:
            raise ValueError(
                f"{self.name} expects records of {self.inputs} numbers on the last axis, got shape {points.shape}"
            )
        rows = function(*np.moveaxis(points, -1, 0))
        stacked = [np.broadcast_to(np.asarray(r, dtype=float), points.shape[:-1]) for r in rows]
        return np.stack(stacked, axis=-1).reshape(*points.shape[:-1], *shape)

    def information(self, noise: Information | sp.MatrixBase | sp.Expr | float) -> Information:
        """F' I_w F, the information of y = f(x) + w about x; a scalar is that of i.i.d. noise entries."""
        return information_of_query(self.expressions, self.variables, noise)

    def continuously_differentiable(self) -> Truth:
        """HOLDS if f is built from functions that are smooth on all of R^n; UNKNOWN where a kink or a pole is possible."""
        return Truth.HOLDS if all(map(smooth, self.expressions)) else Truth.UNKNOWN

    def rank(self) -> int | None:
        """The rank of the Jacobian outside a null set, exact; None if f is not a rational function of x."""
        if self.jacobian.atoms(sp.Function) or any(
            not e.is_rational_function(*self.variables) for e in self.jacobian
        ):
            return None
        return exact_rank(sp.Matrix(self.jacobian))


def identity(n: int) -> Query:
    """f(x) = x for n entries."""
    x = _variables(n)
    return Query(x, x, "identity")


def linear(matrix: ArrayLike | sp.MatrixBase) -> Query:
    """f(x) = C x for C (m, n); decimals are read as they are written."""
    c = number_matrix(matrix)
    x = _variables(c.shape[1])
    return Query(tuple(c * sp.Matrix(x)), x, "linear")


def weighted_average(weights: ArrayLike | Sequence[sp.Expr]) -> Query:
    """f(x) = sum c_i x_i for weights (n,) that add up to one."""
    c = number_matrix(sp.Matrix([list(np.atleast_1d(np.asarray(weights, dtype=object)))]))
    if is_zero(sp.Add(*c) - 1) is not Truth.HOLDS:
        raise ValueError(
            f"the weights of an average add up to 1, got {sp.Add(*c)}: divide them by their sum, or use linear"
        )
    return Query(linear(c).expressions, _variables(c.shape[1]), "weighted average")


def variance(n: int) -> Query:
    """f(x) = (1/(n-1)) sum_i (x_i - mean)^2, the sample variance of n >= 2 entries."""
    if n < 2:
        raise ValueError(f"a variance needs at least 2 entries, got n = {n}")
    x = _variables(n)
    # The sum of squares less n times the square of the mean: the same number with short derivatives.
    return Query(((sp.Add(*(v**2 for v in x)) - sp.Add(*x) ** 2 / n) / (n - 1),), x, "variance")


def _variables(n: int) -> tuple[sp.Symbol, ...]:
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
        raise ValueError(f"the number of entries must be a whole number >= 1, got {n!r}")
    return tuple(sp.Symbol(f"x{i + 1}", real=True) for i in range(int(n)))


def number_matrix(matrix: ArrayLike | sp.MatrixBase) -> sp.Matrix:
    """The matrix (m, n) of finite real numbers, decimals read as they are written."""
    exact = symbolic_matrix(matrix).applyfunc(lambda e: rational(float(e)) if e.is_Float else e)
    if any(not e.is_number or e.is_finite is not True or e.is_real is not True for e in exact):
        raise ValueError("the weights of a linear query must be finite real numbers")
    return sp.Matrix(exact)


def smooth(e: sp.Expr) -> bool:
    """Whether the way `e` is built shows that it is smooth on all of R^n."""
    if e.is_Symbol or e.is_number:
        return True
    if e.is_Pow and not (e.exp.is_Integer and e.exp.is_nonnegative) and e.base is not sp.E:
        return False
    return isinstance(e, (*_SMOOTH, sp.Pow)) and all(map(smooth, e.args))
