"""The information of models that no paper mentions: closed forms, other parameters, what is refused, and what is not known."""

from __future__ import annotations

import time
from functools import cache
from typing import Any

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import noiseproof as npf
from noiseproof.symbolic.proof.truth import Truth

Y = sp.Symbol("y")
A, B, S = sp.symbols("a b s", positive=True)
M = sp.Symbol("m", real=True)
Z = (Y - M) / S
EULER = sp.EulerGamma
# name -> (density, support, discrete, parameters, information, route that finds it)
MODELS: dict[str, tuple[Any, tuple[Any, Any], bool, list[Any], Any, str]] = {
    "exponential": (A * sp.exp(-A * Y), (0, "oo"), False, [A], [[A**-2]], "exponential family"),
    "gamma": (
        Y ** (A - 1) * sp.exp(-Y / B) / (sp.gamma(A) * B**A),
        (0, "oo"),
        False,
        [A, B],
        [[sp.polygamma(1, A), 1 / B], [1 / B, A / B**2]],
        "exponential family",
    ),
    "inverse Gaussian": (
        sp.sqrt(B / (2 * sp.pi * Y**3)) * sp.exp(-B * (Y - A) ** 2 / (2 * A**2 * Y)),
        (0, "oo"),
        False,
        [A, B],
        [[B / A**3, 0], [0, 1 / (2 * B**2)]],
        "exponential family",
    ),
    "Poisson": (A**Y * sp.exp(-A) / sp.factorial(Y), (0, "oo"), True, [A], [[1 / A]], "exponential family"),
    "Weibull": (
        A / S * (Y / S) ** (A - 1) * sp.exp(-((Y / S) ** A)),
        (0, sp.oo),
        False,
        [S, A],
        [[A**2 / S**2, (EULER - 1) / S], [(EULER - 1) / S, (sp.pi**2 / 6 + (1 - EULER) ** 2) / A**2]],
        "integrals of the scores",
    ),
    "logistic": (
        sp.exp(-Z) / (S * (1 + sp.exp(-Z)) ** 2),
        ("-oo", "oo"),
        False,
        [M, S],
        [[1 / (3 * S**2), 0], [0, (3 + sp.pi**2) / (9 * S**2)]],
        "integrals of the scores",
    ),
    "Cauchy": (
        1 / (sp.pi * S * (1 + Z**2)),
        ("-oo", "oo"),
        False,
        [M, S],
        [[1 / (2 * S**2), 0], [0, 1 / (2 * S**2)]],
        "integrals of the scores",
    ),
    "Laplace": (
        sp.exp(-sp.Abs(Y - M) / S) / (2 * S),
        ("-oo", "oo"),
        False,
        [M],
        [[S**-2]],
        "integrals of the scores",
    ),
    "Pareto": (A * 2**A / Y ** (A + 1), (2, float("inf")), False, [A], [[A**-2]], "exponential family"),
}


def law(name: str) -> npf.Law:
    density, support, discrete, *_ = MODELS[name]
    return npf.Law.from_density(density, Y, support, discrete=discrete, name=name)


@pytest.mark.parametrize("name", MODELS)
def test_the_information_of_a_textbook_model_is_found(name: str) -> None:
    *_, parameters, truth, route = MODELS[name]
    start = time.process_time()
    found = npf.fisher_information(law(name), parameters)
    assert time.process_time() - start < 20
    assert route in found.routes
    assert found.value is not None
    assert sp.simplify(found.value - sp.Matrix(truth)) == sp.zeros(len(parameters))
    assert found.regular is Truth.HOLDS, found.reason
    assert found.derivation.check() is Truth.HOLDS


@cache
def _of_gamma() -> npf.FisherInformationMatrix:
    return npf.fisher_information(law("gamma"), [A, B])


@settings(max_examples=20, deadline=None)
@given(st.fractions("1/3", 5, max_denominator=9), st.fractions("1/3", 5, max_denominator=9))
def test_other_parameters_transform_by_the_jacobian(a: Any, b: Any) -> None:
    """Of the mean and the spread a b, a b^2 of a gamma law, as from its shape and scale."""
    found = _of_gamma()
    mean, spread = sp.symbols("mean spread", positive=True)
    moved = found.of({A: mean**2 / spread, B: spread / mean}, [mean, spread])
    at = {mean: sp.Rational(a), spread: sp.Rational(b)}
    shape, scale = at[mean] ** 2 / at[spread], at[spread] / at[mean]
    jacobian = np.array(
        sp.Matrix([mean**2 / spread, spread / mean]).jacobian([mean, spread]).subs(at).tolist(), dtype=float
    )
    expected = jacobian.T @ found.at({"a": shape, "b": scale}) @ jacobian
    np.testing.assert_allclose(moved.at(at), expected, rtol=1e-9)


def test_several_observations_add_up() -> None:
    found = npf.fisher_information(law("exponential"), "a")
    assert found.n(7).scalar == 7 / A**2
    with pytest.raises(ValueError, match="at least 1"):
        found.n(0)


def test_enclosures_contain_special_functions() -> None:
    ball = npf.fisher_information(law("gamma"), [A, B]).enclose({"a": "1.5", "b": 2}, 1e-20)[0][0]
    assert ball.contains(sp.polygamma(1, sp.Rational(3, 2)).evalf(60))
    assert float(ball.rad()) < 1e-20


IRREGULAR = {
    "uniform": (1 / A, (0, A), A),
    "shifted exponential": (sp.exp(-(Y - M)), (M, "oo"), M),
    "Pareto scale": (3 * A**3 / Y**4, (A, "oo"), A),
}


@pytest.mark.parametrize("name", IRREGULAR)
def test_a_support_that_moves_has_no_information(name: str) -> None:
    density, support, parameter = IRREGULAR[name]
    found = npf.fisher_information(npf.Law.from_density(density, Y, support), parameter)
    assert found.value is None
    assert found.regular is Truth.FAILS
    assert "the support ends at" in found.reason
    with pytest.raises(ValueError, match="irregular"):
        found.enclose({parameter: 1})


def test_what_has_no_closed_form_is_open_and_never_an_integral() -> None:
    mixture = 0.3 * sp.exp(-(Y**2) / 2) + 0.7 * sp.exp(-((Y - M) ** 2) / 2)
    found = npf.fisher_information(npf.Law.from_density(mixture / sp.sqrt(2 * sp.pi), Y, ("-oo", "oo")), M)
    assert (found.value, found.regular) == (None, Truth.HOLDS)
    assert found.reason == "no route found a closed form: `enclose` answers at a point"


BAD: dict[str, tuple[Any, str]] = {
    "mass two": ((2 * sp.exp(-Y), Y, (0, "oo")), "integrates to 2, expected 1"),
    "mass a little off": ((sp.exp(-Y) * sp.Float("1.00000001"), Y, (0, "oo")), "expected 1"),
    "mass off in a closed form": (
        (sp.exp(-(Y**4)), Y, ("-oo", "oo")),
        r"integrates to gamma\(1/4\)/2, expected 1",
    ),
    "mass off without a closed form": (
        (sp.exp(-(Y**2) / 2) / (2 + sp.sin(Y)), Y, ("-oo", "oo")),
        r"integrates to 1\.\d+ \(\+/- \S+\), expected 1",
    ),
    "negative": ((Y - sp.Rational(1, 2), Y, (0, 2)), "a density is positive"),
    "complex": ((sp.I * sp.exp(-Y), Y, (0, "oo")), "a density is positive|real"),
    "undeclared": (
        (sp.Symbol("q") * sp.exp(-sp.Symbol("q") * Y), Y, (0, "oo")),
        "q in the law is not known to be real",
    ),
    "ends the wrong way": ((sp.exp(-Y), Y, (3, 0)), "is empty: it begins at 3 and ends at 0"),
    "infinities the wrong way": ((sp.exp(-Y), Y, ("oo", 0)), "give the lower end first"),
    "a function for a density": ((abs, Y, (0, 1)), "density must be a sympy expression"),
    "text for a density of another mass": (("exp(-y)", Y, (0, 1)), "integrates to 1 - exp"),
    "one end": ((sp.exp(-Y), Y, (0,)), "support must be a pair"),
    "an end in words": (
        (sp.exp(-Y), Y, (0, "infinity")),
        "an end of the support is a number.*got .infinity.",
    ),
    "a number for a variable": ((sp.exp(-Y), 3, (0, "oo")), "variable must be a sympy symbol"),
    "a parameter outside of what it may be": (
        (A * (1 - A) ** Y, Y, (0, "oo"), True, {"domains": {"z": (0, 1)}}),
        "which the law does not contain",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_no_law_is_refused_at_once(name: str) -> None:
    given_, said = BAD[name]
    more = given_[4] if len(given_) > 4 else {}
    with pytest.raises(ValueError, match=said):
        npf.Law.from_density(*given_[:4], **more)


@pytest.mark.parametrize(
    ("parameters", "error", "said"),
    [
        ("q", ValueError, "'q' is no parameter of exponential; its parameters are: a"),
        ([], ValueError, "one or several"),
        ([A, A], ValueError, "different symbols"),
    ],
)
def test_a_parameter_that_is_none_is_named(parameters: Any, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        npf.fisher_information(law("exponential"), parameters)


def test_a_law_that_is_none_is_named() -> None:
    with pytest.raises(TypeError, match=r"law must be a Law, such as Law.from_density\(...\), got str"):
        npf.fisher_information("normal", "m")  # type: ignore[arg-type]


def test_counts_have_a_distribution_function() -> None:
    poisson = law("Poisson").at({A: 3})
    assert poisson.cdf([-1, 0, 2.5, 1e9]).round(12).tolist() == [0.0, 0.049787068368, 0.423190081127, 1.0]
    drawn = poisson.sample(20_000, np.random.default_rng(0))
    assert abs(drawn.mean() - 3) < 4 * np.sqrt(3 / 20_000)
    assert poisson.pdf([0.5]).tolist() == [0.0]


LINE = ("-oo", "oo")


@pytest.mark.parametrize(
    "written",
    [
        (sp.exp(-Y / A) / A, (0, "oo"), False),
        (A**Y * sp.exp(-A) / sp.factorial(Y), (0, "oo"), True),
        (sp.exp(-((Y - A) ** 2) / 2) / sp.sqrt(2 * sp.pi), LINE, False),
        (1 / (sp.pi * (1 + (Y - A) ** 2)), LINE, False),
        (sp.exp(-sp.Abs(Y - A)) / 2, LINE, False),
    ],
)
def test_mass_and_mean_of_the_score_are_shown_before_they_are_evaluated(
    written: tuple[Any, Any, bool],
) -> None:
    density, support, discrete = written
    steps = npf.fisher_information(npf.Law.from_density(density, Y, support, discrete), A).derivation.steps
    (mass,) = (
        s for s in steps if s.right == 1 and s.reason in ("the mass is one", "the density integrates to one")
    )
    assert mass.left.func is (sp.Sum if discrete else sp.Integral)
    centred = [s for s in steps if "mean zero" in s.reason]
    assert centred
    assert all(str(s.left) != "0" and s.check() is Truth.HOLDS for s in (mass, *centred))


def test_a_value_for_no_parameter_is_named() -> None:
    found = npf.fisher_information(law("exponential"), A)
    with pytest.raises(ValueError, match="z: no parameter; expected a"):
        found.enclose({"z": 1})
    with pytest.raises(ValueError, match="a value is needed for a"):
        found.enclose({})


P, Q = sp.symbols("p q", positive=True)
VECTORS: dict[str, tuple[npf.JointLaw, list[Any], list[list[Any]], str]] = {
    "normal mean": (
        npf.JointLaw.normal([M, 2 * M], [[2, 1], [1, 3]]),
        [M],
        [[sp.Rational(7, 5)]],
        "normal vector",
    ),
    "normal variance": (
        npf.JointLaw.normal([0, 0], [[S**2, 0], [0, S**2]]),
        [S],
        [[4 / S**2]],
        "normal vector",
    ),
    "multinomial": (
        npf.JointLaw.multinomial(3, [P, 1 - P]),
        [P],
        [[3 / (P * (1 - P))]],
        "sum over the categories",
    ),
    "Dirichlet": (npf.JointLaw.dirichlet([A, 1]), [A], [[A**-2]], "exponential family"),
    "independent": (
        npf.JointLaw.independent(law("exponential"), law("gamma")),
        [A, B],
        [[A**-2 + sp.polygamma(1, A), 1 / B], [1 / B, A / B**2]],
        "independent parts",
    ),
}


@pytest.mark.parametrize("name", VECTORS)
def test_the_information_of_a_vector_is_found(name: str) -> None:
    joint, parameters, truth, route = VECTORS[name]
    found = npf.fisher_information(joint, parameters)
    assert found.routes == (route,)
    assert found.value is not None
    difference = (found.value - sp.Matrix(truth)).applyfunc(lambda e: sp.simplify(sp.expand_func(e)))
    assert difference == sp.zeros(len(parameters))
    assert found.derivation.check() is Truth.HOLDS


def test_an_irregular_part_leaves_the_whole_without_information() -> None:
    uniform = npf.Law.from_density(1 / A, Y, (0, A), name="uniform")
    found = npf.fisher_information(npf.JointLaw.independent(law("exponential"), uniform), A)
    assert (found.value, found.regular) == (None, Truth.FAILS)
    assert found.reason.startswith("uniform: irregular")


@pytest.mark.parametrize(
    ("build", "said"),
    [
        (lambda: npf.JointLaw.normal([0, 0], [[1, 2], [0, 1]]), "a covariance is symmetric"),
        (lambda: npf.JointLaw.normal([0, 0], [[1, 2], [2, 1]]), "positive definite"),
        (lambda: npf.JointLaw.normal([0], [[1, 2], [2, 1]]), "expected a 1 x 1 covariance"),
        (lambda: npf.JointLaw.normal([0], 3), "rows of numbers"),  # type: ignore[arg-type]
        (lambda: npf.JointLaw.multinomial(0, [P, 1 - P]), "at least 1, got 0"),
        (lambda: npf.JointLaw.multinomial(2, [P, P]), "must add up to 1, got 2"),
        (lambda: npf.JointLaw.dirichlet([A, -1]), "known to be positive"),
        (lambda: npf.JointLaw.independent(), "got none"),
    ],
)
def test_what_is_no_joint_law_is_refused(build: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        build()


def test_a_substitution_that_sympy_stumbles_over_is_none() -> None:
    """sympy's own simplification of this chart raises AttributeError."""
    mean, scale = sp.sin(M), sp.exp(M / 3)
    density = 2 * sp.exp(-(sp.Abs((Y - mean) / scale) ** 4)) / (scale * sp.gamma(sp.Rational(1, 4)))
    assert npf.Law.from_density(density, Y, ("-oo", "oo")).free_symbols == {M}


def test_a_density_that_quadrature_cannot_follow_is_read_all_the_same() -> None:
    """exp(-exp(y)) far out, and 1/(y - m) next to m."""
    scale, end = sp.Max(1, S), sp.Rational(7, 5)
    gumbel = sp.exp(-Y / scale - sp.exp(-Y / scale)) / scale
    inverse = sp.exp(-S / (Y - end)) * S / (Y - end) ** 2
    for density, support in ((gumbel, ("-oo", "oo")), (inverse, (end, "oo"))):
        assert npf.Law.from_density(density, Y, support).free_symbols == {S}


def test_a_wrong_sum_of_scores_falls_by_its_terms(monkeypatch: pytest.MonkeyPatch) -> None:
    from noiseproof.symbolic.information.of_model import _by_sums
    from noiseproof.symbolic.laws.countable import CountableLaw

    counts = npf.Law.from_density(sp.exp(-A) * A**Y / sp.factorial(Y), Y, (0, "oo"), discrete=True)
    steps = lambda: _by_sums(counts, [A]).derivation.steps[1:]  # noqa: E731
    assert [s.check() for s in steps()] == [Truth.HOLDS]
    honest = CountableLaw.series
    monkeypatch.setattr(CountableLaw, "series", lambda law, f: honest(law, f) * sp.Rational(101, 100))
    assert [s.check() for s in steps()] == [Truth.FAILS]
