"""The exact privacy of one answer: tails of two normal laws as integrals, and the largest log ratio of two Laplace laws."""

from __future__ import annotations

import sympy as sp

from .....symbolic.privacy.pair import LaplacePair
from .....symbolic.proof.as_written import difference, product, quotient
from .....symbolic.proof.derivation import Step
from .....symbolic.proof.enclosure import compare
from .....symbolic.proof.truth import Truth
from ....dossier.arguments.written_integrals import normal_probability
from ....dossier.formula import Formula, direction, through
from .normal_calibration import S


def tails(apart: sp.Expr, epsilon: sp.Expr) -> sp.Expr:
    """P(y > t) - e^epsilon Q(y > t) of two normal laws `apart` deviations apart, as integrals of the standard normal density."""
    ends = (apart / 2 - epsilon / apart, -apart / 2 - epsilon / apart)
    return difference(normal_probability(ends[0]), product(sp.exp(epsilon), normal_probability(ends[1])))


def by_erf(left: sp.Expr, right: sp.Expr) -> Truth:
    """Equality after integrals are carried out and tails written by the error function."""
    first, second = (sp.expand(side.doit().rewrite(sp.erf)) for side in (left, right))
    return compare(first, "=", second)


def largest_log_ratio(formula: Formula, scale: sp.Expr) -> tuple[Step, ...]:
    """From the two densities to the largest log ratio, and from it to what is claimed of noise of this scale."""
    u, v = sp.symbols("u v", real=True)
    return (
        *LaplacePair(sp.Symbol("r", positive=True)).steps()[:1],
        Step(
            sp.expand((sp.Abs(u) + sp.Abs(v)) ** 2 - (u + v) ** 2),
            ">=",
            sp.Integer(0),
            "triangle inequality, squared: the log ratio is at most |C(x - x')|/b",
            lambda left, right: compare(2 * (sp.Abs(u * v) - u * v) - left, "=", right),
        ),
        direction(formula, "<="),
        *through(
            formula, quotient(S, scale), "|C(x - x')| is at most S, and reaches it: the exact epsilon is S/b"
        ),
    )
