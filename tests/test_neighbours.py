"""Neighbours found by search: domains, relations, patterns, variation, the race, and faults that only a search reaches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from statsmodels.stats.proportion import proportion_confint

import noiseproof as npf
from noiseproof.audit.errors import SpecError
from noiseproof.audit.neighbours import (
    AddOrRemove,
    Adjacency,
    AnyTwo,
    Ball,
    Box,
    Categorical,
    Distance,
    Domain,
    Person,
    ReplaceOne,
    SearchResult,
    Simplex,
    Table,
    search_neighbours,
)
from noiseproof.audit.neighbours.ascent import climb
from noiseproof.audit.neighbours.candidate import Candidate
from noiseproof.audit.neighbours.evolution import STREAM
from noiseproof.audit.neighbours.patterns import patterns
from noiseproof.audit.neighbours.search import FEWEST
from noiseproof.audit.neighbours.separation import separation
from noiseproof.audit.neighbours.space import PairSpace
from noiseproof.audit.neighbours.variation import Breeder
from noiseproof.audit.outcomes import canonical
from noiseproof.audit.sampling import fingerprint

PEOPLE = ["ann", "bob", "cyd", "dan", "eve"]
VISITS = Table({"user": Categorical(PEOPLE), "spend": Box(0, 100), "day": Box(1, 7, integer=True)})

# --- domains -----------------------------------------------------------------------------------------------------

DOMAINS: dict[str, tuple[Domain, list[Any]]] = {  # and what lies outside
    "number": (Box(-1, 3), [3.1, -1.1, np.nan, "0", True, None, [0.0], np.zeros(2)]),
    "whole number": (Box(0, 9, integer=True), [0.5, -1, 10, "3"]),
    "box": (Box([0, 0, 5], [1, 2, 6]), [[0, 0, 4.9], [0, 0], [[0, 0, 5]], 1.0, [0, 0, np.inf], "abc"]),
    "many": (Box(0, 1, dimension=12), [np.full(12, 1.01), np.zeros(11)]),
    "1-ball": (Ball(2, 3, norm=1), [[1, 1, 0.1], [0, 0]]),
    "2-ball": (Ball(1, 4), [[0.6, 0.6, 0.6, 0.6], [1, 0, 0]]),
    "inf-ball": (Ball(0.5, 2, norm=np.inf), [[0.5, 0.6]]),
    "simplex": (Simplex(4), [[0.5, 0.5, 0.5, -0.5], [0.2, 0.2, 0.2, 0.2], [1, 0, 0]]),
    "shares": (Simplex(2, total=100), [[1, 0]]),
    "texts": (Categorical(["a", "bb", "ccc"]), ["d", 1, None, ["a"], {}]),
    "mixed": (Categorical([1, True, "1", None, 2.5]), [2, 1.0, False, "2"]),
    "table": (VISITS, [{"user": "ann"}, {"user": "zoe", "spend": 1.0, "day": 1}, {"day": 1, "user": "ann", "spend": 1.0}, 3]),
    "rows": (Table({"a": Box(0, 1), "b": Categorical([0, 1])}, layout="records"), [{"a": 2.0, "b": 0}, {"a": 0.0, "b": 0.0}]),
}  # fmt: skip


@pytest.mark.parametrize("name", DOMAINS)
def test_whatever_a_domain_makes_lies_in_it(name: str) -> None:
    domain, outside = DOMAINS[name]
    rng = np.random.default_rng(0)
    records = [domain.draw(rng) for _ in range(40)] + domain.landmarks(rng, 12)
    for i in range(120):
        records.append(domain.vary(records[int(rng.integers(len(records)))], rng, (0.02, 0.3, 1.0)[i % 3]))
        records.append(domain.cross(records[i], records[-1], rng))
    for record in records:
        assert domain.contains(record), record
        moved = domain.with_numbers(
            record, domain.numbers(record) + rng.normal(size=len(domain.numbers(record)))
        )
        assert domain.contains(moved), moved
    data = domain.dataset(records)
    assert domain.contains_all(data)
    assert domain.contains_all(domain.dataset([]))
    assert (
        domain.cells(data) == [domain.cell(r) for r in domain.rows(data)] == [domain.cell(r) for r in records]
    )
    assert len(set(domain.cells(data))) > 1
    for other in outside:
        assert not domain.contains(other), other


@pytest.mark.parametrize("name", DOMAINS)
def test_landmarks_begin_with_two_that_differ_and_are_few(name: str) -> None:
    domain, _ = DOMAINS[name]
    for most in (2, 5, 30):
        marks = domain.landmarks(np.random.default_rng(most), most)
        assert 2 <= len(marks) <= most
        assert len({domain.cell(m) for m in marks}) == len(marks)


def test_landmarks_are_the_extreme_points() -> None:
    rng = np.random.default_rng(0)
    box = {tuple(m) for m in Box(0, 1, dimension=2).landmarks(rng, 20)}
    assert box == {(0, 0), (1, 1), (0, 1), (1, 0), (0.5, 0.5)}
    simplex = [tuple(m) for m in Simplex(3).landmarks(rng, 20)]
    assert {(1, 0, 0), (0, 1, 0), (0, 0, 1), (0.5, 0.5, 0)} <= set(simplex)
    lengths = [np.linalg.norm(m) for m in Ball(2, 3).landmarks(rng, 20)]
    assert sorted({round(float(v), 9) for v in lengths}) == [0, 2]


def test_data_sets_keep_type_and_shape_when_they_are_empty() -> None:
    for name, (domain, _) in DOMAINS.items():
        full, empty = domain.dataset([domain.draw(np.random.default_rng(0))] * 2), domain.dataset([])
        if isinstance(full, np.ndarray):
            assert (empty.dtype, empty.shape[1:]) == (full.dtype, full.shape[1:]), name
        elif isinstance(full, dict):
            assert {k: v.dtype for k, v in empty.items()} == {k: v.dtype for k, v in full.items()}


# --- adjacency ---------------------------------------------------------------------------------------------------

BOX, ONE = Box(0, 9, dimension=2), [0.0, 0.0]
TEXT = Categorical(list("abc"))


def visits(text: str) -> Any:
    """A table from words such as "ann1 bob2": the person and what they spend."""
    records = [{"user": word[:3], "spend": float(word[3:]), "day": 1} for word in text.split()]
    return VISITS.dataset(records)


RELATIONS: list[tuple[Adjacency, Domain, Any, Any, bool]] = [
    (ReplaceOne(), BOX, [ONE, [1, 1]], [ONE, [1, 2]], True),
    (ReplaceOne(), BOX, [ONE, [1, 1]], [[2, 2], [1, 2]], False),
    (ReplaceOne(), BOX, [ONE, [1, 1]], [ONE, [1, 1]], False),
    (ReplaceOne(), BOX, [ONE], [ONE, ONE], False),
    (ReplaceOne(), TEXT, ["a", "b"], ["a", "c"], True),
    (ReplaceOne(), TEXT, ["a", "b"], ["b", "a"], False),
    (AddOrRemove(), TEXT, ["a", "b"], ["a", "c", "b"], True),
    (AddOrRemove(), TEXT, ["a", "b"], ["c", "b"], False),
    (AddOrRemove(), TEXT, ["a", "b"], ["b", "c", "a"], False),
    (AddOrRemove(), TEXT, [], ["b"], True),
    (AddOrRemove(), TEXT, ["a"], ["a", "a", "a"], False),
    (AddOrRemove(), TEXT, ["a"], ["a"], False),
    (AnyTwo(), TEXT, "a", "b", True),
    (AnyTwo(), TEXT, "a", "a", False),
    (Distance(1), BOX, np.array([1, 1]), np.array([1.5, 1.5]), True),
    (Distance(1), BOX, np.array([1, 1]), np.array([1.6, 1.5]), False),
    (Distance(1, np.inf), BOX, np.array([1, 1]), np.array([2, 0]), True),
    (Distance(1, 2), BOX, np.array([1, 1]), np.array([2, 1.1]), False),
    (Distance(1), BOX, np.array([1, 1]), np.array([1, 1]), False),
    (Person("user"), VISITS, visits("ann1 bob2 ann3"), visits("bob2"), True),
    (Person("user"), VISITS, visits("ann1 bob2 ann3"), visits("ann1 bob2"), False),
    (Person("user"), VISITS, visits("ann1 bob2"), visits("cyd1"), False),
    (Person("user"), VISITS, visits("ann1 bob2 cyd3"), visits("cyd3 bob2"), False),
    (Person("user"), VISITS, visits("ann1"), visits(""), True),
    (Person("user", "replace"), VISITS, visits("ann1 bob2 ann3"), visits("ann9 bob2"), True),
    (Person("user", "replace"), VISITS, visits("ann1 bob2"), visits("ann9 bob3"), False),
    (Person("user", "replace"), VISITS, visits("ann1 bob2"), visits("ann1 bob2"), False),
    (Person("user", most=2), VISITS, visits("ann1 ann2 bob2"), visits("bob2"), True),
    (Person("user", most=2), VISITS, visits("ann1 ann2 ann3 bob2"), visits("bob2"), False),
    (Person("user", most=2), VISITS, visits("ann1 bob2 bob2 bob2"), visits("bob2 bob2 bob2"), False),
]


@pytest.mark.parametrize(("relation", "domain", "one", "two", "expected"), RELATIONS)
def test_what_neighbours_are(relation: Adjacency, domain: Domain, one: Any, two: Any, expected: bool) -> None:
    one, two = (np.array(x) if domain is BOX else x for x in (one, two))
    assert relation.holds(one, two, domain) is expected
    assert relation.holds(two, one, domain) is expected


SPACES: dict[str, tuple[Domain, Adjacency, Any]] = {
    "box, replace-one": (Box(0, 1, dimension=3), ReplaceOne(), 4),
    "numbers, add-or-remove": (Box(-1, 1), AddOrRemove(), (0, 5)),
    "ball, replace-one": (Ball(1, 3), ReplaceOne(), (1, 3)),
    "ball, any two": (Ball(1, 3, norm=1), AnyTwo(), None),
    "simplex, any two": (Simplex(4), AnyTwo(), None),
    "histogram, distance": (Box(0, 3, dimension=5, integer=True), Distance(1), None),
    "answers, distance": (Box(0, 2, dimension=6), Distance(1, np.inf), None),
    "ball, distance": (Ball(1, 3), Distance(0.3, 2), None),
    "simplex, distance": (Simplex(3), Distance(0.2), None),
    "categories, replace-one": (Categorical(list("abcdefgh")), ReplaceOne(), 5),
    "categories, add-or-remove": (Categorical(["x", "y"]), AddOrRemove(), 3),
    "categories, any two": (Categorical([0, 1, 2]), AnyTwo(), None),
    "table, replace-one": (VISITS, ReplaceOne(), 3),
    "table, person removed": (VISITS, Person("user", most=4), (0, 8)),
    "table, person replaced": (VISITS, Person("user", "replace"), (2, 7)),
    "rows, person replaced": (Table(dict(VISITS.columns), "records"), Person("user", "replace", most=3), 6),
}


def records_of(x: Any) -> list[str]:
    """Records of a data set in words, read without the code under test."""
    if isinstance(x, dict):
        return [str(row) for row in zip(*(np.asarray(v).tolist() for v in x.values()), strict=True)]
    return [
        str(tuple(r.values()) if isinstance(r, dict) else r)
        for r in (x if isinstance(x, list) else x.tolist())
    ]


def neighbours_by_hand(relation: Adjacency, one: Any, two: Any) -> bool:
    """The relation in other words than those of `holds`: by edits of one list into the other."""
    if isinstance(relation, AnyTwo):
        return fingerprint(one) != fingerprint(two)
    if isinstance(relation, Distance):
        gap = np.abs(np.asarray(one, dtype=float) - np.asarray(two, dtype=float))
        length = {1: gap.sum(), 2: np.sqrt((gap**2).sum()), np.inf: gap.max()}[relation.norm]
        return bool(0 < length <= relation.apart * (1 + 1e-9))
    a, b = records_of(one), records_of(two)
    if isinstance(relation, ReplaceOne):
        return (
            a != b
            and any(a[:i] + a[i + 1 :] == b[:i] + b[i + 1 :] for i in range(len(a)))
            and len(a) == len(b)
        )
    if isinstance(relation, AddOrRemove):
        a, b = sorted((a, b), key=len)
        return any(b[:i] + b[i + 1 :] == a for i in range(len(b)))
    persons = [[r.split(",")[0] for r in side] for side in (a, b)]
    most = getattr(relation, "most", None) or 99
    if any(side.count(p) > most for side in persons for p in side):
        return False

    def without(who: str) -> list[list[str]]:
        return [
            [r for r, p in zip(side, ps, strict=True) if p != who]
            for side, ps in zip((a, b), persons, strict=True)
        ]

    found = [p for p in {*persons[0], *persons[1]} if a != b and without(p)[0] == without(p)[1]]
    removing = getattr(relation, "change", "") == "remove"
    return len(found) == 1 and not (removing and found[0] in persons[0] and found[0] in persons[1])


@pytest.mark.parametrize("name", SPACES)
def test_every_pair_that_is_made_is_a_pair_of_neighbours(name: str) -> None:
    domain, relation, size = SPACES[name]
    space = PairSpace.of(domain, relation, size)
    rng = np.random.default_rng(1)
    pool = patterns(space, rng, 60) + [space.random(rng) for _ in range(60)]
    breeder = Breeder(space, rng)
    for i in range(300):
        child, names = breeder.child(pool[int(rng.integers(len(pool)))], pool[i % 60], 0.2)
        breeder.credit(names, i % 2 == 0)
        pool.append(child)
    climb(pool[0], space, lambda found: [pool.append(c) or 0.1 * i for i, c in enumerate(found)], rng, 0.1)  # type: ignore[func-returns-value]
    low, high = space.sizes or (0, 0)
    for candidate in pool:
        one, two = space.inputs(candidate)
        assert neighbours_by_hand(relation, one, two), (candidate.origin, one, two)
        assert space.admits(one, two)
        if relation.of_datasets:
            assert low <= min(len(records_of(x)) for x in (one, two))
            assert max(len(records_of(x)) for x in (one, two)) <= high
    assert len({space.key(space.inputs(c)) for c in pool}) >= min(6, len(pool) // 2)


@pytest.mark.parametrize("name", SPACES)
def test_a_given_pair_becomes_a_candidate_that_gives_it_back(name: str) -> None:
    domain, relation, size = SPACES[name]
    space = PairSpace.of(domain, relation, size)
    rng = np.random.default_rng(2)
    for _ in range(20):
        pair = space.inputs(space.random(rng))
        again = space.inputs(space.split(*pair, origin="given"))
        assert {fingerprint(x) for x in again} == {fingerprint(x) for x in pair}
    with pytest.raises(SpecError, match="not neighbours"):
        space.split(pair[0], pair[0], origin="given")


def test_the_records_of_a_person_may_stand_apart() -> None:
    space = PairSpace.of(VISITS, Person("user"), (0, 5))
    one, two = visits("ann1 bob2 ann3 cyd1"), visits("bob2 cyd1")
    found = space.split(one, two, "given")
    assert sorted(records_of(space.inputs(found)[0])) == sorted(records_of(one))
    assert records_of(space.inputs(found)[1]) == records_of(two)


# --- patterns ----------------------------------------------------------------------------------------------------


def test_the_published_patterns_of_answers_are_tried() -> None:
    space = PairSpace.of(Box(0, 2, dimension=5, integer=True), Distance(1, np.inf), None)
    shapes = {
        c.origin.removesuffix(" (pattern)"): tuple(tuple(x.tolist()) for x in space.inputs(c))
        for c in reversed(patterns(space, np.random.default_rng(0), 400))
    }
    ones = (1,) * 5
    assert shapes["one above"] == (ones, (2, 1, 1, 1, 1))
    assert shapes["one below"] == (ones, (0, 1, 1, 1, 1))
    assert shapes["one above, rest below"] == (ones, (2, 0, 0, 0, 0))
    assert shapes["one below, rest above"] == (ones, (0, 2, 2, 2, 2))
    assert shapes["half and half"] == (ones, (0, 0, 0, 2, 2))
    assert shapes["all above"] == (ones, (2,) * 5)
    assert shapes["all below"] == (ones, (0,) * 5)
    assert shapes["X shape"] == ((2, 2, 2, 1, 1), (1, 1, 1, 2, 2))


def test_data_sets_of_the_auditing_literature_are_tried() -> None:
    space = PairSpace.of(Box(0, 1), AddOrRemove(), (0, 6))
    found = patterns(space, np.random.default_rng(0), 200)
    pairs = [tuple(sorted((x.tolist() for x in space.inputs(c)), key=len)) for c in found]
    assert ([], [1.0]) in pairs
    assert ([0.0] * 5, [1.0] + [0.0] * 5) in pairs
    assert {len(p[1]) for p in pairs} >= {1, 6}
    people = PairSpace.of(VISITS, Person("user", most=3), (0, 6))
    removed = [len(records_of(people.inputs(c)[0])) - len(records_of(people.inputs(c)[1])) for c in
               patterns(people, np.random.default_rng(0), 200)]  # fmt: skip
    assert set(removed) == {1, 2, 3}


# --- the score ---------------------------------------------------------------------------------------------------


def score(one: Any, two: Any, **options: Any) -> float:
    return separation(canonical(one, len(one)), canonical(two, len(two)), **options)


def test_the_score_estimates_epsilon_and_is_not_fooled_by_noise() -> None:
    rng = np.random.default_rng(0)
    equal = [score(rng.laplace(size=60), rng.laplace(size=60)) for _ in range(60)]
    apart = [score(rng.laplace(size=60), 1 + rng.laplace(size=60)) for _ in range(60)]
    assert np.mean(equal) < 0 < np.mean(apart) < 1
    assert score(rng.laplace(size=4000), 1 + rng.laplace(size=4000), caution=0) == pytest.approx(1, abs=0.15)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (["a"] * 60, ["b"] * 60),
        ([None] * 60, [1.0] * 60),
        ([ValueError()] * 60, list(np.arange(60.0))),
        (np.arange(60) // 30, np.full(60, 2)),
        (np.random.default_rng(0).normal(0, 1, 200), np.random.default_rng(1).normal(0, 9, 200)),
    ],
)
def test_outcomes_of_any_kind_are_told_apart(one: Any, two: Any) -> None:
    assert score(one, two) > 0.7
    assert score(one, one) < 0.7


def test_rare_failures_that_a_claim_allows_do_not_count() -> None:
    rng = np.random.default_rng(0)
    usual, leaky = rng.laplace(size=4000), rng.laplace(size=4000)
    leaky[:200] = 50.0
    assert score(usual, leaky) > 1
    assert score(usual, leaky, delta=0.2) < 0.5


def test_last_bits_are_no_difference() -> None:
    exact = np.arange(100) % 5 * 0.1
    assert score(exact, exact * (1 + 2.0**-51)) == score(exact, exact)


def test_a_law_is_used_where_it_is_known() -> None:
    """Two bumps that are mirrored: no half-line tells them apart well, the density does."""

    class Bumps:
        def log_density(self, y: Any, x: int) -> Any:
            return np.log(np.where((np.floor(y[:, 0]) % 2 == x), 0.9, 0.1) / 20)

    rng = np.random.default_rng(0)
    whole = 2 * rng.integers(20, size=(2, 300)) + (rng.random((2, 300)) < 0.1) + np.array([[0], [1]])
    one, two = whole % 40 + rng.random((2, 300))
    assert score(one, two, subject=Bumps(), inputs=(0, 1)) > 1.5 > score(one, two)


# --- ascent ------------------------------------------------------------------------------------------------------


def test_uphill_steps_climb_a_smooth_hill() -> None:
    w = np.array([3.0, -1.0, 2.0, 0.5]) / np.sqrt(14.25)
    space = PairSpace.of(Ball(1, 4), AnyTwo(), None)

    def height(c: Candidate) -> float:
        return float(np.subtract(*space.inputs(c)) @ w)

    rng = np.random.default_rng(0)
    here: Candidate | None = Candidate((), 0, (np.zeros(4),), (np.array([0.1, 0, 0, 0]),), "start", 5)
    heights: list[float] = []
    for _ in range(12):
        if here is None:
            break
        heights.append(height(here))
        here = climb(here, space, lambda found: [height(c) for c in found], rng, 0.05)
        assert here is None or (here.root, here.origin) == (5, "evolution from: start")
    assert max(heights) > 1.8
    assert heights == sorted(heights)


def test_categories_have_no_gradient() -> None:
    space = PairSpace.of(TEXT, AnyTwo(), None)
    rng = np.random.default_rng(0)
    assert climb(space.random(rng), space, lambda found: [0.0] * len(found), rng, 0.1) is None


# --- the search --------------------------------------------------------------------------------------------------


def noisy_sum(x: Any, size: int, rng: np.random.Generator) -> Any:
    """Exactly 1-differentially private for numbers in [0, 1]."""
    return x.sum() + rng.laplace(size=size)


def test_the_budget_is_kept_counted_and_told() -> None:
    drawn: list[int] = []
    told: list[float] = []

    def counting(x: Any, size: int, rng: np.random.Generator) -> Any:
        if rng.bit_generator.seed_seq.spawn_key[0] == STREAM:  # type: ignore[attr-defined]
            drawn.append(size)
        return noisy_sum(x, size, rng)

    found = search_neighbours(counting, Box(0, 1), ReplaceOne(), size=3, samples=5_000, progress=lambda f, t: told.append(f))  # fmt: skip
    assert 4_000 < found.calls <= 5_000
    assert found.calls == sum(drawn) - 4  # four to see whether the law reads the outcomes
    assert told == sorted(told)
    assert told[-1] == 1.0
    assert found.discarded == 0
    assert sum(found.tried.values()) > 20


def test_the_same_seed_finds_the_same_pair() -> None:
    def run(seed: int, release: Any = noisy_sum) -> SearchResult:
        return search_neighbours(release, Box(0, 1), AddOrRemove(), size=(0, 4), samples=4_000, seed=seed)

    one, again, other = run(3), run(3, npf.BlackBox(noisy_sum, (0.0, 1.0))), run(4)
    assert [fingerprint(x) for x in one.inputs] == [fingerprint(x) for x in again.inputs]
    assert (one.history, one.tried, one.notes) == (again.history, again.tried, again.notes)
    assert one.history != other.history


def test_the_audit_shares_no_stream_with_the_search() -> None:
    keys: dict[str, set[tuple[int, ...]]] = {"search": set(), "audit": set()}
    phase = "search"

    def recorded(x: Any, size: int, rng: np.random.Generator) -> Any:
        keys[phase].add(tuple(rng.bit_generator.seed_seq.spawn_key))  # type: ignore[attr-defined]
        return noisy_sum(x, size, rng)

    found = search_neighbours(recorded, Box(0, 1), ReplaceOne(), size=2, samples=4_000, seed=7)
    searched = {k for k in keys["search"] if k[0] == STREAM}
    assert len(keys["search"]) - len(searched) == 8  # the probe of the first inputs, which learns nothing
    phase = "audit"
    npf.examine(found.subject(), npf.PureDP(2.0), samples=2_000, seed=7)
    assert keys["audit"]
    assert not keys["audit"] & searched


def test_several_pairs_share_the_alpha_of_the_audit() -> None:
    found = search_neighbours(noisy_sum, Box(0, 1), ReplaceOne(), size=3, samples=6_000, pairs=3)
    assert len({fingerprint(list(p.inputs)) for p in found.pairs}) == 3
    assert found.subject().neighbours() == tuple(p.inputs for p in found.pairs)
    one = npf.examine(npf.BlackBox(noisy_sum, found.inputs), npf.PureDP(1.5), samples=1_000)
    three = npf.examine(found.subject(), npf.PureDP(1.5), samples=1_000)
    assert three.settings["alpha_per_test"] == pytest.approx(one.settings["alpha_per_test"] / 3)
    assert "divided over the 3 pairs" in " ".join(found.notes)


def test_an_exception_on_some_inputs_is_found_and_said() -> None:
    def fragile(x: Any, size: int, rng: np.random.Generator) -> Any:
        if len(x) == 0:
            raise ZeroDivisionError
        return x.mean() / len(x) + rng.laplace(size=size)

    found = search_neighbours(fragile, Box(0, 1), AddOrRemove(), size=(0, 4), samples=4_000)
    assert sorted(len(x) for x in found.inputs) == [0, 1]
    assert "ZeroDivisionError" in found.notes[-1]
    assert npf.examine(found.subject(), npf.PureDP(1.0), samples=2_000).verdict is npf.Verdict.REFUTED
    calm = search_neighbours(fragile, Box(0, 1), AddOrRemove(), size=(1, 4), samples=4_000)
    assert len(calm.notes) == 2


def test_notes_say_how_much_was_tried_and_name_the_relation() -> None:
    found = search_neighbours(noisy_sum, Box(0, 1), ReplaceOne(), size=3, samples=4_000, seed=5)
    text = " ".join(found.notes)
    for part in (
        "replace-one",
        "numbers from 0 to 1",
        "3 records",
        f"{found.calls:,} calls",
        "seed 5",
        found.pairs[0].origin,
    ):
        assert part in text
    assert f"{sum(found.tried.values()):,} pairs were tried" in text


def test_given_pairs_are_tried_and_kept_if_they_are_best() -> None:
    secret = np.array([0.123, 0.456, 0.789])

    def trapdoor(x: Any, size: int, rng: np.random.Generator) -> Any:
        return x.sum() + rng.laplace(scale=0.05 if np.array_equal(x, secret) else 1.0, size=size)

    pair = (secret, np.array([0.9, 0.456, 0.789]))
    blind = search_neighbours(trapdoor, Box(0, 1), ReplaceOne(), size=3, samples=4_000)
    told = search_neighbours(trapdoor, Box(0, 1), ReplaceOne(), size=3, samples=4_000, start=[pair])
    assert not any(np.array_equal(x, secret) for x in blind.inputs)
    assert any(np.array_equal(x, secret) for x in told.inputs)


def test_a_mechanism_brings_its_law_and_a_function_may() -> None:
    mechanism = npf.LaplaceMechanism(1.0, 1.0, dimension=2)
    found = search_neighbours(mechanism, Box(0, 1, dimension=2), Distance(1), samples=3_000)
    assert found.subject().log_density(np.zeros((1, 2)), found.inputs[0]) is not None
    plain = search_neighbours(
        mechanism.release,
        Box(0, 1, dimension=2),
        Distance(1),
        samples=3_000,
        log_density=mechanism.log_density,
    )
    assert [x.tolist() for x in plain.inputs] == [x.tolist() for x in found.inputs]
    assert npf.examine(found.subject(), npf.PureDP(1.0), samples=2_000).verdict is npf.Verdict.SURVIVED


def test_outcomes_may_be_drawn_in_another_way() -> None:
    calls: list[tuple[int, ...]] = []

    def drawing(subject: Any) -> Callable[..., Any]:
        def draw(x: Any, size: int, stream: Any, seed: int) -> Any:
            calls.append(tuple(stream))
            return canonical(subject.sample(x, size, np.random.default_rng([seed, *stream])), size)

        return draw

    search_neighbours(noisy_sum, Box(0, 1), ReplaceOne(), size=2, samples=FEWEST, drawing=drawing)
    assert {key[0] for key in calls} == {STREAM}


def test_small_spaces_are_exhausted_and_the_search_ends() -> None:
    def response(x: int, size: int, rng: np.random.Generator) -> Any:
        return np.where(rng.random(size) < 0.7, x, 1 - x)

    found = search_neighbours(response, Categorical([0, 1]), AnyTwo(), samples=20_000)
    assert sum(found.tried.values()) <= 2
    assert found.pairs[0].score == pytest.approx(np.log(0.7 / 0.3), abs=0.2)


def test_a_relation_that_is_kept_badly_is_caught_by_the_other_half(monkeypatch: pytest.MonkeyPatch) -> None:
    def repair(self: Any, candidate: Candidate, domain: Domain, rng: np.random.Generator) -> Candidate:
        return Candidate(candidate.common, 0, (0.0, 0.0), (1.0, 1.0), candidate.origin, candidate.root)

    monkeypatch.setattr(ReplaceOne, "repair", repair)
    with pytest.raises(SpecError, match="no neighbours could be made"):
        search_neighbours(noisy_sum, Box(0, 1), ReplaceOne(), size=3, samples=FEWEST)


def _fails(x: Any, size: int, rng: np.random.Generator) -> Any:
    raise RuntimeError("no such table")


def _changes(x: Any, size: int, rng: np.random.Generator) -> Any:
    x *= 0
    return np.zeros(size)


ERRORS: list[tuple[Callable[[], Any], str]] = [
    (lambda: Box(1, 0), "low < high"),
    (lambda: Box([0, 0], [1, 1, 1]), "equal length"),
    (lambda: Box(0, 0.5, integer=True), "whole ends"),
    (lambda: Box(0, np.inf), "finite"),
    (lambda: Ball(0, 2), "radius > 0"),
    (lambda: Ball(1, 2, norm=3), "norm 1, 2 or inf"),
    (lambda: Ball(1, 0), "whole number >= 1"),
    (lambda: Simplex(1), "whole number >= 2"),
    (lambda: Simplex(3, total=0), "total > 0"),
    (lambda: Categorical(["a"]), "at least two"),
    (lambda: Categorical(["a", "a"]), "different"),
    (lambda: Categorical([["a"], "b"]), "expected text"),
    (lambda: Table({}), "at least one column"),
    (lambda: Table({"a": Ball(1, 2)}), "column 'a'"),
    (lambda: Table({"a": Box(0, 1)}, layout="rows"), "layout"),  # type: ignore[arg-type]
    (lambda: PairSpace.of(3, ReplaceOne(), 2), "domain must be"),
    (lambda: PairSpace.of(TEXT, "replace-one", 2), "adjacency must be"),
    (lambda: PairSpace.of(TEXT, ReplaceOne(), None), "number of records"),
    (lambda: PairSpace.of(TEXT, ReplaceOne(), 0), "1 <= low"),
    (lambda: PairSpace.of(TEXT, ReplaceOne(), (3, 2)), "low <= high"),
    (lambda: PairSpace.of(TEXT, AddOrRemove(), (2, 2)), "low < high"),
    (lambda: PairSpace.of(TEXT, AnyTwo(), 2), "leave size out"),
    (lambda: PairSpace.of(TEXT, Distance(1), None), "expected a Box"),
    (lambda: PairSpace.of(BOX, Distance(0), None), "apart > 0"),
    (lambda: PairSpace.of(TEXT, Person("user"), 2), "expected a Table"),
    (lambda: PairSpace.of(VISITS, Person("name"), 2), "column 'name'"),
    (lambda: PairSpace.of(VISITS, Person("spend"), 2), "Categorical or a Box of whole"),
    (lambda: PairSpace.of(VISITS, Person("user", most=0), 2), "most = 0"),
    (lambda: search_neighbours(noisy_sum, Box(0, 1), ReplaceOne(), size=2, samples=100), f"at least {FEWEST}"),
    (lambda: search_neighbours(noisy_sum, Box(0, 1), ReplaceOne(), size=2, pairs=0), "pairs of the search"),
    (lambda: search_neighbours(noisy_sum, Box(0, 1), ReplaceOne(), size=2, delta=1.0), "delta of the search"),
    (lambda: search_neighbours(3, Box(0, 1), ReplaceOne(), size=2), "release must be a function"),  # type: ignore[arg-type]
    (lambda: search_neighbours(_fails, Box(0, 1), ReplaceOne(), size=2), "no such table"),
    (lambda: search_neighbours(_changes, Box(0, 1), ReplaceOne(), size=2), "changes its input"),
    (lambda: search_neighbours(noisy_sum, Box(0, 1), ReplaceOne(), size=1, start=[(np.zeros(1), np.full(1, 2.0))]), "not neighbours"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "part"), ERRORS, ids=[part for _, part in ERRORS])
def test_what_cannot_be_meant_is_explained(call: Callable[[], Any], part: str) -> None:
    with pytest.raises(SpecError) as caught:
        call()
    assert part in str(caught.value)


# --- planted pairs -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Plant:
    """A release that keeps (1, 0) on all neighbours but those of which one input satisfies `faulty`."""

    domain: Domain
    adjacency: Adjacency
    size: Any
    faulty: Callable[[Any], bool]
    release: Callable[[Any, bool, int, np.random.Generator], Any]
    obvious: tuple[Any, Any]

    def code(self, x: Any, size: int, rng: np.random.Generator) -> Any:
        return self.release(x, self.faulty(x), size, rng)

    def mended(self, x: Any, size: int, rng: np.random.Generator) -> Any:
        """The same release without the fault: exactly at its claim on some pairs."""
        return self.release(x, False, size, rng)

    def search(self, release: Any, seed: int, samples: int) -> SearchResult:
        return search_neighbours(
            release, self.domain, self.adjacency, size=self.size, samples=samples, seed=seed
        )


def _box_release(x: Any, fault: bool, size: int, rng: np.random.Generator) -> Any:
    """Sums of records clipped at one; the bug forgets to clip where two entries are large and the third is neither."""
    each = np.minimum(x.sum(axis=1), 1.0)
    return (np.where(_odd_corner(x), x.sum(axis=1), each) if fault else each).sum() + rng.laplace(size=size)


def _odd_corner(x: Any) -> Any:
    return (x[:, 0] > 0.9) & (x[:, 1] > 0.9) & (x[:, 2] > 0.25) & (x[:, 2] < 0.65)


_DIRECTION = np.array([3, -2, 0.5]) / np.sqrt(13.25)


def _ball_release(x: Any, fault: bool, size: int, rng: np.random.Generator) -> Any:
    """A vector sum whose noise is halved when a record points nearly one way, as after a wrong normalisation."""
    return x.sum(axis=0) / (2 * np.sqrt(3)) + rng.laplace(scale=0.5 if fault else 1.0, size=(size, 3))


def _simplex_release(p: Any, fault: bool, size: int, rng: np.random.Generator) -> Any:
    """A distribution with noise of scale 2, of scale 1 if the third share takes more than half and the second the rest."""
    return p + rng.laplace(scale=1.0 if fault else 2.0, size=(size, 4))


_CODES = [f"c{i:02d}" for i in range(30)]


def _codes_release(x: Any, fault: bool, size: int, rng: np.random.Generator) -> Any:
    """A count of codes below c15; a branch for two codes that exclude each other counts each record three times."""
    return np.sum(x < "c15") * (3.0 if fault else 1.0) + rng.laplace(size=size)


def _persons_release(x: Any, fault: bool, size: int, rng: np.random.Generator) -> Any:
    """A count of persons; those with three visits or more between 60 and 80 are counted once more per further visit."""
    return len(np.unique(x["user"])) + _again(x) * fault + rng.laplace(size=size)


def _again(x: Any) -> int:
    _, visits = np.unique(x["user"][(x["spend"] > 60) & (x["spend"] < 80)], return_counts=True)
    return int(np.maximum(visits - 2, 0).sum())


_PERSONS = Table({"user": Categorical(PEOPLE), "spend": Box(0, 100)})
PLANTS: dict[str, Plant] = {
    "box": Plant(
        Box(0, 1, dimension=3), ReplaceOne(), 4, lambda x: bool(_odd_corner(x).any()), _box_release,
        (np.zeros((4, 3)), np.vstack([np.ones((1, 3)), np.zeros((3, 3))])),
    ),
    "ball": Plant(
        Ball(1, 3), ReplaceOne(), 3, lambda x: bool((x @ _DIRECTION > 0.9).any()), _ball_release,
        (np.eye(3), np.vstack([-np.eye(3)[:1], np.eye(3)[1:]])),
    ),
    "simplex": Plant(
        Simplex(4), AnyTwo(), None, lambda p: bool(p[2] > 0.55 and p[1] > 0.3), _simplex_release,
        (np.eye(4)[0], np.eye(4)[1]),
    ),
    "categorical": Plant(
        Categorical(_CODES), ReplaceOne(), 5, lambda x: "c07" in x and "c23" in x, _codes_release,
        (np.array(["c00"] * 5), np.array(["c29"] + ["c00"] * 4)),
    ),
    "table": Plant(
        _PERSONS, Person("user", most=6), (0, 8), lambda x: _again(x) > 0, _persons_release,
        (_PERSONS.dataset([{"user": "ann", "spend": 50.0}] * 4), _PERSONS.dataset([])),
    ),
}  # fmt: skip
CLAIM = npf.PureDP(1.0)


@pytest.mark.parametrize("name", PLANTS)
def test_obvious_pairs_and_published_patterns_miss_the_planted_fault(name: str) -> None:
    plant = PLANTS[name]
    space = PairSpace.of(plant.domain, plant.adjacency, plant.size)
    assert space.admits(*plant.obvious)
    if name != "categorical":  # a pattern of mixed categories may hold both codes by chance
        for candidate in patterns(space, np.random.default_rng(0), 200):
            assert not any(plant.faulty(x) for x in space.inputs(candidate)), candidate.origin
    certificate = npf.examine(npf.BlackBox(plant.code, plant.obvious), CLAIM, samples=5_000)
    assert certificate.verdict is npf.Verdict.SURVIVED


def finds(plant: Plant, seeds: Iterator[int] | range, samples: int) -> list[bool]:
    """Whether each search hands on a pair with the fault that is clearly worse than the claim."""
    found = [plant.search(plant.code, seed, samples) for seed in seeds]
    return [any(plant.faulty(x) for x in f.inputs) and f.pairs[0].score > 1.3 for f in found]


@pytest.mark.parametrize("name", PLANTS)
def test_a_search_finds_the_planted_pair(name: str) -> None:
    assert all(finds(PLANTS[name], range(2), samples=40_000))


@pytest.mark.long
@pytest.mark.parametrize("name", PLANTS)
def test_nine_of_ten_searches_find_the_planted_pair(name: str) -> None:
    found = finds(PLANTS[name], range(100, 120), samples=100_000)
    print(f"{name}: {sum(found)} of {len(found)} searches of 100,000 calls find the planted pair")
    assert sum(found) >= 18


@pytest.mark.parametrize("name", PLANTS)
def test_the_pair_found_refutes_and_the_mended_release_survives(name: str) -> None:
    plant = PLANTS[name]
    found = plant.search(plant.code, 0, 40_000)
    certificate = npf.examine(found.subject(name=name), CLAIM, samples=4_000, notes=found.notes)
    assert certificate.verdict is npf.Verdict.REFUTED
    assert all(note in certificate.to_json() for note in found.notes)
    again = plant.search(plant.mended, 0, 6_000)
    assert npf.examine(again.subject(), CLAIM, samples=4_000).verdict is npf.Verdict.SURVIVED


# --- multiplicity ------------------------------------------------------------------------------------------------


def searched_audits(audits: int, samples: int) -> int:
    """How many audits refute a release that is exactly at its claim, the pair chosen by a search."""
    refuted = 0
    for seed in range(audits):
        found = search_neighbours(noisy_sum, Box(0, 1), ReplaceOne(), size=2, samples=FEWEST, seed=seed)
        certificate = npf.examine(found.subject(), CLAIM, samples=samples, seed=seed)
        refuted += certificate.verdict is npf.Verdict.REFUTED
    return refuted


def test_a_release_at_its_claim_is_rarely_refuted_after_a_search() -> None:
    # 8 audits: more than 3 alarms have probability below 1e-3 at a rate of 5 %.
    assert searched_audits(8, samples=1_000) <= 3


def test_the_score_of_the_winner_is_no_evidence() -> None:
    """The reason for new outcomes: the largest of many estimates exceeds the truth."""
    won = [
        search_neighbours(noisy_sum, Box(0, 1), ReplaceOne(), size=2, samples=FEWEST, seed=s).history[-1][1]
        for s in range(8)
    ]
    assert max(won) > 1.0


@pytest.mark.long
def test_false_alarms_of_searched_audits() -> None:
    alarms = searched_audits(400, samples=1_000)
    lower = proportion_confint(alarms, 400, alpha=0.02, method="beta")[0]
    print(f"{alarms} false alarms in 400 audits after a search, lower 99 % bound {lower:.4f}")
    assert lower <= 0.05
