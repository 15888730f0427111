"""How many samples an audit needs for a resolution, and which resolution it reaches with so many samples.

Both answers come from simulating the distinguisher on the exact masses of the events of two laws; no release is called.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..mechanisms.mechanism import Mechanism
from ..symbolic.claim import Claim
from ..symbolic.guarantees import Guarantee
from ..symbolic.predicates import Predicate
from .cells import Cells
from .checks import BIT_CHECKS, CHECKS
from .checks.distinguishing_power import SCALED_NOISE, STRICTER_CLAIM
from .claimed_curve import ClaimedCurve
from .errors import SpecError
from .sampling import Schedule, has_density
from .simulated_audits import refuted_share

LEAST, MOST = 100, 10**9  # samples per input
_SMALLEST, _LARGEST = 1e-4, 1e3  # excess of a resolution over one
_ROUGH, _FINE = 100, 1_000  # simulated audits per number of samples
_STEP, _NARROW, _TOLERANCE = 4.0, 1.5, 1.04  # factors between the numbers that are tried
_LOOSE = 0.03  # rough simulations may fall short of the power by this much


@dataclass(frozen=True)
class PairPlan:
    """The answer for one pair of neighbours (its number, from 0); None: out of reach."""

    pair: int
    samples: int | None
    resolution: float | None


@dataclass(frozen=True)
class SamplePlan:
    """With `samples` per input, learning included, an audit refutes a departure of `resolution` along `ray` with probability `power`.

    `alpha` is that of the whole audit, shared by `tests` statistical checks.  `samples` or `resolution` is None if no
    number within reach is enough, and `reason` then says why.  A departure on all `pairs` is found on the easiest.
    """

    subject: str
    claim: str
    ray: str
    samples: int | None
    resolution: float | None
    power: float
    alpha: float
    tests: int
    pairs: tuple[PairPlan, ...]
    reason: str = ""


@dataclass(frozen=True)
class _Departure:
    """One pair of neighbours: the cells and the claimed curve at each factor c >= 1 along the ray."""

    ray: str
    at: Callable[[float], tuple[Cells, ClaimedCurve]]
    width: int
    known: bool

    def power(self, samples: float, factor: float, alpha: float, audits: int) -> float:
        schedule = Schedule.of(round(samples), self.width, self.known)
        return refuted_share(*self.at(factor), sum(schedule.learning), sum(schedule.units), alpha, audits)

    def breaks(self, factor: float) -> bool:
        """Whether the claim is false at this factor, on the events of the cells."""
        cells, claimed = self.at(factor)
        return cells.exceed(claimed)


def samples_needed(subject: Any, claim: Predicate | Claim, resolution: float, *, alpha: float = 0.05, power: float = 0.95,
                   tests: int | None = None) -> SamplePlan:  # fmt: skip
    """The samples per input with which an audit finds a departure of `resolution` > 1, to about 5 %.

    For a mechanism the departure is its noise divided by `resolution`.  For other code, and for `subject` None, it is the
    claim made so many times stricter, on a release that leaks all that the claim allows; one that leaks less needs more.
    `tests` is the number of statistical checks that share `alpha`: by default those of an audit of this claim alone.
    Raises SpecError if an argument is unusable or the claim is none that the distinguisher tests.
    """
    if isinstance(resolution, bool) or not isinstance(resolution, int | float | np.number) or not 1 < resolution < math.inf:
        raise SpecError(f"resolution must be a finite number > 1, the factor of the departure to be found, got {resolution!r}")
    departures, settings = _prepared(subject, claim, alpha, power, tests)
    share = alpha / settings["tests"]

    def least(d: _Departure) -> int | None:
        found = _least(lambda n, audits: d.power(n, float(resolution), share, audits), LEAST, MOST, power)
        return None if found is None else min(MOST, round(_rounded_up(found, 2)))

    pairs = tuple(PairPlan(i, least(d), float(resolution)) for i, d in enumerate(departures))
    best = min((p.samples for p in pairs if p.samples is not None), default=None)
    reason = "" if best is not None else _out_of_reach(departures, float(resolution), share, power)
    return SamplePlan(samples=best, resolution=float(resolution), pairs=pairs, reason=reason, **settings)


def resolution_reached(subject: Any, claim: Predicate | Claim, samples: int, *, alpha: float = 0.05, power: float = 0.95,
                       tests: int | None = None) -> SamplePlan:  # fmt: skip
    """The smallest departure that an audit finds with so many samples per input; arguments as in `samples_needed`."""
    if isinstance(samples, bool) or not isinstance(samples, int | np.integer) or not LEAST <= samples <= MOST:
        raise SpecError(f"samples must be a whole number from {LEAST} to {MOST:,} per input, got {samples!r}")
    departures, settings = _prepared(subject, claim, alpha, power, tests)
    share = alpha / settings["tests"]
    pairs = tuple(
        PairPlan(i, int(samples), _smallest(d, int(samples), share, power)) for i, d in enumerate(departures)
    )
    best = min((p.resolution for p in pairs if p.resolution is not None), default=None)
    reason = "" if best is not None else f"no factor up to {_LARGEST:g} is found with so many samples"
    return SamplePlan(samples=int(samples), resolution=best, pairs=pairs, reason=reason, **settings)


def unplanned(claim: Claim) -> str:
    """Why the distinguisher does not test this claim; empty if it does."""
    if not isinstance(claim.predicate, Guarantee):
        return "no privacy guarantee: other checks test it, each at a resolution that its certificate states"
    if claim.about == "law":
        return "about the law alone: it is proved or computed, without samples"
    if claim.subject is not None and not claim.subject.neighbours():
        return f"{claim.subject.name} has no neighbouring inputs to tell apart"
    return ""


def statistical_checks(claims: Iterable[Claim], bits: bool = False) -> int:
    """How many checks of an audit of these claims share its alpha."""
    kinds = (*CHECKS, *(BIT_CHECKS if bits else ()))
    checks = (check for claim in claims for kind in kinds for check in kind.bind_all(claim))
    return sum(1 for check in checks if check.inputs() or check.statistical)


def _prepared(subject: Any, claim: Predicate | Claim, alpha: float, power: float, tests: int | None) -> tuple[list[_Departure], dict[str, Any]]:  # fmt: skip
    """One departure per pair of neighbours, and what every plan states."""
    if not (isinstance(alpha, int | float) and 0 < alpha < 1):
        raise SpecError(f"alpha must lie strictly between 0 and 1, got {alpha!r}")
    if not (isinstance(power, int | float) and 0.5 <= power <= 0.99):
        raise SpecError(f"power must lie in [0.5, 0.99], the probability of finding the departure, got {power!r}")
    if tests is not None and (isinstance(tests, bool) or not isinstance(tests, int) or tests < 1):
        raise SpecError(f"tests must be a whole number >= 1, or left out, got {tests!r}")
    if not isinstance(claim, Claim | Predicate):
        raise SpecError(f"claim must be a guarantee such as PureDP(1.0), or Claim(...), got {type(claim).__name__}")
    claim = (Claim(claim) if isinstance(claim, Predicate) else claim).of(subject)
    why = unplanned(claim)
    if why:
        raise SpecError(f"not planned: {claim.predicate.sentence()}: {why}")
    departures = _departures(claim)
    settings = {
        "subject": "a release exactly at the claim" if claim.subject is None else claim.subject.name,
        "claim": claim.title or claim.predicate.sentence(),
        "ray": departures[0].ray,
        "power": float(power),
        "alpha": float(alpha),
        "tests": tests or (1 if claim.subject is None else statistical_checks([claim])),
    }
    return departures, settings


def _departures(claim: Claim) -> list[_Departure]:
    subject, guarantee = claim.subject, claim.predicate
    assert isinstance(guarantee, Guarantee)
    if not isinstance(subject, Mechanism):
        cells = Cells.at(guarantee)
        if cells is None:
            raise SpecError(
                f"no release is known that sits exactly at the claim {guarantee.sentence()!r}; plan for a mechanism with a law"
            )
        known = subject is not None and has_density(subject, subject.neighbours()[0], 1)
        return [_Departure(STRICTER_CLAIM, partial(_stricter, cells, guarantee), 1, known)]
    out = []
    for pair in subject.neighbours():
        width = subject.law(pair[0]).dimension
        try:
            subject.with_noise_divided_by(2.0)
        except TypeError:
            cells = Cells.of(subject, subject, pair)
            out.append(_Departure(STRICTER_CLAIM, partial(_stricter, cells, guarantee), width, True))
        else:
            claimed = ClaimedCurve.of(guarantee)
            out.append(_Departure(SCALED_NOISE, partial(_scaled, subject, pair, claimed), width, True))
    return out


def _stricter(cells: Cells, guarantee: Guarantee, factor: float) -> tuple[Cells, ClaimedCurve]:
    return cells, ClaimedCurve.of(guarantee.tightened(factor))


def _scaled(subject: Mechanism, pair: tuple[Any, Any], claimed: ClaimedCurve, factor: float) -> tuple[Cells, ClaimedCurve]:
    return Cells.of(subject, subject.with_noise_divided_by(factor), pair), claimed


def _smallest(departure: _Departure, samples: int, share: float, power: float) -> float | None:
    found = _least(
        lambda excess, audits: departure.power(samples, 1 + excess, share, audits), _SMALLEST, _LARGEST, power
    )
    return None if found is None else round(1 + _rounded_up(found, 3), 9)


def _out_of_reach(departures: list[_Departure], factor: float, share: float, power: float) -> str:
    within = [_smallest(d, MOST, share, power) for d in departures]
    best = min((c for c in within if c is not None), default=None)
    tail = "no larger factor is found either" if best is None else f"the smallest factor that {MOST:,} samples per input find is {best:g}"  # fmt: skip
    if not any(d.breaks(factor) for d in departures):
        return f"nothing to find: with c = {factor:g} no event on these inputs exceeds what the claim allows; {tail}"
    return f"out of reach: c = {factor:g} needs more than {MOST:,} samples per input; {tail}"


def _least(found: Callable[[float, int], float], low: float, high: float, power: float) -> float | None:
    """The smallest x in [low, high] with found(x, simulated audits) >= power, by steps on a log scale; None if even `high` is not.

    Rough simulations find the neighbourhood, fine ones the place.
    """
    x = low
    while found(x, _ROUGH) < power - _LOOSE:
        if x >= high:
            return None
        x = min(x * _STEP, high)
    while x > low and found(x / _NARROW, _ROUGH) >= power - _LOOSE:
        x = max(x / _NARROW, low)
    while found(x, _FINE) < power:
        if x >= high:
            return None
        x = min(x * _NARROW, high)
    below = x
    while below == x and x > low:
        below = max(x / _NARROW, low)
        x = below if found(below, _FINE) >= power else x
    while x / below > _TOLERANCE:
        middle = math.sqrt(below * x)
        below, x = (below, middle) if found(middle, _FINE) >= power else (middle, x)
    return x


def _rounded_up(x: float, digits: int) -> float:
    """x with so many significant digits, rounded up: a plan errs on the side of more."""
    unit = 10.0 ** (math.floor(math.log10(x)) - digits + 1)
    return round(math.ceil(x / unit - 1e-9) * unit, 12)
