"""Large outcomes: memory and time grow with their bytes and no faster, and what is not read is said."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

import noiseproof as npf
from noiseproof.audit.record.evidence import Verdict
from noiseproof.audit.trial.attack import classifiers
from noiseproof.audit.trial.attack.read import unread_share, word_score
from noiseproof.audit.trial.attack.read.phrases import words_of
from noiseproof.audit.trial.attack.read.tokens import read_tokens
from noiseproof.audit.trial.attack.scores import atom_score, linear_score, step_score
from noiseproof.audit.trial.checks.distinguisher import Distinguisher
from noiseproof.audit.trial.outcomes import Outcomes, canonical
from noiseproof.audit.trial.sampling import Schedule


def peak(work: Callable[[], object]) -> int:
    """Bytes that are held at most while something is done."""
    tracemalloc.start()
    work()
    top = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return top


def test_one_long_text_among_short_ones_costs_its_own_bytes() -> None:
    def look(*sample: Outcomes) -> None:
        grid, both = Distinguisher.rounded(sample)
        for taught in (atom_score, linear_score, word_score):
            score = taught(*both)
            assert score is None or [len(score.of(grid.round(s))) for s in both] == [2_000] * 2
        assert unread_share(both) > 0.9

    texts = [f"row {i % 50}" for i in range(1_999)]
    sample = [canonical([*texts, f"{x}" + "x" * 20_000], 2_000) for x in (0, 1)]
    # As an array of fixed width, 2,000 outcomes of 80 kB would take 160 MB.
    assert peak(lambda: look(*sample)) < 8e6


def wide(d: int, size: int, width: int) -> Outcomes:
    values = np.random.default_rng(d).normal(size=(size, width))
    values[:, 7] += 3 * d
    return canonical(values, size)


def test_wide_outcomes_are_learnt_from_without_a_square_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    zero, one = wide(0, 20, 10_000), wide(1, 20, 10_000)
    for taught in (linear_score, step_score):
        score = taught(zero, one)
        assert score is not None
        assert score.of(one).mean() > score.of(zero).mean()
        # A square matrix would take 800 MB, the outcomes take 3.2.
        assert peak(partial(taught, zero, one)) < 50e6
    # Of more features than are seen together, those that differ most are among these.
    monkeypatch.setattr(classifiers, "_JOINT", 20)
    many = linear_score(wide(0, 400, 30), wide(1, 400, 30))
    assert many is not None
    assert np.mean(many.of(wide(3, 400, 30)) > 0) > 0.9


@pytest.mark.parametrize("letters", [400, 7_000])
def test_of_a_long_text_both_ends_are_read_and_the_rest_is_said(letters: int) -> None:
    text = "alpha=1 " + "ab 3.5, " * letters + "omega=-2"
    tokens, parts = read_tokens(text)
    assert len(tokens) == 360
    assert "".join(token for _, token in tokens) == "".join(parts)
    assert tokens[0] == ("run", "alpha")
    assert tokens[-3:] == [("run", "omega"), ("between", "="), ("number", "-2")]
    words, read = words_of(text)
    assert {"alpha", "omega", "ab"} <= set(words)
    assert read == sum(map(len, parts)) < len(text)
    share = unread_share([canonical([f"{text}{i}" for i in range(30)], 30)])
    assert share == pytest.approx(1 - read / len(text), abs=0.05)


@pytest.mark.parametrize("piece", ["GET /cart 200 ", "0f" * 5_000, "% %4", "a/b%41", "'\\x00", "9" * 70])
def test_text_of_100_kilobytes_takes_milliseconds(piece: str) -> None:
    outcomes = [piece * (100_000 // len(piece)) + str(i) for i in range(3)]
    start = time.process_time()
    made = canonical([*outcomes, outcomes[0].encode()], 4)
    assert [words_of(name)[1] > 0 for name in made.kinds.names] == [True] * 4
    assert len(set(made.keys().tolist())) == 4
    assert time.process_time() - start < 0.5


def test_a_name_in_the_middle_of_a_long_text_is_not_passed_over_in_silence() -> None:
    def release(d: int, size: int, rng: np.random.Generator) -> list[str]:
        return [
            f"{'GET /cart 200 ' * 800}{('alice', 'carol')[d]} {x}" + " done" * 900 for x in rng.random(size)
        ]

    (finding,) = npf.examine(npf.BlackBox(release, (0, 1)), npf.PureDP(1.0), samples=400).findings
    assert finding.verdict is Verdict.UNDECIDED
    assert "far from both ends" in finding.evidence[0].detail
    # Calls hold as many bytes of text as of numbers.
    assert max(Schedule.of(100_000, 1, letters=100_000).units) < max(Schedule.of(100_000, 1).units)
