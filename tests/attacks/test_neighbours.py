"""Neighbours found by search: domains, relations, patterns, variation, the race, and faults that only a search reaches."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from noiseproof.audit.trial.neighbours.ascent import climb
from noiseproof.audit.trial.neighbours.patterns import patterns
from noiseproof.audit.trial.neighbours.separation import separation
from noiseproof.audit.trial.neighbours.space import PairSpace
from noiseproof.audit.trial.neighbours.variation import Breeder
from noiseproof.audit.trial.outcomes import canonical
from noiseproof.audit.trial.sampling import fingerprint
from noiseproof.symbolic.domains.adjacency import AddOrRemove, Adjacency, AnyTwo, Distance, Person, ReplaceOne
from noiseproof.symbolic.domains.ball import Ball
from noiseproof.symbolic.domains.box import Box
from noiseproof.symbolic.domains.candidate import Candidate
from noiseproof.symbolic.domains.discrete import Categorical, Table
from noiseproof.symbolic.domains.domain import Domain
from noiseproof.symbolic.domains.simplex import Simplex
from noiseproof.symbolic.errors import SpecError

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
    "table": (
        VISITS,
        [
            {"user": "ann"},
            {"user": "zoe", "spend": 1.0, "day": 1},
            {"day": 1, "user": "ann", "spend": 1.0},
            3,
        ],
    ),
    "rows": (
        Table({"a": Box(0, 1), "b": Categorical([0, 1])}, layout="records"),
        [{"a": 2.0, "b": 0}, {"a": 0.0, "b": 0.0}],
    ),
}


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
    removed = [
        len(records_of(people.inputs(c)[0])) - len(records_of(people.inputs(c)[1]))
        for c in patterns(people, np.random.default_rng(0), 200)
    ]
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
