"""Policies: noise whose density may depend on x (Problems 2 and 3), and noise of largest Tr I^{-1} (Problem 1)."""

from .answers import RandomisedAnswers
from .box_modes import BoxModes
from .closed_bounds import uniform_lower_bound, vanishing_weight_bound
from .cost import PolicyCost, cost
from .density import (
    DensityPolicy,
    common_answer,
    constant_noise,
    cosine_information,
    matched_noise,
    mirrored_corollary_4,
    printed_corollary_4,
    tilt_excess,
    tilted_noise,
    turning_gain,
    turning_noise,
)
from .lower_bound import DualMultipliers
from .optimum import PolicySolution, solve_policy
from .phase_noise import phase_noise
from .problem import PolicyProblem, W
from .staircase import even_steps, staircase
from .stationarity import end_flux, multiplier, residual
from .trace_inverse import (
    Ascent,
    TraceInverseProblem,
    TraceInverseSolution,
    maximise_trace_inverse,
    theorem_1_residual,
)
from .verified_bound import verified_lower_bound
from .weight import Weight, X

__all__ = [
    "Ascent",
    "BoxModes",
    "DensityPolicy",
    "DualMultipliers",
    "PolicyCost",
    "PolicyProblem",
    "PolicySolution",
    "RandomisedAnswers",
    "TraceInverseProblem",
    "TraceInverseSolution",
    "W",
    "Weight",
    "X",
    "common_answer",
    "constant_noise",
    "cosine_information",
    "cost",
    "end_flux",
    "even_steps",
    "matched_noise",
    "maximise_trace_inverse",
    "mirrored_corollary_4",
    "multiplier",
    "phase_noise",
    "printed_corollary_4",
    "residual",
    "solve_policy",
    "staircase",
    "theorem_1_residual",
    "tilt_excess",
    "tilted_noise",
    "turning_gain",
    "turning_noise",
    "uniform_lower_bound",
    "vanishing_weight_bound",
    "verified_lower_bound",
]
