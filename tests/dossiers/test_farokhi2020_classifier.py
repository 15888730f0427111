"""Classifier, independent release and Appendix C in farokhi2020: verdicts, twins that flip, sabotage that shows, witnesses."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy as sp
from claim_trials import verdicts_of
from dossier_section import LESS, MORE, judged, no_step_is_idle
from flint import fmpq, fmpq_mat

from noiseproof.audit.dossier import PaperClaim
from noiseproof.audit.dossier.arguments import release_statements as release
from noiseproof.audit.dossier.arguments import release_stationarity as condition
from noiseproof.audit.dossier.formula import Formula
from noiseproof.audit.dossier.parts import Parts, parts, tried
from noiseproof.audit.papers.farokhi2020.arguments import svm_statements as svm
from noiseproof.audit.papers.farokhi2020.arguments.svm_exact import exact_svm, lipschitz, null_space_release
from noiseproof.audit.record.evidence import Verdict
from noiseproof.audit.studies.dataset_release.stability import global_stability
from noiseproof.mechanisms.learning.svm import solve_svm

PAPER = "farokhi2020"
EXPECTED = verdicts_of(PAPER, "classifier")


# One per cent on what stands: the printed statement, or the correction of a false one.
SABOTAGE: dict[str, Callable[[], Parts]] = {
    "headline-1": lambda: parts(release.unbiased_one(factor=MORE)),
    "headline-2": lambda: parts(svm.stable_model(LESS)),
    "headline-3": lambda: parts(release.normal_privacy(factor=LESS)),
    "headline-4": lambda: Parts((), null_space_release("across", "101/100")),
    "headline-5": lambda: parts(release.error_at_condition(MORE)),
    "eq-1": lambda: parts(svm.optimal_cost("-80/100")),
    "eq-2-uniqueness": lambda: parts(svm.convexity(LESS)),
    "proposition-2.1": lambda: parts(svm.limit_offset(MORE)),
    "appA-1": lambda: parts(svm.limit_slope(MORE)),
    "appA-2": lambda: parts(svm.limit_offset(LESS)),
    "proposition-2.2": lambda: parts(release.weighted_error(release.HALF, MORE)),
    "claim-any-adversary": lambda: parts(release.unbiased_one(release.W1, MORE)),
    "proposition-2.3": lambda: parts(svm.quality_of_one(), svm.markov(LESS)),
    "appB-1": lambda: parts(svm.movement_of_one(factor=LESS), instances=lipschitz("1000", "1")),
    "appB-2": lambda: parts(svm.norm_chain(LESS)),
    "appB-3": lambda: parts(svm.markov(LESS)),
    "remark-2.1": lambda: parts(svm.limit_slope(LESS)),
    "claim-eq-8-equivalence": lambda: parts(release.budget_equivalence(LESS)),
    "appC-1": lambda: parts(condition.lagrangian(LESS)),
    "appC-2": lambda: parts(condition.above_tangent(MORE)),
    "appC-3": lambda: parts(condition.stationarity(LESS)),
    "appC-4": lambda: parts(condition.root_form(LESS)),
    "appC-5": lambda: parts(*condition.solution(weighted=True, factor=MORE)),
}


def test_every_claim_that_stands_or_is_corrected_is_sabotaged() -> None:
    assert set(SABOTAGE) == {n for n, v in EXPECTED.items() if v not in ("definition", "undecided")}


@pytest.mark.parametrize("name", SABOTAGE)
def test_one_per_cent_refutes(name: str, claims: dict[str, PaperClaim[Any]]) -> None:
    assert judged(claims[name], SABOTAGE[name]()) is Verdict.REFUTED


def test_a_bound_with_room_is_no_longer_proved_at_one_per_cent_more(
    claims: dict[str, PaperClaim[Any]],
) -> None:
    claim = claims["proposition-2.2"]
    data = parts(release.weighted_error(release.HALF), release.trace_inequality(MORE))
    assert judged(claim, data) is Verdict.SURVIVED


def test_the_exact_inequality_of_movements_has_no_room() -> None:
    """One active set before and after: movement and work of the noise are equal."""
    sound = parts(instances=lipschitz("1000", "1"))
    assert sound.instances is not None
    for factor, expected in (("1", Verdict.SURVIVED), ("99/100", Verdict.REFUTED)):
        sound.instances.printed["factor"] = factor
        assert tried(sound, np.random.default_rng(3)).verdict is expected


@pytest.mark.parametrize(
    "build",
    [
        svm.movement_of_one,
        svm.markov,
        svm.norm_chain,
        svm.limit_slope,
        release.budget_equivalence,
        release.growth,
        release.unbiased_one,
        release.trace_inequality,
    ],
)
def test_no_step_of_a_derivation_is_idle(build: Callable[[], Formula]) -> None:
    formula = build()
    assert formula.argument is not None
    no_step_is_idle(formula.argument(formula))


def test_the_exact_machine_agrees_with_the_solver() -> None:
    rng = np.random.default_rng(5)
    for _ in range(15):
        q, p = int(rng.integers(2, 6)), int(rng.integers(1, 4))
        x = rng.integers(-12, 13, (q, p))
        x[:2] += np.array([[0], [1]])  # no constant column
        y = np.array([1, -1, *rng.choice([-1, 1], q - 2)])
        if np.any(np.ptp(x, axis=0) == 0):
            continue
        rho, theta = Fraction(int(rng.integers(1, 9)), 4), Fraction(int(rng.integers(1, 9)), 40)
        exact = exact_svm(
            fmpq_mat((4 * x).tolist()) / 16,
            [int(v) for v in y],
            *(fmpq(f.numerator, f.denominator) for f in (rho, theta)),
        )
        near = solve_svm(x / 4, y, rho=float(rho), theta=float(theta))
        assert np.allclose([float(v) for v in map(_float, exact.alpha)], near.alpha, atol=1e-9)
        assert _float(exact.beta) == pytest.approx(near.beta, abs=1e-9)
        assert np.allclose([_float(v) for v in exact.xi], near.xi, atol=1e-9)


def _float(value: fmpq) -> float:
    return int(value.p) / int(value.q)


def test_the_exact_machine_refuses_what_it_cannot_settle() -> None:
    one = fmpq(1)
    for rows, labels in (([[0], [1]], [1, 2]), ([[k] for k in range(6)], [1, -1] * 3), ([[0], [1]], [1])):
        with pytest.raises(ValueError, match="at most 5 records"):
            exact_svm(fmpq_mat(rows), labels, one, one)


def test_repeated_records_on_the_margin_are_settled() -> None:
    """The multipliers are not unique there; the optimum is: alpha = 1, beta = 0 for -1, -1, 1, 1."""
    found = exact_svm(fmpq_mat([[-1], [-1], [1], [1]]), [-1, -1, 1, 1], fmpq(1), fmpq(1, 3))
    assert (found.alpha, found.beta, set(found.xi)) == ((fmpq(1),), fmpq(0), {fmpq(0)})


def test_the_global_inequality_bounds_what_the_program_does() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(20, 2)) + np.repeat([[0.0, 0.0], [0.0, 3.0]], 10, axis=0)
    y = np.repeat([1, -1], 10)
    old = solve_svm(x, y, rho=0.5)
    change = 1e-3 * rng.normal(size=x.shape)
    new = solve_svm(x + change, y, rho=0.5)
    work = float(
        np.sum(y[:, None] * change * (np.outer(old.omega, new.alpha) - np.outer(new.omega, old.alpha)))
    )
    moved = [float(np.sum((a - b) ** 2)) for a, b in ((old.alpha, new.alpha), (old.xi, new.xi))]
    total = moved[0] + 0.5 * (moved[1] + (old.beta - new.beta) ** 2)
    assert 0 < total <= work * (1 + 1e-6)
    size = np.linalg.norm(change, 2)
    assert sum(moved) + (old.beta - new.beta) ** 2 <= global_stability(old).constant * size


def test_the_difference_of_both_measures_has_no_maximiser() -> None:
    """1/I - price Var for logistic noise of scale s is s^2 times its value at s = 1: no scale is best but for one price."""
    variance, information = np.pi**2 / 3, 1 / 3
    for price in (0.1, 0.5, 2.0):
        worth = [s**2 / information - price * s**2 * variance for s in (1.0, 2.0, 4.0)]
        assert np.allclose(worth, worth[0] * np.array([1.0, 4.0, 16.0]))
        normal = [s**2 * (1 - price) for s in (1.0, 2.0, 0.5)]
        assert max(normal[1:]) > normal[0]


def test_the_slack_path_is_the_path_of_the_solver() -> None:
    records = svm.telling_records()
    x, y = np.array([[float(v)] for v, _ in records]), np.array([label for _, label in records])
    alpha, beta = svm.slack_path()
    for rho in ("1/2", "1/100"):
        at = {svm.RHO: sp.Rational(rho), svm.THETA: 1}
        near = solve_svm(x, y, rho=float(Fraction(rho)))
        assert float(alpha.subs(at)) == pytest.approx(near.alpha[0], abs=1e-9)
        assert float(beta.subs(at)) == pytest.approx(near.beta, abs=1e-9)
