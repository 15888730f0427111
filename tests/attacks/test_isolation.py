"""A release in a process of its own gives the same outcomes; hangs, deaths and changed inputs are said, not suffered."""

from __future__ import annotations

import faulthandler
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from noiseproof import BlackBox, GaussianMechanism
from noiseproof.audit.trial.isolation.isolated import Isolated, estimate_rate
from noiseproof.audit.trial.isolation.transfer import decoded, encoded
from noiseproof.audit.trial.outcomes import Outcomes
from noiseproof.audit.trial.sampling import draw, fingerprint
from noiseproof.symbolic.errors import SpecError

resource = pytest.importorskip("resource")
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


def same(a: Outcomes, b: Outcomes) -> bool:
    """Equal to the last bit: values, their order in memory, structures."""
    return (
        a.values.tobytes() == b.values.tobytes()
        and a.values.flags.f_contiguous == b.values.flags.f_contiguous
        and a.kinds.names == b.kinds.names
        and a.kinds.codes.tolist() == b.kinds.codes.tolist()
    )


def laplace(data: float, size: int, rng: np.random.Generator) -> Any:
    return data + rng.laplace(size=size)


def text(data: float, size: int, rng: np.random.Generator) -> Any:
    return [["none", "grün\ud800", b"raw"][k] if k < 3 else None for k in rng.integers(0, 4, size)]


def table(data: float, size: int, rng: np.random.Generator) -> Any:
    return [
        {"mean": v, "days": (1, k)} if k else {"mean": v}
        for v, k in zip(rng.normal(size=size), rng.integers(0, 3, size), strict=True)
    ]


def failing(data: float, size: int, rng: np.random.Generator) -> Any:
    if data > 0:
        raise KeyError("no such record")
    return rng.normal(size=size)


def dtypes(data: float, size: int, rng: np.random.Generator) -> Any:
    return rng.normal(size=size).astype("f4" if rng.random() < 0.5 else "f8")


CALLS: dict[str, Callable[[float, int, np.random.Generator], Any]] = {
    "numbers": laplace,
    "text, bytes, None": text,
    "dicts of two shapes": table,
    "exceptions": failing,
    "two dtypes": dtypes,
    "wrong count": lambda data, size, rng: rng.normal(size=size + 1),
    "not finite": lambda data, size, rng: np.where(
        rng.random((size, 2)) < 0.2, np.nan, rng.normal(size=(size, 2))
    ),
    "columns first": lambda data, size, rng: np.asfortranarray(rng.normal(size=(size, 3))),
    "four megabytes": lambda data, size, rng: rng.normal(size=(size, 10_000)),
    "an outcome that is an exception": lambda data, size, rng: [ValueError("x")] * size,
}


@pytest.mark.parametrize("name", CALLS)
def test_outcomes_are_those_of_a_run_without_isolation(name: str) -> None:
    subject = BlackBox(CALLS[name], (0.0, 1.0))
    with Isolated(subject, 10.0) as isolated:
        for call in range(4):
            for x in (0.0, 1.0):
                stream = (0, int(x), call)
                assert same(isolated.draw(x, 50, stream, 3), draw(subject, x, 50, stream, 3))


def test_mechanisms_are_isolated_like_black_boxes() -> None:
    subject = GaussianMechanism(1.0, 1.0, 3)
    x = subject.neighbours()[0][1]
    with Isolated(subject, 10.0) as isolated:
        assert same(isolated.draw(x.copy(), 20, (1, 2), 0), draw(subject, x, 20, (1, 2), 0))


def test_state_between_calls_is_kept() -> None:
    def counting() -> BlackBox:
        seen = [0]

        def release(data: float, size: int, rng: np.random.Generator) -> Any:
            seen[0] += 1
            return np.full(size, data + seen[0])

        return BlackBox(release, (0.0, 10.0))

    plain = counting()
    with Isolated(counting(), 10.0) as isolated:
        for call in range(5):
            x = 10.0 * (call % 2)
            assert same(isolated.draw(x, 3, (call,), 0), draw(plain, x, 3, (call,), 0))


def test_dtypes_that_change_between_calls_are_told_apart_as_kinds() -> None:
    with Isolated(BlackBox(dtypes, (0.0, 1.0), types=True), 10.0) as isolated:
        kinds = {isolated.draw(0.0, 4, (i,), 0).kinds.names for i in range(20)}
    assert kinds == {(f"tuple[str {name!r}, number]",) for name in ("float32", "float64")}


def test_the_text_of_an_exception_is_kept() -> None:
    with Isolated(BlackBox(failing, (0.0, 1.0)), 10.0) as isolated:
        assert isolated.draw(1.0, 4, (0,), 0).kinds.names == ("raises KeyError: ('no such record',)",)
        assert isolated.failure == "'no such record'"
        isolated.draw(0.0, 4, (0,), 0)
        assert isolated.failure == ""


def hanging(when: Callable[[float, int], bool]) -> BlackBox:
    calls = [0]

    def release(data: float, size: int, rng: np.random.Generator) -> Any:
        calls[0] += 1
        if when(data, calls[0]):
            while True:
                time.sleep(60)
        return rng.normal(size=size)

    return BlackBox(release, (0.0, 1.0), name="sleeper")


def single_that_hangs(data: float) -> float:
    if data:
        signal.pause()
    return 1.0


HANGS: dict[str, tuple[Callable[[], BlackBox], int]] = {
    "always": (lambda: hanging(lambda x, n: True), 0),
    "on one input": (lambda: hanging(lambda x, n: x == 1), 1),
    "after the third call": (lambda: hanging(lambda x, n: n > 3), 3),
    "one outcome at a time": (lambda: BlackBox.single(single_that_hangs, (0.0, 1.0), name="sleeper"), 1),
}


@pytest.mark.parametrize("name", HANGS)
def test_a_hang_ends_the_audit_with_a_message(name: str) -> None:
    build, good = HANGS[name]
    with Isolated(build(), 20.0) as isolated:
        for call in range(good):
            isolated.draw(float(call % 2), 1_000, (call,), 0)
        isolated.seconds_per_call = 0.3
        start = time.monotonic()
        with pytest.raises(SpecError) as error:
            isolated.draw(float(good % 2), 1_000, (good,), 0)
        assert 0.25 < time.monotonic() - start < 5
    message = str(error.value)
    assert message.startswith("sleeper: no answer within 0.3 s on input ")
    assert f"input {good % 2}, asked for 1,000 outcomes" in message
    assert "no evidence on any claim" in message
    assert "by hand" in message


def leave(data: float, size: int, rng: np.random.Generator) -> Any:
    os._exit(7)


def crash(data: float, size: int, rng: np.random.Generator) -> Any:
    faulthandler.disable()  # pytest's, which would print a traceback
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.kill(os.getpid(), signal.SIGSEGV)
    time.sleep(10)


def leave_with_a_child_behind(data: float, size: int, rng: np.random.Generator) -> Any:
    if os.fork() == 0:
        time.sleep(30)  # it still holds the socket
        os._exit(0)
    os._exit(3)


DEATHS = {
    "os._exit": (leave, "its process ended with exit code 7 on input 1"),
    "segmentation fault": (crash, "its process was ended by the signal SIGSEGV on input 1"),
    "a child left behind": (leave_with_a_child_behind, "its process ended with exit code 3 on input 1"),
}


@pytest.mark.parametrize("name", DEATHS)
def test_a_death_ends_the_audit_with_a_message_and_not_the_program(name: str) -> None:
    dying, words = DEATHS[name]
    subject = BlackBox(lambda d, n, r: dying(d, n, r) if d else r.normal(size=n), (0.0, 1.0))
    with Isolated(subject, 20.0) as isolated:
        isolated.draw(0.0, 10, (0,), 0)
        start = time.monotonic()
        with pytest.raises(SpecError, match=words):
            isolated.draw(1.0, 10, (0,), 0)
        assert time.monotonic() - start < 5
        # The next call has a new process.
        assert same(isolated.draw(0.0, 10, (1,), 0), draw(subject, 0.0, 10, (1,), 0))


def test_leaving_by_sys_exit_is_said() -> None:
    with (
        Isolated(BlackBox(lambda d, n, r: sys.exit("bye"), (0.0, 1.0)), 10.0) as isolated,
        pytest.raises(SpecError, match=r"ended with SystemExit \(bye\) on input 0"),
    ):
        isolated.draw(0.0, 10, (0,), 0)


def test_a_changed_input_is_found_at_the_call_that_changes_it() -> None:
    calls = [0]

    def release(data: Any, size: int, rng: np.random.Generator) -> Any:
        calls[0] += 1
        if calls[0] == 3:
            data[0] += 1.0
        return data[0] + rng.normal(size=size)

    zero, one = np.zeros(2), np.ones(2)
    with Isolated(BlackBox(release, (zero, one)), 10.0) as isolated:
        isolated.draw(zero, 5, (0,), 0)
        isolated.draw(one, 5, (0,), 0)
        with pytest.raises(SpecError, match=r"changes its input in place \(input 1\); let it work on a copy"):
            isolated.draw(one, 5, (1,), 0)
    assert one.tolist() == [1.0, 1.0]


PLAIN = [
    None,
    True,
    3,
    2**70,
    -0.5,
    float("inf"),
    "é",
    b"\x00\xff",
    [1, (2, "x")],
    {"a": [1.0], 3: None},
    np.float32(1.5),
    np.int64(3),
    np.arange(6).reshape(2, 3).T,
    np.array(["a", "bc"]),
    np.array(1.0),
    np.zeros(2, dtype=[("a", "f8"), ("b", "i4")]),
]


@pytest.mark.parametrize("value", PLAIN, ids=lambda v: type(v).__name__)
def test_inputs_found_later_are_sent_over(value: Any) -> None:
    data, arrays = encoded(value)
    assert fingerprint(decoded(data, arrays)) == fingerprint(value)
    assert type(decoded(data, arrays)) is type(value)
    subject = BlackBox(lambda d, n, r: [fingerprint(d)] * n, (0.0, 1.0))
    with Isolated(subject, 10.0) as isolated:
        assert same(isolated.draw(value, 2, (0,), 0), draw(subject, value, 2, (0,), 0))


def test_inputs_of_other_types_must_be_known_at_the_start() -> None:
    class Person:
        age = 41

    one, subject = Person(), BlackBox(lambda d, n, r: np.full(n, getattr(d, "age", 0)), (0.0, 1.0))
    with Isolated(subject, 10.0, [one]) as isolated:
        assert isolated.draw(one, 2, (0,), 0).values.tolist() == [[41.0], [41.0]]
        with pytest.raises(SpecError, match=r"an input of type Person cannot be sent .* inputs=\.\.\."):
            isolated.draw(Person(), 2, (0,), 0)
        with pytest.raises(SpecError, match="an input of type ndarray cannot be sent"):
            isolated.draw(np.array([Person()]), 2, (0,), 0)


@pytest.mark.parametrize("seconds", [0, -1.0, float("nan"), float("inf"), True])
def test_a_limit_that_is_none_is_refused(seconds: float) -> None:
    with pytest.raises(SpecError, match="number of seconds > 0"):
        Isolated(BlackBox(laplace, (0.0, 1.0)), seconds)


def test_a_system_without_fork_is_told_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "fork")
    with pytest.raises(SpecError, match="leave the limit out"):
        Isolated(BlackBox(laplace, (0.0, 1.0)), 1.0)
    assert estimate_rate(BlackBox(laplace, (0.0, 1.0)), (0.0, 1.0), 0, seconds=0.01) > 0


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))


def interrupted(isolated: Isolated) -> None:
    """A call that hangs, with Ctrl-C soon after."""
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    isolated.draw(0.0, 3, (0,), 0)


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc")
def test_nothing_stays_open_and_no_process_is_left() -> None:
    before = open_files()
    for how in ("close", "forget", "hang", "interrupt"):
        isolated = Isolated(hanging(lambda x, n: n > 1), 30.0)
        isolated.draw(0.0, 3, (0,), 0)
        pid = isolated._process._pid  # type: ignore[union-attr]
        if how == "hang":
            isolated.seconds_per_call = 0.2
            with pytest.raises(SpecError):
                isolated.draw(0.0, 3, (0,), 0)
        if how == "interrupt":
            signal.signal(signal.SIGALRM, signal.default_int_handler)
            with pytest.raises(KeyboardInterrupt):
                interrupted(isolated)
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
        if how == "close":
            isolated.close()
            isolated.close()
        del isolated
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
        assert open_files() == before


def test_children_of_the_release_end_with_it(tmp_path: Path) -> None:
    def release(data: float, size: int, rng: np.random.Generator) -> Any:
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
        return np.full(size, float(child.pid))

    with Isolated(BlackBox(release, (0.0, 1.0)), 20.0) as isolated:
        pid = int(isolated.draw(0.0, 1, (0,), 0).values[0, 0])
        os.kill(pid, 0)
    until = time.monotonic() + 5
    while time.monotonic() < until and not _gone(pid):
        time.sleep(0.01)
    assert _gone(pid)


def _gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    # Nobody may have collected an orphan yet.
    status = Path(f"/proc/{pid}/stat")
    return status.exists() and status.read_text().rpartition(")")[2].split()[0] == "Z"


def test_the_program_ends_although_nothing_was_closed() -> None:
    script = (
        "from noiseproof import BlackBox\nfrom noiseproof.audit.trial.isolation.isolated import Isolated\n"
        "print('before')\n"
        "i = Isolated(BlackBox(lambda d, n, r: (print('inside'), r.normal(size=n))[1], (0., 1.)), 9.)\n"
        "i.draw(0., 3, (0,), 0)\n"
        "print('after')\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True
    )
    assert run.stdout.split() == ["before", "inside", "after"]
    assert run.stderr == ""


def test_a_hang_is_said_before_the_work() -> None:
    with pytest.raises(SpecError, match="no answer within 2 s on input 1"):
        estimate_rate(hanging(lambda x, n: x == 1), (0.0, 1.0), 0, seconds=0.05, seconds_per_call=2.0)
