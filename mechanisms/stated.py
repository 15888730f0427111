"""Programs, functionals and queries as subjects: claims about them are settled by proof and by search, with nothing to draw."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import sympy as sp

from ..symbolic.claim import Scope
from ..symbolic.programs.functional.functional import Functional
from ..symbolic.programs.program import Program
from ..symbolic.sensitivity.query_over import DatasetQuery
from .mechanism import Subject

_LONGEST = 400  # letters of a formula that a page shows


class Stated(Subject):
    """A problem that was stated in formulas; nothing is sampled."""

    of_code: ClassVar[bool] = False  # whether there is code beside the formulas that answers, too

    def sample(self, index: Any, size: int, rng: np.random.Generator) -> Any:
        raise TypeError(
            f"{self.name} is a problem in formulas, not code: claims about it are settled by proof"
        )


class ProgramSubject(Stated):
    """A program and its name."""

    summary = "a program"

    def __init__(self, program: Program, name: str = "") -> None:
        self.program, self.name = program, name or "program"
        self.scope = Scope("no inputs: a program", program.domain.said())

    def parameters(self) -> dict[str, Any]:
        p = self.program
        return {
            "minimise" if p.sign == 1 else "maximise": shown(p.sign * p.objective),
            "over": [v.name for v in p.variables],
            "subject_to": [shown(getattr(c, "written", c)) for c in p.constraints],
            "parameters": [s.name for s in p.parameters],
        }


class FunctionalSubject(Stated):
    """A functional and its name."""

    summary = "a functional"

    def __init__(self, functional: Functional, name: str = "") -> None:
        self.functional, self.name = functional, name or "functional"
        self.scope = Scope(
            "no inputs: a functional", f"{functional.x} in ({functional.low}, {functional.high})"
        )

    def parameters(self) -> dict[str, Any]:
        f = self.functional
        return {
            "minimise" if f.sign == 1 else "maximise": shown(f.sign * f.written(f.integrand)),
            "unknown": str(f.unknown),
            "over": [str(f.x), sp.sstr(f.low), sp.sstr(f.high)],
            "subject_to": [f"{shown(f.written(c.integrand))} integrates to {c.value}" for c in f.constraints],
            "boundary": {sp.sstr(end): sp.sstr(value) for end, value in f.boundary},
        }


class QuerySubject(Stated):
    """A query over a domain and its name."""

    summary = "a query"

    def __init__(self, query: DatasetQuery, name: str = "") -> None:
        self.asked, self.name = query, name or "query"
        self.scope = Scope("neighbouring data sets of the domain", _described(query.domain))

    def parameters(self) -> dict[str, Any]:
        q = self.asked
        return {"query": shown(q.describe()), "domain": _described(q.domain), "n": q.n}


def _described(domain: Any) -> str:
    if isinstance(domain, list | tuple):
        return " x ".join(_described(part) for part in domain)
    return str(domain.describe()) if hasattr(domain, "describe") else str(domain)


def shown(formula: Any) -> str:
    """A formula as a page shows it, cut where it is long."""
    text = sp.sstr(formula) if isinstance(formula, sp.Basic) else str(formula)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
