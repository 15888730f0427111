"""Holds every truth of the list against a search over neighbours, and the two ways in which a query is written against each other.

Run: cd benchmarks && python -m sensitivity_trials.check

A truth agrees if the search comes within 1e-6 of it (1e-4 of a minimiser) and never passes it by more than 1e-9, both
relative; an infinite one if the answers move apart without end along its ray.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable
from itertools import pairwise

import numpy as np
import sympy as sp
from sympy.parsing.sympy_parser import parse_expr

from sensitivity_trials.queries import QUERIES
from sensitivity_trials.query import Floats, Query
from sensitivity_trials.search import distances, searched

SEED = 24
_PASSED = 1e-9


def main() -> int:
    print(
        "| query | truth | number | kind | search from below | relative gap | pairs tried | written twice | seconds |"
    )
    print("| --- | --- | --- | --- | ---: | ---: | ---: | --- | ---: |")
    wrong = []
    for query in QUERIES:
        start = time.perf_counter()
        found, gap, tried, agrees = _along_ray(query) if query.kind == "infinite" else _below(query)
        same = _written_twice(query)
        if not agrees or same == "NO" or not _digits(query):
            wrong.append(query.name)
        words = [
            query.name.replace("|", "\\|"),
            f"`{query.truth}`" if query.truth else "",
            query.number,
            query.kind,
        ]
        shown = [*words, found, gap + ("" if agrees else " DISAGREES"), tried, same]
        print(f"| {' | '.join(shown)} | {time.perf_counter() - start:.1f} |", flush=True)
    closed, by_search, infinite = (
        sum(q.kind == k for q in QUERIES) for k in ("closed", "search", "infinite")
    )
    print(
        f"\n{len(QUERIES)} queries ({closed} closed, {by_search} by search, {infinite} infinite), "
        f"{len(wrong)} disagree{': ' if wrong else ''}{', '.join(wrong)}"
    )
    return 1 if wrong else 0


def _digits(query: Query) -> bool:
    """Whether the number is the truth, to the digits that are written."""
    if not query.truth:
        return True
    exact = sp.N(parse_expr(query.truth), 30)
    return bool(abs(exact - sp.Float(query.number, 30)) <= 1e-14 * abs(exact))


def _below(query: Query) -> tuple[str, str, str, bool]:
    truth = float(query.number)
    found = searched(query, SEED)
    gap = 1 - found.distance / truth
    near = 1e-4 if query.per == "risk" else 1e-6
    return f"{found.distance:.12g}", f"{gap:.1e}", str(found.tried), -_PASSED <= gap <= near


def _along_ray(query: Query) -> tuple[str, str, str, bool]:
    """Infinite, if whatever is reached is passed again: t, t^2, t^4, ... double the logarithm and more than double the rest."""
    if query.ray is None:
        return "", "no ray", "0", False
    reached = []
    for k in range(1, 8):
        one, two = query.ray(10.0 ** (2**k))
        reached.append(float(distances(query.value(one), query.value(two), query.norm)[0]))
    grows = all(b >= 1.99 * a > 0 for a, b in pairwise(reached))
    return f"{reached[-1]:.3g} on its ray", "", str(len(reached)), grows


def _written_twice(query: Query) -> str:
    """Whether the formula and the function on arrays say the same at 40 random data sets."""
    if not query.expression:
        return ""
    rng = np.random.default_rng(SEED)
    cubes = rng.random((40, query.relation.unknowns(query.space.dimension)))
    data, _ = query.relation.pairs(cubes, query.space)
    answers = np.asarray(query.value(data), dtype=float).reshape(len(data), -1)
    if query.per == "risk":
        return "yes" if all(_least(query, d, a) for d, a in zip(data, answers, strict=True)) else "NO"
    other = np.array([list(_answer(query, d)) for d in data])
    return "yes" if np.allclose(answers, other, rtol=1e-9, atol=1e-9) else "NO"


def _answer(query: Query, records: Floats) -> Iterable[float]:
    whole = {
        n: v for who, row in zip(query.records, records, strict=False) for n, v in zip(who, row, strict=True)
    }
    for text in query.expression:
        formula = parse_expr(text)
        if not query.per:
            yield float(formula.subs(whole))
            continue
        terms = [float(formula.subs(dict(zip(query.records[0], row, strict=True)))) for row in records]
        yield sum(terms) / (len(terms) if query.per == "mean" else 1)


def _least(query: Query, records: Floats, point: Floats) -> bool:
    """Whether the risk of the formula is no less at points around the minimiser."""
    over = [sp.Symbol(name) for name in query.over]
    loss = parse_expr(query.expression[0])
    mean = sum(loss.subs(dict(zip(query.records[0], row, strict=True))) for row in records) / len(records)
    risk = mean + sp.Rational(query.ridge) * sum(v**2 for v in over) / 2

    def at(place: Floats) -> float:
        return float(risk.subs(dict(zip(over, place, strict=True))))

    around = [
        point + h * side for h in (1e-1, 1e-3) for side in np.vstack([np.eye(len(over)), -np.eye(len(over))])
    ]
    return all(at(place) >= at(point) - 1e-12 for place in around)


if __name__ == "__main__":
    sys.exit(main())
