"""Is the sensitivity of a formula enclosed from both sides, by a pair that is measured again, and infinite where it is?"""

import itertools
import math
import re

import numpy as np
import pytest
import sympy as sp

import noiseproof as npf
from noiseproof.symbolic.proof.truth import Truth
from noiseproof.symbolic.sensitivity import suprema

x, y, x1, x2, x3, y1, y2 = sp.symbols("x y x1 x2 x3 y1 y2")
UNIT = npf.Box(0, 1)
THREE = [x1, x2, x3]
EXPS = sum(sp.exp(v) for v in THREE)
SQUARES = x1**2 + x2**2
PROJECTION = sp.Matrix(2, 2, [x1**2, x1 * x2, x1 * x2, x2**2]) / SQUARES

# query, domain, records, norm, further arguments, truth, whether the answer has to be exact
KNOWN = {
    "ratio of sums": (
        (x1 + x2) / (y1 + y2),
        [UNIT, npf.Box(1, 2)],
        [(x1, y1), (x2, y2)],
        "l1",
        {},
        "2/3",
        True,
    ),
    "harmonic mean": (3 / (1 / x1 + 1 / x2 + 1 / x3), npf.Box(1, 4), THREE, "l1", {}, "2", True),
    "log-sum-exp": (sp.log(EXPS), UNIT, THREE, "l1", {}, "log((2 + E)/3)", True),
    "softmax": ([sp.exp(v) / EXPS for v in THREE], UNIT, THREE, "l1", {}, "4*(E - 1)/(3*(E + 2))", True),
    "on the whole line": (x * sp.exp(-sp.Abs(x)), sp.S.Reals, [x], "l1", {"each": "sum"}, "2*exp(-1)", True),
    "a jump": (sp.Piecewise((x, x < 1), (0, True)), npf.Box(0, 2), [x], "l1", {"each": "sum"}, "1", True),
    "x sin x": (x * sp.sin(x), npf.Box(0, 5), [x], "l1", {"each": "sum"}, "6.63417563087192", False),
    "largest and smallest": (sp.Max(*THREE) + 2 * sp.Min(*THREE), UNIT, THREE, "l1", {}, "2", False),
    "mean of x, x^2": (
        [x, x**2],
        npf.Box(-2, 2),
        [x],
        "l2",
        {"each": "mean", "n": 3},
        "sqrt(Rational(71, 4) + 2*sqrt(2))/3",
        False,
    ),
    "projection": (PROJECTION, npf.Box(1, 2), [x1, x2], "frobenius", {}, "sqrt(2)/3", False),
    "projection, spectral": (PROJECTION, npf.Box(1, 2), [x1, x2], "spectral", {}, "1/3", False),
    "sum, one more": ([x, 1 - x], UNIT, [x], "l1", {"each": "sum", "adjacency": "add-or-remove"}, "1", True),
    "mean, one more": (
        x,
        npf.Box(-1, 3),
        [x],
        "l1",
        {"each": "mean", "n": 4, "adjacency": "add-or-remove"},
        "4/5",
        True,
    ),
    "near each other": (
        x * y,
        npf.Box(0, 1, 2),
        [(x, y)],
        "l1",
        {"adjacency": npf.Distance(0.5)},
        "1/2",
        True,
    ),
    "clipped on the line": (
        sp.Max(0, sp.Min(x, 2)),
        sp.S.Reals,
        [x],
        "l1",
        {"each": "mean", "n": 5},
        "2/5",
        True,
    ),
    "a category": (
        sp.Piecewise((1, sp.Eq(x, 2)), (0, True)),
        npf.Categorical([1, 2, 3]),
        [x],
        "l1",
        {"each": "sum"},
        "1",
        True,
    ),
    "whole numbers": (x**2 - 3 * x, npf.Box(0, 4, integer=True), [x], "l1", {"each": "sum"}, "6", True),
    "on a ball": (x + 2 * y, npf.Ball(1, 2), [(x, y)], "l1", {"each": "sum"}, "2*sqrt(5)", True),
    "on a simplex": (
        -x * sp.log(x) - y * sp.log(y),
        npf.Simplex(2),
        [(x, y)],
        "l1",
        {"each": "sum"},
        "log(2)",
        False,
    ),
    "one point alone": (
        sp.Piecewise((5, sp.Eq(x, 1)), (x, True)),
        npf.Box(0, 2),
        [x],
        "l1",
        {"each": "sum"},
        "5",
        True,
    ),
    "whole and near": (
        x * y,
        npf.Box(0, 3, 2, integer=True),
        [(x, y)],
        "l1",
        {"adjacency": npf.Distance(1)},
        "3",
        True,
    ),
    "no move": (x - x, UNIT, [x], "l2", {"each": "sum"}, "0", True),
}


@pytest.mark.parametrize("name", KNOWN)
def test_a_known_sensitivity_is_enclosed(name):
    query, domain, records, norm, further, truth, exact = KNOWN[name]
    found = npf.sensitivity(query, domain, records=records, norm=norm, **further)
    number = sp.sympify(truth)
    assert not found.reason
    assert float(found.at_least()) <= float(number) * (1 + 1e-12)
    assert float(found.at_most()) >= float(number) * (1 - 1e-12)
    assert found.gap <= 1e-6
    if exact:
        assert abs(found.exact - number).evalf(30) < 1e-25
    assert found.derivation.check() is Truth.HOLDS or not found.derivation.steps


INFINITE = {
    "mean": ((x1 + x2) / 2, sp.S.Reals, [x1, x2], {}),
    "a pole at a corner": (1 / (x1 + x2), UNIT, [x1, x2], {}),
    "a pole inside": (1 / x, npf.Box(-1, 1), [x], {"each": "sum"}),
    "a logarithm": (sp.log(x), sp.Interval.Lopen(0, 1), [x], {"each": "sum"}),
    "a square": (x**2, sp.Interval(0, sp.oo), [x], {"each": "mean", "n": 7}),
    "a logarithm of a size": (sp.log(sp.Abs(x - sp.Rational(1, 2))), UNIT, [x], {}),
    "a pole beside a cube": (sp.Abs(x) ** 3 + sp.log(sp.Abs(x - sp.Rational(1, 4))), UNIT, [x], {}),
    "a pole beside a kink": (sp.Max(x, sp.Rational(1, 3)) + sp.log(1 - x), UNIT, [x], {}),
    "a pole beside pieces": (1 / x + sp.Piecewise((x, x < 1), (1, True)), UNIT, [x], {}),
    "more records": (sp.sqrt(x), sp.Interval(0, sp.oo), [x], {"each": "sum", "adjacency": "add-or-remove"}),
}


@pytest.mark.parametrize("name", INFINITE)
def test_an_infinite_sensitivity_has_a_ray_along_which_pairs_move_apart(name):
    query, domain, records, further = INFINITE[name]
    found = npf.sensitivity(query, domain, records=records, norm="l1", **further)
    assert found.infinite
    assert found.upper is None
    assert found.derivation.check() is Truth.HOLDS
    t = next(iter(sp.Tuple(*itertools.chain(*found.ray)).free_symbols))

    def value(dataset):
        if "each" not in further:
            return query.subs(dict(zip(records, dataset, strict=True)))
        total = sum(query.subs(x, v) for v in dataset)
        return total / len(dataset) if further["each"] == "mean" else total

    apart = [
        abs(
            float(
                value([sp.sympify(v).subs(t, far) for v in found.ray[0]])
                - value([sp.sympify(v).subs(t, far) for v in found.ray[1]])
            )
        )
        for far in (10, 10**4, 10**8)
    ]
    assert apart[0] < apart[1] < apart[2]


@pytest.mark.parametrize(
    "query", [sp.exp(-1 / x), sp.atan(x), x / (1 + x), 1 + sp.exp(-x), sp.tanh(sp.log(x))]
)
def test_what_rises_to_an_end_is_not_infinite(query):
    found = npf.sensitivity(query, sp.Interval(1, sp.oo), records=[x], norm="l1", each="sum")
    assert not found.infinite


@pytest.mark.parametrize(
    "query", [sp.Max(0, sp.log(x)), sp.Min(1 / x, 3), sp.Piecewise((1, x < 1), (1 / x, True))]
)
def test_a_pole_that_is_cut_off_is_not_infinite(query):
    assert not npf.sensitivity(query, UNIT, records=[x], norm="l1").infinite


def test_a_pole_under_a_maximum_is_infinite():
    assert npf.sensitivity(sp.Max(2, 1 / x), UNIT, records=[x], norm="l1").infinite


def test_vectors_near_each_other_far_from_where_a_logarithm_ends():
    box = npf.Box((1, -2), (1.5, 0))
    found = npf.sensitivity(
        sp.Max(y, sp.log(x)), box, records=[(x, y)], norm="l1", adjacency=npf.Distance(0.25)
    )
    assert found.at_least() <= sp.log(sp.Rational(5, 4)) <= found.at_most()
    assert found.gap < 1e-6


def _norms(query, records, domain, **further):
    return [npf.sensitivity(query, domain, records=records, norm=n, **further) for n in ("max", "l2", "l1")]


VECTOR = [x1 * x2 / (1 + x1 + x2), sp.exp(-x1 - x2), x1 + x2]


def test_norms_are_ordered():
    largest, euclid, total = _norms(VECTOR, [x1, x2], UNIT)
    assert largest.at_least() <= euclid.at_most()
    assert euclid.at_least() <= total.at_most()
    assert float(total.at_least()) <= math.sqrt(3) * float(euclid.at_most())


@pytest.mark.parametrize("seed", range(6))
def test_laws_that_every_sensitivity_obeys(seed):
    """Larger on a larger domain, scaled with the query, the same after an exchange of records; no pair is farther apart."""
    rng = np.random.default_rng(seed)
    a, b, c = (sp.Rational(int(v), 4) for v in rng.integers(-8, 9, 3))
    f = sp.log(2 + x1**2 + x2**2) * a + sp.tanh(x1 + x2) * b + c * sp.Abs(x1 - x2)
    small, large = npf.Box(0, 1), npf.Box(-1, 1)
    one = npf.sensitivity(f, small, records=[x1, x2], norm="l1")
    wide = npf.sensitivity(f, large, records=[x1, x2], norm="l1")
    thrice = npf.sensitivity(-3 * f, small, records=[x1, x2], norm="l1")
    turned = npf.sensitivity(f, small, records=[x2, x1], norm="l1")
    assert one.at_least() <= wide.at_most()
    assert float(thrice.at_most()) == pytest.approx(3 * float(one.at_most()), rel=3e-6)
    assert float(turned.at_most()) == pytest.approx(float(one.at_most()), rel=3e-6)
    value = sp.lambdify([x1, x2], f, "numpy")
    u, v, w = rng.random((3, 4000))
    assert np.abs(value(u, w) - value(v, w)).max() <= float(one.at_most())


def test_the_pair_is_exact_and_lies_in_the_domain():
    found = npf.sensitivity(x1 * x2, sp.Interval.open(0, 1), records=[x1, x2], norm="l1")
    one, two = found.attained_at
    assert all(isinstance(v, sp.Rational) and 0 < v < 1 for v in (*one, *two))
    assert sum(a != b for a, b in zip(one, two, strict=True)) == 1
    assert abs(one[0] * one[1] - two[0] * two[1]) >= found.at_least()
    assert found.exact == 1


def test_a_query_that_depends_on_the_order_is_asked_at_every_place_if_that_is_meant():
    with pytest.raises(npf.SpecError, match="ordered=True"):
        npf.sensitivity(x1 + 2 * x2, UNIT, records=[x1, x2], norm="l1")
    found = npf.sensitivity(x1 + 2 * x2, UNIT, records=[x1, x2], norm="l1", ordered=True)
    assert found.exact == 2


def test_a_person_of_three_records_moves_a_sum_three_times_as_far():
    table = npf.Table({"who": npf.Categorical([1, 2, 3]), "pay": npf.Box(0, 5)})
    person = npf.Person("who", most=3)
    found = npf.sensitivity(y, table, records=[(x, y)], norm="l1", each="sum", adjacency=person)
    assert found.exact == 15


def test_local_and_smooth_sensitivity():
    found = npf.sensitivity(x1 * x2, UNIT, records=[x1, x2], norm="l1")
    assert found.local((sp.Rational(1, 4), sp.Rational(1, 2))) == sp.Rational(3, 8)
    beta = sp.Rational(1, 10)
    # 3/8 here, 3/4 where the second record is 1, and 1 where both are changed: exp(-2/10) is the most.
    assert found.smooth((sp.Rational(1, 4), sp.Rational(1, 2)), beta) == sp.exp(-2 * beta)
    total = npf.sensitivity(x**2, npf.Box(-1, 2), records=[x], norm="l1", each="sum")
    assert total.local((0, 1)) == 4
    assert total.local((1, 1)) == 3
    assert float(total.smooth((1, 1), 1)) == pytest.approx(3.0)
    assert float(total.smooth((1, 1), 0.1)) == pytest.approx(4 * math.exp(-0.1), rel=1e-6)


def test_a_function_with_a_declared_enclosure():
    softplus = npf.EnclosedFunction.enclosed_by(lambda a: (1 + a.exp()).log(), "softplus")
    found = npf.sensitivity(softplus(x1) + softplus(x2), UNIT, records=[x1, x2], norm="l1")
    truth = math.log(1 + math.e) - math.log(2)
    assert float(found.at_least()) <= truth <= float(found.at_most())
    assert found.gap < 1e-5


def test_work_that_is_spent_is_said_and_the_bound_holds():
    f = sum(sp.sin(k * v1 * v2 + k) for k in range(1, 6) for v1, v2 in itertools.combinations(THREE, 2))
    found = npf.sensitivity(f, npf.Box(-3, 3), records=THREE, norm="l1", effort=0.01)
    assert re.fullmatch(
        r"stopped after \d+ boxes, \d+ still open; the work of effort 0.01 is spent, effort=0.02 doubles it",
        found.reason,
    )
    assert repr(found) == repr(npf.sensitivity(f, npf.Box(-3, 3), records=THREE, norm="l1", effort=0.01))
    assert found.upper is None or found.at_most() >= found.at_least()


def test_a_bound_that_is_too_low_is_noticed(monkeypatch):
    """The sabotage: branch and bound answers with half of its bound; the pair, measured from the query itself, is farther apart."""
    honest = suprema.maximum

    def halved(*args, **options):
        found = honest(*args, **options)
        return type(found)(**{**found.__dict__, "upper": found.upper / 2})

    monkeypatch.setattr(suprema, "maximum", halved)
    with pytest.raises(AssertionError, match="farther apart than the upper bound"):
        npf.sensitivity(x * sp.sin(x), npf.Box(0, 5), records=[x], norm="l1", each="sum")


POSITIVE, WHOLE = sp.Symbol("p", positive=True), sp.Symbol("k", integer=True)


def test_declarations_that_hold_on_the_domain_are_taken() -> None:
    assert npf.sensitivity(POSITIVE, sp.Interval.Lopen(0, 1), records=[POSITIVE], norm="l1").exact == 1
    assert npf.sensitivity(WHOLE, npf.Box(-1, 2, integer=True), records=[WHOLE], norm="l1").exact == 3


def test_numbers_of_numpy_are_the_decimals_they_show() -> None:
    box = npf.Box(np.float64(0.1), np.int64(1))
    assert npf.sensitivity(x1 + x2, box, records=[x1, x2], norm="l1").exact == sp.Rational(9, 10)


def test_a_query_of_two_records_says_that_it_got_three() -> None:
    with pytest.raises(npf.SpecError, match="of 2 records, and the data set has 3"):
        npf.DatasetQuery(x1 + x2, UNIT, records=[x1, x2])([0, 0, 1])


BAD = {
    "free symbol": (
        lambda: npf.sensitivity(x + y, UNIT, records=[x], norm="l1"),
        "y is in the query and in no record",
    ),
    "declared positive": (
        lambda: npf.sensitivity(sp.Abs(POSITIVE) - POSITIVE, npf.Box(-1, 1), records=[POSITIVE], norm="l1"),
        "p is declared positive, and the domain has records where it is -1",
    ),
    "declared whole": (
        lambda: npf.sensitivity(sp.sin(sp.pi * WHOLE), UNIT, records=[WHOLE], norm="l1"),
        "k is declared integer",
    ),
    "declared positive, last of a simplex": (
        lambda: npf.sensitivity(sp.sign(POSITIVE), npf.Simplex(2), records=[(x, POSITIVE)], norm="l1"),
        "p is declared positive, .* where it is 0",
    ),
    "norm": (lambda: npf.sensitivity(x, UNIT, records=[x], norm="l3"), "unknown norm"),
    "norm of a matrix": (
        lambda: npf.sensitivity(PROJECTION, npf.Box(1, 2), records=[x1, x2], norm="l1"),
        "frobenius",
    ),
    "no records": (lambda: npf.sensitivity(x, UNIT, norm="l1"), "records= is missing"),
    "empty domain": (lambda: npf.sensitivity(x, sp.S.EmptySet, records=[x], norm="l1"), "empty"),
    "no domain": (lambda: npf.sensitivity(x, "reals", records=[x], norm="l1"), "expected a Box"),
    "coordinates": (
        lambda: npf.sensitivity(x, npf.Box(0, 1, 2), records=[x], norm="l1"),
        "1 symbol .* 2 coordinates",
    ),
    "no value": (
        lambda: npf.sensitivity(sp.sqrt(x), npf.Box(-1, 1), records=[x], norm="l1"),
        "no real value at x =",
    ),
    "no value on a ball": (
        lambda: npf.sensitivity(sp.sqrt(x) + y, npf.Ball(1, 2), records=[(x, y)], norm="l1"),
        "no real value at x =",
    ),
    "a prime": (
        lambda: npf.sensitivity(sp.Symbol("x'"), UNIT, records=[sp.Symbol("x'")], norm="l1"),
        "prime",
    ),
    "unknown function": (
        lambda: npf.sensitivity(sp.LambertW(x), npf.Box(2, 3), records=[x], norm="l1"),
        "no enclosure known",
    ),
    "relation": (
        lambda: npf.sensitivity(x, UNIT, records=[x], norm="l1", adjacency="remove"),
        "unknown relation",
    ),
    "one more": (
        lambda: npf.sensitivity(x1 + x2, UNIT, records=[x1, x2], norm="l1", adjacency="add-or-remove"),
        'each="sum"',
    ),
    "mean without n": (
        lambda: npf.sensitivity(x, UNIT, records=[x], norm="l1", each="mean"),
        "a mean needs n",
    ),
    "n alone": (lambda: npf.sensitivity(x, UNIT, records=[x], norm="l1", n=5), "leave n out"),
    "text": (lambda: npf.sensitivity("x", UNIT, records=[x], norm="l1"), "expected a sympy expression"),
    "numpy": (lambda: npf.sensitivity(np.mean, UNIT, records=[x], norm="l1"), "enclosure"),
    "twice": (lambda: npf.sensitivity(x, UNIT, records=[x, x], norm="l1"), "stands for two numbers"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_gets_one_message(name):
    call, message = BAD[name]
    with pytest.raises(npf.SpecError, match=message):
        call()
