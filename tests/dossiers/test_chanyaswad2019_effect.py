"""Background and Gaussian effect in chanyaswad2019: verdicts, twins that flip, sabotage that shows, witnesses."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import sympy as sp
from claim_trials import verdicts_of
from dossier_section import MORE, standing
from flint import arb
from gaussian_effect.bounded_lipschitz import few_atoms_bound, to_normal_on_line
from gaussian_effect.line_distances import wasserstein_to_normal

from noiseproof.audit.dossier import PaperClaim
from noiseproof.audit.dossier.arguments import gaussian_model
from noiseproof.audit.dossier.formula import at_points, derivation
from noiseproof.audit.dossier.instances import on_instances
from noiseproof.audit.dossier.parts import Parts, enclosures, proof
from noiseproof.audit.papers.chanyaswad2019 import gaussian_effect
from noiseproof.audit.papers.chanyaswad2019.arguments import (
    privacy_background,
    projected_laws,
    regularity_conditions,
)
from noiseproof.audit.record.evidence import Verdict

PAPER = "chanyaswad2019"
EXPECTED = verdicts_of(PAPER, "effect")


def test_the_theorem_needs_its_condition_and_its_misprint_is_no_excuse(
    findings: dict[str, dict[str, Any]],
) -> None:
    finding = findings["theorem-2"]
    without = [r for r in finding["evidence"] if r["check"].endswith("[without the condition]")]
    assert [r["verdict"] for r in without] == ["REFUTED"]
    assert "one vector" in without[0]["reason"]


TIGHT = [
    ("remark-1", 0),
    ("remark-2", 0),
    ("post-processing", 0),
    ("serial-composition", 0),
    ("eq-1", 0),
    ("eq-1", 1),
    ("table-1", 0),
    ("remark-3", 0),
    ("dfm-intuition", 1),
    ("dfm-zero-mean", 0),
    ("lemma-1", 0),
    ("lemma-1-sigma", 0),
    ("lemma-1-sigma", 3),
    ("lemma-1-variance", 0),
]


@pytest.mark.parametrize(("name", "number"), TIGHT)
def test_one_per_cent_on_the_smaller_side_refutes(
    name: str, number: int, claims: dict[str, PaperClaim[Any]]
) -> None:
    formula = standing(claims[name], EXPECTED[name]).formulas[number]
    rng = np.random.default_rng(0)
    assert derivation(formula, rng).verdict is Verdict.PROVED
    if formula.relation == ">=":
        wrong = replace(formula, right=formula.right * MORE)
    else:
        wrong = replace(formula, left=formula.left * MORE)
    assert derivation(wrong, rng).verdict is Verdict.REFUTED
    assert at_points(wrong, rng).verdict is Verdict.REFUTED


def test_a_laplace_scale_below_the_sensitivity_is_refuted_a_larger_one_is_not() -> None:
    rng = np.random.default_rng(0)
    wrong, slack = (privacy_background.laplace_ratio(sp.Rational(f)) for f in ("999/1000", "101/100"))
    assert proof(Parts((wrong,)), rng).verdict is Verdict.REFUTED
    assert enclosures(Parts((slack,)), rng).verdict is Verdict.SURVIVED


def test_a_replacement_costs_no_less_than_twice() -> None:
    rng = np.random.default_rng(0)
    for cost, expected in (("2", Verdict.SURVIVED), ("199/100", Verdict.REFUTED)):
        found = privacy_background.finite_mechanisms(cost, ("unbounded",))
        assert on_instances(found, rng).verdict is expected
    for cost in ("2", "1000000"):
        found = privacy_background.finite_mechanisms(cost, ("bounded",))
        assert on_instances(found, rng).verdict is Verdict.REFUTED


def test_what_is_no_law_is_no_instance() -> None:
    found = privacy_background.finite_mechanisms("2", ("unbounded",))
    numbers = next(iter(found.draw(np.random.default_rng(0))))
    for law in (["2/3", "1/6", "1/3"], ["4/3", "-1/3", "0"]):
        table = [{"records": [], "law": law}, *numbers["table"][1:]]
        wrong = replace(found, draw=lambda _, t=table: iter([{"table": t}]))
        with pytest.raises(ValueError, match="sum to one"):
            on_instances(wrong, np.random.default_rng(0))


@pytest.mark.parametrize(
    ("top", "near", "variance", "expected"),
    [
        ("10*s**2", "1/4", "s**2", Verdict.SURVIVED),
        ("10*s**2", "1/4", "101/100*s**2", Verdict.REFUTED),
        # An upper bound alone never refutes: what is not known to be near is left open.
        ("10*s**2", "1/100", "", Verdict.UNDECIDED),
        ("1", "1/4", "", Verdict.REFUTED),
        ("1", "78/100", "", Verdict.REFUTED),
    ],
)
def test_the_rule_of_theorem_2_says_both_words(top: str, near: str, variance: str, expected: Verdict) -> None:
    found = on_instances(projected_laws.regular_laws(top, near, variance), np.random.default_rng(0))
    assert found.verdict is expected


@pytest.mark.parametrize("law", projected_laws.POINTS)
@pytest.mark.parametrize("m", [100, 10_000])
def test_points_on_the_sphere_meet_the_printed_conditions_and_stay_far(law: str, m: int) -> None:
    """With mean zero as well: centring does not save the theorem."""
    numbers = {"law": law, "m": m, "sigma": f"1/{round(m**0.5)}", "seeds": list(range(10))}
    for top, expected in (("1", Verdict.REFUTED), ("10*s**2", Verdict.UNDECIDED)):
        data = replace(projected_laws.regular_laws(top, "1/4"), draw=lambda _: [numbers])
        # Under the condition on X/sigma it is no instance: nothing is compared.
        assert on_instances(data, np.random.default_rng(0)).verdict is expected


@pytest.mark.parametrize(
    ("bound", "near", "floor", "expected"),
    [
        ("2*log(m)/log(log(m))", "1/3", "", Verdict.REFUTED),
        ("2*log(m)/log(log(m))", "2", "", Verdict.SURVIVED),
        ("1 + 1/m", "1/3", "36/100", Verdict.SURVIVED),
        ("1 + 1/m", "1/3", "37/100", Verdict.REFUTED),
    ],
)
def test_the_rule_of_the_range_says_both_words(bound: str, near: str, floor: str, expected: Verdict) -> None:
    found = on_instances(projected_laws.dimensions_in_range(bound, near, floor), np.random.default_rng(0))
    assert found.verdict is expected


def test_six_is_the_largest_dimension_at_100() -> None:
    rng = np.random.default_rng(0)
    assert proof(Parts((gaussian_effect._below(6),)), rng).verdict is Verdict.PROVED
    assert proof(Parts((gaussian_effect._below(7),)), rng).verdict is Verdict.REFUTED
    assert proof(Parts((gaussian_effect._below(13, 10),)), rng).verdict is Verdict.PROVED
    assert proof(Parts((gaussian_effect._below(14, 10),)), rng).verdict is Verdict.REFUTED


@pytest.mark.parametrize("mean", ["t**2", "101/100*t**2", "0"])
def test_the_mean_of_the_shifted_laws_is_what_it_is(mean: str) -> None:
    found = on_instances(projected_laws.shifted_laws("mean", mean, "5/sqrt(m)"), np.random.default_rng(0))
    assert found.verdict is (Verdict.SURVIVED if mean == "t**2" else Verdict.REFUTED)


def test_centring_can_hurt_and_helps_under_the_condition() -> None:
    rng = np.random.default_rng(0)
    assert on_instances(regularity_conditions.centred_data("share"), rng).verdict is Verdict.SURVIVED
    assert on_instances(regularity_conditions.centred_data("1"), rng).verdict is Verdict.REFUTED


def test_the_enclosed_distances_agree_with_the_measured_ones() -> None:
    values = np.random.default_rng(1).normal(0.2, 1.5, 60)
    enclosed = projected_laws._earth_mover([arb(float(v)) for v in values])
    assert abs(float(enclosed.mid()) - wasserstein_to_normal(values)) < 1e-12
    assert float(enclosed.rad()) < 1e-9
    point = float(projected_laws._from_point(arb("1.3")).mid())
    measured = to_normal_on_line([1.3])
    assert measured.lower <= point <= measured.upper
    for place in ("0.1", "-1.3"):
        low = float(projected_laws._from_two(arb(place)).mid())
        assert 0.25 < low <= to_normal_on_line([float(place), -float(place)]).upper
    assert float(projected_laws.few_atoms(200, 6).mid()) == pytest.approx(few_atoms_bound(200, 6), abs=2e-3)


def test_a_noisy_covariance_is_what_the_condition_of_sampling_excludes() -> None:
    """p = 1: Laplace noise of scale b makes a variance v negative with probability exp(-v/b)/2."""
    rng = np.random.default_rng(0)
    noisy = 0.1 + rng.laplace(0, 0.2, 40_000)
    assert np.mean(noisy < 0) == pytest.approx(np.exp(-0.5) / 2, abs=0.01)
    assert proof(Parts((gaussian_model.sampled_variance(False),)), rng).verdict is Verdict.REFUTED


def test_the_figure_shows_the_bound_along_the_range(findings: dict[str, dict[str, Any]]) -> None:
    (series,) = findings["dfm-range"]["series"]
    assert min(series["lines"][0]["y"]) > 0.36
    assert len(series["lines"][0]["x"]) == len(series["lines"][0]["y"]) == 9
