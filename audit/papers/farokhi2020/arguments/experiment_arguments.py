"""Why null-space noise leaves a classifier as it is, and what the errors of Gaussian noise are."""

from __future__ import annotations

import sympy as sp

from .....symbolic.proof.as_written import power, product, quotient
from .....symbolic.proof.derivation import Derivation, Step
from .....symbolic.proof.trace import Column, Letter, Rules, Trace, identity
from ....dossier.formula import Formula, argued
from .null_space_arguments import conditions_moved


def not_towards(towards: sp.Expr) -> Formula:
    """alpha'w_i = 0 for w_i = (I - (1 - `towards`) a a') g_i, a the unit vector along alpha; two features."""
    alpha, g = (sp.Matrix(sp.symbols(f"{n}1 {n}2", positive=True)) for n in ("alpha", "g"))
    w = g - (1 - towards) * alpha * (alpha.T * g)[0] / (alpha.T * alpha)[0]

    def argument(formula: Formula) -> Derivation:
        a, c, e, f = Column("a"), Column("c"), Column("e"), Column("f")
        noise = Letter("G")
        w = (noise - c * c.T * noise) - (1 - towards) * (noise - c * c.T * noise) * a * a.T
        unit: Rules = {(a.T, a): sp.Integer(1), (c.T, c): sp.Integer(1)}
        instance = {
            a: sp.Matrix([0, 1]),
            c: sp.Matrix([1, 0]),
            e: sp.Matrix([2, 3]),
            f: sp.Matrix([5, 7]),
            noise: sp.Matrix([[1, 2], [3, 4]]),
        }
        steps = (
            identity(
                Trace(e.T * w * a),
                sp.Integer(0),
                "alpha'w_i = 0 for every record, any q and p",
                unit,
                None,
                instance,
            ),
            identity(
                Trace(c.T * w * f),
                sp.Integer(0),
                "sum omega_i y_i w_i = 0, c the unit vector along (omega_i y_i)",
                unit,
                None,
                instance,
            ),
            *conditions_moved(),
            Step(formula.left, "=", formula.right, "the same for two features, by coordinates"),
        )
        lemmas = (
            "program (2) is strictly convex: its solution is the only point that satisfies its optimality conditions",
        )
        return Derivation("null-space noise leaves (alpha, beta, xi)", steps, lemmas)

    return Formula(sp.together((alpha.T * w)[0]), "=", sp.Integer(0), argument=argument)


def guarantee(degree: int, entries: int, factor: sp.Expr) -> tuple[Formula, Formula]:
    """E|n|^degree = `factor` p/sqrt(lambda) for n ~ N(0, I/sqrt(lambda)), and the right side decreases in lambda."""
    lam = sp.Symbol("lam", positive=True)
    half = sp.Rational(degree, 2)
    # A squared length has the law of the variance times a chi-squared number: 2/sqrt(lam) times one of the Gamma law of entries/2.
    shape = sp.Rational(entries, 2)
    moment = product(power(2 / sp.sqrt(lam), half), quotient(sp.gamma(shape + half), sp.gamma(shape)))
    plotted = factor * entries / sp.sqrt(lam)
    argument = argued(
        reason="the error of the raw release, which is the least of unbiased adversaries",
        conclusion="privacy guarantee",
        lemmas=("Cramer-Rao: attained by the raw release x + n",),
    )
    return Formula(moment, "=", plotted, argument=argument), Formula(
        sp.diff(plotted, lam), "<", sp.Integer(0)
    )
