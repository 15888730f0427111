"""A program on the affine set of its equations: variables that rational equations fix are eliminated, exactly."""

from __future__ import annotations

from dataclasses import replace

import sympy as sp

from .constraints import PSD, NormCone
from .lifting import affine
from .natural_domain import NaturalDomain
from .smooth_form import SmoothForm


def on_equations(form: SmoothForm) -> tuple[SmoothForm, dict[sp.Symbol, sp.Expr]] | None:
    """The form in the variables that stay free, and the others as affine formulas of these; None without rational affine equations."""
    rows = [e for e in form.equal if affine(e, form.variables) and not e.free_symbols - set(form.variables)]
    rows = [e for e in rows if all(c.is_Rational for c in sp.Poly(e, *form.variables).coeffs())]
    solutions = sp.linsolve(rows, *form.variables) if rows else None
    if not solutions:
        return None
    moved = {v: e for v, e in zip(form.variables, next(iter(solutions)), strict=True) if e != v}

    def put(e: sp.Expr) -> sp.Expr:
        return e.subs(moved, simultaneous=True)

    natural = form.natural
    return replace(
        form,
        objective=put(form.objective),
        variables=tuple(v for v in form.variables if v not in moved),
        above=tuple(map(put, form.above)),
        equal=tuple(put(e) for e in form.equal if e not in rows),
        cones=tuple(NormCone([put(e) for e in c.vector], put(c.bound), c.norm) for c in form.cones),
        matrices=tuple(PSD(c.matrix.applyfunc(put)) for c in form.matrices),
        natural=NaturalDomain(
            tuple(map(put, natural.positive)),
            tuple(map(put, natural.nonnegative)),
            tuple(map(put, natural.nonzero)),
            natural.integers,
        ),
    ), moved
