"""Constraint qualifications: each word at programs where the answer is known, and none where the point says nothing."""

from __future__ import annotations

from typing import Any

import pytest
import sympy as sp

import noiseproof as npf
from noiseproof.symbolic.proof.truth import Truth

x, y = sp.symbols("x y", real=True)
c = sp.Symbol("c", positive=True)
HOLDS, FAILS, UNKNOWN = Truth.HOLDS, Truth.FAILS, Truth.UNKNOWN
root = sp.sqrt(2) / 2
DISC = npf.Program(x + y, [x, y], [x**2 + y**2 <= c**2], [c])
CUSP = npf.Program(-x, [x, y], [y <= (1 - x) ** 3, y >= 0])
POINT = npf.Program(x, [x], [x**2 <= 0])
DISCS = npf.Program(y, [x, y], [(x - 1) ** 2 + y**2 <= 1, (x + 1) ** 2 + y**2 <= 1])
CORNER = npf.Program(x, [x, y], [x + y <= 1, x - y <= 1, x <= 1])
CIRCLE = npf.Program(x, [x, y], [sp.Eq(x**2 + y**2, 1), y >= 0])
TANGENT = npf.Program(x, [x, y], [sp.Eq(x**2 + y**2, 1), sp.Eq(x, 1)])
SQUARED = npf.Program(-sp.Abs(x), [x], [x <= 1, x >= -1])

AT: list[tuple[str, npf.Program, Any, Truth, Truth]] = [
    ("disc at its border", DISC, [-c * root, -c * root], HOLDS, HOLDS),
    ("disc inside", DISC, [0, 0], HOLDS, HOLDS),
    ("cusp at its tip", CUSP, [1, 0], FAILS, FAILS),
    ("cusp at a smooth place", CUSP, [0, 1], HOLDS, HOLDS),
    ("one point", POINT, [0], FAILS, FAILS),
    ("two discs", DISCS, [0, 0], FAILS, FAILS),
    ("three lines in one corner", CORNER, [1, 0], FAILS, HOLDS),
    ("circle", CIRCLE, [0, 1], HOLDS, HOLDS),
    ("circle at its end", CIRCLE, [1, 0], HOLDS, HOLDS),
    ("tangent", TANGENT, [1, 0], FAILS, FAILS),
    ("a kink that was squared", SQUARED, [0], FAILS, FAILS),
    ("the same at its minimum", SQUARED, [1], HOLDS, HOLDS),
]


@pytest.mark.parametrize(("name", "program", "point", "licq", "mfcq"), AT, ids=[row[0] for row in AT])
def test_at_a_point(name: str, program: npf.Program, point: Any, licq: Truth, mfcq: Truth) -> None:
    conditions = program.kkt()
    assert (conditions.licq(point).truth, conditions.mfcq(point).truth) == (licq, mfcq)


def test_the_direction_and_the_weights_are_what_they_are_said_to_be() -> None:
    direction = CORNER.kkt().mfcq([1, 0]).found
    assert direction[0] + direction[1] < 0
    assert direction[0] - direction[1] < 0
    weights = DISCS.kkt().mfcq([0, 0]).found
    assert weights[0] == weights[1] > 0


def test_slater_comes_with_its_exact_point_for_all_parameters() -> None:
    found = DISC.kkt().slater
    assert found.truth is HOLDS
    room = sp.simplify((c**2 - x**2 - y**2).subs(found.at))
    assert room.is_positive


def test_slater_of_cones_and_matrices_on_a_line() -> None:
    program = npf.Program(
        x, [x, y], [npf.NormCone([x, y], 2), npf.PSD([[x, 1], [1, y]]), sp.Eq(x + 2 * y, 3)]
    )
    found = program.kkt().slater
    assert found.truth is HOLDS
    a, b = found.at[x], found.at[y]
    assert a + 2 * b == 3
    assert a * a + b * b < 4
    assert a > 0
    assert a * b > 1


@pytest.mark.parametrize("program", [POINT, DISCS, CUSP, TANGENT])
def test_slater_fails_where_no_point_is_strict_or_a_constraint_is_not_convex(program: npf.Program) -> None:
    assert program.kkt().slater.truth is FAILS


def test_slater_of_affine_constraints_needs_a_point_only() -> None:
    thin = npf.Program(x, [x, y], [x + y <= 0, x + y >= 0, x >= -1])
    assert thin.kkt().slater.truth is HOLDS


def test_slater_is_never_proved_of_what_is_infeasible() -> None:
    for relations in ([x**2 + y**2 <= 1, x + y >= 2], [x**2 <= 1, x >= 1, x <= 1], [sp.exp(x) <= 1, x >= 0]):
        assert npf.Program(x, [x, y], relations).kkt().slater.truth is not HOLDS


def test_linear_says_which_constraint_is_not() -> None:
    assert CORNER.kkt().linear.truth is HOLDS
    assert "x**2 + y**2 <= c**2" in DISC.kkt().linear.reason


def test_cones_have_robinson_and_no_licq() -> None:
    apex = npf.Program(sp.sqrt(x**2 + y**2) + (x - 1) ** 2, [x, y]).kkt()
    assert (apex.licq([0, 0]).truth, apex.mfcq([0, 0]).truth) == (UNKNOWN, HOLDS)
    matrix = npf.Program(x + y, [x, y], [npf.PSD([[x, 1], [1, y]])]).kkt()
    assert (matrix.licq([1, 1]).truth, matrix.mfcq([1, 1]).truth) == (UNKNOWN, HOLDS)
    assert matrix.licq([2, 2]).truth is HOLDS


@pytest.mark.parametrize(
    ("program", "point", "words"),
    [
        (DISC, [c, c], "not feasible"),
        (CIRCLE, [2, 0], "not feasible"),
        (DISC, [1, 0], "depends on the parameters"),
        (DISC, [1], "a point has 2 numbers"),
        (npf.Program(-sp.log(x), [x], [x <= 1]), [0], "natural domain"),
        (npf.Program(x, [x, y], [sp.sqrt(x) <= y]), [0, 0], "no derivative"),
    ],
)
def test_a_point_that_says_nothing_is_refused(program: npf.Program, point: Any, words: str) -> None:
    with pytest.raises(npf.SpecError, match=words):
        program.kkt().licq(point)


half = sp.Rational(1, 2)
BORDERS: list[tuple[npf.Program, Any, Truth, Truth]] = [
    # objective or constraints bring a closed domain; whether LICQ holds at the minimiser; whether it is a KKT point
    (npf.Program(x + x ** (3 * half), [x]), [0], HOLDS, HOLDS),
    (npf.Program((1 - x) ** (3 * half) - x, [x]), [1], HOLDS, HOLDS),
    (npf.Program(x + y**2 + x ** (5 * half), [x, y]), [0, 0], HOLDS, HOLDS),
    (npf.Program(x, [x], [x ** (3 * half) <= 1]), [0], HOLDS, HOLDS),
    (npf.Program(x + (1 - x**2) ** (3 * half), [x]), [-1], HOLDS, HOLDS),
    (npf.Program(x + sp.log(x) ** (3 * half), [x]), [1], HOLDS, HOLDS),
    (npf.Program(x + y + (x - y) ** (3 * half), [x, y], [y >= 1]), [1, 1], HOLDS, HOLDS),
    (npf.Program(x + x ** (3 * half) / (1 + x), [x]), [0], HOLDS, HOLDS),
    (npf.Program(sp.sqrt(x) + y**2, [x, y]), [0, 0], UNKNOWN, UNKNOWN),
    (npf.Program(x + sp.acosh(x), [x]), [1], UNKNOWN, UNKNOWN),
    (npf.Program(c + sp.sqrt(c - x) - x, [x], [], [c]), [c], UNKNOWN, UNKNOWN),
    (npf.Program(x + x ** (3 * half), [x], [x >= 0]), [0], HOLDS, HOLDS),
]


@pytest.mark.parametrize(("program", "point", "licq", "kkt_point"), BORDERS, ids=lambda row: str(row)[:40])
def test_the_border_of_a_natural_domain_is_a_constraint(
    program: npf.Program, point: Any, licq: Truth, kkt_point: Truth
) -> None:
    conditions = program.kkt()
    assert conditions.licq(point).truth is conditions.mfcq(point).truth is licq
    assert (conditions.linear.truth is HOLDS) <= (licq is HOLDS)
    assert (conditions.slater.truth is HOLDS) <= (licq is HOLDS)
    assert ("derivative" in conditions.reason) == (licq is UNKNOWN)
    found = program.certify(point)
    assert found.verdict != "REFUTED"
    assert found.verdict != "PROVED" or found.kkt_point is kkt_point


def test_a_border_that_is_stated_or_implied_is_no_second_constraint() -> None:
    three = x ** (3 * half)
    for relations in ([x >= 0], [x >= 1], [x - y >= 0, y >= 0], [sp.Eq(x, y + 1), y >= 0]):
        assert len(npf.Program(three, [x, y], relations).kkt().primal) == len(relations)
    assert len(npf.Program(sp.Abs(x) ** (3 * half), [x]).kkt().primal) == 2
