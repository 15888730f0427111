"""Compression on trial: the exact log-density ratio and its supremum, guarantees with their scope, attacks."""

from .acceptance import Normaliser, normaliser, rejection_bound, rejection_bound_for_all
from .claims import claims
from .derivation import guarantee_derivation
from .guarantee import CompressionGuarantee, compression_guarantee
from .log_ratio import LogRatioBound, PairAlpha, pair_alpha, untruncated_supremum
from .ratio_witness import evaluate as evaluate_ratio
from .subject import compression_subject, expected_loss

__all__ = [
    "CompressionGuarantee",
    "LogRatioBound",
    "Normaliser",
    "PairAlpha",
    "claims",
    "compression_guarantee",
    "compression_subject",
    "evaluate_ratio",
    "expected_loss",
    "guarantee_derivation",
    "normaliser",
    "pair_alpha",
    "rejection_bound",
    "rejection_bound_for_all",
    "untruncated_supremum",
]
