"""Cited lemmas are tried in numbers: each holds at all instances, its falsified twin is seen to fail, and the page is of today's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from cited_lemmas import cell, source, uses
from lemma_trials.registry import TRIALS, found
from lemma_trials.trial import Tried


def name(tried: Tried) -> str:
    """The name of the test of this lemma."""
    return tried.trial.__name__  # type: ignore[attr-defined, no-any-return]


@pytest.mark.parametrize("tried", TRIALS, ids=name)
def test_a_cited_lemma_holds_at_instances_and_its_falsified_twin_does_not(tried: Tried) -> None:
    assert tried.holds(seed=0)
    assert tried.holds(seed=1)
    assert not tried.holds(False, seed=0)


def test_beginnings_of_lemmas_are_not_taken_twice() -> None:
    begins = [b for tried in TRIALS for b in tried.begins]
    assert all(not one.startswith(other) for one in begins for other in begins if one != other)
    assert len(set(begins)) == len(begins)
    assert found("no lemma of this text") is None


def test_the_page_says_what_is_tried() -> None:
    page = (Path(__file__).parents[2] / "docs" / "cited-lemmas.md").read_text(encoding="utf-8")
    for tried in TRIALS:
        rows = [
            line for line in page.splitlines() if any(line.startswith(f"| {cell(b)}") for b in tried.begins)
        ]
        assert rows, tried.begins
        assert all(cell(tried.says) in row and cell(tried.falsified) in row for row in rows), tried.begins


def test_uses_are_of_proofs_of_printed_statements_or_of_twins_only() -> None:
    def proved(check: str, lemma: str, verdict: str = "PROVED") -> dict[str, Any]:
        rows = [{"truth": "cited", "reason": lemma}, {"truth": "holds", "reason": "r"}]
        return {"check": check, "verdict": verdict, "derivation": rows}

    one = {"id": "p/1", "evidence": [proved("derivation", "a"), proved("derivation [twin]", "b")]}
    two = {
        "id": "p/2",
        "evidence": [proved("derivation [twin]", "a"), proved("derivation", "c", "UNDECIDED")],
    }
    assert uses([{"findings": [one, two]}]) == ({"a": ["p/1"]}, {"b": ["p/1"]})
    assert [source(t) for t in ("x (Hajek 1972)", "Weyl: y", "both")] == ["as cited", "by name", ""]
    assert cell("a|b*") == "a\\|b\\*"
