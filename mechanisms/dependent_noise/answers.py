"""A policy that draws its answer from a finite list, with probabilities that depend on x."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import sympy as sp
from numpy.typing import ArrayLike, NDArray

from ...symbolic.arrays import Floats
from .problem import PolicyProblem


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


def _share(before: float, after: float) -> float:
    if np.isinf(before) or np.isinf(after):
        return 0.0 if np.isinf(after) and not np.isinf(before) else 1.0
    return before / (before + after) if before + after > 0 else 0.0
