"""What draws the numbers of a release is what was audited: every part once, with noise of its own, at the cost that is charged."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from made_policies import KEY, PERSON, policy_text
from made_release import certificate

from noiseproof.audit.record.certificate import Certificate
from noiseproof.audit.release import audited, release, releasing
from noiseproof.audit.release.kinds.statistics import StatisticsKind
from noiseproof.audit.release.ledger import Ledger
from noiseproof.audit.release.ledger.amounts import decimal
from noiseproof.audit.release.not_met import PolicyNotMetError
from noiseproof.audit.release.plan import plan
from noiseproof.audit.release.policy import Policy, parse_policy
from noiseproof.audit.release.statistics.records import Records, fresh_key
from noiseproof.audit.release.statistics.trial_tables import TrialTable
from noiseproof.mechanisms.grid_noise import Bits, seeded_bits
from noiseproof.mechanisms.statistics.amounts import steps_of
from noiseproof.mechanisms.statistics.measurement import Measurement
from noiseproof.mechanisms.statistics.parts import SumsDrawer
from noiseproof.mechanisms.statistics.range_tables import RangeQueries
from noiseproof.mechanisms.statistics.rows import Rows
from noiseproof.mechanisms.statistics.summing import AllTotals, sums

AGE = {"name": "age", "kind": "integer", "role": "private", "low": 0, "high": 100, "missing": "skip"}
SEX = {
    "name": "sex",
    "kind": "category",
    "role": "private",
    "categories": ["f", "m", "other"],
    "missing": "skip",
    "undeclared": {"value": "other"},
}
PAY = {"name": "pay", "kind": "number", "role": "private", "low": -10.3, "high": 31.9, "missing": "skip"}
TOWN = {
    "name": "town",
    "kind": "category",
    "role": "private",
    "categories": ["a", "b", "c"],
    "missing": "skip",
}
COLUMNS = (AGE, PAY, SEX, TOWN, KEY)
SOME = {"where": {"age": {"low": 18}}}
EVERY: tuple[dict[str, Any], ...] = (
    {"name": "people", "measure": "count", "by": ["sex"]},
    {"name": "towns", "measure": "top", "column": "town", "top": 2},
    {"name": "mean", "measure": "mean", "column": "pay", "by": ["sex"], **SOME},
    {"name": "spread", "measure": "variance", "column": "pay", "by": ["sex"], **SOME},
    {"name": "ages", "measure": "histogram", "column": "age", "bins": 4},
    {
        "name": "median",
        "measure": "quantiles",
        "column": "age",
        "quantiles": [0.5],
        "bins": 16,
        "by": ["sex"],
    },
    {"name": "tables", "measure": "marginals", "columns": ["sex", "town"], "ways": 1},
    {"name": "bands", "measure": "ranges", "column": "age", "edges": [0, 20, 40, 60, 100], "by": ["sex"]},
    {"name": "different", "measure": "distinct", "column": "town", "by": ["sex"]},
)
NOISES = {
    "gaussian": ({"noise": "gaussian"}, {"rho": 0.5}),
    "laplace": ({"noise": "laplace", "adjacency": "replace-one"}, {"epsilon": 2.0}),
}
ANY_AUDIT = Certificate.from_data(certificate())


def asking(noise: str, *statistics: dict[str, Any], folder: Path | None = None, **parts: Any) -> Policy:
    """The policy of these statistics."""
    mechanism, limits = NOISES[noise]
    parts["table"] = {"rows_public": False, **parts.get("table", {})}
    made = {
        "mechanism": {"kind": "statistics", **mechanism},
        "limits": limits,
        "statistics": statistics,
        **parts,
    }
    return parse_policy(policy_text(COLUMNS, **made).encode(), folder=folder or Path())


def kind_of(noise: str, **parts: Any) -> StatisticsKind:
    return StatisticsKind.configure(asking(noise, *EVERY, **parts))


def half_empty(kind: StatisticsKind) -> AllTotals:
    """Totals of which every second cell is empty."""
    return {m: m.zeros() + 1000 * (np.arange(m.cells)[:, None] % 2) for m in kind.workload.measurements}


def full(kind: StatisticsKind) -> AllTotals:
    """Totals of which no cell is empty."""
    return {m: m.zeros() + 1000 + np.arange(m.cells)[:, None] for m in kind.workload.measurements}


def published(kind: StatisticsKind, exact: AllTotals, bits: Bits) -> list[dict[str, Any]]:
    with kind._drawn(exact, None, bits) as drawn:
        return [r for batch in drawn.batches for r in batch.to_pylist()]


def words(seed: int) -> Bits:
    return seeded_bits(np.random.default_rng(seed))


@pytest.mark.parametrize("noise", NOISES)
def test_every_number_has_noise_of_its_own_of_the_law_that_is_stated(noise: str) -> None:
    """300 draws of about 40 numbers: each variance within 6 of its deviations, no two of them correlated beyond 6: below 1e-5 together."""
    kind = kind_of(noise)
    exact, bits, drawn = half_empty(kind), words(1), []
    for _ in range(300):
        noisy = kind.workload.draw(exact, bits)
        drawn.append(np.concatenate([v[:, 0] for d, v in noisy.values() if _adds(d)]))
    found = np.array(drawn, dtype=float)
    laws = [law for d in kind.workload.drawers.values() if _adds(d) for law in _laws(d)]
    stated = np.array([law.variance() for law in laws])
    # The variance of a square of Laplace noise is five of its variances squared, of Gaussian noise two.
    allowed = 6 * np.sqrt((5 if noise == "laplace" else 2) / 300)
    assert np.abs(found.var(axis=0) / stated - 1).max() < allowed
    together = np.corrcoef(found.T) - np.eye(found.shape[1])
    assert np.abs(together).max() < 6 / np.sqrt(300)
    for exactly in _tables(kind, found):
        # A table that was made to add up to something would vary less together than its cells.
        assert 1 - allowed < exactly.sum(axis=1).var() / exactly.var(axis=0).sum() < 1 + allowed


def _tables(kind: StatisticsKind, found: Any) -> Iterator[Any]:
    """The columns of each noisy table."""
    start = 0
    for drawer in filter(_adds, kind.workload.drawers.values()):
        for one in getattr(drawer, "drawers", {"": drawer}).values():
            size = len(_laws(one))
            yield found[:, start : start + size]
            start += size


def _adds(drawer: Any) -> bool:
    return isinstance(drawer, SumsDrawer) or hasattr(drawer, "drawers")


def _laws(drawer: Any) -> list[Any]:
    if isinstance(drawer, SumsDrawer):
        return [drawer.law] * drawer.part.transformed(drawer.part.measurement.zeros()).size
    cells = drawer.strategy.space.cells
    return [one.law for marginal, one in drawer.drawers.items() for _ in range(cells(marginal))]


@pytest.mark.parametrize("noise", NOISES)
def test_what_is_published_follows_from_the_words_and_nothing_else_is_random(noise: str) -> None:
    kind = kind_of(noise)
    exact = full(kind)
    first, again, other = (published(kind, exact, words(seed)) for seed in (1, 1, 2))
    assert first == again
    assert first != other


@pytest.mark.parametrize("noise", NOISES)
def test_every_part_is_drawn_once_by_the_law_that_was_on_trial(
    noise: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind, asked = kind_of(noise), []
    exact = full(kind)
    for drawer in {type(d) for d in kind.workload.drawers.values()}:
        monkeypatch.setattr(drawer, "draw", _noted(drawer.draw, asked))
    published(kind, exact, words(3))
    wanted = [(d, exact[p.measurement]) for p, d in kind.workload.drawers.items()]
    assert [d for d, _ in asked] == [d for d, _ in wanted]
    assert all(np.array_equal(a, b) for (_, a), (_, b) in zip(asked, wanted, strict=True))


def _noted(real: Callable[..., Any], asked: list[Any]) -> Callable[..., Any]:
    def draw(self: Any, exact: Any, bits: Any) -> Any:
        asked.append((self, exact.copy()))
        return real(self, exact, bits)

    return draw


@pytest.mark.parametrize("table", [{}, PERSON], ids=["records", "persons"])
@pytest.mark.parametrize("noise", NOISES)
def test_every_part_is_on_trial_and_all_of_them_are_paid_for(noise: str, table: dict[str, Any]) -> None:
    kind = kind_of(noise, table=table)
    load, titles = kind.workload, [str(c.title) for c in kind.trials()]
    for part in load.parts:
        mine = [t for t in titles if t.removeprefix("control: ").startswith(f"{load.name_of(part)}: ")]
        still = part.measurement.still(load.unit)
        assert len(mine) == (1 if still else 5), mine
    assert (
        sum(_cost(d, load.unit, noise) for d in load.drawers.values()) <= decimal(kind.spent) <= load.budget
    )
    paid = kind.cost.rho if noise == "gaussian" else kind.cost.epsilon
    assert paid == kind.spent == (kind.guarantee.rho if noise == "gaussian" else kind.guarantee.epsilon)  # type: ignore[union-attr]


def _cost(drawer: Any, unit: Any, noise: str) -> Fraction:
    """From the law that draws and from how far one unit moves its centre, counted by hand."""
    law: Any
    if isinstance(drawer, SumsDrawer) and isinstance(drawer.part, RangeQueries):
        columns, law = np.array(drawer.part.queries, dtype=object).T, drawer.law
        gaps = [*columns, *([] if unit.resizes else [a - b for a in columns for b in columns])]
        k, groups = unit.most, 1 if unit.resizes else 2
        if noise == "gaussian":
            longest = max(groups * max((c**2).sum() for c in columns), *((g**2).sum() for g in gaps))
            return Fraction(k**2 * longest) / (2 * law.proxy)
        return (
            Fraction(k * max(groups * max(abs(c).sum() for c in columns), *(abs(g).sum() for g in gaps)))
            / law.scale
        )
    if isinstance(drawer, SumsDrawer):
        a = drawer.part.measurement.amounts[0]
        reach = max(abs(a.least), abs(a.most))
        k, moved = unit.most, reach if unit.resizes else max(reach, a.most - a.least)
        cells = drawer.part.transformed(drawer.part.measurement.zeros()).size
        if unit.resizes or cells == 1:
            squared, absolute = (k * moved) ** 2, k * moved
        else:
            squared, absolute = max((k * moved) ** 2, 2 * (k * reach) ** 2), max(k * moved, 2 * k * reach)
        law = drawer.law
        return squared / (2 * law.proxy) if noise == "gaussian" else absolute / law.scale
    if hasattr(drawer, "drawers"):
        return sum((_cost(one, unit, noise) for one in drawer.drawers.values()), Fraction(0))
    return Fraction(drawer.cost)


def test_the_trial_refutes_ranges_whose_sensitivity_or_answers_are_wrong(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (bands,) = (one for one in EVERY if one["measure"] == "ranges")
    demand, transformed = RangeQueries.demand, RangeQueries.transformed

    def refuted() -> set[str]:
        found = audited(plan(asking("gaussian", bands, audit={"samples": 3_000, "alpha": 0.001}))).findings
        return {f.title.partition(":")[2].split()[0] for f in found if not f.as_expected}

    assert refuted() == set()
    monkeypatch.setattr(RangeQueries, "demand", lambda *a: demand(*a) / 4)
    assert "its" in refuted()  # its draw
    monkeypatch.setattr(RangeQueries, "demand", demand)
    monkeypatch.setattr(RangeQueries, "transformed", lambda self, totals: 2 * transformed(self, totals))
    assert refuted() == {"the"}  # the answers to two data sets


def test_adjacency_of_the_trial_is_that_of_the_policy() -> None:
    for name, resizes in (("add-or-remove", True), ("replace-one", False)):
        noise = {"kind": "statistics", "noise": "laplace", "adjacency": name}
        kind = StatisticsKind.configure(asking("laplace", EVERY[0], mechanism=noise))
        assert kind.workload.unit.resizes is resizes
        sizes = {len(one) - len(two) for one, two, _, _ in islice(kind._trials._summed(), 20)}
        assert (sizes == {0}) is not resizes


def test_a_workload_that_costs_more_than_the_limits_leave_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    kind = kind_of("gaussian")
    monkeypatch.setattr(type(kind.workload), "cost", kind.workload.budget * 2)
    with pytest.raises(PolicyNotMetError, match=r"the draws together cost 1, more than 0\.5"):
        _ = kind.spent


def test_sums_beyond_32_bits() -> None:
    wide = steps_of("x", -1.0, 1.0, whole=False, centred=True)
    case = Measurement((), (wide,))
    batch = Rows(5_000, {}, {"x": np.full(5_000, 2.0)})
    (found,) = sums((case,), [batch] * 3).values()
    assert found[0, 0] == 15_000 * wide.most > 2**31


def test_a_count_under_a_mean_obeys_its_condition() -> None:
    made = asking("gaussian", EVERY[2])
    load = StatisticsKind.configure(made).workload
    old, young, none = ({"age": a, "pay": 1.0, "sex": "f", "town": "a"} for a in (40, 10, None))
    rows = [old, old, young, none, {**old, "pay": None}]
    found = load.totals(Records(made, TrialTable(made, rows).read, fresh_key()).rows())
    centred, counts = load.statistics[0].parts
    assert found[counts.measurement][:, 0].tolist() == [2, 0, 0]
    amount: Any = centred.measurement.amounts[0]
    steps = round((Fraction(1) - amount.centre) / amount.step)
    assert found[centred.measurement][:, 0].tolist() == [2 * steps, 0, 0]


def on_disk(folder: Path) -> Policy:
    """A policy with a ledger, and its table."""
    rows = [f"{i % 90},{i % 40},{'fm'[i % 2]},a,p{i}" for i in range(60)]
    (folder / "table.csv").write_text("\n".join(["age,pay,sex,town,id", *rows]) + "\n")
    ledger = {"path": "table.ledger", "table_id": "people", "create": True, "budget": {"rho": 1.0}}
    return asking("gaussian", *EVERY[:2], folder=folder, ledger=ledger)


def test_what_is_charged_is_what_the_draws_cost_before_the_first_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, seen = on_disk(tmp_path), []
    monkeypatch.setattr(releasing, "audited", lambda *_: ANY_AUDIT)
    real = StatisticsKind._drawn

    def drawn(*asked: Any) -> Any:
        entries = Ledger.open(tmp_path / "table.ledger").book().entries.values()
        seen.append([(e.state, e.charge["rho"]) for e in entries])
        return real(*asked)

    monkeypatch.setattr(StatisticsKind, "_drawn", drawn)
    done = release(made, tmp_path / "out")
    cost = StatisticsKind.configure(made).workload.cost
    assert [len(entries) for entries in seen] == [1]
    assert seen[0][0][0] == "settled"
    assert cost <= seen[0][0][1] <= cost * Fraction(1_000_001, 1_000_000)
    assert (
        json.loads((tmp_path / "out" / "release.json").read_text())["costs"]["rho"]
        == done.manifest.costs["rho"]
    )


def test_a_draw_that_fails_is_not_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made, calls = on_disk(tmp_path), []
    monkeypatch.setattr(releasing, "audited", lambda *_: ANY_AUDIT)
    real = StatisticsKind._drawn
    monkeypatch.setattr(StatisticsKind, "_drawn", lambda *a: (calls.append(1), real(*a))[1])
    monkeypatch.setattr(
        "noiseproof.audit.release.tables.write_table",
        lambda *_: (_ for _ in ()).throw(RuntimeError("broken")),
    )
    with pytest.raises(RuntimeError):
        release(made, tmp_path / "out")
    assert calls == [1]
    assert not (tmp_path / "out").exists()


def test_a_trial_that_fails_stops_the_release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = on_disk(tmp_path)
    monkeypatch.setattr(releasing, "audited", lambda *_: ANY_AUDIT)
    monkeypatch.setattr(releasing, "failed", lambda *_: ("a finding",))
    with pytest.raises(PolicyNotMetError, match="a finding"):
        release(made, tmp_path / "out")
    assert not (tmp_path / "out").exists()
    assert not (tmp_path / "table.ledger").exists()


def test_a_trial_that_is_run_again_sums_the_same(tmp_path: Path) -> None:
    from frozen_policies import POLICIES

    # Of persons with more records than count the same ones count again.
    (policy,) = (p for p in POLICIES if p.kind == "statistics" and p.table)

    def summed() -> list[Any]:
        kind: Any = plan(policy.policy(tmp_path)).kind
        pairs = islice(kind._trials._summed(), 12)
        return [
            total.whole().tolist() for _, _, *totals in pairs for sums_ in totals for total in sums_.values()
        ]

    assert summed() == summed()
