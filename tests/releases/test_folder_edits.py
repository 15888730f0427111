"""What lies in a sealed folder beside its data: an audit's files are drawn again, a release has its manifest, the rest is named."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from fuzz_folders import fuzz
from made_certificates import certificate, finding
from sample_release import sample_release
from sealed_release import seal, verify
from typer.testing import CliRunner

from noiseproof.audit.record.plain import json_text
from noiseproof.audit.release.verify import attest, exit_code, make_key
from noiseproof.cli import app
from noiseproof.output_options import drawn_again
from noiseproof.symbolic.errors import SpecError


def audited(folder: Path, verdict: str) -> Path:
    """The folder of an audit, in all formats."""
    text = certificate(finding(1, verdict), title=f"an audit of {verdict}").to_json()
    folder.mkdir()
    for name, content in {**drawn_again(json.loads(text)), "certificate.json": text}.items():
        (folder / name).write_text(content, encoding="utf-8")
    return folder


def test_no_edit_of_an_audit_is_signed_or_believed(tmp_path: Path) -> None:
    folders = [audited(tmp_path / v, v) for v in ("REFUTED", "SURVIVED")]
    found = fuzz(folders, 60, seed=43)
    assert sum(found.values()) == 60
    assert [case for case in found if case[1] in ("signed", "believed")] == []


@pytest.mark.parametrize(
    "name", ["index.html", "junit.xml", "certificate.sarif", "summary.md", "certificate.html"]
)
def test_a_file_of_an_audit_that_contradicts_its_certificate_is_named(tmp_path: Path, name: str) -> None:
    folder = audited(tmp_path / "audit", "REFUTED")
    key, public = make_key(tmp_path / "key")
    path = folder / name
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("REFUTED", "SURVIVED").replace("Refuted", "Survived"), encoding="utf-8")
    with pytest.raises(SpecError, match="is not what the certificate gives when it is drawn again"):
        seal(folder, key)
    attest(folder, key)
    assert [one.file for one in verify(folder, public) if one.state == "fails"] == [name]


@pytest.mark.parametrize("name", ["index.html", "junit.xml", "certificate.sarif", "summary.md"])
def test_what_no_page_shows_is_that_of_the_certificate_it_was_drawn_from(tmp_path: Path, name: str) -> None:
    folder = audited(tmp_path / "audit", "SURVIVED")
    for path in folder.iterdir():
        if path.name not in (name, "certificate.json"):
            path.unlink()
    data = json.loads((folder / "certificate.json").read_text())
    named = data["findings"][0]["subject"]
    subject = {"name": named, "summary": "", "parameters": {}, "deterministic": False, "inputs": "1" * 16}
    data["subjects"] = [subject]
    (folder / name).write_text(drawn_again(data)[name])
    subject["inputs"] = "0" * 16
    (folder / "certificate.json").write_text(json_text(data))
    with pytest.raises(SpecError, match="is not what the certificate gives when it is drawn again"):
        seal(folder)


def test_a_release_without_its_manifest_is_no_release(tmp_path: Path) -> None:
    folder = tmp_path / "release"
    shutil.copytree(sample_release(), folder)
    key, public = make_key(tmp_path / "key")
    for name in ("release.json", "attestation.json"):
        (folder / name).unlink()
    with pytest.raises(SpecError, match="without its manifest a folder is no release"):
        seal(folder, key)
    attest(folder, key)
    said = CliRunner().invoke(app, ["verify", str(folder), "--key", str(public), "--require-pass"])
    assert said.exit_code == 1
    assert "data.csv" in said.output


def test_what_was_not_looked_at_is_named_and_is_no_pass(tmp_path: Path) -> None:
    folder = audited(tmp_path / "audit", "SURVIVED")
    (folder / "letter.txt").write_text("All is proved.")
    key, public = make_key(tmp_path / "key")
    sealed = CliRunner().invoke(app, ["seal", str(folder), "--key", str(key)])
    assert (sealed.exit_code, "letter.txt): not looked at" in sealed.output) == (0, True)
    found = verify(folder, public)
    assert [(one.what, one.file) for one in found if one.state != "holds"] == [("file", "letter.txt")]
    assert exit_code(found) == 4
