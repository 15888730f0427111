"""Conformance of every mechanism: law and code side by side, neighbours, worst pair, parameters."""

from __future__ import annotations

import json
from typing import Any

import cloudpickle
import numpy as np
import pytest
from scipy import integrate

from noiseproof import Claim, GaussianDP, PureDP, Verdict, examine
from noiseproof.audit.record.plain import plain
from noiseproof.audit.trial.checks.fit import Fit
from noiseproof.audit.trial.checks.quadrature import numerical_profile
from noiseproof.mechanisms import (
    MECHANISMS,
    BlackBox,
    BoundedMean,
    BoundedSum,
    CosineMechanism,
    GaussianMechanism,
    LaplaceCovariance,
    LaplaceMechanism,
    LinearQuery,
    Mechanism,
    Mutant,
    OptimalGaussian,
    RandomisedResponse,
    TrajectoryNoise,
)
from noiseproof.mechanisms.queries import BoundedQuery
from noiseproof.symbolic.laws.vector import Categories, IndependentNoise, NormalVector
from noiseproof.symbolic.proof.truth import Truth

EXAMPLES: dict[str, Mechanism] = {
    "laplace": LaplaceMechanism(1.0, 2.0),
    "laplace, vector": LaplaceMechanism(0.5, 1.0, dimension=3),
    "laplace, tiny": LaplaceMechanism(1.0, 1e-12),
    "laplace, huge": LaplaceMechanism(1.0, 1e12),
    "gaussian": GaussianMechanism(2.0, 1.0),
    "gaussian, tiny": GaussianMechanism(1e-12, 1e-12, dimension=2),
    "gaussian, huge": GaussianMechanism(1e12, 1e12),
    "gaussian, covariance": GaussianMechanism(covariance=[[2.0, 0.5, 0.0], [0.5, 1.0, 0.2], [0.0, 0.2, 0.5]]),
    "gaussian, diagonal": GaussianMechanism(covariance=np.diag([4.0, 0.25])),
    "trajectory": TrajectoryNoise(
        [[1.0, 1.0], [0.0, 1.0]], [[1.0, 0.0]], 3, 2.0, ([0.0, -1.0], [1.0, 1.0]), beyond=0.1
    ),
    "trajectory, square": TrajectoryNoise(
        [[0.0, 1.0], [-1.0, 0.0]], [[1.0, 0.0]], 1, 0.5, ([0.0, -1.0], [1.0, 1.0])
    ),
    "optimal": OptimalGaussian(2.0, ([0.0, -1.0], [1.0, 1.0])),
    "optimal, weighted": OptimalGaussian(2.0, ([0.0, -1.0], [1.0, 1.0]), weight=[[2.0, 0.6], [0.6, 1.0]]),
    "cosine": CosineMechanism(-1.0, 3.0, sensitivity=0.5),
    "cosine, vector": CosineMechanism(-1.0, 1.0, dimension=2, sensitivity=0.5),
    "response": RandomisedResponse(1.0),
    "response, five": RandomisedResponse(0.3, 5),
    "mean": BoundedMean(-1.0, 2.0, 7, epsilon=0.5),
    "mean, one more": BoundedMean(0.0, 1.0, 7, sigma=0.1, adjacency="add-or-remove"),
    "sum": BoundedSum(-3.0, 2.0, epsilon=1.0),
    "sum, replaced": BoundedSum(-3.0, 2.0, sigma=2.0, adjacency="replace-one"),
    "linear": LinearQuery([1.0, -3.0, 0.5], -1.0, 1.0, epsilon=1.0),
    "covariance": LaplaceCovariance.needed(3, 4, 1.0),
    "covariance, as printed": LaplaceCovariance.printed(4, 5, 1.0),
    "covariance, triangle": LaplaceCovariance.needed(3, 4, 0.5, symmetric=True),
}
OTHER: Any = "other"
THREE: Any = (1, 2, 3)
every = pytest.mark.parametrize("mechanism", EXAMPLES.values(), ids=EXAMPLES.keys())


def inputs(mechanism: Mechanism) -> tuple[Any, Any]:
    (pair,) = mechanism.neighbours()
    return pair


def test_every_mechanism_of_the_list_has_an_example() -> None:
    assert {type(m) for m in EXAMPLES.values()} == set(MECHANISMS.values())


@every
def test_the_law_has_mass_one(mechanism: Mechanism) -> None:
    law = mechanism.law(inputs(mechanism)[0])
    if isinstance(law, Categories):
        assert sum(law.probabilities) == pytest.approx(1, abs=1e-14)
        return
    if isinstance(law, IndependentNoise):
        low, high = (float(v) for v in law.noise.quantile(np.array([1e-12, 1 - 1e-12])))
        middle = float(law.noise.quantile(np.array([0.5]))[0])
        mass = sum(
            integrate.quad(lambda y: float(law.noise.pdf(np.array([y]))[0]), a, b, limit=300)[0]
            for a, b in ((low, middle), (middle, high))
        )
        assert mass == pytest.approx(1, abs=1e-8)
        return
    assert isinstance(law, NormalVector)
    at_centre = law.log_density(law.centre[None, :])[0]
    assert at_centre == pytest.approx(-0.5 * np.linalg.slogdet(2 * np.pi * law.covariance)[1], abs=1e-9)


@every
def test_releases_have_the_shape_of_the_law(mechanism: Mechanism) -> None:
    rng = np.random.default_rng(0)
    for data in inputs(mechanism):
        law = mechanism.law(data)
        for size in (1, 5):
            outcome = np.asarray(mechanism.release(data, size, rng))
            assert outcome.reshape(size, -1).shape == (size, law.dimension)
            assert law.sample(size, rng).shape == (size, law.dimension)
            assert np.all(np.isfinite(law.log_density(outcome.reshape(size, -1))))


@every
def test_the_release_leaves_its_input_alone_and_follows_its_generator(mechanism: Mechanism) -> None:
    data = inputs(mechanism)[1]
    before = np.array(data, copy=True)
    one, two = (mechanism.release(data, 20, np.random.default_rng(3)) for _ in range(2))
    assert np.array_equal(one, two)
    assert np.array_equal(np.asarray(data), before)


@every
def test_the_code_follows_the_law(mechanism: Mechanism) -> None:
    check = Fit(Claim(PureDP(1.0), mechanism))
    from noiseproof.audit.trial.outcomes import canonical

    rng = np.random.default_rng(11)
    unit = [canonical(mechanism.release(x, 8_000, rng), 8_000) for x in check.inputs()]
    evidence = check.judge(None, check.count(None, unit, np.random.default_rng(0)), 1e-6)
    assert evidence.verdict is Verdict.SURVIVED, evidence.detail


@every
def test_the_law_samples_itself(mechanism: Mechanism) -> None:
    from noiseproof.audit.trial.outcomes import canonical

    check = Fit(Claim(PureDP(1.0), mechanism))
    rng = np.random.default_rng(12)
    unit = [canonical(mechanism.law(x).sample(8_000, rng), 8_000) for x in check.inputs()]
    assert (
        check.judge(None, check.count(None, unit, np.random.default_rng(0)), 1e-6).verdict is Verdict.SURVIVED
    )


@every
def test_the_worst_pair_is_attained_by_the_declared_neighbours(mechanism: Mechanism) -> None:
    worst = mechanism.worst_case()
    assert worst is not None
    delta = numerical_profile(*(mechanism.law(x) for x in inputs(mechanism)))
    assert delta is not None
    epsilon = np.array([0.0, 0.4, 1.0, 2.0])
    # The bounded law's profile is itself a sum on a grid.
    error = 2e-5 if isinstance(mechanism, CosineMechanism) else 1e-9
    assert worst.pair.delta(epsilon) == pytest.approx(np.array([delta(e) for e in epsilon]), abs=error)
    assert all(step.check() is Truth.HOLDS for step in worst.steps)
    if worst.dominating is not None:
        assert np.all(worst.dominating.delta(epsilon) >= worst.pair.delta(epsilon) - 1e-9)


@every
def test_no_random_neighbours_beat_the_worst_pair(mechanism: Mechanism) -> None:
    worst = mechanism.worst_case()
    assert worst is not None
    bound = (worst.dominating or worst.pair).delta(0.5)
    rng = np.random.default_rng(8)
    for zero, one in neighbours(mechanism, rng):
        delta = numerical_profile(mechanism.law(zero), mechanism.law(one))
        if delta is not None:
            assert delta(0.5) <= bound + 2e-5


def neighbours(mechanism: Mechanism, rng: np.random.Generator) -> list[tuple[Any, Any]]:
    """Pairs of inputs under the mechanism's adjacency, drawn without looking at `neighbours()`."""
    found: list[tuple[Any, Any]] = []
    for _ in range(6):
        if isinstance(mechanism, RandomisedResponse):
            a, b = rng.choice(mechanism.categories, size=2, replace=False)
            found.append((int(a), int(b)))
        elif isinstance(mechanism, BoundedQuery):
            x = rng.uniform(mechanism.lower - 1, mechanism.upper + 1, size=mechanism.count)
            if mechanism.adjacency == "add-or-remove":
                found.append((x, np.append(x, rng.uniform(mechanism.lower, mechanism.upper))))
            else:
                z = x.copy()
                z[rng.integers(len(z))] = rng.uniform(mechanism.lower, mechanism.upper)
                found.append((x, z))
        elif isinstance(mechanism, LaplaceCovariance):
            x = rng.uniform(-1, 1, size=(mechanism.n, mechanism.p))
            z = x.copy()
            z[rng.integers(len(z))] = rng.uniform(-1, 1, size=mechanism.p)
            found.append((x, z))
        elif isinstance(mechanism, OptimalGaussian | TrajectoryNoise):
            a, b = rng.uniform(*mechanism.domain, size=(2, len(mechanism.domain[0])))
            found.append((a, b))
        else:
            shift = np.zeros(mechanism.dimension)  # type: ignore[attr-defined]
            shift[rng.integers(len(shift))] = mechanism.sensitivity * rng.choice([-1.0, 0.5, 1.0])  # type: ignore[attr-defined]
            found.append((np.zeros(len(shift)), shift))
    return found


@every
def test_neighbours_differ_and_are_of_the_declared_distance(mechanism: Mechanism) -> None:
    zero, one = inputs(mechanism)
    assert not np.array_equal(np.asarray(zero), np.asarray(one))
    if isinstance(mechanism, BoundedQuery):
        assert float(mechanism.exact_change()) == pytest.approx(float(mechanism.sensitivity()), rel=1e-12)
        assert abs(mechanism.query(zero) - mechanism.query(one))[0] == pytest.approx(
            float(mechanism.sensitivity()), rel=1e-9
        )
        for values in (zero, one):
            assert np.all((values >= mechanism.lower) & (values <= mechanism.upper))
    if isinstance(mechanism, LaplaceMechanism):
        assert np.abs(one - zero).sum() == pytest.approx(mechanism.sensitivity)
    if isinstance(mechanism, GaussianMechanism):
        assert np.linalg.norm(one - zero) == pytest.approx(mechanism.sensitivity)
    if isinstance(mechanism, OptimalGaussian | TrajectoryNoise):
        assert np.all((one >= mechanism.domain[0] - 1e-12) & (one <= mechanism.domain[1] + 1e-12))


@every
def test_dividing_the_noise_scales_law_and_code_alike(mechanism: Mechanism) -> None:
    rng = np.random.default_rng(1)
    half = mechanism.with_noise_divided_by(2.0)
    zero = inputs(mechanism)[0]
    law, halved = mechanism.law(zero), half.law(zero)
    if isinstance(law, Categories):
        assert isinstance(halved, Categories)
        p, q = (sorted(v.probabilities) for v in (law, halved))
        assert np.log(q[-1] / q[0]) == pytest.approx(2 * np.log(p[-1] / p[0]), rel=1e-9)
        return
    if isinstance(mechanism, CosineMechanism):
        middle = (mechanism.lower + mechanism.upper) / 2
        assert halved.uniforms(np.full((1, law.dimension), middle + 0.3), rng) == pytest.approx(
            law.uniforms(np.full((1, law.dimension), middle + 0.6), rng)
        )
    else:
        centre = law.centre if isinstance(law, NormalVector) else np.asarray(law.centre)  # type: ignore[attr-defined]
        scale = np.asarray(law.sample(1, rng) - centre)
        assert halved.uniforms(centre + scale / 2, rng) == pytest.approx(
            law.uniforms(centre + scale, rng), abs=1e-7
        )
    levels = np.array([0.1, 0.5, 0.8])
    if not isinstance(mechanism, CosineMechanism):
        assert law.uniforms_if_scaled(levels, 1.0) == pytest.approx(levels, abs=1e-9)
    one, two = (m.release(zero, 50, np.random.default_rng(3)) for m in (mechanism, half))
    if not isinstance(mechanism, CosineMechanism):
        assert two - two.mean(axis=0) == pytest.approx((one - one.mean(axis=0)) / 2, rel=1e-6)


@every
def test_parameters_are_json(mechanism: Mechanism) -> None:
    text = json.dumps(plain(mechanism.parameters()), allow_nan=False)
    assert "records" not in json.loads(text)
    assert type(mechanism).summary
    assert type(mechanism).name


@pytest.mark.parametrize(
    "build",
    [
        lambda: LaplaceMechanism(0.0, 1.0),
        lambda: LaplaceMechanism(1.0, -1.0),
        lambda: LaplaceMechanism(1.0, 1.0, 0),
        lambda: LaplaceMechanism(1.0, 1.0, True),
        lambda: LaplaceMechanism(float("nan"), 1.0),
        lambda: GaussianMechanism(),
        lambda: GaussianMechanism(1.0, covariance=np.eye(2)),
        lambda: GaussianMechanism(covariance=[[1.0, 2.0], [2.0, 1.0]]),
        lambda: GaussianMechanism(0.0),
        lambda: OptimalGaussian(-1.0, ([0.0], [1.0])),
        lambda: OptimalGaussian(1.0, ([1.0], [0.0])),
        lambda: OptimalGaussian(1.0, ([0.0], [np.inf])),
        lambda: OptimalGaussian(1.0, ([0.0], [1.0]), weight=np.eye(2)),
        lambda: CosineMechanism(1.0, 1.0),
        lambda: CosineMechanism(-1.0, 1.0, sensitivity=0.0),
        lambda: CosineMechanism(-1.0, 1.0, sensitivity=float("nan")),
        lambda: RandomisedResponse(1.0, 1),
        lambda: RandomisedResponse(-1.0),
        lambda: BoundedMean(1.0, 0.0, 5, epsilon=1.0),
        lambda: BoundedMean(0.0, 1.0, 5),
        lambda: BoundedMean(0.0, 1.0, 5, epsilon=1.0, sigma=1.0),
        lambda: BoundedMean(0.0, 1.0, 0, epsilon=1.0),
        lambda: BoundedSum(0.0, 1.0, epsilon=1.0, adjacency=OTHER),
        lambda: LinearQuery([0.0, 0.0], 0.0, 1.0, epsilon=1.0),
        lambda: BlackBox(lambda d, n, r: d, THREE),
        lambda: BlackBox(lambda d, n, r: d, OTHER),
    ],
)
def test_arguments_out_of_range_are_refused(build) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError, match=r"must|needs|need|give|bounds|domain"):
        build()


def test_inputs_out_of_range_are_refused() -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="category"):
        RandomisedResponse(1.0, 3).release(3, 2, rng)
    with pytest.raises(ValueError, match="category"):
        RandomisedResponse(1.0, 3).law(-1)
    with pytest.raises(ValueError, match="expects an input of 2"):
        LaplaceMechanism(1.0, 1.0, 2).release(np.zeros(3), 2, rng)
    with pytest.raises(ValueError, match="non-empty"):
        BoundedSum(0.0, 1.0, epsilon=1.0).release(np.array([]), 2, rng)
    with pytest.raises(ValueError, match="finite"):
        BoundedSum(0.0, 1.0, epsilon=1.0).release(np.array([np.nan]), 2, rng)
    with pytest.raises(TypeError, match="function"):
        BlackBox(3, (0, 1))  # type: ignore[arg-type]


def test_values_are_clipped_to_the_public_bounds() -> None:
    assert BoundedSum(0.0, 1.0, epsilon=1.0).query([5.0, -3.0, 0.5]) == pytest.approx([1.5])


def test_a_tampered_mechanism_keeps_the_law_and_changes_the_code() -> None:
    declared = GaussianMechanism(1.0, 1.0)
    mutant = Mutant.noise_divided_by(declared, 4.0)
    data = np.zeros(1)
    assert mutant.law(data).covariance == pytest.approx(declared.law(data).covariance)  # type: ignore[attr-defined]
    assert np.std(mutant.release(data, 20_000, np.random.default_rng(0))) == pytest.approx(0.25, rel=0.05)
    assert mutant.coordinatewise
    with pytest.raises(AttributeError):
        _ = mutant.no_such_thing


def test_single_turns_exceptions_into_outcomes() -> None:
    def release(data: int) -> int:
        if data:
            raise KeyError(data)
        return data

    box = BlackBox.single(release, (0, 1))
    assert box.sample(0, 2, np.random.default_rng(0)) == [0, 0]
    assert all(isinstance(v, KeyError) for v in box.sample(1, 2, np.random.default_rng(0)))
    assert not box.deterministic


def test_the_claim_of_a_true_mechanism_is_proved_and_a_smaller_one_refuted_at_every_scale() -> None:
    for scale in (1e-12, 1e-3, 1e12):
        mechanism = GaussianMechanism(scale, scale)
        for mu, verdict in ((1.0, Verdict.PROVED), (1 - 1e-9, Verdict.REFUTED)):
            assert examine(mechanism, Claim(GaussianDP(mu), about="law"), samples=100).verdict is verdict


@every
def test_another_process_gets_the_same_mechanism(mechanism: Mechanism) -> None:
    """Sent as it is, and after exact numbers were derived from it: to workers, to a cluster, to a checkpoint."""
    fresh = cloudpickle.dumps(mechanism)
    worst = mechanism.worst_case()
    for sent in (fresh, cloudpickle.dumps(mechanism)):
        other = cloudpickle.loads(sent)
        drawn = [m.sample(m.neighbours()[0][0], 3, np.random.default_rng(0)) for m in (mechanism, other)]
        assert np.array_equal(*drawn)
        again = other.worst_case()
        assert (again is None) == (worst is None)
        assert worst is None or again.pair.steps() == worst.pair.steps()
