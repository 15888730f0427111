"""Checks of a printed stationarity equation: first variation, known optima, cheaper policies, costs of its solutions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import sympy as sp

from .....symbolic.proof.as_written import product
from .....symbolic.proof.derivation import Derivation, Step
from .....symbolic.proof.expressions import parse
from ....dossier.arguments.stationarity import (
    ALL_SIZES,
    Equation,
    Jet,
    equal,
    euler_derivation,
    sufficiency_steps,
    true_operator,
)
from ....dossier.formula import rechecked
from ....dossier.instances import Instances, on_instances, search
from ....record.evidence import Evidence


def rational_text(rng: np.random.Generator, low: int, high: int, unit: int) -> str:
    return str(sp.Rational(int(rng.integers(low, high)), unit))


def identity_optima(rng: np.random.Generator) -> Iterable[dict[str, Any]]:
    """Optima for the query x: f is the value of the query, slope and bend its derivatives there."""
    yield _cosine("1", "1", "1/2", ["1/3", "-1/5", "0"], "1", "0")
    for _ in range(2):
        w = ["1/7", "-3/4", rational_text(rng, 1, 19, 20)]
        yield _cosine("2", rational_text(rng, 1, 9, 4), rational_text(rng, -8, 9, 5), w, "1", "0")


def cosine_optima(rng: np.random.Generator) -> Iterable[dict[str, Any]]:
    """Optima for the query x and for nonlinear queries of one x."""
    yield from identity_optima(rng)
    for bend in ("1/3", "-2"):
        w = ["1/7", "-3/4", rational_text(rng, 1, 19, 20)]
        yield _cosine("2", "1/2", rational_text(rng, -8, 9, 5), w, rational_text(rng, 3, 9, 4), bend)


def _cosine(length: str, quartic: str, f: str, w: list[str], slope: str, bend: str) -> dict[str, Any]:
    at = {"optimum": "cosine", "length": length, "quartic": quartic, "f": f, "w": w}
    return {**at, "slope": slope, "bend": bend}


def normal_optima(rng: np.random.Generator) -> Iterable[dict[str, Any]]:
    """Optima for a normal weight and unbounded noise, Problem 3, f(x) = x."""
    yield {"optimum": "normal", "spread": "2", "rho": "1", "f": "1", "w": ["0", "1", "-2"]}
    for _ in range(3):
        spread, rho = rational_text(rng, 20, 60, 10), rational_text(rng, 10, 30, 10)
        at = rational_text(rng, 1, 30, 10)
        yield {"optimum": "normal", "spread": spread, "rho": rho, "f": at, "w": ["0", "7/5", "-2"]}


def stationarity(equation: Equation, _: np.random.Generator) -> Evidence:
    """The equation is derived from the first variation of J (+ rho Q), term by term, for all n and m."""
    return rechecked(
        "first variation", euler_derivation(equation), "the equation is the stationarity condition"
    )


def known_optimum(equation: Equation, rng: np.random.Generator) -> Evidence:
    """The equation holds at optima that a short proof settles: the same mu(x) for every noise w."""
    draw = cosine_optima if equation.rho_share == "0" else normal_optima
    instances = Instances(
        "one multiplier at a known optimum",
        equation.data(),
        draw,
        "the equation holds at policies known to be optimal",
    )
    return on_instances(instances, rng)


EQUATION_CHECKS = (stationarity, known_optimum)


def turning(equation: Equation, rng: np.random.Generator) -> Evidence:
    """A solution is optimal only if no policy is cheaper, but for what flows through the ends of X: cosine noise meets turning noise."""

    def draw(rng: np.random.Generator) -> Iterable[dict[str, Any]]:
        yield {"length": "1", "reach": "1/2", "rate": "1/2"}
        for _ in range(3):
            yield {
                "length": rational_text(rng, 4, 9, 4),
                "reach": "1/2",
                "rate": rational_text(rng, 1, 8, 10),
            }

    found = Instances(
        "a solution against turning noise", equation.data(), draw, "solutions of the equation are optimal"
    )
    return search(found, rng)


@dataclass(frozen=True)
class SameCost:
    """All positive solutions of the equation with D = d/dx + `sign` F' d/dw have one cost; `ends` as in Equation."""

    sign: str
    ends: Literal["free", "no flux"]
    rho: tuple[str, ...] = ("0",)


def comparison(claim: SameCost, _: np.random.Generator) -> Evidence:
    """Each of two solutions costs no more than the other, by Picone's identity and the flux at the ends."""
    jet = Jet(1, 1)
    mixed = true_operator(1, 1).coeff(jet.mixed[0, 0])
    steps = [
        Step(
            product(2, parse(claim.sign), jet.F[0, 0]),
            "=",
            mixed,
            "the equation's D is the derivative in the cost: twice its sign times f' stands before u_wx",
            how=equal,
        ),
        *sufficiency_steps(claim.ends),
    ]
    lemmas = (
        "the terms in mu and rho w'w agree for both: int u^2 dw = int v^2 dw = 1, and rho w'w u (v^2/u) = rho w'w v^2",
        ALL_SIZES,
    )
    found = Derivation("a positive solution costs no more than any density", tuple(steps), lemmas)
    return rechecked("Picone", found, "all solutions have the same cost")


def two_solutions(claim: SameCost, rng: np.random.Generator) -> Evidence:
    """Two solutions in closed form, their costs enclosed."""

    def draw(rng: np.random.Generator) -> Iterable[dict[str, Any]]:
        for rho in claim.rho:
            yield {"rho": rho, "share": "1/2", "between": ["11", "14"]}
            yield {"rho": rho, "share": rational_text(rng, 1, 10, 10), "between": ["11", "14"]}

    printed = {"sign": claim.sign, "ends": claim.ends}
    return on_instances(
        Instances("two solutions of one equation", printed, draw, "all solutions have the same cost"), rng
    )


SAME_COST_CHECKS = (comparison, two_solutions)
