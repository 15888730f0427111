"""All programs of the list, in one order."""

from __future__ import annotations

from program_trials.convex import CONVEX
from program_trials.hard import HARD
from program_trials.parametric import PARAMETRIC
from program_trials.program import Program

PROGRAMS: tuple[Program, ...] = (*CONVEX, *PARAMETRIC, *HARD)


def named(name: str) -> Program:
    return next(p for p in PROGRAMS if p.name == name)
