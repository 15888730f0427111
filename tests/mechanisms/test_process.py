"""A release in a program of its own: same audit, and whatever the program does wrong is said in words."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from noiseproof import BlackBox, Box, PureDP, ReplaceOne, examine, search_neighbours
from noiseproof.audit.trial.isolation.isolated import Isolated
from noiseproof.mechanisms.process import Process, UnansweredError
from noiseproof.symbolic.errors import SpecError

EXAMPLES = Path(__file__).parents[2] / "examples" / "libraries"
SERVER = """
import json, os, random, signal, sys, time
def answer(q): {answer}
for line in sys.stdin:
    q = json.loads(line)
    rng = random.Random(q["seed"])
    n, x, i = q["size"], q["input"], q["id"]
    {body}
    print(json.dumps(a) if not isinstance(a, str) else a, flush=True)
"""
LAPLACE = 'a = {"id": i, "outcomes": [x + rng.expovariate(1) - rng.expovariate(1) for _ in range(n)]}'


def command(tmp_path: Path, body: str) -> list[str]:
    script = tmp_path / "release.py"
    script.write_text(SERVER.replace("{answer}", "pass").replace("{body}", body), encoding="utf-8")
    return [sys.executable, "-I", "-S", str(script)]


def sample(tmp_path: Path, body: str, data: Any = 0.0, size: int = 3, seconds: float = 20.0) -> Any:
    process = Process(command(tmp_path, body), seconds)
    try:
        return process(data, size, np.random.default_rng(0))
    finally:
        process.close()


def test_outcomes_depend_on_the_seed_alone_and_the_program_is_kept_alive(tmp_path: Path) -> None:
    process = Process(command(tmp_path, 'a = {"id": i, "outcomes": [[os.getpid(), rng.random()]] * n}'))
    first, second, third = (process(0, 1, np.random.default_rng(s))[0] for s in (1, 2, 1))
    assert first == third != second
    assert first[0] == second[0] == third[0] != os.getpid()
    process.close()
    assert process(0, 1, np.random.default_rng(1))[0][0] != first[0]


def test_inputs_and_outcomes_of_many_kinds_cross(tmp_path: Path) -> None:
    body = 'a = {"id": i, "outcomes": [x, "grün\\ud800☃", None, {"x": 1}, float("nan"), -float("inf"), 2**70, [True]]}'
    data = {
        "ä": np.arange(3),
        "rows": [(1, 2.5), None],
        "text": "ß\n",
        "objects": np.array([None, 1.5], dtype=object),
    }
    out = sample(tmp_path, body, data, 8)
    assert out[0] == {"ä": [0, 1, 2], "rows": [[1, 2.5], None], "text": "ß\n", "objects": [None, 1.5]}
    assert out[1:4] == ["grün\ud800☃", None, {"x": 1}]
    assert np.isnan(out[4])
    assert out[5:] == [-np.inf, 2**70, [True]]


def test_large_inputs_and_answers_do_not_block(tmp_path: Path) -> None:
    data = np.random.default_rng(0).normal(size=200_000)
    body = 'sys.stderr.write("w" * 300_000); a = {"id": i, "outcomes": [x] * n}'
    assert sample(tmp_path, body, data, 2)[1] == data.tolist()


def test_exceptions_are_outcomes(tmp_path: Path) -> None:
    subject = BlackBox.process(
        command(tmp_path, 'a = {"id": i, "raises": "KeyError", "message": "no such record"}'), (0, 1)
    )
    with pytest.raises(Exception, match="no such record") as caught:
        subject.sample(0, 3, np.random.default_rng(0))
    assert type(caught.value).__name__ == "KeyError"
    out = sample(tmp_path, 'a = {"id": i, "outcomes": [1, None, 2], "raised": {"1": "OverflowError"}}')
    assert (out[0], type(out[1]).__name__, out[2]) == (1, "OverflowError", 2)


WRONG = {
    "dies": ("os._exit(3)", "ended with exit code 3"),
    "is killed": ("os.kill(os.getpid(), signal.SIGKILL)", "SIGKILL"),
    "says why": ("sys.exit('no such library')", "Its last words: no such library"),
    "too few": ('a = {"id": i, "outcomes": [1] * (n - 1)}', "expected 3 outcomes, got 2"),
    "not JSON": ('a = "loading ..."', "expected one line of JSON, the program wrote 'loading ...'"),
    "bytes": ('sys.stdout.buffer.write(b"\\xff\\xfe"); a = ""', "expected one line of JSON"),
    "a list": ("a = [1, 2, 3]", "one answer to each question"),
    "another question": ('a = {"id": 7, "outcomes": [1] * n}', "one answer to each question"),
    "no outcomes": ('a = {"id": i}', 'expected "outcomes"'),
    "no exception": ('a = {"id": i, "raises": "os.system()"}', "expected the name of an exception"),
    "no place": ('a = {"id": i, "outcomes": [1] * n, "raised": {"3": "E"}}', "'3' of 3 outcomes"),
    "deep": ('a = "[" * 100_000', "expected one line of JSON"),
    "closes its output": ("os.close(1); time.sleep(30)", "closed its output"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_the_program_does_wrong_is_said_and_is_no_outcome(name: str, tmp_path: Path) -> None:
    body, message = WRONG[name]
    with pytest.raises(UnansweredError) as caught:
        sample(tmp_path, body)
    assert message in str(caught.value)
    assert str(tmp_path) not in str(caught.value).split("last words")[0]
    assert not isinstance(caught.value, Exception)


def test_an_extra_line_is_noticed_at_the_next_call(tmp_path: Path) -> None:
    process = Process(command(tmp_path, 'print(json.dumps({"id": i, "outcomes": [0] * n})); a = "noise"'))
    process(0, 2, np.random.default_rng(0))
    with pytest.raises(UnansweredError, match="expected one line of JSON, the program wrote 'noise'"):
        process(0, 2, np.random.default_rng(0))


@pytest.mark.parametrize(
    "body",
    ["time.sleep(60)", "signal.signal(15, 1); time.sleep(60)", "sys.stdout.write('[')\n    while True: pass"],
)
def test_a_program_that_hangs_is_ended(body: str, tmp_path: Path) -> None:
    start = time.monotonic()
    with pytest.raises(UnansweredError, match=r"no answer within 0.3 s, asked for 3 outcomes"):
        sample(tmp_path, body, seconds=0.3)
    assert time.monotonic() - start < 5


def test_a_slow_program_is_waited_for(tmp_path: Path) -> None:
    body = 'a = json.dumps({"id": i, "outcomes": [1] * n})\n    for c in a[:9]: sys.stdout.write(c); sys.stdout.flush(); time.sleep(0.03)\n    a = a[9:]'
    assert sample(tmp_path, body) == [1, 1, 1]


def test_wrong_arguments_fail_before_any_work() -> None:
    for bad in ([], "python release.py", [""], [1]):
        with pytest.raises(ValueError, match="must be a list of words"):
            Process(bad)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="no program 'no-such-program'"):
        Process(["no-such-program"])
    for seconds in (0, -1, float("nan"), True, "1"):
        with pytest.raises(ValueError, match="number of seconds > 0"):
            Process([sys.executable], seconds)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="type object cannot be sent"):
        BlackBox.process([sys.executable], (object(), 1))
    with pytest.raises(ValueError, match="pair"):
        BlackBox.process([sys.executable], 1)  # type: ignore[arg-type]


def test_an_audit_gives_both_words_and_the_search_works(tmp_path: Path) -> None:
    honest = BlackBox.process(command(tmp_path, LAPLACE), (0.0, 1.0), deterministic=True)
    assert honest.name.endswith("release.py")
    settings: dict[str, Any] = {"samples": 8_000, "seed": 0}
    first = examine(honest, PureDP(1.0), **settings)
    assert first.verdict.name == "SURVIVED"
    assert examine(honest, PureDP(0.5), **settings).verdict.name == "REFUTED"
    again = BlackBox.process(command(tmp_path, LAPLACE), (0.0, 1.0), deterministic=True)
    assert examine(again, PureDP(1.0), **settings).findings[0].evidence == first.findings[0].evidence
    total = BlackBox.process(command(tmp_path, LAPLACE.replace("x +", "sum(x) +")), ([0.0], [1.0]))
    found = search_neighbours(total, Box(0, 1), ReplaceOne(), size=3, samples=4_000)
    assert abs(sum(found.inputs[0]) - sum(found.inputs[1])) > 0.5


def test_isolation_starts_a_program_of_its_own_and_ends_it(tmp_path: Path) -> None:
    subject = BlackBox.process(command(tmp_path, 'a = {"id": i, "outcomes": [os.getpid()] * n}'), (0, 1))
    mine = subject.sample(0, 1, np.random.default_rng(0))[0]
    with Isolated(subject, 20.0) as isolated:
        theirs = int(isolated.draw(0, 1, (0,), 0).values[0, 0])
        assert theirs not in (mine, os.getpid())
    assert subject.sample(1, 1, np.random.default_rng(0))[0] == mine
    for _ in range(100):
        if (
            not Path(f"/proc/{theirs}/status").exists()
            or "zombie" in Path(f"/proc/{theirs}/status").read_text()
        ):
            return
        time.sleep(0.05)
    pytest.fail("the program of the fork still runs")


def test_lost_programs_end_isolated_audits_with_a_message(tmp_path: Path) -> None:
    subject = BlackBox.process(command(tmp_path, "os._exit(3)"), (0, 1))
    with Isolated(subject, 20.0) as isolated, pytest.raises(SpecError, match="exit code 3"):
        isolated.draw(0, 3, (0,), 0)


def test_lost_programs_end_audits_with_a_message(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="exit code 3"):
        examine(BlackBox.process(command(tmp_path, "os._exit(3)"), (0, 1)), PureDP(1.0))


def test_single_asks_for_one_outcome_at_a_time(tmp_path: Path) -> None:
    body = 'a = {"id": i, "outcomes": [n]} if x else {"id": i, "outcomes": [0], "raised": {"0": "KeyError"}}'
    subject = BlackBox.single(Process(command(tmp_path, body)).one, (0, 1))
    assert subject.sample(1, 3, np.random.default_rng(0)) == [1, 1, 1]
    assert [type(e).__name__ for e in subject.sample(0, 2, np.random.default_rng(0))] == ["KeyError"] * 2


@pytest.mark.parametrize("script", sorted(p.name for p in EXAMPLES.glob("*_releases.py")))
def test_examples_refuse_a_missing_library_politely(script: str) -> None:
    words = [sys.executable, "-S", str(EXAMPLES / script)]  # without what is installed here
    run = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert run.returncode == 2
    assert "pip install" in run.stderr
    assert "Traceback" not in run.stderr
