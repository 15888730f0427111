"""Mechanisms: law and code side by side.  A new one is a file here and a line of the list below.

>>> npf.MECHANISMS["laplace"](epsilon=1.0, sensitivity=2.0).parameters()
{'epsilon': 1.0, 'sensitivity': 2.0, 'dimension': 1}
"""

from .black_box import BlackBox
from .cosine import CosineMechanism
from .covariance import LaplaceCovariance
from .dynamics import LinearSystem, TrajectoryNoise
from .family import Family
from .gaussian import GaussianMechanism, OptimalGaussian
from .laplace import LaplaceMechanism
from .mechanism import Mechanism, Subject, WorstCase
from .mutant import Mutant
from .queries import BoundedMean, BoundedSum, LinearQuery
from .randomised_response import RandomisedResponse

#: Name in a spec -> class of the mechanism, for each that `noiseproof mechanisms` lists.
MECHANISMS: dict[str, type[Mechanism]] = {
    mechanism.name: mechanism
    for mechanism in (
        LaplaceMechanism,
        GaussianMechanism,
        OptimalGaussian,
        CosineMechanism,
        RandomisedResponse,
        BoundedMean,
        BoundedSum,
        LinearQuery,
        LaplaceCovariance,
        TrajectoryNoise,
    )
}
