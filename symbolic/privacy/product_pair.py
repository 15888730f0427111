"""The exact privacy profile of independent Laplace noise on many numbers, as a function that can be enclosed.

Coordinates i = 1..d with centres r_i scales apart have the affinity-weighted losses e^(-r/2)/2 times (an atom 1 at
r, an atom 1 at -r, density 1/2 between).  Measured from the largest loss R = sum r_i downwards, the Laplace
transform of one is (1 + h) + (1 - h) e^(-2 r s) with h = 1/(2 s); that of sinh(x/2), the gain of the best event, is
(1/2)/(s^2 - 1/4).  Expanding the product over coordinates gives a finite sum over subsets A of coordinates,

    delta(epsilon) = 2 e^((epsilon - R)/2) 2^(-d) sum_{A: x_A > 0} phi_|A|(x_A),   x_A = R - epsilon - 2 sum_A r_i,
    phi_j(x) = sum_{q=1}^{d-1} c_{d-1-q} (x/2)^q / q!,   sum_k c_k z^k = (z - 1)^(j-1) (z + 1)^(d-j-1)   (j >= 1),
    phi_0(x) = 2^(d-1) e^(x/2) - sum_{q=0}^{d-1} a_q (x/2)^q / q!,   a_q = sum_{l < d-q} binomial(d-1, l),

an exponential polynomial between the atoms.  Equal ratios leave one term for each size of A.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache, partial
from math import comb
from typing import Any

import numpy as np
import sympy as sp
from flint import arb, arb_poly, ctx, fmpz, fmpz_poly

from ..arrays import Floats
from ..proof.enclosure import EnclosedFunction, enclose
from .loss_lattice import profile_bounds

Groups = tuple[tuple[sp.Expr, int], ...]

_WIDEST = 1e6  # largest loss whose lattice has steps that a double can exponentiate
_EXACT_WORK = 1_500_000  # coefficients of phi that the closed form may touch; beyond it the lattice answers


def grouped(ratios: Sequence[sp.Expr]) -> Groups:
    """Distinct ratios above zero with their numbers of coordinates, the order of their first appearance kept."""
    counts = Counter(r for r in ratios if r != 0)
    return tuple(counts.items())


def closed_form_work(groups: Groups) -> int:
    """How many coefficients the closed form touches: (distinct subset sums, at most) times d."""
    terms = 1
    for _, count in groups:
        terms *= count + 1
        if terms > _EXACT_WORK:
            return terms
    return terms * sum(count for _, count in groups)


def closed_form(groups: Groups, epsilon: arb) -> arb:
    """delta(epsilon) >= 0 by the closed form, a ball at the current precision; raises ValueError if epsilon < 0."""
    if epsilon < 0:
        raise ValueError(f"the profile is defined for epsilon >= 0, got {epsilon}")
    d = sum(count for _, count in groups)
    # The sum cancels: its terms reach 2^d times their total.
    with ctx.workprec(ctx.prec + d + 64):
        ratios = [enclose(r, bits=ctx.prec) for r, _ in groups]
        top = sum((r * n for r, (_, n) in zip(ratios, groups, strict=True)), arb(0))
        total = arb(0)
        phi = _Pieces(d)
        for size, ways, moved in _subsets(ratios, [n for _, n in groups], (top - epsilon) / 2):
            total += ways * phi(size, (top - epsilon) / 2 - moved)
        return (2 * ((epsilon - top) / 2).exp() * total / arb(2) ** d).max(arb(0))


def _subsets(ratios: Sequence[arb], counts: Sequence[int], room: arb) -> Iterator[tuple[int, fmpz, arb]]:
    """(size, number of subsets, sum of ratios) of all subsets whose ratios do not certainly exceed `room`."""
    if not ratios:
        yield 0, fmpz(1), arb(0)
        return
    for j in range(counts[0] + 1):
        here = j * ratios[0]
        if here > room:
            return
        for size, ways, moved in _subsets(ratios[1:], counts[1:], room - here):
            yield size + j, ways * comb(counts[0], j), moved + here


class _Pieces:
    """phi_j of d coordinates at x = 2 half; phi_j(x) = 0 for x <= 0, where the subset is out of reach."""

    def __init__(self, d: int) -> None:
        self.d = d
        self._inverse = [arb(1)]
        for q in range(1, d + 1):
            self._inverse.append(self._inverse[-1] / q)
        self._polynomial = cache(self._coefficients)

    def __call__(self, size: int, half: arb) -> arb:
        if half <= 0:
            return arb(0)
        # A ball around zero stays one: phi_j is continuous and vanishes there.
        half = half.max(arb(0))
        value: arb = self._polynomial(size)(half)
        return arb(2) ** (self.d - 1) * half.exp() - value if size == 0 else value

    def _coefficients(self, size: int) -> arb_poly:
        d = self.d
        if size == 0:
            partial_sums = list(itertools.accumulate(comb(d - 1, k) for k in range(d)))
            return arb_poly([a * f for a, f in zip(reversed(partial_sums), self._inverse, strict=False)])
        c = (fmpz_poly([-1, 1]) ** (size - 1) * fmpz_poly([1, 1]) ** (d - size - 1)).coeffs()
        return arb_poly([arb(0), *(c[d - 1 - q] * self._inverse[q] for q in range(1, d))])


def floating_bounds(groups: Groups, epsilon: Floats, grid: float = 0.0) -> tuple[Floats, Floats]:
    """Lower and upper bounds of the profile at each epsilon >= 0 (e,), from the lattice of losses.

    The widest coordinate alone is no easier to tell apart, and one outcome at the largest loss no harder.
    `grid` > 0 is the step of the lattice, about; 0 cuts the largest loss into 60,000 steps.
    """
    if not groups:
        return np.zeros(len(epsilon)), np.zeros(len(epsilon))
    ratios = [float(enclose(r, bits=80).mid()) for r, _ in groups]
    counts = [n for _, n in groups]
    top, slack = float(np.dot(ratios, counts)), 1e-14
    widest = np.abs(np.expm1(np.minimum(epsilon - max(ratios) * (1 - slack), 0.0) / 2)) * (1 - slack)
    highest = -np.expm1(np.minimum(epsilon - top * (1 + slack), 0.0)) * (1 + slack)
    if top > _WIDEST:
        return widest, np.minimum(highest, 1.0)
    fine = {"cells": max(1_000, int(np.dot(ratios, counts) / grid) + 1)} if grid > 0 else {}
    low, high = profile_bounds(ratios, counts, epsilon, **fine)
    return np.maximum(low, widest), np.minimum(high, highest)


class ProductLaplaceProfile(EnclosedFunction):
    """delta(epsilon) of one product pair; `groups` belongs to the subclass that `profile_function` makes."""

    groups: Groups = ()

    def _sympystr(self, printer: Any) -> str:
        inside = ", ".join(f"{n} x {printer.doprint(r)}" for r, n in self.groups[:4])
        more = ", ..." if len(self.groups) > 4 else ""
        return f"delta[{inside}{more}]({printer.doprint(self.args[0])})"


@lru_cache(maxsize=256)
def profile_function(groups: Groups) -> type[ProductLaplaceProfile]:
    """The profile of these coordinates as a sympy function of epsilon, which `enclose` can evaluate."""
    return ProductLaplaceProfile.enclosed_by(partial(_enclosed, groups), groups=groups)


def _enclosed(groups: Groups, epsilon: arb) -> arb:
    """A ball around delta(epsilon): the closed form where it is short, the lattice's two bounds otherwise."""
    if not groups:
        return arb(0)
    if closed_form_work(groups) <= _EXACT_WORK:
        return _remembered(groups, epsilon.mid().man_exp(), epsilon.rad().man_exp(), ctx.prec)
    lower, upper = _lattice(groups, float(epsilon.lower()), float(epsilon.upper()))
    ball: arb = arb(lower).union(arb(upper))
    return ball


def _exactly(man_exp: tuple[Any, Any]) -> arb:
    mantissa, exponent = man_exp
    exact: arb = arb(mantissa) * arb(2) ** exponent
    return exact


@lru_cache(maxsize=512)
def _remembered(groups: Groups, middle: tuple[Any, Any], radius: tuple[Any, Any], bits: int) -> arb:
    assert bits == ctx.prec
    return closed_form(groups, arb(_exactly(middle), _exactly(radius)))


@lru_cache(maxsize=512)
def _lattice(groups: Groups, low: float, high: float) -> tuple[float, float]:
    # One double to either side: the profile falls with epsilon.
    ends = np.array([max(0.0, np.nextafter(low, -np.inf)), np.nextafter(high, np.inf)])
    lower, upper = floating_bounds(groups, ends)
    return float(lower[1]), float(upper[0])
