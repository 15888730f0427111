"""The Fisher information of y = C x + w about x: exact where w has a closed form, in balls for ground states, else computed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

import numpy as np
import sympy as sp
from flint import arb, arb_mat, ctx

from ...symbolic.arrays import Floats
from ...symbolic.information.fisher import EnclosedInformation, Information, location_information
from ...symbolic.information.noise import normal_information, shown
from ...symbolic.proof.derivation import Derivation, Step
from ...symbolic.proof.enclosed_matrices import BITS, inverse, nearest_floats, short
from ...symbolic.proof.enclosure import enclose, rational
from ...symbolic.proof.exact_numbers import ball, quotient, symbolic_number
from ...symbolic.proof.truth import Truth, all_hold
from .eigenscalar import EigenScalar
from .scalar import ExactScalar, Scalar
from .shooting import Problem, ground_state
from .vector_noise import Gaussian, Independent, Noise

COMPUTED = "the information of this noise was computed in floating point, not proved"
ADDED = "scores of independent entries are uncorrelated: information matrices add up"
MOVED = "y = J x + w has the information J' K J about x, K that of w about its centre"
CONCAVE = (
    "the least eigenvalue of -u'' + k w^2 u is an infimum of functions affine in k: concave, with the second moment of u^2 as its "
    "slope, since it is simple; 4 times the integral of u'^2, which is the information, is 4 (eigenvalue - k second moment)"
)
_STEP = Fraction(1, 10**9)  # of k: by it the eigenvalue is moved for its slope


@dataclass(frozen=True)
class Moments:
    """Balls around the information and the second moment of a noise on the line."""

    information: arb
    second_moment: arb


def noise_information(noise: Noise, computed: Floats) -> Information:
    """The information of centre + w about the centre; `computed` (m, m) is what is known in floating point."""
    if isinstance(noise, Gaussian):
        return normal_information((noise.covariance + noise.covariance.T) / 2)
    if not isinstance(noise, Independent):
        return Information(None, computed, Truth.UNKNOWN, COMPUTED, Derivation(COMPUTED, ()))
    known = {entry: _of_entry(entry) for entry in dict.fromkeys(noise.entries)}
    parts = [known[entry] for entry in noise.entries]
    value = sp.ImmutableMatrix(sp.diag(*(part.scalar for part in parts)))
    steps = tuple(dict.fromkeys(s for part in known.values() for s in part.derivation.steps))
    lemmas = tuple(dict.fromkeys((*(m for part in known.values() for m in part.derivation.lemmas), ADDED)))
    enclosed = None if all(part.enclosed is None for part in parts) else _diagonal(noise.entries)
    regular = all_hold(part.regular for part in parts)
    derivation = Derivation("the information of independent noise about its centre", steps, lemmas)
    return Information(value, computed, regular, parts[0].reason, derivation, enclosed=enclosed)


def through(known: Information, jacobian: sp.Matrix) -> Information:
    """The information of J x + w about x, J (m, n); in balls for a square J only."""
    if known.value is None or jacobian == sp.eye(jacobian.rows):
        return known
    numeric = np.array(jacobian.tolist(), dtype=float)
    computed = None if known.numeric is None else numeric.T @ known.numeric @ numeric
    enclosed = None
    if known.enclosed is not None:
        if jacobian.rows != jacobian.cols:
            reason = "the answer has fewer entries than the input: its information is singular"
            return Information(None, computed, Truth.UNKNOWN, reason, Derivation(reason, ()))
        enclosed = _moved(known.enclosed, jacobian)
    value = jacobian.T * known.value * jacobian if enclosed is None else shown(enclosed.information)
    derivation = replace(known.derivation, lemmas=(*known.derivation.lemmas, MOVED))
    return replace(
        known, value=sp.ImmutableMatrix(value), numeric=computed, derivation=derivation, enclosed=enclosed
    )


def _moved(known: EnclosedInformation, jacobian: sp.Matrix) -> EnclosedInformation:
    with ctx.workprec(BITS):
        n = jacobian.rows
        forth = arb_mat(n, n, [arb(quotient(e)) for e in jacobian])
        back = arb_mat(n, n, [arb(quotient(e)) for e in jacobian.inv()])
        inverted = back * known.inverse * back.transpose()
        released = None if known.released is None else back * known.released * back.transpose()
        return EnclosedInformation(forth.transpose() * known.information * forth, inverted, released)


def _of_entry(entry: Scalar) -> Information:
    if isinstance(entry, ExactScalar):
        return location_information(entry.law)
    assert isinstance(entry, EigenScalar)
    moments = ground_moments(entry.problem)
    with ctx.workprec(BITS):
        enclosed = _balls([moments])
        low, high = (symbolic_number(short(moments.information, end)) for end in ("below", "above"))
    symbol = sp.Symbol("information", positive=True)
    steps = (
        Step(low, "<=", symbol, "eigenvalues on both sides of k, enclosed", _again(entry.problem, 1)),
        Step(high, ">=", symbol, "eigenvalues on both sides of k, enclosed", _again(entry.problem, -1)),
    )
    reason = "the root of the density is a ground state, smooth and zero at the ends"
    derivation = Derivation("the information of the ground state, in balls", steps, (CONCAVE,))
    numeric = nearest_floats(enclosed.information)
    value = sp.ImmutableMatrix(shown(enclosed.information))
    return Information(value, numeric, Truth.HOLDS, reason, derivation, enclosed=enclosed)


@lru_cache(maxsize=64)
def ground_moments(problem: Problem) -> Moments:
    """Of the density u^2 of the ground state u, from eigenvalues at k and a billionth below and above it."""
    step = problem.k2 * _STEP
    before, here, after = (
        ground_state(replace(problem, k2=k)) for k in (problem.k2 - step, problem.k2, problem.k2 + step)
    )
    with ctx.workprec(BITS):
        low, high = (after.below - here.above) / ball(step), (here.above - before.below) / ball(step)
        second = arb(low.lower()).union(arb(high.upper()))
        return Moments(4 * (here.below.union(here.above) - ball(problem.k2) * second), second)


def _again(problem: Problem, side: int) -> Callable[[sp.Expr, sp.Expr], Truth]:
    def encloses(left: sp.Expr, _right: sp.Expr) -> Truth:
        with ctx.workprec(BITS):
            end, known = arb(quotient(left)), ground_moments(problem).information
            return Truth.HOLDS if (known >= end if side == 1 else known <= end) else Truth.UNKNOWN

    return encloses


def _diagonal(entries: tuple[Scalar, ...]) -> EnclosedInformation:
    with ctx.workprec(BITS):
        return _balls([_moments(entry) for entry in entries])


def _moments(entry: Scalar) -> Moments:
    if isinstance(entry, EigenScalar):
        return ground_moments(entry.problem)
    assert isinstance(entry, ExactScalar)
    law, information = entry.law, location_information(entry.law).scalar
    second = law.variance() + law.mean() ** 2
    return Moments(enclose(information, bits=BITS), enclose(second, bits=BITS))


def _balls(moments: list[Moments]) -> EnclosedInformation:
    information = _diagonal_matrix([m.information for m in moments])
    return EnclosedInformation(
        information, inverse(information), _diagonal_matrix([m.second_moment for m in moments])
    )


def _diagonal_matrix(entries: list[arb]) -> arb_mat:
    m = len(entries)
    return arb_mat(m, m, [entries[i] if i == j else arb(0) for i in range(m) for j in range(m)])


def exact_jacobian(matrix: Floats, factor: float) -> sp.Matrix:
    """`factor` C with decimals read as they were written."""
    return sp.Matrix(*matrix.shape, [rational(factor) * rational(float(c)) for c in matrix.ravel()])
