"""Every claim of every paper: its verdict, its twin that flips, its witnesses that stand, and sabotage that is seen."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

import jsonschema
import pytest
import sympy as sp
from claim_trials import Trial, dossier_claims, tried, verdicts_of
from dossier_section import CORRECTED, blind_sides, reevaluated_elsewhere
from shared_artefacts import Shelf

from noiseproof.audit.dossier import Dossier, faults, run
from noiseproof.audit.dossier.formula import Formula, argued
from noiseproof.audit.papers import papers
from noiseproof.audit.witnesses import reevaluate
from noiseproof.reports import dossier_schema, proof_schema
from noiseproof.symbolic.proof import enclosure
from noiseproof.symbolic.proof.derivation import Derivation, Step


@dataclass(frozen=True)
class Paper:
    """How many ids there are, how many checks refute and how many true equations there are at least.

    `survived` names those whose correction is not proved.
    """

    ids: int
    refutations: int
    equations: int
    survived: tuple[str, ...] = ()


PAPERS = {
    "farokhi2019": Paper(149, 198, 75, ("figure-1",)),
    "farokhi2020": Paper(85, 93, 52, ("headline-4", "fig-4-value", "bc-28.4m", "bc-2840")),
    "zhou2009": Paper(49, 80, 14, ("phi-revealed",)),
    "pathak2010": Paper(59, 81, 28, ("sridharan-quote",)),
    "chanyaswad2019": Paper(63, 115, 39, ("theorem-2", "dfm-range")),
}
STEP = jsonschema.Draft202012Validator(
    {**proof_schema()["properties"]["steps"]["items"], "$defs": proof_schema()["$defs"]}
)


def proofs_fit(proofs: list[Any]) -> bool:
    """Whether all are of the published schema of a step."""
    return all(map(STEP.is_valid, proofs))


CLAIMS = [f"{paper}/{name}" for paper in PAPERS for name in verdicts_of(paper)]


@pytest.mark.parametrize("identifier", CLAIMS)
def test_a_claim_gets_its_verdict_and_its_sabotage_is_seen(identifier: str, shelf: Shelf) -> None:
    paper, name = identifier.split("/", 1)
    trial = shelf.once(identifier, lambda: tried(identifier))
    finding, verdict = trial.finding, verdicts_of(paper)[name]
    assert finding["id"] == identifier
    assert finding["verdict"] == verdict
    assert trial.faults == ()
    assert faults([{"findings": [finding]}]) == []
    assert bool(finding["correction"]) == (finding["witness"] is not None) == (verdict in CORRECTED)
    if verdict in CORRECTED:
        assert finding["twin"]["verdict"] == ("survived" if name in PAPERS[paper].survived else "proved")
    rows = finding["evidence"]
    # Some of them: all are looked at in the long run.
    assert proofs_fit([r["proof"] for e in rows for r in e["derivation"] if r.get("proof")][::10])
    assert all((row["verdict"] == "REFUTED") == (row["witness"] is not None) for row in rows)
    if verdict not in ("definition", "undecided"):
        assert finding["twin"] is not None
        assert finding["twin"]["statement"] != finding["statement"]
        assert any(not row["check"].endswith("]") for row in rows)
        # Of every claim that is checked the statement or its twin falls, often by several checks.
        assert any(row["verdict"] == "REFUTED" for row in rows)


@pytest.fixture(scope="module", params=PAPERS)
def paper(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def trials(paper: str, shelf: Shelf) -> dict[str, Trial]:
    names = [f"{paper}/{name}" for name in verdicts_of(paper)]
    return shelf.all({name: lambda name=name: tried(name) for name in names})


def test_every_id_is_a_claim(paper: str) -> None:
    names = [f"{paper}/{name}" for name in verdicts_of(paper)]
    assert len(names) == PAPERS[paper].ids
    assert sorted(names) == sorted(dossier_claims(paper))
    assert set(PAPERS[paper].survived) <= set(verdicts_of(paper))
    assert Counter(verdicts_of(paper).values())["undecided"] <= 0.05 * len(names)


def test_enough_was_sabotaged(paper: str, trials: dict[str, Trial]) -> None:
    assert sum(trial.equations for trial in trials.values()) >= PAPERS[paper].equations
    assert sum(trial.argued for trial in trials.values()) >= 10
    assert sum(trial.directed for trial in trials.values()) >= 3


def test_there_are_as_many_refutations_as_ever(paper: str, trials: dict[str, Trial]) -> None:
    assert len(_witnesses(trials)) >= PAPERS[paper].refutations


@pytest.mark.parametrize("every", [8, pytest.param(1, marks=pytest.mark.long)])
def test_every_refutation_carries_a_witness_that_stands_in_another_process(every: int, shelf: Shelf) -> None:
    """Here each was evaluated when it was found; in another process one in eight is, and all in a long run."""
    trials = shelf.all({name: lambda name=name: tried(name) for name in CLAIMS})
    chosen = _witnesses(trials)[::every]
    answers = reevaluated_elsewhere(chosen)
    assert [says for stands, says in answers if not stands] == []
    assert answers[::5] == [reevaluate(w) for w in chosen[::5]]


def _witnesses(trials: dict[str, Trial]) -> list[dict[str, Any]]:
    rows = [row for trial in trials.values() for row in trial.finding["evidence"]]
    return [row["witness"] for row in rows if row["verdict"] == "REFUTED"]


def test_the_dossier_has_these_findings_again_and_satisfies_its_schema(
    paper: str, trials: dict[str, Trial]
) -> None:
    """Run anew, without the memory of a trial, for one claim in fourteen; the whole is a long run."""
    whole = papers([paper])[0]
    enclosure._decided.cache_clear()
    enclosure._vanishes.cache_clear()
    few = run(Dossier(whole.key, whole.title, dict(list(whole.claims.items())[::14])))
    findings = [trials[name].finding for name in whole.claims]
    assert json.dumps(few["findings"], allow_nan=False) == json.dumps(findings[::14], allow_nan=False)
    assert few["verdicts"] == dict(sorted(Counter(f["verdict"] for f in few["findings"]).items()))
    verdicts = dict(sorted(Counter(f["verdict"] for f in findings).items()))
    dossier = {**few, "verdicts": verdicts, "findings": findings}
    pytest.importorskip("jsonschema").validate(dossier, dossier_schema())
    assert json.loads(json.dumps(dossier, allow_nan=False)) == dossier


@pytest.mark.long
def test_the_whole_dossier_is_the_same_on_repetition(paper: str, trials: dict[str, Trial]) -> None:
    again: dict[str, Any] = run(papers([paper])[0])
    print(f"{paper}: {again['verdicts']}, {again['timings']['total_seconds']:.0f} s")
    assert again["findings"] == [trials[finding["id"]].finding for finding in again["findings"]]


def test_an_argument_that_does_not_read_its_formula_is_seen() -> None:
    x = sp.Symbol("x", positive=True)
    known = Step(x, "<=", x + 1, "what does not depend on the formula")
    tie = {
        side: lambda f, side=side: Step(getattr(f, side), "=", getattr(whole, side), "")
        for side in ("left", "right")
    }
    whole = Formula(x, "<=", x + 1, argument=argued())
    for read, seen in (((), 2), (("left",), 1), (("right",), 1), (("left", "right"), 0)):
        formula = replace(
            whole, argument=lambda f, read=read: Derivation("", (known, *(tie[side](f) for side in read)))
        )
        assert len(blind_sides(formula) or ()) == seen
    assert blind_sides(whole) == []
    assert blind_sides(replace(whole, right=x - 1)) is None
