"""The constraints of a program, each brought to one form: an expression that is at most 0 or equals 0, a norm cone, a matrix."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from numbers import Real
from typing import Any, Literal, get_args

import numpy as np
import sympy as sp
from sympy.core.relational import Equality as SympyEquality
from sympy.core.relational import GreaterThan, LessThan, Relational, StrictGreaterThan, StrictLessThan

from ..errors import SpecError, came
from ..proof.enclosure import rational

Norm = Literal["l1", "l2", "max"]


def exact(value: Any, what: str) -> sp.Expr:
    """A sympy expression whose decimals are the numbers that were written; SpecError for anything else."""
    if isinstance(value, bool | np.bool_):
        raise SpecError(f"{what} must be an expression, got {value!r}")
    if isinstance(value, sp.Expr):
        return value.xreplace({f: rational(float(f)) for f in value.atoms(sp.Float)})
    if isinstance(value, Real | Decimal) and math.isfinite(value):
        return rational(value)
    raise SpecError(f"{what} must be a sympy expression or a finite number, got {came(value)}")


@dataclass(frozen=True)
class Inequality:
    """excess <= 0, as it was `written`."""

    excess: sp.Expr
    written: sp.Basic

    def expressions(self) -> tuple[sp.Expr, ...]:
        return (self.excess,)


@dataclass(frozen=True)
class Equation:
    """excess = 0, as it was `written`."""

    excess: sp.Expr
    written: sp.Basic

    def expressions(self) -> tuple[sp.Expr, ...]:
        return (self.excess,)


@dataclass(frozen=True, init=False)
class NormCone:
    """The constraint ||vector|| <= bound in the norm "l2", "l1" or "max"; entries and bound are affine for a convex program.

    `vector` is a list of expressions (d,), `bound` one. SpecError for a norm that is unknown, an empty vector and entries that are no
    expressions.

    >>> x, y = sp.symbols("x y", real=True)
    >>> npf.Program(maximise=x + y, over=[x, y], subject_to=[npf.NormCone([x, y], 1)]).solve().value
    sqrt(2)
    """

    vector: tuple[sp.Expr, ...]
    bound: sp.Expr
    norm: Norm

    def __init__(self, vector: Sequence[Any], bound: Any, norm: Norm = "l2") -> None:
        if norm not in get_args(Norm):
            raise SpecError(f"NormCone: norm must be one of {', '.join(get_args(Norm))}, got {norm!r}")
        if isinstance(vector, str) or not isinstance(vector, Iterable) or not list(vector):
            raise SpecError(f"NormCone: expected the entries of a vector, such as [x, y], got {vector!r}")
        entries = tuple(exact(entry, "NormCone: an entry") for entry in vector)
        object.__setattr__(self, "vector", entries)
        object.__setattr__(self, "bound", exact(bound, "NormCone: the bound"))
        object.__setattr__(self, "norm", norm)

    def expressions(self) -> tuple[sp.Expr, ...]:
        return (*self.vector, self.bound)

    @property
    def excess(self) -> sp.Expr:
        """The norm less the bound: at most 0."""
        sizes = [sp.Abs(entry) for entry in self.vector]
        if self.norm == "l2":
            return sp.sqrt(sp.Add(*(entry**2 for entry in self.vector))) - self.bound
        return (sp.Add(*sizes) if self.norm == "l1" else sp.Max(*sizes)) - self.bound

    def __str__(self) -> str:
        return f"||({', '.join(map(str, self.vector))})||_{self.norm} <= {self.bound}"


@dataclass(frozen=True, init=False)
class PSD:
    """The constraint that a symmetric matrix is positive semidefinite; its entries are affine for a convex program.

    `matrix` is a sympy Matrix or rows (d, d) of expressions. SpecError for what is no square symmetric matrix.

    >>> x = sp.Symbol("x", real=True)
    >>> npf.Program(minimise=x, over=[x], subject_to=[npf.PSD([[x, 1], [1, 4]])]).solve().value
    1/4
    """

    matrix: sp.ImmutableMatrix

    def __init__(self, matrix: Any) -> None:
        try:
            read = sp.ImmutableMatrix(matrix)
        except (TypeError, ValueError) as error:
            raise SpecError(f"PSD: expected a matrix, got {came(matrix)}") from error
        read = read.applyfunc(lambda entry: exact(entry, "PSD: an entry"))
        if read.rows != read.cols or read.rows == 0:
            raise SpecError(f"PSD: expected a square matrix, got {read.rows} x {read.cols}")
        if any(sp.expand(entry) != 0 for entry in read - read.T):
            raise SpecError("PSD: expected a symmetric matrix, and entries (i, j) and (j, i) differ")
        object.__setattr__(self, "matrix", read)

    def expressions(self) -> tuple[sp.Expr, ...]:
        return tuple(self.matrix)

    def __str__(self) -> str:
        return f"{self.matrix.tolist()} is positive semidefinite"


Constraint = Inequality | Equation | NormCone | PSD


def said(condition: Any) -> str:
    """A condition as it is read aloud: x + y = 1 rather than Eq(x + y, 1)."""
    relation = getattr(condition, "written", condition)
    if isinstance(relation, sp.Eq | sp.Ne):
        return f"{relation.lhs} {'=' if isinstance(relation, sp.Eq) else '!='} {relation.rhs}"
    return str(relation)


def read_constraint(relation: Any) -> Constraint:
    """One relation as a constraint; SpecError for what is none, strict ones included."""
    if isinstance(relation, Inequality | Equation | NormCone | PSD):
        return relation
    if relation is sp.true or relation is True:
        raise SpecError(
            "a relation is True before any number was put in: the assumptions of its symbols imply it, or its sides "
            "are equal; declare the symbols real=True only, or leave the relation out"
        )
    if relation is sp.false or relation is False:
        raise SpecError(
            "a relation is False whatever the numbers: the program has no feasible point by its writing; an equation is "
            "sp.Eq(x, y), since x == y asks Python whether the two are written alike"
        )
    if isinstance(relation, StrictLessThan | StrictGreaterThan):
        raise SpecError(
            f"{relation} is strict, and a minimum on its border would not be reached: write <= or >="
        )
    if not isinstance(relation, Relational):
        raise SpecError(
            f"expected a relation such as x + y <= 1, sp.Eq(x, 1), NormCone or PSD, got {came(relation)}"
        )
    left, right = (exact(side, f"a side of {relation}") for side in relation.args)
    if isinstance(relation, SympyEquality):
        return Equation(left - right, relation)
    if isinstance(relation, LessThan):
        return Inequality(left - right, relation)
    if isinstance(relation, GreaterThan):
        return Inequality(right - left, relation)
    raise SpecError(f"{relation} is neither <=, >= nor =: a program needs one of these")
