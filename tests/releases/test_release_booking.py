"""A release and the ledger: reserved before anything is drawn, settled when published, given back when it fails, refused when spent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pre_release_cases import CASES, Case, write_table

from noiseproof.audit.release import release
from noiseproof.audit.release.booking import Booking, booked
from noiseproof.audit.release.ledger import Cost, Ledger
from noiseproof.audit.release.not_met import PolicyNotMetError
from noiseproof.audit.release.plan import plan
from noiseproof.audit.release.policy import Policy
from noiseproof.symbolic.errors import SpecError


def policy(folder: Path, budget: dict[str, Any] | None, case: Case = CASES["laplace"], **more: Any) -> Policy:
    ledger = {"path": "table.ledger", "table_id": "people", **({"budget": budget} if budget else {})}
    return case.policy(folder, ledger=ledger, **more)


def states(folder: Path) -> list[str]:
    return [e.state for e in Ledger.open(folder / "table.ledger").book().entries.values()]


def test_a_release_is_entered_and_settled(tmp_path: Path) -> None:
    write_table(tmp_path)
    budget = {"information": {"age": 0.03, "hours": 0.03}}
    done = release(policy(tmp_path, budget, CASES["optimal"]), tmp_path / "out")
    entry = done.manifest.ledger
    assert entry is not None
    ledger = Ledger.open(tmp_path / "table.ledger", "people")
    assert states(tmp_path) == ["settled"]
    assert ledger.entry(int(entry.entry)).hash == entry.head
    key = "fisher_information:age"
    assert entry.spent[key] + entry.remaining[key] == pytest.approx(0.03)
    assert entry.spent[key] == pytest.approx(np.pi**2 / 900)


def test_an_overspend_is_refused_before_the_audit(tmp_path: Path) -> None:
    write_table(tmp_path)
    Ledger.create(tmp_path / "table.ledger", "people", Cost.pure(1.0))
    with pytest.raises(PolicyNotMetError, match="asked, 1 left of 1"):
        release(policy(tmp_path, None), tmp_path / "out")
    assert states(tmp_path) == []
    assert not (tmp_path / "out").exists()


def test_a_budget_that_is_too_small_makes_no_ledger(tmp_path: Path) -> None:
    with pytest.raises(PolicyNotMetError, match="left of 1"):
        Booking.of(plan(policy(tmp_path, {"epsilon": 1.0})))
    assert not (tmp_path / "table.ledger").exists()


def test_what_has_no_finite_cost_in_the_currency_is_refused(tmp_path: Path) -> None:
    Ledger.create(tmp_path / "table.ledger", "people", Cost.pure(1.0))
    for name in ("optimal", "null-space", "constrained"):
        with pytest.raises(PolicyNotMetError, match="no finite cost"):
            Booking.of(plan(policy(tmp_path, None, CASES[name])))


def test_information_adds_up_where_no_epsilon_is_finite(tmp_path: Path) -> None:
    planned = plan(policy(tmp_path, {"information": {"age": 0.03, "hours": 0.03}}, CASES["optimal"]))
    for _ in range(2):
        with booked(Booking.of(planned), tmp_path) as entry:
            assert entry is not None
    assert states(tmp_path) == ["settled", "settled"]
    with pytest.raises(PolicyNotMetError, match="Fisher information"):
        Booking.of(planned)


def test_a_failure_gives_the_cost_back_unless_it_is_published(tmp_path: Path) -> None:
    booking = Booking.of(plan(policy(tmp_path, {"epsilon": 5.0})))
    with pytest.raises(RuntimeError), booked(booking, tmp_path / "out"):
        raise RuntimeError
    assert states(tmp_path) == ["withdrawn"]
    again = Booking.of(plan(policy(tmp_path, None)))
    with pytest.raises(FileExistsError), booked(again, tmp_path / "out"):
        [(tmp_path / "out").mkdir() for _ in range(2)]
    assert states(tmp_path) == ["withdrawn", "reserved"]
    assert Ledger.open(tmp_path / "table.ledger").remaining() == {"epsilon": pytest.approx(3.0)}


def test_a_ledger_without_budget_and_of_another_table_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="no such ledger"):
        Booking.of(plan(policy(tmp_path, None)))
    Ledger.create(tmp_path / "table.ledger", "animals", Cost.pure(9.0))
    with pytest.raises(SpecError, match="animals"):
        Booking.of(plan(policy(tmp_path, None)))


def test_a_gaussian_release_fits_a_budget_of_rho(tmp_path: Path) -> None:
    booking = Booking.of(plan(policy(tmp_path, {"rho": 0.5}, CASES["gaussian"])))
    assert booking.budget is not None
    assert booking.budget.delta_slack == 1e-12
    with booked(booking, tmp_path / "out") as entry:
        assert entry is not None
        assert entry.spent["rho"] == pytest.approx(booking.cost.rho)
