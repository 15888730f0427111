"""Certificates kept under a digest of all that they follow from: code, spec, data, settings and versions."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from ....symbolic.errors import SpecError
from ...record.certificate import Certificate
from ...record.finding import claim_record
from ...record.plain import json_text, plain, same_data
from ...record.reading.strict_json import read_strict_file
from ...record.seal.folder import require_unsealed
from .fingerprints import digest

if TYPE_CHECKING:
    from ..schedule.reached import Reached
    from ..spec.build import Job

_SCHEMA = "noiseproof-kept-1"
_MOST_FILES = 20_000
_PACKAGE = Path(__file__).resolve().parents[2]


def unkept(job: Job, reached: Reached) -> str:
    """Why the same job may come out otherwise next time; empty if it cannot."""
    if job.settings.seconds is not None:
        return "a budget of time is kept otherwise each time"
    own = next((c.subject.name for c in job.claims if not c.subject.deterministic), None)
    if own is not None:
        return f"{own} has randomness of its own"
    left = [*reached.unseen, *reached.outside]
    return (
        f"it does not cover {'; '.join(left[:3])}{f' and {len(left) - 3} more' if left[3:] else ''}"
        if left
        else ""
    )


def cache_key(job: Job, target: str, folders: tuple[Path, ...], reached: Reached) -> str:
    """The name under which the certificate of a job is kept.

    Code is every Python file in `folders` (but hidden ones and virtual environments) and of this package, and what the
    subjects reach (`reached`), wherever it lies; versions are those of all installed distributions.
    """
    seen: dict[str, str] = {}
    for folder in dict.fromkeys(path.resolve() for path in (*folders, _PACKAGE)):
        for path in _sources(folder):
            seen[str(path)] = hashlib.sha256(path.read_bytes()).hexdigest()
            if len(seen) > _MOST_FILES:
                raise SpecError(
                    f"more than {_MOST_FILES} Python files below {folder}: start the audit in the folder of the project",
                    key="--cache",
                )
    installed = sorted({f"{d.name}=={d.version}" for d in metadata.distributions()})
    # Claims are read from the target; their words stand for what a user function may have built.
    claims = [
        (c.subject.name, type(c.predicate).__name__, c.predicate.sentence(), c.about, c.expect)
        for c in job.claims
    ]
    parts = {
        "target": target,
        "spec": job.spec_digest,
        "data": job.data_digest,
        "settings": asdict(job.settings),
        "claims": claims,
        "code": seen,
        "reached": reached.digests,
        "versions": installed,
    }
    return digest(parts).removeprefix("sha256:")


def _sources(folder: Path) -> Iterator[Path]:
    for place, inner, names in os.walk(folder):
        inner[:] = sorted(
            name
            for name in inner
            if not name.startswith(".")
            and name not in ("__pycache__", "node_modules")
            and not Path(place, name, "pyvenv.cfg").exists()
        )
        yield from (Path(place, name) for name in sorted(names) if name.endswith(".py"))


def kept_or_new(
    folder: Path, key: str, job: Job, audit: Callable[[], Certificate]
) -> tuple[Certificate, bool]:
    """The certificate of this key and whether it was kept; else that of `audit`, which is kept from now on.

    A kept file is not believed if it was kept for another audit, if it says what its evidence does not, or if it is not
    about these subjects, claims, settings and digests: the audit runs again.
    """
    require_unsealed(folder)
    path = folder / f"{key}.json"
    kept = _kept(path, key)
    if kept is not None and _answers(kept, job):
        return kept, True
    certificate = audit()
    partial = path.with_name(f".{key}.{os.getpid()}.partial")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        partial.write_text(
            json_text({"schema": _SCHEMA, "audit": key, "certificate": certificate.to_dict()}),
            encoding="utf-8",
        )
        os.replace(partial, path)
    except OSError as error:
        raise SpecError(f"cannot write: {error.strerror}", key="--cache", file=str(folder)) from error
    return certificate, False


def _kept(path: Path, key: str) -> Certificate | None:
    try:
        data = read_strict_file(path)
        if not isinstance(data, dict) or (data.get("schema"), data.get("audit")) != (_SCHEMA, key):
            return None
        return Certificate.from_data(data["certificate"])
    except (OSError, ValueError, KeyError):
        return None


def _answers(kept: Certificate, job: Job) -> bool:
    """Whether a certificate is about this job, claim by claim."""
    asked = [
        {
            "subject": c.subject.name,
            "title": c.title or c.predicate.sentence(),
            "claim": plain(claim_record(c)),
        }
        for c in job.claims
    ]
    said = [{"subject": f.subject, "title": f.title, "claim": f.claim} for f in kept.findings]
    settings = {k: v for k, v in plain(asdict(job.settings)).items() if k in kept.settings}
    subjects = {c.subject.name: plain(c.subject.parameters()) for c in job.claims}
    return (
        same_data(said, asked)
        and settings.keys() >= {"alpha", "samples", "seed", "bits"}
        and all(same_data(kept.settings[k], v) for k, v in settings.items())
        and same_data({s["name"]: s["parameters"] for s in kept.subjects}, subjects)
        and kept.provenance.get("spec_digest") == job.spec_digest
        and kept.provenance.get("data_digest") == job.data_digest
    )
