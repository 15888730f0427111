"""The attack on a claimed minimiser: a plain numeric search for a feasible point with less, which knows nothing of the proof."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
import sympy as sp
from flint import arb

from ....mechanisms.stated import ProgramSubject
from ....symbolic.arrays import Floats
from ....symbolic.claim import Claim
from ....symbolic.programs.natural_domain import natural_domain
from ....symbolic.programs.program import Program
from ....symbolic.proof.enclosure import NotEnclosableError, enclose
from ....symbolic.stated_formula import read_entry
from ....symbolic.stated_optima import Minimiser
from ...record.evidence import Evidence, Measured, Sentence, Verdict
from ..check import Counted, Counts
from ..claimed_point import read_point
from .stated_optimum import better_witness

_STARTS, _WIDTHS, _PLACES = 24, (0.1, 1.0, 10.0), 3
_SNAPS = (10**3, 10**6, 10**9, 2**40)


class BetterPoints(Counted):
    """Local searches from around the point at a few values of the parameters; what they find is judged in exact numbers."""

    name: ClassVar[str] = "better points"
    sentence: ClassVar[Sentence] = "law"

    @classmethod
    def bind(cls, claim: Claim) -> Self | None:
        known = isinstance(claim.subject, ProgramSubject) and isinstance(claim.predicate, Minimiser)
        return cls(claim) if known and not claim.subject.program.matrices else None

    def judge(self, plan: Any, counts: Counts | None, alpha: float) -> Evidence:
        program: Program = self.claim.subject.program
        point = read_point(self.claim)
        predicate = self.claim.predicate
        assert isinstance(predicate, Minimiser)
        tolerance = read_entry(predicate.tolerance, {})
        searched, closest = 0, float("inf")
        rng = np.random.default_rng(0)
        places = [p for _, p in zip(range(_PLACES), program.domain.points(), strict=False)] or [{}]
        for at in places if program.parameters else [{}]:
            search = _Search(program, {v: e.subs(at) for v, e in point.items()}, at, tolerance)
            if not search.usable:
                continue
            for start in search.starts(rng):
                found = search.local(start)
                searched += 1
                if found is None:
                    continue
                closest = min(closest, search.excess(found))
                better = search.exactly_better(found)
                if better is not None:
                    here = {v: e.subs(at) for v, e in point.items()}
                    return self.evidence(
                        Verdict.REFUTED,
                        "a local search found a feasible point with a better value, judged in exact numbers",
                        witness=better_witness(self, here, at, better, ""),
                    )
        if not searched or closest == float("inf"):
            return self.evidence(
                Verdict.UNDECIDED, "no local search from around the point ended in a feasible point"
            )
        return self.evidence(Verdict.SURVIVED, measured=Measured(tried=searched, found=max(closest, 0.0)))


class _Search:
    """The program in floats at one point of its parameters, and in exact numbers where something was found."""

    def __init__(
        self, program: Program, point: dict[sp.Symbol, sp.Expr], at: Any, tolerance: sp.Expr
    ) -> None:
        self.variables = program.variables
        self.objective = program.objective.subs(at)
        self.limits = [c.excess.subs(at) for c in program.inequalities]
        self.limits += [c.excess.subs(at) for c in program.cones]
        self.limits += [-v for v in program.variables if v.is_nonnegative]
        self.limits += [v for v in program.variables if v.is_nonpositive]
        self.equations = [c.excess.subs(at) for c in program.equations]
        natural = natural_domain(program)
        self.above = [e.subs(at) for e in (*natural.positive, *(e**2 for e in natural.nonzero))]
        self.whole = [v for v in program.variables if v.is_integer]
        try:
            self.value = enclose(self.objective, point)
            self.centre = np.array([float(enclose(point[v]).mid()) for v in self.variables])
        except (NotEnclosableError, ArithmeticError, TypeError, ValueError):
            self.centre = np.array([np.nan])
        self.usable = bool(np.all(np.isfinite(self.centre))) and self.value.is_finite()
        self.goal = self.value - enclose(tolerance) if self.usable else arb("nan")
        parts = [self.objective, *self.limits, *self.equations]
        self.compiled = [sp.lambdify(self.variables, part, ["numpy", "scipy"]) for part in parts]

    def starts(self, rng: np.random.Generator) -> list[Floats]:
        size = len(self.centre)
        return [
            self.centre + w * rng.standard_normal(size)
            for w in _WIDTHS
            for _ in range(_STARTS // len(_WIDTHS))
        ]

    def _at(self, k: int, x: Floats) -> float:
        with np.errstate(all="ignore"):
            try:
                value = complex(self.compiled[k](*x))
            except (
                NameError,
                TypeError,
                ArithmeticError,
            ):  # a function that is not known in floats, or no value
                return 1e30
        return value.real if value.imag == 0 and np.isfinite(value.real) else 1e30

    def local(self, start: Floats) -> Floats | None:
        from scipy import optimize

        minimize: Any = optimize.minimize
        first = 1 + len(self.limits)
        rows: list[Any] = [{"type": "ineq", "fun": lambda x, k=k: -self._at(k, x)} for k in range(1, first)]
        rows += [
            {"type": "eq", "fun": lambda x, k=k: self._at(k, x)} for k in range(first, len(self.compiled))
        ]
        try:
            found = minimize(
                lambda x: self._at(0, x), start, method="SLSQP", constraints=rows, options={"maxiter": 200}
            )
        except (ValueError, ArithmeticError):
            return None
        x = np.asarray(found.x, dtype=float)
        worst = max((self._at(k, x) for k in range(1, first)), default=0.0)
        off = max((abs(self._at(k, x)) for k in range(first, len(self.compiled))), default=0.0)
        return x if np.all(np.isfinite(x)) and worst < 1e-6 and off < 1e-6 else None

    def excess(self, x: Floats) -> float:
        """By how much the value there lies above that of the point, in floats."""
        return self._at(0, x) - float(self.value.mid())

    def exactly_better(self, x: Floats) -> dict[sp.Symbol, sp.Expr] | None:
        """A rational point near x that is certainly feasible and certainly better; drawn back towards the centre where a limit is broken."""
        if self.equations or self.excess(x) > -1e-12:
            return None
        for snap in _SNAPS:
            for share in (0.0, 1e-9, 1e-6, 1e-3):
                moved = (1 - share) * x + share * self.centre
                rational = {
                    v: sp.Integer(round(float(e)))
                    if v in self.whole
                    else sp.Rational(round(float(e) * snap), snap)
                    for v, e in zip(self.variables, moved, strict=True)
                }
                if self._better(rational):
                    return rational
        return None

    def _better(self, point: dict[sp.Symbol, sp.Expr]) -> bool:
        try:
            feasible = all(_at_most_zero(limit, point) for limit in self.limits)
            feasible = feasible and all(enclose(e, point) > 0 for e in self.above)
            return feasible and bool(enclose(self.objective, point) < self.goal)
        except (NotEnclosableError, ArithmeticError, TypeError, ValueError):
            return False


def _at_most_zero(limit: sp.Expr, point: dict[sp.Symbol, sp.Expr]) -> bool:
    if enclose(limit, point) < 0:
        return True
    exact = limit.subs(point)
    return bool(exact.is_zero)
