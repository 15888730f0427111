"""Among additive noises that do not look at the data, a Gaussian has the least Tr(A K) + rho Tr(V).

K is the Fisher information of the location family of the noise density, V its second moment, A a positive
definite matrix and rho > 0.  A candidate is data: in the eigenbasis of A its density is a product of factors
c exp(-q w^2), where c and q are expressions in one eigenvalue `a` of A and in `rho`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
import sympy as sp
from flint import arb

from ..proof.as_written import product, root, total
from ..proof.derivation import Derivation, Step
from ..proof.enclosure import Point, compare, refuting_point
from ..proof.exact_numbers import ball
from ..proof.trace import Column, Symmetric, Trace, gram, identity
from ..proof.truth import Truth
from .functional.functional import Functional
from .functional.integrals import integrated

EIGENVALUE = sp.Symbol("a", positive=True)
RHO = sp.Symbol("rho", positive=True)
W = sp.Symbol("w", real=True)

STEIN = (
    "Stein's identity E[s w'] = -I for the score s of a continuously differentiable density with finite "
    "E|s|^2 and "
    "E|w|^2: integration by parts, whose boundary term vanishes because w times the gradient is integrable "
    "(Cauchy-Schwarz), and where the density is zero so is its gradient; a density of infinite cost is no "
    "competitor"
)
SPECTRAL = (
    "spectral theorem: the candidate's covariance is a function of A, so that in the eigenbasis of A its "
    "density is a "
    "product, and K, V and the cost are sums over the eigenvalues of A"
)
UNIQUE = (
    "equality needs A^{1/2} s + sqrt(rho) w = 0 wherever the density is positive; a continuous density that "
    "solves this "
    "equation vanishes nowhere, so that it is the Gaussian with covariance A^{1/2}/sqrt(rho)"
)


@dataclass(frozen=True)
class GaussianNoise:
    """The density normaliser * exp(-rate * w^2) for each eigenvalue `a` of A; its mass is not assumed."""

    normaliser: sp.Expr
    rate: sp.Expr

    @classmethod
    def with_variance(cls, variance: sp.Expr) -> GaussianNoise:
        """The normal density whose covariance is the spectral function `variance` of A."""
        return cls(1 / sp.sqrt(2 * sp.pi * variance), 1 / (2 * variance))

    def widened(self, factor: sp.Expr) -> GaussianNoise:
        """The same noise with its covariance multiplied by `factor`."""
        return GaussianNoise(self.normaliser / sp.sqrt(factor), self.rate / factor)

    def density(self) -> sp.Expr:
        """One factor of the density, in the variable w."""
        return self.normaliser * sp.exp(-self.rate * W**2)

    def mass(self) -> sp.Expr:
        """The integral of the density."""
        return self._fill(0)

    def second_moment(self) -> sp.Expr:
        """The integral of w^2 against the density."""
        return self._fill(1)

    def information(self) -> sp.Expr:
        """The integral of (density')^2 / density."""
        return self._fill(2)

    def cost(self) -> sp.Expr:
        """a * information + rho * second moment: the share of one eigenvalue."""
        return EIGENVALUE * self.information() + RHO * self.second_moment()

    def _fill(self, which: int) -> sp.Expr:
        integrals, c, q = _integrals()
        return integrals[which].subs({c: self.normaliser, q: self.rate}, simultaneous=True)


@lru_cache(maxsize=1)
def _integrals() -> tuple[tuple[sp.Expr, sp.Expr, sp.Expr], sp.Symbol, sp.Symbol]:
    """Mass, second moment and Fisher information of c exp(-q w^2), by integration of that density."""
    c, q = sp.symbols("c q", positive=True)
    density = c * sp.exp(-q * W**2)
    integrands = (density, W**2 * density, sp.simplify(sp.diff(density, W) ** 2 / density))
    mass, moment, information = (sp.integrate(f, (W, -sp.oo, sp.oo)) for f in integrands)
    return (mass, moment, information), c, q


def lower_bound() -> sp.Expr:
    """No noise costs less than this, per eigenvalue of A: in total 2 sqrt(rho) Tr A^{1/2}."""
    return 2 * sp.sqrt(RHO * EIGENVALUE)


def optimal_noise() -> GaussianNoise:
    """The noise whose score is -sqrt(rho) A^{-1/2} w: covariance A^{1/2}/sqrt(rho)."""
    return GaussianNoise.with_variance(sp.sqrt(EIGENVALUE / RHO))


def gap(candidate: GaussianNoise) -> sp.Expr:
    """Cost of the candidate minus the lower bound, per eigenvalue of A."""
    return candidate.cost() - lower_bound()


def prove_optimal(candidate: GaussianNoise) -> Derivation:
    """The steps that make the candidate the one and only minimiser, for matrices A of every dimension."""
    half_power, r = Symmetric("R"), sp.Symbol("r", positive=True)
    s, w, covariance = Column("s"), Column("w"), Symmetric("S")
    half = sp.Rational(1, 2)
    v = sp.Symbol("v", positive=True)
    score = Step(
        product(root(EIGENVALUE), sp.Derivative(sp.log(candidate.normaliser) - candidate.rate * W**2, W)),
        "=",
        -sp.sqrt(RHO) * W,
        "the candidate's score satisfies the condition for equality",
    )
    # Where it does not, the proof has failed, and no better density need be looked for.
    extremal = Derivation("", ()) if score.check() is Truth.FAILS else _among_densities(candidate)
    steps = (
        identity(
            gram(half_power * s + r * w),
            Trace(s.T * half_power**2 * s) + r**2 * Trace(w.T * w) - 2 * r * Trace(half_power),
            "square completed under the expectation, with R = A^{1/2}, r^2 = rho and E[s w'] = -I: "
            "the cost minus 2 r Tr R is an expected square, hence not negative",
            values={Trace(s.T * half_power * w): -Trace(half_power)},
        ),
        identity(
            gram(half_power * covariance**-half - r * covariance**half),
            Trace(half_power**2 * covariance**-1) + r**2 * Trace(covariance) - 2 * r * Trace(half_power),
            "the same bound by another route, through K >= S^{-1}: a Gaussian with covariance S exceeds 2 r "
            "Tr R "
            "by a square that vanishes only for S = R/r",
        ),
        Step(
            EIGENVALUE / v + RHO * v - lower_bound(),
            "=",
            (sp.sqrt(EIGENVALUE / v) - sp.sqrt(RHO * v)) ** 2,
            "per eigenvalue of A, r = sqrt(rho): the bound is the least value of a/v + rho v over v > 0",
            how=lambda left, right: compare(sp.expand(left), "=", sp.expand(right)),
        ),
        score,
        *extremal.steps,
    )
    return Derivation(
        "the candidate is the only minimiser of Tr(A K) + rho Tr(V)",
        steps,
        (STEIN, SPECTRAL, UNIQUE, *extremal.lemmas),
    )


def _among_densities(candidate: GaussianNoise) -> Derivation:
    """One eigenvalue of A: the candidate is the minimiser among all densities on the line, and its cost the bound."""
    p = sp.Function("p")(W)
    cost = EIGENVALUE * sp.diff(p, W) ** 2 / p + RHO * W**2 * p
    found = Functional(cost, p, (W, -sp.oo, sp.oo), density=True).certify(candidate.density())
    density, reason = candidate.density(), "the candidate's cost is the bound"
    if found.verdict == "PROVED":
        information = product(EIGENVALUE, sp.Integral(sp.diff(density, W) ** 2 / density, (W, -sp.oo, sp.oo)))
        moment = product(RHO, sp.Integral(W**2 * density, (W, -sp.oo, sp.oo)))
        last = Step(total(information, moment), "=", lower_bound(), reason, how=integrated)
    else:
        last = Step(sp.Symbol("unknown", positive=True), "=", lower_bound(), reason)
    return Derivation("", (*found.derivation.steps, last), found.derivation.lemmas)


def refuting_instance(candidate: GaussianNoise) -> tuple[str, Point] | None:
    """("mass" or "cost", numbers for a and rho) at which the candidate is no density or not optimal."""
    point = refuting_point(candidate.mass() - 1, "=")
    if point is not None:
        return "mass", point
    point = refuting_point(gap(candidate), "<=")
    return None if point is None else ("cost", point)


# Families of other noises: shape -> J Q, information times variance, which scaling leaves unchanged.


def _student(shape: Fraction, dimension: int = 1) -> arb:
    nu = ball(shape)
    return (nu + dimension) / (nu + dimension + 2) * nu / (nu - 2)


def _generalised_normal(shape: Fraction) -> arb:
    if 2 * shape <= 1:
        return arb.pos_inf()  # the information diverges at the peak
    b = ball(shape)
    return b**2 * (2 - 1 / b).gamma() * (3 / b).gamma() / (1 / b).gamma() ** 2


def _two_normals(shape: Fraction) -> arb:
    """Equal mixture of N(-d, 1) and N(d, 1); trapezoidal rule, the error from two step sizes."""
    d = float(shape)

    def information(step: float) -> float:
        x = np.arange(-d - 14, d + 14 + step / 2, step)
        left, right = (np.exp(-((x - m) ** 2) / 2) / np.sqrt(2 * np.pi) / 2 for m in (-d, d))
        slope = -(x + d) * left - (x - d) * right
        return float(np.sum(slope**2 / (left + right)) * step)

    fine, coarse = information(0.01), information(0.02)
    return arb(fine * (1 + d**2), (abs(fine - coarse) + 1e-11) * (1 + d**2))


FAMILIES: dict[str, Callable[[Fraction], arb]] = {
    "student t": _student,
    "student t in two dimensions": lambda shape: _student(shape, 2),
    "logistic": lambda shape: arb.pi() ** 2 / 9,
    "hyperbolic secant": lambda shape: arb.pi() ** 2 / 8,
    "generalised normal": _generalised_normal,
    "mixture of two normals": _two_normals,
}


def family_cost(name: str, shape: Fraction, eigenvalue: Fraction, rho: Fraction) -> arb:
    """The cost of the best-scaled member: 2 sqrt(a rho J Q), enclosed (the mixture: quadrature and error)."""
    if name not in FAMILIES:
        raise ValueError(f"expected one of {sorted(FAMILIES)}, got {name!r}")
    return 2 * (ball(eigenvalue) * ball(rho) * FAMILIES[name](shape)).sqrt()
