"""Global minima without convexity: a convex minorant near each minimiser, branch and bound in balls on the rest of a box."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import sympy as sp
from flint import arb, ctx

from ..proof.branch_and_bound import maximum
from ..proof.derivation import Step, implied
from ..proof.enclosure import NotEnclosableError, enclose, enclose_over
from ..proof.exact_numbers import quotient
from ..proof.truth import Truth
from .convex_lagrangian import placed
from .feasibility import Where, at_point, put
from .improve import feasible_points
from .integers import tightened
from .judge import Judge
from .multipliers import Multipliers, multipliers_at
from .optimality import Proof
from .smooth_form import SmoothForm

AUGMENTED = (
    "near the point f + sum m g + sum w g^2, with multipliers m >= 0 and w > 0, is at most f where -m/w <= g <= 0 and where "
    "equations hold; it is convex and stationary there (Bertsekas 1982, 3.1)"
)
ENCLOSED = "bounds by branch and bound in balls (Hansen and Walster 2004)"
_WEIGHTS = (0, 1, 10, 100, 1000)
_SIZES = tuple(sp.Rational(1, 2**k) for k in range(9))
_MOST = 8
Box = dict[sp.Symbol, tuple[sp.Expr, sp.Expr]]


def by_sign(form: SmoothForm, value: sp.Expr) -> Proof | None:
    """The objective less the value is a formula that is never negative, as it is written."""
    ends = {v: (low, sp.oo) if low.is_finite else (low, high) for v, (low, high) in form.ranges().items()}
    moved = {}
    for v, place in placed(ends).items():
        moved[v] = place.xreplace(
            {d: sp.Dummy(d.name, nonnegative=True) for d in place.free_symbols if d.is_positive}
        )
    gap = (form.objective - value).subs(moved, simultaneous=True)

    def never_negative(a: sp.Expr, b: sp.Expr) -> Truth:
        """As it is written, or whatever the roots in it are: a root is not negative where it has a value."""
        roots = {
            r: sp.Dummy(nonnegative=True)
            for r in a.atoms(sp.Pow)
            if r.exp.is_Rational and not r.exp.is_Integer
        }
        forms = (a - b, (a - b).xreplace(roots))
        return Truth.HOLDS if any(Judge().at_least_zero(f) is Truth.HOLDS for f in forms) else Truth.UNKNOWN

    step = Step(gap, ">=", sp.S.Zero, "never negative, as it is written", never_negative)
    return Proof("a formula that is never negative", (step,), ()) if step.check() is Truth.HOLDS else None


def root_box(form: SmoothForm) -> Box | None:
    """A box with rational ends that holds every feasible point; None if some variable is not bounded."""
    ends = tightened(form)
    if not all(low.is_finite and high.is_finite for low, high in ends.values()):
        return None
    return {v: (_rounded(low, -1), _rounded(high, 1)) for v, (low, high) in ends.items()}


def _rounded(end: sp.Expr, side: int) -> sp.Rational:
    if end.is_Rational:
        return end
    near = sp.Rational(sp.nsimplify(sp.N(end, 20), rational=True).limit_denominator(10**9))
    return near + side * sp.Rational(1, 10**6)


def rows_of(form: SmoothForm) -> list[sp.Expr]:
    """All inequalities as expressions that are at most zero; a cone gives two."""
    cones = [e for c in form.cones for e in (sp.Add(*(x**2 for x in c.vector)) - c.bound**2, -c.bound)]
    return [*form.above, *cones]


def within_tolerance(form: SmoothForm, value: sp.Expr, tolerance: sp.Expr, units: int) -> Proof | None:
    """No feasible value is below the value by more than the tolerance, by branch and bound alone."""
    box = root_box(form)
    if box is None or form.matrices:
        return None
    step = _bounded_step(form, box, value - tolerance, units)
    return Proof("branch and bound", (step,), (ENCLOSED,)) if step.check() is Truth.HOLDS else None


def by_branching(form: SmoothForm, where: Where, value: sp.Expr, units: int) -> Proof | None:
    """Exactly optimal: convex minorants on neighbourhoods of all points of this value that were found, balls elsewhere."""
    box = root_box(form)
    if box is None or form.matrices or form.cones or len(form.variables) > _MOST:
        return None
    parts, holes = [], list[Box]()
    for q in _minimisers(form, where, value):
        if any(
            all(bool(q[v] >= low) and bool(q[v] <= high) for v, (low, high) in hole.items()) for hole in holes
        ):
            continue
        found = _neighbourhood(form, q, box)
        if found is None:
            return None
        parts.append(found)
        holes.append(found.box)
    pieces = [box]
    for hole in holes:
        pieces = [rest for piece in pieces for rest in _without(piece, hole)]
    steps = [p.step for p in parts]
    for piece in pieces:
        step = _bounded_step(form, piece, value, units // max(len(pieces), 1))
        if step.check() is not Truth.HOLDS:
            return None
        steps.append(step)
    return Proof(
        "branch and bound, with convex minorants near the minimisers", tuple(steps), (AUGMENTED, ENCLOSED)
    )


def _bounded_step(form: SmoothForm, piece: Box, value: sp.Expr, units: int) -> Step:
    def how(left: sp.Expr, right: sp.Expr) -> Truth:
        goal = enclose(right)
        for tolerance in (1e-2, 1e-4, 1e-7):
            try:
                found = maximum(
                    -left,
                    piece,
                    at_most_zero=rows_of(form),
                    zero=form.equal,
                    tolerance=tolerance,
                    units=units,
                )
            except (NotEnclosableError, ValueError):
                return Truth.UNKNOWN
            if found.infeasible or bool(-found.upper >= goal):
                return Truth.HOLDS
            if found.lower is not None and bool(-found.lower < goal):
                return Truth.FAILS
        return Truth.UNKNOWN

    where = ", ".join(f"{v} in [{low}, {high}]" for v, (low, high) in piece.items())
    ends = tuple((v, low, high) for v, (low, high) in piece.items())
    return Step(form.objective, ">=", value, f"at feasible points with {where}", how, within=ends)


def _minimisers(form: SmoothForm, where: Where, value: sp.Expr) -> Iterator[Where]:
    yield where
    judge = Judge()
    for at, _ in feasible_points(form, [], 8):
        if judge.zero(put(form.objective, at) - value) is Truth.HOLDS:
            yield at


@dataclass(frozen=True)
class _Neighbourhood:
    box: Box
    step: Step


def _neighbourhood(form: SmoothForm, q: Where, box: Box) -> _Neighbourhood | None:
    judge = Judge()
    found = multipliers_at(form, q, at_point(form, q, judge), judge)
    if found is None:
        return None
    known = form.objective, put(form.objective, q)
    middle = {v: _rounded(q[v], 0) if not q[v].is_Rational else q[v] for v in form.variables}
    for size in _SIZES:
        around = {
            v: (sp.Max(box[v][0], middle[v] - size), sp.Min(box[v][1], middle[v] + size))
            for v in form.variables
        }
        for weight in _WEIGHTS:
            if _convex_minorant(form, found, sp.Integer(weight), around):

                def how(left: sp.Expr, right: sp.Expr, w: int = weight, at: Box = around) -> Truth:
                    below = _convex_minorant(form, found, sp.Integer(w), at)
                    return implied(left, ">=", right, known) if below else Truth.UNKNOWN

                text = ", ".join(f"{v} in [{a}, {b}]" for v, (a, b) in around.items())
                reason = f"a convex minorant, weight {weight}, stationary at the point, with {text}"
                ends = tuple((v, a, b) for v, (a, b) in around.items())
                return _Neighbourhood(around, Step(known[0], ">=", known[1], reason, how, within=ends))
    return None


def _convex_minorant(form: SmoothForm, found: Multipliers, weight: sp.Expr, around: Box) -> bool:
    """Whether the Lagrangian with weighted squares lies below the objective on the feasible part of the box, and is convex there."""
    balls = {v: _ball(*ends) for v, ends in around.items()}
    augmented = found.lagrangian(form)
    for part, value in zip(found.parts, found.values, strict=True):
        if weight == 0 or (value == 0 and not part.free):
            continue
        augmented += weight * part.term**2
        # Where 0 >= g >= -m/w the added terms are at most zero; equations add nothing.
        if not part.free and not _at_least(part.term, -value / weight, balls):
            return False
    hessian = sp.hessian(augmented, list(form.variables))
    try:
        rows = [[enclose_over(e, balls) for e in row] for row in hessian.tolist()]
    except NotEnclosableError:
        return False
    return _definite(rows)


def _at_least(e: sp.Expr, low: sp.Expr, balls: dict[sp.Symbol, arb]) -> bool:
    try:
        return bool(enclose_over(e, balls) >= enclose(low))
    except NotEnclosableError:
        return False


def _ball(low: sp.Rational, high: sp.Rational) -> arb:
    with ctx.workprec(200):
        a, b = quotient(low), quotient(high)
        middle, radius = (a + b) / 2, (b - a) / 2
        return arb(middle, arb(radius).upper() if radius else 0)


def _definite(rows: list[list[arb]]) -> bool:
    """Whether elimination in balls keeps every pivot positive: all symmetric matrices inside are positive definite."""
    a = [list(row) for row in rows]
    for i in range(len(a)):
        if not a[i][i] > 0:
            return False
        for j in range(i + 1, len(a)):
            factor = a[j][i] / a[i][i]
            for k in range(i, len(a)):
                a[j][k] -= factor * a[i][k]
    return True


def _without(piece: Box, hole: Box) -> list[Box]:
    """Boxes that cover the piece less the interior of the hole."""
    if any(not (bool(hole[v][0] < piece[v][1]) and bool(hole[v][1] > piece[v][0])) for v in piece):
        return [piece]
    rest, left = [], dict(piece)
    for v in piece:
        low, high = left[v]
        if bool(hole[v][0] > low):
            rest.append({**left, v: (low, hole[v][0])})
            low = hole[v][0]
        if bool(hole[v][1] < high):
            rest.append({**left, v: (hole[v][1], high)})
            high = hole[v][1]
        left[v] = (low, high)
    return rest
