"""A bound on one symbol's function, from stop to stop: between ends and zeros of the slope it is monotone."""

from __future__ import annotations

import itertools

import sympy as sp

from ..proof.derivation import Step
from ..proof.enclosure import enclose
from ..proof.proofs.kernel_checked import accepted_step
from .on_line import parts_of, zeros_of_slope
from .regions import Ends


def line_steps(h: sp.Expr, t: sp.Symbol, ends: Ends, best: sp.Expr) -> tuple[Step, ...] | None:
    """That no value on the interval is above the best, one step for each way between stops; None where one is not accepted."""
    steps = []
    for part, low, high in parts_of(h, t, ends):
        zeros = sorted(set(zeros_of_slope(part, t, low, high)), key=lambda r: float(enclose(r).mid()))
        for stop, following in itertools.pairwise([low, *zeros, high]):
            if part == best:
                continue
            reason = f"for {t} from {stop} to {following}, where it is monotone"
            step = accepted_step(part, "<=", best, reason, ((t, stop, following),))
            if step is None:
                return None
            steps.append(step)
    return tuple(steps)
