"""Where records come from: files, folders, tables in memory and queries give the same sums, and what changes is refused."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from made_policies import AGE, SEX, WEIGHT, made_policy

from noiseproof.audit.release import release
from noiseproof.audit.release.policy import Policy
from noiseproof.audit.release.tables import has_digest, kept_salt, open_table
from noiseproof.symbolic.errors import SpecError

COLUMNS = (AGE, WEIGHT, SEX)
ROWS = 1_000


def content(rows: int = ROWS) -> pa.Table:
    rng = np.random.default_rng(5)
    return pa.table(
        {
            "sex": rng.choice(["f", "m"], rows).tolist(),
            "age": rng.integers(0, 120, rows),
            "weight": rng.uniform(30, 200, rows),
        }
    )


def folder_of(place: Path, data: pa.Table) -> Path:
    """The table in three files, one of them in a folder of its own."""
    (place / "more").mkdir(parents=True)
    for name, start, size in (("a.parquet", 0, 300), ("b.parquet", 300, 1), ("more/c.parquet", 301, 10**6)):
        pq.write_table(data.slice(start, size), place / name)
    (place / "_SUCCESS").touch()
    return place


def written(folder: Path, ending: str, data: pa.Table) -> Path:
    path = folder / f"table{ending}"
    if ending == ".parquet":
        pq.write_table(data, path)
        return path
    pa.csv.write_csv(data, folder / "plain")
    raw = (folder / "plain").read_bytes()
    path.write_bytes(gzip.compress(raw) if ending.endswith(".gz") else raw)
    return path


def _polars(folder: Path, data: pa.Table) -> Any:
    return pytest.importorskip("polars").DataFrame(data)


def _categories(folder: Path, data: pa.Table) -> Any:
    frame = data.to_pandas()
    return frame.assign(sex=frame.sex.astype("category")).sample(frac=1, random_state=1)


def _query(folder: Path, data: pa.Table) -> Any:
    duckdb = pytest.importorskip("duckdb")
    people = data.append_column("name", [["x"] * len(data)])
    return duckdb.connect().from_arrow(people).filter("age >= 0").project("sex, weight, age")


SOURCES: dict[str, Callable[[Path, pa.Table], Any]] = {
    "csv": lambda folder, data: written(folder, ".csv", data),
    "gz": lambda folder, data: written(folder, ".csv.gz", data),
    "parquet": lambda folder, data: written(folder, ".parquet", data),
    "folder": lambda folder, data: folder_of(folder / "parts", data),
    "arrow": lambda folder, data: data,
    "pandas": lambda folder, data: data.to_pandas(),
    "pandas, categories in another order": _categories,
    "polars": _polars,
    "duckdb": _query,
}


@pytest.mark.parametrize("name", list(SOURCES))
def test_every_source_gives_the_same_records(name: str, tmp_path: Path) -> None:
    data = content()
    table = open_table(made_policy(tmp_path, COLUMNS), SOURCES[name](tmp_path, data))
    assert table.count() == ROWS
    for _ in range(2):
        found = pa.Table.from_batches(table.batches(97)).to_pandas().astype({"sex": str})
        wanted = data.to_pandas()[["age", "weight", "sex"]]
        order = ["age", "weight"]
        found, wanted = (t.sort_values(order, ignore_index=True) for t in (found, wanted))
        assert found.to_dict("list") == wanted.to_dict("list")
    table.require_same()


STATISTICS = ({"name": "people", "measure": "count", "by": ["sex"]},)
ONE_SEX = {"name": "sex", "kind": "category", "role": "private", "categories": ["f", "m"], "missing": "skip"}


def counting(folder: Path) -> Policy:
    """A policy that counts one column, and drops the others."""
    drop = [{"name": name, "role": "drop"} for name in ("age", "weight")]
    parts = {"rows_public": False}, {"kind": "statistics"}, {"rho": 0.5}
    return made_policy(folder, (ONE_SEX, *drop), *parts, statistics=STATISTICS, audit={"samples": 1_000})


def test_a_frame_is_released_by_the_code_that_releases_files(tmp_path: Path) -> None:
    policy, frame = counting(tmp_path), content().to_pandas()
    done = release(policy, tmp_path / "out", table=frame)
    numbers = pq.read_table(tmp_path / "out" / "data.parquet").to_pydict()
    assert numbers["sex"] == ["f", "m"]
    wanted = [int((frame.sex == sex).sum()) for sex in "fm"]
    # Noise of variance 1 is beyond 20 with probability below 1e-80.
    assert all(abs(v - w) < 20 for v, w in zip(numbers["value"], wanted, strict=True))
    assert done.manifest.salted_digest is None
    with pytest.raises(SpecError, match="DataFrame has no file whose digest could be stated"):
        release(policy, tmp_path / "other", table=frame, salt=tmp_path / "salt")
    assert not (tmp_path / "other").exists()


def test_the_digest_of_a_folder_is_that_of_its_names_and_bytes(tmp_path: Path) -> None:
    place = folder_of(tmp_path / "parts", content())
    said = open_table(made_policy(tmp_path, COLUMNS), place).digest(tmp_path / "salt")
    secret = kept_salt(tmp_path / "salt")
    assert has_digest(place, secret, said)
    (place / "b.parquet").rename(place / "b2.parquet")
    assert not has_digest(place, secret, said)


def change_a_file(place: Path) -> None:
    pq.write_table(content(7), place / "b.parquet")


CHANGES: dict[str, Callable[[Path], object]] = {
    "another file": change_a_file,
    "one more": lambda place: pq.write_table(content(7), place / "d.parquet"),
    "one fewer": lambda place: (place / "more" / "c.parquet").unlink(),
    "a name": lambda place: (place / "b.parquet").rename(place / "b2.parquet"),
    "gone": lambda place: place.rename(place.with_name("elsewhere")),
}


@pytest.mark.parametrize("name", list(CHANGES))
def test_a_folder_that_changes_is_refused(name: str, tmp_path: Path) -> None:
    place = folder_of(tmp_path / "parts", content())
    table = open_table(made_policy(tmp_path, COLUMNS), place)
    table.require_same()
    CHANGES[name](place)
    with pytest.raises(SpecError, match="parts changed while it was read: run again"):
        table.require_same()


def drifted(column: str, values: Any) -> Callable[[Path], object]:
    def change(place: Path) -> None:
        data = content(20)
        data = data.drop_columns(column)
        pq.write_table(data if values is None else data.append_column(column, [values]), place / "b.parquet")

    return change


BAD_FOLDERS: dict[str, tuple[Callable[[Path], object], str]] = {
    "another type": (
        drifted("age", ["one"] * 20),
        "column 'age' is stored as int64 in a.parquet, as string in b.parquet: all files",
    ),
    "one column less": (drifted("age", None), "a.parquet has a column 'age', b.parquet has none: all files"),
    "one column more": (
        lambda place: pq.write_table(content(9).append_column("x", [[1] * 9]), place / "b.parquet"),
        "b.parquet has a column 'x', a.parquet has none",
    ),
    "no Parquet": (lambda place: (place / "b.csv").touch(), "holds 'b.csv': expected Parquet files only"),
    "damaged": (
        lambda place: (place / "b.parquet").write_bytes(b"PAR1"),
        "cannot read b.parquet as Parquet: it is damaged",
    ),
    "values in names": (
        lambda place: (place / "more").rename(place / "sex=f"),
        "'sex=f' of parts stands for a value of a column, which is not read",
    ),
    "empty": (
        lambda place: [f.unlink() for f in place.rglob("*.parquet")],
        "the folder parts holds no Parquet file",
    ),
}


@pytest.mark.parametrize("name", list(BAD_FOLDERS))
def test_a_folder_whose_files_differ_is_refused_with_their_names(name: str, tmp_path: Path) -> None:
    change, said = BAD_FOLDERS[name]
    change(folder_of(tmp_path / "parts", content()))
    with pytest.raises(SpecError, match=r"parts|parquet") as found:
        open_table(made_policy(tmp_path, COLUMNS), tmp_path / "parts")
    assert said in str(found.value)


class Once:
    """A stream that is empty the second time."""

    def __init__(self, data: pa.Table, opened: int) -> None:
        self.data, self.left = data, opened

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        self.left -= 1
        return (self.data if self.left >= 0 else self.data.slice(0, 0)).__arrow_c_stream__(requested_schema)


@pytest.mark.parametrize("opened", [1, 2])
def test_what_can_be_read_once_is_refused_before_it_is_needed_again(opened: int, tmp_path: Path) -> None:
    table = open_table(made_policy(tmp_path, COLUMNS), Once(content(), opened))
    with pytest.raises(SpecError, match="read once only"):
        table.count()


class Grows(Once):
    """A stream that has one record more each time."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        self.left += 1
        return self.data.slice(0, self.left).__arrow_c_stream__(requested_schema)


def test_a_frame_that_grows_between_two_passes_is_refused(tmp_path: Path) -> None:
    table = open_table(made_policy(tmp_path, COLUMNS), Grows(content(), 5))
    list(table.batches())
    with pytest.raises(SpecError, match="another number of records"):
        list(table.batches())


def _twice() -> Any:
    import pandas as pd

    return pd.DataFrame([[1, 2]], columns=["age", "age"])


def _mixed() -> Any:
    import pandas as pd

    return pd.DataFrame({"age": [1, "secret"], "weight": [50.0, 60.0], "sex": ["f", "m"]})


BAD_FRAMES: dict[str, tuple[Callable[[], Any], str]] = {
    "a list": (
        lambda: [1, 2],
        "expected a file, a folder of Parquet files, or a table of pandas, polars, pyarrow or DuckDB",
    ),
    "a reader": (lambda: content().to_reader(), "the RecordBatchReader can be read once only"),
    "names twice": (_twice, "the DataFrame has several columns of the same name"),
    "mixed values": (_mixed, "column 'age' holds values of several types; make them one, texts or numbers"),
    "another table": (
        lambda: pa.table({"x": [1]}),
        "the Table holds none of the declared names: expected columns, such as age",
    ),
    "undeclared": (
        lambda: content().append_column("name", [["x"] * ROWS]),
        "the Table has 1 undeclared column, the first is column no. 4 ('name')",
    ),
}


@pytest.mark.parametrize("name", list(BAD_FRAMES))
def test_what_is_no_table_of_the_policy_is_refused_in_words(name: str, tmp_path: Path) -> None:
    make, said = BAD_FRAMES[name]
    with pytest.raises(SpecError, match=r"table|column|names") as found:
        open_table(made_policy(tmp_path, COLUMNS), make())
    assert said in str(found.value)
    assert "secret" not in str(found.value)
