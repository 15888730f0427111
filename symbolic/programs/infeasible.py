"""Programs without a feasible point, with the multipliers that show it: Farkas, and his lemma for convex constraints."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import sympy as sp

from ..arrays import Floats
from ..proof.derivation import Derivation, Step
from ..proof.truth import Truth
from .feasibility import Part
from .judge import Judge
from .least_squares import nonnegative_least_squares
from .least_value import least_value
from .multipliers import Multipliers
from .search import Numeric, best
from .smooth_form import SmoothForm

FARKAS = (
    "at a feasible point the combination of the constraints with these multipliers would be at most zero, and it is positive "
    "everywhere (Farkas 1902; Boyd and Vandenberghe 2004, 5.8)"
)
_DENOMINATORS = (1, 12, 1000, 10**6, 10**12)


@dataclass(frozen=True)
class Infeasible:
    """Multipliers whose combination of the constraints is at least `bound` > 0 everywhere."""

    multipliers: Multipliers
    bound: sp.Expr
    derivation: Derivation

    @property
    def reason(self) -> str:
        """In words."""
        return f"no point is feasible: {self.multipliers.said()} make the constraints add up to at least {self.bound} > 0"


def infeasible(form: SmoothForm) -> Infeasible | None:
    """A proof that no point is feasible, by a convex combination of the constraints; None proves nothing."""
    if not form.smooth:
        return None
    for near in _least_violation(form):
        parts = _parts(form, near)
        weights = _weights(form, parts, near)
        if weights is None:
            continue
        at = {v: sp.Rational(repr(float(x))) for v, x in zip(form.variables, near, strict=True)}
        for values in _exact(form, parts, weights):
            found = _proved(form, Multipliers(parts, values, sp.S.Zero), at)
            if found is not None:
                return found
    return None


def _proved(form: SmoothForm, found: Multipliers, at: dict[sp.Symbol, sp.Expr]) -> Infeasible | None:
    if found.admissible(Judge()) is not Truth.HOLDS:
        return None
    least = least_value(form, sp.expand(found.lagrangian(form)), at)
    if least is None or Judge().positive(least.bound) is not Truth.HOLDS:
        return None
    steps = [Step(e, ">=", sp.S.Zero, reason) for e, reason in found.needs()]
    positive = Step(least.bound, ">", sp.S.Zero, "the combination is positive everywhere")
    return Infeasible(
        found, least.bound, Derivation("no point is feasible", (*steps, least.step, positive), (FARKAS,))
    )


def _least_violation(form: SmoothForm) -> list[Floats]:
    """Points at which the largest excess is least, in floating point."""
    t = sp.Dummy("t", real=True)
    above = tuple(e - t for e in form.above)
    cones = tuple(
        sp.sqrt(sp.Add(*(e**2 for e in c.vector)) + sp.Rational(1, 10**12)) - c.bound - t for c in form.cones
    )
    equal = tuple(s * e - t for e in form.equal for s in (1, -1))
    relaxed = replace(
        form,
        objective=t + sp.Rational(1, 10**9) * sp.Add(*(v**2 for v in form.variables)),
        variables=(*form.variables, t),
        above=(*above, *cones, *equal, -1 - t),
        equal=(),
        cones=(),
        matrices=(),
    )
    found = best(Numeric(relaxed), [], tries=3)[:2]
    return [x[:-1] for x in found] or [np.zeros(len(form.variables))]


def _parts(form: SmoothForm, near: Floats) -> tuple[Part, ...]:
    parts = [Part(e, False, f"mu_{k + 1}") for k, e in enumerate(form.above)]
    parts += [Part(e, True, f"nu_{k + 1}") for k, e in enumerate(form.equal)]
    return (*parts, *cone_parts(form, near), *matrix_parts(form, near))


def cone_parts(form: SmoothForm, near: Floats) -> list[Part]:
    """For each cone the half-space that touches it near the point, rounded outwards, and its bound that is not negative."""
    at = dict(zip(form.variables, near.tolist(), strict=True))
    parts = []
    for k, c in enumerate(form.cones):
        raw = [float(e.subs(at)) for e in c.vector]
        size = float(np.linalg.norm(raw)) or 1.0
        unit = [sp.Rational(round(r / size * 10**9), 10**9) for r in raw]
        square = sp.Add(*(u**2 for u in unit))
        root = sp.sqrt(square)
        # A number above the length: the part is at most zero for any such.
        bound = root if root.is_Rational else sp.Rational(math.isqrt(int(square * 10**24)) + 1, 10**12)
        term = sp.Add(*(u * e for u, e in zip(unit, c.vector, strict=True))) - bound * c.bound
        parts += [Part(term, False, f"s_{k + 1}"), Part(-c.bound, False, f"b_{k + 1}")]
    return parts


def matrix_parts(form: SmoothForm, near: Floats) -> list[Part]:
    """For each matrix minus its quadratic form at a vector near the one of its least eigenvalue."""
    at = dict(zip(form.variables, near.tolist(), strict=True))
    parts = []
    for k, p in enumerate(form.matrices):
        _, vectors = np.linalg.eigh(np.array(p.matrix.subs(at).tolist(), dtype=float))
        scaled = vectors[:, 0] / np.abs(vectors[:, 0]).max()
        column = sp.Matrix([sp.Rational(round(x * 10**12), 10**12) for x in scaled])
        parts.append(Part(-(column.T * p.matrix * column)[0, 0], False, f"W_{k + 1}"))
    return parts


def _weights(form: SmoothForm, parts: tuple[Part, ...], near: Floats) -> Floats | None:
    at = dict(zip(form.variables, near.tolist(), strict=True))
    columns = []
    for p in parts:
        try:
            slope = [float(sp.diff(p.term, v).subs(at)) for v in form.variables]
            value = float(p.term.subs(at)) - float(np.dot(slope, near))
        except TypeError:
            return None
        columns.append([*slope, value])
    if not columns:
        return None
    a, n = np.array(columns).T, len(parts)
    # The tangents of the parts at the point combine to a constant.
    free = [i for i, p in enumerate(parts) if p.free]
    values, miss = nonnegative_least_squares(np.hstack([a, -a[:, free]]), np.append(np.zeros(len(near)), 1.0))
    if miss > 1e-4:
        return None
    weights = values[:n].copy()
    weights[free] -= values[n:]
    return np.asarray(weights / np.abs(weights).max())


def _exact(form: SmoothForm, parts: tuple[Part, ...], weights: Floats) -> list[tuple[sp.Expr, ...]]:
    """The weights as simple fractions, and, for affine parts, solved for exactly on their support."""
    rows = []
    for bound in _DENOMINATORS:
        rows.append(tuple(simple_fraction(w, bound) for w in weights.tolist()))
    support = [i for i, w in enumerate(weights) if abs(w) > 1e-9]
    if all(sp.diff(parts[i].term, v).is_number for i in support for v in form.variables):
        unknown = sp.symbols(f"u:{len(support)}", cls=sp.Dummy)
        combined = sp.Add(*(u * parts[i].term for u, i in zip(unknown, support, strict=True)))
        equations = [sp.diff(combined, v) for v in form.variables]
        largest = support[int(np.argmax(np.abs(weights[support])))]
        scale = unknown[support.index(largest)] - (1 if weights[largest] > 0 else -1)
        for solution in sp.linsolve([*equations, scale], *unknown):
            values = [sp.S.Zero] * len(parts)
            for i, value in zip(support, solution, strict=True):
                values[i] = value.subs(dict.fromkeys(unknown, 0))
            rows.insert(0, tuple(values))
    return rows


def simple_fraction(w: float, bound: int) -> sp.Rational:
    """The nearest fraction with a denominator up to the bound."""
    near = Fraction(w).limit_denominator(bound)
    return sp.Rational(near.numerator, near.denominator)
