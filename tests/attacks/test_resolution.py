"""The search for the smallest departure that is found: how near it comes, and how often it asks."""

from __future__ import annotations

import pytest

from noiseproof.audit.trial.checks.resolution import smallest_factor


@pytest.mark.parametrize(
    "edge", [1.0005, 1.004, 1.03, 1.0624, 1.0626, 1.11, 1.2499, 1.2501, 1.7, 2.6, 5.1, 17.0, 31.0]
)
def test_the_smallest_factor_is_found_to_three_percent_of_its_excess(edge: float) -> None:
    asked: list[float] = []

    def power(c: float) -> float:
        asked.append(c)
        return 1.0 if c >= edge else 0.5

    found = smallest_factor(power)
    assert found is not None
    assert edge - 1e-4 <= found <= edge + 0.032 * (edge - 1) + 0.0011
    assert len(asked) <= 14


def test_nothing_is_found_beyond_the_ceiling() -> None:
    assert smallest_factor(lambda c: 0.0) is None
    assert smallest_factor(lambda c: float(c >= 20), ceiling=10.0) is None
    assert smallest_factor(lambda c: 1.0) == pytest.approx(1.001, abs=1e-3)
