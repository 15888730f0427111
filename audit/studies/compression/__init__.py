"""Compression on trial: the exact log-density ratio and its supremum, guarantees with their scope, attacks."""

from .acceptance import Normaliser, lemma_4_4, normaliser, rejection_bound, rejection_bound_for_all
from .claims import claims
from .derivation import guarantee_derivation
from .guarantee import CompressionGuarantee, compression_guarantee
from .log_ratio import LogRatioBound, PairAlpha, log_ratio_bound, pair_alpha, untruncated_supremum
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
    "lemma_4_4",
    "log_ratio_bound",
    "normaliser",
    "pair_alpha",
    "rejection_bound",
    "rejection_bound_for_all",
    "untruncated_supremum",
]
