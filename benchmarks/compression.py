"""The supremum of the log ratio of two compressions beside the paper's alpha on 100 pairs, guarantees, streaming; writes the result compression.

usage: python benchmarks/compression.py [--each 20] [--records 10000000]
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Iterator

import numpy as np
from compression_trials.pairs import KINDS, moment_pairs
from compression_trials.printed_alpha import explicit_alpha, printed_alpha
from compression_trials.unconstrained import unconstrained_alpha
from result import benchmark, row, table

from noiseproof.audit.studies.compression.guarantee import compression_guarantee
from noiseproof.audit.studies.compression.log_ratio import pair_alpha
from noiseproof.audit.studies.compression.ratio_witness import evaluate as evaluate_ratio
from noiseproof.mechanisms.compression import Compression, ReferenceCovariance, compress_stream

BLOCK = 100_000
COLUMNS = 20


def number(value: float) -> str:
    """Four digits."""
    return "infinite" if value == float("inf") else f"{value:.4g}"


def pair_rows(each: int) -> tuple[list[str], list[str]]:
    """One line for each pair, and one for each kind of pair."""
    lines: list[str] = []
    gaps: list[float] = []
    ratios: dict[str, list[float]] = {k: [] for k in KINDS}
    explicit_ratios: dict[str, list[float]] = {k: [] for k in KINDS}
    attained = below = standing = 0
    for i, q in enumerate(moment_pairs(each)):
        c = q.compression
        exact = pair_alpha(c, q.first, q.second, q.n)
        printed, explicit = (f(c, q.first, q.second, q.n) for f in (printed_alpha, explicit_alpha))
        witness = exact.witness(exact.lower * (1 - 1e-6))
        standing += witness is not None and evaluate_ratio(witness)[0]
        attained += exact.attained
        below += printed.total < exact.lower
        gaps.append(exact.upper / exact.lower - 1)
        ratios[q.kind].append(printed.total / exact.upper)
        explicit_ratios[q.kind].append(explicit / exact.upper)
        lowest = min(np.linalg.eigvalsh(s)[0] for s in (q.first, q.second))
        cells = (
            str(i + 1),
            q.kind,
            str(len(q.first)),
            str(q.n),
            str(c.rows),
            number(c.reference.delta_max),
            number(lowest),
            f"{exact.upper:.6g}",
            "yes" if exact.attained else "no",
            number(explicit),
            number(printed.spread),
            number(printed.closeness),
            number(printed.divergence),
            number(printed.total),
            number(printed.last_step),
            number(printed.total / exact.upper),
        )
        lines.append(row(*cells))
    summary = [
        f"| {kind} | {len(found)} | {number(min(found))} | {number(float(np.median(found)))} | {number(max(found))} | "
        f"{number(float(np.median(explicit_ratios[kind])))} | {number(max(explicit_ratios[kind]))} |"
        for kind, found in ratios.items()
    ]
    total = len(lines)
    notes = [
        f"Attained: {attained} of {total}. Largest relative gap between witness and dual bound: {max(gaps):.2g}. Witnesses that stand when",
        f"evaluated from their data alone against the exact value less one millionth: {standing} of {total}. Pairs on which (15) without its",
        f"o(1) lies below the exact value: {below} of {total}.",
    ]
    return [*summary, "", *notes], lines


def set_rows() -> list[str]:
    """Guarantees for all pairs of a set around one reference."""
    out = []
    for p, m, n in ((2, 200, 1_000), (3, 250, 10_000), (5, 250, 10_000), (10, 300, 100_000)):
        r = 0.3 * np.ones((p, p)) + 0.7 * np.eye(p)
        for delta_max in (1e-4, 1e-3, 1e-2, 0.1, 0.5):
            found = compression_guarantee(Compression(m, ReferenceCovariance(r, delta_max)), n)
            low = found.attack.proved[0]
            out.append(
                f"| {p} | {n:,} | {m} | {delta_max:g} | {number(low)} | {number(found.alpha)} | "
                f"{'yes' if found.unbounded else 'no'} |"
            )
    return out


def shrinking_rows() -> list[str]:
    """Neighbours without a constraint."""
    return [
        f"| {t:g} | {number(found.proved[0])} | {number(found.proved[1])} |"
        for t in (0.9, 0.5, 0.1, 0.01, 0.001)
        for found in (unconstrained_alpha(200, 1_000, t),)
    ]


def stream(records: int) -> str:
    """Time and memory of one pass."""

    def source() -> Iterator[np.ndarray]:
        rng = np.random.default_rng(0)
        block = rng.standard_normal((BLOCK, COLUMNS))
        for _ in range(records // BLOCK):
            # Every block is another one, at little cost: the drawing is not what is measured.
            yield block * rng.choice([-1.0, 1.0], COLUMNS)

    start = time.perf_counter()
    c = Compression(500, ReferenceCovariance(np.eye(COLUMNS), 0.1))
    out = compress_stream(source(), c, np.random.default_rng(1))
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return (
        f"{records:,} x {COLUMNS} records in blocks of {BLOCK:,}, one pass, one thread, to {out.shape[0]} rows: {seconds:.1f} s, peak memory of the "
        f"whole process {peak:.0f} MB (the table itself: {records * COLUMNS * 8 / 2**20:,.0f} MB)."
    )


def lines(arguments: argparse.Namespace) -> list[str]:
    """The page."""
    streaming = stream(arguments.records)
    summary, rows = pair_rows(arguments.each)
    return [
        "# Compression: the exact alpha beside the paper's",
        "",
        "The paper is Zhou, Ligett, Wasserman (2009).",
        "",
        "Exact: the supremum of |ln f'_1/f'_2| over all outputs that the truncation accepts, a linear function of S = output' output/m over a box",
        "intersected with the positive semidefinite cone, normaliser included; attained: an explicit output reaches it up to the gap. Explicit: the",
        "bound (m/2) sum |Gamma| (window + distance from the reference) with no o(1), proved for any two positive definite matrices. (15): the",
        "paper's alpha without its o(1), in its three terms. Last step: the proof's last line with exact constants for its o(1), infinite where",
        "|Sigma_1| |Gamma| >= 1 (lemma C.2 says nothing there). The first table of a pair is the reference, as in theorem 4.6; columns have",
        "squared length n; m is at least what lemma 4.4 asks for.",
        "",
        *table(
            "| pairs | number | (15)/exact, least | median | largest | explicit/exact, median | largest |",
            summary,
        ),
        "## All pairs",
        "",
        *table(
            "| | pair | p | n | m | Dmax | least eigenvalue | exact | attained | explicit | (15): spread | Dmax | divergence | (15) | last step | (15)/exact |",
            rows,
        ),
        "## All tables of a set",
        "",
        "Reference 0.7 I + 0.3; at least: the exact alpha of two explicit tables of the set that differ in one record; at most: proved for every",
        "pair of the set, any number of records that differ; singular: the set reaches singular tables, and no alpha holds.",
        "",
        *table("| p | n | m | delta_max | alpha at least | at most | singular |", set_rows()),
        "## Neighbours without a constraint",
        "",
        "Two tables that differ in one record, X'X/n = I and diag(1, t^2), reference I, delta_max = 1, n = 1,000, m = 200.",
        "",
        *table("| t | alpha at least | at most |", shrinking_rows()),
        "## Streaming",
        "",
        streaming,
        "",
    ]


if __name__ == "__main__":
    benchmark(
        __file__,
        "compression",
        "Compression: exact alpha beside the paper's.",
        lines,
        each=(20, "pairs of each of the five kinds"),
        records=(10_000_000, "of the streamed table"),
    )
