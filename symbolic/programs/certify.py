"""A point of a program under audit: feasible, a bound below every feasible value, or a better point."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Any, TypeVar

import sympy as sp

from ..errors import SpecError
from ..proof.derivation import Derivation, Step
from ..proof.enclosure import sign
from ..proof.time_limit import OutOfTimeError, time_limit
from ..proof.truth import Truth
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
class Clock:
    """What is left of the seconds, and the steps at which they ran out."""

    seconds: float
    start: float = field(default_factory=monotonic)
    stuck: list[str] = field(default_factory=list)

    def run(self, step: str, work: Callable[[], T | None], share: float = 1.0) -> T | None:
        """The answer of the work, or None if time is out; `share` is the part of the time left that it may take."""
        left = self.left()
        if left <= 0.05:
            self.stuck.append(step)
            return None
        try:
            with time_limit(left * share, step):
                return work()
        except OutOfTimeError:
            self.stuck.append(step)
            return None

    def left(self) -> float:
        """Seconds that are left."""
        return self.seconds - (monotonic() - self.start)

    def said(self) -> str:
        """The empty text, or where the time went."""
        return f"; unknown after {self.seconds:g} s: stuck at {', '.join(self.stuck)}" if self.stuck else ""


def certify_numbers(
    program: StatedProgram, point: Any, *, tolerance: Any = 0, seconds: float = 30.0
) -> PointCertificate:
    """The certificate of a point of numbers of a program without parameters."""
    where = program.point(point)
    form = smooth_form(program)
    return Trial(form, form.lifting.point(where), read_tolerance(tolerance), Clock(seconds)).certificate()


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
    clock: Clock
    judge: Judge = field(default_factory=Judge)
    lower_whole: tuple[dict[sp.Symbol, sp.Expr], sp.Expr] | None = None

    def certificate(self) -> PointCertificate:
        """The verdict by the first route that reaches one."""
        at = self.clock.run("feasibility", lambda: at_point(self.form, self.where, self.judge))
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
            return self.clock.run("all whole points", self.whole)
        if not self.form.smooth:
            return None
        form, where, judge = self.form, self.where, self.judge
        return (
            self.clock.run("multipliers", lambda: by_kkt(form, where, at, judge), 0.4)
            or self.clock.run("implied equations", lambda: by_implied_equations(form, where, at, judge), 0.3)
            or self.clock.run("an identity of powers", lambda: by_power(form, self.value, judge), 0.3)
            or self.clock.run("the sign of a formula", lambda: by_sign(form, self.value), 0.2)
        )

    def whole(self) -> Proof | None:
        """All points of an integer program, listed; or the relaxation, whose bound holds for whole points too."""
        listed = enumerated(self.form)
        if listed is None:
            at = at_point(self.form, self.where, self.judge)
            return by_kkt(self.form, self.where, at, self.judge) if self.form.smooth else None
        if self.judge.at_least_zero(listed.value - self.value) is Truth.HOLDS:
            return Proof(listed.reason, listed.derivation.steps, listed.derivation.lemmas)
        self.lower_whole = (listed.best[0], listed.value) if listed.best else None
        return None

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
        found = self.clock.run("a better point", self.better, 0.5)
        if found is not None:
            return self.answer(
                "REFUTED",
                Truth.HOLDS,
                "a feasible point has a lower value",
                better=found.point,
                low=found.value,
            )
        boxed = self.clock.run("branch and bound", self.boxed)
        if boxed is not None:
            return self.proved(at, boxed)
        return self.answer("UNDECIDED", Truth.HOLDS, "no proof and no better point was found")

    def better(self) -> Better | None:
        """A feasible point that is better: a local minimum, or near by where there may be none."""
        form, where, value, slack = self.form, self.where, self.value, self.tolerance
        return improved(form, where, value, slack) or improved_near(form, where, value, slack)

    def boxed(self) -> Proof | None:
        """By balls on a box: exactly, or within the tolerance."""
        seconds = self.clock.left() / 2
        if self.tolerance.is_positive:
            rounded = by_rounded_multipliers(self.form, self.where, self.value - self.tolerance)
            return rounded or within_tolerance(self.form, self.value, self.tolerance, seconds)
        return by_branching(self.form, self.where, self.value, seconds) if self.form.smooth else None

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
        found = self.clock.run("multipliers", lambda: multipliers_at(form, where, at, judge), 0.4)
        if found is not None:
            return Truth.HOLDS, f"; it is a KKT point ({found.said()})", ()
        falling = self.clock.run(
            "that there are no multipliers", lambda: falling_direction(form, where, at, judge), 0.4
        )
        john = "; " + self.unqualified(at)
        if falling is None:
            return Truth.UNKNOWN, john, ()
        way = ", ".join(f"{v} by {d}" for v, d in falling.direction.items())
        said = f"; it is no KKT point: to first order the objective falls along {way} and no active constraint rises"
        return Truth.FAILS, said + john, falling.steps

    def unqualified(self, at: AtPoint) -> str:
        """Whether the minimiser is one without multipliers."""
        john = self.clock.run(
            "multipliers of Fritz John",
            lambda: multipliers_at(self.form, self.where, at, self.judge, john=True),
            0.5,
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
            reason + (self.clock.said() if verdict == "UNDECIDED" else ""),
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
