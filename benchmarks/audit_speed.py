"""How long an audit takes compared with drawing its outcomes; writes the result audit-speed.

usage: python benchmarks/audit_speed.py [--samples 1000000]
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np
from result import benchmark, row, table

import noiseproof as npf
from noiseproof.audit.trial.check import Check
from noiseproof.audit.trial.examine import _checks
from noiseproof.audit.trial.outcomes import join
from noiseproof.audit.trial.sampling import Schedule, draw

REPETITIONS = 9


def _laplace(data: float, size: int, rng: np.random.Generator) -> Any:
    return data + rng.laplace(0.0, 1.0, size)


def _normal(data: float, size: int, rng: np.random.Generator) -> Any:
    return data + rng.normal(0.0, 1.0, size)


def _laplace_density(y: Any, data: float) -> Any:
    return -np.abs(np.asarray(y).ravel() - data) - np.log(2)


def _normal_density(y: Any, data: float) -> Any:
    return -((np.asarray(y).ravel() - data) ** 2) / 2 - 0.5 * np.log(2 * np.pi)


# Code with a density is attacked only; a mechanism's law is also proved and its fit tested, at a fixed cost.
SUBJECTS: dict[str, tuple[Any, Any]] = {
    "Laplace code with density, pure": (
        npf.BlackBox(_laplace, (0.0, 1.0), _laplace_density),
        npf.PureDP(1.0),
    ),
    "Gaussian code with density, whole curve": (
        npf.BlackBox(_normal, (0.0, 1.0), _normal_density),
        npf.GaussianDP(1.0),
    ),
    "Gaussian code with density, delta 0.2": (
        npf.BlackBox(_normal, (0.0, 1.0), _normal_density),
        npf.ApproxDP(1.0, 0.2),
    ),
    "Laplace mechanism, pure": (npf.LaplaceMechanism(1.0, 1.0), npf.PureDP(1.0)),
    "Gaussian mechanism, whole curve": (npf.GaussianMechanism(1.0, 1.0), npf.GaussianDP(1.0)),
    "Gaussian mechanism, error bound": (npf.GaussianMechanism(1.0, 1.0), npf.ErrorBound(1.0)),
}


def drawing_seconds(subject: Any, samples: int, whole: bool = False) -> float:
    """CPU seconds that the release alone takes for `samples` outcomes on each of two inputs, in calls of the audit's size or one."""
    schedule = Schedule.of(samples, 1, known=True)
    sizes = (samples,) if whole else (*schedule.learning, *schedule.units)
    rng = np.random.default_rng(0)
    start = time.process_time()
    for x in subject.neighbours()[0]:
        for size in sizes:
            subject.release(x, size, rng)
    return time.process_time() - start


def check_seconds(check: Check, samples: int) -> tuple[float, float, float]:
    """Seconds for learning, counting and judging, the drawing of outcomes left out."""
    schedule = Schedule.of(samples, 1, known=True)
    subject, inputs = check.claim.subject, check.inputs()
    if not inputs:
        start = time.process_time()
        check.judge(None, None, 0.01)
        return 0.0, 0.0, time.process_time() - start
    sample = [
        join([draw(subject, x, size, (0, i, 0, call), 0) for call, size in enumerate(schedule.learning)])
        for i, x in enumerate(inputs)
    ]
    start = time.process_time()
    plan = check.learn(sample)
    learning, counting, total = time.process_time() - start, 0.0, None
    for unit, size in enumerate(schedule.units):
        drawn = [draw(subject, x, size, (0, i, unit + 1), 0) for i, x in enumerate(inputs)]
        start = time.process_time()
        counts = check.count(plan, drawn, np.random.default_rng(unit))
        total = counts if total is None else total + counts
        counting += time.process_time() - start
    start = time.process_time()
    check.judge(plan, total, 0.01)
    return learning, counting, time.process_time() - start


def ratios(samples: int) -> list[str]:
    """A table row per audit: seconds, and their ratio to those of the bare release in the same minute."""
    out = []
    for name, (subject, claim) in SUBJECTS.items():
        npf.examine(subject, claim, samples=1000)
        rows = []
        for seed in range(REPETITIONS):
            before, start = drawing_seconds(subject, samples), time.process_time()
            npf.examine(subject, claim, samples=samples, seed=seed)
            taken = time.process_time() - start
            drawing = 0.5 * (before + drawing_seconds(subject, samples))
            rows.append(
                (taken / drawing, taken / drawing_seconds(subject, samples, whole=True), drawing, taken)
            )
        rows.sort()
        ratio, _, drawing, taken = rows[len(rows) // 2]
        spread = f"{ratio:.2f} ({rows[0][0]:.2f} to {rows[-1][0]:.2f})"
        whole = float(np.median([r[1] for r in rows]))
        out.append(row(name, f"{drawing:.3f}", f"{taken:.3f}", spread, f"{whole:.2f}"))
    return out


def by_check(samples: int) -> list[str]:
    """A table row per check: seconds to learn, to count, to judge."""
    out = []
    for name, (subject, claim) in SUBJECTS.items():
        for check in _checks(npf.Claim(claim, subject), bits=False, sequential=False):
            out.append(row(name, check.name, *(f"{t:.3f}" for t in check_seconds(check, samples))))
    return out


def lines(arguments: argparse.Namespace) -> list[str]:
    """The page."""
    samples = arguments.samples
    return [
        "# What an audit costs beside its outcomes",
        "",
        f"CPU seconds on one core, {REPETITIONS} repetitions, the median with its range.",
        "",
        "Code with a density is attacked only; a mechanism's law is also proved, integrated and compared with the code, at a fixed cost.",
        "",
        "The outcomes are drawn by the bare release in calls of the audit's size, and in one call of all of them.",
        "",
        *table("| audit | drawing, s | audit, s | ratio | ratio to one call |", ratios(samples)),
        *table("| audit | check | learn, s | count, s | judge, s |", by_check(samples)),
    ]


if __name__ == "__main__":
    benchmark(
        __file__,
        "audit-speed",
        "Seconds of an audit over those of the bare release.",
        lines,
        samples=(1_000_000, "outcomes per input"),
    )
