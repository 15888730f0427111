"""The conditions of a program in plain sympy: stationarity and complementarity of its smooth form through `sympy.solve`.

What a user of sympy does by hand: all real roots, those with signs and feasible, of these the least value.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, product
from typing import Any

import sympy as sp

from program_trials.program import Program, symbols_of
from program_trials.smooth import smooth


def solved(program: Program, at: dict[str, Any]) -> dict[str, Any]:
    """Whether there is an answer, and its value with numbers for the parameters."""
    names = symbols_of(program)
    form = smooth(program, {n: names[n] for n in program.parameters})
    weights = [sp.Symbol(f"m{k}", real=True) for k in range(len(form.pieces))]
    lagrangian = form.objective + sum(m * p.excess for m, p in zip(weights, form.pieces, strict=True))
    system = [lagrangian.diff(v) for v in form.variables]
    system += [p.excess if p.equation else m * p.excess for m, p in zip(weights, form.pieces, strict=True)]
    found = sp.solve(system, [*form.variables, *weights], dict=True)
    numbers = {names[n]: v for n, v in at.items()}
    values = []
    for root in found:
        full = {v: root.get(v, v).subs(numbers) for v in (*form.variables, *weights)}
        signs = [full[m] for m, p in zip(weights, form.pieces, strict=True) if not p.equation]
        excess = [p.excess.subs(numbers).subs(full) for p in form.below]
        free = sorted({s for e in (*signs, *excess) for s in e.free_symbols}, key=str)
        for guess in _guesses(free):
            if all(_at_least(s.subs(guess)) for s in signs) and all(
                _at_least(-e.subs(guess)) for e in excess
            ):
                values.append(sp.N(form.objective.subs(numbers).subs(full).subs(guess), 20))
                break
    real = [v for v in values if v.is_comparable]
    return {"roots": len(found), "value": float(min(real)) if real else None}


def _guesses(free: list[sp.Symbol]) -> Iterator[dict[sp.Symbol, sp.Expr]]:
    """What sympy left free is tried at a few numbers."""
    tried = [sp.Integer(0), sp.Integer(1), sp.Rational(1, 2), sp.Rational(1, 4)]
    for pick in islice(product(tried, repeat=len(free)), 300):
        yield dict(zip(free, pick, strict=True))


def _at_least(e: sp.Expr) -> bool:
    """A number that is not below 0 by more than rounding."""
    number = sp.N(e, 20)
    return bool(number.is_comparable and number > -1e-12)
