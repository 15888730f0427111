"""RON-Gauss on trial: its noisy second moments, and the exact loss of its whole pipeline at one output."""

from .claims import claims
from .loss_witness import pipeline_loss

__all__ = [
    "claims",
    "pipeline_loss",
]
