"""`sensitivity`: how far the answer of a query moves between neighbouring data sets, for formulas and for queries by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from numbers import Integral
from typing import Any

import numpy as np
import sympy as sp
from flint import ctx

from ..domains.adjacency import Adjacency, AnyTwo, Distance
from ..domains.domain import Domain
from ..errors import SpecError, came, nearest_name
from ..proof import intervals as iv
from ..proof.apart import at_once, net_of
from ..proof.branch_and_bound import BITS
from ..proof.enclosure import NotEnclosableError, rational
from ..proof.interval_tape import Tape
from ..proof.work import read_effort, spent, units_of
from .answer import Sensitivity
from .declared import check_declared
from .exchanges import differing_places, probe
from .farthest import MATRIX, VECTOR, Vector
from .moves import StatedQuery, moves
from .of_expressions import Question, answered
from .query import Query
from .regions import Region, region_of
from .shapes import interval_box

NAMES = ("replace-one", "add-or-remove", "any-two")
_PROBES = 24


def sensitivity(
    query: Any,
    domain: Any,
    *,
    records: Sequence[Any] | None = None,
    norm: str,
    adjacency: str | Adjacency = "replace-one",
    each: str | None = None,
    n: int | None = None,
    ordered: bool = False,
    tolerance: float = 1e-6,
    effort: float = 1,
) -> Sensitivity:
    """The sensitivity of a query, enclosed from both sides: lower <= sup ||f(D) - f(D')|| <= upper over neighbours D, D'.

    `query` is a sympy expression, a list of them or a Matrix in the symbols of `records`, [x1, x2] or [(x1, y1), (x2, y2)];
    or one record's expression, summed or averaged over data sets of `n` records by each="sum" or each="mean" (of the
    smaller data set, where neighbours differ in size); or one of `noiseproof.queries`. `domain` is where each record lies:
    a Domain, a sympy Interval (open or infinite ends are welcome), or a list of these in the order of a record's symbols.
    `norm` is "l1", "l2" or "max", of matrices "frobenius", "spectral" or "max" (of the entries). `adjacency` is
    "replace-one", "add-or-remove", "any-two" or an Adjacency. A query that changes when records are exchanged is refused
    unless `ordered` says that this is meant: then neighbours differ at any one place. `tolerance` is the relative distance of
    the two ends that is sought. SpecError, before any long work, for what cannot be meant; `effort` is the work that
    may be spent, 2 for twice the usual. What could not be proved is in `reason`. Source of the term: Dwork et al. 2006.

    >>> x = sp.Symbol("x")
    >>> npf.sensitivity(x, npf.Box(0, 50), records=[x], norm="l1", each="mean", n=100).exact
    1/2
    >>> npf.sensitivity(npf.queries.median(), npf.Box(0, 50), norm="l1", n=9).exact
    50
    """
    effort = _check_numbers(tolerance, effort, n)
    n, tolerance = None if n is None else int(n), float(tolerance)
    if isinstance(query, Query):
        if records is not None or each is not None:
            raise SpecError("a query by name reads the records itself: leave records= and each= out")
        with net_of(effort):
            return query.answer(domain, norm, adjacency, n=n, effort=effort)
    stated = stated_query(query, domain, records, each, n)
    _check_norm(norm, stated.vector)
    _check_adjacency(adjacency, domain)
    deadline = spent() + units_of(effort)
    asked = tuple(moves(stated, adjacency, differing_places(stated, ordered)))
    _check_defined(stated)
    question = Question(stated, asked, norm, adjacency, tolerance, deadline, effort)
    return at_once(partial(answered, question), effort)


def _check_numbers(tolerance: float, effort: Any, n: Any) -> float:
    if not 0 < tolerance < 1:
        raise SpecError(f"tolerance must lie in (0, 1), got {tolerance!r}")
    if n is not None and (isinstance(n, bool) or not isinstance(n, Integral) or n < 1):
        raise SpecError(f"n must be a whole number of records >= 1, got {n!r}")
    return read_effort(effort)


def _check_norm(norm: Any, vector: Vector) -> None:
    allowed = VECTOR if vector.shape is None else MATRIX
    if norm not in allowed:
        what = "a matrix" if vector.shape is not None else "a number or a vector"
        raise SpecError(f"unknown norm of {what}, {norm!r}; {nearest_name(str(norm), allowed)}")


def _check_adjacency(adjacency: Any, domain: Any) -> None:
    if isinstance(adjacency, str):
        if adjacency not in NAMES:
            raise SpecError(
                f"unknown relation {adjacency!r}; {nearest_name(adjacency, NAMES)}", key="adjacency"
            )
    elif not isinstance(adjacency, Adjacency):
        raise SpecError(f"expected the name of a relation or an Adjacency, got {came(adjacency)}")
    elif isinstance(domain, Domain) and isinstance(adjacency, Distance | AnyTwo):
        adjacency.check(domain)


def stated_query(query: Any, domain: Any, records: Any, each: Any, n: int | None) -> StatedQuery:
    """The query in real symbols and exact numbers."""
    entries, shape = _entries(query)
    groups, bare = _records(records, entries)
    if each not in (None, "sum", "mean"):
        raise SpecError(f'each must be "sum" or "mean", got {each!r}')
    if each is not None and len(groups) != 1:
        raise SpecError(
            f'each="{each}" takes the expression of one record: give its symbols alone, records=[x] or [(x, y)]'
        )
    if each is None and n is not None and n != len(groups):
        raise SpecError(
            f'the expression has {len(groups)} records and n = {n}: leave n out, or say each="sum" or each="mean" '
            "of one record's expression"
        )
    for group in groups:
        check_declared(group, domain)
    real = {s: sp.Symbol(s.name, real=True) for group in groups for s in group}
    if len({s.name for s in real.values()}) < len(real):
        raise SpecError("two symbols of the records have one name: give them different names")
    vector = Vector(tuple(_exact(e).xreplace(real) for e in entries), shape)
    stated = StatedQuery(
        vector, tuple(tuple(real[s] for s in group) for group in groups), bare, domain, each, n
    )
    for group in stated.records:
        region_of(domain, group)
    return stated


def _entries(query: Any) -> tuple[list[sp.Expr], tuple[int, int] | None]:
    if isinstance(query, sp.MatrixBase):
        shape = None if min(query.shape) == 1 else query.shape
        entries = list(query)
    elif isinstance(query, list | tuple):
        shape, entries = None, list(query)
    else:
        shape, entries = None, [query]
    if not entries:
        raise SpecError("expected at least one expression, got none")
    for e in entries:
        if isinstance(e, str) or (callable(e) and not isinstance(e, sp.Basic)):
            raise SpecError(
                f"expected a sympy expression, got {came(e)}: write the formula in symbols, or give a numpy function its "
                "enclosure with noiseproof.EnclosedFunction.enclosed_by"
            )
    try:
        found = [sp.sympify(e, strict=True) for e in entries]
    except sp.SympifyError:
        raise SpecError(
            f"expected sympy expressions, a Matrix of them or a query, got {came(query)}"
        ) from None
    odd = next((e for e in found if not isinstance(e, sp.Expr)), None)
    if odd is not None:
        raise SpecError(f"expected expressions with numbers as values, got {odd}")
    return found, shape


def _records(records: Any, entries: Sequence[sp.Expr]) -> tuple[list[tuple[sp.Symbol, ...]], bool]:
    free = {s for e in entries for s in e.free_symbols}
    if records is None:
        raise SpecError(
            "records= is missing: list the symbols of each record, as [x1, x2] or [(x1, y1), (x2, y2)]"
        )
    if isinstance(records, sp.Symbol) or not hasattr(records, "__iter__"):
        raise SpecError(f"records must be a list of symbols or of tuples of symbols, got {records!r}")
    given = list(records)
    groups = [
        (r,) if isinstance(r, sp.Symbol) else tuple(r) if isinstance(r, list | tuple | sp.Tuple) else ()
        for r in given
    ]
    flat = [s for group in groups for s in group]
    if not flat or not all(groups) or not all(isinstance(s, sp.Symbol) for s in flat):
        raise SpecError(f"records must be a list of symbols or of tuples of symbols, got {records!r}")
    twice = next((s for s in flat if flat.count(s) > 1), None)
    if twice is not None:
        raise SpecError(f"the symbol {twice} stands for two numbers of the records: give each its own")
    if len({len(group) for group in groups}) > 1:
        raise SpecError("all records need the same number of symbols")
    primed = next((s for s in flat if s.name.endswith("'")), None)
    if primed is not None:
        raise SpecError(
            f"the symbol {primed} ends in a prime, which marks the record that comes: name it otherwise"
        )
    strange = sorted(map(str, free - set(flat)))
    if strange:
        raise SpecError(
            f"{', '.join(strange)} is in the query and in no record: name it in records=, or put in its value"
        )
    return groups, all(isinstance(r, sp.Symbol) for r in given)


def _exact(e: sp.Expr) -> sp.Expr:
    """Floating-point numbers as the decimals that were written."""
    return e.xreplace({f: rational(float(f)) for f in e.atoms(sp.Float)})


def _check_defined(stated: StatedQuery) -> None:
    """SpecError where the query has no real value at some place inside of the domain."""
    region = Region()
    for group in stated.records:
        region = region.joined(region_of(stated.domain, group))
    entries = [e.xreplace(dict(region.expressed)) for e in stated.vector.entries]
    symbols = [*region.intervals, *region.choices]
    try:
        tape = Tape(entries, symbols)
    except NotEnclosableError as error:
        raise SpecError(
            f"{error}: rewrite it with known functions, or give it an enclosure by noiseproof.EnclosedFunction"
        ) from None
    _check_limits(entries, region)
    rng = np.random.default_rng(0)
    for _ in range(_PROBES):
        point = {s: probe(ends, rng) for s, ends in region.intervals.items()}
        point |= {s: values[int(rng.integers(len(values)))] for s, values in region.choices.items()}
        if region.constrained and not region.holds(region.completed(point)):
            continue
        with ctx.workprec(BITS):
            try:
                over = tape.over(interval_box(symbols, {s: (v, v) for s, v in point.items()}))
                outside = over.partial
            except iv.OutsideError:
                outside = True
        if outside:
            at = ", ".join(f"{s} = {float(v):.4g}" for s, v in point.items())
            raise SpecError(f"the query has no real value at {at}: give a domain on which it is defined")


def _is_nan_at(e: sp.Expr, corner: Mapping[sp.Symbol, sp.Expr]) -> bool:
    try:
        return e.xreplace(corner) is sp.nan
    except ValueError:  # sympy orders no pole among the arguments of a maximum
        return False


def _check_limits(entries: Sequence[sp.Expr], region: Region) -> None:
    """SpecError where an entry is 0/0 at a corner and nears different values along two ways to it."""
    t = sp.Symbol("t", positive=True)
    for side in () if region.constrained else (0, 1):
        corner = {s: ends[side] for s, ends in region.intervals.items()}
        if any(not v.is_finite or (s, side) in region.open_ends for s, v in corner.items()):
            continue
        steps = [
            {s: v + (1 - 2 * side) * t * k**power for k, (s, v) in enumerate(corner.items(), 1)}
            for power in (0, 1)
        ]
        for e in (e for e in entries if _is_nan_at(e, corner)):
            one, two = (sp.cancel(e.xreplace(step)) for step in steps)
            if one.is_Rational and two.is_Rational and one != two:
                at = ", ".join(f"{s} = {v}" for s, v in corner.items())
                said = f"the query is 0/0 at {at} and has no value there: it is {one} and {two} along two ways to it"
                raise SpecError(
                    f"{said}; give a domain without that place, or its value there by a Piecewise"
                )
