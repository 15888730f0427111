"""Derivations as lines of a terminal: formulas, steps with their truths, values, the word."""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter
from typing import Any

from noiseproof.console import say, say_styled

_STYLES = {"holds": "green", "fails": "bold red", "unknown": "bold yellow", "cited": "dim"}
_HEADLINES = {
    "derived": "bold green",
    "enclosed": "bold cyan",
    "bounded": "bold green",
    "irregular": "bold red",
    "unknown": "bold yellow",
    "nothing": "bold",
    "infeasible": "bold red",
    "unbounded": "bold red",
    "unattained": "bold red",
    "infinite": "bold red",
}


def print_derivation(record: dict[str, Any]) -> None:
    """A derivation of either kind."""
    if record["schema"] == "noiseproof-problem-1":
        _print_problem(record)
    else:
        _print_law(record)


def _print_problem(record: dict[str, Any]) -> None:
    """A program, a functional or a query: what was stated, the parts with their formulas, facts and steps, the word."""
    from rich.text import Text

    say(record["title"])
    _print_rows(record["statement"])
    for part in record["sections"]:
        say(f"{part['title']}:" + (f" {part['words']}" if part["words"] else ""))
        _print_rows(part["rows"])
        if part is record["sections"][0]:
            _print_cases(record["answer"].get("cases", []))
        for one in part["facts"]:
            line = Text("     ")
            line.append(f"{one['truth']:<8}", style=_STYLES.get(one["truth"], ""))
            line.append(f"{one['name']}: {one['reason']}")
            say_styled(line)
        _print_steps(part["derivation"])
    _print_outcome(record)


def _print_rows(rows: list[dict[str, str]]) -> None:
    """Formulas, each with its note; several of one kind below its name."""
    for note, group in groupby(rows, key=itemgetter("note")):
        lines = [f"{row['left']} {row['relation']} {row['right']}" * bool(row["relation"]) for row in group]
        if note and len(lines) > 1:
            say(f"  {note}:", *(f"    {line}" for line in lines))
        else:
            said = f"   ({note})" if note and lines[0] else note
            say(*(f"  {line}{said}" for line in lines))


def _print_cases(cases: list[dict[str, Any]]) -> None:
    """The cases as one table: where, the minimiser, the value, the equations that hold."""
    rows = [("where", "at", "value", "equations that hold")] * bool(cases)
    for c in cases:
        point = ", ".join(f"{name} = {e}" for name, e in c["minimiser"].items())
        ends = (", ".join(c[key]) or none for key, none in (("where", "everywhere"), ("active", "none")))
        rows.append((next(ends), point, c["value"], next(ends)))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for k, row in enumerate(rows):
        say(f"  {k or '':<2} " + "   ".join(map(str.ljust, row, widths)).rstrip())


def _print_outcome(record: dict[str, Any]) -> None:
    from rich.text import Text

    line = Text("outcome: ")
    line.append(record["outcome"].upper(), style=_HEADLINES[record["outcome"]])
    say_styled(line)


def _print_law(record: dict[str, Any]) -> None:
    """The derivation as lines: the law, the steps with their truths, the value, the numbers, the word."""
    say(record["title"])
    for row in record["model"]["formulas"]:
        say(f"  {row['left']} = {row['right']}{'   for ' + row['where'] if row['where'] else ''}")
    found = record["information"]
    if found is not None:
        _print_steps(found["derivation"])
        _print_information(record, found)
    _print_outcome(record)


def _print_steps(rows: list[dict[str, str]]) -> None:
    from rich.text import Text

    number = 0
    for row in rows:
        cited = row["truth"] == "cited"
        number += not cited
        line = Text("     " if cited else f"{number:>3}  ")
        line.append(f"{row['truth']:<8}", style=_STYLES.get(row["truth"], ""))
        line.append(row["reason"] if cited else f"{row['left']} {row['relation']} {row['right']}")
        if not cited:
            line.append(f"   ({row['reason']})", style="dim")
        say_styled(line)


def _print_information(record: dict[str, Any], found: dict[str, Any]) -> None:
    from rich.text import Text

    names, count = found["parameters"], record["asked"]["observations"]
    many = f" in {count:,} independent observations" if count > 1 else ""
    say(f"information about {', '.join(names)}{many}:")
    _print_entries(record, found, names)
    line = Text("regular: ")
    line.append(found["regular"], style=_STYLES.get(found["regular"], ""))
    line.append(f"; {found['reason']}")
    say_styled(line)
    for one in found["conditions"]:
        line = Text("     ")
        line.append(f"{one['truth']:<8}", style=_STYLES.get(one["truth"], ""))
        line.append(f"{one['name']}: {one['reason']}")
        say_styled(line)
    if found["routes"]:
        say(f"routes: {', '.join(found['routes'])}")
    for rest in record["left"]:
        say(f"left after {rest['after']}:")
        if rest["information"] is None:
            say(f"  unknown; {rest['reason']}")
        else:
            _print_entries(record, rest["information"], names)
    for bound in record["bounds"]:
        say(f"bound: {bound['sentence']}")
        _print_entries(record, bound, record["asked"]["estimand"])


def _print_entries(record: dict[str, Any], found: dict[str, Any], names: list[str]) -> None:
    """The lower triangle of a matrix: its formulas, and what they are in numbers."""
    from noiseproof.reports.text import interval

    at = ", ".join(f"{k} = {v}" for k, v in record["asked"]["at"].items())
    for i, one in enumerate(names):
        for j, other in enumerate(names[: i + 1]):
            place = f"  {one}, {other}: " if len(names) > 1 else "  "
            parts = [] if found["value"] is None else [found["value"][i][j]]
            if found["numbers"] is not None:
                parts.append(
                    f"{interval(found['numbers'][i][j])} at {at}" if at else interval(found["numbers"][i][j])
                )
            if parts:
                say(place + "   that is ".join(parts))
    if found["numbers"] is None:
        # A formula alone would leave out in silence what it is at the values that were asked for.
        none = "none" if found["value"] is None else "no number"
        if found["value"] is None or found["no_numbers"]:
            say(f"  {none}" + (f"; {found['no_numbers']}" if found["no_numbers"] else ""))
