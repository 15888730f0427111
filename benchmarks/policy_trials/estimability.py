"""Which functionals of a record the noisy answers to a query can estimate without bias, and when the whole record can.

The noise of y = f(x) + w has a law that does not depend on x (or depends on x through f(x) only): then the mean of
every estimator is a function of f(x), and what differs on a level set of f cannot be estimated without bias.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import sympy as sp
from numpy.typing import ArrayLike

from noiseproof.symbolic.arrays import Floats
from noiseproof.symbolic.information.query import Domain, Query, exact_matrix, exact_rank, smooth
from noiseproof.symbolic.proof.derivation import Derivation, Step, evaluated
from noiseproof.symbolic.proof.enclosure import NotEnclosableError, compare, enclose, is_zero, rational
from noiseproof.symbolic.proof.expressions import parse
from noiseproof.symbolic.proof.truth import Truth

LEVEL_SETS = "the law of y depends on x through f(x) only, so the mean of an estimator is the same at all x with the same f(x)"


CONSTANT_RANK = (
    "constant rank theorem (Lee 2013, Introduction to Smooth Manifolds, 4.12): where the Jacobian of f has constant "
    "rank near x, the level set of f through x is a manifold whose tangent space is the kernel of the Jacobian"
)


INVARIANCE_OF_DOMAIN = "invariance of domain (Brouwer 1912): no continuous map from an open set of R^n to R^m with m < n is one to one"


_POINTS = ((1, 3), (2, 5), (1, 2), (5, 7), (3, 11))


@dataclass(frozen=True)
class Estimability:
    """Whether an unbiased estimator exists: HOLDS with one, FAILS with the reason why there is none.

    HOLDS: `coefficients` B (k, m) and `offset` c (k,), the estimator B (y - E w) + c.
    FAILS: at `point` x the functional changes along `direction` v, though f does not.
    """

    truth: Truth
    reason: str
    derivation: Derivation = field(compare=False, repr=False)
    coefficients: sp.ImmutableMatrix | None = None
    offset: sp.ImmutableMatrix | None = None
    point: tuple[sp.Expr, ...] | None = None
    direction: tuple[sp.Expr, ...] | None = None


def estimable(
    query: Query, functional: str | sp.Expr | ArrayLike, domain: Domain | None = None
) -> Estimability:
    """Whether `functional` of x has an unbiased estimator from y = f(x) + w for all x of the domain.

    The functional is a formula, or weights (n,) of a linear one; the domain is a box (lower, upper), all of R^n if None.
    """
    fixed = _fixed(query, domain)
    target = _functional(query, functional).subs(fixed)
    free = [v for v in query.variables if v not in fixed]
    answers = [e.subs(fixed) for e in query.expressions]
    found = _combination(target, answers, free)
    if found is not None:
        b, c = found
        step = Step(
            sp.Add(*(p * f for p, f in zip(b, answers, strict=True)), c),
            "=",
            target,
            "the functional is this combination of the answers: the same combination of y - E w is unbiased",
        )
        derivation = Derivation("an unbiased estimator exists", (step,))
        return Estimability(
            Truth.HOLDS,
            "an affine combination of the answers",
            derivation,
            sp.ImmutableMatrix([b]),
            sp.ImmutableMatrix([c]),
        )
    return _hidden(query, target, answers, free, fixed, domain)


def estimable_record(query: Query, domain: Domain | None = None) -> Estimability:
    """Whether the whole record x has an unbiased estimator from y = f(x) + w for all x of the domain."""
    fixed = _fixed(query, domain)
    each: list[Estimability] = []
    for variable in query.variables:
        each.append(estimable(query, variable, domain))
        if each[-1].truth is Truth.FAILS:
            return each[-1]
    if all(e.truth is Truth.HOLDS for e in each):
        steps = tuple(s for e in each for s in e.derivation.steps)
        rows, offsets = (
            sp.ImmutableMatrix.vstack(*(getattr(e, k) for e in each)) for k in ("coefficients", "offset")
        )
        return Estimability(
            Truth.HOLDS,
            "every entry is an affine combination of the answers",
            Derivation("an unbiased estimator of x exists", steps),
            rows,
            offsets,
        )
    left = query.inputs - len(fixed)
    if query.outputs < left and query.continuously_differentiable() is Truth.HOLDS:
        step = Step(
            sp.Integer(query.outputs), "<", sp.Integer(left), "fewer answers than entries that are not known"
        )
        derivation = Derivation(
            "no unbiased estimator of x exists", (step,), (INVARIANCE_OF_DOMAIN, LEVEL_SETS)
        )
        return Estimability(
            Truth.FAILS, "fewer answers than unknown entries: f is not one to one", derivation
        )
    return Estimability(
        Truth.UNKNOWN, "neither an estimator nor a level set of f was found", Derivation("open", ())
    )


def _functional(query: Query, functional: str | sp.Expr | ArrayLike) -> sp.Expr:
    if isinstance(functional, str):
        return parse(functional, {v.name: v for v in query.variables})
    if isinstance(functional, sp.Expr):
        unknown = functional.free_symbols - set(query.variables)
        if unknown:
            raise ValueError(f"the functional contains {unknown}, which are not variables of the query")
        return functional
    weights = exact_matrix(np.atleast_2d(np.asarray(functional, dtype=object)))
    if weights.shape != (1, query.inputs):
        raise ValueError(f"a linear functional has {query.inputs} weights, got shape {weights.shape}")
    return sp.Add(*(a * v for a, v in zip(weights, query.variables, strict=True)))


def _fixed(query: Query, domain: Domain | None) -> dict[sp.Symbol, sp.Rational]:
    """The entries that the domain leaves no freedom."""
    if domain is None:
        return {}
    lower, upper = (np.broadcast_to(np.asarray(e, dtype=float), (query.inputs,)) for e in domain)
    if not (np.all(np.isfinite(lower)) and np.all(np.isfinite(upper)) and np.all(lower <= upper)):
        raise ValueError("the domain (lower, upper) must be finite with lower <= upper in every entry")
    return {v: rational(float(a)) for v, a, b in zip(query.variables, lower, upper, strict=True) if a == b}


def _combination(
    target: sp.Expr, answers: Sequence[sp.Expr], free: Sequence[sp.Symbol]
) -> tuple[list[sp.Expr], sp.Expr] | None:
    """b and c with target = b'f + c as formulas, found by comparing their terms; None if there are none of this kind."""
    table = [_terms(e, free) for e in (*answers, target)]
    names = [t for t in dict.fromkeys(k for row in table for k in row) if t != 1]
    columns = (
        sp.Matrix([[row.get(t, sp.Integer(0)) for row in table] for t in names])
        if names
        else sp.zeros(0, len(table))
    )
    unknown = sp.symbols(f"b0:{len(answers)}") if answers else ()
    solutions = (
        sp.linsolve((columns[:, :-1], columns[:, -1]), *unknown)
        if names
        else {(sp.Integer(0),) * len(answers)}
    )
    for solution in solutions:
        b = [sp.sympify(v).subs(dict.fromkeys(unknown, 0)) for v in solution]
        constants = [row.get(sp.Integer(1), sp.Integer(0)) for row in table]
        return b, constants[-1] - sp.Add(*(p * q for p, q in zip(b, constants[:-1], strict=True)))
    return None


def _terms(e: sp.Expr, free: Sequence[sp.Symbol]) -> dict[sp.Expr, sp.Expr]:
    out: dict[sp.Expr, sp.Expr] = {}
    for term in sp.Add.make_args(sp.expand(e)):
        number, rest = term.as_independent(*free, as_Add=False)
        out[rest] = out.get(rest, sp.Integer(0)) + number
    return out


def _hidden(
    query: Query,
    target: sp.Expr,
    answers: list[sp.Expr],
    free: list[sp.Symbol],
    fixed: dict[sp.Symbol, sp.Rational],
    domain: Domain | None,
) -> Estimability:
    """FAILS if the functional certainly changes along a level set of f, UNKNOWN if no such place was found."""
    slopes = sp.Matrix(answers).jacobian(free)
    gradient = sp.Matrix([target]).jacobian(free)
    differentiable = all(map(smooth, (*answers, target)))
    polynomial = not slopes.atoms(sp.Function) and all(e.is_rational_function(*free) for e in slopes)
    for point in _inner_points(query, free, domain) if differentiable else ():
        j, g = slopes.xreplace(point), gradient.xreplace(point)
        if all(e.is_Rational for e in (*j, *g)):
            rank, both = exact_rank(j), exact_rank(sp.Matrix.vstack(j, g))
        else:
            rank, both = _certain_rank(j), _certain_rank(sp.Matrix.vstack(j, g))
        # Full row rank is open; a smaller rank is constant near the point if it is the generic one.
        if both <= rank or not (rank == len(answers) or (polynomial and rank == exact_rank(slopes))):
            continue
        along = dict(zip(free, _direction(j, g), strict=True))
        where = tuple(fixed.get(v, point.get(v, sp.Integer(0))) for v in query.variables)
        still = "the answer does not change in this direction, to first order"
        steps = (
            *(Step(_along(e, point, along), "=", sp.Integer(0), still, evaluated) for e in answers),
            Step(_along(target, point, along) ** 2, ">", sp.Integer(0), "the functional does", _positive),
        )
        derivation = Derivation("no unbiased estimator exists", steps, (CONSTANT_RANK, LEVEL_SETS))
        if derivation.check() is Truth.HOLDS:
            return Estimability(
                Truth.FAILS,
                "the functional changes where the answers do not",
                derivation,
                point=where,
                direction=tuple(along.get(v, sp.Integer(0)) for v in query.variables),
            )
    return Estimability(
        Truth.UNKNOWN,
        "the functional is no affine combination of the answers, and no level set was found on which it changes",
        Derivation("open", ()),
    )


def _along(e: sp.Expr, point: Mapping[sp.Symbol, sp.Expr], direction: Mapping[sp.Symbol, sp.Expr]) -> sp.Expr:
    """The derivative of e at the point along the direction, written down and not carried out."""
    t = sp.Dummy("t", real=True)
    return sp.Subs(sp.Derivative(e.xreplace({v: point[v] + t * d for v, d in direction.items()}), t), t, 0)


def _positive(left: sp.Expr, right: sp.Expr) -> Truth:
    return compare(left.doit(), ">", right)


def _inner_points(
    query: Query, free: Sequence[sp.Symbol], domain: Domain | None
) -> list[dict[sp.Symbol, sp.Expr]]:
    """A few rational points inside the domain."""
    ends = (-1.0, 2.0) if domain is None else domain
    lower, upper = (np.broadcast_to(np.asarray(e, dtype=float), (query.inputs,)) for e in ends)
    low, width = (
        {v: rational(float(x)) for v, x in zip(query.variables, e, strict=True)}
        for e in (lower, upper - lower)
    )
    shares = [sp.Rational(*p) for p in _POINTS]
    return [
        {
            v: low[v] + width[v] * shares[(i + k * k) % len(shares)] / (1 + sp.Rational(i, 97))
            for i, v in enumerate(free)
        }
        for k in range(len(shares))
    ]


def _certain_rank(matrix: sp.Matrix) -> int:
    """A rank that the matrix certainly has at least, by one minor whose enclosure is not zero."""
    numbers = np.array(matrix.evalf(20).tolist(), dtype=float)
    for size in range(min(numbers.shape), 0, -1):
        rows, columns = _pivots(numbers, size)
        try:
            if not enclose(matrix.extract(rows, columns).det()).contains(0):
                return size
        except NotEnclosableError:
            return 0
    return 0


def _pivots(numbers: Floats, size: int) -> tuple[list[int], list[int]]:
    from scipy.linalg import qr

    columns = sorted(qr(numbers, mode="r", pivoting=True)[1][:size].tolist())
    rows = sorted(qr(numbers[:, columns].T, mode="r", pivoting=True)[1][:size].tolist())
    return rows, columns


def _direction(j: sp.Matrix, g: sp.Matrix) -> sp.Matrix:
    """A kernel vector of j on which g does not vanish."""
    return next(v for v in j.nullspace() if is_zero((g * v)[0, 0]) is not Truth.HOLDS)
