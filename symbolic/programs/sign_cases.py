"""A program with kinks of both signs, such as |x - 1| - |x|/2, as the best of smooth ones: one for each sign of what is inside."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sympy as sp

from .constraints import Inequality
from .lifting import nonsmooth
from .real_form import replaced
from .stated_program import StatedProgram


def branches(program: StatedProgram, most: int) -> list[StatedProgram] | None:
    """Programs without Abs, Max and Min whose feasible sets cover that of the program, and in which the objective is the same.

    None for another kink, or more than `most` programs.
    """
    done, waiting = list[StatedProgram](), [program]
    while waiting:
        now = waiting.pop()
        kinks = [k for e in nonsmooth(now) for k in _inner(e)]
        if not kinks:
            done.append(now)
        elif len(done) + len(waiting) >= most or not isinstance(kinks[0], sp.Abs | sp.Max | sp.Min):
            return None
        else:
            waiting += _split(now, kinks[0])
    return done


def _inner(e: sp.Expr) -> Iterator[sp.Expr]:
    """The kinks inside of a term that have none inside, or the term itself."""
    kinds = (sp.Abs, sp.Max, sp.Min)
    found = [k for k in e.atoms(*kinds) if not any(a.has(*kinds) for a in k.args)]
    yield from sorted(found, key=sp.default_sort_key) or [e]


def _split(program: StatedProgram, kink: sp.Expr) -> Iterator[StatedProgram]:
    arguments = (kink.args[0], -kink.args[0]) if isinstance(kink, sp.Abs) else kink.args
    side = -1 if isinstance(kink, sp.Min) else 1
    for chosen in arguments:
        stands: Any = {kink: chosen}
        own = [side * (a - chosen) for a in arguments if a != chosen]
        # of |u| >= u only u >= 0 is left
        own = [-chosen] if isinstance(kink, sp.Abs) else own
        yield StatedProgram(
            program.objective.xreplace(stands),
            program.variables,
            [
                *(replaced(c, stands) for c in program.constraints),
                *(Inequality(e, sp.Le(e, 0, evaluate=False)) for e in own),
            ],
        )
