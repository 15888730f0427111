"""The stationarity condition in terms of the density, its Lagrangian, and what it becomes for the root of the density."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import sympy as sp

from .....symbolic.proof.as_written import difference, product
from .....symbolic.proof.derivation import Derivation, Step
from .....symbolic.proof.expressions import parse
from ....dossier.arguments.stationarity import ALL_SIZES, PAIRS, Equation, Jet, equal, first_variation
from ....dossier.arguments.written_integrals import normal_between
from ....dossier.formula import Formula, argued, rechecked, through
from ....dossier.instances import Instances, on_instances
from ....record.evidence import Evidence
from .equation_checks import cosine_optima


def lagrangian_formula(weight: str, mass: str) -> Formula:
    """The derivative of the Lagrangian in mu(x), in the direction eta, at a density: zero iff mass one is asked for."""
    p, eta = sp.Symbol("p", positive=True), sp.Symbol("eta", real=True)
    change = -parse(weight) * p * eta * (1 - parse(mass))

    def argument(formula: Formula) -> Derivation:
        mu = sp.Symbol("mu", real=True)
        one = normal_between(-sp.oo, sp.oo)  # a density of mass one
        moved = product(-parse(weight), p, eta, difference(one, parse(mass)))
        steps = [
            *through(formula, moved, "derivative in mu(x), in the direction eta, at a density of mass one")
        ]
        for n, m in PAIRS:
            jet = Jet(n, m)
            whole = first_variation(
                jet, lambda v, g, w: w * (g.T * g)[0, 0] / v - parse(weight) * w * mu * (v - parse(mass))
            )
            alone = first_variation(jet, lambda v, g, w: w * (g.T * g)[0, 0] / v)
            steps.append(
                Step(
                    whole,
                    "=",
                    difference(sp.expand(alone), mu),
                    f"derivative in gamma: that of J minus p mu (p = 1), sizes {n}, {m}",
                    how=equal,
                )
            )
        return Derivation(
            "stationary points of the Lagrangian are those of Problem 2", tuple(steps), (ALL_SIZES,)
        )

    return Formula(change, "=", sp.Integer(0), argument=argument)


@dataclass(frozen=True)
class DensityCondition:
    """square Z'MZ p/gamma^2 + w sum_i d/dw_i(p e_i'MZ/gamma) + x p sum_i d/dx_i(e_i'MZ/gamma) + p sum_i dp/dx_i e_i'MZ/gamma.

    Plus p mu, with Z = [d gamma/dw; d gamma/dx] and M = [[FF', block F], [block F', I]].
    """

    terms: Mapping[str, str]

    def printed(self, jet: Jet) -> sp.Expr:
        """The condition without p mu at x = 0, w = 0, as written."""
        c = {name: parse(text) for name, text in self.terms.items()}
        gamma, p, f = jet.field(), jet.weight(), sp.Matrix(jet.query())
        F = f.jacobian(sp.Matrix(jet.x))
        block = c["block"] * F
        M = sp.Matrix(sp.BlockMatrix([[F * F.T, block], [block.T, sp.eye(jet.n)]]))
        Z = sp.Matrix([sp.diff(gamma, s) for s in (*jet.w, *jet.x)])
        flow = M * Z / gamma
        total = c["square"] * p * (Z.T * M * Z)[0, 0] / gamma**2
        for j, w in enumerate(jet.w):
            total += c["w"] * sp.diff(p * flow[j], w)
        for i, x in enumerate(jet.x):
            total += c["x"] * p * sp.diff(flow[jet.m + i], x) + c["p"] * sp.diff(p, x) * flow[jet.m + i]
        return jet.at_origin(total)


def density_variation(condition: DensityCondition, _: np.random.Generator) -> Evidence:
    """The condition against the first variation of int p |D gamma|^2/gamma, for all n and m."""
    steps = []
    for n, m in PAIRS:
        jet = Jet(n, m)
        truth = -first_variation(jet, lambda v, g, p: p * (g.T * g)[0, 0] / v)
        reason = f"minus the first variation of J in gamma, {n} entries of x and {m} of w"
        steps.append(Step(condition.printed(jet), "=", truth, reason, how=equal))
    found = Derivation("the condition is the stationarity condition", tuple(steps), (ALL_SIZES,))
    return rechecked("first variation", found, "the condition is the stationarity condition")


def density_optimum(condition: DensityCondition, rng: np.random.Generator) -> Evidence:
    """The condition gives one mu(x) whatever the noise, at policies known to be optimal."""
    rule = "one multiplier at a known optimum, from the density"
    printed = {"terms": dict(condition.terms)}
    what = "the condition holds at policies known to be optimal"
    return on_instances(Instances(rule, printed, cosine_optima, what), rng)


@dataclass(frozen=True)
class RootForm:
    """(18) divided by p for gamma = u^2: (4/u) times the equation's terms, D = d/dx + `sign` d/dw F."""

    equation: Equation
    factor: str = "4"


def from_density(form: RootForm) -> Formula:
    """What (18), as printed, becomes for gamma = u^2, against the printed form in u, n = m = 1 as the instance."""
    condition = DensityCondition({"block": "1", "square": "1", "w": "2", "x": "2", "p": "2"})

    def sides(n: int, m: int) -> tuple[sp.Expr, sp.Expr]:
        jet = Jet(n, m)
        printed = parse(form.factor) / jet.value * form.equation.operator(jet)
        squared = _Squared(n, m)
        return printed, condition.printed(squared)

    steps = tuple(
        Step(*_relation(sides(n, m)), f"(18)/p with gamma = u^2, sizes {n}, {m}", how=equal) for n, m in PAIRS
    )
    left, right = sides(1, 1)
    argument = argued(
        *steps,
        reason="the instance n = m = 1",
        how=equal,
        conclusion="(18) becomes the printed form",
        lemmas=(ALL_SIZES,),
        written=right,  # as (18) gives it, before it is brought to one factor
    )
    return Formula(sp.factor(left), "=", sp.factor(right), argument=argument)


def _relation(sides: tuple[sp.Expr, sp.Expr]) -> tuple[sp.Expr, str, sp.Expr]:
    return sides[0], "=", sides[1]


@dataclass(frozen=True)
class _Squared(Jet):
    """A jet whose field is the square of the field with the same symbols."""

    def field(self) -> sp.Expr:
        return super().field() ** 2
