"""The checks, in the order in which a page shows them.  A new one is a file and a line: a name in the list below, or `@register`."""

from typing import TypeVar

from ...record.evidence import Verdict
from ...record.known_checks import CHECKS as KNOWN
from ...record.known_checks import Known
from ..check import Check
from .better_points import BetterPoints
from .bit_patterns import BitPatterns
from .bound_formula import BoundFormula
from .components import Components
from .derivation import DerivationCheck
from .estimators import Estimators
from .fit import Fit
from .information import InformationOfCode
from .learnt_information import LearntInformation
from .likelihood_estimates import LikelihoodEstimates
from .likelihood_ratio import LikelihoodRatio
from .moved_totals import MovedTotals
from .path_information import PathInformation
from .quadrature import Quadrature
from .rare_events import RareEvents
from .repeated_calls import RepeatedCalls
from .stated_formula import InformationFormula
from .stated_optimum import MinimiserProof, OptimalValueProof
from .stated_sensitivity import SensitivityProof
from .timing import Timing
from .worse_pairs import WorsePairs

C = TypeVar("C", bound=type[Check])

CHECKS: list[type[Check]] = [
    DerivationCheck,
    InformationFormula,
    BoundFormula,
    MinimiserProof,
    SensitivityProof,
    WorsePairs,
    MovedTotals,
    OptimalValueProof,
    BetterPoints,
    Quadrature,
    RareEvents,
    Fit,
    LikelihoodRatio,
    Components,
    InformationOfCode,
    LearntInformation,
    PathInformation,
    LikelihoodEstimates,
    Estimators,
]
BIT_CHECKS: list[type[Check]] = [BitPatterns, RepeatedCalls, Timing]


def register(kind: C) -> C:
    """Decorator: audits bind this check to claims, and certificates may hold what it finds; ValueError if its name is taken."""
    checks = BIT_CHECKS if kind.sentence == "bytes" else CHECKS
    again = [c for c in checks if (c.__module__, c.__qualname__) == (kind.__module__, kind.__qualname__)]
    if kind.name in KNOWN and kind.name not in [c.name for c in again]:
        raise ValueError(f"a check has a name of its own: {kind.name!r} is taken")
    checks[:] = [*(c for c in checks if c not in again), kind]
    # Only a proof proves, and it survives nothing.
    verdicts = frozenset({*Verdict} - {Verdict.SURVIVED if kind.kind == "proof" else Verdict.PROVED})
    statistical = kind.statistical or kind.inputs is not Check.inputs
    about, witnesses = (kind.kind, kind.sentence, verdicts, kind.statement), ", ".join(kind.witnesses)
    KNOWN[kind.name] = Known(*about, witnesses, ("",), statistical)
    return kind
