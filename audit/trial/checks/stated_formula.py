"""The proof of a claimed formula: held against what is derived of the law, for all parameters of the claim's domain."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, ClassVar, Self

import sympy as sp
from flint import arb

from ....mechanisms.family import Family
from ....mechanisms.model import Model
from ....symbolic.claim import Claim
from ....symbolic.errors import counted
from ....symbolic.information.model_information import FisherInformationMatrix
from ....symbolic.information.of_model import fisher_information
from ....symbolic.information.smooth_parameters import doubt_of_vector
from ....symbolic.laws.joint import JointLaw
from ....symbolic.laws.law import Law
from ....symbolic.laws.lawful_at import lawful
from ....symbolic.parameter_domain import ParameterDomain, declared
from ....symbolic.predicates import FisherInformation
from ....symbolic.proof.derivation import Derivation, Step
from ....symbolic.proof.enclosure import NotEnclosableError, enclose, is_zero
from ....symbolic.proof.proofs.recorded import recorded
from ....symbolic.proof.reading import READING, share_of_text
from ....symbolic.proof.truth import Truth, all_hold
from ....symbolic.stated_formula import StatedFormula
from ...record.evidence import Evidence, Kind, Measured, Sentence, Verdict
from ..check import Counted, Counts

_BALLS = 3  # points at which an information without a closed form is enclosed
_DIGITS = 20
_CLAIMED = "the derived formula is the claimed one"
Point = Mapping[sp.Symbol, sp.Expr]
_VERDICT = {Truth.HOLDS: Verdict.PROVED, Truth.FAILS: Verdict.REFUTED, Truth.UNKNOWN: Verdict.UNDECIDED}


class FormulaCheck(Counted):
    """What claims of informations and of bounds share: the law, the names, the domain, and how a point refutes."""

    name: ClassVar[str] = "derivation"
    kind: ClassVar[Kind] = "proof"
    sentence: ClassVar[Sentence] = "law"
    about: ClassVar[type]

    def __init__(self, claim: Claim) -> None:
        super().__init__(claim)
        subject, formula = claim.subject, claim.predicate.formula  # type: ignore[attr-defined]
        self.law: Any = subject.model if isinstance(subject, Model) else subject.exact[0]
        self.symbols: dict[str, sp.Symbol] = {s.name: s for s in self.law.free_symbols}
        self.formula: StatedFormula = formula
        self.theta = [self.symbols[name] for name in formula.of or ()]
        self.domain: ParameterDomain = formula.domain(self.symbols.values())
        if isinstance(self.law, JointLaw):
            # Where the claim speaks of its parameters, a vector's covariance or probabilities may be those of a law.
            narrow = tuple((s, *ends) for s, ends in self.domain.ends if ends != declared(s))
            self.law = replace(self.law, domains=narrow)
        self.claimed: sp.ImmutableMatrix = formula.matrix(self.symbols)

    @classmethod
    def bind(cls, claim: Claim) -> Self | None:
        known = isinstance(claim.subject, Model) or (
            isinstance(claim.subject, Family) and claim.subject.exact is not None
        )
        predicate = claim.predicate
        stated = isinstance(predicate, cls.about) and getattr(predicate, "formula", None) is not None
        return cls(claim) if known and stated else None

    def derived(self) -> FisherInformationMatrix:
        """The information of the law about the parameters of the claim."""
        return fisher_information(self.law, self.theta)

    def settled(
        self,
        truth: Truth,
        detail: str,
        derivation: Derivation | None = None,
        witness: dict[str, Any] | None = None,
    ) -> Evidence:
        """The evidence; steps that stand in no proof are left out of what is undecided."""
        return self.evidence(
            _VERDICT[truth],
            detail,
            of_shape(witness),
            witness=witness,
            derivation=() if derivation is None else tuple(recorded(derivation)),
        )

    def irregular(self, found: FisherInformationMatrix) -> dict[str, Any]:
        """The witness of a law that has no information."""
        return {"kind": "irregular", "reason": found.reason, "subject": self.claim.subject.name}

    def refuting(
        self, derived: sp.Expr, claimed: sp.Expr, falls: Callable[[arb, arb], bool]
    ) -> tuple[dict[str, sp.Expr], arb] | None:
        """A point of the domain at which the law is one and the two certainly differ, and the ball around what was derived."""
        for point in self.domain.points():
            try:
                found, said = enclose(derived, point), enclose(claimed, point)
            except (NotEnclosableError, ArithmeticError, TypeError, ValueError):
                continue
            if found.is_finite() and said.is_finite() and falls(found, said) and self._lawful(point):
                return {s.name: v for s, v in point.items()}, found
        return None

    def _lawful(self, point: Point) -> bool:
        """Whether the law is one at the point: where it is none, nothing is claimed."""
        try:
            if not isinstance(self.law, Law):
                return doubt_of_vector(self.law.at(dict(point))) is None
            fixed = lawful(self.law, dict(point))
            return is_zero(fixed.mass() - 1) is Truth.HOLDS
        except (ValueError, ArithmeticError, TypeError):
            return False

    def witness(
        self, at: Mapping[str, sp.Expr], derived: sp.Expr, ball: arb, relation: str, claimed: str
    ) -> dict[str, Any]:
        """A point, what is derived there and what is claimed, to be evaluated again."""
        said = (
            enclose(self.claimed[0, 0], {self.symbols[n]: v for n, v in at.items()})
            if self.formula.scalar
            else None
        )
        return {
            "kind": "formula at a point",
            "at": {name: sp.sstr(value) for name, value in at.items()},
            "derived": sp.sstr(derived),
            "relation": relation,
            "claimed": claimed,
            "left_value": ball.str(_DIGITS),
            "right_value": "" if said is None else said.str(_DIGITS),
            **self.key(),
        }


class InformationFormula(FormulaCheck):
    """Entry by entry: equal for all parameters, or certainly different at one point."""

    about: ClassVar[type] = FisherInformation

    def judge(self, plan: Any, counts: Counts | None, alpha: float) -> Evidence:
        found = self.derived()
        if found.regular is Truth.FAILS:
            return self.settled(Truth.FAILS, found.reason, found.derivation, self.irregular(found))
        if found.value is None:
            return self._enclosed(found)
        k = found.value.shape[0]
        if self.claimed.shape != (k, k):
            shapes = {"kind": "shape", "claimed": list(self.claimed.shape), "information": [k, k]}
            return self.settled(Truth.FAILS, "", found.derivation, shapes)
        cells = [(i, j) for i in range(k) for j in range(k)]
        for i, j in cells:
            broken = self.refuting(found.value[i, j], self.claimed[i, j], _differ)
            if broken is not None:
                return self._refuted(found, (i, j), *broken)
        steps = [self._step(found, cell) for cell in cells if cell[0] >= cell[1]]
        if any(self.claimed[i, j] != self.claimed[j, i] for i, j in cells):
            steps += [self._step(found, cell) for cell in cells if cell[0] < cell[1]]
        derivation = Derivation(
            self.claim.predicate.sentence(), (*found.derivation.steps, *steps), found.derivation.lemmas
        )
        if found.regular is not Truth.HOLDS:
            return self.settled(
                Truth.UNKNOWN, f"{found.reason}; the derived formula is {sp.sstr(found.value.tolist())}"
            )
        truth = all_hold([found.derivation.check(), *(step.check() for step in steps)])
        truth = truth if truth is Truth.HOLDS else Truth.UNKNOWN
        detail = found.reason if truth is Truth.HOLDS else f"{found.reason}; a step could not be checked"
        near = next(filter(None, (self._rounding(found, cell) for cell in cells)), None)
        if near:
            equal = f"equal only{told(near, ' ')}"
            off = "the claim may be off by more than the rounding of its digits"
            detail += f"; {equal if truth is Truth.HOLDS else off}"
        return self.settled(truth, detail, derivation)

    def _step(self, found: FisherInformationMatrix, cell: tuple[int, int]) -> Step:
        """The derived entry is the claimed one on the whole domain; a claim's decimals are read with the rounding of their digits."""
        assert found.value is not None
        derived, claimed = found.value[cell], self.claimed[cell]
        i, j = cell
        allowed = share_of_text(self.formula.entries[i][j])

        def decide(left: sp.Expr, right: sp.Expr) -> Truth:
            answer = is_zero(self.domain.inside(left - right))
            if answer is not Truth.HOLDS and right != 0:
                ratio = sp.simplify(left / right)
                if ratio.is_number and bool(abs(enclose(ratio) - 1) <= enclose(allowed)):
                    return Truth.HOLDS
            return answer

        shown = sp.sstr(derived), self.formula.entries[i][j]
        reason = f"entry {i + 1}, {j + 1}: {_CLAIMED}{told(self._rounding(found, cell))}"
        return Step(derived, "=", claimed, reason, how=decide, shown=shown)

    def _rounding(self, found: FisherInformationMatrix, cell: tuple[int, int]) -> sp.Expr:
        """The rounding of a claimed entry's digits, zero where it is equal to the derived one."""
        assert found.value is not None
        exact = is_zero(self.domain.inside(found.value[cell] - self.claimed[cell])) is Truth.HOLDS
        return sp.Integer(0) if exact else share_of_text(self.formula.entries[cell[0]][cell[1]])

    def _refuted(
        self, found: FisherInformationMatrix, cell: tuple[int, int], at: Mapping[str, sp.Expr], ball: arb
    ) -> Evidence:
        assert found.value is not None
        i, j = cell
        text = self.formula.entries[i][j]
        failing = Step(
            found.value[cell],
            "=",
            self.claimed[cell],
            f"entry {i + 1}, {j + 1} at {said_at(at)}",
            how=lambda left, right: Truth.FAILS,
            shown=(sp.sstr(found.value[cell]), text),
        )
        derivation = Derivation(
            self.claim.predicate.sentence(), (*found.derivation.steps, failing), found.derivation.lemmas
        )
        if found.regular is not Truth.HOLDS or found.derivation.check() is not Truth.HOLDS:
            detail = (
                f"{found.reason}; the derived formula is {sp.sstr(found.value.tolist())}, not the claimed one"
            )
            return self.settled(Truth.UNKNOWN, detail)
        witness = self.witness(at, found.value[cell], ball, "=", text)
        said = enclose(self.claimed[cell], {self.symbols[n]: v for n, v in at.items()})
        witness["right_value"] = said.str(_DIGITS)
        detail = (
            f"at {said_at(at)} the information (entry {i + 1}, {j + 1}) is {ball.str(8)}, claimed {said.str(8, radius=False)}; "
            f"the derived value is {sp.sstr(found.value[0, 0] if found.value.shape == (1, 1) else found.value.tolist())}"
        )
        return self.settled(Truth.FAILS, detail, derivation, witness)

    def _enclosed(self, found: FisherInformationMatrix) -> Evidence:
        """Without a closed form nothing is proved; balls at a few points may refute."""
        reason = f"the information of this law is not known in closed form: {found.reason}"
        if found.regular is not Truth.HOLDS or self.claimed.shape != (len(self.theta),) * 2:
            return self.settled(Truth.UNKNOWN, reason)
        seen = 0
        for point in itertools.islice(self.domain.points(), _BALLS):
            if not self._lawful(point):
                continue
            try:
                balls = found.enclose(point)
            except (ValueError, ArithmeticError, TypeError):
                continue
            for i, row in enumerate(balls):
                for j, ball in enumerate(row):
                    said = enclose(self.claimed[i, j], point)
                    if said.is_finite() and _differ(ball, said):
                        return self._refuted_in_balls(
                            (i, j), {s.name: v for s, v in point.items()}, ball, said
                        )
            seen += 1
        agrees = (
            f"; at {counted(seen, 'point')} its enclosure agrees with the claim, which proves nothing"
            if seen
            else ""
        )
        return self.settled(Truth.UNKNOWN, reason + agrees)

    def _refuted_in_balls(
        self, cell: tuple[int, int], at: Mapping[str, sp.Expr], ball: arb, said: arb
    ) -> Evidence:
        i, j = cell
        text = self.formula.entries[i][j]
        # The end that lies nearer to the claim: what differs from it differs from all of the ball.
        nearer = ball.lower() if ball > said else ball.upper()
        derived = sp.Rational(nearer.str(30, radius=False))
        failing = Step(
            derived,
            "=",
            self.claimed[cell],
            f"entry {i + 1}, {j + 1} at {said_at(at)}: of the ball {ball.str(12)} the end that is nearer to the claim",
            how=lambda left, right: Truth.FAILS,
            shown=(sp.sstr(derived), text),
        )
        witness = self.witness(at, derived, ball, "=", text)
        witness["right_value"] = said.str(_DIGITS)
        detail = f"at {said_at(at)} the information (entry {i + 1}, {j + 1}) lies in {ball.str(10)}, claimed {said.str(10)}; no closed form is known"
        return self.settled(
            Truth.FAILS, detail, Derivation(self.claim.predicate.sentence(), (failing,)), witness
        )


def of_shape(witness: Mapping[str, Any] | None) -> Measured:
    """How large the information is where the claimed one is of another shape."""
    return Measured(shape=witness["information"]) if witness and "information" in witness else Measured()


def _differ(found: arb, said: arb) -> bool:
    """Whether two balls lie apart by more than a claim's numbers are read to."""
    gap, size = abs(found - said), abs(found).max(abs(said))
    return bool(gap > size * enclose(READING))


def told(allowed: sp.Expr, lead: str = ", ") -> str:
    """The tail of a sentence on what holds only so far: to which share; empty where nothing is allowed."""
    return f"{lead}to a relative {float(allowed):.2g}, the rounding of the claim's digits" if allowed else ""


def said_at(at: Mapping[str, sp.Expr]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in at.items()) or "every point"
