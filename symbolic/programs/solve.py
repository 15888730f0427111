"""The minimiser of a program: in closed form by cases, or as exact numbers near it with a bound; always certified."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal

import sympy as sp

from ..proof.derivation import Derivation
from ..proof.truth import Truth
from ..proof.work import read_effort
from .certificate import PointCertificate
from .certify import Trial, Work, certify_numbers
from .closed_form import Case, assembled, by_cases, closed_cases, cover_step, proved_case
from .feasibility import at_point, put
from .improve import feasible_points
from .infeasible import infeasible
from .integers import enumerated
from .judge import Judge
from .lifting import nonsmooth
from .polish import polished
from .real_form import real_form
from .search import Numeric, best
from .sign_cases import branches
from .smooth_form import SmoothForm, smooth_form
from .stated_program import StatedProgram
from .unbounded import Path, not_attained, unbounded
from .verified_gap import within
from .vertices import best_vertex

_MIRRORED, _MOST_SIGNS = 3, 8
Status = Literal["optimal", "cases", "near", "infeasible", "unbounded", "not attained", "unknown"]


@dataclass(frozen=True)
class Solution:
    """The optimum of a program, as far as it is known.

    `status`: "optimal" is proved, "cases" is proved in the region of each case, which may leave some parameters out, "near" means
    feasible and within `certificate.gap` of the optimum, which is proved too;
    "infeasible", "unbounded" and "not attained" are proved; "unknown" says in `reason` what was found. `minimisers` are the
    points that were found, the best first (others may exist); `cases` are regions of the parameters with their formulas.

    >>> x = sp.Symbol("x", nonnegative=True)
    >>> solution = npf.Program(minimise=x**2 - 4 * x, over=[x], subject_to=[x <= 1]).solve()
    >>> solution.status, solution.minimiser, solution.value
    ('optimal', {x: 1}, -3)
    """

    status: Status
    minimisers: tuple[dict[sp.Symbol, sp.Expr], ...]
    value: sp.Expr | None
    cases: tuple[Case, ...]
    certificate: PointCertificate | None
    reason: str
    derivation: Derivation = field(repr=False)

    @property
    def minimiser(self) -> dict[sp.Symbol, sp.Expr] | None:
        """The first of them."""
        return self.minimisers[0] if self.minimisers else None

    def __str__(self) -> str:
        if self.cases:
            rows = "\n".join(f"  {c.said()}: value {c.value}" for c in self.cases)
            return f"{self.status}: {self.reason}\n{rows}"
        point = ", ".join(f"{v} = {e}" for v, e in (self.minimiser or {}).items())
        return f"{self.status}: {self.reason}" + (f": {point}, value {self.value}" if point else "")

    def _repr_latex_(self) -> str:
        if self.minimiser is None:
            return rf"$\text{{{self.status}}}$"
        point = r",\; ".join(f"{sp.latex(v)} = {sp.latex(e)}" for v, e in self.minimiser.items())
        return rf"$\text{{{self.status}}}:\; {point},\quad \text{{value }} {sp.latex(self.value)}$"


def solve(program: StatedProgram, *, effort: float = 1.0) -> Solution:
    """The minimiser (or maximiser), its value, and the proof; what cannot be decided with so much effort is "unknown"."""
    work = Work(read_effort(effort))
    real, back = real_form(program)
    found = _parametric(real, work) if program.parameters else _numeric(real, work)
    if not back:
        return found
    own = tuple({back.get(v, v): e.xreplace(back) for v, e in m.items()} for m in found.minimisers)
    value = None if found.value is None else found.value.xreplace(back)
    return replace(found, minimisers=own, value=value, cases=tuple(c.with_symbols(back) for c in found.cases))


def _parametric(program: StatedProgram, work: Work) -> Solution:
    form = smooth_form(program)
    found = work.run("the cases of active sets", lambda: closed_cases(form))
    if found is None or not found.cases:
        text = "the equations did not close for all parameters: write numbers in place of some"
        return Solution("unknown", (), None, (), None, text + work.said(), Derivation(text, ()))
    tried = [
        (c, work.run(f"the proof of case {k}", partial(proved_case, form, c)))
        for k, c in enumerate(found.cases, 1)
    ]
    cases, proofs = [c for c, p in tried if p], [p for _, p in tried if p]
    if not cases:
        text = f"{len(tried)} case{'s were' if len(tried) > 1 else ' was'} found, and none was proved{work.said()}"
        return Solution("unknown", (), None, (), None, text, Derivation(text, ()))
    step = cover_step(form, cases, found.nowhere)
    covered = work.run("that the cases cover the domain", lambda: step.check() is Truth.HOLDS) or False
    domain = program.domain.said()
    reason = f"{len(cases)} case{'s' * (len(cases) > 1)}, each proved where its conditions hold"
    reason += "".join(f"; where {n.excess} > 0 no point is feasible" for n in found.nowhere)
    if covered:
        reason += f"; together they cover all {domain}"
    elif len(cases) < len(tried):
        reason += f"; {len(tried) - len(cases)} more were found and not proved{work.said()}"
    elif found.gap is not None:
        at = ", ".join(f"{s} = {v}" for s, v in found.gap.items())
        reason += f"; other parameters are open, such as {at}"
    else:
        reason += "; that they cover the domain was only seen at samples"
    whole = covered and not found.nowhere
    point = assembled(form, cases)
    value = by_cases([(c.value, c) for c in cases])
    steps = (*(s for p in proofs for s in p.steps), *(s for n in found.nowhere for s in n.steps))
    lemmas = tuple(dict.fromkeys(lemma for p in proofs for lemma in p.lemmas))
    derivation = Derivation(reason, (*steps, *([step] if covered else [])), lemmas)
    answer = PointCertificate(
        "PROVED" if whole else "UNDECIDED",
        point,
        Truth.HOLDS if whole else Truth.UNKNOWN,
        value,
        value,
        "cases of active sets",
        reason,
        derivation,
    )
    status: Status = "optimal" if whole else "cases"
    return Solution(status, (point,), value, tuple(cases), answer, reason, derivation)


def _numeric(program: StatedProgram, work: Work) -> Solution:
    form = smooth_form(program)
    if form.natural.integers:
        return _whole(form, work)
    if form.lifting.equal and (signed := _by_signs(program, form, work)) is not None:
        return signed
    corner = work.run("the vertices", lambda: best_vertex(form))
    if corner is not None:
        where, proof = corner
        trial = Trial(form, where, sp.S.Zero, work)
        return _of(trial.proved(at_point(form, where, trial.judge), proof), "optimal", form)
    near = work.run("points near local minima", lambda: _proved_near(form, work))
    found, tried = (None, None) if near is None else near
    if found is None and tried is not None:
        # Each point had a share of the work; the best one gets more.
        where = form.lifting.point(tried.point)
        found = work.run("the best of them", lambda: _proved_at(form, where, work.part(0.5)))
    if found is not None:
        return _of(found, "optimal", form)
    closed = work.run("the equations in closed form", lambda: _proved_closed(form, work))
    if closed is not None:
        return _of(closed, "optimal", form)
    recognised = _recognised(form, work)
    if recognised is not None:
        return recognised
    if tried is not None and tried.value is not None and work.left() > 0:
        boxed = certify_numbers(program, tried.point, effort=work.part(0.5).effort)
        if boxed.verdict == "PROVED":
            return _of(boxed, "optimal", form)
    bounded = work.run("a bound near the optimum", lambda: within(form))
    if bounded is not None:
        return _of(bounded, "near", form)
    point = tried
    text = "no proof was found" + work.said()
    if point is None:
        return Solution("unknown", (), None, (), None, text, Derivation(text, ()))
    return Solution("unknown", (point.point,), point.value, (), point, text, point.derivation)


def _by_signs(program: StatedProgram, form: SmoothForm, work: Work) -> Solution | None:
    """The best of the programs of all signs, where each of them is solved or infeasible."""
    parts = branches(program, _MOST_SIGNS)
    if parts is None:
        return None
    found = list[Solution]()
    for part in parts:
        found.append(_numeric(part, work.part(0.7 / len(parts))))
        if found[-1].status == "unbounded":
            return replace(found[-1], value=-program.sign * sp.oo)
        if found[-1].status not in ("optimal", "infeasible"):
            return None
    judge, solved = Judge(), [s for s in found if s.value is not None]
    values = [s.value for s in solved if s.value is not None]
    low = next((v for v in values if all(judge.at_least_zero(w - v) is Truth.HOLDS for w in values)), None)
    if low is None:
        return None
    best_of = [s for s, v in zip(solved, values, strict=True) if judge.zero(v - low) is Truth.HOLDS]
    points = list[dict[sp.Symbol, sp.Expr]]()
    for point in (p for s in best_of for p in s.minimisers):
        points += [point] if point not in points else []
    reason = f"feasible, and no feasible value is lower: the best of {len(parts)} programs, one for each choice of signs of {', '.join(map(str, nonsmooth(program)))}"
    steps = tuple(step for s in found for step in s.derivation.steps)
    lemmas = tuple(dict.fromkeys(lemma for s in found for lemma in s.derivation.lemmas))
    value = program.sign * low
    proof = Derivation(f"PROVED: {reason}", steps, lemmas)
    answer = PointCertificate("PROVED", points[0], Truth.HOLDS, value, value, "signs", reason, proof)
    return Solution("optimal", tuple(points), value, (), answer, reason, proof)


def _recognised(form: SmoothForm, work: Work) -> Solution | None:
    """Why there is no minimiser, if a reason is found."""
    none = work.run("whether it is infeasible", lambda: infeasible(form))
    if none is not None:
        return Solution("infeasible", (), None, (), None, none.reason, none.derivation)
    searches: tuple[tuple[Status, Callable[[SmoothForm], Path | None]], ...] = (
        ("unbounded", unbounded),
        ("not attained", not_attained),
    )
    for status, search in searches:
        path = work.run(f"whether it is {status}", partial(search, form))
        if path is not None:
            end = form.stated.sign * path.limit
            return Solution(status, (), end, (), None, path.reason, path.derivation)
    return None


def _of(found: PointCertificate, status: Status, form: SmoothForm) -> Solution:
    points = (found.point, *(_equals(form, found) if status == "optimal" else ()))
    return Solution(status, points, found.value, (), found, found.reason, found.derivation)


def _equals(form: SmoothForm, found: PointCertificate) -> Iterator[dict[sp.Symbol, sp.Expr]]:
    """Other feasible points of the same value: its mirror images, with coordinates exchanged and signs turned."""
    v, judge = form.stated.variables, Judge()
    if len(v) > _MIRRORED:
        return
    seen = [tuple(found.point.values())]
    for order in itertools.permutations(found.point.values()):
        for signs in itertools.product((1, -1), repeat=len(v)):
            other = tuple(s * e for s, e in zip(signs, order, strict=True))
            if other in seen:
                continue
            seen.append(other)
            where = form.lifting.point(dict(zip(v, other, strict=True)))
            value = form.stated.sign * put(form.objective, where)
            same = judge.zero(value - found.value) is Truth.HOLDS
            if same and at_point(form, where, judge).feasible is Truth.HOLDS:
                yield dict(zip(v, other, strict=True))


def _whole(form: SmoothForm, work: Work) -> Solution:
    listed = work.run("all whole points", lambda: enumerated(form))
    if listed is None:
        text = (
            "an integer program whose points were not all listed: bound each variable, or have fewer of them"
        )
        mixed = [v for v in form.stated.variables if v not in form.natural.integers]
        if mixed:
            text = f"whole points are listed, and {mixed[0]} is no integer: programs with both kinds are not solved"
        return Solution("unknown", (), None, (), None, text + work.said(), Derivation(text, ()))
    if not listed.best:
        return Solution("infeasible", (), None, (), None, listed.reason, listed.derivation)
    value = form.stated.sign * listed.value
    return Solution("optimal", listed.best, value, (), None, listed.reason, listed.derivation)


def _proved_near(form: SmoothForm, work: Work) -> tuple[PointCertificate | None, PointCertificate | None]:
    """The certificate of a minimiser; else of the best feasible point that was met."""
    best: PointCertificate | None = None
    for where, _ in itertools.islice(feasible_points(form, [], 4), 24):
        trial = Trial(form, where, sp.S.Zero, work.part(0.15))
        gain = sp.S.One if best is None else put(form.objective, best.point) - trial.value
        if trial.judge.positive(-gain) is Truth.HOLDS:
            continue  # a worse point than one that was met is no minimiser
        found = _proved_at(form, where, work.part(0.15))
        if found is not None:
            return found, None
        if trial.judge.positive(gain) is Truth.HOLDS:
            best = trial.answer("UNDECIDED", Truth.HOLDS, "feasible")
    return None, best


def _proved_at(form: SmoothForm, where: dict[sp.Symbol, sp.Expr], work: Work) -> PointCertificate | None:
    trial = Trial(form, where, sp.S.Zero, work)
    at = at_point(form, where, trial.judge)
    proof = trial.proof(at)
    return None if proof is None else trial.proved(at, proof)


def _proved_closed(form: SmoothForm, work: Work) -> PointCertificate | None:
    numeric, judge = Numeric(form), Judge()
    for x in best(numeric, [], 4)[:2]:
        active = polished(numeric, x).active
        for where in closed_points(form, active, x.tolist()):
            at = at_point(form, where, judge)
            if at.feasible is Truth.HOLDS:
                found = _proved_at(form, where, work.part(0.2))
                if found is not None:
                    return found
    return None


def closed_points(
    form: SmoothForm, active: tuple[sp.Expr, ...], near: list[float]
) -> list[dict[sp.Symbol, sp.Expr]]:
    """Exact solutions of the equations of the constraints that are active near a candidate, nearest first."""
    unknown = [sp.Dummy(f"y{k}", real=True) for k in range(len(active))]
    lagrangian = form.objective + sp.Add(*(y * e for y, e in zip(unknown, active, strict=True)))
    equations = [sp.diff(lagrangian, v) for v in form.variables] + list(active)
    try:
        rows = sp.solve(equations, [*form.variables, *unknown], dict=True)
    except (NotImplementedError, ValueError, TypeError, RecursionError):
        return []
    found = []
    for row in rows:
        if any(v not in row or row[v].free_symbols for v in form.variables):
            continue
        gap = max(abs(complex(sp.N(row[v])) - x) for v, x in zip(form.variables, near, strict=True))
        if gap < 1e-4:
            found.append((gap, {v: row[v] for v in form.variables}))
    return [at for _, at in sorted(found, key=lambda pair: pair[0])]
