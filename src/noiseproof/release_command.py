"""The command `noiseproof release`: from a table and a policy to a release, or to nothing."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from noiseproof.console import print_summary, progress_bar, reported_errors, say, write_new
from noiseproof.shared_options import Debug, Quiet

if TYPE_CHECKING:
    from noiseproof.audit.release.policy import Policy
    from noiseproof.audit.release.releasing import Released

NOT_MET = 1


def release(
    policy: Annotated[Path, typer.Argument(metavar="POLICY.toml", help="The release policy.")],
    output: Annotated[Path | None, typer.Option("--output", "-o", help="New folder of the release.")] = None,
    table: Annotated[Path | None, typer.Option(help="Another table, or a folder of Parquet files.")] = None,
    salt: Annotated[
        Path | None,
        typer.Option(
            help="Secret salt of the table's digest; default: noiseproof.salt beside the policy. Keep it private."
        ),
    ] = None,
    digest: Annotated[bool, typer.Option("--digest/--no-digest", help="Record a salted digest.")] = True,
    workers: Annotated[int, typer.Option(min=1, help="Processes that share the audit.")] = 1,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the plan; open no table.")] = False,
    cluster: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS", help="Dask scheduler, tcp://HOST:PORT, to sum statistics of a folder."
        ),
    ] = None,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Release a table: audit its mechanism, then draw and charge.

    Writes data, certificate and pages, or nothing at all.

    Exit code: 0 released, 1 the policy is not met and nothing was written, 2 bad usage, policy or table, 3 internal
    error, 130 interrupted, 143 terminated.
    """
    with reported_errors(debug):
        from noiseproof.audit.release import release as released
        from noiseproof.audit.release.not_met import PolicyNotMetError
        from noiseproof.audit.release.policy import read_policy
        from noiseproof.symbolic.errors import SpecError

        read = read_policy(policy)
        if dry_run:
            _foretell(read)
            return
        if output is None:
            raise SpecError("expected -o DIR, the folder of the release, or --dry-run", key="--output")
        kept = (salt or policy.parent / "noiseproof.salt") if digest else None
        try:
            with progress_bar(quiet) as bar:
                done = released(
                    read,
                    output,
                    table=table,
                    salt=kept,
                    pages=pages,
                    progress=bar,
                    workers=workers,
                    cluster=cluster,
                )
        except PolicyNotMetError as error:
            say("the policy is not met, and nothing was written:", err=True)
            for reason in error.reasons:
                say(f"  {reason}", err=True)
            raise typer.Exit(NOT_MET) from None
        check = f"noiseproof policy check {shlex.quote(str(policy))}"
        asked = _questions(output, done, read.key_path)
        if not quiet:
            print_summary(done.certificate, output)
            data = output / "numbers.csv"
            say(f"data: {data if data.is_file() else output / done.manifest.files[0].name}")
            for guarantee in done.manifest.guarantees:
                say(f"{'note' if guarantee.kind == 'information' else 'released'}: {guarantee.sentence}")
            # Noisy numbers alone decide: to warn of the table itself would tell it from a neighbour.
            for said in _hidden(done.manifest.mechanism["parameters"].get("results") or ()):
                say(f"warning: {said}, as where hardly a record has a declared value: {check}", err=True)
        if done.charge is not None and (done.charge.made or not quiet):
            say(done.charge.said, err=done.charge.made)
        if asked and not quiet:
            say(asked)


def _hidden(results: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Of which statistics three released numbers of four at least are marked: of zeros some stand out by chance."""
    from noiseproof.symbolic.errors import counted

    for name, of in Counter(row["statistic"] for row in results).items():
        marked = sum(row["suppressed"] for row in results if row["statistic"] == name)
        if 4 * marked >= 3 * of:
            yield f"{name}: the noise hides {marked:,} of {counted(of, 'number')}"


def _foretell(read: Policy) -> None:
    """Prints what the policy would release, and whether its ledger has room; exit code 1 if it would be refused."""
    from noiseproof.audit.release.booking import Booking
    from noiseproof.audit.release.calibration_record import calibration_record
    from noiseproof.audit.release.not_met import PolicyNotMetError
    from noiseproof.audit.release.plan import plan

    try:
        planned = plan(read)
        planned_record = calibration_record(planned, figures=False)
        for line in planned_record["lines"]:
            say(line)
        for warning in planned_record["warnings"]:
            say(f"warning: {warning}", err=True)
        if planned.unmet:
            raise PolicyNotMetError(*planned.unmet)
        booking = Booking.of(planned)
    except PolicyNotMetError as error:
        for reason in error.reasons:
            say(f"not met: {reason}", err=True)
        raise typer.Exit(NOT_MET) from None
    say("ledger: none is kept" if booking is None else "ledger: has room for it")
    say("dry run: no table was opened, nothing was tried, charged or written")


def _questions(output: Path, done: Released, key: Path | None) -> str:
    """Writes what only people can answer beside the release, to be filled in, and says so; empty if nothing is asked."""
    import json

    from noiseproof.audit.release.checklist.checklist import checklist
    from noiseproof.audit.release.checklist.template import answers_template, waiting
    from noiseproof.symbolic.errors import SpecError, counted

    items = checklist(json.loads(done.manifest.to_json()), json.loads(done.certificate.to_json()))
    count = len(waiting(items))
    if not count:
        return ""
    waits = f"{counted(count, 'question')} {'is' if count == 1 else 'are'}"
    path = output.parent / f"{output.resolve().name}.answers.toml"
    run = f"noiseproof answer {shlex.quote(str(output))}"
    signed = "" if key is None else f" --key {shlex.quote(str(key))}"
    try:
        write_new({path: answers_template(items)})
    except SpecError:
        return f"{waits} for the signer: `{run}` prints them"
    return f"{waits} for the signer: fill in {path}, then `{run} {shlex.quote(str(path))}{signed}`"


def pages(
    manifest: dict[str, Any] | None, certificate: dict[str, Any], figures: list[dict[str, Any]]
) -> Mapping[str, str]:
    """index.html, data-card.md and parameters.json of a release; of statistics a data dictionary and a CSV file as well.

    Without a manifest: what `audit` and `report` write about a certificate.
    """
    if manifest is None:
        from noiseproof.output_options import drawn_again

        return drawn_again(certificate)
    from noiseproof.audit.record.plain import json_text
    from noiseproof.audit.release.checklist.checklist import checklist
    from noiseproof.reports import data_dictionary, numbers_csv
    from noiseproof.reports.data_card import data_card
    from noiseproof.reports.registry import parameters
    from noiseproof.reports.release_page import release_page

    items = checklist(manifest, certificate)
    more: dict[str, str] = {}
    if manifest["mechanism"]["kind"] == "statistics":
        more[data_dictionary.NAME] = data_dictionary.data_dictionary(manifest)
        table = numbers_csv.numbers_csv(manifest)
        more |= {} if table is None else {numbers_csv.NAME: table}
    return {
        "index.html": release_page(manifest, certificate, items, figures),
        "data-card.md": data_card(manifest, certificate, items),
        "parameters.json": json_text(parameters(manifest, certificate, items)),
        **more,
    }
