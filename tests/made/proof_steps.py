"""Steps of proofs as they stand in JSON, written short, and what the kernel says of them."""

from __future__ import annotations

from typing import Any

from noiseproof.symbolic.proof.kernel.proof import ACCEPTED, answer

PI, INFINITY, MINUS_INFINITY = ["const", "pi"], ["const", "oo"], ["const", "-oo"]

# One of each kind; `step` is about these where it is not told of others.
VARIABLES: dict[str, list[str]] = {
    "x": ["real"],
    "y": ["real"],
    "p": ["positive"],
    "q": ["positive"],
    "m": ["negative"],
    "u": ["nonnegative"],
    "z": ["nonzero"],
    "n": ["positive", "integer"],
}


def step(left: Any, relation: str, right: Any, by: str = "ring", **more: Any) -> dict[str, Any]:
    """A step; `variables` is written for "for" and `hints` for "with"."""
    names = {"variables": "for", "hints": "with"}
    return {"left": left, "relation": relation, "right": right, "by": by} | {
        names.get(n, n): v for n, v in more.items()
    }


def accepted(row: Any) -> bool:
    """Whether the kernel accepts the step; its answer is one of two here."""
    said = answer(row)
    assert said.word in ("accepted", "rejected")
    assert bool(said.why) is (said.word == "rejected")
    return said.word == ACCEPTED


def reason(row: Any) -> str:
    """Why the kernel rejects the step."""
    said = answer(row)
    assert said.word == "rejected", said
    return said.why


def traced(*letters: str) -> list[Any]:
    """The trace of a word: traced("x'", "W", "x")."""
    word = [["mat'" if n.endswith("'") else "mat", n.removesuffix("'")] for n in letters]
    return ["tr", word[0] if len(word) == 1 else ["*", *word]]


def over(body: Any, name: str, low: Any, high: Any, antiderivative: Any) -> tuple[list[Any], dict[str, Any]]:
    """An integral, and the hint that gives its antiderivative."""
    term = ["int", body, name, low, high]
    return term, {"integrals": [[term, antiderivative]]}


def said(left: Any, relation: str, right: Any, by: str = "ring", **more: Any) -> dict[str, Any]:
    """A step about the variables of this module."""
    return step(left, relation, right, by, variables=VARIABLES, **more)
