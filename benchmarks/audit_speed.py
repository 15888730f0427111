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

SAMPLES = 1_000_000
SUBJECTS: dict[str, tuple[Any, Any]] = {
    "laplace, pure": (npf.LaplaceMechanism(1.0, 1.0), npf.PureDP(1.0)),
    "gaussian, GDP": (npf.GaussianMechanism(1.0, 1.0), npf.GaussianDP(1.0)),
    "gaussian, error bound": (npf.GaussianMechanism(1.0, 1.0), npf.ErrorBound(1.0)),
}


def drawing_seconds(subject: Any, samples: int) -> float:
    """Seconds that the release alone takes for `samples` outcomes on each of two inputs, in calls of the audit's size."""
    schedule = Schedule.of(samples, 1)
    rng = np.random.default_rng(0)
    start = time.perf_counter()
    for x in subject.neighbours()[0]:
        for size in (*schedule.learning, *schedule.units):
            subject.release(x, size, rng)
    return time.perf_counter() - start


def check_seconds(check: Check, samples: int) -> tuple[float, float, float]:
    """Seconds for learning, counting and judging, the drawing of outcomes left out."""
    schedule = Schedule.of(samples, 1)
    subject, inputs = check.claim.subject, check.inputs()
    if not inputs:
        start = time.perf_counter()
        check.judge(None, None, 0.01)
        return 0.0, 0.0, time.perf_counter() - start
    sample = [learning_part(subject, x, schedule, (0, i), 0) for i, x in enumerate(inputs)]
    start = time.perf_counter()
    plan = check.learn(sample)
    learning, counting, total = time.perf_counter() - start, 0.0, None
    for unit, size in enumerate(schedule.units):
        drawn = [draw(subject, x, size, (0, i, unit + 1), 0) for i, x in enumerate(inputs)]
        start = time.perf_counter()
        counts = check.count(plan, drawn)
        total = counts if total is None else total + counts
        counting += time.perf_counter() - start
    start = time.perf_counter()
    check.judge(plan, total, 0.01)
    return learning, counting, time.perf_counter() - start


def main(samples: int = SAMPLES) -> None:
    """Print the tables."""
    warm = npf.examine(npf.GaussianMechanism(1.0, 1.0), npf.GaussianDP(1.0), samples=1000)
    print(f"noiseproof {warm.provenance['noiseproof']}, {samples:,} samples per input, seed 0\n")
    print("| audit | verdict | drawing, s | audit, s | ratio |\n| --- | --- | ---: | ---: | ---: |")
    for name, (subject, claim) in SUBJECTS.items():
        drawing = drawing_seconds(subject, samples)
        start = time.perf_counter()
        certificate = npf.examine(subject, claim, samples=samples, seed=0)
        taken = time.perf_counter() - start
        print(
            f"| {name} | {certificate.verdict.name} | {drawing:.3f} | {taken:.2f} | {taken / drawing:.1f} |"
        )
    print("\n| audit | check | learn, s | count, s | judge, s |\n| --- | --- | ---: | ---: | ---: |")
    for name, (subject, claim) in SUBJECTS.items():
        for check in _checks(npf.Claim(claim, subject), bits=False):
            learning, counting, judging = check_seconds(check, samples)
            print(f"| {name} | {check.name} | {learning:.3f} | {counting:.3f} | {judging:.3f} |")


if __name__ == "__main__":
    main(*(int(float(a)) for a in sys.argv[1:2]))
