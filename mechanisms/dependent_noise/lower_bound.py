"""A lower bound on the cost of every policy, from multipliers mu(x) that are checked to be dual feasible.

For v(y, x), the root of the density of the answer y at x, the cost is int p int 4 v_x^2 + rho (y - f)^2 v^2 dy dx
with int v^2 dy = 1 and v = 0 where y - f(x) leaves W.  If for every y the form int p [4 v'^2 + (rho (y - f)^2 -
mu) v^2] dx is not negative on functions of x that vanish there, the cost is at least int mu p dx: weak duality.
In the coordinate t with dt = dx/p, and mu p^2 constant on each interval between nodes, the form restricted to
its values at the nodes is a tridiagonal matrix with entries from cot and csc, whose pivots decide.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...symbolic.arrays import Floats
from .problem import PolicyProblem
from .sections import Sections, sections_of

Whole = NDArray[np.intp]


@dataclass(frozen=True)
class DualMultipliers:
    """mu p^2 = rates[j] between nodes[j] and nodes[j+1]; `fine` splits each interval to see where W ends.

    A set of x at which some answer is possible is widened to whole fine intervals, which only lowers the bound;
    so does leaving out a part of X beyond the nodes.
    """

    problem: PolicyProblem
    nodes: Floats
    rates: Floats
    fine: int = 32

    @cached_property
    def fine_nodes(self) -> Floats:
        """Nodes and `fine` - 1 points between any two."""
        steps = np.arange(self.fine) / self.fine
        inner = self.nodes[:-1, None] + np.diff(self.nodes)[:, None] * steps
        return np.append(inner.ravel(), self.nodes[-1])

    @cached_property
    def times(self) -> Floats:
        """t at the fine nodes: the integral of 1/p from the first node."""
        steps = self.problem.weight.resistances(self.fine_nodes)
        if not np.all(np.isfinite(steps)):
            place = self.fine_nodes[int(np.flatnonzero(~np.isfinite(steps))[0])]
            raise ValueError(
                f"int 1/p diverges near x = {place:.6g}: leave out a zero of p, or split X there"
            )
        return np.concatenate([[0.0], np.cumsum(steps)])

    @cached_property
    def sections(self) -> Sections:
        """Where each answer is possible, on the fine nodes."""
        return sections_of(self.problem, self.fine_nodes)

    def value(self) -> float:
        """int mu p dx, the bound if `feasible`."""
        return float(np.sum(self.rates * np.diff(self.times[:: self.fine])))

    def feasible(self) -> bool:
        """Whether every section's form is positive, in floating point."""
        return not self._failing(self.rates).any()

    def repaired(self, rounds: int = 300, factor: float = 0.99) -> DualMultipliers:
        """Feasible multipliers: lowered by `factor` where a section fails, until none does, then scaled."""
        rates, left = self.rates, self.sections
        for _ in range(rounds):
            # Lower multipliers never harm a section that passed: only the others are looked at again.
            left = left.chosen(self._failing(rates, left))
            if not len(left):
                break
            touched = np.zeros(len(rates) + 1)
            np.add.at(touched, left.first // self.fine, 1)
            np.add.at(touched, np.minimum(-(-left.last // self.fine), len(rates)), -1)
            rates = np.where(np.cumsum(touched)[:-1] > 0, factor * rates, rates)
        return replace(self, rates=rates).scaled()

    def scaled(self, highest: float = 1.02, steps: int = 12) -> DualMultipliers:
        """The multipliers times the largest factor up to `highest` that keeps them feasible, to 2^-steps."""
        low, high = 0.0, highest
        for guess in (1.0, *([None] * steps)):
            middle = (low + high) / 2 if guess is None else guess
            low, high = (low, middle) if self._failing(middle * self.rates).any() else (middle, high)
        return replace(self, rates=low * self.rates)

    def _failing(self, rates: Floats, sections: Sections | None = None) -> NDArray[np.bool_]:
        """Which sections have a pivot that is not positive; all at once, one node after the other."""
        chosen = self.sections if sections is None else sections
        return _failing(self, rates, chosen)


def chain_ends(dual: DualMultipliers, sections: Sections) -> tuple[Whole, Whole, Whole, Whole]:
    """(left, right, begin, end): v is zero at fine nodes left, right (or free at an end of X); nodes between."""
    last = len(dual.fine_nodes) - 1
    left, right = np.maximum(sections.first - 1, 0), np.minimum(sections.last + 1, last)
    begin, end = -(-left // dual.fine), right // dual.fine
    begin = np.where((sections.first > 0) & (begin * dual.fine == left), begin + 1, begin)
    end = np.where((sections.last < last) & (end * dual.fine == right), end - 1, end)
    return left, right, begin, end


def _failing(dual: DualMultipliers, rates: Floats, sections: Sections) -> NDArray[np.bool_]:
    left, right, begin, end = chain_ends(dual, sections)
    free_start, free_end = sections.first == 0, sections.last == len(dual.fine_nodes) - 1
    coarse = dual.times[:: dual.fine]
    tau, intervals = np.diff(coarse), len(coarse) - 1
    potentials, rows = _potentials(dual, sections), np.arange(len(sections))

    def curvature(interval: Whole) -> Floats:
        charge = potentials[rows, interval] if potentials is not None else 0.0
        return np.asarray((rates[interval] - charge) / 4)

    # No node inside: both zeros of v lie in one interval.
    short = begin > end
    failing = short & (
        curvature(np.minimum(end, intervals - 1)) * (dual.times[right] - dual.times[left]) ** 2 > 9.8
    )
    begin = np.minimum(begin, end)
    head, tail = coarse[begin] - dual.times[left], dual.times[right] - coarse[end]
    pivot = np.ones(len(sections))
    for step in range(int(np.max(end - begin, initial=-1)) + 1):
        node = np.minimum(begin + step, end)
        active = (begin + step <= end) & ~short
        before, after = np.maximum(node - 1, 0), np.minimum(node, intervals - 1)
        if step == 0:
            grown = np.where(free_start & (node == 0), 0.0, _diagonal(curvature(before), head))
        else:
            grown = _diagonal(curvature(before), tau[before])
            grown = grown - _side(curvature(before), tau[before]) ** 2 / pivot
        closing = np.where(free_end & (node == intervals), 0.0, _diagonal(curvature(after), tail))
        pivot = grown + np.where(node == end, closing, _diagonal(curvature(after), tau[after]))
        failing |= active & ~(pivot > 0)
        pivot = np.where(active & (pivot > 0), pivot, 1.0)
    return failing


def _potentials(dual: DualMultipliers, sections: Sections) -> Floats | None:
    """A lower bound of rho p^2 (y - f)^2 for each section and interval between nodes, None without rho."""
    rho = float(dual.problem.rho)
    if rho == 0:
        return None
    x = dual.fine_nodes
    values, square = dual.problem.answer(x), dual.problem.weight.density(x) ** 2
    shape = (len(dual.nodes) - 1, dual.fine)
    # f and p between two fine nodes lie between their values there up to the curvature of one fine interval.
    low = np.minimum(values[1:], values[:-1]).reshape(shape).min(axis=1)
    high = np.maximum(values[1:], values[:-1]).reshape(shape).max(axis=1)
    weight = np.minimum(square[1:], square[:-1]).reshape(shape).min(axis=1)
    distance = np.maximum(sections.low[:, None] - high, low - sections.high[:, None])
    return np.asarray(rho * weight * np.minimum(np.maximum(distance, 0.0), 1e100) ** 2)


def _diagonal(curvature: Floats, length: Floats) -> Floats:
    """4 k cot(k t) for curvature k^2 > 0, 4 k coth(k t) for -k^2, 4/t for 0; -inf past the first pole."""
    phase = np.sqrt(np.abs(curvature)) * length
    with np.errstate(all="ignore"):
        bent = np.where(curvature > 0, phase / np.tan(phase), phase / np.tanh(phase))
        value = np.where(phase < 1e-8, 4 / length, 4 * bent / length)
    return np.where((curvature > 0) & (phase >= np.pi), -np.inf, value)


def _side(curvature: Floats, length: Floats) -> Floats:
    """4 k / sin(k t), 4 k / sinh(k t) or 4/t: minus the entry beside the diagonal."""
    phase = np.sqrt(np.abs(curvature)) * length
    with np.errstate(all="ignore"):
        bent = np.where(curvature > 0, phase / np.sin(phase), phase / np.sinh(np.minimum(phase, 700.0)))
        return np.where(phase < 1e-8, 4 / length, 4 * bent / length)
