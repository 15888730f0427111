"""Exact noise on the whole numbers: laws that can be enclosed, and draws from random words by whole numbers alone."""

from .choice import WholeChoice, choice_rho, choose, uniform_below
from .choice_mechanism import WholeChoiceMechanism
from .cuts import Levels, furthest_costs
from .gaussian import WholeGaussian
from .joint_choice import JointChoice
from .joint_mechanism import JointChoiceMechanism
from .laplace import WholeLaplace
from .mechanism import WholeNoiseMechanism
from .noise import WholeNoise

__all__ = [
    "JointChoice",
    "JointChoiceMechanism",
    "Levels",
    "WholeChoice",
    "WholeChoiceMechanism",
    "WholeGaussian",
    "WholeLaplace",
    "WholeNoise",
    "WholeNoiseMechanism",
    "choice_rho",
    "choose",
    "furthest_costs",
    "uniform_below",
]
