"""How many outcomes a release gives in a second, and whether they fit into a budget of time."""

from __future__ import annotations

import os
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from noiseproof import BlackBox
from noiseproof.audit.trial.isolation import isolated as isolated_module
from noiseproof.audit.trial.isolation.isolated import Isolated, estimate_rate, slowness

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


def by_its_own_clock(monkeypatch: pytest.MonkeyPatch, call: float, outcome: float) -> BlackBox:
    """A release whose calls move the clock that rates are measured by: so much each, and so much for each outcome."""
    clock = [0.0]

    def release(data: float, size: int, rng: np.random.Generator) -> Any:
        clock[0] += call + outcome * size
        return rng.normal(size=size)

    monkeypatch.delattr(os, "fork")  # a fork would move a clock of its own
    monkeypatch.setattr(isolated_module, "time", SimpleNamespace(perf_counter=lambda: clock[0]))
    return BlackBox(release, (0.0, 1.0))


def test_the_rate_says_what_fits_into_a_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    subject = by_its_own_clock(monkeypatch, 0.0, 0.002)
    rate = estimate_rate(subject, (0.0, 1.0), 0, seconds=0.2)
    assert rate == pytest.approx(500)
    said = slowness(rate, 100_000, 2, 60.0)
    assert said.startswith("slower than the budget allows: 100,000 outcomes per input need about ")
    assert said.endswith("per input fit")
    assert slowness(rate, 100, 2, 60.0) == ""


def test_a_fixed_part_of_each_call_is_no_part_of_each_outcome(monkeypatch: pytest.MonkeyPatch) -> None:
    subject = by_its_own_clock(monkeypatch, 0.05, 1e-6)
    # 10,000 outcomes in each call of 0.06 s.
    assert estimate_rate(subject, (0.0, 1.0), 0, seconds=0.3) == pytest.approx(10_000 / 0.06)


def test_measuring_the_rate_leaves_the_release_as_it_was() -> None:
    calls: list[int] = []
    subject = BlackBox(lambda d, n, r: (calls.append(n), r.normal(size=n))[1], (0.0, 1.0))
    with Isolated(subject, 5.0) as isolated:
        # How fast is the machine's affair: ten milliseconds on a busy one say little.
        assert estimate_rate(isolated, (0.0, 1.0), 0, seconds=0.01) > 0
    assert calls == []
