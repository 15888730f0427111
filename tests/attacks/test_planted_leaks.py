"""A survival is worth what the attack makes of leaks that are planted into the same outcomes."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

import numpy as np
import pytest

import noiseproof as npf
from noiseproof.audit.record.evidence import Evidence, Verdict
from noiseproof.audit.trial.attack.claimed_curve import ClaimedCurve
from noiseproof.audit.trial.attack.copies import Copies
from noiseproof.audit.trial.attack.event_bound import EventCount
from noiseproof.audit.trial.attack.planted import WORD, Planted, found_share, in_clear, promising
from noiseproof.audit.trial.attack.read.phrases import words_of
from noiseproof.audit.trial.checks.distinguisher import Distinguisher
from noiseproof.audit.trial.outcomes import canonical

Release = Callable[[Any, int, np.random.Generator], Any]


def log_line(_: Any, rng: np.random.Generator) -> str:
    return f"user=u{rng.integers(40)} t={rng.random():.5f} id={rng.bytes(6).hex()}"


def each(one: Callable[[Any, np.random.Generator], Any]) -> Release:
    return lambda d, size, rng: [one(d, rng) for _ in range(size)]


SOUND: dict[str, Release] = {
    "log lines": each(log_line),
    "bytes": each(lambda _, rng: rng.bytes(12)),
    "records": each(lambda _, rng: {"id": f"{rng.integers(10**6)}", "v": float(rng.normal())}),
    "numbers": lambda d, size, rng: rng.normal(size=(size, 3)),
    "categories": lambda d, size, rng: rng.integers(0, 3, size=size),
    "words": each(lambda _, rng: ("yes", "no")[int(rng.integers(2))]),
    "one answer": lambda d, size, rng: np.zeros(size),
}


def attack(release: Release, seed: int = 1, samples: int = 2_000) -> Evidence:
    (finding,) = npf.examine(
        npf.BlackBox(release, (0, 1)), npf.PureDP(1.0), samples=samples, seed=seed
    ).findings
    return next(e for e in finding.evidence if e.check == "likelihood ratio")


@pytest.mark.parametrize("name", SOUND)
def test_a_record_in_clear_is_found_at_the_rate_that_is_printed(name: str) -> None:
    stands = attack(SOUND[name])
    assert stands.verdict is Verdict.SURVIVED
    assert stands.resolution is not None
    share = stands.resolution.in_clear
    assert share is not None
    assert stands.resolution.limit is not None, "half of such noise would still meet the claim"
    assert 0.01 <= share <= 0.2

    def leaky(d: Any, size: int, rng: np.random.Generator) -> list[Any]:
        hit = rng.random(size) < share
        return [("alice", "bob")[d] if h else y for h, y in zip(hit, SOUND[name](d, size, rng), strict=True)]

    assert attack(leaky).verdict is Verdict.REFUTED


def test_an_attack_that_misses_what_is_planted_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    # A reader that is blind to words, and numbers that say nothing.
    monkeypatch.setattr(Distinguisher, "_written", staticmethod(lambda zero, one, **_: []))
    monkeypatch.setattr(Distinguisher, "_alone", staticmethod(lambda folds: []))
    blind = attack(each(log_line))
    assert blind.verdict is Verdict.UNDECIDED
    monkeypatch.setattr("noiseproof.audit.trial.checks.distinguisher.in_clear", lambda s, *_: s)
    blind = attack(SOUND["numbers"])
    assert blind.verdict is Verdict.UNDECIDED
    assert "planted into every one of these outcomes, would have been missed" in blind.detail


@pytest.mark.parametrize("place", [0, 1])
def test_what_happens_rarely_and_on_one_input_only_falls(place: int) -> None:
    def release(d: int, size: int, rng: np.random.Generator) -> np.ndarray:
        y = rng.laplace(size=size)
        return np.where((rng.random(size) < 0.01) & (d == place), -7.5, y)

    # A dozen or more of 3,750 on one input and none on the other: the complement says nothing.
    found = [attack(release, seed, samples=5_000).verdict is Verdict.REFUTED for seed in range(5)]
    assert sum(found) >= 4


def test_planted_outcomes_are_as_many_as_asked_and_readable() -> None:
    rng = np.random.default_rng(0)
    for name, release in SOUND.items():
        sample = canonical(release(0, 2_000, rng), 2_000)
        leaky = in_clear(sample, 0.1, rng)
        changed = int((leaky.keys() != sample.keys()).sum())
        assert 90 <= changed <= 190, name
        if name in ("log lines", "bytes"):
            assert sum(WORD in words_of(text)[0] for text in leaky.kinds.names) == changed


def test_power_rises_with_the_share_and_is_cautious() -> None:
    claimed = ClaimedCurve.of(npf.PureDP(1.0))
    shares = promising(500, 1_500, claimed)
    assert shares == tuple(sorted(shares))
    assert promising(50, 150, claimed)[0] > shares[0] > promising(50_000, 150_000, claimed)[0]
    few, many = (Planted.of(s, EventCount(int(500 * s), 500, 0, 500), 1.0, 0.0) for s in (0.01, 0.5))
    assert few.power(1_500, 0.05) < 0.95 < many.power(1_500, 0.05)
    assert many.p < 0.5
    assert many.q > 0
    assert found_share([few, many], 1_500, 0.05) == 0.5
    assert found_share([few], 1_500, 0.05) is None


def drawn_from(records: Any, places: int) -> npf.BlackBox:
    """A bootstrap: records in clear, one of which differs between the inputs."""
    other = records.copy()
    other[0] = "zoe" if records.dtype.kind == "U" else 3.7
    shape = (places,) if places > 1 else ()
    return npf.BlackBox(lambda d, size, rng: rng.choice(d, (size, *shape)), (records, other))


RECORDS = {
    "real": np.random.default_rng(3).normal(size=1_000),
    "whole": np.random.default_rng(3).integers(0, 100_000, 1_000).astype(float),
    "names": np.array([f"name {i}" for i in range(500)]),
}


@pytest.mark.parametrize(
    ("records", "places", "samples"), [("whole", 50, 1_000), ("real", 1, 5_000), ("names", 1, 5_000)]
)
def test_records_in_clear_that_the_attack_would_miss_do_not_survive(
    records: str, places: int, samples: int
) -> None:
    box = drawn_from(RECORDS[records], places)
    (finding,) = npf.examine(box, npf.PureDP(1.0), samples=samples).findings
    found = next(e for e in finding.evidence if e.check == "likelihood ratio")
    assert found.verdict is Verdict.UNDECIDED
    assert "outcomes repeat values as copied records would, a typical one in 0.0" in found.detail
    assert "samples per input would decide it" in found.detail
    assert found.resolution is None


AGES = np.random.default_rng(3).integers(18, 90, 300).astype(float)


@pytest.mark.parametrize(
    ("records", "places", "samples"),
    [(RECORDS["real"], 1, 110_000), (RECORDS["whole"], 50, 5_000), (AGES, 50, 2_000)],
)
def test_the_samples_that_are_to_decide_it_refute(records: Any, places: int, samples: int) -> None:
    (finding,) = npf.examine(drawn_from(records, places), npf.PureDP(1.0), samples=samples).findings
    assert finding.verdict is Verdict.REFUTED


NOISE: dict[str, Callable[[np.random.Generator, int], Any]] = {
    "whole numbers": lambda rng, n: np.round(rng.laplace(0, 30, n)),
    "many whole numbers": lambda rng, n: np.round(rng.laplace(200, 2, (n, 10))),
    "cents": lambda rng, n: np.round(rng.laplace(size=n), 2),
    "halves of a word": lambda rng, n: rng.laplace(size=(n, 5)).astype(np.float16).astype(float),
    "a clipped one": lambda rng, n: np.clip(rng.laplace(size=n), 0, 1),
    "answers": lambda rng, n: rng.integers(0, 50, n),
    "reals": lambda rng, n: rng.normal(size=(n, 3)),
    "a histogram": lambda rng, n: np.round(rng.laplace(0, 30, (n, 3))) + [0, 5_000, 99],
    "one clipped above": lambda rng, n: np.clip(rng.laplace(size=n), -9, 0.1),
    "three values": lambda rng, n: rng.choice([0.1, 0.5, 7.3], n),
    "words": lambda rng, n: rng.choice(["yes", "no"], n),
    "two grids": lambda rng, n: np.round(rng.laplace(0, 30, (n, 2))) * [1, 0.37],
    "lists of many lengths": lambda rng, n: [list(rng.normal(size=rng.integers(1, 40))) for _ in range(n)],
}


@pytest.mark.parametrize("name", NOISE)
def test_rounded_noise_is_no_copy(name: str) -> None:
    assert Copies.of(canonical(NOISE[name](np.random.default_rng(5), 1_250), 1_250)) is None


REALS = RECORDS["real"]
HELD: dict[str, Callable[[np.random.Generator, int], Any]] = {
    "9 beside noise": lambda rng, n: np.hstack([rng.choice(REALS, (n, 9)), rng.normal(size=(n, 40))]),
    "9 beside a key": lambda rng, n: [{"a": list(r), "b": rng.normal()} for r in rng.choice(REALS, (n, 9))],
    "1 beside nothing": lambda r, n: [r.choice(REALS[:250]) if r.random() < 0.5 else None for _ in range(n)],
    "17 of many lengths": lambda rng, n: [list(rng.choice(REALS, rng.integers(5, 30))) for _ in range(n)],
    "9 texts": lambda rng, n: rng.choice(RECORDS["names"], (n, 9)),
    "1 of dates, as texts": lambda rng, n: [date.fromordinal(int(i)) for i in rng.integers(1, 400, n)],
}


@pytest.mark.parametrize("name", HELD)
def test_copies_are_seen_beside_whatever_else_an_outcome_holds(name: str) -> None:
    places, rng = int(name.split()[0]), np.random.default_rng(5)
    sample = canonical(HELD[name](rng, 1_250), 1_250)
    found = Copies.of(sample)
    assert found is not None
    assert 0.0007 * places < found.rate < 0.0035 * places
    assert found.text == ("texts" in name)
    leaky = in_clear(sample, 0.5, rng, anywhere=not found.text)
    assert found.text or np.all(np.any(leaky.values != sample.values, axis=0))
