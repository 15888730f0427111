"""Audits the benchmark zoo as black boxes and compares each certified epsilon with an exact oracle.

usage: python benchmarks/zoo.py [--samples 100000] [--seeds 5] [--write docs/benchmarks.md]
"""

from __future__ import annotations

import argparse
import datetime
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import numpy as np
from numpy.typing import ArrayLike, NDArray
from statsmodels.stats.proportion import proportion_confint
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

import noiseproof as npf
from noiseproof.audit.checks.likelihood_ratio import LikelihoodRatio, Plan
from noiseproof.audit.evalue import EventCounts, epsilon_lower_bound
from noiseproof.audit.sampling import Schedule, draw, learning_part, probe
from noiseproof.mechanisms.zoo import ZOO, ZooEntry

Floats = NDArray[np.float64]

ALPHA = 0.05
REPETITIONS = 1001
# Targets at a number of samples: CPU seconds, median gap, worst gap.
TARGETS = {100_000: (5.0, 0.02, 0.15), 1_000_000: (30.0, 0.01, 0.1)}
PAGE = Path(__file__).resolve().parents[1] / "docs" / "benchmarks.md"


@dataclass(frozen=True)
class Row:
    """What one mechanism gave at one seed."""

    certified: float
    cpu: float
    cpu_sampling: float
    verdict: str


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


def audit(entry: ZooEntry, samples: int, seed: int) -> Row:
    """One audit through the public verb, timed; then its counts once more, from the same streams, for the bound."""
    subject = entry.black_box()
    start = time.process_time()
    certificate = npf.examine(subject, entry.claim, alpha=ALPHA, samples=samples, seed=seed)
    cpu = time.process_time() - start
    counts, sampling = event_counts(entry, samples, seed)
    return Row(epsilon_lower_bound(counts, entry.delta, ALPHA), cpu, sampling, certificate.verdict.name)


def event_counts(entry: ZooEntry, samples: int, seed: int) -> tuple[EventCounts, float]:
    """The counts that `examine` judges, and the CPU seconds that drawing the outcomes took."""
    subject = entry.black_box()
    check = LikelihoodRatio(npf.Claim(entry.claim, subject), subject.inputs)
    schedule = Schedule.of(samples, probe(subject, subject.inputs, seed))
    start = time.process_time()
    learning = [
        learning_part(subject, x, schedule, (0, place), seed) for place, x in enumerate(subject.inputs)
    ]
    sampling = time.process_time() - start
    plan: Plan = check.learn(learning)
    total = np.zeros((2, len(plan.events) + 1))
    for unit, size in enumerate(schedule.units):
        start = time.process_time()
        outcomes = [
            draw(subject, x, size, (0, place, unit + 1), seed) for place, x in enumerate(subject.inputs)
        ]
        sampling += time.process_time() - start
        total += check.count(plan, outcomes)
    counts = EventCounts(
        total[0, :-1], total[0, -1], total[1, :-1], total[1, -1],
        plan.prior_k0, plan.prior_n0, plan.prior_k1, plan.prior_n1, plan.weights,
    )  # fmt: skip
    return counts, sampling


def run(samples: int, seeds: int, entries: Sequence[ZooEntry] = ZOO) -> list[Line]:
    """All rows, one after the other."""
    # The first audit of a process also pays for lazy imports, which are no work of a row.
    audit(entries[0], 1_000, 0)
    return [
        Line(entry, oracle(entry, samples), tuple(audit(entry, samples, seed) for seed in range(seeds)))
        for entry in entries
    ]


def page(lines: Sequence[Line], samples: int, seeds: int) -> str:
    """The page that is printed and written."""
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
        "# The zoo: certified epsilon against an exact oracle",
        "",
        f"{datetime.date.today().isoformat()}, noiseproof {_version()}, `python benchmarks/zoo.py --samples {samples} --seeds {seeds}`.",
        "",
        f"Black box, {samples:,} samples per input (learning included), alpha = {ALPHA} per row, medians over {seeds} seeds, one core.",
        "Certified: the lower bound on epsilon at the row's delta. True: exact on the pair of inputs; a row above its claim violates it.",
        "Oracle: the best event of the exact law, fixed beforehand, Clopper-Pearson 97.5 % on each of its two probabilities,",
        f"{samples:,} samples per input, median of {REPETITIONS} repetitions. CPU: one `examine`, imports excluded.",
        "",
        "| mechanism | delta | claimed | true | oracle | certified | gap | worst gap | CPU s | verdicts |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
        *(_table_row(line) for line in lines),
        "",
        "| over all rows | measured | target |",
        "| --- | --- | --- |",
    ]
    cpu_target, median_target, worst_target = (
        (f"{t:g}" for t in TARGETS[samples]) if samples in TARGETS else ("none",) * 3
    )
    out += [
        f"| median gap | {median_gap:.4f} | {median_target} |",
        f"| worst gap ({worst.entry.name}) | {worst_gap:.4f} | {worst_target} |",
        f"| CPU seconds, all rows once | {cpu:.2f} | {cpu_target} |",
        f"| of which drawing the outcomes | {drawing:.2f} | |",
        f"| false alarms on rows that keep their claim | {false_alarms} of {sound} | |",
        f"| certified bounds above the true epsilon | {above} of {len(lines) * seeds} | |",
    ]
    if samples in TARGETS:
        met = [
            value <= target
            for value, target in zip((cpu, median_gap, worst_gap), TARGETS[samples], strict=True)
        ]
        missed = [
            name for name, ok in zip(("CPU seconds", "median gap", "worst gap"), met, strict=True) if not ok
        ]
        out += ["", "Targets missed: " + ", ".join(missed) + "." if missed else "All targets met."]
    return "\n".join(out) + "\n"


def _table_row(line: Line) -> str:
    entry = line.entry
    verdicts = [row.verdict for row in line.rows]
    counted = ", ".join(f"{name} {verdicts.count(name)}" for name in sorted(set(verdicts)))
    worst = line.oracle - min(row.certified for row in line.rows)
    return (
        f"| {entry.name} | {entry.delta:g} | {entry.claim.epsilon:g} | {entry.true_epsilon:.4f} | {line.oracle:.4f} | "
        f"{line.certified:.4f} | {line.gap:.4f} | {worst:.4f} | {line.cpu:.2f} | {counted} |"
    )


def _version() -> str:
    from importlib.metadata import version

    return version("noiseproof")


def main() -> None:
    parser = argparse.ArgumentParser(description="Audit the benchmark zoo and compare with the exact oracle.")
    parser.add_argument("--samples", type=int, default=100_000, help="samples per input, learning included")
    parser.add_argument("--seeds", type=int, default=5, help="audits per mechanism")
    parser.add_argument("--write", type=Path, default=PAGE, help="where the page goes")
    arguments = parser.parse_args()
    with threadpool_limits(1):
        lines = run(arguments.samples, arguments.seeds)
    text = page(lines, arguments.samples, arguments.seeds)
    arguments.write.write_text(text, encoding="utf-8")
    print(text, end="")


if __name__ == "__main__":
    main()
