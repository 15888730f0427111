"""Derivatives of minimisers are exact where they exist; where they do not, the hypothesis that fails is named."""

from __future__ import annotations

from typing import Any

import pytest
import sympy as sp

from noiseproof.symbolic.errors import SpecError
from noiseproof.symbolic.programs.constraints import PSD, NormCone
from noiseproof.symbolic.programs.program import Program
from noiseproof.symbolic.proof.truth import Truth

x, y, c = sp.symbols("x y c", real=True)
a, r = sp.symbols("a r", positive=True)
half = sp.Rational(1, 2)
box = Program((x - c) ** 2, [x], [x >= 0, x <= 1], [c])
KNOWN: dict[str, tuple[Program, dict[Any, Any], list[Any]]] = {
    "inside": (box, {c: half}, [1]),
    "outside": (box, {c: 2}, [0]),
    "border": (Program((x - c) ** 2 + (y - c) ** 2 + x ** (3 * half), [x, y], [], [c]), {c: -1}, [0, 1]),
    "root": (Program(a + r / a, [a], [], [r]), {r: 4}, [sp.Rational(1, 4)]),
    "vertex": (Program(-x - 2 * y, [x, y], [x + y <= c, x <= 3, y <= 2], [c]), {c: 4}, [1, 0]),
    "cone": (
        Program(x + c * y, [x, y], [NormCone([x, y], 1)], [c]),
        {c: 1},
        [sp.sqrt(2) / 4, -sp.sqrt(2) / 4],
    ),
    # x y >= 1 at the least x + c y: x = sqrt(c), y = 1/sqrt(c).
    "matrix": (
        Program(x + r * y, [x, y], [PSD([[x, 1], [1, y]])], [r]),
        {r: 4},
        [sp.Rational(1, 4), -sp.Rational(1, 16)],
    ),
}


@pytest.mark.parametrize("name", KNOWN)
def test_the_derivative_is_exact(name: str) -> None:
    program, at, wanted = KNOWN[name]
    found = program.derivative(at=at)
    assert found.exists.truth is Truth.HOLDS, found.reason
    assert [sp.simplify(e - w) for e, w in zip(found.matrix, wanted, strict=True)] == [0] * len(wanted)
    assert found.derivation.check() is Truth.HOLDS


def test_at_a_kink_there_are_two() -> None:
    found = box.derivative(at={c: 1})
    assert found.exists.truth is Truth.FAILS
    assert (found.left[0], found.right[0]) == (1, 0)


MISSING = {
    "no curvature": (Program((x - c) ** 4, [x], [], [c]), {c: 1}, "Hessian"),
    "an edge of minimisers": (Program(-x - y, [x, y], [x + y <= c, x >= 0, y >= 0], [c]), {c: 4}, "unique"),
    "one constraint twice": (Program(-x, [x], [x <= c, 2 * x <= 2], [c]), {c: 1}, "linearly dependent"),
}


@pytest.mark.parametrize("name", MISSING)
def test_a_missing_hypothesis_is_named(name: str) -> None:
    program, at, word = MISSING[name]
    found = program.derivative(at=at)
    assert found.matrix is None
    assert word in found.reason


def test_the_information_of_a_noisy_minimiser() -> None:
    ridge = Program((x - c) ** 2 + x**2, [x], [], [c])
    assert ridge.derivative(at={c: 0}).information(half)[0, 0] == half
    with pytest.raises(SpecError, match="positive"):
        ridge.derivative(at={c: 0}).information(0)


def test_misfits_are_told_at_once() -> None:
    with pytest.raises(SpecError, match="gives a value to each of"):
        box.derivative(at={})
    with pytest.raises(SpecError, match="no parameter"):
        box.derivative("z", at={c: 1})


def test_what_was_not_found_is_not_said_to_be_missing() -> None:
    found = Program((x - c) ** 2 + sp.sqrt(x), [x], [], [c]).derivative(at={c: -1})
    assert found.reason == "no multipliers were found at the minimiser"
