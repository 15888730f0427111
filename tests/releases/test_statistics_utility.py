"""What is said of statistics before anything is drawn: from laws and policy alone, exact, and without a look at a table."""

from __future__ import annotations

import math
import shlex
from itertools import pairwise
from pathlib import Path

import pytest
from scipy.stats import norm
from typer.testing import CliRunner

from noiseproof.audit.release.kinds.statistics import StatisticsKind
from noiseproof.audit.release.policy import Policy, parse_policy
from noiseproof.audit.release.statistics.membership_risk import membership_risk, right_at_most
from noiseproof.audit.release.statistics.predicted_utility import PredictedUtility, predict_utility
from noiseproof.audit.release.tables import open_table
from noiseproof.cli import app
from noiseproof.mechanisms.grid_noise import secure_bits
from noiseproof.symbolic.privacy.guarantees import PureDP, ZeroConcentratedDP

POLICY = """
title = "Staff"
columns = [
  {{ name = "age", kind = "integer", role = "private", low = 18, high = 82, unit = "year", missing = "skip" }},
  {{ name = "office", kind = "category", role = "private", categories = ["north", "south"], missing = "skip", undeclared = "skip" }},
]
[table]
path = "there-is-no-such-file.csv"
[mechanism]
kind = "statistics"
noise = "{noise}"
[[statistics]]
name = "people"
measure = "count"
by = ["office"]
size = {size}
[[statistics]]
name = "payroll"
where = {{ age = {{ low = 0 }} }}
measure = "sum"
column = "age"
[[statistics]]
name = "mean age"
measure = "mean"
column = "age"
size = {size}
[[statistics]]
name = "median age"
measure = "quantiles"
column = "age"
quantiles = [0.5]
size = {size}
[[statistics]]
name = "offices"
measure = "distinct"
column = "office"
[limits]
{limits}
"""
LIMITS = {"gaussian": "rho = 0.5", "laplace": "epsilon = 1.0"}
RUN = CliRunner()


def policy(folder: Path, noise: str = "gaussian", size: int = 200) -> Policy:
    text = POLICY.format(noise=noise, limits=LIMITS[noise], size=size)
    return parse_policy(text.encode(), folder=folder)


def told(folder: Path, noise: str = "gaussian", size: int = 200) -> dict[str, PredictedUtility]:
    read = policy(folder, noise, size)
    load = StatisticsKind.configure(read).workload
    return {one.statistic.name: one for one in predict_utility(read, load)}


@pytest.mark.parametrize("noise", ["gaussian", "laplace"])
def test_an_interval_is_the_shortest_and_its_probability_that_of_the_law(noise: str, tmp_path: Path) -> None:
    for name in ("people", "payroll"):
        one = told(tmp_path, noise)[name]
        law = one.workload.drawers[one.statistic.parts[0]].law  # type: ignore[attr-defined]
        half = int(one.figures()["interval_half_width"])
        mass = math.fsum(float(law.mass(k)) for k in range(-half, half + 1))
        assert one.figures()["probability"] == pytest.approx(mass, rel=1e-12)
        less = math.fsum(float(law.mass(k)) for k in range(-half + 1, half))
        assert less < 0.95 <= mass
    assert told(tmp_path, noise)["people"].figures()["least_count_told_from_zero"] > 0


def test_shares_add_up_to_the_budget(tmp_path: Path) -> None:
    found = told(tmp_path)
    load = found["people"].workload
    assert math.fsum(float(d.cost) for d in load.drawers.values()) == pytest.approx(0.5, rel=1e-6)
    assert all(0 < one.share < 1 for one in found.values())


def test_what_is_useless_at_the_declared_size_is_named_and_nothing_else(tmp_path: Path) -> None:
    small, large = told(tmp_path, size=1), told(tmp_path, size=100_000)
    for name in ("people", "mean age", "median age"):
        assert small[name].useless, name
        assert "USELESS" in small[name].line()
        assert small[name].figures()["useless_at_declared_size"] == small[name].statistic.rows
        assert not large[name].useless, name
        assert "USELESS" not in large[name].line()
    assert "declare its size" not in small["payroll"].line()


def test_words_have_units_and_declared_ends(tmp_path: Path) -> None:
    words = {name: one.words() for name, one in told(tmp_path).items()}
    assert [words[n]["unit"] for n in words] == ["records", "year", "year", "year", "values"]
    assert words["mean age"]["ends"] == [18.0, 82.0]
    assert words["offices"]["ends"] == [0.0, 2.0]
    assert words["people"]["ends"] is None
    assert "ranks" in words["median age"]["interval"]
    assert words["offices"]["suppressed"] == "the interval is half as wide as the number of declared values"


@pytest.mark.parametrize("command", [["calibrate"], ["release", "--dry-run"]])
def test_no_table_is_opened(command: list[str], tmp_path: Path) -> None:
    path = tmp_path / "policy.toml"
    path.write_text(POLICY.format(noise="gaussian", limits=LIMITS["gaussian"], size=200))
    done = RUN.invoke(app, [command[0], str(path), *command[1:]])
    assert done.exit_code == 0, done.output
    for words in ("people (count, 2 numbers", "told from zero from", "One per cent more rho", "PROVED"):
        assert words in done.output, words
    assert sorted(p.name for p in tmp_path.iterdir()) == ["policy.toml"]


def test_a_dry_run_says_what_would_be_refused(tmp_path: Path) -> None:
    path = tmp_path / "policy.toml"
    text = POLICY.format(noise="gaussian", limits=LIMITS["gaussian"], size=200)
    path.write_text(text.replace('name = "payroll"', 'name = "payroll"\nerror = { at_most = 1e-3 }'))
    done = RUN.invoke(app, ["release", str(path), "--dry-run"])
    assert done.exit_code == 1
    assert "payroll" in done.output
    neither = RUN.invoke(app, ["release", str(path)])
    assert neither.exit_code == 2
    assert "--dry-run" in neither.output


def test_a_bet_is_right_as_often_as_the_guarantee_allows() -> None:
    assert right_at_most(PureDP(1.0)) == pytest.approx(math.e / (1 + math.e), abs=1e-6)
    assert right_at_most(PureDP(1.0)) >= math.e / (1 + math.e)
    for rho in (1e-4, 0.02, 0.5, 3.0, 50.0):
        told_apart = 2 * norm.cdf(math.sqrt(2 * rho) / 2) - 1  # of Gaussian noise with this rho
        assert (1 + told_apart) / 2 <= right_at_most(ZeroConcentratedDP(rho)) <= 1
    assert right_at_most(ZeroConcentratedDP(0.02)) <= 0.55
    assert "tables with and without one person" in membership_risk(0.5, "person", resizes=True)
    assert "is right at most 95.3 times in 100" in membership_risk(0.95201, "record", resizes=False)


@pytest.mark.parametrize("noise", ["gaussian", "laplace"])
def test_a_bound_is_not_called_an_exact_curve_and_agrees_with_the_membership_risk(
    noise: str, tmp_path: Path
) -> None:
    text = POLICY.format(noise=noise, limits=LIMITS[noise], size=200)
    kind = StatisticsKind.configure(parse_policy(text.encode(), folder=tmp_path))
    (series,) = kind.figures()
    line = series.lines[0]
    assert line.name.startswith(f"bound from {'rho' if noise == 'gaussian' else 'epsilon'} = ")
    assert line.role == "bound"
    assert "exact" not in repr(series)
    assert line.x[0] == 0.0
    assert (1 + line.y[0]) / 2 == pytest.approx(right_at_most(kind.guarantee), abs=2e-6)
    assert all(a >= b for a, b in pairwise(line.y))


def test_what_is_drawn_has_names_that_a_stranger_understands(tmp_path: Path) -> None:
    text = POLICY.format(noise="gaussian", limits=LIMITS["gaussian"], size=200)
    person = 'unit_of_privacy = "person"\nperson_key = "pupil"\nrows_per_person = 3\n[mechanism]'
    text = text.replace("[mechanism]", person).replace(
        "columns = [", 'columns = [{ name = "pupil", kind = "text", role = "drop" },'
    )
    text = text.replace("quantiles = [0.5]", f"quantiles = {[i / 20 for i in range(3, 15)]}")
    kind = StatisticsKind.configure(parse_policy(text.encode(), folder=tmp_path))
    names = {kind.workload.name_of(part) for part in kind.workload.parts}
    assert {
        "mean age, sum",
        "mean age, count",
        "median age, quantiles 0.15, 0.25, 0.35, 0.45, 0.55, 0.65",
        "median age, quantiles 0.2, 0.3, 0.4, 0.5, 0.6, 0.7",
    } <= names, names
    said = [f"{claim.title} {claim.subject.parameters()}" for claim in kind.trials()]
    for words in ("column 'cell'", "part 1", "amount 0", "units together"):
        assert not any(words in line for line in said), words
    assert any("lacks all records of one person (at most 3) are at most 3 apart" in line for line in said)


def test_a_ledger_of_another_adjacency_is_refused_by_whatever_asks_it(tmp_path: Path) -> None:
    path = tmp_path / "policy.toml"
    text = POLICY.format(noise="gaussian", limits=LIMITS["gaussian"], size=200)
    path.write_text(text + '[ledger]\npath = "t.ledger"\ntable_id = "t"\n')
    # Without a ledger it is said how to make one, for the right neighbours.
    (create,) = (w for w in RUN.invoke(app, ["calibrate", str(path)]).output.splitlines() if "create" in w)
    words = shlex.split(create.removeprefix("next: noiseproof "))
    assert words[-4:-2] == ["--adjacency", "add-or-remove"]
    made = RUN.invoke(app, [*words[:-4], *words[-2:]])
    assert made.exit_code == 0, made.output
    for command in (["calibrate"], ["release", "--dry-run"]):
        done = RUN.invoke(app, [command[0], str(path), *command[1:]])
        assert done.exit_code == 1, done.output
        assert "make another ledger with --adjacency add-or-remove" in done.output
        assert "next:" not in done.output
    for kept in tmp_path.glob("t.ledger*"):
        kept.unlink()
    assert RUN.invoke(app, words).exit_code == 0
    for command in (["calibrate"], ["release", "--dry-run"]):
        assert RUN.invoke(app, [command[0], str(path), *command[1:]]).exit_code == 0


def test_the_number_of_records_is_that_of_the_table_where_it_is_public(tmp_path: Path) -> None:
    (tmp_path / "staff.csv").write_text("age,office\n" + "30,north\n" * 77)
    text = POLICY.format(noise="gaussian", limits=LIMITS["gaussian"], size=50)
    text = text.replace("there-is-no-such-file", "staff")
    for public, adjacency, expected in (("true", "replace-one", 77), ("false", "add-or-remove", None)):
        asked = text.replace('kind = "statistics"', f'kind = "statistics"\nadjacency = "{adjacency}"')
        asked = asked.replace("[mechanism]", f"rows_public = {public}\n[mechanism]")
        read = parse_policy(asked.encode(), folder=tmp_path)
        with StatisticsKind.configure(read).draw(open_table(read), secure_bits()) as drawn:
            assert drawn.records == expected
