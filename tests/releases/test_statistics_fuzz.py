"""Random policies of statistics with hostile tables: refused with one message, or summed as documented and released as promised."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from made_policies import policy_text
from plain_sums import edges_of, exact, in_edges, refused
from random_statistics import Case, Entries, as_arrow, neighbours, random_case, write_csv
from sealed_release import verify

from noiseproof.audit.release.kinds.statistics import StatisticsKind
from noiseproof.audit.release.not_met import PolicyNotMetError
from noiseproof.audit.release.policy import Policy, parse_policy
from noiseproof.audit.release.releasing import release
from noiseproof.audit.release.statistics.records import Records, fresh_key
from noiseproof.audit.release.tables import open_table
from noiseproof.mechanisms.statistics.chosen_quantiles import QuantilesDrawer
from noiseproof.mechanisms.statistics.clipped import ClippedMean, ClippedSum, DrawnEnds
from noiseproof.mechanisms.statistics.counts import Count
from noiseproof.mechanisms.statistics.figures import last_digit
from noiseproof.mechanisms.statistics.marginal_tables import MarginalsDrawer
from noiseproof.mechanisms.statistics.parts import SumsDrawer
from noiseproof.mechanisms.statistics.statistic import Statistic
from noiseproof.mechanisms.statistics.summing import AllTotals
from noiseproof.mechanisms.statistics.sums import Mean, Variance
from noiseproof.mechanisms.statistics.workload import Workload
from noiseproof.mechanisms.whole_noise import DiscreteGaussian, DiscreteLaplace
from noiseproof.mechanisms.whole_noise.cuts import extreme_costs
from noiseproof.symbolic.errors import SpecError

# What a policy may be refused for; each has a test of its own elsewhere.
FEW, MANY, RELEASES = 16, 1500, 150


def read(case: Case, folder: Path, **more: Any) -> Policy:
    parts = {"derived": case.derived} if case.derived else {}
    text = policy_text(
        case.columns, case.table, case.mechanism, case.limits, statistics=case.statistics, **parts, **more
    )
    return parse_policy(text.encode(), folder=folder)


def totals(policy: Policy, load: Workload, table: Any, key: Any) -> AllTotals:
    return load.totals(Records(policy, open_table(policy, table).raw, key).rows(load.measurements))


def configured(case: Case, folder: Path) -> StatisticsKind | None:
    """None where the policy is refused, with words."""
    try:
        return StatisticsKind.configure(read(case, folder))
    except (SpecError, PolicyNotMetError) as error:
        said = str(error)
    assert said
    assert "\n" not in said
    return None


def crowded(case: Case) -> bool:
    """Whether a person has more records than count."""
    names = [r[case.person] for r in case.rows] if case.person else []
    return any(names.count(n) > case.bound for n in names)


# --- sums ------------------------------------------------------------------------------------------------------------


def agrees(case: Case, stated: Entries, one: Statistic, found: AllTotals) -> None:
    """The sums that a statistic is drawn from are those that the page on statistics describes."""
    true = exact(case, stated)
    parts = [part.measurement for part in one.parts]
    measure = stated["measure"]
    if measure == "marginals":
        for table in dict.fromkeys(names for names, _ in true):
            here = one.parts[0].summed(found[parts[0]], tuple(table)).ravel().tolist()  # type: ignore[attr-defined]
            # Cells come in the order of the columns of the statistic.
            assert here == [v for (names, _), v in true.items() if names == table], (stated, table)
        return
    if measure == "distinct":
        here = one.parts[0].transformed(found[parts[0]])[:, 0].tolist()  # type: ignore[attr-defined]
        assert here == list(true.values()), stated
        return
    if measure in ("count", "persons", "undeclared", "top"):
        assert found[parts[0]][:, 0].tolist() == list(true.values()), stated
        return
    if measure in ("histogram", "quantiles"):
        edges = stated.get("edges") or _edges(case, stated)
        counts = [n for values in true.values() for n in in_edges(values, edges)]
        assert found[parts[0]][:, 0].tolist() == counts, stated
        return
    if measure == "ranges":
        edges = stated.get("edges") or _edges(case, stated)
        for part in one.parts:
            # Cells, wider ones, all of them together, or whole-number queries of cells.
            last = part.measurement.axes[-1].edges if part.measurement.axes else None
            counts = [
                n
                for values in true.values()
                for n in in_edges(values, list(last or edges[:: len(edges) - 1]))
            ]
            assert found[part.measurement][:, 0].tolist() == counts, stated
        return
    amount = one.amount  # type: ignore[attr-defined]
    counts = [len(values) for values in true.values()]
    sums = [sum(map(Fraction, values), Fraction(0)) for values in true.values()]
    # Of sums between drawn ends those between the declared ones.
    here = [int(v) * amount.step for v in one.parts[0].transformed(found[parts[0]])[:, 0]]  # type: ignore[attr-defined]
    if isinstance(one, Mean):
        assert found[parts[-1]][:, 0].tolist() == counts, stated
        here = [s + amount.centre * n for s, n in zip(here, counts, strict=True)]
    for got, wanted, n in zip(here, sums, counts, strict=True):
        assert abs(got - wanted) <= n * (amount.rounding + amount.step / 1000), stated
    if isinstance(one, Variance):
        assert one.square is not None
        for got, values in zip(found[parts[1]][:, 0], true.values(), strict=True):
            wanted = sum(((Fraction(v) - amount.centre) ** 2 for v in values), Fraction(0))
            reach = max(abs(amount.least), abs(amount.most)) * amount.step
            each = one.square.rounding + 2 * reach * (amount.rounding + amount.step / 1000)
            assert abs(int(got) * one.square.step - wanted) <= len(values) * each, stated


def _edges(case: Case, stated: Entries) -> list[float]:
    column = next(c for c in (*case.columns, *case.derived) if c["name"] == stated["column"])
    low, high, bins = column["low"], column["high"], stated.get("bins")
    if bins is None and column.get("kind") == "integer" and high - low < 2**16:
        return [v - 0.5 for v in range(low, high + 2)]
    return edges_of(low, high, bins or 4096)


def check_sums(case: Case, folder: Path) -> bool:
    """Whether there were sums to compare."""
    kind = configured(case, folder)
    if kind is None:
        return False
    policy, load = kind.policy, kind.workload
    tables: list[Any] = [as_arrow(case), as_arrow(case, encoded=True)]
    if case.rows:
        tables.append(folder / "table.csv")
        write_csv(case, tables[-1])
    key = fresh_key()
    for table in tables:
        if refused(case):
            with pytest.raises(SpecError, match="the policy refuses that"):
                totals(policy, load, table, key)
            continue
        found = totals(policy, load, table, key)
        if crowded(case):
            names = [r[case.person] for r in case.rows]
            most = sum(min(case.bound, names.count(n)) for n in set(names))
            assert all(
                0 <= found[p.measurement].sum() <= most
                for s in load.statistics
                if isinstance(s, Count)
                for p in s.parts
            )
            continue
        # A statistic of the policy is one of the workload, but for those that have no draw of their own.
        asked = [s for s in load.statistics if not isinstance(s, DrawnEnds)]
        for stated, one in zip(case.statistics, asked, strict=True):
            agrees(case, stated, one, found)
            publishes(case, stated, one, without_noise(load, found))
    return not refused(case)


def without_noise(load: Workload, found: AllTotals) -> Any:
    """What would be drawn if all noise were 0: then what is published are the true numbers, in their groups."""
    drawn: dict[Any, Any] = {}
    for part, drawer in load.drawers.items():
        totals_of_part = found[part.measurement]
        if isinstance(drawer, MarginalsDrawer):
            tables = [drawer.part.summed(totals_of_part, marginal).ravel() for marginal in drawer.drawers]
            noisy = np.concatenate(tables)[:, None]
        elif isinstance(drawer, SumsDrawer):
            noisy = drawer.at(drawn).part.transformed(totals_of_part)  # type: ignore[attr-defined]
        else:
            assert isinstance(drawer, QuantilesDrawer)
            noisy = np.array([held(row, drawer.part.levels) for row in drawer.part.counts(totals_of_part)])
        drawn[part] = (drawer, noisy)
    return drawn


def held(counts: Any, levels: Any) -> list[int]:
    """The first groups that hold their levels."""
    upto = levels.denominator * np.cumsum(counts)
    return [int(np.searchsorted(upto, place * counts.sum())) for place in levels.places]


def publishes(case: Case, stated: Entries, one: Statistic, drawn: Any) -> None:
    """Without noise each number stands in its group, in its interval, and is the true one."""
    true, figures = exact(case, stated), list(one.figures(drawn))
    measure = stated["measure"]
    if isinstance(one, ClippedMean | ClippedSum):
        assert one.clip is not None
        least, most = one.clip.ends.ends(drawn)
        true = {key: [min(max(v, least), most) for v in values] for key, values in true.items()}
    if measure in ("top", "quantiles"):
        return
    if measure == "marginals":
        values = [v for _, v in true.items()]
        placed = [tuple(g for g in f.groups if g is not None) for f in figures]
        assert placed == [key for _, key in true]
        assert [f.quantity for f in figures] == [" x ".join(names) for names, _ in true]
    elif measure == "histogram":
        edges = stated.get("edges") or _edges(case, stated)
        values = [n for inside in true.values() for n in in_edges(inside, edges)]
        assert [f.groups[:-1] for f in figures[:: len(edges) - 1]] == list(true)
    elif measure == "ranges":
        edges = list(stated.get("edges") or _edges(case, stated))
        wanted = pairs_of(stated.get("ranges", "prefixes"), edges)
        cells = [in_edges(inside, edges) for inside in true.values()]
        values = [sum(counts[edges.index(a) : edges.index(b)]) for counts in cells for a, b in wanted]
        assert [f.groups[:-1] for f in figures[:: len(wanted)]] == list(true)
    else:
        assert [f.groups for f in figures] == list(true)
        values = [_value(measure, v) for v in true.values()]
    for figure, value in zip(figures, values, strict=True):
        if figure.value is None or value is None:
            continue
        low = -math.inf if figure.low is None else figure.low
        high = math.inf if figure.high is None else figure.high
        amount = getattr(one, "amount", None)
        reach = 1e-9 if amount is None else 1e-6 * (abs(amount.low) + abs(amount.high))
        if measure == "sum":
            reach *= len(case.rows)
        if measure == "variance":
            reach *= abs(amount.high - amount.low)
        assert low - reach <= value <= high + reach, (stated, figure, value)
        # Of means and variances digits that the noise makes useless are left out: the nearest number of those kept.
        reach += (
            last_digit((low, high)) / 2 if measure in ("mean", "variance") and one.target is None else 0.0
        )
        assert abs(figure.value - value) <= reach, (stated, figure, value)


def pairs_of(wanted: Any, edges: list[float]) -> list[tuple[float, float]]:
    """The ends of the ranges that are asked for."""
    if isinstance(wanted, list):
        return [(a, b) for a, b in wanted]
    starts = edges[:-1] if wanted == "all" else edges[:1]
    return [(a, b) for a in starts for b in edges if b > a]


def _value(measure: str, values: Any) -> float | None:
    if measure in ("count", "persons", "undeclared", "distinct"):
        return float(values)
    numbers = [Fraction(v) for v in values]
    if measure == "sum":
        return float(sum(numbers))
    if not numbers:
        return None
    mean = sum(numbers) / len(numbers)
    return float(mean if measure == "mean" else sum((v - mean) ** 2 for v in numbers) / len(numbers))


# --- neighbours ------------------------------------------------------------------------------------------------------


def loss(load: Workload, one: AllTotals, two: AllTotals) -> Fraction:
    """What two tables are told apart by, from the laws of the draws and how far these sums are apart: rho or epsilon."""
    gaussian, out = load.noise == "gaussian", Fraction(0)

    def of_law(law: Any, moved: Any) -> Fraction:
        if isinstance(law, DiscreteGaussian):
            return Fraction(sum(int(v) ** 2 for v in moved)) / (2 * law.proxy)
        assert isinstance(law, DiscreteLaplace)
        return Fraction(sum(abs(int(v)) for v in moved)) / law.scale

    for part, drawer in load.drawers.items():
        first, second = one[part.measurement], two[part.measurement]
        if isinstance(drawer, MarginalsDrawer):
            for marginal, inner in drawer.drawers.items():
                moved = drawer.part.summed(first, marginal) - drawer.part.summed(second, marginal)
                out += of_law(inner.law, moved.ravel())
        elif isinstance(drawer, SumsDrawer):
            out += of_law(
                drawer.law, (drawer.part.transformed(first) - drawer.part.transformed(second)).ravel()
            )
        else:
            assert isinstance(drawer, QuantilesDrawer)
            cells = zip(drawer.part.counts(first), drawer.part.counts(second), strict=True)
            extremes = [extreme_costs(a, b, drawer.part.levels) for a, b in cells if (a != b).any()]
            moved = [(up[1] - up[0]) - (down[1] - down[0]) for up, down in extremes]
            ranges = [drawer.epsilon * m / (2 * drawer.reach) for m in moved]
            out += sum((r**2 / 8 if gaussian else r for r in ranges), Fraction(0))
    return out


def check_neighbours(case: Case, folder: Path, seed: int) -> Fraction | None:
    """The largest loss of a few neighbours as a part of what is charged; None where nothing is summed."""
    kind = configured(case, folder)
    if kind is None or refused(case):
        return None
    load, largest = kind.workload, Fraction(0)
    assert load.cost <= Fraction(repr(kind.spent)) <= load.budget
    for pair in neighbours(case, seed):
        key = fresh_key()
        sides = [totals(kind.policy, load, as_arrow(c), key) for c in pair]
        found = loss(load, *sides)
        assert found <= load.cost, (case.statistics, float(found), float(load.cost))
        largest = max(largest, found / load.cost)
    return largest


# --- whole releases --------------------------------------------------------------------------------------------------


def check_release(case: Case, folder: Path) -> str:
    """What became of it: "released", or why not; then nothing is written and nothing charged."""
    import pyarrow.parquet as pq

    asked = dict.fromkeys(case.limits, 50.0)
    if "delta" in asked:
        asked["delta"] = 1e-3
    ledger = {"path": "ledger.jsonl", "table_id": "t", "create": True, "budget": asked}
    before, refusal = sorted(folder.iterdir()), None
    try:
        policy = read(case, folder, ledger=ledger, audit={"samples": 20_000, "alpha": 0.001})
        done = release(policy, folder / "out", table=as_arrow(case))
    except (SpecError, PolicyNotMetError) as error:
        refusal = error
    if refusal is not None:
        assert sorted(folder.iterdir()) == before
        assert str(refusal)
        # The trial itself never stands in the way of a policy that can be read.
        reasons = getattr(refusal, "reasons", ())
        assert all("too small" in r or "need" in r for r in reasons), (reasons, case)
        return "not met" if reasons else "refused"
    table = pq.read_table(folder / "out" / "data.parquet")
    kind = StatisticsKind.configure(policy)
    assert table.num_rows == kind.workload.rows
    assert table.schema.equals(kind.schema)
    for row in table.to_pylist():
        ends = [v for v in (row["low"], row["value"], row["high"]) if v is not None]
        assert ends == sorted(ends), row
        assert all(map(math.isfinite, ends))
    names = table.column_names[:-5]
    groups = [tuple(row[n] for n in names) for row in table.to_pylist()]
    assert len(set(groups)) == len(groups)
    failed = [str(c) for c in verify(folder / "out", ledger=folder / "ledger.jsonl") if c.state == "fails"]
    assert not failed, failed
    assert done.manifest.verdict in ("SURVIVED", "PROVED")
    return "released"


# --- the tests -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("first", range(0, FEW, 8))
def test_sums_are_those_of_the_page(first: int, tmp_path: Path) -> None:
    for seed in range(first, first + 8):
        check_sums(random_case(seed), tmp_path)


@pytest.mark.parametrize("seed", range(FEW, FEW + 6))
def test_neighbours_cost_no_more_than_is_charged(seed: int, tmp_path: Path) -> None:
    check_neighbours(random_case(seed, 12), tmp_path, seed)


@pytest.mark.long
@pytest.mark.parametrize("first", range(0, MANY, 50))
def test_many_sums_and_neighbours(first: int, tmp_path: Path) -> None:
    seeds = range(1000 + first, 1000 + first + 50)
    assert sum(check_sums(random_case(seed), tmp_path) for seed in seeds) >= 25
    found = [check_neighbours(random_case(seed, 12), tmp_path, seed) for seed in seeds]
    # The proof is no more than twice too careful for some of them.
    assert max(v for v in found if v is not None) > Fraction(1, 2)


@pytest.mark.long
@pytest.mark.parametrize("first", range(0, RELEASES, 10))
def test_many_releases(first: int, tmp_path: Path) -> None:
    outcomes = []
    for seed in range(10_000 + first, 10_000 + first + 10):
        folder = tmp_path / str(seed)
        folder.mkdir()
        outcomes.append(check_release(random_case(seed), folder))
    assert outcomes.count("released") >= 3, outcomes
