"""Numbers at the ends of what a double holds are refused before any work, or leave a claim undecided: nothing ends in an internal error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from noiseproof import (
    BoundedMean,
    BoundedSum,
    Claim,
    GaussianDP,
    GaussianMechanism,
    LaplaceMechanism,
    OptimalGaussian,
    PureDP,
    RandomisedResponse,
)
from noiseproof.audit.record.evidence import Verdict
from noiseproof.audit.trial.checks.quadrature import Quadrature
from noiseproof.audit.trial.examine import examine
from noiseproof.symbolic.errors import SpecError

REFUSED: dict[str, Callable[[], Any]] = {
    "a width that overflows": lambda: BoundedMean(-1e308, 1e308, 10, 1.0),
    "a width that overflows, of a sum": lambda: BoundedSum(-1e308, 1.7e308, 10, 1.0),
    "a width that overflows, of a box": lambda: OptimalGaussian(1.0, ([-1e308], [1e308])),
    "a variance that overflows": lambda: GaussianMechanism(1e200),
    "a variance that underflows": lambda: GaussianMechanism(1e-200),
    "a variance of a query": lambda: BoundedMean(0.0, 1.0, 10, sigma=1e-170),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_number_that_cannot_be_computed_with_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"finite width|between 1e-150 and 1e150"):
        REFUSED[name]()


@pytest.mark.parametrize("alpha", [1e-300, 5e-324, 1e-60])
def test_an_alpha_that_nothing_can_reach_is_refused(alpha: float) -> None:
    with pytest.raises(SpecError, match="alpha must be at least 1e-50"):
        examine(LaplaceMechanism(1.0, 1.0), PureDP(1.0), samples=100, alpha=alpha)


@pytest.mark.parametrize("alpha", [1e-12, 1e-50])
@pytest.mark.parametrize("sequential", [False, True])
def test_a_small_alpha_ends_in_a_word(alpha: float, sequential: bool) -> None:
    found = examine(RandomisedResponse(1.0), PureDP(1.0), samples=100, alpha=alpha, sequential=sequential)
    assert found.verdict is Verdict.UNDECIDED


@pytest.mark.parametrize(
    "error", [OverflowError("too large"), ZeroDivisionError("by zero"), RecursionError("deep")]
)
def test_a_check_whose_numbers_do_not_go_through_is_undecided(
    monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def judge(*_: Any) -> Any:
        raise error

    monkeypatch.setattr(Quadrature, "judge", judge)
    certificate = examine(GaussianMechanism(1.0), Claim(GaussianDP(1.0), about="law"), samples=100)
    (finding,) = certificate.findings
    assert [e.verdict for e in finding.evidence if e.check == "quadrature"] == [Verdict.UNDECIDED]
    assert finding.verdict is Verdict.PROVED


@pytest.mark.parametrize("ratio", [1e-300, 1e-12, 1e12])
def test_far_ratios_are_decided_exactly(ratio: float) -> None:
    mechanism = LaplaceMechanism(1.0, ratio)
    for epsilon, verdict in ((1 + 1e-9, Verdict.PROVED), (1 - 1e-9, Verdict.REFUTED)):
        assert examine(mechanism, Claim(PureDP(epsilon), about="law"), samples=100).verdict is verdict
