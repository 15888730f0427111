"""What is drawn from a noisy Gaussian model: whether the model exists, what further use costs, labels, and fit."""

from __future__ import annotations

import sympy as sp

from .....symbolic.proof import as_written as written
from .....symbolic.proof.derivation import Step
from .....symbolic.proof.trace import Column, Letter, Rules, Trace, identity
from ....dossier.formula import Formula, argued

UNIT = sp.Integer(1)
ZERO = sp.Integer(0)


def is_covariance(repaired: bool) -> tuple[Formula, Formula]:
    """The noisy matrix is symmetric, and its variance is not negative: two off-diagonal entries, and one variance s with noise z.

    `repaired`: the mean with the transpose is taken, and negative eigenvalues are set to zero.
    """
    s = sp.Symbol("s", positive=True)
    z = sp.Symbol("z", real=True)
    c, z12, z21 = sp.symbols("c z12 z21", real=True)
    upper, lower = c + z12, c + z21
    if repaired:
        upper, lower = (
            written.quotient(written.total(*pair), 2) for pair in ((upper, lower), (lower, upper))
        )
    variance = sp.Max(s + z, 0) if repaired else s + z
    v, x, d = Letter("V"), Column("x"), Letter("D")
    clipped = identity(
        Trace(x.T * v * d.T * d * v.T * x),
        Trace(written.product(x.T * v * d.T, d * v.T * x)),
        "x'V D'D V'x is the square |D V'x|^2, D the roots of the eigenvalues kept",
    )
    return Formula(written.difference(upper, lower), "=", ZERO), Formula(
        variance, ">=", ZERO, argument=argued(clipped)
    )


def harder_attack(factor: sp.Expr = UNIT) -> tuple[Formula, Formula]:
    """The error of the mean square of k records drawn from N(0, s + z) as a guess of s, less that of s + z itself, v = E z^2, against the printed excess.

    Given z the guess is unbiased with the variance 2 (s + z)^2/k; E(s + z)^2 = s^2 + v.
    """
    s, v = sp.symbols("s v", positive=True)
    k = sp.Symbol("k", integer=True, positive=True)
    g = sp.Symbol("g", real=True)
    # E g^4 - (E g^2)^2 for standard normal g, over k independent records.
    density = sp.exp(-(g**2) / 2) / sp.sqrt(2 * sp.pi)
    fourth, second = (sp.integrate(g**q * density, (g, -sp.oo, sp.oo)) for q in (4, 2))
    error = v + (fourth - second**2) * (s**2 + v) / k
    added = factor * 2 * (s**2 + v) / k
    return Formula(written.difference(error, v), "=", sp.expand(added)), Formula(added, ">", ZERO)


def augmented(factor: sp.Expr = UNIT) -> tuple[Formula, ...]:
    """Entries of the augmented second moments against their blocks, p = 2 and n = 3; the step for every size."""
    x = sp.Matrix(2, 3, lambda i, j: sp.Symbol(f"x{i + 1}{j + 1}", positive=True))
    y = sp.Matrix(3, 1, lambda j, _: sp.Symbol(f"y{j + 1}", positive=True))
    stacked = sp.Matrix.vstack(x, y.T)
    features, cross, label = x * x.T / 3, x * y / 3, (y.T * y)[0] / 3
    entries = (
        (_mean_product(stacked, 0, 1), features[0, 1]),
        (_mean_product(stacked, 0, 2), cross[0]),
        (_mean_product(stacked, 2, 1), cross[1]),
        (_mean_product(stacked, 2, 2), label),
    )
    return tuple(
        Formula(left, "=", sp.expand(factor * right), argument=argued(_one_more_record()))
        for left, right in entries
    )


def _mean_product(columns: sp.Matrix, i: int, j: int) -> sp.Expr:
    """An entry of (1/n) X X' as it is defined, columns are records."""
    products = map(written.product, columns.row(i), columns.row(j))
    return written.quotient(written.total(*products), columns.cols)


def second_moments(factor: sp.Expr = UNIT) -> tuple[Formula, ...]:
    """Entries of (1/n) X X' against the mean of x_i x_i', p = 2 and n = 3; the step for every size."""
    x = sp.Matrix(2, 3, lambda i, j: sp.Symbol(f"x{i + 1}{j + 1}", positive=True))
    total = sp.zeros(2, 2)
    for i in range(3):
        total += x[:, i] * x[:, i].T
    return tuple(
        Formula(
            _mean_product(x, i, j),
            "=",
            sp.expand(factor * total[i, j] / 3),
            argument=argued(_one_more_record()),
        )
        for i, j in ((0, 0), (0, 1))
    )


def _one_more_record() -> Step:
    """(X + x e')(X + x e')' = X X' + x x' for a new place e, where X is zero: each record adds its own term, in every size."""
    x, r, e, f = Letter("X"), Column("x"), Column("e"), Column("f")
    rules: Rules = {(x, e): ZERO, (e.T, x.T): ZERO, (e.T, e): UNIT}
    return identity(
        Trace(f.T * (x + r * e.T) * (x.T + e * r.T) * f),
        Trace(f.T * x * x.T * f) + Trace(f.T * r * r.T * f),
        "one more record adds its own product and nothing else",
        rules=rules,
        instance={
            x: sp.Matrix([[1, 0], [3, 0]]),
            r: sp.Matrix([5, 6]),
            e: sp.Matrix([0, 1]),
            f: sp.Matrix([2, 7]),
        },
    )


def label_kept_apart() -> Formula:
    """The last coordinate of a record (W'x, y) against its label."""
    w = sp.Matrix(sp.symbols("w1 w2", positive=True))
    x = sp.Matrix(sp.symbols("x1 x2", positive=True))
    y = sp.Symbol("y", real=True)
    blocks = sp.Matrix([[w[0], w[1], 0], [0, 0, 1]])
    last = written.total(*map(written.product, blocks.row(1), [*x, y]))
    return Formula(last, "=", y)


def labels_in_range() -> Formula:
    """The probability that a label drawn from N(0, s^2) leaves [-a, a]."""
    a, s = sp.symbols("a s", positive=True)
    return Formula(1 - sp.erf(a / (sp.sqrt(2) * s)), "<=", ZERO)


def fourth_moments(relation: str) -> Formula:
    """E x^4 of the normal law with the mean and variance of x = s or -s, equally likely, minus that of x itself."""
    s = sp.Symbol("s", positive=True)
    g = sp.Symbol("g", real=True)
    density = sp.exp(-(g**2) / 2) / sp.sqrt(2 * sp.pi)
    normal = sp.integrate(g**4 * density, (g, -sp.oo, sp.oo)) * s**4
    return Formula(sp.expand(normal - (s**4 + (-s) ** 4) / 2), relation, ZERO)


def same_features(factor: sp.Expr = UNIT) -> Formula:
    """An entry of the features' block of (3) against the same of (2), p = 2 and n = 3."""
    return augmented(factor)[0]
