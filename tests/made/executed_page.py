"""A Markdown page is executed: its files are written, its commands run, its Python blocks tried, outputs compared.

console     lines after `$ ` are commands, the lines below each what it prints; a command must exit with 0 unless the
            next one is `echo $?`
sh          each line is a command that must exit with 0; what it prints is not compared
any other   a first line `# NAME` or `<!-- NAME -->` writes the block to the file NAME
python      with `>>>` a doctest in the page's one namespace
text        shown only

`...` in an expected output stands for anything, and how much white space there is does not matter.

Comments, which no reader sees, say what else a block of commands takes:

<!-- sh ... -->             commands on lines of their own, run before what follows: they put there what a reader has
<!-- not run: REASON -->    before a block: it needs a network
<!-- needs: EXTRA -->       before a block: without that extra its lines of noiseproof exit with 2 and name the line that installs it
"""

from __future__ import annotations

import contextlib
import doctest
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

_FENCE = re.compile(
    r"^(?:<!-- (?P<mark>(?:not run|needs): [\w ]+) -->\n)?```(?P<language>\w*)[^\n]*\n(?P<text>.*?)^```[ \t]*$"
    r"|^<!-- (?P<hidden>sh)\n(?P<commands>.*?)^-->$",
    re.MULTILINE | re.DOTALL,
)
_EDGE = re.compile(r"^\s*(?:```|~~~)", re.MULTILINE)
_COMMAND = re.compile(r"^\s*(?:\$|noiseproof) ", re.MULTILINE)
_FILE = re.compile(r"(?:# |<!-- )([\w-]+\.\w+)(?: -->)?\n")
_LOOSE = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
SECONDS = 300


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, the line where the text begins, and what the comment above it says."""

    language: str
    text: str
    line: int
    mark: str = ""


def blocks(page: str) -> list[Block]:
    """The fenced blocks of a page, in order."""
    return [
        Block(
            m["hidden"] or m["language"],
            m["commands"] or m["text"] or "",
            page.count("\n", 0, m.start()) + 2 + bool(m["mark"]),
            m["mark"] or ("hidden" if m["hidden"] else ""),
        )
        for m in _FENCE.finditer(page)
    ]


def execute(path: Path, folder: Path, only_commands: bool = False) -> int:
    """Execute the page in the empty `folder`; returns how many commands and examples ran, raises AssertionError."""
    page = path.read_text(encoding="utf-8")
    fenced = [block for block in blocks(page) if block.mark != "hidden"]
    assert len(_EDGE.findall(page)) == 2 * len(fenced), f"{path.name}: a fence that is not read"
    runner, ran = Runner(path.name, folder), 0
    for block in blocks(page):
        if block.language == "sh":
            ran += runner.sh(block, page)
        elif only_commands and block.language != "console":
            shown = block.language not in ("bash", "shell") and not _COMMAND.search(block.text)
            assert shown, f"{path.name}:{block.line}: a command in a block of {block.language}: make it `sh`"
        elif (named := _FILE.match(block.text)) is not None:
            (folder / named[1]).write_text(block.text, encoding="utf-8")
        elif block.language == "console":
            ran += runner.console(block)
        elif block.language == "python" and ">>>" in block.text:
            ran += runner.python(block)
        else:
            assert block.language == "text", (
                f"{path.name}:{block.line}: a block of {block.language or 'no language'} that nothing executes: "
                "give a file name in its first line, or make it `text`"
            )
    return ran


class Runner:
    """Runs the blocks of one page, one after the other, in one folder."""

    def __init__(self, page: str, folder: Path) -> None:
        self._page, self._folder, self._status = page, folder, 0
        self._names: dict[str, Any] = {"__name__": "__page__"}

    def console(self, block: Block) -> int:
        """Every command of a console block."""
        steps = list(_commands(block))
        for place, (line, command, expected) in enumerate(steps):
            where = f"{self._page}:{line}: $ {command}"
            if command == "echo $?":
                printed = f"{self._status}\n"
            else:
                printed, self._status = _run(command, self._folder)
                told = place + 1 < len(steps) and steps[place + 1][1] == "echo $?"
                assert told or self._status == 0, f"{where}\nexit code {self._status}:\n{printed}"
            assert matches(expected, printed), f"{where}\nexpected:\n{expected}\ngot:\n{printed}"
        return len(steps)

    def sh(self, block: Block, page: str) -> int:
        """Every line of a block of commands, without the comment at its end."""
        lines = [re.sub(r"\s+# .*", "", line) for line in block.text.splitlines()]
        kind, _, what = block.mark.partition(": ")
        if kind == "not run":
            assert what == "network", f"{self._page}:{block.line}: not run for {what}?"
            return 0
        if kind == "needs":
            install = f"pip install 'noiseproof[{what}]'"
            assert install in page, f"{self._page}: {install} does not stand there"
            lines = [line for line in lines if line.startswith("noiseproof ")]
        for line in lines:
            printed, status = _run(line, self._folder)
            where = f"{self._page}:{block.line}: {line}\nexit code {status}:\n{printed}"
            assert status == (2 if kind == "needs" else 0), where
            assert kind != "needs" or install in printed, where
        return len(lines)

    def python(self, block: Block) -> int:
        """A doctest; names live on from block to block."""
        parser, told = doctest.DocTestParser(), []
        test = parser.get_doctest(block.text, self._names, self._page, self._page, block.line - 1)
        with _inside(self._folder):
            runner = doctest.DocTestRunner(optionflags=_LOOSE, verbose=False)
            result = runner.run(test, out=told.append, clear_globs=False)
        self._names = test.globs
        assert result.failed == 0, "".join(told)
        return result.attempted


def matches(expected: str, printed: str) -> bool:
    """Whether an output is the expected one, `...` standing for anything."""
    lines = "\n".join(line.rstrip() for line in printed.splitlines())
    return doctest.OutputChecker().check_output(expected.strip() + "\n", lines.strip() + "\n", _LOOSE)


def _commands(block: Block) -> Iterator[tuple[int, str, str]]:
    """(line, command, expected output) of each command."""
    lines = block.text.splitlines()
    starts = [n for n, line in enumerate(lines) if line.startswith("$ ")]
    assert starts[:1] == [0], f"line {block.line}: a console block begins with `$ `"
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        yield block.line + start, lines[start][2:].strip(), "\n".join(lines[start + 1 : end])


def _run(command: str, folder: Path) -> tuple[str, int]:
    """What a command prints, both streams, and its exit code."""
    words = shlex.split(command)
    if words[0] == "noiseproof" and not {"|", ">", "&&", ";"} & set(words):
        return _noiseproof(words[1:], folder)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    settings = {"PATH": path, "OMP_NUM_THREADS": "1", "NO_COLOR": "1", "COLUMNS": "120", "TERM": "dumb"}
    # A session of pytest inside of this one is none of its workers.
    kept = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")}
    run = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=kept | settings,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=SECONDS,
    )
    return run.stdout, run.returncode


def _noiseproof(arguments: list[str], folder: Path) -> tuple[str, int]:
    """The command in this process: its imports take longer than most of what pages ask of it."""
    from typer.testing import CliRunner

    from noiseproof.cli import app

    with _inside(folder):
        result = CliRunner(env={"COLUMNS": "120", "NO_COLOR": "1"}).invoke(app, arguments)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.output, result.exit_code


@contextlib.contextmanager
def _inside(folder: Path) -> Iterator[None]:
    """The folder as the current one and on the path; its modules are forgotten afterwards, since pages rewrite them."""
    with contextlib.chdir(folder), pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        patch.setattr(sys, "dont_write_bytecode", True)
        try:
            yield
        finally:
            for name, module in list(sys.modules.items()):
                if str(getattr(module, "__file__", None) or "").startswith(str(folder)):
                    del sys.modules[name]
