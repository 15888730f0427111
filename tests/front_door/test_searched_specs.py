"""Specs that declare a domain and an adjacency, and ask for a search of the neighbours instead of giving them."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

import noiseproof as npf
from noiseproof.audit.trial.neighbours.declaration import adjacency_from, domain_from
from noiseproof.audit.trial.spec import SCHEMA, parse_spec
from noiseproof.audit.trial.spec.build import Job, build
from noiseproof.symbolic.domains.adjacency import AddOrRemove, Distance, Person, ReplaceOne
from noiseproof.symbolic.domains.box import Box
from noiseproof.symbolic.domains.discrete import Categorical, Table
from noiseproof.symbolic.domains.simplex import Simplex
from noiseproof.symbolic.errors import SpecError

USER = """
import numpy as np

CALLS = []

def release(data, size, rng, scale=1.0):
    CALLS.append(size)
    return np.sum(data) + rng.laplace(0, scale, size)

def persons(table, size, rng):
    names, counts = np.unique(table["user"], return_counts=True)
    return len(names) + 2.0 * np.sum(counts >= 3) + rng.laplace(size=size)

def codes(data, size, rng):
    return np.sum(data == "x") + rng.laplace(size=size)

def histogram(counts, size, rng):
    return counts + rng.laplace(size=(size, len(counts)))

def shares(p, size, rng):
    return p + rng.laplace(scale=2.0, size=(size, 3))

def one(data):
    return float(np.sum(data)) + np.random.default_rng().laplace()
"""
CLAIM = '[[claims]]\npredicate = "pure-dp"\nepsilon = 1\n'
FEW = "search = { samples = 2000 }\n"


@pytest.fixture(autouse=True)
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    (tmp_path / "searched_code.py").write_text(USER)
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    sys.modules.pop("searched_code", None)


def spec(function: str, neighbours: str, rest: str = CLAIM) -> str:
    return f'[mechanism]\nfunction = "searched_code:{function}"\n[neighbours]\n{neighbours}{rest}'


def job(text: str, **settings: Any) -> Job:
    jsonschema.Draft202012Validator(SCHEMA.data()).validate(tomllib.loads(text))
    return build(parse_spec(text.encode(), file="s.toml"), **settings)


def pair(text: str) -> tuple[Any, Any]:
    """The first pair of neighbours under audit."""
    found: tuple[Any, Any] = job(text).claims[0].subject.neighbours()[0]
    return found


SEARCHED = {
    "numbers": spec("release", 'adjacency = "replace-one"\ndomain = [0, 1]\nrecords = 3\n' + FEW),
    "rows": spec(
        "release", 'adjacency = "add-or-remove"\ndomain = [[0, 0], [1, 2]]\nrecords = [0, 3]\n' + FEW
    ),
    "ball": spec(
        "release",
        'adjacency = "any-two"\ndomain = { kind = "ball", radius = 1, dimension = 3, norm = "inf" }\n' + FEW,
    ),
    "simplex": spec("shares", 'adjacency = "any-two"\ndomain = { kind = "simplex", dimension = 3 }\n' + FEW),
    "categories": spec(
        "codes",
        'adjacency = "replace-one"\nrecords = 4\ndomain = { kind = "categorical", values = ["x", "y", "z"] }\n'
        + FEW,
    ),
    "histogram": spec(
        "histogram",
        'adjacency = "any-two"\napart = 1\nnorm = 1\ndomain = { kind = "box", low = 0, high = 9, dimension = 4, integer = true }\n'
        + FEW,
    ),
    "persons": spec(
        "persons",
        'adjacency = "add-or-remove"\nperson = "user"\nper_person = 4\nrecords = 6\n'
        'domain = { kind = "table", columns = { user = ["ann", "bob", "cyd"], spend = [0, 100] } }\n' + FEW,
    ),
}


@pytest.mark.parametrize("name", SEARCHED)
def test_a_spec_can_ask_for_a_search_in_each_kind_of_domain(name: str) -> None:
    found = job(SEARCHED[name], samples=1_000)
    claim = found.claims[0]
    assert "Neighbours found by search" in found.notes[0]
    assert "search found" in claim.scope.adjacency
    assert claim.scope.domain
    one, two = claim.subject.neighbours()[0]
    outcomes = (
        claim.subject.sample(one, 5, np.random.default_rng(0)),
        claim.subject.sample(two, 5, np.random.default_rng(0)),
    )
    assert [len(o) for o in outcomes] == [5, 5]


def test_the_fault_of_a_person_with_three_records_is_found_from_the_spec() -> None:
    found = job(SEARCHED["persons"], samples=2_000)
    certificate = npf.examine(None, list(found.claims), samples=2_000, notes=found.notes)
    assert certificate.verdict is npf.Verdict.REFUTED
    assert found.notes[0] in certificate.to_json()
    ann, gone = found.claims[0].subject.neighbours()[0]
    assert len(ann["user"]) - len(gone["user"]) >= 3
    harmless = SEARCHED["persons"].replace("per_person = 4", "per_person = 2")
    assert npf.examine(None, list(job(harmless).claims), samples=2_000).verdict is npf.Verdict.SURVIVED


def test_the_seed_and_the_calls_of_the_audit_are_those_of_the_search() -> None:
    text = SEARCHED["numbers"].replace(FEW, "search = true\n")
    found = {seed: job(text, seed=seed, samples=2_500).notes[0] for seed in (1, 2)}
    assert "seed 1;" in found[1]
    assert "seed 2;" in found[2]
    calls = int(found[1].partition(" with ")[2].partition(" calls")[0].replace(",", ""))
    assert 2_000 < calls <= 2_500


def test_searches_run_once_per_point_of_a_sweep_and_after_all_claims_are_read() -> None:
    text = SEARCHED["numbers"].replace("[neighbours]", "scale = [1.0, 2.0]\n[neighbours]")
    told: list[float] = []
    found = job(text + CLAIM, progress=lambda fraction, words: told.append(fraction))
    assert [c.subject is d.subject for c, d in zip(found.claims[:2], found.claims[2:], strict=True)] == [
        True,
        True,
    ]
    assert [n.split(":")[0] for n in found.notes] == ["scale = 1"] * 2 + ["scale = 2"] * 2
    assert told.count(1.0) == 2
    drawn: list[int] = sys.modules["searched_code"].CALLS
    drawn.clear()
    for slip in (
        CLAIM.replace("1", '"nonsense"'),
        CLAIM.replace("claims", "controls") + "noise_factor = 2\n",
    ):
        with pytest.raises(SpecError):
            job(text + slip)
    assert drawn == []


def test_a_function_that_is_called_singly_can_be_searched() -> None:
    text = SEARCHED["numbers"].replace('searched_code:release"', 'searched_code:one"\ncall = "single"')
    subject = job(text).claims[0].subject
    assert subject.deterministic is False
    assert len(subject.sample(np.zeros(3), 4, np.random.default_rng(0))) == 4


def test_several_pairs_and_given_ones() -> None:
    text = SEARCHED["numbers"].replace("samples = 2000", "samples = 2000, pairs = 2, delta = 1e-5")
    assert len(job(text).claims[0].subject.neighbours()) == 2
    given = text.replace("records = 3", "records = 3\ninputs = [[0.5, 0.5, 0.5], [0.5, 0.5, 0.25]]")
    assert "from patterns" in job(given).notes[0]
    with pytest.raises(SpecError, match=r"neighbours\.inputs: not neighbours"):
        job(given.replace("[0.5, 0.5, 0.25]", "[0.5, 0.25, 0.25]"))


def test_bounds_of_real_data_are_a_domain_and_their_number_a_size() -> None:
    data = '[data]\nsource = "sklearn:wine"\ncolumns = ["proline"]\nbounds = [0, 2000]\n'
    one, two = pair(data + spec("release", 'adjacency = "replace-one"\n' + FEW))
    assert one.shape == two.shape == (178, 1)
    assert np.sum(one != two) == 1


def test_without_a_search_a_rich_domain_gives_the_obvious_pair_or_takes_inputs() -> None:
    one, two = pair(SEARCHED["categories"].replace(FEW, ""))
    assert (one.tolist(), two.tolist()) == (["x"] * 4, ["z"] + ["x"] * 3)
    ann, gone = pair(SEARCHED["persons"].replace(FEW, ""))
    assert len(ann["user"]) - len(gone["user"]) == 1
    table = 'inputs = [{ user = ["ann", "bob"], spend = [1, 2] }, { user = ["bob"], spend = [2] }]\n'
    ann, gone = pair(SEARCHED["persons"].replace(FEW, table))
    assert (ann["spend"].tolist(), gone["user"].tolist()) == ([1.0, 2.0], ["bob"])
    near = SEARCHED["histogram"].replace(FEW, "inputs = [[1, 1, 1, 1], [1, 1, 1, 2]]\n")
    assert [x.tolist() for x in pair(near)] == [[1, 1, 1, 1], [1, 1, 1, 2]]


def test_a_box_written_as_a_table_serves_a_mechanism_too() -> None:
    text = '[mechanism]\nname = "bounded-mean"\nepsilon = 1\ncount = 5\n[neighbours]\n'
    subject = job(text + 'domain = { kind = "box", low = 0, high = 8 }\n' + CLAIM).claims[0].subject
    assert (subject.lower, subject.upper) == (0, 8)
    with pytest.raises(SpecError, match="a search goes with `function` only"):
        job(text + "search = true\n" + CLAIM)
    with pytest.raises(SpecError, match=r"expected a box here"):
        job(text + 'domain = { kind = "simplex", dimension = 3 }\n' + CLAIM)


NUMBERS, PERSONS = SEARCHED["numbers"], SEARCHED["persons"]
MESSAGES = [
    (
        NUMBERS.replace("samples", "sampels"),
        "neighbours.search.sampels: unknown key; did you mean 'samples'?",
    ),
    (NUMBERS.replace("2000", "20"), "neighbours.search.samples: expected a whole number >= 2000, got 20"),
    (NUMBERS.replace("samples = 2000", "pairs = 0"), "neighbours.search.pairs: expected a whole number >= 1"),
    (NUMBERS.replace("samples = 2000", "delta = 2"), "neighbours.search.delta: expected a number in [0, 1)"),
    (NUMBERS.replace(FEW, "search = 3\n"), "neighbours.search: expected true, or a table"),
    (NUMBERS.replace('adjacency = "replace-one"\n', ""), "neighbours.adjacency: expected"),
    (NUMBERS.replace("domain = [0, 1]\n", ""), "neighbours: adjacency needs the set of possible records"),
    (
        NUMBERS.replace("domain = [0, 1]", "domain = [1, 0]"),
        "neighbours.domain: box: expected finite low < high",
    ),
    (NUMBERS.replace("records = 3\n", ""), "neighbours.records: replace-one needs the number of records"),
    (
        NUMBERS.replace("records = 3", "records = [3, 2]"),
        "neighbours: replace-one needs the number of records",
    ),
    (
        NUMBERS.replace(FEW, "").replace("records = 3", "records = [2, 3]"),
        "neighbours.records: [smallest, largest] is for a search",
    ),
    (
        NUMBERS.replace("domain = [0, 1]", 'domain = { kind = "bal", radius = 1 }'),
        "neighbours.domain: unknown kind 'bal'; did you mean 'ball'?",
    ),
    (
        NUMBERS.replace("domain = [0, 1]", "domain = { radius = 1 }"),
        'neighbours.domain: the key "kind" is missing',
    ),
    (
        NUMBERS.replace("domain = [0, 1]", 'domain = { kind = "ball", radius = 1 }'),
        "neighbours.domain: a ball needs dimension",
    ),
    (
        NUMBERS.replace("domain = [0, 1]", 'domain = { kind = "ball", radius = 1, dimension = 2, nrom = 1 }'),
        "neighbours.domain.nrom: unknown key; did you mean 'norm'?",
    ),
    (
        NUMBERS.replace("domain = [0, 1]", 'domain = { kind = "ball", radius = 1, dimension = 2, norm = 3 }'),
        "neighbours.domain.norm: expected norm 1, 2",
    ),
    (
        NUMBERS.replace("domain = [0, 1]", 'domain = { kind = "ball", radius = "1", dimension = 2 }'),
        "neighbours.domain: ball: expected a finite radius > 0, got '1'",
    ),
    (
        PERSONS.replace("spend = [0, 100]", "spend = [100, 0]"),
        "neighbours.domain.columns.spend: box: expected finite low < high",
    ),
    (
        PERSONS.replace("spend = [0, 100]", "spend = [0]"),
        "neighbours.domain.columns.spend: expected [lower, upper]",
    ),
    (
        PERSONS.replace('person = "user"', 'person = "name"'),
        "neighbours: person: expected a Table with the column 'name'",
    ),
    (PERSONS.replace('person = "user"\n', ""), "neighbours.per_person: this key goes with `person`"),
    (PERSONS.replace("add-or-remove", "any-two"), "neighbours.person: a person goes with"),
    (
        PERSONS.replace(FEW, 'inputs = [{ user = ["zoe"], spend = [1] }, { user = [], spend = [] }]\n'),
        "is no possible record",
    ),
    (PERSONS.replace(FEW, "inputs = [3, 4]\n"), "neighbours.inputs[0]: not an input of this domain"),
    (SEARCHED["histogram"].replace("any-two", "replace-one"), "neighbours.apart: a distance goes with"),
    (SEARCHED["histogram"].replace("apart = 1\n", ""), "neighbours.norm: this key goes with `apart`"),
    (SEARCHED["histogram"].replace("norm = 1\n", "norm = 4\n"), "neighbours.norm: expected norm 1, 2"),
    (
        SEARCHED["histogram"].replace("apart = 1\n", "apart = 0.5\n"),
        "neighbours: distance: whole numbers are at least 1 apart",
    ),
]


@pytest.mark.parametrize(("text", "part"), MESSAGES, ids=[part[:60] for _, part in MESSAGES])
def test_messages_name_the_key_and_what_was_expected(text: str, part: str) -> None:
    with pytest.raises(SpecError) as caught:
        build(parse_spec(text.encode(), file="s.toml"))
    assert part in str(caught.value)
    assert "\n" not in str(caught.value)


def test_domains_and_relations_as_plain_data() -> None:
    assert isinstance(domain_from([0, 1]), Box)
    assert isinstance(domain_from(["a", "b"]), Categorical)
    assert isinstance(domain_from({"kind": "simplex", "dimension": 3, "total": 5}), Simplex)
    table = domain_from({"kind": "table", "columns": {"a": [0, 1], "b": ["x", "y"]}, "layout": "records"})
    assert isinstance(table, Table)
    assert table.layout == "records"
    assert adjacency_from("replace-one") == ReplaceOne()
    assert adjacency_from("add-or-remove") == AddOrRemove()
    assert adjacency_from("replace-one", person="u", per_person=3) == Person("u", "replace", 3)
    assert adjacency_from("any-two", apart=2.0, norm="inf") == Distance(2.0, np.inf)
    with pytest.raises(SpecError, match="did you mean 'any-two'"):
        adjacency_from("anytwo")
