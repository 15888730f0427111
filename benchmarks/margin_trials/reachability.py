"""Which outputs of the printed mechanism a data set can have: one noise for all classes leaves a trace of the data in the output.

If Phi minimises J + sum_c <b, Phi_c> over positive semidefinite matrices, then with G_c the gradients of the loss and
M = lambda I_Phi + (b + b')/2 positive definite: M + G_c >= 0 and (M + G_c) Phi_c = 0.  Without b this says
Phi_c (G_c - G_e) Phi_e = 0 for all classes c and e, Phi_c (G_e - G_c) Phi_c >= 0, and Phi_c G_c Phi_c <= 0.  The first is an
equality between data and output that a neighbour breaks: such an output tells the two apart for certain.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from margin_trials.existence import definite
from margin_trials.perturbed import PrintedPerturbation, printed_noise
from noiseproof.audit.trial.attack.event_bound import clopper_pearson
from noiseproof.mechanisms.large_margin import Huber, Objective
from noiseproof.symbolic.arrays import Floats, Ints
from noiseproof.symbolic.errors import SpecError
from noiseproof.symbolic.programs.symmetric import coordinates, matrices

Sample = tuple[Floats, Ints]

# Outputs come from a solver to about 1e-8; a neighbour's condition is missed by 1e-2 or so.
TOLD = 1e-3


def violation(phi: Floats, sample: Sample, width: float = 0.5, margin: float = 0.0) -> float:
    """By how much output (C, k, k) misses the three conditions for (features, numbers of classes), 0 for a possible output.

    Classes whose matrices are 0 up to rounding have no condition; the others are scaled to length 1.
    """
    c = len(phi)
    objective = Objective.of(sample[0], sample[1], c, Huber(width, margin), 0.0)
    gradients = matrices(objective.gradient(coordinates(phi)))
    lengths = np.linalg.norm(phi, axis=(1, 2))
    used = [i for i in range(c) if lengths[i] > 1e-4]
    unit = {i: phi[i] / lengths[i] for i in used}
    worst = 0.0
    for i in used:
        worst = max(worst, float(np.linalg.eigvalsh(unit[i] @ gradients[i] @ unit[i])[-1]))
        for j in range(c):
            difference = gradients[j] - gradients[i]
            worst = max(worst, -float(np.linalg.eigvalsh(unit[i] @ difference @ unit[i])[0]))
            if j in unit and j != i:
                worst = max(worst, float(np.linalg.norm(unit[i] @ difference @ unit[j])))
    return worst


@dataclass(frozen=True)
class Distinguisher:
    """Of `outputs` under the first data set `told` are impossible under the second, and of as many under that, `mistaken` are.

    Rates are among noises that leave a minimiser; `low` and `high` bound the two rates, each from its side, together with
    error `alpha`.  `residual` is the largest violation of the second data set's own outputs: the solver's.
    """

    epsilon: float
    outputs: int
    told: int
    mistaken: int
    low: float
    high: float
    residual: float

    @property
    def loss(self) -> float:
        """ln(low/high): a lower bound on epsilon by counting alone; without end as outputs grow, since `mistaken` stays 0."""
        return float(np.log(self.low / self.high)) if self.low > 0 else 0.0


def distinguish(
    one: Sample,
    two: Sample,
    classes: int,
    epsilon: float,
    price: float = 1.0,
    outputs: int = 100,
    seed: int = 0,
    alpha: float = 0.05,
    width: float = 0.5,
    margin: float = 0.0,
) -> Distinguisher:
    """Counts outputs under each data set that the second cannot have: never more than solver noise under the second."""
    if len(one[0]) != len(two[0]):
        raise SpecError(
            f"neighbours have equal size, got {len(one[0])} and {len(two[0])} records: replace one record"
        )
    if outputs < 1:
        raise SpecError(f"expected at least one output, got {outputs}")
    mechanism = PrintedPerturbation(price, width, margin)
    rng = np.random.default_rng(seed)
    found = []
    for sample in (one, two):
        seen: list[float] = []
        while len(seen) < outputs:
            noise = printed_noise(sample[0].shape[1], epsilon, 4 * outputs, rng)
            for b in noise[definite(noise, price)][: outputs - len(seen)]:
                phi = mechanism.minimise(*sample, b, range(classes)).phi
                seen.append(violation(phi, two, width, margin))
        found.append(np.array(seen))
    told, mistaken = (int((v > TOLD).sum()) for v in found)
    low, high = (clopper_pearson(told, outputs, alpha)[0], clopper_pearson(mistaken, outputs, alpha)[1])
    return Distinguisher(epsilon, outputs, told, mistaken, low, high, float(found[1].max()))
