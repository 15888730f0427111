"""Laplace and Gaussian noise on a weighted average of [lower, upper]^n, calibrated as printed and as needed.

S = (upper - lower) max|c_i| is the sensitivity.  Farokhi and Sandberg (2019) print in proposition 3 the Laplace scale
epsilon/S and in proposition 4 the condition theta >= S B(epsilon, delta), where theta is the variance of the noise of
their corollary 6 and B = sqrt(2 ln(1/(2 delta)))/epsilon + 1/sqrt(2 epsilon).  Everything is held against the exact curve.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import sympy as sp
from numpy.typing import ArrayLike

from .....symbolic.information.query import number_matrix
from .....symbolic.laws import catalogue as laws
from .....symbolic.privacy.guarantees import at_most
from .....symbolic.privacy.normal_tail import tail_steps
from .....symbolic.privacy.pair import GaussianPair, LaplacePair, Phi
from .....symbolic.proof.as_written import applied, difference, power, product, quotient, root, total
from .....symbolic.proof.derivation import Derivation, Step
from .....symbolic.proof.enclosure import compare, is_zero, rational
from .....symbolic.proof.truth import Truth

_VERTICES = 16


@dataclass(frozen=True)
class AverageOnBox:
    """c'x for records x in [lower, upper]^n; `weights` c (n,), not all zero."""

    weights: tuple[sp.Expr, ...]
    lower: sp.Expr
    upper: sp.Expr

    @classmethod
    def of(
        cls, weights: ArrayLike | Sequence[sp.Expr], lower: float | sp.Expr, upper: float | sp.Expr
    ) -> AverageOnBox:
        """Decimals are read as they are written; lower <= upper."""
        c = tuple(number_matrix(sp.Matrix([list(weights)])))  # type: ignore[arg-type]
        ends = [e if isinstance(e, sp.Expr) else rational(e) for e in (lower, upper)]
        if all(v == 0 for v in c):
            raise ValueError(
                "the weights of a query are not all zero: with C = 0 the answer says nothing about x"
            )
        if at_most(*ends) is not Truth.HOLDS:
            raise ValueError(f"records live in [lower, upper] with lower <= upper, got [{lower}, {upper}]")
        return cls(c, *ends)

    @property
    def sensitivity(self) -> sp.Expr:
        """S, the largest change of the answer when one entry changes."""
        return (self.upper - self.lower) * sp.Max(*map(sp.Abs, self.weights))

    @property
    def gram(self) -> sp.Expr:
        """C C', the sum of the squared weights."""
        return sp.Add(*(c**2 for c in self.weights))

    def hidden(self, x: Sequence[sp.Expr]) -> sp.Expr:
        """|(I - C^+ C) x|^2, the part of x that the answer does not show."""
        shown = sp.Add(*(c * v for c, v in zip(self.weights, x, strict=True)))
        return sp.Add(*(v**2 for v in x)) - shown**2 / self.gram

    def most_hidden(self) -> tuple[sp.Expr, tuple[sp.Expr, ...]]:
        """The largest hidden part over the box and where: a convex function is largest at a corner."""
        if len(self.weights) > _VERTICES:
            raise ValueError(
                f"corners are enumerated for at most {_VERTICES} entries, got {len(self.weights)}"
            )
        corners = itertools.product((self.lower, self.upper), repeat=len(self.weights))
        return max(((self.hidden(x), x) for x in corners), key=lambda found: found[0])

    def least_hidden(self) -> tuple[sp.Expr, tuple[sp.Expr, ...]]:
        """The smallest hidden part over the box and where: the squared distance of the box from the line {t C'}, exact."""
        ends = sorted({e / c for c in self.weights if c != 0 for e in (self.lower, self.upper)})
        candidates = list(ends)
        for a, b in itertools.pairwise(ends):
            middle = (a + b) / 2
            # Between the breakpoints the distance is a parabola in t: its lowest point, if it lies inside.
            pulled = [(c, self._clipped(c * middle)) for c in self.weights if c != 0]
            pulled = [(c, e) for c, e in pulled if e != c * middle]
            if pulled:
                t = sp.Add(*(c * e for c, e in pulled)) / sp.Add(*(c**2 for c, _ in pulled))
                candidates += [t] if a <= t <= b else []
            else:
                candidates.append(middle)
        found = []
        for t in candidates:
            x = tuple(self._clipped(c * t) for c in self.weights)
            found.append((self.hidden(x), x))
        return min(found, key=lambda pair: pair[0])

    def _clipped(self, value: sp.Expr) -> sp.Expr:
        return min(max(value, self.lower), self.upper)


# Proposition 3: Laplace noise.


def laplace_epsilon(sensitivity: sp.Expr, scale: sp.Expr) -> sp.Expr:
    """The least epsilon for which Laplace noise of this scale is epsilon-differentially private: S/b."""
    return LaplacePair(sensitivity / scale).max_loss()


# Proposition 4: Gaussian noise.


def condition(epsilon: sp.Expr, delta: sp.Expr) -> sp.Expr:
    """B(epsilon, delta), the right side of condition (16) for S = 1; real for delta <= 1/2."""
    return sp.sqrt(2 * sp.log(1 / (2 * delta))) / epsilon + 1 / sp.sqrt(2 * epsilon)


def deviation_reading() -> Derivation:
    """Noise whose DEVIATION is at least S B(epsilon, delta) is (epsilon, delta)-private for all epsilon > 0, delta <= 1/2."""
    t, u = sp.symbols("t u", nonnegative=True)
    k = sp.Symbol("K", nonnegative=True)
    eps, mu, s, delta = sp.symbols("epsilon mu s delta", positive=True)
    zero = (k + sp.sqrt(k**2 + 2 * eps)) / (2 * eps)
    bar = sp.sqrt(2 * sp.log(1 / (2 * delta)))
    steps = (
        *GaussianPair(mu).steps(),
        Step(
            difference(GaussianPair(mu).profile(eps), Phi(mu / 2 - eps / mu)),
            "=",
            -sp.exp(eps) * Phi(-mu / 2 - eps / mu),
            "the second term of the exact curve only takes away: delta(epsilon) <= Phi(mu/2 - epsilon/mu), mu = S/sigma",
        ),
        *tail_steps(t, u, "so that 1 - Phi(t) <= exp(-t^2/2)/2 for t >= 0"),
        Step(
            quotient(applied(sp.exp, -quotient(power(bar, 2), 2)), 2),
            "=",
            delta,
            "at t = K = sqrt(2 ln(1/(2 delta))) this bound is delta",
            where=(sp.log(1 / (2 * delta)),),
        ),
        Step(
            eps * zero - 1 / (2 * zero),
            "=",
            k,
            "epsilon s - 1/(2s) = K at s = (K + sqrt(K^2 + 2 epsilon))/(2 epsilon)",
            _multiplied_out,
        ),
        Step(
            sp.diff(eps * s - 1 / (2 * s), s),
            ">",
            sp.Integer(0),
            "it increases with s = sigma/S: larger noise does no harm",
        ),
        Step(
            (k + sp.sqrt(2 * eps)) ** 2 - (k**2 + 2 * eps),
            ">=",
            sp.Integer(0),
            "sqrt(K^2 + 2 epsilon) <= K + sqrt(2 epsilon)",
            lambda left, right: compare(sp.expand(left), ">=", right),
        ),
        Step(
            (2 * k + sp.sqrt(2 * eps)) / (2 * eps),
            "=",
            k / eps + 1 / sp.sqrt(2 * eps),
            "so that B is at least that s",
            lambda left, right: is_zero(sp.expand(left - right)),
        ),
        Step(
            total(
                quotient(root(product(2, sp.log(1 / (2 * delta)))), eps), quotient(1, root(product(2, eps)))
            ),
            "=",
            condition(eps, delta),
            "and B with this K is the right side of (16) for S = 1",
            where=(sp.log(1 / (2 * delta)),),
        ),
    )
    return Derivation(
        "sigma >= S B(epsilon, delta) is enough",
        steps,
        ("Neyman-Pearson: the exact curve of two normal laws",),
    )


def _multiplied_out(left: sp.Expr, right: sp.Expr) -> Truth:
    return is_zero(sp.simplify(sp.radsimp(sp.together(left - right))))


# The comparison of the two noises at one variance theta.


def laplace_entropy(theta: sp.Expr) -> sp.Expr:
    """The differential entropy in bits of Laplace noise of variance theta, by integration of its density."""
    b = sp.Symbol("b", positive=True)
    law = laws.laplace(0, b)
    return (law.expectation(-law.log_density()) / sp.log(2)).subs(b, sp.sqrt(theta / 2))


def gaussian_entropy(theta: sp.Expr) -> sp.Expr:
    """The differential entropy in bits of normal noise of variance theta, by integration of its density."""
    sd = sp.Symbol("sd", positive=True)
    law = laws.normal(0, sd)
    return (law.expectation(-law.log_density()) / sp.log(2)).subs(sd, sp.sqrt(theta))


def error_ratio(hidden: sp.Expr, gram: sp.Expr, theta: sp.Expr, power: int = 1) -> sp.Expr:
    """(A + theta/q^k)/(A + theta/(2 q^k)) with A hidden, q = C C': bound under normal over bound under Laplace noise.

    k = 1 is the Cramer-Rao bound of an adversary with mean C^+ C x; the paper prints k = 2.
    """
    return (hidden + theta / gram**power) / (hidden + theta / (2 * gram**power))
