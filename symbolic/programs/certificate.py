"""What is known of a point of a program: feasible, how far above the best value it can be, and why."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import sympy as sp

from ..proof.derivation import Derivation
from ..proof.truth import Truth
from .multipliers import Multipliers

Word = Literal["PROVED", "REFUTED", "UNDECIDED"]


@dataclass(frozen=True)
class PointCertificate:
    """A certificate of optimality of a point: PROVED, REFUTED (with `better`, a feasible point of lower value, where there is one) or UNDECIDED.

    `value` is the objective at the point as the program states it, `lower` a number below every feasible value of what is
    minimised (for a maximum: above every feasible value), `gap` their distance. `at` holds the parameters at which a formula was
    refuted. PROVED says that no feasible value is better by more than `tolerance`, for all parameters of the domain.

    >>> x = sp.Symbol("x", real=True)
    >>> print(npf.Program(minimise=(x - 1) ** 2, over=[x]).certify([2]))
    REFUTED: x = 2: a feasible point has a lower value
    """

    verdict: Word
    point: dict[sp.Symbol, sp.Expr]
    feasible: Truth
    value: sp.Expr | None
    lower: sp.Expr | None
    method: str
    reason: str
    derivation: Derivation = field(repr=False)
    tolerance: sp.Expr = sp.S.Zero
    better: dict[sp.Symbol, sp.Expr] | None = None
    better_value: sp.Expr | None = None
    multipliers: Multipliers | None = field(default=None, repr=False)
    at: dict[sp.Symbol, sp.Expr] = field(default_factory=dict)
    kkt_point: Truth = Truth.UNKNOWN

    @property
    def gap(self) -> sp.Expr | None:
        """How far the value is from the bound; None where there is no bound."""
        if self.value is None or self.lower is None:
            return None
        return sp.simplify(sp.Abs(self.value - self.lower))

    @property
    def optimal(self) -> Truth:
        """The verdict as a truth."""
        words = {"PROVED": Truth.HOLDS, "REFUTED": Truth.FAILS, "UNDECIDED": Truth.UNKNOWN}
        return words[self.verdict]

    def __str__(self) -> str:
        point = ", ".join(f"{v} = {e}" for v, e in self.point.items())
        return f"{self.verdict}: {point}: {self.reason}"

    def _repr_latex_(self) -> str:
        point = r",\; ".join(f"{sp.latex(v)} = {sp.latex(e)}" for v, e in self.point.items())
        bound = "" if self.lower is None else rf",\quad \text{{bound }} {sp.latex(self.lower)}"
        return rf"$\text{{{self.verdict}}}:\; {point}{bound}$"
