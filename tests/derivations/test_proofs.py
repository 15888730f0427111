"""Steps in the kernel's language: what is found by sympy is accepted without it, and what is false or says too little is not."""

from __future__ import annotations

import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import sympy as sp

import noiseproof as npf
from noiseproof.audit.record.derivation_match import step_faults
from noiseproof.audit.record.evidence import Verdict
from noiseproof.audit.record.kernel_steps import kernel_sentence
from noiseproof.symbolic.proof.derivation import Derivation, Step
from noiseproof.symbolic.proof.kernel.proof import ACCEPTED, REJECTED, answer
from noiseproof.symbolic.proof.proofs.recorded import recorded
from noiseproof.symbolic.proof.proofs.search import SYMPY, written
from noiseproof.symbolic.proof.trace import Letter, Trace, identity
from noiseproof.symbolic.proof.truth import Truth

X, Y = sp.symbols("x y", real=True)
P, Q = sp.symbols("p q", positive=True)
N = sp.Symbol("n", positive=True, integer=True)
K = sp.Symbol("k", integer=True)
W, A = Letter("W"), Letter("A")
TRUE = {
    "ring": Step((X + Y) ** 2, "=", X**2 + 2 * X * Y + Y**2, ""),
    "root": Step(sp.sqrt(P**2 * Q) / sp.sqrt(Q), "=", P, ""),
    "powers": Step(P**Q * P**X, "=", sp.exp((X + Q) * sp.log(P)), ""),
    "density": Step(
        sp.Integral(sp.exp(-(X**2) / (2 * P**2)) / (P * sp.sqrt(2 * sp.pi)), (X, -sp.oo, sp.oo)),
        "=",
        sp.Integer(1),
        "",
        how=lambda a, b: sp.simplify(a.doit() - b) == 0,
    ),
    "derivative": Step(
        sp.Derivative(sp.erf(X * P), X), "=", 2 * P * sp.exp(-(P**2) * X**2) / sp.sqrt(sp.pi), ""
    ),
    "squares": Step(X * Y, "<=", (X**2 + Y**2) / 2, ""),
    "means": Step(2 / (1 / P + 1 / Q), "<=", (P + Q) / 2, ""),
    "from an end": Step(sp.log(1 + P), "<", P, ""),
    "whole": Step(1 / N, "<=", sp.Integer(1), ""),
    "constants": Step(sp.sqrt(2) + sp.sqrt(3), ">", sp.pi, ""),
    "projection": identity(
        Trace(A.T * W * W.T * W * W.T * A), Trace(A.T * W * W.T * A), "", rules={(W.T, W): sp.Integer(1)}
    ),
    "tangent": Step(P + 1 / P, ">=", sp.Integer(2), ""),
}


@pytest.mark.parametrize("name", TRUE)
def test_true_steps_are_accepted_and_their_falsified_twins_are_not(name: str) -> None:
    step = TRUE[name]
    proof = written(step)
    assert answer(proof).word == ACCEPTED, proof
    assert json.loads(json.dumps(proof)) == proof
    more = Fraction(101, 100)
    left, right = (
        (step.left, sp.Rational(more) * step.right)
        if step.relation in ("=", ">=", ">")
        else (sp.Rational(more) * step.left + 1, step.right)
    )
    twin = Step(left, step.relation, right, "", matrices=step.matrices)
    assert written(twin)["by"] == SYMPY
    # The proof of the true step does not do for the false one.
    far = 100 if step.relation in ("<=", "<") else -100
    false = {**proof, "left": ["+", proof["left"], far]}
    assert answer(false).word == REJECTED


def test_a_step_that_says_too_little_is_accepted_where_it_says_where_it_holds() -> None:
    bare = Step(sp.log(X) + sp.log(1 - X), "=", sp.log(X * (1 - X)), "")
    assert written(bare)["by"] == SYMPY
    proof = written(bare, (X, 1 - X))
    assert proof["given"]
    assert answer(proof).word == ACCEPTED
    assert answer(written(Step(bare.left, "=", bare.right, "", where=(X, 1 - X)))).word == ACCEPTED
    # A claim about nothing is none: no number is above 1 and below 0.
    nothing = {**proof, "given": [["x", ">", 1], [["-", "x"], ">", 0]]}
    assert answer(nothing).word == REJECTED


def test_symbols_of_one_name_are_two_variables() -> None:
    other = sp.Symbol("x", positive=True)
    proof = written(Step(X - other, "=", sp.Integer(0), ""))
    assert proof["by"] == SYMPY
    assert set(written(Step(X + other, "=", other + X, ""))["for"]) == {"x", "x_2"}


@pytest.mark.parametrize(("total", "noise"), [(Fraction(1, 2), "gaussian"), (1, "laplace")])
def test_the_conditions_of_a_split_budget_are_accepted(total: Any, noise: str) -> None:
    items = [npf.BudgetItem("count", 1, 1), npf.BudgetItem("sum", 400, 20), npf.BudgetItem("mean", 2500, 50)]
    rows = recorded(npf.split_budget(items, total, noise).certificate.derivation)
    steps = [row for row in rows if row["truth"] != "cited"]
    assert len(steps) >= 7
    assert all(answer(row["proof"]).word == ACCEPTED for row in steps)
    assert kernel_sentence(rows) == f"The kernel accepts all {len(steps)} steps."


def test_rows_count_what_rests_on_sympy_and_verify_rejects_a_broken_proof() -> None:
    good = Step(X + 1, "=", 1 + X + 0, "a sum")
    open_ = Step(sp.zeta(P + 2), ">", sp.Integer(1), "zeta", how=lambda *_: Truth.HOLDS)
    rows = recorded(Derivation("two", (good, open_), ("a lemma",)))
    assert rows[0]["proof"]["by"] == "ring"
    assert not list(step_faults(rows, Verdict.PROVED))
    assert rows[1]["proof"]["by"] == SYMPY
    assert kernel_sentence(rows) == "The kernel accepts 1 of 2 steps; the others rest on sympy."
    assert kernel_sentence(rows[:1]) == "The kernel accepts the one step."
    failing = recorded(Derivation("two", (good, Step(X, "=", X + 1, "no"))))
    assert kernel_sentence(failing) == "The kernel accepts the one step that holds."
    broken = [{**rows[0], "proof": {**rows[0]["proof"], "right": ["+", "x", 2]}}]
    rejected, other = step_faults(broken, Verdict.PROVED)
    assert "the kernel rejects the proof of a step" in rejected
    assert "something else than is printed" in other


@pytest.mark.parametrize(
    "name", ["ring", "root", "powers", "squares", "means", "whole", "constants", "tangent"]
)
def test_a_proof_of_another_statement_is_seen(name: str) -> None:
    (row,) = recorded(Derivation(name, (TRUE[name],)))
    assert not list(step_faults([row], Verdict.PROVED))
    proof = row["proof"]
    moved = {**proof, "left": ["+", proof["left"], 1], "right": ["+", proof["right"], 1]}
    nothing = {
        "left": 0,
        "relation": proof["relation"],
        "right": 0 if "=" in proof["relation"] else 1,
        "by": "sign",
    }
    if proof["relation"] == ">":
        nothing["right"] = -1
    turned = {
        **proof,
        "left": proof["right"],
        "right": proof["left"],
        "relation": {"=": "<="}.get(proof["relation"], "="),
    }
    for other in (moved, nothing, turned):
        faults = list(step_faults([{**row, "proof": other}], Verdict.PROVED))
        assert any("something else than is printed" in f for f in faults), (other, faults)


def test_what_is_printed_with_a_variable_needs_a_proof_that_has_it() -> None:
    """A proof of 0 = 0 is none of x = x + y - y."""
    row = {"left": "x", "relation": "=", "right": "x + y - y", "reason": "r", "truth": "holds"}
    faults = list(
        step_faults(
            [{**row, "proof": {"left": 0, "relation": "=", "right": 0, "by": "ring"}}], Verdict.PROVED
        )
    )
    assert any("something else than is printed" in f for f in faults)


def test_a_proof_that_no_file_holds_is_not_written() -> None:
    huge = Step(sp.Integer(10) ** 309 + X, ">=", sp.Integer(10) ** 309 + X - 1, "beyond doubles")
    deep = Step(P, "=", P, "nested")
    for _ in range(60):
        deep = Step(sp.exp(deep.left), "=", sp.exp(deep.right) + 0 * P, "nested")
    for step in (huge, deep):
        (row,) = recorded(Derivation("", (step,)), [Truth.HOLDS])
        assert row["proof"]["by"] == SYMPY
        assert "a file" in row["proof"]["reason"]
    found = npf.examine(
        npf.LaplaceMechanism(1.23456789012e-306, 1.0), npf.PureDP(1.23456789012e-306), samples=200
    )
    assert npf.Certificate.from_json(found.to_json()).to_json() == found.to_json()


def test_the_kernel_reads_certificates(tmp_path: Path) -> None:
    found = npf.examine(npf.GaussianMechanism(2.0, 1.0), npf.GaussianDP(0.5), samples=2_000)
    path = tmp_path / "certificate.json"
    data = json.loads(found.to_json())
    path.write_text(json.dumps(data), encoding="utf-8")
    command = [sys.executable, "-m", "noiseproof.symbolic.proof.kernel", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "accepted" in done.stdout
    rows = [row for f in data["findings"] for e in f["evidence"] for row in e["derivation"]]
    broken = next(r["proof"] for r in rows if r.get("proof", {}).get("by", "trusted")[:7] != "trusted")
    broken["right"] = (
        ["+", broken["right"], 1] if broken["relation"] in ("=", ">=", ">") else ["-", broken["right"], 10**6]
    )
    path.write_text(json.dumps(data), encoding="utf-8")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "step" in done.stdout


def test_the_kernel_runs_without_sympy_and_numpy(tmp_path: Path) -> None:
    steps = [written(step) for step in TRUE.values()]
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    made = {"schema": "noiseproof-proof-1", "claim": "c", "conclusion": None}
    good.write_text(json.dumps({**made, "steps": steps}), encoding="utf-8")
    bad.write_text(json.dumps({**made, "steps": [*steps, {**steps[0], "right": 0}]}), encoding="utf-8")
    code = (
        "import sys, runpy\n"
        "class Missing:\n"
        "    def find_spec(self, name, *rest):\n"
        "        if name.split('.')[0] in ('sympy', 'numpy', 'scipy'): raise ImportError(name)\n"
        "sys.meta_path.insert(0, Missing())\n"
        "runpy.run_module('noiseproof.symbolic.proof.kernel', run_name='__main__')\n"
    )
    for path, exit_code in ((good, 0), (bad, 1), (tmp_path / "none.json", 2)):
        done = subprocess.run(
            [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=False
        )
        assert done.returncode == exit_code, (done.stdout, done.stderr)


def test_a_search_that_sympy_gives_up_ends_with_what_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> None:
        raise ArithmeticError("sympy knows no way")

    monkeypatch.setattr("noiseproof.symbolic.proof.proofs.search.lemmas", broken)
    monkeypatch.setattr("noiseproof.symbolic.proof.proofs.search._forms", broken)
    assert written(Step((X - 17) ** 2, ">=", sp.Integer(0), "")).get("left")
    assert written(Step(X**3 - 17, ">=", sp.Integer(0), ""))["by"] == SYMPY
    assert written(Step(sp.gamma(X**2 + 1), ">", 0, ""))["left"]
