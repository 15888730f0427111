"""Section 2, what estimators of the record can do: Proposition 1, biased estimators, and equations (6) to (8)."""

from __future__ import annotations

import sympy as sp

from ....symbolic.laws import catalogue as laws
from ....symbolic.proof.as_written import determinant, difference, inner, power, quotient, root, total
from ....symbolic.proof.as_written import product as of
from ....symbolic.proof.derivation import Derivation, Step
from ....symbolic.proof.enclosure import compare
from ....symbolic.proof.truth import Truth
from ...dossier import Argument, Formula, Later, Parts, argued, parts
from ...dossier.arguments.bounds_arguments import SQUARES, cancelled, kernel, least_eigenvalue
from ...dossier.arguments.written_integrals import mean
from .arguments.bounds_estimators import (
    INTERCHANGE,
    SLOPES,
    V1,
    V2,
    biased_error,
    escaping_mass,
    informed_error,
    unbiased_error,
)
from .arguments.bounds_matrices import least_eigenvalue as eigenvalue_instances
from .arguments.bounds_matrices import linear_estimator
from .dossier import DOSSIER
from .model import density_of_answer

ESCAPE = (
    "For the answers with density (1 - x^2) n(y - x/(1 - x^2)) + x^2 n(y - 1/x), which satisfies Assumption 2 with "
    "W = R, the unbiased y/2 has error d^2/4 at x = 0, where the inverse information is d^2."
)
ONE_PER_CENT = sp.Rational(101, 100)
SLOPE_SQUARED = SLOPES * SLOPES.T


def least_of(matrix: sp.Matrix) -> sp.Expr:
    """The smaller eigenvalue of a symmetric 2 x 2 matrix."""
    half = (matrix[0, 0] - matrix[1, 1]) / 2
    return (matrix[0, 0] + matrix[1, 1]) / 2 - sp.sqrt(half**2 + matrix[0, 1] ** 2)


@DOSSIER.disputed(
    "proposition-1a",
    "Errors of unbiased estimators (Proposition 1, (4))",
    condition=INTERCHANGE,
    printed="If I(x) is invertible, the mean squared error of every unbiased estimator of x is at least "
    "Tr(I(x)^-1). Formula: an estimator that attains it, for the answers C x + w, C of order 2, normal "
    "noise.",
    without="The same under Assumption 2 alone. " + ESCAPE,
    at=(Later(lambda: parts(unbiased_error())), Later(lambda: parts(unbiased_error(), escaping_mass()))),
)
def proposition_1a(data: Parts) -> Parts:
    return data


@DOSSIER.disputed(
    "proposition-1b",
    "Errors of biased estimators (Proposition 1, (5))",
    condition=INTERCHANGE,
    printed="The mean squared error of an estimator of mean g(x) is at least Tr(G' I^-1 G) + |x - g|^2, with the "
    "derivatives of g_i in row i of G. Formula: the estimator G y of x in R^2 from y = x + w, normal "
    "noise of covariance diag(v1, v2).",
    twin="It is at least Tr(G I^-1 G') + |x - g|^2, with the Jacobian G of the mean g by rows.",
    without="It is at least Tr(G I^-1 G') + |x - g|^2, with the Jacobian G of the mean g by rows, under "
    "Assumption 2 alone. For the answers with density (1 - x^2) n(y - x/(1 - x^2)) + x^2 n(y - 1/x), "
    "which satisfies Assumption 2 with W = R, the unbiased y/2 has error d^2/4 at x = 0, where the "
    "inverse information is d^2.",
    at=(
        parts(biased_error(printed=True), instances=linear_estimator("transposed first")),
        parts(biased_error(printed=False), instances=linear_estimator("transposed last")),
        Later(
            lambda: parts(
                biased_error(printed=False), escaping_mass(), instances=linear_estimator("transposed last")
            )
        ),
    ),
)
def proposition_1b(data: Parts) -> Parts:
    return data


@DOSSIER.disputed(
    "no-unbiased-estimator",
    "With fewer answers than entries there may be no unbiased estimator",
    printed="For m < n answers C x + w with noise that does not depend on x, no estimator is unbiased: the mean "
    "of any one depends on x through C x, and its slope B C has a squared distance of at least n - m "
    "from the identity.",
    twin="The squared distance is at least 1.01 (n - m).",
    at=(sp.Integer(1), ONE_PER_CENT),
)
def no_unbiased_estimator(missing: sp.Expr) -> Parts:
    """n = 2 and m = 1, C = (c1, c2): every B is s C^+ + t (c2, -c1)'/|C|^2, and the distance is 1 + (s - 1)^2 + t^2."""
    c, e = sp.symbols("c1 c2", positive=True)
    s, t = sp.symbols("s t", real=True)
    answer = sp.Matrix([[c, e]])
    estimator = sp.Matrix([s * c + t * e, s * e - t * c]) / (c**2 + e**2)
    missed = estimator * answer - sp.eye(2)
    distance = sp.cancel(sp.Add(*(v**2 for v in missed)))
    squares = (s - 1) ** 2 + t**2
    rewritten = Step(distance, "=", squares + 1, "what is above n - m is a sum of squares", cancelled)
    lemmas = (
        SQUARES,
        "the law of y depends on x through C x only, so the mean of an estimator is a function of C x",
    )

    def argue(formula: Formula) -> Derivation:
        tie = Step(formula.right, "=", difference(2, 1), "n - m, with n = 2 and m = 1")
        same = Step(formula.left, "=", squares + 1, "the left side is the one that was derived", cancelled)
        return Derivation(
            "the slope of the mean is not the identity", (*kernel(), rewritten, same, tie), lemmas
        )

    return parts(Formula(distance, ">=", missing, argument=argue))


def _eigenvalue_bound(factor: sp.Expr) -> Parts:
    """Any G of order 2 for the equality; for the inequality the basis in which G G' = diag(l, l + h)."""
    k1, k2, least = sp.symbols("k1 k2 l", positive=True)
    h, s = sp.Symbol("h", nonnegative=True), sp.Symbol("s", real=True)
    inverse = sp.Matrix([[k1, s], [s, k2]])
    rotated = sp.expand((SLOPES.T * inverse * SLOPES).trace())
    moved = sp.expand((inverse * SLOPES * SLOPES.T).trace())
    left = sp.expand((inverse * sp.diag(least, least + h)).trace())

    def argue(formula: Formula) -> Derivation:
        ties = (
            Step(
                formula.left,
                "=",
                inner((k1, k2), (least, least + h)),
                "the left side is Tr(I^-1 G G')",
                cancelled,
            ),
            Step(
                formula.right,
                "=",
                inner((k1, k2), (least, least)),
                "the right side is Tr(I^-1) lambda_min",
                cancelled,
            ),
        )
        return Derivation("Tr(I^-1 (G G' - lambda_min)) >= 0", (*least_eigenvalue(), *ties), (SQUARES,))

    return parts(
        Formula(rotated, "=", moved, argument=argued(written=inner(inverse, SLOPE_SQUARED.T))),
        Formula(left, ">=", factor * least * inverse.trace(), (k1 * k2 - s**2,), argue),
        instances=eigenvalue_instances(str(factor)),
    )


DOSSIER.disputed(
    "eq-6",
    "The least eigenvalue of G G' (6)",
    printed="Tr(G' I^-1 G) = Tr(I^-1 G G') >= Tr(I^-1) lambda_min(G G').",
    twin="The right side times 1.01 is still a lower bound.",
    at=(sp.Integer(1), ONE_PER_CENT),
)(_eigenvalue_bound)


@DOSSIER.disputed(
    "eq-6-consequence",
    "Biased estimators and the rank of G",
    printed="lambda_min(G G') is positive if G has full row rank; otherwise it is 0, and the error of an estimator may "
    "stay the same while Tr(I^-1) grows without bound: (y_1, 0) has error v_1 + x_2^2 whatever v_2 is.",
    twin="lambda_min(G G') is positive already if G is not zero.",
    at=(True, False),
)
def eq_6_consequence(full_rank: bool) -> Parts:
    """G with the singular values s <= s + h; the error of the estimator (y_1, 0) as the variance v_2 grows."""
    square = SLOPE_SQUARED
    least, trace = least_of(square), square.trace()
    x2 = sp.Symbol("x2", real=True)
    small, h = sp.symbols("s h", nonnegative=True)
    only_first = sp.diag(1, 0)
    error = (only_first * sp.diag(V1, V2) * only_first.T).trace() + x2**2
    product = Step(
        of(least, difference(trace, least)),
        "=",
        power(determinant(SLOPES), 2),
        "the eigenvalues of G G' multiply to det(G)^2: the smaller one is positive if det(G) is not 0",
    )
    full = small**2 * (small + h) ** 2
    square_of_det, larger = sp.symbols("det_squared larger", positive=True)
    singular = {SLOPES[1, 0]: 2 * SLOPES[0, 0], SLOPES[1, 1]: 2 * SLOPES[0, 1]}
    zero = Formula(sp.expand(least.subs(singular)), "=", sp.Integer(0), argument=_zero_eigenvalue(singular))
    noise = laws.normal(0, sp.sqrt(V1))
    written = total(mean(noise, noise.variable**2), power(-x2, 2))
    bounded = Formula(sp.expand(error), "=", V1 + x2**2, argument=argued(written=written))
    where = full if full_rank else small**2 + (small + h) ** 2

    def argue(formula: Formula) -> Derivation:
        ties = (
            Step(
                formula.where[0],
                "=",
                power(of(small, small + h), 2),
                "under the condition det(G)^2 > 0",
                cancelled,
            ),
            Step(
                formula.left,
                "=",
                quotient(full, power(small + h, 2)),
                "the smaller eigenvalue of G G' is det(G)^2 over the larger one",
                cancelled,
                # det(G)^2 > 0 leaves neither singular value at 0.
                where=(small + h,),
            ),
            Step(quotient(square_of_det, larger), formula.relation, formula.right, "which is positive"),
        )
        return Derivation("full rank makes the bound positive", (product, *ties))

    positive = Formula(small**2, ">", sp.Integer(0), (where,), argue)
    return parts(positive, zero, bounded)


def _expanded(left: sp.Expr, right: sp.Expr) -> Truth:
    return compare(sp.expand(left), "=", sp.expand(right.doit()))


def _zero_eigenvalue(at: dict[sp.Expr, sp.Expr]) -> Argument:
    g, h = SLOPES[0, 0], SLOPES[0, 1]
    half = 5 * (g**2 + h**2) / 2
    first, second, mixed = (SLOPE_SQUARED[k].subs(at) for k in ((0, 0), (1, 1), (0, 1)))
    discriminant = total(power(quotient(difference(first, second), 2), 2), power(mixed, 2))
    half_trace = quotient(total(first, second), 2)
    rank_one = Step(
        discriminant, "=", power(half, 2), "the discriminant of G G' for G of rank one is a square"
    )
    trace = Step(half_trace, "=", half, "half the trace")

    def argue(formula: Formula) -> Derivation:
        smaller = difference(half_trace, root(discriminant))
        same = Step(formula.left, "=", smaller, "the left side is the smaller eigenvalue", _expanded)
        zero = Step(
            difference(half, root(power(half, 2))), "=", formula.right, "half the trace less that root"
        )
        return Derivation("a singular G makes the bound zero", (rank_one, trace, same, zero))

    return argue


@DOSSIER.disputed(
    "assumption-3",
    "Assumption 3 and the example that is said to settle it",
    printed="Assume that the Jacobian G(x) of the mean of the estimator has full row rank for all x. For the weighted "
    "average of Example 2 this can be checked and holds (least squares, n = 2: det(G) is not 0).",
    twin="For the weighted average of n > 1 entries it fails for every estimator whose mean depends on C x: its slope "
    "B C has rank one (n = 2: det(B C) = 0).",
    at=(True, False),
)
def assumption_3(full_rank: bool) -> Parts:
    """Least squares in Example 2: the mean C^+ C x of C^+ y, two entries."""
    c, e = sp.symbols("c1 c2", positive=True)
    weights = sp.Matrix([[c, e]])
    slope = weights.T * (weights * weights.T).inv() * weights
    free = Step(
        total(*(power(inner(slope[i, :], (e, -c)), 2) for i in range(2))),
        "=",
        sp.Integer(0),
        "C^+ C maps the kernel of C to zero, in every dimension n > 1",
        cancelled,
    )
    if full_rank:
        singular = argued(
            free, conclusion="the slope of least squares is singular", written=power(determinant(slope), 2)
        )
        return parts(Formula(slope.det() ** 2, ">", sp.Integer(0), argument=singular))
    spread = sp.Matrix(sp.symbols("b1 b2", real=True)) * weights
    argument = argued(written=power(determinant(spread), 2), how=cancelled)
    return parts(Formula(spread.det() ** 2, "=", sp.Integer(0), argument=argument))


@DOSSIER.disputed(
    "eq-7",
    "An entry whose neighbours are known (7)",
    condition=INTERCHANGE,
    reading="equation (2), which has the density gamma(y - f(x)|x)",
    printed="If all other entries are known, the error of every unbiased estimator of x_i is at least 1/I_i, "
    "where the density of the answer is gamma(w - f(x)|x), w = y - f(x). Formula: density at y for f(x) "
    "= x^3; error and bound for two answers with slopes c1, c2 in x_i.",
    twin="The same with the density gamma(y - f(x)|x).",
    without="The same with the right density, under Assumption 2 alone. " + ESCAPE,
    at=((2, informed_error()), (1, informed_error()), Later(lambda: (1, escaping_mass()))),
)
def eq_7(i: int, formula: Formula) -> Parts:
    return parts(density_of_answer(sp.Integer(i)), formula)


FIRST, EXCESS, OTHERS = (
    sp.Symbol("I_1", positive=True),
    sp.Symbol("h", nonnegative=True),
    sp.Symbol("I_rest", nonnegative=True),
)


def _chain(factor: sp.Expr) -> Parts:
    second = FIRST + EXCESS
    order = Formula(1 / second, "<=", 1 / FIRST)
    return parts(order, Formula(FIRST, "<=", (FIRST + OTHERS) / factor))


DOSSIER.disputed(
    "eq-7-chain",
    "From one entry to all of them",
    printed="Given (7), the least error over i is at least min 1/I_i = 1/max I_i, and max I_i <= sum I_i = "
    "Tr(I). Formula: the larger of two informations, I_1 and I_1 + h, has the smaller inverse; one is at "
    "most the sum with all others.",
    twin="max I_i is at most the sum divided by 1.01.",
    at=(sp.Integer(1), ONE_PER_CENT),
)(_chain)


def _all_entries(factor: sp.Expr) -> Formula:
    """Normal answers y_i = x_i + w_i: the errors of y_i are 1/I_i, exactly."""
    least = 1 / (FIRST + EXCESS)
    return Formula(least, ">=", factor / (FIRST + EXCESS + OTHERS))


@DOSSIER.disputed(
    "eq-8",
    "The inverse of the trace bounds every entry (8)",
    condition=INTERCHANGE,
    printed="The least mean squared error over the entries, for an adversary who knows all others, is at least "
    "1/Tr(I). Formula: the entry of largest information I_1 + h is estimated at its bound; I_rest is the "
    "rest of the trace.",
    without="The same under Assumption 2 alone, for n = 1. " + ESCAPE,
    at=(informed_error(), Later(lambda: escaping_mass())),
)
def eq_8(formula: Formula) -> Parts:
    return parts(formula, _all_entries(sp.Integer(1)))
