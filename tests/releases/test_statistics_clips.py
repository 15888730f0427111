"""Clipping bounds that are estimated privately: said beforehand, tried, charged, drawn, published; faults are seen by the release itself."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from made_policies import GROUPED_SEX as SEX
from made_policies import KEY, PERSON, made_policy
from made_policies import RHO_LEDGER as LEDGER
from made_release import certificate
from sealed_release import verify

from noiseproof.audit.record.certificate import Certificate
from noiseproof.audit.record.evidence import Evidence, Verdict
from noiseproof.audit.release import release, releasing
from noiseproof.audit.release.kinds.statistics import StatisticsKind
from noiseproof.audit.release.ledger import Ledger
from noiseproof.audit.release.not_met import PolicyNotMetError
from noiseproof.audit.release.policy import Policy
from noiseproof.audit.release.statistics.trials import Trials
from noiseproof.audit.trial.checks.moved_totals import MovedTotals
from noiseproof.mechanisms.statistics import chosen_ends
from noiseproof.mechanisms.statistics.chosen_ends import ClippedSums, Reach
from noiseproof.mechanisms.statistics.clipped import ClippedMean, ClippedSum, DrawnEnds
from noiseproof.mechanisms.statistics.workload import Workload
from noiseproof.release_command import pages
from noiseproof.symbolic.errors import SpecError

PAY = {"name": "pay", "kind": "number", "role": "private", "low": 0.0, "high": 1e6, "missing": "skip"}
AGE = {"name": "age", "kind": "integer", "role": "private", "low": 0, "high": 10_000, "missing": "skip"}
CLIP = {"low": 0.02, "high": 0.98, "share": 0.1}
MEAN: dict[str, Any] = {"name": "mean pay", "measure": "mean", "column": "pay", "by": ["sex"], "clip": CLIP}
TOTAL: dict[str, Any] = {**MEAN, "name": "pay", "measure": "sum"}
AGES: dict[str, Any] = {"name": "mean age", "measure": "mean", "column": "age", "size": 100}


def asked(folder: Path, *statistics: Any, noise: str = "gaussian", limit: float = 0.5, **more: Any) -> Policy:
    limits = {"rho" if noise == "gaussian" else "epsilon": limit}
    table = {"rows_public": False, **more.pop("table", {})}
    columns = more.pop("columns", (SEX, PAY, AGE, KEY))
    mechanism = {"kind": "statistics", "noise": noise}
    more = {"audit": {"samples": 2_000, "alpha": 0.001}, **more}
    return made_policy(folder, columns, table, mechanism, limits, statistics=statistics, **more)


def kind_of(*statistics: Any, **more: Any) -> StatisticsKind:
    return StatisticsKind.configure(asked(Path(), *statistics, **more))


def test_what_is_alike_shares_one_draw() -> None:
    load = kind_of(MEAN, TOTAL, {**AGES, "clip": CLIP}, {**AGES, "name": "again"}).workload
    assert [type(s) for s in load.statistics[:4]] == [DrawnEnds, ClippedMean, ClippedSum, DrawnEnds]
    assert [s.name for s in load.statistics if isinstance(s, DrawnEnds)] == [
        "ends of mean pay and pay",
        "ends of mean age",
    ]
    assert [part.share for part in load.first] == [Fraction(1, 10)] * 2
    assert load.rest == Fraction(2, 5)
    # Another share, or other records, are another draw.
    other = {**TOTAL, "clip": {**CLIP, "share": 0.2}}
    some = {**AGES, "clip": CLIP, "where": {"sex": ["f"]}}
    assert len(kind_of(MEAN, other, {**AGES, "clip": CLIP}, {**some, "name": "some"}).workload.first) == 4


def test_a_statistic_that_has_the_name_of_ends_is_told_apart() -> None:
    names = [
        s.name
        for s in kind_of(
            MEAN, {**TOTAL, "name": "ends of mean pay", "clip": {**CLIP, "low": 0.1}}
        ).workload.statistics
    ]
    assert len(set(names)) == len(names) == 4


def test_a_derived_number_may_be_clipped_too() -> None:
    derived = [{"name": "years", "expression": "age * 2", "low": 0.0, "high": 1e5}]
    load = kind_of({**MEAN, "column": "years"}, derived=derived).workload
    assert load.parts[0].measurement.axes[0].edges[-1] == 1e5  # type: ignore[index]


def test_noise_is_predicted_for_the_declared_ends_and_a_share_has_its_price() -> None:
    lines = kind_of(MEAN, {**AGES, "clip": {**CLIP, "share": 0.09}}).terms.lines
    assert lines[0].startswith("ends of mean pay (ends, 2 numbers, 10.0% of the budget): within ")
    assert "for the declared ends: in proportion less for those that will be drawn" in lines[3]
    # Of 0.81 of the budget instead of 0.9: the root of 0.9 / 0.81.
    taken = [line for line in lines if "drawn first, for " in line]
    assert taken[1].startswith("ends of mean age: drawn first, for 0.09 of the whole budget")
    assert "1.054 times as wide as it would be without" in taken[1]
    laplace = kind_of(MEAN, noise="laplace").terms
    assert any("1.111 times as wide" in line for line in laplace.lines)
    assert any("clipping takes away or adds is not in them" in said for said in laplace.does_not_mean)


def test_a_target_is_kept_for_the_widest_ends_and_what_is_left_of_the_budget() -> None:
    with pytest.raises(PolicyNotMetError, match="ends of clipping, drawn first, take the rest of the budget"):
        kind_of({**MEAN, "size": 100, "error": {"at_most": 1.0}})
    for one in ({**MEAN, "size": 1000, "error": {"at_most": 2e5}}, {**TOTAL, "error": {"at_most": 2e8}}):
        load = kind_of(one).workload
        (found,) = (s for s in load.statistics if not isinstance(s, DrawnEnds))
        assert found.spread(load.drawers)[1] <= one["error"]["at_most"]  # type: ignore[index]


def moved(kind: StatisticsKind) -> list[Evidence]:
    """What the attack on the code says of every part: the sensitivities that are claimed."""
    trials = Trials(kind.policy, kind.workload, kind.scope)
    found = [MovedTotals.bind(c) for c in trials.claims if c.expect == "holds"]
    return [check.judge(None, None, 0.05) for check in found if check is not None]


def _not_clipped(axis: Any, places: Any) -> Any:
    """Within the chosen ends as it should be; beyond them as if these were the declared ones."""
    last = len(axis.labels) - 1
    of_count, of_reach, _ = _FACTORS(axis, (0, last))
    return of_count, of_reach, _FACTORS(axis, places)[2]


def _raw(self: Reach, rows: Any) -> Any:
    edges = np.asarray(self.grid.edges)
    cell = np.maximum(self.grid.of(rows), 0)
    values = np.nan_to_num(np.asarray(rows.numbers[self.grid.column], dtype=float), posinf=1e9, neginf=-1e9)
    inside = (np.clip(values, -1e9, 1e9) - edges[cell]) / (edges[cell + 1] - edges[cell])
    return np.rint(np.clip(inside, -1e9, 1e9) * 2**22).astype(np.int64)


def _too_few_steps(axis: Any, places: Any) -> Any:
    of_count, of_reach, whole = _FACTORS(axis, places)
    return of_count, of_reach, whole // 2


_FACTORS = chosen_ends._factors
FAULTS: Mapping[str, tuple[Any, str, Callable[..., Any]]] = {
    "numbers beyond the ends are not clipped": (chosen_ends, "_factors", _not_clipped),
    "the table's own numbers are summed as they are": (Reach, "_reach", _raw),
    "a step is half of what it should be": (chosen_ends, "_factors", _too_few_steps),
}


@pytest.mark.parametrize("table", [{}, PERSON], ids=["records", "persons"])
def test_the_trial_of_the_release_runs_its_code_between_many_ends(table: dict[str, Any]) -> None:
    found = moved(kind_of(MEAN, {**TOTAL, "where": {"age": {"low": 30}}}, table=table))
    assert len(found) == 6
    assert {one.verdict for one in found} == {Verdict.SURVIVED}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_seen_by_the_trial_of_the_release(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(*FAULTS[fault])
    found = moved(kind_of(MEAN))
    assert [one.verdict for one in found].count(Verdict.REFUTED) == 1


def test_ends_that_are_not_paid_for_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shares of the whole budget beside that of the ends cost more than the limits leave: refused before anything is drawn."""
    kind = kind_of(MEAN)
    assert kind.spent == 0.5
    assert float(sum(d.cost for d in kind.workload.drawers.values())) == pytest.approx(0.5, rel=1e-9)
    monkeypatch.setattr(Workload, "rest", property(lambda self: self.budget))
    with pytest.raises(PolicyNotMetError, match=r"the draws together cost 0\.55, more than 0\.5"):
        _ = kind_of(MEAN).spent


def test_a_draw_that_is_not_charged_refuses_the_release(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the draws cost is found again from their laws, before anything is charged or drawn."""
    write_people(tmp_path)
    cost = property(
        lambda self: sum((d.cost for p, d in self.drawers.items() if p not in self.first), Fraction(0))
    )
    monkeypatch.setattr(Workload, "cost", cost)
    # As many outcomes as the trial needs to find half the noise.
    trial = {"samples": 150_000, "alpha": 0.001}
    with pytest.raises(PolicyNotMetError, match=r"the draws cost rho 0\.5 together, from which"):
        release(asked(tmp_path, MEAN, ledger=LEDGER, audit=trial), tmp_path / "out")
    assert [p.name for p in tmp_path.iterdir()] == ["table.csv"]


def test_ends_that_are_read_off_the_table_refuse_the_release(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The code that draws everything, given the words of a draw by itself, has to give the same numbers."""
    write_people(tmp_path)
    real = Workload.draw

    def peeking(self: Workload, totals: Any, bits: Any) -> Any:
        drawn = dict(real(self, totals, bits))
        for part in self.first:
            held = np.flatnonzero(totals[part.measurement][:, 0])
            drawn[part] = drawn[part][0], held[None, [0, -1]]
        return drawn

    monkeypatch.setattr(Workload, "draw", peeking)
    with pytest.raises(
        PolicyNotMetError, match="ends of mean pay: drawn with the others it differs from its own draw"
    ):
        release(asked(tmp_path, MEAN, ledger=LEDGER), tmp_path / "out")
    assert [p.name for p in tmp_path.iterdir()] == ["table.csv"]


def write_people(folder: Path, rows: int = 600) -> None:
    rng = np.random.default_rng(2)
    pay, lines = rng.lognormal(3, 0.5, rows), ["id,sex,pay,age"]
    for i, v in enumerate(pay):
        lines.append(f"p{i // 2},{'fmx'[i % 3]},{v:.4f},{rng.integers(16, 90)}")
    lines += ["p0,f,,30", "p1,m,1e300,-7"]
    (folder / "table.csv").write_text("\n".join(lines) + "\n")


def test_drawn_ends_are_published_with_what_they_clip(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_people(tmp_path)
    monkeypatch.setattr(releasing, "audited", lambda *_: Certificate.from_data(certificate()))
    policy = asked(tmp_path, MEAN, TOTAL, table=PERSON, limit=0.9, ledger=LEDGER)
    release(policy, tmp_path / "out", pages=pages)
    manifest = json.loads((tmp_path / "out" / "release.json").read_text())
    rows = manifest["mechanism"]["parameters"]["results"]
    assert [(r["statistic"], r["quantity"]) for r in rows[:2]] == [
        ("ends of mean pay and pay", "clip low"),
        ("ends of mean pay and pay", "clip high"),
    ]
    low, high = (r["value"] for r in rows[:2])
    assert 0 <= low < high <= 1e6
    assert all("ranks with probability 0.95" in r["noise"] for r in rows[:2])
    for row in rows[2:4]:
        assert low <= row["low"] <= row["value"] <= row["high"] <= high
    page = (tmp_path / "out" / "index.html").read_text()
    assert "clip low" in page
    assert "clipping takes away or adds is not in them" in page
    assert "drawn first, for 0.1 of the whole budget" in page
    assert "ends of clipping, drawn first" in (tmp_path / "out" / "data-dictionary.md").read_text()
    assert Ledger.open(tmp_path / "ledger.jsonl", "people").book().limits["rho"] == 1


@pytest.mark.long
def test_a_release_with_drawn_ends_is_verified(tmp_path: Path) -> None:
    """Its own trial, with all its claims; then everything that is stated, drawn again."""
    write_people(tmp_path)
    policy = asked(tmp_path, MEAN, TOTAL, table=PERSON, limit=0.9, ledger=LEDGER)
    release(policy, tmp_path / "out", pages=pages)
    assert [c for c in verify(tmp_path / "out", pages=pages) if c.state == "fails"] == []


def test_ends_that_were_drawn_are_spent_whatever_happens_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second stage fails: the whole cost stays in the ledger, no folder is left."""
    write_people(tmp_path)
    real, seen = chosen_ends.ClippedDrawer.draw, []

    def failing(self: Any, totals: Any, bits: Any) -> Any:
        seen.append(self.part.places)
        real(self, totals, bits)
        raise OSError("the disk is gone")

    monkeypatch.setattr(chosen_ends.ClippedDrawer, "draw", failing)
    monkeypatch.setattr(releasing, "audited", lambda *_: Certificate.from_data(certificate()))
    with pytest.raises(SpecError, match="nothing was written") as caught:
        release(asked(tmp_path, MEAN, ledger=LEDGER), tmp_path / "out")
    assert len(seen) == 1
    assert seen[0] is not None
    assert any("stays spent" in note for note in caught.value.__notes__)
    assert not (tmp_path / "out").exists()
    ledger = Ledger.open(tmp_path / "ledger.jsonl", "people")
    assert ledger.record(1)["spent"]["rho"] == 0.5


CLIP_AT = "policy.toml: statistics[0].clip"
IS_MEAN = " (statistics[0] is 'mean pay')"
LEVELS = f"{CLIP_AT}.high: expected quantiles 0 < low < high < 1, 0.001 apart at least, got low = "
BAD: dict[str, tuple[Any, str]] = {
    "the whole budget": (
        ({**MEAN, "clip": {**CLIP, "share": 1.0}},),
        f"{CLIP_AT}.share: expected a number < 1, got 1.0{IS_MEAN}",
    ),
    "none of it": (
        ({**MEAN, "clip": {**CLIP, "share": 0.0}},),
        f"{CLIP_AT}.share: expected a number > 0, got 0.0{IS_MEAN}",
    ),
    "next to none": (
        ({**MEAN, "clip": {**CLIP, "share": 1e-7}},),
        f"{CLIP_AT}.share: expected 1e-06 to 1, got 1e-07: of less nothing can be chosen{IS_MEAN}",
    ),
    "reversed": (
        ({**MEAN, "clip": {**CLIP, "low": 0.98, "high": 0.02}},),
        f"{LEVELS}0.98 and high = 0.02{IS_MEAN}",
    ),
    "alike": (({**MEAN, "clip": {**CLIP, "low": 0.98}},), f"{LEVELS}0.98 and high = 0.98{IS_MEAN}"),
    "no end at all": (
        ({**MEAN, "clip": {**CLIP, "low": 0.0001}},),
        f"{LEVELS}0.0001 and high = 0.98{IS_MEAN}",
    ),
    "all of it in two draws": (
        ({**MEAN, "clip": {**CLIP, "share": 0.5}}, {**AGES, "clip": {**CLIP, "share": 0.5}}),
        "policy.toml: statistics[1].clip.share: the ends of clipping take 1 of the budget together: expected less than 1, since the rest pays for "
        "all numbers; one draw serves statistics with the same column, where and clip (statistics[1] is 'mean age')",
    ),
    "of a count": (
        ({"name": "mean pay", "measure": "count", "clip": CLIP},),
        f"{CLIP_AT}: belongs to sum and mean, this is a count: leave it out{IS_MEAN}",
    ),
    "of a variance": (
        ({**MEAN, "measure": "variance"},),
        f"{CLIP_AT}: belongs to sum and mean, this is a variance: leave it out{IS_MEAN}",
    ),
    "of a category": (
        ({**MEAN, "column": "sex", "by": []},),
        f"policy.toml: statistics[0].column: 'sex' is no number; expected one of: age, pay{IS_MEAN}",
    ),
    "no share": (
        ({**MEAN, "clip": {"low": 0.02, "high": 0.98}},),
        f"{CLIP_AT}.share: this key is missing: the part of the whole budget that choosing them costs, such as 0.1{IS_MEAN}",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_a_clip_that_cannot_be_meant_is_refused(name: str) -> None:
    with pytest.raises(SpecError) as caught:
        asked(Path(), *BAD[name][0])
    assert str(caught.value) == BAD[name][1]


@pytest.mark.parametrize(
    ("pay", "said"),
    [
        ({"low": 1e6, "high": 1e6 + 5}, "too near each other for their size to choose ends between them"),
        ({"low": None}, "low: this key is missing: .* it is declared, never read off the data"),
        ({"role": "public"}, 'expected role = "private" or "drop"'),
    ],
)
def test_ends_are_chosen_within_declared_ends_of_a_private_number(pay: dict[str, Any], said: str) -> None:
    column = {k: v for k, v in {**PAY, **pay}.items() if v is not None}
    with pytest.raises(SpecError, match=said):
        asked(Path(), MEAN, columns=(SEX, column, AGE, KEY))


def test_sums_between_ends_are_few_although_intervals_are_many() -> None:
    part = next(p for p in kind_of(MEAN).workload.parts if isinstance(p, ClippedSums))
    assert part.stated().describe() == "sums by 2 disjoint cells of numbers in [-1048576, 1048576]"
    assert part.transformed(part.measurement.zeros()).tolist() == [[0], [0]]
