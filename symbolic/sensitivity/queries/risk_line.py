"""How far the minimisers of neighbours can be apart on a line, from above.

With g the slope of the loss and r that of the regulariser, a minimiser a of D and a smaller one b of D' satisfy
sum g(a; z) + k g(a; u) + N r(a) = 0 and sum g(b; z) + k' g(b; v) + N' r(b) = 0 with the same shared z, so that
H(a, b) = s min_z (g(a; z) - g(b; z)) + N r(a) - N' r(b) + k min_u g(a; u) - k' max_v g(b; v) <= 0.
H grows in a and falls in b, as slopes of convex functions grow: H(A, B) > 0 excludes all a > A with b < B.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import sympy as sp

from ...domains.domain import Domain
from ...proof.branch_and_bound import maximum
from ...proof.enclosure import NotEnclosableError, enclose
from ...proof.work import spent
from ..changes import Change
from ..enclosure import ends
from .risk_problem import RiskProblem, region

_CELLS, _FAR, _LEAST = 3000, 2**24, 5_000
# Upper ends hold whenever work stops, so that little work is spent on each.
_TOLERANCE, _BOXES = 1e-4, 120
# Weights of the two equations, none negative: each makes H grow in a and fall in b.
_PROPORTIONS = ((1, 1), (2, 1), (1, 2), (4, 1), (1, 4))


@dataclass(frozen=True)
class Sides:
    """One of the two ways round: which data set has the larger minimiser; s, N, N', k, k' of the module's inequality."""

    shared: int
    upper_size: int
    lower_size: int
    upper_own: int
    lower_own: int


def sides_of(n: int, change: Change) -> list[Sides]:
    """The ways round of neighbours: one where they have as many records, two else."""
    k = change.most
    if change.kind == "replace":
        return [Sides(n - k, n, n, k, k)]
    sizes = list(range(1, k + 1))
    return [s for j in sizes for s in (Sides(n, n + j, n, j, 0), Sides(n, n, n + j, 0, j))]


@dataclass
class Line:
    """Bounds on the slopes of a loss over the records of a domain, remembered."""

    problem: RiskProblem
    domain: Domain
    deadline: int
    least: dict[sp.Rational, Fraction] = field(default_factory=dict)
    most: dict[sp.Rational, Fraction] = field(default_factory=dict)
    between: dict[tuple[sp.Rational, sp.Rational, int, int], Fraction] = field(default_factory=dict)
    calls: int = 0
    grid: int = 1024

    def _largest(self, e: sp.Expr) -> Fraction:
        """A rational number no less than the largest value over the records."""
        self.calls += 1
        if not e.free_symbols:
            return ends(enclose(e))[1]
        box, below, zero = region(self.domain, self.problem.records)
        left = max(self.deadline - spent(), _LEAST)
        found = maximum(
            e, box, at_most_zero=below, zero=zero, tolerance=_TOLERANCE, units=left, boxes=_BOXES, climb=False
        )
        if found.undefined:
            raise NotEnclosableError("the slope of the loss is undefined at some record")
        return ends(found.upper)[1]

    def min_slope(self, a: sp.Rational) -> Fraction:
        """No more than min_u g(a; u)."""
        if a not in self.least:
            self.least[a] = -self._largest(-self.problem.gradient[0].subs(self.problem.over[0], a))
        return self.least[a]

    def max_slope(self, b: sp.Rational) -> Fraction:
        """No less than max_v g(b; v)."""
        if b not in self.most:
            self.most[b] = self._largest(self.problem.gradient[0].subs(self.problem.over[0], b))
        return self.most[b]

    def growth(self, a: sp.Rational, b: sp.Rational, one: int, two: int) -> Fraction:
        """No more than min_z (one g(a; z) - two g(b; z)); not below 0 for a >= b and equal weights."""
        key = a, b, one, two
        if key not in self.between:
            g, t = self.problem.gradient[0], self.problem.over[0]
            self.between[key] = -self._largest(two * g.subs(t, b) - one * g.subs(t, a))
        return max(self.between[key], Fraction(0)) if one == two and a >= b else self.between[key]

    def pull(self, a: sp.Rational) -> tuple[Fraction, Fraction]:
        """The two ends of r(a)."""
        return ends(enclose(self.problem.pull[0].subs(self.problem.over[0], a)))

    def excluded(self, sides: Sides, a: sp.Rational, b: sp.Rational) -> bool:
        """Whether H(a, b) > 0 is proved, of the two equations in one of the proportions."""
        a, b = self._down(a), -self._down(-b)
        upper = sides.upper_size * self.pull(a)[0]
        lower = sides.lower_size * self.pull(b)[1]
        if sides.upper_own:
            upper += sides.upper_own * self.min_slope(a)
        if sides.lower_own:
            lower += sides.lower_own * self.max_slope(b)
        if a >= b and upper - lower > 0:
            return True
        for one, two in _PROPORTIONS:
            total = one * upper - two * lower
            # What the shared records add is at least this, and may be below 0 in unequal proportions.
            useful = total > 0 or one != two or not self.flat
            if useful and total + sides.shared * self.growth(a, b, one, two) > 0:
                return True
        return False

    def _down(self, x: sp.Rational) -> sp.Rational:
        """The next number below of a grid, so that slopes are asked for less often; they grow."""
        return sp.floor(x * self.grid) / self.grid

    @cached_property
    def flat(self) -> bool:
        """Whether some record does not care for theta, so that the shared ones may add nothing to the difference."""
        g, t = self.problem.gradient[0], self.problem.over[0]
        middle = {s: sp.Integer(0) for s in self.problem.records}
        inside = all(a <= 0 <= b for a, b in region(self.domain, self.problem.records)[0].values())
        return inside and not g.subs(middle).has(t)

    def bracket(self) -> tuple[sp.Rational, sp.Rational] | None:
        """Numbers between which all minimisers lie: beyond them r + g has one sign for every record."""
        far = sp.Rational(1, 64)
        while far <= _FAR:
            if self.pull(far)[0] + self.min_slope(far) > 0 > self.pull(-far)[1] + self.max_slope(-far):
                return self._tight(far)
            far *= 2
        return None

    def _tight(self, far: sp.Rational) -> tuple[sp.Rational, sp.Rational]:
        found = []
        for sign in (-1, 1):
            near, away = sp.Integer(0) if far == sp.Rational(1, 64) else -far, far
            for _ in range(12):
                middle = (near + away) / 2
                outside = (
                    self.pull(middle)[0] + self.min_slope(middle) > 0
                    if sign == 1
                    else self.pull(-middle)[1] + self.max_slope(-middle) < 0
                )
                near, away = (near, middle) if outside else (middle, away)
            found.append(sign * away)
        return found[0], found[1]


def excludes(line: Line, sides: Sides, gap: sp.Rational, bracket: tuple[sp.Rational, sp.Rational]) -> bool:
    """Whether no two minimisers are more than `gap` > 0 apart: cells [b, b'] of the smaller one are excluded with a = b + gap."""
    low, high = bracket[0], bracket[1] - gap
    step = (bracket[1] - bracket[0]) / 16
    at, cells = low, 0
    while at < high:
        if spent() > line.deadline or cells > _CELLS:
            return False
        cells += 1
        if line.excluded(sides, at + gap, at + step):
            at, step = at + step, step * 2
        else:
            step /= 2
            if step * 2**14 < high - low:
                return False
    return True


def gaps(lower: sp.Rational, bracket: tuple[sp.Rational, sp.Rational]) -> Iterator[sp.Rational]:
    """What is tried to be proved, in turn, as the answers come: coarse first."""
    width = bracket[1] - bracket[0]
    for share in (
        sp.Rational(1, 2),
        sp.Rational(1, 10),
        sp.Rational(1, 30),
        sp.Rational(1, 100),
        sp.Rational(1, 400),
    ):
        gap = lower * (1 + share)
        if 0 < gap < width:
            yield gap


def line_bound(
    problem: RiskProblem, domain: Domain, n: int, change: Change, lower: sp.Rational, deadline: int
) -> tuple[sp.Rational, tuple[sp.Rational, sp.Rational], Line] | None:
    """A number that no two minimisers of neighbours are farther apart than, the bracket, and what was computed."""
    line = Line(problem, domain, deadline)
    bracket = line.bracket()
    if bracket is None:
        return None
    best = bracket[1] - bracket[0]
    for gap in gaps(sp.Rational(lower), bracket):
        if not all(excludes(line, sides, gap, bracket) for sides in sides_of(n, change)):
            if spent() > deadline:
                break
            continue
        best = min(best, gap)
    return best, bracket, line
