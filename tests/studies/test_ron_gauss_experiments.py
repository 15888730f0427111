"""RON-Gauss on data: scores that move, conditions that share what they should, words that can be each, runs that resume."""

from __future__ import annotations

import csv
import gzip
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from noiseproof.audit.studies.experiments import EXPERIMENTS, OPTIONS, Run
from noiseproof.audit.studies.experiments import ron_gauss_findings as names
from noiseproof.audit.studies.experiments.independent_columns import independent_columns
from noiseproof.audit.studies.experiments.ron_gauss_findings import Findings
from noiseproof.audit.studies.experiments.ron_gauss_study import Study, Task
from noiseproof.audit.studies.experiments.scoring import (
    ACCURACY,
    BALANCED,
    RAND,
    RMSE,
    SCORERS,
    SILHOUETTE,
    Split,
    trivial,
)
from noiseproof.experiment_command import experiment
from noiseproof.mechanisms.ron_gauss import on_sphere
from noiseproof.reports.experiment_page import render_experiment
from noiseproof.symbolic.errors import SpecError
from noiseproof.verify_command import published_schemas

NEW = [name for name in EXPERIMENTS if name.startswith("ron-gauss-")]


def blobs(rng: np.random.Generator, n: int = 60, m: int = 6) -> tuple[Any, Any]:
    """Two classes of n records each, far apart in R^m."""
    x = rng.normal(size=(2 * n, m))
    x[n:, 0] += 8
    return x, np.repeat([0.0, 1.0], n)


# Scores.


def test_each_learner_is_right_where_it_can_be_and_no_better_than_trivial_on_noise() -> None:
    rng = np.random.default_rng(0)
    x, y = blobs(rng)
    data = Split(x, y, x + 0.1, y)
    assert SCORERS["classification"](data) == {ACCURACY: 1.0, BALANCED: 1.0}
    found = SCORERS["clustering"](data)
    assert found[RAND] == 1.0
    assert found[SILHOUETTE] > 0.4
    line = Split(x, 3 * x[:, 0] + 1, x + 1, 3 * x[:, 0] + 4)
    assert SCORERS["regression"](line)[RMSE] < 0.1
    noise = Split(rng.normal(size=x.shape), rng.permutation(y), rng.normal(size=x.shape), y)
    assert abs(SCORERS["classification"](noise)[ACCURACY] - 0.5) < 0.2
    assert abs(SCORERS["clustering"](noise)[RAND]) < 0.2


def test_a_synthesiser_that_draws_one_class_is_judged_by_it() -> None:
    x = np.arange(8.0)[:, None]
    truth = np.array([1.0, 1.0, 1.0, 0.0])
    found = SCORERS["classification"](Split(x, np.ones(8), x[:4], truth))
    assert found == {ACCURACY: 0.75, BALANCED: 0.5} == trivial("classification", np.ones(8), truth)
    assert trivial("regression", np.array([1.0, 3.0]), np.array([2.0, 4.0]))[RMSE] == pytest.approx(2**0.5)
    flat = Split(x, x[:, 0], np.zeros((4, 1)), truth)
    assert SCORERS["clustering"](flat)[SILHOUETTE] == 0.0


def test_independent_columns_keep_means_and_variances_and_no_correlation() -> None:
    rng = np.random.default_rng(1)
    x = rng.multivariate_normal([2, 1, 0], [[1, 0.9, 0], [0.9, 1, 0], [0, 0, 4]], size=4000)
    unit = on_sphere(x)
    made = independent_columns(x, 1e9, 1e9, 40_000, rng)
    assert np.allclose(made.mean(axis=0), unit.mean(axis=0), atol=0.02)
    assert np.allclose(made.var(axis=0), unit.var(axis=0), rtol=0.05)
    assert np.abs(np.corrcoef(made.T) - np.eye(3)).max() < 0.03
    # What the noise is scaled to: squares of unit records are on the simplex, and two of its corners are 2 apart.
    squares = on_sphere(rng.normal(size=(500, 3))) ** 2
    assert np.abs(squares[:250] - squares[250:]).sum(axis=1).max() <= 2
    noisy = [independent_columns(x[:50], 0.01, 0.01, 5, np.random.default_rng(k)) for k in range(3)]
    assert np.isfinite(noisy).all()


# One repeat.


def study(task: Task, grid: tuple[tuple[int, float], ...]) -> Study:
    rng = np.random.default_rng(2)
    x, y = blobs(rng, 100)
    if task == "regression":
        y = x[:, 0] + 20
    return Study(task, x, y, grid, (float(y.min()), float(y.max())))


def test_a_split_keeps_the_classes_and_parts_the_records() -> None:
    one = study("classification", ((2, 1.0),))
    train, test = one.split(np.random.default_rng(0))
    assert sorted([*train, *test]) == list(range(200))
    assert np.mean(one.y[test]) == 0.5
    assert len(test) == 60


@pytest.mark.parametrize("task", ["classification", "clustering", "regression"])
def test_conditions_share_what_they_should(task: Task) -> None:
    one = study(task, ((2, 1.0), (5, 1.0), (5, 1e9)))
    low, high, exact = (one(k, np.random.default_rng(3)) for k in range(3))
    measure = {"classification": ACCURACY, "clustering": RAND, "regression": RMSE}[task]
    # Without a label the printed scale is the needed one for p = 2 and noise on all entries; the numbers drawn are the same.
    if task != "regression":
        assert low[f"{names.PRINTED}: {measure}"] == low[f"{names.ALL_ENTRIES}: {measure}"]
    printed, needed = (
        dict(one.conditions(*_data(one), 5, 1.0, 7))[c].x for c in (names.PRINTED, names.ALL_ENTRIES)
    )
    assert not np.allclose(printed, needed)
    # The baseline without projection and the real records know nothing of p.
    for condition in (names.REAL, names.UNPROJECTED, names.TRIVIAL):
        assert low[f"{condition}: {measure}"] == high[f"{condition}: {measure}"]
    # Without noise all scales agree.
    assert exact[f"{names.PRINTED}: {measure}"] == pytest.approx(
        exact[f"{names.ALL_ENTRIES}: {measure}"], rel=1e-3
    )
    assert exact[f"{names.NEEDED}: {measure}"] == pytest.approx(
        exact[f"{names.NOISELESS}: {measure}"], rel=1e-3
    )
    assert (f"{names.HIDDEN}: {measure}" in exact) == (task == "classification")
    assert (f"{names.INDEPENDENT}: {measure}" in exact) == (task != "regression")
    # Four of six columns are enough here, but an epsilon of one is not for few records.
    better = 1 if task != "regression" else -1
    assert better * exact[f"{names.NEEDED}: {measure}"] > better * exact[f"{names.TRIVIAL}: {measure}"]


def _data(one: Study) -> tuple[Split]:
    train, test = one.split(np.random.default_rng(0))
    return (Split(one.x[train], one.y[train], one.x[test], one.y[test]),)


def test_labels_of_a_regression_come_back_from_their_range() -> None:
    one = study("regression", ((2, 1.0),))
    assert one.bounded(np.array(one.label_range)).tolist() == [-1, 1]
    assert np.allclose(one.unbounded(one.bounded(one.y)), one.y)


# Words.


def findings(shift: float, measure: str = ACCURACY) -> Findings:
    rng = np.random.default_rng(4)
    grid = ((5, 1.0), (5, 10.0), (2, 1.0))
    away = np.array([[shift], [0.0], [-shift]])
    scores = {}
    for condition in names.LABELS:
        base = np.full((3, 30), 0.5) + 0.01 * rng.normal(size=(3, 30))
        scores[f"{condition}: {measure}"] = base + (away if condition == names.NEEDED else 0)
    return Findings("test", measure, grid, scores, (5, 1.0))


def test_comparisons_can_say_each_word() -> None:
    for measure, sign in ((ACCURACY, 1), (RMSE, -1)):
        found = findings(sign * 0.2, measure)
        words = [
            row[found.verdicts().columns.index(f"{names.NEEDED} over {names.UNPROJECTED}") + 2]
            for row in found.verdicts().rows
        ]
        assert words == ["better", "not resolved", "worse"]
        label = f"test: mean gain in {measure} over the grid, {names.NEEDED} against {names.UNPROJECTED}"
        fact = next(fact for fact in found.facts() if fact.label == label)
        assert fact.note.startswith("better at 1, worse at 1, not resolved at 1 of 3 points")
        assert abs(float(fact.value)) < 5 * float(fact.standard_error or 0)
    assert any("neither is better throughout" in line for line in findings(0.2).sentences())
    assert any("told apart at no point (" in line for line in findings(0.0).sentences())
    up, down = findings(0.2), findings(-0.2)
    for one in (up, down):
        one.scores[f"{names.NEEDED}: {ACCURACY}"][2] = one.scores[f"{names.NEEDED}: {ACCURACY}"][0]
    assert any(
        f"{names.INDEPENDENT}: needed scale is better wherever they are told apart" in line
        for line in up.sentences()
    )
    assert any(
        f"{names.INDEPENDENT}: needed scale is worse wherever they are told apart" in line
        for line in down.sentences()
    )
    assert "not small" in down.sentences()[0]
    assert "; small" in findings(0.001).sentences()[0]


def test_losses_add_up_and_the_first_epsilon_is_found() -> None:
    found = findings(0.2)
    facts = {fact.label: fact for fact in found.facts()}
    parts = [
        facts[f"test: accuracy lost by the {part}, p = 5, epsilon = 1"].value
        for part in ("projection", "Gaussian model", "noise")
    ]
    assert sum(map(float, parts)) == pytest.approx(
        facts["test: accuracy lost in all, p = 5, epsilon = 1"].value
    )
    label = "test: least epsilon from which on accuracy is better than the trivial answer, p = 5"
    # Better at epsilon = 1, but not resolved at the larger one.
    assert facts[label].value == "at none of the grid"
    rising = replace(found, grid=((5, 10.0), (5, 1.0), (2, 1.0)), at=(5, 1.0))
    assert {fact.label: fact.value for fact in rising.facts()}[label] == 10.0
    factor = facts[
        f"test: largest factor by which the error rate of {names.UNPROJECTED} exceeds that of the needed scale"
    ]
    assert factor.value == pytest.approx(0.5 / 0.3, rel=0.05)


# Experiments, tiny.


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    with gzip.open(tmp_path / "adult.csv.gz", "wt", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["age", "workclass", "education_num", "sex", "hours_per_week", "income", "split"])
        for k in range(200):
            rich = k % 4 == 0
            rows.writerow(
                [
                    int(rng.integers(20, 60)) + 12 * rich,
                    ["?", "Private"][k % 2],
                    k % 7 + 3 * rich,
                    f"S{k % 3}",
                    40 + k % 11,
                    ">50K" if rich else "<=50K",
                    "train",
                ]
            )
    return tmp_path


def tiny(name: str, data: Path, **given: Any) -> dict[str, Any]:
    options = {"components": (2,), "epsilons": (1.0, 100.0)}
    return EXPERIMENTS[name](Run(simulations=2, data=data, options=options, **given)).record()


@pytest.mark.parametrize("name", NEW)
def test_an_experiment_that_was_killed_goes_on_to_the_same_json(name: str, folder: Path) -> None:
    whole = tiny(name, folder, folder=folder / "run")
    # That a run without a folder gives the same is asked of the one that takes least.
    assert name != NEW[0] or json.dumps(tiny(name, folder)) == json.dumps(whole)
    for file in (folder / "run").glob("*.jsonl"):
        lines = file.read_text().splitlines()
        file.write_text("\n".join(lines[:4]) + "\n" + lines[4][: len(lines[4]) // 2])
    text = json.dumps(tiny(name, folder, folder=folder / "run"), allow_nan=False)
    assert text == json.dumps(whole, allow_nan=False)
    record = json.loads(text)
    jsonschema.validate(record, published_schemas()["noiseproof-experiment-1"])
    page = render_experiment(record)
    assert page.count('class="plot"') == (6 if name.endswith("digits") else 2)
    assert "://" not in page
    assert record["settings"]["p"] == [2]


def test_other_settings_do_not_reuse_the_repeats(folder: Path) -> None:
    name = "ron-gauss-adult"
    tiny(name, folder, folder=folder / "run")
    with pytest.raises(SpecError, match="another run"):
        tiny(name, folder, folder=folder / "run", seed=5)


def test_the_numbers_depend_on_the_seed_only(folder: Path) -> None:
    name = "ron-gauss-diabetes"
    one, other = tiny(name, folder, seed=1), tiny(name, folder, seed=2)
    assert one["tables"] != other["tables"]
    assert one == tiny(name, folder, seed=1, workers=2)


def test_a_bad_grid_is_refused_before_any_work(folder: Path) -> None:
    for options in (
        {"components": (99,)},
        {"components": (0,)},
        {"components": (2, 2)},
        {"epsilons": (0.0,)},
        {"epsilons": (float("nan"),)},
    ):
        with pytest.raises(SpecError, match="different"):
            EXPERIMENTS["ron-gauss-diabetes"](Run(simulations=2, options=options))


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_options_that_an_experiment_does_not_take_are_refused(name: str, tmp_path: Path) -> None:
    app = typer.Typer()
    app.command()(experiment)
    given = {
        "scaling": "raw",
        "records": "50",
        "terms": "bound",
        "components": "2",
        "epsilons": "1",
        "data": str(tmp_path),
    }
    for option in set(given) - OPTIONS[name]:
        found = CliRunner().invoke(app, [name, f"--{option}", given[option], "-o", str(tmp_path)])
        assert found.exit_code == 2
        assert "would ignore it" in found.output


def test_the_command_takes_a_grid(folder: Path, tmp_path: Path) -> None:
    app = typer.Typer()
    app.command()(experiment)
    out = tmp_path / "out"
    call = [
        "ron-gauss-adult",
        "-o",
        str(out),
        "--simulations",
        "2",
        "--data",
        str(folder),
        "--components",
        "1,3",
        "--epsilons",
        "1,10",
    ]
    result = CliRunner().invoke(app, call)
    assert result.exit_code == 0, result.output
    assert "accuracy lost by the noise, p = 3, epsilon = 1" in result.output
    assert json.loads((out / "ron-gauss-adult.json").read_text())["settings"]["epsilon"] == [1.0, 10.0]
    assert CliRunner().invoke(app, [*call, "--epsilons", "1,x"]).exit_code == 2
