"""Lower bounds on mean squared errors: Cramer-Rao in its variants, van Trees for an adversary with a prior.

A singular information matrix gives no bound: there no unbiased estimator of the whole parameter has a finite
variance (Stoica and Marzetta 2001, IEEE Trans. Signal Process. 49(1)), and no pseudo-inverse repairs that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

import numpy as np
import sympy as sp

from ..laws.law import Law, exact
from ..predicates import ErrorBound
from ..proof.derivation import Derivation, Step
from ..proof.enclosure import compare, rational
from ..proof.exact_matrices import exact_inverse, exact_rank, symbolic_matrix
from ..proof.reading import READING, least, share
from ..proof.symmetric_matrix import SymmetricMatrix
from ..proof.truth import Truth
from ..proof.written_matrices import solves, weighted_trace
from .enclosed_bound import end_steps, prior_bound, released_error, unbiased_bound, upper_end
from .fisher import Information, location_information, require_information

Status = Literal["bound", "vacuous", "irregular", "unknown"]
Matrix: TypeAlias = Information | Any  # anything else is read as a symmetric matrix

VACUOUS = (
    "no unbiased estimator with finite variance exists for the whole parameter;"
    " a bound claimed there is vacuous"
)
CRAMER_RAO = (
    "Cramer-Rao inequality: the covariance of an unbiased estimator is at least I^{-1}"
    " (Lehmann and Casella 1998, 2.6)"
)
VAN_TREES = "van Trees inequality (Gill and Levit 1995, Bernoulli 1, theorem 1 and section 4)"
_SINGULAR, _BORDERLINE = 1e-14, 1e-9


@dataclass(frozen=True)
class LowerBound:
    """A lower bound on a mean squared error, or the reason why there is none (`value` is then None)."""

    value: sp.Expr | None
    status: Status
    reason: str
    derivation: Derivation = field(compare=False, repr=False)

    @property
    def numeric(self) -> float | None:
        """The bound as a float; None if there is none or a parameter is still a symbol."""
        return None if self.value is None or self.value.free_symbols else float(self.value)


def cramer_rao(information: Matrix, *, weight: Any = None, contrast: Any = None) -> LowerBound:
    """Tr(Pi C I^{-1} C'), the least weighted error of an estimator with mean C x (up to a constant: its square comes on top).

    Without options: Tr(I^{-1}), the total error of unbiased estimators.  `weight` is Pi (identity if None).
    `contrast` is C, whose rows may lie in the row space of a singular I.
    """
    read = _matrix(information)
    if isinstance(read, LowerBound):
        return read
    matrix, floating = read
    k = matrix.shape[0]
    rows = sp.eye(k) if contrast is None else _exact_matrix(contrast, "contrast")[0]
    if rows.shape[1] != k:
        raise ValueError(f"contrast needs {k} columns, one per parameter, got {rows.shape}")
    pi = _weight(weight, rows.shape[0])
    solution, trouble = _solve(matrix, rows, floating, whole=contrast is None)
    if solution is None:
        return trouble
    value = sp.simplify((pi * rows * solution).trace())
    steps = [
        solves(
            matrix,
            solution,
            rows.T,
            "X solves the linear system I X = C' of the information matrix: multiplied out again, no residual is left",
            "I*X - C_transpose",
        ),
        Step(
            weighted_trace(pi, rows, solution),
            "=",
            value,
            "the weighted trace Tr(Pi C X), summed entry by entry",
        ),
    ]
    return LowerBound(
        value, "bound", CRAMER_RAO, _after(information, "the Cramer-Rao bound", steps, CRAMER_RAO)
    )


def informed(information: Matrix, *, weight: Any = None) -> LowerBound:
    """The sum of Pi_ii / I_ii: unbiased adversaries who know all entries but one."""
    read = _matrix(information)
    if isinstance(read, LowerBound):
        return read
    matrix, _ = read
    k = matrix.shape[0]
    pi = _weight(weight, k)
    if not pi.is_diagonal():
        raise ValueError("per-record bounds need a weight without entries between records")
    # Keep the premises: the information's own derivation and regularity travel along.
    bounds = [cramer_rao(_restrict(information, matrix, i), weight=[[pi[i, i]]]) for i in range(k)]
    return _sum(bounds, "the sum over records, each with all others known")


def van_trees(
    information: Information | sp.Expr | float | Sequence[Sequence[Any]] | sp.MatrixBase,
    prior: Law | Sequence[Law],
    parameters: Sequence[sp.Symbol] = (),
    *,
    weight: Any = None,
) -> LowerBound:
    """Tr(Pi (E[I(theta)] + I_prior)^{-1}) for independent priors, one per parameter; for all estimators.

    Each prior must be absolutely continuous, vanish at the ends of its support and have finite information;
    where that fails the inequality does not apply and the answer says so.
    """
    priors = [prior] if isinstance(prior, Law) else list(prior)
    enclosed, given = None, information
    if isinstance(information, Information):
        if refusal := _refusal(information):
            return refusal
        enclosed, given = information.enclosed, sp.Matrix(information.value)
    entries: Any = [[given]] if isinstance(given, sp.Expr | int | float) else given
    matrix, _ = _exact_matrix(entries, "information")
    k = len(priors)
    if matrix.shape != (k, k):
        raise ValueError(f"expected a {k} x {k} information matrix for {k} priors, got {matrix.shape}")
    if parameters and len(parameters) != k:
        raise ValueError(f"expected one parameter per prior, got {len(parameters)} for {k}")
    steps: list[Step] = []
    known = []
    for law in priors:
        held = location_information(law)
        if refusal := _refusal(held, f"van Trees does not apply to the prior {law.name}: "):
            return refusal
        if held.scalar.has(sp.Integral):
            return _none("unknown", f"the information of the prior {law.name} has no closed form here")
        known.append(held.scalar)
        steps += held.derivation.steps
    if enclosed is not None:
        # Normal noise about its centre: the same information at every parameter, known in balls.
        low, encloses = end_steps(lambda: prior_bound(enclosed, weight, known), VAN_TREES)
        derivation = Derivation("the van Trees bound", (*steps, encloses), (VAN_TREES,))
        return LowerBound(low, "bound", VAN_TREES, derivation)
    mean = matrix
    for symbol, law in zip(parameters, priors, strict=True) if parameters else ():
        mean = mean.applyfunc(
            lambda e, s=symbol, p=law: p.expectation(e.subs(s, p.variable)) if e.has(s) else e
        )
    if mean.has(sp.Integral):
        return _none("unknown", "the mean of the information over the prior has no closed form here")
    total = (mean + sp.diag(*known)).applyfunc(sp.simplify)
    if total.has(sp.oo, sp.zoo, sp.nan):
        return _none("vacuous", "the mean information over the prior is infinite: the bound says nothing")
    require_information(mean)
    inner = cramer_rao(total, weight=weight)
    if inner.value is None:
        return inner
    derivation = Derivation("the van Trees bound", (*steps, *inner.derivation.steps), (VAN_TREES,))
    return LowerBound(inner.value, "bound", VAN_TREES, derivation)


def claimed_bound_truth(
    information: Matrix, claim: ErrorBound, attained: bool = False
) -> tuple[Truth, Derivation]:
    """Whether a claimed bound for unbiased or informed adversaries follows from the information.

    HOLDS for the value less the rounding of its digits, FAILS only if the bound is smaller by 1e-12 of it and an estimator
    attains it.
    """
    if claim.adversary not in ("unbiased", "informed"):
        reason = f'a claim about the "{claim.adversary}" adversary does not follow from the information alone'
        return Truth.UNKNOWN, Derivation(reason, ())
    weight = None if claim.weight is None else np.atleast_2d(np.asarray(claim.weight, dtype=float))
    between = weight is not None and np.any(weight - np.diag(np.diag(weight)))
    if claim.adversary == "informed" and between:
        reason = "an informed bound with weights between entries is not known here"
        return Truth.UNKNOWN, Derivation(reason, ())
    threshold = least(claim.value)
    reason = f"{claim.sentence()}: at least {claim.value!r} (1 - {float(share(claim.value)):.2g})"
    if isinstance(information, Information) and information.enclosed is not None:
        return _enclosed(information, claim, threshold, reason)
    bound = (
        cramer_rao(information, weight=weight)
        if claim.adversary == "unbiased"
        else informed(information, weight=weight)
    )
    if bound.value is None:
        return Truth.UNKNOWN, Derivation(bound.reason, ())
    step = Step(bound.value, ">=", threshold, reason)
    derivation = Derivation(reason, (*bound.derivation.steps, step), bound.derivation.lemmas)
    premises = bound.derivation.check()
    if premises is not Truth.HOLDS:
        return Truth.UNKNOWN, derivation
    answer = compare(bound.value, ">=", threshold)
    refuted = attained and compare(bound.value, ">=", rational(claim.value) * (1 - READING)) is Truth.FAILS
    if answer is Truth.FAILS and not refuted:
        return Truth.UNKNOWN, derivation
    return answer, derivation


def _enclosed(
    information: Information, claim: ErrorBound, threshold: sp.Expr, reason: str
) -> tuple[Truth, Derivation]:
    """The same in balls, beside the error of an unbiased estimator from the released value; normal noise attains Tr(Pi I^{-1})."""
    enclosed, lemmas = information.enclosed, (*information.derivation.lemmas, CRAMER_RAO)
    assert enclosed is not None
    low, encloses = end_steps(lambda: unbiased_bound(enclosed, claim), "the bound, enclosed again")
    attained = Step(upper_end(released_error(enclosed, claim)), ">=", threshold, reason)
    last = attained if attained.check() is Truth.FAILS else Step(low, ">=", threshold, reason)
    derivation = Derivation(reason, (*information.derivation.steps, encloses, last), lemmas)
    truth = derivation.check()
    if last is attained and Derivation("", derivation.steps[:-1]).check() is Truth.HOLDS:
        return Truth.FAILS, derivation
    return truth if truth is Truth.HOLDS else Truth.UNKNOWN, derivation


def _none(status: Status, reason: str) -> LowerBound:
    return LowerBound(None, status, reason, Derivation(reason, ()))


def _after(information: Matrix, conclusion: str, steps: Sequence[Step], lemma: str) -> Derivation:
    before = information.derivation if isinstance(information, Information) else Derivation("", ())
    return Derivation(conclusion, (*before.steps, *steps), (*before.lemmas, lemma))


def _sum(bounds: Sequence[LowerBound], conclusion: str) -> LowerBound:
    for bound in bounds:
        if bound.value is None:
            return bound
    values = [b.value for b in bounds if b.value is not None]
    steps = tuple(dict.fromkeys(s for b in bounds for s in b.derivation.steps))
    lemmas = tuple(dict.fromkeys(m for b in bounds for m in b.derivation.lemmas))
    return LowerBound(
        sp.simplify(sp.Add(*values)), "bound", bounds[0].reason, Derivation(conclusion, steps, lemmas)
    )


def _exact_matrix(value: Any, what: str) -> tuple[sp.Matrix, bool]:
    """The matrix with decimals read as written, and whether any entry was a float."""
    given = symbolic_matrix(value)
    return sp.Matrix(given.applyfunc(lambda e: exact(e, what))), given.has(sp.Float)


def _read(what: str, matrix: Any) -> Any:
    """A matrix of floats as it is read everywhere; others as they are."""
    floats = isinstance(matrix, np.ndarray) and np.issubdtype(matrix.dtype, np.floating)
    return SymmetricMatrix.of(what, matrix).values if floats else matrix


def _weight(weight: Any, size: int) -> sp.Matrix:
    pi = sp.eye(size) if weight is None else _exact_matrix(_read("weight", weight), "weight")[0]
    if pi.shape != (size, size):
        raise ValueError(f"weight must be {size} x {size}, got {pi.shape}")
    if pi != pi.T or pi.is_positive_semidefinite is False:
        raise ValueError("weight must be symmetric and positive semidefinite")
    return pi


def _refusal(known: Information, what: str = "") -> LowerBound | None:
    """No bound follows from an information whose family is not known to be regular."""
    if known.regular is Truth.HOLDS and known.value is not None:
        return None
    return _none("irregular" if known.regular is Truth.FAILS else "unknown", what + known.reason)


def _matrix(information: Matrix) -> tuple[sp.Matrix, bool] | LowerBound:
    """The exact matrix and whether its entries came as floats, or why there is no bound."""
    if isinstance(information, Information):
        if refusal := _refusal(information):
            return refusal
        value = sp.Matrix(information.value)
        if value.has(sp.Integral):
            if information.numeric is None:
                return _none("unknown", "the information is an integral without a closed form")
            return _exact_matrix(information.numeric, "information")[0], True
        return value, False
    matrix, floating = _exact_matrix(_read("information", information), "information")
    require_information(matrix)
    return matrix, floating


def _restrict(information: Matrix, matrix: sp.Matrix, i: int) -> Matrix:
    small = sp.ImmutableMatrix([[matrix[i, i]]])
    if not isinstance(information, Information):
        # Floats stay floats, so that the tolerance for a singular block still applies.
        floating = _exact_matrix(information, "information")[1]
        return np.array(small.tolist(), dtype=float) if floating else small
    numeric = None if information.numeric is None else information.numeric[i : i + 1, i : i + 1]
    return replace(information, value=small, numeric=numeric, enclosed=None)


def _solve(
    matrix: sp.Matrix, rows: sp.Matrix, floating: bool, whole: bool
) -> tuple[sp.Matrix | None, LowerBound]:
    """X with I X = C', or why there is none; a singular I is never inverted."""
    vacuous = _none(
        "vacuous", VACUOUS if whole else "the contrast is not estimable: it lies outside the row space of I"
    )
    if floating:
        numbers = np.array(matrix.tolist(), dtype=float)
        values = np.linalg.svd(numbers, compute_uv=False)
        ratio = values[-1] / values[0] if values[0] > 0 else 0.0
        if ratio < _SINGULAR:
            return None, _none("vacuous", f"the matrix is singular to working precision: {VACUOUS}")
        if ratio < _BORDERLINE:
            reason = (
                f"eigenvalue ratio {ratio:.2g}: floats cannot tell whether I is singular; pass exact entries"
            )
            return None, _none("unknown", reason)
    numbers_only = all(e.is_Rational for e in [*matrix, *rows])
    rank = exact_rank(matrix) if numbers_only else matrix.rank(simplify=True)
    if rank < matrix.shape[0]:
        return _particular(matrix, rows, vacuous)
    if numbers_only:
        return exact_inverse(matrix) * rows.T, vacuous
    return (matrix.inv() * rows.T).applyfunc(sp.simplify), vacuous


def _particular(
    matrix: sp.Matrix, rows: sp.Matrix, vacuous: LowerBound
) -> tuple[sp.Matrix | None, LowerBound]:
    """One solution of a singular system; C X is the same for all, because C lies in the row space of I."""
    try:
        solution, free = matrix.gauss_jordan_solve(rows.T)
    except ValueError:
        return None, vacuous
    return solution.subs(dict.fromkeys(free, 0)).applyfunc(sp.simplify), vacuous
