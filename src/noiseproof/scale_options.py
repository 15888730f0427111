"""Options of `audit` that say who does the work and where finished units are kept; no result depends on them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated

import typer

from noiseproof.console import say_interrupted

Workers = Annotated[int, typer.Option(min=1, help="Processes; no result depends on it.")]
Cluster = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="Dask scheduler, tcp://HOST:PORT (needs noiseproof[dask])."),
]
CheckpointFolder = Annotated[
    Path | None,
    typer.Option(
        "--checkpoint",
        "--resume",
        metavar="DIR",
        help="Folder of finished units.  [default: checkpoint in OUTPUT]",
    ),
]
Fresh = Annotated[bool, typer.Option("--fresh", help="Discard the units of an earlier run and start again.")]


@contextmanager
def kept_units(given: Path | None, output: Path, fresh: bool) -> Iterator[Path]:
    """The folder of the checkpoint, removed once the block has written what the units were for.

    An interrupt ends the command with a message and leaves the units where they are.
    """
    from noiseproof.audit.trial.schedule.checkpoint import discard

    folder = output / "checkpoint" if given is None else given
    made = not output.exists()
    if fresh:
        discard(folder)
    try:
        yield folder
    except Exception:
        if made:
            with suppress(OSError):
                output.rmdir()  # only if nothing is in it
        raise
    except KeyboardInterrupt as error:
        text = "no certificate was written"
        if (folder / "audit.json").exists():
            text += f"; finished units are kept in {folder}, and the same command goes on from there"
        say_interrupted(error, text)
    discard(folder)
