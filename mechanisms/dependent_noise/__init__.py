"""Policies: noise whose density may depend on x (Problems 2 and 3), and noise of largest Tr I^{-1} (Problem 1)."""

from .answers import RandomisedAnswers
from .lower_bound import DualMultipliers
from .optimum import PolicySolution, solve_policy
from .problem import PolicyProblem, cosine_information
from .weight import Weight, X

__all__ = [
    "DualMultipliers",
    "PolicyProblem",
    "PolicySolution",
    "RandomisedAnswers",
    "Weight",
    "X",
    "cosine_information",
    "solve_policy",
]
