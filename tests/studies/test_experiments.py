"""Experiments: repeats that resume, data from files and fakes, comparisons that can say both words, pages."""

from __future__ import annotations

import csv
import gzip
import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
import typer
from scipy import stats
from typer.testing import CliRunner

from noiseproof.audit.studies.experiments import EXPERIMENTS, Run
from noiseproof.audit.studies.experiments.curves import Sweep, comparison
from noiseproof.audit.studies.experiments.downloads import adult_csv, fetch, lending_club_csv
from noiseproof.audit.studies.experiments.records import adult, breast_cancer, encoded, lending_club
from noiseproof.audit.studies.experiments.repeats import run_repeats
from noiseproof.audit.studies.experiments.slopes import slope, slope_table
from noiseproof.experiment_command import experiment
from noiseproof.reports.experiment_page import render_experiment
from noiseproof.symbolic.errors import SpecError
from noiseproof.verify_command import published_schemas

ADULT_COLUMNS = (
    "age",
    "workclass",
    "fnlwgt",
    "education",
    "education_num",
    "marital_status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "capital_gain",
    "capital_loss",
    "hours_per_week",
    "native_country",
    "income",
)


@dataclass(frozen=True)
class Noisy:
    """A unit of work without any cost."""

    def __call__(self, point: int, rng: np.random.Generator) -> Mapping[str, float]:
        return {"a": point + rng.normal(), "b": float(point)}


def run(repeats: int = 6, **given: Any) -> dict[str, Any]:
    return run_repeats(Noisy(), 3, repeats, asked={"experiment": "test"}, **given)


def test_a_stopped_run_goes_on_and_gives_the_same_numbers(tmp_path: Path) -> None:
    whole = run()
    file = tmp_path / "run.jsonl"
    part = run(checkpoint=file, stop_after=7)
    assert np.isnan(part["a"]).sum() == 11
    # A line that was being written when the run was stopped.
    with file.open("a") as out:
        out.write('{"point": 1, "repe')
    seen: list[float] = []
    resumed = run(checkpoint=file, progress=lambda fraction, what: seen.append(fraction))
    assert np.array_equal(whole["a"], resumed["a"])
    assert seen == sorted(seen)
    assert (len(seen), seen[-1]) == (11, 1.0)
    assert np.array_equal(run(checkpoint=file)["a"], whole["a"])
    # More repeats extend it.
    assert np.array_equal(run(8, checkpoint=file)["a"][:, :6], whole["a"])


def test_the_numbers_do_not_depend_on_the_workers() -> None:
    assert np.array_equal(run(workers=2)["a"], run()["a"])
    assert not np.array_equal(run(seed=1)["a"], run()["a"])


def test_a_checkpoint_of_another_run_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    run(checkpoint=file)
    with pytest.raises(SpecError, match="another run"):
        run(checkpoint=file, seed=1)
    file.write_text("nonsense")
    with pytest.raises(SpecError, match="another run"):
        run(checkpoint=file)


# Data.


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    with gzip.open(tmp_path / "adult.csv.gz", "wt", newline="") as file:
        rows = csv.writer(file)
        rows.writerow([*ADULT_COLUMNS, "split"])
        for k in range(240):
            rich = k % 4 == 0
            words = ["?", "Private", "State-gov"]
            rows.writerow(
                [
                    int(rng.integers(20, 60)) + 12 * rich,
                    words[k % 3],
                    1000 + k,
                    f"E{k % 5}",
                    k % 7 + 3 * rich,
                    "M",
                    f"O{k % 6}",
                    f"R{k % 2}",
                    "W",
                    f"S{k % 2}",
                    0 if k % 9 else 5000,
                    0,
                    40 + k % 11,
                    "X",
                    ">50K" if rich else "<=50K",
                    "train",
                ]
            )
    with gzip.open(tmp_path / "lending_club_10k.csv.gz", "wt", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["state", "annual_income", "grade", "term", "interest_rate", "paid_total", "debt"])
        for k in range(120):
            grade = k % 4
            rows.writerow(
                [
                    "AZ" if k % 2 else "NY",
                    30000 + 100 * k,
                    "ABCD"[grade],
                    36,
                    5 + 3 * grade + rng.normal(),
                    17 * k,
                    "NA" if k % 5 == 0 else k % 13,
                ]
            )
    return tmp_path


def test_tables_are_encoded_and_scaled(folder: Path) -> None:
    records = adult("standardised", folder)
    assert records.features.shape == (240, 10)  # constant columns are left out
    assert "race" not in records.columns
    assert np.allclose(records.features.mean(axis=0), 0)
    assert set(records.target) == {-1.0, 1.0}
    assert adult("unit-box", folder / "adult.csv.gz").widths == pytest.approx(np.ones(10))
    loans = lending_club("raw", folder)
    assert loans.columns == ("state", "annual_income", "grade", "debt")
    assert np.all(np.isfinite(loans.features))
    assert loans.target.mean() == pytest.approx(0, abs=1e-12)
    assert lending_club("raw", folder, grades=False).columns == ("state", "annual_income", "debt")
    assert encoded(np.array(["b", "a", "b"])).tolist() == [1, 0, 1]
    assert encoded(np.array([1.0, np.nan, 3.0])).tolist() == [1, 2, 3]
    assert breast_cancer().features.shape == (569, 30)


def test_a_set_that_is_not_here_is_not_fetched_unasked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("NOISEPROOF_DATA", raising=False)
    with pytest.raises(SpecError, match="--download"):
        adult()
    with pytest.raises(SpecError, match="no such file"):
        adult(source=tmp_path / "gone.csv")
    with pytest.raises(SpecError, match="one of raw"):
        breast_cancer("centred")  # type: ignore[arg-type]


def test_the_folder_variable_is_used(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOISEPROOF_DATA", str(folder))
    assert len(adult().target) == 240


def test_sources_become_the_files_that_are_expected(tmp_path: Path) -> None:
    content = io.BytesIO()
    row = "39, Private, 1, B, 13, M, O, R, W, F, 0, 0, 40, US, "
    with zipfile.ZipFile(content, "w") as parts:
        parts.writestr("adult.data", row + "<=50K\n\n")
        parts.writestr("adult.test", "|1x3 Cross validator\n" + row + ">50K.\n")
    lines = adult_csv(content.getvalue()).splitlines()
    assert lines[0].endswith("income,split")
    assert [line.split(",")[-2:] for line in lines[1:]] == [["<=50K", "train"], [">50K", "test"]]
    assert lending_club_csv(b"emp_title,a,interest_rate\nx,1,2\n") == "a,interest_rate\n1,2\n"
    target = fetch("adult", tmp_path / "new" / "adult.csv.gz", lambda url: content.getvalue())
    assert gzip.decompress(target.read_bytes()).decode().splitlines() == lines
    for name in ("adult", "lending_club"):
        with pytest.raises(SpecError, match="did not send"):
            fetch(name, tmp_path / "x", lambda url: b"<html>")


# Comparisons.


def test_a_comparison_can_say_each_word() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(40, 2))
    sweep = Sweep("classifier", x, np.repeat([1.0, -1.0], 20), (1.0, 2.0, 3.0), ("bound",), np.ones(2))
    gauss = rng.normal(size=(3, 100))
    shift = np.array([[0.5], [0.0], [-0.5]])
    results = {"gaussian": gauss + shift, "bound": gauss + 0.1 * rng.normal(size=(3, 100))}
    table, fact = comparison(sweep, "bound", results)
    assert [row[-1] for row in table.rows] == ["normal better", "not resolved", "Laplace better"]
    assert str(fact.value).startswith("better at 1, worse at 1, not resolved at 1")
    # A few differences are no evidence, however equal.
    few = {"gaussian": np.ones((3, 2)), "bound": np.zeros((3, 2))}
    assert {row[-1] for row in comparison(sweep, "bound", few)[0].rows} == {"not resolved"}


def test_a_slope_has_an_interval_for_spreads_that_differ() -> None:
    """White's interval covers where the textbook one does not: the spread grows with the level, as under noise."""
    levels, missed, usual = (1.0, 10.0, 100.0, 1000.0), 0, 0
    spread = np.array([[0.01], [0.1], [1.0], [10.0]])
    for seed in range(200):
        scores = 0.5 * np.log10(levels)[:, None] + spread * np.random.default_rng(seed).normal(size=(4, 40))
        found = slope(levels, scores)
        assert found is not None
        missed += not found.low <= 0.5 <= found.high
        x = np.repeat(np.log10(levels), 40)
        plain = stats.linregress(x, scores.ravel())
        usual += abs(plain.slope - 0.5) > stats.t.isf(0.025, 158) * plain.stderr
        assert found.value == pytest.approx(plain.slope)
    assert missed <= 20 < usual  # 10 of 200 are expected; 20 or more have probability 0.003


def test_a_slope_that_cannot_be_is_none_and_wild_repeats_do_not_turn_hubers() -> None:
    levels = (1.0, 10.0, 100.0)
    line = np.log10(levels)[:, None] + np.random.default_rng(0).normal(size=(3, 30)) / 10
    wild = line.copy()
    wild[2, 0] = 1e4
    found, sober = slope(levels, wild), slope(levels, line)
    assert found is not None
    assert sober is not None
    assert found.huber == pytest.approx(sober.value, abs=0.05)
    assert found.value > 10
    assert slope((1.0,), line[:1]) is None
    assert slope(levels, line[:, :1]) is None
    missing = line.copy()
    missing[0] = np.nan
    assert slope(levels, missing) is not None
    constant = slope(levels, np.ones((3, 5)))
    assert constant is not None
    assert (round(constant.value, 12), round(constant.huber, 12)) == (0, 0)
    assert slope_table("nothing", (1.0,), {"a": line[:1]}) is None
    with pytest.raises(ValueError, match="levels must be positive"):
        slope((0.0, 1.0), line[:2])


# The experiments, tiny.


def facts(record: dict[str, Any]) -> dict[str, Any]:
    return {fact["label"]: fact["value"] for fact in record["facts"]}


def test_the_illustration_gives_the_printed_numbers(tmp_path: Path) -> None:
    record = EXPERIMENTS["illustration"](Run(simulations=3, folder=tmp_path)).record(1.0)
    found = facts(record)
    for lam, value in (("0.0001", 200), ("0.01", 20), ("1", 2)):
        assert found[f"least error of unbiased adversaries, lambda = {lam}"] == pytest.approx(value)
    assert found["largest deviation |(alpha, beta, xi) - (alphabar, betabar, xibar)|"] < 1e-8
    assert len(list(tmp_path.glob("*.checkpoint.jsonl"))) == 2
    again = EXPERIMENTS["illustration"](Run(simulations=3, folder=tmp_path)).record(1.0)
    assert again == record
    jsonschema.validate(
        json.loads(json.dumps(record, allow_nan=False)), published_schemas()["noiseproof-experiment-1"]
    )
    page = render_experiment(json.loads(json.dumps(record, allow_nan=False)))
    assert page.count("<svg viewBox") >= 3
    assert "://" not in page


def test_the_numbers_of_the_correlated_case_come_from_raw_features() -> None:
    record = EXPERIMENTS["breast-cancer"](Run(simulations=2)).record()
    found = facts(record)
    assert round(found["null-space noise, raw features: min_i E|x_i - xhat_i|^2 / m"], 1) == 28.4
    assert found["null-space noise, raw features: min_i E|x_i - xhat_i|^2 at m = 100"] == pytest.approx(
        2840, rel=1e-3
    )
    assert found["null-space noise: largest relative deviation of (alpha, beta, xi)"] < 1e-8
    others = {(row[0], row[1]): row[2] for row in record["tables"][0]["rows"]}
    assert round(others["standardised", 0.01], 1) != 28.4
    assert round(others["unit-box", 0.01], 1) != 28.4
    jsonschema.validate(
        json.loads(json.dumps(record, allow_nan=False)), published_schemas()["noiseproof-experiment-1"]
    )
    render_experiment(record)


@pytest.mark.parametrize("name", ["adult", "lending-club"])
def test_the_command_writes_json_and_page(name: str, folder: Path, tmp_path: Path) -> None:
    app = typer.Typer()
    app.command()(experiment)
    out = tmp_path / "out"
    arguments = [name, "-o", str(out), "--simulations", "2", "--data", str(folder), "--seed", "3"]
    result = CliRunner().invoke(app, [*arguments, "--terms", "bound,variance"])
    assert result.exit_code == 0, result.output
    record = json.loads((out / f"{name}.json").read_text())
    jsonschema.validate(record, published_schemas()["noiseproof-experiment-1"])
    assert record["settings"]["simulations"] == 2
    assert "better at" in result.output
    assert (out / f"{name}.html").read_text().startswith("<!DOCTYPE html>")
    assert len((out / f"{name}.checkpoint.jsonl").read_text().strip().splitlines()) == 1 + 16
    # Other settings do not silently reuse the repeats.
    refused = CliRunner().invoke(app, [*arguments, "--terms", "bound"])
    assert refused.exit_code == 2


def test_bad_usage_is_told() -> None:
    app = typer.Typer()
    app.command()(experiment)
    result = CliRunner().invoke(app, ["adul"])
    assert result.exit_code == 2
    assert "did you mean 'adult'" in result.output


def test_pages_hold_hostile_text_harmlessly() -> None:
    hostile = "<script>alert(1)</script>"
    record: dict[str, Any] = {
        "schema": "noiseproof-experiment-1",
        "name": hostile,
        "title": hostile,
        "question": hostile,
        "settings": {hostile: hostile},
        "facts": [
            {"label": hostile, "value": hostile, "standard_error": 0.1, "printed": hostile, "note": hostile}
        ],
        "tables": [{"caption": hostile, "columns": [hostile], "rows": [[hostile]]}],
        "scatters": [
            {
                "title": hostile,
                "x_label": hostile,
                "y_label": hostile,
                "groups": [[hostile, [1.0, 2.0], [0.0, 0.0]]],
                "lines": [[hostile, [0.0, 1.0], [0.0, 1.0]]],
            }
        ],
        "series": [],
        "notes": [hostile],
        "provenance": {"noiseproof": "0", "python": "3", "packages": {}},
        "timings": {},
    }
    assert "<script" not in render_experiment(record)
    with pytest.raises(ValueError, match="noiseproof-experiment-1"):
        render_experiment({"schema": "other"})
    record["scatters"][0]["groups"] *= 5
    with pytest.raises(ValueError, match="told apart"):
        render_experiment(record)
