"""The commands `noiseproof policy`: a policy to be filled in, from the header of a table, and what of the table it leaves out."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from noiseproof.console import reported_errors, say, write_new
from noiseproof.help_sections import Sections
from noiseproof.shared_options import Debug

policy = typer.Typer(
    name="policy",
    cls=Sections,
    help="Write and check a release policy for a table.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@policy.callback()
def _group() -> None: ...


@policy.command()
def init(
    table: Annotated[Path, typer.Argument(metavar="TABLE", help="A CSV or Parquet file.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The policy; default: policy.toml beside the table.")
    ] = None,
    kind: Annotated[
        str, typer.Option(metavar="laplace|statistics", help="Noisy rows, or counts and means by group.")
    ] = "laplace",
    debug: Debug = False,
) -> None:
    """Write a policy from a table's header and types; you declare the bounds."""
    with reported_errors(debug):
        from noiseproof.audit.release.checklist.template import answers_template
        from noiseproof.audit.release.policy.template import policy_template
        from noiseproof.symbolic.errors import SpecError

        path = output or table.parent
        path = path / "policy.toml" if path.is_dir() else path
        if not table.is_file():
            raise SpecError("no such file; expected a table, CSV or Parquet", file=str(table))
        if not table.resolve().is_relative_to(path.parent.resolve()):
            raise SpecError(
                "the table must lie in the folder of the policy, or below it: write the policy beside the table",
                key="--output",
                file=str(path),
            )
        inside = table.resolve().relative_to(path.parent.resolve()).as_posix()
        text = policy_template(table, inside, kind) + answers_template()
        write_new({path: text}, "name another file with --output")
        run, declare = ("calibrate", "") if kind == "laplace" else ("policy check", " groups")
        said = f"declare bounds{declare and ',' + declare} and limits in it"
        say(f"wrote {path}; {said}, then run: noiseproof {run} {shlex.quote(str(path))}")


@policy.command()
def check(
    policy: Annotated[Path, typer.Argument(metavar="POLICY.toml", help="The release policy.")],
    table: Annotated[Path | None, typer.Option(help="Another table, or a folder of Parquet files.")] = None,
    debug: Debug = False,
) -> None:
    """Count what a table holds beside what its policy declares.

    The counts are exact: they are for who may see the table, and nothing is written, charged or published.

    Exit code: 0 each column has declared values and none that the policy refuses, 1 one has not, 2 bad usage, policy or table.
    """
    with reported_errors(debug):
        from noiseproof.audit.release.policy import read_policy
        from noiseproof.audit.release.tables import open_table
        from noiseproof.audit.release.tables.screening import outside_counts, type_of

        read, stops = read_policy(policy), False
        batches = open_table(read, table).raw({c.name: type_of(c) for c in read.kept})
        say("exact counts of the table, for who may see it; publish none of them")
        for column, (name, found) in zip(read.kept, outside_counts(batches, read.kept).items(), strict=True):
            records, first = found.pop("records", 0), found.pop("first", 0)
            said = ", ".join(f"{count:,} {what}" for what, count in found.items() if count)
            place = f" (the first is record {first:,}: compare the {'form of dates' if column.date else 'spelling'})"
            rules = {what: getattr(column, what) for what in ("missing", "undeclared") if found[what]}
            bad = [what for what, rule in rules.items() if rule == "refuse"]
            none = sum(found[what] for what, rule in rules.items() if rule == "skip") == records
            end = "; NO record counts" if none else ""
            end = f"; the policy refuses what is {' or '.join(bad)}" if bad else end
            say(f"  {name}: of {records:,} records {said or 'all as declared'}{place if first else ''}{end}")
            stops |= bool(bad) or none
        if stops:
            say("correct a spelling in the table, not in the policy, which is published; then check again")
            raise typer.Exit(1)
        say(f"next: noiseproof calibrate {shlex.quote(str(policy))}")
