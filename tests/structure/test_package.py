"""What is installed is this checkout, whole, under one import name; the README's commands are those that CI runs."""

from __future__ import annotations

import json
import re
import tomllib
from functools import cache
from importlib import metadata, resources
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
SETUPTOOLS = PROJECT["tool"]["setuptools"]
DISTRIBUTION = metadata.distribution("noiseproof")


def folder_of(package: str) -> Path:
    """The folder of a package, by the longest entry of the table in pyproject.toml."""
    table = SETUPTOOLS["package-dir"]
    prefix = max((p for p in table if package == p or package.startswith(f"{p}.")), key=len)
    return ROOT / table[prefix] / package.removeprefix(prefix).lstrip(".").replace(".", "/")


@cache
def sources() -> dict[str, Path]:
    """Name in the wheel -> file of the checkout: every module, and the data that the package declares."""
    found = {}
    for package, folder in SETUPTOOLS["package-dir"].items():
        for path in (ROOT / folder).rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                found[f"{package.replace('.', '/')}/{path.relative_to(ROOT / folder).as_posix()}"] = path
    return found


def test_the_page_install_names_the_lowest_of_each_dependency() -> None:
    """`.ci/lowest.sh` installs exactly these: each dependency has a lower bound and nothing else."""
    page = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
    named = re.findall(r"`([a-z0-9-]+)` \| ([0-9.]+) \|", page)
    assert [f"{package}>={lowest}" for package, lowest in named] == PROJECT["project"]["dependencies"]


def test_every_package_is_listed() -> None:
    there = {
        ".".join([package, *path.parent.relative_to(ROOT / folder).parts])
        for package, folder in SETUPTOOLS["package-dir"].items()
        for path in (ROOT / folder).rglob("__init__.py")
    }
    assert set(SETUPTOOLS["packages"]) == there
    assert all((folder_of(package) / "__init__.py").is_file() for package in SETUPTOOLS["packages"])


def test_every_data_file_is_declared() -> None:
    declared = {
        path
        for package, patterns in SETUPTOOLS["package-data"].items()
        for pattern in patterns
        for path in folder_of(package).glob(pattern)
    }
    assert {path for path in sources().values() if path.suffix != ".py"} == declared
    assert {"certificate-1.schema.json", "dossier-1.schema.json", "spec-1.schema.json"} <= {
        p.name for p in declared
    }


def test_the_installed_package_is_this_checkout() -> None:
    direct = json.loads(DISTRIBUTION.read_text("direct_url.json") or "{}")
    if direct.get("dir_info", {}).get("editable"):
        pytest.skip("an editable install has no copy of the files; `.ci/run` tests an installed wheel")
    recorded = {
        str(p): Path(str(p.locate())) for p in DISTRIBUTION.files or () if not str(p).endswith(".pyc")
    }
    metadata_folder = re.compile(r"noiseproof-[^/]+\.dist-info/")
    installed = {
        name: p
        for name, p in recorded.items()
        if not metadata_folder.match(name) and not name.startswith("..")
    }
    assert {name.partition("/")[0] for name in installed} == {"noiseproof"}, (
        "one top-level name in site-packages"
    )
    hint = "remove build/ and install again"
    assert set(installed) == set(sources()), hint
    assert [n for n, path in installed.items() if path.read_bytes() != sources()[n].read_bytes()] == [], hint
    assert any(name.endswith("licenses/LICENSE") for name in recorded)


def test_the_package_under_test_is_not_imported_from_the_root() -> None:
    assert not (ROOT / "noiseproof").exists(), "a root folder of this name would shadow the installed package"
    assert "Typing :: Typed" in DISTRIBUTION.metadata.get_all("Classifier", [])
    assert resources.files("noiseproof").joinpath("py.typed").is_file()


def test_data_files_are_found_at_run_time() -> None:
    reports = resources.files("noiseproof.reports")
    for path in sources().values():
        if path.suffix != ".py" and path.parent.name in ("templates", "schemas"):
            assert reports.joinpath(path.parent.name, path.name).read_bytes() == path.read_bytes()


def test_the_command_is_installed() -> None:
    (script,) = [e for e in DISTRIBUTION.entry_points if e.group == "console_scripts"]
    assert (script.name, script.value) == ("noiseproof", "noiseproof.cli:main")
    assert callable(script.load())


def test_versions_agree() -> None:
    version = PROJECT["project"]["version"]
    assert metadata.version("noiseproof") == version
    assert re.search(
        rf"^version: {re.escape(version)}$", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert f"\n## {version}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_licence_is_the_whole_apache_licence() -> None:
    text = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert "Version 2.0, January 2004" in text
    assert "END OF TERMS AND CONDITIONS" in text
    assert PROJECT["project"]["license"] == "Apache-2.0"


def test_ci_runs_the_commands_of_the_readme() -> None:
    """`.ci/run` takes both lines from the README's first code block and runs them as they are."""
    readme, script = ((ROOT / name).read_text(encoding="utf-8") for name in ("README.md", ".ci/run"))
    block = readme.split("```")[1]
    commands = block.splitlines()[1:]
    assert len(commands) == 2
    assert commands[0].endswith(
        ".venv/bin/pip install . && .venv/bin/noiseproof audit examples/breast_cancer.toml"
    )
    assert commands[1].endswith(".venv/bin/pip install '.[test]' && .venv/bin/pytest -n 2")
    assert "awk '/^```/ { blocks++; next } blocks == 1' README.md" in script
    assert 'bash -euo pipefail -c "$command"' in script
    for tool in ('ruff" check', 'ruff" format --check', "mypy --strict", "-m build --outdir"):
        assert tool in script
