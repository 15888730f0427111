"""Functionals: equations against textbooks, candidates of both words, optima enclosed around values known otherwise."""

from __future__ import annotations

from itertools import pairwise

import pytest
import scipy.optimize
import scipy.special
import sympy as sp

import noiseproof as npf
from noiseproof.symbolic.proof.truth import Truth

X, U, P = sp.Symbol("x"), sp.Function("u"), sp.Function("p")
UNIT = (X, 0, 1)
FISHER = P(X).diff(X) ** 2 / P(X)
CLAMPED = {"boundary": {0: 0, 1: 0}, "density": True}


SLOPE = npf.Functional(U(X).diff(X) ** 2, U(X), (X, -1, 1), boundary={-1: 1, 1: 1})


def noise(price: sp.Expr = sp.S.Zero) -> npf.Functional:
    return npf.Functional(FISHER + price * P(X), P(X), UNIT, **CLAMPED)


def loaded() -> npf.Functional:
    return npf.Functional(U(X).diff(X) ** 2 / 2 - X * U(X), U(X), UNIT, boundary={0: 0})


def test_equation_natural_condition_and_first_integral() -> None:
    found = loaded().euler_lagrange()
    assert sp.simplify(found.equation.lhs + X + U(X).diff(X, 2)) == 0
    assert found.natural == ((1, sp.Eq(U(X).diff(X), 0)),)
    assert found.first_integral is None
    assert found.derivation.check() is Truth.HOLDS
    length = npf.Functional(sp.sqrt(1 + U(X).diff(X) ** 2), U(X), UNIT, boundary={0: 0, 1: 1})
    assert sp.simplify(length.euler_lagrange().first_integral - 1 / sp.sqrt(1 + U(X).diff(X) ** 2)) == 0


def test_second_variation_and_legendre() -> None:
    found = npf.Functional(
        U(X).diff(X) ** 2 - 4 * U(X) ** 2, U(X), UNIT, boundary={0: 0, 1: 0}
    ).second_variation()
    assert (found.slope_weight, found.weight, found.legendre.truth) == (2, -8, Truth.HOLDS)
    bent = npf.Functional(-(U(X).diff(X) ** 2), U(X), UNIT, boundary={0: 0, 1: 0}).second_variation()
    assert bent.legendre.truth is Truth.FAILS


@pytest.mark.parametrize(
    ("functional", "function", "value"),
    [
        (noise(), 2 * sp.sin(sp.pi * X) ** 2, 4 * sp.pi**2),
        (loaded(), X / 2 - X**3 / 6, sp.Rational(-1, 15)),
        (npf.Functional(sp.sqrt(1 + U(X).diff(X) ** 2), U(X), UNIT, boundary={0: 0, 1: 1}), X, sp.sqrt(2)),
    ],
)
def test_minimisers_are_proved(functional: npf.Functional, function: sp.Expr, value: sp.Expr) -> None:
    found = functional.certify(function)
    assert found.verdict == "PROVED", found
    assert sp.simplify(found.value - value) == 0
    assert found.derivation.check() is Truth.HOLDS


def test_a_formula_in_parameters_is_proved_for_all_of_them() -> None:
    rho = sp.Symbol("rho", positive=True)
    spread = npf.Functional(FISHER + rho * X**2 * P(X), P(X), (X, "-oo", "oo"), density=True)
    normal = sp.sqrt(sp.sqrt(rho) / (2 * sp.pi)) * sp.exp(-sp.sqrt(rho) * X**2 / 2)
    assert spread.certify(normal).verdict == "PROVED"
    wrong = spread.certify(normal.subs(rho, 1))
    assert wrong.verdict == "REFUTED"
    assert wrong.better is not None
    assert wrong.better.value < wrong.better.candidate_value


def test_a_maximum_with_two_constraints() -> None:
    half = (X, 0, "oo")
    mean = sp.Eq(sp.Integral(X * P(X), (X, 0, sp.oo)), 2)
    entropy = npf.Functional(
        maximise=-P(X) * sp.log(P(X)), unknown=P(X), over=half, subject_to=[mean], density=True
    )
    found = entropy.certify(sp.exp(-X / 2) / 2)
    assert found.verdict == "PROVED"
    assert sp.simplify(found.value - 1 - sp.log(2)) == 0


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (30 * X**2 * (1 - X) ** 2, "a better function"),
        (6 * X * (1 - X), "infinite"),
        (sp.sin(sp.pi * X) ** 2, "not admissible"),
    ],
)
def test_others_are_refuted(function: sp.Expr, words: str) -> None:
    found = noise().certify(function)
    assert found.verdict == "REFUTED"
    assert words in found.optimal.reason


def test_a_stationary_density_with_a_zero_inside_is_not_proved() -> None:
    assert noise().certify(2 * sp.sin(2 * sp.pi * X) ** 2).verdict == "UNDECIDED"


def test_a_candidate_off_by_a_percent_is_refuted() -> None:
    assert loaded().certify(X / 2 - sp.Rational(101, 600) * X**3).verdict == "REFUTED"


@pytest.mark.parametrize(
    "functional",
    [
        npf.Functional(U(X) ** 2 * (1 - U(X)) ** 2 + U(X).diff(X) ** 2, U(X), UNIT),
        npf.Functional(1 / U(X) ** 2 + U(X).diff(X) ** 2, U(X), UNIT, boundary={0: 1, 1: 1}),
        npf.Functional(-sp.Abs(U(X).diff(X)), U(X), UNIT, boundary={0: 0, 1: 0}),
    ],
)
def test_what_is_not_convex_is_not_called_convex(functional: npf.Functional) -> None:
    assert functional.convexity().truth is not Truth.HOLDS


def airy_optimum(slope: float) -> float:
    """The least eigenvalue of -4 w'' + slope x w on (0, 1), by Airy functions: apart from the engine."""
    scale = (slope / 4) ** (1 / 3)

    def determinant(e: float) -> float:
        low, high = (scale * (x - e / slope) for x in (0.0, 1.0))
        a, b = scipy.special.airy(low), scipy.special.airy(high)
        return float(a[0] * b[2] - a[2] * b[0])

    grid = [39.0 + 0.25 * k for k in range(40)]
    low, high = next((a, b) for a, b in pairwise(grid) if determinant(a) * determinant(b) < 0)
    return float(scipy.optimize.brentq(determinant, low, high, xtol=1e-12))


@pytest.mark.parametrize(
    ("functional", "optimum"),
    [
        (noise(), 39.47841760435743),
        (noise(10 * X), airy_optimum(10.0)),
        (loaded(), -1 / 15),
        (
            npf.Functional(
                U(X).diff(X) ** 2, U(X), UNIT, [sp.Eq(sp.Integral(U(X), UNIT), 1)], boundary={0: 0, 1: 0}
            ),
            12.0,
        ),
    ],
)
def test_the_optimum_lies_in_its_enclosure(functional: npf.Functional, optimum: float) -> None:
    found = functional.solve()
    assert found.lower is not None
    assert found.upper is not None
    assert found.lower - 1e-12 <= optimum <= found.upper + 1e-12
    assert found.gap < 1e-6 * max(1.0, abs(optimum))


@pytest.mark.parametrize("letters", ["wr", "sw", "yt"])
def test_the_letters_of_the_user_change_no_enclosure(letters: str) -> None:
    x, u = sp.Symbol(letters[0]), sp.Function(letters[1])
    box = npf.Functional(
        u(x).diff(x) ** 2 / u(x) + x**2 * u(x), u(x), (x, -1, 1), boundary={-1: 0, 1: 0}, density=True
    )
    found = box.solve(tolerance=1e-3)
    assert found.lower is not None
    assert found.upper is not None
    assert found.lower <= 10 <= found.upper < 10.01


def test_a_parameter_with_the_name_of_the_unknown_is_refused() -> None:
    same = sp.Symbol("p", positive=True)
    with pytest.raises(npf.SpecError, match="p names a parameter"):
        npf.Functional(same * FISHER, P(X), UNIT, **CLAMPED)


def test_no_lower_bound_without_convexity() -> None:
    found = npf.Functional(U(X) ** 2 * (1 - U(X)) ** 2 + U(X).diff(X) ** 2, U(X), UNIT).solve()
    assert found.lower is None
    assert "no lower bound" in found.reason


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: npf.Functional(U(X), U(X), (X, 1, 0)), "give the lower end first"),
        (lambda: npf.Functional(U(X).diff(X, 2) ** 2, U(X), UNIT), "higher order"),
        (lambda: npf.Functional(U(X), X, UNIT), "a function of one symbol"),
        (lambda: npf.Functional(U(X), U(X), UNIT, [U(X) <= 1]), "expected sp.Eq"),
        (lambda: npf.Functional(U(X), U(X), UNIT, boundary={2: 0}), "no finite end"),
        (lambda: npf.Functional(U(X), U(X), (X, 0)), "must be"),
        (lambda: npf.Functional(P(X), U(X), UNIT), "must be an expression"),
        (lambda: npf.Functional(), "one objective"),
        (lambda: loaded().certify(sp.Symbol("q") * X), "is neither"),
        (lambda: npf.Functional(sp.Symbol("q") * U(X), U(X), UNIT).solve(), "is a parameter"),
        (
            lambda: npf.Functional(
                U(X).diff(X) ** 2, U(X), UNIT, [sp.Eq(sp.Integral(U(X) ** 2, UNIT), 1)], boundary={0: 0, 1: 0}
            ).solve(),
            "density p",
        ),
    ],
)
def test_bad_input_gets_one_message(build: object, words: str) -> None:
    with pytest.raises(npf.SpecError, match=words):
        build()  # type: ignore[operator]


@pytest.mark.parametrize(
    ("functional", "function"),
    [
        (SLOPE, sp.Piecewise((-X, X < 0), (X, True))),
        (SLOPE, sp.Max(X, -X)),
        (SLOPE, sp.Abs(X)),
        (
            npf.Functional(U(X).diff(X) ** 2, U(X), (X, 0, 1), boundary={0: 0, 1: 1}),
            sp.Piecewise((0, sp.Rational(1, 2) > X), (1, True)),
        ),
        (
            npf.Functional(
                (1 + X**2) * U(X).diff(X) ** 2,
                U(X),
                (X, -1, 2),
                boundary={-1: -sp.pi / 4, 2: sp.atan(sp.Rational(1, 2))},
            ),
            sp.atan(1 / X),
        ),
    ],
)
def test_a_candidate_with_a_kink_or_a_jump_inside_is_not_proved(
    functional: npf.Functional, function: sp.Expr
) -> None:
    """The Euler-Lagrange equation holds on each side of it."""
    assert functional.certify(function).verdict != "PROVED"


@pytest.mark.parametrize("function", [sp.nan, sp.I * X, sp.oo])
def test_a_candidate_has_real_values(function: sp.Expr) -> None:
    with pytest.raises(ValueError, match="real and finite"):
        SLOPE.certify(function)


@pytest.mark.parametrize(
    ("functional", "optimum"),
    [
        (npf.Functional(sp.Abs(U(X).diff(X)), U(X), UNIT, boundary={0: 0, 1: 1}), 1.0),
        (npf.Functional(1 / U(X), U(X), UNIT, [sp.Eq(sp.Integral(U(X), UNIT), 1)]), None),
        (
            npf.Functional(
                U(X) ** 2,
                U(X),
                UNIT,
                [
                    sp.Eq(sp.Integral(X * U(X), UNIT), sp.Rational(1, 3)),
                    sp.Eq(sp.Integral(2 * X * U(X), UNIT), 1),
                ],
            ),
            None,
        ),
    ],
)
def test_a_functional_without_a_smooth_minimiser_ends_in_an_answer(
    functional: npf.Functional, optimum: float | None
) -> None:
    found = functional.solve()
    assert found.lower is None or (optimum is not None and found.lower <= optimum)
    assert found.upper is None or (optimum is not None and found.upper >= optimum)
    assert found.reason


def test_a_load_between_free_ends_is_settled_by_the_multiplier_of_the_mass() -> None:
    """p''/5 = x^2 - 1/3 with flat ends: the value is int (p'^2/10 + x^2 p) by hand."""
    best = sp.Rational(5, 12) * X**4 - sp.Rational(5, 6) * X**2 + sp.Rational(43, 36)
    value = sp.integrate(best.diff(X) ** 2 / 10 + X**2 * best, UNIT)
    found = npf.Functional(P(X).diff(X) ** 2 / 10 + X**2 * P(X), P(X), UNIT, density=True).solve()
    assert found.lower is not None
    assert found.lower <= value <= found.upper
    assert found.gap < 1e-6


def test_a_load_between_free_ends_without_constraints_has_no_bound() -> None:
    found = npf.Functional(U(X).diff(X) ** 2 / 2 + X * U(X), U(X), UNIT).solve()
    assert found.lower is None
    assert found.upper == float("-inf")
    assert "the functional has no lower bound" in found.reason
    assert found.derivation.check() is Truth.HOLDS


def bent(weight: sp.Expr, ends: dict[int, int], maximise: bool = False) -> npf.Functional:
    given = U(X).diff(X) ** 2 - weight * U(X) ** 2
    if maximise:
        return npf.Functional(maximise=-given, unknown=U(X), over=UNIT, boundary=ends)
    return npf.Functional(given, U(X), UNIT, boundary=ends)


BOTH, LEFT = {0: 0, 1: 0}, {0: 0}


@pytest.mark.parametrize(
    ("functional", "verdict"),
    [
        (bent(20, BOTH), "REFUTED"),
        (bent(20, BOTH, maximise=True), "REFUTED"),
        (bent(sp.Rational(99, 10), BOTH), "REFUTED"),
        (bent(sp.Rational(98, 10), BOTH), "PROVED"),
        (bent(sp.pi**2, BOTH), "PROVED"),
        (bent(sp.Rational(5, 2), LEFT), "REFUTED"),
        (bent(sp.Rational(12, 5), LEFT), "PROVED"),
        (bent(sp.Rational(1, 9), {}), "REFUTED"),
    ],
)
def test_what_fixed_ends_need_of_a_functional_that_is_not_convex(
    functional: npf.Functional, verdict: str
) -> None:
    """The integral of v'^2 is at least pi^2 that of v^2, or a quarter of it (Wirtinger)."""
    assert functional.certify(0 * X).verdict == verdict


@pytest.mark.parametrize(
    "functional", [bent(20, BOTH), bent(20, BOTH, maximise=True), bent(20, {0: 1, 1: 2}), bent(1, {})]
)
def test_a_functional_without_a_bound_has_a_direction_in_which_it_moves(functional: npf.Functional) -> None:
    found = functional.solve()
    assert float("inf") in (found.lower, -(found.upper or 0.0))
    assert found.function is None
    assert found.derivation.check() is Truth.HOLDS


@pytest.mark.parametrize(
    ("functional", "candidate"),
    [
        (npf.Functional(U(X).diff(X) ** 2 + U(X) ** 2, U(X), UNIT, boundary={0: 1}), sp.exp(-X)),
        (npf.Functional(P(X) ** 2 + 10 * X * P(X), P(X), UNIT, density=True), sp.Rational(7, 2) - 5 * X),
        (npf.Functional(P(X) ** 2, P(X), UNIT, density=True), 2 - 2 * X + 20 * (sp.Rational(1, 2) - X)),
    ],
)
def test_extremals_that_miss_a_free_end_or_are_negative_are_refuted(
    functional: npf.Functional, candidate: sp.Expr
) -> None:
    assert functional.certify(candidate).verdict == "REFUTED"
