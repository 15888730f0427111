"""Problem 2 or 3 solved: a policy, what it costs, and a bound below which no policy gets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from ...symbolic.arrays import Floats
from .answers import RandomisedAnswers
from .cone_program import ConeSolution, solve_cones
from .lower_bound import DualMultipliers
from .problem import PolicyProblem, cosine_information
from .weight import X, numeric

Progress = Callable[[str, float], None]

ROOM = 40_000  # pairs of answers and nodes: more take minutes


@dataclass(frozen=True)
class PolicySolution:
    """The best policy found, on [nodes[0], nodes[-1]]; outside of it (mass `outside`) cosine noise.

    `cost` is what it costs on all of X; `lower_bound` holds for every policy, smooth or not, whatever its
    density; both are exact up to rounding and the quadrature of 1/p.  `information` is I(x) on each interval,
    `end_flux` the largest p |d sqrt(law)/dx| in the interval at an end of X: stationarity asks for 0 there.
    """

    problem: PolicyProblem
    policy: RandomisedAnswers
    cost: float
    lower_bound: float
    multipliers: DualMultipliers | None
    information: Floats
    end_flux: float
    outside: float
    status: str

    @property
    def gap(self) -> float:
        """(cost - lower bound)/cost, 0 for a policy that costs nothing."""
        return (self.cost - self.lower_bound) / self.cost if self.cost > 0 else 0.0


def solve_policy(
    problem: PolicyProblem, cells: int = 16, tail: float = 1e-4, progress: Progress | None = None
) -> PolicySolution:
    """The optimal policy with answers and values of f on a grid of `cells` steps per width of W.

    Unbounded X (for a query without turning points and a bounded W) is cut where p has mass `tail`; the policy
    is led into cosine noise there, whose cost beyond is counted.  Raises ValueError where the problem is too
    large, or X is unbounded and the query or W does not allow that.
    """
    if cells < 4:
        raise ValueError(f"a grid has at least 4 cells per width of W, got {cells}")
    say = progress or (lambda *_: None)
    ends = problem.weight.truncated(tail)
    cut = not problem.weight.bounded
    turning = problem.turning_points(*ends)
    if cut and (not problem.noise_bounded or len(turning)):
        raise ValueError(
            "an unbounded X needs a bounded W and a query without turning points: what happens beyond the cut "
            "is only bounded for cosine noise there; use a weight on a bounded X"
        )
    values = problem.answer(np.array([*ends, *turning]))
    if problem.rho == 0 and not cut and np.ptp(values) <= float(problem.width):
        return _common(problem, ends, float(values.min() + values.max()) / 2)
    levels, answers, step = _grid(problem, values, cells, cut)
    nodes = _nodes(problem, ends, turning, levels, cells)
    possible = _possible(problem, nodes, answers, step)
    if possible.sum() > ROOM:
        raise ValueError(
            f"{possible.sum()} unknown probabilities, at most {ROOM} are tried: take fewer cells"
        )
    say("cone program", float(possible.sum()))
    pinned = _pins(problem, nodes, answers, step) if cut else {}
    resistances = problem.weight.resistances(nodes)
    found = solve_cones(resistances, possible, _potential(problem, nodes, answers), pinned)
    policy = RandomisedAnswers(nodes, answers, _trimmed(found.probabilities))
    cost = policy.cost(problem)
    outside = 0.0
    if cut:
        outside = problem.weight.mass(float(problem.weight.lower), ends[0])
        outside += problem.weight.mass(ends[1], float(problem.weight.upper))
        cost += _cost_beyond(problem, ends)
    say("lower bound", cost)
    multipliers = best_multipliers(problem, policy, found)
    bound = multipliers.value() if multipliers else 0.0
    say("done", bound)
    return _result(problem, policy, cost, bound, multipliers, resistances, outside, found.status)


def _common(problem: PolicyProblem, ends: tuple[float, float], centre: float) -> PolicySolution:
    answer = centre + float(problem.middle)
    policy = RandomisedAnswers(np.array(ends), np.array([answer]), np.ones((1, 2)))
    nothing = np.zeros(1)
    return PolicySolution(problem, policy, 0.0, 0.0, None, nothing, 0.0, 0.0, "one answer is always possible")


def _grid(problem: PolicyProblem, values: Floats, cells: int, cut: bool) -> tuple[Floats, Floats, float]:
    """Values of f that become nodes, the answers tried, and the step between neighbours of one family.

    Answers beyond `low` and `high` can be moved there: still possible wherever they were, they tell no more
    and, nearest to f + (the point of W next to 0), are no further off.
    """
    least, most = float(values.min()), float(values.max())
    below, above = (float(end) for end in problem.noise)
    if not problem.noise_bounded or problem.rho > 0:
        near = min(max(0.0, below), above)
        low, high = least + near, most + near
        step = (most - least) / cells
        if problem.noise_bounded:
            step = float(problem.width) / np.ceil(
                float(problem.width) / min(step, float(problem.width) / cells)
            )
    else:
        low, high, step = least + above, most + below, float(problem.width) / cells
    if cut:
        low, high = least + below, most + above
    count = int(np.ceil((most - least) / step - 1e-9))
    # Two families, so that both ends of X are nodes and the answers' last possible values of f are, too.
    levels = np.concatenate([least + step * np.arange(count + 1), most - step * np.arange(count + 1)])
    anchors = [end for end in (below, above) if np.isfinite(end)] or [0.0]
    shifts = step * np.arange(-count - cells - 1, count + cells + 2)
    answers = np.concatenate([side + anchor + shifts for side in (least, most) for anchor in anchors])
    answers = _distinct(answers[(answers >= low - 1e-9 * step) & (answers <= high + 1e-9 * step)], step)
    return _distinct(levels[(levels >= least) & (levels <= most)], step), answers, step


def _distinct(values: Floats, step: float) -> Floats:
    ordered = np.sort(values)
    return np.asarray(ordered[np.concatenate([[True], np.diff(ordered) > 1e-6 * step])])


def _nodes(
    problem: PolicyProblem, ends: tuple[float, float], turning: Floats, levels: Floats, cells: int
) -> Floats:
    """Points of X where f takes one of the levels, the ends, the turning points, and none too far apart."""
    cuts = np.array([ends[0], *turning, ends[1]])
    found = [*cuts]
    for a, b in pairwise(cuts):
        start, stop = problem.answer(np.array([a, b]))
        for level in levels[(levels > min(start, stop)) & (levels < max(start, stop))]:
            goal = float(level)
            found.append(brentq(lambda x, goal=goal: float(problem.answer(x)) - goal, a, b, xtol=1e-14))
    nodes = _distinct(np.array(found), (ends[1] - ends[0]) / 1e4)
    nodes[0], nodes[-1] = ends
    widest = (ends[1] - ends[0]) / (4 * cells)
    filled = [np.linspace(a, b, int(np.ceil((b - a) / widest - 1e-9)) + 1)[:-1] for a, b in pairwise(nodes)]
    return np.append(np.concatenate(filled), ends[1])


def _possible(problem: PolicyProblem, nodes: Floats, answers: Floats, step: float) -> NDArray[np.bool_]:
    """Which answers stay in W on both intervals beside a node; f is monotone on each interval."""
    noise = answers[:, None] - problem.answer(nodes)[None, :]
    below, above = (float(end) for end in problem.noise)
    inside = (noise >= below - 1e-9 * step) & (noise <= above + 1e-9 * step)
    possible = inside.copy()
    possible[:, 1:] &= inside[:, :-1]
    possible[:, :-1] &= inside[:, 1:]
    return possible


def _pins(problem: PolicyProblem, nodes: Floats, answers: Floats, step: float) -> dict[int, Floats]:
    """At a cut end of X the law of cosine noise on the answers that lie one step apart in the window there."""
    pinned = {}
    for node, end in ((0, problem.weight.lower), (len(nodes) - 1, problem.weight.upper)):
        if end.is_infinite:
            phase = (answers - float(problem.answer(nodes[node])) - float(problem.middle)) / float(
                problem.width
            )
            steps = (phase + 0.5) * float(problem.width) / step
            on_grid = (np.abs(phase) < 0.5 - 1e-6) & (np.abs(steps - np.round(steps)) < 1e-6)
            law = np.where(on_grid, np.cos(np.pi * phase) ** 2, 0.0)
            pinned[node] = law / law.sum()
    return pinned


def _potential(problem: PolicyProblem, nodes: Floats, answers: Floats) -> Floats | None:
    if problem.rho == 0:
        return None
    half = np.diff(nodes) / 2
    share = np.concatenate([[0.0], half]) + np.concatenate([half, [0.0]])
    noise = answers[:, None] - problem.answer(nodes)[None, :]
    return np.asarray(float(problem.rho) * noise**2 * share * problem.weight.density(nodes))


def _trimmed(table: Floats) -> Floats:
    """Without the solver's dust, which the root of a probability would magnify."""
    kept = np.where(table < 1e-9, 0.0, table)
    return np.asarray(kept / kept.sum(axis=0))


def _cost_beyond(problem: PolicyProblem, ends: tuple[float, float]) -> float:
    """Cosine noise outside of `ends`: 4 pi^2/L^2 int p f'^2, plus rho times its second moment."""
    from scipy.integrate import quad

    slope, total = numeric(problem.slope, X), 0.0
    for a, b in ((float(problem.weight.lower), ends[0]), (ends[1], float(problem.weight.upper))):
        if a < b:
            total += quad(lambda x: float(problem.weight.density(x) * slope(x) ** 2), a, b)[0]
    width, middle = float(problem.width), float(problem.middle)
    moment = width**2 * (1 / 12 - 1 / (2 * np.pi**2)) + middle**2
    mass = 1 - problem.weight.mass(*ends)
    return float(cosine_information(problem)) * total + float(problem.rho) * moment * mass


def best_multipliers(
    problem: PolicyProblem, policy: RandomisedAnswers, found: ConeSolution, fine: int = 32
) -> DualMultipliers | None:
    """The better of two guesses, scaled to feasibility: the policy's own speeds, or the program's multipliers."""
    nodes = policy.places()
    resistances = problem.weight.resistances(nodes)
    keep = np.flatnonzero(np.isfinite(resistances))
    first, last = keep[0], keep[-1] + 1
    part = slice(first, last)
    if not np.all(np.isfinite(resistances[part])):
        return None
    speeds = 4 * (policy.angles() / resistances) ** 2
    shared = (found.multipliers[1:] + found.multipliers[:-1]) / 2 / resistances
    if problem.rho > 0:
        speeds = speeds + _charges(problem, policy)
    best: DualMultipliers | None = None
    # A potential is only bounded on each interval: shorter ones lose less.
    split = 4 if problem.rho > 0 else 1
    kept = nodes[first : last + 1]
    finer = np.append((kept[:-1, None] + np.diff(kept)[:, None] * np.arange(split) / split).ravel(), kept[-1])
    for rates in (speeds, shared):
        guess = DualMultipliers(
            problem,
            finer,
            np.repeat(np.maximum(rates[part], 0.0), split),
            fine // (2 * split) if split > 1 else fine,
        )
        scaled = guess.repaired()
        if best is None or scaled.value() > best.value():
            best = scaled
    return best


def _charges(problem: PolicyProblem, policy: RandomisedAnswers) -> Floats:
    """rho p^2 E w^2 on each interval, at its middle."""
    nodes = policy.places()
    middle = (nodes[1:] + nodes[:-1]) / 2
    noise = np.array([float(y) for y in policy.answers])[:, None] - problem.answer(middle)
    moment = (policy.law(problem, middle) * noise**2).sum(axis=0)
    return np.asarray(float(problem.rho) * problem.weight.density(middle) ** 2 * moment)


def _result(
    problem: PolicyProblem,
    policy: RandomisedAnswers,
    cost: float,
    bound: float,
    multipliers: DualMultipliers | None,
    resistances: Floats,
    outside: float,
    status: str,
) -> PolicySolution:
    flux = policy.angles() / resistances
    nodes = policy.places()
    information = 4 * (policy.angles() / np.diff(nodes)) ** 2
    ends = [flux[k] for k, end in ((0, problem.weight.lower), (-1, problem.weight.upper)) if end.is_finite]
    largest = float(max(ends, default=0.0))
    return PolicySolution(
        problem, policy, cost, max(bound, 0.0), multipliers, information, largest, outside, status
    )
