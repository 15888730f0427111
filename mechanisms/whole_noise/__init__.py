"""Exact noise on the whole numbers: laws that can be enclosed, and draws from random words by whole numbers alone."""

from .choice import ExponentialSelection, choice_rho, choose, uniform_below
from .choice_mechanism import ExponentialMechanism
from .cuts import Levels, furthest_costs
from .gaussian import DiscreteGaussian
from .joint_choice import JointChoice
from .joint_mechanism import JointChoiceMechanism
from .laplace import DiscreteLaplace
from .mechanism import DiscreteNoiseMechanism
from .noise import DiscreteNoise
