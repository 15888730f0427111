"""The proof of a claimed minimiser or optimal value: the certificate of a program or of a functional, for all its parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import sympy as sp

from ....mechanisms.stated import FunctionalSubject, ProgramSubject
from ....symbolic.claim import Claim
from ....symbolic.parameter_domain import ParameterDomain
from ....symbolic.programs.certificate import PointCertificate
from ....symbolic.programs.everywhere import at_most_zero
from ....symbolic.programs.functional.integrals import closed_integral
from ....symbolic.programs.functional.solve import FunctionalSolution
from ....symbolic.programs.functional.stated_functional import StatedFunctional
from ....symbolic.programs.program import Program
from ....symbolic.programs.solve import Solution
from ....symbolic.proof.derivation import Derivation, Step
from ....symbolic.proof.enclosure import NotEnclosableError, compare, enclose
from ....symbolic.proof.exact_numbers import above, below
from ....symbolic.proof.proofs.recorded import recorded
from ....symbolic.proof.truth import Truth, all_hold
from ....symbolic.stated_formula import read_entry
from ....symbolic.stated_optima import Minimiser, OptimalValue
from ...record.evidence import Evidence, Kind, Sentence, Verdict
from ..check import Check, Counted, Counts
from ..claimed_point import read_formula_of, read_point
from ..function_witness import functional_record

LEAST = "the value at the point is at most what bounds every feasible value from below"
_VERDICT = {"PROVED": Verdict.PROVED, "REFUTED": Verdict.REFUTED, "UNDECIDED": Verdict.UNDECIDED}
Point = Mapping[sp.Symbol, sp.Expr]


class ProblemProof(Counted):
    """What the proofs of claims about programs and functionals share."""

    kind: ClassVar[Kind] = "proof"
    sentence: ClassVar[Sentence] = "law"
    about: ClassVar[type]

    @classmethod
    def bind(cls, claim: Claim) -> Self | None:
        known = isinstance(claim.subject, ProgramSubject | FunctionalSubject)
        return cls(claim) if known and isinstance(claim.predicate, cls.about) else None

    def said(
        self,
        verdict: Verdict,
        detail: str,
        derivation: Derivation | None = None,
        witness: dict[str, Any] | None = None,
    ) -> Evidence:
        """The evidence; steps that stand in no proof are left out of what is undecided."""
        return self.evidence(
            verdict,
            detail,
            witness=witness,
            derivation=()
            if derivation is None or verdict is Verdict.UNDECIDED
            else tuple(recorded(derivation)),
        )


class MinimiserProof(ProblemProof):
    """The certificate of the point, with its step that nothing feasible is better, or a point that is."""

    name: ClassVar[str] = "certificate of a point"
    about: ClassVar[type] = Minimiser

    def judge(self, plan: Any, counts: Counts | None, alpha: float) -> Evidence:
        subject, predicate, point = self.claim.subject, self.claim.predicate, read_point(self.claim)
        assert isinstance(predicate, Minimiser)
        if isinstance(subject, FunctionalSubject):
            return self._functional(subject, point)
        tolerance = read_entry(predicate.tolerance, {})
        found = subject.program.certify(point, tolerance=tolerance)
        steps = [*found.derivation.steps]
        if found.verdict == "PROVED" and found.value is not None and found.lower is not None:
            steps.append(least_step(subject.program, found, tolerance))
        return self.said(
            _VERDICT[found.verdict],
            f"{found.reason} ({found.method})" if found.method not in ("", "none") else found.reason,
            Derivation(found.derivation.conclusion, tuple(steps), found.derivation.lemmas),
            better_witness(self, found.point, found.at, found.better, found.reason)
            if found.verdict == "REFUTED"
            else None,
        )

    def _functional(self, subject: FunctionalSubject, point: sp.Expr) -> Evidence:
        f = subject.functional
        found = f.certify(point.xreplace({f.x: f.unknown.args[0]}))
        steps = [*found.derivation.steps]
        if found.verdict == "PROVED" and found.value is not None:
            steps.append(value_step(f, point, f.sign * found.value))
        proof = Derivation(found.derivation.conclusion, tuple(steps), found.derivation.lemmas)
        witness = None
        if found.verdict == "REFUTED":
            better, at = (
                ("", {}) if found.better is None else (sp.sstr(found.better.function), found.better.at)
            )
            witness = {
                "kind": "better function",
                "functional": functional_record(f),
                "at": {s.name: sp.sstr(v) for s, v in at.items()},
                "better": better,
                **self.key(),
            }
        return self.said(_VERDICT[found.verdict], found.optimal.reason, proof, witness)


def value_step(f: StatedFunctional, point: sp.Expr, value: sp.Expr) -> Step:
    """The functional's value along a candidate, which of a convex one nothing is below: what a proof of its minimiser ends with."""

    def again(left: sp.Expr, right: sp.Expr) -> Truth:
        found = closed_integral(left.function, f.x, f.low, f.high)
        return Truth.UNKNOWN if found is None else compare(found, "<=", right)

    return Step(sp.Integral(f.at(f.integrand, point), (f.x, f.low, f.high)), "<=", value, LEAST, how=again)


def least_step(program: Program, found: PointCertificate, tolerance: sp.Expr) -> Step:
    """The value at the point beside the bound on every feasible value: what a proof of a minimiser ends with."""
    assert found.value is not None
    assert found.lower is not None
    left, right = program.sign * found.value, program.sign * found.lower + tolerance
    return Step(left, "<=", right, LEAST, how=lambda a, b: within(program.domain, a, b))


def within(domain: ParameterDomain, left: sp.Expr, right: sp.Expr, where: tuple[sp.Expr, ...] = ()) -> Truth:
    """Whether left <= right in all of the domain in which each of `where` is at least zero."""
    if sp.simplify(left - right) == 0:
        return Truth.HOLDS
    return at_most_zero(domain, left - right, where)


def better_witness(
    check: Check, point: Point, at: Point, better: Point | None, broken: str
) -> dict[str, Any]:
    """The program in formulas, the claimed point, and the better one (or the constraint that the claimed one breaks)."""

    def texts(values: Point) -> dict[str, str]:
        return {v.name: sp.sstr(e) for v, e in values.items()}

    return {
        "kind": "better point",
        "program": program_record(check.claim.subject.program),
        "at": texts(at),
        "point": texts(point),
        "better": None if better is None else texts(better),
        "broken": "" if better is not None else broken,
        **check.key(),
    }


def program_record(program: Program) -> dict[str, Any]:
    """Objective (to be minimised) and constraints as texts that can be read again."""
    rows = [{"excess": sp.sstr(c.excess), "relation": "="} for c in program.equations]
    limits = [*(c.excess for c in program.inequalities), *(c.excess for c in program.cones)]
    rows += [{"excess": sp.sstr(e), "relation": "<="} for e in limits]
    rows += [{"excess": f"-{v.name}", "relation": "<="} for v in program.variables if v.is_nonnegative]
    rows += [{"excess": v.name, "relation": "<="} for v in program.variables if v.is_nonpositive]
    return {
        "variables": [v.name for v in program.variables],
        "objective": sp.sstr(program.objective),
        "constraints": rows,
        "matrices": [[[sp.sstr(e) for e in row] for row in c.matrix.tolist()] for c in program.matrices],
        "integers": [v.name for v in program.variables if v.is_integer],
    }


class OptimalValueProof(ProblemProof):
    """The optimum as it is solved for, beside the claimed one."""

    name: ClassVar[str] = "optimal value"
    about: ClassVar[type] = OptimalValue

    def judge(self, plan: Any, counts: Counts | None, alpha: float) -> Evidence:
        predicate, subject = self.claim.predicate, self.claim.subject
        assert isinstance(predicate, OptimalValue)
        names = {s.name: s for s in self.parameters()}
        claimed, tolerance = read_formula_of(predicate.value, names), read_entry(predicate.tolerance, {})
        if isinstance(subject, FunctionalSubject):
            return self._functional(claimed, tolerance)
        found = subject.program.solve()
        if found.status in ("infeasible", "unbounded"):
            return self._without(found)
        exact = found.status in ("optimal", "not attained") and found.value is not None
        if not exact:
            return self._near(found, claimed, tolerance)
        value: sp.Expr = found.value
        domain = subject.program.domain
        words = f"the optimum is {value}: {found.reason}"
        step = _value_step(predicate, found, claimed, tolerance, domain, words)
        if step.check() is Truth.HOLDS:
            steps = (*found.derivation.steps, step)
            return self.said(Verdict.PROVED, words, Derivation(words, steps, found.derivation.lemmas))
        at = _apart(value, claimed, tolerance, domain)
        if at is not None:
            return self._refuted(value.subs(at), "=", at, words, found.derivation)
        return self.said(
            Verdict.UNDECIDED, f"the optimum is {value}, and whether it is what is claimed was not decided"
        )

    def parameters(self) -> tuple[sp.Symbol, ...]:
        subject = self.claim.subject
        return (subject.functional if isinstance(subject, FunctionalSubject) else subject.program).parameters

    def _without(self, found: Solution) -> Evidence:
        value = sp.oo if found.status == "infeasible" else -sp.oo
        words = f"there is no optimal value: the program is {found.status}: {found.reason}"
        program: Program = self.claim.subject.program
        return self._refuted(program.sign * value, "=", {}, words, found.derivation, program_record(program))

    def _near(self, found: Solution, claimed: sp.Expr, tolerance: sp.Expr) -> Evidence:
        """Held against both ends of what is known: a feasible value, and a bound on all of them."""
        inner = found.certificate
        if inner is None or claimed.free_symbols or inner.value is None or inner.lower is None:
            return self.said(Verdict.UNDECIDED, f"the optimum was not found exactly: {found.reason}")
        low, high = sorted((inner.lower, inner.value), key=lambda e: float(enclose(e).mid()))
        proof = found.derivation
        if compare(claimed - high, ">", tolerance) is Truth.HOLDS:
            return self._refuted(high, ">=", {}, f"the optimum is at most {high}: {found.reason}", proof)
        if compare(low - claimed, ">", tolerance) is Truth.HOLDS:
            return self._refuted(low, "<=", {}, f"the optimum is at least {low}: {found.reason}", proof)
        return self.said(
            Verdict.UNDECIDED,
            f"the optimum lies between {below(enclose(low)):.12g} and {above(enclose(high)):.12g}: {found.reason}",
        )

    def _functional(self, claimed: sp.Expr, tolerance: sp.Expr) -> Evidence:
        f = self.claim.subject.functional
        if f.parameters:
            return self.said(
                Verdict.UNDECIDED,
                "the optimum of a functional is enclosed for numbers: claim the minimiser of one with parameters",
            )
        found = f.solve()
        words = f"finite elements enclose the optimum in [{found.lower}, {found.upper}]: {found.reason}"
        sides = ((found.upper, ">="), (found.lower, "<="))
        for end, relation in sides:
            if end is None:
                continue
            number = sp.Rational(end)
            gap = claimed - number if relation == ">=" else number - claimed
            if compare(gap, ">", tolerance) is Truth.HOLDS:
                return self._refuted(number, relation, {}, words, found.derivation)
        steps = self._inside(found, claimed, tolerance)
        if steps and all(step.check() is Truth.HOLDS for step in steps):
            own = found.derivation
            return self.said(Verdict.PROVED, words, Derivation(words, (*own.steps, *steps), own.lemmas))
        return self.said(Verdict.UNDECIDED, f"{words}; the claimed value is not excluded")

    def _inside(self, found: FunctionalSolution, claimed: sp.Expr, tolerance: sp.Expr) -> tuple[Step, ...]:
        """Both ends of the enclosure beside the claimed value and its tolerance."""
        predicate = self.claim.predicate
        assert isinstance(predicate, OptimalValue)
        if found.lower is None or found.upper is None:
            return ()
        rows = ((sp.Rational(found.upper), 1, "upper"), (sp.Rational(found.lower), -1, "lower"))
        return tuple(
            Step(
                sign * (end - claimed),
                "<=",
                tolerance,
                f"the {side} end of the enclosure beside the claimed value",
                shown=(sp.sstr(sign * (end - claimed)), predicate.tolerance),
            )
            for end, sign, side in rows
        )

    def _refuted(
        self,
        value: sp.Expr,
        relation: str,
        at: Point,
        words: str,
        proof: Derivation,
        program: dict[str, Any] | None = None,
    ) -> Evidence:
        witness = {
            "kind": "optimal value",
            "at": {s.name: sp.sstr(v) for s, v in at.items()},
            "found": sp.sstr(value),
            "relation": relation,
            "claimed": self.claim.predicate.value,  # type: ignore[attr-defined]
            "program": program,
            **self.key(),
        }
        return self.said(Verdict.REFUTED, words, proof, witness)


def _value_step(
    predicate: OptimalValue,
    found: Solution,
    claimed: sp.Expr,
    tolerance: sp.Expr,
    domain: ParameterDomain,
    reason: str,
) -> Step:
    """The optimum beside the claimed one, for all parameters: equal, or no further apart than the tolerance."""

    value, told = found.value, predicate.value
    # Cases hold on closed regions, and two that meet agree on the border.
    parts = [(c.value - value, c.conditions) for c in found.cases] or [(sp.S.Zero, ())]

    def close(gap: sp.Expr, most: sp.Expr) -> Truth:
        return all_hold(_between(domain, gap + more, most, where) for more, where in parts)

    if tolerance != 0:
        shown = (f"Abs({sp.sstr(value)} - ({told}))", predicate.tolerance)
        return Step(value - claimed, "<=", tolerance, reason, close, shown)
    return Step(value, "=", claimed, reason, lambda a, b: close(a - b, sp.S.Zero), (sp.sstr(value), told))


def _between(
    domain: ParameterDomain, gap: sp.Expr, tolerance: sp.Expr, where: tuple[sp.Expr, ...] = ()
) -> Truth:
    """Whether |gap| is at most the tolerance in all of the domain in which each of `where` is at least zero."""
    return all_hold(within(domain, side, tolerance, where) for side in (gap, -gap))


def _apart(value: sp.Expr, claimed: sp.Expr, tolerance: sp.Expr, domain: ParameterDomain) -> Point | None:
    """Values of the parameters at which the two certainly differ by more than the tolerance."""
    for point in domain.points() if domain.ends else [{}]:
        try:
            gap = abs(enclose(value.subs(point)) - enclose(claimed.subs(point)))
            if gap > enclose(tolerance):
                return point
        except (NotEnclosableError, ArithmeticError, TypeError, ValueError):
            continue
    return None
