"""From an upper bound and a pair of neighbours to an answer: the pair's distance is computed on the query itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

import sympy as sp

from ..domains.domain import Domain
from ..proof.as_written import applied, difference, power, product, quotient, root, total
from ..proof.derivation import Derivation, Step, evaluated
from ..proof.enclosure import compare, enclose
from ..proof.truth import Truth, all_hold
from .answer import Dataset, Sensitivity
from .changes import Change
from .query import Query

_SHOWN = 12  # records of a pair that a step shows one by one
_WRITTEN = 24  # entries up to which a norm is written out


@dataclass(frozen=True)
class Found:
    """What the structure of a query gives: an upper bound, exact, the steps of its proof, and pairs to try for the lower end."""

    upper: sp.Expr
    method: str
    steps: tuple[Step, ...]
    lemmas: tuple[str, ...]
    pairs: tuple[tuple[Dataset, Dataset], ...] = ()
    reason: str = ""
    local: Callable[[Dataset], sp.Expr] | None = field(default=None, compare=False)
    smooth: Callable[[Dataset, sp.Expr], sp.Expr] | None = field(default=None, compare=False)


def entries(value: Any) -> sp.Matrix:
    """A value of a query as a matrix: vectors are columns, numbers are 1 by 1."""
    if isinstance(value, sp.MatrixBase):
        return sp.Matrix(value)
    return sp.Matrix(list(value)) if isinstance(value, Sequence) else sp.Matrix([[value]])


def length(value: Any, norm: str) -> sp.Expr:
    """The norm of a number, vector or symmetric matrix, exact; of a matrix of rank above 2 in the spectral norm a lower bound."""
    matrix = entries(value)
    if norm == "l1":
        return sp.Add(*(abs(x) for x in matrix))
    if norm == "max":
        return _largest([abs(x) for x in matrix])
    squares = sp.Add(*(x**2 for x in matrix))
    if norm in ("l2", "frobenius"):
        return sp.sqrt(squares)
    return _spectral(matrix, squares)


def written_length(value: Any, norm: str) -> sp.Expr:
    """The same as it is computed from the entries that are not 0; evaluated where there are many of them."""
    parts = [x for x in entries(value) if x != 0]
    if not parts or len(parts) > _WRITTEN:
        return length(value, norm)
    sizes = [applied(sp.Abs, x) for x in parts]
    if norm == "l1":
        return total(*sizes)
    if norm == "max":
        return sp.Max(*sizes, evaluate=False) if len(set(sizes)) > 1 else sizes[0]
    squares = total(*(power(x, 2) for x in parts))
    if norm in ("l2", "frobenius"):
        return root(squares)
    matrix = entries(value)
    if matrix.rank() > 2:
        return length(value, norm)
    trace = matrix.trace()
    return quotient(total(applied(sp.Abs, trace), root(difference(product(2, squares), power(trace, 2)))), 2)


def written_distance(one: Iterable[sp.Expr], two: Iterable[sp.Expr], norm: str) -> sp.Expr:
    """The length of the difference of two values as it is computed from their entries, in any norm but the spectral one."""
    gaps = [difference(a, b) for a, b in zip(one, two, strict=True) if a != b]
    if not gaps or len(gaps) > _WRITTEN:
        return written_length([a - b for a, b in zip(one, two, strict=True)], norm)
    sizes = [applied(sp.Abs, gap) for gap in gaps]
    if norm == "l1":
        return total(*sizes)
    if norm == "max":
        return sp.Max(*sizes, evaluate=False) if len(set(sizes)) > 1 else sizes[0]
    return root(total(*(power(gap, 2) for gap in gaps)))


def _largest(values: list[sp.Expr]) -> sp.Expr:
    return max(values) if all(v.is_Rational for v in values) else sp.Max(*values)


def _spectral(matrix: sp.Matrix, squares: sp.Expr) -> sp.Expr:
    """The larger of two eigenvalues follows from trace and Frobenius length; beyond rank 2, |M v| / |v| at powers of M."""
    if matrix.rank() <= 2:
        trace = matrix.trace()
        return (abs(trace) + sp.sqrt(2 * squares - trace**2)) / 2
    vector = matrix * matrix[:, max(range(matrix.cols), key=lambda j: abs(matrix[j, j]))]
    for _ in range(3):
        vector = matrix * (matrix * vector)
    return sp.sqrt((matrix * vector).dot(matrix * vector) / vector.dot(vector))


def distance(query: Query, pair: tuple[Dataset, Dataset], norm: str) -> sp.Expr:
    """The distance of the answers to two data sets, exact."""
    return sp.sympify(length(entries(query(pair[0])) - entries(query(pair[1])), norm), strict=True)


def answered(query: Query, domain: Domain, norm: str, change: Change, found: Found) -> Sensitivity:
    """The answer of an upper bound and the best of its pairs; exact where both meet."""
    best, pair = _best(query, norm, [p for p in found.pairs if p[0] != p[1]])
    steps, exact, reason = list(found.steps), None, found.reason
    if pair is not None:

        def again(left: sp.Expr, right: sp.Expr) -> Truth:
            apart = distance(query, pair, norm)
            return all_hold(compare(apart, "=", side) for side in (left, right))

        values = [entries(query(data)) for data in pair]
        written = written_length(values[0] - values[1], norm)
        said = f"the pair D = {_records(pair[0])}, D' = {_records(pair[1])}"
        apart = written if norm == "spectral" else written_distance(values[0], values[1], norm)
        steps.append(Step(apart, "=", best, said, again))
        met = compare(best, "=", found.upper)
        if compare(best, ">", found.upper) is Truth.HOLDS:
            raise AssertionError(f"a pair is farther apart than the bound of {query.describe()}: {pair}")
        if met is Truth.HOLDS:
            exact = found.upper
            steps.append(Step(written, "=", found.upper, "the pair reaches the upper bound", evaluated))
    if found.upper == 0:
        exact = sp.Integer(0)
    if exact is None and not reason:
        reason = "no pair was found that reaches the upper end"
    derivation = Derivation(f"sensitivity of {query.describe()}", tuple(steps), found.lemmas)
    return Sensitivity(
        lower=None if pair is None else enclose(best),
        upper=enclose(found.upper),
        norm=norm,
        adjacency=change.name,
        domain=domain.describe(),
        method=found.method,
        derivation=derivation,
        exact=exact,
        attained_at=pair,
        reason=reason,
        of_dataset=found.local,
        smoothed=found.smooth,
    )


def _records(dataset: Dataset) -> str:
    """The records as a step shows them; what is repeated often stands there once, with its number."""
    runs = [(record, sum(1 for _ in same)) for record, same in groupby(dataset)]
    if len(dataset) <= _SHOWN or len(runs) > _SHOWN:
        return str(dataset)
    return " and ".join(f"{count:,} times {record}" for record, count in runs)


def _best(
    query: Query, norm: str, pairs: Sequence[tuple[Dataset, Dataset]]
) -> tuple[sp.Expr, tuple[Dataset, Dataset] | None]:
    best: sp.Expr = sp.Integer(0)
    chosen = None
    for pair in pairs:
        apart = distance(query, pair, norm)
        if chosen is None or compare(apart, ">", best) is Truth.HOLDS:
            best, chosen = apart, pair
    return best, chosen
