"""What a refutation is worth among many claims: Holm's p-values at the end of a session, from the counts that were seen."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from plugin_session import HEAD, run

import noiseproof as npf
from noiseproof.audit.trial.gate.adjusted import holm, p_value

pytest_plugins = ["pytester"]

SESSION = (
    HEAD
    + """
@pytest.mark.noiseproof(samples=1500)
def test_too_little(noiseproof):
    noiseproof.holds(laplace(0.2), npf.PureDP(1.0))

@pytest.mark.noiseproof(samples=1500)
def test_enough(noiseproof):
    noiseproof.holds(laplace(1.0), npf.PureDP(1.0))

def test_proved_false(noiseproof):
    noiseproof.holds(npf.LaplaceMechanism(epsilon=2.0, sensitivity=1.0), npf.PureDP(1.0), samples=1500)

def test_control(noiseproof):
    noiseproof.falls(laplace(0.2), npf.PureDP(1.0), samples=1500)
"""
)


def test_a_session_says_what_each_refutation_is_worth(pytester: pytest.Pytester) -> None:
    text = run(pytester, "--noiseproof-alpha=1e-4", text=SESSION).stdout.str()
    assert "noiseproof: 2 of 3 claims refuted; p-values among all of them (Holm):" in text
    rows = [line.split() for line in text.splitlines() if line.startswith("  ") and "::test_" in line]
    values = {row[1].rsplit("::", 1)[1]: float(row[0]) for row in rows if len(row) == 2}
    assert 0 <= values["test_proved_false"] < 1e-4
    assert 0 < values["test_too_little"] < 1e-4


def test_a_session_without_refutations_says_nothing(pytester: pytest.Pytester) -> None:
    passing = (
        HEAD
        + "\ndef test_enough(noiseproof):\n    noiseproof.holds(laplace(1.0), npf.PureDP(1.0), samples=1500)\n"
    )
    result = run(pytester, text=passing)
    result.assert_outcomes(passed=1)
    assert "Holm" not in result.stdout.str()


def test_p_values_of_a_trial() -> None:
    """Of a claim that stands there is none; a false one has at most the alpha of its trial, and one that is not refuted by chance, zero."""
    release = npf.BlackBox(lambda x, n, rng: x + rng.laplace(scale=0.2, size=(n, 1)), (0.0, 1.0), name="thin")
    certificate = npf.examine(release, [npf.PureDP(1.0), npf.PureDP(50.0)], samples=2000, alpha=1e-3, seed=1)
    values = [p_value(f, certificate) for f in certificate.findings]
    assert values[0] is not None
    assert 0 < values[0] <= 1e-3
    assert values[1] is None
    finding = certificate.findings[0]
    exact = replace(finding, evidence=tuple(replace(e, error=0.0) for e in finding.evidence))
    assert p_value(exact, certificate) == 0


def test_holm_is_what_holm_wrote_and_never_finds_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    """By hand: sorted, times what is left, never falling; and 400 sessions of 20 true claims refute one in at most alpha of them."""
    assert holm({"a": 0.01, "b": 0.02, "c": 0.03}, 4) == pytest.approx({"a": 0.04, "b": 0.06, "c": 0.06})
    assert holm({}, 3) == {}
    # statsmodels collects garbage at each call, which 400 times takes a minute.
    monkeypatch.setattr("gc.collect", lambda *_: 0)
    uniform = np.random.default_rng(0).random((400, 20))
    wrong = sum(
        min(holm({str(k): float(p) for k, p in enumerate(row)}, 20).values()) <= 0.05 for row in uniform
    )
    assert wrong <= 38  # 20 are expected at most; more than 38 have a probability below 1e-4
    for values, claims in (({"a": 0.5, "b": 0.1}, 1), ({"a": 1.5}, 2), ({"a": float("nan")}, 2)):
        with pytest.raises(ValueError, match="expected p-values"):
            holm(values, claims)
