"""Fixtures for the tests of a section of a dossier (the claims that SECTION names, and their findings); a profile of Hypothesis."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from dossier_section import Section

    from noiseproof.audit.dossier import PaperClaim

pytest.register_assert_rewrite("dossier_section")
# How long an example takes is the machine's load as well.
settings.register_profile("noiseproof", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("noiseproof")


@pytest.fixture(scope="module")
def claims(request: pytest.FixtureRequest) -> dict[str, PaperClaim[Any]]:
    """The claims of the module's SECTION, by name."""
    section: Section = request.module.SECTION
    return {name: section.dossier.claims[f"{section.dossier.key}/{name}"]() for name in section.expected}


@pytest.fixture(scope="module")
def findings(request: pytest.FixtureRequest, claims: dict[str, PaperClaim[Any]]) -> dict[str, dict[str, Any]]:
    """What was found on each of these claims, by name."""
    from noiseproof.audit.dossier import examine_claim

    key = request.module.SECTION.dossier.key
    return {name: examine_claim(f"{key}/{name}", claim) for name, claim in claims.items()}
