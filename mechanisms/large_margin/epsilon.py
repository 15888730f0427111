"""The privacy parameter of the perturbed large-margin objective, step by step: gradient sensitivity, noise, Jacobian.

One record x of length at most R and its label enter the gradient as a (x) X: X = (x, 1)(x, 1)' and a in R^C, a_c = -w_c
for the wrong classes with weights w_c in [0, 1], a_y = sum w_c.  Pathak and Raj (2010, lemma 1) bound one block of one
wrong class, and read |(x, 1)|^2 as |x|^2.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import sympy as sp

from ...symbolic.proof.as_written import applied, determinant, inner, power, product, root, total
from ...symbolic.proof.derivation import Derivation, Step
from ..additive import whole

ONE = sp.Integer(1)
_WRITTEN = 5  # classes up to which determinants are written as sums of products


@dataclass(frozen=True)
class PrivacyTerms:
    """What epsilon is made of, for C classes, n records of length at most R, half width h and ridge mu (all exact).

    `ridge` prices (mu/2)|Phi|^2 beside the mean loss of the records.
    """

    classes: int
    size: int
    width: sp.Expr
    ridge: sp.Expr
    radius: sp.Expr = ONE

    def __post_init__(self) -> None:
        whole("classes", self.classes, least=2)
        whole("size", self.size)
        for name, value in (("width", self.width), ("ridge", self.ridge)):
            if value.is_positive is False:
                raise ValueError(f"{name} must be > 0, got {value}")

    @property
    def gradient_sensitivity(self) -> sp.Expr:
        """Delta: how far one record moves the gradient of the summed loss, in Frobenius norm over all classes."""
        return gradient_sensitivity(self.classes, self.radius)

    @property
    def jacobian(self) -> sp.Expr:
        """kappa: the log of how much one record changes the determinant of the second derivative, at most."""
        unit = (1 + self.radius**2) ** 2 / (2 * self.width * self.size * self.ridge)
        return sp.log(1 + self.classes * unit) + (self.classes - 2) * sp.log(1 + unit)

    @property
    def minimiser_sensitivity(self) -> sp.Expr:
        """How far one record moves the minimiser: Delta/(n mu), by strong convexity."""
        return self.gradient_sensitivity / (self.size * self.ridge)

    def noise_scale(self, epsilon: sp.Expr) -> sp.Expr:
        """Delta/(epsilon - kappa): the scale of noise with density ~ exp(-|b|/scale) on the gradient of the summed loss."""
        return self.gradient_sensitivity / (epsilon - self.jacobian)

    def derivation(self, epsilon: sp.Expr) -> Derivation:
        """Checked steps: noise of `noise_scale` makes the minimiser epsilon-differentially private."""
        return Derivation(
            f"the perturbed minimiser is {sp.sstr(epsilon)}-differentially private when one record is replaced",
            (*_norm_steps(self), *_jacobian_steps(self), *_noise_steps(self, epsilon)),
            LEMMAS,
        )


LEMMAS = (
    "a convex function on a box of weights is largest at a corner",
    "the gradient of a strongly convex function with Lipschitz gradient is a bijection, Lipschitz both ways",
    "change of variables holds for maps that are Lipschitz both ways, with the derivative almost everywhere (Federer 1969, 3.2.3)",
    "det(P + E)/det(P + E') <= det(1 + E/mu) for P >= mu, E, E' >= 0 (determinants grow with positive semidefinite matrices)",
    "the positive semidefinite parameters are made from the minimiser without the data (post-processing)",
)


def gradient_sensitivity(classes: int, radius: sp.Expr = ONE) -> sp.Expr:
    """The largest |a (x) X - a' (x) X'| over two labelled records, exactly: (1 + R^2) sqrt(2) C.

    Found over all corners of the weights, by counting classes that are alike; attained by one x of length R under two
    labels, with all weights 1 (which needs a margin of at least h).
    """
    return (1 + radius**2) * sp.sqrt(max(_corner_values(classes)))


def _corner_values(classes: int) -> set[int]:
    """|a|^2 + |a'|^2 - 2 min(0, a'a') at all corners, for equal and for different labels (with |X| = |X'| = 1)."""
    values = set()
    for both, first, second in itertools.product(range(classes), repeat=3):
        used = both + first + second
        if used <= classes - 1:  # one label: `both` classes pull in both records, ...
            a, b = both + first, both + second
            values.add(a * a + a + b * b + b - 2 * min(0, a * b + both))
        if used <= classes - 2:  # two labels; each may be the wrong class that the other record pulls
            for x, y in itertools.product((0, 1), repeat=2):
                a, b = both + first + x, both + second + y
                values.add(a * a + a + b * b + b - 2 * min(0, both - a * y - x * b))
    return values


def _norm_steps(terms: PrivacyTerms) -> tuple[Step, ...]:
    c, r = sp.Integer(terms.classes), terms.radius
    s = sp.Symbol("s", nonnegative=True)
    entries = sp.Matrix([s, 1]) * sp.Matrix([s, 1]).T
    alike = sp.Matrix([c - 1, *([-1] * (terms.classes - 1))])
    other = sp.Matrix([-1, c - 1, *([-1] * (terms.classes - 2))])
    return (
        Step(
            sum((e**2 for e in entries), sp.Integer(0)),
            "=",
            (1 + s**2) ** 2,
            "X = (x, 1)(x, 1)' has Frobenius norm 1 + |x|^2, for |x| = s turned into one coordinate",
        ),
        Step(
            inner(alike - other, alike - other),
            "=",
            2 * c**2,
            "all weights 1 and two labels: |a - a'|^2 = 2 C^2",
        ),
        Step(
            sp.Max(*_corner_values(terms.classes), evaluate=False),
            "=",
            product(2, power(c, 2)),
            "no corner of the weights does better: the largest of all values of |a|^2 + |a'|^2 - 2 min(0, a'a')",
        ),
        Step(
            terms.gradient_sensitivity,
            "=",
            product(total(1, power(r, 2)), root(2), c),
            "Delta = (1 + R^2) sqrt 2 C",
        ),
    )


def _noise_steps(terms: PrivacyTerms, epsilon: sp.Expr) -> tuple[Step, ...]:
    length = sp.Symbol("t", positive=True)
    log_density = -length / terms.noise_scale(epsilon)
    further = log_density.subs(length, length + terms.gradient_sensitivity)
    return (
        Step(epsilon - terms.jacobian, ">", sp.Integer(0), "something is left for the noise"),
        Step(
            log_density - further,
            "=",
            -sp.diff(log_density, length) * terms.gradient_sensitivity,
            "| |b| - |b'| | <= |b - b'| <= Delta: the densities of the two noises differ by a factor of at most this exponent, "
            "the same at all lengths",
        ),
        Step(
            log_density - further + sp.log(_determinants(terms)), "=", epsilon, "noise and Jacobian together"
        ),
    )


def _determinants(terms: PrivacyTerms) -> sp.Expr:
    """det(1 + E/mu) at the largest curvature that one record brings."""
    unit = (1 + terms.radius**2) ** 2 / (2 * terms.width * terms.size * terms.ridge)
    return product(1 + terms.classes * unit, power(1 + unit, terms.classes - 2))


def _jacobian_steps(terms: PrivacyTerms) -> tuple[Step, ...]:
    c, x, t = terms.classes, sp.Symbol("x", real=True), sp.Symbol("t", positive=True)
    gram = sp.eye(c - 1) + sp.ones(c - 1, c - 1)
    return (
        Step(
            determinant(x * sp.eye(c - 1) - gram) if c <= _WRITTEN else (x * sp.eye(c - 1) - gram).det(),
            "=",
            product(x - c, power(x - 1, c - 2)),
            "the directions (e_c - e_y) (x) X/|X| of one record have Gram matrix 1 + 11': eigenvalues C once, 1 the rest",
        ),
        Step(
            determinant(gram * t + sp.eye(c - 1)) if c <= _WRITTEN else (gram * t + sp.eye(c - 1)).det(),
            "=",
            product(1 + c * t, power(1 + t, c - 2)),
            "det(1 + E/mu) where each direction has curvature at most t = |X|^2/(2 h n mu)",
        ),
        Step(applied(sp.log, _determinants(terms)), "=", terms.jacobian, "kappa, the Jacobian's share"),
    )
