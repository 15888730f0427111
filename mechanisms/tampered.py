"""A mechanism whose code departs from its declared law on purpose: the material of controls and of planted faults."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np

from ..symbolic.information.fisher import Information
from ..symbolic.laws.vector import OutcomeLaw
from .mechanism import Mechanism, WorstCase

Release = Callable[[Any, int, np.random.Generator], Any]


class Tampered(Mechanism):
    """The law, neighbours and claims of `declared`, the code of `release`."""

    name = "tampered"
    summary = "declares one law and runs other code"

    def __init__(self, declared: Mechanism, release: Release, what: str) -> None:
        self.declared, self.what = declared, what
        self._release = release
        self.name = f"{declared.name}, {what}"  # type: ignore[misc]
        self.deterministic = declared.deterministic

    @classmethod
    def noise_divided_by(cls, declared: Mechanism, factor: float) -> Self:
        """The code uses the declared noise divided by `factor`; the law stays as declared."""
        return cls(declared, declared.with_noise_divided_by(factor).release, f"noise divided by {factor:g}")

    def __getattr__(self, key: str) -> Any:
        # Structure such as `coordinatewise`, `dimension`, `domain` is that of the declared mechanism.
        if key.startswith("_") or key == "declared":
            raise AttributeError(key)
        return getattr(self.declared, key)

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

    def with_noise_divided_by(self, factor: float) -> Self:
        return type(self)(self.declared.with_noise_divided_by(factor), self._release, self.what)
