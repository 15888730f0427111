"""The command `noiseproof policy init`: a policy to be filled in, from the header of a table."""

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
    help="Write a release policy for a table.",
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
        run = f"noiseproof calibrate {shlex.quote(str(path))}"
        declare = "bounds and limits" if kind == "laplace" else "bounds, groups and limits"
        say(f"wrote {path}; declare {declare} in it, then run: {run}")
