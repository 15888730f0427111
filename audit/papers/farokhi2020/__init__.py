"""F. Farokhi: noise for the public release of data sets (support vector machines)."""

from __future__ import annotations

from importlib import import_module

from .dossier import DOSSIER

__all__ = ["DOSSIER"]

# In the order of the paper: importing a section registers its claims.
SECTIONS = ("independent_noise",)

for _section in SECTIONS:
    import_module(f".{_section}", __name__)
