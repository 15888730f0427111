"""What a manifest says is computed again from the policy in it, and its pages are drawn again: a forger has to sign for it."""

from __future__ import annotations

import copy
import hashlib
import json
import re
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pre_release_cases import CASES
from sample_release import sample_release
from sealed_release import seal, verify

from noiseproof.audit.release.plan import plan
from noiseproof.audit.release.policy import policy_of
from noiseproof.audit.release.statements import statements
from noiseproof.audit.release.verify import attest, make_key, restated, restating
from noiseproof.release_command import pages
from noiseproof.symbolic.errors import SpecError

Change = Callable[[dict[str, Any]], Any]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A true release, whose attestation is taken off."""
    shutil.copytree(sample_release(), tmp_path / "release")
    (tmp_path / "release" / "attestation.json").unlink()
    return tmp_path / "release"


def forged(folder: Path, change: Change, draw: bool = True) -> None:
    """A manifest that was changed, every page drawn after it, every digest made to fit."""
    path = folder / "release.json"
    manifest = json.loads(path.read_text())
    change(manifest)
    certificate = json.loads((folder / "certificate.json").read_text())
    raw = (folder / "certificate.json").read_bytes()
    for row in manifest["files"]:
        if row["name"] == "certificate.json":
            row |= {"sha256": hashlib.sha256(raw).hexdigest(), "bytes": len(raw)}
    path.write_text(json.dumps(manifest))
    if draw:
        for name, text in pages(manifest, certificate, []).items():
            (folder / name).write_text(text)


def _guarantee(epsilon: float) -> Change:
    def change(m: dict[str, Any]) -> None:
        for one in m["guarantees"]:
            if "epsilon" in one:
                one["sentence"] = one["sentence"].replace(f"{one['epsilon']:.6g}-diff", f"{epsilon:.6g}-diff")
                one["epsilon"] = epsilon

    return change


def _scaled(m: dict[str, Any], factor: float) -> None:
    for column in m["mechanism"]["columns"]:
        column["noise"]["scale"] *= factor
    scales = m["mechanism"]["parameters"]["scale"]
    scales.update({name: value * factor for name, value in scales.items()})


NUMBERS: dict[str, Change] = {
    "a smaller epsilon": _guarantee(0.1),
    "a guarantee that is not there": lambda m: m["guarantees"].append(
        {"kind": "approximate", "epsilon": 0.1, "delta": 0.0, "sentence": "(0.1, 0)"}
    ),
    "a guarantee of another kind": lambda m: m["guarantees"][0].update(kind="zero-concentrated"),
    "a smaller cost": lambda m: m["costs"].update(epsilon=0.1),
    "costs of another form": lambda m: m["costs"].update(fisher_information=[1], approximate=3),
    "a smaller information": lambda m: m["costs"]["fisher_information"][0].update(value=1e-9),
    "a larger error bound": lambda m: m["error_bounds"][0].update(bound=1e9),
    "an error bound for another column": lambda m: m["error_bounds"][0].update(column=None),
    "no error bound": lambda m: m.update(error_bounds=[]),
    "more noise": lambda m: _scaled(m, 2.0),
    "another grid": lambda m: m["mechanism"]["columns"][0].update(exponent=-30),
    "another interval": lambda m: m["mechanism"]["columns"][0].update(high=50.0),
    "another law": lambda m: m["mechanism"]["columns"][0]["noise"].update(law="gaussian"),
    "another kind of mechanism": lambda m: m["mechanism"].update(kind="gaussian"),
    "a parameter that nobody has": lambda m: m["mechanism"]["parameters"].update(epsilon=0.1),
    "no entry of a ledger": lambda m: m.update(ledger=None),
    "the ledger of another table": lambda m: m["ledger"].update(table_id="animals"),
    "less spent than it costs": lambda m: m["ledger"].update(
        spent={"epsilon": 1.0}, remaining={"epsilon": 4.0}
    ),
    "more left of the budget": lambda m: m["ledger"]["remaining"].update(epsilon=30.0),
    "an entry in words": lambda m: m["ledger"].update(entry="approved by the board"),
    "amounts in words": lambda m: m["ledger"].update(spent="nothing", remaining="all"),
    "amounts that are not there": lambda m: m["ledger"].update(spent={}),
    "a number of records that is withheld": lambda m: m["table"].update(rows=None),
    "another unit of privacy": lambda m: m.update(unit_of_privacy="person"),
    "another usefulness": lambda m: m["utility"].update({"mean-squared-error": 1.0}),
    "a number as a text": lambda m: m["costs"].update(epsilon="2"),
    "another limit": lambda m: m["policy"]["limits"].update(epsilon=0.1),
    "another interval in the policy": lambda m: m["policy"]["columns"][0].update(high=50.0),
    "a policy that is none": lambda m: m["policy"].update(mechanism={"kind": "laplace"}),
    "a policy with other keys": lambda m: m["policy"].update(certified=True),
}
WORDS: dict[str, Change] = {
    "a better sentence": lambda m: m["guarantees"][0].update(sentence="perfectly private, for ever"),
    "a caveat less": lambda m: m["does_not_mean"].pop(),
    "a better caveat": lambda m: m["does_not_mean"].__setitem__(0, "Everything is hidden."),
    "another adjacency": lambda m: m.update(adjacency="any two tables at all"),
    "another adversary": lambda m: m["error_bounds"][0].update(against="everyone at every record"),
    "another title": lambda m: m.update(title="Certified by the office"),
}


# With another policy or number of records all is computed again, which takes seconds.
SLOW = (
    "another limit",
    "another interval in the policy",
    "a policy that is none",
    "a policy with other keys",
    "a number of records that is withheld",
)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(change, id=name, marks=[pytest.mark.long] if name in SLOW else [])
        for name, change in {**NUMBERS, **WORDS}.items()
    ],
)
def test_what_does_not_follow_from_the_policy_is_neither_believed_nor_signed(
    folder: Path, change: Change
) -> None:
    forged(folder, change, draw=False)
    with pytest.raises(SpecError):
        seal(folder)
    attest(folder)
    assert [one for one in verify(folder) if one.state == "fails"]


@pytest.mark.parametrize(
    "name", [n if n in ("optimal", "ron-gauss") else pytest.param(n, marks=pytest.mark.long) for n in CASES]
)
def test_every_mechanism_states_the_same_when_it_is_asked_again(name: str, tmp_path: Path) -> None:
    planned = plan(CASES[name].policy(tmp_path), 300)
    said = json.loads(statements(planned).to_json())
    chosen = {k: v for k, v in said["mechanism"]["parameters"].items() if k in planned.kind.chosen}
    again = restating._stated({"policy": said["policy"], "parameters": chosen, "rows": 300})
    for key in restated._FOLLOWS:
        assert list(restated._differences(again["stated"][key], said[key], key)) == []
    assert again["trials"]


def test_a_gaussian_release_that_states_rho_alone_is_one_of_an_earlier_version() -> None:
    cost = {"unit": "record", "adjacency": "replace-one", "rho": 0.1}
    full = {**cost, "approximate": [1.3, 1e-4]}
    assert list(restated._differences(restated._costs(full, cost), cost, "costs")) == []
    for forged in ({**full, "approximate": [1.2, 1e-4]}, {"unit": "record", "adjacency": "replace-one"}):
        assert list(restated._differences(restated._costs(full, forged), forged, "costs"))


def _another_policy(m: dict[str, Any]) -> None:
    """All of the manifest, from a policy that asks for more noise: it is at one with itself."""
    policy = copy.deepcopy(m["policy"])
    policy["limits"]["epsilon"] = 1.0
    said = json.loads(statements(plan(policy_of(policy, "release.json"))).to_json())
    kept = ("created", "ledger", "table", "files", "verdict", "versions")
    m |= {**said, **{key: m[key] for key in kept}}


def test_an_audit_of_another_configuration_vouches_for_nothing(folder: Path) -> None:
    forged(folder, _another_policy, draw=False)
    with pytest.raises(SpecError, match="the audit of another configuration"):
        seal(folder)
    attest(folder)
    wrong = [one for one in verify(folder) if one.state == "fails"]
    assert "the audit of another configuration" in wrong[0].message


@pytest.mark.long
def test_an_audit_with_other_settings_than_the_policy_asks_for_is_said(folder: Path) -> None:
    forged(folder, lambda m: m["policy"]["audit"].update(samples=100_000))
    with pytest.raises(SpecError, match="audited with samples = 100000"):
        seal(folder)


@pytest.mark.parametrize(
    "name",
    ["index.html", *(pytest.param(n, marks=pytest.mark.long) for n in ("data-card.md", "parameters.json"))],
)
def test_a_page_that_was_edited_is_drawn_again(folder: Path, name: str, tmp_path: Path) -> None:
    forged(folder, lambda _: None)  # drawn by this code, not by the version that released it
    page = folder / name
    page.write_text(page.read_text().replace("2-diff", "0.2-diff", 1).replace('"2026', '"2025', 1) + " ")
    with pytest.raises(SpecError, match="when it is drawn again"):
        seal(folder, pages=pages)
    attest(folder)
    wrong = [one.file for one in verify(folder, pages=pages) if one.state == "fails"]
    assert wrong == [name]
    with pytest.raises(SpecError, match="sealed already, and not as it was then: page"):
        seal(folder, make_key(folder.parent / "key")[0], pages=pages)


DATA: dict[str, Callable[[Path], Any]] = {
    "a column less": lambda p: p.write_text("".join(f"{one}\n" for one in _cells(p, lambda c: c[1:]))),
    "columns exchanged": lambda p: p.write_text("".join(f"{one}\n" for one in _cells(p, lambda c: c[::-1]))),
    "a row less": lambda p: p.write_bytes(b"".join(p.read_bytes().splitlines(keepends=True)[:-1])),
    "a row more": lambda p: p.write_bytes(p.read_bytes() + p.read_bytes().splitlines(keepends=True)[-1]),
    "no table": lambda p: p.write_bytes(b"\xff\x00"),
    "another form": lambda p: p.rename(p.with_suffix(".parquet")),
}


def _cells(path: Path, change: Callable[[list[str]], list[str]]) -> list[str]:
    return [",".join(change(line.split(","))) for line in path.read_text().splitlines()]


@pytest.mark.parametrize("change", DATA.values(), ids=DATA)
def test_data_with_other_columns_or_rows_than_the_release_says_is_neither_believed_nor_signed(
    folder: Path, change: Callable[[Path], Any]
) -> None:
    change(folder / "data.csv")
    forged(folder, lambda m: m.update(files=_listed(folder)), draw=False)
    with pytest.raises(SpecError, match="does not hold: data"):
        seal(folder)
    attest(folder)
    assert [one.what for one in verify(folder) if one.state == "fails"] == ["data"]


def _listed(folder: Path) -> list[dict[str, Any]]:
    found = {p.name: p.read_bytes() for p in folder.iterdir() if p.name.startswith(("data.", "certificate"))}
    return [
        {"name": name, "sha256": hashlib.sha256(raw).hexdigest(), "bytes": len(raw)}
        for name, raw in found.items()
    ]


def test_the_number_of_records_is_shown_if_and_only_if_the_policy_says_so() -> None:
    manifest = json.loads((sample_release() / "release.json").read_text())
    assert list(restated._unaccounted(manifest, manifest["costs"])) == []
    manifest["table"]["rows"] = None
    assert list(restated._unaccounted(manifest, manifest["costs"])) == [("table.rows", True)]
    manifest["policy"]["table"]["rows_public"] = False
    assert list(restated._unaccounted(manifest, manifest["costs"])) == []


@pytest.mark.parametrize(
    ("budget", "spent", "left"),
    [
        ({"rho": 0.01}, {"rho": 0.005}, {"rho": 1.995}),
        ({"rho": 0.01}, {"epsilon": 2.0}, {"epsilon": 3.0}),
        ({"epsilon": 5.0, "delta": 1e-6}, {"epsilon": 2.0, "delta": 0.0}, {"epsilon": 3.0, "delta": 1e-5}),
        ({"information": 1.0}, {"fisher_information:age": 0.5}, {"fisher_information:age": 9.0}),
        ({"information": {"age": 1.0}}, {"fisher_information:age": 0.5}, {"fisher_information:age": 9.0}),
        (
            {"information": {"town": 1.0}},
            {"fisher_information:town=a": 0.5},
            {"fisher_information:town=a": 9.0},
        ),
    ],
)
def test_an_entry_of_another_budget_than_the_policy_states_is_named(
    budget: dict[str, Any], spent: dict[str, float], left: dict[str, float]
) -> None:
    manifest = json.loads((sample_release() / "release.json").read_text())
    asked = {"path": "t", "table_id": "people", "budget": budget}
    manifest["policy"]["ledger"] = asked
    manifest["ledger"] = {"table_id": "people", "entry": "1", "spent": spent, "remaining": left}
    about = next(iter(spent)).partition(":")[2] or "age"
    costs = {"fisher_information": [{"about": about, "value": 0.5, "unit": "year"}]}
    (found,) = restated._unaccounted(manifest, costs)
    assert found[0].startswith("ledger.remaining.")


def test_a_parquet_file_is_held_to_its_columns_and_rows_too(tmp_path: Path) -> None:
    pq.write_table(pa.table({"x": [1.0, 2.0]}), tmp_path / "data.parquet")
    expected = {"name": "data.parquet", "columns": ["x"], "rows": 2}
    others: tuple[dict[str, Any], ...] = ({}, {"rows": None}, {"rows": 3}, {"columns": ["y"]})
    states = [restated._data(tmp_path, {**expected, **other}).state for other in others]
    assert states == ["holds", "holds", "fails", "fails"]


HIDDEN: dict[str, tuple[str, str]] = {
    "a label": (">root mean squared", ">hardly any"),
    "a style sheet": ("<defs></defs>", "<defs></defs><style>main { display: none }</style>"),
    "a page over the page": ("<defs></defs>", "<defs></defs><foreignObject>private</foreignObject>"),
    "a text that grows": ('transform="rotate(-0', 'transform="scale(50) rotate(-0'),
    "a colour": ("stroke: var(--line-law)", "stroke: var(--figure-grid)"),
}


@pytest.mark.parametrize(("old", "new"), HIDDEN.values(), ids=HIDDEN)
def test_nothing_but_coordinates_may_differ_in_a_plot(old: str, new: str) -> None:
    page = (sample_release() / "index.html").read_text()
    assert old in page
    assert restated._without_drawings(page.replace(old, new)) != restated._without_drawings(page)
    moved = re.sub(r"L (\d+)\.\d+ ", r"L \1.07 ", page)
    assert moved != page
    assert restated._without_drawings(moved) == restated._without_drawings(page)


def test_pages_without_end_are_compared_in_time() -> None:
    started = time.process_time()
    for bad in ("<svg ", '<svg class="plot" ', ' class="plot"  d="', ' d="1 '):
        restated._without_drawings(bad * 50_000)
    assert time.process_time() - started < 5


def test_other_code_may_word_it_otherwise_but_only_a_signature_makes_that_pass(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key, public = make_key(folder.parent / "key")
    forged(folder, WORDS["a better sentence"], draw=False)
    attest(folder, key)
    monkeypatch.setattr("noiseproof.audit.release.verify.verification.code_digest", lambda: "0" * 64)

    def states(*more: Any) -> list[str]:
        return [one.state for one in verify(folder, *more) if one.what == "statements"]

    assert states() == ["open"]
    assert states(public) == ["holds"]
    forged(folder, _guarantee(0.1), draw=False)
    attest_again = folder / "attestation.json"
    attest_again.unlink()
    attest(folder, key)
    assert states(public) == ["fails"]


def test_nothing_is_computed_of_what_was_edited_after_it_was_sealed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    attest(folder)
    forged(folder, lambda m: m["policy"]["limits"].update(epsilon=1e-300), draw=False)
    monkeypatch.setattr(restated, "_answer", pytest.fail)
    assert next(one.what for one in verify(folder) if one.state == "fails") == "files"


def test_what_cannot_be_computed_in_time_is_open(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    attest(folder)
    monkeypatch.setattr(restated, "SECONDS", 0.01)
    # What others have asked is remembered, and stays so.
    monkeypatch.setattr(restated, "_answer", restated._answer.__wrapped__)
    found = [one for one in verify(folder) if one.what == "statements"]
    assert [one.state for one in found] == ["open"]
