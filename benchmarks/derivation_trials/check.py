"""Compares every formula and number of the list with integrals at thirty digits; prints a Markdown table.

Run: cd benchmarks && python -m derivation_trials.check
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

import mpmath as mp
from mpmath import mpf

from derivation_trials.families import FAMILIES
from derivation_trials.family import Family, Matrix
from derivation_trials.irregular import demonstrated
from derivation_trials.quadrature import WORKING
from derivation_trials.scores import law
from derivation_trials.second_routes import SECOND
from derivation_trials.vectors import by_moments

ALLOWED = mpf(10) ** -20


@dataclass(frozen=True)
class Outcome:
    """How many entries of a family were compared, the largest relative difference, and what to say beside it."""

    compared: int
    largest: mpf
    agrees: bool
    remark: str


def main() -> int:
    mp.mp.dps = WORKING
    print("| family | kind | largest relative difference | compared with |\n| --- | --- | --- | --- |")
    outcomes = []
    for family in FAMILIES:
        outcome = judged(family)
        outcomes.append(outcome)
        shown = mp.nstr(outcome.largest, 2) if outcome.compared else "none compared"
        verdict = "" if outcome.agrees else "DISAGREES; "
        print(f"| {family.name} | {family.kind} | {shown} | {verdict}{outcome.remark} |", flush=True)
    compared = sum(outcome.compared for outcome in outcomes)
    largest = mp.nstr(max(outcome.largest for outcome in outcomes), 2)
    print(f"\n{len(FAMILIES)} families, {compared} compared, largest difference {largest}")
    return 0 if all(outcome.agrees for outcome in outcomes) else 1


def judged(family: Family) -> Outcome:
    """A family whose law is no law, or whose integral does not settle, disagrees too."""
    try:
        return examined(family)
    except ArithmeticError as error:
        return Outcome(0, mpf(0), False, str(error))


def examined(family: Family) -> Outcome:
    if family.kind == "irregular":
        agrees, remark = demonstrated(family)
        return Outcome(0, mpf(0), agrees, remark)
    matrices = [found(family, point) for point in family.points]
    gaps = {name: _differences(matrices, others) for name, others in _compared(family).items()}
    every = [gap for several in gaps.values() for gap in several]
    remark = ", ".join(f"{name} {mp.nstr(max(several), 2)}" for name, several in gaps.items())
    return Outcome(len(every), max(every), max(every) < ALLOWED, remark)


def found(family: Family, point: dict[str, str]) -> Matrix:
    """The matrix by integral, sum or moments, without the formula."""
    if family.density is None:
        return by_moments(family, point)
    known = law(family, point)
    if abs(known.mass - 1) > ALLOWED or any(abs(mean) > ALLOWED for mean in known.means):
        raise ArithmeticError("the mass is not 1 or a score has a mean that is not zero")
    return known.information


def _compared(family: Family) -> dict[str, list[Matrix]]:
    """What stands against the integral, for each point: the formula or the second route, and the printed numbers."""
    route, name = family.truth, "formula"
    if route is None:
        route, name = SECOND[family.name], "second route"
    values = [{key: mpf(text) for key, text in point.items()} for point in family.points]
    printed = [[[mpf(entry) for entry in row] for row in matrix] for matrix in family.numbers]
    return {name: [route(**value) for value in values], "numbers": printed}


def _differences(matrices: list[Matrix], others: list[Matrix]) -> list[mpf]:
    if len(others) != len(matrices):
        return [mp.inf]
    return [gap for one, two in zip(matrices, others, strict=True) for gap in _gaps(one, two)]


def _gaps(matrix: Matrix, other: Matrix) -> list[mpf]:
    """Entries relative to the root of the product of their diagonals, since some are zero."""
    size = range(len(matrix))
    if len(other) != len(matrix) or any(len(row) != len(matrix) for row in other):
        return [mp.inf]
    return [
        abs(matrix[i][j] - other[i][j]) / mp.sqrt(matrix[i][i] * matrix[j][j]) for i in size for j in size
    ]


if __name__ == "__main__":
    sys.exit(main())
