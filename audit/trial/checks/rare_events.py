"""Rare events: importance sampling of the declared law, for violations that no plain sample shows.

For p, q the laws at two neighbours, the hockey-stick delta(epsilon) is the mean of f = (p - e^epsilon q)+ / r under a
law r that visits the events in question, and f >= 0 is known exactly.  A lower confidence bound on that mean by
betting is valid at every sample size, however wild the weights; one above the claimed curve refutes the claim.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from ....mechanisms.mechanism import Mechanism
from ....symbolic.arrays import Floats
from ....symbolic.claim import Claim
from ....symbolic.laws.vector import Categories, IndependentNoise, OutcomeLaw
from ....symbolic.privacy.guarantees import GUARANTEES, Guarantee
from ...record.evidence import STRICTER_CLAIM, Evidence, Line, Measured, Resolution, Series, Verdict
from ...record.plain import shown
from ...record.witness import Witness, register
from ..attack.rare.bounded_mean import log_capital, lower_bound
from ..attack.rare.point_loss import point_witness
from ..attack.rare.proposals import defensive_mixture
from ..check import Counted, Counts
from ..witness_forms import SampleForm, orders_stated
from .derivation import settled
from .quadrature import on_one_line
from .resolution import smallest_factor

_NUMBERS, _MOST, _LEAST = 4_000_000, 40_000, 1_000  # numbers drawn per order of a pair; outcomes
_CHUNK = 500_000
_SEED = 20_240
_SPREADS = (1.0, 3.0, 5.0, 7.0)  # deviations of the loss, for claims that are whole curves
_RATIO, _SMALLEST = 1.02, 1e-4  # levels of f: rounded down to these, dropped below this share of the largest
_SURE = 1e-6  # relative: covers the rounding of densities, and samplers that follow a table
_PARTS = 8  # each of them must find a departure that counts as resolved


@dataclass(frozen=True)
class Sample:
    """Weighted outcomes of one order of a pair: losses, weights p/r, and the outcome of the largest loss."""

    epsilons: Floats
    losses: Floats
    weights: Floats
    extreme: Floats

    def gains(self, epsilon: float) -> Floats:
        """f at each outcome, whose mean is delta(epsilon)."""
        ahead = self.losses > epsilon
        out = np.zeros(len(self.losses))
        out[ahead] = self.weights[ahead] * -np.expm1(epsilon - self.losses[ahead])
        return out

    def lower(self, epsilon: float, alpha: float) -> float:
        """A number that exceeds delta(epsilon) with probability at most alpha."""
        levels, counts = _levels(self.gains(epsilon))
        return lower_bound(levels, alpha, counts)

    def exceeds(self, epsilon: float, claimed: float, alpha: float) -> bool:
        """Whether `lower` is above `claimed`, without looking for it."""
        levels, counts = _levels(self.gains(epsilon))
        if claimed == 0 or not np.any(levels > 0):
            return bool(np.any(levels > 0))
        return bool(log_capital(levels, claimed * (1 + _SURE), counts) >= -np.log(alpha))

    def part(self, i: int) -> Sample:
        """Every eighth outcome."""
        return replace(self, losses=self.losses[i::_PARTS], weights=self.weights[i::_PARTS])


@dataclass(frozen=True)
class CertifiedDelta:
    """A lower confidence bound on delta(epsilon) of one order of a pair, beside what is claimed."""

    epsilon: float
    low: float
    claimed: float
    order: int = 0

    @property
    def excess(self) -> float:
        """How many times the claimed delta the lower confidence bound is; above one refutes."""
        if self.low <= self.claimed * (1 + _SURE):
            return 0.0
        return self.low / self.claimed if self.claimed > 0 else np.inf


class RareEvents(Counted):
    """Binds where neither a closed form nor an integral over one line has the whole profile of the declared law.

    That is: a mechanism whose worst pair is unknown, or whose attained pair leaves the claim undecided.  It draws
    from the law by itself, so it needs no outcomes of the code, but has its share of alpha.
    """

    name: ClassVar[str] = "rare events of the law"
    kind = "computation"
    sentence = "law"
    statistical: ClassVar[bool] = True

    def __init__(self, claim: Claim) -> None:
        super().__init__(claim)
        assert isinstance(claim.predicate, Guarantee)
        self.guarantee: Guarantee = claim.predicate

    @classmethod
    def bind(cls, claim: Claim) -> Self | None:
        subject, guarantee = claim.subject, claim.predicate
        if not isinstance(subject, Mechanism) or not isinstance(guarantee, Guarantee):
            return None
        if all(_settled_by_one_integral(subject, pair) for pair in subject.neighbours()):
            return None
        worst = subject.worst_case()
        # The declared neighbours are the attained pair: what is settled there, sampling cannot settle again.
        return None if worst is not None and settled(guarantee, worst) else cls(claim)

    def judge(self, plan: Any, counts: Counts | None, alpha: float) -> Evidence:
        orders = self._orders()
        samples = [self._draw(order, place) for place, order in enumerate(orders)]
        tests = sum(len(sample.epsilons) for sample in samples)
        curve = self.guarantee.curve()
        bounds = [
            CertifiedDelta(float(e), sample.lower(float(e), alpha / tests), float(curve(float(e))), place)
            for place, sample in enumerate(samples)
            for e in sample.epsilons
        ]
        worst = max(bounds, key=lambda bound: (bound.excess, bound.epsilon))
        refuted = worst.excess > 1
        seen = any(np.any(sample.losses > e) for sample in samples for e in sample.epsilons)
        verdict = Verdict.REFUTED if refuted else Verdict.SURVIVED if seen else Verdict.UNDECIDED
        witness = self._witness(orders, samples, worst, alpha, tests) if refuted else None
        exact = witness is not None and witness["kind"] == "privacy loss at a point"
        measured = Measured(
            samples=[len(samples[0].losses)],
            tried=len(orders),
            levels=[float(e) for e in samples[worst.order].epsilons],
            epsilon=worst.epsilon,
            found=float(worst.low),
            claimed=float(worst.claimed),
            largest=float(max(sample.losses.max() for sample in samples)),
        )
        return self.evidence(
            verdict,
            measured=measured,
            error=0.0 if exact else alpha,
            witness=witness,
            resolution=self._resolution(samples, alpha / tests) if verdict is Verdict.SURVIVED else None,
            series=(self._series(bounds),),
        )

    def _orders(self) -> list[tuple[Any, Any]]:
        subject = self.claim.subject
        pairs = [pair for pair in subject.neighbours() if not _settled_by_one_integral(subject, pair)]
        return [order for zero, one in pairs for order in ((zero, one), (one, zero))]

    def _draw(self, order: tuple[Any, Any], place: int) -> Sample:
        rng = np.random.default_rng(np.random.SeedSequence(entropy=_SEED, spawn_key=(place,)))
        laws = self._laws(order)
        return draw(*laws, self._epsilons(*laws, rng), rng)

    def _laws(self, order: tuple[Any, Any]) -> tuple[OutcomeLaw, OutcomeLaw]:
        """The laws at the two inputs; of the entries that differ only, where entries are independent."""
        p, q = (self.claim.subject.law(x) for x in order)
        if isinstance(p, IndependentNoise) and isinstance(q, IndependentNoise) and p.noise == q.noise:
            kept = np.flatnonzero(np.subtract(p.centre, q.centre))
            p, q = (IndependentNoise(law.noise, tuple(law.centre[i] for i in kept)) for law in (p, q))
        return p, q

    def _epsilons(self, p: OutcomeLaw, q: OutcomeLaw, rng: np.random.Generator) -> Floats:
        """Where the curve is tested: at the claim's own epsilon and on the way to it, or out into the tail of the loss."""
        point = self.guarantee.point()
        if point is not None:
            return np.unique([point[0] * share for share in (1.0, 0.75, 0.5)])
        y = p.sample(_LEAST, rng)
        with np.errstate(invalid="ignore"):
            loss = p.log_density(y) - q.log_density(y)
        loss = loss[np.isfinite(loss)]
        centre, spread = (float(loss.mean()), float(loss.std())) if loss.size else (0.0, 1.0)
        return np.unique([max(0.0, centre + k * spread) for k in _SPREADS])

    def _witness(
        self,
        orders: list[tuple[Any, Any]],
        samples: list[Sample],
        worst: CertifiedDelta,
        alpha: float,
        tests: int,
    ) -> Witness:
        """An exact point where nothing is allowed and one can be had; the weighted sample otherwise."""
        order, sample = orders[worst.order], samples[worst.order]
        if worst.claimed == 0:
            point = point_witness(*self._laws(order), sample.extreme, worst.epsilon, self.guarantee)
            if point is not None:
                return point
        return {
            "kind": "importance sample",
            **self.key(),
            "inputs": shown(order),
            "epsilon": worst.epsilon,
            "claimed": worst.claimed,
            "alpha": alpha,
            "tests": tests,
            "levels": [v.tolist() for v in _levels(sample.gains(worst.epsilon))],
        }

    def _resolution(self, samples: list[Sample], alpha: float) -> Resolution | None:
        """The claim made c times stricter, so that each eighth of the draws refutes it by itself."""
        point = self.guarantee.point() is not None
        parts = [[sample.part(i) for sample in samples] for i in range(_PARTS)]

        def found(c: float) -> float:
            curve = self.guarantee.tightened(c).curve()
            hits = [
                any(
                    sample.exceeds(float(e), float(curve(float(e))), alpha)
                    for sample in part
                    for e in (sample.epsilons / c if point else sample.epsilons)
                )
                for part in parts
            ]
            return sum(hits) / _PARTS

        value = smallest_factor(found)
        return None if value is None else Resolution(STRICTER_CLAIM, value)

    def _series(self, bounds: list[CertifiedDelta]) -> Series:
        best = {bound.epsilon: bound for bound in sorted(bounds, key=lambda b: (b.epsilon, b.low))}
        epsilon = tuple(best)
        claimed, low = (tuple(getattr(b, key) for b in best.values()) for key in ("claimed", "low"))
        return Series(
            "rare events",
            f"Rare events of the law: {self.claim.subject.name}",
            "epsilon",
            "delta",
            (
                Line("claimed", "claimed", epsilon, claimed),
                Line("certified lower bound", "attack", epsilon, low),
            ),
        )


def draw(
    p: OutcomeLaw, q: OutcomeLaw, epsilons: Floats, rng: np.random.Generator, size: int | None = None
) -> Sample:
    """Outcomes of a defensive mixture of p, q and proposals that reach each of `epsilons`, with exact weights."""
    mixture = defensive_mixture(p, q, [float(e) for e in epsilons], rng)
    size = size or int(np.clip(_NUMBERS // p.dimension, _LEAST, _MOST))
    chunk = max(1, _CHUNK // p.dimension)
    losses, weights, extreme = np.empty(size), np.empty(size), np.empty(0)
    for start in range(0, size, chunk):
        rows = slice(start, min(start + chunk, size))
        y = mixture.sample(rows.stop - start, rng)
        losses[rows], weights[rows] = mixture.loss_and_weight(y)
        if losses[rows].max() >= losses[:start].max(initial=-np.inf):
            extreme = y[int(np.argmax(losses[rows]))]
    # Outcomes come grouped by their source: shuffled, every part of them is a sample of the mixture.
    order = rng.permutation(size)
    return Sample(np.asarray(epsilons, dtype=float), losses[order], weights[order], extreme)


def _settled_by_one_integral(subject: Mechanism, pair: tuple[Any, Any]) -> bool:
    """Whether the two laws are compared by one integral or one sum, or have atoms, which have no density to weight."""
    zero, one = (subject.law(x) for x in pair)
    discrete = isinstance(zero, IndependentNoise) and zero.noise.discrete
    return isinstance(zero, Categories) or discrete or on_one_line(zero, one)


def _levels(gains: Floats) -> tuple[Floats, Floats]:
    """Numbers rounded down to a geometric grid, and how often each level occurs: a sample with no larger mean."""
    top = float(gains.max(initial=0.0))
    if not top > 0:
        return np.zeros(1), np.array([float(len(gains))])
    kept = gains > _SMALLEST * top
    # One step further down: the power is rounded too.
    steps = np.floor(np.log(gains[kept] / top) / np.log(_RATIO)) - 1
    values, counts = np.unique(steps, return_counts=True)
    levels = np.concatenate([[0.0], top * _RATIO**values])
    return levels, np.concatenate([[float(np.sum(~kept))], counts.astype(float)])


@register("importance sample", SampleForm, orders_stated)
def importance_sample(witness: Witness) -> tuple[bool, str]:
    """A weighted sample of the law whose mean, a hockey-stick divergence, is above the claimed delta with confidence."""
    epsilon, claimed = float(witness["epsilon"]), float(witness["claimed"])
    guarantee = GUARANTEES.get(witness["predicate"])
    if guarantee is None:
        return False, f"what {str(witness['predicate'])[:40]!r} allows is not known here"
    if claimed < float(guarantee(**witness["parameters"]).curve()(epsilon)) * (1 - 1e-12):
        return False, "the number compared with is below the claimed curve"
    levels, counts = (np.asarray(v, dtype=float) for v in witness["levels"])
    low = lower_bound(levels, float(witness["alpha"]) / int(witness["tests"]), counts)
    text = f"{int(counts.sum()):,} weighted outcomes: delta({epsilon:.6g}) has the lower confidence bound {low:.4g}, claimed {claimed:.4g}"
    return CertifiedDelta(epsilon, low, claimed).excess > 1, text
