"""The tutorials and how-to pages are executed as they are printed, and there is a page for everything that has one."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import pytest
from default_install import hide_extras
from executed_page import blocks, execute, matches

import noiseproof

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
TUTORIALS = sorted((DOCS / "tutorials").glob("*.md"))
HOW_TO = sorted((DOCS / "how-to").glob("*.md"))
PAPERS = sorted((DOCS / "theory").glob("*[0-9].md"))
OTHERS = (
    "laws",
    "sensitivity",
    "error-bounds",
    "programs",
    "budget-split",
    "proofs",
    "optimal-noise",
    "audit-code",
    "mechanisms",
    "tables",
)
# Pages that are executed whole; of all others the commands are.
VERDICTS = DOCS / "theory" / "verdicts.md"
WHOLE = {*TUTORIALS, *HOW_TO, *PAPERS, VERDICTS, DOCS / "workflows.md", DOCS / "quickstart.md"}
COMMANDS = sorted({ROOT / "README.md", *DOCS.rglob("*.md")} - WHOLE)
SLOW = ("ledger", "scale", "verify")
RELEASES = [page for page in HOW_TO if page.stem.startswith("release-")]


@pytest.fixture(autouse=True)
def default_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pages are those of a user who installed no extra."""
    hide_extras(monkeypatch)


def name(page: Path) -> str:
    """The name of a test of this page."""
    return page.stem


@pytest.mark.parametrize("page", TUTORIALS, ids=name)
def test_tutorials_run_as_they_are_printed(page: Path, tmp_path: Path) -> None:
    assert execute(page, tmp_path) > 5


@pytest.mark.parametrize("page", [page for page in HOW_TO if page not in RELEASES], ids=name)
def test_how_to_pages_run_as_they_are_printed(page: Path, tmp_path: Path) -> None:
    assert execute(page, tmp_path) > 2


@pytest.mark.parametrize("page", PAPERS, ids=name)
def test_pages_of_papers_run_as_they_are_printed(page: Path, tmp_path: Path) -> None:
    assert execute(page, tmp_path) > 2


@pytest.mark.long
@pytest.mark.parametrize("page", RELEASES, ids=name)
def test_how_to_pages_of_releases_run_as_they_are_printed(page: Path, tmp_path: Path) -> None:
    assert execute(page, tmp_path) > 2
    text = page.read_text(encoding="utf-8")
    folders = re.findall(r"^(?:\$ )?noiseproof release .* -o (\S+)$", text, re.MULTILINE)
    assert folders
    assert [folder for folder in folders if not (tmp_path / folder / "index.html").is_file()] == []


def test_six_workflows_of_three_commands_run_in_an_empty_folder(tmp_path: Path) -> None:
    assert execute(DOCS / "workflows.md", tmp_path) == 18


def test_the_quickstart_runs_in_an_empty_folder(tmp_path: Path) -> None:
    assert execute(DOCS / "quickstart.md", tmp_path) > 8


@pytest.mark.parametrize("page", [page for page in COMMANDS if page.stem not in SLOW], ids=name)
def test_commands_run_as_they_are_printed(page: Path, tmp_path: Path) -> None:
    execute(page, tmp_path, only_commands=True)


@pytest.mark.long
@pytest.mark.parametrize("page", [page for page in COMMANDS if page.stem in SLOW], ids=name)
def test_slow_commands_run_as_they_are_printed(page: Path, tmp_path: Path) -> None:
    assert execute(page, tmp_path, only_commands=True) > 2


@pytest.mark.parametrize(
    ("page", "fault"),
    [
        ("```sh\nfalse\n```\n", "false\nexit code 1"),
        ("<!-- sh\nfalse\n-->\n", "false\nexit code 1"),
        ("<!-- not run: in a hurry -->\n```sh\ntrue\n```\n", "not run for in a hurry"),
        ("<!-- needs: dask -->\n```sh\nnoiseproof --version\n```\n", "does not stand there"),
        ("pip install 'noiseproof[dask]'\n<!-- needs: dask -->\n```sh\nnoiseproof --version\n```\n", "code 0"),
        ("pip install 'noiseproof[dask]'\n<!-- needs: dask -->\n```sh\nnoiseproof adit\n```\n", "No such"),
        ("```console\n$ false\n```\n", "exit code 1"),
        ("```bash\ntrue\n```\n", "a command in a block of bash"),
        ("```text\n$ true\n```\n", "a command in a block of text"),
        ("- so:\n  ```sh\n  false\n  ```\n", "a fence that is not read"),
    ],
)  # fmt: skip
def test_a_command_that_nobody_runs_is_seen(page: str, fault: str, tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text(page)
    with pytest.raises(AssertionError, match=fault):
        execute(tmp_path / "page.md", tmp_path, only_commands=True)


def test_there_is_a_tutorial_for_each_user() -> None:
    assert [page.stem for page in TUTORIALS] == ["audit", "density", "gate", "release", "theorem"]


def test_there_is_a_page_for_each_task() -> None:
    assert {page.stem for page in HOW_TO} == {*OTHERS, "release-records", "release-statistics"}


def test_a_table_of_a_page_names_each_mechanism_and_each_kind_of_release() -> None:
    from noiseproof.audit.release.kinds import KINDS

    def missing(names: Iterable[str], page: str) -> list[str]:
        text = (DOCS / "how-to" / page).read_text(encoding="utf-8")
        rows = [line for line in text.splitlines() if line.startswith("| ")]
        return [name for name in names if not any(f"`{name}`" in row for row in rows)]

    assert missing(noiseproof.MECHANISMS, "mechanisms.md") == []
    assert missing(set(KINDS) - {"statistics"}, "release-records.md") == []


def test_there_is_an_introduction_to_each_paper() -> None:
    from noiseproof.audit.papers import papers

    expected = {"verdicts", "attack", *(paper.key for paper in papers())}
    assert {page.stem for page in (DOCS / "theory").glob("*.md")} == expected


def test_the_page_of_verdicts_runs_as_it_is_printed(tmp_path: Path) -> None:
    assert execute(VERDICTS, tmp_path) > 3


@pytest.mark.parametrize("page", PAPERS, ids=name)
def test_the_counts_on_the_page_of_a_paper_are_those_of_its_dossier(page: Path) -> None:
    expected = ROOT / "tests" / "dossiers" / "expected" / f"{page.stem}.txt"
    verdicts = [line.split()[1] for line in expected.read_text(encoding="utf-8").splitlines()]
    text = " ".join(page.read_text(encoding="utf-8").split())
    assert f"checks {len(verdicts)} claims" in text
    for verdict, words in {
        "proved": "proved",
        "refuted": "refuted",
        "misprint": "misprints",
        "definition": "definitions",
    }.items():
        assert f" {verdicts.count(verdict)} {words}" in text, verdict


@pytest.mark.parametrize(
    ("page", "fault"),
    [
        ("```console\n$ false\n```\n", "exit code 1"),
        ("```console\n$ false\n$ echo $?\n0\n```\n", "expected:\n0\ngot:\n1"),
        ("```console\n$ echo two\none\n```\n", "expected:\none\ngot:\ntwo"),
        ("```console\n$ echo something\n```\n", "got:\nsomething"),
        ("```console\nnoiseproof --version\n```\n", "begins with"),
        ("```console\n$ noiseproof adit\n```\n", "No such command"),
        ("```python\n>>> 1 + 1\n3\n```\n", "Expected:\n    3"),
        ("```python\nx = 1\n```\n", "that nothing executes"),
        ("```toml\n[mechanism]\n```\n", "that nothing executes"),
    ],
)
def test_a_page_that_is_wrong_is_seen(page: str, fault: str, tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text(page)
    with pytest.raises(AssertionError, match="(?s)" + fault.replace("+", r"\+")):
        execute(tmp_path / "page.md", tmp_path)


def test_what_a_page_can_hold(tmp_path: Path) -> None:
    page = (
        "# Page\n\n```python\n# fact.py\nVALUE = 1\n```\n\n```python\n>>> from fact import VALUE\n>>> VALUE\n1\n\n```\n\n"
        "```python\n# fact.py\nVALUE = 2\n```\n\n```python\n>>> import fact\n>>> fact.VALUE + VALUE\n3\n\n```\n\n"
        "```console\n$ cat fact.py | head -n 1\n# fact.py\n$ noiseproof audit\n...\n$ echo $?\n2\n"
        "$ python -c 'import fact; print(fact.VALUE)'\n2\n```\n\n```text\nshown only\n```\n"
    )
    (tmp_path / "page.md").write_text(page)
    assert [block.language for block in blocks(page)] == ["python"] * 4 + ["console", "text"]
    assert execute(tmp_path / "page.md", tmp_path) == 8


def test_an_output_is_compared() -> None:
    assert matches("a ... c", "a b\n   c\n")
    assert matches("...", "anything\nat all")
    assert not matches("", "something")
    assert not matches("a\nb", "a\nc")
