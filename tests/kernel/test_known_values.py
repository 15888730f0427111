"""The laws of gamma and beta and of two series: each where its conditions hold, and nowhere else."""

from __future__ import annotations

from typing import Any

import pytest
from proof_steps import INFINITY, PI, accepted, reason, said

T, K = "t", "k"


def gamma_law(**letters: Any) -> dict[str, Any]:
    return {"law": "gamma", "a": 1, "b": 1, "r": 1, "times": 1} | letters


CASES: dict[str, tuple[list[Any], dict[str, Any], Any]] = {
    "gamma": (
        ["int", ["*", ["^", T, ["-", "p", 1]], ["exp", ["*", ["-", "q"], T]]], T, 0, INFINITY],
        gamma_law(a="p", b="q"),
        ["/", ["gamma", "p"], ["^", "q", "p"]],
    ),
    "gamma of an inverse": (
        ["int", ["*", ["^", T, ["-", ["-", "p"], 1]], ["exp", ["/", ["-", "q"], T]]], T, 0, INFINITY],
        gamma_law(a=["-", "p"], b="q", r=-1),
        ["/", ["gamma", "p"], ["^", "q", "p"]],
    ),
    "gamma of a square": (
        ["int", ["exp", ["-", ["^", T, 2]]], T, 0, INFINITY],
        gamma_law(r=2),
        ["/", ["sqrt", PI], 2],
    ),
    "gamma of any power": (
        ["int", ["*", 3, ["^", T, ["-", "p", 1]], ["exp", ["-", ["^", T, "p"]]]], T, 0, INFINITY],
        gamma_law(a="p", r="p", times=3),
        ["/", 3, "p"],
    ),
    "beta": (
        ["int", ["*", ["^", T, ["-", "p", 1]], ["^", ["-", 1, T], ["-", "q", 1]]], T, 0, 1],
        {"law": "beta", "a": "p", "b": "q", "times": 1},
        ["/", ["*", ["gamma", "p"], ["gamma", "q"]], ["gamma", ["+", "p", "q"]]],
    ),
    "exponential": (
        ["sum", ["/", ["^", "p", K], ["factorial", K]], K, 0, INFINITY],
        {"law": "exponential", "x": "p", "times": 1},
        ["exp", "p"],
    ),
    "binomial": (
        ["sum", ["^", ["/", "p", ["+", "p", 1]], K], K, 0, INFINITY],
        {"law": "binomial", "x": ["/", "p", ["+", "p", 1]], "r": 1, "times": 1},
        ["+", "p", 1],
    ),
}


def hints(term: list[Any], law: dict[str, Any]) -> dict[str, Any]:
    return {"sums" if term[0] == "sum" else "integrals": [[term, law]]}


@pytest.mark.parametrize("name", CASES)
def test_each_law(name: str) -> None:
    term, law, value = CASES[name]
    assert accepted(said(term, "=", value, hints=hints(term, law)))
    assert not accepted(said(term, "=", ["*", 2, value], hints=hints(term, law)))
    assert "not that of the law" in reason(said(term, "=", value, hints=hints(term, law | {"times": 2})))
    elsewhere = [*term[:3], 1, term[4]]
    assert "not that of the law" in reason(said(elsewhere, "=", value, hints=hints(elsewhere, law)))
    to = [*term[:4], 2]
    assert "not that of the law" in reason(said(to, "=", value, hints=hints(to, law)))


@pytest.mark.parametrize(
    ("name", "letter", "value"),
    [
        ("gamma", "a", "x"),
        ("gamma", "a", "u"),
        ("gamma", "b", "u"),
        ("gamma", "b", "m"),
        ("gamma", "r", 0),
        ("gamma", "r", "x"),
        ("gamma", "a", "m"),
        ("beta", "a", "u"),
        ("beta", "b", "m"),
        ("exponential", "x", "u"),
        ("binomial", "x", "p"),
        ("binomial", "x", "u"),
        ("binomial", "r", "u"),
    ],
)
def test_a_condition_that_does_not_hold(name: str, letter: str, value: Any) -> None:
    term, law, _ = CASES[name]
    assert reason(said(term, "=", 0, hints=hints(term, law | {letter: value})))


def test_laws_that_are_none() -> None:
    term, law, value = CASES["gamma"]
    for wrong in (
        law | {"law": "delta"},
        law | {"law": 3},
        law | {"c": 1},
        law | {"law": "beta"},
        {"law": "gamma"},
    ):
        assert "no law" in reason(said(term, "=", value, hints=hints(term, wrong)))
    series = CASES["exponential"][0]
    assert "no law" in reason(said(series, "=", value, hints={"sums": [[series, law]]}))
    assert "something else" in reason(said(series, "=", value, hints={"integrals": [[series, law]]}))
    assert "lists of a term" in reason(said(term, "=", value, hints={"integrals": [[term]]}))


def test_an_infinite_sum_has_no_other_value() -> None:
    term, _, value = CASES["exponential"]
    assert "an infinite sum" in reason(said(term, "=", value))
    assert "an infinite sum" in reason(said(term, "=", value, hints={"sums": [[term, ["exp", K]]]}))


EQUAL: dict[str, tuple[Any, Any]] = {
    "gamma of a half": (["gamma", ["/", 5, 2]], ["*", ["/", 3, 4], ["sqrt", PI]]),
    "log gamma": (
        ["log", ["gamma", ["+", "p", 2]]],
        ["+", ["log", "p"], ["log", ["+", "p", 1]], ["loggamma", "p"]],
    ),
    "its slope": (["diff", ["loggamma", "p"], "p", 1], ["polygamma", 0, "p"]),
    "the slope of gamma": (["diff", ["gamma", "p"], "p", 1], ["*", ["gamma", "p"], ["polygamma", 0, "p"]]),
    "digamma one on": (["polygamma", 0, ["+", "p", 1]], ["+", ["polygamma", 0, "p"], ["/", 1, "p"]]),
    "trigamma two on": (
        ["polygamma", 1, ["+", "p", 2]],
        ["-", ["polygamma", 1, "p"], ["+", ["/", 1, ["^", "p", 2]], ["/", 1, ["^", ["+", "p", 1], 2]]]],
    ),
    "the slope of digamma": (
        ["diff", ["polygamma", 0, ["*", 2, "p"]], "p", 1],
        ["*", 2, ["polygamma", 1, ["*", 2, "p"]]],
    ),
}


@pytest.mark.parametrize("name", EQUAL)
def test_gamma_and_its_slopes(name: str) -> None:
    left, right = EQUAL[name]
    assert accepted(said(left, "=", right))
    assert not accepted(said(left, "=", ["+", right, 1]))


def test_where_gamma_has_no_value_or_no_sign() -> None:
    for of in ("x", "u", "m"):
        for term in (["polygamma", 0, of], ["loggamma", of], ["gamma", of], ["log", ["gamma", of]]):
            assert not accepted(said(term, "=", term))
    for order in (-1, 21, True, "p", 1.0):
        assert "order of a polygamma" in reason(said(["polygamma", order, "p"], "=", 0))
    # Above a place that is not known to be positive the logarithm stays as it is.
    near = [["-", "p", 1], ">", 0]
    row = said(
        ["loggamma", ["-", "p", 1]], "=", ["-", ["loggamma", "p"], ["log", ["-", "p", 1]]], given=[near]
    )
    at = {"x": 0, "y": 0, "p": 2, "q": 1, "m": -1, "u": 0, "z": 1, "n": 1}
    assert accepted(row | {"at": at})
    wide = [["+", "x", 2], ">", 0]
    row = said(["loggamma", ["+", "x", 2]], "=", ["loggamma", ["+", "x", 2]], given=[wide])
    assert accepted(row | {"at": at})
    assert accepted(said(["sign", ["-", 1]], "=", -1))


def test_a_product_of_places_keeps_the_sign_of_gamma() -> None:
    below = [["-", 11, "u"], ">", 0]
    at = {"x": 0, "y": 0, "p": 1, "q": 1, "m": -1, "u": 1, "z": 1, "n": 1}
    term = ["gamma", ["-", 11, "u"]]
    assert accepted(said(["/", term, term], "=", 1, given=[below], at=at))
    assert accepted(said(["log", term], "=", ["loggamma", ["-", 11, "u"]], given=[below], at=at))
