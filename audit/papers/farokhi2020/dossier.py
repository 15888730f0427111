"""The dossier that every section registers its claims with."""

from __future__ import annotations

from ...dossier.paper_claim import Dossier

DOSSIER = Dossier(
    "farokhi2020",
    "F. Farokhi: Privacy-Preserving Public Release of Datasets for Support Vector Machine Classification",
)
