"""A program of the user's own, and what can be asked of it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from ..proof.apart import at_once
from .certificate import PointCertificate
from .convexity import Convexity, convexity
from .derivative import Derivative, derivative
from .dual import Dual, dual
from .formulas import certify
from .kkt import KKTConditions, fritz_john, kkt
from .solve import Solution, solve
from .stated_program import StatedProgram


class Program(StatedProgram):
    """An optimisation problem: min (or max) of an expression over variables under constraints, for all parameters in their domains.

    `minimise` (or `maximise`) and the relations of `subject_to` are sympy expressions in the symbols of `over` and `parameters`;
    NormCone and PSD stand beside relations. What the symbols were declared to be is part of the program: x >= 0 for a symbol that is
    nonnegative, the open set x > 0 for one that is positive, integers for an integer; symbols without assumptions are real.
    `domains` gives the open interval of a parameter by its name. SpecError for what is no program. Source: Boyd and Vandenberghe
    2004, Convex optimization, chapters 4 and 5.

    >>> x, t = sp.symbols("x t", real=True)
    >>> nearest = npf.Program(minimise=(x - t) ** 2, over=[x], subject_to=[x >= 0], parameters=[t])
    >>> nearest.solve().minimiser[x], nearest.certify({x: sp.Max(0, t)}).verdict
    (Piecewise((t, t >= 0), (0, t <= 0)), 'PROVED')
    """

    def kkt(self) -> KKTConditions:
        """The conditions of Karush, Kuhn and Tucker as equations; SpecError where a nonsmooth term cannot be lifted."""
        return kkt(self)

    def fritz_john(self) -> KKTConditions:
        """The conditions that hold at every minimiser, whether or not a constraint qualification does."""
        return fritz_john(self)

    def convexity(self) -> Convexity:
        """Of objective, constraints and program: proved for all parameters, refuted by two points and their middle, or open."""
        return convexity(self)

    def dual(self) -> Dual:
        """The Lagrange dual, where the least value of the Lagrangian has a closed form; each of its values is a lower bound."""
        return at_once(partial(dual, self))

    def certify(self, point: Any, *, tolerance: Any = 0, effort: float = 1.0) -> PointCertificate:
        """Whether the point (numbers, or formulas in the parameters) is a minimiser: PROVED, REFUTED with a better one, UNDECIDED."""
        return at_once(partial(certify, self, point, tolerance=tolerance, effort=effort), effort)

    def solve(self, *, effort: float = 1.0) -> Solution:
        """The minimiser (or maximiser) with its proof: by cases of the parameters, or numbers; says what has none."""
        return at_once(partial(solve, self, effort=effort), effort)

    def derivative(
        self, parameters: Any = None, *, at: Mapping[Any, Any], point: Any = None, effort: float = 1.0
    ) -> Derivative:
        """How the minimiser moves with the parameters at the values `at`: a matrix, one-sided ones, or why there is none."""
        work = partial(derivative, self, parameters, at=at, point=point, effort=effort)
        return at_once(work, effort)
