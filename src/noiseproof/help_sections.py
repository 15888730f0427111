"""The first screen of `noiseproof --help`: commands in sections, each with its whole first sentence."""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup

SECTIONS = {
    "Workflows": ("audit", "init", "derive", "release", "papers"),
    "Audits": ("plan", "check-spec", "mechanisms", "replay", "report", "diff", "export"),
    "Releases": ("policy", "calibrate", "answer", "ledger"),
    "Signatures": ("verify", "seal", "keygen"),
    "Reproduction": ("experiment",),
}


class Sections(TyperGroup):
    """A group of commands; a line of its help is wrapped where typer would cut it off."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        sections = SECTIONS if ctx.parent is None else {"Commands": tuple(self.commands)}
        for heading, names in sections.items():
            with formatter.section(heading):
                formatter.write_dl(
                    [
                        (f"{name:<10}", " ".join((self.commands[name].help or "").split("\n\n")[0].split()))
                        for name in names
                    ]
                )
