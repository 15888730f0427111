"""What is kept as it was written has the value of what it says, and stays apart from other values."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

from noiseproof.symbolic.proof.as_written import (
    applied,
    difference,
    power,
    product,
    quotient,
    root,
    total,
    value_at,
)
from noiseproof.symbolic.proof.enclosure import compare
from noiseproof.symbolic.proof.truth import Truth

x, y = sp.Symbol("x", positive=True), sp.Symbol("y", real=True)

WRITTEN = [
    (product(2, 3), 6, "2*3"),
    (total(1, 2), 3, "1 + 2"),
    (difference(x, x - 1), 1, "x - (x - 1)"),
    (quotient(power(x, 2), x), x, "x**2/x"),
    (power(root(total(1, 1)), 2), 2, "(sqrt(1 + 1))**2"),
    (product(root(2), root(3)), sp.sqrt(6), "sqrt(2)*sqrt(3)"),
    (applied(sp.exp, 0), 1, "exp(0)"),
    (value_at(y**2 - 2 * y, {y: 1}), -1, "-2*1 + 1**2"),
]


@pytest.mark.parametrize(("written", "value", "text"), WRITTEN)
def test_parts_stay_and_are_decided(written: sp.Expr, value: sp.Expr, text: str) -> None:
    assert sp.sstr(written) == text
    assert compare(written, "=", sp.sympify(value)) is Truth.HOLDS
    assert compare(written, "=", value + sp.Rational(1, 1000)) is Truth.FAILS
    assert compare(written, "<=", sp.sympify(value)) is Truth.HOLDS
    assert compare(written, ">", sp.sympify(value)) is not Truth.HOLDS


def test_values_go_under_the_sign_and_not_to_its_variables() -> None:
    integral = sp.Integral(x * y, (x, 0, y))
    assert value_at(integral, {x: 5, y: 2}) == sp.Integral(2 * x, (x, 0, 2))
    assert value_at(sp.Derivative(x**2 * y, x), {y: 3}).doit() == 6 * x
    with pytest.raises(ValueError, match="another name"):
        value_at(integral, {y: x})
    with pytest.raises(ValueError, match="carry it out"):
        value_at(sp.Derivative(x**2, x), {x: 3})


def test_what_cannot_be_written() -> None:
    with pytest.raises(ZeroDivisionError, match="not 0"):
        quotient(1, 0)
    with pytest.raises(TypeError, match="at least one part"):
        total()


def test_a_product_with_a_factor_zero_is_asked_in_any_order() -> None:
    """Sympy's own product is sometimes said to be neither odd nor even, which ends in an error of its assumptions."""
    s = sp.Symbol("s", positive=True)
    rng = np.random.default_rng(0)
    asked = [
        "even",
        "odd",
        "integer",
        "zero",
        "positive",
        "hermitian",
        "noninteger",
        "extended_real",
        "prime",
    ]
    for _ in range(400):
        written = value_at(6 * s**2 - 15 * s + 10, {s: 0})
        for name in rng.permutation(asked):
            getattr(written, f"is_{name}")
        assert written.is_even
        assert product(2, 0, x).is_zero
