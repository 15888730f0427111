"""The catalogue of planted faults fits the code that stands, and a release refuses some of them by itself; all: benchmarks/planted_release_faults."""

from __future__ import annotations

import ast

import pytest
from planted_release_faults.catalogue import FAULTS
from planted_release_faults.fault import ROOT
from planted_release_faults.running import planted, released

BY_NAME = {fault.name: fault for fault in FAULTS}


def test_every_fault_can_be_planted_and_is_about_tests_that_exist() -> None:
    assert len(BY_NAME) == len(FAULTS) >= 25
    for fault in FAULTS:
        texts: dict[str, str] = {}
        for edit in fault.edits:
            texts[edit.path] = edit.applied(
                texts.get(edit.path) or (ROOT / edit.path).read_text(encoding="utf-8")
            )
        for text in texts.values():
            ast.parse(text)
        assert all((ROOT / "tests" / name).is_file() for name in fault.tests), fault.name


def test_a_text_that_is_not_there_once_is_no_fault() -> None:
    edit = FAULTS[0].edits[0]
    for text in ("", edit.old * 2):
        with pytest.raises(ValueError, match="times"):
            edit.applied(text)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("place in the file hashed", "REFUTED (moved totals: pair"),
        pytest.param("replacement taken for addition", "REFUTED", marks=pytest.mark.long),
        pytest.param(
            "shares add up to more than the total", "the draws together cost", marks=pytest.mark.long
        ),
    ],
)
def test_a_planted_release_refuses_itself(name: str, words: str) -> None:
    fault = BY_NAME[name]
    with planted(fault) as (place, environment):
        found = released(fault, place, environment)[-1]
        assert found["ended"] == "refused"
        assert words in found["said"]
        assert not found["written"]


@pytest.mark.long
def test_without_a_fault_the_same_policies_are_released() -> None:
    with planted(None) as (place, environment):
        assert [one["ended"] for one in released(None, place, environment)] == ["released", "released"]
