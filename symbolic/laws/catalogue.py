"""The catalogue of laws: each is one density, with charts for exact integrals and a scipy.stats route."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy as sp

from .chart import Chart, U, V
from .finite import DiscreteLaw
from .law import VARIABLE, Law, exact
from .route import MixtureRoute, Route, ScipyRoute, TruncatedRoute

y = VARIABLE
_LINE = (-sp.oo, sp.oo)


def normal(mean: Any = 0, sd: Any = 1) -> Law:
    """The normal law with standard deviation `sd` > 0."""
    m, s = exact(mean, "mean"), _positive(sd, "sd")
    density = sp.exp(-((y - m) ** 2) / (2 * s**2)) / (s * sp.sqrt(2 * sp.pi))
    charts = _both("gamma", m, s * sp.sqrt(2 * U))
    cdf = sp.erfc(-(y - m) / (s * sp.sqrt(2))) / 2
    return Law("normal", y, density, _LINE, False, cdf, charts, (), _route("norm", m, s))


def laplace(mean: Any = 0, scale: Any = 1) -> Law:
    """The Laplace law exp(-|y - mean| / scale) / (2 scale), of variance 2 scale^2."""
    m, b = exact(mean, "mean"), _positive(scale, "scale")
    density = sp.exp(-sp.Abs(y - m) / b) / (2 * b)
    cdf = sp.Piecewise((sp.exp((y - m) / b) / 2, y < m), (1 - sp.exp(-(y - m) / b) / 2, True))
    return Law(
        "Laplace", y, density, _LINE, False, cdf, _both("gamma", m, b * U), (), _route("laplace", m, b)
    )


def logistic(mean: Any = 0, scale: Any = 1) -> Law:
    """The logistic law, of variance pi^2 scale^2 / 3."""
    m, s = exact(mean, "mean"), _positive(scale, "scale")
    tail = sp.exp(-(y - m) / s)
    chart = Chart("beta", m + s * (sp.log(U) - sp.log(V)))
    cdf = 1 / (1 + tail)
    return Law(
        "logistic", y, tail / (s * (1 + tail) ** 2), _LINE, False, cdf, (chart,), (), _route("logistic", m, s)
    )


def student_t(dof: Any, mean: Any = 0, scale: Any = 1) -> Law:
    """Student's t with `dof` > 0 degrees of freedom, shifted and scaled."""
    nu, m, s = _positive(dof, "dof"), exact(mean, "mean"), _positive(scale, "scale")
    constant = sp.gamma((nu + 1) / 2) / (sp.gamma(nu / 2) * sp.sqrt(sp.pi * nu) * s)
    density = constant * (1 + (y - m) ** 2 / (nu * s**2)) ** (-(nu + 1) / 2)
    charts = _both("beta", m, s * sp.sqrt(nu) * sp.sqrt(V) / sp.sqrt(U), outward=False)
    cdf = _student_distribution(nu, (y - m) / s) if nu.is_Integer and nu <= 40 else None
    return Law("Student t", y, density, _LINE, False, cdf, charts, (), _route("t", m, s, nu))


def gumbel(loc: Any = 0, scale: Any = 1) -> Law:
    """The Gumbel law of maxima, exp(-z - exp(-z)) / scale with z = (y - loc) / scale."""
    m, s = exact(loc, "loc"), _positive(scale, "scale")
    z = (y - m) / s
    chart = Chart("gamma", m - s * sp.log(U), increasing=False)
    density, cdf = sp.exp(-z - sp.exp(-z)) / s, sp.exp(-sp.exp(-z))
    return Law("Gumbel", y, density, _LINE, False, cdf, (chart,), (), _route("gumbel_r", m, s))


def uniform(lo: Any = 0, hi: Any = 1) -> Law:
    """The uniform law on [lo, hi]."""
    a, b = _interval(lo, hi)
    chart = Chart("beta", a + (b - a) * U)
    cdf = (y - a) / (b - a)
    return Law("uniform", y, 1 / (b - a), (a, b), False, cdf, (chart,), (), _route("uniform", a, b - a))


def triangular(lo: Any, mode: Any, hi: Any) -> Law:
    """The triangular law on [lo, hi] with its peak 2 / (hi - lo) at `mode`."""
    (a, b), c = _interval(lo, hi), exact(mode, "mode")
    if (c - a).is_negative or (b - c).is_negative:
        raise ValueError(f"mode must lie between lo and hi, got {mode} outside [{lo}, {hi}]")
    rise, fall = 2 * (y - a) / ((b - a) * (c - a)), 2 * (b - y) / ((b - a) * (b - c))
    left, right = Chart("beta", a + (c - a) * U), Chart("beta", b - (b - c) * V)
    up, down = (y - a) ** 2 / ((b - a) * (c - a)), 1 - (b - y) ** 2 / ((b - a) * (b - c))
    route = _route("triang", a, b - a, (c - a) / (b - a))
    if (c - a).is_zero or (b - c).is_zero:
        one = (rise, up, left) if (b - c).is_zero else (fall, down, right)
        return Law("triangular", y, one[0], (a, b), False, one[1], (one[2],), (), route)
    density, cdf = sp.Piecewise((rise, y < c), (fall, True)), sp.Piecewise((up, y < c), (down, True))
    return Law("triangular", y, density, (a, b), False, cdf, (left, right), (), route)


def cosine_squared(lo: Any, hi: Any) -> Law:
    """The law (2 / (hi - lo)) cos^2(pi (y - mid) / (hi - lo)): least location information on [lo, hi]."""
    a, b = _interval(lo, hi)
    turn = sp.pi * (y - (a + b) / 2) / (b - a)
    density = 2 / (b - a) * sp.cos(turn) ** 2
    cdf = sp.Rational(1, 2) + turn / sp.pi + sp.sin(2 * turn) / (2 * sp.pi)
    # The chart leaves sines of u, which are no powers: expectations take the direct route after it.
    route = _route("cosine", (a + b) / 2, (b - a) / (2 * sp.pi))
    return Law("cosine squared", y, density, (a, b), False, cdf, (Chart("beta", a + (b - a) * U),), (), route)


def truncated(law: Law, lo: Any, hi: Any) -> Law:
    """The law given that its value lies in [lo, hi], an interval inside its support."""
    if law.discrete:
        raise ValueError("truncated expects a law with a density: condition a discrete law by hand")
    a, b = _interval(lo, hi)
    if (a - law.support[0]).is_negative or (law.support[1] - b).is_negative:
        raise ValueError(f"[{lo}, {hi}] must lie inside the support {law.support} of {law.name}")
    if law.distribution is None:
        mass: sp.Expr = sp.Integral(law.density, (y, a, b))
    else:
        mass = law.distribution.subs(y, b) - law.distribution.subs(y, a)
    cdf = None if law.distribution is None else (law.distribution - law.distribution.subs(y, a)) / mass
    known = law.route is not None and not (a.free_symbols or b.free_symbols)
    route = TruncatedRoute(law.route, float(a), float(b)) if known and law.route is not None else None
    return Law(
        f"{law.name} truncated to [{lo}, {hi}]", y, law.density / mass, (a, b), False, cdf, (), (), route
    )


def mixture(weights: Sequence[Any], laws: Sequence[Law]) -> Law:
    """The law that is laws[i] with probability weights[i]."""
    w = [_positive(p, "weight") for p in weights]
    if len(w) != len(laws) or not laws:
        raise ValueError(f"expected as many weights as laws, got {len(w)} for {len(laws)}")
    if any(law.discrete for law in laws):
        raise ValueError("mixture expects laws with densities: mix discrete laws through their probabilities")
    if sp.simplify(sp.Add(*w) - 1) != 0:
        raise ValueError(f"weights must sum to 1, got {sp.Add(*w)}: pass exact ones such as Rational(1, 3)")
    ends = sp.Min(*(law.support[0] for law in laws)), sp.Max(*(law.support[1] for law in laws))
    density = sp.Add(*(p * _inside(law, ends) for p, law in zip(w, laws, strict=True)))
    routes = [law.route for law in laws if law.route is not None]
    numbers = len(routes) == len(laws) and not any(p.free_symbols for p in w)
    route = MixtureRoute(tuple(float(p) for p in w), tuple(routes)) if numbers else None
    cdf = None
    if ends == _LINE and all(law.support == _LINE and law.distribution is not None for law in laws):
        cdf = sp.Add(*(p * law.distribution for p, law in zip(w, laws, strict=True)))
    name = "mixture of " + ", ".join(f"{law.name}" for law in laws)
    return Law(name, y, density, ends, False, cdf, (), tuple(zip(w, laws, strict=True)), route)


def discrete(values: Sequence[Any], probabilities: Sequence[Any]) -> DiscreteLaw:
    """The law on finitely many values with the given probabilities."""
    return DiscreteLaw(values, probabilities)


def _student_distribution(nu: sp.Integer, z: sp.Expr) -> sp.Expr:
    """The distribution function for a whole number of degrees of freedom (Abramowitz and Stegun 26.7.3-4)."""
    cosine2, odd = nu / (nu + z**2), nu % 2
    term, total = sp.Integer(1), sp.Integer(0)
    for k in range(int(nu - odd) // 2):
        total += term * cosine2**k
        term *= sp.Rational(2 * k + 2, 2 * k + 3) if odd else sp.Rational(2 * k + 1, 2 * k + 2)
    sine = z / sp.sqrt(nu + z**2)
    if not odd:
        return (1 + sine * total) / 2
    return sp.Rational(1, 2) + (sp.atan(z / sp.sqrt(nu)) + sine * sp.sqrt(cosine2) * total) / sp.pi


def _inside(law: Law, ends: tuple[sp.Expr, sp.Expr]) -> sp.Expr:
    """The density of `law`, zero outside its own support where that is smaller than `ends`."""
    conditions = [y >= law.support[0]] if law.support[0] != ends[0] else []
    conditions += [y <= law.support[1]] if law.support[1] != ends[1] else []
    return sp.Piecewise((law.density, sp.And(*conditions)), (0, True)) if conditions else law.density


def _both(kernel: Any, centre: sp.Expr, radius: sp.Expr, outward: bool = True) -> tuple[Chart, Chart]:
    """The two halves of a symmetric law; `outward` if the radius grows with u."""
    return Chart(kernel, centre - radius, not outward), Chart(kernel, centre + radius, outward)


def _positive(value: Any, what: str) -> sp.Expr:
    number = exact(value, what)
    if number.is_positive is False:
        raise ValueError(f"{what} must be > 0, got {value}")
    if number.is_positive is None:
        raise ValueError(
            f"{what} {value} is not known to be positive: declare its symbols with positive=True"
        )
    return number


def _interval(lo: Any, hi: Any) -> tuple[sp.Expr, sp.Expr]:
    a, b = exact(lo, "lo"), exact(hi, "hi")
    if (b - a).is_positive is False:
        raise ValueError(f"lo must be below hi, got lo = {lo}, hi = {hi}")
    return a, b


def _route(family: str, loc: sp.Expr, scale: sp.Expr, *shape: sp.Expr) -> Route | None:
    """scipy's distribution of that name, once all parameters are numbers."""
    if any(e.free_symbols for e in (loc, scale, *shape)):
        return None
    return ScipyRoute(family, float(loc), float(scale), tuple(float(e) for e in shape))
