"""Bounds and risks asked in words, of parameters that cannot be told apart, and of estimators whose error has no end."""

from __future__ import annotations

import re

import numpy as np
import pytest
import sympy as sp

import noiseproof as npf
from noiseproof.symbolic.information.bounds import form
from noiseproof.symbolic.proof.truth import Truth

Y = sp.Symbol("y")
MU = sp.Symbol("mu", real=True)
T, V, P = sp.symbols("t v p", positive=True)
LINE = ("-oo", "oo")
read = npf.Law.from_density
POISSON = read(T**Y * sp.exp(-T) / sp.factorial(Y), Y, (0, "oo"), discrete=True, name="Poisson")


def test_estimand_bias_and_estimator_may_be_text_that_the_reader_of_claims_reads() -> None:
    for text, formula in (("t**2", T**2), ("2*exp(-t)", 2 * sp.exp(-T)), ("log(t)", sp.log(T))):
        assert npf.error_bound(POISSON, "t", text).value == npf.error_bound(POISSON, T, formula).value
    biased = npf.error_bound(POISSON, "t", ["t", "t**2"], bias=["t/10", "0"])
    assert biased.value == npf.error_bound(POISSON, T, [T, T**2], bias=[T / 10, 0]).value
    assert (
        npf.estimator_risk(POISSON, "t", "t", "y/2").value == npf.estimator_risk(POISSON, T, T, Y / 2).value
    )
    for text, said in (
        ("s**2", "unknown name 's'"),
        ("__import__('os')", "unknown function '__import__'"),
        ("t +", "cannot read"),
        ("t/0", "division by zero"),
        ("y*t", "unknown name 'y'"),
    ):
        with pytest.raises(ValueError, match=f"^estimand must be a formula of t, got .*{said}"):
            npf.error_bound(POISSON, "t", text)
    with pytest.raises(ValueError, match=r"^estimator must be a formula of y, got .*unknown name 't'"):
        npf.estimator_risk(POISSON, "t", "t", "y*t")


def test_a_singular_information_bounds_what_the_law_tells_apart_and_nothing_else() -> None:
    a, b = sp.symbols("a b", real=True)
    density = sp.exp(-((Y - a - b) ** 2) / (2 * V**2)) / (V * sp.sqrt(2 * sp.pi))
    law = read(density, Y, LINE)
    sum_of = npf.error_bound(law, ["a", "b", "v"], "a + b", observations=4)
    assert (sum_of.status, sum_of.value) == ("bound", V**2 / 4)
    assert sum_of.derivation.check() is Truth.HOLDS
    assert form.SINGULAR in sum_of.derivation.lemmas
    both = npf.error_bound(law, ["a", "b", "v"], ["a + b", "v", "2*a + 2*b"])
    assert both.value == sp.Matrix([[V**2, 0, 2 * V**2], [0, V**2 / 2, 0], [2 * V**2, 0, 4 * V**2]])
    for estimand in ("a", "a - b", ["a + b", "b"]):
        left = npf.error_bound(law, ["a", "b"], estimand)
        assert (left.status, left.value) == ("vacuous", None)
        assert "not in its range" in left.reason
    product = read(sp.exp(-Y / (T * P)) / (T * P), Y, (0, "oo"))
    assert npf.error_bound(product, ["t", "p"], "t*p").value == T**2 * P**2
    assert npf.error_bound(product, ["t", "p"], "log(t) + log(p)", "bhattacharyya").status in (
        "bound",
        "open",
    )
    assert npf.error_bound(product, ["t", "p"], "t/p").status == "vacuous"
    at = {"a": 1, "b": 2, "v": 3}
    best = npf.best_bound(law, ["a", "b", "v"], "a + b", at=at)
    assert best.numeric == pytest.approx(9)


def test_the_pseudo_inverse_gives_the_same() -> None:
    rng = np.random.default_rng(5)
    for _ in range(20):
        half = sp.Matrix(4, 2, [int(k) for k in rng.integers(-3, 4, 8)])
        c = half * half.T
        d = sp.Matrix(2, 4, [int(k) for k in rng.integers(-3, 4, 8)]) * c
        solved = form._solved(c, d, ["f", "g"])
        assert not isinstance(solved, str)
        expected = (
            np.array(d.tolist(), float)
            @ np.linalg.pinv(np.array(c.tolist(), float))
            @ np.array(d.T.tolist(), float)
        )
        np.testing.assert_allclose(np.array((d * solved[0]).tolist(), float), expected, rtol=1e-8, atol=1e-8)
        outside = d + sp.Matrix([c.nullspace()[0].T, sp.zeros(1, 4)])
        assert "slopes of f are not in its range" in str(form._solved(c, outside, ["f", "g"]))


CAUCHY = read(1 / (sp.pi * (1 + (Y - MU) ** 2)), Y, LINE, name="Cauchy")
WAITING = read(sp.exp(-Y / T) / T, Y, (0, "oo"), name="waiting")


@pytest.mark.parametrize(
    ("law", "parameter", "rule", "at", "said"),
    [
        (
            CAUCHY,
            "mu",
            "y",
            None,
            "infinite .towards -oo the density times the square of the estimator falls",
        ),
        (CAUCHY, "mu", "y", {"mu": 2}, "infinite"),
        (WAITING, "t", "1/y", {"t": 1}, "infinite .towards 0 .* rises no slower than 1/y"),
        (WAITING, "t", "exp(y)", {"t": 1}, "infinite .towards oo"),
        (WAITING, "t", "1/y**(1/4)", {"t": 1}, r"\d\.\d+|pi|gamma"),
        (WAITING, "t", "y", None, r"t\*\*2"),
        (CAUCHY, "mu", "erf(y)", None, "not known .no closed form.*at= says"),
    ],
)
def test_a_risk_without_a_number_says_that_it_is_infinite_or_not_known_and_why(
    law: npf.Law, parameter: str, rule: str, at: dict[str, int] | None, said: str
) -> None:
    found = npf.estimator_risk(law, parameter, parameter, rule, at=at)
    assert re.search(said, str(found)), str(found)
    assert "None" not in str(found)
    assert (found.value is sp.oo) == ("infinite" in said)
    if found.value is sp.oo:
        assert found.numeric == float("inf")
        with pytest.raises(ValueError, match="the risk is infinite: towards"):
            found.enclose()


def test_that_balls_answer_is_only_said_where_they_did() -> None:
    a, s = sp.symbols("a s", positive=True)
    rice = read(Y / s**2 * sp.exp(-(Y**2 + a**2) / (2 * s**2)) * sp.besseli(0, Y * a / s**2), Y, (0, "oo"))
    found = npf.fisher_information(rice, "s")
    assert found.value is None
    try:
        found.enclose({"a": 1, "s": sp.Rational(1, 3)}, 1e-6)
    except ValueError:
        assert "`enclose` answers at a point" not in found.reason
    else:
        assert "`enclose` answers at a point" in found.reason
