"""Failures are outcomes: what tells the inputs apart by how it fails is refuted, what only fails is refused or undecided."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from leak_corpus import LEAK_CORPUS

import noiseproof as npf
from noiseproof.audit.trial.outcomes import canonical
from noiseproof.audit.trial.sampling import draw

Release = Callable[[int, int, np.random.Generator], Any]
LEAK_OF = {e.name: e for e in LEAK_CORPUS}
KEEPS = 1 / (1 + np.exp(-1.0))  # randomised response at epsilon 1


class Record:
    """An input that shows nothing but where it lies in memory."""


RECORDS = (Record(), Record())


def raising(error: Callable[[int, Any], Exception], told: float = 1.0, *often: float) -> Release:
    """A release that raises in so many of the calls of either input, told the right input so often."""

    def release(d: int, size: int, rng: np.random.Generator) -> Any:
        if rng.random() < (*often, 1.0, 1.0)[d]:
            raise error(d if rng.random() < told else 1 - d, rng)
        return rng.normal(size=size)

    return release


def kind(d: int, rng: Any) -> Exception:
    return (ValueError, KeyError)[d](rng.integers(10**6))


def text(d: int, rng: Any) -> Exception:
    return RuntimeError(f"no such user: {('bob', 'alice')[d]} ({rng.integers(10**6)})")


def where(d: int, rng: Any) -> Exception:
    return ValueError(f"bad {RECORDS[d]!r}")


RAISED: dict[str, tuple[Release, str]] = {
    "type": (raising(kind), "REFUTED"),
    "text": (raising(text), "REFUTED"),
    "file": (raising(lambda d, r: FileNotFoundError(2, "none", f"/{d}")), "fails on every input"),
    "name of a file": (raising(lambda d, r: FileNotFoundError(2, "none", "/" + "ab"[d])), "REFUTED"),
    "text in some calls": (raising(text, 1.0, 0.6, 0.6), "REFUTED"),
    "one input in some calls": (raising(text, 1.0, 0.0, 0.7), "REFUTED"),
    "returned type": (LEAK_OF["type of an error"].release(True), "REFUTED"),
    "returned text": (LEAK_OF["message of an error"].release(True), "REFUTED"),
    "sound type": (raising(kind, KEEPS), "UNDECIDED"),
    "sound text": (raising(text, KEEPS), "UNDECIDED"),
    # Sound, but half the noise would be missed in so few outcomes.
    "sound text in some calls": (raising(text, KEEPS, 0.6, 0.6), "UNDECIDED"),
    "sound returned type": (LEAK_OF["type of an error"].release(False), "UNDECIDED"),
    "sound returned text": (LEAK_OF["message of an error"].release(False), "UNDECIDED"),
    "where an input lies, in some calls": (raising(where, 1.0, 0.6, 0.6), "SURVIVED"),
    "random words": (raising(lambda d, r: KeyError(" ".join(r.permutation([*"pqrs"])))), "UNDECIDED"),
    "where an input lies": (raising(where), "fails on every input"),
    "arguments": (lambda d, n: 0, r"TypeError \(.*positional arguments"),  # type: ignore[dict-item, misc]
    "attribute": (lambda d, n, r: d.shape, "'int' object has no attribute 'shape'"),  # type: ignore[attr-defined]
    "module": (lambda d, n, r: __import__("no_such_module"), "ModuleNotFoundError"),
    "numbers": (raising(lambda d, r: ValueError(f"{r.bytes(9).hex()}, row {d}")), "fails on every input"),
    "returned": (
        lambda d, n, r: [KeyError(r.integers(9)) for _ in range(n)],
        "fails on every input with KeyErr",
    ),
}


def padded(numbers: Callable[[int, int, Any], Any], width: int = 2) -> Release:
    """A release that fills its rows up with NaN."""

    def release(d: int, size: int, rng: np.random.Generator) -> Any:
        rows = np.full((size, width), np.nan)
        rows[:, : width // 2] = numbers(d, size, rng)[:, None]
        return rows

    return release


NOT_A_NUMBER: dict[str, tuple[Release, str]] = {
    "padding": (padded(lambda d, n, r: r.laplace(d, 1, n)), "SURVIVED"),
    "long padding": (padded(lambda d, n, r: r.laplace(3 * d, 1, n), 120), "REFUTED"),
    "padding of counts that are mostly zero": (padded(lambda d, n, r: r.random(n) < 0.2 * d), "REFUTED"),
    "padding of rare counts": (padded(lambda d, n, r: r.random(n) < 1e-3), "UNDECIDED"),
    "places": (lambda d, n, r: np.where(r.random(n) < 0.1 + 0.8 * d, np.inf, np.nan), "REFUTED"),
    "sound places": (lambda d, n, r: np.where(r.random(n) < 0.5, np.inf, -np.inf), "SURVIVED"),
    "lists": (lambda d, n, r: [[np.nan] * (1 + (p < 0.1 + 0.8 * d)) for p in r.random(n)], "REFUTED"),
    "nothing else": (lambda d, n, r: np.full((n, 2), np.nan), "without a finite number"),
    "infinite": (lambda d, n, r: np.full(n, -np.inf), "without a finite number"),
}


@pytest.mark.parametrize("sequential", [False, True])
@pytest.mark.parametrize("name", NOT_A_NUMBER)
def test_what_is_no_number_is_an_outcome_and_so_is_its_place(name: str, sequential: bool) -> None:
    release, expected = NOT_A_NUMBER[name]

    def found() -> str:
        subject = npf.BlackBox(release, (0, 1))
        return npf.examine(subject, npf.PureDP(1.2), samples=2_000, sequential=sequential).verdict.name

    if expected.isupper():
        assert found() == expected
    else:
        with pytest.raises(npf.SpecError, match=expected):
            found()


@pytest.mark.parametrize("name", RAISED)
def test_failures_that_tell_the_inputs_apart_are_refuted_and_no_others(name: str) -> None:
    release, expected = RAISED[name]
    subject = npf.BlackBox(release, (0, 1))
    if expected in npf.Verdict.__members__:
        assert npf.examine(subject, npf.PureDP(1.0), samples=600).verdict.name == expected
        return
    with pytest.raises(npf.SpecError, match=expected):
        npf.examine(subject, npf.PureDP(1.0), samples=600)


def test_failures_say_nothing_of_information() -> None:
    with pytest.raises(npf.SpecError, match="every outcome on every input is like .raises Runtime" + "Error"):
        npf.examine(npf.BlackBox(raising(text, KEEPS), (0, 1)), npf.ErrorBound(0.1), samples=600)


def fragile(d: int, size: int, rng: np.random.Generator) -> Any:
    """Numbers of which a few make the whole call fail, on input 1 twice as many."""
    numbers = rng.random(size)
    if numbers.min() < 0.005 * (1 + d):
        raise ValueError(f"{numbers.min():.15f}")
    return numbers


def test_outcomes_that_are_asked_for_one_at_a_time_fail_one_by_one() -> None:
    found = draw(npf.BlackBox(fragile, (0, 1)), 1, 20_000, (0,), 0, True)
    failed = [name for name in found.kinds.words() if name.startswith("raises ValueError: ('0.0")]
    assert len({*failed}) == len(failed) == 20_000 - found.plain().sum() == pytest.approx(200, abs=60)


def test_an_audit_whose_calls_fail_at_times_counts_single_outcomes() -> None:
    # Calls fail 1.6 to 1.9 times as often on input 1, single outcomes twice as often.
    for epsilon, verdict in ((0.75, "SURVIVED"), (0.4, "REFUTED")):
        found = npf.examine(npf.BlackBox(fragile, (0, 1)), npf.PureDP(epsilon), samples=40_000)
        assert found.verdict.name == verdict
        assert found.findings[0].evidence[0].bounds[0]["certified"] == pytest.approx(0.5, abs=0.1)


def test_calls_that_fail_as_a_whole_do_not_pass_for_many_outcomes() -> None:
    # Sound at epsilon 3, which calls that count as so many outcomes would refute in every second audit.
    subject = npf.BlackBox(raising(text, 0.5, 0.05, 0.95), (0, 1))
    found = [npf.examine(subject, npf.PureDP(3.0), samples=300, seed=s).verdict for s in range(4)]
    assert npf.Verdict.REFUTED not in found


def test_an_exception_says_its_text_beside_its_arguments() -> None:
    error = type("OddError", (Exception,), {"__str__": lambda _: "alice"})(3)
    assert canonical([error, where(0, 0)], 2).kinds.words()[0] == "raises OddError: (3,) 'alice'"


def test_a_refutation_names_what_differs_and_not_that_calls_fail() -> None:
    def lookup(d: int, size: int, rng: np.random.Generator) -> list[Any]:
        told = [text(d, rng) if failed else rng.random() for failed in rng.random(size) < 0.3]
        return [
            e if isinstance(e, float) or rng.random() < 0.99 else RuntimeError("out of time") for e in told
        ]

    found = npf.examine(npf.BlackBox(lookup, (0, 1)), npf.PureDP(1.0), samples=2_000).findings[0].evidence[0]
    assert found.witness is not None
    assert found.witness["score"] in [
        f"the outcome contains {who!r} after 'user: '" for who in ("bob", "alice")
    ]
