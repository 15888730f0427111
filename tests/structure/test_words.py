"""No private word and no old name in what a user sees: documents, messages, pages, schemas, help and public names."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import renamed
from checkout import LAYERS, ROOT, files

import noiseproof as npf

# `customers` may be the subject of a sample table, a random walk is one, and a sequential test bets.
PRIVATE = re.compile(
    r"\b(museum|teeth|toothless|clumsy|clumsily|whole[- ]noise|on trial|(?:fell|flipped),? as it must|foret(?:old|ells?)|wish(?:es)?|house"
    r"|(?<!random )walks?|bets?, at even odds|of_model\.py|Drawer|StandIns)\b",
    re.IGNORECASE,
)
CUSTOMERS = re.compile(r"\bcustomers?\b", re.IGNORECASE)
CODE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def read(folder: str, *suffixes: str) -> Iterator[tuple[str, str]]:
    for path in files():
        if path.as_posix().startswith(folder) and path.suffix in suffixes:
            yield path.as_posix(), (ROOT / path).read_text(encoding="utf-8")


def documents() -> Iterator[tuple[str, str]]:
    yield from read("README.md", ".md")
    yield from read("docs/", ".md", ".svg")


def literals(source: str) -> Iterator[tuple[int, str]]:
    """The texts of a module with their lines, docstrings left out."""
    tree = ast.parse(source)
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, _DOCUMENTED) and node.body and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.lineno, node.value


def messages() -> Iterator[tuple[str, str]]:
    for folder in (*LAYERS, "src"):
        for path, source in read(f"{folder}/", ".py"):
            yield from ((f"{path}:{line}", text) for line, text in literals(source))


def pages() -> Iterator[tuple[str, str]]:
    yield from read("reports/templates/", ".html")
    yield from read("reports/schemas/", ".json")
    yield from read("examples/", ".toml", ".yml", ".md")


def public_names() -> Iterator[tuple[str, str]]:
    """Each public name with its docstring, and those of its public methods."""
    for name in npf.__all__:
        value = getattr(npf, name)
        yield name, f"{name}: {value.__doc__ if callable(value) else ''}"
        inner = vars(value).items() if isinstance(value, type) else ()
        yield from (
            (f"{name}.{key}", f"{key}: {one.__doc__ or ''}") for key, one in inner if not key.startswith("_")
        )


def commands() -> Iterator[tuple[str, Any]]:
    from typer.main import get_command

    from noiseproof.cli import app

    def below(name: str, command: Any) -> Iterator[tuple[str, Any]]:
        yield name, command
        for key, one in getattr(command, "commands", {}).items():
            yield from below(f"{name} {key}", one)

    yield from below("noiseproof", get_command(app))


def helps() -> Iterator[tuple[str, str]]:
    for name, command in commands():
        options = " ".join(f"{one.name} {getattr(one, 'help', '') or ''}" for one in command.params)
        yield name, f"{command.help} {options}"


def found(seen: Iterator[tuple[str, str]], words: re.Pattern[str]) -> list[str]:
    return [
        f"{place}{'' if ':' in place else ':' + str(text.count(chr(10), 0, hit.start()) + 1)}: {hit.group()}"
        for place, text in seen
        for hit in words.finditer(text)
    ]


@pytest.mark.parametrize("seen", [documents, messages, pages, public_names, helps])
def test_no_private_word_is_seen(seen: Any) -> None:
    assert found(seen(), PRIVATE) == []
    assert found(((place, CODE.sub("", text)) for place, text in seen()), CUSTOMERS) == []


def test_no_old_name_is_left(tmp_path: Path) -> None:
    assert renamed.leftovers() == []
    page = tmp_path / "docs" / "tutorials" / "page.md"
    page.parent.mkdir(parents=True)
    page.write_text("# A page\n\nUse `npf.WholeLaplace(1)`.\n", encoding="utf-8")
    assert renamed.leftovers(tmp_path) == ["docs/tutorials/page.md:3"]


def test_the_new_names_are_there() -> None:
    names, keys = renamed.RENAMED["names"], renamed.RENAMED["keys"]
    public = {new.split(".")[0] for new in (*names.values(), *keys.values())} - {"DiscreteNoise"}
    assert public <= set(npf.__all__)
    assert not {*names} & set(npf.__all__)
    assert all((ROOT / new).exists() for new in renamed.RENAMED["files"].values())


def test_a_private_word_and_an_old_name_are_seen() -> None:
    source = 'def f():\n    """A museum."""\n    raise ValueError(f"the attack has {n} teeth")\n'
    assert found(((f"f.py:{line}", text) for line, text in literals(source)), PRIVATE) == ["f.py:3: teeth"]
    assert found(iter([("page.md", "a random walk\nof a house")]), PRIVATE) == ["page.md:2: house"]
    for old, pattern in renamed.patterns().items():
        name = Path(old).stem if "/" in old else old.rsplit(".", 1)[-1]
        assert re.search(pattern, f"npf.{name}(1)"), old
        assert not re.search(pattern, f"npf.{name}s2(1)"), old


def test_the_first_screen_of_help_lists_each_command_once_and_whole() -> None:
    from typer.testing import CliRunner

    from noiseproof.cli import app
    from noiseproof.help_sections import SECTIONS

    listed = [name for names in SECTIONS.values() for name in names]
    assert sorted(listed) == sorted(name.split()[1] for name, _ in commands() if name.count(" ") == 1)
    text = CliRunner().invoke(app, ["--help"], terminal_width=80).stdout
    lines = text.splitlines()
    assert [line for line in lines[1:] if line.endswith("...") or len(line) > 80] == []
    first = text[text.index("Workflows:") : text.index("Audits:")].split("\n")
    assert [line.split()[0] for line in first[1:] if line.strip()] == list(SECTIONS["Workflows"])
