"""The smooth formula that a formula with kinks and steps is near a point: derivatives after parameters are taken of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import sympy as sp
from sympy.core.relational import Relational

from ..proof.enclosure import sign
from .constraints import PSD, NormCone
from .lifting import KINKED
from .smooth_form import SmoothForm

Where = Mapping[sp.Symbol, sp.Expr]


class KinkHereError(ValueError):
    """The point lies on a kink or a jump of the term that the message names."""


def branch_of(form: SmoothForm, at: Where, still: Sequence[sp.Symbol] = ()) -> SmoothForm:
    """The form with each kinked term as the branch that it is in a neighbourhood of the point; KinkHereError on its border.

    What is made of the symbols in `still` only does not move, and has its value there.
    """
    fixed = set(still)

    def put(e: sp.Expr) -> sp.Expr:
        return branch(e, at, fixed)

    return replace(
        form,
        objective=put(form.objective),
        above=tuple(map(put, form.above)),
        equal=tuple(map(put, form.equal)),
        cones=tuple(NormCone([put(e) for e in c.vector], put(c.bound), c.norm) for c in form.cones),
        matrices=tuple(PSD(c.matrix.applyfunc(put)) for c in form.matrices),
    )


def branch(e: sp.Expr, at: Where, fixed: set[sp.Symbol]) -> sp.Expr:
    """One formula; the innermost kinks first."""
    while (kink := next((a for a in sp.postorder_traversal(e) if isinstance(a, KINKED)), None)) is not None:
        e = e.xreplace({kink: kink.subs(at) if kink.free_symbols <= fixed else _branch(kink, at)})
    return e


def _branch(kink: sp.Expr, at: Where) -> sp.Expr:
    args = kink.args
    if isinstance(kink, sp.Abs | sp.sign | sp.Heaviside):
        side = _side(args[0], kink, at)
        if isinstance(kink, sp.Abs):
            return side * args[0]
        return sp.Integer(side if isinstance(kink, sp.sign) else (side + 1) // 2)
    if isinstance(kink, sp.Max | sp.Min):
        return _extreme(kink, args, at)
    if isinstance(kink, sp.floor | sp.ceiling | sp.frac):
        below = _whole_below(args[0], kink, at)
        return args[0] - below if isinstance(kink, sp.frac) else below + isinstance(kink, sp.ceiling)
    if isinstance(kink, sp.Mod):
        return args[0] - args[1] * _whole_below(args[0] / args[1], kink, at)
    if isinstance(kink, sp.Piecewise):
        return _piece(kink, at)
    raise KinkHereError(f"{kink} has no derivative that is known here")


def _side(e: sp.Expr, kink: sp.Expr, at: Where) -> int:
    found = sign(e, at)
    if found in (None, 0):
        raise KinkHereError(f"{kink} has a kink or a jump there")
    return int(found)


def _extreme(kink: sp.Expr, args: Sequence[sp.Expr], at: Where) -> sp.Expr:
    up = 1 if isinstance(kink, sp.Max) else -1
    for a in args:
        if all(sign(up * (a - b), at) == 1 for b in args if b != a):
            return a
    raise KinkHereError(f"{kink} has a kink there")


def _whole_below(e: sp.Expr, kink: sp.Expr, at: Where) -> sp.Expr:
    below = sp.floor(e.subs(at))
    if not below.is_Integer:
        raise KinkHereError(f"{kink} is not known there")
    _side(e - below, kink, at)
    return below


def _piece(kink: sp.Piecewise, at: Where) -> sp.Expr:
    for value, condition in kink.args:
        for relation in condition.atoms(Relational):
            _side(relation.lhs - relation.rhs, kink, at)
        if condition.subs(at) == sp.true:
            return value
    raise KinkHereError(f"{kink} has no value there")
