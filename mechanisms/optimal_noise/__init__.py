"""Noise of least Fisher information, Tr I + rho E|w|^2, on a support: law, sampler, and a certificate of optimality."""

from .certificate import OptimalityCertificate
from .polygon import Polygon
from .query import Query
from .release import OptimalNoiseMechanism
from .result import OptimalNoise
from .shooting import GroundState, Problem, UnsolvedError, ground_state
from .solve import optimal_noise
from .supports import Box, Disc, HalfLine, Interval, Support, WholeSpace
from .triangulation import Mesh
from .vector_noise import Noise, Released
