"""The convex set on which a program is looked at: its natural domain and the bounds of single variables; signs that hold on all of it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import sympy as sp

from ..parameter_domain import ParameterDomain
from ..proof.defined import NEEDS, is_known, needs
from ..proof.enclosure import NotEnclosableError, enclose
from ..proof.nonnegative import nonnegative
from ..proof.truth import Truth
from .constraints import Inequality
from .natural_domain import all_constraints, natural_domain
from .quadratic import never_negative
from .stated_program import StatedProgram

Point = dict[sp.Symbol, sp.Expr]
_SEED, _LARGEST = 20_261, 6


@dataclass(frozen=True)
class Region:
    """`variables` between `lower` and `upper` ends (closed, in parameters), where everything in `positive` is above zero."""

    variables: tuple[sp.Symbol, ...]
    domain: ParameterDomain
    lower: dict[sp.Symbol, sp.Expr]
    upper: dict[sp.Symbol, sp.Expr]
    positive: tuple[sp.Expr, ...]
    nonzero: tuple[sp.Expr, ...] = ()

    def known(self, e: sp.Expr, need: str) -> bool:
        """Whether the expression is "positive", "nonnegative" or "nonzero" on the whole region, proved."""
        if need == "nonnegative" and never_negative(e, self.variables):
            return True
        for form, where in self._forms(e):
            if is_known(form, need, where):
                return True
            if need == "nonnegative" and nonnegative(sp.factor(form)) is Truth.HOLDS:
                return True
        return False

    def _forms(self, e: sp.Expr) -> Iterator[tuple[sp.Expr, tuple[sp.Expr, ...]]]:
        """The expression on sets that hold the region, each written in symbols whose assumptions say where they lie."""
        for sides in (("lower", "upper"), ("upper", "lower")):
            moved = {}
            for v in self.variables:
                bound = next(
                    ((side, getattr(self, side)[v]) for side in sides if v in getattr(self, side)), None
                )
                if bound is None:
                    kind = {"positive": True} if v in self.positive else {"real": True}
                    moved[v] = sp.Dummy(v.name, **kind)
                    moved[v] = -sp.Dummy(v.name, positive=True) if -v in self.positive else moved[v]
                else:
                    u = sp.Dummy(v.name, **{"positive" if self._strict(v, *bound) else "nonnegative": True})
                    moved[v] = bound[1] + u if bound[0] == "lower" else bound[1] - u
            everything = sp.Tuple(e, *self.positive).subs(moved, simultaneous=True)
            form, *where = self.domain.inside(everything)
            yield form, tuple(w for w in where if not w.is_positive)
            if not any(self.lower.keys() & self.upper.keys()):
                return

    def _strict(self, v: sp.Symbol, side: str, end: sp.Expr) -> bool:
        """Whether the natural domain keeps a variable off its end."""
        return (v - end if side == "lower" else end - v) in self.positive

    def points(self, count: int) -> Iterator[Point]:
        """Rational points of the region with parameters of the domain, spread at random from a fixed seed."""
        rng = random.Random(_SEED)
        parameters = list(islice(self.domain.points(), 12)) or [{}]
        for k in range(20 * count):
            at: Point = dict(parameters[0 if k < count // 3 else rng.randrange(len(parameters))])
            size = rng.choice((sp.Rational(1, 16), 1, 1, 2, _LARGEST, 40))
            for v in self.variables:
                at[v] = self._coordinate(v, at, rng, size)
            if self.contains(at):
                yield at
                count -= 1
            if count <= 0:
                return

    def _coordinate(self, v: sp.Symbol, at: Point, rng: random.Random, size: sp.Rational) -> sp.Expr:
        share = sp.Rational(rng.randint(0, 64), 64)
        low, high = (ends[v].subs(at) if v in ends else None for ends in (self.lower, self.upper))
        if low is not None and high is not None:
            return low + (high - low) * share
        if low is not None or v in self.positive:
            return (low or sp.Integer(0)) + size * (share + sp.Rational(1, 128))
        if high is not None or -v in self.positive:
            return (high or sp.Integer(0)) - size * (share + sp.Rational(1, 128))
        return size * (2 * share - 1)

    def contains(self, at: Point) -> bool:
        """Whether a point with its parameters lies in the region for certain."""
        try:
            strict = all(enclose(e, at) > 0 for e in self.positive)
            above = all(enclose(at[v] - e, at) >= 0 for v, e in self.lower.items())
            return strict and above and all(enclose(e - at[v], at) >= 0 for v, e in self.upper.items())
        except (NotEnclosableError, ZeroDivisionError):
            return False

    def said(self) -> str:
        """In words; empty for the whole space."""
        rows = [f"{e} > 0" for e in self.positive]
        rows += [f"{v} >= {e}" for v, e in self.lower.items() if v - e not in self.positive]
        rows += [f"{v} <= {e}" for v, e in self.upper.items() if e - v not in self.positive]
        return ", ".join(rows)


def region_of(program: StatedProgram, border: bool = False) -> Region:
    """Natural domain and bounds of single variables: the tightest of several, or the first where parameters decide which that is.

    What is only at least zero, such as the argument of a root, is written as positive: if it is concave and positive somewhere, a
    continuous function that is convex there is so on the border too.  With `border` it is left out instead.
    """
    natural = natural_domain(program)
    lower: dict[sp.Symbol, sp.Expr] = {}
    upper: dict[sp.Symbol, sp.Expr] = {}
    for c in all_constraints(program):
        if isinstance(c, Inequality):
            _add_bound(c.excess, program.variables, lower, upper, program.domain)
    bounds = Region(program.variables, program.domain, lower, upper, ())
    apart = tuple(e for e in natural.nonzero if bounds.known(e, "nonnegative"))
    where = dict.fromkeys((*natural.positive, *(() if border else natural.nonnegative), *apart))
    for e in list(where):
        # what the bounds and the other conditions show already is no condition
        others = tuple(w for w in where if w != e)
        if Region(program.variables, program.domain, lower, upper, others).known(e, "positive"):
            where.pop(e)
    return Region(
        program.variables,
        program.domain,
        lower,
        upper,
        tuple(where),
        tuple(e for e in natural.nonzero if e not in apart),
    )


def rough(program: StatedProgram) -> str:
    """What has no derivative at a place that the constraints are not known to exclude, in words; empty if everything has one."""
    region = region_of(program, border=True)
    plain = {v: sp.Dummy(v.name, real=True) for v in program.variables}
    back = {d: v for v, d in plain.items()}
    for e in (e.xreplace(plain) for e in program.expressions()):
        own = needs(e)
        for d in plain.values():
            for term, need in needs(sp.diff(e, d)):
                if (term, need) not in own and not (
                    need in NEEDS and region.known(term.xreplace(back), need)
                ):
                    return f"{e.xreplace(back)} may have no derivative where {term.xreplace(back)} = 0"
    return ""


def _add_bound(
    excess: sp.Expr,
    variables: tuple[sp.Symbol, ...],
    lower: dict[sp.Symbol, sp.Expr],
    upper: dict[sp.Symbol, sp.Expr],
    domain: ParameterDomain,
) -> None:
    """excess = a v + b <= 0 with a of known sign bounds v by -b/a."""
    own = excess.free_symbols & set(variables)
    if len(own) != 1:
        return
    (v,) = own
    slope = sp.diff(excess, v)
    if slope.free_symbols & own:
        return
    end = sp.cancel(v - excess / slope)
    inner = domain.inside(slope)
    if inner.is_positive:
        known = upper.get(v, end)
        upper[v] = end if domain.inside(known - end).is_nonnegative else known
    elif inner.is_negative:
        known = lower.get(v, end)
        lower[v] = end if domain.inside(end - known).is_nonnegative else known
