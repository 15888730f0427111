"""The table of scipy.stats' densities against scipy.stats: densities and masses, distribution functions, symbols, refusals."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import sympy as sp
from scipy import stats

import noiseproof as npf
from noiseproof.symbolic.laws.continuous_families import CONTINUOUS
from noiseproof.symbolic.laws.discrete_families import DISCRETE
from noiseproof.symbolic.laws.lawful import mass_is_one
from noiseproof.symbolic.proof.truth import Truth

SHAPES: dict[str, tuple[float, ...]] = {
    **dict.fromkeys(
        ("alpha", "chi2", "gamma", "invgamma", "exponpow", "pareto", "powernorm", "yulesimon"), (2.5,)
    ),
    **dict.fromkeys(
        ("dgamma", "exponnorm", "fatiguelife", "foldcauchy", "foldnorm", "kappa3", "lomax"), (1.5,)
    ),
    **dict.fromkeys(("powerlaw", "weibull_max", "weibull_min"), (1.5,)),
    **dict.fromkeys(("chi", "erlang", "fisk", "invweibull", "loglaplace", "t", "poisson"), (3,)),
    **dict.fromkeys(("bradford", "genhalflogistic", "rice", "dlaplace", "planck"), (0.7,)),
    **dict.fromkeys(("dweibull", "laplace_asymmetric", "nakagami", "vonmises"), (2,)),
    **dict.fromkeys(("triang", "bernoulli", "geom", "logser"), (0.3,)),
    **dict.fromkeys(("gennorm", "halfgennorm"), (1.3,)),
    **dict.fromkeys(("genlogistic", "invgauss", "loggamma"), (0.5,)),
    **dict.fromkeys(("burr", "burr12", "gengamma"), (2, 1.5)),
    **dict.fromkeys(("johnsonsb", "johnsonsu"), (1.5, 2)),
    **dict.fromkeys(("loguniform", "reciprocal"), (0.5, 2)),
    "beta": (2, 0.5),
    "betaprime": (2, 3),
    "exponweib": (2.5, 1.5),
    "f": (3, 5),
    "genextreme": (-0.2,),
    "genpareto": (0.1,),
    "gompertz": (0.9,),
    "lognorm": (0.9,),
    "mielke": (2, 3),
    "rdist": (1.6,),
    "recipinvgauss": (0.6,),
    "skewnorm": (4,),
    "trapezoid": (0.2, 0.8),
    "truncexpon": (4,),
    "truncnorm": (-1, 2),
    "truncpareto": (2, 4),
    "betabinom": (5, 2, 0.5),
    "betanbinom": (5, 4, 2),
    "binom": (5, 0.3),
    "boltzmann": (1.5, 9),
    "hypergeom": (20, 7, 12),
    "nbinom": (2.5, 0.3),
    "nhypergeom": (20, 7, 8),
    "randint": (2, 7),
    "skellam": (3, 2),
    "zipf": (3.5,),
    "zipfian": (1.5, 6),
}
LEVELS = np.array([0.05, 0.3, 0.55, 0.8, 0.97])


def test_the_table_is_as_long_as_the_page_says() -> None:
    assert (len(CONTINUOUS), len(DISCRETE)) == (81, 18)


@pytest.mark.parametrize("name", CONTINUOUS)
def test_densities_and_distribution_functions_are_those_of_scipy(name: str) -> None:
    frozen = getattr(stats, name)(*SHAPES.get(name, ()), loc=0.5, scale=2)
    law = npf.Law.from_scipy(frozen)
    at = frozen.ppf(LEVELS)
    np.testing.assert_allclose(law.pdf(at), frozen.pdf(at), rtol=1e-9)
    # The distribution function by the density alone, without scipy's.
    np.testing.assert_allclose(replace(law, route=None).cdf(at), frozen.cdf(at), atol=1e-7)
    assert law.ends() == pytest.approx(frozen.support()) or name == "vonmises"


@pytest.mark.parametrize("name", DISCRETE)
def test_masses_are_those_of_scipy(name: str) -> None:
    frozen = getattr(stats, name)(*SHAPES.get(name, ()), loc=3)
    law = npf.Law.from_scipy(frozen)
    at = frozen.ppf(LEVELS)
    np.testing.assert_allclose(law.pdf(at), frozen.pmf(at), rtol=1e-9)
    np.testing.assert_allclose(law.cdf(at), frozen.cdf(at), atol=1e-10)
    assert mass_is_one(law).truth is (Truth.UNKNOWN if name == "skellam" else Truth.HOLDS)


def test_numbers_are_exact_and_symbols_take_their_place() -> None:
    assert npf.Law.from_scipy(stats.expon(scale=0.1)).notes == ("0.1 is read as 1/10",)
    law = npf.Law.from_scipy(
        stats.norm(loc=1, scale=2), parameters={"loc": "m", "scale": sp.Symbol("s", positive=True)}
    )
    assert {str(s) for s in law.free_symbols} == {"m", "s"}
    s = sp.Symbol("s", positive=True)
    assert npf.fisher_information(law, ["m", "s"]).value == sp.Matrix([[s**-2, 0], [0, 2 / s**2]])
    planck = npf.Law.from_scipy(stats.planck(0.5), {"lambda": "rate"})
    assert {str(s) for s in planck.free_symbols} == {"rate"}


@pytest.mark.parametrize(
    ("frozen", "parameters", "error", "said"),
    [
        (stats.ksone(3), None, ValueError, "ksone is not known here.*Law.from_density"),
        (stats.norm, None, TypeError, "give it its parameters"),
        ("norm", None, TypeError, "expected a frozen distribution"),
        (stats.norm([0, 1], 1), None, ValueError, "one number for loc"),
        (stats.norm(0, -1), None, ValueError, "has no law with"),
        (stats.gamma(-2), None, ValueError, "has no law with"),
        (stats.norm(0, float("nan")), None, ValueError, "must be a finite number"),
        (stats.norm(0, 1), {"sigma": "s"}, ValueError, "'sigma' is no parameter.*loc, scale"),
        (stats.norm(0, 1), {"scale": sp.Symbol("s")}, ValueError, "known to be positive"),
        (stats.norm(0, 1), {"scale": 3}, ValueError, "must be a symbol"),
        (stats.norm(0, 1), {"scale": "y"}, ValueError, "variable of the law"),
        (stats.norm(0, 1), [("scale", "s")], TypeError, "must be a mapping"),
        (stats.poisson(3, loc=0.5), None, ValueError, "whole numbers"),
    ],
)
def test_what_scipy_has_and_is_no_law_here_is_said(
    frozen: Any, parameters: Any, error: Any, said: str
) -> None:
    with pytest.raises(error, match=said):
        npf.Law.from_scipy(frozen, parameters)
