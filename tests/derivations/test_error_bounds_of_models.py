"""Error bounds of models that no paper mentions: known values, their order, what they refuse, and what a wrong formula would show."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import noiseproof as npf
from noiseproof.symbolic.information.bounds import derivatives, form, overlaps
from noiseproof.symbolic.information.bounds import error_bound as error_bounds
from noiseproof.symbolic.laws.finite import DiscreteLaw
from noiseproof.symbolic.proof.truth import Truth

Y = sp.Symbol("y")
MU = sp.Symbol("mu", real=True)
T, V, P = sp.symbols("t v p", positive=True)
M = sp.Symbol("m", integer=True, positive=True)
K = sp.Symbol("k", integer=True)
LINE = ("-oo", "oo")
read = npf.Law.from_density
NORMAL = read(sp.exp(-((Y - MU) ** 2) / 2) / sp.sqrt(2 * sp.pi), Y, LINE, name="normal")
STANDARD = read(sp.exp(-(Y**2) / 2) / sp.sqrt(2 * sp.pi), Y, LINE, name="standard normal")
UNIFORM = read(1 / T, Y, (0, T), name="uniform")
SHIFTED = read(sp.exp(-(Y - MU)), Y, (MU, "oo"), name="shifted exponential")
POISSON = read(T**Y * sp.exp(-T) / sp.factorial(Y), Y, (0, "oo"), discrete=True, name="Poisson")
BERNOULLI = read(P**Y * (1 - P) ** (1 - Y), Y, (0, 1), discrete=True, domains={"p": (0, 1)}, name="Bernoulli")
LAPLACE = read(sp.exp(-sp.Abs(Y - MU)) / 2, Y, LINE, name="Laplace")
TICKETS = read(1 / M, Y, (1, M), discrete=True, name="tickets")
UNBIASED = ("cramer-rao", "bhattacharyya", "chapman-robbins", "barankin")


@pytest.mark.parametrize("kind", UNBIASED)
@pytest.mark.parametrize("at", [None, {"mu": 0.5}])
def test_every_kind_finds_the_risk_of_the_mean_of_normal_numbers(kind, at) -> None:
    bound = npf.error_bound(NORMAL, "mu", MU, kind, observations=5, at=at or {"mu": 2})
    assert bound.status == "bound"
    assert bound.numeric == pytest.approx(0.2, rel=1e-5)
    assert bound.numeric <= 0.2
    assert bound.derivation.check() is Truth.HOLDS


@pytest.mark.parametrize(
    ("law", "parameter", "estimand", "kind", "n", "value"),
    [
        (NORMAL, MU, MU**2, "cramer-rao", 5, 4 * MU**2 / 5),
        # The variance of the UMVU estimator, mean^2 - 1/n: Lehmann and Casella 1998, 2.6.
        (NORMAL, MU, MU**2, "bhattacharyya", 5, 4 * MU**2 / 5 + sp.Rational(2, 25)),
        (POISSON, T, sp.exp(-T), "cramer-rao", 4, T * sp.exp(-2 * T) / 4),
        (POISSON, T, sp.exp(-T), "bhattacharyya", 4, sp.exp(-2 * T) * (T / 4 + T**2 / 32)),
        # Chapman-Robbins attains the variance of (1 - 1/n)^sum.
        (POISSON, T, sp.exp(-T), "chapman-robbins", 4, sp.exp(-2 * T) * (sp.exp(T / 4) - 1)),
        (UNIFORM, T, T, "chapman-robbins", 1, T**2 / 4),
        (NORMAL, MU, MU, "chapman-robbins", 5, sp.Rational(1, 5)),
    ],
)
def test_formulas_of_the_textbooks(law, parameter, estimand, kind, n, value) -> None:
    bound = npf.error_bound(law, parameter, estimand, kind, observations=n)
    assert sp.simplify(bound.value - value) == 0
    assert bound.status == "bound"
    assert bound.binds == "unbiased estimators"
    assert bound.derivation.check() is Truth.HOLDS
    assert all(s.left != s.right for s in bound.derivation.steps)


def test_whole_parameters_have_bounds_on_points() -> None:
    tickets = npf.error_bound(TICKETS, M, M, "chapman-robbins", at={M: 10})
    assert tickets.value == 25
    # Hammersley 1950: 1 / (e^(n / sigma^2) - 1).
    whole = read(sp.exp(-((Y - K) ** 2) / 2) / sp.sqrt(2 * sp.pi), Y, LINE)
    assert sp.simplify(npf.error_bound(whole, K, K, "chapman-robbins", at={K: 3}).value - 1 / (sp.E - 1)) == 0
    slope = npf.error_bound(whole, K, K)
    assert slope.status == "inapplicable"
    assert "whole numbers" in slope.reason


def test_a_shifted_exponential_has_the_root_of_hammersley() -> None:
    """max h^2 / (e^(n h) - 1): the maximum solves n h = 2 (1 - e^(-n h)), at n h = 1.59362."""
    bound = npf.error_bound(SHIFTED, MU, MU, "chapman-robbins", observations=2, at={MU: 1})
    h = 1.5936242600400401 / 2
    best = h**2 / np.expm1(2 * h)
    assert best * (1 - 2e-3) < bound.numeric <= best * (1 + 1e-12)
    assert all(h.is_positive for (h,) in bound.points)


def test_the_support_decides_on_which_side_points_may_lie() -> None:
    allowed = npf.error_bound(UNIFORM, T, T, "chapman-robbins", at={T: 1}, points=[-0.5])
    assert allowed.value == sp.Rational(1, 4)
    outside = npf.error_bound(UNIFORM, T, T, "chapman-robbins", at={T: 1}, points=[0.5])
    assert outside.status == "inapplicable"
    assert outside.value is None
    assert "not inside" in outside.reason


def test_outside_of_its_parameters_there_is_no_law_to_compare_with() -> None:
    undeclared = read(P**Y * (1 - P) ** (1 - Y), Y, (0, 1), discrete=True, domains={P: (0, 1)})
    for law in (BERNOULLI, undeclared):
        bound = npf.error_bound(law, P, P, "chapman-robbins", at={P: 0.3}, points=[0.9])
        assert bound.status == "inapplicable"
    rate = read(T * sp.exp(-T * Y), Y, (0, "oo"))
    # At a third of the rate the ratio of densities is not square-integrable.
    assert (
        npf.error_bound(rate, T, T, "chapman-robbins", at={T: 1}, points=[sp.Rational(-2, 3)]).value is None
    )


def test_vectors_are_bounded_by_matrices() -> None:
    law = read(sp.exp(-((Y - MU) ** 2) / (2 * V)) / sp.sqrt(2 * sp.pi * V), Y, LINE)
    bound = npf.error_bound(law, [MU, V], [MU, V], observations=6)
    assert bound.value == sp.ImmutableMatrix([[V / 6, 0], [0, V**2 / 3]])
    quantile = npf.error_bound(law, [MU, V], MU + 2 * sp.sqrt(V), observations=6)
    assert sp.simplify(quantile.value - (V / 6 + V / 3)) == 0
    known_variance = npf.error_bound(law, MU, MU, observations=6)
    assert known_variance.value == V / 6


def test_a_stated_bias_changes_whom_it_binds() -> None:
    """The estimator 4/5 of the mean attains it: 16/25/n + mu^2/25."""
    bound = npf.error_bound(NORMAL, MU, MU, bias=-MU / 5, observations=4)
    assert sp.simplify(bound.value - (sp.Rational(4, 25) + MU**2 / 25)) == 0
    assert bound.binds == "estimators with the stated bias"


def test_van_trees_is_attained_by_the_posterior_mean_of_a_normal() -> None:
    bound = npf.error_bound(NORMAL, MU, MU, "van-trees", observations=5, prior=STANDARD)
    assert bound.value == sp.Rational(1, 6)
    assert bound.binds == "any estimator, on average over the prior"
    tau = sp.Symbol("tau", positive=True)
    wide = read(sp.exp(-(Y**2) / (2 * tau**2)) / (tau * sp.sqrt(2 * sp.pi)), Y, LINE)
    free = npf.error_bound(NORMAL, MU, MU, "van-trees", observations=5, prior={"mu": wide})
    assert sp.simplify(free.value - 1 / (5 + 1 / tau**2)) == 0


def test_weiss_weinstein_holds_where_the_prior_does_not_vanish() -> None:
    flat = read(sp.Integer(1), Y, (1, 2))
    assert npf.error_bound(UNIFORM, T, T, "van-trees", prior=flat).status == "inapplicable"
    bound = npf.error_bound(UNIFORM, T, T, "weiss-weinstein", prior=flat)
    # The risk of the posterior mean, in closed form in the benchmark's list.
    assert 0.02 < bound.numeric < 0.0706
    ball = bound.enclose(tolerance=1e-9)[0][0]
    assert float(ball.rad()) <= 1e-9
    assert bound.derivation.check() is Truth.HOLDS
    normal = npf.error_bound(NORMAL, MU, MU, "weiss-weinstein", observations=5, prior=STANDARD)
    assert 0.1666 < normal.numeric <= 1 / 6


def test_a_uniform_location_with_a_uniform_prior_has_the_bound_of_weiss_and_weinstein() -> None:
    """Affinity (1 - h) of the outcomes and (1 - h) of the prior: h^2 (1 - h)^4 / (2 (1 - (1 - 2 h)^2)) at one h."""
    law = read(sp.Integer(1), Y, (MU, MU + 1))
    flat = read(sp.Integer(1), Y, (0, 1))
    h = sp.Rational(1, 4)
    bound = npf.error_bound(law, MU, MU, "weiss-weinstein", prior=flat, points=[h])
    assert bound.numeric == pytest.approx(float(h**2 * (1 - h) ** 4 / (2 * (1 - (1 - 2 * h) ** 2))), rel=1e-6)


def test_order() -> None:
    """Two derivatives give no less than one, several points no less than each of them, the best no less than all."""
    kinds = {k: npf.error_bound(POISSON, T, sp.exp(-T), k, observations=4, at={T: 2}) for k in UNBIASED}
    size = {k: b.numeric for k, b in kinds.items()}
    assert size["bhattacharyya"] > size["cramer-rao"]
    both = [sp.Rational(-1, 2), sp.Rational(3, 4)]
    together = npf.error_bound(POISSON, T, sp.exp(-T), "barankin", observations=4, at={T: 2}, points=both)
    for h in both:
        alone = npf.error_bound(
            POISSON, T, sp.exp(-T), "chapman-robbins", observations=4, at={T: 2}, points=[h]
        )
        assert together.numeric >= alone.numeric
    best = npf.best_bound(POISSON, T, sp.exp(-T), observations=4, at={T: 2})
    assert best.numeric >= max(size.values()) * (1 - 1e-12)
    assert [b.kind for b in best.compared] == list(UNBIASED)


def test_the_best_bound_says_what_did_not_apply() -> None:
    best = npf.best_bound(UNIFORM, T, T, at={T: 2}, observations=3)
    assert best.kind == "barankin"
    assert "cramer-rao: irregular" in best.reason
    assert {b.adversary for b in best.compared} == {"unbiased"}
    flat = read(sp.Integer(1), Y, (1, 2))
    anyone = npf.best_bound(UNIFORM, T, T, "anyone", prior=flat)
    assert anyone.kind == "weiss-weinstein"
    assert {b.adversary for b in anyone.compared} == {"anyone"}


def test_points_give_a_valid_bound_wherever_they_are() -> None:
    """No admissible point exceeds the variance of the UMVU estimator, t^2/3."""
    for k in range(1, 16):
        bound = npf.error_bound(UNIFORM, T, T, "chapman-robbins", points=[-sp.Rational(k, 16) * T])
        assert bound.value.subs(T, 1) <= sp.Rational(1, 3)


def test_a_kink_has_no_second_derivative() -> None:
    bound = npf.error_bound(LAPLACE, MU, MU, "bhattacharyya")
    assert bound.status == "inapplicable"
    assert "second derivative" in bound.reason
    first = npf.error_bound(LAPLACE, MU, MU, "chapman-robbins", at={MU: 0}, points=[1])
    # int f(y - 1)^2 / f(y) dy = (2 e + e^-2) / 3 for the Laplace law.
    truth = 1 / ((2 * np.e + np.exp(-2)) / 3 - 1)
    assert first.numeric == pytest.approx(truth, rel=1e-9)


def test_what_was_stopped_says_where(monkeypatch: pytest.MonkeyPatch) -> None:
    def spin(*_: object) -> None:
        while True:
            pass

    monkeypatch.setattr(error_bounds, "weiss_weinstein", spin)
    bound = npf.error_bound(LAPLACE, MU, MU, "weiss-weinstein", prior=STANDARD, effort=0.001)
    assert bound.status == "unknown"
    assert "the bound weiss-weinstein was stopped at the limit of 1 s of processor time" in bound.reason
    assert bound.numeric is None


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: npf.error_bound(NORMAL, MU, MU, "cramer-roa"), "did you mean 'cramer-rao'"),
        (lambda: npf.error_bound(NORMAL, MU, sp.Symbol("z")), "estimand contains z"),
        (lambda: npf.error_bound(NORMAL, "nu", MU), "no parameter of normal"),
        (lambda: npf.error_bound(NORMAL, MU, sp.Integer(3)), "known already"),
        (lambda: npf.error_bound(NORMAL, MU, []), "empty list"),
        (lambda: npf.error_bound(NORMAL, MU, MU, bias=[MU, MU]), "one formula for each of the 1"),
        (lambda: npf.error_bound(NORMAL, MU, MU, observations=0), "at least 1"),
        (lambda: npf.error_bound(NORMAL, MU, MU, observations=2.5), "whole number"),
        (lambda: npf.error_bound(NORMAL, MU, MU, at={"mu": float("nan")}), "finite"),
        (lambda: npf.error_bound(UNIFORM, T, T, at={"t": -1}), "contradicts"),
        (lambda: npf.error_bound(BERNOULLI, P, P, at={"p": 1.5}), "outside of its domain"),
        (lambda: npf.error_bound(NORMAL, MU, MU, at={"nu": 1}), "no parameter"),
        (lambda: npf.error_bound(NORMAL, MU, MU, "van-trees"), "binds on average over a prior"),
        (lambda: npf.error_bound(NORMAL, MU, MU, "van-trees", prior=[STANDARD, STANDARD]), "got 2"),
        (lambda: npf.error_bound(NORMAL, MU, MU, "van-trees", prior={"nu": STANDARD}), "unknown: nu"),
        (lambda: npf.error_bound(NORMAL, MU, MU, points=[1]), "has no points"),
        (lambda: npf.error_bound(NORMAL, MU, MU, "barankin", points=[0]), "offset is zero"),
        (lambda: npf.error_bound(NORMAL, MU, MU, "barankin", points=[]), "at least one"),
        (lambda: npf.error_bound(NORMAL, MU, MU, "chapman-robbins", points=[1, 2]), "takes one point"),
        (lambda: npf.error_bound(NORMAL, MU, MU, "barankin", points=[[1, 2]]), "each of the 1 parameters"),
        (lambda: npf.error_bound(NORMAL, MU, MU, effort=0), "effort must be a number from 0.001 to 1000"),
        (lambda: npf.best_bound(NORMAL, MU, MU, "unbaised"), "did you mean 'unbiased'"),
        (lambda: npf.best_bound(NORMAL, MU, MU, "anyone"), "on average over a prior"),
        (
            lambda: npf.best_bound(NORMAL, MU, MU, "anyone", prior=STANDARD, bias=MU),
            "a bias cannot be stated",
        ),
    ],
)
def test_what_is_no_question_is_said_at_once(call, message) -> None:
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize(
    "call",
    [
        lambda: npf.error_bound("normal", MU, MU),
        lambda: npf.error_bound(NORMAL, 3, MU),
        lambda: npf.error_bound(NORMAL, MU, None),
        lambda: npf.error_bound(NORMAL, MU, MU, "van-trees", prior="normal"),
        lambda: npf.error_bound(NORMAL, MU, MU, at=[1]),
    ],
)
def test_what_has_a_wrong_type_is_said_at_once(call) -> None:
    with pytest.raises(TypeError, match="got"):
        call()


def test_names_numbers_and_symbols_with_other_assumptions_are_read() -> None:
    plain = sp.Symbol("mu")
    for estimand in (plain, "mu", MU, [MU], np.array([MU])):
        bound = npf.error_bound(NORMAL, "mu", estimand, observations=np.int64(5))
        value = bound.value if bound.problem.scalar else bound.value[0, 0]
        assert value == sp.Rational(1, 5)


def test_priors_that_do_not_vanish_or_have_kinks_are_told() -> None:
    flat = read(sp.Rational(1, 2), Y, (-1, 1))
    bound = npf.error_bound(NORMAL, MU, MU, "van-trees", prior=flat)
    assert bound.status == "inapplicable"
    assert bound.reason.endswith("vanish at the ends of its support, and at mu = -1 it is 1/2")
    outside = npf.error_bound(UNIFORM, T, T, "weiss-weinstein", prior=STANDARD)
    assert outside.status == "inapplicable"
    assert "but t is positive" in outside.reason
    wide = read(sp.Rational(1, 2), Y, (0, 2))
    assert npf.error_bound(BERNOULLI, P, P, "weiss-weinstein", prior=wide).status == "inapplicable"


def test_estimands_with_kinks_have_no_slope() -> None:
    bound = npf.error_bound(NORMAL, MU, sp.Abs(MU))
    assert bound.status == "inapplicable"
    assert "kink" in bound.reason
    assert npf.error_bound(NORMAL, MU, sp.Abs(MU), at={MU: 1}).value == 1
    assert npf.error_bound(NORMAL, MU, sp.sign(MU), "chapman-robbins", at={MU: 1}).status == "bound"


def test_laws_on_a_few_values_are_bounded() -> None:
    """p/2, p/2, 1 - p: the first two tell what a Bernoulli number tells, whose mean attains p (1 - p)/n."""
    law = DiscreteLaw([0, 1, 2], [P / 2, P / 2, 1 - P])
    half = sp.Rational(1, 2)
    limit = npf.error_bound(law, P, P, "chapman-robbins", at={P: half}, observations=3)
    assert limit.value == sp.Rational(1, 12)
    slope = npf.error_bound(law, P, P, at={P: half}, observations=3)
    # Nobody said that p is below one, so that it is regular is open.
    assert slope.status == "open"
    assert slope.numeric == pytest.approx(1 / 12)
    gone = npf.error_bound(law, P, P, "chapman-robbins", at={P: 1}, points=[-half])
    assert gone.status == "inapplicable"


def test_heavy_tails_have_points() -> None:
    cauchy = read(1 / (sp.pi * (1 + (Y - MU) ** 2)), Y, LINE)
    one = npf.error_bound(cauchy, MU, MU, "chapman-robbins", at={MU: 0}, points=[sp.Rational(1, 2)])
    # 1 + chi-square of two Cauchy laws at distance h is 1 + h^2/2.
    assert one.numeric == pytest.approx(2.0, rel=1e-6)


def test_risks_stand_beside_the_bound() -> None:
    """Lehmann and Casella 1998, 2.1: of the uniform law, from three observations."""
    risks = {
        r.estimator: r.value for r in npf.error_bound(UNIFORM, T, T, "chapman-robbins", observations=3).risks
    }
    largest = sp.Symbol("largest", real=True)
    assert risks == {2 * sp.Symbol("y", real=True): T**2 / 9, largest: T**2 / 10, 4 * largest / 3: T**2 / 15}
    normal = npf.error_bound(NORMAL, MU, MU, "van-trees", observations=5, prior=STANDARD).risks
    assert [r.value for r in normal] == [sp.Rational(1, 5), sp.Rational(1, 6)]
    assert npf.error_bound(NORMAL, MU, MU, bias=-MU / 5).risks == ()


def test_an_estimator_of_ones_own_has_its_risk() -> None:
    shrunk = npf.estimator_risk(NORMAL, MU, MU, 5 * Y / 6, observations=5, prior=STANDARD)
    assert shrunk.value == sp.Rational(1, 6)
    halved = npf.estimator_risk(LAPLACE, MU, MU, Y / 2, observations=4)
    assert sp.simplify(halved.value - (MU**2 / 4 + sp.Rational(1, 8))) == 0
    logistic = read(sp.exp(-(Y - MU)) / (1 + sp.exp(-(Y - MU))) ** 2, Y, LINE)
    cubed = npf.estimator_risk(logistic, MU, MU, Y**3 / 10, at={MU: 0})
    # E Y^6 = 31 pi^6 / 21 of the logistic law.
    assert cubed.numeric == pytest.approx(31 * np.pi**6 / 21 / 100)
    assert float(cubed.enclose(1e-9).rad()) <= 1e-9
    assert npf.estimator_risk(NORMAL, MU, MU, "y/2").value == (MU**2 + 1) / 4  # a formula may come as text
    for estimator, kind in (("y +", ValueError), ("mu", ValueError), (Y + MU, ValueError), (None, TypeError)):
        with pytest.raises(kind, match="estimator"):
            npf.estimator_risk(NORMAL, MU, MU, estimator)


@pytest.mark.parametrize("points", [["1"], [True], "1", {1: 2}])
def test_points_of_a_wrong_type_are_told(points) -> None:
    with pytest.raises(TypeError, match="got"):
        npf.error_bound(NORMAL, MU, MU, "barankin", points=points)


def test_it_is_shown_in_notebooks_and_sentences() -> None:
    bound = npf.error_bound(NORMAL, MU, MU, observations=5)
    assert bound._repr_latex_() == r"$\frac{1}{5}$"
    assert "at least 1/5, for unbiased estimators" in bound.sentence()
    assert "no bound" in npf.error_bound(UNIFORM, T, T)._repr_latex_()


def _doubled(monkeypatch, module, name) -> None:
    real = getattr(module, name)
    monkeypatch.setattr(module, name, lambda *a: real(*a).map(lambda e: 2 * e))


def test_a_wrong_second_moment_is_seen(monkeypatch) -> None:
    _doubled(monkeypatch, derivatives, "mean_of")
    assert npf.error_bound(NORMAL, MU, MU**2, "bhattacharyya").derivation.check() is Truth.FAILS


def test_a_wrong_constant_of_an_overlap_is_seen(monkeypatch) -> None:
    real = overlaps.natural
    monkeypatch.setattr(overlaps, "natural", lambda *a: (real(*a)[0], [*real(*a)[1], T / 7]))
    bound = npf.error_bound(POISSON, T, T, "chapman-robbins", points=[T / 2])
    assert bound.derivation.check() is Truth.FAILS


def test_a_wrong_solution_is_seen(monkeypatch) -> None:
    real = form._solved
    monkeypatch.setattr(
        form, "_solved", lambda c, d, n: (real(c, d, n)[0] * 2, c * real(c, d, n)[0] * 2 - d.T)
    )
    assert npf.error_bound(NORMAL, MU, MU).derivation.check() is Truth.FAILS
