"""The privacy curve of releases with grid noise: against sums over all outcomes, against continuous laws; proofs and refutations."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
import sympy as sp
from flint import ctx

from noiseproof import ApproxDP, Claim, PureDP, RenyiDP, Verdict, examine
from noiseproof.mechanisms.grid_noise import GridNoise, GridRelease, grid_cosine, grid_gaussian, grid_laplace
from noiseproof.mechanisms.grid_noise.half_line import enclosed_profile
from noiseproof.mechanisms.grid_noise.loss_sum import profile_bounds
from noiseproof.mechanisms.grid_noise.pair import GridPair, noise_steps
from noiseproof.symbolic.privacy.pair import GaussianPair, LaplacePair, ProductLaplacePair
from noiseproof.symbolic.proof.enclosure import enclose
from noiseproof.symbolic.proof.truth import Truth

LAPLACE, GAUSSIAN, COSINE = grid_laplace(1.0), grid_gaussian(1.0), grid_cosine(3.0)
EPSILONS = np.array([0.0, 0.1, 0.5, 0.9, 1.0, 2.0])


def one(noise: GridNoise, high: float = 1.0, low: float = 0.0) -> GridRelease:
    return GridRelease((noise,), (low,), (high,))


def direct(columns: list[tuple[GridNoise, int]], epsilon: float, reach: int = 60) -> float:
    """The profile by summing over all outcomes of coarse noise, in floating point."""
    p = q = np.ones(1)
    for noise, span in columns:
        a = np.array([float(noise.mass(k)) for k in range(-reach, reach + span + 1)])
        b = np.array([float(noise.mass(k - span)) for k in range(-reach, reach + span + 1)])
        p, q = np.multiply.outer(p, a).ravel(), np.multiply.outer(q, b).ravel()
    return float(np.maximum(p - math.exp(epsilon) * q, 0.0).sum())


# The exact curve


@pytest.mark.parametrize("noise", [LAPLACE, GAUSSIAN], ids=lambda n: n.kind)
def test_one_column_has_the_curve_of_the_continuous_law(noise: GridNoise) -> None:
    pair = one(noise).pair()
    known = LaplacePair(sp.Integer(1)) if noise is LAPLACE else GaussianPair(sp.Integer(1))
    low, high = pair.bounds(EPSILONS)
    assert (high - low).max() < 1e-14
    assert pair.delta(EPSILONS) == pytest.approx(known.delta(EPSILONS), abs=1e-6)


@pytest.mark.parametrize(
    ("noise", "span"),
    [
        (grid_laplace(2.0, 0), 3),
        (grid_laplace(0.7, 0), 1),
        (grid_laplace(2.0, 0), 50),
        (grid_gaussian(3.0, 0), 4),
        (grid_cosine(9.0, 0), 3),
        (grid_cosine(4.0, 0), 11),
    ],
)
@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.5, 1.4285714285714286, 25.0])
def test_one_column_has_the_curve_that_summing_gives(noise: GridNoise, span: int, epsilon: float) -> None:
    low, high = GridPair(((noise, span, 1),)).bounds(epsilon)
    summed = direct([(noise, span)], epsilon)
    assert low <= high
    assert summed == pytest.approx(float(high), rel=1e-9, abs=1e-13)
    exact = enclose(GridPair(((noise, span, 1),)).profile(sp.Rational(repr(epsilon))))
    assert float(exact.mid()) == pytest.approx(summed, rel=1e-9, abs=1e-13)


@pytest.mark.parametrize(
    "columns",
    [
        [(grid_laplace(2.0, 0), 3), (grid_laplace(2.0, 0), 3)],
        [(grid_laplace(2.0, 0), 3), (grid_gaussian(3.0, 0), 2)],
        [(grid_cosine(9.0, 0), 3), (grid_gaussian(3.0, 0), 2)],
        [(grid_cosine(9.0, 0), 2), (grid_cosine(5.0, 0), 1)],
    ],
)
@pytest.mark.parametrize("cells", [1 << 12, 1 << 17])
def test_bounds_of_several_columns_hold_what_summing_gives(
    columns: list[tuple[GridNoise, int]], cells: int
) -> None:
    counted = tuple((noise, span, columns.count((noise, span))) for noise, span in dict.fromkeys(columns))
    epsilons = np.array([0.0, 0.2, 1.0, 2.0, 2.99, 3.5])
    low, high = profile_bounds(counted, epsilons, cells)
    for e, least, most in zip(epsilons, low, high, strict=True):
        summed = direct(columns, float(e))
        assert least <= summed * (1 + 1e-9) + 1e-13
        assert most >= summed * (1 - 1e-9) - 1e-13
        if cells > 1 << 16 and most > 1e-6:
            assert most - least < 1e-3 * most


def test_twenty_columns_have_the_curve_of_the_continuous_product() -> None:
    pair = GridPair(((LAPLACE, 256, 20),))
    low, high = pair.bounds(EPSILONS)
    assert (high - low <= 1e-6 * high).all()
    known = ProductLaplacePair((sp.Rational(1, 4),) * 20).bounds(EPSILONS)[0]
    assert high == pytest.approx(known, rel=1e-4)
    # Noise on a grid twice as wide but otherwise alike is no less private for half the span: a wrong span would show.
    assert (GridPair(((LAPLACE, 260, 20),)).bounds(EPSILONS)[0] > high).all()


def test_a_single_column_on_the_lattice_agrees_with_its_exact_curve() -> None:
    for noise in (LAPLACE, GAUSSIAN, COSINE):
        pair = GridPair(((noise, 512, 1),))
        exact = pair.bounds(EPSILONS)[0]
        low, high = profile_bounds(pair.columns, EPSILONS, 1 << 16)
        assert (low <= exact * (1 + 1e-12) + 1e-15).all()
        assert (high >= exact * (1 - 1e-12)).all()
        assert high == pytest.approx(exact, rel=1e-4, abs=1e-9)


def test_the_farthest_records_are_the_worst() -> None:
    for noise in (LAPLACE, GAUSSIAN, COSINE):
        curves = [GridPair(((noise, span, 1),)).bounds(EPSILONS) for span in (1, 7, 300, 301, 1024, 3000)]
        for (_, near), (far, _) in itertools.pairwise(curves):
            assert (far >= near - 1e-15).all()


def test_where_the_loss_equals_epsilon_over_a_half_line_the_ball_is_narrow() -> None:
    largest = one(LAPLACE).pair().max_loss()
    with ctx.workprec(160):
        ball = enclosed_profile(LAPLACE, 1024, enclose(largest))
    assert 0 <= float(ball.upper()) < 1e-40


def test_pure_epsilon_and_costs() -> None:
    release = GridRelease((LAPLACE, grid_laplace(5.0)), (0.0, 0.1), (1.0, 2.7))
    epsilon = release.pure_epsilon()
    assert epsilon is not None
    assert epsilon == pytest.approx(1 + 2.6 / 5, rel=1e-3)
    assert epsilon <= (1 + 2.6 / 5) * (1 + 1e-15)
    assert release.pure_epsilon(3) == pytest.approx(3 * epsilon, rel=1e-14)
    assert one(GAUSSIAN).pure_epsilon() is None
    costs = GridRelease((GAUSSIAN, grid_gaussian(4.0)), (0.0, 0.0), (1.0, 2.0)).costs(2)
    assert costs.pure_epsilon is None
    assert costs.rho == pytest.approx(2 * (1 / 2 + 0.25 / 2), rel=1e-12)
    assert 0 < costs.total_variation < 1e-21
    assert release.costs().rho is None


def test_rho_of_the_ideal_law_and_its_distance_bound_the_exact_curve() -> None:
    from noiseproof import ZeroConcentratedDP

    costs, epsilons = one(GAUSSIAN).costs(), np.linspace(0.0, 6.0, 13)
    assert costs.rho is not None
    allowed = ZeroConcentratedDP(costs.rho).curve()(epsilons) + (1 + np.exp(epsilons)) * costs.total_variation
    assert (one(GAUSSIAN).delta(epsilons) <= allowed).all()
    tighter = ZeroConcentratedDP(costs.rho / 2).curve()(epsilons)
    assert not (one(GAUSSIAN).delta(epsilons) <= tighter).all()


@pytest.mark.parametrize(
    "columns", [(GAUSSIAN,), (GAUSSIAN, grid_gaussian(3.0)), (LAPLACE, LAPLACE), (COSINE,)]
)
def test_epsilon_is_the_inverse_of_delta(columns: tuple[GridNoise, ...]) -> None:
    release = GridRelease(columns, (0.0,) * len(columns), (0.3,) * len(columns))
    target = 0.04
    epsilon = release.epsilon(target)
    assert release.delta(epsilon) <= target
    if epsilon > 0:
        assert release.delta(epsilon - 1e-5) > target


def test_renyi_divergence_of_laplace_noise_is_that_of_the_continuous_law() -> None:
    value = one(LAPLACE).pair().renyi(sp.Rational(5, 2))
    assert float(enclose(value).mid()) == pytest.approx(
        float(LaplacePair(sp.Integer(1)).renyi(sp.Rational(5, 2))), rel=1e-6
    )
    assert one(COSINE).pair().renyi(sp.Integer(2)) is sp.oo


# Proofs


def test_every_step_about_the_weights_holds_and_falls_when_sabotaged() -> None:
    for noise in (LAPLACE, GAUSSIAN, COSINE):
        assert all(step.check() is Truth.HOLDS for step in noise_steps(noise))

    def spoilt(**changes: Any) -> GridNoise:
        noise = grid_laplace(1.0, -4)
        copy = object.__new__(GridNoise)
        for name in ("kind", "parameter", "exponent", "first", "weights", "tail", "ratio", "total_variation"):
            object.__setattr__(copy, name, changes.get(name, getattr(noise, name)))
        return copy

    w = grid_laplace(1.0, -4).weights
    dent = list(w)
    dent[len(w) // 2 + 40] -= 1 << 96
    ratio = grid_laplace(1.0, -4).ratio
    tail = grid_laplace(1.0, -4).tail
    sabotage = [
        spoilt(tail=tail + 1),
        spoilt(weights=tuple(dent)),
        spoilt(tail=tail // 2),
        spoilt(tail=2 * tail),
        spoilt(ratio=ratio - (1 << 40)),
    ]
    for i, noise in enumerate(sabotage):
        assert noise_steps(noise)[i].check() is not Truth.HOLDS, i


def law_verdict(release: GridRelease, *predicates: Any) -> list[Verdict]:
    claims = [Claim(p, about="law") for p in predicates]
    return [f.verdict for f in examine(release.mechanism(), claims, samples=1_000).findings]


def test_claims_about_the_law_are_proved_and_two_percent_less_is_refuted() -> None:
    assert law_verdict(one(grid_laplace(2.5), 1.0), PureDP(0.4), PureDP(0.392), RenyiDP(2.0, 0.4)) == [
        Verdict.PROVED,
        Verdict.REFUTED,
        Verdict.PROVED,
    ]
    gaussian = GridRelease((grid_gaussian(10.0), grid_gaussian(30.0)), (0.0, 0.0), (9.0, 20.0))
    epsilon = gaussian.epsilon(1e-5)
    right, wrong = ApproxDP(epsilon, 1e-5), ApproxDP(0.98 * epsilon, 1e-5)
    assert law_verdict(gaussian, right, wrong, PureDP(50.0)) == [
        Verdict.PROVED,
        Verdict.REFUTED,
        Verdict.REFUTED,
    ]
    cosine = one(grid_cosine(100.0), 5.0)
    delta = float(cosine.delta(0.5))
    assert law_verdict(cosine, ApproxDP(0.5, delta * 1.0001), ApproxDP(0.49, delta)) == [
        Verdict.PROVED,
        Verdict.REFUTED,
    ]


def test_a_refutation_of_one_column_is_evaluated_again_from_its_witness() -> None:
    from noiseproof.audit.witnesses import reevaluate

    for noise, claim in (
        (LAPLACE, PureDP(0.98)),
        (LAPLACE, ApproxDP(0.5, 0.2)),
        (GAUSSIAN, ApproxDP(1.0, 0.12)),
    ):
        (finding,) = examine(one(noise).mechanism(), [Claim(claim, about="law")], samples=1_000).findings
        witness = next(e.witness for e in finding.evidence if e.witness)
        assert reevaluate(witness)[0]
