"""Thirty families sampled by numpy, scipy or statsmodels, each with the information about its parameter t from outside.

Sources of the informations: Lehmann and Casella 1998, tables 2.5.1 and 2.5.2 (exponential families, location and scale);
Johnson, Kotz and Balakrishnan 1994/95, Continuous univariate distributions (Student, logistic, Gumbel, hyperbolic secant,
log-logistic, von Mises); Johnson, Kemp and Kotz 2005, Univariate discrete distributions; Brockwell and Davis 1991, section 8
(the first-order autoregression, here of four numbers from its stationary start).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

Rng = np.random.Generator
Sample = Callable[[float, int, Rng], Any]
LogDensity = Callable[[Any, float], Any]
POSITIVE, UNIT, LINE = (0, "oo"), (0, 1), ("-oo", "oo")


@dataclass(frozen=True)
class Trial:
    """A sampler at `theta`, the true information as a formula in t, the domain of t, and scipy's log density if there is one."""

    name: str
    by: str
    sample: Sample
    theta: float
    information: str
    domain: tuple[Any, Any]
    log_density: LogDensity | None = None


def _ar1(t: float, n: int, rng: Rng) -> Any:
    from statsmodels.tsa.arima_process import arma_generate_sample

    draw = lambda size: rng.standard_normal(size)  # noqa: E731
    return arma_generate_sample([1.0, -t], [1.0], (n, 4), distrvs=draw, axis=1, burnin=40)


def _zero_inflated(t: float, n: int, rng: Rng) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from statsmodels.distributions.discrete import zipoisson

        return zipoisson.rvs(2.0, t, size=n, random_state=rng)


def _gamma_model(t: float, n: int, rng: Rng) -> Any:
    from statsmodels.genmod.families import Gamma

    return Gamma().get_distribution(t, 0.5).rvs(size=n, random_state=rng)


_NUMPY: list[Trial] = [
    Trial("exponential, scale", "numpy", lambda t, n, r: r.exponential(t, n), 2.0, "1/t**2", POSITIVE, lambda y, t: stats.expon.logpdf(y, scale=t)),
    Trial("normal, mean", "numpy", lambda t, n, r: r.normal(t, 1.5, n), 0.3, "4/9", LINE, lambda y, t: stats.norm.logpdf(y, t, 1.5)),
    Trial("normal, deviation", "numpy", lambda t, n, r: r.normal(0.0, t, n), 1.5, "2/t**2", POSITIVE, lambda y, t: stats.norm.logpdf(y, 0, t)),
    Trial("Poisson, mean", "numpy", lambda t, n, r: r.poisson(t, n), 3.0, "1/t", POSITIVE, lambda y, t: stats.poisson.logpmf(y, t)),
    Trial("binomial of 10, probability", "numpy", lambda t, n, r: r.binomial(10, t, n), 0.3, "10/(t*(1-t))", UNIT, lambda y, t: stats.binom.logpmf(y, 10, t)),
    Trial("geometric, probability", "numpy", lambda t, n, r: r.geometric(t, n), 0.3, "1/(t**2*(1-t))", UNIT, lambda y, t: stats.geom.logpmf(y, t)),
    Trial("negative binomial of 4, probability", "numpy", lambda t, n, r: r.negative_binomial(4, t, n), 0.4, "4/(t**2*(1-t))", UNIT, lambda y, t: stats.nbinom.logpmf(y, 4, t)),
    Trial("gamma of shape 3, scale", "numpy", lambda t, n, r: r.gamma(3.0, t, n), 1.2, "3/t**2", POSITIVE, lambda y, t: stats.gamma.logpdf(y, 3, scale=t)),
    Trial("gamma, shape", "numpy", lambda t, n, r: r.gamma(t, 1.0, n), 2.5, "trigamma(t)", POSITIVE, lambda y, t: stats.gamma.logpdf(y, t)),
    Trial("beta, first exponent", "numpy", lambda t, n, r: r.beta(t, 2.0, n), 1.5, "trigamma(t) - trigamma(t + 2)", POSITIVE, lambda y, t: stats.beta.logpdf(y, t, 2)),
    Trial("Laplace, location", "numpy", lambda t, n, r: r.laplace(t, 1.0, n), 0.0, "1", LINE, lambda y, t: stats.laplace.logpdf(y, t)),
    Trial("Laplace, scale", "numpy", lambda t, n, r: r.laplace(0.0, t, n), 0.8, "1/t**2", POSITIVE, lambda y, t: stats.laplace.logpdf(y, 0, t)),
    Trial("logistic, location", "numpy", lambda t, n, r: r.logistic(t, 1.0, n), -0.5, "1/3", LINE, lambda y, t: stats.logistic.logpdf(y, t)),
    Trial("Gumbel, location", "numpy", lambda t, n, r: r.gumbel(t, 1.0, n), 0.7, "1", LINE, lambda y, t: stats.gumbel_r.logpdf(y, t)),
    Trial("Rayleigh, scale", "numpy", lambda t, n, r: r.rayleigh(t, n), 1.3, "4/t**2", POSITIVE, lambda y, t: stats.rayleigh.logpdf(y, scale=t)),
    Trial("Weibull of shape 1.5, scale", "numpy", lambda t, n, r: t * r.weibull(1.5, n), 2.0, "2.25/t**2", POSITIVE, lambda y, t: stats.weibull_min.logpdf(y, 1.5, scale=t)),
    Trial("Lomax, exponent", "numpy", lambda t, n, r: r.pareto(t, n), 3.0, "1/t**2", POSITIVE, lambda y, t: stats.lomax.logpdf(y, t)),
    Trial("power, exponent", "numpy", lambda t, n, r: r.power(t, n), 2.0, "1/t**2", POSITIVE, lambda y, t: stats.powerlaw.logpdf(y, t)),
    Trial("von Mises of concentration 2, direction", "numpy", lambda t, n, r: r.vonmises(t, 2.0, n), 0.4, "2*besseli(1, 2)/besseli(0, 2)", (-2, 2)),
    Trial("inverse Gaussian, mean", "numpy", lambda t, n, r: r.wald(t, 2.0, n), 1.2, "2/t**3", POSITIVE, lambda y, t: stats.invgauss.logpdf(y, t / 2.0, scale=2.0)),
    Trial("Student of 5 degrees, location", "numpy", lambda t, n, r: t + r.standard_t(5, n), 0.1, "3/4", LINE, lambda y, t: stats.t.logpdf(y, 5, t)),
    Trial("Cauchy, location", "numpy", lambda t, n, r: t + r.standard_cauchy(n), 0.0, "1/2", LINE, lambda y, t: stats.cauchy.logpdf(y, t)),
]  # fmt: skip
_SCIPY: list[Trial] = [
    Trial("half normal, scale", "scipy", lambda t, n, r: stats.halfnorm.rvs(scale=t, size=n, random_state=r), 1.4, "2/t**2", POSITIVE, lambda y, t: stats.halfnorm.logpdf(y, scale=t)),
    Trial("Maxwell, scale", "scipy", lambda t, n, r: stats.maxwell.rvs(scale=t, size=n, random_state=r), 1.1, "6/t**2", POSITIVE, lambda y, t: stats.maxwell.logpdf(y, scale=t)),
    Trial("inverse gamma of shape 3, scale", "scipy", lambda t, n, r: stats.invgamma.rvs(3, scale=t, size=n, random_state=r), 2.0, "3/t**2", POSITIVE, lambda y, t: stats.invgamma.logpdf(y, 3, scale=t)),
    Trial("hyperbolic secant, location", "scipy", lambda t, n, r: t + stats.hypsecant.rvs(size=n, random_state=r), 0.0, "1/2", LINE, lambda y, t: stats.hypsecant.logpdf(y, t)),
    Trial("log-logistic of shape 3, scale", "scipy", lambda t, n, r: stats.fisk.rvs(3, scale=t, size=n, random_state=r), 1.0, "3/t**2", POSITIVE, lambda y, t: stats.fisk.logpdf(y, 3, scale=t)),
]  # fmt: skip
_STATSMODELS: list[Trial] = [
    Trial("zero-inflated Poisson of mean 2, share of zeros", "statsmodels", _zero_inflated, 0.3, "(1-exp(-2))**2/(t+(1-t)*exp(-2)) + (1-exp(-2))/(1-t)", UNIT),
    Trial("gamma model of dispersion 1/2, mean", "statsmodels", _gamma_model, 2.0, "2/t**2", POSITIVE, lambda y, t: stats.gamma.logpdf(y, 2, scale=t / 2)),
    Trial("autoregression of four numbers, coefficient", "statsmodels", _ar1, 0.4, "(1+t**2)/(1-t**2)**2 + 2/(1-t**2)", (-1, 1)),
]  # fmt: skip
TRIALS: list[Trial] = [*_NUMPY, *_SCIPY, *_STATSMODELS]
