"""A sentence about an event says what was counted: counted anew in the outcomes that were drawn, it comes as often."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import noiseproof as npf
from noiseproof.audit.record.evidence import Verdict
from noiseproof.audit.trial.attack.read.sentences import _between, _number

Draw = Callable[[int, int, np.random.Generator], Any]


def _rarely(value: float, others: Draw) -> Draw:
    return lambda d, n, rng: np.where(rng.random(n) < (0.3 if d else 0.05), value, others(d, n, rng))


def _whole(d: int, n: int, rng: np.random.Generator) -> Any:
    return rng.integers(0, 3, n)


def _around(d: int, n: int, rng: np.random.Generator) -> Any:
    """Thousandths: one of them by far the most frequent, and others around it that nobody sees while learning."""
    near = np.where(rng.random(n) < 0.01, 3 + 0.001 * rng.integers(-400, 400, n), 3.0)
    return np.round(np.where(rng.random(n) < (0.3 if d else 0.05), near, rng.integers(0, 3, n)), 3)


EVENTS: dict[str, Draw] = {
    "nearly three": _rarely(2.9999998, _whole),
    "many digits": _rarely(1234567.25, _whole),
    "exactly three": _rarely(3.0, _whole),
    "around three": _around,
    "two that differ late": _rarely(1.0000002, lambda d, n, rng: np.where(rng.random(n) < 0.5, 1.0, 2.0)),
}


@pytest.mark.parametrize("name", EVENTS)
@pytest.mark.parametrize("bits", [False, True])
def test_an_outcome_that_is_named_came_as_often_as_is_said(name: str, bits: bool) -> None:
    drawn: dict[int, list[Any]] = {0: [], 1: []}

    def release(d: int, n: int, rng: np.random.Generator) -> Any:
        drawn[d].append(EVENTS[name](d, n, rng))
        return drawn[d][-1]

    audit = npf.examine(npf.BlackBox(release, (0, 1)), npf.PureDP(0.5), samples=4_000, bits=bits, seed=3)
    found = next(e for e in audit.findings[0].evidence if e.verdict is Verdict.REFUTED)
    for one in (e.detail for e in audit.findings[0].evidence):
        said = re.search(
            r"the outcome is (not )?([\d.]+)(, of numbers rounded to multiples of 2\^(-?\d+))?\)", one
        )
        counted = re.search(r"happened ([\d,]+) times in ([\d,]+) on input (\d)", one)
        if not (said and counted):
            continue
        k, n = (int(counted[i].replace(",", "")) for i in (1, 2))
        every = np.concatenate([np.ravel(y) for y in drawn[int(counted[3])]])[-n:]
        if said[4]:
            step = 2.0 ** int(said[4])
            every = np.rint(every / step) * step
        assert np.count_nonzero((every == float(said[2])) != bool(said[1])) == k, one
    assert "happened" in found.detail


def test_digits_suffice() -> None:
    assert [_number(x) for x in (3.0, 1234567.25, 0.1, -2.0)] == ["3", "1234567.25", "0.1", "-2"]
    rng = np.random.default_rng(0)
    for low in rng.normal(size=200) * 10.0 ** rng.integers(-5, 12, 200):
        high = low + abs(low) * 10.0 ** -rng.integers(1, 14)
        assert low <= _between(low, high) < high
        assert len(_number(_between(low, high))) <= len(_number(low / 2 + high / 2))


def _longer(d: int, rng: np.random.Generator) -> Any:
    return rng.normal(size=8 + d).tolist()


def _failing(d: int, rng: np.random.Generator) -> Any:
    return [ValueError("no bob") if d else 1.0, float(rng.normal())]


@pytest.mark.parametrize(
    ("one", "said"),
    [(_longer, "the number of items is "), (_failing, "holds the exception ValueError at position 0")],
)
def test_lengths_and_failures_are_named_before_what_they_leave_behind(one: Any, said: str) -> None:
    box = npf.BlackBox(lambda d, n, rng: [one(d, rng) for _ in range(n)], (0, 1))
    found = npf.examine(box, npf.PureDP(1.0), samples=1_000).findings[0].evidence[0]
    assert said in found.detail.replace("does not hold", "holds")
