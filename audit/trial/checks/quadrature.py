"""The computation: closed forms against numerical integration of the densities."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np

from ....mechanisms.family import Family
from ....mechanisms.mechanism import Mechanism
from ....mechanisms.whole_noise.outcome import WholeOutcome
from ....symbolic.arrays import Floats
from ....symbolic.claim import Claim
from ....symbolic.laws.law import Law
from ....symbolic.laws.vector import Categories, IndependentNoise, NormalVector, OutcomeLaw
from ....symbolic.predicates import ErrorBound, FisherInformation
from ....symbolic.privacy.guarantees import Guarantee
from ...record.evidence import Evidence, Kind, Measured, Sentence, Verdict
from ..attack.claimed_curve import ClaimedCurve
from ..attack.rare.loss_convolution import convolved_profile
from ..check import Counted, Counts
from ..line_integral import LineDensity, WholeNumbers, hellinger_information, integrate_positive_part
from ..stated import at_theta

_AGREES, _DIFFERS = 1e-6, 1e-4  # relative, information
_WITHIN, _BEYOND = 1e-12, 1e-9  # absolute, delta
_OF_DELTA = 1e-6  # relative, small deltas
# What was measured, or why nothing was, and the witness of a refutation.
Answer = tuple[Verdict, Measured | str, dict[str, Any] | None]
_STEPS = 1 << 20  # whole numbers that are summed over at most
_REACH = 40  # deviations beyond which neither law of discrete noise has a mass that a double would show beside the rest
_NOT_INTEGRATED = (
    "not integrated: what differs between these neighbours is neither one number of a law that is narrow enough, nor independent numbers "
    "whose losses can be added up to nine digits"
)


class Quadrature(Counted):
    """Numbers from the densities alone, with no use of the closed forms."""

    name: ClassVar[str] = "quadrature"
    kind: ClassVar[Kind] = "computation"
    sentence: ClassVar[Sentence] = "law"

    @classmethod
    def bind(cls, claim: Claim) -> Self | None:
        subject, predicate = claim.subject, claim.predicate
        if isinstance(predicate, Guarantee):
            return cls(claim) if isinstance(subject, Mechanism) and subject.neighbours() else None
        if isinstance(subject, Family):
            known = subject.has_density and isinstance(predicate, FisherInformation | ErrorBound)
            return cls(claim) if known else None
        coordinatewise = isinstance(subject, Mechanism) and subject.coordinatewise
        unbiased = isinstance(predicate, FisherInformation) or (
            isinstance(predicate, ErrorBound) and predicate.adversary in ("unbiased", "informed")
        )
        return cls(claim) if coordinatewise and unbiased else None

    def __init__(self, claim: Claim) -> None:
        super().__init__(claim)
        self._numbers: Any = claim.predicate
        self._at: dict[str, str] | None = None
        if (
            isinstance(claim.predicate, FisherInformation | ErrorBound)
            and claim.predicate.formula is not None
        ):
            # A density in numbers is integrated at theta alone.
            self._numbers, self._at = at_theta(claim.subject, claim.predicate)

    def judge(self, plan: Any, counts: Counts | None, alpha: float) -> Evidence:
        said = self.claim.predicate
        verdict, found, witness = self._curve(said) if isinstance(said, Guarantee) else self._information()
        reason, measured = (found, Measured()) if isinstance(found, str) else ("", found)
        if self._at:
            measured = measured.model_copy(
                update={"of": ", ".join(f"{n} = {v}" for n, v in self._at.items())}
            )
        return self.evidence(verdict, reason, measured, witness=witness)

    def _curve(self, guarantee: Guarantee) -> Answer:
        subject = self.claim.subject
        pairs = subject.neighbours()
        curve = ClaimedCurve.of(guarantee, points=12)
        epsilon, claimed = curve.epsilon, curve.delta
        rows: list[Floats] = []
        for pair in pairs:
            try:
                delta = numerical_profile(*(subject.law(x) for x in pair))
            except ValueError as error:
                return Verdict.UNDECIDED, str(error), None
            if delta is None:
                return Verdict.UNDECIDED, _NOT_INTEGRATED, None
            rows.append(np.array([delta(e) for e in epsilon]))
        numbers = np.max(rows, axis=0)
        excess = numbers - claimed
        if not np.all(np.isfinite(excess)):
            return Verdict.UNDECIDED, "the integrals or the claimed curve are not finite numbers", None
        at = int(np.argmax(excess))
        worst = subject.worst_case()
        measured = Measured(
            tried=len(epsilon),
            high=float(epsilon[-1]),
            excess=float(excess[at]),
            epsilon=float(epsilon[at]),
            difference=None if worst is None else float(np.abs(worst.pair.delta(epsilon) - numbers).max()),
        )
        if excess[at] > _BEYOND:
            witness = {
                "kind": "profile",
                "epsilon": float(epsilon[at]),
                "delta": float(numbers[at]),
                "claimed": float(claimed[at]),
                "absolute_error": _BEYOND / 10,
            }
            return Verdict.REFUTED, measured, witness
        # What is small is not swamped by the accuracy of the integrals: the delta that is claimed, or the largest there is.
        small = curve.fixed or float(numbers[0])
        within = min(_WITHIN, _OF_DELTA * small) if small > _WITHIN else -np.inf
        return (Verdict.SURVIVED if excess[at] <= within else Verdict.UNDECIDED), measured, None

    def _information(self) -> Answer:
        subject, predicate = self.claim.subject, self._numbers
        if predicate is None:
            return Verdict.UNDECIDED, "the formula has no value at theta that could be compared", None
        try:
            matrix, trace = numerical_information(subject)
        except ValueError as error:
            return Verdict.UNDECIDED, str(error), None
        witness: dict[str, Any]
        if matrix is None:
            grows = Measured(speeds=[float(v) for v in trace])
            if isinstance(predicate, FisherInformation):
                witness = {"kind": "irregular", "subject": subject.name, "speeds": trace}
                return Verdict.REFUTED, grows, witness
            return Verdict.UNDECIDED, grows, None
        if isinstance(predicate, FisherInformation):
            claimed = predicate.matrix()
            if claimed.shape != matrix.shape:
                sizes = {"claimed": list(claimed.shape), "information": list(matrix.shape)}
                return Verdict.REFUTED, Measured(shape=sizes["information"]), {"kind": "shape", **sizes}
            scale = max(float(np.abs(matrix).max()), 1e-300)
            gap = float(np.abs(matrix - claimed).max()) / scale
            measured = Measured(found=float(np.trace(matrix)), gap=gap)
            if gap > _DIFFERS:
                witness = {
                    "kind": "information",
                    "numerical": matrix.tolist() if matrix.size <= 100 else float(np.trace(matrix)),
                    "claimed": claimed.tolist() if claimed.size <= 100 else float(np.trace(claimed)),
                    "relative_error": _AGREES,
                    **({} if self._at is None else {"at": self._at}),
                }
                return Verdict.REFUTED, measured, witness
            return (Verdict.SURVIVED if gap <= _AGREES * 10 else Verdict.UNDECIDED), measured, None
        assert isinstance(predicate, ErrorBound)
        if predicate.adversary not in ("unbiased", "informed"):
            return Verdict.UNDECIDED, "Fisher information alone bounds no biased adversary", None
        pi = np.eye(len(matrix)) if predicate.weight is None else np.asarray(predicate.weight, dtype=float)
        spectrum = np.linalg.eigvalsh(matrix)
        # Below the accuracy of the integrals a small eigenvalue cannot be told from zero.
        if spectrum[0] <= 10 * _AGREES * spectrum[-1]:
            return (
                Verdict.UNDECIDED,
                "the information is singular: no unbiased estimator with finite variance exists, the bound is vacuous",
                None,
            )
        bound = (
            float(np.trace(pi @ np.linalg.inv(matrix)))
            if predicate.adversary == "unbiased"
            else float(np.sum(np.diag(pi) / np.diag(matrix)))
        )
        stands = bound >= predicate.value * (1 - 10 * _AGREES)
        measured = Measured(found=bound, claimed=predicate.value)
        return Verdict.SURVIVED if stands else Verdict.UNDECIDED, measured, None


def on_one_line(zero: OutcomeLaw, one: OutcomeLaw) -> bool:
    """Whether the two laws differ along one line only, so that one integral has the whole profile."""
    if isinstance(zero, Categories) and isinstance(one, Categories):
        return True
    if isinstance(zero, IndependentNoise) and isinstance(one, IndependentNoise):
        return zero.noise == one.noise and np.count_nonzero(np.subtract(one.centre, zero.centre)) == 1
    return isinstance(zero, NormalVector) and isinstance(one, NormalVector)


def numerical_profile(zero: OutcomeLaw, one: OutcomeLaw) -> Callable[[float], float] | None:
    """delta(epsilon) by integration: over one line, over whole numbers, or over the losses of independent entries; None otherwise."""
    if isinstance(zero, Categories) and isinstance(one, Categories):
        p, q = np.array(zero.probabilities), np.array(one.probabilities)
        return lambda e: float(
            max(np.maximum(0, p - np.exp(e) * q).sum(), np.maximum(0, q - np.exp(e) * p).sum())
        )
    if isinstance(zero, WholeOutcome) and isinstance(one, WholeOutcome):
        return _whole_profile(zero, one)
    if isinstance(zero, IndependentNoise) and isinstance(one, IndependentNoise):
        shift = np.asarray(one.centre) - np.asarray(zero.centre)
        if zero.noise != one.noise or not np.any(shift):
            return None
        density = line_density(zero.noise)
        if np.count_nonzero(shift) > 1:
            return convolved_profile(density, shift)
        d = float(shift[np.flatnonzero(shift)[0]])
    elif isinstance(zero, NormalVector) and isinstance(one, NormalVector):
        d = float(np.linalg.norm(zero.whitened(one.centre[None])))
        density = LineDensity(lambda y: np.exp(-0.5 * y * y) / np.sqrt(2 * np.pi), (-np.inf, np.inf))
    else:
        return None

    def delta(epsilon: float) -> float:
        factor = np.exp(epsilon)

        def one_side(s: float) -> float:
            return integrate_positive_part(
                density, lambda y: density.pdf(y) - factor * density.pdf(y + s), also=(-s,)
            )

        both = one_side(d), one_side(-d)
        return float(max(both))

    return delta


def _whole_profile(zero: WholeOutcome, one: WholeOutcome) -> Callable[[float], float] | None:
    """The sum over the whole numbers where one entry differs; entries that are equal say nothing."""
    moved = [j for j, (a, b) in enumerate(zip(zero.centres, one.centres, strict=True)) if a != b]
    if zero.noises != one.noises or len(moved) != 1:
        return None
    noise, shift = zero.noises[moved[0]], one.centres[moved[0]] - zero.centres[moved[0]]
    reach = math.ceil(_REACH * noise.standard_deviation()) + abs(shift) + 1
    if reach > _STEPS:
        return None
    steps = np.arange(-reach, reach + 1)
    p, q = np.exp(noise.log_mass(steps)), np.exp(noise.log_mass(steps - shift))

    def delta(epsilon: float) -> float:
        factor = np.exp(epsilon)
        return float(max(np.maximum(0, p - factor * q).sum(), np.maximum(0, q - factor * p).sum()))

    return delta


def line_density(law: Law) -> LineDensity:
    """The density of a law, found by its quartiles."""
    low, middle, high = (float(q) for q in law.quantile(np.array([0.25, 0.5, 0.75])))
    return LineDensity(law.pdf, law.ends(), (low, middle, high))


def numerical_information(subject: Any) -> tuple[Floats | None, list[float]]:
    """Information by integration, None with the growing speeds if the family is irregular; ValueError if it cannot be had."""
    if isinstance(subject, Family):
        return subject_information(subject)
    law = subject.law(np.zeros(subject.dimension))
    if isinstance(law, IndependentNoise):
        value, speeds = hellinger_information(lambda y, t: law.noise.pdf(y - t), line_density(law.noise))
        return (None if value is None else value * np.eye(subject.dimension)), speeds
    if isinstance(law, NormalVector):
        normal = LineDensity(lambda y: np.exp(-0.5 * y * y) / np.sqrt(2 * np.pi), (-np.inf, np.inf))
        value, speeds = hellinger_information(lambda y, t: normal.pdf(y - t), normal)
        root = law.whitened(law.centre + np.eye(law.dimension))
        return (None if value is None else value * root @ root.T), speeds
    raise ValueError("this release has no density on the line")


def family_base(family: Family) -> LineDensity | WholeNumbers:
    """Where the outcomes of a family lie, on the line or on whole numbers; ValueError if they lie on neither."""

    def density(y: Floats) -> Floats:
        return family.pdf(y, family.theta)

    try:
        return LineDensity(density, (-np.inf, np.inf))
    except ValueError as error:
        try:
            return WholeNumbers(density)
        except ValueError as other:
            raise ValueError(f"{error}; {other}") from None


def subject_information(family: Family) -> tuple[Floats | None, list[float]]:
    """The information matrix of a family with scalar outcomes, by polarisation along pairs of parameters."""
    theta = family.theta
    base = family_base(family)

    def along(direction: Floats) -> tuple[float | None, list[float]]:
        if isinstance(base, WholeNumbers):
            base.require_all(lambda y: family.pdf(y, theta + 1e-9 * direction))
        return hellinger_information(lambda y, t: family.pdf(y, theta + t * direction), base)

    k = len(theta)
    matrix = np.zeros((k, k))
    speeds: list[float] = []
    for i in range(k):
        value, speeds = along(np.eye(k)[i])
        if value is None:
            return None, speeds
        matrix[i, i] = value
    for i in range(k):
        for j in range(i):
            both, speeds = along(np.eye(k)[i] + np.eye(k)[j])
            if both is None:
                return None, speeds
            matrix[i, j] = matrix[j, i] = (both - matrix[i, i] - matrix[j, j]) / 2
    return matrix, speeds
