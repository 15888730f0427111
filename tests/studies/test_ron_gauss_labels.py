"""The attack on RON-Gauss with labels: where the printed scale is too small, and the widest pair of labelled records."""

from __future__ import annotations

import numpy as np
import pytest

from noiseproof.audit.record.evidence import Verdict
from noiseproof.audit.studies.ron_gauss import (
    augmented_attack,
    covariance_attack,
    least_safe_label,
    widest_pair,
)
from noiseproof.mechanisms.ron_gauss.scales import needed_augmented, printed_augmented


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
