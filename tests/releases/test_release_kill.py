"""kill -9 at random moments of a release: the folder is whole or it is not there, and the ledger never says too little."""

from __future__ import annotations

from pathlib import Path

import pytest
from frozen_policies import LEDGER, POLICIES, FrozenPolicy
from hostile_tables import CsvForm, records
from pre_release_cases import CASES, write_table
from release_processes import kill_often, releases

pytestmark = pytest.mark.long


def test_kills_at_random_moments_never_leave_a_part(tmp_path: Path) -> None:
    here = tmp_path / "here"
    here.mkdir()
    write_table(here, rows=150_000)
    ledger = {**LEDGER, "budget": {"information": 10.0}}
    policy = CASES["optimal"].written(here, audit={"samples": 2000, "bits": False}, ledger=ledger)
    with releases() as started:
        seen = kill_often(started, policy, 50, 0, "--salt", str(here / "salt"))
    assert seen["nothing"] > 5


@pytest.mark.parametrize("policy", POLICIES, ids=[p.name for p in POLICIES])
def test_kills_of_every_kind(policy: FrozenPolicy, tmp_path: Path) -> None:
    here = tmp_path / "here"
    here.mkdir()
    # The model of null-space is solved on all records at once.
    CsvForm().write(records(count=2_000 if policy.kind == "null-space" else 20_000), here)
    # Enough budget for all of them.
    text = policy.text().replace(" = 9.0 }", " = 900.0 }").replace(" = 90.0 }", " = 9000.0 }")
    (here / "policy.toml").write_text(text)
    with releases(here / "policy.toml") as started:
        kill_often(started, here / "policy.toml", 20, 3, "--no-digest")
