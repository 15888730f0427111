"""Absolute values, maxima and norms in epigraph form: a program that is smooth, and has the same optimum, exactly."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import sympy as sp

from ..proof.as_written import difference
from ..proof.derivation import Step
from ..proof.enclosure import compare
from ..proof.truth import Truth, all_hold
from .constraints import PSD, Constraint, Equation, Inequality, NormCone
from .quadratic import squares
from .stated_program import StatedProgram

KINKED = (
    sp.Abs,
    sp.Max,
    sp.Min,
    sp.sign,
    sp.floor,
    sp.ceiling,
    sp.Heaviside,
    sp.Piecewise,
    sp.frac,
    sp.Mod,
    sp.KroneckerDelta,
)


@dataclass(frozen=True)
class Lifting:
    """A program with a new variable for each nonsmooth term; `terms` says which term each of them stands for.

    The optimum is the same and (x, terms(x)) is a minimiser exactly if x is one.  Where objective and constraints never gain from
    a larger term, the new variable is bounded by it on that side only, and a convex program stays convex (Boyd and
    Vandenberghe 2004, 4.1.3).  Elsewhere (`equal`) it is the root that is not negative of a square, which is smooth and not
    convex, and no qualification holds where the term is zero.
    """

    stated: StatedProgram
    program: StatedProgram
    terms: tuple[tuple[sp.Symbol, sp.Expr], ...]
    equal: tuple[sp.Symbol, ...] = ()

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
        moved = sp.expand(self.stated.objective - self.program.objective)

        def again(left: sp.Expr, right: sp.Expr) -> Truth:
            """Both sides are equal, and the terms put into the lifted objective give the stated one."""
            return all_hold((compare(left, "=", right), compare(back, "=", self.stated.objective)))

        parts = difference(self.stated.objective, self.program.objective)
        return (Step(parts, "=", moved, f"epigraph form: {self.said()}", again),)


def lifted(program: StatedProgram) -> Lifting:
    """Each Abs, Max, Min and Euclidean norm that stands where it may be bounded from its own side becomes a variable."""
    work = _Lifter(program)
    objective = work.smooth(program.objective)
    constraints = [work.constraint(c) for c in program.constraints]
    if not work.terms:
        return Lifting(program, program, ())
    new = StatedProgram(
        program.sign * objective if program.sign == 1 else None,
        [*program.variables, *(t for t, _ in work.terms)],
        [*constraints, *work.added],
        program.parameters,
        domains={s.name: ends for s, ends in program.domain.ends},
        maximise=-objective if program.sign == -1 else None,
    )
    return Lifting(program, new, tuple(work.terms), tuple(work.equal))


class _Lifter:
    def __init__(self, program: StatedProgram) -> None:
        self.program = program
        self.taken = {s.name for s in (*program.variables, *program.parameters)}
        self.terms: list[tuple[sp.Symbol, sp.Expr]] = []
        self.added: list[Constraint] = []
        self.equal: list[sp.Symbol] = []
        self.known: dict[tuple[sp.Expr, str], sp.Symbol] = {}

    def constraint(self, c: Constraint) -> Constraint:
        new = [self.smooth(e, isinstance(c, Inequality)) for e in c.expressions()]
        if tuple(new) == c.expressions():
            return c
        if isinstance(c, Inequality):
            return Inequality(new[0], sp.Le(new[0], 0))
        if isinstance(c, Equation):
            return Equation(new[0], sp.Eq(new[0], 0))
        if isinstance(c, NormCone):
            return NormCone(new[:-1], new[-1], c.norm)
        return PSD(sp.Matrix(c.matrix.rows, c.matrix.cols, new))

    def smooth(self, e: sp.Expr, monotone: bool = True) -> sp.Expr:
        """The expression with a variable for each nonsmooth term; `monotone` where only too large a value of it does harm."""
        refused: set[sp.Expr] = set()
        while term := next((a for a in _kinks(e, self.program) if a not in refused), None):
            if not isinstance(term, sp.Abs | sp.Max | sp.Min | sp.Pow):
                refused.add(term)
            elif monotone and self._on_its_side(e, term):
                e = e.xreplace({term: self._bounded(term)})
            else:
                e = e.xreplace({term: self._equal(term)})
        return e

    def _on_its_side(self, e: sp.Expr, term: sp.Expr) -> bool:
        """Whether the expression never falls as the term grows (as a minimum falls), wherever the term may lie."""
        never_negative = isinstance(term, sp.Abs | sp.Pow)
        probe = sp.Dummy("t", nonnegative=True) if never_negative else sp.Dummy("t", real=True)
        slope = self.program.domain.inside(sp.diff(e.xreplace({term: probe}), probe))
        slope = sp.factor_terms(slope.xreplace({a: sp.Dummy(nonnegative=True) for a in slope.atoms(sp.Abs)}))
        return bool(slope.is_nonpositive if isinstance(term, sp.Min) else slope.is_nonnegative)

    def _new(self, term: sp.Expr, how: str) -> sp.Symbol:
        number = len(self.terms) + 1
        while f"t_{number}" in self.taken:
            number += 1
        t = sp.Symbol(f"t_{number}", real=True)
        self.taken.add(t.name)
        self.terms.append((t, term))
        self.known[term, how] = t
        return t

    def _bounded(self, term: sp.Expr) -> sp.Symbol:
        if known := self.known.get((term, "bounded")):
            return known
        t = self._new(term, "bounded")
        if isinstance(term, sp.Pow):
            self.added.append(NormCone(_entries(term.base, self.program) or (), t, "l2"))
            return t
        sides = (term.args[0], -term.args[0]) if isinstance(term, sp.Abs) else _ordered(term)
        for side in sides:
            inner = self.smooth(t - side if isinstance(term, sp.Min) else side - t)
            self.added.append(Inequality(inner, sp.Le(inner, 0)))
        return t

    def _equal(self, term: sp.Expr) -> sp.Expr:
        """An expression that equals the term wherever the constraints hold that are added."""
        if isinstance(term, sp.Max | sp.Min):
            # max(a, b) = (a + b + |a - b|) / 2, one argument after the other
            left, *others = (self.smooth(a, monotone=False) for a in _ordered(term))
            for right in others:
                apart = self._equal(sp.Abs(left - right, evaluate=False))
                left = (left + right + (apart if isinstance(term, sp.Max) else -apart)) / 2
            return left
        if known := self.known.get((term, "equal")):
            return known
        t = self._new(term, "equal")
        self.equal.append(t)
        square = term.base if isinstance(term, sp.Pow) else self.smooth(term.args[0], monotone=False) ** 2
        self.added += [Equation(t**2 - square, sp.Eq(t**2, square)), Inequality(-t, sp.Ge(t, 0))]
        return t


def _ordered(term: sp.Expr) -> list[sp.Expr]:
    """The arguments of a maximum in an order that does not change from run to run."""
    return sorted(term.args, key=sp.default_sort_key)


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
    """The vector whose squares add up to the base, which may vanish, its entries affine; None for any other base."""
    entries = []
    for term in sp.Add.make_args(base):
        factor, square = term.as_independent(*program.variables, as_Add=False)
        plain = isinstance(square, sp.Pow) and square.exp == 2 and affine(square.base, program.variables)
        if not plain or not program.domain.inside(factor).is_nonnegative:
            return _entries_of_form(base, program)
        entries.append(sp.sqrt(factor) * square.base)
    return tuple(entries)


def _entries_of_form(base: sp.Expr, program: StatedProgram) -> tuple[sp.Expr, ...] | None:
    found = squares(base, program.variables)
    if found is None or any(not form.free_symbols for _, form in found):
        return None  # with a constant among the squares the root is smooth
    return tuple(sp.sqrt(factor) * form for factor, form in found)


def affine(e: sp.Expr, variables: tuple[sp.Symbol, ...]) -> bool:
    """Whether the expression is affine in the variables, whatever the parameters."""
    if not e.free_symbols & set(variables):
        return True
    return bool(e.is_polynomial(*variables)) and sp.Poly(e, *variables).total_degree() <= 1


def nonsmooth(program: StatedProgram) -> tuple[sp.Expr, ...]:
    """The terms of a program that have a kink somewhere in the variables."""
    rows = [program.objective, *(e for c in program.constraints for e in c.expressions())]
    return tuple(dict.fromkeys(a for e in rows for a in _kinks(e, program)))
