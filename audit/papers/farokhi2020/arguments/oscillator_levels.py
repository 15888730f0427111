"""Levels of -u'' + k^2 s^2 u = mu u on a symmetric interval: what solutions do at its ends, by Kummer's function in balls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import sympy as sp
from flint import acb, arb

from .....symbolic.proof.enclosure import enclose
from .....symbolic.proof.expressions import parse
from ....dossier.instances import Comparison, rule


@rule("a solution at this level", "k", "mu")
def _solution(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterator[Comparison]:
    """A nonzero solution that vanishes at both ends +-L exists exactly if the even or the odd one vanishes at L.

    printed["level"] is a formula in k and in `mu`, any positive number.
    """
    k = parse(numbers["k"])
    level = parse(printed["level"], {"k": k, "mu": parse(numbers["mu"])})
    end = parse(printed["end"], {"k": k})
    even, odd = (_value(level, k, end, parity) for parity in (0, 1))
    # One is added on both sides: the relative width of an enclosure of zero says nothing.
    yield "product of the even and the odd solution at the end, plus one", 1 + even * odd, "=", arb(1)


def _value(level: sp.Expr, k: sp.Expr, at: sp.Expr, parity: int) -> arb:
    """s^parity exp(-k s^2/2) 1F1((2 parity + 1)/4 - mu/(4 k); parity + 1/2; k s^2)."""
    first = enclose(sp.Rational(2 * parity + 1, 4) - level / (4 * k))
    second = arb(parity) + arb(1) / 2
    kummer = acb(enclose(k * at**2)).hypgeom_1f1(acb(first), acb(second)).real
    damped: arb = enclose(at**parity * sp.exp(-k * at**2 / 2)) * kummer
    return damped
