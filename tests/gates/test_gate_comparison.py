"""What a change did to the verdicts: every step down counts, and so does a claim that vanished."""

from __future__ import annotations

from typing import Any

import pytest
from made_certificates import certificate, finding

from noiseproof.audit.trial.gate.comparison import Row, compare_certificates

VERDICTS = ["REFUTED", "UNDECIDED", "SURVIVED"]


def rows(old: list[Any], new: list[Any]) -> list[Row]:
    return compare_certificates(certificate(*old).to_dict(), certificate(*new).to_dict())


@pytest.mark.parametrize("old", VERDICTS)
@pytest.mark.parametrize("new", VERDICTS)
def test_each_step_between_verdicts(old: str, new: str) -> None:
    (row,) = rows([finding(1, old, certified=0.1)], [finding(7, new, title="renamed", certified=0.2)])
    step = VERDICTS.index(new) - VERDICTS.index(old)
    assert row.change == ("worse" if step < 0 else "better" if step else "same")
    assert row.counts == (step < 0)
    assert (row.old, row.new, row.epsilon) == (old, new, (0.1, 0.2))


def test_controls_are_better_when_they_fall() -> None:
    stands, falls = (finding(1, v, expect="falls") for v in ("SURVIVED", "REFUTED"))
    assert [r.change for r in rows([falls], [stands])] == ["worse"]
    assert [r.change for r in rows([stands], [falls])] == ["better"]


def test_what_is_new_or_gone() -> None:
    a, b = finding(1, epsilon=1), finding(2, "REFUTED", epsilon=2)
    assert [(r.change, r.counts) for r in rows([a], [a, b])] == [("same", False), ("new", True)]
    assert [(r.change, r.counts) for r in rows([a, b], [a])] == [("same", False), ("gone", True)]
    assert [(r.change, r.counts) for r in rows([b], [b, a])] == [("same", False), ("new", False)]
    assert rows([], []) == []


def test_a_claim_whose_number_changed_is_matched_by_its_title() -> None:
    old, new = (
        finding(1, epsilon=1, title="the release"),
        finding(1, "REFUTED", epsilon=0.5, title="the release"),
    )
    assert [(r.change, r.title) for r in rows([old], [new])] == [("worse", "release: the release")]


def test_equal_claims_are_matched_in_order() -> None:
    pair = [finding(1, "SURVIVED"), finding(2, "REFUTED")]
    assert [r.change for r in rows(pair, pair)] == ["same", "same"]
    assert [r.change for r in rows(pair, pair[::-1])] == ["worse", "better"]
