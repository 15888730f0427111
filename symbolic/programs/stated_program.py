"""A program as it was stated: what is minimised, over which numbers, under which constraints, for which parameters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import sympy as sp

from ..errors import SpecError, came
from ..parameter_domain import ParameterDomain, ends_of
from .constraints import PSD, Constraint, Equation, Inequality, NormCone, exact, read_constraint
from .well_defined import check_defined, check_kind


@dataclass(frozen=True, init=False)
class StatedProgram:
    """min `objective` over `variables` subject to `constraints`, for all `parameters` in `domain`.

    `sign` is -1 where a maximum was asked for: `objective` is then minus what was stated.
    """

    objective: sp.Expr
    variables: tuple[sp.Symbol, ...]
    constraints: tuple[Constraint, ...]
    parameters: tuple[sp.Symbol, ...]
    domain: ParameterDomain
    sign: int

    def __init__(
        self,
        minimise: Any = None,
        over: Any = (),
        subject_to: Any = (),
        parameters: Any = (),
        *,
        domains: Mapping[str, Any] | None = None,
        maximise: Any = None,
    ) -> None:
        if (minimise is None) == (maximise is None):
            raise SpecError("a program has one objective: give minimise= or maximise=")
        sign = 1 if maximise is None else -1
        objective = exact(
            minimise if maximise is None else maximise, "minimise=" if sign == 1 else "maximise="
        )
        variables, names = _symbols(over, "over"), _symbols(parameters, "parameters", empty=True)
        for v in variables:
            check_kind(v)
        relations = [subject_to] if isinstance(subject_to, sp.Basic | NormCone | PSD) else subject_to
        if isinstance(relations, str) or not isinstance(relations, Iterable):
            raise SpecError(f"subject_to must be a list of relations, got {came(subject_to)}")
        constraints = tuple(read_constraint(relation) for relation in relations)
        for key, value in (
            ("objective", sign * objective),
            ("variables", variables),
            ("constraints", constraints),
            ("parameters", names),
            ("sign", sign),
        ):
            object.__setattr__(self, key, value)
        self._check_symbols()
        object.__setattr__(self, "domain", _domain(names, domains or {}))
        check_defined(self.expressions(), variables, self.domain)

    def _check_symbols(self) -> None:
        both = set(self.variables) & set(self.parameters)
        if both:
            raise SpecError(f"{_listed(both)} stands in over and in parameters: it is one or the other")
        known = {*self.variables, *self.parameters}
        free = {s for e in self.expressions() for s in e.free_symbols} - known
        if free:
            twins = {s.name for s in free} & {s.name for s in known}
            hint = (
                "; a symbol of that name with other assumptions is declared, and they are two symbols"
                if twins
                else ""
            )
            raise SpecError(f"{_listed(free)} is neither a variable in over nor a parameter{hint}")
        if any(e.has(sp.oo, -sp.oo, sp.zoo, sp.nan, sp.I) for e in self.expressions()):
            raise SpecError(
                "objective and constraints must be real and finite expressions, and oo, nan or I stands in one"
            )

    def expressions(self) -> tuple[sp.Expr, ...]:
        """All expressions of the program, the objective first."""
        return (self.objective, *(e for c in self.constraints for e in c.expressions()))

    @cached_property
    def inequalities(self) -> tuple[Inequality, ...]:
        """The constraints excess <= 0, in the order of the statement; norm cones and matrices are not among them."""
        return tuple(c for c in self.constraints if isinstance(c, Inequality))

    @cached_property
    def equations(self) -> tuple[Equation, ...]:
        """The constraints excess = 0, in the order of the statement."""
        return tuple(c for c in self.constraints if isinstance(c, Equation))

    @cached_property
    def cones(self) -> tuple[NormCone, ...]:
        return tuple(c for c in self.constraints if isinstance(c, NormCone))

    @cached_property
    def matrices(self) -> tuple[PSD, ...]:
        return tuple(c for c in self.constraints if isinstance(c, PSD))

    def point(self, values: Any) -> dict[sp.Symbol, sp.Expr]:
        """A point as an exact number for each variable; SpecError for one of another length or with other names."""
        if isinstance(values, Mapping):
            named = {str(key): value for key, value in values.items()}
            wanted = {v.name for v in self.variables}
            if set(named) != wanted:
                raise SpecError(
                    f"a point names {', '.join(sorted(wanted))}, got {', '.join(sorted(named)) or 'nothing'}"
                )
            values = [named[v.name] for v in self.variables]
        if isinstance(values, str) or not isinstance(values, Iterable):
            values = [values]
        numbers = list(values)
        if len(numbers) != len(self.variables):
            raise SpecError(
                f"a point has {len(self.variables)} numbers ({_listed(self.variables)}), got {len(numbers)}"
            )
        read = {
            v: exact(n.item() if hasattr(n, "item") else n, f"the value of {v}")
            for v, n in zip(self.variables, numbers, strict=True)
        }
        strange = {s for e in read.values() for s in e.free_symbols} - set(self.parameters)
        if strange:
            raise SpecError(f"a point is made of numbers and parameters, and {_listed(strange)} is neither")
        return read


def _symbols(given: Any, what: str, empty: bool = False) -> tuple[sp.Symbol, ...]:
    listed = [given] if isinstance(given, sp.Symbol) else given
    if isinstance(listed, str) or not isinstance(listed, Iterable):
        raise SpecError(f"{what} must be a list of sympy symbols, got {came(given)}")
    found = tuple(listed)
    for symbol in found:
        if not isinstance(symbol, sp.Symbol):
            raise SpecError(f"{what} must be a list of sympy symbols, and {symbol!r} is none")
        if symbol.is_extended_real is False:
            raise SpecError(f"{what}: {symbol} is declared not real")
    if len({s.name for s in found}) != len(found):
        raise SpecError(f"{what} names a symbol twice: {_listed(found)}")
    if not found and not empty:
        raise SpecError(f"{what} is empty: list the symbols, such as [x, y]")
    return found


def _domain(parameters: tuple[sp.Symbol, ...], domains: Mapping[str, Any]) -> ParameterDomain:
    try:
        return ParameterDomain.of(parameters, {str(k): ends_of(v, str(k)) for k, v in domains.items()})
    except ValueError as error:
        raise SpecError(str(error)) from error


def _listed(symbols: Iterable[sp.Symbol]) -> str:
    return ", ".join(s.name for s in symbols)
