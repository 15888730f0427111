"""The derivative of a minimiser in a parameter, with each hypothesis of the implicit function theorem checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sympy as sp

from ..errors import SpecError, came
from ..proof.as_written import determinant, inner, total
from ..proof.derivation import Derivation, Step, evaluated
from ..proof.fact import Fact
from ..proof.truth import Truth, all_hold
from ..proof.work import read_effort
from .certificate import PointCertificate
from .certify import Work
from .constraints import exact
from .feasibility import Where, at_point, put
from .formulas import certify
from .judge import Judge
from .moving import Moving, moving
from .multipliers import Multipliers, multipliers_at
from .no_multipliers import falling_direction
from .smooth_branch import KinkHereError, branch_of
from .smooth_form import SmoothForm, instance, smooth_form
from .solve import solve
from .stated_program import StatedProgram

IMPLICIT = (
    "with linearly independent active gradients, strict complementarity and a Hessian that is positive definite along them the "
    "minimiser is a differentiable function of the parameters, near by, given by the equations of the active constraints "
    "(Fiacco and McCormick 1968; Fiacco 1976)"
)
DIRECTIONAL = (
    "with linearly independent active gradients and the strong second-order condition the minimiser has one-sided derivatives, the "
    "solutions of a quadratic program (Jittorntrum 1984; Dontchev and Rockafellar 2014, 2G)"
)


@dataclass(frozen=True)
class Derivative:
    """The derivative of the minimiser with respect to the parameters, `at` one point of them.

    The minimiser is the local one there, which in a convex program is the global one. `matrix` has a row for each variable and
    a column for each parameter, in the units of the variable per unit of the parameter. `exists` is a Fact: HOLDS with the
    matrix, FAILS where the one-sided derivatives differ (`right` and `left`, for a parameter that grows and for one that
    falls), UNKNOWN with the hypothesis that is missing. `licq`, `strict` and `second_order` are the hypotheses. SpecError from
    `information(noise_variance)` where there is none. Source: Fiacco 1983, Introduction to sensitivity and stability analysis
    in nonlinear programming.

    >>> x, t = sp.symbols("x t", real=True)
    >>> nearest = npf.Program(minimise=(x - t) ** 2, over=[x], subject_to=[x >= 0], parameters=[t])
    >>> nearest.derivative(at={t: 1}).matrix, nearest.derivative(at={t: 0}).exists.truth.name
    (Matrix([[1]]), 'FAILS')
    """

    at: dict[sp.Symbol, sp.Expr]
    minimiser: dict[sp.Symbol, sp.Expr] | None
    parameters: tuple[sp.Symbol, ...]
    matrix: sp.ImmutableMatrix | None
    exists: Fact
    licq: Truth
    strict: Truth
    second_order: Truth
    derivation: Derivation = field(repr=False)
    right: sp.ImmutableMatrix | None = None
    left: sp.ImmutableMatrix | None = None

    @property
    def reason(self) -> str:
        """Why it exists, or does not."""
        return self.exists.reason

    def information(self, noise_variance: Any) -> sp.ImmutableMatrix:
        """J'J / s: the Fisher information about the parameters in minimiser + N(0, s I), to first order, exact where it is affine.

        SpecError if there is no derivative or the variance is no positive number.
        """
        if self.matrix is None:
            raise SpecError(f"there is no derivative to make an information of: {self.reason}")
        variance = exact(noise_variance, "noise_variance")
        if not variance.is_positive:
            raise SpecError(f"noise_variance must be positive, got {came(noise_variance)}")
        return sp.ImmutableMatrix((self.matrix.T * self.matrix / variance).applyfunc(sp.simplify))

    def __str__(self) -> str:
        where = ", ".join(f"{s} = {v}" for s, v in self.at.items())
        rows = "" if self.matrix is None else f"{self.matrix.tolist()} "
        return f"{rows}at {where}: {self.exists}"

    def _repr_latex_(self) -> str:
        if self.matrix is None:
            return rf"$\text{{{self.exists.truth.value}}}$"
        return rf"$\frac{{\partial x}}{{\partial \theta}} = {sp.latex(self.matrix)}$"


def derivative(
    program: StatedProgram,
    parameters: Any = None,
    *,
    at: Mapping[Any, Any],
    point: Any = None,
    effort: float = 1.0,
) -> Derivative:
    """How the minimiser moves with the parameters (all of them, if none is named) at the values `at`.

    `at` gives every parameter its value, by symbol or by name; `point` is the minimiser there, if it is known.  SpecError for a
    parameter that the program does not have, or that has no value in its domain.
    """
    chosen = _chosen(program, parameters)
    values = _values(program, at)
    work = Work(read_effort(effort))
    numbers = instance(program, values)
    found: PointCertificate | None
    if point is None:
        found = solve(numbers, effort=effort / 2).certificate
    else:
        found = certify(numbers, point, effort=effort / 2)
    if found is None or found.verdict != "PROVED":
        said = "none was found" if found is None else found.reason
        return _open(values, chosen, None, f"no minimiser is proved there: {said}{work.said()}")
    answer = work.run(
        "the equations of the active constraints", lambda: _moved(program, numbers, found, chosen, values)
    )
    return answer or _open(values, chosen, found.point, f"open{work.said()}")


def _moved(
    program: StatedProgram,
    numbers: StatedProgram,
    found: PointCertificate,
    chosen: tuple[sp.Symbol, ...],
    values: dict[sp.Symbol, sp.Expr],
) -> Derivative:
    form, stated, judge = smooth_form(program), smooth_form(numbers), Judge()
    sizes = [(len(f.variables), len(f.above), len(f.equal)) for f in (form, stated)]
    if sizes[0] != sizes[1]:
        return _open(values, chosen, found.point, "the program changes its form at these parameters")
    renamed = dict(zip(stated.variables, form.variables, strict=True))
    lifted = stated.lifting.point(found.point)
    where = {renamed[v]: e for v, e in lifted.items()}
    there = at_point(stated, lifted, judge)
    weights = multipliers_at(stated, lifted, there, judge)
    if weights is None:
        proved = falling_direction(stated, lifted, there, judge) is not None
        none = "the minimiser has no multipliers: no constraint qualification holds there"
        reason = none if proved else "no multipliers were found at the minimiser"
        return _open(values, chosen, found.point, reason)
    named = _scaled(stated, lifted, weights)
    try:
        form = branch_of(form, {**values, **where}, [p for p in values if p not in chosen])
    except KinkHereError as kink:
        return _open(
            values, chosen, found.point, f"the program itself is not smooth at these parameters: {kink}"
        )
    columns = []
    for parameter in chosen:
        shape = moving(form, stated, where, named, parameter, values, judge)
        if isinstance(shape, str):
            return _open(values, chosen, found.point, shape)
        columns.append(shape)
    return _judged(values, chosen, found.point, columns, len(program.variables), judge)


def _scaled(form: SmoothForm, where: Where, weights: Multipliers) -> dict[str, sp.Expr]:
    """The multipliers by names; those of cones for the excess |v| - b, those of matrices for minus the determinant."""
    named = {p.name: v for p, v in zip(weights.parts, weights.values, strict=True)}
    for k, c in enumerate(form.cones):
        if f"s_{k + 1}" in named:
            named[f"s_{k + 1}"] *= put(c.bound, where)
    for k, p in enumerate(form.matrices):
        if f"W_{k + 1}_11" in named:
            value = sp.Matrix(p.matrix.applyfunc(lambda e: put(e, where)))
            kernel = value.nullspace(simplify=True)[0]
            # The adjugate is a multiple of the kernel's projection: -det has this share of the multiplier.
            share = (kernel.T * kernel)[0, 0] / value.adjugate().trace()
            named[f"det_{k + 1}"] = sp.simplify(named[f"W_{k + 1}_11"] * share)
    return named


def _judged(
    values: dict[sp.Symbol, sp.Expr],
    chosen: tuple[sp.Symbol, ...],
    point: dict[sp.Symbol, sp.Expr],
    columns: Sequence[Moving],
    count: int,
    judge: Judge,
) -> Derivative:
    first = columns[0]
    licq = Truth.HOLDS if first.rank() == first.slopes.rows else Truth.FAILS
    strict = Truth.HOLDS if first.weak == 0 else Truth.FAILS
    second = all_hold(judge.positive(minor) for minor in first.minors())

    def open_because(reason: str) -> Derivative:
        return _open(values, chosen, point, reason, licq, strict, second)

    def known(fact: Fact, matrix: sp.ImmutableMatrix | None, lemma: str) -> Derivative:
        proof = Derivation(fact.reason, steps, (lemma,))
        return Derivative(values, point, chosen, matrix, fact, licq, strict, second, proof, right, left)

    if licq is Truth.FAILS:
        return open_because(
            "the gradients of the active constraints are linearly dependent: multipliers are not unique"
        )
    if second is not Truth.HOLDS:
        word = "not" if second is Truth.FAILS else "not known to be"
        return open_because(
            f"the Hessian of the Lagrangian is {word} positive definite along the active constraints: the minimiser need not be unique"
        )
    sides = [[shape.one_sided(sign, judge) for shape in columns] for sign in (1, -1)]
    if any(side is None for both in sides for side in both):
        return open_because("the quadratic program of the one-sided derivatives stayed open")
    right = sp.ImmutableMatrix(sp.Matrix.hstack(*(s[:count, :] for s in sides[0] if s is not None)))
    left = sp.ImmutableMatrix(sp.Matrix.hstack(*(-s[:count, :] for s in sides[1] if s is not None)))
    same = all(judge.zero(a - b) is Truth.HOLDS for a, b in zip(right, left, strict=True))
    steps = _steps(columns, judge)
    if first.weak == 0:
        words = "independent active gradients, strict complementarity, second-order condition: all proved"
        return known(Fact(Truth.HOLDS, words), right, IMPLICIT)
    kink = f"{first.weak} active constraint(s) have the multiplier 0"
    if not same:
        return known(
            Fact(Truth.FAILS, f"a kink: {kink}, and the one-sided derivatives differ"), None, DIRECTIONAL
        )
    if len(chosen) == 1:
        return known(
            Fact(Truth.HOLDS, f"{kink}, and yet both one-sided derivatives agree"), right, DIRECTIONAL
        )
    return open_because(f"{kink}: along each parameter the sides agree, in other directions it is open")


def _steps(columns: Sequence[Moving], judge: Judge) -> tuple[Step, ...]:
    first = columns[0]
    rows = [
        *(
            [
                Step(
                    determinant(first.slopes * first.slopes.T)
                    if first.slopes.rows <= 4
                    else (first.slopes * first.slopes.T).det(),
                    ">",
                    sp.S.Zero,
                    "the active gradients are independent: the determinant of their products with each other",
                    lambda a, b: judge.positive(a.doit() - b),
                )
            ]
            if first.slopes.rows
            else []
        ),
        *(
            Step(
                minor,
                ">",
                sp.S.Zero,
                "a leading minor of the Hessian along the equations and the strong constraints",
                lambda a, b: judge.positive(a - b),
            )
            for minor in first.minors()
        ),
    ]
    for shape in columns:
        found = shape.velocity(()) if shape.weak == 0 else None
        if found is not None:
            size = shape.hessian.rows
            residual = [[inner(shape.hessian[i, :], found[0]), shape.mixed[i]] for i in range(size)]
            if shape.fixed:
                kept = shape.slopes[: shape.fixed, :]
                for i in range(size):
                    residual[i].append(inner(kept[:, i], found[1]))
                still = [total(inner(kept[i, :], found[0]), shape.shifts[i]) for i in range(shape.fixed)]
                rows += [
                    Step(e, "=", sp.S.Zero, "the active constraints stay active", evaluated) for e in still
                ]
            rows += [
                Step(
                    total(*terms),
                    "=",
                    sp.S.Zero,
                    "the derivative of stationarity along the moving minimiser",
                    evaluated,
                )
                for terms in residual
            ]
    return tuple(rows)


def _open(
    values: dict[sp.Symbol, sp.Expr],
    chosen: tuple[sp.Symbol, ...],
    point: dict[sp.Symbol, sp.Expr] | None,
    reason: str,
    licq: Truth = Truth.UNKNOWN,
    strict: Truth = Truth.UNKNOWN,
    second: Truth = Truth.UNKNOWN,
) -> Derivative:
    return Derivative(
        values, point, chosen, None, Fact(Truth.UNKNOWN, reason), licq, strict, second, Derivation(reason, ())
    )


def _chosen(program: StatedProgram, parameters: Any) -> tuple[sp.Symbol, ...]:
    if not program.parameters:
        raise SpecError("the program has no parameters: name those that may move, parameters=[...]")
    if parameters is None:
        return program.parameters
    listed = [parameters] if isinstance(parameters, sp.Symbol | str) else list(parameters)
    known = {s.name: s for s in program.parameters}
    for p in listed:
        if str(p) not in known:
            raise SpecError(f"{p} is no parameter of the program: it has {', '.join(known)}")
    return tuple(known[str(p)] for p in listed)


def _values(program: StatedProgram, at: Mapping[Any, Any]) -> dict[sp.Symbol, sp.Expr]:
    named = {str(k): exact(v, f"the value of {k}") for k, v in at.items()}
    if set(named) != {s.name for s in program.parameters}:
        wanted = ", ".join(s.name for s in program.parameters)
        raise SpecError(f"at= gives a value to each of {wanted}, got {', '.join(named) or 'none'}")
    if not program.domain.contains(named):
        raise SpecError(f"at= lies outside of the domain {program.domain.said()}")
    return {s: named[s.name] for s in program.parameters}
