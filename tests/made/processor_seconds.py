"""A plugin of pytest: processor seconds of each test, its child processes, and the fixtures that it is the first to ask for."""

from __future__ import annotations

import json
import os
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from _pytest.terminal import TerminalReporter

SPENT, CLOCK = "processor seconds: ", pytest.StashKey[float]()
COSTS: dict[str, float] = {}
# A browser that served many tests is counted here when it is waited for.
TEARDOWN = "fixtures taken down"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("processor seconds")
    group.addoption("--cpu-seconds", type=Path, metavar="FILE", help="write those of each test as JSON")
    group.addoption("--cpu-limit", type=float, metavar="N", help="fail if one test needs more than N")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, Any, Any]:
    item.stash[CLOCK] = sum(os.times()[:4])
    return (yield)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> None:
    if call.when != "setup":
        before, item.stash[CLOCK] = item.stash[CLOCK], sum(os.times()[:4])
        name = item.nodeid if call.when == "call" else TEARDOWN
        item.user_properties.append((SPENT + name, item.stash[CLOCK] - before))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    for name, value in report.user_properties if report.when == "teardown" else ():
        if name.startswith(SPENT):
            COSTS[name[len(SPENT) :]] = COSTS.get(name[len(SPENT) :], 0.0) + float(value)


def above_limit(config: pytest.Config) -> list[str]:
    limit = config.getoption("--cpu-limit") or float("inf")
    return [name for name, cost in COSTS.items() if cost > limit and name != TEARDOWN]


def pytest_sessionfinish(session: pytest.Session) -> None:
    if above_limit(session.config) and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
    written = session.config.getoption("--cpu-seconds")
    if written is not None and not hasattr(session.config, "workerinput"):
        rounded = {name: round(COSTS[name], 3) for name in sorted(COSTS, key=lambda name: -COSTS[name])}
        written.write_text(json.dumps(rounded, indent=0) + "\n", encoding="utf-8")


def pytest_terminal_summary(terminalreporter: TerminalReporter, config: pytest.Config) -> None:
    if config.getoption("--cpu-limit") or config.getoption("--cpu-seconds"):
        terminalreporter.section(f"{sum(COSTS.values()):.0f} processor seconds")
        for name in sorted(COSTS, key=lambda name: -COSTS[name])[:25]:
            terminalreporter.write_line(f"{COSTS[name]:8.1f}  {name}")
        for name in above_limit(config):
            terminalreporter.write_line(
                f"FAILED {name}: {COSTS[name]:.1f} s: share its fixture, or move instances"
            )
