"""An empirical risk 1/n sum loss(theta; record) + regulariser, and what is proved of it: convex in theta for every record."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import sympy as sp

from ...domains.ball import Ball
from ...domains.box import Box
from ...domains.domain import Domain
from ...domains.simplex import Simplex
from ...errors import SpecError
from ...programs.convexity import convexity
from ...programs.stated_program import StatedProgram
from ...proof.as_written import difference, product, value_at
from ...proof.derivation import Step
from ...proof.enclosure import compare, rational
from ...proof.truth import Truth
from ..records import exact_number, intervals


@dataclass(frozen=True)
class RiskProblem:
    """loss in `over` and `records`, regulariser in `over`: symbols that are real; `modulus` > 0 of strong convexity, or None."""

    loss: sp.Expr
    regulariser: sp.Expr
    over: tuple[sp.Symbol, ...]
    records: tuple[sp.Symbol, ...]
    modulus: sp.Rational | None

    @cached_property
    def gradient(self) -> tuple[sp.Expr, ...]:
        """A subgradient of the loss: where two formulas meet in a maximum, the mean of theirs."""
        return tuple(_plain(sp.diff(self.loss, t)) for t in self.over)

    @cached_property
    def pull(self) -> tuple[sp.Expr, ...]:
        """The gradient of the regulariser."""
        return tuple(_plain(sp.diff(self.regulariser, t)) for t in self.over)

    @cached_property
    def smooth(self) -> bool:
        """Whether the gradient is written without signs and cases, so that no other subgradient stands beside it."""
        return not any(g.has(sp.sign, sp.Piecewise, sp.Abs, sp.Max, sp.Min) for g in self.gradient)

    @cached_property
    def hessian(self) -> sp.Matrix | None:
        """The Hessian of the loss where it does not depend on theta: then the minimiser solves linear equations."""
        if self.loss.has(sp.Piecewise, sp.Abs, sp.Max, sp.Min, sp.sign):
            return None
        matrix = sp.hessian(self.loss, self.over).applyfunc(sp.expand)
        return None if matrix.free_symbols & set(self.over) else matrix

    @cached_property
    def ridge(self) -> sp.Matrix | None:
        """The Hessian of the regulariser where it is constant."""
        matrix = sp.hessian(self.regulariser, self.over).applyfunc(sp.expand)
        return None if matrix.free_symbols else matrix

    def least_curvature(self) -> sp.Rational | None:
        """The modulus that was given, or a rational lower end of the least eigenvalue of the constant part of the Hessian."""
        if self.modulus is not None:
            return self.modulus
        constant = self.ridge
        if constant is None:
            return None
        if self.hessian is not None and not self.hessian.free_symbols:
            constant = constant + self.hessian
        if constant.is_diagonal():
            least = min(constant[i, i] for i in range(constant.rows))
        else:
            # Gershgorin's discs: no eigenvalue lies left of all of them.
            least = min(
                constant[i, i] - sum(abs(constant[i, j]) for j in range(constant.rows) if j != i)
                for i in range(constant.rows)
            )
        return least if least > 0 else None

    def named(self, record: Any) -> dict[sp.Symbol, sp.Rational]:
        """The numbers of a record by their symbols."""
        values = list(record) if isinstance(record, Sequence) else [record]
        if len(values) != len(self.records):
            raise SpecError(f"a record has {len(values)} numbers, and records= names {len(self.records)}")
        return dict(zip(self.records, map(exact_number, values), strict=True))

    def convex(self) -> tuple[Truth, str, tuple[Step, ...]]:
        """Whether the loss plus the regulariser less modulus |theta|^2/2 is convex in theta, for all records."""
        modulus = self.least_curvature()
        if modulus is None:
            return Truth.UNKNOWN, "no modulus of strong convexity is known: give strong_convexity=", ()
        rest = sp.expand(self.regulariser - modulus * sum(t**2 for t in self.over) / 2)
        answers = []
        if self.modulus is None and self.hessian is not None and not self.hessian.free_symbols:
            answers.append(_convex(sp.expand(self.loss) + rest, self.over, self.records))
        else:
            answers += [_convex(e, self.over, self.records) for e in (self.loss, rest) if e != 0]
            if any(a[0] is not Truth.HOLDS for a in answers):
                whole = _convex(self.loss + rest, self.over, self.records)
                answers = [whole] if whole[0] is Truth.HOLDS else answers
        bad = next((a for a in answers if a[0] is not Truth.HOLDS), None)
        if bad is not None:
            return bad
        return Truth.HOLDS, "convex", tuple(step for a in answers for step in a[2])


def _convex(
    e: sp.Expr, over: tuple[sp.Symbol, ...], records: tuple[sp.Symbol, ...]
) -> tuple[Truth, str, tuple[Step, ...]]:
    if not e.free_symbols & set(over):
        return Truth.HOLDS, "constant", ()
    if e.has(sp.Piecewise) and len(over) == 1:
        return _convex_pieces(e, over[0])
    used = [s for s in records if s in e.free_symbols]
    found = convexity(StatedProgram(e, list(over), [], used))
    if found.where:
        return Truth.UNKNOWN, f"the loss is convex {found.where}, and is asked for at all real numbers", ()
    return found.objective.truth, str(found.objective), found.derivation.steps


def _convex_pieces(e: sp.Expr, theta: sp.Symbol) -> tuple[Truth, str, tuple[Step, ...]]:
    """A formula of one affine number s of theta: continuous pieces whose slopes never fall, within them and across their ends."""
    open_ = (
        Truth.UNKNOWN,
        f"neither proved nor refuted: {e} is no piecewise quadratic formula of one number affine in {theta}",
        (),
    )
    s = sp.Symbol("s", real=True)
    inner = next(
        (
            a
            for a in e.atoms(sp.Add, sp.Mul)
            if sp.diff(a, theta, 2) == 0
            and theta in a.free_symbols
            and sp.diff(a, theta).is_number is not None
            and e.subs(a, s).free_symbols <= {s}
        ),
        None,
    )
    if inner is None:
        return open_
    form = e.subs(inner, s)
    marks = {a.args[0] for a in form.atoms(sp.Abs)} | {
        c.lhs - c.rhs for c in form.atoms(sp.core.relational.Relational)
    }
    crowded = any(len(c.atoms(sp.Abs)) > 1 for c in form.atoms(sp.core.relational.Relational))
    if crowded or form.atoms(sp.Eq, sp.Ne) or form.has(sp.Max, sp.Min):
        return open_
    borders: set[sp.Expr] = set()
    for mark in marks:
        for sign in (1, -1):
            plain = mark.replace(sp.Abs, lambda u, sign=sign: sign * u)
            if not plain.is_polynomial(s) or sp.degree(plain, s) > 1:
                return open_
            borders |= {-plain.coeff(s, 0) / plain.coeff(s, 1)} if plain.has(s) else set()
    ends = sorted(borders)
    if not ends or not all(b.is_Rational for b in ends):
        return open_
    inside = [ends[0] - 1, *((a + b) / 2 for a, b in itertools.pairwise(ends)), ends[-1] + 1]
    pieces = [_piece(form, s, at) for at in inside]
    if any(not p.is_polynomial(s) or sp.degree(p, s) > 2 for p in pieces):
        return open_
    steps = [
        Step(product(2, p.coeff(s, 2)), ">=", sp.Integer(0), f"curvature of the piece around {at}")
        for p, at in zip(pieces, inside, strict=True)
    ]
    for end, left, right in zip(ends, pieces, pieces[1:], strict=False):
        here, there = (value_at(p, {s: end}) for p in (left, right))
        gap = difference(there, here)
        steps.append(Step(gap, "=", sp.Integer(0), f"the pieces meet at {end}"))
        steps.append(Step(difference(form.subs(s, end), there), "=", sp.Integer(0), f"the value at {end}"))
        slopes = (value_at(sp.diff(p, s), {s: end}) for p in (right, left))
        steps.append(Step(difference(*slopes), ">=", sp.Integer(0), f"the slope does not fall at {end}"))
    if any(step.check() is not Truth.HOLDS for step in steps):
        return open_
    return Truth.HOLDS, "pieces whose slopes rise", tuple(steps)


def _piece(form: sp.Expr, s: sp.Symbol, at: sp.Rational) -> sp.Expr:
    """The formula that holds around a point: its branch, with the sign of each absolute value there."""

    def branch(*pairs: Any) -> sp.Expr:
        return next(value for value, condition in pairs if condition.subs(s, at) == sp.true)

    chosen = form.replace(lambda x: isinstance(x, sp.Piecewise), lambda x: branch(*x.args))
    return sp.expand(chosen.replace(sp.Abs, lambda u: u if u.subs(s, at) >= 0 else -u))


def _plain(e: sp.Expr) -> sp.Expr:
    """A derivative with signs instead of steps."""
    return e.doit().replace(sp.Heaviside, lambda u, *_: (1 + sp.sign(u)) / 2)


def region(
    domain: Domain, symbols: tuple[sp.Symbol, ...]
) -> tuple[dict[sp.Symbol, tuple[sp.Rational, sp.Rational]], list[sp.Expr], list[sp.Expr]]:
    """The box around the records of a domain, and what is at most zero and zero on it; SpecError for other domains."""
    if not isinstance(domain, Box | Ball | Simplex) or (isinstance(domain, Ball) and domain.norm == 1):
        raise SpecError(
            f"risk_minimiser: expected records in a Box, a Ball of the 2-norm or a Simplex, got {domain.describe()}"
        )
    bounds = intervals(domain)
    if len(bounds) != len(symbols):
        raise SpecError(
            f"risk_minimiser: records have {len(bounds)} numbers, and records= names {len(symbols)}"
        )
    box = dict(zip(symbols, bounds, strict=True))
    if isinstance(domain, Ball) and domain.norm == 2:
        return box, [sp.Add(*(s**2 for s in symbols)) - rational(domain.radius) ** 2], []
    if isinstance(domain, Simplex):
        return box, [], [sp.Add(*symbols) - rational(domain.total)]
    return box, [], []


def read_problem(
    loss: Any, over: Sequence[sp.Symbol], records: Sequence[sp.Symbol], regulariser: Any, modulus: Any
) -> RiskProblem:
    """The problem in real symbols; SpecError for what is no formula of the symbols that are named."""
    symbols = [*over, *records]
    if (
        not over
        or not records
        or not all(isinstance(s, sp.Symbol) for s in symbols)
        or len({s.name for s in symbols}) < len(symbols)
    ):
        raise SpecError(
            f"risk_minimiser: expected different symbols in over= and records=, got {over!r} and {records!r}"
        )
    known: Mapping[str, sp.Symbol] = {s.name: sp.Symbol(s.name, real=True) for s in symbols}
    formulas = []
    for name, formula, allowed in (("loss", loss, symbols), ("regulariser", regulariser, over)):
        e = sp.sympify(formula, strict=True) if not isinstance(formula, sp.Expr) else formula
        odd = {s.name for s in e.free_symbols} - {s.name for s in allowed}
        if odd:
            raise SpecError(
                f"risk_minimiser: the {name} holds {', '.join(sorted(odd))}, which is not among its symbols"
            )
        if any(len(a.args) > 2 for a in e.atoms(sp.Max, sp.Min)):
            raise SpecError("risk_minimiser: write a maximum of more than two formulas as maxima of two")
        formulas.append(e.subs({s: known[s.name] for s in e.free_symbols}))
    if any(s.is_nonnegative or s.is_nonpositive or s.is_integer for s in over):
        raise SpecError(
            "risk_minimiser: the parameters run over all real numbers: declare them without a sign"
        )
    number = None if modulus is None else rational(modulus)
    if number is not None and compare(number, ">", sp.Integer(0)) is not Truth.HOLDS:
        raise SpecError(f"risk_minimiser: expected strong_convexity > 0, got {modulus!r}")
    return RiskProblem(
        formulas[0],
        formulas[1],
        tuple(known[s.name] for s in over),
        tuple(known[s.name] for s in records),
        number,
    )
