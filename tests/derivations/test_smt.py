"""Accepted steps as SMT-LIB: two solvers of others agree with the kernel, and see what it would be wrong to accept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import sympy as sp
from typer.testing import CliRunner

from noiseproof import cli
from noiseproof.symbolic.proof.derivation import Step
from noiseproof.symbolic.proof.kernel.proof import ACCEPTED, answer
from noiseproof.symbolic.proof.proofs.search import written
from noiseproof.symbolic.proof.proofs.smt import NotInLogicError, script

X, Y = sp.symbols("x y", real=True)
P, Q = sp.symbols("p q", positive=True)
STEPS = {
    "squares": Step(X * Y, "<=", (X**2 + Y**2) / 2, ""),
    "means": Step(2 / (1 / P + 1 / Q), "<=", (P + Q) / 2, ""),
    "root": Step(sp.sqrt(P) * sp.sqrt(Q), "<=", (P + Q) / 2, ""),
    "identity": Step((X + Y) ** 3, "=", X**3 + 3 * X**2 * Y + 3 * X * Y**2 + Y**3, ""),
    "absolute value": Step(sp.Abs(X * Y), "=", sp.Abs(X) * sp.Abs(Y), ""),
    "where": Step(1 / (1 - X), ">", 1 + X, "", where=(X, 1 - X)),
}


def by_z3(text: str) -> str:
    z3 = pytest.importorskip("z3")
    solver = z3.SolverFor("QF_NRA")
    solver.from_string(text)
    return str(solver.check())


def by_cvc5(text: str) -> str:
    cvc5 = pytest.importorskip("cvc5")
    solver = cvc5.Solver()
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "step")
    said = []
    while not (command := parser.nextCommand()).isNull():
        said.append(str(command.invoke(solver, parser.getSymbolManager())).strip())
    return said[-1]


@pytest.mark.parametrize("solve", [by_z3, by_cvc5], ids=["z3", "cvc5"])
@pytest.mark.parametrize("name", STEPS)
def test_two_solvers_agree_with_the_kernel_and_see_a_false_step(name: str, solve: Any) -> None:
    proof = written(STEPS[name])
    assert answer(proof).word == ACCEPTED
    assert solve(script(proof)) == "unsat"
    far = ["*", 3, proof["left"]] if proof["relation"] != ">" else ["-", proof["left"], 5]
    assert solve(script({**proof, "left": ["+", far, 1]})) == "sat"


@pytest.mark.parametrize(
    "step",
    [
        Step(sp.exp(X), ">", sp.Integer(0), ""),
        Step(P**Q, "=", P**Q * 1, ""),
        Step(sp.gamma(X**2 + 1), ">", 0, ""),
    ],
)
def test_other_steps_are_not_said(step: Step) -> None:
    with pytest.raises(NotInLogicError):
        script(written(step))


def test_export_writes_a_file_for_each_step_that_can_be_said(tmp_path: Path) -> None:
    assert (
        CliRunner()
        .invoke(cli.app, ["papers", "zhou2009", "-q", "--workers", "1", "-o", str(tmp_path)])
        .exit_code
        == 0
    )
    source = tmp_path / "zhou2009.json"
    options = ["--smt", "--no-latex", "--no-scripts", "-o", str(tmp_path / "out")]
    done = CliRunner().invoke(cli.app, ["export", str(source), *options])
    assert done.exit_code == 0, done.output
    files = list((tmp_path / "out" / "smt").glob("*.smt2"))
    rows = [
        row
        for finding in json.loads(source.read_text(encoding="utf-8"))["findings"]
        for evidence in finding["evidence"]
        for row in evidence["derivation"]
    ]
    accepted = [r for r in rows if not r.get("proof", {}).get("by", "trusted").startswith("trusted")]
    assert 60 < len(files) < len(accepted)
    assert by_z3(files[0].read_text(encoding="utf-8")) == "unsat"
