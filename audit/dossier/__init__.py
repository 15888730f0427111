"""Dossiers: a paper as a test suite for its theorems, every claim beside its twin."""

from .paper_claim import Dossier, PaperClaim, Statement, asserts_nothing
from .run import examine_claim, faults, papers, run, run_dossiers

__all__ = [
    "Dossier",
    "PaperClaim",
    "Statement",
    "asserts_nothing",
    "examine_claim",
    "faults",
    "papers",
    "run",
    "run_dossiers",
]
