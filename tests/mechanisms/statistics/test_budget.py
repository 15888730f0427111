"""Is the split the minimiser of its program, does each share keep its target, and does the certificate fall where it should?"""

import itertools
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noiseproof import SpecError
from noiseproof.mechanisms.statistics.budget import BudgetItem, InfeasibleBudgetError, split_budget
from noiseproof.mechanisms.statistics.split_certificate import by_item, split_program
from noiseproof.mechanisms.statistics.water_filling import Filling, fill
from noiseproof.symbolic.proof.truth import Truth

NOISES = ("gaussian", "laplace")


def item(name, squared, weight=1, most=None):
    root = Fraction(squared).limit_denominator(10**6)
    return BudgetItem(name, sensitivity_squared=root, sensitivity=squared, weight=weight, max_variance=most)


def objective(noise, items, shares):
    power, total = (1 if noise == "gaussian" else 2), 0.0
    for w, s in zip(items, shares, strict=True):
        size = float(w.sensitivity_squared) / 2 if noise == "gaussian" else 2 * float(w.sensitivity) ** 2
        total = total + float(w.weight) * size / s**power
    return total


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("most", [None, 400])
def test_no_point_of_a_grid_is_better_and_a_near_one_is_as_good(noise, most):
    items = [item("a", 1), item("b", 9, "1/2", most), item("c", 4, 3)]
    found = split_budget(items, 1, noise)
    n = 400
    a, b = np.meshgrid(np.arange(1, n) / n, np.arange(1, n) / n, indexing="ij")
    c = 1 - a - b
    with np.errstate(divide="ignore"):
        values = objective(noise, items, (a, b, np.where(c > 1e-9, c, np.nan)))
    values = np.where(b >= float(found.filling.least[1]), values, np.nan)
    best, here = float(np.nanmin(values)), float(found.value)
    assert here <= best <= here * 1.01  # the border of the target lies between two points of the grid
    assert found.certificate.verdict == "PROVED"


@pytest.mark.parametrize("noise", NOISES)
def test_a_target_that_binds_takes_its_least_share_and_says_what_it_costs(noise):
    total, most = (2, Fraction(6, 5)) if noise == "gaussian" else (8, Fraction(4, 5))
    items = [item("a", 1), item("b", 4, 1, most)]
    found = split_budget(items, total, noise)
    assert found.variances[1] <= most
    assert float(found.variances[1]) == pytest.approx(float(most), rel=1e-10)
    assert found.multipliers["a"] == 0.0 < found.multipliers["b"]
    looser = split_budget([item("a", 1), item("b", 4, 1, most * Fraction(10_001, 10_000))], total, noise)
    gained = float(found.value - looser.value)
    expected = found.multipliers["b"] * float(found.shares[1]) / (10_000 * found.law.power)
    assert gained == pytest.approx(expected, rel=1e-2)
    more = split_budget(items, Fraction(total) * Fraction(10_001, 10_000), noise)
    assert float(found.value - more.value) == pytest.approx(found.price * total / 10_000, rel=1e-2)
    assert any("target of b binds" in s for s in found.sentences)


def test_twice_the_budget_halves_the_variances_of_gaussian_noise():
    items = [item("a", 1, "1/3"), item("b", 7), item("c", 50, 2)]
    once, twice = split_budget(items, "0.3", "gaussian"), split_budget(items, "0.6", "gaussian")
    for a, b in zip(once.variances, twice.variances, strict=True):
        assert float(b / a) == pytest.approx(0.5, rel=1e-10)


numbers = st.fractions(min_value=Fraction(1, 50), max_value=1000, max_denominator=50)


@settings(max_examples=10, deadline=None)
@given(st.lists(st.tuples(numbers, numbers), min_size=2, max_size=6), st.sampled_from(NOISES), st.data())
def test_sums_targets_order_and_more_targets(pairs, noise, data):
    free = split_free([item(str(i), d, w) for i, (d, w) in enumerate(pairs)], noise)
    assert free.total - free.spent <= Fraction(1, 10**9)
    k = data.draw(st.integers(0, len(pairs) - 1))
    most = free.variance(k) * data.draw(st.sampled_from([Fraction(1, 2), Fraction(9, 10), Fraction(2)]))
    items = [item(str(i), d, w, most if i == k else None) for i, (d, w) in enumerate(pairs)]
    try:
        bound = split_free(items, noise)
    except InfeasibleBudgetError:
        assert most < free.variance(k)
        return
    assert bound.spent <= bound.total
    assert bound.variance(k) <= most
    assert bound.value >= free.value * (1 - Fraction(1, 10**9))
    turned = split_free(items[::-1], noise)
    assert turned.shares == bound.shares[::-1]
    assert by_item(split_program(bound.filling, "x"), bound.filling).verdict == "PROVED"


class split_free:  # noqa: N801
    """The shares alone, without the certificate of the program: many examples in short time."""

    def __init__(self, items, noise):
        from noiseproof.mechanisms.statistics.budget import _feasible
        from noiseproof.mechanisms.statistics.budget_item import budget_law

        law, self.total = budget_law(noise), Fraction(1)
        least = [law.least_share(w) for w in items]
        _feasible(items, least, self.total, law)
        self.filling = fill(law.power, [law.cost(w) for w in items], least, self.total)
        self.shares = tuple(self.filling.rounded(i) for i in range(len(items)))
        self.spent = sum(self.shares)
        self.variance = lambda i: law.variance(items[i], self.shares[i])
        self.value = sum(w.weight * self.variance(i) for i, w in enumerate(items))


@pytest.mark.parametrize("noise", [pytest.param("gaussian", marks=pytest.mark.long), "laplace"])
def test_forty_items(noise):
    rng = np.random.default_rng(4)
    items = []
    for i in range(40):
        most = int(rng.integers(10_000, 100_000)) if i % 3 == 0 else None
        items.append(item(f"m{i}", int(rng.integers(1, 50)), Fraction(int(rng.integers(1, 99)), 7), most))
    found = split_budget(items, 2 if noise == "gaussian" else 40, noise)
    assert found.certificate.verdict == "PROVED"
    assert found.certificate.derivation.check() is Truth.HOLDS
    assert sum(found.shares) <= found.total
    assert found.excess < 1e-9
    assert len(found.lines()) > 160


@pytest.mark.parametrize("power", [1, 2])
def test_both_routes_find_the_same_multipliers(power):
    filling = fill(
        power,
        [Fraction(1), Fraction(2**9), Fraction(27**2)][: 2 + power % 2],
        [Fraction(0), Fraction(1, 50), Fraction(9, 10)][: 2 + power % 2],
        Fraction(1),
    )
    program = split_program(filling, "x")
    whole = program.certify([filling.share(i) for i in range(len(filling.costs))])
    parts = by_item(program, filling)
    assert whole.verdict == parts.verdict == "PROVED"
    found = [[float(v) for v in c.multipliers.values if v != 0] for c in (parts, whole)]
    assert found[0] == pytest.approx(found[1])
    assert float(whole.value) == pytest.approx(float(parts.value))


@pytest.mark.parametrize("power", [1, 2])
def test_a_wrong_active_set_is_not_certified(power):
    costs, least, total = (
        [Fraction(3), Fraction(5), Fraction(1)],
        [Fraction(1, 9), Fraction(0), Fraction(1, 2)],
        1,
    )
    right = fill(power, costs, least, Fraction(total))
    program = split_program(right, "x")
    for bound in itertools.product((False, True), (False,), (False, True)):
        filling = Filling(power, tuple(costs), tuple(least), Fraction(total), bound)
        verdict = by_item(program, filling).verdict
        assert verdict == ("PROVED" if bound == right.bound else "UNDECIDED")


@pytest.mark.parametrize("power", [1, 2])
def test_each_step_of_the_instance_falls_when_it_is_sabotaged(power):
    filling = fill(
        power,
        [Fraction(3), Fraction(5), Fraction(1)],
        [Fraction(1, 9), Fraction(0), Fraction(1, 2)],
        Fraction(1),
    )
    steps = by_item(split_program(filling, "x"), filling).derivation.steps
    for step in (s for s in steps if s.how is not None and "share" in s.reason):
        sign = {"=": 1, ">=": 1, "<=": -1}[step.relation]
        assert step.check() is Truth.HOLDS
        assert replace(step, right=step.right + 100 * sign).check() is not Truth.HOLDS


def test_targets_that_do_not_fit_name_the_smallest_total_and_who_is_to_blame():
    items = [item("a", 1, 1, 2), item("b", 8, 1, 10), item("c", 1)]
    with pytest.raises(InfeasibleBudgetError, match="more than rho = 13/20") as caught:
        split_budget(items, "0.5", "gaussian")
    error = caught.value
    assert (error.smallest_total, error.largest, error.blamed) == (Fraction(13, 20), "b", ("a", "b"))
    assert split_budget(items, "0.6501", "gaussian").certificate.verdict == "PROVED"
    with pytest.raises(InfeasibleBudgetError):
        split_budget(items, "0.65", "gaussian")  # nothing would be left for c
    tight = split_budget(items[:2], "0.65", "gaussian")
    assert tight.shares == (Fraction(1, 4), Fraction(2, 5))
    with pytest.raises(InfeasibleBudgetError, match="no single target is to blame") as caught:
        split_budget([item(n, 1, 1, 1) for n in "abc"], "0.4", "gaussian")
    assert caught.value.blamed == ()


def test_without_weights_the_targets_get_their_least_shares_and_the_rest_is_left():
    found = split_budget([item("a", 1, 0, 2), item("b", 8, 0, 10)], 1, "gaussian")
    assert found.shares == (Fraction(1, 4), Fraction(2, 5))
    assert found.certificate.verdict == "PROVED"
    assert found.price == 0
    assert "7/20 of rho is not spent" in found.sentences[0]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: BudgetItem("a", sensitivity_squared=1, weight=0), "weight 0 and no max_variance"),
        (lambda: BudgetItem("a", sensitivity_squared=-1), "must be above 0"),
        (lambda: BudgetItem("a", sensitivity_squared=1, weight=-1), "at least 0"),
        (lambda: BudgetItem("a", sensitivity_squared=float("nan")), "finite"),
        (lambda: split_budget([], 1, "gaussian"), "empty"),
        (lambda: split_budget([item("a", 1), item("a", 2)], 1, "gaussian"), "two items"),
        (lambda: split_budget([item("a", 1)], 0, "gaussian"), "above 0"),
        (lambda: split_budget([item("a", 1)], 1, "gausian"), "did you mean 'gaussian'"),
        (lambda: split_budget([BudgetItem("a", sensitivity=1)], 1, "gaussian"), "needs sensitivity_squared"),
        (lambda: split_budget(["a"], 1, "gaussian"), "list of BudgetItem"),
    ],
)
def test_mistakes_are_told(make, message):
    with pytest.raises(ValueError, match=message):
        make()
    assert issubclass(InfeasibleBudgetError, SpecError)
