"""The pytest plugin: tests audit privacy claims, and the whole session has one alpha.

pytest loads this module wherever the package is installed, so nothing heavy is imported here.
"""

from __future__ import annotations

import math
import os
import shlex
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

import pytest

from noiseproof.audit.trial.gate.shares import Budget, Share
from noiseproof.pytest_gate import Gate, Place

_MARKER = "noiseproof"
_EXAMINED = ("samples", "bits", "sequential", "seconds", "call_seconds")
_OPTIONS = {
    "alpha": ("1e-4", "A", "bounds the probability that the session refutes a true claim, in (0, 1)"),
    "seed": ("0", "N", "seed of the session; each test derives its own from this and its node id"),
    "samples": ("100000", "N", "calls of a release per input, where a test does not say"),
    "trials": ("", "N", "parts into which alpha is divided; default: the audits that are collected"),
    "undecided": ("fail", "fail|warn", "what a claim does that could not be settled"),
    "output": ("", "DIR", "folder for the certificates of all audits; default: none are written"),
}


@dataclass(frozen=True)
class Settings:
    """The options of a session; a field of `Settings` is --noiseproof-NAME, or noiseproof_NAME in the ini file."""

    alpha: float
    seed: int
    samples: int
    trials: int | None
    undecided: Literal["fail", "warn"]
    output: Path | None


_SETTINGS = pytest.StashKey[Settings]()
_BUDGET = pytest.StashKey[Budget]()
_NAME = pytest.StashKey[str]()
_SHARE = pytest.StashKey[Share]()
_GATE = pytest.StashKey[Gate | None]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Each option on the command line and in the ini file."""
    group = parser.getgroup("noiseproof", "privacy claims under audit")
    for name, (default, metavar, what) in _OPTIONS.items():
        says = f"{what}{f' (default: {default})' if default else ''}"
        group.addoption(f"--noiseproof-{name}", default=None, metavar=metavar, help=says.replace("%", "%%"))
        parser.addini(f"noiseproof_{name}", says, default=default)


def pytest_configure(config: pytest.Config) -> None:
    """Options are read at the start: a slip must not cost a session."""
    config.addinivalue_line(
        "markers",
        "noiseproof(trials=None, samples=None, bits=False, sequential=False, seconds=None, call_seconds=None): audits a claim; "
        "the test takes the fixture `noiseproof`, or returns (subject, claims)",
    )
    config.stash[_SETTINGS] = _settings(config)


def _settings(config: pytest.Config) -> Settings:
    def given(name: str) -> str:
        option = config.getoption(f"noiseproof_{name}")
        return str(config.getini(f"noiseproof_{name}") if option is None else option).strip()

    def whole(name: str, least: int) -> int:
        text = given(name).replace("_", "")
        if not (text.isascii() and text.isdigit() and int(text) >= least):
            raise _wrong(name, f"expected a whole number of at least {least}", given(name))
        return int(text)

    try:
        alpha = float(given("alpha"))
    except ValueError:
        alpha = math.nan
    if not 0 < alpha < 1:
        raise _wrong("alpha", "expected a number in (0, 1)", given("alpha"))
    if given("undecided") not in ("fail", "warn"):
        raise _wrong("undecided", "expected fail or warn", given("undecided"))
    undecided = cast(Literal["fail", "warn"], given("undecided"))
    trials = whole("trials", 1) if given("trials") else None
    # A folder on the command line starts where the command runs, one in the ini file at the root.
    start = config.rootpath if config.getoption("noiseproof_output") is None else config.invocation_params.dir
    output = start / given("output") if given("output") else None
    return Settings(alpha, whole("seed", 0), whole("samples", 100), trials, undecided, output)


def _wrong(name: str, expected: str, came: str) -> pytest.UsageError:
    return pytest.UsageError(f"--noiseproof-{name} (ini: noiseproof_{name}): {expected}, got {came!r}")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> Generator[None, None, None]:
    """Alpha is divided over the whole collection, before anything is deselected: -k and -m change no share.

    Names are taken before other plugins change them, so that seeds do not depend on how tests are distributed.
    """
    collected = [item for item in items if _on_trial(item)]
    for item in collected:
        item.stash[_NAME] = item.nodeid
    yield
    collected += [item for item in items if _on_trial(item) and _NAME not in item.stash]
    declared = [_declared(item) for item in collected]
    settings = config.stash[_SETTINGS]
    try:
        budget = Budget.of(settings.alpha, declared, settings.trials)
    except ValueError as error:
        raise pytest.UsageError(str(error)) from None
    if collected:
        config.stash[_BUDGET] = budget
    for item, trials in zip(collected, declared, strict=True):
        item.stash.setdefault(_NAME, item.nodeid)
        item.stash[_SHARE] = budget.share(trials)


def pytest_report_collectionfinish(config: pytest.Config) -> list[str]:
    """One line that says how alpha is divided, if anything is audited."""
    budget = config.stash.get(_BUDGET, None)
    if budget is None:
        return []
    each = budget.alpha / budget.parts
    said = f"noiseproof: alpha {budget.alpha:g} divided by {budget.parts}: {each:.4g} for each test"
    return [f"{said}, or for each audit where trials= is set; without it, its first audit gets half of that"]


def _on_trial(item: pytest.Item) -> bool:
    return "noiseproof" in getattr(item, "fixturenames", ()) or item.get_closest_marker(_MARKER) is not None


def _marked(item: pytest.Item) -> dict[str, Any]:
    """The arguments of the markers; a nearer one wins."""
    found: dict[str, Any] = {}
    for mark in reversed(list(item.iter_markers(_MARKER))):
        unknown = [*map(repr, mark.args), *(k for k in mark.kwargs if k not in ("trials", *_EXAMINED))]
        if unknown:
            raise pytest.UsageError(
                f"{item.nodeid}: @pytest.mark.noiseproof does not take {', '.join(unknown)}; it takes "
                f"{', '.join(('trials', *_EXAMINED))}, each by name"
            )
        found.update(mark.kwargs)
    return found


def _declared(item: pytest.Item) -> int | None:
    trials = _marked(item).get("trials")
    if trials is not None and (isinstance(trials, bool) or not isinstance(trials, int) or trials < 1):
        raise pytest.UsageError(f"{item.nodeid}: trials must be a whole number of at least 1, got {trials!r}")
    return trials


@pytest.fixture
def noiseproof(request: pytest.FixtureRequest) -> Iterator[Gate]:
    """Audits claims: noiseproof.holds(subject, claims, samples=...), and noiseproof.falls for controls."""
    gate = _gate(request.node)
    yield gate
    gate.settle()


def _gate(item: pytest.Item) -> Gate:
    """The gate of one run of a test; a test that is run again starts anew, with the same seeds."""
    if _SHARE not in item.stash:
        pytest.fail(
            "alpha was divided when the tests were collected, and this one asked for the fixture noiseproof only at run "
            "time: name the fixture as an argument, or mark the test with @pytest.mark.noiseproof",
            pytrace=False,
        )
    settings = item.config.stash[_SETTINGS]
    options = {"samples": settings.samples} | {k: v for k, v in _marked(item).items() if k != "trials"}
    place = Place(
        item.stash[_NAME],
        item.stash[_SHARE],
        settings.seed,
        _repeat(item),
        settings.undecided,
        settings.output,
    )
    gate = item.stash[_GATE] = Gate(place, options, item.user_properties)
    return gate


def _repeat(item: pytest.Item) -> str:
    """The command that runs this test alone with the same seed and the same part of alpha."""
    config = item.config
    path, *inner = item.stash[_NAME].split("::")
    here = os.path.relpath(config.rootpath / path, config.invocation_params.dir)
    given = {name: config.getoption(f"noiseproof_{name}") for name in _OPTIONS if name != "output"}
    given["trials"] = config.stash[_BUDGET].parts
    options = [f"--noiseproof-{name}={value}" for name, value in given.items() if value is not None]
    return shlex.join(["pytest", "::".join([here, *inner]), *options])


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """A marked test without the fixture returns (subject, claims), or claims with subjects, which must hold."""
    if pyfuncitem.get_closest_marker(_MARKER) is None or "noiseproof" in pyfuncitem.fixturenames:
        return None
    __tracebackhide__ = True
    pyfuncitem.stash[_GATE] = None
    names = pyfuncitem._fixtureinfo.argnames
    returned = pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names})
    if returned is None and pyfuncitem.stash[_GATE] is not None:
        return True  # it asked for the fixture at run time
    if returned is None:
        pytest.fail(
            "a test marked with noiseproof returns (subject, claims), or takes the fixture noiseproof; this one returned "
            "None",
            pytrace=False,
        )
    from noiseproof.audit.trial.spec.function import claims_of

    claims = claims_of(pyfuncitem.name, lambda: returned)
    _gate(pyfuncitem).holds(None, claims)
    return True


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """A test that asks for the fixture and audits nothing has shown nothing: it fails; so does one that hides a verdict."""
    try:
        yield
    except BaseException as ended:
        gate = item.stash.get(_GATE, None)
        if gate is not None:
            # Neither a skip nor an expected failure undoes what a trial has said; any other exception fails by itself.
            gate.settle(silent=not isinstance(ended, pytest.skip.Exception | pytest.xfail.Exception))
        raise
    gate = item.stash.get(_GATE, None)
    if gate is not None:
        gate.settle()
    if gate is not None and gate.trials == 0:
        pytest.fail(
            "nothing was audited: call noiseproof.holds(subject, claims), or leave the fixture out",
            pytrace=False,
        )


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """What each refutation is worth among all claims that were tried, and what trials without a control could have missed."""
    _say_adjusted(terminalreporter)
    found = [
        (float(str(value)), report.nodeid)
        for report in terminalreporter.getreports("passed")
        if isinstance(report, pytest.TestReport) and report.when == "call"
        for name, value in report.user_properties
        if name.startswith("noiseproof.") and name.endswith(".weakest_resolution")
    ]
    if found:
        weakest, test = max(found)
        size = f"{weakest:.4g}" if weakest < math.inf else "above 64"
        many = f"the {len(found)} audit{'s' if len(found) > 1 else ''} without a control"
        terminalreporter.write_line(
            f"noiseproof: weakest resolution of {many}: {size} ({test}): half the noise would "
            f"{'have been found' if weakest <= 2 else 'not have been found, the claim is loose'}; anything smaller may have been missed"
        )


def _say_adjusted(terminalreporter: pytest.TerminalReporter) -> None:
    """Holm's adjusted p-values of the claims that were refuted."""
    claims, chances = 0, dict[str, float]()
    for report in terminalreporter.getreports("passed") + terminalreporter.getreports("failed"):
        if not isinstance(report, pytest.TestReport) or report.when != "call":
            continue
        for name, value in report.user_properties:
            if name.startswith("noiseproof.") and name.endswith("verdict"):
                claims += "(control)" not in str(value)
            if name.startswith("noiseproof.") and name.endswith("p_value"):
                place = name.removeprefix("noiseproof.").removesuffix("p_value").rstrip(".")
                chances[f"{report.nodeid}{f' ({place})' if place else ''}"] = float(str(value))
    if not chances:
        return
    from noiseproof.audit.trial.gate.adjusted import holm

    terminalreporter.write_line(
        f"noiseproof: {len(chances)} of {claims} claims refuted; p-values among all of them (Holm):"
    )
    for name, chance in sorted(holm(chances, claims).items(), key=lambda row: row[1]):
        terminalreporter.write_line(f"  {chance:.3g}  {name}")
