"""Signs of numbers, or of formulas in parameters for all values that these may have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import sympy as sp

from ..proof.defined import needs
from ..proof.enclosure import NotEnclosableError, compare, enclose, factored
from ..proof.known_signs import with_known_signs
from ..proof.nonnegative import nonnegative
from ..proof.truth import Truth, all_hold
from .impossible import impossible

_LARGEST_POWER = 60


def as_it_is(e: sp.Expr) -> sp.Expr:
    return e


@dataclass(frozen=True)
class Judge:
    """Decides signs in every set of a cover; each function puts the parameters where they may be in one of them.

    `given` are expressions that are not negative there: an affine formula may follow from affine ones among them.
    """

    cover: tuple[Callable[[sp.Expr], sp.Expr], ...] = (as_it_is,)
    given: tuple[sp.Expr, ...] = ()

    def zero(self, e: sp.Expr) -> Truth:
        return all_hold(self._zero(inside(e)) for inside in self.cover)

    def at_least_zero(self, e: sp.Expr) -> Truth:
        if self.given and self._follows(e):
            return Truth.HOLDS
        return all_hold(self._at_least_zero(inside(e)) for inside in self.cover)

    def _follows(self, e: sp.Expr) -> bool:
        """Whether a combination of what is given shows it (Farkas)."""
        if not e.free_symbols or not e.is_rational_function():
            return False
        rest = sp.Mul(*(f for f in sp.Mul.make_args(factored(e)) if not f.is_positive))
        symbols = sorted({s for x in (rest, *self.given) for s in x.free_symbols}, key=lambda s: s.name)
        return impossible([-rest, *self.given], frozenset([-rest]), symbols)

    def positive(self, e: sp.Expr) -> Truth:
        return all_hold(self._positive(inside(e)) for inside in self.cover)

    @staticmethod
    def _zero(moved: sp.Expr) -> Truth:
        if not moved.free_symbols and _clearly_nonzero(moved):
            return Truth.FAILS
        if not moved.free_symbols and moved.has(sp.log) and logarithms_cancel(moved):
            return Truth.HOLDS
        return compare(moved, "=", sp.Integer(0))

    @staticmethod
    def _at_least_zero(moved: sp.Expr) -> Truth:
        if not moved.free_symbols and _clearly_positive(moved):
            return Truth.HOLDS
        if not moved.free_symbols:
            return compare(moved, ">=", sp.Integer(0))
        answer = nonnegative(moved)
        if answer is Truth.UNKNOWN:
            answer = nonnegative(factored(moved))
        return nonnegative(with_known_signs(moved)) if answer is Truth.UNKNOWN else answer

    @staticmethod
    def _positive(moved: sp.Expr) -> Truth:
        answer = compare(moved, ">", sp.Integer(0))
        if answer is Truth.UNKNOWN and moved.free_symbols:
            top, bottom = sp.fraction(sp.together(moved))
            parts = [sp.expand(part) for part in (top, bottom)]
            if all(_positive_terms(p) for p in parts) or all(_positive_terms(-p) for p in parts):
                return Truth.HOLDS
        return answer

    def defined(self, e: sp.Expr) -> bool:
        """Whether a formula of parameters is proved to have a value for all of them: no denominator vanishes, no root is of a negative number."""
        return all(self._meets(term, need) for term, need in needs(e) if term.free_symbols)

    def _meets(self, term: sp.Expr, need: str) -> bool:
        if need == "nonnegative":
            return self.at_least_zero(term) is Truth.HOLDS
        if need == "nonzero":
            return any(self.positive(side) is Truth.HOLDS for side in (term, -term, term**2))
        return need == "positive" and self.positive(term) is Truth.HOLDS

    def semidefinite(self, matrix: sp.MatrixBase) -> Truth:
        """Whether a symmetric matrix is positive semidefinite: its characteristic polynomial has coefficients of alternating sign."""
        n = matrix.rows
        if n == 1:
            return self.at_least_zero(matrix[0, 0])
        coefficients = sp.Matrix(matrix).charpoly().all_coeffs()
        return all_hold(self.at_least_zero((-1) ** k * c) for k, c in enumerate(coefficients))


def _positive_terms(e: sp.Expr) -> bool:
    terms = sp.Add.make_args(sp.expand(e))
    return all(t.is_nonnegative for t in terms) and any(t.is_positive for t in terms)


def _clearly_nonzero(e: sp.Expr) -> bool:
    try:
        return not enclose(e, bits=320).contains(0)
    except NotEnclosableError:
        return False


def logarithms_cancel(e: sp.Expr) -> bool:
    """Whether a sum of rational multiples of logarithms of positive numbers is zero: the product of their powers is one."""
    powers, rest = [], sp.S.Zero
    for term in sp.Add.make_args(sp.expand(e)):
        factor, tail = term.as_coeff_Mul()
        if isinstance(tail, sp.log) and factor.is_Rational and _clearly_positive(tail.args[0]):
            powers.append((factor, tail.args[0]))
        else:
            rest += term
    if not powers or sp.simplify(rest) != 0:
        return False
    scale = sp.ilcm(1, *(c.q for c, _ in powers))
    if sum(abs(c * scale) for c, _ in powers) > _LARGEST_POWER:
        return False
    above = sp.Mul(*(a ** (c * scale) for c, a in powers if c > 0))
    below = sp.Mul(*(a ** (-c * scale) for c, a in powers if c < 0))
    top, bottom = sp.fraction(sp.together(above / below))
    return bool(sp.expand(sp.expand(top) - sp.expand(bottom)) == 0)


def _clearly_positive(e: sp.Expr) -> bool:
    try:
        return bool(enclose(e, bits=320) > 0)
    except NotEnclosableError:
        return False
