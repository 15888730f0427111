"""The attacks on RON-Gauss: exact losses, witnesses, weighted draws, synthetic records, and both words of each."""

from __future__ import annotations

import copy
import json
from typing import Any

import numpy as np
import pytest
import sympy as sp
from bound_trials.betting import pairs_needed
from ron_gauss_trials import symmetrised, tilted
from ron_gauss_trials.augmented import augmented_attack, least_safe_label, widest_pair
from ron_gauss_trials.covariance import MatrixAttack, covariance_attack
from ron_gauss_trials.pipeline import PipelineAttack, pipeline_attack
from ron_gauss_trials.single_record import far_record
from ron_gauss_trials.synthetic import synthetic_attack

from noiseproof.audit.record.evidence import Verdict
from noiseproof.audit.witnesses import reevaluate
from noiseproof.mechanisms.ron_gauss.release import RonGaussRelease
from noiseproof.mechanisms.ron_gauss.scales import needed_augmented, printed_augmented
from noiseproof.symbolic.privacy.pair import ProductLaplacePair
from noiseproof.symbolic.proof.enclosure import compare, enclose
from noiseproof.symbolic.proof.truth import Truth

ALPHA = 1e-3


@pytest.mark.parametrize("p", range(1, 21))
def test_the_printed_scale_is_too_small_from_three_dimensions_on(p: int) -> None:
    attack = covariance_attack(p, 100, 1.0)
    needed = covariance_attack(p, 100, 1.0, "needed")
    # sup |uu' - vv'|_1 over 2 sqrt(p).
    exact = sp.sqrt(2 * p * p - p % 2) / (2 * sp.sqrt(p))
    assert compare(attack.max_loss, "=", exact) is Truth.HOLDS
    assert attack.verdict is (Verdict.PROVED if p <= 2 else Verdict.REFUTED)
    assert needed.verdict is Verdict.PROVED
    assert needed.delta_at_claim == (0.0, 0.0)
    assert needed.sample_size() == np.inf
    low, high = attack.delta_at_claim
    assert (0 < low <= high < 1.001 * low) if p > 2 else (low == high == 0)
    # The loss is that of the two vectors, by floating point.
    moved = np.abs(np.outer(attack.u, attack.u) - np.outer(attack.v, attack.v)).sum() / 100
    assert moved / float(attack.scale) == pytest.approx(float(attack.max_loss), rel=1e-12)


@pytest.mark.parametrize("p", [2, 3, 5, 6, 7, 12])
def test_on_the_triangle_the_printed_scale_is_too_small_from_six_dimensions_on(p: int) -> None:
    attack = covariance_attack(p, 50, 0.5, symmetric=True)
    assert attack.verdict is (Verdict.PROVED if p <= 5 else Verdict.REFUTED)
    assert covariance_attack(p, 50, 0.5, "needed", symmetric=True).verdict is Verdict.PROVED
    d = np.abs(np.outer(attack.u, attack.u) - np.outer(attack.v, attack.v))[np.triu_indices(p)].sum() / 50
    assert d / float(attack.scale) == pytest.approx(float(attack.max_loss), rel=1e-12)


def test_how_severe_it_is() -> None:
    orders = {8: 1.673e-6, 20: 3.275e-12, 50: 8.41e-26}
    for p, delta in orders.items():
        assert covariance_attack(p, 100, 1.0).delta_at_claim[0] == pytest.approx(delta, rel=1e-3)
    attack = covariance_attack(3, 100, 1.0)
    ball = enclose(attack.pair.profile(sp.Integer(1)))
    low, high = attack.delta_at_claim
    assert low <= float(ball.mid()) <= high
    # The number of records cancels.
    assert covariance_attack(3, 7, 1.0).max_loss == attack.max_loss
    # The epsilon that holds: all of it for delta -> 0, the claimed one at its own delta.
    assert attack.epsilon_at(high) == pytest.approx(1.0, abs=1e-6)
    assert 1.0 < attack.epsilon_at(1e-6) < float(attack.max_loss)
    assert attack.epsilon_at(0.9) == 0.0


def test_plain_samples_are_counted_as_by_the_closed_form_of_one_number() -> None:
    """One Laplace number of ratio 2 against epsilon 1: the rates of {loss > t} are known."""
    ratio, epsilon = 2.0, 1.0
    one = MatrixAttack(
        epsilon, sp.Integer(1), np.ones(1), np.zeros(1), ProductLaplacePair((sp.Integer(2),)), sp.Integer(2)
    )
    t = np.linspace(epsilon, ratio, 2_000)[:-1]
    p, q = 1 - np.exp(-(ratio - t) / 2) / 2, np.exp(-(ratio + t) / 2) / 2
    exact = min(pairs_needed(a, b, epsilon, 0.0, 0.05) for a, b in zip(p[::20], q[::20], strict=True))
    assert one.sample_size() == pytest.approx(exact, rel=0.02)
    # Rare events: far more than 1/delta, since most of delta lies where the odds are hardly better than claimed.
    for p_, least in ((3, 2e5), (8, 1.2e8), (20, 1.5e14)):
        attack = covariance_attack(p_, 100, 1.0)
        needed = attack.sample_size()
        assert least < needed < 2 * least
        assert needed > 10 / attack.delta_at_claim[1]


def test_weighted_draws_of_the_covariance_agree_with_the_exact_profile() -> None:
    attack = covariance_attack(8, 100, 1.0)
    low, high = attack.delta_at_claim
    sample = attack.weighted(6_000, seed=1)
    gains = sample.gains(1.0)
    spread = 4.5 * gains.std() / np.sqrt(len(gains))
    assert gains.mean() - spread <= low <= high <= gains.mean() + spread
    assert 0.4 * low < sample.lower(1.0, ALPHA) < high
    assert covariance_attack(8, 100, 1.0, "needed").weighted(6_000).lower(1.0, ALPHA) == 0.0


@pytest.mark.parametrize("steepness", [0.0, -1.0, 3.0, 20.0])
def test_tilted_noise_has_the_density_that_it_says(steepness: float) -> None:
    rng = np.random.default_rng(5)
    shift = np.tile([0.3, -0.7, 0.0, 1.1], (40_000, 1))
    noise = tilted.tilted_noise(shift, steepness, rng)
    if steepness < 5:  # beyond, the weights are too wild to average
        back = np.exp(tilted.log_normaliser(shift, steepness) - steepness * tilted.losses(noise, shift))
        assert abs(back.mean() - 1) < 5 * back.std() / 200 + 1e-9
    # Any function has the same mean by both routes.
    plain = rng.laplace(size=shift.shape)
    forth = np.exp(steepness * tilted.losses(plain, shift) - tilted.log_normaliser(shift, steepness))
    seen, expected = noise[:, 1] > 0.2, (plain[:, 1] > 0.2) * forth
    assert abs(seen.mean() - expected.mean()) < 5 * np.hypot(seen.std(), expected.std()) / 200
    if steepness == -1.0:
        assert abs(np.median(noise, axis=0) - shift[0]).max() < 0.05


def test_tilts_reach_the_loss_that_is_asked_for() -> None:
    shift = np.full(64, 1 / 32)
    for target in (0.5, 1.0, 1.8):
        s = tilted.steepness_for(shift, target)
        noise = tilted.tilted_noise(np.tile(shift, (4_000, 1)), s, np.random.default_rng(0))
        assert tilted.losses(noise, shift).mean() == pytest.approx(target, abs=0.03)


def test_tilted_cells_have_the_density_that_they_say() -> None:
    rng = np.random.default_rng(6)
    p, many = 3, 40_000
    shift, diagonal = np.array([0.2, -0.1, 0.0, 0.3, 0.1, -0.2]), symmetrised.on_diagonal(3)
    full = rng.laplace(size=(many, p, p))
    plain = ((full + np.swapaxes(full, 1, 2)) / 2)[:, *np.triu_indices(p)]
    for steepness in (0.0, 3.0):
        tilt = symmetrised.CellTilt.of(shift, diagonal, steepness)
        z = tilt.draw(many, rng)
        back = np.exp(-tilt.log_ratio(z))
        assert abs(back.mean() - 1) < 5 * back.std() / 200 + 1e-9
        # Weighted back, the law is that of a symmetrised Laplace matrix.
        for entry in (0, 1, 5):
            for level in (-0.4, 0.6):
                a, b = (z[:, entry] > level) * back, plain[:, entry] > level
                assert abs(a.mean() - b.mean()) < 5 * np.hypot(a.std(), b.std()) / 200
    # The second centre, weighted from the first.
    ratio = np.exp(-symmetrised.entry_losses(plain, shift, diagonal).sum(axis=1))
    assert abs(ratio.mean() - 1) < 5 * ratio.std() / 200
    s = symmetrised.steepness_for(shift, diagonal, 0.6)
    z = symmetrised.CellTilt.of(shift, diagonal, s).draw(4_000, rng)
    assert symmetrised.entry_losses(z, shift, diagonal).sum(axis=1).mean() == pytest.approx(0.6, abs=0.1)


def released_law(attack: PipelineAttack, first: bool, mu: Any, s: Any) -> float:
    """Log density of (mu, S), up to a constant, from all n raw records, step by step as algorithm 3 has them."""
    rows = np.vstack([attack.x if first else -attack.x, *[attack.r] * (attack.n - 1)]) * 3.7
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    by_mean = np.abs(mu - unit.mean(axis=0)).sum() / float(attack.mean_scale)
    centred = unit - mu
    again = centred / np.linalg.norm(centred, axis=1, keepdims=True)
    projected = again @ attack.projection
    difference = np.abs(s - projected.T @ projected / attack.n)
    entries = difference[np.triu_indices(len(s))] if attack.symmetric else difference
    return -float(by_mean + entries.sum() / float(attack.matrix.scale))


@pytest.mark.parametrize(
    ("p", "m", "n", "symmetric"), [(1, 2, 5, False), (3, 3, 40, False), (4, 9, 60, True), (8, 9, 100, False)]
)
def test_both_parts_of_the_loss_are_largest_together(p: int, m: int, n: int, symmetric: bool) -> None:
    attack = pipeline_attack(p, m, n, 0.5, 1.0, symmetric=symmetric)
    by_mean, by_covariance = attack.loss
    assert by_mean == pytest.approx(0.5, abs=1e-9)
    assert by_covariance == pytest.approx(float(attack.matrix.max_loss), abs=1e-7)
    assert by_mean + by_covariance <= float(attack.ceiling) + 1e-9
    mu, s = attack.outputs
    naive = released_law(attack, True, mu, s) - released_law(attack, False, mu, s)
    assert naive == pytest.approx(by_mean + by_covariance, abs=1e-6)
    assert np.allclose(attack.projection.T @ attack.projection, np.eye(p), atol=1e-12)


@pytest.mark.parametrize("symmetric", [False, True])
def test_the_subject_of_audits_has_the_same_loss(symmetric: bool) -> None:
    """Another route: the joint log density that the pipeline declares."""
    attack = pipeline_attack(4, 6, 30, 0.5, 1.0, "needed", symmetric)
    w = attack.projection
    subject = RonGaussRelease(6, 4, 30, attack.mean_scale, attack.matrix.scale, symmetric, w)
    data = [np.vstack([x, *[attack.r] * 29]) for x in (attack.x, -attack.x)]
    rng = np.random.default_rng(9)
    kept = np.triu_indices(4) if symmetric else np.indices((4, 4)).reshape(2, -1)
    for mu, s in [attack.outputs, (rng.normal(size=6), rng.normal(size=(4, 4)) / 30)]:
        y = np.concatenate([mu, s[kept[0], kept[1]]])[None, :]
        here, there = (float(subject.law(x).log_density(y)[0]) for x in data)
        assert here - there == pytest.approx(
            released_law(attack, True, mu, s) - released_law(attack, False, mu, s), abs=1e-8
        )
    mu, s = attack.outputs
    here, there = (
        float(subject.law(x).log_density(np.concatenate([mu, s[kept[0], kept[1]]])[None, :])[0]) for x in data
    )
    assert here - there == pytest.approx(sum(attack.loss), abs=1e-6)


@pytest.mark.parametrize("p", [2, 3, 8])
def test_the_added_budget_is_exceeded_at_the_printed_scale_only(p: int) -> None:
    witness = json.loads(json.dumps(pipeline_attack(p, p + 1, 100, 1.0, 1.0).witness()))
    assert reevaluate(witness)[0] is (p > 2)
    needed = pipeline_attack(p, p + 1, 100, 1.0, 1.0, "needed")
    assert reevaluate(needed.witness())[0] is False
    # The needed scale leaves nothing to spare for even p.
    assert reevaluate(needed.witness(1.999 if p % 2 == 0 else 1.96))[0] is True
    assert sum(needed.loss) <= 2.0
    assert float(needed.ceiling) == pytest.approx(2.0)


def test_edited_witnesses_fall() -> None:
    attack = pipeline_attack(3, 4, 50, 1.0, 1.0)
    witness = json.loads(json.dumps(attack.witness()))
    standing, text = reevaluate(witness)
    assert standing
    assert "2.190238" in text
    changes: list[tuple[str, Any]] = [
        ("epsilon", "2.2"),
        ("mean", ["0.1", "0", "0", "0"]),
        ("covariance_scale", "2*sqrt(3)/50*2"),
        ("records", [witness["records"][0]] * 2),
        ("mean_scale", "1"),
        ("covariance", [["0"] * 3] * 3),
    ]
    for key, value in changes:
        assert reevaluate(copy.deepcopy(witness) | {key: value})[0] is False, key
    for key, value in [
        ("columns", [["1", "0", "0"]] * 4),
        ("count", 1),
        ("mean", ["0"]),
        ("mean_scale", "-1"),
        ("other", ["0"] * 4),
    ]:
        with pytest.raises(ValueError, match=r"expected|direction|positive"):
            reevaluate(copy.deepcopy(witness) | {key: value})


def test_for_a_given_projection_the_budget_is_exceeded_too() -> None:
    w = np.linalg.qr(np.random.default_rng(3).standard_normal((20, 6)))[0]
    attack = pipeline_attack(6, 20, 1_000, 1.0, 1.0, projection=w)
    assert attack.loss[0] > 0.8
    assert attack.loss[1] == pytest.approx(np.sqrt(3), abs=1e-3)
    assert reevaluate(attack.witness())[0] is True
    assert reevaluate(pipeline_attack(6, 20, 1_000, 1.0, 1.0, "needed", projection=w).witness())[0] is False


def test_weighted_draws_of_the_pipeline_agree_with_plain_ones_of_the_raw_steps() -> None:
    attack = pipeline_attack(3, 4, 30, 1.0, 1.0)
    rng = np.random.default_rng(4)
    mean = (29 * attack.r + attack.x) / 30
    gains = []
    for _ in range(1_500):
        mu = mean + rng.laplace(scale=float(attack.mean_scale), size=4)
        ends = [(row - mu) / np.linalg.norm(row - mu) @ attack.projection for row in (attack.x, attack.r)]
        s = (np.outer(ends[0], ends[0]) + 29 * np.outer(ends[1], ends[1])) / 30
        s = s + rng.laplace(scale=float(attack.matrix.scale), size=(3, 3))
        loss = released_law(attack, True, mu, s) - released_law(attack, False, mu, s)
        gains.append(max(0.0, -np.expm1(0.5 - loss)))
    weighted = attack.weighted(20_000, seed=2, epsilon=0.5).gains(0.5)
    error = np.hypot(np.std(gains) / np.sqrt(len(gains)), weighted.std() / np.sqrt(len(weighted)))
    assert abs(np.mean(gains) - weighted.mean()) < 5 * error
    assert np.mean(gains) > 10 * error


def test_delta_of_the_pipeline_is_certified_where_no_plain_sample_sees_it() -> None:
    attack = pipeline_attack(8, 9, 10**7, 1.0, 1.0)
    sample = attack.weighted(12_000)
    low = sample.lower(attack.epsilon, ALPHA)
    assert 1e-9 < low < 1e-8
    assert abs(sample.weights.mean() - 1) < 5 * sample.weights.std() / np.sqrt(12_000)
    # Many records: the mean is all but known, and the two parts are independent entries with fixed shifts.
    shifts = np.abs(
        np.concatenate([attack._mean_shift(), attack._covariance_shift(attack._means()[0][None, :])[0]])
    )
    exact_low, exact_high = ProductLaplacePair(tuple(sp.Rational(f"{s:.12f}") for s in shifts)).bounds(2.0)
    gains = sample.gains(2.0)
    spread = 5 * gains.std() / np.sqrt(len(gains))
    assert gains.mean() - spread < float(exact_low) <= float(exact_high) < gains.mean() + spread
    assert low < float(exact_high)
    for scale in ("needed",):
        assert pipeline_attack(8, 9, 1_000, 1.0, 1.0, scale).weighted(5_000).lower(2.0, ALPHA) == 0.0


def test_the_augmented_printed_scale_is_too_small_for_small_labels_from_three_dimensions_on() -> None:
    for p, a, too_small in [
        (2, 0.01, False),
        (2, 3.0, False),
        (3, 0.1, True),
        (3, 2.0, False),
        (8, 1.0, True),
        (6, 0.5, True),
    ]:
        attack = augmented_attack(p, a, 100, 1.0)
        assert (attack.verdict is Verdict.REFUTED) is too_small, (p, a)
        assert too_small or p > 2 or attack.verdict is Verdict.PROVED
        assert augmented_attack(p, a, 100, 1.0, "needed").verdict is Verdict.PROVED
        # The exact loss is that of the two points, which lie in the domain.
        assert max(np.linalg.norm(one[:-1]) for one in (attack.u, attack.v)) <= 1
        assert max(abs(one[-1]) for one in (attack.u, attack.v)) <= a
        moved = np.abs(np.outer(attack.u, attack.u) - np.outer(attack.v, attack.v)).sum() / 100
        assert moved / float(attack.scale) == pytest.approx(float(attack.max_loss), rel=1e-9)
    assert (
        0
        < augmented_attack(3, 0.1, 100, 1.0).delta_at_claim[0]
        < covariance_attack(3, 100, 1.0).delta_at_claim[0]
    )


@pytest.mark.parametrize("symmetric", [False, True])
def test_no_random_pair_lies_farther_apart(symmetric: bool) -> None:
    rng = np.random.default_rng(8)
    for p, a in ((1, 0.7), (2, 0.5), (3, 1.0)):
        kept = np.triu_indices(p + 1) if symmetric else np.indices((p + 1, p + 1)).reshape(2, -1)
        u, v = (np.array([float(x) for x in one]) for one in widest_pair(p, a, symmetric))
        best = np.abs(np.outer(u, u) - np.outer(v, v))[kept[0], kept[1]].sum()
        x = rng.standard_normal((2, 40_000, p))
        x /= np.linalg.norm(x, axis=2, keepdims=True)
        x *= rng.choice([1.0, 1.0, 1.0, 0.0], (2, 40_000, 1))
        y = rng.choice([-a, a, 0.0, a / 2], (2, 40_000, 1))
        z = np.concatenate([x, y], axis=2)
        d = np.abs(z[0][:, :, None] * z[0][:, None, :] - z[1][:, :, None] * z[1][:, None, :])
        found = d[:, kept[0], kept[1]].sum(axis=1).max()
        assert 0.9 * best < found <= best * (1 + 1e-6)


def test_labels_above_which_no_pair_is_found() -> None:
    assert least_safe_label(2) == 0.0
    a = least_safe_label(3)
    assert 0.29 < a < 0.30
    assert augmented_attack(3, 0.99 * a, 10, 1.0).verdict is Verdict.REFUTED
    assert augmented_attack(3, 1.01 * a, 10, 1.0).verdict is not Verdict.REFUTED


def test_large_labels_on_the_triangle_are_settled_part_by_part() -> None:
    """p = 21, beyond the engine: the bound behind the needed scale is larger than the printed scale, and would say nothing."""
    p, a = 21, 50.0
    assert float(needed_augmented(p, a, symmetric=True)) > 1.1 * float(printed_augmented(p, a))
    assert augmented_attack(p, a, 100, 1.0, symmetric=True).verdict is Verdict.PROVED


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: covariance_attack(0, 10, 1.0), "p must be"),
        (lambda: covariance_attack(3, 1, 1.0), "n must be"),
        (lambda: covariance_attack(3, 10, 0.0), "epsilon must be"),
        (lambda: covariance_attack(3, 10, float("nan")), "epsilon must be"),
        (lambda: covariance_attack(3, 10, 1.0, "exact"), "printed"),
        (lambda: covariance_attack(3, 10, 1.0).epsilon_at(0.0), "delta must"),
        (lambda: covariance_attack(3, 10, 1.0).sample_size(1.0), "alpha must"),
        (lambda: pipeline_attack(3, 2, 10, 1.0, 1.0), "m must be"),
        (lambda: pipeline_attack(1, 1, 10, 1.0, 1.0), "m must be"),
        (lambda: pipeline_attack(3, 4, 10, -1.0, 1.0), "epsilon must be"),
        (lambda: pipeline_attack(3, 4, 10, 1.0, 1.0, projection=np.ones((4, 3))), "orthonormal"),
        (lambda: pipeline_attack(3, 4, 10, 1.0, 1.0).weighted(3), "size must be"),
        (lambda: augmented_attack(3, 0.0, 10, 1.0), "label_bound"),
        (lambda: widest_pair(3, -1.0), "a must be"),
        (lambda: far_record(5, 10.0, 1.0), "even p"),
        (lambda: far_record(6, 0.0, 1.0), "distance"),
        (lambda: synthetic_attack(3, 20, 5, 1.0, 1.0), "too few"),
        (lambda: synthetic_attack(3, 500, 0, 1.0, 1.0), "size must be"),
        (lambda: synthetic_attack(3, 500, 5, 1.0, 1.0, m=3), "m must be"),
        (lambda: synthetic_attack(3, 500, 5, 1.0, 1.0).estimate(draws=10), "draws must be"),
        (lambda: synthetic_attack(3, 500, 5, 1.0, 1.0).estimate(epsilon=-1.0), "epsilon must be"),
    ],
)
def test_bad_input_is_named(call: Any, match: str) -> None:
    with pytest.raises(ValueError, match=match):
        call()


@pytest.mark.long
@pytest.mark.parametrize("p", [12, 20, 50])
def test_larger_dimensions(p: int) -> None:
    attack = covariance_attack(p, 100, 1.0)
    sample = attack.weighted(20_000 if p <= 20 else 4_000, seed=p)
    low, high = attack.delta_at_claim
    assert 0.5 * low < sample.lower(1.0, ALPHA) < high
    pipeline = pipeline_attack(p, p + 1, 10**6, 0.2, 0.8)
    assert reevaluate(pipeline.witness())[0] is True
    assert pipeline.weighted(20_000 if p <= 20 else 4_000).lower(1.0, ALPHA) > 0
    assert augmented_attack(p, 0.5, 100, 1.0).verdict is Verdict.REFUTED
