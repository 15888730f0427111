"""Pairs: closed forms against numerical integration and published values, and derivations that can fail."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, optimize, stats

from noiseproof.mechanisms import (
    BoundedMean,
    BoundedSum,
    CosineMechanism,
    GaussianMechanism,
    LaplaceMechanism,
    LinearQuery,
    OptimalGaussian,
    RandomisedResponse,
)
from noiseproof.symbolic import laws
from noiseproof.symbolic.privacy.guarantees import ApproxDP, GaussianDP, PureDP, RenyiDP, ZeroConcentratedDP
from noiseproof.symbolic.privacy.pair import (
    DiscretePair,
    GaussianPair,
    LaplacePair,
    Pair,
    ProductLaplacePair,
    gaussian_delta,
)
from noiseproof.symbolic.privacy.shifted_pair import ShiftedLawPair
from noiseproof.symbolic.proof.derivation import Step
from noiseproof.symbolic.proof.enclosed_matrices import definite, form, inverse
from noiseproof.symbolic.proof.symmetric_matrix import SymmetricMatrix
from noiseproof.symbolic.proof.truth import Truth

PAIRS: dict[str, Pair] = {
    "gaussian": GaussianPair(sp.Rational(7, 5)),
    "laplace": LaplacePair(sp.Rational(3, 2)),
    "discrete": DiscretePair((sp.Rational(3, 4), sp.Rational(1, 4)), (sp.Rational(1, 4), sp.Rational(3, 4))),
    "product": ProductLaplacePair((sp.Rational(1), sp.Rational(1, 2)), grid=1e-3),
    "cosine": ShiftedLawPair(laws.cosine_squared(-1, 1), sp.Rational(1, 4)),
}
MECHANISMS = {
    "laplace": LaplaceMechanism(1.0, 1.0),
    "laplace, vector": LaplaceMechanism(1.0, 1.0, dimension=3),
    "gaussian": GaussianMechanism(2.0, 1.0),
    "gaussian, covariance": GaussianMechanism(covariance=[[2.0, 0.5], [0.5, 1.0]]),
    "optimal": OptimalGaussian(1.0, ([0.0, 0.0], [1.0, 2.0])),
    "cosine": CosineMechanism(-1.0, 1.0),
    "response": RandomisedResponse(1.0, 3),
    "mean": BoundedMean(0.0, 1.0, 10, epsilon=1.0),
    "mean, one more": BoundedMean(0.0, 1.0, 10, epsilon=1.0, adjacency="add-or-remove"),
    "sum": BoundedSum(-1.0, 2.0, sigma=1.0),
    "sum, replaced": BoundedSum(-1.0, 2.0, sigma=1.0, adjacency="replace-one"),
    "linear": LinearQuery([1.0, -3.0], 0.0, 1.0, epsilon=1.0),
}


def hockey_stick(p, q, epsilon: float, points: list[float]) -> float:  # type: ignore[no-untyped-def]
    value, _ = integrate.quad(
        lambda y: max(0.0, p(y) - math.exp(epsilon) * q(y)), -40, 40, points=points, limit=400, epsabs=1e-12
    )
    return float(value)


@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.0, 2.5, 5.0])
@pytest.mark.parametrize("mu", [0.2, 1.0, 3.0])
def test_gaussian_profile_is_the_integral(mu: float, epsilon: float) -> None:
    expected = hockey_stick(stats.norm(mu).pdf, stats.norm(0).pdf, epsilon, [epsilon / mu + mu / 2, 0.0, mu])
    assert float(GaussianPair(sp.Rational(repr(mu))).delta(epsilon)) == pytest.approx(expected, abs=2e-11)


@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.0, 1.4, 1.5, 2.0])
def test_laplace_profile_is_the_integral(epsilon: float) -> None:
    p, q = stats.laplace(1.5).pdf, stats.laplace(0).pdf
    expected = hockey_stick(p, q, epsilon, [0.0, (epsilon + 1.5) / 2, 1.5])
    assert float(LaplacePair(sp.Rational(3, 2)).delta(epsilon)) == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("name", ["gaussian", "laplace", "discrete"])
def test_symbolic_and_floating_profiles_agree(name: str) -> None:
    pair = PAIRS[name]
    for epsilon in (0, sp.Rational(1, 3), 1, 2):
        assert float(sp.N(pair.profile(sp.sympify(epsilon)), 30)) == pytest.approx(
            float(pair.delta(float(epsilon))), abs=1e-14
        )


@pytest.mark.parametrize("order", [1.5, 2.0, 8.0])
def test_renyi_divergences_are_the_integrals(order: float) -> None:
    for pair, p, q in (
        (PAIRS["gaussian"], stats.norm(1.4).logpdf, stats.norm(0).logpdf),
        (PAIRS["laplace"], stats.laplace(1.5).logpdf, stats.laplace(0).logpdf),
    ):
        value, _ = integrate.quad(
            lambda y, p=p, q=q: math.exp(order * p(y) + (1 - order) * q(y)),
            -25,
            45,
            points=[0.0, 1.5, 1.4 * order],
            limit=400,
        )
        assert float(sp.N(pair.renyi(sp.Rational(repr(order))))) == pytest.approx(
            math.log(value) / (order - 1), rel=1e-7
        )


def test_published_values() -> None:
    # Balle and Wang (2018), analytic calibration of the Gaussian mechanism at epsilon = 1, delta = 1e-5.
    sigma = optimize.brentq(lambda s: float(gaussian_delta(1 / s, 1.0)) - 1e-5, 0.5, 20.0)
    assert sigma == pytest.approx(3.7306, abs=5e-5)
    # Dong, Roth, Su (2022): mu = 1 has total variation 2 Phi(1/2) - 1.
    assert float(gaussian_delta(1.0, 0.0)) == pytest.approx(0.3829249225480262, abs=1e-14)
    # Warner's response at epsilon has total variation (e^eps - 1)/(e^eps + 1).
    keep = math.e / (1 + math.e)
    assert float(DiscretePair((keep, 1 - keep), (1 - keep, keep)).delta(0.0)) == pytest.approx(
        math.tanh(0.5), abs=1e-14
    )


def test_gaussian_delta_neither_overflows_nor_leaves_the_unit_interval() -> None:
    for mu in (1e-12, 1e-3, 1.0, 50.0, 1e6):
        delta = gaussian_delta(mu, np.array([0.0, 1.0, 30.0, 700.0, 1e4]))
        assert np.all((delta >= 0) & (delta <= 1))
        assert np.all(np.diff(delta) <= 0)


@given(st.lists(st.floats(-3, 3), min_size=2, max_size=2), st.floats(-0.8, 0.8))
@settings(max_examples=20, deadline=None, derandomize=True)
def test_a_covariance_enters_through_the_mahalanobis_distance(shift: list[float], correlation: float) -> None:
    covariance = np.array([[1.0, correlation], [correlation, 2.0]])
    expected = np.array(shift) @ np.linalg.solve(covariance, np.array(shift))
    if expected < 1e-12:
        return
    read = [fmpq(f.numerator, f.denominator) for f in (Fraction(repr(float(v))) for v in shift)]
    distance = form(inverse(SymmetricMatrix.of("S", covariance).exact), read)
    assert float(distance) == pytest.approx(expected, rel=1e-9)


def test_the_product_profile_is_an_upper_bound_close_to_simulation() -> None:
    pair = PAIRS["product"]
    rng = np.random.default_rng(5)
    y = rng.laplace([1.0, 0.5], 1.0, size=(200_000, 2))
    loss = (np.abs(y) - np.abs(y - [1.0, 0.5])).sum(axis=1)
    for epsilon in (0.0, 0.5, 1.0, 1.4):
        gain = np.maximum(0.0, -np.expm1(epsilon - loss))
        half = 5 * gain.std() / np.sqrt(len(gain))
        assert gain.mean() - half <= float(pair.delta(epsilon)) <= gain.mean() + half + 2e-3
    assert float(pair.delta(1.5)) <= 1e-12 + 2e-3


def test_bounded_noise_has_unbounded_loss() -> None:
    assert PAIRS["cosine"].max_loss() is sp.oo
    assert PureDP(100.0).holds(PAIRS["cosine"]) is Truth.FAILS
    assert ShiftedLawPair(laws.cosine_squared(-1, 1), sp.Integer(0)).max_loss() is not sp.oo
    assert ShiftedLawPair(laws.logistic(), sp.Integer(1)).max_loss() is not sp.oo


SKEWED = DiscretePair(
    tuple(sp.Rational(k, 10) for k in (7, 2, 1)), tuple(sp.Rational(k, 10) for k in (5, 1, 4))
)


@pytest.mark.parametrize("pair", [SKEWED, DiscretePair(SKEWED.q, SKEWED.p)])
def test_a_discrete_pair_is_judged_in_both_orders(pair: DiscretePair) -> None:
    p, q = (np.array(row, dtype=float) for row in (pair.p, pair.q))
    events = [np.array(bits, dtype=bool) for bits in itertools.product((0, 1), repeat=3)]
    for epsilon in (0.0, 0.3, 0.6, 1.0, 1.5):
        best = max(a[e].sum() - math.exp(epsilon) * b[e].sum() for e in events for a, b in ((p, q), (q, p)))
        assert float(pair.profile(sp.Rational(repr(epsilon))).evalf()) == pytest.approx(best, abs=1e-12)
        assert float(pair.delta(epsilon)) == pytest.approx(best, abs=1e-12)
    # The largest loss, log 4, is one of q over p; that of p over q is log 2 only.
    assert PureDP(math.log(4) + 1e-9).holds(pair) is Truth.HOLDS
    assert PureDP(math.log(4) - 1e-9).holds(pair) is Truth.FAILS
    for order in (1.5, 2.0, 7.0):
        larger = max(math.log((a**order * b ** (1 - order)).sum()) / (order - 1) for a, b in ((p, q), (q, p)))
        assert RenyiDP(order, larger + 1e-9).holds(pair) is Truth.HOLDS
        assert RenyiDP(order, larger - 1e-9).holds(pair) is Truth.FAILS


@pytest.mark.parametrize("swapped", [False, True])
def test_an_outcome_of_one_law_only_is_an_unbounded_loss(swapped: bool) -> None:
    rows = (
        (sp.Rational(99, 100), sp.Rational(1, 100), sp.Integer(0)),
        (sp.Integer(1), sp.Integer(0), sp.Integer(0)),
    )
    pair = DiscretePair(*(rows[::-1] if swapped else rows))
    for guarantee in (PureDP(50.0), RenyiDP(2.0, 50.0), ZeroConcentratedDP(50.0), ApproxDP(1.0, 0.0099)):
        assert guarantee.holds(pair) is Truth.FAILS
    assert ApproxDP(1.0, 0.0101).holds(pair) is Truth.HOLDS


def test_laws_that_do_not_differ_satisfy_every_guarantee() -> None:
    zero = sp.Integer(0)
    for pair in (GaussianPair(zero), LaplacePair(zero), ProductLaplacePair((zero, zero))):
        assert pair.max_loss() == 0
        assert list(pair.delta([0.0, 1.0])) == [0, 0]
        for guarantee in (PureDP(1e-9), ApproxDP(0.0, 1e-9), RenyiDP(2.0, 1e-9), ZeroConcentratedDP(1e-9)):
            assert guarantee.holds(pair) is Truth.HOLDS, (guarantee, pair)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        # Read as it stands, a negative distance would satisfy every claim about the largest loss.
        (lambda: LaplacePair(sp.Integer(-5)), "ratio is a distance"),
        (lambda: ProductLaplacePair((sp.Integer(1), sp.Integer(-5))), "ratio is a distance"),
        (lambda: GaussianPair(-sp.sqrt(2)), "mu is a distance"),
        (lambda: DiscretePair((sp.Integer(2), sp.Integer(-1)), (sp.Integer(1), sp.Integer(0))), ">= 0"),
        (lambda: DiscretePair((sp.Integer(1),), (sp.Integer(1), sp.Integer(0))), "same number"),
    ],
)
def test_what_is_no_pair_is_refused(build: Callable[[], Pair], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        build()


def steps() -> list[tuple[str, Step]]:
    found = [(f"{name} {i}", s) for name, pair in PAIRS.items() for i, s in enumerate(pair.steps())]
    for name, mechanism in MECHANISMS.items():
        worst = mechanism.worst_case()
        assert worst is not None
        found += [(f"{name}, worst case {i}", s) for i, s in enumerate(worst.steps)]
    found.append(("deciding pure", PureDP(1.5).inequality(PAIRS["laplace"])))
    found.append(("deciding approximate", ApproxDP(1.0, 0.281).inequality(PAIRS["gaussian"])))
    found.append(("deciding gaussian", GaussianDP(1.4).inequality(PAIRS["gaussian"])))
    return found


def sabotaged(step: Step) -> Step:
    """The step with a mistake of the kind that a slip of the pen makes."""
    if step.relation == "=":
        return replace(step, right=step.right + sp.Rational(1, 1000))
    if step.how is None:
        return replace(step, relation={">=": "<", "<=": ">", ">": "<=", "<": ">="}[step.relation])
    if step.relation == "<=":
        return replace(step, left=step.left * sp.Rational(101, 100))
    return replace(step, left=-step.left)


@pytest.mark.parametrize(("name", "step"), steps(), ids=[name for name, _ in steps()])
def test_every_step_holds_and_its_sabotage_does_not(name: str, step: Step) -> None:
    assert step.check() is Truth.HOLDS
    assert sabotaged(step).check() is not Truth.HOLDS


def test_a_nearly_singular_covariance_is_decided_exactly() -> None:
    # Hilbert's matrix: floating-point eigenvalues are off in the tenth digit, a claim off in the eleventh must fall.
    matrix = np.array([[1 / (i + j + 1) for j in range(7)] for i in range(7)])
    worst = GaussianMechanism(covariance=matrix).worst_case()
    assert isinstance(worst.pair, GaussianPair)
    mu = float(sp.N(worst.pair.mu, 30))
    assert worst.dominating is not None
    assert all(step.check() is Truth.HOLDS for step in worst.steps)
    assert GaussianDP(mu * (1 + 1e-11)).holds(worst.dominating) is Truth.HOLDS
    assert GaussianDP(mu * (1 - 1e-11)).holds(worst.pair) is Truth.FAILS
    exact, least = SymmetricMatrix.of("S", matrix).exact, 1 / Fraction(mu) ** 2
    for factor, expected in ((Fraction(999, 1000), True), (Fraction(1001, 1000), False)):
        value = factor * least
        assert (definite(exact, fmpq(value.numerator, value.denominator)) is Truth.HOLDS) is expected
