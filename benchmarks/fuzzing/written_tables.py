"""Random tables, written in random dialects of CSV: their numbers are known exactly, and are read back or refused, never read as others."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np

NO_NUMBER = Decimal("-123456789")
PARTED = (None, None, None, ",", ".", " ", "'", "\u00a0", "\u2019")
ODD = ("percent", "currency", "zeros", "date", "boolean", "scientific", "long", "mixed marks", "sign")


@dataclass(frozen=True)
class Written:
    """A file, what its columns hold exactly (None: a missing value), and the keys of [table] that say how it is written."""

    raw: bytes
    names: tuple[str, ...]
    numbers: dict[str, list[Decimal | None]]
    odd: frozenset[str]
    keys: dict[str, Any]
    delimiter: str


def written(rng: np.random.Generator) -> Written:
    """One of them."""
    decimal = str(rng.choice([".", ".", ","]))
    marks = [m for m in PARTED if m != decimal]
    thousands = marks[int(rng.integers(len(marks)))]
    delimiter = str(rng.choice([",", ";", "\t", "|"]))
    encoding = str(rng.choice(["utf-8", "utf-8", "latin-1", "cp1252", "utf-16"]))
    if thousands == "\u2019" and encoding == "latin-1":
        thousands = "'"
    size, width = int(rng.integers(1, 12)), int(rng.integers(1, 4))
    titles = int(rng.integers(0, 3)) if rng.random() < 0.2 else 0
    unnamed = [None, None, None, "first", "last"][int(rng.integers(5))]
    names = [str(rng.choice(["x", "Höhe", "a b", "w [kg]", 'q"', "n;m"])) + str(i) for i in range(width)]
    numbers: dict[str, list[Decimal | None]] = {}
    texts: dict[str, list[str]] = {}
    odd = set()
    for name in names:
        places = int(rng.choice([0, 0, 1, 2, 3, 3, 4, 6]))
        trimmed, reach = bool(rng.random() < 0.5), float(rng.choice([1, 100, 5e3, 1e5, 1e7]))
        values = [Decimal(f"{v:.{places}f}") for v in rng.uniform(-reach * (rng.random() < 0.3), reach, size)]
        if rng.random() < 0.12:
            kind = ODD[int(rng.integers(len(ODD)))]
            texts[name] = [strange(v, kind, decimal, rng) for v in values]
            held = (
                {"long": map(Decimal, texts[name])}
                if kind == "long"
                else {"scientific": values, "mixed marks": values}
            )
            held |= dict.fromkeys(("zeros", "sign"), map(abs, values))
            # Of the others nothing is a number.
            numbers[name] = list(held.get(kind, [NO_NUMBER]))
            odd.add(kind)
            continue
        kept = [None if rng.random() < 0.1 else v for v in values]
        numbers[name] = kept
        texts[name] = ["" if v is None else shown(v, decimal, thousands, trimmed=trimmed) for v in kept]
    rows = [[texts[name][i] for name in names] for i in range(size)]
    header = list(names)
    if unnamed == "first":
        rows = [[f"r{i}", *row] for i, row in enumerate(rows)]
    elif unnamed == "last":
        rows = [[*row, ""] for row in rows]
    if unnamed is not None and rng.random() < 0.5:
        # The header has a field for it, which is empty.
        header = ["", *header] if unnamed == "first" else [*header, ""]
        place, unnamed = unnamed, None
    else:
        place = unnamed
    everything = {"first": ["column 1", *names], "last": [*names, f"column {width + 1}"]}.get(
        place or "", names
    )
    out = io.StringIO()
    for i in range(titles):
        out.write(f"Report {i}\n")
    csv.writer(out, delimiter=delimiter, lineterminator=str(rng.choice(["\n", "\r\n"]))).writerows(
        [header, *rows]
    )
    keys = {
        "delimiter": delimiter,
        "decimal": decimal,
        "thousands": {"\u00a0": " ", "\u2019": "'"}.get(thousands or "", thousands),
    }
    keys |= {"encoding": encoding, "title_lines": titles, "unnamed": unnamed}
    raw = out.getvalue().encode(encoding)
    return Written(
        raw,
        tuple(everything),
        numbers,
        frozenset(odd),
        {k: v for k, v in keys.items() if v is not None},
        delimiter,
    )


def shown(value: Decimal, decimal: str, thousands: str | None, *, trimmed: bool) -> str:
    """The number as people write it."""
    text = f"{value:,f}" if thousands else f"{value:f}"
    if trimmed and "." in text:
        text = text.rstrip("0").rstrip(".")
    return text.translate({ord(","): thousands or "", ord("."): decimal})


def strange(value: Decimal, kind: str, decimal: str, rng: np.random.Generator) -> str:
    """What is no plain number, though parts of it look like one."""
    plain = f"{value:f}".replace(".", decimal)
    return {
        "percent": f"{plain}%",
        "currency": f"£{plain}",
        "zeros": f"00{abs(value):f}".replace(".", decimal),
        "date": f"{int(rng.integers(1, 29)):02d}.{int(rng.integers(1, 13)):02d}.20{int(rng.integers(10, 30))}",
        "boolean": str(rng.choice(["true", "false"])),
        "scientific": f"{value:e}".replace(".", decimal),
        "long": str(2**53 + 1 + 2 * int(rng.integers(10**9))),
        "mixed marks": shown(value, ".", ",", trimmed=False)
        if rng.random() < 0.5
        else shown(value, ",", ".", trimmed=False),
        "sign": f"+{abs(value):f}".replace(".", decimal),
    }[kind]


def policy_text(one: Written, keys: dict[str, Any]) -> str:
    """A policy that reads every column with a name as a number, and says these keys of the table."""
    lines = ['title = "t"', "columns = ["]
    for name in one.names:
        ends = 'kind = "number", role = "private", low = -1e9, high = 1e9, missing = { value = -1 }'
        what = ends if name in one.numbers else 'role = "drop"'
        lines.append(f"  {{ name = {json.dumps(name, ensure_ascii=False)}, {what} }},")
    lines += ["]", "[table]", 'path = "t.csv"', "rows_public = true"]
    lines += [f"{key} = {json.dumps(value)}" for key, value in keys.items()]
    return "\n".join(
        [*lines, "[mechanism]", 'kind = "laplace"', "calibrate = true", "[limits]", "epsilon = 1.0", ""]
    )


def verdict(one: Written, read: Any) -> str:
    """ "right", "refused" or "WRONG ..." for what `read()` gives of the columns, by name, as lists of numbers; errors of `read` are refusals."""
    try:
        found = read()
    except ValueError as error:
        said = str(error)
        usable = any(word in said for word in ("declare", "rename", "expected", "write", "missing"))
        return "refused" if usable else f"WRONG: no usable line: {said}"
    for name, values in one.numbers.items():
        want = [-1.0 if v is None else float(v) for v in values]
        if name in found and found[name] != want:
            return f"WRONG: {name} holds {found[name]} for {want}"
    return "right"


def judged(one: Written, folder: Path) -> dict[str, str]:
    """The verdicts of a table that is read with all keys, with those alone without which no line can be read, and by the guess of `policy init`."""
    (folder / "t.csv").write_bytes(one.raw)
    needed = {k: v for k, v in one.keys.items() if k not in ("decimal", "thousands")}
    out = {}
    for how, keys in (("declared", one.keys), ("undeclared", needed)):
        # What has marks of two kinds contradicts any declaration.
        if how == "declared" and "mixed marks" in one.odd:
            continue
        (folder / "policy.toml").write_text(policy_text(one, keys), encoding="utf-8")
        out[how] = verdict(one, lambda: read_by(folder / "policy.toml", tuple(one.numbers)))
    if "mixed marks" not in one.odd:
        out["guessed"] = verdict(one, lambda: read_by_guess(folder / "t.csv"))
    return out


def read_by_guess(table: Path) -> dict[str, list[float]]:
    """The columns that `policy init` takes for numbers, read as it says."""
    import pyarrow as pa

    from noiseproof.audit.record.table_file import open_source
    from noiseproof.audit.release.policy.table_guess import guess

    found = guess(table, "csv")
    types = {
        name: pa.float64() for name, kind in zip(found.names, found.kinds, strict=True) if kind is not None
    }
    batches = list(open_source(table, "csv", found.dialect).batches(types, 1000)) if types else []
    return {n: [-1.0 if v is None else v for b in batches for v in b.column(n).to_pylist()] for n in types}


def read_by(policy: Path, names: tuple[str, ...]) -> dict[str, list[float]]:
    """The columns that the table of a policy holds."""
    from noiseproof.audit.release.policy import read_policy
    from noiseproof.audit.release.tables import open_table

    table = open_table(read_policy(policy))
    found: dict[str, list[float]] = {name: [] for name in names}
    for batch in table.batches():
        for name in names:
            found[name] += batch.column(name).to_pylist()
    return found
