"""The search for neighbours: budget, seeds, multiplicity, messages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import noiseproof as npf
from noiseproof.audit.trial.neighbours.evolution import STREAM
from noiseproof.audit.trial.neighbours.result import SearchResult
from noiseproof.audit.trial.neighbours.search import FEWEST, search_neighbours
from noiseproof.audit.trial.neighbours.space import PairSpace
from noiseproof.audit.trial.outcomes import canonical
from noiseproof.audit.trial.sampling import fingerprint
from noiseproof.symbolic.domains.adjacency import AddOrRemove, AnyTwo, Distance, Person, ReplaceOne
from noiseproof.symbolic.domains.ball import Ball
from noiseproof.symbolic.domains.box import Box
from noiseproof.symbolic.domains.candidate import Candidate
from noiseproof.symbolic.domains.discrete import Categorical, Table
from noiseproof.symbolic.domains.domain import Domain
from noiseproof.symbolic.domains.simplex import Simplex
from noiseproof.symbolic.errors import SpecError

PEOPLE = ["ann", "bob", "cyd", "dan", "eve"]
VISITS = Table({"user": Categorical(PEOPLE), "spend": Box(0, 100), "day": Box(1, 7, integer=True)})
TEXT = Categorical(list("abc"))

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

    found = search_neighbours(
        counting, Box(0, 1), ReplaceOne(), size=3, samples=5_000, progress=lambda f, t: told.append(f)
    )
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
    assert (
        len(keys["search"]) - len(searched) == 16
    )  # the two probes of the first inputs, which learn nothing
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
    assert "divided over the 3 audited pairs" in " ".join(found.notes)


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
    assert f"Tried: {sum(found.tried.values()):,} pairs" in text


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
    (lambda: PairSpace.of(Box(0, 9, dimension=2), Distance(0), None), "apart > 0"),
    (lambda: PairSpace.of(TEXT, Person("user"), 2), "expected a Table"),
    (lambda: PairSpace.of(VISITS, Person("name"), 2), "column 'name'"),
    (lambda: PairSpace.of(VISITS, Person("spend"), 2), "Categorical or a Box of whole"),
    (lambda: PairSpace.of(VISITS, Person("user", most=0), 2), "most = 0"),
    (
        lambda: search_neighbours(noisy_sum, Box(0, 1), ReplaceOne(), size=2, samples=100),
        f"at least {FEWEST}",
    ),
    (lambda: search_neighbours(noisy_sum, Box(0, 1), ReplaceOne(), size=2, pairs=0), "pairs of the search"),
    (lambda: search_neighbours(noisy_sum, Box(0, 1), ReplaceOne(), size=2, delta=1.0), "delta of the search"),
    (lambda: search_neighbours(3, Box(0, 1), ReplaceOne(), size=2), "release must be a function"),  # type: ignore[arg-type]
    (lambda: search_neighbours(_fails, Box(0, 1), ReplaceOne(), size=2), "no such table"),
    (lambda: search_neighbours(_changes, Box(0, 1), ReplaceOne(), size=2), "changes its input"),
    (
        lambda: search_neighbours(
            noisy_sum, Box(0, 1), ReplaceOne(), size=1, start=[(np.zeros(1), np.full(1, 2.0))]
        ),
        "not neighbours",
    ),
]


@pytest.mark.parametrize(("call", "part"), ERRORS, ids=[part for _, part in ERRORS])
def test_what_cannot_be_meant_is_explained(call: Callable[[], Any], part: str) -> None:
    with pytest.raises(SpecError) as caught:
        call()
    assert part in str(caught.value)
