"""Minimisers as formulas in parameters: proved for all of them, refuted at one where the formula is wrong."""

from __future__ import annotations

from typing import Any

import pytest
import sympy as sp

from noiseproof.symbolic.programs.program import Program
from noiseproof.symbolic.proof.truth import Truth

x, y, c, d = sp.symbols("x y c d", real=True)
a, r, w = sp.symbols("a r w", positive=True)
middle = sp.Max(0, sp.Min(1, (1 + c - d) / 2))
RIGHT: dict[str, tuple[Program, Any]] = {
    "box": (Program((x - c) ** 2, [x], [x >= 0, x <= 1], [c]), [sp.Max(0, sp.Min(1, c))]),
    "simplex": (
        Program((x - c) ** 2 + (y - d) ** 2, [x, y], [sp.Eq(x + y, 1), x >= 0, y >= 0], [c, d]),
        [middle, 1 - middle],
    ),
    "root": (Program(a + r / a, [a], [], [r]), [sp.sqrt(r)]),
    "ridge": (Program((x - c) ** 2 + r * x**2, [x], [], [c, r]), [c / (1 + r)]),
}
WRONG: dict[str, tuple[Program, Any]] = {
    "box": (RIGHT["box"][0], [sp.Max(0, sp.Min(1, c + sp.Rational(1, 10**6)))]),
    "one side of soft thresholding": (
        Program((x - c) ** 2 / 2 + w * sp.Abs(x), [x], [], [c, w]),
        [sp.Max(c - w, 0)],
    ),
    "root": (RIGHT["root"][0], [sp.sqrt(r) * (1 + sp.Rational(1, 10**6))]),
}


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_formula_is_proved_for_all_parameters(name: str) -> None:
    program, point = RIGHT[name]
    found = program.certify(point)
    assert found.verdict == "PROVED", found.reason
    assert found.derivation.check() is Truth.HOLDS


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_formula_is_refuted_at_a_parameter(name: str) -> None:
    program, point = WRONG[name]
    found = program.certify(point)
    assert found.verdict == "REFUTED", found.reason
    assert found.at


def test_symbols_without_assumptions_are_real() -> None:
    z = sp.Symbol("z")
    found = Program(sp.Abs(z - 2), [z]).certify([2])
    assert found.verdict == "PROVED"
    assert found.point == {z: sp.Integer(2)}
