"""`noiseproof derive` of programs, functionals and queries: examples run, exit codes say what happened, records satisfy the schema."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from typer.testing import CliRunner

from noiseproof import cli
from noiseproof.problem_examples import COMMENTED, EXAMPLES
from noiseproof.verify_command import published_schemas

BROUGHT = """
import sympy as sp
import noiseproof as npf
x, y, t = sp.symbols("x y t", real=True)
n = sp.Symbol("n", integer=True)
u = sp.Function("u")
clip = npf.Program((x - t) ** 2, [x], [x >= 0, x <= 1], [t])
infeasible = npf.Program(x, [x], [x >= 1, x <= 0])
unbounded = npf.Program(x + y, [x, y], [x <= 1])
unattained = npf.Program(sp.exp(x), [x])
whole = npf.Program((n - sp.Rational(3, 5)) ** 2, [n], [n >= 0, n <= 3])
string = npf.Functional(u(x).diff(x) ** 2 / 2 - x * u(x), u(x), (x, 0, 1), boundary={0: 0})
mean = npf.DatasetQuery(x, npf.Box(0, 1), records=[x], each="mean", n=20)
grow = npf.DatasetQuery(x**2, sp.Interval(0, sp.oo), records=[x], each="sum", n=2)
def made(): return mean
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "brought_problems.py").write_text(BROUGHT)
    yield tmp_path
    sys.modules.pop("brought_problems", None)


def run(*arguments: str) -> Any:
    return CliRunner().invoke(cli.app, ["derive", *arguments])


def record(folder: str = "noiseproof-derivation") -> dict[str, Any]:
    data: dict[str, Any] = json.loads(Path(folder, "derivation.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(published_schemas()["noiseproof-problem-1"]).validate(data)
    for part in data["sections"]:
        assert {step["truth"] for step in part["derivation"]} <= {"holds", "cited"}
    return data


def part(data: dict[str, Any], start: str) -> dict[str, Any]:
    found: dict[str, Any] = next(p for p in data["sections"] if p["title"].startswith(start))
    return found


@pytest.mark.parametrize("name", ["svm", "average", "water-filling"])
def test_each_example_is_written_and_runs_as_it_is(name: str) -> None:
    written = run(f"{name}.toml", "--example", name)
    assert written.stdout == f"wrote {name}.toml; run it with: noiseproof derive {name}.toml\n"
    assert Path(f"{name}.toml").read_text(encoding="utf-8") == EXAMPLES[name]
    derived = run(f"{name}.toml", "-o", "out")
    found = record("out")
    assert derived.exit_code == found["exit_code"] == 0
    assert found["outcome"] == "derived"
    assert "page: out/index.html" in derived.stdout
    assert Path("out/index.html").read_text(encoding="utf-8").lower().startswith("<!doctype html>")
    if name == "average":
        assert found["answer"]["exact"] == "1/2"
        assert [len(side) for side in found["answer"]["pair"]] == [100, 100]
        (picture,) = found["series"]
        assert sorted(picture["lines"][1]["x"]) == [0, 50]
        assert sorted(picture["lines"][1]["y"]) == [49.5, 50]
        assert "Delta = 1/2" in derived.stdout
    if name == "svm":
        assert found["answer"]["minimiser"]["w1"] == "1/2"
        assert found["answer"]["value"] == "1/4"
        rows = part(found, "First-order")["rows"]
        assert sum(r["note"] == "stationarity" for r in rows) == 7
        assert sum(r["note"] == "complementarity" for r in rows) == 8
        assert [f["truth"] for f in part(found, "Convexity")["facts"]] == ["holds"] * 6
        assert [p["figure"] for p in found["planes"]] == ["dual"]
    if name == "water-filling":
        assert [case["where"] for case in found["answer"]["cases"]] == [["P - d >= 0"], ["-P + d >= 0"]]
        regions = next(p for p in found["planes"] if p["figure"] == "regions")
        # The border of the regions is the line P = d.
        (one,), (two,) = (area["rings"] for area in regions["areas"])
        assert all(x >= y - 1e-6 for x, y in one)
        assert all(x <= y + 1e-6 for x, y in two)


@pytest.mark.parametrize("kind", ["program", "query"])
def test_the_commented_files_run_and_init_writes_them(kind: str) -> None:
    written = CliRunner().invoke(cli.app, ["init", "--kind", kind])
    assert written.stdout == f"wrote {kind}.toml; run it with: noiseproof derive {kind}.toml\n"
    assert Path(f"{kind}.toml").read_text(encoding="utf-8") == COMMENTED[kind]
    assert CliRunner().invoke(cli.app, ["init", "own.toml", "--kind", kind]).exit_code == 0
    done = run(f"{kind}.toml")
    assert done.exit_code == 0, done.output
    found = record()
    assert found["outcome"] == "derived"
    assert found["provenance"]["command"] == f"noiseproof derive {kind}.toml"
    assert found["series"] or found["planes"]


def test_what_is_claimed_in_the_commented_files_is_proved() -> None:
    """The claims stand there as comments: freed of their marks they are true."""
    for kind, text in COMMENTED.items():
        if kind == "model":
            continue
        head, mark, tail = text.partition("# What you claim")
        claims = "\n".join(line.removeprefix("#").strip() for line in tail.splitlines()[1:])
        Path("claimed.toml").write_text(f"{head}\n{claims}\n")
        assert mark
        done = CliRunner().invoke(cli.app, ["audit", "claimed.toml", "--samples", "1000"])
        assert done.exit_code == 0, done.output
        assert "verdict: PROVED" in done.stdout


@pytest.mark.parametrize(
    ("name", "code", "outcome"),
    [
        ("clip", 0, "derived"),
        ("infeasible", 1, "infeasible"),
        ("unbounded", 1, "unbounded"),
        ("unattained", 1, "unattained"),
        ("whole", 0, "derived"),
        ("string", 0, "enclosed"),
    ],
)
def test_python_code_can_bring_a_program_or_a_functional(name: str, code: int, outcome: str) -> None:
    done = run(f"brought_problems:{name}")
    assert done.exit_code == code, done.output
    assert record()["outcome"] == outcome
    assert f"outcome: {outcome.upper()}" in done.stdout


def test_the_strip_of_one_parameter_has_its_borders_where_the_cases_meet() -> None:
    run("brought_problems:clip", "--at", "t=0.5")
    found = record()
    (plane,) = (p for p in found["planes"] if p["figure"] == "regions")
    ends = sorted(x for area in plane["areas"] for ring in area["rings"] for x in (ring[0][0], ring[1][0]))
    assert ends[1:-1] == pytest.approx([0, 0, 1, 1], abs=1e-9)
    (curve,) = plane["curves"]
    assert all(y == pytest.approx(min(max(x, 0), 1)) for x, y in zip(curve["x"], curve["y"], strict=True))
    assert found["parameters"] == [
        {"name": "t", "lower": "-oo", "upper": "oo", "value": "1/2", "chosen": False}
    ]


def test_python_code_can_bring_a_query_with_a_norm() -> None:
    assert run("brought_problems:made", "--norm", "l1").exit_code == 0
    assert record()["answer"]["exact"] == "1/20"
    assert run("brought_problems:mean", "--norm", "l1", "--adjacency", "add-or-remove").exit_code == 0
    found = record()
    assert found["answer"]["exact"] == "1/21"
    assert found["provenance"]["command"].endswith("--norm l1 --adjacency add-or-remove")
    assert len(found["series"][0]["lines"]) == 3
    done = run("brought_problems:grow", "--norm", "l1")
    assert (done.exit_code, record()["outcome"]) == (1, "infinite")
    assert record()["answer"]["ray"]


def test_what_is_not_settled_in_time_is_unknown_and_exit_code_4() -> None:
    Path("s.toml").write_text(
        '[program]\nminimise = "x*y*z - sin(x*y) + exp(z*x) + cos(y*z*3)"\nover = ["x", "y", "z"]\n'
        'subject_to = ["x**4 + y**4 + z**4 <= 5", "x*y + z**3 <= 1"]\n[derive]\neffort = 0.001\n'
    )
    done = run("s.toml")
    assert (done.exit_code, record()["outcome"]) == (4, "unknown")


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["brought_problems:mean"], "--norm: a query from Python needs a norm"),
        (
            ["brought_problems:mean", "--norm", "l1", "--adjacency", "replace-two"],
            "--adjacency: unknown adjacency",
        ),
        (["brought_problems:mean", "--norm", "l9"], "norm"),
        (["brought_problems:clip", "--norm", "l1"], "--norm: this option goes with a query"),
        (["brought_problems:clip", "--at", "s=1"], "--at: 's' is no parameter"),
        (["brought_problems:clip", "--observations", "2"], "--observations: this option says nothing"),
        (["brought_problems:mean", "--norm", "l1", "--at", "x=1"], "--at: this option says nothing"),
        (["water.toml", "--norm", "l1"], "--norm: this option goes with a query in Python"),
        (["water.toml", "--at", "P=-1"], "--at: expected a number between 0 and oo, got -1"),
        (["water.toml", "--information", "P"], "--information: this option says nothing"),
        (["both.toml"], "a file states one thing: [program] or [query]"),
        (["--example", "wter-filling"], "did you mean 'water-filling'?"),
    ],
)
def test_what_cannot_be_used_is_explained(
    arguments: list[str], part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("water.toml").write_text(EXAMPLES["water-filling"])
    Path("both.toml").write_text(EXAMPLES["svm"] + EXAMPLES["average"])
    monkeypatch.setattr(sys, "argv", ["noiseproof", "derive", *arguments])
    done = run(*arguments)
    assert done.exit_code == 2
    assert part in " ".join(done.stderr.split())
    assert not Path("noiseproof-derivation").exists()
