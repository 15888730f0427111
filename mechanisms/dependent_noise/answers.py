"""A policy that draws its answer from a finite list, with probabilities that depend on x."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import sympy as sp
from flint import arb, ctx
from numpy.typing import ArrayLike, NDArray

from ...symbolic.arrays import Floats
from ...symbolic.proof.enclosure import enclose
from .enclosed_integral import enclosed_integral, enclosed_range
from .problem import PolicyProblem
from .weight import X


@dataclass(frozen=True)
class RandomisedAnswers:
    """P(y = answers[i] | x = nodes[j]) = probabilities[i, j]; between nodes the roots move along great circles.

    Fisher information sees a policy as a path on the unit sphere, x -> root of its law, with speed
    sqrt(I)/2, so the cost between two nodes is at least 4 angle^2 / int 1/p, and the arc travelled at a speed
    proportional to 1/p attains it.  An answer that has positive probability at a node must be possible,
    y - f(x) in W, on both intervals beside it.  Nodes run from the lower to the upper end of X.

    Blurring each answer by its own density of small width changes no cost and narrows W by that width; shifting
    x at random by little makes the law smooth in x at a cost that is an average of nearby ones (the information
    is convex); mixing in a little constant noise makes it positive on all of W.  So the infimum over smooth
    positive densities is no larger than the limit of the cost as these three go to zero.
    """

    nodes: Sequence[sp.Expr] | Floats
    answers: Sequence[sp.Expr] | Floats
    probabilities: Floats

    def __post_init__(self) -> None:
        table, nodes = np.asarray(self.probabilities, dtype=float), self.places()
        object.__setattr__(self, "probabilities", table)
        if table.shape != (len(self.answers), len(nodes)) or len(nodes) < 2:
            raise ValueError(
                f"expected probabilities of shape (answers, nodes) = {(len(self.answers), len(nodes))}, got "
                f"{table.shape}"
            )
        if np.any(np.diff(nodes) <= 0):
            raise ValueError("nodes must increase")
        if np.any(table < 0) or np.any(np.abs(table.sum(axis=0) - 1) > 1e-9):
            raise ValueError("the probabilities at each node must be >= 0 and sum to 1")

    def places(self) -> Floats:
        """The nodes as floats."""
        return np.array([float(x) for x in self.nodes])

    def angles(self) -> Floats:
        """The angle between the roots of the laws at neighbouring nodes, in [0, pi/2]."""
        root = np.sqrt(self.probabilities / self.probabilities.sum(axis=0))
        # 2 arcsin(chord/2) keeps small angles accurate where arccos would not.
        chord = np.sqrt(((root[:, 1:] - root[:, :-1]) ** 2).sum(axis=0))
        return np.asarray(2 * np.arcsin(np.minimum(chord / 2, 1.0)))

    def information_cost(self, problem: PolicyProblem) -> float:
        """int p I dx over the nodes' interval, exact up to the quadrature of 1/p."""
        return float(np.sum(4 * self.angles() ** 2 / problem.weight.resistances(self.places())))

    def moment(self, problem: PolicyProblem) -> float:
        """int p E(w^2|x) dx by Gauss-Legendre on each interval."""
        nodes, table = self.places(), np.polynomial.legendre.leggauss(8)
        total = 0.0
        for place, weight in zip(*table, strict=True):
            x = (nodes[1:] + nodes[:-1]) / 2 + np.diff(nodes) / 2 * place
            noise = np.array([float(y) for y in self.answers])[:, None] - problem.answer(x)
            mass = problem.weight.density(x) * weight * np.diff(nodes) / 2
            total += float(np.sum(mass * (self.law(problem, x) * noise**2).sum(axis=0)))
        return total

    def cost(self, problem: PolicyProblem) -> float:
        """J + rho Q over the nodes' interval."""
        rho = float(problem.rho)
        return self.information_cost(problem) + (rho * self.moment(problem) if rho else 0.0)

    def law(self, problem: PolicyProblem, x: ArrayLike) -> Floats:
        """P(y = answers[i] | x), shape (answers, len(x)), on the arcs between the nodes."""
        at, nodes = np.atleast_1d(np.asarray(x, dtype=float)), self.places()
        root = np.sqrt(self.probabilities / self.probabilities.sum(axis=0))
        angle = self.angles()
        place = np.clip(np.searchsorted(nodes, at, side="right") - 1, 0, len(nodes) - 2)
        whole, part = (np.empty(len(at)) for _ in range(2))
        for k, (j, point) in enumerate(zip(place, at, strict=True)):
            cuts = np.array([nodes[j], max(point, nodes[j] + 1e-300), nodes[j + 1]])
            before, after = problem.weight.resistances(cuts)
            whole[k], part[k] = angle[j], angle[j] * _share(before, after)
        with np.errstate(invalid="ignore"):
            first, second = np.sin(whole - part) / np.sin(whole), np.sin(part) / np.sin(whole)
        still = whole < 1e-12
        first, second = np.where(still, 1.0, first), np.where(still, 0.0, second)
        amplitude = first * root[:, place] + second * root[:, place + 1]
        return np.asarray(amplitude**2)

    def density(
        self, problem: PolicyProblem, blur: float
    ) -> Callable[[ArrayLike, ArrayLike], NDArray[np.float64]]:
        """gamma(w|x) with each answer replaced by a cos^4 density on [answer - blur, answer + blur]."""
        places = np.array([float(y) for y in self.answers])

        def gamma(w: ArrayLike, x: ArrayLike) -> Floats:
            noise, at = (np.atleast_1d(np.asarray(v, dtype=float)) for v in (w, x))
            y = noise[:, None] + problem.answer(at)[None, :]
            offset = (y[None, :, :] - places[:, None, None]) / blur
            bump = np.where(np.abs(offset) < 1, 4 / (3 * blur) * np.cos(np.pi / 2 * offset) ** 4, 0.0)
            return np.asarray((bump * self.law(problem, at)[:, None, :]).sum(axis=0))

        return gamma

    def leeway(self, problem: PolicyProblem) -> float:
        """The least distance of a possible noise from the ends of W: negative if the policy leaves W."""
        nodes, low, high = self.places(), float(problem.noise[0]), float(problem.noise[1])
        least = np.inf
        for j in range(len(nodes) - 1):
            x = np.concatenate([nodes[j : j + 2], problem.turning_points(nodes[j], nodes[j + 1], 65)])
            values = problem.answer(x)
            used = np.any(self.probabilities[:, j : j + 2] > 0, axis=1)
            y = np.array([float(a) for a in self.answers])[used]
            least = min(least, float(np.min(y) - values.max() - low), float(high - np.max(y) + values.min()))
        return least

    def enclosed_cost(self, problem: PolicyProblem, bits: int = 128) -> arb:
        """A ball around J; probabilities are read as exact rational weights, normalised at each node.

        Raises ValueError unless X is bounded, rho = 0, the nodes span X and no noise certainly leaves W.
        """
        weight = problem.weight
        if not weight.bounded or problem.rho != 0 or weight.exact_total is None:
            raise ValueError(
                "an enclosed cost needs a bounded X, rho = 0 and a weight with a closed integral"
            )
        nodes = [sp.Rational(x) for x in self.nodes]
        if nodes[0] != weight.lower or nodes[-1] != weight.upper:
            raise ValueError(f"the nodes must span X = [{weight.lower}, {weight.upper}]")
        with ctx.workprec(bits):
            return self._enclosed(problem, nodes, bits)

    def _enclosed(self, problem: PolicyProblem, nodes: list[sp.Rational], bits: int) -> arb:
        total = arb(0)
        for j in range(len(nodes) - 1):
            self._certainly_inside(problem, nodes[j], nodes[j + 1], j)
            roots = [_enclosed_root(self.probabilities[:, k].tolist(), bits) for k in (j, j + 1)]
            chord = sum(((a - b) ** 2 for a, b in zip(*roots, strict=True)), arb(0))
            same = self.probabilities[:, j].tolist() == self.probabilities[:, j + 1].tolist()
            angle = arb(0) if same else 2 * (chord.sqrt() / 2).asin()
            resistance = enclosed_integral(1 / problem.weight.normalised(), X, nodes[j], nodes[j + 1], bits)
            total += 4 * angle**2 / resistance
        return total

    def _certainly_inside(self, problem: PolicyProblem, low: sp.Expr, high: sp.Expr, j: int) -> None:
        if problem.query == X:
            least, most = enclose(low), enclose(high)
        else:
            least, most = enclosed_range(problem.query, X, low, high)
        for i in np.flatnonzero(np.any(self.probabilities[:, j : j + 2] > 0, axis=1)).tolist():
            answer = enclose(sp.Rational(self.answers[i]))
            below, above = (enclose(end) for end in problem.noise)
            if answer - most < below or answer - least > above:
                raise ValueError(f"the answer {self.answers[i]} leaves W for x in [{low}, {high}]")
            # Equality of exact ends is a touch, not a crossing; anything in between is not certain.
            if not (answer - most >= below and answer - least <= above):
                raise ValueError(f"not certain that the answer {self.answers[i]} stays in W: leave more room")


def _enclosed_root(weights: list[float], bits: int) -> list[arb]:
    """The roots of the exact doubles `weights`, normalised to length one."""
    balls = [enclose(sp.Rational(q), bits=bits) for q in weights]
    whole = sum(balls, arb(0)).sqrt()
    return [ball.sqrt() / whole for ball in balls]


def _share(before: float, after: float) -> float:
    if np.isinf(before) or np.isinf(after):
        return 0.0 if np.isinf(after) and not np.isinf(before) else 1.0
    return before / (before + after) if before + after > 0 else 0.0
