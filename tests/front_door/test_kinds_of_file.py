"""A file of another kind than a command reads: one line that says what it is and which command takes it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from made_certificates import one_of_each
from typer.testing import CliRunner

from noiseproof import cli
from noiseproof.audit.record.reading.kinds_of_file import KINDS, kind_of
from noiseproof.init_command import SPEC

FILES = {
    "spec.toml": ("spec", SPEC),
    "model.toml": ("model", '[model]\ndensty = "exp(-y)"\nsupport = [0, "oo"]\n'),
    "both.toml": ("spec", '[model]\ndensty = "exp(-y)"\n[[claims]]\npredicate = "error-bound"\n'),
    "program.toml": ("program", '[program]\nminimse = "x"\n'),
    "query.toml": ("query", '[query]\nvlue = "x"\n'),
    "claimed.toml": ("spec", '[query]\nvalue = "x"\n[[claims]]\npredicate = "sensitivity-bound"\n'),
    "policy.toml": ("policy", 'title = "t"\n[columns]\nage = { bounds = [0, 100] }\n'),
    "my.answers.toml": ("answers", "[answers]\nkeys = 'kept'\n"),
    "c.json": ("certificate", one_of_each().to_json()),
    "people.csv": ("table", "name,age\nann,3\n"),
    "book.ledger": ("ledger", '{"schema": "noiseproof-ledger-1"}\n'),
    "seal.json": ("attestation", '{"payloadType": "application/vnd.in-toto+json"}'),
    "release.json": ("release", '{"schema": "noiseproof-release-1"}'),
    "own.py": ("python", "x = 1\n"),
    "page.html": ("page", "<!doctype html>\n<title>t</title>"),
    "key.pub": ("key", "-----BEGIN PUBLIC KEY-----\n"),
    "notes.txt": ("", "what we talked about\n"),
    "problem.json": ("problem", '{"schema": "noiseproof-problem-1"}'),
    "derivation.json": ("derivation", '{"schema": "noiseproof-derivation-1"}'),
    "other.json": ("", '{"schema": "other"}'),
    "none.toml": ("", "x = 1\n"),
}
COMMANDS = {
    "audit": "spec",
    "derive": "model program query",
    "plan": "spec",
    "check-spec": "spec",
    "calibrate": "policy",
    "report": "certificate",
    "verify": "",
    "ledger show": "ledger",
    "policy init": "table policy",  # `policy check` takes a policy
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, (_, text) in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_kinds(folder: Path) -> None:
    assert {name: kind_of(folder / name) for name in FILES} == {n: kind for n, (kind, _) in FILES.items()}
    (folder / "certificate.json").write_text("{}")
    assert kind_of(folder) == "release folder"
    (folder / "release.json").unlink()
    assert kind_of(folder) == "audit folder"
    (folder / "raw.json").write_bytes(json.dumps("\xff").encode("utf-16"))
    assert (kind_of(folder / "raw.json"), kind_of(folder / "absent")) == ("", "")


@pytest.mark.parametrize("command", COMMANDS)
def test_a_file_of_another_kind_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    before = sorted(path.name for path in folder.iterdir())
    for name, (kind, _) in FILES.items():
        if kind and kind in COMMANDS[command].split():
            continue
        words = [*command.split(), name]
        monkeypatch.setattr(sys, "argv", ["noiseproof", *words])
        done = CliRunner().invoke(cli.app, words)
        last = done.stderr.strip().splitlines()[-1]
        assert (done.exit_code, done.stdout) == (2, ""), (words, done.output)
        what, takers = KINDS.get(kind, ("", ()))
        assert (f"; this is {what}" in last) is bool(kind), last
        assert ", ".join(f"`noiseproof {one}`" for one in takers) in last
    assert sorted(path.name for path in folder.iterdir()) == before


def test_what_stands_in_the_way_is_no_file_of_another_kind(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["policy", "init", "people.csv"]
    monkeypatch.setattr(sys, "argv", ["noiseproof", *words])
    done = CliRunner().invoke(cli.app, words)
    assert "exists already" in done.stderr
    assert "this is" not in done.stderr


def test_a_policy_for_a_spec_is_named_without_the_keys_of_a_spec(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["noiseproof", "audit", "policy.toml"])
    said = CliRunner().invoke(cli.app, ["audit", "policy.toml"]).stderr
    assert "not expected here; this is a release policy: use `noiseproof release`" in said
    assert "did you mean" not in said


def test_what_is_wrong_with_a_key_in_its_place_names_no_other_place(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["verify", ".", "--key", "key.pub"]
    monkeypatch.setattr(sys, "argv", ["noiseproof", *words])
    done = CliRunner().invoke(cli.app, words)
    assert (done.exit_code, "key.pub: " in done.stderr, "this is a key" in done.stderr) == (2, True, False)
