"""Without extras: what needs one says which, names the line that installs it, and writes nothing; the rest goes on."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from default_install import hide_extras
from sample_release import sample_release
from typer.testing import CliRunner

from noiseproof.cli import app

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, and no module that an extra brings."""
    hide_extras(monkeypatch)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, arguments)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.output


@pytest.mark.parametrize("budget", [["--rho", "2"], ["--order", "2=1"], ["--epsilon", "1"]], ids=str)
def test_a_ledger_needs_no_extra(budget: list[str]) -> None:
    code, said = run("ledger", "create", "a.ledger", "--table", "t", "--unit", "record", *budget)
    assert code == 0, said
    assert ("pip install 'noiseproof[ledger]'" in said) is ("--epsilon" not in budget)
    for command in ("show", "check", "export"):
        assert run("ledger", command, "a.ledger")[0] == 0


def test_an_accountant_that_does_not_run_is_no_internal_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(name: str) -> None:
        raise AttributeError("np.float_ was removed")

    monkeypatch.setattr("noiseproof.audit.record.extra.import_module", broken)
    code, said = run("ledger", "create", "a.ledger", "--table", "t", "--unit", "record", "--rho", "2")
    assert code == 0, said
    assert "does not run here (AttributeError: np.float_ was removed): pip install" in said


def test_a_cluster_needs_dask(folder: Path) -> None:
    spec = shutil.copy(ROOT / "examples" / "laplace_mean.toml", folder)
    code, said = run("audit", str(spec), "--cluster", "tcp://localhost:1")
    assert code == 2
    assert "a cluster needs Dask, which is not installed: pip install 'noiseproof[dask]'" in said
    assert [p.name for p in folder.iterdir()] == ["laplace_mean.toml"]


def test_sigstore_seals_with_its_extra_or_not_at_all(folder: Path) -> None:
    (folder / "audit").mkdir()
    shutil.copy(sample_release() / "certificate.json", folder / "audit")
    code, said = run("seal", "audit", "--sigstore")
    assert code == 2
    assert "sigstore is not installed: pip install 'noiseproof[sigstore]'" in said
    assert [p.name for p in (folder / "audit").iterdir()] == ["certificate.json"]
