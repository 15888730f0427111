"""Each of these once said more than is true: what holds for some parameters only, what was done before, and where a ball lay."""

from __future__ import annotations

from typing import Any

import pytest
import sympy as sp

import noiseproof as npf
from noiseproof.symbolic.laws.enclosed_expectation import enclosed_expectation
from noiseproof.symbolic.proof.truth import Truth

Y, M, H, Q = sp.symbols("y m h q", real=True)
S, K = sp.symbols("s k", positive=True)
WHOLE = ("-oo", "oo")


def bell(z: sp.Expr) -> sp.Expr:
    return sp.exp(-(z**2) / 2) / sp.sqrt(2 * sp.pi)


def location() -> npf.FisherInformationMatrix:
    return npf.fisher_information(npf.Law.from_density(bell(Y - M), Y, WHOLE), M)


STANDARD = npf.Law.from_density(bell(Y), Y, WHOLE)


@pytest.mark.parametrize(
    ("law", "formula", "domains", "word"),
    [
        (lambda d: npf.JointLaw.multinomial(1, [Q, 1 - Q], d), "1/(q*(1-q))", None, "UNDECIDED"),
        (lambda d: npf.JointLaw.multinomial(1, [Q, 1 - Q], d), "1/(q*(1-q))", {"q": (0, 1)}, "PROVED"),
        (
            lambda d: npf.JointLaw.multinomial(3, [H**2, 1 - H**2], d),
            "12/(1-h**2)",
            {"h": (-1, 1)},
            "UNDECIDED",
        ),
        (lambda d: npf.JointLaw.normal([0], [[Q]], d), "1/(2*q**2)", None, "UNDECIDED"),
        (
            lambda d: npf.JointLaw.normal([0, 0], [[1, H], [H, 1]], d),
            "(1+h**2)/(1-h**2)**2",
            None,
            "UNDECIDED",
        ),
        (
            lambda d: npf.JointLaw.normal([0, 0], [[1, H], [H, 1]], d),
            "(1+h**2)/(1-h**2)**2",
            {"h": (-1, 1)},
            "PROVED",
        ),
    ],
)
def test_a_vector_is_a_law_only_where_its_parameters_allow(
    law: Any, formula: str, domains: Any, word: str
) -> None:
    certificate = npf.examine(law(domains), npf.FisherInformation(formula))
    assert certificate.findings[0].verdict.name == word


def test_a_mass_that_vanishes_inside_of_the_domain_leaves_regularity_open() -> None:
    mass = sp.Piecewise((1 - H**2, sp.Eq(Y, 0)), (H**2 * 2 ** (-Y), True))
    law = npf.Law.from_density(mass, Y, (0, "oo"), discrete=True, domains={"h": (-1, 1)})
    assert npf.fisher_information(law, H).regular is Truth.UNKNOWN
    assert npf.examine(law, npf.FisherInformation("4/(1-h**2)")).verdict.name == "UNDECIDED"


@pytest.mark.parametrize(
    "ask",
    [
        lambda: location().noisy(STANDARD).noisy(STANDARD),
        lambda: location().rounded(5).noisy(STANDARD),
        lambda: location().censored(0, 1).truncated(-9, 9),
        lambda: location().of({M: 2 * M}, [M]).noisy(STANDARD),
    ],
)
def test_nothing_is_forgotten_of_what_was_done_before(ask: Any) -> None:
    with pytest.raises(ValueError, match=r"is not known: ask .* of the law itself, first of all"):
        ask()


def test_a_change_of_parameters_is_smooth_and_stays_where_the_law_is_one() -> None:
    assert location().of({M: sp.Abs(Q)}, [Q]).regular is Truth.UNKNOWN
    rate = npf.fisher_information(npf.Law.from_density(S * sp.exp(-S * Y), Y, (0, "oo")), S)
    moved = rate.of({S: Q}, [Q])
    assert moved.regular is Truth.UNKNOWN
    with pytest.raises(ValueError, match="contradicts what the symbol s was declared to be"):
        moved.enclose({Q: -2})
    assert rate.of({S: 1 / K}, [K]).regular is Truth.HOLDS


@pytest.mark.parametrize("digits", [8, 10])
def test_a_narrow_law_far_away_has_a_ball_around_one(digits: int) -> None:
    width = sp.Rational(1, 10**digits)
    law = npf.Law.from_density(1 / width, Y, (10**9 + width, 10**9 + 2 * width))
    assert enclosed_expectation(law, sp.Integer(1)).contains(1)


def test_a_parameter_may_be_called_what_the_variable_of_the_noise_is() -> None:
    x = sp.Symbol("x", real=True)
    law = npf.Law.from_density(bell(x - Y), x, WHOLE)
    uniform = npf.Law.from_density(sp.Rational(1, 2), Y, (-1, 1))
    left = npf.fisher_information(law, Y).noisy(uniform)
    assert left.at({"y": 0})[0, 0] == pytest.approx(0.750815140691, abs=2e-8)


def test_two_symbols_of_one_name_make_no_vector() -> None:
    rate = npf.Law.from_density(S * sp.exp(-S * Y), Y, (0, "oo"))
    other = npf.Law.from_density(bell(Y - sp.Symbol("s", real=True)), Y, WHOLE)
    with pytest.raises(ValueError, match=r"two symbols of the .* are called s"):
        npf.JointLaw.independent(rate, other)


def test_a_prior_outside_of_the_domain_bounds_nothing() -> None:
    law = npf.Law.from_density(bell(Y - Q * K), Y, WHOLE, domains={"q": (0, 1)})
    bound = npf.error_bound(law, Q, Q, "van-trees", prior={Q: STANDARD})
    assert (bound.value, bound.status) == (None, "inapplicable")
