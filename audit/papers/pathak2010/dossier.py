"""The dossier that every section registers its claims with."""

from __future__ import annotations

from ...dossier.paper_claim import Dossier

DOSSIER = Dossier(
    "pathak2010",
    "M. Pathak, B. Raj: Large Margin Multiclass Gaussian Classification with Differential Privacy",
)
