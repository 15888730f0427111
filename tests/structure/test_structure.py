"""The shape of the project: layers, sizes, names, the front door, and nothing that does not belong in a repository."""

from __future__ import annotations

import ast
import importlib
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache

import pytest
from checkout import LAYERS, ROOT, files, modules
from heavy import HEAVY

import noiseproof

FRONT = "front door"
NAMES_OF_THE_FIRST_VERSION = {
    "examine",
    "BlackBox",
    "Family",
    "PureDP",
    "ApproxDP",
    "GaussianDP",
    "RenyiDP",
    "ZeroConcentratedDP",
    "FisherInformation",
    "ErrorBound",
    "Claim",
    "Scope",
    "Certificate",
    "Verdict",
    "MECHANISMS",
    "BROKEN_MECHANISMS",
}


def layer_of(name: str) -> str:
    """The layer of an import name below `noiseproof`."""
    parts = name.split(".")
    return parts[1] if len(parts) > 1 and parts[1] in LAYERS else FRONT


@cache
def parsed(source: str) -> ast.Module:
    return ast.parse(source)


def imports(source: str, module: str, is_package: bool) -> Iterator[tuple[int, str]]:
    """(level, absolute name) of every import statement, those inside functions and TYPE_CHECKING included."""
    package = module.split(".") if is_package else module.split(".")[:-1]
    for node in ast.walk(parsed(source)):
        if isinstance(node, ast.Import):
            yield from ((0, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*start, *([node.module] if node.module else [])])
            # `from .. import audit` names a module, `from ..audit import x` a name in one: both begin with the layer.
            yield from ((node.level, f"{base}.{alias.name}") for alias in node.names)


def layer_faults(source: str, module: str, is_package: bool = False) -> list[str]:
    """Imports against the direction symbolic <- mechanisms <- audit <- reports <- front door, or past the package."""
    order = (*LAYERS, FRONT)
    here, faults = layer_of(module), []
    for level, name in imports(source, module, is_package):
        if level == 0 and name.split(".")[0] in LAYERS:
            faults.append(
                f"{module} imports {name}: the layers are noiseproof.{name}, never top-level packages"
            )
        if name.split(".")[0] != "noiseproof":
            continue
        if here != FRONT and level == 0:
            faults.append(f"{module} imports {name} absolutely: inside the layers imports are relative")
        if order.index(layer_of(name)) > order.index(here):
            faults.append(f"{module} ({here}) imports {name} ({layer_of(name)})")
    return faults


@pytest.mark.parametrize("layer", [*LAYERS, FRONT])
def test_imports_follow_the_layers(layer: str) -> None:
    for module, place in modules().items():
        if layer_of(module) == layer:
            text = (ROOT / place).read_text(encoding="utf-8")
            assert layer_faults(text, module, place.name == "__init__.py") == []


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("noiseproof.symbolic.laws.law", "from ...mechanisms import laplace"),
        ("noiseproof.symbolic.laws.law", "from ... import audit"),
        ("noiseproof.symbolic.laws.law", "from ... import examine"),
        ("noiseproof.mechanisms.laplace", "def f():\n    from ..audit.check import Check"),
        ("noiseproof.audit.trial.checks.fit", "from ....reports.page import render_certificate"),
        ("noiseproof.audit.trial.checks.fit", "from noiseproof.symbolic.laws.law import Law"),
        ("noiseproof.reports.page", "import noiseproof.cli"),
        ("noiseproof.audit.trial.spec", "import symbolic.law"),
        (
            "noiseproof.audit.trial.spec",
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from ...reports import page",
        ),
    ],
)
def test_an_import_against_the_direction_is_seen(module: str, source: str) -> None:
    assert layer_faults(source, module)


def test_every_layer_is_walked() -> None:
    assert {layer_of(name) for name in modules()} == {*LAYERS, FRONT}
    assert len(modules()) > 50


def test_module_names_say_what_is_inside() -> None:
    empty = {"utils", "util", "core", "helpers", "helper", "misc", "common"}
    assert [str(path) for path in files() if path.suffix == ".py" and path.stem in empty] == []


def test_every_module_states_a_fact() -> None:
    silent = [
        str(path)
        for path in modules().values()
        if (source := (ROOT / path).read_text(encoding="utf-8")).strip()
        and not ast.get_docstring(parsed(source))
    ]
    assert silent == []


@pytest.mark.parametrize("name", noiseproof.__all__)
def test_public_names_exist_and_are_documented(name: str) -> None:
    value = getattr(noiseproof, name)
    if isinstance(value, type) or callable(value):
        text = value.__doc__ or ""
        # A dataclass without a docstring gets its signature as one.
        assert text, f"{name} has no docstring"
        assert not text.startswith(f"{name}("), f"{name} has no docstring of its own"
    else:
        home = importlib.import_module(f"noiseproof.{noiseproof._HOME[name]}")
        assert home.__doc__, f"the module of {name} has no docstring"


def test_front_door_agrees_with_itself() -> None:
    assert set(noiseproof.__all__) == set(noiseproof._HOME)
    assert set(noiseproof.__all__) <= set(dir(noiseproof))
    assert set(noiseproof.__all__) >= NAMES_OF_THE_FIRST_VERSION
    source = (ROOT / "src/noiseproof/__init__.py").read_text(encoding="utf-8")
    declared = {name.rpartition(".")[2] for level, name in imports(source, "noiseproof", True) if level}
    assert declared == set(noiseproof.__all__), "the TYPE_CHECKING imports and __all__ differ"
    with pytest.raises(AttributeError, match="no attribute 'exmaine'"):
        noiseproof.exmaine  # noqa: B018


@pytest.mark.parametrize("arguments", [["-c", "import noiseproof"], ["-m", "noiseproof", "--help"]])
def test_the_front_door_is_light(arguments: list[str]) -> None:
    run = subprocess.run(
        [sys.executable, "-X", "importtime", *arguments], capture_output=True, text=True, check=True
    )
    loaded = {
        line.rpartition("|")[2].strip().split(".")[0] for line in run.stderr.splitlines() if "|" in line
    }
    assert "noiseproof" in loaded
    assert not loaded & set(HEAVY)


def test_imports_and_dependencies_agree() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = {re.split(r"[<>=!~ \[]", requirement)[0] for requirement in project["dependencies"]}
    distribution = {"flint": "python-flint", "sklearn": "scikit-learn", "skfem": "scikit-fem"}
    used = {
        distribution.get(top, top)
        for module, path in modules().items()
        if not module.startswith("noiseproof.pytest_")  # the plugin is loaded by pytest itself
        for level, name in imports(
            (ROOT / path).read_text(encoding="utf-8"), module, path.name == "__init__.py"
        )
        if level == 0 and (top := name.split(".")[0]) not in {*sys.stdlib_module_names, "noiseproof"}
    }
    assert used <= declared, "imported, not declared in pyproject.toml"
    assert declared <= used, "declared, never imported"


def test_nothing_of_this_machine_is_committed() -> None:
    # Written in two parts, so that this file does not hold what it looks for.
    forbidden = re.compile(
        "|".join(
            [
                "/" + "work/",
                "/" + "tmp/",
                "/" + "home/",
                r"py" + r"pi\.org",
                "python" + "hosted",
                "index" + "-url",
            ]
        )
    )
    found = []
    for path in files():
        try:
            text = (ROOT / path).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        found += [f"{path}: {match.group()}" for match in forbidden.finditer(text)]
    assert found == []


@pytest.mark.parametrize(
    "page",
    [
        "README.md",
        "CONTRIBUTING.md",
        "docs/architecture.md",
        *(f"docs/contributing/{page}.md" for page in LAYERS),
    ],
)
def test_links_and_named_files_exist(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    links = [(ROOT / page).parent / target for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", text)]
    named = [
        ROOT / name
        for name in re.findall(r"`([\w./-]+)`", text)
        if name.startswith(
            (*(f"{layer}/" for layer in LAYERS), "src/", "tests/", "docs/", "examples/", ".ci/")
        )
    ]
    assert [str(path.relative_to(ROOT)) for path in (*links, *named) if not path.exists()] == []
