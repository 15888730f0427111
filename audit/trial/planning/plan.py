"""How many samples an audit needs for a resolution, and which resolution it reaches with so many samples.

Both answers come from simulating the distinguisher on the exact masses of the events of two laws; no release is called.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ....mechanisms.adapted import not_a_subject, subject_of
from ....mechanisms.mechanism import Mechanism
from ....symbolic.claim import Claim
from ....symbolic.errors import SpecError, came
from ....symbolic.predicates import Predicate
from ....symbolic.privacy.guarantees import Guarantee
from ..checks import BIT_CHECKS, CHECKS
from .at_the_claim import RELEASES, WORST, in_words, none_at, releases_of
from .cells import Cells
from .departures import LARGEST, LEAST, MOST, Departure


@dataclass(frozen=True)
class PairPlan:
    """The answer for one pair of neighbours (its number, from 0); None: out of reach."""

    pair: int
    samples: int | None
    resolution: float | None


@dataclass(frozen=True)
class SamplePlan:
    """The plan of an audit: samples per input, and the departure from the claim that they find.

    With `samples`, learning included, it refutes a departure of `resolution` along `ray` with probability `power`. `alpha` is that
    of the whole audit, shared by `tests` statistical checks. `samples` or `resolution` is None if no number within reach is enough,
    and `reason` then says why. A violation on all `pairs` is found on the easiest.
    `release` names the law that is assumed, exactly at the claim, for a subject whose law is unknown.

    >>> plan = npf.sample_size(None, npf.PureDP(1.0), resolution=1.5, release="Laplace noise")
    >>> plan.samples, plan.power, plan.ray
    (620, 0.95, 'the noise scaled by 1/c')
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
    release: str = ""


def sample_size(
    subject: Any,
    claim: Predicate | Claim,
    resolution: float,
    *,
    alpha: float = 0.05,
    power: float = 0.95,
    tests: int | None = None,
    release: str = WORST,
) -> SamplePlan:
    """The samples per input with which an audit finds a departure of `resolution` > 1, to about 5 %, as a SamplePlan.

    For a mechanism the departure is its noise divided by `resolution`. Other code, and `subject` None, is taken for a
    `release` exactly at the claim: the "worst case", which leaks all that the claim allows, with the claim made so many
    times stricter; "Gaussian noise" or "Laplace noise", with that noise divided by `resolution`.
    `alpha` and `power` are probabilities; `tests` is the number of statistical checks that share `alpha`: by default those of an
    audit of this claim alone. SpecError if an argument is unusable or the claim is none that the distinguisher tests.

    >>> mechanism = npf.LaplaceMechanism(epsilon=1.0, sensitivity=1.0)
    >>> npf.sample_size(mechanism, npf.PureDP(1.0), resolution=1.5).samples
    500
    """
    if (
        isinstance(resolution, bool)
        or not isinstance(resolution, int | float | np.number)
        or not 1 < resolution < math.inf
    ):
        raise SpecError(
            f"resolution must be a finite number > 1, the factor of the departure to be found, got {resolution!r}"
        )
    departures, settings = _prepared(subject, claim, alpha, power, tests, release)
    share = alpha / settings["tests"]

    def least(d: Departure) -> int | None:
        found = d.samples(float(resolution), share, power)
        return None if found is None else min(MOST, round(_rounded_up(found, 2)))

    pairs = tuple(PairPlan(i, least(d), float(resolution)) for i, d in enumerate(departures))
    best = min((p.samples for p in pairs if p.samples is not None), default=None)
    reason = "" if best is not None else _out_of_reach(departures, float(resolution), share, power)
    return SamplePlan(samples=best, resolution=float(resolution), pairs=pairs, reason=reason, **settings)


def resolution_at(
    subject: Any,
    claim: Predicate | Claim,
    samples: int,
    *,
    alpha: float = 0.05,
    power: float = 0.95,
    tests: int | None = None,
    release: str = WORST,
) -> SamplePlan:
    """The smallest departure that an audit finds with `samples` per input, 100 to 10^9; arguments as in `sample_size`, SpecError too.

    >>> mechanism = npf.LaplaceMechanism(epsilon=1.0, sensitivity=1.0)
    >>> round(npf.resolution_at(mechanism, npf.PureDP(1.0), samples=10_000).resolution, 2)
    1.1
    """
    if isinstance(samples, bool) or not isinstance(samples, int | np.integer) or not LEAST <= samples <= MOST:
        raise SpecError(f"samples must be a whole number from {LEAST} to {MOST:,} per input, got {samples!r}")
    departures, settings = _prepared(subject, claim, alpha, power, tests, release)
    share = alpha / settings["tests"]
    pairs = tuple(
        PairPlan(i, int(samples), _smallest(d, int(samples), share, power)) for i, d in enumerate(departures)
    )
    best = min((p.resolution for p in pairs if p.resolution is not None), default=None)
    reason = "" if best is not None else f"no factor up to {LARGEST:g} is found with so many samples"
    return SamplePlan(samples=int(samples), resolution=best, pairs=pairs, reason=reason, **settings)


def plan_all(
    claims: Sequence[Claim],
    *,
    resolution: float | None = None,
    samples: int | None = None,
    alpha: float = 0.05,
    power: float = 0.95,
    bits: bool = False,
) -> tuple[tuple[SamplePlan, ...], tuple[str, ...]]:
    """Plans for each claim of an audit that the distinguisher tests, one a release that it may be about, and why there are no others.

    Exactly one of `resolution` and `samples` is given; all checks of the audit share `alpha`.
    """
    if (resolution is None) == (samples is None):
        raise SpecError("expected either a resolution or a number of samples; the other one is the answer")
    tests = max(1, statistical_checks(claims, bits))
    plans, skipped = [], []
    for claim in claims:
        control = "a control, false on purpose" if claim.expect == "falls" else ""
        why = unplanned(claim) or control
        if why:
            skipped.append(f"{claim.subject.name}: {claim.title or claim.predicate.sentence()}: {why}")
            continue
        assert isinstance(claim.predicate, Guarantee)
        for release, known in releases_of(claim.subject, claim.predicate).items():
            if not known:
                skipped.append(none_at(release, claim.predicate))
                continue
            shared: Any = {"alpha": alpha, "power": power, "tests": tests, "release": release}
            plans.append(
                resolution_at(None, claim, samples, **shared)
                if samples is not None
                else sample_size(None, claim, resolution or 0.0, **shared)
            )
    return tuple(plans), tuple(skipped)


def unplanned(claim: Claim) -> str:
    """Why the distinguisher does not test this claim; empty if it does."""
    if not isinstance(claim.predicate, Guarantee):
        return "no privacy guarantee: other checks test it, each at a resolution that its certificate states"
    if claim.about == "law":
        return "about the law alone: it is proved or computed, without samples"
    if claim.subject is not None and not claim.subject.neighbours():
        return f"{claim.subject.name} has no neighbouring inputs to tell apart"
    if not isinstance(claim.subject, Mechanism) and Cells.at(claim.predicate) is None:
        return "no release is known that sits exactly at this claim; plan for a mechanism with a law"
    return ""


def statistical_checks(claims: Sequence[Claim], bits: bool = False) -> int:
    """How many checks of an audit of these claims share its alpha; a claim without a subject is tested by one."""
    kinds = (*CHECKS, *(BIT_CHECKS if bits else ()))
    named = [replace(c, subject=subject_of(c.subject) or c.subject) for c in claims if c.subject is not None]
    checks = (check for claim in named for kind in kinds for check in kind.bind_all(claim))
    return len(claims) - len(named) + sum(1 for check in checks if check.inputs() or check.statistical)


def _prepared(
    subject: Any, claim: Predicate | Claim, alpha: float, power: float, tests: int | None, release: str
) -> tuple[list[Departure], dict[str, Any]]:
    """One departure per pair of neighbours, and what every plan states."""
    if not (isinstance(alpha, int | float) and 0 < alpha < 1):
        raise SpecError(f"alpha must lie strictly between 0 and 1, got {alpha!r}")
    if not (isinstance(power, int | float) and 0.5 <= power <= 0.99):
        raise SpecError(
            f"power must lie in [0.5, 0.99], the probability of finding the departure, got {power!r}"
        )
    if tests is not None and (isinstance(tests, bool) or not isinstance(tests, int) or tests < 1):
        raise SpecError(f"tests must be a whole number >= 1, or left out, got {tests!r}")
    if not isinstance(claim, Claim | Predicate):
        raise SpecError(f"claim must be a guarantee such as PureDP(1.0), or Claim(...), got {came(claim)}")
    claim = (Claim(claim) if isinstance(claim, Predicate) else claim).of(subject)
    if claim.subject is not None and subject_of(claim.subject) is None:
        raise SpecError(f"subject {not_a_subject(claim.subject)}")
    why = unplanned(claim)
    if why:
        raise SpecError(f"not planned: {claim.predicate.sentence()}: {why}")
    assert isinstance(claim.predicate, Guarantee)
    lawful = isinstance(claim.subject, Mechanism)
    if release not in RELEASES:
        raise SpecError(f"release must be one of {', '.join(map(repr, RELEASES))}, got {release!r}")
    departures = Departure.all_of(claim.subject, claim.predicate, release)
    if not departures:
        raise SpecError(f"not planned: {none_at(release, claim.predicate)}")
    settings = {
        "subject": "a release exactly at the claim" if claim.subject is None else claim.subject.name,
        "claim": claim.title or claim.predicate.sentence(),
        "ray": departures[0].ray,
        "power": float(power),
        "alpha": float(alpha),
        "tests": tests or statistical_checks([claim]),
        "release": "" if lawful else in_words(release, claim.predicate),
    }
    return departures, settings


def _smallest(departure: Departure, samples: int, share: float, power: float) -> float | None:
    found = departure.factor(samples, share, power)
    return None if found is None else round(1 + _rounded_up(found - 1, 3), 9)


def _out_of_reach(departures: list[Departure], factor: float, share: float, power: float) -> str:
    best = min((c for d in departures if (c := d.factor(MOST, share, power)) is not None), default=None)
    tail = (
        "nor does a larger one"
        if best is None
        else f"no c below about {best:.5g} is found with {MOST:,} samples per input"
    )
    if all(math.isinf(d.fewest(factor, share, power)) for d in departures):
        return f"nothing to find: at c = {factor:g} no event on these inputs exceeds what the claim allows by more than 1e-9; {tail}"
    return f"out of reach: c = {factor:g} needs more samples; {tail}"


def _rounded_up(x: float, digits: int) -> float:
    """x with so many significant digits, rounded up: a plan errs on the side of more."""
    unit = 10.0 ** (math.floor(math.log10(x)) - digits + 1)
    return round(math.ceil(x / unit - 1e-9) * unit, 12)
