"""`noiseproof derive`: examples run, exit codes say what happened, what is written satisfies the published schema."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from typer.testing import CliRunner

from noiseproof import cli
from noiseproof.problem_examples import COMMENTED, EXAMPLES, MODELS
from noiseproof.verify_command import published_schemas

UNIFORM = '[model]\nname = "uniform"\ndensity = "1/theta"\nsupport = [0, "theta"]\n[model.parameters.theta]\ndomain = [0, "oo"]\n'
KNOWN = '[model]\ndensity = "exp(-y)"\nsupport = [0, "oo"]\n'
SLOW = """
[model]
kind = "normal"
mean = [0, 0, 0]
covariance = [["a", "b", "c"], ["b", "d", "g"], ["c", "g", "f"]]
[derive]
effort = 0.001
at = { a = 4, b = 1, c = 1, d = 4, g = 1, f = 4 }
""" + "".join(f'[model.parameters.{n}]\ndomain = ["-oo", "oo"]\n' for n in "abcdgf")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str) -> Any:
    return CliRunner().invoke(cli.app, ["derive", *arguments])


def record(folder: str = "noiseproof-derivation") -> dict[str, Any]:
    data: dict[str, Any] = json.loads(Path(folder, "derivation.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(published_schemas()["noiseproof-derivation-1"]).validate(data)
    return data


@pytest.mark.parametrize("name", MODELS)
def test_each_example_is_written_and_runs_as_it_is(name: str) -> None:
    written = run(f"{name}.toml", "--example", name)
    assert written.exit_code == 0
    assert written.stdout == f"wrote {name}.toml; run it with: noiseproof derive {name}.toml\n"
    assert Path(f"{name}.toml").read_text(encoding="utf-8") == EXAMPLES[name]
    again = run(f"{name}.toml", "--example", name)
    assert again.exit_code == 2
    assert "exists already" in again.stderr
    derived = run(f"{name}.toml", "-o", "out")
    found = record("out")
    assert derived.exit_code == found["exit_code"] == 0
    assert "page: out/index.html" in derived.stdout
    assert all(row["truth"] in ("holds", "cited") for row in found["information"]["derivation"])
    assert found["outcome"] == ("enclosed" if name == "rounded" else "derived")
    assert (found["information"]["value"] is None) == (name == "rounded")
    if name == "exponential":
        assert [one["figure"] for one in found["series"]] == ["density", "score", "information-rate"]
        line = found["series"][2]["lines"][0]
        assert all(
            y == pytest.approx(10 / x**2, rel=1e-12) for x, y in zip(line["x"], line["y"], strict=True)
        )
    # What stands on a terminal can be piped into a file.
    assert run("--example", name).stdout.strip() == EXAMPLES[name].strip()


def test_the_commented_model_runs_and_init_writes_it() -> None:
    written = CliRunner().invoke(cli.app, ["init", "--kind", "model"])
    assert written.stdout == "wrote model.toml; run it with: noiseproof derive model.toml\n"
    assert Path("model.toml").read_text(encoding="utf-8") == COMMENTED["model"]
    assert CliRunner().invoke(cli.app, ["init", "own.toml", "--kind", "model"]).exit_code == 0
    assert Path("own.toml").read_text(encoding="utf-8") == COMMENTED["model"]
    done = run("model.toml", "--at", "scale=3", "--observations", "5")
    assert done.exit_code == 0
    found = record()
    assert found["information"]["value"][0][0] == "5*shape**2/scale**2"
    assert found["asked"]["at"] == {"scale": "3", "shape": "3/2"}
    assert found["provenance"]["command"] == "noiseproof derive model.toml --at scale=3 --observations 5"
    for kind, name in (("test", "own.py"), ("dossier", "own.txt"), ("policy", "p.toml"), ("modle", "m.toml")):
        refused = CliRunner().invoke(cli.app, ["init", name, "--kind", kind])
        assert refused.exit_code == 2
        assert not Path(name).exists()


def test_an_irregular_family_has_no_information_and_exit_code_1() -> None:
    Path("u.toml").write_text(UNIFORM)
    done = run("u.toml")
    found = record()
    assert (done.exit_code, found["outcome"]) == (1, "irregular")
    assert found["information"]["value"] is None
    assert found["information"]["numbers"] is None
    assert "the support ends at theta, which depends on the parameter" in done.stdout
    assert not [s for s in found["series"] if s["figure"].startswith("information")]


LOGISTIC = """
[model]
density = "exp(-y/s)/(s*(1 + exp(-y/s))**2)"
support = ["-oo", "oo"]
[model.parameters.s]
domain = [0, "oo"]
[derive]
at = { s = 2 }
after = [{ round = 1 }, { censor = [-3, "oo"] }, { truncate = ["-oo", 2] }]
"""
TWO = """
[model]
kind = "normal"
mean = ["mu", "mu"]
covariance = [["a", "b"], ["b", "a"]]
[model.parameters.mu]
domain = ["-oo", "oo"]
[model.parameters.a]
domain = [1.5, "oo"]
[model.parameters.b]
domain = [-1.5, 1.5]
[derive]
nuisance = ["a", "b"]
at = { a = 2, b = 1 }
"""


def test_what_is_left_after_processing_is_less() -> None:
    Path("l.toml").write_text(LOGISTIC)
    done = run("l.toml")
    assert done.exit_code == 0
    found = record()
    whole = found["information"]["numbers"][0][0]["upper"]
    rounded, censored, truncated = (one["information"]["numbers"][0][0] for one in found["left"])
    assert 0 < rounded["lower"] <= rounded["upper"] < whole
    assert 0 < censored["lower"] <= censored["upper"] < whole
    # Truncation is another law, of which an outcome may tell more or less.
    assert truncated["lower"] > 0
    assert "left after rounding to multiples of 1:" in done.stdout


def test_a_nuisance_is_taken_out_and_values_without_a_law_are_refused() -> None:
    Path("n.toml").write_text(TWO)
    assert run("n.toml").exit_code == 0
    found = record()["information"]
    assert found["parameters"] == ["mu"]
    assert found["numbers"][0][0]["lower"] == pytest.approx(2 / 3)
    open_ = TWO.replace('[1.5, "oo"]', '["-oo", "oo"]').replace("[-1.5, 1.5]", '["-oo", "oo"]')
    Path("n.toml").write_text(open_)
    assert run("n.toml").exit_code == 4  # whether the covariance is one is open
    assert "positive definite is not proved" in str(record())
    refused = run("n.toml", "--at", "a=0")
    assert refused.exit_code == 2
    assert "there is no law at mu = 0, a = 0, b = 1" in refused.stderr


def test_an_estimand_asks_for_error_bounds_and_says_whom_they_bind() -> None:
    Path("u.toml").write_text(
        UNIFORM + '[derive]\nestimand = "theta"\nat = { theta = 2 }\nobservations = 3\n'
    )
    done = run("u.toml")
    found = record()
    assert (done.exit_code, found["outcome"]) == (0, "bounded")
    kinds = {b["kind"]: b for b in found["bounds"]}
    assert kinds["cramer-rao"]["status"] == "inapplicable"
    assert kinds["cramer-rao"]["numbers"] is None
    # The exact error of the best unbiased estimator, 4/3 of the largest of three, is theta^2/15.
    assert 0 < kinds["chapman-robbins"]["numbers"][0][0]["upper"] < 4 / 15
    assert found["bounds"][0]["binds"] == "unbiased estimators"
    assert ": at theta = 2 the mean squared error" in kinds["chapman-robbins"]["sentence"]
    Path("n.toml").write_text(
        EXAMPLES["exponential"] + 'estimand = ["1/rate"]\nbounds = ["cramer-rao", "van-trees"]\n'
        '[derive.prior.rate]\ndensity = "rate**2*exp(-rate)/2"\nsupport = [0, "oo"]\n'
    )
    assert run("n.toml").exit_code == 0
    rao, trees = record()["bounds"]
    assert rao["value"] == [["1/(10*rate**2)"]]
    assert trees["binds"] == "any estimator, on average over the prior"


@pytest.mark.parametrize(
    ("asked", "part"),
    [
        ('estimand = "2"', "derive.estimand: expected a formula that contains a parameter, got 2"),
        ('estimand = "1/rat"', "derive.estimand: in the formula '1/rat'"),
        ('estimand = ["rate", "x"]', "derive.estimand[1]: in the formula 'x'"),
        (
            'estimand = "rate"\nbounds = ["cramer"]',
            "derive.bounds: unknown kind 'cramer'; did you mean 'cramer-rao'?",
        ),
        ('bounds = ["cramer-rao"]', "derive.bounds: this says nothing without an estimand"),
        ('estimand = "rate"\nbounds = ["van-trees"]', "prior={rate: law} or [derive.prior.rate]"),
        (
            'estimand = "rate"\nprior.rate = {density = "2*exp(-rate)", support = [0, "oo"]}',
            "integrates to 2, expected 1",
        ),
        (
            'estimand = "rate"\nprior.rat = {density = "exp(-rat)", support = [0, "oo"]}',
            "did you mean 'rate'?",
        ),
        ("after = [{round = 0}]", "derive.after[0].round: expected a step above 0, got 0"),
        ("after = [{round = 1, censor = [0, 1]}]", "derive.after[0]: expected exactly one of"),
        ("after = [{}]", "derive.after[0]: expected exactly one of"),
        ("after = [{rond = 1}]", "did you mean 'round'?"),
        ('nuisance = ["rate"]', "derive.nuisance"),
        ('nuisance = ["rat"]', "derive.nuisance: 'rat' is no parameter; did you mean 'rate'?"),
    ],
)
def test_a_question_that_makes_no_sense_is_explained(asked: str, part: str) -> None:
    Path("n.toml").write_text(EXAMPLES["exponential"] + asked + "\n")
    done = run("n.toml")
    assert done.exit_code == 2, done.stdout + done.stderr
    assert part in " ".join(done.stderr.split())
    assert done.stderr.startswith("error: n.toml: derive.")


def test_what_does_not_end_is_unknown_and_exit_code_4() -> None:
    Path("s.toml").write_text(SLOW)
    done = run("s.toml")
    assert (done.exit_code, record()["outcome"]) == (4, "unknown")
    assert "was stopped at the limit of 1 s of processor time" in done.stdout


def test_a_law_without_parameters_has_nothing_to_derive_and_exit_code_5() -> None:
    Path("k.toml").write_text(KNOWN)
    assert (run("k.toml").exit_code, record()["outcome"]) == (5, "nothing")


def test_python_code_can_bring_the_law(folder: Path) -> None:
    (folder / "brought_law.py").write_text(
        "import sympy as sp\nimport noiseproof as npf\n"
        "y, rate = sp.Symbol('y'), sp.Symbol('rate', positive=True)\n"
        "def law(): return npf.Law.from_density(rate * sp.exp(-rate * y), y, (0, 'oo'), name='waiting')\n"
    )
    assert run("brought_law:law", "--at", "rate=0.1").exit_code == 0
    assert record()["information"]["numbers"] == [[{"lower": 100.0, "upper": 100.0}]]
    sys.modules.pop("brought_law", None)


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        ([], "expected a model"),
        (["nothing.toml"], "no such file"),
        (["m.toml", "--at", "scale"], "--at: expected NAME=VALUE such as scale=2"),
        (["m.toml", "--at", "scal=2"], "--at: 'scal' is no parameter; did you mean 'scale'?"),
        (["m.toml", "--at", "scale=-2"], "--at: expected a number between 0 and oo, got -2"),
        (["m.toml", "--at", "scale=1,scale=2"], "scale has two values"),
        (["m.toml", "--at", "scale=__import__"], "--at: in the formula"),
        (["m.toml", "--information", "shpe"], "did you mean 'shape'?"),
        (["m.toml", "--effort", "0"], "--effort: expected a number from 0.001 to 1000"),
        (["m.toml", "--effort", "nan"], "--effort: expected a number from 0.001 to 1000"),
        (["m.toml", "--observations", "0"], "observations"),
        (["m.toml", "--format", "htlm"], "did you mean 'html'?"),
        (["m.toml", "-o", "m.toml"], "expected a folder, got a file"),
        (["--example", "gausian"], "did you mean 'gaussian'?"),
        (["spec.toml"], "this is a spec: use `noiseproof audit`"),
        (["os:getcwd"], "expected a Law or JointLaw"),
    ],
)
def test_what_cannot_be_used_is_explained(
    arguments: list[str], part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("m.toml").write_text(COMMENTED["model"])
    Path("spec.toml").write_text('[mechanism]\nname = "laplace"\n')
    monkeypatch.setattr(sys, "argv", ["noiseproof", "derive", *arguments])
    done = run(*arguments)
    assert done.exit_code == 2
    assert part in " ".join(done.stderr.split())
    assert not Path("noiseproof-derivation").exists()


def test_formats_and_quiet() -> None:
    Path("m.toml").write_text(EXAMPLES["exponential"])
    done = run("m.toml", "--format", "json", "--quiet")
    assert (done.exit_code, done.stdout) == (0, "")
    assert [p.name for p in Path("noiseproof-derivation").iterdir()] == ["derivation.json"]


def test_help_needs_no_heavy_library() -> None:
    code = "import sys, noiseproof.cli; print([m for m in ('sympy', 'numpy', 'rich.table', 'matplotlib') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_bound_beside_censoring_says_of_which_outcomes_it_is() -> None:
    Path("c.toml").write_text(
        EXAMPLES["exponential"].replace("observations = 10", "observations = 1")
        + 'estimand = "1/rate"\nbounds = ["cramer-rao"]\nafter = [{ censor = [0, 2] }]\n'
    )
    assert run("c.toml").exit_code == 0
    (bound,) = record()["bounds"]
    # 1/rate^2 of whole outcomes; where those above 2 are seen as such, that divided by 1 - exp(-2 rate).
    assert "is at least rate**(-2)" in bound["sentence"]
    least = float(bound["sentence"].split("after censoring to between 0 and 2 it is at least ")[1].split()[0])
    assert least == pytest.approx(4 / (1 - math.exp(-1)), rel=1e-5)
    assert least <= 4 / (1 - math.exp(-1))
