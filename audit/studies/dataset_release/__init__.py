"""Guarantees of a released data set, the attacks that test them, and what the release is worth to those who train on it."""

from .attacks import RecordErrors, record_errors, shrinkage_witness
from .equal_terms import LaplaceTerms, laplace_of_normal, laplace_on, noise_variance
from .error_bounds import (
    RecordBounds,
    bounded_minimax,
    independent_bound,
    normal_prior_error,
    null_space_bound,
    null_space_bounds,
    trace_bound,
    uniform_prior_error,
)
from .estimators import (
    KnowsOthers,
    LabelKnowledge,
    NormalPrior,
    PosteriorMean,
    RawRelease,
    Shrinkage,
    for_record,
    seen_without_noise,
)
from .fitting import distance, fit_classifier, fit_ridge, ridge_loss, success
from .local_privacy import (
    exact_delta_at_printed,
    gaussian_mu,
    null_space_delta,
    printed_condition_small,
    printed_epsilon,
    printed_norm,
    separation,
)
from .operational import (
    gaussian_two_point_error,
    least_gaussian_error,
    printed_error,
    total_variation,
    two_point_error,
)
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
from .utility import Quality, qualities, simulate

__all__ = [
    "GlobalStability", "KnowsOthers", "LabelKnowledge", "LaplaceTerms", "LocalStability", "NormalPrior", "PosteriorMean",
    "Quality", "RawRelease", "RecordBounds", "RecordErrors", "Shrinkage", "bounded_minimax", "distance",
    "exact_delta_at_printed", "fit_classifier", "fit_ridge", "for_record", "gaussian_mu",
    "gaussian_two_point_error", "global_stability", "independent_bound", "laplace_of_normal", "laplace_on",
    "least_gaussian_error", "local_stability", "noise_variance", "normal_prior_error", "null_space_bound",
    "null_space_bounds", "null_space_delta", "printed_condition_small", "printed_epsilon", "printed_error",
    "printed_norm", "proposition_2_3", "proposition_2_3_global", "proposition_2_11", "qualities", "record_errors",
    "ridge_loss", "ridge_stability", "seen_without_noise", "separation", "shrinkage_witness", "simulate", "success",
    "total_variation", "trace_bound", "two_point_error", "uniform_prior_error",
]  # fmt: skip
