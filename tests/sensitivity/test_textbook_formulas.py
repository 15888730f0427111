"""Are the formulas of a textbook answered on the line, beside places without a value, and with numbers of every library?"""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

import noiseproof as npf
from noiseproof.symbolic.domains import Ball, Categorical, Distance, Simplex
from noiseproof.symbolic.programs.program import Program

x, y, x1, x2 = sp.symbols("x y x1 x2")
LINE, RAY = sp.S.Reals, sp.Interval(0, sp.oo)
SIGMOID = 1 / (1 + sp.exp(-x))

EXACT = {
    "sigmoid": (SIGMOID, LINE, 1),
    "sigmoid, turned and moved": (sp.exp(1 - 2 * x) / (1 + sp.exp(1 - 2 * x)), LINE, 1),
    "slope of the sigmoid": (SIGMOID * (1 - SIGMOID), LINE, sp.Rational(1, 4)),
    "softplus less relu": (sp.log(1 + sp.exp(x)) - sp.Max(x, 0), LINE, sp.log(2)),
    "Gompertz": (sp.exp(-sp.exp(-x)), LINE, 1),
    "root": (sp.sqrt(1 + x**2) - sp.Abs(x), LINE, 1),
}
ENCLOSED = {
    "sin(x)/x": (sp.sin(x) / x, LINE, 1 + 0.21723362821122166),
    "(1 - cos(x))/x^2": ((1 - sp.cos(x)) / x**2, LINE, 0.5),
    "(exp(x) - 1)/x": ((sp.exp(x) - 1) / x, npf.Box(-1, 2), (np.exp(2) - 1) / 2 - (1 - np.exp(-1))),
    "tanh(x)/x": (sp.tanh(x) / x, LINE, 1.0),
    "x erfc(x)": (x * sp.erfc(x), RAY, 0.2403755871),
    "sin + cos": (sp.sin(x) + sp.cos(x), LINE, 2 * np.sqrt(2)),
}
INFINITE = {
    "x sin(x)": (x * sp.sin(x), LINE),
    "x^2 sin(3x)": (x**2 * sp.sin(3 * x), LINE),
    "x sin(x) cos(2x)": (x * sp.sin(x) * sp.cos(2 * x), RAY),
    "x sin(x^2)": (x * sp.sin(x**2), LINE),
    "x cos(x) to the left": (x * sp.cos(x), sp.Interval(-sp.oo, 0)),
}


@pytest.mark.parametrize("name", EXACT)
def test_limits_and_zeros_of_slopes(name):
    query, domain, truth = EXACT[name]
    found = npf.sensitivity(query, domain, records=[x], norm="l1")
    assert found.exact == truth
    assert found.at_least() >= truth * (1 - 1e-5)
    assert found.derivation.check().value == "holds"


@pytest.mark.parametrize("name", ENCLOSED)
def test_tails_periods_and_common_zeros(name):
    query, domain, truth = ENCLOSED[name]
    found = npf.sensitivity(query, domain, records=[x], norm="l1")
    assert truth * (1 - 1e-9) <= found.at_most() <= truth * (1 + 3e-6)
    assert truth * (1 - 3e-6) <= found.at_least() <= truth * (1 + 1e-9)


@pytest.mark.parametrize("name", INFINITE)
def test_waves_that_grow(name):
    query, domain = INFINITE[name]
    found = npf.sensitivity(query, domain, records=[x], norm="l1")
    assert found.infinite
    t = sp.Symbol("t", positive=True, integer=True)
    apart = [
        abs(float(query.subs(x, a[0].subs(t, k)) - query.subs(x, b[0].subs(t, k))))
        for a, b in [found.ray]
        for k in (10, 1000)
    ]
    assert apart[1] > 5 * apart[0]


@pytest.mark.parametrize("query", [sp.sin(x), sp.sin(x) ** 2 + sp.cos(x), x * sp.sin(x) / (1 + x**2)])
def test_waves_that_do_not_grow_are_not_infinite(query):
    assert not npf.sensitivity(query, LINE, records=[x], norm="l1").infinite


def test_a_share_of_records_above_nought():
    found = npf.sensitivity(
        x1 / (x1 + x2), sp.Interval.Lopen(0, 1), records=[x1, x2], norm="l1", ordered=True
    )
    assert found.exact == 1
    assert found.derivation.check().value == "holds"


READERS = [Fraction, lambda v: Decimal(str(v)), sp.Rational, sp.Float, np.float64, np.float32]
DOORS = {
    "box": (x, lambda c: npf.Box(c(0), c(2.5)), [x], {}, "5/2"),
    "tuples": (x + y, lambda c: npf.Box((c(0), c(0)), (c(2.5), c(1))), [(x, y)], {}, "7/2"),
    "ball": (x + y, lambda c: Ball(c(2.5), 2), [(x, y)], {}, "5*sqrt(2)"),
    "simplex": (x, lambda c: Simplex(2, c(2.5)), [(x, y)], {}, "5/2"),
    "categories": (x, lambda c: Categorical([c(0.5), c(1.5)]), [x], {}, "1"),
    "interval": (x, lambda c: sp.Interval(c(0), c(2.5)), [x], {}, "5/2"),
    "distance": (
        x + y,
        lambda c: npf.Box(0, 1, 2),
        [(x, y)],
        {"adjacency": lambda c: Distance(c(0.5), 1)},
        "1/2",
    ),
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("read", READERS)
def test_numbers_of_every_library(door, read):
    query, domain, records, more, truth = DOORS[door]
    more = {k: v(read) for k, v in more.items()}
    assert npf.sensitivity(query, domain(read), records=records, norm="l1", **more).exact == sp.sympify(truth)


def test_whole_numbers_of_every_library():
    for n in (sp.Integer(4), np.int64(4)):
        assert npf.sensitivity(
            x, npf.Box(0, 1), records=[x], norm="l1", each="mean", n=n
        ).exact == sp.Rational(1, 4)
        assert (
            npf.sensitivity(npf.queries.median(), npf.Box(0, 1, integer=False), norm="l1", n=n).at_most() <= 1
        )


@pytest.mark.parametrize("domain", [lambda: npf.Box(0, sp.sqrt(2)), lambda: sp.FiniteSet(1, sp.sqrt(2))])
def test_a_number_that_is_not_rational_is_not_rounded(domain):
    with pytest.raises(ValueError, match="rational"):
        npf.sensitivity(x, domain(), records=[x], norm="l1")


def test_whole_points_beside_absolute_values():
    n, m = sp.symbols("n m", integer=True)
    found = Program(sp.Abs(n * sp.sqrt(2) - m), [n, m], subject_to=[n >= 1, n <= 3, m >= 2, m <= 5]).solve()
    assert found.status == "optimal"
    assert sp.simplify(found.value - (3 - 2 * sp.sqrt(2))) == 0
