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
from .fingerprints import digest

if TYPE_CHECKING:
    from ..spec.build import Job

_MOST_FILES = 20_000
_PACKAGE = Path(__file__).resolve().parents[2]


def cache_key(job: Job, target: str, folders: tuple[Path, ...]) -> str | None:
    """The name under which the certificate of a job is kept; None if the same job may come out otherwise next time.

    Code is every Python file in `folders` (but hidden ones and virtual environments) and of this package; versions are
    those of all installed distributions.  What a release reads by itself, and compiled code, is not seen.
    """
    if job.settings.seconds is not None or not all(c.subject.deterministic for c in job.claims):
        return None
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


def kept_or_new(folder: Path, key: str, audit: Callable[[], Certificate]) -> tuple[Certificate, bool]:
    """The certificate of this key and whether it was kept; else that of `audit`, which is kept from now on.

    A kept file whose verdicts do not follow from its evidence is not believed: the audit runs again.
    """
    path = folder / f"{key}.json"
    try:
        return Certificate.from_json(path.read_text(encoding="utf-8")), True
    except (OSError, ValueError, KeyError, TypeError):
        pass
    certificate = audit()
    partial = path.with_name(f".{key}.{os.getpid()}.partial")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        partial.write_text(certificate.to_json(), encoding="utf-8")
        os.replace(partial, path)
    except OSError as error:
        raise SpecError(f"cannot write: {error.strerror}", key="--cache", file=str(folder)) from error
    return certificate, False
