"""The pytest plugin: one alpha per session, seeds by name, messages that can be acted on, and a gate that never flakes."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from xml.etree import ElementTree

import pytest
from heavy import HEAVY
from plugin_session import HEAD, PLUGIN, run

import noiseproof
from noiseproof.audit.record.certificate import Certificate
from noiseproof.audit.trial.examine import examine
from noiseproof.audit.witnesses import reevaluate

pytest_plugins = ["pytester"]

ROOT = Path(__file__).resolve().parents[2]
# Tests that say which share and which seed they got, and audit nothing.
PLACES = """
import json, pytest

def say(gate, number=1):
    from noiseproof.audit.trial.gate.seeds import seed_of
    gate.trials = number
    place = gate.place
    row = [place.name, place.share.of_trial(number), seed_of(place.seed, place.name, number)]
    with open(f"places-{place.name.replace('/', '_')}.json", "w") as file:
        json.dump(row, file)

@pytest.mark.xdist_group("one")
def test_a(noiseproof): say(noiseproof)

@pytest.mark.parametrize("x", [1, 2])
def test_b(noiseproof, x): say(noiseproof)

@pytest.mark.noiseproof(trials=4)
def test_c(noiseproof): say(noiseproof, 4)

def test_without(): pass

class TestInside:
    @pytest.fixture
    def gate(self, noiseproof): return noiseproof
    def test_d(self, gate): say(gate)
"""


@pytest.fixture(autouse=True, scope="module")
def _warm() -> None:
    """Sessions inside this process forget what they import: numpy and its kin must be there before."""
    mechanism = noiseproof.LaplaceMechanism(epsilon=1.0, sensitivity=1.0)
    examine(mechanism, noiseproof.PureDP(1.0), samples=200)


@pytest.fixture(autouse=True)
def _short_summaries(monkeypatch: pytest.MonkeyPatch) -> None:
    """Under CI pytest repeats whole messages in its summary; these tests count lines."""
    for name in ("CI", "BUILD_NUMBER"):
        monkeypatch.delenv(name, raising=False)


def places(pytester: pytest.Pytester) -> dict[str, tuple[float, int]]:
    """Name -> (alpha, seed) of the tests that ran last."""
    rows = []
    for file in sorted(pytester.path.glob("places-*.json")):
        rows.append(json.loads(file.read_text()))
        file.unlink()
    return {name: (alpha, seed) for name, alpha, seed in rows}


def test_shares_and_seeds_do_not_depend_on_what_runs_or_where(pytester: pytest.Pytester) -> None:
    run(pytester, text=PLACES).assert_outcomes(passed=6)
    whole = places(pytester)
    assert len(whole) == 5
    seeds = {seed for _, seed in whole.values()}
    assert len(seeds) == 5
    # test_a, test_b[1], test_b[2] and test_d have one part of 8 and spend half of it first; test_c has four parts.
    assert sorted(alpha for alpha, _ in whole.values()) == pytest.approx([1e-4 / 16] * 4 + [1e-4 / 8])
    run(pytester, "-k", "test_b").assert_outcomes(passed=2, deselected=4)
    assert places(pytester).items() <= whole.items()
    (name,) = [n for n in whole if n.endswith("test_c")]
    run(pytester, name, "--noiseproof-trials=8").assert_outcomes(passed=1)
    assert places(pytester) == {name: whole[name]}
    run(pytester, "--noiseproof-seed=1").assert_outcomes(passed=6)
    other = places(pytester)
    assert {n: a for n, (a, _) in other.items()} == {n: a for n, (a, _) in whole.items()}
    assert not {seed for _, seed in other.values()} & seeds
    # Groups change the names of tests in the workers.
    spread = pytester.runpytest_subprocess(*PLUGIN, "-p", "xdist", "-n2", "--dist=loadgroup")
    spread.assert_outcomes(passed=6)
    assert places(pytester) == whole


def test_a_fixed_number_of_parts_is_never_exceeded(pytester: pytest.Pytester) -> None:
    result = run(pytester, "--noiseproof-trials=7", text=PLACES)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*divided into 7 parts, and 8 audits were collected*"])
    run(pytester, "-o", "noiseproof_trials=100", "--noiseproof-alpha=0.01").assert_outcomes(passed=6)
    assert sum(alpha for alpha, _ in places(pytester).values()) < 0.01 * 8 / 100


BAD = {
    "alpha": ["0", "1", "nan", "much", "-1"],
    "seed": ["-1", "x", "1.5"],
    "samples": ["99", "1e5"],
    "trials": ["0", "x"],
    "undecided": ["pass", ""],
}


@pytest.mark.parametrize(("name", "value"), [(n, v) for n, values in BAD.items() for v in values])
def test_unusable_options_end_the_session_before_any_work(
    pytester: pytest.Pytester, name: str, value: str
) -> None:
    result = run(pytester, f"--noiseproof-{name}={value}", text="def test_x(): pass")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*noiseproof_{name}*expected *got {value!r}*"])


FAULT = (
    HEAD
    + """
def test_release(noiseproof):
    noiseproof.holds(laplace(0.3), npf.PureDP(1.0), samples=2000)
"""
)


def test_a_violation_is_explained_and_repeated_by_one_line(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytester.mkdir("tests")
    (pytester.path / "tests" / "test_it.py").write_text(FAULT + "\ndef test_more(noiseproof):\n    1 / 0\n")
    result = run(pytester, "--noiseproof-seed=5", "--junitxml=out.xml")
    result.assert_outcomes(failed=2)
    text = result.stdout.str()
    assert "REFUTED: my release is 1-differentially private" in text
    assert re.search(r"witness: the event \(.*\) happened [\d,]+ times in 1,500 on input", text)
    assert "input 0 is 0.0, input 1 is 1.0" in text
    assert "certified epsilon at delta = 0: 2." in text
    (seed,) = set(re.findall(r"seed:    (\d+) \(2,000 samples per input\)", text))
    (line,) = re.findall(r"repeat:  (pytest .*)", text)
    assert line == "pytest tests/test_it.py::test_release --noiseproof-seed=5 --noiseproof-trials=2"
    assert "Traceback" not in text
    again = run(pytester, *shlex.split(line)[1:])
    again.assert_outcomes(failed=1)
    message = [
        row for row in text.splitlines() if row.startswith(("REFUTED", "  witness", "  seed", "  repeat"))
    ]
    assert len(message) == 4
    assert set(message) <= set(again.stdout.lines)
    # From another folder the line names the file from there.
    monkeypatch.chdir(pytester.path / "tests")
    (line,) = re.findall(
        r"repeat:  pytest (\S+)", run(pytester, "-k", "release", "--rootdir=..").stdout.str()
    )
    assert line == "test_it.py::test_release"

    (case,) = [
        c
        for c in ElementTree.parse(pytester.path / "out.xml").iter("testcase")
        if c.get("name") == "test_release"
    ]
    properties = {p.get("name"): p.get("value") for p in case.iter("property")}
    assert properties["noiseproof.verdict"] == "REFUTED"
    assert properties["noiseproof.seed"] == seed
    assert float(properties["noiseproof.alpha"] or 0) == pytest.approx(1e-4 / 4)
    assert float(properties["noiseproof.epsilon_certified"] or 0) > 2
    assert properties["noiseproof.epsilon_claimed"] == "1"
    assert re.fullmatch(r"sha256:[0-9a-f]{64}", properties["noiseproof.witness"] or "")


def test_what_could_not_be_settled_is_no_violation(pytester: pytest.Pytester) -> None:
    text = HEAD + "def test_x(noiseproof):\n    noiseproof.holds(laplace(1), npf.PureDP(10), samples=200)\n"
    result = run(pytester, text=text)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["UNDECIDED: my release*NOT a violation*", "*why: *allows so much*", "*repeat: *"]
    )
    assert "REFUTED" not in result.stdout.str()
    result = run(pytester, "--noiseproof-undecided=warn")
    result.assert_outcomes(passed=1, warnings=1)
    result.stdout.fnmatch_lines(["*UndecidedClaim: UNDECIDED: my release*"])


def test_certificates_of_all_trials_are_written_where_asked(pytester: pytest.Pytester) -> None:
    result = run(
        pytester,
        "--noiseproof-output=kept here",
        text=FAULT
        + """
def test_good(noiseproof):
    noiseproof.holds(laplace(1.0), npf.PureDP(1.0), samples=2000)
    noiseproof.holds(laplace(1.0), npf.PureDP(1.0), samples=2000)
""",
    )
    result.assert_outcomes(passed=1, failed=1)
    assert len(list((pytester.path / "kept here").iterdir())) == 3
    (line,) = set(re.findall(r"(noiseproof replay .*)", result.stdout.str()))
    certificate = Certificate.from_json(
        Path(shlex.split(line)[2].removesuffix("#1")).read_text(encoding="utf-8")
    )
    (witness,) = [e.witness for e in certificate.findings[0].evidence if e.witness]
    assert reevaluate(witness)[0]
    assert certificate.title.endswith("::test_release")


def test_controls_must_fall(pytester: pytest.Pytester) -> None:
    result = run(
        pytester,
        text=HEAD
        + """
def test_falls(noiseproof):
    noiseproof.falls(laplace(0.3), npf.PureDP(1.0), samples=2000)

def test_beside(noiseproof):
    control = npf.Claim(npf.PureDP(1.0), laplace(0.3), expect="falls")
    certificate = noiseproof.holds(laplace(1.0), [npf.PureDP(1.0), control], samples=2000)
    assert [f.verdict.name for f in certificate.findings] == ["SURVIVED", "REFUTED"]

def test_stands(noiseproof):
    noiseproof.falls(laplace(1.0), [npf.PureDP(1.0), npf.Claim(npf.PureDP(1.2))], samples=2000)

def test_wrong(noiseproof):
    noiseproof.falls(laplace(1.0), [1.0])
""",
    )
    result.assert_outcomes(passed=2, failed=2)
    result.stdout.fnmatch_lines(
        ["CONTROL STANDS: my release is 1-diff*", "CONTROL STANDS: my release is 1.2-diff*"]
    )
    result.stdout.fnmatch_lines(["*SpecError: *claims must be predicates*"])


def test_a_marked_test_returns_what_is_claimed(pytester: pytest.Pytester) -> None:
    result = run(
        pytester,
        "-W",
        "error",
        text=HEAD
        + """
@pytest.fixture
def subject(): return laplace(1.0)

@pytest.mark.noiseproof(samples=1500)
class TestRelease:
    def test_pair(self, subject): return subject, npf.PureDP(1.0)
    @pytest.mark.noiseproof(samples=2000)
    def test_fault(self): return [npf.Claim(npf.PureDP(1.0), laplace(0.3), title="the whole release")]
    def test_nothing(self): pass
    def test_word(self): return "yes"
    def test_at_run_time(self, request):
        request.getfixturevalue("noiseproof").holds(laplace(1.0), npf.PureDP(1.0))
""",
    )
    result.assert_outcomes(passed=2, failed=3)
    result.stdout.fnmatch_lines(
        [
            "REFUTED: the whole release: my release*",
            "*(2,000 samples per input)",
            "*this one returned None*",
            "*SpecError*returned str*",
        ]
    )


def test_misuse_is_said_in_words(pytester: pytest.Pytester) -> None:
    result = run(
        pytester,
        text=HEAD
        + """
def test_nothing(noiseproof): pass

def test_empty(noiseproof):
    noiseproof.holds(laplace(1.0), [])

def test_alpha(noiseproof):
    noiseproof.holds(laplace(1.0), npf.PureDP(1.0), alpha=0.5)

def test_at_run_time(request):
    request.getfixturevalue("noiseproof")

@pytest.mark.noiseproof(trials=1)
def test_again(noiseproof):
    for _ in range(2):
        noiseproof.holds(laplace(1.0), npf.PureDP(1.0), samples=2000)
""",
    )
    result.assert_outcomes(failed=5)
    result.stdout.fnmatch_lines(
        [
            "nothing was audited: call noiseproof.holds*",
            "nothing was audited: give at least one claim",
            "*alpha belongs to the session*",
            "alpha was divided when the tests were collected*",
            "this test declares trials=1, and this is audit 2*",
        ]
    )


@pytest.mark.parametrize(
    ("marker", "message"),
    [
        ("sample=3", "does not take sample"),
        ("1", "does not take 1"),
        ("trials=0", "trials must be a whole number"),
    ],
)
def test_a_slip_in_a_marker_ends_the_session(pytester: pytest.Pytester, marker: str, message: str) -> None:
    result = run(pytester, text=f"import pytest\n@pytest.mark.noiseproof({marker})\ndef test_x(): pass\n")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*test_x: *{message}*"])


def test_a_session_without_claims_is_left_alone(pytester: pytest.Pytester) -> None:
    result = run(pytester, "--strict-markers", text="def test_x(): pass")
    result.assert_outcomes(passed=1)
    assert "noiseproof: alpha" not in result.stdout.str()
    assert "@pytest.mark.noiseproof(trials=None" in run(pytester, "--markers").stdout.str()


def test_the_plugin_is_declared() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"]["pytest11"] == {"noiseproof": "noiseproof.pytest_plugin"}


def test_the_plugin_is_light(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("import sys\ndef test_x():\n    print(sorted(sys.modules))\n    assert 0")
    result = pytester.runpytest_subprocess(*PLUGIN, "-p", "no:xdist", "-p", "no:hypothesispytest")
    (shown,) = [line for line in result.stdout.lines if line.startswith("['")]
    loaded = {name.strip("[]' ").split(".")[0] for name in shown.split(",")}
    assert "noiseproof" in loaded
    assert not loaded & {*HEAVY, "typer", "rich"}
    timed = "import time, pytest; t = time.process_time(); import noiseproof.pytest_plugin; print(time.process_time() - t)"
    spent = [
        float(
            subprocess.run([sys.executable, "-c", timed], capture_output=True, text=True, check=True).stdout
        )
        for _ in range(3)
    ]
    # 12 to 15 ms here; numpy alone takes several times the limit.
    assert min(spent) < 0.05


def sessions(pytester: pytest.Pytester, claims: int, seeds: range) -> None:
    """Sessions of correct claims with one planted fault: it alone is found, every time."""
    pytester.makepyfile(
        test_session=(ROOT / "tests" / "made" / "session_of_claims.py").read_text(encoding="utf-8")
    )
    for seed in seeds:
        os.environ.update(CLAIMS=str(claims), FAULT=str(seed * 37 % claims))
        try:
            result = run(pytester, f"--noiseproof-seed={seed}", "-rf")
        finally:
            del os.environ["CLAIMS"], os.environ["FAULT"]
        result.assert_outcomes(passed=claims, failed=1)
        result.stdout.fnmatch_lines(["FAILED test_session.py::test_release[[]fault[]]*REFUTED*"])


def test_a_planted_fault_is_found_and_nothing_else(pytester: pytest.Pytester) -> None:
    sessions(pytester, 16, range(1))


@pytest.mark.long
def test_200_correct_claims_in_50_sessions(pytester: pytest.Pytester) -> None:
    sessions(pytester, 200, range(50))
