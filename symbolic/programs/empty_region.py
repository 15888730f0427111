"""Whether no parameters lie in a region: the other conditions make one of them fail."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice

import sympy as sp

from ..parameter_domain import ParameterDomain
from ..proof.derivation import Step
from ..proof.truth import Truth
from .judge import Judge
from .parameter_regions import ParameterRegion, insides


def emptiness(domain: ParameterDomain, region: ParameterRegion, covers: int | None = None) -> Step | None:
    """A step that shows it, after so many covers of the rest at most; None where it is not seen."""
    for k, c in enumerate(region.conditions):
        rest = ParameterRegion(region.conditions[:k] + region.conditions[k + 1 :], region.values)
        for inside in islice(insides(domain, rest), covers):
            open_end = c in region.strict
            decided = _decided(Judge(inside), open_end)
            if decided(-c, sp.S.Zero) is Truth.HOLDS:
                word = ">=" if open_end else ">"
                return Step(-c, word, sp.S.Zero, f"nowhere is {region.said()}", decided)
    return None


def _decided(judge: Judge, open_end: bool) -> Callable[[sp.Expr, sp.Expr], Truth]:
    return lambda a, b: judge.at_least_zero(a - b) if open_end else judge.positive(a - b)
