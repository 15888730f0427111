"""RON-Gauss under audit: two tables of two records at the projection, scales and grids of the release."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....mechanisms.black_box import BlackBox
from ....mechanisms.grid_noise import Bits, grid_laplace, seeded_bits
from ....mechanisms.mutant import Mutant
from ....mechanisms.ron_gauss.normalisation import renormalised
from ....symbolic.arrays import Floats
from ....symbolic.claim import Claim, Scope
from ....symbolic.privacy.guarantees import PureDP
from ....symbolic.proof.enclosure import rational
from .ron_gauss_noise import RonGaussNoise
from .ron_gauss_sums import GridRonGauss, GridRonGaussSupervised, sum_of_products, sum_of_records

RECORDS = 2  # of the tables under audit: the noise is on sums, and does not depend on their number
# The neighbours may reach no more than half of the loss at a drawn projection: a control has a quarter of the noise.
CONTROL = 4.0


def subject_of(noise: RonGaussNoise) -> Any:
    """The release of a table of two records, one of them replaced, as a subject: law and code side by side."""
    m, p = noise.projection.shape
    first, second = (rational(s.noise.parameter) / RECORDS for s in noise.sums)
    made: Any
    if noise.labelled:
        made = GridRonGaussSupervised(
            m, p, RECORDS, 1.0, first, second, symmetric=True, projection=noise.projection
        )
    else:
        made = GridRonGauss(m, p, RECORDS, first, second, symmetric=True, projection=noise.projection)
    made.sums = noise.sums
    return made


def ron_gauss_trials(noise: RonGaussNoise, scope: Scope) -> tuple[Claim, ...]:
    """The guarantee of one record at the declared neighbours, and a control with a quarter of the noise."""
    one = PureDP(noise.epsilon / noise.group)
    tried = subject_of(noise)
    if noise.relation == "replace-one":
        subject, weaker = tried, Mutant.noise_divided_by(tried, CONTROL)
    else:
        subject, weaker = _added(noise, tried)
    said = "as released" if noise.group == 1 else "one record of the unit"
    return (
        Claim(one, subject, scope, title=f"{said}: {one.sentence()}"),
        Claim(
            one, weaker, scope, expect="falls", title=f"control: {one.sentence()} with a quarter of the noise"
        ),
    )


def _added(noise: RonGaussNoise, subject: Any) -> tuple[Any, Any]:
    """Two records against one: the law of such a pair is not derived here, its code is attacked."""
    both = subject.neighbours()[0][0]
    inputs = (both, both[1:])

    def release(data: Any, size: int, rng: np.random.Generator, factor: float = 1.0) -> Floats:
        bits = seeded_bits(rng)
        return np.stack([_moments(noise, data, bits, factor) for _ in range(size)])

    def weak(data: Any, size: int, rng: np.random.Generator) -> Floats:
        return release(data, size, rng, CONTROL)

    return (
        BlackBox(release, inputs, name="ron-gauss on a grid, a record added"),
        BlackBox(weak, inputs, name="ron-gauss on a grid, a record added, a quarter of the noise"),
    )


def _moments(noise: RonGaussNoise, data: Any, bits: Bits, factor: float) -> Floats:
    """Noisy count, mean and second moments of a small table, computed as the release computes them."""
    assert noise.size_noise is not None  # a number of records that changes is private
    count = grid_laplace(noise.size_noise.parameter / factor, noise.size_noise.exponent)
    sums = [s.weakened(factor) for s in noise.sums]
    rows = np.asarray(data, dtype=float)
    unit, labels = (rows[:, :-1], rows[:, -1:]) if noise.labelled else (rows, rows[:, :0])
    size = max(1.0, len(unit) + float(count.draw(1, bits)[0]))
    mean = sums[0].release(sum_of_records(unit), bits) / size
    projected = np.hstack([renormalised(unit, mean) @ noise.projection, labels])
    triangle = np.triu_indices(projected.shape[1])
    return np.concatenate([[size], mean, sums[1].release(sum_of_products(projected)[triangle], bits) / size])
