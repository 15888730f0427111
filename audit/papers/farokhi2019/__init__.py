"""F. Farokhi, H. Sandberg: additive noise of least Fisher information (Automatica, 2019)."""

from __future__ import annotations

from importlib import import_module

from .dossier import DOSSIER

__all__ = ["DOSSIER"]

# In the order of the paper: importing a section registers its claims.
SECTIONS = ("unconstrained",)

for _section in SECTIONS:
    import_module(f".{_section}", __name__)
