"""Formulas: exact values, refusal of all that is not arithmetic, and no way to make the parser work hard."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from noiseproof.symbolic.proof.enclosure import enclose
from noiseproof.symbolic.proof.expressions import MAX_CHARACTERS, ExpressionError, parse

VALUES = [
    ("0.1", {}, sp.Rational(1, 10)),
    ("0.1 + 0.2", {}, sp.Rational(3, 10)),
    ("1_000.5e1", {}, sp.Integer(10005)),
    ("-2**2", {}, sp.Integer(-4)),
    ("2**-1", {}, sp.Rational(1, 2)),
    ("30/sqrt(lambda)", {"lambda": 1e-4}, sp.Integer(3000)),
    ("sqrt(30)*lambda**(1/4)", {"lambda": 100}, sp.sqrt(300)),
    ("lambda + lambd_", {"lambda": 1, "lambd_": 2}, sp.Integer(3)),
    ("max(1, min(5, 2), abs(-3.5))", {}, sp.Rational(7, 2)),
    ("log(e) + cos(pi) + exp(0)", {}, sp.Integer(1)),
    ("Phi(0)", {}, sp.Rational(1, 2)),
    ("erf(x)", {"x": 0}, sp.Integer(0)),
    ("2*epsilon", {"epsilon": 0.3}, sp.Rational(3, 5)),
]


@pytest.mark.parametrize(("text", "names", "value"), VALUES, ids=[v[0] for v in VALUES])
def test_a_formula_has_its_exact_value(text: str, names: dict[str, float], value: sp.Expr) -> None:
    assert sp.simplify(parse(text, names) - value) == 0


def test_symbols_stay_symbols() -> None:
    x = sp.Symbol("x", positive=True)
    assert parse("x**2/sqrt(x)", {"x": x}) == x ** sp.Rational(3, 2)


REFUSED = json.loads(Path(__file__).with_name("refused_expressions.json").read_text("utf-8"))


@pytest.mark.parametrize(("text", "message"), REFUSED, ids=[repr(r[0]) for r in REFUSED])
def test_anything_else_is_refused_with_a_reason(text: str, message: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        parse(text, {"x": 1})
    assert message in str(caught.value)


def test_an_unknown_name_names_place_and_neighbour() -> None:
    with pytest.raises(
        ExpressionError, match=r"at character 5: unknown name 'epsilo'; did you mean 'epsilon'"
    ):
        parse("2 * epsilo", {"epsilon": 1})


def test_positions_count_characters_and_show_the_text_as_written() -> None:
    with pytest.raises(ExpressionError, match=r"'λ \+ lambda \+ y' at character 14: unknown name 'y'"):
        parse("λ + lambda + y", {"λ": 1, "lambda": 2})


BOMBS = [
    "9**9**9",
    "10**60**60",
    "((((9**60)**60)**60)**60)**60",
    "((1e-300**60)**60)**60",
    "((pi*1e-300)**60)**60",
    "exp(exp(exp(9)))",
    "max(exp(exp(9)), exp(exp(9)))",
    "1e-300000",
    "9" * 300,
    "-" * 300 + "1",
    "exp(" * 80 + "0" + ")" * 79,
    "sqrt(" * 60 + "1" + ")" * 60,
    "+".join(["1"] * 200),
    "1" + "*x" * 500,
]


@pytest.mark.parametrize("text", BOMBS, ids=[b[:24] for b in BOMBS])
def test_no_formula_costs_more_than_a_second(text: str) -> None:
    started = time.process_time()
    with pytest.raises(ExpressionError):
        parse(text, {"x": sp.Symbol("x")})
    assert time.process_time() - started < 1.0


def test_the_name_of_a_value_must_be_a_number() -> None:
    with pytest.raises(ExpressionError, match="'x' does not stand for a number"):
        parse("x", {"x": True})
    with pytest.raises(ExpressionError, match="expected a formula as text"):
        parse(3)  # type: ignore[arg-type]


@given(st.text(alphabet="0123456789.+-*/() esqrtxpil", max_size=MAX_CHARACTERS))
@settings(max_examples=300, derandomize=True)
def test_any_text_gives_a_finite_value_or_a_clear_refusal(text: str) -> None:
    started = time.process_time()
    try:
        value = parse(text, {"x": 2})
    except ExpressionError as error:
        assert str(error)  # noqa: PT017 - either outcome is fine, anything else is not
    else:
        assert enclose(value, bits=80).is_finite()
    assert time.process_time() - started < 2


@given(st.decimals(allow_nan=False, allow_infinity=False, places=6, min_value=-1000, max_value=1000))
@settings(derandomize=True)
def test_decimals_are_read_exactly(number: object) -> None:
    assert parse(str(number)) == sp.Rational(str(number))


@pytest.mark.parametrize(
    "text",
    ["x/x", "x*y/x", "1/x*x", "sqrt(x)**2", "exp(log(x))", "log(x) - log(x)", "x**(-1)*x"]
    + ["2*x/(2*x)", "sqrt(4*x)**2", "x/x + sqrt(x)", "sqrt(x)**2 + 1/x", "sqrt(x)**2 + log(x*y)"],
)
def test_a_formula_whose_holes_sympy_fills_is_refused(text: str) -> None:
    names = {name: sp.Symbol(name, real=True) for name in "xy"}
    with pytest.raises(ExpressionError, match="not defined everywhere"):
        parse(text, names)
    assert parse(text, {name: sp.Symbol(name, positive=True) for name in "xy"}) is not None


def test_a_pole_of_a_function_is_a_hole_too() -> None:
    with pytest.raises(ExpressionError, match=r"cos\(x\) is not zero"):
        parse("tan(x) - tan(x)", {"x": sp.Symbol("x", real=True)})


@pytest.mark.parametrize(
    "text", ["1/x", "y/(x*y - 1)", "x**2/(1 + x**2)", "log(x) + sqrt(y)", "sqrt(x**2)", "x**3", "1/x + 1/y"]
)
def test_a_formula_that_shows_its_holes_is_read(text: str) -> None:
    assert parse(text, {name: sp.Symbol(name, real=True) for name in "xy"}).free_symbols
