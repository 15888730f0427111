"""The information of the vector families without the formulas of the tables: exact moments of symbolic scores."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import mpmath as mp
import sympy as sp
from mpmath import mpf

from derivation_trials.family import Family, Matrix
from derivation_trials.quadrature import Values, integral

Numbers = dict[str, sp.Rational]


def by_moments(family: Family, point: dict[str, str]) -> Matrix:
    """The matrix at a point, each entry as the mean of a product of scores."""
    numbers = {name: sp.Rational(value) for name, value in point.items()}
    return ROUTES[family.name](numbers)


def _mean_of_normal(numbers: Numbers) -> Matrix:
    a, b = sp.symbols("a b", real=True)
    return _gaussian([a, b], sp.Matrix([a, b]), sp.Matrix([[2, 1], [1, 3]]), numbers)


def _covariance_of_normal(numbers: Numbers) -> Matrix:
    s11, s12, s22 = sp.symbols("s11 s12 s22", real=True)
    return _gaussian([s11, s12, s22], sp.zeros(2, 1), sp.Matrix([[s11, s12], [s12, s22]]), numbers)


def _gaussian(
    parameters: list[sp.Symbol], mean: sp.Matrix, covariance: sp.Matrix, numbers: Numbers
) -> Matrix:
    y = sp.Matrix(sp.symbols("y1 y2", real=True))
    square = ((y - mean).T * covariance.inv() * (y - mean))[0]
    log_density = -square / 2 - sp.log(covariance.det()) / 2
    return _from_scores(log_density, list(y), parameters, (mean, covariance), numbers)


def _autoregression(numbers: Numbers) -> Matrix:
    phi, sigma = sp.symbols("phi sigma", real=True)
    y = sp.symbols("y1:5", real=True)
    steps = sum((y[t] - phi * y[t - 1]) ** 2 for t in range(1, 4))
    square = ((1 - phi**2) * y[0] ** 2 + steps) / sigma**2
    log_density = -square / 2 - 4 * sp.log(sigma) + sp.log(1 - phi**2) / 2
    covariance = sp.Matrix(4, 4, lambda i, j: sigma**2 * phi ** abs(i - j) / (1 - phi**2))
    return _from_scores(log_density, list(y), [phi, sigma], (sp.zeros(4, 1), covariance), numbers)


def _from_scores(
    log_density: sp.Expr,
    y: list[sp.Symbol],
    parameters: list[sp.Symbol],
    law: tuple[sp.Matrix, sp.Matrix],
    numbers: Numbers,
) -> Matrix:
    """Scores are polynomials in y, so each mean is a rational number."""
    values = {symbol: numbers[symbol.name] for symbol in parameters}
    mean, covariance = (moment.subs(values) for moment in law)
    # Centred, so that only the moments of a normal vector of mean zero are needed.
    centred = {symbol: symbol + mean[i] for i, symbol in enumerate(y)}
    scores = [sp.diff(log_density, q).subs(values).subs(centred, simultaneous=True) for q in parameters]
    if any(_normal_mean(score, y, covariance) != 0 for score in scores):
        raise ArithmeticError("a score has a mean that is not zero")
    return [[_as_mpf(_normal_mean(one * two, y, covariance)) for two in scores] for one in scores]


def _normal_mean(polynomial: sp.Expr, y: list[sp.Symbol], covariance: sp.Matrix) -> sp.Rational:
    """The mean of a polynomial in a normal vector of mean zero."""
    terms = sp.Poly(sp.expand(polynomial), *y).terms()
    return sum(factor * _isserlis(_indices(powers), covariance) for powers, factor in terms)


def _indices(powers: tuple[int, ...]) -> list[int]:
    return [i for i, power in enumerate(powers) for _ in range(power)]


def _isserlis(indices: list[int], covariance: sp.Matrix) -> sp.Rational:
    """The mean of a product of centred normals: the sum over all pairings (Isserlis 1918)."""
    if not indices:
        return sp.Integer(1)
    first, rest = indices[0], indices[1:]
    return sum(
        (
            covariance[first, other] * _isserlis(rest[:k] + rest[k + 1 :], covariance)
            for k, other in enumerate(rest)
        ),
        sp.Integer(0),
    )


def _multinomial(numbers: Numbers) -> Matrix:
    p1, p2 = sp.symbols("p1 p2", positive=True)
    values = {p1: numbers["p1"], p2: numbers["p2"]}
    outcomes = [(i, j, 5 - i - j) for i, j in product(range(6), repeat=2) if i + j <= 5]
    total = sp.zeros(2, 2)
    for i, j, k in outcomes:
        mass = sp.factorial(5) / (sp.factorial(i) * sp.factorial(j) * sp.factorial(k))
        mass *= p1**i * p2**j * (1 - p1 - p2) ** k
        score = sp.Matrix([sp.diff(mass, p) / mass for p in (p1, p2)]).subs(values)
        total += score * score.T * mass.subs(values)
    return [[_as_mpf(total[i, j]) for j in range(2)] for i in range(2)]


def _dirichlet(numbers: Numbers) -> Matrix:
    """The covariance of the logarithms; y1 = u, y2 = (1 - u) v, y3 = (1 - u)(1 - v) with u, v independent betas."""
    a1, a2, a3 = (_as_mpf(numbers[name]) for name in ("a1", "a2", "a3"))
    u, v = _logarithms(a1, a2 + a3), _logarithms(a2, a3)
    # log y = (log u, log(1 - u) + log v, log(1 - u) + log(1 - v)); covariances of (log x, log(1 - x)) are in u and v.
    return [[u[0], u[1], u[1]], [u[1], u[2] + v[0], u[2] + v[1]], [u[1], u[2] + v[1], u[2] + v[2]]]


def _logarithms(a: mpf, b: mpf) -> Values:
    """The variance of log x, its covariance with log(1 - x) and the variance of log(1 - x), x beta, by quadrature."""

    def moments(x: mpf) -> Values:
        density = x ** (a - 1) * (1 - x) ** (b - 1)
        one, two = mp.log(x), mp.log(1 - x)
        return [density * factor for factor in (1, one, two, one**2, one * two, two**2)]

    mass, *rest = integral(moments, mpf(0), mpf(1), [])
    one, two, one_one, one_two, two_two = (value / mass for value in rest)
    return [one_one - one**2, one_two - one * two, two_two - two**2]


def _as_mpf(number: sp.Rational) -> mpf:
    return mpf(int(number.p)) / int(number.q)


ROUTES: dict[str, Callable[[Numbers], Matrix]] = {
    "Dirichlet (3 parameters)": _dirichlet,
    "multinomial (n = 5, 3 categories)": _multinomial,
    "bivariate normal (mean)": _mean_of_normal,
    "bivariate normal (covariance)": _covariance_of_normal,
    "AR(1) of length 4": _autoregression,
}
