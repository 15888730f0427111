"""Laws on whole numbers, and one whose parameter is a whole number."""

from __future__ import annotations

from mpmath import binomial, erfc, exp, factorial, fsum, inf, mpf, nint, nsum, sqrt

from error_bound_trials.continuous import CREDIBLE, LC, linear, normal
from error_bound_trials.model import Estimator, Model


def poisson(s: mpf, mean: mpf) -> mpf:
    return exp(-mean) * mean**s / factorial(s)


def binomial_mass(s: mpf, n: int, p: mpf) -> mpf:
    return binomial(n, s) * p**s * (1 - p) ** (n - s)


def rounded_risk(**_: mpf) -> mpf:
    """The second moment of a standard normal rounded to whole numbers: the sum of (2k - 1) P(|rounded| >= k)."""
    return nsum(lambda k: (2 * k - 1) * erfc((k - mpf(1) / 2) / sqrt(2)), [1, inf])


BERNOULLI = "p**y*(1 - p)**(1 - y)"
BETA = {"p": ("30*p**2*(1 - p)**2", (0, 1))}
COUNTS = (
    Model(
        "Poisson mean",
        "t**y*exp(-t)/factorial(y)",
        (0, "oo"),
        {"t": "positive"},
        ("t",),
        lambda t: t,
        {"t": "2"},
        4,
        (
            Estimator(
                "UMVU: mean of the sample",
                "unbiased",
                lambda t: t / 4,
                f"{LC}, 2.2",
                lambda s: s / 4,
                lambda s, t: poisson(s, 4 * t),
                counts=True,
            ),
            Estimator(
                "posterior mean",
                "anyone",
                lambda: linear(mpf(3) / 4, mpf(3) / 2 / 4),
                CREDIBLE,
                lambda s: (3 + s) / 6,
                lambda s, t: poisson(s, 4 * t),
                counts=True,
            ),
        ),
        {"t": ("4*t**2*exp(-2*t)", (0, "oo"))},
        discrete=True,
    ),
    Model(
        "Poisson, chance of zero",
        "t**y*exp(-t)/factorial(y)",
        (0, "oo"),
        {"t": "positive"},
        ("exp(-t)",),
        lambda t: exp(-t),
        {"t": "2"},
        4,
        (
            Estimator(
                "UMVU: (1 - 1/n)^sum",
                "unbiased",
                lambda t: exp(-2 * t) * (exp(t / 4) - 1),
                f"{LC}, 2.2",
                lambda s: (mpf(3) / 4) ** s,
                lambda s, t: poisson(s, 4 * t),
                counts=True,
            ),
            Estimator(
                "posterior mean",
                "anyone",
                lambda: mpf(1) / 8 - (mpf(36) / 49) ** 3 * (2 / (2 + 4 * mpf(13) / 49)) ** 3,
                f"{LC}, 4.2: gamma with shape 3 + sum and rate 6",
                lambda s: (mpf(6) / 7) ** (3 + s),
                lambda s, t: poisson(s, 4 * t),
                counts=True,
            ),
        ),
        {"t": ("4*t**2*exp(-2*t)", (0, "oo"))},
        discrete=True,
    ),
    Model(
        "Bernoulli",
        BERNOULLI,
        (0, 1),
        {"p": "unit"},
        ("p",),
        lambda p: p,
        {"p": "3/10"},
        5,
        (
            Estimator(
                "UMVU: share of ones",
                "unbiased",
                lambda p: p * (1 - p) / 5,
                f"{LC}, 2.1",
                lambda s: s / 5,
                lambda s, p: binomial_mass(s, 5, p),
                high=lambda p: mpf(5),
                counts=True,
            ),
            Estimator(
                "posterior mean",
                "anyone",
                lambda: linear(mpf(9) / (36 * 7), mpf(9) / (6 * 7 * 5)),
                CREDIBLE,
                lambda s: (3 + s) / 11,
                lambda s, p: binomial_mass(s, 5, p),
                high=lambda p: mpf(5),
                counts=True,
            ),
        ),
        BETA,
        discrete=True,
    ),
    Model(
        "Bernoulli variance",
        BERNOULLI,
        (0, 1),
        {"p": "unit"},
        ("p*(1 - p)",),
        lambda p: p * (1 - p),
        {"p": "3/10"},
        5,
        (
            Estimator(
                "UMVU: s (n - s) / (n (n - 1))",
                "unbiased",
                # The variance of the variance of a sample: mu4/n - sigma^4 (n - 3)/(n (n - 1)).
                lambda p: p * (1 - p) * (1 - 3 * p * (1 - p)) / 5 - (p * (1 - p)) ** 2 * mpf(2) / 20,
                "Cramer 1946, Mathematical methods of statistics, 27.4",
                lambda s: s * (5 - s) / mpf(20),
                lambda s, p: binomial_mass(s, 5, p),
                high=lambda p: mpf(5),
                counts=True,
            ),
        ),
        {},
        discrete=True,
    ),
    Model(
        "Bernoulli, estimated with a bias",
        BERNOULLI,
        (0, 1),
        {"p": "unit"},
        ("p",),
        lambda p: p,
        {"p": "3/10"},
        5,
        (
            Estimator(
                "(s + 1)/(n + 2)",
                "biased",
                lambda p: (5 * p * (1 - p) + (1 - 2 * p) ** 2) / 49,
                f"{LC}, 1.1: variance and squared bias",
                lambda s: (s + 1) / mpf(7),
                lambda s, p: binomial_mass(s, 5, p),
                high=lambda p: mpf(5),
                counts=True,
            ),
        ),
        {},
        discrete=True,
        bias=("(1 - 2*p)/7",),
    ),
    Model(
        "geometric",
        "p*(1 - p)**y",
        (0, "oo"),
        {"p": "unit"},
        ("p",),
        lambda p: p,
        {"p": "1/4"},
        1,
        (
            Estimator(
                "UMVU: whether it is zero",
                "unbiased",
                lambda p: p * (1 - p),
                f"{LC}, 2.3",
                lambda s: mpf(s == 0),
                lambda s, p: p * (1 - p) ** s,
                counts=True,
            ),
            Estimator(
                "posterior mean",
                "anyone",
                # Beta(4, 3 + s): E[p^2] minus the sum of mass times mean^2.
                lambda: (
                    mpf(2) / 7
                    - nsum(
                        lambda s: 30 * 6 * factorial(s + 2) / factorial(s + 6) * (4 / (7 + s)) ** 2, [0, inf]
                    )
                ),
                f"{LC}, 4.2: beta with shapes 4 and 3 + s",
                lambda s: 4 / (7 + s),
                lambda s, p: p * (1 - p) ** s,
                counts=True,
            ),
        ),
        BETA,
        discrete=True,
    ),
    Model(
        "number of tickets (uniform on 1..m)",
        "1/m",
        (1, "m"),
        {"m": "whole"},
        ("m",),
        lambda m: m,
        {"m": "10"},
        1,
        (
            Estimator(
                "UMVU: 2 y - 1",
                "unbiased",
                lambda m: (m**2 - 1) / 3,
                f"{LC}, 2.1",
                lambda s: 2 * s - 1,
                lambda s, m: 1 / m,
                low=lambda m: mpf(1),
                high=lambda m: m,
                counts=True,
            ),
        ),
        {},
        discrete=True,
    ),
    Model(
        "normal, whole mean",
        "exp(-(y - k)**2/2)/sqrt(2*pi)",
        ("-oo", "oo"),
        {"k": "integer"},
        ("k",),
        lambda k: k,
        {"k": "0"},
        1,
        (
            Estimator(
                "the observation, rounded",
                "unbiased",
                rounded_risk,
                "Hammersley 1950, J. R. Stat. Soc. B 12(2): unbiased by symmetry about each whole number",
                lambda s: nint(s),
                lambda s, k: normal(s, k, mpf(1)),
                low=lambda **_: -inf,
            ),
        ),
        {},
    ),
)
assert fsum(binomial_mass(s, 5, mpf(1) / 3) for s in range(6)) > 0.999
