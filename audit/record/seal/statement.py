"""The in-toto Statement (v1) about a release: its files as subjects, the audit as a test result (predicate v0.1)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .canonical import canonical_digest
from .environment import code_digest, environment
from .folder import ATTESTATIONS, digest_file, entries, plain_name

STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE = "https://in-toto.io/attestation/test-result/v0.1"
_RESULTS = {0: "PASSED", 4: "WARNED"}


class StatementError(ValueError):
    """Data that is not a Statement about the files of a folder."""


def statement_of(
    directory: Path, certificate: Mapping[str, Any], manifest: Mapping[str, Any] | None
) -> dict[str, Any]:
    """The Statement about the regular files of the folder, attestations apart."""
    names = [name for name in entries(directory)[0] if name not in ATTESTATIONS]
    return {
        "_type": STATEMENT_TYPE,
        "subject": [
            {"name": name, "digest": {"sha256": digest_file(directory, name).sha256}} for name in names
        ],
        "predicateType": PREDICATE_TYPE,
        "predicate": {
            **results(certificate),
            "configuration": [*configuration(certificate, manifest), *made_with()],
        },
    }


def results(certificate: Mapping[str, Any]) -> dict[str, Any]:
    """The result and the names of the tests: one per finding, named by its number and title.

    A control passes if it fell.  Nothing that is undecided passes: it warns.
    """
    tests: dict[str, list[str]] = {"passedTests": [], "warnedTests": [], "failedTests": []}
    for finding in certificate["findings"]:
        control = finding["claim"]["expect"] == "falls"
        open_ = not control and finding["verdict"] == "UNDECIDED"
        kind = "passedTests" if finding["as_expected"] else "warnedTests" if open_ else "failedTests"
        tests[kind].append(f"{'control ' if control else ''}{finding['id']}: {finding['title']}")
    return {"result": _RESULTS.get(certificate["exit_code"], "FAILED"), **tests}


def configuration(certificate: Mapping[str, Any], manifest: Mapping[str, Any] | None) -> list[dict[str, Any]]:
    """Digests of what was tested and how, as resource descriptors: certificate without timings, and policy."""
    found = [
        _descriptor(
            "certificate",
            certificate_digest(certificate),
            "canonical JSON of certificate.json without timings",
        )
    ]
    if manifest is not None and "policy" in manifest:
        digest = canonical_digest(manifest["policy"])
        found.append(_descriptor("policy", digest, "canonical JSON of the policy in release.json"))
    return found


def certificate_digest(certificate: Mapping[str, Any]) -> str:
    """The SHA-256 (hexadecimal) of a certificate's canonical JSON without timings: its seal and what is drawn of it name it."""
    return canonical_digest({key: value for key, value in certificate.items() if key != "timings"})


def made_with() -> list[dict[str, Any]]:
    """Digests of the code and the environment, with what the environment is."""
    here = environment()
    code = {
        "name": "code",
        "digest": {"sha256": code_digest()},
        "annotations": {"noiseproof": here["noiseproof"]},
    }
    return [code, {"name": "environment", "digest": {"sha256": canonical_digest(here)}, "annotations": here}]


def checked(data: Any) -> dict[str, Any]:
    """`data`, if it is a Statement of this kind whose subjects are plain names with one SHA-256 each."""
    if not isinstance(data, dict) or data.get("_type") != STATEMENT_TYPE:
        raise StatementError(f'expected an in-toto Statement with "_type": "{STATEMENT_TYPE}"')
    if data.get("predicateType") != PREDICATE_TYPE:
        raise StatementError(
            f'expected "predicateType": "{PREDICATE_TYPE}", got {str(data.get("predicateType"))[:80]!r}'
        )
    subject, predicate = data.get("subject"), data.get("predicate")
    if not isinstance(subject, list) or not subject or not isinstance(predicate, dict):
        raise StatementError('expected a list of files under "subject" and an object under "predicate"')
    seen = set()
    for item in subject:
        name, digest = (item.get("name"), item.get("digest")) if isinstance(item, dict) else (None, None)
        if not plain_name(name) or name in ATTESTATIONS or name in seen:
            raise StatementError(f"expected subjects with plain names, each once, got {str(name)[:80]!r}")
        value = digest.get("sha256") if isinstance(digest, dict) else None
        if not isinstance(value, str) or len(value) != 64 or not set(value) <= set("0123456789abcdef"):
            raise StatementError(f"the subject {name} has no SHA-256")
        seen.add(name)
    items = predicate.get("configuration")
    if not isinstance(items, list) or not all(isinstance(i, dict) for i in items):
        raise StatementError('expected a list of objects under "predicate.configuration"')
    return data


def _descriptor(name: str, digest: str, of: str) -> dict[str, Any]:
    return {"name": name, "digest": {"sha256": digest}, "annotations": {"of": of}}
