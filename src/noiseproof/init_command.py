"""The command `noiseproof init`: a commented spec, test, dossier, policy, model, program or query that runs as it is."""

from __future__ import annotations

import shlex
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from noiseproof.console import reported_errors, say, write_new
from noiseproof.problem_examples import COMMENTED, DOSSIER, POLICY, SPEC, TEST
from noiseproof.shared_options import Debug


def made_up_table() -> str:
    """The table of the policy."""
    import random

    draw = random.Random(1994)
    lines = ["age,hours,member,city"]
    for _ in range(500):
        age, hours = min(int(17 + draw.gammavariate(2.2, 10)), 99), min(max(int(draw.gauss(38, 11)), 1), 79)
        lines.append(f"{age},{hours},{draw.choice(('no', 'yes'))},{draw.choice(('north', 'south'))}")
    return "\n".join(lines) + "\n"


def init(
    path: Annotated[
        Path,
        typer.Argument(
            metavar="[PATH]",
            help="A spec NAME.toml, a test test_NAME.py, a dossier NAME.py, model.toml, program.toml, query.toml, or policy.toml with a table.",
        ),
    ] = Path("noiseproof.toml"),
    kind: Annotated[
        str | None,
        typer.Option(
            metavar="spec|test|dossier|policy|model|program|query",
            help="What to write.  [default: by the file name]",
        ),
    ] = None,
    debug: Debug = False,
) -> None:
    """Gate a build: write a pytest file; also specs, policies, models."""
    with reported_errors(debug):
        path = _named(path, kind)
        text, command = _start(path, kind)
        table = {path.parent / "people.csv": made_up_table()} if text is POLICY else {}
        write_new({path: text, **table})
        say(f"wrote {path}; run it with: {command} {shlex.quote(str(path))}")
        if command == "pytest" and find_spec("pytest") is None:
            say(
                f"pytest is not installed beside noiseproof: {shlex.quote(sys.executable)} -m pip install pytest"
            )


# What can be asked for, and the file that it is written to where none is named.
KINDS = {
    "spec": "noiseproof.toml",
    "test": "test_privacy.py",
    "dossier": "theorem.py",
    "policy": "policy.toml",
    "model": "model.toml",
    "program": "program.toml",
    "query": "query.toml",
}


def _named(path: Path, kind: str | None) -> Path:
    """The file to write: in a folder, or where none was named, one whose name says what is in it."""
    from noiseproof.symbolic.errors import SpecError, nearest_name

    if kind is not None and kind not in KINDS:
        raise SpecError(f"unknown kind {kind[:40]!r}; {nearest_name(kind, KINDS)}", key="--kind")
    usual = KINDS[kind or "spec"]
    if path.is_dir():
        return path / usual
    path = Path(usual) if kind is not None and path == Path(KINDS["spec"]) else path
    wanted = Path(usual).suffix
    if kind is not None and path.suffix != wanted:
        raise SpecError(f"a {kind} is a {wanted} file, such as {usual}", file=str(path))
    if kind == "policy" and path.name != usual:
        raise SpecError(f"a policy is called {usual} here, beside its table", file=str(path))
    if kind == "test" and not path.stem.startswith("test_"):
        raise SpecError(f"pytest collects files named test_*.py, such as {usual}", file=str(path))
    return path


def _start(path: Path, kind: str | None = None) -> tuple[str, str]:
    """What a file of this name begins as, and the command that runs it."""
    from noiseproof.symbolic.errors import SpecError

    for stated, text in COMMENTED.items():
        if kind == stated or (kind is None and path.name == KINDS[stated]):
            return text, "noiseproof derive"
    if path.name == "policy.toml" and kind in (None, "policy"):
        return POLICY, "noiseproof calibrate"
    if path.suffix != ".py":
        return SPEC, "noiseproof audit"
    if path.stem.startswith("test_") and kind in (None, "test"):
        return TEST, "pytest"
    if not path.stem.isidentifier():
        raise SpecError("a dossier is named like a module, such as theorem.py", file=str(path))
    return DOSSIER.replace("{name}", path.stem), "noiseproof papers"
