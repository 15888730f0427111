"""A dossier is a paper as a test suite: every check also runs on a twin that must come out otherwise.

Dossiers live in `audit.papers`, in modules of the entry-point group "noiseproof.dossiers", or in a Python
file whose path the user gives; each defines DOSSIER.
"""

from __future__ import annotations

import importlib
import importlib.util
import math
import pkgutil
import platform
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from functools import cache
from hashlib import sha256
from importlib import metadata
from pathlib import Path
from typing import Any, TypeVar
from zlib import crc32

import numpy as np

from ...symbolic.errors import SpecError, nearest_name
from ...symbolic.proof.kernel.documents import tied
from .. import papers as built_in
from ..record.evidence import Evidence, Verdict, combine
from ..trial.schedule.local import interrupts_held
from ..trial.schedule.safe_path import loky_processes
from .paper_claim import Dossier, PaperClaim, Statement
from .paper_verdict import (
    FALLS,
    MEANT,
    ON_BARE,
    ON_TWIN,
    STANDS,
    flipped,
    paper_verdict,
    required_of_twin,
    required_words,
)
from .users_code import named_errors

__all__ = ["Dossier", "PaperClaim", "Statement", "examine_claim", "faults", "papers", "run", "run_dossiers"]

SCHEMA = "noiseproof-dossier-1"
ENTRY_POINTS = "noiseproof.dossiers"
PACKAGES = ("numpy", "scipy", "sympy", "python-flint", "clarabel")

T = TypeVar("T")
# Called with the claim at hand, the number of claims done and the number of all.
Progress = Callable[[str, int, int], None]


def papers(keys: Sequence[str] = ()) -> list[Dossier]:
    """The dossiers with these keys, or at these paths ending in .py; all known ones if none is named."""
    known = _known()
    found = []
    for key in keys or sorted(known):
        if key.endswith(".py"):
            found.append(_from_file(Path(key)))
        elif key in known:
            found.append(known[key]())
        else:
            raise SpecError(f"no dossier {key!r}: {nearest_name(key, known)}; or give the path of a .py file")
    repeated = [key for key, count in Counter(dossier.key for dossier in found).items() if count > 1]
    if repeated:
        raise SpecError(f"the dossier {repeated[0]!r} is asked for twice: each writes one file, name it once")
    return found


def run_dossiers(
    keys: Sequence[str] = (), seed: int = 0, progress: Progress | None = None, workers: int = 1
) -> list[dict[str, Any]]:
    """The dossiers as JSON data; `faults` of all of them is empty exactly if the exit status is zero.

    `workers` processes share the claims: the findings are the same for any number of them.
    """
    places = tuple(map(_place, keys or sorted(_known())))
    dossiers = papers([key for key, _ in places])
    tasks = [(k, name) for k, dossier in enumerate(dossiers) for name in dossier.claims]
    found: dict[tuple[int, str], tuple[dict[str, Any], float]] = {}
    for k, name, finding, seconds in _examined(dossiers, places, tasks, seed, workers):
        found[k, name] = finding, seconds
        if progress is not None:
            progress(name, len(found), len(tasks))
    return [
        _record(dossier, seed, [found[k, name] for name in dossier.claims])
        for k, dossier in enumerate(dossiers)
    ]


def usable_cores() -> int:
    """The cores that this process may use."""
    from joblib import cpu_count

    return int(cpu_count())


def run(paper: str | Dossier, seed: int = 0, progress: Progress | None = None) -> dict[str, Any]:
    """One dossier as JSON data, the same on every run with this seed but for `timings`."""
    dossier = paper if isinstance(paper, Dossier) else papers([paper])[0]
    report, total = progress or (lambda *_: None), len(dossier.claims)
    found = []
    for done, name in enumerate(dossier.claims):
        report(name, done, total)
        found.append(_timed(dossier, name, seed))
    report(dossier.key, total, total)
    return _record(dossier, seed, found)


def _examined(
    dossiers: Sequence[Dossier],
    places: Sequence[tuple[str, str]],
    tasks: Sequence[tuple[int, str]],
    seed: int,
    workers: int,
) -> Iterator[tuple[int, str, dict[str, Any], float]]:
    """(dossier, claim, finding, seconds) of every task, as they are done."""
    if workers == 1:
        yield from ((k, name, *_answer(places[k][0], dossiers[k], name, seed)) for k, name in tasks)
        return
    from joblib import Parallel, delayed

    with loky_processes():
        pool = Parallel(n_jobs=workers, return_as="generator_unordered", batch_size=1, pre_dispatch="all")
        with interrupts_held():
            results = pool(delayed(_elsewhere)(places[k], k, name, seed) for k, name in tasks)
        yield from results


def _elsewhere(
    place: tuple[str, str], k: int, name: str, seed: int
) -> tuple[int, str, dict[str, Any], float]:
    return (k, name, *_answer(place[0], _opened(place), name, seed))


def _answer(place: str, dossier: Dossier, name: str, seed: int) -> tuple[dict[str, Any], float]:
    """The finding on a claim; an error in one that is not the package's own is its author's."""
    if place in _shipped():
        return _timed(dossier, name, seed)
    with named_errors(place, name):
        return _timed(dossier, name, seed)


def _place(key: str) -> tuple[str, str]:
    """Where another process finds the dossier, and what the file of a user holds now."""
    path = Path(key)
    if path.suffix != ".py" or not path.is_file():
        return key, ""
    return str(path.resolve()), sha256(path.read_bytes()).hexdigest()


@cache
def _opened(place: tuple[str, str]) -> Dossier:
    return papers([place[0]])[0]


def _timed(dossier: Dossier, name: str, seed: int) -> tuple[dict[str, Any], float]:
    started = time.perf_counter()
    claim = dossier.claims[name]()
    if not isinstance(claim, PaperClaim):
        raise TypeError(f"expected a PaperClaim, got {type(claim).__name__}")
    return examine_claim(name, claim, seed), time.perf_counter() - started


def _record(dossier: Dossier, seed: int, found: Sequence[tuple[dict[str, Any], float]]) -> dict[str, Any]:
    findings = [finding for finding, _ in found]
    return {
        "schema": SCHEMA,
        "key": dossier.key,
        "title": dossier.title,
        "verdicts": dict(sorted(Counter(finding["verdict"] for finding in findings).items())),
        "findings": findings,
        "provenance": {
            "noiseproof": metadata.version("noiseproof"),
            "python": platform.python_version(),
            "packages": {name: metadata.version(name) for name in PACKAGES},
            "seed": seed,
        },
        "timings": {"total_seconds": round(sum(seconds for _, seconds in found), 3)},
    }


def examine_claim(identifier: str, claim: PaperClaim[T], seed: int = 0) -> dict[str, Any]:
    """The finding on one claim: all checks on the printed statement, its twin, and without the condition."""
    printed = _examine(identifier, claim, claim.printed, seed)
    if claim.undecided:
        printed = [Evidence("scope", "proof", "law", Verdict.UNDECIDED, claim.printed.text, claim.undecided)]
    found = combine(printed) if printed else None
    conditional = found in STANDS and bool(claim.condition)
    opposite = claim.without_condition if conditional else claim.twin
    other = _examine(identifier, claim, opposite, seed)
    verdict = paper_verdict(
        found, combine(other), reading=bool(claim.reading), condition=bool(claim.condition)
    )
    bare = [] if conditional else _examine(identifier, claim, claim.without_condition, seed)
    correction = None
    if verdict in ("refuted", "misprint") and claim.twin is not None:
        correction = claim.twin.text + (f"{MEANT}{claim.reading}." if claim.reading else "")
    required = required_of_twin(verdict)
    twin = {
        "statement": opposite.text if opposite is not None else "none is given: the dossier owes one",
        "verdict": combine(other).name.lower(),
        "required": required_words(verdict),
    }
    record = {
        "id": identifier,
        "title": claim.title,
        "verdict": verdict,
        "statement": claim.printed.text,
        "condition": claim.condition or None,
        "correction": correction,
        "witness": next((_plain(e.witness) for e in printed if e.witness is not None), None),
        "evidence": [
            *(_row(e) for e in printed),
            *(_row(e, ON_TWIN) for e in other if required),
            *(_row(e, ON_BARE) for e in bare),
        ],
        "twin": twin if required or opposite is not None else None,
        "series": [_plain(asdict(s)) for e in printed for s in e.series],
    }
    return tied(record)


def faults(dossiers: Sequence[dict[str, Any]]) -> list[str]:
    """What makes the exit status non-zero: twins that did not flip, vacuous checks, idle conditions.

    Computed from the JSON data alone: a check that says the same of a statement and of its twin is vacuous.
    """
    return [
        f"{f['id']}: {fault}" for dossier in dossiers for f in dossier["findings"] for fault in _faults(f)
    ]


def _faults(finding: dict[str, Any]) -> list[str]:
    twin, found = finding["twin"], []
    if (
        twin is not None
        and twin["required"]
        and not flipped(finding["verdict"], Verdict[twin["verdict"].upper()])
    ):
        found.append(
            f"the twin came out {twin['verdict']}, it had to come out {' or '.join(twin['required'])}"
        )
    said = {row["check"]: Verdict[row["verdict"]] for row in finding["evidence"]}
    for check, verdict in said.items():
        if said.get(check + ON_TWIN) == verdict:
            found.append(f"the check {check!r} says {verdict.name} of the statement and of its twin")
    without = [verdict for check, verdict in said.items() if check.endswith(ON_BARE)]
    if without and not FALLS & set(without):
        found.append("no check refutes the statement without its condition")
    return found


def _examine(
    identifier: str, claim: PaperClaim[T], statement: Statement[T] | None, seed: int
) -> list[Evidence]:
    """Every check on one statement; the same seed for printed statement and twin."""
    if statement is None:
        return []
    found = []
    for number, check in enumerate(claim.checks):
        rng = np.random.default_rng([seed, crc32(identifier.encode()), number])
        found.append(check(statement.data, rng))
        if not isinstance(found[-1], Evidence):
            name = getattr(check, "__name__", type(check).__name__)
            raise TypeError(f"a check gives Evidence, {name!r} gave {type(found[-1]).__name__}")
    names = [e.check for e in found]
    if len(set(names)) < len(names):
        raise ValueError(f"{identifier}: two checks have one name in {names}: give each its own")
    return found


def _row(evidence: Evidence, mark: str = "") -> dict[str, Any]:
    row = _plain(asdict(evidence) | {"measured": evidence.measured.model_dump(exclude_defaults=True)})
    row["verdict"] = evidence.verdict.name
    row["check"] += mark
    # The finding shows the series of the printed statement; a twin's would repeat them.
    del row["series"], row["claim"]
    return dict(row)


def _plain(value: Any) -> Any:
    """JSON data: tuples as lists, infinities and NaN as strings."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    return value


def _known() -> dict[str, Callable[[], Dossier]]:
    def built(name: str) -> Callable[[], Dossier]:
        return lambda: _expect(
            getattr(importlib.import_module(f"{built_in.__name__}.{name}"), "DOSSIER", None), name
        )

    def plugged(point: metadata.EntryPoint) -> Callable[[], Dossier]:
        def load() -> Dossier:
            with named_errors(point.value, "cannot be imported"):
                found = point.load()
            return _expect(found, point.value)

        return load

    known = {point.name: plugged(point) for point in metadata.entry_points(group=ENTRY_POINTS)}
    # What the package ships under a key is not replaced by a plug-in.
    return known | {name: built(name) for name in _shipped()}


def _shipped() -> list[str]:
    """The keys of the dossiers in the package."""
    return [module.name for module in pkgutil.iter_modules(built_in.__path__)]


def _from_file(path: Path) -> Dossier:
    if not path.is_file():
        raise SpecError(f"no file {path}: expected a Python file that defines DOSSIER")
    spec = importlib.util.spec_from_file_location(
        f"noiseproof_dossier_{re.sub(r'[^0-9A-Za-z]', '_', path.stem)}", path
    )
    if spec is None or spec.loader is None:
        raise SpecError(f"cannot import {path}: expected a Python file that defines DOSSIER")
    module = importlib.util.module_from_spec(spec)
    # Dataclasses look their module up by name while they are being defined.
    sys.modules[spec.name] = module
    with named_errors(str(path), "cannot be imported"):
        spec.loader.exec_module(module)
    return _expect(getattr(module, "DOSSIER", None), str(path))


def _expect(found: object, where: str) -> Dossier:
    if not isinstance(found, Dossier):
        raise SpecError(f"{where} must define DOSSIER = Dossier(key, title), got {type(found).__name__}")
    return found
