"""A plugin of pytest: processor seconds of each test, with those of its child processes and of fixtures it is the first to ask for."""

from __future__ import annotations

import json
import os
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from _pytest.terminal import TerminalReporter

CLOCK = pytest.StashKey[float]()
COSTS: dict[str, float] = {}
# A browser that served many tests is counted here when it is waited for.
TEARDOWN = "fixtures taken down"


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
    if call.when != "setup":
        name = item.nodeid if call.when == "call" else TEARDOWN
        item.user_properties.append((f"processor seconds: {name}", processor_seconds() - item.stash[CLOCK]))
        item.stash[CLOCK] = processor_seconds()


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    for name, value in report.user_properties if report.when == "teardown" else ():
        if name.startswith("processor seconds: "):
            of = name.partition(": ")[2]
            COSTS[of] = COSTS.get(of, 0.0) + float(value)


def dearest(count: int | None = None) -> list[tuple[str, float]]:
    return sorted(COSTS.items(), key=lambda cost: -cost[1])[:count]


def above_limit(config: pytest.Config) -> list[str]:
    limit = config.getoption("--cpu-limit")
    return [] if limit is None else [n for n, cost in dearest() if cost > limit and n != TEARDOWN]


def pytest_sessionfinish(session: pytest.Session) -> None:
    if above_limit(session.config) and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
    written = session.config.getoption("--cpu-seconds")
    if written is not None and not hasattr(session.config, "workerinput"):
        rounded = {name: round(cost, 3) for name, cost in dearest()}
        written.write_text(json.dumps(rounded, indent=0) + "\n", encoding="utf-8")


def pytest_terminal_summary(terminalreporter: TerminalReporter, config: pytest.Config) -> None:
    if config.getoption("--cpu-limit") is None and config.getoption("--cpu-seconds") is None:
        return
    terminalreporter.section(
        f"{sum(COSTS.values()):.0f} processor seconds in {len({*COSTS} - {TEARDOWN})} tests"
    )
    for name, cost in dearest(25):
        terminalreporter.write_line(f"{cost:8.1f}  {name}")
    for name in above_limit(config):
        terminalreporter.write_line(
            f"FAILED {name}: {COSTS[name]:.1f} processor seconds: share its fixture, or move instances to -m long"
        )
