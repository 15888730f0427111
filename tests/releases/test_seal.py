"""Sealed folders: what is edited, swapped, missing, added or signed by someone else is caught, and said."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sealed_release import Sealed, list_files, make_release, seal, verify

from noiseproof.audit.record.seal.statement import PREDICATE_TYPE, STATEMENT_TYPE
from noiseproof.audit.release.verify import attest, exit_code, make_key
from noiseproof.symbolic.errors import SpecError


def test_a_sealed_folder_holds(sealed: Sealed) -> None:
    found = sealed.verify()
    assert [str(one) for one in found if one.state != "holds"] == []
    whats = "signature, files, verdicts, manifest, statements, data, checklist, test result, code"
    assert ", ".join(o.what for o in found) == whats
    assert exit_code(found) == 0


def test_without_a_key_nobody_vouches(sealed: Sealed) -> None:
    found = verify(sealed.folder)
    assert [(one.what, one.state) for one in found if one.state != "holds"] == [("signature", "open")]
    assert exit_code(found) == 4
    assert exit_code([]) == 5


def test_the_statement_is_the_public_format(sealed: Sealed) -> None:
    statement = sealed.statement()
    assert statement["_type"] == STATEMENT_TYPE == "https://in-toto.io/Statement/v1"
    assert statement["predicateType"] == PREDICATE_TYPE == "https://in-toto.io/attestation/test-result/v0.1"
    assert [s["name"] for s in statement["subject"]] == ["certificate.json", "data.csv", "release.json"]
    predicate = statement["predicate"]
    assert set(predicate) == {"result", "configuration", "passedTests", "warnedTests", "failedTests"}
    assert predicate["result"] == "PASSED"
    assert len(predicate["passedTests"]) == 2
    assert predicate["passedTests"][1].startswith("control 2: ")
    assert {c["name"] for c in predicate["configuration"]} == {"certificate", "policy", "code", "environment"}
    assert all(len(c["digest"]["sha256"]) == 64 for c in predicate["configuration"])


def _swap_verdict(certificate: Any) -> None:
    certificate["verdict"] = "PROVED"


def _weaken(certificate: Any) -> None:
    certificate["findings"][0]["evidence"][2]["resolution"]["value"] = 1.0001


def _descriptor(statement: Any, name: str) -> Any:
    return next(item for item in statement["predicate"]["configuration"] if item["name"] == name)


Change = Callable[[Sealed], object]
TAMPERED: dict[str, tuple[Change, str]] = {
    "data swapped": (
        lambda s: (s.folder / "data.csv").write_text("age\n1\n"),
        r"data\.csv.*swapped or edited",
    ),
    "certificate edited": (
        lambda s: s.edit("certificate.json", _weaken),
        r"certificate\.json.*swapped or edited",
    ),
    "verdict edited": (
        lambda s: s.edit("certificate.json", _swap_verdict),
        "does not follow from its evidence",
    ),
    "file missing": (lambda s: (s.folder / "data.csv").unlink(), r"data\.csv.*missing"),
    "file added": (lambda s: (s.folder / "data2.csv").write_text("x"), r"data2\.csv.*additional"),
    "hidden file added": (lambda s: (s.folder / ".cache").write_text("x"), r"\.cache.*additional"),
    "folder added": (lambda s: (s.folder / "more").mkdir(), "more.*is a folder"),
    "attestation missing": (
        lambda s: (s.folder / "attestation.json").unlink(),
        "attestation.*: the seal that .* is missing: ",
    ),
    "attestation emptied": (lambda s: (s.folder / "attestation.json").write_text(""), "not JSON"),
    "signatures taken off": (
        lambda s: s.edit("attestation.json", lambda e: e.update(signatures=[])),
        "not signed; a signature by",
    ),
    "payload type changed": (
        lambda s: s.edit("attestation.json", lambda e: e.update(payloadType="text/plain")),
        "expected .payloadType.",
    ),
    "signature damaged": (
        lambda s: s.edit("attestation.json", lambda e: e["signatures"][0].update(sig="AAAA")),
        "edited after",
    ),
    "result forged": (
        lambda s: s.forge(lambda p: p["predicate"].update(result="WARNED")),
        "does not follow from certificate and policy: result",
    ),
    "digest of the certificate forged": (
        lambda s: s.forge(lambda p: _descriptor(p, "certificate").update(digest={"sha256": "0" * 64})),
        "does not follow from certificate and policy: certificate",
    ),
    "digest of the policy taken out": (
        lambda s: s.forge(lambda p: p["predicate"]["configuration"].remove(_descriptor(p, "policy"))),
        "does not follow from certificate and policy: policy",
    ),
    "other statement": (
        lambda s: s.forge(lambda p: p.update(_type="https://example.org/")),
        "in-toto Statement",
    ),
    "other predicate": (lambda s: s.forge(lambda p: p.update(predicateType="x")), "predicateType"),
    "sha1 instead of sha256": (
        lambda s: s.forge(lambda p: p["subject"][0].update(digest={"sha1": "0" * 40})),
        "has no SHA-256",
    ),
    "path for a name": (
        lambda s: s.forge(lambda p: p["subject"][0].update(name="../certificate.json")),
        "plain names",
    ),
    "no subjects": (lambda s: s.forge(lambda p: p.update(subject=[])), "list of files"),
}


@pytest.mark.parametrize("what", TAMPERED)
def test_tampering_is_caught_and_named(sealed: Sealed, what: str) -> None:
    change, message = TAMPERED[what]
    change(sealed)
    faults = "\n".join(sealed.faults())
    assert re.search(message, faults), faults


def test_other_code_is_said_and_is_no_fault(sealed: Sealed) -> None:
    assert sealed.verify()[-1].message.endswith("the code that runs here")
    sealed.forge(lambda p: _descriptor(p, "code").update(digest={"sha256": "0" * 64}))
    last = sealed.verify()[-1]
    assert (last.what, last.state) == ("code", "holds")
    assert last.message.endswith("other code than runs here")


def test_an_altered_witness_falls_when_it_is_evaluated_again(tmp_path: Path) -> None:
    """What a signer cannot see: verdicts follow from evidence whose witness shows nothing."""
    make_release(tmp_path / "release")
    key, public = make_key(tmp_path / "key")
    shutil.copytree(tmp_path / "release", tmp_path / "altered")
    path = tmp_path / "altered" / "certificate.json"
    data = json.loads(path.read_text())
    data["findings"][1]["evidence"][0]["witness"]["count"]["k"] = 12
    path.write_text(json.dumps(data))
    list_files(tmp_path / "altered")
    for name, state in (("release", "holds"), ("altered", "fails")):
        seal(tmp_path / name, key)
        assert exit_code(verify(tmp_path / name, public)) == 0
        last = verify(tmp_path / name, public, rerun=True)[-1]
        assert (last.what.partition(",")[0], last.state) == ("witness of finding 2", state)


def test_the_wrong_key_is_named(sealed: Sealed) -> None:
    found = verify(sealed.folder, sealed.foreign)
    assert [one.state for one in found if one.what == "signature"] == ["fails"]
    assert "wrong key: signed by" in str(found[0])
    assert all(one.state == "holds" for one in found[1:])


def test_a_forger_who_makes_every_digest_fit_has_no_key(sealed: Sealed) -> None:
    sealed.edit("certificate.json", _weaken)
    sealed.digest_again()
    found = sealed.verify()
    assert [one.what for one in found if one.state == "fails"] == ["signature"]
    assert "edited after" in str(found[0])
    # Without a key the same folder is consistent, and says that nobody vouches for it.
    assert exit_code(verify(sealed.folder)) == 4


def test_an_attestation_of_another_folder(sealed: Sealed, tmp_path: Path) -> None:
    make_release(tmp_path / "two")
    for name in ("data.csv", "certificate.json"):
        (tmp_path / "two" / name).write_text((tmp_path / "two" / name).read_text() + "\n")
    list_files(tmp_path / "two")
    seal(tmp_path / "two", sealed.key)
    shutil.copy(tmp_path / "two" / "attestation.json", sealed.folder / "attestation.json")
    faults = sealed.faults()
    assert any("is of another folder" in fault for fault in faults)
    assert all("signature" not in fault for fault in faults)


def test_a_second_person_signs_the_same_statement(sealed: Sealed) -> None:
    before = sealed.json("attestation.json")
    seal(sealed.folder, sealed.other)
    after = sealed.json("attestation.json")
    assert after["payload"] == before["payload"]
    assert after["signatures"][0] == before["signatures"][0]
    assert len(after["signatures"]) == 2
    assert exit_code(sealed.verify()) == exit_code(verify(sealed.folder, sealed.foreign)) == 0
    seal(sealed.folder, sealed.other)
    assert sealed.json("attestation.json") == after
    (sealed.folder / "data.csv").write_text("other")
    with pytest.raises(SpecError, match="not as it was then"):
        seal(sealed.folder, make_key(sealed.key.with_name("third"))[0])
    with pytest.raises(SpecError, match="sealed already"):
        seal(sealed.folder)


def _overspend(manifest: Any) -> None:
    manifest["ledger"]["remaining"]["epsilon"] = -0.25


def _drop_data(manifest: Any) -> None:
    manifest["files"] = [row for row in manifest["files"] if row["name"] != "data.csv"]


def _say_proved(manifest: Any) -> None:
    manifest["verdict"] = "PROVED"


def _over_the_limit(manifest: Any) -> None:
    manifest["policy"]["limits"]["epsilon"] = 0.5


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_overspend, "overspent: remaining.epsilon is -0.25"),
        (_drop_data, "does not list data.csv"),
        (_say_proved, "says 'PROVED', the certificate SURVIVED"),
        (_over_the_limit, "epsilon is 1.5, the limit is 0.5"),
        (lambda m: m["ledger"].pop("history"), "the entry 'history' is missing"),
        (lambda m: m["ledger"].update(history=[]), "the ledger has 0 charges of this release, expected 1"),
        (lambda m: m["files"][0].update(sha256="0" * 64), "other bytes than the manifest says"),
        (lambda m: m["files"][0].update(bytes=1), "other bytes than the manifest says"),
        (lambda m: m["files"].append({"name": "../x", "sha256": "", "bytes": 0}), "not in the folder"),
        (lambda m: m.pop("costs"), "'costs' is missing"),
        (lambda m: m.update(extra=1), "'extra' is not as a release writes it"),
        (lambda m: m.update(schema="noiseproof-release-9"), "expected a manifest"),
    ],
)
def test_a_manifest_that_was_signed_is_still_read_critically(
    tmp_path: Path, change: Callable[[Any], object], message: str
) -> None:
    """Even with a valid signature: the signer, too, may have been handed a folder that does not add up."""
    make_release(tmp_path / "release")
    key, public = make_key(tmp_path / "key")
    path = tmp_path / "release" / "release.json"
    manifest = json.loads(path.read_text())
    change(manifest)
    path.write_text(json.dumps(manifest))
    attest(tmp_path / "release", key)
    faults = [str(one) for one in verify(tmp_path / "release", public) if one.state == "fails"]
    assert any(message in fault for fault in faults), faults


def test_the_entry_must_stand_in_the_ledger(tmp_path: Path) -> None:
    from noiseproof.audit.release.ledger import Cost, Ledger

    make_release(tmp_path / "release")
    path = tmp_path / "release" / "release.json"
    manifest = json.loads(path.read_text())
    cost = Cost.from_dict(manifest["costs"])
    ledgers = [tmp_path / "ours", tmp_path / "theirs"]
    for place, epsilon in zip(ledgers, (3.0, 4.0), strict=True):
        ledger = Ledger.create(place, "adult-1994", Cost.pure(epsilon, adjacency=cost.adjacency))
        ledger.settle(ledger.reserve(cost, "the release"))
    record = Ledger.open(ledgers[0]).record(1)
    manifest["costs"] = cost.to_dict()
    manifest["ledger"] = {**record, "entry": str(record["entry"])}
    path.write_text(json.dumps(manifest))
    key, public = make_key(tmp_path / "key")
    seal(tmp_path / "release", key)
    assert exit_code(verify(tmp_path / "release", public, ledger=ledgers[0])) == 0
    faults = [one for one in verify(tmp_path / "release", public, ledger=ledgers[1]) if one.state == "fails"]
    assert [one.what for one in faults] == ["ledger"]
    assert "rewritten, or is another one" in faults[0].message
    with pytest.raises(SpecError, match="no such ledger"):
        verify(tmp_path / "release", public, ledger=tmp_path / "none")


def test_an_unsalted_digest_of_the_table_is_a_fault(tmp_path: Path) -> None:
    make_release(tmp_path / "release")
    path = tmp_path / "release" / "certificate.json"
    data = json.loads(path.read_text())
    data["provenance"]["data_digest"] = "sha256:" + "0" * 64
    path.write_text(json.dumps(data))
    list_files(tmp_path / "release")
    with pytest.raises(
        SpecError, match=r"not sealed, since something in it does not hold: .*unsalted digest"
    ):
        seal(tmp_path / "release")
    attest(tmp_path / "release")
    assert any(
        "unsalted digest" in one.message for one in verify(tmp_path / "release") if one.state == "fails"
    )


@pytest.mark.parametrize("name", ["data.csv", "certificate.json", "attestation.json"])
def test_no_link_is_followed(sealed: Sealed, tmp_path: Path, name: str) -> None:
    elsewhere = tmp_path / "elsewhere"
    shutil.move(sealed.folder / name, elsewhere)
    (sealed.folder / name).symlink_to(elsewhere)
    assert any(f"{name}" in fault and "symbolic link" in fault for fault in sealed.faults())


def test_pipes_and_huge_files_do_not_stop_it(sealed: Sealed, monkeypatch: pytest.MonkeyPatch) -> None:
    (sealed.folder / "data.csv").unlink()
    os.mkfifo(sealed.folder / "data.csv")
    assert any("neither a file nor a folder" in fault for fault in sealed.faults())
    monkeypatch.setattr("noiseproof.audit.record.seal.sealed_files.MAX_BYTES", 100)
    assert any("certificate.json has more than 100 bytes" in fault for fault in sealed.faults())
    monkeypatch.setattr("noiseproof.audit.release.verify.verification.MAX_BYTES", 100)
    assert sealed.faults() == [
        "fails  attestation (attestation.json): attestation.json has more than 100 bytes; `noiseproof seal` writes it"
    ]


def test_what_cannot_be_sealed(tmp_path: Path) -> None:
    folder = tmp_path / "release"
    with pytest.raises(SpecError, match="expected a folder"):
        seal(folder)
    make_release(folder)
    key = make_key(folder / "key")[0]
    with pytest.raises(SpecError, match="private key lies in the folder"):
        seal(folder, key)
    (folder / "key").unlink()
    (folder / "link").symlink_to("/etc/hostname")
    with pytest.raises(SpecError, match="link is a symbolic link"):
        seal(folder)
    (folder / "link").unlink()
    certificate = json.loads((folder / "certificate.json").read_text())
    certificate["verdict"] = "PROVED"
    (folder / "certificate.json").write_text(json.dumps(certificate))
    with pytest.raises(SpecError, match="does not follow from its evidence"):
        seal(folder)
    (folder / "certificate.json").unlink()
    with pytest.raises(SpecError, match=r"certificate\.json cannot be opened"):
        seal(folder)
    assert not (folder / "attestation.json").exists()
    with pytest.raises(SpecError, match="expected a folder"):
        verify(tmp_path / "nowhere")


def test_a_failed_write_leaves_no_attestation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_release(tmp_path / "release")
    before = sorted(p.name for p in (tmp_path / "release").iterdir())

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(SpecError, match="No space left"):
        seal(tmp_path / "release")
    assert sorted(p.name for p in (tmp_path / "release").iterdir()) == before


def test_sigstore_is_an_extra(sealed: Sealed) -> None:
    pytest.importorskip("cryptography")
    try:
        import sigstore  # type: ignore[import-not-found]  # noqa: F401
    except ImportError:
        with pytest.raises(SpecError, match=r"pip install 'noiseproof\[sigstore\]'"):
            seal(sealed.folder, sealed.other, online=True)
        found = verify(sealed.folder, identity=("a@example.org", "https://example.org"))
        assert [one.state for one in found if one.what == "signature"] == ["open"]
