"""A uniform number known bit by bit, compared with numbers that can be enclosed as finely as needed: an exact answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from flint import ctx

from ..grid_noise.secure_bits import Bits

Answer = TypeVar("Answer")

_MOST_WORDS = 64  # an honest source leaves a comparison open this long with a probability below 2^-4000
_SPARE_BITS = 64  # of the balls beyond those of the number


class Uniform:
    """A number in [0, 1) of which the first bits are known: [known, known + 1) / 2^places; more come from `bits`."""

    def __init__(self, known: int, bits: Bits, places: int = 64) -> None:
        self.known, self.places, self._bits = known, places, bits

    def refine(self) -> None:
        """64 more places; RuntimeError where the source cannot be one of random words."""
        if self.places >= 64 * _MOST_WORDS:
            raise RuntimeError(
                f"{self.places} bits did not settle a comparison: the source of random words is broken"
            )
        self.known = (self.known << 64) | int(self._bits(1)[0])
        self.places += 64


def decided(uniform: Uniform, answer: Callable[[int, int], Answer | None]) -> Answer:
    """answer(known, places), asked with ever more places until it is not None, in a precision that grows with them."""
    while True:
        with ctx.workprec(uniform.places + _SPARE_BITS):
            found = answer(uniform.known, uniform.places)
        if found is not None:
            return found
        uniform.refine()
