"""What is left of an outcome's information once it is censored, truncated, rounded or blurred by noise.

The slope of the probability of an event is the mean of the score on it (differentiation under the integral, which regular families
allow), so that every answer is made of integrals of 1, s_i and s_i s_j times the density over parts of the line.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sympy as sp
from flint import arb

from ..laws.convolution import convolved, normal_moments
from ..laws.enclosed_expectation import enclosed_expectation
from ..laws.law import Law, exact, smooth_derivative
from ..laws.parts_of_line import closed_part
from ..proof.derivation import Step
from ..proof.enclosure import NotEnclosableError, sign

Balls = list[list[arb]]
Encloser = Callable[[Mapping[sp.Symbol, sp.Expr], float], Balls]
PROCESSED = (
    "what is computed from the outcome of a regular family is a regular family, with no more information"
    " (Ibragimov and Has'minskii 1981, I.7; Lehmann and Casella 1998, problem 2.5.20)"
)
CONDITIONED = "a regular family under a condition of positive probability is regular: the root of its density is the old one times a smooth factor"
BLURRED = "independent noise is processing: the sum of a regular outcome and noise is regular, with no more information"
_CELLS = 4096
_TRIES = (1e-1, 1e-5, 1e-10)


@dataclass(frozen=True)
class Rest:
    """What is left after `what`: the exact matrix or None, steps that lead there, balls at a point."""

    what: str
    lemma: str
    value: sp.ImmutableMatrix | None
    steps: tuple[Step, ...]
    encloser: Encloser | None


@dataclass(frozen=True)
class _Parts:
    """Integrals over parts of the line, of a law at values of its parameters."""

    law: Law
    scores: tuple[sp.Expr, ...]

    @classmethod
    def of(cls, law: Law, parameters: Sequence[sp.Symbol], at: Mapping[sp.Symbol, sp.Expr]) -> _Parts:
        return cls(law.at(dict(at)), tuple(s.subs(dict(at)) for s in _scores(law, parameters)))

    def mean(self, function: sp.Expr, ends: tuple[sp.Expr, sp.Expr], tolerance: float) -> arb:
        return enclosed_expectation(self.law, function, tolerance, ends)

    def event(self, ends: tuple[sp.Expr, sp.Expr], tolerance: float) -> tuple[arb, list[arb]]:
        """The probability of lying between the ends, and its slopes."""
        return self.mean(sp.Integer(1), ends, tolerance), [self.mean(s, ends, tolerance) for s in self.scores]

    def products(self, ends: tuple[sp.Expr, sp.Expr], tolerance: float) -> Balls:
        """The means of s_i s_j between the ends."""
        k = len(self.scores)
        out = [[arb(0)] * k for _ in range(k)]
        for i in range(k):
            for j in range(i + 1):
                out[i][j] = out[j][i] = self.mean(self.scores[i] * self.scores[j], ends, tolerance)
        return out

    def told(self, ends: tuple[sp.Expr, sp.Expr], tolerance: float) -> Balls:
        """p' p'^T / p of the event between the ends; where p may be 0, what all outcomes there would tell is the bound."""
        k, chance, slopes = range(len(self.scores)), arb(0), list[arb]()
        for share in _TRIES:
            chance, slopes = self.event(ends, tolerance * share)
            if chance > 0:
                found = [[a * b / chance for b in slopes] for a in slopes]
                if all(float(b.rad()) <= tolerance for row in found for b in row):
                    return found
        most = [abs(self.mean(s**2, ends, tolerance * _TRIES[0])).upper() for s in self.scores]
        return [
            [(arb(0) if i == j else -(most[i] * most[j]).sqrt()).union((most[i] * most[j]).sqrt()) for j in k]
            for i in k
        ]


def _scores(law: Law, parameters: Sequence[sp.Symbol]) -> tuple[sp.Expr, ...]:
    formula = law.log_density()
    return tuple(smooth_derivative(formula, p) for p in parameters)


def _refined(balls: Callable[[float], Balls], tolerance: float) -> Balls:
    """The balls at an inner tolerance that is made finer until the outer one is met."""
    found: Balls = []
    for share in _TRIES:
        found = balls(tolerance * share)
        if all(b.is_finite() and float(b.rad()) <= tolerance for row in found for b in row):
            break
    return found


def _added(one: Balls, two: Balls) -> Balls:
    return [[a + b for a, b in zip(r, s, strict=True)] for r, s in zip(one, two, strict=True)]


def _ends(lower: Any, upper: Any) -> tuple[sp.Expr, sp.Expr]:
    low = -sp.oo if lower is None or lower == "-oo" else exact(lower, "lower")
    high = sp.oo if upper is None or upper == "oo" else exact(upper, "upper")
    if (low, high) == (-sp.oo, sp.oo):
        raise ValueError("give lower, upper or both: the numbers between which an outcome is seen")
    if low.free_symbols or high.free_symbols:
        raise ValueError(f"lower and upper are numbers, got {lower!r} and {upper!r}")
    if low.is_finite and high.is_finite and sign(high - low) != 1:
        raise ValueError(f"lower must lie below upper, got {lower!r} and {upper!r}")
    return low, high


def censored(law: Law, parameters: Sequence[sp.Symbol], lower: Any, upper: Any) -> Rest:
    """The density between the ends, and an atom at each for what lies beyond."""
    ends = _ends(lower, upper)
    beyond = [e for e in ((-sp.oo, ends[0]), (ends[1], sp.oo)) if e[0] != e[1]]

    def encloser(at: Mapping[sp.Symbol, sp.Expr], tolerance: float) -> Balls:
        parts = _Parts.of(law, parameters, at)

        def balls(fine: float) -> Balls:
            total = parts.products(ends, fine)
            for event in beyond:
                total = _added(total, parts.told(event, fine))
            return total

        return _refined(balls, tolerance)

    what = f"censoring {_said(ends)}"
    scores = _scores(law, parameters)
    inner = _closed_products(law, scores, ends)
    if inner is None:
        return Rest(what, PROCESSED, None, (), encloser)
    value, steps = inner
    for event in beyond:
        known = _closed_event(law, scores, event)
        if known is None:
            return Rest(what, PROCESSED, None, (), encloser)
        chance, slopes, more = known
        if chance != 0:
            value += slopes * slopes.T / chance
            steps += more
    return Rest(what, PROCESSED, _tidy(value), tuple(steps), encloser)


def truncated(law: Law, parameters: Sequence[sp.Symbol], lower: Any, upper: Any) -> Rest:
    """The covariance of the scores under the condition that the outcome lies between the ends."""
    ends = _ends(lower, upper)

    def encloser(at: Mapping[sp.Symbol, sp.Expr], tolerance: float) -> Balls:
        parts = _Parts.of(law, parameters, at)

        def balls(fine: float) -> Balls:
            chance, slopes = parts.event(ends, fine)
            whole = parts.products(ends, fine)
            if not chance > 0:
                raise NotEnclosableError(f"that outcomes lie {_said(ends)} may have no probability")
            k = range(len(slopes))
            return [[whole[i][j] / chance - slopes[i] * slopes[j] / chance**2 for j in k] for i in k]

        return _refined(balls, tolerance)

    what, scores = f"truncation {_said(ends)}", _scores(law, parameters)
    whole = _closed_products(law, scores, ends)
    event = None if whole is None else _closed_event(law, scores, ends)
    if whole is None or event is None or event[0] == 0:
        return Rest(what, CONDITIONED, None, (), encloser)
    chance, slopes, steps = event
    value = _tidy(whole[0] / chance - slopes * slopes.T / chance**2)
    return Rest(what, CONDITIONED, value, (*whole[1], *steps), encloser)


def rounded(law: Law, parameters: Sequence[sp.Symbol], step: Any, offset: Any) -> Rest:
    """One event for each number of the grid; the rest of them tells at most what all outcomes there would."""
    width, start = exact(step, "step"), exact(offset, "offset")
    if width.is_positive is not True or width.free_symbols or start.free_symbols:
        raise ValueError(f"step must be a number above 0 and offset a number, got {step!r} and {offset!r}")

    def cell(k: int) -> tuple[sp.Expr, sp.Expr]:
        return start + (k - sp.Rational(1, 2)) * width, start + (k + sp.Rational(1, 2)) * width

    def encloser(at: Mapping[sp.Symbol, sp.Expr], tolerance: float) -> Balls:
        parts = _Parts.of(law, parameters, at)
        first, last = _range(parts, cell, tolerance / 8)
        rest = _left(parts, cell(first)[0], cell(last)[1], tolerance / 8)
        fine = tolerance / (64 * (last - first + 1))
        k = range(len(parts.scores))
        total = [[rest if i == j else rest.union(-rest) for j in k] for i in k]
        for place in range(first, last + 1):
            total = _added(total, parts.told(cell(place), fine))
        return total

    return Rest(f"rounding to {start} + k {width}", PROCESSED, None, (), encloser)


def _left(parts: _Parts, lower: sp.Expr, upper: sp.Expr, tolerance: float) -> arb:
    """A ball from 0 to the trace of what outcomes outside of two ends tell."""
    total = arb(0)
    for ends in ((-sp.oo, lower), (upper, sp.oo)):
        for s in parts.scores:
            total += parts.mean(s**2, ends, tolerance / (4 * len(parts.scores)))
    return abs(total).upper().union(arb(0))


def _range(
    parts: _Parts, cell: Callable[[int], tuple[sp.Expr, sp.Expr]], tolerance: float
) -> tuple[int, int]:
    """Cells around the middle beyond which next to nothing is told."""
    width = cell(0)[1] - cell(0)[0]

    def place(e: sp.Expr) -> int:
        return int(sp.floor((e - cell(0)[0]) / width))

    lower, upper = (place(e) if e.is_finite else None for e in parts.law.support)
    centre = place(sp.Rational(str(float(parts.law.quantile(0.5)))))
    reach = 4
    while 2 * reach <= _CELLS:
        first = centre - reach if lower is None else max(lower, centre - reach)
        last = centre + reach if upper is None else min(upper, centre + reach)
        if float(_left(parts, cell(first)[0], cell(last)[1], tolerance).rad()) <= tolerance:
            return first, last
        reach *= 2
    raise NotEnclosableError(f"more than {_CELLS} numbers of the grid would have to be looked at")


def noisy(law: Law, parameters: Sequence[sp.Symbol], noise: Law) -> Rest:
    """The law of the sum: exact where both are normal, else by the convolution where it closes."""
    if not isinstance(noise, Law) or noise.discrete:
        raise ValueError(f"noise is a law with a density, got {noise!r}")
    if shared := sorted(str(s) for s in noise.free_symbols & law.free_symbols):
        raise ValueError(f"the noise is independent of the parameters, but contains {', '.join(shared)}")
    what = f"adding {noise.name}"
    one, two = normal_moments(law), normal_moments(noise)
    if one is not None and two is not None:
        mean, variance = one[0] + two[0], sp.simplify(one[1] + two[1])
        m, v = ([sp.diff(e, p) for p in parameters] for e in (mean, variance))
        k = len(parameters)
        value = sp.ImmutableMatrix(
            k, k, lambda i, j: sp.simplify(m[i] * m[j] / variance + v[i] * v[j] / (2 * variance**2))
        )
        steps = (
            Step(variance - one[1] - two[1], "=", sp.Integer(0), "variances of independent numbers add up"),
        )
        return Rest(what, BLURRED, value, steps, None)
    whole = convolved(law, noise)
    if whole is None:
        return Rest(what, BLURRED, None, (), None)

    def encloser(at: Mapping[sp.Symbol, sp.Expr], tolerance: float) -> Balls:
        return _Parts.of(whole, parameters, at).products((-sp.oo, sp.oo), tolerance)

    return Rest(what, BLURRED, None, (), encloser)


def _closed_products(
    law: Law, scores: Sequence[sp.Expr], ends: tuple[sp.Expr, sp.Expr]
) -> tuple[sp.Matrix, list[Step]] | None:
    k, steps = len(scores), list[Step]()
    value = sp.zeros(k, k)
    for i in range(k):
        for j in range(i + 1):
            found = closed_part(law, scores[i] * scores[j], ends)
            if found is None:
                return None
            value[i, j] = value[j, i] = found.value
            steps += found.steps
    return value, steps


def _closed_event(
    law: Law, scores: Sequence[sp.Expr], ends: tuple[sp.Expr, sp.Expr]
) -> tuple[sp.Expr, sp.Matrix, list[Step]] | None:
    known = []
    for function in (sp.Integer(1), *scores):
        found = closed_part(law, function, ends)
        if found is None:
            return None
        known.append(found)
    return known[0].value, sp.Matrix([f.value for f in known[1:]]), [s for f in known for s in f.steps]


def _tidy(matrix: sp.Matrix) -> sp.ImmutableMatrix:
    """A symmetric matrix, each of its entries simplified once."""
    k = matrix.shape[0]
    entries = {(i, j): sp.simplify(matrix[i, j]) for i in range(k) for j in range(i + 1)}
    return sp.ImmutableMatrix(k, k, lambda i, j: entries[max(i, j), min(i, j)])


def _said(ends: tuple[sp.Expr, sp.Expr]) -> str:
    if ends[0] == -sp.oo:
        return f"below {ends[1]}"
    return f"above {ends[0]}" if ends[1] is sp.oo else f"between {ends[0]} and {ends[1]}"
