"""Changed and made-up folders: no traceback, nothing written, nothing that was changed passes for sealed."""

from __future__ import annotations

import base64
import copy
import json
import random
from pathlib import Path
from typing import Any

import pytest
from sealed_release import Sealed, made_certificate, seal, verify

from noiseproof.audit.record.certificate_check import check_certificate
from noiseproof.audit.release.verify import exit_code
from noiseproof.audit.release.verify.manifest_check import check_checklist, check_manifest
from noiseproof.symbolic.errors import SpecError

ODD: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    1e308,
    10**400,
    "",
    "x",
    "../../etc/passwd",
    "\x1b[2J",
    "\u202e",
    [],
    {},
    [[]],
    {"a": 1},
    "9" * 5000,
)


def changed(data: Any, rng: random.Random) -> Any:
    """A copy with one value, wherever it stands, replaced, removed or repeated."""
    data = copy.deepcopy(data)
    places: list[tuple[Any, Any]] = []
    waiting = [data]
    while waiting:
        here = waiting.pop()
        keys = list(here) if isinstance(here, dict) else range(len(here))
        for key in keys:
            places.append((here, key))
            if isinstance(here[key], dict | list):
                waiting.append(here[key])
    holder, key = rng.choice(places)
    match rng.randrange(4):
        case 0:
            del holder[key]
        case 1 if isinstance(holder, list):
            holder.append(copy.deepcopy(holder[key]))
        case 2 if isinstance(holder, dict):
            holder[rng.choice(["x", "../x", "\x00"])] = holder.pop(key)
        case _:
            holder[key] = rng.choice(ODD)
    return data


def fuzz_contents(cases: int, seed: int) -> None:
    import made_release

    rng = random.Random(seed)
    certificate, manifest = made_certificate(), made_release.manifest()
    for case in range(cases):
        one, two = changed(certificate, rng), changed(manifest, rng)
        check_certificate(one)
        check_manifest(two, certificate, {})
        if case % 20 == 0:  # it takes longer than all the rest
            check_checklist(two, certificate)
            check_checklist(manifest, one)


def fuzz_bytes(sealed: Sealed, cases: int, seed: int) -> None:
    rng = random.Random(seed)
    paths = sorted(sealed.folder.iterdir())
    for _ in range(cases):
        path = rng.choice(paths)
        before = path.read_bytes()
        raw = bytearray(before)
        for _ in range(rng.choice((1, 1, 3, 30))):
            at = rng.randrange(len(raw))
            match rng.randrange(3):
                case 0:
                    raw[at] = rng.randrange(256)
                case 1:
                    del raw[at : at + rng.randrange(1, 200)]
                case _:
                    raw[at:at] = rng.choice((b"{", b'"', b"[[[[", b"\\ud800", b"\x00", b"1e999", raw[:50]))
            if not raw:
                raw = bytearray(b" ")
        path.write_bytes(raw)
        found = sealed.verify()
        if raw != before and _means_something_else(path, before, bytes(raw)):
            assert exit_code(found) == 1, (path.name, bytes(raw)[:200])
        path.write_bytes(before)


def _means_something_else(path: Path, before: bytes, after: bytes) -> bool:
    """The attestation's own layout, unknown keys, hints and unused bits of base64 are not signed; all else is."""
    if path.name != "attestation.json":
        return True
    try:
        one, two = (json.loads(raw) for raw in (before, after))
        return any(_signed(one, key) != _signed(two, key) for key in ("payload", "payloadType", "sig"))
    except (ValueError, KeyError, TypeError, IndexError, AttributeError):
        return True


def _signed(envelope: Any, key: str) -> Any:
    value = envelope["signatures"][0]["sig"] if key == "sig" else envelope[key]
    return (
        value
        if key == "payloadType"
        else base64.b64decode(value.replace("-", "+").replace("_", "/"), validate=True)
    )


def fuzz_attestation(sealed: Sealed, cases: int, seed: int) -> None:
    rng = random.Random(seed)
    path = sealed.folder / "attestation.json"
    before, statement = path.read_text(), sealed.statement()
    for _ in range(cases):
        forged = changed(statement, rng)
        if forged == statement:  # an empty list in the place of an empty list
            continue
        sealed.forge(lambda payload, forged=forged: (payload.clear(), payload.update(forged)))  # type: ignore[misc]
        assert exit_code(sealed.verify()) == 1
        path.write_text(before)
        sealed.edit("attestation.json", lambda envelope: None)
        (sealed.folder / "attestation.json").write_text(json.dumps(changed(json.loads(before), rng)))
        sealed.verify()
        path.write_text(before)


def test_changed_contents_are_judged_without_falling_over() -> None:
    fuzz_contents(150, seed=1)


def test_changed_bytes_are_caught(sealed: Sealed) -> None:
    fuzz_bytes(sealed, 40, seed=2)


def test_changed_attestations_are_caught(sealed: Sealed) -> None:
    fuzz_attestation(sealed, 40, seed=3)


def test_sealing_what_was_changed_is_refused_or_holds(sealed: Sealed) -> None:
    rng = random.Random(4)
    certificate = made_certificate()
    for _ in range(25):
        (sealed.folder / "attestation.json").unlink(missing_ok=True)
        (sealed.folder / "certificate.json").write_text(json.dumps(changed(certificate, rng)))
        try:
            seal(sealed.folder, sealed.key)
        except SpecError:
            assert not (sealed.folder / "attestation.json").exists()
            continue
        assert not any(
            one.what in ("verdicts", "evidence", "test result")
            for one in verify(sealed.folder)
            if one.state == "fails"
        )


@pytest.mark.long
def test_a_hundred_thousand_changes(sealed: Sealed) -> None:
    """1e5 cases in all; some minutes."""
    fuzz_contents(90_000, seed=5)
    fuzz_bytes(sealed, 6_000, seed=6)
    fuzz_attestation(sealed, 4_000, seed=7)
