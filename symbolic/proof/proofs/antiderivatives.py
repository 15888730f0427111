"""Antiderivatives that a kernel can check; no search is made that could take long.

Polynomials times exponentials of degree two at most, powers and logarithms of lines with any exponents, functions of a logarithm,
exponentials of a x + b / x, quotients of polynomials in one place and scale, small products of sines and cosines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import sympy as sp

_SMALL = 40
_TERMS = 12


def antiderivative(body: sp.Expr, x: sp.Symbol) -> sp.Expr | None:
    """F with F' = body, or None where this module has none.

    >>> x, s = sp.symbols("x s", positive=True)
    >>> antiderivative(x * sp.exp(-x / s), x)
    (-s**2 - s*x)*exp(-x/s)
    >>> antiderivative(s * x ** (s - 1), x)
    x**s
    """
    found = below_exponentials(body, x)
    if found is not None:
        return found
    ways: tuple[Callable[[sp.Expr, sp.Symbol], sp.Expr | None], ...] = (
        _of_lines,
        _of_logarithm,
        _of_two_roots,
        _of_place_and_scale,
        _by_sympy,
    )
    for way in ways:
        one = way(body, x)
        if one is not None:
            return one
    return None


def below_exponentials(body: sp.Expr, x: sp.Symbol) -> sp.Expr | None:
    """F with F' = body for a sum of polynomials times exponentials of polynomials of degree two at most; None for anything else."""
    found = [_of_term(term, x) for term in sp.Add.make_args(body)]
    return sp.Add(*found) if all(f is not None for f in found) else None


def parts(body: sp.Expr, x: sp.Symbol, low: sp.Expr, high: sp.Expr) -> list[sp.Expr] | None:
    """Antiderivatives of a body with absolute values, and the points between them: [F0, cut, F1]; None where one is missing."""
    bent = {a.args[0] for a in body.atoms(sp.Abs, sp.sign) if a.has(x)}
    cuts = {_root(of, x) for of in bent}
    if not bent or len(cuts) != 1 or None in cuts:
        return None
    (cut,) = cuts
    if cut in (low, high):
        # The range lies on one side.
        return _sided(body, x, bent, 1 if cut == low else -1)
    left, right = (_sided(body, x, bent, side) for side in (-1, 1))
    return None if left is None or right is None else [*left, cut, *right]


def _root(of: sp.Expr, x: sp.Symbol) -> sp.Expr | None:
    if not of.is_polynomial(x) or sp.degree(of, x) != 1:
        return None
    line = sp.Poly(of, x)
    return sp.cancel(-line.nth(0) / line.nth(1)) if line.nth(1).is_number else None


def _sided(body: sp.Expr, x: sp.Symbol, bent: set[sp.Expr], side: int) -> list[sp.Expr] | None:
    """The antiderivative right (1) or left (-1) of the cut, where every sign is known."""
    known: dict[sp.Expr, sp.Expr] = {}
    for of in bent:
        sign = side if sp.Poly(of, x).nth(1).is_positive else -side
        known |= {sp.Abs(of): sign * of, sp.sign(of): sp.Integer(sign)}
    found = antiderivative(sp.expand(body.xreplace(known), power_exp=False), x)
    return None if found is None else [found]


def _of_term(term: sp.Expr, x: sp.Symbol) -> sp.Expr | None:
    """P(x) exp(Q(x)): R exp(Q), and an error function where Q has the degree 2."""
    exponents = [f.args[0] for f in sp.Mul.make_args(term) if isinstance(f, sp.exp) and f.has(x)]
    rest = sp.Mul(*(f for f in sp.Mul.make_args(term) if not (isinstance(f, sp.exp) and f.has(x))))
    exponent = sp.Add(*exponents)
    if not rest.is_polynomial(x) or not exponent.is_polynomial(x):
        return None
    p, q = sp.Poly(rest, x), sp.Poly(exponent, x)
    if q.degree() < 1:
        return p.integrate(x).as_expr() * sp.exp(exponent)
    if q.degree() == 1:
        return _below_a_line(p, q, x) * sp.exp(exponent)
    return _below_a_parabola(p, q, x) if q.degree() == 2 else None


def _below_a_line(p: sp.Poly, q: sp.Poly, x: sp.Symbol) -> sp.Expr:
    """R with R' + q1 R = P, from the highest power down."""
    slope, above, found = q.nth(1), sp.Integer(0), []
    for k in range(p.degree(), -1, -1):
        above = (p.nth(k) - (k + 1) * above) / slope
        found.append(above * x**k)
    return sp.Add(*found)


def _below_a_parabola(p: sp.Poly, q: sp.Poly, x: sp.Symbol) -> sp.Expr:
    """R exp(Q) with R' + (2 q2 x + q1) R = P up to a constant, which an error function takes."""
    bend, slope = q.nth(2), q.nth(1)
    rest = {k: p.nth(k) for k in range(p.degree() + 1)}
    found = []
    for k in range(p.degree(), 0, -1):
        r = sp.expand(rest[k]) / (2 * bend)
        found.append(r * x ** (k - 1))
        rest[k - 1] -= slope * r
        if k >= 2:
            rest[k - 2] -= (k - 1) * r
    root = sp.sqrt(-bend)
    bell = sp.exp(q.nth(0) - slope**2 / (4 * bend)) * sp.sqrt(sp.pi) / (2 * root)
    return sp.Add(*found) * sp.exp(q.as_expr()) + rest[0] * bell * sp.erf(root * (x + slope / (2 * bend)))


# --- powers and logarithms of one line --------------------------------------------------------------------------------


def _of_lines(body: sp.Expr, x: sp.Symbol) -> sp.Expr | None:
    """Sums of c t^b log(t)^k for one line t in x, any exponent b."""
    lines = {p.base for p in body.atoms(sp.Pow) if p.has(x) and not p.base.is_Pow}
    lines |= {f.args[0] for f in body.atoms(sp.log) if f.has(x)}
    for line in sorted((v for v in lines if v.is_polynomial(x) and sp.degree(v, x) == 1), key=str):
        slope, start = sp.Poly(line, x).nth(1), sp.Poly(line, x).nth(0)
        t = sp.Dummy("t", positive=True)
        inner = body.xreplace({line: t}).subs(x, (t - start) / slope)
        terms = sp.Add.make_args(sp.expand(sp.expand_power_base(inner)))
        if len(terms) > _TERMS:
            continue
        found = [_of_power(term, t) for term in terms]
        if all(f is not None for f in found):
            return sp.Add(*found).subs(t, line) / slope
    return None


def _of_power(term: sp.Expr, t: sp.Symbol) -> sp.Expr | None:
    """c t^b log(t)^k: by parts, down to k = 0."""
    factor, b, k = sp.Integer(1), sp.Integer(0), 0
    for f in sp.Mul.make_args(term):
        base, e = f.as_base_exp()
        if not f.has(t):
            factor *= f
        elif base == t and not e.has(t):
            b += e
        elif base == sp.log(t) and e.is_Integer and e > 0:
            k += int(e)
        else:
            return None
    next_ = sp.simplify(b + 1)
    if next_ == 0:
        return factor * sp.log(t) ** (k + 1) / (k + 1)
    found, one = sp.Integer(0), factor * t**next_ / next_
    for j in range(k, -1, -1):
        found += one * sp.log(t) ** j
        one *= -j / next_
    return found


def _of_logarithm(body: sp.Expr, x: sp.Symbol) -> sp.Expr | None:
    """g(log x) / x, by what g has."""
    if not body.has(sp.log(x)):
        return None
    u = sp.Dummy("u", real=True)
    inner = sp.powsimp((body * x).xreplace({sp.log(x): u}))
    if inner.has(x):
        inner = sp.simplify(inner)
    found = None if inner.has(x) else antiderivative(inner, u)
    return None if found is None else found.subs(u, sp.log(x))


def _of_two_roots(body: sp.Expr, x: sp.Symbol) -> sp.Expr | None:
    """c x^(-3/2) exp(-a x - b / x + d): two error functions, of sqrt(a x) -+ sqrt(b / x)."""
    y = sp.Dummy("y", positive=True)
    body = sp.powdenest(body.subs(x, y), force=True)
    exponents = [f.args[0] for f in sp.Mul.make_args(body) if isinstance(f, sp.exp) and f.has(y)]
    rest = sp.simplify(body / sp.exp(sp.Add(*exponents)) * y ** sp.Rational(3, 2))
    exponent = sp.expand(sp.Add(*exponents))
    a, b = -exponent.coeff(y, 1), -exponent.coeff(y, -1)
    constant = sp.simplify(exponent + a * y + b / y)
    if rest.has(y) or constant.has(y) or not (a.is_positive and b.is_positive):
        return None
    both, plus = sp.sqrt(a) * sp.sqrt(b), sp.sqrt(a) * sp.sqrt(y)
    less = sp.sqrt(b) / sp.sqrt(y)
    errors = sp.exp(-2 * both) * sp.erf(plus - less) - sp.exp(2 * both) * sp.erf(plus + less)
    return (rest * sp.exp(constant) * sp.sqrt(sp.pi) / (2 * sp.sqrt(b)) * errors).subs(y, x)


# --- quotients of polynomials, and what is small ------------------------------------------------------------------------


def _of_place_and_scale(body: sp.Expr, x: sp.Symbol) -> sp.Expr | None:
    """A quotient of polynomials in x less a place, over a scale: in the place and scale 0 and 1, and back."""
    if not body.is_rational_function(x):
        return None
    t = sp.Dummy("t", real=True)
    for place in _places(body, x):
        moved = sp.factor(sp.cancel(sp.together(body.subs(x, t + place))))
        below = sp.fraction(moved)[1]
        bends = [f for f, _ in sp.factor_list(below, t)[1] if sp.degree(f, t) == 2 and f.coeff(t, 1) == 0]
        scales = [f.coeff(t, 0) / f.coeff(t, 2) for f in bends]
        if len(set(scales)) != 1 or not sp.sqrt(scales[0]).is_positive:
            continue
        s = sp.sqrt(scales[0])
        inner = sp.factor(moved.subs(t, s * t) * s)
        factor, inner = inner.as_independent(t, as_Add=False)
        if inner.free_symbols == {t}:
            return factor * sp.integrate(inner, t).subs(t, (x - place) / s)
    return None


def _places(body: sp.Expr, x: sp.Symbol) -> Iterator[sp.Expr]:
    lines = {a for a in body.atoms(sp.Add) if a.is_polynomial(x) and sp.degree(a, x) == 1}
    yield from sorted({sp.cancel(-sp.Poly(a, x).nth(0) / sp.Poly(a, x).nth(1)) for a in lines}, key=str)
    yield sp.Integer(0)


def _by_sympy(body: sp.Expr, x: sp.Symbol) -> sp.Expr | None:
    """Small products of polynomials, sines and cosines of lines."""
    factors = [f for term in sp.Add.make_args(body) for f in sp.Mul.make_args(term)]
    if body.count_ops() > _SMALL or not all(_simple(f, x) for f in factors):
        return None
    found = sp.integrate(body, x)
    return None if found.has(sp.Integral, sp.Piecewise) else found


def _simple(factor: sp.Expr, x: sp.Symbol) -> bool:
    if x not in factor.free_symbols or factor.is_polynomial(x):
        return True
    if isinstance(factor, sp.Pow) and factor.exp.is_Integer and factor.exp > 0:
        return _simple(factor.base, x)
    angle = factor.args[0] if isinstance(factor, sp.sin | sp.cos) else None
    return angle is not None and bool(angle.is_polynomial(x)) and bool(sp.degree(angle, x) <= 1)
