"""True steps by induction: sums of powers and of a geometric row, powers above lines, products above sums."""

from __future__ import annotations

from random import Random
from typing import Any

from .terms import Signs, Term

Step = dict[str, Any]
N, LATER = "n", ["+", "n", 1]


def climbed(rng: Random) -> Step:
    """What holds at the first number, and at each next one."""
    return rng.choice([_sum, _row, _line, _bernoulli, _below])(rng)


def _by(
    left: Term, relation: str, right: Term, first: int, step: dict[str, Any], signs: Signs | None = None
) -> Step:
    hints = {"variable": N, "from": first, "base": {"by": "sign"}, "step": step}
    return {
        "for": {N: ["integer"], **(signs or {})},
        "given": [[N, ">=", first]],
        "at": {N: first, **dict.fromkeys(signs or {}, 2)},
        "left": left,
        "relation": relation,
        "right": right,
        "by": "induction",
        "with": hints,
    }


def _last(term: Term, **more: Any) -> dict[str, Any]:
    """The rule of a step that takes the last term from the sum up to n + 1."""
    return {"by": "sign", "with": {"sums": [[[*term[:4], LATER], {"law": "last"}]], **more}}


def _sum(rng: Random) -> Step:
    """The sum of a polynomial of the index, with a letter as a factor now and then."""
    c = rng.choice([1, 2, "x"])
    body, value = rng.choice(
        [
            ("k", ["/", ["*", N, LATER], 2]),
            (["^", "k", 2], ["/", ["*", N, LATER, ["+", ["*", 2, N], 1]], 6]),
            (["^", "k", 3], ["/", ["*", ["^", N, 2], ["^", LATER, 2]], 4]),
            (["-", ["*", 2, "k"], 1], ["^", N, 2]),
        ]
    )
    term = ["sum", ["*", c, body], "k", 1, N]
    relation = rng.choice(["=", "=", "<=", ">="])
    return _by(term, relation, ["*", c, value], rng.choice([0, 1]), _last(term), {"x": ["real"]})


def _row(rng: Random) -> Step:
    """1 + 2 + 4 + ... + 2^n, or of another whole number."""
    q = rng.choice([2, 3, 5])
    term = ["sum", ["^", q, "k"], "k", 0, N]
    return _by(term, "=", ["/", ["-", ["^", q, LATER], 1], q - 1], 0, _last(term))


def _line(rng: Random) -> Step:
    """q^n against c n + d, from where it is above."""
    q, c = rng.choice([2, 3, 4]), rng.choice([1, 2])
    first = rng.choice([2, 3, 4])
    return _by(
        ["^", q, N], rng.choice([">=", ">"]), ["-", ["*", c, N], rng.choice([1, 2])], first, {"by": "sign"}
    )


def _bernoulli(rng: Random) -> Step:
    grown, line = ["^", ["+", 1, "x"], N], ["+", 1, ["*", N, "x"]]
    lemma = {"left": ["*", ["+", 1, "x"], ["-", grown, line]], "relation": ">=", "right": 0, "by": "sign"}
    sign = rng.choice(["positive", "nonnegative"])
    return _by(grown, ">=", line, 0, {"by": "sign", "with": {"lemmas": [lemma]}}, {"x": [sign]})


def _below(rng: Random) -> Step:
    """A sum of reciprocals of squares is below 2 - 1/n."""
    term = ["sum", ["/", 1, ["^", "k", 2]], "k", 1, N]
    return _by(term, "<=", ["-", 2, ["/", 1, N]], 1, _last(term))
