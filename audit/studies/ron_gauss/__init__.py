"""Attacks on RON-Gauss: the covariance release, its augmented twin, the whole pipeline, the synthetic records."""

from .augmented import augmented_attack, least_safe_label, widest_pair
from .covariance import MatrixAttack, covariance_attack
from .loss_witness import pipeline_loss
from .pipeline import PipelineAttack, pipeline_attack
from .single_record import FarRecord, far_record
from .synthetic import SyntheticAttack, SyntheticRates, synthetic_attack

__all__ = [
    "FarRecord",
    "MatrixAttack",
    "PipelineAttack",
    "SyntheticAttack",
    "SyntheticRates",
    "augmented_attack",
    "covariance_attack",
    "far_record",
    "least_safe_label",
    "pipeline_attack",
    "pipeline_loss",
    "synthetic_attack",
    "widest_pair",
]
