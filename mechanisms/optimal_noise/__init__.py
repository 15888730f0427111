"""Noise of least Fisher information, Tr I + rho E|w|^2, on a support: law, sampler, and a certificate of optimality."""

from .certificate import OptimalityCertificate
from .orders import Convergence, convergence
from .polygon import Polygon
from .query import Query
from .result import OptimalNoise
from .shooting import GroundState, Problem, UnsolvedError, ground_state
from .solve import optimal_noise
from .supports import Box, Disc, HalfLine, Interval, Support, WholeSpace
from .triangulation import Mesh
from .vector_noise import Noise, Released
from .within import gaussian_within, optimal_noise_within

__all__ = [
    "Box",
    "Convergence",
    "Disc",
    "GroundState",
    "HalfLine",
    "Interval",
    "Mesh",
    "Noise",
    "OptimalNoise",
    "OptimalityCertificate",
    "Polygon",
    "Problem",
    "Query",
    "Released",
    "Support",
    "UnsolvedError",
    "WholeSpace",
    "convergence",
    "gaussian_within",
    "ground_state",
    "optimal_noise",
    "optimal_noise_within",
]
