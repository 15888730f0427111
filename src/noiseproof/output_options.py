"""Options of `audit` that say what is written about a certificate, and which failures are waived."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from noiseproof.console import say

if TYPE_CHECKING:
    from noiseproof.audit.record.certificate import Certificate
    from noiseproof.audit.trial.gate.waivers import Waiver
    from noiseproof.audit.trial.spec.build import Job
    from noiseproof.symbolic.claim import Claim

FILES = {
    "json": "certificate.json",
    "html": "index.html",
    "junit": "junit.xml",
    "sarif": "certificate.sarif",
    "md": "summary.md",
}

_REPORT = "certificate.html"  # as `noiseproof report` calls the page
_WAIVED = re.compile(r"finding (\d{1,9}) does not hold and was (.*)", re.DOTALL)

Formats = Annotated[
    list[str] | None,
    typer.Option(
        "--format", "-f", metavar="|".join(FILES), help="Comma-separated or repeated.  [default: json,html]"
    ),
]
Waivers = Annotated[
    Path | None, typer.Option("--waivers", metavar="FILE", help="TOML file of waived failures.")
]
Cache = Annotated[
    Path | None, typer.Option("--cache", metavar="DIR", help="Folder of certificates to reuse.")
]


@dataclass(frozen=True)
class Outputs:
    """Which files are written, the waivers that apply, and where certificates are kept."""

    formats: tuple[str, ...]
    waivers: tuple[Waiver, ...] = ()
    cache: Path | None = None

    @classmethod
    def of(cls, formats: Sequence[str] | None, waivers: Path | None, cache: Path | None) -> Outputs:
        """Read the options, then what the project sets, before any work; SpecError for what is unusable."""
        import datetime

        from noiseproof.audit.trial.gate.project_settings import project_settings
        from noiseproof.audit.trial.gate.waivers import load_waivers, refuse_expired
        from noiseproof.symbolic.errors import SpecError, nearest_name

        project = project_settings(Path.cwd())
        given = formats or project.formats or ("json", "html")
        names = tuple(dict.fromkeys(name.strip() for text in given for name in text.split(",")))
        for name in names:
            if name not in FILES:
                key = "--format" if formats else "tool.noiseproof.formats"
                raise SpecError(f"unknown format {name!r}; {nearest_name(name, FILES)}", key=key)
        file = waivers or project.waivers
        found = () if file is None else load_waivers(file)
        refuse_expired(found, datetime.date.today())
        return cls(names, found, cache or project.cache)

    def check(self, claims: Sequence[Claim]) -> None:
        """Refuse a waiver that matches nothing before the work, not after it."""
        from noiseproof.audit.record.certificate import claim_record
        from noiseproof.audit.trial.gate.waivers import waived

        if self.waivers:
            rows = [
                {
                    "id": i,
                    "subject": claim.subject.name,
                    "title": claim.title or claim.predicate.sentence(),
                    "claim": claim_record(claim),
                    "as_expected": True,
                }
                for i, claim in enumerate(claims)
            ]
            waived(self.waivers, rows)

    def certificate(self, job: Job, target: str, audit: Callable[[], Certificate]) -> Certificate:
        """What `audit` returns, or the kept certificate of the same audit of the same code."""
        if self.cache is None:
            return audit()
        from noiseproof.audit.trial.gate.cache import cache_key, kept_or_new, unkept
        from noiseproof.audit.trial.schedule.reached import Reached

        spec, reached = Path(target), Reached({id(c.subject): c.subject for c in job.claims}.values())
        why = unkept(job, reached)
        if why:
            say(f"{self.cache} is not used: {why}", err=True)
            return audit()
        key = cache_key(job, target, (Path.cwd(), *([spec.parent] if spec.is_file() else [])), reached)
        certificate, kept = kept_or_new(self.cache, key, job, audit)
        if kept:
            say(f"nothing has changed: the certificate was taken from {self.cache}", err=True)
        return certificate

    def apply(self, certificate: Certificate) -> tuple[Certificate, dict[int, str], int]:
        """The certificate with a note for each waiver that lets something pass, these waivers, and the exit code."""
        if not self.waivers:
            return certificate, {}, int(certificate.exit_code)
        from noiseproof.audit.trial.gate.waivers import exit_code, waived

        records = [f.record() for f in certificate.findings]
        found = waived(self.waivers, records)
        words = {number: waiver.words() for number, waiver in found.items()}
        notes = [f"finding {number} does not hold and was {text}" for number, text in words.items()]
        used = {id(waiver) for waiver in found.values()}
        notes += [
            f"the waiver of {w.claim!r} is not needed: the claim came out as it should"
            for w in self.waivers
            if id(w) not in used
        ]
        code = exit_code({"findings": records, "exit_code": certificate.exit_code}, found)
        return replace(certificate, notes=(*certificate.notes, *notes)), words, code


def drawn(
    text: str,
    formats: Sequence[str],
    waived: Mapping[int, str],
    artifact: str | None = None,
    lines: Sequence[int] = (),
) -> dict[str, str]:
    """Name of a file -> what goes into it, from the JSON of a certificate; `lines` are where the claims stand in the file `artifact`."""
    data = json.loads(text)
    found: dict[str, str] = {}
    for name in formats:
        if name == "json":
            found[FILES[name]] = text
        elif name == "html":
            from noiseproof.reports.page import render_certificate

            found[FILES[name]] = render_certificate(data)
        elif name == "junit":
            from noiseproof.reports.junit import render_junit

            found[FILES[name]] = render_junit(data, waived)
        elif name == "sarif":
            from noiseproof.reports.sarif import render_sarif

            found[FILES[name]] = render_sarif(data, waived, artifact, lines)
        else:
            from noiseproof.reports.markdown import render_markdown

            found[FILES[name]] = render_markdown(data, waived)
    return found


def drawn_again(certificate: Mapping[str, Any]) -> dict[str, str]:
    """All that `audit` and `report` write about a certificate; waivers stand in its notes, places in a spec do not."""
    found = (_WAIVED.fullmatch(note) for note in certificate["notes"])
    formats = [name for name in FILES if name != "json"]
    files = drawn(json.dumps(certificate), formats, {int(n[1]): n[2] for n in found if n})
    return {**files, _REPORT: files[FILES["html"]]}


def artifact_of(target: str) -> str | None:
    """The file in which the claims stand, relative to where the command runs; None if it lies elsewhere."""
    path = Path(target)
    if not path.exists() and ":" in target:
        path = Path(target.split(":")[0].replace(".", "/") + ".py")
    if not path.exists():
        return None
    try:
        return path.resolve().relative_to(Path.cwd().resolve()).as_posix()
    except ValueError:
        return None
