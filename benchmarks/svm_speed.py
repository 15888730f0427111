"""One support vector machine on Adult against scikit-learn's LinearSVC on the same objective; prints a Markdown table.

usage: NOISEPROOF_DATA=FOLDER python benchmarks/svm_speed.py

Without the quadratic slack term the program is LinearSVC's hinge with intercept_scaling = 1/sqrt(rho); the time asked of
LinearSVC is that of the first number of iterations that comes within 1e-6 (relative) of the same objective.  The memory of
a correlated release is the largest that Python allocated while one was drawn.
"""

from __future__ import annotations

import time
import tracemalloc
import warnings
from statistics import median

import numpy as np
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from noiseproof.audit.studies.experiments.records import adult
from noiseproof.mechanisms.dataset_noise import NullSpaceNoise
from noiseproof.mechanisms.learning.svm import solve_svm

RHO, THETA, WITHIN, REPEATS = 1.0, 1.0, 1e-6, 3


def linear_svc(features: np.ndarray, labels: np.ndarray, best: float) -> tuple[float, int, float]:
    """Seconds, iterations and relative excess of the first run that comes near enough to `best`."""
    iterations = 250
    while True:
        model = LinearSVC(
            loss="hinge",
            C=THETA,
            intercept_scaling=1 / np.sqrt(RHO),
            max_iter=iterations,
            tol=1e-12,
            random_state=0,
        )
        start = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(features, labels)
        taken = time.perf_counter() - start
        alpha, beta = model.coef_[0], float(model.intercept_[0])
        slack = np.maximum(0.0, 1 - labels * (features @ alpha + beta)).sum()
        excess = (0.5 * (alpha @ alpha + RHO * beta**2) + THETA * slack) / best - 1
        if excess <= WITHIN or iterations > 50_000:
            return taken, iterations, float(excess)
        iterations *= 2


def main() -> None:
    records = adult("standardised")
    features, labels = records.features, records.target
    print(
        f"Adult, {features.shape[0]:,} x {features.shape[1]}, standardised, one core, medians of {REPEATS}\n"
    )
    print("| program | seconds | worst KKT residual |\n| --- | ---: | ---: |")
    with threadpool_limits(1):
        for name, rho, quadratic in (
            ("with the quadratic slack term, rho = 0.01", 1e-2, True),
            ("without it, rho = 1", RHO, False),
        ):
            times = []
            for _ in range(REPEATS):
                start = time.perf_counter()
                found = solve_svm(features, labels, rho=rho, theta=THETA, quadratic_slack=quadratic)
                times.append(time.perf_counter() - start)
            print(f"| {name} | {median(times):.2f} | {found.certificate.worst:.1e} |")
        taken, iterations, excess = linear_svc(features, labels, found.objective)
        print(f"| LinearSVC, {iterations:,} iterations, {excess:.1e} above the optimum | {taken:.2f} | |\n")
        print("| correlated release | MB of one release | peak MB | seconds |\n| --- | ---: | ---: | ---: |")
        rng = np.random.default_rng(0)
        for q, p in ((12_210, 100), (24_421, 100), (48_842, 100), (48_842, 50)):
            direction, coefficients = rng.normal(size=p), rng.random(q)
            noise = NullSpaceNoise(
                direction / np.linalg.norm(direction), coefficients / np.linalg.norm(coefficients), 100.0
            )
            tracemalloc.start()
            start = time.perf_counter()
            drawn = noise.draw(rng)
            seconds, peak = time.perf_counter() - start, tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            print(f"| {q:,} x {p} | {drawn.nbytes / 1e6:.0f} | {peak / 1e6:.0f} | {seconds:.2f} |")


if __name__ == "__main__":
    main()
