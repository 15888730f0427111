"""Sines and cosines whose argument has parameters in it: masses and informations of squared cosines in closed form."""

from __future__ import annotations

import pytest
import sympy as sp

import noiseproof as npf

y = sp.Symbol("y")
x, b = sp.symbols("x b", real=True)
L = sp.Symbol("L", positive=True)


@pytest.mark.parametrize(
    ("density", "support", "about", "truth"),
    [
        (2 / L * sp.cos(sp.pi * (y - x) / L) ** 2, (x - L / 2, x + L / 2), x, 4 * sp.pi**2 / L**2),
        (2 / L * sp.cos(sp.pi * (x - y) / L) ** 2, (x - L / 2, x + L / 2), x, 4 * sp.pi**2 / L**2),
        (2 * sp.cos(sp.pi * (y - x)) ** 2, (x - sp.Rational(1, 2), x + sp.Rational(1, 2)), x, 4 * sp.pi**2),
        ((1 + b * sp.sin(2 * sp.pi * y / L)) / L, (0, L), L, None),
    ],
)
def test_squared_cosines_have_a_closed_form(
    density: sp.Expr, support: tuple[sp.Expr, sp.Expr], about: sp.Symbol, truth: sp.Expr | None
) -> None:
    law = npf.Law.from_density(density, y, support, domains={"b": (-1, 1)} if density.has(b) else {})
    assert law.mass() == 1
    found = npf.fisher_information(law, about)
    if truth is None:
        assert found.value is None
    else:
        assert sp.simplify(found.scalar - truth) == 0
        assert found.regular.name == "HOLDS"


def test_a_slope_that_may_be_zero_is_left_alone() -> None:
    t = sp.Symbol("t", real=True)
    density = (1 + sp.cos(t * y) / 2) / (1 + sp.sin(t) / (2 * t))
    found = npf.Law.from_density(density, y, (0, 1))
    assert found.mass() == 1 or found.mass().has(sp.Integral)
