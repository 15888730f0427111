"""Objects that have the interface of a subject without being one, as subjects."""

from __future__ import annotations

from inspect import isroutine
from typing import Any

import numpy as np
import sympy as sp

from ..symbolic.errors import came
from ..symbolic.laws.joint import JointLaw
from ..symbolic.laws.law import Law
from ..symbolic.programs.functional.functional import Functional
from ..symbolic.programs.program import Program
from ..symbolic.sensitivity.query import Query
from ..symbolic.sensitivity.query_over import DatasetQuery
from .mechanism import Subject
from .model import Model
from .stated import FunctionalSubject, ProgramSubject, QuerySubject

_NEEDED = ("name", "summary", "deterministic", "parameters", "sample", "log_density", "neighbours")


class Adapted(Subject):
    """What `source` has of the interface is its own; the rest has the defaults of a subject."""

    def __init__(self, source: Any) -> None:
        self.source = source
        # A law is of use where its noise can be scaled, and the other way round.
        scaled = ("law", "with_noise_divided_by")
        without = () if all(hasattr(source, member) for member in scaled) else scaled
        for member in (*Subject.__annotations__, *vars(Subject)):
            if not member.startswith("_") and member not in without and hasattr(source, member):
                setattr(self, member, getattr(source, member))

    def sample(self, index: Any, size: int, rng: np.random.Generator) -> Any:
        return self.source.sample(index, size, rng)


def subject_of(value: Any) -> Subject | None:
    """The subject that `value` is, gives (as a search for neighbours does), or has the interface of; None if it has not."""
    if isinstance(value, Subject):
        return value
    if isinstance(value, type):
        return None
    if isinstance(value, Law | JointLaw):
        return Model(value)
    if isinstance(value, Program):
        return ProgramSubject(value)
    if isinstance(value, Functional):
        return FunctionalSubject(value)
    if isinstance(value, DatasetQuery):
        return QuerySubject(value)
    if all(hasattr(value, member) for member in _NEEDED):
        return Adapted(value)
    make = getattr(value, "subject", None)
    given = make() if callable(make) else None
    return given if isinstance(given, Subject) else None


def not_a_subject(value: Any) -> str:
    """The tail of a message about a value in the place of a subject."""
    wrap = ": wrap it, BlackBox(release, (x0, x1))" if isroutine(value) else ""
    if isinstance(value, sp.Expr | Query):
        wrap = ": say where its records lie, DatasetQuery(query, domain, records=[x1, x2])"
    return f"must be a Mechanism, a BlackBox, a Family, a Law, a Program, a Functional or a DatasetQuery, got {came(value)}{wrap}"
