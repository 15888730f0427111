"""The public verb: a subject and claims go in, a certificate comes out."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Iterable, Sequence
from importlib import metadata
from typing import Any

import numpy as np

from ..mechanisms.black_box import BlackBox
from ..mechanisms.family import Family
from ..mechanisms.mechanism import Mechanism, Subject
from ..symbolic.claim import Claim
from ..symbolic.predicates import Predicate
from .caveats import caveats
from .certificate import Certificate, Finding, claim_record
from .check import Check, Counts
from .checks import BIT_CHECKS, CHECKS
from .errors import SpecError
from .evidence import Evidence, Sentence
from .plain import plain
from .sampling import Schedule, draw, fingerprint, learning_part, probe, require_values

Progress = Callable[[float, str], None]


def examine(
    subject: Any,
    claims: Predicate | Claim | Sequence[Predicate | Claim],
    *,
    alpha: float = 0.05,
    samples: int = 100_000,
    seed: int = 0,
    bits: bool = False,
    title: str = "",
    notes: Sequence[str] = (),
    provenance: dict[str, Any] | None = None,
    progress: Progress | None = None,
) -> Certificate:
    """Put claims about a subject on trial.

    `subject` is a Mechanism, a BlackBox, a Family or anything with their interface; claims may name subjects of
    their own (`subject` may then be None).  `alpha` is the probability that any true claim of the whole audit is
    refuted by a statistical check.  `samples` counts all calls per input.  `bits=True` also asks about the bytes.
    Raises SpecError (a ValueError) before any work if the arguments are unusable, and after the first probe if the
    release fails on all inputs.
    """
    start = time.perf_counter()
    _check_settings(alpha, samples, seed)
    bound = _bind(subject, claims)
    jobs = [(i, check) for i, claim in enumerate(bound) for check in _checks(claim, bits)]
    statistical = sum(1 for _, check in jobs if check.inputs())
    share = alpha / max(statistical, 1)
    report = progress or (lambda fraction, text: None)
    evidence: dict[int, list[Evidence]] = {i: [] for i in range(len(bound))}
    subjects = _distinct([c.subject for c in bound])
    results: dict[int, Evidence] = {}
    plans = _sampled(jobs, bound, subjects, samples, seed, report)
    for j, (i, check) in enumerate(jobs):
        report(0.9 + 0.1 * j / max(len(jobs), 1), f"judging: {check.name}")
        plan, counts = plans.get(j, (None, None))
        results[j] = check.judge(plan, counts, share)
        evidence[i].append(results[j])
    findings = tuple(
        Finding(
            i + 1, claim.subject.name, claim.title or claim.predicate.sentence(), claim_record(claim),
            _asked(claim, evidence[i], bits), tuple(evidence[i]), caveats(claim, tuple(evidence[i])),
        )
        for i, claim in enumerate(bound)
    )  # fmt: skip
    report(1.0, "done")
    return Certificate(
        title or ("Audit of " + ", ".join(dict.fromkeys(s.name for s in subjects)) if subjects else "Nothing to check"),
        tuple(_describe(s) for s in subjects),
        {"alpha": alpha, "alpha_per_test": share, "samples": samples, "seed": seed, "bits": bits},
        findings, tuple(notes), {**_versions(), "spec_digest": None, "data_digest": None, "command": None, **(provenance or {})},
        {"total_seconds": round(time.perf_counter() - start, 3)},
    )  # fmt: skip


def _check_settings(alpha: float, samples: int, seed: int) -> None:
    if not (isinstance(alpha, int | float) and 0 < alpha < 1):
        raise SpecError(f"alpha must lie strictly between 0 and 1, got {alpha!r}")
    if isinstance(samples, bool) or not isinstance(samples, int | np.integer) or samples < 100:
        raise SpecError(
            f"samples must be a whole number of at least 100 (learning and certification together), got {samples!r}"
        )
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise SpecError(f"seed must be a whole number >= 0, got {seed!r}")


def _bind(subject: Any, claims: Any) -> list[Claim]:
    items = [claims] if isinstance(claims, Predicate | Claim) else list(claims)
    out: list[Claim] = []
    for item in items:
        claim = Claim(item) if isinstance(item, Predicate) else item
        if not isinstance(claim, Claim):
            raise SpecError(
                f"claims must be predicates such as PureDP(1.0), or Claim(...), got {type(item).__name__}"
            )
        claim = claim.of(subject)
        if not isinstance(claim.subject, Mechanism | BlackBox | Family | Subject):
            raise SpecError(
                f"the subject of {claim.predicate.sentence()!r} must be a Mechanism, a BlackBox or a Family, got {type(claim.subject).__name__}"
            )
        if any(fingerprint(x) == fingerprint(y) for x, y in claim.subject.neighbours()):
            raise SpecError(
                f"{claim.subject.name}: two neighbouring inputs are equal, which no release can tell apart; give inputs that differ in one record"
            )
        out.append(claim)
    return out


def _checks(claim: Claim, bits: bool) -> Iterable[Check]:
    for kind in (*CHECKS, *(BIT_CHECKS if bits else ())):
        yield from kind.bind_all(claim)


def _asked(claim: Claim, evidence: Sequence[Evidence], bits: bool) -> tuple[Sentence, ...]:
    """Which of the four sentences the claim is about."""
    subject = claim.subject
    asked: list[Sentence] = []
    has_law = isinstance(subject, Mechanism) or (isinstance(subject, Family) and subject.has_density)
    if has_law:
        asked.append("law")
    if claim.about == "code" and (not isinstance(subject, Family) or subject.can_sample):
        if isinstance(subject, Mechanism) or any(e.sentence == "fit" for e in evidence):
            asked.append("fit")
        asked.append("code")
        if bits:
            asked.append("bytes")
    return tuple(asked) or ("law",)


def _distinct(subjects: Sequence[Any]) -> list[Any]:
    seen: dict[int, Any] = {}
    for s in subjects:
        seen.setdefault(id(s), s)
    return list(seen.values())


def _sampled(jobs: list[tuple[int, Check]], claims: list[Claim], subjects: list[Any], samples: int, seed: int,
             report: Progress) -> dict[int, tuple[Any, Counts]]:  # fmt: skip
    """Learn and count for all statistical checks; each unit of outcomes is drawn once and shown to all of them."""
    out: dict[int, tuple[Any, Counts]] = {}
    wanted: dict[int, dict[str, Any]] = {}
    for i, check in jobs:
        for index in check.inputs():
            wanted.setdefault(id(claims[i].subject), {}).setdefault(fingerprint(index), index)
    # Every release is probed before any long work starts.
    widths = {id(s): probe(s, list(wanted[id(s)].values()), seed) for s in subjects if id(s) in wanted}
    for number, subject in enumerate(s for s in subjects if id(s) in wanted):
        inputs = wanted[id(subject)]
        schedule = Schedule.of(samples, widths[id(subject)])
        mine = [(j, check, [fingerprint(x) for x in check.inputs()]) for j, (i, check) in enumerate(jobs)
                if claims[i].subject is subject and check.inputs()]  # fmt: skip
        learnt = {
            key: learning_part(subject, x, schedule, (number, place), seed)
            for place, (key, x) in enumerate(inputs.items())
        }
        require_values(subject, list(learnt.values()))
        plans = {j: check.learn([learnt[k] for k in keys]) for j, check, keys in mine}
        totals: dict[int, Counts] = {}
        for unit, size in enumerate(schedule.units):
            report(
                0.9 * (number + unit / len(schedule.units)) / max(len(widths), 1), f"sampling: {subject.name}"
            )
            drawn = {
                key: draw(subject, x, size, (number, place, unit + 1), seed)
                for place, (key, x) in enumerate(inputs.items())
            }
            for j, check, keys in mine:
                counts = check.count(plans[j], [drawn[k] for k in keys])
                totals[j] = counts if j not in totals else totals[j] + counts
        out.update({j: (plans[j], totals[j]) for j, _, _ in mine})
    return out


def _describe(subject: Any) -> dict[str, Any]:
    return {
        "name": subject.name,
        "summary": subject.summary,
        "parameters": plain(subject.parameters()),
        "deterministic": bool(subject.deterministic),
    }


def _versions() -> dict[str, Any]:
    packages = ("numpy", "scipy", "sympy", "python-flint")
    return {
        "noiseproof": metadata.version("noiseproof"),
        "python": platform.python_version(),
        "packages": {name: metadata.version(name) for name in packages},
    }
