"""A formula is defined where every denominator, root, logarithm and inverse function in it is, for all admitted values."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.core.relational import Relational

from .enclosure import EnclosedFunction, sign

Need = tuple[sp.Expr, str]  # an expression and what it has to be: one of NEEDS
NEEDS = {"nonzero": "not zero", "positive": "positive", "nonnegative": "not negative"}

_EVERYWHERE = (
    sp.exp,
    sp.sin,
    sp.cos,
    sp.sinh,
    sp.cosh,
    sp.tanh,
    sp.sech,
    sp.atan,
    sp.asinh,
    sp.erf,
    sp.erfc,
    sp.erfi,
    sp.sinc,
    sp.Abs,
    sp.sign,
    sp.floor,
    sp.ceiling,
    sp.frac,
    sp.Max,
    sp.Min,
    sp.Heaviside,
    sp.KroneckerDelta,
    sp.LeviCivita,
    EnclosedFunction,
    sp.Add,
    sp.Mul,
)
_KINKED = (sp.Abs, sp.sign, sp.Heaviside)
_BROKEN = (sp.floor, sp.ceiling, sp.frac, sp.Max, sp.Min, sp.Piecewise, sp.Mod)
_BOUNDED = (sp.sin, sp.cos, sp.tanh, sp.erf)


def open_need(expressions: Sequence[sp.Expr], where: Sequence[sp.Expr] = ()) -> str | None:
    """What is not known to hold for all admitted values, in words; None if all the expressions are defined and real.

    `where` lists what is positive on the domain.
    """
    for e in expressions:
        for (term, need), granted in _needs(sp.sympify(e, strict=True), tuple(where)):
            if not _known(term, need, granted):
                return f"{term} is not known to be {NEEDS[need]}" if need in NEEDS else need
    return None


def needs(expression: sp.Expr) -> tuple[Need, ...]:
    """What the expression and its parts need in order to be real numbers; pieces that have a condition of their own are not asked."""
    return tuple(dict.fromkeys(need for need, granted in _needs(expression, ()) if not granted))


def is_known(expression: sp.Expr, need: str, where: Sequence[sp.Expr] = ()) -> bool:
    """Whether one of NEEDS is proved of the expression for all admitted values at which everything in `where` is positive."""
    return _known(expression, need, tuple(where))


def hidden_need(parts: Sequence[sp.Expr], whole: sp.Expr) -> str | None:
    """What the parts of a formula need and the whole, as sympy has written it, does not show; None if nothing is lost.

    sympy writes x/x as 1 and exp(log(x)) as x: the text is defined on less than the expression.
    """
    shown = {need for need, _ in _needs(whole, ())}
    apart = {f for term, need in shown if need != "nonnegative" for f in _factors(term)}
    for term, need in dict.fromkeys(need for part in parts for need, _ in _needs(part, ())):
        said = apart.issuperset(_factors(term)) if need == "nonzero" else (term, "positive") in shown
        if not said and (term, need) not in shown and not _known(term, need, ()):
            return f"it is defined only where {term} is {NEEDS.get(need, need)}"
    return None


def _factors(e: sp.Expr) -> set[sp.Expr]:
    factors = (f.base if f.is_Pow else f for f in sp.Mul.make_args(sp.factor_terms(e)))
    return {f for f in factors if f.free_symbols}


def _needs(e: sp.Expr, granted: tuple[sp.Expr, ...]) -> Iterator[tuple[Need, tuple[sp.Expr, ...]]]:
    """Every need of the expression and of its parts, each with what is positive where that part is used."""
    if isinstance(e, sp.Piecewise):
        yield from _needs_of_pieces(e, granted)
        return
    if isinstance(e, sp.Derivative):
        for inner, allowed in _needs(e.expr, granted):
            yield (inner[0], "positive" if inner[1] == "nonnegative" else inner[1]), allowed
        for kink in e.expr.atoms(*_KINKED):
            yield (kink.args[0], "nonzero"), granted
        if e.expr.has(*_BROKEN):
            yield (e, f"{e.expr} is not known to be differentiable"), granted
        return
    if isinstance(e, sp.Integral):
        yield from _needs_of_integral(e, granted)
        return
    for need in _own(e):
        yield need, granted
    for part in e.args:
        if isinstance(part, sp.Expr):
            yield from _needs(part, granted)


def _needs_of_pieces(
    e: sp.Piecewise, granted: tuple[sp.Expr, ...]
) -> Iterator[tuple[Need, tuple[sp.Expr, ...]]]:
    for value, condition in e.args:
        met = granted
        for relation in condition.atoms(Relational):
            yield from _needs(relation.lhs, granted)
            yield from _needs(relation.rhs, granted)
        if isinstance(condition, sp.Gt | sp.Lt):
            met = (*granted, condition.gts - condition.lts)
        yield from _needs(value, met)
    if e.args[-1][1] != sp.true:
        yield (e, f"{e} is not known to have a value everywhere"), granted


def _needs_of_integral(
    e: sp.Integral, granted: tuple[sp.Expr, ...]
) -> Iterator[tuple[Need, tuple[sp.Expr, ...]]]:
    """A proper integral: finite ends, and an integrand that is defined on the whole line of its variables."""
    body = e.function
    for symbol, *ends in e.limits:
        if len(ends) != 2 or not all(end.is_finite for end in ends):
            yield (e, f"that {e} converges is not known"), granted
            return
        for end in ends:
            yield from _needs(end, granted)
        body = body.xreplace({symbol: sp.Dummy(symbol.name, real=True)})
    yield from _needs(body, granted)


def _own(e: sp.Expr) -> list[Need]:
    """What the outermost operation of the expression needs of its arguments."""
    if e in (sp.nan, sp.zoo, sp.oo, -sp.oo):
        return [(e, f"{e} is no number")]
    if e.is_Atom or isinstance(e, (*_EVERYWHERE, AppliedUndef)) or not e.is_commutative:
        return []
    if isinstance(e, sp.Pow):
        return _of_power(*e.args)
    x = e.args[0] if e.args else e
    match e:
        case sp.log() | sp.gamma() | sp.loggamma() | sp.beta():
            return [(a, "positive") for a in e.args]
        case sp.polygamma():
            return [(e.args[1], "positive")]
        case sp.factorial():
            return [(x + 1, "positive")]
        case sp.tan() | sp.sec():
            return [(sp.cos(x), "nonzero")]
        case sp.cot() | sp.csc():
            return [(sp.sin(x), "nonzero")]
        case sp.coth() | sp.csch() | sp.acot() | sp.arg():
            return [(x, "nonzero")]
        case sp.asin() | sp.acos():
            return [(1 - x, "nonnegative"), (1 + x, "nonnegative")]
        case sp.acosh():
            return [(x - 1, "nonnegative")]
        case sp.atanh():
            return [(1 - x, "positive"), (1 + x, "positive")]
        case sp.Mod():
            return [(e.args[1], "nonzero")]
        case sp.binomial():
            return [(x, "nonnegative"), (e.args[1], "nonnegative"), (x - e.args[1], "nonnegative")]
    # sympy calls functions real that have poles.
    known = (e.is_number and e.is_finite) or (e.is_real and not isinstance(e, sp.Function))
    return [] if known else [(e, f"where {type(e).__name__} is defined is not known here")]


def _of_power(base: sp.Expr, exponent: sp.Expr) -> list[Need]:
    if base is sp.E or base.is_positive:
        return []
    if exponent.is_integer:
        return [] if exponent.is_nonnegative else [(base, "nonzero")]
    return [(base, "nonnegative" if exponent.is_positive else "positive")]


def _known(e: sp.Expr, need: str, granted: tuple[sp.Expr, ...]) -> bool:
    """Whether the need is met for all values that the symbols and what is granted admit."""
    if need not in NEEDS:
        return False
    if e.is_number:
        found = sign(e)
        return found == 1 or (found == 0 and need == "nonnegative") or (found == -1 and need == "nonzero")
    if isinstance(e, sp.log) and need != "nonzero":
        return _known(e.args[0] - 1, need, granted)
    tried = [e, *_restated(e, granted)]
    ways = (_assumed, _at_ends, _without_roots, _less_a_root)
    return any(way(form, need) for way in ways for form in tried)


def _assumed(e: sp.Expr, need: str) -> bool:
    """Whether the assumptions on the symbols show it, in one of a few ways to write the expression."""
    # An exponential of a negative number lies between 0 and 1.
    small = {x: 1 / (1 + sp.Dummy(positive=True)) for x in e.atoms(sp.exp) if x.args[0].is_negative}
    bounded = e.xreplace(small)
    for rewrite in (lambda x: x, sp.factor_terms, sp.expand, sp.factor, sp.together):
        form = rewrite(bounded)
        if getattr(form, f"is_{need}") or (need == "nonzero" and (form.is_positive or form.is_negative)):
            return True
    return False


def _restated(e: sp.Expr, granted: tuple[sp.Expr, ...]) -> Iterator[sp.Expr]:
    """The expression in variables that run over the positive numbers exactly where what is granted holds."""
    for w in granted:
        ratio = sp.cancel(e / w)
        if ratio.is_positive or ratio.is_negative or (e - w).is_nonnegative:
            yield sp.Dummy(positive=True) * (-1 if ratio.is_negative else 1)
        for symbol in sorted(w.free_symbols & e.free_symbols, key=lambda s: s.name):
            slope = sp.diff(w, symbol)
            if slope.is_number and slope.is_nonzero:
                # The symbol for which w is a new positive number; the other conditions are restated alike.
                value = sp.expand(symbol + (sp.Dummy("surplus", positive=True) - w) / slope)
                moved = sp.expand(e.subs(symbol, value))
                yield moved
                yield from _restated(
                    moved, tuple(sp.expand(g.subs(symbol, value)) for g in granted if g != w)
                )


def _without_roots(e: sp.Expr, need: str) -> bool:
    """Whether a polynomial in one symbol has no root where the symbol runs, and the wanted sign at a point."""
    if len(e.free_symbols) != 1:
        return False
    (symbol,) = e.free_symbols
    if not symbol.is_extended_real or not e.is_polynomial(symbol):
        return False
    polynomial = sp.Poly(e, symbol)
    if not all(c.is_Rational for c in polynomial.coeffs()):
        return False
    roots = polynomial.count_roots(0, None) if symbol.is_nonnegative else polynomial.count_roots()
    return roots == 0 and (need == "nonzero" or polynomial.eval(1) > 0)


def _less_a_root(e: sp.Expr, need: str) -> bool:
    """Whether e = a - c sqrt(b) has the wanted sign because a > 0 and a^2 - c^2 b has it."""
    for root in e.atoms(sp.Pow):
        if root.exp == sp.Rational(1, 2):
            factor = sp.expand(e).coeff(root)
            rest = sp.expand(e - factor * root)
            if factor != 0 and not rest.has(root) and rest.is_positive:
                gap = sp.expand(rest**2 - factor**2 * root.base)
                return _assumed(gap, need) or _without_roots(gap, need)
    return False


def _at_ends(e: sp.Expr, need: str) -> bool:
    """Whether an expression that is linear in each bounded function has the wanted sign at all ends of their ranges."""
    waves = sorted((a for a in e.atoms(*_BOUNDED)), key=sp.default_sort_key)
    waves = [w for w in waves if all(b.is_extended_real for b in w.args)]
    if not 0 < len(waves) <= 4:
        return False
    names = [sp.Dummy() for _ in waves]
    plain = sp.expand(e.xreplace(dict(zip(waves, names, strict=True))))
    if not plain.is_polynomial(*names) or any(sp.degree(plain, n) > 1 for n in names):
        return False
    corners = [
        plain.xreplace(dict(zip(names, ends, strict=True)))
        for ends in itertools.product((sp.Integer(-1), sp.Integer(1)), repeat=len(names))
    ]
    wanted = ["is_positive", "is_negative"] if need == "nonzero" else [f"is_{need}"]
    return any(all(getattr(c, w) for c in corners) for w in wanted)
