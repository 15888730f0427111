"""The signer's answers, filled in after a release: manifest and pages say them, the rest stays; nothing is drawn or charged."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...symbolic.errors import SpecError
from ..record.certificate_check import CERTIFICATE
from ..record.plain import json_text
from ..record.reading.strict_json import MAX_BYTES, read_strict
from ..record.reading.toml_file import read_bytes
from ..record.reading.toml_model import parse_as
from ..record.seal.envelope import Envelope
from ..record.seal.folder import ATTESTATION, ATTESTATIONS, BUNDLE, entries, read_file
from .checklist.checklist import answers_by_item, checklist
from .checklist.item import Item
from .manifest import NAME
from .policy.models import AnswersModel
from .tables import whole_or_nothing
from .verify.restated import Pages, restated
from .verify.sealing import as_sealed, attest, require_outside


@dataclass(frozen=True)
class Answered:
    """The answers that stood before, by key, and the checklist that all make now."""

    before: Mapping[str, str]
    items: tuple[Item, ...]


def read_answers(path: str | Path) -> dict[str, str]:
    """The answers in a TOML file that are not empty; SpecError names what is no question."""
    expected = "a TOML file with a table [answers]"
    given = parse_as(AnswersModel, read_bytes(Path(path), expected), expected, str(path)).answers
    try:
        answers_by_item(given)
    except SpecError as error:
        raise error.within(file=str(path)) from None
    if not given:
        raise SpecError(
            'no question is answered: write "yes: ", "no: ", "not applicable: " or "not known: " and the reason between the quotes',
            key="answers",
            file=str(path),
        )
    return given


def items_of(directory: str | Path, pages: Pages) -> tuple[Item, ...]:
    """The checklist of a release folder; SpecError if the folder is not as it was sealed."""
    manifest, certificate = _sealed(Path(directory), pages)
    return checklist(manifest, certificate)


def answer(
    directory: str | Path, given: Mapping[str, str], key: str | Path | None = None, *, pages: Pages
) -> Answered:
    """Add answers to a release folder that is as it was sealed, draw its pages again and seal it again, with `key` if given.

    All or nothing.  A later answer takes the place of an earlier one.  Signatures were given to what was said before and are
    not kept: of a folder that is signed SpecError asks for a key.
    """
    directory = Path(directory).resolve()
    if Path.cwd().is_relative_to(directory):
        raise SpecError("another folder takes its place: run this from outside of it", file=str(directory))
    require_outside(key, directory)
    manifest, certificate = _sealed(directory, pages)
    if key is None:
        _require_unsigned(directory)
    before = manifest["answers"]
    answers = {**before, **given}
    # A policy with these answers gives this manifest: whoever verifies computes it again from the one in it.
    said = {**manifest, "policy": {**manifest["policy"], "answers": answers}, "answers": answers}
    items = checklist(said, certificate)
    texts = {NAME: json_text(said), **pages(said, certificate, restated(manifest)["figures"])}
    with whole_or_nothing(directory, over=True) as folder:
        for name in entries(directory)[0]:
            if name not in texts and name not in ATTESTATIONS:
                _take(directory / name, folder / name)
        for name, text in texts.items():
            (folder / name).write_text(text, encoding="utf-8", newline="\n")
        attest(folder, key)
    return Answered(before, items)


def _sealed(directory: Path, pages: Pages) -> tuple[dict[str, Any], dict[str, Any]]:
    """Manifest and certificate; an item of the checklist that is not met keeps nobody from answering another."""
    names = entries(directory)[0] if directory.is_dir() else []
    if NAME not in names or ATTESTATION not in names:
        raise SpecError(
            f"expected a folder written by `noiseproof release`, with {NAME} and {ATTESTATION} (`noiseproof seal` writes that)",
            file=str(directory),
        )
    as_sealed(directory, pages)
    manifest, certificate = (read_strict(read_file(directory, n, MAX_BYTES)) for n in (NAME, CERTIFICATE))
    return manifest, certificate


def _require_unsigned(directory: Path) -> None:
    signed = Envelope.read(read_file(directory, ATTESTATION, MAX_BYTES)).signatures
    if signed or os.path.lexists(directory / BUNDLE):
        raise SpecError(
            "this folder is signed, and signatures do not hold for what is added: give --key to sign it again",
            file=str(directory),
        )


def _take(source: Path, target: Path) -> None:
    """The same bytes under another name, without a copy where the disk can."""
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError:
        shutil.copy2(source, target, follow_symlinks=False)
