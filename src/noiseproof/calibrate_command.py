"""The command `noiseproof calibrate`: from the limits of a policy to the noise, with its curves."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from noiseproof.console import check_folder, progress_bar, reported_errors, say, write_all
from noiseproof.release_command import NOT_MET
from noiseproof.shared_options import Debug, Quiet


def calibrate(
    policy: Annotated[Path, typer.Argument(metavar="POLICY.toml", help="A policy; no table is read.")],
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Folder of JSON and page.")] = None,
    rows: Annotated[
        int | None, typer.Option(min=1, help="Number of records: delta is compared with it.")
    ] = None,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Compute the noise that a policy requires, without the table.

    If the policy names its noise, evaluate that. Exit code: 0 the limits are met and the ledger, if there is one, has room, 1
    they are not or it has not, 2 bad usage or policy.
    """
    with reported_errors(debug):
        from noiseproof.audit.record.plain import json_text
        from noiseproof.audit.release.calibration_record import calibration_record
        from noiseproof.audit.release.not_met import PolicyNotMetError
        from noiseproof.audit.release.plan import plan
        from noiseproof.audit.release.policy import read_policy
        from noiseproof.reports.calibration_page import render_calibration

        if output is not None:
            check_folder(output)
        try:
            with progress_bar(quiet) as bar:
                step = bar or (lambda fraction, what: None)
                step(0.0, "finding the noise")
                planned = plan(read_policy(policy), rows)
                step(0.5, "drawing the trade-off")
                record = calibration_record(planned, output is not None, rows)
        except PolicyNotMetError as error:
            for reason in error.reasons:
                say(reason, err=True)
            raise typer.Exit(NOT_MET) from None
        if output is not None:
            pages = {"calibration.json": json_text(record), "index.html": render_calibration(record)}
            write_all({output / name: text for name, text in pages.items()})
        if not quiet:
            for line in record["lines"]:
                say(line)
            for warning in record["warnings"]:
                say(f"warning: {warning}", err=True)
            for command in record["next"]:
                say(f"next: {command}")
            if output is not None:
                say(f"page: {output / 'index.html'}")
        for reason in record["unmet"]:
            say(f"not met: {reason}", err=True)
        raise typer.Exit(NOT_MET if record["unmet"] else 0)
