"""Lemmas on functions and integrals, by quadrature and at random points."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy import integrate, special

from .trial import Generator, at_most, equal, lemma

_DRAWS = 20
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(200)


def integral(values: np.ndarray, low: float = -1.0, high: float = 1.0) -> float:
    """The integral of a function from its values at `nodes(low, high)`."""
    return float(values @ _WEIGHTS) * (high - low) / 2


def nodes(low: float = -1.0, high: float = 1.0) -> np.ndarray:
    """The 200 nodes of Gauss and Legendre between low and high."""
    return low + (high - low) * (_NODES + 1) / 2


@lemma(
    "fundamental lemma (du Bois-Reymond)",
    "fundamental lemma of the calculus of variations",
    says="a polynomial f that is not 0 has a variation h that vanishes at both ends with int f h > 0: h = f (1 - x^2)^2",
    falsified="h among (1 - x^2)^2 times linear functions",
)
def fundamental_lemma(rng: Generator, true: bool) -> Iterator[bool]:
    x, weight = nodes(), (1 - nodes() ** 2) ** 2
    for k in range(_DRAWS):
        # The Gegenbauer polynomial of degree 2 for this weight is orthogonal to linear functions.
        f = np.polyval(rng.normal(size=5), x) if k else special.eval_gegenbauer(2, 2.5, x)
        tries = [f] if true else [np.ones_like(x), x]
        yield max(abs(integral(f * weight * h)) for h in tries) > 1e-9


@lemma(
    "an integrable u >= 0 has points",
    says="the least value of x u(x) between R and 2R is at most the integral of u there over ln 2, for tails with and without peaks",
    falsified="the largest value",
)
def momentum_at_infinity(rng: Generator, true: bool) -> Iterator[bool]:
    for r in 10.0 ** np.arange(1, 5):
        x = nodes(r, 2 * r)
        peaks = 1 + 5 * np.exp(-(((x - 1.5 * r) / (0.05 * r)) ** 2))
        for u in (x**-1.5, x**-2.0, x**-1.2 * peaks):
            value = np.min(x * u) if true else np.max(x * u)
            yield at_most(value, integral(u, r, 2 * r) / np.log(2))


@lemma(
    "a density u with the value 0 at a finite end",
    says="u(x) <= x/4 times the integral of u'^2/u from 0 to x, for powers, sines and x^2, where it is an equality",
    falsified="x/4.04",
)
def density_at_an_end(rng: Generator, true: bool) -> Iterator[bool]:
    shapes = [(lambda x, a=a: x**a, lambda x, a=a: a * x ** (a - 1)) for a in (2.0, 2.5, 3.0, 4.0)]
    shapes.append((lambda x: np.sin(x) ** 2, lambda x: 2 * np.sin(x) * np.cos(x)))
    for u, slope in shapes:
        for x in (0.1, 0.5, 1.0):
            y = nodes(0, x)
            cost = integral(slope(y) ** 2 / u(y), 0, x)
            yield at_most(float(u(np.array(x))), x / (4 if true else 4.04) * cost, 1e-6)


@lemma(
    "v^2 h'/h tends to 0 at both ends",
    "v^2 u'/u tends to zero at the ends",
    "v^2 grad(u)/u tends to zero at the boundary",
    says="h the cosine that vanishes at 1, v = (1 - x)^a of finite int v'^2 (a > 1/2): v^2 h'/h decreases towards the end without limit",
    falsified="a = 1/2, whose integral is infinite",
)
def term_at_the_boundary(rng: Generator, true: bool) -> Iterator[bool]:
    for a in (0.6, 0.75, 1.0, 2.0) if true else (0.5,):
        left = 10.0 ** -np.arange(2.0, 9.0)
        h, slope = np.sin(np.pi * left / 2), -np.pi / 2 * np.cos(np.pi * left / 2)
        term = np.abs(left ** (2 * a) * slope / h)
        yield bool(np.all(np.diff(term) < 0) and term[-1] < 0.2 * term[0])


@lemma(
    "Wirtinger's inequality",
    says="int u'^2 >= (pi/L)^2 int u^2 for sums of sines, the first alone among them",
    falsified="(1.01 pi/L)^2",
)
def wirtinger(rng: Generator, true: bool) -> Iterator[bool]:
    k = np.arange(1, 8)
    for draw in range(_DRAWS):
        length = rng.uniform(0.5, 3)
        x, c = nodes(0, length), rng.normal(size=7) if draw else np.eye(7)[0]
        u = np.sin(np.outer(x, k) * np.pi / length) @ c
        slope = np.cos(np.outer(x, k) * np.pi / length) @ (c * k * np.pi / length)
        rate = (1 if true else 1.01) * np.pi / length
        yield at_most(rate**2 * integral(u**2, 0, length), integral(slope**2, 0, length))


@lemma(
    "the density proportional to (cos cos)^3",
    says="int u'^2/int u^2 = (pi/L)^2 q^2/(2 q - 1) for u = cos^q",
    falsified="(pi/L)^2 q^2/(2 q)",
)
def powers_of_the_cosine(rng: Generator, true: bool) -> Iterator[bool]:
    for q in (1.0, 1.5, 2.0, 3.0, 4.5):
        length = rng.uniform(0.5, 3)
        x = nodes(-length / 2, length / 2)
        c, s = np.cos(np.pi * x / length), np.sin(np.pi * x / length)
        u, slope = c**q, -q * np.pi / length * c ** (q - 1) * s
        ratio = integral(slope**2, -length / 2, length / 2) / integral(u**2, -length / 2, length / 2)
        yield equal(ratio, (np.pi / length) ** 2 * q**2 / (2 * q - 1 if true else 2 * q), 1e-6)


@lemma(
    "the first Dirichlet eigenvalue of a connected set is simple",
    says="the two least eigenvalues of -u'' + V u on 300 points of an interval, V random, lie apart",
    falsified="the same on two intervals of equal length",
)
def first_eigenvalue(rng: Generator, true: bool) -> Iterator[bool]:
    n = 300
    for _ in range(3):
        a = 2 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)
        v = rng.uniform(0, 1, n // 2) * 1e-4
        a += np.diag(np.concatenate([v, v]))
        if not true:
            a[n // 2 - 1, n // 2] = a[n // 2, n // 2 - 1] = 0
        values = np.linalg.eigvalsh(a)
        yield values[1] - values[0] > 1e-9


@lemma(
    "in R^m Lebesgue measure does not change under translation",
    "translation y = w + C x has unit Jacobian",
    says="the integral over the line of g(w + f), g a density with two peaks, is that of g",
    falsified="of g(1.01 w + f)",
)
def translation(rng: Generator, true: bool) -> Iterator[bool]:
    for f in rng.normal(size=_DRAWS):

        def shifted(w: float, f: float = f) -> float:
            y = (1 if true else 1.01) * w + f
            return float(np.exp(-(y**2)) + 0.5 * np.exp(-((y - 3) ** 2)))

        value = integrate.quad(shifted, -20, 20, limit=200, points=[-f, 3 - f])[0]
        yield equal(value, 1.5 * np.sqrt(np.pi), 1e-7)


@lemma(
    "the volume element of N numbers",
    says="int exp(-|x|^2) over R^N, pi^(N/2), from polar coordinates with the area of the unit sphere, N up to 8",
    falsified="the volume element r^N dr",
)
def polar_coordinates(rng: Generator, true: bool) -> Iterator[bool]:
    for n in range(1, 9):
        sphere = 2 * np.pi ** (n / 2) / special.gamma(n / 2)
        radial = integrate.quad(lambda r, n=n: r ** (n - 1 if true else n) * np.exp(-(r**2)), 0, 30)[0]
        yield equal(sphere * radial, np.pi ** (n / 2), 1e-8)


@lemma(
    "density of the output noise",
    says="means of functions of n lambda |eta| and of |b| in the plane, by quadrature over the radius",
    falsified="without the factor lambda",
)
def scaled_noise(rng: Generator, true: bool) -> Iterator[bool]:
    eps, n, lam = 0.7, 5.0, 0.3

    def mean(rate: float, factor: float) -> float:
        mass = integrate.quad(lambda r: r * np.exp(-rate * r), 0, 200 / rate)[0]
        return (
            integrate.quad(lambda r: r * np.exp(-rate * r) / (1 + (factor * r) ** 2), 0, 200 / rate)[0] / mass
        )

    yield equal(mean(n * lam * eps / 2, n * lam if true else n), mean(eps / 2, 1.0), 1e-6)


@lemma(
    "delta gamma vanishes near the boundary",
    says="the integral of the slope of (1 - x^2)^2 times a polynomial over the interval is 0",
    falsified="the same without the factor that vanishes at both ends",
)
def divergence(rng: Generator, true: bool) -> Iterator[bool]:
    for _ in range(_DRAWS):
        p = np.poly1d(rng.normal(size=5)) * (np.poly1d([-1, 0, 1]) ** 2 if true else np.poly1d([1.0]))
        yield abs(integral(p.deriv()(nodes()))) < 1e-9


@lemma(
    "the logarithm increases",
    "exp increases; erf(0) = 0",
    "erfc decreases",
    says="log and exp at 200 ordered points, erf(0) = 0, erf(z) < 2 z/sqrt(pi) for z > 0, erfc at 200 ordered points",
    falsified="erf(z) < 2 z/sqrt(pi) - z^3",
)
def monotone_functions(rng: Generator, true: bool) -> Iterator[bool]:
    x = np.sort(rng.uniform(0.01, 3, 200))
    yield bool(np.all(np.diff(np.log(x)) > 0) and np.all(np.diff(np.exp(x)) > 0))
    yield special.erf(0.0) == 0 and bool(np.all(np.diff(special.erfc(x)) < 0))
    yield bool(np.all(special.erf(x) < 2 * x / np.sqrt(np.pi) - (0 if true else x**3)))


@lemma(
    "implicit function theorem",
    "the gradient is zero at every model of the branch",
    says="models of the loss phi^4/4 + phi^2/2 - x phi by root finding: their slope is 1/(3 phi^2 + 1), the gradient along the branch 0",
    falsified="the slope -1/(3 phi^2 + 1)",
)
def implicit_function(rng: Generator, true: bool) -> Iterator[bool]:
    def model(x: float) -> float:
        return float(next(r.real for r in np.roots([1, 0, 1, -x]) if abs(r.imag) < 1e-9))

    for x in rng.uniform(-3, 3, _DRAWS):
        phi, slope = model(x), (model(x + 1e-5) - model(x - 1e-5)) / 2e-5
        yield abs(phi**3 + phi - x) < 1e-9
        yield equal(slope, (1 if true else -1) / (3 * phi**2 + 1), 1e-6)
