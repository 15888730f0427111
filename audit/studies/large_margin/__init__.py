"""Attacks on private large-margin classification (Pathak, Raj 2010): a version with too little noise, and its worst neighbours."""

from .claims import claims
from .private_attack import PrintedScale, worst_neighbours

__all__ = [
    "PrintedScale",
    "claims",
    "worst_neighbours",
]
