"""Minimisers of small programs are proved, points that are wrong by a millionth are refuted with a better one."""

from __future__ import annotations

from typing import Any

import pytest
import sympy as sp

from noiseproof.symbolic.programs.certify import certify_numbers
from noiseproof.symbolic.programs.constraints import PSD, NormCone
from noiseproof.symbolic.programs.stated_program import StatedProgram
from noiseproof.symbolic.proof.truth import Truth

x, y = sp.symbols("x y", real=True)
a, b = sp.symbols("a b", positive=True)
half = sp.Rational(1, 2)
root = 1 / sp.sqrt(2)
lasso = (x - 3) ** 2 / 2 + sp.Abs(x) + (y - half) ** 2 / 2 + sp.Abs(y)
unit = NormCone([x, y], 1)
spectral = PSD([[x, 1], [1, y]])
CASES: dict[str, tuple[StatedProgram, Any, Any]] = {
    "quadratic": (StatedProgram(x**2 + y**2, [x, y], [x + y >= 1]), [half, half], ["0.500001", "0.499999"]),
    "linear": (StatedProgram(-x - 2 * y, [x, y], [x + y <= 4, x <= 3, y <= 2]), [2, 2], [2, "1.999999"]),
    "median": (StatedProgram(sp.Abs(x - 1) + sp.Abs(x - 2) + sp.Abs(x - 4), [x]), [2], ["2.000001"]),
    "lasso": (StatedProgram(lasso, [x, y]), [2, 0], [2, "0.000001"]),
    "geometric": (StatedProgram(a + b, [a, b], [a * b >= 4]), [2, 2], ["2.000002", 2]),
    "entropy": (
        StatedProgram(a * sp.log(a) + b * sp.log(b), [a, b], [sp.Eq(a + b, 1)]),
        [half, half],
        ["0.500001", "0.499999"],
    ),
    "cone": (StatedProgram(x + y, [x, y], [unit]), [-root, -root], ["-0.707106", "-0.707106"]),
    "matrix": (StatedProgram(x + y, [x, y], [spectral]), [1, 1], ["1.000001", 1]),
    "water": (
        StatedProgram(maximise=sp.log(1 + a) + sp.log(2 + b), over=[a, b], subject_to=[a + b <= 3]),
        [2, 1],
        ["2.000001", "0.999999"],
    ),
    "circle": (StatedProgram(x + y, [x, y], [sp.Eq(x**2 + y**2, 1)]), [-root, -root], ["-0.6", "-0.8"]),
    "chebyshev": (StatedProgram(sp.Max(x, 1 - x, y) + y**2, [x, y]), [half, 0], [half, "0.000001"]),
}


def numbers(point: list[Any]) -> list[Any]:
    return [sp.Rational(e) if isinstance(e, str) else e for e in point]


@pytest.mark.parametrize("name", CASES)
def test_the_minimiser_is_proved_and_a_near_point_refuted(name: str) -> None:
    program, right, wrong = CASES[name]
    certificate = certify_numbers(program, right)
    assert certificate.verdict == "PROVED", certificate.reason
    assert certificate.gap == 0
    assert certificate.derivation.check() is Truth.HOLDS
    refuted = certify_numbers(program, numbers(wrong))
    assert refuted.verdict == "REFUTED", refuted.reason
    assert refuted.better is not None
    assert refuted.derivation.check() is Truth.HOLDS
    sign = program.sign
    assert sign * refuted.better_value < sign * refuted.value


UNQUALIFIED = {
    "square": (StatedProgram(x, [x], [x**2 <= 0]), [0]),
    "discs": (StatedProgram(x, [x, y], [x**2 + (y - 1) ** 2 <= 1, x**2 + (y + 1) ** 2 <= 1]), [0, 0]),
    "cusp": (StatedProgram(-x, [x, y], [y - (1 - x) ** 3 <= 0, y >= 0]), [1, 0]),
}


@pytest.mark.parametrize("name", UNQUALIFIED)
def test_a_minimiser_without_multipliers_is_proved_otherwise_and_said_to_be_one(name: str) -> None:
    certificate = certify_numbers(*UNQUALIFIED[name])
    assert certificate.verdict == "PROVED"
    assert "Fritz John" in certificate.reason
    assert certificate.derivation.check() is Truth.HOLDS


def test_a_point_that_is_not_feasible_is_refuted() -> None:
    certificate = certify_numbers(CASES["quadratic"][0], [sp.Rational(1, 2), sp.Rational(499999, 1000000)])
    assert certificate.verdict == "REFUTED"
    assert certificate.feasible is Truth.FAILS


def test_powers_with_long_exponents_do_not_end_the_process() -> None:
    """exp(a/q) with q = 10^18 was a polynomial of degree a to sympy, and the process fell with a floating point exception."""
    x, y = sp.symbols("x y", real=True)
    objective = sp.exp(-((x - 1) ** 2)) - sp.exp(-((y + 1) ** 2)) + x * y / 5
    point = [sp.Rational(-228888829, 10**9), sp.Rational(-771111171, 10**9)]
    found = certify_numbers(StatedProgram(objective, [x, y], [-x - y <= 1]), point)
    assert found.verdict != "PROVED"
