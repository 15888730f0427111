"""The command as builds use it: formats, waivers, the project's settings, `diff` and `check-spec`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from made_certificates import certificate, finding
from typer.testing import CliRunner

from noiseproof.cli import app

ROOT = Path(__file__).resolve().parents[2]
RELEASES = """
import numpy as np
import noiseproof as npf

def laplace(scale, name):
    def release(x, size, rng):
        return x + rng.laplace(scale=scale, size=(size, 1))
    return npf.BlackBox(release, (0.0, 1.0), name=name)

def good():
    return laplace(1.0, "good"), npf.PureDP(1.0)

def bad():
    return [npf.Claim(npf.PureDP(1.0), laplace(0.3, "bad"), title="the release")]
"""
WAIVER = '[[waivers]]\nclaim = "the release"\nowner = "Ann"\nreason = "known"\nexpires = {}\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "gate_releases.py").write_text(RELEASES)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def call(*arguments: str | Path) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, [str(a) for a in arguments])
    return result.exit_code, result.stdout, result.stderr


def test_every_format_is_written_and_no_other(folder: Path) -> None:
    audit = ("audit", "gate_releases:good", "--samples", "500", "-q", "-o")
    assert call(*audit, "two")[0] == 0
    assert sorted(p.name for p in (folder / "two").iterdir()) == ["certificate.json", "index.html"]
    assert call(*audit, "all", "-f", "json,junit", "--format", "sarif,md,html,json")[0] == 0
    assert sorted(p.name for p in (folder / "all").iterdir()) == [
        "certificate.json",
        "certificate.sarif",
        "index.html",
        "junit.xml",
        "summary.md",
    ]
    code, _, err = call(*audit, "none", "-f", "pdf")
    assert (code, err) == (
        2,
        "error: --format: unknown format 'pdf'; expected one of: html, json, junit, md, sarif\n",
    )
    assert not (folder / "none").exists()


SPEC = """# [[claims]] in a comment
notes = ['''
[[claims]]
''']
[mechanism]
name = "laplace"
epsilon = [1, 2]
sensitivity = 1
[[claims]]
predicate = "pure-dp"
epsilon = 2
about = "law"
[[ claims ]] # the second
predicate = "pure-dp"
epsilon = 0.5
about = "law"
where = { epsilon = 2 }
title = "[[claims]]"
[[controls]]
predicate = "pure-dp"
epsilon = 4
about = "law"
"""
INLINE = """mechanism = { name = "laplace", epsilon = 1, sensitivity = 1 }
claims = [ # { none
  { predicate = "pure-dp", epsilon = 1, about = "law", scope = { unit = "}" } },
  { predicate = "pure-dp", epsilon = 0.5, about = "law" },
]
"""


@pytest.mark.parametrize(
    ("target", "lines"), [(SPEC, [13, 19, 19]), (INLINE, [4]), ("gate_releases:bad", [13])]
)
def test_an_alert_points_to_the_claim(folder: Path, target: str, lines: list[int]) -> None:
    if "\n" in target:
        (folder / "s.toml").write_text(target)
    name = "s.toml" if "\n" in target else target
    assert call("audit", name, "--samples", "1000", "-f", "sarif", "-o", "out")[0] == 1
    results = json.loads((folder / "out" / "certificate.sarif").read_text())["runs"][0]["results"]
    places = [result["locations"][0]["physicalLocation"] for result in results]
    assert {place["artifactLocation"]["uri"] for place in places} == {name.replace(":bad", ".py")}
    assert [place["region"]["startLine"] for place in places] == lines


def test_a_waived_failure_passes_in_the_open(folder: Path) -> None:
    (folder / "w.toml").write_text(WAIVER.format("2999-01-01"))
    audit = ("audit", "gate_releases:bad", "--samples", "1000", "-o", "out", "-f", "json,sarif,md,junit")
    assert call(*audit)[0] == 1
    code, out, _ = call(*audit, "--waivers", "w.toml")
    assert code == 0
    assert "REFUTED    the release" in out
    assert "finding 1 waived by Ann until 2999-01-01: known" in out
    data = json.loads((folder / "out" / "certificate.json").read_text())
    assert (data["verdict"], data["exit_code"]) == ("REFUTED", 1)
    assert data["notes"] == ["finding 1 does not hold and was waived by Ann until 2999-01-01: known"]
    result = json.loads((folder / "out" / "certificate.sarif").read_text())["runs"][0]["results"][0]
    assert result["suppressions"][0]["status"] == "accepted"
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "gate_releases.py"
    assert "**WAIVED**" in (folder / "out" / "summary.md").read_text()


@pytest.mark.parametrize(
    ("target", "day", "message"),
    [("bad", "2020-01-01", "expired on 2020-01-01"), ("good", "2999-01-01", "matches no claim")],
)
def test_a_bad_waiver_ends_the_audit_before_its_work(
    folder: Path, target: str, day: str, message: str
) -> None:
    (folder / "w.toml").write_text(WAIVER.format(day))
    code, _, err = call("audit", f"gate_releases:{target}", "--waivers", "w.toml", "-o", "out")
    assert code == 2
    assert message in err
    assert not (folder / "out").exists()


def test_the_project_sets_defaults_and_options_win(folder: Path) -> None:
    (folder / "w.toml").write_text(WAIVER.format("2999-01-01"))
    (folder / "pyproject.toml").write_text(
        '[tool.noiseproof]\nalpha = 0.01\nsamples = 700\nseed = 3\nformats = ["json"]\nwaivers = "w.toml"\n'
    )
    inner = folder / "inner"
    inner.mkdir()
    assert call("audit", "gate_releases:bad", "-q", "-o", "out")[0] == 0
    data = json.loads((folder / "out" / "certificate.json").read_text())
    settings = {k: data["settings"][k] for k in ("alpha", "samples", "seed")}
    assert settings == {"alpha": 0.01, "samples": 700, "seed": 3}
    assert [p.name for p in (folder / "out").iterdir()] == ["certificate.json"]
    assert call("audit", "gate_releases:bad", "-q", "-o", "out", "--seed", "4", "-f", "md")[0] == 0
    assert (folder / "out" / "summary.md").read_text().endswith("alpha 0.01, 700 samples per input, seed 4\n")
    # What a spec itself says is nearer than the project.
    (folder / "w.toml").write_text("")
    spec = 'seed = 9\n[mechanism]\nname = "laplace"\nepsilon = 1.0\nsensitivity = 1.0\n[[claims]]\npredicate = "pure-dp"\nepsilon = 1\nabout = "law"\n'
    (folder / "s.toml").write_text(spec)
    assert call("audit", "s.toml", "-q", "-o", "out")[0] == 0
    data = json.loads((folder / "out" / "certificate.json").read_text())
    assert (data["settings"]["seed"], data["settings"]["samples"]) == (9, 700)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("alfa = 1", "tool.noiseproof.alfa: unknown key; did you mean 'alpha'?"),
        ("alpha = 1.0", "tool.noiseproof.alpha: expected a number in (0, 1), got 1.0"),
        ("samples = true", "tool.noiseproof.samples: expected a whole number"),
        ("formats = 'json'", "tool.noiseproof.formats: expected a list of texts"),
        ("formats = ['pdf']", "tool.noiseproof.formats: unknown format 'pdf'"),
        ("waivers = 'none.toml'", "none.toml: no such file"),
        ("x", "not valid TOML"),
        ("seed = 1" + "0" * 5000, "not valid TOML: nested too deeply, or a number too long"),
        ('cache = "a\\u0000b"', "tool.noiseproof.cache: expected text, got 'a\\x00b'"),
    ],
)
def test_unusable_project_settings(folder: Path, line: str, message: str) -> None:
    (folder / "pyproject.toml").write_text(f"[tool.noiseproof]\n{line}\n")
    code, _, err = call("audit", "gate_releases:good", "-o", "out")
    assert code == 2
    assert message in err


def test_diff(folder: Path) -> None:
    (folder / "a.json").write_text(certificate(finding(1), finding(2, epsilon=2)).to_json())
    (folder / "b.json").write_text(certificate(finding(1, "REFUTED", certified=1.5)).to_json())
    code, out, _ = call("diff", "a.json", "b.json")
    assert code == 1
    assert (
        "worse  SURVIVED  -> REFUTED    release: 1-differentially private  (epsilon certified: 0.5 -> 1.5)"
        in out
    )
    assert "gone   SURVIVED  -> -" in out
    assert "2 claims, 2 count against the change" in out
    assert call("diff", "a.json", "a.json")[0] == 0
    (folder / "c.json").write_text((folder / "b.json").read_text().replace("REFUTED", "SURVIVED", 1))
    code, _, err = call("diff", "a.json", "c.json")
    assert code == 2
    assert "c.json: not a certificate as it was written" in err
    assert call("diff", "a.json", "none.json")[0] == 2


def test_check_spec_reads_and_does_not_sample(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("noiseproof.audit.trial.examine.examine", None)
    examples = sorted((ROOT / "examples").glob("*.toml"))
    code, out, _ = call("check-spec", *examples)
    assert (code, len(out.splitlines())) == (0, len(examples))
    (folder / "bad.toml").write_text('[mechanism]\nname = "laplace"\n[[claims]]\npredicate = "pure"\n')
    code, out, err = call("check-spec", "bad.toml", examples[0])
    assert (code, len(out.splitlines())) == (2, 1)
    assert "bad.toml: claims[0]" in err
    assert call("check-spec")[0] == 5
    (folder / "pyproject.toml").write_text('[tool.noiseproof]\nspecs = ["*.toml", "bad.toml"]\n')
    code, _, err = call("check-spec")
    assert (code, err.count("error:")) == (2, 2)
    (folder / "pyproject.toml").write_text('[tool.noiseproof]\nspecs = ["none/*.toml"]\n')
    assert "names no file" in call("check-spec")[2]
    spec = '[mechanism]\nname = "laplace"\nepsilon = 1.0\nsensitivity = 1.0\n[[claims]]\npredicate = "pure-dp"\nepsilon = "epsilom"\n'
    (folder / "formula.toml").write_text(spec)
    assert call("check-spec", "formula.toml")[0] == 0
    assert call("check-spec", "--build", "formula.toml")[0] == 2


def test_hook_and_workflow_name_commands_that_exist() -> None:
    yaml = pytest.importorskip("yaml")
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert hook["entry"].split()[:2] == ["noiseproof", "check-spec"]
    workflow = yaml.safe_load((ROOT / "examples/ci/noiseproof.yml").read_text(encoding="utf-8"))
    steps = workflow["jobs"]["audit"]["steps"]
    lines = [s["run"] for s in steps if s.get("run", "").startswith("noiseproof")]
    known = {c.name or c.callback.__name__.replace("_", "-") for c in app.registered_commands}  # type: ignore[union-attr]
    assert {line.split()[1] for line in lines} == {"audit", "check-spec"} <= known
    assert all("permissions" in job for job in workflow["jobs"].values())


def test_an_unchanged_audit_is_not_run_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "pyproject.toml").write_text('[tool.noiseproof]\ncache = "kept"\n')
    audit = ("audit", "gate_releases:good", "--samples", "500", "-f", "json", "-o")
    assert call(*audit, "first")[0] == 0
    (kept,) = (folder / "kept").iterdir()
    code, _, err = call(*audit, "second")
    assert (code, "nothing has changed" in err) == (0, True)
    first, second = (
        json.loads((folder / name / "certificate.json").read_text()) for name in ("first", "second")
    )
    assert first == second
    # The certificate of another audit that is copied over an entry is not taken, nor is one of other claims.
    entry = kept.read_text()
    assert call(*audit[:-1], "-o", "other", "--seed", "7")[0] == 0
    (other,) = set((folder / "kept").iterdir()) - {kept}
    for copied in (
        other.read_text(),
        other.read_text().replace(other.stem, kept.stem),
        entry.replace("PureDP", "PureDp"),
    ):
        kept.write_text(copied)
        assert "nothing has changed" not in call(*audit, "third")[2]
        assert kept.read_text() != copied
    other.unlink()
    # An edited certificate is not believed, and anything that could matter makes a new one.
    kept.write_text(kept.read_text().replace("SURVIVED", "PROVED"))
    assert "nothing has changed" not in call(*audit, "third")[2]
    assert "nothing has changed" in call(*audit, "third")[2]
    assert "nothing has changed" not in call(*audit, "third", "--seed", "1")[2]
    (folder / "helper.py").write_text("x = 1\n")
    assert "nothing has changed" not in call(*audit, "third")[2]
    assert len(list((folder / "kept").iterdir())) == 3
    assert "nothing has changed" not in call(*audit, "third", "--seconds", "5")[2]
    assert len(list((folder / "kept").iterdir())) == 3
