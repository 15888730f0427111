"""Would half the noise have been found here: yes, no, or a claim that half the noise still meets; checked by halving it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from half_noise import KINDS, Case, answers, laplace, words

import noiseproof as npf
from noiseproof.audit.record.evidence import Evidence, Resolution, Verdict
from noiseproof.audit.record.follows import faults
from noiseproof.audit.record.weakest import half_noise, least_power, weakest_survival
from noiseproof.audit.trial.attack.claimed_curve import ClaimedCurve
from noiseproof.audit.trial.checks import distinguishing_power as of_power
from noiseproof.audit.trial.checks.resolution import smaller_scale, smallest_factor
from noiseproof.console import print_summary
from noiseproof.reports.junit import render_junit
from noiseproof.reports.markdown import render_markdown
from noiseproof.reports.sarif import render_sarif

PURE = npf.PureDP(1.0)


def gaussian(sigma: float) -> Any:
    return lambda d, n, rng: d + rng.normal(scale=sigma, size=n)


def accuracy(d: float, n: int, rng: np.random.Generator) -> Any:
    """The hits of a trained model among fifty, which one record hardly moves."""
    return rng.binomial(50, 0.8 + 0.01 * d, size=n) / 50


CASES: dict[str, tuple[Any, npf.Guarantee, float, int, str]] = {
    # release, claim, how far apart the inputs are, samples, what is said
    "Laplace at its pair": (laplace(1.0), PURE, 1.0, 2_000, "yes"),
    "few outcomes of Laplace": (laplace(1.0), PURE, 1.0, 500, "yes"),
    "Gaussian at its pair": (gaussian(1.0), npf.GaussianDP(1.0), 1.0, 2_000, "yes"),
    "Gaussian of a point": (gaussian(3.73), npf.ApproxDP(1.0, 1e-5), 1.0, 100_000, "yes"),
    "randomised response": (answers(0.99), PURE, 1.0, 2_000, "yes"),
    "words": (words(0.99), PURE, 1.0, 2_000, "yes"),
    "a tenth of the noise, 0.03 apart": (laplace(10.0), PURE, 0.03, 2_000, "loose"),
    "a tenth of the noise, 0.001 apart": (laplace(10.0), PURE, 0.001, 2_000, "loose"),
    "three values": (lambda d, n, rng: rng.integers(0, 3, n), PURE, 1.0, 2_000, "loose"),
    "one answer": (lambda d, n, rng: np.zeros(n), PURE, 1.0, 2_000, "loose"),
    "twice the noise that is needed": (laplace(0.5), PURE, 1.0, 20_000, "loose"),
    "nearly twice the noise": (laplace(0.6), PURE, 1.0, 2_000, "open"),
    "a hundred trainings": (accuracy, PURE, 1.0, 100, "open"),
    "a small epsilon": (laplace(0.1), npf.PureDP(0.1), 1.0, 2_000, "open"),
}


def heard(release: Any, claim: npf.Guarantee, apart: float, samples: int, **options: Any) -> Evidence:
    box = npf.BlackBox(release, (0.0, apart))
    return npf.examine(box, claim, samples=samples, seed=2, **options).findings[0].evidence[0]


def word(found: Resolution | None) -> str:
    assert found is not None
    return "open" if found.samples is not None else "loose" if found.limit is not None else "yes"


@pytest.mark.parametrize("name", CASES)
def test_half_the_noise_is_found_or_the_claim_is_loose_or_it_is_open(name: str) -> None:
    *case, said = CASES[name]
    found = heard(*case)
    assert word(found.resolution) == said
    assert found.verdict is (Verdict.UNDECIDED if said == "open" else Verdict.SURVIVED)
    assert found.resolution is not None
    assert found.resolution.half == (said == "yes")
    assert ("samples per input would decide it" in found.detail) == (said == "open")


def test_the_factor_grows_as_the_inputs_come_nearer() -> None:
    found = [heard(laplace(1.0), PURE, apart, 2_000).resolution for apart in (1.0, 0.3, 0.1, 0.001)]
    factors = [one.departure for one in found if one]
    assert factors == sorted(factors)
    assert factors[0] < 1 < factors[1]


@pytest.mark.parametrize("places", [(-2, 4), (1, 2)])
def test_noise_smaller_by_the_stated_factor_is_found(places: tuple[int, int]) -> None:
    def rates(c: float) -> Any:  # of whole-number Laplace noise at 0 and at 1, from each place on
        k, r = np.arange(*places), np.exp(-c)
        return [np.where(j > 0, r ** abs(j), 1 + r - r ** abs(1 - j)) / (1 + r) for j in (k, k - 1)]

    def power(c: float) -> float:
        return of_power.simulated_power(*rates(c), *size, ClaimedCurve.of(PURE, points=12), 0.05, 600)

    size, rng = (10_000, 30_000), np.random.default_rng(0)
    seen = [rng.binomial(size[1], rates(1.0)) / size[1] for _ in range(20)]
    found = [of_power.power_here(None, (0, 1), PURE, *size, 0.05, (q, p)) for q, p in seen]
    factors = [float(one.value or 0) for one in found if one]
    assert np.quantile([power(c) for c in factors], 0.1) >= 0.93
    assert np.median(factors) <= 1 + 1.5 * (float(smallest_factor(power) or 0) - 1)
    assert of_power.clearest_power(PURE, min(factors), *size, 0.05, 600) >= 0.94


def test_bets_say_the_same() -> None:
    for apart, said in ((1.0, "yes"), (0.001, "loose")):
        assert word(heard(laplace(1.0), PURE, apart, 4_000, sequential=True).resolution) == said


def test_so_many_samples_decide_it() -> None:
    found = heard(laplace(0.6), PURE, 1.0, 2_000).resolution
    assert found is not None
    assert found.samples is not None
    again = heard(laplace(0.6), PURE, 1.0, round(2 * found.samples))
    assert again.verdict is Verdict.SURVIVED


def test_log_odds_are_doubled_exactly_for_normal_noise_and_answers() -> None:
    q = np.array([0.3, 1 / (1 + np.exp(1.0))])
    for given, half in ((answers(1.0), answers(2.0)), (gaussian(1.0), gaussian(0.5))):
        rng = np.random.default_rng(0)
        at = 0.5
        low, high = (np.mean(given(d, 400_000, rng) > at) for d in (0.0, 1.0))
        q, p = of_power.LogOdds.of(np.array([low]), np.array([high]), 1e9).apart(2.0, 0.0, 1e9)
        for d, rate in ((0.0, q), (1.0, p)):
            assert np.mean(half(d, 400_000, rng) > at) == pytest.approx(rate[0], abs=0.02)
    assert not of_power.LogOdds.of(q, q, 1e4).breaks(ClaimedCurve.of(PURE), 2.0, 1e4, 1e4)


def test_components_measure_by_the_noise_that_is_there() -> None:
    for apart, said in ((1.0, "yes"), (0.1, "loose")):
        box = npf.BlackBox(laplace(1.0), (0.0, apart), noise="laplace")
        found = npf.examine(box, npf.PureDP(1.01), samples=4_000, seed=1).findings[0].evidence
        (one,) = (e for e in found if e.check == "components")
        assert word(one.resolution) == said


def test_a_query_moves_by_no_less_than_is_certain() -> None:
    from noiseproof.audit.trial.checks.components import Reading, _moved

    box = npf.BlackBox(laplace(1.0), (0.0, 0.3), noise="laplace")
    from noiseproof.audit.trial.checks.components import SHAPES, Components
    from noiseproof.audit.trial.outcomes import canonical

    check = Components(npf.Claim(PURE, box), (0.0, 0.3))
    rng = np.random.default_rng(0)
    plan = check.learn([canonical(laplace(1.0)(x, 500, rng), 500) for x in (0.0, 0.3)])
    certain = Reading(SHAPES["laplace"], "", np.array([2.0]))
    assert _moved(plan, certain) == 2.0
    found = check._power(certain, [], plan, 10_000, 0.05)
    assert (found and found.value) == check._factor(certain.shape, [], plan.learnt, 10_000, 0.05)


def test_a_bits_audit_has_the_power_of_its_numbers() -> None:
    certificate = npf.examine(npf.BlackBox(laplace(1.0), (0.0, 1.0)), PURE, samples=4_000, bits=True, seed=1)
    least = least_power(f.record() for f in certificate.findings)
    assert least is None or certificate.verdict is not Verdict.SURVIVED or least[0].half


def test_the_least_of_two_claims_is_told_and_at_every_door(capsys: pytest.CaptureFixture[str]) -> None:
    near, far = (npf.BlackBox(laplace(1.0), (0.0, apart)) for apart in (1.0, 0.001))
    claims = [npf.Claim(PURE, near, title="near"), npf.Claim(PURE, far, title="far")]
    certificate = npf.examine(None, claims, samples=2_000, seed=2)
    lines = weakest_survival(f.record() for f in certificate.findings)
    assert lines[0].startswith(
        "least power among 2 claims that survived: half the noise would NOT have been found, claim loose here"
    )
    assert "nor would any factor up to 64, of “far”" in lines[0]
    assert lines[1].startswith(
        "if outcomes leak the record in clear, the audit notices it with probability 0.95 when"
    )
    print_summary(certificate, Path("out"))
    assert lines[0] in capsys.readouterr().out
    data = certificate.to_dict()
    assert "claim loose here" in render_markdown(data)
    assert "claim loose here" in render_junit(data)
    assert '"results": []' in render_sarif(data), "what survived is no result"
    assert npf.Certificate.from_json(certificate.to_json()).to_json() == certificate.to_json()


def test_an_open_claim_says_its_power_to_a_build(capsys: pytest.CaptureFixture[str]) -> None:
    box = npf.BlackBox(laplace(0.6), (0.0, 1.0))
    certificate = npf.examine(box, PURE, samples=2_000, seed=2)
    data = certificate.to_dict()
    print_summary(certificate, Path("out"))
    line = capsys.readouterr().out.splitlines()[1]
    assert line.startswith("     likelihood ratio: no power: half the noise breaks the claim")
    assert line.endswith("samples per input would decide it")
    for text in (render_markdown(data), render_junit(data), render_sarif(data)):
        assert "no power" in text.replace("\\", "")


FORGED: dict[str, Callable[[Resolution], Resolution]] = {
    "half the noise would have been missed": lambda r: replace(r, value=13.0),
    "one that would miss half the noise": lambda r: replace(r, value=13.0, samples=9_000.0),
    "contradicts itself": lambda r: replace(r, limit=3.0),
}


@pytest.mark.parametrize("why", FORGED)
def test_a_survival_without_power_is_no_certificate(why: str) -> None:
    made = npf.examine(npf.BlackBox(laplace(1.0), (0.0, 1.0)), PURE, samples=2_000, seed=2)
    (finding,) = made.findings
    evidence = tuple(
        replace(e, resolution=FORGED[why](e.resolution)) if e.resolution else e for e in finding.evidence
    )
    assert not list(faults([finding], made.settings, made.subjects))
    told = list(faults([replace(finding, evidence=evidence)], made.settings, made.subjects))
    assert any(why in one for one in told)


def test_the_sentence_names_the_limit_and_what_would_decide_it() -> None:
    ray = "the noise scaled by 1/c"
    found = "times smaller than this {} has would be found with probability 0.95 (estimated by this audit)"
    assert half_noise(Resolution(ray, 1.2)).endswith(f"; noise 1.2 {found.format('release')}")
    family = half_noise(smaller_scale(1.44))
    assert family == f"half the scale would have been found; a scale 1.2 {found.format('family')}"
    assert "allows noise down to about 1/3.5 of this" in half_noise(Resolution(ray, 4.0, limit=3.5))
    assert half_noise(Resolution(ray, None, samples=4_000.0)).endswith(
        "would NOT have been found; about 4,000 samples per input would decide it"
    )


def test_epsilon_of_a_point_claim_is_that_of_its_delta() -> None:
    data = npf.examine(npf.BlackBox(laplace(1.0), (0.0, 0.001)), PURE, samples=2_000, seed=2).to_dict()
    assert "0 of 1 |" in render_markdown(data)


def test_a_claim_of_thousands_to_one_is_too_large_for_the_samples() -> None:
    release = npf.BlackBox(lambda d, n, rng: rng.random(n) < (0.5 if d else 1e-4), (0, 1))
    found = npf.examine(release, npf.PureDP(8.52), samples=20_000)
    assert found.verdict is npf.Verdict.UNDECIDED
    assert "give more samples" in found.findings[0].evidence[0].detail


def test_what_is_said_of_half_the_noise_is_so() -> None:
    rng = np.random.default_rng(5)
    told = set()
    for _ in range(10):
        case = replace(Case.drawn(rng), samples=1_000)
        said = case.said()
        told.add(said)
        assert not case.wrong(said, 6), case
    assert {"yes", "loose"} <= told
    assert KINDS


def test_the_number_that_would_decide_a_large_claim_does() -> None:
    first = heard(laplace(0.1), npf.PureDP(10.0), 1.0, 2_000)
    (words,) = re.findall(r"about ([\d,]+) samples per input would decide it", first.detail)
    assert first.verdict is Verdict.UNDECIDED
    assert heard(laplace(0.1), npf.PureDP(10.0), 1.0, int(words.replace(",", ""))).verdict is Verdict.SURVIVED
