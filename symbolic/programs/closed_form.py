"""Minimisers in closed form: which constraints are active, what the equations then say, and for which parameters that is so."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import sympy as sp

from ..proof.derivation import Step
from ..proof.enclosure import sign
from ..proof.truth import Truth
from .formulas import prove_region
from .impossible import impossible
from .judge import Judge
from .lifting import affine
from .optimality import Proof
from .parameter_regions import ParameterRegion, given, insides, points
from .smooth_form import SmoothForm

_MOST_CASES = 200
_SAMPLES = 80
_SETTLED = 8


@dataclass(frozen=True)
class Case:
    """Where all `conditions` are at least zero the minimiser and its multipliers are these; `active` names the constraints."""

    conditions: tuple[sp.Expr, ...]
    minimiser: dict[sp.Symbol, sp.Expr]
    multipliers: dict[str, sp.Expr]
    active: tuple[int, ...]
    value: sp.Expr
    where: dict[sp.Symbol, sp.Expr] = field(default_factory=dict, repr=False)

    def said(self) -> str:
        """The case in words."""
        point = ", ".join(f"{v} = {e}" for v, e in self.minimiser.items())
        where = " and ".join(f"{c} >= 0" for c in self.conditions)
        return f"{point} where {where}" if where else point

    def holds(self, at: dict[sp.Symbol, sp.Expr]) -> bool:
        """Whether the parameters lie in the region, its border included."""
        return ParameterRegion(self.conditions, {}).holds(at, strictly=False)


def closed_cases(form: SmoothForm) -> list[Case]:
    """The cases of active sets that are met at some of the sampled parameters; empty where the equations do not close."""
    if form.matrices or not form.smooth or form.natural.integers:
        return []
    domain = form.stated.domain
    samples = points(domain, ParameterRegion((), {}), _SAMPLES) or [{}]
    left, found = list(samples), list[Case]()
    for active in itertools.islice(_active_sets(form), _MOST_CASES):
        if not left:
            break
        for case in _solutions(form, active):
            met = [at for at in left if _met(case, at)]
            if met:
                found.append(_simplified(form, case))
                left = [at for at in left if at not in met]
    return found if not left else []


def _met(case: Case, at: dict[sp.Symbol, sp.Expr]) -> bool:
    try:
        return all(sign(c.subs(at)) in (0, 1) for c in case.conditions)
    except (TypeError, ValueError):
        return False


def _active_sets(form: SmoothForm) -> Iterator[tuple[int, ...]]:
    rows = len(form.above) + len(form.cones)
    for size in range(min(rows, len(form.variables)) + 1):
        yield from itertools.combinations(range(rows), size)


def excesses(form: SmoothForm) -> list[sp.Expr]:
    """All inequalities, Euclidean cones away from their tip as one of them."""
    return [*form.above, *(c.excess for c in form.cones)]


def _solutions(form: SmoothForm, active: tuple[int, ...]) -> Iterator[Case]:
    rows = excesses(form)
    lam = [sp.Dummy(f"mu_{k + 1}", real=True) for k in active]
    nu = [sp.Dummy(f"nu_{k + 1}", real=True) for k in range(len(form.equal))]
    lagrangian = (
        form.objective
        + sp.Add(*(m * rows[k] for m, k in zip(lam, active, strict=True)))
        + sp.Add(*(m * e for m, e in zip(nu, form.equal, strict=True)))
    )
    unknown = [*form.variables, *lam, *nu]
    equations = [sp.diff(lagrangian, v) for v in form.variables] + [rows[k] for k in active] + [*form.equal]
    for solution in _solved(equations, unknown, form):
        if any(solution[u].has(*unknown) for u in unknown):
            continue
        where = {v: solution[v] for v in form.variables}
        conditions = [solution[m] for m in lam]
        conditions += [
            -sp.factor(sp.expand(e.subs(where, simultaneous=True)))
            for k, e in enumerate(rows)
            if k not in active
        ]
        conditions += [e.subs(where) for e in (*form.natural.positive, *form.natural.nonnegative)]
        kept = tuple(_primitive(c) for c in conditions)
        if any(c.is_negative or c.has(sp.nan, sp.zoo) for c in kept):
            continue
        yield Case(
            kept,
            {
                v: sp.factor(where[v]) if where[v].is_rational_function() else where[v]
                for v in form.stated.variables
            },
            {f"mu_{k + 1}": solution[m] for k, m in zip(active, lam, strict=True)}
            | {f"nu_{k + 1}": solution[m] for k, m in enumerate(nu)},
            active,
            sp.simplify(form.stated.sign * form.objective.subs(where, simultaneous=True)),
            where,
        )


def _solved(
    equations: list[sp.Expr], unknown: list[sp.Symbol], form: SmoothForm
) -> list[dict[sp.Symbol, sp.Expr]]:
    if all(affine(e, tuple(unknown)) for e in equations):
        found = sp.linsolve(equations, *unknown)
        return [dict(zip(unknown, next(iter(found)), strict=True))] if found else []
    # Symbols that are declared positive lose solutions in sympy's hands less often than they keep it from seeing them.
    try:
        rows = sp.solve(equations, unknown, dict=True)
    except (NotImplementedError, ValueError, TypeError, RecursionError):
        return []
    return [
        r
        for r in rows[:_SETTLED]
        if all(u in r for u in unknown) and not any(e.has(sp.I) for e in r.values())
    ]


def _simplified(form: SmoothForm, case: Case) -> Case:
    """The case without the conditions that hold anyway or follow from one other."""
    domain = form.stated.domain
    kept = [
        c
        for c in dict.fromkeys(case.conditions)
        if Judge((domain.inside,)).at_least_zero(c) is not Truth.HOLDS
    ]
    for c in list(kept):
        rest = tuple(k for k in kept if k != c)
        if rest and _follows(form, c, rest):
            kept.remove(c)
    return replace(case, conditions=tuple(kept))


def _primitive(c: sp.Expr) -> sp.Expr:
    """The condition without factors that are positive numbers or symbols."""
    if not c.is_rational_function():
        return c
    parts = [f for f in sp.Mul.make_args(sp.factor(c)) if not f.is_positive]
    whole = sp.Mul(*parts)
    expanded = sp.expand(whole)
    return expanded.as_content_primitive()[1] if expanded.is_polynomial() else whole


def _follows(form: SmoothForm, c: sp.Expr, rest: tuple[sp.Expr, ...]) -> bool:
    covers = itertools.islice(insides(form.stated.domain, ParameterRegion(rest, {})), 1, 9)
    return any(Judge(cover).at_least_zero(c) is Truth.HOLDS for cover in covers)


def assembled(form: SmoothForm, cases: list[Case]) -> dict[sp.Symbol, sp.Expr]:
    """The minimiser as one formula: a Piecewise of the cases, the last one without its conditions."""
    if len(cases) == 1:
        return dict(cases[0].minimiser)
    rows = {}
    for v in form.stated.variables:
        branches = [(c.minimiser[v], sp.And(*(sp.Ge(k, 0) for k in c.conditions))) for c in cases[:-1]]
        rows[v] = sp.Piecewise(*branches, (cases[-1].minimiser[v], True))
    return rows


def proved_cases(form: SmoothForm, cases: list[Case]) -> list[Proof] | None:
    """A proof for each case, for all parameters of its region; None if one is missing."""
    proofs = []
    for case in cases:
        region = ParameterRegion(case.conditions, case.where)
        sample = points(form.stated.domain, region, 1) or [{}]
        found = None
        known = given(form.stated.domain, region)
        for cover in itertools.islice(insides(form.stated.domain, region), 24):
            found = prove_region(form, region, Judge(cover, known), sample[0])
            if found is not None:
                break
        if found is None:
            return None
        proofs.append(found)
    return proofs


def cover_step(form: SmoothForm, cases: list[Case]) -> Step:
    """Every parameter lies in one of the regions: where one condition of each fails, positive multiples add up to a contradiction."""
    reason = "the regions cover the domain of the parameters"
    ways = sp.Integer(math.prod(len(c.conditions) for c in cases))

    def again(left: sp.Expr, right: sp.Expr) -> Truth:
        return Truth.HOLDS if _impossible_ways(form, cases) == left == right else Truth.UNKNOWN

    shown = ("ways to fail a condition of each region that are contradictions", str(ways))
    return Step(ways, "=", ways, reason, again, shown)


def _impossible_ways(form: SmoothForm, cases: list[Case]) -> int:
    """In how many ways to fail one condition of each case, of all, affine conditions show that no parameters do."""
    symbols = form.stated.parameters
    inside = []
    for s, (low, high) in form.stated.domain.ends:
        inside += [s - low] if low.is_finite else []
        inside += [high - s] if high.is_finite else []
    rows = [c.conditions for c in cases]
    if not all(affine(e, symbols) for row in rows for e in row):
        return -1
    ways = ([*(-e for e in chosen), *inside] for chosen in itertools.product(*rows))
    return sum(bool(impossible(way, frozenset(way), symbols)) for way in ways)
