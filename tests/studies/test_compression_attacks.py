"""Attacks on compression: neighbours outside the constraint, samples, recovery of records, models; both words of each."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from compression_trials.binary_game import BinaryGame
from compression_trials.row_recovery import (
    alternative_table,
    estimated_row,
    exact_product,
    recovered_row,
    signs_from_one_row,
)
from compression_trials.subspace import compressed_models
from compression_trials.unconstrained import (
    faint_column_neighbours,
    normalisation_effect,
    refusal_leak,
    shrinking_neighbours,
    singular_binary_neighbours,
    tells_singular,
    unconstrained_alpha,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from noiseproof.audit.record.evidence import Verdict
from noiseproof.audit.studies.compression.guarantee import compression_guarantee
from noiseproof.audit.studies.compression.log_ratio import PairAlpha
from noiseproof.audit.studies.compression.ratio_witness import evaluate as evaluate_ratio
from noiseproof.mechanisms.compression import (
    Compression,
    ReferenceCovariance,
    normalised_columns,
    second_moments,
)

# Outside the constraint.


def test_alpha_grows_without_limit_as_a_neighbour_comes_near_to_singular() -> None:
    one, two = shrinking_neighbours(400, 0.01)
    assert (one != two).any(axis=1).sum() == 1
    found: list[PairAlpha] = [unconstrained_alpha(100, 400, t) for t in (0.1, 0.01, 0.001)]
    values = [x.proved[0] for x in found]
    assert values[1] / values[0] == pytest.approx(100, rel=0.1)
    assert values[2] / values[1] == pytest.approx(100, rel=0.1)
    witness = found[2].witness(1e8)
    assert witness is not None
    assert evaluate_ratio(witness)[0]
    assert unconstrained_alpha(100, 400, 0.999).upper < 3


def test_in_the_binary_game_one_sign_can_be_seen_with_certainty() -> None:
    one, two = singular_binary_neighbours(20)
    assert (one != two).sum() == 1
    rng = np.random.default_rng(0)
    for table, equal in ((one, False), (two, True)):
        outputs = [rng.standard_normal((3, 20)) @ table / np.sqrt(20) for _ in range(50)]
        assert all(tells_singular(x) is equal for x in outputs)
    with pytest.raises(ValueError, match="singular"):
        Compression(3, ReferenceCovariance(second_moments(one), 1.0)).release(two, rng)


def test_normalising_by_the_data_carries_neighbours_apart() -> None:
    one, two = faint_column_neighbours(1_000, 1e-3)
    found = normalisation_effect(one, two)
    assert found.records_before == 1
    assert found.records_after == 1_000
    assert found.before < 2 / 1_000
    assert found.after > 20 * found.before
    # Both are taken before normalising; afterwards the first alone is: being refused tells which it was.
    raw = Compression(100, ReferenceCovariance(second_moments(one) + 1e-6 * np.eye(2), 2e-3))
    assert not refusal_leak(raw, one, two)
    unit = Compression(100, ReferenceCovariance(np.eye(2), 0.02), normalise=True)
    assert refusal_leak(unit, one, two)
    assert not refusal_leak(unit, one, one)
    # Columns of +-1 keep their length: nothing happens in the binary game.
    a, b = BinaryGame(100, 3, 1).tables(np.random.default_rng(0))
    calm = normalisation_effect(a, b)
    assert calm.before == calm.after
    assert calm.records_after == 1


# Attacks.


def test_the_mean_loss_of_draws_is_the_divergence_and_none_passes_the_exact_level() -> None:
    c = Compression(25, ReferenceCovariance(np.array([[1.0, 0.4], [0.4, 1.0]]), 0.03))
    guarantee = compression_guarantee(c, 300)
    one, two = map(second_moments, guarantee.tables())
    y = c.sample_moments(one, 300, 4_000, np.random.default_rng(0))
    loss = c.log_density(y, one, 300) - c.log_density(y, two, 300)
    level = float(np.linalg.slogdet(two)[1] - np.linalg.slogdet(one)[1])
    # m A/2 of theorem 4.6.
    mean = 25 / 2 * (float(np.trace(np.linalg.solve(two, one))) - 2 + level)
    assert loss.mean() == pytest.approx(mean, abs=5 * loss.std() / np.sqrt(4_000))
    assert np.abs(loss).max() <= guarantee.attack.upper
    assert guarantee.attack.verdict(guarantee.attack.upper) is Verdict.PROVED
    # The exact pair refutes what samples let pass: the outputs at the edge of the window are not seen.
    assert np.abs(loss).max() < 5
    assert guarantee.attack.verdict(5.0) is Verdict.REFUTED


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 3), st.integers(1, 4), st.integers(0, 10_000))
def test_a_row_is_recovered_exactly_from_phi_and_the_others(m: int, p: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    table, phi = rng.standard_normal((8, p)), rng.standard_normal((m, 8))
    row = int(rng.integers(8))
    out = exact_product(phi, table)
    rest = np.delete(table, row, axis=0)
    assert recovered_row(out, phi, rest, row) == tuple(Fraction(x) for x in table[row])
    # Another record among the known ones, and the answer is another.
    rest[0, 0] += 1
    assert recovered_row(out, phi, rest, row) != tuple(Fraction(x) for x in table[row])


def test_a_record_without_weight_or_a_missing_one_is_refused() -> None:
    with pytest.raises(ValueError, match="no weight"):
        recovered_row([[1.0]], [[0.0, 1.0]], [[1.0]], 0)
    with pytest.raises(ValueError, match="other records are needed"):
        recovered_row([[1.0]], [[1.0, 1.0]], [[1.0], [2.0]], 0)


def test_phi_alone_leaves_records_of_numbers_open() -> None:
    rng = np.random.default_rng(0)
    phi, table = rng.standard_normal((5, 30)), rng.standard_normal((30, 3))
    other = alternative_table(phi, table, 4, [1.0, -2.0, 3.0])
    assert other is not None
    assert phi @ other == pytest.approx(phi @ table, abs=1e-10)
    assert other[4] - table[4] == pytest.approx([1.0, -2.0, 3.0])
    # With as many rows as records nothing is open.
    assert alternative_table(rng.standard_normal((30, 30)), table, 4, [1.0, 0.0, 0.0]) is None


@pytest.mark.parametrize("seed", range(5))
def test_phi_and_one_compressed_row_fix_a_table_of_signs(seed: int) -> None:
    rng = np.random.default_rng(seed)
    table, _ = BinaryGame(16, 2, 1).tables(rng)
    weights = rng.standard_normal(16) / 4
    for column in table.T:
        found = signs_from_one_row(weights, float(weights @ column))
        assert len(found) == 1
        assert (found[0] == column).all()
    # Weights that are all alike leave many.
    assert len(signs_from_one_row(np.ones(16), 0.0)) == 12_870


def test_without_phi_an_outlier_is_seen_and_an_ordinary_record_is_not() -> None:
    rng = np.random.default_rng(0)
    rest = rng.standard_normal((999, 3))
    for size, seen in ((200.0, True), (1.0, False)):
        record = size * np.array([0.6, -0.8, 0.0])
        sigma = second_moments(np.vstack([rest, record]))
        found = [
            estimated_row(rng.standard_normal((300, 3)) @ np.linalg.cholesky(sigma).T, rest)
            for _ in range(50)
        ]
        aligned = np.mean([abs(x.row @ record) / (np.linalg.norm(x.row) * size + 1e-9) for x in found])
        assert (aligned > 0.999) == seen
        # Unbiased, with the stated deviation.
        z = [(x.product - np.outer(record, record)) / x.deviation for x in found]
        assert np.abs(np.mean(z, axis=0)).max() < 5 / np.sqrt(50)
        assert 0.6 < np.std(z) < 1.4


# Models on compressed data.


def test_models_on_compressed_tables_keep_their_bounds() -> None:
    rng = np.random.default_rng(0)
    mixing = np.diag([1.0, 3.0, 1.0, 1.0])
    x = rng.standard_normal((3_000, 4)) @ mixing
    x[:, 0] += 0.8 * x[:, 1]
    x = normalised_columns(x)
    c = Compression(2_500, ReferenceCovariance(second_moments(x), 0.0))
    found = compressed_models(c, x, 1, 30)
    assert all(one.within for one in found)
    # The bounds say something: they are finite and met within a factor of 40; and the lasso finds the column.
    assert all(one.subspace_bound < 1 for one in found)
    assert max(one.subspace / one.subspace_bound for one in found) > 0.3
    assert max(one.ridge / one.ridge_bound for one in found) > 1 / 40
    assert np.mean([one.support for one in found]) > 0.9
    # Few rows: the change exceeds delta_D/2, and the proposition says nothing.
    few = compressed_models(Compression(40, c.reference), x, 1, 5)
    assert all(one.within for one in few)
    assert any(one.subspace_bound == np.inf for one in few)
    # A tenth of a bound fails.
    assert any(one.subspace > one.subspace_bound / 10 for one in found)
