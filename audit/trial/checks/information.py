"""The information of the code, bounded from below by histograms that move with the parameter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from ....mechanisms.family import Family
from ....symbolic.arrays import Floats
from ....symbolic.claim import Claim
from ....symbolic.information.fisher import Information
from ....symbolic.predicates import ErrorBound, FisherInformation, Predicate
from ....symbolic.proof.truth import Truth
from ...record.evidence import HALF, SCALED_NOISE, Evidence, Line, Measured, Resolution, Series, Verdict
from ...record.plain import shown
from ..attack.angle import angle_lower_bounds
from ..check import Counted, Counts
from ..outcomes import Outcomes, widen
from .resolution import smallest_factor

_CELLS = 12


@dataclass(frozen=True)
class Cells:
    """Inner edges of the cells per entry (d, cells - 1) and the counts that the learning sample had in them."""

    edges: Floats
    prior: Floats


def step_sizes(claim: Claim) -> Floats:
    """How far the parameter is moved, entry by entry: about one deviation of the best estimate that is claimed possible."""
    predicate, subject = claim.predicate, claim.subject
    d = int(subject.dimension)
    if isinstance(predicate, FisherInformation):
        information = (
            np.broadcast_to(np.diag(predicate.matrix()), (d,))
            if predicate.matrix().shape[0] in (1, d)
            else np.ones(d)
        )
        return 1 / np.sqrt(np.maximum(information, 1e-300))
    assert isinstance(predicate, ErrorBound)
    known = subject.noise_information()
    if known is not None and known.numeric is not None:
        return np.asarray(1 / np.sqrt(np.diag(known.numeric)) / needless_noise(predicate, known))
    return np.asarray(np.sqrt(predicate.value / d / _weights(predicate, d)))


def needless_noise(predicate: ErrorBound, known: Information) -> float:
    """By what factor >= 1 the declared noise could be divided before the claimed error is in reach; 1 where that is not known."""
    if known.numeric is None or predicate.value == 0:
        return 1.0
    entries = np.diag(known.numeric)
    slack = error_reachable(entries, _weights(predicate, len(entries))) / predicate.value
    return float(np.sqrt(slack)) if 1 + 1e-9 < slack < np.inf else 1.0


def _weights(predicate: ErrorBound, d: int) -> Floats:
    return (
        np.ones(d)
        if predicate.weight is None
        else np.diag(np.atleast_2d(np.asarray(predicate.weight, dtype=float)))
    )


def limits_information(predicate: Predicate) -> bool:
    """Whether outcomes with too much information break it, entry by entry; a formula is followed along a path instead."""
    if getattr(predicate, "formula", None) is not None:
        return False
    if not isinstance(predicate, ErrorBound):
        return isinstance(predicate, FisherInformation)
    pi = np.zeros((1, 1)) if predicate.weight is None else np.atleast_2d(np.asarray(predicate.weight))
    return (
        predicate.adversary in ("unbiased", "informed")
        and predicate.value > 0
        and not np.any(pi - np.diag(np.diag(pi)))
    )


def information_inputs(claim: Claim) -> tuple[Any, ...]:
    """Two parameters, all entries moved at once, for releases whose i-th entry depends on the i-th parameter only."""
    subject = claim.subject
    if not limits_information(claim.predicate):
        return ()
    if isinstance(subject, Family):
        if not subject.can_sample or not (subject.location or subject.scalar):
            return ()
        half = step_sizes(claim) / 2
        return subject.index(subject.theta - half), subject.index(subject.theta + half)
    if not subject.coordinatewise:
        return ()
    domain = subject.domain
    centre = np.zeros(subject.dimension) if domain is None else (domain[0] + domain[1]) / 2
    half = step_sizes(claim) / 2
    return centre - half, centre + half


class InformationCheck(Counted):
    """What the ways of bounding the information of code share: what a bound says of the claim, and when it says nothing."""

    name: ClassVar[str] = "information"

    def __init__(self, claim: Claim) -> None:
        super().__init__(claim)
        self._inputs: tuple[Any, ...] = ()
        self._steps = np.ones(1)

    def inputs(self) -> tuple[Any, ...]:
        return self._inputs

    def _excuse(self) -> str:
        """Why information above the claim does not refute it, if so."""
        subject, predicate = self.claim.subject, self.claim.predicate
        if isinstance(subject, Family) and not subject.location:
            return "this is an average over the interval between the two parameters, the claim speaks of one parameter only: no number of samples decides it; declare location=True if outcomes are the parameter plus noise"
        known = subject.noise_information() if isinstance(predicate, ErrorBound) else None
        if known is not None and known.numeric is not None and known.regular is Truth.HOLDS:
            assert isinstance(predicate, ErrorBound)
            declared = error_reachable(np.diag(known.numeric), _weights(predicate, len(self._steps)))
            if predicate.value > declared * (1 + 1e-9):
                return (
                    f"the claim lies above the Cramer-Rao bound {declared:.6g} of the declared law: adversaries who are unbiased everywhere "
                    "may be held back by more than their information, so that this is no refutation"
                )
        return ""

    def _compare(self, information: Floats) -> tuple[bool, dict[str, Any]]:
        """Whether the claim cannot be true of a code with at least this much information."""
        predicate = self.claim.predicate
        if isinstance(predicate, FisherInformation):
            claimed = np.diag(predicate.matrix())
            if claimed.shape != information.shape:
                return False, {"shape": [len(claimed), len(information)]}
            worst = int(np.argmax(information - claimed))
            sides = {"found": float(information[worst]), "claimed": float(claimed[worst])}
            return bool(np.any(information > claimed * (1 + 1e-12))), {"entry": worst + 1, **sides}
        assert isinstance(predicate, ErrorBound)
        reachable = error_reachable(information, _weights(predicate, len(information)))
        sides = {"found": reachable, "claimed": predicate.value}
        return bool(reachable < predicate.value * (1 - 1e-12)), sides

    def _found(
        self,
        verdict: Verdict,
        reason: str,
        measured: Measured,
        information: Floats,
        histograms: dict[str, Any],
        resolution: Resolution | None,
        alpha: float,
    ) -> Evidence:
        """The evidence of a bound on the information of each entry (d,); `histograms` are the data of its witness."""
        subject, witness = self.claim.subject, None
        if verdict is Verdict.REFUTED:
            witness = {"kind": "histograms", "inputs": shown(self.inputs()), **histograms, **self.key()}
        line_x = tuple(float(i) for i in range(1, len(information) + 1))
        lines = [Line("information of the code, lower bound", "attack", line_x, tuple(information.tolist()))]
        predicate = self.claim.predicate
        if measured.entry is not None and isinstance(predicate, FisherInformation):
            claimed = tuple(np.diag(predicate.matrix()).tolist())
            lines.insert(0, Line("claimed information", "claimed", line_x, claimed))
        title = f"Fisher information per entry: {subject.name}"
        return self.evidence(
            verdict,
            reason,
            measured,
            error=alpha,
            witness=witness,
            series=(Series("information", title, "entry", "Fisher information", tuple(lines)),),
            resolution=resolution if verdict is Verdict.SURVIVED else None,
        )


class InformationOfCode(InformationCheck):
    """Histograms at two parameters give an exact lower bound on the information between them."""

    def __init__(self, claim: Claim) -> None:
        super().__init__(claim)
        self._inputs = information_inputs(claim)
        if self._inputs:
            self._steps = step_sizes(claim)

    @classmethod
    def bind(cls, claim: Claim) -> Self | None:
        if claim.about != "code" or (isinstance(claim.subject, Family) and claim.subject.dimension == 1):
            return None  # of one parameter without a law more is learnt
        check = cls(claim)
        return check if check.inputs() else None

    def _entries(self, sample: Outcomes) -> Floats:
        d = int(self.claim.subject.dimension)
        values = np.where(sample.plain()[:, None], sample.values, -np.inf)
        # One parameter, several numbers: their mean is one statistic among many, and any statistic is valid.
        return (
            values.mean(axis=1, keepdims=True)
            if d == 1
            else widen(Outcomes(values, sample.kinds), d).values[:, :d]
        )

    def learn(self, sample: Sequence[Outcomes]) -> Cells:
        both = [self._entries(s) for s in sample]
        pooled = np.concatenate(both)
        edges = np.quantile(pooled, np.arange(1, _CELLS) / _CELLS, axis=0, method="inverted_cdf").T
        return Cells(edges, np.stack([_histogram(b, edges) for b in both]))

    def count(self, plan: Cells, unit: Sequence[Outcomes], rng: np.random.Generator) -> Counts:
        return np.stack([_histogram(self._entries(s), plan.edges) for s in unit])

    def judge(self, plan: Cells, counts: Counts | None, alpha: float) -> Evidence:
        assert counts is not None
        steps = self._steps
        angle = angle_lower_bounds(counts[0], counts[1], plan.prior[0], plan.prior[1], alpha / len(steps))
        information = (2 * angle / steps) ** 2
        broken, compared = self._compare(information)
        excuse = self._excuse() if broken else self._shortfall(information)
        resolution = None
        if not broken and not excuse:
            resolution = self.resolution(plan.prior[0, 0].sum(), counts[0, 0].sum(), alpha)
            excuse = self._weakness(resolution)
        verdict = Verdict.UNDECIDED if excuse else (Verdict.REFUTED if broken else Verdict.SURVIVED)
        size = int(counts[0, 0].sum() + plan.prior[0, 0].sum())
        return self._found(
            verdict,
            excuse,
            Measured(samples=[size, size], cells=_CELLS, **compared),
            information,
            {
                "steps": steps.tolist(),
                "alpha": alpha,
                "edges": plan.edges.tolist(),
                "prior": plan.prior.tolist(),
                "counts": counts.tolist(),
            },
            resolution,
            alpha,
        )

    def _spare(self) -> float:
        """By what factor the declared noise exceeds what the claim needs."""
        predicate, known = self.claim.predicate, self.claim.subject.noise_information()
        return needless_noise(predicate, known) if isinstance(predicate, ErrorBound) and known else 1.0

    def _weakness(self, resolution: Resolution | None) -> str:
        """Why a survival would say too little, if so; without a law there is nothing to measure it by."""
        if self.claim.subject.law(np.asarray(self.inputs()[0], dtype=float)) is None:
            return ""
        if resolution is not None and resolution.departure + 1 <= HALF * self._spare():
            return ""
        return "a release with half of the noise that the claim needs would have been missed (with probability above 0.05, at this alpha): give more samples"

    def _shortfall(self, information: Floats) -> str:
        """Why information within the claim does not support it, if so."""
        if not np.all(np.isfinite(information)):
            return "the counts at these parameters could not be evaluated"
        if not isinstance(self.claim.predicate, FisherInformation):
            return ""
        claimed = np.diag(self.claim.predicate.matrix())
        if claimed.shape != information.shape:
            return "nothing to compare"
        if isinstance(self.claim.subject, Family) and np.any(information < claimed / 2):
            return "less than half of the claimed information was found: the code may well have less than is claimed"
        return ""

    def resolution(self, learnt: float, counted: float, alpha: float) -> Resolution | None:
        """Noise scaled by 1/c, simulated from the declared law."""
        steps = self._steps
        d, shown = len(steps), min(len(steps), 6)
        rng = np.random.default_rng(2)
        centre = np.asarray(self.inputs()[0], dtype=float)
        law = self.claim.subject.law(centre)
        if law is None:
            return None
        noise = law.sample(40_000, rng)[:, :shown] - centre[:shown]
        repeats, spare = 20, self._spare()

        def power(c: float) -> float:
            if c < spare:
                return 0.0  # the claim is true of such a code
            rows: list[list[Floats]] = [[], []]
            for i in range(shown):
                w = np.sort(noise[:, i] / c)
                edges = np.quantile(
                    np.concatenate([w - steps[i] / 2, w + steps[i] / 2]), np.arange(1, _CELLS) / _CELLS
                )
                for side, shift in enumerate((-steps[i] / 2, steps[i] / 2)):
                    cdf = np.searchsorted(w + shift, edges, side="right") / len(w)
                    rows[side].append(np.diff(np.concatenate([[0.0], cdf, [1.0]])))
            p, q = (np.repeat(np.array(r), repeats, axis=0) for r in rows)
            k, l, prior_k, prior_l = (  # noqa: E741
                rng.multinomial(int(size), r).astype(float) for size in (counted, learnt) for r in (p, q)
            )
            angle = angle_lower_bounds(k, l, prior_k, prior_l, alpha / d).reshape(shown, repeats)
            found = 0
            for j in range(repeats):
                information = np.resize((2 * angle[:, j] / np.resize(steps, shown)) ** 2, d)
                found += self._compare(information)[0]
            return found / repeats

        value = smallest_factor(power, ceiling=16.0 * spare)
        if value is None:
            return None
        # Where the declared noise is more than the claim needs, half of it may meet the claim.
        return Resolution(SCALED_NOISE, value, limit=round(spare, 4) if value > HALF else None)


def error_reachable(information: Floats, weights: Floats) -> float:
    """Sum of weight/information: an upper bound on the Cramer-Rao bound when entry i of the outcome is about entry i alone."""
    with np.errstate(divide="ignore"):
        return float(np.sum(weights / information))


def _histogram(values: Floats, edges: Floats) -> Floats:
    cells = edges.shape[1] + 1
    return np.stack(
        [np.bincount(np.searchsorted(e, v), minlength=cells) for e, v in zip(edges, values.T, strict=True)]
    ).astype(float)
