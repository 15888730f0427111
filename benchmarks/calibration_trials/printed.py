"""The calibrations as printed and as needed, and the two noises compared, by exact derivations."""

from __future__ import annotations

import sympy as sp

from noiseproof.audit.papers.farokhi2019.arguments.calibrations import (
    deviation_reading,
    error_ratio,
    laplace_epsilon,
)
from noiseproof.symbolic.privacy.guarantees import at_most
from noiseproof.symbolic.privacy.pair import GaussianPair
from noiseproof.symbolic.proof.derivation import Derivation, Step
from noiseproof.symbolic.proof.truth import Truth


def printed_scale(epsilon: sp.Expr, sensitivity: sp.Expr) -> sp.Expr:
    """epsilon/S, as proposition 3 prints the scale."""
    return epsilon / sensitivity


def needed_scale(epsilon: sp.Expr, sensitivity: sp.Expr) -> sp.Expr:
    """S/epsilon, the least scale of epsilon-differentially private Laplace noise (Dwork et al. 2006)."""
    return sensitivity / epsilon


def laplace_private(epsilon: sp.Expr, sensitivity: sp.Expr, scale: sp.Expr) -> Truth:
    """Whether Laplace noise of this scale is epsilon-differentially private, by enclosure of exact constants."""
    return at_most(laplace_epsilon(sensitivity, scale), epsilon)


def printed_scale_region() -> Derivation:
    """With the printed scale the release is epsilon-differentially private if and only if epsilon >= S."""
    eps, s = sp.symbols("epsilon S", positive=True)
    least = laplace_epsilon(s, printed_scale(eps, s))
    steps = (
        Step(least, "=", s**2 / eps, "the exact epsilon of scale epsilon/S"),
        Step(
            least - eps,
            "=",
            (s - eps) * (s + eps) / eps,
            "it exceeds the claimed epsilon exactly where S > epsilon",
        ),
        Step(
            laplace_epsilon(s, needed_scale(eps, s)),
            "=",
            eps,
            "with scale S/epsilon it is the claimed one, always",
        ),
    )
    return Derivation("epsilon-private for the printed scale if and only if epsilon >= S", steps)


def gaussian_delta_of(epsilon: sp.Expr, sensitivity: sp.Expr, variance: sp.Expr) -> sp.Expr:
    """The exact delta at epsilon of normal noise of this variance."""
    return GaussianPair(sensitivity / sp.sqrt(variance)).profile(epsilon)


def gaussian_private(epsilon: sp.Expr, delta: sp.Expr, sensitivity: sp.Expr, variance: sp.Expr) -> Truth:
    """Whether normal noise of this variance is (epsilon, delta)-differentially private, by enclosure of exact constants."""
    return at_most(gaussian_delta_of(epsilon, sensitivity, variance), delta)


def variance_reading() -> Derivation:
    """Noise whose VARIANCE theta is at least S B(epsilon, delta) is (epsilon, delta)-private if theta <= 1."""
    before = deviation_reading()
    share = sp.Symbol("r", nonnegative=True)
    theta = 1 / (1 + share)
    step = Step(
        sp.sqrt(theta) ** 2 - theta**2,
        ">=",
        sp.Integer(0),
        "theta <= 1: the deviation sqrt(theta) is at least theta, hence at least S B",
    )
    return Derivation(
        "theta >= S B(epsilon, delta) is enough for theta <= 1", (*before.steps, step), before.lemmas
    )


def kappa(hidden: sp.Expr, gram: sp.Expr, theta: sp.Expr, power: int = 1) -> sp.Expr:
    """The ratio less one: 1/(1 + 2 q^k A/theta); its supremum over x has the LEAST hidden part."""
    return 1 / (1 + 2 * gram**power * hidden / theta)


def ratio_steps(power: int = 1) -> Derivation:
    """The ratio is 1 + kappa and decreases with the hidden part: the supremum is at its minimum."""
    a = sp.Symbol("A", nonnegative=True)
    q, theta = sp.symbols("q theta", positive=True)
    ratio = error_ratio(a, q, theta, power)
    steps = (
        Step(ratio, "=", 1 + kappa(a, q, theta, power), "the ratio of the two bounds"),
        Step(
            sp.factor(sp.diff(1 + kappa(a, q, theta, power), a)),
            "<",
            sp.Integer(0),
            "it decreases with the hidden part",
        ),
    )
    return Derivation(
        "the supremum of the ratio is at the least hidden part, the infimum at the largest", steps
    )
