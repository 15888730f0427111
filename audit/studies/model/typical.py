"""Values of the parameters for numbers and figures: those that were given, one inside of the domain for each of the others."""

from __future__ import annotations

from collections.abc import Mapping

import sympy as sp

from ....symbolic.errors import SpecError
from ....symbolic.laws.lawful_at import require_lawful
from ....symbolic.proof.apart import UnfinishedError, apart
from ...trial.spec.model_file import HasParameters, ModelFile, value_in_domain


def values_of(
    model: HasParameters, given: Mapping[str, str | int | float], key: str = ""
) -> dict[sp.Symbol, sp.Expr]:
    """A value for each parameter; SpecError, at `key`, for one outside of its domain.

    Those that are not given differ from each other: a formula may be simpler than usual where two are equal.
    """
    at: dict[sp.Symbol, sp.Expr] = {}
    for number, (name, symbol) in enumerate(model.parameters.items()):
        if name in given:
            at[symbol] = value_in_domain(model, name, given[name], key or f"derive.at.{name}")
        else:
            at[symbol] = _inside(*model.domains[name], number, name in model.integers)
    return at


def require_law(model: ModelFile, at: Mapping[sp.Symbol, sp.Expr]) -> None:
    """SpecError where there is certainly no law at these values."""
    try:
        apart(lambda: require_lawful(model.law, at), "the law at these values")
    except UnfinishedError:
        return
    except ValueError as error:
        shown = ", ".join(f"{s} = {v}" for s, v in at.items())
        raise SpecError(
            f"there is no law at {shown}: {error}; give values at which there is one",
            key="derive.at",
            file=model.file,
        ) from None


def _inside(lower: sp.Expr, upper: sp.Expr, number: int, whole: bool) -> sp.Expr:
    step = sp.Rational(2 + number, 2)
    if lower.is_finite and upper.is_finite:
        inner = lower + (upper - lower) * sp.Rational(3, 10 + number)
    elif lower.is_finite:
        inner = lower + step
    elif upper.is_finite:
        inner = upper - step
    else:
        inner = sp.Rational(number, 2)
    return sp.ceiling(inner) if whole else inner
