"""Fixtures: what the workers of a run share; the claims of a test module's PAPER and their findings; a browser. A profile of Hypothesis."""

from __future__ import annotations

import gc
import json
import os
from collections import Counter
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pytest
import typer.testing
from hypothesis import HealthCheck, settings
from processor_seconds import (  # noqa: F401
    pytest_addoption,
    pytest_runtest_logreport,
    pytest_runtest_makereport,
    pytest_runtest_protocol,
    pytest_sessionfinish,
    pytest_terminal_summary,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from drawn_pages import Browser
    from sealed_release import Sealed
    from shared_artefacts import Shelf

    from noiseproof.audit.dossier import PaperClaim

# Two workers on two cores: threads of linear algebra would only wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")
# Tables are as wide here as in a pipe, whatever terminal the tests were started from.
os.environ.pop("COLUMNS", None)
# Derivations by the hundred outgrow sympy's memory of 1,000 results, and leave few circles to collect.
os.environ.setdefault("SYMPY_CACHE_SIZE", "20000")
gc.set_threshold(50_000, 20, 50)

# Typer reads the signatures of all commands anew whenever one is invoked.
typer.testing._get_command = cache(typer.testing._get_command)

T = TypeVar("T")
TESTS = Path(__file__).parent
pytest.register_assert_rewrite("dossier_section", "drawn_pages")
# How long an example takes is the machine's load as well.
settings.register_profile("noiseproof", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("noiseproof")


def moved() -> dict[str, str]:
    """Which instances stay of each test, or single instance, that moved: "1 in 3" or "none"; the table says why."""
    table = TESTS.parent / "benchmarks" / "results" / "moved-tests.json"
    [section] = json.loads(table.read_text(encoding="utf-8"))["sections"]
    return {f"tests/{name}": kept for name, kept, *_ in section["rows"]}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that moved are long; those of the files that quick.txt lists are quick, but for the long ones among them."""
    quick = {TESTS / name for name in (TESTS / "quick.txt").read_text(encoding="utf-8").split()}
    stays, met = moved(), Counter[str]()
    # What is imported by now stays: it is not looked through again for what can go.
    gc.freeze()
    for item in items:
        name = item.nodeid.partition("[")[0]
        kept = stays.get(item.nodeid, stays.get(name))
        if kept is not None and item.get_closest_marker("long") is None:
            if kept == "none" or met[name] % int(kept.removeprefix("1 in ")):
                item.add_marker("long")
            met[name] += 1
        if item.path in quick and item.get_closest_marker("long") is None:
            item.add_marker("quick")


class Asked(dict[str, T]):
    """Values by name, each computed when it is first asked for."""

    def __init__(self, compute: Callable[[str], T]) -> None:
        self.compute = compute

    def __missing__(self, name: str) -> T:
        self[name] = self.compute(name)
        return self[name]


@pytest.fixture(scope="session")
def shelf(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Shelf:
    """What is computed once in this run, whichever worker asks first."""
    from shared_artefacts import Shelf

    return Shelf(tmp_path_factory, worker_id)


@pytest.fixture
def sealed(tmp_path: Path) -> Sealed:
    """A release that is sealed and signed."""
    from sealed_release import sealed_release

    return sealed_release(tmp_path)


@pytest.fixture(scope="module")
def claims(request: pytest.FixtureRequest) -> dict[str, PaperClaim[Any]]:
    """The claims of the module's PAPER, by name."""
    from claim_trials import dossier_claims

    paper = request.module.PAPER
    return Asked(lambda name: dossier_claims(paper)[f"{paper}/{name}"]())


@pytest.fixture(scope="module")
def findings(request: pytest.FixtureRequest, shelf: Shelf) -> dict[str, dict[str, Any]]:
    """What was found on each claim of the module's PAPER, by name."""
    from claim_trials import tried

    def found(name: str) -> dict[str, Any]:
        identifier = f"{request.module.PAPER}/{name}"
        return shelf.once(identifier, lambda: tried(identifier)).finding

    return Asked(found)


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Headless Chromium, one for each worker."""
    from drawn_pages import Browser, chromium

    running = Browser(chromium(), tmp_path_factory.mktemp("profile"))
    yield running
    running.close()
