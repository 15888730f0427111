"""Rows per person: exact in any number of passes, for keys of any kind, in bounded memory."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_policies import AGE, KEY, PERSON, made_policy

from noiseproof.audit.release.tables import PolicyTable, open_table
from noiseproof.audit.release.tables.persons import LONGEST_KEY
from noiseproof.symbolic.errors import SpecError

KEYS = st.lists(
    st.sampled_from(["", "a", "b", "ab", "ba", "a\0", "é", "x" * 200]) | st.text(max_size=3), max_size=60
)


def table_of(folder: Path, keys: Any, bound: int, group: int = 7) -> PolicyTable:
    pq.write_table(
        pa.table({"id": keys, "age": pa.array([30] * len(keys))}), folder / "t.parquet", row_group_size=7
    )
    return open_table(
        made_policy(folder, (KEY, AGE), {**PERSON, "path": "t.parquet", "rows_per_person": bound})
    )


@settings(max_examples=60, deadline=None)
@given(keys=KEYS, bound=st.integers(1, 4), most=st.sampled_from([1, 3, 1000]))
def test_a_person_is_refused_exactly_above_the_bound(
    keys: list[str], bound: int, most: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    table = table_of(tmp_path_factory.getbasetemp(), pa.array(keys, pa.string()), bound)
    if max(Counter(keys).values(), default=0) <= bound:
        table.require_rows_per_person(most)
    else:
        with pytest.raises(
            SpecError, match=rf"rows_per_person: a person has more than the declared {bound} rows"
        ):
            table.require_rows_per_person(most)


@pytest.mark.parametrize("kind", [pa.int64(), pa.uint8(), pa.large_string(), pa.string_view()])
def test_keys_of_any_kind(kind: pa.DataType, tmp_path: Path) -> None:
    keys = pa.array(["1", "2", "1"]).cast(kind)
    assert table_of(tmp_path, keys, 2).count() == 3
    with pytest.raises(SpecError, match="more than the declared 1 rows"):
        table_of(tmp_path, keys, 1).count()
    with pytest.raises(SpecError, match="more than the declared 1 rows"):
        table_of(tmp_path, keys.dictionary_encode() if kind == pa.int64() else keys, 1).count()


def test_keys_of_a_csv_file_are_texts(tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text("id,age\n01,3\n1,4\n")
    policy = made_policy(tmp_path, (KEY, AGE), {**PERSON, "rows_per_person": 1})
    assert open_table(policy).count() == 2
    (tmp_path / "table.csv").write_text('id,age\n01,3\n"01",4\n')
    with pytest.raises(SpecError, match="more than the declared 1 rows"):
        open_table(policy).count()


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        (pa.array(["a", None]), "table.person_key: column 'id': record 2 has no person key"),
        (
            pa.array(["a", "SECRET" * LONGEST_KEY]),
            f"table.person_key: column 'id': a person key is longer than {LONGEST_KEY} bytes",
        ),
        (pa.array([1.5, 2.5]), "column 'id': expected texts"),
        (pa.array([b"SECRET", b"x"]), "column 'id': expected texts"),
    ],
)
def test_unusable_keys_are_refused_without_showing_them(keys: pa.Array, message: str, tmp_path: Path) -> None:
    with pytest.raises(SpecError) as caught:
        table_of(tmp_path, keys, 5).count()
    assert message in str(caught.value)
    assert str(caught.value).startswith("policy.toml: ")
    assert "SECRET" not in str(caught.value)


def test_one_crowded_person_is_found_among_many(tmp_path: Path) -> None:
    keys = np.random.default_rng(0).permutation(np.r_[np.arange(60_000), [77, 77]])
    assert table_of(tmp_path, pa.array(keys), 3, 10**5).count() == len(keys)
    table = table_of(tmp_path, pa.array(keys), 2, 10**5)
    for most in (10**7, 50_000):
        with pytest.raises(SpecError, match="more than the declared 2 rows"):
            table.require_rows_per_person(most)


@pytest.mark.long
def test_ten_million_persons_are_counted_in_bounded_memory(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import subprocess
    import sys

    from made_policies import policy_text

    keys = np.random.default_rng(0).permutation(10_000_000)
    pq.write_table(pa.table({"id": keys, "age": np.zeros(len(keys), dtype=np.int8)}), tmp_path / "t.parquet")
    text = policy_text((KEY, AGE), {**PERSON, "path": "t.parquet", "rows_per_person": 1})
    (tmp_path / "policy.toml").write_text(text)
    script = (
        "import resource, time; from noiseproof.audit.release.policy import read_policy; from noiseproof.audit.release.tables import open_table;"
        "t = time.perf_counter(); n = open_table(read_policy('policy.toml')).count();"
        "print(n, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024, time.perf_counter() - t)"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    rows, megabytes, seconds = done.stdout.split()
    with capsys.disabled():
        print(f"\n{int(rows):,} persons: peak {megabytes} MB, {float(seconds):.1f} s")
    assert int(rows) == len(keys)
    assert int(megabytes) < 1000
