"""S. Zhou, K. Ligett, L. Wasserman: Differential Privacy with Compression (2009)."""

from __future__ import annotations

from importlib import import_module

from .dossier import DOSSIER

__all__ = ["DOSSIER"]

# In the order of the paper: importing a section registers its claims.
SECTIONS = ("setting", "definitions", "model", "truncation", "main_theorem", "components", "binary_data")

for _section in SECTIONS:
    import_module(f".{_section}", __name__)
