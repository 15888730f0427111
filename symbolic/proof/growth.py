"""How an expression grows: on [start, oo) it is a simple monotone scale times a number from a ball, proved part by part.

A scale is z^a log(z)^m exp(sum of c z^p log(z)^l).  Products and powers of scales are scales; of a sum the largest is kept, once the
others divided by it are known to fall.  Bounds of erfc, the Gamma function and its derivatives: DLMF 7.8, 5.11(ii) and 5.15.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import sympy as sp
from flint import arb

from .enclosure import NotEnclosableError, enclose, sign

Key = tuple[sp.Expr, sp.Expr]  # powers of z and of log z
_ZERO, _ONE = sp.Integer(0), sp.Integer(1)
_BOUNDED = (sp.sin, sp.cos, sp.tanh, sp.sech)


class NoGrowthError(ValueError):
    """The expression could not be bounded from this start on; a later start may do."""


def _unit(low: arb) -> arb:
    """A ball around [low, 1]."""
    return low.union(arb(1))


@dataclass(frozen=True)
class Scale:
    """z^power log(z)^logs exp(sum of c z^p log(z)^l over `exponents`), (p, l): c, positive and smooth for z > 1."""

    power: sp.Expr = _ZERO
    logs: sp.Expr = _ZERO
    exponents: Mapping[Key, sp.Expr] = field(default_factory=dict)

    def times(self, other: Scale, n: sp.Expr = _ONE) -> Scale:
        """This scale times the n-th power of another."""
        exponents = dict(self.exponents)
        for key, c in other.exponents.items():
            exponents[key] = exponents.get(key, _ZERO) + n * c
        kept = {key: c for key, c in exponents.items() if sign(c) != 0}
        return Scale(self.power + n * other.power, self.logs + n * other.logs, kept)

    def at(self, z: arb) -> arb:
        """Its value at z > 1."""
        log = z.log()
        total = enclose(self.power) * log + enclose(self.logs) * log.log()
        for (p, k), c in self.exponents.items():
            total += enclose(c) * (enclose(p) * log).exp() * (enclose(k) * log.log()).exp()
        return total.exp()

    def slope(self, start: arb) -> arb:
        """A number that z (log scale)' stays below for all z >= start >= 3; NoGrowthError where none is known."""
        terms: dict[Key, sp.Expr] = {(_ZERO, _ZERO): self.power, (_ZERO, -_ONE): self.logs}
        for (p, k), c in self.exponents.items():
            for key, value in (((p, k), c * p), ((p, k - 1), c * k)):
                terms[key] = terms.get(key, _ZERO) + value
        signs = {key: sign(value) for key, value in terms.items()}
        if None in signs.values():
            raise NoGrowthError("the sign of a coefficient is not known")
        left = sorted((key for key, s in signs.items() if s), key=_rank, reverse=True)
        top = left[0] if left else (_ZERO, _ZERO)
        rising = [key for key in left if signs[key] == 1]
        if _rank(top) <= (0.0, 0.0):
            # Constant and falling terms: each positive one is largest at the start.
            constant = enclose(terms.get((_ZERO, _ZERO), _ZERO))
            return constant + sum(
                (self._term(terms, k, start) for k in rising if _rank(k) < (0.0, 0.0)), arb(0)
            )
        if signs[top] == 1:
            raise NoGrowthError("it grows without end")
        size, ratio, log = abs(self._term(terms, top, start)), arb(0), start.log()
        for key in rising:
            gap, more = key[0] - top[0], key[1] - top[1]
            if not enclose(gap) + (enclose(more) / log).max(arb(0)) <= 0:
                raise NoGrowthError("a smaller term has not begun to fall behind")
            ratio += self._term(terms, key, start) / size
        if not (ratio < 1 and enclose(top[0]) + (enclose(top[1]) / log).min(arb(0)) >= 0):
            raise NoGrowthError("the largest term does not lead yet")
        return -size * (1 - ratio)

    @staticmethod
    def _term(terms: Mapping[Key, sp.Expr], key: Key, start: arb) -> arb:
        log = start.log()
        return enclose(terms[key]) * (enclose(key[0]) * log).exp() * (enclose(key[1]) * log.log()).exp()

    def falls(self, start: arb) -> bool:
        """Whether it is known not to grow from `start` on."""
        try:
            return bool(self.slope(start) <= 0)
        except NoGrowthError:
            return False

    def rises(self, start: arb) -> bool:
        """Whether it is known not to fall from `start` on."""
        return Scale().times(self, -_ONE).falls(start)


def _rank(key: Key) -> tuple[float, float]:
    rank = float(key[0]), float(key[1])
    if any(r == 0.0 and k != 0 for r, k in zip(rank, key, strict=True)):
        raise NoGrowthError("a power is too close to none")
    return rank


@dataclass(frozen=True)
class Growth:
    """An expression on [start, oo): `scale` times a number from the ball `factor`, which may differ from place to place."""

    scale: Scale
    factor: arb

    def beyond(self, start: arb) -> arb:
        """A ball around the integral from `start` on, where the growth was found there or before; NoGrowthError if none is known."""
        slope = self.scale.slope(start)
        if not slope < -1:
            raise NoGrowthError("whether the integral is finite is not known")
        size: arb = abs(self.factor).upper() * start * self.scale.at(start) / (-1 - slope)
        return size.union(-size)


def growth(e: sp.Expr, z: sp.Symbol, start: arb) -> Growth:
    """The growth of an expression in z, on [start, oo), start >= 3; NoGrowthError where none is known from there on."""
    if not start >= 3:
        raise ValueError(f"start must be at least 3, got {start}")
    found = _Reader(z, start).read(_prepared(e, z))
    if not found.factor.is_finite():
        raise NoGrowthError(f"no finite bound of {e}")
    return found


def _prepared(e: sp.Expr, z: sp.Symbol) -> sp.Expr:
    hyperbolic = [f for f in e.atoms(sp.sinh, sp.cosh, sp.coth, sp.csch) if f.has(z)]
    return e.xreplace({f: f.rewrite(sp.exp) for f in hyperbolic})


class _Reader:
    """Reads an expression in z on [start, oo) from its leaves up."""

    def __init__(self, z: sp.Symbol, start: arb) -> None:
        self.z, self.start = z, start
        self.known: dict[sp.Expr, Growth] = {}
        self.near: dict[sp.Expr, sp.Expr | None] = {}

    def read(self, e: sp.Expr) -> Growth:
        found = self.known.get(e)
        if found is None:
            found = self.known[e] = self._read(e)
        return found

    def _read(self, e: sp.Expr) -> Growth:
        if not e.has(self.z):
            return Growth(Scale(), enclose(e))
        if e == self.z:
            return Growth(Scale(_ONE), arb(1))
        if isinstance(e, sp.Add):
            return self._sum([self.read(a) for a in sp.Add.make_args(self._outward(e))])
        if isinstance(e, sp.Mul):
            whole = Growth(Scale(), arb(1))
            for a in e.args:
                part = self.read(a)
                whole = Growth(whole.scale.times(part.scale), whole.factor * part.factor)
            return whole
        if isinstance(e, sp.exp):
            return self._exp(e.args[0])
        if isinstance(e, sp.Pow):
            return self._exp(e.exp * sp.log(e.base)) if e.exp.has(self.z) else self._power(e)
        if isinstance(e, sp.log):
            return self._log(e.args[0])
        if isinstance(e, sp.Abs):
            inner = self.read(e.args[0])
            return Growth(inner.scale, abs(inner.factor))
        if isinstance(e, sp.erf | sp.erfc):
            return self._erf(e)
        if isinstance(e, sp.gamma | sp.loggamma | sp.polygamma):
            return self._gamma(e)
        if isinstance(e, _BOUNDED):
            return Growth(Scale(), arb(0, 1))
        if isinstance(e, sp.atan):
            return Growth(Scale(), arb(0, 2))
        raise NoGrowthError(f"no growth known of {type(e).__name__}")

    def _power(self, e: sp.Pow) -> Growth:
        base = self.read(e.base)
        if not (e.exp.is_Integer and (e.exp > 0 or not base.factor.contains(0))) and not base.factor > 0:
            raise NoGrowthError(f"the sign of {e.base} is not known")
        n = int(e.exp) if e.exp.is_Integer else None
        factor = base.factor ** (n if n is not None else enclose(e.exp))
        return Growth(Scale().times(base.scale, e.exp), factor)

    def _sum(self, parts: list[Growth]) -> Growth:
        for lead in parts:
            ratios = [part.scale.times(lead.scale, -_ONE) for part in parts]
            if all(r.falls(self.start) for r in ratios):
                total = arb(0)
                for ratio, part in zip(ratios, parts, strict=True):
                    same = ratio == Scale()
                    total += part.factor if same else part.factor * ratio.at(self.start).union(arb(0))
                return Growth(lead.scale, total)
        raise NoGrowthError("no part of a sum leads yet")

    def _exp(self, e: sp.Expr) -> Growth:
        """exp of a sum: its exact powers go into the scale, the bounded rest into the ball."""
        scale, factor, rest = Scale(), arb(1), []
        for term in sp.Add.make_args(sp.expand(e)):
            found = _monomial(term, self.z)
            if found is not None:
                c, p, k = found
                key = (p, k)
                exact = Scale(c) if key == (_ZERO, _ONE) else Scale(exponents={key: c})
                if key == (_ZERO, _ZERO):
                    factor *= enclose(c).exp()
                    continue
                if sign(p) == 1 or (sign(p) == 0 and k.is_Integer and k > 0):
                    scale = scale.times(exact)
                    continue
            rest.append(self.read(term))
        if not rest:
            return Growth(scale, factor)
        whole = self._sum(rest)
        if whole.scale.falls(self.start):
            size = whole.scale.at(self.start)
            inner = whole.factor if whole.scale == Scale() else whole.factor * size.union(arb(0))
            return Growth(scale, factor * inner.exp())
        return Growth(scale.times(self._falling(whole)), factor * _unit(arb(0)))

    def _falling(self, whole: Growth) -> Scale:
        """A scale above exp of something that falls to -oo: it grows at least like a power, and that power is kept."""
        order = -Scale().times(whole.scale, -_ONE).slope(self.start)
        if not (whole.factor < 0 and order > 0):
            raise NoGrowthError("an exponential may grow without end")
        power = sp.Rational(min(16 * 8, int(float(order.lower()) * 16)), 16)
        if not (power > 0 and enclose(power) <= order):
            raise NoGrowthError("an exponential falls too slowly")
        size = abs(whole.factor).lower() * whole.scale.at(self.start) / self.start ** enclose(power)
        c = sp.Rational(str(float(size.lower()) * (1 - 1e-9)))
        if not enclose(c) <= size:
            raise NoGrowthError("an exponential could not be bounded")
        return Scale(exponents={(power, _ZERO): -c})

    def _log(self, e: sp.Expr) -> Growth:
        inner = self.read(e)
        if not inner.factor > 0:
            raise NoGrowthError(f"the sign of {e} is not known")
        parts = [Growth(Scale(), inner.factor.log())]
        if inner.scale.power != 0:
            parts.append(Growth(Scale(logs=_ONE), enclose(inner.scale.power)))
        if inner.scale.logs != 0:
            # 0 <= log log z <= log z from z = e on.
            parts.append(Growth(Scale(logs=_ONE), enclose(inner.scale.logs) * _unit(arb(0))))
        parts += [Growth(Scale(p, k), enclose(c)) for (p, k), c in inner.scale.exponents.items()]
        return self._sum(parts)

    def _outward(self, e: sp.Add) -> sp.Expr:
        """erf as 1 - erfc next to infinity, and functions of c + (what falls) as their value at c and a rest: constants cancel then."""
        changes: dict[sp.Expr, sp.Expr] = {}
        for f in e.atoms(sp.erf, sp.log, sp.exp, sp.Pow):
            if f.has(self.z):
                if f not in self.near:
                    self.near[f] = self._near_infinity(f) if isinstance(f, sp.erf) else self._near_constant(f)
                near = self.near[f]
                if near is not None:
                    changes[f] = near
        # Outer functions first: what they contain is no longer looked at.
        for f in sorted(changes, key=sp.count_ops, reverse=True):
            e = e.xreplace({f: changes[f]})
        return sp.expand(e) if changes else e

    def _near_infinity(self, f: sp.Expr) -> sp.Expr | None:
        inner = self.read(f.args[0])
        if not inner.scale.rises(self.start) or inner.scale == Scale():
            return None
        if inner.factor > 0:
            return 1 - sp.erfc(f.args[0])
        return sp.erfc(-f.args[0]) - 1 if inner.factor < 0 else None

    def _near_constant(self, f: sp.Expr) -> sp.Expr | None:
        """f(c) + (x - c) f'(somewhere between), for f = log, exp or a power of x = c + (what falls)."""
        power = isinstance(f, sp.Pow) and not isinstance(f, sp.exp)
        if power and (f.exp.has(self.z) or f.exp.is_Integer):
            return None
        inner = f.base if power else f.args[0]
        constant, rest = inner.as_independent(self.z, as_Add=True)
        if rest == 0 or not isinstance(rest, sp.Expr):
            return None
        try:
            moved = self.read(rest)
            if not moved.scale.falls(self.start) or moved.scale == Scale():
                return None
            centre = enclose(constant)
            between = centre + (moved.factor * moved.scale.at(self.start)).union(arb(0))
            if isinstance(f, sp.exp):
                slope = between.exp()
            elif not between > 0:
                return None
            else:
                slope = enclose(f.exp) * between ** enclose(f.exp - 1) if power else 1 / between
        except (NoGrowthError, NotEnclosableError):
            return None
        left = sp.Function(f"rest{len(self.known)}", real=True)(self.z)
        self.known[left] = Growth(moved.scale, moved.factor * slope)
        return f.func(constant, f.exp) + left if power else f.func(constant) + left

    def _erf(self, e: sp.Expr) -> Growth:
        inner = self.read(e.args[0])
        outward = inner.scale.rises(self.start)
        if not outward and not inner.scale.falls(self.start):
            raise NoGrowthError("an error function of an unknown argument")
        size = inner.scale.at(self.start)
        if not outward:
            around = inner.factor * size.union(arb(0))
            return Growth(Scale(), around.erf() if isinstance(e, sp.erf) else around.erfc())
        if isinstance(e, sp.erf):
            least = (abs(inner.factor).lower() * size).erf()
            known = inner.factor > 0 or inner.factor < 0
            value = _unit(least) if inner.factor > 0 else -_unit(least)
            return Growth(Scale(), value if known else arb(0, 1))
        if inner.factor > 0 and inner.scale != Scale():
            # erfc(x) = exp(-x^2) / (x sqrt(pi)) (1 - t), 0 < t < 1 / (2 x^2).
            x = e.args[0]
            least = inner.factor.lower() * size
            share = (1 - 1 / (2 * least**2)).max(arb(0))
            whole = self.read(sp.exp(sp.expand(-(x**2))) / x)
            return Growth(whole.scale, whole.factor * _unit(share) / arb.pi().sqrt())
        return Growth(Scale(), arb(1, 1))

    def _gamma(self, e: sp.Expr) -> Growth:
        """Gamma functions of z + a, a a number, by Stirling's formula with its remainder in a ball."""
        a = sp.expand(e.args[-1] - self.z)
        shift = enclose(a) if not a.has(self.z) else None
        if shift is None or not (abs(shift) < self.start / 4):
            raise NoGrowthError(
                "a Gamma function of something else than a shifted variable, or not far out yet"
            )
        least, ratio = self.start + shift, shift / self.start
        if isinstance(e, sp.polygamma):
            return self._polygamma(e, least, ratio)
        # (x - 1/2) log(1 + a/z) for x = z + a lies this close to a.
        u = abs(ratio).upper()
        near = abs(shift) * u + abs(shift - arb(0.5)) * (u + u**2)
        inside = shift + arb(0, 1) * near
        constant = inside - shift + (2 * arb.pi()).log() / 2 + _unit(arb(0)) / (12 * least)
        scale = Scale(a - sp.Rational(1, 2), _ZERO, {(_ONE, _ONE): _ONE, (_ONE, _ZERO): -_ONE})
        if isinstance(e, sp.gamma):
            return Growth(scale, constant.exp())
        parts = [Growth(Scale(_ONE, _ONE), arb(1)), Growth(Scale(_ONE), arb(-1)), Growth(Scale(), constant)]
        return self._sum([*parts, Growth(Scale(logs=_ONE), enclose(scale.power))])

    def _polygamma(self, e: sp.Expr, least: arb, ratio: arb) -> Growth:
        order = e.args[0]
        if order == 0:
            # log x - 1/x < psi(x) < log x - 1/(2 x), and log(z + a) = log z + log(1 + a/z).
            rest = (1 + ratio).union(arb(1)).log() - (1 / least).union(arb(0))
            return self._sum([Growth(Scale(logs=_ONE), arb(1)), Growth(Scale(), rest)])
        if not (order.is_Integer and order > 0):
            raise NoGrowthError(f"the order of {e} is no number")
        # (k-1)!/x^k < (-1)^(k+1) psi_k(x) < (k-1)!/x^k + k!/x^(k+1).
        k = int(order)
        first = enclose(sp.factorial(k - 1)) * (1 + ratio).union(arb(1)) ** (-k)
        factor = (-1) ** (k + 1) * first * (1 + _unit(arb(0)) * k / least)
        return Growth(Scale(-order), factor)


def _monomial(term: sp.Expr, z: sp.Symbol) -> tuple[sp.Expr, sp.Expr, sp.Expr] | None:
    """(c, p, l) of c z^p log(z)^l; None for anything else."""
    c, p, k = _ONE, _ZERO, _ZERO
    for factor in _factors(term):
        base, n = factor.as_base_exp()
        if not factor.has(z):
            c *= factor
        elif n.has(z):
            return None
        elif base == z:
            p += n
        elif base == sp.log(z):
            k += n
        else:
            return None
    return c, p, k


def _factors(term: sp.Expr) -> Iterator[sp.Expr]:
    yield from sp.Mul.make_args(term)


def located(e: sp.Expr, z: sp.Symbol, starts: int = 64) -> tuple[Growth, arb]:
    """The growth of an expression and where it holds from; tried from 4, 8, 16, ...; NoGrowthError where none is found."""
    trouble = "no start was tried"
    for k in range(2, starts):
        start = arb(2) ** k
        try:
            return growth(e, z, start), start
        except NoGrowthError as error:
            trouble = str(error)
        except NotEnclosableError as error:
            raise NoGrowthError(str(error)) from None
    raise NoGrowthError(trouble)
