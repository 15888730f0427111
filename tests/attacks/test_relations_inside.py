"""Relations inside an outcome: each leak of the corpus is refuted at its claim, its twin stands, and what is not read is said."""

from __future__ import annotations

import numpy as np
import pytest
from leak_corpus import LEAK_CORPUS
from leak_corpus.relations import FURTHER, RELATIONS

import noiseproof as npf
from noiseproof.audit.trial.attack.events import MAIN_SHARE, SECOND_SHARE
from noiseproof.audit.trial.attack.read import alone_score
from noiseproof.audit.trial.attack.read.inside import (
    _EDGES_SAY,
    _ORDER,
    _SQUARES,
    _graph,
    _ordered,
    _patches,
    inside_scores,
)
from noiseproof.audit.trial.attack.scores import ALONE, PLACED
from noiseproof.audit.trial.checks.likelihood_ratio import LikelihoodRatio
from noiseproof.audit.trial.outcomes import Grid, canonical
from noiseproof.symbolic.claim import Claim

USUAL = (
    "two equal among twelve shuffled",
    "largest of a hundred shuffled",
    "eight after seven in an order of fifty",
    "two of sixty sorted half apart",
    "total of an invoice",
    "mark in an image",
    "shard in an id of sixty-two bits",
    "ids by 97 near 2^46",
    "microseconds that are milliseconds",
    "check digits by 97 of twenty-two",
)
LATER = (
    "digits by 97 between dashes",
    "components in a table",
    "components of names",
    "components of records",
    "ids by 4093 near 2^55",
)
SLOW = (
    "one ring of twelve or two of six",
    "pseudonym twice in a list of text",
    "pseudonym twice in a table of constant words",
)


def verdict(name: str, leaky: bool, samples: int, seed: int = 1) -> npf.Verdict:
    leak_case = next(e for e in (*RELATIONS, *FURTHER) if e.name == name)
    box = npf.BlackBox(leak_case.release(leaky), (0, 1), name=name)
    return npf.examine(box, npf.PureDP(leak_case.epsilon), samples=samples, seed=seed).verdict


@pytest.mark.parametrize("name", [*USUAL, *SLOW, *LATER])
def test_a_leak_by_a_relation_falls(name: str) -> None:
    assert verdict(name, leaky=True, samples=2_000) is npf.Verdict.REFUTED


def test_neighbours_in_an_order_are_said_as_two_values() -> None:
    leak_case = next(e for e in RELATIONS if e.name == "eight after seven in an order of fifty")
    audit = npf.examine(npf.BlackBox(leak_case.release(True), (0, 1)), npf.PureDP(1.0), samples=4_000, seed=1)
    (found,) = audit.findings[0].evidence
    assert "neighbours in an order, of which 7 before 8 says most" in found.detail


@pytest.mark.parametrize("name", ["two equal among twelve shuffled", "total of an invoice"])
def test_the_twin_of_a_leak_stands(name: str) -> None:
    assert verdict(name, leaky=False, samples=4_000) is not npf.Verdict.REFUTED


@pytest.mark.long
@pytest.mark.parametrize("leaky", [True, False])
@pytest.mark.parametrize("leak_case", [*RELATIONS, *FURTHER], ids=lambda e: e.name)
def test_forty_leaks_and_their_twins(leak_case: object, leaky: bool) -> None:
    name = leak_case.name  # type: ignore[attr-defined]
    wrong = npf.Verdict.SURVIVED if leaky else npf.Verdict.REFUTED
    assert sum(verdict(name, leaky, 20_000, seed) is wrong for seed in range(20)) <= 4


@pytest.mark.parametrize("name", ["seldom a number", "seldom a whole number"])
@pytest.mark.parametrize("seed", range(4))
def test_a_value_in_two_of_a_thousand_outcomes_falls(name: str, seed: int) -> None:
    assert verdict(name, leaky=True, samples=20_000, seed=seed) is npf.Verdict.REFUTED


def test_a_value_of_one_input_alone_is_counted_by_itself() -> None:
    rng = np.random.default_rng(5)
    zero, one = rng.normal(size=(2, 4_000))
    one[:20] = 0.125
    pair = [canonical(rng.permutation(v), 4_000) for v in (zero, one)]
    box = npf.BlackBox(lambda d, size, rng: rng.normal(size=size), (0, 1))
    check = LikelihoodRatio(Claim(npf.PureDP(1.0), box), (0, 1))
    plan = check.learn(pair)
    events = plan.events[: plan.single]
    assert sum(e.share for e in events) == pytest.approx(MAIN_SHARE + SECOND_SHARE)
    mine = [i for i, e in enumerate(events) if plan.scores[e.score].name in (PLACED, ALONE)]
    # What lies beside the value is in no event of its own.
    beside = canonical(np.array([0.1249, 0.125, 0.1251]), 3)
    assert mine
    assert all(check.count(plan, [beside, beside], rng)[0][i] == 1 for i in mine)


def test_luck_leaves_little_alone() -> None:
    rng = np.random.default_rng(6)
    found = [
        alone_score([[canonical(rng.poisson(500, 2_500), 2_500) for _ in "01"] for _ in "01"])
        for _ in range(20)
    ]
    assert sum(score.things for score in found if score) <= 20


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("two equal among twelve shuffled", "the smallest gap"),
        ("mark in an image", "the largest mean of a square of nine"),
        ("one ring of twelve or two of six", "how many components"),
    ],
)
def test_the_relation_that_tells_most_is_said(name: str, said: str) -> None:
    (leak_case,) = (e for e in RELATIONS if e.name == name)
    release, rng = leak_case.release(True), np.random.default_rng(0)
    scores = inside_scores(*(canonical(release(d, 400, rng), 400) for d in (0, 1)))
    found = [s.said for s in scores if s and s.name.endswith("of relations inside an outcome")]
    assert found == [f"decision trees, of relations inside an outcome (most of all {said})"]


def test_every_relation_has_a_name() -> None:
    values = np.random.default_rng(0).normal(size=(5, 16))
    assert _ordered(16)(values).shape[1] == len(_ORDER)
    patches = _patches("number[4, 4]")
    assert patches is not None
    assert patches(values).shape[1] == len(_SQUARES)
    edges = np.random.default_rng(0).integers(0, 4, (200, 8)).astype(float)
    sample = canonical(edges.reshape(200, 4, 2), 200)
    graph = _graph("number[4, 2]", sample, sample)
    assert graph is not None
    assert graph(edges).shape[1] == len(_EDGES_SAY)


def test_there_are_forty() -> None:
    assert len(RELATIONS) == 40
    assert set(RELATIONS) <= set(LEAK_CORPUS)


def test_whole_numbers_are_never_rounded() -> None:
    near = np.random.default_rng(1).integers(2**45, 2**46, 5_000)
    sample = canonical(near, len(near))
    assert np.array_equal(Grid.of(sample).round(sample).values[:, 0], near)


def test_numbers_without_relations_have_no_score_of_these() -> None:
    rng = np.random.default_rng(2)
    zero, one = (canonical(rng.laplace(size=(4_000, 10)) + d, 4_000) for d in (0.0, 0.1))
    assert [score for score in inside_scores(zero, one) if score is not None] == []


def test_what_is_not_read_is_said() -> None:
    box = npf.BlackBox(lambda d, size, rng: rng.laplace(size=(size, 80)), (0, 1))
    (finding,) = npf.examine(box, npf.PureDP(1.0), samples=2_000).findings
    assert (
        "of 80 numbers an outcome these relations are not read: products and sums of three"
        in finding.evidence[0].detail
    )
