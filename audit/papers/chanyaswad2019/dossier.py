"""The dossier that every section registers its claims with."""

from __future__ import annotations

from ...dossier.paper_claim import Dossier

DOSSIER = Dossier(
    "chanyaswad2019",
    "T. Chanyaswad, C. Liu, P. Mittal: RON-Gauss: Enhancing Utility in Non-Interactive Private Data Release",
)
