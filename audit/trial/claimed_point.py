"""The point that a claim calls a minimiser, in the symbols of its problem."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy as sp

from ...mechanisms.stated import FunctionalSubject
from ...symbolic.claim import Claim
from ...symbolic.errors import SpecError
from ...symbolic.stated_formula import read_entry
from ...symbolic.stated_optima import Minimiser


def read_point(claim: Claim) -> Any:
    """The claimed point in the symbols of its subject; SpecError for names that it does not have."""
    predicate = claim.predicate
    assert isinstance(predicate, Minimiser)
    if isinstance(claim.subject, FunctionalSubject):
        f = claim.subject.functional
        names = {s.name: s for s in (f.x, *f.parameters)}
        if not isinstance(predicate.point, str):
            raise SpecError(
                f"the minimiser of a functional is one function of {f.x}, got {predicate.point!r}"
            )
        return f.candidate(read_formula_of(predicate.point, names))
    program = claim.subject.program
    names = {s.name: s for s in program.parameters}
    given = predicate.point
    if isinstance(given, Mapping):
        return program.point({name: read_formula_of(text, names) for name, text in given.items()})
    return program.point(
        [read_formula_of(text, names) for text in ([given] if isinstance(given, str) else given)]
    )


def read_formula_of(text: str, names: Mapping[str, sp.Expr]) -> sp.Expr:
    try:
        return read_entry(text, names)
    except ValueError as error:
        raise SpecError(str(error)) from None
