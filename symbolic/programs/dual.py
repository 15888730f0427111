"""The Lagrange dual of a program, where the least value of the Lagrangian has a closed form: each of its values is a lower bound."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import sympy as sp

from ..proof.apart import UnfinishedError, apart
from ..proof.as_written import difference
from ..proof.derivation import Derivation, Step
from ..proof.enclosure import NotEnclosableError, enclose
from ..proof.exact_matrices import is_semidefinite, matrix_of
from ..proof.truth import Truth
from .constraints import PSD, Inequality, NormCone, said
from .inner_minimum import ATTAINED, InnerMinimum, NotClosedError, blocks, least
from .kkt import KKTConditions, kkt
from .natural_domain import natural_domain
from .real_form import real_form
from .region import Region, region_of
from .splitting import split
from .stated_program import StatedProgram

WEAK = "the Lagrangian at a feasible point is at most the objective, and its least value is below that (Boyd and Vandenberghe 2004, 5.1.3)"
STRONG = (
    "the optima agree in a convex program that meets Slater's condition (Boyd and Vandenberghe 2004, 5.2.3)"
)
_SEED, _TRIALS = 1_009, 8
Weights = dict[sp.Symbol, sp.Expr]


@dataclass(frozen=True)
class Dual:
    """The Lagrange dual: wherever all of `constraints` hold, `function` of the `multipliers` is a lower bound of the minimum.

    It holds for all parameters. None where no closed form was found, -oo where the Lagrangian is bounded below for no multipliers;
    `reason` says so. Of a program that is maximised it is that of minus the objective. At the border of the constraints it is the
    limit from inside. Source: Boyd and Vandenberghe 2004, section 5.1.

    >>> x, t = sp.symbols("x t", real=True)
    >>> npf.Program(minimise=(x - t) ** 2, over=[x], subject_to=[x >= 0], parameters=[t]).dual().function
    -mu_1**2/4 - mu_1*t
    """

    stated: StatedProgram
    function: sp.Expr | None
    multipliers: tuple[sp.Symbol, ...]
    constraints: tuple[Any, ...]
    conditions: KKTConditions = field(repr=False)
    reason: str
    derivation: Derivation = field(repr=False)

    def program(self) -> StatedProgram:
        """The dual as a program that is maximised; ValueError if there is none."""
        if self.function is None or self.function == -sp.oo:
            raise ValueError(f"there is no dual program: {self.reason}")
        if not self.multipliers:
            raise ValueError(f"there is no constraint, and no multiplier: the minimum is {self.function}")
        domains = {s.name: ends for s, ends in self.stated.domain.ends}
        return StatedProgram(
            None,
            self.multipliers,
            self.constraints,
            self.stated.parameters,
            domains=domains,
            maximise=self.function,
        )

    def __str__(self) -> str:
        if self.function is None or self.function == -sp.oo:
            return f"no dual: {self.reason}"
        rows = [f"maximise {self.function}", f"over {', '.join(map(str, self.multipliers))}"]
        return "\n".join(
            [*rows, *(f"  {said(c)}" for c in self.constraints), *([self.reason] if self.reason else [])]
        )

    def _repr_latex_(self) -> str:
        if self.function is None or self.function == -sp.oo:
            return rf"$$\text{{{self.reason}}}$$"
        rows = [rf"\max\; & {sp.latex(self.function)}", *(rf"& {_latex(c)}" for c in self.constraints)]
        return "$$\\begin{aligned}" + r" \\ ".join(rows) + "\\end{aligned}$$"


def dual(program: StatedProgram) -> Dual:
    """The Lagrange dual of all constraints; AssertionError if a value lies above the objective at a point that was met."""
    real, back = real_form(program)
    conditions = kkt(real, borders=False)
    try:
        return apart(lambda: _dual(program, conditions, back), "the least value of the Lagrangian")
    except UnfinishedError as stuck:
        return _none(program, conditions, f"unknown: {stuck}")


def _none(
    program: StatedProgram, conditions: KKTConditions, reason: str, value: sp.Expr | None = None
) -> Dual:
    return Dual(program, value, conditions.symbols, (), conditions, reason, Derivation(reason, ()))


def _dual(program: StatedProgram, conditions: KKTConditions, back: dict[sp.Symbol, sp.Symbol]) -> Dual:
    if integers := natural_domain(conditions.program).integers:
        names = ", ".join(v.name for v in integers)
        note = (
            f"the dual of the relaxation in which {names} may be any real number; a lower bound all the same"
        )
    else:
        note = ""
    try:
        return _assembled(program, conditions, back, note)
    except NotClosedError as trouble:
        smaller, stands = split(conditions.program)
        if not stands and smaller.variables == conditions.program.variables:
            return _none(program, conditions, str(trouble))
        words = "; ".join(f"{y} = {form}" for y, form in stands)
        try:
            note = "; ".join(
                part for part in (note, f"of the same program with {words}" if words else "") if part
            )
            return _assembled(program, kkt(smaller, borders=False), back, note)
        except NotClosedError as still:
            return _none(program, conditions, str(still))


def _assembled(
    program: StatedProgram, conditions: KKTConditions, back: dict[sp.Symbol, sp.Symbol], note: str
) -> Dual:
    smooth = conditions.program
    signs = {
        m: sp.Dummy(m.name, positive=True)
        for rows in conditions.multipliers
        for m in rows.symbols
        if isinstance(rows.constraint, Inequality)
        or (isinstance(rows.constraint, NormCone) and m == rows.symbols[-1])
    }
    parts = [
        least(e, own, signs, smooth.domain) for e, own in blocks(conditions.lagrangian, smooth.variables)
    ]
    if any(p.value == -sp.oo for p in parts):
        return _none(program, conditions, "the Lagrangian is bounded below for no multipliers", -sp.oo)
    named = _names(parts, conditions)
    function = sp.Add(*(p.value for p in parts)).xreplace(named)
    constraints = [_renamed(w, named) for p in parts for w in p.where]
    everything = (*conditions.dual, *constraints)
    multipliers = (*conditions.symbols, *named.values())
    found = Dual(
        program,
        _tidy(function).xreplace(back),
        multipliers,
        tuple(dict.fromkeys(_renamed(c, back) for c in everything)),
        conditions,
        "; ".join(part for part in (conditions.reason, note) if part),
        Derivation("", ()),
    )
    if held_against(found) is Truth.FAILS:
        raise AssertionError(f"a dual value lies above the Lagrangian: {found}")
    steps = (*conditions.lifting.steps(), *(s for p in parts for s in p.steps), _weak(found))
    derivation = Derivation(
        "the dual function is a lower bound of the minimum", steps, (WEAK, STRONG, ATTAINED)
    )
    return Dual(**{**{k: getattr(found, k) for k in found.__dataclass_fields__}, "derivation": derivation})


def _tidy(e: sp.Expr) -> sp.Expr:
    whole = sp.expand(e)
    return whole if whole.count_ops() <= e.count_ops() else e


def _names(parts: list[InnerMinimum], conditions: KKTConditions) -> dict[sp.Symbol, sp.Symbol]:
    taken = {s.name for s in conditions.lagrangian.free_symbols}
    named = {}
    for k, more in enumerate((m for p in parts for m in p.more), 1):
        name = f"gamma_{k}"
        while name in taken:
            name += "_"
        named[more] = sp.Symbol(name, real=True)
    return named


def _renamed(c: Any, named: dict[sp.Symbol, sp.Symbol]) -> Any:
    return PSD(c.matrix.xreplace(named)) if isinstance(c, PSD) else c.xreplace(named)


def _latex(c: Any) -> str:
    return rf"{sp.latex(c.matrix)} \succeq 0" if isinstance(c, PSD) else str(sp.latex(c))


def _weak(found: Dual) -> Step:
    """Complementarity terms are at most zero where a point is feasible."""
    terms = sp.Add(*(m.term for m in found.conditions.multipliers))
    reason = "the Lagrangian is the objective and terms that are at most zero at a feasible point"
    lagrangian, objective = found.conditions.lagrangian, found.conditions.program.objective
    if terms == 0:
        return Step(
            difference(lagrangian, objective), "=", sp.Integer(0), f"{reason}: without constraints none"
        )
    return Step(difference(lagrangian, terms), "=", objective, reason)


def held_against(found: Dual, trials: int = _TRIALS) -> Truth:
    """FAILS where a value of the dual function lies above the Lagrangian at some point, UNKNOWN where none was met."""
    assert found.function is not None
    program = found.conditions.program
    rng = random.Random(_SEED)
    names = {s: r for r, s in real_form(found.stated)[1].items()}
    draw = _drawer(found, names)
    lagrangian, function = found.conditions.lagrangian.xreplace(names), found.function.xreplace(names)
    region = region_of(program)
    free = natural_domain(program).positive
    fall = _descent(lagrangian, program.variables, free)
    open_region = Region(program.variables, program.domain, {}, {}, free)
    for at in islice(region.points(trials), trials):
        for _ in range(3):
            weights = draw(rng, {s: v for s, v in at.items() if s not in program.variables})
            if weights is None:
                continue
            for there in (at, fall({**at, **weights})):
                if open_region.contains(there) and _above(function, lagrangian, {**there, **weights}):
                    return Truth.FAILS
    return Truth.UNKNOWN


def _above(function: sp.Expr, lagrangian: sp.Expr, at: Weights) -> bool:
    try:
        gap = enclose(lagrangian, at) - enclose(function, at)
    except (NotEnclosableError, ZeroDivisionError):
        return False
    return bool(gap.is_finite() and gap < 0)


def _descent(
    lagrangian: sp.Expr, variables: tuple[sp.Symbol, ...], positive: tuple[sp.Expr, ...]
) -> Callable[[Weights], Weights]:
    """A rational point at which the Lagrangian is nearly least, from where one starts."""
    import numpy as np
    from scipy.optimize import minimize

    known = lagrangian.free_symbols.union(*(e.free_symbols for e in positive))
    others = sorted(known - set(variables), key=lambda s: s.name)
    inside = sp.lambdify([variables, others], list(positive), "numpy")
    value = sp.lambdify([variables, others], lagrangian, "numpy")

    def fall(start: Weights) -> Weights:
        fixed = [float(start[s]) for s in others]

        def height(t: Any) -> float:
            with np.errstate(all="ignore"):
                got = float(np.real(value(t, fixed)))
                fits = all(e > 0 for e in inside(t, fixed))
            return got if fits and np.isfinite(got) else 1e9

        begin = [float(start[v]) for v in variables]
        end = minimize(height, begin, method="Nelder-Mead", options={"maxiter": 120 * len(variables)}).x
        return {
            **start,
            **{v: sp.Rational(round(float(t) * 2**20), 2**20) for v, t in zip(variables, end, strict=True)},
        }

    return fall


def _drawer(
    found: Dual, names: dict[sp.Symbol, sp.Symbol]
) -> Callable[[random.Random, Weights], Weights | None]:
    """Draws rational multipliers that meet the constraints of the dual for certain at these parameters; None if they do not."""
    relations = [c.xreplace(names) for c in found.constraints if isinstance(c, sp.Basic)]
    matrices = [c.matrix.xreplace(names) for c in found.constraints if isinstance(c, PSD)]
    equations = [c.lhs - c.rhs for c in relations if isinstance(c, sp.Eq)]
    solved: Any = sp.solve(equations, list(found.multipliers), dict=True) if equations else [{}]

    def draw(rng: random.Random, parameters: Weights) -> Weights | None:
        guess = {
            m: sp.Rational(rng.randint(0 if any(r == sp.Ge(m, 0) for r in relations) else -24, 24), 8)
            for m in found.multipliers
        }
        if not solved:
            return None
        guess.update({m: e.subs(parameters).subs(guess) for m, e in solved[0].items()})
        if any(c.subs(parameters).subs(guess) is not sp.true for c in relations if not isinstance(c, sp.Eq)):
            return None
        there = [m.subs(parameters).subs(guess) for m in matrices]
        if not all(e.is_Rational for m in there for e in m):
            return None
        return guess if all(is_semidefinite(matrix_of(m.tolist())) for m in there) else None

    return draw
