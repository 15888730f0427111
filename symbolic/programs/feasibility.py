"""Which constraints hold with equality at a point, and the parts that their multipliers may have in a Lagrangian."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import sympy as sp

from ..proof.as_written import applied, difference, power, total, value_at
from ..proof.derivation import Step
from ..proof.truth import Truth, all_hold
from .judge import Judge
from .smooth_form import SmoothForm

Where = Mapping[sp.Symbol, sp.Expr]


@dataclass(frozen=True)
class Part:
    """A term that is at most zero on the feasible set (zero if it is `free`), and is zero at the point; `group` for terms bound together."""

    term: sp.Expr
    free: bool
    name: str
    group: tuple[str, int] | None = None


@dataclass(frozen=True)
class AtPoint:
    """A point of a program: whether it is feasible, how far each inequality is from its bound, and what is active."""

    feasible: Truth
    reason: str
    slacks: tuple[sp.Expr, ...]
    parts: tuple[Part, ...]
    excess: sp.Expr | None = None


def at_point(form: SmoothForm, where: Where, judge: Judge) -> AtPoint:
    """Feasibility of the point, decided exactly, and the parts of the active constraints."""
    unreal = next((v for v in form.variables if _unreal(where[v])), None)
    if unreal is not None:
        reason = f"{unreal} = {where[unreal]} is no real number"
        return AtPoint(Truth.FAILS, reason, (), ())
    checks: list[tuple[Truth, str, sp.Expr | None]] = [*_natural(form, where, judge)]
    parts: list[Part] = []
    slacks = []
    for k, e in enumerate(form.above):
        slack = put(e, where)
        slacks.append(slack)
        zero = judge.zero(slack)
        inside = Truth.HOLDS if zero is Truth.HOLDS else judge.at_least_zero(-slack)
        checks.append((inside, f"{e} <= 0", slack))
        if zero is Truth.HOLDS:
            parts.append(Part(e, False, f"mu_{k + 1}"))
    for k, e in enumerate(form.equal):
        value = put(e, where)
        checks.append((judge.zero(value), f"{e} = 0", value))
        parts.append(Part(e, True, f"nu_{k + 1}"))
    for k in range(len(form.cones)):
        checks.append(_cone(form, k, where, judge, parts))
    for k in range(len(form.matrices)):
        checks.append(_matrix(form, k, where, judge, parts))
    truth = all_hold(t for t, _, _ in checks)
    failed = next(((name, e) for t, name, e in checks if t is Truth.FAILS), None)
    doubted = next((name for t, name, _ in checks if t is Truth.UNKNOWN), None)
    if failed is not None:
        return AtPoint(truth, f"{failed[0]} does not hold there", tuple(slacks), tuple(parts), failed[1])
    reason = "feasible" if doubted is None else f"whether {doubted} holds there is open"
    return AtPoint(truth, reason, tuple(slacks), tuple(parts))


def _unreal(value: sp.Expr) -> bool:
    no_number = value.has(sp.nan, sp.zoo, sp.oo, -sp.oo)
    return bool(no_number or (value.is_number and value.is_extended_real is False))


def put(e: sp.Expr, where: Where) -> sp.Expr:
    """The expression at the point, expanded where that is cheap."""
    value = e.subs(where, simultaneous=True)
    return sp.expand(value) if value.count_ops() < 400 else value


def worked_out(e: sp.Expr) -> sp.Expr:
    """What was only written down, carried out as `put` does."""
    value = e.doit()
    return sp.expand(value) if value.count_ops() < 400 else value


def _natural(form: SmoothForm, where: Where, judge: Judge) -> list[tuple[Truth, str, sp.Expr | None]]:
    rows: list[tuple[Truth, str, sp.Expr | None]] = []
    for e in form.natural.positive:
        rows.append((judge.positive(put(e, where)), f"{e} > 0", None))
    for e in form.unlisted:
        rows.append((judge.at_least_zero(put(e, where)), f"{e} >= 0", None))
    for e in form.natural.nonzero:
        rows.append((~judge.zero(put(e, where)), f"{e} != 0", None))
    for v in form.natural.integers:
        whole = where[v].is_integer
        if whole is None and where[v].is_number:
            whole = False if judge.zero(where[v] - sp.floor(where[v])) is Truth.FAILS else None
        word = Truth.UNKNOWN if whole is None else Truth.HOLDS if whole else Truth.FAILS
        rows.append((word, f"{v} is an integer", None))
    return rows


def _cone(
    form: SmoothForm, k: int, where: Where, judge: Judge, parts: list[Part]
) -> tuple[Truth, str, sp.Expr | None]:
    cone = form.cones[k]
    vector, bound = [put(e, where) for e in cone.vector], put(cone.bound, where)
    square = sp.expand(bound**2 - sp.Add(*(e**2 for e in vector)))
    zero = judge.zero(square)
    inside = all_hold(
        (judge.at_least_zero(bound), Truth.HOLDS if zero is Truth.HOLDS else judge.at_least_zero(square))
    )
    if zero is Truth.HOLDS and inside is Truth.HOLDS:
        if judge.zero(bound) is Truth.HOLDS:
            # At the tip every (z, s) with |z| <= s belongs to the constraint.
            parts += [Part(e, True, f"z_{k + 1}_{i + 1}", ("cone", k)) for i, e in enumerate(cone.vector)]
            parts.append(Part(-cone.bound, False, f"s_{k + 1}", ("cone", k)))
        else:
            term = sp.Add(*(a * e for a, e in zip(vector, cone.vector, strict=True))) - bound * cone.bound
            parts.append(Part(term, False, f"s_{k + 1}"))
    return inside, str(cone), cone.excess.subs(where)


def _matrix(
    form: SmoothForm, k: int, where: Where, judge: Judge, parts: list[Part]
) -> tuple[Truth, str, sp.Expr | None]:
    stated = form.matrices[k].matrix
    value = sp.Matrix(stated.applyfunc(lambda e: put(e, where)))
    inside = judge.semidefinite(value)
    if inside is Truth.HOLDS and judge.zero(value.det()) is Truth.HOLDS:
        kernel = value.nullspace(simplify=True)
        for i, a in enumerate(kernel):
            for j, b in enumerate(kernel[: i + 1]):
                # The entry W_ij of a positive semidefinite W, whose part is -<N W N', M>.
                term = -(a.T * stated * b)[0, 0] * (1 if i == j else 2)
                single = len(kernel) == 1
                parts.append(
                    Part(term, not single, f"W_{k + 1}_{i + 1}{j + 1}", None if single else ("matrix", k))
                )
    return inside, str(form.matrices[k]), None


def feasibility_steps(form: SmoothForm, where: Where, judge: Judge) -> tuple[Step, ...]:
    """A step for each constraint at the point, norm cones, matrices, natural domain and whole numbers included."""

    def positive(a: sp.Expr, b: sp.Expr) -> Truth:
        return judge.positive(worked_out(a) - worked_out(b))

    def at_least(a: sp.Expr, b: sp.Expr) -> Truth:
        return judge.at_least_zero(worked_out(a) - worked_out(b))

    def zero(a: sp.Expr, b: sp.Expr) -> Truth:
        return judge.zero(worked_out(a) - worked_out(b))

    def semidefinite(a: sp.MatrixBase, b: sp.MatrixBase) -> Truth:
        return judge.semidefinite(a - b)

    def row(e: sp.Expr, relation: str, how: Callable[[Any, Any], Truth], written: str) -> Step:
        return Step(e, relation, sp.S.Zero, f"{written} at the point", how)

    natural = form.natural
    rows = [row(value_at(e, where), "<=", lambda a, b: at_least(b, a), f"{e} <= 0") for e in form.above]
    rows += [row(value_at(e, where), "=", zero, f"{e} = 0") for e in form.equal]
    for cone in form.cones:
        bound = value_at(cone.bound, where)
        squares = total(*(power(value_at(e, where), 2) for e in cone.vector))
        square = difference(power(bound, 2), squares)
        rows += [row(bound, ">=", at_least, f"{cone.bound} >= 0"), row(square, ">=", at_least, str(cone))]
    for p in form.matrices:
        value = sp.ImmutableMatrix(p.matrix.applyfunc(lambda e: put(e, where)))
        nothing = sp.ImmutableMatrix.zeros(*value.shape)
        rows.append(Step(value, ">=", nothing, f"{p} at the point", semidefinite))
    rows += [row(value_at(e, where), ">", positive, f"{e} > 0") for e in natural.positive]
    rows += [row(value_at(e, where), ">=", at_least, f"{e} >= 0") for e in form.unlisted]
    rows += [row(power(value_at(e, where), 2), ">", positive, f"{e} != 0") for e in natural.nonzero]
    rows += [
        row(difference(where[v], applied(sp.floor, where[v])), "=", zero, f"{v} is whole")
        for v in natural.integers
    ]
    return tuple(rows)
