"""By how much the noise of a control is divided: enough for the attack to find it, not much more."""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from ...mechanisms.mechanism import Mechanism
from ...symbolic.guarantees import Guarantee
from ...symbolic.predicates import Predicate
from ..errors import SpecError

LARGEST_FACTOR = 4.0
EXACT_FACTOR = 1.01
# The best yes/no event keeps 40 % (squared cosine) to 100 % (Laplace) of the Fisher information of a
# release: four times the information stands out through any of them.
INFORMATION_FACTOR = 2.0
DRAWS = 50_000


def automatic_factor(
    mechanism: Mechanism, predicate: Predicate, about: str, samples: int, alpha: float
) -> float:
    """A factor > 1 whose control must fall: 1 % if the law decides, else 1.5 times the detectable excess."""
    if about == "law":
        return EXACT_FACTOR
    if not isinstance(predicate, Guarantee):
        return INFORMATION_FACTOR
    low, high = 1.0, LARGEST_FACTOR
    wanted = float(-special.ndtri(alpha / 100) - special.ndtri(0.05))
    if _separation(mechanism, predicate, high, samples) < wanted:
        raise SpecError(
            f"with {samples} samples not even noise divided by {LARGEST_FACTOR:g} would be found: the claim "
            "is far from tight or the samples are few; give a number, a tighter control, or more samples",
            key="noise_factor",
        )
    while high - low > 0.002:
        middle = (low + high) / 2
        low, high = (
            (low, middle) if _separation(mechanism, predicate, middle, samples) >= wanted else (middle, high)
        )
    return math.ceil(100 * (1 + 1.5 * (high - 1))) / 100


def _separation(mechanism: Mechanism, guarantee: Guarantee, factor: float, samples: int) -> float:
    """Standard errors by which the best event breaks the claimed curve, half the samples certifying."""
    louder = mechanism.with_noise_divided_by(factor)
    curve, best = guarantee.curve(), -math.inf
    for one, two in louder.neighbours():
        for x, z in ((one, two), (two, one)):
            law = louder.law(x)
            y = law.sample(DRAWS, np.random.default_rng(0))
            with np.errstate(divide="ignore"):
                loss = law.log_density(y) - louder.law(z).log_density(y)
            for epsilon in np.unique(
                np.quantile(loss[np.isfinite(loss)], np.linspace(0.02, 0.999, 40)).clip(min=0)
            ):
                # Shifted a little below the quantile so that an atom of the loss stays inside the event.
                event = loss > epsilon - 1e-9
                p = float(np.mean(event))
                q = float(np.mean(np.where(event, np.exp(-loss), 0.0)))
                scale = math.exp(min(epsilon, 300.0))
                spread = math.sqrt((p * (1 - p) + scale**2 * q * (1 - q)) * 2 / samples)
                if spread > 0:
                    best = max(best, (p - scale * q - float(curve(epsilon))) / spread)
    return best
