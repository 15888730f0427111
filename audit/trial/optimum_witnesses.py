"""Witnesses against minimisers, optimal values and sensitivities, evaluated again from their formulas alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import sympy as sp
from pydantic import Field

from ...symbolic.programs.constraints import PSD
from ...symbolic.programs.program import Program
from ...symbolic.proof.enclosure import compare, enclose
from ...symbolic.proof.expressions import parse
from ...symbolic.proof.truth import Truth
from ...symbolic.sensitivity.farthest import norm_of
from ...symbolic.stated_formula import read_entry
from ..record.reading.certificate_form import Form as Part
from ..record.witness import Witness, register
from ..record.witness_form import OfClaim, Text

_MOST = 200  # variables, constraints, entries
Names = Mapping[str, sp.Expr]


class Row(Part):
    """excess <= 0, or = 0."""

    excess: Text
    relation: Literal["<=", "="]


class ProgramRecord(Part):
    """A program to be minimised, in formulas."""

    variables: Annotated[list[Text], Field(min_length=1, max_length=_MOST)]
    objective: Text
    constraints: Annotated[list[Row], Field(max_length=_MOST)]
    matrices: Annotated[list[list[list[Text]]], Field(max_length=_MOST)]
    integers: Annotated[list[str], Field(max_length=_MOST)]


class BetterPointForm(OfClaim):
    """A feasible point that is better than the claimed one, or the constraint that the claimed one breaks."""

    predicate: Literal["Minimiser"]
    program: ProgramRecord
    at: dict[str, Text]
    point: dict[str, Text]
    better: dict[str, Text] | None
    broken: str = ""


class OptimalValueForm(OfClaim):
    """What was found beside what is claimed, at a point of the parameters; of a program without an optimum the program."""

    predicate: Literal["OptimalValue"]
    at: dict[str, Text]
    found: Text
    relation: Literal["=", "<=", ">="]
    claimed: Text
    program: ProgramRecord | None = None


class WorsePairForm(OfClaim):
    """Two neighbouring data sets and the answers to them; `query` holds formulas in the symbols of `records`, none of a query by name."""

    predicate: Literal["SensitivityBound"]
    one: Annotated[list[Any], Field(max_length=10_000)]
    two: Annotated[list[Any], Field(max_length=10_000)]
    answers: Annotated[list[list[Text]], Field(min_length=2, max_length=2)]
    query: list[Text]
    records: list[list[Text]]
    each: Literal["", "sum", "mean"]
    shape: Annotated[list[int], Field(min_length=2, max_length=2)] | None
    norm: Literal["l1", "l2", "max", "frobenius", "spectral"]
    claimed: Text


@register("better point", BetterPointForm)
def better_point(witness: Witness) -> tuple[bool, str]:
    """The better point is feasible and has less than the claimed one; without one, the claimed one is certainly not feasible."""
    program = witness["program"]
    at = {name: parse(text, characters=4_000) for name, text in witness["at"].items()}
    point = {name: read_entry(text, at) for name, text in witness["point"].items()}
    if witness["better"] is None:
        broken = _broken(program, {**at, **point})
        return (
            broken is Truth.FAILS,
            f"the claimed point {'breaks a constraint' if broken is Truth.FAILS else 'is not known to break one'}",
        )
    better = {name: read_entry(text, at) for name, text in witness["better"].items()}
    if set(better) != set(point):
        return False, "the better point is one of other variables"
    if _broken(program, {**at, **better}) is not Truth.HOLDS:
        return False, "the better point is not known to be feasible"
    tolerance = read_entry(str(witness["parameters"].get("tolerance", "0")), {})
    claimed, found = (enclose(read_entry(program["objective"], {**at, **p})) for p in (point, better))
    return (
        bool(found < claimed - enclose(tolerance)),
        f"the claimed point has {claimed.str(15)}, the better one {found.str(15)}, of what is minimised",
    )


def _broken(program: Mapping[str, Any], names: Names) -> Truth:
    """HOLDS if all constraints are certainly kept, FAILS if one is certainly broken."""
    answers = [
        compare(read_entry(row["excess"], names), row["relation"], sp.Integer(0))
        for row in program["constraints"]
    ]
    answers += [_whole(names[name]) for name in program["integers"]]
    answers += [
        _semidefinite([[read_entry(e, names) for e in row] for row in m]) for m in program["matrices"]
    ]
    if Truth.FAILS in answers:
        return Truth.FAILS
    return Truth.HOLDS if all(a is Truth.HOLDS for a in answers) else Truth.UNKNOWN


def _whole(value: sp.Expr) -> Truth:
    return {True: Truth.HOLDS, False: Truth.FAILS}.get(value.is_integer, Truth.UNKNOWN)


def _semidefinite(rows: list[list[sp.Expr]]) -> Truth:
    found = sp.Matrix(rows).is_positive_semidefinite
    return {True: Truth.HOLDS, False: Truth.FAILS}.get(found, Truth.UNKNOWN)


@register("optimal value", OptimalValueForm)
def optimal_value(witness: Witness) -> tuple[bool, str]:
    """What was found and what is claimed certainly differ, on the side that the relation names."""
    at = {name: parse(text, characters=4_000) for name, text in witness["at"].items()}
    said = enclose(read_entry(witness["claimed"], at))
    place = ", ".join(f"{name} = {value}" for name, value in witness["at"].items())
    where = f"at {place}: " if place else ""
    if witness["found"] in ("oo", "-oo"):
        return _without_optimum(witness, f"{where}claimed {said.str(15)}")
    found = enclose(read_entry(witness["found"], at))
    tolerance = enclose(read_entry(str(witness["parameters"].get("tolerance", "0")), {}))
    apart = {
        "=": abs(found - said) > tolerance,
        ">=": said - found > tolerance,
        "<=": found - said > tolerance,
    }[witness["relation"]]
    return bool(apart), f"{where}found {found.str(15)}, claimed {said.str(15)}"


def _without_optimum(witness: Witness, shown: str) -> tuple[bool, str]:
    """Whether the program of a witness is shown anew to have no feasible point, or no bound."""
    record = witness["program"]
    if record is None:
        return False, f"{shown}, and there is no program to look at"
    status = _program(record).solve().status
    return status in ("infeasible", "unbounded"), f"{shown}, and the program is found to be {status}"


def _program(record: Mapping[str, Any]) -> Program:
    """The program of a record; what its variables were declared to be stands among its constraints."""
    whole = set(record["integers"])
    names = {n: sp.Symbol(n, **{"integer" if n in whole else "real": True}) for n in record["variables"]}
    rows = [(read_entry(row["excess"], names), row["relation"]) for row in record["constraints"]]
    kept = [sp.Eq(e, 0) if relation == "=" else sp.Le(e, 0) for e, relation in rows]
    matrices = [PSD([[read_entry(e, names) for e in row] for row in m]) for m in record["matrices"]]
    relations = [r for r in kept if r is not sp.true]
    return Program(read_entry(record["objective"], names), list(names.values()), [*relations, *matrices])


@register("worse pair", WorsePairForm)
def worse_pair(witness: Witness) -> tuple[bool, str]:
    """Two data sets whose answers are further apart than claimed; with formulas, the answers are computed again from the records."""
    if not _neighbours(witness):
        return False, "the two data sets are no neighbours of the claim's kind"
    answers = [[parse(text, characters=4_000) for text in side] for side in witness["answers"]]
    again = _answers(witness)
    if again is not None:
        if [len(side) for side in again] != [len(side) for side in answers]:
            return False, "the query has another number of entries than the answers"
        for one, two in zip(
            (e for side in again for e in side), (e for side in answers for e in side), strict=True
        ):
            if compare(one, "=", two) is Truth.FAILS:
                return False, "the answers are not those of the query at the two data sets"
        answers = again
    if len(answers[0]) != len(answers[1]):
        return False, "the two answers have different numbers of entries"
    gaps = [enclose(a - b) for a, b in zip(*answers, strict=True)]
    shape = None if witness["shape"] is None else (witness["shape"][0], witness["shape"][1])
    if shape is not None and shape[0] * shape[1] != len(gaps):
        return False, "the answers are no matrices of that shape"
    found, said = norm_of(gaps, witness["norm"], shape), enclose(read_entry(witness["claimed"], {}))
    return bool(
        found > said
    ), f"the answers are {found.str(15)} apart in the {witness['norm']} norm, claimed at most {said.str(15)}"


def _neighbours(witness: Witness) -> bool:
    """Whether the data sets differ as the claim's relation allows, as far as they show it: of one record, or of one more."""
    one, two = (Counter(map(repr, witness[side])) for side in ("one", "two"))
    out, new = (one - two).total(), (two - one).total()
    relation = witness["parameters"].get("adjacency")
    if relation == "replace-one":
        return out == new <= 1
    return relation != "add-or-remove" or out + new == 1


def _answers(witness: Witness) -> list[list[sp.Expr]] | None:
    """The query at both data sets, of formulas that can be read; None for a query by name."""
    if not witness["query"]:
        return None
    groups, sides = witness["records"], []
    for dataset in (witness["one"], witness["two"]):
        rows = [[r] if isinstance(r, str) else r for r in dataset]
        if witness["each"]:
            values = [_at(witness["query"], groups[0], row) for row in rows]
            share = sp.Rational(1, len(rows)) if witness["each"] == "mean" and rows else sp.Integer(1)
            sides.append(
                [share * sp.Add(*column) for column in zip(*values, strict=True)]
                if values
                else [sp.S.Zero] * len(witness["query"])
            )
        else:
            names = [name for group in groups for name in group]
            sides.append(_at(witness["query"], names, [number for row in rows for number in row]))
    return sides


def _at(query: list[str], names: list[str], numbers: list[str]) -> list[sp.Expr]:
    values = {n: parse(text, characters=4_000) for n, text in zip(names, numbers, strict=True)}
    return [read_entry(text, values) for text in query]
