"""The data dictionary of released statistics: every column of the data file, and how each number, interval and mark was made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .markdown import escape
from .release_facts import release_facts
from .statistics_facts import KIND, ReleasedStatistics, StatisticFacts, statistics_facts
from .text import number

NAME = "data-dictionary.md"
_COLUMNS = (
    ("statistic", "text", "the name of the statistic in the policy"),
    (
        "quantity",
        "text",
        "which number of the statistic it is: its measure, a quantile, an end of clipping, a place among the top, and which records it counts",
    ),
    ("value", "double", "the released number; empty where its noise leaves nothing to say"),
    ("low", "double", "the lower end of its interval; empty where there is none"),
    ("high", "double", "the upper end of its interval; empty where there is none"),
    (
        "noise",
        "text",
        "the law of the noise in the sums that it is computed from, with its deviation and, where they are not whole numbers, their steps",
    ),
    (
        "suppressed",
        "true or false",
        "whether the number is to be left out of a table, by a rule on released values alone",
    ),
)


def data_dictionary(manifest: Mapping[str, Any]) -> str:
    """The content of data-dictionary.md; ValueError for a manifest of another kind, or a damaged one."""
    found = statistics_facts(manifest)
    if found is None:
        raise ValueError(f'expected the manifest of a release with mechanism.kind = "{KIND}"')
    facts = release_facts(manifest)
    lines = [
        f"# {escape(facts.title)}: data dictionary",
        "",
        "One row is one released number. Rows stand in the order of the policy and of the declared groups.",
        "",
        *_columns(found),
        *_numbers(found),
        *_draws(found),
        "## How to use it",
        "",
        "- An interval holds the number without noise, of the clipped and counted records, with its probability; before it is cut at declared "
        "ends, which takes nothing true away. Intervals hold one by one: of 100 of them about 5 miss.",
        "- The interval is about the table, not about a population from which the table may be a sample.",
        "- Whoever computes further with the numbers needs no further budget, and carries the noise along.",
        "- In CSV files a text or a heading that begins with =, +, -, @ or an apostrophe has one apostrophe more before it, so that a spreadsheet "
        "shows it and does not run it: leave the first one out to have the name. `npf.read_statistics` does; a Parquet file has names as they are.",
        "- Marks, intervals and digits are computed from noisy values and declared facts alone.",
        "",
    ]
    return "\n".join(lines)


def _columns(found: ReleasedStatistics) -> list[str]:
    groups = dict.fromkeys(name for one in found.statistics for name in one.groups)
    group = [
        (name, "text", "a declared group; empty where the statistic has no such group") for name in groups
    ]
    rows = [*_COLUMNS[:2], *group, *_COLUMNS[2:]]
    table = [f"| {escape(name)} | {kind} | {escape(said)} |" for name, kind, said in rows]
    return ["## Columns", "", "| column | type | what it holds |", "| --- | --- | --- |", *table, ""]


def _numbers(found: ReleasedStatistics) -> list[str]:
    lines = [
        "## Statistics",
        "",
        "| statistic | is | unit | by | records | numbers | interval | its probability | suppressed if |",
        "| --- | --- | --- | --- | --- | ---: | --- | ---: | --- |",
    ]
    return [*lines, *map(_row, found.statistics), ""]


def _row(one: StatisticFacts) -> str:
    chance = f"{one.probability:.9g}" if one.probability else "none"
    by = ", ".join(one.groups) or "nothing"
    cells = (one.name, one.measure, one.unit, by, one.records, number(one.numbers), one.interval, chance)
    return f"| {' | '.join(map(escape, (*cells, one.suppressed)))} |"


def _draws(found: ReleasedStatistics) -> list[str]:
    lines = [
        "## What was drawn",
        "",
        "Every number is computed from these noisy sums and choices; a quotient from two or three of them.",
        "",
        f"| draw | what is summed | noise | {found.currency} | of the whole |",
        "| --- | --- | --- | ---: | ---: |",
    ]
    for one in found.shares:
        cells = (one.part, one.adds, one.noise, one.cost, f"{one.percent:.3g} %")
        lines.append(f"| {' | '.join(map(escape, cells))} |")
    return [*lines, ""]
