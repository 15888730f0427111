"""Are vectors near each other never told apart as if they were any two, and is nothing a value that the domain does not have?"""

import math

import pytest
import sympy as sp

import noiseproof as npf
from noiseproof.symbolic.proof.eventual import eventual, eventual_sign
from noiseproof.symbolic.proof.growth import NoGrowthError
from noiseproof.symbolic.proof.truth import Truth

x, y = sp.symbols("x y")
t = sp.Symbol("t", positive=True)
PLANE, BALL = npf.Box(0, 3, 2), npf.Ball(1, 2)
NEAR = {
    "sum, 1": (x + y, PLANE, npf.Distance(1), 1),
    "sum, 2": (x + y, PLANE, npf.Distance(1, 2), math.sqrt(2)),
    "sum, inf": (x + y, PLANE, npf.Distance(1, math.inf), 2),
    "sum on a ball": (x + y, BALL, npf.Distance(0.5, 2), math.sqrt(0.5)),
    "squares, wide": (x**2 + y**2, npf.Box(0, 1, 2), npf.Distance(1.5), 1.875),
    "product on shares": (x * y, npf.Simplex(2), npf.Distance(0.5, 2), 0.22855339),
}


@pytest.mark.parametrize("name", NEAR)
def test_vectors_near_each_other(name):
    query, domain, near, truth = NEAR[name]
    found = npf.sensitivity(query, domain, records=[(x, y)], norm="l1", adjacency=near)
    assert found.at_most() >= truth * (1 - 1e-7)
    assert found.at_least() <= truth * (1 + 1e-7)
    assert found.at_most() <= truth * (1 + 1e-5)
    assert found.exact is None or abs(float(found.exact) - truth) < 1e-12
    assert found.derivation.check() is Truth.HOLDS


@pytest.mark.parametrize(
    ("query", "truth"),
    [
        (sp.Piecewise((1, x >= 1), (0, True)), 0),
        (sp.Piecewise((x, x < 1), (7, True)), 1),
        (sp.Piecewise((x, x < 1), (7 - x, True)), 1),
    ],
)
def test_what_is_beyond_an_open_end_is_no_value(query, truth):
    found = npf.sensitivity(query, sp.Interval.Ropen(0, 1), records=[x], norm="l1")
    assert found.exact == truth
    assert npf.sensitivity(query, npf.Box(0, 1), records=[x], norm="l1").exact != truth


def test_an_end_without_a_value_is_neared():
    found = npf.sensitivity(sp.atan(1 / x), sp.Interval.Lopen(0, 1), records=[x], norm="l1")
    assert found.at_most() >= math.pi / 4 - 1e-9


def test_waves_on_the_whole_line_are_answered():
    found = npf.sensitivity(x * sp.sin(x), sp.S.Reals, records=[x], norm="l1")
    assert not found.infinite or found.ray is not None
    assert found.upper is None


def test_signs_for_all_large_values():
    assert eventual_sign(1 - 10**6 / t, t) == 1
    assert eventual_sign(sp.log(t) - t, t) == -1
    assert eventual(sp.Max(1, t - 5) + sp.Abs(3 - t), t) == 2 * t - 8
    assert eventual(sp.Piecewise((1, 1 / t > sp.Rational(1, 100)), (t, True)), t) == t


def test_a_sign_that_never_settles_is_not_known():
    with pytest.raises(NoGrowthError):
        eventual_sign(sp.sin(t), t)
