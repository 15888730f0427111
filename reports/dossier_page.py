"""A dossier becomes a page that reads like a referee's report, and dossiers an index."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from ..audit.dossier.paper_verdict import ON_BARE, ON_TWIN
from .environment import page, write

SCHEMA = "noiseproof-dossier-1"
_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def render_dossier(dossier: dict[str, Any]) -> str:
    """The page of one paper."""
    _expect_schema(dossier)
    return page(
        "dossier.html",
        dossier=dossier,
        twin_flipped=twin_flipped,
        stuck=stuck_twins(dossier),
        on_other=on_other,
    )


def render_dossier_index(dossiers: list[dict[str, Any]]) -> str:
    """A table of papers with the count of each verdict; links go to KEY.html beside the index."""
    for dossier in dossiers:
        _expect_schema(dossier)
    return page(
        "index.html", dossiers=dossiers, linkable=lambda key: bool(_KEY.fullmatch(key)), stuck=stuck_twins
    )


def write_dossier_pages(dossiers: list[dict[str, Any]], directory: str | os.PathLike[str]) -> list[Path]:
    """Write KEY.html for each paper and index.html; returns the paths, the index last."""
    for dossier in dossiers:
        if not _KEY.fullmatch(dossier["key"]):
            raise ValueError(
                f"a dossier's key names a file: use letters, digits, '.', '_', '-', got {dossier['key']!r}"
            )
    pages = [(f"{dossier['key']}.html", render_dossier(dossier)) for dossier in dossiers]
    pages.append(("index.html", render_dossier_index(dossiers)))
    return [write(html, Path(directory) / name) for name, html in pages]


def twin_flipped(twin: dict[str, Any] | None) -> bool | None:
    """Whether the twin came out as expected; None where there is no twin or nothing is required of it."""
    required = twin.get("required") if twin else None
    if twin is None or not required:
        return None
    return twin["verdict"] in required


def on_other(evidence: dict[str, Any]) -> bool:
    """Whether the evidence is about the twin or the bare statement, as its check is marked."""
    return str(evidence["check"]).endswith((ON_TWIN, ON_BARE))


def stuck_twins(dossier: dict[str, Any]) -> int:
    """How many twins did not come out as they must."""
    return sum(twin_flipped(finding["twin"]) is False for finding in dossier["findings"])


def _expect_schema(dossier: dict[str, Any]) -> None:
    if dossier.get("schema") != SCHEMA:
        raise ValueError(
            f'expected a dossier with "schema": "{SCHEMA}", got {dossier.get("schema")!r}; '
            "write one with `noiseproof papers`"
        )
