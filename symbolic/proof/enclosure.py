"""Rigorous numbers: sympy expressions evaluated in ball arithmetic (python-flint), and comparisons that never guess."""

from __future__ import annotations

import itertools
import numbers
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from types import MappingProxyType
from typing import Self

import sympy as sp
from flint import acb, arb, arb_poly, ctx, fmpq
from sympy import Add, Mul, Pow, Rational, Symbol

from .truth import Truth

Point = Mapping[sp.Symbol, sp.Expr]

_HALF, _MINUS_HALF = Rational(1, 2), Rational(-1, 2)
_LARGE = arb(2) ** 20_000

_UNARY: dict[type, Callable[[arb], arb]] = {
    sp.exp: arb.exp,
    sp.log: arb.log,
    sp.sin: arb.sin,
    sp.cos: arb.cos,
    sp.tan: arb.tan,
    sp.asin: arb.asin,
    sp.acos: arb.acos,
    sp.atan: arb.atan,
    sp.sinh: arb.sinh,
    sp.cosh: arb.cosh,
    sp.tanh: arb.tanh,
    sp.erf: arb.erf,
    sp.erfc: arb.erfc,
    sp.gamma: arb.gamma,
    sp.zeta: arb.zeta,
    sp.loggamma: arb.lgamma,
    sp.Abs: abs,
    sp.sign: arb.sgn,
    sp.floor: arb.floor,
    sp.ceiling: arb.ceil,
    sp.cot: arb.cot,
    sp.sec: arb.sec,
    sp.csc: arb.csc,
    sp.coth: arb.coth,
    sp.asinh: arb.asinh,
    sp.acosh: arb.acosh,
    sp.atanh: arb.atanh,
    sp.factorial: lambda x: (x + 1).gamma(),
}


_OF_TWO: dict[type, Callable[[acb, acb], acb]] = {
    sp.binomial: lambda n, k: (n + 1).gamma() * (k + 1).rgamma() * (n - k + 1).rgamma(),
    sp.beta: lambda a, b: a.gamma() * b.gamma() * (a + b).rgamma(),
    sp.polygamma: lambda n, x: acb(x.polygamma(n).real),
    sp.besseli: lambda n, x: x.bessel_i(n),
    sp.besselj: lambda n, x: x.bessel_j(n),
    sp.besselk: lambda n, x: x.bessel_k(n),
    sp.bessely: lambda n, x: x.bessel_y(n),
}


class EnclosedFunction(sp.Function):  # type: ignore[misc]
    """A real function of one number that is known by its enclosures, as a sympy function of one argument.

    `EnclosedFunction.enclosed_by(value, name)` makes a subclass from `value`, which maps a ball (arb) to a ball. Laws, programs and
    queries may name it: it has values at numbers, to any precision, and no closed form.

    >>> softplus = npf.EnclosedFunction.enclosed_by(lambda ball: (1 + ball.exp()).log(), "softplus")
    >>> softplus(sp.Integer(0)).evalf(5)  # log 2
    0.69315
    """

    nargs = 1
    is_real = True

    @classmethod
    def enclosed_by(cls, value: Callable[[arb], arb], name: str = "", **attributes: object) -> type[Self]:
        """A function with these attributes whose values `enclose` takes from `value`."""
        kind = type(name or cls.__name__, (cls,), attributes)
        _UNARY[kind] = value
        return kind

    def _eval_evalf(self, prec: int) -> sp.Expr:
        if self.args[0].free_symbols:
            return None
        return sp.Float(
            enclose(self, bits=prec + 32).mid().str(int(prec / 3) + 5, radius=False), precision=prec
        )


def function_of_balls(kind: type) -> Callable[[arb], arb] | None:
    """How values of a function of one number are enclosed over a ball; None where that is not known."""
    return _UNARY.get(kind)


class NotEnclosableError(ValueError):
    """The expression contains a function for which no rigorous evaluation is known here."""


def rational(value: float | int | str | Fraction | Decimal | sp.Expr) -> sp.Rational:
    """The number that a person wrote: 0.1 is one tenth, not the nearest double; ValueError for a formula that is no rational number.

    >>> rational(0.1)
    1/10
    """
    if isinstance(value, sp.Rational):
        return value
    if isinstance(value, numbers.Rational):
        return sp.Rational(int(value.numerator), int(value.denominator))
    if isinstance(value, str | Decimal):
        return sp.Rational(str(value))
    if isinstance(value, sp.Expr) and not isinstance(value, sp.Float):
        raise ValueError(f"expected a rational number, got {value}")
    return sp.Rational(repr(float(value)))


def enclose(expression: sp.Expr, point: Point | None = None, bits: int = 160) -> arb:
    """A ball that contains the exact value of `expression` at `point`; raises NotEnclosableError if none is known."""
    expression = sp.sympify(expression, strict=True)
    with ctx.workprec(bits):
        return _ball(expression, {symbol: _ball(value) for symbol, value in (point or {}).items()})


def enclose_over(expression: sp.Expr, balls: Mapping[sp.Symbol, arb], bits: int = 80) -> arb:
    """A ball that contains all values of `expression` while each symbol stays in its ball; NotEnclosableError if none is known."""
    with ctx.workprec(bits):
        return _ball(sp.sympify(expression, strict=True), balls)


def settled_sign(expression: sp.Expr, point: Point, bits: int = 640) -> int | None:
    """-1 or 1 if a ball over the numbers of the point excludes zero, 0 if one lies within 1e-100 of it; None says nothing.

    Nothing is substituted: building the expression anew at each point costs far more than its ball.
    """
    for precision in (80, 320, bits):
        try:
            with ctx.workprec(precision):
                numbers = {symbol: _ball(value) for symbol, value in point.items()}
                ball = _ball(expression, numbers)
        except (NotEnclosableError, ValueError, TypeError):
            return None
        if not ball.is_finite():
            return None
        if ball > 0:
            return 1
        if ball < 0:
            return -1
    return 0 if bool(abs(ball) < 1e-100) else None


def _ball(e: sp.Expr, at: Mapping[sp.Symbol, arb] = MappingProxyType({})) -> arb:
    if isinstance(e, Symbol) and e in at:
        return at[e]
    if isinstance(e, Rational):
        return arb(fmpq(int(e.p), int(e.q)))
    if isinstance(e, sp.Float):
        return _ball(sp.Rational(e))
    if e is sp.pi:
        return arb.pi()
    if e is sp.E:
        return arb.const_e()
    if e is sp.EulerGamma:
        return arb.const_euler()
    if isinstance(e, Add):
        total = arb(0)
        for a in e.args:
            total += _ball(a, at)
        return total
    if isinstance(e, Mul):
        product = arb(1)
        for a in e.args:
            product *= _ball(a, at)
        return product
    if isinstance(e, Pow):
        return _within(_power(e.args[0], e.args[1], at), at)
    if isinstance(e, sp.Max | sp.Min):
        balls = [_ball(a, at) for a in e.args]
        best = balls[0]
        for b in balls[1:]:
            best = best.max(b) if isinstance(e, sp.Max) else best.min(b)
        return best
    of_two = _OF_TWO.get(type(e))
    if of_two is not None and len(e.args) == 2:
        found = of_two(*(acb(_ball(a, at)) for a in e.args))
        if found.is_finite() and not found.imag.is_zero():
            # Of real numbers an imaginary part that is real is 0 exactly: Bessel functions below 0 have others.
            raise NotEnclosableError(f"no real value of {e}")
        return _within(found.real, at)
    function = _UNARY.get(type(e))
    if function is not None:
        return _within(function(_ball(e.args[0], at)), at)
    raise NotEnclosableError(f"no enclosure known for {type(e).__name__} in {e}")


def _within(ball: arb, at: Mapping[sp.Symbol, arb]) -> arb:
    """The ball, which has to be finite where nothing was substituted: sympy sees the poles that Arb steps over."""
    if at and not ball.is_finite():
        raise NotEnclosableError("a pole, or no real value")
    return ball


def _power(base: sp.Expr, exponent: sp.Expr, at: Mapping[sp.Symbol, arb]) -> arb:
    if exponent == _HALF:
        return _ball(base, at).sqrt()
    if exponent == _MINUS_HALF:
        return _ball(base, at).rsqrt()
    x = _ball(base, at)
    if exponent.is_Integer and exponent > 0 and x.contains(0):
        # Arb's own power of a ball around zero is nan, that of a polynomial of degree 0 is not.
        return (arb_poly([x]) ** int(exponent))[0]
    return x ** _ball(exponent, at)


def sign(expression: sp.Expr, point: Point | None = None, bits: int = 2560) -> int | None:
    """-1, 0 or 1 if the sign is certain, None otherwise; precision is doubled up to `bits`."""
    value = sp.sympify(expression, strict=True)
    at = {s: v for s, v in (point or {}).items() if s in value.free_symbols}
    if value.free_symbols - set(at):
        return 0 if value.subs(at).is_zero else None
    # Enclosures first: asking sympy whether a constant vanishes can take minutes, and is needed only near zero.
    precision = 80
    while precision <= bits:
        try:
            ball = enclose(value, at, bits=precision)
        except NotEnclosableError:
            break
        if ball > 0:
            return 1
        if ball < 0:
            return -1
        precision *= 2
    exact = substituted(value, at)
    return 0 if exact is not None and exact.is_zero else None


def substituted(value: sp.Expr, point: Point) -> sp.Expr | None:
    """The value at the point as sympy writes it; None where sympy has none, or would write out huge numbers."""
    if not point:
        return value
    powers = value.atoms(sp.Pow, sp.gamma, sp.factorial, sp.binomial)
    try:
        return value.subs(point) if all(_modest(e, point) for e in powers) else None
    except Exception:  # each function has words of its own for a remainder by zero, or an order with a pole
        return None


def _modest(e: sp.Expr, point: Point) -> bool:
    try:
        return bool(abs(enclose(e, point, bits=80)) < _LARGE)
    except NotEnclosableError:
        return True


def is_zero(expression: sp.Expr) -> Truth:
    """Whether an expression vanishes identically: simplification proves it, one nonzero enclosure refutes it."""
    expression = sp.sympify(expression, strict=True)
    return _vanishes(expression) if isinstance(expression, sp.Expr) else _vanishes.__wrapped__(expression)


# The steps of a derivation are checked several times: when it decides, when it is printed, in each of its variants.
@lru_cache(2048)
def _vanishes(expression: sp.Expr) -> Truth:
    if expression.is_zero or expression == 0 or sp.expand(expression) == 0:
        return Truth.HOLDS
    if refuting_point(expression, "=") is not None:
        return Truth.FAILS
    if not expression.free_symbols and _vanishes_whatever_its_atoms_are(expression):
        return Truth.HOLDS
    for rewrite in (sp.simplify, lambda x: sp.simplify(sp.expand(sp.powdenest(x, force=False))), sp.radsimp):
        simplified = rewrite(expression)
        if simplified == 0:
            return Truth.HOLDS
    if expression.has(sp.sinh, sp.cosh, sp.tanh) and sp.simplify(expression.rewrite(sp.exp)) == 0:
        return Truth.HOLDS
    return Truth.UNKNOWN


def _vanishes_whatever_its_atoms_are(number: sp.Expr) -> bool:
    """Whether a number is zero as a fraction in its exponentials, roots and other atoms: simplification is lost in many of them."""
    atoms = number.atoms(sp.Function, sp.NumberSymbol) | {
        p for p in number.atoms(sp.Pow) if not p.exp.is_Integer
    }
    above, _ = sp.fraction(sp.together(number.xreplace({a: sp.Dummy() for a in atoms})))
    try:
        return bool(sp.expand(above) == 0 and enclose(number, bits=640).is_finite())
    except NotEnclosableError:
        return False


WRONG_SIGN: dict[str, tuple[int, ...]] = {"=": (-1, 1), "<=": (1,), ">=": (-1,), "<": (0, 1), ">": (-1, 0)}


def compare(left: sp.Expr, relation: str, right: sp.Expr) -> Truth:
    """Decide `left relation right` for all values that the assumptions on the free symbols admit."""
    difference = sp.sympify(left, strict=True) - sp.sympify(right, strict=True)
    decide = _decided if isinstance(difference, sp.Expr) else _decided.__wrapped__
    return decide(difference, relation)


@lru_cache(4096)
def _decided(difference: sp.Expr, relation: str) -> Truth:
    if relation == "=":
        return is_zero(difference)
    if not difference.free_symbols:
        s = sign(difference)
        if s is None:
            return (
                Truth.HOLDS
                if relation in ("<=", ">=") and is_zero(difference) is Truth.HOLDS
                else Truth.UNKNOWN
            )
        return Truth.FAILS if s in WRONG_SIGN[relation] else Truth.HOLDS
    if refuting_point(difference, relation) is not None:
        return Truth.FAILS
    wanted = {"<=": "is_nonpositive", ">=": "is_nonnegative", "<": "is_negative", ">": "is_positive"}[
        relation
    ]
    for rewrite in (sp.sympify, factored, sp.simplify):
        if getattr(rewrite(difference), wanted):
            return Truth.HOLDS
    return Truth.UNKNOWN


def factored(e: sp.Expr) -> sp.Expr:
    """sympy's factors of it, where exp(354/11) is a letter: sympy factors a polynomial of degree 354 in exp(1/11)."""
    letters = {x: sp.Dummy(positive=True) for x in e.atoms(sp.exp) if x.exp.is_Rational}
    return sp.factor(e.xreplace(letters)).xreplace({letter: x for x, letter in letters.items()})


def refuting_point(difference: sp.Expr, relation: str, limit: int = 400) -> dict[sp.Symbol, sp.Expr] | None:
    """A rational point, admitted by the assumptions, at which `difference relation 0` is certainly false."""
    for point in itertools.islice(sample_points(difference.free_symbols), limit):
        settled = settled_sign(difference, point)
        if settled in WRONG_SIGN[relation] and settled != 0:
            return point
        if settled is not None and (settled != 0 or relation in ("=", "<=", ">=")):
            continue
        value = substituted(difference, point)
        if value is None or value.free_symbols or value.has(sp.nan, sp.zoo, sp.oo):
            continue
        if sign(value, bits=640) in WRONG_SIGN[relation]:
            return point
    return None


_GRID = tuple(
    sp.Rational(*q) for q in ((1, 1), (1, 3), (7, 5), (5, 2), (1, 7), (9, 1), (-1, 2), (-3, 1), (0, 1))
)


def sample_points(symbols: set[sp.Symbol]) -> Iterator[dict[sp.Symbol, sp.Expr]]:
    """Rational points that respect the sign, integer and reality assumptions of each symbol."""
    ordered = sorted(symbols, key=lambda s: s.name)
    choices: list[list[sp.Rational]] = []
    for symbol in ordered:
        grid = [*_GRID, *map(sp.Integer, (2, 3, 4, 8))]
        choices.append([v for v in grid if admits(symbol, v)])
    # Diagonals first: a few varied points decide almost everything before the full product is walked.
    for shift in range(len(_GRID)):
        if ordered and all(choices):
            yield {s: c[(shift + i) % len(c)] for i, (s, c) in enumerate(zip(ordered, choices, strict=True))}
    for values in itertools.product(*choices):
        yield dict(zip(ordered, values, strict=True))


def admits(symbol: sp.Symbol, value: sp.Expr) -> bool:
    """Whether nothing that is known of the value contradicts what the symbol was declared to be."""
    return all(getattr(value, f"is_{k}") in (want, None) for k, want in symbol.assumptions0.items())
