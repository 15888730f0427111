"""Whether a manifest, release.json, says what certificate, files, ledger and checklist say."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ....symbolic.errors import SpecError, counted
from ...record.certificate_check import CERTIFICATE, DAMAGED
from ...record.checked import Checked
from ...record.seal.folder import FileDigest

MANIFEST = "release.json"


def check_manifest(
    data: Mapping[str, Any], certificate: Mapping[str, Any], files: Mapping[str, FileDigest]
) -> list[Checked]:
    """Form, files, verdict and ledger of release.json against what lies beside it."""
    from ..manifest import Manifest

    try:
        again = Manifest.from_dict(data).to_dict()
        faults = list(_ledger_faults(data["ledger"]))
    except DAMAGED as error:
        said = error.message if isinstance(error, SpecError) else f"incomplete or damaged: {error!r}"
        return [Checked("manifest", "fails", said, MANIFEST)]
    faults += [
        f"{key!r} is not as a release writes it"
        for key in {**again, **data}
        if again.get(key) != data.get(key)
    ]
    faults += _file_faults(data["files"], files)
    if certificate["provenance"].get("data_digest") is not None:
        faults.append(
            "the certificate beside it holds an unsalted digest of a table: guesses of the table can be tried on it"
        )
    if data["verdict"] != certificate["verdict"]:
        faults.append(f"says {ascii(data['verdict'])[:40]}, the certificate {certificate['verdict']}")
    if faults:
        return [Checked("manifest", "fails", fault, MANIFEST) for fault in faults]
    earlier = data["policy"].get("corrects")
    corrects = "" if earlier is None else f"; it corrects release {ascii(earlier)[:210]}, as its policy says"
    said = f"files, verdict and ledger agree with what lies beside it{corrects}"
    return [Checked("manifest", "holds", said, MANIFEST)]


def _file_faults(listed: list[dict[str, Any]], files: Mapping[str, FileDigest]) -> Iterator[str]:
    names = [str(row["name"]) for row in listed]
    for name, row in zip(names, listed, strict=True):
        found = files.get(name)
        if found is None:
            yield f"lists {ascii(name)[:80]}, which is not in the folder"
        elif (row["sha256"], row["bytes"]) != (found.sha256, found.bytes):
            yield f"{name} has other bytes than the manifest says: it was swapped or edited"
    must = [name for name in files if name == CERTIFICATE or name.startswith("data.")]
    yield from (f"does not list {name}" for name in must if name not in names)


def _ledger_faults(ledger: dict[str, Any] | None) -> Iterator[str]:
    if ledger is None:
        return
    from ..ledger.release_record import entry_number

    spent, left = ledger["spent"], ledger["remaining"]
    amounts = [*spent.values(), *left.values()]
    if entry_number(ledger) < 0 or set(spent) != set(left) or not {type(v) for v in amounts} <= {int, float}:
        yield "'ledger' is not as a release writes it"
        return
    for name, value in left.items():
        if value < 0:
            yield f"the ledger is overspent: remaining.{name} is {str(value)[:40]}"
    yield from _history_faults(ledger.get("history", ()), spent)


def _history_faults(history: Any, spent: dict[str, float]) -> Iterator[str]:
    """The history has one charge of this release, and adds up to what is spent."""
    try:
        sums = {name: math.fsum(one["charge"][name] for one in history) for name in spent}
        here = [one["here"] for one in history].count(True)
    except (TypeError, KeyError, OverflowError):
        yield "'ledger.history' is not as a release writes it"
        return
    if here != 1:
        yield f"the history of the ledger has {here} charges of this release, expected 1"
    for name, value in spent.items():
        if not math.isclose(sums[name], value, rel_tol=1e-9):
            yield f"the charges of ledger.history.{ascii(name)[1:-1][:60]} do not add up to what is spent"


def check_ledger(manifest: Mapping[str, Any], ledger: str | Path) -> Checked:
    """The entry that the manifest names, in the ledger itself: whether it is there, and costs what is said."""
    from ..ledger import Ledger

    if manifest["ledger"] is None:
        return Checked("ledger", "fails", "the release names no entry of a ledger", MANIFEST)
    try:
        Ledger.open(ledger).confirm(manifest["ledger"], manifest["costs"])
    except DAMAGED as error:
        return Checked("ledger", "fails", str(error), MANIFEST)
    return Checked(
        "ledger", "holds", f"entry {ascii(manifest['ledger']['entry'])[:40]} stands in the ledger", MANIFEST
    )


def check_checklist(manifest: Mapping[str, Any], certificate: Mapping[str, Any]) -> list[Checked]:
    """The items that evidence answers, answered again, and what the signer said of the others."""
    from ..checklist.checklist import checklist
    from ..checklist.template import waiting

    try:
        items = checklist(manifest, certificate)
    except DAMAGED as error:
        return [Checked("checklist", "fails", str(error), MANIFEST)]
    wrong = [item for item in items if item.answer.state == "not met"]
    if wrong:
        return [Checked(f"checklist: {item.key}", "fails", item.answer.against, MANIFEST) for item in wrong]
    met = sum(item.answer.state == "met" and item.answer.applies for item in items)
    said = [f"of {counted(len(items), 'item')} {met} met by evidence"]
    unknown = [item for item in items if item.answer.signer and item.answer.signer.answer == "not known"]
    for many, what in (
        (sum(not item.answer.applies for item in items), "not applicable"),
        (sum(item.answer.state != "met" and item.answer.settled for item in items), "answered by the signer"),
        (len(waiting(items)), "not yet answered by the signer"),
        (len(unknown), "not known to the signer"),
        (sum(item.answer.state == "open" for item in items), "open"),
    ):
        said += [f"{many} {what}"] if many else []
    return [Checked("checklist", "holds", f"{'; '.join(said)}; none not met", MANIFEST)]
