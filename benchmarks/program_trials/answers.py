"""What noiseproof answers about a program of the list, held against its truths."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import sympy as sp
from scipy.optimize import lsq_linear

from program_trials.check import chosen
from program_trials.moving import Moving
from program_trials.points import Judged
from program_trials.program import Program, read, symbols_of
from program_trials.programs import named
from program_trials.stated import stated
from program_trials.wrong_points import WrongPoint

SECONDS = 30.0
NEAR = sp.Float("1e-25", 40)


def conditions(program: Program, engine: Any) -> str:
    """The printed conditions at the true minimisers: "right" if they can be met exactly where they should, else what is wrong."""
    found = engine.kkt()
    if program.kkt is None or program.integer:
        return "derived"
    names = symbols_of(program)
    for minimiser, at in _instances(program, names):
        stated_point = dict(zip(engine.variables, minimiser, strict=True))
        point = {s: sp.N(e, 30) for s, e in found.lifting.point({**stated_point, **at}).items()}
        numbers = {**point, **at}
        linear = [e.subs(numbers) for e in (*found.stationarity, *found.complementarity)]
        matrix, right = sp.linear_eq_to_matrix(linear, list(found.symbols))
        signed = {m.symbols[0] for m in found.multipliers if any(isinstance(d, sp.Ge) for d in m.dual)}
        low = [0.0 if s in signed else -np.inf for s in found.symbols]
        rows, level = np.array(matrix, dtype=float), np.array(right, dtype=float).ravel()
        fit = lsq_linear(rows, level, (low, np.inf), tol=1e-14) if found.symbols else None
        left = np.abs(level if fit is None else rows @ fit.x - level).max()
        if (left < 1e-6) != program.kkt:
            return f"NO: residual {left:.1e} at {minimiser}"
    return "right"


def _instances(
    program: Program, names: dict[str, sp.Symbol]
) -> Iterator[tuple[tuple[sp.Expr, ...], dict[sp.Symbol, sp.Expr]]]:
    """True minimisers, with numbers for the parameters."""
    regions = [(r.when, r.minimiser) for r in program.regions] or [("", m) for m in program.minimisers]
    for when, minimiser in regions:
        for number in chosen(program, when) if program.parameters else [{}]:
            at = {names[n]: sp.Rational(v) for n, v in number.items()}
            yield tuple(sp.sympify(read(m, names)).subs(at) for m in minimiser), at


def certified(program: Program, engine: Any) -> tuple[str, str]:
    """The word on the true minimisers (formulas in the parameters included), and what is wrong."""
    if program.status != "optimal":
        return "", ""
    names = symbols_of(program)
    points: list[tuple[Any, ...]] = [tuple(read(m, names) for m in point) for point in program.minimisers]
    if program.regions:
        parts = [
            [(read(r.minimiser[k], names), read(r.when, names)) for r in program.regions]
            for k in range(len(engine.variables))
        ]
        points = [tuple(sp.Piecewise(*p[:-1], (p[-1][0], True)) for p in parts)]
    words = []
    for point in points:
        found = engine.certify(point)
        words.append(found.verdict)
        if found.verdict == "REFUTED":
            return "REFUTED", f"a minimiser {point} is refuted: {found.reason}"
    return ("PROVED" if set(words) == {"PROVED"} else "UNDECIDED"), ""


def solution(program: Program, engine: Any) -> tuple[str, str]:
    """The status of the solution, and what is wrong with it."""
    found = engine.solve()
    if found.status == "unknown":
        return "unknown", ""
    if found.status in ("infeasible", "unbounded", "not attained"):
        return found.status, "" if found.status == program.status else f"in truth {program.status}"
    if program.status != "optimal":
        return found.status, f"in truth {program.status}"
    if program.parameters:
        return found.status, _in_cases(program, found)
    gap = sp.N(found.value - sp.sympify(program.value), 40)
    near = sp.N(found.certificate.gap, 40) if found.status == "near" else sp.S.Zero
    judged = Judged(program)
    point = list(found.minimiser.values())
    if not -NEAR < gap < NEAR + near:
        return found.status, f"value {found.value}, in truth {program.value}"
    return found.status, "" if judged.feasible(point) else f"{point} is not feasible"


def _in_cases(program: Program, found: Any) -> str:
    names = symbols_of(program)
    for minimiser, at in _instances(program, names):
        holding = [case for case in found.cases if case.holds(at)]
        if not holding and found.status == "optimal":
            return f"no case holds at {at}"
        for case in holding:
            given = [sp.N(e.subs(at), 30) for e in case.minimiser.values()]
            if max(abs(a - b) for a, b in zip(given, minimiser, strict=True)) > NEAR:
                return f"{given} at {at}, in truth {minimiser}"
    return ""


def convexity(program: Program, engine: Any) -> tuple[str, str]:
    word = engine.convexity().program.truth.name
    if program.integer or word == "UNKNOWN":
        return word, ""
    return word, "" if (word == "HOLDS") == program.convex else f"in truth convex: {program.convex}"


def wrong_point(wrong: WrongPoint) -> tuple[str, str]:
    """The word on a wrong point, and what is wrong with the answer."""
    program = named(wrong.program)
    point = [sp.Rational(e) for e in wrong.point]
    found = stated(program).certify(point)
    judged = Judged(program)
    if found.verdict == "PROVED":
        return "PROVED", "a wrong point is proved"
    if found.verdict == "REFUTED" and not wrong.outside:
        if found.better is None:
            return "REFUTED", "without a better point"
        better = list(found.better.values())
        good = judged.feasible(better) and judged.value(better) < judged.value(point)
        return "REFUTED", "" if good else f"{better} is no better feasible point"
    return found.verdict, ""


def moved(moving: Moving) -> tuple[str, str]:
    """HOLDS, FAILS or UNKNOWN for the derivative, and what is wrong with it."""
    program = moving.program
    found = stated(program).derivative(at={moving.parameter: sp.sympify(moving.at)})
    word = found.exists.truth.name
    if found.matrix is not None:
        if not moving.derivative:
            return word, f"a derivative {found.matrix.tolist()} where there is none"
        off = max(
            abs(sp.N(a - sp.sympify(b), 30)) for a, b in zip(found.matrix, moving.derivative, strict=True)
        )
        return word, "" if off < 1e-6 else f"{found.matrix.tolist()}, in truth {moving.derivative}"
    if moving.derivative and word == "FAILS":
        return word, f"said not to exist, in truth {moving.derivative}"
    if moving.sides is not None and found.left is not None:
        for side, given in zip(moving.sides, (found.left, found.right), strict=True):
            if any(
                not sp.sympify(s).is_number or sp.N(a - sp.sympify(s)) != 0
                for a, s in zip(given, side, strict=True)
            ):
                return word, f"from a side {given.tolist()}, in truth {side}"
    return word, ""
