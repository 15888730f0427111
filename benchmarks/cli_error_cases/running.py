"""A case is run in an empty folder of its own, with a time limit."""

from __future__ import annotations

import hashlib
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .case import APART, PYTHON, Case, Outcome
from .kits import KITS

SECONDS = 120
# Root writes into every folder, unless these are taken from it.
BOUND = ("setpriv", "--bounding-set=-dac_override,-dac_read_search")


def outcome_of(case: Case) -> Outcome:
    """What comes of a case."""
    with tempfile.TemporaryDirectory(prefix="error-case-") as place:
        folder = Path(place)
        for kit in case.kits:
            KITS[kit](folder)
        for name, content in case.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        try:
            for line in case.before:
                _run(case, line, folder)
            for name, old, new in case.edits:
                text = (folder / name).read_text()
                if old not in text:
                    raise LookupError(f"{case.name}: {old!r} does not stand in {name}")
                (folder / name).write_text(text.replace(old, new))
            before = _digests(folder)
            code, out, err, raised = _run(case, case.line, folder)
            out, err = (text.replace(f"{folder}/", "").replace(str(folder), ".") for text in (out, err))
            return Outcome(code, out, err, before, _digests(folder), raised)
        finally:
            for path in (folder, *folder.rglob("*")):
                if path.is_dir() and not path.is_symlink():
                    path.chmod(0o755)


def _digests(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): _digest(path)
        for path in folder.rglob("*")
        if "__pycache__" not in path.parts
    }


def _digest(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "no file"
    except PermissionError:
        return "cannot be read"


def _run(case: Case, line: str, folder: Path) -> tuple[int, str, str, str]:
    if case.how == APART:
        return _apart(case, line, folder)
    with _inside(folder), _limit():
        return _python(line) if case.how == PYTHON else _here(line)


def _here(line: str) -> tuple[int, str, str, str]:
    from typer.testing import CliRunner

    from noiseproof import cli

    done = CliRunner().invoke(cli.app, shlex.split(line)[1:])
    raised = done.exception if not isinstance(done.exception, SystemExit | type(None)) else None
    return done.exit_code, done.stdout, done.stderr, "" if raised is None else repr(raised)


def _python(line: str) -> tuple[int, str, str, str]:
    import numpy as np

    import noiseproof as npf

    names: dict[str, Any] = {"npf": npf, "np": np}
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            exec(line, names)  # the lines of this package and no others
        except (TypeError, ValueError) as error:  # SpecError is one
            return 2, "", f"error: {error}", ""
        except Exception as error:
            return 3, "", f"error: {error}", repr(error)
    return 0, str(names.get("answer", "")), "".join(f"RuntimeWarning: {w.message}\n" for w in warned), ""


def _apart(case: Case, line: str, folder: Path) -> tuple[int, str, str, str]:
    bin_folder = Path(sys.executable).parent
    environment = {
        **os.environ,
        "PATH": f"{bin_folder}:{os.environ['PATH']}",
        "HOME": str(folder),
        "PYTHONDONTWRITEBYTECODE": "1",
        **case.environment,
    }
    bound = BOUND if case.plain_user and os.getuid() == 0 else ()
    done = subprocess.run(
        [*bound, "bash", "-c", line], cwd=folder, env=environment, capture_output=True, timeout=SECONDS
    )
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"), ""


@contextmanager
def _inside(folder: Path) -> Iterator[None]:
    here, path, known = Path.cwd(), list(sys.path), set(sys.modules)
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(here)
        sys.path[:] = path
        for name in set(sys.modules) - known:
            if str(getattr(sys.modules[name], "__file__", "")).startswith(str(folder)):
                del sys.modules[name]


@contextmanager
def _limit() -> Iterator[None]:
    def late(*_: Any) -> None:
        raise TimeoutError(f"no end after {SECONDS} s")

    old = signal.signal(signal.SIGALRM, late)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, old)
