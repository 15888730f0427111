"""Laws whose support moves with the parameter."""

from __future__ import annotations

from mpmath import exp, expint, log, mpf

from error_bound_trials.continuous import LC
from error_bound_trials.model import Estimator, Model


def ein(x: mpf) -> mpf:
    """The integral of (1 - exp(-t)) / t from 0 to x."""
    return expint(1, x) + log(x) + mpf("0.57721566490153286060651209008240243104215933593992")


IRREGULAR = (
    Model(
        "uniform on (0, t)",
        "1/t",
        (0, "t"),
        {"t": "positive"},
        ("t",),
        lambda t: t,
        {"t": "2"},
        1,
        (
            Estimator(
                "UMVU: twice the observation",
                "unbiased",
                lambda t: t**2 / 3,
                f"{LC}, 2.1",
                lambda s: 2 * s,
                lambda s, t: 1 / t,
                high=lambda t: t,
            ),
            Estimator(
                "posterior mean",
                "anyone",
                lambda: mpf(7) / 3 - 1 / log(2) - 8 * (2 * ein(2 * log(2)) - ein(log(2)) - ein(3 * log(2))),
                "the posterior is 1/t on (max(1, s), 2): its mean squared, integrated with t = 2 exp(-u)",
                lambda s: (2 - max(s, 1)) / log(2 / max(s, 1)) if s < 2 else mpf(2),
                lambda s, t: 1 / t,
                high=lambda t: t,
            ),
        ),
        {"t": ("1", (1, 2))},
    ),
    Model(
        "uniform on (0, t), four observations",
        "1/t",
        (0, "t"),
        {"t": "positive"},
        ("t",),
        lambda t: t,
        {"t": "1"},
        4,
        (
            Estimator(
                "UMVU: (n + 1)/n of the maximum",
                "unbiased",
                lambda t: t**2 / 24,
                f"{LC}, 2.1",
                lambda s: 5 * s / 4,
                lambda s, t: 4 * s**3 / t**4,
                high=lambda t: t,
            ),
        ),
        {},
    ),
    Model(
        "shifted exponential",
        "exp(-(y - t))",
        ("t", "oo"),
        {"t": "real"},
        ("t",),
        lambda t: t,
        {"t": "1"},
        2,
        (
            Estimator(
                "UMVU: minimum - 1/n",
                "unbiased",
                lambda t: mpf(1) / 4,
                f"{LC}, 2.2",
                lambda s: s - mpf(1) / 2,
                lambda s, t: 2 * exp(-2 * (s - t)),
                low=lambda t: t,
            ),
            Estimator(
                "minimum - 1/n",
                "anyone",
                lambda: mpf(1) / 4,
                f"{LC}, 2.2: its risk does not depend on t",
                lambda s: s - mpf(1) / 2,
                lambda s, t: 2 * exp(-2 * (s - t)),
                low=lambda t: t,
            ),
        ),
        {"t": ("exp(-t**2/2)/sqrt(2*pi)", ("-oo", "oo"))},
    ),
    Model(
        "Pareto scale (shape 3)",
        "3*t**3/y**4",
        ("t", "oo"),
        {"t": "positive"},
        ("t",),
        lambda t: t,
        {"t": "2"},
        2,
        (
            Estimator(
                "UMVU: (1 - 1/(3 n)) of the minimum",
                "unbiased",
                lambda t: t**2 / (6 * 4),
                "Johnson, Kotz and Balakrishnan 1994, Continuous univariate distributions 1, 20.4",
                lambda s: 5 * s / 6,
                lambda s, t: 6 * t**6 / s**7,
                low=lambda t: t,
            ),
        ),
        {},
    ),
)
