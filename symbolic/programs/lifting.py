"""Absolute values, maxima and norms in epigraph form: a program that is smooth, and has the same optimum, exactly."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import sympy as sp

from ..proof.derivation import Step
from .constraints import PSD, Constraint, Inequality, NormCone
from .stated_program import StatedProgram

KINKED = (sp.Abs, sp.Max, sp.Min, sp.sign, sp.floor, sp.ceiling, sp.Heaviside, sp.Piecewise)


@dataclass(frozen=True)
class Lifting:
    """A program with a new variable for each nonsmooth term; `terms` says which term each of them stands for.

    The optimum is the same and (x, terms(x)) is a minimiser exactly if x is one: each new variable is bounded by its term on the
    one side on which objective and constraints never gain from it (Boyd and Vandenberghe 2004, 4.1.3).  `open_terms` could not be
    lifted, since they stand with the other sign.
    """

    stated: StatedProgram
    program: StatedProgram
    terms: tuple[tuple[sp.Symbol, sp.Expr], ...]
    open_terms: tuple[sp.Expr, ...]

    @property
    def changed(self) -> bool:
        return bool(self.terms)

    def said(self) -> str:
        """In words which variable stands for which term."""
        return "; ".join(f"{t} stands for {term}" for t, term in self.terms)

    def restored(self, e: sp.Expr) -> sp.Expr:
        """The expression with each term in the place of its variable."""
        for t, term in reversed(self.terms):
            e = e.xreplace({t: term})
        return e

    def point(self, at: dict[sp.Symbol, sp.Expr]) -> dict[sp.Symbol, sp.Expr]:
        """A point of the stated program as one of the lifted one: each new variable has the value of its term."""
        return {**at, **{t: self.restored(term).subs(at) for t, term in self.terms}}

    def steps(self) -> tuple[Step, ...]:
        """The lifted objective is the stated one once the terms are put in."""
        if not self.changed:
            return ()
        back = self.restored(self.program.objective)
        return (Step(back, "=", self.stated.objective, f"epigraph form: {self.said()}"),)


def lifted(program: StatedProgram) -> Lifting:
    """Each Abs, Max, Min and Euclidean norm that stands where it may be bounded from its own side becomes a variable."""
    work = _Lifter(program)
    objective = work.smooth(program.objective)
    constraints = [work.constraint(c) for c in program.constraints]
    if not work.terms:
        return Lifting(program, program, (), tuple(work.left))
    new = StatedProgram(
        program.sign * objective if program.sign == 1 else None,
        [*program.variables, *(t for t, _ in work.terms)],
        [*constraints, *work.added],
        program.parameters,
        domains={s.name: ends for s, ends in program.domain.ends},
        maximise=-objective if program.sign == -1 else None,
    )
    return Lifting(program, new, tuple(work.terms), tuple(dict.fromkeys(work.left)))


class _Lifter:
    def __init__(self, program: StatedProgram) -> None:
        self.program = program
        self.taken = {s.name for s in (*program.variables, *program.parameters)}
        self.terms: list[tuple[sp.Symbol, sp.Expr]] = []
        self.added: list[Constraint] = []
        self.left: list[sp.Expr] = []
        self.known: dict[tuple[sp.Expr, bool], sp.Symbol] = {}

    def constraint(self, c: Constraint) -> Constraint:
        if isinstance(c, Inequality):
            new = self.smooth(c.excess)
            return c if new == c.excess else Inequality(new, sp.Le(new, 0))
        for e in c.expressions():
            self.left += list(_kinks(e, self.program))
        return c

    def smooth(self, e: sp.Expr) -> sp.Expr:
        """The expression with a variable for each nonsmooth term in which it is monotone on the right side."""
        refused: set[sp.Expr] = set()
        while True:
            term = next((a for a in _kinks(e, self.program) if a not in refused), None)
            if term is None:
                return e
            new = self._replaced(e, term)
            if new is None:
                refused.add(term)
                self.left.append(term)
            else:
                e = new

    def _replaced(self, e: sp.Expr, term: sp.Expr) -> sp.Expr | None:
        above = not isinstance(term, sp.Min)
        if isinstance(term, sp.sign | sp.floor | sp.ceiling | sp.Heaviside | sp.Piecewise):
            return None
        never_negative = isinstance(term, sp.Abs | sp.Pow)
        probe = sp.Dummy("t", nonnegative=True) if never_negative else sp.Dummy("t", real=True)
        slope = self.program.domain.inside(sp.diff(e.xreplace({term: probe}), probe))
        slope = sp.factor_terms(slope.xreplace({a: sp.Dummy(nonnegative=True) for a in slope.atoms(sp.Abs)}))
        if not (slope.is_nonnegative if above else slope.is_nonpositive):
            return None
        t = self.known.get((term, above)) or self._variable(term, above)
        return e.xreplace({term: t})

    def _variable(self, term: sp.Expr, above: bool) -> sp.Symbol:
        number = len(self.terms) + 1
        while f"t_{number}" in self.taken:
            number += 1
        t = sp.Symbol(f"t_{number}", real=True)
        self.taken.add(t.name)
        self.terms.append((t, term))
        self.known[term, above] = t
        if isinstance(term, sp.Pow):
            self.added.append(NormCone(_entries(term.base, self.program) or (), t, "l2"))
            return t
        sides = (term.args[0], -term.args[0]) if isinstance(term, sp.Abs) else term.args
        for side in sides:
            excess = side - t if above else t - side
            inner = self.smooth(excess)
            written = sp.Le(side, t, evaluate=False) if above else sp.Ge(side, t, evaluate=False)
            self.added.append(Inequality(inner, written))
        return t


def _kinks(e: sp.Expr, program: StatedProgram) -> Iterator[sp.Expr]:
    """The outermost nonsmooth terms in the variables, in a fixed order; a root of a sum of squares that may vanish is one."""
    variables = set(program.variables)

    def walk(part: Any) -> Iterator[sp.Expr]:
        if not isinstance(part, sp.Basic) or not part.free_symbols & variables:
            return
        if isinstance(part, KINKED) or (_is_root(part) and _entries(part.base, program) is not None):
            yield part
            return
        for arg in sorted(part.args, key=sp.default_sort_key):
            yield from walk(arg)

    yield from dict.fromkeys(walk(e))


def _is_root(e: sp.Basic) -> bool:
    return isinstance(e, sp.Pow) and e.exp == sp.Rational(1, 2)


def _entries(base: sp.Expr, program: StatedProgram) -> tuple[sp.Expr, ...] | None:
    """The vector whose squares add up to the base, its entries affine in the variables; None for any other base."""
    entries = []
    for term in sp.Add.make_args(base):
        factor, square = term.as_independent(*program.variables, as_Add=False)
        if square == 1 or not (isinstance(square, sp.Pow) and square.exp == 2):
            return None
        if not program.domain.inside(factor).is_nonnegative or not affine(square.base, program.variables):
            return None
        entries.append(sp.sqrt(factor) * square.base)
    return tuple(entries)


def affine(e: sp.Expr, variables: tuple[sp.Symbol, ...]) -> bool:
    """Whether the expression is affine in the variables, whatever the parameters."""
    if not e.free_symbols & set(variables):
        return True
    return bool(e.is_polynomial(*variables)) and sp.Poly(e, *variables).total_degree() <= 1


def nonsmooth(program: StatedProgram) -> tuple[sp.Expr, ...]:
    """The terms of a program that have a kink somewhere in the variables."""
    rows = [
        program.objective,
        *(e for c in program.constraints if not isinstance(c, NormCone | PSD) for e in c.expressions()),
    ]
    return tuple(dict.fromkeys(a for e in rows for a in _kinks(e, program)))
