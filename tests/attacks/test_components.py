"""A declared query plus noise: exact bounds on how far the query moves, and no verdict where the declaration is wrong."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy import stats

from noiseproof import ApproxDP, BlackBox, Claim, GaussianDP, PureDP, RenyiDP, Verdict, ZeroConcentratedDP
from noiseproof.audit.record.evidence import Evidence
from noiseproof.audit.trial.attack.additive.location_scale import SHAPES
from noiseproof.audit.trial.attack.additive.shifted_noise import allowed_ratio
from noiseproof.audit.trial.checks import CHECKS
from noiseproof.audit.trial.checks.components import Components, resolution
from noiseproof.audit.trial.outcomes import canonical
from noiseproof.audit.witnesses import reevaluate
from noiseproof.symbolic.privacy.guarantees import Guarantee
from noiseproof.symbolic.privacy.pair import gaussian_delta

Release = Callable[[Any, int, np.random.Generator], Any]


def adds(noise: str, scale: float = 1.0, d: int = 0) -> Release:
    """The input plus noise of this name, one number or a vector of d."""

    def release(data: Any, size: int, rng: np.random.Generator) -> Any:
        draw = {"laplace": rng.laplace, "gaussian": rng.normal, "logistic": rng.logistic}[noise]
        return np.asarray(data) + draw(0, scale, (size, d) if d else size)

    return release


def audited(
    release: Release,
    guarantee: Guarantee,
    samples: int,
    noise: str = "laplace",
    inputs: tuple[Any, Any] = (0.0, 1.0),
    seed: int = 0,
    alpha: float = 0.05,
) -> Evidence:
    """The evidence of this check alone; a quarter of the outcomes chooses the events."""
    box = BlackBox(release, inputs, noise=noise)
    check = Components.bind(Claim(guarantee, subject=box))
    assert check is not None
    streams = [np.random.default_rng([seed, i]) for i in (0, 1)]

    def unit(size: int) -> list[Any]:
        return [
            canonical(box.sample(x, size, rng), size) for x, rng in zip(check.inputs(), streams, strict=True)
        ]

    plan = check.learn(unit(samples // 4))
    rest = samples - samples // 4
    counts = sum(check.count(plan, unit(size), streams[0]) for size in (rest // 2, rest - rest // 2))
    return check.judge(plan, counts, alpha)


@dataclass(frozen=True)
class Case:
    """A release, what it is declared to be, a claim that is true of it and one that is slightly false."""

    release: Release
    noise: str
    inputs: tuple[Any, Any]
    true: Guarantee
    false: Guarantee
    samples: int


ZERO_ONE = (0.0, 1.0)
FORTY = (np.zeros(40), np.full(40, 0.1))
THREE = (np.zeros(3), np.array([1.0, 0.5, 0.25]))
HUNDRED = (np.zeros(100), np.eye(100)[7])
DELTA = float(gaussian_delta(0.25, 1.0))

CASES = {
    "laplace": Case(adds("laplace"), "laplace", ZERO_ONE, PureDP(1), PureDP(0.95), 100_000),
    "large epsilon": Case(adds("laplace", 0.1), "laplace", ZERO_ONE, PureDP(10), PureDP(9.7), 100_000),
    "laplace, delta": Case(
        adds("laplace"), "laplace", ZERO_ONE, ApproxDP(0.8, 0.1), ApproxDP(0.8, 0.08), 100_000
    ),
    "gaussian": Case(adds("gaussian", 2), "gaussian", (3.0, 4.0), GaussianDP(0.5), GaussianDP(0.47), 100_000),
    "tiny delta": Case(
        adds("gaussian", 4), "gaussian", ZERO_ONE, ApproxDP(1, 1.01 * DELTA), ApproxDP(1, 1e-9), 20_000
    ),
    "renyi": Case(adds("gaussian", 4), "gaussian", ZERO_ONE, RenyiDP(8, 0.25), RenyiDP(8, 0.18), 60_000),
    "concentrated": Case(
        adds("gaussian"), "gaussian", ZERO_ONE, ZeroConcentratedDP(0.5), ZeroConcentratedDP(0.45), 50_000
    ),
    "gaussian vector": Case(
        adds("gaussian", 1, 40), "gaussian", FORTY, GaussianDP(0.64), GaussianDP(0.58), 60_000
    ),
    "laplace vector": Case(adds("laplace", 1, 3), "laplace", THREE, PureDP(1.75), PureDP(1.6), 60_000),
    "one entry of a hundred": Case(
        adds("laplace", 1, 100), "laplace", HUNDRED, PureDP(1), PureDP(0.9), 20_000
    ),
}


@cache
def both(name: str) -> tuple[Evidence, Evidence]:
    case = CASES[name]
    survived, fell = (
        audited(case.release, claim, case.samples, case.noise, case.inputs)
        for claim in (case.true, case.false)
    )
    return survived, fell


@pytest.mark.parametrize("name", CASES)
def test_a_true_claim_survives_and_a_slightly_false_one_falls(name: str) -> None:
    survived, fell = both(name)
    word = SHAPES[CASES[name].noise].word
    assert survived.verdict is Verdict.SURVIVED, survived.detail
    assert survived.witness is None
    assert survived.resolution is not None
    assert fell.verdict is Verdict.REFUTED, fell.detail
    for evidence in (survived, fell):
        assert evidence.statement.startswith(f"assuming additive {word} noise")
        assert evidence.detail.startswith(f"assuming additive {word} noise")
        assert evidence.error == 0.05
        assert [line.role for line in evidence.series[0].lines] == ["claimed", "attack", "measured"]
        assert all(len(line.x) == len(line.y) > 1 and min(line.y) > 0 for line in evidence.series[0].lines)


@pytest.mark.parametrize("name", CASES)
def test_a_refutation_stands_from_its_json_and_falls_when_it_is_edited(name: str) -> None:
    witness = json.loads(json.dumps(both(name)[1].witness, allow_nan=False))
    stands, text = reevaluate(witness)
    assert stands, text
    assert "assuming additive" in text
    part = max(witness["parts"], key=lambda p: sum(map(abs, p["weights"])))
    for key, value in (
        ("weights", [2 * w for w in part["weights"]]),
        ("inputs", [0] * len(part["weights"])),
        ("thresholds", [t + i for i, t in enumerate(part["thresholds"])]),
        ("below", [-1] * len(part["weights"])),
    ):
        edited = copy.deepcopy(witness)
        edited["parts"][witness["parts"].index(part)][key] = value
        if edited["parts"] != witness["parts"] and (key, len(value)) != ("thresholds", 2):
            assert not reevaluate(edited)[0], key
    weaker = {**witness, "alpha": 1e-300}
    assert not reevaluate(weaker)[0]
    assert not reevaluate({**witness, "noise": "cauchy"})[0]


def mixture(data: float, size: int, rng: np.random.Generator) -> Any:
    return data + rng.normal(size=size) * np.where(rng.random(size) < 0.1, 3.0, 1.0)


def sometimes_nothing(data: float, size: int, rng: np.random.Generator) -> Any:
    return [None if u < 0.01 else u for u in data + rng.random(size)]


def rarely_nan(data: float, size: int, rng: np.random.Generator) -> Any:
    return np.where(np.arange(size) == 4_000, np.nan, data + rng.normal(size=size))


def two_lengths(data: float, size: int, rng: np.random.Generator) -> Any:
    return [(v,) if v > data else (v, 1.0) for v in data + rng.normal(size=size)]


NO_FIT, REPEAT, KINDS = "no two centres and one scale explain", "outcomes repeat", "numbers of one structure"
# name: (release, declared noise, what is said)
WRONG: dict[str, tuple[Release, str, str]] = {
    "gaussian called laplace": (adds("gaussian"), "laplace", NO_FIT),
    "laplace called gaussian": (adds("laplace"), "gaussian", NO_FIT),
    "logistic called gaussian": (adds("logistic"), "gaussian", NO_FIT),
    "scales differ": (lambda x, n, r: x + r.laplace(0, 1 + x / 4, n), "laplace", NO_FIT),
    "a mixture": (mixture, "gaussian", NO_FIT),
    "one noise for all entries": (
        lambda x, n, r: x * np.ones(3) + r.laplace(size=(n, 1)),
        "laplace",
        "its entries are not independent",
    ),
    "rounded": (lambda x, n, r: np.round(x + r.laplace(0, 0.4, n)), "laplace", REPEAT),
    "rounded finely": (lambda x, n, r: np.round(x + r.laplace(0, 0.4, n), 3), "laplace", REPEAT),
    "clipped": (lambda x, n, r: np.clip(x + r.normal(0, 0.4, n), 0, 2), "gaussian", REPEAT),
    "whole numbers": (lambda x, n, r: x + r.geometric(0.2, n), "laplace", REPEAT),
    "always the same": (lambda x, n, r: np.full(n, x), "laplace", REPEAT),
    "no numbers": (lambda x, n, r: ["a"] * n, "laplace", REPEAT),
    "sometimes nothing": (sometimes_nothing, "gaussian", KINDS),
    "rarely NaN": (rarely_nan, "gaussian", KINDS),
    "two lengths": (two_lengths, "gaussian", KINDS),
    "fails on one input": (lambda x, n, r: [ValueError()] * n if x else r.normal(size=n), "gaussian", KINDS),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_declaration_supports_no_verdict_and_is_said(name: str) -> None:
    release, noise, words = WRONG[name]
    # Claims far below what the closed form of the declared noise would refute.
    for guarantee in (PureDP(0.01), GaussianDP(50.0)):
        evidence = audited(release, guarantee, 20_000, noise)
        assert evidence.verdict is Verdict.UNDECIDED
        assert evidence.witness is None
        assert words in evidence.detail
        assert f"not a query plus {SHAPES[noise].word} noise" in evidence.detail


MISTAKEN = {
    # name: (release, declared noise, inputs, a true claim that falls if the declaration is believed)
    "laplace called gaussian": (adds("laplace"), "gaussian", ZERO_ONE, PureDP(1)),
    "gaussian called laplace": (adds("gaussian"), "laplace", ZERO_ONE, GaussianDP(1.001)),
    "many entries": (adds("laplace", 1, 40), "gaussian", FORTY, PureDP(4)),
}


@pytest.mark.parametrize("samples", [400, 4_000])
@pytest.mark.parametrize("name", MISTAKEN)
def test_one_declarable_noise_taken_for_the_other_refutes_no_true_claim(name: str, samples: int) -> None:
    release, noise, inputs, claim = MISTAKEN[name]
    verdicts = [audited(release, claim, samples, noise, inputs, seed).verdict for seed in range(12)]
    assert verdicts.count(Verdict.REFUTED) <= stats.binom.isf(1e-4, 12, 0.05)


def test_what_would_have_been_refuted_if_the_declaration_were_believed_is_said() -> None:
    details = [audited(adds("laplace"), PureDP(1), 800, "gaussian", seed=seed).detail for seed in range(12)]
    assert any("not if the noise is Laplace" in text for text in details)


@pytest.mark.parametrize("noise", SHAPES)
def test_an_estimated_shape_is_named_and_supports_no_verdict(noise: str) -> None:
    for guarantee in (PureDP(0.3), PureDP(30.0)):
        evidence = audited(adds(noise), guarantee, 40_000, "additive")
        assert evidence.verdict is Verdict.UNDECIDED
        assert f"assuming additive {SHAPES[noise].word} noise" in evidence.detail
        assert "the shape was estimated, not declared: no verdict rests on it" in evidence.detail
        assert ("delta(0.3) is at least" in evidence.detail) == (guarantee.epsilon < 1)
    others = [s.word for s in SHAPES.values() if s.name != noise]
    assert f"contradict {' and '.join(others)} noise" in evidence.detail


def test_a_shape_that_is_none_of_these_is_said() -> None:
    evidence = audited(lambda x, n, r: x + r.uniform(-1, 1, n), PureDP(0.3), 20_000, "additive")
    assert evidence.verdict is Verdict.UNDECIDED
    assert "no two centres and one scale explain" in evidence.detail


def test_a_tiny_delta_is_found_with_few_outcomes() -> None:
    # It would show in one outcome of a thousand million.
    evidence = audited(adds("gaussian", 2.0), ApproxDP(1.0, 1e-9), 4_000, "gaussian")
    assert evidence.verdict is Verdict.REFUTED
    assert "claimed at most 1e-09" in evidence.detail


def test_normal_noise_keeps_no_pure_claim_and_too_few_outcomes_say_nothing() -> None:
    assert allowed_ratio(PureDP(3.0), "gaussian") == 0
    assert audited(adds("gaussian"), PureDP(3.0), 2_000, "gaussian").verdict is Verdict.REFUTED
    few = audited(adds("gaussian", 50.0), PureDP(3.0), 400, "gaussian")
    assert few.verdict is Verdict.UNDECIDED
    assert "only if the query is the same on both inputs" in few.detail
    strict = audited(adds("laplace", 1e4), PureDP(1e-4), 400)
    assert strict.verdict is Verdict.UNDECIDED
    assert "even noise 64 times smaller than the claim needs would not have been found" in strict.detail


AT_THEIR_CLAIM = {
    "laplace": (adds("laplace"), "laplace", (0.0, 1.0), PureDP(1.0)),
    "gaussian": (adds("gaussian"), "gaussian", (0.0, 1.0), GaussianDP(1.0)),
    "laplace vector": (adds("laplace", 1.0, 2), "laplace", (np.zeros(2), np.ones(2)), PureDP(2.0)),
}


def false_alarms(name: str, audits: int, samples: int) -> int:
    release, noise, inputs, claim = AT_THEIR_CLAIM[name]
    verdicts = [audited(release, claim, samples, noise, inputs, seed).verdict for seed in range(audits)]
    return verdicts.count(Verdict.REFUTED)


@pytest.mark.parametrize(("name", "audits"), [("laplace", 60), ("gaussian", 20), ("laplace vector", 6)])
def test_false_alarms_stay_below_alpha(name: str, audits: int) -> None:
    # At a rate of 5 % more have probability below 1e-4.
    assert false_alarms(name, audits, 800) <= stats.binom.isf(1e-4, audits, 0.05)


@pytest.mark.long
@pytest.mark.parametrize("name", AT_THEIR_CLAIM)
def test_false_alarm_rate_of_two_thousand_audits(name: str) -> None:
    alarms = false_alarms(name, 2_000, 1_000)
    print(f"{name}: {alarms} false alarms in 2,000 audits at alpha = 0.05")
    assert stats.binom.sf(alarms - 1, 2_000, 0.05) > 0.01


def test_the_stated_resolution_is_found_about_as_often_as_it_says() -> None:
    factor = resolution("laplace", 1.0, 1_000, 3_000, 0.05)
    assert factor is not None
    found = [
        audited(adds("laplace", 1 / factor), PureDP(1.0), 4_000, seed=seed).verdict is Verdict.REFUTED
        for seed in range(40)
    ]
    assert sum(found) >= stats.binom.ppf(1e-3, 40, 0.95)
    nearer = [
        audited(adds("laplace", 1 / (1 + (factor - 1) / 2)), PureDP(1.0), 4_000, seed=seed).verdict
        is Verdict.REFUTED
        for seed in range(20)
    ]
    assert sum(nearer) < 18


def test_only_declared_noise_is_asked_about() -> None:
    assert Components in CHECKS
    box = BlackBox(adds("laplace"), (0.0, 1.0))
    assert Components.bind(Claim(PureDP(1.0), subject=box)) is None
    declared = BlackBox(adds("laplace"), (0.0, 1.0), noise="laplace")
    assert Components.bind(Claim(PureDP(1.0), subject=declared)) is not None
    assert Components.bind(Claim(PureDP(1.0), subject=declared, about="law")) is None
    assert declared.parameters() == {"noise": "laplace"}
    assert declared.summary.endswith("declared to be a query plus Laplace noise")
    assert BlackBox.single(lambda x: x, (0, 1), noise="additive").noise == "additive"
    with pytest.raises(ValueError, match="noise must be one of 'laplace', 'gaussian', 'additive' or None"):
        BlackBox(adds("laplace"), (0.0, 1.0), noise="Laplace")
