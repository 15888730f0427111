"""The files and modules of this checkout, as the tests of its structure see them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LAYERS = ("symbolic", "mechanisms", "audit", "reports")
# Anything that a tool makes; a checkout without these is what is committed.
MADE = {".git", "build", "dist", "__pycache__", "noiseproof-out", "noiseproof-papers"}


def files() -> Iterator[Path]:
    """The files of the checkout, relative to its root."""
    for folder, inner, names in os.walk(ROOT):
        inner[:] = [
            d
            for d in inner
            if d not in MADE
            and not d.endswith((".egg-info", "_cache"))
            and not d.startswith((".venv", ".hypothesis"))
        ]
        yield from (Path(folder, name).relative_to(ROOT) for name in names if not name.endswith(".pyc"))


def modules() -> dict[str, Path]:
    """Import name -> path (relative to the root) of every module of the package."""
    found = {}
    for folder, package in [
        *((layer, f"noiseproof.{layer}") for layer in LAYERS),
        ("src/noiseproof", "noiseproof"),
    ]:
        for path in sorted((ROOT / folder).rglob("*.py")):
            inner = path.relative_to(ROOT / folder).with_suffix("")
            parts = [part for part in inner.parts if part != "__init__"]
            found[".".join([package, *parts])] = path.relative_to(ROOT)
    return found
