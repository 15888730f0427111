"""A witness stands in the terms of its certificate only: its claim, its share of alpha, the tests that were made."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fuzzing.real_witnesses import Found, found
from fuzzing.witness_edits import tried
from made_certificates import finding as made_finding
from made_certificates import one_of_each
from shared_artefacts import Shelf
from typer.testing import CliRunner

from noiseproof.audit.record.certificate import Certificate
from noiseproof.audit.record.terms import Terms
from noiseproof.audit.witnesses import reevaluate, rerun
from noiseproof.cli import app

Change = Callable[[dict[str, Any]], Any]


@pytest.fixture(scope="module")
def real(shelf: Shelf) -> list[Found]:
    return shelf.once("real witnesses", lambda: [one for one in found() if one.kind != "instance"])


def stands(one: Found, change: Change | None = None) -> bool:
    """Whether the changed witness stands; a ValueError says that it is none."""
    assert one.terms is not None
    witness = copy.deepcopy(one.witness)
    if change is not None:
        change(witness)
    try:
        return reevaluate(witness, replace(one.terms, evidence=replace(one.terms.evidence, witness=witness)))[
            0
        ]
    except ValueError:
        return False


def test_every_real_witness_stands_in_its_terms(real: list[Found]) -> None:
    assert len({one.kind for one in real}) >= 22
    assert [one.kind for one in real if one.terms is not None and not stands(one)] == []


EMPTY: list[tuple[str, str, Change]] = [
    ("no tests", "binomial", lambda w: w.update(tests=0, successes=w["trials"] // 2)),
    ("fewer tests than were made", "binomial", lambda w: w.update(tests=1)),
    ("fewer tests than were made", "importance sample", lambda w: w.update(tests=1)),
    ("an alpha of two", "binomial", lambda w: w.update(alpha=2)),
    ("more alpha than there was", "binomial", lambda w: w.update(alpha=0.5)),
    ("more alpha than there was", "bets", lambda w: w.update(alpha=0.5)),
    ("more alpha than there was", "histograms", lambda w: w.update(alpha=0.5)),
    ("more alpha than there was", "importance sample", lambda w: w.update(alpha=0.5)),
    ("all of the alpha where half of it was", "additive noise", lambda w: w.update(alpha=2 * w["alpha"])),
    ("no epochs", "bets", lambda w: w.update(epochs=[])),
    (
        "one of one against none of one",
        "event",
        lambda w: w.update(count={"k": 1, "n": 1, "l": 0, "m": 1}, alpha=50, level=50),
    ),
    ("all of alpha at the main event", "event", lambda w: w.update(level=w["alpha"])),
    ("all of alpha beside the main event", "rate boxes", lambda w: w.update(level=w["alpha"])),
    ("no events", "rate boxes", lambda w: w.update(k0=[], k1=[])),
    ("a count that is not whole", "rate boxes", lambda w: w["k0"].append(1e-300) or w["k1"].append(0)),
    ("a negative error", "profile", lambda w: w.update(absolute_error=-1.0, delta=w["claimed"])),
    ("an error of its own", "profile", lambda w: w.update(delta=w["claimed"] + 1e-14, absolute_error=1e-15)),
    ("a delta of its own", "profile", lambda w: w.update(delta=0.9)),
    ("an epsilon of its own", "profile", lambda w: w.update(epsilon=w["epsilon"] + 1)),
    ("a negative error", "information", lambda w: w.update(relative_error=-1.0, numerical=w["claimed"])),
    ("an information of its own", "information", lambda w: w.update(numerical=[[77.0]])),
    ("a shape of its own", "shape", lambda w: w.update(information=[9, 9])),
    ("because", "irregular", lambda w: w.update(reason="because")),
    ("two speeds only", "irregular", lambda w: w.update(speeds=[1.0, 2.0])),
    ("a left side of its own", "inequality", lambda w: w.update(left="10")),
    ("an unbounded left side", "inequality", lambda w: w.update(left="1" if w["left"] == "oo" else "oo")),
    ("no parts", "additive noise", lambda w: w.update(parts=[])),
    ("entries that mean nothing", "event", lambda w: w.update(signed_by="the board")),
]


@pytest.mark.parametrize(("what", "kind", "change"), EMPTY, ids=[f"{e[1]}: {e[0]}" for e in EMPTY])
def test_what_shows_nothing_or_asks_for_more_than_its_terms_does_not_stand(
    what: str, kind: str, change: Change, real: list[Found]
) -> None:
    assert what
    of_kind = [one for one in real if one.kind == kind]
    assert of_kind
    assert not any(stands(one, change) for one in of_kind)


@pytest.mark.parametrize("key", ["predicate", "parameters"])
def test_a_witness_about_another_claim_than_its_findings_is_refused(key: str, real: list[Found]) -> None:
    other = {"predicate": "RenyiDP", "parameters": {"mu": 0.001}}
    for one in real:
        if one.terms is not None:
            assert not stands(one, lambda w: w.update({key: other[key]})), one.kind
            assert not stands(one, lambda w: w.pop(key)) or one.kind == "rate boxes", one.kind


def test_what_a_predicate_allows_that_is_not_known_is_not_exceeded(real: list[Found]) -> None:
    for one in real:
        if one.kind in ("event", "rate boxes", "bets", "importance sample", "additive noise"):
            assert not _alone(one, {"predicate": "PureDp\u200b"}), one.kind


def _alone(one: Found, change: dict[str, Any]) -> bool:
    try:
        return reevaluate({**one.witness, **change})[0]
    except ValueError:
        return False


def test_replay_and_rerun_ask_the_certificate_for_alpha(tmp_path: Path) -> None:
    data = one_of_each().to_dict()
    evidence = data["findings"][1]["evidence"][0]
    evidence["witness"].update(count={"k": 9, "n": 10, "l": 1, "m": 10}, alpha=0.9, level=0.9)
    (tmp_path / "c.json").write_text(json.dumps(data))
    done = CliRunner().invoke(app, ["replay", f"{tmp_path / 'c.json'}#2"])
    assert (done.exit_code, "DOES NOT STAND: it spends an alpha of 0.9" in done.output) == (1, True)
    ((_, terms), _) = Terms.all_of(Certificate.from_data(data))
    assert [one.state for one in rerun([("a", terms), ("b", terms.witness)])] == ["fails", "holds"]


def test_a_witness_without_an_error_in_its_evidence_spends_nothing() -> None:
    finding = made_finding(1, "REFUTED")
    evidence = replace(finding.evidence[0], error=0.0)
    terms = Terms(finding.claim, finding.subject, evidence, 0.01)
    assert reevaluate(terms.witness, terms) == (
        False,
        "it spends an alpha of 0.01 where the certificate gave 0",
    )


def test_random_edits_that_still_stand_are_true(real: list[Found]) -> None:
    seen = tried(real, 250, 1)
    assert seen.faults == []
    assert sum(seen.words.values()) == 250
