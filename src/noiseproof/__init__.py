"""noiseproof puts privacy claims on trial: proof, computation and attack in one certificate.

>>> import noiseproof as npf
>>> certificate = npf.examine(npf.LaplaceMechanism(epsilon=1.0, sensitivity=1.0), npf.PureDP(1.0), samples=5_000)
>>> certificate.verdict.name
'SURVIVED'
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .audit.certificate import Certificate, Finding
    from .audit.errors import SpecError
    from .audit.evidence import Evidence, Verdict
    from .audit.examine import examine
    from .audit.neighbours import (
        AddOrRemove,
        Ball,
        Box,
        Categorical,
        Person,
        ReplaceOne,
        Simplex,
        Table,
        search_neighbours,
    )
    from .audit.planning.plan import SamplePlan, resolution_reached, samples_needed
    from .mechanisms import (
        MECHANISMS,
        BlackBox,
        BoundedMean,
        BoundedSum,
        CosineMechanism,
        Family,
        GaussianMechanism,
        LaplaceCovariance,
        LaplaceMechanism,
        LinearQuery,
        LinearSystem,
        Mechanism,
        OptimalGaussian,
        RandomisedResponse,
        Tampered,
        TrajectoryNoise,
    )
    from .mechanisms.broken import BROKEN
    from .mechanisms.compression import Compression, Reference
    from .mechanisms.large_margin import LargeMarginGaussian, PrivateLargeMarginGaussian
    from .mechanisms.optimal_noise import optimal_noise
    from .mechanisms.ron_gauss import RonGauss, RonGaussMixture, RonGaussSupervised
    from .symbolic.claim import Claim, Scope
    from .symbolic.guarantees import ApproxDP, GaussianDP, Guarantee, PureDP, RenyiDP, ZeroConcentratedDP
    from .symbolic.law import Law
    from .symbolic.predicates import ErrorBound, FisherInformation

# Names are looked up when they are first used: `noiseproof --help` must not wait for sympy.
_HOME = {
    "BROKEN": "mechanisms.broken",
    "Certificate": "audit.certificate",
    "Finding": "audit.certificate",
    "SpecError": "audit.errors",
    "Evidence": "audit.evidence",
    "Verdict": "audit.evidence",
    "examine": "audit.examine",
    **dict.fromkeys(("SamplePlan", "resolution_reached", "samples_needed"), "audit.planning.plan"),
    **dict.fromkeys(
        ("AddOrRemove", "Ball", "Box", "Categorical", "Person", "ReplaceOne", "Simplex", "Table", "search_neighbours"),
        "audit.neighbours",
    ),
    "Claim": "symbolic.claim",
    "Scope": "symbolic.claim",
    "Law": "symbolic.law",
    **dict.fromkeys(("ErrorBound", "FisherInformation"), "symbolic.predicates"),
    **dict.fromkeys(
        ("ApproxDP", "GaussianDP", "Guarantee", "PureDP", "RenyiDP", "ZeroConcentratedDP"), "symbolic.guarantees"
    ),
    **dict.fromkeys(
        (
            "MECHANISMS", "BlackBox", "BoundedMean", "BoundedSum", "CosineMechanism", "Family", "GaussianMechanism",
            "LaplaceCovariance", "LaplaceMechanism", "LinearQuery", "LinearSystem", "Mechanism", "OptimalGaussian",
            "RandomisedResponse", "Tampered", "TrajectoryNoise",
        ),
        "mechanisms",
    ),
    **dict.fromkeys(("Compression", "Reference"), "mechanisms.compression"),
    **dict.fromkeys(("LargeMarginGaussian", "PrivateLargeMarginGaussian"), "mechanisms.large_margin"),
    "optimal_noise": "mechanisms.optimal_noise",
    **dict.fromkeys(("RonGauss", "RonGaussMixture", "RonGaussSupervised"), "mechanisms.ron_gauss"),
}  # fmt: skip

__all__ = [
    "BROKEN",
    "MECHANISMS",
    "AddOrRemove",
    "ApproxDP",
    "Ball",
    "BlackBox",
    "BoundedMean",
    "BoundedSum",
    "Box",
    "Categorical",
    "Certificate",
    "Claim",
    "Compression",
    "CosineMechanism",
    "ErrorBound",
    "Evidence",
    "Family",
    "Finding",
    "FisherInformation",
    "GaussianDP",
    "GaussianMechanism",
    "Guarantee",
    "LaplaceCovariance",
    "LaplaceMechanism",
    "LargeMarginGaussian",
    "Law",
    "LinearQuery",
    "LinearSystem",
    "Mechanism",
    "OptimalGaussian",
    "Person",
    "PrivateLargeMarginGaussian",
    "PureDP",
    "RandomisedResponse",
    "Reference",
    "RenyiDP",
    "ReplaceOne",
    "RonGauss",
    "RonGaussMixture",
    "RonGaussSupervised",
    "SamplePlan",
    "Scope",
    "Simplex",
    "SpecError",
    "Table",
    "Tampered",
    "TrajectoryNoise",
    "Verdict",
    "ZeroConcentratedDP",
    "examine",
    "optimal_noise",
    "resolution_reached",
    "samples_needed",
    "search_neighbours",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'noiseproof' has no attribute {name!r}")
    value = getattr(import_module(f".{_HOME[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOME])
