"""Pipes, terminals and locales: who reads, how wide and in which encoding changes the looks, never the work or its exit code."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import typer
from made_certificates import certificate, finding, one_of_each

from noiseproof.audit.record.certificate import Certificate
from noiseproof.audit.record.evidence import Verdict
from noiseproof.audit.trial.planning.plan import SamplePlan
from noiseproof.console import print_summary, reported_errors
from noiseproof.plan_table import print_plans
from noiseproof.scale_options import kept_units

# A command that says something in each way, then ends with an exit code.
COMMAND = """
import sys
import time
from noiseproof import cli, console
from rich.text import Text
def app():
    with console.reported_errors(False):
        console.say(*["epsilon: \\u03b5"] * 3)
        console.say_styled(*[Text("\\u4e2d")] * 3)
        console.say("to stderr: \\u03b5", err=True)
        with console.progress_bar(False): pass
    sys.exit(int(sys.argv[1]))
cli.app = app
cli.main()
"""


def started(redirection: str, code: int = 4, **environment: str) -> tuple[int, str, str]:
    """The command in a shell: exit code, what came to standard output, and what came to standard error."""
    done = subprocess.run(
        ["sh", "-c", f'"$0" "$@" {redirection}', sys.executable, "-c", COMMAND, str(code)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_reader_who_left_changes_nothing(stream: str) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, stream: writer}
    done = subprocess.run([sys.executable, "-c", COMMAND, "4"], **pipes, timeout=60)  # type: ignore[call-overload]
    os.close(writer)
    assert done.returncode == 4
    assert "internal error" not in (done.stderr or b"").decode()


@pytest.mark.parametrize("redirection", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-", "2>/dev/full"])
def test_a_stream_that_is_closed_changes_nothing(redirection: str) -> None:
    code, out, err = started(redirection)
    assert code == 4
    assert "error" not in err
    assert out.count("中") == (0 if ">&- 2" in redirection or redirection == ">&-" else 3)


@pytest.mark.parametrize("code", [0, 4])
def test_a_full_disk_is_said_once_and_never_a_success(code: int) -> None:
    found, _, err = started(">/dev/full", code)
    assert found == (code or 2)
    assert err.splitlines()[-1] == (
        "error: standard output did not take all lines: No space left on device; make room and run again"
    )


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_an_encoding_without_a_letter_shows_its_number(encoding: str) -> None:
    code, out, err = started("", PYTHONIOENCODING=encoding)
    assert code == 4
    shown = ("中", "to stderr: ε\n")
    escaped = tuple(word.encode("ascii", "backslashreplace").decode() for word in shown)
    assert (out.splitlines()[-1], err) == (shown if encoding == "utf-8" else escaped)


def test_a_terminal_shows_the_number_of_a_letter_too() -> None:
    window, terminal = pty.openpty()
    code = subprocess.run(
        [sys.executable, "-c", COMMAND, "4"],
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        stdout=terminal,
        timeout=60,
    ).returncode
    os.close(terminal)
    assert (code, "\\u4e2d" in os.read(window, 10_000).decode()) == (4, True)


def test_children_have_streams_and_what_code_of_a_user_writes_is_not_held_back() -> None:
    app = "lambda: (sys.stderr.write('said\\n'), os._exit(subprocess.run(['sh', '-c', ': 3<&0 4>&1']).returncode))"
    text = f"import os, subprocess, sys\nfrom noiseproof import cli\ncli.app = {app}\ncli.main()"
    done = subprocess.run(
        ["sh", "-c", '"$0" -c "$1" <&- >&-', sys.executable, text], stderr=subprocess.PIPE, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, b"said\n")


def test_a_name_that_the_locale_cannot_read_leaves_files_whole() -> None:
    # How Python reads the bytes of 'é' where the locale is ASCII, those of 'é' in Latin-1, and half of a pair.
    title = "\udcc3\udca9 \udce9 \ud800"
    text = replace(one_of_each(), title=title).to_json()
    assert Certificate.from_json(text).title == "é \ufffd \ufffd"
    assert json.loads(text.encode("utf-8"))["title"] == "é \ufffd \ufffd"


@pytest.mark.parametrize("columns", ["0", "1", "20", "40"])
@pytest.mark.parametrize("terminal", [True, False])
def test_a_narrow_window_cuts_no_number(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], columns: str, terminal: bool
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    if terminal:
        monkeypatch.setenv("FORCE_COLOR", "1")
    found = SamplePlan("a release", "a claim", "a ray", 22_000, 1.05, 0.95, 0.05, 1, ())
    none = [replace(found, samples=None, reason=why) for why in ("nothing to find", "out of reach")]
    print_plans([found, *none], ["a law"])
    out = capsys.readouterr().out
    assert out.count("> 1,000,000,000") == 1
    assert [x for x in ("1.05", "22,000", "samples per input", "not planned: a law") if x not in out] == []
    assert "alpha = 0.05, shared by 1 statistical check." in out
    assert terminal or max(map(len, out.splitlines()[:4])) <= 72


def test_what_an_error_leaves_behind_is_said_of_places_too(capsys: pytest.CaptureFixture[str]) -> None:
    error = PermissionError(13, "Permission denied", "a.ledger")
    error.add_note("entry 3 counts as spent")
    with pytest.raises(typer.Exit), reported_errors(False):
        raise error
    said = capsys.readouterr().err
    assert said.startswith("error: a.ledger: Permission denied: name another file")
    assert said.endswith("; entry 3 counts as spent\n")


def test_the_summary_details_what_refutes_a_claim_and_no_control(capsys: pytest.CaptureFixture[str]) -> None:
    refuted = finding(1, "REFUTED")
    other = replace(refuted.evidence[0], check="other", verdict=Verdict.SURVIVED, witness=None)
    mixed = replace(refuted, evidence=(*refuted.evidence, other))
    print_summary(certificate(mixed, finding(2, "REFUTED", expect="falls")), Path("out"))
    assert [line.split(":")[0].strip() for line in capsys.readouterr().out.splitlines()] == [
        "1  REFUTED    1-differentially private",
        "likelihood ratio",
        "2  REFUTED    1-differentially private  [control, refuted as expected]",
        "claimed    certified",
        "1  at most 1  at least 0.5  epsilon at delta = 0 (likelihood ratio, code)",
        "verdict",
        "page",
    ]


def test_a_folder_that_was_there_stays(tmp_path: Path) -> None:
    with pytest.raises(OSError), kept_units(None, tmp_path, False):
        raise OSError
    assert tmp_path.is_dir()


def test_a_question_that_nobody_can_answer_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit) as end, reported_errors(False):
        raise typer.Abort
    assert end.value.exit_code == 2
    assert "error: a prompt got no answer" in capsys.readouterr().err


@pytest.mark.parametrize("ending", [lambda: os._exit(0), lambda: os.execvp("true", ["true"])])
def test_code_that_ends_the_process_is_no_verdict(
    ending: Callable[[], None], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(typer.Exit) as left, reported_errors(False):
        ending()
    assert left.value.exit_code == 2
    assert "ended Python (os." in capsys.readouterr().err


def test_a_child_may_end_as_it_likes() -> None:
    before = os._exit
    with reported_errors(False):
        child = os.fork()
        if child == 0:
            os._exit(7)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    assert os._exit is before


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_process_that_is_asked_to_end_cleans_up_first(
    number: signal.Signals, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    cleaned = []
    monkeypatch.setattr(signal, "getsignal", lambda _: signal.SIG_DFL)  # nohup ignores one of them

    def work() -> None:
        try:
            os.kill(os.getpid(), number)
            time.sleep(60)
        finally:
            cleaned.append(True)

    with pytest.raises(typer.Exit) as left, reported_errors(False):
        work()
    assert cleaned
    assert left.value.exit_code == 128 + number
    assert "terminated: nothing was written" in capsys.readouterr().err
    assert signal.signal(number, signal.SIG_DFL) is signal.SIG_DFL
