"""What a statement has to say so that it has a meaning: symbols of a kind that is understood, formulas that have values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import sympy as sp
from sympy.core.function import AppliedUndef

from ..errors import SpecError
from ..parameter_domain import ParameterDomain
from ..proof.defined import NEEDS, needs
from ..proof.enclosure import sign

_RIGHT = {"positive": (1,), "nonnegative": (0, 1), "nonzero": (-1, 1)}
_UNREAD = ("even", "odd", "prime", "composite", "noninteger", "irrational", "transcendental", "zero")


def check_kind(v: sp.Symbol) -> None:
    """SpecError for a variable whose assumptions say more than the reals, signs and whole numbers that a program knows."""
    said = [k for k in _UNREAD if getattr(v, f"is_{k}")]
    said += ["rational"] if v.is_rational and not v.is_integer else []
    said += ["algebraic"] if v.is_algebraic and not v.is_rational else []
    half = v.is_real is None and any(
        getattr(v, f"is_extended_{k}") is not None
        for k in ("positive", "negative", "nonnegative", "nonpositive")
    )
    if said or half:
        word = said[0] if said else "an extended real number of one sign"
        raise SpecError(
            f"{v} is declared {word}: a variable is real, integer, positive, negative, nonnegative, nonpositive or nonzero"
        )


def check_defined(
    expressions: Iterable[sp.Expr], variables: Sequence[sp.Symbol], domain: ParameterDomain
) -> None:
    """SpecError for a function whose domain is not known here, and where a formula of the parameters has no value at one of them."""
    plain = {v: sp.Dummy(v.name, real=True) for v in variables}
    for e in expressions:
        unnamed = e.atoms(AppliedUndef)
        if unnamed:
            raise SpecError(
                f"{min(map(str, unnamed))} stands for no known function: a program is made of known ones"
            )
        for term, need in needs(e.xreplace(plain)):
            if need not in NEEDS:
                back = {d: v for v, d in plain.items()}
                raise SpecError(f"{term.xreplace(back)} in a program: {_readable(need, back)}")
            if not term.free_symbols & set(plain.values()):
                _check_parameters(term, need, domain)


def _readable(need: str, back: dict[sp.Symbol, sp.Symbol]) -> str:
    for d, v in back.items():
        need = need.replace(str(d), str(v))
    return need


def _check_parameters(term: sp.Expr, need: str, domain: ParameterDomain) -> None:
    for at in domain.points():
        found = sign(term, at)
        if found is not None and found not in _RIGHT[need]:
            names = ", ".join(f"{s} = {v}" for s, v in at.items())
            raise SpecError(
                f"{term} must be {NEEDS[need]} for all parameters {domain.said()}, and it is not at {names}: "
                "declare the symbols positive, or give domains="
            )
