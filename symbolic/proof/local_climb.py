"""Points with large values, found in floating point and made rational: what they are worth is measured in balls elsewhere."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

import numpy as np
from flint import arb, fmpq

from ..arrays import Floats
from . import intervals as iv
from .interval_tape import Over, Tape
from .work import spent

Ends = Sequence[tuple[fmpq, fmpq]]
STARTS, SHARES, DRAWN, STEPS = 6, 40, 60, 400


def climbs(tape: Tape, box: Ends, inequalities: int, end: int | None) -> Iterator[list[fmpq]]:
    """Points of the box near local maxima of output 0 where the other outputs are <= 0 (or 0, after `inequalities`)."""
    from scipy.optimize import minimize

    problem = _Problem(tape, box)
    rng = np.random.default_rng(0)
    constraints = [
        {"type": "ineq" if k <= inequalities else "eq", "fun": problem.constraint(k), "jac": problem.slope(k)}
        for k in range(1, len(tape.outputs))
    ]
    inner: Floats | None = None
    begins = [np.full(len(box), 0.5)]
    if len(tape.outputs) > inequalities + 1 or not constraints:
        begins.append(rng.random(len(box)))
    else:
        begins.append(problem.walk(rng))
        yield from problem.points(begins[1])
    for s in range(STARTS):
        if end is not None and spent() > end:
            return
        begin = begins[s] if s < len(begins) else rng.random(len(box))
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            try:
                found = minimize(  # type: ignore[call-overload]
                    problem.cost,
                    begin,
                    jac=problem.cost_slope,
                    bounds=[(0.0, 1.0)] * len(box),
                    constraints=constraints,
                    method="SLSQP",
                    options={"maxiter": 60, "ftol": 1e-14},
                )
            except (ValueError, ArithmeticError):
                continue
        if not np.all(np.isfinite(found.x)):
            continue
        share = np.clip(found.x, 0.0, 1.0)
        yield from problem.points(share)
        if constraints:
            inner = problem.inside(inner, begin)
            if inner is not None:
                yield from problem.towards(share, inner, inequalities)


class _Problem:
    """The box as the unit cube."""

    def __init__(self, tape: Tape, box: Ends) -> None:
        self.tape, self.box = tape, box
        self.low = np.array([_float(a) for a, _ in box])
        self.width = np.array([_float(b - a) for a, b in box])
        self._last: tuple[bytes, Over | None] = (b"", None)

    def at(self, share: Floats) -> Over | None:
        key = np.asarray(share, dtype=float).tobytes()
        if self._last[0] != key:
            x = self.low + np.clip(share, 0.0, 1.0) * self.width
            try:
                over: Over | None = self.tape.over([(arb(float(v)), arb(float(v))) for v in x])
            except iv.OutsideError:
                over = None
            self._last = (key, over)
        return self._last[1]

    def value(self, k: int, share: Floats) -> float:
        over = self.at(share)
        if over is None:
            return float("nan")
        low, high = over.values[self.tape.outputs[k]]
        return (float(low.mid()) + float(high.mid())) / 2

    def gradient(self, k: int, share: Floats) -> Floats:
        over = self.at(share)
        if over is None:
            return np.zeros(len(self.box))
        slopes = self.tape.slopes(over, k)
        middle = np.array([(float(a.mid()) + float(b.mid())) / 2 for a, b in slopes])
        return np.asarray(np.clip(np.nan_to_num(middle), -1e12, 1e12) * self.width)

    def walk(self, rng: np.random.Generator) -> Floats:
        """A point that random steps of all lengths lead to: corners of values do not stop them."""

        def worth(share: Floats) -> float:
            inside = all(self.value(k, share) <= 0 for k in range(1, len(self.tape.outputs)))
            return -self.cost(share) if inside else -1e101

        here = np.asarray(max(rng.random((DRAWN, len(self.box))), key=worth))
        height, step = worth(here), 0.3
        for _ in range(STEPS):
            moved = rng.random(len(here)) < rng.choice([0.3, 1.0])
            there = np.clip(here + step * rng.standard_normal(len(here)) * moved, 0.0, 1.0)
            reached = worth(there)
            if reached > height:
                here, height, step = there, reached, min(1.6 * step, 0.5)
            else:
                step = max(0.93 * step, 1e-9) if rng.random() > 0.02 else 0.3
        return here

    def cost(self, share: Floats) -> float:
        value = self.value(0, share)
        return -value if np.isfinite(value) else 1e100

    def cost_slope(self, share: Floats) -> Floats:
        return -self.gradient(0, share)

    def constraint(self, k: int) -> Callable[[Floats], float]:
        return lambda share: -self.value(k, share)

    def slope(self, k: int) -> Callable[[Floats], Floats]:
        return lambda share: -self.gradient(k, share)

    def inside(self, known: Floats | None, share: Floats) -> Floats | None:
        """A point at which all constraints hold strictly, if one is met by chance."""
        if known is not None:
            return known
        fits = all(self.value(k, share) < 0 for k in range(1, len(self.tape.outputs)))
        return share if fits else None

    def points(self, share: Floats) -> Iterator[list[fmpq]]:
        """The point with simple numbers, and as it is."""
        for digits in (10**3, 10**12):
            yield [a + (b - a) * _simple(float(s), digits) for s, (a, b) in zip(share, self.box, strict=True)]

    def towards(self, share: Floats, inner: Floats, inequalities: int) -> Iterator[list[fmpq]]:
        """The farthest point on the way from an inner point that is still inside."""
        for k in range(SHARES, 0, -1):
            point = inner + (share - inner) * (1 - 2.0**-k)
            if all(self.value(j, point) < 0 for j in range(1, inequalities + 1)):
                yield from self.points(point)
                return


def _float(x: fmpq) -> float:
    return float(Fraction(int(x.p), int(x.q)))


def _simple(share: float, digits: int) -> fmpq:
    near = Fraction(share).limit_denominator(digits)
    return fmpq(near.numerator, near.denominator)
