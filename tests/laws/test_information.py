"""Fisher information against independent quadrature, and regularity decided from the density."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import mpmath
import numpy as np
import pytest
import sympy as sp

from noiseproof.symbolic.information.fisher import (
    LOCATION,
    Information,
    fisher_information,
    information_of_query,
    location_information,
)
from noiseproof.symbolic.information.noise import normal_information
from noiseproof.symbolic.information.regularity import IRREGULAR, breakpoints, regularity
from noiseproof.symbolic.laws.catalogue import (
    cosine_squared,
    discrete,
    gumbel,
    laplace,
    logistic,
    mixture,
    normal,
    student_t,
    triangular,
    truncated,
    uniform,
)
from noiseproof.symbolic.laws.law import Law
from noiseproof.symbolic.proof.derivation import Derivation
from noiseproof.symbolic.proof.proofs.recorded import recorded
from noiseproof.symbolic.proof.truth import Truth

M = sp.Symbol("m", real=True)
S = sp.Symbol("s", positive=True)
NU = sp.Symbol("nu", positive=True)


def _reference(density: Callable[[mpmath.mpf], mpmath.mpf], points: list[float]) -> float:
    """The integral of f'^2/f with mpmath alone, the slope by numerical differentiation."""
    with mpmath.workdps(34):
        total = mpmath.mpf(0)
        for a, b in pairwise(map(mpmath.mpf, points)):
            total += mpmath.quad(
                lambda y: mpmath.diff(density, y, h=mpmath.mpf(10) ** -12) ** 2 / density(y), [a, b]
            )
        return float(total)


LOCATION_FAMILIES: list[tuple[Law, sp.Expr, Callable[[mpmath.mpf], mpmath.mpf], list[float]]] = [
    (normal(0, 2), sp.Rational(1, 4), lambda y: mpmath.npdf(y, 0, 2), [-40, -4, 0, 4, 40]),
    (laplace(0, 0.5), 4, lambda y: mpmath.exp(-2 * abs(y)), [1e-9, 1, 5, 30]),
    (logistic(0, 3), sp.Rational(1, 27), lambda y: mpmath.sech(y / 6) ** 2 / 12, [-300, -20, 0, 20, 300]),
    (
        gumbel(0, 2),
        sp.Rational(1, 4),
        lambda y: mpmath.exp(-y / 2 - mpmath.exp(-y / 2)) / 2,
        [-9, -3, 0, 3, 20, 120],
    ),
    (
        student_t(5, 0, 2),
        sp.Rational(6, 8) / 4,
        lambda y: (
            mpmath.gamma(3) / (mpmath.gamma(2.5) * mpmath.sqrt(5 * mpmath.pi) * 2) * (1 + y**2 / 20) ** -3
        ),
        [-4000, -40, -4, 0, 4, 40, 4000],
    ),
    (
        cosine_squared(-1, 3),
        4 * sp.pi**2 / 16,
        lambda y: mpmath.cos(mpmath.pi * (y - 1) / 4) ** 2 / 2,
        [-0.9999999999, 1, 2.9999999999],
    ),
]


@pytest.mark.parametrize(
    ("law", "true", "density", "points"), LOCATION_FAMILIES, ids=lambda v: getattr(v, "name", None)
)
def test_location_information(law: Law, true: sp.Expr, density, points: list[float]) -> None:  # type: ignore[no-untyped-def]
    found = location_information(law)
    assert found.regular is Truth.HOLDS
    assert found.derivation.check() is Truth.HOLDS
    assert found.numeric is not None
    assert abs(found.numeric[0, 0] - float(true)) < 1e-12
    assert sp.simplify(found.scalar - true) == 0
    factor = 2 if law.name == "Laplace" else 1  # its reference integrates over one side of the kink only
    assert factor * _reference(density, points) == pytest.approx(float(true), rel=1e-8)


@pytest.mark.parametrize(
    ("law", "true"),
    [
        (normal(0, S), 1 / S**2),
        (laplace(0, S), 1 / S**2),
        (logistic(0, S), 1 / (3 * S**2)),
        (student_t(NU, 0, S), (NU + 1) / ((NU + 3) * S**2)),
        (gumbel(0, S), 1 / S**2),
        (cosine_squared(-S, S), sp.pi**2 / S**2),
    ],
    ids=lambda v: getattr(v, "name", None),
)
def test_location_information_with_symbols(law: Law, true: sp.Expr) -> None:
    found = location_information(law)
    assert sp.simplify(found.scalar - true) == 0
    assert found.numeric is None
    assert found.derivation.check() is Truth.HOLDS


def test_mixture_against_an_independent_quadrature() -> None:
    law = mixture([0.3, 0.7], [normal(-1, 0.5), normal(2, 1.5)])
    found = location_information(law)

    def integrand(y: mpmath.mpf) -> mpmath.mpf:
        a = mpmath.mpf(3) / 10 * mpmath.npdf(y, -1, mpmath.mpf(1) / 2)
        b = mpmath.mpf(7) / 10 * mpmath.npdf(y, 2, mpmath.mpf(3) / 2)
        return (a * (y + 1) * 4 + b * (y - 2) * 4 / 9) ** 2 / (a + b)

    with mpmath.workdps(34):
        true = mpmath.quad(integrand, [-30, -8, -3, -1, 0, 1, 2, 4, 8, 30])
    assert found.numeric is not None
    assert abs(found.numeric[0, 0] - float(true)) < 1e-12
    assert found.error < 1e-12
    assert found.regular is Truth.HOLDS
    assert found.derivation.check() is Truth.UNKNOWN, "a quadrature is no proof"
    other = location_information(mixture([0.31, 0.69], [normal(-1, 0.5), normal(2, 1.5)]))
    assert other.numeric is not None
    assert abs(other.numeric[0, 0] - float(true)) > 1e-4


def test_a_far_and_narrow_component_is_not_overlooked() -> None:
    found = location_information(mixture([0.5, 0.5], [normal(0, 1), normal(1000, 0.001)]))
    assert found.numeric is not None
    assert found.numeric[0, 0] == pytest.approx(0.5 + 0.5e6, rel=1e-12)


@pytest.mark.parametrize(
    "law",
    [
        uniform(0, 1),
        uniform(-S, S),
        triangular(0, 1, 3),
        triangular(0, 0, 1),
        truncated(normal(), -1, 1),
        truncated(laplace(), -1, 2),
        truncated(student_t(3), 0, 1),
        truncated(triangular(0, 1, 3), 0, 2),
        mixture([0.5, 0.5], [normal(), uniform(0, 1)]),
        discrete([0, 1], [0.5, 0.5]),
    ],
    ids=lambda law: law.name,
)
def test_irregular_location_families(law: Law) -> None:
    found = location_information(law)
    assert found.regular is Truth.FAILS
    assert found.reason.startswith(IRREGULAR)
    assert found.value is None
    assert found.numeric is None
    with pytest.raises(ValueError, match="no Fisher information"):
        _ = found.scalar


def test_the_name_does_not_decide() -> None:
    y = normal().variable
    for power, regular in ((1, Truth.FAILS), (2, Truth.HOLDS), (3, Truth.HOLDS)):
        law = Law(
            "nameless",
            y,
            sp.Rational((power + 1) * (2 * power + 1), power) * y**power * (1 - y**power),
            (sp.Integer(0), sp.Integer(1)),
        )
        assert law.mass() == 1
        # Whatever the power at 0, this density falls to zero linearly at 1.
        assert location_information(law).regular is Truth.FAILS
        both = Law(
            "nameless",
            y,
            sp.gamma(2 * power + 2) / sp.gamma(power + 1) ** 2 * (y * (1 - y)) ** power,
            law.support,
        )
        assert both.mass() == 1
        assert location_information(both).regular is regular


def test_a_fixed_support_with_a_jump_is_fine() -> None:
    law = truncated(normal(M, 1), -1, 1)
    found = fisher_information(law, [M], {M: 0})
    assert found.regular is Truth.HOLDS
    # Exponential family: I = Var of the statistic.
    variance = float(truncated(normal(), -1, 1).variance().evalf())
    assert found.numeric is not None
    assert found.numeric[0, 0] == pytest.approx(variance, abs=1e-12)
    assert fisher_information(truncated(normal(0, 1), -S, S), [S]).regular is Truth.FAILS


def test_families_with_several_parameters() -> None:
    found = fisher_information(normal(M, S), [M, S], {M: 3, S: 2})
    assert found.value == sp.Matrix([[1 / S**2, 0], [0, 2 / S**2]])
    assert found.numeric == pytest.approx(np.array([[0.25, 0], [0, 0.5]]))
    gum = fisher_information(gumbel(M, S), [M, S])
    assert gum.value is not None
    assert sp.simplify(gum.value[1, 1] * S**2 - (sp.pi**2 / 6 + (1 - sp.EulerGamma) ** 2)) == 0
    assert sp.simplify(gum.value[0, 1] * S**2 - (sp.EulerGamma - 1)) == 0
    student = fisher_information(student_t(NU, M, S), [M, S, NU], {NU: 3, M: 0, S: 2})
    assert student.value is not None
    assert sp.simplify(student.value[1, 1] - 2 * NU / (S**2 * (NU + 3))) == 0
    assert sp.simplify(student.value[1, 2] + 2 / (S * (NU + 1) * (NU + 3))) == 0


@pytest.mark.parametrize(
    "law", [normal(0, S), gumbel(0, S), logistic(0, S), laplace(0, S), student_t(5, 0, S)]
)
def test_sabotage_of_every_step(law: Law) -> None:
    derivation: Derivation = location_information(law).derivation
    assert derivation.check() is Truth.HOLDS
    for i, step in enumerate(derivation.steps):
        planted = replace(
            step, right=step.right * sp.Rational(101, 100) + (sp.Rational(1, 100) if step.right == 0 else 0)
        )
        steps = (*derivation.steps[:i], planted, *derivation.steps[i + 1 :])
        assert replace(derivation, steps=steps).check() is not Truth.HOLDS, step.reason
    assert all(row["truth"] in ("holds", "cited") for row in recorded(derivation))


Y = normal().variable
ROOT = sp.sqrt(2 * sp.pi)


@pytest.mark.parametrize(
    ("density", "support", "truth"),
    [
        # Flat at zero: exp(-1/0) cannot be inserted, its limit is 0 and no jump.
        (sp.exp(-((Y - 1) ** 2) / (2 * Y)) * Y ** sp.Rational(-3, 2) / ROOT, (0, sp.oo), Truth.UNKNOWN),
        (sp.exp(-1 / Y) * (1 - Y) ** 2, (0, 1), Truth.UNKNOWN),
        # 0 log 0: f'^2/f is of order t log(1/t), integrable; of order log(1/t)/t one step below.
        (-36 * Y**2 * sp.log(Y) * (1 - Y), (0, 1), Truth.HOLDS),
        (-sp.Rational(27, 2) * Y * sp.log(Y) * (1 - Y), (0, 1), Truth.UNKNOWN),
        # 1/(t log(1/t)^2): the power alone would say that it is not integrable, which it is.
        (Y / sp.log(Y) ** 2 * (1 - 2 * Y) ** 2, (0, sp.Rational(1, 2)), Truth.UNKNOWN),
        (-sp.log(Y), (0, 1), Truth.FAILS),
        (1 / sp.sqrt(Y) - 1, (0, 1), Truth.FAILS),
        (6 * Y * (1 - Y), (0, 1), Truth.FAILS),
        (30 * Y**2 * (1 - Y) ** 2, (0, 1), Truth.HOLDS),
        (sp.sin(1 / Y) ** 2 * Y**3 * (1 - Y) ** 2, (0, 1), Truth.UNKNOWN),
    ],
)
def test_ends_that_move_are_judged_by_the_density_next_to_them(
    density: sp.Expr, support: tuple[object, object], truth: Truth
) -> None:
    ends = (sp.sympify(support[0]), sp.sympify(support[1]))
    law = Law("test", Y, density, ends).shift(LOCATION)
    assert regularity(law, [LOCATION]).truth is truth


def test_breakpoints_follow_the_parameters() -> None:
    assert breakpoints(laplace(M, S)) == (M,)
    assert breakpoints(normal(M, S)) == ()
    assert regularity(laplace(0, S), [S]).truth is Truth.HOLDS
    ends = (sp.Integer(0), sp.Integer(1))
    for kink in (
        sp.Max(Y, 1 - Y),
        sp.Min(Y, 1 - Y),
        sp.Heaviside(2 * Y - 1),
        sp.Piecewise((Y, 2 * Y < 1), (1 - Y, True)),
    ):
        assert breakpoints(Law("kink", Y, kink, ends)) == (sp.Rational(1, 2),)
    bent = Law("bent", Y, 3 * sp.Abs(Y**2 - sp.Rational(1, 4)), (-sp.oo, sp.oo)).shift(LOCATION)
    assert breakpoints(bent) is None
    assert regularity(bent, [LOCATION]).truth is Truth.UNKNOWN


def test_a_number_that_was_computed_is_no_proof_that_the_information_is_finite() -> None:
    steeper = sp.exp(-(Y**4) - Y**2)
    quartic = Law("quartic", Y, steeper / sp.Integral(steeper, (Y, -sp.oo, sp.oo)), (-sp.oo, sp.oo))
    steep = Law(
        "steep", Y, sp.exp(-S / Y) / sp.Integral(sp.exp(-S / Y), (Y, 0, 1)), (sp.Integer(0), sp.Integer(1))
    )
    smooth = Law("smooth", Y, sp.exp(-S * Y**4) / sp.Integral(sp.exp(-S * Y**4), (Y, 0, 1)), steep.support)
    assert location_information(quartic).regular is Truth.UNKNOWN  # the score is not bounded on the line
    assert fisher_information(steep, [S]).regular is Truth.UNKNOWN  # nor on (0, 1)
    assert fisher_information(smooth, [S]).regular is Truth.HOLDS


def test_information_of_a_query_is_the_chain_rule() -> None:
    a, b = sp.symbols("a b", real=True)
    noise = location_information(normal(0, 2))
    found = information_of_query([a * b, a + sp.exp(b)], [a, b], noise)
    assert found.value is not None
    assert (
        found.value
        == sp.Matrix([[b**2 + 1, a * b + sp.exp(b)], [a * b + sp.exp(b), a**2 + sp.exp(2 * b)]]) / 4
    )
    assert found.regular is Truth.HOLDS
    assert found.derivation.check() is Truth.HOLDS
    matrix = sp.Matrix([[2, 1], [1, 3]])
    linear = information_of_query([a + b, a - 2 * b], [a, b], matrix)
    jacobian = np.array([[1.0, 1.0], [1.0, -2.0]])
    assert linear.numeric == pytest.approx(jacobian.T @ np.array([[2.0, 1.0], [1.0, 3.0]]) @ jacobian)
    uneven = information_of_query([a + b, a - 2 * b], [a, b], normal_information([[1.0, 0.5], [0.5, 4.0]]))
    known = np.linalg.inv([[1.0, 0.5], [0.5, 4.0]])
    assert uneven.numeric == pytest.approx(jacobian.T @ known @ jacobian)
    assert uneven.value is not None
    assert np.array(uneven.value.tolist(), dtype=float) == pytest.approx(jacobian.T @ known @ jacobian)


def test_information_of_a_query_carries_irregularity() -> None:
    a = sp.Symbol("a", real=True)
    assert information_of_query([2 * a], [a], location_information(uniform(0, 1))).regular is Truth.FAILS
    pieces = (
        sp.Abs(a),
        sp.sign(a),
        sp.Max(a, 0),
        sp.Min(a, 0),
        sp.Piecewise((a, a > 0), (0, True)),
        sp.floor(a),
    )
    for piece in pieces:
        assert information_of_query([piece], [a], location_information(normal())).regular is Truth.UNKNOWN
    with pytest.raises(TypeError, match="sympy expressions"):
        information_of_query(["a"], [a], 1.0)  # type: ignore[list-item]
    with pytest.raises(ValueError, match="noise information"):
        information_of_query([a], [a], sp.eye(3))


def test_parameters_must_be_free() -> None:
    with pytest.raises(ValueError, match="not found"):
        fisher_information(normal(0, 1), [M])
    assert isinstance(location_information(normal(S, 1)), Information)
    assert LOCATION.is_real
