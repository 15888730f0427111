"""Tables: CSV and Parquet give the same checked batches; what is written is what was released, bit by bit."""

from __future__ import annotations

import csv
import gzip
import json
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_policies import AGE, KEY, NOTE, ONE_HOT, SEX, TOWN, WEIGHT, made_policy

from noiseproof.audit.release.tables import PolicyTable, data_name, open_table, released_schema, write_table
from noiseproof.audit.release.tables.writing import ROWS_PER_GROUP
from noiseproof.symbolic.errors import SpecError

COLUMNS = (WEIGHT, KEY, AGE, ONE_HOT, TOWN, NOTE)
CONTENT: dict[str, list[Any]] = {
    "id": ["a", "b", "c"],
    "age": [20, 200, -3],
    "weight": [70.25, 30.0, 1e9],
    "sex": ["f", "m", "f"],
    "town": ["Rome", "Oslo", "Rome"],
    "note": ["", 'with "quotes", and commas', "ünïcödé"],
}
FORMS = ("table.csv", "table.csv.gz", "table.parquet")


def opened(
    folder: Path, form: str = "table.csv", columns: Any = COLUMNS, content: Any = CONTENT, **table: Any
) -> PolicyTable:
    data = pa.table(content)
    if form.endswith(".parquet"):
        pq.write_table(data, folder / form)
    else:
        pa.csv.write_csv(data, folder / "plain")
        raw = (folder / "plain").read_bytes()
        (folder / form).write_bytes(gzip.compress(raw) if form.endswith(".gz") else raw)
    return open_table(made_policy(folder, columns, table={"path": form, "missing": [], **table}))


@pytest.mark.parametrize("form", FORMS)
def test_every_format_gives_the_same_batches_in_the_order_of_the_policy(form: str, tmp_path: Path) -> None:
    table = opened(tmp_path, form)
    (batch,) = table.batches()
    assert batch.schema.names == ["weight", "age", "sex", "town", "note"]
    assert batch.to_pydict() == {name: CONTENT[name] for name in batch.schema.names}
    assert table.count() == 3


@pytest.mark.parametrize("rows", [1, 2, 100])
@pytest.mark.parametrize("form", FORMS)
def test_batches_have_at_most_the_rows_asked_for(form: str, rows: int, tmp_path: Path) -> None:
    batches = list(opened(tmp_path, form).batches(rows))
    assert max(b.num_rows for b in batches) <= rows
    assert [v for b in batches for v in b.column("age").to_pylist()] == CONTENT["age"]


@pytest.mark.parametrize("form", FORMS)
def test_private_numbers_are_as_read_with_categories_as_numbers(form: str, tmp_path: Path) -> None:
    table = opened(tmp_path, form)
    (batch,) = table.batches()
    numbers = table.numbers(batch)
    assert [n.name for n in table.policy.numbers] == ["weight", "age", "sex=f", "sex=m"]
    # The mechanism clamps; a value outside of the domain is no error.
    assert numbers.tolist() == [[70.25, 20, 1, 0], [30, 200, 0, 1], [1e9, -3, 1, 0]]
    assert all(numbers[:, j].flags.c_contiguous for j in range(4))
    index = opened(tmp_path, form, (AGE, SEX), {"age": [1, 2], "sex": ["m", "f"]})
    (batch,) = index.batches()
    assert index.numbers(batch).tolist() == [[1, 1], [2, 0]]


@pytest.mark.parametrize("form", FORMS)
def test_missing_values_become_the_declared_ones(form: str, tmp_path: Path) -> None:
    columns = (
        {**AGE, "missing": {"value": 40}},
        {**WEIGHT, "missing": {"value": 60}},
        {**SEX, "missing": {"value": "m"}},
        {**TOWN, "missing": {"value": "Oslo"}},
        {**NOTE, "missing": {"value": "-"}},
    )
    content = {
        "age": [1, None],
        "weight": [50.5, None],
        "sex": ["f", None],
        "town": ["Rome", None],
        "note": ["x", None],
    }
    (batch,) = opened(tmp_path, form, columns, content, missing=[""]).batches()
    assert batch.to_pydict() == {
        "age": [1, 40],
        "weight": [50.5, 60.0],
        "sex": ["f", "m"],
        "town": ["Rome", "Oslo"],
        "note": ["x", "-"],
    }


def test_nan_is_a_missing_value(tmp_path: Path) -> None:
    columns = ({**AGE, "missing": {"value": 40}}, {**WEIGHT, "missing": {"value": 60}})
    content = {"age": [float("nan"), 3.0], "weight": [float("nan"), 50.0]}
    (batch,) = opened(tmp_path, "table.parquet", columns, content).batches()
    assert batch.to_pydict() == {"age": [40, 3], "weight": [60.0, 50.0]}


def test_texts_that_mean_missing_are_declared(tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text("age;weight\n?;50\nNA;51\n7;52\n")
    columns = ({**AGE, "missing": {"value": 40}}, WEIGHT)
    table = open_table(made_policy(tmp_path, columns, {"missing": ["?", "NA"], "delimiter": ";"}))
    (batch,) = table.batches()
    assert batch.column("age").to_pylist() == [40, 40, 7]


RECORDS = st.lists(
    st.tuples(
        st.integers(-(2**62), 2**62),
        st.floats(allow_nan=False, allow_infinity=False),
        st.sampled_from(["f", "m"]),
        st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=8),
    ),
    min_size=1,
    max_size=20,
)


@settings(max_examples=60, deadline=None)
@given(
    records=RECORDS,
    delimiter=st.sampled_from(",;|\t"),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
)
def test_another_writer_of_csv_is_understood(
    records: list[Any], delimiter: str, quoting: Any, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.getbasetemp()
    with (folder / "table.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter=delimiter, quoting=quoting)
        writer.writerows([("age", "weight", "sex", "note"), *records])
    policy = made_policy(folder, (AGE, WEIGHT, SEX, NOTE), {"delimiter": delimiter, "missing": []})
    read = [row for b in open_table(policy).batches(7) for row in zip(*b.to_pydict().values(), strict=True)]
    assert read == records


def test_a_column_alone_keeps_its_empty_lines(tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text("weight\n50\n\n51\n")
    (batch,) = open_table(made_policy(tmp_path, ({**WEIGHT, "missing": {"value": 60}},))).batches()
    assert batch.column("weight").to_pylist() == [50.0, 60.0, 51.0]


def test_labels_are_signs_places_or_clamped_numbers(tmp_path: Path) -> None:
    for categories, private, expected in (
        (["no", "yes"], {}, [1.0, -1.0]),
        (["maybe", "no", "yes"], {}, [2.0, 1.0]),
    ):
        label = {"name": "y", "kind": "label", "role": "public", "categories": categories, **private}
        table = opened(tmp_path, "table.csv", (AGE, label), {"age": [1, 2], "y": ["yes", "no"]})
        (batch,) = table.batches()
        assert table.labels(batch).tolist() == expected
        assert table.released(batch, table.numbers(batch)).column("y").to_pylist() == ["yes", "no"]
    mechanism = {
        "kind": "ron-gauss",
        "components": 1,
        "epsilon_mean": 1,
        "epsilon_covariance": 1,
        "records": 5,
    }
    pq.write_table(pa.table({"age": [1, 2], "y": [0.5, 9.0]}), tmp_path / "t.parquet")
    score = {"name": "y", "kind": "label", "role": "private", "low": -2, "high": 2}
    table = open_table(made_policy(tmp_path, (AGE, score), {"path": "t.parquet"}, mechanism))
    (batch,) = table.batches()
    assert table.labels(batch).tolist() == [0.5, 2.0]
    assert table.numbers(batch).tolist() == [[1.0], [2.0]]
    with pytest.raises(SpecError, match="no column is a label"):
        opened(tmp_path).labels(batch)


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_what_is_written_is_what_was_released(form: str, tmp_path: Path) -> None:
    table = opened(tmp_path)
    (batch,) = table.batches()
    rng = np.random.default_rng(0)
    numbers = rng.standard_normal((3, 4)) * 10.0 ** rng.integers(-300, 300, (3, 4))
    numbers[0, 0], numbers[1, 1], numbers[2, 2] = -0.0, 5e-324, 0.1 + 0.2
    output = table.policy.model.output.model_copy(update={"format": form})
    path = tmp_path / data_name(output)
    rows = write_table(path, released_schema(table.policy), [table.released(batch, numbers)], output)
    assert rows == 3
    types = {f.name: f.type for f in released_schema(table.policy)}
    options = pa.csv.ConvertOptions(column_types=types, null_values=[])
    back = pq.read_table(path) if form == "parquet" else pa.csv.read_csv(path, convert_options=options)
    assert back.schema.names == ["weight", "age", "sex=f", "sex=m", "town", "note"]
    read = np.column_stack([back.column(name).to_numpy() for name in back.schema.names[:4]])
    assert read.tobytes() == np.ascontiguousarray(numbers).tobytes()
    assert back.column("town").to_pylist() == CONTENT["town"]
    assert back.column("note").to_pylist() == CONTENT["note"]
    with pytest.raises(ValueError, match=r"expected released numbers of shape \(3, 4\)"):
        table.released(batch, numbers[:2])


def test_nothing_of_the_source_file_but_its_rows_is_written(tmp_path: Path) -> None:
    source = pa.table(
        {
            "age": pa.array([1, 2]),
            "weight": [50.0, 60.0],
            "town": pa.array(["Oslo", "Oslo"]).dictionary_encode(),
        },
        metadata={"secret": "SECRET"},
    )
    source = source.set_column(2, "town", pa.DictionaryArray.from_arrays([0, 0], ["Oslo", "SECRET"]))
    pq.write_table(source, tmp_path / "table.parquet", row_group_size=1)
    table = open_table(made_policy(tmp_path, (AGE, WEIGHT, TOWN), {"path": "table.parquet"}))
    released = [table.released(b, table.numbers(b)) for b in table.batches()]
    write_table(tmp_path / "out.parquet", released_schema(table.policy), released, table.policy.model.output)
    assert b"SECRET" in (tmp_path / "table.parquet").read_bytes()
    assert b"SECRET" not in (tmp_path / "out.parquet").read_bytes()
    assert pq.ParquetFile(tmp_path / "out.parquet").metadata.num_row_groups == 1


def test_groups_of_rows_do_not_depend_on_the_batches(tmp_path: Path) -> None:
    schema = pa.schema([("x", pa.float64())])
    output = opened(tmp_path).policy.model.output
    values = np.arange(2.5 * ROWS_PER_GROUP)
    for size in (ROWS_PER_GROUP // 3, 2 * ROWS_PER_GROUP + 7):
        parts = [values[i : i + size] for i in range(0, len(values), size)]
        write_table(
            tmp_path / "x.parquet", schema, [pa.record_batch([p], schema=schema) for p in parts], output
        )
        file = pq.ParquetFile(tmp_path / "x.parquet")
        groups = [file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)]
        assert groups == [ROWS_PER_GROUP, ROWS_PER_GROUP, ROWS_PER_GROUP // 2]
        assert np.array_equal(file.read().column("x").to_numpy(), values)
    assert write_table(tmp_path / "none.parquet", schema, [], output) == 0
    assert pq.read_table(tmp_path / "none.parquet").schema.names == ["x"]


def test_pages_of_a_file_do_not_begin_where_batches_do(tmp_path: Path) -> None:
    schema = pa.schema([pa.field("note", pa.string(), nullable=False)])
    output = opened(tmp_path).policy.model.output
    # More different texts than a dictionary takes: what comes after is written in another way.
    notes = pa.record_batch([[f"{i:0150d}" for i in range(9_000)]], schema=schema)
    written = set()
    for size in (9_000, 1024, 1000, 7):
        parts = [notes.slice(i, size) for i in range(0, 9_000, size)]
        write_table(tmp_path / "x.parquet", schema, parts, output)
        written.add((tmp_path / "x.parquet").read_bytes())
    assert len(written) == 1


def test_no_file_is_left_by_a_writer_that_fails(tmp_path: Path) -> None:
    schema = pa.schema([("x", pa.float64())])
    output = opened(tmp_path).policy.model.output
    good = pa.record_batch([pa.array([1.0])], schema=schema)

    def interrupted() -> Iterator[pa.RecordBatch]:
        yield good
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_table(tmp_path / "a.parquet", schema, interrupted(), output)
    wrong = pa.record_batch([pa.array(["x"])], names=["y"])
    for many in (1, 10):
        with pytest.raises((ValueError, pa.ArrowException)):
            write_table(tmp_path / "b.parquet", schema, [wrong] * many, output)
    with pytest.raises(OSError):
        write_table(tmp_path / "no" / "c.parquet", schema, [good], output)
    assert not list(tmp_path.glob("?.parquet"))


def test_a_table_that_changes_while_it_is_read_is_refused(tmp_path: Path) -> None:
    table = opened(tmp_path)
    batches = table.batches(1)
    next(batches)
    with (tmp_path / "table.csv").open("a") as file:
        file.write("d,1,1,f,Rome,\n")
    with pytest.raises(SpecError, match=r"table\.csv changed while it was read"):
        list(batches)
    with pytest.raises(SpecError, match=r"table\.csv changed while it was read"):
        table.digest(tmp_path / "salt")


def test_another_path_may_be_given(tmp_path: Path) -> None:
    table = opened(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    moved = (tmp_path / "table.csv").rename(tmp_path / "elsewhere" / "t.csv")
    assert open_table(table.policy, moved).count() == 3
    with pytest.raises(SpecError, match=r"table\.path: no such file: table\.csv"):
        open_table(table.policy)


BIG = """
    import resource, sys, time
    from pathlib import Path
    from noiseproof.audit.release.policy import read_policy
    from noiseproof.audit.release.tables import open_table, released_schema, whole_or_nothing, write_table
    policy = read_policy("policy.toml")
    table = open_table(policy)
    start = time.perf_counter()
    with whole_or_nothing("out") as folder:
        released = (table.released(b, table.numbers(b)) for b in table.batches())
        rows = write_table(folder / "data.parquet", released_schema(policy), released, policy.model.output)
    seconds = time.perf_counter() - start
    print(rows, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024, round(seconds, 1))
"""


@pytest.mark.long
@pytest.mark.parametrize("group", [1_000_000, 10_000_000])
def test_ten_million_records_of_twenty_columns_need_less_than_a_gigabyte(
    group: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from made_policies import policy_text

    rows = 10_000_000
    columns = tuple({**WEIGHT, "name": f"x{i}"} for i in range(20))
    (tmp_path / "policy.toml").write_text(policy_text(columns, {"path": "big.parquet"}))
    script = f"""
        import numpy as np, pyarrow as pa, pyarrow.parquet as pq
        rng = np.random.default_rng(0)
        schema = pa.schema([(f"x{{i}}", pa.float64()) for i in range(20)])
        with pq.ParquetWriter("big.parquet", schema, use_dictionary=False) as writer:
            for _ in range({rows // group}):
                writer.write_table(pa.table([rng.uniform(30, 200, {group}) for _ in range(20)], schema=schema), {group})
    """
    for text in (script, BIG):
        done = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(text)], cwd=tmp_path, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
    written, megabytes, seconds = json.loads(f"[{done.stdout.replace(' ', ',')}]")
    with capsys.disabled():
        print(f"\n{rows:,} x 20, groups of {group:,}: peak {megabytes} MB, {seconds} s")
    assert written == rows
    assert megabytes < 1000
    with (
        pq.ParquetFile(tmp_path / "big.parquet") as old,
        pq.ParquetFile(tmp_path / "out" / "data.parquet") as new,
    ):
        for name in ("x0", "x19"):
            sums = [
                sum(pc.sum(b.column(0)).as_py() for b in f.iter_batches(columns=[name])) for f in (old, new)
            ]
            assert sums[0] == pytest.approx(sums[1], rel=1e-12)
