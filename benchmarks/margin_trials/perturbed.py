"""The objective perturbed as Pathak and Raj (2010) print it: one noise matrix for all classes, density ~ exp(-(epsilon/2)|b|).

Its minimiser exists only if lambda I_Phi + (b + b')/2 is positive semidefinite, and does if that is positive definite:
moving all Phi_c by one D leaves every margin where it is and costs <lambda I_Phi + b, C D>.  Since the noise is symmetric around
0, the corner b_kk alone spoils half of all draws.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from noiseproof.mechanisms.additive import positive, whole
from noiseproof.mechanisms.large_margin.conic import conic_solution
from noiseproof.mechanisms.large_margin.first_order import first_order_solution
from noiseproof.mechanisms.large_margin.huber import Huber
from noiseproof.mechanisms.large_margin.objective import Objective
from noiseproof.mechanisms.large_margin.solution import Solution
from noiseproof.mechanisms.large_margin.symmetric import coordinates
from noiseproof.mechanisms.large_margin.training import in_unit_ball, labelled
from noiseproof.symbolic.arrays import Floats


class Minimiser(Enum):
    """What is known of the minimiser of the perturbed objective over positive semidefinite matrices."""

    EXISTS = "it exists"
    NONE = "none: the objective has no lower bound"
    UNKNOWN = "at the boundary: bounded below, attained or not"


def minimiser_exists(noise: ArrayLike, price: float) -> Minimiser:
    """Whether a minimiser exists for noise (k, k), decided in rational arithmetic; the data do not matter.

    A positive definite matrix bounds the level sets; a direction in which it is negative leads down without end.
    """
    b = np.asarray(noise, dtype=float)
    if b.ndim != 2 or b.shape[0] != b.shape[1] or not np.all(np.isfinite(b)):
        raise ValueError(f"the noise must be a square matrix of finite numbers, got shape {b.shape}")
    k, cost = len(b), Fraction(positive("price", price, "lambda, the price of the traces"))
    rows = [[(Fraction(b[i, j]) + Fraction(b[j, i])) / 2 for j in range(k)] for i in range(k)]
    for i in range(k - 1):
        rows[i][i] += cost
    # Symmetric elimination: pivots of one sign say definite; a zero pivot with a nonzero row is a negative direction.
    flat = False
    for i in range(k):
        pivot = rows[i][i]
        if pivot < 0 or (pivot == 0 and any(rows[i][j] for j in range(i + 1, k))):
            return Minimiser.NONE
        if pivot == 0:
            flat = True
            continue
        for r in range(i + 1, k):
            factor = rows[r][i] / pivot
            for j in range(i, k):
                rows[r][j] -= factor * rows[i][j]
    return Minimiser.UNKNOWN if flat else Minimiser.EXISTS


def printed_noise(d: int, epsilon: float, size: int, rng: np.random.Generator) -> Floats:
    """Noise matrices (size, d + 1, d + 1) by the paper's recipe: |b| ~ Gamma((d + 1)^2, scale 2/epsilon), any direction."""
    k = whole("d", d) + 1
    scale = 2 / positive("epsilon", epsilon, "the privacy parameter")
    direction = rng.standard_normal((size, k, k))
    direction /= np.sqrt((direction**2).sum(axis=(1, 2), keepdims=True))
    return np.asarray(direction * rng.gamma(k * k, scale, size)[:, None, None])


@dataclass(frozen=True)
class PrintedPerturbation:
    """min J(Phi) + sum_c <b, Phi_c> over positive semidefinite Phi_c, J with a sum over records (paper, equation 8).

    The loss is the Huber loss as it must read, with the margin given (equation 6 has 0).
    """

    price: float
    width: float = 0.5
    margin: float = 0.0

    def minimise(
        self, features: ArrayLike, labels: ArrayLike, noise: ArrayLike, classes: ArrayLike | None = None
    ) -> Solution:
        """The minimiser for records (n, d) of the unit ball; ArithmeticError where there is none.

        `classes` are declared, or else read off the labels, which says itself which of them occur.
        """
        x, number, known = labelled(features, labels, classes)
        x = in_unit_ball(x)
        b = np.asarray(noise, dtype=float)
        if b.shape != (x.shape[1] + 1,) * 2:
            raise ValueError(
                f"records of {x.shape[1]} features need noise of order {x.shape[1] + 1}, got {b.shape}"
            )
        found = minimiser_exists(b, self.price)
        if found is not Minimiser.EXISTS:
            raise ArithmeticError(
                f"the perturbed objective has no minimiser to release: lambda I_Phi + b is not positive definite ({found.value})"
            )
        base = Objective.of(x, number, len(known), Huber(self.width, self.margin), self.price)
        tilted = replace(base, tilt=np.tile(coordinates(b), (len(known), 1)))
        try:
            return conic_solution(tilted)
        except ArithmeticError:
            # Where lambda I_Phi + b is nearly singular the interior point method can break down.
            return first_order_solution(tilted)
