"""What can be said of a query and of a program: a bound on a sensitivity, a minimiser, an optimal value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, is_dataclass
from typing import Any

import numpy as np
import sympy as sp

from .domains.adjacency import AddOrRemove, Adjacency, AnyTwo, Distance, Person, ReplaceOne
from .errors import SpecError, came, nearest_name
from .predicates import Predicate
from .proof.enclosure import NotEnclosableError, rational, sign
from .proof.expressions import ExpressionError
from .stated_formula import read_entry

NORMS = ("l1", "l2", "max", "frobenius", "spectral")
_LONGEST = 4_000  # letters of one formula
_KINDS: dict[str, type[Adjacency]] = {
    kind.name: kind for kind in (ReplaceOne, AddOrRemove, Person, AnyTwo, Distance)
}


def formula_text(value: Any, what: str) -> str:
    """A number or formula as it is recorded: exact, decimals as they were written; SpecError for anything else."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, str):
        if not 0 < len(value.strip()) <= _LONGEST:
            raise SpecError(f"{what}: expected a formula of 1 to {_LONGEST:,} letters, got {len(value):,}")
        return value.strip()
    if isinstance(value, sp.Expr):
        return str(sp.sstr(value.xreplace({f: rational(float(f)) for f in value.atoms(sp.Float)})))
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or value != value
        or abs(value) == float("inf")
    ):
        raise SpecError(f"{what}: expected a finite number or a formula, got {came(value)} {value!r:.60}")
    return str(sp.sstr(rational(value)))


def read_number(value: Any, what: str) -> sp.Expr:
    """A constant, exact; SpecError for what is none."""
    text = formula_text(value, what)
    try:
        number = read_entry(text, {})
        if number.is_extended_real and number.is_finite is not False and sign(number) is not None:
            return number
    except (ExpressionError, NotEnclosableError, ValueError) as error:
        raise SpecError(f"{what}: {error}") from None
    raise SpecError(f"{what}: expected a finite real number, got {text[:60]}")


def adjacency_record(given: Any) -> Any:
    """An adjacency as plain data: its name, or with its numbers; SpecError for what is none."""
    if isinstance(given, type) and issubclass(given, Adjacency):
        raise SpecError(f"adjacency must be an object, {given.__name__}(...), got the class")
    if isinstance(given, Adjacency) and is_dataclass(given):
        numbers = asdict(given)
        return {"name": given.name, **numbers} if numbers else given.name
    if isinstance(given, Mapping):
        return adjacency_record(adjacency_of(given))
    if not isinstance(given, str) or given not in _KINDS:
        raise SpecError(f"unknown adjacency {given!r}; {nearest_name(str(given), _KINDS)}")
    adjacency_of(given)
    return given


def adjacency_of(record: Any) -> Adjacency:
    """The adjacency of a record; SpecError where numbers are missing or strange."""
    named = dict(record) if isinstance(record, Mapping) else {"name": record}
    name = named.pop("name", None)
    if name not in _KINDS:
        raise SpecError(f"unknown adjacency {name!r}; {nearest_name(str(name), _KINDS)}")
    try:
        return _KINDS[name](**named)
    except TypeError as error:
        raise SpecError(f"adjacency {name}: {str(error).partition(') ')[2] or error}") from None


@dataclass(frozen=True)
class SensitivityBound(Predicate):
    """The predicate: no two neighbours' answers are further apart than `value` in the norm. Its subject is a DatasetQuery.

    `norm` is "l1", "l2" or "max", of matrices "frobenius", "spectral" or "max"; `adjacency` a name or an object such as
    npf.Distance(1). SpecError for a value that is no number >= 0, and a norm or an adjacency that is unknown.

    >>> x = sp.Symbol("x")
    >>> total = npf.DatasetQuery(x, npf.Box(0, 3), records=[x], each="sum", n=10)
    >>> npf.examine(total, npf.Claim(npf.SensitivityBound(3, "l1"), about="law")).verdict
    Verdict.PROVED
    """

    value: Any
    norm: str = ""
    adjacency: Any = "replace-one"

    def __post_init__(self) -> None:
        if self.norm not in NORMS:
            raise SpecError(f"norm must be one of {', '.join(NORMS)}, got {self.norm!r}")
        if sign(self.number) == -1:
            raise SpecError(f"a sensitivity is a number >= 0, got {self.value!r}")
        object.__setattr__(self, "value", formula_text(self.value, "a sensitivity"))
        object.__setattr__(self, "adjacency", adjacency_record(self.adjacency))

    @property
    def number(self) -> sp.Expr:
        """The bound, exact."""
        return read_number(self.value, "a sensitivity")

    @property
    def relation(self) -> Adjacency:
        """Which data sets are neighbours."""
        return adjacency_of(self.adjacency)

    def sentence(self) -> str:
        between = self.relation.sentence()
        return f"the answers to {between} are at most {self.value} apart in the {self.norm} norm"

    def parameters(self) -> dict[str, Any]:
        return {"value": self.value, "norm": self.norm, "adjacency": self.adjacency}

    def _repr_latex_(self) -> str:
        return f"$\\Delta \\le {sp.latex(self.number)}$"


@dataclass(frozen=True)
class _WithTolerance(Predicate):
    """What is said up to a tolerance, 0 where none is given."""

    def _keep_tolerance(self, given: Any) -> None:
        number = read_number(given, "tolerance")
        if sign(number) == -1:
            raise SpecError(f"tolerance must be a number >= 0, got {given!r}")
        object.__setattr__(self, "tolerance", formula_text(given, "tolerance"))


@dataclass(frozen=True)
class Minimiser(_WithTolerance):
    """The predicate: `point` is optimal in a program; no feasible point has a better value by more than `tolerance`.

    `point` is a number, a list in the order of the program's variables, or a mapping of their names; entries may be formulas in
    the parameters, as sympy expressions or text. Of a functional it is a function of its variable. SpecError, when it meets the
    program, for a point that cannot be read.

    >>> x, t = sp.symbols("x t", real=True)
    >>> nearest = npf.Program(minimise=(x - t) ** 2, over=[x], subject_to=[x >= 0], parameters=[t])
    >>> npf.examine(nearest, npf.Claim(npf.Minimiser({"x": "max(0, t)"}), about="law")).verdict
    Verdict.PROVED
    """

    point: Any
    tolerance: Any = 0

    def __post_init__(self) -> None:
        given = self.point
        if isinstance(given, Mapping):
            kept: Any = {str(k): formula_text(v, f"the value of {k}") for k, v in given.items()}
        elif isinstance(given, Iterable) and not isinstance(given, str):
            kept = [formula_text(v, "an entry of the point") for v in given]
        else:
            kept = formula_text(given, "the point")
        if not kept:
            raise SpecError("a point has at least one number, got none")
        object.__setattr__(self, "point", kept)
        self._keep_tolerance(self.tolerance)

    def sentence(self) -> str:
        if isinstance(self.point, Mapping):
            shown = ", ".join(f"{name} = {text}" for name, text in self.point.items())
        else:
            shown = self.point if isinstance(self.point, str) else f"({', '.join(self.point)})"
        near = "" if self.tolerance == "0" else f" up to {self.tolerance} in value"
        return f"{shown} is optimal{near}"

    def parameters(self) -> dict[str, Any]:
        return {"point": self.point, "tolerance": self.tolerance}


@dataclass(frozen=True)
class OptimalValue(_WithTolerance):
    """The predicate: the optimum of a program or of a functional is `value`, up to `tolerance`.

    A formula in the parameters is one for all of them, as a sympy expression or text. SpecError, when it meets the program, for one
    that cannot be read.

    >>> x, t = sp.symbols("x t", real=True)
    >>> nearest = npf.Program(minimise=(x - t) ** 2, over=[x], subject_to=[x >= 0], parameters=[t])
    >>> npf.examine(nearest, npf.Claim(npf.OptimalValue("min(0, t)**2"), about="law")).verdict
    Verdict.PROVED
    """

    value: Any
    tolerance: Any = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", formula_text(self.value, "an optimal value"))
        self._keep_tolerance(self.tolerance)

    def sentence(self) -> str:
        near = "" if self.tolerance == "0" else f", up to {self.tolerance}"
        return f"the optimal value is {self.value}{near}"

    def parameters(self) -> dict[str, Any]:
        return {"value": self.value, "tolerance": self.tolerance}
