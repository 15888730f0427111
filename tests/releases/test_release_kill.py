"""kill -9 at 50 random moments of a release: the folder is whole or it is not there, and the ledger never says too little."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest
from pre_release_cases import CASES, write_table

from noiseproof.audit.release.ledger import Ledger
from noiseproof.audit.release.tables import leftovers
from noiseproof.audit.release.verify import verify

KILLS = 50
_RELEASE = """
import sys
from noiseproof.audit.release.policy import read_policy
from noiseproof.audit.release import release
from noiseproof.release_command import pages
release(read_policy(sys.argv[1]), sys.argv[2], salt=sys.argv[3], pages=pages)
"""


@pytest.mark.long
def test_kills_at_random_moments_never_leave_a_part(tmp_path: Path) -> None:
    write_table(tmp_path, rows=150_000)
    ledger = {"path": "table.ledger", "table_id": "people", "budget": {"information": 10.0}, "create": True}
    policy = CASES["optimal"].written(tmp_path, audit={"samples": 2000, "bits": False}, ledger=ledger)
    target = tmp_path / "out"

    def start() -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-c", _RELEASE, str(policy), str(target), str(tmp_path / "salt")]
        )

    begun = time.monotonic()
    assert start().wait() == 0
    whole = time.monotonic() - begun
    seen = {"nothing": 0, "whole": 0, "leftover": 0, "reserved": 0}
    _moved(target, tmp_path / "first")
    published = 1
    rng = random.Random(0)
    for kill in range(KILLS):
        process = start()
        if kill % 2:
            # Half of the kills fall into the time in which something is written.
            while not leftovers_or_held(target) and process.poll() is None:
                time.sleep(0.001)
            time.sleep(rng.uniform(0, 0.35 * whole))
        else:
            time.sleep(rng.uniform(0, 1.1 * whole))
        process.kill()
        process.wait()
        seen["leftover"] += bool(leftovers(target))
        if target.exists():
            seen["whole"] += 1
            published += 1
            wrong = [f for f in verify(target) if f.state == "fails" and not f.what.startswith("checklist")]
            assert wrong == []
            _moved(target, tmp_path / f"kept-{kill}")
        else:
            seen["nothing"] += 1
        states = [e.state for e in Ledger.open(tmp_path / "table.ledger").book().entries.values()]
        assert sum(s in ("settled", "reserved") for s in states) >= published
    seen["reserved"] = states.count("reserved")
    print(f"{KILLS} kills of a release of {whole:.1f} s: {seen}")
    assert seen["nothing"] > 5
    assert start().wait() == 0
    assert leftovers(target) == []
    assert not [p for p in tmp_path.iterdir() if p.name.endswith(".partial")]


def leftovers_or_held(target: Path) -> bool:
    """Whether a hidden folder of a release to `target` is there, written at the moment or left."""
    return any(p.name.startswith(f".{target.name}.") for p in target.parent.iterdir())


def _moved(target: Path, name: Path) -> None:
    target.rename(name)
