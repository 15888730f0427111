"""What (epsilon, delta) says about the error of an adversary who estimates a record: as printed, and for everyone.

Two records at distance D that are (epsilon, delta)-indistinguishable have total variation at most
(e^epsilon - 1 + 2 delta)/(e^epsilon + 1) (Kairouz, Oh and Viswanath 2015); an adversary with an even prior on the two has
the error D^2 E[n(1 - n)], n the posterior probability, and n(1 - n) >= min(n, 1 - n)/2.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ....symbolic.errors import SpecError
from .local_privacy import gaussian_mu, printed_norm


def total_variation(epsilon: float, delta: float) -> float:
    """The largest total variation between neighbours of an (epsilon, delta)-private release."""
    if not (np.isfinite(epsilon) and epsilon >= 0 and 0 <= delta < 1):
        raise SpecError(f"expected epsilon >= 0 and delta in [0, 1), got {epsilon} and {delta}")
    return float(np.tanh(epsilon / 2) + delta * (1 - np.tanh(epsilon / 2)))


def two_point_error(epsilon: float, delta: float, distance: float) -> float:
    """D^2 (1 - delta)/(2 (1 + e^epsilon)): the error that every adversary, biased or not, has on one of two records D apart.

    Holds for every (epsilon, delta)-locally private release; D is at most the diameter of the domain.
    """
    return float(distance**2 * (1 - total_variation(epsilon, delta)) / 4)


def printed_error(weight: ArrayLike, epsilon: float, delta: float) -> float:
    """Tr(Pi^{1/2}) |Pi^{1/4}|_{inf,2}^2 (1 + sqrt(2 ln(1/delta)))^2/epsilon^2, as claimed for (epsilon, delta)-private normal noise.

    It is Tr(Pi I^{-1}) of the noise for which the condition of Theorem 2.5 holds with equality.
    """
    if not (epsilon > 0 and 0 < delta < 1):
        raise SpecError(f"expected epsilon > 0 and delta in (0, 1), got {epsilon} and {delta}")
    roots = np.sqrt(np.linalg.eigvalsh(np.atleast_2d(np.asarray(weight, dtype=float))))
    return float(
        roots.sum() * printed_norm(weight, 1.0) ** 2 * (1 + np.sqrt(-2 * np.log(delta))) ** 2 / epsilon**2
    )


def least_gaussian_error(weight: ArrayLike, epsilon: float, delta: float) -> float:
    """The same error for the least noise of Theorem 2.4 that IS (epsilon, delta)-locally private on the unit box, by the exact curve.

    Smaller than `printed_error` wherever the printed condition asks for more noise than needed.
    """
    roots = np.sqrt(np.linalg.eigvalsh(np.atleast_2d(np.asarray(weight, dtype=float))))
    # lambda^{1/4} |Pi^{1/4}| = mu, and Tr(Pi I^{-1}) = Tr(Pi^{1/2})/sqrt(lambda).
    return float(roots.sum() * (printed_norm(weight, 1.0) / gaussian_mu(epsilon, delta)) ** 2)
