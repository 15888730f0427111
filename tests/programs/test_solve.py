"""Programs are solved with their proof, by cases of the parameters where there are some; those without a minimiser are recognised."""

from __future__ import annotations

import warnings
from typing import Any

import pytest
import sympy as sp

from noiseproof.symbolic.programs.constraints import PSD, NormCone
from noiseproof.symbolic.programs.program import Program
from noiseproof.symbolic.proof.truth import Truth

x, y, c, d = sp.symbols("x y c d", real=True)
a, w = sp.symbols("a w", positive=True)
m, n = sp.symbols("m n", integer=True)

SOLVED: dict[str, tuple[Program, Any]] = {
    "quadratic": (Program(x**2 + y**2, [x, y], [x + y >= 1]), sp.Rational(1, 2)),
    "linear": (Program(-x - 2 * y, [x, y], [x + y <= 4, x <= 3, y <= 2]), -6),
    "cone": (Program(x + y, [x, y], [NormCone([x, y], 1)]), -sp.sqrt(2)),
    "matrix": (Program(x + 2 * y, [x, y], [PSD([[x, 1], [1, y]])]), 2 * sp.sqrt(2)),
    "integer": (
        Program(
            maximise=3 * m + 2 * n, over=[m, n], subject_to=[2 * m + n <= 7, m + 3 * n <= 9, m >= 0, n >= 0]
        ),
        11,
    ),
}


@pytest.mark.parametrize("name", SOLVED)
def test_the_optimum_is_proved(name: str) -> None:
    program, value = SOLVED[name]
    found = program.solve()
    assert found.status == "optimal", found.reason
    assert sp.simplify(found.value - value) == 0
    assert found.derivation.check() is Truth.HOLDS


PARAMETRIC: dict[str, tuple[Program, dict[Any, Any], Any]] = {
    "box": (Program((x - c) ** 2, [x], [x >= 0, x <= 1], [c]), {c: 3}, 1),
    "simplex": (
        Program((x - c) ** 2 + (y - d) ** 2, [x, y], [sp.Eq(x + y, 1), x >= 0, y >= 0], [c, d]),
        {c: sp.Rational(1, 2), d: sp.Rational(1, 4)},
        sp.Rational(5, 8),
    ),
    "soft": (Program((x - c) ** 2 / 2 + w * sp.Abs(x), [x], [], [c, w]), {c: -3, w: 1}, -2),
}


@pytest.mark.parametrize("name", PARAMETRIC)
def test_the_cases_of_active_sets_cover_all_parameters(name: str) -> None:
    program, at, first = PARAMETRIC[name]
    found = program.solve()
    assert found.status == "optimal", found.reason
    assert len(found.cases) == 3
    assert found.minimiser is not None
    assert found.minimiser[x].subs(at) == first
    assert sum(case.holds(at) for case in found.cases) == 1


WITHOUT: dict[str, tuple[Program, str]] = {
    "two half-spaces": (Program(x + y, [x, y], [x + y >= 3, x <= 1, y <= 1]), "infeasible"),
    "disc and half-space": (Program(x, [x, y], [x**2 + y**2 <= 1, x + y >= 2]), "infeasible"),
    "ray": (Program(-x - y, [x, y], [x - y <= 1]), "unbounded"),
    "parabola": (Program(-x, [x, y], [y >= x**2]), "unbounded"),
    "exponential": (Program(sp.exp(x), [x]), "not attained"),
    "hyperbola": (Program(x, [x, y], [x * y >= 1, x >= 0, y >= 0]), "not attained"),
    "open": (Program(a, [a]), "not attained"),
    "pole": (Program(1 / x, [x]), "unbounded"),
    "matrix": (Program(x, [x, y], [PSD([[x, 1], [1, y]])]), "not attained"),
}


@pytest.mark.parametrize("name", WITHOUT)
def test_programs_without_a_minimiser_are_recognised(name: str) -> None:
    program, status = WITHOUT[name]
    found = program.solve()
    assert found.status == status, found.reason
    assert found.derivation.check() is Truth.HOLDS


z = sp.Symbol("z", real=True)
box = [r for v in (x, y, z) for r in (v >= 0, v <= 1)]
mean = (x + y + z) / 3
TEXTBOOK: dict[str, tuple[Program, Any, int]] = {
    # the value, and how many minimisers are listed
    "two wells": (Program(x**4 + y**4 - 4 * x * y, [x, y]), -2, 2),
    "double well": (Program((x**2 - 1) ** 2, [x]), 0, 2),
    "kinks of both signs": (Program(sp.Abs(x) - sp.Abs(x - 1), [x], [x <= 3, x >= -3]), -1, 1),
    "variance in a box": (
        Program(maximise=(x - mean) ** 2 + (y - mean) ** 2 + (z - mean) ** 2, over=[x, y, z], subject_to=box),
        sp.Rational(2, 3),
        3,
    ),
    "product on a circle": (Program(x * y, [x, y], [sp.Eq(x**2 + y**2, 1)]), -sp.Rational(1, 2), 2),
    # Inside of a natural domain, at whose ends the slope is infinite.
    "lower half of a circle": (Program(x - sp.sqrt(1 - x**2), [x]), -sp.sqrt(2), 1),
    "lower half of a small circle": (
        Program(-sp.sqrt(sp.Rational(1, 10**20) - x**2), [x]),
        -sp.Rational(1, 10**10),
        1,
    ),
    "a root of a product": (Program(-sp.sqrt(x * (1 - x)), [x]), -sp.Rational(1, 2), 1),
    "half a sphere": (Program(x + y - sp.sqrt(1 - x**2 - y**2), [x, y]), -sp.sqrt(3), 1),
}


@pytest.mark.parametrize("name", TEXTBOOK)
def test_textbook_programs_are_solved_and_equal_minimisers_listed(name: str) -> None:
    program, value, count = TEXTBOOK[name]
    found = program.solve()
    assert found.status == "optimal", found.reason
    assert found.value == value
    assert len(found.minimisers) >= count
    assert found.derivation.check() is Truth.HOLDS


def test_a_product_of_squares_on_the_sphere() -> None:
    program = Program(maximise=x**2 * y**2 * z**2, over=[x, y, z], subject_to=[sp.Eq(x**2 + y**2 + z**2, 1)])
    found = program.certify([sp.sqrt(3) / 3] * 3)
    assert (found.verdict, found.value) == ("PROVED", sp.Rational(1, 27))
    assert "unknown" not in found.reason
    solved = program.solve()  # some three of a processor of its own
    assert (solved.status, solved.value) == ("optimal", sp.Rational(1, 27))


def test_no_warning_of_numpy_leaks_and_a_cone_may_be_a_point() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert Program(x + x ** sp.Rational(3, 2), [x]).solve().value == 0
    assert Program(x, [x, y], [NormCone([x, y], 0)]).solve().minimiser == {x: 0, y: 0}
    assert Program(x, [x, y], [NormCone([x - 1, y, x], 0)]).solve().status == "infeasible"


def test_where_the_equations_do_not_close_the_gap_is_proved() -> None:
    found = Program(sp.exp(x) + x**2, [x]).solve()
    assert found.status == "near"
    assert found.certificate is not None
    assert found.certificate.gap < sp.Rational(1, 10**20)
    assert found.derivation.check() is Truth.HOLDS


def test_a_program_of_both_kinds_says_which_variable_is_no_integer() -> None:
    found = Program((n - x) ** 2 + x, [n, x], [n <= 5, n >= -5, x >= -9, x <= 9]).solve()
    assert found.status == "unknown"
    assert "x is no integer" in found.reason


@pytest.mark.parametrize("names", ["t tp tq", "t p q"])
def test_the_names_of_parameters_change_nothing(names: str) -> None:
    t, p, q = sp.symbols(names, positive=True)
    u, v, s = sp.symbols("u v s", nonnegative=True)
    square = 4 * s**2 + u**2 + v**2 + 2 * s * (u + v) + u * v + (u - v) ** 2
    found = Program(square - 2 * s * t - 2 * u * p - 2 * v * q, [u, v, s], [], [t, p, q]).solve()
    assert found.status == "optimal", found.reason
    assert found.value.subs({t: 4, p: sp.Rational(1, 10), q: sp.Rational(1, 10)}) == -4
    assert found.value.args[-1][1] is not sp.true


def test_a_formula_is_said_where_it_is_proved_and_nowhere_else() -> None:
    found = Program((x - y) ** 2, [x], [x >= c, x <= d], [c, d, y]).solve()
    assert found.status == "cases"
    assert "where c - d > 0 no point is feasible; together they cover all" in found.reason
    assert found.value.subs({c: 2, d: 1, y: 0}) is sp.nan
    assert found.value.subs({c: 1, d: 2, y: 0}) == 1
    assert found.derivation.check() is Truth.HOLDS
    rooted = Program((x**2 - c) ** 2, [x], [], [c]).solve()
    assert rooted.value is None or rooted.value.subs({c: -1}) in (1, sp.nan)


def test_cases_are_in_the_symbols_of_the_program() -> None:
    u, r = sp.symbols("u r")
    found = Program((u - r) ** 2, [u], [u >= 0], [r]).solve()
    assert [case.minimiser[u] for case in found.cases] == [r, 0]
    assert found.cases[1].holds({r: -2})
