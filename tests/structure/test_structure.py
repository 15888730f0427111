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
from graphlib import CycleError, TopologicalSorter

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


@cache
def telling(source: str) -> list[ast.AST]:
    """What may name a module."""
    kinds = ast.Import | ast.ImportFrom | ast.Constant | ast.Call
    return [node for node in ast.walk(parsed(source)) if isinstance(node, kinds)]


def imports(source: str, module: str, is_package: bool) -> Iterator[tuple[int, str]]:
    """(level, absolute name) of every import statement, those inside functions and TYPE_CHECKING included."""
    package = module.split(".") if is_package else module.split(".")[:-1]
    for node in telling(source):
        if isinstance(node, ast.Import):
            yield from ((0, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*start, *([node.module] if node.module else [])])
            # `from .. import audit` names a module, `from ..audit import x` a name in one: both begin with the layer.
            yield from ((node.level, f"{base}.{alias.name}") for alias in node.names)


def layer_faults(source: str, module: str, is_package: bool = False) -> list[str]:
    """Imports past the package, or absolute ones inside of the layers."""
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
    return faults


@pytest.mark.parametrize("layer", [*LAYERS, FRONT])
def test_imports_follow_the_layers(layer: str) -> None:
    for module, place in modules().items():
        if layer_of(module) == layer:
            text = (ROOT / place).read_text(encoding="utf-8")
            assert layer_faults(text, module, place.name == "__init__.py") == []


def test_an_import_past_the_package_is_seen() -> None:
    for source in ("import symbolic.law", "from noiseproof.symbolic.laws.law import Law"):
        assert layer_faults(source, "noiseproof.audit.trial.spec")


# They import what somebody else names: a library of an extra, a function of the user, what its code imports, a copied source.
ASKED = {"record.extra", "trial.spec.function", "trial.schedule.reached", "standalone"}


def called(node: ast.Call) -> str:
    return str(getattr(node.func, "attr", getattr(node.func, "id", "")))


def named(source: str, module: str, is_package: bool) -> Iterator[str]:
    """The modules that a module names: in any import, in any text, and in what it hands to `import_module`."""
    package = module if is_package else module.rpartition(".")[0]
    words = []
    for _, name in imports(source, module, is_package):
        yield from homes(name) or ["noiseproof"] * name.startswith("noiseproof")
    for node in telling(source):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            told = (name for word in re.findall(r"\w+(?:\.\w+)+", node.value) for name in homes(word))
            # What is said to users names the package that the module is in.
            words += [name for name in told if not module.startswith(f"{name}.")]
        elif isinstance(node, ast.Call) and called(node) in ("import_module", "__import__"):
            own = isinstance(node.args[0], ast.Constant)
            name = ast.unparse(node.args[0]).strip("'") if own else ast.unparse(node.args[0])
            up = len(name) - len(name.lstrip("."))
            words += [".".join([*package.split(".")[: 1 - up or None], name[up:]])] if up else []
            # A package may take its own modules; any other name that is put together may be from anywhere.
            own = own or name.startswith("f'.{")
            words += [] if own or module.removeprefix("noiseproof.audit.") in ASKED else ["noiseproof.cli"]
    yield from (name for word in words for name in homes(word))


def homes(word: str) -> list[str]:
    """The modules that a dotted name, or the longest beginning of it that is one, may mean."""
    parts, known = word.split("."), by_end()
    starts = (".".join(parts[:k]) for k in range(len(parts), 1, -1))
    return next((known[start] for start in starts if start in known), [])


@cache
def by_end() -> dict[str, list[str]]:
    """The modules whose name is this, or ends so behind a dot."""
    found: dict[str, list[str]] = {}
    for name in modules():
        for k in range(name.count(".")):
            found.setdefault(name.split(".", k)[k], []).append(name)
    return found


@cache
def graph() -> dict[str, set[str]]:
    return {
        name: set(named((ROOT / p).read_text(encoding="utf-8"), name, p.name == "__init__.py")) - {name}
        for name, p in modules().items()
    }


def circle(others: dict[str, set[str]]) -> list[str]:
    """The folder, and what in it leads back to itself: modules, folders taken as one, its own `__init__`."""
    levels: dict[str, dict[str, set[str]]] = {}
    tree = {
        name: (*name.split("."), *["__init__"] * (modules()[name].name == "__init__.py")) for name in others
    }
    for a, b in ((tree[name], tree[other]) for name in others for other in others[name]):
        same = next(k for k in range(len(a)) if a[k] != b[k])
        levels.setdefault(".".join(a[:same]), {}).setdefault(a[same], set()).add(b[same])
    for folder, inner in levels.items():
        try:
            TopologicalSorter(inner).prepare()
        except CycleError as error:
            return [folder, *error.args[1]]
    return []


def test_no_folder_names_one_above() -> None:
    assert circle(graph()) == []


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("audit.record.witness", 'HOMES = ("trial.checks.fit",)'),
        ("audit.record.witness", 'import_module(f"..{home}", __package__)'),
        ("audit.record.witness", 'import_module("..witnesses", __package__)'),
        ("audit.release.verify.verification", 'importlib.import_module(f"{PACKAGE}.release_command").pages'),
        ("audit.release.policy.models", '"""As audit.release.tables.table reads them."""'),
        ("audit.dossier.run", "def f():\n    from .. import papers"),
        ("audit.trial.checks", "from ..examine import examine"),
        ("symbolic.predicates", "from .information import error_bounds"),
        ("mechanisms.laplace", 'HOME = "reports.page"'),
        ("mechanisms.laplace", "def f():\n    from ..audit.trial.check import Check"),
        ("symbolic.laws.law", "from ... import audit"),
        ("symbolic.laws.law", "from ... import examine"),
        ("reports.page", "import noiseproof.cli"),
        ("audit.trial.spec.build", "if TYPE_CHECKING:\n    from ....reports import page"),
    ],
)
def test_a_name_from_above_is_seen(module: str, source: str) -> None:
    home = f"noiseproof.{module}"
    planted = set(named(source, home, modules()[home].name == "__init__.py"))
    assert circle({**graph(), home: graph()[home] | planted})


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


# Files of the three layers that may read a clock, and what for; in none of them does a search look at it.
CLOCKS = {
    "timings of an answer": "audit/dossier/run.py audit/studies/model/derived.py audit/studies/problems/functional.py "
    "audit/studies/problems/program.py audit/studies/problems/query.py audit/studies/problems/sections.py "
    "audit/trial/bits/durations.py audit/trial/examine.py audit/release/statistics/pace.py",
    "the user's code": "audit/trial/isolation/forked.py audit/trial/isolation/isolated.py mechanisms/process.py",
    "a budget in seconds": "audit/trial/check.py audit/trial/checks/sequential.py audit/trial/schedule/steps.py "
    "audit/trial/schedule/trial.py",
    "foreign files": "audit/record/limits.py audit/witnesses.py",
    "other processes": "audit/release/ledger/locked_file.py audit/trial/schedule/cluster.py",
}
CLOCK = re.compile(
    r"\btime\.(time|monotonic|perf_counter|process_time)\w*|\bsetitimer|\bSIGALRM|\bITIMER|\bimport time_ns"
)


def test_no_search_looks_at_a_clock() -> None:
    read = {
        str(p)
        for p in files()
        if p.parts[0] in LAYERS[:3] and p.suffix == ".py" and CLOCK.search((ROOT / p).read_text())
    }
    assert read == set(" ".join(CLOCKS.values()).split())
    assert CLOCK.search("time.monotonic()")
    assert not CLOCK.search("monotonic norm")
