"""How far one record can move the matrix (1/n) sum x x', entry by entry, when records lie in the unit ball.

Replacing u by v moves n times the statistic by D = uu' - vv', and the L1 sensitivity is sup |D|_1 over the
entries.  Since |D|_1 = max over sign matrices S of u'Su - v'Sv, the supremum is the largest spread between
the extreme eigenvalues of a symmetric sign matrix.  Upper bounds are derivations for every dimension; lower
bounds are explicit rational pairs (u, v).
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from fractions import Fraction
from typing import cast

import numpy as np
import sympy as sp
from flint import acb, arb, fmpz_mat, fmpz_poly
from numpy.typing import NDArray

from ..proof.as_written import power, product, quotient, root
from ..proof.derivation import Derivation, Step
from ..proof.enclosure import is_zero
from ..proof.trace import Column, Trace, cauchy_schwarz, contraction, gram, identity
from ..proof.truth import Truth

P = sp.Symbol("p", integer=True, positive=True)
N = sp.Symbol("n", integer=True, positive=True)

Vector = tuple[Fraction, ...]
Pair = tuple[Vector, Vector]

ENUMERATION_LIMIT = 5


def distance(pair: Pair) -> Fraction:
    """The sum of |u_i u_j - v_i v_j| over all p^2 entries, exactly."""
    u, v = pair
    if len(u) != len(v):
        raise ValueError(f"expected two vectors of one length, got {len(u)} and {len(v)}")
    if any(sum(x * x for x in vector) > 1 for vector in pair):
        raise ValueError("expected vectors of the unit ball, got one that is longer than 1: shrink it")
    return sum((abs(u[i] * u[j] - v[i] * v[j]) for i in range(len(u)) for j in range(len(u))), Fraction(0))


def norm_chain(factor: sp.Expr, diameter: sp.Expr, bound: sp.Expr) -> Derivation:
    """|D|_1 <= factor |D|_F <= factor * diameter for all p, then division by n; all three as claimed.

    `factor` and `bound` may contain p, `bound` also n.
    """
    u, v = Column("u"), Column("v")
    c, entries = sp.Symbol("c", real=True), sp.Symbol("N", positive=True)
    alpha, beta = sp.symbols("alpha beta", nonnegative=True)
    s, t = 1 / (1 + alpha), 1 / (1 + beta)
    steps = (
        contraction(
            "with W'W = I the projection of a unit vector x stays in the unit ball: |x|^2 - |W'x|^2 is a "
            "square"
        ),
        identity(
            gram(u * u.T - v * v.T),
            s**2 + t**2 - 2 * c**2,
            "Frobenius norm of D with |u|^2 = s = 1/(1+alpha), |v|^2 = t = 1/(1+beta) in (0, 1] and u'v = c",
            values={Trace(u.T * u): s, Trace(v.T * v): t, Trace(u.T * v): c},
        ),
        Step(s**2 + t**2 - 2 * c**2, "<=", s**2 + t**2, "the inner product only takes away"),
        Step(
            s**2 + t**2,
            "<=",
            diameter**2,
            "lengths at most one (length zero is the limit): the Frobenius diameter",
        ),
        cauchy_schwarz(
            entries,
            "Cauchy-Schwarz over N entries: with d the absolute entries and e all ones, |d|_1^2 <= N |d|_2^2",
        ),
        Step(
            root(power(P, 2)),
            "<=",
            factor,
            "a p x p matrix has N = p^2 entries: p = sqrt(N) is needed, and attained by all ones",
        ),
        Step(
            product(quotient(1, N), product(factor, diameter)),
            "<=",
            bound,
            "factor times diameter, over n, is within the claimed sensitivity",
        ),
    )
    return Derivation(f"the sensitivity is at most {bound} for every p and n", steps)


def upper_bound() -> sp.Expr:
    """The least bound that the chain of norms gives: sqrt(number of entries) * Frobenius diameter / n."""
    alpha, beta = sp.symbols("alpha beta", nonnegative=True)
    diameter = sp.sqrt((1 / (1 + alpha) ** 2 + 1 / (1 + beta) ** 2).subs({alpha: 0, beta: 0}))
    return sp.sqrt(P**2) * diameter / N


def sign_matrices(p: int) -> list[list[list[int]]]:
    """All symmetric sign matrices of order p up to conjugation by signs, which keeps the eigenvalues."""
    free = [(i, j) for i in range(p) for j in range(i, p) if i == j or i > 0]
    matrices = []
    for signs in itertools.product((1, -1), repeat=len(free)):
        matrix = [[1] * p for _ in range(p)]
        for (i, j), sign in zip(free, signs, strict=True):
            matrix[i][j] = matrix[j][i] = sign
        matrices.append(matrix)
    return matrices


def exact_sensitivity(p: int) -> sp.Expr:
    """n times the sensitivity for small p, as an algebraic number, from all sign matrices of order p."""
    if not 1 <= p <= ENUMERATION_LIMIT:
        raise ValueError(f"sign matrices are enumerated for 1 <= p <= {ENUMERATION_LIMIT}, got p = {p}")
    polynomials = {tuple(int(c) for c in fmpz_mat(m).charpoly().coeffs()) for m in sign_matrices(p)}
    spreads = {coefficients: _spread(coefficients) for coefficients in polynomials}
    top = max(spreads.values(), key=lambda ball: float(ball.mid()))
    leaders = [coefficients for coefficients, ball in spreads.items() if ball.overlaps(top)]
    values = [_exact_spread(coefficients) for coefficients in sorted(leaders)]
    if any(is_zero(value - values[0]) is not Truth.HOLDS for value in values[1:]):
        raise ArithmeticError(f"p = {p}: two largest spreads could not be told apart or identified")
    return values[0]


def _spread(coefficients: Sequence[int]) -> arb:
    found = cast(list[tuple[acb, int]], fmpz_poly(list(coefficients)).complex_roots())
    roots = [root.real for root, _ in found]
    high, low = arb(0), arb(0)
    for place in roots:
        high, low = high.max(place), low.min(place)
    return high - low


def _exact_spread(coefficients: Sequence[int]) -> sp.Expr:
    x = sp.Symbol("x")
    roots = sp.Poly(list(reversed(coefficients)), x).real_roots()
    return sp.nsimplify(sp.simplify(sp.Max(roots[-1], 0) - sp.Min(roots[0], 0)))


def block_signs(p: int) -> NDArray[np.float64]:
    """The sign matrix [[J, J], [J, -J]] with blocks as equal as p allows."""
    first = (p + 1) // 2
    matrix = np.ones((p, p))
    matrix[first:, first:] = -1.0
    return matrix


def extreme_pair(signs: NDArray[np.float64]) -> Pair:
    """The eigenvectors of the largest and the smallest eigenvalue, made rational inside the unit ball."""
    vectors = np.linalg.eigh(signs)[1]
    return _inside(vectors[:, -1]), _inside(vectors[:, 0])


def search(p: int, rng: np.random.Generator, starts: int = 20) -> Pair:
    """The best pair found by alternating signs and extreme eigenvectors from random sign matrices."""
    if p == 1:
        return (Fraction(1),), (Fraction(0),)
    best, best_value = np.eye(p), -1.0
    for _ in range(starts):
        upper = np.triu(rng.choice((-1.0, 1.0), size=(p, p)))
        signs, value = upper + np.triu(upper, 1).T, -1.0
        while True:
            vectors = np.linalg.eigh(signs)[1]
            difference = np.outer(vectors[:, -1], vectors[:, -1]) - np.outer(vectors[:, 0], vectors[:, 0])
            found = float(np.abs(difference).sum())
            if found <= value + 1e-12:
                break
            value, signs = found, np.where(difference >= 0, 1.0, -1.0)
        if value > best_value:
            best, best_value = vectors, value
    return _inside(best[:, -1]), _inside(best[:, 0])


def _inside(vector: NDArray[np.float64], digits: int = 7) -> Vector:
    """Rounded to rationals and shrunk so that the length is at most one."""
    scale = 10**digits
    rounded = [Fraction(round(float(x) * scale), scale) for x in vector]
    while sum(x * x for x in rounded) > 1:
        rounded = [x * (1 - Fraction(1, scale)) for x in rounded]
    return tuple(rounded)
