"""What a trial said inside of a test cannot be hidden, and without power or a control a pass says so."""

from __future__ import annotations

import pytest
from plugin_session import HEAD, run

import noiseproof
from noiseproof.audit.trial.examine import examine

pytest_plugins = ["pytester"]


@pytest.fixture(autouse=True, scope="module")
def _warm() -> None:
    """Sessions inside this process forget what they import: numpy and its kin must be there before."""
    mechanism = noiseproof.LaplaceMechanism(epsilon=1.0, sensitivity=1.0)
    examine(mechanism, noiseproof.PureDP(1.0), samples=200)


HIDDEN = """
def test_only_controls(noiseproof):
    noiseproof.holds(None, [npf.Claim(npf.PureDP(1.0), laplace(0.3), expect="falls")], samples=2000)

def test_bare_except(noiseproof):
    try:
        noiseproof.holds(laplace(0.3), npf.PureDP(1.0), samples=2000)
    except:
        pass

def test_raises(noiseproof):
    with pytest.raises(pytest.fail.Exception):
        noiseproof.holds(laplace(0.3), npf.PureDP(1.0), samples=2000)

def test_skipped_afterwards(noiseproof):
    with pytest.raises(BaseException):
        noiseproof.falls(laplace(1.0), npf.PureDP(1.0), samples=2000)
    pytest.skip("not today")

def test_expected_afterwards(noiseproof):
    with pytest.raises(BaseException):
        noiseproof.holds(laplace(0.3), npf.PureDP(1.0), samples=2000)
    pytest.xfail("known")

def test_no_verdict(noiseproof):
    with pytest.raises(npf.SpecError):
        noiseproof.holds(laplace(1.0), npf.PureDP(1.0), samples=3)

@pytest.fixture
def judged(noiseproof):
    try:
        noiseproof.holds(laplace(0.3), npf.PureDP(1.0), samples=2000)
    except BaseException:
        pass

def test_in_a_fixture(judged): pass

@pytest.fixture
def late(noiseproof):
    yield
    with pytest.raises(BaseException):
        noiseproof.holds(laplace(0.3), npf.PureDP(1.0), samples=2000)

def test_after_the_test(noiseproof, late):
    noiseproof.holds(laplace(1.0), npf.PureDP(1.0), samples=2000)

@pytest.mark.noiseproof(samples=2000)
def test_marked(request):
    try:
        request.getfixturevalue("noiseproof").holds(laplace(0.3), npf.PureDP(1.0))
    except BaseException:
        pass
"""


def test_what_a_trial_said_cannot_be_hidden(pytester: pytest.Pytester) -> None:
    result = run(pytester, text=HEAD + HIDDEN)
    result.assert_outcomes(passed=1, failed=8, errors=1)
    # The summary says it again, shortened or not.
    text = "\n".join(line for line in result.outlines if not line.startswith(("FAILED", "ERROR ")))
    assert "only controls were audited" in text
    assert "reached no verdict" in text
    assert text.count("REFUTED: my release") == 6
    assert text.count("CONTROL STANDS") == 1


@pytest.mark.parametrize("noise", [1.0, 0.5])
def test_no_survival_without_power(pytester: pytest.Pytester, noise: float) -> None:
    text = (
        HEAD
        + f"def test_x(noiseproof):\n    noiseproof.holds(laplace({noise}), npf.PureDP(1.0), samples=200)\n"
    )
    result = run(pytester, "--noiseproof-alpha=1e-10", text=text)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["UNDECIDED: my release*NOT a violation*", "*half of the noise*"])


def test_without_a_control_the_weakest_resolution_is_printed(pytester: pytest.Pytester) -> None:
    text = (
        HEAD
        + """
def test_without(noiseproof):
    noiseproof.holds(laplace(1.0), npf.PureDP(1.0), samples=1000)

def test_with(noiseproof):
    control = npf.Claim(npf.PureDP(0.4), expect="falls")
    noiseproof.holds(laplace(1.0), [npf.PureDP(1.0), control], samples=4000)
"""
    )
    result = run(pytester, text=text)
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(
        [
            "noiseproof: weakest resolution of the 1 audit without a control: 1.6* (*::test_without): half the noise would have been found; *"
        ]
    )
