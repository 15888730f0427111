"""The information of code against a claimed formula: outcomes along a path of parameters, all of which the claim is about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, ClassVar, Self

import numpy as np
import sympy as sp
from scipy import special

from ....mechanisms.family import Family
from ....symbolic.arrays import Floats
from ....symbolic.claim import Claim
from ....symbolic.information.claimed_length import NoLengthError, length_above, places_along
from ....symbolic.predicates import ErrorBound, FisherInformation
from ....symbolic.proof.enclosure import admits, rational
from ...record.evidence import Evidence, Measured, Verdict
from ...record.plain import plain, shown
from ..attack.path import PathCells, PathCount, choose, plain_scores, product_score
from ..attack.scores import Score
from ..check import Counted, Counts
from ..outcomes import Grid, Outcomes
from ..stated import symbols_of
from .distinguisher import Distinguisher, _of_numbers
from .enough_samples import would_decide
from .resolution import smaller_scale

_STEPS, _LENGTHS = (
    8,
    (2.0, 1.4, 1.0, 0.7, 0.4, 0.2),
)  # in units of one over the root of the claimed information
_FOUND = 0.92  # of the claimed information, at least: what is claimed 9 % too high is supported with probability alpha at most
_POWER = 4.0  # times the information that a bound allows, which half of the noise has: it must not be missed
_SURE = 1.645 * np.sqrt(2)
_LEVEL = 1e-9


@dataclass(frozen=True)
class Plan:
    """The grid of outcomes, the cells along the path, the deviation of the statistic, and how many outcomes taught them."""

    grid: Grid
    cells: PathCells
    deviation: float
    learnt: int
    failing: (
        int | None
    )  # the first parameter of the path at which outcomes are exceptions, or no finite numbers


class PathInformation(Counted):
    """Too much information along a path refutes the formula at some parameter of it; one parameter of theta moves."""

    name: ClassVar[str] = "information along a path"

    def __init__(self, claim: Claim, entry: int) -> None:
        super().__init__(claim)
        self.entry = entry
        subject, predicate = claim.subject, claim.predicate
        self.formula = predicate.formula  # type: ignore[attr-defined]
        self.symbols = symbols_of(subject, self.formula)
        self.symbol = self.symbols[entry]
        self.allowed = allowed_information(predicate, self.symbols, entry, subject.theta)
        self._lay()

    @classmethod
    def bind_all(cls, claim: Claim) -> list[Self]:
        """One check for each parameter; of a bound only where there is one."""
        subject, predicate = claim.subject, claim.predicate
        stated = isinstance(predicate, FisherInformation | ErrorBound) and predicate.formula is not None
        if claim.about != "code" or not stated or not isinstance(subject, Family) or not subject.can_sample:
            return []
        assert isinstance(predicate, FisherInformation | ErrorBound)
        assert predicate.formula is not None
        if isinstance(predicate, ErrorBound):
            unbiased = predicate.adversary in ("unbiased", "informed")
            return [cls(claim, 0)] if unbiased and subject.dimension == 1 else []
        order = [s.name for s in symbols_of(subject, predicate.formula)]
        about = [order.index(name) for name in predicate.formula.of or ()]
        square = len(predicate.formula.entries) == len(about)
        return [cls(claim, entry) for entry in about] if square else []

    def _lay(self) -> None:
        theta = float(self.claim.subject.theta[self.entry])
        low, high = self.formula.domain(self.symbols).floats(self.symbol.name)
        self.places, self.lengths, self.trouble = _laid(self.allowed, self.symbol, theta, low, high)

    def inputs(self) -> tuple[Any, ...]:
        theta = np.array(self.claim.subject.theta, dtype=float)
        out = []
        for place in self.places:
            theta[self.entry] = place
            out.append(self.claim.subject.index(theta.copy()))
        return tuple(out)

    def learn(self, sample: Sequence[Outcomes]) -> Plan:
        failing = next((i for i, s in enumerate(sample) if not s.plain().all()), None)
        grid, rounded = Distinguisher.rounded(sample)
        scores = plain_scores(rounded)
        if not scores:
            ends = rounded[0], rounded[-1]
            zero, one = (s[: len(s) // 2] for s in ends)
            found = [*_of_numbers(zero, one, flexible=True), *Distinguisher._written(zero, one)]
            width = rounded[0].values.shape[1]
            mean = Score("mean of its numbers", lambda s: s.values[:, :width].mean(axis=1))
            scores = [
                mean,
                *(s for s in [product_score(zero, one)] if s is not None),
                *(s for s in found if s is not None),
            ]
        cells = choose(scores, rounded)
        held = [s[len(s) // 2 :] for s in rounded]
        return Plan(grid, cells, float(cells.statistic(held).std()), min(map(len, sample)), failing)

    def count(self, plan: Plan, unit: Sequence[Outcomes], rng: np.random.Generator) -> Counts:
        """Outcomes at each parameter, the statistic's sum and squares, calls, and the square of the sum over the outcomes."""
        values = plan.cells.statistic([plan.grid.round(s) for s in unit])
        n, total = len(values), float(values.sum())
        return np.array([n, total, float(values @ values), 1.0, total**2 / max(n, 1)])

    def judge(self, plan: Plan | None, counts: Counts | None, alpha: float) -> Evidence:
        of = Measured(of=self.symbol.name)
        if not self.places or plan is None or counts is None:
            return self.evidence(Verdict.UNDECIDED, self.trouble, of, error=alpha)
        if plan.failing is not None:
            where = f"{self.symbol} = {self.places[plan.failing]:.6g}"
            detail = (
                f"at {where} outcomes are exceptions, or no finite numbers: domains={{{self.symbol.name!r}: (low, high)}} says "
                "for which parameters the claim and the code are made"
            )
            return self.evidence(Verdict.UNDECIDED, detail, of, error=alpha)
        cells, deviation, learnt = plan.cells, plan.deviation, plan.learnt
        n, total, squares, calls, between = counts
        seen = PathCount(n, total, squares, cells.highest)
        found = seen.least_ratio(self.lengths, deviation, alpha)
        spread = np.sqrt(max(squares / n - (total / n) ** 2, 0.0) / n)
        relative = spread / max(-total / n, 1e-300)
        broken = found > 1 + 1e-9
        excuse = "" if broken else self._shortfall(found, relative, n, learnt)
        if (
            calls > 1
            and spread > 0
            and special.chdtrc(calls - 1, (between - total**2 / n) / (n * spread**2)) < _LEVEL
        ):
            excuse = "outcomes of one call depend on each other, so that no test applies: draw every outcome independently"
        verdict = Verdict.UNDECIDED if excuse else Verdict.REFUTED if broken else Verdict.SURVIVED
        measured = Measured(
            of=self.symbol.name,
            samples=[int(n) + learnt],
            learnt=learnt,
            parameters=len(self.places),
            low=float(self.places[0]),
            high=float(self.places[-1]),
            cells=len(cells.edges) + 1,
            way=cells.score.name,
            found=float(found),
            claimed=1.0,
        )
        witness = None
        if verdict is Verdict.REFUTED:
            witness = {
                "kind": "information along a path",
                "inputs": shown(self.inputs()),
                "parameter": self.symbol.name,
                "theta": plain(self.claim.subject.theta),
                "places": self.places,
                "outcomes": n,
                "total": total,
                "squares": squares,
                "deviation": deviation,
                "values": cells.values.tolist(),
                "edges": cells.edges.tolist(),
                "alpha": alpha,
                **self.key(),
            }
        factor = 1 / max(found * (1 - _SURE * relative), 1e-300)
        resolution = smaller_scale(max(float(factor), 1.0))
        return self.evidence(
            verdict,
            excuse,
            measured,
            error=alpha,
            witness=witness,
            resolution=resolution if verdict is Verdict.SURVIVED else None,
        )

    def _shortfall(self, found: float, relative: float, n: float, learnt: int) -> str:
        """Why information within the claim does not support it, if so."""
        if isinstance(self.claim.predicate, FisherInformation):
            if found >= _FOUND:
                return ""
            return (
                f"less than {_FOUND:.0%} of the claimed information was found: the code may have less than is claimed, and outcomes alone "
                "bound information from below only; give more samples"
            )
        if found * (1 - _SURE * relative) * _POWER >= 1:
            return ""
        needed = would_decide(4 * (n + learnt), "what these outcomes show stays below")
        return f"a release with half of the noise that the claim needs would have been missed; {needed}"


@lru_cache(256)
def _laid(
    allowed: sp.Expr, symbol: sp.Symbol, theta: float, low: float, high: float
) -> tuple[list[float], Floats, str]:
    """A path as long as the domain admits, what the claim says of the length of its steps, or why there is none."""

    def inside(x: float) -> bool:
        return low < x < high and admits(symbol, rational(x))

    trouble = ""
    for length in _LENGTHS:
        places = places_along(allowed, symbol, theta, inside, length, _STEPS)
        if places is None:
            continue
        try:
            return places, np.array([length_above(allowed, symbol, a, b) for a, b in pairwise(places)]), ""
        except NoLengthError as error:
            trouble = str(error)
    none = f"no path of parameters around {symbol} = {theta:g} lies inside of what is claimed"
    return [], np.zeros(0), trouble or none


def allowed_information(predicate: Any, symbols: Sequence[sp.Symbol], entry: int, theta: Floats) -> sp.Expr:
    """The information about one parameter that the claim allows, in that parameter alone: the others are at theta."""
    formula = predicate.formula
    named = {s.name: s for s in symbols}
    matrix = formula.matrix(named)
    order = list(formula.of or [s.name for s in symbols])
    place = order.index(symbols[entry].name)
    value = matrix[0, 0] if formula.scalar else matrix[place, place]
    if isinstance(predicate, ErrorBound):
        weight = (
            1.0 if predicate.weight is None else float(np.asarray(predicate.weight, dtype=float).ravel()[0])
        )
        value = rational(weight) / value
    others = {
        s: rational(float(v)) for i, (s, v) in enumerate(zip(symbols, theta, strict=True)) if i != entry
    }
    return value.subs(others)
