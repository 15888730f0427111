"""The distinguisher: events {score > t} on the code's outcomes against the whole claimed privacy curve."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import special

from ...mechanisms.mechanism import Subject
from ...symbolic.claim import Claim
from ...symbolic.guarantees import ApproxDP, Guarantee, PureDP
from ..check import Check, Counts
from ..evalue import EventCounts, delta_lower_bounds, epsilon_lower_bound, log_e_curve, log_e_points
from ..evidence import Evidence, Kind, Line, Resolution, Sentence, Series, Verdict
from ..outcomes import Grid, Outcomes, join, widen
from ..plain import plain
from ..scores import Score, atom_score, kind_table, law_score, linear_score
from .resolution import smallest_factor

Floats = NDArray[np.float64]
Rates = Callable[[float], tuple[Floats, Floats, Floats, Floats]]

_EVENTS = 6
_LAW_DRAWS, _LAW_NUMBERS = 80_000, 8_000_000
_REPEATS = 40
_MARGIN = 3.0
_THRESHOLDS = 48


@dataclass(frozen=True)
class Plan:
    """The events that will be counted, and what the learning sample says about them."""

    grid: Grid
    scores: tuple[Score, ...]
    events: tuple[tuple[int, float], ...]
    prior_k0: Floats
    prior_n0: float
    prior_k1: Floats
    prior_n1: float
    weights: Floats
    blind: bool = False


class LikelihoodRatio(Check):
    """Exact joint tests over all epsilons and both orders of one pair of neighbours."""

    name: ClassVar[str] = "likelihood ratio"
    kind: ClassVar[Kind] = "attack"
    sentence: ClassVar[Sentence] = "code"

    def __init__(self, claim: Claim, pair: tuple[Any, Any]) -> None:
        super().__init__(claim)
        self.pair = pair
        assert isinstance(claim.predicate, Guarantee)
        self.guarantee = claim.predicate
        self.subject: Subject = claim.subject

    @classmethod
    def bind(cls, claim: Claim) -> Self | None:
        if (
            not isinstance(claim.predicate, Guarantee)
            or claim.about == "law"
            or not claim.subject.neighbours()
        ):
            return None
        return cls(claim, claim.subject.neighbours()[0])

    @classmethod
    def bind_all(cls, claim: Claim) -> list[Self]:
        return (
            [cls(claim, pair) for pair in claim.subject.neighbours()] if cls.bind(claim) is not None else []
        )

    def inputs(self) -> tuple[Any, ...]:
        return self.pair

    def grid(self, points: int = 60) -> tuple[Floats, Floats]:
        """Epsilons at which the claimed curve is tested, with its deltas."""
        curve = self.guarantee.curve()
        ceiling = next((e for e in (1.0, 2.0, 5.0, 10.0, 20.0) if float(curve(e)) < 1e-9), 30.0)
        knots = [self.guarantee.epsilon] if isinstance(self.guarantee, PureDP | ApproxDP) else []
        epsilon = np.unique([*np.linspace(0.0, max([ceiling, *knots]), points), *knots])
        return epsilon, np.asarray(curve(epsilon), dtype=float)

    def learn(self, sample: Sequence[Outcomes]) -> Plan:
        width = max(s.values.shape[1] for s in sample)
        grid = Grid.of(join([widen(s, width) for s in sample]))
        sample = [grid.round(s) for s in sample]
        zero, one = sample
        scores = [
            s
            for s in (self._law_score(sample), atom_score(zero, one), linear_score(zero, one))
            if s is not None
        ]
        candidates: list[tuple[int, float]] = []
        k0: list[float] = []
        k1: list[float] = []
        for i, score in enumerate(scores):
            s0, s1 = (np.sort(_grouped(score.of(s))) for s in sample)
            for t in _thresholds(np.concatenate([s0, s1])):
                candidates.append((i, float(t)))
                k0.append(len(s0) - np.searchsorted(s0, t, side="right"))
                k1.append(len(s1) - np.searchsorted(s1, t, side="right"))
        blind = False
        if not candidates:
            # One and the same outcome on both inputs leaves nothing to tell apart; outcomes that never repeat and hold
            # no numbers leave nothing to count.
            blind = len(np.unique(np.concatenate([widen(s, width).keys() for s in sample]))) > 1
            scores, candidates, k0, k1 = (
                [Score("constant", lambda o: np.zeros(len(o)))],
                [(0, 0.0)],
                [0.0],
                [0.0],
            )
        c0, c1 = np.array(k0, dtype=float), np.array(k1, dtype=float)
        gain = log_e_points(_trial(c0, len(zero), c1, len(one), 0.0), *self.grid()).max(axis=1)
        if scores[0].name.startswith("privacy loss"):
            # The law's own score is optimal if the code follows the law: others must win clearly.
            gain = gain - np.array([_MARGIN * (i > 0) for i, _ in candidates])
        best = np.argsort(-gain, kind="stable")[:_EVENTS]
        return Plan(
            grid,
            tuple(scores),
            tuple(candidates[j] for j in best),
            c0[best],
            len(zero),
            c1[best],
            len(one),
            _weights(len(best)),
            blind,
        )

    def _law_score(self, sample: Sequence[Outcomes]) -> Score | None:
        kinds = np.concatenate([s.kinds for s in sample])
        usual = next(s for s in sample if kind_table(kinds)[0] in s.kinds)
        try:
            known = all(self.subject.log_density(usual.values[:2], x) is not None for x in self.pair)
        except (ValueError, TypeError, IndexError):
            return None  # outcomes that the declared law cannot even read: the other scores see them
        return law_score(self.subject.log_density, self.pair, kinds, usual.values.shape[1]) if known else None

    def count(self, plan: Plan, unit: Sequence[Outcomes]) -> Counts:
        rows: list[Floats] = []
        for sample in unit:
            rounded = plan.grid.round(sample)
            scores = {i: _grouped(plan.scores[i].of(rounded)) for i in {i for i, _ in plan.events}}
            rows.append(
                np.array(
                    [*(np.count_nonzero(scores[i] > t) for i, t in plan.events), len(sample)], dtype=float
                )
            )
        return np.array(rows)

    def judge(self, plan: Plan, counts: Counts | None, alpha: float) -> Evidence:
        assert counts is not None
        events = EventCounts(
            counts[0, :-1], counts[0, -1], counts[1, :-1], counts[1, -1],
            plan.prior_k0, plan.prior_n0, plan.prior_k1, plan.prior_n1, plan.weights,
        )  # fmt: skip
        epsilon, delta = self.grid()
        log_e, at = log_e_curve(events, epsilon, delta)
        refuted = log_e >= -np.log(alpha)
        # NaN is a curve that could not be evaluated: no evidence for anything.
        toothless = not self._could_refute(plan, events, alpha)
        silent = plan.blind or toothless or not np.isfinite(log_e)
        support = Verdict.UNDECIDED if silent else Verdict.SURVIVED
        claimed = float(delta[at])
        reference = (
            self.guarantee.delta
            if isinstance(self.guarantee, ApproxDP)
            else (0.0 if isinstance(self.guarantee, PureDP) else 1e-5)
        )
        lower = epsilon_lower_bound(events, reference, alpha)
        detail = (
            f"{int(events.n0 + plan.prior_n0):,} outcomes on input 0 and {int(events.n1 + plan.prior_n1):,} on input 1, of which "
            f"{int(plan.prior_n0):,} and {int(plan.prior_n1):,} chose the events; e-value against the claimed curve "
            f"{_power_of_ten(log_e)}, refuted from {_power_of_ten(-np.log(alpha))}; at delta = {reference:g} epsilon is certainly at least {lower:.4g}"
        )
        if plan.blind:
            detail = (
                "no two outcomes are alike and they hold no numbers that could be sorted: no event was tested; "
                + detail
            )
        if toothless:
            detail = (
                "the claim allows so much that even outcomes which give the input away would not refute it at this sample size; "
                + detail
            )
        witness = None
        if refuted:
            witness = {
                "kind": "event counts", "predicate": type(self.guarantee).__name__, "parameters": plain(self.guarantee.parameters()),
                "inputs": [plain(x) for x in self.pair],
                "events": [{"score": plan.scores[i].name, "threshold": t} for i, t in plan.events],
                "counts": {name: plain(getattr(events, name)) for name in EventCounts.__dataclass_fields__},
                "epsilon": float(epsilon[at]), "delta": claimed, "grid": [list(row) for row in zip(epsilon.tolist(), delta.tolist(), strict=True)], "alpha": alpha,
            }  # fmt: skip
        return Evidence(
            self.name, self.kind, self.sentence, Verdict.REFUTED if refuted else support,
            f"no event tells the two inputs apart better than {self.guarantee.sentence()} allows",
            detail, error=alpha, witness=witness,
            resolution=None if refuted or silent else self.resolution(plan.prior_n0, events.n0, alpha, events),
            series=self._series(events, alpha),
        )  # fmt: skip

    def _could_refute(self, plan: Plan, events: EventCounts, alpha: float) -> bool:
        """Whether a release that gives its input away in every outcome would have been caught: otherwise nothing was tested."""
        never, always = np.zeros(1), np.ones(1)
        perfect = EventCounts(never, events.n0, events.n1 * always, events.n1, never, plan.prior_n0,
                              plan.prior_n1 * always, plan.prior_n1, always)  # fmt: skip
        return bool(log_e_curve(perfect, *self.grid())[0] + np.log(0.5) >= -np.log(alpha))

    def _series(self, events: EventCounts, alpha: float) -> tuple[Series, ...]:
        from statsmodels.stats.proportion import proportion_confint

        epsilon, delta = self.grid()
        fine = np.linspace(0.0, float(epsilon[-1]), 33)
        p, q = events.k1 / events.n1, events.k0 / events.n0
        ratio = np.exp(fine)[:, None]
        seen = np.maximum.reduce(
            [p - ratio * q, q - ratio * p, 1 - p - ratio * (1 - q), 1 - q - ratio * (1 - p)]
        )
        lines = [
            Line("claimed", "claimed", _floats(epsilon), _floats(delta)),
            Line(
                "certainly exceeded",
                "attack",
                _floats(fine),
                _floats(delta_lower_bounds(events, fine, alpha)),
            ),
            Line("best tested event", "measured", _floats(fine), _floats(np.maximum(0.0, seen.max(axis=1)))),
        ]
        worst = getattr(self.subject, "worst_case", lambda: None)()
        if worst is not None:
            lines.append(Line("law, exact", "law", _floats(fine), _floats(worst.pair.delta(fine))))
        curves = Series(
            "privacy curve", f"Privacy curve: {self.subject.name}", "epsilon", "delta", tuple(lines)
        )
        rate = np.linspace(0.0, 1.0, 41)
        grow = np.exp(epsilon)[:, None]
        missed = np.maximum(1 - delta[:, None] - grow * rate, (1 - delta[:, None] - rate) / grow).max(axis=0)
        order = np.argsort(q, kind="stable")
        low, high = proportion_confint((events.n1 - events.k1)[order], events.n1, alpha=alpha, method="beta")
        trade = Series(
            "trade-off", f"Trade-off curve: {self.subject.name}", "false alarm rate", "missed detection rate",
            (
                Line("claimed: no test lies below", "claimed", _floats(rate), _floats(np.maximum(missed, 0.0))),
                Line("tested events", "measured", _floats(q[order]), _floats((1 - p)[order]), _floats(low), _floats(high)),
            ),
        )  # fmt: skip
        return curves, trade

    def resolution(
        self, learnt: float, counted: float, alpha: float, events: EventCounts | None = None
    ) -> Resolution | None:
        """The noise scaled by 1/c where the law can be scaled, the claim made c times stricter otherwise."""
        rates = self._scaled_law_rates()
        ray = "the noise scaled by 1/c"
        if rates is None:
            if events is None:
                return None
            rates, ray = self._stricter_claim_rates(events), "the claim made c times stricter"
        rng = np.random.default_rng(0)

        def power(c: float) -> float:
            """The whole procedure on simulated counts: choose events on the learning part, test them on the rest."""
            q, p, epsilon, delta = rates(c)
            learn0, learn1, k0, k1 = (
                _simulated_counts(r, int(size), rng) for size in (learnt, counted) for r in (q, p)
            )
            gain = log_e_points(_trial(learn0.ravel(), learnt, learn1.ravel(), learnt, 0.0), epsilon, delta)
            chosen = np.argsort(-gain.max(axis=1).reshape(learn0.shape), axis=1)[:, :_EVENTS]
            picked = [np.take_along_axis(k, chosen, axis=1).ravel() for k in (k0, k1, learn0, learn1)]
            trial = replace(_trial(picked[0], counted, picked[1], counted, 0.0),
                            prior_k0=picked[2], prior_n0=learnt, prior_k1=picked[3], prior_n1=learnt)  # fmt: skip
            each = log_e_points(trial, epsilon, delta).max(axis=1).reshape(chosen.shape)
            weights = _weights(chosen.shape[1])
            return float(np.mean(special.logsumexp(each, b=weights, axis=1) >= -np.log(alpha)))

        value = smallest_factor(power)
        return None if value is None else Resolution(ray, value)

    def _scaled_law_rates(self) -> Rates | None:
        """Event probabilities when the declared law's noise is divided by c, events sorted by the declared law.

        Both probabilities come from one sample of the scaled law at input 1, weighted for input 0: their errors
        nearly cancel in p - e^epsilon q.
        """
        law, scale = getattr(self.subject, "law", None), getattr(self.subject, "with_noise_divided_by", None)
        if law is None or scale is None:
            return None
        epsilon, delta = self.grid(points=12)
        score = law_score(self.subject.log_density, self.pair, np.array([""]))

        def rates(c: float) -> tuple[Floats, Floats, Floats, Floats]:
            mechanism = scale(c)
            law = mechanism.law(self.pair[1])
            y = law.sample(
                min(_LAW_DRAWS, max(2_000, _LAW_NUMBERS // law.dimension)), np.random.default_rng(1)
            )
            s = _grouped(score.of(Outcomes(y, np.full(len(y), ""))))
            with np.errstate(all="ignore"):
                weight = np.exp(
                    mechanism.log_density(y, self.pair[0]) - mechanism.log_density(y, self.pair[1])
                )
            mean, spread = float(weight.mean()), float(weight.std()) / np.sqrt(len(weight))
            # Weights average to one unless the supports differ: dividing by their mean removes most of their error.
            weight = weight / mean if abs(mean - 1) < 6 * spread + 1e-12 else weight
            return *_weighted_rates(s, weight, _thresholds(s)[::2]), epsilon, delta

        try:
            rates(2.0)
        except (TypeError, ValueError):
            return None
        return rates

    def _stricter_claim_rates(self, events: EventCounts) -> Rates:
        q, p = (events.k0 + 0.5) / (events.n0 + 1), (events.k1 + 0.5) / (events.n1 + 1)
        epsilon, _ = self.grid(points=12)
        return lambda c: (q, p, epsilon, np.asarray(self.guarantee.tightened(c).curve()(epsilon)))


def _simulated_counts(rates: Floats, size: int, rng: np.random.Generator) -> Floats:
    """Counts (repeats, J) of {score > t_j} with these rates: nested events if the rates fall with j, else independent ones."""
    if len(rates) > 1 and np.all(np.diff(rates) <= 0):
        cells = np.clip(-np.diff(np.concatenate([[1.0], rates, [0.0]])), 0.0, 1.0)
        below = np.cumsum(rng.multinomial(size, cells / cells.sum(), size=_REPEATS), axis=1)
        return np.asarray(size - below[:, :-1], dtype=float)
    return rng.binomial(size, np.clip(rates, 0.0, 1.0), size=(_REPEATS, len(rates))).astype(float)


def _weights(events: int) -> Floats:
    """Half of the weight on the best event, a quarter on the next, and so on; together one."""
    weights = 0.5 ** np.arange(1, events + 1)
    return np.asarray(weights / weights.sum(), dtype=float)


def _weighted_rates(scores: Floats, weight: Floats, cuts: Floats) -> tuple[Floats, Floats]:
    """P({score > t}) on input 0 (weighted) and on input 1 (counted), for each cut."""
    order = np.argsort(scores)
    place = np.searchsorted(scores[order], cuts, side="right")
    above = np.concatenate([np.cumsum(weight[order][::-1])[::-1], [0.0]])[place]
    return np.minimum(above / len(scores), 1.0), 1 - place / len(scores)


def _trial(k0: Floats, n0: float, k1: Floats, n1: float, prior: float) -> EventCounts:
    """Counts with a prior learnt from a sample `prior` times as large, equal weights."""
    weights = np.full(len(k0), 1 / max(len(k0), 1))
    return EventCounts(k0, n0, k1, n1, prior * k0, prior * n0, prior * k1, prior * n1, weights)


def _thresholds(scores: Floats) -> Floats:
    """Values at which {score > t} is neither empty nor everything: quantiles, denser in the tails."""
    levels = np.unique(
        np.concatenate(
            [
                np.linspace(0.02, 0.98, _THRESHOLDS),
                np.geomspace(1e-4, 0.02, 9),
                1 - np.geomspace(1e-4, 0.02, 9),
            ]
        )
    )
    values = np.unique(np.quantile(scores, levels, method="inverted_cdf"))
    # {score > t} with t an attained value; the value below the smallest would be the sure event.
    return np.asarray(values[values < scores.max()], dtype=float)


def _grouped(scores: Floats) -> Floats:
    """Scores to nine digits: outcomes of equal loss stay together whatever the rounding of their scores."""
    return np.asarray(np.round(scores, 9), dtype=float)


def _floats(values: Any) -> tuple[float, ...]:
    return tuple(float(v) for v in np.asarray(values).ravel())


def _power_of_ten(log_value: float) -> str:
    return f"10^{log_value / np.log(10):.1f}"
