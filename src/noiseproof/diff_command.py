"""The command `noiseproof diff`: what a change did to the verdicts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from noiseproof.certificate_file import read_certificate
from noiseproof.console import reported_errors, say_styled
from noiseproof.shared_options import Debug


def diff(
    old: Annotated[Path, typer.Argument(metavar="OLD.json", help="The certificate before the change.")],
    new: Annotated[Path, typer.Argument(metavar="NEW.json", help="The certificate after it.")],
    debug: Debug = False,
) -> None:
    """Compare the verdicts of two certificates, claim by claim.

    Exit code: 0 nothing got worse, 1 a verdict got worse, a claim is gone, says something else or was tested on other inputs or
    parameters, a new one is not as expected, or a pass comes from a weaker audit, 2 bad usage.
    """
    with reported_errors(debug):
        from rich.text import Text

        from noiseproof.audit.trial.gate.comparison import compare_certificates
        from noiseproof.symbolic.errors import counted

        rows = compare_certificates(read_certificate(old), read_certificate(new))
        styles = {"worse": "bold red", "gone": "bold red", "better": "green", "new": "cyan"}
        for row in rows:
            style = "bold red" if row.counts else styles.get(row.change, "")
            line = Text(f"{row.change:<7}", style=style)
            line.append(f"{row.old or '-':<9} -> {row.new or '-':<9}  {row.title}")
            before, after = (f"{e:.4g}" if e is not None else "-" for e in row.epsilon)
            if before != after:
                line.append(f"  (epsilon certified: {before} -> {after})")
            if row.why:
                line.append(f"  ({row.why})")
            say_styled(line)
        worse = sum(row.counts for row in rows)
        gone = sum(row.counts and row.change == "gone" for row in rows)
        missing = f" (missing in the second certificate: {gone})" if gone else ""
        said = f"{counted(len(rows), 'claim')}, {worse} count against the change{missing}{': exit code 1' if worse else ''}"
        say_styled(Text(said if rows else "no claims"))
        raise typer.Exit(1 if worse else 0)
