"""The commands `noiseproof ledger ...`: make the ledger of a table, show it, check it, hand it on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from noiseproof.console import reported_errors, say, say_data, write_all
from noiseproof.help_sections import Sections
from noiseproof.shared_options import Debug

if TYPE_CHECKING:
    from noiseproof.audit.release.ledger import Information, Ledger

ledger = typer.Typer(
    name="ledger",
    cls=Sections,
    help="Create, show and check the privacy ledger of a table.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

File = Annotated[Path, typer.Argument(metavar="LEDGER", help="The file of the ledger.")]
Table = Annotated[str | None, typer.Option("--table", help="The table of this ledger.")]


@ledger.command()
def create(
    path: File,
    table: Annotated[str, typer.Option("--table", help="The name of the table.")],
    unit: Annotated[str, typer.Option(help="The unit of privacy: record or person.")],
    adjacency: Annotated[str, typer.Option(help="replace-one or add-or-remove.")] = "replace-one",
    epsilon: Annotated[float | None, typer.Option(help="Budget of epsilon; of both with --delta.")] = None,
    delta: Annotated[
        float | None, typer.Option(help="Budget of delta; without --epsilon: delta for rho.")
    ] = None,
    rho: Annotated[float | None, typer.Option(help="Budget of zero-concentrated privacy.")] = None,
    order: Annotated[
        list[str] | None, typer.Option(help="ORDER=EPSILON, a Renyi budget; repeatable.")
    ] = None,
    slack: Annotated[float, typer.Option(help="Budget of total variation (--rho, --order).")] = 1e-12,
    information: Annotated[
        list[str] | None,
        typer.Option(help="COLUMN=VALUE/UNIT: budget of Fisher information in UNIT^-2; repeatable."),
    ] = None,
    debug: Debug = False,
) -> None:
    """Create the ledger of a table, with a fixed budget."""
    with reported_errors(debug):
        from noiseproof.audit.release.ledger import Cost, Ledger
        from noiseproof.symbolic.errors import SpecError

        renyi = tuple(_point(text) for text in order or ())
        converts = rho is not None or bool(renyi)
        if delta is not None and epsilon is None and not converts:
            raise SpecError("goes with --epsilon, --rho or --order", key="--delta")
        pure = epsilon is not None and delta is None
        budget = Cost(
            epsilon=epsilon if pure else None,
            approximate=(epsilon, delta) if epsilon is not None and delta is not None else None,
            rho=rho,
            renyi=renyi,
            delta_slack=slack if converts else 0.0,
            fisher_information=tuple(_information(text) for text in information or ()),
            unit=unit,
            adjacency=adjacency,
        )
        made = Ledger.create(path, table, budget, delta=delta if converts else None)
        say(f"ledger: {path} (keep {path.name}.head beside it)")
        for line in _totals(made):
            say(line)


@ledger.command()
def show(
    path: File,
    table: Table = None,
    page: Annotated[Path | None, typer.Option("--page", help="Also write this HTML page of charges.")] = None,
    debug: Debug = False,
) -> None:
    """Print entries, totals, the remaining budget and its meaning."""
    with reported_errors(debug):
        from noiseproof.audit.release.ledger import Ledger
        from noiseproof.audit.release.ledger.currency import shown

        opened = Ledger.open(path, table)
        book = opened.book()
        say(f"table {book.table_id}, per {book.budget.unit}, {book.budget.adjacency} neighbours")
        if book.entries:
            say("entries are numbered by line, so that numbers may skip")
        for e in book.entries.values():
            why = f" (withdrawn: {e.note})" if e.state == "withdrawn" else ""
            say(f"{e.number:>5}  {e.at}  {e.state:<9}  {shown(e.charge, e.cost)}  {e.what}{why}")
        for line in _totals(opened):
            say(line)
        if page is not None:
            from noiseproof.audit.release.ledger.export import exported
            from noiseproof.audit.release.ledger.history import history
            from noiseproof.reports.ledger_history import ledger_page

            text = ledger_page(exported(book, opened.head), history(book))
            write_all({page: text}, keep=(path, path.with_name(f"{path.name}.head")))
            say(f"page: {page}")


@ledger.command()
def check(
    path: File,
    table: Table = None,
    release: Annotated[
        list[Path] | None,
        typer.Option("--release", help="A release whose entry must be in the ledger; repeatable."),
    ] = None,
    head: Annotated[str | None, typer.Option("--head", help="A known hash that a line must have.")] = None,
    debug: Debug = False,
) -> None:
    """Check every line, every sum and the entries of known releases.

    Exit code: 0 it is whole, 1 it is not, 2 bad usage.
    """
    with reported_errors(debug):
        from noiseproof.audit.release.ledger import Ledger
        from noiseproof.symbolic.errors import SpecError, counted

        if not path.exists():
            raise SpecError("no such file; expected a ledger", file=str(path))
        records = [(folder, *_record(folder)) for folder in release or ()]
        try:
            opened = Ledger.open(path, table)
            remarks = opened.check()
            for folder, record, cost in records:
                try:
                    opened.confirm(record, cost)
                except SpecError as error:
                    raise SpecError(f"{folder}: {error.message}", file=error.file) from None
            if head is not None:
                opened.confirm_head(head)
        except SpecError as error:
            say(f"NOT WHOLE: {error}", err=True)
            raise typer.Exit(1) from None
        for remark in remarks:
            say(f"note: {remark}")
        book = opened.book()
        waiting = [str(n) for n, e in book.entries.items() if e.state == "reserved"]
        if waiting:
            say(
                f"note: reserved, neither published nor withdrawn: {', '.join(waiting)} (they count as spent)"
            )
        say(f"whole: {counted(len(book.entries), 'entry')}, head {opened.head}")


@ledger.command()
def export(
    path: File,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="File; default: print.")] = None,
    table: Table = None,
    debug: Debug = False,
) -> None:
    """Export the ledger as one JSON document."""
    with reported_errors(debug):
        from noiseproof.audit.record.plain import json_text
        from noiseproof.audit.release.ledger import Ledger

        found = Ledger.open(path, table).export()
        if output is None:
            say_data(found)
        else:
            write_all({output: json_text(found)}, keep=(path, path.with_name(f"{path.name}.head")))


@ledger.command()
def settle(path: File, entry: int, debug: Debug = False) -> None:
    """Record that a reserved entry was published, after a crash."""
    with reported_errors(debug):
        from noiseproof.audit.release.ledger import Ledger

        Ledger.open(path).settle(entry)
        say(f"entry {entry} is settled")


@ledger.command()
def withdraw(
    path: File,
    entry: int,
    why: Annotated[str, typer.Option(help="Why nobody has seen what was drawn under it.")],
    debug: Debug = False,
) -> None:
    """Cancel a reservation, if nobody has seen its draw."""
    with reported_errors(debug):
        from noiseproof.audit.release.ledger import Ledger

        Ledger.open(path).withdraw(entry, why)
        say(f"entry {entry} is withdrawn")


@ledger.command()
def adopt(
    path: File,
    head: Annotated[str, typer.Option("--head", help="The hash in the last release of the table.")],
    debug: Debug = False,
) -> None:
    """Rebuild the head file of a moved or restored ledger."""
    with reported_errors(debug):
        from noiseproof.audit.release.ledger import adopt as adopt_ledger

        adopt_ledger(path, head)
        say(f"head: {path}.head")


def _totals(opened: Ledger) -> list[str]:
    from noiseproof.audit.release.ledger.currency import words
    from noiseproof.symbolic.errors import SpecError

    book = opened.book()
    spent, left = book.spent(), book.remaining()
    lines = [
        f"{words(name)}: {float(spent[name]):.6g} spent, {float(left[name]):.6g} left of {float(limit):.6g}"
        for name, limit in book.limits.items()
    ]
    unsaid: dict[str, list[str]] = {}
    for of in ("budget", "spent"):
        if of == "spent" and not any(spent.values()):
            lines.append("spent: nothing yet")
            continue
        try:
            said = opened.statement(of)
        except SpecError as error:
            unsaid.setdefault(error.message, []).append(of)
            continue
        if said is not None:
            lines.append(f"{of}: (epsilon, delta) = ({said.epsilon:.6g}, {said.delta:g}). {said.covers}")
    lines += [f"{' and '.join(of)} as (epsilon, delta): {why}" for why, of in unsaid.items()]
    for column in opened.information():
        bound = column.error_bound
        unit = "" if column.unit == "unit of the column" else f" {column.unit}"
        what = "no bound follows" if bound is None else f"typical error at least {bound**0.5:.6g}{unit}"
        lines.append(
            f"information about {column.about!r}: {float(column.total):.6g}{unit and f'{unit}^-2'}; {what} (unbiased attackers only; others can do better)"
            + (f"; not stated by entries {', '.join(map(str, column.unstated))}" if column.unstated else "")
        )
    return lines


def _point(text: str) -> tuple[float, float]:
    order, _, value = text.partition("=")
    return _number("--order", order, text), _number("--order", value, text)


def _information(text: str) -> Information:
    from noiseproof.audit.release.ledger import Information
    from noiseproof.symbolic.errors import SpecError

    about, _, rest = text.rpartition("=")
    value, _, unit = rest.partition("/")
    if not (about and unit):
        raise SpecError(f"expected COLUMN=VALUE/UNIT, got {text!r}", key="--information")
    return Information(about, _number("--information", value, text), unit)


def _number(key: str, value: str, text: str) -> float:
    from noiseproof.symbolic.errors import SpecError

    try:
        return float(value)
    except ValueError:
        raise SpecError(f"expected a number, got {value!r} in {text!r}", key=key) from None


def _record(folder: Path) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """What a release says of its entry, and its cost."""
    from noiseproof.audit.record.reading.strict_json import read_strict_file
    from noiseproof.symbolic.errors import SpecError

    file = folder / "release.json" if folder.is_dir() else folder
    if not file.is_file():
        raise SpecError("no such file; expected a release", file=str(file))
    try:
        data = read_strict_file(file)
        return data["ledger"] | {}, data.get("costs")
    except OSError as error:
        raise SpecError(f"cannot read: {error.strerror}; expected a release", file=str(file)) from None
    except (ValueError, RecursionError):
        raise SpecError("not JSON", file=str(file)) from None
    except (KeyError, TypeError, AttributeError):
        raise SpecError("this release names no entry of a ledger", file=str(file)) from None
