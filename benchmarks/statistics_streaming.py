"""How fast the sums of a release of statistics are streamed, against pyarrow reading the same columns and doing nothing.

    python benchmarks/statistics_streaming.py --rows 100000000

Each part runs in a process of its own, one after the other: `texts` reads the used columns with pyarrow as they are stored,
`numbered texts` reads categories as dictionaries, `sums` is the code of a release between its table and its exact sums, and
`persons` the same with at most 3 records of a person (`--persons` of them).  The lines to hold: `sums` takes less than 3 times the
seconds of `texts`, and less than 1 GB.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

PARTS = ("texts", "numbered texts", "sums", "persons")
EDUCATION = [
    "10th",
    "11th",
    "12th",
    "9th",
    "Assoc",
    "Bachelors",
    "Doctorate",
    "HS-grad",
    "Masters",
    "Some-college",
]
SEX, INCOME = ["Female", "Male"], ["<=50K", ">50K"]
USED = ["age", "hours", "gain", "education", "sex", "income"]
BLOCK = 1 << 20

POLICY = """
title = "streaming"
columns = [
  { name = "person", role = "drop" },
  { name = "age", kind = "integer", role = "private", low = 16, high = 100, missing = "skip" },
  { name = "hours", kind = "integer", role = "private", low = 0, high = 100, missing = "skip" },
  { name = "gain", kind = "number", role = "private", low = 0.0, high = 20000.0, missing = "skip" },
  { name = "education", kind = "category", role = "private", categories = %s, missing = "skip", undeclared = "skip" },
  { name = "sex", kind = "category", role = "private", categories = %s, missing = "skip", undeclared = "skip" },
  { name = "income", kind = "category", role = "private", categories = %s, missing = "skip", undeclared = "skip" },
]
statistics = [
  { name = "people by education and income", measure = "count", by = ["education", "income"] },
  { name = "mean age by sex", measure = "mean", column = "age", by = ["sex"], size = 5000 },
  { name = "hours by sex", measure = "quantiles", column = "hours", by = ["sex"], quantiles = [0.25, 0.5, 0.75] },
  { name = "gain", measure = "sum", column = "gain", by = ["income"] },
  { name = "ages", measure = "histogram", column = "age", by = ["sex"], edges = [16, 25, 35, 45, 55, 65, 100] },
]
[table]
path = "table.parquet"
%s
[mechanism]
kind = "statistics"
[limits]
epsilon = 1.0
delta = 1e-6
"""
PERSON = 'unit_of_privacy = "person"\nperson_key = "person"\nrows_per_person = 3'


def make_table(path: Path, rows: int, persons: int) -> None:
    """People, some of them out of every declared domain; each block is a group of rows."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(1)
    texts = {"education": EDUCATION, "sex": SEX, "income": INCOME}
    kinds = {"person": pa.int64(), "age": pa.int64(), "hours": pa.int64(), "gain": pa.float64()}
    schema = pa.schema([*kinds.items(), *((name, pa.string()) for name in texts)])
    with pq.ParquetWriter(path, schema) as writer:
        for start in range(0, rows, BLOCK):
            size = min(BLOCK, rows - start)
            columns: dict[str, Any] = {
                "person": rng.integers(0, persons, size),
                "age": rng.integers(10, 105, size),
                "hours": np.clip(rng.normal(40, 12, size), 0, 120).astype(np.int64),
                "gain": np.round(rng.gamma(2, 2_000, size), 2),
            }
            for name, values in texts.items():
                columns[name] = pa.array(values).take(pa.array(rng.integers(0, len(values), size)))
            writer.write_table(pa.table(columns, schema=schema))


def run(part: str, folder: Path) -> dict[str, Any]:
    """Seconds, seconds of processor, and the peak of memory (MB) of one part, in this process."""
    import pyarrow.parquet as pq

    from noiseproof.audit.release import plan
    from noiseproof.audit.release.policy import parse_policy
    from noiseproof.audit.release.statistics.table_sums import table_sums
    from noiseproof.audit.release.tables import open_table

    lists = [json.dumps(values) for values in (EDUCATION, SEX, INCOME)]
    text = POLICY % (*lists, PERSON if part == "persons" else "")
    policy = parse_policy(text.encode(), folder=folder)
    load: Any = getattr(plan(policy).kind, "workload")  # noqa: B009
    path = folder / "table.parquet"
    start, spent = time.perf_counter(), time.process_time()
    if part in ("sums", "persons"):
        table_sums(policy, load, open_table(policy, path))
    else:
        names = [] if part == "texts" else ["education", "sex", "income"]
        with pq.ParquetFile(path, read_dictionary=names) as file:
            for _ in file.iter_batches(columns=USED):
                pass
    return {
        "seconds": time.perf_counter() - start,
        "processor": time.process_time() - spent,
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1_000,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--persons", type=int, default=5_000_000)
    parser.add_argument("--parts", nargs="*", default=list(PARTS))
    parser.add_argument("--folder", type=Path, help="where the table is kept, and looked for")
    parser.add_argument("--part", choices=PARTS, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.part:
        print(json.dumps(run(args.part, args.folder)))
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = args.folder or Path(temporary)
        if not (folder / "table.parquet").exists():
            make_table(folder / "table.parquet", args.rows, args.persons)
        size = (folder / "table.parquet").stat().st_size / 1e9
        print(f"{args.rows:,} rows, {size:.2f} GB\n")
        print("| part | seconds | of processor | million rows a second | times texts | peak MB |")
        print("| --- | --- | --- | --- | --- | --- |")
        base = 0.0
        for part in args.parts:
            command = [sys.executable, __file__, "--part", part, "--folder", str(folder)]
            found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
            base = base or found["seconds"]
            print(
                f"| {part} | {found['seconds']:.1f} | {found['processor']:.1f} | {args.rows / found['seconds'] / 1e6:.1f} | "
                f"{found['seconds'] / base:.2f} | {found['memory']:.0f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
