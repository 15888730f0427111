"""Audits the benchmark zoo as black boxes and compares each certified epsilon with an exact oracle.

usage: python benchmarks/black_box.py [--samples 100000 1000000] [--seeds 5 3]; writes the result zoo

A peer is an installed auditor behind a function of yours, `peer(release, inputs, delta, samples, alpha, seed)`, that
returns its certified lower bound on epsilon; --peer NAME=module:function adds a column.
"""

from __future__ import annotations

import argparse
import importlib
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np
from numpy.typing import ArrayLike, NDArray
from result import save, table
from statsmodels.stats.proportion import proportion_confint
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]
from zoo import ZOO, ZooEntry

import noiseproof as npf
from noiseproof.audit.trial.sampling import draw

Floats = NDArray[np.float64]

Peers = dict[str, Callable[..., float]]

ALPHA = 0.05
REPETITIONS = 1001
_UNIT = 10_000
# Targets at a number of samples: CPU seconds, median gap, worst gap.
TARGETS = {100_000: (5.0, 0.02, 0.15), 1_000_000: (30.0, 0.01, 0.1)}


@dataclass(frozen=True)
class Row:
    """What one mechanism gave at one seed."""

    certified: float
    cpu: float
    cpu_sampling: float
    verdict: str
    peers: dict[str, float]


@dataclass(frozen=True)
class Line:
    """One mechanism over all seeds."""

    entry: ZooEntry
    oracle: float
    rows: tuple[Row, ...]

    @property
    def certified(self) -> float:
        return median(row.certified for row in self.rows)

    @property
    def gap(self) -> float:
        return self.oracle - self.certified

    @property
    def cpu(self) -> float:
        return median(row.cpu for row in self.rows)


def two_interval_bound(k: ArrayLike, m: ArrayLike, n: int, delta: float) -> Floats:
    """log((p_low - delta)/q_high), at least 0, for k of n and m of n; Clopper-Pearson 97.5 % on each."""
    low, _ = proportion_confint(np.asarray(k), n, alpha=ALPHA, method="beta")
    _, high = proportion_confint(np.asarray(m), n, alpha=ALPHA, method="beta")
    return np.asarray(np.log(np.maximum(np.asarray(low) - delta, 1e-300) / high).clip(0.0))


def oracle(entry: ZooEntry, samples: int, seed: int = 0) -> float:
    """The median bound of the Neyman-Pearson event that is best at this sample size, fixed from the exact law.

    The number of outcomes in an event of known probability is binomial: the counts are drawn, not the outcomes.
    """
    q, p = entry.rates()
    # Either order of the inputs: {loss > t} for input 2 over input 1, its complement for input 1 over input 2.
    pairs = np.clip(np.concatenate([np.stack([p, q], axis=1), np.stack([1 - q, 1 - p], axis=1)]), 0.0, 1.0)
    expected = np.round(pairs * samples)
    over, under = pairs[
        int(np.argmax(two_interval_bound(expected[:, 0], expected[:, 1], samples, entry.delta)))
    ]
    rng = np.random.default_rng(seed)
    k, m = (rng.binomial(samples, rate, size=REPETITIONS) for rate in (over, under))
    return float(np.median(two_interval_bound(k, m, samples, entry.delta)))


def audit(entry: ZooEntry, samples: int, seed: int, peers: Peers) -> Row:
    """One audit through the public verb, timed; the certified bound is read from its certificate."""
    subject = entry.black_box()
    start = time.process_time()
    certificate = npf.examine(subject, entry.claim, alpha=ALPHA, samples=samples, seed=seed)
    cpu = time.process_time() - start
    (evidence,) = certificate.findings[0].evidence
    (certified,) = (row["certified"] for row in evidence.bounds if row["delta"] == entry.delta)
    rivals = {
        name: float(peer(subject.release, subject.inputs, entry.delta, samples, ALPHA, seed))
        for name, peer in peers.items()
    }
    return Row(certified, cpu, drawing(entry, samples, seed), certificate.verdict.name, rivals)


def drawing(entry: ZooEntry, samples: int, seed: int) -> float:
    """CPU seconds of drawing the outcomes of one audit and nothing else."""
    subject = entry.black_box()
    start = time.process_time()
    for place, x in enumerate(subject.inputs):
        for unit in range(0, samples, _UNIT):
            draw(subject, x, min(_UNIT, samples - unit), (place, unit), seed)
    return time.process_time() - start


def run(samples: int, seeds: int, peers: Peers, entries: Sequence[ZooEntry] = ZOO) -> list[Line]:
    """All rows, one after the other."""
    # The first audit of a process also pays for lazy imports, which are no work of a row.
    for entry in entries[:6]:
        audit(entry, 1_000, 0, {})
    return [
        Line(
            entry, oracle(entry, samples), tuple(audit(entry, samples, seed, peers) for seed in range(seeds))
        )
        for entry in entries
    ]


def page(lines: Sequence[Line], samples: int, seeds: int) -> str:
    """The two tables of one size."""
    median_gap, worst_gap = median(line.gap for line in lines), max(line.gap for line in lines)
    worst = max(lines, key=lambda line: line.gap)
    cpu, drawing = (
        sum(median(getattr(r, name) for r in line.rows) for line in lines) for name in ("cpu", "cpu_sampling")
    )
    false_alarms = sum(
        row.verdict == "REFUTED" for line in lines if not line.entry.violates for row in line.rows
    )
    sound = sum(len(line.rows) for line in lines if not line.entry.violates)
    above = sum(row.certified > line.entry.true_epsilon for line in lines for row in line.rows)
    out = [
        f"## {samples:,} samples per input, {seeds} seeds",
        "",
        f"Black box, {samples:,} samples per input (learning included), alpha = {ALPHA} per row, medians over {seeds} seeds, one core.",
        "Certified: the lower bound on epsilon at the row's delta. True: exact on the pair of inputs; a row above its claim violates it.",
        "Oracle: the best event of the exact law, fixed beforehand, Clopper-Pearson 97.5 % on each of its two probabilities,",
        f"{samples:,} samples per input, median of {REPETITIONS} repetitions. CPU: one `examine`, imports excluded.",
        "",
        *table(
            "| mechanism | delta | claimed | true | oracle | certified | gap | worst gap | CPU s | verdicts |"
            + _cells(lines[0].rows[0].peers),
            map(_table_row, lines),
        ),
    ]
    cpu_target, median_target, worst_target = (
        (f"{t:g}" for t in TARGETS[samples]) if samples in TARGETS else ("none",) * 3
    )
    out += table(
        "| over all rows | measured | target |",
        [
            f"| median gap | {median_gap:.4f} | {median_target} |",
            f"| worst gap ({worst.entry.name}) | {worst_gap:.4f} | {worst_target} |",
            f"| CPU seconds, all rows once | {cpu:.2f} | {cpu_target} |",
            f"| of which drawing the outcomes | {drawing:.2f} | |",
            f"| false alarms on rows that keep their claim | {false_alarms} of {sound} | |",
            f"| certified bounds above the true epsilon | {above} of {len(lines) * seeds} | |",
        ],
    )
    if samples in TARGETS:
        met = [
            value <= target
            for value, target in zip((cpu, median_gap, worst_gap), TARGETS[samples], strict=True)
        ]
        missed = [
            name for name, ok in zip(("CPU seconds", "median gap", "worst gap"), met, strict=True) if not ok
        ]
        out += ["Targets missed: " + ", ".join(missed) + "." if missed else "All targets met."]
    return "\n".join(out) + "\n"


def _table_row(line: Line) -> str:
    entry = line.entry
    rows = line.rows
    verdicts = [row.verdict for row in rows]
    counted = ", ".join(f"{name} {verdicts.count(name)}" for name in sorted(set(verdicts)))
    worst = line.oracle - min(row.certified for row in line.rows)
    return (
        f"| {entry.name} | {entry.delta:g} | {entry.claim.epsilon:g} | {entry.true_epsilon:.4f} | {line.oracle:.4f} | "
        f"{line.certified:.4f} | {line.gap:.4f} | {worst:.4f} | {line.cpu:.2f} | {counted} |"
        + _cells(f"{median(row.peers[name] for row in rows):.4f}" for name in rows[0].peers)
    )


def _cells(words: Iterable[str]) -> str:
    return "".join(f" {word} |" for word in words)


def _peer(text: str) -> tuple[str, Callable[..., float]]:
    name, _, target = text.partition("=")
    module, _, function = target.partition(":")
    if not (name and module and function):
        raise SystemExit(f"expected --peer NAME=module:function, got {text!r}")
    return name, getattr(importlib.import_module(module), function)


def main() -> None:
    parser = argparse.ArgumentParser(description="Audit the benchmark zoo and compare with the exact oracle.")
    parser.add_argument(
        "--samples", type=int, nargs="+", default=[100_000], help="per input, learning included"
    )
    parser.add_argument(
        "--seeds", type=int, nargs="+", default=[5], help="audits per mechanism, for each size"
    )
    parser.add_argument("--peer", action="append", default=[], help="NAME=module:function, another auditor")
    arguments = parser.parse_args()
    if len(arguments.seeds) not in (1, len(arguments.samples)):
        raise SystemExit("give one number of seeds, or one for each size")
    seeds = arguments.seeds * (len(arguments.samples) if len(arguments.seeds) == 1 else 1)
    peers = dict(map(_peer, arguments.peer))
    sizes, times = " ".join(map(str, arguments.samples)), " ".join(map(str, arguments.seeds))
    parts = ["# The zoo: certified epsilon against an exact oracle\n"]
    with threadpool_limits(1):
        for samples, audits in zip(arguments.samples, seeds, strict=True):
            parts.append(page(run(samples, audits, peers), samples, audits))
            print(parts[-1])
    save("zoo", "\n".join(parts), f"python benchmarks/black_box.py --samples {sizes} --seeds {times}")


if __name__ == "__main__":
    main()
