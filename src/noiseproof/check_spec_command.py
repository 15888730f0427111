"""The command `noiseproof check-spec`: reads specs as `audit` would, and samples nothing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from noiseproof.console import BAD_INPUT, reported_errors, say, say_refused
from noiseproof.shared_options import Debug, Quiet

if TYPE_CHECKING:
    from noiseproof.audit.trial.spec.models import SpecModel


def check_spec(
    specs: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[SPEC]...", help="Specs; default: those of pyproject.toml."),
    ] = None,
    build: Annotated[
        bool, typer.Option("--build/--no-build", help="Also load data and code; read formulas.")
    ] = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Check the keys and types of specs without sampling; values and mechanisms with --build.

    Exit code: 0 all can be read, 2 one cannot, 5 there are none.
    """
    with reported_errors(debug):
        from noiseproof.audit.trial.gate.project_settings import project_settings, spec_files
        from noiseproof.audit.trial.spec.reading import load_spec
        from noiseproof.symbolic.errors import SpecError, counted

        paths = specs or spec_files(project_settings(Path.cwd()))
        if not paths:
            say("nothing to check: name specs, or list them under [tool.noiseproof] specs", err=True)
            raise typer.Exit(5)
        failed = False
        for path in paths:
            try:
                spec = load_spec(path)
                built = build and not _samples(spec.model)
                if built:
                    from noiseproof.audit.trial.spec.build import build as build_job

                    build_job(spec)
            except SpecError as error:
                failed = True
                say_refused(error)
                continue
            if not quiet:
                counts = f"{counted(len(spec.model.claims), 'claim')}, {len(spec.model.controls)} controls"
                why = "" if built or not build else "; not built, since it would search or plan by sampling"
                say(f"{path}: {counts}{why}")
        raise typer.Exit(BAD_INPUT if failed else 0)


def _samples(model: SpecModel) -> bool:
    """Whether building this spec calls releases: a search for neighbours, or a control of automatic size."""
    from noiseproof.audit.trial.spec.models import ControlFields

    search = model.neighbours is not None and model.neighbours.search is not False
    return search or any(isinstance(c, ControlFields) and c.noise_factor == "auto" for c in model.controls)
