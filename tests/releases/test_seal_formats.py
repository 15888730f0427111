"""The formats of sealed folders: canonical JSON, strict reading, envelopes, keys, bundles; and that nothing makes them fall over."""

from __future__ import annotations

import base64
import json
import os
import shutil
import struct
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from noiseproof.audit.record.reading.strict_json import StrictJsonError, read_strict
from noiseproof.audit.record.seal import online
from noiseproof.audit.record.seal.canonical import canonical_json as canonical
from noiseproof.audit.record.seal.envelope import PAYLOAD_TYPE, Envelope, EnvelopeError, encoded
from noiseproof.audit.record.seal.folder import BUNDLE
from noiseproof.audit.record.seal.keys import PASSPHRASE, key_id, load_private_key, load_public_key
from noiseproof.audit.record.seal.online import check_bundle
from noiseproof.audit.release.verify import canonical_digest, canonical_json, make_key
from noiseproof.symbolic.errors import SpecError

# RFC 8785, appendix B: the bits of a double and its canonical form.
NUMBERS = {
    "0000000000000000": "0",
    "8000000000000000": "0",
    "0000000000000001": "5e-324",
    "8000000000000001": "-5e-324",
    "7fefffffffffffff": "1.7976931348623157e+308",
    "ffefffffffffffff": "-1.7976931348623157e+308",
    "4340000000000000": "9007199254740992",
    "c340000000000000": "-9007199254740992",
    "4430000000000000": "295147905179352830000",
    "44b52d02c7e14af5": "9.999999999999997e+22",
    "44b52d02c7e14af6": "1e+23",
    "44b52d02c7e14af7": "1.0000000000000001e+23",
    "444b1ae4d6e2ef4e": "999999999999999700000",
    "444b1ae4d6e2ef4f": "999999999999999900000",
    "444b1ae4d6e2ef50": "1e+21",
    "3eb0c6f7a0b5ed8c": "9.999999999999997e-7",
    "3eb0c6f7a0b5ed8d": "0.000001",
    "41b3de4355555553": "333333333.3333332",
    "41b3de4355555554": "333333333.33333325",
    "41b3de4355555555": "333333333.3333333",
    "41b3de4355555556": "333333333.3333334",
    "41b3de4355555557": "333333333.33333343",
    "becbf647612f3696": "-0.0000033333333333333333",
    "43143ff3c1cb0959": "1424953923781206.2",
}

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**80), 2**80)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize("bits", NUMBERS)
def test_numbers_as_the_rfc_prints_them(bits: str) -> None:
    (value,) = struct.unpack(">d", bytes.fromhex(bits))
    assert canonical_json(value).decode() == NUMBERS[bits]


def test_keys_are_sorted_by_code_units_and_text_is_escaped_as_little_as_possible() -> None:
    keys = ["\u20ac", "\r", "\ufb33", "1", "\U0001f600", "\u0080", "\u00f6"]
    found = canonical_json(dict.fromkeys(keys, 0)).decode()
    assert list(json.loads(found)) == ["\r", "1", "\u0080", "\u00f6", "\u20ac", "\U0001f600", "\ufb33"]
    text = "\u20ac$\u000f\u000aA'\u0042\u0022\u005c\\\"/"
    assert canonical_json(text).decode() == r'"€$\u000f\nA' + "'" + r"B\"\\\\\"/" + '"'


@given(PLAIN)
@settings(max_examples=100, deadline=None)
def test_the_form_is_one_and_says_the_same(value: Any) -> None:
    raw = canonical_json(value)
    again = read_strict(raw)
    assert canonical_json(again) == raw
    assert _same(again, value)
    shuffled = json.loads(json.dumps(value, indent=3))
    assert canonical_digest(shuffled) == canonical_digest(value)


def _same(one: Any, two: Any) -> bool:
    if isinstance(two, dict):
        return one.keys() == two.keys() and all(_same(one[k], two[k]) for k in two)
    if isinstance(two, list):
        return len(one) == len(two) and all(map(_same, one, two))
    return bool(float(one) == two if isinstance(two, float) else one == two)


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), "\ud800", {"\ud800": 1}, {1: 2}, b"x", {1, 2}, object()]
)
def test_what_json_cannot_say_is_refused(value: Any) -> None:
    with pytest.raises(ValueError):
        canonical_json(value)


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b'{"a": 1, "b": {"c": 1, "c": 2}}', "'c' stands twice"),
        (b"[NaN]", "NaN"),
        (b"[-Infinity]", "Infinity"),
        (b"[1e999]", "outside the range"),
        (b"[" * 100 + b"]" * 100, "nested more than 64"),
        (b"[" * 1_000_000, "nested more than 64"),
        (b'{"a":' * 1_000_000, "nested more than 64"),
        (b'["\\ud800"]', "surrogate"),
        (b'{"\\udfff": 1}', "surrogate"),
        (b"\xff\xfe[\x00]\x00", "not UTF-8"),
        (b"\xef\xbb\xbf[]", "not JSON"),
        (b"[" + b"9" * 5000 + b"]", "not JSON"),
        (b"{} {}", "not JSON"),
        (b"", "not JSON"),
    ],
    ids=range(14),
)
def test_json_that_two_readers_could_understand_differently_is_refused(raw: bytes, message: str) -> None:
    with pytest.raises(StrictJsonError, match=message):
        read_strict(raw)


def test_json_has_a_longest_length() -> None:
    with pytest.raises(StrictJsonError, match="more than 10 bytes"):
        read_strict(b"[1,2,3,4,5,6]", longest=10)


def test_what_is_signed_is_the_encoding_of_the_protocol() -> None:
    # The test vector of the protocol of DSSE.
    said = encoded("http://example.com/HelloWorld", b"hello world")
    assert said == b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"


def test_envelopes_are_read_as_they_are_written(tmp_path: Path) -> None:
    key = load_private_key(make_key(tmp_path / "key")[0])
    envelope = Envelope(b'{"x": "\xc3\xbf\xc3\xbe"}').signed(key)
    data = envelope.to_dict()
    assert Envelope.read(json.dumps(data).encode()) == envelope
    for field in ("payload",):
        data[field] = base64.urlsafe_b64encode(base64.b64decode(data[field])).decode()
    again = Envelope.read(json.dumps(data).encode())
    assert again.is_signed_by(key.public_key())
    # A hint is no evidence: with another name, or none, the signature is still this key's.
    data["signatures"][0].pop("keyid")
    assert Envelope.read(json.dumps(data).encode()).is_signed_by(key.public_key())
    moved = Envelope(b"other", PAYLOAD_TYPE, envelope.signatures)
    assert not moved.is_signed_by(key.public_key())


@pytest.mark.skipif(shutil.which("openssl") is None, reason="no openssl on the path")
def test_another_program_confirms_the_signature(tmp_path: Path) -> None:
    private, public = make_key(tmp_path / "key")
    envelope = Envelope(b"{}").signed(load_private_key(private))
    (tmp_path / "message").write_bytes(b"DSSEv1 28 application/vnd.in-toto+json 2 {}")
    (tmp_path / "signature").write_bytes(envelope.signatures[0][1])
    command = [
        "openssl",
        "pkeyutl",
        "-verify",
        "-pubin",
        "-inkey",
        str(public),
        "-rawin",
        "-in",
        "message",
        "-sigfile",
        "signature",
    ]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, "Verified Successfully" in done.stdout) == (0, True), done.stderr
    (tmp_path / "message").write_bytes(b"DSSEv1 28 application/vnd.in-toto+json 2 []")
    assert subprocess.run(command, cwd=tmp_path, capture_output=True, check=False).returncode != 0


@pytest.mark.parametrize(
    "change",
    [
        {"payload": None},
        {"payload": "*"},
        {"payload": "abc"},
        {"payloadType": "application/json"},
        {"signatures": {}},
        {"signatures": ["x"]},
        {"signatures": [{}]},
        {"signatures": [{"sig": 1}]},
        {"signatures": [{"sig": "", "keyid": 1}]},
        {"signatures": [{"sig": ""}] * 65},
    ],
    ids=str,
)
def test_bytes_that_are_no_envelope(change: dict[str, Any]) -> None:
    data = {**Envelope(b"{}").to_dict(), **change}
    with pytest.raises(EnvelopeError):
        Envelope.read(json.dumps(data).encode())


def test_keys_are_kept_private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    private, public = make_key(tmp_path / "key")
    assert private.stat().st_mode & 0o777 == 0o600
    assert load_private_key(private).public_key() == load_public_key(public) == load_public_key(private)
    assert len(key_id(load_public_key(public))) == 64
    with pytest.raises(SpecError, match="not overwritten"):
        make_key(private)
    with pytest.raises(SpecError, match="expected a private key, got a public one"):
        load_private_key(public)
    os.chmod(private, 0o644)
    with pytest.raises(SpecError, match="chmod 600"):
        load_private_key(private)
    locked, _ = make_key(tmp_path / "locked", "correct horse")
    with pytest.raises(SpecError, match=f"passphrase into {PASSPHRASE}"):
        load_private_key(locked)
    monkeypatch.setenv(PASSPHRASE, "wrong")
    with pytest.raises(SpecError, match="cannot be decrypted"):
        load_private_key(locked)
    monkeypatch.setenv(PASSPHRASE, "correct horse")
    load_private_key(locked)


def test_other_keys_are_named(tmp_path: Path) -> None:
    from cryptography.hazmat.primitives import serialization as forms
    from cryptography.hazmat.primitives.asymmetric import ec

    other = ec.generate_private_key(ec.SECP256R1())
    pem = other.private_bytes(forms.Encoding.PEM, forms.PrivateFormat.PKCS8, forms.NoEncryption())
    (tmp_path / "ec").touch(0o600)
    (tmp_path / "ec").write_bytes(pem)
    (tmp_path / "ec.pub").write_bytes(
        other.public_key().public_bytes(forms.Encoding.PEM, forms.PublicFormat.SubjectPublicKeyInfo)
    )
    for load, name in ((load_private_key, "ec"), (load_public_key, "ec.pub")):
        with pytest.raises(SpecError, match="expected an Ed25519 key"):
            load(tmp_path / name)
    (tmp_path / "text").touch(0o600)
    (tmp_path / "text").write_text("no key")
    (tmp_path / "long").write_bytes(b"x" * 100_000)
    for name, message in (
        ("text", "not a public key"),
        ("long", "at most"),
        ("none", "no such file"),
        ("", "expected a key"),
    ):
        with pytest.raises(SpecError, match=message):
            load_public_key(tmp_path / name)


@given(st.binary(max_size=200) | PLAIN.map(lambda v: canonical(v)))
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_no_bytes_make_reading_fall_over(raw: bytes) -> None:
    for read, error in ((read_strict, StrictJsonError), (Envelope.read, EnvelopeError)):
        try:
            read(raw)
        except error:
            continue


@pytest.mark.parametrize(
    ("signed", "state", "message"),
    [
        ((PAYLOAD_TYPE, b"{}"), "holds", "signed by a@example.org"),
        ((PAYLOAD_TYPE, b"[]"), "fails", "about another attestation"),
        (("text/plain", b"{}"), "fails", "about another attestation"),
        (None, "fails", "does not confirm a@example.org: another name"),
    ],
)
def test_a_bundle_vouches_for_its_own_attestation_only(
    signed: tuple[str, bytes] | None,
    state: str,
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """sigstore says who signed which bytes; here it is played, and what is made of its answer is tested."""

    def verify_dsse(bundle: bytes, policy: tuple[str, str]) -> tuple[str, bytes]:
        assert (bundle, policy) == (b"bundle", ("a@example.org", "https://example.org"))
        if signed is None:
            raise RuntimeError("another name")
        return signed

    played = SimpleNamespace(
        Bundle=SimpleNamespace(from_json=lambda raw: raw),
        Identity=lambda identity, issuer: (identity, issuer),
        Verifier=SimpleNamespace(production=lambda: SimpleNamespace(verify_dsse=verify_dsse)),
    )
    monkeypatch.setattr(online, "_part", lambda _: played)
    (tmp_path / BUNDLE).write_bytes(b"bundle")
    found = check_bundle(tmp_path, b"{}", ("a@example.org", "https://example.org"))
    assert (found.what, found.state) == ("signature", state)
    assert message in found.message
