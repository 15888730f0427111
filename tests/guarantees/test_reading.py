"""A claim's numbers are read to twelve digits, and no reading makes a claim true that delta's own digits make false."""

from __future__ import annotations

import time

import numpy as np
import pytest
import sympy as sp

from noiseproof import (
    ApproxDP,
    BoundedMean,
    Claim,
    GaussianDP,
    LaplaceMechanism,
    PureDP,
    RandomisedResponse,
    RenyiDP,
)
from noiseproof.audit.record.evidence import Verdict
from noiseproof.audit.trial.examine import examine
from noiseproof.mechanisms.mechanism import Mechanism
from noiseproof.symbolic.privacy.guarantees import Guarantee
from noiseproof.symbolic.privacy.pair import DiscretePair, GaussianPair, LaplacePair, ProductLaplacePair
from noiseproof.symbolic.proof.truth import Truth


def law(mechanism: Mechanism, guarantee: Guarantee) -> Verdict:
    return examine(mechanism, Claim(guarantee, about="law"), samples=100).verdict


@pytest.mark.parametrize("delta", [1e-300, 1e-30, 1e-13, 2.4e-12])
@pytest.mark.parametrize(
    "mechanism",
    [
        LaplaceMechanism(10.000000000005, 1.0),
        LaplaceMechanism(10.000000000005, 1.0, dimension=2),
        RandomisedResponse(10.000000000005),
        BoundedMean(0.0, 1.0, 10, 10.000000000005),
    ],
    ids=lambda m: f"{m.name}-{m.dimension}",
)
def test_the_reading_of_epsilon_never_swamps_delta(mechanism: Mechanism, delta: float) -> None:
    truth = float(mechanism.worst_case().pair.delta(10.0))  # type: ignore[union-attr]
    found = law(mechanism, ApproxDP(10.0, delta))
    assert found is (Verdict.PROVED if delta > truth else Verdict.UNDECIDED)


@pytest.mark.parametrize("scale", [1 / 0.3, 1 / 0.7, 1 / 1.1])
def test_a_scale_that_is_one_rounding_off_keeps_its_epsilon(scale: float) -> None:
    epsilon = round(1 / scale, 3)
    mechanism = LaplaceMechanism(float(np.nextafter(epsilon, 9)), 1.0)
    assert law(mechanism, PureDP(epsilon)) is Verdict.PROVED
    assert law(mechanism, ApproxDP(epsilon, 1e-6)) is Verdict.PROVED
    # Strictly false, by less than anybody reads: neither proved nor refuted.
    assert law(mechanism, ApproxDP(epsilon, 1e-300)) is Verdict.UNDECIDED


@pytest.mark.parametrize("share", [1e-4, 1e-8, 1e-11])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_both_sides_of_a_small_delta_are_told_apart(epsilon: float, share: float) -> None:
    pairs = (GaussianPair(sp.Rational(1, 2)), LaplacePair(sp.Rational(epsilon) + sp.Rational(1, 10**9)))
    for pair in pairs:
        exact = float(sp.N(pair.profile(sp.Rational(str(epsilon))), 30))
        if exact > 0:
            assert ApproxDP(epsilon, exact * (1 + share)).holds(pair) is Truth.HOLDS
            assert ApproxDP(epsilon, exact * (1 - share)).holds(pair) is not Truth.HOLDS


@pytest.mark.parametrize(
    "guarantee",
    [GaussianDP(1.0), GaussianDP(1e-3), ApproxDP(0.5, 1e-3), RenyiDP(2.0, 1e-3), PureDP(1.0)],
    ids=repr,
)
def test_alike_outcomes_cost_nothing_however_many_there_are(guarantee: Guarantee) -> None:
    start = time.process_time()
    small, large = (law(RandomisedResponse(1.0, k), guarantee) for k in (5000, 20_000))
    assert time.process_time() - start < 5
    assert {small, large} <= {Verdict.PROVED, Verdict.SURVIVED, Verdict.REFUTED}


@pytest.mark.parametrize("epsilon", [1e-8, 1e-11, 1e-12, 1e-14])
def test_a_curve_as_small_as_the_accuracy_of_integrals_is_not_survived(epsilon: float) -> None:
    """The total variation is tanh(epsilon/2); this normal one has 4 % less, whatever its size."""
    found = law(RandomisedResponse(epsilon), GaussianDP(1.2 * epsilon))
    assert found in (Verdict.REFUTED, Verdict.UNDECIDED)
    assert law(RandomisedResponse(epsilon), PureDP(epsilon)) is Verdict.PROVED


def test_grouped_outcomes_have_the_profile_of_the_outcomes() -> None:
    third, sixth = sp.Rational(1, 3), sp.Rational(1, 6)
    alike = DiscretePair((third, third, sixth, sixth), (sixth, sixth, third, third))
    two = DiscretePair((2 * third, third), (third, 2 * third))
    for epsilon in (sp.Integer(0), sp.Rational(1, 2), sp.Integer(1)):
        assert sp.simplify(alike.profile(epsilon) - two.profile(epsilon)) == 0
    assert np.allclose(alike.delta([0, 0.5, 1]), two.delta([0, 0.5, 1]), atol=1e-15)
    assert float(alike.renyi(sp.Integer(3))) == pytest.approx(float(two.renyi(sp.Integer(3))))


RATIOS: tuple[tuple[sp.Expr, ...], ...] = (
    (sp.Integer(1500),) * 2,
    (sp.Integer(700),) * 3,
    (sp.Integer(3000), sp.Integer(1)),
    (sp.Rational(1, 2),) * 8000,
    (sp.Integer(10) ** 5,) * 2,
    (sp.Integer(10) ** 200, sp.Integer(1)),
    (sp.Rational(1, 10**200),) * 2,
)


@pytest.mark.parametrize("ratios", RATIOS, ids=lambda r: f"{len(r)} of {float(r[0]):g}")
def test_bounds_of_a_product_are_finite_and_ordered_at_any_sum_of_ratios(ratios: tuple[sp.Expr, ...]) -> None:
    pair = ProductLaplacePair(ratios)
    top = float(pair.max_loss())
    low, high = pair.bounds(np.array([0.0, 0.01, 0.5, 0.99, 1.0, 1.5]) * top)
    assert np.all(np.isfinite(low) & np.isfinite(high) & (low <= high) & (low >= 0) & (high <= 1))
    one = np.asarray(LaplacePair(sp.Max(*ratios)).delta(np.array([0.0, 0.01, 0.5, 0.99]) * top))
    assert np.all(high[:4] >= one * (1 - 1e-9))
    assert np.all(np.diff(high) <= 1e-9)
