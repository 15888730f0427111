"""The public verb: a subject and claims go in, a certificate comes out."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from ...mechanisms.adapted import not_a_subject, subject_of
from ...mechanisms.family import Family
from ...mechanisms.mechanism import Mechanism, Subject
from ...mechanisms.stated import Stated
from ...symbolic.claim import Claim, Scope
from ...symbolic.errors import SpecError, came
from ...symbolic.predicates import Predicate
from ..record.certificate import Certificate, finding_of
from ..record.evidence import Evidence, Sentence
from ..record.finding import is_of
from ..record.plain import plain
from ..record.reading.certificate_form import LONGEST_NAME
from ..record.seal.environment import code_digest
from .check import Check
from .checks import BIT_CHECKS, CHECKS
from .checks.likelihood_ratio import LikelihoodRatio
from .checks.sequential import Sequential
from .checks.vacuous import Vacuous
from .memory import require_inputs, require_samples
from .neighbours.kept_pairs import at_kept_pairs
from .neighbours.result import SearchedRelease
from .sampling import fingerprint
from .schedule.checkpoint import Checkpoint
from .schedule.chosen_executor import executor_of
from .schedule.digests import claims_digest
from .schedule.reached import Reached, content_digest
from .schedule.trial import evidence_of
from .schedule.work import Work
from .stated import read_formula

_LEAST_ALPHA = 1e-50
Progress = Callable[[float, str], None]
T = TypeVar("T")


def examine(
    subject: Any,
    claims: Predicate | Claim | Sequence[Predicate | Claim],
    *,
    alpha: float = 0.05,
    samples: int = 100_000,
    seed: int = 0,
    bits: bool = False,
    sequential: bool = False,
    seconds: float | None = None,
    call_seconds: float | None = None,
    title: str = "",
    notes: Sequence[str] = (),
    provenance: dict[str, Any] | None = None,
    progress: Progress | None = None,
    workers: int = 1,
    cluster: str | None = None,
    checkpoint: str | Path | None = None,
) -> Certificate:
    """Audits claims about a subject by proof, computation and attack, and returns the Certificate.

    `subject` is a Mechanism, a BlackBox, a Family, a Law, a Program or anything with their interface; claims may name subjects of
    their own (`subject` may then be None). `alpha` bounds the probability that any true claim of the whole audit
    is refuted by a statistical check. `samples` counts all calls per input. `bits=True` also audits the bytes.
    `sequential=True` tests privacy claims by betting and stops at the first refutation; a budget in `seconds` implies it
    (looked at between draws; other checks get the samples that the measured speed allows). `call_seconds` runs every
    release in a process of its own and ends the audit if one call takes longer. `workers` processes of this machine, or
    those of the Dask `cluster` at an address, share the work: the certificate is the same but for its timings.
    `checkpoint` is a folder that keeps finished units: the same call goes on from there; remove it to start again. The same
    `seed` draws the same. `title`, `notes` and `provenance` (plain data) are printed; `progress` is called with (share done, words).
    SpecError (a ValueError) before any work if the arguments are unusable, and after the first probe if the
    release fails on all inputs.

    >>> noisy_count = lambda data, size, rng: sum(data) + rng.laplace(scale=0.5, size=size)
    >>> count = npf.BlackBox(noisy_count, inputs=([1, 0, 1], [1, 1, 1]))
    >>> npf.examine(count, [npf.PureDP(2.1), npf.Claim(npf.PureDP(0.5), expect="falls")], samples=2_000).exit_code
    0
    """
    start = time.perf_counter()
    _check_settings(alpha, samples, seed, seconds, call_seconds)
    _check_kinds(title, notes, provenance, progress, checkpoint, bits, sequential)
    alpha = float(alpha)
    make = executor_of(workers, cluster)
    sequential = sequential or seconds is not None
    bound = bind(subject, claims)
    _check_names(title, bound)
    asked = {
        "alpha": alpha,
        "samples": samples,
        "seed": seed,
        "bits": bits,
        "sequential": sequential,
        "seconds": seconds,
        "call_seconds": call_seconds,
    }
    kept = None
    if checkpoint is not None:
        kept = Checkpoint(Path(checkpoint), _asked_of(bound, asked, provenance or {}))
        bound, notes = at_kept_pairs(kept, bound, notes)
    jobs = [(i, check) for i, claim in enumerate(bound) for check in _checks(claim, bits, sequential)]
    statistical = sum(1 for _, check in jobs if check.inputs() or check.statistical)
    share = alpha / max(statistical, 1)
    subjects = _distinct([c.subject for c in bound])
    settings = {"alpha": alpha, "alpha_per_test": share, **asked}
    report = progress or (lambda fraction, text: None)
    works = _works(jobs, bound, subjects, seed, share, call_seconds)
    results, seen = evidence_of(works, make, kept, samples, seconds, report)
    evidence: dict[int, list[Evidence]] = {i: [] for i in range(len(bound))}
    for j, (i, _) in enumerate(jobs):
        if j in results:
            evidence[i].append(results[j])
    findings = tuple(
        finding_of(i + 1, claim, _asked(claim, evidence[i], bits), tuple(evidence[i]))
        for i, claim in enumerate(bound)
    )
    report(1.0, "done")
    return Certificate(
        title
        or (
            "Audit of " + ", ".join(dict.fromkeys(s.name for s in subjects))
            if subjects
            else "Nothing to check"
        ),
        tuple(described(s) for s in subjects),
        settings,
        findings,
        (*notes, *seen),
        {**_versions(), "spec_digest": None, "data_digest": None, "command": None, **(provenance or {})},
        {"total_seconds": round(time.perf_counter() - start, 3)},
    )


def _check_settings(
    alpha: float, samples: int, seed: int, seconds: float | None, call_seconds: float | None
) -> None:
    if not (isinstance(alpha, int | float | np.floating) and 0 < alpha < 1):
        raise SpecError(f"alpha must lie strictly between 0 and 1, got {alpha!r}")
    if alpha < _LEAST_ALPHA:
        raise SpecError(
            f"alpha must be at least {_LEAST_ALPHA:g}: below, no sample refutes anything, got {alpha!r}"
        )
    if isinstance(samples, bool) or not isinstance(samples, int | np.integer) or samples < 100:
        raise SpecError(
            f"samples must be a whole number of at least 100 (learning and certification together), got {samples!r}"
        )
    require_samples(int(samples))
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise SpecError(f"seed must be a whole number >= 0, got {seed!r}")
    for name, value in (("seconds", seconds), ("call_seconds", call_seconds)):
        if value is not None and (
            isinstance(value, bool) or not isinstance(value, int | float) or not value > 0
        ):
            raise SpecError(f"{name} must be a number > 0, or left out for no limit, got {value!r}")


def _check_kinds(
    title: Any, notes: Any, provenance: Any, progress: Any, checkpoint: Any, bits: Any, sequential: Any
) -> None:
    """Raise SpecError for an argument that is not of its kind: anything is true or false, and text can be walked through."""
    texts = isinstance(notes, Iterable) and not isinstance(notes, str)
    flags = [
        (name, isinstance(value, bool | np.bool_), "True or False", value)
        for name, value in (("bits", bits), ("sequential", sequential))
    ]
    for name, fits, wanted, value in (
        ("title", isinstance(title, str), "text", title),
        ("notes", texts, "a list of texts", notes),
        ("provenance", isinstance(provenance, Mapping | None), "a dict", provenance),
        ("progress", progress is None or callable(progress), "a function (fraction, text)", progress),
        ("checkpoint", isinstance(checkpoint, str | Path | None), "the path of a folder", checkpoint),
        *flags,
    ):
        if not fits:
            raise SpecError(f"{name} must be {wanted}, got {value!r}")


def bind(subject: Any, claims: Any) -> list[Claim]:
    """The claims as they are audited, each with its subject; SpecError for what cannot be tried."""
    # A dict can be walked through too, and so can text.
    several = isinstance(claims, Iterable) and not isinstance(claims, str | Mapping | type)
    items = list(claims) if several else [claims]
    subjects: list[tuple[Subject, Any]] = []
    out: list[Claim] = []
    for item in items:
        claim = Claim(item) if isinstance(item, Predicate) else item
        if not isinstance(claim, Claim):
            raise SpecError(f"claims must be predicates such as PureDP(1.0), or Claim(...), got {came(item)}")
        given = claim.of(subject).subject
        known = next((s for s, value in subjects if value is given), None) or subject_of(given)
        if known is None:
            raise SpecError(f"the subject of {claim.predicate.sentence()!r} {not_a_subject(given)}")
        subjects.append((known, given))
        scope = known.scope if claim.scope == Scope() else claim.scope
        claim = read_formula(replace(claim, subject=known, scope=scope))
        entries = known.input_entries()
        misfit = "" if entries is None else claim.predicate.misfit(entries)
        if misfit:
            raise SpecError(f"{known.name}: {claim.predicate.sentence()!r} does not fit: {misfit}")
        for size, what in (
            (getattr(known, "dimension", 1), "numbers"),
            (getattr(known, "count", 1), "records"),
        ):
            if isinstance(size, int):
                require_inputs(size, f"{known.name}: {size:,} {what}")
        if any(fingerprint(x) == fingerprint(y) for x, y in claim.subject.neighbours()):
            raise SpecError(
                f"{claim.subject.name}: two neighbouring inputs are equal, which no release can tell apart; give inputs that differ in one record"
            )
        out.append(claim)
    _check_controls(out)
    return out


def _check_names(title: str, claims: Sequence[Claim]) -> None:
    """A certificate is read only if whoever reads it can tell what it is about."""
    for name in (*(c.subject.name for c in claims), *filter(None, (title, *(c.title for c in claims)))):
        if not name.strip() or len(name) > LONGEST_NAME:
            raise SpecError(
                f"a title, or the name of a subject, has 1 to {LONGEST_NAME:,} characters that can be seen, got {name[:40]!r}"
            )


def _check_controls(claims: Sequence[Claim]) -> None:
    """A control shows power against the mechanism that it is about, and says nothing of any other."""
    names = [c.subject.name for c in claims if c.expect == "holds"]
    for claim in claims if names else ():
        if claim.expect == "falls" and not is_of(claim.subject.name, names):
            raise SpecError(
                f"a control is a claim about the same mechanism: nothing that must hold is said of {claim.subject.name!r}, "
                f"but of {', '.join(map(repr, dict.fromkeys(names)))}"
            )


def _checks(claim: Claim, bits: bool, sequential: bool) -> Iterable[Check]:
    if claim.vacuous():
        yield Vacuous(claim)
        return
    for kind in (*CHECKS, *(BIT_CHECKS if bits else ())):
        yield from (Sequential if sequential and kind is LikelihoodRatio else kind).bind_all(claim)


def _works(
    jobs: Sequence[tuple[int, Check]],
    claims: Sequence[Claim],
    subjects: Sequence[Subject],
    seed: int,
    share: float,
    call_seconds: float | None,
) -> list[Work]:
    """The checks of each subject; those that need no outcomes leave the numbers of the others as they are."""
    works: list[Work] = []
    stream = 0
    for s in subjects:
        mine = {j: check for j, (i, check) in enumerate(jobs) if claims[i].subject is s}
        if mine:
            works.append(Work.of(len(works), stream, s, mine, seed, share, call_seconds))
            stream += bool(works[-1].inputs)
    return works


def _asked_of(
    claims: Sequence[Claim], settings: dict[str, Any], provenance: dict[str, Any]
) -> dict[str, Any]:
    """Everything that the units of a checkpoint depend on, and what nobody can tell of it."""
    versions, subjects = _versions(), _distinct([c.subject for c in claims])
    given = (s for s in subjects if not isinstance(s, SearchedRelease))
    reached = [Reached([*given, *CHECKS, *BIT_CHECKS])]
    reached += _distinct([s.code for s in subjects if isinstance(s, SearchedRelease)])
    return {
        **versions,
        "packages": {k: v for one in reached for k, v in one.versions.items()} | versions["packages"],
        "engine": code_digest(),
        "release": {
            f"{k}{f', {n}' if n else ''}": v for n, one in enumerate(reached) for k, v in one.digests.items()
        },
        "unseen": [what for one in reached for what in one.unseen],
        "claims": claims_digest(claims),
        "seed": settings["seed"],
        "settings": {k: v for k, v in settings.items() if k != "seed"},
        "spec": provenance.get("spec_digest"),
        "data": provenance.get("data_digest"),
    }


def _asked(claim: Claim, evidence: Sequence[Evidence], bits: bool) -> tuple[Sentence, ...]:
    """Which of the four sentences the claim is about."""
    subject = claim.subject
    if isinstance(subject, Stated) and subject.of_code:
        return ("law", "code")
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


def _distinct(things: Sequence[T]) -> list[T]:
    return [s for i, s in enumerate(things) if not any(s is other for other in things[:i])]


def described(subject: Subject) -> dict[str, Any]:
    """A subject as a certificate shows it."""
    return {
        "name": subject.name,
        "summary": subject.summary,
        "parameters": plain(subject.parameters()),
        "deterministic": bool(subject.deterministic),
        # Those that a search finds are told by its scope: each search may find others.
        "inputs": None if isinstance(subject, SearchedRelease) else content_digest(subject.neighbours()),
    }


@cache
def _versions() -> dict[str, Any]:
    packages = ("numpy", "scipy", "sympy", "python-flint")
    return {
        "noiseproof": metadata.version("noiseproof"),
        "python": platform.python_version(),
        "packages": {name: metadata.version(name) for name in packages},
    }
