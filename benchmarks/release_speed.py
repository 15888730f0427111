"""How fast a table is released with independent noise, against reading and writing the same Parquet file without any.

    python benchmarks/release_speed.py --rows 10000000 --columns 20

Each part runs in a process of its own, whose peak of memory is printed: `plain` reads and writes with pyarrow alone,
`copy` reads, checks and writes as a release does but adds nothing, then each mechanism without its audit, which does not
depend on the number of rows; `whole` is a release with everything, its audit of 5,000 samples included.  The line to hold:
a release takes at most twice the time of `plain`, within 1 GB.
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

PARTS = ("plain", "copy", "laplace", "gaussian", "optimal", "whole")
_BATCH = 1 << 16


def policy_text(columns: int, kind: str, path: str) -> str:
    """A policy with so many private columns of the interval [0, 100]."""
    size = {"laplace": "scale", "gaussian": "deviation", "optimal": "half_width"}[kind]
    limits = "error = 1.0" if kind == "optimal" else "information = 1.0"
    lines = [
        'title = "speed"',
        "[table]",
        f'path = "{path}"',
        "rows_public = true",
        "[mechanism]",
        f'kind = "{kind}"',
    ]
    lines += [f"{size} = 50.0", "[limits]", limits, "[audit]", "samples = 5000", "bits = false"]
    for j in range(columns):
        lines += [
            "[[columns]]",
            f'name = "c{j}"',
            'kind = "number"',
            'role = "private"',
            "low = 0",
            "high = 100",
        ]
    return "\n".join(lines)


def make_table(path: Path, rows: int, columns: int, decimals: int) -> None:
    """Uniform numbers with so many decimals, written in row groups; beyond a few a dictionary no longer pays."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    schema = pa.schema([(f"c{j}", pa.float64()) for j in range(columns)])
    with pq.ParquetWriter(path, schema) as writer:
        for start in range(0, rows, 1 << 18):
            size = min(1 << 18, rows - start)
            arrays = [pa.array(np.round(rng.uniform(0, 100, size), decimals)) for _ in range(columns)]
            writer.write_batch(pa.RecordBatch.from_arrays(arrays, schema=schema))


def run(part: str, folder: Path, columns: int) -> dict[str, Any]:
    """Seconds and the peak of memory (MB) of one part, in this process."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    source, target = folder / "table.parquet", folder / f"{part}.parquet"
    target.unlink(missing_ok=True)
    kind = part if part in ("laplace", "gaussian", "optimal") else "optimal"
    from noiseproof.audit.release.kinds import KINDS
    from noiseproof.audit.release.policy import parse_policy
    from noiseproof.audit.release.tables import open_table, released_schema, write_table
    from noiseproof.mechanisms.grid_noise import secure_bits

    policy = parse_policy(policy_text(columns, kind, source.name).encode(), folder=folder)
    table, made = open_table(policy), KINDS[kind].configure(policy)
    made.release.noises[0].table  # noqa: B018 - tables of the laws are made once, before the first row
    begun = time.perf_counter()
    if part == "plain":
        schema = pa.schema([(f"c{j}", pa.float64()) for j in range(columns)])
        with pq.ParquetFile(source) as file, pq.ParquetWriter(target, schema) as writer:
            for batch in file.iter_batches(_BATCH):
                writer.write_batch(batch)
    elif part == "copy":
        batches = (table.released(b, table.numbers(b)) for b in table.batches(_BATCH))
        write_table(target, released_schema(policy), batches, policy.model.output)
    elif part == "whole":
        from noiseproof.audit.release import release

        release(policy, folder / "whole", salt=folder / "salt")
    else:
        with made.draw(table, secure_bits()) as drawn:
            write_table(target, made.schema, drawn.batches, policy.model.output)
    seconds = time.perf_counter() - begun
    return {
        "part": part,
        "seconds": seconds,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def main() -> None:
    """Make the table, run each part in a process of its own, print one line each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--decimals", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--parts", nargs="+", default=list(PARTS), choices=PARTS)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--one", choices=PARTS, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        print(json.dumps(run(given.one, given.folder, given.columns)))
        return
    with tempfile.TemporaryDirectory(dir=given.folder) as name:
        folder = Path(name)
        make_table(folder / "table.parquet", given.rows, given.columns, given.decimals)
        size = (folder / "table.parquet").stat().st_size / 2**20
        print(f"{given.rows:,} rows x {given.columns} columns, {size:.0f} MB of Parquet")
        plain = None
        for part in given.parts:
            times = []
            for _ in range(given.repeats):
                command = [
                    sys.executable,
                    __file__,
                    "--one",
                    part,
                    "--folder",
                    name,
                    "--columns",
                    str(given.columns),
                ]
                found = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
                times.append(found["seconds"])
                (folder / f"{part}.parquet").unlink(missing_ok=True)
            best = min(times)
            plain = best if part == "plain" else plain
            ratio = "" if plain is None else f", {best / plain:.2f} times plain"
            rate = given.rows * given.columns / best / 1e6
            print(
                f"{part:9s} {best:7.2f} s{ratio}, {rate:.0f} million numbers/s, peak {found['peak_mb']:.0f} MB",
                flush=True,
            )


if __name__ == "__main__":
    main()
