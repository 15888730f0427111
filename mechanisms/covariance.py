"""A second-moment matrix with Laplace noise on every entry, or on its upper triangle.

Replacing record u by v moves (1/n) sum x x' by (u u' - v v')/n.  With weights c_ij (1 on all entries, or 1 on the
diagonal and 1/2 off it for the upper triangle) the L1 sensitivity is 1/n times the largest spread of the extreme
eigenvalues of a symmetric matrix with entries +-c_ij.  By |D|_F <= sqrt 2 and Cauchy-Schwarz it is at most
sqrt 2 p / n, and sqrt(p (p + 3) / 2) / n for the triangle.  Two blocks of equal size attain the first for even p; for
odd p they reach sqrt(2 p^2 - 1) / n, and no pair does better (Zhan 2006: some sign matrix of rank two is extreme; its
spread squared is 2 p^2 less the square of its trace, which is odd).  Chanyaswad, Liu, Mittal (2019, lemma 4) print
2 sqrt(p) / n.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import sympy as sp

from ..symbolic.arrays import Floats
from ..symbolic.information.fisher import Information
from ..symbolic.laws import catalogue as laws
from ..symbolic.laws.vector import IndependentNoise, OutcomeLaw
from ..symbolic.privacy.pair import BoundedByEach, GaussianPair, ProductLaplacePair
from ..symbolic.privacy.product_steps import LAPLACE_IS_GAUSSIAN, gaussian_steps
from ..symbolic.proof.as_written import power, product, quotient, root, total
from ..symbolic.proof.derivation import Step
from ..symbolic.proof.enclosure import rational
from ..symbolic.proof.trace import Column, Trace, gram, identity
from .additive import Additive, positive, whole
from .laplace import laplace_worst_case
from .mechanism import WorstCase


class LaplaceCovariance(Additive):
    """The second moments (1/n) sum x x' of n records in the unit ball of R^p, each entry with Laplace noise of `scale`.

    Neighbours replace one record; n is public. Outcomes are the p^2 entries row by row; with `symmetric` only the
    p (p + 1) / 2 entries of the upper triangle, row by row, whose mirror image the lower one is. `scale` may be an
    exact expression. Records longer than one are shortened to length one. ValueError for anything else.
    `needed(p, n, epsilon)` takes the scale from a proved sensitivity, `printed` from Chanyaswad, Liu, Mittal 2019, lemma 4.

    >>> pair = npf.LaplaceCovariance.printed(6, 100, epsilon=1.0).worst_case().pair
    >>> npf.PureDP(1.0).holds(pair).name  # too small for p > 2
    'FAILS'
    """

    name = "laplace-covariance"
    summary = "the second-moment matrix of records in the unit ball, Laplace noise on each entry"
    coordinatewise = False

    def __init__(self, p: int, n: int, scale: float | sp.Expr, symmetric: bool = False) -> None:
        self.p, self.n = whole("p", p, least=2), whole("n", n)
        self.scale = positive("scale", scale, "the scale of the noise on each entry")
        self.exact_scale: sp.Expr = scale if isinstance(scale, sp.Expr) else rational(self.scale)
        self.symmetric = bool(symmetric)
        self.dimension = self.p * (self.p + 1) // 2 if self.symmetric else self.p**2

    @classmethod
    def printed(cls, p: int, n: int, epsilon: float) -> Self:
        """Scaled to the sensitivity 2 sqrt(p)/n that lemma 4 of Chanyaswad, Liu, Mittal (2019) prints: too small for p > 2."""
        scale = 2 * sp.sqrt(whole("p", p, least=2)) / whole("n", n)
        return cls(p, n, scale / rational(positive("epsilon", epsilon, "the privacy parameter")))

    @classmethod
    def needed(cls, p: int, n: int, epsilon: float, symmetric: bool = False) -> Self:
        """Scaled to the proved bound of the sensitivity: epsilon-differentially private for every p and n."""
        bound = l1_sensitivity(whole("p", p, least=2), whole("n", n), symmetric)
        return cls(
            p, n, bound / rational(positive("epsilon", epsilon, "the privacy parameter")), symmetric=symmetric
        )

    def query(self, data: Any) -> Floats:
        records = np.asarray(data, dtype=float)
        if records.shape != (self.n, self.p) or not np.all(np.isfinite(records)):
            raise ValueError(
                f"{self.name} expects {self.n} records of {self.p} finite numbers, got shape {records.shape}"
            )
        records = records / np.maximum(np.linalg.norm(records, axis=1, keepdims=True), 1.0)
        matrix = records.T @ records / self.n
        entries = matrix[np.triu_indices(self.p)] if self.symmetric else matrix.ravel()
        return np.asarray(entries, dtype=float)

    def noise_law(self, centre: Floats) -> OutcomeLaw:
        return IndependentNoise(laws.laplace(0, self.exact_scale), tuple(centre))

    def draw(self, size: int, rng: np.random.Generator) -> Floats:
        # The difference of two exponentials of one scale is Laplace.
        plus, minus = (rng.standard_exponential((size, self.dimension)) for _ in range(2))
        return np.asarray(self.scale * (plus - minus), dtype=float)

    def neighbours(self) -> tuple[tuple[Any, Any], ...]:
        """One record at the first or at the second of two unit vectors that are constant on two blocks; the rest is zero."""
        a, b, _, _ = self._blocks()
        angle = 0.5 * np.arctan2(2 * np.sqrt(a * b), self.p + 2 * self.symmetric)
        inputs = []
        for first, second in ((np.cos(angle), np.sin(angle)), (-np.sin(angle), np.cos(angle))):
            records = np.zeros((self.n, self.p))
            records[0] = np.repeat([first / np.sqrt(a), second / np.sqrt(b)], [a, b])
            inputs.append(records)
        return ((inputs[1], inputs[0]),)

    def pair(self, zero: Any, one: Any) -> ProductLaplacePair:
        """The exact pair of laws at two inputs, their entries read as the decimals of `query`."""
        scale = self.exact_scale
        moved = (
            sp.Abs(rational(float(x)) - rational(float(y)))
            for x, y in zip(self.query(zero), self.query(one), strict=True)
        )
        return ProductLaplacePair(tuple(m / scale for m in moved))

    def worst_case(self) -> WorstCase:
        """Attained: the declared neighbours, exactly.  Dominating: the L1 bound, and a normal pair by the Frobenius bound."""
        a, b, total, inner = self._blocks()
        unit = sp.Integer(1) / (self.n * self.exact_scale)
        counts = (a * (a + 1) // 2, a * b, b * (b + 1) // 2) if self.symmetric else (a * a, 2 * a * b, b * b)
        entries = (inner / (a * total), 2 / total, inner / (b * total))
        ratios = tuple(d * unit for d, count in zip(entries, counts, strict=True) for _ in range(count))
        bound = l1_sensitivity(self.p, self.n, self.symmetric)
        pure = laplace_worst_case(bound / self.exact_scale, self.dimension)
        assert pure.dominating is not None
        normal = GaussianPair(sp.sqrt(sp.pi) * unit)
        frobenius = Step(
            product(root(quotient(sp.pi, 2)), quotient(root(2), self.n * self.exact_scale)),
            "=",
            normal.mu,
            "the entries' ratios have root sum of squares at most sqrt 2 / (n scale): mu adds up in squares",
        )
        return WorstCase(
            ProductLaplacePair(ratios),
            BoundedByEach((pure.dominating, normal)),
            (*sensitivity_steps(self.p, self.n, self.symmetric), *pure.steps, *gaussian_steps(), frobenius),
            (*pure.lemmas, *LAPLACE_IS_GAUSSIAN),
        )

    def _blocks(self) -> tuple[int, int, sp.Expr, sp.Integer]:
        """Sizes a, b of the two blocks; the spread t of [[p + k, 2 sqrt(ab)], [., -(p + k)]]/2; p + k, k = 2 for the triangle."""
        a, b = (self.p + 1) // 2, self.p // 2
        inner = sp.Integer(self.p + 2 * self.symmetric)
        return a, b, sp.sqrt(inner**2 + 4 * a * b), inner

    def noise_information(self) -> Information | None:
        # The records are not the centre of the noise: y = x + w does not hold for them.
        return None

    def with_noise_divided_by(self, factor: float) -> Self:
        return type(self)(self.p, self.n, self.exact_scale / rational(factor), self.symmetric)


def l1_sensitivity(p: int, n: int, symmetric: bool = False) -> sp.Expr:
    """The proved bound on the L1 distance of the released entries of neighbours: sqrt 2 p/n, or sqrt(p (p + 3)/2)/n."""
    return sp.sqrt(sp.Rational(p * (p + 3), 2) if symmetric else sp.Integer(2 * p * p)) / n


def sensitivity_steps(p: int, n: int, symmetric: bool) -> tuple[Step, ...]:
    """Checked steps: sum c_ij |D_ij| <= |c|_F |D|_F and |D|_F <= sqrt 2 for D = u u' - v v', then division by n."""
    u, v, d, w = Column("u"), Column("v"), Column("d"), Column("w")
    cosine, entries = sp.Symbol("c", real=True), sp.Symbol("N", positive=True)
    alpha, beta = sp.symbols("alpha beta", nonnegative=True)
    s, t = 1 / (1 + alpha), 1 / (1 + beta)
    off = sp.Rational(1, 2) if symmetric else sp.Integer(1)
    weight = sp.Rational(p * (p + 3), 4) if symmetric else sp.Integer(p * p)
    return (
        identity(
            gram(u * u.T - v * v.T),
            s**2 + t**2 - 2 * cosine**2,
            "Frobenius norm of D with |u|^2 = s = 1/(1+alpha), |v|^2 = t = 1/(1+beta) in (0, 1] and u'v = c",
            values={Trace(u.T * u): s, Trace(v.T * v): t, Trace(u.T * v): cosine},
        ),
        Step(s**2 + t**2 - 2 * cosine**2, "<=", s**2 + t**2, "the inner product only takes away"),
        Step(
            s**2 + t**2,
            "<=",
            sp.Integer(2),
            "lengths at most one (length zero is the limit): |D|_F <= sqrt 2",
        ),
        identity(
            gram(d - w * w.T * d / entries),
            Trace(d.T * d) - Trace(w.T * d) ** 2 / entries,
            "Cauchy-Schwarz with the absolute entries d of D, weights w and N = |w|^2: (w'd)^2 <= N |d|^2",
            values={Trace(w.T * w): entries},
        ),
        Step(
            total(p, product(p, p - 1, power(off, 2))),
            "=",
            weight,
            "the weights: 1 on the diagonal, "
            + ("1/2 off it since both triangles hold each entry" if symmetric else "1 off it"),
        ),
        Step(
            quotient(product(root(weight), root(2)), n),
            "=",
            l1_sensitivity(p, n, symmetric),
            "the L1 distance of the released entries is at most this",
        ),
    )
