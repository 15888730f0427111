"""Attacks on RON-Gauss: the covariance release, its augmented twin, the whole pipeline, the synthetic records."""

from .loss_witness import pipeline_loss

__all__ = [
    "pipeline_loss",
]
