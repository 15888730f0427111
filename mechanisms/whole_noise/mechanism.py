"""Discrete noise on whole numbers as a mechanism: two neighbouring vectors, law and code side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...symbolic.arrays import Floats
from ...symbolic.errors import SpecError
from ...symbolic.laws.vector import OutcomeLaw
from ..additive import positive
from ..grid_noise.secure_bits import seeded_bits
from ..mechanism import Mechanism, WorstCase
from .gaussian import DiscreteGaussian
from .laplace import DiscreteLaplace
from .noise import DiscreteNoise, exactly
from .outcome import WholeOutcome
from .pair import WholePair

_LARGEST = 1 << 52  # of a centre, so that outcomes are doubles


class DiscreteNoiseMechanism(Mechanism):
    """Adds independent discrete noise to a vector of integers; its neighbours are the two vectors that are given.

    `noise` is one law for all entries, or one law for each of them; `first` and `second` are integers (d,) below 2^52, not
    equal. Outcomes are (size, d). SpecError for anything else.

    >>> counts = npf.DiscreteNoiseMechanism(npf.DiscreteLaplace(scale=2), first=[10, 4], second=[11, 4])
    >>> npf.examine(counts, npf.Claim(npf.PureDP(0.5), about="law")).verdict
    Verdict.PROVED
    """

    name = "discrete-noise"
    summary = "adds exact discrete Gaussian or Laplace noise to whole numbers"

    def __init__(
        self, noise: DiscreteNoise | Sequence[DiscreteNoise], first: Sequence[int], second: Sequence[int]
    ) -> None:
        self.first, self.second = _vector("first", first), _vector("second", second)
        if len(self.first) != len(self.second) or not self.first:
            raise SpecError(
                f"first and second need the same number of entries, at least one, got {len(self.first)} and {len(self.second)}"
            )
        self.noises = (noise,) * len(self.first) if isinstance(noise, DiscreteNoise) else tuple(noise)
        if len(self.noises) != len(self.first) or not all(isinstance(n, DiscreteNoise) for n in self.noises):
            raise SpecError(
                f"noise must be one DiscreteGaussian or DiscreteLaplace, or one for each of the {len(self.first)} entries, got {noise!r}"
            )
        if self.first == self.second:
            raise SpecError(
                "first and second are equal, which no release can tell apart: give two neighbours"
            )
        self.dimension = len(self.first)

    def parameters(self) -> dict[str, Any]:
        return {
            "noises": [n.parameters() for n in self.noises],
            "first": list(self.first),
            "second": list(self.second),
        }

    def _entries(self, data: ArrayLike) -> tuple[int, ...]:
        entries = _vector(f"the input of {self.name}", np.atleast_1d(np.asarray(data)))
        if len(entries) != self.dimension:
            raise SpecError(f"{self.name} expects {self.dimension} whole numbers, got {len(entries)}")
        return entries

    def law(self, data: Any) -> OutcomeLaw:
        return WholeOutcome(self.noises, self._entries(data))

    def release(self, data: Any, size: int, rng: np.random.Generator) -> Floats:
        bits = seeded_bits(rng)
        out = np.empty((size, self.dimension))
        for j, (noise, centre) in enumerate(zip(self.noises, self._entries(data), strict=True)):
            # The sum is of whole numbers; what leaves the doubles is no outcome that statistics could tell apart.
            out[:, j] = noise.draw(size, bits) + centre
        return out

    def neighbours(self) -> tuple[tuple[Any, Any], ...]:
        return ((np.array(self.first), np.array(self.second)),)

    def worst_case(self) -> WorstCase:
        spans = [abs(a - b) for a, b in zip(self.first, self.second, strict=True)]
        counts = Counter((noise, span) for noise, span in zip(self.noises, spans, strict=True) if span)
        # By the widest first: it is the one that a profile of one column would be of.
        columns = sorted(
            ((noise, span, n) for (noise, span), n in counts.items()),
            key=lambda c: (c[0].rate, c[1]),
            reverse=True,
        )
        return WorstCase(
            WholePair(tuple(columns)),
            lemmas=(
                "the law of the noise is symmetric, and entries that are equal say nothing: only distances count",
                "entries are independent: their losses, and their Renyi divergences, add up",
            ),
        )

    def with_noise_divided_by(self, factor: float) -> DiscreteNoiseMechanism:
        by = exactly("factor", positive("factor", factor, "by which the noise is divided"))
        return DiscreteNoiseMechanism([_divided(n, by) for n in self.noises], self.first, self.second)


def _divided(noise: DiscreteNoise, by: Any) -> DiscreteNoise:
    if isinstance(noise, DiscreteGaussian):
        return DiscreteGaussian(noise.proxy / by**2)
    assert isinstance(noise, DiscreteLaplace)
    return DiscreteLaplace(noise.scale / by)


def _vector(name: str, values: Any) -> tuple[int, ...]:
    entries = np.asarray(values)
    whole = entries.ndim == 1 and (
        np.issubdtype(entries.dtype, np.integer)
        or (np.issubdtype(entries.dtype, np.floating) and bool((entries == np.rint(entries)).all()))
    )
    if not whole or (entries.size and int(np.abs(entries.astype(float)).max()) > _LARGEST):
        raise SpecError(f"{name} must be a list of whole numbers below 2^52, got {values!r}"[:400])
    return tuple(int(v) for v in entries)
