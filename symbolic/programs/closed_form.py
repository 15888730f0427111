"""Minimisers in closed form: which constraints are active, what the equations then say, and for which parameters that is so."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import sympy as sp

from ..proof.as_written import total, weighted
from ..proof.derivation import Step
from ..proof.enclosure import sign
from ..proof.truth import Truth
from .formulas import proved_on
from .impossible import impossible
from .infeasible import infeasible
from .judge import Judge
from .lifting import affine
from .optimality import Proof
from .parameter_regions import ParameterRegion, domain_ends, insides, points, some_point
from .smooth_form import SmoothForm, instance, smooth_form

_MOST_CASES = 200
_SAMPLES = 80
_SETTLED = 8
_GAPS = 60


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

    def with_symbols(self, back: dict[sp.Symbol, sp.Symbol]) -> Case:
        """The case in other symbols."""
        return Case(
            tuple(c.xreplace(back) for c in self.conditions),
            {back.get(v, v): e.xreplace(back) for v, e in self.minimiser.items()},
            {name: e.xreplace(back) for name, e in self.multipliers.items()},
            self.active,
            self.value.xreplace(back),
        )

    def holds(self, at: dict[sp.Symbol, sp.Expr]) -> bool:
        """Whether the parameters lie in the region, its border included."""
        return ParameterRegion(self.conditions, {}).holds(at, strictly=False)


@dataclass(frozen=True)
class Nowhere:
    """Where `excess` is positive no point is feasible: it is what the constraints add up to, as the steps show."""

    excess: sp.Expr
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Cases:
    """What is known of all parameters: where the minimiser is a formula, where there is no point, and parameters of which nothing is (`gap`)."""

    cases: tuple[Case, ...]
    nowhere: tuple[Nowhere, ...] = ()
    gap: dict[sp.Symbol, sp.Expr] | None = None


def closed_cases(form: SmoothForm) -> Cases:
    """The cases of active sets that are met at sampled parameters, and then wherever these leave a gap."""
    if form.matrices or not form.smooth or form.natural.integers:
        return Cases(())
    domain = form.stated.domain
    active = itertools.islice(_active_sets(form), _MOST_CASES)
    rest = (case for chosen in active for case in _solutions(form, chosen))
    known, found, nowhere = list[Case](), dict[int, Case](), list[Nowhere]()

    def ordered() -> list[Case]:
        return [found[k] for k in sorted(found)]

    at: dict[sp.Symbol, sp.Expr] | None = None
    for sample in points(domain, ParameterRegion((), {}), _SAMPLES) or [{}]:
        k = _first(known, rest, sample)
        if k is not None and k not in found:
            found[k] = _simplified(form, known[k])
    for _ in range(_GAPS):
        way = _way_out(form, ordered(), nowhere)
        at = None if way is None else some_point(domain, ParameterRegion(way, {}))
        if at is None:
            break
        k = _first(known, rest, at)
        if k is None:
            empty = _nowhere(form, at)
            if empty is None:
                break
            nowhere.append(empty)
        elif k in found:
            break
        else:
            found[k] = _simplified(form, known[k])
    return Cases(tuple(ordered()), tuple(nowhere), at)


def _first(known: list[Case], rest: Iterator[Case], at: dict[sp.Symbol, sp.Expr]) -> int | None:
    """The number of the first case that is met; those that are looked at are kept in `known`."""
    for k in itertools.count():
        if k == len(known):
            more = next(rest, None)
            if more is None:
                return None
            known.append(more)
        if _met(known[k], at):
            return k
    return None


def _nowhere(form: SmoothForm, at: dict[sp.Symbol, sp.Expr]) -> Nowhere | None:
    """Multipliers that show at these parameters that no point is feasible, for all parameters."""
    found = infeasible(smooth_form(instance(form.stated, at)))
    rows = (*form.above, *form.equal)
    if found is None or len(found.multipliers.values) != len(rows):
        return None
    weights = found.multipliers.values
    excess = sp.expand(sp.Add(*(w * e for w, e in zip(weights, rows, strict=True))))
    if excess.free_symbols & set(form.variables) or sign(excess.subs(at)) != 1:
        return None
    combined = [(w, e) for w, e in zip(weights, rows, strict=True) if w != 0]
    reason = "the constraints, each at most zero or zero, add up to what does not depend on the point"
    steps = [Step(total(*(weighted(w, e) for w, e in combined)), "=", excess, reason)]
    steps += [
        Step(w, ">=", sp.S.Zero, f"the multiplier of {e} <= 0 is not negative")
        for w, e in combined
        if e not in form.equal
    ]
    return Nowhere(excess, tuple(steps))


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


def assembled(form: SmoothForm, cases: Sequence[Case]) -> dict[sp.Symbol, sp.Expr]:
    """The minimiser as one formula: a Piecewise of the cases, each with its conditions."""
    return {v: by_cases([(c.minimiser[v], c) for c in cases]) for v in form.stated.variables}


def by_cases(branches: Sequence[tuple[sp.Expr, Case]]) -> sp.Expr:
    """A formula that has a value only in the regions of the cases."""
    return sp.Piecewise(*((e, sp.And(*(sp.Ge(k, 0) for k in c.conditions))) for e, c in branches))


def proved_case(form: SmoothForm, case: Case) -> Proof | None:
    """A proof for all parameters of the region of the case."""
    region = ParameterRegion(case.conditions, case.where)
    sample = some_point(form.stated.domain, region)
    return None if sample is None else proved_on(form, region, sample)


def cover_step(form: SmoothForm, cases: Sequence[Case], nowhere: Sequence[Nowhere]) -> Step:
    """Every parameter lies in one of the regions: where one condition of each fails, positive multiples add up to a contradiction."""
    reason = "the regions cover the domain of the parameters"
    ways = sp.Integer(math.prod(len(c.conditions) for c in cases))

    def again(left: sp.Expr, right: sp.Expr) -> Truth:
        covered = left == right == ways and _way_out(form, cases, nowhere) is None
        return Truth.HOLDS if covered else Truth.UNKNOWN

    shown = ("ways to fail a condition of each region that are contradictions", str(ways))
    return Step(ways, "=", ways, reason, again, shown)


def _way_out(
    form: SmoothForm, cases: Sequence[Case], nowhere: Sequence[Nowhere]
) -> tuple[sp.Expr, ...] | None:
    """One failing condition of each case that together are no contradiction as they stand; None if every parameter lies in some region.

    Products and powers of parameters are taken for symbols of their own: a contradiction is one whatever these are.
    """
    stands: dict[sp.Expr, sp.Symbol] = {}

    def linear(e: sp.Expr) -> sp.Expr:
        terms = sp.expand(e).as_coefficients_dict().items()
        return sp.Add(
            *(c * (t if t.is_Symbol or t == 1 else stands.setdefault(t, sp.Dummy())) for t, c in terms)
        )

    def contradiction(way: tuple[sp.Expr, ...]) -> bool:
        strict = [linear(e) for e in (*way, *domain_ends(form.stated.domain))]
        loose = [linear(-n.excess) for n in nowhere]
        for t, symbol in stands.items():
            moved = form.stated.domain.inside(t)
            strict += [symbol] if moved.is_positive else []
            loose += [symbol] if moved.is_nonnegative else []
        symbols = sorted({s for e in (*strict, *loose) for s in e.free_symbols}, key=str)
        return impossible([*strict, *loose], frozenset(strict), symbols)

    def walk(way: tuple[sp.Expr, ...], left: Sequence[Case]) -> tuple[sp.Expr, ...] | None:
        if contradiction(way):
            return None
        if not left:
            return (*way, *(-n.excess for n in nowhere))
        return next(
            (found for c in left[0].conditions if (found := walk((*way, -c), left[1:])) is not None), None
        )

    return walk((), cases)
