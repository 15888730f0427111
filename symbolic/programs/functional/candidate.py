"""Whether a given function is the minimiser of a functional: admissible, extremal, and least where the functional is convex."""

from __future__ import annotations

from dataclasses import dataclass, field

import sympy as sp

from ...proof.apart import UnfinishedError, apart
from ...proof.derivation import Derivation, Step
from ...proof.enclosure import is_zero
from ...proof.fact import Fact
from ...proof.truth import Truth, all_hold
from .boundary import boundary_terms, limit_at, limits
from .euler_lagrange import DU_BOIS_REYMOND, Lagrangian, convexity
from .fixed_ends import WIRTINGER, convex_by_ends
from .improvement import Improvement, improvement
from .integrals import closed_integral, diverges, integrated
from .positive_inside import between, positive_inside
from .smooth_inside import smooth_inside
from .stated_functional import StatedFunctional

TANGENT = (
    "a differentiable convex function lies above its tangents: the functional of any competitor less that of the candidate is at "
    "least the first variation in the direction of their difference"
)


@dataclass(frozen=True)
class FunctionalCertificate:
    """What is known of a candidate: `optimal` HOLDS where it is proved to be a minimiser, FAILS with the better one or the broken constraint.

    `conditions` are named facts in the order in which they were asked; `value` is the functional's value in closed form, or None.
    """

    optimal: Fact
    candidate: sp.Expr
    conditions: tuple[tuple[str, Fact], ...]
    multipliers: dict[sp.Symbol, sp.Expr]
    value: sp.Expr | None
    better: Improvement | None
    derivation: Derivation = field(repr=False)

    @property
    def verdict(self) -> str:
        """PROVED, REFUTED or UNDECIDED."""
        return {Truth.HOLDS: "PROVED", Truth.FAILS: "REFUTED", Truth.UNKNOWN: "UNDECIDED"}[self.optimal.truth]

    def __str__(self) -> str:
        return f"{self.verdict}: {self.optimal.reason}"


def certify(functional: StatedFunctional, function: object) -> FunctionalCertificate:
    """Try to prove that the function is a minimiser, and to find a better one; SpecError for what is no function of x."""
    candidate = functional.candidate(function)
    work = _Work(functional, candidate)
    try:
        optimal, work = apart(work.decided, "the candidate")
    except UnfinishedError as stuck:
        optimal = Fact(Truth.UNKNOWN, f"unknown: {stuck}")
    words = f"{functional.written(candidate)} minimises the integral of {functional.written(functional.integrand)}"
    proof = Derivation(words, tuple(work.steps), (TANGENT, DU_BOIS_REYMOND, *work.lemmas))
    if optimal.truth is Truth.HOLDS and proof.check() is not Truth.HOLDS:
        optimal = Fact(Truth.UNKNOWN, "a step of the derivation could not be checked again")
    return FunctionalCertificate(
        optimal,
        candidate.xreplace({functional.x: functional.unknown.args[0]}),
        tuple(work.conditions),
        work.multipliers,
        work.value,
        work.better,
        proof,
    )


class _Work:
    def __init__(self, functional: StatedFunctional, candidate: sp.Expr) -> None:
        self.f, self.candidate = functional, candidate
        self.lagrangian = Lagrangian(functional)
        self.conditions: list[tuple[str, Fact]] = []
        self.multipliers: dict[sp.Symbol, sp.Expr] = {}
        self.steps: list[Step] = []
        self.lemmas: list[str] = []
        self.value: sp.Expr | None = None
        self.better: Improvement | None = None

    def decided(self) -> tuple[Fact, _Work]:
        return self.decide(), self

    def decide(self) -> Fact:
        admissible = self._admissible()
        if admissible.truth is Truth.FAILS:
            return Fact(Truth.FAILS, f"it is not admissible: {admissible.reason}")
        f = self.f
        if f.sign == 1 and (infinite := self._infinite()) is not None:
            return infinite
        value = closed_integral(f.at(f.integrand, self.candidate), f.x, f.low, f.high)
        self.value = None if value is None else f.sign * value
        extremal = self._extremal()
        if extremal.truth is Truth.FAILS:
            self.better = improvement(f, self.candidate) if admissible.truth is Truth.HOLDS else None
            if self.better is not None:
                return Fact(Truth.FAILS, f"the Euler-Lagrange equation fails, and {self.better}")
            return Fact(Truth.UNKNOWN, "the Euler-Lagrange equation fails, and no better function was found")
        convex, convex_where = self._note("convex", convexity(f)), "convex"
        if convex.truth is not Truth.HOLDS:
            on_ends = convex_by_ends(f)
            convex = convex if on_ends is None else self._note("convex on competitors", on_ends)
            convex_where = "convex on functions with these ends"
            self.lemmas += [WIRTINGER] if convex.truth is Truth.HOLDS else []
        ends = self._ends() if extremal.truth is Truth.HOLDS else Fact(Truth.UNKNOWN, "not asked")
        finite = self._finite()
        together = all_hold(fact.truth for fact in (admissible, extremal, convex, ends, finite))
        if together is Truth.HOLDS:
            return Fact(
                Truth.HOLDS,
                f"it is admissible and extremal, and the functional is {convex_where}: no competitor has less",
            )
        self.better = improvement(f, self.candidate) if admissible.truth is Truth.HOLDS else None
        open_ones = [name for name, fact in self.conditions if fact.truth is not Truth.HOLDS]
        if self.better is not None:
            return Fact(Truth.FAILS, f"it is no minimiser: {self.better}")
        return Fact(Truth.UNKNOWN, f"not settled: {', '.join(open_ones)}")

    def _infinite(self) -> Fact | None:
        """Where the value is infinite, whether another function has a finite one."""
        f = self.f
        end = diverges(f.at(f.integrand, self.candidate), f.x, f.low, f.high)
        if end is None:
            return None
        words = (
            f"its value is infinite, since the integrand falls no faster than the inverse distance from {end}"
        )
        self._note("finite value", Fact(Truth.FAILS, words))
        mass = closed_integral(self.candidate**2, f.x, f.low, f.high)
        if mass is None or len(f.constraints) > 1 or not f.density:
            return Fact(Truth.UNKNOWN, f"{words}; whether another function has a finite one was not found")
        other = sp.factor(self.candidate**2 / mass)
        found = closed_integral(f.at(f.integrand, other), f.x, f.low, f.high)
        if found is None or not found.is_finite:
            return Fact(Truth.UNKNOWN, f"{words}; whether another function has a finite one was not found")
        return Fact(Truth.FAILS, f"{words}, and that of {f.written(other)} is {found}")

    def _note(self, name: str, fact: Fact) -> Fact:
        self.conditions.append((name, fact))
        return fact

    def _finite(self) -> Fact:
        if self.value is not None:
            return self._note("finite value", Fact(Truth.HOLDS, f"its value is {self.value}"))
        return self._note("finite value", Fact(Truth.UNKNOWN, "no closed form of its value was found"))

    def _admissible(self) -> Fact:
        f, facts = self.f, []
        if f.positive:
            truth = positive_inside(self.candidate, f.x, f.low, f.high)
            facts.append(
                self._note("positive", Fact(truth, f"{f.unknown} > 0 inside of the interval: {truth.value}"))
            )
        if any(e.has(f.slope) for e in (f.integrand, *(c.integrand for c in f.constraints))):
            facts.append(self._note("smooth", smooth_inside(self.candidate, f.x, f.low, f.high)))
        for end, value in f.boundary:
            found = limit_at(self.candidate, f.x, end, "+" if end == f.low else "-")
            if found is None:
                facts.append(self._note(f"value at {end}", Fact(Truth.UNKNOWN, "its limit is not known")))
                continue
            side = "+" if end == f.low or end == -sp.oo else "-"
            at_end = sp.Limit(self.candidate, f.x, end, side)
            step = Step(at_end, "=", value, f"the value at {end}", how=limits)
            facts.append(self._kept(f"value at {end}", step, found))
        for c in f.constraints:
            name = f"the integral of {f.written(c.integrand)}"
            integrand = f.at(c.integrand, self.candidate)
            whole_of = sp.Integral(integrand, (f.x, f.low, f.high))
            step = Step(whole_of, "=", c.value, f"{name}, in closed form", how=integrated)
            facts.append(self._kept(name, step))
        whole = all_hold(fact.truth for fact in facts)
        wrong = next((fact.reason for fact in facts if fact.truth is Truth.FAILS), "")
        return Fact(whole, wrong)

    def _kept(self, name: str, step: Step, found: sp.Expr | None = None) -> Fact:
        self.steps.append(step)
        truth = step.check()
        word = {Truth.HOLDS: "=", Truth.FAILS: "is not"}.get(truth, "was not compared with")
        sides = f"{step.left if found is None else found} {word} {step.right}"
        return self._note(name, Fact(truth, f"{step.reason}: {sides}"))

    def _extremal(self) -> Fact:
        f, names = self.f, self.lagrangian.multipliers
        # As a letter a number in front cancels, where as a sum of roots and exponentials it grows.
        factor, shape = self.candidate.as_independent(f.x, as_Add=False)
        letter = sp.Dummy("c", positive=True) if factor.is_positive else factor
        residual = sp.expand(self.lagrangian.residual(letter * shape))
        residual = sp.simplify(residual).xreplace({letter: factor}) if residual != 0 else residual
        if names:
            self.multipliers = self._solved(residual, names)
        fixed = sp.simplify(residual.subs(self.multipliers))
        truth = is_zero(fixed)
        step = Step(
            fixed, "=", sp.Integer(0), "the Euler-Lagrange equation along the candidate, with its multipliers"
        )
        if truth is Truth.HOLDS and fixed == 0:
            step = Step(
                self.lagrangian.written_residual(self.candidate, f.integrand),
                "=",
                sp.Add(
                    *(
                        m * self.lagrangian.residual(self.candidate, c.integrand)
                        for m, c in zip((self.multipliers[n] for n in names), f.constraints, strict=True)
                    )
                ),
                step.reason,
                # The sign of the candidate is a step of its own.
                where=(self.candidate,) if f.positive else (),
            )
        self.steps.append(step)
        shown = ", ".join(f"{k} = {v}" for k, v in self.multipliers.items())
        words = {
            Truth.HOLDS: f"it holds{' with ' + shown if shown else ''}",
            Truth.FAILS: "no multipliers make it hold" if names else "it does not hold",
            Truth.UNKNOWN: "whether it holds is open",
        }
        return self._note("Euler-Lagrange equation", Fact(truth, words[truth]))

    def _solved(self, residual: sp.Expr, names: tuple[sp.Symbol, ...]) -> dict[sp.Symbol, sp.Expr]:
        f = self.f
        shares = [sp.Rational(k + 1, len(names) + 2) for k in range(len(names))]
        equations = [residual.subs(f.x, between(f.low, f.high, share)) for share in shares]
        found = sp.solve(equations, names, dict=True)
        first = found[0] if found else {}
        return {n: sp.simplify(first.get(n, sp.Integer(0))) for n in names}

    def _ends(self) -> Fact:
        found = boundary_terms(self.f, self.candidate, self.lagrangian.momentum().subs(self.multipliers))
        self.lemmas += found.lemmas
        self.steps += found.steps
        return self._note("boundary terms", found.fact)
