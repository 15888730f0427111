"""Balls contain the numbers of mpmath, and comparisons say all three words, each only where it is true."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import pytest
import sympy as sp
from flint import arb

from noiseproof.symbolic.proof.derivation import Derivation, Step
from noiseproof.symbolic.proof.enclosure import (
    EnclosedFunction,
    NotEnclosableError,
    admits,
    compare,
    enclose,
    is_zero,
    rational,
    refuting_point,
    sample_points,
    sign,
)
from noiseproof.symbolic.proof.proofs.recorded import recorded
from noiseproof.symbolic.proof.truth import Truth, all_hold

X = sp.Symbol("x", real=True)
POSITIVE, NOT_NEGATIVE = sp.Symbol("p", positive=True), sp.Symbol("q", nonnegative=True)
WHOLE, PRIME = sp.Symbol("n", integer=True, positive=True), sp.Symbol("k", prime=True)
ROOTS = sp.sqrt(2) + sp.sqrt(3) - sp.sqrt(5 + 2 * sp.sqrt(6))  # zero, which sympy does not see at once

FUNCTIONS = {
    sp.exp: mpmath.exp,
    sp.log: mpmath.log,
    sp.sin: mpmath.sin,
    sp.cos: mpmath.cos,
    sp.tan: mpmath.tan,
    sp.asin: mpmath.asin,
    sp.acos: mpmath.acos,
    sp.atan: mpmath.atan,
    sp.sinh: mpmath.sinh,
    sp.cosh: mpmath.cosh,
    sp.tanh: mpmath.tanh,
    sp.erf: mpmath.erf,
    sp.erfc: mpmath.erfc,
    sp.gamma: mpmath.gamma,
    sp.loggamma: mpmath.loggamma,
    sp.Abs: mpmath.fabs,
}
POWERS = [
    (2, -3),
    (-2, 3),
    (-2, -2),
    (Fraction(7, 3), Fraction(1, 3)),
    (5, Fraction(-1, 2)),
    (3, Fraction(1, 2)),
]


def contains(ball: arb, value: mpmath.mpf) -> bool:
    """Whether the ball meets an interval of 1e-60 around the value, and is no wider than 1e-30."""
    known = arb(mpmath.nstr(value, 70)) + arb(0, 1e-60)
    return bool(ball.overlaps(known)) and float(ball.rad()) < 1e-30


@pytest.mark.parametrize("function", FUNCTIONS, ids=str)
@pytest.mark.parametrize("point", ["1/7", "-3/5", "1"])
def test_functions_are_those_of_mpmath(function: type[sp.Function], point: str) -> None:
    with mpmath.workdps(80):
        x = mpmath.mpf(Fraction(point).numerator) / Fraction(point).denominator
        expected = FUNCTIONS[function](x)
        ball = enclose(function(sp.Rational(point), evaluate=False))
        if isinstance(expected, mpmath.mpc):
            assert not ball.is_finite()  # no real number: no claim
        else:
            assert contains(ball, expected)


@pytest.mark.parametrize(("base", "exponent"), POWERS)
def test_powers_sums_and_constants_are_those_of_mpmath(
    base: int | Fraction, exponent: int | Fraction
) -> None:
    power = sp.Pow(rational(base), rational(exponent), evaluate=False)
    with mpmath.workdps(80):
        b, e = (mpmath.mpf(Fraction(v).numerator) / Fraction(v).denominator for v in (base, exponent))
        assert contains(enclose(power), b**e)
        assert contains(
            enclose(power - 2 * sp.pi * sp.E + sp.EulerGamma), b**e - 2 * mpmath.pi * mpmath.e + mpmath.euler
        )
        for extreme, best in ((sp.Max, max), (sp.Min, min)):
            assert contains(enclose(extreme(power, sp.sqrt(2), evaluate=False)), best(b**e, mpmath.sqrt(2)))


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_powers_of_a_ball_around_zero_are_finite(n: int) -> None:
    ball = enclose(sp.Pow(ROOTS, n, evaluate=False))
    assert ball.is_finite()
    assert ball.contains(0)
    assert sign(sp.Pow(ROOTS, n, evaluate=False) + 1) == 1


def test_what_has_no_enclosure_is_said() -> None:
    for unknown in (sp.Function("f")(1), sp.Integral(sp.exp(-(X**2)), (X, 0, 1)), sp.LambertW(3)):
        with pytest.raises(NotEnclosableError):
            enclose(unknown)
        assert compare(unknown, ">", sp.Integer(0)) is not Truth.FAILS


@pytest.mark.parametrize(
    ("left", "relation", "right", "truth"),
    [
        (sp.sqrt(5 + 2 * sp.sqrt(6)), "=", sp.sqrt(2) + sp.sqrt(3), Truth.HOLDS),
        (sp.sqrt(5 + 2 * sp.sqrt(6)), "<=", sp.sqrt(2) + sp.sqrt(3), Truth.HOLDS),
        (sp.sqrt(5 + 2 * sp.sqrt(6)), ">=", sp.sqrt(2) + sp.sqrt(3), Truth.HOLDS),
        (sp.sqrt(5 + 2 * sp.sqrt(6)), "<", sp.sqrt(2) + sp.sqrt(3), Truth.FAILS),
        (sp.sqrt(5 + 2 * sp.sqrt(6)), ">", sp.sqrt(2) + sp.sqrt(3), Truth.FAILS),
        (sp.pi, "<", sp.Rational(355, 113), Truth.HOLDS),
        (sp.pi, ">=", sp.Rational(355, 113), Truth.FAILS),
        (sp.sin(X) ** 2 + sp.cos(X) ** 2, "=", sp.Integer(1), Truth.HOLDS),
        (sp.sqrt(X**2), "=", X, Truth.FAILS),  # true of positive numbers only
        (X**2, ">=", sp.Integer(0), Truth.HOLDS),
        (X**2, ">", sp.Integer(0), Truth.FAILS),  # not at zero
        (NOT_NEGATIVE, ">", sp.Integer(0), Truth.FAILS),
        (NOT_NEGATIVE, ">=", sp.Integer(0), Truth.HOLDS),
        (-POSITIVE, "<", sp.Integer(0), Truth.HOLDS),
        (-NOT_NEGATIVE, "<=", sp.Integer(0), Truth.HOLDS),
        (POSITIVE, ">", sp.Rational(1, 10**6), Truth.UNKNOWN),  # false, but at no point that is looked at
        (POSITIVE, ">=", sp.Rational(1, 10**6), Truth.UNKNOWN),
        (POSITIVE, "<", sp.Integer(10**6), Truth.UNKNOWN),
        (POSITIVE, "<=", sp.Integer(10**6), Truth.UNKNOWN),
        (WHOLE, ">=", sp.Integer(1), Truth.HOLDS),
        (PRIME, ">=", sp.Integer(2), Truth.HOLDS),  # 1/3 and 1 are no primes
        (PRIME, ">=", sp.Integer(3), Truth.FAILS),
        (sp.oo, "<=", sp.Integer(1), Truth.UNKNOWN),
        (sp.nan, "=", sp.Integer(0), Truth.UNKNOWN),
        (sp.I, "<=", sp.Integer(1), Truth.UNKNOWN),
    ],
)
def test_comparisons(left: sp.Expr, relation: str, right: sp.Expr, truth: Truth) -> None:
    assert compare(left, relation, right) is truth


def test_signs_of_constants_and_of_symbols() -> None:
    tiny = sp.Rational(1, 10**600)
    assert [sign(sp.sqrt(2) - sp.sqrt(2) + s * tiny) for s in (1, -1, 0)] == [1, -1, 0]
    # Beyond the largest precision nothing is guessed.
    assert sign(sp.exp(sp.Rational(1, 10**900)) - 1) is None
    assert sign(X) is None
    assert sign(X, {X: sp.Integer(-3)}) == -1
    assert is_zero(sp.exp(sp.Rational(1, 10**900)) - 1) is not Truth.HOLDS


def test_fractions_in_exponentials_are_compared_without_simplification(monkeypatch) -> None:
    """Simplification of these takes a quarter of a minute; as fractions in what stands in them they vanish, or do not."""
    monkeypatch.setattr(sp, "simplify", None)
    a, b, c = (sp.exp(sp.Rational(80, k)) - 1 for k in (505521, 660519, 863041))
    det = a * c - b**2
    x, y = (c / 711 - b / 929) / det, (a / 929 - b / 711) / det
    residual = (a * x + b * y - sp.Rational(1, 711)) ** 2 + (b * x + c * y - sp.Rational(1, 929)) ** 2
    assert is_zero(residual) is Truth.HOLDS
    assert is_zero(residual + sp.Rational(1, 10**40)) is Truth.FAILS


def test_points_obey_what_symbols_were_declared_to_be() -> None:
    for symbol in (
        X,
        POSITIVE,
        NOT_NEGATIVE,
        WHOLE,
        PRIME,
        sp.Symbol("c", composite=True),
        sp.Symbol("e", even=True),
    ):
        values = [point[symbol] for point in sample_points({symbol})]
        assert values
        assert all(getattr(v, f"is_{k}") is want for v in values for k, want in symbol.assumptions0.items())
    assert list(sample_points({sp.Symbol("i", irrational=True)})) == []
    assert list(sample_points(set())) == [{}]
    assert not admits(POSITIVE, sp.Integer(0))
    assert admits(POSITIVE, sp.Symbol("t", real=True))  # nothing speaks against it
    assert refuting_point(X - sp.Rational(17, 2), "<") == {X: sp.Integer(9)}
    assert refuting_point(X**2, ">=") is None


def test_a_function_known_by_its_enclosures() -> None:
    triple = EnclosedFunction.enclosed_by(lambda x: 3 * x, "triple")
    assert compare(triple(sp.Rational(1, 3)), "<=", sp.Rational(101, 100)) is Truth.HOLDS
    assert compare(triple(sp.Rational(1, 3)), "<=", sp.Rational(99, 100)) is Truth.FAILS
    assert float(triple(sp.Rational(1, 3)).evalf(30)) == pytest.approx(1)


def test_decimals_are_what_was_written() -> None:
    assert rational(0.1) == rational("0.1") == rational(Fraction(1, 10)) == sp.Rational(1, 10)
    assert rational(3) == 3


def test_truths_are_combined_and_never_used_as_bools() -> None:
    holds, fails, unknown = Truth.HOLDS, Truth.FAILS, Truth.UNKNOWN
    assert all_hold([holds, unknown, fails]) is fails
    assert all_hold([holds, unknown]) is unknown
    assert all_hold([holds, holds]) is all_hold([]) is holds
    assert (~holds, ~fails, ~unknown) == (fails, holds, unknown)
    with pytest.raises(TypeError, match="three values"):
        bool(holds)


def test_a_derivation_without_steps_proves_nothing() -> None:
    good, bad = (Step(X + 1, "=", X + k, "a sum") for k in (1, 2))
    assert Derivation("nothing", ()).check() is Truth.UNKNOWN
    assert Derivation("one", (good,)).check() is Truth.HOLDS
    assert Derivation("two", (good, bad)).check() is Truth.FAILS
    assert [row["truth"] for row in recorded(Derivation("two", (good, bad), ("a lemma",)))] == [
        "holds",
        "fails",
        "cited",
    ]
    with pytest.raises(ValueError, match="relation must be"):
        Step(X, "!=", X, "no such relation")
