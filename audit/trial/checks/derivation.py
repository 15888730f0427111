"""The proof: the claim derived from the declared law by checked steps."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
import sympy as sp

from ....mechanisms.additive import Additive
from ....mechanisms.family import Family
from ....mechanisms.grid_noise.pair import GridProfile
from ....mechanisms.mechanism import Mechanism, Subject, WorstCase
from ....mechanisms.whole_noise.pair import WholeProfile
from ....symbolic.arrays import Floats
from ....symbolic.claim import Claim
from ....symbolic.errors import counted
from ....symbolic.information.bounds.error_bound import error_bound
from ....symbolic.information.enclosed_bound import near, within
from ....symbolic.information.error_bounds import claimed_bound_truth, cramer_rao, van_trees
from ....symbolic.information.fisher import Information
from ....symbolic.information.irregular import hellinger
from ....symbolic.laws import catalogue as laws
from ....symbolic.predicates import ErrorBound, FisherInformation, Predicate
from ....symbolic.privacy.guarantees import READING, Guarantee
from ....symbolic.privacy.product_pair import ProductLaplaceProfile
from ....symbolic.proof.derivation import Derivation, Step
from ....symbolic.proof.enclosure import compare, enclose, rational
from ....symbolic.proof.proofs.recorded import recorded
from ....symbolic.proof.reading import least, share
from ....symbolic.proof.truth import Truth, all_hold
from ...record.evidence import Evidence, Kind, Sentence, Verdict
from ..check import Counted, Counts
from .remedy import IRREGULAR, bounds, error_remedy, information_remedy, remedy
from .stated_formula import of_shape

Answer = tuple[Truth, Derivation, str, dict[str, Any] | None]

_FAR_BELOW = 1e-9  # of an error bound that is claimed
_VERDICT = {Truth.HOLDS: Verdict.PROVED, Truth.FAILS: Verdict.REFUTED, Truth.UNKNOWN: Verdict.UNDECIDED}


class DerivationCheck(Counted):
    """PROVED only from steps that were all checked just now; REFUTED only by a comparison that certainly fails."""

    name: ClassVar[str] = "derivation"
    kind: ClassVar[Kind] = "proof"
    sentence: ClassVar[Sentence] = "law"

    @classmethod
    def bind(cls, claim: Claim) -> Self | None:
        exact = isinstance(claim.subject, Mechanism) or (
            isinstance(claim.subject, Family) and claim.subject.exact is not None
        )
        known = isinstance(claim.predicate, Guarantee | ErrorBound | FisherInformation)
        if getattr(claim.predicate, "formula", None) is not None:
            return None  # a formula is said of all parameters
        return cls(claim) if exact and known else None

    def judge(self, plan: Any, counts: Counts | None, alpha: float) -> Evidence:
        predicate = self.claim.predicate
        if isinstance(predicate, Guarantee):
            truth, derivation, detail, witness = self._guarantee(predicate)
        elif isinstance(predicate, FisherInformation):
            truth, derivation, detail, witness = self._information(predicate)
        else:
            assert isinstance(predicate, ErrorBound)
            truth, derivation, detail, witness = self._error_bound(predicate)
        measured = of_shape(witness)
        if truth is Truth.FAILS and self.claim.expect == "holds" and not isinstance(predicate, Guarantee):
            measured = measured.model_copy(update={"note": self._mended(predicate)})
        return self.evidence(
            _VERDICT[truth], detail, measured, witness=witness, derivation=tuple(recorded(derivation))
        )

    def _guarantee(self, guarantee: Guarantee) -> Answer:
        worst = self.claim.subject.worst_case()
        if worst is None:
            reason = "no exact worst pair of neighbours is known for this mechanism"
            return Truth.UNKNOWN, Derivation("", ()), reason, None
        decisive = guarantee.inequality(worst.pair)
        if decisive.check() is Truth.FAILS:
            derivation = Derivation(guarantee.sentence(), (*worst.pair.steps(), decisive), worst.lemmas)
            # A control is false on purpose.
            mended = remedy(self.claim.subject, guarantee) if self.claim.expect == "holds" else ""
            detail = (
                f"at neighbours that exist it is false that {decisive.reason}{'; ' if mended else ''}{mended}"
            )
            return Truth.FAILS, derivation, detail, _inequality(decisive)
        bounding = bounds(worst)
        # One bound that decides is enough; the first is shown if none does.
        bound = next((pair for pair in bounding if guarantee.holds(pair) is Truth.HOLDS), bounding[0])
        proof = guarantee.prove(bound)
        proof = Derivation(proof.conclusion, (*worst.steps, *proof.steps), (*worst.lemmas, *proof.lemmas))
        truth = all_hold([proof.check()])
        # A failing premise means that the proof is wrong, not that the claim is.
        truth = truth if truth is Truth.HOLDS else Truth.UNKNOWN
        words = f"{counted(len(proof.steps), 'step')}, {counted(len(proof.lemmas), 'cited lemma')}"
        return truth, proof, f"{words}; {guarantee.as_proved()}" if truth is Truth.HOLDS else words, None

    def _proved(self, subject: Subject, predicate: Predicate) -> bool:
        # A control, so that nothing is sought that would mend it in turn.
        claim = replace(self.claim, subject=subject, predicate=predicate, expect="falls")
        return type(self)(claim).judge(None, None, 0.0).verdict is Verdict.PROVED

    def _mended(self, predicate: Predicate) -> str:
        """What would make a refuted error bound or information true."""
        known = self._known_information()
        if isinstance(predicate, FisherInformation):
            if known is None or known.numeric is None:
                return IRREGULAR
            return information_remedy(self.claim.subject, predicate, known.numeric, self._proved)
        assert isinstance(predicate, ErrorBound)
        # Of a claim far below the derivation ends with the bound that there is.
        truth, derivation, _, _ = self._error_bound(replace(predicate, value=predicate.value * _FAR_BELOW))
        if truth is not Truth.HOLDS:
            return ""
        return error_remedy(self.claim.subject, predicate, float(derivation.steps[-1].left), self._proved)

    def _known_information(self) -> Information | None:
        subject = self.claim.subject
        known: Information | None = (
            subject.information() if isinstance(subject, Family) else subject.noise_information()
        )
        return known

    def _information(self, predicate: FisherInformation) -> Answer:
        known = self._known_information()
        if known is None:
            return (
                Truth.UNKNOWN,
                Derivation("", ()),
                "the information of this release about its input is not derived here",
                None,
            )
        if known.regular is not Truth.HOLDS or known.value is None:
            witness = {"kind": "irregular", "reason": known.reason, "subject": self.claim.subject.name}
            truth = Truth.FAILS if known.regular is Truth.FAILS else Truth.UNKNOWN
            return truth, known.derivation, known.reason, witness if truth is Truth.FAILS else None
        claimed = predicate.matrix()
        if known.value.shape != claimed.shape:
            return (
                Truth.FAILS,
                known.derivation,
                "",
                {"kind": "shape", "claimed": list(claimed.shape), "information": list(known.value.shape)},
            )
        if known.value.has(sp.Integral):
            reason = "the information has no closed form here: it was computed, not proved"
            return Truth.UNKNOWN, known.derivation, reason, None
        cells = [(i, j) for i in range(len(claimed)) for j in range(len(claimed))]
        truths = {cell: self._compared(known, claimed, cell) for cell in cells}
        failing = next((cell for cell in cells if truths[cell] is Truth.FAILS), None)
        steps = [self._entry(known, claimed, cell) for cell in ([failing] if failing else cells[:12])]
        derivation = Derivation(
            predicate.sentence(), (*known.derivation.steps, *steps), known.derivation.lemmas
        )
        if failing is not None and known.derivation.check() is Truth.HOLDS:
            return (
                Truth.FAILS,
                derivation,
                "an entry of the information differs from the claim",
                _inequality(steps[0]),
            )
        truth = all_hold([known.derivation.check(), *truths.values()])
        return truth if truth is Truth.HOLDS else Truth.UNKNOWN, derivation, known.reason, None

    @classmethod
    def _compared(cls, known: Information, claimed: Floats, cell: tuple[int, int]) -> Truth:
        """Whether an entry is the claimed one, by its ball where there is one."""
        if known.enclosed is not None:
            ball, target = known.enclosed.information[cell], rational(float(claimed[cell]))
            if within(ball, target, share(float(claimed[cell]))) is Truth.HOLDS:
                return Truth.HOLDS
            # Beyond the rounding of its digits nothing is proved, and within 1e-12 nothing refuted.
            excused = within(ball, target, READING) is not Truth.FAILS or near(ball, target, known.error)
            return Truth.UNKNOWN if excused else Truth.FAILS
        return cls._entry(known, claimed, cell).check()

    @classmethod
    def _entry(cls, known: Information, claimed: Floats, cell: tuple[int, int]) -> Step:
        """|I_ij - claimed| is at most the rounding of the claim's digits, and never more than 1e-12 of it.

        The error of `known` bounds what the derived entry itself may be off by: a smaller difference refutes nothing.
        """
        assert known.value is not None
        value, target = known.value[cell], rational(float(claimed[cell]))

        def decide(left: sp.Expr, right: sp.Expr) -> Truth:
            answer = compare(left, "<=", right)
            if known.enclosed is not None:
                certain = cls._compared(known, claimed, cell)
                return certain if certain is answer else Truth.UNKNOWN
            excused = answer is Truth.FAILS and (
                compare(left, "<=", size * READING) is not Truth.FAILS
                or (known.error > 0 and compare(left, "<=", rational(known.error)) is not Truth.FAILS)
            )
            return Truth.UNKNOWN if excused else answer

        size = sp.Max(sp.Abs(target), sp.Abs(value))
        reason = "the derived entry is the claimed one, up to the rounding of its digits, at most 1e-12 of it"
        return Step(sp.Abs(value - target), "<=", size * share(float(claimed[cell])), reason, how=decide)

    def _error_bound(self, predicate: ErrorBound) -> Answer:
        known = self._known_information()
        if known is None:
            return (
                Truth.UNKNOWN,
                Derivation("", ()),
                "the information of this release about its input is not derived here",
                None,
            )
        if predicate.adversary in ("minimax", "bayes"):
            return self._any_adversary(predicate, known)
        variance = self.claim.subject.noise_variance()
        attained = False
        exact = known.value is not None and known.regular is Truth.HOLDS and known.enclosed is None
        if variance is not None and exact:
            bound = cramer_rao(known, weight=predicate.weight).value
            total = sp.trace(_weight(predicate, len(variance)) * sp.diag(*variance))
            attained = bound is not None and compare(bound, "=", total) is Truth.HOLDS
        if known.regular is Truth.FAILS:
            return self._irregular(known)
        truth, derivation = claimed_bound_truth(known, predicate, attained)
        witness = None
        if truth is Truth.FAILS:
            last = derivation.steps[-1]
            witness = _inequality(Step(last.left, last.relation, last.right, last.reason))
            return truth, derivation, "the unbiased estimator y - E[w] attains a smaller error", witness
        return truth, derivation, derivation.conclusion, None

    def _irregular(self, known: Information) -> Answer:
        """No Cramer-Rao bound exists; a two-point bound says what holds for all adversaries instead."""
        subject = self.claim.subject
        law = subject.law(np.zeros(subject.dimension)) if isinstance(subject, Additive) else None
        if isinstance(subject, Family) and subject.exact is not None and len(subject.exact[1]) == 1:
            family, (symbol,) = subject.exact
            try:
                at = {symbol: rational(float(subject.theta[0]))}
                nested = error_bound(family, [symbol], symbol, "chapman-robbins", at=at)
            except ValueError as trouble:
                return Truth.UNKNOWN, Derivation(known.reason, ()), f"{known.reason}; {trouble}", None
            if nested.status == "bound":
                detail = f"{known.reason}. What can be said instead, of unbiased adversaries: Chapman-Robbins gives at least {nested.numeric:.4g}"
                return Truth.UNKNOWN, nested.derivation, detail, None
        noise = getattr(law, "noise", None)
        if noise is None or noise.discrete:
            return Truth.UNKNOWN, Derivation(known.reason, ()), known.reason, None
        low, high = (rational(round(float(q), 6)) for q in noise.quantile([0.25, 0.75]))
        theta = sp.Symbol("theta", real=True)
        try:
            instead = hellinger(noise.shift(theta), theta, (sp.Integer(0), high - low))
        except ValueError:
            return Truth.UNKNOWN, Derivation(known.reason, ()), known.reason, None
        detail = (
            f"{known.reason}. What can be said instead, of all adversaries and per entry: over inputs {float(high - low):.4g} apart the worst "
            f"mean squared error is at least {float(instead.value or 0):.4g} ({instead.reason})"
        )
        return Truth.UNKNOWN, instead.derivation, detail, None

    def _any_adversary(self, predicate: ErrorBound, known: Information) -> Answer:
        """van Trees from below; the best linear estimator, whose risk is known exactly, from above."""
        variance = self.claim.subject.noise_variance()
        if known.value is None or known.regular is not Truth.HOLDS or variance is None:
            return Truth.UNKNOWN, Derivation("", ()), known.reason, None
        d, pi = len(variance), _weight(predicate, len(variance))
        if predicate.adversary == "minimax":
            assert predicate.domain is not None
            ends = [np.broadcast_to(np.asarray(e, dtype=float), (d,)) for e in predicate.domain]
            priors = [
                laws.cosine_squared(rational(float(a)), rational(float(b)))
                for a, b in zip(*ends, strict=True)
            ]
            spread = [(rational(float(b)) - rational(float(a))) ** 2 / 4 for a, b in zip(*ends, strict=True)]
        else:
            priors = (
                [predicate.prior] * d
                if not isinstance(predicate.prior, list | tuple)
                else list(predicate.prior)
            )
            spread = [p.variance() for p in priors]
        reachable = sum(
            (pi[i, i] * v * s / (v + s) for i, (v, s) in enumerate(zip(variance, spread, strict=True))),
            sp.Integer(0),
        )
        target = least(predicate.value)
        # With weights between entries their errors add up in ways that the sum over entries does not see.
        separate = not any(pi[i, j] for i in range(d) for j in range(d) if i != j)
        beaten = Step(
            reachable,
            ">=",
            rational(predicate.value) * (1 - READING),
            "the best linear estimator shrinks towards the middle: its largest (mean) error is v s/(v + s) per entry",
        )
        if separate and not reachable.has(sp.Integral) and beaten.check() is Truth.FAILS:
            derivation = Derivation(predicate.sentence(), (beaten,))
            return Truth.FAILS, derivation, "a linear estimator has a smaller error", _inequality(beaten)
        lower = van_trees(known, priors, weight=predicate.weight)
        if lower.value is None:
            return Truth.UNKNOWN, lower.derivation, lower.reason, None
        last = Step(lower.value, ">=", target, "the van Trees bound is at least the claimed error")
        derivation = Derivation(
            predicate.sentence(), (*lower.derivation.steps, last), lower.derivation.lemmas
        )
        truth = derivation.check()
        return (
            truth if truth is Truth.HOLDS else Truth.UNKNOWN,
            derivation,
            "van Trees inequality"
            + (
                ""
                if truth is Truth.HOLDS
                else " does not reach the claim, and no linear estimator refutes it"
            ),
            None,
        )


def settled(guarantee: Guarantee, worst: WorstCase) -> bool:
    """Whether the attained pair or a bound of all pairs decides the guarantee in closed form, on the attained pair at least."""
    if guarantee.inequality(worst.pair).check() is not Truth.UNKNOWN:
        return True
    return any(guarantee.holds(pair) is Truth.HOLDS for pair in bounds(worst))


def _weight(predicate: ErrorBound, d: int) -> sp.Matrix:
    if predicate.weight is None:
        return sp.eye(d)
    return sp.Matrix(np.asarray(predicate.weight, dtype=float).tolist()).applyfunc(
        lambda v: rational(float(v))
    )


def _inequality(step: Step) -> dict[str, Any]:
    """A failing comparison of two constants as data; its numbers are shown beside the exact expressions."""
    shown = {}
    for side, value in (("left", step.left), ("right", step.right)):
        shown[f"{side}_value"] = "unbounded" if value is sp.oo else enclose(value).str(15)
    if isinstance(step.left, GridProfile | WholeProfile) and step.left.word == "delta":
        return {
            "kind": step.left.witness,
            "columns": step.left.columns_as_data(),
            "epsilon": sp.sstr(step.left.args[0]),
            "claimed": sp.sstr(step.right),
            **shown,
        }
    if isinstance(step.left, ProductLaplaceProfile):
        ratios = [{"ratio": sp.sstr(r), "entries": n} for r, n in step.left.groups]
        epsilon = sp.sstr(step.left.args[0])
        return {
            "kind": "product profile",
            "ratios": ratios,
            "epsilon": epsilon,
            "claimed": sp.sstr(step.right),
            **shown,
        }
    return {
        "kind": "inequality",
        "left": sp.sstr(step.left),
        "relation": step.relation,
        "right": sp.sstr(step.right),
        **shown,
    }
