"""The command `noiseproof answer`: what only people know, filled in after a release."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from noiseproof.console import reported_errors, say
from noiseproof.shared_options import Debug


def answer(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="A folder of `release`.")],
    answers: Annotated[
        Path | None,
        typer.Argument(
            metavar="[ANSWERS.toml]", help="Table [answers]; without it, print the open questions."
        ),
    ] = None,
    key: Annotated[Path | None, typer.Option("--key", help="Private key (PEM), if DIR is signed.")] = None,
    debug: Debug = False,
) -> None:
    """Fill in the signer's answers in a release and seal it again.

    Draws no noise, charges nothing, renders the pages again. Exit code: 0 answered, 2 bad usage or answers, or a folder that is
    not as it was sealed; nothing was written.
    """
    with reported_errors(debug):
        from noiseproof.audit.release import answering
        from noiseproof.audit.release.checklist.template import answers_template, waiting
        from noiseproof.release_command import pages

        if answers is None:
            say(*answers_template(answering.items_of(directory, pages)).splitlines())
            return
        given = answering.read_answers(answers)
        done = answering.answer(directory, given, key, pages=pages)
        denied = {item.key for item in done.items if not item.answer.why}
        for name in given:
            was = done.before.get(name)
            say(f"answered: {name}" + (f" (was: {was.partition(':')[0].strip()})" if was else ""))
            if name in denied:
                say("  a no stays a no: `noiseproof verify` fails on it until it is answered otherwise")
        for item in waiting(done.items):
            say(f"not answered: {item.key}: {item.question}")
        say(f"sealed: {directory / 'attestation.json'}")
