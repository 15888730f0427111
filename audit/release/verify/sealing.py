"""Sealing: a release folder gets an attestation of its files and of the audit, signed if there is a key."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from ....symbolic.errors import SpecError
from ...record.certificate_check import CERTIFICATE, check_certificate
from ...record.checked import Checked
from ...record.reading.strict_json import MAX_BYTES, StrictJsonError, read_strict
from ...record.seal.canonical import canonical_json
from ...record.seal.envelope import Envelope
from ...record.seal.folder import ATTESTATION, FolderError, digest_file, entries, read_file
from ...record.seal.keys import load_private_key
from ...record.seal.online import sign_online
from ...record.seal.statement import statement_of
from .manifest_check import MANIFEST
from .restated import Pages, check_restated
from .verification import follows, lies_in, not_looked_at, verify


def seal(
    directory: str | Path,
    key: str | Path | None = None,
    *,
    online: bool = False,
    pages: Pages,
    say: Callable[[str], object] | None = None,
) -> Path:
    """Write `attestation.json` about the files of `directory`, signed with the Ed25519 key in the file `key`.

    With `online` sigstore signs as well, into a bundle of its own.  A folder that is sealed already gets one more signature, by another person say, if it is as it was sealed.
    SpecError if the folder holds anything but regular files, a certificate whose verdicts do not follow, a manifest that
    says other than its policy gives, files of a release without one, or a page that `pages` draw otherwise; `say` is told
    of files that were not looked at, which verification calls open.
    """
    directory = Path(directory)
    names = entries(directory)[0] if directory.is_dir() else []
    if ATTESTATION in names:
        as_sealed(directory, pages)
    elif CERTIFICATE in names:
        for one in _require_follows(directory, names, pages):
            if say is not None:
                say(str(one))
    return attest(directory, key, online=online)


def as_sealed(directory: Path, pages: Pages) -> None:
    """SpecError unless the folder is as it was sealed, a "no" of its checklist included; words that other code made are not."""
    wrong = [
        one
        for one in verify(directory, pages=pages)
        if (one.state == "fails" and not one.what.startswith("checklist: "))
        or (one.state == "open" and one.what in ("statements", "page"))
    ]
    if wrong:
        raise SpecError(
            f"sealed already, and not as it was then: {wrong[0].what}: {wrong[0].message}",
            file=str(directory / wrong[0].file),
        )


def _require_follows(directory: Path, names: list[str], pages: Pages) -> list[Checked]:
    """What was not looked at; SpecError for what does not follow."""
    manifest = _data(directory, MANIFEST) if MANIFEST in names else None
    certificate = _data(directory, CERTIFICATE)
    restated = partial(check_restated, directory, pages=pages, same_code=True, vouched=False)
    try:
        digests = {name: digest_file(directory, name) for name in names}
        found = follows(manifest, certificate, digests, restated)
    except FolderError as error:
        raise _unreadable(error, directory) from None
    wrong = [one for one in found if one.state != "holds"]
    if wrong:
        raise SpecError(
            f"not sealed, since something in it does not hold: {wrong[0].what}: {wrong[0].message}",
            file=str(directory / (wrong[0].file or MANIFEST)),
        )
    return not_looked_at(names, found)


def require_outside(key: str | Path | None, directory: Path) -> None:
    """SpecError for a private key in the folder that is given away."""
    if key is not None and lies_in(Path(key), directory):
        raise SpecError(
            "the private key lies in the folder that is given away: move it elsewhere", file=str(key)
        )


def attest(directory: str | Path, key: str | Path | None = None, *, online: bool = False) -> Path:
    """Write `attestation.json` without a look at what manifest and pages say: for who has just written them."""
    directory = Path(directory)
    signer = None if key is None else load_private_key(key)
    if not directory.is_dir():
        raise SpecError(
            "expected a folder written by `noiseproof release` or `noiseproof audit`", file=str(directory)
        )
    require_outside(key, directory)
    names, odd = entries(directory)
    if odd:
        name, what = next(iter(odd.items()))
        raise SpecError(f"expected regular files only, but {name} is {what}; remove it", file=str(directory))
    if ATTESTATION in names:
        envelope = Envelope.read(read_file(directory, ATTESTATION, MAX_BYTES))
        if signer is None and not online:
            raise SpecError(
                "this folder is sealed already; give a key to add a signature",
                file=str(directory / ATTESTATION),
            )
    else:
        certificate = _data(directory, CERTIFICATE)
        manifest = _data(directory, MANIFEST) if MANIFEST in names else None
        wrong = [found for found in check_certificate(certificate) if found.state == "fails"]
        if wrong:
            raise SpecError(
                f"not a certificate as it was written: {wrong[0].message}", file=str(directory / CERTIFICATE)
            )
        try:
            envelope = Envelope(canonical_json(statement_of(directory, certificate, manifest)))
        except FolderError as error:
            raise _unreadable(error, directory) from None
    if signer is not None:
        envelope = envelope.signed(signer)
    # What may fail for want of a library, a network or a login comes before anything is written.
    bundle = sign_online(directory, envelope.payload) if online else None
    try:
        return _write(directory / ATTESTATION, envelope)
    except SpecError:
        if bundle is not None:
            bundle.unlink()
        raise


def _unreadable(error: FolderError, directory: Path) -> SpecError:
    return SpecError(f"{error}; every file that is sealed must be readable", file=str(directory))


def _data(directory: Path, name: str) -> dict[str, Any]:
    try:
        data = read_strict(read_file(directory, name, MAX_BYTES))
    except (StrictJsonError, FolderError) as error:
        raise SpecError(str(error), file=str(directory / name)) from None
    if not isinstance(data, dict):
        raise SpecError("expected a JSON object", file=str(directory / name))
    return data


def _write(path: Path, envelope: Envelope) -> Path:
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        with partial.open("x", encoding="utf-8") as file:
            file.write(json.dumps(envelope.to_dict(), indent=1) + "\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, path)
    except OSError as error:
        raise SpecError(f"cannot write: {error.strerror}", file=str(path)) from None
    finally:
        partial.unlink(missing_ok=True)
    return path
