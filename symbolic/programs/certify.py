"""A point of a program under audit: feasible, a bound below every feasible value, or a better point."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import sympy as sp

from ..errors import SpecError
from ..proof.apart import UnfinishedError, apart
from ..proof.derivation import Derivation, Step
from ..proof.enclosure import sign
from ..proof.truth import Truth
from ..proof.work import effort_of, read_effort, spent, stopped, units_of
from .branching import by_branching, by_sign, within_tolerance
from .certificate import PointCertificate, Word
from .constraints import exact
from .feasibility import AtPoint, Where, at_point, feasibility_steps, put
from .improve import Better, improved, improved_near, stated_point
from .integers import enumerated
from .judge import Judge
from .multipliers import multipliers_at
from .no_multipliers import falling_direction
from .optimality import Proof, by_implied_equations, by_kkt, by_power
from .rounded_multipliers import by_rounded_multipliers
from .smooth_form import SmoothForm, smooth_form
from .stated_program import StatedProgram

T = TypeVar("T")
APPROXIMATE = ("branch and bound", "rounded multipliers")


@dataclass
class Work:
    """The work that an effort buys, and the steps that were stopped or not begun."""

    effort: float
    start: int = field(default_factory=spent)
    open: list[str] = field(default_factory=list)

    def run(self, step: str, work: Callable[[], T | None]) -> T | None:
        """The answer of a step that is worked out apart; None where it was stopped, or no work is left for it."""
        if self.left() <= 0:
            self.open.append(f"{step} was not begun: {stopped(self.effort)}")
            return None
        try:
            # A part that was stopped in another process is open here too.
            found, self.open = apart(lambda: (work(), self.open), step)
            return found
        except UnfinishedError as error:
            self.open.append(str(error))
            return None

    def left(self) -> int:
        """Units of work that are left."""
        return units_of(self.effort) - (spent() - self.start)

    def part(self, effort: float) -> Work:
        """Work of its own for a part, no more than is left."""
        return Work(min(effort, effort_of(max(self.left(), 0))))

    def said(self) -> str:
        """The empty text, or what is open."""
        return "".join(f"; {words}" for words in self.open)


def certify_numbers(
    program: StatedProgram, point: Any, *, tolerance: Any = 0, effort: float = 1.0
) -> PointCertificate:
    """The certificate of a point of numbers of a program without parameters."""
    where = program.point(point)
    form = smooth_form(program)
    return Trial(
        form, form.lifting.point(where), read_tolerance(tolerance), Work(read_effort(effort))
    ).certificate()


def read_tolerance(value: Any) -> sp.Expr:
    """The tolerance as an exact number; SpecError for what is no number >= 0."""
    read = exact(value, "tolerance")
    if not read.is_number or sign(read) not in (0, 1):
        raise SpecError(f"tolerance must be a number >= 0 in the units of the objective, got {value}")
    return read


@dataclass
class Trial:
    """One point of numbers, in the lifted variables."""

    form: SmoothForm
    where: Where
    tolerance: sp.Expr
    work: Work
    judge: Judge = field(default_factory=Judge)
    lower_whole: tuple[dict[sp.Symbol, sp.Expr], sp.Expr] | None = None

    def certificate(self) -> PointCertificate:
        """The verdict by the first route that reaches one."""
        at = self.work.run("feasibility", lambda: at_point(self.form, self.where, self.judge))
        if at is None:
            return self.answer("UNDECIDED", Truth.UNKNOWN, "whether the point is feasible is open")
        if at.feasible is Truth.FAILS:
            return self.infeasible(at)
        if at.feasible is Truth.UNKNOWN:
            return self.answer("UNDECIDED", Truth.UNKNOWN, at.reason)
        proof = self.proof(at)
        return self.proved(at, proof) if proof is not None else self.without_proof(at)

    def proof(self, at: AtPoint) -> Proof | None:
        """A proof that no feasible value is lower, by exact multipliers or what replaces them."""
        if self.form.natural.integers:
            proof, self.lower_whole = self.work.run("all whole points", self.whole) or (None, None)
            return proof
        return self.work.run("a proof", lambda: self.smooth_proof(at)) if self.form.smooth else None

    def smooth_proof(self, at: AtPoint) -> Proof | None:
        """By the first route that gives one."""
        form, where, judge = self.form, self.where, self.judge
        return (
            self.work.run("multipliers", lambda: by_kkt(form, where, at, judge))
            or self.work.run("implied equations", lambda: by_implied_equations(form, where, at, judge))
            or self.work.run("an identity of powers", lambda: by_power(form, self.value, judge))
            or self.work.run("the sign of a formula", lambda: by_sign(form, self.value))
        )

    def whole(self) -> tuple[Proof | None, tuple[dict[sp.Symbol, sp.Expr], sp.Expr] | None]:
        """All points of an integer program, listed, and a better one; or the relaxation, whose bound holds for whole points too."""
        listed = enumerated(self.form)
        if listed is None:
            at = at_point(self.form, self.where, self.judge)
            return (by_kkt(self.form, self.where, at, self.judge) if self.form.smooth else None), None
        if self.judge.at_least_zero(listed.value - self.value) is Truth.HOLDS:
            return Proof(listed.reason, listed.derivation.steps, listed.derivation.lemmas), None
        return None, (listed.best[0], listed.value) if listed.best else None

    def without_proof(self, at: AtPoint) -> PointCertificate:
        """A better point, a bound by enclosures, or no decision."""
        if self.lower_whole is not None:
            better, low = self.lower_whole
            text = "a feasible whole point has a lower value"
            return self.answer("REFUTED", Truth.HOLDS, text, better=better, low=low)
        if self.form.natural.integers:
            return self.answer(
                "UNDECIDED", Truth.HOLDS, "an integer program: its whole points were not all listed"
            )
        found = self.work.run("a better point", self.better)
        if found is not None:
            return self.answer(
                "REFUTED",
                Truth.HOLDS,
                "a feasible point has a lower value",
                better=found.point,
                low=found.value,
            )
        boxed = self.boxed()
        if boxed is not None:
            return self.proved(at, boxed)
        return self.answer("UNDECIDED", Truth.HOLDS, "no proof and no better point was found")

    def better(self) -> Better | None:
        """A feasible point that is better: a local minimum, or near by where there may be none."""
        form, where, value, slack = self.form, self.where, self.value, self.tolerance
        return improved(form, where, value, slack) or improved_near(form, where, value, slack)

    def boxed(self) -> Proof | None:
        """By balls on a box: exactly, or within the tolerance."""
        units = self.work.left() // 2
        if self.tolerance.is_positive:
            lowest = self.value - self.tolerance
            rounded = self.work.run(
                "rounded multipliers", lambda: by_rounded_multipliers(self.form, self.where, lowest)
            )
            return rounded or within_tolerance(self.form, self.value, self.tolerance, units)
        return by_branching(self.form, self.where, self.value, units) if self.form.smooth else None

    def infeasible(self, at: AtPoint) -> PointCertificate:
        """Not a feasible point: refuted, whatever its value."""
        by = "" if at.excess is None else f": it is off by {sp.N(at.excess, 6)}"
        return self.answer("REFUTED", Truth.FAILS, f"the point is not feasible: {at.reason}{by}")

    def proved(self, at: AtPoint, proof: Proof) -> PointCertificate:
        """Optimal, with the steps; where no multipliers exist this is said."""
        reason = f"feasible, and no feasible value is lower: {proof.method}"
        if proof.multipliers is not None:
            reason += f" ({proof.multipliers.said()})"
        kkt = Truth.HOLDS if proof.qualified and proof.multipliers is not None else Truth.UNKNOWN
        if proof.method in APPROXIMATE:
            reason = f"feasible, and no feasible value is lower by more than {self.tolerance}: {proof.method}"
        elif proof.multipliers is None or not proof.qualified:
            kkt, text, steps = self.whether_kkt(at)
            reason += text
            proof = replace(proof, steps=(*proof.steps, *steps))
        within = self.tolerance if proof.method in APPROXIMATE else sp.S.Zero
        return self.answer("PROVED", Truth.HOLDS, reason, proof=proof, bound=self.value - within, kkt=kkt)

    def whether_kkt(self, at: AtPoint) -> tuple[Truth, str, tuple[Step, ...]]:
        """Whether the point satisfies the conditions of Karush, Kuhn and Tucker, where the proof did not need them."""
        form, where, judge = self.form, self.where, self.judge
        if form.natural.integers or not form.smooth:
            return Truth.UNKNOWN, "", ()
        found = self.work.run("multipliers", lambda: multipliers_at(form, where, at, judge))
        if found is not None:
            return Truth.HOLDS, f"; it is a KKT point ({found.said()})", ()
        falling = self.work.run(
            "that there are no multipliers", lambda: falling_direction(form, where, at, judge)
        )
        john = "; " + self.unqualified(at)
        if falling is None:
            return Truth.UNKNOWN, john, ()
        way = ", ".join(f"{v} by {d}" for v, d in falling.direction.items())
        said = f"; it is no KKT point: to first order the objective falls along {way} and no active constraint rises"
        return Truth.FAILS, said + john, falling.steps

    def unqualified(self, at: AtPoint) -> str:
        """Whether the minimiser is one without multipliers."""
        john = self.work.run(
            "multipliers of Fritz John",
            lambda: multipliers_at(self.form, self.where, at, self.judge, john=True),
        )
        text = "no multipliers of Karush, Kuhn and Tucker were found: a minimiser need not be a KKT point"
        if john is None:
            return text
        return f"{text}; it satisfies the conditions of Fritz John with multiplier 0 of the objective ({john.said()})"

    @property
    def value(self) -> sp.Expr:
        """The objective that is minimised, at the point."""
        return put(self.form.objective, self.where)

    def answer(
        self,
        verdict: Word,
        feasible: Truth,
        reason: str,
        *,
        proof: Proof | None = None,
        bound: sp.Expr | None = None,
        better: dict[sp.Symbol, sp.Expr] | None = None,
        low: sp.Expr | None = None,
        kkt: Truth = Truth.UNKNOWN,
    ) -> PointCertificate:
        """The certificate, its values as the program states them."""
        stated = self.form.stated
        steps = (
            *self.form.lifting.steps(),
            *self.primal(feasible),
            *(proof.steps if proof else self.improvement(better, low)),
        )
        return PointCertificate(
            verdict,
            {v: self.where[v] for v in stated.variables},
            feasible,
            stated.sign * self.value if feasible is Truth.HOLDS else None,
            None if bound is None else stated.sign * bound,
            proof.method if proof else "none" if better is None else "a better point",
            reason + (self.work.said() if verdict == "UNDECIDED" else ""),
            Derivation(f"{verdict}: {reason}", steps, proof.lemmas if proof else ()),
            self.tolerance,
            better,
            None if low is None else stated.sign * low,
            proof.multipliers if proof else None,
            kkt_point=kkt,
        )

    def primal(self, feasible: Truth) -> tuple[Step, ...]:
        """That the point is feasible, constraint by constraint."""
        if feasible is not Truth.HOLDS:
            return ()
        return feasibility_steps(self.form, self.where, self.judge)

    def improvement(self, better: dict[sp.Symbol, sp.Expr] | None, low: sp.Expr | None) -> tuple[Step, ...]:
        """That the better point is feasible and better."""
        if better is None or low is None:
            return ()
        there = stated_point(self.form, better)
        reason = "the better point has a lower value"
        step = Step(put(self.form.objective, there), "<", self.value, reason)
        return (*feasibility_steps(self.form, there, self.judge), step)
