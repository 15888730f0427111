"""What people do by mistake: a part of `benchmarks/cli_error_cases`, that its judge can say both words, and faults that it found."""

from __future__ import annotations

import re
import warnings
from dataclasses import replace
from pathlib import Path

import pytest
from checkout import ROOT
from cli_error_cases.case import APART, PYTHON, Case, Outcome
from cli_error_cases.catalogue import GROUPS
from cli_error_cases.judging import faults
from cli_error_cases.running import outcome_of

import noiseproof as npf
from noiseproof.audit.trial.planning.plan import plan_all

CASES = [case for group in GROUPS.values() for case in group]
# Whatever needs a release or a paper beforehand takes seconds; the runner does those.
QUICK = [
    case
    for case in CASES
    if case.how != APART and not case.fine and not {"released", "papers"} & {*case.kits}
]
REFUSED = Outcome(2, "", "error: x.toml: expected a number\n", {"x.toml": "1"}, {"x.toml": "1"})


@pytest.mark.parametrize("case", QUICK[::10], ids=lambda case: case.name)
def test_an_error_case_is_told_what_to_do(case: Case) -> None:
    assert list(faults(case, outcome_of(case))) == []


def test_there_are_two_hundred_with_a_name_each() -> None:
    assert len(CASES) >= 200
    assert len({(title, case.name) for title, group in GROUPS.items() for case in group}) == len(CASES)
    assert FOUND.keys() <= {case.name for case in CASES}


@pytest.mark.parametrize(
    ("outcome", "found"),
    [
        (REFUSED, []),
        (replace(REFUSED, code=3), ["exit code 3"]),
        (replace(REFUSED, code=0), ["accepted"]),
        (replace(REFUSED, err="error: no\n"), ["no word of what to do"]),
        (replace(REFUSED, err="Traceback (most recent call last)\nerror: give one\n"), ["a traceback"]),
        (replace(REFUSED, err="RuntimeWarning: overflow\nerror: give one\n"), ["a warning of Python"]),
        (replace(REFUSED, after={"x.toml": "2", "y": "1"}), ["left y", "changed x.toml"]),
        (replace(REFUSED, code=1, after={"x.toml": "1", ".y.7.partial": ""}), ["left half-written: .y.7.partial"]),
        (replace(REFUSED, code=130, after={"x.toml": "1", "y": "1"}), ["exit code 130", "left y"]),
        (replace(REFUSED, raised="KeyError()"), ["raised KeyError()"]),
        (replace(REFUSED, code=137, after={".y.7.partial": ""}), ["exit code 137"]),
    ],
)  # fmt: skip
def test_the_judge_sees_a_planted_fault(outcome: Outcome, found: list[str]) -> None:
    assert list(faults(Case("planted", "noiseproof audit x.toml"), outcome)) == found


def test_what_is_right_may_not_be_refused_and_what_happens_is_seen() -> None:
    assert list(faults(Case("right", "", fine=True), REFUSED)) == ["refused"]
    changed = outcome_of(Case("changed", "echo >> spec.toml", ("spec",), how=APART))
    assert changed.before["spec.toml"] != changed.after["spec.toml"]
    warned = Case("warned", "import warnings; warnings.warn('x')", how=PYTHON, fine=True)
    assert list(faults(warned, outcome_of(warned))) == ["a warning of Python"]


FOUND = {
    "a function that ends Python": "ended Python",
    "a release that ends Python": "ended Python",
    "a release that ends the process": "take os._exit out",
    "a release that becomes another program": "take os.execv out",
    "output with a name of 300 letters": "File name too long",
    "a file with a name of 300 letters": "File name too long",
    "a ledger in the place of a folder": "expected the name of a file",
    "a folder that was removed": "the current folder is gone",
    "an export of nothing": "--no-latex",
    "a spec in UTF-16": "save it as UTF-8",
    "a seal of a file that cannot be read": "every file that is sealed must be readable",
    "a box of texts": "expected numbers",
    "a covariance as a text": "a square matrix of",
    "a ragged covariance": "a square matrix of",
}


@pytest.mark.parametrize("case", [case for case in CASES if case.name in FOUND], ids=lambda case: case.name)
def test_what_was_found_is_refused_in_words(case: Case) -> None:
    outcome = outcome_of(case)
    said = FOUND[case.name] in outcome.message
    assert (outcome.code, said, outcome.after) == (2, True, outcome.before), outcome


def test_a_full_disk_leaves_no_empty_checkpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("noiseproof.audit.trial.schedule.checkpoint._write", full)
    case = Case("full", "noiseproof audit spec.toml", ("spec",))
    assert list(faults(case, outcome_of(case))) == []


@pytest.mark.parametrize("name", ["policy.toml", "spec.toml"])
def test_init_on_a_full_disk_leaves_nothing(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    def full(path: Path, text: str, **_: object) -> None:
        path.touch()
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    outcome = outcome_of(Case("full", f"noiseproof init {name}"))
    said = f"error: {name}: cannot write: No space left on device"
    assert (outcome.message, outcome.code, outcome.after) == (said, 2, {})


def test_a_plan_for_a_huge_epsilon_warns_of_nothing() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert plan_all([npf.Claim(npf.PureDP(1e300))], samples=400)


def test_the_page_has_a_row_for_each_case_and_none_with_a_fault() -> None:
    page = (ROOT / "docs" / "cli-error-cases.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| (.*?): `", page, re.M) == [case.name for case in CASES]
    assert ": none of them with a fault" in page
