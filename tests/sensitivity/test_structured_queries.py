"""Queries by structure against all neighbours of small data sets: nothing is farther apart, and what is exact is reached."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations_with_replacement, product
from typing import Any

import pytest
import sympy as sp

import noiseproof as npf
from noiseproof import queries
from noiseproof.symbolic.proof.truth import Truth
from noiseproof.symbolic.sensitivity.answer import Dataset
from noiseproof.symbolic.sensitivity.changes import Change, change_of
from noiseproof.symbolic.sensitivity.pairs import distance
from noiseproof.symbolic.sensitivity.query import Query

X = sp.Symbol("x", real=True)
LINE = npf.Box(0, 2, integer=True)
SQUARE = npf.Box(0, 1, dimension=2, integer=True)
ABC = npf.Categorical(["a", "b", "c"])
NUMBERS = [0, 1, 2]
CORNERS = list(product((0, 1), repeat=2))
RELATIONS = {
    "replace-one": "replace-one",
    "add-or-remove": "add-or-remove",
    "two removed": npf.Person("who", most=2),
    "two replaced": npf.Person("who", most=2, change="replace"),
}


def neighbours(records: list[Any], n: int, change: Change) -> Iterator[tuple[Dataset, Dataset]]:
    """All neighbours up to the order of records, which no query here looks at."""
    k = change.most
    if change.kind == "replace":
        for rest in combinations_with_replacement(records, n - 1):
            yield from (((*rest, u), (*rest, v)) for u in records for v in records)
        return
    extras = [e for j in range(k + 1) for e in combinations_with_replacement(records, j)]
    for rest in combinations_with_replacement(records, n):
        for one in [()] if change.kind == "resize" else extras:
            yield from (((*rest, *one), (*rest, *two)) for two in extras)


def largest(query: Query, records: list[Any], n: int, change: Change, norm: str) -> sp.Expr:
    """The largest distance over all of them."""
    seen: dict[tuple[Any, ...], Any] = {}
    best = sp.Integer(0)
    for pair in neighbours(records, n, change):
        for side in pair:
            key = tuple(sorted(side, key=str))
            if key not in seen:
                seen[key] = query(side)
        one, two = (seen[tuple(sorted(side, key=str))] for side in pair)
        if one == two:
            continue
        gap = distance(lambda x: x, (one, two), norm)  # type: ignore[arg-type]
        best = gap if float(gap) > float(best) + 1e-12 else best
    return best


CASES = [
    ("count", queries.count(X > 1), LINE, NUMBERS, "l1", 2),
    ("count of categories", queries.count(["a", "c"]), ABC, list("abc"), "l1", 2),
    ("histogram", queries.histogram([0, 1, 2]), LINE, NUMBERS, "l2", 2),
    ("histogram beside the domain", queries.histogram([1, 2, 5]), LINE, NUMBERS, "l1", 2),
    ("clipped sum", queries.clipped_sum("1/2", 5), LINE, NUMBERS, "l1", 2),
    ("clipped mean", queries.clipped_mean("1/2", 5), LINE, NUMBERS, "l1", 2),
    ("median", queries.median(), LINE, NUMBERS, "l1", 4),
    ("low median", queries.median(of_two="low"), LINE, NUMBERS, "l1", 4),
    ("quantile", queries.quantile("3/10"), LINE, NUMBERS, "l1", 4),
    ("linear quantile", queries.quantile("3/10", method="linear"), LINE, NUMBERS, "l1", 3),
    ("second smallest", queries.order_statistic(2), LINE, NUMBERS, "l1", 3),
    ("trimmed mean", queries.trimmed_mean(1), LINE, NUMBERS, "l1", 4),
    ("two leaders", queries.top_k(["a", "b", "c"], 2), ABC, list("abc"), "l1", 3),
    ("leader", queries.argmax(["a", "b", "c"]), ABC, list("abc"), "l2", 3),
    ("leader's place", queries.argmax(["a", "b", "c"], output="index"), ABC, list("abc"), "l1", 3),
    ("two largest counts", queries.top_k(["a", "b", "c"], 2, output="counts"), ABC, list("abc"), "l2", 4),
    ("Gram", queries.gram(), SQUARE, CORNERS, "spectral", 2),
    ("Gram by entries", queries.gram(), SQUARE, CORNERS, "max", 2),
]
EXACT_BUT = {("two largest counts", "two replaced"), ("two largest counts", "replace-one")}


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize(
    ("name", "query", "domain", "records", "norm", "n"), CASES, ids=[c[0] for c in CASES]
)
def test_all_neighbours_of_small_data_sets(
    name: str, query: Query, domain: Any, records: list[Any], norm: str, n: int, relation: str
) -> None:
    change = change_of(RELATIONS[relation], domain)
    answer = query.answer(domain, norm, RELATIONS[relation], n=n)
    truth = largest(query, records, n, change, norm)
    assert answer.derivation.check() is Truth.HOLDS
    assert float(answer.at_least()) - 1e-9 <= float(truth) <= float(answer.at_most()) + 1e-9
    if answer.exact is not None:
        assert sp.simplify(answer.exact - truth) == 0
    elif (name, relation) not in EXACT_BUT:
        assert float(truth) < float(answer.at_most()) - 1e-9, "reached, and not said"


SPREADS = [
    ("variance", queries.variance(), LINE, NUMBERS, "l1"),
    ("variance, n - 1", queries.variance(divisor="n-1"), LINE, NUMBERS, "l1"),
    ("deviation", queries.standard_deviation(), LINE, NUMBERS, "l1"),
    ("deviation, n - 1", queries.standard_deviation(divisor="n-1"), LINE, NUMBERS, "l1"),
    ("covariance", queries.covariance(), SQUARE, CORNERS, "frobenius"),
    ("covariance by entries", queries.covariance(divisor="n-1"), SQUARE, CORNERS, "max"),
    ("spectral covariance", queries.covariance(), SQUARE, CORNERS, "spectral"),
]


@pytest.mark.parametrize("n", [2, 3])
@pytest.mark.parametrize("relation", ["replace-one", "add-or-remove", "two removed"])
@pytest.mark.parametrize(("name", "query", "domain", "records", "norm"), SPREADS, ids=[c[0] for c in SPREADS])
def test_spreads_over_all_neighbours(
    name: str, query: Query, domain: Any, records: list[Any], norm: str, relation: str, n: int
) -> None:
    change = change_of(RELATIONS[relation], domain)
    answer = query.answer(domain, norm, RELATIONS[relation], n=n)
    truth = largest(query, records, n, change, norm)
    assert answer.derivation.check() is Truth.HOLDS
    assert float(answer.at_least()) - 1e-9 <= float(truth) <= float(answer.at_most()) + 1e-9
    if change.most == 1 and (change.kind == "replace" or "covariance" not in name):
        assert answer.exact is not None
        assert sp.simplify(answer.exact - truth) == 0


@pytest.mark.parametrize("n", [3, 4])
def test_smooth_and_local_sensitivity_of_a_median_by_all_data_sets(n: int) -> None:
    query = queries.median(of_two="low")
    answer = query.answer(LINE, "l1", "replace-one", n=n)
    everything = list(product(NUMBERS, repeat=n))
    local = {
        data: max(abs(query(data) - query((*data[:i], v, *data[i + 1 :]))) for i in range(n) for v in NUMBERS)
        for data in everything
    }
    beta = 0.3
    for data in everything[::5]:
        assert answer.local(data) == local[data]
        apart = {other: sum(a != b for a, b in zip(data, other, strict=True)) for other in everything}
        smooth = max(
            float(local[other]) * 2.718281828459045 ** (-beta * apart[other]) for other in everything
        )
        assert float(answer.smooth(data, beta)) == pytest.approx(smooth, rel=1e-12)


def test_the_ball_reaches_its_gram_and_its_covariance() -> None:
    ball = npf.Ball(2, 3)
    assert queries.gram().answer(ball, "frobenius").exact == 4 * sp.sqrt(2)
    assert queries.gram().answer(npf.Ball(2, 3, norm=float("inf")), "max").exact == 8
    for norm in ("frobenius", "spectral", "max"):
        assert queries.covariance().answer(ball, norm, n=4).exact == 3
    assert queries.projection_onto_span().answer(ball, "frobenius", n=3).exact == sp.sqrt(2)
    leading = queries.projection_onto_leading(2)
    assert leading.answer(npf.Ball(1, 4), "spectral", n=3).exact == 1
    open_ = leading.answer(npf.Ball(1, 4), "frobenius", n=3)
    assert open_.exact is None
    assert open_.reason
    assert float(open_.at_least()) ** 2 == pytest.approx(2, rel=1e-9)


def test_clipped_gradients_go_opposite_ways() -> None:
    x, y, a, b = sp.symbols("x y a b", real=True)
    loss = sp.log(1 + sp.exp(-a * x - b * y))
    query = queries.clipped_gradient(loss, {a: 1, b: 0}, [x, y], "1/2", mean=True)
    answer = query.answer(npf.Ball(2, 2), "l2", n=4)
    assert answer.exact == sp.Rational(1, 4)
    assert query.answer(npf.Ball(0.25, 2), "l2", n=4).exact is None


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda: queries.median().answer(LINE, "l7", n=3), "unknown norm"),
        (lambda: queries.median().answer(LINE, "l1"), "give n="),
        (lambda: queries.median().answer(ABC, "l1", n=3), "numbers"),
        (lambda: queries.count(["a"]).answer(LINE, "l1"), "categories"),
        (lambda: queries.quantile(2), "share in"),
        (lambda: queries.histogram([3, 1]), "ascending"),
        (lambda: queries.top_k(["a", "b"], 3), "from 1 to 2"),
        (lambda: queries.gram().answer(SQUARE, "l2"), "unknown norm"),
        (lambda: queries.variance().answer(LINE, "l1", "replace-two", n=3), "replace-one"),
        (lambda: queries.clipped_sum(2, 1), "low < high"),
    ],
)
def test_bad_input_is_told_in_one_message(ask: Any, words: str) -> None:
    with pytest.raises(npf.SpecError, match=words):
        ask()


def test_the_module_is_on_the_front_door_and_the_verb_takes_its_queries() -> None:
    assert npf.queries is queries
    answer = npf.sensitivity(queries.median(), npf.Box(0, 1), norm="l1", n=5)
    assert answer.exact == 1
    assert answer.attained_at == ((0, 0, 0, 1, 1), (0, 0, 1, 1, 1))


def test_a_predicate_that_no_record_was_found_for_is_open() -> None:
    answer = queries.count(X > 30).answer(npf.Box(0, 1), "l1")
    assert (answer.exact, answer.attained_at) == (None, None)
    assert "not proved" in answer.reason
    assert queries.count(X > 30).answer(LINE, "l1").exact == 0


def test_a_median_of_an_even_number_says_why_it_has_no_smooth_sensitivity() -> None:
    answer = npf.sensitivity(npf.queries.median(), npf.Box(0, 1), norm="l1", n=4)
    assert answer.local((0, 0.25, 0.5, 1)) == sp.Rational(3, 8)
    with pytest.raises(ValueError, match="odd number of records"):
        answer.smooth((0, 0.25, 0.5, 1), 1)
