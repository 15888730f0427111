"""Dossiers: a paper as a test suite for its theorems, every claim beside its twin."""

from .formula import Argument, Formula, argued
from .instances import Comparison, Instances, rule
from .paper_claim import Dossier, Later, PaperClaim, Statement, asserts_nothing, times
from .parts import ARGUED, Parts, parts
from .run import examine_claim, faults, run
