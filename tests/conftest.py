"""Fixtures: what the workers of a run share; the claims of a test module's PAPER and their findings; a browser. A profile of Hypothesis."""

from __future__ import annotations

import gc
import json
import os
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pytest
import typer.testing
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    from _pytest.terminal import TerminalReporter
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


# Processor seconds of each test with its fixtures and child processes: in this process, and in all workers of the run.
CLOCK = pytest.StashKey[float]()
COSTS: dict[str, float] = {}


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("processor seconds")
    group.addoption("--cpu-seconds", type=Path, metavar="FILE", help="write those of each test as JSON")
    group.addoption("--cpu-limit", type=float, metavar="N", help="fail if one test needs more than N")


def processor_seconds() -> float:
    return sum(os.times()[:4])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, Any, Any]:
    item.stash[CLOCK] = processor_seconds()
    return (yield)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> None:
    if call.when == "teardown":
        item.user_properties.append(("processor seconds", processor_seconds() - item.stash[CLOCK]))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    for name, value in report.user_properties:
        if name == "processor seconds":
            COSTS[report.nodeid] = value


def dear(config: pytest.Config) -> dict[str, float]:
    """The tests above the limit of this run."""
    limit = config.getoption("--cpu-limit")
    return {} if limit is None else {name: cost for name, cost in COSTS.items() if cost > limit}


def pytest_sessionfinish(session: pytest.Session) -> None:
    if dear(session.config):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
    written = session.config.getoption("--cpu-seconds")
    if written is not None and not hasattr(session.config, "workerinput"):
        ordered = sorted(COSTS.items(), key=lambda cost: -cost[1])
        written.write_text(json.dumps({name: round(cost, 3) for name, cost in ordered}, indent=0) + "\n")


def pytest_terminal_summary(terminalreporter: TerminalReporter, config: pytest.Config) -> None:
    if not COSTS or (config.getoption("--cpu-limit") is None and config.getoption("--cpu-seconds") is None):
        return
    terminalreporter.section(f"{sum(COSTS.values()):.0f} processor seconds in {len(COSTS)} tests")
    for name, cost in sorted(COSTS.items(), key=lambda cost: -cost[1])[:25]:
        terminalreporter.write_line(f"{cost:8.1f}  {name}")
    for name, cost in dear(config).items():
        terminalreporter.write_line(
            f"FAILED {name}: {cost:.1f} processor seconds: move a part of it to -m long"
        )


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The tests of the files that quick.txt lists are quick, but for the long ones among them."""
    quick = {TESTS / name for name in (TESTS / "quick.txt").read_text(encoding="utf-8").split()}
    # What is imported by now stays: it is not looked through again for what can go.
    gc.freeze()
    for item in items:
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


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Headless Chromium, one for the module."""
    from drawn_pages import Browser, chromium

    running = Browser(chromium(), tmp_path_factory.mktemp("profile"))
    yield running
    running.close()
