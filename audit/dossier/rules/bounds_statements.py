"""Statements made of formulas, checked by a derivation and at points; some are tried on instances as well."""

from __future__ import annotations

from ..formula import Formula
from ..instances import Instances
from ..paper_claim import Check
from .several_relations import Parts, enclosures, proof, tried

__all__ = ["CHECKS", "WITH_INSTANCES", "Parts", "parts"]

CHECKS: tuple[Check[Parts], ...] = (proof, enclosures)
WITH_INSTANCES: tuple[Check[Parts], ...] = (tried, *CHECKS)


def parts(*formulas: Formula, instances: Instances | None = None) -> Parts:
    """The sentence that all these formulas hold, and the rule on its instances if one is given."""
    return Parts(formulas, instances)
