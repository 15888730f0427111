"""The data card of a release: one Markdown file for those who receive the data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..audit.record.certificate import Certificate
from ..audit.release.checklist.item import Item
from .compliance import checklist_markdown, counts
from .markdown import escape
from .release_facts import ReleaseFacts, release_facts
from .statistics_facts import ReleasedStatistics, statistics_facts
from .text import number
from .words import overall


def data_card(manifest: Mapping[str, Any], certificate: Mapping[str, Any], checklist: Sequence[Item]) -> str:
    """The content of data-card.md; text from policy and table cannot become markup.  ValueError as for the page."""
    facts, numbers = release_facts(manifest), statistics_facts(manifest)
    headline = overall(Certificate.from_data(certificate).to_dict())
    sections = [
        [f"# {escape(facts.title)}", "", f"Data card, {escape(facts.created)}.", ""],
        *([[f"Corrects release {escape(facts.corrects)}.", ""]] if facts.corrects else []),
        _guarantee(facts),
        *([_columns(facts), _errors(facts)] if numbers is None else [_statistics(facts, numbers)]),
        ["## What it does not mean", "", *(f"- {escape(one)}" for one in facts.does_not_mean), ""],
        ["## Audit", "", f"{escape(headline.text)}: {escape(headline.meaning)}", ""],
        [
            "## Checklist",
            "",
            "; ".join(f"{escape(word.text)}: {many}" for word, many in counts(checklist)),
            "",
        ],
        checklist_markdown(checklist),
        _files(facts),
    ]
    return "\n".join(line for section in sections for line in section)


def _guarantee(facts: ReleaseFacts) -> list[str]:
    ledger = "No ledger was kept." if facts.ledger is None else _list(facts.ledger)
    return [
        "## What is guaranteed",
        "",
        *(f"- {escape(sentence)}" for kind, sentence in facts.guarantees if kind != "information"),
        *([f"- {escape(facts.risk)}"] if facts.risk else []),
        "",
        f"- Unit of privacy: {escape(facts.unit_of_privacy)}",
        f"- Neighbours: {escape(facts.adjacency)}",
        f"- Mechanism: {escape(facts.mechanism)}; {_list(facts.parameters)}",
        f"- Cost: {_list(facts.costs)}",
        f"- Ledger: {ledger}",
        *(f"- {escape(sentence)}" for kind, sentence in facts.guarantees if kind == "information"),
        "",
    ]


def _columns(facts: ReleaseFacts) -> list[str]:
    lines = [
        "## Columns",
        "",
        f"Records: {'withheld' if facts.rows is None else number(facts.rows)}",
        "",
        "| column | unit | from | to | noise | step |",
        "| --- | --- | ---: | ---: | --- | ---: |",
    ]
    for one in facts.columns:
        step = "none" if one.exponent is None else f"2^{one.exponent}"
        cells = (one.name, one.unit, number(one.low), number(one.high))
        lines.append(f"| {' | '.join(map(escape, cells))} | {_list(one.noise)} | {escape(step)} |")
    unchanged = ", ".join(map(escape, facts.public)) or "none"
    return [*lines, "", f"Released as they are: {unchanged}", ""]


def _statistics(facts: ReleaseFacts, found: ReleasedStatistics) -> list[str]:
    lines = [
        "## Statistics",
        "",
        f"{found.numbers} numbers about groups, none about a record of its own. {escape(found.risk)}",
        "",
        "| statistic | is | by | numbers | noise | before anything was drawn |",
        "| --- | --- | --- | ---: | --- | --- |",
    ]
    for one in found.statistics:
        cells = (one.name, one.measure, ", ".join(one.groups) or "nothing", number(one.numbers), one.noise)
        lines.append(f"| {' | '.join(map(escape, cells))} | {_list(one.figures)} |")
    split = [f"- {escape(sentence)}" for sentence in found.sentences]
    return [
        *lines,
        "",
        f"Records: {'withheld' if facts.rows is None else number(facts.rows)}. Columns, intervals and marks: data-dictionary.md.",
        "",
        "## Split of the budget",
        "",
        escape(found.verdict),
        "",
        *split,
        "",
    ]


def _errors(facts: ReleaseFacts) -> list[str]:
    lines = ["## How well a record can be estimated", ""]
    lines += [f"- {escape(f'{one.said}. Against {one.against}')}" for one in facts.bounds]
    lines += [
        f"- Fisher information about {escape(f'{about}: {number(value)} {unit}')}"
        for about, value, unit in facts.information
    ]
    utility = facts.utility if isinstance(facts.utility, str) else _list(facts.utility)
    return [*lines, f"- Utility: {escape(utility) if isinstance(facts.utility, str) else utility}", ""]


def _files(facts: ReleaseFacts) -> list[str]:
    rows = [f"| {escape(name)} | {size} | {escape(digest)} |" for name, digest, size in facts.files]
    return ["## Files", "", "| file | bytes | SHA-256 |", "| --- | ---: | --- |", *rows, ""]


def _list(pairs: tuple[tuple[str, str], ...]) -> str:
    return ", ".join(escape(f"{name} {value}") for name, value in pairs) or "none"
