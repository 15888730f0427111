"""The interface of everything that can be audited.

A `Mechanism` says two independent things: the law that its outcomes are meant to have (`law`) and the code
that releases (`release`).  Neither is computed from the other; whether they agree is what an audit finds out.
"""

from __future__ import annotations

import inspect
import reprlib
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import sympy as sp

from ..symbolic.arrays import Floats
from ..symbolic.claim import Scope
from ..symbolic.information.fisher import Information
from ..symbolic.laws.vector import OutcomeLaw
from ..symbolic.privacy.pair import Pair
from ..symbolic.proof.derivation import Step

_SHORT = reprlib.Repr()
_SHORT.maxlist = _SHORT.maxtuple = 3


@dataclass(frozen=True)
class WorstCase:
    """The pair of output laws that is hardest to hide, over all neighbours, and the steps that say so.

    `pair` is attained by neighbours, so a guarantee that fails on it is refuted; `dominating` bounds the pairs of
    all neighbours, so a guarantee that holds on it is proved.  None: the attained pair dominates itself.
    """

    pair: Pair
    dominating: Pair | None = None
    steps: tuple[Step, ...] = ()
    lemmas: tuple[str, ...] = ()


class Subject(ABC):
    """An indexed family of outcomes, `sample(index, size, rng)`, and what is known of it: by default nothing is."""

    name: str
    summary: str
    deterministic: bool = True  # whether equal generators give equal outcomes
    dimension: int = 1  # of an input
    coordinatewise: bool = (
        False  # whether the i-th number of an outcome depends on the i-th of the input alone
    )
    domain: tuple[Floats, Floats] | None = None  # the public ranges of an input
    records: Floats | None = None  # real inputs, for adversaries who know their distribution
    noise: Any = None  # the law of additive noise that is declared
    scope: Scope = Scope()  # which inputs its neighbours stand for, where it knows
    timing: bool = False  # whether the time of a call is audited too
    processes: bool = False  # whether calls in a fork are
    types: bool = False  # whether equal values of other types are other outcomes

    def input_entries(self) -> int | None:
        """The number of entries of an input, None where inputs are no vectors of a known length."""
        if self.domain is not None and np.ndim(self.domain[0]) == 1:
            return len(self.domain[0])
        return self.dimension if self.coordinatewise else None

    @abstractmethod
    def sample(self, index: Any, size: int, rng: np.random.Generator) -> Any:
        """`size` outcomes for one index (an input, or a parameter)."""

    def __repr__(self) -> str:
        given = ", ".join(f"{key}={_SHORT.repr(value)}" for key, value in self.parameters().items())
        return f"<{type(self).__name__} {self.name!r}{': ' if given else ''}{given}>"

    def parameters(self) -> dict[str, Any]:
        """The numbers that define the subject, as plain data."""
        return {}

    def neighbours(self) -> tuple[tuple[Any, Any], ...]:
        """The pairs of indices that a privacy claim is tested on."""
        return ()

    def log_density(self, y: Floats, index: Any) -> Floats | None:
        """Log density at the rows of y (size, d), or None if unknown."""
        return None

    def law(self, data: Any) -> OutcomeLaw | None:
        """The law that outcomes are meant to have on this input, or None if none is declared."""
        return None

    def worst_case(self) -> WorstCase | None:
        """The exact worst pair of laws, or None if it is not known in closed form."""
        return None

    def noise_information(self) -> Information | None:
        """Fisher information of y = x + w about x, or None where the release is not of that form."""
        return None

    def noise_variance(self) -> tuple[sp.Expr, ...] | None:
        """Exact variance of each entry of w; None where it is not finite or not known."""
        return None

    def noise_mean(self) -> float:
        """E[w], the same for every entry."""
        return 0.0

    def with_noise_divided_by(self, factor: float) -> Self:
        """The same subject (law and code) with its noise divided by `factor`."""
        raise TypeError(f"{self.name} has no noise that can be scaled")


class Mechanism(Subject):
    """The base class of mechanisms: the law and the code of a release, side by side. Constructor arguments are the parameters.

    A subclass gives `law(data)`, `release(data, size, rng)` with the first axis of size `size`, `neighbours()`, pairs of inputs,
    and `worst_case()`, the exact pair of laws that differs most, or None. `examine` holds the code against the law.

    >>> mechanism = npf.LaplaceMechanism(epsilon=1.0, sensitivity=2.0)
    >>> isinstance(mechanism, npf.Mechanism), mechanism.parameters(), mechanism.neighbours()[0][1]
    (True, {'epsilon': 1.0, 'sensitivity': 2.0, 'dimension': 1}, array([2.]))
    """

    @abstractmethod
    def law(self, data: Any) -> OutcomeLaw:
        """The law that outcomes are meant to have on this input."""

    @abstractmethod
    def release(self, data: Any, size: int, rng: np.random.Generator) -> Any:
        """`size` outcomes of the code on this input, first axis = size."""

    @abstractmethod
    def neighbours(self) -> tuple[tuple[Any, Any], ...]:
        """Worst-case neighbouring inputs under the mechanism's adjacency."""

    @abstractmethod
    def worst_case(self) -> WorstCase | None:
        """The exact worst pair of laws, or None if it is not known in closed form."""

    def sample(self, index: Any, size: int, rng: np.random.Generator) -> Any:
        return self.release(index, size, rng)

    def log_density(self, y: Floats, index: Any) -> Floats | None:
        return self.law(index).log_density(y)

    def parameters(self) -> dict[str, Any]:
        """The constructor's arguments as plain data."""
        out: dict[str, Any] = {}
        for key in inspect.signature(type(self).__init__).parameters:
            # What an argument merely shares its name with, a default of every subject, is no parameter.
            if key not in vars(self) and getattr(type(self), key, None) is getattr(Subject, key, None):
                continue
            value = getattr(self, key)
            if value is not None and key != "records" and not key.startswith("_"):
                out[key] = value.tolist() if isinstance(value, np.ndarray) else value
        return out
