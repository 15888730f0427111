"""Guarantees of a released data set, the attacks that test them, and what the release is worth to those who train on it."""

from .attacks import RecordErrors, record_errors
from .claims import claims
from .equal_terms import LaplaceTerms, laplace_of_normal, laplace_on, noise_variance
from .error_bounds import RecordBounds, independent_bound, null_space_bounds, trace_bound
from .estimators import KnowsOthers, LabelKnowledge, NormalPrior, PosteriorMean, RawRelease, Shrinkage
from .fitting import distance, fit_classifier, fit_ridge, ridge_loss, success
from .local_privacy import gaussian_mu, printed_condition_small, printed_epsilon, printed_norm, separation
from .operational import least_gaussian_error, printed_error, total_variation, two_point_error
from .stability import (
    GlobalStability,
    LocalStability,
    global_stability,
    local_stability,
    proposition_2_3,
    proposition_2_3_global,
    proposition_2_11,
    ridge_stability,
)
from .utility import Quality, qualities

__all__ = [
    "GlobalStability",
    "KnowsOthers",
    "LabelKnowledge",
    "LaplaceTerms",
    "LocalStability",
    "NormalPrior",
    "PosteriorMean",
    "Quality",
    "RawRelease",
    "RecordBounds",
    "RecordErrors",
    "Shrinkage",
    "claims",
    "distance",
    "fit_classifier",
    "fit_ridge",
    "gaussian_mu",
    "global_stability",
    "independent_bound",
    "laplace_of_normal",
    "laplace_on",
    "least_gaussian_error",
    "local_stability",
    "noise_variance",
    "null_space_bounds",
    "printed_condition_small",
    "printed_epsilon",
    "printed_error",
    "printed_norm",
    "proposition_2_3",
    "proposition_2_3_global",
    "proposition_2_11",
    "qualities",
    "record_errors",
    "ridge_loss",
    "ridge_stability",
    "separation",
    "success",
    "total_variation",
    "trace_bound",
    "two_point_error",
]
