"""Hostile tables: one message each, which says where and never shows what the table holds."""

from __future__ import annotations

import datetime
import decimal
import gzip
import re
import struct
import traceback
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from made_policies import AGE, KEY, NOTE, SEX, TOWN, WEIGHT, made_policy

from noiseproof.audit.release.tables import open_table
from noiseproof.symbolic.errors import SpecError

# Stands in every file as the private value; no message may hold it.
SECRET = "8675309"
DAMAGED = "it is damaged or not in that format"

CSV: dict[str, tuple[bytes, Any, str]] = {
    "a word among numbers": (
        b"weight,age\n50,20\n8675309x,20\n",
        (AGE, WEIGHT),
        "column 'weight'* expected numbers",
    ),
    "a fraction among whole numbers": (
        b"age,weight\n8675309.5,50\n",
        (AGE, WEIGHT),
        "column 'age'* expected whole numbers",
    ),
    "a number too long": (
        b"age,weight\n86753098675309867530986,50\n",
        (AGE, WEIGHT),
        "column 'age'* expected whole numbers",
    ),
    "hexadecimal": (b"weight\n0x8675309\n", (WEIGHT,), "column 'weight'* expected numbers"),
    "NUL in a number": (b"weight\n8675309\x00\n", (WEIGHT,), "column 'weight'* expected numbers"),
    "infinity": (
        b"weight,age\n50,8675309\ninf,1\n",
        (AGE, WEIGHT),
        "column 'weight', record 2: the value is not a finite number",
    ),
    "too large for a double": (
        b"weight\n8675309e400\n",
        (WEIGHT,),
        "column 'weight', record 1: the value is not a finite number",
    ),
    "missing": (
        b"age,weight\n8675309,50\n1,\n",
        (AGE, WEIGHT),
        "column 'weight', record 2: the value is missing: fill it in, or declare",
    ),
    "NaN": (b"age,weight\n8675309,nan\n", (AGE, WEIGHT), "column 'weight', record 1: the value is missing"),
    "a field too many": (
        b"age,weight\n1,2\n1,8675309,3\n",
        (AGE, WEIGHT),
        "expected 2 fields in every line* got a line of 3",
    ),
    "a field too few": (
        b"age,weight\n8675309\n",
        (AGE, WEIGHT),
        "expected 2 fields in every line* got a line of 1",
    ),
    "not UTF-8": (b"sex\nf\n8675309\xff\n", (SEX,), "column 'sex'* expected text in UTF-8"),
    "UTF-16": (
        "age,weight\n8675309,2\n".encode("utf-16"),
        (AGE, WEIGHT),
        "the first line of table.csv is not text in UTF-8: declare table.encoding",
    ),
    "an unknown category": (
        b"sex,age\nf,1\n8675309,2\n",
        (AGE, SEX),
        "column 'sex', record 2: the value is none of the declared categories",
    ),
    "an unknown public category": (
        b"town,age\n8675309,2\n",
        (AGE, TOWN),
        "column 'town', record 1: the value is none of the declared",
    ),
    "a category with a blank": (
        b"sex\nf\n m8675309\n",
        (SEX,),
        "column 'sex', record 2: the value is none of the declared categories",
    ),
    "a quote never closed": (
        b'age,note\n1,"x\n8675309,y\n',
        (AGE, NOTE),
        "column 'note', record 1: the text holds a line break or a NUL",
    ),
    "a quote never closed in a dropped column": (
        b'age,id\n1,"8675309\n2,x\n3,y\n',
        (AGE, KEY),
        "table.csv has 1 record on 3 lines below its header",
    ),
    "quotes that close in another record, in a dropped column": (
        b'id,age\nx,1\n"8675309,2\ny",3\nz,4\n',
        (AGE, KEY),
        "table.csv has 3 records on 4 lines below its header",
    ),
    "a line break in a dropped column": (
        b'id,age\r\nx,1\r\n"8675309\ry",3\r\n',
        (AGE, KEY),
        "table.csv has 2 records on 3 lines below its header",
    ),
    "a carriage return in a text": (
        b'age,note\n1,x\n2,"8675309\ry"\n',
        (AGE, NOTE),
        "column 'note', record 2: the text holds a line break or a NUL",
    ),
    "NUL in a text": (
        b"age,note\n1,x\n2,8675309\x00\n",
        (AGE, NOTE),
        "column 'note', record 2: the text holds a line break or a NUL",
    ),
    "a huge field": (
        b"note,age\n" + b"8675309" * 2_000_000 + b",1\n",
        (AGE, NOTE),
        "a line is longer than 4 MB, or a quote is not closed",
    ),
    "a public number outside": (
        b"x,age\n3,1\n8675309,1\n",
        (AGE, {"name": "x", "kind": "number", "role": "public", "low": 0, "high": 9}),
        "column 'x', record 2: the value lies outside of the declared domain",
    ),
    "one name twice": (
        b"age,weight,age\n1,2,8675309\n",
        (AGE, WEIGHT),
        "table.csv has several columns with the name of column no. 1 ('age'); rename them",
    ),
    "another name twice": (
        b"age,weight,z,z\n1,2,8675309,3\n",
        (AGE, WEIGHT),
        "table.csv has several columns with the name of column no. 3; rename them",
    ),
    "a column that is not declared": (
        b"age,weight,zip\n1,2,8675309\n",
        (AGE, WEIGHT),
        "columns: table.csv has 1 undeclared column, the first is column no. 3: declare it",
    ),
    "a column that is not there": (
        b"weight,agee,sex\n50,8675309,f\n",
        (AGE, WEIGHT, SEX),
        "columns: table.csv has no column 'age'; its column no. 2 is not declared",
    ),
    "no header": (
        b"8675309,77516,Never-married\n1,2,x\n",
        (AGE, WEIGHT, NOTE),
        "holds none of the declared names: expected a header, such as age, weight",
    ),
    "a header that runs on": (
        b"age,weight,8675309,50\n1,2,3,4\n",
        (AGE, WEIGHT),
        "columns: table.csv has 2 undeclared columns, the first is column no. 3",
    ),
    "a name among values": (
        b"f,8675309,x\n",
        (AGE, WEIGHT, {**KEY, "name": "f"}),
        "columns: table.csv has no column 'age'",
    ),
    "only a header": (b"age,weight\n", (AGE, WEIGHT), "table.csv holds no record: expected at least one row"),
    "nothing": (b"", (AGE,), "expected a first line with the names of the columns"),
    "empty lines": (b"\n\n8675309\n", (AGE,), "expected a first line with the names of the columns"),
    "a header that never ends": (
        b'"age,weight\n8675309,2\n',
        (AGE, WEIGHT),
        "expected a first line with the names of the columns",
    ),
    "another delimiter": (b"age;weight\n8675309;2\n", (AGE, WEIGHT), "holds none of the declared names"),
}


def message_for(folder: Path, name: str, columns: Any) -> str:
    """What is said of the table, after a look at everything that a traceback would print."""
    with pytest.raises(SpecError) as caught:
        open_table(made_policy(folder, columns, {"path": name})).count()
    assert SECRET not in "".join(traceback.format_exception(caught.value))
    assert str(caught.value).startswith("policy.toml: ")
    return str(caught.value)


@pytest.mark.parametrize(("raw", "columns", "message"), CSV.values(), ids=CSV)
def test_a_hostile_csv_file(raw: bytes, columns: Any, message: str, tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_bytes(raw)
    said = message_for(tmp_path, "table.csv", columns)
    # Where * stands, the record is named if the reader knew it.
    assert re.search(re.escape(message).replace(r"\*", r"(, record \d+)?:"), said), said


PARQUET: dict[str, tuple[Any, str]] = {
    "fractions": (
        [8675309.5],
        "column 'age': expected whole numbers below 2^63, and not all of it is (it is stored as double)",
    ),
    "unsigned": (pa.array([2**63 + 8675309], pa.uint64()), "column 'age': expected whole numbers below 2^63"),
    "texts": (["8675309"], "below 2^63, and it is stored as string: convert the column"),
    "bytes": ([b"8675309"], "below 2^63, and it is stored as binary: convert the column"),
    "times": (
        [datetime.datetime(2020, 1, 1)],
        "below 2^63, and it is stored as timestamp[us]: convert the column",
    ),
    "structures": ([{"SECRET": 8675309}], "column 'age': expected whole numbers"),
    "lists": ([[8675309]], "column 'age': expected whole numbers"),
    "decimals": ([decimal.Decimal("8675309.5")], "column 'age': expected whole numbers"),
    "nothing": (pa.nulls(1), "column 'age', record 1: the value is missing"),
    "NaN": ([float("nan")], "column 'age', record 1: the value is missing"),
}


@pytest.mark.parametrize(("values", "message"), PARQUET.values(), ids=PARQUET)
def test_a_parquet_column_of_another_type(values: Any, message: str, tmp_path: Path) -> None:
    pq.write_table(pa.table({"age": values, "weight": [50.0]}), tmp_path / "t.parquet")
    assert message in message_for(tmp_path, "t.parquet", (AGE, WEIGHT))


def test_types_that_hold_what_was_declared(tmp_path: Path) -> None:
    for age, weight in (
        (pa.array([1, 2], pa.int8()), pa.array([1, 2], pa.float32())),
        (pa.array([1.0, 2.0]), pa.array([decimal.Decimal("1.0"), decimal.Decimal("2.0")])),
        (pa.array([1, 2], pa.uint64()), pa.array([1, 2])),
    ):
        pq.write_table(pa.table({"age": age, "weight": weight}), tmp_path / "t.parquet")
        (batch,) = open_table(made_policy(tmp_path, table={"path": "t.parquet"})).batches()
        assert batch.to_pydict() == {"age": [1, 2], "weight": [1.0, 2.0]}
    for sex in (
        pa.array(["f"], pa.large_string()),
        pa.array(["f"], pa.string_view()),
        pa.array(["f"]).dictionary_encode(),
    ):
        pq.write_table(pa.table({"sex": sex}), tmp_path / "t.parquet")
        (batch,) = open_table(made_policy(tmp_path, (SEX,), {"path": "t.parquet"})).batches()
        assert batch.to_pydict() == {"sex": ["f"]}
    for values, categories in (([5, 6], [5, 6]), ([True, False], ["true", "false"])):
        pq.write_table(pa.table({"sex": values}), tmp_path / "t.parquet")
        (batch,) = open_table(
            made_policy(tmp_path, ({**SEX, "categories": categories},), {"path": "t.parquet"})
        ).batches()
        assert batch.column("sex").indices.to_pylist() == [0, 1]


@pytest.mark.parametrize(
    ("name", "raw", "message"),
    [
        ("t.parquet", b"", DAMAGED),
        ("t.parquet", b"PAR1" + b"8675309" * 9 + b"PAR1", DAMAGED),
        ("t.csv.gz", b"age\n8675309\n", DAMAGED),
        ("t.csv.gz", gzip.compress(b"age,weight\n8675309,50\n", mtime=0)[:-9], DAMAGED),
        ("t.xlsx", b"8675309", "table.format: cannot tell the format of t.xlsx"),
    ],
)
def test_a_damaged_file(name: str, raw: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(raw)
    assert message in message_for(tmp_path, name, (AGE, WEIGHT))


def test_a_byte_that_changed_on_the_disk_is_noticed(tmp_path: Path) -> None:
    table = pa.table({"age": [20], "weight": [55.125]})
    pq.write_table(
        table,
        tmp_path / "t.parquet",
        compression="none",
        use_dictionary=False,
        write_statistics=False,
        write_page_checksum=True,
    )
    raw = (tmp_path / "t.parquet").read_bytes()
    assert raw.count(struct.pack("<d", 55.125)) == 1
    (tmp_path / "t.parquet").write_bytes(raw.replace(struct.pack("<d", 55.125), struct.pack("<d", 60.25)))
    assert DAMAGED in message_for(tmp_path, "t.parquet", (AGE, WEIGHT))


def test_a_parquet_file_with_one_name_twice(tmp_path: Path) -> None:
    table = pa.Table.from_arrays([pa.array([8675309]), pa.array([1])], names=["age", "age"])
    pq.write_table(table, tmp_path / "t.parquet")
    assert "several columns with the name of column no. 1 ('age')" in message_for(
        tmp_path, "t.parquet", (AGE,)
    )


def test_the_names_of_a_parquet_file_are_shown(tmp_path: Path) -> None:
    pq.write_table(pa.table({"age": [8675309], "wieght": [1.0]}), tmp_path / "t.parquet")
    said = message_for(tmp_path, "t.parquet", (AGE, WEIGHT))
    assert said.endswith(
        "columns: t.parquet has no column 'weight'; its column no. 2 ('wieght') is not declared"
    )


def test_a_folder_without_parquet_files_is_no_table(tmp_path: Path) -> None:
    (tmp_path / "t.csv").mkdir()
    assert (
        "table.path: the folder t.csv holds no Parquet file: expected names that end in .parquet"
        in message_for(tmp_path, "t.csv", (AGE,))
    )


QUICK = settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
LONG = settings(
    max_examples=5_000, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
EDITS = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 8), st.binary(max_size=8)), min_size=1, max_size=4)
ROWS = {"age": [20, 8675309], "weight": [50.0, 60.0], "town": ["Oslo", "Rome"]}


def damaged(raw: bytes, edits: list[tuple[float, int, bytes]]) -> bytes:
    changed = bytearray(raw)
    for place, length, new in edits:
        start = int(place * len(changed))
        changed[start : start + length] = new
    return bytes(changed)


def read_or_refused(folder: Path, name: str, raw: bytes) -> None:
    """The table is read, or one message is given; a traceback of another kind fails the test."""
    (folder / name).write_bytes(raw)
    message = ""
    try:
        table = open_table(made_policy(folder, (AGE, WEIGHT, TOWN), {"path": name}))
        for batch in table.batches():
            table.released(batch, table.numbers(batch))
    except SpecError as error:
        message = str(error)
    assert SECRET not in message


def csv_case(edits: list[tuple[float, int, bytes]], tmp_path: Path) -> None:
    read_or_refused(tmp_path, "t.csv", damaged(b"age,weight,town\n20,50.0,Oslo\n8675309,60.0,Rome\n", edits))


def parquet_case(edits: list[tuple[float, int, bytes]], tmp_path: Path) -> None:
    whole = tmp_path / "whole.parquet"
    if not whole.exists():
        pq.write_table(pa.table(ROWS), whole)
    read_or_refused(tmp_path, "t.parquet", damaged(whole.read_bytes(), edits))


test_damaged_csv_files = QUICK(given(edits=EDITS)(csv_case))
test_damaged_parquet_files = QUICK(given(edits=EDITS)(parquet_case))
test_many_damaged_csv_files = pytest.mark.long(LONG(given(edits=EDITS)(csv_case)))
test_many_damaged_parquet_files = pytest.mark.long(LONG(given(edits=EDITS)(parquet_case)))
