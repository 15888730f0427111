"""Work in a process of its own: its answer is that of the work, what does not end is stopped as a whole, and nothing is left behind."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import cloudpickle
import pytest
import sympy as sp
from flint import acb, arb

import noiseproof as npf
from noiseproof.symbolic.programs.certify import Work
from noiseproof.symbolic.proof import apart as module
from noiseproof.symbolic.proof.apart import UnfinishedError, apart, at_once, net_of, packed, tame
from noiseproof.symbolic.proof.work import read_effort, spend, spent

X = sp.Symbol("x", positive=True)
T = TypeVar("T")


def spin() -> None:
    while True:
        pass


def children() -> list[str]:
    return Path(f"/proc/self/task/{threading.get_native_id()}/children").read_text().split()


@pytest.fixture
def low_net(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "NET", 1)


@pytest.mark.usefixtures("low_net")
def test_what_does_not_end_is_stopped_and_the_next_step_is_not() -> None:
    before = children()
    with pytest.raises(
        UnfinishedError, match="a long step was stopped at the limit of 1 s of processor time"
    ):
        apart(spin, "a long step")
    assert apart(lambda: 2 + 2, "a short step") == 4
    assert children() == before


@pytest.mark.usefixtures("low_net")
def test_a_part_that_does_not_end_takes_no_other_part_with_it() -> None:
    def parts() -> list[str]:
        found = []
        for name, work in (("one", lambda: "done"), ("two", spin), ("three", lambda: "done")):
            try:
                found.append(str(apart(work, name)))
            except UnfinishedError:
                found.append("stopped")
        return found

    assert apart(parts, "all") == ["done", "stopped", "done"]


@pytest.mark.usefixtures("low_net")
def test_the_parts_of_a_question_share_a_process_unless_one_does_not_end() -> None:
    one, two = at_once(lambda: [apart(os.getpid, "one"), apart(os.getpid, "two")])
    assert one == two != os.getpid()
    first, stopped, last = at_once(lambda: [apart_or_none(f) for f in (os.getpid, spin, os.getpid)])
    assert stopped is None
    assert len({first, last, os.getpid()}) == 3


@pytest.mark.usefixtures("low_net")
def test_a_part_that_was_stopped_in_another_process_is_open_here() -> None:
    work = Work(1.0)
    assert work.run("all", lambda: work.run("a part", spin)) is None
    assert "a part was stopped at the limit of 1 s" in work.said()


def test_what_is_raised_apart_is_raised_here_and_a_process_that_dies_is_an_error() -> None:
    def refuse() -> None:
        raise npf.SpecError("no such thing", key="k")

    with pytest.raises(npf.SpecError, match="no such thing"):
        apart(refuse, "a step")
    with pytest.raises(RuntimeError, match="a step: its process ended with"):
        apart(lambda: os.kill(os.getpid(), signal.SIGKILL), "a step")


def test_units_that_are_spent_apart_are_counted_here() -> None:
    before = spent()
    apart(lambda: spend(7), "a step")
    assert spent() - before == 7


def test_symbols_made_apart_are_none_that_are_made_here() -> None:
    theirs = apart(lambda: sp.Dummy("d"), "a step")
    assert all(sp.Dummy("d") != theirs for _ in range(3))


def test_off_the_main_thread_the_answer_is_the_same() -> None:
    found: list[object] = []
    worker = threading.Thread(target=lambda: found.append(apart(lambda: sp.factor(X**2 - 1), "a step")))
    worker.start()
    worker.join()
    assert found == [(X - 1) * (X + 1)]


def test_without_fork_the_work_is_done_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "fork")
    assert apart(lambda: os.getpid(), "a step") == os.getpid()


@pytest.mark.parametrize(
    "formula",
    [
        sp.Add(X, sp.Mul(2, X, evaluate=False), evaluate=False),
        sp.Abs(X, evaluate=False),
        sp.Eq(X, sp.Add(X, 0, evaluate=False), evaluate=False),
        sp.Integral(sp.exp(-X), (X, 0, sp.oo)),
        sp.Piecewise((X, X > 1), (0, True)),
        sp.Function("f")(X).diff(X),
        sp.CRootOf(X**5 - X - 1, 0),
        sp.ImmutableMatrix([[sp.Mul(2, 3, evaluate=False), sp.Dummy("d")]]),
        sp.Sum(X ** sp.Symbol("k", integer=True), (sp.Symbol("k", integer=True), 0, 3)),
        sp.Interval.open(0, sp.oo),
    ],
    ids=str,
)
def test_a_formula_comes_back_as_it_is_written(formula: sp.Basic) -> None:
    back = cloudpickle.loads(packed(formula))
    assert back == formula
    assert sp.srepr(back) == sp.srepr(formula)


ENDLESS = (arb(0, float("inf")), arb.pos_inf(), arb.neg_inf(), arb.nan())


@pytest.mark.parametrize("ball", [arb(2), arb(1) / 3, arb(2).sin(), arb(1, 0.5), arb("3 +/- 1e30"), *ENDLESS])
def test_a_ball_comes_back_with_all_its_numbers(ball: arb) -> None:
    back = cloudpickle.loads(packed(ball))
    assert str(back) == str(ball)
    assert not ball.is_finite() or (back.mid() == ball.mid() and back.rad() == ball.rad())
    assert str(cloudpickle.loads(packed(acb(ball, 1))).real) == str(ball)


@pytest.mark.parametrize("bad", [0, -1, float("nan"), float("inf"), 1e9, "much", None, True])
def test_an_effort_that_is_none_is_refused(bad: object) -> None:
    with pytest.raises(ValueError, match="effort must be a number from 0"):
        read_effort(bad)


def test_tame_expressions_are_short_and_rational() -> None:
    assert tame((X + 1) ** 3 / (X - 2))
    for wild in (X**1000, sp.exp(X), X ** sp.Rational(1, 2), sp.Abs(X - 1), sum(sp.symbols("a:e"))):
        assert not tame(wild)


@pytest.mark.usefixtures("low_net")
def test_few_processes_of_a_question_are_stopped_and_the_next_question_has_as_many() -> None:
    def parts() -> int:
        return len([apart_or_none(spin) for _ in range(9)])

    for _ in range(2):
        with net_of(1 / 120):
            assert apart_or_none(parts) == 9
            with pytest.raises(UnfinishedError, match="late was not begun: 3 steps before it were stopped"):
                apart(lambda: 1, "late")
    assert apart(lambda: 1, "after") == 1


def apart_or_none(work: Callable[[], T]) -> T | None:
    try:
        return apart(work, "a step")
    except UnfinishedError:
        return None
