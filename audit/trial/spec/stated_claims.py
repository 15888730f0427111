"""Claims of a spec about a problem in formulas: what they say stays a formula, in the names of the problem."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....mechanisms.stated import ProgramSubject
from ....symbolic.claim import Claim
from ....symbolic.errors import SpecError
from ....symbolic.predicates import ErrorBound, FisherInformation, Predicate
from ....symbolic.stated_optima import Minimiser, OptimalValue, SensitivityBound
from ..claimed_point import read_formula_of, read_point
from .models import SpecModel

# What is said of programs and queries, and the table that states one.
OF_PROBLEMS = {"minimiser": "program", "optimal-value": "program", "sensitivity-bound": "query"}
_OF_LAWS = ("fisher-information", "error-bound")


def stated_predicate(entry: Any, model: SpecModel) -> Predicate:
    """The predicate of a claim about the law, the program or the query of a spec; SpecError where it is said of none such."""
    if model.program is not None or model.query is not None:
        return _of_problem(entry, model)
    if entry.predicate not in _OF_LAWS:
        raise SpecError(
            f'a law can be said to have an information or an error bound: predicate = "fisher-information" or "error-bound", got {entry.predicate!r}',
            key="predicate",
        )
    try:
        if entry.predicate == "fisher-information":
            return FisherInformation(entry.value, of=entry.of, domains=entry.domains or {})
        weight = None if entry.weight is None else np.array(entry.weight, dtype=float)
        weight = np.diag(weight) if weight is not None and weight.ndim == 1 else weight
        domain = tuple(entry.domain) if entry.domain else None
        return ErrorBound(
            entry.value,
            entry.adversary,
            weight,
            domain,
            of=entry.of,
            domains=entry.domains or {},
            against=entry.against,
        )
    except ValueError as error:
        raise SpecError(str(error), key="value") from None


def _of_problem(entry: Any, model: SpecModel) -> Predicate:
    table = "program" if model.program is not None else "query"
    fitting = [name for name, home in OF_PROBLEMS.items() if home == table]
    if entry.predicate not in fitting:
        words = " or ".join(f'"{name}"' for name in fitting)
        raise SpecError(
            f"of a {table} one can claim: predicate = {words}, got {entry.predicate!r}", key="predicate"
        )
    try:
        if entry.predicate == "minimiser":
            return Minimiser(entry.point, entry.tolerance)
        if entry.predicate == "optimal-value":
            return OptimalValue(entry.value, entry.tolerance)
        assert model.query is not None
        norm = model.query.norm if entry.norm is None else entry.norm
        adjacency = model.query.adjacency if entry.adjacency is None else entry.adjacency
        return SensitivityBound(entry.value, norm, adjacency)
    except SpecError as error:
        raise error.within(key="point" if entry.predicate == "minimiser" else "value") from None


def check_fits(predicate: Predicate, subject: Any) -> None:
    """SpecError for a claim about a program in names that the program does not have, before any long work."""
    if not isinstance(subject, ProgramSubject):
        return
    if isinstance(predicate, Minimiser):
        _within("point", lambda: read_point(Claim(predicate, subject)))
    if isinstance(predicate, OptimalValue):
        names = {s.name: s for s in subject.program.parameters}
        _within("value", lambda: read_formula_of(predicate.value, names))


def _within(key: str, read: Any) -> None:
    try:
        read()
    except SpecError as error:
        raise error.within(key=key) from None
