"""A point whose entries are formulas in parameters: proved for all of them, or refuted at one."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import sympy as sp

from ..proof.derivation import Derivation, Step
from ..proof.truth import Truth
from ..proof.work import read_effort
from .certificate import PointCertificate
from .certify import Work, certify_numbers
from .empty_region import emptiness
from .feasibility import at_point, feasibility_steps
from .judge import Judge
from .optimality import Proof, by_kkt
from .parameter_regions import (
    ParameterRegion,
    breakpoints,
    given,
    insides,
    on_border,
    points,
    regions,
    some_point,
)
from .real_form import real_form
from .smooth_form import SmoothForm, instance, smooth_form
from .stated_program import StatedProgram

_TRIALS = 4


def certify(
    program: StatedProgram, point: Any, *, tolerance: Any = 0, effort: float = 1.0
) -> PointCertificate:
    """The certificate of a point of a program; see `PointCertificate`.

    `point` gives each variable a number or a formula in the parameters, in the order of `over` or by names.  PROVED says
    that it is feasible and that no feasible value is lower by more than `tolerance`, in the units of the objective, for all
    parameters of the domain; REFUTED names parameters `at` which it is not.  SpecError for a point of another length.
    """
    where = program.point(point)
    real, back = real_form(program)
    forth = {s: r for r, s in back.items()}
    moved = {forth.get(v, v): e.xreplace(forth) for v, e in where.items()}
    if not program.parameters:
        return _restated(certify_numbers(real, moved, tolerance=tolerance, effort=effort), back)
    return _restated(_Formula(real, moved, Work(read_effort(effort)), tolerance).certificate(), back)


def _restated(found: PointCertificate, back: dict[sp.Symbol, sp.Symbol]) -> PointCertificate:
    """The certificate in the symbols of the user, who may have declared nothing of them."""

    def own(point: dict[sp.Symbol, sp.Expr]) -> dict[sp.Symbol, sp.Expr]:
        return {back.get(v, v): e.xreplace(back) for v, e in point.items()}

    better = None if found.better is None else own(found.better)
    return replace(found, point=own(found.point), better=better, at=own(found.at)) if back else found


class _Formula:
    def __init__(
        self, program: StatedProgram, point: dict[sp.Symbol, sp.Expr], work: Work, tolerance: Any
    ) -> None:
        self.program, self.point, self.work, self.tolerance = program, point, work, tolerance
        self.form = smooth_form(program)
        self.where = self.form.lifting.point(point)

    def certificate(self) -> PointCertificate:
        """Numbers at a few parameters first: they refute fast; then each region is proved."""
        cases = regions(self.where, self.program.domain)
        if cases is None:
            return self.answer("the formula could not be split into cases")
        at = [
            p
            for r in cases
            for p in (*points(self.program.domain, r, 4), *breakpoints(self.program.domain, r))
        ]
        at = list(
            {
                tuple(p.items()): p
                for p in (*at[:16], *points(self.program.domain, ParameterRegion((), {}), _TRIALS))
            }.values()
        )
        open_at = []
        for parameters in at:
            found = self.trial(parameters)
            if found is not None and found.verdict == "REFUTED":
                return self.refuted(found, parameters)
            if found is None or found.verdict == "UNDECIDED":
                open_at.append(parameters)
        return self.proved(cases, open_at)

    def trial(self, parameters: dict[sp.Symbol, sp.Expr]) -> PointCertificate | None:
        """The certificate at one point of the parameters."""
        try:
            point = [self.point[v].subs(parameters) for v in self.program.variables]
        except TypeError:  # a condition of a Piecewise compares what is no real number there
            return None

        def numbers() -> PointCertificate:
            return certify_numbers(
                instance(self.program, parameters), point, tolerance=self.tolerance, effort=0.25
            )

        return self.work.run("numbers for the parameters", numbers)

    def refuted(self, found: PointCertificate, parameters: dict[sp.Symbol, sp.Expr]) -> PointCertificate:
        """Refuted for all by one."""
        names = ", ".join(f"{s} = {v}" for s, v in parameters.items())
        return replace(found, at=parameters, reason=f"at {names}: {found.reason}")

    def proved(
        self, cases: list[ParameterRegion], open_at: list[dict[sp.Symbol, sp.Expr]]
    ) -> PointCertificate:
        """A proof in every region that is not seen to be empty."""
        steps: list[Step] = []
        lemmas: list[str] = []
        for region in cases:
            found = self.work.run(f"the region {region.said()}", partial(self.region, region))
            if found is None:
                return self.answer(f"no proof was found where {region.said()}")
            steps += found.steps
            lemmas += found.lemmas
        if open_at:
            return self.answer(f"open at {open_at[0]}")
        domain = self.program.domain.said()
        reason = f"feasible, and no feasible value is lower, for all {domain}: {len(cases)} region(s)"
        value = self.program.sign * self.objective()
        return PointCertificate(
            "PROVED",
            self.point,
            Truth.HOLDS,
            value,
            value,
            "multipliers as formulas",
            reason,
            Derivation(f"PROVED: {reason}", tuple(steps), tuple(dict.fromkeys(lemmas))),
            kkt_point=Truth.HOLDS,
        )

    def objective(self) -> sp.Expr:
        """The value of the objective that is minimised, as a formula."""
        value = self.form.lifting.stated.objective.subs(self.point, simultaneous=True)
        return sp.factor(sp.expand(value)) if not value.has(sp.Piecewise, sp.Max, sp.Min) else value

    def region(self, region: ParameterRegion) -> Proof | None:
        """Multipliers as formulas, with signs that hold in the whole region."""
        sample = some_point(self.program.domain, region)
        if sample is None:
            # A region without an interior point: its border belongs to the others if it is empty for sure.
            nowhere = emptiness(self.program.domain, region)
            if nowhere is not None:
                return Proof("empty", (nowhere,), ())
            sample = next(iter(on_border(self.program.domain, region)), None)
        return None if sample is None else proved_on(self.form, region, sample)

    def answer(self, reason: str) -> PointCertificate:
        """Undecided."""
        return PointCertificate(
            "UNDECIDED",
            self.point,
            Truth.UNKNOWN,
            None,
            None,
            "none",
            reason + self.work.said(),
            Derivation(reason, ()),
        )


def proved_on(form: SmoothForm, region: ParameterRegion, sample: dict[sp.Symbol, sp.Expr]) -> Proof | None:
    """The point of the region is a minimiser for all its parameters; None if this was not proved.

    Every cover of the region is tried: in which order depends on the names of the parameters, whether one goes through does not.
    """
    known = given(form.stated.domain, region)
    covers = insides(form.stated.domain, region)
    proofs = (_proved_in(form, region, Judge(inside, known), sample) for inside in covers)
    return next((proof for proof in proofs if proof is not None), None)


def _proved_in(
    form: SmoothForm, region: ParameterRegion, judge: Judge, sample: dict[sp.Symbol, sp.Expr]
) -> Proof | None:
    where = {v: sp.together(e) if e.is_rational_function() else e for v, e in region.values.items()}
    at = at_point(form, where, judge)
    if at.feasible is not Truth.HOLDS or not all(map(judge.defined, region.values.values())):
        return None
    proof = by_kkt(form, where, at, judge, sample)
    if proof is None:
        return None
    return replace(proof, steps=(*feasibility_steps(form, where, judge), *proof.steps))
