"""The dossier that every section registers its claims with."""

from __future__ import annotations

from ...dossier.paper_claim import Dossier

DOSSIER = Dossier("zhou2009", "S. Zhou, K. Ligett, L. Wasserman: Differential Privacy with Compression")
