"""A query plus noise: how far the query moves, in scales of the noise, and what the closed form says of that.

Where a user declares outcomes f(x) + w with w of a named shape, a certain lower bound on |f(x1) - f(x0)| / scale gives
a certain lower bound on the whole privacy curve, far below what events can show.  All of it rests on the declaration:
outcomes are asked whether they contradict it, and no verdict is given if they do.  A shape that is merely estimated
supports no verdict at all, neither for the claim nor against it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar, Literal, Self

import numpy as np

from ....mechanisms.black_box import NOISES, BlackBox
from ....symbolic.arrays import Floats
from ....symbolic.claim import Claim
from ....symbolic.privacy.guarantees import Guarantee
from ...record.evidence import HALF, SCALED_NOISE, Evidence, Line, Measured, Resolution, Series, Verdict
from ...record.plain import plain, shown
from ..attack.additive.location_scale import SHAPES, Shape, best_weights, thresholds
from ..attack.additive.noise_parts import (
    EXPECTED_ALPHA,
    EXPECTED_GROWTH,
    Part,
    choose,
    contradiction,
    likeliest_shape,
    ratios,
    repeats,
    split,
    tally,
    tally_length,
)
from ..attack.additive.shifted_noise import allowed_ratio, epsilon_grid, excess, profile, size
from ..check import Counted, Counts
from ..outcomes import Outcomes
from .enough_samples import smallest_size, would_decide
from .resolution import LARGEST_FACTOR, smallest_factor

_SIMULATIONS = 200
_POINTS = 61
_SMALLEST_SHOWN = 1e-15
_OTHER_KINDS = "the outcomes are not numbers of one structure"
_RESTS = "the declared shape was not contradicted; its tails are taken from the declaration"
_ESTIMATED = "the shape was estimated, not declared: no verdict rests on it"
_LARGE = "outcomes hold numbers beyond 10^150, whose squares overflow"
_REPEATED = (
    "outcomes repeat, so that they are rounded, clipped or whole numbers; the closed form speaks of the noise before that, "
    "which may hide less"
)


@dataclass(frozen=True)
class ChosenParts:
    """What to count of outcomes of the usual kind; `reason` says why nothing can be concluded, if so."""

    kind: str
    shape: Shape
    parts: tuple[Part, ...]
    learnt: int
    reason: str = ""


@dataclass(frozen=True)
class Reading:
    """What the counts say if the noise has this shape: what speaks against it, and how far the query moves at least."""

    shape: Shape
    against: str
    ratios: Floats


class Components(Counted):
    """Centres and scale of declared additive noise, bounded exactly; the declared shape is tested on the way."""

    name: ClassVar[str] = "components"

    def __init__(self, claim: Claim, pair: tuple[Any, Any]) -> None:
        super().__init__(claim)
        assert isinstance(claim.predicate, Guarantee)
        self.guarantee, self.pair, self.noise = claim.predicate, pair, str(claim.subject.noise)

    @classmethod
    def bind_all(cls, claim: Claim) -> list[Self]:
        subject = claim.subject
        if not (isinstance(claim.predicate, Guarantee) and isinstance(subject, BlackBox)):
            return []
        if claim.about == "law" or subject.noise is None:
            return []
        return [cls(claim, pair) for pair in subject.neighbours()]

    def inputs(self) -> tuple[Any, ...]:
        return self.pair

    def learn(self, sample: Sequence[Outcomes]) -> ChosenParts:
        counts = sample[0].kinds.counts()
        kind = max(counts, key=lambda name: counts[name])
        shape = SHAPES.get(self.noise, SHAPES["laplace"])
        learnt = min(map(len, sample))
        if any(set(s.kinds.counts()) != {kind} for s in sample) or not all(s.plain().all() for s in sample):
            return ChosenParts(kind, shape, (), learnt, _OTHER_KINDS)
        values = [s.values for s in sample]
        if any(np.abs(v).max() > 1e150 for v in values):
            return ChosenParts(kind, shape, (), learnt, _LARGE)
        if any(repeats(v) for v in values):
            return ChosenParts(kind, shape, (), learnt, _REPEATED)
        if self.noise not in SHAPES:
            shape = likeliest_shape(values)
        return ChosenParts(kind, shape, choose(shape, values), learnt)

    def count(self, plan: ChosenParts, unit: Sequence[Outcomes], rng: np.random.Generator) -> Counts:
        """Per input: the counts of the parts, outcomes of another kind, outcomes."""
        rows = []
        for i, sample in enumerate(unit):
            odd = len(sample) - sample.kinds.counts().get(plan.kind, 0)
            # One outcome of another kind ends the matter: what else is counted no longer counts.
            usable = plan.parts and not odd
            counts = tally(plan.parts, i, sample.values) if usable else np.zeros(tally_length(plan.parts))
            rows.append(np.array([*counts, odd, len(sample)]))
        return np.stack(rows)

    def judge(self, plan: ChosenParts, counts: Counts | None, alpha: float) -> Evidence:
        """One look at the end: the bounds hold for a number of outcomes that was fixed beforehand."""
        assert counts is not None
        reason = plan.reason or (_OTHER_KINDS if counts[:, -2].sum() else "")
        if reason:
            declared = "noise" if self.noise not in SHAPES else f"{plan.shape.word} noise"
            why = f"not a query plus {declared}: {reason}"
            return self.evidence(Verdict.UNDECIDED, why, Measured(of=plan.shape.word), error=alpha)
        n = counts[:, -1]
        below, tables = split(counts[:, :-2], plan.parts)
        # Half of alpha for each test of a shape, half for the bounds: a true claim is refuted with probability at most
        # alpha whichever of the shapes that can be declared is the true one, since that one must be contradicted or fall.
        readings = {}
        for name, shape in SHAPES.items():
            against = contradiction(shape, plan.parts, below, tables, n, alpha / 2)
            bounds = ratios(shape, plan.parts, below, n, alpha / 2)
            readings[name] = Reading(shape, against, bounds)
        own = readings.pop(plan.shape.name)
        others = _others(list(readings.values()))
        if own.against:
            why = f"the release is not a query plus {own.shape.word} noise of one scale on both inputs: {own.against}; {others}"
            return self.evidence(Verdict.UNDECIDED, why, Measured(of=own.shape.word), error=alpha)
        allowed, over = (
            allowed_ratio(self.guarantee, own.shape.name),
            excess(self.guarantee, own.shape, own.ratios),
        )
        known = self.noise in SHAPES
        first, moved = plan.parts[0], _moved(plan, own)
        scale = float(first.scale) if len(own.ratios) == 1 else None
        measured = Measured(
            of=own.shape.word,
            way="along the learnt direction the query moves"
            if not first.single
            else "the query moves"
            if len(first.direction) == 1
            else "the entry that moves most moves",
            note=f"{_RESTS if known else _ESTIMATED}; {others}",
            samples=[int(size) for size in n],
            learnt=plan.learnt,
            parameters=len(own.ratios),
            scale=scale,
            step=None if scale is None else moved * scale,
            moved=moved,
            found=size(own.shape, own.ratios),
            claimed=None if scale is None else float(allowed),
            epsilon=over.epsilon if over.delta > over.claimed else None,
            reached=over.delta,
            allowed=over.claimed,
        )
        more: dict[str, Any] = {"error": alpha, "series": self._series(plan, own.ratios)}
        if not known:
            return self.evidence(Verdict.UNDECIDED, "", measured, **more)
        rivals = [r for r in readings.values() if r.shape.name in NOISES and not r.against]
        if over.found:
            standing = [r.shape.word for r in rivals if not excess(self.guarantee, r.shape, r.ratios).found]
            if standing:
                text = f"not if the noise is {standing[0]}, and the outcomes do not tell which: give more of them"
                return self.evidence(Verdict.UNDECIDED, text, measured, **more)
            witness = self._witness(plan, below, n, alpha / 2)
            return self.evidence(Verdict.REFUTED, "", measured, witness=witness, **more)
        found = self._power(own, [r.shape for r in rivals], plan, int(n.min()), alpha / 2)
        if found is None:
            silent = "even noise 64 times smaller than the claim needs would not have been found"
            if allowed == 0:
                silent = (
                    f"{own.shape.word} noise keeps this claim only if the query is the same on both inputs"
                )
            return self.evidence(Verdict.UNDECIDED, silent, measured, **more)
        verdict, text = Verdict.SURVIVED, ""
        if found.samples is not None:
            verdict, size_of = Verdict.UNDECIDED, would_decide(found.samples, "")
            text = f"no power: half the noise would not have been found (with probability above 0.05): give more samples, {size_of}"
        return self.evidence(verdict, text, measured, resolution=found, **more)

    def _power(
        self, own: Reading, rivals: Sequence[Shape], plan: ChosenParts, n: int, alpha: float
    ) -> Resolution | None:
        """Whether half the noise would have been found; None if not even noise 64 times smaller than the claim needs."""
        share = alpha / max(len(own.ratios), 1)
        factor = self._factor(own.shape, rivals, plan.learnt, n, share)
        if factor is None:
            return None
        used = _moved(plan, own) / allowed_ratio(self.guarantee, own.shape.name)
        # A query that seems to move further than the claim allows does so by luck, which the next audit need not have.
        value = round(factor / min(used, 1.0), 4) if factor < LARGEST_FACTOR * used else None
        here = Resolution(SCALED_NOISE, value)
        if here.half:
            return here
        if HALF * used <= 1:
            return replace(here, limit=1 / max(used, 1 / LARGEST_FACTOR))

        def enough(m: float) -> bool:
            least = self._factor(own.shape, rivals, int(m * plan.learnt / n), int(m), share)
            return least is not None and least <= HALF * used

        size = smallest_size(enough, 1.5 * n)
        return replace(here, samples=size * (1 + plan.learnt / n))

    def _factor(self, own: Shape, rivals: Sequence[Shape], learnt: int, n: int, alpha: float) -> float | None:
        """The least that is found, in multiples of what the claim allows of the declared shape; the rivals must fall too."""
        unit = allowed_ratio(self.guarantee, own.name) / own.deviation
        factors = []
        for shape in (own, *rivals):
            allowed = allowed_ratio(self.guarantee, shape.name)
            factor = resolution(shape.name, allowed, learnt, n, alpha)
            if shape is own or allowed > 0:
                factors.append(
                    None if factor is None or not unit else factor * allowed / shape.deviation / unit
                )
        certain = [f for f in factors if f is not None]
        return round(max(certain), 4) if len(certain) == len(factors) else None

    def _witness(self, plan: ChosenParts, below: Sequence[Floats], n: Floats, alpha: float) -> dict[str, Any]:
        parts = [
            {
                "direction": {"entry": int(np.argmax(np.abs(p.direction)))}
                if p.single and len(p.direction) > 1
                else plain(p.direction),
                "inputs": p.weights.side.tolist(),
                "thresholds": p.weights.threshold.tolist(),
                "weights": p.weights.w.tolist(),
                "below": p.of_weights(b).astype(int).tolist(),
            }
            for p, b in zip(plan.parts, below, strict=True)
            if p.weights is not None
        ]
        return {
            "kind": "additive noise",
            "noise": plan.shape.name,
            **self.key(),
            "inputs": shown(self.pair),
            "parts": parts,
            "trials": n.astype(int).tolist(),
            "alpha": alpha,
        }

    def _series(self, plan: ChosenParts, ratios: Floats) -> tuple[Series, ...]:
        shape, estimated = plan.shape, _ratios_estimated(plan)
        epsilon = np.linspace(0.0, float(epsilon_grid(self.guarantee)[-1]), _POINTS)
        given = f"assuming {shape.word} noise"
        lines = (
            _line("claimed", "claimed", epsilon, np.asarray(self.guarantee.curve()(epsilon), dtype=float)),
            _line(f"certified lower bound, {given}", "attack", epsilon, profile(shape, ratios, epsilon)),
            _line(f"estimated, {given}", "measured", epsilon, profile(shape, estimated, epsilon)),
        )
        title = f"Privacy curve by components: {self.claim.subject.name}"
        shown = tuple(line for line in lines if line.x)  # nothing is certified: no line
        return (Series("components", title, "epsilon", "delta", shown, y_scale="log"),)


def _line(name: str, role: Literal["claimed", "attack", "measured"], epsilon: Floats, delta: Floats) -> Line:
    keep = delta > _SMALLEST_SHOWN
    return Line(name, role, tuple(epsilon[keep].tolist()), tuple(delta[keep].tolist()))


def _ratios_estimated(plan: ChosenParts) -> Floats:
    return np.array([p.ratio for p in plan.parts if p.weights is not None])


def _moved(plan: ChosenParts, own: Reading) -> float:
    """By about how many scales the query moves: other outcomes gave the estimate, which is no less than what is certain."""
    return max(size(plan.shape, _ratios_estimated(plan)), size(own.shape, own.ratios))


def _others(readings: Sequence[Reading]) -> str:
    """A sentence on the shapes that were not declared: which of them the outcomes contradict."""
    could = [r.shape.word for r in readings if not r.against]
    cannot = [r.shape.word for r in readings if r.against]
    said = [f"could also be {' or '.join(could)} noise"] if could else []
    said += [f"contradict {' and '.join(cannot)} noise"] if cannot else []
    return "the outcomes " + " and ".join(said)


@lru_cache(512)
def resolution(noise: str, allowed: float, learnt: int, n: int, alpha: float) -> float | None:
    """The smallest factor by which noise below what a claim needs is found with probability 0.95, from simulated counts."""
    shape = SHAPES[noise]
    if not 0 < allowed < np.inf:
        return None

    def power(c: float) -> float:
        centres = np.array([0.0, c * allowed])
        at = thresholds(shape, centres, 1.0)
        w = best_weights(shape, centres, 1.0, at, EXPECTED_GROWTH * learnt, EXPECTED_ALPHA)
        if w is None:
            return 0.0
        rng = np.random.default_rng(0)
        below = np.empty((_SIMULATIONS, len(w.w)))
        for i in (0, 1):
            mine = np.flatnonzero(w.side == i)
            mine = mine[np.argsort(w.threshold[mine])]
            cells = np.diff(shape.cdf(w.threshold[mine] - centres[i]), prepend=0.0, append=1.0)
            drawn = rng.multinomial(n, np.maximum(cells, 0.0), size=_SIMULATIONS)
            below[:, mine] = np.cumsum(drawn, axis=1)[:, :-1]
        return float(np.mean(w.bound(shape, below, [n, n], alpha) > allowed))

    return smallest_factor(power)
