"""A program whose symbols are all declared real: sympy knows |x| as the root of x^2 only then."""

from __future__ import annotations

import sympy as sp

from .constraints import PSD, Constraint, Equation, Inequality, NormCone
from .stated_program import StatedProgram


def real_form(program: StatedProgram) -> tuple[StatedProgram, dict[sp.Symbol, sp.Symbol]]:
    """The program with a real symbol of the same name for each that has no assumptions, and the way back."""
    plain = [s for s in (*program.variables, *program.parameters) if s.is_real is None]
    real = {s: sp.Symbol(s.name, real=True) for s in plain}
    if not real:
        return program, {}
    objective = program.sign * program.objective.xreplace(real)
    new = StatedProgram(
        objective if program.sign == 1 else None,
        [real.get(v, v) for v in program.variables],
        [replaced(c, real) for c in program.constraints],
        [real.get(p, p) for p in program.parameters],
        domains={s.name: ends for s, ends in program.domain.ends},
        maximise=objective if program.sign == -1 else None,
    )
    return new, {r: s for s, r in real.items()}


def replaced(c: Constraint, real: dict[sp.Symbol, sp.Symbol]) -> Constraint:
    """The constraint with other symbols."""
    if isinstance(c, Inequality | Equation):
        return type(c)(c.excess.xreplace(real), c.written)
    if isinstance(c, NormCone):
        return NormCone([e.xreplace(real) for e in c.vector], c.bound.xreplace(real), c.norm)
    return PSD(c.matrix.xreplace(real))
