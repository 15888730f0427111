"""A release and the ledger: spent before anything is drawn and never given back after, made when asked, refused when it disagrees."""

from __future__ import annotations

import math
import re
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from made_release import certificate
from pre_release_cases import CASES, Case, write_table

from noiseproof.audit.record.certificate import Certificate
from noiseproof.audit.release import release
from noiseproof.audit.release.booking import Booking, charged
from noiseproof.audit.release.ledger import Cost, Information, Ledger
from noiseproof.audit.release.not_met import PolicyNotMetError
from noiseproof.audit.release.plan import ReleasePlan, plan
from noiseproof.audit.release.policy import Policy
from noiseproof.symbolic.errors import SpecError
from noiseproof.symbolic.privacy.pair import gaussian_epsilon


def policy(folder: Path, budget: dict[str, Any] | None, case: Case = CASES["laplace"], **more: Any) -> Policy:
    """A policy that makes its ledger where there is none, if it states a budget."""
    made = {"budget": budget, "create": True} if budget else {}
    return case.policy(folder, ledger={"path": "table.ledger", "table_id": "people", **made}, **more)


def booked(planned: ReleasePlan) -> Booking:
    booking = Booking.of(planned)
    assert booking is not None
    return booking


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
        charged(booked(planned))
    assert states(tmp_path) == ["settled", "settled"]
    with pytest.raises(PolicyNotMetError, match="Fisher information"):
        Booking.of(planned)


def test_what_is_charged_is_never_given_back(tmp_path: Path) -> None:
    booking = booked(plan(policy(tmp_path, {"epsilon": 5.0})))
    charge = charged(booking)
    assert "stays spent" in charge.after(tmp_path / "out")
    with pytest.raises(SpecError, match=r"settled already: .* what may have been drawn"):
        Ledger.open(tmp_path / "table.ledger").withdraw(int(charge.entry.entry), "nobody looked")
    assert Ledger.open(tmp_path / "table.ledger").remaining() == {"epsilon": pytest.approx(3.0)}


def test_a_ledger_comes_into_being_only_when_asked_for(tmp_path: Path) -> None:
    for budget in ({}, {"budget": {"epsilon": 5.0}}):
        unasked = CASES["laplace"].policy(
            tmp_path, ledger={"path": "table.ledger", "table_id": "people", **budget}
        )
        with pytest.raises(SpecError, match="none is made unasked: make it with `noiseproof ledger create`"):
            Booking.of(plan(unasked))
    asked = plan(policy(tmp_path, {"epsilon": 5.0}))
    first, second = (charged(booked(asked)) for _ in range(2))
    assert first.made
    assert "MADE BY THIS RELEASE" in first.said
    assert not second.made
    assert "opened 2" in second.said
    with pytest.raises(SpecError, match=r"ledger\.budget: this key is missing"):
        CASES["laplace"].policy(tmp_path, ledger={"path": "x", "table_id": "people", "create": True})


def test_a_ledger_that_is_gone_or_of_another_table_is_refused(tmp_path: Path) -> None:
    asked = plan(policy(tmp_path, {"epsilon": 5.0}))
    charged(booked(asked))
    (tmp_path / "table.ledger").unlink()
    with pytest.raises(SpecError, match="its head lies here and the ledger does not"):
        Booking.of(asked)
    (tmp_path / "table.ledger.head").unlink()
    Ledger.create(tmp_path / "table.ledger", "animals", Cost.pure(9.0))
    with pytest.raises(SpecError, match="animals"):
        Booking.of(plan(policy(tmp_path, None)))


@pytest.mark.parametrize(
    ("budget", "ledger", "said"),
    [
        ({"epsilon": 5.0}, Cost.pure(50.0), "epsilon: 5 in the policy, 50 in the ledger"),
        ({"epsilon": 50.0}, Cost.pure(5.0), "epsilon: 50 in the policy, 5 in the ledger"),
        ({"epsilon": 5.0}, Cost.pure(5.000000000001), "5 in the policy, 5.000000000001 in the ledger"),
        ({"rho": 5.0}, Cost.pure(5.0), "rho: 5 in the policy, none in the ledger; epsilon: none in the"),
        ({"epsilon": 5.0}, Cost.approximate_dp(5.0, 1e-6), "delta: none in the policy, 1e-06 in the ledger"),
        (
            {"epsilon": 5.0, "delta": 1e-7},
            Cost.approximate_dp(5.0, 1e-6),
            "delta: 1e-07 in the policy, 1e-06 in the ledger",
        ),
        (
            {"epsilon": 5.0, "information": 1.0},
            Cost.pure(5.0),
            "Fisher information of 'age': 1 in the policy, none in the ledger",
        ),
        (
            {"epsilon": 5.0},
            Cost.pure(5.0, fisher_information=(Information("age", 9.0, "year"),)),
            "Fisher information of 'age': none in the policy, 9 in the ledger",
        ),
        ({"rho": 0.01}, Cost.zcdp(2.0, 1e-12), "rho: 0.01 in the policy, 2 in the ledger"),
        (
            {"rho": 2.0},
            Cost.renyi_points([(2.0, 4.0)], 1e-12),
            "none in the ledger; renyi 2.0: none in the policy, 4 in the ledger",
        ),
    ],
)
def test_two_budgets_are_refused_and_both_shown(
    tmp_path: Path, budget: dict[str, Any], ledger: Cost, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    Ledger.create(tmp_path / "table.ledger", "people", ledger)
    asked = policy(tmp_path, budget)
    with pytest.raises(SpecError, match=f"another budget than the policy states .*{re.escape(said)}"):
        Booking.of(plan(asked))
    monkeypatch.setattr("noiseproof.audit.release.releasing.plan", None)
    write_table(tmp_path)
    with pytest.raises(SpecError, match=rf"policy\.toml: ledger\.budget: .*{re.escape(said)}"):
        release(asked, tmp_path / "out")
    assert states(tmp_path) == []


def test_a_limit_on_a_column_that_is_not_released_is_no_other_budget(tmp_path: Path) -> None:
    shown = Cost.pure(5.0, fisher_information=(Information("weight", 9.0, "kg"),))
    Ledger.create(tmp_path / "table.ledger", "people", shown)
    with pytest.raises(PolicyNotMetError, match="limits the Fisher information of 'weight'"):
        Booking.of(plan(policy(tmp_path, {"epsilon": 5.0})))


def test_the_same_budget_is_taken_whatever_slack_the_ledger_was_made_with(tmp_path: Path) -> None:
    Ledger.create(tmp_path / "table.ledger", "people", Cost.zcdp(0.5, 1e-9))
    assert charged(booked(plan(policy(tmp_path, {"rho": 0.5}, CASES["gaussian"])))).entry.entry == "1"


def test_releases_that_make_one_ledger_at_once_wait_for_each_other(tmp_path: Path) -> None:
    booking = booked(plan(policy(tmp_path, {"epsilon": 50.0})))
    ready, done = threading.Barrier(6), []

    def work() -> None:
        ready.wait()
        done.append(charged(booking))

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(charge.made for charge in done) == 1
    assert states(tmp_path) == ["settled"] * 6


UNUSABLE = {
    "a missing value": "20.0,,yes\n",
    "an unknown category": "20.0,3,perhaps\n",
    "no number": "twenty,3,yes\n",
    "not finite": "1e999,3,yes\n",
    "a whole number beyond 64 bits": "20.0,9223372036854775808,yes\n",
    "a quote that is not closed": '20.0,3,"yes\n30.0,4,no\n',
    "a field too many": "20.0,3,yes,1\n",
}


@pytest.mark.parametrize("line", UNUSABLE.values(), ids=UNUSABLE)
def test_a_table_that_cannot_be_released_leaves_no_mark_in_the_ledger(
    tmp_path: Path, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("noiseproof.audit.release.releasing.audited", pytest.fail)
    table = write_table(tmp_path)
    table.write_text(table.read_text() + line)
    with pytest.raises(SpecError):
        release(policy(tmp_path, {"epsilon": 5.0}), tmp_path / "out", salt=tmp_path / "salt")
    assert [p.name for p in tmp_path.iterdir()] == ["table.csv"]
    Ledger.create(tmp_path / "table.ledger", "people", Cost.pure(5.0))
    before = (tmp_path / "table.ledger").read_bytes()
    with suppress(SpecError):
        release(policy(tmp_path, {"epsilon": 5.0}), tmp_path / "out")
    assert (tmp_path / "table.ledger").read_bytes() == before


@pytest.mark.parametrize("name", ["null-space", "compression"])
def test_a_table_that_the_mechanism_cannot_take_leaves_nothing_behind(tmp_path: Path, name: str) -> None:
    lines = ("age,hours,y", *("20,3,yes" for _ in range(300)))
    (tmp_path / "table.csv").write_text("\n".join(lines))
    with pytest.raises(PolicyNotMetError, match=r"this table|the table"):
        release(CASES[name].policy(tmp_path), tmp_path / "out", salt=tmp_path / "salt")
    assert [p.name for p in tmp_path.iterdir()] == ["table.csv"]


@pytest.mark.parametrize("meanwhile", ["the ledger is used up", "the table is another"])
def test_what_happens_during_the_audit_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, meanwhile: str
) -> None:
    table = write_table(tmp_path)
    asked = policy(tmp_path, {"epsilon": 5.0})
    planned = booked(plan(asked))

    def audited(*_: Any) -> Certificate:
        if "table" in meanwhile:
            table.write_text(table.read_text() + UNUSABLE["no number"])
        else:
            for _ in range(2):
                charged(planned)
        left.extend(sorted(p.name for p in tmp_path.iterdir()))
        return Certificate.from_data(certificate())

    left: list[str] = []
    monkeypatch.setattr("noiseproof.audit.release.releasing.audited", audited)
    with pytest.raises(
        (PolicyNotMetError, SpecError), match=r"2 asked, 1 left of 5|changed while it was read"
    ):
        release(asked, tmp_path / "out", salt=tmp_path / "salt")
    assert sorted(p.name for p in tmp_path.iterdir()) == left


@pytest.mark.parametrize("name", ["open", "text", "no/salt", "."])
def test_a_salt_that_cannot_be_kept_is_refused_before_any_work(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("noiseproof.audit.release.releasing.plan", None)
    write_table(tmp_path)
    for file, mode in (("open", 0o644), ("text", 0o600)):
        (tmp_path / file).write_text("salt")
        (tmp_path / file).chmod(mode)
    before = sorted(tmp_path.iterdir())
    with pytest.raises(SpecError, match="salt"):
        release(policy(tmp_path, {"epsilon": 5.0}), tmp_path / "out", salt=tmp_path / name)
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("budget", [{"rho": 0.5}, {"epsilon": 3.0, "delta": 2e-4}], ids=str)
def test_a_gaussian_release_costs_rho_and_the_epsilon_of_its_exact_curve(
    tmp_path: Path, budget: dict[str, Any]
) -> None:
    booking = booked(plan(policy(tmp_path, budget, CASES["gaussian"])))
    rho, (epsilon, delta) = booking.cost.rho, booking.cost.approximate or (0.0, 0.0)
    assert rho is not None
    assert delta == 1e-4  # that of the policy
    assert epsilon == pytest.approx(gaussian_epsilon(math.sqrt(2 * rho), delta), rel=1e-3)
    charge = charged(booking)
    assert ("also (epsilon, delta) = " if "rho" in budget else "also rho ") in charge.said
    for name, value in {"rho": rho, "epsilon": epsilon, "delta": delta}.items():
        assert f"{value:.6g}" in charge.said
        assert charge.entry.spent.get(name) == (value if name in budget else None)
    book = Ledger.open(tmp_path / "table.ledger").book()
    assert book.delta == (1e-4 if "rho" in budget else None)
    assert book.budget.delta_slack == (1e-12 if "rho" in budget else 0.0)
