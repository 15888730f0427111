"""A functional of the user's own: its Euler-Lagrange equation, second variation, certified candidates and enclosed optimum."""

from __future__ import annotations

import sympy as sp

from ...proof.fact import Fact
from . import candidate, euler_lagrange, solve
from .candidate import FunctionalCertificate
from .euler_lagrange import EulerLagrange, SecondVariation
from .solve import FunctionalSolution
from .stated_functional import StatedFunctional


class Functional(StatedFunctional):
    """A problem of the calculus of variations: the function u of least integral of F(x, u, u') on (low, high), under constraints.

    `minimise` (or `maximise`) is F in sympy, `unknown` the function u(x), `over` the triple (x, low, high), `subject_to` equations
    sp.Eq(sp.Integral(G, (x, low, high)), value), `boundary` the values at ends that are not free; density=True asks for u > 0 of
    mass one, `positive` for u > 0. SpecError for anything else. Source: I. M. Gelfand and S. V. Fomin, Calculus of Variations (1963).

    >>> x, p = sp.Symbol("x"), sp.Function("p")
    >>> noise = npf.Functional(p(x).diff(x) ** 2 / p(x), p(x), (x, 0, 1), boundary={0: 0, 1: 0}, density=True)
    >>> noise.certify(2 * sp.sin(sp.pi * x) ** 2).verdict
    'PROVED'
    """

    def euler_lagrange(self) -> EulerLagrange:
        """The equation that a smooth minimiser obeys, with its natural boundary conditions and multipliers."""
        return euler_lagrange.euler_lagrange(self)

    def second_variation(self) -> SecondVariation:
        """The quadratic form of second order, and Legendre's condition."""
        return euler_lagrange.second_variation(self)

    def convexity(self) -> Fact:
        """Whether F is convex in (u, u') for every x and all constraints are affine: then extremals are minimisers."""
        return euler_lagrange.convexity(self)

    def certify(self, function: object) -> FunctionalCertificate:
        """Whether this function of x (and of parameters) is the minimiser: PROVED, REFUTED with a better one, or UNDECIDED."""
        return candidate.certify(self, function)

    def solve(self, tolerance: float = 1e-6) -> FunctionalSolution:
        """A minimiser by finite elements of high degree, its value enclosed from both sides where the functional is convex."""
        return solve.solve(self, tolerance)

    def _repr_latex_(self) -> str:
        shown = sp.Integral(
            self.sign * self.written(self.integrand), (self.unknown.args[0], self.low, self.high)
        )
        return f"$\\{'min' if self.sign == 1 else 'max'} {sp.latex(shown)}$"
