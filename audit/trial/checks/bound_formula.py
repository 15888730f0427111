"""The proof of a claimed error bound: at most the one that is derived, for all parameters of the claim's domain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import sympy as sp
from flint import arb

from ....symbolic.information.bounds.error_bound import error_bound
from ....symbolic.information.error_bounds import LowerBound, cramer_rao, informed, van_trees
from ....symbolic.information.fisher import Information
from ....symbolic.information.model_information import FisherInformationMatrix
from ....symbolic.information.unbiased_estimators import UnbiasedEstimator, unbiased_estimators
from ....symbolic.laws.law import Law
from ....symbolic.predicates import ErrorBound
from ....symbolic.proof.derivation import Derivation, Step
from ....symbolic.proof.enclosure import enclose, rational
from ....symbolic.proof.nonnegative import nonnegative
from ....symbolic.proof.reading import READING, share_of_text
from ....symbolic.proof.truth import Truth
from ...record.evidence import Evidence
from ..check import Counts
from .stated_formula import FormulaCheck, said_at, told

EVERYWHERE = "unbiased everywhere"
_KINDS = ("cramer-rao", "bhattacharyya", "chapman-robbins", "barankin")
_INSTEAD = 'adversaries who are unbiased at all parameters can be bound: against="unbiased everywhere"'


class BoundFormula(FormulaCheck):
    """PROVED by a derived bound that is nowhere smaller; REFUTED by an unbiased estimator whose error certainly is, at one point."""

    about: ClassVar[type] = ErrorBound

    def judge(self, plan: Any, counts: Counts | None, alpha: float) -> Evidence:
        predicate, k = self.claim.predicate, len(self.theta)
        assert isinstance(predicate, ErrorBound)
        if predicate.weight is not None and np.shape(predicate.weight)[0] != k:
            return self.settled(
                Truth.UNKNOWN, f"weight has {np.shape(predicate.weight)[0]} rows, about {k} parameters"
            )
        found = self.derived()
        if predicate.adversary == EVERYWHERE and (said := self._everywhere(predicate, found)) is not None:
            return said
        if found.regular is Truth.FAILS:
            return self.settled(Truth.UNKNOWN, f"{found.reason}; {_INSTEAD}", found.derivation)
        if found.value is None:
            reason = f"the information of this law is not known in closed form: {found.reason}"
            return self.settled(Truth.UNKNOWN, reason)
        bound = self._bound(predicate, found)
        if bound.value is None:
            return self.settled(Truth.UNKNOWN, bound.reason, None)
        claimed = self.claimed[0, 0]
        steps = (*bound.derivation.steps, self._step(bound.value))
        derivation = Derivation(predicate.sentence(), steps, bound.derivation.lemmas)
        if derivation.check() is Truth.HOLDS and found.regular is Truth.HOLDS:
            return self.settled(Truth.HOLDS, f"{bound.reason}{self._empty()}", derivation)
        broken = self._beaten(predicate, found)
        return broken if broken is not None else self._open(bound, claimed)

    def _everywhere(self, predicate: ErrorBound, found: FisherInformationMatrix) -> Evidence | None:
        """The claim from bounds that compare several parameters; None where the bound at one parameter has to decide."""
        if len(self.theta) > 1 or predicate.weight is not None:
            return None
        reached = []
        for kind in _KINDS:
            bound = error_bound(self.law, self.theta[0], self.theta[0], kind)
            value = bound.value
            if bound.status != "bound" or not isinstance(value, sp.Expr):
                continue
            if not value.free_symbols <= self.law.free_symbols:
                continue
            steps = (*bound.derivation.steps, self._step(value))
            derivation = Derivation(predicate.sentence(), steps, bound.derivation.lemmas)
            if derivation.check() is Truth.HOLDS:
                return self.settled(Truth.HOLDS, f"{kind}: {bound.reason}{self._empty()}", derivation)
            reached.append(f"{kind} gives {sp.sstr(value)}")
        broken = self._beaten(predicate, found)
        told = "; ".join(reached) or found.reason
        return broken or self.settled(Truth.UNKNOWN, f"no bound that is known here reaches the claim: {told}")

    def _step(self, value: sp.Expr) -> Step:
        allowed = share_of_text(self.formula.said())
        return Step(
            value,
            ">=",
            self.claimed[0, 0],
            f"the derived bound is nowhere below the claimed one{told(allowed)}",
            how=lambda left, right: nonnegative(self.domain.inside(left - right * (1 - allowed))),
            shown=(sp.sstr(value), self.formula.said()),
        )

    def _bound(self, predicate: ErrorBound, found: FisherInformationMatrix) -> LowerBound:
        weight = (
            None if predicate.weight is None else np.atleast_2d(np.asarray(predicate.weight, dtype=float))
        )
        known = Information(found.value, None, found.regular, found.reason, found.derivation)
        if predicate.adversary in ("unbiased", EVERYWHERE):
            return cramer_rao(known, weight=weight)
        if predicate.adversary == "informed":
            return informed(known, weight=weight)
        none = Derivation("", ())
        if predicate.adversary == "minimax":
            reason = "a bound on the worst case over a domain is not derived for laws here: claim one on average over a prior"
            return LowerBound(None, "unknown", reason, none)
        priors = list(predicate.prior) if isinstance(predicate.prior, list | tuple) else [predicate.prior]
        if not all(isinstance(prior, Law) for prior in priors) or len(priors) != len(self.theta):
            reason = f"a prior for each of {len(self.theta)} parameters is needed, got {len(priors)}"
            return LowerBound(None, "unknown", reason, none)
        return van_trees(known, priors, self.theta, weight=weight)

    def _beaten(self, predicate: ErrorBound, found: FisherInformationMatrix) -> Evidence | None:
        """A refutation by estimators that are unbiased everywhere, one for each parameter; None if none is known to do better."""
        pi = sp.eye(len(self.theta)) if predicate.weight is None else _exact(predicate.weight)
        if (
            predicate.adversary not in ("unbiased", "informed", EVERYWHERE)
            or not isinstance(self.law, Law)
            or not pi.is_diagonal()
        ):
            return None
        # Whoever knows the other entries may use them.
        unknown = [self.theta if predicate.adversary != "informed" else [p] for p in self.theta]
        choices = [unbiased_estimators(self.law, p, u) for p, u in zip(self.theta, unknown, strict=True)]
        if not all(choices):
            return None
        for first in choices[0]:
            chosen = [first, *(c[0] for c in choices[1:])]
            error = sp.Add(*(pi[i, i] * one.variance for i, one in enumerate(chosen)))
            broken = self.refuting(error, self.claimed[0, 0], _below)
            if broken is not None:
                return self._refuted(chosen, error, *broken)
        return None

    def _refuted(
        self, chosen: Sequence[UnbiasedEstimator], error: sp.Expr, at: Mapping[str, sp.Expr], ball: arb
    ) -> Evidence | None:
        steps = [s for one in chosen for s in one.steps]
        if Derivation("", tuple(steps)).check() is not Truth.HOLDS:
            return None
        told = ", ".join(f"{one.estimator} for {one.parameter}" for one in chosen)
        failing = Step(
            error,
            ">=",
            self.claimed[0, 0],
            f"the error of {told}, at {said_at(at)}",
            how=lambda left, right: Truth.FAILS,
            shown=(sp.sstr(error), self.formula.said()),
        )
        said = enclose(self.claimed[0, 0], {self.symbols[n]: v for n, v in at.items()})
        detail = f"unbiased for all parameters: {told}; at {said_at(at)} its error is {ball.str(8)}, claimed at least {said.str(8, radius=False)}"
        witness = self.witness(at, error, ball, ">=", self.formula.said())
        derivation = Derivation(self.claim.predicate.sentence(), (*steps, failing))
        return self.settled(Truth.FAILS, detail, derivation, witness)

    def _open(self, bound: LowerBound, claimed: sp.Expr) -> Evidence:
        """Why the claim is open, and what was derived."""
        below = self.refuting(bound.value, claimed, _below) if bound.value is not None else None
        derived = f"the derived bound is {sp.sstr(bound.value)}"
        if below is None:
            return self.settled(
                Truth.UNKNOWN,
                f"{derived}; that it is nowhere below the claimed one could be neither proved nor refuted",
            )
        at, ball = below
        where = (
            f"at {said_at(at)} it is {ball.str(8)}, less than claimed" if at else "it is less than claimed"
        )
        unbiased = self.claim.predicate.adversary in ("unbiased", "informed")  # type: ignore[attr-defined]
        reached = "; an estimator that is unbiased only at this value attains the derived bound; no estimator that is unbiased at all values is known here whose error is below the claim"
        return self.settled(Truth.UNKNOWN, f"{derived}: {where}{reached if unbiased else ''}")

    def _empty(self) -> str:
        """Where the claim says nothing, in words."""
        found = self.refuting(self.claimed[0, 0], sp.Integer(0), lambda value, _zero: bool(value < 0))
        return "" if found is None else f"; at {said_at(found[0])} the formula is negative and says nothing"


def _below(found: arb, said: arb) -> bool:
    """Whether what was found is certainly smaller, by more than a claim's numbers are read to."""
    return bool(found < said * (1 - enclose(READING)))


def _exact(weight: Any) -> sp.Matrix:
    return sp.Matrix(np.asarray(weight, dtype=float).tolist()).applyfunc(lambda v: rational(float(v)))
