"""noiseproof audits privacy claims: proof, computation and attack in one certificate.

>>> import noiseproof as npf
>>> certificate = npf.examine(npf.LaplaceMechanism(epsilon=1.0, sensitivity=1.0), npf.PureDP(1.0), samples=5_000)
>>> certificate.verdict.name
'SURVIVED'
"""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path
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
# The imports above, which only type checkers run, are the one list of them: public name -> module.
_HOME = {
    alias.name: node.module
    for block in ast.parse(Path(__file__).read_text(encoding="utf-8")).body
    if isinstance(block, ast.If)
    for node in block.body
    if isinstance(node, ast.ImportFrom)
    for alias in node.names
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
