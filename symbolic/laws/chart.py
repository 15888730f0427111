"""Charts turn integrals against a density into sums of Gamma and Beta integrals, which are known exactly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import sympy as sp

from .domains import Domains, positive_within
from .pieces import resolved, sign_of, within

# Dummies, which no parameter of a user can be; with an index of their own, so that another process knows them.
U = sp.Dummy("u", dummy_index=1, positive=True)
V = sp.Dummy(
    "v", dummy_index=2, positive=True
)  # stands for 1 - u on the unit interval, so that its roots and logs split
_P, _Q = sp.symbols("p q", positive=True, cls=sp.Dummy)

# The functions of u that the images of charts are multiples of, and the u at which each has the value w.
_INVERSES: tuple[tuple[sp.Expr, Callable[[sp.Expr], sp.Expr]], ...] = (
    (U, lambda w: w),
    (V, lambda w: 1 - w),
    (sp.sqrt(U), lambda w: w**2),
    (sp.log(U), sp.exp),
    (sp.log(U) - sp.log(V), lambda w: 1 / (1 + sp.exp(-w))),
    (sp.sqrt(V) / sp.sqrt(U), lambda w: 1 / (1 + w**2)),
)


@dataclass(frozen=True)
class Chart:
    """A monotone map y = image(u) from (0, inf) ("gamma") or (0, 1) ("beta", v = 1 - u) onto a piece."""

    kernel: Literal["gamma", "beta"]
    image: sp.Expr
    increasing: bool = True

    def map(self, change: Callable[[sp.Expr], sp.Expr], flip: bool = False) -> Chart:
        """The chart followed by a change of the image; `flip` if that change reverses the order."""
        return Chart(self.kernel, change(self.image), self.increasing != flip)

    def jacobian(self) -> sp.Expr:
        """|dy/du|."""
        slope = sp.diff(self.image, U) - (sp.diff(self.image, V) if self.kernel == "beta" else 0)
        return slope if self.increasing else -slope

    def integral(self, integrand: sp.Expr, variable: sp.Symbol, domains: Domains = ()) -> sp.Expr | None:
        """The integral of `integrand` over the piece; None if it does not fall apart into known terms."""
        whole = resolved(integrand, variable, self._side(variable))
        if whole is None:
            return self._by_pieces(integrand, variable)
        return self._solved(whole, variable, (sp.Integer(0), self.top), domains)

    @property
    def top(self) -> sp.Expr:
        """The upper end of u."""
        return sp.oo if self.kernel == "gamma" else sp.Integer(1)

    def _side(self, variable: sp.Symbol) -> Callable[[sp.Expr], int | None]:
        """The sign of a gap along the whole chart, where it is one."""

        def side(gap: sp.Expr) -> int | None:
            along = gap.subs(variable, self.image)
            # On the unit interval u and v = 1 - u are both positive; on the half-line there is no v.
            unit = (along.subs(U, 1 - V), along.subs(V, 1 - U)) if self.kernel == "beta" else ()
            for form in (along, *unit):
                simple = sp.simplify(form)
                if simple.is_nonnegative or simple.is_nonpositive:
                    return 0 if simple.is_zero else 1 if simple.is_nonnegative else -1
            return None

        return side

    def _by_pieces(self, integrand: sp.Expr, variable: sp.Symbol) -> sp.Expr | None:
        """The integral over the pieces between the borders of the integrand; None unless all is numbers."""
        if (integrand.free_symbols | self.image.free_symbols) - {variable, U, V}:
            return None
        image = self.image.subs(V, 1 - U)
        ends = sp.limit(image, U, 0, "+"), sp.limit(image, U, self.top, "-")
        lower, upper = ends if self.increasing else ends[::-1]
        total = []
        for low, high, formula in within(integrand, variable, (lower, upper)):
            marks = [self._inverse(e, ends) for e in ((low, high) if self.increasing else (high, low))]
            if formula is None or any(m is None for m in marks):
                return None
            total.append(self._solved(formula, variable, (marks[0], marks[1])))
        return None if any(t is None for t in total) else sp.Add(*total)

    def _inverse(self, point: sp.Expr, ends: tuple[sp.Expr, sp.Expr]) -> sp.Expr | None:
        """The u that the chart maps to `point`."""
        for end, u in zip(ends, (sp.Integer(0), self.top), strict=True):
            if point == end or sign_of(point - end) == 0:
                return u
        constant, rest = self.image.as_independent(U, V, as_Add=True)
        for shape, inverse in _INVERSES:
            factor = sp.simplify(rest / shape)
            if not factor.has(U, V):
                u = inverse((point - constant) / factor)
                return u if sign_of(u) == 1 and sign_of(self.top - u) == 1 else None
        return None

    def _solved(
        self, formula: sp.Expr, variable: sp.Symbol, ends: tuple[sp.Expr, sp.Expr], domains: Domains = ()
    ) -> sp.Expr | None:
        """The integral of a smooth formula over the part of the chart with u between `ends`."""
        pulled = formula.subs(variable, self.image)
        if self.kernel == "beta":
            pulled = pulled.replace(_has_rest, lambda e: e.func(_rest(e.args[0]), *e.args[1:]))
        if pulled.has(sp.sin, sp.cos):
            wave = sp.simplify(pulled.subs(V, 1 - U)) * self.jacobian().subs(V, 1 - U)
            return _elementary(wave, U, ends) if self.kernel == "beta" else None
        terms = [_tidy(t) for t in sp.Add.make_args(sp.expand(_tidy(pulled * self.jacobian()))) if t != 0]
        if ends != (0, self.top):
            part = _part_of_gamma if self.kernel == "gamma" else _part_of_beta
            total = [part(term, *ends) for term in terms]
        else:
            total = [(_gamma if self.kernel == "gamma" else _beta)(term, domains) for term in terms]
        known = [t for t in total if t is not None]
        if len(known) < len(total):
            return None
        # Terms that diverge in opposite directions may cancel: their sum is not known.
        directions = {sp.sign(t) for t in known if t.has(sp.oo, -sp.oo, sp.zoo, sp.nan)}
        return sp.Add(*known) if len(directions) < 2 else None


def _has_rest(e: sp.Expr) -> bool:
    """Whether `e` is a power that is not whole, or the logarithm, of a multiple of 1 - u."""
    open_power = isinstance(e, sp.Pow) and not e.exp.is_Integer
    return bool((open_power or isinstance(e, sp.log)) and e.args[0].is_Add and _rest(e.args[0]) != e.args[0])


def _rest(total: sp.Expr) -> sp.Expr:
    """c v for the sum c - c u, any other sum as it is."""
    constant = total.subs(U, 0)
    alike = not total.has(V) and sp.expand(total - constant * (1 - U)) == 0
    return constant * V if alike else total


@lru_cache(512)
def expectation(
    density: sp.Expr,
    function: sp.Expr,
    variable: sp.Symbol,
    support: tuple[sp.Expr, sp.Expr],
    charts: tuple[Chart, ...],
    domains: Domains = (),
) -> sp.Expr | None:
    """The integral of density times function, through the charts, or directly where that is quick."""
    if charts:
        pieces = [chart.integral(density * function, variable, domains) for chart in charts]
        return None if any(p is None for p in pieces) else sp.Add(*pieces)
    if not all(end.is_finite for end in support):
        return None
    integrand = density * function
    if resolved(integrand, variable, lambda _: None) is not None:
        return _elementary(integrand, variable, support)
    if any(e.free_symbols - {variable} for e in (integrand, *support)):
        return None
    total = [
        None if f is None else _elementary(f, variable, (a, b))
        for a, b, f in within(integrand, variable, support)
    ]
    return None if any(t is None for t in total) else sp.Add(*total)


def _elementary(e: sp.Expr, variable: sp.Symbol, ends: tuple[sp.Expr, sp.Expr]) -> sp.Expr | None:
    """The integral of a polynomial in the variable and in sines and cosines of multiples of it; None for all else."""
    if e.is_rational_function(variable):
        e = sp.cancel(e)
    e, ends = _straightened(e, variable, ends)
    waves = {w: sp.Dummy() for w in e.atoms(sp.sin, sp.cos) if w.has(variable)}
    known = e.xreplace(waves).is_polynomial(*waves.values(), variable)
    linear = all(w.free_symbols == {variable} and sp.diff(w.args[0], variable).is_number for w in waves)
    return sp.integrate(sp.expand(e), (variable, *ends)) if known and linear else None


def _straightened(
    e: sp.Expr, variable: sp.Symbol, ends: tuple[sp.Expr, sp.Expr]
) -> tuple[sp.Expr, tuple[sp.Expr, sp.Expr]]:
    """The same integral over t = a y + b, where a sine or cosine has that argument with symbols in it; a is not zero."""
    arguments = [w.args[0] for w in e.atoms(sp.sin, sp.cos) if w.has(variable)]
    bent = next((a for a in arguments if a.free_symbols != {variable}), None)
    slope = None if bent is None else sp.simplify(sp.diff(bent, variable))
    if bent is None or slope is None or slope.has(variable) or slope.is_zero is not False:
        return e, ends
    offset = sp.simplify(bent - slope * variable)
    moved = e.subs(variable, (variable - offset) / slope).replace(
        lambda f: isinstance(f, sp.sin | sp.cos), sp.simplify
    )
    lower, upper = (sp.simplify(slope * end + offset) for end in ends)
    return moved / slope, (lower, upper)


def standard_charts(
    support: tuple[sp.Expr, sp.Expr], integrand: sp.Expr, variable: sp.Symbol
) -> tuple[Chart, ...]:
    """Charts for a law that brings none: an interval is the image of (0, 1), a half-line of (0, inf).

    None where a function other than logarithms and, on a half-line, exponentials of the variable leaves no Beta or Gamma integral.
    """
    lower, upper = support
    bent = [f for f in integrand.atoms(sp.Function) if variable in f.free_symbols]
    linear = [
        f for f in bent if isinstance(f, sp.exp) and variable not in sp.diff(f.args[0], variable).free_symbols
    ]
    known = all(f.func is sp.log or (f in linear and not upper.is_finite) for f in bent)
    if not known or integrand.has(sp.Integral) or variable not in integrand.free_symbols:
        return ()
    if lower.is_finite and upper.is_finite:
        return (Chart("beta", lower + (upper - lower) * U),)
    return (Chart("gamma", lower + U),) if lower.is_finite and upper.is_infinite else ()


@lru_cache(2048)
def _tidy(e: sp.Expr) -> sp.Expr:
    """Uses u + v = 1 in every sum, and gathers powers and logarithms of u and v."""

    def unit(total: sp.Expr) -> sp.Expr:
        if not total.has(U, V):
            return total
        joined = sp.factor(sp.together(total)) if not total.has(sp.log, sp.exp) else total
        return joined.subs(U + V, 1)

    # Twice: the first pass frees inner sums, the second the sums that they stand in.
    for _ in range(2):
        e = e.replace(lambda x: x.is_Add, unit)
    e = sp.expand_log(sp.powdenest(sp.expand_power_base(sp.powsimp(e)), force=False))
    return sp.powsimp(sp.expand_power_exp(sp.expand_power_base(e)))


def _powers(term: sp.Expr, bases: tuple[sp.Expr, ...]) -> tuple[sp.Expr, list[sp.Expr]] | None:
    """constant times a product of powers of `bases`; None if something else depends on u or v."""
    constant, exponents = sp.Integer(1), [sp.Integer(0) for _ in bases]
    for factor in sp.Mul.make_args(sp.expand_power_base(term)):
        base, exponent = factor.as_base_exp() if not isinstance(factor, sp.exp) else (factor, sp.Integer(1))
        if base in bases and not exponent.has(U, V):
            exponents[bases.index(base)] += exponent
        elif not factor.has(U, V):
            constant *= factor
        else:
            return None
    return constant, exponents


def _positive(e: sp.Expr, domains: Domains) -> bool:
    return bool(e.is_positive) or bool(domains and e.free_symbols and positive_within(e, domains))


def _gamma(term: sp.Expr, domains: Domains) -> sp.Expr | None:
    """The integral of c u^a log(u)^m exp(-r u) over (0, inf), as a derivative of the Gamma function."""
    found = _decaying(term)
    if found is None:
        return None
    constant, a, m, rate = found
    if (a + 1).is_nonpositive:
        return sp.oo * constant * (-1) ** m
    if not _positive(a + 1, domains):
        return None
    return constant * sp.diff(sp.gamma(_P) * rate ** (-_P), _P, int(m)).subs(_P, a + 1)


def _decaying(term: sp.Expr) -> tuple[sp.Expr, sp.Expr, int, sp.Expr] | None:
    """(c, a, m, r) of a term c u^a log(u)^m exp(-r u) with r > 0."""
    rate, rest = sp.Integer(0), sp.Integer(1)
    for factor in sp.Mul.make_args(term):
        if isinstance(factor, sp.exp):
            slope = sp.simplify(factor.args[0] / U)
            if slope.has(U, V):
                return None
            rate -= slope
        else:
            rest *= factor
    found = _powers(rest, (U, sp.log(U)))
    if found is None or not rate.is_positive or not (found[1][1].is_Integer and found[1][1] >= 0):
        return None
    return found[0], found[1][0], int(found[1][1]), rate


def _part_of_gamma(term: sp.Expr, lower: sp.Expr, upper: sp.Expr) -> sp.Expr | None:
    """The integral of c u^a exp(-r u) between two ends, for whole and half a > -1, by parts down to exp and erfc."""
    found = _decaying(term)
    if found is None or found[2] or not (2 * found[1]).is_Integer or not (found[1] + 1).is_positive:
        return None
    constant, a, _, rate = found

    def beyond(x: sp.Expr, s: sp.Expr) -> sp.Expr:
        """The upper incomplete Gamma function."""
        if x is sp.oo:
            return sp.Integer(0)
        if s == 1:
            return sp.exp(-x)
        if s == sp.Rational(1, 2):
            return sp.sqrt(sp.pi) * sp.erfc(sp.sqrt(x))
        return (s - 1) * beyond(x, s - 1) + x ** (s - 1) * sp.exp(-x)

    return constant * rate ** (-a - 1) * (beyond(rate * lower, a + 1) - beyond(rate * upper, a + 1))


def _part_of_beta(term: sp.Expr, lower: sp.Expr, upper: sp.Expr) -> sp.Expr | None:
    """The integral of c u^a v^b, or of that times log(u) or log(v), between two ends, for whole a, b >= 0."""
    found = _powers(term, (U, V, sp.log(U), sp.log(V)))
    if found is None:
        return None
    constant, (a, b, m, n) = found
    if not all(k.is_Integer and k >= 0 for k in (a, b, m, n)) or m + n > 1:
        return None
    if n:
        # In v, with the ends turned round, the logarithm is that of the variable.
        a, b, m, lower, upper = b, a, n, 1 - upper, 1 - lower

    def primitive(x: sp.Expr) -> sp.Expr:
        total = sp.Integer(0)
        for power, factor in enumerate(reversed(sp.Poly((1 - U) ** b, U).all_coeffs()), start=int(a) + 1):
            log = sp.Integer(1) if not m else sp.log(x) - sp.Rational(1, power) if x != 0 else sp.Integer(0)
            total += factor * x**power / power * log
        return total

    return constant * (primitive(upper) - primitive(lower))


def _beta(term: sp.Expr, domains: Domains) -> sp.Expr | None:
    """The integral of c u^a v^b log(u)^m log(v)^n over (0, 1), v = 1 - u: a derivative of Beta."""
    found = _powers(term, (U, V, sp.log(U), sp.log(V)))
    if found is None:
        return None
    constant, (a, b, m, n) = found
    if not all(k.is_Integer and k >= 0 for k in (m, n)):
        return None
    # Next to u = 0 the logarithm of v is of order u, and next to u = 1 that of u of order v.
    if (a + n + 1).is_nonpositive or (b + m + 1).is_nonpositive:
        return sp.oo * constant * (-1) ** (m + n)
    if not (_positive(a + 1, domains) and _positive(b + 1, domains)):
        return None
    beta = sp.gamma(_P) * sp.gamma(_Q) / sp.gamma(_P + _Q)
    return constant * sp.diff(beta, _P, int(m), _Q, int(n)).subs({_P: a + 1, _Q: b + 1})


def lower_gammas(e: sp.Expr) -> sp.Expr:
    """The same expression with Gamma and polygamma at symbolic arguments x + r for r < 1 only."""

    def excess(x: sp.Expr) -> int:
        constant, rest = x.as_coeff_Add()
        return max(0, int(sp.floor(constant))) if rest != 0 and constant.is_Rational else 0

    def gamma(x: sp.Expr) -> sp.Expr:
        n = excess(x)
        return sp.gamma(x - n) * sp.Mul(*(x - k for k in range(1, n + 1)))

    def polygamma(m: sp.Expr, x: sp.Expr) -> sp.Expr:
        n = excess(x)
        return sp.polygamma(m, x - n) + sp.Add(
            *((-1) ** m * sp.factorial(m) / (x - k) ** (m + 1) for k in range(1, n + 1))
        )

    return e.replace(sp.gamma, gamma).replace(sp.polygamma, polygamma)
