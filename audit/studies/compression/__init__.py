"""Compression on trial: the exact log-density ratio and its supremum, guarantees with their scope, attacks."""

from .acceptance import Normaliser, lemma_4_4, normaliser, rejection_bound, rejection_bound_for_all
from .derivation import guarantee_derivation
from .guarantee import CompressionGuarantee, compression_guarantee
from .log_ratio import LogRatioBound, PairAlpha, log_ratio_bound, pair_alpha, untruncated_supremum
from .pairs import MomentPair, moment_pairs
from .printed_alpha import PrintedAlpha, explicit_alpha, printed_alpha
from .ratio_witness import evaluate as evaluate_ratio
from .row_recovery import (
    RowEstimate,
    alternative_table,
    estimated_row,
    exact_product,
    recovered_row,
    signs_from_one_row,
)
from .subject import compression_subject, expected_loss
from .subspace import CompressedModels, compressed_models
from .unconstrained import (
    NormalisationEffect,
    faint_column_neighbours,
    normalisation_effect,
    refusal_leak,
    shrinking_neighbours,
    singular_binary_neighbours,
    tells_singular,
    unconstrained_alpha,
)

__all__ = [
    "CompressedModels",
    "CompressionGuarantee",
    "LogRatioBound",
    "MomentPair",
    "NormalisationEffect",
    "Normaliser",
    "PairAlpha",
    "PrintedAlpha",
    "RowEstimate",
    "alternative_table",
    "compressed_models",
    "compression_guarantee",
    "compression_subject",
    "estimated_row",
    "evaluate_ratio",
    "exact_product",
    "expected_loss",
    "explicit_alpha",
    "faint_column_neighbours",
    "guarantee_derivation",
    "lemma_4_4",
    "log_ratio_bound",
    "moment_pairs",
    "normalisation_effect",
    "normaliser",
    "pair_alpha",
    "printed_alpha",
    "recovered_row",
    "refusal_leak",
    "rejection_bound",
    "rejection_bound_for_all",
    "shrinking_neighbours",
    "signs_from_one_row",
    "singular_binary_neighbours",
    "tells_singular",
    "unconstrained_alpha",
    "untruncated_supremum",
]
