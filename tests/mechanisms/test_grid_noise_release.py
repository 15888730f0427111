"""Releases with grid noise: exact arithmetic, and audits in which law, code and bytes can fall."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from noiseproof import ApproxDP, Claim, PureDP, Verdict, examine
from noiseproof.audit.record.plain import plain
from noiseproof.mechanisms.grid_noise import (
    GridNoise,
    GridRelease,
    grid_cosine,
    grid_gaussian,
    grid_laplace,
    secure_bits,
    seeded_bits,
)
from noiseproof.mechanisms.grid_noise.outcome import GridOutcome
from noiseproof.mechanisms.grid_noise.release import GridMechanism

LAPLACE, GAUSSIAN, COSINE = grid_laplace(1.0), grid_gaussian(1.0), grid_cosine(3.0)


def one(noise: GridNoise, high: float = 1.0, low: float = 0.0) -> GridRelease:
    return GridRelease((noise,), (low,), (high,))


# The code


def test_without_noise_records_are_clamped_and_rounded() -> None:
    still = GridNoise("own", 1.0, -2, 0, (1 << 128,))
    release = GridRelease((still,), (-1.1,), (2.3,))
    records = np.array([-np.inf, -5, -1.1, -0.9, 0.1, 0.125, 0.3, 1, 2.2, 2.3, 1e300, np.inf])
    expected = [-1, -1, -1, -1, 0, 0, 0.25, 1, 2.25, 2.25, 2.25, 2.25]
    assert release.apply(records[:, None], seeded_bits(np.random.default_rng(0)))[:, 0].tolist() == expected
    assert release.spans == (13,)


@pytest.mark.parametrize("exponent", [-40, 0, 33])
def test_outcomes_lie_on_the_grid_and_the_noise_does_not_depend_on_the_record(exponent: int) -> None:
    scale = 1500 * 2.0**exponent
    release = one(grid_laplace(scale, exponent), 3.3 * scale, -1.7 * scale)
    rng = np.random.default_rng(4)
    records = rng.uniform(-3 * scale, 4 * scale, size=(30_000, 1))
    moved = release.apply(records, seeded_bits(np.random.default_rng(9)))
    still = release.apply(np.zeros_like(records), seeded_bits(np.random.default_rng(9)))
    steps = np.ldexp(moved, -exponent)
    assert np.array_equal(steps, np.rint(steps))
    centres = np.clip(np.rint(records / 2.0**exponent), *release.ends[0])
    assert np.array_equal(np.ldexp(moved - still, -exponent), centres)


def test_a_block_is_its_columns() -> None:
    release = GridRelease((LAPLACE, GAUSSIAN, COSINE), (0.0, -1.0, 0.0), (1.0, 1.0, 4.0))
    block = np.random.default_rng(0).uniform(-1, 3, size=(9_000, 3))
    before = block.copy()
    out = release.apply(block, secure_bits())
    assert out.shape == block.shape
    assert np.array_equal(block, before)  # the caller's table stays as it was
    inside = np.clip(block, release.lows, release.highs)
    assert (out - inside).std(axis=0) == pytest.approx(
        [math.sqrt(2), 1.0, 3 * math.sqrt(1 / 3 - 2 / math.pi**2)], rel=0.06
    )
    column = release.apply_column(1, block[:, 1], secure_bits())
    assert column.shape == (9_000,)
    assert release.apply(np.zeros((0, 3)), secure_bits()).shape == (0, 3)
    single = np.linspace(-1, 2, 50)[:, None]
    one(LAPLACE).apply(single, secure_bits())
    one(LAPLACE).apply_column(0, single[:, 0], secure_bits())
    assert np.array_equal(single[:, 0], np.linspace(-1, 2, 50))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: GridRelease((), (), ()), "at least one"),
        (lambda: GridRelease((LAPLACE,), (0.0, 1.0), (1.0,)), "as many"),
        (lambda: one(LAPLACE, math.inf), "finite bounds"),
        (lambda: one(LAPLACE, 0.0), "low < high"),
        (lambda: one(LAPLACE, 1e-5, 1e-6), "smaller exponent"),
        (lambda: one(LAPLACE, 1e15), "larger exponent"),
        (lambda: one(LAPLACE).apply([[math.nan]], secure_bits()), "missing values"),
        (lambda: one(LAPLACE).apply([1.0], secure_bits()), r"shape \(rows, 1\)"),
        (lambda: one(LAPLACE).apply_column(0, [[1.0]], secure_bits()), "one column"),
        (lambda: one(LAPLACE).pair(0), "group"),
        (lambda: one(LAPLACE).epsilon(0.0), "strictly between"),
        (lambda: one(COSINE).epsilon(1e-9), "add more noise"),
        (lambda: one(LAPLACE).delta(-1.0), "epsilon >= 0"),
        (lambda: one(LAPLACE).mechanism().law([1.0, 2.0]), "record of 1"),
    ],
)
def test_unusable_releases_are_refused(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


# Audits


def test_an_audit_of_law_code_and_bytes_runs_end_to_end() -> None:
    control = Claim(PureDP(0.8), expect="falls")
    certificate = examine(one(LAPLACE).mechanism(), [PureDP(1.0), control], samples=60_000, seed=1, bits=True)
    finding = certificate.findings[0]
    verdicts = {(e.check, e.sentence): e.verdict for e in finding.evidence}
    assert verdicts["derivation", "law"] is Verdict.PROVED
    assert {
        verdicts["fit", "fit"],
        verdicts["likelihood ratio", "code"],
        verdicts["bit patterns", "bytes"],
    } == {Verdict.SURVIVED}
    assert certificate.exit_code == 0
    assert plain(certificate.subjects)


def test_noise_is_divided_on_the_same_grid_and_multiplied_on_one_that_holds_it() -> None:
    mechanism = one(grid_laplace(1.9)).mechanism()
    less, more = mechanism.with_noise_divided_by(1.5).released, mechanism.with_noise_divided_by(0.25).released
    assert less.noises[0].exponent == -10
    assert more.noises[0].exponent == -8
    assert more.pure_epsilon() == pytest.approx(0.25 / 1.9, rel=1e-12)


class HalfTheNoise(GridMechanism):
    """Code that draws noise of half the scale, beside the law of the whole."""

    def release(self, data: Any, size: int, rng: np.random.Generator) -> Any:
        return self.with_noise_divided_by(2.0).release(data, size, rng)


class FinerNearLow(GridMechanism):
    """Code that adds a little of the record itself below the grid: the numbers are right, the bytes are not."""

    def release(self, data: Any, size: int, rng: np.random.Generator) -> Any:
        return super().release(data, size, rng) + 2.0**-30 * np.asarray(data, dtype=float)


def test_a_code_with_half_the_noise_falls() -> None:
    (finding,) = examine(HalfTheNoise(one(LAPLACE)), [PureDP(1.0)], samples=20_000, seed=1).findings
    verdicts = {e.check: e.verdict for e in finding.evidence}
    assert verdicts["derivation"] is Verdict.PROVED
    assert verdicts["fit"] is Verdict.REFUTED
    assert verdicts["likelihood ratio"] is Verdict.REFUTED


def test_a_code_that_leaves_the_grid_falls_by_its_bytes() -> None:
    (finding,) = examine(
        FinerNearLow(one(LAPLACE)), [PureDP(1.0)], samples=20_000, seed=1, bits=True
    ).findings
    assert any(e.sentence == "bytes" and e.verdict is Verdict.REFUTED for e in finding.evidence)


def test_the_law_of_an_outcome_is_the_exact_pmf() -> None:
    noise = grid_laplace(2.0, -1)
    law = GridOutcome((noise, COSINE), (3, -1))
    k = np.array([-70, -33, -1, 0, 5, 64, 65, 66, 90])
    y = np.stack([(k + 3) * 0.5, np.full(len(k), -COSINE.step)], axis=1)
    expected = [math.log(noise.mass(int(i)) * COSINE.mass(0)) for i in k]
    assert law.log_density(y) == pytest.approx(expected, rel=1e-11)
    assert np.isneginf(law.log_density(y + [0.1, 0.0])).all()
    assert np.isneginf(law.log_density(y + [0.0, 10.0])).all()


def test_draws_of_the_law_have_its_masses_and_uniform_transforms() -> None:
    from scipy import stats

    law = GridOutcome((grid_laplace(2.0, 0), grid_gaussian(1.0, 0)), (0, 2))
    y = law.sample(40_000, np.random.default_rng(2))
    for k in (-3, 0, 1, 5):
        assert stats.binomtest(int((y[:, 0] == k).sum()), 40_000, float(law.noises[0].mass(k))).pvalue > 1e-6
    rng = np.random.default_rng(3)
    u = law.uniforms(y, rng)
    assert all(stats.kstest(u[:, j], "uniform").pvalue > 1e-6 for j in (0, 1))
    assert stats.kstest(law.uniforms(y + [1.0, 0.0], rng)[:, 0], "uniform").pvalue < 1e-6


def test_parameters_are_plain_data() -> None:
    import json

    shown = one(LAPLACE).mechanism().parameters()
    assert json.dumps(shown)
    assert shown["columns"][0] == {
        "noise": "laplace",
        "parameter": 1.0,
        "exponent": -10,
        "low": 0.0,
        "high": 1.0,
        "span_steps": 1024,
    }


def test_numbers_of_a_span_are_exact_fractions() -> None:
    release = one(grid_laplace(1.0, -10), 0.3, 0.1)
    first, last = release.ends[0]
    assert Fraction(first, 1024) >= Fraction(0.1) > Fraction(first - 1, 1024)
    assert Fraction(last, 1024) <= Fraction(0.3) < Fraction(last + 1, 1024)


@pytest.mark.long
@pytest.mark.parametrize("noise", [LAPLACE, GAUSSIAN, COSINE], ids=lambda n: n.kind)
def test_sound_releases_are_not_refuted(noise: GridNoise) -> None:
    release = one(noise)
    claim = ApproxDP(0.5, float(release.delta(0.5)))
    fallen = 0
    for seed in range(10):
        (finding,) = examine(
            release.mechanism(), [claim], samples=100_000, seed=seed, bits=True, alpha=1e-3
        ).findings
        fallen += finding.verdict is Verdict.REFUTED
    print(f"{noise.kind}: {fallen} of 10 refuted")
    assert fallen == 0
