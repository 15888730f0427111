"""Public sources of the experiments' data sets, fetched only when a user asks for it, written as the file that is expected."""

from __future__ import annotations

import csv
import gzip
import io
import os
import zipfile
from collections.abc import Callable
from pathlib import Path

from ....symbolic.errors import SpecError

SOURCES = {
    "adult": "https://archive.ics.uci.edu/static/public/2/adult.zip",
    "lending_club": "https://www.openintro.org/data/csv/loans_full_schema.csv",
}
_LARGEST = 200_000_000
_SECONDS = 60
_ADULT_COLUMNS = (
    "age",
    "workclass",
    "fnlwgt",
    "education",
    "education_num",
    "marital_status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "capital_gain",
    "capital_loss",
    "hours_per_week",
    "native_country",
    "income",
)
_ADULT_PARTS = {"adult.data": "train", "adult.test": "test"}


def cache_folder() -> Path:
    """Where fetched sets are kept: noiseproof below the user's cache folder."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "noiseproof"


def fetch(name: str, target: Path, read: Callable[[str], bytes] | None = None) -> Path:
    """Fetch the set `name` and write it to `target` (.csv.gz), whole or not at all; `read` replaces the network in tests."""
    content = (read or _read)(SOURCES[name])
    try:
        text = adult_csv(content) if name == "adult" else lending_club_csv(content)
    except (zipfile.BadZipFile, KeyError, UnicodeDecodeError, ValueError) as error:
        raise SpecError(f"{SOURCES[name]} did not send what was expected: {error}") from error
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(target.name + ".partial")
    partial.write_bytes(gzip.compress(text.encode(), mtime=0))
    os.replace(partial, target)
    return target


def adult_csv(archive: bytes) -> str:
    """The two parts of UCI Adult in one CSV with a header and the last column `split`."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*_ADULT_COLUMNS, "split"])
    with zipfile.ZipFile(io.BytesIO(archive)) as parts:
        for file, split in _ADULT_PARTS.items():
            if parts.getinfo(file).file_size > _LARGEST:
                raise ValueError(f"{file} is larger than {_LARGEST:,} bytes")
            for row in csv.reader(io.StringIO(parts.read(file).decode()), skipinitialspace=True):
                # The test part begins with a comment and ends its labels with a full stop.
                if len(row) == len(_ADULT_COLUMNS):
                    writer.writerow([*row[:-1], row[-1].rstrip("."), split])
    return out.getvalue()


def lending_club_csv(content: bytes) -> str:
    """The loans without their only free-text column, emp_title."""
    rows = list(csv.reader(io.StringIO(content.decode("utf-8-sig"))))
    if not rows or "interest_rate" not in rows[0]:
        raise ValueError("no column interest_rate in its first line")
    kept = [k for k, name in enumerate(rows[0]) if name != "emp_title"]
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(
        [[row[k] for k in kept] for row in rows if len(row) > max(kept)]
    )
    return out.getvalue()


def _read(url: str) -> bytes:
    from urllib.error import URLError
    from urllib.request import urlopen

    try:
        with urlopen(url, timeout=_SECONDS) as answer:
            content: bytes = answer.read(_LARGEST + 1)
    except (URLError, TimeoutError, OSError) as error:
        raise SpecError(f"cannot fetch {url}: {error}; fetch it by hand and give --data FILE") from error
    if len(content) > _LARGEST:
        raise SpecError(f"{url} sends more than {_LARGEST:,} bytes: expected a smaller file")
    return content
