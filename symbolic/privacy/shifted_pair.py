"""One noise law at two centres: its profile is integrated, and exact only where the supports differ."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import sympy as sp
from numpy.typing import ArrayLike

from ..arrays import Floats
from ..laws.law import Law
from ..proof.derivation import Step
from .pair import Pair


@dataclass(frozen=True)
class ShiftedLawPair(Pair):
    """One scalar noise law at two centres `shift` apart; profiles by quadrature, exact only where supports differ."""

    law: Law
    shift: sp.Expr

    def profile(self, epsilon: sp.Expr) -> sp.Expr:
        return sp.Function("delta")(epsilon)

    def delta(self, epsilon: ArrayLike) -> Floats:
        low, high = self.law.ends()
        s, n = float(self.shift), 200_001
        y = np.linspace(low, high + s, n)
        p, q = self.law.pdf(y - s), self.law.pdf(y)
        eps = np.atleast_1d(np.asarray(epsilon, dtype=float))
        both = [
            [np.trapezoid(np.maximum(0.0, a - np.exp(e) * b), y) for e in eps] for a, b in ((p, q), (q, p))
        ]
        return np.asarray(np.max(np.array(both), axis=0).reshape(np.shape(epsilon)), dtype=float)

    def max_loss(self) -> sp.Expr:
        bounded = any(end not in (sp.oo, -sp.oo) for end in self.law.support)
        if bounded and self.shift != 0:
            return sp.oo
        return sp.Function("max_loss")(self.shift)

    def renyi(self, order: sp.Expr) -> sp.Expr:
        return self.max_loss() if self.max_loss() is sp.oo else sp.Function("renyi")(order)

    def steps(self) -> tuple[Step, ...]:
        reason = "the support moves with the input: outcomes beyond it give one neighbour away"
        return (Step(self.shift, ">", sp.Integer(0), reason),)
