"""Intervals, marks and words of released numbers follow from value and law: what was set onto the value is found, and nothing that is true."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from made_policies import policy_text
from random_statistics import as_arrow, random_case

from noiseproof.audit.record.plain import json_text, plain
from noiseproof.audit.release.kinds.statistics import StatisticsKind
from noiseproof.audit.release.not_met import PolicyNotMetError
from noiseproof.audit.release.policy import parse_policy
from noiseproof.audit.release.statistics.published import record_of
from noiseproof.audit.release.statistics.recomputed import misfits
from noiseproof.audit.release.statistics.records import Records, fresh_key
from noiseproof.audit.release.tables import open_table
from noiseproof.mechanisms.grid_noise import secure_bits
from noiseproof.mechanisms.statistics.counts import Count
from noiseproof.mechanisms.statistics.sums import Mean, Sum
from noiseproof.mechanisms.statistics.workload import Workload
from noiseproof.symbolic.errors import SpecError

Rows = list[dict[str, Any]]


def released(seed: int, folder: Path, most_rows: int) -> tuple[Workload, Rows] | None:
    """What a random policy publishes of a random table; None where it is refused."""
    case = random_case(seed, most_rows)
    parts = {"derived": case.derived} if case.derived else {}
    text = policy_text(
        case.columns, case.table, case.mechanism, case.limits, statistics=case.statistics, **parts
    )
    try:
        policy = parse_policy(text.encode(), folder=folder)
        load = StatisticsKind.configure(policy).workload
        rows = Records(policy, open_table(policy, as_arrow(case)).raw, fresh_key()).rows(load.measurements)
        drawn = load.draw(load.totals(rows), secure_bits())
    except (SpecError, PolicyNotMetError):
        return None
    found = plain([record_of(load, s, figure) for s, figure in load.figures(drawn)])
    return load, json.loads(json_text(found))


def forgeries(row: dict[str, Any]) -> list[dict[str, Any]]:
    """The ends on the value, either of them half as far, the mark turned, another noise."""
    value, low, high = row["value"], row["low"], row["high"]
    if None in (value, low, high) or low == high:
        return []
    found = [
        {"low": value, "high": value},
        {"suppressed": not row["suppressed"]},
        {"noise": "gaussian, deviation 1"},
    ]
    found += [{"low": (low + value) / 2}] if low < value else []
    return found + ([{"high": (high + value) / 2}] if value < high else [])


def fuzz(folder: Path, seeds: range, most_rows: int = 300) -> tuple[int, list[str]]:
    """Forgeries tried, and what was wrong: a true number doubted, a forged one believed."""
    tried, wrong = 0, []
    for seed in seeds:
        found = released(seed, folder, most_rows)
        if found is None:
            continue
        load, rows = found
        wrong += [f"{seed}: {said}" for said in misfits(load, rows)]
        places = dict.fromkeys((seed * 7 + i * len(rows) // 6) % len(rows) for i in range(6))
        of = [s for s in load.statistics for _ in range(s.rows)]
        for place in places:
            exact = isinstance(of[place], Count | Sum) or type(of[place]) is Mean
            if rows[place]["value"] == 0 and not exact:
                continue  # where a fitted number lies far below 0, nothing but 0 is left of its interval
            at_an_end = rows[place]["value"] in (0, *(of[place].ends or ()))
            for change in forgeries(rows[place])[: None if exact and not at_an_end else 1]:
                forged = copy.deepcopy(rows)
                forged[place] |= change
                tried += 1
                if not list(misfits(load, forged)):
                    wrong.append(f"{seed}: {type(of[place]).__name__} believed with {change}: {rows[place]}")
    return tried, wrong


def test_no_true_number_is_doubted_and_no_forged_interval_believed(tmp_path: Path) -> None:
    tried, wrong = fuzz(tmp_path, range(25))
    assert wrong == []
    assert tried > 60


@pytest.mark.long
def test_a_thousand_random_releases(tmp_path: Path) -> None:
    assert fuzz(tmp_path, range(100, 1_100), 2_000)[1] == []
