"""Refutations as scripts that stand alone: they say what replay says, without noiseproof."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import sympy as sp
from made_witnesses import FORMULA, HOSTILE
from sealed_release import made_certificate

import noiseproof as npf
from noiseproof.audit.record.plain import plain
from noiseproof.audit.witnesses import evaluator_of, kinds, reevaluate
from noiseproof.reports.proof_script import FALLEN, NotStandAloneError, render_proof_script, scripts_of
from noiseproof.symbolic.proof.expressions import WITNESS_FUNCTIONS, parse


def run(script: str, folder: Path, *missing: str) -> subprocess.CompletedProcess[str]:
    """The script, in an interpreter that can import neither noiseproof nor `missing`, nor what the script does not name."""
    path = folder / "script.py"
    path.write_text(script)
    needs = script.split('"""')[1].partition("and:")[2]
    libraries = ("numpy", "scipy", "sympy", "sklearn", "statsmodels", "pydantic")
    names = ("noiseproof", *(n for n in libraries if n not in needs), *missing)
    block = f"import sys, runpy\nfor n in {names!r}: sys.modules[n] = None\nrunpy.run_path(sys.argv[1], run_name='__main__')"
    command = [sys.executable, "-I", "-c", block, str(path)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300, cwd=folder)


EDITED = {**FORMULA, "at": {**FORMULA["at"], "x": "100"}}
EQUAL = {
    "kind": "formula",
    "left": "sqrt(2)*m",
    "relation": "<",
    "right": "sqrt(8)*m/2",
    "where": [],
    "at": {"m": "3"},
}
MASS = {
    "kind": "wrong-mass",
    "eigenvalues": ["1"],
    "rho": "1/3",
    "density": "",
    "normaliser": "1/sqrt(pi)",
    "rate": "2",
}
# Its evaluation rests on definitions of one name in several modules, and on names that one module imports from another.
GRID = {
    "kind": "grid profile",
    "epsilon": "1/2",
    "claimed": "1/1000",
    "columns": [{"noise": "laplace", "parameter": 2.0, "exponent": -3, "span": 8, "entries": 2}],
}
WHOLE = {
    "kind": "whole profile",
    "epsilon": "1/10",
    "claimed": "1/20",
    "columns": [{"noise": "gaussian", "parameter": "9/2", "span": 1, "entries": 1}],
}
HOSTILE_WITNESS = {**FORMULA, "left": "__import__('os').system('touch OWNED')", "at": {"'''\n": "1"}}


@pytest.mark.parametrize("name", sorted({*WITNESS_FUNCTIONS}))
def test_a_script_knows_every_function_that_a_witness_may_contain(name: str) -> None:
    script: dict[str, Any] = {}
    exec(render_proof_script(FORMULA), script)
    at, first = "3/2" if name == "acosh" else "1/2", "2, " if WITNESS_FUNCTIONS[name][:2] == (2, 2) else ""
    for kind in (script["Balls"], script["Symbols"]):
        told = script["read"](f"{name}({first}x)", {"x": at}, kind())
        known = parse(f"{name}({first}x)", {"x": at}, functions=WITNESS_FUNCTIONS)
        assert float(told) == pytest.approx(float(known))


@pytest.mark.parametrize(
    ("witness", "code"),
    [
        (FORMULA, 0),
        (EDITED, FALLEN),
        ({**FORMULA, "where": ["s - 1"]}, FALLEN),
        (EQUAL, 0),
        (MASS, 0),
        (GRID, 0),
        ({**GRID, "claimed": "1/2"}, FALLEN),
        (WHOLE, 0),
        ({**WHOLE, "claimed": "1/2"}, FALLEN),
    ],
    ids=[
        "stands",
        "edited",
        "condition broken",
        "equal exactly",
        "taken from the source",
        "grid",
        "grid edited",
        "whole",
        "whole edited",
    ],
)
def test_a_script_says_what_replay_says(witness: dict[str, Any], code: int, tmp_path: Path) -> None:
    script = render_proof_script(witness, HOSTILE + '"""', HOSTILE)
    done = run(script, tmp_path)
    assert done.returncode == code, done.stdout + done.stderr
    assert done.stdout.startswith("stands: " if code == 0 else "DOES NOT STAND: ")
    assert reevaluate(witness)[0] is (code == 0)


def older(script: str) -> str:
    """The script with a statement that its interpreter cannot read, as all of them have for Python 3.9."""
    return script.replace("    match node:", "    matching node:", 1)


@pytest.mark.parametrize("witness", [FORMULA, EDITED, MASS], ids=["stands", "edited", "from the source"])
def test_a_script_that_breaks_off_says_neither_word(witness: dict[str, Any], tmp_path: Path) -> None:
    script = render_proof_script(witness)
    assert f"0 the refutation stands, {FALLEN} it does not" in script.split('"""')[1]
    for done in (run(script, tmp_path, "flint"), run(older(script), tmp_path)):
        assert (done.returncode, done.stdout) == (1, "")
        assert done.returncode not in (0, FALLEN)
    missing = run(script, tmp_path, "flint").stderr
    assert missing.startswith("NOT EVALUATED: ModuleNotFoundError: ")
    assert missing.count("\n") == 1
    assert "SyntaxError" in run(older(script), tmp_path).stderr


def test_a_witness_that_is_no_formula_is_not_evaluated(tmp_path: Path) -> None:
    done = run(render_proof_script(HOSTILE_WITNESS, HOSTILE + '"""', HOSTILE), tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("NOT EVALUATED: ValueError: not a formula: Call (")
    assert not (tmp_path / "OWNED").exists()
    # Text of a stranger is said on one line and steers no terminal.
    raising = """exec("raise ValueError('a\\\\x1b[2J\\\\nb')")"""
    said = run(render_proof_script(FORMULA).replace("evaluate(WITNESS)", raising), tmp_path).stderr
    assert said.startswith(r"NOT EVALUATED: ValueError: a\x1b[2J\nb (")


def test_kinds_without_a_script_are_named() -> None:
    for kind, what in (
        ("irregular", "irregular: the witness names a place"),
        ("nonsense", "unknown kind"),
        ("instance", "unknown rule"),
    ):
        with pytest.raises(NotStandAloneError, match=what):
            render_proof_script({"kind": kind})


@pytest.mark.parametrize("k", [900, 12])
def test_counts_of_an_event_are_tested_again_with_scipy_alone(tmp_path: Path, k: int) -> None:
    witness = made_certificate()["findings"][1]["evidence"][0]["witness"]
    witness["count"]["k"] = k
    done = run(render_proof_script(witness), tmp_path)
    assert (done.returncode, done.stdout[:8]) == ((0, "stands: ") if k == 900 else (FALLEN, "DOES NOT")), (
        done.stderr
    )


X = sp.Symbol("x", real=True)


def witnesses_of(kind: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """A witness of this kind, as an audit finds it, and what to edit in it that it may stand no more."""
    if kind == "optimal value":
        nearest = npf.Program((X - 1) ** 2 + 1, [X], [X >= 2])
        return npf.examine(nearest, npf.OptimalValue(1)).findings[0].evidence[0].witness or {}, {"found": "1"}
    if kind == "better function":
        u = sp.Function("u")
        string = npf.Functional(u(X).diff(X) ** 2 / 2 - u(X), u(X), (X, 0, 1), boundary={0: 0, 1: 0})
        return npf.examine(string, npf.Minimiser("0")).findings[0].evidence[0].witness or {}, {"better": "x"}
    family = npf.Family(lambda t, n, rng: rng.exponential(t, n), None, 2.0, name="exponential")
    found = npf.examine(family, npf.FisherInformation("0.8/t**2", of="t"), samples=20_000, seed=3)
    (witness,) = (e.witness for e in found.findings[0].evidence if e.witness)
    return witness, {"parameters": {**witness["parameters"], "value": [["1/t**2"]]}}


@pytest.mark.parametrize("kind", ["optimal value", "better function", "information along a path"])
def test_refutations_of_formulas_by_numbers_stand_alone(kind: str, tmp_path: Path) -> None:
    witness, edit = witnesses_of(kind)
    witness = json.loads(json.dumps(plain(witness)))
    assert witness["kind"] == kind
    for change, code, word in (({}, 0, "stands: "), (edit, FALLEN, "DOES NOT STAND: ")):
        done = run(render_proof_script({**witness, **change}), tmp_path)
        assert (done.returncode, done.stdout[: len(word)]) == (code, word), done.stdout + done.stderr


def test_every_kind_of_witness_stands_in_the_manual_with_its_script_or_without() -> None:
    manual = (Path(__file__).parents[2] / "docs" / "reference" / "verify.md").read_text(encoding="utf-8")
    with_one, _, without = manual.partition("| kind of witness | script |")[2].partition("No script")
    # A test of another module may have registered a kind of its own.
    for kind in (k for k in kinds() if evaluator_of(k).__module__.startswith("noiseproof.")):
        assert f"`{kind}`" in with_one, kind
        if kind == "instance":  # its script depends on its rule
            continue
        bare = {"irregular": {"speeds": [1.0]}}.get(kind, {})
        assert render_proof_script({"kind": kind, **bare}).startswith('"""'), kind
    for bare in ({"kind": "irregular"}, {"kind": "optimal value", "found": "oo"}):
        assert f"`{bare['kind']}`" in without
        with pytest.raises(NotStandAloneError):
            render_proof_script(bare)


@pytest.mark.long
def test_every_refutation_of_the_papers_stands_alone_or_is_named(tmp_path: Path) -> None:
    from noiseproof.audit.papers import run_dossiers

    refutations = [r for data in run_dossiers(()) for r in scripts_of(json.loads(json.dumps(data)))]
    without, fallen = [], []
    for one in refutations:
        try:
            script = render_proof_script(one.witness, one.title, one.statement)
        except NotStandAloneError:
            without.append(one.finding)
            continue
        done = run(script, tmp_path)
        if done.returncode:
            fallen.append((one.finding, done.returncode, done.stdout[-200:], done.stderr[-500:]))
    assert fallen == []
    assert len(refutations) >= 149
    assert len(without) <= 11, without
    print(f"{len(refutations)} refutations, {len(without)} without a script: {without}")
