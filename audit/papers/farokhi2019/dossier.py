"""The dossier that every section registers its claims with."""

from __future__ import annotations

from ...dossier.paper_claim import Dossier

DOSSIER = Dossier(
    "farokhi2019",
    "F. Farokhi, H. Sandberg: Ensuring Privacy with Constrained Additive Noise by Minimizing Fisher "
    "Information",
)
