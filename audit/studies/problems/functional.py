"""What can be derived of a functional: its Euler-Lagrange equation, the ends, convexity, an optimum that is enclosed."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import sympy as sp

from ....symbolic.programs.functional.functional import Functional
from ....symbolic.programs.functional.solve import FunctionalSolution
from ....symbolic.proof.derivation import Derivation
from ....symbolic.proof.truth import Truth
from ...record.evidence import Line, Series
from .sections import checked, fact, proved, record_of, row, section

_POINTS, _TOLERANCE = 121, 1e-6


def derive_functional(
    functional: Functional, title: str, *, effort: float | None = None, command: str | None = None
) -> dict[str, Any]:
    """The record of a derivation."""
    start = time.monotonic()
    conditions = functional.euler_lagrange()
    x = functional.unknown.args[0]
    rows = [row(conditions.equation.lhs, "=", 0, "Euler-Lagrange")]
    rows += [row(end.lhs, "=", 0, f"natural, at {x} = {at}") for at, end in conditions.natural]
    if conditions.first_integral is not None:
        rows.append(row(sp.Symbol("c"), "=", conditions.first_integral, "constant along solutions"))
    first = section("Conditions of first order", rows=rows, derivation=conditions.derivation)
    second = functional.second_variation()
    facts = [
        fact("convex in the function and its derivative", functional.convexity()),
        fact("Legendre", second.legendre),
    ]
    parts = [first, section("Of second order", facts=facts)]
    found, words = _solved(functional)
    parts.append(_optimum(found, words))
    return record_of(
        "functional",
        title,
        _outcome(functional, found, parts),
        words,
        statement=_statement(functional),
        answer={
            "lower": None if found is None else found.lower,
            "upper": None if found is None else found.upper,
            "function": None if found is None else str(sp.sstr(found.function)),
        },
        sections=parts,
        series=_curve(functional, found),
        command=command,
        effort=1.0 if effort is None else effort,
        start=start,
    )


def _solved(functional: Functional) -> tuple[FunctionalSolution | None, str]:
    try:
        found = functional.solve()
    except (ValueError, ArithmeticError) as error:
        return None, str(error)
    return (None if found.function is None else found), found.reason


def _outcome(functional: Functional, found: FunctionalSolution | None, parts: list[dict[str, Any]]) -> str:
    """With parameters the equations are what was asked for; without them the optimum is enclosed or it is not known."""
    if not all(map(checked, parts)) or not proved(parts[0]):
        return "unknown"
    if found is None:
        convex = functional.convexity().truth is Truth.HOLDS
        return "derived" if functional.parameters and convex else "unknown"
    if found.lower is None or found.upper is None:
        return "unknown"
    return "enclosed" if found.gap <= _TOLERANCE * max(1.0, abs(found.upper)) else "bounded"


def _statement(f: Functional) -> list[dict[str, str]]:
    given = f.unknown.args[0]
    goal = sp.Integral(f.sign * f.written(f.integrand), (given, f.low, f.high))
    rows = [row("J", "=", goal, "to be minimised" if f.sign == 1 else "to be maximised")]
    rows += [
        row(sp.Integral(f.written(c.integrand), (given, f.low, f.high)), "=", c.value) for c in f.constraints
    ]
    rows += [row(f.unknown.func(end), "=", value) for end, value in f.boundary]
    return rows + ([row(f.unknown, ">", 0, "inside")] if f.positive else [])


def _optimum(found: FunctionalSolution | None, words: str) -> dict[str, Any]:
    rows = []
    if found is not None and found.lower is not None:
        rows.append(row("J", ">=", f"{found.lower:.12g}", "of every admissible function"))
    if found is not None and found.upper is not None:
        rows.append(row("J", "<=", f"{found.upper:.12g}", f"of a polynomial of degree {found.degree}"))
    return section("The optimum, enclosed", words, rows=rows, derivation=Derivation(words, ()))


def _curve(f: Functional, found: FunctionalSolution | None) -> tuple[Series, ...]:
    if found is None:
        return ()
    x = np.linspace(float(f.low), float(f.high), _POINTS)
    y = np.asarray(sp.lambdify([f.unknown.args[0]], found.function, "numpy")(x), dtype=float) + np.zeros(
        x.shape
    )
    name = f"The {'minimiser' if f.sign == 1 else 'maximiser'}, nearly"
    label = str(f.unknown)
    return (
        Series(
            "function",
            name,
            str(f.unknown.args[0]),
            label,
            (Line(label, "law", tuple(x.tolist()), tuple(y.tolist())),),
        ),
    )
