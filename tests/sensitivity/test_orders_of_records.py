"""Is a query told to depend on the order of its records only with two data sets that show it?"""

import numpy as np
import pytest
import sympy as sp
from sensitivity_trials.malformed_orders import drawn, pair_is_right, refusal

import noiseproof as npf
from noiseproof.symbolic.sensitivity.exchanges import differing_places
from noiseproof.symbolic.sensitivity.sign_cells import piecewise_linear_maximum, vanishes
from noiseproof.symbolic.sensitivity.verb import stated_query

x1, x2, x3, x4 = XS = sp.symbols("x1:5", real=True)
UNIT = npf.Box(0, 1)
BOX = dict.fromkeys(XS, (sp.Integer(0), sp.Integer(1)))
MEDIAN = sp.Max(sp.Min(x1, x2), sp.Min(x3, sp.Max(x1, x2)))
SWAP = {x1: x3, x3: x1}


@pytest.mark.parametrize(
    ("query", "records", "truth"),
    [
        (MEDIAN, [x1, x2, x3], 1),
        (sp.Piecewise((x1 - x2, x1 > x2), (x2 - x1, True)), [x1, x2], 1),
        (sp.Piecewise((x1 - x2, x1 > x2), (x2 - x1, x2 > x1), (0, True)), [x1, x2], 1),
        (sp.Max(x1, sp.Max(x2 - x3, 0) + x3) - sp.Min(x3, x1 + x2 - sp.Max(x1, x2)), [x1, x2, x3], 1),
        ([sp.Abs(x1 + x2 + x3 - c) for c in (0, 1, 2)], [x1, x2, x3], 1),
    ],
)
def test_oddly_written_queries_are_answered(query, records, truth):
    norm = "max" if isinstance(query, list) else "l1"
    found = npf.sensitivity(query, UNIT, records=records, norm=norm)
    assert found.exact == truth
    assert found.at_least() == truth
    assert found.derivation.check().value == "holds"


@pytest.mark.parametrize("seed", range(4))
def test_symmetric_queries_are_not_refused_and_others_are_with_a_pair(seed):
    symmetric, other = drawn(seed, True), drawn(seed, False)
    stated = stated_query(symmetric.query, UNIT, list(symmetric.records), None, None)
    assert differing_places(stated, False)
    words = refusal(other)
    assert words is not None
    assert pair_is_right(other, words)


@pytest.mark.long
def test_a_hundred_of_each():
    for seed in range(100):
        symmetric, other = drawn(seed, True), drawn(seed, False)
        assert refusal(symmetric, 0.3) is None
        assert pair_is_right(other, refusal(other, 0.3) or "")


def test_what_is_symmetric_on_the_domain_alone_is_no_reason_to_refuse():
    assert npf.sensitivity(sp.Abs(x1) + x2, UNIT, records=[x1, x2], norm="l1").exact == 1
    # Not decided: every place is looked at, and the answer is the same.
    cubes = sp.sin(x1) * sp.cos(x2) + sp.sin(x2) * sp.cos(x1) + sp.sin(x1 + x2)
    found = npf.sensitivity(cubes, UNIT, records=[x1, x2], norm="l1")
    assert found.at_most() >= 2 * np.sin(1)


@pytest.mark.parametrize(
    "query",
    [MEDIAN + x1 / 10**9, sp.Piecewise((1, sp.And(x1 > x2, x2 > x3)), (0, True)), sp.Max(x1, x2 - x3)],
)
def test_a_refusal_names_two_data_sets(query):
    with pytest.raises(npf.SpecError, match=r"it is .* at \(.*\) and .* at \(.*\)\. Pass ordered=True"):
        npf.sensitivity(query, UNIT, records=[x1, x2, x3], norm="l1")


@pytest.mark.parametrize(
    ("one", "two", "same"),
    [
        (MEDIAN, MEDIAN.xreplace(SWAP), True),
        (sp.Max(x1, x2), (x1 + x2 + sp.sqrt(sp.expand((x1 - x2) ** 2))) / 2, True),
        (sp.Max(x1**2, x2**2), sp.Max(x1, x2) ** 2, True),
        (sp.exp(sp.Max(x1, x2)), sp.Piecewise((sp.exp(x1), x1 >= x2), (sp.exp(x2), True)), True),
        (sp.sign(x1 - x2), sp.Piecewise((1, x1 > x2), (0, sp.Eq(x1, x2)), (-1, True)), True),
        (sp.sign(x1 - x2), sp.Piecewise((1, x1 >= x2), (-1, True)), False),
        (sp.Max(x1, x2), sp.Max(x1, x2) + sp.Max(x1 + x2 - sp.Rational(19, 10), 0), False),
        (sp.Abs(x1 - sp.sqrt(2)), sp.sqrt(2) - x1, True),
        (sp.Abs(x1 - sp.sqrt(2) / 2), sp.sqrt(2) / 2 - x1, False),
    ],
)
def test_identities_on_cells(one, two, same):
    assert vanishes(one - two, BOX) is same


def test_largest_values_on_cells_are_those_of_a_grid():
    rng = np.random.default_rng(3)
    grid = np.array(np.meshgrid(*[np.linspace(0, 1, 13)] * 4)).reshape(4, -1)
    for _ in range(8):
        parts = [sum(int(c) * s for c, s in zip(row, XS, strict=True)) for row in rng.integers(-2, 3, (4, 4))]
        e = sp.Abs(sp.Max(parts[0], parts[1])) - sp.Min(parts[2], sp.Abs(parts[3]) - 1)
        value, point = piecewise_linear_maximum(e, BOX)
        seen = sp.lambdify(XS, e, "numpy")(*grid).max()
        assert e.xreplace(point) == value
        assert seen <= float(value) + 1e-9
