"""Shares of one alpha never add up to more than it, whatever is declared and run."""

from __future__ import annotations

from collections import Counter
from math import fsum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noiseproof.audit.trial.gate.seeds import seed_of
from noiseproof.audit.trial.gate.shares import Budget, Share

TRIALS = st.lists(st.none() | st.integers(1, 50), min_size=1, max_size=60)


@given(TRIALS, st.floats(1e-9, 0.5), st.integers(0, 300), st.integers(1, 200))
def test_a_session_never_spends_more_than_its_alpha(
    declared: list[int | None], alpha: float, spare: int, tries: int
) -> None:
    parts = sum(n or 1 for n in declared) + spare
    budget = Budget.of(alpha, declared, parts)
    shares = [budget.share(n) for n in declared]
    spent = [s.of_trial(k) for s, n in zip(shares, declared, strict=True) for k in range(1, (n or tries) + 1)]
    assert fsum(spent) <= alpha * (1 + 1e-12)
    assert min(spent) > 0


@given(TRIALS)
def test_all_of_alpha_is_given_out_where_no_number_is_fixed(declared: list[int | None]) -> None:
    budget = Budget.of(1e-4, declared, None)
    assert fsum(budget.share(n).alpha for n in declared) == pytest.approx(1e-4)


def test_more_than_declared_is_refused() -> None:
    with pytest.raises(ValueError, match=r"declares trials=2, and this is audit 3"):
        Share(0.1, 2).of_trial(3)
    with pytest.raises(ValueError, match="divided into 3 parts, and 4 audits"):
        Budget.of(0.1, [3, None], 3)
    assert Budget.of(0.1, [], None).parts == 1


def test_seeds_follow_from_session_name_and_trial_alone() -> None:
    names = ["a.py::test_x", "a.py::test_x[1]", "b.py::test_x", "\ud800"]
    seeds = Counter(seed_of(s, name, k) for s in range(5) for name in names for k in range(1, 5))
    assert set(seeds.values()) == {1}
    assert all(0 <= seed < 2**48 for seed in seeds)
    assert seed_of(0, "a.py::test_x", 1) == seed_of(0, "a.py::test_x", 1)
