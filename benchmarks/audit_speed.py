"""How long an audit takes compared with drawing its outcomes; prints a Markdown table.

Run: python benchmarks/audit_speed.py [samples]
"""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np

import noiseproof as npf
from noiseproof.audit.check import Check
from noiseproof.audit.examine import _checks
from noiseproof.audit.sampling import Schedule, draw, learning_part

SAMPLES, REPETITIONS = 1_000_000, 9


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


def drawing_seconds(subject: Any, samples: int) -> float:
    """CPU seconds that the release alone takes for `samples` outcomes on each of two inputs, in calls of the audit's size."""
    schedule = Schedule.of(samples, 1, known=True)
    rng = np.random.default_rng(0)
    start = time.process_time()
    for x in subject.neighbours()[0]:
        for size in (*schedule.learning, *schedule.units):
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
    sample = [learning_part(subject, x, schedule, (0, i), 0) for i, x in enumerate(inputs)]
    start = time.process_time()
    plan = check.learn(sample)
    learning, counting, total = time.process_time() - start, 0.0, None
    for unit, size in enumerate(schedule.units):
        drawn = [draw(subject, x, size, (0, i, unit + 1), 0) for i, x in enumerate(inputs)]
        start = time.process_time()
        counts = check.count(plan, drawn)
        total = counts if total is None else total + counts
        counting += time.process_time() - start
    start = time.process_time()
    check.judge(plan, total, 0.01)
    return learning, counting, time.process_time() - start


def main(samples: int = SAMPLES) -> None:
    """Print the tables."""
    warm = npf.examine(npf.GaussianMechanism(1.0, 1.0), npf.GaussianDP(1.0), samples=1000)
    print(f"noiseproof {warm.provenance['noiseproof']}, {samples:,} samples per input, seed 0\n")
    print("| audit | drawing, CPU s | audit, CPU s | ratio, median (range) |\n| --- | ---: | ---: | ---: |")
    for name, (subject, claim) in SUBJECTS.items():
        npf.examine(subject, claim, samples=1000)
        rows = []
        for seed in range(REPETITIONS):
            before, start = drawing_seconds(subject, samples), time.process_time()
            npf.examine(subject, claim, samples=samples, seed=seed)
            taken = time.process_time() - start
            drawing = 0.5 * (before + drawing_seconds(subject, samples))
            rows.append((taken / drawing, drawing, taken))
        rows.sort()
        ratio, drawing, taken = rows[len(rows) // 2]
        print(
            f"| {name} | {drawing:.3f} | {taken:.3f} | {ratio:.2f} ({rows[0][0]:.2f} to {rows[-1][0]:.2f}) |"
        )
    print("\n| audit | check | learn, s | count, s | judge, s |\n| --- | --- | ---: | ---: | ---: |")
    for name, (subject, claim) in SUBJECTS.items():
        for check in _checks(npf.Claim(claim, subject), bits=False, sequential=False):
            learning, counting, judging = check_seconds(check, samples)
            print(f"| {name} | {check.name} | {learning:.3f} | {counting:.3f} | {judging:.3f} |")


if __name__ == "__main__":
    main(*(int(float(a)) for a in sys.argv[1:2]))
