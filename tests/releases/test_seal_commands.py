"""`noiseproof keygen`, `seal`, `verify` and `export`, as a person types them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from sealed_release import Sealed, made_certificate, make_release
from typer.testing import CliRunner

from noiseproof.cli import app
from noiseproof.verify_command import published_schemas


def call(*words: str | Path) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, [str(word) for word in words])
    return result.exit_code, result.stdout, result.stderr


def test_from_a_key_to_a_verified_folder(tmp_path: Path) -> None:
    make_release(tmp_path / "release")
    code, said, _ = call("keygen", tmp_path / "key")
    assert code == 0
    assert "key id:" in said
    assert call("seal", tmp_path / "release", "--key", tmp_path / "key")[0] == 0
    code, said, _ = call("verify", tmp_path / "release", "--key", tmp_path / "key.pub")
    assert code == 0, said
    assert "schema (certificate.json): noiseproof-certificate-1" in said
    held = said.splitlines()
    assert held[-1] == f"verdict: VERIFIED, {len(held) - 1} checks held"
    code, said, _ = call("verify", tmp_path / "release")
    assert (code, said.splitlines()[-1]) == (4, "verdict: OPEN at signature attestation.json")
    assert call("verify", tmp_path / "release", "--unsigned")[0] == 0


def test_each_fault_is_said_and_is_exit_code_1(sealed: Sealed) -> None:
    code, said, _ = call("verify", sealed.folder, "--key", sealed.foreign)
    assert (code, "wrong key" in said) == (1, True)
    assert said.splitlines()[-1] == "verdict: FAILED at signature attestation.json"
    (sealed.folder / "data.csv").write_text("age\n")
    code, said, _ = call("verify", sealed.folder, "--key", sealed.public, "--json")
    rows = [json.loads(line) for line in said.splitlines()]
    assert code == 1
    assert next((row["what"], row["file"]) for row in rows if row["state"] == "fails") == (
        "files",
        "data.csv",
    )


def test_schemas_are_checked(tmp_path: Path) -> None:
    make_release(tmp_path / "release")
    (tmp_path / "release" / "paper.json").write_text('{"schema": "noiseproof-dossier-1"}')
    assert call("seal", tmp_path / "release")[0] == 0
    code, said, _ = call("verify", tmp_path / "release")
    assert code == 1
    assert "schema (paper.json): at $: 'key' is a required property" in said
    assert {"noiseproof-certificate-1", "noiseproof-dossier-1"} <= set(published_schemas())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("verify", "{d}", "--identity", "a@b.c"), "--identity and --issuer go together"),
        (("verify", "{d}", "--unsigned", "--key", "{d}.pub"), "either --unsigned"),
        (("verify", "{d}", "--key", "{d}/none.pub"), "no such file"),
        (("verify", "{d}/none"), "expected a folder"),
        (("seal", "{d}", "--key", "{d}/none"), "no such file"),
        (("keygen", "{d}.none/key"), "cannot write"),
        (("export", "{d}/data.csv"), "not JSON"),
        (("export", "{d}/release.json"), "expected .schema. to be one of"),
        (("export", "{d}/none.json"), "no such file"),
    ],
)
def test_bad_usage_is_one_message(sealed: Sealed, words: tuple[str, ...], message: str) -> None:
    code, _, said = call(*(word.replace("{d}", str(sealed.folder)) for word in words))
    assert code == 2
    assert len(said.splitlines()) == 1
    assert re.search(message, said)


@pytest.mark.parametrize(
    "words",
    [
        ("report", "{d}/certificate.json", "-o", "{d}/page.html"),
        ("audit", "spec.toml", "-o", "{d}"),
        ("audit", "spec.toml", "-o", "{d}/out/deep"),
        ("audit", "spec.toml", "--checkpoint", "{d}/units"),
        ("audit", "spec.toml", "--cache", "{d}/kept"),
        ("papers", "zhou2009", "-o", "{d}"),
        ("export", "{d}/certificate.json", "-o", "{d}/tex"),
        ("init", "{d}/spec.toml"),
        ("init", "{d}/policy.toml"),
        ("keygen", "{d}/key"),
        ("ledger", "create", "{d}/people.ledger", "--table", "people", "--epsilon", "1", "--unit", "record"),
        ("release", "policy.toml", "-o", "{d}/more"),
    ],
)
def test_nothing_is_written_into_a_sealed_folder(
    sealed: Sealed, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(sealed.folder.parent)
    for name in {"spec.toml", "policy.toml"} & set(words):
        assert call("init", name)[0] == 0
    before = sorted(sealed.folder.rglob("*"))
    code, _, said = call(*(word.replace("{d}", str(sealed.folder)) for word in words))
    assert (code, "this folder is sealed" in said) == (2, True), said
    assert sorted(sealed.folder.rglob("*")) == before


def test_nothing_in_a_folder_steers_the_terminal(sealed: Sealed) -> None:
    name = "data\x1b[2Jall is well\n.csv"
    (sealed.folder / name).write_text("x")
    code, said, _ = call("verify", sealed.folder, "--key", sealed.public)
    assert code == 1
    assert "\x1b" not in said
    assert "additional" in said


def test_export_writes_latex_and_scripts(tmp_path: Path) -> None:
    data = made_certificate()
    claim = {key: data["findings"][1]["claim"][key] for key in ("predicate", "parameters")}
    step = {"left": "sqrt(3)", "relation": "<=", "right": "3/2", "reason": "the loss", "truth": "fails"}
    exact = {"kind": "inequality", **claim, **{side: step[side] for side in ("left", "relation", "right")}}
    proof: dict[str, Any] = {"check": "derivation", "kind": "proof", "sentence": "law", "error": 0.0}
    data["findings"][1]["evidence"].append(
        {**data["findings"][1]["evidence"][0], **proof, "witness": exact, "derivation": [step]}
    )
    data["findings"][1]["sentences"]["law"] = "REFUTED"
    (tmp_path / "audit.json").write_text(json.dumps(data))
    code, said, wrong = call("export", tmp_path / "audit.json", "-o", tmp_path / "out")
    assert code == 0, wrong
    assert sorted(p.relative_to(tmp_path / "out").as_posix() for p in (tmp_path / "out").rglob("*.*")) == [
        "audit.tex",
        "scripts/finding-2-2.py",
        "scripts/finding-2.py",
    ]
    assert "no script" not in said
    script = tmp_path / "out" / "scripts" / "finding-2-2.py"
    done = subprocess.run([sys.executable, "-I", str(script)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("stands: [1.73205080756")
    assert (
        call("export", tmp_path / "audit.json", "-o", tmp_path / "two", "--no-scripts", "--fragment")[0] == 0
    )
    assert "documentclass" not in (tmp_path / "two" / "audit.tex").read_text()
