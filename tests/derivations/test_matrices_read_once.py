"""Matrices are read once: what is said of a covariance, a weight, a claimed information or a projection is true of it."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy as sp
from flint import arb_mat, ctx, fmpq, fmpq_mat

from noiseproof import examine
from noiseproof.audit.record.evidence import Verdict
from noiseproof.audit.trial.checks.derivation import DerivationCheck
from noiseproof.mechanisms import GaussianMechanism, OptimalGaussian, TrajectoryNoise
from noiseproof.mechanisms.ron_gauss import RonGaussRelease, RonGaussSupervisedRelease, uniform_projection
from noiseproof.symbolic.claim import Claim
from noiseproof.symbolic.information.error_bounds import claimed_bound_truth, cramer_rao
from noiseproof.symbolic.laws import catalogue as laws
from noiseproof.symbolic.predicates import ErrorBound, FisherInformation, Predicate
from noiseproof.symbolic.privacy.guarantees import GaussianDP, PureDP
from noiseproof.symbolic.proof.enclosed_matrices import definite, least_eigenvalue, root, triangular_factor
from noiseproof.symbolic.proof.symmetric_matrix import SymmetricMatrix
from noiseproof.symbolic.proof.truth import Truth

BOX3 = (-np.ones(3), np.ones(3))


def said(subject: Any, predicate: Predicate) -> Verdict:
    return examine(subject, [Claim(predicate, about="law")], samples=200).findings[0].verdict


def turned(values: list[float], seed: int = 0) -> np.ndarray:
    q, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(len(values), len(values))))
    s = (q * np.array(values)) @ q.T
    return np.asarray((s + s.T) / 2)


@pytest.mark.parametrize(
    "matrix",
    [
        [[1e-8, 0], [9e-9, 1e-8]],
        [[1, 0.99998], [0.99999, 1]],
        [[1, 0.5], [0.5 + 1e-11, 1]],
        [[1e-300, 0], [1e-305, 1e-300]],
    ],
)
def test_two_triangles_that_differ_are_refused_by_every_door(matrix: list[list[float]]) -> None:
    doors: tuple[Callable[[], Any], ...] = (
        lambda: GaussianMechanism(covariance=matrix),
        lambda: OptimalGaussian(1.0, ([0, 0], [1, 1]), weight=matrix),
        lambda: FisherInformation(matrix),
        lambda: ErrorBound(1.0, weight=matrix),
        lambda: cramer_rao(np.eye(2), weight=np.array(matrix)),
    )
    for door in doors:
        with pytest.raises(ValueError, match="symmetric"):
            door()


def test_triangles_that_differ_by_rounding_are_averaged_and_it_is_said() -> None:
    a = np.random.default_rng(1).normal(size=(4, 4))
    weight = np.linalg.inv(a @ a.T)
    weight[0, 1] = np.nextafter(weight[1, 0], np.inf)
    with pytest.warns(UserWarning, match="mean of its triangles"):
        claim = ErrorBound(float(np.trace(weight)), weight=weight)
    assert np.array_equal(claim.weight, np.transpose(claim.weight))  # type: ignore[arg-type]
    assert said(GaussianMechanism(1.0, dimension=4), claim) is Verdict.PROVED
    with pytest.warns(UserWarning, match="rounding"):
        mechanism = GaussianMechanism(covariance=weight)
    assert mechanism.covariance is not None
    assert np.array_equal(mechanism.covariance, mechanism.covariance.T)
    assert np.array_equal(mechanism.covariance, claim.weight)


def test_a_matrix_is_not_changed_behind_the_back_of_a_proof() -> None:
    given = np.array([[1.0, 0.5], [0.5, 1.0]])
    mechanism = GaussianMechanism(covariance=given)
    given *= 4
    assert mechanism.covariance is not None
    assert mechanism.covariance[0, 0] == 1
    with pytest.raises(ValueError, match="read-only"):
        mechanism.covariance[0, 0] = 4


@pytest.mark.parametrize(
    "matrix", [[[1.0, 1.0], [1.0, 1.0]], [[1.0, 2.0], [2.0, 1.0]], [[1.0, 0], [0, 0]], [[np.nan]], [[1, 2]]]
)
def test_what_is_not_positive_definite_is_refused(matrix: Any) -> None:
    with pytest.raises(ValueError, match="covariance must be"):
        GaussianMechanism(covariance=matrix)


@pytest.mark.parametrize("order", [3, 41])
def test_an_inverse_in_floating_point_is_not_the_information(order: int) -> None:
    """Entries that are equal to fewer than twelve digits are different, at every dimension."""
    matrix = np.eye(order)
    matrix[:2, :2] = [[1.0, 0.9999], [0.9999, 1.0]]
    exact = np.eye(order)
    exact[:2, :2] = np.array([[1.0, -0.9999], [-0.9999, 1.0]]) / 0.00019999
    noise = GaussianMechanism(covariance=matrix)
    off = exact.copy()
    off[0, 0] *= 1 + 1e-9
    assert said(noise, FisherInformation(off)) is Verdict.REFUTED
    assert said(noise, FisherInformation(exact)) in (Verdict.PROVED, Verdict.SURVIVED)
    lost = GaussianMechanism(covariance=turned([1e-12, *np.linspace(1, 2, order - 1)]))
    inverse = np.linalg.inv(lost.covariance)  # type: ignore[arg-type]
    assert said(lost, FisherInformation((inverse + inverse.T) / 2)) is not Verdict.PROVED


@pytest.mark.parametrize("least", [1e-3, 1e-14])
def test_the_quietest_direction_decides_whatever_its_share(least: float) -> None:
    """A covariance [[1, 1 - t], [1 - t, 1]] has the least eigenvalue t, read off the decimals."""
    t = float(least)
    noise = GaussianMechanism(covariance=[[1.0, 1 - t], [1 - t, 1.0]], sensitivity=1e-6)
    gap = 1 - SymmetricMatrix.of("S", noise.covariance).exact[0, 1]
    mu = 1e-6 / float(int(gap.p) / int(gap.q)) ** 0.5
    assert said(noise, GaussianDP(mu * 1.1)) is Verdict.PROVED
    assert said(noise, GaussianDP(mu / 1.1)) is Verdict.REFUTED


def test_the_root_of_a_weight_is_enclosed() -> None:
    """Pi = Q diag(1, 1e-13) Q' with Q a turn by 3/5, 4/5: the loudest direction of the noise is the quietest of Pi."""
    pi = np.array([[0.36 + 0.64e-13, 0.48 - 0.48e-13], [0.48 - 0.48e-13, 0.64 + 0.36e-13]])
    noise = OptimalGaussian(1.0, ([0, 0], [1, 1]), weight=pi)
    # d = (1, 1): d' Pi^{1/2} d is (3/5 + 4/5)^2 + sqrt(1e-13) (4/5 - 3/5)^2, nearly.
    mu = (1.96 + 0.04 * 1e-13**0.5) ** 0.5
    assert said(noise, GaussianDP(mu * (1 + 1e-9))) is Verdict.PROVED
    assert said(noise, GaussianDP(mu * (1 - 1e-9))) is Verdict.REFUTED


@pytest.mark.parametrize("seed", range(4))
def test_noise_is_divided_without_losing_its_quietest_direction(seed: int) -> None:
    noise = GaussianMechanism(covariance=turned([1.0, 1.0, 1e-16 * (3 + seed)], seed))
    louder = noise.with_noise_divided_by(1.37)
    proved = float(louder.worst_case().pair.mu)  # type: ignore[attr-defined]
    assert proved == pytest.approx(1.37 * float(noise.worst_case().pair.mu), rel=1e-12)  # type: ignore[attr-defined]
    zero, one = louder.neighbours()[0]
    assert np.linalg.norm(louder.law(zero).whitened(one[None])) == pytest.approx(proved)  # type: ignore[attr-defined]


def test_what_is_enclosed_anew_is_held_to_the_numbers_that_are_shown() -> None:
    matrix = [[1.0, 0.9], [0.9, 1.0]]
    noise, optimal = (
        GaussianMechanism(covariance=matrix),
        OptimalGaussian(1.0, ([0, 0], [1, 1]), weight=matrix),
    )
    known, exact = noise.noise_information(), np.array([[1.0, -0.9], [-0.9, 1.0]]) / 0.19
    bound = claimed_bound_truth(known, ErrorBound(1.9))[1]
    steps = [*noise.worst_case().steps, *optimal.worst_case().steps, *bound.steps]
    entry = DerivationCheck._entry(known, exact, (0, 1))
    for step in (entry, *steps):
        assert step.check() is Truth.HOLDS
        wrong = step.left * (sp.Rational(1, 2) if step.relation == ">=" else 2) + sp.Rational(1, 10**9)
        assert replace(step, left=wrong).check() is not Truth.HOLDS


def test_a_box_may_be_as_wide_as_numbers_are() -> None:
    for ends in (([0, 0, -1], [1e300, 1e300, 1]), ([1.5e308, 0, 0], [1.7e308, 1, 1])):
        noise = OptimalGaussian(1.0, ends, weight=np.eye(3) + 0.5)
        assert np.all(np.isfinite(noise.neighbours()))
        assert GaussianDP(1.0).holds(noise.worst_case().pair) is Truth.FAILS


def test_a_trajectory_is_proved_from_its_answers_not_from_their_square() -> None:
    """C = diag(s) with s down to 1.7e-8 and a box that is wide where s is small: mu^2 is the sum of w^2 s."""
    s, w = np.array([1.0, 2.9e-4, 1.7e-8]), np.array([1e-6, 1e-4, 1e3])
    mu = float(np.sum(w**2 * s)) ** 0.5
    flat = TrajectoryNoise(np.eye(3), np.diag(s), 0, 1.0, (-w / 2, w / 2))
    assert said(flat, GaussianDP(mu * (1 + 1e-9))) is Verdict.PROVED
    assert said(flat, GaussianDP(mu * (1 - 1e-9))) is Verdict.REFUTED
    # Turned outputs change nothing; turned inputs mix the singular values.
    q, _ = np.linalg.qr(np.random.default_rng(3).normal(size=(3, 3)))
    mixed = TrajectoryNoise(np.eye(3), np.diag(s) @ q, 0, 1.0, BOX3)
    with ctx.workprec(400):
        psi = fmpq_mat(3, 3, [fmpq(*Fraction(repr(x)).as_integer_ratio()) for x in mixed.C.ravel().tolist()])
        half = root(psi.transpose() * psi)
        corner = max(
            (arb_mat(1, 3, list(e)) * half * arb_mat(3, 1, list(e)))[0, 0]
            for e in ((2, 2, 2), (2, 2, -2), (2, -2, 2), (2, -2, -2))
        )
        mu = float(corner.sqrt())
    assert said(mixed, GaussianDP(mu * (1 + 1e-6))) is Verdict.PROVED
    assert said(mixed, GaussianDP(mu * (1 - 1e-6))) is Verdict.REFUTED


def test_law_and_code_of_a_trajectory_are_those_of_its_proof() -> None:
    """Whitened by the exact root, the draws of the code have the identity as their second moments."""
    q, _ = np.linalg.qr(np.random.default_rng(3).normal(size=(3, 3)))
    noise = TrajectoryNoise(np.eye(3), np.diag([1.0, 2.9e-4, 1.7e-7]) @ q, 0, 1.0, BOX3)
    law = noise.noise_law(np.zeros(3))
    drawn = law.whitened(noise.draw(40_000, np.random.default_rng(0)))  # type: ignore[attr-defined]
    assert drawn.T @ drawn / len(drawn) == pytest.approx(np.eye(3), abs=0.04)


def test_quiet_directions_are_drawn_as_they_are_declared() -> None:
    noise = GaussianMechanism(covariance=turned([1.0, 3e-13, 1e-13]))
    law = noise.noise_law(np.zeros(3))
    drawn = law.whitened(noise.draw(40_000, np.random.default_rng(0)))  # type: ignore[attr-defined]
    assert drawn.T @ drawn / len(drawn) == pytest.approx(np.eye(3), abs=0.04)


@pytest.mark.parametrize("stretch", [4.9e-6, 1e-11])
def test_a_projection_that_stretches_costs_privacy(stretch: float) -> None:
    """With W'W = c I the second moments lose c times as much: a budget of one is then exceeded."""
    W = RonGaussRelease.needed(3, 2, 5, 0.5, 0.5, symmetric=False).W
    long = RonGaussRelease.needed(3, 2, 5, 0.5, 0.5, symmetric=False, projection=W * (1 + stretch))
    assert said(long, PureDP(1.0)) is Verdict.REFUTED
    assert said(long, PureDP(1.0 + 1.1 * stretch)) is Verdict.PROVED
    labels = RonGaussSupervisedRelease.needed(3, 2, 2, 1.0, 0.5, 0.5, projection=W * (1 + stretch))
    assert said(labels, PureDP(1.0)) is not Verdict.PROVED
    assert said(labels, PureDP(1.0 + 2 * stretch)) is Verdict.PROVED


def test_one_column_that_is_longer_costs_what_it_is_longer() -> None:
    """The largest eigenvalue of W'W grows by 8e-6, and half of the budget with it; the mean of its diagonal by 4e-6."""
    W = RonGaussRelease.needed(3, 2, 5, 0.5, 0.5, symmetric=False).W * (1 + np.array([4e-6, 0.0]))
    one = RonGaussRelease.needed(3, 2, 5, 0.5, 0.5, symmetric=False, projection=W)
    assert said(one, PureDP(1 + 3e-6)) is not Verdict.PROVED
    assert said(one, PureDP(1 + 6e-6)) is Verdict.PROVED


@pytest.mark.parametrize("shape", [(2, 2), (60, 7)])
def test_a_projection_that_is_orthonormal_up_to_rounding_keeps_its_proof(shape: tuple[int, int]) -> None:
    for seed in range(2):
        W = uniform_projection(*shape, np.random.default_rng(seed))
        assert (
            said(RonGaussRelease.needed(*shape, 4, 0.25, 0.75, projection=W), PureDP(1.0)) is Verdict.PROVED
        )


@pytest.mark.parametrize("prior", ["3.0", 3.0, [], [laws.normal(0, 1), "x"]])
def test_a_prior_that_is_no_law_is_refused(prior: Any) -> None:
    with pytest.raises(ValueError, match="prior= must be a law"):
        ErrorBound(0.1, "bayes", prior=prior)


@pytest.mark.parametrize(
    "claim",
    [
        ErrorBound(0.1, "bayes", prior=[laws.normal(0, 1)] * 2),
        ErrorBound(0.1, weight=np.eye(2)),
        ErrorBound(0.1, "minimax", domain=([0, 0], [1, 1])),
    ],
    ids=["prior", "weight", "domain"],
)
def test_what_has_the_wrong_length_is_refused_before_any_work(claim: ErrorBound) -> None:
    for subject in (GaussianMechanism(1.0, dimension=3), OptimalGaussian(1.0, BOX3)):
        with pytest.raises(ValueError, match="an input has 3 entries"):
            examine(subject, claim, samples=200)


def test_an_error_bound_about_a_trajectory_speaks_of_its_states() -> None:
    noise = TrajectoryNoise([[1.0, 1.0], [0.0, 1.0]], [[1.0, 0.0]], 3, 2.0, ([0, -1], [1, 1]), beyond=0.1)
    certificate = examine(
        noise, [ErrorBound(0.01), ErrorBound(0.01, weight=np.diag([1.0, 2.0]))], samples=200
    )
    assert all(f.verdict is not Verdict.REFUTED for f in certificate.findings)
    with pytest.raises(ValueError, match="an input has 2 entries"):
        examine(noise, ErrorBound(0.01, weight=np.eye(4)), samples=200)


def test_a_weight_between_entries_is_no_business_of_single_entries() -> None:
    """Tr(Pi S) = 3.62 for Pi = S = [[1, .9], [.9, 1]], of which the diagonals alone would say 2."""
    matrix = [[1.0, 0.9], [0.9, 1.0]]
    noise = GaussianMechanism(covariance=matrix)
    finding = examine(noise, ErrorBound(3.5, weight=matrix), samples=20_000).findings[0]
    assert finding.verdict is not Verdict.REFUTED
    assert said(noise, ErrorBound(3.62, weight=matrix)) is Verdict.PROVED
    assert said(noise, ErrorBound(3.63, weight=matrix)) is Verdict.REFUTED


def test_enclosures_contain_what_they_enclose() -> None:
    rng = np.random.default_rng(5)
    for order in (1, 2, 4):
        a = fmpq_mat(order, order, [fmpq(int(x), 7) for x in rng.integers(-9, 10, order * order)])
        x = a * a.transpose() + fmpq_mat(
            order, order, [fmpq(int(i == j), 1000) for i in range(order) for j in range(order)]
        )
        square = x * x
        half = root(square)
        with ctx.workprec(4000):
            pairs = zip(half.entries(), arb_mat(x).entries(), strict=True)
            assert all(ball.contains(entry) for ball, entry in pairs)
        low, high = least_eigenvalue(x)
        assert 0 < low <= high
        assert definite(x, low) is Truth.HOLDS
        assert definite(x, high * fmpq(1001, 1000)) is Truth.FAILS
        factor = triangular_factor(x)
        assert factor @ factor.T == pytest.approx(SymmetricMatrix.rounded(x).values)


def test_no_warning_where_nothing_is_averaged() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        GaussianMechanism(covariance=turned([1.0, 2.0]))


def test_a_prior_beside_correlated_noise_is_enclosed() -> None:
    """Tr (S^{-1} + I)^{-1} for S with eigenvalues 1.9 and 0.1, a standard normal prior."""
    noise = GaussianMechanism(covariance=[[1.0, 0.9], [0.9, 1.0]])
    least = 1.9 / 2.9 + 0.1 / 1.1
    prior = laws.normal(0, 1)
    assert said(noise, ErrorBound(least * (1 - 1e-9), "bayes", prior=prior)) is Verdict.PROVED
    assert said(noise, ErrorBound(least * (1 + 1e-9), "bayes", prior=[prior, prior])) is Verdict.UNDECIDED


def test_one_who_knows_the_other_entries_is_enclosed() -> None:
    """The sum of 1 / I_ii is 2 (1 - 0.81) for a correlation of 0.9; the released value errs by 2."""
    noise = GaussianMechanism(covariance=[[1.0, 0.9], [0.9, 1.0]])
    assert said(noise, ErrorBound(0.38 * (1 - 1e-9), "informed")) is Verdict.PROVED
    assert said(noise, ErrorBound(0.384, "informed")) is Verdict.UNDECIDED
    assert said(noise, ErrorBound(2.1, "informed")) is Verdict.REFUTED


@pytest.mark.parametrize("least", [1e-5, 1e-8, 1e-11])
def test_a_computation_does_not_contradict_the_proof_of_an_ill_conditioned_law(least: float) -> None:
    """What is read as decimals is integrated as decimals: a hair above the truth is not refuted for rounding."""
    noise = GaussianMechanism(covariance=turned([1.0, least], 4))
    gap = least_eigenvalue(SymmetricMatrix.of("S", noise.covariance).exact)[1]
    mu = float(int(gap.q) / int(gap.p)) ** 0.5
    near = GaussianMechanism(covariance=noise.covariance, sensitivity=4.0 / mu)
    assert said(near, GaussianDP(4.0 * (1 + 1e-11))) is Verdict.PROVED
