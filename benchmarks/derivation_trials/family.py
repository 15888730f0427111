"""What is known of a textbook family before anything is derived: its density, and its Fisher information at two points."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from mpmath import mpf

Matrix = list[list[mpf]]
Kind = Literal["closed", "enclosed", "irregular"]


@dataclass(frozen=True)
class Family:
    """A family of laws of `y`; matrices are in the order of `parameters`, `numbers` has one for each of `points`.

    `truth` is a formula from the literature, None without one.  `numbers` has 25 digits, found without `truth`.
    A vector has no `density`: `vector` describes its law.  `atoms` are points outside of `support` with mass, (place, mass).
    """

    name: str
    density: str | None
    support: tuple[int | str, ...]
    parameters: dict[str, str]
    discrete: bool
    kind: Kind
    truth: Callable[..., Matrix] | None
    points: tuple[dict[str, str], ...]
    numbers: tuple[list[list[str]], ...]
    source: str
    vector: str = ""
    reason: str = ""
    atoms: tuple[tuple[str, str], ...] = ()
