"""Wrong theorems, random: none is accepted; of those that are true by construction most are, and they are true at points.

No false alarm by chance: what is called false is so at a point, by 50 digits of mpmath (quadrature whose error is below 1e-9).
"""

from __future__ import annotations

from random import Random

import pytest
from kernel_trials.families import FAMILIES
from kernel_trials.trial import Tally, one
from kernel_trials.truth import refuted
from proof_steps import accepted, step

STEPS, LEAST_FALSE, LEAST_SHARE = 1_600, 600, 0.85


def tried(steps: int, seed: int) -> Tally:
    tally = Tally()
    for number in range(steps):
        one(number, seed, tally)
    return tally


def test_no_false_theorem_is_accepted() -> None:
    tally = tried(STEPS, seed=5)
    assert tally.faults == []
    assert sum(tally.false.values()) >= LEAST_FALSE
    # The families reach the kernel: most of what is true is accepted, in each of them.
    assert sum(tally.true_accepted.values()) >= LEAST_SHARE * sum(tally.true.values())
    assert all(tally.true_accepted[f] > 0 for f in FAMILIES if f != "random")


@pytest.mark.long
def test_no_false_theorem_is_accepted_out_of_many() -> None:
    tally = tried(40_000, seed=6)
    assert tally.faults == []


FALSE = {
    "a root of a square": step(["sqrt", ["^", "x", 2]], "=", "x", variables={"x": ["real"]}),
    "0/0": step(["/", "x", "x"], "=", 1, variables={"x": ["real"]}),
    "a constant that is wrong": step(["erf", 1], "<", ["/", 84, 100], variables={"x": ["real"]}),
    "a strict relation of equals": step(["exp", "x"], ">", ["+", 1, "x"], variables={"x": ["real"]}),
    "an integral": step(
        ["int", ["^", "t", 2], "t", 0, "x"], "=", ["^", "x", 3], variables={"x": ["positive"]}
    ),
    "an integral over a hole": step(["int", ["log", ["-", "t", 1]], "t", 0, 3], "=", 0),
    "a sum": step(["sum", "k", "k", 1, "n"], "=", ["^", "n", 2], variables={"n": ["positive", "integer"]}),
    "an order of matrices": step(
        ["tr", ["*", ["mat", "A"], ["mat", "S"], ["mat'", "A"]]],
        "=",
        ["tr", ["*", ["mat", "A"], ["mat", "A"], ["mat", "S"]]],
        letters={"A": "general", "S": "symmetric"},
    ),
}


@pytest.mark.parametrize("name", FALSE)
def test_what_calls_a_theorem_false_can_say_so(name: str) -> None:
    assert refuted(FALSE[name], Random(1)) is not None
    assert not accepted(FALSE[name])


@pytest.mark.parametrize(
    "true",
    [
        step(["sqrt", ["^", "x", 2]], "=", ["abs", "x"], variables={"x": ["real"]}),
        step(["exp", "x"], ">=", ["+", 1, "x"], "sign", variables={"x": ["real"]}),
        step(["erf", 1], ">", ["/", 84, 100], "sign"),
    ],
)
def test_what_is_true_is_not_called_false(true: dict[str, object]) -> None:
    assert refuted(true, Random(1)) is None
    assert accepted(true)
