"""T. Chanyaswad, C. Liu, P. Mittal: RON-Gauss (PoPETs, 2019)."""

from __future__ import annotations

from importlib import import_module

from .dossier import DOSSIER

__all__ = ["DOSSIER"]

# In the order of the paper: importing a section registers its claims.
SECTIONS = (
    "background",
    "gaussian_effect",
    "preprocessing",
    "projection",
    "covariance",
    "unsupervised",
    "supervised",
    "headlines",
)

for _section in SECTIONS:
    import_module(f".{_section}", __name__)

from .covariance import lemma_4  # noqa: E402
