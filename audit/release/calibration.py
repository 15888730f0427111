"""From the limits of a policy to the noise: closed forms of the continuous laws first, then the exact law on the grid."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import ClassVar, Protocol, Self, TypeVar

from ...mechanisms.grid_noise import GridNoise, default_exponent
from ...symbolic.errors import SpecError
from .grid_figures import error_bound
from .limits import by_column
from .not_met import PolicyNotMetError
from .policy import Policy


class Sized(Protocol):
    """What is asked of noise that is calibrated: its law by size, and the limits that it does not meet."""

    name: ClassVar[str]

    @classmethod
    def noise(cls, size: float, exponent: int) -> GridNoise:
        """The law of one column."""
        ...

    @classmethod
    def sizes_of_privacy(cls, policy: Policy) -> tuple[float, ...] | None:
        """Sizes that meet the limits on epsilon, delta and rho, about; None without such limits."""
        ...

    @classmethod
    def size_of_information(cls, information: float) -> float:
        """The size whose continuous law has this Fisher information."""
        ...

    @classmethod
    def with_sizes(cls, policy: Policy, sizes: tuple[float, ...]) -> Self:
        """The mechanism with these sizes."""
        ...

    def needs_more_noise(self) -> tuple[str, ...]:
        """One sentence for each limit that more noise would meet."""
        ...


Kind = TypeVar("Kind", bound=Sized)

_DIGITS = 7
_GROWTH = 1.002  # a step by which noise is raised where the grid needs more than the continuous law
_STEPS = 60
_WIDEST = 64.0
_HALVINGS = 9
_COARSER = 3  # the search is on a grid eight times as coarse: a bound depends on it little


def calibrated(kind: type[Kind], policy: Policy) -> Kind:
    """About the least noise that meets epsilon, delta, rho, information and error: within half a percent of each need.

    Needs that are shared by several numbers are shared alike: each number gets noise in proportion to its interval.
    PolicyNotMetError if no noise of this kind meets them, or if it breaks a limit on usefulness.
    """
    try:
        needs = [
            s
            for s in (kind.sizes_of_privacy(policy), _of_information(kind, policy), _of_error(kind, policy))
            if s
        ]
    except ArithmeticError:
        raise SpecError(
            "the limits and the declared intervals lie so far apart that no double holds the noise they ask for",
            key="limits",
            file=policy.file,
        ) from None
    if not needs:
        if policy.model.limits.epsilon is not None:
            said = f"{kind.name} noise has no finite epsilon with delta = 0: set limits.delta, or take Laplace noise"
            raise SpecError(said, key="limits.epsilon", file=policy.file)
        raise SpecError(
            "calibration needs a limit on epsilon, rho, information or error; utility alone asks for no noise",
            key="limits",
            file=policy.file,
        )
    sizes = tuple(_up(max(column)) for column in zip(*needs, strict=True))
    for _ in range(_STEPS):
        made = kind.with_sizes(policy, sizes)
        short = made.needs_more_noise()
        if not short:
            return made
        sizes = tuple(_up(s * _GROWTH) for s in sizes)
    raise PolicyNotMetError(f"no {kind.name} noise was found that meets the limits", *short)


def _of_information(kind: type[Sized], policy: Policy) -> tuple[float, ...] | None:
    limit = policy.model.limits.information
    if limit is None:
        return None
    return tuple(kind.size_of_information(float(most)) for most in policy.per_number(limit))


def _of_error(kind: type[Sized], policy: Policy) -> tuple[float, ...] | None:
    """Sizes whose bound on the grid is the error asked for, shared by several numbers in proportion to their squared widths."""
    limit, length = policy.model.limits.error, policy.widths
    if limit is None:
        return None
    out = [0.0] * len(length)
    for column, asked, places in by_column(policy, limit):
        whole = math.fsum(length[j] ** 2 for j in places)
        ratio, most = _ratio_of_error(kind, asked / whole)
        if ratio is None:
            about = f" about {column}" if column else ""
            raise PolicyNotMetError(
                f"an error of {asked:g}{about} is asked for, but whatever the noise, no bound above {most * whole:.6g} is known for the "
                "declared intervals: ask for less, or declare more widely what an adversary does not know"
            )
        for j in places:
            out[j] = ratio * length[j]
    return tuple(out)


@lru_cache(maxsize=256)
def _ratio_of_error(kind: type[Sized], share: float) -> tuple[float | None, float]:
    """The size on an interval of length 1 whose bound is `share`, about; None, and the largest bound, if there is none."""

    def bound(size: float) -> float:
        noise = kind.noise(size, default_exponent(size) + _COARSER)
        return float(error_bound(noise, math.floor(1 / noise.step)).value or 0)

    # The van Trees bound 1/(information + 4 pi^2) is a first guess from above.
    information = 1 / share - 4 * math.pi**2
    high = kind.size_of_information(information) if information > 0 else 1.0
    while bound(high) < share:
        if high > _WIDEST:
            return None, bound(high)
        high *= 2
    low = high / 2
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if bound(middle) < share else (low, middle)
    return high, share


def _up(value: float) -> float:
    """The value rounded up to seven digits, so that it can be read and typed."""
    places = _DIGITS - 1 - math.floor(math.log10(value))
    rounded = float(f"{value:.{_DIGITS - 1}e}")
    return rounded if rounded >= value else float(f"{rounded + 10.0**-places:.{_DIGITS - 1}e}")
