"""The program of shares among measurements as it is stated, with its conditions of Karush, Kuhn and Tucker."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import sympy as sp

from ...symbolic.programs.program import Program
from ...symbolic.proof.enclosure import rational
from .share_program import ShareProgram


def stated_program(program: ShareProgram, total: Fraction) -> Program:
    """min sum c_S / p_S over weights w_1, w_2, ... >= 0 of the measurements, which add up to at most the total."""
    w = sp.symbols(f"w_1:{len(program.names) + 1}", nonnegative=True)
    precisions = (
        sp.Add(*(w[i] / rational(program.prices[i]) for i, told in enumerate(program.inside) if s in told))
        for s in range(len(program.costs))
    )
    objective = sp.Add(*(rational(c) / p for c, p in zip(program.costs, precisions, strict=True)))
    return Program(objective, over=w, subject_to=[sp.Add(*w) <= rational(total)])


def residuals(program: ShareProgram, weights: Sequence[Fraction]) -> list[Fraction]:
    """1 - gain / greatest gain of each measurement: at the optimum 0 where its weight is not 0, and never below 0.

    The multiplier of the budget is the greatest gain, that of w_i >= 0 this number times it.
    """
    gains = program.exact_gains(weights)
    return [1 - g / max(gains) for g in gains]
