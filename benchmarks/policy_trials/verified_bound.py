"""The lower bound of one set of multipliers with every pivot enclosed in ball arithmetic."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import sympy as sp
from flint import arb, ctx

from noiseproof.mechanisms.dependent_noise.lower_bound import DualMultipliers, chain_ends
from noiseproof.mechanisms.dependent_noise.sections import Sections
from noiseproof.mechanisms.dependent_noise.weight import X
from noiseproof.symbolic.proof.enclosed_integral import enclosed_integral
from noiseproof.symbolic.proof.enclosure import enclose


def verified_lower_bound(dual: DualMultipliers, bits: int = 128, steps: int = 8) -> arb:
    """A ball around int mu p dx, which no policy's cost is below, for `dual` times a factor found by bisection.

    For f(x) = x, rho = 0 and a weight with a closed integral; nodes and rates are read as exact doubles.
    Sections are taken one fine interval longer at either end than floating point found them.  Raises ValueError
    if not even half of the rates pass.
    """
    problem = dual.problem
    if problem.query != X or problem.rho != 0 or problem.weight.exact_total is None:
        raise ValueError("a verified bound needs f(x) = x, rho = 0 and a weight with a closed integral")
    nodes = [sp.Rational(float(x)) for x in dual.nodes]
    if nodes[0] < problem.weight.lower or nodes[-1] > problem.weight.upper:
        raise ValueError(f"nodes must lie in X = [{problem.weight.lower}, {problem.weight.upper}]")
    with ctx.workprec(bits):
        return _bisected(dual, nodes, bits, steps)


def _bisected(dual: DualMultipliers, nodes: list[sp.Rational], bits: int, steps: int) -> arb:
    times = _times(dual, nodes, bits)
    rates = [enclose(sp.Rational(float(rate)), bits=bits) for rate in dual.rates]
    chains = _chains(dual)

    def passes(factor: arb) -> bool:
        lowered = [factor * rate for rate in rates]
        return all(_positive(times, lowered, dual.fine, *chain) for chain in chains)

    low, high = arb(0.5), arb(1)
    if not passes(low):
        raise ValueError("half of the rates do not certainly pass: start from multipliers that are feasible")
    for _ in range(steps):
        # Middles of dyadic numbers are exact.
        middle = (low + high) / 2
        low, high = (middle, high) if passes(middle) else (low, middle)
    total = arb(0)
    for j, rate in enumerate(rates):
        total += low * rate * (times[(j + 1) * dual.fine] - times[j * dual.fine])
    return total


Chain = tuple[int, int, tuple[int | None, int | None]]


def _chains(dual: DualMultipliers) -> list[Chain]:
    """(first node, last node, fine nodes where v is zero) of each section, None at an end of X."""
    found, last = dual.sections, len(dual.fine_nodes) - 1
    wider = Sections(np.maximum(found.first - 1, 0), np.minimum(found.last + 1, last), found.low, found.high)
    left, right, begin, end = (array.tolist() for array in chain_ends(dual, wider))
    free = zip((wider.first == 0).tolist(), (wider.last == last).tolist(), strict=True)
    return [
        (begin[k], end[k], (None if start else left[k], None if stop else right[k]))
        for k, (start, stop) in enumerate(free)
    ]


def _times(dual: DualMultipliers, nodes: list[sp.Rational], bits: int) -> list[arb]:
    inverse = 1 / dual.problem.weight.normalised()
    times = [arb(0)]
    for low, high in pairwise(nodes):
        for k in range(dual.fine):
            start, stop = (low + (high - low) * sp.Rational(j, dual.fine) for j in (k, k + 1))
            times.append(times[-1] + enclosed_integral(inverse, X, start, stop, bits))
    return times


def _positive(
    times: list[arb], rates: list[arb], fine: int, begin: int, end: int, zeros: tuple[int | None, int | None]
) -> bool:
    """Whether all pivots of one section are certainly positive."""
    left, right = zeros
    if begin > end:
        if left is None or right is None:
            return False
        length = times[right] - times[left]
        return bool(rates[end].sqrt() / 2 * length < arb.pi())
    pivot = arb(0)
    for node in range(begin, end + 1):
        grown, closing = arb(0), arb(0)
        if node > begin:
            cot, csc = _entries(rates[node - 1], times[node * fine] - times[(node - 1) * fine])
            grown = cot - csc**2 / pivot
        elif left is not None:
            grown = _entries(rates[node - 1], times[node * fine] - times[left])[0]
        if node < end:
            closing = _entries(rates[node], times[(node + 1) * fine] - times[node * fine])[0]
        elif right is not None:
            closing = _entries(rates[node], times[right] - times[node * fine])[0]
        pivot = grown + closing
        if not pivot > 0:
            return False
    return True


def _entries(rate: arb, length: arb) -> tuple[arb, arb]:
    """4 k cot(k t) and 4 k / sin(k t) with k = sqrt(rate)/2; a ball that decides nothing past the first pole."""
    if rate == 0:
        return 4 / length, 4 / length
    root = rate.sqrt() / 2
    phase = root * length
    if not phase < arb.pi():
        return arb("nan"), arb("nan")
    return 4 * root * phase.cot(), 4 * root * phase.csc()
