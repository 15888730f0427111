"""From a policy to a mechanism: calibration meets its limits and not much more, and what cannot be met is refused with a reason."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from made_policies import AGE, KEY, PERSON, TOWN, WEIGHT, made_policy
from pre_release_cases import CASES

from noiseproof.audit.release.calibration_record import calibration_record
from noiseproof.audit.release.grid_figures import mean_absolute, standard_deviation
from noiseproof.audit.release.kinds.constrained import ConstrainedKind
from noiseproof.audit.release.kinds.grid_kind import GridKind
from noiseproof.audit.release.ledger import Cost
from noiseproof.audit.release.manifest import Manifest
from noiseproof.audit.release.not_met import PolicyNotMetError
from noiseproof.audit.release.plan import ReleasePlan, plan
from noiseproof.audit.release.policy.mechanism_models import ROW_WISE
from noiseproof.audit.release.statements import statements
from noiseproof.symbolic.errors import SpecError
from noiseproof.symbolic.privacy.pair import gaussian_epsilon


def planned(folder: Path, kind: str, limits: dict[str, Any], **parts: Any) -> ReleasePlan:
    mechanism = {"kind": kind, "calibrate": True, **parts.pop("mechanism", {})}
    return plan(made_policy(folder, mechanism=mechanism, limits=limits, **parts))


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.long) if n == "gaussian" else n for n in CASES]
)
def test_every_mechanism_says_what_it_costs_keeps_and_does_not_keep(tmp_path: Path, name: str) -> None:
    kind = plan(CASES[name].policy(tmp_path), 300).kind
    assert kind.name == name
    assert isinstance(kind.cost, Cost)
    assert Cost.from_dict(kind.cost.to_dict()) == kind.cost
    assert kind.terms.guarantees
    assert all(g.sentence for g in kind.terms.guarantees)
    assert kind.terms.does_not_mean
    assert [c.name for c in kind.terms.columns] == ["age", "hours"]
    assert json.dumps(kind.terms.parameters)
    assert not [d for d in kind.decisions if d.unmet]
    assert any(c.expect == "falls" for c in kind.trials())


def test_the_nodes_of_a_channel_are_spread_over_the_interval_of_its_column(tmp_path: Path) -> None:
    kind = plan(CASES["constrained"].policy(tmp_path), 300).kind
    assert isinstance(kind, ConstrainedKind)
    for number, channel in zip(kind.policy.numbers, kind.channels, strict=True):
        gap = float(np.diff(channel.nodes).max())
        assert number.low <= channel.nodes[0] <= number.low + gap
        assert number.high - gap <= channel.nodes[-1] <= number.high


def test_laplace_spends_epsilon_and_not_more(tmp_path: Path) -> None:
    kind = planned(tmp_path, "laplace", {"epsilon": 1.5}).kind
    assert isinstance(kind, GridKind)
    assert 1.49999 < (kind.cost.epsilon or 0) <= 1.5
    assert kind.sizes == pytest.approx((160.0, 170 / 0.75))


def test_gaussian_meets_delta_at_epsilon_and_wastes_little(tmp_path: Path) -> None:
    kind = planned(tmp_path, "gaussian", {"epsilon": 3.0, "delta": 1e-5}).kind
    assert isinstance(kind, GridKind)
    assert float(kind.release.delta([3.0])[0]) <= 1e-5
    mu = np.sqrt(2 * kind.cost.rho)
    assert 2.99 < gaussian_epsilon(mu, 1e-5) <= 3.0
    assert kind.cost.delta_slack < 1e-20


def test_a_limit_on_rho_is_met_by_either_law(tmp_path: Path) -> None:
    assert 0.498 < (planned(tmp_path, "gaussian", {"rho": 0.5}).cost.rho or 0) <= 0.5
    assert planned(tmp_path, "laplace", {"rho": 0.5}).cost.epsilon == pytest.approx(1.0)


@pytest.mark.parametrize(
    "kind", [*(pytest.param(k, marks=pytest.mark.long) for k in ("laplace", "gaussian")), "optimal"]
)
def test_an_error_is_met_per_column_within_half_a_percent(tmp_path: Path, kind: str) -> None:
    asked = {"age": 50.0, "weight": 90.0}
    bounds = {b.column: b.bound for b in planned(tmp_path, kind, {"error": asked}).kind.terms.error_bounds}
    for column, value in asked.items():
        assert value <= bounds[column] < 1.01 * value


def test_the_error_bound_is_below_what_the_released_number_itself_achieves(tmp_path: Path) -> None:
    for kind in ("laplace", "gaussian", "optimal"):
        made = planned(tmp_path, kind, {"information": 0.05}).kind
        assert isinstance(made, GridKind)
        for bound, noise in zip(made.error_bounds, made.release.noises, strict=True):
            assert float(bound.value or 0) < standard_deviation(noise) ** 2


def test_several_limits_at_once_take_the_larger_noise(tmp_path: Path) -> None:
    one = planned(tmp_path, "laplace", {"epsilon": 40.0}).kind
    two = planned(tmp_path, "laplace", {"epsilon": 40.0, "information": {"age": 1e-4, "weight": 1.0}}).kind
    assert isinstance(one, GridKind)
    assert isinstance(two, GridKind)
    assert two.sizes[0] == pytest.approx(100.0)
    assert two.sizes[1] == one.sizes[1]


def test_a_person_with_many_records_costs_that_many_times_more(tmp_path: Path) -> None:
    columns = [KEY, AGE]
    laplace = plan(made_policy(tmp_path, columns, PERSON, {"kind": "laplace", "scale": 60.0})).kind
    assert laplace.cost.epsilon == pytest.approx(4.0)
    assert laplace.cost.unit == "person"
    gaussian = plan(made_policy(tmp_path, columns, PERSON, {"kind": "gaussian", "deviation": 120.0})).kind
    # Each record has noise of its own: rho adds up over records, it does not grow with their square.
    assert gaussian.cost.rho == pytest.approx(1.0)
    assert "at most 2" in laplace.terms.adjacency


@pytest.mark.parametrize(
    ("mechanism", "limits", "said"),
    [
        ({"kind": "optimal", "half_width": 30.0}, {"epsilon": 1.0}, "no finite epsilon with delta = 0"),
        ({"kind": "gaussian", "deviation": 500.0}, {"epsilon": 1.0}, "no finite epsilon with delta = 0"),
        ({"kind": "laplace", "scale": 10.0}, {"epsilon": 1.0}, "epsilon is 29, the limit is 1"),
        ({"kind": "laplace", "scale": 1.0}, {"error": 50.0}, "is not >="),
        ({"kind": "laplace", "scale": 1.0}, {"information": 0.5}, "Fisher information"),
        (
            {"kind": "laplace", "scale": 90.0},
            {"utility": {"measure": "relative-error", "at_most": 0.1}},
            "is not <=",
        ),
        ({"kind": "gaussian", "deviation": 100.0}, {"rho": 0.1}, "is not <="),
        ({"kind": "null-space", "variance": 1.0}, {"epsilon": 1.0}, "Omega x"),
        (
            {"kind": "constrained", "half_width": 30.0, "cells": 8},
            {"epsilon": 1.0},
            "no epsilon is finite with delta = 0",
        ),
        ({"kind": "constrained", "half_width": 30.0, "cells": 8}, {"rho": 1.0}, "limit the error instead"),
        (
            {"kind": "ron-gauss", "components": 2, "epsilon_mean": 1.0, "epsilon_covariance": 1.0},
            {"epsilon": 1.0},
            "is not <=",
        ),
        (
            {"kind": "ron-gauss", "components": 2, "epsilon_mean": 1.0, "epsilon_covariance": 1.0},
            {"error": 1.0},
            "belong to none",
        ),
        ({"kind": "compression", "rows": 5, "delta_max": 0.9}, {"epsilon": 1.0}, "alpha is inf"),
    ],
)
def test_a_limit_that_is_not_met_is_known_before_anything_is_sampled(
    tmp_path: Path, mechanism: dict[str, Any], limits: dict[str, Any], said: str
) -> None:
    label = {"name": "y", "kind": "label", "role": "public", "categories": ["no", "yes"]}
    row_wise = mechanism["kind"] in ROW_WISE
    columns = [AGE, WEIGHT, label] if row_wise else [AGE, WEIGHT]
    audit = {"bits": mechanism["kind"] not in ("null-space", "compression")}
    reasons = plan(made_policy(tmp_path, columns, mechanism=mechanism, limits=limits, audit=audit), 100).unmet
    assert said in " ".join(reasons)


def test_bytes_are_not_promised_where_noise_is_drawn_in_floating_point(tmp_path: Path) -> None:
    for name, case in CASES.items():
        reasons = plan(case.policy(tmp_path, audit={"samples": 1000, "bits": True}), 300).unmet
        assert bool(reasons) == (name in ("null-space", "compression"))


@pytest.mark.parametrize(
    ("kind", "limits", "said"),
    [
        ("optimal", {"epsilon": 1.0}, "no epsilon is finite"),
        ("optimal", {"rho": 1.0}, "no epsilon is finite"),
        ("laplace", {"error": 1e6}, "whatever the noise"),
        ("laplace", {"epsilon": 1.0, "utility": {"measure": "relative-error", "at_most": 0.1}}, "is not <="),
    ],
)
def test_calibration_says_why_no_noise_meets_the_limits(
    tmp_path: Path, kind: str, limits: dict[str, Any], said: str
) -> None:
    with pytest.raises(PolicyNotMetError, match=said):  # noqa: PT012 - either the search or the check says it
        found = planned(tmp_path, kind, limits)
        raise PolicyNotMetError(*found.unmet)


def test_calibration_needs_a_limit_that_asks_for_noise(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="limit"):
        planned(tmp_path, "laplace", {"utility": {"measure": "relative-error", "at_most": 1.0}})


def test_gaussian_noise_for_an_epsilon_asks_for_a_delta(tmp_path: Path) -> None:
    with pytest.raises(
        SpecError, match=r"limits\.epsilon: gaussian noise has no finite .*: set limits\.delta"
    ):
        planned(tmp_path, "gaussian", {"epsilon": 1.0})


def test_a_grid_that_does_not_fit_is_a_message(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="steps"):
        plan(made_policy(tmp_path, mechanism={"kind": "laplace", "scale": 3.0, "exponent": -40}))


def test_utility_follows_from_the_law_alone(tmp_path: Path) -> None:
    kind = plan(made_policy(tmp_path, [AGE, TOWN], mechanism={"kind": "laplace", "scale": 7.0})).kind
    assert isinstance(kind, GridKind)
    (noise,) = kind.release.noises
    drawn = noise.draw(200_000, _seeded()) * noise.step
    assert standard_deviation(noise) == pytest.approx(7 * np.sqrt(2), rel=1e-6)
    assert mean_absolute(noise) == pytest.approx(7.0, rel=1e-6)
    assert np.std(drawn) == pytest.approx(standard_deviation(noise), rel=0.02)
    assert kind.utility()["mean-squared-error"] == pytest.approx(98.0, rel=1e-6)


def _seeded() -> Any:
    from noiseproof.mechanisms.grid_noise import seeded_bits

    return seeded_bits(np.random.default_rng(1))


def test_a_calibration_is_plain_data_with_the_trade_off(tmp_path: Path) -> None:
    record = calibration_record(planned(tmp_path, "laplace", {"epsilon": 2.0}))
    assert json.loads(json.dumps(record, allow_nan=False)) == record
    trade_off = next(s for s in record["series"] if s["figure"] == "trade-off")
    for line in trade_off["lines"]:
        rising = line["role"] == "bound"
        assert all((b > a) == rising for a, b in zip(line["y"], line["y"][1:], strict=False))
    assert any("2-differentially private" in line for line in record["lines"])


def test_a_manifest_that_was_cut_is_refused() -> None:
    with pytest.raises(SpecError, match="schema"):
        Manifest.from_dict({"schema": "something else"})
    with pytest.raises(SpecError, match="missing"):
        Manifest.from_dict({"schema": "noiseproof-release-1"})


FORMULAS: list[tuple[dict[str, Any], str]] = [
    ({"categories": ["a", "=1+1"]}, "'=1+1'"),
    ({"categories": ["a", "+cmd|' /C calc'!A0"]}, "+cmd|' /C calc'"),
    ({"categories": ["a", "-2+3"]}, "'-2+3'"),
    ({"categories": ["a", "@SUM(A1)"]}, "'@SUM(A1)'"),
    ({"categories": ["a", "  =1"]}, "'  =1'"),
    ({"name": "=x"}, "'=x'"),
    ({"kind": "text", "categories": None}, "the texts of 'town' are not looked through"),
]


@pytest.mark.parametrize(("change", "said"), FORMULAS, ids=[said for _, said in FORMULAS])
def test_cells_that_a_spreadsheet_would_run_are_said(
    tmp_path: Path, change: dict[str, Any], said: str
) -> None:
    column = {k: v for k, v in {**TOWN, **change}.items() if v is not None}
    for form, expected in (("csv", 1), ("parquet", 0)):
        planned_ = plan(made_policy(tmp_path, [AGE, column], output={"format": form}))
        found = [s for s in statements(planned_).does_not_mean if "spreadsheet" in s]
        assert len(found) == expected
        assert all(said in sentence for sentence in found)


def test_signed_numbers_and_names_are_no_formulas(tmp_path: Path) -> None:
    label = {"name": "y", "kind": "label", "role": "public", "categories": [-1, 1]}
    policy = made_policy(
        tmp_path, [AGE, {**TOWN, "categories": ["-1.5", "a-b"]}, label], output={"format": "csv"}
    )
    assert not [s for s in statements(plan(policy)).does_not_mean if "spreadsheet" in s]
