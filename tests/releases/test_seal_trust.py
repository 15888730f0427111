"""Whom a verifier trusts: a key from elsewhere that only its owner can sign with, no other file, and a gate that asks for a pass."""

from __future__ import annotations

import base64
import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from made_certificates import certificate, one_of_each
from sealed_release import Sealed, seal, verify
from typer.testing import CliRunner

from noiseproof.audit.record.seal.folder import BUNDLE
from noiseproof.audit.record.seal.keys import load_public_key, make_key
from noiseproof.audit.release.verify import attest, exit_code, sealing
from noiseproof.cli import app
from noiseproof.symbolic.errors import SpecError

P = 2**255 - 19
_PREFIX = bytes.fromhex("302a300506032b6570032100")
# y of the points of order 8, from the list that libsodium refuses (ge25519_has_small_order).
EIGHT = (
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
)
SMALL = [*(y.to_bytes(32, "little") for y in (0, 1, P - 1, P, P + 1)), *map(bytes.fromhex, EIGHT)]


def pem(point: bytes) -> str:
    text = base64.b64encode(_PREFIX + point).decode()
    return f"-----BEGIN PUBLIC KEY-----\n{text}\n-----END PUBLIC KEY-----\n"


@pytest.mark.parametrize("sign", [0, 0x80])
@pytest.mark.parametrize("point", SMALL, ids=[p.hex()[:8] for p in SMALL])
def test_a_key_that_anyone_can_sign_with_is_refused(point: bytes, sign: int, tmp_path: Path) -> None:
    path = tmp_path / "k.pub"
    path.write_text(pem(bytes([*point[:31], point[31] | sign])))
    with pytest.raises(SpecError, match=r"small order|not a public key"):
        load_public_key(path)


def test_keys_of_somebody_are_taken(tmp_path: Path) -> None:
    for number in range(20):
        load_public_key(make_key(tmp_path / f"k{number}")[1])


@pytest.mark.parametrize("way", ["file", "link to it", "hard link", "through a parent"])
def test_a_key_that_lies_in_the_folder_vouches_for_nothing(way: str, sealed: Sealed, tmp_path: Path) -> None:
    inside = sealed.folder / "key.pub"
    shutil.copy(sealed.foreign, inside)
    key = {
        "file": inside,
        "link to it": tmp_path / "l.pub",
        "hard link": tmp_path / "h.pub",
        "through a parent": sealed.folder / ".." / sealed.folder.name / "key.pub",
    }[way]
    if way == "link to it":
        key.symlink_to(inside)
    elif way == "hard link":
        os.link(inside, key)
    with pytest.raises(SpecError, match="lies in the folder"):
        verify(sealed.folder, key)


def bundle(sealed: Sealed, **changes: Any) -> dict[str, Any]:
    """The form of a sigstore bundle about the attestation of the folder."""
    payload = sealed.json("attestation.json")["payload"]
    return {
        "mediaType": "application/vnd.dev.sigstore.bundle.v0.3+json",
        "verificationMaterial": {"certificate": {"rawBytes": "AAAA"}, "tlogEntries": []},
        "dsseEnvelope": {
            "payload": payload,
            "payloadType": "application/vnd.in-toto+json",
            "signatures": [{"sig": "AAAA"}],
        },
        **changes,
    }


def test_a_bundle_of_this_attestation_may_lie_beside_it(sealed: Sealed) -> None:
    (sealed.folder / BUNDLE).write_text(json.dumps(bundle(sealed)))
    assert sealed.faults() == []


def test_no_bundle_is_left_alone(sealed: Sealed, monkeypatch: pytest.MonkeyPatch) -> None:
    bundle = sealed.folder / BUNDLE
    monkeypatch.setattr(sealing, "sign_online", lambda *_: bundle.touch() or bundle)
    monkeypatch.setattr("os.replace", lambda *_: (sealed.folder / "missing").read_bytes())
    before = sorted(sealed.folder.iterdir())
    with pytest.raises(SpecError, match="cannot write"):
        attest(sealed.folder, sealed.other, online=True)
    assert sorted(sealed.folder.iterdir()) == before


def contents(sealed: Sealed) -> dict[str, bytes]:
    whole = bundle(sealed)
    envelope = whole["dsseEnvelope"]
    other = base64.b64encode(b"{}").decode()
    changed = {
        "another attestation": {"dsseEnvelope": {**envelope, "payload": other}},
        "another type": {"dsseEnvelope": {**envelope, "payloadType": "text/html"}},
        "no signature": {"dsseEnvelope": {**envelope, "signatures": []}},
        "a note beside": {"note": "approved by the board"},
        "a note inside": {"verificationMaterial": {"note": "approved"}},
        "another media type": {"mediaType": "text/html"},
    }
    found = {name: json.dumps({**whole, **change}).encode() for name, change in changed.items()}
    text = json.dumps(whole)
    return found | {
        "any text": b"<h1>approved</h1>",
        "nothing": b"",
        "a list": b"[]",
        "a key twice": text.replace('"mediaType"', '"mediaType": 1, "mediaType"').encode(),
        "a long text": b'"' + b"x" * 2**21 + b'"',
    }


def test_nothing_else_may_lie_there_as_a_bundle(sealed: Sealed) -> None:
    for name, raw in contents(sealed).items():
        (sealed.folder / BUNDLE).write_bytes(raw)
        for found in (sealed.faults(), [str(one) for one in verify(sealed.folder) if one.state == "fails"]):
            assert len(found) == 1, name
            assert BUNDLE in found[0]


def test_an_honest_seal_of_a_failed_audit_holds_and_a_gate_can_require_a_pass(
    sealed: Sealed, tmp_path: Path
) -> None:
    folder, (private, public) = tmp_path / "audit", make_key(tmp_path / "k")
    folder.mkdir()
    (folder / "certificate.json").write_text(one_of_each().to_json())
    seal(folder, private)
    assert exit_code(verify(folder, public)) == 0
    found = verify(folder, public, require_pass=True)
    assert exit_code(found) == 1
    assert [one.message for one in found if one.state == "fails"] == [
        "the audit did not pass, and a pass is required"
    ]
    asked = ["verify", str(sealed.folder), "--key", str(sealed.public), "--require-pass"]
    assert CliRunner().invoke(app, asked).exit_code == 0


def test_a_pass_is_found_and_what_is_undecided_is_none(sealed: Sealed, tmp_path: Path) -> None:
    passed = sealed.verify(require_pass=True)
    assert [(one.what, one.state) for one in passed if one.what == "pass"] == [("pass", "holds")]
    folder = tmp_path / "open"
    folder.mkdir()
    data = one_of_each()
    kept = certificate(*data.findings[2:4])
    (folder / "certificate.json").write_text(kept.to_json())
    seal(folder)
    states = {one.what: one.state for one in verify(folder, require_pass=True)}
    assert states["pass"] == "open"
