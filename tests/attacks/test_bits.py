"""Events on bits: reachable sets, grids and collisions are found; grid noise, snapping and plain doubles survive."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from float_noise.grid_laplace import GridLaplace
from float_noise.snapping import Snapping
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from noiseproof import ApproxDP, BlackBox, GaussianDP, LaplaceMechanism, PureDP, examine
from noiseproof.audit.record.evidence import Evidence, Verdict
from noiseproof.audit.trial.bits.fitting import fit
from noiseproof.audit.trial.bits.logarithms import LOGARITHMS
from noiseproof.audit.trial.bits.patterns import decimals, exponents, granules
from noiseproof.audit.trial.bits.reachable import NUMPY_LAPLACE, SAMPLERS, Sampler
from noiseproof.audit.trial.outcomes import canonical
from noiseproof.audit.witnesses import reevaluate

Release = Callable[[Any, int, np.random.Generator], Any]


def textbook(scale: float) -> Release:
    return lambda data, size, rng: data + rng.laplace(0.0, scale, size)


def of_bits(subject: Any, claim: Any, samples: int, seed: int = 0) -> Evidence:
    """What the check of bit patterns found."""
    finding = examine(subject, claim, samples=samples, seed=seed, bits=True).findings[0]
    return next(e for e in finding.evidence if e.check == "bit patterns")


def certified(evidence: Evidence) -> float:
    return max(row["certified"] for row in evidence.bounds)


# Logarithms and the sampler.


def test_the_logarithm_is_that_of_the_sampler_bit_for_bit() -> None:
    size, scale = 1_000_000, 10.0
    u = np.random.Generator(np.random.PCG64(5)).random(size)
    drawn = np.random.Generator(np.random.PCG64(5)).laplace(0.0, scale, size)
    log = LOGARITHMS["C library"]
    again = np.where(u >= 0.5, 0.0 - scale * log(2.0 - u - u), 0.0 + scale * log(u + u))
    assert np.array_equal(again.view(np.uint64), drawn.view(np.uint64))
    some = u[:20_000]
    assert np.array_equal(log(some), [math.log(v) for v in some])


def test_residues_of_numpys_upper_half() -> None:
    k = np.random.default_rng(0).integers(2**52, 2**53, size=100_000)
    u = k * 2.0**-53
    assert set(np.unique((2.0 - u - u) * 2.0**53 % 8)) == set(NUMPY_LAPLACE.residues[0])
    assert set(np.unique((u - 0.5 + u - 0.5) * 2.0**53 % 8)) == set(NUMPY_LAPLACE.residues[1])


@pytest.mark.parametrize(
    ("centre", "scale"), [(0.0, 10.0), (1.0, 10.0), (0.3, 1 / 0.3), (1000.0, 2.0), (-5e-7, 1e-3)]
)
def test_every_draw_is_reachable_from_its_own_centre(centre: float, scale: float) -> None:
    y = centre + np.random.default_rng(1).laplace(0.0, scale, 100_000)
    assert NUMPY_LAPLACE.reaches(y, centre, scale).all()


def test_few_draws_are_reachable_from_another_centre_or_scale() -> None:
    y = 1.0 + np.random.default_rng(1).laplace(0.0, 10.0, 20_000)
    for centre, scale in ((0.0, 10.0), (1.0, 10.01)):
        assert NUMPY_LAPLACE.reaches(y, centre, scale).mean() < 0.35


@pytest.mark.parametrize("divides", [False, True])
def test_reachable_set_of_a_small_grid_is_exact(divides: bool) -> None:
    sampler = Sampler("C library", 8, divides)
    centre, parameter = 0.7, 1.3
    noise = sampler.magnitude(np.arange(1, 257) / 256, parameter)
    there = np.unique(np.concatenate([centre + noise, centre - noise]))
    beside = np.setdiff1d(np.concatenate([np.nextafter(there, np.inf), np.nextafter(there, -np.inf)]), there)
    assert sampler.reaches(there, centre, parameter).all()
    assert not sampler.reaches(beside, centre, parameter).any()


def test_unreadable_numbers_are_not_reachable() -> None:
    assert not NUMPY_LAPLACE.reaches(np.array([np.nan, np.inf, 1e300]), 0.0, 1.0).any()


# Patterns.


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_granule_and_exponent_against_fractions(x: float) -> None:
    granule, exponent = granules(np.array([x]))[0], exponents(np.array([x]))[0]
    if x == 0:
        assert granule > 1023
        return
    unit = Fraction(2) ** int(granule)
    assert (Fraction(x) / unit).denominator == 1
    assert (Fraction(x) / unit).numerator % 2 == 1
    if abs(x) >= 2.0**-1022:
        assert 2 ** Fraction(int(exponent)) <= abs(Fraction(x)) < 2 * 2 ** Fraction(int(exponent))


def test_decimals() -> None:
    assert decimals(np.array([3.0, 0.1, 0.25, 1.234, math.pi, 1e300])).tolist() == [0, 1, 2, 3, 9, 0]


# Fitting.


def two_samples(release: Release, inputs: tuple[Any, Any], size: int = 20_000) -> list[Any]:
    rng = np.random.default_rng(3)
    return [canonical(release(x, size, rng), size) for x in inputs]


def signed(log_of: Callable[[Any, int], Any], scale: float) -> Release:
    return lambda d, size, rng: d - np.where(rng.random(size) < 0.5, -scale, scale) * log_of(rng, size)


TEXTBOOKS: dict[str, tuple[Release, str, int]] = {
    "numpy": (textbook(2.0), "C library", 53),
    "loc of numpy": (lambda d, size, rng: rng.laplace(d, 2.0, size), "C library", 53),
    "inverse": (
        lambda d, size, rng: (lambda u: d - 2.0 * np.sign(u) * np.log(1 - 2 * np.abs(u)))(
            rng.random(size) - 0.5
        ),
        "vectorised",
        52,
    ),
    "math.log": (
        signed(lambda rng, size: np.array([math.log(1 - v) for v in rng.random(size)]), 2.0),
        "C library",
        53,
    ),
    "32 bits": (
        signed(lambda rng, size: np.log(rng.integers(1, 2**32, size) / 2**32), 2.0),
        "vectorised",
        32,
    ),
}


@pytest.mark.parametrize("name", TEXTBOOKS)
def test_textbook_samplers_are_recognised(name: str) -> None:
    release, logarithm, bits = TEXTBOOKS[name]
    (found,) = fit(two_samples(release, (3.0, 4.0)), (3.0, 4.0), 0.5)
    assert (found.parameter, found.centres, found.sampler.bits) == (2.0, (3.0, 4.0), bits)
    coarse = bits < 40 or np.array_equal(
        *(LOGARITHMS[k](np.linspace(0.01, 1, 9999)) for k in ("C library", "vectorised"))
    )
    assert coarse or found.sampler.logarithm == logarithm


def test_centres_and_scales_of_queries_are_guessed() -> None:
    ages = np.random.default_rng(1).integers(18, 90, 57).astype(float)
    other = ages.copy()
    other[0] = 90.0
    scale = (72 / 57) / 0.5
    release: Release = lambda d, size, rng: d.mean() + rng.laplace(0.0, scale, size)  # noqa: E731
    (found,) = fit(two_samples(release, (ages, other)), (ages, other), 0.5)
    assert (found.parameter, found.centres) == (scale, (ages.mean(), other.mean()))


@pytest.mark.parametrize(
    "release",
    [
        lambda d, size, rng: d + rng.normal(0.0, 1.0, size),
        lambda d, size, rng: rng.random(size),
        lambda d, size, rng: d + rng.exponential(1.0, size) - rng.exponential(1.0, size),
        GridLaplace(1.0, exponent=-50).release,
        lambda d, size, rng: np.full(size, d),
    ],
)
def test_nothing_is_fitted_to_other_releases(release: Release) -> None:
    assert fit(two_samples(release, (0.0, 1.0)), (0.0, 1.0), 1.0) == ()


@pytest.mark.parametrize("unit", [1e306, 1e300, 1e-300, 1e-310])
def test_extreme_units_are_read(unit: float) -> None:
    box = BlackBox(lambda d, size, rng: (d + rng.laplace(0.0, 1.0, size)) * unit, (0.0, 1.0), name="extreme")
    assert of_bits(box, PureDP(1.0), 1_000).detail


def test_fit_reads_any_input() -> None:
    samples = two_samples(
        lambda d, size, rng: len(d) + rng.laplace(0.0, 1.0, size), ({"a": 1}, {"a": 1, "b": 2})
    )
    (found,) = fit(samples, ({"a": 1}, {"a": 1, "b": 2}), None)
    assert found.centres == (1.0, 2.0)


def test_all_samplers_have_names_of_their_own() -> None:
    assert len({s.name for s in SAMPLERS}) == len(SAMPLERS)


# Audits: what must fall.


def test_textbook_laplace_is_shown_above_ten() -> None:
    found = of_bits(BlackBox(textbook(10.0), (0.0, 1.0)), PureDP(0.1), 200_000)
    assert found.verdict is Verdict.REFUTED
    assert certified(found) > 10
    stands, _ = reevaluate(json.loads(json.dumps(found.witness)))
    assert stands


def test_the_law_of_the_textbook_survives_beside_its_bytes() -> None:
    finding = examine(LaplaceMechanism(1.0, 1.0), PureDP(1.0), samples=8_000, bits=True).findings[0]
    sentences = finding.sentences
    assert (sentences["law"], sentences["code"], sentences["bytes"]) == (
        Verdict.PROVED,
        Verdict.SURVIVED,
        Verdict.REFUTED,
    )


def answer_by_arithmetic(data: float, size: int, rng: np.random.Generator) -> Any:
    # 0.8 - 0.7 is not the double 0.1: the lie of one input is no answer of the other.
    return np.where(rng.random(size) < math.e / (1 + math.e), data, 0.8 - data)


FAULTY: dict[str, tuple[Release, tuple[float, float], Any, int]] = {
    "ziggurat": (lambda d, size, rng: d + rng.normal(0.0, 1.0, size), (0.0, 1.0), GaussianDP(1.0), 20_000),
    "difference of exponentials": (
        lambda d, size, rng: d + rng.exponential(2.0, size) - rng.exponential(2.0, size),
        (0.0, 1.0),
        PureDP(0.5),
        40_000,
    ),
    "single precision": (
        lambda d, size, rng: np.float32(d) + rng.laplace(0.0, 2.0, size).astype(np.float32),
        (0.0, 1.0),
        PureDP(0.5),
        20_000,
    ),
    "decimals": (
        lambda d, size, rng: np.round(d + rng.laplace(0.0, 1000.0, size), 3 if d else 4),
        (0.0, 1.0),
        PureDP(0.5),
        20_000,
    ),
    "few noise values": (
        lambda d, size, rng: d + np.random.default_rng(7).normal(0.0, 1.0, 256)[rng.integers(0, 256, size)],
        (1000.0, 1001.0),
        ApproxDP(1.0, 0.3),
        20_000,
    ),
    "answers by arithmetic": (answer_by_arithmetic, (0.1, 0.7), PureDP(1.0), 2_000),
}


@pytest.mark.parametrize("name", FAULTY)
def test_faulty_bytes_fall(name: str) -> None:
    release, inputs, claim, samples = FAULTY[name]
    assert of_bits(BlackBox(release, inputs, name=name), claim, samples).verdict is Verdict.REFUTED


def test_vectors_and_single_calls_fall_too() -> None:
    vector = BlackBox(lambda d, size, rng: np.array([d, 0.5]) + rng.laplace(0.0, 4.0, (size, 2)), (0.0, 1.0))
    assert "reachable set" in of_bits(vector, PureDP(0.5), 8_000).detail
    single = BlackBox.single(lambda d: d + random.choice((-1, 1)) * random.expovariate(0.5), (3.0, 4.0))
    found = of_bits(single, PureDP(0.5), 8_000)
    assert found.verdict is Verdict.REFUTED
    assert "reachable set" in found.detail


# Audits: what must survive.

SNAPPING = Snapping(10.0, 1000.0)
ANSWERS = {0.1: 0.7, 0.7: 0.1}
SOUND: dict[str, tuple[BlackBox, Any]] = {
    "geometric": (GridLaplace(1.0).box(0, 1), PureDP(1.0)),
    "discrete on a grid": (GridLaplace(0.1, exponent=-10).box(0.0, 1.0), PureDP(0.1)),
    "correctly rounded": (GridLaplace(0.1, exponent=-50).box(0.0, 1.0), PureDP(0.1)),
    "correctly rounded, tight": (GridLaplace(1.0, exponent=-50).box(0.0, 1.0), PureDP(1.0)),
    "snapping": (SNAPPING.box(0.0, 1.0), SNAPPING.guarantee),
    "uniform doubles": (BlackBox(lambda d, size, rng: rng.random(size), (0.0, 1.0)), PureDP(0.1)),
    "randomised response of floats": (
        BlackBox(
            lambda d, size, rng: np.where(rng.random(size) < math.e / (1 + math.e), d, ANSWERS[d]), (0.1, 0.7)
        ),
        PureDP(1.0),
    ),
    "noise that forgets the input": (
        BlackBox(lambda d, size, rng: rng.laplace(0.0, 1.0, size), (0.0, 1.0)),
        PureDP(0.1),
    ),
}


@pytest.mark.parametrize("name", SOUND)
def test_sound_bytes_survive(name: str) -> None:
    box, claim = SOUND[name]
    finding = examine(box, claim, samples=10_000, bits=True, alpha=1e-3).findings[0]
    # So few outcomes miss half of the noise of epsilon = 0.1, which is open then; the bytes are not.
    open_claim = isinstance(claim, PureDP) and claim.epsilon < 0.5 and name != "discrete on a grid"
    assert finding.sentences["code"] is (Verdict.UNDECIDED if open_claim else Verdict.SURVIVED)
    assert finding.sentences["bytes"] is Verdict.SURVIVED


@pytest.mark.long
@pytest.mark.parametrize("name", SOUND)
def test_sound_bytes_survive_twenty_seeds(name: str) -> None:
    box, claim = SOUND[name]
    fell = 0
    for seed in range(20):
        finding = examine(box, claim, samples=200_000, seed=seed, bits=True, alpha=1e-4).findings[0]
        fell += finding.sentences["bytes"] is not Verdict.SURVIVED
    print(f"| {name} | {fell} of 20 |")
    assert fell == 0


@pytest.mark.long
@pytest.mark.parametrize("name", ["geometric", "correctly rounded, tight"])
def test_false_alarms_on_bytes_at_the_claim(name: str) -> None:
    (box, claim), audits, alpha = SOUND[name], 500, 0.15
    fell = sum(
        examine(box, claim, samples=1_000, seed=seed, bits=True, alpha=alpha).findings[0].sentences["bytes"]
        is Verdict.REFUTED
        for seed in range(audits)
    )
    # Two of the three statistical checks are about bytes, each at a third of alpha.
    print(f"| {name} | {fell} of {audits} | {2 * alpha / 3:.3g} |")
    assert stats.binom.sf(fell - 1, audits, 2 * alpha / 3) > 1e-3


# The mechanisms that keep their claim.


@pytest.mark.parametrize("exponent", [0, -2])
def test_grid_noise_has_its_masses(exponent: int) -> None:
    noise = GridLaplace(0.5, exponent=exponent)
    size = 200_000
    steps = np.ldexp(noise.release(0.0, size, np.random.default_rng(2)), -exponent)
    ratio = math.exp(-noise.rate)
    for g in range(-3, 4):
        mass = (1 - ratio) / (1 + ratio) * ratio ** abs(g)
        assert abs((steps == g).mean() - mass) < 5 * math.sqrt(mass / size)


def test_fine_grid_noise_is_laplace_and_uses_every_bit() -> None:
    y = GridLaplace(1.0, exponent=-50).release(0.0, 100_000, np.random.default_rng(2))
    assert abs(np.abs(y).mean() - 1) < 0.02
    steps = np.ldexp(y, 50).astype(np.int64)
    small = np.abs(steps) < 2**52
    assert abs((steps[small] & 1).mean() - 0.5) < 0.01


def test_grid_noise_rounds_the_exact_sum_once() -> None:
    noise = GridLaplace(1.0, exponent=-50)
    zero, one = (noise.release(x, 10_000, np.random.default_rng(4)) for x in (0.0, 1.0))
    near = np.abs(zero) < 2.0
    for a, b in zip(zero[near][:200], one[near][:200], strict=True):
        assert float(Fraction(a) + 1) == b


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: GridLaplace(0.0), "epsilon"),
        (lambda: GridLaplace(1.0, exponent=-51), "grid"),
        (lambda: GridLaplace(1e-5, exponent=-50), "64 bits"),
        (lambda: GridLaplace(1.0, exponent=0.5), "whole number"),  # type: ignore[arg-type]
        (lambda: GridLaplace(1.0).release(0.5, 1, np.random.default_rng(0)), "round the query"),
        (lambda: Snapping(1.0, 0.5), "bound"),
        (lambda: Snapping(0.0, 1.0), "scale"),
        (lambda: SNAPPING.box(0.0, 2.0), "one apart"),
    ],
)
def test_bad_parameters_are_refused(build: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        build()


def test_snapped_outcomes_lie_on_the_grid_inside_the_bound() -> None:
    y = SNAPPING.release(0.3, 10_000, np.random.default_rng(0))
    assert SNAPPING.grid == 16.0
    assert np.all(y % 16.0 == 0) or set(np.unique(y[y % 16.0 != 0])) <= {-1000.0, 1000.0}
    assert np.abs(y).max() <= 1000.0
