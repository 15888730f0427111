"""The minimiser of a strongly convex empirical risk: how far one record moves it, from both sides.

From above: the distance of neighbours' minimisers is at most |g(theta; u) - g(theta; v)| / (n modulus) at one of them
(Bousquet and Elisseeff 2002; Chaudhuri, Monteleoni and Sarwate 2011), over all that can be minimisers; on a line by the
sharper inequality of `risk_line`.  From below: neighbours found in numbers, their minimisers enclosed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy as sp

from ...domains.domain import Domain
from ...errors import SpecError
from ...proof.as_written import product, quotient, total
from ...proof.branch_and_bound import maximum
from ...proof.derivation import Derivation, Step
from ...proof.enclosure import NotEnclosableError, compare, enclose
from ...proof.proofs.kernel_checked import accepted_step
from ...proof.truth import Truth, all_hold
from ...proof.work import spent, units_of
from ..answer import Dataset, Sensitivity
from ..changes import Change
from ..enclosure import ends
from ..pairs import length
from ..query import Query
from ..shapes import ends_of
from .risk_cells import CELLS, Cells, cells_bound
from .risk_line import Line, excludes, line_bound, sides_of
from .risk_pair import pair_steps
from .risk_problem import RiskProblem, read_problem, region
from .risk_search import Enclosed, enclosed_minimiser, farthest_data
from .risk_stability import reach, slope_bound

APART = sp.Symbol("apart", nonnegative=True)  # |theta - theta'| of neighbours
_LEAST = 10_000  # units for a bound that is asked for when all are spent
_NEAR = 1e-6  # relative: beyond, nothing sharper is looked for
STABILITY = (
    "the minimisers a of D and b of D' of risks with modulus m of strong convexity: the risk of D has at b the slope "
    "(g(b; u) - g(b; v))/n, so |a - b| <= |g(b; u) - g(b; v)| / (n m)"
)
MONOTONE = (
    "slopes of convex functions grow: where H(A, B) > 0, no minimisers a > A and b < B of neighbours with the same shared records "
    "exist, as 0 lies in the sums of their slopes"
)


@dataclass(frozen=True)
class Upper:
    """A bound from above, with its steps."""

    value: sp.Expr
    method: str
    steps: tuple[Step, ...]
    lemmas: tuple[str, ...]
    exact: bool = False


@dataclass(frozen=True)
class RiskMinimiser(Query):
    """argmin over theta of 1/n sum loss(theta; record) + regulariser(theta)."""

    problem: RiskProblem

    def describe(self) -> str:
        return f"minimiser of the mean of {self.problem.loss} plus {self.problem.regulariser}"

    def __call__(self, dataset: Dataset) -> tuple[sp.Expr, ...]:
        """The minimiser: exact where it is known so, else the centre of its enclosure."""
        return self.enclosed(dataset).centre

    def enclosed(self, dataset: Dataset) -> Enclosed:
        """A point and an error within which the minimiser lies; SpecError where it cannot be enclosed."""
        modulus = self.problem.least_curvature()
        found = None if modulus is None else enclosed_minimiser(self.problem, dataset, 2.0**20, modulus)
        if found is None:
            raise SpecError(f"{self.describe()}: no enclosure of the minimiser")
        return found

    def moved(self, domain: Domain, norm: str, change: Change, n: int | None, effort: float) -> Sensitivity:
        """`n` is needed: the number of records, or of the smaller data set."""
        start = spent()
        region(domain, self.problem.records)
        if n is None or (change.kind == "replace" and change.most > n):
            raise SpecError(f"{self.describe()}: give n=, the number of records (of the smaller data set)")
        if change.kind == "both":
            raise SpecError(
                "risk_minimiser: the records of a person are only added or removed here, change='remove'"
            )
        truth, words, steps = self.problem.convex()
        modulus = self.problem.least_curvature()
        if truth is not Truth.HOLDS or modulus is None:
            reason = f"strong convexity was not proved: {words}"
            empty = Derivation("no bound", ())
            return Sensitivity(None, None, norm, change.name, domain.describe(), "", empty, reason=reason)
        pair, low, met = self._below(domain, norm, change, n, modulus, effort / 4)
        upper = self._above(domain, norm, change, n, modulus, low, start + units_of(0.9 * effort))
        return self._answer(domain, norm, change, pair, low, met, upper, steps)

    def _answer(
        self, domain: Domain, norm: str, change: Change, pair: tuple[Dataset, Dataset] | None,
        low: sp.Expr, met: bool, upper: Upper | None, steps: tuple[Step, ...],
    ) -> Sensitivity:  # fmt: skip
        own: list[Step] = list(steps)
        if pair is not None:
            own += self._pair_steps(pair, norm, low, met)
        exact, reason = None, ""
        if upper is not None:
            own += upper.steps
            if met and compare(low, "=", upper.value) is Truth.HOLDS:
                exact = upper.value
            if compare(low, ">", upper.value) is Truth.HOLDS:
                raise AssertionError(f"a pair is farther apart than the bound of {self.describe()}: {pair}")
        if exact is None:
            reason = (
                "enclosed, not known in closed form"
                if upper is not None
                else "no bound from above was proved"
            )
        lemmas = () if upper is None else upper.lemmas
        return Sensitivity(
            None if pair is None else enclose(low),
            None if upper is None else enclose(upper.value),
            norm,
            change.name,
            domain.describe(),
            "strong convexity" if upper is None else upper.method,
            Derivation(f"sensitivity of {self.describe()}", tuple(own), lemmas),
            exact,
            pair,
            reason,
        )

    def _pair_steps(self, pair: tuple[Dataset, Dataset], norm: str, low: sp.Expr, met: bool) -> list[Step]:
        def exactly(left: sp.Expr, right: sp.Expr) -> Truth:
            return all_hold(compare(self._distance(pair, norm)[0], "=", side) for side in (left, right))

        def again(left: sp.Expr, _right: sp.Expr) -> Truth:
            return compare(left, "<=", self._distance(pair, norm)[0])

        if met and low != 0 and norm != "spectral":
            two = (self.enclosed(pair[0]).centre, self.enclosed(pair[1]).centre)
            return [*pair_steps(self.problem, pair, two, low, norm, exactly)]
        said = f"the minimisers of D = {pair[0]} and D' = {pair[1]}"
        shown = (sp.sstr(low.evalf(12)), "|theta - theta'|")
        return [Step(low, "<=", APART, said, again, shown)]

    def _distance(self, pair: tuple[Dataset, Dataset], norm: str) -> tuple[sp.Expr, bool]:
        """No more than the distance of the minimisers of two data sets, and whether it is exact."""
        one, two = self.enclosed(pair[0]), self.enclosed(pair[1])
        gap = length([a - b for a, b in zip(one.centre, two.centre, strict=True)], norm)
        error = one.error + two.error
        if error == 0:
            return sp.sympify(gap), True
        factor = sp.sqrt(len(one.centre)) if norm == "l1" else sp.Integer(1)
        return sp.Max(sp.Rational(*_fraction(ends(enclose(gap - factor * error))[0])), 0), False

    def _below(
        self, domain: Domain, norm: str, change: Change, n: int, modulus: sp.Rational, effort: float
    ) -> tuple[tuple[Dataset, Dataset] | None, sp.Expr, bool]:
        width = min(reach(self.problem, domain, modulus), 2.0**20)
        best: tuple[tuple[Dataset, Dataset] | None, sp.Expr, bool] = (None, sp.Integer(0), False)
        for pair in farthest_data(self.problem, domain, n, change, width, effort):
            try:
                apart, met = self._distance(pair, norm)
            except SpecError:
                continue
            if best[0] is None or compare(apart, ">", best[1]) is Truth.HOLDS:
                best = pair, apart, met
        return best

    def _above(
        self,
        domain: Domain,
        norm: str,
        change: Change,
        n: int,
        modulus: sp.Rational,
        low: sp.Expr,
        deadline: int,
    ) -> Upper | None:
        constant = self._affine(domain, norm, change, n)
        if constant is not None:
            return constant
        if len(self.problem.over) > 1 and change.kind == "replace" and change.most == 1:
            sharp = self._in_cells(domain, norm, n, low, deadline - (deadline - spent()) // 5)
            if sharp is not None:
                return sharp
        found = [self._stability(domain, norm, change, n, modulus, deadline)]
        near = found[0] is not None and float(found[0].value) <= float(low) * (1 + _NEAR)
        if len(self.problem.over) == 1 and not near:
            found.append(self._on_line(domain, change, n, low, deadline))
        known = [u for u in found if u is not None]
        return min(known, key=lambda u: float(u.value)) if known else None

    def _affine(self, domain: Domain, norm: str, change: Change, n: int) -> Upper | None:
        """A Hessian that no record changes: the minimiser is minus its inverse times the mean slope at 0."""
        problem = self.problem
        if (
            problem.hessian is None
            or problem.ridge is None
            or problem.hessian.free_symbols
            or change.kind != "replace"
        ):
            return None
        zero = dict.fromkeys(problem.over, sp.Integer(0))
        moved = (problem.hessian + problem.ridge).inv() * sp.Matrix([g.subs(zero) for g in problem.gradient])
        if len(moved) > 1:
            return None
        box, below, equal = region(domain, problem.records)
        sides = [
            maximum(s * moved[0], box, at_most_zero=below, zero=equal, tolerance=1e-12, units=units_of(0.2))
            for s in (1, -1)
        ]
        tops = [sp.Rational(*_fraction(ends(side.upper)[1])) for side in sides]
        value = (tops[0] + tops[1]) * sp.Rational(change.most, n)
        sides_ = [] if below or equal else [(moved[0], tops[0]), (-moved[0], tops[1])]
        known = [accepted_step(e, "<=", top, "one record's share", ends_of(box)) for e, top in sides_]
        step = Step(value * n / change.most, "=", total(*tops), "the range of one record's share")
        scale = Step(
            value, "=", quotient(product(change.most, total(*tops)), n), "over the number of records"
        )
        return Upper(
            value,
            "the minimiser is a mean",
            (*(k for k in known if k is not None), step, scale),
            ("minimisers of quadratic risks solve linear equations",),
        )

    def _stability(
        self, domain: Domain, norm: str, change: Change, n: int, modulus: sp.Rational, deadline: int
    ) -> Upper | None:
        """The lemma over all theta that can be minimisers."""
        far = reach(self.problem, domain, modulus)
        if not math.isfinite(far):
            return None
        longest = sp.Rational(far).limit_denominator(10**6) + sp.Rational(1, 10**5)
        bound = slope_bound(self.problem, domain, change, longest, max((deadline - spent()) // 4, _LEAST))
        if bound is None:
            return None
        size = n + change.most if change.kind == "resize" else n
        factor = sp.sqrt(len(self.problem.over)) if norm == "l1" else sp.Integer(1)
        value = bound * factor * change.most / (size * modulus)

        def again(_left: sp.Expr, right: sp.Expr) -> Truth:
            anew = slope_bound(self.problem, domain, change, longest, units_of(1))
            return (
                Truth.HOLDS
                if anew is not None and compare(anew, "<=", right) is Truth.HOLDS
                else Truth.UNKNOWN
            )

        reason = f"difference of slopes for |theta| <= {float(longest):.6g}, by branch and bound"
        steps = (
            Step(
                sp.Symbol("slopes_apart", nonnegative=True),
                "<=",
                bound,
                reason,
                again,
                ("max |g(theta; u) - g(theta; v)|", sp.sstr(bound.evalf(12))),
            ),
            Step(
                value,
                "=",
                quotient(product(bound, factor, change.most), product(size, modulus)),
                "over the number of records and the modulus",
            ),
        )
        return Upper(value, "stability of strongly convex risks", steps, (STABILITY,))

    def _on_line(self, domain: Domain, change: Change, n: int, low: sp.Expr, deadline: int) -> Upper | None:
        start = sp.Rational(*_fraction(ends(enclose(low))[1]))
        try:
            found = line_bound(
                self.problem, domain, n, change, start if start > 0 else sp.Rational(1, 1000), deadline
            )
        except NotEnclosableError:
            return None
        if found is None:
            return None
        value, bracket, _ = found

        def again(left: sp.Expr, _right: sp.Expr) -> Truth:
            line = Line(self.problem, domain, spent() + units_of(2))
            if left >= bracket[1] - bracket[0]:
                return Truth.HOLDS if line.bracket() is not None else Truth.UNKNOWN
            held = all(excludes(line, sides, left, bracket) for sides in sides_of(n, change))
            return Truth.HOLDS if held else Truth.UNKNOWN

        step = Step(
            value,
            ">=",
            APART,
            "no two minimisers of neighbours are farther apart: cells of the smaller one excluded",
            again,
            (sp.sstr(value.evalf(12)), "|theta - theta'|"),
        )
        return Upper(value, "slopes that grow, cell by cell", (step,), (MONOTONE,))

    def _in_cells(self, domain: Domain, norm: str, n: int, low: sp.Expr, deadline: int) -> Upper | None:
        """Of a closed form in few records: ranges over one record, for cells of the others."""
        cells = Cells.of(self.problem, domain, n) if compare(low, ">", sp.Integer(0)) is Truth.HOLDS else None
        value = None if cells is None else cells_bound(cells, low, norm, deadline)
        if cells is None or value is None:
            return None
        anew: dict[sp.Expr, bool] = {}

        def again(_left: sp.Expr, right: sp.Expr) -> Truth:
            if right not in anew:
                anew[right] = cells.excluded(right, norm, spent() + units_of(4))
            return Truth.HOLDS if anew[right] else Truth.UNKNOWN

        reason = (
            "for cells of the shared records, the range of the minimiser over one record in each direction"
        )
        shown = ("|theta - theta'|", sp.sstr(value))
        step = Step(APART, "<=", value, reason, again, shown)
        return Upper(value, "ranges over one record, cell by cell", (step,), (CELLS,))


def _fraction(value: Fraction) -> tuple[int, int]:
    return value.numerator, value.denominator


def risk_minimiser(
    loss: sp.Expr,
    over: Sequence[sp.Symbol],
    records: Sequence[sp.Symbol],
    regulariser: sp.Expr | int = 0,
    *,
    strong_convexity: Any = None,
) -> RiskMinimiser:
    """The query: argmin over the symbols `over` of the mean of `loss` over the `records` plus `regulariser`, a formula of `over`.

    `strong_convexity` is a modulus m > 0 such that loss plus regulariser less m |theta|^2/2 is convex for every record, which is
    proved; without it, it is taken from a regulariser (or a loss) whose Hessian is constant. SpecError for anything else. Source:
    Chaudhuri, Monteleoni and Sarwate 2011.

    >>> x, w = sp.symbols("x w", real=True)
    >>> ridge = npf.queries.risk_minimiser((w - x) ** 2 / 2, [w], [x], regulariser=w**2 / 2)
    >>> float(npf.sensitivity(ridge, npf.Box(0, 1), norm="l2", n=10).at_most())
    0.05
    """
    return RiskMinimiser(read_problem(loss, over, records, regulariser, strong_convexity))
