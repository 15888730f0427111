"""Two wrong proofs, made by hand to fool the kernel, and what stops each."""

from __future__ import annotations

from typing import Any

import pytest
from proof_steps import PI, accepted, over, step

from noiseproof.symbolic.proof.kernel.proof import ACCEPTED, answer, check

BODY, ARC = ["/", 1, ["+", 1, ["^", "t", 2]]], ["*", 2, ["atan", 1]]


def harmonic() -> dict[str, Any]:
    """1 + 1/2 + ... + 1/n <= 1, for every n.

    The way: n moves along the half-line from 1; at n = 1 both sides are 1; and no part of 1/k depends on n, so that the slope of
    the sum in n is 0.  What stops it: on the way n is no whole number, and a sum up to it is not defined; besides, the ends of a sum
    are part of what it depends on.  (The kernel accepted this before both were said.)
    """
    term = ["sum", ["/", 1, "k"], "k", 1, "n"]
    hints = {"variable": "n", "from": 1}
    first = step(term, "<=", 1, "monotone", variables={"n": ["positive", "integer"]}, hints=hints)
    return {"schema": "noiseproof-proof-1", "claim": "harmonic", "conclusion": said(first), "steps": [first]}


def circle() -> dict[str, Any]:
    """A positive number is less than itself: the integral of 1/(1 + t^2) from -1 to 1 is 2 atan(1), and 2 atan(1) - pi as well.

    The way: the antiderivative is changed by a constant on each side of 0, atan(t) - pi t/(2|t|) = -atan(1/t), whose slope is right
    wherever it has one; the hole at 0 is hidden by writing |t| as sqrt(t^2).  What stops it: an antiderivative has to be smooth on
    the whole open range, not only where the integrand is, and a root has no slope where its argument may be 0.
    """
    broken = ["-", ["atan", "t"], ["/", ["*", PI, "t"], ["*", 2, ["sqrt", ["^", "t", 2]]]]]
    (term, right), (_, wrong) = (over(BODY, "t", -1, 1, primitive) for primitive in (["atan", "t"], broken))
    first = step(term, "=", ARC, hints=right)
    second = step(term, "=", ["-", ARC, PI], hints=wrong)
    links = [
        {"relation": "=", "to": term, "by": "ring", "with": right},
        {"relation": "=", "to": ["-", ARC, PI], "by": "ring", "with": wrong},
    ]
    third = step(ARC, "<=", ["-", ARC, PI], "chain", hints={"links": links, **right})
    steps = [first, second, third]
    return {"schema": "noiseproof-proof-1", "claim": "circle", "conclusion": said(third), "steps": steps}


def said(row: dict[str, Any]) -> dict[str, Any]:
    """What a step says, as a conclusion."""
    return {k: row[k] for k in ("for", "left", "relation", "right") if k in row}


@pytest.mark.parametrize(
    ("proof", "words", "why"),
    [
        (harmonic(), ["rejected"], "a sum that does not run over whole numbers"),
        (circle(), ["accepted", "rejected", "rejected"], "sqrt of what is not known to allow it"),
    ],
    ids=["harmonic", "circle"],
)
def test_a_proof_made_to_fool_is_stopped(proof: dict[str, Any], words: list[str], why: str) -> None:
    done = check(proof, proof["claim"])
    assert [a.word for a in done.answers] == words
    assert all(a.why == why for a in done.answers if a.word == "rejected")
    assert not done.complete
    assert done.concluded.word != ACCEPTED


def test_its_first_half_can_be_concluded() -> None:
    proof = circle()
    true = {**proof, "steps": proof["steps"][:1], "conclusion": said(proof["steps"][0])}
    assert check(true).complete


@pytest.mark.parametrize(
    "hidden", [["abs", "t"], ["^", ["^", "t", 2], ["/", 1, 2]], ["max", "t", ["-", "t"]]]
)
def test_the_hole_is_seen_however_it_is_written(hidden: Any) -> None:
    term, wrong = over(BODY, "t", -1, 1, ["-", ["atan", "t"], ["/", ["*", PI, "t"], ["*", 2, hidden]]])
    assert not accepted(step(term, "=", ["-", ARC, PI], hints=wrong))
    assert answer(step(term, "=", ARC, hints=over(BODY, "t", -1, 1, ["atan", "t"])[1])).word == ACCEPTED
