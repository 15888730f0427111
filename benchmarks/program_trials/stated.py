"""A program of the list as a user states it to noiseproof."""

from __future__ import annotations

from typing import Any

import sympy as sp

import noiseproof as npf
from program_trials.program import Norm, Program, Psd, read, symbols_of


def stated(program: Program) -> npf.Program:
    names = symbols_of(program)

    def relation(given: str | Norm | Psd) -> Any:
        if isinstance(given, Norm):
            return npf.NormCone(read(f"[{given.vector}]", names), read(given.bound, names), norm=given.norm)
        if isinstance(given, Psd):
            return npf.PSD(sp.Matrix([read(f"[{row}]", names) for row in given.rows]))
        return read(given, names)

    return npf.Program(
        minimise=read(program.minimise, names),
        over=[names[n] for n in program.over.split()],
        subject_to=[relation(given) for given in program.subject_to],
        parameters=[names[n] for n in program.parameters],
    )
