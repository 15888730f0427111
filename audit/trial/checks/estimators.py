"""Adversaries that estimate the private record: unbiased ones against the bound, and those who know a range or a prior.

The mean of an unbounded error has no finite-sample upper bound, so nothing here refutes a claim about unbiased
adversaries: that is the business of the derivation and of the information check.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal, Self

import numpy as np
from scipy import special

from ....mechanisms.mechanism import Mechanism
from ....symbolic.arrays import Floats
from ....symbolic.claim import Claim
from ....symbolic.predicates import ErrorBound
from ...record.evidence import Evidence, Interval, Line, Measured, Series, Verdict
from ..check import Counted, Counts
from ..outcomes import Outcomes
from .information import information_inputs


@dataclass(frozen=True)
class Adversary:
    """A named estimator of the record from the released one; `unbiased` by derivation, from the declared law."""

    name: str
    unbiased: bool
    knows: str


class Estimators(Counted):
    """Measured errors of adversaries, with normal-theory intervals, beside the claimed bound."""

    name: ClassVar[str] = "estimators"

    def __init__(self, claim: Claim) -> None:
        super().__init__(claim)
        found = information_inputs(claim)
        self._inputs = found or tuple(np.asarray(x, dtype=float) for x in self._corners())

    @classmethod
    def bind(cls, claim: Claim) -> Self | None:
        if (
            not isinstance(claim.predicate, ErrorBound)
            or not isinstance(claim.subject, Mechanism)
            or claim.about == "law"
        ):
            return None
        return cls(claim) if claim.subject.coordinatewise else None

    def inputs(self) -> tuple[Any, ...]:
        return self._inputs

    def _corners(self) -> tuple[Any, Any]:
        domain = self._domain()
        return domain if domain is not None else self.claim.subject.neighbours()[0]

    def _domain(self) -> tuple[Floats, Floats] | None:
        predicate, subject = self.claim.predicate, self.claim.subject
        assert isinstance(predicate, ErrorBound)
        given = predicate.domain if predicate.domain is not None else subject.domain
        if given is None:
            return None
        return tuple(np.broadcast_to(np.asarray(e, dtype=float), (subject.dimension,)) for e in given)  # type: ignore[return-value]

    def _records(self) -> Floats | None:
        records = self.claim.subject.records
        return None if records is None else np.asarray(records, dtype=float)

    def _weight(self) -> Floats:
        assert isinstance(self.claim.predicate, ErrorBound)
        pi = self.claim.predicate.weight
        return (
            np.eye(self.claim.subject.dimension) if pi is None else np.atleast_2d(np.asarray(pi, dtype=float))
        )

    def adversaries(self) -> list[Adversary]:
        """Who plays; the order of the counts."""
        out = [Adversary("unbiased: the outcome less the mean noise", True, "the law of the noise")]
        if self._domain() is not None:
            out += [
                Adversary("clipped to the ranges", False, "the public ranges"),
                Adversary("shrunk towards the midpoint", False, "the public ranges"),
                Adversary("always answers the midpoint", False, "the public ranges"),
            ]
        if self._records() is not None:
            out += [
                Adversary("always answers the average record", False, "the average record"),
                Adversary("best linear guess", False, "mean and variance of the records"),
            ]
        return out

    @cached_property
    def _noise(self) -> tuple[float, Floats]:
        """Mean of the noise and variance of each entry (d,), worked out once: they are exact integrals."""
        subject = self.claim.subject
        variance = subject.noise_variance() or [np.inf] * subject.dimension
        return subject.noise_mean(), np.array([float(v) for v in variance])

    def _guesses(self, y: Floats) -> list[Floats]:
        """One array (n, d) of estimates per adversary, from released rows y (n, d)."""
        mean_noise, noise = self._noise
        unbiased = y - mean_noise
        guesses = [unbiased]
        domain = self._domain()
        if domain is not None:
            middle, spread = (domain[0] + domain[1]) / 2, ((domain[1] - domain[0]) / 2) ** 2
            keep = np.where(np.isfinite(noise), spread / (spread + noise), 0.0)
            guesses += [
                np.clip(unbiased, *domain),
                middle + keep * (unbiased - middle),
                np.broadcast_to(middle, y.shape),
            ]
        records = self._records()
        if records is not None:
            mean, variance = records.mean(axis=0), records.var(axis=0)
            keep = np.where(np.isfinite(noise), variance / (variance + noise), 0.0)
            guesses += [np.broadcast_to(mean, y.shape), mean + keep * (unbiased - mean)]
        return guesses

    def count(self, plan: Any, unit: Sequence[Outcomes], rng: np.random.Generator) -> Counts:
        """Per adversary the sums of errors and of their squares; the noise of the code is laid on real records if there are any."""
        pi, records = self._weight(), self._records()
        rows: list[Floats] = []
        for x, sample in zip(self.inputs(), unit, strict=True):
            if sample.values.shape[1] != len(pi) or not sample.plain().all():
                rows.append(np.full((len(self.adversaries()), 3), np.nan))
                continue
            truth = np.broadcast_to(np.asarray(x, dtype=float), sample.values.shape)
            y = sample.values
            if records is not None:
                chosen = records[np.arange(len(y)) % len(records)]
                y, truth = y - truth + chosen, chosen
            errors = [_weighted_square(g - truth, pi) for g in self._guesses(y)]
            rows.append(np.array([[e.sum(), (e * e).sum(), len(e)] for e in errors]))
        return np.asarray(np.sum(rows, axis=0), dtype=float)

    def judge(self, plan: Any, counts: Counts | None, alpha: float) -> Evidence:
        assert counts is not None
        predicate = self.claim.predicate
        assert isinstance(predicate, ErrorBound)
        n = counts[:, 2]
        mean = counts[:, 0] / n
        half = -special.ndtri(alpha / 2 / len(n)) * np.sqrt(np.maximum(counts[:, 1] / n - mean**2, 0.0) / n)
        adversaries = self.adversaries()
        bound, all_play = predicate.value, predicate.adversary in ("minimax", "bayes")
        why = "the mean of unbounded errors has no upper confidence bound"
        if all_play:
            over = "average over a prior" if predicate.adversary == "bayes" else "worst case"
            why = f"an error at the tested inputs does not refute a bound on the {over}"
        others = "those who know ranges or a prior are not unbiased: they refute nothing here"
        relevant = [i for i, a in enumerate(adversaries) if a.unbiased or all_play]
        below = [i for i in relevant if mean[i] + half[i] < bound]
        if not np.all(np.isfinite(mean)):
            verdict, text = (
                Verdict.UNDECIDED,
                "outcomes are not vectors of finite numbers: no errors to measure",
            )
        elif below:
            verdict, text = (
                Verdict.UNDECIDED,
                f'the error of "{adversaries[below[0]].name}" is significantly below the bound, which alone refutes nothing: {why}',
            )
        else:
            verdict, text = Verdict.SURVIVED, ""
        rows = [
            Interval(name=a.name, value=float(m), half=float(h))
            for a, m, h in zip(adversaries, mean, half, strict=True)
        ]
        place = "on the records of the table" if self._records() is not None else "at the tested inputs"
        return self.evidence(
            verdict,
            text,
            Measured(
                way=place, probability=1 - alpha, claimed=bound, rows=rows, note=others * (not all_play)
            ),
            series=(self._figure(adversaries, mean, half, bound),) if np.all(np.isfinite(mean)) else (),
        )

    def _figure(self, adversaries: list[Adversary], mean: Floats, half: Floats, bound: float) -> Series:
        k = len(adversaries)
        lines = [Line("claimed bound", "bound", (0.5, k + 0.5), (bound, bound))]
        for i, a in enumerate(adversaries):
            role: Literal["measured", "attack"] = "measured" if a.unbiased else "attack"
            low = (max(float(mean[i] - half[i]), 0.0),)
            lines.append(
                Line(
                    f"{i + 1}: {a.name}",
                    role,
                    (i + 1.0,),
                    (float(mean[i]),),
                    low,
                    (float(mean[i] + half[i]),),
                )
            )
        return Series(
            "estimator error",
            f"Adversaries' errors: {self.claim.subject.name}",
            "adversary",
            "mean squared error",
            tuple(lines),
            y_scale="log",
        )


def _weighted_square(error: Floats, pi: Floats) -> Floats:
    """e' Pi e for each row e."""
    diagonal = np.diag(pi)
    if not np.any(pi - np.diag(diagonal)):
        return np.asarray(np.square(error) @ diagonal, dtype=float)
    return np.asarray(((error @ pi) * error).sum(axis=1), dtype=float)
