"""Whether a formula with kinks in parameters is at most zero for all of them: region by region."""

from __future__ import annotations

import itertools

import sympy as sp

from ..parameter_domain import ParameterDomain
from ..proof.enclosure import compare
from ..proof.truth import Truth
from .empty_region import emptiness
from .judge import Judge
from .parameter_regions import ParameterRegion, insides, regions

_COVERS = 24
_VALUE = sp.Dummy("value")


def at_most_zero(domain: ParameterDomain, e: sp.Expr, where: tuple[sp.Expr, ...] = ()) -> Truth:
    """HOLDS if e <= 0 on all of the domain in which each of `where` is at least zero; FAILS is not said here."""
    if compare(domain.inside(e), "<=", sp.Integer(0)) is Truth.HOLDS:
        return Truth.HOLDS
    cases = regions({_VALUE: e}, domain)
    for case in cases or ():
        region = ParameterRegion(tuple(dict.fromkeys((*where, *case.conditions))), case.values)
        covers = itertools.islice(insides(domain, region), _COVERS)
        value = -region.values[_VALUE]
        shown = any(Judge(cover).at_least_zero(value) is Truth.HOLDS for cover in covers)
        if not shown and emptiness(domain, region, _COVERS) is None:
            return Truth.UNKNOWN
    return Truth.HOLDS if cases else Truth.UNKNOWN
