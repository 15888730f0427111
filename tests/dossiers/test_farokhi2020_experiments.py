"""Learning and experiments in farokhi2020: verdicts, twins that flip, sabotage that shows, witnesses."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import sympy as sp
from dossier_section import MORE, judged

from noiseproof.audit.dossier import PaperClaim, examine_claim
from noiseproof.audit.dossier.instances import Instances
from noiseproof.audit.dossier.parts import Parts
from noiseproof.audit.papers.farokhi2020 import experiments
from noiseproof.audit.papers.farokhi2020.arguments.learning_activations import SMOOTH, SQNL
from noiseproof.audit.papers.farokhi2020.arguments.learning_losses import (
    hinge_loss,
    kept_share,
    least_cost,
    no_constant,
)
from noiseproof.audit.papers.farokhi2020.arguments.learning_motion import mean_motion, solved, variation
from noiseproof.audit.papers.farokhi2020.dossier import DOSSIER
from noiseproof.audit.record.evidence import Verdict
from noiseproof.symbolic.proof.expressions import parse

PAPER = "farokhi2020"


@pytest.mark.parametrize("name", ["fig-4-value", "bc-2840", "appG-3"])
def test_a_finding_is_the_same_again_and_plain_data(name: str, findings: dict[str, dict[str, Any]]) -> None:
    again = examine_claim(f"farokhi2020/{name}", DOSSIER.claims[f"farokhi2020/{name}"]())
    assert json.dumps(again) == json.dumps(findings[name])


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("example-nonlinear-svm", lambda: Parts((hinge_loss("101/100"),))),
        ("appG-1", lambda: Parts((variation(MORE),))),
        ("appG-2", lambda: Parts((solved(sp.Rational(99, 100)),))),
        ("appG-3", lambda: Parts((mean_motion("x + 99/200*n"),))),
        ("claim-2.4-general", lambda: Parts((kept_share("mu*phi**2/2"), least_cost(MORE)))),
        ("claim-2.4-general", lambda: Parts((kept_share("mu*phi**2/2"), least_cost(sp.Rational(99, 100))))),
    ],
)
def test_one_per_cent_in_a_formula_refutes(
    name: str, wrong: Callable[[], Parts], claims: dict[str, PaperClaim[Any]]
) -> None:
    assert judged(claims[name], wrong()) is Verdict.REFUTED


@pytest.mark.parametrize(
    ("name", "key", "text"),
    [
        ("fig-4-value", "value", "80.5*101/100"),
        ("fig-4-value", "value", "80.5*99/100"),
        ("bc-28.4m", "value", "28.4*m*101/100"),
        ("bc-28.4m", "value", "28.4*m*99/100"),
        ("bc-2840", "value", "2840*101/100"),
        ("bc-2840", "value", "2840*99/100"),
        ("bc-2840", "power", 1),
    ],
)
def test_the_printed_values_are_seen_to_one_per_cent(
    name: str, key: str, text: str, claims: dict[str, PaperClaim[Any]]
) -> None:
    claim = claims[name]
    assert claim.twin is not None
    found: Instances = claim.twin.data
    assert key in found.printed
    assert judged(claim, replace(found, printed={**found.printed, key: text})) is Verdict.REFUTED


def test_noise_towards_the_classifier_is_seen_by_every_check(claims: dict[str, PaperClaim[Any]]) -> None:
    claim = claims["fig-4"]
    assert claim.twin is not None
    for check in claim.checks:
        assert check(claim.twin.data, np.random.default_rng(0)).verdict is Verdict.REFUTED


def test_the_quartic_loss_breaks_the_bound_for_all_constants() -> None:
    said, rng = Parts((kept_share("phi**4/4"),)), np.random.default_rng(0)
    assert no_constant(said, rng).verdict is Verdict.REFUTED
    assert no_constant(Parts((kept_share("mu*phi**2/2"),)), rng).verdict is Verdict.UNDECIDED
    # Shares that are large enough do not fall, although their constants are only said to exist.
    formula = said.formulas[0]
    kept = Parts((replace(formula, left=sp.Integer(1)),))
    assert no_constant(kept, rng).verdict is Verdict.UNDECIDED


def test_the_share_kept_agrees_with_a_simulation() -> None:
    """The minimiser of phi^4/4 - x phi is the cube root: at eps = 1/4 and s = eps^3 it moves by at most eps with 0.683."""
    eps = 0.25
    x = eps**3 * np.random.default_rng(0).normal(size=200_000)
    phi = np.cbrt(x)
    assert np.abs(phi**3 - x).max() < 1e-12
    assert np.mean(np.abs(phi) <= eps) == pytest.approx(0.6827, abs=0.005)


def test_activations_by_difference_quotients() -> None:
    """The second derivative of SQNL jumps at 0 and 2, those of the smooth activations are as printed."""

    def sqnl(x: float) -> float:
        if abs(x) >= 2:
            return float(np.sign(x))
        return x - np.sign(x) * x**2 / 4

    h = 1e-4
    for at, left, right in ((0.0, 0.5, -0.5), (2.0, -0.5, 0.0), (-2.0, 0.0, 0.5)):
        for side, expected in ((-1, left), (1, right)):
            x = at + 3 * h * side
            assert (sqnl(x + h) - 2 * sqnl(x) + sqnl(x - h)) / h**2 == pytest.approx(expected, abs=1e-4)
    x, a = sp.Symbol("x"), sp.Symbol("a")
    names = {"x": x, "a": a}
    assert len(SQNL) == 3
    for function, second in SMOOTH:
        f = sp.lambdify((x, a), parse(function, names), "math")
        d2 = sp.lambdify((x, a), parse(second, names), "math")
        point, parameter = 0.7, 0.3
        quotient = (f(point + h, parameter) - 2 * f(point, parameter) + f(point - h, parameter)) / h**2
        assert quotient == pytest.approx(d2(point, parameter), abs=1e-5)


def test_the_unsquared_error_is_that_of_a_simulation() -> None:
    """E|n| for 30 normal entries of variance 1/sqrt(lambda), against the formula of figure 5 (bottom)."""
    printed, _ = experiments.guarantee(1, 30, sp.Integer(1))
    lam = sp.Symbol("lam", positive=True)
    n = 16 ** (-0.25) * np.random.default_rng(1).normal(size=(20_000, 30))
    assert np.mean(np.linalg.norm(n, axis=1)) == pytest.approx(float(printed.left.subs(lam, 16)), rel=5e-3)
