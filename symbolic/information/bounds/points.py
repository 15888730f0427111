"""Bounds on points: Hammersley, Chapman and Robbins on one, Barankin on several; no derivative, no regularity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np
import sympy as sp

from ...laws.domains import domain_points
from ...laws.joint import JointLaw
from ...laws.law import Law, exact, simplified
from ...proof.derivation import Step
from ...proof.enclosure import NotEnclosableError, admits, is_zero
from ...proof.truth import Truth
from ..fisher import mass_step
from .answer import Adversary, EstimationBound, Status
from .form import Form, Quantity, bounded_by, known, no_bound
from .overlaps import NotAdmissibleError, admitted_place, nested, overlap, said_place
from .point_search import Candidate, searched
from .problem import Problem, law_at

CHAPMAN_ROBBINS, BARANKIN = "chapman-robbins", "barankin"
LEMMAS = {
    CHAPMAN_ROBBINS: "Hammersley-Chapman-Robbins inequality (Hammersley 1950, J. R. Stat. Soc. B 12(2);"
    " Chapman and Robbins 1951, Ann. Math. Statist. 22(4))",
    BARANKIN: "Barankin's bound on points (Barankin 1949, Ann. Math. Statist. 20(4);"
    " McAulay and Hofstetter 1971, IEEE Trans. Inf. Theory 17(6))",
}
PRODUCTS = "1 + chi-square of n independent observations is the n-th power (Tsybakov 2009, 2.4)"
_NEXT = sp.Rational(1, 64)
_TRIED, _LOOKED_AT, _FAR = 6, 12, tuple(map(sp.Integer, (1000, -1000)))
Point = tuple[sp.Expr, ...]


def on_points(problem: Problem, kind: str, points: Any, count: int) -> EstimationBound:
    """The bound on the given offsets from the parameters, or on those that a numerical search finds best."""
    adversary: Adversary = "biased" if problem.biased else "unbiased"
    if isinstance(problem.law, JointLaw):
        return no_bound(
            problem, kind, adversary, "inapplicable", "bounds on points are known here for laws of one number"
        )
    if not problem.at and not declared_everywhere(problem.law):
        return no_bound(
            problem,
            kind,
            adversary,
            "unknown",
            f"{problem.law.name} is no law for all values that its symbols may have: say at which values with at=",
        )
    if points is not None:
        given = read_points(problem, points)
        if kind == CHAPMAN_ROBBINS and len(given) != 1:
            raise ValueError(f"{kind} takes one point, got {len(given)}: {BARANKIN} takes several")
        chosen = [Candidate(tuple(given))]
    else:
        chosen = list(islice(searched(problem, 1 if kind == CHAPMAN_ROBBINS else count), _TRIED))
        if kind == CHAPMAN_ROBBINS and chosen and (chosen[0].nearest or _at_zero(problem, chosen[0])):
            limit = _limit(problem, kind, at_zero=not chosen[0].nearest)
            if limit is not None:
                return limit
    why = "no point keeps the support inside that at the parameter, and the ratio of the densities square-integrable"
    for offsets in [c.points for c in chosen]:
        try:
            return _at(problem, kind, offsets)
        except (NotAdmissibleError, NotEnclosableError) as trouble:
            why = str(trouble)
    return no_bound(problem, kind, adversary, "inapplicable", f"{kind} does not apply: {why}")


def read_points(problem: Problem, points: Any) -> list[Point]:
    """Offsets (one tuple for each point) as they were given: numbers or formulas, a tuple or mapping for several parameters."""
    k = len(problem.parameters)
    if not isinstance(points, Sequence | np.ndarray | sp.Expr | int | float) or isinstance(points, str):
        raise TypeError(f"points must be a list of offsets from the parameter, got {points!r}")
    rows = list(points) if isinstance(points, Sequence | np.ndarray) else [points]
    if not rows:
        raise ValueError("points must hold at least one offset from the parameter, got none")
    found = []
    for row in rows:
        if isinstance(row, Mapping):
            named = {getattr(n, "name", n): v for n, v in row.items()}
            row = [named.get(p.name, 0) for p in problem.parameters]
        entries = list(row) if isinstance(row, Sequence | np.ndarray) and not isinstance(row, str) else [row]
        if len(entries) != k:
            raise ValueError(f"a point needs one offset for each of the {k} parameters, got {row!r}")
        names = {s.name: s for s in problem.parameters}
        if any(isinstance(e, bool) or not isinstance(e, sp.Expr | int | float | np.number) for e in entries):
            raise TypeError(f"a point is an offset from the parameter, a number or a formula, got {row!r}")
        made = tuple(
            exact(e, "point")
            if not isinstance(e, sp.Expr)
            else exact(e.xreplace({s: names.get(s.name, s) for s in e.free_symbols}), "point")
            for e in entries
        )
        strange = sorted(s.name for e in made for s in e.free_symbols - problem.law.free_symbols)
        if strange:
            raise ValueError(f"points contain {', '.join(strange)}, which {problem.law.name} does not")
        if all(problem.placed(e) == 0 for e in made):
            raise ValueError("a point must differ from the parameter: its offset is zero")
        found.append(made)
    return found


def _at(problem: Problem, kind: str, offsets: Sequence[Point]) -> EstimationBound:
    law = problem.law
    assert isinstance(law, Law)
    theta = problem.parameters
    base = {p: problem.placed(p) for p in theta}
    nuisance = {s: v for s, v in problem.at.items() if s not in theta}
    fixed_law = law.map(lambda e: e.subs(nuisance)) if nuisance else law
    places = [
        {p: sp.simplify(base[p] + problem.placed(h)) for p, h in zip(theta, offset, strict=True)}
        for offset in offsets
    ]
    steps: list[Step] = []
    status: Status = "bound"
    reason = f"points at {'; '.join(_said(theta, o) for o in offsets)}"
    home = fixed_law.map(lambda e: e.subs(base, simultaneous=True))
    for place in places:
        moved = require_admissible(fixed_law, theta, place, home)
        mass = moved.mass()
        if mass.has(sp.Integral, sp.Sum) or is_zero(mass - 1) is not Truth.HOLDS:
            status, reason = "open", f"{reason}; that the mass there is one was not proved"
        else:
            words = f"the density at {said_place(place)} integrates to one"
            steps.append(mass_step(moved, words, found=mass))
    r, n = len(places), problem.observations
    middle: list[list[Quantity]] = [[known(0)] * r for _ in range(r)]
    for i in range(r):
        for j in range(i + 1):
            found = overlap(
                fixed_law, theta, [places[i], places[j], base], [sp.Integer(1), sp.Integer(1), sp.Integer(-1)]
            )
            middle[i][j] = middle[j][i] = found.quantity.map(lambda b: b**n - 1)
            steps += found.steps
    mean = problem.mean
    at_base = mean.subs(base, simultaneous=True)
    numerators = [
        [
            known(problem.placed(sp.simplify(mean[a].subs(place, simultaneous=True) - at_base[a])))
            for place in places
        ]
        for a in range(len(mean))
    ]
    lemmas = (LEMMAS[kind], *((PRODUCTS,) if n > 1 else ()))
    return bounded_by(
        problem,
        kind,
        "biased" if problem.biased else "unbiased",
        Form(numerators, middle),
        status=status,
        reason=reason,
        steps=steps,
        lemmas=lemmas,
        points=tuple(offsets),
    )


def require_admissible(
    law: Law, theta: Sequence[sp.Symbol], place: Mapping[sp.Symbol, sp.Expr], home: Law
) -> Law:
    """The law at the place; NotAdmissibleError where it is none, or not certainly carried by the support at the parameter."""
    if not admitted_place(law, theta, place):
        raise NotAdmissibleError(f"a test point gives {said_place(place)}, not certainly inside the domain")
    numbers = not any(v.free_symbols for v in place.values())
    try:
        moved = law_at(law, place) if numbers else law.map(lambda e: e.subs(dict(place), simultaneous=True))
    except ValueError as trouble:
        raise NotAdmissibleError(f"there is no law at {said_place(place)}: {trouble}") from None
    if not nested(moved, home):
        raise NotAdmissibleError(
            f"the support {moved.support} at {said_place(place)} is not inside that at the parameter, {home.support}"
        )
    return moved


def declared_everywhere(law: Law) -> bool:
    """Whether no value was found that parameters may have and the law may not: one beyond a bound that nobody stated."""
    places = domain_points(law.free_symbols, law.domains, _LOOKED_AT)
    if not law.domains:
        places += [{s: v for s in law.free_symbols if admits(s, v)} for v in _FAR]
    for place in places:
        if set(place) != law.free_symbols:
            continue
        try:
            law_at(law, place)
        except ValueError:
            return False
    return True


def _said(theta: Sequence[sp.Symbol], offset: Point) -> str:
    return ", ".join(f"{p} + ({h})" for p, h in zip(theta, offset, strict=True))


def _at_zero(problem: Problem, candidate: Candidate) -> bool:
    """Whether the best point is next to zero, which a positive parameter comes close to and never is."""
    (p, *others), ((offset, *_), *_) = problem.parameters, candidate.points
    share = sp.simplify(offset / problem.placed(p))
    return bool(not others and p.is_positive and share.is_Rational and abs(share + 1) < _NEXT)


def _limit(problem: Problem, kind: str, at_zero: bool = False) -> EstimationBound | None:
    """The limit of the bound on one point that comes ever closer to the parameter, or to zero, where it has a closed form."""
    if len(problem.parameters) != 1:
        return None
    t = sp.Dummy("h", positive=True)
    offset = t - problem.placed(problem.parameters[0]) if at_zero else t
    try:
        near = _at(problem, kind, [(offset,)])
    except (NotAdmissibleError, NotEnclosableError, ValueError):
        return None
    if near.value is None or near.status != "bound":
        return None
    value = near.value
    assert value is not None

    def in_limit(e: sp.Expr) -> sp.Expr:
        return simplified(sp.limit(e, t, 0, "+"))

    limit = (
        sp.ImmutableMatrix(value.applyfunc(in_limit)) if isinstance(value, sp.MatrixBase) else in_limit(value)
    )
    entries = list(zip(value, limit, strict=True)) if isinstance(value, sp.MatrixBase) else [(value, limit)]
    if any(e.has(sp.oo, sp.zoo, sp.nan, sp.Limit) or t in e.free_symbols for _, e in entries):
        return None

    def again(left: sp.Expr, right: sp.Expr) -> Truth:
        return is_zero(in_limit(left.args[0]) - right)

    steps = tuple(
        Step(sp.Limit(e, t, 0), "=", found, "a limit of valid bounds is itself a valid bound", how=again)
        for e, found in entries
    )
    derivation = replace(
        near.derivation, conclusion=f"the {kind} bound, in the limit", steps=(*near.derivation.steps, *steps)
    )
    shown = offset.xreplace({t: sp.Symbol("h")})
    reason = f"test point {problem.placed(problem.parameters[0]) + shown} as h decreases to 0: the limit"
    return replace(near, value=limit, reason=reason, derivation=derivation, points=((shown,),))
