"""Ranges over one record, cell by cell: floats rounded outwards, symmetries, and a bound that no search comes above."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

import noiseproof as npf
from noiseproof.symbolic.proof.box_arrays import BoxTape
from noiseproof.symbolic.proof.work import spent, units_of
from noiseproof.symbolic.sensitivity.queries.risk_cells import Cells

S, T, X, Y, Z = sp.symbols("s t x y z", real=True)
RIDGE = npf.queries.risk_minimiser((S * X + T * Y - Z) ** 2 / 2, [S, T], [X, Y, Z], (S**2 + T**2) / 4)
CUBE = npf.Box(-1, 1, dimension=3)


def test_ranges_of_rational_expressions_hold_all_exact_values() -> None:
    rng = np.random.default_rng(0)
    forms = [X * Y - Z / 3, X**3 / (1 + Y**2), (X - Y) ** 4 - X, 1 / (2 + X), -X * Y / (X * Y - 7)]
    low = rng.uniform(-1, 1, (200, 3))
    high = low + rng.choice([0.0, 1e-9, 0.2], (200, 3))
    boxes = {s: (low[:, k], high[:, k]) for k, s in enumerate((X, Y, Z))}
    ranges = BoxTape(forms).over(boxes)
    for row in range(200):
        share = [Fraction(float(rng.uniform())).limit_denominator(1000) for _ in range(3)]
        at = {
            s: sp.Rational(*(Fraction(a) + (Fraction(b) - Fraction(a)) * w).as_integer_ratio())
            for s, a, b, w in zip((X, Y, Z), low[row], high[row], share, strict=True)
        }
        for form, (bottom, top) in zip(forms, ranges, strict=True):
            value = form.subs(at)
            assert sp.Rational(*float(bottom[row]).as_integer_ratio()) <= value
            assert value <= sp.Rational(*float(top[row]).as_integer_ratio())


def test_a_range_over_a_pole_is_everything() -> None:
    ((low, high),) = BoxTape([1 / X]).over({X: (np.array([-1.0]), np.array([1.0]))})
    assert low[0] == -np.inf
    assert high[0] == np.inf


def test_what_no_pair_exceeds_is_excluded_and_what_a_pair_reaches_is_not() -> None:
    cells = Cells.of(RIDGE.problem, CUBE, 2)
    assert cells is not None
    assert len(cells.symmetries) == 16
    assert cells.excluded(sp.Rational(17, 10), "l2", spent() + units_of(1))
    # (1 + sqrt 2)/2 is reached.
    assert not cells.excluded(sp.Rational(12, 10), "l2", spent() + units_of(0.1))


@pytest.mark.long
def test_ridge_in_two_dimensions_is_enclosed_within_a_twentieth() -> None:
    found = npf.sensitivity(RIDGE, CUBE, norm="l2", n=2)
    truth = (1 + 2**0.5) / 2
    assert float(found.at_least()) <= truth <= float(found.at_most())
    assert found.at_most() <= Fraction(21, 20) * found.at_least()
