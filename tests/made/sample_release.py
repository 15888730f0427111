"""A release as the command makes it today, once for a session: of a table of persons, sealed with a key of its own."""

from __future__ import annotations

import shutil
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

from typer.testing import CliRunner

from noiseproof.audit.release.verify import make_key
from noiseproof.cli import app

POLICY = Path(__file__).parent / "sample_policy"


@cache
def sample_release() -> Path:
    """The folder "release" beside its policy, table, ledger and key; not to be changed by a test."""
    place = Path(mkdtemp(prefix="noiseproof-sample-"))
    shutil.copytree(POLICY, place, dirs_exist_ok=True)
    make_key(place / "key.pem")
    budget = ["--table", "people", "--unit", "record", "--epsilon", "5"]
    for words in (
        ["ledger", "create", str(place / "table.ledger"), *budget],
        ["release", str(place / "policy.toml"), "-o", str(place / "release")],
    ):
        done = CliRunner().invoke(app, words)
        assert done.exit_code in (0, 4), done.output
    return place / "release"
