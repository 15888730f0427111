"""A fact about a law or a program: it holds, it fails, or it is open, with the reason in words."""

from __future__ import annotations

from dataclasses import dataclass, field

import sympy as sp

from .truth import Truth


@dataclass(frozen=True)
class Fact:
    """A three-valued answer (HOLDS, FAILS, UNKNOWN), its reason, and what was found with it.

    `found` is a point that refutes, a centre, statistics or parameters; `at` values of parameters.
    HOLDS and FAILS are proved; what was only computed at some points is UNKNOWN, and `reason` says what was computed.

    >>> x = sp.Symbol("x", real=True)
    >>> fact = npf.Program(minimise=x**3, over=[x]).convexity().objective
    >>> fact.truth.name, len(fact.found)  # two points whose chord lies below the curve
    ('FAILS', 2)
    """

    truth: Truth
    reason: str
    found: tuple[sp.Expr, ...] = ()
    at: dict[sp.Symbol, sp.Expr] = field(default_factory=dict, compare=False)

    def __str__(self) -> str:
        return f"{self.truth.value}: {self.reason}"
