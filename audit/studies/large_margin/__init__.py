"""Attacks on private large-margin classification (Pathak, Raj 2010), as printed and as derived, its risk, and its noise."""

from .claims import claims
from .impossible_output import impossible_output
from .private_attack import PrintedScale, WithoutJacobian, largest_loss, worst_neighbours

__all__ = [
    "PrintedScale",
    "WithoutJacobian",
    "claims",
    "impossible_output",
    "largest_loss",
    "worst_neighbours",
]
