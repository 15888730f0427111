"""A functional as it was stated: an integral of x, u(x) and u'(x), integral constraints, values at the ends."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from ...errors import SpecError, came
from ...parameter_domain import end_of, sign_of
from ..constraints import exact


@dataclass(frozen=True)
class IntegralConstraint:
    """The integral of `integrand`, in x, u and u', equals `value`."""

    integrand: sp.Expr
    value: sp.Expr


@dataclass(frozen=True, init=False)
class StatedFunctional:
    """The least integral of `integrand` over [low, high], among functions u with the values `boundary` at the ends named.

    Inside, `x` (real), `u` and `slope` stand for the variable, the function and its derivative.  `density` means u > 0 in
    the open interval and mass one; `positive` the first alone.  `sign` is -1 where a maximum was asked for.
    """

    integrand: sp.Expr
    unknown: AppliedUndef
    x: sp.Symbol
    u: sp.Symbol
    slope: sp.Symbol
    low: sp.Expr
    high: sp.Expr
    constraints: tuple[IntegralConstraint, ...]
    boundary: tuple[tuple[sp.Expr, sp.Expr], ...]
    density: bool
    positive: bool
    sign: int

    def __init__(
        self,
        minimise: Any = None,
        unknown: Any = None,
        over: Any = None,
        subject_to: Any = (),
        *,
        boundary: Mapping[Any, Any] | None = None,
        density: bool = False,
        positive: bool = False,
        maximise: Any = None,
    ) -> None:
        if (minimise is None) == (maximise is None):
            raise SpecError("a functional has one objective: give minimise= or maximise=")
        sign = 1 if maximise is None else -1
        if not isinstance(unknown, AppliedUndef) or len(unknown.args) != 1 or not unknown.args[0].is_Symbol:
            raise SpecError(f"unknown must be a function of one symbol, such as u(x), got {unknown!r}")
        given, low, high = _interval(over, unknown)
        x = sp.Symbol(given.name, real=True)
        u = sp.Symbol(
            unknown.func.__name__, **({"positive": True} if density or positive else {"real": True})
        )
        slope = sp.Symbol(f"{u.name}'", real=True)
        for key, value in (
            ("unknown", unknown),
            ("x", x),
            ("u", u),
            ("slope", slope),
            ("low", low),
            ("high", high),
            ("density", density),
            ("positive", density or positive),
            ("sign", sign),
        ):
            object.__setattr__(self, key, value)
        stated = minimise if maximise is None else maximise
        object.__setattr__(
            self, "integrand", sign * self._read(stated, "minimise=" if sign == 1 else "maximise=")
        )
        object.__setattr__(self, "constraints", tuple(self._constraints(subject_to)))
        object.__setattr__(self, "boundary", tuple(self._boundary(boundary or {})))

    @property
    def parameters(self) -> tuple[sp.Symbol, ...]:
        """What else stands in the statement, by name."""
        parts = [self.integrand, self.low, self.high]
        parts += [e for c in self.constraints for e in (c.integrand, c.value)] + [v for _, v in self.boundary]
        free = {s for e in parts for s in e.free_symbols} - {self.x, self.u, self.slope}
        return tuple(sorted(free, key=lambda s: s.name))

    def fixed(self, end: sp.Expr) -> sp.Expr | None:
        """The value that is prescribed at this end, None where the end is free."""
        return dict(self.boundary).get(end)

    def at(self, expression: sp.Expr, function: sp.Expr) -> sp.Expr:
        """An expression in x, u and u' for this function of x."""
        return expression.subs({self.slope: sp.diff(function, self.x), self.u: function}, simultaneous=True)

    def written(self, expression: sp.Expr) -> sp.Expr:
        """An expression in x, u and u' in the function that the user named."""
        given = self.unknown.args[0]
        named = {self.slope: sp.Derivative(self.unknown, given), self.u: self.unknown, self.x: given}
        return expression.xreplace(named)

    def candidate(self, function: Any) -> sp.Expr:
        """A function of x as an expression in the inner symbol; SpecError for one that has other symbols."""
        read = exact(function, "the candidate").xreplace({self.unknown.args[0]: self.x})
        if read.has(sp.nan, sp.oo, -sp.oo, sp.zoo, sp.I):
            raise SpecError(
                f"the candidate must have real and finite values, and nan, oo or I stands in {read}"
            )
        strange = read.free_symbols - {self.x, *self.parameters}
        if strange:
            names = ", ".join(sorted(s.name for s in strange))
            raise SpecError(
                f"the candidate is a function of {self.x} and the parameters of the functional; {names} is neither"
            )
        return read

    def _read(self, expression: Any, what: str) -> sp.Expr:
        read = exact(expression, what)
        given = self.unknown.args[0]
        for twin in sorted(s.name for s in read.free_symbols - {given}):
            if twin in (given.name, self.u.name):
                raise SpecError(
                    f"{what}: {twin} names a parameter and what the functional is about: call one of them otherwise"
                )
        derivatives = {d for d in read.atoms(sp.Derivative) if d.expr == self.unknown}
        if any(d.derivative_count > 1 for d in derivatives):
            raise SpecError(
                f"{what} has a derivative of higher order than the first: only u and u' may stand in it"
            )
        inner = read.xreplace(dict.fromkeys(derivatives, self.slope)).xreplace({self.unknown: self.u})
        if inner.has(AppliedUndef, sp.Derivative, sp.Integral):
            raise SpecError(
                f"{what} must be an expression in {given}, {self.unknown} and its derivative, got {read}"
            )
        return inner.xreplace({given: self.x})

    def _constraints(self, given: Any) -> Iterable[IntegralConstraint]:
        if self.density:
            yield IntegralConstraint(self.u, sp.Integer(1))
        relations = [given] if isinstance(given, sp.Basic) else given
        if isinstance(relations, str) or not isinstance(relations, Iterable):
            raise SpecError(f"subject_to must be a list of equations, got {came(given)}")
        for relation in relations:
            if not isinstance(relation, sp.Eq) or not isinstance(relation.lhs, sp.Integral):
                raise SpecError(
                    f"expected sp.Eq(sp.Integral(..., ({self.x}, low, high)), value), got {relation}"
                )
            (limits,) = relation.lhs.limits if len(relation.lhs.limits) == 1 else ((),)
            if tuple(limits) != (self.unknown.args[0], self.low, self.high):
                raise SpecError(
                    f"{relation}: an integral constraint runs over ({self.x}, {self.low}, {self.high})"
                )
            read = IntegralConstraint(
                self._read(relation.lhs.function, "subject_to"), exact(relation.rhs, "subject_to")
            )
            if not read.integrand.has(self.u, self.slope):
                raise SpecError(f"{relation} does not speak of {self.unknown}")
            if IntegralConstraint(self.u, sp.Integer(1)) != read or not self.density:
                yield read

    def _boundary(self, given: Mapping[Any, Any]) -> Iterable[tuple[sp.Expr, sp.Expr]]:
        for end, value in given.items():
            read = end_of(end, f"boundary of {self.x}")
            if read not in (self.low, self.high) or read.is_infinite:
                raise SpecError(f"boundary: {end} is no finite end of ({self.low}, {self.high})")
            yield read, exact(value, f"the value at {end}")


def _interval(over: Any, unknown: AppliedUndef) -> tuple[sp.Symbol, sp.Expr, sp.Expr]:
    if isinstance(over, str) or not isinstance(over, Iterable) or len(ends := tuple(over)) != 3:
        raise SpecError(f"over must be ({unknown.args[0]}, low, high), got {over!r}")
    if ends[0] != unknown.args[0]:
        raise SpecError(f"over names {ends[0]} and the unknown is {unknown}: they must be of one symbol")
    try:
        low, high = (end_of(end, str(ends[0])) for end in ends[1:])
    except ValueError as error:
        raise SpecError(str(error)) from error
    if sign_of(high - low) != 1:
        raise SpecError(f"over begins at {low} and ends at {high}: give the lower end first")
    return ends[0], low, high
