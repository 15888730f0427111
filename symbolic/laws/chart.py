"""Charts turn integrals against a density into sums of Gamma and Beta integrals, which are known exactly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import sympy as sp

U = sp.Symbol("u", positive=True)
V = sp.Symbol("v", positive=True)  # stands for 1 - u on the unit interval, so that its roots and logs split
_P, _Q = sp.symbols("p q", positive=True)


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

    def integral(self, integrand: sp.Expr, variable: sp.Symbol) -> sp.Expr | None:
        """The integral of `integrand` over the piece; None if it does not fall apart into known terms."""
        pulled = _resolve(integrand, variable, self)
        if pulled is None:
            return None
        if pulled.has(sp.sin, sp.cos):
            return _trigonometric(sp.simplify(pulled.subs(V, 1 - U)) * self.jacobian().subs(V, 1 - U))
        terms = sp.Add.make_args(sp.expand(_tidy(pulled * self.jacobian())))
        solve = _gamma if self.kernel == "gamma" else _beta
        total = [solve(_tidy(term)) for term in terms]
        if any(t is None for t in total):
            return None
        return sp.Add(*total)


def expectation(
    density: sp.Expr,
    function: sp.Expr,
    variable: sp.Symbol,
    support: tuple[sp.Expr, sp.Expr],
    charts: tuple[Chart, ...],
) -> sp.Expr | None:
    """The integral of density times function, through the charts, or directly where that is quick."""
    if charts:
        pieces = [chart.integral(density * function, variable) for chart in charts]
        return None if any(p is None for p in pieces) else sp.Add(*pieces)
    bounded = all(end.is_finite for end in support)
    numbers = not (density.free_symbols | function.free_symbols) - {variable}
    integrand = density * function
    if not integrand.has(sp.Integral) and integrand.is_rational_function(variable):
        integrand = sp.cancel(integrand)
    elementary = not integrand.has(sp.exp, sp.log, sp.Abs, sp.Integral, sp.erf, sp.Piecewise, sp.sign)
    elementary &= not integrand.has(sp.floor, sp.ceiling, sp.frac, sp.Mod, sp.Max, sp.Min, sp.Heaviside)
    integer = all(p.exp.is_integer and p.exp >= 0 for p in integrand.atoms(sp.Pow) if p.base.has(variable))
    if bounded and elementary and integer and (numbers or not integrand.has(sp.sin, sp.cos)):
        return sp.integrate(sp.expand(integrand), (variable, *support))
    return None


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


def _resolve(e: sp.Expr, variable: sp.Symbol, chart: Chart) -> sp.Expr | None:
    """The expression along the chart, with each Piecewise settled by the piece on which the chart lives."""
    middle = sp.Integer(1) if chart.kernel == "gamma" else sp.Rational(1, 2)
    centre = chart.image.subs({U: middle, V: middle})
    folded = sp.piecewise_fold(e) if e.has(sp.Piecewise) else e
    if isinstance(folded, sp.Piecewise):
        for value, condition in folded.args:
            held = sp.simplify(condition.subs(variable, centre)) if condition is not sp.true else sp.true
            if held == sp.true:
                folded = value
                break
            if held != sp.false:
                return None
    signs = {s: sp.sign(s.args[0].subs(variable, centre)) for s in folded.atoms(sp.sign)}
    moduli = {
        m: m.args[0] * sp.sign(sp.simplify(m.args[0].subs(variable, centre))) for m in folded.atoms(sp.Abs)
    }
    return folded.xreplace({**signs, **moduli}).subs(variable, chart.image)


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
    for factor in sp.Mul.make_args(term):
        base, exponent = factor.as_base_exp() if not isinstance(factor, sp.exp) else (factor, sp.Integer(1))
        if base in bases and not exponent.has(U, V):
            exponents[bases.index(base)] += exponent
        elif not factor.has(U, V):
            constant *= factor
        else:
            return None
    return constant, exponents


def _gamma(term: sp.Expr) -> sp.Expr | None:
    """The integral of c u^a log(u)^m exp(-r u) over (0, inf), as a derivative of the Gamma function."""
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
    if found is None or not rate.is_positive:
        return None
    constant, (a, m) = found
    if (a + 1).is_nonpositive:
        return sp.oo * constant
    if not (a + 1).is_positive or not (m.is_Integer and m >= 0):
        return None
    return constant * sp.diff(sp.gamma(_P) * rate ** (-_P), _P, int(m)).subs(_P, a + 1)


def _trigonometric(integrand: sp.Expr) -> sp.Expr | None:
    """The integral over (0, 1) of a polynomial in u and in sines and cosines of numbers times u."""
    waves = integrand.atoms(sp.sin, sp.cos)
    names = [sp.Dummy() for _ in waves]
    plain = integrand.xreplace(dict(zip(waves, names, strict=True)))
    known = all(not w.args[0].free_symbols - {U} for w in waves) and plain.is_polynomial(U, *names)
    return sp.integrate(sp.expand(integrand), (U, 0, 1)) if known else None


def _beta(term: sp.Expr) -> sp.Expr | None:
    """The integral of c u^a v^b log(u)^m log(v)^n over (0, 1), v = 1 - u: a derivative of Beta."""
    found = _powers(term, (U, V, sp.log(U), sp.log(V)))
    if found is None:
        return None
    constant, (a, b, m, n) = found
    if (a + 1).is_nonpositive or (b + 1).is_nonpositive:
        return sp.oo * constant
    if not ((a + 1).is_positive and (b + 1).is_positive and all(k.is_Integer and k >= 0 for k in (m, n))):
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
