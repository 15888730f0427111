"""Errors of estimators against Cramer-Rao bounds: normal instances that attain them, and a smooth family that breaks them."""

from __future__ import annotations

from functools import cache

import sympy as sp

from .....symbolic.information.fisher import information_of_query, location_information
from .....symbolic.laws import catalogue as laws
from .....symbolic.proof.as_written import determinant, inner, power, product, quotient, total
from .....symbolic.proof.derivation import Step
from ....dossier.arguments.bounds_arguments import REGULAR, SQUARES, UNIT, bias_splits, by_steps, cramer_rao
from ....dossier.arguments.written_integrals import mean
from ....dossier.formula import Formula, argued

INTERCHANGE = (
    "Means may be differentiated under the integral sign, as for noise that does not depend on x and has finite "
    "information; Assumption 2 alone does not give this."
)
ONE_DEVIATION = sp.Symbol("d", positive=True)
V1, V2 = sp.symbols("v1 v2", positive=True)
SLOPES = sp.Matrix(2, 2, sp.symbols("g11 g12 g21 g22", real=True))
RECORD = sp.Matrix(sp.symbols("x1 x2", real=True))


@cache
def unbiased_error(factor: sp.Expr = UNIT) -> Formula:
    """C^-1 y against Tr(I^-1), for y = C x + w with C = [[a, b], [0, c]] and normal noise: the bound is attained."""
    a, c = sp.symbols("a c", positive=True)
    b = sp.Symbol("b", real=True)
    query = sp.Matrix([[a, b], [0, c]])
    x = sp.symbols("x1 x2", real=True)
    noise = laws.normal(0, ONE_DEVIATION)
    information = information_of_query(list(query * sp.Matrix(x)), list(x), location_information(noise)).value
    assert information is not None
    inverse = query.inv()
    error = sp.simplify((inverse * inverse.T).trace() * noise.variance())
    matrix = sp.Matrix(information)
    bound = sp.simplify(matrix.inv().trace())
    argument = by_steps(
        "no unbiased estimator is better than Tr(I^-1)",
        lambda: cramer_rao(False),
        product(inner(inverse, inverse), mean(noise, noise.variable**2)),
        ">=",
        # Tr(I^-1) = Tr(I)/det(I) for I of order 2
        quotient(total(matrix[0, 0], matrix[1, 1]), determinant(matrix)),
        (SQUARES, REGULAR),
    )
    return Formula(error, ">=", factor * bound, argument=argument)


def biased_error(printed: bool, factor: sp.Expr = UNIT) -> Formula:
    """G y against Tr(G' V G) + |x - G x|^2 (printed) or Tr(G V G') + |x - G x|^2; noise covariance V = diag(v1, v2)."""
    v = sp.diag(V1, V2)
    bias = RECORD - SLOPES * RECORD
    offset = (bias.T * bias)[0, 0]
    # The error of G y = G x + G w entry by entry.
    spread = sp.Add(*(SLOPES[i, k] ** 2 * v[k, k] for i in range(2) for k in range(2)))
    bound = (SLOPES.T * v * SLOPES if printed else SLOPES * v * SLOPES.T).trace()
    argument = by_steps(
        "no estimator of mean g is better than Tr(G I^-1 G') + |x - g|^2, G the Jacobian of g by rows",
        lambda: (*cramer_rao(True), *bias_splits()),
        _squared_errors(),
        ">=",
        # I = diag(1/v1, 1/v2)
        total(
            *(quotient(power(SLOPES[i, k], 2), quotient(1, v[k, k])) for i in range(2) for k in range(2)),
            inner(bias, bias),
        ),
        (SQUARES, REGULAR),
    )
    return Formula(spread + offset, ">=", factor * (bound + offset), argument=argument)


def _squared_errors() -> sp.Expr:
    """The mean squared error of G y, entry by entry: variance and squared bias."""
    entries = []
    for i in range(2):
        noise = inner([SLOPES[i, k] ** 2 for k in range(2)], (V1, V2))
        entries.append(total(noise, power(RECORD[i] - SLOPES[i, :].dot(RECORD), 2)))
    return total(*entries)


@cache
def informed_error(factor: sp.Expr = UNIT) -> Formula:
    """(c'(y - f(0, x_-i)))/|c|^2 against 1/I_i, for y in R^2 with slope c in x_i and normal noise of deviation d."""
    c1, c2, x, shift = sp.symbols("c1 c2 x_i s", real=True)
    column = sp.Matrix([c1, c2])
    noise = laws.normal(0, ONE_DEVIATION)
    answers = [c1 * x + shift, c2 * x - shift]
    information = information_of_query(answers, [x], location_information(noise)).scalar
    weights = column / (column.T * column)[0, 0]
    error = sp.simplify((weights.T * weights)[0, 0] * noise.variance())
    argument = by_steps(
        "the others known, the bound for one entry holds",
        lambda: cramer_rao(False),
        product(inner(weights, weights), mean(noise, noise.variable**2)),
        ">=",
        quotient(1, total(*(quotient(power(c, 2), ONE_DEVIATION**2) for c in (c1, c2)))),
        (SQUARES, REGULAR),
    )
    return Formula(error, ">=", factor / information, (c1**2 + c2**2,), argument)


@cache
def escaping_mass(factor: sp.Expr = UNIT) -> Formula:
    """The error of y/2 against 1/I at x = 0, where y has the density (1 - x^2) n(y - x/(1 - x^2)) + x^2 n(y - 1/x).

    n is the normal density of deviation d.  The density is smooth in (y, x) and positive, y/2 is unbiased for every
    x in (-1, 1), and the information at 0 is that of the first part alone.
    """
    x = sp.Symbol("x", real=True)
    near, far = (1 - x**2, x / (1 - x**2)), (x**2, 1 / x)  # weight and centre
    noise = laws.normal(0, ONE_DEVIATION)
    y = noise.variable
    first, second = (weight * noise.density.subs(y, y - centre) for weight, centre in (near, far))
    score = sp.simplify((sp.diff(first, x) / first).subs(x, 0))
    information = sp.simplify(noise.expectation(score**2))
    # An instance: the factor exp(-1/(2 d^2 x^2)) outweighs every power of 1/x.
    seen = second.subs({y: 1, ONE_DEVIATION: 1})
    means = (product(weight, centre) for weight, centre in (near, far))
    found = (
        Step(total(near[0], far[0]), "=", UNIT, "the weights of the two parts add up to one"),
        Step(
            quotient(total(*means), 2),
            "=",
            x,
            "y/2 is unbiased; at x = 0 the far part has no weight, and the near part has the mean 0",
            where=(1 - x**2, x**2),
        ),
        *(
            Step(
                sp.Limit(sp.diff(seen, x, k), x, 0),
                "=",
                sp.Integer(0),
                f"derivative {k} of the far part in x vanishes at 0",
            )
            for k in range(3)
        ),
    )
    argument = argued(*found, conclusion="a smooth family at which the bound fails")
    return Formula(noise.variance() / 4, ">=", factor / information, argument=argument)
