"""The attack on synthetic records of RON-Gauss: what an adversary learns from them, weighted and by plain samples."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from ron_gauss_trials.single_record import far_record
from ron_gauss_trials.synthetic import SyntheticAttack, synthetic_attack

from noiseproof import PureDP, examine
from noiseproof.audit.record.evidence import Verdict


@cache
def eight(size: int | None) -> SyntheticAttack:
    return synthetic_attack(8, 10**6, size, 0.1, 0.9)


def test_the_data_sets_are_what_the_attack_computes_with() -> None:
    attack = synthetic_attack(3, 500, 10, 0.5, 0.5)
    rows, others = attack.data(), attack.data(first=False)
    assert rows.shape == (500, 4)
    assert attack.n == 500
    assert np.count_nonzero((rows != others).any(axis=1)) == 1
    assert np.allclose(np.linalg.norm(rows, axis=1), 1)
    mu = np.array([0.01, -0.02, 0.0, 0.03])
    centred = rows - mu
    projected = centred / np.linalg.norm(centred, axis=1, keepdims=True) @ attack.projection
    assert np.allclose(projected.T @ projected / 500, attack._moments(attack.x, mu[None, :])[0][0])
    # The bulk outweighs the noise: the repair seldom clips.
    rng = np.random.default_rng(0)
    large = eight(None)
    exact, _ = large._moments(large.x, large._released_mean(large.x, 300, rng))
    noisy = exact + rng.laplace(scale=float(large.matrix.scale), size=exact.shape)
    assert np.mean(np.linalg.eigvalsh((noisy + np.swapaxes(noisy, 1, 2)) / 2)[:, 0] > 0) > 0.9


def test_weighted_scores_agree_with_the_code() -> None:
    """Two routes: the whole algorithm as code, and weighted draws of the symmetrised law."""
    attack = synthetic_attack(4, 10**5, 400, 0.3, 0.7)
    rates = attack.estimate(epsilon=0.2, draws=12_000)
    rng = np.random.default_rng(1)
    for row, share, error in ((attack.x, rates.p, rates.p_error), (attack.other, rates.q, rates.q_error)):
        seen = attack.subject().sample(row, 12_000, rng) > rates.threshold
        assert abs(seen.mean() - share) < 5 * np.hypot(seen.std() / np.sqrt(12_000), error)
        assert 0.01 < seen.mean() < 0.9
    assert rates.loss > 0


def test_synthetic_records_tell_no_more_than_what_they_are_made_from() -> None:
    few, many, limit = (
        eight(size).estimate(draws=draws) for size, draws in ((5, 2_000), (10**5, 10_000), (None, 10_000))
    )
    for rates in (few, many, limit):
        assert rates.delta <= rates.joint + 4 * rates.joint_error
        assert rates.loss < eight(5).ceiling
    # A large sample carries the violation, a handful of records shows none of it.
    assert many.loss > 1.0
    assert many.delta > 3 * many.delta_error > 0
    assert limit.loss > 1.0
    assert limit.delta > 3 * limit.delta_error > 0
    assert few.delta < 0
    # At the needed scale no event is above the claim.
    needed = synthetic_attack(8, 10**6, 10**5, 0.1, 0.9, "needed")
    assert needed.ceiling < 1.0
    assert needed.estimate(draws=2_000).delta <= 0


def test_plain_samples_of_the_synthetic_records_show_nothing_and_have_power() -> None:
    subject = eight(1_000).subject()
    assert examine(subject, PureDP(1.0), samples=8_000).verdict is Verdict.SURVIVED
    assert examine(subject, PureDP(0.02), samples=8_000).verdict is Verdict.REFUTED


def test_one_record_far_out_tells_half_the_root_of_p() -> None:
    """An indication by simulation: the loss nears sqrt(p)/2 at the printed scale, and stays below the claim at the needed one."""
    near, far = (far_record(6, t, 1.0, chains=24, steps=700) for t in (3.0, 1e5))
    assert float(far.limit) == pytest.approx(np.sqrt(6) / 2)
    assert near.loss < 0.8
    assert 1.15 < far.loss <= float(far.limit) + 1e-9
    needed = far_record(6, 1e5, 1.0, "needed", chains=24, steps=700)
    assert 0.65 < needed.loss <= float(needed.limit) + 1e-9 < 0.72
