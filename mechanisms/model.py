"""A law with free parameters as a subject: claims about it are settled by proof, for all its parameters, with nothing to draw."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import sympy as sp

from ..symbolic.claim import Scope
from ..symbolic.laws.joint import JointLaw
from ..symbolic.laws.law import Law
from ..symbolic.parameter_domain import ParameterDomain, ends_of
from .mechanism import Subject

_LONGEST = 400  # letters of a formula that a page shows


class Model(Subject):
    """A `law` and its `symbols`; nothing is sampled.

    `domains` are open intervals of its parameters, by name, as in `Law.from_density`: a claim that says none is about those.
    """

    summary = "a law with parameters"

    def __init__(self, law: Law | JointLaw, name: str = "", domains: Mapping[str, Any] | None = None) -> None:
        self.model, self.name = law, name or law.name
        self.symbols = tuple(sorted(law.free_symbols, key=lambda s: str(s.name)))
        stated = {
            **domains_of(law),
            **{str(getattr(k, "name", k)): tuple(v) for k, v in (domains or {}).items()},
        }
        self.stated = {name: ends_of(pair, name) for name, pair in stated.items() if name in self._names}
        where = ParameterDomain.of(self.symbols, self.stated).said()
        self.scope = Scope("no inputs: a law", where)

    @property
    def _names(self) -> set[str]:
        return {s.name for s in self.symbols}

    def sample(self, index: Any, size: int, rng: np.random.Generator) -> Any:
        raise TypeError(f"{self.name} is a law, not code: claims about it are settled by proof")

    def parameters(self) -> dict[str, Any]:
        law = self.model
        if isinstance(law, Law):
            ends = [sp.sstr(end) for end in law.support]
            return {"density": _cut(law.density), "variable": str(law.variable), "support": ends}
        named = {"mean": law.mean, "covariance": law.covariance, "log_density": law.log_density}
        shown = {name: _cut(value) for name, value in named.items() if value is not None}
        return shown or {"parts": [part.name for part in law.parts]}


def domains_of(law: Any) -> dict[str, Any]:
    """The open intervals of numbers in which the parameters of a law lie, by name; of parts all of theirs."""
    found: dict[str, Any] = {}
    for part in law.parts if isinstance(law, JointLaw) else ():
        found |= domains_of(part)
    for symbol, low, high in getattr(law, "domains", ()):
        if low.is_number and high.is_number:
            found[symbol.name] = (low, high)
    return found


def _cut(formula: Any) -> str:
    text = sp.sstr(formula.tolist() if isinstance(formula, sp.MatrixBase) else formula)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
