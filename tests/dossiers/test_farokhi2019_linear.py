"""Linear queries, cosine and Gaussian noise in farokhi2019: verdicts, twins that flip, sabotage that shows, witnesses."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import sympy as sp
from claim_trials import verdicts_of
from dossier_section import MORE, formulas, judged, no_step_is_idle, said_by, scaled, standing

from noiseproof.audit.dossier import PaperClaim
from noiseproof.audit.dossier.arguments.optimality_checks import OptimalNoise
from noiseproof.audit.papers.farokhi2019 import appendix_b, cosine_density, cosine_noise, linear_queries
from noiseproof.audit.record.evidence import Verdict

PAPER = "farokhi2019"
EXPECTED = verdicts_of(PAPER, "linear")


@pytest.mark.parametrize("name", ["corollary-2-tradeoff", "appendix-e-fisher", "appendix-j-problem-4"])
def test_one_per_cent_on_a_correction_refutes_it(name: str, claims: dict[str, PaperClaim[Any]]) -> None:
    claim = claims[name]
    assert claim.twin is not None
    assert judged(claim, claim.twin.data) is Verdict.PROVED
    assert judged(claim, scaled(claim.twin.data, "left")) is Verdict.REFUTED


@pytest.mark.parametrize("name", ["remark-6", "corollary-2-conflict", "corollary-6-monotone", "example-1"])
def test_an_inequality_turned_round_is_refuted(name: str, claims: dict[str, PaperClaim[Any]]) -> None:
    claim = claims[name]
    turned = {"<": ">", ">": "<"}[claim.printed.data.relation]
    assert judged(claim, replace(claim.printed.data, relation=turned)) is Verdict.REFUTED


@pytest.mark.parametrize(
    ("name", "key", "text"),
    [
        ("corollary-1", "normaliser", "202/100/L"),
        ("corollary-1", "frequency", "101/100*pi/L"),
        ("corollary-3", "frequency", "99/100*pi/L"),
        ("corollary-6-problem-4", "variance", "101/100*theta*r/total"),
        ("corollary-6-problem-4", "variance", "theta*r**(101/100)/total"),
        ("corollary-6-example-2", "variance", "99/100*theta"),
        ("example-2f", "factor", "101/100"),
    ],
)
def test_the_instances_see_one_per_cent(
    name: str, key: str, text: str, claims: dict[str, PaperClaim[Any]]
) -> None:
    claim = claims[name]
    found = claim.printed.data.instances
    assert key in found.printed
    wrong = replace(found, printed={**found.printed, key: text})
    data = replace(claim.printed.data, instances=wrong)
    assert said_by("computation", claim, data) is Verdict.REFUTED


def test_a_free_direction_lets_the_maximiser_vanish_inside(claims: dict[str, PaperClaim[Any]]) -> None:
    claim = claims["theorem-1"]
    for shape, expected in (("8/3*sin(2*pi*w)**4", Verdict.REFUTED), ("1+0*w", Verdict.SURVIVED)):
        data = linear_queries.stationary(sp.Integer(2), {"free": shape, "at": "1/2"})
        assert said_by("computation", claim, data) is expected


def test_one_per_cent_more_covariance_is_not_optimal(claims: dict[str, PaperClaim[Any]]) -> None:
    claim = claims["corollary-6-text"]
    wrong = OptimalNoise(claim.printed.data.noise.widened(MORE))
    assert judged(claim, wrong) is Verdict.REFUTED


def test_the_kernel_is_the_euler_lagrange_derivative() -> None:
    right = (sp.Integer(1), sp.Integer(2))
    assert sp.expand(appendix_b.kernel(*right) - appendix_b.euler_lagrange()) == 0
    for wrong in ((MORE, right[1]), (right[0], 2 * MORE)):
        assert sp.expand(appendix_b.kernel(*wrong) - appendix_b.euler_lagrange()) != 0


@pytest.mark.parametrize("query", [False, True])
@pytest.mark.parametrize("changed", ["normaliser", "rate"])
def test_one_per_cent_in_the_cosine_density_breaks_the_derivation(
    changed: str, query: bool, claims: dict[str, PaperClaim[Any]]
) -> None:
    claim = claims["corollary-3" if query else "corollary-1"]
    printed = {"normaliser": 2 / cosine_density.L, "rate": sp.pi / cosine_density.L}
    wrong = {**printed, changed: printed[changed] * MORE}
    data = cosine_noise.cosine_noise(query=query, **wrong)
    assert said_by("proof", claim, data) is not Verdict.PROVED
    assert judged(claim, data) is Verdict.REFUTED


DERIVED = [name for name in EXPECTED if name not in {"corollary-6-text"}]


@pytest.mark.parametrize("name", DERIVED)
def test_no_step_of_a_derivation_is_idle(name: str, claims: dict[str, PaperClaim[Any]]) -> None:
    """Where a formula has conditions its last step needs them, and a step by itself does not know them."""
    [formula] = formulas(standing(claims[name], EXPECTED[name]))
    assert formula.argument is not None
    no_step_is_idle(formula.argument(formula), -1 if formula.where else None)


def test_the_mean_square_of_cosine_noise_by_quadrature() -> None:
    """E|w|^2 on [3, 5] by an ordinary rule, against the formula of the claims."""
    w, step = np.linspace(3, 5, 200_001, retstep=True)
    density = np.cos(np.pi / 2 * (w - 4)) ** 2
    assert np.sum(density) * step == pytest.approx(1, abs=1e-9)
    expected = cosine_density.quality(sp.Integer(3)).subs({cosine_density.L: 2, cosine_density.ENTRIES: 1})
    assert np.sum(w**2 * density) * step == pytest.approx(float(expected), rel=1e-9)


def test_least_squares_of_a_weighted_average_errs_by_less_than_the_printed_bound() -> None:
    """Gaussian noise of variance theta, C = (1/2, 1/2), x = (1, 1): error 2 theta, printed bound 4 theta."""
    theta, c = 0.7, np.array([[0.5, 0.5]])
    gram = float((c @ c.T)[0, 0])
    inverse = np.linalg.pinv(c)
    bias = (np.eye(2) - inverse @ c) @ np.ones(2)
    error = bias @ bias + theta * float((inverse.T @ inverse)[0, 0])
    assert error == pytest.approx(2 * theta)
    assert error < bias @ bias + theta / gram**2
    assert error == pytest.approx(bias @ bias + theta / gram)
