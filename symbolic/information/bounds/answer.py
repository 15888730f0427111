"""The answer to a question for an error bound: a value, whom it binds, and why; or why there is none."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
import sympy as sp
from flint import arb
from numpy.typing import NDArray

from ...proof.derivation import Derivation
from ...proof.enclosure import NotEnclosableError, enclose
from .problem import Problem, values_of

Status = Literal["bound", "open", "inapplicable", "vacuous", "unknown"]
Adversary = Literal["unbiased", "biased", "anyone"]
Balls = list[list[arb]]
BINDS: dict[Adversary, str] = {
    "unbiased": "unbiased estimators",
    "biased": "estimators with the stated bias",
    "anyone": "any estimator, on average over the prior",
}
_BITS, _LONG = (160, 640, 2560), 80


@dataclass(frozen=True)
class EstimatorRisk:
    """The mean squared error of an estimator, of which `estimator` is the rule: `value` exact, or None and `enclose` answers.

    `value` is `sp.oo` where the risk is proved to be infinite; `reason` says how the value came about, or why there is none.
    The rule is a function of one observation whose mean over all is taken, or of the smallest or largest of them.

    >>> y, s = sp.Symbol("y"), sp.Symbol("s", positive=True)
    >>> print(npf.estimator_risk(npf.Law.from_density(sp.exp(-y / s) / s, y, (0, "oo")), s, s, y / 2, observations=4))
    the estimator, y/2: 5*s**2/16
    """

    name: str
    estimator: sp.Expr
    value: sp.Expr | None
    binds: str
    reason: str
    at: Mapping[sp.Symbol, sp.Expr] = field(default_factory=dict, repr=False)
    evaluate: Callable[[Mapping[sp.Symbol, sp.Expr], float], arb] | None = field(
        default=None, repr=False, compare=False
    )

    def enclose(self, tolerance: float = 1e-8) -> arb:
        """A ball around the risk; ValueError where it is a formula, or nothing is known."""
        if self.value is sp.oo:
            raise ValueError(f"the risk is infinite: {self.reason}")
        if self.value is not None:
            return enclose(self.value)
        if self.evaluate is None:
            raise ValueError(f"nothing to enclose: {self.reason}")
        ball = self.evaluate(self.at, tolerance)
        if not float(ball.rad()) <= tolerance:
            raise ValueError(f"the risk could not be enclosed to {tolerance:g}")
        return ball

    @property
    def numeric(self) -> float | None:
        """The risk in numbers, `inf` where it is infinite; None where parameters are symbols, or nothing is known."""
        if self.value is sp.oo:
            return float("inf")
        try:
            return float(self.enclose().mid())
        except ValueError:
            return None

    def __str__(self) -> str:
        return f"{self.name}, {sp.sstr(self.estimator)}: {self._said()}"

    def _said(self) -> str:
        """The risk, or that it is infinite or not known, and why."""
        if self.value is sp.oo:
            return f"infinite ({self.reason})"
        if self.value is not None:
            return str(sp.sstr(self.value))
        try:
            return str(float(self.enclose().mid()))
        except (ValueError, NotEnclosableError) as trouble:
            why = str(trouble)
        return f"not known ({self.reason if self.evaluate is None or 'free parameters' in why else why})"


@dataclass(frozen=True)
class EstimationBound:
    """A lower bound on the mean squared error of estimators (on the error matrix E[(T - g)(T - g)'] of vectors).

    `value` is exact, in squared units of the estimand: an expression for one, an (m, m) matrix for a list of m; None where there is no
    closed form or no bound, and `reason` says which. `status` is "bound" where every condition was proved; "open" where the formula is
    given but a condition of it was not proved; "inapplicable", "vacuous" or "unknown" where there is no number. `binds` says in words
    whose error it is. `points` are the free points of the bound, as offsets from the parameters: any admissible ones give a
    valid bound. `compared` holds what `best_bound` looked at.

    >>> y, s = sp.Symbol("y"), sp.Symbol("s", positive=True)
    >>> bound = npf.error_bound(npf.Law.from_density(sp.exp(-y / s) / s, y, (0, "oo")), s, s, observations=4)
    >>> bound.value, bound.status, bound.binds
    (s**2/4, 'bound', 'unbiased estimators')
    """

    kind: str
    problem: Problem = field(repr=False)
    adversary: Adversary
    value: sp.Expr | sp.ImmutableMatrix | None
    status: Status
    reason: str
    derivation: Derivation = field(repr=False, compare=False)
    points: tuple[tuple[sp.Expr, ...], ...] = ()
    evaluate: Callable[[Mapping[sp.Symbol, sp.Expr], float], Balls] | None = field(
        default=None, repr=False, compare=False
    )
    compared: tuple[EstimationBound, ...] = field(default=(), repr=False, compare=False)
    beside: Callable[[], tuple[EstimatorRisk, ...]] | None = field(default=None, repr=False, compare=False)

    @cached_property
    def risks(self) -> tuple[EstimatorRisk, ...]:
        """The exact risks of estimators that are known for this problem: maximum likelihood, UMVU, moments, best linear; may be empty."""
        return () if self.beside is None else self.beside()

    @property
    def binds(self) -> str:
        """Whose error the bound is a bound on, in words."""
        return BINDS[self.adversary]

    @property
    def numeric(self) -> float | NDArray[np.float64] | None:
        """The bound in numbers: a float, or an array (m, m); None where there is none, or where parameters are symbols.

        Of one number that is known in a ball it is the lower end, so that it is a bound itself.
        """
        if self.status not in ("bound", "open"):
            return None
        try:
            balls = self.enclose()
        except (ValueError, NotEnclosableError):
            return None
        if self.problem.scalar:
            return (
                float(balls[0][0].mid()) if self.value is not None else max(float(balls[0][0].lower()), 0.0)
            )
        return np.array([[float(b.mid()) for b in row] for row in balls])

    def enclose(self, at: Mapping[Any, Any] | None = None, tolerance: float = 1e-8) -> Balls:
        """Balls that contain the entries (m, m) of the bound, none wider than the tolerance.

        `at` gives values to the parameters, by symbol or name; those of the question, if None.  ValueError where a value is
        missing, or nothing can be enclosed.
        """
        if not tolerance > 0:
            raise ValueError(f"tolerance must be above 0, got {tolerance!r}")
        if self.status not in ("bound", "open"):
            raise ValueError(f"nothing to enclose: {self.reason}")
        values = self._values(at)
        if self.value is None:
            if self.evaluate is None:
                raise ValueError(f"nothing to enclose: {self.reason}")
            return self.evaluate(values, tolerance)
        rows = self.value.tolist() if isinstance(self.value, sp.MatrixBase) else [[self.value]]
        missing = sorted({s.name for row in rows for e in row for s in e.free_symbols - set(values)})
        if missing:
            raise ValueError(f"a value is needed for {', '.join(missing)}")
        for bits in _BITS:
            balls = [[enclose(e.subs(values), bits=bits) for e in row] for row in rows]
            if all(b.is_finite() and float(b.rad()) <= tolerance for row in balls for b in row):
                return balls
        raise ValueError(f"the bound could not be enclosed to {tolerance:g}")

    def _values(self, at: Mapping[Any, Any] | None) -> Mapping[sp.Symbol, sp.Expr]:
        if at is None:
            return self.problem.at
        return values_of(self.problem.law, self.problem.parameters, at)

    def sentence(self) -> str:
        """The bound in one sentence."""
        what = ", ".join(sp.sstr(e) for e in self.problem.estimand)
        if self.status not in ("bound", "open"):
            return f"{self.kind}: no bound for {what} ({self.reason})"
        shown = sp.sstr(self.value)
        if self.value is None or (len(shown) > _LONG and self.numeric is not None):
            shown = f"{self.numeric}"
        n = self.problem.observations
        doubt = "" if self.status == "bound" else f"; open: {self.reason}"
        where = ", ".join(f"{p} = {v}" for p, v in self.problem.at.items() if self.adversary != "anyone")
        return f"{self.kind}: {where and f'at {where} '}the mean squared error of {what} from {n} observation{'s' if n > 1 else ''} is at least {shown}, for {self.binds}{doubt}"

    def __str__(self) -> str:
        return self.sentence()

    def _repr_latex_(self) -> str:
        return f"${sp.latex(self.value)}$" if self.value is not None else self.sentence()
