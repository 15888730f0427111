"""One ledger, many processes: nothing is lost, nothing is overspent, and a kill at any moment is survived."""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from noiseproof import SpecError
from noiseproof.audit.release.ledger import Cost, Ledger, locked_file

COST = Cost.zcdp(0.01)
Report = Callable[[int], object]
real_write = os.write
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")


@contextmanager
def child(work: Callable[[Report], None]) -> Iterator[tuple[int, int]]:
    """A process that does `work`, which reports numbers: (its id, a descriptor to read them from)."""
    reading, writing = os.pipe()
    process = os.fork()
    if process == 0:
        status = 1
        try:
            os.close(reading)
            work(lambda number: real_write(writing, f"{number}\n".encode()))
            status = 0
        finally:
            os._exit(status)
    os.close(writing)
    try:
        yield process, reading
    finally:
        os.close(reading)


def together(work: Callable[[Report], None], count: int) -> list[int]:
    """What `count` processes report that do the same at the same time; all must end well."""
    with ExitStack() as stack:
        started = [stack.enter_context(child(work)) for _ in range(count)]
        numbers = [n for _, descriptor in started for n in reported(descriptor)]
        assert [os.waitpid(process, 0)[1] for process, _ in started] == [0] * count
        return numbers


def reported(descriptor: int) -> list[int]:
    """All whole numbers that a process reported before it ended."""
    content = b""
    while part := os.read(descriptor, 1 << 16):
        content += part
    return [int(line) for line in content.split(b"\n")[:-1]]


@pytest.mark.parametrize(("writers", "each", "room"), [(2, 12, 18), (8, 5, 30)])
def test_writers_at_once_lose_nothing_and_do_not_overspend(
    tmp_path: Path, writers: int, each: int, room: int
) -> None:
    path = tmp_path / "adult.jsonl"
    Ledger.create(path, "adult", Cost.zcdp(room / 100))

    def work(report: Report) -> None:
        ledger = Ledger.open(path)
        for _ in range(each):
            try:
                number = ledger.reserve(COST, f"by process {os.getpid()}")
            except SpecError as error:
                if "does not allow this release" not in error.message:
                    raise
                continue
            report(number)
            if number % 2:
                ledger.settle(number)

    numbers = together(work, writers)
    book = Ledger.open(path, "adult").book()
    assert len(set(numbers)) == len(numbers) == room
    assert sorted(numbers) == list(book.entries)
    assert book.spent()["rho"] == Fraction(room, 100)
    assert {n for n, e in book.entries.items() if e.state == "settled"} == {n for n in numbers if n % 2}
    assert book.remarks == []


def test_threads_at_once_lose_nothing(tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "adult.jsonl", "adult", Cost.zcdp(1.0))
    numbers: list[int] = []

    def work() -> None:
        numbers.extend(ledger.reserve(COST, "by a thread") for _ in range(5))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(numbers) == list(range(1, 21))
    assert ledger.spent()["rho"] == Fraction(1, 5)


def test_a_ledger_is_made_once(tmp_path: Path) -> None:
    path = tmp_path / "adult.jsonl"

    def work(report: Report) -> None:
        try:
            Ledger.create(path, "adult", Cost.zcdp(1.0))
            report(1)
        except SpecError:
            report(0)
        Ledger.open(path).reserve(COST, "a release")

    assert sum(together(work, 4)) == 1
    assert len(Ledger.open(path).book().entries) == 4
    assert sorted(p.name for p in tmp_path.iterdir()) == ["adult.jsonl", "adult.jsonl.head"]


def _slowly(descriptor: int, content: Any) -> int:
    """Writes a few bytes at a time, so that a kill often comes in the middle of a line."""
    time.sleep(0.0002)
    return real_write(descriptor, bytes(content)[:23])


@pytest.mark.parametrize("kills", [12, pytest.param(200, marks=pytest.mark.long)])
def test_kills_at_random_moments_of_an_append(tmp_path: Path, kills: int) -> None:
    path = tmp_path / "adult.jsonl"
    Ledger.create(path, "adult", Cost.zcdp(1000.0, 1e-9))
    moments = random.Random(0)
    moments_tried: list[float] = []
    acknowledged: list[int] = []
    in_the_middle = 0

    def work(report: Report) -> None:
        locked_file.os.write = _slowly  # type: ignore[assignment]
        ledger = Ledger.open(path)
        report(0)
        while True:
            report(ledger.reserve(COST, "a release"))

    # On a busy machine few kills come in the middle of a line: then there are more of them.
    while len(moments_tried) < kills or (in_the_middle < kills // 12 and len(moments_tried) < 20 * kills):
        moments_tried.append(moments.uniform(0, 0.04))
        with child(work) as (process, descriptor):
            assert os.read(descriptor, 2) == b"0\n"
            time.sleep(moments_tried[-1])
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
            acknowledged += reported(descriptor)
        # Nothing that was acknowledged is missing, and the file can be used at once.
        ledger = Ledger.open(path, "adult")
        book = ledger.book()
        assert set(acknowledged) <= set(book.entries)
        assert book.spent()["rho"] == Fraction(len(book.entries), 100)
        in_the_middle += any("ends with" in remark for remark in book.remarks)
        acknowledged.append(ledger.reserve(COST, "after the kill"))
    assert in_the_middle >= kills // 12, "no kill came in the middle of a line"
    # At most one entry per kill was written without its number having come back.
    assert (
        len(acknowledged) <= len(Ledger.open(path).book().entries) <= len(acknowledged) + len(moments_tried)
    )
    assert len([r for r in ledger.check() if "sets aside" in r]) == in_the_middle
