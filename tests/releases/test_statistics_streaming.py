"""Sums of a table in a stream: the same from one file, many files and a cluster; what is said meanwhile goes into no file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from made_policies import GROUPED_SEX as SEX
from made_policies import KEY, PERSON, made_policy

from noiseproof.audit.release import plan, release
from noiseproof.audit.release.policy import Policy
from noiseproof.audit.release.statistics.pace import Pace
from noiseproof.audit.release.statistics.records import Records, fresh_key
from noiseproof.audit.release.statistics.table_sums import before, table_sums
from noiseproof.audit.release.tables import open_table
from noiseproof.symbolic.errors import SpecError

ROWS = 7_919
AGE = {"name": "age", "kind": "integer", "role": "private", "low": 16, "high": 100, "missing": "skip"}
PAY = {"name": "pay", "kind": "number", "role": "private", "low": 0.0, "high": 9.5, "missing": "skip"}
STATISTICS = (
    {"name": "people", "measure": "count", "by": ["sex"]},
    {"name": "ages", "measure": "quantiles", "column": "age", "quantiles": [0.5], "by": ["sex"]},
    {"name": "pay", "measure": "variance", "column": "pay", "where": {"age": {"low": 30}}},
    {
        "name": "usual pay",
        "measure": "mean",
        "column": "pay",
        "clip": {"low": 0.1, "high": 0.9, "share": 0.1},
    },
)


def policy(folder: Path, table: dict[str, Any] | None = None, statistics: Any = STATISTICS) -> Policy:
    columns = (SEX, AGE, PAY, KEY)
    parts = {"rows_public": False, **(table or {})}, {"kind": "statistics"}, {"rho": 0.5}
    return made_policy(folder, columns, *parts, statistics=statistics, audit={"samples": 1_000})


def content(rows: int = ROWS) -> pa.Table:
    rng = np.random.default_rng(11)
    ages = rng.integers(0, 120, rows)
    return pa.table(
        {
            "id": rng.integers(0, rows // 2, rows).astype(str).tolist(),
            "sex": rng.choice(["f", "m", "x", None], rows).tolist(),
            "age": pa.array(ages, mask=ages % 31 == 0),
            "pay": pa.array(rng.gamma(2, 2, rows), mask=rng.random(rows) < 0.1),
        }
    )


def folder_of(place: Path, data: pa.Table) -> Path:
    place.mkdir()
    for i, start in enumerate(range(0, len(data), 3_000)):
        pq.write_table(data.slice(start, 3_000), place / f"{i}.parquet")
    return place


def sums(asked: Policy, table: Any, cluster: str | None = None) -> list[list[Any]]:
    load = plan(asked).kind.workload  # type: ignore[attr-defined]
    found = table_sums(asked, load, open_table(asked, table), cluster=cluster)
    return [found[m].tolist() for m in load.measurements]


@contextmanager
def dask() -> Iterator[str]:
    distributed = pytest.importorskip("distributed")
    cluster = distributed.LocalCluster(
        n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None
    )
    try:
        yield cluster.scheduler_address
    finally:
        # On a machine without a free core its loop may never say that it has ended.
        with suppress(TimeoutError):
            cluster.close(timeout=20)


def test_sums_are_the_same_from_a_file_a_folder_a_frame_and_a_cluster(tmp_path: Path) -> None:
    asked, data = policy(tmp_path), content()
    place = folder_of(tmp_path / "parts", data)
    wanted = sums(asked, data.to_pandas())
    counts = np.unique([s for s in data["sex"].to_pylist() if s in ("f", "m")], return_counts=True)[1]
    # Counts for the ends of clipping come first.
    assert wanted[1] == [[c] for c in counts]
    assert sums(asked, place) == wanted
    with dask() as address:
        assert sums(asked, place, address) == wanted
        # What a worker refuses is said with the name of the file, and no value.
        pq.write_table(
            data.slice(0, 9).drop_columns("age").append_column("age", [["old"] * 9]), place / "a.parquet"
        )
        with pytest.raises(
            SpecError, match=r"column 'age' is stored as int64 in 0\.parquet, as string in a\.parquet"
        ):
            sums(asked, place, address)
        (place / "a.parquet").unlink()
        strict = made_policy(
            tmp_path,
            (
                {**SEX, "undeclared": "refuse"},
                *({**c, "role": "drop"} for c in (KEY, {"name": "age"}, {"name": "pay"})),
            ),
            {"rows_public": False},
            {"kind": "statistics"},
            {"rho": 0.5},
            statistics=STATISTICS[:1],
        )
        with pytest.raises(
            SpecError, match=r"^policy\.toml: .*\.parquet: column 'sex', record \d+: the value is none"
        ) as found:
            sums(strict, place, address)
        assert "'x'" not in str(found.value)


def test_what_a_cluster_cannot_do_is_said(tmp_path: Path) -> None:
    data = content(100)
    pq.write_table(data, tmp_path / "one.parquet")
    with pytest.raises(
        SpecError, match=r"a cluster sums the files of a folder of Parquet files, and one\.parquet is none"
    ):
        sums(policy(tmp_path), tmp_path / "one.parquet", "tcp://127.0.0.1:1")
    place = folder_of(tmp_path / "parts", data)
    with pytest.raises(SpecError, match=r"a cluster bounds no records of persons.*release without a cluster"):
        sums(policy(tmp_path, PERSON), place, "tcp://127.0.0.1:1")
    other = made_policy(
        tmp_path, (AGE | {"missing": "refuse"}, *({"name": n, "role": "drop"} for n in ("sex", "pay", "id")))
    )
    with pytest.raises(SpecError, match="laplace reads a table in one process: release it without a cluster"):
        release(other, tmp_path / "out", table=place, cluster="tcp://127.0.0.1:1")
    assert not (tmp_path / "out").exists()


def test_records_of_persons_are_bounded_over_all_files_alike(tmp_path: Path) -> None:
    """The same secret chooses the same records, whatever file they stand in and in whatever order."""
    asked, data = policy(tmp_path, PERSON), content()
    place = folder_of(tmp_path / "parts", data)
    shuffled = data.take(np.random.default_rng(1).permutation(len(data)))
    load, key = plan(asked).kind.workload, fresh_key()  # type: ignore[attr-defined]
    found = []
    for table in (place, shuffled, data.to_pandas()):
        totals = load.totals(Records(asked, open_table(asked, table).raw, key).rows())
        found.append([totals[m].tolist() for m in load.measurements])
    assert found[0] == found[1] == found[2]
    frame = data.to_pandas()
    assert sum(sum(row) for row in found[0][0]) <= int(np.minimum(frame.groupby("id").size(), 2).sum())


class Swaps:
    """A table of which one record is another person's from the third time on."""

    def __init__(self) -> None:
        self.asked = 0

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        self.asked += 1
        owner = "a" if self.asked > 2 else "b"
        data = pa.table(
            {"id": ["a", "a", owner], "sex": ["f"] * 3, "age": [20, 30, 40], "pay": [1.0, 2.0, 3.0]}
        )
        return data.__arrow_c_stream__(requested_schema)


def test_a_person_that_changes_between_two_passes_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="the table changed while it was read: run again"):
        sums(policy(tmp_path, PERSON), Swaps())


def test_what_is_said_meanwhile_goes_into_no_file(tmp_path: Path) -> None:
    said: list[str] = []
    place = folder_of(tmp_path / "parts", content())
    asked = policy(tmp_path, PERSON, STATISTICS[:1])
    release(asked, tmp_path / "out", table=place, progress=lambda fraction, text: said.append(text))
    assert any(f"{ROWS:,} of {ROWS:,} records" in text for text in said)
    assert any(
        text.startswith("bounding persons: hashes of 7.92 thousand records in memory") for text in said
    )
    for file in (tmp_path / "out").rglob("*"):
        # Digests may hold any digits.
        assert not re.search(rb"(?<![0-9a-f.])7,?919(?![0-9a-f])", file.read_bytes())


def test_progress_says_how_fast_and_how_long() -> None:
    said: list[tuple[float, str]] = []
    times = iter([0.0, 1.0, 4.0, 9.0, 10.0])
    pace = Pace(lambda fraction, text: said.append((fraction, text)), 40_000_000, lambda: next(times))
    pace("summing", 1_000_000)
    pace("summing", 3_000_000)
    pace("summing", 40_000_000)
    pace("again", 1_000)
    pace("again", 2_000)
    assert said == [
        (0.025, "summing: 1,000,000 of 40,000,000 records"),
        (0.075, "summing: 3,000,000 of 40,000,000 records, 2 million a second, 18 s left"),
        (1.0, "summing: 40,000,000 of 40,000,000 records, 9.75 million a second, 0 s left"),
        (0.000025, "again: 1,000 of 40,000,000 records"),
        (0.00005, "again: 2,000 of 40,000,000 records, 1 thousand a second, 11.1 h left"),
    ]
    Pace(lambda fraction, text: said.append((fraction, text)))("summing", 7)
    assert said[-1] == (0.0, "summing: 7 records")


def test_what_bounding_takes_is_said_before() -> None:
    assert (
        before(1_000)
        == "bounding persons: hashes of 1 thousand records in memory, about 56 thousand bytes, at most 2 passes over the table"
    )
    assert (
        before(None) == "bounding persons: hashes of 8.39 million records in memory, about 470 million bytes"
    )
