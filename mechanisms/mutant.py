"""A mechanism whose code departs from its declared law on purpose: the material of controls and of planted faults."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
import sympy as sp

from ..symbolic.information.fisher import Information
from ..symbolic.laws.vector import OutcomeLaw
from .mechanism import Mechanism, WorstCase

Release = Callable[[Any, int, np.random.Generator], Any]


class Mutant(Mechanism):
    """A planted fault: the law, neighbours and claims of `declared`, the code of `release`. An audit should refute it.

    `release(data, size, rng)` as in Mechanism, `what` the fault in words. `noise_divided_by` plants the usual one; TypeError for a
    mechanism whose noise cannot be scaled.

    >>> fault = npf.Mutant.noise_divided_by(npf.LaplaceMechanism(epsilon=1.0, sensitivity=1.0), 2.0)
    >>> npf.examine(fault, npf.PureDP(1.0), samples=5_000).verdict
    Verdict.REFUTED
    """

    name = "mutant"
    summary = "declares one law and runs other code"

    def __init__(self, declared: Mechanism, release: Release, what: str) -> None:
        self.declared, self.what = declared, what
        self._release = release
        self.name, self.deterministic = f"{declared.name}, {what}", declared.deterministic
        self.dimension, self.coordinatewise = declared.dimension, declared.coordinatewise
        self.domain, self.records, self.noise = declared.domain, declared.records, declared.noise
        self.timing, self.processes, self.types = declared.timing, declared.processes, declared.types

    @classmethod
    def noise_divided_by(cls, declared: Mechanism, factor: float) -> Self:
        """The code uses the declared noise divided by `factor`; the law stays as declared."""
        return cls(declared, declared.with_noise_divided_by(factor).release, f"noise divided by {factor:g}")

    def parameters(self) -> dict[str, Any]:
        return {**self.declared.parameters(), "fault": self.what}

    def law(self, data: Any) -> OutcomeLaw:
        return self.declared.law(data)

    def release(self, data: Any, size: int, rng: np.random.Generator) -> Any:
        return self._release(data, size, rng)

    def neighbours(self) -> tuple[tuple[Any, Any], ...]:
        return self.declared.neighbours()

    def worst_case(self) -> WorstCase | None:
        return self.declared.worst_case()

    def noise_information(self) -> Information | None:
        return self.declared.noise_information()

    def noise_variance(self) -> tuple[sp.Expr, ...] | None:
        return self.declared.noise_variance()

    def noise_mean(self) -> float:
        return self.declared.noise_mean()

    def with_noise_divided_by(self, factor: float) -> Self:
        return type(self)(self.declared.with_noise_divided_by(factor), self._release, self.what)
