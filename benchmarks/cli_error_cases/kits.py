"""What lies in the folder before a case: a policy and its table, a spec, a certificate, a release, a ledger."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

SPEC = """\
title = "A noisy number"
samples = 400
seed = 1
[mechanism]
name = "laplace"
epsilon = 1
sensitivity = 1
[[claims]]
predicate = "pure-dp"
epsilon = 1
about = "law"
"""
POLICY = """\
title = "People"
columns = [
  { name = "age", kind = "integer", role = "private", low = 0, high = 100 },
  { name = "town", role = "drop" },
]
[table]
path = "people.csv"
unit_of_privacy = "record"
rows_public = true
[mechanism]
kind = "laplace"
scale = 50.0
[limits]
epsilon = 6.0
[audit]
samples = 600
alpha = 0.01
bits = false
[output]
format = "csv"
[ledger]
path = "people.ledger"
table_id = "people"
create = true
budget = { epsilon = 12.0 }
"""
TABLE = "age,town\n" + "".join(f"{20 + k % 60},north\n" for k in range(60))


def _texts(**files: str) -> Callable[[Path], None]:
    def put(folder: Path) -> None:
        for name, text in files.items():
            (folder / name.replace("_", ".")).write_text(text)

    return put


def _made(*lines: str, start: Callable[[Path], None]) -> Callable[[Path], None]:
    """What lines leave in a folder: they are run once, and copied afterwards."""

    @cache
    def kept() -> tempfile.TemporaryDirectory[str]:
        from typer.testing import CliRunner

        from noiseproof import cli

        place = tempfile.TemporaryDirectory(prefix="error-case-kit-")
        here = Path.cwd()
        start(Path(place.name))
        os.chdir(place.name)
        try:
            for line in lines:
                done = CliRunner().invoke(cli.app, line.split())
                assert done.exit_code in (0, 1), (line, done.output)
        finally:
            os.chdir(here)
        return place

    return lambda folder: _copy(Path(kept().name), folder)


def _copy(source: Path, folder: Path) -> None:
    shutil.copytree(source, folder, dirs_exist_ok=True)


_spec = _texts(spec_toml=SPEC)
_policy = _texts(policy_toml=POLICY, people_csv=TABLE)
_refuted = _texts(spec_toml=SPEC.replace("epsilon = 1\nabout", "epsilon = 0.5\nabout"))
_dossier = _made("init theorem.py", start=lambda folder: None)

KITS: dict[str, Callable[[Path], None]] = {
    "spec": _spec,
    "policy": _policy,
    "audited": _made("audit spec.toml -o out", start=_spec),
    "refuted": _made("audit spec.toml -o out", start=_refuted),
    "sealed": _made("audit spec.toml -o out", "seal out", start=_spec),
    "released": _made("release policy.toml -o release", start=_policy),
    "keys": _made("keygen key.pem", start=lambda folder: None),
    "ledger": _made("ledger create t.ledger --table t --unit record --epsilon 3", start=lambda folder: None),
    "theorem": _dossier,
    "papers": _made("papers theorem.py -o report --workers 1", start=_dossier),
    "shadow": _texts(json_py="raise SystemExit(3)\n", random_py="x = 1\n"),
}
