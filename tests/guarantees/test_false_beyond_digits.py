"""A claim that is false by more than the rounding of its own digits is never proved, and what is allowed is part of what is said."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
import sympy as sp

import noiseproof as npf
from noiseproof.symbolic.proof.reading import READING, allowance, in_words, share, share_of_text

X = sp.Symbol("x", real=True)
SCALE, Y = sp.Symbol("scale", positive=True), sp.Symbol("y")
LAW = npf.Law.from_density(
    2 * Y / SCALE**2 * sp.exp(-((Y / SCALE) ** 2)), Y, (0, "oo"), name="Weibull of shape 2"
)
# A third, as few and as many digits write it: too small by more than their rounding, then within it.
FALSE = (0.3333, 0.333333, 0.33333333, 0.3333333333, 0.3333333333332, 0.33333333333332, 0.3333333333333)


def proof_of(subject: Any, predicate: Any) -> Any:
    (finding,) = npf.examine(subject, npf.Claim(predicate, about="law"), samples=100).findings
    return next(e for e in finding.evidence if e.kind == "proof")


def word(subject: Any, predicate: Any) -> str:
    """What the proof says: what is undecided by it may survive beside it."""
    return str(proof_of(subject, predicate).verdict)


def test_the_allowance_is_the_rounding_of_the_digits_and_no_more_than_a_share() -> None:
    assert allowance(0.1) == sp.Rational(1, 10**13)
    assert allowance(0.25) / sp.Rational(1, 4) == READING == share(1e300) == share(5e-324)
    assert allowance(0.9999999999999) == sp.Rational(5, 10**14)
    assert sp.Rational(1, 10**16) < allowance(1 / 3) < sp.Rational(1, 10**15)
    assert allowance(0.0) == 0
    assert share(0.0) == READING
    assert allowance(-0.1) == allowance(0.1)
    # What lies below half of a double's last place is not written: 0.1 + 2^-60 is 0.1.
    assert 0.1 + 2.0**-60 == 0.1
    assert in_words(1.0) == "1 (1 + 1e-12)"
    assert in_words(0.9999999999999) == "0.9999999999999 (1 + 5e-14)"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("4/scale**2", 0),
        ("x1/2 + sin(x2)", 0),
        ("0.1*x", READING),
        ("1e-3*x", READING),
        ("0.9999999999999/s", sp.Rational(5, 10**14) / sp.Rational("0.9999999999999")),
        ("0.99999999999999*s + .5/t", READING),
    ],
)
def test_a_formula_is_allowed_what_its_decimals_are(text: str, expected: Any) -> None:
    assert share_of_text(text) == expected


@pytest.mark.parametrize("claimed", FALSE)
@pytest.mark.parametrize(
    ("subject", "predicate"),
    [
        (npf.LaplaceMechanism(1 / 3, 1.0), npf.PureDP),
        (npf.GaussianMechanism(3.0, 1.0), npf.GaussianDP),
        (npf.LaplaceMechanism(1 / 3, 1.0), lambda e: npf.ApproxDP(e, 0.0)),
        (
            npf.GaussianMechanism(3.0, 1.0),
            lambda mu: npf.ZeroConcentratedDP(float(str(mu / 6)[: len(repr(mu))])),
        ),
    ],
    ids=["pure", "gaussian", "approximate", "concentrated"],
)
def test_an_epsilon_with_too_few_digits_is_not_proved(claimed: float, subject: Any, predicate: Any) -> None:
    said = vars(predicate(claimed)).get("rho", claimed)
    gap = Fraction(1, 3 if said == claimed else 18) - Fraction(repr(said))
    half = Fraction(1, 2 * 10 ** (len(repr(said)) - 2))
    rounded = gap <= min(max(half, Fraction(1, 10**16)), Fraction(repr(said)) / 10**12)
    assert word(subject, predicate(claimed)) in (("PROVED",) if rounded else ("REFUTED", "UNDECIDED"))


def test_an_epsilon_that_is_off_by_the_rounding_of_a_double_is_proved_and_says_so() -> None:
    found = proof_of(npf.LaplaceMechanism(1 / 3, 1.0), npf.PureDP(1 / 3))
    assert str(found.verdict) == "PROVED"
    assert found.detail.endswith("epsilon at most 0.3333333333333333 (1 + 1.3e-15)")
    last = [row for row in found.derivation if row["truth"] == "holds"][-1]
    assert "a tolerance of half a unit in its last digit, at most 1e-12 relative" in last["reason"]
    one = proof_of(npf.LaplaceMechanism(1.0, 1.0), npf.PureDP(1.0))
    assert [row for row in one.derivation if row["truth"] == "holds"][-1]["right"] == "10**(-12) + 1"


@pytest.mark.parametrize(
    ("claimed", "expected"),
    [(4, "PROVED"), (4.0000000000001, "UNDECIDED"), (3.9999999999999, "UNDECIDED"), (4.00000001, "REFUTED")],
)
def test_informations_and_error_bounds_are_read_with_their_own_digits(claimed: float, expected: str) -> None:
    assert word(npf.GaussianMechanism(0.5, 1.0), npf.FisherInformation(claimed)) == expected
    above = claimed > 4
    bound = npf.ErrorBound(claimed, against="unbiased")
    assert word(npf.GaussianMechanism(2.0, 1.0), bound) == (expected if above or claimed == 4 else "PROVED")


@pytest.mark.parametrize(
    ("claimed", "expected"),
    [
        ("4/scale**2", "PROVED"),
        ("4.0/scale**2", "PROVED"),
        ("4.0000000000001/scale**2", "UNDECIDED"),
        ("3.9999999999999/scale**2", "UNDECIDED"),
        ("40000000000001/10000000000000/scale**2", "UNDECIDED"),
        ("4.00000001/scale**2", "REFUTED"),
    ],
)
def test_formulas_are_read_with_the_digits_of_their_decimals(claimed: str, expected: str) -> None:
    assert word(LAW, npf.FisherInformation(claimed)) == expected


@pytest.mark.parametrize(
    ("claimed", "expected"),
    [
        ("scale**2/4", "PROVED"),
        ("0.25*scale**2", "PROVED"),
        ("0.2500000000001*scale**2", "UNDECIDED"),
        ("2500000000001/10000000000000*scale**2", "UNDECIDED"),
    ],
)
def test_error_bounds_of_formulas_are_read_with_the_digits_of_their_decimals(
    claimed: str, expected: str
) -> None:
    assert word(LAW, npf.ErrorBound(claimed, against="unbiased")) == expected


@pytest.mark.parametrize("claimed", [0.333333, 0.3333333333333, 0.3333333333333333])
def test_sensitivities_and_optimal_values_are_exact(claimed: float) -> None:
    third = npf.DatasetQuery(X / 3, npf.Box(0, 1), records=[X], each="sum")
    assert word(third, npf.SensitivityBound(claimed, "l1")) in ("REFUTED", "UNDECIDED")
    assert word(third, npf.SensitivityBound("1/3", "l1")) == "PROVED"
    program = npf.Program(X / 3, over=[X], subject_to=[X >= 1])
    assert word(program, npf.OptimalValue(claimed)) == "REFUTED"
    assert word(program, npf.OptimalValue("1/3")) == "PROVED"
