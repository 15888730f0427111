"""M. Pathak, B. Raj: Large Margin Multiclass Gaussian Classification with Differential Privacy (2010)."""

from __future__ import annotations

from importlib import import_module

from .dossier import DOSSIER

__all__ = ["DOSSIER"]

# In the order of the paper: importing a section registers its claims.
SECTIONS = ("definitions", "objective", "perturbation", "privacy", "gradient", "risk", "true_risk", "closing")

for _section in SECTIONS:
    import_module(f".{_section}", __name__)
