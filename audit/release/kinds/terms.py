"""The terms of a release: all that its manifest and its calibration say of the mechanism, in numbers and words."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ..manifest import ColumnNoise, ErrorFigure, StatedGuarantee
from ..policy import Policy


@dataclass(frozen=True, eq=False)
class Terms:
    """Public data alone.

    `parameters`: all numbers of the mechanism.  `columns`: what is done to each private number.  `guarantees`: what is kept
    of one unit of privacy; what is not kept is said too.  `adjacency`: which pairs of tables they speak of.
    `does_not_mean`: what a reader must not take from them.  `error_bounds`: mean squared errors that no adversary of the
    named kind gets below.  `utility`: measures that follow from the law alone, and so cost nothing; None: they would need
    the data.  `lines`: what `calibrate` says in place of the columns' noise.
    """

    parameters: dict[str, Any]
    columns: tuple[ColumnNoise, ...]
    guarantees: tuple[StatedGuarantee, ...]
    adjacency: str
    does_not_mean: tuple[str, ...]
    error_bounds: tuple[ErrorFigure, ...] = ()
    utility: dict[str, Any] | None = None
    lines: tuple[str, ...] = ()

    @property
    def published_utility(self) -> dict[str, Any] | str:
        """The measures of usefulness, or the word for their absence."""
        return "withheld" if self.utility is None else self.utility


def columns_of(
    policy: Policy, laws: Iterable[dict[str, Any]], exponents: Iterable[int] | None = None
) -> tuple[ColumnNoise, ...]:
    """Each private number with its law and the exponent of its grid, if there is one."""
    steps = [None] * len(policy.numbers) if exponents is None else exponents
    return tuple(
        ColumnNoise(n.name, n.unit, n.low, n.high, law, step)
        for n, law, step in zip(policy.numbers, laws, steps, strict=True)
    )


def by_name(policy: Policy, values: Iterable[Any]) -> dict[str, Any]:
    """One value for each private number, by its name."""
    return {n.name: value for n, value in zip(policy.numbers, values, strict=True)}


def never_pure(reason: str) -> StatedGuarantee:
    """What is said where no epsilon is finite with delta = 0."""
    return StatedGuarantee("none", f"not differentially private with delta = 0 at any epsilon: {reason}")


def squared(unit: str) -> str:
    """The unit of a squared error."""
    return f"({unit})^2" if unit else ""
