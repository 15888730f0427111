"""Beside a step stands which rule accepts it, and for which values."""

from __future__ import annotations

from typing import Any

import pytest

from noiseproof.reports.kernel_terms import said
from noiseproof.reports.kernel_words import rule, steps


@pytest.mark.parametrize(
    ("term", "text"),
    [
        (["-", 1, ["*", 2, ["^", "p", ["/", 1, 2]]]], "1 - 2*p^(1/2)"),
        (["-", ["-", "a", "b"], ["-", "c", "d"]], "a - b - (c - d)"),
        (["/", ["*", "a", "b"], ["*", "c", ["+", "d", 1]]], "a*b/(c*(d + 1))"),
        (["^", ["-", "x"], 2], "(-x)^2"),
        (["*", -2, "x"], "(-2)*x"),
        (["^", ["^", "a", 2], 3], "(a^2)^3"),
        (["exp", ["/", ["-", "x"], 2]], "exp((-x)/2)"),
        (["fn", "g", "x", 1], "g(x, 1)"),
        (["tr", ["*", ["mat'", "W"], ["mat", "W"]]], "tr(W'*W)"),
        (["int", "t", "t", 0, ["const", "oo"]], "int(t, t, 0, oo)"),
    ],
)
def test_expressions_of_proofs_in_print(term: Any, text: str) -> None:
    assert said(term) == text


def test_a_rule_says_for_which_values() -> None:
    domain = {"p": ["positive"], "q": ["positive"], "n": ["positive", "integer"], "x": ["real"]}
    ring = {"by": "ring", "for": domain}
    assert rule(ring) == "kernel: equal normal forms; for p, q, n > 0, n whole"
    assert rule(ring | {"given": [[["-", 1, "p"], ">", 0]]}).endswith("n whole, 1 - p > 0")
    assert rule({"by": "sign", "for": {"x": ["real"]}}) == "kernel: the sign of the difference"
    assert rule({"by": "trusted: sympy", "for": domain}) == "rests on sympy"
    assert (steps([7]), steps([1, 2, 3])) == ("step 7", "steps 1, 2 and 3")
