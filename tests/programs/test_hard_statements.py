"""Statements at the edge: kinks in parameters, whole numbers that are large, symbols of other kinds, saddles, programs without end."""

from __future__ import annotations

from typing import Any

import pytest
import sympy as sp

import noiseproof as npf
from noiseproof.symbolic.errors import SpecError
from noiseproof.symbolic.programs.least_value import least_value
from noiseproof.symbolic.programs.smooth_form import smooth_form

x, y, t, s = sp.symbols("x y t s", real=True)
n = sp.Symbol("n", integer=True)
half, large, huge = sp.Rational(1, 2), sp.Integer(10) ** 10, sp.Integer(10) ** 400


def verdict(program: npf.Program, point: Any) -> str:
    return str(program.certify(point).verdict)


def test_sums_of_large_whole_numbers_do_not_wrap() -> None:
    program = npf.Program(n, [n], [n >= large, n <= large + 5, large * n >= large**2 + 2 * large])
    assert program.solve().minimiser == {n: large + 2}
    assert verdict(program, large + 2) == "PROVED"
    assert npf.Program(n, [n], [n >= 0, n <= huge]).solve().status == "unknown"


def test_a_point_of_an_integer_program_without_feasible_ones_is_refuted() -> None:
    assert verdict(npf.Program(n, [n], [3 * n >= 1, 3 * n <= 2]), 0) == "REFUTED"


@pytest.mark.parametrize(
    "kind",
    [
        {"even": True},
        {"odd": True},
        {"prime": True},
        {"rational": True},
        {"noninteger": True},
        {"extended_positive": True},
        {"algebraic": True},
    ],
)
def test_a_variable_of_a_kind_that_is_not_understood_is_refused(kind: dict[str, bool]) -> None:
    v = sp.Symbol("v", **kind)
    with pytest.raises(SpecError, match="a variable is real, integer"):
        npf.Program((v - 1) ** 2, [v])


@pytest.mark.parametrize("term", [sp.LambertW(x), sp.zeta(x), sp.Ei(x), sp.Function("f")(x), sp.asec(x)])
def test_a_function_whose_domain_is_not_known_is_refused(term: sp.Expr) -> None:
    with pytest.raises(SpecError, match="known"):
        npf.Program(x**2 + term, [x])


def test_formulas_of_the_parameters_have_a_value_in_the_whole_domain() -> None:
    with pytest.raises(
        SpecError, match=r"t must be not negative for all parameters real t, and it is not at t = "
    ):
        npf.Program(x, [x], [x >= sp.sqrt(t)], [t])
    inside = npf.Program(x, [x], [x >= sp.sqrt(t)], [t], domains={"t": (0, 1)})
    assert verdict(inside, sp.sqrt(t)) == "PROVED"


@pytest.mark.parametrize("value", [-1, "abc", float("nan"), sp.oo, None, x, True])
def test_a_tolerance_is_a_number_that_is_not_negative(value: Any) -> None:
    with pytest.raises(SpecError, match="tolerance must be"):
        npf.Program(x**2, [x]).certify(0, tolerance=value)


@pytest.mark.parametrize(
    ("program", "point"),
    [
        (npf.Program(x * y, [x, y], [sp.Eq(x + y, 1)]), (half, half)),
        (npf.Program(x, [x, y], [sp.Eq(x**2 - y**3, 0)]), (0, 0)),
        (npf.Program(t * x**2, [x], [], [t]), 0),
        (npf.Program(x**3, [x]), 0),
        (npf.Program(x + 1 / x, [x]), 1),
        (npf.Program(x**2 - y**2, [x, y]), (0, 0)),
        (npf.Program(sp.floor(x), [x], [x >= half]), sp.Rational(3, 2)),
        (npf.Program(x**4 - huge * x**2, [x]), 0),
    ],
)
def test_a_better_point_is_found_where_a_program_falls_without_end_or_has_steps(
    program: npf.Program, point: Any
) -> None:
    found = program.certify(point)
    assert found.verdict == "REFUTED"
    assert found.better is not None


def test_a_formula_that_has_no_value_at_some_parameter_is_not_proved() -> None:
    """Both programs fall without end at t = 0."""
    curved = npf.Program(t**2 * x**2 + x, [x], [], [t])
    assert verdict(curved, -1 / (2 * t**2)) != "PROVED"
    assert curved.solve().status != "optimal"
    away = npf.Program(t**2 * x**2 + x, [x], [], [t], domains={"t": (0, 3)})
    assert verdict(away, -1 / (2 * t**2)) == "PROVED"
    assert verdict(npf.Program(x, [x], [t**2 * x >= t**2], [t]), 1) != "PROVED"


@pytest.mark.parametrize("point", [sp.I, sp.nan, sp.oo, sp.zoo, sp.sqrt(-2)])
def test_a_point_has_real_coordinates(point: sp.Expr) -> None:
    found = npf.Program(x**2, [x]).certify(point)
    assert (found.verdict, found.better) == ("REFUTED", None)


def test_a_formula_that_is_not_real_at_some_parameter_is_refuted_there() -> None:
    p = sp.Symbol("p", positive=True)
    program = npf.Program(p * x + sp.sqrt(p**2 + x**2), [x], [], [p])
    assert program.certify(-(p**2) / sp.sqrt(1 - p**2)).verdict == "REFUTED"


def test_conditions_that_are_not_real_at_some_parameter_end_in_a_word() -> None:
    program = npf.Program((x - t) ** 2, [x], [], [t])
    claim = sp.Piecewise((t, sp.sqrt(t) - 1 >= 0), (t, True))
    assert verdict(program, claim) in ("PROVED", "UNDECIDED")


def test_a_step_ends_in_a_word() -> None:
    assert verdict(npf.Program(sp.floor(x), [x], [x >= half]), half) in ("PROVED", "UNDECIDED")
    assert verdict(npf.Program(x, [x], [npf.NormCone([sp.floor(x)], 1)]), -1) in ("PROVED", "UNDECIDED")


@pytest.mark.parametrize(
    ("program", "point"),
    [
        (npf.Program(maximise=x * y, over=[x, y], subject_to=[sp.Eq(x + y, 1)]), (half, half)),
        (npf.Program(x * y + s**2, [x, y, s], [sp.Eq(x, y), sp.Eq(s, 2)]), (0, 0, 2)),
        (npf.Program(x * y, [x, y], [sp.Eq(x, y), sp.Eq(x, -y)]), (0, 0)),
        (npf.Program(-x * y - t * x, [x, y], [sp.Eq(x + y, 1)], [t]), ((1 + t) / 2, (1 - t) / 2)),
    ],
)
def test_a_lagrangian_need_be_convex_only_along_affine_equations(program: npf.Program, point: Any) -> None:
    found = program.certify(point)
    assert found.verdict == "PROVED"
    assert found.derivation.check().name == "HOLDS"


def test_a_saddle_along_equations_is_not_proved() -> None:
    assert verdict(npf.Program(x * y, [x, y], [sp.Eq(x + 2 * y, 0), y <= 1]), (0, 0)) == "REFUTED"


@pytest.mark.parametrize(
    "step",
    [sp.Abs(t), sp.floor(t), sp.sign(t), sp.Max(t, 0), sp.Piecewise((t, t < 0), (2 * t, True)), sp.Mod(t, 1)],
)
def test_a_kink_in_a_parameter_has_no_derivative(step: sp.Expr) -> None:
    program = npf.Program((x - step) ** 2, [x], [], [t])
    assert program.derivative(at={t: 0}).matrix is None
    beside = program.derivative(at={t: half})
    h = sp.Rational(1, 64)
    slope = (step.subs(t, half + h) - step.subs(t, half)) / h
    assert beside.matrix is not None
    assert beside.matrix[0, 0] == slope


def test_a_kink_in_another_parameter_does_not_count() -> None:
    program = npf.Program((x - sp.Abs(t) - s) ** 2, [x], [], [t, s])
    assert program.derivative([s], at={t: 0, s: 1}).matrix == sp.Matrix([[1]])
    assert program.derivative([t], at={t: 0, s: 1}).matrix is None


def test_convexity_is_judged_inside_the_tightest_bounds() -> None:
    p = sp.Symbol("p", positive=True)
    for low in (sp.Integer(0), p):
        for bounds in ([x >= -5, x >= low], [x >= low, x >= -5]):
            assert npf.Program(x**3, [x], bounds, [p]).convexity().program.truth.name == "HOLDS"
    assert npf.Program(x**3, [x], [x >= -5, x >= -1]).convexity().program.truth.name == "FAILS"


def test_numbers_that_no_float_holds_end_in_a_word() -> None:
    assert verdict(npf.Program(x, [x], [x >= huge]), huge) == "PROVED"
    assert verdict(npf.Program(x, [x], [x >= 0]), 1 / huge) == "REFUTED"
    assert npf.Program(x**2 + huge * x, [x], [x >= -1]).solve().status in ("optimal", "unknown")
    assert npf.Program(-x, [x], [x <= huge]).solve().status in ("optimal", "unknown")
    program = npf.Program(x, [x, y], [x >= huge * y, y >= huge])
    assert program.kkt().mfcq((huge**2, huge)).truth.name != "FAILS"
    assert npf.Program(x, [x], [x >= huge]).kkt().slater.truth.name != "FAILS"


def test_a_tangent_outside_of_the_box_is_no_bound() -> None:
    """x^3 - 3x is convex on [0, 5] only, and stationary at -1 with the value 2 too."""
    form = smooth_form(npf.Program(x**3 - 3 * x, [x], [x >= 0, x <= 5]))
    for near in (-1, sp.Rational(-1, 1000), 0, 1, 7):
        found = least_value(form, x**3 - 3 * x, {x: sp.sympify(near)})
        assert found is None or found.bound <= -2


@pytest.mark.parametrize(
    "program",
    [
        npf.Program(-2 * x**3 - sp.acos(sp.cos(x)), [x], [x >= 1, x <= 2]),
        npf.Program(x**4 - x * sp.sqrt(x - 1), [x], [x <= 1, x >= 0]),
    ],
)
def test_slopes_that_are_no_numbers_end_in_a_word(program: npf.Program) -> None:
    assert program.solve().status in ("optimal", "near", "unknown")
