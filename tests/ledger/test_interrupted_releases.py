"""A release that ends at any of its steps, by any kind of end: what may have been drawn is spent, before it nothing is."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from pre_release_cases import CASES, write_table
from shared_artefacts import Shelf
from typer.testing import CliRunner

from noiseproof.audit.record.certificate import Certificate
from noiseproof.audit.release import release, releasing
from noiseproof.audit.release.ledger import Cost, Information, Ledger
from noiseproof.audit.release.plan import plan
from noiseproof.audit.release.tables import leftovers, outcome_folder
from noiseproof.audit.release.trial import audited
from noiseproof.cli import app
from noiseproof.symbolic.errors import SpecError

LEDGER = {"path": "table.ledger", "table_id": "people"}


class Killed(BaseException):
    """Stands for kill -9: nobody cleans up after it."""


@dataclass(frozen=True)
class Step:
    """A function that a release calls, by its place, and whether the cost is spent when it ends there."""

    place: str
    spent: bool
    call: int = 1


BEFORE = {
    "the table is opened": Step("audit.release.tables.open_table", False),
    "a record is screened": Step("audit.release.tables.table.screened", False),
    "the trial": Step("audit.release.releasing.audited", False),
    "the hidden folder": Step("audit.release.tables.outcome_folder._hidden", False),
    "the charge": Step("audit.release.releasing.charged", False),
}
AFTER = {
    "a batch is drawn": Step("audit.release.tables.table.screened", True, 2),
    "a batch is written": Step("audit.release.tables.writing._groups", True),
    "the file is finished": Step("audit.release.releasing._facts_of", True),
    "the certificate": Step("audit.release.releasing._write", True, 1),
    "the digest": Step("audit.release.tables.table.fresh_digest", True),
    "the manifest": Step("audit.release.releasing._write", True, 2),
    "the pages": Step("audit.release.releasing._write_pages", True),
    "the seal": Step("audit.release.releasing._seal", True),
    "the disk": Step("audit.release.tables.outcome_folder._to_disk", True),
    "the name": Step("audit.release.tables.outcome_folder.os.rename", True),
    "the folder on the disk": Step("audit.release.tables.outcome_folder._sync", True, 6),
}
ENDS = {"an interrupt": KeyboardInterrupt, "a full disk": OSError, "a fault": RuntimeError, "a kill": Killed}


@pytest.fixture(scope="module")
def certificate(shelf: Shelf) -> Certificate:
    """The audit of all releases here, held once."""
    place = shelf.place("interrupted", lambda folder: None)
    return shelf.once("interrupted audit", lambda: audited(plan(CASES["optimal"].policy(place))))


def _ending(real: Callable[..., Any], step: Step, end: type[BaseException]) -> Callable[..., Any]:
    calls = iter(range(1, 1_000_000))

    def ends(*arguments: Any, **named: Any) -> Any:
        if next(calls) == step.call:
            raise end(28, "No space left on device") if end is OSError else end()
        return real(*arguments, **named)

    return ends


def _tables(folder: Path) -> int:
    """The data files anywhere below the folder that hold anything, but for the private table."""
    return sum(path.stat().st_size > 4 for path in folder.rglob("data.*"))


STEPS = {**BEFORE, **AFTER}
CASES_OF_ENDS = [
    # One end of each step is quick, the other three are long.
    pytest.param(step, end, id=f"{name}, {word}", marks=[] if (i + j) % 4 == 0 else [pytest.mark.long])
    for i, (name, step) in enumerate(STEPS.items())
    for j, (word, end) in enumerate(ENDS.items())
]


@pytest.mark.parametrize(("step", "end"), CASES_OF_ENDS)
def test_what_may_have_been_drawn_is_spent(
    tmp_path: Path, certificate: Certificate, step: Step, end: type[BaseException], monkeypatch: Any
) -> None:
    from importlib import import_module

    write_table(tmp_path)
    units = {"age": "year", "hours": "h"}
    ledger = Ledger.create(
        tmp_path / "table.ledger",
        "people",
        Cost(fisher_information=tuple(Information(n, 1.0, u) for n, u in units.items())),
    )
    monkeypatch.setattr(releasing, "audited", lambda *_: certificate)
    policy = CASES["optimal"].policy(tmp_path, ledger=LEDGER, output={"format": "csv"})
    module, _, name = step.place.rpartition(".")
    holder = import_module("os") if module.endswith(".os") else import_module(f"noiseproof.{module}")
    with monkeypatch.context() as broken:
        broken.setattr(holder, name, _ending(getattr(holder, name), step, end))
        if end is Killed:
            broken.setattr(outcome_folder, "_remove", lambda partial: None)
        with pytest.raises((end, SpecError)) as raised:
            release(policy, tmp_path / "out", salt=tmp_path / "salt", pages=lambda *_: {"index.html": ""})
    states = [entry.state for entry in ledger.book().entries.values()]
    assert states == (["settled"] if step.spent else [])
    assert len(states) >= _tables(tmp_path)
    cost = plan(policy).cost.fisher_information[0].value
    assert ledger.spent()["fisher_information:age"] >= len(states) * Fraction(cost) * (1 - Fraction(1, 10**9))
    notes = getattr(raised.value, "__notes__", [])
    assert any("stays spent" in note for note in notes) is step.spent
    assert bool(leftovers(tmp_path / "out")) <= (end is Killed)
    # The next release is not held up, and takes away what a kill has left.
    if not (tmp_path / "out").exists():
        release(policy, tmp_path / "out")
        assert leftovers(tmp_path / "out") == []


def test_an_interrupt_while_the_rest_of_an_interrupted_release_is_removed(
    tmp_path: Path, certificate: Certificate, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_table(tmp_path)
    monkeypatch.setattr(releasing, "audited", lambda *_: certificate)
    first = [True]
    real = shutil.rmtree

    def again(path: Any, ignore_errors: bool = False) -> None:
        if first.pop() if first else False:
            raise KeyboardInterrupt
        real(path, ignore_errors=ignore_errors)

    monkeypatch.setattr(outcome_folder.shutil, "rmtree", again)
    monkeypatch.setattr(releasing, "_seal", _ending(lambda: None, Step("", True), KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        release(CASES["optimal"].policy(tmp_path), tmp_path / "out")
    assert _tables(tmp_path) == 0


def test_the_command_says_what_an_interrupted_release_costs(
    tmp_path: Path, certificate: Certificate, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_table(tmp_path)
    budget = {"information": {"age": 0.1, "hours": 0.1}}
    policy = CASES["optimal"].written(tmp_path, ledger={**LEDGER, "budget": budget, "create": True})
    monkeypatch.setattr(releasing, "audited", lambda *_: certificate)
    monkeypatch.setattr("noiseproof.release_command.pages", lambda *_: {})
    arguments = ["release", str(policy), "-o", str(tmp_path / "out")]
    with monkeypatch.context() as broken:
        broken.setattr(releasing, "_seal", _ending(lambda: None, Step("", True), KeyboardInterrupt))
        ended = CliRunner().invoke(app, arguments)
    assert ended.exit_code == 130
    assert "interrupted: entry 1 of the ledger stays spent" in ended.output
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output
    assert "entry 3, spent Fisher information of 'age' 0.0219325 of 0.1" in done.output
    (tmp_path / "table.ledger").unlink()
    (tmp_path / "table.ledger.head").unlink()
    made = CliRunner().invoke(app, [*arguments[:-1], str(tmp_path / "out2"), "-q"])
    assert "MADE BY THIS RELEASE" in made.output
