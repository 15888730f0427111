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
    from .audit.record.certificate import Certificate, Finding
    from .audit.record.evidence import Evidence, Verdict
    from .audit.record.proofs import CheckedProof, ProofCheck, check_proof, proof_of
    from .audit.release.numbers_frame import ReleasedNumbers, released_numbers
    from .audit.trial.examine import examine
    from .audit.trial.neighbours import search_neighbours
    from .audit.trial.planning.plan import SamplePlan, resolution_reached, samples_needed
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
    from .mechanisms.statistics.budget import Wish, split_budget
    from .mechanisms.statistics.marginals import marginal_strategy
    from .mechanisms.statistics.ranges import range_strategy
    from .mechanisms.whole_noise import (
        WholeChoice,
        WholeChoiceMechanism,
        WholeGaussian,
        WholeLaplace,
        WholeNoiseMechanism,
    )
    from .statistics import Statistics
    from .symbolic.claim import Claim, Scope
    from .symbolic.domains import (
        AddOrRemove,
        AnyTwo,
        Ball,
        Box,
        Categorical,
        Distance,
        Person,
        ReplaceOne,
        Simplex,
        Table,
    )
    from .symbolic.errors import SpecError
    from .symbolic.information.bounds.answer import EstimatorRisk, ModelBound
    from .symbolic.information.bounds.error_bound import best_bound, error_bound
    from .symbolic.information.bounds.estimator_risks import estimator_risk
    from .symbolic.information.model_information import ModelInformation
    from .symbolic.information.of_model import fisher_information
    from .symbolic.laws.facts import LawFacts
    from .symbolic.laws.joint import JointLaw
    from .symbolic.laws.law import Law
    from .symbolic.predicates import ErrorBound, FisherInformation
    from .symbolic.privacy.guarantees import (
        ApproxDP,
        GaussianDP,
        Guarantee,
        PureDP,
        RenyiDP,
        ZeroConcentratedDP,
    )
    from .symbolic.programs.certificate import PointCertificate
    from .symbolic.programs.constraints import PSD, NormCone
    from .symbolic.programs.convexity import Convexity
    from .symbolic.programs.derivative import Derivative
    from .symbolic.programs.dual import Dual
    from .symbolic.programs.functional.functional import Functional
    from .symbolic.programs.kkt import Kkt
    from .symbolic.programs.program import Program
    from .symbolic.programs.solve import Solution
    from .symbolic.proof.enclosure import EnclosedFunction
    from .symbolic.proof.fact import Fact
    from .symbolic.sensitivity import queries
    from .symbolic.sensitivity.answer import Sensitivity
    from .symbolic.sensitivity.query_over import QueryOver
    from .symbolic.sensitivity.verb import sensitivity
    from .symbolic.stated_optima import Minimiser, OptimalValue, SensitivityBound

# Names are looked up when they are first used: `noiseproof --help` must not wait for sympy.
_HOME = {
    "BROKEN": "mechanisms.broken",
    "Certificate": "audit.record.certificate",
    "Finding": "audit.record.certificate",
    "SpecError": "symbolic.errors",
    "Evidence": "audit.record.evidence",
    "Verdict": "audit.record.evidence",
    **dict.fromkeys(("CheckedProof", "ProofCheck", "check_proof", "proof_of"), "audit.record.proofs"),
    "examine": "audit.trial.examine",
    **dict.fromkeys(("ReleasedNumbers", "released_numbers"), "audit.release.numbers_frame"),
    "Statistics": "statistics",
    **dict.fromkeys(("SamplePlan", "resolution_reached", "samples_needed"), "audit.trial.planning.plan"),
    **dict.fromkeys(
        (
            "AddOrRemove",
            "AnyTwo",
            "Ball",
            "Box",
            "Categorical",
            "Distance",
            "Person",
            "ReplaceOne",
            "Simplex",
            "Table",
        ),
        "symbolic.domains",
    ),
    "search_neighbours": "audit.trial.neighbours",
    "Claim": "symbolic.claim",
    "Scope": "symbolic.claim",
    "Fact": "symbolic.proof.fact",
    **dict.fromkeys(("PSD", "NormCone"), "symbolic.programs.constraints"),
    "Convexity": "symbolic.programs.convexity",
    "Derivative": "symbolic.programs.derivative",
    "PointCertificate": "symbolic.programs.certificate",
    "Solution": "symbolic.programs.solve",
    "Dual": "symbolic.programs.dual",
    "Kkt": "symbolic.programs.kkt",
    "Program": "symbolic.programs.program",
    "LawFacts": "symbolic.laws.facts",
    "JointLaw": "symbolic.laws.joint",
    "Law": "symbolic.laws.law",
    "QueryOver": "symbolic.sensitivity.query_over",
    "Functional": "symbolic.programs.functional.functional",
    "ModelInformation": "symbolic.information.model_information",
    "fisher_information": "symbolic.information.of_model",
    **dict.fromkeys(("EstimatorRisk", "ModelBound"), "symbolic.information.bounds.answer"),
    "estimator_risk": "symbolic.information.bounds.estimator_risks",
    **dict.fromkeys(("best_bound", "error_bound"), "symbolic.information.bounds.error_bound"),
    **dict.fromkeys(("ErrorBound", "FisherInformation"), "symbolic.predicates"),
    **dict.fromkeys(("Minimiser", "OptimalValue", "SensitivityBound"), "symbolic.stated_optima"),
    **dict.fromkeys(
        ("ApproxDP", "GaussianDP", "Guarantee", "PureDP", "RenyiDP", "ZeroConcentratedDP"),
        "symbolic.privacy.guarantees",
    ),
    **dict.fromkeys(
        (
            "MECHANISMS",
            "BlackBox",
            "BoundedMean",
            "BoundedSum",
            "CosineMechanism",
            "Family",
            "GaussianMechanism",
            "LaplaceCovariance",
            "LaplaceMechanism",
            "LinearQuery",
            "LinearSystem",
            "Mechanism",
            "OptimalGaussian",
            "RandomisedResponse",
            "Tampered",
            "TrajectoryNoise",
        ),
        "mechanisms",
    ),
    **dict.fromkeys(("Compression", "Reference"), "mechanisms.compression"),
    **dict.fromkeys(("LargeMarginGaussian", "PrivateLargeMarginGaussian"), "mechanisms.large_margin"),
    "optimal_noise": "mechanisms.optimal_noise",
    "EnclosedFunction": "symbolic.proof.enclosure",
    "queries": "symbolic.sensitivity",
    "Sensitivity": "symbolic.sensitivity.answer",
    "sensitivity": "symbolic.sensitivity.verb",
    **dict.fromkeys(("RonGauss", "RonGaussMixture", "RonGaussSupervised"), "mechanisms.ron_gauss"),
    **dict.fromkeys(("Wish", "split_budget"), "mechanisms.statistics.budget"),
    "marginal_strategy": "mechanisms.statistics.marginals",
    "range_strategy": "mechanisms.statistics.ranges",
    **dict.fromkeys(
        (
            "WholeChoice",
            "WholeChoiceMechanism",
            "WholeGaussian",
            "WholeLaplace",
            "WholeNoiseMechanism",
        ),
        "mechanisms.whole_noise",
    ),
}

__all__ = [
    "BROKEN",
    "MECHANISMS",
    "PSD",
    "AddOrRemove",
    "AnyTwo",
    "ApproxDP",
    "Ball",
    "BlackBox",
    "BoundedMean",
    "BoundedSum",
    "Box",
    "Categorical",
    "Certificate",
    "CheckedProof",
    "Claim",
    "Compression",
    "Convexity",
    "CosineMechanism",
    "Derivative",
    "Distance",
    "Dual",
    "EnclosedFunction",
    "ErrorBound",
    "EstimatorRisk",
    "Evidence",
    "Fact",
    "Family",
    "Finding",
    "FisherInformation",
    "Functional",
    "GaussianDP",
    "GaussianMechanism",
    "Guarantee",
    "JointLaw",
    "Kkt",
    "LaplaceCovariance",
    "LaplaceMechanism",
    "LargeMarginGaussian",
    "Law",
    "LawFacts",
    "LinearQuery",
    "LinearSystem",
    "Mechanism",
    "Minimiser",
    "ModelBound",
    "ModelInformation",
    "NormCone",
    "OptimalGaussian",
    "OptimalValue",
    "Person",
    "PointCertificate",
    "PrivateLargeMarginGaussian",
    "Program",
    "ProofCheck",
    "PureDP",
    "QueryOver",
    "RandomisedResponse",
    "Reference",
    "ReleasedNumbers",
    "RenyiDP",
    "ReplaceOne",
    "RonGauss",
    "RonGaussMixture",
    "RonGaussSupervised",
    "SamplePlan",
    "Scope",
    "Sensitivity",
    "SensitivityBound",
    "Simplex",
    "Solution",
    "SpecError",
    "Statistics",
    "Table",
    "Tampered",
    "TrajectoryNoise",
    "Verdict",
    "WholeChoice",
    "WholeChoiceMechanism",
    "WholeGaussian",
    "WholeLaplace",
    "WholeNoiseMechanism",
    "Wish",
    "ZeroConcentratedDP",
    "best_bound",
    "check_proof",
    "error_bound",
    "estimator_risk",
    "examine",
    "fisher_information",
    "marginal_strategy",
    "optimal_noise",
    "proof_of",
    "queries",
    "range_strategy",
    "released_numbers",
    "resolution_reached",
    "samples_needed",
    "search_neighbours",
    "sensitivity",
    "split_budget",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        from difflib import get_close_matches

        near = get_close_matches(name, __all__, 1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise AttributeError(f"module 'noiseproof' has no attribute {name!r}{hint}")
    value = getattr(import_module(f".{_HOME[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
