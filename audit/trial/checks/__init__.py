"""The checks, in the order in which a page shows them.  A new one is a file here and a name in the list below."""

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

CHECKS: tuple[type[Check], ...] = (
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
)
BIT_CHECKS: tuple[type[Check], ...] = (BitPatterns, RepeatedCalls, Timing)

__all__ = ["BIT_CHECKS", "CHECKS", "Check"]
