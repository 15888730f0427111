"""The command `noiseproof export`: findings as LaTeX, refutations as scripts that stand alone."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from noiseproof.certificate_file import checked_certificate, read_json
from noiseproof.console import check_folder, reported_errors, say, write_all
from noiseproof.shared_options import Debug


def export(
    source: Annotated[Path, typer.Argument(metavar="FILE.json", help="A dossier or certificate.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder to write to.")] = Path(
        "noiseproof-export"
    ),
    latex: Annotated[bool, typer.Option("--latex/--no-latex", help="Write the findings as LaTeX.")] = True,
    scripts: Annotated[
        bool, typer.Option("--scripts/--no-scripts", help="One script per refutation.")
    ] = True,
    smt: Annotated[bool, typer.Option("--smt", help="Kernel steps as SMT-LIB (z3, cvc5).")] = False,
    fragment: Annotated[bool, typer.Option("--fragment", help="LaTeX without preamble.")] = False,
    debug: Debug = False,
) -> None:
    """Export findings as LaTeX and refutations as Python scripts.

    A script needs python-flint and sympy, some also numpy and scipy, never noiseproof; refutations without one are named.
    With --smt each step of rational functions and roots that the kernel accepts is a file of its own: `unsat` agrees with it.
    """
    with reported_errors(debug):
        from noiseproof.reports.latex import render_latex
        from noiseproof.reports.proof_script import NotStandAloneError, render_proof_script, scripts_of
        from noiseproof.symbolic.errors import SpecError
        from noiseproof.symbolic.proof.proofs.smt import scripts as smt_scripts

        if not (latex or scripts or smt):
            raise SpecError("nothing is left to write: leave out --no-latex or --no-scripts")
        check_folder(output)
        data = _read(source)
        files: dict[Path, str] = {}
        without: list[str] = []
        try:
            if latex:
                files[output / f"{source.stem}.tex"] = render_latex(data, fragment=fragment)
            for script in scripts_of(data) if scripts else ():
                try:
                    files[output / "scripts" / script.file] = render_proof_script(
                        script.witness, script.title, script.statement
                    )
                except NotStandAloneError as error:
                    without.append(f"no script for {script.finding}: {error}")
            for name, text in smt_scripts(data["findings"]) if smt else ():
                files[output / "smt" / name] = f"{text}\n"
        except (KeyError, TypeError, AttributeError, IndexError, ValueError) as error:
            raise SpecError(f"not a complete dossier or certificate: {error!r}", file=str(source)) from error
        write_all(files, keep=(source,))
        for path in sorted(files, key=lambda p: (p.suffix != ".tex", p.name)):
            say(f"wrote {path}")
        for line in without:
            say(line)


def _read(source: Path) -> dict[str, Any]:
    from noiseproof.audit.dossier.reading import SCHEMA, check_dossier
    from noiseproof.symbolic.errors import SpecError

    data = read_json(source, "a dossier of `noiseproof papers`, or a certificate.json")
    known = (SCHEMA, "noiseproof-certificate-1")
    if data.get("schema") not in known:
        raise SpecError(f'expected "schema" to be one of {", ".join(known)}', file=str(source))
    if data["schema"] != SCHEMA:
        return checked_certificate(data, source)
    try:
        check_dossier(data)
    except ValueError as error:
        raise SpecError(f"not a dossier as it was written: {error}", file=str(source)) from None
    return data
