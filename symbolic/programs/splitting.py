"""Every nonlinear term with a variable of its own for its affine argument: the Lagrangian then falls apart into small blocks."""

from __future__ import annotations

import sympy as sp

from .constraints import Constraint, Equation, Inequality
from .lifting import affine
from .real_form import replaced
from .region import region_of
from .stated_program import StatedProgram


def split(program: StatedProgram) -> tuple[StatedProgram, tuple[tuple[sp.Symbol, sp.Expr], ...]]:
    """The same program with equations y = l for the affine arguments l of exp, log and powers, and what each y stands for.

    Variables that are declared positive become real ones with x >= 0: the optimum over the closed set is never above.
    """
    work = _Splitter(program)
    objective = work.terms(program.objective)
    constraints: list[Constraint] = []
    for c in program.constraints:
        new = work.terms(c.excess) if isinstance(c, Inequality) else None
        constraints.append(
            c if new is None or new == getattr(c, "excess", None) else Inequality(new, sp.Le(new, 0))
        )
    plain = {v: sp.Symbol(v.name, real=True) for v in program.variables if v.is_positive or v.is_negative}
    signs = [
        Inequality(-d if v.is_positive else d, sp.Ge(d, 0) if v.is_positive else sp.Le(d, 0))
        for v, d in plain.items()
    ]
    equations = [Equation(y - form, sp.Eq(y, form, evaluate=False)) for form, y in work.known.items()]
    renamed = [replaced(c, plain) for c in (*constraints, *equations)]
    final = program.sign * objective.xreplace(plain)
    new_program = StatedProgram(
        final if program.sign == 1 else None,
        [*(plain.get(v, v) for v in program.variables), *work.known.values()],
        [*renamed, *signs],
        program.parameters,
        domains={s.name: ends for s, ends in program.domain.ends},
        maximise=final if program.sign == -1 else None,
    )
    return new_program, tuple((y, form.xreplace(plain)) for form, y in work.known.items())


class _Splitter:
    def __init__(self, program: StatedProgram) -> None:
        self.program = program
        self.taken = {s.name for s in (*program.variables, *program.parameters)}
        self.known: dict[sp.Expr, sp.Symbol] = {}
        self.region = region_of(program)

    def terms(self, e: sp.Expr) -> sp.Expr:
        return sp.Add(*(self._term(t) for t in sp.Add.make_args(e)))

    def _term(self, term: sp.Expr) -> sp.Expr:
        if (
            term.is_polynomial(*self.program.variables)
            and sp.Poly(term, *self.program.variables).total_degree() <= 2
        ):
            return term
        found = {}
        for part in sp.preorder_traversal(term):
            argument = self._argument(part)
            if argument is not None:
                found[argument] = self._variable(argument)
        return term.xreplace(found)

    def _argument(self, part: sp.Basic) -> sp.Expr | None:
        """The affine formula inside of an exponential, a logarithm or a power."""
        variables = self.program.variables
        if isinstance(part, sp.exp | sp.log):
            inner = part.args[0]
        elif isinstance(part, sp.Pow):
            inner = part.base if part.base.free_symbols & set(variables) else part.exp
        else:
            return None
        return inner if inner.free_symbols & set(variables) and affine(inner, variables) else None

    def _variable(self, argument: sp.Expr) -> sp.Symbol:
        if argument not in self.known:
            number = len(self.known) + 1
            while f"y_{number}" in self.taken:
                number += 1
            self.taken.add(f"y_{number}")
            positive = argument.is_positive or self.region.known(argument, "positive")
            kind = {"positive": True} if positive else {"real": True}
            self.known[argument] = sp.Symbol(f"y_{number}", **kind)
        return self.known[argument]
