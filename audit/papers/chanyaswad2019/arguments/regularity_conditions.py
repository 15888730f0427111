"""What the regularity conditions of the projection theorem say and do not say: formulas, and centring before normalisation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp
from flint import arb

from .....symbolic.proof import as_written as written
from .....symbolic.proof.derivation import Derivation, Step
from .....symbolic.proof.enclosure import enclose
from .....symbolic.proof.expressions import parse
from .....symbolic.proof.truth import Truth
from ....dossier.arguments.bounds_arguments import cancelled
from ....dossier.arguments.gaussian_model import UNIFORM, M, square_of_entry, uniform_direction
from ....dossier.formula import Formula, argued, direction
from ....dossier.instances import Comparison, Instances, rule
from .privacy_background import by_excess, triangle

ONE, ZERO = sp.Integer(1), sp.Integer(0)
SIGMA, STEP = sp.symbols("sigma h", positive=True)
U, V = sp.symbols("u v", nonnegative=True)
P = sp.Symbol("p", integer=True, positive=True)
SQUARES = "a squared length is not negative"


def means_of_functions(factor: sp.Expr = ONE) -> Formula:
    """|a - c| <= factor (|a - b| + |b - c|), a, b, c the means of one function under three laws."""
    a, b, c = sp.symbols("a b c", real=True)

    def argue(formula: Formula) -> Derivation:
        ends = (
            Step(
                written.total(a - b, b - c),
                "=",
                a - c,
                "for the two differences, and the supremum over functions",
            ),
            Step(
                formula.left,
                "=",
                written.applied(sp.Abs, written.total(a - b, b - c)),
                "the left side of the formula is the size of their sum",
            ),
            Step(
                written.difference(formula.right, sp.Abs(a - b)),
                "=",
                sp.Abs(b - c),
                "the right side of the formula, without the size of the first, is that of the second",
            ),
        )
        lemmas = ("means of bounded Lipschitz functions determine a law (Dudley 2002, 9.3.2 and 11.3.3)",)
        return Derivation("a distance between laws", (*triangle(), *ends), lemmas)

    return Formula(sp.Abs(a - c), "<=", factor * (sp.Abs(a - b) + sp.Abs(b - c)), argument=argue)


def spread_about_mean() -> Formula:
    """E|X - EX|^2 > 0 for X = t e_1 + sqrt(1 - t^2) U on the sphere, U uniform at a right angle to e_1, t = 1/(1 + u)."""
    return Formula(1 - 1 / (1 + U) ** 2, ">", ZERO)


def every_direction() -> Formula:
    """sigma = 1: with trace E|X|^2 = m and no eigenvalue above 1, none is below 1.  Three eigenvalues, two of them free."""
    third = 3 - 1 / (1 + U) - 1 / (1 + V)
    argument = by_excess(
        "sigma = 1 leaves the identity only",
        U / (1 + U) + V / (1 + V),
        steps=(
            Step(
                written.difference(M, sp.Sum(ONE, (sp.Symbol("i", integer=True), 1, M - 1))),
                "=",
                ONE,
                "the trace less m - 1 eigenvalues of at most 1, for every m",
            ),
        ),
    )
    return Formula(third, ">=", ONE, argument=argument)


def finite_moment() -> Formula:
    """E|X - EX|^2 <= E|X|^2: the spread about the mean is at most sigma^2 m; it may be zero."""
    total = sp.Symbol("S", positive=True)
    share = 1 / (1 + U)
    return Formula(
        total * (1 - share**2), "<=", total, argument=by_excess("variance decomposition", total * share**2)
    )


def mean_is_zero() -> Formula:
    """|EX|^2 = 0 for X = t e_1 + sqrt(m - 1) U, which meets the conditions for 0 < t <= 1."""
    return Formula(1 / (1 + U) ** 2, "=", ZERO)


def projected_mean() -> Formula:
    """E|W'EX|^2 = p |EX|^2/m over uniform W; t = |EX|."""
    t = 1 / (1 + U)
    left = P * t**2 * sp.gammasimp(square_of_entry())

    def argue(formula: Formula) -> Derivation:
        ends = (
            Step(
                formula.left,
                "=",
                sp.Sum(t**2 / M, (sp.Symbol("i", integer=True), 1, P)),
                "p coordinates, each with the mean <w, EX>",
            ),
            Step(
                formula.right,
                "=",
                P * t**2 * square_of_entry(),
                "the claimed value, from the second moment of an entry of w",
                in_gammas,
            ),
            Step(sp.Limit(P * t**2 / M, M, sp.oo), "=", ZERO, "which tends to zero, whatever t is"),
        )
        return Derivation(
            "a mean of bounded length leaves no trace", (*uniform_direction(), *ends), (UNIFORM,)
        )

    return Formula(left, "=", P * t**2 / M, argument=argue)


def in_gammas(left: sp.Expr, right: sp.Expr) -> Truth:
    """Equality after products of values of the Gamma function are brought together."""
    return cancelled(sp.gammasimp(left), sp.gammasimp(right))


def normalised(zero: sp.Expr) -> tuple[Formula, ...]:
    """Lemma 1 (a), (b), (c) where a record is zero with probability `zero` and stays zero; three attributes."""
    d, v = sp.symbols("d1 d2 d3", real=True), sp.symbols("v1 v2 v3", real=True)
    c = sp.Symbol("c", real=True)
    size = sum(z**2 for z in d)
    unit = (1 - zero) * sp.Add(*(z**2 / size for z in d), evaluate=False)
    inner = sum(a * b for a, b in zip(d, v, strict=True))
    length = sum(z**2 for z in v)
    norms = size * length
    pairs = ((0, 1), (0, 2), (1, 2))
    squares = sum((d[i] * v[j] - d[j] * v[i]) ** 2 for i, j in pairs) / norms
    off = sp.Abs(SIGMA**-2 - M)
    scalar = (
        Step(
            written.total(1, written.product(-2, c, c), c**2),
            "=",
            1 - c**2,
            "|x - c v|^2 for c = <v, x>, |x| = |v| = 1: so c^2 <= 1, every m",
        ),
    )

    def bounded(formula: Formula) -> Derivation:
        excess = Step(
            written.difference(formula.right, formula.left),
            "=",
            squares,
            "the same written out: Lagrange's identity",
            cancelled,
        )
        return Derivation("Cauchy-Schwarz", (*scalar, excess), (SQUARES,))

    divided = argued(
        reason="the squares of a normalised record sum to one", how=cancelled, conclusion="norm one"
    )
    return (
        Formula(unit, "=", ONE, (size,), divided),
        Formula((1 - zero) * inner**2 / norms, "<=", ONE, (size, length), bounded),
        Formula(written.total(written.product(1 - zero, off), written.product(zero, M)), "=", off),
    )


def unscaled() -> Formula:
    """E|W'X| + sigma E|Z| <= 2 sqrt(p/m) for unit records, sigma = 1/sqrt(m): the distance of W'X from sigma Z is no larger.

    By Jensen's inequality E|W'X| is at most the root of E|W'X|^2 = p E w_1^2, and E|Z| at most sqrt(p).
    """
    left = sp.sqrt(P * sp.gammasimp(square_of_entry())) + sp.sqrt(P) / sp.sqrt(M)

    def argue(formula: Formula) -> Derivation:
        ends = (
            Step(formula.left, "=", sp.sqrt(P / M) + sp.sqrt(P / M), "both roots"),
            Step(formula.right, "=", 2 * sp.sqrt(P / M), "the claimed bound"),
        )
        return Derivation(
            "near whatever the records are",
            (*uniform_direction(), direction(formula, "<="), *ends),
            (UNIFORM, "Jensen's inequality"),
        )

    return Formula(left, "<=", 2 * sp.sqrt(P / M), argument=argue)


def on_the_sphere(top: sp.Expr, bound: sp.Symbol) -> tuple[Formula, ...]:
    """Records of norm 1 with sigma = 1/sqrt(m): (i), (iii), and (ii) for the records divided by sigma, top second moment `top`."""
    sigma = 1 / sp.sqrt(M)
    return (
        Formula(ONE, "=", sigma**2 * M),
        Formula(sp.Abs(sigma**-2 - M), "=", ZERO),
        Formula(top / sigma**2, "<=", bound),
        unscaled(),
    )


def averaged_variance(mean: sp.Expr) -> Formula:
    """The variance of <w, X> averaged over w, E|X|^2 = sigma^2 m and |EX|^2 = `mean` of it, against sigma^2."""
    left = sp.gammasimp(square_of_entry()) * SIGMA**2 * M * (1 - mean)

    def argue(formula: Formula) -> Derivation:
        ends = (
            Step(
                formula.left,
                "=",
                written.quotient(written.product(SIGMA**2, M), M),
                "E|X - EX|^2/m, where EX = 0 and E|X|^2 = sigma^2 m",
                cancelled,
            ),
            Step(
                formula.right,
                "=",
                SIGMA**2 * M * square_of_entry(),
                "the claimed variance: sigma^2 m times the second moment of an entry of w",
                in_gammas,
            ),
        )
        return Derivation("sigma^2 is the variance on average", (*uniform_direction(), *ends), (UNIFORM,))

    return Formula(left, "=", SIGMA**2, argument=argue)


def narrower() -> Formula:
    """The density of sigma Z at zero falls as sigma grows by h."""
    root = sp.sqrt(2 * sp.pi)
    excess = STEP / (root * SIGMA * (SIGMA + STEP))
    return Formula(
        1 / (SIGMA * root), ">=", 1 / ((SIGMA + STEP) * root), argument=by_excess("a narrow bell", excess)
    )


def centring_helps(after: sp.Expr, share: sp.Expr) -> Formula:
    """The top second moment of the normalised records is |mean|^2 = `share` and a variance v; with centring it is `after`."""
    v = sp.Symbol("v", nonnegative=True)
    argument = by_excess("the direction of the mean has this second moment", sp.factor(share - after) + v)
    return Formula(after, "<=", share + v, argument=argument)


@rule("centring before normalisation")
def centring(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterable[Comparison]:
    """Top second moments of unit records, without and with centring; data that miss the condition are no instance."""
    rows = _rows(numbers)
    first = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    moved = first - first.mean(axis=0)
    second = moved / np.linalg.norm(moved, axis=1, keepdims=True)
    error = arb(0, 1e-9)
    share = float(np.sum(first.mean(axis=0) ** 2))
    before, after = (arb(float(np.linalg.eigvalsh(r.T @ r / len(r))[-1])) + error for r in (first, second))
    limit = enclose(parse(printed["limit"], {"share": sp.Rational(repr(share))})) + error
    if after > limit:
        return
    for name, unit in (("first", first), ("second", second)):
        norms = np.sum(unit**2, axis=1)
        yield f"squared norms after the {name} normalisation", arb(float(norms.max())) + error, "=", arb(1)
    yield (
        f"top second moment of {numbers.get('data', 'the records')} with centring, without",
        after,
        "<=",
        before,
    )


def _rows(numbers: Mapping[str, Any]) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    if "data" in numbers:
        import sklearn.datasets

        return np.asarray(getattr(sklearn.datasets, f"load_{numbers['data']}")().data, dtype=float)
    if "seed" in numbers:
        rng = np.random.default_rng(numbers["seed"])
        n, m = numbers["shape"]
        return np.asarray(rng.standard_normal((n, m)) + numbers["shift"] * np.eye(m)[0], dtype=float)
    return np.array([[float(Fraction(x)) for x in row] for row in numbers["rows"]])


def centred_data(limit: str) -> Instances:
    """Bundled data, shifted normal records, and two records that centring makes opposite."""

    def draw(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
        yield {"rows": [["4/5", "3/5"], ["4/5", "-3/5"]]}
        for name in ("iris", "wine", "breast_cancer", "digits", "diabetes"):
            yield {"data": name}
        for _ in range(10):
            m = int(rng.integers(3, 20))
            yield {
                "seed": int(rng.integers(0, 2**31)),
                "shape": [int(rng.integers(30, 200)), m],
                "shift": int(rng.integers(1, 9)),
            }

    what = f"centring before normalisation lowers the top second moment where this is at most {limit} with centring"
    return Instances("centring before normalisation", {"limit": limit}, draw, what)
