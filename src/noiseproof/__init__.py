"""noiseproof audits privacy claims: proof, computation and attack in one certificate.

>>> import noiseproof as npf
>>> certificate = npf.examine(npf.LaplaceMechanism(epsilon=1.0, sensitivity=1.0), npf.PureDP(1.0), samples=5_000)
>>> certificate.verdict.name
'SURVIVED'
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .audit.record.certificate import Certificate as Certificate
    from .audit.record.certificate import Finding as Finding
    from .audit.record.evidence import Evidence as Evidence
    from .audit.record.evidence import Verdict as Verdict
    from .audit.record.proofs import ProofReport as ProofReport
    from .audit.record.proofs import ProofResult as ProofResult
    from .audit.record.proofs import check_proof as check_proof
    from .audit.record.proofs import extract_proof as extract_proof
    from .audit.release.numbers_frame import StatisticsTable as StatisticsTable
    from .audit.release.numbers_frame import read_statistics as read_statistics
    from .audit.trial.examine import examine as examine
    from .audit.trial.neighbours.search import search_neighbours as search_neighbours
    from .audit.trial.planning.plan import SamplePlan as SamplePlan
    from .audit.trial.planning.plan import resolution_at as resolution_at
    from .audit.trial.planning.plan import sample_size as sample_size
    from .mechanisms import MECHANISMS as MECHANISMS
    from .mechanisms import BlackBox as BlackBox
    from .mechanisms import BoundedMean as BoundedMean
    from .mechanisms import BoundedSum as BoundedSum
    from .mechanisms import CosineMechanism as CosineMechanism
    from .mechanisms import Family as Family
    from .mechanisms import GaussianMechanism as GaussianMechanism
    from .mechanisms import LaplaceCovariance as LaplaceCovariance
    from .mechanisms import LaplaceMechanism as LaplaceMechanism
    from .mechanisms import LinearQuery as LinearQuery
    from .mechanisms import LinearSystem as LinearSystem
    from .mechanisms import Mechanism as Mechanism
    from .mechanisms import Mutant as Mutant
    from .mechanisms import OptimalGaussian as OptimalGaussian
    from .mechanisms import RandomisedResponse as RandomisedResponse
    from .mechanisms import TrajectoryNoise as TrajectoryNoise
    from .mechanisms.broken import BROKEN_MECHANISMS as BROKEN_MECHANISMS
    from .mechanisms.compression import Compression as Compression
    from .mechanisms.compression import ReferenceCovariance as ReferenceCovariance
    from .mechanisms.large_margin import LargeMarginGaussian as LargeMarginGaussian
    from .mechanisms.large_margin import PrivateLargeMarginGaussian as PrivateLargeMarginGaussian
    from .mechanisms.optimal_noise import optimal_noise as optimal_noise
    from .mechanisms.ron_gauss import RonGauss as RonGauss
    from .mechanisms.ron_gauss import RonGaussMixture as RonGaussMixture
    from .mechanisms.ron_gauss import RonGaussSupervised as RonGaussSupervised
    from .mechanisms.statistics.budget import BudgetItem as BudgetItem
    from .mechanisms.statistics.budget import split_budget as split_budget
    from .mechanisms.statistics.marginals import marginal_strategy as marginal_strategy
    from .mechanisms.statistics.ranges import range_strategy as range_strategy
    from .mechanisms.whole_noise import DiscreteGaussian as DiscreteGaussian
    from .mechanisms.whole_noise import DiscreteLaplace as DiscreteLaplace
    from .mechanisms.whole_noise import DiscreteNoiseMechanism as DiscreteNoiseMechanism
    from .mechanisms.whole_noise import ExponentialMechanism as ExponentialMechanism
    from .mechanisms.whole_noise import ExponentialSelection as ExponentialSelection
    from .statistics import Statistics as Statistics
    from .symbolic.claim import Claim as Claim
    from .symbolic.claim import Scope as Scope
    from .symbolic.domains import AddOrRemove as AddOrRemove
    from .symbolic.domains import AnyTwo as AnyTwo
    from .symbolic.domains import Ball as Ball
    from .symbolic.domains import Box as Box
    from .symbolic.domains import Categorical as Categorical
    from .symbolic.domains import Distance as Distance
    from .symbolic.domains import Person as Person
    from .symbolic.domains import ReplaceOne as ReplaceOne
    from .symbolic.domains import Simplex as Simplex
    from .symbolic.domains import Table as Table
    from .symbolic.errors import SpecError as SpecError
    from .symbolic.information.bounds.answer import EstimationBound as EstimationBound
    from .symbolic.information.bounds.answer import EstimatorRisk as EstimatorRisk
    from .symbolic.information.bounds.error_bound import best_bound as best_bound
    from .symbolic.information.bounds.error_bound import error_bound as error_bound
    from .symbolic.information.bounds.estimator_risks import estimator_risk as estimator_risk
    from .symbolic.information.model_information import FisherInformationMatrix as FisherInformationMatrix
    from .symbolic.information.of_model import fisher_information as fisher_information
    from .symbolic.laws.facts import LawProperties as LawProperties
    from .symbolic.laws.joint import JointLaw as JointLaw
    from .symbolic.laws.law import Law as Law
    from .symbolic.predicates import ErrorBound as ErrorBound
    from .symbolic.predicates import FisherInformation as FisherInformation
    from .symbolic.privacy.guarantees import ApproxDP as ApproxDP
    from .symbolic.privacy.guarantees import GaussianDP as GaussianDP
    from .symbolic.privacy.guarantees import Guarantee as Guarantee
    from .symbolic.privacy.guarantees import PureDP as PureDP
    from .symbolic.privacy.guarantees import RenyiDP as RenyiDP
    from .symbolic.privacy.guarantees import ZeroConcentratedDP as ZeroConcentratedDP
    from .symbolic.programs.certificate import PointCertificate as PointCertificate
    from .symbolic.programs.constraints import PSD as PSD
    from .symbolic.programs.constraints import NormCone as NormCone
    from .symbolic.programs.convexity import Convexity as Convexity
    from .symbolic.programs.derivative import Derivative as Derivative
    from .symbolic.programs.dual import Dual as Dual
    from .symbolic.programs.functional.functional import Functional as Functional
    from .symbolic.programs.kkt import KKTConditions as KKTConditions
    from .symbolic.programs.program import Program as Program
    from .symbolic.programs.solve import Solution as Solution
    from .symbolic.proof.enclosure import EnclosedFunction as EnclosedFunction
    from .symbolic.proof.fact import Fact as Fact
    from .symbolic.sensitivity import queries as queries
    from .symbolic.sensitivity.answer import Sensitivity as Sensitivity
    from .symbolic.sensitivity.query_over import DatasetQuery as DatasetQuery
    from .symbolic.sensitivity.verb import sensitivity as sensitivity
    from .symbolic.stated_optima import Minimiser as Minimiser
    from .symbolic.stated_optima import OptimalValue as OptimalValue
    from .symbolic.stated_optima import SensitivityBound as SensitivityBound

# Names are looked up when they are first used: `noiseproof --help` must not wait for sympy.
_HOME = {
    "BROKEN_MECHANISMS": "mechanisms.broken",
    "Certificate": "audit.record.certificate",
    "Finding": "audit.record.certificate",
    "SpecError": "symbolic.errors",
    "Evidence": "audit.record.evidence",
    "Verdict": "audit.record.evidence",
    **dict.fromkeys(("ProofResult", "ProofReport", "check_proof", "extract_proof"), "audit.record.proofs"),
    "examine": "audit.trial.examine",
    **dict.fromkeys(("StatisticsTable", "read_statistics"), "audit.release.numbers_frame"),
    "Statistics": "statistics",
    **dict.fromkeys(("SamplePlan", "resolution_at", "sample_size"), "audit.trial.planning.plan"),
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
    "search_neighbours": "audit.trial.neighbours.search",
    "Claim": "symbolic.claim",
    "Scope": "symbolic.claim",
    "Fact": "symbolic.proof.fact",
    **dict.fromkeys(("PSD", "NormCone"), "symbolic.programs.constraints"),
    "Convexity": "symbolic.programs.convexity",
    "Derivative": "symbolic.programs.derivative",
    "PointCertificate": "symbolic.programs.certificate",
    "Solution": "symbolic.programs.solve",
    "Dual": "symbolic.programs.dual",
    "KKTConditions": "symbolic.programs.kkt",
    "Program": "symbolic.programs.program",
    "LawProperties": "symbolic.laws.facts",
    "JointLaw": "symbolic.laws.joint",
    "Law": "symbolic.laws.law",
    "DatasetQuery": "symbolic.sensitivity.query_over",
    "Functional": "symbolic.programs.functional.functional",
    "FisherInformationMatrix": "symbolic.information.model_information",
    "fisher_information": "symbolic.information.of_model",
    **dict.fromkeys(("EstimatorRisk", "EstimationBound"), "symbolic.information.bounds.answer"),
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
            "Mutant",
            "TrajectoryNoise",
        ),
        "mechanisms",
    ),
    **dict.fromkeys(("Compression", "ReferenceCovariance"), "mechanisms.compression"),
    **dict.fromkeys(("LargeMarginGaussian", "PrivateLargeMarginGaussian"), "mechanisms.large_margin"),
    "optimal_noise": "mechanisms.optimal_noise",
    "EnclosedFunction": "symbolic.proof.enclosure",
    "queries": "symbolic.sensitivity",
    "Sensitivity": "symbolic.sensitivity.answer",
    "sensitivity": "symbolic.sensitivity.verb",
    **dict.fromkeys(("RonGauss", "RonGaussMixture", "RonGaussSupervised"), "mechanisms.ron_gauss"),
    **dict.fromkeys(("BudgetItem", "split_budget"), "mechanisms.statistics.budget"),
    "marginal_strategy": "mechanisms.statistics.marginals",
    "range_strategy": "mechanisms.statistics.ranges",
    **dict.fromkeys(
        (
            "ExponentialSelection",
            "ExponentialMechanism",
            "DiscreteGaussian",
            "DiscreteLaplace",
            "DiscreteNoiseMechanism",
        ),
        "mechanisms.whole_noise",
    ),
}

__all__ = sorted(_HOME)


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
    return list(__all__)
