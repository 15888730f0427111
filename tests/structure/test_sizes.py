"""Sizes of the structure: folders, concepts and lines have limits."""

from __future__ import annotations

import pytest
from checkout import LAYERS, ROOT, files

LONGEST, FOLDERS, CONCEPTS, SKIPS = 400, 8, 20, 20
# Lines as the formatter writes them, set once for three rounds of work: wrong words mended, names, the same answer everywhere.
PRODUCT, TESTS, BENCHMARKS = 153_000, 72_000, 35_500


# Written pages of docs/, and their words; the others are generated.
PAGES, WORDS, GENERATED = 44, 40_000, {"figures.md", "cited-lemmas.md", "cli-error-cases.md"}


def lines_of(*folders: str) -> int:
    return sum(
        (ROOT / path).read_text(encoding="utf-8").count("\n")
        for path in files()
        if path.suffix == ".py" and path.as_posix().startswith(folders)
    )


@pytest.mark.parametrize("layer", ["symbolic", "audit"])
def test_a_layer_has_few_folders(layer: str) -> None:
    folders = {path.parts[1] for path in files() if path.parts[0] == layer and len(path.parts) > 2}
    assert 0 < len(folders - {"__pycache__"}) <= FOLDERS


def test_the_concepts_are_few_and_have_a_home() -> None:
    first = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8").split("## ")[1]
    rows = [line.split("|")[1:-1] for line in first.splitlines() if line.startswith("| ")][2:]
    assert 0 < len(rows) <= CONCEPTS
    homes = [part for row in rows for part in row[2].split("`")[1::2]]
    assert [home for home in homes if not (ROOT / home).exists()] == []


def test_no_python_file_is_long() -> None:
    long = {
        str(path): count
        for path in files()
        if path.suffix == ".py"
        and (count := len((ROOT / path).read_text(encoding="utf-8").splitlines())) > LONGEST
    }
    assert not long, f"above {LONGEST} lines: split by idea: {long}"


def test_the_formatter_is_hardly_ever_stopped() -> None:
    word = "fmt: " + "skip"
    stopped = sum(
        (ROOT / path).read_text(encoding="utf-8").count(word) for path in files() if path.suffix == ".py"
    )
    assert stopped <= SKIPS


def test_the_structure_does_not_grow_unseen() -> None:
    assert lines_of(*(f"{layer}/" for layer in LAYERS), "src/") <= PRODUCT
    assert lines_of("tests/") <= TESTS
    assert lines_of("benchmarks/") <= BENCHMARKS


def test_the_documentation_stays_short() -> None:
    pages = [p for p in files() if p.parts[0] == "docs" and p.suffix == ".md" and p.name not in GENERATED]
    assert len(pages) <= PAGES
    assert sum(len((ROOT / p).read_text(encoding="utf-8").split()) for p in pages) <= WORDS
