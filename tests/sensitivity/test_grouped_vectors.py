"""Vectors by group against all neighbours of small data sets, and what is said where they are wrong."""

from __future__ import annotations

from itertools import combinations_with_replacement

import pytest
import sympy as sp

from noiseproof.symbolic.domains.adjacency import Person
from noiseproof.symbolic.errors import SpecError
from noiseproof.symbolic.proof.truth import Truth
from noiseproof.symbolic.sensitivity.pairs import length
from noiseproof.symbolic.sensitivity.queries import grouped_sums, grouped_vectors
from noiseproof.symbolic.sensitivity.queries.grouped_vectors import GroupedVectors
from noiseproof.symbolic.sensitivity.query_over import DatasetQuery

VECTORS = [(3, 0, 1), (-2, 2, 0), (0, 0, 5), (1, 1, 1)]
RELATIONS = {
    "replace-one": ("replace-one", 1, True),
    "add-or-remove": ("add-or-remove", 1, False),
    "two removed": (Person("cell", most=2), 2, False),
    "two replaced": (Person("cell", most=2, change="replace"), 2, True),
}


@pytest.mark.parametrize("groups", [1, 2, 5])
@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("norm", ["l1", "l2", "max"])
def test_nothing_is_farther_apart_and_a_pair_reaches_it(norm: str, relation: str, groups: int) -> None:
    query = grouped_vectors(groups, VECTORS)
    adjacency, most, replaced = RELATIONS[relation]
    found = DatasetQuery(query, query.domain()).sensitivity(norm, adjacency)
    assert found.exact is not None
    assert found.derivation.check() is Truth.HOLDS
    names = [{"cell": name} for name in query.domain().columns["cell"].values]  # type: ignore[attr-defined]
    scores = [query.score(record) for record in names]
    sums = {tuple(sum(s, sp.zeros(*scores[0].shape))) for s in combinations_with_replacement(scores, most)}
    others = sums if replaced else {tuple(sp.zeros(*scores[0].shape))}
    far = max(length(sp.Matrix(a) - sp.Matrix(b), norm) for a in sums for b in others)
    assert sp.simplify(found.exact - far) == 0


def test_unit_vectors_are_counts() -> None:
    for norm in ("l1", "l2"):
        for adjacency in ("replace-one", "add-or-remove"):
            counts, vectors = grouped_sums(6, [(1, 1)]), grouped_vectors(3, [(1, 0), (0, 1)])
            same = [DatasetQuery(q, q.domain()).sensitivity(norm, adjacency).exact for q in (counts, vectors)]
            assert same[0] == same[1]


def test_other_numbers_are_another_query() -> None:
    said = {grouped_vectors(2, v).describe() for v in (VECTORS, VECTORS[::-1], [(3, 0, 1)])}
    assert len(said) == 3
    wanted = "3 whole-number queries with numbers up to 5 of 4 cells, by 2 disjoint groups (SHA-256 "
    assert sum(text.startswith(wanted) for text in said) == 2


def test_a_bound_that_forgets_a_vector_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pair that is farthest is computed on the query itself: no smaller bound passes."""
    query = grouped_vectors(1, VECTORS)
    real = GroupedVectors.farthest

    def forgetful(self: GroupedVectors, *rest: object) -> object:
        from dataclasses import replace

        found = real(self, *rest)  # type: ignore[arg-type]
        return replace(found, apart=found.apart / 2, alone=found.alone / 2)

    monkeypatch.setattr(GroupedVectors, "farthest", forgetful)
    with pytest.raises(AssertionError, match="farther apart than the bound"):
        DatasetQuery(query, query.domain()).sensitivity("l2", "add-or-remove")


@pytest.mark.parametrize(
    ("groups", "vectors", "said"),
    [
        (0, VECTORS, "a number of groups"),
        (1, [], "vectors of one length"),
        (1, [(1, 2), (1,)], "vectors of one length"),
        (1, [(1, 0.5)], "whole numbers up to 2\\^20, got 0.5"),
        (1, [(1, 2**21)], "whole numbers up to 2\\^20"),
    ],
)
def test_what_is_no_list_of_vectors_is_refused(
    groups: int, vectors: list[tuple[int, ...]], said: str
) -> None:
    with pytest.raises(SpecError, match=said):
        grouped_vectors(groups, vectors)
