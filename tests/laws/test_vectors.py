"""Laws of vectors in numbers, and the information of chains, Markov chains and regressions against other routes."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import noiseproof as npf
from noiseproof.symbolic.proof.truth import Truth

A, B, S, L, P, Q = sp.symbols("a b s l p q", positive=True)
PHI = sp.Symbol("phi", real=True)
Y1, Y2, Y3 = sp.symbols("y1:4", real=True)


def normal(y: Any, mean: Any, name: str) -> npf.Law:
    density = sp.exp(-((y - mean) ** 2) / (2 * S**2)) / (S * sp.sqrt(2 * sp.pi))
    return npf.Law.from_density(density, y, ("-oo", "oo"), name=name)


def series() -> npf.JointLaw:
    return npf.JointLaw.chain(
        normal(Y1, 0, "first"), normal(Y2, PHI * Y1, "second"), normal(Y3, PHI * Y2, "third")
    )


COVARIANCE = [[4, 2, 1], [2, 5, 2.5], [1, 2.5, 5.25]]


def in_numbers() -> dict[str, tuple[npf.JointLaw, Any]]:
    """Laws without parameters, each with the frozen law of scipy.stats that it is."""
    return {
        "normal": (
            npf.JointLaw.normal([1, 2, 0], COVARIANCE),
            stats.multivariate_normal([1, 2, 0], COVARIANCE),
        ),
        "multinomial": (npf.JointLaw.multinomial(5, [0.5, 0.3, 0.2]), stats.multinomial(5, [0.5, 0.3, 0.2])),
        "Dirichlet": (npf.JointLaw.dirichlet([2, 0.5, 3]), stats.dirichlet([2, 0.5, 3])),
        "chain": (series().at({"phi": 0.5, S: 2}), stats.multivariate_normal([0, 0, 0], COVARIANCE)),
    }


@pytest.mark.parametrize("name", in_numbers())
def test_log_densities_are_those_of_scipy(name: str) -> None:
    law, other = in_numbers()[name]
    drawn = law.sample(300, np.random.default_rng(1))
    assert drawn.shape == (300, law.dimension) == (300, len(law.names))
    log = other.logpmf if name == "multinomial" else other.logpdf
    expected = [log(row) for row in drawn] if name == "Dirichlet" else log(drawn)
    np.testing.assert_allclose(law.log_pdf(drawn), expected, rtol=1e-10, atol=1e-10)
    assert law.log_pdf(drawn[0]).shape == (1,)


def test_samples_have_the_moments_of_the_law() -> None:
    drawn = series().at({PHI: 0.5, S: 2}).sample(100_000, np.random.default_rng(2))
    np.testing.assert_allclose(np.cov(drawn.T), COVARIANCE, atol=0.12)
    shares = npf.JointLaw.dirichlet([2, 1, 1]).sample(50_000, np.random.default_rng(3))
    np.testing.assert_allclose(shares.mean(axis=0), [0.5, 0.25, 0.25], atol=0.005)


def test_what_is_off_the_support_has_no_mass() -> None:
    counts = npf.JointLaw.multinomial(3, [0.5, 0.5])
    assert counts.log_pdf([[1, 1], [1.5, 1.5], [-1, 4]]).tolist() == [-np.inf] * 3
    assert npf.JointLaw.dirichlet([1, 1]).log_pdf([[0.5, 0.6]]).tolist() == [-np.inf]
    chain = npf.JointLaw.markov([0.5, 0.5], [[0.9, 0.1], [0.2, 0.8]], 2)
    assert chain.log_pdf([[0, 2], [0.5, 0]]).tolist() == [-np.inf] * 2


def test_the_information_of_a_normal_series_is_that_of_its_vector() -> None:
    found = npf.fisher_information(series(), [PHI, S])
    root = sp.Matrix([[S, 0, 0], [PHI * S, S, 0], [PHI**2 * S, PHI * S, S]])
    vector = npf.fisher_information(npf.JointLaw.normal([0, 0, 0], root * root.T), [PHI, S])
    assert found.value is not None
    assert vector.value is not None
    assert sp.simplify(found.value - vector.value) == sp.zeros(2)
    assert found.routes == ("sum over the chain",)
    assert (found.regular, found.derivation.check()) == (Truth.HOLDS, Truth.HOLDS)


def thinned() -> npf.JointLaw:
    """A Poisson count, and how many of it are kept."""
    count = sp.Symbol("y1", integer=True, nonnegative=True)
    first = npf.Law.from_density(L**Y1 * sp.exp(-L) / sp.factorial(Y1), Y1, (0, "oo"), discrete=True)
    kept = sp.binomial(count, Y2) * P**Y2 * (1 - P) ** (count - Y2)
    second = npf.Law.from_density(kept, Y2, (0, count), discrete=True, domains={"p": (0, 1)})
    return npf.JointLaw.chain(first, second)


def test_a_thinned_count_has_the_information_of_two_counts() -> None:
    """Kept and lost are independent Poisson counts with the means l p and l (1 - p)."""
    found = npf.fisher_information(thinned(), [L, P])
    assert found.value is not None
    means = [L * P, L * (1 - P)]
    truth = sp.Matrix(
        2, 2, lambda i, j: sum(sp.diff(m, (L, P)[i]) * sp.diff(m, (L, P)[j]) / m for m in means)
    )
    assert sp.simplify(found.value - truth) == sp.zeros(2)
    drawn = thinned().at({"l": 3, "p": 0.3}).sample(20_000, np.random.default_rng(4))
    np.testing.assert_allclose(drawn.mean(axis=0), [3, 0.9], atol=0.06)


def test_a_rate_that_was_drawn_before() -> None:
    rate = sp.Symbol("y1", positive=True)
    first = npf.Law.from_density(A * sp.exp(-A * Y1), Y1, (0, "oo"))
    second = npf.Law.from_density(B * rate * sp.exp(-B * rate * Y2), Y2, (0, "oo"))
    chain = npf.JointLaw.chain(first, second)
    assert npf.fisher_information(chain, [A, B]).value == sp.Matrix([[A**-2, 0], [0, B**-2]])
    known = chain.at({A: 1, B: 2})
    np.testing.assert_allclose(known.log_pdf([[1.0, 0.5]]), [np.log(2) - 2])
    drawn = known.sample(40_000, np.random.default_rng(5))
    np.testing.assert_allclose((drawn[:, 0] * drawn[:, 1]).mean(), 0.5, atol=0.02)


@settings(max_examples=12, deadline=None, derandomize=True)
@given(st.integers(5, 95), st.integers(5, 95), st.integers(1, 5))
def test_the_information_of_a_markov_chain_is_the_sum_over_its_paths(q: int, r: int, length: int) -> None:
    chain = npf.JointLaw.markov(
        [1 - Q, Q], [[1 - Q, Q], [P, 1 - P]], length, domains={"q": (0, 1), P: (0, "1")}
    )
    parameters = [Q, P] if length > 1 else [Q]
    found = npf.fisher_information(chain, parameters)
    at = {Q: sp.Rational(q, 100), P: sp.Rational(r, 100)}
    paths = np.array(list(itertools.product([0, 1], repeat=length)))
    masses = np.exp(chain.at(dict(list(at.items())[: len(chain.free_symbols)])).log_pdf(paths))
    assert masses.sum() == pytest.approx(1, abs=1e-12)
    first, moves = [1 - Q, Q], [[1 - Q, Q], [P, 1 - P]]
    total = sp.zeros(len(parameters))
    for path in paths:
        p = first[path[0]] * sp.Mul(*(moves[i][j] for i, j in itertools.pairwise(path)))
        slope = sp.Matrix([sp.diff(p, t) for t in parameters]).subs(at)
        total += slope * slope.T / p.subs(at)
    assert found.value is not None
    assert (found.value.subs(at) - total).applyfunc(sp.simplify) == sp.zeros(len(parameters))
    assert (found.regular, found.derivation.check()) == (Truth.HOLDS, Truth.HOLDS)


def test_a_markov_chain_whose_parameters_may_be_too_large_is_not_called_regular() -> None:
    chain = npf.JointLaw.markov([1, 0], [[1 - Q, Q], [0, 1]], 3)
    found = npf.fisher_information(chain, Q)
    assert found.regular is Truth.UNKNOWN
    assert "say where the parameters lie" in found.reason


def models() -> dict[str, tuple[Any, dict[str, float], Any]]:
    """statsmodels models, the values of all parameters, and the information that statsmodels gives at them.

    GLM.information of statsmodels is the expected Hessian, with its sign; Logit, Probit and Poisson have a Hessian only.
    """
    import statsmodels.api as sm

    rng = np.random.default_rng(0)
    x = sm.add_constant(rng.normal(size=(20, 1)))
    y = (rng.random(20) < 0.5) * 1.0
    family, link = sm.families, sm.families.links
    at, b = {"const": 0.1, "x1": 0.2}, np.array([0.1, 0.2])
    found: dict[str, tuple[Any, dict[str, float], Any]] = {
        "OLS": (sm.OLS(y, x), {**at, "sigma": 0.7}, x.T @ x / 0.49),
        "Logit": (sm.Logit(y, x), at, -sm.Logit(y, x).hessian(b)),
        "Probit": (
            sm.Probit(y, x),
            at,
            -sm.GLM(y, x, family=family.Binomial(link.Probit())).information(b, scale=1),
        ),
        "Poisson": (sm.Poisson(y, x), at, -sm.Poisson(y, x).hessian(b)),
    }
    glms = {
        "Gaussian": (family.Gaussian(), 0.49, {"sigma": 0.7}, {}),
        "Binomial": (family.Binomial(), 1, {}, {}),
        "Binomial cloglog": (family.Binomial(link.CLogLog()), 1, {}, {}),
        "Poisson with offsets": (family.Poisson(), 1, {}, {"offset": rng.normal(size=20)}),
        "Gamma log": (family.Gamma(link.Log()), 0.7, {"scale": 0.7}, {}),
    }
    for name, (kind, scale, more, options) in glms.items():
        model = sm.GLM(y + 1 if "Gamma" in name else y, x, family=kind, **options)
        found[f"GLM {name}"] = (model, {**at, **more}, -model.information(b, scale=scale))
    return found


@pytest.mark.parametrize("name", models())
def test_the_information_of_a_regression_is_that_of_statsmodels(name: str) -> None:
    model, at, expected = models()[name]
    law = npf.JointLaw.from_statsmodels(model)
    assert law.dimension == 20
    assert {s.name for s in law.free_symbols} == set(at)
    found = npf.fisher_information(law, ["const", "x1"])
    np.testing.assert_allclose(found.at(at), expected, rtol=1e-10)
    assert found.regular is Truth.HOLDS
    assert found.derivation.check() is Truth.HOLDS
    if name != "OLS":  # whose likelihood has the variance profiled out
        scale = (
            {"scale": at["sigma"] ** 2} if "sigma" in at else {"scale": at["scale"]} if "scale" in at else {}
        )
        b = np.array([at["const"], at["x1"]])
        np.testing.assert_allclose(law.at(at).log_pdf(model.endog), [model.loglike(b, **scale)], rtol=1e-10)


def test_what_statsmodels_models_are_no_law_here_is_said() -> None:
    import statsmodels.api as sm

    x, y = np.ones((3, 1)), np.array([0.0, 1.0, 1.0])
    with pytest.raises(ValueError, match="known as laws, got WLS"):
        npf.JointLaw.from_statsmodels(sm.WLS(y, x, weights=[1, 2, 3]))
    with pytest.raises(ValueError, match="got freq_weights other than 1"):
        npf.JointLaw.from_statsmodels(sm.GLM(y, x, freq_weights=np.array([1, 2, 1])))
    with pytest.raises(ValueError, match="families known are"):
        npf.JointLaw.from_statsmodels(
            sm.GLM(y + 1, x, family=sm.families.InverseGaussian(sm.families.links.Log()))
        )
    with pytest.raises(TypeError, match="model of statsmodels"):
        npf.JointLaw.from_statsmodels("OLS")


EXPONENTIAL = A * sp.exp(-A * Y1)


@pytest.mark.parametrize(
    ("build", "said"),
    [
        (
            lambda: npf.JointLaw.chain(normal(Y1, 0, "one"), normal(Y1, 0, "two")),
            "a variable of its own, got y1, y1",
        ),
        (
            lambda: npf.JointLaw.chain(normal(Y1, Y2, "one"), normal(Y2, 0, "two")),
            "one contains y2, which no law",
        ),
        (lambda: npf.JointLaw.chain(normal(Y1, 0, "one"), 3), "laws of single numbers, got int"),
        (
            lambda: npf.JointLaw.chain(
                normal(Y1, 0, "one"), normal(Y2, sp.sqrt(sp.Symbol("y1", positive=True)), "two")
            ),
            "y1 in two is declared to have a sign, but one lies between -oo and oo",
        ),
        (lambda: npf.JointLaw.markov([0.5, 0.5], [[1, 0]], 2), "expected a 2 x 2 transition matrix"),
        (lambda: npf.JointLaw.markov([0.5, 0.6], [[1, 0], [0, 1]], 2), "must add up to 1, got 11/10"),
        (lambda: npf.JointLaw.markov([0.5, 0.5], [[2, -1], [0, 1]], 2), "probabilities must be >= 0"),
        (lambda: npf.JointLaw.markov([0.5, 0.5], [[1, 0], [0, 1]], 0), "length must be a whole number"),
        (lambda: npf.JointLaw.markov([0.5, 0.5], [[Q, 1 - Q], [0, 1]], 2, {"z": (0, 1)}), "domains names z"),
        (lambda: series().at({"z": 1}), "z: no parameter of the chain of 3 laws; expected phi, s"),
        (lambda: series().sample(3, np.random.default_rng(0)), "free parameters phi, s"),
        (
            lambda: series().log_pdf([[1, 2]]),
            r"expected rows of 3 numbers \(y1, y2, y3\), got the shape \(1, 2\)",
        ),
        (lambda: npf.JointLaw.dirichlet([1, 2]).sample(-1, np.random.default_rng(0)), "size must be"),
    ],
)
def test_what_is_no_vector_is_refused(build: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        build()


def gamma_with(name: str) -> npf.JointLaw:
    """A Gamma regression whose design has a column of this name."""
    import statsmodels.api as sm

    rng = np.random.default_rng(3)
    model = sm.GLM(
        rng.gamma(2, 1, 6),
        sm.add_constant(rng.normal(size=6)),
        family=sm.families.Gamma(sm.families.links.Log()),
    )
    model.data.xnames[1] = name
    return npf.JointLaw.from_statsmodels(model)


def test_a_column_with_the_name_of_a_parameter_of_the_law_makes_the_name_ambiguous() -> None:
    law = gamma_with("scale")
    assert {s.name for s in law.free_symbols} == {"const", "b_scale", "law_scale"}
    said = "the coefficient is b_scale, the parameter law_scale"
    asked: list[Any] = [
        lambda: npf.fisher_information(law, "scale"),
        lambda: npf.fisher_information(law, [sp.Symbol("scale", positive=True)]),
        lambda: npf.fisher_information(law, "b_scale").enclose({"scale": 1}),
        lambda: npf.error_bound(law, "law_scale", "law_scale", at={"scale": 1}),
        lambda: npf.error_bound(law, "law_scale", "scale**2"),
        lambda: law.at({"scale": 1}),
    ]
    for ask in asked:
        with pytest.raises(ValueError, match=said):
            ask()
    both = npf.fisher_information(law, ["b_scale", "law_scale"]).value
    assert both is not None
    assert both[0, 1] == 0
    assert [e.has(sp.polygamma) for e in both.diagonal()] == [False, True]
    assert {s.name for s in gamma_with("x").free_symbols} == {"const", "x", "scale"}
    assert gamma_with("b_scale").notes == ()
    assert "b_y" in {s.name for s in gamma_with("y").free_symbols}
