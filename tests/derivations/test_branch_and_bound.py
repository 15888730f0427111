"""Is the bound of branch and bound never below a value that is taken, and close where it says so?"""

import numpy as np
import pytest
import sympy as sp

from noiseproof.symbolic.proof import interval_tape, intervals
from noiseproof.symbolic.proof.branch_and_bound import maximum
from noiseproof.symbolic.proof.interval_tape import Tape

x, y = sp.symbols("x y", real=True)
KNOWN = [
    (x * sp.exp(-x), {x: (0, 10)}, sp.exp(-1)),
    (x / (1 + y**2) + sp.cos(x * y), {x: (-2, 2), y: (-2, 2)}, sp.Integer(3)),
    (sp.Abs(x - 1) - sp.Abs(x + 1), {x: (-3, 3)}, sp.Integer(2)),
    (sp.Max(x, y) - sp.Min(x, y) ** 2, {x: (-1, 1), y: (-1, 1)}, sp.Integer(1)),
    (-x * sp.log(x), {x: (0, 1)}, sp.exp(-1)),
    (sp.sqrt(x) - x, {x: (0, 2)}, sp.Rational(1, 4)),
    (sp.Piecewise((x, x < 1), (0, True)), {x: (-1, 2)}, sp.Integer(1)),
    (
        sp.Piecewise((x**2 / 2, sp.Abs(x) <= 1), (sp.Abs(x) - sp.Rational(1, 2), True)),
        {x: (-3, 2)},
        sp.Rational(5, 2),
    ),
    (sp.tanh(x) * sp.sin(y), {x: (-1, 1), y: (0, 3)}, sp.tanh(1)),
    (sp.floor(x) - x / 2, {x: (0, sp.Rational(7, 2))}, sp.Rational(3, 2)),
    (sp.erf(x) + sp.atan(y), {x: (0, 1), y: (0, 1)}, sp.erf(1) + sp.pi / 4),
]


@pytest.mark.parametrize(("expression", "box", "truth"), KNOWN, ids=lambda v: str(v)[:40])
def test_a_known_maximum_is_enclosed(expression, box, truth):
    found = maximum(expression, box)
    exact = float(truth)
    assert found.reached
    assert float(found.lower) <= exact * (1 + 1e-15) <= float(found.upper) * (1 + 2e-15)
    assert float(found.upper) - float(found.lower) <= 2e-9 * exact


def test_a_point_reaches_the_lower_end_and_is_exact():
    found = maximum(x * sp.exp(-x) + y, {x: (0, 10), y: (-1, sp.Rational(1, 3))})
    assert all(isinstance(v, sp.Rational) for v in found.point.values())
    value = (x * sp.exp(-x) + y).subs(found.point)
    assert abs(float(value) - float(found.lower)) < 1e-15


def test_nothing_finite_is_said_where_there_is_no_bound():
    found = maximum(1 / x, {x: (0, 1)}, boxes=500)
    assert not found.upper.is_finite()
    assert found.undefined
    assert not found.reached


def test_the_part_where_a_root_is_defined_keeps_its_end():
    # The slope is negative where there is one; the end at which the root ends must not get lost.
    found = maximum(-sp.sqrt(x), {x: (-1, 1)}, boxes=2000)
    assert found.upper >= 0
    assert found.undefined


def test_a_piece_that_is_not_meant_need_not_be_defined():
    found = maximum(sp.Piecewise((sp.log(x), x > 1), (0, True)), {x: (-1, 3)})
    assert float(found.upper) == pytest.approx(float(sp.log(3)), rel=1e-8)


def test_constraints_bound_and_empty_sets_are_seen():
    disc = x**2 + y**2 - 1
    found = maximum(x + y, {x: (-1, 1), y: (-1, 1)}, at_most_zero=[disc])
    assert found.reached
    assert found.lower <= 2 ** sp.Rational(1, 2).n(30)
    assert found.upper >= 1.4142135623730949
    assert disc.subs(found.point) <= 0
    assert maximum(x, {x: (0, 1)}, at_most_zero=[x**2 + 1]).infeasible
    circle = maximum(x + y, {x: (-1, 1), y: (-1, 1)}, zero=[disc], start=[{x: "3/5", y: "4/5"}])
    assert float(circle.lower) == pytest.approx(1.4)
    assert 1.4142135623730949 <= float(circle.upper) <= 1.41421357


def test_work_that_is_stopped_keeps_its_bound():
    f = sum(sp.sin((k + 2) * x * y + k) for k in range(5))
    few, many = (maximum(f, {x: (-3, 3), y: (-3, 3)}, boxes=n) for n in (20, 2000))
    assert few.stuck
    assert not few.reached
    assert few.upper >= many.upper >= many.lower


def _random_expression(rng):
    leaves = [x, y, sp.Rational(int(rng.integers(-4, 5)), 2), x * y, x - y]
    picked = [leaves[int(rng.integers(len(leaves)))] for _ in range(3)]
    shapes = [
        lambda a: sp.exp(a / 3),
        sp.Abs,
        sp.sin,
        sp.tanh,
        lambda a: a**2,
        lambda a: 1 / (1 + a**2),
        lambda a: sp.Max(a, 0),
        lambda a: sp.sqrt(1 + sp.Abs(a)),
        lambda a: sp.log(2 + a**2),
        sp.cos,
        sp.erf,
    ]
    a, b, c = (shapes[int(rng.integers(len(shapes)))](p) for p in picked)
    return a * b - c


@pytest.mark.parametrize("seed", range(12))
def test_no_value_on_a_fine_grid_is_above_the_bound(seed):
    f = _random_expression(np.random.default_rng(seed))
    found = maximum(f, {x: (-2, 1), y: (-1, 2)}, tolerance=1e-6)
    grid = [
        (sp.Float(a, 20), sp.Float(b, 20)) for a in np.linspace(-2, 1, 13) for b in np.linspace(-1, 2, 13)
    ]
    best = max(float(f.subs({x: a, y: b})) for a, b in grid)
    assert best <= float(found.upper) + 1e-12
    assert found.reached
    assert float(found.lower) >= best - 1e-6 * abs(best) - 1e-9


@pytest.mark.parametrize("seed", range(8))
def test_slopes_hold_every_difference_quotient(seed):
    rng = np.random.default_rng(100 + seed)
    f = _random_expression(rng)
    tape = Tape([f], [x, y])
    box = [(sp.Rational(-1, 3), sp.Rational(1, 2)), (sp.Rational(-1, 2), sp.Rational(1, 5))]
    over = tape.over([(intervals.arb(float(a)), intervals.arb(float(b))) for a, b in box])
    slopes = tape.slopes(over, 0)
    for _ in range(20):
        p, q = (rng.uniform([-0.333, -0.5], [0.5, 0.2]) for _ in range(2))
        q[1] = p[1]
        quotient = (float(f.subs({x: q[0], y: q[1]})) - float(f.subs({x: p[0], y: p[1]}))) / (q[0] - p[0])
        assert float(slopes[0][0].lower()) - 1e-6 <= quotient <= float(slopes[0][1].upper()) + 1e-6


def test_a_wrong_slope_is_noticed(monkeypatch):
    """The sabotage: with sine's own slope turned round, a bound falls below a value that is taken."""
    value, slope, inside = interval_tape.KNOWN[sp.sin]
    wrong = {**interval_tape.KNOWN, sp.sin: (value, lambda a, v: intervals.minus(slope(a, v)), inside)}
    monkeypatch.setattr(interval_tape, "KNOWN", wrong)
    assert float(maximum(sp.sin(x), {x: (0, 1)}).upper) < 0.8


def test_bad_input_is_one_message():
    with pytest.raises(ValueError, match="low <= high for x"):
        maximum(x, {x: (1, 0)})
    with pytest.raises(ValueError, match="y has no interval"):
        maximum(x + y, {x: (0, 1)})
    with pytest.raises(ValueError, match="no enclosure known"):
        maximum(sp.LambertW(x), {x: (2, 3)})
