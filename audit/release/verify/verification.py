"""Verification: whether a release folder is as it was sealed, who signed it, and whether what it says follows."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from ....symbolic.errors import SpecError
from ...record.certificate import Certificate
from ...record.certificate_check import CERTIFICATE, DAMAGED, check_certificate
from ...record.checked import Checked
from ...record.kernel_steps import kernel_sentence
from ...record.reading.strict_json import MAX_BYTES, StrictJsonError, read_strict
from ...record.seal.envelope import Envelope, EnvelopeError
from ...record.seal.environment import code_digest
from ...record.seal.folder import ATTESTATION, ATTESTATIONS, BUNDLE, FileDigest, FolderError, read_file
from ...record.seal.keys import key_id, load_public_key
from ...record.seal.online import check_bundle, misfit
from ...record.seal.sealed_files import compare_files
from ...record.seal.statement import StatementError, checked, configuration, results
from ...record.terms import Terms
from .manifest_check import MANIFEST, check_checklist, check_ledger, check_manifest
from .restated import Pages, check_restated


def verify(
    directory: str | Path,
    key: str | Path | None = None,
    rerun: bool = False,
    schemas: Mapping[str, Mapping[str, Any]] | None = None,
    identity: tuple[str, str] | None = None,
    ledger: str | Path | None = None,
    require_pass: bool = False,
    *,
    pages: Pages,
) -> list[Checked]:
    """What holds, fails or stays open about the folder; nothing in it is run, and no link in it is followed.

    `key` is the file of the public key that must have signed; `identity` the (name, issuer) that a sigstore bundle must
    be by.  Without either it stays open who made the folder.  `rerun` evaluates every witness in another process.
    `schemas` gives the JSON Schema for each value of "schema", `ledger` the file in which the entry must stand.
    `pages` draws the other files again, as the command that wrote them does.  A file that nothing draws is open: not looked at.
    A folder is as it was sealed whatever its audit found; with `require_pass` the audit must have passed, too.
    SpecError if there is no such folder or key.
    """
    directory = Path(directory)
    public = None if key is None else load_public_key(key)
    if not directory.is_dir():
        raise SpecError(
            "expected a folder written by `noiseproof release` or `noiseproof seal`", file=str(directory)
        )
    if key is not None and lies_in(Path(key), directory):
        raise SpecError(
            "this key lies in the folder that it is to vouch for: take the key of who must have signed from elsewhere",
            file=str(key),
        )
    if ledger is not None and not Path(ledger).is_file():
        raise SpecError("no such ledger; expected the file of `noiseproof ledger`", file=str(ledger))
    try:
        envelope = Envelope.read(read_file(directory, ATTESTATION, MAX_BYTES))
        statement = checked(read_strict(envelope.payload))
    except FolderError as error:
        # A release that lost its seal fails; what is no release at all is a mistake of who asks.
        there = {ATTESTATION, MANIFEST, CERTIFICATE} & set(os.listdir(directory))
        if not there:
            raise SpecError(
                f"expected a folder written by `noiseproof release` or `noiseproof seal`, this one has no {ATTESTATION}, {MANIFEST} or {CERTIFICATE}",
                file=str(directory),
            ) from None
        said = f"{error}; `noiseproof seal` writes it"
        if MANIFEST in there and ATTESTATION not in there:
            said = "the seal that `noiseproof release` writes is missing: ask the sender for it; a new one vouches only for what lies here now"
        return [Checked("attestation", "fails", said, ATTESTATION)]
    except (EnvelopeError, StatementError, StrictJsonError) as error:
        return [Checked("attestation", "fails", f"not an attestation as it is written: {error}", ATTESTATION)]
    found = _signatures(directory, envelope, public, identity)
    files = compare_files(
        directory, {item["name"]: item["digest"]["sha256"] for item in statement["subject"]}
    )
    found += files.found
    data: dict[str, dict[str, Any]] = {}
    for name, raw in sorted(files.json.items()):
        try:
            data[name] = read_strict(raw)
        except StrictJsonError as error:
            found.append(Checked("JSON", "fails", str(error), name))
            continue
        if not isinstance(data[name], dict):
            found.append(Checked("JSON", "fails", "expected an object", name))
            del data[name]
        elif str(data[name].get("schema")) in (schemas or {}):
            found.append(_schema(name, data[name], (schemas or {})[str(data[name]["schema"])]))
    if CERTIFICATE not in data:
        return [*found, Checked("certificate", "fails", "there is none that can be read", CERTIFICATE)]
    vouched = any(one.what == "signature" and one.state == "holds" for one in found)
    # Of what was edited after it was sealed nothing is computed: it may be made to take long.
    sound = all(one.state != "fails" for one in found)
    restated = partial(check_restated, directory, pages=pages, vouched=vouched) if sound else None
    found += _contents(data, files.digests, statement["predicate"], ledger, restated)
    if require_pass and not any(one.state == "fails" for one in found):
        found.append(_passed(results(data[CERTIFICATE])["result"]))
    found += not_looked_at(files.digests, found)
    return found + (_witnesses(data[CERTIFICATE]) if rerun else [])


def not_looked_at(names: Iterable[str], found: Sequence[Checked]) -> list[Checked]:
    """The files that nothing was compared with; none where something fails, for then most of them were not."""
    if any(one.state == "fails" for one in found):
        return []
    seen = {CERTIFICATE, MANIFEST, *(one.file for one in found if one.what in ("data", "page"))}
    said = "not looked at: it is none that follows from certificate or manifest, and what it says is as it was sealed, no more"
    return [Checked("file", "open", said, name) for name in names if name not in seen | {*ATTESTATIONS}]


def lies_in(key: Path, directory: Path) -> bool:
    """Whether the key is a file of the folder, by another name or link too."""
    inside = (entry for entry in directory.iterdir() if entry.is_file())
    return directory.resolve() in key.resolve().parents or any(entry.samefile(key) for entry in inside)


def _signatures(
    directory: Path, envelope: Envelope, public: Any, identity: tuple[str, str] | None
) -> list[Checked]:
    """What was asked for; if nothing was, what there is to ask for."""
    found = [] if identity is None else [check_bundle(directory, envelope.payload, identity)]
    if (directory / BUNDLE).is_file() and not (directory / BUNDLE).is_symlink():
        wrong = misfit(directory, envelope.payload)
        # A bundle is no sealed file: what it may hold is all that keeps others from putting anything there.
        found += [] if wrong is None else [Checked("signature", "fails", wrong, BUNDLE)]
    hints = ", ".join(sorted({ascii(hint[:16])[1:-1] or "an unnamed key" for hint, _ in envelope.signatures}))
    if public is None:
        if identity is not None:
            return found
        bundle = f"; there is a sigstore bundle: {BUNDLE}" if (directory / BUNDLE).exists() else ""
        said = (
            f"signed by {hints}, not checked: give the public key"
            if hints
            else "not signed: anyone can have made this folder"
        )
        return [*found, Checked("signature", "open", said + bundle, ATTESTATION)]
    own = key_id(public)
    if envelope.is_signed_by(public):
        return [*found, Checked("signature", "holds", f"signed by {own[:16]}", ATTESTATION)]
    if not envelope.signatures:
        said = f"not signed; a signature by {own[:16]} was expected: it was taken off, or never made"
    elif own in {hint for hint, _ in envelope.signatures}:
        said = f"edited after {own[:16]} had signed it: the signature does not fit"
    else:
        said = f"wrong key: signed by {hints}, not by {own[:16]}"
    return [*found, Checked("signature", "fails", said, ATTESTATION)]


def _schema(name: str, content: dict[str, Any], schema: Mapping[str, Any]) -> Checked:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import best_match

    error = best_match(Draft202012Validator(schema).iter_errors(content))
    if error is None:
        return Checked("schema", "holds", str(content["schema"]), name)
    return Checked("schema", "fails", f"at {error.json_path[:200]}: {error.message[:300]}", name)


def follows(
    manifest: Mapping[str, Any] | None,
    certificate: Mapping[str, Any],
    files: Mapping[str, FileDigest],
    restated: Callable[..., list[Checked]] | None,
) -> list[Checked]:
    """Whether certificate and manifest say what follows from what they hold, up to the first that fails."""
    found = check_certificate(certificate)
    if manifest is not None and all(one.state == "holds" for one in found):
        found += check_manifest(manifest, certificate, files)
    if restated is not None and all(one.state == "holds" for one in found):
        found += restated(manifest, certificate)
    return found


def _contents(
    data: Mapping[str, dict[str, Any]],
    files: Mapping[str, FileDigest],
    predicate: Mapping[str, Any],
    ledger: str | Path | None,
    restated: Callable[..., list[Checked]] | None,
) -> list[Checked]:
    certificate, manifest = data[CERTIFICATE], data.get(MANIFEST)
    stated = {str(item.get("name")): item for item in predicate["configuration"]}
    anew = restated and partial(restated, same_code=_same_code(stated))
    found = follows(manifest, certificate, files, anew)
    if any(one.state == "fails" for one in found):
        return found
    found += _proofs(certificate)
    if manifest is not None:
        found += check_checklist(manifest, certificate)
    if ledger is not None:
        found.append(check_ledger(manifest or {"ledger": None}, ledger))
    again = results(certificate)
    wrong = [key for key, value in again.items() if predicate.get(key) != value]
    wrong += [
        item["name"]
        for item in configuration(certificate, manifest)
        if stated.get(item["name"], {}).get("digest") != item["digest"]
    ]
    if wrong:
        said = f"does not follow from certificate and policy: {', '.join(wrong)}"
        return [*found, Checked("test result", "fails", said, ATTESTATION)]
    said = f"{again['result']}, as the certificate says"
    return [*found, Checked("test result", "holds", said, ATTESTATION), _code(stated)]


def _proofs(certificate: Mapping[str, Any]) -> list[Checked]:
    """That the kernel accepts the proofs of steps belongs to what follows; here it is said of how many."""
    steps = [s for f in certificate["findings"] for e in f["evidence"] for s in e["derivation"]]
    said = kernel_sentence(steps)
    return [Checked("proofs", "holds", said[0].lower() + said[1:].rstrip("."), CERTIFICATE)] if said else []


def _passed(result: str) -> Checked:
    """Whether every claim of the audit stands and every control fell, for a gate."""
    if result == "PASSED":
        return Checked("pass", "holds", "the audit passed", CERTIFICATE)
    said = "something in the audit is undecided" if result == "WARNED" else "the audit did not pass"
    return Checked(
        "pass", "open" if result == "WARNED" else "fails", f"{said}, and a pass is required", CERTIFICATE
    )


def _code(stated: Mapping[str, Mapping[str, Any]]) -> Checked:
    """Other code is no fault of the folder: it is said, since a rerun is then by that other code."""
    code = stated.get("code", {})
    notes = code.get("annotations")
    version = ascii(notes.get("noiseproof"))[:40] if isinstance(notes, dict) else "unknown"
    same = "the code that runs here" if _same_code(stated) else "other code than runs here"
    said = f"made by noiseproof {version}, {same}"
    return Checked("code", "holds", said, ATTESTATION)


def _same_code(stated: Mapping[str, Mapping[str, Any]]) -> bool:
    return stated.get("code", {}).get("digest") == {"sha256": code_digest()}


def _witnesses(certificate: Mapping[str, Any]) -> list[Checked]:
    """Every witness of the certificate, in its terms; what is no finding was said before."""
    from ...witnesses import rerun

    try:
        witnesses = [
            (f"finding {finding.id}, {terms.evidence.check}", terms)
            for finding, terms in Terms.all_of(Certificate.from_data(certificate))
        ]
    except DAMAGED:
        return []
    if not witnesses:
        return [Checked("witnesses", "holds", "there is none: nothing was refuted", CERTIFICATE)]
    return rerun(witnesses)
