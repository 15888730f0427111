"""Random subjects with claims on both sides of a truth known from outside: no word is wrong, and nothing crashes."""

from __future__ import annotations

import fuzz_subjects
import pytest
from fuzzing.subject_case import tried


@pytest.mark.parametrize("rounds", [1, pytest.param(2, marks=pytest.mark.long)])
@pytest.mark.parametrize("module", fuzz_subjects.MODULES)
def test_no_word_about_a_random_subject_is_wrong(module: str, rounds: int) -> None:
    cases = 15 if module in ("formula_cases", "law_cases") else 30
    tally = tried(fuzz_subjects.families((module,)), cases * rounds, 20)
    assert not tally.faults
    assert tally.share("PROVED") > 0
