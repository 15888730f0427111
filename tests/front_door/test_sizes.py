"""What would take the machine's memory or days is refused before any work, with the size and what to do."""

from __future__ import annotations

import json
import time
from pathlib import Path

import numpy as np
import pytest

import noiseproof as npf
from noiseproof.audit.record.reading import strict_json
from noiseproof.audit.record.reading.strict_json import StrictJsonError, read_strict_file
from noiseproof.audit.record.reading.toml_file import parse_toml
from noiseproof.audit.trial import memory
from noiseproof.audit.trial.spec import parse_spec
from noiseproof.audit.trial.spec.build import build
from noiseproof.symbolic.errors import SpecError

MANY = ["ab"] * 40_000
DEEP = {
    "key": ".".join(MANY) + " = 1",
    "spaced key": " . ".join(MANY) + " = 1",
    "quoted key": ".".join(['"a.b"'] * 40_000) + " = 1",
    "table": "[" + ".".join(MANY) + "]",
    "list of tables": "[[" + ".".join(MANY) + "]]",
    "inner table": "x = { " + ".".join(MANY) + " = 1 }",
    "after a text": 'x = "a"\ny = """\n"" \\""" #"""\n' + ".".join(MANY) + " = 1",
    "17 parts": ".".join("a" * 17) + " = 1",
}


@pytest.mark.parametrize("what", DEEP)
def test_keys_of_many_parts_are_refused_before_they_are_parsed(what: str) -> None:
    started = time.perf_counter()
    with pytest.raises(SpecError, match="more than 16 parts"):
        parse_toml(DEEP[what].encode(), "a spec", "spec.toml")
    assert time.perf_counter() - started < 5


@pytest.mark.parametrize(
    "text",
    [
        ".".join("a" * 16) + " = 1",
        'x = "' + ".".join(MANY) + '"',
        "x = '" + ".".join(MANY) + "'",
        'x = """\n' + ".".join(MANY) + "\n\"\"\"\ny = '''\n" + ".".join(MANY) + "\n'''",
        "# " + ".".join(MANY) + "\nx = 1",
        "x = [" + ", ".join(["1.5"] * 100) + "]\ny = 1979-05-27T07:32:00.999999",
        "x = [\n" + "\n".join(["1.5,"] * 100) + "\n]",
    ],
    ids=["16 parts", "text", "literal", "long texts", "comment", "numbers", "lines of numbers"],
)
def test_dots_that_part_no_key_are_free(text: str) -> None:
    assert parse_toml(text.encode(), "a spec", "spec.toml")


SPEC = """
samples = {samples}
[mechanism]
function = "{module}:zeros"
[neighbours]
adjacency = "replace-one"
records = {records}
domain = [0.0, 1.0]
search = {search}
[[claims]]
predicate = "pure-dp"
epsilon = 1.0
"""


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"records": 10**8}, "neighbours.records: 100,000,000 records do not fit into memory"),
        ({"records": 10**18}, "records do not fit into memory"),
        ({"records": [2, 10**9], "search": "true"}, "records do not fit into memory"),
        ({"search": "{ samples = 1_000_000_000_000 }"}, "neighbours.search.samples: samples must be at most"),
    ],
    ids=["records", "more records", "records of a search", "calls of a search"],
)
def test_inputs_that_do_not_fit_are_refused(changes: dict[str, object], said: str) -> None:
    text = SPEC.format(**{"samples": 1000, "module": "math", "records": 3, "search": "false", **changes})
    with pytest.raises(SpecError, match=said):
        build(parse_spec(text.replace("math:zeros", "math:sqrt").encode()))


def test_samples_and_dimensions_without_end_are_refused() -> None:
    with pytest.raises(SpecError, match="samples must be at most 1,000,000,000"):
        npf.examine(npf.LaplaceMechanism(1.0, 1.0), npf.PureDP(1.0), samples=10**18)
    for dimension in (10**9, 10**13):
        with pytest.raises(SpecError, match="do not fit into memory: two inputs take about"):
            npf.examine(npf.LaplaceMechanism(1.0, 1.0, dimension=dimension), npf.PureDP(1.0))
        with pytest.raises(SpecError, match="records do not fit into memory"):
            npf.examine(npf.BoundedMean(0.0, 1.0, dimension, 1.0), npf.Claim(npf.PureDP(1.0), about="law"))


@pytest.mark.parametrize("name", [" ", "\n\t", "x" * 20_000], ids=["blank", "breaks", "long"])
def test_names_that_no_certificate_can_have_are_refused_before_any_work(name: str) -> None:
    laplace, pure = npf.LaplaceMechanism(1.0, 1.0), npf.PureDP(1.0)
    called = npf.BlackBox(lambda x, size, rng: rng.laplace(x, 1, size), (0.0, 1.0), name=name)
    for subject, claim, title in (
        (laplace, pure, name),
        (called, pure, ""),
        (laplace, npf.Claim(pure, title=name), ""),
    ):
        with pytest.raises(SpecError, match="characters that can be seen"):
            npf.examine(subject, claim, title=title, samples=100)


def test_outcomes_that_are_learnt_from_at_once_have_to_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "_physical", lambda: 2**20)
    wide = npf.BlackBox(lambda d, n, r: d + r.normal(size=(n, 400)), (np.zeros(400), np.ones(400)))
    long = npf.BlackBox(lambda d, n, r: [f"{x} " * 300 for x in r.random(n)], (0, 1))
    for subject, advice in ((wide, "a query of fewer numbers$"), (long, "less text$")):
        with pytest.raises(SpecError, match=f"learnt from at once and do not fit into memory .* {advice}"):
            npf.examine(subject, npf.PureDP(1.0), samples=4_000)


def test_of_a_long_file_no_more_is_read_than_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "c.json"
    path.write_text(json.dumps({"a": "x" * 1000}))
    assert read_strict_file(path) == {"a": "x" * 1000}
    with path.open("wb") as file:
        file.truncate(3 * 2**30)  # takes no place on the disk
    taken: list[int] = []
    monkeypatch.setattr(strict_json, "read_strict", lambda raw, longest: taken.append(len(raw)))
    read_strict_file(path)
    assert taken == [strict_json.MAX_BYTES + 1]
    monkeypatch.undo()
    with pytest.raises(StrictJsonError, match="more than"):
        read_strict_file(path)
