"""A formula next to the parameters at which it is differentiated: the smooth formula that it is there, proved part by part.

Kinks and jumps in the parameter (moduli, signs, maxima, pieces, floors) are settled by signs that enclosures prove at the
point, or assumptions prove everywhere; what is left is built from functions that are analytic where they are used.  Each
part has to be differentiable by itself: no simplification is asked whether two kinks cancel.  Kinks in the variable of a
density may stay, if the point where they lie is a smooth function of the parameter: `regularity` judges these.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import sympy as sp
from sympy.core.relational import Relational

from ..proof.enclosure import NotEnclosableError, enclose, sign
from ..proof.known_signs import with_known_signs
from .pieces import KINKED

Support = tuple[sp.Expr, sp.Expr]

_ENTIRE = (
    *(sp.Add, sp.Mul, sp.exp, sp.sin, sp.cos, sp.sinh, sp.cosh, sp.tanh),
    *(sp.atan, sp.asinh, sp.erf, sp.erfc),
)
# What has to be positive for the function to be analytic.
_POSITIVE: dict[type, Callable[..., tuple[sp.Expr, ...]]] = {
    sp.log: lambda x: (x,),
    sp.gamma: lambda x: (x,),
    sp.loggamma: lambda x: (x,),
    sp.beta: lambda a, b: (a, b),
    sp.polygamma: lambda n, x: (x,) if n.is_Integer and n >= 0 else (sp.Integer(-1),),
    sp.asin: lambda x: (1 - x, 1 + x),
    sp.acos: lambda x: (1 - x, 1 + x),
    sp.atanh: lambda x: (1 - x, 1 + x),
    sp.acosh: lambda x: (x - 1,),
}
# What has to be nonzero.
_NONZERO: dict[type, Callable[[sp.Expr], sp.Expr]] = {
    sp.tan: sp.cos,
    sp.sec: sp.cos,
    sp.cot: sp.sin,
    sp.csc: sp.sin,
}
_STEPS: dict[type, Callable[[int], sp.Expr]] = {
    sp.sign: sp.Integer,
    sp.Heaviside: lambda s: sp.Integer(max(s, 0)),
    sp.DiracDelta: lambda s: sp.Integer(0),
    sp.arg: lambda s: sp.Integer(0) if s > 0 else sp.pi,
}


class NotDifferentiableError(ValueError):
    """It could not be proved that the formula is differentiable in the parameters where it is asked; the text says why."""


@dataclass(frozen=True)
class Place:
    """Where a derivative in `parameters` is taken: `at` fixes symbols, the others run through all that they were declared to be.

    `variable` runs through the inside of `support`, where a density is meant.
    """

    parameters: frozenset[sp.Symbol]
    at: Mapping[sp.Symbol, sp.Expr]
    variable: sp.Symbol | None = None
    support: Support = (-sp.oo, sp.oo)

    @classmethod
    def of(cls, parameters: Sequence[sp.Symbol], at: Mapping[sp.Symbol, sp.Expr]) -> Place:
        """The place of differentiable parameters; ValueError for symbols in which nothing can be differentiated."""
        for p in parameters:
            discrete = (p.is_integer, p.is_rational, p.is_irrational, p.is_algebraic, p.is_transcendental)
            if p.is_real is not True or True in discrete:
                raise ValueError(
                    f"the parameter {p} must be any real number: declare it with real=True or positive=True"
                )
        return cls(frozenset(parameters), at)

    def __str__(self) -> str:
        fixed = [f"{s} = {self.at[s]}" for s in sorted(self.at, key=str) if s in self.parameters]
        return f"at {', '.join(fixed)}" if fixed else "for all values of the parameters"

    def border(self) -> str | None:
        """The reason why the place has no neighbourhood in the parameters, if it lies on the border of what they may be."""
        for p in self.parameters & set(self.at):
            if (p.is_nonnegative or p.is_nonpositive) and self.side(p) == 0:
                return f"{p} = 0 lies on the border of what {p} may be"
        return None

    def side(self, gap: sp.Expr) -> int | None:
        """The sign of `gap`, an expression without the variable; None if it is not certain."""
        value = gap.subs(self.at)
        if isinstance(value, sp.Integral) and len(value.limits) == 1 and len(value.limits[0]) == 3:
            v, lower, upper = value.limits[0]
            whole = replace(self, variable=v, support=(lower, upper)).everywhere(value.function)
            return whole if upper.is_infinite or lower.is_infinite or self.side(upper - lower) == 1 else None
        if not value.free_symbols:
            return None if value.has(sp.nan, sp.zoo, sp.oo, -sp.oo) else sign(value)
        if value.is_zero:
            return 0
        value = with_known_signs(value)
        return 1 if value.is_positive else -1 if value.is_negative else None

    def inside(self, e: sp.Expr) -> sp.Expr:
        """`e` with the variable written as a point of the support, by means of a positive number."""
        u, (lower, upper) = sp.Dummy("u", positive=True), self.support
        if self.variable is None or (lower.is_infinite and upper.is_infinite):
            return e
        if upper.is_infinite:
            point = lower + u
        elif lower.is_infinite:
            point = upper - u
        else:
            point = lower + (upper - lower) * u / (1 + u)
        return e.subs(self.variable, point)

    def everywhere(self, e: sp.Expr) -> int | None:
        """1 or -1 if `e` has that sign for every value of the variable inside the support, else None."""
        if self.variable not in e.free_symbols and (known := self.side(e)) is not None:
            return known or None
        if isinstance(e, sp.Abs) and self._on_line(e.args[0]):
            return 1  # almost everywhere
        for form in (e, self.inside(e)):
            for way in (lambda x: x, sp.factor, with_known_signs):
                whole = way(form)
                if whole.is_positive or whole.is_negative:
                    return 1 if whole.is_positive else -1
        if isinstance(e, sp.besseli) and e.order.is_Integer and e.order >= 0:
            # I_0 is at least 1 on the real line, and I_n has the sign of its argument where that is positive.
            return 1 if (e.order == 0 and e.argument.is_real) or self.everywhere(e.argument) == 1 else None
        if isinstance(e, sp.Mul):
            signs = [self.everywhere(a) for a in e.args]
            return None if None in signs else math.prod(s for s in signs if s is not None)
        return 1 if e.is_Pow and e.exp.is_real and self.everywhere(e.base) == 1 else None

    def form(self, e: sp.Expr) -> sp.Expr:
        """The expression that equals `e` next to the place and is smooth in the parameters there."""
        if not e.free_symbols & self.parameters or e.is_Symbol:
            return e
        if isinstance(e, sp.Piecewise):
            return self._pieces(e)
        if isinstance(e, sp.Integral):
            return self._integral(e)
        args = [self.form(a) for a in e.args]
        if isinstance(e, sp.Abs):
            return sp.Abs(*args) if self._on_line(args[0]) else self._settled(args[0]) * args[0]
        if type(e) in _STEPS:
            if not self._on_line(args[0]):
                return _STEPS[type(e)](self._settled(args[0]))
            if isinstance(e, sp.sign | sp.Heaviside):
                return sp.sign(args[0]) if isinstance(e, sp.sign) else (1 + sp.sign(args[0])) / 2
        if isinstance(e, sp.Max | sp.Min):
            return self._extreme(e, args)
        if isinstance(e, sp.floor | sp.ceiling | sp.frac):
            whole = self._whole(args[0])
            return args[0] - whole if isinstance(e, sp.frac) else whole + int(isinstance(e, sp.ceiling))
        if isinstance(e, sp.Mod):
            self._nonzero(args[1], e)
            return args[0] - args[1] * self._whole(args[0] / args[1])
        self._analytic(e, args)
        return e.func(*args)

    def _on_line(self, gap: sp.Expr) -> bool:
        """Whether the sign of `gap` changes along the line; then it must do so at one point that is smooth in the parameters."""
        if self.variable not in gap.free_symbols:
            return False
        slope = sp.diff(gap, self.variable)
        if gap.free_symbols & self.parameters and (
            self.variable in slope.free_symbols or self.side(slope) not in (1, -1)
        ):
            raise NotDifferentiableError(f"where {gap} changes its sign could not be solved for {self}")
        return True

    def _settled(self, gap: sp.Expr) -> int:
        side = self.side(gap)
        if side not in (1, -1):
            raise NotDifferentiableError(
                f"it may have a kink or a jump in the parameters where {gap} = 0, {self}"
            )
        return side

    def _nonzero(self, e: sp.Expr, whole: sp.Expr) -> None:
        if self.everywhere(e) is None:
            raise NotDifferentiableError(f"{e} in {whole} is not known to keep away from zero {self}")

    def _extreme(self, e: sp.Expr, args: list[sp.Expr]) -> sp.Expr:
        wanted = 1 if isinstance(e, sp.Max) else -1
        fixed = [a for a in args if self.variable not in a.free_symbols]
        moving = [a for a in args if a not in fixed]
        best = fixed[:1]
        for a in fixed[1:]:
            best = [a] if self.side(a - best[0]) == wanted else best
        for a in fixed:
            if a != best[0] and self.side(best[0] - a) != wanted:
                raise NotDifferentiableError(
                    f"it may have a kink in the parameters where {best[0]} = {a}, {self}"
                )
        left = [*moving, *best]
        for i, a in enumerate(left):
            for b in left[:i]:
                if not self._on_line(gap := a - b) and gap.free_symbols & self.parameters:
                    self._settled(gap)
        return e.func(*left)

    def _whole(self, e: sp.Expr) -> sp.Integer:
        """The integer under `e`, which must not be an integer itself."""
        value = e.subs(self.at)
        if not value.free_symbols:
            try:
                found = enclose(value).mid().floor().unique_fmpz()
            except NotEnclosableError:
                found = None
            below = sp.floor(value) if found is None else sp.Integer(int(found))
            if below.is_Integer and sign(value - below) == 1 and sign(below + 1 - value) == 1:
                return below
        raise NotDifferentiableError(f"it may jump in the parameters where {e} is an integer, {self}")

    def _pieces(self, e: sp.Piecewise) -> sp.Expr:
        left: list[tuple[sp.Expr, sp.Basic]] = []
        for value, condition in e.args:
            known = self._condition(condition)
            if known == sp.false:
                continue
            left.append((self.form(value), known))
            if known == sp.true:
                break
        if not left:
            raise NotDifferentiableError(f"none of the pieces of {e} is meant {self}")
        return sp.Piecewise(*left)

    def _condition(self, c: sp.Basic) -> sp.Basic:
        if c in (sp.true, sp.false) or not c.free_symbols & self.parameters:
            return c
        if isinstance(c, sp.And | sp.Or | sp.Not):
            return c.func(*(self._condition(a) for a in c.args))
        if not isinstance(c, Relational):
            raise NotDifferentiableError(f"the condition {c} is not put together from inequalities")
        lhs, rhs = self.form(c.lhs), self.form(c.rhs)
        if self._on_line(lhs - rhs):
            return c.func(lhs, rhs)
        # Strict and weak inequalities agree next to the place: the two sides differ there.
        return sp.sympify(c.func(sp.Integer(self._settled(lhs - rhs)), sp.Integer(0)))

    def _integral(self, e: sp.Integral) -> sp.Expr:
        if len(e.limits) != 1 or len(e.limits[0]) != 3 or self.variable in e.free_symbols:
            raise NotDifferentiableError(f"{e} is no integral over one interval")
        v, lower, upper = e.limits[0]
        if v in self.parameters or v in self.at:
            raise NotDifferentiableError(f"{v} is a parameter, and bound in {e}")
        ends = self.form(lower), self.form(upper)
        inner = replace(self, variable=v, support=ends).form(e.function)
        compact = all(end.is_finite for end in ends)
        slopes = [sp.diff(inner, p) for p in self.parameters]
        if inner.has(*KINKED) or not compact or not all(bounded(f, v) for f in (inner, *slopes)):
            raise NotDifferentiableError(
                f"that {e} may be differentiated under the integral sign is not known"
            )
        return sp.Integral(inner, (v, *ends))

    def _analytic(self, e: sp.Expr, args: list[sp.Expr]) -> None:
        if isinstance(e, _ENTIRE):
            return
        if isinstance(e, sp.besseli | sp.besselj) and args[0].is_Integer:
            return
        if isinstance(e, sp.Pow):
            base, exponent = args
            if exponent.is_Integer and exponent > 0:
                return
            if exponent.is_Integer:
                self._nonzero(base, e)
                return
            needed: tuple[sp.Expr, ...] = (base,)
        elif type(e) in _NONZERO:
            self._nonzero(_NONZERO[type(e)](args[0]), e)
            return
        elif type(e) in _POSITIVE:
            needed = _POSITIVE[type(e)](*args)
        else:
            raise NotDifferentiableError(f"{type(e).__name__} in {e} is not known here to be differentiable")
        for part in needed:
            if self.everywhere(part) != 1:
                raise NotDifferentiableError(f"{part} in {e} is not known to be positive {self}")


def bounded(e: sp.Expr, y: sp.Symbol) -> bool:
    """Whether the way `e` is built shows that it is bounded for bounded y."""

    def away_from_zero(x: sp.Expr) -> bool:
        # What is positive because y is declared so may vanish with it.
        return bool(x.xreplace({y: sp.Dummy(real=True)}).is_positive)

    if y not in e.free_symbols or e == y or isinstance(e, sp.sign):
        return True
    if isinstance(e, sp.Pow) and not (
        e.exp.is_nonnegative or (away_from_zero(e.base) and y not in e.exp.free_symbols)
    ):
        return False
    if isinstance(e, sp.log):
        return away_from_zero(e.args[0]) and bounded(e.args[0], y)
    if isinstance(e, sp.Add | sp.Mul | sp.Pow | sp.exp | sp.sin | sp.cos | sp.erf | sp.erfc | sp.Abs):
        return all(bounded(a, y) for a in e.args)
    return False
