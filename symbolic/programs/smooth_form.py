"""A program as certificates need it: smooth excesses, Euclidean cones and matrices, and the numbers of one instance."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, replace

import sympy as sp

from ..errors import SpecError
from .constraints import PSD, Constraint, Equation, Inequality, NormCone
from .lifting import Lifting, lifted, nonsmooth
from .natural_domain import NaturalDomain, all_constraints, natural_domain
from .stated_program import StatedProgram

_MOST_SIGNS = 6


@dataclass(frozen=True)
class SmoothForm:
    """min objective with above <= 0, equal = 0, Euclidean `cones` and positive semidefinite `matrices`."""

    lifting: Lifting
    objective: sp.Expr
    variables: tuple[sp.Symbol, ...]
    above: tuple[sp.Expr, ...]
    equal: tuple[sp.Expr, ...]
    cones: tuple[NormCone, ...]
    matrices: tuple[PSD, ...]
    natural: NaturalDomain

    @property
    def stated(self) -> StatedProgram:
        return self.lifting.stated

    @property
    def smooth(self) -> bool:
        """Whether every kink could be lifted."""
        return not nonsmooth(self.lifting.program)

    @property
    def unlisted(self) -> tuple[sp.Expr, ...]:
        """What must not be negative for the formulas to have values, and is no inequality of its own."""
        return tuple(e for e in self.natural.nonnegative if -e not in self.above)

    def ranges(self) -> dict[sp.Symbol, tuple[sp.Expr, sp.Expr]]:
        """The interval that the constraints on single variables leave to each, infinite ends included."""
        found = dict.fromkeys(self.variables, (-sp.oo, sp.oo))
        diagonals = (e for m in self.matrices for e in m.matrix.diagonal())
        domain = self.natural.positive + self.natural.nonnegative
        for e in (*self.above, *(-p for p in (*domain, *diagonals))):
            self._tighten(found, e)
        for e in self.equal:
            self._tighten(found, e)
            self._tighten(found, -e)
        return found

    @staticmethod
    def _tighten(found: dict[sp.Symbol, tuple[sp.Expr, sp.Expr]], e: sp.Expr) -> None:
        symbols = [v for v in found if e.has(v)]
        if len(symbols) != 1 or not e.is_polynomial(symbols[0]):
            return
        (v,) = symbols
        poly = sp.Poly(e, v)
        if poly.degree() == 2 and not poly.coeff_monomial(v) and all(c.is_number for c in poly.all_coeffs()):
            square, rest = poly.coeff_monomial(v**2), poly.coeff_monomial(1)
            if square.is_positive and rest.is_nonpositive:
                end = sp.sqrt(-rest / square)
                found[v] = (_largest(found[v][0], -end), _smallest(found[v][1], end))
        if poly.degree() != 1:
            return
        slope, rest = poly.all_coeffs()
        end = -rest / slope
        if not end.is_number:
            return
        low, high = found[v]
        if slope.is_positive:
            found[v] = (low, _smallest(high, end))
        elif slope.is_negative:
            found[v] = (_largest(low, end), high)


def _largest(a: sp.Expr, b: sp.Expr) -> sp.Expr:
    return sp.Max(a, b)


def _smallest(a: sp.Expr, b: sp.Expr) -> sp.Expr:
    return sp.Min(a, b)


def smooth_form(program: StatedProgram) -> SmoothForm:
    """The lifted program, its l1 and maximum norms written as linear inequalities."""
    # The assumptions of the variables count before lifting as after it: new variables have none of their own.
    lifting = lifted(program)
    above: list[sp.Expr] = []
    equal: list[sp.Expr] = []
    cones: list[NormCone] = []
    matrices: list[PSD] = []
    for c in all_constraints(lifting.program):
        if isinstance(c, Inequality):
            above.append(c.excess)
        elif isinstance(c, Equation):
            equal.append(c.excess)
        elif isinstance(c, PSD):
            matrices.append(c)
        elif c.bound == 0:
            equal += c.vector
        elif c.norm == "l2" and len(c.vector) > 1:
            cones.append(c)
        else:
            above += _sides(c)
    return SmoothForm(
        lifting,
        lifting.program.objective,
        lifting.program.variables,
        tuple(above),
        tuple(equal),
        tuple(cones),
        tuple(matrices),
        natural_domain(lifting.program),
    )


def _sides(cone: NormCone) -> list[sp.Expr]:
    if cone.norm != "l1" or len(cone.vector) == 1:
        return [s * e - cone.bound for e in cone.vector for s in (1, -1)]
    if len(cone.vector) > _MOST_SIGNS:
        raise SpecError(
            f"an l1 cone of {len(cone.vector)} entries has too many sides here: at most {_MOST_SIGNS}, "
            "or write one variable for each absolute value"
        )
    signs = itertools.product((1, -1), repeat=len(cone.vector))
    return [sp.Add(*(s * e for s, e in zip(row, cone.vector, strict=True))) - cone.bound for row in signs]


def instance(program: StatedProgram, at: Mapping[sp.Symbol, sp.Expr]) -> StatedProgram:
    """The program with numbers for its parameters."""
    if not program.parameters:
        return program
    constraints: list[Constraint] = []
    for c in program.constraints:
        if isinstance(c, NormCone):
            constraints.append(NormCone([e.subs(at) for e in c.vector], c.bound.subs(at), c.norm))
        elif isinstance(c, PSD):
            constraints.append(PSD(c.matrix.subs(at)))
        else:
            constraints.append(replace(c, excess=c.excess.subs(at)))
    return StatedProgram(program.objective.subs(at), program.variables, constraints)
