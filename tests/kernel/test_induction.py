"""Induction, and sums by their last term: what follows from one number to the next is accepted, what does not is rejected."""

from __future__ import annotations

from typing import Any

import pytest
from proof_steps import accepted, reason, step

N, NEXT = "n", ["+", "n", 1]
GIVEN: dict[str, Any] = {"given": [[N, ">=", 0]], "at": {N: 0}}
WHOLE: dict[str, Any] = {"variables": {N: ["integer"]}, **GIVEN}


def power(base: Any, to: Any = N) -> list[Any]:
    return ["^", base, to]


def summed(body: Any, high: Any, low: Any = 1) -> list[Any]:
    return ["sum", body, "k", low, high]


def by_last(body: Any, high: Any = NEXT, by: str = "sign", **more: Any) -> dict[str, Any]:
    """The rule of a step whose sum is taken apart."""
    return {"by": by, "with": {"sums": [[summed(body, high), {"law": "last"}]], **more}}


def induction(
    left: Any, relation: str, right: Any, start: Any = 0, base: Any = None, step_: Any = None, **more: Any
) -> dict[str, Any]:
    hints = {"variable": N, "from": start, "base": base or {"by": "sign"}, "step": step_ or {"by": "sign"}}
    return step(left, relation, right, "induction", hints=hints, **{**WHOLE, **more})


def bernoulli(low: int) -> dict[str, Any]:
    """(1 + x)^n >= 1 + n x; the step multiplies by 1 + x, which is not negative from -1 on."""
    grown, line = power(["+", 1, "x"]), ["+", 1, ["*", N, "x"]]
    lemma = {"left": ["*", ["+", 1, "x"], ["-", grown, line]], "relation": ">=", "right": 0, "by": "sign"}
    return induction(
        grown,
        ">=",
        line,
        step_={"by": "sign", "with": {"lemmas": [lemma]}},
        variables={N: ["integer"], "x": ["real"]},
        given=[[N, ">=", 0], ["x", ">", low]],
        at={N: 0, "x": 1},
    )


GAUSS = ["/", ["*", N, ["+", N, 1]], 2]
RIGHT = {
    "a power outgrows a line": induction(power(2), ">=", ["+", N, 1]),
    "from two on": induction(
        power(3), ">", ["*", 2, N], 2, given=[[N, ">=", 2]], at={N: 2}, step_={"by": "sign"}
    ),
    "Bernoulli": bernoulli(-1),
    "the sum of the first whole numbers": induction(
        summed("k", N), "=", GAUSS, step_=by_last("k"), base={"by": "ring"}
    ),
    "from a letter on": induction(
        N,
        ">=",
        "m",
        "m",
        variables={N: ["integer"], "m": ["integer"]},
        given=[[N, ">=", "m"]],
        at={N: 1, "m": 1},
    ),
    "a sum of squares is below a cube": induction(
        summed(power("k", 2), N), "<=", power(N, 3), step_=by_last(power("k", 2))
    ),
}


@pytest.mark.parametrize("name", RIGHT)
def test_what_follows_from_each_number_to_the_next_is_accepted(name: str) -> None:
    assert accepted(RIGHT[name]), reason(RIGHT[name])


WRONG = {
    "the base is false": (induction(power(2), ">=", ["+", N, 2]), "the sign of the difference"),
    "the step is false": (induction(power(2), "<=", ["+", N, 1]), "the sign of the difference"),
    "the step is false from some number on": (
        induction(power(N, 2), "<=", ["+", ["*", 10, N], 1]),
        "the sign of the difference",
    ),
    "where 1 + x may be negative": (bernoulli(-3), "a base whose sign does not allow it"),
    "the sum is another": (
        induction(summed("k", N), "=", ["/", ["*", N, N], 2], step_=by_last("k")),
        "the sign of the difference",
    ),
    "what is known of the number is not known of every one": (
        induction(N, "<=", 5, given=[[N, ">=", 0], [N, "<=", 5]], at={N: 1}),
        "the sign of the difference",
    ),
    "it is undefined at one of them": (
        induction(["/", 1, ["-", N, 3]], "<=", 2, given=[[N, ">=", 0], [["-", N, 3], ">", 0]], at={N: 4}),
        "a divisor that is not known to be nonzero",
    ),
    "it is no whole number": (
        induction(power(2), ">=", 1, variables={N: ["real"]}),
        "declared as a whole number",
    ),
    "it is not declared": (
        induction(1, ">=", 1, variables={"m": ["integer"]}, given=[], at={}),
        "declared as a whole number",
    ),
    "it begins between whole numbers": (
        induction(power(2), ">=", 1, ["/", 1, 2], given=[[N, ">=", 1]], at={N: 1}),
        "begins at a whole number",
    ),
    "it begins at itself": (induction(power(2), ">=", 1, N), "begins at a whole number"),
    "it may lie before the beginning": (
        induction(power(2), ">=", 1, given=[[N, ">=", -1]]),
        "at least that number",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_does_not_follow_is_rejected(name: str) -> None:
    row, why = WRONG[name]
    assert why in reason(row)


def test_what_is_not_defined_at_every_number_is_no_hypothesis() -> None:
    """At the beginning and where it is claimed the side is defined, in between it is not."""
    part = ["/", 1, ["-", N, 3]]
    row = induction(
        ["*", part, 0], "=", 0, given=[[N, ">=", 4]], at={N: 4}, base={"by": "ring"}, step_={"by": "ring"}
    )
    row["with"]["from"] = 0
    assert "nonzero" in reason(row)
    row["with"]["from"] = 4
    assert accepted(row)


@pytest.mark.parametrize(
    ("high", "given", "good"),
    [(N, [[N, ">=", 1]], True), (N, [[N, ">=", 0]], False), (["+", N, 1], [[N, ">=", 0]], True)],
)
def test_a_sum_has_a_last_term_only_where_it_has_one(high: Any, given: list[Any], good: bool) -> None:
    shorter = ["+", summed(power("k", 2), ["-", high, 1]), power(high, 2)]
    row = step(
        summed(power("k", 2), high),
        "=",
        shorter,
        hints={"sums": [[summed(power("k", 2), high), {"law": "last"}]]},
        variables={N: ["integer"]},
        given=given,
        at={N: 1},
    )
    assert accepted(row) is good
    if not good:
        assert "known to have a term" in reason(row)


def test_the_last_term_is_one_of_the_body() -> None:
    row = step(
        summed(["/", 1, ["-", "k", 2]], N, 3),
        "=",
        ["+", summed(["/", 1, ["-", "k", 2]], ["-", N, 1], 3), ["/", 1, ["-", N, 2]]],
        hints={"sums": [[summed(["/", 1, ["-", "k", 2]], N, 3), {"law": "last"}]]},
        variables={N: ["integer"]},
        given=[[N, ">=", 3]],
        at={N: 3},
    )
    assert accepted(row)
    # From 1 on the body is not defined at 2, whatever its last term is.
    for place in (row["left"], row["right"][1], row["with"]["sums"][0][0]):
        place[3] = 1
    assert "nonzero" in reason(row)


def test_the_law_of_the_last_term_has_no_letters_and_is_no_integral() -> None:
    term = summed("k", N)
    for hints in ({"sums": [[term, {"law": "last", "x": 1}]]},):
        row = step(term, "=", GAUSS, hints=hints, **WHOLE)
        assert "no law of that name" in reason(row)
    over = ["int", "k", "k", 1, 2]
    row = step(over, "=", 1, hints={"integrals": [[over, {"law": "last"}]]}, variables={N: ["integer"]})
    assert "no law of that name" in reason(row)
