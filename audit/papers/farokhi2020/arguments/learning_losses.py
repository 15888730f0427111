"""Losses of models trained on released records: what is lost by noise, and what noise is then the best."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import sympy as sp

from .....symbolic.programs.least_cost_noise import EIGENVALUE, RHO, GaussianNoise, prove_optimal
from .....symbolic.proof.as_written import applied, difference, product, quotient, total, value_at
from .....symbolic.proof.derivation import Derivation, Step
from .....symbolic.proof.expressions import parse
from .....symbolic.proof.proofs.recorded import recorded
from .....symbolic.proof.trace import Column, Trace, gram, identity
from .....symbolic.proof.truth import Truth
from ....dossier.formula import Formula, argued, at_points
from ....dossier.parts import Parts
from ....record.evidence import Evidence, Verdict

_PHI, _MU, _EPS, _S, _A = (sp.Symbol(n, positive=True) for n in ("phi", "mu", "eps", "s", "a"))
_K, _E0 = sp.Symbol("k", nonnegative=True), sp.Symbol("e0", positive=True)
_GAUSS = sp.erf(_A / sp.sqrt(2))


def hinge_loss(entry: str) -> Formula:
    """The loss with [kappa, `entry`] phi in its kinks (text in y), against the cost of (1) at the least slacks."""
    a, b, k1, k2 = sp.symbols("a b k1 k2", real=True)
    theta = sp.Symbol("theta", positive=True)
    left = right = a**2 / 2
    for label, kappa in ((1, k1), (-1, k2)):
        last = parse(entry, {"y": sp.Integer(label)})
        score = total(product(kappa, a), product(last, b))
        left += theta * applied(sp.Max, 0, difference(1, product(label, score)))
        right += theta * sp.Max(0, 1 - label * (a * kappa + b))
    argument = argued(
        reason="both costs, for all data and parameters",
        conclusion="the loss is the cost of the machine",
        lemmas=(
            "the least slack that (1b) and (1c) admit is the larger of 0 and 1 - y (alpha' kappa + beta)",
        ),
    )
    return Formula(left, "=", right, argument=argument)


def kept_share(curve: str) -> Formula:
    """D >= 1 - c^2 s^2/eps_u^2 for l = h(phi) - x phi, h = `curve`, one record at x = 0 and normal noise of deviation s.

    The minimiser is increasing in x, so that it moves by at most eps if |n| <= h'(eps): D = erf(h'(eps)/(s sqrt 2)).  With
    curvature mu at least everywhere c = 1 + 1/mu and all s and eps are free; else c = 1 + k, eps = 1/(2 c + 1/e0), s = h'(eps).
    """
    slope = sp.diff(parse(curve, {"phi": _PHI, "mu": _MU}), _PHI)
    curved = sp.diff(slope, _PHI).subs(_PHI, 0) != 0
    if curved:
        return Formula(
            sp.erf(slope.subs(_PHI, _EPS) / (_S * sp.sqrt(2))),
            ">=",
            1 - (1 + 1 / _MU) ** 2 * _S**2 / _EPS**2,
            argument=_strongly_convex,
        )
    c, eps = 1 + _K, 1 / (2 * (1 + _K) + 1 / _E0)
    s = slope.subs(_PHI, eps)
    return Formula(sp.erf(slope.subs(_PHI, eps) / s / sp.sqrt(2)), ">=", 1 - c**2 * s**2 / eps**2)


def no_constant(said: Parts, rng: np.random.Generator) -> Evidence:
    """REFUTED if the bound fails for EVERY c = 1 + k and e0, so that none exist; otherwise this check has nothing to say."""
    formula, name = said.formulas[0], "no constants serve"
    if not {_K, _E0} <= set(formula.symbols):
        detail = "the formula quantifies over no constants that are only said to exist"
        return Evidence(name, "proof", "law", Verdict.UNDECIDED, formula.sentence, detail)
    c = 1 + _K
    lost = 1 - formula.right
    steps = (
        Step(lost, "<=", 1 / (16 * c**2), "what the bound gives away, eps_u < 1/(2 c)"),
        Step(1 / (16 * c**2), "<=", sp.Rational(1, 16), "c is at least one"),
        Step(
            formula.left,
            "<",
            sp.Rational(15, 16),
            "the share kept is smaller than the bound, whatever c and e0 are",
        ),
    )
    failing = Derivation("the bound fails for every c and eps_0", steps)
    found = at_points(formula, rng)
    if failing.check() is not Truth.HOLDS or found.verdict is not Verdict.REFUTED:
        return Evidence(name, "proof", "law", Verdict.UNDECIDED, formula.sentence, "some constants may serve")
    rows = tuple(recorded(failing))
    return replace(
        found, check=name, kind="proof", reason=f"{failing.conclusion}; {found.reason}", derivation=rows
    )


def _strongly_convex(formula: Formula) -> Derivation:
    a, one, q = Column("a"), Column("j"), sp.Symbol("q", positive=True)
    tail = _GAUSS - 1 + 1 / _A**2
    peak = _A**3 * sp.exp(-(_A**2) / 2)
    at = {_S: _MU * _EPS / _A}
    steps = (
        identity(
            gram(a - one * one.T * a / q),
            Trace(a.T * a) - Trace(a.T * one * one.T * a) / q,
            "(sum |n_i|)^2 <= q sum |n_i|^2, a square for every number q of records",
            {(one.T, one): q},
        ),
        Step(
            sp.Derivative(tail, _A),
            "=",
            (2 * peak / sp.sqrt(2 * sp.pi) - 2) / _A**3,
            "slope of F(a) = erf(a/sqrt 2) - 1 + 1/a^2",
        ),
        Step(
            sp.Derivative(sp.log(peak), _A), "=", (3 - _A**2) / _A, "a^3 exp(-a^2/2) is largest at a = sqrt 3"
        ),
        Step(value_at(peak, {_A: sp.sqrt(3)}), "<", sp.sqrt(2 * sp.pi), "so F decreases"),
        Step(
            sp.Limit(tail, _A, sp.oo),
            "=",
            sp.Integer(0),
            "to 0: F is positive, which is the bound for one normal noise",
        ),
        Step(value_at(formula.left, at), "=", _GAUSS, "the left side is the share kept at a = mu eps/s"),
        Step(
            value_at(formula.right, at),
            "<=",
            1 - 1 / _A**2,
            "the right side is no more than the bound at this a",
        ),
    )
    lemmas = (
        "l with curvature at least mu: mu |phibar - phi| <= |grad l(phi; xbar) - grad l(phi; x)| (strong monotonicity)",
        "the mixed derivatives are continuous: on a ball of radius eps_0 the right side is at most L sum |n_i|, so c = max(1, L/mu)",
        "Markov's inequality for (sum |n_i|)^2, for every law of noise",
    )
    return Derivation("strongly convex losses obey the bound of Proposition 2.11", steps, lemmas)


def least_cost(factor: sp.Expr) -> Formula:
    """The cost of (8) per eigenvalue of Pi^-1 for the Gaussian of Theorem 2.4 with `factor` times its variance, against the least."""
    variance = factor * sp.sqrt(EIGENVALUE / RHO)
    noise = GaussianNoise.with_variance(variance)
    before = prove_optimal(noise)
    argument = argued(
        *before.steps,
        reason="its cost per eigenvalue is not above the least",
        relation="<=",
        conclusion=before.conclusion,
        lemmas=before.lemmas,
        written=total(quotient(EIGENVALUE, variance), product(RHO, variance)),
    )
    return Formula(noise.cost(), "<=", 2 * sp.sqrt(RHO * EIGENVALUE), argument=argument)
