"""Attacks on RON-Gauss: the covariance release, its augmented twin, the whole pipeline, the synthetic records."""

from .claims import claims
from .loss_witness import pipeline_loss

__all__ = [
    "claims",
    "pipeline_loss",
]
