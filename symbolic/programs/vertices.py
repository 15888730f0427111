"""A concave function on a polytope is least at a vertex: all vertices, listed."""

from __future__ import annotations

import itertools
import math

import sympy as sp

from ..proof.derivation import Step
from ..proof.truth import Truth
from .branching import root_box
from .convex_lagrangian import convex
from .feasibility import Where, at_point, put
from .judge import Judge
from .lifting import affine
from .optimality import Proof
from .smooth_form import SmoothForm

VERTEX = "a concave function on a polytope is least at a vertex (Rockafellar 1970, corollary 32.3.4)"
_MOST = 3_000


def best_vertex(form: SmoothForm) -> tuple[Where, Proof] | None:
    """The best vertex with the proof that no feasible value is lower; None where the program has another form, or too many vertices."""
    rows, v, judge = (*form.above, *form.equal), form.variables, Judge()
    other = (
        form.cones or form.matrices or form.natural.positive or form.natural.nonzero or form.natural.integers
    )
    if other or not form.smooth or not all(affine(e, v) for e in rows) or affine(form.objective, v):
        return None
    free = len(v) - len(form.equal)
    if free < 1 or math.comb(len(form.above), free) > _MOST or root_box(form) is None:
        return None
    step = Step(
        -form.objective,
        ">=",
        -form.objective,
        "minus the objective is convex: its Hessian is positive semidefinite",
        lambda a, b: convex(a, v, form.ranges(), judge) if a == b else Truth.UNKNOWN,
    )
    if step.check() is not Truth.HOLDS:
        return None
    found: list[tuple[sp.Expr, Where]] = []
    for chosen in itertools.combinations(form.above, free):
        for point in sp.linsolve([*chosen, *form.equal], *v):
            where = dict(zip(v, point, strict=True))
            if sp.Tuple(*point).free_symbols or at_point(form, where, judge).feasible is not Truth.HOLDS:
                continue
            if all(where != at for _, at in found):
                found.append((put(form.objective, where), where))
    best = next(
        (p for p in found if all(judge.at_least_zero(e - p[0]) is Truth.HOLDS for e, _ in found)), None
    )
    if best is None:
        return None
    steps = [Step(e, ">=", best[0], f"the value at the vertex {tuple(at.values())}") for e, at in found]
    return best[1], Proof("a concave objective, and all vertices", (step, *steps), (VERTEX,), None, False)
