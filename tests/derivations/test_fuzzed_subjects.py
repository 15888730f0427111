"""Random subjects, claimed on both sides of a truth that is known from outside: no word is wrong, nothing crashes."""

from __future__ import annotations

import fuzz_subjects
import pytest
from fuzzing.subject_case import tried


@pytest.mark.parametrize("module", fuzz_subjects.MODULES)
def test_no_word_is_wrong_on_either_side_of_the_truth(module: str) -> None:
    tally = tried(fuzz_subjects.families((module,)), 60, 20)
    assert tally.faults == []
    assert tally.share("UNDECIDED") < 0.5
