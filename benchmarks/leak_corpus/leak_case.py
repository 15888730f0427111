"""One leak_case: a small service, the way in which it leaks who is in its data, and its sound twin.

The secret is a bit d.  A service writes outcomes from what it is *told* of the bit: the leak and the sound twin are the same
service told differently, or, where the leak is no matter of telling, two services.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

Rng = np.random.Generator
# What is told of the bit: a bit, or a number near it.
Tell = Callable[[int, Rng], float]
# A service writes one outcome from what it is told.
Service = Callable[[float, Rng], Any]
Release = Callable[[int, Rng], Any]

EPSILON = 1.0  # what every service claims
Leak = Literal["clear", "rarely", "weak", "shared", "length", "order", "absence"]


@dataclass(frozen=True)
class LeakCase:
    """`leak(d, rng)` and `twin(d, rng)` write one outcome; `shows` is the share of outcomes in which the leak shows.

    `seen`: whether a person sees the leak in twenty pairs of outcomes.  `epsilon` is the claim, which the twin keeps.
    """

    name: str
    kind: Leak
    leak: Release
    twin: Release
    shows: float = 1.0
    seen: bool = True
    epsilon: float = EPSILON

    def release(self, leaky: bool) -> Callable[[int, int, Rng], list[Any]]:
        """`release(d, size, rng)` as a black box has it."""
        one = self.leak if leaky else self.twin
        return lambda d, size, rng: [one(d, rng) for _ in range(size)]


def in_clear(d: int, rng: Rng) -> float:
    """The bit itself."""
    return d


def answered(epsilon: float) -> Tell:
    """The bit by randomised response, exactly epsilon-private."""
    truth = 1 / (1 + np.exp(-epsilon))
    return lambda d, rng: d if rng.random() < truth else 1 - d


def noised(epsilon: float) -> Tell:
    """The bit plus Laplace noise of scale 1/epsilon, exactly epsilon-private."""
    return lambda d, rng: d + rng.laplace(0.0, 1 / epsilon)


def nothing(d: int, rng: Rng) -> float:
    """A fair coin."""
    return float(rng.integers(2))


SOUND = answered(EPSILON)
SOUND_NUMBER = noised(EPSILON)
WEAK_NUMBER = noised(5.0)


def leak_case(
    name: str,
    kind: Leak,
    service: Service,
    told: Tell = in_clear,
    sound: Tell = SOUND,
    *,
    shows: float = 1.0,
    seen: bool = True,
) -> LeakCase:
    """A service whose leak is what it is told."""
    return LeakCase(
        name,
        kind,
        lambda d, rng: service(told(d, rng), rng),
        lambda d, rng: service(sound(d, rng), rng),
        shows,
        seen,
    )


def rarely(name: str, usual: Service, slip: Service, share: float, *, seen: bool = False) -> LeakCase:
    """A service that writes another outcome in a share of all cases, with the bit in clear; its twin writes it as often, soundly."""

    def told(tell: Tell) -> Release:
        return lambda d, rng: slip(tell(d, rng), rng) if rng.random() < share else usual(SOUND(d, rng), rng)

    return LeakCase(name, "rarely", told(in_clear), told(SOUND), share, seen)


def weakly(name: str, service: Service) -> LeakCase:
    """A service of numbers with a fifth of the noise that it needs."""
    return leak_case(name, "weak", service, WEAK_NUMBER, SOUND_NUMBER, seen=False)
