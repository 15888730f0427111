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
        sections = SECTIONS if ctx.parent is None else {}
        listed = [name for names in sections.values() for name in names]
        other = tuple(name for name in self.commands if name not in listed)
        wide = max(map(len, self.commands))
        for heading, names in {**sections, "Commands": other}.items():
            found = [(name, self.commands[name].help or "") for name in names if name in self.commands]
            if found:
                with formatter.section(heading):
                    formatter.write_dl(
                        [
                            (name.ljust(wide), " ".join(words.split("\n\n")[0].split()))
                            for name, words in found
                        ]
                    )
