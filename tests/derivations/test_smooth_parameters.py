"""Families whose lemma takes smooth parameters for granted: where they are not, it is said which formula is in doubt."""

from __future__ import annotations

import re
from typing import Any

import pytest
import sympy as sp

import noiseproof as npf
from noiseproof.symbolic.information.smooth_parameters import doubt_of_smoothness

Y = sp.Symbol("y", real=True)
A, B, S, W = sp.symbols("a b s w", positive=True)
T = sp.Symbol("t", real=True)
LINE = (-sp.oo, sp.oo)


def normal(mean: Any, spread: Any = 1) -> sp.Expr:
    return sp.exp(-((Y - mean) ** 2) / (2 * spread**2)) / (spread * sp.sqrt(2 * sp.pi))


def counted(mean: Any) -> npf.Law:
    return npf.Law.from_density(mean**Y * sp.exp(-mean) / sp.factorial(Y), Y, (0, "oo"), discrete=True)


def coin(**more: Any) -> npf.Law:
    return npf.Law.from_density(W**Y * (1 - W) ** (1 - Y), Y, (0, 1), discrete=True, **more)


SMOOTH: dict[str, Any] = {
    "normal": lambda: npf.Law.from_density(normal(T, S), Y, LINE),
    "Poisson": lambda: counted(S),
    "a coin inside of (0, 1)": lambda: coin(domains={"w": (0, 1)}),
    "von Mises": lambda: npf.Law.from_density(
        sp.exp(S * sp.cos(Y)) / (2 * sp.pi * sp.besseli(0, S)), Y, (-sp.pi, sp.pi)
    ),
    "beta": lambda: npf.Law.from_density(
        Y ** (A - 1) * (1 - Y) ** (B - 1) * sp.gamma(A + B) / (sp.gamma(A) * sp.gamma(B)), Y, (0, 1)
    ),
    "normal vector": lambda: npf.JointLaw.normal([T, 2 * T], [[1, 0], [0, S]]),
    "multinomial": lambda: npf.JointLaw.multinomial(3, [W, 1 - W], domains={"w": (0, 1)}),
    "Dirichlet": lambda: npf.JointLaw.dirichlet([A, B]),
}
DOUBTFUL: dict[str, tuple[Any, str]] = {
    "a root at its border": (
        lambda: npf.Law.from_density(normal(sp.cbrt(S - 1)), Y, LINE),
        "s - 1 .* not known to be positive",
    ),
    "a pole": (
        lambda: npf.Law.from_density(normal(1 / T), Y, LINE),
        "t in 1/t is not known to keep away from zero",
    ),
    "a floor": (lambda: counted(1 + sp.floor(S)), "it may jump in the parameters where s is an integer"),
    "a coin without a domain": (coin, "1 - w .* not known to be positive"),
    "a mean with a kink": (
        lambda: npf.JointLaw.normal([sp.Abs(T), 0], [[1, 0], [0, 1]]),
        "a kink or a jump in the parameters where t = 0",
    ),
    "a probability with a kink": (
        lambda: npf.JointLaw.multinomial(3, [1 / (1 + sp.Abs(T)), 1 - 1 / (1 + sp.Abs(T))]),
        "a kink or a jump in the parameters where t = 0",
    ),
    "an exponent with a kink": (
        lambda: npf.JointLaw.dirichlet([sp.Max(1, S), B]),
        "a kink in the parameters where 1 = s",
    ),
    "a part with a kink": (
        lambda: npf.JointLaw.independent(counted(S), npf.Law.from_density(normal(sp.Abs(T)), Y, LINE)),
        "a kink or a jump in the parameters where t = 0",
    ),
}


@pytest.mark.parametrize("name", SMOOTH)
def test_smooth_parameters_leave_no_doubt(name: str) -> None:
    law = SMOOTH[name]()
    assert doubt_of_smoothness(law, sorted(law.free_symbols, key=str)) is None


@pytest.mark.parametrize("name", DOUBTFUL)
def test_a_doubt_names_the_formula(name: str) -> None:
    made, said = DOUBTFUL[name]
    law = made()
    doubt = doubt_of_smoothness(law, sorted(law.free_symbols, key=str))
    assert doubt is not None
    assert re.search(said, doubt), doubt
