"""A law is one density and its support, written exactly; everything else is derived from that density."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import ArrayLike, NDArray

from ..arrays import Floats
from ..proof.enclosure import admits, rational
from .bessel_integrals import bessel_integral
from .by_terms import by_terms
from .chart import Chart, expectation, lower_gammas, standard_charts
from .domains import Domains
from .elementary_integrals import elementary_integral, piecewise_integral
from .formula import read_formula
from .log_density import compile_log_density, log_density
from .pieces import KINKED, borders
from .route import AffineRoute, Route, TabulatedRoute
from .stand_ins import StandIns, worth_it

VARIABLE = sp.Symbol("y", real=True)
_WITH_POLES, _RAISED = (sp.gamma, sp.loggamma, sp.polygamma), 20
READERS: dict[str, Callable[..., Any]] = {}  # the modules that stand above this one put themselves here


def exact(value: Any, what: str = "parameter") -> sp.Expr:
    """A number as the decimal that was written, a sympy expression as it is; finite and real."""
    if isinstance(value, sp.Expr):
        expression = value.xreplace({f: rational(float(f)) for f in value.atoms(sp.Float)})
        if expression.has(VARIABLE):
            raise ValueError(f"{what} must not contain {VARIABLE}, the variable of the law, got {value}")
    elif isinstance(value, np.integer):
        expression = sp.Integer(int(value))
    elif isinstance(value, np.floating | float) and not np.isfinite(value):
        raise ValueError(f"{what} must be a finite number, got {value}")
    else:
        expression = rational(value)
    if expression.is_finite is False or expression.is_real is False:
        raise ValueError(f"{what} must be finite and real, got {value}")
    if expression.is_real is None:
        raise ValueError(f"{what} {value} is not known to be real: declare its symbols with real=True")
    return expression


def by_name(expression: sp.Expr, symbols: Iterable[sp.Symbol]) -> sp.Expr:
    """The expression with these symbols in the place of others that share their names, however those were declared."""
    own = set(symbols)
    ordered = sorted(own, key=lambda s: (type(s) is sp.Symbol, sorted(s.assumptions0.items())))
    known = {s.name: s for s in ordered}
    others = [s for s in expression.free_symbols - own if type(s) is sp.Symbol and s.name in known]
    return expression.xreplace({s: known[s.name] for s in others}) if others else expression


def admitted(values: Mapping[sp.Symbol, Any]) -> dict[sp.Symbol, sp.Expr]:
    """Exact values for symbols; ValueError for one that contradicts what its symbol was declared to be."""
    at = {symbol: exact(value, str(symbol)) for symbol, value in values.items()}
    for symbol, value in at.items():
        if not admits(symbol, value):
            raise ValueError(f"{symbol} = {value} contradicts what the symbol {symbol} was declared to be")
    return at


@dataclass(frozen=True)
class Law:
    """A law (a probability distribution) on the real line with the density (or the mass) `density(variable)` between the two ends of `support`.

    Made by `Law.from_density(density, variable, support, discrete=..., domains=...)`, which raises ValueError for what is no law.
    `charts` map (0, inf) or (0, 1) onto pieces of the support so that integrals against the density become Gamma or Beta
    integrals; `distribution` is the distribution function inside the support, if it is known in closed form; `parts` are the
    weighted components of a mixture; `route` gives cdf, quantile and sampler. The density alone says what the law is.
    `pieces` are the parts of a support of several intervals, each with the formula of the density there; `domains` are
    intervals that parameters lie in; `notes` say how the law was read.

    >>> y, rate = sp.Symbol("y"), sp.Symbol("rate", positive=True)
    >>> waiting = npf.Law.from_density(rate * sp.exp(-rate * y), y, (0, "oo"))
    >>> waiting.mean(), waiting.variance()
    (1/rate, rate**(-2))
    """

    name: str
    variable: sp.Symbol
    density: sp.Expr
    support: tuple[sp.Expr, sp.Expr]
    discrete: bool = False
    distribution: sp.Expr | None = field(default=None, compare=False, repr=False)
    charts: tuple[Chart, ...] = field(default=(), compare=False, repr=False)
    parts: tuple[tuple[sp.Expr, Law], ...] = field(default=(), compare=False, repr=False)
    route: Route | None = field(default=None, compare=False, repr=False)
    pieces: tuple[Law, ...] = field(default=(), compare=False, repr=False)
    domains: Domains = field(default=(), compare=False, repr=False)
    notes: tuple[str, ...] = field(default=(), compare=False, repr=False)

    def __post_init__(self) -> None:
        density, ends = read_formula(self.name, self.variable, self.density, self.support, self.discrete)
        object.__setattr__(self, "density", density)
        object.__setattr__(self, "support", ends)

    @classmethod
    def from_density(
        cls, density: Any, variable: Any, support: Any, discrete: bool = False, **more: Any
    ) -> Law:
        """A law from a density (a mass if `discrete`), of sympy or as text, on a pair of ends, or a list of pairs.  `more`: `name`, `domains`.

        Ends are numbers, parameters or their names, formulas, "oo"; `domains={"p": (0, 1)}` says where parameters lie; of a density as
        text it names every parameter.  ValueError where it is negative, where its mass is not one, exactly or in a ball, or is not decided;
        floats may take it from one by 1e-9, and it is divided by its mass.
        """
        law: Law = READERS["density"](density, variable, support, discrete=discrete, **more)
        return law

    @classmethod
    def from_scipy(
        cls, frozen: Any, parameters: Mapping[str, Any] | None = None, name: str | None = None
    ) -> Law:
        """The law of a frozen distribution of scipy.stats, by its documented density, with its numbers read exactly.

        `parameters={"scale": symbol}` puts symbols, or new ones of a name, in the place of numbers.
        ValueError for a family that is not in the table.
        """
        law: Law = READERS["scipy"](frozen, parameters, name)
        return law

    @cached_property
    def free_symbols(self) -> set[sp.Symbol]:
        """The parameters that are still symbols."""
        ends = self.support[0].free_symbols | self.support[1].free_symbols
        free: set[sp.Symbol] = (self.density.free_symbols | ends) - {self.variable}
        return free

    def function_of(self, function: Any) -> sp.Expr:
        """A function of the outcome in the symbols of this law, read by their names; TypeError for what is no expression or number."""
        if isinstance(function, bool) or not isinstance(function, sp.Expr | int | float | np.number):
            raise TypeError(
                f"expected a sympy expression in {self.variable}, such as {self.variable}**2, got {function!r}"
            )
        formula = function if isinstance(function, sp.Expr) else exact(function, "the function")
        return by_name(formula, (self.variable, *self.free_symbols))

    def expectation(self, function: sp.Expr) -> sp.Expr:
        """E[function(variable)], exact: a closed form, or an unevaluated Integral where none was found.

        Symbols are read by their names; what the law does not contain is a constant.
        """
        function = self.function_of(function)
        if self.parts:
            return sp.Add(*(w * law.expectation(function) for w, law in self.parts))
        if self.pieces:
            return sp.Add(*(piece.expectation(function) for piece in self.pieces))
        value = self._closed_form(function)
        if value is not None:
            return value
        # Factors without the variable stand outside: a normalising integral is then evaluated once.
        constant, rest = (self.density * function).as_independent(self.variable, as_Add=False)
        return constant * sp.Integral(rest, (self.variable, *self.support))

    def _closed_form(self, function: sp.Expr) -> sp.Expr | None:
        density, support, charts = self.density, self.support, self.charts
        names = StandIns(self.variable)
        if worth_it((density, function)):
            support = names.plain(support[0]), names.plain(support[1])
            charts = tuple(chart.map(names.plain) for chart in charts)
            names.kept = set().union(*(e.free_symbols for e in (*support, *(c.image for c in charts))))
            density, function = names.plain(density), names.plain(function)
        for attempt in (charts, (), standard_charts(support, density * function, self.variable)):
            value = expectation(density, function, self.variable, support, attempt, self.domains)
            if value is not None:
                return names.back(value)
        plain = self.density, names.back(function), self.variable, self.support, self.charts
        found = None if charts == self.charts else expectation(*plain, self.domains)
        kinked = (self.density * plain[1]).has(*KINKED)
        whole = self.density * plain[1]
        for way in (piecewise_integral,) if kinked else (bessel_integral,):
            if found is None:
                found = way(whole, self.variable, self.support)
        if found is None and not kinked:
            found = elementary_integral(whole, self.variable, self.support, self.domains)
        return by_terms(whole, self.variable, self.support, self.domains) if found is None else found

    def mass(self) -> sp.Expr:
        """The integral of the density over the support: one, if the law was written correctly."""
        if not self.charts and not self.parts and self.distribution is not None:
            lower, upper = (sp.limit(self.distribution, self.variable, end) for end in self.support)
            return sp.simplify(upper - lower)
        return simplified(self.expectation(sp.Integer(1)))

    def mean(self) -> sp.Expr:
        """The expectation; `sp.oo` or `sp.nan` where the integral diverges, by cases where that depends on a parameter."""
        return _by_cases(simplified(self.expectation(self.variable)))

    def variance(self) -> sp.Expr:
        """The variance; `sp.oo` where the second moment diverges, `sp.nan` where there is no mean."""
        mean = simplified(self.expectation(self.variable))
        if mean.is_finite is False or mean is sp.nan:
            return sp.nan
        if self.parts:
            parts = [w * (law.variance() + (law.mean() - mean) ** 2) for w, law in self.parts]
            return simplified(sp.Add(*parts))
        if mean.has(sp.Integral):
            return self.expectation(self.variable**2) - mean**2
        central = self.expectation((self.variable - mean) ** 2)
        plain = self.expectation(self.variable**2) if central.has(sp.Integral) else central
        # Of a truncated law the mean is a long number, with which no integral closes.
        return simplified(central) if plain.has(sp.Integral) or plain is central else plain - mean**2

    def moment(self, k: int, central: bool = False) -> sp.Expr:
        """E[Y^k], or E[(Y - E[Y])^k] if `central`; exact, `sp.oo` or `sp.nan` where it diverges, or an Integral or a Sum."""
        if isinstance(k, bool) or not isinstance(k, int) or k < 0:
            raise ValueError(f"k must be a whole number of at least 0, got {k!r}")
        if not central:
            return _by_cases(simplified(self.expectation(self.variable**k)))
        mean = simplified(self.expectation(self.variable))
        if mean is sp.nan or mean.is_finite is False:
            return sp.nan
        return simplified(self.expectation(sp.expand((self.variable - mean) ** k)))

    def facts(self, effort: float = 1.0) -> Any:
        """What is known of the law, three-valued with reasons: `LawProperties`."""
        return READERS["facts"](self, effort)

    def log_density(self) -> sp.Expr:
        """The logarithm of the density, expanded so that it does not underflow."""
        return log_density(self.pieces[0].density if self.pieces else self.density)

    def score(self) -> sp.Expr:
        """d log density / d variable, almost everywhere on the support."""
        return smooth_derivative(self.log_density(), self.variable)

    def pdf(self, y: ArrayLike) -> Floats:
        """The density at `y`, zero outside the support; same shape as `y`."""
        return np.asarray(np.exp(self.log_pdf(y)))

    def log_pdf(self, y: ArrayLike) -> Floats:
        """The log density at `y`, -inf outside the support; same shape as `y`."""
        return compile_log_density(self.variable, self.density, self.ends())(np.asarray(y, dtype=float))

    def cdf(self, y: ArrayLike) -> Floats:
        """P(Y <= y); from scipy.stats where the catalogue knows it, else from a table of the density."""
        return np.asarray(self.numeric().cdf(np.asarray(y, dtype=float)), dtype=float)

    def quantile(self, u: ArrayLike) -> Floats:
        """The smallest y with P(Y <= y) >= u, for u in [0, 1]."""
        levels = np.asarray(u, dtype=float)
        if np.any(~((levels >= 0) & (levels <= 1))):
            raise ValueError("quantile levels must lie in [0, 1]")
        return np.asarray(self.numeric().ppf(levels), dtype=float)

    def sample(self, size: int | tuple[int, ...], rng: np.random.Generator) -> NDArray[Any]:
        """Independent draws of shape `size` from the generator `rng`."""
        return np.asarray(self.numeric().rvs(size=size, random_state=rng), dtype=float)

    def ends(self) -> tuple[float, float]:
        """The ends of the support as floats; raises if a parameter is still a symbol."""
        if self.free_symbols:
            names = ", ".join(sorted(map(str, self.free_symbols)))
            raise ValueError(
                f"the law {self.name} still has the free parameters {names}: use at(...) to fix them"
            )
        return float(self.support[0]), float(self.support[1])

    def numeric(self) -> Route:
        """The numerical route to cdf, quantile and samples."""
        ends = self.ends()
        if self.route is not None:
            return self.route
        try:
            return _table(self.variable, self.density, ends)
        except ValueError:
            # The table did not find a mass that is narrow and far away: tell it where to look.
            mean, variance = self.mean(), self.variance()
            if mean.has(sp.Integral, sp.oo, sp.nan) or variance.has(sp.Integral, sp.oo, sp.nan):
                raise
            return _table(self.variable, self.density, ends, (float(mean), float(sp.sqrt(variance))))

    def at(self, values: Mapping[Any, Any]) -> Law:
        """The law with the symbols in `values`, or those of these names, replaced by numbers or other expressions."""
        at = admitted(self.named(values))
        fixed = self.map(lambda e: e.subs(at))
        return replace(fixed, route=self.route) if not self.free_symbols & set(at) else fixed

    def named(self, values: Mapping[Any, Any]) -> dict[sp.Symbol, Any]:
        """The values by the law's own symbols; ValueError for a name that none of them has."""
        known = {s.name: s for s in self.free_symbols}
        found = {known.get(getattr(s, "name", s), s): v for s, v in values.items()}
        if strange := sorted(str(s) for s in found if not isinstance(s, sp.Symbol)):
            raise ValueError(
                f"{', '.join(strange)}: no parameter of {self.name}; expected {', '.join(sorted(known)) or 'none'}"
            )
        return found

    def map(self, change: Callable[[sp.Expr], sp.Expr]) -> Law:
        """The law with every one of its formulas changed in the same way, without a numerical route."""
        return replace(
            self,
            density=change(self.density),
            support=(change(self.support[0]), change(self.support[1])),
            distribution=None if self.distribution is None else change(self.distribution),
            charts=tuple(chart.map(change) for chart in self.charts),
            parts=tuple((change(w), law.map(change)) for w, law in self.parts),
            route=None,
            pieces=tuple(piece.map(change) for piece in self.pieces),
            domains=tuple((s, change(a), change(b)) for s, a, b in self.domains if change(s) == s),
        )

    def shift(self, c: Any) -> Law:
        """The law of Y + c."""
        return self._affine(sp.Integer(1), exact(c, "shift"), f"{self.name} shifted by {c}")

    def scale(self, c: Any) -> Law:
        """The law of c Y, for c > 0 or c < 0."""
        factor = exact(c, "scale factor")
        if not (factor.is_positive or factor.is_negative):
            raise ValueError(f"the scale factor must be known to be positive or negative, got {c}")
        return self._affine(factor, sp.Integer(0), f"{self.name} scaled by {c}")

    def _affine(self, a: sp.Expr, b: sp.Expr, name: str) -> Law:
        y, down = self.variable, bool(a.is_negative)
        back = (y - b) / a
        ends = (a * self.support[0] + b, a * self.support[1] + b)
        cdf = None if self.distribution is None else self.distribution.subs(y, back)
        known = self.route is not None and not a.free_symbols and not b.free_symbols
        return replace(
            self,
            name=name,
            density=self.density.subs(y, back) / (-a if down else a),
            support=ends[::-1] if down else ends,
            distribution=None if cdf is None else (1 - cdf if down else cdf),
            charts=tuple(c.map(lambda e: a * e + b, flip=down) for c in self.charts),
            parts=tuple((w, law._affine(a, b, law.name)) for w, law in self.parts),
            pieces=tuple(piece._affine(a, b, name) for piece in (self.pieces[::-1] if down else self.pieces)),
            route=AffineRoute(self.route, float(a), float(b)) if known and self.route is not None else None,
        )


@lru_cache(1024)
def simplified(expression: sp.Expr) -> sp.Expr:
    """Simplified, unless an integral is left: sympy would try to solve it without end."""
    return expression if expression.has(sp.Integral) else sp.simplify(lower_gammas(expression))


def _by_cases(value: sp.Expr) -> sp.Expr:
    """The integral of a power of a positive number up to infinity is infinite unless the power is below -1."""

    def cases(integral: sp.Expr) -> sp.Expr:
        (y, *ends), integrand = integral.limits[0], sp.powsimp(integral.function)
        base, k = integrand.as_base_exp()
        if len(ends) != 2 or base != y or k.has(y) or ends[1] is not sp.oo or not ends[0].is_positive:
            return integral
        return sp.Piecewise((-(ends[0] ** (k + 1)) / (k + 1), k + 1 < 0), (sp.oo, True))

    found = value.replace(sp.Integral, lambda *args: cases(sp.Integral(*args)))
    return value if found == value or found.has(sp.Integral) else sp.piecewise_fold(sp.simplify(found))


@lru_cache(1024)
def without_poles(e: sp.Expr, formula: sp.Expr) -> sp.Expr:
    """Simplified, with Gamma and polygamma at the arguments that they have in the formula of a law where these are larger.

    Lowered arguments, polygamma(1, -b) for polygamma(1, 2 - b), bring 0/0 at values where the law has none.
    """
    written = {sp.expand(f.args[-1]) for f in formula.atoms(*_WITH_POLES) if f.args[-1].free_symbols}
    known: dict[sp.Expr, sp.Dummy] = {}

    def raised(f: sp.Expr) -> sp.Expr:
        m, x = (f.args[0], f.args[1]) if isinstance(f, sp.polygamma) else (None, f.args[0])
        n = next((n for n in range(_RAISED) if sp.expand(x + n) in written), 0)
        there = known.setdefault(f.func(*f.args[:-1], sp.expand(x + n)), sp.Dummy(real=True))
        if m is None:
            return there / sp.Mul(*(x + k for k in range(n)))
        return there - (-1) ** m * sp.factorial(m) * sp.Add(*((x + k) ** (-m - 1) for k in range(n)))

    lowered = e if e.has(sp.Integral) else lower_gammas(e)
    above = lowered.replace(lambda f: isinstance(f, sp.gamma | sp.polygamma), raised)
    if e.has(sp.Integral) or set(known) == lowered.atoms(sp.gamma, sp.polygamma):
        return simplified(e)
    short = sp.factor(above) if above.is_rational_function() else sp.simplify(above)
    return short.xreplace({d: f for f, d in known.items()})


def smooth_derivative(expression: sp.Expr, symbol: sp.Symbol) -> sp.Expr:
    """The derivative almost everywhere: the points where an absolute value has its kink carry no mass."""
    derivative = sp.diff(expression, symbol)
    return derivative.replace(sp.DiracDelta, lambda *_: sp.Integer(0))


@lru_cache(maxsize=256)
def _table(
    variable: sp.Symbol, density: sp.Expr, ends: tuple[float, float], hint: tuple[float, float] | None = None
) -> Route:
    log_pdf = compile_log_density(variable, density, ends)
    inner = borders(density, variable) or ()
    kinks = tuple(sorted(float(b) for b in inner if not b.free_symbols and ends[0] < float(b) < ends[1]))
    return TabulatedRoute.of(lambda y: np.exp(log_pdf(y)), ends, hint, kinks)
