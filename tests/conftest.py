"""Fixtures: the claims that a test module's SECTION of a dossier names, and their findings; a browser. A profile of Hypothesis."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dossier_section import Section
    from drawn_pages import Browser

    from noiseproof.audit.dossier import PaperClaim

pytest.register_assert_rewrite("dossier_section", "drawn_pages")
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


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Headless Chromium, one for the module."""
    from drawn_pages import Browser, chromium

    running = Browser(chromium(), tmp_path_factory.mktemp("profile"))
    yield running
    running.close()
