"""The joint release of RON-Gauss under audit: law and code, largest loss, proofs at the needed scale, refutations at the printed one."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import sympy as sp
from scipy import integrate

from noiseproof import ApproxDP, Claim, PureDP, Verdict, examine
from noiseproof.audit.record.plain import plain
from noiseproof.audit.trial.checks.fit import Fit
from noiseproof.audit.trial.outcomes import canonical
from noiseproof.audit.witnesses import reevaluate
from noiseproof.mechanisms import Mutant
from noiseproof.mechanisms.covariance import sensitivity_steps
from noiseproof.mechanisms.ron_gauss import (
    RonGaussRelease,
    RonGaussSupervisedRelease,
    on_sphere,
    renormalised,
    uniform_projection,
)
from noiseproof.mechanisms.ron_gauss.extreme import extreme, extreme_augmented
from noiseproof.mechanisms.ron_gauss.release_steps import label_steps
from noiseproof.symbolic.proof.truth import Truth

NEEDED, NEEDED_Y = RonGaussRelease.needed, RonGaussSupervisedRelease.needed
PRINTED, PRINTED_Y = RonGaussRelease.printed, RonGaussSupervisedRelease.printed

EXAMPLES: dict[str, RonGaussRelease] = {
    "needed": NEEDED(5, 3, 3, 0.5, 1.5),
    "needed, all entries": NEEDED(4, 4, 2, 0.5, 1.5, symmetric=False),
    "needed, a given projection": NEEDED(
        4, 2, 3, 0.5, 1.5, projection=uniform_projection(4, 2, np.random.default_rng(0))
    ),
    "printed": PRINTED(5, 3, 4, 0.5, 1.5),
    "needed, labels": NEEDED_Y(4, 3, 3, 0.5, 0.5, 1.5),
    "needed, labels, all entries": NEEDED_Y(3, 2, 2, 2.0, 0.5, 1.5, symmetric=False),
    "printed, labels": PRINTED_Y(5, 4, 3, 0.25, 0.5, 1.5),
}
every = pytest.mark.parametrize("mechanism", EXAMPLES.values(), ids=EXAMPLES.keys())


def largest(mechanism: RonGaussRelease) -> float:
    return float(mechanism.worst_case().pair.max_loss())


def loss_at(mechanism: RonGaussRelease, mean: np.ndarray) -> float:
    """The largest absolute privacy loss among matrices beyond both centres, the mean's outcome given."""
    (pair,) = mechanism.neighbours()
    zero, one = (mechanism.law(x) for x in pair)
    first, second = (law.moments(mean[None]) for law in (zero, one))
    losses = []
    for sign in (1, -1):
        beyond = np.where(
            sign * (first - second) > 0, np.maximum(first, second) + 1, np.minimum(first, second) - 1
        )
        y = np.concatenate([mean[None], beyond], axis=1)
        losses.append(float((zero.log_density(y) - one.log_density(y))[0]))
    return max(np.abs(losses))


@every
def test_the_declared_neighbours_reach_the_declared_loss(mechanism: RonGaussRelease) -> None:
    worst = mechanism.worst_case()
    declared = float(worst.pair.max_loss())
    assert worst.dominating is not None
    assert declared <= float(worst.dominating.max_loss()) * (1 + 1e-12)
    reached = loss_at(mechanism, mechanism.meeting_point())
    if mechanism.projection is None:
        assert reached == pytest.approx(declared, rel=1e-6)
        # In a neighbourhood too: the point is no exception of measure zero.
        nearby = mechanism.meeting_point() + 1e-6 * np.random.default_rng(0).normal(size=mechanism.m)
        assert loss_at(mechanism, nearby) == pytest.approx(declared, rel=1e-4)
    else:
        # With a given projection the loss of the matrix is declared, and the mean's may come on top.
        assert declared * (1 - 1e-6) <= reached <= float(worst.dominating.max_loss())


@every
def test_no_random_neighbours_lose_more_than_the_dominating_pair(mechanism: RonGaussRelease) -> None:
    worst, rng = mechanism.worst_case(), np.random.default_rng(1)
    assert worst.dominating is not None
    bound = float(worst.dominating.max_loss()) * (1 + 1e-9)
    for _ in range(20):
        x = rng.normal(size=(mechanism.n, mechanism.m))
        z = x.copy()
        z[0] = rng.normal(size=mechanism.m)
        if isinstance(mechanism, RonGaussSupervisedRelease):
            x, z = (
                np.column_stack([r, rng.uniform(-1, 1, mechanism.n) * mechanism.label_bound]) for r in (x, z)
            )
            z[1:, -1] = x[1:, -1]
        zero, one = mechanism.law(x), mechanism.law(z)
        y = np.concatenate([zero.sample(200, rng), one.sample(200, rng)])
        y[::2] = y[::2] * 3  # far out, where losses are largest
        assert np.abs(zero.log_density(y) - one.log_density(y)).max() <= bound


@every
def test_every_step_holds(mechanism: RonGaussRelease) -> None:
    worst = mechanism.worst_case()
    for step in (*worst.steps, *worst.pair.steps()):
        assert step.check() is Truth.HOLDS, step.reason
    assert len(worst.pair.steps()) == (3 if mechanism.projection is None else 1)


@pytest.mark.parametrize(
    "mechanism", [NEEDED(4, 3, 3, 1.0, 1.0), NEEDED_Y(4, 3, 3, 0.5, 1.0, 1.0, symmetric=False)]
)
def test_a_sabotaged_step_is_seen(mechanism: RonGaussRelease) -> None:
    steps = mechanism.worst_case().steps[:-2]  # the last two belong to the Laplace mechanism
    labels = getattr(mechanism, "label_bound", 1.0)
    closed = (*steps, *sensitivity_steps(3, 2, True), *label_steps(mechanism.p, labels, mechanism.symmetric))
    for step in closed:
        assert step.check() is Truth.HOLDS, step.reason
        wrong = step.left + 1 if step.relation != ">=" else step.left - 1
        assert replace(step, left=wrong).check() is not Truth.HOLDS, step.reason


@every
def test_the_code_follows_the_law_and_the_law_itself(mechanism: RonGaussRelease) -> None:
    check, rng = Fit(Claim(PureDP(1.0), mechanism)), np.random.default_rng(2)
    (pair,) = mechanism.neighbours()
    for draw in (mechanism.release, lambda x, size, r: mechanism.law(x).sample(size, r)):
        unit = [canonical(draw(x, 1500, rng), 1500) for x in pair]
        evidence = check.judge(None, check.count(None, unit, np.random.default_rng(0)), 1e-6)
        assert evidence.verdict is Verdict.SURVIVED, evidence.detail


def test_code_with_less_noise_does_not_follow_the_law() -> None:
    mechanism = EXAMPLES["needed"]
    check, rng = Fit(Claim(PureDP(1.0), mechanism)), np.random.default_rng(3)
    faulty = Mutant.noise_divided_by(mechanism, 1.5)
    unit = [canonical(faulty.release(x, 1500, rng), 1500) for x in mechanism.neighbours()[0]]
    assert (
        check.judge(None, check.count(None, unit, np.random.default_rng(0)), 1e-6).verdict is Verdict.REFUTED
    )


def test_the_density_has_mass_one() -> None:
    # m = p = 2, three entries: importance sampling from wider Laplace numbers around the law's first centre.
    mechanism = NEEDED(2, 2, 2, 3.0, 3.0)
    law = mechanism.law(mechanism.neighbours()[0][0])
    means = np.random.default_rng(4).laplace(size=(400, 2)) * 1.3 * mechanism.mean_scale + law.unit.mean(
        axis=0
    )
    entries = law.moments(means)
    one = integrate.quad(
        lambda z: float(law.matrix_noise.pdf(np.array([z]))[0]), -60, 60, points=[0], limit=200
    )[0]
    assert one == pytest.approx(1, abs=1e-8)
    # At the centre given the mean, the joint density is the mean's density times the matrix's largest one.
    y = np.concatenate([means, entries], axis=1)
    b, c = mechanism.mean_scale, mechanism.covariance_scale
    by_hand = -np.abs(means - law.unit.mean(axis=0)).sum(axis=1) / b - 2 * np.log(2 * b) - 3 * np.log(2 * c)
    assert law.log_density(y) == pytest.approx(by_hand, abs=1e-9)


@every
def test_neighbours_are_raw_data_that_differ_in_one_record(mechanism: RonGaussRelease) -> None:
    ((zero, one),) = mechanism.neighbours()
    assert np.flatnonzero((zero != one).any(axis=1)).tolist() == [0]
    assert pytest.approx(np.eye(mechanism.p), abs=1e-9) == mechanism.W.T @ mechanism.W
    labels = isinstance(mechanism, RonGaussSupervisedRelease)
    for data, target in ((zero, mechanism._pair.f), (one, mechanism._pair.g)):
        rows = on_sphere(data[:, :-1] if labels else data)
        projected = renormalised(rows, mechanism.meeting_point()) @ mechanism.W
        assert projected[0] == pytest.approx(target, abs=1e-6)


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("p", [2, 3, 6])
@pytest.mark.parametrize("a", [None, sp.Rational(1, 4), sp.Integer(3)])
def test_the_exact_distance_of_the_extreme_pair_is_that_of_its_numbers(
    p: int, a: Any, symmetric: bool
) -> None:
    pair = extreme(p, symmetric) if a is None else extreme_augmented(p, a, symmetric)
    f, g = (v if a is None else np.append(v, label) for v, label in ((pair.f, pair.y), (pair.g, pair.z)))
    moved = np.abs(np.outer(f, f) - np.outer(g, g))
    total = moved[np.triu_indices(len(f))].sum() if symmetric else moved.sum()
    assert total == pytest.approx(float(pair.distance), rel=1e-9)
    assert float(pair.cosine) == pytest.approx(pair.f @ pair.g, abs=1e-9)
    # No other pair of the family that is tried here, and no random one, does better by more than rounding.
    rng = np.random.default_rng(5)
    for _ in range(300):
        u, v = on_sphere(rng.normal(size=(2, p)))
        if a is not None:
            u, v = (np.append(w, float(a) * rng.choice([-1.0, 1.0])) for w in (u, v))
        d = np.abs(np.outer(u, u) - np.outer(v, v))
        assert (d[np.triu_indices(len(u))].sum() if symmetric else d.sum()) <= total + 1e-6


# --- verdicts


@pytest.mark.parametrize("mechanism", [NEEDED(3, 3, 2, 0.4, 0.6), NEEDED_Y(2, 2, 2, 0.5, 0.4, 0.6)])
def test_at_the_needed_scale_the_law_is_proved_and_the_code_survives_every_check(
    mechanism: RonGaussRelease,
) -> None:
    law = examine(mechanism, Claim(PureDP(1.0), about="law"), samples=200)
    assert law.verdict is Verdict.PROVED
    code = examine(mechanism, PureDP(1.0), samples=1000, seed=1)
    assert code.verdict is Verdict.SURVIVED
    assert not [e for f in code.findings for e in f.evidence if e.verdict is Verdict.REFUTED]


def test_a_smaller_epsilon_than_the_needed_scale_pays_for_is_refuted() -> None:
    # For even p and noise on all entries the bound is attained: the two budgets are exactly what is spent.
    mechanism = NEEDED(4, 4, 3, 0.4, 0.6, symmetric=False)
    assert examine(mechanism, Claim(PureDP(1.0), about="law"), samples=200).verdict is Verdict.PROVED
    assert examine(mechanism, Claim(PureDP(1.0 - 1e-9), about="law"), samples=200).verdict is Verdict.REFUTED


@pytest.mark.parametrize("p", [3, 4, 7, 12])
@pytest.mark.parametrize("budgets", [(0.5, 0.5), (0.9, 0.1)])
def test_at_the_printed_scale_the_law_is_refuted_by_proof(p: int, budgets: tuple[float, float]) -> None:
    found = examine(PRINTED(12, p, 3, *budgets), Claim(PureDP(1.0), about="law"), samples=200)
    assert found.verdict is Verdict.REFUTED
    (witness,) = [e.witness for f in found.findings for e in f.evidence if e.witness is not None]
    assert reevaluate(json.loads(json.dumps(witness)))[0]
    # The epsilon that is really spent, from below: sqrt(2 p^2 - 1) or sqrt 2 p in place of 2 sqrt(p).
    spent = budgets[0] + budgets[1] * np.sqrt(2 * p * p - p % 2) / (2 * np.sqrt(p))
    assert float(PRINTED(12, p, 3, *budgets).worst_case().pair.max_loss()) == pytest.approx(spent)


def test_at_the_printed_scale_two_dimensions_are_private() -> None:
    assert (
        examine(PRINTED(6, 2, 3, 0.5, 0.5), Claim(PureDP(1.0), about="law"), samples=200).verdict
        is Verdict.PROVED
    )


def test_the_printed_scale_with_labels_is_refuted_where_labels_are_small_and_proved_in_two_dimensions() -> (
    None
):
    found = examine(PRINTED_Y(5, 4, 3, 0.25, 0.5, 0.5), Claim(PureDP(1.0), about="law"), samples=200)
    assert found.verdict is Verdict.REFUTED
    (witness,) = [e.witness for f in found.findings for e in f.evidence if e.witness is not None]
    assert reevaluate(json.loads(json.dumps(witness)))[0]
    fine = PRINTED_Y(5, 2, 3, 0.5, 0.5, 0.5)
    assert examine(fine, Claim(PureDP(1.0), about="law"), samples=200).verdict is Verdict.PROVED


def test_other_guarantees_get_honest_answers() -> None:
    mechanism = NEEDED(3, 3, 2, 0.5, 0.5)
    claim = Claim(ApproxDP(1.0, 1e-6), about="law")
    assert examine(mechanism, claim, samples=200).verdict is Verdict.PROVED
    assert mechanism.worst_case().pair.delta([0.0, 1.0])[1] == 0.0


@every
def test_dividing_the_noise_scales_both_noises(mechanism: RonGaussRelease) -> None:
    half = mechanism.with_noise_divided_by(2.0)
    assert half.mean_scale == pytest.approx(mechanism.mean_scale / 2)
    assert half.covariance_scale == pytest.approx(mechanism.covariance_scale / 2)
    assert largest(half) / largest(mechanism) == pytest.approx(2)
    law = mechanism.law(mechanism.neighbours()[0][0])
    assert law.uniforms_if_scaled(np.array([0.2, 0.5]), 1.0) == pytest.approx(np.array([0.2, 0.5]))


@every
def test_parameters_are_plain_and_build_the_mechanism_again(mechanism: RonGaussRelease) -> None:
    parameters = json.loads(json.dumps(plain(mechanism.parameters()), allow_nan=False))
    again = type(mechanism)(**parameters)
    assert largest(again) == pytest.approx(largest(mechanism))


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: NEEDED(3, 4, 3, 1.0, 1.0), "p must be at most m"),
        (lambda: NEEDED(3, 1, 3, 1.0, 1.0), "p must be a whole number >= 2"),
        (lambda: NEEDED(3, 2, 1, 1.0, 1.0), "n must be"),
        (lambda: NEEDED(3, 2, 3, 0.0, 1.0), "privacy budget"),
        (lambda: PRINTED(3, 2, 3, 1.0, -1.0), "privacy budget"),
        (lambda: RonGaussRelease(3, 2, 3, 0.0, 1.0), "mean_scale"),
        (lambda: RonGaussRelease(3, 2, 3, 1.0, float("nan")), "covariance_scale"),
        (lambda: NEEDED_Y(3, 2, 3, 0.0, 1.0, 1.0), "label_bound"),
        (lambda: NEEDED(3, 2, 3, 1.0, 1.0, projection=np.ones((3, 2))), "orthonormal"),
        (lambda: NEEDED(3, 2, 3, 1.0, 1.0).law(np.ones((3, 2))), "expects 3 records of 3"),
        (lambda: NEEDED(3, 2, 3, 1.0, 1.0).law(np.zeros((3, 3))), "record 0 of X is zero"),
        (lambda: NEEDED_Y(3, 2, 2, 1.0, 1.0, 1.0).law(np.full((2, 4), 2.0)), "labels must lie in"),
        (lambda: NEEDED_Y(3, 2, 2, 1.0, 1.0, 1.0).law(np.ones((2, 3))), "and a label"),
    ],
)
def test_bad_input_is_refused(build: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        build()
