"""Steps whose check is the kernel's own answer: for bounds over intervals that no other check decides."""

from __future__ import annotations

from collections.abc import Iterator

import sympy as sp

from ..derivation import Step
from ..truth import Truth
from .search import SYMPY, written

Within = tuple[tuple[sp.Symbol, sp.Expr, sp.Expr], ...]


def kernel_step(left: sp.Expr, relation: str, right: sp.Expr, reason: str, within: Within = ()) -> Step:
    """`left relation right` where the symbols lie between these ends; its check holds if the kernel accepts it, and is open else."""

    def again(one: sp.Expr, two: sp.Expr) -> Truth:
        accepted = written(Step(one, relation, two, reason, within=within))["by"] != SYMPY
        return Truth.HOLDS if accepted else Truth.UNKNOWN

    return Step(left, relation, right, reason, again, within=within)


def accepted_step(
    left: sp.Expr, relation: str, right: sp.Expr, reason: str, within: Within = ()
) -> Step | None:
    """The step if the kernel accepts it."""
    step = kernel_step(left, relation, right, reason, within)
    return step if step.check() is Truth.HOLDS else None


def accepted_steps(*asked: tuple[sp.Expr, str, sp.Expr, str, Within]) -> Iterator[Step]:
    """Those of the steps that the kernel accepts."""
    for one in asked:
        step = accepted_step(*one)
        if step is not None:
            yield step
