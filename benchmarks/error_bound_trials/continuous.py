"""Laws with densities."""

from __future__ import annotations

from mpmath import exp, factorial, gamma, inf, mpf, pi, sqrt

from error_bound_trials.model import Estimator, Model

LC = "Lehmann and Casella 1998, Theory of point estimation"
CREDIBLE = (
    "linear credibility is exact for conjugate priors (Diaconis and Ylvisaker 1979, Ann. Statist. 7(2))"
)


def normal(s: mpf, mean: mpf, variance: mpf) -> mpf:
    return exp(-((s - mean) ** 2) / (2 * variance)) / sqrt(2 * pi * variance)


def gamma_density(s: mpf, shape: mpf, rate: mpf) -> mpf:
    return rate**shape * s ** (shape - 1) * exp(-rate * s) / gamma(shape)


def linear(variance: mpf, noise: mpf) -> mpf:
    """The risk of the best linear estimator from an unbiased one whose mean variance is `noise`."""
    return variance * noise / (variance + noise)


MINUS = {"low": lambda **_: -inf}
WIDE = {"low": lambda **_: mpf(-90), "high": lambda **_: mpf(90)}  # less than 1e-35 lies beyond
NORMAL = "exp(-(y - mu)**2/2)/sqrt(2*pi)"
STANDARD = ("exp(-mu**2/2)/sqrt(2*pi)", ("-oo", "oo"))
CONTINUOUS = (
    Model(
        "normal mean (sd 2)",
        "exp(-(y - mu)**2/8)/(2*sqrt(2*pi))",
        ("-oo", "oo"),
        {"mu": "real"},
        ("mu",),
        lambda mu: mu,
        {"mu": "1/2"},
        5,
        (
            Estimator(
                "mean of the sample",
                "unbiased",
                lambda mu: mpf(4) / 5,
                f"{LC}, 2.2",
                lambda s: s,
                lambda s, mu: normal(s, mu, mpf(4) / 5),
                **MINUS,
            ),
            Estimator(
                "posterior mean",
                "anyone",
                lambda: 1 / (mpf(5) / 4 + 1),
                f"{LC}, 4.2",
                lambda s: s * 5 / 9,
                lambda s, mu: normal(s, mu, mpf(4) / 5),
                **MINUS,
            ),
        ),
        {"mu": STANDARD},
    ),
    Model(
        "normal mean squared",
        NORMAL,
        ("-oo", "oo"),
        {"mu": "real"},
        ("mu**2",),
        lambda mu: mu**2,
        {"mu": "1/2"},
        5,
        (
            Estimator(
                "UMVU: mean^2 - 1/n",
                "unbiased",
                lambda mu: 4 * mu**2 / 5 + mpf(2) / 25,
                f"{LC}, 2.2 and 2.6",
                lambda s: s**2 - mpf(1) / 5,
                lambda s, mu: normal(s, mu, mpf(1) / 5),
                **MINUS,
            ),
            Estimator(
                "posterior mean",
                "anyone",
                lambda: 4 * (mpf(5) / 6) / 6 + mpf(2) / 36,
                f"{LC}, 4.2: normal with mean 5 s / 6 and variance 1/6",
                lambda s: (5 * s / 6) ** 2 + mpf(1) / 6,
                lambda s, mu: normal(s, mu, mpf(1) / 5),
                **MINUS,
            ),
        ),
        {"mu": STANDARD},
    ),
    Model(
        "normal variance",
        "exp(-y**2/(2*v))/sqrt(2*pi*v)",
        ("-oo", "oo"),
        {"v": "positive"},
        ("v",),
        lambda v: v,
        {"v": "3/2"},
        4,
        (
            Estimator(
                "UMVU: mean square",
                "unbiased",
                lambda v: 2 * v**2 / 4,
                f"{LC}, 2.2",
                lambda s: s / 4,
                lambda s, v: gamma_density(s, mpf(2), 1 / (2 * v)),
            ),
            Estimator(
                "posterior mean",
                "anyone",
                lambda: linear(mpf(16) / 48, 2 * (mpf(16) / 12) / 4),
                CREDIBLE,
                lambda s: (4 + s / 2) / (5 + 2 - 1),
                lambda s, v: gamma_density(s, mpf(2), 1 / (2 * v)),
            ),
        ),
        {"v": ("4**5*v**(-6)*exp(-4/v)/24", (0, "oo"))},
    ),
    Model(
        "exponential mean",
        "exp(-y/t)/t",
        (0, "oo"),
        {"t": "positive"},
        ("t",),
        lambda t: t,
        {"t": "2"},
        3,
        (
            Estimator(
                "UMVU: mean of the sample",
                "unbiased",
                lambda t: t**2 / 3,
                f"{LC}, 2.2",
                lambda s: s / 3,
                lambda s, t: gamma_density(s, mpf(3), 1 / t),
            ),
            Estimator(
                "posterior mean",
                "anyone",
                lambda: linear(mpf(9) / 18, mpf(9) / 6 / 3),
                CREDIBLE,
                lambda s: (3 + s) / (4 + 3 - 1),
                lambda s, t: gamma_density(s, mpf(3), 1 / t),
            ),
        ),
        {"t": ("3**4*t**(-5)*exp(-3/t)/6", (0, "oo"))},
    ),
    Model(
        "exponential rate",
        "r*exp(-r*y)",
        (0, "oo"),
        {"r": "positive"},
        ("r",),
        lambda r: r,
        {"r": "2"},
        5,
        (
            Estimator(
                "UMVU: (n - 1) / sum",
                "unbiased",
                lambda r: r**2 / 3,
                f"{LC}, 2.2",
                lambda s: 4 / s,
                lambda s, r: gamma_density(s, mpf(5), r),
            ),
            Estimator(
                "posterior mean",
                "anyone",
                lambda: mpf(12) / (4 * 9),
                f"{LC}, 4.2: gamma with shape 3 + n and rate 2 + sum",
                lambda s: 8 / (2 + s),
                lambda s, r: gamma_density(s, mpf(5), r),
            ),
        ),
        {"r": ("4*r**2*exp(-2*r)", (0, "oo"))},
    ),
    Model(
        "Laplace location",
        "exp(-abs(y - mu))/2",
        ("-oo", "oo"),
        {"mu": "real"},
        ("mu",),
        lambda mu: mu,
        {"mu": "0"},
        1,
        (
            Estimator(
                "the observation",
                "unbiased",
                lambda mu: mpf(2),
                "Johnson, Kotz and Balakrishnan 1995, Continuous univariate distributions 2, 24.3",
                lambda s: s,
                lambda s, mu: exp(-abs(s - mu)) / 2,
                **MINUS,
            ),
            Estimator(
                "best linear",
                "anyone",
                lambda: linear(mpf(1), mpf(2)),
                f"{LC}, 4.7",
                lambda s: s / 3,
                lambda s, mu: exp(-abs(s - mu)) / 2,
                **MINUS,
            ),
        ),
        {"mu": STANDARD},
    ),
    Model(
        "logistic location",
        "exp(-(y - mu))/(1 + exp(-(y - mu)))**2",
        ("-oo", "oo"),
        {"mu": "real"},
        ("mu",),
        lambda mu: mu,
        {"mu": "0"},
        1,
        (
            Estimator(
                "the observation",
                "unbiased",
                lambda mu: pi**2 / 3,
                "Johnson, Kotz and Balakrishnan 1995, Continuous univariate distributions 2, 23.3",
                lambda s: s,
                lambda s, mu: 1 / (exp((s - mu) / 2) + exp(-(s - mu) / 2)) ** 2,
                **WIDE,
            ),
            Estimator(
                "best linear",
                "anyone",
                lambda: linear(mpf(1), pi**2 / 3),
                f"{LC}, 4.7",
                lambda s: s / (1 + pi**2 / 3),
                lambda s, mu: 1 / (exp((s - mu) / 2) + exp(-(s - mu) / 2)) ** 2,
                **WIDE,
            ),
        ),
        {"mu": STANDARD},
    ),
    Model(
        "gamma scale (shape 3)",
        "y**2*exp(-y/t)/(2*t**3)",
        (0, "oo"),
        {"t": "positive"},
        ("t",),
        lambda t: t,
        {"t": "2"},
        2,
        (
            Estimator(
                "UMVU: mean / 3",
                "unbiased",
                lambda t: t**2 / 6,
                f"{LC}, 2.2",
                lambda s: s / 6,
                lambda s, t: gamma_density(s, mpf(6), 1 / t),
            ),
        ),
        {},
    ),
    Model(
        "Rayleigh, squared scale",
        "y/v*exp(-y**2/(2*v))",
        (0, "oo"),
        {"v": "positive"},
        ("v",),
        lambda v: v,
        {"v": "3"},
        2,
        (
            Estimator(
                "UMVU: half of the mean square",
                "unbiased",
                lambda v: v**2 / 2,
                f"{LC}, 2.2",
                lambda s: s / 4,
                lambda s, v: gamma_density(s, mpf(2), 1 / (2 * v)),
            ),
        ),
        {},
    ),
    Model(
        "mean of a lognormal",
        "exp(-(log(y) - mu)**2/2)/(y*sqrt(2*pi))",
        (0, "oo"),
        {"mu": "real"},
        ("exp(mu + 1/2)",),
        lambda mu: exp(mu + mpf(1) / 2),
        {"mu": "0"},
        3,
        (
            Estimator(
                "UMVU",
                "unbiased",
                lambda mu: exp(2 * mu + 1) * (exp(mpf(1) / 3) - 1),
                "Finney 1941, J. R. Stat. Soc. Suppl. 7(2)",
                lambda s: exp(s + mpf(1) / 3),
                lambda s, mu: normal(s, mu, mpf(1) / 3),
                **MINUS,
            ),
            Estimator(
                "posterior mean",
                "anyone",
                lambda: exp(3) - exp(1) * exp(2 * mpf(3) / 4 + mpf(1) / 4),
                f"{LC}, 4.2: normal with mean 3 s / 4 and variance 1/4",
                lambda s: exp(3 * s / 4 + mpf(1) / 8 + mpf(1) / 2),
                lambda s, mu: normal(s, mu, mpf(1) / 3),
                **MINUS,
            ),
        ),
        {"mu": STANDARD},
    ),
    Model(
        "normal mean, estimated with a bias",
        NORMAL,
        ("-oo", "oo"),
        {"mu": "real"},
        ("mu",),
        lambda mu: mu,
        {"mu": "1/2"},
        4,
        (
            Estimator(
                "four fifths of the mean",
                "biased",
                lambda mu: mpf(16) / 25 / 4 + mu**2 / 25,
                f"{LC}, 1.1: variance and squared bias",
                lambda s: 4 * s / 5,
                lambda s, mu: normal(s, mu, mpf(1) / 4),
                **MINUS,
            ),
        ),
        {},
        bias=("-mu/5",),
    ),
    Model(
        "normal mean and variance",
        "exp(-(y - mu)**2/(2*v))/sqrt(2*pi*v)",
        ("-oo", "oo"),
        {"mu": "real", "v": "positive"},
        ("mu", "v"),
        lambda mu, v: mu,
        {"mu": "1", "v": "3/2"},
        6,
        (
            Estimator(
                "mean and variance of the sample",
                "unbiased",
                lambda mu, v: [[v / 6, mpf(0)], [mpf(0), 2 * v**2 / 5]],
                f"{LC}, 2.2",
            ),
            Estimator(
                "mean and variance of the sample",
                "anyone",
                lambda: [[mpf(4) / 4 / 6, mpf(0)], [mpf(0), 2 * (mpf(16) / 12) / 5]],
                f"{LC}, 2.2, and the moments of the prior",
            ),
        ),
        {"mu": STANDARD, "v": ("4**5*v**(-6)*exp(-4/v)/24", (0, "oo"))},
    ),
    Model(
        "bivariate normal mean",
        "",
        ("-oo", "oo"),
        {"a": "real", "b": "real"},
        ("a", "b"),
        lambda a, b: a,
        {"a": "0", "b": "1"},
        3,
        (
            Estimator(
                "mean of the sample",
                "unbiased",
                lambda a, b: [[mpf(2) / 3, mpf(1) / 3], [mpf(1) / 3, mpf(1)]],
                f"{LC}, 2.6",
            ),
        ),
        {},
        vector="normal with mean (a, b) and covariance [[2, 1], [1, 3]]",
    ),
)
assert factorial(4) == 24  # the constant of the inverse gamma priors above
