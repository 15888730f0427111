"""What a ledger counts, refuses and says: costs, currencies, units, totals, states of entries, records of releases."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noiseproof import SpecError
from noiseproof.audit.release.ledger import Cost, Information, Ledger
from noiseproof.audit.release.ledger.amounts import decimal, digits
from noiseproof.audit.release.ledger.currency import caps, charge

AGE = Information("age", 0.5, "year")
COSTS = (
    Cost.pure(0.3),
    Cost.pure(3.0, unit="person"),
    Cost.zcdp(0.25, 1e-15, fisher_information=(AGE,)),
    Cost.renyi_points([(8, 1.5), (2, 0.5)], 1e-12, adjacency="add-or-remove"),
    Cost.approximate_dp(1.0, 1e-6),
    Cost(epsilon=1.0, rho=0.3, approximate=(0.9, 1e-9)),
    Cost.none("the noise is bounded", fisher_information=(AGE, Information("income", 2.0, "kEUR"))),
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "adult.jsonl"


@pytest.mark.parametrize("cost", COSTS)
def test_a_cost_comes_back_from_its_data(cost: Cost) -> None:
    assert Cost.from_dict(cost.to_dict()) == cost


def test_a_cost_is_read_with_every_key_stated() -> None:
    cost = Cost.pure(1.0)
    assert Cost.from_dict({**vars(cost), "renyi": [], "fisher_information": []}) == cost


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"epsilon": math.nan}, "epsilon must be a finite number"),
        ({"epsilon": -0.1}, "at least 0"),
        ({"epsilon": math.inf}, "finite"),
        ({"epsilon": True}, "epsilon must be"),
        ({"epsilon": "1"}, "epsilon must be"),
        ({"epsilon": 10**400}, "finite"),
        ({"rho": math.nan}, "rho must be"),
        ({"rho": 1.0, "delta_slack": -1e-9}, "delta_slack must be"),
        ({"rho": 1.0, "delta_slack": 1.0}, "below 1"),
        ({"delta_slack": 1e-9, "epsilon": 1.0}, "delta_slack goes with"),
        ({"approximate": (1.0, math.nan)}, "delta must be"),
        ({"approximate": (1.0, 1.0)}, "below 1"),
        ({"approximate": 1.0}, "pair"),
        ({"renyi": ((1.0, 0.5),)}, "above 1"),
        ({"renyi": ((2.0, 0.5), (2.0, 0.6))}, "one Renyi point per order"),
        ({"renyi": ((math.inf, 0.5),)}, "finite"),
        ({"epsilon": 1.0, "unit": "household"}, "record, person"),
        ({"epsilon": 1.0, "adjacency": "edit"}, "replace-one"),
        ({"epsilon": 1.0, "reason": "none"}, "exclude each other"),
        ({"fisher_information": (AGE, AGE)}, "one Fisher information per column"),
        ({"fisher_information": ({"about": "age"},)}, "must hold Information"),
        ({"reason": "two\nlines"}, "one printable line"),
        ({}, "expected a cost"),
    ],
)
def test_what_is_no_cost_is_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises(SpecError, match=words):
        Cost(**given)


@pytest.mark.parametrize("value", [math.nan, -1.0, math.inf, None, "0.5"])
def test_information_is_a_finite_number(value: Any) -> None:
    with pytest.raises(SpecError, match="Fisher information of age"):
        Information("age", value, "year")


def test_decimals_are_read_as_they_are_written() -> None:
    assert decimal(0.1) * 3 == decimal(0.3)
    assert 0.1 + 0.1 + 0.1 > 0.3


@given(st.floats(min_value=0, max_value=1e300), st.floats(min_value=0, max_value=1e300))
def test_digits_are_exact(x: float, y: float) -> None:
    value = decimal(x) * decimal(y) / 2
    assert Fraction(digits(value)) == value


@pytest.mark.parametrize(
    ("cost", "budget", "expected"),
    [
        (Cost.pure(0.3), Cost.pure(1), {"epsilon": "3/10"}),
        (Cost.pure(0.3), Cost.zcdp(1), {"rho": "9/200", "delta_slack": "0"}),
        (Cost.pure(4.0), Cost.zcdp(9), {"rho": "4", "delta_slack": "0"}),
        (Cost.pure(0.3), Cost.approximate_dp(1, 1e-6), {"epsilon": "3/10", "delta": "0"}),
        (
            Cost.pure(0.5),
            Cost.renyi_points([(2, 1), (64, 2)]),
            {"renyi:2.0": "1/4", "renyi:64.0": "1/2", "delta_slack": "0"},
        ),
        (Cost.zcdp(0.2), Cost.renyi_points([(2.5, 1)]), {"renyi:2.5": "1/2", "delta_slack": "0"}),
        # The divergence does not decrease with the order: the point above bounds the one below.
        (
            Cost.renyi_points([(4, 0.7), (9, 0.6)]),
            Cost.renyi_points([(3, 1)]),
            {"renyi:3.0": "3/5", "delta_slack": "0"},
        ),
        (Cost(epsilon=1.0, rho=0.3), Cost.zcdp(1), {"rho": "3/10", "delta_slack": "0"}),
        (
            Cost(epsilon=1.0, approximate=(0.5, 0.01)),
            Cost.approximate_dp(1, 0.1),
            {"epsilon": "1/2", "delta": "1/100"},
        ),
    ],
)
def test_what_a_cost_comes_to(cost: Cost, budget: Cost, expected: dict[str, str]) -> None:
    assert charge(cost, budget) == {name: Fraction(value) for name, value in expected.items()}


@pytest.mark.parametrize(
    "budget", [Cost.pure(9), Cost.zcdp(9), Cost.renyi_points([(2, 9)]), Cost.approximate_dp(9, 0.1)]
)
@pytest.mark.parametrize(
    "cost",
    [
        Cost.pure(0.3),
        Cost.zcdp(0.2),
        Cost.renyi_points([(1.5, 1)]),
        Cost.approximate_dp(1, 1e-6),
        Cost.none("cos^2 noise"),
    ],
)
def test_a_cost_is_counted_or_refused_with_what_it_has(cost: Cost, budget: Cost) -> None:
    possible = {("pure", b) for b in ("pure", "zcdp", "renyi", "approximate")}
    possible |= {("zcdp", "zcdp"), ("zcdp", "renyi"), ("approximate", "approximate")}
    if cost.currencies and (cost.currencies[0], budget.currencies[0]) in possible:
        assert set(charge(cost, budget)) == set(caps(budget))
    else:
        has = "cos\\^2 noise" if cost.reason else "it is stated in"
        with pytest.raises(SpecError, match=f"no finite cost in the ledger's currency.*{has}"):
            charge(cost, budget)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"unit": "person"}, "per record, the cost is per person: costs are not converted"),
        ({"adjacency": "add-or-remove"}, "replace-one neighbours, the cost is for add-or-remove"),
        ({"fisher_information": ()}, "limits the Fisher information of 'age'"),
        ({"fisher_information": (Information("age", 0.1, "month"),)}, "'age' in 'year', the cost in 'month'"),
    ],
)
def test_units_are_not_converted(path: Path, more: dict[str, Any], words: str) -> None:
    ledger = Ledger.create(path, "adult", Cost.zcdp(1.0, fisher_information=(AGE,)))
    before = path.read_bytes()
    with pytest.raises(SpecError, match=words):
        ledger.reserve(
            Cost.zcdp(0.1, **{"fisher_information": (Information("age", 0.1, "year"),), **more}), "a release"
        )
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "budget",
    [Cost(epsilon=1.0, rho=1.0), Cost.none("nothing is allowed"), Cost(epsilon=1.0, approximate=(1.0, 1e-6))],
)
def test_a_budget_has_one_currency(path: Path, budget: Cost) -> None:
    with pytest.raises(SpecError, match="in one currency"):
        Ledger.create(path, "adult", budget)
    assert not list(path.parent.iterdir())


def test_a_budget_is_spent_to_the_last_decimal_and_no_further(path: Path) -> None:
    ledger = Ledger.create(path, "adult", Cost.pure(0.3))
    for _ in range(3):
        ledger.reserve(Cost.pure(0.1), "a tenth")
    assert ledger.remaining() == {"epsilon": 0}
    before = path.read_bytes()
    with pytest.raises(
        SpecError, match=r"'adult' does not allow this release: epsilon: 1e-300 asked, 0 left of 0\.3"
    ):
        ledger.reserve(Cost.pure(1e-300), "a trifle")
    assert path.read_bytes() == before


@settings(max_examples=25, deadline=None)
@given(asked=st.lists(st.floats(min_value=0, max_value=0.6), max_size=8))
def test_whatever_is_asked_the_total_stays_within(
    tmp_path_factory: pytest.TempPathFactory, asked: list[float]
) -> None:
    ledger = Ledger.create(tmp_path_factory.mktemp("ledger") / "a", "t", Cost.zcdp(1.0, 1e-9))
    taken = Fraction(0)
    for rho in asked:
        fits = taken + decimal(rho) <= 1
        try:
            ledger.reserve(Cost.zcdp(rho), "a release")
            taken += decimal(rho)
            assert fits
        except SpecError:
            assert not fits
    assert ledger.spent()["rho"] == taken
    assert ledger.remaining()["rho"] == 1 - taken >= 0


def test_each_amount_is_limited_for_itself(path: Path) -> None:
    ledger = Ledger.create(path, "adult", Cost.zcdp(1.0, 1e-12, fisher_information=(AGE,)))
    cheap = (Information("age", 0.0, "year"),)
    with pytest.raises(SpecError, match="delta slack: 1e-09 asked"):
        ledger.reserve(Cost.zcdp(0.1, 1e-9, fisher_information=cheap), "far from its law")
    with pytest.raises(SpecError, match=r"Fisher information of 'age': 0.6 asked, 0.5 left"):
        ledger.reserve(Cost.zcdp(0.1, fisher_information=(Information("age", 0.6, "year"),)), "too sharp")
    assert ledger.spent() == dict.fromkeys(ledger.spent(), 0)


def test_states_of_an_entry(path: Path) -> None:
    ledger = Ledger.create(path, "adult", Cost.pure(1.0))
    first, second, third = (ledger.reserve(Cost.pure(0.25), f"release {k}") for k in range(3))
    ledger.settle(first, "sha256:abc")
    ledger.withdraw(second, "the policy was wrong; nothing was drawn")
    assert [ledger.entry(n).state for n in (first, second, third)] == ["settled", "withdrawn", "reserved"]
    # A reservation counts: whoever made it may have published since.
    assert ledger.spent() == {"epsilon": Fraction(1, 2)}
    size = path.stat().st_size
    ledger.settle(first)
    assert path.stat().st_size == size
    with pytest.raises(SpecError, match="entry 1 is settled already: what was published stays spent"):
        ledger.withdraw(first, "regret")
    with pytest.raises(SpecError, match="entry 2 is withdrawn already"):
        ledger.settle(second)
    with pytest.raises(SpecError, match="there is no entry 99: expected one of 3"):
        ledger.settle(99)
    with pytest.raises(SpecError, match="why it is withdrawn"):
        ledger.withdraw(third, " ")
    # Totals as they were when a release was entered do not change afterwards.
    assert ledger.spent(upto=third) == {"epsilon": Fraction(3, 4)}


def test_a_ledger_of_information_only(path: Path) -> None:
    ledger = Ledger.create(path, "adult", Cost(fisher_information=(AGE,)))
    cosine = Cost.none("bounded noise", fisher_information=(Information("age", 0.2, "year"),))
    ledger.reserve(cosine, "cos^2 noise")
    assert ledger.statement() is None
    with pytest.raises(SpecError, match=r"limits the Fisher information of 'age'.*has none at all"):
        ledger.reserve(Cost.none("uniform noise has no information"), "uniform noise")


def test_a_release_is_confirmed_and_an_edited_one_is_not(path: Path) -> None:
    ledger = Ledger.create(path, "adult", Cost.zcdp(1.0, 1e-12))
    cost = Cost.zcdp(0.25)
    number = ledger.reserve(cost, "first")
    record = ledger.record(number)
    assert record["spent"] == {"rho": 0.25, "delta_slack": 0.0}
    ledger.reserve(cost, "second")
    ledger.settle(number)
    ledger.confirm(record, cost.to_dict())
    ledger.confirm({**record, "entry": str(number)}, cost.to_dict())
    ledger.confirm_head(record["head"])
    for edited, words in [
        ({"table_id": "lending"}, "is of table 'lending', this ledger is of 'adult'"),
        ({"entry": 7}, "entry 7, which this ledger does not have"),
        ({"entry": "9" * 5000}, "which this ledger does not have"),
        ({"entry": True}, "which this ledger does not have"),
        ({"entry": 2}, "entry 2 is not the one"),
        ({"head": "0" * 64}, "entry 1 is not the one"),
        ({"remaining": {"rho": 0.9, "delta_slack": 1e-12}}, "the release says remaining"),
    ]:
        with pytest.raises(SpecError, match=words):
            ledger.confirm({**record, **edited}, cost.to_dict())
    with pytest.raises(SpecError, match="states the cost"):
        ledger.confirm(record, Cost.zcdp(0.1).to_dict())
    other = ledger.record(2)
    ledger.withdraw(2, "nobody saw it")
    with pytest.raises(SpecError, match="was withdrawn"):
        ledger.confirm(other)


def test_a_ledger_of_another_table_is_refused(path: Path) -> None:
    Ledger.create(path, "lending", Cost.pure(1.0))
    with pytest.raises(SpecError, match="expected the ledger of table 'adult', this one is of 'lending'"):
        Ledger.open(path, "adult")
    with pytest.raises(SpecError, match="there is a ledger here already"):
        Ledger.create(path, "adult", Cost.pure(1.0))
    assert Ledger.open(path).table_id == "lending"


def test_what_is_exported(path: Path) -> None:
    ledger = Ledger.create(path, "adult", Cost.pure(1.0, unit="person", fisher_information=(AGE,)))
    ledger.reserve(
        Cost.pure(0.1, unit="person", fisher_information=(Information("age", 0.1, "year"),)), "one"
    )
    data = ledger.export()
    assert data["limits"] == {"epsilon": "1", "fisher_information:age": "0.5"}
    assert data["spent"] == {"epsilon": "0.1", "fisher_information:age": "0.1"}
    assert data["entries"][0]["cost"]["unit"] == data["unit_of_privacy"] == "person"
    assert data["statements"]["budget"]["epsilon"] == pytest.approx(1.0)
    assert data["fisher_information"][0]["error_bound"] == pytest.approx(10.0)
    assert data["head"] == ledger.head
