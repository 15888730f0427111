"""The whole folder is the release: where the released values are the same, nothing that leaves tells which table it was.

Every policy of `frozen_policies.POLICIES` releases tables of `hostile_tables` with its values frozen, and all that shows has to
be equal byte for byte.  Leaks that are planted have to be seen.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from frozen_policies import POLICIES, FrozenPolicy
from frozen_release import Seen, seen
from hostile_tables import CHANGES, ONE, Change, CsvForm, Form, ParquetForm, put, records
from made_release import certificate

from noiseproof import release_command
from noiseproof.audit.record.certificate import Certificate
from noiseproof.audit.release import release, releasing
from noiseproof.audit.release.kinds import KINDS, Drawn
from noiseproof.audit.release.ledger import Cost
from noiseproof.audit.release.not_met import PolicyNotMetError
from noiseproof.audit.release.tables import PolicyTable

BY_NAME = {policy.name: policy for policy in POLICIES}
ANY_AUDIT = Certificate.from_data(certificate())
FEW = ("a person beyond all bounds", "other people", "5000 records")
each_policy = pytest.mark.parametrize("policy", POLICIES, ids=BY_NAME)


def changes(policy: FrozenPolicy, form: Form) -> list[Change]:
    """What may not show in a release of this policy from a file of this form."""
    return [c for c in CHANGES if c.fits(form) and (policy.rows_private or not c.resizes)]


def shown(
    policy: FrozenPolicy,
    change: Change | None,
    place: Path,
    audit: Certificate | None,
    form: Form | None = None,
) -> Seen:
    """What shows of a release of the table, changed or not."""
    rows, form = records(), form or CsvForm()
    changed = (rows, form) if change is None else change.of(rows, form)
    return seen(policy, *changed, place / "here", audit)


def test_every_kind_is_among_the_policies() -> None:
    assert {policy.kind for policy in POLICIES} == set(KINDS)


@each_policy
def test_what_is_private_shows_nowhere(
    policy: FrozenPolicy, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    base = shown(policy, None, tmp_path, ANY_AUDIT)
    assert base.exit_code == 0, base.error
    assert len(base.files) >= 7
    for change in (c for c in changes(policy, CsvForm()) if c.name in FEW):
        assert base.differences(shown(policy, change, tmp_path, ANY_AUDIT)) == [], change.name
    # Libraries that write past Python write nothing.
    assert capfd.readouterr() == ("", "")


@pytest.mark.long
@pytest.mark.parametrize("form", [CsvForm(), ParquetForm()], ids=["CSV", "Parquet"])
@each_policy
def test_no_hostile_table_shows_anywhere(policy: FrozenPolicy, form: Form, tmp_path: Path) -> None:
    base = shown(policy, None, tmp_path, None)
    assert base.exit_code == 0, base.error
    other = next(c for c in CHANGES if c.name == "other people")
    # One pair with its own trial and curves; the others take this certificate.
    assert base.differences(shown(policy, other, tmp_path, None, form)) == []
    audit = Certificate.from_json(base.files["out/certificate.json"].decode())
    base, tried = shown(policy, None, tmp_path, audit), changes(policy, form)
    told = {c.name: base.differences(shown(policy, c, tmp_path, audit, form)) for c in tried}
    rng = np.random.default_rng(0)
    for _ in range(10):
        rows, how = records(), form
        together = [tried[i] for i in rng.permutation(len(tried))[:3]]
        for change in together:
            rows, how = change.of(rows, how)
        name = ", ".join(c.name for c in together)
        told[name] = base.differences(seen(policy, rows, how, tmp_path / "here", audit))
    print(f"{policy.name} from {type(form).__name__}: {len(told) + 1} pairs")
    assert {name: found for name, found in told.items() if found} == {}


@pytest.mark.long
@pytest.mark.parametrize("output", ["parquet", "csv"])
def test_pieces_of_a_large_table_show_nowhere(output: str, tmp_path: Path) -> None:
    count, policy = 150_000, BY_NAME["optimal"]
    remark = {"name": "remark", "kind": "text", "role": "public"}
    columns = tuple(remark if c["name"] == "town" else c for c in policy.columns)
    policy = replace(
        policy, columns=columns, drops=("id", "town"), more={**policy.more, "output": {"format": output}}
    )
    rows = records(count=count)
    rows["remark"] = [f"{i:0{8 + i % 13}d}" for i in range(count)]
    long = {**rows, "id": [f"{'x' * 150}{i}" for i in range(count)]}
    full = {**rows, "hours": [None] * count, "age": [0.1 + i for i in range(count)]}
    base = seen(policy, rows, CsvForm(), tmp_path / "here", ANY_AUDIT)
    assert base.exit_code == 0, base.error
    small = ParquetForm(options={"row_group_size": 777, "use_dictionary": False})
    for other, form in ((long, CsvForm()), (full, CsvForm()), (rows, ParquetForm()), (rows, small)):
        assert base.differences(seen(policy, other, form, tmp_path / "here", ANY_AUDIT)) == []


Plant = Callable[[pytest.MonkeyPatch, dict[str, Any]], None]
"""Lets something of what `read` holds, the sum of the private numbers and how many records there are, show."""


def in_the_manifest(patch: pytest.MonkeyPatch, read: dict[str, Any]) -> None:
    real = releasing._manifest
    patch.setattr(releasing, "_manifest", lambda *a: replace(real(*a), title=f"{read['sum']:g}"))


def in_the_page(patch: pytest.MonkeyPatch, read: dict[str, Any]) -> None:
    patch.setattr(release_command, "pages", lambda *a: {"index.html": f"<p>{read['sum']:.1f}</p>"})


def in_the_progress(patch: pytest.MonkeyPatch, read: dict[str, Any]) -> None:
    def told(*arguments: Any, progress: Any, **named: Any) -> Any:
        done = release(*arguments, progress=progress, **named)
        progress(1.0, f"mean {read['sum'] / read['records']:.3f}")
        return done

    patch.setattr("noiseproof.audit.release.release", told)


def on_standard_output(patch: pytest.MonkeyPatch, read: dict[str, Any]) -> None:
    patch.setattr(release_command, "print_summary", lambda *a: print(read["sum"]))


def on_standard_error(patch: pytest.MonkeyPatch, read: dict[str, Any]) -> None:
    patch.setattr(
        release_command, "print_summary", lambda *a: release_command.say(f"{read['sum']}", err=True)
    )


def as_a_warning(patch: pytest.MonkeyPatch, read: dict[str, Any]) -> None:
    def scaled(*a: Any) -> Any:
        if read["largest"] > 100:
            warnings.warn("overflow encountered", RuntimeWarning, stacklevel=2)
        return real(*a)

    real = releasing._manifest
    patch.setattr(releasing, "_manifest", scaled)


def as_an_exit_code(patch: pytest.MonkeyPatch, read: dict[str, Any]) -> None:
    def refused(*a: Any) -> Any:
        if read["largest"] > 100:
            raise PolicyNotMetError("nothing is said")
        return real(*a)

    real = releasing._manifest
    patch.setattr(releasing, "_manifest", refused)


def in_the_ledger(patch: pytest.MonkeyPatch, read: dict[str, Any]) -> None:
    real = releasing.charged
    cost = lambda booking: Cost.pure(1 + read["sum"] % 1, unit=booking.cost.unit)  # noqa: E731
    patch.setattr(releasing, "charged", lambda booking: real(replace(booking, cost=cost(booking))))


def in_a_file_beside_it(patch: pytest.MonkeyPatch, read: dict[str, Any]) -> None:
    real = releasing._seal

    def seal(folder: Path, key: Any) -> None:
        real(folder, key)
        (folder.parent / "cache").write_text(f"{read['sum']}")

    patch.setattr(releasing, "_seal", seal)


def in_permissions(patch: pytest.MonkeyPatch, read: dict[str, Any]) -> None:
    real = releasing._seal

    def seal(folder: Path, key: Any) -> None:
        real(folder, key)
        (folder / "release.json").chmod(0o644 if read["largest"] > 100 else 0o640)

    patch.setattr(releasing, "_seal", seal)


def in_times(patch: pytest.MonkeyPatch, read: dict[str, Any]) -> None:
    moment = lambda folder, today: os.utime(folder, (read["records"], read["sum"]))  # noqa: E731
    patch.setattr("noiseproof.audit.release.tables.date_files", moment)


def as_a_number_of_records(patch: pytest.MonkeyPatch, read: dict[str, Any]) -> None:
    def told(one: Any, **named: Any) -> Any:
        return replace(one, **({**named, "rows": read["records"]} if "rows" in named else named))

    patch.setattr(releasing, "replace", told)


def as_a_fact(patch: pytest.MonkeyPatch, read: dict[str, Any]) -> None:
    facts = {"size": 1.0, "noisy_mean": [], "noisy_second_moments": [], "synthetic_records": 50}
    real = Drawn.__init__

    def drawn(self: Any, batches: Any, *rest: Any) -> None:
        real(self, batches, lambda: {**facts, "size": read["records"]})

    patch.setattr(Drawn, "__init__", drawn)


LEAKS: list[tuple[Plant, str, str]] = [
    *(
        (plant, "constrained, persons", "a person beyond all bounds")
        for plant in (
            in_the_manifest,
            in_the_page,
            in_the_progress,
            on_standard_output,
            on_standard_error,
            as_a_warning,
            as_an_exit_code,
            in_a_file_beside_it,
            in_permissions,
            in_times,
        )
    ),
    (in_the_ledger, "ron-gauss, replace", "in one value"),
    (as_a_number_of_records, "ron-gauss, private number of records", "301 records"),
    (as_a_fact, "ron-gauss, private number of records", "301 records"),
]


@pytest.mark.parametrize(("plant", "name", "change"), LEAKS, ids=[p.__name__ for p, _, _ in LEAKS])
def test_a_leak_that_is_planted_is_seen(
    plant: Plant, name: str, change: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: dict[str, Any] = {}
    count = PolicyTable.count

    def counted(self: PolicyTable) -> int:
        numbers = np.concatenate([self.numbers(batch) for batch in self.batches()])
        total = float(np.clip(numbers, -1e9, 1e9).sum())
        read.update(sum=total, largest=numbers.max(), records=len(numbers))
        return count(self)

    monkeypatch.setattr(PolicyTable, "count", counted)
    other = next((c for c in CHANGES if c.name == change), Change(change, put("age", 99.25, ONE)))
    with monkeypatch.context() as patch:
        plant(patch, read)
        one, two = (shown(BY_NAME[name], c, tmp_path, ANY_AUDIT) for c in (None, other))
    assert one.exit_code == 0, one.error
    assert one.differences(two)
